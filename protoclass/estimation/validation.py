"""A cross-validated error curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from ..arguments import known_arguments, one_of
from ..core.choose import RULES, Choice, choose
from ..core.units import as_counts
from ..errors import OptionError, brief
from ..frames.tables import as_given
from .correction import corrected_error
from .fit import Fit, learn
from .problem import Problem
from .resampling import MEASURES, losses, mean_loss, row_weights
from .selection import BY_HAND, Extension, Selection, values_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Redrawn(Protocol):
    """A cross-validation with other folds."""

    @property
    def validation(self) -> Validation: ...


@dataclass(frozen=True, eq=False)
class Validation:
    """A cross-validated error curve.

    Attributes
    ----------
    problem : Problem
    grid : DataFrame (G, parameters)
        What was tried.
    of_fold : int array (R, n)
        Fold that each row is held out in, for each repeat.
    predicted : int16 array (R, n, G)
        Held-out class codes.
    covered : int16 array (R, n, G), or None
        Held-out classes by covering balls, -1 for none or several.
    errors, sizes : arrays (R x F, G)
    fold_weight : array (R x F,)
        Weight of each fold.
    choice : Choice
    measure : str
        "error", "balanced" or "loss".
    loss : array (classes, classes)
        Loss of predicting column j for class i.
    notes : tuple of str
    bounds : array (R x F, G), or None
        Each rule's bound on its error, at delta = 0.05, where the method has one.
    extensions : mapping of parameter to Extension
        The default grids that went on beyond their last value.
    second : or None
        Has the same cross-validation with other folds as `validation`, computed when it is first read; where this is cheap.
    """

    problem: Problem
    grid: pd.DataFrame
    of_fold: np.ndarray
    predicted: np.ndarray
    covered: np.ndarray | None
    errors: np.ndarray
    sizes: np.ndarray
    fold_weight: np.ndarray
    choice: Choice
    measure: str
    loss: np.ndarray
    notes: tuple[str, ...] = ()
    bounds: np.ndarray | None = None
    extensions: Mapping[str, Extension] = field(default_factory=dict)
    second: Redrawn | None = None

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row for each grid point: the parameters, `error`, `se`, `size`, and `cover_error` and `bound` where there are such.

        `error` is the mean of what `measure` says: the share of errors, its mean over classes, or the loss.
        `size` is the mean over folds of the method's own measure of complexity. `cover_error` counts a row as wrong that
        no ball holds, or balls of several classes, or balls of another class only. `bound` is the mean over folds of the
        bound that the training rows alone put on the error, see `Fit.bound`.
        """
        out = self.grid.assign(error=self.choice.error, se=self.choice.se, size=self.choice.size)
        if self.covered is not None:
            out["cover_error"] = mean_loss(losses(self.covered, self.problem.frame.codes, self.loss), self._weights)
        if self.bounds is not None:
            out["bound"] = self.bounds.mean(axis=0)
        return out

    def chosen(self, choose: str) -> int:
        """The row of `table` that `choose` means: "1se", "1se-paired", "min" or "bound", see `core.choose.Choice`."""
        return self.choice.points[choose]

    def chosen_by_call(self) -> int:
        """The row of `table` that `choose=` in the call means."""
        return self.chosen(self.problem.call.arguments.get("choose", "1se"))

    @cached_property
    def draws(self) -> pd.DataFrame:
        """What each draw of the folds alone chooses: the parameters, `error`, and mean `size` of the rules over the folds.

        One row for each repeat. Where there is one and another is cheap (rows times grid points up to 20,000, and a method
        whose folds share their work) a second row has what other folds choose, by the same rule over the same grid.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), repeats=3)
        >>> v.draws["size"].round(1).tolist()
        [14.0, 17.3, 17.4]
        """
        alone = [self] if len(self.of_fold) == 1 else [self._draw(r) for r in range(len(self.of_fold))]
        alone += [self.second.validation] if self.second is not None else []
        rows = [v.table.iloc[[v.chosen_by_call()]] for v in alone]
        out = pd.concat(rows, ignore_index=True)[[*self.grid, "error", "size"]]
        return out.rename_axis(index="draw")

    def _draw(self, r: int) -> Validation:
        """The cross-validation with the folds of one repeat alone."""
        of_repeat = np.repeat(np.arange(len(self.of_fold)), self.of_fold.max(axis=1) + 1) == r
        errors, weight, sizes = self.errors[of_repeat], self.fold_weight[of_repeat], self.sizes[of_repeat]
        bounds = None if self.bounds is None else self.bounds[of_repeat]
        return replace(
            self, of_fold=self.of_fold[[r]], predicted=self.predicted[[r]], errors=errors, sizes=sizes, fold_weight=weight,
            covered=None if self.covered is None else self.covered[[r]], choice=choose(errors, weight, sizes, bounds),
            bounds=bounds,
        )  # fmt: skip

    @property
    def measure_name(self) -> str:
        """What was measured, in words: "error", "balanced error" or "loss"."""
        return MEASURES[self.measure]

    @known_arguments
    def corrected(self, choose: str = "1se") -> float | None:
        """The error of the point that `choose` means, corrected for choosing it on the same folds.

        The error in `table` of a point that was chosen for it is too small: on noise, with 40 rows and a true error of 0.50,
        it is 0.38 for "scm", 0.41 for "pvm" and 0.45 for "knn" at the 1-SE point, and the corrected one 0.47, 0.48 and 0.50
        (`python benchmarks/tuned_error.py`). Nothing is fitted again: rows are drawn with replacement from the held-out
        predictions, the point is chosen anew, and the rows that were not drawn judge it. Nested cross-validation judges the
        tuning by fitting it again on each outer fold's training rows: `compare(formula, data, [method], cv=10)`.

        Parameters
        ----------
        choose : "1se", "1se-paired", "min" or "bound"

        Returns
        -------
        float, or None
            In the unit of `measure`. None where there is nothing to correct: one grid point, or a choice by the bound, which
            looks at no held-out row.

        References
        ----------
        Tsamardinos, Greasidou and Borboudakis (2018), Machine Learning 107.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"))
        >>> float(v.table["error"][v.one_se]), round(v.corrected(), 2)
        (0.04, 0.05)
        """
        one_of("choose", choose, tuple(RULES))
        if len(self.grid) == 1 or choose == "bound":
            return None
        return self._corrected[choose]

    @cached_property
    def _corrected(self) -> Mapping[str, float]:
        problem = self.problem
        units = np.arange(len(problem.frame)) if problem.groups is None else problem.groups
        return corrected_error(
            self.predicted, problem.frame.codes, self.loss, self.of_fold, self._weights, self.sizes, units, problem.seed
        )

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
        frame = pd.DataFrame(self.of_fold.T, self.problem.frame.index).iloc[self.problem.place]
        return frame[0].rename("fold") if len(self.of_fold) == 1 else frame.rename_axis(columns="repeat")

    @property
    def fold_errors(self) -> pd.DataFrame:
        """Mean loss of each fold (rows, repeat by repeat) at each grid point (columns)."""
        return pd.DataFrame(self.errors).rename_axis(index="fold", columns="point")

    @property
    def fold_sizes(self) -> pd.DataFrame:
        """Size of each fold's rule (rows, repeat by repeat) at each grid point (columns)."""
        return pd.DataFrame(self.sizes).rename_axis(index="fold", columns="point")

    @cached_property
    def held_out(self) -> pd.DataFrame:
        """Out-of-fold predictions of every row (by label; by repeat and label if there are several) at every grid point."""
        frame, place, repeats = self.problem.frame, self.problem.place, len(self.predicted)
        names = frame.index[place]
        index = names if repeats == 1 else pd.MultiIndex.from_product([range(repeats), names])
        codes = self.predicted[:, place].reshape(-1, self.predicted.shape[2])
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

    @known_arguments
    def confusion(self, point: int | None = None) -> pd.DataFrame:
        """Weight of held-out rows by true class (rows) and predicted class, at a row of `table` (default the 1-SE point).

        With several repeats, the mean over them.
        """
        g = self._point(point)
        frame, L = self.problem.frame, len(self.problem.frame.levels)
        cells = frame.codes * L + self.predicted[:, :, g]
        counts = np.mean([np.bincount(c, frame.weights, L * L) for c in cells], axis=0).reshape(L, L)
        return pd.DataFrame(as_counts(counts), frame.levels.rename("truth"), frame.levels.rename("predicted"))

    def _point(self, point: int | None) -> int:
        if point is None:
            return self.one_se
        if isinstance(point, bool) or not isinstance(point, (int, np.integer)) or not 0 <= point < len(self.grid):
            raise OptionError(f"point={brief(point)}: a row of `table`, 0 to {len(self.grid) - 1}")
        return int(point)

    @known_arguments
    def tidy(self) -> Any:
        """One row for each grid point: parameters, error, std_error, conf_low, conf_high (+- 1 SE, as broom has it), size, measure.

        `measure` says what `error` is: "error", "balanced error" or "loss". In the library of the data, as `Fit.tidy`.
        """
        table = self.table.rename(columns={"se": "std_error"})
        at = table.columns.get_loc("std_error") + 1
        table.insert(at, "conf_low", table["error"] - table["std_error"])
        table.insert(at + 1, "conf_high", table["error"] + table["std_error"])
        return as_given(table.assign(measure=self.measure_name), self.problem.call.data)

    @known_arguments
    def glance(self) -> Any:
        """One row: measure, number of grid points, folds and repeats, least error with its SE, and the 1-SE choice.

        `error_min_corrected` and `error_1se_corrected` are the errors of the two choices, corrected for choosing on the same
        folds, see `corrected`; NaN for a single grid point.
        """
        best, chosen = self.table.iloc[self.best], self.table.iloc[self.one_se]
        least, parsimonious = (np.nan if (e := self.corrected(c)) is None else e for c in ("min", "1se"))
        row = pd.DataFrame([{
            "measure": self.measure_name, "points": len(self.table), "folds": int(self.of_fold.max()) + 1, "repeats": len(self.of_fold),
            "error_min": best["error"], "se_min": best["se"], "size_min": best["size"],
            "error_min_corrected": least,
            "error_1se": chosen["error"], "se_1se": chosen["se"], "size_1se": chosen["size"],
            "error_1se_corrected": parsimonious,
            "no_information": self.no_information, "nobs": len(self.problem.frame),
        }])  # fmt: skip
        return as_given(row, self.problem.call.data)

    @cached_property
    def fit(self) -> Fit:
        """The method on all rows at the chosen point: by the 1-SE rule, or what `choose=` in the call says."""
        return self.fit_at(self.chosen_by_call())

    @known_arguments
    def fit_at(self, point: int) -> Fit:
        """The method on all rows at a row of `table`.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), eps=[0.5, 1.0, 1.5])
        >>> v.fit_at(2).model.eps
        1.5
        """
        return learn(self.problem, self.select(point), self)

    def select(self, point: int) -> Selection:
        """The selection of a row of `table`; by hand, unless it is the one that `choose=` in the call means."""
        at = self._point(point)
        choose = self.problem.call.arguments.get("choose", "1se")
        return Selection(self.grid, values_at(self.grid, at), at, choose if at == self.chosen_by_call() else BY_HAND)

    @known_arguments
    def plot(self, x: Any = None, ax: Any = None) -> Axes:
        """The error curve: +- 1 SE, size on the top axis, lines at the least error and the 1-SE point.

        Parameters
        ----------
        x : str or pair of str, optional
            The parameter on the horizontal axis, where several were tuned; the others make a line each. "size": the error
            against the size of the rules. A pair of parameters: a heat map of the error.
        ax : Axes, optional
        """
        from ..plots.curve import curve

        return curve(self, x, ax)

    def explore(self, **options: Any) -> Any:
        """Move over the error curve in a notebook: the held-out confusion at each point, and a button that fits there.

        Parameters
        ----------
        x : pair of str, optional
            Of several parameters the two that the heat map has as axes.

        Returns
        -------
        CurveExplorer, or where no widget can be shown its figure
            See `protoclass.widgets.explore_validation`.
        """
        from ..widgets import explore_validation

        return explore_validation(self, **options)

    def __repr__(self) -> str:
        from ..tables.curve import text

        return text(self)

    def _repr_html_(self) -> str:
        from ..tables.curve import html_text

        return html_text(self)
