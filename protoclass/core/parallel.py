"""How kernels are compiled and how work is spread over threads."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from typing import Any, Generic, TypeVar

import numba
from threadpoolctl import ThreadpoolController

S = TypeVar("S")
T = TypeVar("T")

SMALL = 2**19

_inside = threading.local()
_guard = threading.Lock()
_within = 0  # threads that are in `alone`
_limits: Any = None  # what the last of them restores


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` without the GIL, cached on disk.

    Sums keep the order in which they are written (LLVM may fuse a product and a sum, never reorder), so a result does
    not depend on how the work is cut into tiles.
    """
    compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True, fastmath={"contract"})(function)
    return compiled


@cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def alone() -> Iterator[None]:
    """BLAS and OpenMP on one thread: threads that wait for one another cost a small problem ten times its time.

    The limit is the process's: the first of several threads sets it, and the last to leave lifts it.
    """
    global _limits, _within
    with _guard:
        _limits = _limits if _within else _pools().limit(limits=1)
        _within += 1
    try:
        yield
    finally:
        with _guard:
            _within -= 1
            if _within == 0:
                _limits.restore_original_limits()


class Once(Generic[T]):
    """A value that is worked out when it is first read, by one thread while the others wait, and then kept."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self._lock = threading.RLock()

    def __call__(self) -> T:
        with self._lock:
            if self._work is not None:
                self._value = self._work()
                self._work = None
            return self._value


def cores() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(
    work: Callable[[S], T], items: Iterable[S], entries: int = SMALL, stop: Callable[[], None] = lambda: None
) -> Iterator[T]:
    """Map `work` over `items` on threads, in order, a few ahead of the reader.

    Work on a matrix of fewer than `SMALL` entries stays in this thread, as handing it over would take longer; so does
    work that is itself running on such a thread: the outermost loop owns the processors. `stop` is called when the loop is
    left early, as by Ctrl-C.
    """
    alone = isinstance(items, Sized) and len(items) < 2  # its own inner loops may then use the threads
    if alone or entries < SMALL or cores() == 1 or getattr(_inside, "worker", False):
        yield from map(work, items)
        return

    def inside(item: S) -> T:
        _inside.worker = True
        return work(item)

    pending: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(cores())
    try:
        for item in items:
            pending.append(pool.submit(inside, item))
            if len(pending) > 2 * cores():
                yield _result(pending.popleft())
        while pending:
            yield _result(pending.popleft())
    except BaseException:
        # left early, as by Ctrl-C: what runs is asked to stop, and not waited for, as a solver may take its time to listen
        stop()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def _result(future: Future[T]) -> T:
    # woken again and again: a signal that another thread received is seen here only when Python code runs
    while not future.done():
        wait([future], timeout=0.1)
    return future.result()
