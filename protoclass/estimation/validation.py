"""A cross-validated error curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from ..arguments import Served, known_arguments, public
from ..core.choose import choose
from ..core.memory import limited
from ..core.units import as_counts
from ..declared import savable
from ..elsewhere import VERBS_OF_VALIDATION
from ..errors import OptionError, brief, printed
from ..frames.tables import as_given, cached_table
from .error_curve import ErrorCurve
from .fit import Fit, learn
from .selection import BY_HAND, Selection, values_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..analysis.permutation import PermutationTest
    from ..saving import Saved


@savable(of_fold="R n", predicted="R n G", covered="R n G", errors="F G", sizes="F G", fold_weight="F", loss="L L", bounds="F G", grid="G")
@public
@dataclass(frozen=True, eq=False)
class Validation(ErrorCurve, Served):
    """A cross-validated error curve.

    It has `table`, `best`, `one_se`, `corrected`, `band` and what else `ErrorCurve` documents; here are the folds, the held-out
    predictions, the fits at its points, its tables and pictures.
    """

    serves: ClassVar[Mapping[str, str]] = VERBS_OF_VALIDATION
    called: ClassVar[str] = "a cross-validation"

    @cached_table
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
        alone += [self.second.validation] if self.second is not None else []  # type: ignore[list-item]
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
            bounds=bounds, procedure=None,
        )  # fmt: skip

    @known_arguments
    @limited
    def permutation_test(self, B: int = 200, seed: int = 0, progress: bool | None = None) -> PermutationTest:
        """Whether an error as small as that of the chosen point is to be expected where the classes say nothing of the predictors.

        The classes are permuted among the rows, and all of the cross-validation is done again: folds, metric, grid and choice, so
        that the test allows for the tuning. With `groups=` the classes of whole groups are permuted where each group has
        one class, and otherwise the classes of the rows within each group.

        Parameters
        ----------
        B : int
            Permutations. The p-value is at least 1 / (1 + B).
        seed : int
        progress : bool, optional
            As in `fit`.

        Returns
        -------
        PermutationTest
            With `p_value` = (1 + number of permutations with an error as small or smaller) / (1 + B).

        References
        ----------
        Phipson and Smyth (2010), *Permutation p-values should never be zero*; Ojala and Garriga (2010), *Permutation tests for
        studying classifier performance*, JMLR 11, test 1.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris").iloc[::5], eps=[1.0, 1.5], cv=3)
        >>> v.permutation_test(B=19).p_value
        0.05
        """
        from ..analysis.permutation import permutation_test

        return permutation_test(self, B, seed, progress)

    @property
    def folds(self) -> pd.DataFrame | pd.Series:
        """Fold that holds each row out, by the data's labels; a column for each repeat if there are several."""
        frame = pd.DataFrame(self.of_fold.T, self.problem.frame.index).iloc[self.problem.place]
        return frame[0].rename("fold") if len(self.of_fold) == 1 else frame.rename_axis(columns="repeat")

    @cached_table
    def held_out(self) -> pd.DataFrame:
        """Out-of-fold predictions of every row (by label; by repeat and label if there are several) at every grid point."""
        frame, place, repeats = self.problem.frame, self.problem.place, len(self.predicted)
        names = frame.index[place]
        index = names if repeats == 1 else pd.MultiIndex.from_product([range(repeats), names])
        codes = self.predicted[:, place].reshape(-1, self.predicted.shape[2])
        series = {g: pd.Categorical.from_codes(codes[:, g], frame.levels) for g in range(codes.shape[1])}
        return pd.DataFrame(series, index).rename_axis(columns="point")

    @known_arguments
    def confusion(self, point: int | None = None) -> pd.DataFrame:
        """Weight of held-out rows by true class (rows) and predicted class, at a row of `table` (default the 1-SE point).

        With several repeats, the mean over them. Rows without a prediction are in no cell.
        """
        g = self._point(point)
        frame, L = self.problem.frame, len(self.problem.frame.levels)
        known = self.predicted[:, :, g] >= 0
        cells = frame.codes * L + self.predicted[:, :, g]
        counts = np.mean([np.bincount(c[at], frame.weights[at], L * L) for c, at in zip(cells, known, strict=True)], axis=0).reshape(L, L)
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
    @limited
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
    def save(self, path: Any, overwrite: bool = False) -> Saved:
        """Write the cross-validation into a file that `protoclass.load` reads; see `Fit.save`."""
        from ..saving import save

        return save(self, path, overwrite)

    @known_arguments
    def plot(self, x: Any = None, ax: Any = None, band: float | None = None) -> Axes:
        """The error curve: +- 1 SE, size on the top axis, lines at the least error and the 1-SE point.

        Parameters
        ----------
        x : str or pair of str, optional
            The parameter on the horizontal axis, where several were tuned; the others make a line each. "size": the error
            against the size of the rules. A pair of parameters: a heat map of the error.
        ax : Axes, optional
        band : float between 0 and 1, optional
            The level of the simultaneous band of `band()`, shaded; it is drawn from 0 on.
        """
        from ..plots.curve import curve

        drawn: Axes = curve(self, x, ax, band)
        return drawn

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

    @printed
    def __repr__(self) -> str:
        from ..tables.curve import text

        return text(self)

    def _repr_html_(self) -> str:
        from ..tables.curve import html_text

        return html_text(self)
