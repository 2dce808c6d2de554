"""Cross-validation: held-out predictions of every row at every grid point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd

from ..core.memory import large
from ..core.parallel import each
from ..core.query import Path, Rule, answer_block
from ..core.statistics.folds import drawn_by_class, quotas
from ..core.statistics.one_se import RULES, choose_over_repeats
from ..core.task import Task
from ..ground.checks import one_of
from ..ground.errors import DataWarning, OptionError, brief
from ..ground.options import bar
from ..ground.savable import savable
from ..metrics.dissimilarity import Dissimilarity
from ..models.base import Model
from ..models.registry import methods_with
from .error_curve import ErrorCurve, limits_of, read_tolerance
from .problem import DRAWN_ROWS, Problem, choose_candidates, class_counts, counted, held_out_query, lost_levels, prepare
from .selection import (
    Extension,
    FoldPath,
    draw_folds,
    fold_paths,
    losses,
    measure_losses,
    row_weights,
    smallest_classes,
    values_at,
)

KINDS = ("class", "distance", "nearest", "cover", "prob", "decision")  # of rules; calibrated fits predict "set" as well
AT_ONCE = 4  # values by which a default grid goes on at a time
MOST_FURTHER = 40  # values by which a default grid goes on at most
SAMPLE, SAMPLE_OF_CLASS = 1_500, 50  # rows, in all and for each class, on which a fit of many rows selects a default dissimilarity
FOLDS_OF_SAMPLE = 5  # of which each has rows of every class, see `quotas`


def check_choose(given: Mapping[str, Any], model: Model) -> None:
    """Raise unless `choose=` is a rule that the method has, and `tolerance=` is valid with it."""
    choose, tolerance = given["choose"], given["tolerance"]
    one_of("choose", choose, (*RULES, "auto"))
    if tolerance is not None:
        read_tolerance(tolerance)
        if choose not in ("auto", "tolerance"):
            raise OptionError(f"tolerance={brief(tolerance)} needs choose='tolerance', not choose={choose!r}: leave out one")
    elif choose == "tolerance":
        raise OptionError("choose='tolerance' needs tolerance=, such as 0.02, or '5%' of the lowest error")
    if choose == "bound" and not model.can.grid_bounds:
        raise OptionError(
            f"choose='bound' needs a bound over the grid, which method {model.name!r} does not have: use {methods_with('grid_bounds')}"
        )


@dataclass
class HeldOut:
    """What is collected over the folds, over the product of the axes."""

    axes: dict[str, np.ndarray]  # values of each parameter
    grid: pd.DataFrame  # (G, parameters)
    predicted: np.ndarray  # int16 (R, n, G)
    covered: np.ndarray  # int16 (R, n, G)
    sizes: np.ndarray  # (R x F, G)
    bounds: np.ndarray  # (R x F, G)
    all_classes: np.ndarray  # bool (R x F, G): whether every class of the training rows has a prototype; True if not determined
    has_cover: bool = False
    rules: tuple[tuple[Path, int], ...] | None = None  # by grid point a path on all rows and the rule's place; None without shared work
    counts: np.ndarray | None = None  # see `Trial.count`; None if unknown
    errors: tuple[list[np.ndarray], list[np.ndarray]] | None = None  # and weights of the folds, see `_fold_errors`

    @staticmethod
    def empty(axes: dict[str, np.ndarray], rows: tuple[int, ...], folds: int) -> HeldOut:
        grid = pd.DataFrame(list(product(*(axis.tolist() for axis in axes.values()))), columns=list(axes))
        predicted, covered = (large((*rows, len(grid)), np.int16) for _ in range(2))
        sizes, bounds = np.empty((folds, len(grid))), np.full((folds, len(grid)), np.nan)
        return HeldOut(axes, grid, predicted, covered, sizes, bounds, np.ones(sizes.shape, bool))

    def rule(self, point: int) -> Rule | None:
        """The rule on all rows at a grid point, None if it is not fitted yet."""
        if self.rules is None:
            return None
        path, place = self.rules[point]
        return path.at(place)

    def beside(self, others: Sequence[HeldOut]) -> HeldOut:
        """With the points of others, which have their own grids; without the rules."""
        all_parts = [self, *others]

        def both(name: str) -> np.ndarray:
            return np.concatenate([getattr(part, name) for part in all_parts], axis=-1)

        known = [part.counts for part in all_parts if part.counts is not None]
        return HeldOut(
            self.axes, pd.concat([part.grid for part in all_parts], ignore_index=True), both("predicted"), both("covered"), both("sizes"),
            both("bounds"), both("all_classes"), self.has_cover, counts=np.concatenate(known) if known else None,
        )  # fmt: skip

    def joined(self, other: HeldOut, name: str, values: np.ndarray) -> HeldOut:
        """With the points of another, which differs in the values of one parameter, that have these values; in grid order."""
        axes = {**self.axes, name: np.concatenate([self.axes[name], values])}
        grid = pd.concat([self.grid, other.grid], ignore_index=True)
        kept = np.flatnonzero(grid[name].isin(axes[name].tolist()))
        places = [pd.Index(axis).get_indexer(grid[key].iloc[kept]) for key, axis in axes.items()]
        order = kept[np.lexsort(places[::-1])]

        def both(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            return np.concatenate([a, b], axis=-1)[..., order]

        rules = None
        if self.rules is not None and other.rules is not None:
            rules = tuple((*self.rules, *other.rules)[g] for g in order)
        return HeldOut(
            axes, grid.iloc[order].reset_index(drop=True), both(self.predicted, other.predicted),
            both(self.covered, other.covered), both(self.sizes, other.sizes), both(self.bounds, other.bounds),
            both(self.all_classes, other.all_classes), self.has_cover, rules,
        )  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """A problem with its folds, over which grids can be tried."""

    problem: Problem
    dissimilarity: Dissimilarity  # of all rows
    task: Task  # of all rows
    of_fold: np.ndarray  # int (R, n)
    loss: np.ndarray  # (classes, classes)
    measure: str  # name of the loss
    covers: bool = True  # whether the rows in each ball are determined, if there are balls

    def hold_out(self, axes: dict[str, np.ndarray], count_classes: bool = False) -> HeldOut:
        """Predictions of the rules of each fold for its held-out rows, over the product of the axes."""
        problem, F = self.problem, self.of_fold.max(axis=1) + 1
        held = HeldOut.empty(axes, self.of_fold.shape, int(F.sum()))
        if set(problem.model.tuned()) & set(problem.model.metric_parameters):
            self._hold_out_by_metric(held, count_classes)
            return held
        draw = problem.model.in_folds(axes, self.task) if problem.metric.supervised else None
        with bar(int(F.sum()), "cross-validating", problem.progress) as validating:
            for r, fold in enumerate(self.of_fold):
                on_all = problem.model.shares_work and r == 0
                found = fold_paths(problem, self.dissimilarity, self.task, fold, axes, on_all, draw)
                path = _collect(held, r, int(F[:r].sum()), fold, found, validating.update, count_classes, self.covers)
                if path is not None:
                    held.rules = tuple((path, g) for g in range(len(held.grid)))
        return held

    def _hold_out_by_metric(self, held: HeldOut, count_classes: bool) -> None:
        """As `hold_out`, for a method that learns a dissimilarity: its parameters are tried one by one, the others together."""
        axes = held.axes
        deciding = [name for name in axes if name in self.problem.model.metric_parameters]
        points = held.grid[deciding].drop_duplicates().to_dict("records")

        def run(values: dict[str, Any]) -> HeldOut:
            problem = replace(self.problem.with_values(values), progress=False)
            return replace(self, problem=problem).hold_out({**axes, **{name: np.array([v]) for name, v in values.items()}}, count_classes)

        with bar(len(points), "cross-validating", self.problem.progress) as validating:
            for values, part in zip(points, each(run, points), strict=True):
                at = np.flatnonzero((held.grid[deciding] == pd.Series(values)).all(axis=1))
                for name in ("predicted", "covered", "sizes", "bounds", "all_classes"):
                    getattr(held, name)[..., at] = getattr(part, name)
                held.has_cover = part.has_cover
                validating.update()

    def count(self, held: HeldOut) -> np.ndarray | None:
        """What a budget counts of the rule on all rows at each grid point, (G,).

        None without a budget, for which rules would have to be fitted.
        """
        if held.counts is not None:
            return held.counts
        problem = self.problem
        model, points = problem.model, range(len(held.grid))
        rows = np.bincount(self.task.y[self.task.w > 0], minlength=self.task.classes)
        if model.class_sizes(values_at(held.grid, 0), rows) is not None:
            return np.asarray(np.array([model.class_sizes(values_at(held.grid, g), rows) for g in points]).sum(axis=1))
        if problem.budget is None:
            return None
        if held.rules is None:
            path = model.path(self.task, held.axes)
            held.rules = tuple((path, g) for g in points)
        paths = {id(path): path for path, _ in held.rules}  # grids that went on have several
        of_path = {key: counted(path, model, len(problem.frame.levels)) for key, path in paths.items()}
        return np.stack([of_path[id(path)][place] for path, place in held.rules])

    def validation(self, held: HeldOut, **more: Any) -> ErrorCurve:
        """The error curve of the held-out predictions."""
        weights = row_weights(self.problem, self.measure)
        if held.errors is None:
            held.errors = _fold_errors(held.predicted, self.problem.frame.codes, self.loss, self.of_fold, weights)
        errors, fold_weights = held.errors
        bounds = held.bounds if self.problem.model.can.grid_bounds else None
        counts = self.count(held)
        limits = limits_of(self.problem, self.measure, self.loss, held.grid, counts)
        return ErrorCurve(
            self.problem, held.grid, self.of_fold, held.predicted, held.covered if held.has_cover else None,
            np.concatenate(errors), held.sizes, np.concatenate(fold_weights),
            choose_over_repeats(errors, fold_weights, held.sizes, bounds, limits), self.measure, self.loss, bounds=bounds,
            counts=counts, **more,
        )  # fmt: skip


def validate(problem: Problem, measure: Any = "error", repeats: Any = 1, covers: bool = True) -> tuple[ErrorCurve, Trial, HeldOut]:
    """Cross-validate a prepared problem; the following fit can use its dissimilarities and rules again."""
    loss, name = measure_losses(measure, problem.frame)
    by_default = problem.to_tune is not None and isinstance(problem.call.arguments.get("dissimilarity", "auto"), str)
    number = max(SAMPLE, SAMPLE_OF_CLASS * len(problem.frame.levels))
    if by_default and len(problem.frame) > max(DRAWN_ROWS, number):
        problem = select_on_sample(problem, measure, number)
    of_fold, notes = draw_folds(problem, repeats)
    smallest, tuned, parts, extensions = smallest_classes(problem, of_fold), problem.metric_axes, list[HeldOut](), dict[str, Extension]()
    for point in product(*tuned.values()):  # parameters of the metric, if some are tuned; each metric has the method's grids
        values = dict(zip(tuned, point, strict=True))
        own = problem.with_metric(values)
        dissimilarity = own.measure()
        trial = Trial(own, dissimilarity, own.task(dissimilarity), of_fold, loss, name, covers)
        held = hold_out_in_turn(trial, own.model.grid(trial.task, smallest))
        if not parts:
            _warn_of_lost(trial, held)
        held, further = extend(trial, held)
        if tuned:
            held.counts = trial.count(held)
            held.grid = held.grid.assign(**values)[[*tuned, *held.grid]]
        parts.append(held)
        extensions |= further
    held = parts[0].beside(parts[1:]) if tuned else held
    trial = replace(trial, problem=problem)
    validation = trial.validation(held, notes=notes, extensions=extensions, procedure=Procedure(problem, measure, len(of_fold)))
    return validation, trial, held


def select_on_sample(problem: Problem, measure: Any, number: int) -> Problem:
    """The problem with one of the default dissimilarities, selected by one cross-validation of a sample of `number` rows."""
    frame, live, classes = problem.frame, np.flatnonzero(problem.frame.weights > 0), len(problem.frame.levels)
    quota = quotas(np.bincount(frame.codes[live], minlength=classes), number, np.ones(classes, bool))
    rows = live[drawn_by_class(frame.codes[live], quota, np.random.default_rng(problem.seed))]
    candidates = problem.candidates if isinstance(problem.candidates, str) else "train"  # a number is of all rows
    part = replace(problem, frame=frame.take(rows), candidates=candidates, cv=FOLDS_OF_SAMPLE, progress=False)
    with catch_warnings():
        simplefilter("ignore", DataWarning)  # of levels that are rare in the sample
        curve = validate(part, measure, covers=False)[0]
    chosen = values_at(curve.grid, curve.chosen_by_call())
    *others, last = problem.metric_axes["dissimilarity"]
    said = f"the distance was selected from {', '.join(others)} and {last} on a random sample of {len(rows):,} rows by class"
    found = problem.with_metric(chosen)
    if problem.call.arguments.get("candidates", "auto") == "auto":
        found = replace(found, candidates=choose_candidates(found.model, found.metric, frame))
    return replace(found, frame=replace(frame, notes=(*frame.notes, said)))


def hold_out_in_turn(trial: Trial, axes: dict[str, np.ndarray]) -> HeldOut:
    """Held-out predictions over the grid. If a metric is learned, the parameter `tuned_last` varies at the chosen values of the others."""
    model = trial.problem.model
    last = next((name for name, values in axes.items() if name in model.tuned_last and len(values) > 1), None)
    if last is None or not ({*axes} - {last}) & {*model.metric_parameters}:
        return trial.hold_out(axes)
    held = trial.hold_out({**axes, last: axes[last][:1]})
    chosen = held.grid.iloc[trial.validation(held).chosen_by_call()]
    return held.beside([trial.hold_out({**{name: np.array([chosen[name]]) for name in axes}, last: axes[last][1:]})])


def _warn_of_lost(trial: Trial, held: HeldOut) -> None:
    """Warn of levels that the training rows of a fold lack, if held-out rows with such levels got no prediction."""
    unpredicted = (held.predicted[0] < 0).all(axis=1)
    where = lost_levels(trial.problem, trial.of_fold[0]).where
    trial.problem.frame.counted({c: at & unpredicted for c, at in where.items() if (at & unpredicted).any()}).warn_of_folds()


def extend(trial: Trial, held: HeldOut) -> tuple[HeldOut, dict[str, Extension]]:
    """Go on with default grids while the choice is their last value, with the same folds, a few values at a time.

    Values from which on a class has no prototypes in a fold do not count. Returns the held-out predictions over the final grids,
    and for each extended parameter a note.
    """
    model, extensions = trial.problem.model, dict[str, Extension]()
    for name, grid in model.larger.items():
        if not model.has_default_grid(name):
            continue
        last, all_classes = held.axes[name].max(), True
        at_once = MOST_FURTHER if trial.problem.train_in_folds else AT_ONCE  # each time the folds learn their dissimilarities
        beyond = grid.values(trial.task) if _chosen(trial, held, name) == last else np.empty(0)
        beyond = beyond[beyond > last][:MOST_FURTHER]
        while len(beyond) and all_classes and _chosen(trial, held, name) == held.axes[name].max():
            more, beyond = beyond[:at_once], beyond[at_once:]
            further = trial.hold_out({**held.axes, name: more}, count_classes=True)
            kept = _until_a_class_is_lost(further, name)
            all_classes = kept == len(more)
            if kept:
                held = held.joined(further, name, more[:kept])
            extensions[name] = Extension(float(last), int((held.axes[name] > last).sum()), all_classes)
    return held, extensions


def _chosen(trial: Trial, held: HeldOut, name: str) -> Any:
    """The value of a parameter at the point that `choose=` in the call means."""
    return held.grid[name].iloc[trial.validation(held).chosen_by_call()]


def _until_a_class_is_lost(held: HeldOut, name: str) -> int:
    """The number of values of a parameter before the first one that loses a class in a fold, for any values of the others."""
    whole = pd.Series(held.all_classes.all(axis=0)).groupby(held.grid[name].to_numpy()).any()
    return int(np.argmin([*whole, False]))


@savable
@dataclass(frozen=True, eq=False)
class Procedure:
    """The arguments of a cross-validation, with which it can be done with other data.

    Attributes
    ----------
    problem : Problem
    measure : str or DataFrame
    repeats : int
    """

    problem: Problem
    measure: Any
    repeats: int

    def validation_of(self, data: Any) -> ErrorCurve:
        """All of it with other data of the same columns: metric, weights of classes, folds, grid and choice."""
        call = self.problem.call
        problem = prepare(replace(call, data=data, arguments={**call.arguments, "progress": False}))
        return self.of_problem(problem)

    def of_problem(self, problem: Problem, covers: bool = True) -> ErrorCurve:
        """The cross-validation of another problem, such as some of the rows; `covers`: whether the rows in each ball are determined."""
        return validate(problem, self.measure, self.repeats, covers)[0]


def _collect(
    held: HeldOut,
    r: int,
    first: int,
    fold: np.ndarray,
    found: Iterator[FoldPath],
    tick: Callable[[], None],
    count_classes: bool,
    covers: bool,
) -> Path | None:
    """Predictions of each fold's path for its held-out rows; and the path on all rows, if it was requested."""
    folds, on_all = int(fold.max()) + 1, None

    def score(fold_path: FoldPath) -> FoldPath:
        points, size = held.predicted.shape[2], np.shape(fold_path.path.size)
        if size != (points,):
            name = type(fold_path.path).__name__
            raise OptionError(f"the path {name} has sizes of shape {size} for a grid of {points} points: return a rule for each point")
        if fold_path.fold == folds:  # leaves nothing out
            return fold_path
        rows, begin = np.flatnonzero(fold == fold_path.fold), 0
        kinds = ["class", "cover"] if covers and "cover" in fold_path.path.kinds else ["class"]
        query = held_out_query(fold_path.dissimilarity, fold_path.task, rows, fold_path.lost)
        for block in query.blocks(len(fold_path.path.prototypes)):
            at, begin = rows[begin : begin + len(block)], begin + len(block)
            for into, codes in zip([held.predicted, held.covered], answer_block(fold_path.path, kinds, block), strict=False):
                into[r, at] = codes
        return fold_path

    for fold_path in each(score, found, len(fold) ** 2):
        if fold_path.fold == folds:
            on_all = fold_path.path
            continue
        held.sizes[first + fold_path.fold] = fold_path.path.size
        if fold_path.path.bounds is not None:
            held.bounds[first + fold_path.fold] = fold_path.path.bounds
        held.has_cover = covers and "cover" in fold_path.path.kinds
        if count_classes:
            held.all_classes[first + fold_path.fold] = _all_classes(fold_path, fold)
        tick()
    return on_all


def _all_classes(fold_path: FoldPath, fold: np.ndarray) -> list[bool]:
    """Whether each rule of a fold has a prototype of every class of its training rows."""
    present = len(np.unique(fold_path.task.y[(fold != fold_path.fold) & (fold_path.task.w > 0)]))
    counts = (class_counts(fold_path.path, fold_path.task.classes) > 0).sum(axis=1)
    return [bool(count >= present) for count in counts]


def _fold_errors(
    predicted: np.ndarray, y: np.ndarray, loss: np.ndarray, of_fold: np.ndarray, weights: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Mean loss of each fold at each grid point, (F, G), and the weight of each fold, (F,), for every repeat."""
    errors, fold_weights = [], []
    for fold, guess in zip(of_fold, predicted, strict=True):
        total = np.bincount(fold, weights)
        lost = (losses(guess[None, :, g : g + 1], y, loss)[0, :, 0] * weights for g in range(guess.shape[1]))
        sums = np.stack([np.bincount(fold, loss) for loss in lost], axis=1)
        errors.append(sums / np.maximum(total, 1e-300)[:, None])
        fold_weights.append(total)
    return errors, fold_weights
