"""Dissimilarities of two rows that learn nothing but scales: cosine, correlation, Canberra,
Hamming, Jaccard, 0-1, and distances in the feature space of a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..core import Array
from ..core.distances.minkowski import Geometry, minkowski, products, totals, unit
from ..core.sources import Rep
from ..frames.frame import Frame
from ..frames.schema import numbers
from ..frames.sql_columns import Columns, total
from ..ground.checks import either, one_of, whole_number
from ..ground.errors import DataError, OptionError, brief, shown
from ..ground.savable import savable
from .base import (
    Metric,
    SQLDistance,
    TrainedMetric,
    Traits,
    check_number,
    coordinate,
    listing,
    value,
)
from .minkowski import SCALES, UNSCALED, design_of, scale_of, scaled

EXACT_INTEGERS = 2**53  # not all integers beyond it are floats
KERNELS = ("rbf", "poly", "laplacian")


def scipy_distances(rows: np.ndarray, candidates: np.ndarray, name: str) -> np.ndarray:
    """Dissimilarities by SciPy, whose import takes as long as a prediction by a saved fit."""
    from scipy.spatial.distance import cdist

    return cdist(rows, candidates, name)


def _half_squares(distances: Array) -> Array:
    return distances * distances / 2


HALF_SQUARES = Geometry(value=_half_squares)


@dataclass(frozen=True)
class Cosine(Metric):
    """Cosine dissimilarity: 1 - cosine of the angle between rows of the design matrix.

    It violates the triangle inequality.

    Raises
    ------
    DataError
        If a row has only zeros, and so no direction.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"a": [1.0, 2.0, 0.0], "b": [0.0, 2.0, 3.0]})
    >>> pc.dissimilarity("~ .", t, "cosine").condensed().round(4).tolist()
    [0.2929, 1.0, 0.2929]
    """

    traits = Traits(symmetric=True, row_by_row=True, geometry=HALF_SQUARES)

    def rows(self, frame: Frame) -> Rep:
        X = design_of(frame)
        zero = ~X.any(axis=1)
        if zero.any():
            raise DataError(
                f"row {shown(frame.index[zero][0])} is zero in all columns ({zero.sum()} such "
                "rows), so it has no direction: leave it out, or use dissimilarity='euclidean'"
            )
        return (unit(X),)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return _half_squares(minkowski(rows[0], candidates[0]))


@dataclass(frozen=True)
class Correlation(Cosine):
    """Correlation dissimilarity: 1 - Pearson's correlation of two rows of the design matrix.

    It is `Cosine` on rows minus their means.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [2.0, 4.0, 2.0], "c": [3.0, 6.0, 1.0]})
    >>> pc.dissimilarity("~ .", t, "correlation").condensed().round(4).tolist()
    [0.0, 2.0, 2.0]
    """

    def rows(self, frame: Frame) -> Rep:
        X = design_of(frame)
        if X.shape[1] == 1:
            raise DataError(
                f"a correlation needs at least two columns, but {frame.formula.quoted} has one"
            )
        flat = X.max(axis=1) == X.min(axis=1)
        if flat.any():
            raise DataError(
                f"row {shown(frame.index[flat][0])} is constant over the columns ({flat.sum()} "
                "such rows), so it has no correlation: "
                "leave it out, or use dissimilarity='euclidean'"
            )
        Z = X / np.abs(X).max(axis=1, keepdims=True)
        Z = Z - (totals(Z) / Z.shape[1])[:, None]
        return (unit(Z),)


@dataclass(frozen=True)
class Canberra(Metric):
    """Canberra distance: sum over the columns of |x - z| / (|x| + |z|), with 0 / 0 = 0.

    Notes
    -----
    Lance and Williams (1967), *The Computer Journal* 9 and 10. This is SciPy's definition; R's
    `dist` rescales the sum for columns of 0 / 0.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"a": [1.0, 3.0, 0.0], "b": [0.0, 0.0, 2.0]})
    >>> pc.dissimilarity("~ .", t, "canberra").condensed().tolist()
    [0.5, 2.0, 2.0]
    """

    traits = Traits(symmetric=True, row_by_row=True, triangle=True)

    def rows(self, frame: Frame) -> Rep:
        return (design_of(frame),)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return scipy_distances(rows[0], candidates[0], "canberra")


@dataclass(frozen=True)
class Hamming(Metric):
    """Hamming distance: the proportion of predictors of any type in which two rows differ.

    Transforms in the formula are ignored. A value that is not in the training data differs from all
    others. Integers go up to 2^53.

    Notes
    -----
    Hamming (1950), *Bell System Technical Journal* 29.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"a": ["u", "v", "u"], "b": [1, 1, 2]})
    >>> pc.dissimilarity("~ .", t, "hamming").condensed().tolist()
    [0.5, 0.5, 1.0]
    """

    traits = Traits(symmetric=True, row_by_row=True, triangle=True, unseen="unlike")

    def rows(self, frame: Frame) -> Rep:
        table = frame.columns
        texts = [c for c in table if frame.schema[c].kind == "category"]
        values = np.column_stack(
            [np.empty((len(table), 0)), *(_numbers(table[c]) for c in table if c not in texts)]
        )
        return values, table[texts].astype(object).to_numpy(object)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        # sides are coded together, so values that are not in the training data need no extra code
        values, words = map(np.concatenate, zip(rows, candidates, strict=True))
        coded = np.column_stack([values, *(pd.factorize(column)[0] for column in words.T)])
        n = len(rows[0])
        return scipy_distances(coded[:n], coded[n:], "hamming")

    def sql(self, columns: Columns) -> SQLDistance:
        schema = columns.frame.schema
        texts = [c for c in schema if schema[c].kind == "category"]
        raw = [columns.number(c) for c in schema if c not in texts] + [
            columns.code(c) for c in texts
        ]
        differ = total(
            f"CASE WHEN {coordinate(k)} <> {value(k)} THEN 1 ELSE 0 END" for k in range(len(raw))
        )
        known = [columns.known(c, compared=True) for c in schema]

        def values(prototypes):
            numbers, words = prototypes
            coded = [
                pd.Index(schema[c].levels).get_indexer(words[:, k]) for k, c in enumerate(texts)
            ]
            for name, codes in zip(texts, coded, strict=True):
                if (codes < 0).any():
                    raise OptionError(
                        f"a prototype has a level of column {name!r} that no training row has, "
                        "which can't be written in SQL"
                    )
            return np.column_stack([numbers, *coded])

        return SQLDistance(raw, self.proportion_in_sql(differ, len(raw)), known, values)

    def proportion_in_sql(self, differ: str, count: int) -> str:
        """The dissimilarity from the number of columns in which two rows differ."""
        return f"({differ}) / {count}e0"


@dataclass(frozen=True)
class ZeroOne(Hamming):
    """The 0-1 metric: 0 if two rows agree in all predictors, otherwise 1 (Graepel et al. 1998).

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"a": ["u", "v", "u"], "b": [1, 1, 1]})
    >>> pc.dissimilarity("~ .", t, "zero_one").condensed().tolist()
    [1.0, 0.0, 1.0]
    """

    traits = Hamming.traits

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return (super().between(rows, candidates) > 0).astype(float)

    def proportion_in_sql(self, differ: str, count: int) -> str:
        return f"CASE WHEN {differ} > 0 THEN 1 ELSE 0 END"


@dataclass(frozen=True)
class Jaccard(Metric):
    """Jaccard distance: the proportion of the features of either row that only one of them has.

    The columns of the design matrix are the features: booleans, numbers 0 and 1, or the levels of a
    category. Two rows without any feature are at distance 0.

    Notes
    -----
    Jaccard (1912), *New Phytologist* 11.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"a": [True, True, False], "b": [0, 1, 0]})
    >>> pc.dissimilarity("~ .", t, "jaccard").condensed().tolist()
    [0.5, 1.0, 1.0]
    """

    traits = Traits(symmetric=True, row_by_row=True, triangle=True)

    def rows(self, frame: Frame) -> Rep:
        X = design_of(frame)
        other = (X != 0) & (X != 1)
        if other.any():
            i, j = np.argwhere(other)[0]
            raise DataError(
                "Jaccard distances need booleans or 0 and 1, but column "
                f"{frame.design.columns[j]!r} is {X[i, j]:g} at row "
                f"{shown(frame.index[i])}: convert it, such as data[column] > 0, or leave it out"
            )
        return (X != 0,)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return scipy_distances(rows[0], candidates[0], "jaccard")


def _numbers(values: pd.Series) -> Array:
    """A column as floats, none of whose values may be rounded."""
    if pd.api.types.is_integer_dtype(values.dtype) and len(values):
        large = ((values > EXACT_INTEGERS) | (values < -EXACT_INTEGERS)).to_numpy(bool)
        if large.any():
            i = large.argmax()
            raise DataError(
                f"column {values.name!r} is {values.iloc[i]} at row {shown(values.index[i])}, an "
                "integer beyond 2^53 that a float does "
                "not represent exactly: make it text, data[column].astype(str)"
            )
    return numbers(values)


@dataclass(frozen=True)
class Kernel(Metric):
    """Kernel distance sqrt(K(x, x) + K(z, z) - 2 K(x, z)) (Bien and Tibshirani 2011, section 4.1).

    "rbf" is K = exp(-gamma |x - z|^2); "laplacian" exp(-gamma sum |x - z|); "poly" (gamma x'z +
    coef0)^degree. The distance of the kernel x'z is `Euclidean`.

    Parameters
    ----------
    kernel : "rbf", "poly" or "laplacian"
        For a matrix of another kernel see `Dissimilarity.from_similarity`.
    gamma : float > 0, optional
        Default: 1 / (number of columns * variance of all entries of the scaled design matrix), as
        scikit-learn's `gamma="scale"`.
    degree : int from 1 to 100
        Degree of "poly".
    coef0 : float >= 0
        Constant of "poly".
    scale : True, False or "fold"
        Scaling of the columns, as in `Minkowski`; "fold" also learns gamma in each fold.

    Notes
    -----
    These are distances between points. For "poly" they are differences of numbers that may be
    large, and may be 0 between near rows.

    Examples
    --------
    >>> import protoclass as pc
    >>> rows, metric = pc.load_data("iris").iloc[::50], pc.Kernel("rbf", gamma=0.1)
    >>> pc.dissimilarity("species ~ .", rows, metric).condensed().round(4).tolist()
    [1.149, 1.1561, 0.6251]
    """

    kernel: str = "rbf"
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1.0
    scale: bool | str = True

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, str) or self.kernel not in KERNELS:
            cure = 'for the matrix K of another kernel use pc.Dissimilarity.from_similarity(K, "kernel")'
            raise OptionError(f"kernel must be {either(KERNELS)}, not {brief(self.kernel)}: {cure}")
        if self.gamma is not None:
            check_number("gamma", self.gamma, 0, above=True)
        whole_number("degree", self.degree, 1, 100)
        check_number("coef0", self.coef0, 0)
        if self.kernel != "poly" and (self.degree, self.coef0) != (3, 1.0):
            raise OptionError(f"degree and coef0 need kernel='poly', not the {self.name}")
        one_of("scale", self.scale, tuple(SCALES))

    @property
    def traits(self) -> Traits:
        return Traits(
            symmetric=True,
            # the polynomial one is 0 between near rows, as a difference of large numbers
            triangle=self.kernel != "poly",
            row_by_row=True,
            data_dependent=bool(self.scale) or self.gamma is None,
            train_in_folds=self.scale == "fold",
        )

    @property
    def name(self) -> str:
        return f"{self.kernel} kernel"

    def train(self, frame: Frame) -> TrainedKernel:
        scale = scale_of(frame, self.scale)
        gamma = _gamma(scaled(frame, scale.spread)) if self.gamma is None else float(self.gamma)
        return TrainedKernel(self, scale.spread, np.array(gamma), scale.unscaled)


@savable(spread="p", gamma="", constant="c")
@dataclass(frozen=True, eq=False)
class TrainedKernel(TrainedMetric):
    """A kernel distance with the scales and the gamma that it learned.

    Attributes
    ----------
    spread : array (p,)
        Divisor of each column of the design matrix.
    gamma : array ()
        Parameter of the kernel.
    constant : array of str
        Columns that keep scale 1 because they do not vary.
    """

    spec: Kernel
    spread: Array
    gamma: Array
    constant: Array

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            *listing(UNSCALED, self.constant),
            f"gamma of the {self.name}: {self.gamma.item():.4g}",
        )

    def rows(self, frame: Frame) -> Rep:
        X = scaled(frame, self.spread)
        if self.spec.kernel != "poly":
            return (X,)
        return X, self._power(totals(X * X))

    def between(self, rows: Rep, candidates: Rep) -> Array:
        X, Z, kind, gamma = rows[0], candidates[0], self.spec.kernel, self.gamma.item()
        if kind == "poly":
            return kernel_distances(self._power(products(X, Z)), rows[1], candidates[1])
        exponent = gamma * (minkowski(X, Z) ** 2 if kind == "rbf" else minkowski(X, Z, 1.0))
        # this is sqrt(2 - 2 exp(-exponent)), to full precision near 0
        return np.sqrt(-2 * np.expm1(-exponent))

    def _power(self, inner: Array) -> Array:
        """The polynomial kernel of inner products."""
        base = self.gamma.item() * inner + self.spec.coef0
        out = base.copy()
        # products have the same bits in any tile; a power need not
        for _ in range(self.spec.degree - 1):
            out *= base
        if not np.isfinite(out).all():
            raise DataError(
                f"the {self.name} is not finite for some rows: use a smaller degree or gamma, or scaled columns"
            )
        return out


def _gamma(X: Array) -> float:
    most = np.abs(X).max()  # squares of 1e200 would overflow
    variance = (X / most).var() if most > 0 else 0.0
    with np.errstate(divide="ignore"):
        # scikit-learn has 1 for constant columns too
        gamma = 1 / (X.shape[1] * variance) / most / most if variance > 0 else 1.0
    if not 0 < gamma < np.inf:
        raise DataError(
            "gamma=1 / (columns * variance) is not a positive number for columns of this size: scale them"
        )
    return gamma


def kernel_distances(K: Array, rows: Array, candidates: Array) -> Array:
    """Distances sqrt(K_ii + K_jj - 2 K_ij) from a kernel (n, m), K_ii (n,) and K_jj (m,).

    Raises
    ------
    DataError
        If K_ii + K_jj < 2 K_ij beyond rounding, so K is not a kernel.
    """
    squared = rows[:, None] + candidates[None, :] - 2 * K
    # squares that are negative by less than `slack` are rounding
    slack = 1e-9 * (np.abs(rows)[:, None] + np.abs(candidates)[None, :])
    if (squared < -slack).any():
        i, j = np.argwhere(squared < -slack)[0]
        raise DataError(
            f"this is not a kernel, because K_ii + K_jj - 2 K_ij = {squared[i, j]:.4g} at position ({i}, {j})"
        )
    # points whose square is within rounding of 0 are the same
    return np.sqrt(np.where(squared <= slack, 0.0, squared))
