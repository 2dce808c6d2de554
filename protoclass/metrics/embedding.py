"""Properties of dissimilarities: their check, spectrum, and pseudo-Euclidean embedding."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core import properties as core
from ..core.embedding import Spectral
from ..core.sources import Rep
from ..frames.frame import Frame
from ..frames.schema import along
from ..ground.checks import check_seed
from ..ground.errors import DataError, OptionError, brief, printed, shown
from ..ground.text import to_html
from ..values import Above
from .base import TrainedMetric

EUCLIDEAN = 0.01  # proportion of negative mass up to which a spectrum counts as Euclidean


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues of the inner products about the mean, and their case (Graepel et al. 1998).

    Attributes
    ----------
    table : DataFrame
        Eigenvalues by descending absolute value: `eigenvalue`, `proportion` (proportion of the sum
        of absolute values), `cumulative`.
    n : int
        Number of rows.
    """

    table: pd.DataFrame
    n: int

    plot = Above("protoclass.pictures")

    @property
    def signature(self) -> tuple[int, int]:
        """Number of positive and of negative eigenvalues."""
        values = self.table["eigenvalue"]
        return int((values > 0).sum()), int((values < 0).sum())

    @property
    def negative(self) -> float:
        """Proportion of the negative eigenvalues in the sum of absolute values."""
        return float(self.table["proportion"][self.table["eigenvalue"] < 0].sum())

    @property
    def effective(self) -> float:
        """Effective dimension (sum |l|)^2 / sum l^2: k equal eigenvalues give k."""
        proportions = self.table["proportion"].to_numpy()
        return float(1 / (proportions**2).sum()) if len(proportions) else 0.0

    @property
    def case(self) -> str:
        """The case: "flat" if the effective dimension is above a quarter of n - 1 (no linear
        embedding in few dimensions), otherwise "Euclidean" if at most 1 % of the mass is negative,
        otherwise "pseudo-Euclidean".
        """
        if self.n > 2 and self.effective > 0.25 * (self.n - 1):
            return "flat"
        return "Euclidean" if self.negative <= EUCLIDEAN else "pseudo-Euclidean"

    @printed
    def __repr__(self) -> str:
        up, down = self.signature
        advice = {
            "flat": "a hyperplane on the proximities themselves needs no embedding",
            "Euclidean": "a Euclidean embedding is faithful",
            "pseudo-Euclidean": "an embedding needs its negative axes",
        }[self.case]
        return (
            f"Spectrum of {self.n} rows: signature ({up}, {down}), {100 * self.negative:.2g} % "
            "negative mass, effective dimension "
            f"{self.effective:.3g} of {self.n - 1}\n{self.case}: {advice}\n{self.table.head(8).round(4).to_string()}"
        )


@dataclass(frozen=True, eq=False)
class Embedding:
    """Rows as points in a pseudo-Euclidean space.

    Squared distances are the sum of squared differences along the positive axes minus the sum along
    the negative axes.

    Attributes
    ----------
    metric : TrainedMetric
        The metric.
    data : Frame
        The rows.
    candidates : arrays
        Representation of the rows as candidates.
    axes : core.embedding.Spectral
        The axes with their eigenvalues.
    """

    metric: TrainedMetric
    data: Frame
    candidates: Rep
    axes: Spectral

    plot = Above("protoclass.pictures")

    @property
    def signs(self) -> pd.Series:
        """1 or -1 for each axis."""
        return pd.Series(np.sign(self.axes.values).astype(int), self._names, name="sign")

    @property
    def signature(self) -> tuple[int, int]:
        """Number of positive and of negative axes."""
        return self.axes.signature

    @property
    def coordinates(self) -> pd.DataFrame:
        """The rows, one column for each axis, by descending absolute eigenvalue."""
        return pd.DataFrame(self.axes.coordinates(), self.data.index, self._names)

    @property
    def _names(self) -> pd.Index:
        return pd.Index([f"dim{k + 1}" for k in range(len(self.axes.values))])

    def place(self, new: Any) -> pd.DataFrame:
        """Coordinates of new rows: NaN for rows with missing predictors.

        Parameters
        ----------
        new : DataFrame
            Predictors of new rows; for given dissimilarities, the dissimilarities to all rows, by
            label.
        """
        rows = self.metric.new_rows(new, self.data)
        D = rows.measure(np.arange(rows.complete.sum()), self.candidates)
        seen = ~np.isnan(D).any(axis=1)
        out = np.full((len(rows.index), len(self.axes.values)), np.nan)
        out[np.flatnonzero(rows.complete)[seen]] = self.axes.place(D[seen])
        return pd.DataFrame(out, rows.index, self._names)

    @printed
    def __repr__(self) -> str:
        up, down = self.signature
        head = f"Embedding of {len(self.data)} rows, signature ({up}, {down})"
        return f"{head}\n{self.coordinates.iloc[:5, :5].round(3).to_string()}"


def spectrum_of(axes: Spectral, n: int) -> Spectrum:
    size = np.abs(axes.values)
    proportions = size / size.sum() if len(size) else size
    table = {
        "eigenvalue": axes.values,
        "proportion": proportions,
        "cumulative": np.cumsum(proportions),
    }
    return Spectrum(pd.DataFrame(table), n)


Answer = tuple[str, float, str]  # answer, value and detail


@dataclass(frozen=True, eq=False)
class Check:
    """Properties of a dissimilarity matrix, to check before choosing a method.

    Attributes
    ----------
    table : DataFrame
        One row for each question: the `answer`, a `value` (NaN if there is none) and the `detail`.
        Values: largest asymmetry; rows not at 0 from themselves; pairs of duplicates; proportions
        of triples that violate the triangle inequality, of negative mass in the spectrum, and of
        ties; ratio of the largest to the smallest value.
    title : str
        Title of the printed table.
    """

    table: pd.DataFrame
    title: str

    @printed
    def __repr__(self) -> str:
        questions = self.table[["answer", "detail"]].itertuples(name=None)
        lines = (f"{q:<19}  {answer:<16}  {detail}".rstrip() for q, answer, detail in questions)
        return "\n".join([self.title, *(fill(line, 100, subsequent_indent=" " * 39) for line in lines)])

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None):
            return to_html(self.title, (self.table[["answer", "detail"]], {}))


def check_dissimilarity(
    P: Array, names: pd.Index, row_of: Array, metric: str, by: Any, seed: int
) -> Check:
    """The table of `Dissimilarity.check` for P (n, m); candidates are the rows `row_of`, or -1."""
    check_seed(seed)
    classes, (n, m) = classes_of(names, by), P.shape
    outside, square = (row_of < 0).sum(), np.array_equal(row_of, np.arange(n))
    yes, no = ("yes", np.nan, ""), ("no", np.nan, "the candidates are not the rows")
    answers = {
        "shape": (f"{n} x {m}", np.nan, f"{outside} candidates are not rows" if outside else ""),
        "square": yes if square else no,
        "symmetric": _not_applicable("not square"),
        "zero diagonal": _not_applicable("no candidate is a row"),
        "duplicates": _not_applicable("no candidate is a row"),
        "triangle inequality": _not_applicable("not square"),
        "Euclidean": _not_applicable("not square"),
        **_spread(core.values(P, row_of)),
    }
    if square:
        both = core.asymmetry(P)
        answers["symmetric"] = _symmetric(both, n, names)
        answers["triangle inequality"] = _triangles(P, names, seed)
        answers["Euclidean"] = _euclidean(P, both, seed)
    if outside < m:
        diagonal = core.self_dissimilarities(P, row_of)
        answers["zero diagonal"] = _diagonal(diagonal, names[row_of[row_of >= 0]])
        same = core.duplicates(P, row_of, classes.codes)
        answers["duplicates"] = _duplicates(same, names, by is not None)
    table = pd.DataFrame.from_dict(answers, "index", columns=["answer", "value", "detail"])
    return Check(
        table.rename_axis("question"), f"{metric} dissimilarities of {n} rows to {m} candidates"
    )


def _not_applicable(reason: str) -> Answer:
    return "not applicable", np.nan, reason


def _spread(seen: core.Values) -> dict[str, Answer]:
    """Ties and range of the positive dissimilarities."""
    if not seen.positive:
        what = (
            "different rows are at 0 from each other"
            if seen.count
            else "there are no two different rows"
        )
        return dict.fromkeys(("ties", "range"), _not_applicable(what))
    tied = seen.tied / seen.positive
    ratio = seen.largest / seen.smallest if seen.smallest > seen.largest * 1e-300 else np.inf
    distinct = f"{seen.distinct} different values among {seen.positive} positive ones"
    ends = f"smallest and largest positive one, 1 : {ratio:.3g}"
    return {
        "ties": (f"{100 * tied:.3g} %", tied, distinct),
        "range": (f"{seen.smallest:.4g} to {seen.largest:.4g}", ratio, ends),
    }


def _symmetric(both: core.Asymmetry, n: int, rows: pd.Index) -> Answer:
    if both.pairs == 0:
        return "yes", 0.0, ""
    (i, j), (k, m) = both.at, both.relative_at
    detail = (
        f"{both.pairs} of {n * (n - 1) // 2} pairs differ, by at most {both.absolute:.4g} "
        f"({shown(rows[i])} and {shown(rows[j])}), "
        f"relatively by at most {100 * both.relative:.3g} % ({shown(rows[k])} and {shown(rows[m])})"
    )
    return "no" if both.beyond else "up to rounding", both.absolute, detail


def _diagonal(diagonal: Array, names: pd.Index) -> Answer:
    off, i = (diagonal != 0).sum(), diagonal.argmax()
    if off == 0:
        return "yes", 0.0, "" if len(diagonal) > 1 else "one row"
    detail = (
        f"{off} of {len(diagonal)} are not at 0 from themselves, at most {diagonal[i]:.4g} "
        f"({shown(names[i])})"
    )
    return "no", off, detail


def _duplicates(same: core.Duplicates, rows: pd.Index, classes: bool) -> Answer:
    answer = f"{same.pairs} pair{'' if same.pairs == 1 else 's'}"
    if same.pairs == 0:
        return answer, 0.0, "no two different rows are at 0"
    i, j = same.first
    detail = (
        f"different rows at 0: {same.rows} rows in {same.groups} group{'' if same.groups == 1 else 's'}, the first "
        f"{shown(rows[i])} and {shown(rows[j])}"
    )
    return answer, same.pairs, f"{detail}; {same.mixed} of different classes" if classes else detail


def _triangles(P: Array, rows: pd.Index, seed: int) -> Answer:
    if len(P) < 3:
        return _not_applicable("fewer than three rows")
    result = core.triangles(P, seed)
    examined = f"{'all' if result.exact else 'a random'} {result.tested} triples"
    rounding = f"rounding of {result.slack:g} of a side allowed"
    if result.violated == 0 and result.exact:
        return "holds", 0.0, f"{examined}; {rounding}"
    if result.violated == 0:
        bound = f"so at most {300 / result.tested:.1g} % of all violate it (95 % confidence)"
        return "holds in sample", 0.0, f"{examined}, {bound}; {rounding}"
    i, j, k = result.at
    detail = (
        f"{result.violated} of {examined} violate it ({rounding}), most {shown(rows[i])} to "
        f"{shown(rows[k])}: {P[i, k]:.4g}, but "
        f"{P[i, j]:.4g} + {P[j, k]:.4g} through {shown(rows[j])}"
    )
    return f"{100 * result.share:.3g} % violated", result.share, detail


def _euclidean(P: Array, both: core.Asymmetry, seed: int) -> Answer:
    if both.beyond:
        return _not_applicable("not symmetric")
    if P.diagonal().max() > 1e-9 * P.max():
        return _not_applicable("the diagonal is not zero")
    result = core.euclidean(P, seed)
    sampled = f" of a random {result.rows} rows" if result.rows < len(P) else ""
    detail = f"signature {result.signature}{sampled}, {100 * result.negative:.3g} % negative mass"
    if result.signature[1]:
        return ("nearly" if result.negative <= EUCLIDEAN else "no"), result.negative, detail
    return ("yes in sample" if sampled else "yes"), result.negative, detail


@dataclass(frozen=True)
class Classes:
    """Class codes of the rows (n,), the classes, and their names; one class of all by default."""

    codes: Array
    levels: tuple[str, ...]
    name: str

    @property
    def single(self) -> bool:
        return self.name == ""


def classes_of(names: pd.Index, by: Any) -> Classes:
    """The classes of the rows with these names: `by`, a Series by name, or one class of all."""
    n = len(names)
    if by is None:
        return Classes(np.zeros(n, np.int64), ("all rows",), "")
    if not isinstance(by, pd.Series):
        raise OptionError(
            "by must be a Series of classes with row labels, such as data['species'], not "
            f"{brief(by)}"
        )
    classes = pd.Categorical(along(by, pd.DataFrame(index=names), "classes of by="))
    if (classes.codes < 0).any():
        raise DataError(f"by has a missing class at row {shown(names[classes.codes < 0][0])}")
    classes = classes.remove_unused_categories()
    return Classes(
        classes.codes.astype(np.int64), tuple(map(str, classes.categories)), str(by.name or "class")
    )
