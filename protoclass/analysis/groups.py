"""Tests of a fit by groups of new rows, and differences between groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from ..core.statistics.intervals import (
    Estimate,
    difference_of,
    independent_rows,
    mean_over_rows,
    share_of_rows,
    sums_of,
)
from ..core.statistics.scores import calibration_in_the_large
from ..frames.schema import along
from ..frames.tables import cached_table
from ..ground.checks import one_of
from ..ground.errors import DataError, OptionError, brief, shown
from ..values import Above, Printed, public
from .comparison import Row, with_holm

if TYPE_CHECKING:
    from .evaluation import Test

MOST_GROUPS = 50
IN_THE_LARGE = "calibration_in_the_large"
OF_CLASS = {"sensitivity": "sensitivity", "specificity": "specificity", "ppv": "PPV", "npv": "NPV",
            IN_THE_LARGE: "calibration in the large"}  # fmt: skip
MEASURES = {"error": "error", **OF_CLASS}  # in words


@public
@dataclass(frozen=True, eq=False, repr=False)
class TestByGroup(Printed):
    """The performance of a fit on groups of new rows.

    Attributes
    ----------
    by : str
        Name of the grouping variable.
    overall : Test
        Test of all rows.
    groups : dict
        Test of each group, by its label, in the order of the labels.
    left_out : int
        Number of rows without a group, because their label is missing.
    without_rows : list
        Labels of groups without a row that has a known class, all predictors and weight.
    of : class, or None
        The class whose sensitivity, specificity, predictive values and calibration in the large are shown: the class of the
        threshold, or the second of two classes. None for more classes without a threshold; `tidy` has all of them.
    """

    __test__ = False  # not a class of tests, for pytest

    by: str
    overall: Test
    groups: dict[Any, Test]
    left_out: int
    without_rows: list[Any]
    of: Any = None

    between: ClassVar[str] = "\n\n"
    plot = Above("protoclass.pictures")
    summary, as_table, _said = Above("protoclass.tables"), Above("protoclass.tables"), Above("protoclass.tables")

    def glance(self) -> pd.DataFrame:
        """Table with one row per group: `group`, `error`, its 95 % Wilson interval, `low` to `high`, and the columns of `Test.glance`.

        Then, for the class `of`: `class`, `sensitivity`, `specificity`, `ppv`, `npv` and, if there are probabilities,
        `calibration_in_the_large`, with the ends of their intervals, as in `Test.tidy`.
        """
        rows = []
        for label, test in self.groups.items():
            head = pd.DataFrame({"group": [label], "error": test.error, "low": test.low, "high": test.high})
            parts = [head, test.glance().drop(columns="error")]
            if self.of is not None:
                own = test.tidy().iloc[[test.classes.index(self.of)]].reset_index(drop=True)
                parts.append(own[[c for c in own if c == "class" or c.removesuffix("_low").removesuffix("_high") in OF_CLASS]])
            rows.append(pd.concat(parts, axis=1))
        return pd.concat(rows, ignore_index=True)

    def tidy(self) -> pd.DataFrame:
        """Table with one row per group and class: `group`, and the columns of `Test.tidy`."""
        parts = []
        for label, test in self.groups.items():
            part = test.tidy()
            part.insert(0, "group", [label] * len(part))
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    def estimates(self, measure: str = "error", of: Any = None) -> dict[Any, Estimate]:
        """A measure of each group with its 95 % interval, by the label of the group.

        Parameters
        ----------
        measure : "error", "sensitivity", "specificity", "ppv", "npv" or "calibration_in_the_large"
            Name of the measure.
        of : class, optional
            Class of the measure. Default: the attribute `of`.
        """
        c = self.class_code(measure, of)
        return {label: estimate(test, measure, c) for label, test in self.groups.items()}

    def class_code(self, measure: str, of: Any = None) -> int:
        """Code of the class of a measure; raises if the class is unknown."""
        one_of("measure", measure, tuple(MEASURES))
        of, classes = self.of if of is None else of, self.overall.classes
        if measure != "error" and of not in classes:
            known = ", ".join(map(shown, classes))
            raise OptionError(f"{measure} needs a class among {known}, not of={brief(of)}: use of={shown(classes[-1])}, for example")
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
            One row for each pair of groups: `test`, `a`, `b`, `difference` (a minus b) with Newcombe's 95 % interval, `low` to `high`
            (not simultaneous), `statistic`, `p` and `p_holm`. Proportions are compared by Fisher's exact test, two-sided, with the
            odds ratio as statistic, or by the z test of two proportions if rows have different weights or are in groups.
            Calibration in the large is compared by a z test.

        Examples
        --------
        >>> import protoclass as pc
        >>> tumours = pc.load_data("breast_cancer")
        >>> fit = pc.fit("diagnosis ~ .", tumours.iloc[::2], "knn", k=15)
        >>> new = tumours.iloc[1::2]
        >>> found = fit.test(new, by=new["mean_radius"] > 14, threshold={"malignant": 0.3})
        >>> found.differences("specificity")[["a", "b", "difference", "p_holm"]].round(3).to_numpy().tolist()
        [['False', 'True', 0.131, 0.003]]
        """
        c = self.class_code(measure, of)
        return with_holm([compare_groups(a, b, self.groups, measure, c) for a, b in combinations(self.groups, 2)])

    @cached_table
    def comparisons(self) -> pd.DataFrame:
        """Pairwise tests of the errors of the groups: `differences()`."""
        return self.differences()


def split(
    overall: Test, judge: Callable[[np.ndarray, int], Test], by: Any, new: pd.DataFrame, usable: np.ndarray, of: Any
) -> TestByGroup:
    """Judge each group of rows by itself.

    Parameters
    ----------
    overall : Test
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
        raise DataError(f"by must contain labels of groups, not values such as lists, as {brief(by)} does") from None
    occurring = [c for c in range(len(labels.categories)) if ((labels.codes == c) & usable).any()]
    if len(occurring) < 2:
        raise OptionError(f"by must have at least two groups among these rows, but {brief(by)} has {len(occurring)}")
    if len(occurring) > MOST_GROUPS:
        raise OptionError(
            f"by must have at most {MOST_GROUPS} groups, but {brief(by)} has {len(occurring)}: use pd.cut to put numbers into ranges"
        )
    groups = {}
    for c in occurring:
        own = labels.codes == c
        groups[labels.categories[c]] = judge(own & usable, int((own & ~usable).sum()))
    without = [label for c, label in enumerate(labels.categories) if (labels.codes == c).any() and c not in occurring]
    return TestByGroup(name, overall, groups, int((labels.codes < 0).sum()), without, of)


def counted(test: Test, measure: str, c: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that count for a proportion (n,), and the weights of the rows in its denominator, 0 for the others."""
    y, predicted, w = test.judged.y == c, test.judged.predicted == c, test.judged.w
    sides = {"sensitivity": (predicted, y), "specificity": (~predicted, ~y), "ppv": (y, predicted), "npv": (~y, ~predicted)}
    x, among = sides.get(measure, (test.judged.predicted != test.judged.y, np.ones(test.n, bool)))
    return x, w * among


def estimate(test: Test, measure: str, c: int) -> Estimate:
    """A measure with its interval; c is the code of the class that it is of."""
    if measure == IN_THE_LARGE:
        return calibration_in_the_large(test.probabilities[:, c], test.judged.y == c, test.judged.w, test.judged.group)
    return share_of_rows(*counted(test, measure, c), test.judged.group)


def compare_groups(a: Any, b: Any, groups: dict[Any, Test], measure: str = "error", c: int = 0) -> Row:
    """Whether a measure of two groups differs: a row of `TestByGroup.differences`, before the correction."""
    from scipy.stats import fisher_exact, norm

    tests = [groups[a], groups[b]]
    group = [t.judged.group for t in tests]
    estimates = [estimate(t, measure, c) for t in tests]
    found, by = difference_of(*estimates), "" if group[0] is None else " by groups of rows"
    if measure == IN_THE_LARGE:
        errors = [mean_over_rows((t.judged.y == c) - t.probabilities[:, c], t.judged.w, t.judged.group)[1] for t in tests]
        test, spread = f"z test{by}", float(np.linalg.norm(errors))
    else:
        x, w = zip(*(counted(t, measure, c) for t in tests), strict=True)
        if not all(v.any() for v in w):
            return "no rows of a group", str(a), str(b), found.value, found.low, found.high, np.nan, np.nan
        if not by and np.ptp(np.concatenate([v[v > 0] for v in w])) == 0:
            counts = [[int(part[v > 0].sum()), int((~part)[v > 0].sum())] for part, v in zip(x, w, strict=True)]
            statistic, p = fisher_exact(counts)
            return "Fisher's exact test", str(a), str(b), found.value, found.low, found.high, float(statistic), float(p)
        test, shares = f"z test{by or ' of weighted shares'}", [e.value for e in estimates]
        pooled = float(np.average(shares, weights=[v.sum() for v in w]))
        rows = [independent_rows(s, sums_of(part - s, v, g)) for s, part, v, g in zip(shares, x, w, group, strict=True)]
        spread = float(np.sqrt(pooled * (1 - pooled) * sum(1 / r for r in rows)))
    statistic = found.value / spread if spread > 0 or np.isnan(spread) else 0.0
    return test, str(a), str(b), found.value, found.low, found.high, float(statistic), float(2 * norm.sf(abs(statistic)))
