"""Forged files, in which one part does not fit the others: each check of a part refuses its own."""

import io
from functools import cache

import numpy as np
import pytest

import protoclass as pc

from . import damage

IRIS = damage.IRIS.iloc[::3]
MATRIX = pc.dissimilarity("species ~ . - g", IRIS, "manhattan").frame()
MORE = {
    "given": lambda: pc.fit("species ~ 1", IRIS, "knn", k=1, dissimilarity=MATRIX),
    "lvq": lambda: pc.fit("species ~ . - g", IRIS, "lvq", K=2),
    "texts": lambda: pc.fit(
        "g ~ species + z", IRIS.assign(z=IRIS["species"].cat.codes), "knn", k=1, dissimilarity="gower"
    ),
    "groups": lambda: pc.fit("species ~ . - g", IRIS, "knn", k=[1, 3], groups="g", cv=2),
}


@cache
def saved(name: str) -> bytes:
    out = io.BytesIO()
    fit = (damage.FITS | MORE)[name]()
    path = fit.save(FOLDER[0] / f"{name}.proto", overwrite=True).path
    out.write(path.read_bytes())
    return out.getvalue()


FOLDER: list = []


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    FOLDER[:] = [tmp_path_factory.mktemp("saved")]


class Parts:
    """The content and arrays of a file, to be changed by name."""

    def __init__(self, content, arrays):
        self.content, self.arrays = content, arrays

    def fields(self, of, which=0):
        found = [fields for kind, fields in self.content["objects"] if kind == of]
        assert found, f"no {of} among {sorted({kind for kind, _ in self.content['objects']})}"
        return found[which]

    def set(self, of, field, value):
        """Another value of a field: a piece of JSON, or what a function makes of the one that is there."""
        fields = self.fields(of)
        fields[field] = value(fields[field]) if callable(value) else value

    def array(self, values):
        """A new array, and the piece of JSON that refers to it."""
        at = 1 + max(int(name[7:-4]) for name in self.arrays)
        out = io.BytesIO()
        np.save(out, np.asarray(values))
        self.arrays[f"arrays/{at}.npy"] = out.getvalue()
        return {"array": at}

    def values(self, piece):
        return np.load(io.BytesIO(self.arrays[f"arrays/{piece['array']}.npy"]))

    def change(self, of, field, change):
        """Another array in a field that refers to one."""
        fields = self.fields(of)
        holder, key = (
            (fields, field)
            if isinstance(fields[field], dict) and "array" in fields[field]
            else (fields[field]["tuple"], 0)
        )
        holder[key] = self.array(change(self.values(holder[key]).copy()))


def put(at, value):
    def apply(array):
        array = array.astype(float) if isinstance(value, float) else array
        array.reshape(-1)[at] = value
        return array

    return apply


def first(piece, value):
    piece["tuple"][0] = value
    return piece


def table(parts, columns, rows=None):
    """A table in JSON, with columns as given."""
    names = {"labels": [[{"texts": [False, [f"c{k}" for k in range(len(columns))]]}], [None]]}
    return {"table": [rows or {"labels": [[{"range": [0, 3, 1]}], [None]]}, names, columns]}


SPOILED = {
    "rows of another shape": ("pvm", lambda p: p.change("Dissimilarity", "rows", lambda a: a[:, :-1]), "not represented as|of the file"),
    "given out of range": ("given", lambda p: p.change("Dissimilarity", "candidates", put(0, 999)), "given dissimilarities are out"),
    "given negative": ("given", lambda p: p.change("Dissimilarity", "rows", put(3, -1.0)), "missing, infinite or negative"),
    "given missing": ("given", lambda p: p.change("Dissimilarity", "rows", put(3, np.nan)), "missing, infinite or negative"),
    "texts not of the rows": ("texts", lambda p: p.change("Dissimilarity", "rows", lambda a: a + 1), "not represented as"),
    "candidates unlike their rows": ("pvm", lambda p: p.change("Dissimilarity", "candidates", put(0, 99.0)), "not represented as these"),
    "no prototypes": ("lvq", lambda p: p.set("Points", "coords", None), "has no prototypes"),
    "columns and coordinates": ("pvm", lambda p: p.set("Points", "coords", p.array(np.zeros((8, 4)))), "both columns and coordinates"),
    "coordinates elsewhere": ("lvq", lambda p: p.change("Points", "coords", lambda a: a[:, :-1]), "coordinates of another space"),
    "coordinates infinite": ("lvq", lambda p: p.change("Points", "coords", put(0, np.inf)), "coordinates of another space"),
    "columns of prototypes": (
        "pvm", lambda p: p.set("Points", "table", {"mapping": [["newly_covered", p.array([1, 2])]]}), "has another shape",
    ),
    "columns without the covers": ("pvm", lambda p: p.set("Points", "table", {"mapping": []}), "'newly_covered'"),
    "a grid of another method": ("pvm", lambda p: p.set("Selection", "grid", table(p, [p.array([1, 2, 3])])), "is of 'c0'"),
    "a machine of another class": ("scm", lambda p: p.set("BinarySCM", "positive", 3), "of classes that do not exist"),
    "a choice of another method": ("pvm", lambda p: p.set("Selection", "values", {"mapping": [["K", 2]]}), "which is not a parameter"),
    "a rule of choice": ("pvm", lambda p: p.set("Choice", "points", {"mapping": [["min", 1], ["1se-paired", 1]]}), "lacks a rule"),
    "calibration's rows": ("transforms", lambda p: p.change("Calibration", "scores", lambda a: a[:-1]), "do not match its classes"),
    "names in the report": ("pvm", lambda p: p.set("Greedy", "report", {"mapping": [[1, 2]]}), "the field 'report' of Greedy is"),
    "classes of the rule": ("pvm", lambda p: p.set("Greedy", "classes", 4), "of other classes"),
    "fallback of the rule": ("pvm", lambda p: p.set("Greedy", "fallback", 3), "of other classes"),
    "groups": ("groups", lambda p: p.change("Problem", "groups", lambda a: -a - 1), "groups do not match the rows"),
    "seed": ("pvm", lambda p: p.set("Problem", "seed", -1), "the seed is not valid"),
    "folds of other rows": ("pvm", lambda p: p.change("Validation", "of_fold", lambda a: a[:, 1:]), "the field 'predicted' of"),
    "choice": ("pvm", lambda p: p.set("Choice", "points", {"mapping": [["1se", 3], ["1se-paired", 1], ["min", 1]]}), "not in its grid"),
    "point": ("pvm", lambda p: p.set("Selection", "point", 3), "not in the grid"),
    "calibration's classes": ("transforms", lambda p: p.set("Conformal", "classes", 4), "calibration is of other classes or folds"),
    "calibration's folds": ("transforms", lambda p: p.change("Conformal", "fold", put(0, 7)), "calibration is of other classes or folds"),
    "calibration's shares": ("transforms", lambda p: p.change("Calibration", "share", lambda a: a[:-1]), "has the shape"),
    "fields": ("pvm", lambda p: p.fields("Formula").pop("text"), "of Formula has the fields"),
    "fields of another type": ("pvm", lambda p: p.set("Formula", "text", 5), "the field 'text' of Formula is 5"),
    "a term without factors": ("pvm", lambda p: p.set("Term", "factors", {"tuple": []}), "a term of the formula has no factors"),
    "a factor that is none": ("pvm", lambda p: p.set("Factor", "how", "code"), "a factor of the formula is"),
    "variables twice": ("pvm", lambda p: p.set("Formula", "variables", {"tuple": ["x", "x"]}), "variables of the formula are no"),
    "states without a design": ("transforms", lambda p: p.set("Frame", "design", None), "states or names, and not both"),
    "a design of other names": ("transforms", lambda p: p.set("Frame", "design", lambda d: {"tuple": d["tuple"][1:]}), "the transforms of"),
    "a state of no factor": ("transforms", lambda p: p.set("Frame", "states", {"mapping": [["log(z)", {"mapping": []}]]}), "is damaged"),
    "no rows of a class": ("gower", lambda p: p.change("RowlessFrame", "class_counts", lambda a: 0 * a), "numbers of rows of the classes"),
    "weights of a class": ("gower", lambda p: p.change("RowlessFrame", "class_weights", put(0, np.nan)), "numbers of rows of the classes"),
    "kinds of columns": ("pvm", lambda p: p.set("Frame", "schema", {"mapping": []}), "kinds of the columns do not match"),
    "a kind that is none": ("pvm", lambda p: p.set("Column", "kind", "colour"), "is of the kind 'colour'"),
    "notes": ("pvm", lambda p: p.set("Frame", "notes", {"tuple": [1]}), "the field 'notes' of Frame is"),
    "missing predictors": ("pvm", lambda p: p.set("Frame", "columns", lambda t: gap(p, t)), "missing values that the fit does not allow"),
    "a call of another function": ("pvm", lambda p: p.set("Call", "function", "os.system"), "its call is of os.system"),
    "a fallback of no type": ("pvm", lambda p: p.set("Greedy", "fallback", "x"), "fallback"),
    "a table too narrow": ("pvm", lambda p: p.set("Validation", "grid", {"table": [0]}), "has other parts"),
    "columns without names": ("pvm", lambda p: p.set("Call", "data", drop_column(p.fields("Call")["data"])), "another number of columns"),
    "a table of a strange library": ("pvm", lambda p: p.set("Call", "data", {"frame of": ["os", table(p, [])]}), "of the library os"),
    "a table that is none": ("pvm", lambda p: p.set("Call", "data", {"frame of": ["polars", 3]}), "has other parts"),
    "a strange tag": ("pvm", lambda p: p.set("Call", "data", {"code": []}), "a value has the tag code"),
    "two tags": ("pvm", lambda p: p.set("Call", "data", {"code": 1, "tuple": []}), "a value is"),
    "a date of no unit": ("pvm", lambda p: p.set("Call", "data", {"timestamp": [1]}), "has other parts"),
    "an open end": ("pvm", lambda p: p.set("Call", "data", {"interval": [1, 2, "ajar"]}), "with the tag 'interval' is"),
    "labels that are none": ("pvm", lambda p: p.set("Call", "data", {"labels": [5, [None]]}), "has other parts"),
    "labels of two names": ("pvm", lambda p: p.set("Call", "data", {"labels": [[{"range": [0, 1, 1]}], [1, 2]]}), "have 2 names"),
    "labels by no steps": ("pvm", lambda p: p.set("Call", "data", {"labels": [[{"range": [0, 1, 0]}], [1]]}), "must be whole numbers"),
    "labels of no levels": ("pvm", lambda p: p.set("Call", "data", {"labels": [[], []]}), "labels of 0 levels"),
    "texts that are none": ("pvm", lambda p: p.set("Call", "data", {"texts": [False, ["a", 5]]}),
        "a column of texts contains other values"),
    "a masked column of no type": ("pvm", lambda p: p.set("Call", "data", {"masked": ["x", p.array([1]), p.array([True])]}), "type x"),
    "a column too short": ("pvm", lambda p: p.set("Call", "data", table(p, [p.array([1.0])])), "for 3 labels"),
    "codes beyond": ("pvm", lambda p: change_codes(p, 9), "codes need to be between -1 and"),
    "a name twice": ("pvm", lambda p: p.set("Call", "arguments", {"mapping": [["a", 1], ["a", 2]]}), "has a name twice"),
    "a strange number": ("pvm", lambda p: p.set("Call", "data", {"float": ["many"]}), "with the tag 'float' is"),
    "objects of no shape": ("pvm", lambda p: p.set("Call", "data", {"objects": [3, []]}), "has other parts"),
    "objects of another shape": ("pvm", lambda p: p.set("Call", "data", {"objects": [[1], [2]]}), "an array of 1 objects would"),
    "a number with axes": ("pvm", lambda p: p.set("Call", "data", {"scalar": [p.array([1, 2])]}), "with the tag 'scalar' is"),
    "a range of parts": ("pvm", lambda p: p.set("Call", "data", {"range": [0, 1.5, 1]}), "ends of a range must be whole numbers"),
    "a class of no name": ("pvm", lambda p: p.set("Call", "data", {"class": 3}), "a class has no name"),
    "parts that do not fit": ("pvm", lambda p: p.set("Call", "data", {"arrays": [p.array([1]), p.array([2])]}), "lengths of its parts"),
    "an object that is none": ("pvm", lambda p: p.content["objects"].insert(0, ["Call"]), "an object is"),
    "a field too many": ("pvm", lambda p: p.fields("Column").update(x=1), "an object of Column has the fields"),
    "truth that is neither": ("pvm", lambda p: byte(p), "neither true nor false"),
}  # fmt: skip


def gap(parts, written):
    """A table with a missing number in its first column."""
    values = parts.values(written["table"][2][0]).astype(float)
    values[0] = np.nan
    written["table"][2][0] = parts.array(values)
    return written


def drop_column(written):
    written["table"][2].pop()
    return written


def change_codes(parts, value):
    category = parts.fields("Frame")["response"]["category"]
    category[0] = parts.array(put(0, value)(parts.values(category[0])))


def byte(parts):
    piece = parts.array(np.zeros(3, bool))
    name = f"arrays/{piece['array']}.npy"
    parts.arrays[name] = parts.arrays[name][:-1] + b"\x02"
    parts.set("Call", "data", piece)


def referred(value):
    """Where a piece of JSON refers to arrays."""
    return [path for path in damage.places(value) if path[-1] == "array" and type(damage.at(value, path)) is int]


@pytest.mark.parametrize("what", list(SPOILED))
def test_a_part_that_does_not_fit_the_others(what, tmp_path):
    name, spoil, match = SPOILED[what]
    head, content, arrays = damage.take_apart(saved(name))
    spoil(Parts(content, arrays))
    used = sorted({damage.at(content, path) for path in referred(content)})  # the others are left out
    for path in referred(content):
        damage.at(content, path[:-1])["array"] = used.index(damage.at(content, path))
    arrays = {f"arrays/{k}.npy": arrays[f"arrays/{old}.npy"] for k, old in enumerate(used)}
    path = tmp_path / "forged.proto"
    path.write_bytes(damage.put_together((head, content, arrays), seal=True))
    with pytest.raises(pc.FileError, match=match):
        pc.load(path)
