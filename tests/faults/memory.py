"""Memory that ends: `python tests/faults/memory.py --sizes 20` says how each work ends where this process may take so little more.

The works run in copies of a process that has done each of them before, under RLIMIT_AS and under RLIMIT_DATA. A work may end well or in
an error of the package. Any other error, a crash, a result that differs, or a file that is neither the old nor the new one is a fault.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import protoclass as pc

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutants.children import Stopped, in_child

from faults.interrupts import facts, made, table

PATIENCE = 60.0  # seconds of processor for one work
LEAST, MOST = 2**20, 2**29  # bytes beyond those that the process has
KINDS = {"RLIMIT_AS": (resource.RLIMIT_AS, 0), "RLIMIT_DATA": (resource.RLIMIT_DATA, 5)}  # and the field of /proc/self/statm


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


@contextmanager
def limit(kind: str, more: int) -> Iterator[None]:
    """A limit so much above what the process takes now, once what it has freed is given back."""
    with contextlib.suppress(OSError, AttributeError):  # of glibc
        ctypes.CDLL(None).malloc_trim(0)
    which, field = KINDS[kind]
    soft, hard = resource.getrlimit(which)
    used = int(Path("/proc/self/statm").read_text().split()[field]) * resource.getpagesize()
    resource.setrlimit(which, (used + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(which, (soft, hard))


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
    """What a function returns in a copy of this process."""
    try:
        return str(in_child(work, PATIENCE))
    except Stopped:
        return "fault: it crashed, or took too long"


def run(n: int, sizes: int, names: list[str] | None = None, limits: list[str] | None = None) -> Iterator[tuple[str, str, int, str]]:
    """Name, kind of limit, bytes and end of each work."""
    with tempfile.TemporaryDirectory() as place:
        all_works, few = works(Path(place), n), made(150)
        reference = facts(pc.fit("y ~ .", few, eps=1.5))
        for name in names or list(all_works):
            work = all_works[name]
            right = work.result(work.call())
            work.check()
            for kind in limits or KINDS:
                for more in np.geomspace(LEAST, MOST, sizes).astype(int).tolist():
                    end = in_a_copy(
                        lambda w=work, k=kind, m=more, r=right: outcome(
                            w, k, m, r, lambda: facts(pc.fit("y ~ .", few, eps=1.5)) == reference
                        )
                    )
                    yield name, kind, more, end


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, default=20)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--limits", nargs="*", choices=KINDS)
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
