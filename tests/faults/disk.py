"""Disks that are full: `python tests/faults/disk.py --sizes 20` says how each writing ends on disks from 4 kB to 4 MB (root, Linux).

A work may end well or in an error of the package, with the old file whole and nothing left beside it. Works run in copies of the
process, as a page of a mapped file that the disk does not take would end it by a signal.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
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
from protoclass.__main__ import main as command
from protoclass.core.parallel import Kernel

sys.path.insert(0, str(Path(__file__).parents[1]))
from faults.interrupts import made
from faults.memory import in_a_copy

OLD = b"old"
PAGE = 2**12  # bytes


@dataclass(frozen=True)
class Writing:
    """What writes to a disk.

    Attributes
    ----------
    call : callable
        Of the folder; it returns whether all is right.
    name : str, or None
        The file that it replaces.
    others : bool
        Whether it writes further files, each of which is there completely or not at all.
    """

    call: Callable[[Path], bool]
    name: str | None = None
    others: bool = False


def doubled(x: float) -> float:
    return 2 * x


def compile_there(place: Path) -> bool:
    import numba

    numba.config.CACHE_DIR = str(place)
    return all(Kernel(doubled)(x) == 2 * x for x in (2, 2.5, np.float32(3)))


def writings() -> dict[str, Writing]:
    """What writes, by name."""
    data = made(120)
    fit, rows = pc.fit("y ~ .", data, eps=1.5), Path(tempfile.mkdtemp()) / "rows.csv"
    made(20_000).to_csv(rows, index=False)
    values = {
        "Fit": fit, "Validation": pc.cross_validate("y ~ .", data, "knn", k=[1, 3], cv=2), "Dissimilarity": pc.dissimilarity("y ~ .", data),
        "Comparison": pc.compare("y ~ .", data, ["knn", "kmeans"], cv=2, repeats=1, progress=False),
    }  # fmt: skip

    def save(value: Any) -> Callable[[Path], bool]:
        return lambda place: value.save(place / "x.proto", overwrite=True).size == (place / "x.proto").stat().st_size

    def report(place: Path) -> bool:
        return fit.report(place / "x.html", overwrite=True).read_text().endswith("</html>\n")

    def figures(place: Path) -> bool:
        with contextlib.redirect_stdout(io.StringIO()):
            status = command(["y ~ .", str(rows), "--method", "kmeans", "--K", "2", "--out", str(place)])
        if status == 2:
            raise pc.FileError("said by the command")
        return len(list(place.glob("*.png"))) == 2

    def vignette(place: Path) -> bool:
        with contextlib.redirect_stdout(io.StringIO()):
            pc.vignette("getting_started", place)
        return bool(json.loads((place / "getting_started.ipynb").read_text())["cells"])

    return {
        **{name: Writing(save(value), "x.proto") for name, value in values.items()},
        "report": Writing(report, "x.html"),
        "vignette": Writing(vignette, others=True),
        "figures": Writing(figures, others=True),
        "kernel": Writing(compile_there, others=True),
    }


@contextmanager
def disk(size: int) -> Iterator[Path]:
    """A disk of so many bytes."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True, capture_output=True)
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", place], check=True, capture_output=True)


def there_is_one() -> bool:
    """Whether such a disk can be made here."""
    try:
        with disk(PAGE):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def end_of(writing: Writing, size: int) -> str:
    """How one writing ends on a disk of this size."""

    def within(place: Path) -> str:
        try:
            return "success" if writing.call(place) else "fault: not what it is elsewhere"
        except pc.ProtoclassError as reason:
            return f"ours: {type(reason).__name__}: {reason}"
        except BaseException as reason:
            return f"fault: {type(reason).__name__}: {reason}"

    with disk(size) as place:
        if writing.name:
            (place / writing.name).write_bytes(OLD)
        said = in_a_copy(lambda: within(place))
        files = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
        if said == "killed":
            return "fault: a signal ended it"
        if writing.name and said != "success" and files != {writing.name: OLD}:
            return f"fault: {sorted(files)} after {said}"
        if writing.name and said == "success" and list(files) != [writing.name]:
            return f"fault: {sorted(files)} are there"
        half = any(name.endswith(".part") or not content for name, content in files.items())
        if half or (files and not writing.name and not writing.others):
            return f"fault: {sorted(files)} are left"
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, default=20)
    given = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    for name, writing in writings().items():
        for size in np.geomspace(1, 1024, given.sizes).astype(int).tolist():
            end = end_of(writing, size * PAGE)
            counts[name, end.split(":")[0]] += 1
            if end.startswith("fault"):
                print(f"{name}, {size * PAGE} bytes: {end}", flush=True)
    for (name, end), count in sorted(counts.items()):
        print(f"{name:14} {end:8} {count}")
    faults = sum(count for (_, end), count in counts.items() if end == "fault")
    print(f"{faults} faults of {sum(counts.values())}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
