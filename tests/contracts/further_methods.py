"""What the contract of a method checks of built-in methods besides, and the whole contract."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from covers import check_balls

import protoclass.testing.models as package
from protoclass.core.query import Stepwise, answer
from protoclass.core.task import COVERED, Task
from protoclass.fitting import cross_validate
from protoclass.ground.errors import ProtoclassError
from protoclass.metrics.dissimilarity import Dissimilarity
from protoclass.metrics.measuring import unlabelled
from protoclass.models.base import Model
from protoclass.testing.contract import (
    BY_CLASS,
    RAW,
    ContractError,
    Subject,
    answers,
    fit_to,
    hold,
    measured_task,
    own_errors,
    require,
    require_same,
    three_classes,
    watching,
)
from protoclass.testing.models import check_by_distance, check_valid, subject_of


def unless_refused(function, *args):
    """The value of a function; None where its arguments are refused by an error of this package."""
    try:
        return function(*args)
    except ContractError:
        raise
    except ProtoclassError:
        return None


MOST_WRONG = 0.35  # proportion of the training rows of three classes that hardly overlap


FAR = 1000.0


def uneven_classes(seed: int = 0) -> pd.DataFrame:
    """Three classes of 36, 19 and 9 rows, in columns that are skewed, counts, constant, and Gaussian with a far row.

    Some rows are copies of one another; the response is `y`.
    """
    draw = np.random.default_rng([seed, 4])
    y = np.repeat([0, 1, 2], [36, 19, 9])
    centres = np.array([[1.0, 3, 0.0], [9.0, 4, 0.0], [3.0, 16, 2.0]])
    frame = pd.DataFrame({
        "a": centres[y, 0] + draw.gamma(1.5, 0.6, len(y)), "b": centres[y, 1] + draw.poisson(1.5, len(y)), "d": 1.0,
        "c": centres[y, 2] + 0.6 * draw.normal(size=len(y)), "y": np.array(["one", "two", "three"])[y],
    })  # fmt: skip
    frame.loc[5, "c"] = -12.0
    frame.loc[[7, 8, 40, 60]] = frame.loc[[6, 6, 41, 61]].to_numpy()
    return frame.sample(frac=1.0, random_state=int(draw.integers(2**31))).reset_index(drop=True)


def check_repeats(s: Subject) -> None:
    """A row of weight 2 counts as two rows, and a row of weight 0 as none, with the parameters of `as_repeats`."""
    if not s.kind.can.weights or s.kind.as_repeats is None:
        return
    model, data = replace(s.single, **s.kind.as_repeats), s.data.iloc[:60]
    copies = data.iloc[::3].assign(y=data["y"].iloc[1::3].to_numpy())  # with other classes, which weight 0 makes void
    w = 1 + np.digitize(data["a"], np.quantile(data["a"], [0.4, 0.8]))  # heavy rows lie on one side
    data, w = pd.concat([data, copies], ignore_index=True), np.concatenate([w, np.zeros(20, int)])
    fits = fit_to(data, model, weights=w.astype(float)), fit_to(data.loc[data.index.repeat(w)].reset_index(drop=True), model)
    found, want = (
        {kind: v for kind, v in answers(f.rule, f._query(s.new)[0]).items() if kind in ("class", *BY_CLASS)} for f in fits
    )
    what = f"with weights from 0 to 3 instead of repeated rows, {dict(s.kind.as_repeats)}"
    require_same(s, found, want, what, "as_repeats means that a row of weight 2 counts as two rows", 1e-6)


def check_path_moved(s: Subject) -> None:
    """A path that was learned among a part of the candidates moves as its rules do."""
    task, query = s.task(), s.query()
    part, columns = task.keep(np.arange(len(task.y)) // 3 % 5 > 1, 0)
    path = s.single.path(part, {})
    want, moved = answers(path.at(0).moved(columns), query), path.moved(columns).at(0)
    require_same(s, answers(moved, query), want, "moved(columns) of the path", "move the rules that it makes")


def check_far_rows(s: Subject) -> None:
    """Rows far from all others have predictions that are valid, or an error of this package."""
    for factor in (FAR, -FAR):
        unless_refused(lambda: check_valid(s, s.fit.rule, s.query(s.new * factor), f"rows {FAR:g} times as far away"))  # noqa: B023


def check_state(s: Subject) -> None:
    """Training on other rows changes no rule that was learned before, and learns from these rows."""
    query = s.query()
    before = answers(s.fit.rule, query)
    turned = {"one": "two", "two": "three", "three": "one"}
    other = three_classes(s.fit._problem.seed + 7).iloc[::-1].reset_index(drop=True)
    other["y"] = other["y"].map(turned)
    dissimilarity, task = measured_task(other, s.single)
    rule = s.single.path(task, {}).at(0)
    codes = np.asarray(rule.predict("class", dissimilarity._query()))
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


def check_report(s: Subject) -> None:
    """Objective, balls and gains, and what the method says of its rule in words."""
    can, rule, learned, model = s.kind.can, s.fit.rule, s.fit._learned, s.fit.model
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
    if model.has("explain"):
        sentences = model.explain(learned, s.fit._query()[0].take(slice(0, 1)))
        require(bool(sentences) and all(isinstance(t, str) for t in sentences), f"{s}: explain must give sentences")
    if model.has("conditions"):
        for condition in model.conditions(learned, s.fit._query()[0]):
            fine = len(condition.values) == len(s.fit.frame) and not (condition.removed & ~condition.reached).any()
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
        row = fitted._prototype_row
        require(fitted._training_error < 0.5, f"{s}: with candidates of kind {kind!r} it errs on half of the rows")
        require(
            kind != "subset" or (row >= 0).all(), f"{s}: with candidates=40, a part of the rows, a prototype is not a row"
        )


def check_uneven(s: Subject) -> None:
    """Classes of uneven sizes are learned, in columns of several kinds, and any class may be missing from a training set."""
    dissimilarity, task = measured_task(uneven_classes(), s.single)
    where = "classes of 36, 19 and 9 rows (columns that are skewed, counts or constant)"
    rule = s.single.path(task, {}).at(0)
    found = check_valid(s, rule, dissimilarity._query(), where)
    wrong = float((found["class"] != task.y).mean())
    require(wrong < MOST_WRONG, f"{s}: the training error is {wrong:.2f} on {where}, which hardly overlap")
    for c in range(task.classes):
        _check_without(s, task.keep(task.y != c, 0)[0], c, dissimilarity, "of which the training rows have none, as in a fold")
    fold = np.where(task.y == 2, 0, 1 + np.arange(len(task.y)) % 2)
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
    if (present < s.single.rows_needed({}, present)).any():
        return  # whoever asks for a fit gets that error
    cure = "leave the class out of what is learned, or state in `rows_needed` how many rows it needs"
    path = unless_refused(s.single.path, task, {})
    if path is None:
        return
    columns = np.flatnonzero(np.isin(dissimilarity.data.codes, task.y[task.w > 0])) if len(task.y) < dissimilarity.shape[0] else None
    rule = path.at(0) if columns is None else path.moved(columns).at(0)
    query = dissimilarity._query()
    found = check_valid(s, rule, query, f"a fit without {where}")
    require(not (found["class"] == c).any(), f"{s}: the rule predicts {where}: use the class codes of task.y, and {cure}")
    require(not (rule.prototypes.classes == c).any(), f"{s}: the rule has prototypes of {where}; {cure}")
    check_by_distance(s, rule, query)
    rows = np.flatnonzero(np.isin(dissimilarity.data.codes, task.y[task.w > 0]))
    wrong = float((found["class"][rows] != dissimilarity.data.codes[rows]).mean())
    require(wrong < MOST_WRONG, f"{s}: without {where}, the error on the rows of the other classes is {wrong:.2f}; {cure}")


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


CHECKS: tuple[Callable[[Subject], None], ...] = (
    *package.CHECKS, check_far_rows, check_state, check_path_moved, check_uneven,
    check_repeats, check_weightless, check_balls, check_steps, check_report, check_nearest, check_candidates,
)  # fmt: skip


def check_model(model: Model | type[Model] | str, seed: int = 0) -> None:
    """The contract of `protoclass.testing.check_model`, and what else holds of built-in methods; nothing writes into the fit."""
    with own_errors(f"the check of {model}"):
        s = subject_of(model, seed)
        frame = s.fit.frame
        own = {"frame.codes": frame.codes, "frame.weights": frame.weights, "frame.columns": frame.columns.to_numpy()}
        with watching(f"{s}: a function that a check calls", rows=s.fit.dissimilarity.rows[0], **own):
            hold(s, CHECKS)
