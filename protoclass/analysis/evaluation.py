"""A test of a fit on new rows with known classes: statistics with intervals, and ROC curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core import Array
from ..core.statistics.decision import calibration_line, net_benefit
from ..core.statistics.intervals import (
    ConfusionTable,
    Estimate,
    Z,
    accuracy,
    balanced_accuracy,
    columns_of,
    count,
    kappa,
    mean_over_rows,
    of_class,
    share_of_rows,
)
from ..core.statistics.roc import AUC, band, curve, mean_auc
from ..core.statistics.roc import auc as area_under
from ..core.statistics.scores import Bin, brier, calibration_in_the_large, log_loss, reliability
from ..estimation.decisions import class_code, decide
from ..frames.tables import cached_table
from ..ground.checks import MOST_RUNS, Served, check_seed, is_number, whole_number
from ..ground.errors import DataError, NotAvailableError, OptionError, brief, short, shown
from ..ground.foreign_names import VERBS_OF_TEST
from ..values import Above, Result, public
from .comparison import mean_of_area, paired_tests

SPECIFICITIES = np.linspace(0, 1, 101)  # where bands are given
THRESHOLDS = np.linspace(0.01, 0.99, 99)  # thresholds of decision curves
LEVELS = (0.8, 0.9, 0.95)  # levels of prediction sets
IN_THE_LARGE = "calibration_in_the_large"


def proportions(name: str, values: Any, ends: bool = False) -> Array:
    """The values as an array; raises unless they are a list of numbers between 0 and 1, or with
    `ends` from 0 to 1.
    """
    out = np.atleast_1d(np.asarray(values, object))
    valid = [is_number(v, 0.0, not ends, high=1.0) and (ends or v < 1) for v in out.tolist()]
    if out.ndim != 1 or not all(valid):
        raise OptionError(
            f"{name} must be a list of numbers {'from 0 to' if ends else 'between 0 and'} 1, "
            f"such as [0.8, 0.9], not {brief(values)}"
        )
    return out.astype(float)


@public
@dataclass(frozen=True, eq=False, repr=False)
class TestResult(Result, Served):
    """The performance of a fit on new rows.

    Attributes
    ----------
    n, wrong, left_out : int
        Number of rows that were classified, misclassified (regardless of their weights), and
        excluded, because the class or the prediction is missing.
    error, low, high : float
        Weighted proportion of errors and its 95 % Wilson interval, for the number of independent
        rows with the same variance.
    no_information : float
        Error on these rows of always predicting the most common class of the training rows.
    p_value, p_value_method : float, str
        One-sided p-value of an error not below the no-information error, and its test.
    against : str
        Description of the no-information error.
    confusion : DataFrame
        Weight of the rows by true class (rows) and predicted class.
    judged : Judged
        The rows with their classes, weights, predicted classes and probabilities.
    losses : array (classes, classes), or None
        Loss of predicting column j for class i, if it was given.
    decided : str
        Description of the probability threshold; "" without one.
    cheapest : class, or None
        The class with the lowest training loss if always predicted; None without losses.
    """

    __test__ = False  # not a class of tests, for pytest
    _serves: ClassVar[Mapping[str, str]] = VERBS_OF_TEST
    _called: ClassVar[str] = "a test"

    n: int
    wrong: int
    left_out: int
    error: float
    low: float
    high: float
    no_information: float
    p_value: float
    p_value_method: str
    against: str
    confusion: pd.DataFrame
    judged: Judged
    losses: Array | None = None
    decided: str = ""
    cheapest: Any = None

    _between: ClassVar[str] = "\n\n"
    as_table, _said = Above("protoclass.tables"), Above("protoclass.tables")

    @cached_table
    def table(self) -> pd.DataFrame:
        """The table of `tidy`."""
        return self.tidy()

    @property
    def classes(self) -> list[Any]:
        """Classes in level order."""
        return list(self.confusion.index)

    @property
    def _weighted(self) -> bool:
        """Whether rows have different weights."""
        return np.ptp(self.judged.w) > 0

    @property
    def clusters(self) -> int | None:
        """Number of clusters of rows; None if rows are treated as independent."""
        w, group = self.judged.w, self.judged.group
        return None if group is None else len(np.unique(group[w > 0]))

    @property
    def _error_name(self) -> str:
        """Name of `error`."""
        return "Weighted test error" if self._weighted else "Test error"

    @cached_property
    def _counts(self) -> ConfusionTable:
        """Weights of the rows by true and predicted class, and the sums of their squares."""
        judged, classes = self.judged, len(self.confusion)
        return count(judged.y, judged.predicted, judged.w, classes, judged.group)

    @cached_property
    def _areas(self) -> tuple[list[AUC], AUC]:
        """ROC areas of the classes, each against the rest, and their mean."""
        return mean_auc(self._probabilities, self.judged.y, self.judged.w, self.judged.group)

    @property
    def _probabilities(self) -> Array:
        """Probabilities of the classes (n, classes); raises if there are none."""
        if self.judged.probabilities is None:
            raise NotAvailableError(
                "the fit has no probabilities for these rows: use fit.calibrate().test(new), or a "
                "method with kind 'prob'"
            )
        return self.judged.probabilities

    def tidy(self) -> pd.DataFrame:
        """Table of statistics with one row per class, against the other classes.

        Columns: `class`, `n` (weight of its rows), `sensitivity`, `specificity`, `ppv`, `npv`
        (predictive values), `f1`, `prevalence`, `detection_prevalence` (proportion predicted as the
        class), `balanced_accuracy`. If
        there are probabilities: `auc`, `calibration_in_the_large` (proportion of the class minus
        its mean probability) and `brier` (mean squared difference of its probability and 0 or 1).
        Then the ends of the 95 % intervals, `sensitivity_low`, `sensitivity_high` and so on. A
        statistic without rows is NaN.

        Notes
        -----
        Intervals: Wilson's for proportions, transformed for F1; Newcombe's for balanced accuracy;
        Wilson's with DeLong's variance for the AUC.
        """
        rows = []
        for c, level in enumerate(self.classes):
            estimates = dict(vars(of_class(self._counts, c)))
            more = {}
            if self.judged.probabilities is not None:
                estimates["auc"] = self._areas[0][c].estimate
                estimates[IN_THE_LARGE] = self._estimate(IN_THE_LARGE, c)
                squares = (self._probabilities[:, c] - (self.judged.y == c)) ** 2
                more["brier"] = mean_over_rows(squares, self.judged.w)[0]
            values, ends = columns_of(estimates)
            head = {"class": level, "n": self.confusion.iloc[c].sum()}
            rows.append({**head, **values, **more, **ends})
        return self._with_levels(pd.DataFrame(rows))

    def _estimate(self, measure: str, c: int) -> Estimate:
        """The error, or a measure of the class with code c, with its interval."""
        if measure == "error":
            return Estimate(self.error, self.low, self.high)
        if measure == IN_THE_LARGE:
            return calibration_in_the_large(
                self._probabilities[:, c], self.judged.y == c, self.judged.w, self.judged.group
            )
        return getattr(of_class(self._counts, c), measure)

    def glance(self) -> pd.DataFrame:
        """Table of the overall statistics, with one row.

        Columns: `accuracy`, `balanced_accuracy` (mean sensitivity of the classes that occur) and
        `kappa`. If there are probabilities: `auc` (mean over the classes, each against the rest),
        `brier` (sum over the classes; for two classes half of it, as usual) and `log_loss`. With
        `loss=`: the mean `loss`, `loss_no_information` (of always predicting `cheapest`) and, with
        probabilities, `decision_loss` (of deciding for the class with the lowest expected loss).
        Then `_low` and `_high`, the ends of 95 % intervals, `_se`, standard errors of means over
        rows, and `error`, `no_information`, `p_value`, `p_value_method`, `wrong`, `n`, `left_out`.
        """
        names = ("error", "no_information", "p_value", "p_value_method", "wrong", "n", "left_out")
        values, ends = columns_of(self._estimates)
        means = {name: mean for name, (mean, _) in self._means.items()}
        errors = {f"{name}_se": se for name, (_, se) in self._means.items()}
        return pd.DataFrame(
            [{**values, **means, **ends, **errors, **{name: getattr(self, name) for name in names}}]
        )

    @cached_property
    def _estimates(self) -> dict[str, Estimate]:
        """Accuracy, balanced accuracy, kappa and, with probabilities, the area, with intervals."""
        measures = {"accuracy": accuracy, "balanced_accuracy": balanced_accuracy, "kappa": kappa}
        out = {name: measure(self._counts) for name, measure in measures.items()}
        return out if self.judged.probabilities is None else {**out, "auc": self._areas[1].estimate}

    @cached_property
    def _means(self) -> dict[str, tuple[float, float]]:
        """Means over the rows with their standard errors: the Brier score and log loss if there are
        probabilities, and the loss.
        """
        y, w, p, group = self.judged.y, self.judged.w, self.judged.probabilities, self.judged.group
        out: dict[str, Array] = {}
        if p is not None:
            out = {"brier": brier(p, y), "log_loss": log_loss(p, y)}
        if self.losses is not None:
            out["loss"] = self.losses[y, self.judged.predicted]
            out["loss_no_information"] = self.losses[y, self.classes.index(self.cheapest)]
            if p is not None:
                out["decision_loss"] = self.losses[y, decide(p, self.losses)]
        return {name: mean_over_rows(values, w, group) for name, values in out.items()}

    def calibration(self, bins: int = 10) -> pd.DataFrame:
        """Observed proportions against mean probabilities, per class and bin that has rows.

        Columns: `class`, `low` and `high` of the bin, `n` (rows), `mean_predicted` (mean
        probability), `observed` (proportion of rows of the class) and its 95 % Wilson interval,
        `observed_low` to `observed_high`, which is not simultaneous. In simulations of 60 to 400
        rows, it contained the true mean in 95 to 96 % of all cases.

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
        >>> table = found.calibration(bins=2)[["class", "n", "mean_predicted", "observed"]]
        >>> table.round(2).iloc[:2].to_numpy().tolist()
        [['cultivar 1', 56, 0.04, 0.0], ['cultivar 1', 33, 0.95, 0.88]]
        """
        whole_number("bins", bins, 1, 1000)
        p, y, w, group = self._probabilities, self.judged.y, self.judged.w, self.judged.group
        rows = [
            (level, *found)
            for c, level in enumerate(self.classes)
            for found in reliability(p[:, c], y == c, w, bins, group)
        ]
        out = pd.DataFrame(rows, columns=["class", *Bin._fields])
        return self._with_levels(out.rename(columns={"rows": "n"}))

    def calibration_line(self, of: Any = None) -> pd.DataFrame:
        """Calibration intercept and slope of each class against the rest, with 95 % intervals.

        Parameters
        ----------
        of : class, optional
            Only this class.

        Returns
        -------
        DataFrame
            Columns: `class`; `intercept`, of a logistic regression with the logit of the
            probability as offset (0 if the mean is correct); `slope`, of a regression on the logit
            (below 1: probabilities are too extreme); and the ends of their intervals. NaN if a
            probability is 0 or 1.

        Examples
        --------
        >>> import protoclass as pc
        >>> tumours = pc.load_data("breast_cancer")
        >>> fit = pc.fit("diagnosis ~ .", tumours.iloc[::2], "knn", k=15, calibrate=True)
        >>> line = fit.test(tumours.iloc[1::2]).calibration_line("malignant")
        >>> line[["intercept", "slope"]].round(2).to_numpy().tolist()
        [[0.63, 1.09]]
        """

        def tabulate(*rows: Array) -> pd.DataFrame:
            lines = calibration_line(*rows)
            values, ends = columns_of(dict(zip(("intercept", "slope"), lines, strict=True)))
            return pd.DataFrame([{**values, **ends}])

        return self._by_class(of, tabulate)

    def decision_curve(self, of: Any = None, thresholds: Any = None) -> pd.DataFrame:
        """Net benefit of predicting a class from a probability threshold on, and the lift.

        Parameters
        ----------
        of : class, optional
            Only the curve of this class.
        thresholds : list of numbers between 0 and 1, optional
            Probability thresholds. Default: 0.01, 0.02, ..., 0.99.

        Returns
        -------
        DataFrame
            Columns: `class`, `threshold`, `predicted` (proportion of the rows), `net_benefit` with
            its 95 % interval, `low` to `high`, `net_benefit_all` (of predicting all rows; of none
            it is 0), and `lift` (predictive value over prevalence).

        References
        ----------
        Vickers and Elkin (2006), *Decision curve analysis*, Medical Decision Making 26. The net
        benefit at a threshold t weights a false positive by t / (1 - t).

        Examples
        --------
        >>> import protoclass as pc
        >>> tumours = pc.load_data("breast_cancer")
        >>> fit = pc.fit("diagnosis ~ .", tumours.iloc[::2], "knn", k=15, calibrate=True)
        >>> curve = fit.test(tumours.iloc[1::2]).decision_curve("malignant", [0.2])
        >>> curve[["net_benefit", "net_benefit_all", "lift"]].round(2).to_numpy().tolist()
        [[0.36, 0.23, 2.4]]
        """
        values = proportions("thresholds", thresholds) if thresholds is not None else THRESHOLDS

        def tabulate(p: Array, positive: Array, w: Array, group: Array) -> pd.DataFrame:
            prevalence, rows = w @ positive / w.sum(), []
            for t in values.tolist():
                benefit, predicted = net_benefit(p, positive, w, t, group), w @ (p >= t)
                correct = w @ ((p >= t) & positive)
                lift = correct / predicted / prevalence if predicted > 0 else np.nan
                to_all = prevalence - (1 - prevalence) * t / (1 - t)
                ends = (benefit.low, benefit.high)
                rows.append((t, predicted / w.sum(), benefit.value, *ends, to_all, lift))
            columns = ["threshold", "predicted", "net_benefit", "low", "high"]
            return pd.DataFrame(rows, columns=[*columns, "net_benefit_all", "lift"])

        return self._by_class(of, tabulate)

    def coverage(self, levels: Sequence[float] | Array = LEVELS) -> pd.DataFrame:
        """Coverage of the prediction sets of a calibrated fit, per level and class that occurs.

        Columns: `level`, `class`, `n` (rows of the class), `coverage` (proportion of them whose set
        contains the class), its 95 % Wilson interval, `low` to `high`, and `set_size`, the mean
        number of classes in their sets.
        """
        judged, p_values = self.judged, self.judged.p_values
        if p_values is None:
            raise NotAvailableError("prediction sets need a calibrated fit: use fit.calibrate()")
        y, w, group = judged.y, judged.w, judged.group
        known, rows = (w > 0) & ~np.isnan(p_values).any(axis=1), []
        known_levels = proportions("levels", levels).tolist()
        for level, (c, name) in product(known_levels, enumerate(self.classes)):
            mask = known & (y == c)
            if mask.any():
                in_set, weights = p_values[mask] > 1 - level, w[mask]
                share = share_of_rows(in_set[:, c], weights, None if group is None else group[mask])
                size = weights @ in_set.sum(axis=1) / weights.sum()
                covered = (share.value, share.low, share.high)
                rows.append((level, name, int(mask.sum()), *covered, size))
        columns = ["level", "class", "n", "coverage", "low", "high", "set_size"]
        out = pd.DataFrame(rows, columns=columns)
        return self._with_levels(out)

    def roc(self, of: Any = None) -> pd.DataFrame:
        """ROC curves: one row for each class and each probability that occurs, from the highest.

        Parameters
        ----------
        of : class, optional
            Only the curve of this class.

        Returns
        -------
        DataFrame
            Columns: `class`, `threshold` (the class is predicted if its probability is at least
            this; inf: never), `sensitivity`, `specificity`, `ppv` and `npv` (predictive values; NaN
            if there is no such prediction).

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
        >>> found.roc("cultivar 2").round(2).iloc[:2, 1:].to_numpy().tolist()
        [[inf, 0.0, 1.0, nan, 0.6], [1.0, 0.58, 1.0, 1.0, 0.78]]
        """

        return self._cuts(of).drop(columns="f1")

    def pr(self, of: Any = None) -> pd.DataFrame:
        """Precision-recall curves of the classes, in rows as those of `roc`.

        Parameters
        ----------
        of : class, optional
            Only the curve of this class.

        Returns
        -------
        DataFrame
            Columns: `class`, `threshold`, `recall` (the sensitivity), `precision` (1 if the class
            is never predicted) and `f1`. `auc()` has the average precision.

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
        >>> found.pr("cultivar 2").round(2).iloc[[0, 3, -1], 1:].to_numpy().tolist()
        [[inf, 0.0, 1.0, 0.0], [0.6, 0.86, 1.0, 0.93], [0.0, 1.0, 0.4, 0.58]]
        """
        cuts = self._cuts(of).rename(columns={"sensitivity": "recall", "ppv": "precision"})
        columns = ["class", "threshold", "recall", "precision", "f1"]
        return cuts.fillna({"precision": 1.0})[columns]

    def _cuts(self, of: Any) -> pd.DataFrame:
        """The columns of `roc`, and `f1`."""

        def tabulate(score: Array, positive: Array, w: Array, group: Array) -> pd.DataFrame:
            found = curve(score, positive, w)
            prevalence, others = w @ positive / w.sum(), 1 - found.false_positive
            hit, false = found.sensitivity * prevalence, found.false_positive * (1 - prevalence)
            correct = pd.Series((1 - prevalence) * others)  # 0 / 0 is NaN in a Series
            return pd.DataFrame(
                {
                    "threshold": found.threshold,
                    "sensitivity": found.sensitivity,
                    "specificity": others,
                    "ppv": np.where(np.isinf(found.threshold), np.nan, found.precision),
                    "npv": correct / (correct + prevalence * (1 - found.sensitivity)),
                    "f1": 2 * hit / (hit + false + prevalence),
                }
            )

        return self._by_class(of, tabulate)

    def auc(self, of: Any = None) -> pd.DataFrame:
        """Area under the ROC curve of each class against the rest.

        Parameters
        ----------
        of : class, optional
            Only the area of this class.

        Returns
        -------
        DataFrame
            One row for each class: `class`, `auc`, `se` (DeLong's) and the 95 % interval `low` to
            `high`, Wilson's with this standard error; `delong_low` and `delong_high`, `auc` +- 1.96
            `se` within 0 to 1, which is too narrow near 1; `average_precision`.

        References
        ----------
        DeLong, DeLong and Clarke-Pearson (1988). R's pROC (Robin et al. 2011) has the same areas,
        standard errors and `delong` intervals.

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
        >>> found.auc()[["auc", "se", "low", "high"]].round(3).iloc[1].tolist()
        [0.983, 0.015, 0.924, 0.997]
        """

        def tabulate(*rows: Array) -> pd.DataFrame:
            area, average = area_under(*rows), curve(*rows[:3]).average_precision
            e = area.estimate
            ends = np.clip([e.value - Z * area.se, e.value + Z * area.se], 0.0, 1.0)
            columns = ["auc", "se", "low", "high", "delong_low", "delong_high", "average_precision"]
            row = [e.value, area.se, e.low, e.high, *ends, average]
            return pd.DataFrame([row], columns=columns)

        return self._by_class(of, tabulate)

    def roc_band(
        self, of: Any = None, specificity: Any = None, resamples: int = 2000, seed: int = 0
    ) -> pd.DataFrame:
        """Sensitivities at given specificities, with intervals and a band, by bootstrap.

        Parameters
        ----------
        of : class, optional
            Only the curve of this class.
        specificity : list of numbers from 0 to 1, optional
            Specificities of the band. Default: 0, 0.01, ..., 1.
        resamples, seed : int
            Number and seed of bootstrap samples of rows of the class and of others; for rows in
            groups, of whole groups.

        Returns
        -------
        DataFrame
            One row for each class and specificity: `class`, `specificity`, `sensitivity` (on
            straight lines between thresholds), its pointwise 95 % interval, `low` to `high`, and
            `band_low` to `band_high`, which contains the whole curve with probability 95 %.

        Notes
        -----
        The band has fixed width (Campbell 1994). In simulations of normal scores, with 20 + 20 to
        100 + 400 rows, it contains the whole true curve in 0.95 to 1.00 of 300 draws. The intervals
        contain the true sensitivity in 0.94 to 0.98, mean over the specificities with two other
        rows or more on their side, but in as little as 0.84 for one specificity near the ends. With
        10 + 10 rows the mean is 0.90, and the lowest 0.80.

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
        >>> found.roc_band("cultivar 2", [0.9]).iloc[:, 1:].round(2).to_numpy().tolist()
        [[0.9, 0.97, 0.86, 1.0, 0.8, 1.0]]
        """
        whole_number("resamples", resamples, 100, MOST_RUNS)
        check_seed(seed)
        specificities = (
            SPECIFICITIES if specificity is None else proportions("specificity", specificity, True)
        )

        def tabulate(score: Array, positive: Array, w: Array, group: Array) -> pd.DataFrame:
            random = np.random.default_rng(seed)
            b = band(score, positive, w, group, specificities, resamples, random)
            return pd.DataFrame({"specificity": specificities, **vars(b)})

        return self._by_class(of, tabulate)

    def roc_test(self, other: TestResult, of: Any = None) -> pd.DataFrame:
        """DeLong's test whether the areas under two ROC curves differ.

        Parameters
        ----------
        other : TestResult
            Test of another fit on the same rows.
        of : class, optional
            Class whose area against the rest is tested. Default: the mean over the classes.

        Returns
        -------
        DataFrame
            One row: `test`, `auc_a` (of this test), `auc_b` (of the other), `difference` (a less b)
            with its 95 % interval `low` to `high`, `statistic` and `p` (two-sided).

        Raises
        ------
        DataError
            If the tests are not of the same rows.

        References
        ----------
        DeLong, DeLong and Clarke-Pearson (1988), *Comparing the areas under two or more correlated
        receiver operating characteristic curves*, Biometrics 44.

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> one, other = (
        ...     pc.fit(f"cultivar ~ {columns}", wine.iloc[::2], "knn", k=15).test(wine.iloc[1::2])
        ...     for columns in ("alcohol + hue", "proline + ash")
        ... )
        >>> one.roc_test(other)[["auc_a", "auc_b", "difference", "p"]].round(3).to_numpy().tolist()
        [[0.972, 0.907, 0.065, 0.014]]
        """
        if not isinstance(other, TestResult):
            raise OptionError(
                f"other must be another TestResult, not a {type(other).__name__}: "
                "use fit.test(new).roc_test(other_fit.test(new))"
            )
        if other.classes != self.classes:
            raise OptionError(
                "the tests have different classes: "
                f"{brief(self.classes)} and {brief(other.classes)}"
            )
        c = None if of is None else class_code(of, self.confusion.index)
        areas = {
            name: test._areas[1] if c is None else test._areas[0][c]
            for name, test in (("a", self), ("b", other))
        }
        if not all(
            np.array_equal(getattr(self.judged, name), getattr(other.judged, name))
            for name in ("rows", "y", "w", "group")
        ):
            raise DataError(
                f"the tests need the same rows, weights and groups, but their {self.n} and {other.n} "
                "rows differ in labels, classes, weights or groups: test both fits on one table, of "
                "rows that both can predict"
            )
        values = {f"auc_{name}": area.estimate.value for name, area in areas.items()}
        columns = ["test", *values, "difference", "low", "high", "statistic", "p"]
        mean = partial(mean_of_area, group=self.judged.group)
        return paired_tests("DeLong", areas, mean).assign(**values)[columns]

    def _by_class(self, of: Any, tabulate: Callable[..., pd.DataFrame]) -> pd.DataFrame:
        """Results of `tabulate` for each class that has rows on both sides.

        Its arguments are the probability of the class, whether each row is of the class, and the
        weights and groups of the rows.
        """
        judged, parts = self.judged, []
        occurring = np.unique(judged.y[judged.w > 0])
        for c in range(len(self.classes)) if of is None else [class_code(of, self.confusion.index)]:
            if c in occurring and len(occurring) > 1:
                p, positive = self._probabilities[:, c], judged.y == c
                parts.append(tabulate(p, positive, judged.w, judged.group))
                parts[-1].insert(0, "class", self.classes[c])
        if not parts:
            one = f"no row, or each row, is of class {shown(of)}"
            which = "all rows are of one class" if of is None else one
            raise NotAvailableError(f"a curve needs rows of at least two classes, but {which}")
        return self._with_levels(pd.concat(parts, ignore_index=True))

    def _with_levels(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table with its classes as a categorical in level order."""
        return table.assign(**{"class": pd.Categorical(table["class"], self.confusion.index)})


@dataclass(frozen=True, eq=False)
class Judged:
    """New rows with known classes, and the outputs of a fit for them, if it has them."""

    y: Array  # int (n,): class codes
    predicted: Array  # int (n,)
    # (n,): weights divided by the largest, so that squares of small and large ones do not overflow
    # or vanish
    w: Array
    probabilities: Array | None = None  # (n, classes), if the fit has them
    # (n, classes), conformal, of a calibrated fit: a set has the classes above 1 - its level
    p_values: Array | None = None
    given: Array | None = None  # (n,): the weights as they were given, if they differ
    # (classes,) of a calibrated fit: proportions of the classes for its probabilities
    prevalence: Array | None = None
    group: Array | None = None  # int (n,): codes of the groups that the rows come in
    rows: Array | None = None  # (n,): labels of the rows
    cut: tuple[int, float] | None = None  # class code and probability threshold of the decision

    __repr__ = short

    def take(self, at: Array) -> Judged:
        """Some of the rows."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        of_rows = arrays.keys() - {"prevalence", "cut"}
        return replace(
            self, **{name: arrays[name][at] for name in of_rows if arrays[name] is not None}
        )
