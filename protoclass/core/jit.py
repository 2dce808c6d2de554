"""How kernels are compiled and how work is spread over threads."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import numba

S = TypeVar("S")
T = TypeVar("T")

SMALL = 2**19

_inside = threading.local()


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` without the GIL, cached on disk.

    Sums keep the order in which they are written (LLVM may fuse a product and a sum, never reorder), so a result does
    not depend on how the work is cut into tiles.
    """
    compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True, fastmath={"contract"})(function)
    return compiled


def cores() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[S], T], items: Iterable[S], entries: int = SMALL) -> Iterator[T]:
    """Map `work` over `items` on threads, in order, a few ahead of the reader.

    Work on a matrix of fewer than `SMALL` entries stays in this thread, as handing it over would take longer; so does
    work that is itself running on such a thread: the outermost loop owns the processors.
    """
    if entries < SMALL or cores() == 1 or getattr(_inside, "worker", False):
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
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
