"""ROC and precision-recall curves of a test: cuts, areas, parts of areas, confidence bands, and a test between two of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.statistics.intervals import Z
from ..core.statistics.roc import AUC, Curve, band, curve
from ..core.statistics.roc import auc as area_under
from ..estimation.decisions import class_code
from ..ground.checks import MOST_RUNS, check_seed, is_number, whole_number
from ..ground.errors import DataError, NotAvailable, OptionError, brief, shown
from .comparison import Mean, compare_areas, student_row, with_holm

if TYPE_CHECKING:
    from .evaluation import Test

LEAST_DRAWS = 100
SPECIFICITIES = np.linspace(0, 1, 101)  # at which bands are given


def roc(test: Test, of: Any = None) -> pd.DataFrame:
    """ROC curves of the classes: one row for each class and each probability that occurs, from the highest.

    Parameters
    ----------
    of : class, optional
        Only the curve of this class.

    Returns
    -------
    DataFrame
        Columns: `class`, `threshold` (the class is predicted if its probability is at least this; inf: never), `sensitivity`,
        `specificity`, `ppv` and `npv` (predictive values; NaN if there is no such prediction).

    Raises
    ------
    NotAvailable
        If there are no probabilities, or no rows of the class, or of others.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
    >>> found.roc("cultivar 2").round(2).iloc[:4, 1:].to_numpy().tolist()
    [[inf, 0.0, 1.0, nan, 0.6], [1.0, 0.58, 1.0, 1.0, 0.78], [0.8, 0.75, 1.0, 1.0, 0.85], [0.6, 0.86, 1.0, 1.0, 0.91]]
    """

    def list_cuts(score: np.ndarray, positive: np.ndarray) -> pd.DataFrame:
        found, prevalence = _curve(test, score, positive)
        kept = (1 - prevalence) * (1 - found.false_positive)  # correct
        not_predicted = kept + prevalence * (1 - found.sensitivity)
        npv = np.divide(kept, not_predicted, out=np.full(len(kept), np.nan), where=not_predicted > 0)
        ppv = np.where(np.isinf(found.threshold), np.nan, found.precision)
        return pd.DataFrame({"threshold": found.threshold, "sensitivity": found.sensitivity,
                             "specificity": 1 - found.false_positive, "ppv": ppv, "npv": npv})  # fmt: skip

    return _by_class(test, of, list_cuts)


def pr(test: Test, of: Any = None) -> pd.DataFrame:
    """The precision-recall curve of each class: one row for each class and each probability that occurs, from the highest.

    Parameters
    ----------
    of : class, optional
        Only the curve of this class.

    Returns
    -------
    DataFrame
        Columns: `class`, `threshold`, `recall` (the sensitivity), `precision` (1 if the class is never predicted) and `f1`.
        `auc()` has the average precision.

    Raises
    ------
    NotAvailable
        As `roc`.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
    >>> found.pr("cultivar 2").round(2).iloc[[0, 3, -1], 1:].to_numpy().tolist()
    [[inf, 0.0, 1.0, 0.0], [0.6, 0.86, 1.0, 0.93], [0.0, 1.0, 0.4, 0.58]]
    """

    def list_cuts(score: np.ndarray, positive: np.ndarray) -> pd.DataFrame:
        found, prevalence = _curve(test, score, positive)
        hit = found.sensitivity * prevalence
        f1 = 2 * hit / (hit + found.false_positive * (1 - prevalence) + prevalence)
        return pd.DataFrame({"threshold": found.threshold, "recall": found.sensitivity, "precision": found.precision, "f1": f1})

    return _by_class(test, of, list_cuts)


def auc(test: Test, of: Any = None) -> pd.DataFrame:
    """Area under the ROC curve of each class against the rest.

    Parameters
    ----------
    of : class, optional
        Only the area of this class.

    Returns
    -------
    DataFrame
        One row for each class: `class`, `auc`, `se` (DeLong's) and the 95 % interval `low` to `high`, Wilson's with this standard
        error, as in the printed test; `delong_low` and `delong_high`, `auc` +- 1.96 `se` within 0 to 1, which is too narrow
        near 1; `average_precision`.

    Raises
    ------
    NotAvailable
        As `roc`.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988). R's pROC (Robin et al. 2011) has the same areas, standard errors and `delong` intervals.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
    >>> found.auc()[["auc", "se", "low", "high"]].round(3).iloc[1].tolist()
    [0.983, 0.015, 0.924, 0.997]
    """
    return _by_class(test, of, lambda score, positive: _whole_area(test, score, positive))


def _whole_area(test: Test, score: np.ndarray, positive: np.ndarray) -> pd.DataFrame:
    area = area_under(score, positive, test.judged.w, test.judged.group)
    e, half = area.estimate, Z * area.se
    low, high = np.clip([e.value - half, e.value + half], 0.0, 1.0)
    average = _curve(test, score, positive)[0].average_precision
    return pd.DataFrame([{"auc": e.value, "se": area.se, "low": e.low, "high": e.high, "delong_low": low, "delong_high": high,
                          "average_precision": average}])  # fmt: skip


def roc_band(test: Test, of: Any = None, specificity: Any = None, draws: int = 2000, seed: int = 0) -> pd.DataFrame:
    """How sure the ROC curve of each class is: the sensitivity at given specificities, with intervals and a band, by bootstrap.

    Parameters
    ----------
    of : class, optional
        Only the curve of this class.
    specificity : list of numbers from 0 to 1, optional
        Specificities of the band. Default: 0, 0.01, ..., 1.
    draws, seed : int
        Number and seed of bootstrap samples of rows of the class and of others; for rows in groups, of whole groups.

    Returns
    -------
    DataFrame
        One row for each class and specificity: `class`, `specificity`, `sensitivity` (on straight lines between thresholds), its 95 %
        interval at this specificity alone, `low` to `high`, and `band_low` to `band_high`, a band that contains the whole curve with
        probability 95 %.

    Raises
    ------
    NotAvailable
        As `roc`.

    Notes
    -----
    The band has fixed width (Campbell 1994), see `protoclass.core.statistics.roc.band`. With normal scores, classes
    of 20 + 20 to 100 + 400 rows and areas of 0.7 to 0.99 it contains the whole true curve in 0.95 to 1.00 of 300 draws. The intervals
    contain the true sensitivity in 0.94 to 0.98, mean over the specificities that leave two other rows or more on their side; for a
    single specificity in at least 0.84, lowest at the ends. With 10 + 10 rows they contain it in 0.90, and in at least 0.80.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
    >>> found.roc_band("cultivar 2", [0.9]).iloc[:, 1:].round(2).to_numpy().tolist()
    [[0.9, 0.97, 0.86, 1.0, 0.8, 1.0]]
    """
    _check_draws(draws, seed)
    at = SPECIFICITIES if specificity is None else np.atleast_1d(specificity)
    if at.ndim != 1 or not all(is_number(v, 0.0, high=1.0) for v in at.tolist()):
        raise OptionError(f"specificity must be a list of numbers from 0 to 1, such as [0.8, 0.9], not {brief(specificity)}")

    def surround(score: np.ndarray, positive: np.ndarray) -> pd.DataFrame:
        b = band(score, positive, test.judged.w, test.judged.group, at.astype(float), draws, np.random.default_rng(seed))
        return pd.DataFrame({"specificity": at, "sensitivity": b.sensitivity, "low": b.low, "high": b.high,
                             "band_low": b.low_all, "band_high": b.high_all})  # fmt: skip

    return _by_class(test, of, surround)


def roc_test(test: Test, other: Test, of: Any = None, paired: bool = True) -> pd.DataFrame:
    """DeLong's test whether the areas under two ROC curves differ.

    For several calibrated fits on the same rows, `compare(fit1, fit2, ..., new=new).score_tests("auc")` tests each pair, with Holm's
    correction.

    Parameters
    ----------
    other : Test
        Test of another fit on the same rows; or, with `paired=False`, on other rows, such as two groups of `test(by=)`.
    of : class, optional
        Class whose area against the rest is tested. Default: the mean over the classes, which for two classes is their one area.
    paired : bool
        Whether both tests have the same rows. False: independent rows, as in pROC by Student's t with Satterthwaite's degrees
        of freedom.

    Returns
    -------
    DataFrame
        One row: `test`, `auc_a` (of this test), `auc_b` (of the other), `difference` (a less b) with its 95 % interval `low` to `high`,
        `statistic` and `p` (two-sided).

    Raises
    ------
    DataError
        Where paired tests are not of the same rows.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), *Comparing the areas under two or more correlated receiver operating characteristic
    curves: a nonparametric approach*, Biometrics 44.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> train, new = wine.iloc[::2], wine.iloc[1::2]
    >>> one = pc.fit("cultivar ~ alcohol + hue", train, "knn", k=15).test(new)
    >>> other = pc.fit("cultivar ~ proline + ash", train, "knn", k=15).test(new)
    >>> one.roc_test(other).round(3).to_dict("records")[0]
    {'test': 'DeLong', 'auc_a': 0.972, 'auc_b': 0.907, 'difference': 0.065, 'low': 0.013, 'high': 0.117, 'statistic': 2.458, 'p': 0.014}
    """
    if not isinstance(other, type(test)):
        raise OptionError(f"other must be another Test, not a {type(other).__name__}: use fit.test(new).roc_test(other_fit.test(new))")
    if other.classes != test.classes:
        raise OptionError(f"the tests have different classes: {brief(test.classes)} and {brief(other.classes)}")
    areas = [t.areas[1] if of is None else t.areas[0][class_code(of, t.confusion.index)] for t in (test, other)]
    if paired:
        if not all(np.array_equal(getattr(test.judged, name), getattr(other.judged, name)) for name in ("rows", "y", "w", "group")):
            raise DataError(
                f"the tests need the same rows, weights and groups, but have {test.n} and {other.n} rows: test both fits on rows that "
                "both can predict, or use paired=False for the areas of independent rows"
            )
        found = compare_areas(dict(zip("ab", areas, strict=True)), test.judged.group)
    else:
        found = with_holm([_of_independent_rows(areas, [int((t.judged.w > 0).sum()) for t in (test, other)])])
    values = {f"auc_{name}": area.estimate.value for name, area in zip("ab", areas, strict=True)}
    return found.assign(**values)[["test", "auc_a", "auc_b", "difference", "low", "high", "statistic", "p"]]


def _of_independent_rows(areas: Sequence[AUC], rows: Sequence[int]) -> Any:
    variances = np.array([area.se**2 for area in areas])
    each = [min(area.df, n - 1) for area, n in zip(areas, rows, strict=True)]
    df = variances.sum() ** 2 / float(variances**2 @ (1 / np.array(each)))
    difference = areas[0].estimate.value - areas[1].estimate.value
    return student_row("DeLong, independent rows", "a", "b", Mean(difference, float(np.sqrt(variances.sum())), df))


def _check_draws(draws: Any, seed: Any) -> None:
    whole_number("draws", draws, LEAST_DRAWS, MOST_RUNS)
    check_seed(seed)


def _curve(test: Test, score: np.ndarray, positive: np.ndarray) -> tuple[Curve, float]:
    """The curve of a class that has rows on both sides, and the prevalence of the class."""
    w = test.judged.w
    found = curve(score, positive, w)
    assert found is not None
    return found, float(w @ positive / w.sum())


def _by_class(test: Test, of: Any, tabulate: Callable[[np.ndarray, np.ndarray], pd.DataFrame]) -> pd.DataFrame:
    """Results of `tabulate` for each class from its probability and membership of rows, if there are rows on both sides."""
    chances, y, live = test.probabilities, test.judged.y, test.judged.w > 0
    parts = {}
    for c in range(len(test.classes)) if of is None else [class_code(of, test.confusion.index)]:
        if len(np.unique(y[live] == c)) == 2:
            parts[test.classes[c]] = tabulate(chances[:, c], y == c)
    if not parts:
        which = "all rows are of one class" if of is None else f"no row, or each row, is of class {shown(of)}"
        raise NotAvailable(f"a curve needs rows of at least two classes, but {which}")
    out = pd.concat(parts.values(), ignore_index=True)
    names = np.repeat(np.array(list(parts), object), [len(part) for part in parts.values()])
    out.insert(0, "class", pd.Categorical(names, test.confusion.index))
    return out
