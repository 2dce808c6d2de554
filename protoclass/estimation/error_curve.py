"""A cross-validated error curve: errors of folds over a grid, the selected point, its corrected
error, and the band of the curve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.query import Query, RulePath, answer
from ..core.statistics.intervals import (
    Estimate,
    effective_rows,
    least_se,
    leverage,
    mean_of_few,
    reduction,
    rows_worth,
    satterthwaite,
    simultaneous,
    wilson,
)
from ..core.statistics.one_se import (
    OF_HELD_OUT,
    Choice,
    Limits,
    choose_over_repeats,
    corrected_losses,
    losses,
    score_losses,
)
from ..core.statistics.sums import as_counts
from ..frames.tables import as_given, cached_table
from ..ground.checks import check_level, check_seed, either, is_number, one_of, whole_number
from ..ground.errors import DataError, NotAvailableError, OptionError, brief
from ..ground.savable import savable
from ..values import public
from .arguments import NAMES, read_tolerance
from .problem import Problem, refuse_budget

# kinds of values of a rule: the first that it has is calibrated
CALIBRATED = ("prob", "decision", "distance")
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
        Row of the grid with these values; None if there is none, or if the fit is truncated.
    rule : str
        Rule of selection, as in `choose=`; "hand" for a fit derived from another one; "" if nothing
        was selected.
    steps : int, or None
        Number of steps, if the fit is a truncation of the rule with these values.
    earlier : mapping of parameter to values
        Values tried by an earlier selection, whose result is kept while others are tuned again.
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
        return {
            **self.earlier,
            **{str(name): self.grid[name].unique().tolist() for name in self.grid},
        }

    def kept(self, values: Iterable[str], changes: Iterable[str]) -> dict[str, Sequence[Any]]:
        """Values tried for these and earlier parameters, except those that a user changes."""
        names = ({*values} | set(self.earlier)) - {*changes}
        return {name: tried for name, tried in self.tried().items() if name in names}


@savable
@dataclass(frozen=True)
class Extension:
    """Extension of the default grid of a parameter, because its last value was selected.

    Attributes
    ----------
    last : float
        Last value of the default grid.
    added : int
        Number of further values.
    all_classes : bool
        Whether all classes have prototypes; False if the grid ended because a class has none with
        the next value.
    """

    last: float
    added: int
    all_classes: bool


def grid_point(grid: pd.DataFrame, values: Mapping[str, Any]) -> int | None:
    """The row of a grid with these values; None if there is none, or several."""
    wanted = pd.Series({name: values.get(name) for name in grid}, dtype=object)
    at = np.flatnonzero((grid == wanted).all(axis=1))
    return int(at[0]) if len(at) == 1 else None


def values_at(grid: pd.DataFrame, point: int) -> dict[str, Any]:
    """The parameters at a row of a grid, as plain Python values."""
    cells = {str(name): grid[name].iloc[point] for name in grid}
    return {name: v.item() if isinstance(v, np.generic) else v for name, v in cells.items()}


def row_weights(problem: Problem, measure: str) -> Array:
    w, y = problem.frame.weights, problem.frame.codes
    # the rows of a fold may give a class no weight
    of_class = np.maximum(np.bincount(y, w)[y], np.finfo(float).tiny)
    return w / of_class * w.sum() / len(problem.frame.levels) if measure == "balanced" else w


def mean_loss(losses: Array, weights: Array) -> Array:
    return np.einsum("rng,n->g", losses, weights) / (weights.sum() * len(losses))


def score_rows(problem: Problem, rules: RulePath, query: Query, rows: Array) -> Array:
    """Losses (r, G) of the values that the rules of a fold give its rows, by a measure of `SCORED`."""
    measure, frame = problem.loss_name, problem.frame
    kinds = CALIBRATED if measure == "auc" else CALIBRATED[:1]
    kind = next((kind for kind in kinds if kind in rules.kinds), None)
    if kind is None:
        raise NotAvailableError(
            f"measure={measure!r} needs predictions of kind {either(kinds)}, which method "
            f"{problem.model.name!r} does not have before calibration: tune by measure='error', "
            "and use fit.calibrate() or compare(..., calibrate=True)"
        )
    values = answer(rules, kind, query)
    lost = score_losses(measure, kind, values, frame.codes[rows], frame.weights[rows])
    if np.isnan(lost).any():
        raise DataError(
            "measure='auc' needs rows of two classes in each fold: use fewer folds, or measure='error'"
        )
    return lost


AXES = {
    "_of_fold": "R n", "_predicted": "R n G", "_covered": "R n G", "_errors": "F G",
    "_sizes": "F G", "_fold_weight": "F", "_bounds": "F G", "grid": "G", "_counts": "G",
    "_scored": "R n G",
}  # fmt: skip
# arrays whose last axis is the grid
OF_POINTS = [name for name, axes in AXES.items() if "G" in axes and name != "grid"]


@savable(**AXES)
@public
@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """Cross-validated errors over a grid, with selection, corrected errors and bands."""

    _problem: Problem  # formula, data and arguments, prepared
    grid: pd.DataFrame  #: Parameters that were tried, (G, parameters).
    _of_fold: Array  # int (R, n): fold in which each row is held out, for each repeat
    _predicted: Array  # int16 (R, n, G): held-out class codes
    # int16 (R, n, G): held-out classes by covering balls, -1 for none or several
    _covered: Array | None
    _errors: Array  # (R x F, G): mean loss of each fold
    _sizes: Array  # (R x F, G): size of the model of each fold
    _fold_weight: Array  # (R x F,): weight of each fold
    _notes: tuple[str, ...] = ()  # remarks on the folds
    # (R x F, G): bound of each model on its error, at delta = 0.05, if the method has one
    _bounds: Array | None = None
    # extensions of default grids beyond their last value, by parameter
    _extensions: Mapping[str, Extension] = field(default_factory=dict)
    # int (G,): number of prototypes (or of other units) in the model on all rows, if known
    _counts: Array | None = None
    # (R, n, G): losses of the held-out values for each class, if the measure is one of `SCORED`
    _scored: Array | None = None

    @property
    def measure(self) -> str:
        """Error measure: "error", "balanced", "ordinal", "loss", "auc", "brier" or "log_loss"."""
        return self._problem.loss_name

    @property
    def _lost(self) -> Array:
        """Loss of each held-out row in each repeat at each grid point, (R, n, G)."""
        if self._scored is not None:
            return self._scored
        return losses(self._predicted, self._problem.frame.codes, self._loss)

    @property
    def _loss(self) -> Array:
        """Loss of predicting column j for class i, (classes, classes)."""
        return self._problem.loss

    @cached_property
    def _choice(self) -> Choice:
        """Selection of grid points from the errors, within the limits of the call."""
        return self._choose(self._limits)

    @cached_table
    def table(self) -> pd.DataFrame:
        """Table with one row for each grid point: its parameters, error and size.

        `error` : cross-validated error by `measure`. `se` : its standard error over folds, as in
        glmnet, which the 1-SE rule uses; at least the standard error of an error of 0 (Agresti and
        Coull 1998). `size` : mean complexity of the models over the folds, in the unit of the
        method. If available, `cover_error` : proportion of rows that are not in a ball, in balls of
        several classes, or only in balls of another class. `bound` : mean over folds of the bound
        on the error from the training rows alone, see `Fit.bound`.

        Notes
        -----
        `se` treats folds as independent, so it is too small for an interval: 0.64 to 0.87 of the
        standard deviation over new samples for 60 and 100 rows, and 0.35 to 0.56 with a rare class.
        Use `band` for intervals.
        """
        out = self.grid.assign(error=self._choice.error, se=self._choice.se)
        out["size"] = self._choice.size
        if self._covered is not None:
            out["cover_error"] = mean_loss(
                losses(self._covered, self._problem.frame.codes, self._loss), self._weights
            )
        if self._bounds is not None:
            out["bound"] = self._bounds.mean(axis=0)
        return out

    def selected(self, choose: str | None = None) -> pd.Series:
        """The row of `table` that a rule selects: parameters, error, standard error and size.

        Parameters
        ----------
        choose : "1se", "min", "bound" or "tolerance"
            Rule of selection, as in `fit`; "tolerance" if the call has `tolerance=`. Default: the
            rule of the call.

        Returns
        -------
        Series
            Values by column; its `name` is the number of the row, for `fit_at` and `confusion`.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), "knn", k=[1, 5, 15])
        >>> v.selected("min")["k"]
        np.float64(15.0)
        """
        return self.table.iloc[self._point_of(choose)]

    def _point_of(self, choose: str | None = None) -> int:
        """The number of this row."""
        choose = self._problem.call.choose if choose is None else choose
        one_of("choose", choose, tuple(self._choice.points))
        return self._choice.points[choose]

    def _values(self, choose: str | None = None) -> dict[str, Any]:
        """The parameters of this row."""
        return values_at(self.grid, self._point_of(choose))

    def _chosen_at(self, values: Mapping[str, Any]) -> int:
        """The row of `table` that the call selects among the rows with these parameters."""
        limits = self._limits
        same = (self.grid[list(values)] == pd.Series(values)).all(axis=1).to_numpy()
        within = same if limits.allowed is None else same & limits.allowed
        if not same.any():
            tried = "; ".join(
                f"{name}: {brief(self.grid[name].unique().tolist())}" for name in values
            )
            raise OptionError(
                f"{brief(dict(values))} is not a point of the grid, which has {tried}"
            )
        limits = replace(limits, allowed=within if within.any() else same)
        return self._choose(limits).points[self._problem.call.choose]

    def _choose(self, limits: Limits) -> Choice:
        ends = np.cumsum(self._of_fold.max(axis=1) + 1)[:-1]  # where the folds of each repeat end
        errors, weights = (np.split(a, ends) for a in (self._errors, self._fold_weight))
        return choose_over_repeats(errors, weights, self._sizes, self._bounds, limits)

    def _of_metric(self, point: int) -> ErrorCurve:
        """The part of the curve with the metric of a grid point; all of it if none was tuned."""
        names = list(self._problem.metric_axes)
        if not names:
            return self
        at = np.flatnonzero((self.grid[names] == self.grid[names].iloc[point]).all(axis=1))
        problem = self._problem.with_metric(values_at(self.grid, point))
        grid = self.grid.drop(columns=names).iloc[at].reset_index(drop=True)
        arrays: dict[str, Any] = {
            name: None if (a := getattr(self, name)) is None else a[..., at] for name in OF_POINTS
        }
        return replace(self, _problem=problem, grid=grid, _extensions={}, **arrays)

    @cached_property
    def _limits(self) -> Limits:
        """Limits on the selection; raises if no point satisfies them."""
        problem, model = self._problem, self._problem.model
        tolerance, allowed, rank = problem.call.arguments["tolerance"], None, None
        if problem.budget is not None and self._counts is not None:
            allowed = self._counts <= problem.budget
            if not allowed.any():
                raise refuse_budget(
                    problem,
                    self._counts.min(),
                    f"the smallest rule of {len(self.grid)} grid points has",
                )
        least = least_se(self._weights, self._loss.max(axis=1)[problem.frame.codes], problem.groups)
        largest, relative = read_tolerance(tolerance)
        if model.has("rank"):
            rank = np.array([model.rank(values) for values in self.grid.to_dict("records")])
        return Limits(allowed, largest, relative, least, rank)

    @property
    def _measure_name(self) -> str:
        """Name of the measure, of which lower is better."""
        return NAMES.get(self.measure, self.measure)

    def corrected(self, choose: str | None = None) -> Estimate:
        """Error of the selected point, corrected for its selection, with a 95 % interval.

        The error of the selected point in `table` is optimistic, because the same folds selected
        it. The correction is bootstrap bias-corrected cross-validation (BBC-CV). A single grid
        point and selection by the bound need none: the result is then the error in `table`, with
        the interval of `band`, or that of the notes if all rows have the same loss.

        Parameters
        ----------
        choose : "1se", "min", "bound" or "tolerance"
            Rule of selection, as in `fit`; "tolerance" if the call has `tolerance=`. Default: the
            rule of the call.

        Returns
        -------
        Estimate
            `value`, `low` and `high`, in the unit of `measure`.

        Notes
        -----
        No model is refitted: held-out predictions of rows are drawn with replacement, the point is
        selected again, and its error is computed on the rows that were not drawn.

        On noise, with 40 rows and a true error of 0.50, the error at the 1-SE point is 0.38 for
        "scm", 0.40 for "pvm" and 0.45 for "knn". The corrected error is 0.47, 0.48 and 0.50, so it
        can still be 2 to 3 points optimistic (`python benchmarks/tuned_error.py`).

        *Interval.* It is Wilson's, for the effective number of independent rows, which gives a
        proportion the variance of the corrected losses. As in `band`, it accounts for groups of
        rows and for the training rows that folds share. It is reduced for Student's quantile.
        For the balanced error without groups, it is the interval of Price and Bonett (2004) for a
        mean of proportions. In twelve simulated worlds, it contains the true error in 0.97 to 1.00
        of 60 samples, and is never empty (`python benchmarks/tuned_error.py --worlds`).

        References
        ----------
        Tsamardinos, Greasidou and Borboudakis (2018), Machine Learning 107.

        Examples
        --------
        >>> import protoclass as pc
        >>> iris = pc.load_data("iris")
        >>> v = pc.cross_validate("species ~ .", iris, dissimilarity="euclidean", repeats=1)
        >>> v.selected("1se")["error"], v.corrected()
        (np.float64(0.04), 0.05 (95 % CI 0.018 to 0.13))
        """
        correction = self._correction(choose)
        if correction is not None:
            return correction
        return self._uncorrected(self._point_of(choose))

    def _uncorrected(self, point: int) -> Estimate:
        """The error of a grid point, with the interval of `corrected` for a single one."""
        error, (low, high) = float(self._choice.error[point]), self.band().loc[point, ["low", "high"]]
        if np.isnan(low):
            return self._with_interval(error, self._lost.mean(axis=0)[:, point], self._weights)
        return Estimate(error, max(0.0, low), high)

    def _correction(self, choose: str | None = None) -> Estimate | None:
        """As `corrected`; None if no correction is needed."""
        choose = self._problem.call.choose if choose is None else choose
        self._point_of(choose)
        if len(self.grid) == 1 or choose == "bound":
            return None
        lost = self._corrected_losses[:, (*OF_HELD_OUT, "tolerance").index(choose)]
        known = ~np.isnan(lost)  # a row that is in all samples has no corrected loss
        lost, w = np.where(known, lost, 0.0), np.where(known, self._weights, 0.0)
        return self._with_interval(max(0.0, float(w @ lost / w.sum())), lost, w)

    def _with_interval(self, value: float, lost: Array, w: Array) -> Estimate:
        """A mean of the losses of rows (n,) with weights (n,), with the interval of `corrected`."""
        if self.measure == "balanced" and self._problem.groups is None:
            return Estimate(value, *self._interval_of_classes(lost, w))
        groups, largest = self._problem.groups, max(self._loss.max(), lost.max())
        # losses as proportions of the largest one
        parts, share = self._parts_of_rows(lost[:, None], w), value / largest
        spread, rows = float((parts**2).sum()) / largest**2, effective_rows(w, groups)
        if spread > 0:  # unequal losses vary less than a proportion of the largest
            rows = rows_worth(
                share, spread, effective_rows(w) * largest / self._loss[self._loss > 0].min()
            )
        df = len(w) - 1 if groups is None else satterthwaite(np.bincount(groups, w))
        low, high = wilson(share, rows / self._shared * reduction(df))
        return Estimate(value, float(low * largest), float(high * largest))

    def _interval_of_classes(self, lost: Array, w: Array) -> tuple[float, float]:
        """The interval of the mean of the classes' mean losses."""
        y = self._problem.frame.codes
        classes = [rows for c in range(len(self._loss)) if (rows := (y == c) & (w > 0)).any()]
        shares = [w[rows] @ lost[rows] / w[rows].sum() for rows in classes]
        sizes = [effective_rows(w[rows]) for rows in classes]
        return mean_of_few(np.array(shares), np.array(sizes), self._shared)

    @cached_property
    def _corrected_losses(self) -> Array:
        return self._bootstrap()

    def _bootstrap(self, most: Array | None = None) -> Array:
        problem = self._problem
        units = np.arange(len(problem.frame)) if problem.groups is None else problem.groups
        return corrected_losses(
            self._lost,
            self._of_fold,
            self._weights,
            self._sizes,
            units,
            problem.seed,
            limits=self._limits,
            rule_sizes=self._rule_sizes,
            most=most,
        )

    def _corrected_within(self, sizes: Array) -> Array:
        """The corrected error of selecting the best point of at most each of these sizes (S,)."""
        lost, w = self._bootstrap(sizes), self._weights
        known = ~np.isnan(lost[:, 0])
        return w[known] @ lost[known] / w[known].sum()

    @property
    def _rule_sizes(self) -> Array:
        """Size of each grid point in `frontier`, (G,)."""
        return self._choice.size if self._counts is None else self._counts.astype(float)

    def band(
        self, level: float = 0.95, resamples: int = 10_000, seed: int | None = None
    ) -> pd.DataFrame:
        """Simultaneous confidence band for the error curve, with coverage `level`.

        It contains the whole curve of true errors with this probability; bars of one standard error
        are for each point alone.

        Parameters
        ----------
        level : float between 0 and 1
            Nominal coverage.
        resamples : int
            Number of random draws for the quantile.
        seed : int, optional
            Seed for the draws. Default: the seed of the call.

        Returns
        -------
        DataFrame
            One row for each grid point: the parameters, `error`, `se` as in `table`, `low` and
            `high` (pointwise, Student's t), `band_low` and `band_high`. NaN if all rows have the
            same loss. Ends are not truncated at 0.

        Notes
        -----
        The band is error +- c s with one c for all points: the quantile of the largest deviation
        over the grid in draws with the correlations of the errors of the points, see
        `core.statistics.intervals.simultaneous`. Here s is not `se`, but is computed from the
        losses of rows or groups, times the root of 1 + K / (K - 1) for K folds that share training
        rows (Nadeau and Bengio 2003).

        For k-NN and 60 to 120 rows the band contains the curve in 0.94 to 0.96 of 200 samples; a
        band that treats folds as independent contains it in 0.57 to 0.82. For the balanced error
        with 18 rows in a class that is hardly ever predicted, it is 0.62, because a proportion near
        0 or 1 of few rows shows too little variance (`python benchmarks/inference.py curve`).

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), "knn", k=[1, 5, 15])
        >>> v.band().round(3)[["error", "low", "high", "band_low", "band_high"]].iloc[0].tolist()
        [0.053, 0.0, 0.106, -0.008, 0.115]
        """
        check_level(level)
        whole_number("resamples", resamples, 100, 1_000_000)
        seed = self._problem.seed if seed is None else check_seed(seed)
        lost = self._lost.mean(axis=0)
        parts = self._parts_of_rows(lost, self._weights) * np.sqrt(self._shared)
        alone, together = simultaneous(
            parts, float(level), resamples, np.random.default_rng([seed, resamples])
        )
        error, s = self._choice.error, np.sqrt((parts**2).sum(axis=0))
        s = np.where(s > 1e-12, s, np.nan)
        return self.grid.assign(
            error=error,
            se=self._choice.se,
            low=error - alone * s,
            high=error + alone * s,
            band_low=error - together * s,
            band_high=error + together * s,
        )

    def _parts_of_rows(self, lost: Array, w: Array) -> Array:
        """Contribution of each row or group to mean losses (n, G) with weights (n,), (units, G).

        It is the loss of a row minus the mean; for the balanced error minus the mean of its class.
        """
        y, groups, lost = self._problem.frame.codes, self._problem.groups, lost.copy()
        of_class = y if self.measure == "balanced" else np.zeros(len(y), int)
        total = np.bincount(of_class, w)
        for c in np.flatnonzero(total > 0):
            lost[of_class == c] -= w[of_class == c] @ lost[of_class == c] / total[c]
        parts = (w / w.sum())[:, None] * lost
        if groups is None:
            return parts * np.sqrt(len(y) / (len(y) - 1))
        return np.stack(
            [np.bincount(groups, column) for column in (parts.T * leverage(w, groups))], axis=1
        )

    @property
    def _shared(self) -> float:
        """The factor of a variance for training rows that folds share (Nadeau and Bengio 2003)."""
        K = float(np.mean(self._of_fold.max(axis=1) + 1))
        return 1 + K / (K - 1)

    @property
    def fold_errors(self) -> pd.DataFrame:
        """Mean loss of each fold (rows, repeat by repeat) at each grid point (columns)."""
        return pd.DataFrame(self._errors).rename_axis(index="fold", columns="point")

    @property
    def no_information(self) -> float:
        """No-information error: the lowest loss of always predicting one class.

        For measures of probabilities and "auc": the loss of predicting the proportions of the
        classes for each row.
        """
        if self._scored is None:
            return float(self._losses_of_one_class.min())
        levels = np.arange(len(self._loss))
        share = np.bincount(self._problem.frame.codes, self._weights) / self._weights.sum()
        p = np.tile(share, (len(levels), 1, 1))
        return float(share @ score_losses(self.measure, "prob", p, levels, share)[:, 0])

    @property
    def _losses_of_one_class(self) -> Array:
        """Loss of always predicting each class, (classes,)."""
        return self._weights @ self._loss[self._problem.frame.codes] / self._weights.sum()

    @property
    def _weights(self) -> Array:
        return row_weights(self._problem, self.measure)

    @property
    def folds(self) -> pd.DataFrame | pd.Series:
        """Fold in which each row is held out, by label; a column for each repeat if several."""
        frame = pd.DataFrame(self._of_fold.T, self._problem.frame.index)
        return (
            frame[0].rename("fold")
            if len(self._of_fold) == 1
            else frame.rename_axis(columns="repeat")
        )

    @cached_table
    def held_out(self) -> pd.DataFrame:
        """Out-of-fold predictions of the rows, by label (and repeat), at every grid point."""
        frame, repeats = self._problem.frame, len(self._predicted)
        index = (
            frame.index
            if repeats == 1
            else pd.MultiIndex.from_product([range(repeats), frame.index])
        )
        codes = self._predicted.reshape(-1, self._predicted.shape[2])
        series = {
            g: pd.Categorical.from_codes(of_point, frame.levels)
            for g, of_point in enumerate(codes.T)
        }
        return pd.DataFrame(series, index).rename_axis(columns="point")

    def confusion(self, point: Any = None) -> pd.DataFrame:
        """Weight of held-out rows by true class (rows) and predicted class, at a row of `table`.

        Default: the selected row. It is the mean over repeats. Rows without a prediction are not
        counted.
        """
        g = self._point(point)
        frame, L = self._problem.frame, len(self._problem.frame.levels)
        known = self._predicted[:, :, g] >= 0
        cells = frame.codes * L + self._predicted[:, :, g]
        counts = np.mean(
            [
                np.bincount(c[at], frame.weights[at], L * L)
                for c, at in zip(cells, known, strict=True)
            ],
            axis=0,
        ).reshape(L, L)
        return pd.DataFrame(
            as_counts(counts), frame.levels.rename("truth"), frame.levels.rename("predicted")
        )

    def _point(self, point: Any) -> int:
        """The number of a row, given as such or by `selected`; default: the selected row."""
        point = self._point_of() if point is None else getattr(point, "name", point)
        if not is_number(point, 0, integral=True, high=len(self.grid) - 1):
            raise OptionError(
                f"point must be a row of `table`, 0 to {len(self.grid) - 1}, or selected('1se'), not {brief(point)}"
            )
        return int(point)

    def _select(self, point: Any) -> Selection:
        """The selection of a row of `table`; by hand, unless the call selects this row."""
        at = self._point(point)
        return Selection(
            self.grid,
            values_at(self.grid, at),
            at,
            self._problem.call.choose if at == self._point_of() else BY_HAND,
        )

    def tidy(self) -> Any:
        """`table` with the names of broom: std_error, conf_low, conf_high (+- 1 SE), and `measure`.

        The table is from the library of the data, as for `Fit.tidy`.
        """
        table = self.table.rename(columns={"se": "std_error"})
        at = table.columns.get_loc("std_error") + 1
        table.insert(at, "conf_low", table["error"] - table["std_error"])
        table.insert(at + 1, "conf_high", table["error"] + table["std_error"])
        return as_given(table.assign(measure=self._measure_name), self._problem.call.data)

    def glance(self) -> Any:
        """Table with one row: measure, counts of grid points, folds and repeats, errors with SE.

        `error_min_corrected` and `error_1se_corrected` are the errors of the two points by
        `corrected`; NaN for a single grid point.
        """
        row = {
            "measure": self._measure_name,
            "points": len(self.table),
            "folds": int(self._of_fold.max()) + 1,
            "repeats": len(self._of_fold),
        }
        for name in OF_HELD_OUT[::-1]:
            chosen, corrected = self.selected(name), self._correction(name)
            row |= {f"{column}_{name}": chosen[column] for column in ("error", "se", "size")}
            row[f"error_{name}_corrected"] = np.nan if corrected is None else corrected.value
        row |= {"no_information": self.no_information, "nobs": len(self._problem.frame)}
        return as_given(pd.DataFrame([row]), self._problem.call.data)
