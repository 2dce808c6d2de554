"""The test of a fit on new rows, overall and by groups of rows, and differences between groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, overload

import numpy as np
import pandas as pd

from ..core import Array
from ..core.statistics.intervals import (
    Estimate,
    difference_of,
    independent_rows,
    mean_over_rows,
    satterthwaite,
    share_of_rows,
    sides,
    sums_of,
)
from ..core.statistics.sums import as_counts
from ..estimation.arguments import loss_matrix
from ..estimation.copies import coincidences
from ..estimation.decisions import threshold_in_words, threshold_of
from ..estimation.fitted import Fitted
from ..frames.schema import along, given_weights, group_codes
from ..frames.tables import as_pandas, cached_table
from ..ground.checks import one_of
from ..ground.errors import DataError, DataWarning, OptionError, brief, shown, warn
from ..values import Above, Result, public
from .comparison import Row, with_holm
from .evaluation import IN_THE_LARGE, Judged, TestResult

FEW_CLUSTERS = 5  # a one-sided sign test of four has p >= 1 / 16
MOST_GROUPS = 50
FLIPS = 9999  # draws of the signs if rows have different weights
OF_CLASS = {"sensitivity": "sensitivity", "specificity": "specificity", "ppv": "PPV", "npv": "NPV",
            IN_THE_LARGE: "calibration in the large"}  # fmt: skip
MEASURES = {"error": "error", **OF_CLASS}  # the measures in words


@overload
def test(
    fit: Fitted,
    new: Any,
    weights: Any = ...,
    by: None = ...,
    loss: Any = ...,
    threshold: Any = ...,
    clusters: Any = ...,
) -> TestResult: ...


@overload
def test(
    fit: Fitted,
    new: Any,
    weights: Any = ...,
    *,
    by: Any,
    loss: Any = ...,
    threshold: Any = ...,
    clusters: Any = ...,
) -> TestByGroup: ...


def test(
    fit: Fitted,
    new: Any,
    weights: Any = None,
    by: Any = None,
    loss: Any = None,
    threshold: Any = None,
    clusters: Any = "auto",
) -> TestResult | TestByGroup:
    """Test the fit on new rows with known classes.

    Parameters
    ----------
    new : DataFrame
        New rows with the predictors and the response. Rows with missing values are excluded and
        counted.
    weights : column name, Series or array, optional
        Weight of each new row, in all statistics, intervals and tests.
    by : column name, Series or array, optional
        Groups of the new rows, up to 50, to test separately and compare pair by pair.
    loss : DataFrame or dict, optional
        Loss matrix as in `predict`. Adds the mean loss of the predicted classes and,
        with probabilities, of `predict(new, loss=loss)`.
    threshold : Threshold, or dict of one class and a threshold, optional
        Probability threshold. The tested classes are those of `predict(new, threshold=threshold)`.
    clusters : "auto", column name, Series, array or None
        Clusters of dependent rows, such as the visits of a patient, for cluster-robust intervals
        and tests, by a jackknife with Satterthwaite's degrees of freedom. "auto": the column that
        `groups=` of the fit named, if the new data have it.

    Returns
    -------
    TestResult, or with `by` a TestByGroup
        The error with its interval and test, the confusion table, and statistics per class. If the
        fit has probabilities, calibrated or not: AUC, Brier score, log loss and calibration.

    Notes
    -----
    The exact sign test compares the fit with always predicting the most common training class, on
    the same rows: under the null hypothesis, each of the two is equally likely to err on a
    discordant row.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
    >>> found.p_value_method
    'one-sided exact sign test, 58 discordant rows'
    >>> found.tidy()[["class", "sensitivity", "ppv", "auc"]].round(3).iloc[:1].to_numpy().tolist()
    [['cultivar 1', 1.0, 0.879, 0.99]]
    """
    return test_outputs(fit, new, None, weights, by, loss, threshold, clusters)


# class codes (n,), probabilities and p-values (n, classes), if any
Outputs = tuple[Array, Array | None, Array | None]


def test_outputs(
    fit: Fitted,
    new: Any,
    outputs: Outputs | None,
    weights: Any,
    by: Any,
    loss: Any,
    threshold: Any,
    clusters: Any,
) -> TestResult | TestByGroup:
    """`test`, by the outputs of the fit for the new rows; these then need only the columns that the
    arguments name and the response.
    """
    by_fit = isinstance(clusters, str) and clusters == "auto"
    if by_fit:
        groups = fit._problem.call.arguments["groups"]
        clusters = groups if isinstance(groups, str) else None
    new = as_pandas(new, fit._needed_of_new(fit.frame.formula.response, weights, by, clusters))
    if by_fit and clusters not in new:
        clusters = None
    y, levels, prevalence = fit._true_codes(new), fit.frame.levels, fit._problem.prevalence
    w, group = given_weights(weights, new), group_codes(clusters, new)
    share = None if fit._calibration is None else fit._calibration.share
    cut = None if threshold is None else threshold_of(threshold, levels)
    predicted, p, p_values = outputs or outputs_of(fit, new, threshold)
    scaled, rows = w / (w.max(initial=0.0) or 1.0), new.index.to_numpy()
    judged = Judged(y, predicted, scaled, p, p_values, w, share, group, rows, cut)
    known = (y >= 0) & (judged.predicted >= 0)
    if not w[known].any():
        raise DataError(
            "no row has both a known class and all predictors"
            + ("" if weights is None else ", and weight")
        )
    if outputs is None:
        _warn_of_training_rows(fit, new[known])
    _warn_of_few_clusters(judged.take(known))
    losses = None if loss is None else loss_matrix(loss, levels)
    decided = "" if threshold is None else threshold_in_words(threshold, levels)
    cheapest = None if losses is None else levels[(prevalence @ losses).argmin()]
    if losses is not None and p is not None:
        fit._warn_of_costs_twice("loss=")

    def judge(rows: Array, left_out: int) -> TestResult:
        return compare_classes(
            judged.take(rows), levels, int(prevalence.argmax()), left_out, losses, decided, cheapest
        )

    overall = judge(known, int((~known).sum()))
    if by is None:
        return overall
    of = cut[0] if cut is not None else 1 if len(levels) == 2 else None
    return split(overall, judge, by, new, known & (w > 0), None if of is None else levels[of])


def _warn_of_few_clusters(judged: Judged) -> None:
    """Warn of fewer clusters than `FEW_CLUSTERS`, or if few of them have most of the weight."""
    if judged.group is None:
        return
    weights = np.bincount(judged.group, judged.w)
    worth = np.nan_to_num(satterthwaite(weights)) + 1  # a single cluster is worth 1
    if round(worth) < FEW_CLUSTERS:
        found = f"{(weights > 0).sum()}, worth {worth:.2g} of equal size"
        cure = f"use at least {FEW_CLUSTERS} clusters of similar size"
        warn(
            f"the test rows come in too few clusters ({found}), so intervals are very wide or "
            f"unknown: {cure}",
            DataWarning,
        )


def _warn_of_training_rows(fit: Fitted, new: pd.DataFrame) -> None:
    """Warn if new rows equal training rows in the predictors more often than by coincidence."""
    found = coincidences(fit.frame, new, fit._told_apart)
    if found is not None and found.unlikely:
        cure = (
            "use fit.validation for the errors of held-out rows"
            if fit._curve is not None
            else "use other rows"
        )
        warn(
            f"the test rows may be training rows, because {found.words()}; errors on training rows "
            f"are optimistic: {cure}",
            DataWarning,
        )


test.__test__ = False  # type: ignore[attr-defined]  # not a test, for pytest


def outputs_of(fit: Fitted, new: pd.DataFrame, threshold: Any) -> Outputs:
    """The outputs of a fit for rows."""
    predicted = fit.predict(new, threshold=threshold).cat.codes.to_numpy().astype(int)
    probabilities = (
        fit._predictions(new, "prob", unseen=None).to_numpy(float) if "prob" in fit._kinds else None
    )
    p_values = None
    if fit._calibration is not None:
        p, index, complete = fit._calibration.p_values(new)
        p_values = np.full((len(index), len(fit.classes)), np.nan)
        p_values[complete] = p
    return predicted, probabilities, p_values


def compare_classes(
    judged: Judged,
    levels: pd.Index,
    constant: int,
    left_out: int = 0,
    losses: Array | None = None,
    decided: str = "",
    cheapest: Any = None,
) -> TestResult:
    """Compare true and predicted classes; `constant` is the class of the constant rule."""
    y, w = judged.y, judged.w
    wrong, base_wrong = judged.predicted != y, y != constant
    found = share_of_rows(wrong, w, judged.group)
    base = float(w @ base_wrong) / float(w.sum())
    lost, won = wrong & ~base_wrong, base_wrong & ~wrong
    if judged.group is None:
        p, name = signs(w[lost], w[won])
    else:
        p, name = signs_of_groups(w * lost, w * won, judged.group)
    given = w if judged.given is None else judged.given
    L = len(levels)
    counts = as_counts(np.bincount(y * L + judged.predicted, given, L * L).reshape(L, L))
    table = pd.DataFrame(counts, levels.rename("truth"), levels.rename("predicted"))
    return TestResult(
        len(y),
        int(wrong.sum()),
        left_out,
        found.value,
        found.low,
        found.high,
        base,
        p,
        name,
        f"always {shown(levels[constant])}, the most common training class",
        table,
        judged,
        losses,
        decided,
        cheapest,
    )


def signs_of_groups(lost: Array, won: Array, group: Array) -> tuple[float, str]:
    """`signs`, of rows (n,) in groups: each group counts once, by its wins minus its losses."""
    gain = np.bincount(group, won) - np.bincount(group, lost)
    gain = np.where(np.abs(gain) > 1e-9 * np.abs(gain).max(initial=0.0), gain, 0.0)
    p, name = signs(-gain[gain < 0], gain[gain > 0])
    return p, name.replace("discordant rows", "discordant groups")


def signs(lost: Array, won: Array, seed: int = 0) -> tuple[float, str]:
    """One-sided sign test that a rule errs less than another, from their discordant rows.

    Parameters
    ----------
    lost, won : arrays
        Weights of the rows that only the rule misclassifies, and that only the rule classifies
        correctly.
    seed : int
        Seed for the draws of signs, if weights differ.

    Returns
    -------
    p, name : float, str
        With equal weights the exact binomial test (McNemar's, one-sided). Otherwise the
        proportion of random signs under which the rule does as well or better, by draws or, for
        many rows, by the normal distribution.

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

        p = float(binom.cdf((lost > 0).sum(), len(both), 0.5))
        return p, f"one-sided exact sign test, {discordant}"
    gain = float(won.sum() - lost.sum())
    # the sum of signed weights of more rows is as good as normal
    if len(both) > 1000:
        from scipy.stats import norm

        p = float(norm.sf(gain / np.sqrt(both @ both)))
        return p, f"one-sided weighted sign test by normal approximation, {discordant}"
    heads = np.random.default_rng(seed).integers(0, 2, (FLIPS, len(both)), np.int8)
    drawn = heads @ (2 * both) - both.sum()
    p = (1 + int((drawn >= gain - 1e-9 * both.sum()).sum())) / (1 + FLIPS)
    return p, f"one-sided weighted sign test by {FLIPS} random signs, {discordant}"


@public
@dataclass(frozen=True, eq=False, repr=False)
class TestByGroup(Result):
    """The performance of a fit on groups of new rows.

    Attributes
    ----------
    by : str
        Name of the grouping variable.
    overall : TestResult
        Test of all rows.
    groups : dict
        Test of each group, by its label, in the order of the labels.
    left_out : int
        Number of rows without a group, because their label is missing.
    without_rows : list
        Labels of groups without a row that has a known class, all predictors and weight.
    of : class, or None
        The class that `glance` shows: the class of the threshold, or the second of two classes.
        None for more classes without a threshold; `tidy` has all of them.
    """

    __test__ = False  # not a class of tests, for pytest

    by: str
    overall: TestResult
    groups: dict[Any, TestResult]
    left_out: int
    without_rows: list[Any]
    of: Any = None

    _between: ClassVar[str] = "\n\n"
    as_table, _said = Above("protoclass.tables"), Above("protoclass.tables")

    @cached_table
    def table(self) -> pd.DataFrame:
        """The table of `glance`."""
        return self.glance()

    def glance(self) -> pd.DataFrame:
        """Table with one row per group: `group`, `error`, its 95 % Wilson interval, `low` to
        `high`, and `TestResult.glance`.

        Then, for the class `of`: `class`, `sensitivity`, `specificity`, `ppv`, `npv` and, with
        probabilities, `calibration_in_the_large`, with their intervals, as in `TestResult.tidy`.
        """
        tests = self.groups.values()
        out = self._stacked([test.glance().drop(columns="error") for test in tests])
        for place, name in enumerate(("error", "low", "high"), 1):
            out.insert(place, name, [getattr(test, name) for test in tests])
        if self.of is None:
            return out
        of_class = self.tidy().query("`class` == @self.of").reset_index(drop=True)
        names = ("class", *(name + end for name in OF_CLASS for end in ("", "_low", "_high")))
        return out.join(of_class[[c for c in of_class if c in names]])

    def tidy(self) -> pd.DataFrame:
        """Table with one row per group and class: `group`, and the columns of `TestResult.tidy`."""
        return self._stacked([test.tidy() for test in self.groups.values()])

    def _stacked(self, parts: list[pd.DataFrame]) -> pd.DataFrame:
        """The tables of the groups, of equal length, one below the other."""
        out = pd.concat(parts, ignore_index=True)
        out.insert(0, "group", [label for label in self.groups for _ in range(len(parts[0]))])
        return out

    def estimates(self, measure: str = "error", of: Any = None) -> dict[Any, Estimate]:
        """A measure of each group with its 95 % interval, by the label of the group.

        Parameters
        ----------
        measure : "error", "sensitivity", "specificity", "ppv", "npv" or "calibration_in_the_large"
            Name of the measure.
        of : class, optional
            Class of the measure. Default: the attribute `of`.
        """
        c = self._class_code(measure, of)
        return {label: test._estimate(measure, c) for label, test in self.groups.items()}

    def _class_code(self, measure: str, of: Any = None) -> int:
        """Code of the class of a measure; raises if the class is unknown."""
        one_of("measure", measure, tuple(MEASURES))
        of, classes = self.of if of is None else of, self.overall.classes
        if measure != "error" and of not in classes:
            known = ", ".join(map(shown, classes))
            raise OptionError(
                f"{measure} needs a class among {known}, not of={brief(of)}: "
                f"use of={shown(classes[-1])}, for example"
            )
        return 0 if measure == "error" else classes.index(of)

    def differences(self, measure: str = "error", of: Any = None) -> pd.DataFrame:
        """Pairwise tests of a measure between groups, with Holm's correction.

        Parameters
        ----------
        measure, of
            Measure and class, as for `estimates`.

        Returns
        -------
        DataFrame
            One row for each pair of groups: `test`, `a`, `b`, `difference` (a minus b) with
            Newcombe's 95 % interval, `low` to `high` (not simultaneous), `statistic`, `p` and
            `p_holm`. Proportions have Fisher's exact test, two-sided, with the odds ratio as
            statistic; weighted or clustered rows, and calibration in the large, a z test.

        Examples
        --------
        >>> import protoclass as pc
        >>> tumours = pc.load_data("breast_cancer")
        >>> fit, new = pc.fit("diagnosis ~ .", tumours.iloc[::2], "knn", k=15), tumours.iloc[1::2]
        >>> found = fit.test(new, by=new["mean_radius"] > 14, threshold={"malignant": 0.3})
        >>> table = found.differences("specificity")[["a", "b", "difference", "p_holm"]]
        >>> table.round(3).to_numpy().tolist()
        [['False', 'True', 0.131, 0.003]]
        """
        c = self._class_code(measure, of)
        return with_holm(
            [compare_groups(a, b, self.groups, measure, c) for a, b in combinations(self.groups, 2)]
        )

    @cached_table
    def comparisons(self) -> pd.DataFrame:
        """Pairwise tests of the errors of the groups: `differences()`."""
        return self.differences()


def split(
    overall: TestResult,
    judge: Callable[[Array, int], TestResult],
    by: Any,
    new: pd.DataFrame,
    usable: Array,
    of: Any,
) -> TestByGroup:
    """Judge each group of rows by itself.

    Parameters
    ----------
    overall : TestResult
    judge : function of the rows (bool array) and how many of the group were left out
    by : column name, Series or array
    new : DataFrame
    usable : bool array (n,)
        Rows that can be judged.
    of : class, or None
    """
    name = by if isinstance(by, str) else str(getattr(by, "name", None) or "group")
    values = pd.Series(along(by, new, "by")).reset_index(drop=True)
    try:
        labels = pd.Categorical(values)
    except TypeError:
        raise DataError(
            f"by must contain labels of groups, not values such as lists, as {brief(by)} does"
        ) from None
    occurring = np.setdiff1d(labels.codes[usable], [-1])
    if len(occurring) < 2:
        raise OptionError(
            "by must have at least two groups among these rows, "
            f"but {brief(by)} has {len(occurring)}"
        )
    if len(occurring) > MOST_GROUPS:
        raise OptionError(
            f"by must have at most {MOST_GROUPS} groups, but {brief(by)} has {len(occurring)}: use "
            "pd.cut to put numbers into ranges"
        )
    groups = {}
    for c in occurring:
        mask = labels.codes == c
        groups[labels.categories[c]] = judge(mask & usable, int((mask & ~usable).sum()))
    without = labels.categories[np.setdiff1d(labels.codes, [*occurring, -1])].tolist()
    return TestByGroup(name, overall, groups, int((labels.codes < 0).sum()), without, of)


def counted(test: TestResult, measure: str, c: int) -> tuple[Array, Array]:
    """Rows that count for a proportion, bool (n,), and weights of the rows of its denominator."""
    judged, classes = test.judged, len(test.confusion)
    wrong = ~np.eye(classes, dtype=bool)
    part, whole = sides(c, classes).get(measure, (wrong, np.ones(wrong.shape, bool)))
    return part[judged.y, judged.predicted], judged.w * whole[judged.y, judged.predicted]


def compare_groups(
    a: Any, b: Any, groups: dict[Any, TestResult], measure: str = "error", c: int = 0
) -> Row:
    """Test of a measure in two groups: a row of `TestByGroup.differences`, uncorrected."""
    from scipy.stats import fisher_exact, norm

    tests = [groups[a], groups[b]]
    estimates = [test._estimate(measure, c) for test in tests]
    difference, clustered = difference_of(*estimates), tests[0].judged.group is not None

    head = (str(a), str(b), difference.value, difference.low, difference.high)
    if measure == IN_THE_LARGE:
        of_rows = [
            ((t.judged.y == c) - t._probabilities[:, c], t.judged.w, t.judged.group) for t in tests
        ]
        name, spread = "z test", np.linalg.norm([mean_over_rows(*values)[1] for values in of_rows])
    else:
        parts = [counted(test, measure, c) for test in tests]
        if not all(w.any() for _, w in parts):
            return "no rows of a group", *head, np.nan, np.nan
        if not clustered and np.ptp(np.concatenate([w[w > 0] for _, w in parts])) == 0:
            counts = [[(x & (w > 0)).sum(), (~x & (w > 0)).sum()] for x, w in parts]
            return "Fisher's exact test", *head, *fisher_exact(counts)
        name = "z test" if clustered else "z test of weighted shares"
        proportions = [e.value for e in estimates]
        pooled = np.average(proportions, weights=[w.sum() for _, w in parts])
        rows = [
            independent_rows(share, sums_of(x - share, w, test.judged.group))
            for share, (x, w), test in zip(proportions, parts, tests, strict=True)
        ]
        spread = np.sqrt(pooled * (1 - pooled) * sum(1 / count for count in rows))
    statistic = difference.value / spread if spread > 0 or np.isnan(spread) else 0.0
    p = 2 * norm.sf(abs(statistic))
    return name + " by groups of rows" * clustered, *head, statistic, p
