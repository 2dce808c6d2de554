"""What may become a prototype besides the training rows (PVM paper, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.sources import Rep
from ..core.statistics.folds import stratified_subset
from ..core.vectors.centroids import hull_draws
from ..core.vectors.centroids import kmeans as clustered
from ..frames.frame import Frame
from ..frames.schema import check_unique
from ..frames.tables import as_pandas
from ..ground.checks import MOST_RUNS, one_of, whole_number
from ..ground.errors import DataError, OptionError, TooLarge, brief, printed
from ..ground.savable import savable
from .base import TrainedMetric, as_vectors

LARGEST = 2**28  # numbers in the coordinates of drawn candidates


@dataclass(frozen=True)
class Candidates:
    """Candidates that are added to the training rows, or with `only` take their place.

    Attributes
    ----------
    train_in_folds : bool
        Whether they are learned from the training rows, and so anew in each fold.
    """

    train_in_folds: ClassVar[bool] = False

    @property
    def alone(self) -> bool:
        """Whether they take the place of the training rows: what the parameter `only` of the kinds below says."""
        return bool(getattr(self, "only", False))

    def make(self, metric: TrainedMetric, seen: Frame, seed: int) -> tuple[Rep, pd.DataFrame]:
        """Side j of D for the added candidates, and their predictors by name."""
        raise OptionError(f"{type(self).__name__} does not say which candidates it adds: write its `make`")


@savable
@dataclass(frozen=True, eq=False)
class unlabelled(Candidates):  # noqa: N801 - reads as a function where it is used
    """Rows without a known class, such as those to be predicted: the semi-supervised PVM.

    Parameters
    ----------
    frame : DataFrame
        With the predictors of the formula; a response in it is not looked at.
    only : bool
        Whether these alone are candidates.
    """

    frame: Any
    only: bool = False

    def __post_init__(self) -> None:
        one_of("only", self.only, (True, False))
        table = as_pandas(self.frame)
        check_unique(table.index, "unlabelled row")
        object.__setattr__(self, "frame", table)

    @printed
    def __repr__(self) -> str:
        return f"unlabelled({brief(self.frame)}{', only=True' if self.only else ''})"

    def make(self, metric: TrainedMetric, seen: Frame, seed: int) -> tuple[Rep, pd.DataFrame]:
        new, complete = seen.again(self.frame)
        if not complete.all():
            missing = (~complete).sum()
            raise DataError(f"{missing} unlabelled rows miss predictors: leave them out, they can't be measured")
        new.unseen_counts.warn({c: "unlike" for c in new.unseen if metric.unseen_in(c) == "unlike"})
        return metric.candidates(new), new.columns


@savable(name="kmeans candidates")
@dataclass(frozen=True)
class kmeans(Candidates):  # noqa: N801 - reads as a function where it is used
    """Centroids of k-means on each class, or on all training rows together.

    Parameters
    ----------
    K : int
        Centroids of each class, or of all rows.
    by : "class" or "all"
    only : bool
        Whether these alone are candidates.
    """

    train_in_folds: ClassVar[bool] = True

    K: int = 10
    by: str = "class"
    only: bool = False

    def __post_init__(self) -> None:
        whole_number("K", self.K, 1)
        one_of("by", self.by, ("class", "all"))
        one_of("only", self.only, (True, False))

    def make(self, metric: TrainedMetric, seen: Frame, seed: int) -> tuple[Rep, pd.DataFrame]:
        space = as_vectors(metric)
        X = np.asarray(space.coordinates(space.rows(seen)))
        live, levels = seen.weights > 0, seen.levels
        groups = [live & (seen.codes == c) for c in range(len(levels))] if self.by == "class" else [live]
        names = level_names(levels) if self.by == "class" else ["all"]
        centers, added = [], []
        for g, (group, name) in enumerate(zip(groups, names, strict=True)):
            if group.sum() < self.K:
                raise DataError(f"kmeans({self.K}) candidates need as many rows, and {name!r} has {group.sum()}")
            centers.append(clustered(X[group], seen.weights[group], self.K, 3, (seed, g))[0])
            added += [f"kmeans[{name}].{k + 1}" for k in range(self.K)]
        coords = np.concatenate(centers)
        return space.place(coords), space.original(coords).set_axis(added)


@savable
@dataclass(frozen=True)
class hull(Candidates):  # noqa: N801 - reads as a function where it is used
    """Rows drawn from the convex hull of each class's training rows, uniformly but for what hit-and-run leaves.

    Parameters
    ----------
    count : int
        Rows drawn for each class.
    only : bool
        Whether these alone are candidates.
    steps : int, optional
        Steps of the walk from one draw to the next, and ten times as many before the first; by default as many as the hull
        has dimensions, 5 at least. Fewer leave draws alike and too near the mean. Each costs two linear programs with a
        variable for each row and a condition for each dimension: for images that takes long.
    """

    train_in_folds: ClassVar[bool] = True

    count: int = 200
    only: bool = False
    steps: int | None = None

    def __post_init__(self) -> None:
        whole_number("count", self.count, 1)
        if self.steps is not None:
            whole_number("steps", self.steps, 1, MOST_RUNS)
        one_of("only", self.only, (True, False))

    def make(self, metric: TrainedMetric, seen: Frame, seed: int) -> tuple[Rep, pd.DataFrame]:
        space = as_vectors(metric)
        X = np.asarray(space.coordinates(space.rows(seen)), float)
        if self.count * len(seen.levels) * X.shape[1] > LARGEST:
            raise TooLarge(
                f"pc.hull({self.count}) asks for {self.count} draws in each of {len(seen.levels)} classes: ask for fewer"
            )
        live = seen.weights > 0
        own = [X[live & (seen.codes == c)] for c in range(len(seen.levels))]
        for rows, name in zip(own, level_names(seen.levels), strict=True):
            if len(rows) == 0:
                raise DataError(f"hull({self.count}) candidates need a row of every class, and {name!r} has none with weight")
        coords = np.concatenate([hull_draws(rows, self.count, self.steps, (seed, c)) for c, rows in enumerate(own)])
        added = [f"hull[{level}].{k + 1}" for level in level_names(seen.levels) for k in range(self.count)]
        return space.place(coords), space.original(coords).set_axis(added)


def level_names(levels: pd.Index) -> list[str]:
    """The classes as text; as Python writes them where the text alone is the same for two, such as 1 and "1"."""
    names = [str(level) for level in levels]
    return names if len(set(names)) == len(names) else [repr(level) for level in levels]


def check_candidates(candidates: Any) -> None:
    """Raise unless `candidates=` is one of the kinds allowed."""
    number = isinstance(candidates, (int, np.integer)) and not isinstance(candidates, bool)
    named = isinstance(candidates, str) and candidates in ("auto", "train", "own")
    if not (isinstance(candidates, Candidates) or named or (number and candidates >= 1)):
        raise OptionError(
            f"candidates={brief(candidates)}: allowed are 'auto', 'train', 'own', a number of rows, pc.unlabelled(frame), "
            "pc.kmeans(K) and pc.hull(count)"
        )


def subset(frame: Frame, count: int, seed: int) -> np.ndarray:
    """Rows with weight of a random subset of about equal shares of each class, bool (n,)."""
    live = frame.weights > 0
    if count > live.sum():
        what = "rows" if live.all() else "rows with weight"
        raise OptionError(f"candidates={brief(count)}, and there are {live.sum()} {what} to draw them from")
    out = np.zeros(len(frame), bool)
    out[live] = stratified_subset(frame.codes[live], count, seed)
    return out
