"""Memory: free bytes, and the limit for one array."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..ground.errors import TooLargeError, cut
from . import Array
from .thresholds import SHARE, SMALLEST

# texts of an ImportError or RuntimeError whose cause is a lack of memory
NO_MEMORY = ("annot allocate memory", "failed to map segment", "can't start new thread")

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


def available(proc: Path = PROC, cgroups: Path = CGROUPS) -> int:
    """Bytes that this process may still take.

    Parameters
    ----------
    proc, cgroups : Path
        Where the system describes processes and cgroups.

    Returns
    -------
    int
        Minimum of the machine's available memory, RLIMIT_AS minus the address space in use,
        RLIMIT_DATA minus the private writable pages in use (without files that are mapped into
        memory), and, for each cgroup from the cgroup of this process up to the root, `memory.max`
        minus `memory.current` (version 2) or `memory.limit_in_bytes` minus `memory.usage_in_bytes`
        (version 1). Files in a cgroup's cache count as free.
    """
    import psutil  # takes 15 ms, which small work does not need

    limits = _of_process(psutil.Process().memory_info())
    return max(
        0, min([int(psutil.virtual_memory().available), *limits, *_of_cgroups(proc, cgroups)])
    )


def room(wanted: float = np.inf) -> int:
    """Bytes that one part of the work may take: a quarter of the available memory, at least 64 MB.

    If no more than 64 MB are wanted, the available memory is not measured.
    """
    return SMALLEST if wanted <= SMALLEST else max(SMALLEST, int(SHARE * available()))


def check_fits(size: float, what: str, cure: str) -> None:
    """Raise TooLargeError unless `size` bytes are at most a quarter of the available memory."""
    if size <= SMALLEST:
        return
    left = available()
    if size > SHARE * left:
        raise TooLargeError(
            f"{what} {size / 2**30:.1f} GB, above a quarter of the {left / 2**30:.1f} GB of memory "
            "that are available to this process: "
            f"{cure}"
        )


def ran_out(reason: BaseException) -> bool:
    """Whether an error, or its cause, means that memory ran out.

    Mapped files, loaded libraries and threads report it by other errors than MemoryError; llvmlite
    reports a library that does not fit as not found.
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


def too_large(reason: BaseException) -> TooLargeError:
    """The error, with a cure, of an allocation that failed and that no estimate foresaw."""
    return TooLargeError(
        f"memory ran out ({cut(str(reason)) or 'no reason given'}): use fewer rows "
        "(data.sample(...)), candidates= a number of them, or more memory"
    )


def _of_process(used: Any) -> Iterator[int]:
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, size in (
        (resource.RLIMIT_AS, used.vms),
        (resource.RLIMIT_DATA, getattr(used, "data", 0)),
    ):
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
    """Free bytes of every cgroup from `path` up to the root; inside a container the path may be a path of the host."""
    parts = [p for p in path.split("/") if p not in ("", ".", "..")]
    for depth in range(len(parts), -1, -1):
        folder = root.joinpath(*parts[:depth])
        most, now = _read(folder / limit).strip(), _read(folder / used).strip()
        # version 1 of cgroups writes about 2^63 if there is no limit
        if most.isdecimal() and int(most) < 2**60:
            stat = dict(
                line.split(None, 1)
                for line in _read(folder / "memory.stat").splitlines()
                if " " in line
            )
            yield int(most) - (int(now) if now.isdecimal() else 0) + int(stat.get(cached, 0))


def _read(path: Path) -> str:
    """The text of a file of the system; empty if there is no such file."""
    try:
        return path.read_text()
    except (OSError, ValueError):
        return ""


def large(shape: tuple[int, ...], dtype: DTypeLike = float) -> Array:
    """An array to be filled.

    Raises
    ------
    TooLargeError
        If it takes more than a quarter of the available memory.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    what = f"an array of {' x '.join(map(str, shape))} numbers needs"
    check_fits(size, what, "use fewer rows (data.sample(...)) or columns, or more memory")
    return np.empty(shape, dtype)
