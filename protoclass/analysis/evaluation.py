"""What a fit says of new rows with known classes, and how good it is: statistics by class and of all, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from ..arguments import Served, check_known, is_number, public, whole_number
from ..core.agreement import OfClass, Table, accuracy, balanced_accuracy, count, kappa, of_class
from ..core.intervals import Estimate, mean_over_rows, share_of_rows
from ..core.ranking import AUC, mean_auc
from ..core.scores import brier, log_loss, reliability
from ..core.units import as_counts
from ..elsewhere import VERBS_OF_TEST
from ..errors import DataError, DataWarning, NotAvailable, OptionError, brief, printed, shown, warn
from ..estimation.coincidence import coincidences
from ..estimation.decisions import decide, loss_of
from ..estimation.threshold import threshold_in_words
from ..frames.schema import check_unique, class_codes, given_weights, group_codes
from ..frames.tables import as_pandas
from .judged import Judged, judged_by
from .no_information import against_stated, signs, signs_of_groups
from .safety import safe_at

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from ..estimation.fit import Fit
    from .by_group import TestByGroup

MOST_BINS = 1000
LEVELS = (0.8, 0.9, 0.95)  # of prediction sets


@public
@dataclass(frozen=True, eq=False)
class Test(Served):
    """How good a fit is on new rows.

    Attributes
    ----------
    n, wrong, left_out : int
        Rows that were classified, those classified wrongly (each counted once, whatever its weight), and rows left out, as their
        class is missing or the fit has no prediction of them (missing predictors, levels that it has not seen).
    error, low, high : float
        Weighted share of errors and its 95 % Wilson interval. With weights, or rows in groups, it is that of as many independent
        rows as give this variance, see `protoclass.core.intervals.independent_rows`.
    no_information : float
        Error on these rows of always predicting the most common class of the training rows; or the error that was stated.
    p_value : float
        One-sided, that the error is not below the no-information error.
    test : str
        Which test that is, in words.
    against : str
        What the rule is compared with, in words.
    confusion : DataFrame
        Weight of the rows by true class (rows) and predicted class.
    judged : Judged
        The rows with their classes, weights, predicted classes and chances.
    losses : array (classes, classes), or None
        Loss of predicting column j for class i, where it was given.
    decided : str
        How the classes were decided by a cut on a chance; "" where they are the rule's own.
    """

    __test__ = False  # not a class of tests, for pytest
    serves: ClassVar[Mapping[str, str]] = VERBS_OF_TEST
    called: ClassVar[str] = "a test"

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
        """Number of groups that the rows come in; None where they are taken to be independent."""
        return None if self.judged.group is None else len(np.unique(self.judged.group[self.judged.w > 0]))

    @property
    def error_name(self) -> str:
        """What `error` is, in words."""
        return "Weighted test error" if self.weighted else "Test error"

    @cached_property
    def table(self) -> Table:
        """Weights of the rows by true and predicted class, and the sums of their squares."""
        return count(self.judged.y, self.judged.predicted, self.judged.w, len(self.confusion), self.judged.group)

    @cached_property
    def areas(self) -> tuple[list[AUC], AUC]:
        """Area under the ROC curve of each class against the rest, and their mean; raises where there are no chances."""
        return mean_auc(self.chances, self.judged.y, self.judged.w, self.judged.group)

    @property
    def chances(self) -> np.ndarray:
        """Chances of the classes (n, classes); raises where there are none."""
        if self.judged.chances is None:
            raise NotAvailable(
                "the fit gave no chances for these rows: fit.calibrate().test(new) has them, and so have methods with kind 'prob'"
            )
        return self.judged.chances

    def tidy(self) -> pd.DataFrame:
        """One row for each class, against the others.

        Columns: `class`, `n` (weight of its rows), `sensitivity`, `specificity`, `ppv`, `npv` (predictive values), `f1`,
        `prevalence`, `detected` (share of the rows that are predicted as the class), `balanced_accuracy` (mean of sensitivity
        and specificity) and, where there are chances, `auc` and `brier` (mean squared difference of its chance from 0 or 1);
        then the ends of the 95 % intervals, `sensitivity_low`, `sensitivity_high` and so on. Shares have Wilson's interval, F1
        that of the share which it is a function of, balanced accuracy that of Newcombe, AUC Wilson's by DeLong's variance. NaN
        is what has no rows to be judged by, such as the sensitivity of a class that does not occur.
        """
        rows = []
        for c in range(len(self.classes)):
            found = of_class(self.table, c)
            each: dict[str, Estimate] = {f.name: getattr(found, f.name) for f in fields(OfClass)}
            more = {}
            if self.judged.chances is not None:
                each["auc"] = self.areas[0][c].estimate
                more["brier"] = mean_over_rows((self.chances[:, c] - (self.judged.y == c)) ** 2, self.judged.w)[0]
            ends = {f"{name}_{end}": getattr(e, end) for name, e in each.items() for end in ("low", "high")}
            values = {name: e.value for name, e in each.items()}
            rows.append({"n": self.confusion.iloc[c].sum(), **values, **more, **ends})
        out = pd.DataFrame(rows)
        out.insert(0, "class", pd.Categorical(self.classes, self.confusion.index))
        return out

    def glance(self) -> pd.DataFrame:
        """One row: `accuracy`, `balanced_accuracy` (mean sensitivity of the classes that occur) and `kappa`.

        Where there are chances `auc` (mean over the classes, each against the rest; of two classes the one area), `brier` (the
        sum over the classes, for two classes half of it, as usual) and `log_loss`; with `loss=` the mean `loss` and, with
        chances, `loss_by_chances`, that of deciding for the class of least expected loss. Then `_low` and `_high`, the ends of
        95 % intervals (Wilson's for the accuracy, Newcombe's for the balanced accuracy, that of `protoclass.core.agreement.kappa`,
        Wilson's by DeLong's variance for the area), `_se`,
        standard errors of means over rows, and `error`, `no_information`, `p_value`, `test`, `wrong`,
        `n`, `left_out`.
        """
        rest = {
            name: getattr(self, name)
            for name in ("error", "no_information", "p_value", "test", "wrong", "n", "left_out")
        }
        ends = {f"{name}_{end}": getattr(e, end) for name, e in self.estimates.items() for end in ("low", "high")}
        spread = {f"{name}_se": se for name, (_, se) in self.means.items()}
        values = {name: e.value for name, e in self.estimates.items()} | {
            name: m for name, (m, _) in self.means.items()
        }
        return pd.DataFrame([{**values, **ends, **spread, **rest}])

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """Accuracy, balanced accuracy, kappa and, where there are chances, the area, with their intervals."""
        table = self.table
        out = {"accuracy": accuracy(table), "balanced_accuracy": balanced_accuracy(table), "kappa": kappa(table)}
        return out if self.judged.chances is None else {**out, "auc": self.areas[1].estimate}

    @cached_property
    def means(self) -> dict[str, tuple[float, float]]:
        """Means over the rows with their standard errors: Brier score and log loss where there are chances, and the loss."""
        y, w, p, group = self.judged.y, self.judged.w, self.judged.chances, self.judged.group
        out: dict[str, tuple[float, float]] = {}
        if p is not None:
            out |= {"brier": mean_over_rows(brier(p, y), w, group), "log_loss": mean_over_rows(log_loss(p, y), w, group)}
        if self.losses is not None:
            out["loss"] = mean_over_rows(self.losses[y, self.judged.predicted], w, group)
            if p is not None:
                out["loss_by_chances"] = mean_over_rows(self.losses[y, decide(p, self.losses)], w, group)
        return out

    def calibration(self, bins: int = 10) -> pd.DataFrame:
        """Whether the chances come true: one row for each class and bin of its chance that has rows.

        Columns: `class`, `low` and `high` of the bin, `n` (rows), `chance` (their mean), `share` (of them that are of the class) and
        its 95 % Wilson interval, `share_low` to `share_high`.

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> found = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5).test(wine.iloc[1::2])
        >>> found.calibration(bins=2)[["class", "n", "chance", "share"]].round(2).iloc[:2].to_numpy().tolist()
        [['cultivar 1', 56, 0.04, 0.0], ['cultivar 1', 33, 0.95, 0.88]]
        """
        whole_number("bins", bins, 1, MOST_BINS)
        p, y, w, rows = self.chances, self.judged.y, self.judged.w, []
        for c, level in enumerate(self.classes):
            for b in reliability(p[:, c], y == c, w, bins, self.judged.group):
                rows.append({"class": level, "low": b.low, "high": b.high, "n": b.rows, "chance": b.chance,
                             "share": b.share.value, "share_low": b.share.low, "share_high": b.share.high})  # fmt: skip
        out = pd.DataFrame(rows)
        return out.assign(**{"class": pd.Categorical(out["class"], self.confusion.index)})

    def coverage(self, levels: Sequence[float] | np.ndarray = LEVELS) -> pd.DataFrame:
        """How often prediction sets of a calibrated fit hold the true class: one row for each level and class that occurs.

        Columns: `level`, `class`, `n` (rows of the class), `coverage` (share of them whose set holds it), its 95 % Wilson interval,
        `low` to `high`, and `size`, the mean number of classes in their sets.
        """
        if self.judged.p_values is None:
            raise NotAvailable("only a calibrated fit has prediction sets: test fit.calibrate()")
        if not isinstance(levels, (Sequence, np.ndarray)) or not all(is_number(v, 0.0, True) and v < 1 for v in levels):
            raise OptionError(f"levels={brief(levels)}: a list of numbers between 0 and 1, such as {list(LEVELS)}")
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
                             "high": share.high, "size": float(w @ held[at].sum(axis=1) / w.sum())})  # fmt: skip
        out = pd.DataFrame(rows, columns=["level", "class", "n", "coverage", "low", "high", "size"])
        return out.assign(**{"class": pd.Categorical(out["class"], self.confusion.index)})

    def perturbation(self, sizes: Sequence[float] | None = None) -> pd.DataFrame:
        """A bound of the error on these rows when each is changed by less than a size in the metric of the fit.

        A row that is predicted rightly stays so under every change smaller than its certified distance (see `Fit.augment`), by
        the triangle inequality. All other rows count as errors, so that no choice of the changes has more.

        Parameters
        ----------
        sizes : list of numbers >= 0, optional
            By default 21 from 0, where the bound is the test error, to the largest certified distance of a row.

        Returns
        -------
        DataFrame
            One row for each size: `size`, `error` (the bound), and its 95 % Wilson interval, `low` to `high`.

        Raises
        ------
        NotAvailable
            Where nothing is certified, with the reason: a rule that does not predict the class of the nearest prototype, or a
            dissimilarity that is not known to be a metric.

        Examples
        --------
        >>> import protoclass as pc
        >>> iris = pc.load_data("iris")
        >>> found = pc.fit("species ~ .", iris.iloc[::2], eps=1.0).test(iris.iloc[1::2])
        >>> found.perturbation([0, 0.1, 0.5]).round(3)[["size", "error"]].to_numpy().tolist()
        [[0.0, 0.08], [0.1, 0.2], [0.5, 0.6]]
        """
        right, distance, w = self.judged.predicted == self.judged.y, self.certified, self.judged.w
        if sizes is None:
            finite = distance[right & np.isfinite(distance)]
            largest = finite.max(initial=0.0)
            sizes = np.linspace(0, largest, 21).tolist() if largest > 0 else [0.0]
        if not isinstance(sizes, (Sequence, np.ndarray)) or isinstance(sizes, str) or not all(is_number(v, 0.0) for v in sizes):
            raise OptionError(f"sizes={brief(sizes)}: a list of numbers >= 0, in the units of the dissimilarity")
        rows = []
        for size in sizes:
            lost = share_of_rows(~safe_at(distance, right, size), w, self.judged.group)
            rows.append({"size": float(size), "error": lost.value, "low": lost.low, "high": lost.high})
        return pd.DataFrame(rows, columns=["size", "error", "low", "high"])

    @property
    def certified(self) -> np.ndarray:
        """Certified distance of each row (n,), see `Fit.augment`; raises with the reason where there is none."""
        safety = self.judged.safety
        if safety is None or safety.reason:
            reason = "their classes are not those that distances gave" if safety is None else safety.reason
            raise NotAvailable(f"no distance is certified for these rows: {reason}")
        return safety.distance

    def summary(self) -> Summary:
        """All statistics with their intervals, as a statsmodels Summary (text, HTML, LaTeX)."""
        from ..tables.evaluation import summary

        return summary(self)

    def plot(self, kind: str = "confusion", ax: Any = None, **unknown: Any) -> Any:
        """Draw what the test found.

        Parameters
        ----------
        kind : str
            "confusion": rows by true and predicted class. Where there are chances, "roc": sensitivity against the share of false
            positives of each class against the rest, with the area; "pr": precision against sensitivity; "calibration": the share
            that came true against the chance. Of a calibrated fit, "coverage": how often sets hold the true class against their
            level. Of a nearest-prototype rule in a metric, "perturbation": a bound of the error when rows are changed.
        ax : Axes, optional

        Returns
        -------
        Axes

        Raises
        ------
        NotAvailable
            Where there are no chances, no prediction sets, or no certified distances.
        """
        from ..plots.evaluation import draw_test

        check_known("plot()", unknown, ("kind", "ax"))
        return draw_test(self, kind, ax)

    @printed
    def __repr__(self) -> str:
        from ..tables.evaluation import text

        return text(self)

    def _repr_html_(self) -> str:
        from ..tables.evaluation import html_text

        return html_text(self)


def test(
    fit: Fit, new: Any, weights: Any, no_information: float | None, by: Any, loss: Any, threshold: Any, groups: Any
) -> Test | TestByGroup:
    """See `Fit.test`."""
    own_groups = fit.problem.call.arguments.get("groups")
    by_fit = isinstance(groups, str) and groups == "auto"
    if by_fit:
        groups = own_groups if isinstance(own_groups, str) else None
    new = as_pandas(new, fit.needed_of_new(fit.frame.formula.response, weights, by, groups))
    if by_fit and groups not in new:
        groups = None
    response, levels = fit.frame.formula.response, fit.frame.levels
    if response not in new:
        raise OptionError(f"the new data lack the response {response!r}: an error needs the true classes")
    check_unique(new.columns, "column")
    if no_information is not None and not (is_number(no_information, 0) and no_information <= 1):
        raise OptionError(
            f"no_information={brief(no_information)}: a number between 0 and 1, the error to compare with"
        )
    w = given_weights(weights, new)
    every = judged_by(fit, new, class_codes(new[response], levels), w, group_codes(groups, new), threshold)
    known = (every.y >= 0) & (every.predicted >= 0)
    if not w[known].any():
        raise DataError(
            "no row has both a known class and all predictors" + ("" if weights is None else ", and weight")
        )
    _warn_of_training_rows(fit, new[known])
    constant = int(fit.problem.prevalence.argmax())
    losses = None if loss is None else loss_of(loss, levels)
    decided = "" if threshold is None else threshold_in_words(threshold, levels)

    def judge(rows: np.ndarray, left_out: int) -> Test:
        return compare_classes(every.take(rows), levels, constant, no_information, left_out, losses, decided)

    overall = judge(known, int((~known).sum()))
    if by is None:
        return overall
    from .by_group import split

    return split(overall, judge, by, new, known & (w > 0))


def _warn_of_training_rows(fit: Fit, new: pd.DataFrame) -> None:
    """Warn if rows that should be new have the predictors of training rows more often than by chance."""
    found = coincidences(fit, new)
    if found is not None and found.unlikely:
        cure = "fit.validation has their errors when they are held out" if fit.validation is not None else "test other rows"
        warn(f"{found.words()}. The errors of training rows are too small: {cure}", DataWarning)


test.__test__ = False  # type: ignore[attr-defined]  # not a test, for pytest


def compare_classes(
    judged: Judged,
    levels: pd.Index,
    constant: int,
    stated: float | None = None,
    left_out: int = 0,
    losses: np.ndarray | None = None,
    decided: str = "",
) -> Test:
    """Compare true and predicted classes of rows; `constant` is the class of the rule without information."""
    y, w = judged.y, judged.w
    wrong, base_wrong = judged.predicted != y, y != constant
    found = share_of_rows(wrong, w, judged.group)
    if stated is None:
        against = f"always predicting {shown(levels[constant])}, the most common class in training"
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
                judged, losses, decided)  # fmt: skip
