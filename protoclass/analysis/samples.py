"""Samples of the rows of a fit, and what its method chooses of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.folds import holdout
from ..core.task import Task
from ..errors import DataError, shown
from ..estimation.fitted import Fitted


@dataclass(frozen=True)
class Chosen:
    """The prototypes of a sample, by columns of D in increasing order.

    Attributes
    ----------
    at, classes : int arrays (q,)
    radii : array (q,), or None
        Of their balls, if they have any that cover.
    present : bool array (m,)
        Which candidates the sample held.
    """

    at: np.ndarray
    classes: np.ndarray
    radii: np.ndarray | None
    present: np.ndarray

    def rows_of(self, c: int, task: Task) -> np.ndarray:
        """The rows that are prototypes of a class."""
        rows = task.candidate_row[self.at[self.classes == c]]
        return np.asarray(rows[rows >= 0])


def choose(fit: Fitted, task: Task, count: np.ndarray, salt: int, draw: np.random.Generator | None = None) -> Chosen:
    """What the method chooses of a sample in which each row is `count` (n,) times, in an order that is drawn if `draw` is given."""
    part, columns = task.keep(count > 0, salt)
    part = replace(part, w=part.w * count[count > 0])
    if draw is not None:
        part, places = part.reorder(draw.permutation(len(part.y)))
        columns = columns[places]
    try:
        rule = fit.model.path(part, {}).at(0).moved(columns)
    except DataError as reason:
        raise DataError(
            f"a sample of {len(part.y)} different rows does not carry the parameters of this fit ({reason}): update() it with smaller ones"
        ) from reason
    prototypes = rule.prototypes
    present = np.zeros(len(task.candidate_row), bool)
    present[columns] = True
    # a centre may serve in several features
    assert prototypes.at is not None
    (at, classes), first = np.unique(np.stack([prototypes.at, prototypes.classes]), axis=1, return_index=True)
    radii = prototypes.radii[first] if "cover" in rule.kinds and prototypes.radii is not None else None
    return Chosen(at, classes, radii, present)


def drawn(task: Task, how: str, seed: tuple[int, int]) -> np.ndarray:
    """Times that each row is in the sample, int (n,), class by class."""
    if how == "halves":
        return (~holdout(task.y, 0.5, int(np.random.SeedSequence(seed).generate_state(1)[0]))).astype(np.int64)
    draw, count = np.random.default_rng(seed), np.zeros(len(task.y), np.int64)
    for c in range(task.classes):
        rows = np.flatnonzero(task.y == c)
        count[rows] = np.bincount(draw.integers(0, len(rows), len(rows)), minlength=len(rows))
    return count


def disjoint(task: Task, share: float, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two samples without a row in common, bool (n,) each, with the same number of rows of each class."""
    first, second = np.zeros(len(task.y), bool), np.zeros(len(task.y), bool)
    for c in range(task.classes):
        rows = draw.permutation(np.flatnonzero(task.y == c))
        count = int(np.floor(share * len(rows)))
        if count == 0:
            raise DataError(
                f"class {shown(task.levels[c])} has {len(rows)} rows, and {share:g} of them is none: give larger shares, up to 0.5"
            )
        first[rows[:count]], second[rows[count : 2 * count]] = True, True
    return first, second
