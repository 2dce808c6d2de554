"""The contract of a method with all its details, of which the package checks the most important."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from thorough_contract import Subject, deed, modules_of, own_errors, uneven_classes, watching

from protoclass.core.query import Path as RulePath
from protoclass.core.query import Query, Rule, answer, distances_by
from protoclass.core.task import Points, Task
from protoclass.estimation.fitted import KINDS
from protoclass.export.saving import load
from protoclass.fitting import cross_validate
from protoclass.ground.checks import GRID
from protoclass.ground.errors import OptionError, ProtoclassError
from protoclass.metrics.base import same
from protoclass.models.base import Capabilities, Model
from protoclass.models.registry import MODELS
from protoclass.testing.contract import (
    BY_CLASS,
    RAW,
    accepted,
    answers,
    close,
    contested,
    fit_to,
    hold,
    measured_task,
    pickled,
    registered,
    require,
    require_same,
    three_classes,
)


def subject_of(model: Model | type[Model] | str, seed: int) -> Subject:
    """The fit that is checked, after the checks of what it is made from."""
    given: Any = MODELS[model] if isinstance(model, str) and model in MODELS else model
    kind: type[Model] = given if isinstance(given, type) else type(given)
    require(
        issubclass(kind, Model),
        f"{model!r} must be a model, a subclass of protoclass.Model or the name of a method",
    )
    check_declaration(kind)
    values = {name: tuple(v) for name, v in kind.example.items()}
    first = {name: v[0] for name, v in values.items()}
    single = (
        kind(**first)
        if isinstance(given, type)
        else replace(given, **{k: first[k] for k in given.tuned() if k in first})
    )
    open_still = list(single.tuned())
    require(
        not open_still, f"{kind.__name__}.example lacks values for {open_still}, which are tuned by default: add some"
    )
    data, new = three_classes(seed), three_classes(seed + 1).drop(columns="y")
    check_learning(single, data, new, seed)
    with own_errors(f"{kind.__name__}: a fit", modules_of(kind)):
        fitted = fit_to(data, single, seed=seed)
    return Subject(kind, single, values, data, new, fitted)


def hold_watched(subject: Subject, checks: Iterable[Callable[[Subject], None]]) -> None:
    """All checks hold, and none of the functions that they call writes into the fit."""
    frame, rep = subject.fit.frame, subject.fit.dissimilarity.rows
    own = {"codes": frame.codes, "weights": frame.weights, "table": frame.columns, "rows": rep[0]}

    def watched(check: Callable[[Subject], None]) -> Callable[[Subject], None]:
        def claim(subject: Subject) -> None:
            what = f"the check of {check.__name__.removeprefix('check_').replace('_', ' ')}"
            with watching(f"{subject}: a function that {what} calls", **own), deed(subject, what):
                check(subject)

        return wraps(check)(claim)

    hold(subject, map(watched, checks))


def check_declaration(kind: type[Model]) -> None:
    """What a class says of itself before anything is fitted."""
    name = kind.__name__
    require(is_dataclass(kind), f"{name} is not a dataclass: write @dataclass(frozen=True) above it")
    require(
        isinstance(getattr(kind, "name", None), str) and kind.name.isidentifier(),
        f"{name}.name must be an identifier, such as 'mmd'",
    )
    require(isinstance(kind.can, Capabilities), f"{name}.can must be a Capabilities, as in Capabilities(weights=True)")
    parameters = {f.name for f in fields(kind)}
    for what, names in (
        ("example", set(kind.example)),
        ("never_tuned", set(kind.never_tuned)),
        ("as_repeats", set(kind.as_repeats or ())),
        ("larger", set(kind.larger)),
    ):
        strange = sorted(names - parameters)
        require(not strange, f"{name}.{what} names {strange}, which are not parameters: these are {sorted(parameters)}")
    require(
        not kind.can.radius or kind.can.radius in parameters,
        f"{name}.can.radius={kind.can.radius!r} is not a parameter",
    )
    strange = sorted(set(kind.can.candidates) - {"subset", "unlabelled"})
    require(not strange, f"{name}.can.candidates must be 'subset' or 'unlabelled', not {strange}")
    for parameter, values in kind.example.items():
        fine = isinstance(values, (tuple, list)) and len(values) > 0
        require(fine, f"{name}.example[{parameter!r}] must be a tuple of values, such as (1, 3)")


def check_weights(s: Subject) -> None:
    """Weights are counted where they are taken."""
    if not s.kind.can.weights:
        return
    data = contested()
    heavy = {part: data["part"].map({part: 1000.0, "R": 3.0}).fillna(1.0).to_numpy() for part in ("L", "A")}
    shared = data[data["part"].isin(["L", "R"])]
    said = {}
    for part, w in heavy.items():
        fitted = fit_to(data, s.single, "y ~ a + b", weights=w)
        said[part] = float((fitted.predict(shared) == "left").mean())
    require(
        said["L"] > said["A"] + 0.25,
        f"{s}: weights (task.w) seem to be ignored: of rows common to two classes, {said['L']:.2f} are predicted as the class with a "
        f"thousand times the weight there, and {said['A']:.2f} without this weight",
    )
    if s.kind.as_repeats is not None:
        _check_repeats(s, s.kind.as_repeats)


def _check_repeats(s: Subject, parameters: Mapping[str, Any]) -> None:
    model, data = replace(s.single, **parameters), s.data.iloc[:60]
    copies = data.iloc[::3].assign(y=data["y"].iloc[1::3].to_numpy())  # with other classes, which weight 0 makes void
    w = 1 + np.digitize(data["a"], np.quantile(data["a"], [0.4, 0.8]))  # heavy rows lie on one side
    data, w = pd.concat([data, copies], ignore_index=True), np.concatenate([w, np.zeros(20, int)])
    weighted = fit_to(data, model, weights=w.astype(float))
    repeated = data.loc[data.index.repeat(w)].reset_index(drop=True)
    plain = fit_to(repeated, model)
    a, b = weighted.predict(s.new), plain.predict(s.new)
    meaning = "as_repeats means that a row of weight 2 counts as two rows, and a row of weight 0 as none"
    require(
        a.equals(b),
        f"{s}: weights from 0 to 3 predict otherwise than repeated rows, with {dict(parameters)}: {meaning}",
    )
    found, want = (
        {kind: v for kind, v in answers(f.rule, f.query(s.new)[0]).items() if kind in BY_CLASS}
        for f in (weighted, plain)
    )
    require_same(
        s, found, want, f"with weights from 0 to 3 instead of repeated rows, {dict(parameters)}", meaning, 1e-6
    )


def check_held_out(s: Subject) -> None:
    """Held-out rows reach no fold: other values or classes of them change no prediction of a row that stays."""
    n, draw = len(s.data), np.random.default_rng(3)
    fold = np.arange(n) // 3 % 2
    out = fold == 0
    moving = out & (np.arange(n) % 4 < 2)
    values, classes = s.data.copy(), s.data.copy()
    values.loc[moving, ["a", "b", "c"]] = draw.normal(size=(moving.sum(), 3)) * [1, 40, 1600]
    classes.loc[moving, "y"] = "one"
    found = [cross_validate("y ~ .", data, s.single, dissimilarity=RAW, cv=fold) for data in (s.data, values, classes)]
    stay = out & ~moving
    for what, other in zip(("values", "classes"), found[1:], strict=True):
        sizes = found[0].fold_sizes.iloc[0, 0], other.fold_sizes.iloc[0, 0]
        require(
            sizes[0] == sizes[1], f"{s}: the size of a fold's rule changes from {sizes[0]:g} to {sizes[1]:g} with the {what} of rows "
            "that are held out",
        )  # fmt: skip
        predicted, changed = (v.held_out.loc[stay, 0].astype(str).to_numpy() for v in (found[0], other))
        require(
            (predicted == changed).all(),
            f"{s}: {(predicted != changed).sum()} of {stay.sum()} rows are predicted otherwise when the {what} of other "
            "held-out rows change: something is learned from held-out rows (`paths` must not use rows with fold == f)",
        )  # fmt: skip


def check_paths(s: Subject) -> None:
    """Folds that share work have the rules that they would have alone, and no prototype among the rows held out."""
    task = s.task()
    fold = np.arange(len(s.data)) // 3 % 4
    query = s.query()
    alone = dict(Model.paths(s.single, task, fold, 4, {}))
    for f, path in s.single.paths(task, fold, 4, {}):
        rule, other = path.at(0), alone[f].at(0)
        at = rule.prototypes.at
        if at is not None:
            row = task.candidate_row[at]
            require(not (fold[row[row >= 0]] == f).any(), f"{s}: prototypes of fold {f} are rows that it holds out")
        cure = (
            "yield (f, path) with the fold that the path leaves out, learn nothing from held-out rows, and draw with the seed of "
            "task.keep(fold != f, f)"
        )
        alike = f"in fold {f} `paths` gives another rule than `path` on its training rows alone: it"
        require_same(s, answers(rule, query), answers(other, query), alike, cure, 0)


KEEP = "store nothing between calls"
MOST_WRONG = 0.35  # proportion of the training rows of three classes that hardly overlap
ALONE = 12  # new rows that are measured alone


def check_path(name: str, path: Any, classes: int, columns: int) -> None:
    """A path has what every path has, and its first rule prototypes, kinds, a size and a report of the right types."""
    cure = "return RulePath((rule, ...)), a rule a point"
    require(hasattr(path, "at"), f"{name}: `path` returned a {type(path).__name__} without `at`: {cure}")
    rule = path.at(0)
    points: Any = getattr(rule, "prototypes", None)
    kind = type(points).__name__
    require(
        isinstance(points, Points),
        f"{name}: the rule's prototypes must be pc.extend.Points(classes, at=...), not a {kind}",
    )
    lacks = [part for part in ("size", "kinds", "report", "predict", "moved") if not hasattr(rule, part)]
    require(not lacks, f"{name}: the rule {type(rule).__name__} has no {lacks}: see `protoclass.core.task.Rule`")
    size = rule.size
    q = len(points)
    arrays = {
        "classes": points.classes,
        "at": points.at,
        "radii": points.radii,
        "coords": points.coords,
        **points.table,
    }
    for part, values in arrays.items():
        fine = values is None or (isinstance(values, np.ndarray) and len(values) == q)
        require(
            fine,
            f"{name}: Points has {q} classes, so its {part} must be an array with {q} entries, not {_shape(values)}",
        )
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
    for where, rows in (
        ("new rows", s.new),
        ("the rows of the fit, at distance 0 from prototypes", own),
        ("no rows at all", own[:0]),
    ):
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
        require(
            values.dtype.kind == "f",
            f"{s}: predict({kind!r}) of {where} must be floating-point numbers, not {values.dtype}",
        )
        require(
            not bool(np.isnan(values).any()),
            f"{s}: predict({kind!r}) of {where} has NaN: is 0 divided by 0, or does an exponential overflow? Subtract the largest exponent",
        )
    for kind in ("prob", "decision"):
        if kind in found:
            best = found[kind][np.arange(r), found["class"]] == found[kind].max(axis=1, initial=-np.inf)
            row = f"row {int(np.argmin(best))} of {where}" if not best.all() else ""
            require(
                best.all(), f"{s}: the class is not the one of the largest {kind!r}, at {row}: is its sign reversed?"
            )
    if "prob" in found:
        shares = (found["prob"] >= 0).all() and np.allclose(found["prob"].sum(axis=1), 1)
        require(shares, f"{s}: predict('prob') of {where} must be at least 0 and sum to 1 in each row")
    if "distance" in found:
        require((found["distance"] >= 0).all(), f"{s}: predict('distance') of {where} must be at least 0")
    if {"nearest", "distance"} <= set(found):
        held = found["nearest"] >= 0
        own = found["distance"][np.flatnonzero(held), rule.prototypes.classes[found["nearest"][held]]]
        agree = (own == found["distance"][held].min(axis=1, initial=np.inf)).all()
        require(
            agree, f"{s}: the nearest prototype must be of the class with the lowest distance, but is not at {where}"
        )
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
    require_same(
        s, reverse, {kind: values[::-1] for kind, values in together.items()}, "another order of the rows", cure
    )


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
    require(
        D.shape == measured.shape,
        f"{s}: `distances` gives an array {D.shape}, and needs rows by prototypes, {measured.shape}",
    )
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
        query.rows,
        lambda rows, points: query.measure(rows, points.moved(columns)),
        query.vectors,
        query.design,
        query.label,
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
        kept = (
            set(points.table) == set(moved.prototypes.table)
            and moved.size == rule.size
            and set(moved.report) == set(rule.report)
        )
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
        require(
            folds == [0, 1],
            f"{name}: `paths` of 2 folds must yield (f, path) for each, f = 0 and 1, and yields {folds}",
        )
        again = model.path(measured_task(data, model, seed)[1], {}).at(0)
    asked = dissimilarity.new_query(new)[0]
    for kind in rule.kinds:
        query = dissimilarity.new_query(new)[0]
        what = f"{name}: predict({kind!r})"
        with own_errors(what, modules_of(type(model)) | {type(rule).__module__}):
            with watching(what, **of_query(query, rule)):
                first = np.asarray(rule.predict(kind, query))
            second, other = np.asarray(rule.predict(kind, asked)), np.asarray(again.predict(kind, asked))
        require_same(
            name, {kind: second}, {kind: first}, "when called a second time, the rule", f"draw nothing, and {KEEP}", 0
        )
        cure = "draw from np.random.default_rng(task.seed) only, and "
        require_same(
            name,
            {kind: other},
            {kind: second},
            "the same seed gives another rule when it is fitted again: it",
            cure + KEEP,
            0,
        )


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
    require(
        not few, f"{s}.example has one value of {few}, with which a wrong order of a grid can't be seen: add another"
    )
    require(
        tuned == set(axes),
        f"{s}.example has {sorted(set(axes) - tuned)}, which can't be tuned: leave them out, or let them",
    )
    given = {name: values.copy() for name, values in axes.items()}
    path = whole.path(task, given)
    for name, values in given.items():
        require(
            np.array_equal(values, axes[name]),
            f"{s}: `path` writes into grid[{name!r}], which others use too: work on a copy",
        )
    points = list(product(*(v.tolist() for v in axes.values())))
    require(
        np.shape(path.size) == (len(points),), f"{s}: a grid of {len(points)} points has sizes {np.shape(path.size)}"
    )
    query = s.query()
    every = answer(path, "class", query)
    shape = (len(query), len(points))
    require(every.shape == shape, f"{s}: a path predicts an array {every.shape}, and the grid needs {shape}")
    for g, point in enumerate(points):
        check_point(s, path, g, dict(zip(axes, point, strict=True)), task, query, every[:, g])


def check_point(
    s: Subject, path: RulePath, g: int, point: dict[str, Any], task: Task, query: Query, column: np.ndarray
) -> Rule:
    rule, alone = path.at(g), replace(s.single, **point).path(task, {}).at(0)
    order = "points run through the product of the axes, the last varying fastest"
    require(
        rule.size == path.size[g], f"{s}: at({g}) has size {rule.size}, but the path states {path.size[g]}: {order}"
    )
    require(
        rule.size == alone.size, f"{s}: at {point} the path has size {rule.size}, fitted alone {alone.size}: {order}"
    )
    codes = answer(rule, "class", query)
    require((codes == column).all(), f"{s}: at({g}) predicts otherwise than the path's column {g}: {order}")
    if s.kind.can.warm_starts:
        return rule
    require_same(
        s,
        answers(rule, query),
        answers(alone, query),
        f"at {point} the path gives another rule than a fit alone: it",
        order,
        0,
    )
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
    require(
        values.ndim == 1 and len(values) > 0,
        f"{where} must be an array of at least one value, not of shape {values.shape}",
    )
    require(
        len(set(values.tolist())) == len(values),
        f"{where} has values more than once, {_short(values)}: np.unique(...) makes them distinct",
    )
    if values.dtype.kind in "iuf":
        require(not bool(np.isnan(values).any()), f"{where} has NaN, {_short(values)}")
        require(
            (np.diff(values) > 0).all(),
            f"{where} must be ascending, not {_short(values)}: the 1-SE rule and curves rely on it",
        )
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
    require(
        np.shape(path.size) == (len(ends),),
        f"{where}: a path over {len(ends)} of its values has sizes {np.shape(path.size)}",
    )


def _short(values: np.ndarray) -> str:
    return str(values.tolist()[:6])[:-1] + (", ...]" if len(values) > 6 else "]")


LEARNED = "store all that is learned in fields of the rule"


def check_fields(s: Subject) -> None:
    """A rule can be made again from its fields, and from a pickle."""
    rule = s.fit.rule
    name = type(rule).__name__
    cure = "write @dataclass(frozen=True) above it, and @pc.extend.savable above that"
    require(is_dataclass(rule), f"{s}: the rule {name} is not a dataclass: {cure}")
    values = {f.name: getattr(rule, f.name) for f in fields(rule) if f.init}  # type: ignore[arg-type]
    with deed(s, f"the rule, made again from its fields as {name}(...),"):
        made = type(rule)(**values)
        found = answers(made, s.query())
    want = answers(rule, s.query())
    beyond = f"the rule {name} depends on more than its fields, so a copy made from them"
    require_same(s, found, want, beyond, "make it a field", 0)
    require_same(s, answers(pickled(rule, f"the rule of {s}"), s.query()), want, "a pickled rule", LEARNED, 0)


def check_files(s: Subject) -> None:
    """A fit that was saved and loaded gives the same answers."""
    _check_file(s, s.new)
    uneven = uneven_classes()  # with another number of columns than of classes
    _check_file(replace(s, fit=fit_to(uneven, s.single)), uneven.drop(columns="y"))


def _check_file(s: Subject, new: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder, registered(MODELS, {s.kind.name: s.kind}):
        path = Path(folder) / "check.proto"
        rule = type(s.fit.rule).__name__
        cure = (
            f"write @pc.extend.savable above {rule}, and above every class of its fields, with the axes that these have"
        )
        try:
            s.fit.save(path)
            loaded = load(path)
        except ProtoclassError as reason:
            require(
                False,
                f"{s}: a fit can't be saved and loaded, because the rule or the method can't be: {reason}; {cure}",
            )
        with deed(s, "a prediction of a fit that was saved and loaded"):
            found = answers(loaded.rule, loaded.query(new)[0])
        require(
            loaded.model == s.fit.model,
            f"{s}: a saved and loaded fit has other parameters, {loaded.model} instead of {s.fit.model}",
        )
    require_same(s, found, answers(s.fit.rule, s.query(new)), "a fit that was saved and loaded", LEARNED, 0)
