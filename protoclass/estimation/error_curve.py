"""A cross-validated error curve: errors of folds over a grid, the selected point, its corrected error, and the band of the curve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.statistics.intervals import (
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
    RULES,
    UNLIMITED,
    Choice,
    Limits,
    choose_over_repeats,
    frontier,
    least_within,
)
from ..core.statistics.resample import bootstrap
from ..core.statistics.sums import as_counts
from ..frames.tables import as_given, cached_table
from ..ground.checks import check_seed, is_number, one_of, whole_number
from ..ground.errors import OptionError, brief
from ..values import public
from .problem import Problem, refuse_budget
from .selection import BY_HAND, MEASURES, Extension, Selection, losses, mean_loss, row_weights, values_at

MOST_DRAWS = 1_000_000  # of a band, which takes draws times grid points


@public
@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """Cross-validated errors over a grid of parameters, with selection, corrected errors and bands.

    Attributes
    ----------
    problem : Problem
        Formula, data and arguments, prepared.
    grid : DataFrame (G, parameters)
        Parameters that were tried.
    of_fold : int array (R, n)
        Fold in which each row is held out, for each repeat.
    predicted : int16 array (R, n, G)
        Held-out class codes.
    covered : int16 array (R, n, G), or None
        Held-out classes by covering balls, -1 for none or several.
    errors, sizes : arrays (R x F, G)
        Mean loss and size of the model of each fold.
    fold_weight : array (R x F,)
        Weight of each fold.
    choice : Choice
        Selection of grid points from the errors.
    measure : str
        Error measure: "error", "balanced", "ordinal" or "loss".
    loss : array (classes, classes)
        Loss of predicting column j for class i.
    notes : tuple of str
        Remarks on the folds.
    bounds : array (R x F, G), or None
        Bound of each model on its error, at delta = 0.05, if the method has one.
    extensions : mapping of parameter to Extension
        Extensions of the default grids beyond their last value.
    procedure : Procedure, or None
        Procedure that does the same cross-validation with other data; None for a part of a curve.
    counts : int array (G,), or None
        Number of prototypes (or of the units that the method counts) in the model on all rows, if known.
    """

    fits: ClassVar[Any] = None  # the class of the fits at its points, if it is not `Fitted`

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
    procedure: Any = None
    counts: np.ndarray | None = None

    @cached_table
    def table(self) -> pd.DataFrame:
        """Table of the curve: the parameters, `error`, `se`, `size`, and `cover_error` and `bound` if available.

        One row for each grid point.

        `error` : cross-validated error by `measure`: the proportion of errors, its mean over classes, or the loss. `se` : its
        standard error over folds, as in glmnet, which the 1-SE rule uses. It is at least the standard error of an error of 0
        (Agresti and Coull 1998), see `core.statistics.intervals.least_se`. `size` : the mean complexity of the models over the folds,
        in the unit of the method. `cover_error` : the proportion of rows that are in no ball, in balls of several classes, or only in
        balls of another class. `bound` : the mean over folds of the bound on the error from the training rows alone, see `Fit.bound`.

        Notes
        -----
        `se` treats folds as independent, and is too small for an interval: it is 0.64 to 0.87 of the standard deviation over new
        samples for 60 and 100 rows, and 0.35 to 0.56 with a rare class. Use `band` for intervals.
        """
        out = self.grid.assign(error=self.choice.error, se=self.choice.se, size=self.choice.size)
        if self.covered is not None:
            out["cover_error"] = mean_loss(losses(self.covered, self.problem.frame.codes, self.loss), self._weights)
        if self.bounds is not None:
            out["bound"] = self.bounds.mean(axis=0)
        return out

    def chosen(self, choose: str) -> int:
        """The row of `table` selected by "1se", "1se-paired", "min", "tolerance" or "bound"; see `Choice` in `core.statistics`."""
        return self.choice.points[choose]

    def chosen_by_call(self) -> int:
        """The row of `table` selected by `choose=` in the call."""
        return self.chosen(self.problem.call.choose)

    def chosen_at(self, values: Mapping[str, Any]) -> int:
        """The row of `table` selected by `choose=` in the call, among the rows with some values of the parameters."""
        limits, same = self.limits, (self.grid[list(values)] == pd.Series(values)).all(axis=1).to_numpy()
        if not same.any():
            tried = "; ".join(f"{name}: {brief(self.grid[name].unique().tolist())}" for name in values)
            raise OptionError(f"{brief(dict(values))} is not a point of the grid, which has {tried}")
        allowed = same if limits.allowed is None or not (same & limits.allowed).any() else same & limits.allowed
        return self._choose(replace(limits, allowed=allowed)).points[self.problem.call.choose]

    def _choose(self, limits: Limits) -> Choice:
        of_repeat = np.repeat(np.arange(len(self.of_fold)), self.of_fold.max(axis=1) + 1)
        errors, weights = ([a[of_repeat == r] for r in range(len(self.of_fold))] for a in (self.errors, self.fold_weight))
        return choose_over_repeats(errors, weights, self.sizes, self.bounds, limits)

    def of_metric(self, point: int) -> ErrorCurve:
        """The part of the curve with the metric of a grid point, which then counts as given; the whole curve if no metric was tuned."""
        names = list(self.problem.metric_axes)
        if not names:
            return self
        at = np.flatnonzero((self.grid[names] == self.grid[names].iloc[point]).all(axis=1))
        arrays = {name: getattr(self, name) for name in ("predicted", "covered", "errors", "sizes", "bounds")}
        part: dict[str, Any] = {name: None if a is None else a[..., at] for name, a in arrays.items()}
        part["counts"] = None if self.counts is None else self.counts[at]
        part["grid"] = self.grid.drop(columns=names).iloc[at].reset_index(drop=True)
        out = replace(self, problem=self.problem.with_metric(values_at(self.grid, point)), extensions={}, **part)
        return replace(out, choice=out._choose(out.limits))

    @property
    def limits(self) -> Limits:
        """Limits on the selection, by `max_prototypes=` and `tolerance=` of the call."""
        return limits_of(self.problem, self.measure, self.loss, self.grid, self.counts)

    @property
    def measure_name(self) -> str:
        """Name of the measure: "error", "balanced error", "ordinal error" or "loss"."""
        return MEASURES[self.measure]

    def corrected(self, choose: str | None = None) -> float | None:
        """Error of the selected point, corrected for selecting it on the same folds (BBC-CV).

        The error in `table` of the selected point is optimistic, because it was selected by this error. The correction is bootstrap
        bias-corrected cross-validation (BBC-CV).

        Parameters
        ----------
        choose : "1se", "1se-paired", "min", "bound", or "tolerance" if the call has one
            Selection of the point, as in `fit`. Default: the selection of the call, so the result is the error that the fit prints.

        Returns
        -------
        float, or None
            Corrected error in the unit of `measure`. None if no correction is needed: for one grid point, or for selection by the
            bound, which does not use held-out rows.

        Notes
        -----
        No model is refitted: rows are drawn with replacement from the held-out predictions, the point is selected again, and its error
        is computed on the rows that were not drawn.

        On noise, with 40 rows and a true error of 0.50, the error at the 1-SE point is 0.38 for "scm", 0.40 for "pvm" and 0.45 for
        "knn", and the corrected error is 0.47, 0.48 and 0.50 (`python benchmarks/tuned_error.py`). So for "pvm" and "scm" it is still
        2 to 3 points optimistic, see `corrected_interval`.

        See Also
        --------
        compare : nested cross-validation, `compare(formula, data, [method], cv=10)`, refits the tuning on each outer training set.

        References
        ----------
        Tsamardinos, Greasidou and Borboudakis (2018), Machine Learning 107.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"))
        >>> round(float(v.table["error"][v.one_se]), 2), round(v.corrected(), 2)
        (0.02, 0.04)
        """
        found = self._corrected(choose)
        return None if found is None else float(found[1] @ found[0] / found[1].sum())

    def corrected_interval(self, choose: str | None = None) -> tuple[float, float] | None:
        """A 95 % interval for the corrected error: Wilson's, for the effective number of independent rows.

        This number gives a proportion the variance of the corrected losses of the rows. As in `band`, it accounts for groups of rows and
        for the training rows that folds share. It is at most the number of rows, divided by the factor for shared training rows, so
        the interval is not empty if no row is misclassified. It is reduced for Student's quantile.

        For the balanced error without groups, the interval is the one of Price and Bonett (2004) for a mean of proportions, with the same
        factor.

        Parameters
        ----------
        choose : str
            Selection of the point, as for `corrected`.

        Returns
        -------
        (low, high), or None
            Ends of the interval, at least 0. None if `corrected` is None.

        Notes
        -----
        Twelve worlds have noise, separated classes, unequal spread, rare classes, a column that splits, or costs. It contains the true
        error in 0.97 to 1.00 of 60 samples, and is never empty (`python benchmarks/tuned_error.py --worlds`). Losses are a proportion of
        the largest one.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"))
        >>> [round(end, 2) for end in v.corrected_interval()]
        [0.01, 0.11]
        """
        found, groups, largest = self._corrected(choose), self.problem.groups, self.loss.max()
        if found is None:
            return None
        lost, w = found
        if self.measure == "balanced" and groups is None:
            classes = [(self.problem.frame.codes == c) & (w > 0) for c in range(len(self.loss))]
            each = [(w[own] @ lost[own] / w[own].sum(), effective_rows(w[own])) for own in classes if own.any()]
            shares, rows = np.transpose(each)
            return mean_of_few(shares, rows, self._shared)
        parts, share = self._parts_of_rows(lost[:, None], w), float(w @ lost / w.sum() / largest)
        spread, rows = float((parts**2).sum()) / largest**2, effective_rows(w, groups)
        if spread > 0:  # unequal losses vary less than a proportion of the largest
            rows = rows_worth(share, spread, effective_rows(w) * largest / self.loss[self.loss > 0].min())
        df = len(w) - 1 if groups is None else satterthwaite(np.bincount(groups, w))
        low, high = wilson(share, rows / self._shared * reduction(df))
        return float(low * largest), float(high * largest)

    def _corrected(self, choose: str | None) -> tuple[np.ndarray, np.ndarray] | None:
        """The corrected loss of each row, and its weight: 0 if no sample left it out; None if nothing is corrected."""
        choose = self.problem.call.choose if choose is None else choose
        one_of("choose", choose, tuple(rule for rule in RULES if rule != "tolerance" or rule in self.choice.points))
        if len(self.grid) == 1 or choose == "bound":
            return None
        lost = self._corrected_losses[:, (*OF_HELD_OUT, "tolerance").index(choose)]
        known = ~np.isnan(lost)
        return np.where(known, lost, 0.0), np.where(known, self._weights, 0.0)

    @cached_property
    def _corrected_losses(self) -> np.ndarray:
        return self._bootstrap()

    def _bootstrap(self, most: np.ndarray | None = None) -> np.ndarray:
        problem = self.problem
        units = np.arange(len(problem.frame)) if problem.groups is None else problem.groups
        return corrected_losses(
            self.predicted, problem.frame.codes, self.loss, self.of_fold, self._weights, self.sizes, units, problem.seed,
            limits=self.limits, rule_sizes=self.rule_sizes, most=most,
        )  # fmt: skip

    def frontier(self) -> pd.DataFrame:
        """Trade-off between error and size: the lowest cross-validated error for each number of prototypes.

        Returns
        -------
        DataFrame
            Table in ascending order of `size`, with one row for each size whose lowest error is below the errors of all smaller sizes.
            `size`: the number of prototypes of the model on all rows, or if unknown its mean over the folds (for methods that do
            not count prototypes, their own size). `error` and its standard error `se`, as in `table`; `corrected`: the error
            corrected for selecting the best point of at most this size on the same folds, as by `corrected`; the parameters; and
            `method`.

        Notes
        -----
        If one run of the method gives models with every number of prototypes, as for the greedy PVM, and the grid lacks them, they
        are cross-validated as well. This happens on the same folds, at the first call. `max_prototypes=` tunes over the same models,
        up to its limit. Otherwise the frontier has the points of the grid.

        The lowest error of many points is optimistic. This was simulated for "pvm" and 200 rows with two classes, on average over
        60 samples, at sizes from 2 to 30. If the columns are informative, `corrected` is within half a point of the true error at
        every size, and `error` is 0 to 4 points too low. On noise, `error` is 5 to 8 points too low, and `corrected` is within a
        point from 5 prototypes on and 1.7 points too high at 2 (`python benchmarks/frontier.py pvm`).

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), dissimilarity="euclidean", repeats=1)
        >>> v.frontier()[["size", "error"]].round(3).tail(3).to_dict("list")
        {'size': [7, 10, 21], 'error': [0.04, 0.033, 0.027]}
        """
        return self._frontier.copy()

    @cached_property
    def _frontier(self) -> pd.DataFrame:
        return self.every_size._own_frontier()

    def _own_frontier(self) -> pd.DataFrame:
        points = frontier(self.choice.error, self.rule_sizes)
        sizes, table = self.rule_sizes[points], self.table.iloc[points].reset_index(drop=True)
        lost, w = self._bootstrap(most=sizes), self._weights
        known = ~np.isnan(lost[:, 0])
        head = pd.DataFrame({"size": as_counts(sizes), "error": table["error"], "se": table["se"]})
        corrected = w[known] @ lost[known] / w[known].sum()
        return head.assign(corrected=corrected, **{name: table[name] for name in self.grid}, method=self.problem.model.name)

    @cached_property
    def prices(self) -> tuple[np.ndarray, np.ndarray]:
        """Sizes and errors of the frontier, which are faster to compute than the corrected errors."""
        curve = self.every_size
        points = frontier(curve.choice.error, curve.rule_sizes)
        return curve.rule_sizes[points], curve.choice.error[points]

    @property
    def every_size(self) -> ErrorCurve:
        """The same cross-validation with models of every number of prototypes, if one run gives these; otherwise this one.

        It is not stored, because it has the held-out predictions of many models.
        """
        problem, rows = self.problem, len(self.problem.frame)
        model = problem.model.within(rows)
        if self.procedure is None or model == problem.model or not model.shares_work:
            return self
        whole: ErrorCurve = self.procedure.of_problem(replace(problem, model=model, budget=rows), covers=False)
        return whole

    @property
    def rule_sizes(self) -> np.ndarray:
        """Size of each grid point in `frontier`, (G,)."""
        return self.choice.size if self.counts is None else self.counts.astype(float)

    def band(self, level: float = 0.95, draws: int = 10_000, seed: int = 0) -> pd.DataFrame:
        """Simultaneous confidence band for the error curve, with coverage `level`.

        Bars of one standard error are for each point separately, so some of many miss the true error. The band contains the whole curve
        of true errors with probability `level`.

        Parameters
        ----------
        level : float between 0 and 1
            Nominal coverage.
        draws : int
            Number of random draws for the quantile.
        seed : int
            Seed for the draws.

        Returns
        -------
        DataFrame
            One row for each grid point: the parameters, `error`, `se` (glmnet's, as in `table`), `low` and `high` (pointwise,
            Student's t), `band_low` and `band_high`. NaN if all rows have the same loss. Ends are not truncated at 0.

        Notes
        -----
        The band is error +- c s with one c for all points: the quantile of the largest deviation over the grid in draws with the
        correlations of the errors of the points, see `core.statistics.intervals.simultaneous`. Here s is not `se`, but is computed from
        the losses of the rows (or of groups of rows). It accounts for the training rows that folds share by the factor of `compare`,
        the root of 1 + K / (K - 1) for K folds (Nadeau and Bengio 2003). Class proportions hardly vary between stratified folds, so
        the errors of folds vary less than the errors of new samples.

        For k-NN and 60 to 120 rows the band contains the curve in 0.94 to 0.96 of 200 samples; a band that treats folds as independent
        contains it in 0.57 to 0.82. For the balanced error, with 18 rows in a class that is hardly ever predicted with large k, it is
        0.62 (and 0.56): a proportion near 0 or 1 of few rows shows too little variance (`python benchmarks/inference.py curve`).

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), "knn", k=[1, 5, 15])
        >>> v.band().round(3)[["error", "low", "high", "band_low", "band_high"]].iloc[0].tolist()
        [0.053, 0.0, 0.106, -0.008, 0.115]
        """
        if not is_number(level, 0.0, above=True) or level >= 1:
            raise OptionError(f"level must be a number between 0 and 1, such as 0.95, not {brief(level)}")
        whole_number("draws", draws, 100, MOST_DRAWS)
        check_seed(seed)
        parts = self._parts_of_rows(self._mean_losses(), self._weights) * np.sqrt(self._shared)
        alone, together = simultaneous(parts, float(level), draws, np.random.default_rng([seed, draws]))
        error, s = self.choice.error, np.sqrt((parts**2).sum(axis=0))
        s = np.where(s > 1e-12, s, np.nan)
        return self.grid.assign(
            error=error, se=self.choice.se, low=error - alone * s, high=error + alone * s, band_low=error - together * s,
            band_high=error + together * s,
        )  # fmt: skip

    def _mean_losses(self) -> np.ndarray:
        """The loss of each row at each grid point, mean over the repeats, (n, G)."""
        y, R = self.problem.frame.codes, len(self.of_fold)
        return np.asarray(sum(losses(self.predicted[[r]], y, self.loss)[0] for r in range(R)) / R)

    def _parts_of_rows(self, lost: np.ndarray, w: np.ndarray) -> np.ndarray:
        """What each row, or group of rows, adds to mean losses (n, G) with weights (n,), (units, G).

        The loss of a row minus the mean; for the balanced error minus the mean of its class.
        """
        y, groups, lost = self.problem.frame.codes, self.problem.groups, lost.copy()
        of_class = y if self.measure == "balanced" else np.zeros(len(y), int)
        total = np.bincount(of_class, w)
        for c in np.flatnonzero(total > 0):
            lost[of_class == c] -= w[of_class == c] @ lost[of_class == c] / total[c]
        parts = (w / w.sum())[:, None] * lost
        if groups is None:
            return np.asarray(parts * np.sqrt(len(y) / (len(y) - 1)))
        return np.stack([np.bincount(groups, column) for column in (parts.T * leverage(w, groups))], axis=1)

    @property
    def _shared(self) -> float:
        """The factor of a variance for the training rows that folds share (Nadeau and Bengio 2003)."""
        K = float(np.mean(self.of_fold.max(axis=1) + 1))
        return 1 + K / (K - 1)

    @property
    def best(self) -> int:
        """Row of `table` with the lowest error; ties go to the smallest model, then to the first row."""
        return self.choice.best

    @property
    def one_se(self) -> int:
        """Row of `table` by the 1-SE rule: the smallest size with an error within one SE of the lowest."""
        return self.choice.one_se

    @property
    def fold_errors(self) -> pd.DataFrame:
        """Mean loss of each fold (rows, repeat by repeat) at each grid point (columns)."""
        return pd.DataFrame(self.errors).rename_axis(index="fold", columns="point")

    @property
    def fold_sizes(self) -> pd.DataFrame:
        """Size of the model of each fold (rows, repeat by repeat) at each grid point (columns)."""
        return pd.DataFrame(self.sizes).rename_axis(index="fold", columns="point")

    @property
    def no_information(self) -> float:
        """No-information error: the lowest loss of always predicting one class."""
        return float(self.losses_of_one_class.min())

    @property
    def losses_of_one_class(self) -> np.ndarray:
        """Loss of always predicting each class, (classes,)."""
        return np.asarray(self._weights @ self.loss[self.problem.frame.codes] / self._weights.sum())

    @property
    def _weights(self) -> np.ndarray:
        return row_weights(self.problem, self.measure)

    @property
    def folds(self) -> pd.DataFrame | pd.Series:
        """Fold in which each row is held out, by the labels of the data; a column for each repeat if there are several."""
        frame = pd.DataFrame(self.of_fold.T, self.problem.frame.index)
        return frame[0].rename("fold") if len(self.of_fold) == 1 else frame.rename_axis(columns="repeat")

    @cached_table
    def held_out(self) -> pd.DataFrame:
        """Out-of-fold predictions of every row (by label; by repeat and label if there are several) at every grid point."""
        frame, repeats = self.problem.frame, len(self.predicted)
        index = frame.index if repeats == 1 else pd.MultiIndex.from_product([range(repeats), frame.index])
        codes = self.predicted.reshape(-1, self.predicted.shape[2])
        series = {g: pd.Categorical.from_codes(codes[:, g], frame.levels) for g in range(codes.shape[1])}
        return pd.DataFrame(series, index).rename_axis(columns="point")

    def confusion(self, point: int | None = None) -> pd.DataFrame:
        """Weight of held-out rows by true class (rows) and predicted class, at a row of `table` (default the 1-SE point).

        With several repeats, the mean over them. Rows without a prediction are not counted.
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
            raise OptionError(f"point must be a row of `table`, 0 to {len(self.grid) - 1}, not {brief(point)}")
        return int(point)

    def select(self, point: int) -> Selection:
        """The selection of a row of `table`; by hand, unless `choose=` in the call selects this row."""
        at = self._point(point)
        return Selection(self.grid, values_at(self.grid, at), at, self.problem.call.choose if at == self.chosen_by_call() else BY_HAND)

    def tidy(self) -> Any:
        """Table by grid point: parameters, error, std_error, conf_low, conf_high (+- 1 SE, as in broom), size, measure.

        `measure` is the name of the error: "error", "balanced error", "ordinal error" or "loss". The table is from the library of the
        data, as for `Fit.tidy`.
        """
        table = self.table.rename(columns={"se": "std_error"})
        at = table.columns.get_loc("std_error") + 1
        table.insert(at, "conf_low", table["error"] - table["std_error"])
        table.insert(at + 1, "conf_high", table["error"] + table["std_error"])
        return as_given(table.assign(measure=self.measure_name), self.problem.call.data)

    def glance(self) -> Any:
        """Table with one row: measure, number of grid points, folds and repeats, lowest error with its SE, and the 1-SE point.

        `error_min_corrected` and `error_1se_corrected` are the errors of the two points, corrected for selecting them on the same
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


def read_tolerance(tolerance: Any) -> tuple[float, bool]:
    """A tolerance as a number, and whether it is a proportion of the lowest error, as in "5%"."""
    share = isinstance(tolerance, str) and tolerance.endswith("%")
    try:
        value = float(tolerance[:-1]) / 100 if share else tolerance
    except ValueError:
        value = tolerance
    if not is_number(value, 0):
        raise OptionError(
            "tolerance must be a number >= 0 in the unit of the measure, such as 0.02, or a percentage of the lowest error, such as "
            f"'5%', not {brief(tolerance)}"
        )
    return float(value), share


def limits_of(problem: Problem, measure: str, loss: np.ndarray, grid: pd.DataFrame, counts: np.ndarray | None) -> Limits:
    """Limits of the selection among grid points, of which a budget counts `counts`; raises if no point satisfies them."""
    tolerance, allowed, model, rank = problem.call.arguments.get("tolerance"), None, problem.model, None
    if problem.budget is not None and counts is not None:
        allowed = counts <= problem.budget
        if not allowed.any():
            raise refuse_budget(problem, counts.min(), f"the smallest rule of {len(grid)} grid points has")
    least = least_se(row_weights(problem, measure), loss.max(axis=1)[problem.frame.codes], problem.groups)
    largest, relative = (None, False) if tolerance is None else read_tolerance(tolerance)
    if model.has("rank"):
        rank = np.array([model.rank(values) for values in grid.to_dict("records")])
    return Limits(allowed, largest, relative, least, rank)


SAMPLES = 200
LARGEST = 2**22  # fold errors in memory at a time


def corrected_losses(
    predicted: np.ndarray,
    y: np.ndarray,
    loss: np.ndarray,
    of_fold: np.ndarray,
    weights: np.ndarray,
    sizes: np.ndarray,
    units: np.ndarray,
    seed: int,
    samples: int = SAMPLES,
    limits: Limits = UNLIMITED,
    rule_sizes: np.ndarray | None = None,
    most: np.ndarray | None = None,
) -> np.ndarray:
    """The loss of each row of choosing a grid point by cross-validation, by the bootstrap of the held-out predictions.

    The minimum of a curve is an optimistic estimate of its own error. So rows are drawn with replacement, the grid point is selected
    again from the held-out losses of these rows, by the same rule, and its losses on the rows that were not drawn are averaged. No model
    is refitted.

    Parameters
    ----------
    predicted : int array (R, n, G)
        Held-out class codes of each repeat.
    y : int array (n,)
    loss : array (classes, classes)
    of_fold : int array (R, n)
    weights : array (n,)
        Weights of the rows in the mean loss.
    sizes : array (R x F, G)
    units : int array (n,)
        Units of the bootstrap: rows, or their groups.
    seed, samples : int
    limits : Limits
    rule_sizes, most : arrays (G,) and (S,), optional
        Select the lowest error among grid points of at most each of these sizes, instead of the rules.

    Returns
    -------
    array (n, 3 or 4), or (n, S)
        Corrected loss of each row by each rule of `core.statistics.one_se.OF_HELD_OUT`, and by "tolerance" if there is one,
        averaged over the samples that left
        the row out; NaN if none did, and for rows without weight. The mean over the rows is the corrected loss.

    References
    ----------
    Tsamardinos, Greasidou and Borboudakis (2018), *Bootstrapping the out-of-sample predictions for efficient and accurate
    cross-validation*, Machine Learning 107. The correction of Tibshirani and Tibshirani (2009), *A bias correction for the
    minimum error rate in cross-validation*, has the mean over folds of each fold's error less its own least one, and is too
    large where folds are small; `benchmarks/tuned_error.py` measures both.
    """
    rules = OF_HELD_OUT if limits.tolerance is None else (*OF_HELD_OUT, "tolerance")
    row, out, lost = np.arange(len(y)), np.zeros(len(y)), np.zeros((len(y), len(rules if most is None else most)))
    for counts, errors, totals in _resampled(predicted, y, loss, of_fold, weights, units, seed, samples):
        if not totals[0].any():  # only rows without weight were drawn, and no point is better than another
            continue
        choice = choose_over_repeats(errors, totals, sizes, limits=limits)
        left, points = row[counts == 0], np.array([choice.points[rule] for rule in rules])
        if most is not None and rule_sizes is not None:
            points = least_within(choice.error, rule_sizes, most)
        lost[left] += losses(predicted[:, left[:, None], points], y[left], loss).mean(axis=0)
        out[left] += 1
    known = (out > 0) & (weights > 0)
    return np.where(known[:, None], lost / np.maximum(out, 1)[:, None], np.nan)


def _resampled(
    predicted: np.ndarray, y: np.ndarray, loss: np.ndarray, of_fold: np.ndarray, weights: np.ndarray, units: np.ndarray, seed: int,
    samples: int,
) -> Iterator[tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]]:  # fmt: skip
    """For each sample how often it has each row (n,), and for every repeat its fold errors (F, G) and fold weights (F,)."""
    draw, strata = np.random.default_rng([seed, samples]), [np.arange(units.max() + 1)]
    F, G = int(of_fold.max()) + 1, predicted.shape[2]
    step = max(1, LARGEST // (F * G * len(of_fold)))
    for begin in range(0, samples, step):
        size = min(step, samples - begin)
        counts = np.stack([bootstrap(draw, strata)[units] for _ in range(size)])
        errors, totals = np.zeros((len(of_fold), size, F, G)), np.zeros((len(of_fold), size, F))
        for r, fold in enumerate(of_fold):
            for f in range(F):
                rows = np.flatnonzero(fold == f)
                share = counts[:, rows] * weights[rows]
                totals[r, :, f] = share.sum(axis=1)
                sums = share @ losses(predicted[r : r + 1, rows], y[rows], loss)[0]
                errors[r, :, f] = sums / np.maximum(totals[r, :, f], 1e-300)[:, None]
        for b in range(size):
            yield counts[b], list(errors[:, b]), list(totals[:, b])
