"""What dissimilarities are like, as a table to be read before a method is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.distances import properties as core
from ..errors import DataError, OptionError, brief, shown, whole
from .embedding import EUCLIDEAN

if TYPE_CHECKING:
    from .dissimilarity import Dissimilarity

NOT_ASKED = "not asked"


@dataclass(frozen=True, eq=False)
class Check:
    """What a matrix of dissimilarities is like, to be read before a method is chosen.

    Attributes
    ----------
    table : DataFrame
        A row for each question: the `answer`, a `value` (NaN where there is none) and the `detail`. The values: largest
        asymmetry; rows not at 0 from themselves; pairs of duplicates; share of triples that violate the triangle
        inequality; share of negative mass in the spectrum ("nearly" Euclidean up to 1 %, as in `spectrum`); share of
        tied values; ratio of the largest to the smallest.
    title : str
    """

    table: pd.DataFrame
    title: str

    def __repr__(self) -> str:
        answers = [str(answer) for answer in self.table["answer"]]
        first = max(map(len, map(str, self.table.index)))
        second = max(map(len, answers))
        gap = " " * (first + second + 4)
        lines = [self.title]
        for question, answer, detail in zip(self.table.index, answers, self.table["detail"], strict=True):
            text = wrap(detail, max(40, 116 - len(gap))) or [""]
            lines.append(f"{question:<{first}}  {answer:<{second}}  {text[0]}".rstrip())
            lines.extend(gap + more for more in text[1:])
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None):
            table = self.table[["answer", "detail"]].to_html()
        return f"<p>{self.title}</p>{table}"


def checked(related: Dissimilarity, by: Any = None, seed: int = 0) -> Check:
    """The table of `Dissimilarity.check`."""
    whole("seed", seed, 0)
    classes = classes_of(related, by)
    P, origin, (n, m) = related._values, related.origin, related.shape
    rows = related.index
    outside = int((origin < 0).sum())
    found: dict[str, tuple[str, float, str]] = {
        "shape": (f"{n} x {m}", np.nan, f"{outside} candidates are no rows" if outside else ""),
        "square": ("yes", np.nan, "") if related.square else ("no", np.nan, "the candidates are not the rows"),
    }
    both = core.asymmetry(P) if related.square else None
    found["symmetric"] = _symmetric(both, n, rows)
    found["zero diagonal"] = _diagonal(core.own(P, origin), rows[origin[origin >= 0]])
    found["duplicates"] = _duplicates(core.duplicates(P, origin, classes.codes), rows, by is not None, outside == m)
    found["triangle inequality"] = _triangles(P, related.square, rows, seed)
    found["Euclidean"] = _euclidean(P, both, n, seed)
    seen = core.values(P, origin)
    if seen.positive:
        share = seen.tied / seen.positive
        found["ties"] = (
            f"{100 * share:.3g} %",
            share,
            f"{seen.distinct} different values among {seen.positive} positive ones",
        )
        ratio = seen.largest / seen.smallest if seen.smallest > seen.largest * 1e-300 else np.inf
        found["range"] = (
            f"{seen.smallest:.4g} to {seen.largest:.4g}",
            ratio,
            f"smallest and largest positive one, 1 : {ratio:.3g}",
        )
    else:
        what = "different rows are at 0 from each other" if seen.count else "there are no two different rows"
        found |= dict.fromkeys(("ties", "range"), (NOT_ASKED, np.nan, what))
    table = pd.DataFrame.from_dict(found, orient="index", columns=["answer", "value", "detail"])
    return Check(table.rename_axis("question"), f"{related.metric.name} dissimilarities of {n} rows to {m} candidates")


def _symmetric(both: core.Asymmetry | None, n: int, rows: pd.Index) -> tuple[str, float, str]:
    if both is None:
        return NOT_ASKED, np.nan, "not square"
    if both.pairs == 0:
        return "yes", 0.0, ""
    (i, j), (k, m) = both.at, both.relative_at
    detail = (
        f"{both.pairs} of {n * (n - 1) // 2} pairs differ, by at most {both.absolute:.4g} ({shown(rows[i])} and {shown(rows[j])}), "
        f"relatively by at most {100 * both.relative:.3g} % ({shown(rows[k])} and {shown(rows[m])})"
    )
    return "no" if both.beyond else "up to rounding", both.absolute, detail


def _diagonal(own: np.ndarray, labels: pd.Index) -> tuple[str, float, str]:
    if len(own) == 0:
        return NOT_ASKED, np.nan, "no candidate is a row"
    off = int((own != 0).sum())
    if off == 0:
        return "yes", 0.0, "" if len(own) > 1 else "one row"
    at = int(own.argmax())
    return (
        "no",
        float(off),
        f"{off} of {len(own)} are not at 0 from themselves, at most {own[at]:.4g} ({shown(labels[at])})",
    )


def _duplicates(same: core.Duplicates, rows: pd.Index, classes: bool, none: bool) -> tuple[str, float, str]:
    if none:
        return NOT_ASKED, np.nan, "no candidate is a row"
    answer = f"{same.pairs} pair{'' if same.pairs == 1 else 's'}"
    if same.pairs == 0:
        return answer, 0.0, "no two different rows are at 0"
    i, j = same.first
    detail = (
        f"different rows at 0: {same.rows} rows in {same.groups} group{'' if same.groups == 1 else 's'}, the first "
        f"{shown(rows[i])} and {shown(rows[j])}"
    )
    return answer, float(same.pairs), detail + (f"; {same.mixed} of different classes" if classes else "")


def _triangles(P: np.ndarray, square: bool, rows: pd.Index, seed: int) -> tuple[str, float, str]:
    if not square:
        return NOT_ASKED, np.nan, "not square"
    if len(P) < 3:
        return NOT_ASKED, np.nan, "fewer than three rows"
    found = core.triangles(P, seed)
    asked = f"{'all' if found.exact else 'a random'} {found.asked} triples"
    rounding = f"rounding of {found.slack:g} of a side allowed"
    if found.violated == 0:
        bound = "" if found.exact else f", so at most {300 / found.asked:.1g} % of all violate it (95 % confidence)"
        return ("holds" if found.exact else "holds in sample"), 0.0, f"{asked}{bound}; {rounding}"
    i, j, k = found.at
    detail = (
        f"{found.violated} of {asked} violate it ({rounding}), most {shown(rows[i])} to {shown(rows[k])}: {P[i, k]:.4g}, but "
        f"{P[i, j]:.4g} + {P[j, k]:.4g} by way of {shown(rows[j])}"
    )
    return f"{100 * found.share:.3g} % violated", found.share, detail


def _euclidean(P: np.ndarray, both: core.Asymmetry | None, n: int, seed: int) -> tuple[str, float, str]:
    if both is None:
        return NOT_ASKED, np.nan, "not square"
    if both.beyond:
        return NOT_ASKED, np.nan, "not symmetric"
    if P.diagonal().max() > 1e-9 * P.max():
        return NOT_ASKED, np.nan, "the diagonal is not zero"
    found = core.euclidean(P, seed)
    up, down = found.signature
    sampled = f" of a random {found.rows} rows" if found.rows < n else ""
    detail = f"signature ({up}, {down}){sampled}, {100 * found.negative:.3g} % negative mass"
    if down:
        return ("nearly" if found.negative <= EUCLIDEAN else "no"), found.negative, detail
    return ("yes in sample" if sampled else "yes"), found.negative, detail


@dataclass(frozen=True)
class Classes:
    """Class codes of the rows (n,), the classes, and what they are called; without classes one of all rows."""

    codes: np.ndarray
    levels: tuple[str, ...]
    name: str

    @property
    def single(self) -> bool:
        return self.name == ""


def classes_of(related: Dissimilarity, by: Any) -> Classes:
    n = len(related.index)
    if by is None:
        return Classes(np.zeros(n, np.int64), ("all rows",), "")
    if not isinstance(by, pd.Series):
        raise OptionError(f"by={brief(by)}: a Series of classes by the rows' labels, such as data['species']")
    if not by.index.is_unique:
        raise DataError(f"by: the label {shown(by.index[by.index.duplicated()][0])} occurs more than once")
    lost = ~related.index.isin(by.index)
    if lost.any():
        raise DataError(f"by: {lost.sum()} rows have no class, the first {shown(related.index[lost][0])}")
    classes = pd.Categorical(by.loc[related.index])
    if (classes.codes < 0).any():
        raise DataError(f"by: the class of row {shown(related.index[classes.codes < 0][0])} is missing")
    classes = classes.remove_unused_categories()
    return Classes(classes.codes.astype(np.int64), tuple(map(str, classes.categories)), str(by.name or "class"))
