"""Damage to saved files: `python tests/saving/damage.py --bytes 2000 --structured 500` says what became of each.

A byte is changed at random; or the parts of a file are: values, names, types and shapes, the zip itself. What is loaded must
predict as the fit that was saved, or end in an error of the package. Each is loaded within limits of memory and time.
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
NASTY = [
    None, True, False, 0, -1, 1, 7, 2**31, 2**63, -(2**70), 0.5, -1.0, 1e308, "", "x", "a" * 5000, "__import__('os').system('id')",
    "../../etc", [], {}, [[]], {"array": 0}, {"array": 10**6}, {"array": -1}, {"object": 0}, {"object": 10**6}, {"class": "method pvm"},
    {"class": "builtins.eval"},
    {"float": ["nan"]}, {"float": ["inf"]}, {"tuple": []}, {"mapping": []}, {"mapping": [["a"]]}, {"objects": [[], [3]]},
    {"objects": [[], [-1]]}, {"range": [0, 10**12, 1]}, {"scalar": [{"array": 0}]}, {"arrays": [{"array": 0}, {"array": 0}]},
    {"tuple": [1, 2]}, {"missing": ["NA"]}, {"date": ["2020-13-01"]}, {"labels": [[], []]}, {"table": [1, 2, 3]},
]  # fmt: skip
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


def change_content(content: dict, draw: np.random.Generator) -> None:
    """Another value, one left out, one twice, or a name changed, at a place at random."""
    every = list(places(content))
    path = every[draw.integers(len(every))]
    holder, key = at(content, path[:-1]), path[-1]
    other = every[draw.integers(len(every))]
    match int(draw.integers(6)):
        case 0 | 1:
            holder[key] = NASTY[draw.integers(len(NASTY))]
        case 2:
            del holder[key]
        case 3 if isinstance(holder, list):
            holder.insert(key, json.loads(json.dumps(holder[key])))
        case 4 if isinstance(holder, dict):
            holder["".join(draw.choice(list("abcxyz"), 4))] = holder.pop(key)
        case _:
            holder[key] = json.loads(json.dumps(at(content, other)))


def change_number(content: dict, draw: np.random.Generator) -> None:
    """A number a little or much larger or smaller."""
    numbers = [path for path in places(content) if type(at(content, path)) in (int, float)]
    path = numbers[draw.integers(len(numbers))]
    old = at(content, path)
    at(content, path[:-1])[path[-1]] = [old + 1, old - 1, -old, old * 10, 0][draw.integers(5)]


def change_formula(content: dict, draw: np.random.Generator) -> None:
    factors = [fields for kind, fields in content["objects"] if kind == "Factor"]
    factors[draw.integers(len(factors))].update(
        expr=FORMULAS[draw.integers(len(FORMULAS))], how=["python", "literal", "lookup"][draw.integers(3)]
    )


def change_array(arrays: dict[str, bytes], draw: np.random.Generator) -> None:
    """Another type, shape or value."""
    name = list(arrays)[draw.integers(len(arrays))]
    a = np.load(io.BytesIO(arrays[name]))
    flat = a.reshape(-1).copy()
    match int(draw.integers(9)):
        case 0:
            a = a[:-1] if a.ndim and len(a) else np.zeros(3)
        case 1:
            a = a.T if a.ndim > 1 else a[:, None] if a.ndim else a[None]
        case 2:
            kinds = [np.int8, np.float32, bool, "U3", "M8[s]", np.int64]
            a = np.zeros(a.shape, kinds[draw.integers(6)]) if a.dtype.kind in "UM" else a.astype(float).astype(kinds[draw.integers(6)])
        case 3 if flat.size:
            low, high = (np.nan, np.inf) if a.dtype.kind == "f" else (0, 1) if a.dtype.kind == "b" else (-(2**7), 2**7 - 1)
            flat[draw.integers(flat.size)] = [low, high][draw.integers(2)]
            a = flat.reshape(a.shape)
        case 4:
            a = np.repeat(a, 2, axis=0) if a.ndim else a
        case 5:
            a = a[:0] if a.ndim else np.empty(0)
        case 6:
            arrays[name] = header("(1000000000000,)") + b"\0" * 8
            return
        case 7:
            arrays[name] = header("(2,)", "|O") + b"\x80\x04]q\0."
            return
        case _:
            a = -np.abs(flat.astype(float)).reshape(a.shape) if a.dtype.kind in "iuf" else a
    out = io.BytesIO()
    np.save(out, a)
    arrays[name] = out.getvalue()


def header(shape: str, kind: str = "<f8") -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def change_head(head: dict, draw: np.random.Generator) -> None:
    every = [path for path in places(head) if path != ("sum",)]
    path = every[draw.integers(len(every))]
    at(head, path[:-1])[path[-1]] = NASTY[draw.integers(len(NASTY))]


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


def damaged_parts(data: bytes, count: int, draw: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    ways: dict[str, Callable] = {"content": change_content, "number": change_number, "formula": change_formula, "array": change_array}
    names = [*ways, "content", "array", "head", "zip"]
    for i in range(count):
        way, parts = names[i % len(names)], take_apart(data)
        if way == "zip":
            yield way, change_zip(data, draw)
            continue
        if way == "head":
            change_head(parts[0], draw)
        else:
            ways[way](parts[2] if way == "array" else parts[1], draw)
        yield way, put_together(parts, False)


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
    "scm": lambda: pc.fit(
        "species ~ petal_length + petal_width + g", IRIS.iloc[::2], "scm", features="balls+stumps", penalty=1.0, kind="conjunction",
        stop=None,
    ),
    "mixture": lambda: pc.fit("species ~ . - g", IRIS.iloc[::2], "mixture", K=2, starts=1),
    "mixed": lambda: pc.fit(
        "species ~ .", IRIS.iloc[::2], eps=1.0, dissimilarity=pc.Mixed([(list(IRIS.columns[:4]), pc.Ranks("manhattan")), ("g", "gower")])
    ),
    "dann": lambda: pc.fit("species ~ . - g", IRIS.iloc[::2], "dann", k=5, neighborhood=20),
}  # fmt: skip


def run(count_bytes: int, count_parts: int, seed: int = 0) -> tuple[Counter, list[str]]:
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
            share = [n // len(FITS) + (k < n % len(FITS)) for n in (count_bytes, count_parts)]
            rounds = {"bytes": damaged_bytes(data, share[0], draw), "parts": damaged_parts(data, share[1], draw)}
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
    parser.add_argument("--structured", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for make in FITS.values():  # what is loaded once and compiled takes memory of its own
        says(make())
    if sys.platform == "linux":
        limit_memory()
    counts, faults = run(given.bytes, given.structured, given.seed)
    for (kind, end), count in sorted(counts.items()):
        print(f"{kind:10} {end:15} {count}")
    print(*faults, sep="\n")
    print(f"{len(faults)} faults, {time.process_time():.0f} seconds of processor")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
