"""The contract of a method."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from ..core.query import Path as RulePath
from ..core.query import Query, Rule, answer, distances_by
from ..core.task import Points, Task
from ..estimation.cross_validation import KINDS
from ..export.saving import load
from ..fitting import cross_validate
from ..ground.checks import GRID
from ..ground.errors import ProtoclassError
from ..metrics.base import same
from ..models.base import Capabilities, Model
from ..models.registry import MODELS
from .contract import (
    BY_CLASS,
    RAW,
    Subject,
    accepted,
    answers,
    close,
    contested,
    fit_to,
    hold,
    measured_task,
    own_errors,
    pickled,
    require,
    require_same,
    three_classes,
    watching,
)


def check_model(model: Model | type[Model] | str, seed: int = 0) -> None:
    """Check that a custom method satisfies the requirements of the package.

    The method is fitted to small data, with weights from 0 to 3. The error describes the first
    check that fails and names the others; the checks are ordered so that the first one names the
    cause.

    * A method does not write into its arguments, does not use global random numbers, and stores
      nothing between fits.
    * A row has the same predictions alone and among others, and no rows have valid predictions. The
      largest decision or probability is the class. "distance" and "nearest" follow from the
      dissimilarities, or from declared distances of the rule.
    * `moved` changes only columns of D. A rule is the same if it is made again from its fields,
      pickled, saved and loaded.
    * A grid of several parameters equals its points fitted one by one. Default grids are ascending
      and accepted in every fold.
    * Weights count, and held-out rows do not affect a fold.

    Parameters
    ----------
    model : Model, subclass of Model, or name
        Method to check. A subclass is made with the first of its `example` values.
    seed : int
        Seed for the data of the check and the fits.

    Raises
    ------
    ContractError
        If a requirement is violated; the message names it, the data, and a remedy.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.testing.check_model(pc.KNN)
    """
    with own_errors(f"the check of {model}"):
        hold(subject_of(model, seed), CHECKS)


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
        not open_still,
        f"{kind.__name__}.example lacks values for {open_still}, which are tuned by default: add some",
    )
    data, new = three_classes(seed), three_classes(seed + 1).drop(columns="y")
    check_learning(single, data, new, seed)
    with own_errors(f"{kind.__name__}: a fit"):
        fitted = fit_to(data, single, seed=seed)
    return Subject(kind, single, values, data, new, fitted)


def check_declaration(kind: type[Model]) -> None:
    """The declarations of a class are right."""
    name = kind.__name__
    require(
        is_dataclass(kind), f"{name} is not a dataclass: write @dataclass(frozen=True) above it"
    )
    require(
        str(getattr(kind, "name", "")).isidentifier(),
        f"{name}.name must be an identifier, such as 'mmd'",
    )
    require(
        isinstance(kind.can, Capabilities),
        f"{name}.can must be a Capabilities, as in Capabilities(weights=True)",
    )
    parameters = {f.name for f in fields(kind)}
    strange = sorted({*kind.example, *kind.never_tuned, *kind.larger} - parameters)
    require(
        not strange,
        f"{name} names {strange}, which are not parameters: these are {sorted(parameters)}",
    )
    for parameter, values in kind.example.items():
        fine = isinstance(values, (tuple, list)) and len(values) > 0
        require(fine, f"{name}.example[{parameter!r}] must be a tuple of values, such as (1, 3)")


def check_weights(s: Subject) -> None:
    """Weights are counted where they are taken."""
    if not s.kind.can.weights:
        return
    data = contested()
    heavy = {
        part: data["part"].map({part: 1000.0, "R": 3.0}).fillna(1.0).to_numpy()
        for part in ("L", "A")
    }
    shared = data[data["part"].isin(["L", "R"])]
    proportion = {}
    for part, w in heavy.items():
        fitted = fit_to(data, s.single, "y ~ a + b", weights=w)
        proportion[part] = float((fitted.predict(shared) == "left").mean())
    require(
        proportion["L"] > proportion["A"] + 0.25,
        f"{s}: weights (task.w) seem to be ignored: of rows common to two classes, {proportion['L']:.2f} "
        "are predicted as the class with a "
        f"thousand times the weight there, and {proportion['A']:.2f} without this weight",
    )


def check_held_out(s: Subject) -> None:
    """Held-out rows reach no fold: other values or classes of them change no prediction of a row
    that stays."""
    n, draw = len(s.data), np.random.default_rng(3)
    fold = np.arange(n) // 3 % 2
    out = fold == 0
    moving = out & (np.arange(n) % 4 < 2)
    other = s.data.copy()
    other.loc[moving, ["a", "b", "c"]] = draw.normal(size=(moving.sum(), 3)) * [1, 40, 1600]
    other.loc[moving, "y"] = "one"
    found = [
        cross_validate("y ~ .", data, s.single, dissimilarity=RAW, cv=fold).held_out[0].astype(str)
        for data in (s.data, other)
    ]
    require(
        found[0][out & ~moving].equals(found[1][out & ~moving]),
        f"{s}: rows are predicted otherwise when values and classes of other held-out rows change: "
        "something is learned from held-out "
        "rows (`paths` must not use rows with fold == f)",
    )


def check_paths(s: Subject) -> None:
    """Folds that share work have the rules that they would have alone, and no prototype among the
    rows held out."""
    task = s.task()
    fold = np.arange(len(s.data)) // 3 % 4
    query = s.query()
    alone = dict(Model.paths(s.single, task, fold, 4, {}))
    for f, path in s.single.paths(task, fold, 4, {}):
        rule, other = path.at(0), alone[f].at(0)
        columns = rule.prototypes.at
        if columns is not None:
            row = task.candidate_row[columns]
            require(
                not (fold[row[row >= 0]] == f).any(),
                f"{s}: prototypes of fold {f} are rows that it holds out",
            )
        cure = (
            "yield (f, path) with the fold that the path leaves out, learn nothing from held-out "
            "rows, and draw with the seed of "
            "task.keep(fold != f, f)"
        )
        alike = f"in fold {f} `paths` gives another rule than `path` on its training rows alone: it"
        require_same(s, answers(rule, query), answers(other, query), alike, cure, 0)


KEEP = "store nothing between calls"


def check_path(name: str, path: Any, classes: int, columns: int) -> None:
    """A path has what every path has, and its first rule prototypes, kinds, a size and a report of
    the right types."""
    cure = "return RulePath((rule, ...)), a rule a point"
    require(
        hasattr(path, "at"), f"{name}: `path` returned a {type(path).__name__} without `at`: {cure}"
    )
    rule = path.at(0)
    points: Any = getattr(rule, "prototypes", None)
    kind = type(points).__name__
    require(
        isinstance(points, Points),
        f"{name}: the rule's prototypes must be pc.extend.Points(classes, at=...), not a {kind}",
    )
    lacks = [
        part for part in ("size", "kinds", "report", "predict", "moved") if not hasattr(rule, part)
    ]
    require(
        not lacks,
        f"{name}: the rule {type(rule).__name__} has no {lacks}: see `protoclass.core.query.Rule`",
    )
    size = rule.size
    require(
        (points.at is None) != (points.coords is None),
        f"{name}: Points must have either columns of D, at=, or coordinates, coords=, and not both",
    )
    for part, codes, most in (("classes", points.classes, classes), ("at", points.at, columns)):
        fine = codes is None or (codes.dtype.kind in "iu" and ((codes >= 0) & (codes < most)).all())
        require(fine, f"{name}: the {part} of Points must be whole numbers from 0 to {most - 1}")
    require(
        0 <= float(size) < np.inf,
        f"{name}: the size of the rule is {size!r}, and must be a finite number >= 0: the 1-SE rule compares sizes",
    )
    strange = [kind for kind in rule.kinds if kind not in KINDS]
    require(not strange, f"{name}: kinds must be among {KINDS}, not {strange}")
    require("class" in rule.kinds, f"{name}: 'class' must be among the rule's kinds")


def check_kinds(s: Subject) -> None:
    """Every kind has its shape, and kinds agree with one another, also at the rows of the fit."""
    training = s.data.drop(columns="y")
    for where, rows in (
        ("new rows", s.new),
        ("the rows of the fit, at distance 0 from prototypes", training),
        ("no rows at all", training[:0]),
    ):
        check_valid(s, s.fit.rule, s.query(rows), where)


def check_valid(s: Subject, rule: Rule, query: Query, where: str) -> dict[str, np.ndarray]:
    """Every kind has its shape and values that it may have; returns what the rule predicts."""
    classes, q, r = len(s.fit.classes), len(rule.prototypes), len(query)
    found = {}
    for kind in rule.kinds:
        found[kind] = values = np.asarray(rule.predict(kind, query))
        shape = (r, classes) if kind in BY_CLASS else (r,)
        require(
            values.shape == shape,
            f"{s}: predict({kind!r}) of {where} has shape {values.shape}, and needs {shape}",
        )
        if kind not in BY_CLASS:
            most = q if kind == "nearest" else classes
            low = 0 if kind == "class" else -1
            fine = (
                np.issubdtype(values.dtype, np.integer)
                and ((values >= low) & (values < most)).all()
            )
            require(
                fine,
                f"{s}: predict({kind!r}) of {where} must be whole numbers from {low} to {most - 1}",
            )
            continue
        require(
            not bool(np.isnan(values).any()),
            f"{s}: predict({kind!r}) of {where} has NaN: is 0 divided by 0, or does an exponential "
            "overflow? Subtract the largest exponent",
        )
    for kind in ("prob", "decision"):
        if kind in found:
            best = found[kind][np.arange(r), found["class"]] == found[kind].max(
                axis=1, initial=-np.inf
            )
            row = f"row {int(np.argmin(best))} of {where}" if not best.all() else ""
            require(
                best.all(),
                f"{s}: the class is not the one of the largest {kind!r}, at {row}: is its sign reversed?",
            )
    if "prob" in found:
        shares = (found["prob"] >= 0).all() and np.allclose(found["prob"].sum(axis=1), 1)
        require(
            shares, f"{s}: predict('prob') of {where} must be at least 0 and sum to 1 in each row"
        )
    return found


def check_rows_alone(s: Subject) -> None:
    """A new row is predicted alike, whatever rows it comes with: alone, in reverse, or twice."""
    together = answers(s.fit.rule, s.query())
    cure = "`predict` must treat each row by itself, and learn nothing from the rows to predict"
    for i in range(12):
        alone = answers(s.fit.rule, s.query(s.new.iloc[[i]]))
        require_same(
            s,
            alone,
            {kind: values[[i]] for kind, values in together.items()},
            f"new row {i} alone",
            cure,
        )
    reverse = answers(s.fit.rule, s.query(s.new.iloc[::-1]))
    require_same(
        s,
        reverse,
        {kind: values[::-1] for kind, values in together.items()},
        "another order of the rows",
        cure,
    )


def check_distances(s: Subject) -> None:
    """Distances to the classes and nearest prototypes follow from the dissimilarities, or from the
    distances of the rule."""
    for rows in (s.new, s.data.drop(columns="y")):
        check_by_distance(s, s.fit.rule, s.query(rows))


def check_by_distance(s: Subject, rule: Rule, query: Query) -> None:
    """Predictions of "distance" and "nearest" are what the dissimilarities say, or the distances of
    the rule if these are declared."""
    own_distances = s.fit.model.can.own_distances
    if len(rule.prototypes) == 0 or (own_distances and not hasattr(rule, "distances")):
        return  # it compares distances that it does not show
    D = np.asarray(
        distances_by(rule, query) if own_distances else query.dissimilarities(rule.prototypes)
    )
    cure = "use query.dissimilarities(self.prototypes), or declare can.own_distances"
    if "distance" in rule.kinds:
        by_class = [
            D[:, rule.prototypes.classes == c].min(axis=1, initial=np.inf)
            for c in range(len(s.fit.classes))
        ]
        fine = close(answer(rule, "distance", query), np.transpose(by_class))
        require(
            fine.all(),
            f"{s}: predict('distance') is not the lowest dissimilarity to a prototype of each "
            "class (inf if it has none), first in "
            f"row {int(np.argmin(fine.all(axis=1)))}: {cure}",
        )
    if "nearest" in rule.kinds:
        places = answer(rule, "nearest", query)
        fine = close(D[np.arange(len(D)), places], D.min(axis=1))
        require(
            (places >= 0).all() and fine.all(),
            f"{s}: predict('nearest') is prototype {places[int(np.argmin(fine))]} in row "
            f"{int(np.argmin(fine))}, which is not at the lowest "
            f"dissimilarity: return positions among the prototypes, D.argmin(axis=1), and {cure}",
        )


def check_moved(s: Subject) -> None:
    """A rule that was learned among a part of the candidates is the same rule among all of them."""
    task, query = s.task(), s.query()
    part, columns = task.keep(np.arange(len(task.y)) // 3 % 5 > 1, 0)
    rule = s.single.path(part, {}).at(0)
    among = Query(
        query.rows,
        lambda rows, points: query.measure(rows, points.moved(columns)),
        query.vectors,
        query.design,
        query.label,
    )
    want, moved = answers(rule, among), rule.moved(columns)
    cure = (
        "return dataclasses.replace(self, prototypes=self.prototypes.moved(columns)), if other "
        "columns of D become columns[field]"
    )
    require(
        same(moved.prototypes.at, rule.prototypes.moved(columns).at),
        f"{s}: moved(columns) of the rule must have the prototypes columns[at]: {cure}",
    )
    require_same(
        s,
        {k: v for k, v in answers(moved, query).items() if k in want},
        want,
        "a rule by moved(columns)",
        cure,
    )


def check_learning(model: Model, data: pd.DataFrame, new: pd.DataFrame, seed: int) -> None:
    """A method and its rule write into nothing that they are given, and give the same answers when
    they are asked again."""
    name = type(model).__name__
    dissimilarity, task = measured_task(data, model, seed)
    fold, asked = np.arange(len(data)) // 3 % 2, dissimilarity._new_query(new)[0]
    given = {
        "task.y": task.y,
        "task.w": task.w,
        "task.candidate_row": task.candidate_row,
        "task.D": task.D.array(),
    }
    given |= {"task.columns()": task.columns()}
    given |= {"task.coordinates()": task.coordinates()} if model.can.coordinates else {}
    with own_errors(f"{name}: `path`"):
        with watching(f"{name}: `path`", **given, fold=fold):
            path = model.path(task, {})
            check_path(name, path, task.classes, task.shape[1])
            folds = sorted(f for f, _ in model.paths(task, fold, 2, {}))
        require(
            folds == [0, 1],
            f"{name}: `paths` of 2 folds must yield (f, path) for each, f = 0 and 1, and yields {folds}",
        )
    rule, again = path.at(0), model.path(measured_task(data, model, seed)[1], {}).at(0)
    for kind in rule.kinds:
        what = f"{name}: predict({kind!r})"
        values = {"query.columns()": asked.columns()}
        values |= {"query.coordinates()": asked.coordinates()} if model.can.coordinates else {}
        with (
            own_errors(what),
            watching(
                what,
                **values,
                **{"query.dissimilarities(...)": asked.dissimilarities(rule.prototypes)},
            ),
        ):
            first = np.asarray(rule.predict(kind, asked))
        for what, other in (("a second call", rule), ("a second fit with the same seed", again)):
            cure = f"draw from np.random.default_rng(task.seed) in `path` and nothing in `predict`, and {KEEP}"
            require_same(
                name, {kind: np.asarray(other.predict(kind, asked))}, {kind: first}, what, cure, 0
            )


def check_grid(s: Subject) -> None:
    """A grid of several axes equals its points fitted one by one, in the order of their product."""
    # that of the fields, as in a fit
    order = [name for name in s.single.parameters() if name in s.values]
    axes = {name: np.unique(np.array(s.values[name])) for name in order}
    if not axes:
        return
    task = s.task()
    whole = replace(s.single, **{name: v.tolist() for name, v in axes.items()})
    path = whole.path(task, axes)
    points = list(product(*(v.tolist() for v in axes.values())))
    require(
        np.shape(path.size) == (len(points),),
        f"{s}: a grid of {len(points)} points has sizes {np.shape(path.size)}",
    )
    query = s.query()
    codes = answer(path, "class", query)
    for g, point in enumerate(points):
        check_point(s, path, g, dict(zip(axes, point, strict=True)), task, query, codes[:, g])


def check_point(
    s: Subject,
    path: RulePath,
    g: int,
    point: dict[str, Any],
    task: Task,
    query: Query,
    column: np.ndarray,
) -> Rule:
    rule, alone = path.at(g), replace(s.single, **point).path(task, {}).at(0)
    order = "points run through the product of the axes, the last varying fastest"
    require(
        rule.size == path.size[g] == alone.size,
        f"{s}: at {point} the path states size {path.size[g]} and its rule {rule.size}, but fitted "
        f"alone it has {alone.size}: {order}",
    )
    codes = answer(rule, "class", query)
    require(
        (codes == column).all(),
        f"{s}: at({g}) predicts otherwise than the path's column {g}: {order}",
    )
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
    """The grid that "grid" means is ascending and distinct, and its ends fit the smallest training
    set of a fold."""
    fold, task = np.arange(len(s.data)) % 4, measured_task(s.data, s.single)[1]
    smallest = np.min(
        [np.bincount(task.y[fold != f], minlength=task.classes) for f in range(4)], axis=0
    )
    part, _ = task.keep(fold != 0, 0)
    defaults = {f.name: f.default for f in fields(s.kind)}
    for name in sorted(set(s.single.parameters()) - s.kind.never_tuned):
        where = f"{s}: default_grid({name!r})"
        try:
            replace(s.single, **{name: GRID})
            values = np.asarray(s.single.default_grid(name, task, smallest))
        except ProtoclassError as reason:  # it can't be tuned over a grid of the method's own
            by_default = defaults[name] == GRID
            require(
                not by_default, f"{where} is refused, and {name}='grid' is the default: {reason}"
            )
            continue
        fine = values.ndim == 1 and len(values) > 0 and len(set(values.tolist())) == len(values)
        fine = fine and (values.dtype.kind not in "iuf" or bool((np.diff(values) > 0).all()))
        require(
            fine,
            f"{where} must be an array of different values, ascending, not {values.tolist()[:6]}: "
            "the 1-SE rule relies on it",
        )
        ends = values[np.unique([0, len(values) - 1])]
        with accepted(f"{where} has values that the method refuses in a fold"):
            replace(s.single, **{name: ends.tolist()}).path(part, {name: ends})


LEARNED = "store all that is learned in fields of the rule"


def check_fields(s: Subject) -> None:
    """A rule is a dataclass, and the same from a pickle."""
    rule = s.fit.rule
    name = type(rule).__name__
    cure = "write @dataclass(frozen=True) above it, and @pc.extend.savable above that"
    require(is_dataclass(rule), f"{s}: the rule {name} is not a dataclass: {cure}")
    want = answers(rule, s.query())
    require_same(
        s, answers(pickled(rule, f"the rule of {s}"), s.query()), want, "a pickled rule", LEARNED, 0
    )


def check_files(s: Subject) -> None:
    """A fit that was saved and loaded gives the same answers."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(MODELS, {s.kind.name: s.kind}):
        path = Path(folder) / "check.proto"
        rule = type(s.fit.rule).__name__
        cure = (
            f"write @pc.extend.savable above {rule}, and above every class of its fields, with "
            "the axes that these have"
        )
        try:
            s.fit.save(path)
            loaded = load(path)
        except ProtoclassError as reason:
            require(
                False,
                f"{s}: a fit can't be saved and loaded, because the rule or the method can't be: {reason}; {cure}",
            )
        found = answers(loaded.rule, loaded._query(s.new)[0])
    require(
        loaded.model == s.fit.model,
        f"{s}: a saved and loaded fit has other parameters, {loaded.model} instead of {s.fit.model}",
    )
    require_same(
        s, found, answers(s.fit.rule, s.query()), "a fit that was saved and loaded", LEARNED, 0
    )


CHECKS: tuple[Callable[[Subject], None], ...] = (
    check_kinds, check_rows_alone, check_distances, check_moved, check_fields, check_files,
    check_grid, check_default_grid, check_weights, check_paths, check_held_out,
)  # fmt: skip
