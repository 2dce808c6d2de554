"""Dissimilarities of mixed tables with missing values: Gower's, and by the leaves of a forest."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.distances.categories import MOST_TREES, UNLIKE, apart, gower, reached
from ..core.parallel import free_cores
from ..core.sources import Rep
from ..core.statistics.sums import extremes
from ..frames.frame import Frame
from ..frames.sql_columns import Columns, number, total, within
from ..ground.checks import either, whole_number
from ..ground.errors import DataError, DataWarning, OptionError, brief, shown, warn
from ..ground.savable import savable
from .base import (
    Metric,
    SQLDistance,
    TrainedMetric,
    Traits,
    check_names,
    coordinate,
    listing,
    strings,
    value,
)
from .learned import check_classes
from .minkowski import LARGEST_POWER, checked_weights

LARGEST_SINGLE = np.finfo(np.float32).max  # of a number in scikit-learn's trees
TAKEN = ("RandomForestClassifier", "ExtraTreesClassifier", "GradientBoostingClassifier")

# fields of a TrainedForest, and attributes of scikit-learn's trees
NODES: tuple[tuple[str, str, Any], ...] = (
    ("left", "children_left", np.int32), ("right", "children_right", np.int32),
    ("feature", "feature", np.int32), ("threshold", "threshold", float),
    ("missing", "missing_go_to_left", bool),
)  # fmt: skip
LABEL_ROWS = 10  # rows from which on a category that never repeats is taken for a name of the row


@dataclass(frozen=True)
class Gower(Metric):
    """Gower's dissimilarity: mean of |x - z| / range (numbers) and 0 or 1 (categories).

    The mean is weighted, as in R's `daisy`, and skips variables that are missing for either row. An
    ordered category counts as the number of its level, a boolean as a category. Ranges are those of
    the training rows. A new level is at distance 1 from every level.

    Parameters
    ----------
    asymmetric : names of boolean columns, or of columns of 0 and 1
        Features whose joint absence is ignored.
    column_weights : mapping of name to number >= 0, optional
        Weight of each variable. Default: 1.

    Raises
    ------
    OptionError
        If names are not predictors of the right kind, or if all weights are 0.
    DataError
        If values are infinite.

    Warns
    -----
    DataWarning
        If a category has a different value in every row.

    Notes
    -----
    Gower (1971), *Biometrics* 27; Kaufman and Rousseeuw (1990), *Finding Groups in Data*, section
    2.6. It is a metric if no value is missing and no column is in `asymmetric`.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": ["u", "v", None]})
    >>> pc.dissimilarity("~ a + b", t, pc.Gower(), na="keep").condensed().round(3).tolist()
    [0.667, 1.0, 0.667]
    """

    papers = ("gower1971",)

    asymmetric: Sequence[str] = ()
    column_weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        names = (self.asymmetric,) if isinstance(self.asymmetric, str) else self.asymmetric
        object.__setattr__(self, "asymmetric", names)
        if not isinstance(names, (list, tuple)) or not all(isinstance(c, str) for c in names):
            raise OptionError(
                f"asymmetric must be a list of names of boolean columns, not {brief(names)}"
            )
        object.__setattr__(self, "column_weights", checked_weights(self.column_weights))

    @property
    def traits(self) -> Traits:
        return Traits(
            # a weighted sum of metrics, each with a weight that is the same for all pairs
            triangle=not self.asymmetric,
            symmetric=True,
            row_by_row=True,
            data_dependent=True,
            skips_missing=True,
            unseen="unlike",
            power=1.0,
        )

    def train(self, frame: Frame) -> TrainedGower:
        table = frame.terms()
        # a boolean predictor is a column of 0 and 1 here
        binary = [c for c in table if _number(table[c]) and table[c].dropna().isin((0, 1)).all()]
        check_names("asymmetric", self.asymmetric, binary, "boolean predictor, or one of 0 and 1")
        booleans = [
            c
            for c in table
            if c in self.asymmetric or (c in frame.schema and frame.schema[c].kind == "boolean")
        ]
        numbers = [
            c for c, v in table.items() if c not in booleans and (_number(v) or v.cat.ordered)
        ]
        categories = [c for c in table if c not in numbers]
        given = self.column_weights or {}
        check_names("column_weights", given, list(table), "predictor")
        weights = np.array([given.get(c, 1.0) for c in [*numbers, *categories]])
        if not weights.any():
            raise OptionError("column_weights must not be 0 for all predictors")
        low, high = extremes(_values(table, numbers, frame.index))
        ranges = np.where(high > low, high - low, 1.0)
        if not np.isfinite(ranges).all():
            name = numbers[np.argmax(~np.isfinite(ranges))]
            raise DataError(f"the range of column {name!r} is infinite: scale it down")
        labels = [
            c
            for c in categories
            if given.get(c, 1.0) > 0 and len(frame) >= LABEL_ROWS and _all_differ(table[c])
        ]
        # a lone predictor has its own warning, `texts_as_wholes`
        for name in labels if len(weights) > 1 else ():
            warn(
                f"column {name!r} has a different value in every row, so it adds the same to every "
                f"dissimilarity: leave it out ('- {name}')",
                DataWarning,
            )
        constant = strings(numbers)[~(high > low)]
        weights = weights / weights.max()  # so that no sum of weights overflows
        names = map(strings, (numbers, categories, constant, labels))
        return TrainedGower(self, ranges, weights, *names)


@savable(ranges="p", weights="w", numbers="p", categories="c", constant="k", labels="l")
@dataclass(frozen=True, eq=False)
class TrainedGower(TrainedMetric):
    """A Gower dissimilarity with the ranges that it learned.

    Attributes
    ----------
    ranges : array (p,)
        Ranges of the numbers.
    weights : array (p + c,)
        Weights of numbers and categories, the largest 1.
    numbers, categories : arrays (p,) and (c,) of str
        Names of the columns that are measured as numbers and as categories.
    constant : array of str
        Numbers that do not vary.
    labels : array of str
        Categories with a different value in every row.
    """

    spec: Gower
    ranges: Array
    weights: Array
    numbers: Array
    categories: Array
    constant: Array
    labels: Array

    @property
    def notes(self) -> tuple[str, ...]:
        labels = (
            "categories with a different value in every row, which add the same to every distance"
        )
        return (
            *listing("constant numbers, which add 0 to every distance", self.constant),
            *listing(labels, self.labels),
        )

    def rows(self, frame: Frame) -> Rep:
        table = frame.terms()
        values = _values(table, self.numbers, frame.index)
        scaled = values / self.ranges * self.weights[: len(self.numbers)]
        for i, j in np.argwhere(np.isinf(scaled))[:1]:
            raise DataError(
                f"column {self.numbers[j]!r} is {values[i, j]:.4g} at row {shown(frame.index[i])}, "
                f"too large for its range in the training data, {self.ranges[j]:.4g}"
            )
        made = np.column_stack([scaled, *(as_floats(table[c]) for c in self.categories)])
        for j, name in enumerate(self.variables):
            if name in frame.unseen:
                made[frame.unseen[name], j] = UNLIKE
        return (made,)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        flags = np.array([c in self.spec.asymmetric for c in self.categories], bool)
        return gower(rows[0], candidates[0], len(self.numbers), flags, self.weights)

    @property
    def variables(self) -> tuple[str, ...]:
        return (*self.numbers.tolist(), *self.categories.tolist())

    @property
    def spread(self) -> Array:
        """Divisor of the differences of each variable."""
        return np.append(self.ranges, np.ones(len(self.categories)))

    def terms(self, rows: Rep, candidates: Rep) -> Array:
        p, w = len(self.numbers), self.weights
        asymmetric = [name in self.spec.asymmetric for name in self.variables]
        a, b = rows[0][:, None], candidates[0]
        unlike = (a == UNLIKE) | (b == UNLIKE)
        with np.errstate(invalid="ignore"):
            out = np.where(unlike, w, np.abs(a - b))
        out[..., p:] = np.where(unlike | (a != b), w, 0.0)[..., p:]
        out[np.isnan(a) | np.isnan(b) | ((a == 0) & (b == 0) & asymmetric)] = np.nan
        return out

    def weighed(self, weights: Array) -> TrainedGower:
        weights = self.weights * weights
        return replace(self, weights=weights / weights.max())

    def sql(self, columns: Columns) -> SQLDistance:
        names, schema, keep = self.numbers.tolist(), columns.frame.schema, columns.frame.keep
        weights = [*map(number, self.weights.tolist())]
        scales = zip(names, self.ranges, weights[: len(names)], strict=True)
        numbers = [f"{columns.variable(c)} / {number(spread)} * {w}" for c, spread, w in scales]
        codes = map(columns.variable, self.categories)
        ordered = [c in schema and schema[c].kind == "category" for c in names]
        skips_zeros = [c in self.spec.asymmetric for c in self.categories]

        def values(prototypes):
            if (prototypes[0] == UNLIKE).any():
                raise OptionError(
                    "a prototype has a level that no training row has, which can't be written in SQL"
                )
            return prototypes[0]

        def allowed(name, condition):
            return (
                f"({columns.of(name)} IS NULL OR {condition})"
                if keep and name in schema
                else condition
            )

        known = [allowed(c, columns.known(c, compared=True)) for c in schema]
        # differences that overflow in relation to the range have no dissimilarity
        known += [
            allowed(c, within(x, LARGEST_POWER))
            for c, x, level in zip(names, numbers, ordered, strict=True)
            if not level
        ]
        may_miss = keep or any(skips_zeros)
        constant = None if may_miss else number(sum(self.weights.tolist(), 0.0))
        return SQLDistance(
            [*numbers, *codes],
            gower_in_sql(ordered, skips_zeros, weights, constant),
            known,
            values,
            may_miss,
        )


def _values(table: dict[str, pd.Series], names: Iterable[str], index: pd.Index) -> Array:
    """The numeric variables (n, p), before they are divided by their ranges."""
    values = np.column_stack([np.empty((len(index), 0)), *(as_floats(table[c]) for c in names)])
    for i, j in np.argwhere(np.isinf(values))[:1]:
        raise DataError(f"column {list(names)[j]!r} is infinite at row {shown(index[i])}")
    return values


def _number(values: pd.Series) -> bool:
    return pd.api.types.is_float_dtype(values.dtype)


def _all_differ(values: pd.Series) -> bool:
    """Whether each row has its own level of a category, like a name or a number of the row."""
    return not _number(values) and not values.isna().any() and values.is_unique


def as_floats(values: pd.Series) -> Array:
    """A variable as floats, NaN if missing; an ordered category as its level's number."""
    if _number(values):
        return values.to_numpy(float)
    codes = values.cat.codes.to_numpy(float)
    return np.where(codes < 0, np.nan, codes)


def gower_in_sql(
    ordered: Sequence[bool],
    skips_zeros: Sequence[bool],
    weights: Sequence[str],
    constant: str | None,
) -> str:
    """Gower's weighted mean in SQL: numbers, divided by ranges and weighted, then codes.

    Parameters
    ----------
    ordered : sequence of bool
        Whether each of the numbers is the number of a level of an ordered category; it is then
        negative for unknown levels, whose difference from every level is the whole weight.
    skips_zeros : sequence of bool
        Whether a pair of zeros does not count, for each of the codes.
    weights : sequence of str
    constant : str, or None
        Sum of the weights, if no pair skips a variable. The mean is NULL if all are skipped.
    """
    sums, counts = [], []
    for k, weight in enumerate(weights):
        x, v = coordinate(k), value(k)
        if k < len(ordered):
            apart = (
                f"CASE WHEN {x} < 0e0 AND {v} IS NOT NULL THEN {weight} ELSE ABS({x} - {v}) END"
                if ordered[k]
                else f"ABS({x} - {v})"
            )
            sums.append(apart if constant else f"COALESCE({apart}, 0e0)")
            counts.append(f"CASE WHEN {x} IS NULL OR {v} IS NULL THEN 0e0 ELSE {weight} END")
        else:
            zeros = f" AND {x} <> 0e0" if skips_zeros[k - len(ordered)] else ""
            sums.append(f"CASE WHEN {x} <> {v} THEN {weight} ELSE 0e0 END")
            counts.append(f"CASE WHEN {x} <> {v} OR {x} = {v}{zeros} THEN {weight} ELSE 0e0 END")
    return f"({total(sums)}) / {constant or f'NULLIF({total(counts)}, 0e0)'}"


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
        If only one class has rows, if no tree has a split, or if `of` has more than 65,535 trees
        or was fitted on other columns.

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
        whole_number("seed", self.seed, 0, 2**32 - 1)  # the seeds of scikit-learn
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
            self.trees, random_state=self.seed, n_jobs=free_cores(), oob_score=True
        )
        # scikit-learn warns of rows that are in the samples of all trees, without out-of-bag votes
        with warnings.catch_warnings(category=UserWarning, action="ignore"):
            # with equal weights this is the forest that scikit-learn fits without any
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
        # a column of X.T is a view: the assignment makes new levels missing in X itself
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
    for i, j in np.argwhere(np.abs(X) > LARGEST_SINGLE)[:1]:
        raise DataError(
            f"column {list(table)[j]!r} is {X[i, j]:.4g} at row {shown(frame.index[i])}, beyond "
            f"the numbers of a forest ({LARGEST_SINGLE:.4g}): scale the column down, or leave the row out"
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
    """The trees of a forest of scikit-learn, fitted on columns of these names."""
    trees = [tree.tree_ for tree in np.ravel(forest.estimators_)]
    if len(trees) > MOST_TREES:
        raise DataError(
            f"the forest has {len(trees)} trees, above {MOST_TREES}: use a forest of fewer trees"
        )
    if all(tree.node_count == 1 for tree in trees):
        raise DataError(
            f"none of the {len(trees)} trees of the forest has a split: use other columns or rows"
        )
    start = np.cumsum([0, *(tree.node_count for tree in trees)])
    nodes = {
        name: np.concatenate([getattr(tree, attribute) for tree in trees]).astype(kind)
        for name, attribute, kind in NODES
    }
    return TrainedForest(
        spec, start, columns=strings(names), levels=tuple(levels), error=np.array([error]), **nodes
    )
