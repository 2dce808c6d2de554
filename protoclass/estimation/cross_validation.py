"""Cross-validation: held-out predictions of every row at every grid point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import one_of
from ..core.choose import Choice, choose, mean_and_se
from ..core.parallel import each
from ..core.query import Query, answer_block
from ..core.task import Path, Task
from ..errors import OptionError
from ..metrics.dissimilarity import Dissimilarity
from ..models.base import Model
from ..models.registry import methods_with
from ..progress import bar
from .fitted import KINDS
from .problem import Problem, check_rows_needed, held_out_query
from .resampling import FoldPath, draw_folds, fold_paths, loss_matrix, losses, row_weights
from .validation import Validation


def check_choose(choose: str, model: Model) -> None:
    """Raise unless `choose=` is a rule that the method knows."""
    one_of("choose", choose, ("1se", "min", "bound"))
    if choose == "bound" and not model.can.grid_bounds:
        raise OptionError(
            f"choose='bound': method {model.name!r} has no bound over its grid; methods that have: {methods_with('grid_bounds')}"
        )


@dataclass(frozen=True)
class Validated:
    """A Validation, and what the fit that follows can use again.

    Attributes
    ----------
    validation : Validation
    dissimilarity, task : of all rows
    path : Path on all rows, or None where the folds share no work with it
    """

    validation: Validation
    dissimilarity: Dissimilarity
    task: Task
    path: Path | None


@dataclass
class HeldOut:
    """What is collected over the folds: predictions (R, n, G), sizes and bounds (R x F, G)."""

    predicted: np.ndarray
    covered: np.ndarray
    sizes: np.ndarray
    bounds: np.ndarray
    has_cover: bool = False

    @staticmethod
    def empty(repeats: int, rows: int, points: int, folds: int) -> HeldOut:
        predicted = np.empty((repeats, rows, points), np.int16)
        sizes, bounds = np.empty((folds, points)), np.full((folds, points), np.nan)
        return HeldOut(predicted, np.empty_like(predicted), sizes, bounds)


def validate(problem: Problem, measure: Any = "error", repeats: int = 1) -> Validated:
    """Cross-validate a prepared problem."""
    frame, model = problem.frame, problem.model
    loss, name = loss_matrix(measure, frame.levels)
    of_fold, notes = draw_folds(problem, repeats)
    dissimilarity = problem.measure()
    task = problem.task(dissimilarity)
    smallest = _smallest_classes(problem, of_fold)
    axes = model.grid(task, smallest)
    check_rows_needed(problem, smallest, axes, " in the training rows of a fold")
    grid = pd.DataFrame(list(product(*(axis.tolist() for axis in axes.values()))), columns=list(axes))
    F = of_fold.max(axis=1) + 1
    held = HeldOut.empty(len(of_fold), len(frame), len(grid), int(F.sum()))
    path = None
    with bar(int(F.sum()), "cross-validating", problem.progress) as validating:
        for r, fold in enumerate(of_fold):
            found = fold_paths(problem, dissimilarity, task, fold, axes, model.shares_work and r == 0)
            on_all = _collect(held, r, int(F[:r].sum()), fold, found, validating.update)
            path = on_all if r == 0 else path
    weights = row_weights(problem, name)
    errors, fold_weights = _fold_errors(held.predicted, frame.codes, loss, of_fold, weights)
    validation = Validation(
        problem, grid, of_fold, held.predicted, held.covered if held.has_cover else None, np.concatenate(errors), held.sizes,
        np.concatenate(fold_weights), _choice(errors, fold_weights, held.sizes), name, loss, notes,
        held.bounds if model.can.grid_bounds else None,
    )  # fmt: skip
    return Validated(validation, dissimilarity, task, path)


def _smallest_classes(problem: Problem, of_fold: np.ndarray) -> np.ndarray:
    """Least number of training rows with weight of each class over all folds, (classes,)."""
    y, live, classes = problem.frame.codes, problem.frame.weights > 0, len(problem.frame.levels)
    left = [np.bincount(y[live & (row != f)], minlength=classes) for row in of_fold for f in range(row.max() + 1)]
    return np.asarray(np.min(left, axis=0))


def _collect(
    held: HeldOut, r: int, first: int, fold: np.ndarray, found: Iterator[FoldPath], tick: Callable[[], None]
) -> Path | None:
    """Ask each fold's path about the rows that it has not seen; the path on all rows, where it came along."""
    folds, points, on_all = int(fold.max()) + 1, held.predicted.shape[2], None

    def score(one: FoldPath) -> FoldPath:
        check_path(one.path, points)
        if one.fold == folds:  # leaves nothing out
            return one
        rows, begin = np.flatnonzero(fold == one.fold), 0
        query = held_out_query(one.dissimilarity, one.task, rows)
        for block in query.blocks(len(one.path.prototypes)):
            at, begin = rows[begin : begin + len(block)], begin + len(block)
            held.predicted[r, at] = checked_answer(one.path, "class", block, points)
            if "cover" in one.path.kinds:
                held.covered[r, at] = checked_answer(one.path, "cover", block, points)
        return one

    for one in each(score, found, len(fold) ** 2):
        if one.fold == folds:
            on_all = one.path
            continue
        held.sizes[first + one.fold] = one.path.size
        if one.path.bounds is not None:
            held.bounds[first + one.fold] = one.path.bounds
        held.has_cover = "cover" in one.path.kinds
        tick()
    return on_all


def check_path(path: Path, points: int) -> None:
    """Raise where a path does not fit the grid that it was asked for."""
    name, size = type(path).__name__, np.shape(path.size)
    if size != (points,):
        raise OptionError(
            f"the path {name} has sizes of shape {size} for a grid of {points} points: `size` needs one number a point, in the "
            "order of the grid (its last axis varies fastest)"
        )
    strange = [kind for kind in path.kinds if kind not in KINDS]
    if strange or "class" not in path.kinds:
        raise OptionError(
            f"the path {name} has the kinds {tuple(path.kinds)}: 'class' must be among them, and all of {KINDS} are known"
        )


def checked_answer(path: Path, kind: str, block: Query, points: int) -> np.ndarray:
    """What a path predicts of a block of rows, (r, G); raises where it has another shape or holds no class codes."""
    out = answer_block(path, kind, block)
    if out.shape != (len(block), points) or not np.issubdtype(out.dtype, np.integer):
        raise OptionError(
            f"the path {type(path).__name__} predicts {kind!r} as an array {out.shape} of {out.dtype}, and class codes of shape "
            f"{(len(block), points)} are needed: rows by grid points"
        )
    return out


def _fold_errors(
    predicted: np.ndarray, y: np.ndarray, loss: np.ndarray, of_fold: np.ndarray, weights: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Mean loss of each fold at each grid point, (F, G), and the weight of each fold, (F,), for every repeat."""
    errors, fold_weights = [], []
    for fold, guess in zip(of_fold, predicted, strict=True):
        lost = losses(guess[None], y, loss)[0] * weights[:, None]
        total = np.bincount(fold, weights)
        sums = np.stack([np.bincount(fold, lost[:, g]) for g in range(lost.shape[1])], axis=1)
        errors.append(sums / np.maximum(total, 1e-300)[:, None])
        fold_weights.append(total)
    return errors, fold_weights


def _choice(errors: list[np.ndarray], fold_weights: list[np.ndarray], sizes: np.ndarray) -> Choice:
    of_repeat = [mean_and_se(e, w) for e, w in zip(errors, fold_weights, strict=True)]
    error = np.mean([e for e, _ in of_repeat], axis=0)
    se = np.sqrt(np.mean([s**2 for _, s in of_repeat], axis=0))
    return choose(np.concatenate(errors), np.concatenate(fold_weights), sizes, error, se)
