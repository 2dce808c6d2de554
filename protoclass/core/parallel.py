"""Compilation of kernels, and loops over threads.

Four words describe who does what, here and in the comments below:

* A **worker** is a thread that runs an item of a loop with several threads. Loops inside the item
  stay on the worker, so the outermost loop alone divides the processors.
* The **reader** of a loop is the thread that takes its results. It waits while the workers compute,
  so its own loops do not count among those that leave it fewer processors.
* **left** is the flag of a loop, which all its threads see. It becomes 1 when the reader leaves the
  loop early, for example by Ctrl-C: kernels then return, and no result of theirs is used.
* **alone** is a state of the process: BLAS and OpenMP have one thread while any thread is inside
  `alone`, because the loop or the user's own threads occupy the processors already.

The state of a thread is in `_inside`, where only that thread reads and writes. The state of the
process is in `_alone`, `_limits` and `_loops`, which are changed under the lock `_guard`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from functools import lru_cache, partial, update_wrapper
from typing import Any, Generic, TypeVar
from weakref import WeakSet

import numpy as np
from threadpoolctl import OpenBLASController, ThreadpoolController

from .thresholds import FEW, SMALL

S = TypeVar("S")
T = TypeVar("T")

MANY = 2**62  # entries: such work always uses threads

WANTED = np.zeros(1, np.uint8)  # the flag of a thread that runs no item of a loop; it stays 0

_inside = threading.local()  # `worker` and `left` of this thread
_guard = threading.Lock()
_alone: set[object] = set()  # an object for each thread inside `alone`
_limits: Any = None  # the limits that the last of these threads restores; None without such threads


class _Loop:
    """A loop that this thread reads.

    `threads` is the number of processors that its workers may occupy now: 0 for a single item,
    whose thread takes the reader's place, and 0 from the end of the loop on.
    """

    def __init__(self, threads: int) -> None:
        self.threads, self.reader = threads, threading.get_ident()


_loops: WeakSet[_Loop] = WeakSet()  # the loops under way; ended ones count 0 until they are gone


def _renew() -> None:
    """Start a forked process without the threads of its parent, which do not exist there.

    One of them may have held the lock, or have been inside `alone`: a new lock is free, no loop is
    under way, and the limits of BLAS are restored.
    """
    global _guard, _loops
    _guard, _loops = threading.Lock(), WeakSet()
    _alone.clear()
    _leave(None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def few(steps: int) -> bool:
    """Whether work of this many steps is left to NumPy, which needs no compilation and gives bit-identical results.

    A kernel takes from 0.2 to 2 s to compile in the first fit ever, and numba a second to import
    and to read it in every later process. On work of this size it saves a millisecond, unless there
    is much of it: not the parts of large work that `each` divides.
    """
    return steps <= FEW and not getattr(_inside, "worker", False)


@lru_cache(1)
def _pools(modules: int) -> ThreadpoolController:
    """The BLAS and OpenMP libraries of this process, given the number of imported modules; further
    ones may load another, as SciPy does.
    """
    return ThreadpoolController()


def _take_control() -> None:
    """Let this thread limit OpenBLAS: a newer threadpoolctl ignores all but the one that was the first to do so."""
    release: Any = getattr(OpenBLASController, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)


@contextmanager
def alone() -> Iterator[None]:
    """Keep BLAS and OpenMP on one thread: a small problem takes ten times as long when threads wait for one another.

    The limit applies to the process: the first of several threads sets it, and the last one to
    leave removes it.
    """
    mine = object()
    try:
        try:
            _enter(mine)
            yield
        finally:
            _leave(mine)
    finally:  # Ctrl-C may stop the first `_leave` before its end
        _leave(mine)


def _enter(mine: object) -> None:
    global _limits
    with _guard:
        _alone.add(mine)
        if _limits is None:
            _take_control()
            pools = _pools(len(sys.modules))
            # the first call only reads the limits: what to restore is known before any changes
            _limits = pools.limit(limits=None)
            pools.limit(limits=1)


def _leave(mine: object) -> None:
    """Restore the limits if no other thread needs them; a second time it changes nothing."""
    global _limits
    with _guard:
        _alone.discard(mine)
        if not _alone and _limits is not None:
            _take_control()
            _limits.restore_original_limits()
            _limits = None


class Once(Generic[T]):
    """A value that is computed at its first use, by one thread while the others wait, and is then cached."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self._lock = threading.RLock()

    def __call__(self) -> T:
        with self._lock:
            if self._work is not None:
                self._value = self._work()
                self._work = None
            return self._value

    @property
    def known(self) -> bool:
        """Whether it has been computed."""
        return self._work is None


class Kernel:
    """A function that numba compiles when it is first called: work that needs no kernel does not import numba either.

    Attributes
    ----------
    py_func : callable
        The function in Python.
    contract : bool
        Whether a product and a sum may be rounded once, as one instruction.
    """

    def __init__(self, function: Callable[..., Any], contract: bool = True) -> None:
        self.py_func, self.contract = function, contract
        self._compiled = Once(self._compile)
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        run = self._compiled()
        # a failure leaves one more kernel compiled, and at most eight are called one in the other
        for _ in range(8):
            try:
                out = run(*arguments)
                break
            except OSError:
                # a full disk refuses the file of a kernel in this one, which is compiled by now
                from .cache import say_that_nothing_is_kept

                say_that_nothing_is_kept()
        else:
            out = run(*arguments)
        check_wanted()
        return out

    def _compile(self) -> Any:
        from .cache import dispatcher

        return dispatcher(self.py_func, self.contract)

    @property
    def _numba_type_(self) -> Any:  # numba reads this property if a kernel calls another one
        return self._compiled()._numba_type_

    def __reduce__(self) -> str:
        return self.py_func.__qualname__


def kernel(function: Callable[..., Any] | None = None, *, contract: bool = True) -> Any:
    """Compile `function` without the GIL, cached on disk.

    Sums keep the order in which they are written, so a result does not depend on how the work is
    divided into tiles. A product and a sum may become one instruction, which rounds once and saves
    up to a fifth of the time. Without `contract` each operation is rounded separately, so NumPy
    gives the same bits: kernels of distances need this, because small work is left to NumPy.
    """
    return partial(Kernel, contract=contract) if function is None else Kernel(function, contract)


def cores() -> int:
    """The number of processors that this process may use, or OMP_NUM_THREADS if that is smaller.

    joblib sets this variable in its processes, so that processes side by side divide the
    processors.
    """
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    most = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(own, int(most)) if most.isdecimal() and int(most) > 0 else own


def left() -> Any:
    """A flag (1,), which becomes 1 once no one waits for the work of this thread any more.

    A kernel that may run for more than a second checks it now and then, and returns early: `Kernel`
    then raises KeyboardInterrupt, so the half-finished result is not used.
    """
    return getattr(_inside, "left", WANTED)


def check_wanted() -> None:
    """Raise KeyboardInterrupt in a thread whose work no one waits for any more."""
    if left()[0]:
        raise KeyboardInterrupt


def threaded(entries: int) -> bool:
    """Whether `each` would divide work on a matrix of this many entries among threads."""
    return entries >= SMALL and cores() > 1 and not getattr(_inside, "worker", False)


def free_cores() -> int:
    """The processors that loops of other threads leave to this one, at least 1.

    One thread may read a loop over the results of another loop: it does not wait for itself.
    """
    if getattr(_inside, "worker", False):
        return 1
    own = threading.get_ident()
    with _guard:
        return max(1, cores() - sum(loop.threads for loop in _loops if loop.reader != own))


def each(
    work: Callable[[S], T],
    items: Iterable[S],
    entries: int = SMALL,
    stop: Callable[[], None] = lambda: None,
) -> Iterator[T]:
    """Map `work` over `items` on threads, in order, a few items ahead of the reader.

    Work on a matrix of fewer than `SMALL` entries stays in this thread, because passing it on would
    take longer. Work that already runs on such a thread stays there too: the outermost loop owns
    the processors, and BLAS takes one for each thread. If several threads of the user's have loops,
    a later one gets the processors that the earlier ones leave, or one thread. A single item goes
    to another thread as well, because Ctrl-C is noticed only if no kernel runs; the loops inside it
    may then use the threads. `stop` is called when the loop is left early, for example by Ctrl-C;
    kernels of its threads see the flag of `left`.
    """
    if entries < SMALL or getattr(_inside, "worker", False):
        for item in items:
            check_wanted()
            yield work(item)
        return
    several = not (isinstance(items, Sized) and len(items) < 2)
    flag = np.zeros(1, np.uint8)

    def mark_and_work(item: S) -> T:
        _inside.left, _inside.worker = flag, several
        return work(item)

    pending: deque[Future[T]] = deque()
    threads = free_cores() if several else 1
    loop, pool = _Loop(threads if several else 0), ThreadPoolExecutor(threads)
    # Items are submitted a few ahead, and results are yielded in the order of the items, so the
    # results do not depend on the threads.
    try:
        with _guard:
            _loops.add(loop)
        with alone() if several else nullcontext():
            for item in items:
                pending.append(pool.submit(copy_context().run, mark_and_work, item))
                if len(pending) > 2 * threads:
                    yield _result(pending.popleft())
            while pending:
                yield _result(pending.popleft())
    except BaseException:
        # The loop was left early, for example by Ctrl-C. Running work gets the signal to stop but
        # is not waited for: a solver may be slow to stop.
        flag[0] = 1
        stop()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    finally:
        loop.threads = 0
    pool.shutdown()


_remote: ContextVar[Callable[..., Iterator[Any]] | None] = ContextVar("remote", default=None)


@contextmanager
def fits_by(
    remote: Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]],
) -> Iterator[None]:
    """Let `remote(work, items)` map the whole fits of `each_fit`, in order."""
    token = _remote.set(remote)
    try:
        yield
    finally:
        _remote.reset(token)


def each_fit(work: Callable[[S], T], items: Iterable[S], entries: int = 0) -> Iterator[T]:
    """Map whole fits over `items` in order, on the workers of a cluster inside `fits_by`, otherwise as `each`.

    `work` can be pickled, and its results do not depend on the process.
    """
    remote = _remote.get()
    return each(work, items, entries) if remote is None else remote(work, items)


def in_blocks(work: Callable[[slice], object], rows: int, step: int, entries: int) -> None:
    """Do work on `step` rows after the other, on threads as `each` does."""
    for _ in each(lambda first: work(slice(first, first + step)), range(0, rows, step), entries):
        pass


def on_this_thread(work: Callable[..., T], *given: Any) -> T:
    """`work(*given)`, whose loops stay on this thread: others of this machine do the same at the same time."""
    before = getattr(_inside, "worker", False)
    _inside.worker = True
    try:
        return work(*given)
    finally:
        _inside.worker = before


def _result(future: Future[T]) -> T:
    # The wait is short and repeated, because Python notices a signal that another thread received
    # only while its own code runs.
    while not future.done():
        check_wanted()
        wait([future], timeout=0.1)
    return future.result()
