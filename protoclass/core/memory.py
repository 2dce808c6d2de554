"""How much memory this process may still take: the least of what the machine, its own limits and its cgroups leave."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from ..ground.errors import TooLarge, cut

Given = ParamSpec("Given")
Result = TypeVar("Result")

SHARE = 0.25  # of the memory that is left, which one matrix may take: a method needs copies and room to work
SMALLEST = 2**26  # bytes from which on a matrix is worth a look at the limits
NO_MEMORY = ("annot allocate memory", "failed to map segment", "can't start new thread")  # in ImportError and RuntimeError
NO_LIMIT = 2**60  # version 1 of cgroups writes about 2^63 for none

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")

_total: ContextVar[int] = ContextVar("total", default=0)


def available(proc: Path = PROC, cgroups: Path = CGROUPS) -> int:
    """Bytes that this process may still take.

    Parameters
    ----------
    proc, cgroups : Path
        Where the system describes processes and cgroups.

    Returns
    -------
    int
        The least of the machine's available memory, RLIMIT_AS minus the address space in use, RLIMIT_DATA minus the private
        writable pages in use (files that are mapped into memory are none of these), and, for each cgroup from that of this
        process up to the root, `memory.max` minus `memory.current` (version 2) or `memory.limit_in_bytes` minus
        `memory.usage_in_bytes` (version 1). Files in a cgroup's cache count as free. Also what `at_most` leaves.
    """
    import psutil  # takes 15 ms, which small work does not need

    limits = _of_process(psutil.Process().memory_info())
    return max(0, min([int(psutil.virtual_memory().available), *limits, *_of_cgroups(proc, cgroups)]))


@contextmanager
def at_most(total: int) -> Iterator[None]:
    """What this process may take in all while some work is done on this thread, where something else than the system limits it.

    total : int
        Bytes; 0 for no such limit.
    """
    before = _total.get()
    _total.set(total)
    try:
        yield
    finally:
        _total.set(before)


def room() -> int:
    """Bytes that one part of the work may take: a quarter of the available memory, and 64 MB in any case."""
    return max(SMALLEST, int(SHARE * available()))


def check_fits(size: float, what: str, cure: str) -> None:
    """Raise TooLarge unless `size` bytes are at most a quarter of the available memory."""
    if size <= SMALLEST:
        return
    left = available()
    if size > SHARE * left:
        raise TooLarge(
            f"{what} {size / 2**30:.1f} GB, above a quarter of the {left / 2**30:.1f} GB of memory that this process may still "
            f"take: {cure}"
        )


def ran_out(reason: BaseException) -> bool:
    """Whether an error, or one that it came from, says that memory ran out.

    Files that are mapped, libraries that are loaded and threads say it otherwise than by MemoryError; llvmlite says of a library
    that does not fit that it is not found.
    """
    before: BaseException | None = reason
    seen: set[int] = set()  # a cause that is raised again is its own
    while before is not None and id(before) not in seen:
        if isinstance(before, MemoryError) or getattr(before, "errno", None) == errno.ENOMEM:
            return True
        if any(words in str(before) for words in NO_MEMORY):
            return True
        seen.add(id(before))
        before = before.__cause__ or before.__context__
    return False


def limited(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """A function that turns a failed allocation, which no estimate foresaw, into an error with a cure."""

    @wraps(function)
    def within(*args: Given.args, **given: Given.kwargs) -> Result:
        try:
            return function(*args, **given)
        except TooLarge:
            raise
        except (MemoryError, OSError, ImportError, RuntimeError) as reason:
            if not ran_out(reason):
                raise
            raise TooLarge(
                f"memory ran out ({cut(str(reason)) or 'no reason given'}), of which this process may still take "
                f"{available() / 2**30:.1f} GB: use fewer rows (data.sample(...)), candidates= a number of them, or more memory"
            ) from reason

    return within


def _of_process(used: Any) -> Iterator[int]:
    if _total.get():
        yield _total.get() - used.rss
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, size in ((resource.RLIMIT_AS, used.vms), (resource.RLIMIT_DATA, getattr(used, "data", 0))):
        limit, _ = resource.getrlimit(kind)
        if limit != resource.RLIM_INFINITY:
            yield limit - size


def _of_cgroups(proc: Path, cgroups: Path) -> Iterator[int]:
    for line in _read(proc / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            yield from _upward(cgroups, path, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
            yield from _upward(cgroups / "memory", path, *names)


def _upward(root: Path, path: str, limit: str, used: str, cached: str) -> Iterator[int]:
    """What every cgroup from `path` up to the root leaves; inside a container the path may be that of the host."""
    parts = [p for p in path.split("/") if p not in ("", ".", "..")]
    for depth in range(len(parts), -1, -1):
        folder = root.joinpath(*parts[:depth])
        most, now = _read(folder / limit).strip(), _read(folder / used).strip()
        if most.isdecimal() and int(most) < NO_LIMIT:
            stat = dict(line.split(None, 1) for line in _read(folder / "memory.stat").splitlines() if " " in line)
            yield int(most) - (int(now) if now.isdecimal() else 0) + int(stat.get(cached, 0))


def _read(path: Path) -> str:
    """The text of a file of the system; empty where it is not there."""
    try:
        return path.read_text()
    except (OSError, ValueError):
        return ""
