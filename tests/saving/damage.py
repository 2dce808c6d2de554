"""Damage to saved files: parts taken apart, changed and put together, with the right sum or without."""

from __future__ import annotations

import hashlib
import io
import json
import warnings
import zipfile
from collections.abc import Callable, Iterator

import numpy as np

import protoclass as pc

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


def change_byte(data: bytes, draw: np.random.Generator) -> bytes:
    place = int(draw.integers(len(data)))
    return data[:place] + bytes([data[place] ^ int(draw.integers(1, 256))]) + data[place + 1 :]


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
