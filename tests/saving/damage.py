"""Damage to saved files: `python tests/saving/damage.py --bytes 2000 --zips 500` says what became of each.

A byte is changed at random, or a part of the file moved, left out or twice. What is loaded must predict as the fit that was saved, or end
in an error of the package. Each is loaded within limits of memory and time.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import protoclass as pc

MEMORY = 2**30  # bytes beyond those that the process has at the start
SECONDS = 30.0  # of processor, for one file
FORMULAS = [
    "__import__('os')", "x.__class__", "().__class__.__bases__", "open('/etc/passwd')", "log(x, open('f'))", "lambda: 1", "poly(x, 10**9)",
]  # fmt: skip

Parts = tuple[dict, dict, dict[str, bytes]]  # what a file says of itself, its objects, and its arrays
HEAD = ("format", "version", "written by", "kind")


def take_apart(data: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        read = {name: archive.read(name) for name in archive.namelist()}
        own = archive.comment.decode()
    document = json.loads(read.pop("content.json"))
    return {"sum": own, **{name: document.pop(name) for name in HEAD}}, document, read


def put_together(parts: Parts, seal: bool, level: int = 6) -> bytes:
    """The file of these parts; with `seal` its sum is right."""
    head, content, arrays = dict(parts[0]), parts[1], parts[2]
    own = head.pop("sum")
    text = json.dumps(head | content, ensure_ascii=False, separators=(",", ":")).encode()  # as it is written
    return zipped(text, arrays, "" if seal else own, level)


def zipped(document: bytes, arrays: dict[str, bytes], own: str = "", level: int = 6) -> bytes:
    """The file of a document, with the right sum unless another is given."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        warnings.simplefilter("ignore")
        archive.comment = (own or hashlib.sha256(b"".join([document, *arrays.values()])).hexdigest()).encode()
        for name, entry in {"content.json": document, **arrays}.items():
            archive.writestr(name, entry)
    return out.getvalue()


def places(value: object, path: tuple = ()) -> Iterator[tuple]:
    """Where values stand inside a piece of JSON."""
    inner = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, part in list(inner):
        yield (*path, key)
        yield from places(part, (*path, key))


def at(value: object, path: tuple) -> object:
    for key in path:
        value = value[key]
    return value


def header(shape: str, kind: str = "<f8") -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def change_zip(data: bytes, draw: np.random.Generator) -> bytes:
    """Truncated, a part moved or twice, entries with names, flags and sizes that are not allowed."""
    cut = int(draw.integers(len(data)))
    kind = int(draw.integers(11))
    if kind < 3:
        return [data[:cut], data[cut:], data[:cut] + data[cut + int(draw.integers(1, 50)) :]][kind]
    if kind == 3:
        return data[:cut] + bytes(draw.integers(0, 256, 40, dtype=np.uint8)) + data[cut:]
    if kind > 7:
        return change_sizes(data, kind - 8, draw)
    out = io.BytesIO(data)
    method = [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED][draw.integers(3)]
    with warnings.catch_warnings(), zipfile.ZipFile(out, "a", method) as archive:
        warnings.simplefilter("ignore")
        name = ["../x", "/etc/passwd", "arrays/0.npy", "content.json", "arrays/../../y.npy", "arrays/999.npy", "C:\\x", "manifest.json"]
        archive.writestr(name[draw.integers(8)], b"\0" * [10, 10**7][kind % 2])
    return out.getvalue()


def change_sizes(data: bytes, which: int, draw: np.random.Generator) -> bytes:
    """Flags, methods and declared sizes in the list of entries at the end of a zip."""
    found, start = [], data.find(b"PK\x01\x02")
    while start >= 0:
        found.append(start)
        start = data.find(b"PK\x01\x02", start + 4)
    entry, out = found[draw.integers(len(found))], bytearray(data)
    if which == 0:
        out[entry + 8] |= 1  # encrypted
    elif which == 1:
        out[entry + 24 : entry + 28] = (2**31).to_bytes(4, "little")  # bytes before compression
    else:
        out[entry + 10 : entry + 12] = int(draw.integers(1, 100)).to_bytes(2, "little")  # method
    return bytes(out)


def damaged_bytes(data: bytes, count: int, draw: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for _ in range(count):
        place, value = int(draw.integers(len(data))), int(draw.integers(1, 256))
        yield "byte", data[:place] + bytes([data[place] ^ value]) + data[place + 1 :]


def outcome(path: Path, says: Callable, expected: object) -> str:
    """What became of a file: "refused", "same", "refused later", "another", or a fault with its reason."""
    start = time.process_time()
    try:
        loaded = pc.load(path)
    except pc.ProtoclassError:
        end = "refused"
    except BaseException as reason:
        return f"fault: load ended in {type(reason).__name__}: {reason}"
    else:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                end = "same" if says(loaded) == expected else "another"
        except pc.ProtoclassError:
            end = "refused later"
        except BaseException as reason:
            return f"fault: predict ended in {type(reason).__name__}: {reason}"
    return end if time.process_time() - start < SECONDS else "fault: it took too long"


def says(fit: pc.Fit) -> list[tuple[str, bytes]]:
    """All that a fit says of new rows, as bytes."""
    new = NEW
    return [(kind, fit.predict(new, kind).to_csv().encode()) for kind in fit.kinds]


IRIS = pc.load_data("iris").assign(g=lambda d: np.where(d["sepal_width"] > 3, "u", "v"))
NEW = IRIS.iloc[::15]
FITS: dict[str, Callable] = {
    "pvm": lambda: pc.fit("species ~ . - g", IRIS.iloc[::2], eps=[0.8, 1.2, 2.0], cv=3),
    "transforms": lambda: pc.fit(
        "species ~ poly(petal_width, 2) + ns(sepal_length, 3) + bs(petal_length, 4) + g:sepal_width", IRIS.iloc[::2], "knn", k=3,
        dissimilarity="euclidean", calibrate={"cv": 2},
    ),
    "gower": lambda: pc.fit("species ~ .", IRIS.iloc[::2], "knn", k=3, dissimilarity="gower").slim(),
}  # fmt: skip


def damaged_zips(data: bytes, count: int, draw: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for _ in range(count):
        yield "zip", change_zip(data, draw)


def run(count_bytes: int, count_zips: int, seed: int = 0) -> tuple[Counter, list[str]]:
    """Damages, shared among several fits: what became of them by kind, and the faults."""
    counts: Counter = Counter()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for k, (name, make) in enumerate(FITS.items()):
            draw, path = np.random.default_rng([seed, k]), Path(folder) / "damaged.proto"
            fit = make()
            data = fit.save(path, overwrite=True).path.read_bytes()
            expected = says(fit)
            assert outcome(path, says, expected) == "same"
            share = [n // len(FITS) + (k < n % len(FITS)) for n in (count_bytes, count_zips)]
            rounds = {"bytes": damaged_bytes(data, share[0], draw), "zips": damaged_zips(data, share[1], draw)}
            for kind, files in rounds.items():
                for i, (way, damaged) in enumerate(files):
                    path.write_bytes(damaged)
                    end = outcome(path, says, expected)
                    fault = end.startswith("fault") or end == "another"
                    counts[kind, end.split(":")[0]] += 1
                    faults += [f"{name}, {kind} {i} ({way}): {end}"] if fault else []
    return counts, faults


def limit_memory() -> None:
    import resource

    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bytes", type=int, default=2000)
    parser.add_argument("--zips", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for make in FITS.values():  # what is loaded once and compiled takes memory of its own
        says(make())
    if sys.platform == "linux":
        limit_memory()
    counts, faults = run(given.bytes, given.zips, given.seed)
    for (kind, end), count in sorted(counts.items()):
        print(f"{kind:10} {end:15} {count}")
    print(*faults, sep="\n")
    print(f"{len(faults)} faults, {time.process_time():.0f} seconds of processor")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
