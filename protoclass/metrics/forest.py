"""The dissimilarity of a forest: the proportion of its trees in which two rows reach different leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.distances.trees import MOST_TREES, apart, reached
from ..core.parallel import free_cores
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import MOST_SEED, whole_number
from ..ground.errors import DataError, OptionError, brief, shown
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits, strings
from .learned import check_classes

BOOSTED = "GradientBoostingClassifier"  # which refuses missing values
TAKEN = ("RandomForestClassifier", "ExtraTreesClassifier", BOOSTED)


@dataclass(frozen=True)
class Forest(Metric):
    """Dissimilarity of a random forest: the proportion of trees in which two rows reach different leaves (1 - proximity).

    A forest uses the columns that separate the classes, and a tree is not affected by scales or monotone transforms. So the dissimilarity
    needs no scaling, and it is useful for tables with numbers, categories and missing values (`na="keep"`). It is learned from the
    training rows alone, again in each fold, or taken from a forest that you have fitted already (`of=`). A model of a few prototype rows
    then shows the cases behind the forest.

    Parameters
    ----------
    trees : int
        Number of trees of a random forest (scikit-learn's, with its defaults).
    min_samples_leaf : int
        Minimum number of training rows in a leaf.
    seed : int
        Seed for the bootstrap samples and the columns that each split tries.
    of : fitted classifier of scikit-learn, optional
        RandomForestClassifier, ExtraTreesClassifier or GradientBoostingClassifier; nothing is then learned. The predictors must be the
        columns on which it was fitted, as numbers and in the same order. Default: a forest is learned.

    Raises
    ------
    OptionError
        If `of` is not fitted, or is another kind of model.
    DataError
        If there is no response, if only one class has rows, if no tree has a split, or if `of` was fitted on other columns.

    Notes
    -----
    Breiman (2001), *Random forests*, Machine Learning 45; Tan, Soloviev, Hooker and Wells (2020), *Tree space prototypes*, FODS. This is a
    metric between leaves, so radii can be certified; rows with the same leaves in all trees are at distance 0. Categories are given to the
    trees as codes in the order of their levels. Rows with a missing value, or with a level that no training row has, take the side
    that the split has learned for missing values, or else the side of more training rows. Weights of rows are weights of the trees.

    The printed fit shows the out-of-bag error of the forest, for comparison with the error of the prototypes. If `of` was fitted on the
    rows of the fit, it has seen the classes of the held-out rows, so the cross-validated error is optimistic: use new rows (`fit.test`).
    Trees are saved with a fit as arrays, and a loaded fit predicts without scikit-learn.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.dissimilarity("species ~ .", pc.load_data("iris"), pc.Forest(trees=10)).frame().iloc[0, [1, 50, 100]].tolist()
    [0.0, 1.0, 1.0]
    """

    papers = ("breiman2001",)

    trees: int = 500
    min_samples_leaf: int = 1
    seed: int = 0
    of: Any = None

    def __post_init__(self) -> None:
        whole_number("trees", self.trees, 1, MOST_TREES)
        whole_number("min_samples_leaf", self.min_samples_leaf, 1)
        whole_number("seed", self.seed, 0, MOST_SEED)
        if self.of is None:
            return
        of = taken(self.of)
        trees = len(of.start) - 1
        if (self.trees, self.min_samples_leaf, self.seed) not in ((500, 1, 0), (trees, 1, 0)):
            raise OptionError("trees, min_samples_leaf and seed are for a forest that is learned, but of= is fitted: leave them out")
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "trees", trees)

    @property
    def traits(self) -> Traits:
        learned, boosted = self.of is None, self.of is not None and self.of.kind[0] == BOOSTED
        return Traits(
            symmetric=True, triangle=True, row_by_row=True, train_in_folds=learned, supervised=learned, skips_missing=not boosted,
            unseen="skipped",
            scaling="" if learned else "fitted before: CV errors are optimistic for rows that it was fitted on",
        )  # fmt: skip

    def train(self, frame: Frame) -> TrainedForest:
        if self.of is not None:
            return replace(self.of, spec=self)
        if frame.response is None:
            raise DataError(f"a forest needs the classes, but {frame.formula.quoted} has no response: use 'response ~ predictors'")
        from sklearn.ensemble import RandomForestClassifier

        seen = frame.take(np.flatnonzero(frame.weights > 0))
        check_classes(seen, seen.codes, "training rows have")
        table = seen.terms()
        X, y, w = numbers_of(table, seen), seen.codes, seen.weights
        forest = RandomForestClassifier(
            int(self.trees), min_samples_leaf=int(self.min_samples_leaf), random_state=int(self.seed), n_jobs=free_cores()
        ).fit(X, y, w if np.ptp(w) else None)  # equal weights: the forest of scikit-learn without any
        votes = np.zeros((len(y), len(forest.classes_)))
        for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
            out = np.delete(np.arange(len(y)), drawn)
            votes[out] += tree.predict_proba(X[out], check_input=False)
        known = votes.any(axis=1)
        wrong = forest.classes_[votes.argmax(axis=1)] != y
        error = np.average(wrong[known], weights=w[known]) if known.any() else np.nan
        levels = [np.unique(v.cat.codes) if isinstance(v.dtype, pd.CategoricalDtype) else np.empty(0) for v in table.values()]
        return arrays_of(self, forest, "RandomForestClassifier", list(table), error, levels)


@savable(start="t", left="n", right="n", feature="n", threshold="n", missing="n", columns="p", levels="p", kind="1", error="1")
@dataclass(frozen=True)
class TrainedForest(TrainedMetric):
    """The trees of a forest.

    Attributes
    ----------
    start : int array (trees + 1,)
        Position of the first node of each tree, and the number of all nodes.
    left, right, feature : int arrays (nodes,)
        `children_left`, `children_right` and `feature` of scikit-learn's trees, one tree after the other.
    threshold : array (nodes,)
    missing : bool array (nodes,)
        `missing_go_to_left` of scikit-learn's trees.
    columns : array (p,) of str
        Columns on which it was fitted; None if they have no names.
    levels : tuple of p arrays
        Codes of the levels of a category that training rows have; other levels are missing values for the trees. Empty for numbers.
    kind : array (1,) of str
        Class of scikit-learn.
    error : array (1,)
        Out-of-bag error; NaN if it is not known.
    """

    spec: Forest
    start: np.ndarray
    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing: np.ndarray
    columns: np.ndarray
    levels: tuple[np.ndarray, ...]
    kind: np.ndarray
    error: np.ndarray

    def __repr__(self) -> str:
        return f"<{self.kind[0]} of {len(self.start) - 1} trees>"

    @property
    def traits(self) -> Traits:
        known = [f"{len(self.start) - 1} trees"] + [f"out-of-bag error {e:.4f}" for e in self.error if not np.isnan(e)]
        return replace(self.spec.traits, scaling=", ".join(filter(None, [*known, self.spec.traits.scaling])))

    def rows(self, frame: Frame) -> Rep:
        table, known = frame.terms(), self.columns.tolist()
        codes = [name for name, values in table.items() if isinstance(values.dtype, pd.CategoricalDtype)]
        if codes and self.spec.of is not None:
            raise DataError(f"of= was fitted on numbers, but column {codes[0]!r} is a category: use the numbers that it was fitted on")
        if len(known) != len(table) or known not in (list(table), [None] * len(known)):
            was = f"{len(known)} columns without names" if None in known else brief(known)
            raise DataError(f"the forest was fitted on {was}, but the predictors are {brief(list(table))}: use the same, in the same order")
        X = numbers_of(table, frame)
        for column, levels in zip(X.T, self.levels, strict=True):
            column[(levels.size > 0) & ~np.isin(column, levels)] = np.nan
        return (reached(X, self.start, self.left, self.right, self.feature, self.threshold, self.missing),)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return apart(rows[0], candidates[0])


def numbers_of(table: dict[str, pd.Series], frame: Frame) -> np.ndarray:
    """The variables in the precision of scikit-learn's trees, float32 (n, p): categories as codes of their levels, NaN if missing."""
    if not table:
        raise DataError(f"{frame.formula.quoted} has no predictors for a forest: use column names, or '.'")
    columns = [v.cat.codes.where(v.notna()) if isinstance(v.dtype, pd.CategoricalDtype) else v for v in table.values()]
    X = np.column_stack([v.to_numpy(float) for v in columns])
    large = np.abs(X) > np.finfo(np.float32).max
    if large.any():
        i, j = np.argwhere(large)[0]
        raise DataError(
            f"column {list(table)[j]!r} is {X[i, j]:.4g} at row {shown(frame.index[i])}, beyond the numbers of a forest "
            f"({np.finfo(np.float32).max:.4g}): scale the column down, or leave the row out"
        )
    return np.asarray(X, np.float32)


def taken(of: Any) -> TrainedForest:
    """The trees of a fitted classifier of scikit-learn."""
    if isinstance(of, TrainedForest):
        return of
    kind = next((c.__name__ for c in type(of).__mro__ if c.__name__ in TAKEN and c.__module__.startswith("sklearn.")), "")
    if not kind:
        why = ", whose trees are not public" if type(of).__name__.startswith("HistGradientBoosting") else ""
        raise OptionError(f"of must be a fitted {', '.join(TAKEN[:-1])} or {BOOSTED} of scikit-learn, not {brief(of)}{why}")
    if not hasattr(of, "estimators_"):
        raise OptionError(f"of={brief(of)} is not fitted: use of.fit(X, y) first")
    names = getattr(of, "feature_names_in_", [None] * of.n_features_in_)
    known = kind != BOOSTED and of.oob_score is True
    return arrays_of(Forest(), of, kind, names, 1 - of.oob_score_ if known else np.nan, [np.empty(0)] * of.n_features_in_)


def arrays_of(spec: Forest, forest: Any, kind: str, names: Any, error: float, levels: list[np.ndarray]) -> TrainedForest:
    trees = [tree.tree_ for tree in np.ravel(forest.estimators_)]
    if len(trees) > MOST_TREES or all(tree.node_count == 1 for tree in trees):
        raise DataError(f"the {len(trees)} trees of a forest must have splits, and be at most {MOST_TREES}: use other columns or rows")
    kinds = {"children_left": np.int32, "children_right": np.int32, "feature": np.int32, "threshold": float, "missing_go_to_left": bool}
    nodes = [np.concatenate([getattr(tree, name) for tree in trees]).astype(dtype) for name, dtype in kinds.items()]
    start = np.cumsum([0, *(tree.node_count for tree in trees)])
    return TrainedForest(spec, start, *nodes, strings(names), tuple(levels), strings([kind]), np.array([error]))
