"""The losses of a grid on held-out rows, and the choice of a point of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.query import Path, Query
from ..core.statistics.folds import FOLDS, grouped, stratified, usual_folds
from ..core.task import Task
from ..frames.frame import Frame
from ..ground.checks import MOST_RUNS, hint_for_value, whole_number
from ..ground.errors import DataError, OptionError, brief, shown
from ..ground.savable import savable
from ..metrics.dissimilarity import Dissimilarity
from .problem import DRAWN_ROWS, Lost, Problem, check_rows_needed, lost_levels

BY_HAND = "hand"


@savable
@dataclass(frozen=True, eq=False)
class Selection:
    """Selected values of the tuned parameters of a fit, and how they were selected.

    Attributes
    ----------
    grid : DataFrame (G, parameters)
        Values that were tried; without columns if nothing was tuned.
    values : mapping of parameter to value
        Selected values; empty if nothing was tuned.
    point : int, or None
        Row of the grid with these values; None if they are not in it, or if the fit is truncated (`steps`).
    rule : str
        Rule of selection, as in `choose=`, a name in `core.statistics.one_se.RULES`; "hand" for a fit derived from another one; "" if
        nothing was selected.
    steps : int, or None
        Number of steps, if the fit is a truncation of the rule with these values.
    earlier : mapping of parameter to values
        Values tried by an earlier selection, for parameters that keep its result while others are tuned again.
    """

    grid: pd.DataFrame = field(default_factory=pd.DataFrame)
    values: Mapping[str, Any] = field(default_factory=dict)
    point: int | None = None
    rule: str = ""
    steps: int | None = None
    earlier: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def by_hand(self) -> bool:
        return self.rule == BY_HAND

    def tried(self) -> dict[str, list[Any]]:
        """The values that each parameter was chosen from, now or earlier."""
        return {**self.earlier, **{str(name): self.grid[name].unique().tolist() for name in self.grid}}

    def kept(self, values: Iterable[str], changes: Iterable[str]) -> dict[str, Sequence[Any]]:
        """Values tried for the parameters `values` and for those of earlier selections; without parameters that a user changes."""
        names = ({*values} | set(self.earlier)) - {*changes}
        return {name: tried for name, tried in self.tried().items() if name in names}


@savable
@dataclass(frozen=True)
class Extension:
    """Extension of the default grid of a parameter, because its last value was selected.

    Attributes
    ----------
    last : float
        The last value of the default grid.
    added : int
        The number of further values.
    all_classes : bool
        Whether all classes have prototypes; False if the grid ended because a class has none with the next value.
    """

    last: float
    added: int
    all_classes: bool


def grid_point(grid: pd.DataFrame, values: Mapping[str, Any]) -> int | None:
    """The row of a grid with these values; None if there is none, or several."""
    if not set(grid.columns) <= set(values):
        return None
    same = np.ones(len(grid), bool)
    for name in grid:
        same &= (grid[name] == values[name]).to_numpy()
    at = np.flatnonzero(same)
    return int(at[0]) if len(at) == 1 else None


def values_at(grid: pd.DataFrame, point: int) -> dict[str, Any]:
    """The parameters at a row of a grid, as plain Python values."""
    cells = {str(name): grid[name].iloc[point] for name in grid}
    return {name: v.item() if isinstance(v, np.generic) else v for name, v in cells.items()}


MEASURES = {"error": "error", "balanced": "balanced error", "ordinal": "ordinal error", "loss": "loss"}  # in words


MOST_DRAWS = 10  # of the folds, for repeats="auto"


def draw_folds(problem: Problem, repeats: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Folds (repeats, n), with notes on them."""
    cv = problem.cv
    if isinstance(repeats, str) and repeats == "auto":
        settled = isinstance(cv, np.ndarray) or (isinstance(cv, str) and cv == "loo")
        repeats = 1 if settled or not problem.model.redraws else max(1, min(MOST_DRAWS, DRAWN_ROWS // len(problem.frame)))
    whole_number("repeats", repeats, 1, MOST_RUNS)
    seeds = [int(np.random.SeedSequence([problem.seed, r]).generate_state(1)[0]) for r in range(repeats)]
    return folds_of(cv, problem.frame, problem.groups, seeds)


def folds_of(cv: Any, frame: Frame, groups: np.ndarray | None, seeds: list[int]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Folds (repeats, n), a draw for each seed, with notes on them; `cv` is as `problem.own_folds` returns it."""
    y = frame.codes
    counts, notes = np.bincount(y), tuple[str, ...]()
    if groups is not None and groups.max() < 1 and not isinstance(cv, np.ndarray):
        raise OptionError("cross-validation leaves groups out and needs at least two, but groups has one")
    fixed = fixed_folds(cv, len(y), groups, len(seeds))
    if fixed is not None:
        return fixed[0][None, :], (fixed[1],)
    rare = frame.levels[counts.argmin()]
    if isinstance(cv, str) and cv == "auto":
        cv = usual_folds(y, None if groups is None else int(groups.max()) + 1)
        if cv < 2:
            raise DataError(
                f"cross-validation needs two rows of each class, but class {shown(rare)} has one: use fixed parameters, or join classes"
            )
        notes = (
            (f"{cv} folds, as class {shown(rare)} has {counts.min()} rows",)
            if cv < FOLDS and groups is None
            else ()
        )
    if isinstance(cv, bool) or not isinstance(cv, (int, np.integer)) or cv < 2:
        hint = hint_for_value("cv", cv, ("auto", "loo"))
        raise OptionError(f"cv must be a number of folds >= 2, 'auto', 'loo', custom folds or None, not {brief(cv)}{hint and ': '}{hint}")
    if groups is not None:
        return np.stack([grouped(y, groups, int(cv), seed) for seed in seeds]), notes
    if counts.min() < 2:
        raise OptionError(
            f"cv={brief(cv)} needs two rows of each class, but class {shown(rare)} has one: use cv='loo', leave the class out, or join "
            "classes"
        )
    if counts.min() < cv:
        raise OptionError(
            f"cv={brief(cv)} needs as many rows of each class, but class {shown(rare)} has {counts.min()}: use cv={max(2, counts.min())} "
            "or fewer, or 'loo'"
        )
    return np.stack([stratified(y, int(cv), seed) for seed in seeds]), notes


def fixed_folds(cv: Any, n: int, groups: np.ndarray | None, repeats: int) -> tuple[np.ndarray, str] | None:
    """Folds (n,) without random draws, with a note on them; None if `cv` is the number of random folds.

    Parameters
    ----------
    cv : as `problem.own_folds` returns it
    n : int
    groups : int array (n,), or None
    repeats : int
    """
    left_out = isinstance(cv, str) and cv == "loo"
    if repeats > 1 and (isinstance(cv, np.ndarray) or left_out):
        raise OptionError(f"repeats={repeats} needs random folds, but these folds are fixed: use a number for cv=")
    if isinstance(cv, np.ndarray):
        codes, own = pd.factorize(pd.Series(cv), sort=False)
        if len(own) < 2:
            raise OptionError("the folds in cv are all the same: use at least two")
        if groups is not None and pd.DataFrame({"g": groups, "f": codes}).groupby("g")["f"].nunique().max() > 1:
            raise OptionError("the folds in cv split a group of groups=: use one or the other, or folds that do not split groups")
        return codes.astype(np.int64), "folds of the user's own"
    if not left_out:
        return None
    return (np.arange(n), "one row left out at a time") if groups is None else (groups.astype(np.int64), "one group left out at a time")


def requested_measure(measure: Any, loss: Any) -> Any:
    """Error measure of a call, from `measure=` and `loss=` together."""
    if loss is None:
        return measure
    if not isinstance(loss, pd.DataFrame):
        raise OptionError(f"loss must be a DataFrame with true classes as rows and predicted ones as columns, not {brief(loss)}")
    if not (isinstance(measure, str) and measure == "error"):
        raise OptionError("loss= is the measure of the cross-validation: leave out measure= or loss=")
    return loss


def measure_losses(measure: Any, frame: Frame) -> tuple[np.ndarray, str]:
    """Loss (classes, classes) of predicting column j for class i, and the name of the measure."""
    L = len(frame.levels)
    if isinstance(measure, pd.DataFrame):
        return loss_matrix(measure, frame.levels), "loss"
    if not isinstance(measure, str) or measure not in MEASURES or measure == "loss":
        hint = hint_for_value("measure", measure, ("error", "balanced", "ordinal"))
        raise OptionError(
            f"measure must be 'error', 'balanced', 'ordinal' or a loss matrix as a DataFrame, not {brief(measure)}{hint and ': '}{hint}"
        )
    if measure != "ordinal":
        return 1.0 - np.eye(L), measure
    if frame.response is None or not frame.response.ordered:
        name = frame.formula.response
        raise OptionError(
            f"measure='ordinal' needs an ordered response, but {shown(name)} has no order: use data[{name!r}] = "
            f"pd.Categorical(data[{name!r}], categories=[...], ordered=True)"
        )
    return np.abs(np.subtract.outer(np.arange(L), np.arange(L))).astype(float), measure


def loss_matrix(loss: pd.DataFrame, levels: pd.Index) -> np.ndarray:
    """Loss (classes, classes) of predicting column j for class i, in level order."""
    L = len(levels)
    if set(loss.index) != set(levels) or set(loss.columns) != set(levels) or loss.shape != (L, L):
        raise OptionError(f"a loss matrix needs one row (truth) and one column (predicted) for each class: {list(levels)}")
    try:
        if any(pd.api.types.is_complex_dtype(t) for t in loss.dtypes):
            raise TypeError
        values = loss.loc[levels, levels].to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):
        raise OptionError("a loss matrix must contain numbers") from None
    if not (np.isfinite(values) & (values >= 0)).all() or values.diagonal().any() or not values.any():
        raise OptionError("losses must be finite and >= 0, 0 on the diagonal and somewhere > 0")
    return np.asarray(values)


def row_weights(problem: Problem, measure: str) -> np.ndarray:
    w, y = problem.frame.weights, problem.frame.codes
    of_class = np.maximum(np.bincount(y, w)[y], np.finfo(float).tiny)  # the rows of a fold may give a class no weight
    return w / of_class * w.sum() / len(problem.frame.levels) if measure == "balanced" else w


def losses(codes: np.ndarray, y: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """Loss of each prediction, (R, n, G); of none (-1) the largest loss of the row's class."""
    by_code = np.column_stack([loss.max(axis=1), loss])  # the loss of no prediction, -1, first
    return np.asarray(by_code.ravel().take((y * by_code.shape[1] + 1)[None, :, None] + codes))


def mean_loss(losses: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("rng,n->g", losses, weights) / (weights.sum() * len(losses)))


@dataclass(frozen=True)
class FoldPath:
    """The path of a fold, with the inputs of its predictions: the fold's number, dissimilarities and task of all rows.

    `lost` has the rows with a level that the training rows of their fold lack.
    """

    dissimilarity: Dissimilarity
    task: Task
    fold: int
    path: Path
    lost: Lost

    def query(self, rows: np.ndarray) -> Query:
        """Held-out rows, as a query of the rules of the path."""
        return self.lost.asked(self.dissimilarity.query(rows), rows)


def smallest_classes(problem: Problem, of_fold: np.ndarray) -> np.ndarray:
    """Least number of training rows with weight of each class over all folds, (classes,)."""
    y, live, classes = problem.frame.codes, problem.frame.weights > 0, len(problem.frame.levels)
    left = [np.bincount(y[live & (row != f)], minlength=classes) for row in of_fold for f in range(row.max() + 1)]
    return np.asarray(np.min(left, axis=0))


def fold_paths(
    problem: Problem,
    dissimilarity: Dissimilarity,
    task: Task,
    fold: np.ndarray,
    grid: dict[str, np.ndarray],
    on_all: bool,
    draw: Callable[[Task], dict[str, np.ndarray]] | None = None,
) -> Iterator[FoldPath]:
    """Each fold's path.

    All folds at once, and with `on_all` one more without held-out rows; or fold by fold if the metric or the candidates
    must not use the held-out rows. Then `draw` may give each fold a grid of its own, from the task of its training rows.
    """
    folds, lost = int(fold.max()) + 1, lost_levels(problem, fold)
    check_rows_needed(problem, smallest_classes(problem, fold[None]), grid, " in the training rows of a fold")
    if not problem.train_in_folds:
        for f, path in problem.model.paths(task, fold, folds + on_all, grid):
            yield FoldPath(dissimilarity, task, f, path, lost)
        return
    for f in range(folds):
        own = problem.measure(np.flatnonzero(fold != f))
        its_task = replace(problem.task(own), seed=(*task.seed, f))
        its_grid = draw(its_task.keep(fold != f, f)[0]) if draw else grid
        for _, path in problem.model.paths(its_task, np.where(fold == f, 0, -1), 1, its_grid):
            yield FoldPath(own, its_task, f, path, lost)
