"""The contract of a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd

from ..core.query import answer
from ..core.task import COVERED, Points, Rule, Stepwise, Task
from ..fitting import cross_validate, fit
from ..ground.errors import ProtoclassError
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import unlabelled
from ..models.base import Capabilities, Model
from ..models.registry import MODELS
from .answers import (
    ANSWERS,
    MOST_WRONG,
    check_by_distance,
    check_default_grid,
    check_grid,
    check_larger,
    check_learning,
    check_valid,
)
from .contract import (
    BY_CLASS,
    RAW,
    ContractError,
    Subject,
    answers,
    contested,
    deed,
    first_difference,
    fit_to,
    hold,
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
from .covers import check_balls, check_first
from .measured import check_fields, check_files, check_sql


def check_report(s: Subject) -> None:
    """Objective, balls and gains, and what the method says of its rule in words."""
    can, rule, learned, model = s.kind.can, s.fit.rule, s.fit.learned, s.fit.model
    require(
        not can.objective or "objective" in rule.report,
        f"{s}: can.objective is declared, and the report has no 'objective'",
    )
    require(
        "objective" not in rule.report or can.objective,
        f"{s}: the report has an objective: declare can.objective",
    )
    balls = "cover" in rule.kinds and rule.prototypes.radii is not None
    require(balls or not can.balls, f"{s}: can.balls is declared, and the rule has no radii or no kind 'cover'")
    require(not balls or can.balls, f"{s}: the prototypes have balls: declare can.balls")
    gains = set(COVERED) <= set(rule.prototypes.table)
    require(gains or not can.gains, f"{s}: can.gains is declared, and prototypes have no columns covers and miscovers")
    if model.has("bound"):
        table = model.bound(learned, 0.05)
        fine = {"tail_bound", "bound", "simple_bound", "proved", "reasons"} <= set(table) and (
            (table["tail_bound"] >= 0) & (table["tail_bound"] <= table["bound"]) & (table["bound"] <= 1)
        ).all()
        require(
            fine,
            f"{s}: bound must give a table with tail_bound <= bound, both from 0 to 1, simple_bound, proved and reasons",
        )
    if model.has("notes"):
        require(isinstance(model.notes(learned), list), f"{s}: notes(learned) must be a list")
    if model.has("feature_table"):
        require(isinstance(model.feature_table(learned), pd.DataFrame), f"{s}: feature_table(learned) must be a DataFrame")
    if model.has("explain"):
        sentences = model.explain(learned, s.fit.query()[0].take(slice(0, 1)))
        require(bool(sentences) and all(isinstance(t, str) for t in sentences), f"{s}: explain must give sentences")
    if model.has("conditions"):
        for condition in model.conditions(learned, s.fit.query()[0]):
            fine = len(condition.values) == len(s.fit.frame) and not (condition.removed & ~condition.there).any()
            require(fine, f"{s}: conditions must return a value for each row, and removes only existing rows")


def check_nearest(s: Subject) -> None:
    """Where the rule is that of the nearest prototype, the class is the nearest prototype's."""
    if not s.kind.can.nearest:
        return
    rule, query = s.fit.rule, s.query()
    require("nearest" in rule.kinds, f"{s}: can.nearest is declared, and the rule has no kind 'nearest'")
    near, codes = answer(rule, "nearest", query), answer(rule, "class", query)
    same = rule.prototypes.classes[near[near >= 0]] == codes[near >= 0]
    require(same.all(), f"{s}: can.nearest is declared, but the class is not the class of the nearest prototype")


def check_candidates(s: Subject) -> None:
    """Candidates of each declared kind are taken."""
    if s.single != s.kind(**{name: values[0] for name, values in s.values.items()}):
        return  # other parameters may allow fewer kinds
    given = {"subset": 40, "unlabelled": unlabelled(s.new.set_axis([f"new {i}" for i in range(len(s.new))]))}
    for kind in sorted(s.kind.can.candidates):
        fitted = fit_to(s.data, s.single, candidates=given[kind])
        row = fitted.prototype_row
        require(fitted.training_error() < 0.5, f"{s}: with candidates of kind {kind!r} it errs on half of the rows")
        require(
            kind != "subset" or (row >= 0).all(), f"{s}: with candidates=40, a part of the rows, a prototype is not a row"
        )


def check_costs(s: Subject) -> None:
    """The rule at its own cost is the rule."""
    if not s.kind.can.costs or (s.kind.can.costs is not True and not isinstance(s.fit.rule, Stepwise)):
        return
    require(hasattr(s.fit.rule, "at_cost"), f"{s}: can.costs is declared, and the rule has no at_cost(lambda_)")
    own = s.fit.rule.at_cost(s.fit.parameters()["lambda_"])  # type: ignore[attr-defined]
    require(
        len(own.prototypes) == len(s.fit.rule.prototypes), f"{s}: at_cost at the rule's own lambda_ is another rule"
    )


def check_solvers(s: Subject) -> None:
    """Every declared solver is one, and gives a certificate where these are declared."""
    can = s.kind.can
    for solver in can.solvers:
        changes: dict[str, Any] = {"solver": solver, **({"certify": True} if can.certificate else {})}
        other = replace(s.single, **changes)
        fitted = fit_to(s.data, other)
        require(
            not can.certificate or "certificate" in fitted.rule.report, f"{s}: solver={solver!r} gives no certificate"
        )


def check_bounds(s: Subject) -> None:
    """Bounds of steps and over the grid are there where they are declared."""
    can, rule, learned = s.kind.can, s.fit.rule, s.fit.learned
    if s.kind.has("step_bounds"):
        bounds = s.fit.model.step_bounds(learned)
        assert isinstance(rule, Stepwise)
        require(len(bounds) == len(next(iter(rule.steps.values()))), f"{s}: one bound a step is needed")
    if can.grid_bounds:
        chosen = fit(
            "y ~ .", s.data, s.kind(**{k: list(v) for k, v in s.values.items()}), dissimilarity=RAW, choose="bound"
        )
        bounded = chosen.validation is not None and "bound" in chosen.validation.table
        require(bounded, f"{s}: can.grid_bounds is declared, and its path has no bounds")


def check_explanations(s: Subject) -> None:
    """Alternatives say something of every prototype, and criticisms are rows, the worst first, as many as are asked for at most."""
    if s.single != s.kind(**{name: values[0] for name, values in s.values.items()}):
        return  # with other parameters there may be no such program
    if s.kind.has("alternatives"):
        result = s.fit.alternatives(seconds=5.0, progress=False)
        fine = len(result.table) == len(s.fit.rule.prototypes) and (result.table["at_least"] <= result.table["cost_without"]).all()
        require(fine, f"{s}: alternatives must give each prototype a cost with its lower bound")
        require(result.optimum.least <= result.objective + 1e-9, f"{s}: alternatives gives an optimum above the objective")
    if s.kind.has("criticise"):
        worst = 0.0
        for n in (len(s.data), 12, 3):
            found = s.fit.criticisms(n=n, progress=False)
            table, score = found.table, np.abs(found.table[found.score].to_numpy(float))
            require(len(table) <= n and table.index.is_unique, f"{s}: criticise must give n different rows at most")
            require(
                (np.diff(score) <= 1e-9).all(),
                f"{s}: criticise must give the worst row first: |{found.score}| is {score.round(6).tolist()}",
            )
            worst = max(worst, score.max(initial=0))
            require(
                score.max(initial=0) == worst,
                f"{s}: criticise(n={n}) leaves out the worst row: |{found.score}| is up to {worst:g}",
            )


CAPABILITIES: tuple[Callable[[Subject], None], ...] = (
    check_report, check_nearest, check_candidates, check_costs, check_solvers, check_bounds,
    check_explanations,
)  # fmt: skip


RANDOM_CHOICES = 30


def check_model(model: Model | type[Model] | str, seed: int = 0) -> None:
    """Check that a custom method satisfies the requirements of the package.

    The method is fitted to small data: with even and uneven classes, without a class, and with weights from 0 to 3. The error describes
    the first check that fails and names the others; the checks are ordered so that the first one names the cause.

    * A method does not write into its arguments, does not use global random numbers, and keeps nothing between fits.
    * A row has the same predictions alone and among others. No rows and rows far away have valid predictions. The largest decision or
      probability is the class. "distance" and "nearest" follow from the dissimilarities, or from declared distances of the rule.
    * `moved` changes only columns of D. A rule is the same if it is made again from its fields, pickled, saved and loaded, and in SQL.
    * A grid of several parameters equals its points fitted one by one. Default grids are ascending and accepted in every fold.
    * Weights count, and held-out rows do not affect a fold.
    * Balls, gains, objectives and steps agree with their definitions, also after a swap. The loss is lower than for random prototypes.
    * The method has what `can` declares, and declares what it has.

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
    subject = Subject(kind, single, values, data, new, fitted)
    frame = fitted.frame
    own = {"codes": frame.codes, "weights": frame.weights, "table": frame.columns, "rows": fitted.dissimilarity.rows[0]}

    def watched(check: Callable[[Subject], None]) -> Callable[[Subject], None]:
        def claim(subject: Subject) -> None:
            what = f"the check of {check.__name__.removeprefix('check_').replace('_', ' ')}"
            with watching(f"{subject}: a function that {what} calls", **own), deed(subject, what):
                check(subject)

        return wraps(check)(claim)

    hold(subject, map(watched, CHECKS))


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


def check_quality(s: Subject) -> None:
    """The rule is better than none."""
    error = s.fit.training_error()
    require(error < MOST_WRONG, f"{s}: the training error is {error:.2f} on three classes that hardly overlap")


def check_uneven(s: Subject) -> None:
    """Classes of uneven sizes are learned, in columns of several kinds, and any class may be missing from a training set."""
    dissimilarity, task = measured_task(uneven_classes(), s.single)
    where = "classes of 36, 19 and 9 rows (columns that are skewed, counts or constant)"
    with deed(s, f"a fit to {where}"):
        rule = s.single.path(task, {}).at(0)
    found = check_valid(s, rule, dissimilarity.query(), where)
    wrong = float((found["class"] != task.y).mean())
    require(wrong < MOST_WRONG, f"{s}: the training error is {wrong:.2f} on {where}, which hardly overlap")
    for c in range(task.classes):
        _check_without(s, task.keep(task.y != c, 0)[0], c, dissimilarity, "of which the training rows have none, as in a fold")
    fold = np.where(task.y == 2, 0, 1 + np.arange(len(task.y)) % 2)
    with deed(s, "cross-validation in which a fold holds out all rows of a class"):
        unless_refused(lambda: cross_validate("y ~ .", uneven_classes(), s.single, dissimilarity=RAW, cv=fold))


def check_weightless(s: Subject) -> None:
    """A class whose rows all have weight 0 is not learned."""
    if not s.kind.can.weights:
        return
    dissimilarity, task = measured_task(uneven_classes(), s.single)
    for c in range(task.classes):
        unweighted = replace(task, w=np.where(task.y == c, 0.0, task.w))
        _check_without(s, unweighted, c, dissimilarity, "whose rows all have weight 0")


def _check_without(s: Subject, task: Task, c: int, dissimilarity: Dissimilarity, which: str) -> None:
    where = f"class {c}, {which}"
    present = np.bincount(task.y[task.w > 0], minlength=task.classes)
    if (present < s.single.rows_needed({}, present, task.levels)).any():
        return  # whoever asks for a fit gets that error
    cure = "leave the class out of what is learned, or state in `rows_needed` how many rows it needs"
    with deed(s, f"a fit without {where}"):
        path = unless_refused(s.single.path, task, {})
    if path is None:
        return
    columns = np.flatnonzero(np.isin(dissimilarity.data.codes, task.y[task.w > 0])) if len(task.y) < dissimilarity.shape[0] else None
    rule = path.at(0) if columns is None else path.moved(columns).at(0)
    query = dissimilarity.query()
    found = check_valid(s, rule, query, f"a fit without {where}")
    require(not (found["class"] == c).any(), f"{s}: the rule predicts {where}: use the class codes of task.y, and {cure}")
    require(not (rule.prototypes.classes == c).any(), f"{s}: the rule has prototypes of {where}; {cure}")
    check_by_distance(s, rule, query, f", without {where},")
    rows = np.flatnonzero(np.isin(dissimilarity.data.codes, task.y[task.w > 0]))
    wrong = float((found["class"][rows] != dissimilarity.data.codes[rows]).mean())
    require(wrong < MOST_WRONG, f"{s}: without {where}, the error on the rows of the other classes is {wrong:.2f}; {cure}")


def check_loss(s: Subject) -> None:
    """What the method makes small is smaller than for prototypes chosen at random."""
    task = s.task()
    mine = s.fit.rule.prototypes
    own = s.fit.model.loss(task, mine)
    if own is None:
        return
    draw = np.random.default_rng(s.fit.problem.seed)
    for _ in range(RANDOM_CHOICES):
        other = s.fit.model.loss(task, _random_choice(task, mine, draw))
        require(
            other is not None and own <= other + 1e-9 * abs(other),
            f"{s}: its loss is {own:.6g}, and prototypes chosen at random have {other:.6g}: does it take the worst candidate, or has "
            "`loss` the wrong sign?",
        )


def _random_choice(task: Task, prototypes: Points, draw: np.random.Generator) -> Points:
    """As many prototypes of each class, rows of the class at random."""
    rows = np.concatenate([
        draw.choice(np.flatnonzero(task.y == c), (prototypes.classes == c).sum(), replace=False) for c in range(task.classes)
    ])  # fmt: skip
    classes = np.sort(prototypes.classes, kind="stable")
    if prototypes.at is None:
        return replace(prototypes, classes=classes, coords=task.coordinates()[rows], table={})
    return replace(prototypes, classes=classes, at=np.argsort(task.candidate_row, kind="stable")[rows], table={})


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
    where = first_difference(a.tolist(), b.tolist())
    meaning = "as_repeats means that a row of weight 2 counts as two rows, and a row of weight 0 as none"
    require(a.equals(b), f"{s}: weights from 0 to 3 predict otherwise than repeated rows, with {dict(parameters)} ({where}): {meaning}")
    found, want = ({kind: v for kind, v in answers(f.rule, f.query(s.new)[0]).items() if kind in BY_CLASS} for f in (weighted, plain))
    require_same(s, found, want, f"with weights from 0 to 3 instead of repeated rows, {dict(parameters)}", meaning, 1e-6)


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
    found = list(s.single.paths(task, fold, 4, {}))
    for f, path in found:
        rule, other = path.at(0), alone[f].at(0)
        for g in set(alone) - {f}:
            _check_not_of_fold(s, rule, other, alone[g].at(0), f, g)
        at = rule.prototypes.at
        if at is not None:
            row = task.candidate_row[at]
            require(not (fold[row[row >= 0]] == f).any(), f"{s}: prototypes of fold {f} are rows that it holds out")
        cure = "learn nothing from held-out rows, and draw with the seed of task.keep(fold != f, f)"
        alike = f"in fold {f} `paths` gives another rule than `path` on its training rows alone: it"
        require_same(s, answers(rule, query), answers(other, query), alike, cure, 0)


def _check_not_of_fold(s: Subject, rule: Rule, own: Rule, other: Rule, f: int, g: int) -> None:
    """The rule of fold f is not that of fold g."""
    query = s.query()
    kind = rule.kinds[-1] if "prob" not in rule.kinds else "prob"
    mine, right, wrong = (answer(r, kind, query) for r in (rule, own, other))
    mixed = np.array_equal(mine, wrong) and not np.array_equal(mine, right)
    cure = "yield (f, path) with the fold that the path leaves out"
    require(not mixed, f"{s}: `paths` yields the rule of fold {g} as the rule of fold {f}: {cure}")


def check_steps(s: Subject) -> None:
    """Steps are declared where they are, and the last step is the rule; see `check_first`."""
    rule, query = s.fit.rule, s.query()
    stepwise = isinstance(rule, Stepwise)
    require(
        stepwise or s.kind.can.steps is not True,
        f"{s}: can.steps is declared, and the rule has no steps, walk and first",
    )
    require(
        not stepwise or s.kind.can.steps,
        f"{s}: the rule is built step by step: declare can=Capabilities(steps=True)",
    )
    if not isinstance(rule, Stepwise):
        return
    walked, codes = list(rule.walk(query)), answer(rule, "class", query)
    lengths = {name: len(v) for name, v in rule.steps.items()}
    require(
        set(lengths.values()) == {len(walked)},
        f"{s}: walk has {len(walked)} steps (0, 1, 2, ...), and the columns of steps {lengths}",
    )
    require((walked[-1] == codes).all(), f"{s}: the last step of walk predicts otherwise than the rule")
    for size in (0, len(walked) // 2, len(walked) - 1):
        part = answer(rule.first(size), "class", query)
        require((part == walked[size]).all(), f"{s}: first({size}) predicts otherwise than step {size} of walk")
    if "objective" in rule.steps:
        gains = -np.diff(rule.steps["objective"])
        fine = (np.diff(gains) <= 1e-9 * max(1.0, np.abs(gains).max(initial=0.0))).all()
        require(fine, f"{s}: a later step gains more than an earlier one: does it take the worst candidate?")


def check_arguments(s: Subject) -> None:
    """Values that no parameter can have are refused by errors of this package."""
    for parameter in s.values:
        for wrong in (-1, True, "many", [], float("nan"), [1, "a"]):
            cure = "check it in __post_init__, as `protoclass.check_number` does"
            try:
                fit("y ~ .", s.data, replace(s.single, **{parameter: wrong}), dissimilarity=RAW, cv=2)
            except ProtoclassError:
                continue
            except Exception as reason:
                raise ContractError(f"{s}: {parameter}={wrong!r} ends in {type(reason).__name__} ({reason}): {cure}") from reason
            raise ContractError(f"{s}: {parameter}={wrong!r} is accepted: {cure}")


CHECKS: tuple[Callable[[Subject], None], ...] = (
    *ANSWERS, check_fields, check_loss, check_quality, check_uneven, check_files, check_grid,
    check_default_grid, check_larger, check_weights, check_weightless, check_paths, check_held_out, check_balls, check_first,
    check_steps, *CAPABILITIES, check_sql, check_arguments,
)  # fmt: skip
