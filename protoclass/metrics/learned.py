"""Distances that learn from the classes which columns matter."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..core.distances.discriminant import SINGULAR, discriminants, nca, scatter
from ..core.distances.minkowski import Geometry, products
from ..core.sources import Rep
from ..core.statistics.folds import stratified_subset
from ..frames.frame import Frame
from ..ground.checks import MOST_SEED, is_number, one_of, whole_number
from ..ground.errors import DataError, OptionError, brief, shown
from ..ground.savable import savable
from .base import EuclideanSpace, Metric, Traits, strings
from .scaling import design_of, finite, spread_of

KINDS = ("nca", "lda")
LARGEST = 1e150  # of a scaled value: squares of larger ones overflow
NAMED = 6  # columns whose weights a summary names


@dataclass(frozen=True)
class Learned(Metric):
    """Euclidean distance after a linear map of the columns that is learned from the classes.

    Scaled Euclidean distance gives a useless column the same weight as a useful one; this metric learns the weights. Columns are
    divided by their standard deviation first. Scales and map are learned on the training rows alone, and again in each fold of a
    cross-validation.

    Parameters
    ----------
    kind : "nca" or "lda"
        Learning method. "nca", neighbourhood components analysis: the map that maximises the probability that a random neighbour of a
        training row, with near rows more probable, is of the same class. "lda", linear discriminant analysis: the map that makes
        covariances within classes spherical, with the axes on which the means of the classes differ most.
    components : int, optional
        Number of axes of the map. Default: the number of columns for "nca", and the maximum for "lda", one less than classes.
    diagonal : True, False or None
        Whether the map is a weight for each column, which can be interpreted. For "lda" this is 1 / variance within classes. None: True
        for "nca" without `components`, otherwise False. A full map has many more parameters; if there are columns of noise, it fits
        the training rows better and new rows mostly worse.
    ridge : float >= 0
        Penalty against overfitting. "nca": it is multiplied by the mean weight of the columns and subtracted from the mean probability
        that is maximised. "lda": the variance of each column within classes is increased by this proportion of its variance.
    sample : int >= 2
        Maximum number of rows for "nca", whose pairs are compared in each step. If there are more rows, a stratified random sample is
        used, and the summary reports it. "lda" uses all rows.
    seed : int
        Seed for the sample.

    Raises
    ------
    DataError
        If there is no response, if only one class has rows, if all columns are constant, or if there are too many components. For "lda"
        without a ridge, also if some axis separates the training rows without any variance within classes, as with fewer rows than
        columns.

    Notes
    -----
    Goldberger, Roweis, Hinton and Salakhutdinov (2005), see `core.distances.discriminant`; *The Elements of Statistical Learning*,
    section 4.3.3, see `core.distances.discriminant`. Weights of rows count in both. A constant column gets weight 0, because it
    carries no information. Coordinates such as centroids are mapped back to the columns by the inverse of the map; if it has fewer axes
    than columns, by a regression of the training rows on these coordinates.

    Weights of "nca" have mean 1 over the columns that vary, as for scaled Euclidean distance. If there is little to learn they fit
    noise, so compare with `dissimilarity="euclidean"` by cross-validation. On six data sets with 20 added columns of noise, the error
    of k-NN decreased by 12 points on average; on the original data sets it decreased on two and increased on two
    (`benchmarks/LEARNED.md` in a clone of the repository). If columns are redundant, one of them may have all the weight.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "knn", k=5, dissimilarity=pc.Learned("nca"))
    >>> fit.dissimilarity.metric.column_weights["share"].round(1).to_dict()
    {'sepal_length': 0.0, 'sepal_width': 0.0, 'petal_length': 0.4, 'petal_width': 0.6}
    """

    kind: str = "nca"
    components: int | None = None
    diagonal: bool | None = None
    ridge: float = 0.0
    sample: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("kind", self.kind, KINDS)
        one_of("diagonal", self.diagonal, (None, True, False))
        if self.components is not None:
            whole_number("components", self.components, 1)
            if self.diagonal:
                raise OptionError(
                    f"components={brief(self.components)}: a diagonal map has a weight for each column and no axes to leave out; "
                    "allowed with diagonal=False"
                )
        if not is_number(self.ridge, 0):
            raise OptionError(f"ridge={brief(self.ridge)}: a number >= 0")
        whole_number("sample", self.sample, 2)
        whole_number("seed", self.seed, 0, MOST_SEED)

    @property
    def weighs(self) -> bool:
        """Whether the map is a weight for each column."""
        return self.kind == "nca" and self.components is None if self.diagonal is None else bool(self.diagonal)

    @property
    def name(self) -> str:
        return f"diagonal {self.kind.upper()}" if self.weighs else self.kind.upper()

    @property
    def traits(self) -> Traits:
        return Traits(
            symmetric=True, triangle=True, row_by_row=True, train_in_folds=True, supervised=True, scaling="scaled columns",
            power=2.0 if self.weighs else None, geometry=Geometry(),
        )  # fmt: skip

    def train(self, frame: Frame) -> TrainedLearned:
        if frame.response is None:
            raise DataError(
                f"a learned metric looks at classes, and {frame.formula.quoted} names none: write 'response ~ predictors'"
            )
        live = np.flatnonzero(frame.weights > 0)
        X, table, y, w = (
            design_of(frame, self.name)[live],
            frame.design.iloc[live],
            frame.codes[live],
            frame.weights[live],
        )
        check_classes(frame, y, "training rows have")
        spread, _ = spread_of(table, True).scales(True, frame)
        Z = X / spread
        center = np.mean(Z, axis=0)
        if self.kind == "nca" and len(y) > self.sample:
            chosen = stratified_subset(y, int(self.sample), self.seed)
            X, Z, y, w = X[chosen], Z[chosen], y[chosen], w[chosen]
            check_classes(frame, y, f"rows of the sample of {self.sample} have", "; a larger sample= may have others")
        varies = X.max(axis=0) > X.min(axis=0)
        if not varies.any():
            raise DataError(
                f"all columns of {frame.formula.quoted} are constant over the {len(X)} training rows: name others"
            )
        center = np.where(varies, center, Z[0])
        Z = (Z - center)[:, varies]
        inner, search = self._components(Z, y, w) if self.kind == "nca" else (self._discriminants(Z, y, w), np.empty(0))
        back = inverse(inner, Z)
        shape = () if inner.ndim == 1 else (len(inner),)
        axes, lead = np.zeros((*shape, len(varies))), np.zeros((len(varies), *shape))
        axes[..., varies], lead[varies] = inner, back
        return TrainedLearned(
            self, center, spread, axes, lead, np.array([len(y), len(live)]), search, strings(table.columns),
            strings(table.columns[~varies]),
        )  # fmt: skip

    def _components(self, Z: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The map of neighbourhood components analysis, whose weights have mean 1, and how the search went."""
        p = Z.shape[1]
        if self.components is not None and self.components > p:
            raise DataError(f"components={self.components}, and {p} columns vary: ask for at most {p}")
        if np.bincount(y).max() < 2:
            raise DataError(
                "each class has one training row, and NCA compares rows of the same class: give it more rows"
            )
        found = nca(Z, y, w, self.components, self.weighs, float(self.ridge))
        size = (found.map**2).sum()
        if not size > SINGULAR:
            raise DataError(f"ridge={brief(self.ridge)} makes the weights of all columns 0: give a smaller one")
        return found.map * np.sqrt(p / size), np.array([found.before, found.after, found.steps, found.converged], float)

    def _discriminants(self, Z: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The map of linear discriminant analysis."""
        classes = len(np.unique(y))
        most = min(classes - 1, Z.shape[1])
        if self.components is not None and self.components > most:
            raise DataError(
                f"components={self.components}: LDA of {classes} classes and {Z.shape[1]} columns that vary has at most {most}"
            )
        within, total = scatter(Z, y, w)
        variance = np.diag(within) + self.ridge * np.diag(total)
        if not self.weighs:
            axes = discriminants(within, total, self.components or most, float(self.ridge))
        else:
            axes = variance**-0.5 if (variance > SINGULAR * np.diag(total)).all() else None
        if axes is None:
            raise DataError(
                f"some axis of {Z.shape[1]} columns over {len(Z)} rows has no variance within classes, so that LDA has no scale for "
                "it: leave columns out, add a ridge, such as Learned('lda', ridge=0.01), or use Learned('nca')"
            )
        return axes


def check_classes(frame: Frame, y: np.ndarray, whose: str, more: str = "") -> None:
    if len(np.unique(y)) < 2:
        name = shown(frame.levels[int(y[0])]) if len(y) else "none"
        raise DataError(
            f"a learned metric tells classes apart, and all {whose} the class {name}: it takes two classes{more}; "
            "dissimilarity='euclidean' learns nothing"
        )


def inverse(inner: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """From coordinates back to scaled columns (p, k), or (p,) for a diagonal map; see the notes of `Learned`."""
    if inner.ndim == 1:
        return np.asarray(np.divide(1.0, inner, out=np.zeros_like(inner), where=inner != 0))
    if len(inner) == inner.shape[1]:
        return np.asarray(np.linalg.pinv(inner))
    return np.ascontiguousarray(np.linalg.lstsq(Z @ inner.T, Z, rcond=None)[0].T)


@savable(center="p", spread="p", columns="p", constant="c", counts="2", search="s")
@dataclass(frozen=True)
class TrainedLearned(EuclideanSpace):
    """A distance with the map that it learned.

    Attributes
    ----------
    center, spread : arrays (p,)
        Mean of the scaled columns, and the standard deviations that scale them.
    map : array (k, p), or (p,) of a diagonal map
        From scaled columns to the coordinates between which the distance is Euclidean.
    back : array (p, k), or (p,)
        The way back.
    counts : int array (2,)
        Rows that the map is learned from, and rows that have weight.
    search : array (4,), or (0,) for LDA
        Mean probability of the own class at the start and under the map, steps of the search, and whether it converged.
    columns : array (p,) of str
    constant : array of str
        Columns that do not vary.
    """

    spec: Learned
    center: np.ndarray
    spread: np.ndarray
    map: np.ndarray
    back: np.ndarray
    counts: np.ndarray
    search: np.ndarray
    columns: np.ndarray
    constant: np.ndarray

    @property
    def column_weights(self) -> pd.DataFrame:
        weight = self.map**2 if self.map.ndim == 1 else (self.map**2).sum(axis=0)
        table = {"weight": weight, "share": weight / weight.sum(), "scale": self.spread}
        return pd.DataFrame(table, index=pd.Index(self.columns, name="column"))

    @property
    def notes(self) -> tuple[str, ...]:
        weights = self.column_weights["weight"].sort_values(ascending=False, kind="stable")
        first = ", ".join(f"{name} {w:.3g}" for name, w in weights.head(NAMED).items())
        rest = weights.iloc[NAMED:]
        more = f"; {len(rest)} more of at most {rest.iloc[0]:.3g}" if len(rest) else ""
        said = [f"learned weights of columns, each divided by its sd: {first}{more}"]
        if len(self.search):
            before, after, steps, converged = self.search
            end = "" if converged else f"; the search was stopped after {steps:.0f} steps"
            said.append(
                "mean probability that a random neighbour of a training row is of its class: "
                f"{before:.3f} at the start, {after:.3f} as learned{end}"
            )
        if self.counts[0] < self.counts[1]:
            said.append(f"the metric was learned from a stratified sample of {self.counts[0]} of {self.counts[1]} rows")
        if len(self.constant):
            said.append(f"constant columns, which get weight 0: {', '.join(self.constant)}")
        return tuple(said)

    @property
    def traits(self) -> Traits:
        known, there = self.counts
        sample = f", learned from {known} of {there} rows" if known < there else ""
        return replace(self.spec.traits, scaling=self.spec.scaling + sample)

    def rows(self, frame: Frame) -> Rep:
        with np.errstate(over="ignore"):
            Z = design_of(frame, self.name) / self.spread - self.center
        finite(np.where(np.abs(Z) < LARGEST, Z, np.inf), frame)
        return (np.ascontiguousarray(Z * self.map) if self.map.ndim == 1 else products(Z, self.map),)

    def original(self, coords: np.ndarray) -> pd.DataFrame:
        Z = coords * self.back if self.back.ndim == 1 else coords @ self.back.T
        return pd.DataFrame((Z + self.center) * self.spread, columns=self.columns)
