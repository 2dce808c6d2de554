"""Cross-validation: folds, held-out predictions, the error curve and the 1-SE rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.choose import Choice, choose, mean_and_se
from ..core.parallel import each
from ..core.sources import part
from ..core.task import Path, Task
from ..errors import OptionError, brief, one_of
from ..metrics.dissimilarity import Dissimilarity
from ..models.base import Model
from .problem import Problem, bar, blocks, enough, places, prepare, read
from .resampling import FOLDS, draw_folds, loss_matrix, losses, mean_loss, row_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .fit import Fit


@dataclass(frozen=True, eq=False)
class Validation:
    """A cross-validated error curve.

    Attributes
    ----------
    problem : Problem
    points : DataFrame (G, knobs)
        The grid.
    of_fold : int array (R, n)
        Fold that each row is held out in, for each repeat.
    predicted : int16 array (R, n, G)
        Held-out class codes.
    covered : int16 array (R, n, G), or None
        Held-out classes by covering balls, -1 for none or several.
    errors, sizes : arrays (R x F, G)
    heft : array (R x F,)
        Weight of each fold.
    choice : Choice
    measure : str
        "error", "balanced" or "loss".
    loss : array (classes, classes)
        Loss of predicting column j for class i.
    notes : tuple of str
    bounds : array (R x F, G), or None
        Each rule's bound on its error, at delta = 0.05, where the method has one.
    """

    problem: Problem
    points: pd.DataFrame
    of_fold: np.ndarray
    predicted: np.ndarray
    covered: np.ndarray | None
    errors: np.ndarray
    sizes: np.ndarray
    heft: np.ndarray
    choice: Choice
    measure: str
    loss: np.ndarray
    notes: tuple[str, ...] = ()
    bounds: np.ndarray | None = None

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row for each grid point: the knobs, `error`, `se`, `size`, and `cover_error` and `bound` where there are such.

        `size` is the mean over folds of the method's own measure of complexity. `cover_error` counts a row as wrong that
        no ball holds, or balls of several classes, or balls of another class only. `bound` is the mean over folds of the
        bound that the training rows alone put on the error, see `Fit.bound`.
        """
        out = self.points.assign(error=self.choice.error, se=self.choice.se, size=self.choice.size)
        if self.covered is not None:
            out["cover_error"] = mean_loss(losses(self.covered, self.problem.frame.codes, self.loss), self._weights)
        if self.bounds is not None:
            out["bound"] = self.bounds.mean(axis=0)
        return out

    def chosen(self, choose: str) -> int:
        """The row of `table` that `choose` means: "1se", "min", or "bound" (the least; then least size, then first)."""
        if choose != "bound":
            return self.one_se if choose == "1se" else self.best
        assert self.bounds is not None
        return int(np.lexsort((np.arange(len(self.table)), self.table["size"], self.table["bound"].round(12)))[0])

    @property
    def best(self) -> int:
        """Row of `table` with the least error; of equals the smallest, then the first."""
        return self.choice.best

    @property
    def one_se(self) -> int:
        """Row of `table` by the 1-SE rule: the smallest size with an error within one SE of the least."""
        return self.choice.one_se

    @property
    def folds(self) -> pd.DataFrame | pd.Series:
        """Fold that holds each row out, by the data's labels; a column for each repeat if there are several."""
        frame = pd.DataFrame(self.of_fold.T, self.problem.frame.index)
        return frame[0].rename("fold") if len(self.of_fold) == 1 else frame.rename_axis(columns="repeat")

    @property
    def fold_errors(self) -> pd.DataFrame:
        """Mean loss of each fold (rows, repeat by repeat) at each grid point (columns)."""
        return pd.DataFrame(self.errors).rename_axis(index="fold", columns="point")

    @cached_property
    def held_out(self) -> pd.DataFrame:
        """Out-of-fold predictions of every row (by label; by repeat and label if there are several) at every grid point."""
        frame = self.problem.frame
        repeats = len(self.predicted)
        index = frame.index if repeats == 1 else pd.MultiIndex.from_product([range(repeats), frame.index])
        codes = self.predicted.reshape(-1, self.predicted.shape[2])
        series = {g: pd.Categorical.from_codes(codes[:, g], frame.levels) for g in range(codes.shape[1])}
        return pd.DataFrame(series, index).rename_axis(columns="point")

    @property
    def no_information(self) -> float:
        """Loss of always predicting the one class that makes it least."""
        frame = self.problem.frame
        return float((self._weights @ self.loss[frame.codes]).min() / self._weights.sum())

    @property
    def _weights(self) -> np.ndarray:
        return row_weights(self.problem, self.measure)

    def confusion(self, point: int | None = None) -> pd.DataFrame:
        """Weight of held-out rows by true class (rows) and predicted class, at a row of `table` (default the 1-SE point).

        With several repeats, the mean over them.
        """
        g = self._point(point)
        frame, L = self.problem.frame, len(self.problem.frame.levels)
        cells = frame.codes * L + self.predicted[:, :, g]
        counts = np.mean([np.bincount(c, frame.weights, L * L) for c in cells], axis=0).reshape(L, L)
        counts = counts.astype(int) if (counts == counts.round()).all() else counts
        return pd.DataFrame(counts, frame.levels.rename("truth"), frame.levels.rename("predicted"))

    def _point(self, point: int | None) -> int:
        if point is None:
            return self.one_se
        if isinstance(point, bool) or not isinstance(point, (int, np.integer)) or not 0 <= point < len(self.points):
            raise OptionError(f"point={brief(point)}: a row of `table`, 0 to {len(self.points) - 1}")
        return int(point)

    def tidy(self) -> pd.DataFrame:
        """One row for each grid point: knobs, error, std_error, conf_low, conf_high (+- 1 SE, as broom has it), size."""
        table = self.table.rename(columns={"se": "std_error"})
        at = table.columns.get_loc("std_error") + 1
        table.insert(at, "conf_low", table["error"] - table["std_error"])
        table.insert(at + 1, "conf_high", table["error"] + table["std_error"])
        return table

    def glance(self) -> pd.DataFrame:
        """One row: number of grid points, folds and repeats, least error with its SE, and the 1-SE choice."""
        best, chosen = self.table.iloc[self.best], self.table.iloc[self.one_se]
        return pd.DataFrame([{
            "points": len(self.table), "folds": int(self.of_fold.max()) + 1, "repeats": len(self.of_fold),
            "error_min": best["error"], "se_min": best["se"], "size_min": best["size"],
            "error_1se": chosen["error"], "se_1se": chosen["se"], "size_1se": chosen["size"],
            "no_information": self.no_information, "nobs": len(self.problem.frame),
        }])  # fmt: skip

    @cached_property
    def fit(self) -> Fit:
        """The method on all rows at the chosen point: by the 1-SE rule, or what `choose=` in the call says."""
        return self.fit_at(self.chosen(self.problem.call.arguments.get("choose", "1se")))

    def fit_at(self, point: int) -> Fit:
        """The method on all rows at a row of `table`.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), eps=[0.5, 1.0, 1.5])
        >>> v.fit_at(2).model.eps
        1.5
        """
        from .fit import fit_problem

        call, at = self.problem.call, self._point(point)
        fitted = fit_problem(self.problem, self, at)
        if at == self.chosen(call.arguments.get("choose", "1se")):
            return fitted
        values = {name: getattr(fitted.model, name) for name in self.points}  # so that update() stays at the point
        given = isinstance(call.arguments.get("method"), Model)
        own = {"method": replace(call.arguments["method"], **values)} if given else values
        called = replace(call, arguments={**call.arguments, **own})
        return replace(fitted, problem=replace(fitted.problem, call=called))

    def plot(self, x: Any = None, ax: Any = None) -> Axes:
        """The error curve: +- 1 SE, size on the top axis, lines at the least error and the 1-SE point.

        Parameters
        ----------
        x : str or pair of str, optional
            The knob on the horizontal axis, where several were tuned; the others make a line each. "size": the error
            against the size of the rules. A pair of knobs: a heat map of the error.
        ax : Axes, optional
        """
        from ..plots.curve import curve

        return curve(self, x, ax)

    def explore(self, **options: Any) -> Any:
        """Move over the error curve in a notebook: the held-out confusion at each point, and a button that fits there.

        Parameters
        ----------
        x : pair of str, optional
            Of several knobs the two that the heat map has as axes.

        Returns
        -------
        CurveExplorer, or where no widget can be shown its figure
            See `protoclass.widgets.explore_validation`.
        """
        from ..widgets import explore_validation

        return explore_validation(self, **options)

    def __repr__(self) -> str:
        frame, table = self.problem.frame, self.table
        how = f"{int(self.of_fold.max()) + 1} folds" + (
            f" x {len(self.of_fold)} repeats" if len(self.of_fold) > 1 else ""
        )
        rows = table.iloc[[self.best, self.one_se]].set_axis(["min", "1se"]).to_string(float_format="{:.4g}".format)
        head = f"{self.problem.call!r}\n{self.problem.model.title}: {self.measure} over {how}, {len(frame)} rows"
        return f"{head}, {len(table)} grid points; no-information {self.measure} {self.no_information:.3f}\n{rows}"

    def _repr_html_(self) -> str:
        import html

        rows = self.table.iloc[[self.best, self.one_se]].set_axis(["min", "1se"])
        return f"<pre>{html.escape(repr(self.problem.call))}</pre>{rows.to_html(float_format='{:.4g}'.format)}"


def cross_validate(
    formula: str,
    data: Any,
    method: Any = "pvm",
    *,
    dissimilarity: Any = "auto",
    candidates: Any = "train",
    cv: Any = FOLDS,
    choose: str = "1se",
    na: str = "drop",
    weights: Any = None,
    groups: Any = None,
    seed: int = 0,
    progress: bool | None = None,
    client: Any = None,
    measure: Any = "error",
    repeats: int = 1,
    **knobs: Any,
) -> Validation:
    """Cross-validate a method over the grid of its open knobs.

    Parameters
    ----------
    formula, data, method, dissimilarity, candidates, cv, choose, na, weights, groups, seed, progress, client, **knobs
        As in `fit`; `cv` is 10 by default, with open knobs or without.
    measure : "error", "balanced" or DataFrame
        Share of wrong predictions; its mean over classes; or a loss matrix, true classes as rows and predicted as columns.
    repeats : int
        Times that new folds are drawn. Error and size are then means over all; the standard error is the root mean
        square of the repeats' own, as repeats share their data and do not make it smaller.

    Returns
    -------
    Validation
        The same `seed` gives the same folds for every method, so that their errors can be compared fold by fold.

    Examples
    --------
    >>> import protoclass as pc
    >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), "knn", k=[1, 5, 15])
    >>> v.table.round(3).to_dict("list")["error"]
    [0.053, 0.047, 0.027]
    """
    arguments = {"method": method, "dissimilarity": dissimilarity, "candidates": candidates, "cv": cv, "choose": choose,
                 "na": na, "weights": weights, "groups": groups, "seed": seed, "progress": progress, "client": client,
                 "measure": measure, "repeats": repeats}  # fmt: skip
    problem = prepare("cross_validate", formula, data, arguments, knobs)
    if problem.cv is None:
        raise OptionError(
            "cv=None leaves nothing to cross-validate: give a number of folds, 'loo' or folds of your own"
        )
    checked(choose, problem.model)
    return validate(problem, measure, repeats).validation


def checked(choose: str, model: Model) -> None:
    one_of("choose", choose, ("1se", "min", "bound"))
    if choose == "bound" and not model.bounded:
        raise OptionError(f"choose='bound': method {model.name!r} has no bound over its grid; 'scm' has")


@dataclass(frozen=True)
class Validated:
    """A Validation, and what the fit that follows can use again: what was measured, and the path on all rows, if any."""

    validation: Validation
    related: Dissimilarity
    task: Task
    whole: Path | None


def validate(problem: Problem, measure: Any = "error", repeats: int = 1) -> Validated:
    """Cross-validate a prepared problem."""
    frame, model = problem.frame, problem.model
    loss, name = loss_matrix(measure, frame.levels)
    of_fold, notes = draw_folds(problem, repeats)
    related = problem.relate()
    with bar(None, "measuring", problem.progress) as measuring:
        task = problem.task(related, measuring.update)
    F = of_fold.max(axis=1) + 1
    live = frame.weights > 0
    left = [
        np.bincount(frame.codes[live & (row != f)], minlength=task.classes)
        for row in of_fold
        for f in range(row.max() + 1)
    ]
    smallest = np.min(left, axis=0)
    grid = model.grid(task, smallest)
    enough(problem, smallest, grid, " in the training rows of a fold")
    points = pd.DataFrame(list(product(*(axis.tolist() for axis in grid.values()))), columns=list(grid))
    G = len(points)
    predicted = np.empty((len(of_fold), len(frame), G), np.int16)
    covered = np.empty_like(predicted)
    has_cover, whole = False, None
    sizes, bounds = np.empty((F.sum(), G)), np.full((F.sum(), G), np.nan)
    with bar(int(F.sum()), "cross-validating", problem.progress) as validating:
        for r, fold in enumerate(of_fold):
            first = F[:r].sum()

            def score(
                found: tuple[Dissimilarity, Task, int, Path], r: int = r, fold: np.ndarray = fold
            ) -> tuple[int, Path]:
                its_related, its_task, f, path = found
                rows = np.flatnonzero(fold == f)
                for at, kind, told in _held_out(its_related, its_task, path, rows):
                    (covered if kind == "cover" else predicted)[r, at] = told
                return f, path

            also = model.shares and r == 0
            for f, path in each(score, fold_paths(problem, related, task, fold, grid, also), len(frame) ** 2):
                if f == F[r]:
                    whole = path
                    continue
                sizes[first + f] = path.size
                if path.bounds is not None:
                    bounds[first + f] = path.bounds
                has_cover = "cover" in path.kinds
                validating.update()
    weights = row_weights(problem, name)
    errors, heft = [], []
    for fold, guess in zip(of_fold, predicted, strict=True):
        lost = losses(guess[None], frame.codes, loss)[0] * weights[:, None]
        heft.append(np.bincount(fold, weights))
        errors.append(
            np.stack([np.bincount(fold, lost[:, g]) for g in range(G)], axis=1) / np.maximum(heft[-1], 1e-300)[:, None]
        )
    validation = Validation(
        problem, points, of_fold, predicted, covered if has_cover else None, np.concatenate(errors), sizes,
        np.concatenate(heft), _choice(errors, heft, sizes), name, loss, notes, bounds if model.bounded else None,
    )  # fmt: skip
    return Validated(validation, related, task, whole)


def _choice(errors: list[np.ndarray], heft: list[np.ndarray], sizes: np.ndarray) -> Choice:
    each_repeat = [mean_and_se(e, h) for e, h in zip(errors, heft, strict=True)]
    error = np.mean([e for e, _ in each_repeat], axis=0)
    se = np.sqrt(np.mean([s**2 for _, s in each_repeat], axis=0))
    return choose(np.concatenate(errors), np.concatenate(heft), sizes, error, se)


def fold_paths(
    problem: Problem, related: Dissimilarity, task: Task, fold: np.ndarray, grid: dict[str, np.ndarray], also: bool
) -> Iterator[tuple[Dissimilarity, Task, int, Path]]:
    """Each fold's path, with what it is read on: (related, task, fold, path).

    All folds at once, and with `also` one more that leaves nothing out; or fold by fold where the metric or the candidates
    must not see what is held out.
    """
    folds = int(fold.max()) + 1
    if not problem.by_fold:
        for f, path in problem.model.paths(task, fold, folds + also, grid):
            yield related, task, f, path
        return
    for f in range(folds):
        its_related = problem.relate(np.flatnonzero(fold != f))
        its_task = replace(problem.task(its_related), seed=(*task.seed, f))
        for _, path in problem.model.paths(its_task, np.where(fold == f, 0, -1), 1, grid):
            yield its_related, its_task, f, path


def _held_out(
    related: Dissimilarity, task: Task, path: Path, rows: np.ndarray
) -> Iterator[tuple[np.ndarray, str, np.ndarray]]:
    kinds = [kind for kind in ("class", "cover") if kind in path.kinds]
    points = path.points
    X = task.columns()[rows] if "columns" in path.reads else None
    if "D" in path.reads and points.at is not None:
        for at in blocks(len(rows), max(1, 2**24 // max(1, len(points)))):
            D = task.D.take(rows[at], points.at)
            for kind in kinds:
                yield rows[at], kind, path.predict(kind, D, None if X is None else X[at])
        return
    for kind in kinds:
        yield rows, kind, read(kind, path, related, part(related.rows, rows), places(path, related), X)


def none_open(problem: Problem) -> None:
    """Raise where a knob is open and nothing tunes it."""
    loose = list(problem.model.open())
    if loose and problem.cv is None:
        raise OptionError(
            f"{loose[0]} is open, and cv=None leaves nothing to tune it: give {loose[0]}= a value, or cv=10"
        )
