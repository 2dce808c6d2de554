"""What answers of a fit must be, also over grids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ..core.query import Query, answer, distances_by
from ..core.task import Path, Points, Rule, Task
from ..estimation.fitted import KINDS
from ..ground.checks import GRID
from ..ground.errors import OptionError, ProtoclassError
from ..metrics.base import same
from ..models.base import Grid, Model
from .contract import (
    BY_CLASS,
    Subject,
    accepted,
    answers,
    close,
    deed,
    fit_to,
    measured_task,
    modules_of,
    own_errors,
    require,
    require_same,
    three_classes,
    uneven_classes,
    unless_refused,
    watching,
)

KEEP = "store nothing between calls"
MOST_WRONG = 0.35  # proportion of the training rows of three classes that hardly overlap
FAR = 1000.0
ALONE = 12  # new rows that are measured alone


def check_path(name: str, path: Any, classes: int, columns: int) -> None:
    """A path has what every path has, and its first rule prototypes, kinds, a size and a report of the right types."""
    cure = "return RulePath((rule, ...)), a rule a point"
    require(hasattr(path, "at"), f"{name}: `path` returned a {type(path).__name__} without `at`: {cure}")
    rule = path.at(0)
    points: Any = getattr(rule, "prototypes", None)
    kind = type(points).__name__
    require(isinstance(points, Points), f"{name}: the rule's prototypes must be pc.extend.Points(classes, at=...), not a {kind}")
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
        fine = codes is None or (codes.dtype.kind in "iu" and ((codes >= 0) & (codes < most)).all())
        require(fine, f"{name}: the {part} of Points must be whole numbers from 0 to {most - 1}")
    number = isinstance(size, (int, float, np.number)) and not isinstance(size, bool)
    require(
        number and np.isfinite(size) and size >= 0,
        f"{name}: the size of the rule is {size!r}, and must be a finite number >= 0: the 1-SE rule compares sizes",
    )
    named = hasattr(rule.report, "items") and all(isinstance(key, str) for key in rule.report)
    require(named, f"{name}: the report of the rule must be a mapping of names to values, not {_shape(rule.report)}")
    strange = [kind for kind in rule.kinds if kind not in KINDS]
    require(not strange, f"{name}: kinds must be among {KINDS}, not {strange}")
    require("class" in rule.kinds, f"{name}: 'class' must be among the rule's kinds")
    lacks = [part for part in ("prototypes", "kinds", "size", "bounds", "predict", "moved") if not hasattr(path, part)]
    require(not lacks, f"{name}: `path` returned a {type(path).__name__} without {lacks}: {cure}")


def _shape(value: object) -> str:
    return f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"


def check_kinds(s: Subject) -> None:
    """Every kind has its shape, and kinds agree with one another, also at the rows of the fit."""
    own = s.data.drop(columns="y")
    for where, rows in (("new rows", s.new), ("the rows of the fit, at distance 0 from prototypes", own), ("no rows at all", own[:0])):
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
            fine = np.issubdtype(values.dtype, np.integer) and ((values >= low) & (values < most)).all()
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
            require(best.all(), f"{s}: the class is not the one of the largest {kind!r}, at {row}: is its sign reversed?")
    if "prob" in found:
        shares = (found["prob"] >= 0).all() and np.allclose(found["prob"].sum(axis=1), 1)
        require(shares, f"{s}: predict('prob') of {where} must be at least 0 and sum to 1 in each row")
    if "distance" in found:
        require((found["distance"] >= 0).all(), f"{s}: predict('distance') of {where} must be at least 0")
    if {"nearest", "distance"} <= set(found):
        held = found["nearest"] >= 0
        own = found["distance"][np.flatnonzero(held), rule.prototypes.classes[found["nearest"][held]]]
        agree = (own == found["distance"][held].min(axis=1, initial=np.inf)).all()
        require(agree, f"{s}: the nearest prototype must be of the class with the lowest distance, but is not at {where}")
    return found


def check_rows_alone(s: Subject) -> None:
    """A new row is predicted alike, whatever rows it comes with: alone, in reverse, or twice."""
    together = answers(s.fit.rule, s.query())
    cure = "`predict` must treat each row by itself, and learn nothing from the rows to predict"
    for i in range(ALONE):
        with deed(s, "a prediction of one new row alone"):
            alone = answers(s.fit.rule, s.query(s.new.iloc[[i]]))
        require_same(s, alone, {kind: values[[i]] for kind, values in together.items()}, f"new row {i} alone", cure)
    with deed(s, "a prediction of new rows in another order"):
        reverse = answers(s.fit.rule, s.query(s.new.iloc[::-1]))
    require_same(s, reverse, {kind: values[::-1] for kind, values in together.items()}, "another order of the rows", cure)


def check_far_rows(s: Subject) -> None:
    """Rows far from all others have predictions that are valid, or an error of this package."""
    for factor in (FAR, -FAR):
        unless_refused(lambda: check_valid(s, s.fit.rule, s.query(s.new * factor), f"rows {FAR:g} times as far away"))  # noqa: B023


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
        own or close(D, measured).all(),
        f"{s}: `distances` of the rule are not query.dissimilarities(self.prototypes): declare can.own_distances",
    )
    if own and not hasattr(rule, "distances"):
        return  # it compares distances that it does not show
    whose = " of the rule" if own else ""
    cure = "use query.dissimilarities(self.prototypes), or declare can.own_distances"
    if "distance" in rule.kinds:
        found = answer(rule, "distance", query)
        for c in range(found.shape[1]):
            lowest = D[:, rule.prototypes.classes == c].min(axis=1, initial=np.inf)
            row = int(np.argmax(~close(found[:, c], lowest)))
            require(
                close(found[:, c], lowest).all(),
                f"{s}: predict('distance') of class {c}{when} is {found[row, c]:.6g} in row {row}, but the lowest dissimilarity{whose} to "
                f"a prototype of this class is {lowest[row]:.6g} (inf if it has none): {cure}",
            )
    if "nearest" in rule.kinds:
        at = answer(rule, "nearest", query)
        reached, lowest = D[np.arange(len(D)), at], D.min(axis=1)
        row = int(np.argmax(~close(reached, lowest)))
        require(
            (at >= 0).all() and close(reached, lowest).all(),
            f"{s}: predict('nearest'){when} is prototype {at[row]} in row {row}, at dissimilarity{whose} {reached[row]:.6g}, but the "
            f"lowest is {lowest[row]:.6g}: return positions among the prototypes, D.argmin(axis=1), and {cure}",
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
                same(rule.prototypes.at, before),
                f"{here} changes the rule itself: return another, dataclasses.replace(self, prototypes=self.prototypes.moved(columns))",
            )
        points = rule.prototypes.moved(columns)
        require(
            same(moved.prototypes.at, points.at),
            f"{here} must have the prototypes columns[at]: return dataclasses.replace(self, prototypes=self.prototypes.moved(columns))",
        )
        for name in ("classes", "radii", "coords"):
            kept = same(getattr(points, name), getattr(moved.prototypes, name))
            require(kept, f"{here} changes the {name} of the prototypes: only columns of D move")
        kept = set(points.table) == set(moved.prototypes.table) and moved.size == rule.size and set(moved.report) == set(rule.report)
        require(kept, f"{here} changes the table of the prototypes, the size or the report: only columns of D move")
        require_same(here, {k: v for k, v in answers(moved, query).items() if k in want}, want, "it", "every field with columns of D must "
                     "become columns[field]")  # fmt: skip


def of_task(task: Task) -> dict[str, np.ndarray]:
    """The arrays that a method may read from a task."""
    return {
        "y": task.y, "w": task.w, "candidate_row": task.candidate_row, "D": task.D.array(),
        "coordinates": task.coordinates(), "columns": task.columns(),
    }  # fmt: skip


def of_query(query: Query, rule: Rule) -> dict[str, np.ndarray]:
    """The arrays that a rule may read from a query."""
    arrays = {"query_coordinates": query.coordinates(), "query_columns": query.columns()}
    return {**arrays, "dissimilarities": query.dissimilarities(rule.prototypes)} if len(rule.prototypes) else arrays


def check_learning(model: Model, data: pd.DataFrame, new: pd.DataFrame, seed: int) -> None:
    """A method and its rule write into nothing that they are given, and give the same answers when they are asked again."""
    name = type(model).__name__
    dissimilarity, task = measured_task(data, model, seed)
    fold = np.arange(len(data)) // 3 % 2
    with own_errors(f"{name}: `path`", modules_of(type(model))):
        with watching(f"{name}: `path`", **of_task(task)):
            path = model.path(task, {})
        check_path(name, path, task.classes, task.shape[1])
        rule = path.at(0)
        with watching(f"{name}: `paths`", **of_task(task), fold=fold):
            folds = sorted(f for f, _ in model.paths(task, fold, 2, {}))
        require(folds == [0, 1], f"{name}: `paths` of 2 folds must yield (f, path) for each, f = 0 and 1, and yields {folds}")
        again = model.path(measured_task(data, model, seed)[1], {}).at(0)
    asked = dissimilarity.new_query(new)[0]
    for kind in rule.kinds:
        query = dissimilarity.new_query(new)[0]
        what = f"{name}: predict({kind!r})"
        with own_errors(what, modules_of(type(model)) | {type(rule).__module__}):
            with watching(what, **of_query(query, rule)):
                first = np.asarray(rule.predict(kind, query))
            second, other = np.asarray(rule.predict(kind, asked)), np.asarray(again.predict(kind, asked))
        require_same(name, {kind: second}, {kind: first}, "when called a second time, the rule", f"draw nothing, and {KEEP}", 0)
        cure = "draw from np.random.default_rng(task.seed) only, and "
        require_same(name, {kind: other}, {kind: second}, "the same seed gives another rule when it is fitted again: it", cure + KEEP, 0)


def check_state(s: Subject) -> None:
    """Training on other rows changes no rule that was learned before, and learns from these rows."""
    query = s.query()
    before = answers(s.fit.rule, query)
    turned = {"one": "two", "two": "three", "three": "one"}
    other = three_classes(s.fit.problem.seed + 7).iloc[::-1].reset_index(drop=True)
    other["y"] = other["y"].map(turned)
    with deed(s, "`path` on other rows"):
        dissimilarity, task = measured_task(other, s.single)
        rule = s.single.path(task, {}).at(0)
        codes = np.asarray(rule.predict("class", dissimilarity.query()))
        fewer = fit_to(other.iloc[:69], s.single)
    cure = "store what is learned in fields of the rule, not in a module, a class, or the model"
    require_same(s, answers(s.fit.rule, s.query()), before, "after the method was fitted to other rows, the rule before", cure, 0)
    wrong = float((codes != task.y).mean())
    require(
        wrong < MOST_WRONG,
        f"{s}: fitted to other rows of the same shape, it errs on {wrong:.2f} of them: it remembers something of the earlier rows; {cure}",
    )
    require(len(fewer.predict(s.new)) == len(s.new), f"{s}: a fit to fewer rows predicts the wrong number of rows")
    require_same(s, answers(s.fit.update().rule, s.query()), before, "fitted again after other rows, it", cure)


ANSWERS: tuple[Callable[[Subject], None], ...] = (
    check_kinds, check_rows_alone, check_far_rows, check_distances, check_state, check_moved,
)  # fmt: skip


FURTHER = 3  # values of a default grid that went on which are fitted


def check_grid(s: Subject) -> None:
    """A grid of several axes equals its points fitted one by one, in the order of their product."""
    order = [name for name in s.single.parameters() if name in s.values]  # that of the fields, as in a fit
    axes = {name: np.unique(np.array(s.values[name])) for name in order}
    if not axes:
        return
    task = s.task()
    whole = replace(s.single, **{name: v.tolist() for name, v in axes.items()})
    tuned = set(whole.tuned())
    few = [name for name, values in axes.items() if len(values) < 2]
    require(not few, f"{s}.example has one value of {few}, with which a wrong order of a grid can't be seen: add another")
    require(
        tuned == set(axes),
        f"{s}.example has {sorted(set(axes) - tuned)}, which can't be tuned: leave them out, or let them",
    )
    given = {name: values.copy() for name, values in axes.items()}
    path = whole.path(task, given)
    for name, values in given.items():
        require(np.array_equal(values, axes[name]), f"{s}: `path` writes into grid[{name!r}], which others use too: work on a copy")
    points = list(product(*(v.tolist() for v in axes.values())))
    require(
        np.shape(path.size) == (len(points),), f"{s}: a grid of {len(points)} points has sizes {np.shape(path.size)}"
    )
    query = s.query()
    every = answer(path, "class", query)
    shape = (len(query), len(points))
    require(every.shape == shape, f"{s}: a path predicts an array {every.shape}, and the grid needs {shape}")
    rules = [
        _check_point(s, path, g, dict(zip(axes, point, strict=True)), task, query, every[:, g])
        for g, point in enumerate(points)
    ]
    _check_rules_differ(s, axes, rules, query)


def _check_rules_differ(s: Subject, axes: dict[str, np.ndarray], rules: list[Rule], query: Query) -> None:
    """Along each axis the rules of the examples differ: a wrong order of equal rules can't be seen."""
    found = np.empty(len(rules), object)
    found[:] = [(rule.size, *answers(rule, query).values()) for rule in rules]
    table = found.reshape([len(values) for values in axes.values()])
    for a, (name, values) in enumerate(axes.items()):
        lines = np.moveaxis(table, a, 0).reshape(len(values), -1)
        for i in range(len(values) - 1):
            differ = any(not same(before, after) for before, after in zip(lines[i], lines[i + 1], strict=True))
            require(
                differ,
                f"{s}.example has {name}={values[i]} and {values[i + 1]}, whose rules are the same, so a wrong order of a grid "
                f"can't be detected: use values further apart, unless the method ignores {name}",
            )


def _check_point(
    s: Subject, path: Path, g: int, point: dict[str, Any], task: Task, query: Query, column: np.ndarray
) -> Rule:
    rule, alone = path.at(g), replace(s.single, **point).path(task, {}).at(0)
    order = "points run through the product of the axes, the last varying fastest"
    require(rule.size == path.size[g], f"{s}: at({g}) has size {rule.size}, but the path states {path.size[g]}: {order}")
    require(
        rule.size == alone.size, f"{s}: at {point} the path has size {rule.size}, fitted alone {alone.size}: {order}"
    )
    codes = answer(rule, "class", query)
    require((codes == column).all(), f"{s}: at({g}) predicts otherwise than the path's column {g}: {order}")
    if s.kind.can.warm_starts:
        return rule
    require_same(s, answers(rule, query), answers(alone, query), f"at {point} the path gives another rule than a fit alone: it", order, 0)
    return rule


def check_default_grid(s: Subject) -> None:
    """The grid that "grid" means is ascending and distinct, and every value fits the smallest training set of a fold."""
    for data, what in ((s.data, "rows of the check"), (uneven_classes(), "rows of uneven classes")):
        fold = np.arange(len(data)) % 4
        task = measured_task(data, s.single)[1]
        smallest = np.min([np.bincount(task.y[fold != f], minlength=task.classes) for f in range(4)], axis=0)
        part, _ = task.keep(fold != 0, 0)
        for parameter in sorted(set(s.single.parameters()) - s.kind.never_tuned):
            _check_default(s, parameter, task, smallest, part, what)


def _check_default(s: Subject, name: str, task: Task, smallest: np.ndarray, part: Task, what: str) -> None:
    default = next(f.default for f in fields(s.kind) if f.name == name)
    where = f"{s}: default_grid({name!r}) on {what}"
    try:
        replace(s.single, **{name: GRID})
    except ProtoclassError:
        return  # it can't be tuned over a grid of the method's own
    try:
        with deed(s, f"default_grid({name!r}) on {what}"):
            values = np.asarray(s.single.default_grid(name, task, smallest))
    except OptionError as reason:
        by_default = isinstance(default, str) and default == GRID
        require(not by_default, f"{where} is refused, and {name}='grid' is the default: {reason}")
        return
    require(values.ndim == 1 and len(values) > 0, f"{where} must be an array of at least one value, not of shape {values.shape}")
    require(
        len(set(values.tolist())) == len(values), f"{where} has values more than once, {_short(values)}: np.unique(...) makes them distinct"
    )
    if values.dtype.kind in "iuf":
        require(not bool(np.isnan(values).any()), f"{where} has NaN, {_short(values)}")
        require((np.diff(values) > 0).all(), f"{where} must be ascending, not {_short(values)}: the 1-SE rule and curves rely on it")
    ends = np.unique(np.array([0, len(values) - 1]))
    axes = {name: values[ends]}
    needs = s.single.rows_needed(axes, smallest, task.levels)
    require(
        (np.asarray(needs) <= smallest).all(),
        f"{where} has values that need {needs.max()} rows of a class, but a fold has {smallest.min()}: draw them from `smallest`",
    )
    with (
        accepted(f"{where} has values that the method refuses in a fold"),
        deed(s, f"`path` with the first and last value of default_grid({name!r}) on {what}, {_short(values[ends])},"),
    ):
        path = replace(s.single, **{name: axes[name].tolist()}).path(part, axes)
    require(np.shape(path.size) == (len(ends),), f"{where}: a path over {len(ends)} of its values has sizes {np.shape(path.size)}")


def _short(values: np.ndarray) -> str:
    return str(values.tolist()[:6])[:-1] + (", ...]" if len(values) > 6 else "]")


def check_larger(s: Subject) -> None:
    """A default grid goes on with values beyond its own, at which the path has the rules that they have alone."""
    task = s.task()
    smallest = np.bincount(task.y, minlength=task.classes)
    for name, further in s.kind.larger.items():
        where = f"{s.kind.__name__}.larger[{name!r}]"
        require(isinstance(further, Grid), f"{where} is a {type(further).__name__}: it must be a Grid, as pc.quantiles() is")
        tuned = replace(s.single, **{name: GRID})
        require(tuned.has_default_grid(name), f"{where} goes on with a grid that {name} can't have: it is never tuned")
        values, last = np.asarray(further.values(task)), tuned.grid(task, smallest)[name].max()
        fine = values.ndim == 1 and values.dtype.kind in "iuf" and (np.diff(values) > 0).all()
        require(fine, f"{where}.values(task) must be an array of numbers, each larger than the one before")
        beyond = values[values > last]
        require(
            len(beyond) > 0,
            f"{where} has no value beyond {last:.4g}, the last of the default grid on the check's rows: leave it out",
        )
        axes = {name: beyond[:FURTHER]}
        points = [{name: value} for value in axes[name].tolist()]
        with accepted(f"{where} draws values that the method refuses"):
            path = replace(tuned, **{name: axes[name].tolist()}).path(task, axes)
        query = s.query()
        every = answer(path, "class", query)
        for g, point in enumerate(points):
            _check_point(s, path, g, point, task, query, every[:, g])
