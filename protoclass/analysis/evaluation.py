"""Tests of a fit on new rows with known classes: statistics per class, overall and per group, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, overload

import numpy as np
import pandas as pd

from ..core.statistics.confusion import OfClass, Table, accuracy, balanced_accuracy, count, kappa, of_class
from ..core.statistics.intervals import (
    Estimate,
    columns_of,
    independent_rows,
    mean_over_rows,
    satterthwaite,
    share_of_rows,
    sums_of,
)
from ..core.statistics.roc import AUC, mean_auc
from ..core.statistics.scores import brier, calibration_in_the_large, log_loss, reliability
from ..core.statistics.sums import as_counts
from ..estimation.calibration import decide, loss_of
from ..estimation.coincidence import coincidences
from ..estimation.fitted import Fitted
from ..estimation.threshold import threshold_in_words, threshold_of
from ..frames.schema import given_weights, group_codes
from ..frames.tables import as_pandas
from ..ground.checks import Served, is_number, whole_number
from ..ground.errors import DataError, DataWarning, NotAvailable, OptionError, brief, short, shown, warn
from ..ground.foreign_names import VERBS_OF_TEST
from ..values import Above, Printed, public
from .groups import TestByGroup, split
from .roc_curves import auc, pr, roc, roc_band, roc_test
from .why import CertifiedDistances, stay_right

MOST_BINS = 1000
FEW_GROUPS = 5  # a one-sided sign test of four has p >= 1 / 16
LEVELS = (0.8, 0.9, 0.95)  # of prediction sets


@public
@dataclass(frozen=True, eq=False, repr=False)
class Test(Printed, Served):
    """The performance of a fit on new rows.

    Attributes
    ----------
    n, wrong, left_out : int
        Number of rows that were classified, misclassified (each counted once, regardless of its weight), and excluded. A row is
        excluded if its class is missing or the fit has no prediction for it (missing predictors, levels that are not in the
        training data).
    error, low, high : float
        Weighted proportion of errors and its 95 % Wilson interval. With weights, or rows in groups, the interval uses the number of
        independent rows with the same variance, see `protoclass.core.statistics.intervals.independent_rows`.
    no_information : float
        Error on these rows of always predicting the most common class of the training rows; or the error given as `no_information=`.
    p_value : float
        One-sided p-value of the null hypothesis that the error is not below the no-information error.
    test : str
        Name of this test.
    against : str
        Description of the no-information error.
    confusion : DataFrame
        Weight of the rows by true class (rows) and predicted class.
    judged : Judged
        The rows with their classes, weights, predicted classes and probabilities.
    losses : array (classes, classes), or None
        Loss of predicting column j for class i, if it was given.
    decided : str
        Description of the probability threshold that decided the classes; "" if there was none.
    cheapest : class, or None
        The class with the lowest training loss if it is always predicted; None without losses.
    """

    __test__ = False  # not a class of tests, for pytest
    serves: ClassVar[Mapping[str, str]] = VERBS_OF_TEST
    called: ClassVar[str] = "a test"
    inside: ClassVar[str] = "areas certified counts decided error_name estimates means probabilities weighted"

    n: int
    wrong: int
    left_out: int
    error: float
    low: float
    high: float
    no_information: float
    p_value: float
    test: str
    against: str
    confusion: pd.DataFrame
    judged: Judged
    losses: np.ndarray | None = None
    decided: str = ""
    cheapest: Any = None

    plot = Above("protoclass.pictures")
    between: ClassVar[str] = "\n\n"
    summary, as_table, _said = Above("protoclass.tables"), Above("protoclass.tables"), Above("protoclass.tables")
    auc, pr, roc, roc_band, roc_test = auc, pr, roc, roc_band, roc_test

    @property
    def classes(self) -> list[Any]:
        """Classes in level order."""
        return list(self.confusion.index)

    @property
    def weighted(self) -> bool:
        """Whether rows have different weights."""
        return bool(np.ptp(self.judged.w) > 0)

    @property
    def groups(self) -> int | None:
        """Number of groups of rows; None if rows are treated as independent."""
        return None if self.judged.group is None else len(np.unique(self.judged.group[self.judged.w > 0]))

    @property
    def error_name(self) -> str:
        """Name of `error`."""
        return "Weighted test error" if self.weighted else "Test error"

    @cached_property
    def counts(self) -> Table:
        """Weights of the rows by true and predicted class, and the sums of their squares."""
        return count(self.judged.y, self.judged.predicted, self.judged.w, len(self.confusion), self.judged.group)

    @cached_property
    def areas(self) -> tuple[list[AUC], AUC]:
        """Area under the ROC curve of each class against the rest, and their mean; raises if there are no probabilities."""
        return mean_auc(self.probabilities, self.judged.y, self.judged.w, self.judged.group)

    @property
    def probabilities(self) -> np.ndarray:
        """Probabilities of the classes (n, classes); raises if there are none."""
        if self.judged.chances is None:
            raise NotAvailable("the fit has no probabilities for these rows: use fit.calibrate().test(new), or a method with kind 'prob'")
        return self.judged.chances

    def tidy(self) -> pd.DataFrame:
        """Table of statistics with one row per class, against the other classes.

        Columns: `class`, `n` (weight of its rows), `sensitivity`, `specificity`, `ppv`, `npv` (predictive values), `f1`,
        `prevalence`, `detection_prevalence` (proportion of the rows that are predicted as the class), `balanced_accuracy` (mean of
        sensitivity and specificity). If there are probabilities: `auc`, `calibration_in_the_large` (proportion of the rows of the
        class minus its mean probability: above 0, the probabilities are too low) and `brier` (mean squared difference between its
        probability and 0 or 1). Then the ends of the 95 % intervals, `sensitivity_low`, `sensitivity_high` and so on. A statistic
        without rows, such as the sensitivity of a class that does not occur, is NaN.

        Notes
        -----
        Proportions have Wilson intervals. The F1 interval is obtained by transforming a Wilson interval, the interval of balanced
        accuracy is Newcombe's, and the interval of the AUC is Wilson's with DeLong's variance. For calibration in the large see
        `core.statistics.scores.calibration_in_the_large`.
        """
        rows = []
        for c in range(len(self.classes)):
            found = of_class(self.counts, c)
            each: dict[str, Estimate] = {f.name: getattr(found, f.name) for f in fields(OfClass)}
            more = {}
            if self.judged.chances is not None:
                own = (self.probabilities[:, c], self.judged.y == c, self.judged.w, self.judged.group)
                each |= {"auc": self.areas[0][c].estimate, "calibration_in_the_large": calibration_in_the_large(*own)}
                more["brier"] = mean_over_rows((self.probabilities[:, c] - (self.judged.y == c)) ** 2, self.judged.w)[0]
            values, ends = columns_of(each)
            rows.append({"n": self.confusion.iloc[c].sum(), **values, **more, **ends})
        out = pd.DataFrame(rows)
        out.insert(0, "class", pd.Categorical(self.classes, self.confusion.index))
        return out

    def glance(self) -> pd.DataFrame:
        """Table of the overall statistics, with one row.

        Columns: `accuracy`, `balanced_accuracy` (mean sensitivity of the classes that occur) and `kappa`. If there are probabilities:
        `auc` (mean over the classes, each against the rest; for two classes, the single area), `brier` (sum over the classes; for
        two classes half of it, as usual) and `log_loss`. With `loss=`: the mean `loss`, `loss_no_information` (the mean loss of
        always predicting `cheapest`) and, with probabilities, `decision_loss` (the mean loss of deciding for the class with the
        lowest expected loss). Then `_low` and `_high`, the ends of 95 % intervals, `_se`, standard errors of means over rows, and
        `error`, `no_information`, `p_value`, `test`, `wrong`, `n`, `left_out`.

        Notes
        -----
        The intervals are Wilson's for the accuracy, Newcombe's for the balanced accuracy, the interval of
        `core.statistics.confusion.kappa`, and Wilson's with DeLong's variance for the area.
        """
        rest = {
            name: getattr(self, name)
            for name in ("error", "no_information", "p_value", "test", "wrong", "n", "left_out")
        }
        values, ends = columns_of(self.estimates)
        spread = {f"{name}_se": se for name, (_, se) in self.means.items()}
        means = {name: mean for name, (mean, _) in self.means.items()}
        return pd.DataFrame([{**values, **means, **ends, **spread, **rest}])

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """Accuracy, balanced accuracy, kappa and, if there are probabilities, the area, with their intervals."""
        counts = self.counts
        out = {"accuracy": accuracy(counts), "balanced_accuracy": balanced_accuracy(counts), "kappa": kappa(counts)}
        return out if self.judged.chances is None else {**out, "auc": self.areas[1].estimate}

    @cached_property
    def means(self) -> dict[str, tuple[float, float]]:
        """Means over the rows with their standard errors: Brier score and log loss if there are probabilities, and the loss."""
        y, w, p, group = self.judged.y, self.judged.w, self.judged.chances, self.judged.group
        out: dict[str, tuple[float, float]] = {}
        if p is not None:
            out |= {"brier": mean_over_rows(brier(p, y), w, group), "log_loss": mean_over_rows(log_loss(p, y), w, group)}
        if self.losses is not None:
            out["loss"] = mean_over_rows(self.losses[y, self.judged.predicted], w, group)
            out["loss_no_information"] = mean_over_rows(self.losses[y, self.classes.index(self.cheapest)], w, group)
            if p is not None:
                out["decision_loss"] = mean_over_rows(self.losses[y, decide(p, self.losses)], w, group)
        return out

    def calibration(self, bins: int = 10) -> pd.DataFrame:
        """Calibration table: observed proportions against mean probabilities, per class and bin that has rows.

        Columns: `class`, `low` and `high` of the bin, `n` (rows), `mean_predicted` (mean probability), `observed` (proportion
        of rows of the class) and its 95 % Wilson interval, `observed_low` to `observed_high`. In simulations of 60 to 400 rows with true
        probabilities, the interval of a bin contained their mean in 95 to 96 % of all cases. The intervals are not simultaneous.

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
        >>> found.calibration(bins=2)[["class", "n", "mean_predicted", "observed"]].round(2).iloc[:2].to_numpy().tolist()
        [['cultivar 1', 56, 0.04, 0.0], ['cultivar 1', 33, 0.95, 0.88]]
        """
        whole_number("bins", bins, 1, MOST_BINS)
        p, y, w, rows = self.probabilities, self.judged.y, self.judged.w, []
        for c, level in enumerate(self.classes):
            for b in reliability(p[:, c], y == c, w, bins, self.judged.group):
                rows.append({"class": level, "low": b.low, "high": b.high, "n": b.rows, "mean_predicted": b.chance,
                             "observed": b.share.value, "observed_low": b.share.low, "observed_high": b.share.high})  # fmt: skip
        out = pd.DataFrame(rows)
        return out.assign(**{"class": pd.Categorical(out["class"], self.confusion.index)})

    def coverage(self, levels: Sequence[float] | np.ndarray = LEVELS) -> pd.DataFrame:
        """Coverage of the prediction sets of a calibrated fit, for each level and class that occurs.

        Columns: `level`, `class`, `n` (rows of the class), `coverage` (proportion of them whose set contains the class), its 95 %
        Wilson interval, `low` to `high`, and `set_size`, the mean number of classes in their sets.
        """
        if self.judged.p_values is None:
            raise NotAvailable("prediction sets need a calibrated fit: use fit.calibrate()")
        if not isinstance(levels, (Sequence, np.ndarray)) or not all(is_number(v, 0.0, True) and v < 1 for v in levels):
            raise OptionError(f"levels must be a list of numbers between 0 and 1, such as {list(LEVELS)}, not {brief(levels)}")
        rows = []
        for level in levels:
            held = self.judged.p_values > 1 - level
            for c, name in enumerate(self.classes):
                at = (self.judged.y == c) & (self.judged.w > 0) & ~np.isnan(self.judged.p_values).any(axis=1)
                if not at.any():
                    continue
                w = self.judged.w[at]
                share = share_of_rows(held[at, c], w, None if self.judged.group is None else self.judged.group[at])
                rows.append({"level": float(level), "class": name, "n": int(at.sum()), "coverage": share.value, "low": share.low,
                             "high": share.high, "set_size": float(w @ held[at].sum(axis=1) / w.sum())})  # fmt: skip
        out = pd.DataFrame(rows, columns=["level", "class", "n", "coverage", "low", "high", "set_size"])
        return out.assign(**{"class": pd.Categorical(out["class"], self.confusion.index)})

    def perturbation(self, radii: Sequence[float] | None = None) -> pd.DataFrame:
        """Certified upper bound on the error when each row may move by less than a radius in the metric of the fit.

        By the triangle inequality, a correctly classified row stays so when it moves by less than its certified radius (see
        `Fit.augment`). All other rows count as errors, so no perturbation leads to more.

        Parameters
        ----------
        radii : list of numbers >= 0, optional
            Perturbation radii. Default: 21 radii from 0, where the bound is the test error, to the largest certified radius of a row.

        Returns
        -------
        DataFrame
            One row for each radius: `radius`, `error` (the bound), and its 95 % Wilson interval, `low` to `high`.

        Raises
        ------
        NotAvailable
            If there are no certified radii, with the reason: the fitted model does not predict the class of the nearest prototype,
            or the dissimilarity is not known to be a metric.

        Examples
        --------
        >>> import protoclass as pc
        >>> iris = pc.load_data("iris")
        >>> found = pc.fit("species ~ .", iris.iloc[::2], eps=1.0).test(iris.iloc[1::2])
        >>> found.perturbation([0, 0.1, 0.5]).round(3)[["radius", "error"]].to_numpy().tolist()
        [[0.0, 0.08], [0.1, 0.2], [0.5, 0.6]]
        """
        right, distance, w = self.judged.predicted == self.judged.y, self.certified, self.judged.w
        if radii is None:
            finite = distance[right & np.isfinite(distance)]
            largest = finite.max(initial=0.0)
            radii = np.linspace(0, largest, 21).tolist() if largest > 0 else [0.0]
        if not isinstance(radii, (Sequence, np.ndarray)) or isinstance(radii, str) or not all(is_number(v, 0.0) for v in radii):
            raise OptionError(f"radii must be a list of numbers >= 0, in the units of the dissimilarity, not {brief(radii)}")
        rows = []
        for radius in radii:
            lost = share_of_rows(~stay_right(distance, right, radius), w, self.judged.group)
            rows.append({"radius": float(radius), "error": lost.value, "low": lost.low, "high": lost.high})
        return pd.DataFrame(rows, columns=["radius", "error", "low", "high"])

    @property
    def certified(self) -> np.ndarray:
        """Certified distance of each row (n,), see `Fit.augment`; raises with the reason if there is none."""
        known = self.judged.certified
        if known is None or known.reason:
            reason = "their classes, or the distances that gave these, are elsewhere" if known is None else known.reason
            raise NotAvailable(f"these rows have no certified radius, because {reason}")
        return known.distance


@overload
def test(
    fit: Fitted, new: Any, weights: Any = ..., no_information: float | None = ..., by: None = ..., loss: Any = ..., threshold: Any = ...,
    groups: Any = ...,
) -> Test: ...  # fmt: skip


@overload
def test(
    fit: Fitted, new: Any, weights: Any = ..., no_information: float | None = ..., *, by: Any, loss: Any = ..., threshold: Any = ...,
    groups: Any = ...,
) -> TestByGroup: ...  # fmt: skip


def test(
    fit: Fitted,
    new: Any,
    weights: Any = None,
    no_information: float | None = None,
    by: Any = None,
    loss: Any = None,
    threshold: Any = None,
    groups: Any = "auto",
) -> Test | TestByGroup:
    """Test the fit on new rows with known classes.

    The result has the error with its interval and test, the confusion table, and statistics per class. If the fit has
    probabilities, calibrated (`Fit.calibrate`) or not, it also has the AUC, Brier score, log loss and calibration.

    Parameters
    ----------
    new : DataFrame
        New rows with the predictors and the response; for given dissimilarities, with the response as a further column. Rows with
        missing values in either are excluded and counted.
    weights : column name, Series or array, optional
        Weight of each new row, in all statistics, intervals and tests.
    no_information : float between 0 and 1, optional
        Known error to test against, such as 1 minus a base rate of the population; the test is then the exact binomial test.
        Default: the error of always predicting the most common class of the training rows.
    by : column name, Series or array, optional
        Groups of the new rows, up to 50. Each group is tested separately, and groups are compared pair by pair.
    loss : DataFrame, optional
        Loss matrix, with true classes as rows and predicted classes as columns. Adds the mean loss of the predicted classes and, if
        there are probabilities, of the decisions `predict(new, loss=loss)`.
    threshold : Threshold, or dict of one class and a threshold, optional
        Probability threshold. The tested classes are those of `predict(new, threshold=threshold)`.
    groups : "auto", column name, Series, array or None
        Groups of rows that are not independent, such as the visits of a patient. Intervals and tests are then cluster-robust, by a
        jackknife of groups with Satterthwaite's degrees of freedom; estimates do not change. Fewer than five groups cause a warning.
        "auto": the column that `groups=` of the fit named, if the new data have it.

    Returns
    -------
    Test
        Results with `tidy()` (one row per class), `glance()`, `summary()`, `as_table()`, `calibration()`, `coverage()` and `plot(kind)`;
        or with `by` a `TestByGroup`, with `groups` (a Test each), `comparisons`, `differences(measure)`, `tidy()`, `glance()`,
        `summary()`, `as_table()` and `plot(measure)`.

    Notes
    -----
    Always predicting the most common training class is a classifier that was fixed before the new rows were seen. So the exact sign
    test compares it with the fit on the same rows: under the null hypothesis, each of the two is equally likely to be the one that
    errs on a discordant row.

    See Also
    --------
    compare : several methods or fits on the same rows.
    Fit.calibrate : calibrated probabilities and prediction sets.
    Fit.threshold : a probability threshold for one class.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> fit = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5)
    >>> found = fit.test(wine.iloc[1::2])
    >>> found.test
    'one-sided exact sign test, 58 discordant rows'
    >>> found.tidy()[["class", "sensitivity", "ppv", "auc"]].round(3).to_numpy().tolist()
    [['cultivar 1', 1.0, 0.879, 0.99], ['cultivar 2', 0.861, 1.0, 0.983], ['cultivar 3', 1.0, 0.96, 1.0]]
    """
    return test_outputs(fit, new, None, weights, no_information, by, loss, threshold, groups)


Outputs = tuple[np.ndarray, np.ndarray | None, np.ndarray | None]  # class codes (n,), probabilities and p-values (n, classes), if any


def test_outputs(
    fit: Fitted, new: Any, outputs: Outputs | None, weights: Any, no_information: float | None, by: Any, loss: Any, threshold: Any,
    groups: Any,
) -> Test | TestByGroup:  # fmt: skip
    """`test`, by the outputs of the fit for the new rows; these then need only the columns that the arguments name and the response."""
    own_groups = fit.problem.call.arguments.get("groups")
    by_fit = isinstance(groups, str) and groups == "auto"
    if by_fit:
        groups = own_groups if isinstance(own_groups, str) else None
    new = as_pandas(new, fit.needed_of_new(fit.frame.formula.response, weights, by, groups))
    if by_fit and groups not in new:
        groups = None
    y, levels = fit.true_codes(new), fit.frame.levels
    if no_information is not None and not (is_number(no_information, 0) and no_information <= 1):
        raise OptionError(f"no_information must be a number between 0 and 1, the error to compare with, not {brief(no_information)}")
    w = given_weights(weights, new)
    every = judged_by(fit, new, outputs, y, w, group_codes(groups, new), threshold)
    known = (every.y >= 0) & (every.predicted >= 0)
    if not w[known].any():
        raise DataError(
            "no row has both a known class and all predictors" + ("" if weights is None else ", and weight")
        )
    if outputs is None:
        _warn_of_training_rows(fit, new[known])
    _warn_of_few_groups(every.take(known))
    constant = int(fit.problem.prevalence.argmax())
    losses = None if loss is None else loss_of(loss, levels)
    decided = "" if threshold is None else threshold_in_words(threshold, levels)
    cheapest = None if losses is None else levels[int((fit.problem.prevalence @ losses).argmin())]
    if losses is not None and every.chances is not None:
        fit.warn_of_costs_twice("loss=")

    def judge(rows: np.ndarray, left_out: int) -> Test:
        return compare_classes(every.take(rows), levels, constant, no_information, left_out, losses, decided, cheapest)

    overall = judge(known, int((~known).sum()))
    if by is None:
        return overall
    of = threshold_of(threshold, levels)[0] if threshold is not None else 1 if len(levels) == 2 else None
    return split(overall, judge, by, new, known & (w > 0), None if of is None else levels[of])


def _warn_of_few_groups(judged: Judged) -> None:
    """Warn if the rows come in fewer groups than `FEW_GROUPS`, or if few of them have most of the weight."""
    if judged.group is None:
        return
    weights = np.bincount(judged.group, judged.w)
    worth = np.nan_to_num(satterthwaite(weights)) + 1  # of a single group 1
    if round(worth) < FEW_GROUPS:
        found = f"{int((weights > 0).sum())}, worth {worth:.2g} of equal size"
        cure = f"use at least {FEW_GROUPS} groups of similar size"
        warn(f"the test rows come in too few groups ({found}), so intervals are very wide or unknown: {cure}", DataWarning)


def _warn_of_training_rows(fit: Fitted, new: pd.DataFrame) -> None:
    """Warn if rows that should be new have the predictors of training rows more often than by coincidence."""
    found = coincidences(fit, new)
    if found is not None and found.unlikely:
        cure = "use fit.validation for the errors of held-out rows" if fit.curve is not None else "use other rows"
        warn(f"the test rows may be training rows, because {found.words()}; errors on training rows are optimistic: {cure}", DataWarning)


test.__test__ = False  # type: ignore[attr-defined]  # not a test, for pytest


def compare_classes(
    judged: Judged,
    levels: pd.Index,
    constant: int,
    stated: float | None = None,
    left_out: int = 0,
    losses: np.ndarray | None = None,
    decided: str = "",
    cheapest: Any = None,
) -> Test:
    """Compare true and predicted classes of rows; `constant` is the class of the rule without information."""
    y, w = judged.y, judged.w
    wrong, base_wrong = judged.predicted != y, y != constant
    found = share_of_rows(wrong, w, judged.group)
    if stated is None:
        against = f"always {shown(levels[constant])}, the most common training class"
        base = float(w @ base_wrong) / float(w.sum())
        lost, won = wrong & ~base_wrong, base_wrong & ~wrong
        p, name = signs(w[lost], w[won]) if judged.group is None else signs_of_groups(w * lost, w * won, judged.group)
    else:
        against, base = "as stated", float(stated)
        p, name = against_stated(w, wrong, base, judged.group)
    given = w if judged.given is None else judged.given
    L = len(levels)
    counts = as_counts(np.bincount(y * L + judged.predicted, given, L * L).reshape(L, L))
    table = pd.DataFrame(counts, levels.rename("truth"), levels.rename("predicted"))
    return Test(len(y), int(wrong.sum()), left_out, found.value, found.low, found.high, base, p, name, against, table,
                judged, losses, decided, cheapest)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Judged:
    """New rows with known classes, and the outputs of a fit for them; None if it has no such output."""

    y: np.ndarray  # int (n,): class codes
    predicted: np.ndarray  # int (n,)
    w: np.ndarray  # (n,): weights divided by the largest, so that squares of small and large ones do not overflow or vanish
    chances: np.ndarray | None = None  # probabilities (n, classes), if the fit has them
    p_values: np.ndarray | None = None  # (n, classes), conformal, of a calibrated fit: a set has the classes above 1 - its level
    given: np.ndarray | None = None  # (n,): the weights as they were given, if they differ
    prevalence: np.ndarray | None = None  # (classes,) of a calibrated fit: proportions of the classes for its probabilities
    group: np.ndarray | None = None  # int (n,): codes of the groups that the rows come in
    certified: CertifiedDistances | None = None  # how far rows can move within their class; None if that is not the rule's own
    rows: np.ndarray | None = None  # (n,): labels of the rows
    cut: tuple[int, float] | None = None  # class code and probability threshold of the decision

    __repr__ = short

    def take(self, at: np.ndarray) -> Judged:
        """Some of the rows."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("certified", "prevalence", "cut")}
        taken: dict[str, Any] = {name: None if v is None else v[at] for name, v in own.items()}
        return replace(self, **taken, certified=None if self.certified is None else self.certified.take(at))


def outputs_of(fit: Fitted, new: pd.DataFrame, threshold: Any) -> Outputs:
    """The outputs of a fit for rows."""
    predicted = fit.predict(new, threshold=threshold).cat.codes.to_numpy().astype(int)
    chances = fit.predictions(new, "prob", unseen=None).to_numpy(float) if "prob" in fit.kinds else None
    p_values = None
    if fit.calibration is not None:
        p, index, complete = fit.calibration.p_values(new)
        p_values = np.full((len(index), len(fit.classes)), np.nan)
        p_values[complete] = p
    return predicted, chances, p_values


def judged_by(
    fit: Fitted, new: pd.DataFrame, outputs: Outputs | None, y: np.ndarray, given: np.ndarray, group: np.ndarray | None, threshold: Any
) -> Judged:
    """Rows of the classes y (codes, -1 if unknown) with the given weights and groups, and the outputs of a fit for them."""
    predicted, chances, p_values = outputs_of(fit, new, threshold) if outputs is None else outputs
    prevalence = None if fit.calibration is None else fit.calibration.share
    share = given / (given.max(initial=0.0) or 1.0)
    certified = CertifiedDistances(fit, new, np.arange(len(new))) if threshold is None and outputs is None else None
    cut = None if threshold is None else threshold_of(threshold, fit.frame.levels)
    return Judged(y, predicted, share, chances, p_values, given, prevalence, group, certified, new.index.to_numpy(), cut)


FLIPS = 9999  # draws of the signs if rows have different weights
MANY = 1000  # rows beyond which the sum of signed weights is as good as normal


def signs_of_groups(lost: np.ndarray, won: np.ndarray, group: np.ndarray) -> tuple[float, str]:
    """`signs`, of rows (n,) in groups: each group counts once, by its wins minus its losses."""
    gain = np.bincount(group, won) - np.bincount(group, lost)
    gain = np.where(np.abs(gain) > 1e-9 * np.abs(gain).max(initial=0.0), gain, 0.0)
    p, name = signs(-gain[gain < 0], gain[gain > 0])
    return p, name.replace("discordant rows", "discordant groups")


def signs(lost: np.ndarray, won: np.ndarray, seed: int = 0) -> tuple[float, str]:
    """One-sided paired test that a rule errs less than another, from the rows that one of the two alone gets wrong.

    Parameters
    ----------
    lost, won : arrays
        Weights of the rows that only the rule misclassifies, and that only the rule classifies correctly.
    seed : int
        Seed for the draws of signs, if weights differ.

    Returns
    -------
    p, name : float, str
        With equal weights the exact binomial (sign) test, McNemar's one-sided. Otherwise the proportion of random signs under which
        the rule does as well or better, by draws, or for many rows by the normal distribution.

    Examples
    --------
    >>> signs(np.ones(2), np.ones(7))
    (0.08984375, 'one-sided exact sign test, 9 discordant rows')
    """
    both = np.concatenate([lost, won])
    both = both[both > 0]
    discordant = f"{len(both)} discordant rows"
    if len(both) == 0 or np.ptp(both) == 0:
        from scipy.stats import binom  # 0.4 s that most fits do without

        return float(binom.cdf((lost > 0).sum(), len(both), 0.5)), f"one-sided exact sign test, {discordant}"
    gain = float(won.sum() - lost.sum())
    if len(both) > MANY:
        from scipy.stats import norm

        return float(norm.sf(gain / np.sqrt(both @ both))), f"one-sided weighted sign test by normal approximation, {discordant}"
    drawn = np.random.default_rng(seed).integers(0, 2, (FLIPS, len(both)), np.int8) @ (2 * both) - both.sum()
    p = (1 + int((drawn >= gain - 1e-9 * both.sum()).sum())) / (1 + FLIPS)
    return p, f"one-sided weighted sign test by {FLIPS} random signs, {discordant}"


def against_stated(
    w: np.ndarray, wrong: np.ndarray, base: float, group: np.ndarray | None = None
) -> tuple[float, str]:
    """One-sided test that an error is below a stated one: exact for equal weights, else by the normal distribution.

    The latter for as many rows as the error's interval is for, see `core.statistics.intervals.independent_rows`.
    """
    from scipy.stats import binom, norm

    live = w > 0
    w, wrong, group = w[live], wrong[live], None if group is None else group[live]
    if group is None and np.ptp(w) == 0:
        return float(binom.cdf(wrong.sum(), len(w), base)), "one-sided exact binomial test"
    error = float(w @ wrong / w.sum())
    se = np.sqrt(base * (1 - base) / independent_rows(error, sums_of(wrong - error, w, group)))
    name = f"one-sided {'z test by groups' if group is not None else 'weighted z test'}"
    return float(norm.cdf((error - base) / se)) if se > 0 or np.isnan(se) else float(error >= base - 1e-9), name
