"""Checks the claims of a saved fit against its data, by arithmetic: `python verifier.py iris.proto data.csv`.

This file needs Python and NumPy and imports nothing of the package, so it can be copied, read and run alone. It parses the
file itself (see `protoclass.export.saving` for the format) and computes dissimilarities itself (Minkowski and Gower by the
scales, weights and maps in the file, given matrices as they are). From these it computes the objective, the rows in each ball, the lower
bound proved by the dual prices, the cost of median GLVQ, and the predictions of training rows. All else in the file is listed "as
stated": only its writer knows if it is true.

Numbers agree if they differ by at most 1e-9 of the larger, which is far above rounding in sums of fewer than 10^6 rows. For a
row so close to the surface of a ball that rounding decides, both results are accepted, and sums may differ by its weight. Texts of the
file are quoted, with their control characters escaped.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
import re
import reprlib
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

VERSION, DOCUMENT = 2, "content.json"  # of the format
TOLERANCE = 1e-9  # relative difference up to which numbers agree
BLOCK = 2**22  # dissimilarities that are computed at a time
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
STATED = {
    "formula": ("formula", "text"), "method": ("problem", "model"), "metric": ("problem", "metric"), "call": ("problem", "call"),
    "candidates": ("problem", "candidates"), "cv": ("problem", "cv"), "groups": ("problem", "groups"), "seed": ("problem", "seed"),
    "order": ("problem", "order"), "notes": ("frame", "notes"), "report": ("rule", "report"), "rule of choice": ("selection", "rule"),
    "selection": ("selection", "values"), "earlier choices": ("selection", "earlier"), "cross-validated error": ("validation", "choice"),
    "measure": ("validation", "measure"), "loss": ("validation", "loss"), "sizes": ("validation", "sizes"),
    "errors of folds": ("validation", "errors"), "calibration": ("calibration", "reasons"), "chances": ("calibration", "chances"),
}  # fmt: skip
SMALL = 2**12  # bytes that any entry may have
ARRAY_RATIO, TEXT_RATIO = 50, 20  # times that an entry may be larger than it is compressed; values of JSON take far more than its text
LABEL = 4  # bytes of a file for each label that it counts and does not write: a row has a weight and a class of 8 bytes each
FEW_LABELS = 2**16  # which any file may count
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][biufmMU][0-9]{1,9}(?:\[\w{1,9}\])?)', 'fortran_order': (True|False), "
    rb"'shape': \(([0-9, ]{0,200})\), \} *\n",
    re.DOTALL,
)  # types of numpy.save for booleans, numbers, dates and texts of a fixed length, least byte first
HIGHEST, SURROGATES = 0x10FFFF, (0xD800, 0xDFFF)  # the last character of a text, and those that are none
BROKEN = (zipfile.BadZipFile, OSError, EOFError, ValueError, LookupError, TypeError, RuntimeError, AttributeError, ArithmeticError,
          MemoryError, zlib.error)  # fmt: skip


@dataclass(frozen=True)
class Claim:
    """A claim, whether it is true (None: not recomputed, as the file states it), and the numbers."""

    about: str
    holds: bool | None
    words: str

    def __str__(self) -> str:
        """One line of any text in the file, with unprintable characters escaped."""
        line = f"{ {True: 'holds', False: 'FALSE', None: 'as stated'}[self.holds]:12}{self.about}: {self.words}"
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


@dataclass(frozen=True, eq=False)
class Verification:
    """Result of checking a saved file; true if the data are those of the fit and no claim is false.

    A true verification does not cover the claims in `unchecked`, which are printed "as stated".

    Attributes
    ----------
    path : str
        Path of the file.
    claims : tuple of Claim
        Claims of the file, with their checks.
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
        counts = f"{hold} claims are true, {len(self.false)} are false, {len(self.unchecked)} are as stated, not recomputed"
        return "\n".join([f"{self.path!r}: {counts}", *(f"  {c}" for c in self.claims)])


class Quoting(reprlib.Repr):
    """Values of the file as a verdict quotes them: in one line, and only the first ones."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother = 4, 400, 80
        self.maxdict = self.maxlist = self.maxtuple = 30

    def repr_ndarray(self, x: Any, level: int) -> str:
        return self.repr1(x.tolist(), level) if x.ndim < 2 or x.size <= self.maxlist else " x ".join(map(str, x.shape)) + " numbers"


quoted = Quoting().repr


def most_bytes(name: str, compressed: int) -> int:
    """Bytes that an entry with this many in the file may have."""
    return SMALL + (TEXT_RATIO if name == DOCUMENT else ARRAY_RATIO) * compressed


def array_of(data: bytes | bytearray, most: int) -> Any:
    """The array of an npy file, over the memory of its bytes; no side has more than `most` entries.

    A ValueError describes the problem, as in "has another header".
    """
    found = HEADER.match(data)
    if found is None:
        raise ValueError("has another header than arrays of numbers, dates and texts have")
    dtype, shape, start = np.dtype(found[1].decode()), tuple(int(side) for side in found[3].split(b",") if side.strip()), found.end()
    if math.prod(shape) * dtype.itemsize != len(data) - start or max(shape, default=0) > most:
        raise ValueError(f"would have the shape {reprlib.repr(shape)} of {dtype}, and has {len(data) - start:,} bytes")
    array = np.frombuffer(data, dtype, offset=start) if len(data) > start else np.empty(shape, dtype)
    if dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise ValueError("contains a value that is neither true nor false")
    letters = array.view("<u4") if dtype.kind == "U" and array.size else np.zeros(1)
    if letters.max() > HIGHEST or ((letters >= SURROGATES[0]) & (letters <= SURROGATES[1])).any():
        raise ValueError("contains a value that is not a text")
    return array.reshape(shape, order="F" if found[2] == b"True" else "C").astype(dtype.newbyteorder("="), copy=False)


class File:
    """A saved file: `root` is the saved object as a dict with its class as "is" next to its fields."""

    def __init__(self, path: str) -> None:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            large = [e for e in entries if e.file_size > most_bytes(e.filename, e.compress_size) or e.compress_type not in METHODS]
            if large or sum(e.compress_size for e in entries) > os.path.getsize(path) or len(set(archive.namelist())) < len(entries):
                raise ValueError("an entry is duplicate, or larger than its compressed data allow")
            parts, known = {e.filename: archive.read(e) for e in entries}, archive.comment
        self.size = sum(map(len, parts.values()))
        self.counted = FEW_LABELS + self.size // LABEL  # labels that may still be counted
        document = parts.pop(DOCUMENT)
        content = json.loads(document)
        data = [parts[f"arrays/{k}.npy"] for k in range(len(parts))]
        sums = [hashlib.sha256(array).hexdigest() for array in data]
        if content["format"] != "protoclass" or content["version"] != VERSION:
            raise ValueError("it is of another format or version")
        if content["arrays"] != sums or hashlib.sha256(document).hexdigest().encode() != known:
            raise ValueError("its document or its arrays do not match their checksums")
        self.arrays, self.objects = [array_of(array, self.size) for array in data], list[Any]()
        for kind, fields in content["objects"]:
            self.objects.append({"is": kind, **{name: self.value(v) for name, v in fields.items()}})
        self.root = self.objects[content["root"]]

    def value(self, v: Any) -> Any:
        """A value: categories are dicts of codes and levels, tables dicts of rows and columns, labels and texts lists."""
        if not isinstance(v, dict):
            return [self.value(part) for part in v] if isinstance(v, list) else v
        tag: str
        inner: Any
        ((tag, inner),) = v.items()
        if tag in ("array", "object"):
            return (self.arrays if tag == "array" else self.objects)[inner]
        if tag == "range":
            counted = range(*inner)
            if counted[self.counted :]:
                raise ValueError("a range has more entries than the file has bytes to count")
            self.counted -= len(counted)
            return list(counted)
        parts = self.value(inner)
        match tag, parts:
            case "tuple", _:
                return parts
            case ("float" | "scalar"), [known]:
                return float(known) if tag == "float" else known.item()
            case "mapping", _:
                return {tuple(k) if isinstance(k, list) else k: known for k, known in parts}
            case "table", [rows, names, columns]:
                return {"rows": rows, "columns": dict(zip(map(str, names), columns, strict=True))}
            case "frame of", [_, table]:
                return table
            case "labels", [levels, _]:
                return levels[0] if len(levels) == 1 else list(zip(*levels, strict=True))
            case "category", [held, levels, _]:
                return {"codes": held, "levels": levels}
            case "masked", [_, known, gone]:
                return [None if lacks else entry for entry, lacks in zip(known.tolist(), gone, strict=True)]
            case "texts", [_, values]:
                return values
            case "objects", [values, shape] if math.prod(shape) == len(values):
                return values
        return (tag, str(inner))  # dates and similar values, which no claim uses


def table_of(data: Any) -> dict[str, list[Any]]:
    """Columns of a CSV file, or of anything with `columns`."""
    if not isinstance(data, (str, bytes)) and hasattr(data, "columns"):
        return {str(c): list(data[c]) for c in data.columns}
    with open(data, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    if not rows or any(len(r) != len(rows[0]) for r in rows):
        raise ValueError("it has no header, or lines of different lengths")
    return dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))


def none(v: Any) -> bool:
    """Whether a value is missing; a text is a value, whatever its content."""
    return v is None or (not isinstance(v, str) and str(v) in ("nan", "<NA>", "NaT"))


def missing(v: Any) -> bool:
    """Whether a value of the data is missing, or a text for a missing value in CSV files."""
    return none(v) or str(v) in ("", "NA", "nan", "NaN", "<NA>", "NaT")


def number(v: Any) -> float:
    try:
        return math.nan if missing(v) else float(v)
    except (TypeError, ValueError):
        return {"True": 1.0, "False": 0.0}.get(str(v), math.inf)


def codes(values: list[Any], levels: Any) -> Any:
    """The position of each value among levels: -1 if it is missing, and -2 if it is not a level."""
    place = {str(level): k for k, level in enumerate(levels)}
    return np.array([-1 if none(v) else place.get(str(v), -1 if missing(v) else -2) for v in values], int)


def same(stored: Any, given: list[Any]) -> bool:
    """Whether a column of the data is the stored one."""
    if isinstance(stored, dict):
        return np.array_equal(codes(given, stored["levels"]), stored["codes"])
    if isinstance(stored, np.ndarray) and stored.dtype.kind in "iuf":
        made = np.array(list(map(number, given))).astype(stored.dtype if stored.dtype.kind == "f" else float)
        return np.array_equal(made, stored.astype(made.dtype), equal_nan=True)
    return len(stored) == len(given) and all(
        missing(b) if none(a) else not none(b) and (str(a) == str(b) or (not isinstance(a, str) and number(a) == number(b)))
        for a, b in zip(stored, given, strict=True)
    )


def listed(names: Any) -> list[Any]:
    return [names] if isinstance(names, str) else list(names)


def close(a: Any, b: Any, slack: Any = 0.0, share: float = TOLERANCE) -> bool:
    """Whether numbers agree, up to a relative difference and an additional absolute one."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    most = slack + share * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
    return a.shape == b.shape and bool(((a == b) | (np.abs(a - b) <= most) | (np.isnan(a) & np.isnan(b))).all())


def near(a: Any, b: Any) -> bool:
    """Whether coordinates are the stored ones."""
    return close(a, b, share=1e-6 if b.dtype == np.float32 else 1e-11)


@dataclass(frozen=True)
class Space:
    """Dissimilarities of the rows to points, and the relative error bound of each."""

    rows: Any
    points: Any
    measure: Callable[[Any, Any], Any]
    error: float

    def between(self, at: Any) -> Any:
        """(n, len(at))"""
        return self.measure(self.rows, tuple(a[at] for a in self.points))

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        step, m = max(1, BLOCK // max(1, len(self.rows[0]))), len(self.points[0])
        yield from ((at, self.between(at)) for at in (np.arange(k, min(k + step, m)) for k in range(0, m, step)))

    def edge(self, D: Any, radii: Any) -> Any:
        """Whether rows are so near to the surface of a ball that rounding may decide."""
        return np.abs(D - radii) <= self.error * np.abs(radii) + 1e-300


def minkowski(metric: Any, data: dict[str, list[Any]], dtype: Any) -> tuple[Any, Callable[[Any, Any], Any], float]:
    """Scaled columns, the function for distances, and their relative rounding error."""
    spec, columns = metric["spec"], list(metric["columns"])
    r = {"metric manhattan": 1.0, "metric chebyshev": math.inf}.get(spec["is"], float(spec.get("r", 2.0)))

    def measure(rows: Any, points: Any) -> Any:
        apart = (np.abs(x[:, None] - z) for x, z in zip(rows[0].T, points[0].T, strict=True))
        return reduce(np.maximum, apart) if r == math.inf else sum(a**r for a in apart) ** (1 / r)

    exact = np.array([list(map(number, data[c])) for c in columns], dtype).T
    made = (np.ascontiguousarray(exact / metric["spread"] * metric["factor"], dtype),)
    return made, measure, float(np.finfo(dtype).eps) * 8 * (len(columns) + 8) * (r if r < math.inf else 1.0)


def gower(metric: Any, data: dict[str, list[Any]], schema: Any) -> tuple[Any, Callable[[Any, Any], Any], float]:
    """Numbers divided by their ranges, and codes of categories; the function for distances, and their relative rounding error."""
    spec, numbers, categories = metric["spec"], list(metric["numbers"]), list(metric["categories"])
    p, n = len(numbers), len(next(iter(data.values())))
    values, coded = np.empty((n, p)), np.empty((n, len(categories)))
    for k, c in enumerate(numbers):
        place = codes(data[c], schema[c]["levels"]).astype(float)  # of an ordered category
        column = np.where(place < 0, np.nan, place) if schema[c]["levels"] else np.array(list(map(number, data[c])))
        values[:, k] = np.log10(np.maximum(column, 1e-300)) if c in listed(spec["logratio"]) else column
    for k, c in enumerate(categories):
        coded[:, k] = codes(data[c], schema[c]["levels"] or [False, True])
    coded[coded < 0] = np.nan

    def measure(rows: Any, points: Any) -> Any:
        total, weight = np.zeros((2, len(rows[0]), len(points[0])))
        for c, a, b, w in zip([*numbers, *categories], rows[0].T, points[0].T, metric["weights"], strict=True):
            apart = np.abs(a[:, None] - b)
            known = ~np.isnan(apart)
            if c in listed(spec["asymmetric"]):
                known &= (a[:, None] > 0) | (b > 0)
            total = total + np.where(known, apart if c in numbers else w * (apart > 0), 0.0)
            weight = weight + w * known
        return total / np.where(weight > 0, weight, np.nan)

    return (np.column_stack([values / metric["ranges"] * metric["weights"][:p], coded]),), measure, 2.0**-49 * (p + len(categories) + 8)


class Verifier:
    """One check after another; each adds its claims."""

    def __init__(self, root: Any, data: dict[str, list[Any]], given: Any, claims: list[Claim]) -> None:
        self.root, self.data, self.given, self.claims = root, data, given, claims
        self.taken: list[str] = []  # values taken from the file instead of computed from the data, with all that depends on them

    def say(self, about: str, holds: bool | None, words: str) -> bool:
        if holds and self.taken and about != "data":
            holds, words = None, f"{words} (by the {' and '.join(self.taken)} that the file states)"
        self.claims.append(Claim(about, None if holds is None else bool(holds), words))
        return holds is not False

    def run(self) -> None:
        if self.root["is"] not in ("Fit", "Validation"):
            self.say("file", None, f"it contains a {self.root['is']!r}, which can't be checked")
            return
        self.problem, rule = self.root["problem"], self.root.get("rule")
        self.frame = self.problem["frame"]
        if self.frame["is"] != "Frame":
            self.say("data", None, "the fit is slim: its rows are not in the file, so nothing can be recomputed from them")
        elif not self.rows():
            return
        elif rule is not None:
            self.budget(rule)
            space = self.space(self.root["dissimilarity"])
            if space is not None and "radius eps" in rule.get("report", ()):
                self.cover(rule, space)
            elif space is not None and self.problem["model"]["is"] == "method medianglvq":
                self.nearest(rule, space)
            else:
                self.say("rule", None, f"{quoted(rule['is'])}, of which nothing is computed here")
        self.stated()

    def budget(self, rule: Any) -> None:
        """Check that a rule has no more prototypes than the call allows; if a user selected its point, it may have more."""
        most, by = self.problem["call"]["arguments"].get("max_prototypes"), (self.root.get("selection") or {}).get("rule")
        if most is None or by == "hand" or "machines" in rule:
            return
        counts = np.bincount(rule["prototypes"]["classes"], minlength=len(self.levels))
        fine = (counts <= [most[level] for level in self.levels]).all() if isinstance(most, dict) else counts.sum() <= most
        self.say("budget", bool(fine), f"{counts.sum()} prototypes, of at most {quoted(most)}")

    def stated(self) -> None:
        """The other statements of the file, which cannot be recomputed from the data: each as stated."""
        known = {"validation": self.root} if self.root["is"] == "Validation" else self.root
        frame = self.frame.get("remembered", self.frame)
        known = {**known, "problem": self.problem, "frame": frame, "formula": frame["formula"]}
        for about, (part, field) in STATED.items():
            value = (known.get(part) or {}).get(field)
            if isinstance(value, dict):
                value = {name: v for name, v in value.items() if name not in ("data", "objective")}
            if value is not None and quoted(value) not in ("[]", "{}", "''"):
                self.say(about, None, quoted(value))

    def rows(self) -> bool:
        """The data are those of the fit."""
        frame, call = self.frame, self.problem["call"]
        response, weights, balance = frame["formula"]["response"], *(call["arguments"].get(name) for name in ("weights", "class_weights"))
        own = {**frame["columns"]["columns"], response: frame["response"]}
        lacking = [c for c in (*own, *([weights] if isinstance(weights, str) else [])) if c not in self.data]
        if lacking:
            return self.say("data", False, f"the column {lacking[0]!r} of the fit is not in them")
        n, names, dropped = len(self.data[response]), list(frame["columns"]["rows"]), list(frame["dropped"])
        place = {label: i for i, label in enumerate(call["data"]["rows"])}
        if len(place) != n or len(names) + len(dropped) != n or {*names, *dropped} != place.keys():
            return self.say("data", False, "they have other rows than the fit, or others were left out")
        self.data = {c: [column[place[label]] for label in names] for c, column in self.data.items()}
        changed = [c for c in own if not same(own[c], self.data[c])]
        if changed:
            return self.say("data", False, f"the column {changed[0]!r} has other values than in the fit")
        self.names, self.y, self.levels = names, frame["response"]["codes"], frame["response"]["levels"]
        self.w, computed = np.asarray(frame["weights"], float), np.ones(len(names))
        if isinstance(weights, str):
            computed = np.array(list(map(number, self.data[weights])))
        if isinstance(balance, str):  # "balanced"
            sums = np.bincount(self.y, computed, len(self.levels))
            computed = computed * (sums.sum() / len(sums) / sums)[self.y]
        if not isinstance(weights, (str, type(None))) or not isinstance(balance, (str, type(None))):
            self.taken.append("weights")
            self.say("weights", None, f"{quoted(self.w)}, which no column of the data has")
        elif not close(computed, self.w):
            return self.say("data", False, "the weights do not match the fit")
        words = f"{n} rows, {len(dropped)} of them left out, and {len(own)} columns match the fit"
        return self.say("data", bool((self.w >= 0).all()), words)

    def space(self, d: Any) -> Space | None:
        """The space of rows and candidates; None if this file cannot compute their dissimilarities."""
        metric, self.row, names = d["metric"], d["candidate_row"], list(d["candidate_names"])
        learned = metric if metric["is"] == "TrainedMatrix" else None
        metric = metric["base"] if learned or metric["is"].startswith("TrainedRelevance") else metric  # the base has the learned weights
        kind, there = str(metric["is"]).removeprefix("Trained"), np.flatnonzero(self.row >= 0)
        fine = len(names) == len(self.row) == len(set(map(str, names))) and all(self.names[self.row[j]] == names[j] for j in there)
        if kind == "Given":
            return self.matrix(d, fine)
        terms = [term["factors"] for term in self.frame["formula"]["terms"]]
        plain = [factors[0]["expr"] for factors in terms if len(factors) == 1 and factors[0]["how"] == "lookup"]
        if kind == "Minkowski" and len(plain) == len(terms) and list(metric["columns"]) == plain and set(plain) <= set(self.data):
            made, measure, error = minkowski(metric, self.data, metric["precision"].item() if learned else d["rows"][0].dtype)
            made = ((np.asarray(made[0], float) - learned["center"]) @ learned["map"].T,) if learned else made
        elif kind == "Gower" and not metric["ranked"] and {*metric["numbers"], *metric["categories"]} <= set(self.data):
            made, measure, error = gower(metric, self.data, self.frame["schema"])
        else:
            words = f"{kind!r} dissimilarities, or a formula that transforms predictors"
            self.say("dissimilarity", None, f"{words}, can't be recomputed, and all that depends on them is unchecked")
            return None
        fine = fine and len(made) == len(d["rows"]) and all(map(near, made, d["rows"]))
        fine = fine and all(near(a[self.row[there]], b[there]) for a, b in zip(made, d["candidates"], strict=True))
        words = f"coordinates of {len(self.y)} rows and {len(self.row)} candidates match the data, by the stated scales"
        self.say("dissimilarity", fine, words if fine else "coordinates or candidates do not match the data by the stated scales")
        return Space(made, tuple(d["candidates"]), measure, error)

    def matrix(self, d: Any, fine: bool) -> Space | None:
        """A given matrix: the user's, if it is given again."""
        metric, values, at = d["metric"], d["rows"][0], d["candidates"][0]
        rows, columns = ({label: i for i, label in enumerate(list(metric[side]))} for side in ("row_names", "column_names"))
        fine = fine and set(self.names) <= set(rows) and [columns.get(label) for label in d["candidate_names"]] == list(at)
        fine = fine and close(metric["values"][[rows[label] for label in self.names if label in rows]], values)
        if self.given is None and fine:
            self.say("dissimilarity", None, "the matrix is taken from the file: use dissimilarity= to compare it")
            self.taken.append("dissimilarities")
        else:
            fine = fine and (self.given is None or close(np.asarray(self.given, float), metric["values"]))
            n, m = values.shape
            self.say("dissimilarity", fine, f"the {n} x {m} matrix is {'' if fine else 'not '}the one that is given")
        return Space((values,), (at,), lambda rows, points: rows[0][:, points[0]], 0.0)

    def cover(self, rule: Any, space: Space) -> None:
        """A cover by balls: radii, objective, what each ball covers, the bound, and training predictions."""
        p, report, y, w, L = rule["prototypes"], rule["report"], self.y, self.w, len(self.levels)
        goal, classes, radii, radius = report["objective"], p["classes"], p["radii"], np.float64(report["radius eps"])
        values = {**self.problem["model"], **(self.root.get("selection") or {}).get("values", {})}
        eps, lambda_ = values.get("eps", radius), values.get("lambda_")
        lambda_ = w.mean() / len(w) if lambda_ is None else lambda_
        fine = close(radii, np.full(len(radii), radius), share=0.0) and close(p["table"].get("radius", radii), radii)
        self.say("radii", fine and (isinstance(eps, (list, dict)) or close(eps, radius)), f"{len(radii)} balls of radius {radius:.9g}")
        D = space.between(p["at"])
        inside, edge, own = radii > D, space.edge(D, radii), y[:, None] == classes
        held, slack = (inside & own).any(axis=1), float((w[:, None] * edge).sum())
        covers = np.bincount((inside & own).argmax(axis=1)[held], w[held], len(classes)) if len(classes) else np.empty(0)
        wrong = (w[:, None] * (inside & ~own)).sum(axis=0)
        stated = [goal["uncovered"], goal["miscovered"], *p["table"]["newly_covered"], *p["table"]["miscovered"]]
        fine = goal["prototypes"] == len(classes) and close(goal["lambda_"], report["cost lambda"]) and rule["classes"] == L
        fine = fine and (not isinstance(lambda_, (int, float)) or close(lambda_, goal["lambda_"]))
        fine = fine and rule["fallback"] == int(np.bincount(y, w, L).argmax())
        total = goal["uncovered"] + goal["miscovered"] + goal["lambda_"] * goal["prototypes"]
        words = f"{total:.9g} = {goal['uncovered']:g} uncovered + {goal['miscovered']:g} miscovered"
        words += f" + {goal['lambda_']:.6g} x {goal['prototypes']}"
        words += f" ({int(edge.sum())} distances are within rounding of the radius)" if edge.any() else ""
        self.agree("objective", fine, stated, [w[~held].sum(), wrong.sum(), *covers, *wrong], slack, words)
        if report.get("certificate") is not None:
            of_class = np.bincount(y[~held], w[~held], L) + np.bincount(classes, wrong + goal["lambda_"], L)
            self.certificate(report["certificate"], of_class, space, radius, goal["lambda_"], slack)
        if len(classes):
            predicted = np.array([min(range(len(classes)), key=lambda j: (row[j], classes[j], p["at"][j])) for row in D])
            errors = w[classes[predicted] != y].sum() / w.sum()
            self.say("training predictions", True, f"recomputed: error {errors:.6g} by the nearest of {len(classes)} prototypes")

    def nearest(self, rule: Any, space: Space) -> None:
        """Rows selected by the cost of generalized LVQ: this cost, the rows nearest to each, and the training error."""
        p, y, w, q = rule["prototypes"], self.y, self.w, len(rule["prototypes"]["at"])
        beta = {**self.problem["model"], **(self.root.get("selection") or {}).get("values", {})}["beta"]
        D, own = space.between(p["at"]), y[:, None] == p["classes"]
        a, b = (np.where(which, D, np.inf).min(axis=1) for which in (own, ~own))  # each class has a prototype
        cost = float(w @ (1 / (1 + np.exp(-beta * np.where(a == b, 0.0, (a - b) / (a + b))))))
        right, least = own[np.arange(len(y)), D.argmin(axis=1)], np.sort(D, axis=1)
        covers = np.concatenate([np.bincount(D.argmin(axis=1)[which], w[which], q) for which in (right, ~right)])
        ties = float(w @ (least[:, 1] - least[:, 0] <= 1e-6 * least[:, 0]))
        fine = np.array_equal(y[self.row[p["at"]]], p["classes"]) and rule["fallback"] == int(np.bincount(y, w).argmax())
        fine = fine and abs(cost - rule["report"]["cost"]) <= 1e-6 * max(1.0, beta) * cost  # for many rows D was in single precision
        words = f"cost {cost:.9g} of {q} prototypes, rows of their classes; training error {w[~right].sum() / w.sum():.6g}"
        self.agree("prototypes", fine, [*p["table"]["assigned"], *p["table"]["misassigned"]], covers, ties, words)

    def agree(self, about: str, fine: bool, stated: Any, computed: Any, slack: Any, words: str) -> None:
        """Compare numbers; the result is open if they differ by no more than rounding at a radius explains."""
        if not fine or not close(stated, computed, slack):
            self.say(about, False, f"not as stated ({words})")
        elif close(stated, computed):
            self.say(about, True, words)
        else:
            self.say(about, None, f"{words}: the stated value differs from the recomputed one by no more than these distances explain")

    def certificate(self, c: Any, objective: Any, space: Space, radius: float, lambda_: float, slack: float) -> None:
        """The lower bound of each class, from prices that are feasible for every candidate."""
        if c["sampled"] is not None:
            self.certificate(c["sampled"], objective, space, radius, lambda_, slack)
        prices, stored, step, points = c["prices"], c["bound"], step_of(self.w, lambda_), space.points
        if c["sampled"] is not None:
            points = space.rows if "rows" in c["over"] else None
        elif (self.row < 0).any():
            points = None
        if prices is None or points is None:
            fine = close(objective, c["objective"], slack) and bool((stored <= objective + slack + TOLERANCE).all())
            words = "the file has no prices, or candidates that are not rows" if fine else "above the objective, or not of this one"
            self.say("lower bound", None if fine else False, f"{stored.sum():.9g}: {words}")
            return
        if not ((prices >= 0) & (prices <= self.w * (1 + TOLERANCE))).all():
            self.say("lower bound", False, "a price is negative or above the weight of its row")
            return
        bound, off = self.dual(replace(space, points=points), prices, radius, lambda_)
        bound = bound if step == 0 else np.ceil((bound - TOLERANCE * np.maximum(1.0, np.abs(bound))) / step) * step
        bound, by_solver = np.minimum(objective, bound), np.array([proof == "MIP" for proof in c["proof"]])
        claimed = by_solver & (stored > bound + off + TOLERANCE) & (stored <= objective + TOLERANCE)
        over = "candidates" if c["sampled"] is None else "rows as candidates"
        words = f"{bound.sum():.9g} by prices that are feasible for all {len(points[0])} {over}"
        words += f"; so the cover is at most {100 * max(objective.sum() / max(bound.sum(), 1e-300) - 1, 0):.3g} % above the optimum"
        slacks = np.concatenate([off + (off > 0) * step, np.full(len(stored), slack)])
        stated, computed = np.concatenate([stored, c["objective"]]), np.concatenate([np.where(claimed, stored, bound), objective])
        self.agree("lower bound", True, stated, computed, slacks, words)
        if claimed.any():
            self.say("optimality", None, f"lower bound {stored.sum():.9g} claimed by the solver's branch and bound")

    def dual(self, space: Space, prices: Any, radius: float, lambda_: float) -> tuple[Any, Any]:
        """For each class sum y + sum_j min(0, C_j - S_j), and by how much distances near the radius may change it."""
        y, w, own = self.y, self.w, np.eye(len(self.levels))[self.y].T
        out, off = own @ prices, np.zeros(len(own))
        for at, D in space.blocks():
            inside = (radius > D).astype(float)
            broken = np.minimum(0.0, lambda_ + w @ inside - (own * (w + prices)) @ inside)
            if self.problem["candidates"] == "same_class":  # each represents only its own class
                broken = np.where(np.arange(len(own))[:, None] == y[at], broken, 0.0)
            out, off = out + broken.sum(axis=1), off + float((w @ space.edge(D, radius)).sum())
        return out, off


def step_of(w: Any, lambda_: float) -> float:
    """The number of which objectives are whole multiples, if weights and lambda are fractions; 0 if not."""
    weights = np.unique(w)[:10_000]
    parts = [Fraction(float(v)).limit_denominator(10_000) for v in weights]
    common = math.lcm(*(p.denominator for p in parts))
    if common > 10_000 or max(abs(float(p) - v) for p, v in zip(parts, weights, strict=True)) > 1e-12 * w.max():
        return 0.0
    cost = lambda_ * common
    part = Fraction(cost).limit_denominator(100_000)
    return 1 / (part.denominator * common) if abs(float(part) - cost) <= 1e-12 * max(1.0, cost) else 0.0


def verify(path: Any, data: Any, dissimilarity: Any = None) -> Verification:
    """Check the claims of a saved fit against its data.

    Parameters
    ----------
    path : str or path
        File written by `Fit.save` or `Validation.save`.
    data : str, path or DataFrame
        The training rows in their order: a CSV file with a header, or a table.
    dissimilarity : array, DataFrame, Dissimilarity, str or path, optional
        The given matrix, if the fit has one; or a CSV file with row names.

    Returns
    -------
    Verification
        Result that is true if all checked claims are true; it prints each claim with its numbers. If the file or the data cannot be
        read, the claim is false. For a slim fit the result is never true, because its rows are not in the file.

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
    name, claims, about = str(getattr(path, "path", path)), list[Claim](), "file"
    try:
        file, about = File(name), "data"
        table, about = table_of(data), "dissimilarity"
        given = dissimilarity.frame() if hasattr(dissimilarity, "condensed") else dissimilarity
        if isinstance(given, (str, os.PathLike)):
            given = [[number(v) for v in row] for row in zip(*list(table_of(given).values())[1:], strict=True)]
        about = "file"
        with np.errstate(all="ignore"):
            Verifier(file.root, table, given, claims).run()
    except BROKEN as reason:
        claims.append(Claim(about, False, f"it can't be loaded, or its parts do not fit together: {type(reason).__name__}: {reason}"))
    return Verification(name, tuple(claims))


def main(words: list[str]) -> int:
    """Print the checks; 0 if all claims are true, 1 if not, 2 for wrong arguments."""
    if len(words) not in (2, 3) or words[0].startswith("-"):
        print("usage: verify FIT DATA.csv [MATRIX.csv]: check what a saved fit claims against its data", file=sys.stderr)
        return 2
    result = verify(*words)
    print(result)
    return 0 if result else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
