"""Cross-validation: draw folds, fit the whole grid without each fold, predict the rows of the fold,
and select a point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd

from ..core import Array
from ..core.memory import large
from ..core.parallel import each
from ..core.query import Beside, Latest, Path, Query, RulePath, answer_block
from ..core.statistics.folds import FOLDS, drawn_by_class, grouped, quotas, stratified, usual_folds
from ..core.statistics.one_se import frontier as lowest_errors
from ..core.statistics.sums import as_counts
from ..core.task import Points, Task
from ..frames.frame import Frame
from ..frames.tables import as_pandas
from ..ground.checks import check_seed, hint_for_value
from ..ground.errors import DataError, DataWarning, OptionError, brief, shown
from ..ground.options import bar
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import FEWEST_ROWS
from .arguments import SCORED, is_drawn, own_folds
from .error_curve import (
    OF_POINTS,
    ErrorCurve,
    Extension,
    row_weights,
    score_rows,
)
from .problem import (
    DRAWN_ROWS,
    Problem,
    check_rows_needed,
    choose_candidates,
    class_counts,
    counted,
)

# kinds of values that rules predict; calibrated fits predict "set" as well
KINDS = ("class", "distance", "nearest", "cover", "prob", "decision")
MOST_DRAWS = 10  # repeats, for repeats="auto"
FURTHER_AT_ONCE = 4  # values by which a default grid goes on at a time
MOST_FURTHER = 40  # values by which a default grid goes on at most
# rows, in all and for each class, on which a fit of many rows selects a default dissimilarity
SAMPLE, SAMPLE_OF_CLASS = 1_500, 50


def draw_folds(problem: Problem) -> tuple[Array, tuple[str, ...]]:
    """Folds (repeats, n), with notes on them."""
    cv, repeats = problem.cv, problem.repeats
    if repeats == "auto":
        fixed = isinstance(cv, np.ndarray) or cv == "loo"
        repeats = (
            1
            if fixed or not problem.model.redraws
            else max(1, min(MOST_DRAWS, DRAWN_ROWS // len(problem.frame)))
        )
    seeds = [
        int(np.random.SeedSequence([problem.seed, r]).generate_state(1)[0]) for r in range(repeats)
    ]
    return folds_of(cv, problem.frame, problem.groups, seeds)


def redrawn(problem: Problem, cv: Any, seed: int | None = None) -> tuple[Problem, Array]:
    """The problem with other folds, drawn once from its own seed or another, and the folds (n,)."""
    if not is_drawn(cv):
        cv = own_folds(cv, as_pandas(problem.call.data), problem.frame.index)
    seed = problem.seed if seed is None else check_seed(seed)
    problem = replace(problem, cv=cv, repeats=1, seed=seed)
    return problem, draw_folds(problem)[0][0]


def folds_of(
    cv: Any, frame: Frame, groups: Array | None, seeds: list[int]
) -> tuple[Array, tuple[str, ...]]:
    """Folds (repeats, n), a draw for each seed, with notes on them; `cv` is as `Problem.cv`."""
    y, counts, notes = frame.codes, np.bincount(frame.codes), tuple[str, ...]()
    custom = isinstance(cv, np.ndarray)
    fixed = custom or cv == "loo"
    rare, fewest = shown(frame.levels[counts.argmin()]), counts.min()
    if groups is not None and groups.max() < 1 and not custom:
        raise OptionError(
            "cross-validation leaves groups out and needs at least two, but groups has one"
        )
    if fixed and len(seeds) > 1:
        raise OptionError(
            f"repeats={len(seeds)} needs random folds, but these folds are fixed: use a number for cv="
        )
    if custom:
        return _custom_folds(cv, groups)[None], ("the user's folds",)
    if fixed:
        return (np.arange(len(y)) if groups is None else groups)[None], (
            f"one {'row' if groups is None else 'group'} left out at a time",
        )
    if cv == "auto":
        cv = usual_folds(y, None if groups is None else int(groups.max()) + 1)
        if cv < 2:
            raise DataError(
                f"cross-validation needs two rows of each class, but class {rare} has one: use "
                "fixed parameters, or join classes"
            )
        if cv < FOLDS and groups is None:
            notes = (f"{cv} folds, as class {rare} has {fewest} rows",)
    if isinstance(cv, bool) or not isinstance(cv, (int, np.integer)) or cv < 2:
        hint = hint_for_value("cv", cv, ("auto", "loo"))
        raise OptionError(
            "cv must be a number of folds >= 2, 'auto', 'loo'"
            f"{' or custom folds' if cv is None else ', custom folds or None'}, not {brief(cv)}"
            f"{hint and ': '}{hint}"
        )
    if groups is not None:
        return np.stack([grouped(y, groups, int(cv), seed) for seed in seeds]), notes
    if fewest < 2:
        raise OptionError(
            f"cv={brief(cv)} needs two rows of each class, but class {rare} has one: use cv='loo', "
            "leave the class out, or join classes"
        )
    if fewest < cv:
        raise OptionError(
            f"cv={brief(cv)} needs as many rows of each class, but class {rare} has {fewest}: use "
            f"cv={fewest}{' or fewer' if fewest > 2 else ''}, or 'loo'"
        )
    return np.stack([stratified(y, int(cv), seed) for seed in seeds]), notes


def _custom_folds(cv: Array, groups: Array | None) -> Array:
    """Numbers of the user's own folds (n,)."""
    fold, names = pd.factorize(pd.Series(cv), sort=False)
    if len(names) < 2:
        raise OptionError("the folds in cv are all the same: use at least two")
    if (
        groups is not None
        and pd.DataFrame({"g": groups, "f": fold}).groupby("g")["f"].nunique().max() > 1
    ):
        raise OptionError(
            "the folds in cv split a group of groups=: use one or the other, or folds that do not split groups"
        )
    return fold


@dataclass(frozen=True)
class FoldPath:
    """The models of one fold over the grid, with dissimilarities and task of all rows.

    Attributes
    ----------
    missing, lost : bool arrays (n,)
        See `lost_levels`.
    """

    dissimilarity: Dissimilarity
    task: Task
    fold: int
    path: Path
    missing: Array
    lost: Array

    def query(self, rows: Array) -> Query:
        """Held-out rows, with the dissimilarities of the task, which are not computed again."""
        known, task = self.dissimilarity._query(rows), self.task

        def measure(at: Array, prototypes: Points) -> Array:
            if prototypes.at is None:
                return known.measure(at, prototypes)
            return task.D.take(at, prototypes.at)

        def design(at: Array) -> Array:
            return np.where(self.lost[at, None], np.nan, known.design(at))

        def beside(prototypes: Points) -> Beside | None:
            return None if prototypes.at is None else Beside(task.D, prototypes.at)

        return replace(
            known,
            measure=measure,
            design=design,
            beside=Latest(beside),
            unanswered=self.missing[rows],
        )


def lost_levels(problem: Problem, fold: Array) -> tuple[Array, Array]:
    """Held-out rows with a level that the training rows of their fold lack: those that the metric
    cannot measure, and all, which have no design matrix; bool (n,) each.
    """
    lost, none = problem.frame.held_out_levels(fold), np.zeros(len(fold), bool)
    missing = [rows for name, rows in lost.items() if problem.metric.unseen_in(name) == "missing"]
    return np.logical_or.reduce([none, *missing]), np.logical_or.reduce([none, *lost.values()])


def smallest_classes(problem: Problem, of_fold: Array) -> Array:
    """Smallest number of training rows with weight of each class over all folds, (classes,)."""
    y, live, classes = problem.frame.codes, problem.frame.weights > 0, len(problem.frame.levels)
    train = [
        np.bincount(y[live & (fold != f)], minlength=classes)
        for fold in of_fold
        for f in range(fold.max() + 1)
    ]
    return np.min(train, axis=0)


def fold_paths(
    problem: Problem,
    dissimilarity: Dissimilarity,
    task: Task,
    fold: Array,
    grid: dict[str, Array],
    on_all: bool = False,
    draw: Callable[[Task], dict[str, Array]] | None = None,
) -> Iterator[FoldPath]:
    """The models of each fold of one repeat, learned without its rows.

    All folds at once, and with `on_all` one more without held-out rows; or fold by fold if the
    metric or the candidates must not use the held-out rows. Then `draw` may give each fold its own
    grid, from the task of its training rows.
    """
    folds, (missing, lost) = int(fold.max()) + 1, lost_levels(problem, fold)
    check_rows_needed(
        problem, smallest_classes(problem, fold[None]), grid, " in the training rows of a fold"
    )
    if not problem.train_in_folds:
        for f, path in problem.model.paths(task, fold, folds + on_all, grid):
            yield FoldPath(dissimilarity, task, f, path, missing, lost)
        return
    for f in range(folds):
        trained = problem.measure(np.flatnonzero(fold != f))
        fold_task = replace(problem.task(trained), seed=(*task.seed, f))
        fold_grid = draw(fold_task.keep(fold != f, f)[0]) if draw else grid
        for _, path in problem.model.paths(fold_task, np.where(fold == f, 0, -1), 1, fold_grid):
            yield FoldPath(trained, fold_task, f, path, missing, lost)


@dataclass(frozen=True)
class Trial:
    """A problem with its folds, over which grids can be tried."""

    problem: Problem
    dissimilarity: Dissimilarity  # trained on all rows
    task: Task  # the task of all rows
    of_fold: Array  # int (R, n)
    covers: bool = True  # whether the rows in each ball are determined, if there are balls


Rules = list[tuple[Path, int]] | None


@dataclass(frozen=True)
class Tried:
    """A grid that was tried on all folds.

    Attributes
    ----------
    curve : ErrorCurve
    all_classes : bool array (R x F, G), or None
        Whether every class of the training rows has a prototype, if this was determined.
    rules : Rules
        A path on all rows and the place of the rule in it, for each point; None if they were not
        learned.
    """

    curve: ErrorCurve
    all_classes: Array | None = None
    rules: Rules = None


def join(parts: Sequence[Tried], axes: Mapping[str, Array] | None = None) -> Tried:
    """Several grids as one; with `axes` in the order of their product, without the points outside
    it.
    """
    curves = [part.curve for part in parts]
    grid = pd.concat([curve.grid for curve in curves], ignore_index=True)
    order: Any = slice(None) if axes is None else in_order(grid, axes)

    def joined(arrays: list[Any]) -> Any:
        return (
            None if any(a is None for a in arrays) else np.concatenate(arrays, axis=-1)[..., order]
        )

    arrays = {name: joined([getattr(curve, name) for curve in curves]) for name in OF_POINTS}
    rules = None
    if all(part.rules is not None for part in parts):
        known = [rule for part in parts for rule in part.rules or ()]
        rules = [known[g] for g in np.arange(len(known))[order]]
    curve = replace(curves[0], grid=grid.iloc[order].reset_index(drop=True), **arrays)
    return Tried(curve, joined([part.all_classes for part in parts]), rules)


def in_order(grid: pd.DataFrame, axes: Mapping[str, Array]) -> Array:
    """The points of a grid that are in the product of the axes, in its order."""
    places = np.array([pd.Index(values).get_indexer(grid[name]) for name, values in axes.items()])
    inside = np.flatnonzero((places >= 0).all(axis=0))
    return inside[np.lexsort(places[::-1, inside])]


def points_of(axes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The points of the product of some axes, the last varying fastest, as plain Python values."""
    values = [axis.tolist() if isinstance(axis, np.ndarray) else axis for axis in axes.values()]
    return [dict(zip(axes, point, strict=True)) for point in product(*values)]


def hold_out(trial: Trial, axes: dict[str, Array], count_classes: bool = False) -> Tried:
    """Predictions for the held-out rows over the grid, and the mean loss of each fold.

    The loop over folds of Hastie, Tibshirani and Friedman (2009), section 7.10: each fold is left
    out in turn, the whole grid is fitted to the other rows, and the rows of the fold are predicted.
    """
    problem, model = trial.problem, trial.problem.model
    if set(model.tuned()) & set(model.metric_parameters):
        return _hold_out_by_metric(trial, axes, count_classes)
    empty, on_all = _empty(trial, axes, count_classes), None
    draw = model.in_folds(axes, trial.task) if problem.metric.supervised else None
    with bar(len(empty.curve._sizes), "cross-validating", problem.progress) as validating:
        for r, fold in enumerate(trial.of_fold):
            further = model.shares_work and r == 0
            paths = fold_paths(problem, trial.dissimilarity, trial.task, fold, axes, further, draw)
            for known in each(partial(_write, trial, empty, r), paths, len(fold) ** 2):
                if known.fold > fold.max():  # the models of all rows
                    on_all = known.path
                    continue
                covered = empty.curve._covered if "cover" in known.path.kinds else None
                validating.update()
    errors = fold_errors(trial.of_fold, empty.curve._lost, empty.curve._weights)
    counts, path = _count(trial, empty.curve.grid, axes, on_all)
    curve = replace(empty.curve, _covered=covered, _errors=errors, _counts=counts)
    rules = None if path is None else [(path, g) for g in range(len(curve.grid))]
    return replace(empty, curve=curve, rules=rules)


def _empty(trial: Trial, axes: dict[str, Array], count_classes: bool) -> Tried:
    """Arrays for the results of all folds, into which `_write` writes."""
    problem, grid = trial.problem, pd.DataFrame(points_of(axes), columns=list(axes))
    weights = row_weights(problem, problem.loss_name)
    fold_weight = np.concatenate([np.bincount(fold, weights) for fold in trial.of_fold])
    of_folds, of_rows = (len(fold_weight), len(grid)), (*trial.of_fold.shape, len(grid))
    curve = ErrorCurve(
        problem,
        grid,
        trial.of_fold,
        _predicted=large(of_rows, np.int16),
        _covered=large(of_rows, np.int16) if trial.covers else None,
        _errors=np.empty(0),
        _sizes=np.empty(of_folds),
        _fold_weight=fold_weight,
        _bounds=np.full(of_folds, np.nan) if problem.model.can.grid_bounds else None,
        _scored=large(of_rows, float) if problem.loss_name in SCORED else None,
    )
    return Tried(curve, np.empty(of_folds, bool) if count_classes else None)


def _write(trial: Trial, into: Tried, r: int, known: FoldPath) -> FoldPath:
    """Write the results of the models of a fold of repeat r, which are returned."""
    curve, fold, path = into.curve, trial.of_fold[r], known.path
    points = np.shape(path.size)
    if points != curve._sizes.shape[1:]:
        raise OptionError(
            f"the path {type(path).__name__} has sizes of shape {points} for a grid of "
            f"{len(curve.grid)} points: return a rule for each point"
        )
    rows = np.flatnonzero(fold == known.fold)
    if len(rows):
        _predict(curve, r, rows, known)
    if curve._scored is not None:
        rules = RulePath(tuple(map(path.at, range(*points))))
        curve._scored[r, rows] = score_rows(trial.problem, rules, known.query(rows), rows)
    if known.fold <= fold.max():
        row = (trial.of_fold[:r].max(axis=1) + 1).sum() + known.fold
        curve._sizes[row] = path.size
        if curve._bounds is not None and path.bounds is not None:
            curve._bounds[row] = path.bounds
        if into.all_classes is not None:
            into.all_classes[row] = _all_classes(known, fold)
    return known


def _predict(curve: ErrorCurve, r: int, rows: Array, known: FoldPath) -> None:
    """Write the predictions for some rows of repeat r, block by block."""
    arrays, begin = {"class": curve._predicted}, 0
    if curve._covered is not None and "cover" in known.path.kinds:
        arrays["cover"] = curve._covered
    for block in known.query(rows).blocks(len(known.path.prototypes)):
        at, begin = rows[begin : begin + len(block)], begin + len(block)
        found = answer_block(known.path, list(arrays), block)
        for array, codes in zip(arrays.values(), found, strict=True):
            array[r, at] = codes


def _all_classes(known: FoldPath, fold: Array) -> Array:
    """Whether each rule of a fold has a prototype of every class of its rows, bool (G,)."""
    present = np.unique(known.task.y[(fold != known.fold) & (known.task.w > 0)])
    return (class_counts(known.path, known.task.classes) > 0).sum(axis=1) >= len(present)


def fold_errors(of_fold: Array, lost: Array, weights: Array) -> Array:
    """Mean loss of each fold at each grid point, (R x F, G)."""
    errors = []
    for fold, values in zip(of_fold, lost, strict=True):
        sums = np.stack([np.bincount(fold, column * weights) for column in values.T], axis=1)
        errors.append(sums / np.maximum(np.bincount(fold, weights), 1e-300)[:, None])
    return np.concatenate(errors)


def _count(
    trial: Trial, grid: pd.DataFrame, axes: dict[str, Array], path: Path | None
) -> tuple[Array | None, Path | None]:
    """The counts of the rules on all rows for a budget, (G,), and their path."""
    model, task, classes = trial.problem.model, trial.task, trial.task.classes
    rows = np.bincount(task.y[task.w > 0], minlength=classes)
    points = [model.class_sizes(values, rows) for values in grid.to_dict("records")]
    if points[0] is not None:
        return np.array(points).sum(axis=1), path
    if trial.problem.budget is None:
        return None, path
    path = model.path(task, axes) if path is None else path
    return counted(path, model, classes), path


def _hold_out_by_metric(trial: Trial, axes: dict[str, Array], count_classes: bool) -> Tried:
    """`hold_out` with the parameters of a learned metric tried one by one, the others together."""
    learned = {*trial.problem.model.metric_parameters}
    points = points_of({name: values for name, values in axes.items() if name in learned})

    def run(values: dict[str, Any]) -> Tried:
        problem = replace(trial.problem.with_values(values), progress=False)
        return hold_out(
            replace(trial, problem=problem),
            {**axes, **{name: np.array([v]) for name, v in values.items()}},
            count_classes,
        )

    parts = []
    with bar(len(points), "cross-validating", trial.problem.progress) as validating:
        for part in each(run, points):
            parts.append(replace(part, rules=None))
            validating.update()
    tried = join(parts, axes)
    return replace(tried, curve=replace(tried.curve, _problem=trial.problem))


def validate(problem: Problem, covers: bool = True) -> tuple[ErrorCurve, Trial, Rules]:
    """Cross-validate a problem; the following fit can use its dissimilarities and rules again.

    Each dissimilarity, if several are tried, has the grids of the method, which are extended while
    their last value is selected.
    """
    by_default = problem.to_tune is not None and isinstance(
        problem.call.arguments["dissimilarity"], str
    )
    number = max(SAMPLE, SAMPLE_OF_CLASS * len(problem.frame.levels))
    if by_default and len(problem.frame) > max(DRAWN_ROWS, number):
        problem = select_on_sample(problem, number)
    of_fold, notes = draw_folds(problem)
    smallest, tuned = smallest_classes(problem, of_fold), problem.metric_axes
    parts, extensions = list[Tried](), dict[str, Extension]()
    for values in points_of(tuned):
        measured = problem.with_metric(values)
        dissimilarity = measured.measure()
        trial = Trial(measured, dissimilarity, measured.task(dissimilarity), of_fold, covers)
        axes = measured.model.grid(trial.task, smallest)
        tried = hold_out_in_turn(trial, axes)
        if not parts:
            _warn_of_lost(tried.curve)
        tried, further = extend(trial, tried, axes)
        extensions |= further
        grid = tried.curve.grid.assign(**values)[[*tuned, *tried.curve.grid]]
        parts.append(replace(tried, curve=replace(tried.curve, grid=grid)))
    tried = join(parts) if tuned else parts[0]
    curve = replace(tried.curve, _problem=problem, _notes=notes, _extensions=extensions)
    return curve, trial, tried.rules


def select_on_sample(problem: Problem, number: int) -> Problem:
    """The problem with the default dissimilarity that a sample of `number` rows selects."""
    frame, classes = problem.frame, len(problem.frame.levels)
    live = np.flatnonzero(frame.weights > 0)
    counts = np.bincount(frame.codes[live], minlength=classes)
    quota = quotas(counts, number, np.ones(classes, bool))
    rows = live[drawn_by_class(frame.codes[live], quota, np.random.default_rng(problem.seed))]
    # a number of candidates is meant among all rows
    candidates = problem.candidates if isinstance(problem.candidates, str) else "train"
    part = replace(
        problem,
        frame=frame.take(rows),
        candidates=candidates,
        cv=FEWEST_ROWS,  # each fold has rows of every class, see `quotas`
        repeats=1,
        progress=False,
    )
    with catch_warnings():
        simplefilter("ignore", DataWarning)  # levels may be rare in the sample alone
        curve = validate(part, covers=False)[0]
    *others, last = problem.metric_axes["dissimilarity"]
    said = (
        f"the distance was selected from {', '.join(others)} and {last} on a random sample of "
        f"{len(rows):,} rows by class"
    )
    found = problem.with_metric(curve._values())
    if problem.call.arguments["candidates"] == "auto":
        found = replace(found, candidates=choose_candidates(found.model, found.metric, frame))
    return replace(found, frame=replace(frame, notes=(*frame.notes, said)))


def hold_out_in_turn(trial: Trial, axes: dict[str, Array]) -> Tried:
    """`hold_out`; for a learned metric, `tuned_last` varies at selected values of the others."""
    model = trial.problem.model
    last = next(
        (name for name, values in axes.items() if name in model.tuned_last and len(values) > 1),
        None,
    )
    if last is None or not ({*axes} - {last}) & {*model.metric_parameters}:
        return hold_out(trial, axes)
    first = hold_out(trial, {**axes, last: axes[last][:1]})
    chosen = {name: np.array([value]) for name, value in first.curve._values().items()}
    return join([first, hold_out(trial, {**chosen, last: axes[last][1:]})])


def _warn_of_lost(curve: ErrorCurve) -> None:
    """Warn of levels that the training rows of a fold lack, if rows got no prediction."""
    frame, unpredicted = curve._problem.frame, (curve._predicted[0] < 0).all(axis=1)
    lost = {c: at & unpredicted for c, at in frame.held_out_levels(curve._of_fold[0]).items()}
    frame.counted({c: at for c, at in lost.items() if at.any()}).warn_of_folds()


def extend(
    trial: Trial, tried: Tried, axes: dict[str, Array]
) -> tuple[Tried, dict[str, Extension]]:
    """Extend default grids on the same folds while their last value is selected; with a note for
    each extended parameter.
    """
    model, extensions = trial.problem.model, dict[str, Extension]()
    for name, grid in model.larger.items():
        if not model.has_default_grid(name):
            continue
        last, all_classes = axes[name].max(), True
        # if folds learn their dissimilarities, each further step learns them again
        at_once = MOST_FURTHER if trial.problem.train_in_folds else FURTHER_AT_ONCE
        beyond = grid.values(trial.task) if tried.curve._values()[name] == last else np.empty(0)
        beyond = beyond[beyond > last][:MOST_FURTHER]
        while len(beyond) and all_classes and tried.curve._values()[name] == axes[name].max():
            more, beyond = beyond[:at_once], beyond[at_once:]
            further = hold_out(trial, {**axes, name: more}, count_classes=True)
            kept = _until_a_class_is_lost(further, name)
            all_classes = kept == len(more)
            if kept:
                axes = {**axes, name: np.concatenate([axes[name], more[:kept]])}
                tried = join([tried, further], axes)
            extensions[name] = Extension(float(last), int((axes[name] > last).sum()), all_classes)
    return tried, extensions


def _until_a_class_is_lost(tried: Tried, name: str) -> int:
    """The number of values of a parameter before the first that loses a class in a fold."""
    assert tried.all_classes is not None
    whole = pd.Series(tried.all_classes.all(axis=0)).groupby(tried.curve.grid[name].to_numpy()).any()
    return int(np.argmin([*whole, False]))


def lowest_by_size(curve: ErrorCurve) -> tuple[ErrorCurve, Array]:
    """A curve, and its points of lowest error for each number of prototypes, ascending.

    If one run gives models of every number of prototypes, these are cross-validated on the same
    folds. The curve is not stored, because it has the held-out predictions of many models.
    """
    problem, rows = curve._problem, len(curve._problem.frame)
    model = problem.model.within(rows)
    if model != problem.model and model.shares_work:
        curve = validate(
            replace(problem, model=model, budget=rows, repeats=len(curve._of_fold)), covers=False
        )[0]
    return curve, lowest_errors(curve._choice.error, curve._rule_sizes)


def frontier(curve: ErrorCurve) -> pd.DataFrame:
    """Trade-off between error and size: the lowest error for each number of prototypes.

    Returns
    -------
    DataFrame
        One row for each size whose lowest error is below the errors of all smaller sizes. `size`:
        the number of prototypes of the model on all rows, or if unknown its mean over the folds.
        `error` and `se` are as in `table`; `corrected` is the error corrected for selecting the
        best point of at most this size; then the parameters and `method`.

    Notes
    -----
    If one run of the method gives models with every number of prototypes, as for the greedy PVM,
    they are cross-validated on the same folds at the first call. `max_prototypes=` tunes over the
    same models. Otherwise the frontier has the points of the grid.

    The lowest error of many points is optimistic. In simulations of "pvm" with 200 rows and 2 to 30
    prototypes, `error` is 0 to 4 points too low for informative columns and 5 to 8 on noise.
    `corrected` is within half a point, or on noise within a point from 5 prototypes on and 1.7
    points too high at 2 (`python benchmarks/frontier.py pvm`).

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> v = pc.cross_validate("species ~ .", iris, dissimilarity="euclidean", repeats=1)
    >>> v.frontier()[["size", "error"]].round(3).tail(3).to_dict("list")
    {'size': [7, 10, 21], 'error': [0.04, 0.033, 0.027]}
    """
    curve, points = lowest_by_size(curve)
    sizes, table = curve._rule_sizes[points], curve.table.iloc[points].reset_index(drop=True)
    head = pd.DataFrame({"size": as_counts(sizes), "error": table["error"], "se": table["se"]})
    parameters = {name: table[name] for name in curve.grid}
    return head.assign(
        corrected=curve._corrected_within(sizes), **parameters, method=curve._problem.model.name
    )
