"""How good a fit is on groups of new rows, and whether its errors differ between them."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import public
from ..core.intervals import Estimate, difference_of, independent_rows, sums_of
from ..errors import DataError, OptionError, brief, printed, shown, visible
from ..frames.schema import along
from ..frames.tables import cached_table
from ..settings import fixed, significant
from .paired import with_holm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .evaluation import Test

MOST_GROUPS = 50
SHOWN = ["n", "error", "low", "high", "balanced_accuracy", "kappa", "auc", "brier", "log_loss", "loss"]  # by print


@public
@dataclass(frozen=True, eq=False)
class TestByGroup:
    """How good a fit is on groups of new rows.

    Attributes
    ----------
    by : str
        What the groups are of.
    overall : Test
        Of all rows.
    groups : dict
        The Test of each group, by its label, in the order of the labels.
    left_out : int
        Rows in no group: those whose label is missing.
    without_rows : list
        Labels of which no row has a known class, all predictors and weight.
    """

    __test__ = False  # not a class of tests, for pytest

    by: str
    overall: Test
    groups: dict[Any, Test]
    left_out: int
    without_rows: list[Any]

    def glance(self) -> pd.DataFrame:
        """One row for each group: `group`, `error` with its 95 % Wilson interval, `low` to `high`, and what `Test.glance` has."""
        rows = []
        for label, one in self.groups.items():
            head = pd.DataFrame({"group": [label], "error": one.error, "low": one.low, "high": one.high})
            rows.append(pd.concat([head, one.glance().drop(columns="error")], axis=1))
        return pd.concat(rows, ignore_index=True)

    def tidy(self) -> pd.DataFrame:
        """One row for each group and class: `group`, and what `Test.tidy` has."""
        parts = []
        for label, one in self.groups.items():
            part = one.tidy()
            part.insert(0, "group", [label] * len(part))
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    @cached_table
    def comparisons(self) -> pd.DataFrame:
        """Whether the errors of two groups differ: one row for each pair, with Holm's correction.

        Columns: `test`, `a`, `b`, `difference` (error of a minus that of b) with Newcombe's 95 % interval `low` to `high`
        (each for itself), `statistic`, `p` and `p_holm`. The test is Fisher's exact one, two-sided, whose statistic is the odds ratio;
        where rows have different weights or come in groups the z test of two shares.
        """
        return with_holm([compare_groups(a, b, self.groups) for a, b in combinations(self.groups, 2)])

    def plot(self, ax: Any = None) -> Axes:
        """The error of each group with its 95 % interval, and that of all rows."""
        from ..plots.evaluation import groups

        drawn: Axes = groups(self, ax)
        return drawn

    def _parts(self) -> tuple[str, pd.DataFrame, pd.DataFrame]:
        """The first lines, the table of the groups and that of the comparisons."""
        one = self.overall
        error = f"{one.error_name} {fixed(one.error)}, 95 % interval {fixed(one.low)} to {fixed(one.high)}"
        head = f"{error}; by {visible(str(self.by))}"
        notes = [f"{self.left_out} rows in no group"] if self.left_out else []
        notes += [f"{one.left_out} left out without a class or a prediction"] if one.left_out else []
        notes += [f"no rows of {', '.join(map(shown, self.without_rows))}"] if self.without_rows else []
        table = self.glance().set_index("group")
        table = table[[name for name in SHOWN if name in table]].rename_axis(None)
        return "; ".join([head, *notes]), table, self.comparisons

    @printed
    def __repr__(self) -> str:
        head, table, pairs = self._parts()
        tables = [
            table.to_string(float_format=significant),
            pairs.to_string(index=False, na_rep="", float_format=partial(significant, usual=3)),
        ]
        return "\n\n".join([head, *tables])

    def _repr_html_(self) -> str:
        head, table, pairs = self._parts()
        tables = table.to_html(float_format=significant) + pairs.to_html(
            index=False, na_rep="", float_format=partial(significant, usual=3)
        )
        return f"<div><pre>{html.escape(head)}</pre>{tables}</div>"


def split(
    overall: Test, judge: Callable[[np.ndarray, int], Test], by: Any, new: pd.DataFrame, usable: np.ndarray
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
    """
    name = by if isinstance(by, str) else str(getattr(by, "name", None) or "group")
    values = pd.Series(along(by, new, "by")).reset_index(drop=True)
    try:
        labels = pd.Categorical(values)
    except TypeError:
        raise DataError(f"by={brief(by)} has values that are no labels of groups, such as lists") from None
    occurring = [c for c in range(len(labels.categories)) if ((labels.codes == c) & usable).any()]
    if len(occurring) < 2:
        raise OptionError(
            f"by={brief(by)} has {len(occurring)} group among these rows: give a column with at least two"
        )
    if len(occurring) > MOST_GROUPS:
        raise OptionError(
            f"by={brief(by)} has {len(occurring)} groups: allowed are {MOST_GROUPS}; pd.cut puts numbers into ranges"
        )
    groups = {}
    for c in occurring:
        own = labels.codes == c
        groups[labels.categories[c]] = judge(own & usable, int((own & ~usable).sum()))
    without = [label for c, label in enumerate(labels.categories) if (labels.codes == c).any() and c not in occurring]
    return TestByGroup(name, overall, groups, int((labels.codes < 0).sum()), without)


def compare_groups(a: Any, b: Any, groups: dict[Any, Test]) -> dict[str, object]:
    """Whether the errors of two groups differ: a row of `TestByGroup.comparisons`, before the correction."""
    from scipy.stats import fisher_exact, norm

    one, other = groups[a], groups[b]
    found = difference_of(Estimate(one.error, one.low, one.high), Estimate(other.error, other.low, other.high))
    if one.judged.group is None and np.ptp(np.concatenate([one.judged.w, other.judged.w])) == 0:
        test = "Fisher's exact test"
        statistic, p = fisher_exact([[t.wrong, t.n - t.wrong] for t in (one, other)])
    else:
        test = "z test of weighted shares" if one.judged.group is None else "z test by groups of rows"
        w = [t.judged.w for t in (one, other)]
        pooled = (one.error * w[0].sum() + other.error * w[1].sum()) / (w[0].sum() + w[1].sum())
        rows = [independent_rows(t.error, sums_of(t.judged.predicted != t.judged.y, t.error, t.judged.w, t.judged.group))
                for t in (one, other)]  # fmt: skip
        spread = np.sqrt(pooled * (1 - pooled) * sum(1 / r for r in rows))
        statistic = found.value / spread if spread > 0 or np.isnan(spread) else 0.0
        p = 2 * norm.sf(abs(statistic))
    return {"test": test, "a": str(a), "b": str(b), "difference": found.value, "low": found.low, "high": found.high,
            "statistic": float(statistic), "p": float(p)}  # fmt: skip
