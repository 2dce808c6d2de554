"""Statistics of a confusion table, overall and per class, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import Array
from .intervals import UNKNOWN, Estimate, Sums, independent_rows, mean_of, sums_of, wilson


@dataclass(frozen=True)
class Table:
    """Rows by true and predicted class.

    Attributes
    ----------
    weight, square : arrays (L, L)
        Sum of the weights of the rows of each cell (true class, predicted class), and of their squares.
    rows : arrays (n,), or None
        If the rows come in groups: the cell of each, its weight, and the code of its group.
    """

    weight: Array
    square: Array
    rows: tuple[Array, Array, Array] | None = None

    def share(self, part: Array, whole: Array) -> Estimate:
        """Share of the cells `part` among the cells `whole`, bool (L, L), with Wilson's interval for `independent_rows`."""
        total = float(self.weight[whole].sum())
        if not total > 0:
            return UNKNOWN
        share = min(1.0, float(self.weight[part & whole].sum()) / total)
        return Estimate(share, *wilson(share, independent_rows(share, self.sums(whole * (part - share), whole))))

    def sums(self, values: Array, whole: Array) -> Sums:
        """The sums of the rows in the cells `whole`, if each row adds w times the value (L, L) of its cell."""
        total, square = float(self.weight[whole].sum()), float(self.square[whole].sum())
        if self.rows is None:
            return Sums(total, square, float((self.square * values**2).sum()))
        cell, w, group = self.rows
        return sums_of(values.ravel()[cell], w * whole.ravel()[cell], group)


def count(y: Array, predicted: Array, w: Array, classes: int, group: Array | None = None) -> Table:
    """The table of rows with these class codes, weights and codes of groups."""
    cell, shape = y * classes + predicted, (classes, classes)
    weight, square = (np.bincount(cell, v, classes**2).reshape(shape) for v in (w, w**2))
    return Table(weight, square, None if group is None else (cell, w, group))


@dataclass(frozen=True)
class OfClass:
    """What a rule gets right of one class against the others.

    Attributes
    ----------
    sensitivity, specificity : Estimate
        Proportion of the class that is predicted as it, and of the others that is not.
    ppv, npv : Estimate
        Proportion of the rows predicted as the class that are of it, and of those not predicted as it that are not.
    f1 : Estimate
        Harmonic mean of sensitivity and ppv.
    prevalence, detection_prevalence : Estimate
        Proportion of the class among all rows, and proportion of all rows that are predicted as it.
    balanced_accuracy : Estimate
        Mean of sensitivity and specificity.
    """

    sensitivity: Estimate
    specificity: Estimate
    ppv: Estimate
    npv: Estimate
    f1: Estimate
    prevalence: Estimate
    detection_prevalence: Estimate
    balanced_accuracy: Estimate


def of_class(table: Table, c: int) -> OfClass:
    """The statistics of class c; NaN if there are no rows for an estimate.

    Proportions have Wilson intervals. F1 is 2 J / (1 + J), where J is the proportion of the rows that are of the class and predicted as
    it, among rows that are either; its interval is the Wilson interval of J on this scale. The mean of two proportions has `mean_of`.

    Examples
    --------
    >>> found = of_class(Table(*2 * (np.array([[8, 2], [1, 9]]),)), 0)
    >>> found.sensitivity.value, found.specificity.value, round(found.f1.value, 4)
    (0.8, 0.9, 0.8421)
    """
    classes = len(table.weight)
    true = np.broadcast_to((np.arange(classes) == c)[:, None], (classes, classes))
    said = true.T
    every = np.ones((classes, classes), bool)
    sensitivity, specificity = table.share(said, true), table.share(~said, ~true)
    jaccard = table.share(true & said, true | said)
    f1 = Estimate(*(2 * j / (1 + j) for j in (jaccard.value, jaccard.low, jaccard.high)))
    both = mean_of([sensitivity, specificity])
    return OfClass(sensitivity, specificity, table.share(true, said), table.share(~true, ~said), f1,
                   table.share(true, every), table.share(said, every), both)  # fmt: skip


def accuracy(table: Table) -> Estimate:
    """Proportion of the rows that are classified correctly, with its Wilson interval."""
    return table.share(np.eye(len(table.weight), dtype=bool), np.ones(table.weight.shape, bool))


def balanced_accuracy(table: Table) -> Estimate:
    """Mean sensitivity of the classes that occur, with the interval of `mean_of`."""
    each = [of_class(table, c).sensitivity for c in range(len(table.weight))]
    return mean_of([s for s in each if s.value == s.value])


def kappa(table: Table) -> Estimate:
    """Cohen's kappa: the accuracy beyond chance agreement with the same margins, as a proportion of the largest possible.

    The standard error is by the delta method of Fleiss, Cohen and Everitt (1969), *Large sample standard errors of kappa
    and weighted kappa*; with weights w each row adds w^2. The interval is the Wilson interval of the accuracy, for the number of rows
    that gives it this standard error with fixed margins. So it stays below 1, also if no row is misclassified.
    NaN if truth and prediction are one and the same class for all rows.

    Examples
    --------
    >>> found = kappa(Table(*2 * (np.array([[8, 2], [1, 9]]),)))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.7, 0.282, 0.895)
    """
    total = float(table.weight.sum())
    p = table.weight / total
    true, said = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float(np.trace(p)), float(true @ said)
    if not 1 - expected > 1e-12:
        return UNKNOWN
    right = np.eye(len(p)) - observed
    margin = said[:, None] + true[None, :] - 2 * expected
    change = right / (1 - expected) - (1 - observed) * margin / (1 - expected) ** 2
    sums = table.sums(change * (1 - expected), np.ones(p.shape, bool))  # on the scale of the accuracy
    rows = independent_rows(observed, sums, np.inf if sums.spread > 0 and 0 < observed < 1 else None)
    ends = ((end - expected) / (1 - expected) for end in (observed, *wilson(observed, rows)))
    return Estimate(*ends)
