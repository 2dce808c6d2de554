"""The dissimilarity of a forest, by the leaves that two rows reach."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.distances.categories import MOST_TREES, apart, reached
from ..core.parallel import free_cores
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import either, whole_number
from ..ground.errors import DataError, OptionError, brief, shown
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits, strings
from .gower import as_floats
from .learned import check_classes

LARGEST = np.finfo(np.float32).max  # of a number in scikit-learn's trees
TAKEN = ("RandomForestClassifier", "ExtraTreesClassifier", "GradientBoostingClassifier")

# fields of a TrainedForest, and attributes of scikit-learn's trees
NODES: tuple[tuple[str, str, Any], ...] = (
    ("left", "children_left", np.int32), ("right", "children_right", np.int32),
    ("feature", "feature", np.int32), ("threshold", "threshold", float),
    ("missing", "missing_go_to_left", bool),
)  # fmt: skip


@dataclass(frozen=True)
class Forest(Metric):
    """Proportion of the trees of a random forest in which two rows reach different leaves.

    It is 1 - proximity, without scaling, also for categories and missing values (`na="keep"`). The
    forest is learned again in each fold, or given (`of=`).

    Parameters
    ----------
    trees : int
        Number of trees of scikit-learn's random forest, with its defaults.
    seed : int
        Seed for the bootstrap samples and the columns that each split tries.
    of : fitted classifier of scikit-learn, optional
        RandomForestClassifier, ExtraTreesClassifier or GradientBoostingClassifier, fitted on the
        same predictors as numbers in the same order. Default: a forest is learned.

    Raises
    ------
    OptionError
        If `of` is not fitted, or is another kind of model.
    DataError
        If only one class has rows, if no tree has a split, or if `of` was fitted on other columns.

    Notes
    -----
    Breiman (2001), Machine Learning 45; Tan, Soloviev, Hooker and Wells (2020), *Tree space
    prototypes*. Categories are codes in the order of their levels. Rows with a missing value or a
    new level take the side that the split has learned for missing values, or else the side of more
    training rows. If `of` was fitted on the rows of the fit, the cross-validated error is
    optimistic: use new rows (`fit.test`).

    Examples
    --------
    >>> import protoclass as pc
    >>> d = pc.dissimilarity("species ~ .", pc.load_data("iris"), pc.Forest(trees=10))
    >>> d.to_frame().iloc[0, [1, 50, 100]].tolist()
    [0.0, 1.0, 1.0]
    """

    papers = ("breiman2001",)

    trees: int = 500
    seed: int = 0
    of: Any = None

    def __post_init__(self) -> None:
        whole_number("trees", self.trees, 1, MOST_TREES)
        whole_number("seed", self.seed, 0, 2**32 - 1)  # of scikit-learn
        if self.of is None:
            return
        of = taken(self.of)
        trees = len(of.start) - 1
        if (self.trees, self.seed) not in ((500, 0), (trees, 0)):
            raise OptionError(
                "trees and seed are for a forest that is learned, but of= is fitted: leave them out"
            )
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "trees", trees)

    @property
    def traits(self) -> Traits:
        learned = self.of is None
        return Traits(
            symmetric=True,
            triangle=True,
            row_by_row=True,
            train_in_folds=learned,
            supervised=learned,
            skips_missing=True,
            unseen="skipped",
            scaling=""
            if learned
            else "fitted before: CV errors are optimistic for rows that it was fitted on",
        )

    def train(self, frame: Frame) -> TrainedForest:
        if self.of is not None:
            return replace(self.of, spec=self)
        from sklearn.ensemble import RandomForestClassifier

        seen = frame.take(np.flatnonzero(frame.weights > 0))
        check_classes(seen, seen.codes, "training rows have")
        table = seen.terms()
        X, y, w = numbers_of(table, seen), seen.codes, seen.weights
        forest = RandomForestClassifier(
            int(self.trees), random_state=int(self.seed), n_jobs=free_cores(), oob_score=True
        )
        with warnings.catch_warnings(category=UserWarning, action="ignore"):  # of rows in all trees
            # equal weights: the forest of scikit-learn without any
            forest.fit(X, y, w if np.ptp(w) else None)
        votes = forest.oob_decision_function_
        known = votes.any(axis=1)
        wrong = forest.classes_[votes.argmax(axis=1)] != y
        error = np.average(wrong[known], weights=w[known]) if known.any() else np.nan
        levels = [
            np.unique(x) if name in categories(table) else np.empty(0)
            for name, x in zip(table, X.T, strict=True)
        ]
        return arrays_of(self, forest, list(table), levels, error)


@savable(
    start="t",
    left="n",
    right="n",
    feature="n",
    threshold="n",
    missing="n",
    columns="p",
    levels="p",
    error="1",
)
@dataclass(frozen=True, eq=False)
class TrainedForest(TrainedMetric):
    """The trees of a forest.

    Attributes
    ----------
    start : int array (trees + 1,)
        Position of the first node of each tree, and the number of all nodes.
    left, right, feature : int arrays (nodes,)
        `children_left`, `children_right` and `feature` of scikit-learn's trees, one tree after the
        other.
    threshold : array (nodes,)
    missing : bool array (nodes,)
        `missing_go_to_left` of scikit-learn's trees.
    columns : array (p,) of str
        Columns on which it was fitted; None if they have no names.
    levels : tuple of p arrays
        Codes of the levels of a category that training rows have, empty for numbers.
    error : array (1,)
        Out-of-bag error; NaN if it is not known.
    """

    spec: Forest
    start: Array
    left: Array
    right: Array
    feature: Array
    threshold: Array
    missing: Array
    columns: Array
    levels: tuple[Array, ...]
    error: Array

    def __repr__(self) -> str:
        return f"<forest of {len(self.start) - 1} trees>"

    @property
    def traits(self) -> Traits:
        known = [f"{len(self.start) - 1} trees"] + [
            f"out-of-bag error {e:.4f}" for e in self.error if not np.isnan(e)
        ]
        return replace(
            self.spec.traits, scaling=", ".join(filter(None, [*known, self.spec.traits.scaling]))
        )

    def rows(self, frame: Frame) -> Rep:
        table, known = frame.terms(), self.columns.tolist()
        fits = len(known) == len(table) and known in (list(table), [None] * len(known))
        if not fits or (self.spec.of is not None and categories(table)):
            was = f"{len(known)} columns{'' if None in known else f', {brief(known)},'}"
            raise DataError(
                f"the forest was fitted on {was} but the predictors are {brief(list(table))} "
                f"({len(categories(table))} categories): use "
                "the same columns in the same order, as numbers for of="
            )
        X = numbers_of(table, frame)
        for column, levels in zip(X.T, self.levels, strict=True):
            column[(levels.size > 0) & ~np.isin(column, levels)] = np.nan
        return (
            reached(
                X, self.start, self.left, self.right, self.feature, self.threshold, self.missing
            ),
        )

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return apart(rows[0], candidates[0])


def numbers_of(table: dict[str, pd.Series], frame: Frame) -> Array:
    """The variables as float32 (n, p), as in scikit-learn's trees; levels as codes."""
    X = np.column_stack([as_floats(values) for values in table.values()])
    for i, j in np.argwhere(np.abs(X) > LARGEST)[:1]:
        raise DataError(
            f"column {list(table)[j]!r} is {X[i, j]:.4g} at row {shown(frame.index[i])}, beyond "
            f"the numbers of a forest ({LARGEST:.4g}): "
            "scale the column down, or leave the row out"
        )
    return X.astype(np.float32)


def categories(table: dict[str, pd.Series]) -> list[str]:
    return [name for name, values in table.items() if isinstance(values.dtype, pd.CategoricalDtype)]


def taken(of: Any) -> TrainedForest:
    """The trees of a fitted classifier of scikit-learn."""
    if isinstance(of, TrainedForest):
        return of
    from sklearn import ensemble

    kinds: Any = tuple(getattr(ensemble, name) for name in TAKEN)
    if not isinstance(of, kinds):
        raise OptionError(
            f"of must be a fitted {either(TAKEN)} of scikit-learn, whose trees are public, not {brief(of)}"
        )
    if not hasattr(of, "estimators_"):
        raise OptionError(f"of={brief(of)} is not fitted: use of.fit(X, y) first")
    names = getattr(of, "feature_names_in_", [None] * of.n_features_in_)
    error = 1 - of.oob_score_ if getattr(of, "oob_score", None) is True else np.nan
    return arrays_of(Forest(), of, names, [np.empty(0)] * len(names), error)


def arrays_of(
    spec: Forest, forest: Any, names: Any, levels: list[Array], error: float
) -> TrainedForest:
    trees = [tree.tree_ for tree in np.ravel(forest.estimators_)]
    if len(trees) > MOST_TREES or all(tree.node_count == 1 for tree in trees):
        raise DataError(
            f"the {len(trees)} trees of a forest must have splits, and be at most {MOST_TREES}: "
            "use other columns or rows"
        )
    start = np.cumsum([0, *(tree.node_count for tree in trees)])
    nodes = {
        name: np.concatenate([getattr(tree, attribute) for tree in trees]).astype(kind)
        for name, attribute, kind in NODES
    }
    return TrainedForest(
        spec, start, columns=strings(names), levels=tuple(levels), error=np.array([error]), **nodes
    )
