"""Memory that ends: `python tests/faults/memory.py --sizes 20` says how each work ends where this process may take so little more.

The works run in copies of a process that has done each of them before, under RLIMIT_AS, under RLIMIT_DATA, and in a cgroup where this
user may make one. A work may end well or in an error of the package. Any other error, a crash, a result that differs, or a file that is
neither the old nor the new one is a fault. In a cgroup the system ends a process that writes to more pages than it may have, so that
only estimates can help; such ends are counted by themselves.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import protoclass as pc

sys.path.insert(0, str(Path(__file__).parents[1]))
from faults.interrupts import facts, made, table

PATIENCE = 300.0  # seconds of the clock for one work
LEAST, MOST = 2**20, 2**29  # bytes beyond those that the process has
CGROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Work:
    """What is done with little memory.

    Attributes
    ----------
    call : callable
    result : callable
        What of its value must be the same as with enough memory.
    check : callable
        Raises where something half done is left.
    """

    call: Callable[[], Any]
    result: Callable[[Any], Any]
    check: Callable[[], None] = lambda: None


def works(folder: Path, n: int) -> dict[str, Work]:
    data, few = made(n), made(200)
    fit, path, big = pc.fit("y ~ .", few, eps=1.5), folder / "fit.proto", pc.fit("y ~ .", made(20 * n), "knn", k=3, cv=None)
    whole = [value.save(path, overwrite=True).path.read_bytes() for value in (big, fit)]

    def check_file() -> None:
        assert os.listdir(folder) == [path.name], f"files are left: {os.listdir(folder)}"
        assert path.read_bytes() in whole, "the file is neither the old nor the new one"
        path.write_bytes(whole[1])

    there = Path(tempfile.mkdtemp()) / "big.proto"
    there.write_bytes(whole[0])
    new = made(5 * n)
    return {
        "fit": Work(lambda: pc.fit("y ~ .", data, eps=1.5, progress=False), facts),
        "CV": Work(lambda: pc.cross_validate("y ~ .", data, cv=3, progress=False), table),
        "predict": Work(lambda: fit.predict(new, "distance"), lambda d: d.to_numpy().tolist()),
        "compare": Work(lambda: pc.compare("y ~ .", made(n // 4), ["pvm", "knn"], cv=2, repeats=1, progress=False), table),
        "save": Work(lambda: big.save(path, overwrite=True), lambda saved: path.read_bytes() == whole[0], check_file),
        "load": Work(lambda: pc.load(there), lambda loaded: (loaded.nobs, loaded.prototypes.shape)),
        "exact": Work(lambda: pc.fit("y ~ .", made(n // 3), pc.PVM(eps=1.5, solver="exact"), progress=False), facts),
    }


def used(field: int) -> int:
    """Bytes of the address space (0) or of data (5)."""
    return int(Path("/proc/self/statm").read_text().split()[field]) * resource.getpagesize()


@contextmanager
def limit(kind: str, more: int) -> Iterator[None]:
    """A limit so much above what the process takes now, once what it has freed is given back."""
    with contextlib.suppress(OSError, AttributeError):  # of glibc
        ctypes.CDLL(None).malloc_trim(0)
    if kind == "cgroup":
        (group_of(os.getppid()) / "memory.limit_in_bytes").write_text(str(more))
        (group_of(os.getppid()) / "cgroup.procs").write_text(str(os.getpid()))
        yield
        return
    which, field = {"RLIMIT_AS": (resource.RLIMIT_AS, 0), "RLIMIT_DATA": (resource.RLIMIT_DATA, 5)}[kind]
    soft, hard = resource.getrlimit(which)
    resource.setrlimit(which, (used(field) + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(which, (soft, hard))


def group_of(pid: int) -> Path:
    """The cgroup of the copies of a process, below its own (version 1 of cgroups); in a container its own is the root."""
    own = next(line.split(":", 2)[2] for line in Path("/proc/self/cgroup").read_text().splitlines() if ":memory:" in line)
    root = CGROUPS / "memory"
    return (root / own[1:] if (root / own[1:]).is_dir() else root) / f"protoclass-{pid}"


def kinds() -> list[str]:
    """The limits that there are."""
    try:
        group_of(os.getpid()).mkdir()
    except (OSError, StopIteration):
        return ["RLIMIT_AS", "RLIMIT_DATA"]
    group_of(os.getpid()).rmdir()
    return ["RLIMIT_AS", "RLIMIT_DATA", "cgroup"]


def outcome(work: Work, kind: str, more: int, right: Any, calm: Callable[[], bool]) -> str:
    """How a work ends under a limit, within this process."""
    try:
        with limit(kind, more):
            try:
                value, end = work.call(), "success"
            except pc.ProtoclassError as reason:
                value, end = None, f"ours: {type(reason).__name__}: {reason}"
        work_is_right = value is None or work.result(value) == right
        work.check()
        if not work_is_right:
            return "fault: another result"
        return end if calm() else "fault: the next call gave another result"
    except BaseException as reason:
        return f"fault: {type(reason).__name__}: {reason}"


def in_a_copy(work: Callable[[], str]) -> str:
    """What a function returns in a copy of this process, or how the copy ended."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(here)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(there, work()[:4000].encode())  # fits into the pipe
        os._exit(0)
    os.close(there)
    begin = time.monotonic()
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() - begin > PATIENCE:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(here)
            return f"fault: no end after {PATIENCE:.0f} s"
        time.sleep(0.02)
    with os.fdopen(here, "rb") as file:
        said = file.read().decode()
    return said or "killed"


def run(n: int, sizes: int, names: list[str] | None = None, limits: list[str] | None = None) -> Iterator[tuple[str, str, int, str]]:
    """Name, kind of limit, bytes and end of each work."""
    with tempfile.TemporaryDirectory() as place:
        all_works, few = works(Path(place), n), made(150)
        reference = facts(pc.fit("y ~ .", few, eps=1.5))
        for name in names or list(all_works):
            work = all_works[name]
            right = work.result(work.call())
            work.check()
            for kind in limits or kinds():
                least = LEAST if kind != "cgroup" else 32 * LEAST
                for more in np.geomspace(least, MOST, sizes).astype(int).tolist():
                    if kind == "cgroup":
                        group_of(os.getpid()).mkdir(exist_ok=True)
                    end = in_a_copy(
                        lambda w=work, k=kind, m=more, r=right: outcome(
                            w, k, m, r, lambda: facts(pc.fit("y ~ .", few, eps=1.5)) == reference
                        )
                    )
                    if kind == "cgroup":
                        group_of(os.getpid()).rmdir()
                    elif end == "killed":
                        end = "fault: it crashed"
                    if name == "save":
                        left = [f for f in os.listdir(place) if f != "fit.proto"]
                        for file in left:
                            Path(place, file).unlink()
                        if left and end != "killed":
                            end = f"fault: files are left, {left}"
                    yield name, kind, more, end


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, default=20)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--limits", nargs="*", help="of RLIMIT_AS, RLIMIT_DATA and cgroup")
    parser.add_argument("works", nargs="*")
    given = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    faults = 0
    for name, kind, more, end in run(given.rows, given.sizes, given.works, given.limits):
        counts[name, kind, end.split(":")[0]] += 1
        if end.startswith("fault"):
            faults += 1
            print(json.dumps([name, kind, f"{more / 2**20:.0f} MB", end]), flush=True)
    for (name, kind, end), count in sorted(counts.items()):
        print(f"{name:10} {kind:12} {end:10} {count}")
    print(f"{faults} faults of {sum(counts.values())}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
