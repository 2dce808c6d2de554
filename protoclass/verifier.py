"""Checks what a saved fit claims against its data, by arithmetic: `python verifier.py iris.proto data.csv`.

This file needs Python and NumPy and imports nothing of the package, so that it can be copied, read and run alone. It reads the
file by itself (see `protoclass.saving` for the format), computes dissimilarities by itself (Minkowski with scales and weights, Gower
without ranks; given matrices as they are), and recomputes each claim. What it can't check it names.

Numbers agree if they differ by at most 1e-9 of the larger, which is far above what rounding does to sums of fewer than 10^6 rows. A
dissimilarity is computed to within (terms + 8) 2^-49 of itself (2^-20 in single precision), and one that lies nearer to a radius than
that may be in the ball or not: the rows in question are counted, and what depends on them may differ by their weight.

A claim holds only if it was computed again from the data. Everything else in the file is listed "as stated": it contradicts nothing
that was computed, and only the writer of the file knows if it is true. Texts of the file are quoted, with their control characters
escaped.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

TOLERANCE, BLOCK, QUOTED = 1e-9, 2**22, 2000
SMALL, ARRAY_RATIO, TEXT_RATIO = 2**12, 50, 10  # bytes of any entry, and times that one may be larger than it is compressed
LABEL, FEW_LABELS = 4, 2**16  # bytes of a file for each label that it counts without writing it, and how many any file may count
MANY = 40  # entries from which on an array is quoted by its shape
UNKNOWN = -2  # the code of a level that a fit has not seen
HEADER = re.compile(
    rb"\{'descr': '([<|][biufUmM][0-9]+(?:\[\w+\])?)', 'fortran_order': (True|False), 'shape': \(([0-9, ]{0,200})\), \} *\n"
)
SPAN = re.compile(r"(-?\d+) days(?: \+?(\d+):(\d+):(\d+(?:\.\d+)?))?")
SAME = 1e-11  # share by which coordinates may differ from those of the data


class Refused(Exception):
    """What is wrong with a file, or with data."""


@dataclass(frozen=True)
class Claim:
    """A claim, whether it holds (None: not recomputed, so as the file states it), and the numbers."""

    about: str
    holds: bool | None
    words: str

    def __str__(self) -> str:
        """One line, whatever the file has written into it."""
        return _visible(f"{ {True: 'holds', False: 'FALSE', None: 'as stated'}[self.holds]:12}{self.about}: {self.words}")


@dataclass(frozen=True, eq=False)
class Verification:
    """What was checked of a file; true if the data are those of the fit and no claim is false.

    A true verification says nothing of the claims in `unchecked`, which are printed "as stated".

    Attributes
    ----------
    path : str
    claims : tuple of Claim
    """

    path: str
    claims: tuple[Claim, ...]

    def __bool__(self) -> bool:
        return any(c.about == "data" and c.holds for c in self.claims) and not self.false

    @property
    def false(self) -> tuple[Claim, ...]:
        return tuple(c for c in self.claims if c.holds is False)

    @property
    def unchecked(self) -> tuple[Claim, ...]:
        return tuple(c for c in self.claims if c.holds is None)

    def __repr__(self) -> str:
        hold = sum(c.holds is True for c in self.claims)
        counts = f"{hold} claims hold, {len(self.false)} are false, {len(self.unchecked)} are as stated, not recomputed"
        return "\n".join([f"{self.path!r}: {counts}", *(f"  {c}" for c in self.claims)])


def _visible(text: str) -> str:
    """A text in one line, whose control characters, codes of terminals and marks of direction are shown and not obeyed."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def quoted(value: Any) -> str:
    """A value of the file as a verdict quotes it: texts between quotes, tables by their size, objects with their fields."""
    if isinstance(value, dict) and "is" in value:
        kind = str(value["is"]).removeprefix("method ").removeprefix("metric ")
        inner = ", ".join(f"{name}={quoted(v)}" for name, v in value.items() if name != "is")
        text = f"{kind if kind.isidentifier() else repr(kind)}({inner})"
    elif isinstance(value, dict) and set(value) == {"rows", "columns"}:
        text = f"<table of {len(value['rows'])} x {len(value['columns'])}>"
    elif isinstance(value, dict) and set(value) == {"codes", "levels"}:
        text = f"<column of {len(value['codes'])}>"
    elif isinstance(value, dict):
        text = "{" + ", ".join(f"{quoted(k)}: {quoted(v)}" for k, v in value.items()) + "}"
    elif isinstance(value, np.ndarray) and value.size > MANY:
        text = f"<array of {' x '.join(map(str, value.shape))}>"
    elif isinstance(value, (list, tuple, np.ndarray)):
        text = "[" + ", ".join(map(quoted, value.tolist() if isinstance(value, np.ndarray) else value)) + "]"
    else:
        text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= QUOTED else f"{text[: QUOTED * 3 // 5]} ... ({len(text)} characters) ... {text[-QUOTED // 5 :]}"


class File:
    """A saved file: `objects` as dicts that have their class as "is", each made of those before."""

    def __init__(self, path: Any) -> None:
        try:
            with zipfile.ZipFile(path) as archive:
                entries = archive.infolist()
                if any(map(_bomb, entries)) or sum(e.compress_size for e in entries) > os.path.getsize(path):
                    raise Refused("an entry is larger than what is there of it")
                if len({e.filename for e in entries}) < len(entries):
                    raise Refused("an entry is there twice")
                parts = {e.filename: archive.read(e) for e in entries}
            self.size = sum(map(len, parts.values()))
            self.counted = FEW_LABELS + self.size // LABEL
            manifest = json.loads(parts.pop("manifest.json"))
            sums = {n: {"bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in parts.items()}
            if manifest["format"] != "protoclass" or manifest["version"] != 1 or manifest["entries"] != sums:
                raise Refused("it is of another format or version, or its entries are not those that its manifest names")
            content = json.loads(parts.pop("content.json"))
            self.arrays = {int(n[7:-4]): self.array(n, d) for n, d in parts.items()}
            self.objects: list[Any] = []
            for kind, fields in content["objects"]:
                self.objects.append({"is": kind, **{name: self.value(v) for name, v in fields.items()}})
            self.root = self.objects[content["root"]]
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, LookupError, TypeError, RuntimeError, AttributeError,
                ArithmeticError, MemoryError, zlib.error) as reason:  # fmt: skip
            raise Refused(f"it can't be read: {type(reason).__name__}: {reason}") from None

    def array(self, name: str, data: bytes) -> Any:
        start = 10 + int.from_bytes(data[8:10], "little")
        found = HEADER.fullmatch(data[10:start])
        if data[:8] != b"\x93NUMPY\x01\x00" or found is None:
            raise Refused(f"{name!r} has another header than arrays of numbers or texts have")
        dtype = np.dtype(found[1].decode())
        shape = tuple(int(side) for side in found[3].decode().split(",") if side.strip())
        if math.prod(shape) * dtype.itemsize != len(data) - start or max(shape, default=0) > self.size:
            raise Refused(f"{name!r} has another size than its header says")
        return np.frombuffer(data, dtype, offset=start).reshape(shape, order="F" if found[2] == b"True" else "C")

    def counting(self, ends: Any) -> list[int]:
        """The entries of a range, of which all together have no more than the file could have in another way."""
        counted = range(*ends)
        if counted[self.counted :]:
            raise Refused("a range has more entries than the file has bytes to count")
        self.counted -= len(counted)
        return list(counted)

    def value(self, v: Any) -> Any:
        """A value; tables are dicts of columns with "rows", categories dicts of codes and levels, other columns arrays."""
        if isinstance(v, list):
            return [self.value(one) for one in v]
        if not isinstance(v, dict):
            return v
        tag: str
        inner: Any
        ((tag, inner),) = v.items() if len(v) == 1 else [("labels", v)]
        if tag == "array":
            return self.arrays[inner]
        if tag == "scalar":
            return self.arrays[inner][()]
        if tag == "object":
            return self.objects[inner]
        if tag == "tuple":
            return [self.value(one) for one in inner]
        if tag == "mapping":
            return {_key(self.value(k)): self.value(one) for k, one in inner}
        if tag == "values":
            if math.prod(inner[0]) != len(inner[1]) or min(inner[0], default=0) < 0:
                raise Refused(f"an array of {len(inner[1])} values would have the shape {inner[0]}")
            return [self.value(one) for one in inner[1]]
        if tag == "float":
            return float(inner)
        if tag == "frame of":
            return self.value(inner[1])
        if tag == "table":
            rows, columns = self.labels(inner[0]), dict(zip(map(str, self.labels(inner[1])), map(self.column, inner[2]), strict=True))
            if any(len(c["codes"] if isinstance(c, dict) else c) != len(rows) for c in columns.values()):
                raise Refused("a column has another length than its labels")
            return {"rows": rows, "columns": columns}
        if tag == "index":
            return self.labels(inner[0])
        if tag == "column":
            return self.column(inner[0])
        if tag == "range":
            return self.counting(inner)
        return {tag: inner}  # dates and the like, of which no claim speaks

    def labels(self, v: Any) -> list[Any]:
        if "range" in v:
            return self.counting(v["range"])
        if "labels" not in v:
            levels, codes = [_listed(self.column(c)) for c in v["levels"]], [self.value(c) for c in v["codes"]]
            return list(zip(*([level[i] for i in of] for level, of in zip(levels, codes, strict=True)), strict=True))
        return _listed(self.column(v["labels"]))

    def column(self, v: Any) -> Any:
        kind, *parts = v
        if kind == "numbers":
            return self.value(parts[0])
        if kind == "texts":
            return np.array(parts[1], object)
        if kind == "category":
            return {"codes": self.value(parts[0]), "levels": self.labels(parts[1])}
        if kind == "objects":
            return _objects(self.value(parts[0]))
        if kind == "masked":
            known = self.value(parts[1]).astype(object)
            known[self.value(parts[2])] = None
            return known
        return np.empty(0, object)


def _key(k: Any) -> Any:
    return tuple(k) if isinstance(k, list) else k


def _objects(values: list[Any]) -> Any:
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _bomb(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry says that it is far larger than what the file has of it."""
    ratio = ARRAY_RATIO if entry.filename.endswith(".npy") else TEXT_RATIO
    allowed = entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    return not allowed or entry.file_size > SMALL + ratio * entry.compress_size


def _listed(column: Any) -> list[Any]:
    """The entries of a column; None where missing."""
    if isinstance(column, dict):
        return [column["levels"][c] if c >= 0 else None for c in column["codes"]]
    return list(column.tolist())


def _table(data: Any) -> dict[str, list[Any]]:
    """Columns of a CSV file, or of anything with `columns`."""
    if not isinstance(data, (str, bytes)) and hasattr(data, "columns"):
        return {str(c): list(data[c]) for c in data.columns}
    with open(data, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    if not rows or any(len(r) != len(rows[0]) for r in rows):
        raise Refused("it has no header, or lines of different lengths")
    return dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))


def _none(v: Any) -> bool:
    """Whether a value is none; a text is a value, whatever it says."""
    return v is None or (not isinstance(v, str) and str(v) in ("nan", "<NA>", "NaT"))


def _missing(v: Any) -> bool:
    """Whether a value of the data is none, or a text that stands for none in CSV files."""
    return _none(v) or str(v) in ("", "NA", "nan", "NaN", "<NA>", "NaT")


def _same(stored: Any, given: list[Any]) -> bool:
    """Whether a column of the data is the stored one."""
    if not isinstance(stored, dict) and stored.dtype.kind in "mM":
        times = [_time(v, stored.dtype) for v in given]
        return len(times) == len(stored) and all(a == b or (a != a and b != b) for a, b in zip(stored, times, strict=True))
    if isinstance(stored, dict) or stored.dtype.kind not in "iuf":
        return len(given) == len(_listed(stored)) and all(
            _missing(b) if _none(a) else not _none(b) and (str(a) == str(b) or (isinstance(a, (float, int)) and _number(b) == float(a)))
            for a, b in zip(_listed(stored), given, strict=True)
        )
    numbers = np.array([math.nan if _missing(v) else _number(v) for v in given]).astype(stored.dtype if stored.dtype.kind == "f" else float)
    return bool(np.array_equal(numbers, stored.astype(numbers.dtype), equal_nan=True))


def _time(v: Any, dtype: Any) -> Any:
    """A date or a span of time of the data, which a text has as pandas writes it; None for a text that is neither."""
    if _missing(v):
        return np.array("NaT", dtype)[()]
    v = getattr(v, "asm8", v)
    try:
        if dtype.kind == "M":
            return np.datetime64(v)
        if not isinstance(v, str):
            return np.timedelta64(v)
    except ValueError:
        return None
    found = SPAN.fullmatch(v)
    if found is None:
        return None
    days, hours, minutes, seconds = (Fraction(part or 0) for part in found.groups())
    return np.timedelta64(int((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 10**9), "ns")


def _number(text: Any) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        return {"True": 1.0, "False": 0.0}.get(str(text), math.inf)


def _like(stored: Any, given: list[Any]) -> Any:
    """A column of the data in the form of the stored one."""
    if isinstance(stored, dict):
        return {"levels": stored["levels"], "codes": _places(given, stored["levels"], UNKNOWN)}
    numbers = np.array([math.nan if _missing(v) else _number(v) for v in given], float)
    boolean = stored.dtype.kind == "b" and not np.isnan(numbers).any()
    return numbers.astype(stored.dtype) if boolean or stored.dtype.kind == "f" else numbers


def _places(values: list[Any], levels: list[Any], unknown: int = -1) -> Any:
    """The place of each value among levels: -1 where it is missing, and `unknown` where it is no level."""
    place = {str(level): k for k, level in enumerate(levels)}
    return np.array([-1 if _none(v) else place.get(str(v), -1 if _missing(v) else unknown) for v in values], int)


def _leveled(column: Any, known: Any) -> Any:
    """A column of a category as codes of the levels that were seen in fit; booleans as codes 0 and 1."""
    if known["kind"] == "category":
        return {"levels": known["levels"], "codes": _places(_listed(column), known["levels"])}
    return {"levels": [False, True], "codes": np.nan_to_num(_floats(column), nan=-1.0).astype(int)}


def _taken(column: Any, at: Any) -> Any:
    return {**column, "codes": np.asarray(column["codes"])[at]} if isinstance(column, dict) else column[at]


def _gaps(column: Any) -> Any:
    """Where a column is missing."""
    if isinstance(column, dict):
        return column["codes"] == -1
    return np.array([v is None for v in column]) if column.dtype.kind == "O" else np.isnan(column.astype(float))


def _equal(column: Any, stored: Any, k: int) -> Any:
    """Which rows have the k-th of the stored values."""
    if isinstance(column, dict):
        return column["codes"] == stored["codes"][k]
    value = stored[k]
    return _gaps(column) if _none(value) else np.asarray(column == value)


def close(a: Any, b: Any, slack: Any = 0.0) -> bool:
    """Whether numbers agree, up to the tolerance and something more."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.shape != b.shape:
        return False
    most = slack + TOLERANCE * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
    return bool(((a == b) | (np.abs(a - b) <= most) | (np.isnan(a) & np.isnan(b))).all())


@dataclass(frozen=True)
class Space:
    """Dissimilarities of the rows to points, and by what share each may be off."""

    rows: Any
    points: Any
    measure: Callable[[Any, Any], Any]
    error: float

    def between(self, at: Any) -> Any:
        """(n, len(at))"""
        return self.measure(self.rows, tuple(a[at] for a in self.points))

    def blocks(self, m: int) -> Iterator[tuple[Any, Any]]:
        step = max(1, BLOCK // max(1, len(self.rows[0])))
        for first in range(0, m, step):
            at = np.arange(first, min(first + step, m))
            yield at, self.between(at)

    def inside(self, D: Any, radii: Any) -> tuple[Any, Any]:
        """Whether rows are in open balls, and whether they are so near to the surface that rounding may decide."""
        return radii > D, np.abs(D - radii) <= self.error * np.abs(radii) + 1e-300


def minkowski(r: float) -> Callable[[Any, Any], Any]:
    def measure(rows: Any, points: Any) -> Any:
        total = np.zeros((len(rows[0]), len(points[0])), rows[0].dtype)
        for x, z in zip(rows[0].T, points[0].T, strict=True):
            apart = np.abs(x[:, None] - z)
            total = np.maximum(total, apart) if r == math.inf else total + (apart if r == 1 else apart * apart if r == 2 else apart**r)
        return total if r in (1, math.inf) else np.sqrt(total) if r == 2 else total ** (1 / r)

    return measure


def gower(weights: Any, skip: Any) -> Callable[[Any, Any], Any]:
    def measure(rows: Any, points: Any) -> Any:
        total, weight = np.zeros((2, len(rows[0]), len(points[0])))
        p = rows[0].shape[1]
        for f, w in enumerate(weights):
            a, b = (_variable(side, f) for side in (rows, points))
            apart = np.abs(a[:, None] - b) if f < p else np.where(np.isnan(a[:, None] + b), np.nan, w * (a[:, None] != b))
            known = ~np.isnan(apart)
            if f >= p and skip[f - p]:
                known &= (a[:, None] != 0) | (b != 0)
            total, weight = total + np.where(known, apart, 0.0), weight + w * known
        return total / np.where(weight > 0, weight, np.nan)

    return measure


def _variable(side: Any, f: int) -> Any:
    """A number, or the code of a category, of rows; NaN where missing."""
    p = side[0].shape[1]
    return side[0][:, f].astype(float) if f < p else np.where(side[1][:, f - p] < 0, np.nan, side[1][:, f - p])


class Verifier:
    """One check after another; each adds its claims."""

    def __init__(self, file: File, data: dict[str, list[Any]], given: Any) -> None:
        self.root, self.data, self.given, self.claims = file.root, data, given, list[Claim]()
        self.space: Any = None
        self.metric = False  # whether the triangle inequality holds, by Minkowski's
        self.taken: list[str] = []  # what is not computed from the data but taken from the file, and all that follows with it

    def say(self, about: str, holds: bool | None, words: str) -> bool:
        if holds and self.taken and about != "data":
            holds, words = None, f"{words} (by the {' and '.join(self.taken)} that the file states)"
        self.claims.append(Claim(about, None if holds is None else bool(holds), words))
        return holds is not False

    def consistent(self, about: str, fine: bool, words: str, contradiction: str) -> bool:
        """A claim that the data can't confirm: as stated, or false where the file contradicts itself."""
        return self.say(about, None if fine else False, words if fine else contradiction)

    def run(self) -> None:
        kind = self.root["is"]
        if kind not in ("Fit", "Validation"):
            self.say("file", None, f"it holds a {kind!r}, of which nothing can be checked here")
            return
        self.problem = self.root["problem"]
        self.frame = self.problem["frame"]
        self.slim = self.frame["is"] != "Frame"
        if not (self.rows_of_slim() if self.slim else self.rows()):
            return
        for part in ("validation", "dissimilarity", "rule", "calibration", "selection"):
            known = self.root if kind == part.capitalize() else self.root.get(part)
            if known is not None:
                getattr(self, part)(known)
        self.stated()

    def stated(self) -> None:
        """What the file says beside, which no arithmetic on the data shows: each as it stands there."""
        problem, root = self.problem, self.root
        rule, calibration, validation = root.get("rule"), root.get("calibration"), root.get("validation") or root
        selection = root.get("selection") or {}
        said = {"formula": self.frame["formula"]["text"], "method": problem["model"], "metric": problem["metric"], "call": problem["call"]}
        said |= {"problem": {name: problem[name] for name in ("cv", "groups", "seed", "order", "candidates")}}
        said |= {"notes": self.frame["notes"], "selection": {name: selection[name] for name in ("steps", "earlier") if selection.get(name)}}
        said |= {"folds": {name: validation[name] for name in ("measure", "loss", "notes") if name in validation}}
        if rule is not None:
            report = rule.get("report", {})
            certificate = report.get("certificate")
            said |= {"report": {name: v for name, v in report.items() if name not in ("objective", "certificate")}}
            said |= {} if certificate is None else {"solver": {name: certificate[name] for name in ("proof", "notes", "over")}}
        said |= {} if calibration is None else {"calibration": {"reasons": calibration["reasons"]}}
        for about, value in said.items():
            if value:
                self.say(about, None, quoted(value))

    def rows(self) -> bool:
        """The data are those of the fit."""
        frame, call = self.frame, self.problem["call"]
        table, response = call["data"], frame["formula"]["response"]
        if not isinstance(table, dict) or "columns" not in table or not isinstance(frame["response"], dict):
            return self.say("data", False, "the file has no data, or no classes, to compare with")
        known, n = {**table["columns"]}, len(table["rows"])
        lacking = [c for c in known if c not in self.data]
        if lacking:
            return self.say("data", False, f"the column {lacking[0]!r} of the fit is not in them")
        changed = [c for c in known if not _same(known[c], self.data[c])]
        place = {label: i for i, label in enumerate(table["rows"])}
        labels = frame["columns"]["rows"]
        if changed or len(place) != n or not all(label in place for label in labels):
            what = f"the column {changed[0]!r} has other values than in the fit" if changed else "rows are not those of the fit"
            return self.say("data", False, what)
        at = [place[label] for label in labels]
        own = {**frame["columns"]["columns"], response: frame["response"]}
        changed = [c for c in own if not _same(own[c], [self.data[c][i] for i in at])]
        left = n - len(at)
        dropped = frame["dropped"]
        fine = not changed and len(set(at)) == len(at) and len(dropped) == left and set(dropped) == place.keys() - set(labels)
        weights, given = frame["weights"], call["arguments"].get("weights")
        own_weights = np.ones(len(at)) if not isinstance(given, str) else _floats(_objects([self.data[given][i] for i in at]))
        balance = call["arguments"].get("class_weights")
        if (given is None or isinstance(given, str)) and (balance is None or quoted(balance) == "'balanced'"):
            if balance is not None:
                codes = np.asarray(frame["response"]["codes"])
                sums = np.bincount(codes, own_weights)
                own_weights = own_weights * (sums.sum() / len(sums) / sums)[codes]
            fine = fine and close(weights, own_weights)
        else:
            self.taken.append("weights")
            self.say("weights", None, f"{quoted(np.asarray(weights))}, which no column of the data has")
        self.known, self.names = np.arange(len(labels)), labels
        self.y, self.w, self.classes = np.asarray(frame["response"]["codes"]), np.asarray(weights, float), len(frame["response"]["levels"])
        fine = fine and len(self.w) == len(self.y) and bool((self.w >= 0).all())
        words = f"{n} rows, {left} of them left out, and {len(known)} columns are those of the fit"
        what = ", ".join(map(repr, changed)) or "weights or dropped rows"
        return self.say("data", fine, words if fine else f"not as in the fit: {what}")

    def rows_of_slim(self) -> bool:
        """The rows of the data in the place of those of the fit, of which a slim file has the prototypes and counts by class."""
        kept, call = self.frame["remembered"], self.problem["call"]["arguments"]
        response, given = kept["formula"]["response"], call.get("weights")
        seen = kept["schema"]
        own = {name: _leveled(c, seen[name]) if seen[name]["kind"] == "category" else c for name, c in kept["columns"]["columns"].items()}
        own = {**own, response: kept["response"]}
        lacking = [c for c in (*own, *([given] if isinstance(given, str) else [])) if c not in self.data]
        if lacking:
            return self.say("data", False, f"the column {lacking[0]!r} of the fit is not in them")
        made = {c: _like(stored, self.data[c]) for c, stored in own.items()}
        complete = np.all([~_gaps(c) for name, c in made.items() if name == response or not kept["keep"]], axis=0)
        made = {c: _taken(column, complete) for c, column in made.items()}
        stated, weight, y = self.frame["class_counts"], self.frame["class_weights"], made[response]["codes"]
        self.y, self.classes, self.names = y, len(kept["response"]["levels"]), kept["columns"]["rows"]
        if any(isinstance(c, dict) and (c["codes"] == UNKNOWN).any() for c in made.values()):
            return self.say("data", False, "they have classes or levels that the fit has not")
        if isinstance(given, str):
            self.w = _floats(np.array(self.data[given], object))[complete]
        else:  # all rows of a class have the same, unless weights were given that are not in the file
            self.w = (weight / np.maximum(stated, 1))[y]
        fine = len(stated) == self.classes and bool((np.bincount(y, minlength=self.classes) == stated).all())
        fine = fine and close(np.bincount(y, self.w, self.classes), weight) and not len(kept["dropped"])
        rows = [_taken(own[c], slice(None)) for c in own]
        same = [np.all([_equal(made[c], one, k) for c, one in zip(own, rows, strict=True)], axis=0) for k in range(len(self.names))]
        self.known = np.array([at.argmax() if at.any() else -1 for at in same], int)
        self.frame = {**kept, "columns": {"rows": list(range(len(y))), "columns": {c: made[c] for c in kept["columns"]["columns"]}}}
        if not fine:
            return self.say("data", False, "they have other numbers or weights of rows in the classes than the fit")
        if (self.known < 0).any() or not (isinstance(given, dict) or close(self.w[self.known], kept["weights"])):
            return self.say("data", False, f"the prototype {self.names[int(self.known.argmin())]!r} is not in them")
        words = f"the fit is slim: its {len(same)} prototypes that are rows are in the data, which have as many rows of each class"
        self.say("data", None, f"{words}; whether the others are those of the fit is not known, and what follows is of those given")
        self.say("slim", None, "held-out predictions, folds and prices of rows are not in the file, nor what they would prove")
        if given is not None and not isinstance(given, str):
            self.say("weights", None, "weights of single rows are not in the file, nor what depends on them")
        return given is None or isinstance(given, str)

    def validation(self, v: Any) -> None:
        """Errors of folds from held-out predictions; the curve and what is chosen from it."""
        y, of_fold, predicted, loss = self.y, v["of_fold"], v["predicted"], np.asarray(v["loss"], float)
        L, w, measure = self.classes, self.w, v["measure"]
        if measure == "balanced":
            w = w / np.bincount(y, w)[y] * w.sum() / L
        known = {"error": 1.0 - np.eye(L), "balanced": 1.0 - np.eye(L), "ordinal": np.abs(np.subtract.outer(np.arange(L), np.arange(L)))}
        of_row = np.column_stack([loss, loss.max(axis=1)])[y[None, :, None], predicted]
        fold_of = [(r, of_fold[r] == f) for r in range(len(of_fold)) for f in np.unique(of_fold[r])]
        weight = np.array([w[held].sum() for _, held in fold_of])
        errors = np.array([w[held] @ of_row[r, held] / max(w[held].sum(), 1e-300) for r, held in fold_of])
        repeat = np.array([r for r, _ in fold_of])
        error, se = _curve(errors, weight, repeat)
        size, c = v["sizes"].mean(axis=0), v["choice"]
        fine = close(loss, known.get(measure, loss)) and close(errors, v["errors"]) and close(weight, v["fold_weight"])
        fine = fine and close(error, c["error"]) and close(se, c["se"])
        problem = v["problem"]
        fine = fine and (type(problem["cv"]) is not int or all(row.max() + 1 == problem["cv"] for row in of_fold))
        fine = fine and (v.get("procedure") is None or v["procedure"]["repeats"] == len(of_fold))
        fine = fine and problem["call"]["arguments"].get("repeats", 1) == len(of_fold)
        fine = fine and (problem["cv"] != "loo" or problem["groups"] is not None or all(row.max() + 1 == len(row) for row in of_fold))
        groups = problem["groups"]
        fine = fine and (groups is None or all(len(set(zip(groups, row, strict=True))) == len(set(groups)) for row in of_fold))
        best = c["points"]["min"]
        words = f"{error[best]:.6g} +- {se[best]:.3g} at the best of {len(error)} grid points, from what {len(fold_of)} folds predict"
        contradiction = "the held-out predictions and folds give other errors than the stored ones"
        if not self.consistent("cross-validated error", fine, words, contradiction):
            return
        points = _choices(errors, weight, repeat, error, se, size, v["bounds"])
        contradiction = f"the curve gives {points}, and the file says {quoted(c['points'])}"
        fine = close(size, c["size"]) and points == c["points"]
        words = f"points of the grid by rule: {points}, from these errors and mean sizes {quoted(size.round(4))}"
        self.consistent("choice", fine, words, contradiction)
        if v["bounds"] is not None or v["covered"] is not None:
            self.say("folds", None, "bounds of the folds' rules and held-out classes by covering balls: these rules are not in the file")

    def dissimilarity(self, d: Any) -> None:
        """The space that rows and candidates lie in."""
        metric, frame, row, known = d["metric"], self.frame, d["candidate_row"], self.known
        columns, spec = frame["columns"]["columns"], metric["spec"]
        self.candidate_row, n = np.where(row >= 0, known[row], -1), len(self.y)
        names, candidates = self.names, d["candidate_names"]
        fine = len(row) == len(candidates) and all(j < 0 or names[j] == label for j, label in zip(row, candidates, strict=True))
        number = self.problem["candidates"]
        fine = fine and (metric["is"] == "TrainedGiven" or d["added"] is not None or bool((row >= 0).all()))
        fine = fine and (self.slim or not isinstance(number, int) or len(row) == min(number, n))
        fine = fine and len(set(map(str, candidates))) == len(row)
        plain = [t[0][0] for t in frame["formula"]["terms"] if len(t) == 1 and t[0][1] == "lookup"]
        whole = len(plain) == len(frame["formula"]["terms"]) and all(c in columns for c in plain)
        made, what = None, metric["is"]
        if what == "TrainedMinkowski":
            r = {"metric manhattan": 1.0, "metric chebyshev": math.inf}.get(spec["is"], float(spec.get("r", 2.0)))
            made, right = self.scaled(metric, columns) if whole and metric["columns"] == plain else (None, True)
            X = d["rows"][0]
            self.metric = r >= 1
            measure, error = minkowski(r), float(np.finfo(X.dtype).eps) * 8 * (X.shape[1] + 8) * (r if r < math.inf else 1.0)
        elif what == "TrainedGower" and not metric["ranked"]:
            own = [*metric["numbers"], *metric["categories"]]
            made, right = self.parts(metric, columns) if all(c in columns for c in own) else (None, True)
            skip = [c in _names(spec["asymmetric"]) for c in metric["categories"]]
            measure, error = gower(metric["weights"], skip), 2.0**-52 * 8 * (len(own) + 8)
        elif what == "TrainedGiven" and not self.slim:
            self.matrix(d, fine)
            return
        else:
            what = str(what).removeprefix("Trained")
            self.say("dissimilarity", None, f"{what!r} dissimilarities are not computed here, nor what depends on them")
            return
        if made is None:
            words = "are not in the file, nor what depends on them" if self.slim else "are taken from the file"
            self.say("dissimilarity", None, f"the formula transforms predictors: their coordinates {words}")
            if self.slim:
                return
            made = tuple(d["rows"])
            self.taken.append("dissimilarities")
        fine = fine and right and len(made) == len(d["rows"]) and all(_near(a[known], b) for a, b in zip(made, d["rows"], strict=True))
        fine = fine and all(_near(a[known[row[row >= 0]]], b[row >= 0]) for a, b in zip(made, d["candidates"], strict=True))
        self.rows_rep, self.space = made, Space(made, tuple(d["candidates"]), measure, error)
        words = f"coordinates of {n} rows and {len(row)} candidates are those of the data, scaled as stated"
        self.say("dissimilarity", fine, words if fine else "scales, coordinates or candidates are not those of the data")

    def scaled(self, metric: Any, columns: Any) -> tuple[Any, bool]:
        """Scaled columns, and whether the scales are those of the data."""
        spec, dtype = metric["spec"], np.dtype(str(np.asarray(metric["precision"])[()]))
        if any(isinstance(columns[c], dict) or columns[c].dtype.kind not in "iuf" for c in metric["columns"]):
            return None, True
        X = np.column_stack([columns[c] for c in metric["columns"]])
        exact = X.astype(float)
        spread = {False: np.ones(X.shape[1]), "range": np.ptp(exact, axis=0)}.get(spec["scale"], exact.std(axis=0, ddof=1))
        if spec["scale"] == "robust":
            spread = 1.4826 * np.median(np.abs(exact - np.median(exact, axis=0)), axis=0)
        spread = np.where((np.ptp(exact, axis=0) == 0) | (spread == 0), 1.0, spread)
        r = {"metric manhattan": 1.0, "metric chebyshev": math.inf}.get(spec["is"], float(spec.get("r", 2.0)))
        w = np.array([(spec["weights"] or {}).get(c, 1.0) for c in metric["columns"]])
        factor = w if r == math.inf else w ** (1 / r)
        right = close(spread / metric["spread"], np.ones(len(spread))) and close(factor, metric["factor"])
        return (np.ascontiguousarray(X / metric["spread"] * metric["factor"], dtype),), right

    def parts(self, metric: Any, columns: Any) -> tuple[Any, bool]:
        """Numbers by their ranges and codes of categories, and whether ranges and weights are those of the data."""
        spec, numbers, categories = metric["spec"], metric["numbers"], metric["categories"]
        values = np.column_stack([_floats(columns[c]) for c in numbers]) if numbers else np.empty((len(self.y), 0))
        values = np.where([c in _names(spec["logratio"]) for c in numbers], np.log10(np.maximum(values, 1e-300)), values)
        ranges = np.array([np.nanmax(v) - np.nanmin(v) for v in values.T])
        w = np.array([float((spec["weights"] or {}).get(c, 1.0)) for c in [*numbers, *categories]])
        right = close(np.where(ranges > 0, ranges, 1.0), metric["ranges"]) and close(w / w.max(), metric["weights"])
        schema = self.frame["schema"]
        codes = np.column_stack([_leveled(columns[c], schema[c])["codes"] for c in categories] or [np.empty((len(self.y), 0), int)])
        return (values / metric["ranges"] * metric["weights"][: len(numbers)], codes), right

    def matrix(self, d: Any, fine: bool) -> None:
        """A given matrix: that of the user, where it is given again."""
        metric, values, at, call = d["metric"], d["rows"][0], d["candidates"][0], self.problem["call"]["arguments"].get("dissimilarity")
        rows, columns = ({label: i for i, label in enumerate(_plain(metric[side]))} for side in ("row_names", "column_names"))
        names = self.frame["columns"]["rows"]
        fine = fine and all(one in rows for one in names) and [columns.get(one) for one in d["candidate_names"]] == list(at)
        fine = fine and close(metric["values"][[rows[one] for one in names if one in rows]], values)
        if isinstance(call, dict) and "columns" in call:
            fine = fine and close(np.column_stack(list(call["columns"].values())), metric["values"]) and call["rows"] == list(rows)
        if self.given is None and fine:
            self.say("dissimilarity", None, "the matrix is taken from the file: give it again to compare")
            self.taken.append("dissimilarities")
        else:
            fine = fine and (self.given is None or close(np.asarray(self.given, float), metric["values"]))
            n, m = values.shape
            self.say("dissimilarity", fine, f"the {n} x {m} matrix is {'' if fine else 'not '}the one that is given")
        self.rows_rep = None
        self.space = Space((values,), (at,), lambda rows, points: rows[0][:, points[0]], 0.0)

    def rule(self, rule: Any) -> None:
        if self.space is None:
            return
        checks = {"Greedy": self.cover, "Nearest": self.cover, "OwnGreedy": self.cover, "OwnNearest": self.cover, "SCMRule": self.machines}
        chosen = self.chosen()
        same = all(_alike(rule[k], chosen[k]) for k in rule if k in chosen and k != "is")
        if not same or rule.get("classes", self.classes) != self.classes:
            self.say("rule", False, "its parameters or classes are not those of the fit")
            return
        if rule["is"] not in checks or ("objective" not in rule["report"] and rule["is"] != "SCMRule"):
            kind, method = rule["is"], str(self.problem["model"]["is"]).removeprefix("method ")
            self.say("rule", None, f"{kind!r} of {method!r} states no objective that can be recomputed")
            return
        checks[rule["is"]](rule)

    def cover(self, rule: Any) -> None:
        """A cover by balls: objective, what each ball covers, the bound, and training predictions."""
        p, report, y, w = rule["prototypes"], rule["report"], self.y, self.w
        goal, own_radii, model = report["objective"], rule["is"].startswith("Own"), self.problem["model"]
        values, classes, radii = self.chosen(), p["classes"], p["radii"]
        most = report["largest radius eps" if own_radii else "radius eps"]
        closed, levels = model["balls"] == "closed", np.array([most])
        if own_radii:
            levels = most * (np.arange(1, 25) / 24)
            levels = np.nextafter(levels, np.inf) if closed else levels
        D = self.space.between(p["at"])
        inside, near = self.space.inside(D, radii)
        own, slack = y[:, None] == classes, float((w[:, None] * near).sum())
        held = (inside & own).any(axis=1)
        covers = np.bincount((inside & own).argmax(axis=1)[held], w[held], len(classes)) if len(classes) else np.empty(0)
        wrong = (w[:, None] * (inside & ~own)).sum(axis=0)
        lambda_ = values.get("lambda_")
        lambda_ = w.mean() / len(w) if lambda_ is None else lambda_
        eps = values.get("eps", most)
        sums = [goal["uncovered"], goal["miscovered"], *p["table"]["covers"], *p["table"]["miscovers"]]
        computed = [w[~held].sum(), wrong.sum(), *covers, *wrong]
        fine = goal["prototypes"] == len(classes) and close(goal["lambda_"], report["cost lambda"])
        fine = fine and (not isinstance(lambda_, (int, float)) or close(lambda_, goal["lambda_"]))
        fine = fine and bool(np.isin(radii, levels).all()) and (isinstance(eps, (list, dict)) or close(eps, most))
        fine = fine and rule["classes"] == self.classes and rule["fallback"] == int(np.bincount(y, w, self.classes).argmax())
        fine = fine and close(p["table"].get("radius", radii), radii)
        total = goal["uncovered"] + goal["miscovered"] + goal["lambda_"] * goal["prototypes"]
        words = f"{total:.9g} = {goal['uncovered']:g} uncovered + {goal['miscovered']:g} miscovered"
        words += f" + {goal['lambda_']:.6g} x {goal['prototypes']}"
        if near.any():
            words += f" ({int(near.sum())} distances are within rounding of the radius)"
        self.agree("objective", fine, sums, computed, slack, words)
        if report.get("certificate") is not None:
            of_class = np.bincount(y[~held], w[~held], self.classes) + np.bincount(classes, wrong + goal["lambda_"], self.classes)
            self.certificate(report["certificate"], of_class, levels if own_radii else np.array([most]), goal["lambda_"], slack)
        if len(classes):
            share = D / radii if own_radii else D
            predicted = np.array([min(range(len(classes)), key=lambda j: (row[j], classes[j], p["at"][j])) for row in share])
            errors = w[classes[predicted] != y].sum() / w.sum()
            self.say("training predictions", True, f"recomputed: error {errors:.6g} by the nearest of {len(classes)} prototypes")
            if self.metric and not own_radii:
                self.margins(D, classes)
            message = len(classes) * math.log(24) if own_radii else 0.0
            wrong_rows, what = int((classes[predicted] != y).sum()), "the prototypes, if they are rows of their own class"
            self.compression(len(y), len(classes), 0, wrong_rows, what, 0.05, message)

    def margins(self, D: Any, classes: Any) -> None:
        """How far each row can move without changing its class, by the triangle inequality: half of how much nearer that class is."""
        nearest = np.stack([D[:, classes == c].min(axis=1, initial=math.inf) for c in range(self.classes)])
        first, second = np.sort(nearest, axis=0)[:2]
        margin = (second - first) / 2
        words = f"{np.median(margin):.6g} is their median and {margin.min():.6g} the least"
        self.say("certified margins", True, f"recomputed: {words}; a row that moves by less keeps its predicted class")

    def agree(self, about: str, fine: bool, stated: Any, computed: Any, slack: Any, words: str) -> None:
        """Numbers that hold; or, where they differ by no more than rounding at a radius explains, are open."""
        if not fine or not close(stated, computed, slack):
            self.say(about, False, f"not as stated ({words})")
        elif close(stated, computed):
            self.say(about, True, words)
        else:
            self.say(about, None, f"{words}: what is stated differs from what is computed here, by no more than these distances explain")

    def certificate(self, c: Any, objective: Any, radii: Any, lambda_: float, slack: float) -> None:
        """The lower bound of each class, from prices that are feasible for every candidate."""
        if c["sampled"] is not None:
            self.certificate(c["sampled"], objective, radii, lambda_, slack)
        prices, stored, step = c["prices"], c["bound"], _step(self.w, lambda_)
        points = self.space.points
        if c["sampled"] is not None:
            points = self.rows_rep if "rows" in c["over"] else None
        elif (self.candidate_row < 0).any():
            points = None
        if prices is None or points is None:
            fine = close(objective, c["objective"], slack) and bool((stored <= objective + slack + TOLERANCE).all())
            words = "the file has no prices, or candidates that are no rows" if fine else "above the objective, or not of this one"
            self.say("lower bound", None if fine else False, f"{stored.sum():.9g}: {words}")
            return
        if not ((prices >= 0) & (prices <= self.w * (1 + TOLERANCE))).all():
            self.say("lower bound", False, "a price is negative or above the weight of its row")
            return
        space = Space(self.space.rows, points, self.space.measure, self.space.error)
        low, bound, high = (np.minimum(objective, _round_up(b, step)) for b in self.dual(space, prices, radii, lambda_))
        off = TOLERANCE * np.maximum(1.0, np.abs(stored))
        by_solver = np.array([p == "MIP" for p in c["proof"]]) & (stored > high + off)
        steps = np.abs(stored - np.round(stored / max(step, 1e-300)) * step)
        fine = by_solver & (stored <= objective + off) & ((stored >= objective - off) | (steps <= off) | (step == 0))
        over = "candidates" if c["sampled"] is None else "rows as candidates"
        words = f"{bound.sum():.9g} by prices that are feasible for all {len(points[0])} {over}"
        words += f"; so the cover is at most {100 * max(objective.sum() / max(bound.sum(), 1e-300) - 1, 0):.3g} % above the optimum"
        if (high > low).any() and len(radii) == 1:
            words += f" (at least {low.sum():.9g} whichever way distances near the radius fall)"
        computed, far = np.where(fine, stored, bound), np.where(fine, 0.0, np.maximum(bound - low, high - bound))
        stated, slacks = np.concatenate([stored, c["objective"]]), np.concatenate([far, np.full(len(stored), slack)])
        self.agree("lower bound", True, stated, np.concatenate([computed, objective]), slacks, words)
        if fine.any():
            self.say("optimality", None, f"lower bound {stored.sum():.9g} claimed by the solver's branch and bound")

    def dual(self, space: Space, prices: Any, radii: Any, lambda_: float) -> Any:
        """For each class sum y + sum_j min(0, C_j - S_j), (3, classes): with distances near a radius against the bound, as they are
        computed, and for it. Where a candidate has several radii, the first sums over all of them, and the others take the least:
        an optimal cover has one ball around a candidate at most."""
        L, y, w = self.classes, self.y, self.w
        one = np.eye(L)[y].T
        out = np.stack([one @ prices] * 3)
        for at, D in space.blocks(len(space.points[0])):
            least = np.zeros((3, L, D.shape[1]))
            for radius in radii:
                inside, near = space.inside(D, radius)
                sure, maybe, plain = (a.astype(float) for a in (inside & ~near, inside | near, inside))
                for k, (paid, lost) in enumerate([(maybe, sure), (plain, plain), (sure, maybe)] if near.any() else [(plain, plain)]):
                    miscovered = (w @ lost)[None, :] - (one * w) @ lost
                    broken = np.minimum(0.0, lambda_ + miscovered - (one * prices) @ paid)
                    for i in (k,) if near.any() else range(3):
                        least[i] = least[i] + broken if i == 0 else np.minimum(least[i], broken)
            if self.problem["candidates"] == "own":  # each stands for its own class alone
                least = np.where(np.arange(L)[:, None] == y[at], least, 0.0)
            out += least.sum(axis=2)
        return out

    def machines(self, rule: Any) -> None:
        """Set covering machines: the counts that their compression bounds are made of."""
        p, y = rule["prototypes"], self.y
        if not (self.w == 1).all() or any((one["machine"]["kind"] > 1).any() for one in rule["machines"]):
            self.say("machines", None, "rows have weights, or features are thresholds on columns")
            return
        D, used, report, chosen = self.space.between(p["at"]), 0, rule["report"], self.chosen()
        features = sum(len(one["machine"]["at"]) for one in rule["machines"])
        same = {"penalty p": chosen.get("penalty"), "stop at": chosen.get("stop"), "features": features}
        stated = all(_alike(report[name], value) for name, value in same.items() if name in report and not isinstance(value, (str, list)))
        for number, one in enumerate(rule["machines"]):
            m, positive = one["machine"], y == one["positive"]
            negative = y != one["positive"] if one["negative"] < 0 else y == one["negative"]
            N, P = (negative, positive) if one["conjunction"] else (positive, negative)
            fine, slack, fired = stated and m["in_n"] == N.sum() and m["in_p"] == P.sum(), 0, np.zeros(len(y), bool)
            used += len(m["at"])
            for kind, at, cut, q, r in zip(m["kind"], m["at"], m["cut"], m["q"], m["r"], strict=True):
                near = self.space.inside(D[:, at], cut)[1] & (N | P)
                hit = (D[:, at] > cut if kind == 0 else D[:, at] < cut) & ~fired
                slack += int(near.sum())
                fine = fine and abs(int((hit & N).sum()) - q) <= slack and abs(int((hit & P).sum()) - r) <= slack
                fine = fine and close(p["radii"][at], cut) and close(p["table"]["radius"][at], cut)
                fine = fine and p["table"]["q"][at] == q and p["table"]["r"][at] == r and (cut == math.inf or bool(near.any()))
                fine = fine and p["table"].get("machine", [number + 1] * len(p["at"]))[at] == number + 1
                fired |= hit
            errors = int(m["in_n"] + m["r"].sum() - m["q"].sum())
            own = self.candidate_row[p["at"]]
            fine = fine and bool((y[own] == p["classes"]).all()) and used <= len(p["at"])
            words = f"class {one['positive']}: {len(m['at'])} features, {errors} training errors of {m['in_n'] + m['in_p']}"
            words += ("" if fine else ": the rows give other counts") + (f" ({slack} distances within rounding)" if slack else "")
            self.say("machine", fine, words)
            kinds = self.root["selection"]["grid"]["columns"].get("kind") if "selection" in self.root else None
            delta = 0.05 / len(rule["machines"]) / (1 if kinds is None else len(set(_listed(kinds))))
            size, on_p = len(m["at"]), int((m["kind"] == 0).sum())
            self.compression(m["in_n"] + m["in_p"], 2 * size, on_p, errors, "the machine", delta)

    def compression(self, n: int, d2: int, d1: int, k: int, what: str, delta: float, message: float = 0.0) -> None:
        """Theorem 5.1 of Marchand and Shawe-Taylor (2001), the first inequality."""
        left = n - d2 - k
        bound = 1.0
        if left > 0:
            log = _choose(n, d2) + _choose(d2, d1) + _choose(n - d2, k) + 2 * math.log(n) + math.log(max(d2, 1)) - math.log(delta) + message
            bound = min(1.0, -math.expm1(-log / left))
        words = f"{bound:.6g} at delta {delta:.3g}, from {n} rows, {d2} in the compression set and {k} errors"
        self.say("compression bound", True, f"{words}, for {what}")

    def calibration(self, c: Any) -> None:
        """Rows that new ones are ranked against, and how many of them their own sets hold."""
        known, scores = c["conformal"], np.asarray(c["scores"], float)
        y, w, s = known["y"], known["w"], known["strangeness"]
        top = np.sort(scores, axis=1)[:, -2:]
        strange = np.where(scores == top[:, 1:], top[:, :1], top[:, 1:]) - scores
        fine = known["classes"] == self.classes and bool(((known["fold"] >= 0) & (known["fold"] < len(c["rules"]))).all())
        fine = fine and close(strange[np.arange(len(y)), y], s) and close(np.bincount(y, w, self.classes) / w.sum(), c["share"])
        if c["own_rows"]:
            live, factors = self.w > 0, self.problem.get("class_factors")
            own = self.w if factors is None else self.w / np.asarray(factors)[self.y]
            fine = fine and (live.sum() != len(y) or (bool((self.y[live] == y).all()) and close(own[live], w)))
        p = np.array([w[(y == a) & (s >= b)].sum() / w[y == a].sum() for a, b in zip(y, s, strict=True)])
        words = f"sets of level 0.9 hold {100 * w[p > 0.1].sum() / w.sum():.4g} % of the {len(y)} calibration rows"
        self.consistent("set coverage", fine, words, "scores, strangeness and shares of the calibration rows do not agree")
        self.say("calibration", None, "the scores of held-out rows and the chances learned from them")

    def chosen(self) -> dict[str, Any]:
        return {**self.problem["model"], **self.root.get("selection", {}).get("values", {})}

    def selection(self, s: Any) -> None:
        """The parameters are those of the grid point that the rule chooses."""
        v, point = self.root.get("validation"), s["point"]
        grid = {name: _listed(c) for name, c in s["grid"]["columns"].items()}
        fine = point is None or all(_alike(grid[name][point], s["values"].get(name)) for name in grid)
        if v is not None and s["rule"] in v["choice"]["points"]:
            fine = fine and point == v["choice"]["points"][s["rule"]]
        if v is not None:
            fine = fine and {n: _listed(c) for n, c in v["grid"]["columns"].items()} == grid
        for name, values in grid.items():
            known = self.problem["model"].get(name)
            both = ((known, values), (values, known)) if isinstance(known, list) else ()
            fine = fine and all(any(_alike(a, b) for b in others) for some, others in both for a in some)
        points = list(zip(*grid.values(), strict=True))
        fine = fine and len({str(one) for one in points}) == len(s["grid"]["rows"])
        model, call = self.problem["model"], self.problem["call"]["arguments"]
        fine = fine and all(_alike(model[name], call[name]) for name in model if name in call and name != "is")
        fine = fine and call["seed"] == self.problem["seed"] and s["grid"]["rows"] == list(range(len(s["grid"]["rows"])))
        asked = self.problem["candidates"]
        fine = fine and (call.get("candidates") in ("auto", asked) or not isinstance(asked, (int, str)))
        fine = fine and (type(call.get("cv")) is not int or self.problem["cv"] == call["cv"])
        fine = fine and (v is None or v["grid"]["rows"] == s["grid"]["rows"])
        words = (quoted(s["values"]) if s["values"] else "no parameter was tuned") + (f" by {s['rule']!r}" if s["rule"] else "")
        self.consistent("selection", fine, words, f"{words}: not the grid point that the rule chooses, or not that of the call")


def _curve(errors: Any, weight: Any, repeat: Any) -> tuple[Any, Any]:
    """Mean over repeats of weighted means over folds, and the root mean square of their standard errors."""
    means, ses = [], []
    for r in range(repeat.max() + 1):
        e, share = errors[repeat == r], weight[repeat == r] / weight[repeat == r].sum()
        means.append(share @ e)
        ses.append(np.sqrt(share @ (e - means[-1]) ** 2 / (len(e) - 1)) if len(e) > 1 else np.full(e.shape[1], np.nan))
    return np.mean(means, axis=0), np.sqrt(np.mean(np.square(ses), axis=0))


def _choices(errors: Any, weight: Any, repeat: Any, error: Any, se: Any, size: Any, bounds: Any) -> dict[str, int]:
    """The grid point that each rule chooses (*The Elements of Statistical Learning*, section 7.10)."""

    def least(at: Any, first: Any, second: Any) -> int:
        return int(at[np.lexsort((at, second[at], first[at]))[0]])

    rounded = error.round(12)
    best = least(np.arange(len(error)), rounded, size)
    points = {"1se": best, "1se-paired": best, "min": best}
    if np.isfinite(se[best]):
        excess, paired = _curve(errors - errors[:, [best]], weight, repeat)
        points["1se"] = least(np.flatnonzero(rounded <= (error[best] + se[best]).round(12)), size, rounded)
        points["1se-paired"] = least(np.flatnonzero(excess.round(12) <= paired.round(12)), size, rounded)
    if bounds is not None:
        points["bound"] = least(np.arange(len(error)), bounds.mean(axis=0).round(12), size)
    return points


def _plain(names: Any) -> list[Any]:
    return names.tolist() if isinstance(names, np.ndarray) else list(names)


def _near(a: Any, b: Any) -> bool:
    a, b = np.asarray(a, float), np.asarray(b, float)
    off = SAME if b.dtype == float else 1e-6
    return a.shape == b.shape and bool(((np.abs(a - b) <= off * np.maximum(1.0, np.abs(b))) | (np.isnan(a) & np.isnan(b))).all())


def _alike(a: Any, b: Any) -> bool:
    """Whether a value is the one that is stated, as far as the two can be compared."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, (int, float, np.number)) and isinstance(b, (int, float, np.number)):
        return close(a, b)
    return a is b or isinstance(a, (dict, np.ndarray)) or isinstance(b, (dict, np.ndarray)) or bool(a == b) or b is None


def _names(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _floats(column: Any) -> Any:
    if isinstance(column, dict):
        codes = np.asarray(column["codes"], float)
        return np.where(codes < 0, np.nan, codes)
    return np.array([np.nan if _missing(v) else float(v) for v in column.tolist()])


def _choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _step(w: Any, lambda_: float) -> float:
    """The number of which objectives are whole multiples, if weights and lambda are fractions; 0 if not."""
    parts = [Fraction(float(v)).limit_denominator(10_000) for v in np.unique(w)[:10_000]]
    common = math.lcm(*(p.denominator for p in parts))
    if common > 10_000 or max(abs(float(p) - v) for p, v in zip(parts, np.unique(w), strict=False)) > 1e-12 * w.max():
        return 0.0
    cost = lambda_ * common
    part = Fraction(cost).limit_denominator(100_000)
    return 1 / (part.denominator * common) if abs(float(part) - cost) <= 1e-12 * max(1.0, cost) else 0.0


def _round_up(bound: Any, step: float) -> Any:
    return bound if step == 0 else np.ceil((bound - TOLERANCE * np.maximum(1.0, np.abs(bound))) / step) * step


def verify(path: Any, data: Any, dissimilarity: Any = None) -> Verification:
    """Check what a saved fit claims against its data.

    Parameters
    ----------
    path : str or path
        What `Fit.save` or `Validation.save` has written.
    data : str, path or DataFrame
        A CSV file with a header, or a table: the rows of the fit in their order.
    dissimilarity : array or DataFrame, optional
        The matrix, of fits on a given one.

    Returns
    -------
    Verification
        True if all that was checked holds; it prints each claim with its numbers. A file or data that can't be read are
        claims that do not hold. Of a slim fit it is never true: what the prototypes do on the rows that are given is recomputed, and
        that these are the rows of the fit can't be known.

    Examples
    --------
    >>> import os, tempfile
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pc.fit("species ~ .", iris, eps=1.0, solver="exact").save(os.path.join(folder, "iris.proto"))
    ...     bool(pc.verify(file, iris)), bool(pc.verify(file, iris.assign(petal_width=1.0)))
    (True, False)
    """
    name = str(getattr(path, "path", path))
    try:
        file = File(name)
    except Refused as reason:
        return Verification(name, (Claim("file", False, str(reason)),))
    try:
        table = _table(data)
    except (Refused, OSError, ValueError) as reason:
        return Verification(name, (Claim("data", False, f"they can't be read: {reason}"),))
    verifier = Verifier(file, table, dissimilarity)
    try:
        with np.errstate(all="ignore"):
            verifier.run()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError) as reason:
        verifier.say("file", False, f"its parts do not fit together: {type(reason).__name__}: {reason}")
    return Verification(name, tuple(verifier.claims))


def main(words: list[str]) -> int:
    """Print what was checked; 0 if all holds, 1 if not, 2 for wrong arguments."""
    if len(words) not in (2, 3) or words[0].startswith("-"):
        print("usage: verify FIT DATA.csv [MATRIX.csv]: check what a saved fit claims against its data", file=sys.stderr)
        return 2
    matrix = None
    if len(words) == 3:
        matrix = [[_number(v) for v in row] for row in zip(*list(_table(words[2]).values())[1:], strict=True)]
    result = verify(words[0], words[1], matrix)
    print(result)
    return 0 if result else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
