"""What a rule predicts: of rows alone and together, of none, of rows far away, by its dissimilarities, and among more candidates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.query import Query, answer, distances_by
from ..core.task import Points, Rule
from ..errors import ProtoclassError
from ..estimation.fitted import KINDS
from .contract import ContractError, require
from .subject import BY_CLASS, Subject, alike, answers, close, deed, first_unlike
from .watched import watching

FAR = 1000.0
ALONE = 12  # new rows that are measured alone


def check_path(name: str, path: Any, classes: int, columns: int) -> None:
    """A path has what every path has, and its first rule prototypes, kinds, a size and a report of the right types."""
    cure = "return RulePath((rule, ...)), a rule a point"
    require(hasattr(path, "at"), f"{name}: `path` returned a {type(path).__name__} without `at`: {cure}")
    rule = path.at(0)
    points: Any = getattr(rule, "prototypes", None)
    require(isinstance(points, Points), f"{name}: the rule's prototypes must be pc.Points(classes, at=...), not a {type(points).__name__}")
    lacks = [part for part in ("size", "kinds", "report", "predict", "moved") if not hasattr(rule, part)]
    require(not lacks, f"{name}: the rule {type(rule).__name__} has no {lacks}: see `protoclass.core.task.Rule`")
    size = rule.size
    q = len(points)
    arrays = {"classes": points.classes, "at": points.at, "radii": points.radii, "coords": points.coords, **points.table}
    for part, values in arrays.items():
        fine = values is None or (isinstance(values, np.ndarray) and len(values) == q)
        require(fine, f"{name}: Points has {q} classes, so its {part} must be an array with {q} entries, not {_shape(values)}")
    require(
        (points.at is None) != (points.coords is None),
        f"{name}: Points must have either columns of D, at=, or coordinates, coords=, and not both",
    )
    for part, codes, most in (("classes", points.classes, classes), ("at", points.at, columns)):
        fine = codes is None or (codes.dtype.kind in "iu" and bool(((codes >= 0) & (codes < most)).all()))
        require(fine, f"{name}: the {part} of Points must be whole numbers from 0 to {most - 1}")
    number = isinstance(size, (int, float, np.number)) and not isinstance(size, bool)
    require(
        number and bool(np.isfinite(size) and size >= 0),
        f"{name}: the size of the rule is {size!r}, and must be a finite number >= 0: the 1-SE rule compares sizes",
    )
    named = hasattr(rule.report, "items") and all(isinstance(key, str) for key in rule.report)
    require(named, f"{name}: the report of the rule must be a mapping of names to values, not {_shape(rule.report)}")
    strange = [kind for kind in rule.kinds if kind not in KINDS]
    require(not strange, f"{name}: the kinds {strange} are not known; known are {KINDS}")
    require("class" in rule.kinds, f"{name}: 'class' must be among the rule's kinds")
    lacks = [part for part in ("prototypes", "kinds", "size", "bounds", "predict", "moved") if not hasattr(path, part)]
    require(not lacks, f"{name}: `path` returned a {type(path).__name__} without {lacks}: {cure}")


def _shape(value: object) -> str:
    return f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"


def check_kinds(s: Subject) -> None:
    """Every kind has its shape, and kinds agree with one another, also at the rows of the fit."""
    for where, rows in (("new rows", s.new), ("the rows of the fit, at distance 0 from prototypes", s.data.drop(columns="y"))):
        check_valid(s, s.fit.rule, s.query(rows), where)


def check_valid(s: Subject, rule: Rule, query: Query, where: str) -> dict[str, np.ndarray]:
    """Every kind has its shape and values that it may have; returns what the rule predicts."""
    classes, q, r = len(s.fit.classes), len(rule.prototypes), len(query)
    found = {}
    for kind in rule.kinds:
        with deed(s, f"predict({kind!r}) of {where}"):
            found[kind] = values = np.asarray(rule.predict(kind, query))
        shape = (r, classes) if kind in BY_CLASS else (r,)
        require(values.shape == shape, f"{s}: predict({kind!r}) of {where} has shape {values.shape}, and needs {shape}")
        if kind not in BY_CLASS:
            most = q if kind == "nearest" else classes
            low = 0 if kind == "class" else -1
            fine = np.issubdtype(values.dtype, np.integer) and bool(((values >= low) & (values < most)).all())
            require(fine, f"{s}: predict({kind!r}) of {where} must be whole numbers from {low} to {most - 1}")
            continue
        require(values.dtype.kind == "f", f"{s}: predict({kind!r}) of {where} must be floating-point numbers, not {values.dtype}")
        require(
            not bool(np.isnan(values).any()),
            f"{s}: predict({kind!r}) of {where} has NaN: is 0 divided by 0, or does an exponential overflow? Subtract the largest exponent",
        )
    for kind in ("prob", "decision"):
        if kind in found:
            best = found[kind][np.arange(r), found["class"]] == found[kind].max(axis=1, initial=-np.inf)
            row = f"row {int(np.argmin(best))} of {where}" if not best.all() else ""
            require(bool(best.all()), f"{s}: the class is not the one of the largest {kind!r}, at {row}: is its sign reversed?")
    if "prob" in found:
        shares = (found["prob"] >= 0).all() and np.allclose(found["prob"].sum(axis=1), 1)
        require(bool(shares), f"{s}: predict('prob') of {where} must be at least 0 and sum to 1 in each row")
    if "distance" in found:
        require(bool((found["distance"] >= 0).all()), f"{s}: predict('distance') of {where} must be at least 0")
    if {"nearest", "distance"} <= set(found):
        held = found["nearest"] >= 0
        own = found["distance"][np.flatnonzero(held), rule.prototypes.classes[found["nearest"][held]]]
        agree = (own == found["distance"][held].min(axis=1, initial=np.inf)).all()
        require(bool(agree), f"{s}: the nearest prototype is not of the class that has the least distance, at {where}")
    return found


def check_rows_alone(s: Subject) -> None:
    """A new row is predicted alike, whatever rows it comes with: alone, in reverse, or twice."""
    together = answers(s.fit.rule, s.query())
    alone: dict[str, list[np.ndarray]] = {kind: [] for kind in together}
    for i in range(ALONE):
        with deed(s, "a prediction of one new row alone"):
            for kind, values in answers(s.fit.rule, s.query(s.new.iloc[[i]])).items():
                require(len(values) == 1, f"{s}: predict({kind!r}) of one new row alone has shape {values.shape}")
                alone[kind].append(values)
    cure = "`predict` must treat each row by itself, and learn nothing from the rows that it is asked about"
    with deed(s, "a prediction of new rows in another order"):
        reverse = answers(s.fit.rule, s.query(s.new.iloc[::-1]))
    for kind, values in together.items():
        single = np.concatenate(alone[kind])
        same = alike(kind, single, values[:ALONE])
        where = "" if same else f" (new row {first_unlike(kind, single, values[:ALONE])})"
        require(same, f"{s}: predict({kind!r}) of a row alone differs from that among other rows{where}: {cure}")
        require(
            alike(kind, reverse[kind][::-1], values),
            f"{s}: predict({kind!r}) depends on the order of the rows that it is asked about: {cure}",
        )


def check_no_rows(s: Subject) -> None:
    """No new rows have predictions of length 0."""
    check_valid(s, s.fit.rule, s.query(s.new.iloc[:0]), "no rows at all")


def check_far_rows(s: Subject) -> None:
    """Rows far from all others have predictions that are valid, or an error of this package."""
    for factor in (FAR, -FAR):
        try:
            check_valid(s, s.fit.rule, s.query(s.new * factor), f"rows {FAR:g} times as far away")
        except ContractError:
            raise
        except ProtoclassError:
            continue


def check_distances(s: Subject) -> None:
    """Distances to the classes and nearest prototypes follow from the dissimilarities, or from the distances of the rule."""
    for rows in (s.new, s.data.drop(columns="y")):
        check_by_distance(s, s.fit.rule, s.query(rows), "")


def check_by_distance(s: Subject, rule: Rule, query: Query, when: str) -> None:
    """Predictions of "distance" and "nearest" are what the dissimilarities say, or the distances of the rule if these are declared."""
    if not {"distance", "nearest"} & set(rule.kinds) or len(rule.prototypes) == 0:
        return
    D, measured = np.asarray(distances_by(rule, query)), query.dissimilarities(rule.prototypes)
    own = s.fit.model.can.own_distances
    require(D.shape == measured.shape, f"{s}: `distances` gives an array {D.shape}, and needs rows by prototypes, {measured.shape}")
    require(
        own or bool(close(D, measured).all()),
        f"{s}: `distances` of the rule are not query.dissimilarities(self.prototypes): declare can.own_distances",
    )
    if own and not hasattr(rule, "distances"):
        return  # it compares distances that it does not show
    whose = " of the rule" if own else ""
    cure = "read query.dissimilarities(self.prototypes), or declare can.own_distances"
    if "distance" in rule.kinds:
        found = answer(rule, "distance", query)
        for c in range(found.shape[1]):
            lowest = D[:, rule.prototypes.classes == c].min(axis=1, initial=np.inf)
            row = int(np.argmax(~close(found[:, c], lowest)))
            require(
                bool(close(found[:, c], lowest).all()),
                f"{s}: predict('distance') of class {c}{when} is {found[row, c]:.6g} in row {row}, and the lowest dissimilarity{whose} to "
                f"a prototype of this class is {lowest[row]:.6g} (inf if it has none): {cure}",
            )
    if "nearest" in rule.kinds:
        at = answer(rule, "nearest", query)
        reached, lowest = D[np.arange(len(D)), at], D.min(axis=1)
        row = int(np.argmax(~close(reached, lowest)))
        require(
            bool((at >= 0).all() and close(reached, lowest).all()),
            f"{s}: predict('nearest'){when} is prototype {at[row]} in row {row}, at dissimilarity{whose} {reached[row]:.6g}, and the "
            f"lowest is {lowest[row]:.6g}: return positions among the prototypes, D.argmin(axis=1); {cure}",
        )


def check_moved(s: Subject) -> None:
    """A rule that was learned among a part of the candidates is the same rule among all of them."""
    task, query = s.task(), s.query()
    part, columns = task.keep(np.arange(len(task.y)) // 3 % 5 > 1, 0)
    with deed(s, "`path` on a part of the rows"):
        path = s.single.path(part, {})
        rule = path.at(0)
    before = None if rule.prototypes.at is None else rule.prototypes.at.copy()
    among = Query(
        query.rows, lambda rows, points: query.measure(rows, points.moved(columns)), query.vectors, query.design, query.label
    )
    want = answers(rule, among)
    for what in ("the rule", "the path"):
        with watching(f"{s}: moved(columns)", given=columns), deed(s, f"moved(columns) of {what}"):
            moved = rule.moved(columns) if what == "the rule" else path.moved(columns).at(0)
        here = f"{s}: moved(columns) of {what}"
        if rule.prototypes.at is not None:
            require(
                _equal(rule.prototypes.at, before),
                f"{here} changes the rule itself: return another, dataclasses.replace(self, prototypes=self.prototypes.moved(columns))",
            )
        points = rule.prototypes.moved(columns)
        require(
            _equal(moved.prototypes.at, points.at),
            f"{here} must have the prototypes columns[at]: return dataclasses.replace(self, prototypes=self.prototypes.moved(columns))",
        )
        for name in ("classes", "radii", "coords"):
            same = _equal(getattr(points, name), getattr(moved.prototypes, name))
            require(same, f"{here} changes the {name} of the prototypes: only columns of D move")
        same = set(points.table) == set(moved.prototypes.table) and moved.size == rule.size and set(moved.report) == set(rule.report)
        require(same, f"{here} changes the table of the prototypes, the size or the report: only columns of D move")
        found = answers(moved, query)
        for kind, values in want.items():
            require(
                kind in found and alike(kind, found[kind], values),
                f"{here} predicts {kind!r} otherwise than the rule did before: every field with columns of D must become columns[field]",
            )


def _equal(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)


ANSWERS: tuple[Callable[[Subject], None], ...] = (
    check_kinds, check_rows_alone, check_no_rows, check_far_rows, check_distances,
)  # fmt: skip
