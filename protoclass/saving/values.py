"""Values as JSON and arrays, and back. What JSON has no word for is an object with one name, its tag."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ..errors import FileError, cut
from . import tables
from .arrays import cut_up, plain, ragged
from .arrays import to_bytes as array_bytes
from .classes import check_object, class_of, conforms, hints_of, name_of, refused
from .special import SPECIAL

DEEPEST = 60  # values inside one another
INFINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


class Writer:
    """Values on their way into a file; what occurs twice is written once.

    Attributes
    ----------
    objects : list
        Objects as JSON, each after those that it refers to.
    entries : dict of name to bytes
        Arrays.
    """

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.entries: dict[str, bytes] = {}
        self._written: dict[int, Any] = {}
        self._kept: list[Any] = []  # what has an id here must live as long
        self._same: dict[bytes, int] = {}

    def write(self, value: Any, where: str) -> Any:
        """A value as JSON; `where` says in a message what it is."""
        if value is None or type(value) in (bool, int):
            return value
        if type(value) is str:
            return self._text(value, where)
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if type(value) is list:
            return [self.write(v, where) for v in value]
        if type(value) is tuple:
            return {"tuple": [self.write(v, where) for v in value]}
        if type(value) is range:
            return {"range": [value.start, value.stop, value.step]}
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if isinstance(value, type) and name_of(value) is not None:
            return {"class": name_of(value)}
        if isinstance(value, Mapping):
            return {"mapping": [[self.write(k, where), self.write(v, f"{where}[{k!r}]")] for k, v in value.items()]}
        return self._once(value, where)

    def _once(self, value: Any, where: str) -> Any:
        if id(value) not in self._written:
            if isinstance(value, np.ndarray):
                written = self.array(value, where)
            elif is_dataclass(value) and not isinstance(value, type):
                written = self._object(value, where)
            else:
                written = tables.write(self, value, where)
            self._written[id(value)] = written
            self._kept.append(value)
        return self._written[id(value)]

    def _text(self, value: str, where: str) -> str:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise refused(value, where) from None
        return value

    def _scalar(self, value: np.generic, where: str) -> Any:
        if value.dtype.kind == "U":
            return self._text(str(value), where)
        if value.dtype.kind not in "biufmM":
            raise refused(value, where)
        return {"scalar": self.array(np.asarray(value), where)["array"]}

    def array(self, value: np.ndarray, where: str) -> Any:
        """An array; of objects, one of values as they stand, or of arrays."""
        if plain(value):
            data = array_bytes(value)
            at = self._same.setdefault(data, len(self.entries)) if len(data) > 200 else len(self.entries)
            self.entries.setdefault(f"arrays/{at}.npy", data)
            return {"array": at}
        if value.dtype.kind != "O":
            raise refused(value, where)
        parts = ragged(value)
        if parts is not None:
            flat, lengths = (self.array(a, where)["array"] for a in parts)
            return {"arrays": [flat, lengths]}
        return {"values": [list(value.shape), [self.write(v, f"an entry of {where}") for v in value.flat]]}

    def _object(self, value: Any, where: str) -> Any:
        name = name_of(type(value))
        if name is None:
            raise refused(value, where)
        given = SPECIAL[type(value)].fields(value) if type(value) in SPECIAL else None
        if given is None:
            given = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
            for f, hint in zip(fields(value), hints_of(type(value)), strict=True):
                if not conforms(getattr(value, f.name), hint):
                    raise refused(getattr(value, f.name), f"the field {f.name!r} of {name}, whose annotation says another type,")
        written = {key: self.write(v, f"{key!r} of {name}") for key, v in given.items()}
        self.objects.append([name, written])
        return {"object": len(self.objects) - 1}


class Reader:
    """Values on their way out of a file; every array and object is used at least once, and made once.

    Parameters
    ----------
    objects : list
        Objects as JSON.
    arrays : mapping of number to array
    counted : int
        How many entries all ranges together may have.
    """

    def __init__(self, objects: Any, arrays: Mapping[int, np.ndarray], counted: int) -> None:
        if not isinstance(objects, list):
            raise FileError("its objects are no list")
        self.arrays, self.used, self._counted = arrays, set[int](), counted
        self.objects: list[Any] = []
        for written in objects:
            self.objects.append(self._object(written))

    def read(self, written: Any, depth: int = 0) -> Any:
        """The value of a piece of JSON, which may refer to the objects before it."""
        if depth > DEEPEST:
            raise FileError("its values are too deep inside one another")
        if written is None or type(written) in (bool, int, float, str):
            return written
        if type(written) is list:
            return [self.read(v, depth + 1) for v in written]
        if type(written) is not dict or len(written) != 1:
            raise FileError(f"a value is {cut(str(written), 80)}")
        ((tag, inner),) = written.items()
        if tag in _READ:
            return _READ[tag](self, inner, depth + 1)
        return tables.read(self, tag, inner, depth + 1)

    def array(self, at: Any) -> np.ndarray:
        if type(at) is not int or at not in self.arrays:
            raise FileError(f"it has no array {cut(str(at), 80)}")
        self.used.add(at)
        return self.arrays[at]

    def object(self, at: Any) -> Any:
        if type(at) is not int or not 0 <= at < len(self.objects):
            raise FileError(f"it has no object {cut(str(at), 80)} before the one that refers to it")
        return self.objects[at]

    def counting(self, written: Any, depth: int) -> range:
        """A range, of which not one entry is made."""
        ends = self.list(written, depth, 3)
        if not all(type(n) is int for n in ends) or not ends[2]:
            raise FileError("a range has ends that are no whole numbers")
        counted = range(*ends)
        most = self._counted
        if counted[most:]:
            raise FileError(f"a range of more than {most:,} entries is in a file that has no more to count")
        self._counted -= len(counted)
        return counted

    def list(self, written: Any, depth: int, length: int | None = None) -> list[Any]:
        """The values of a list."""
        if type(written) is not list or (length is not None and len(written) != length):
            raise FileError(f"a list is {cut(str(written), 80)}")
        return [self.read(v, depth) for v in written]

    def _object(self, written: Any) -> Any:
        if type(written) is not list or len(written) != 2 or type(written[0]) is not str or type(written[1]) is not dict:
            raise FileError(f"an object is {cut(str(written), 80)}")
        kind = class_of(written[0])
        given = {name: self.read(v) for name, v in written[1].items()}
        if kind.of in SPECIAL:
            value = SPECIAL[kind.of].build(given)
        else:
            known = {f.name for f in fields(kind.of) if f.init}
            if set(given) != known:
                raise FileError(f"an object of {kind.name} has the fields {sorted(given)}, and its class has {sorted(known)}")
            value = kind.of(**given)
        if kind.of not in SPECIAL:
            check_object(kind, value)
        return value


def _mapping(reader: Reader, inner: Any, depth: int) -> dict[Any, Any]:
    pairs = [tuple(reader.list(pair, depth, 2)) for pair in (inner if type(inner) is list else [None])]
    out = dict(pairs)
    if len(out) != len(pairs):
        raise FileError("a mapping has a name twice")
    return out


def _infinite(reader: Reader, inner: Any, depth: int) -> float:
    if not isinstance(inner, str) or inner not in INFINITE:
        raise FileError(f"a number is {cut(str(inner), 80)}")
    return INFINITE[inner]


def _values(reader: Reader, inner: Any, depth: int) -> np.ndarray:
    shape, values = reader.list(inner, depth, 2)
    if not isinstance(values, list) or not isinstance(shape, list) or len(shape) > 8:
        raise FileError("an array of objects is not complete")
    if not all(type(n) is int and n >= 0 for n in shape) or math.prod(shape) != len(values):
        raise FileError(f"an array of {len(values)} objects would have the shape {cut(str(shape), 80)}")
    out = np.empty(len(values), object)
    for i, value in enumerate(values):
        out[i] = value
    return out.reshape(shape)


def _scalar(reader: Reader, inner: Any, depth: int) -> Any:
    array = reader.array(inner)
    if array.shape != ():
        raise FileError(f"a number has the shape {array.shape}")
    return array[()]


def _class(reader: Reader, inner: Any, depth: int) -> type:
    if not isinstance(inner, str):
        raise FileError("a class has no name")
    return class_of(inner).of


def _arrays(reader: Reader, inner: Any, depth: int) -> np.ndarray:
    flat, lengths = reader.list(inner, depth, 2)
    return cut_up(reader.array(flat), reader.array(lengths))


_READ: dict[str, Callable[[Reader, Any, int], Any]] = {
    "float": _infinite,
    "tuple": lambda reader, inner, depth: tuple(reader.list(inner, depth)),
    "mapping": _mapping,
    "range": lambda reader, inner, depth: reader.counting(inner, depth),
    "scalar": _scalar,
    "array": lambda reader, inner, depth: reader.array(inner),
    "arrays": _arrays,
    "values": _values,
    "class": _class,
    "object": lambda reader, inner, depth: reader.object(inner),
}
