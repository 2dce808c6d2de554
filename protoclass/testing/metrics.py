"""The contract of a metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.distances.properties import triangles
from ..core.sources import Rep, part
from ..frames.frame import Frame, mold
from ..frames.tables import as_pandas
from ..metrics.base import Metric, TrainedMetric
from ..metrics.registry import metric as by_name
from ..metrics.vectors import VectorMetric
from .contract import ContractError, pickled, require, thirty_columns


@dataclass(frozen=True)
class Subject:
    """A metric under check, trained on the rows of a frame."""

    metric: Metric
    trained: TrainedMetric
    frame: Frame
    data: pd.DataFrame
    formula: str

    def __str__(self) -> str:
        return type(self.metric).__name__

    def sides(self) -> tuple[Rep, Rep]:
        return self.trained.rows(self.frame), self.trained.candidates(self.frame)


def check_metric(metric: Metric | type[Metric] | str, data: Any = None, formula: str = "y ~ .") -> None:
    """Check that a metric keeps what every metric promises.

    Representations have one entry for each row and can be cut; dissimilarities are finite and not negative and have the same
    bits however rows are cut; declared symmetry holds to the bit; new rows are measured as own rows are; what is learned is
    in named arrays alone and can be pickled; metrics trained on other rows differ, and labels are looked at only where the
    metric says that it is trained in folds, and then never those of held-out rows.

    Parameters
    ----------
    metric : Metric, subclass of Metric that can be made without arguments, or name
    data : DataFrame, optional
        Rows that the metric can measure, at least 12; by default thirty columns of numbers.
    formula : str
        Of the data; with a response where the metric looks at classes.

    Raises
    ------
    ContractError
        Naming the promise that is broken and the cure.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.testing.check_metric(pc.Manhattan())
    """
    checked: Any = by_name(metric) if isinstance(metric, str) else metric() if isinstance(metric, type) else metric
    table = thirty_columns() if data is None else as_pandas(data)
    frame = mold(formula, table, response="~" in formula and formula.split("~")[0].strip() != "")
    require(len(frame) >= 12, f"check_metric needs 12 rows or more, and there are {len(frame)}")
    require(isinstance(checked, Metric), f"{type(checked).__name__} is not a subclass of protoclass.Metric")
    trained = checked.train(frame)
    require(isinstance(trained, TrainedMetric), f"{type(checked).__name__}.train must return a TrainedMetric")
    subject = Subject(checked, trained, frame, table, formula)
    for check in CHECKS:
        check(subject)


def check_representations(s: Subject) -> None:
    """Both sides are tuples of arrays with one entry for each row."""
    for name, rep in zip(("rows", "candidates"), s.sides(), strict=True):
        fine = isinstance(rep, tuple) and all(isinstance(a, np.ndarray) and len(a) == len(s.frame) for a in rep)
        require(fine, f"{s}: `{name}` must give a tuple of arrays with one entry for each row, such as (X,)")


def check_values(s: Subject) -> None:
    """Dissimilarities are finite, not negative, and of the right shape."""
    rows, candidates = s.sides()
    D = np.asarray(s.trained.between(rows, part(candidates, slice(0, 7))))
    require(D.shape == (len(s.frame), 7), f"{s}: between gave shape {D.shape} for {len(s.frame)} rows and 7 candidates")
    require(np.issubdtype(D.dtype, np.floating), f"{s}: between gave an array of {D.dtype}: floats are needed")
    require(bool(np.isfinite(D).all() and (D >= 0).all()), f"{s}: dissimilarities must be finite and at least 0")


def check_symmetry(s: Subject) -> None:
    """A metric that says that it is symmetric is so to the bit."""
    if not s.metric.symmetric:
        return
    D = np.asarray(s.trained.between(*s.sides()))
    i, j = np.unravel_index(int(np.argmax(D != D.T)), D.shape)
    require(
        bool((D == D.T).all()), f"{s}: symmetric is declared, and D[{i}, {j}] = {D[i, j]!r} is not D[{j}, {i}] = {D[j, i]!r}: sum in "
        "one order, or leave the declaration out",
    )  # fmt: skip


def check_triangle(s: Subject) -> None:
    """A metric that declares the triangle inequality keeps it on the rows of the check."""
    if not s.metric.triangle:
        return
    result = triangles(np.asarray(s.trained.between(*s.sides())))
    require(
        result.violated == 0, f"{s}: triangle is declared, and {result.violated} of {result.tested} triples violate the triangle "
        "inequality: leave the declaration out",
    )  # fmt: skip


def check_cutting(s: Subject) -> None:
    """A part of the matrix has the same bits as the matrix has there."""
    rows, candidates = s.sides()
    D = np.asarray(s.trained.between(rows, candidates))
    for at, to in ((slice(0, 1), slice(0, None)), (np.array([7, 2, 11]), np.array([5, 0])), (slice(3, 9), slice(4, 5))):
        cut = np.asarray(s.trained.between(part(rows, at), part(candidates, to)))
        require(
            bool((cut == D[at][:, to]).all()), f"{s}: a part of the matrix differs from the matrix: each pair must be measured by "
            "itself, in the same order of sums whatever it is measured with",
        )  # fmt: skip


def check_new_rows(s: Subject) -> None:
    """Rows that come as new rows are measured as the same rows were."""
    if s.metric.given:
        return
    rows, candidates = s.sides()
    D = np.asarray(s.trained.between(rows, candidates))
    new = s.trained.new_rows(s.data, s.frame)
    require(bool(new.complete.all()), f"{s}: complete rows are not taken for complete when they come as new rows")
    again = new.measure(np.arange(len(s.frame)), candidates)
    require(bool((again == D).all()), f"{s}: the same rows have other dissimilarities when they come as new rows")


def check_parts(s: Subject) -> None:
    """Parts of the rows are represented as all rows are, and tell training all that it needs, where that is declared."""
    first, last = (s.frame.take(at) for at in (slice(0, 5), slice(5, None)))
    if s.metric.row_by_row:
        rows, candidates = s.sides()
        D = np.asarray(s.trained.between(rows, candidates))
        halves = [np.asarray(s.trained.between(s.trained.rows(some), candidates)) for some in (first, last)]
        fine = bool((np.concatenate(halves) == D).all())
        require(fine, f"{s}: row_by_row is declared, and parts of the rows are represented otherwise: leave the declaration out")
    if s.metric.trained_in_parts:
        trained = s.metric.trained(s.metric.tally(last) + s.metric.tally(first), first)
        require(
            trained == s.trained, f"{s}: trained_in_parts is declared, and trained on parts of the rows it differs: `tally` must be "
            "exact, and `trained` read no more of the rows",
        )  # fmt: skip


def check_what_is_learned(s: Subject) -> None:
    """What is learned is in arrays, equal where the rows are, and says whether it depends on them."""
    arrays = s.trained.arrays()
    strange = [name for name, a in arrays.items() if not isinstance(a, np.ndarray)]
    require(not strange, f"{s}: {strange} of the trained metric are not arrays: keep what is learned in arrays")
    require(s.trained == s.metric.train(s.frame), f"{s}: trained twice on the same rows it is not equal to itself")
    copied = pickled(s.trained, f"the trained metric {s}")
    rows, candidates = s.sides()
    D = np.asarray(s.trained.between(rows, candidates))
    require(bool((np.asarray(copied.between(rows, candidates)) == D).all()), f"{s}: pickled, it measures otherwise")
    other = s.metric.train(s.frame.take(np.arange(len(s.frame) // 2)))
    require(
        s.metric.data_dependent or s.trained == other,
        f"{s}: trained on other rows it differs: declare data_dependent, so that bounds and summaries say so",
    )


def check_labels(s: Subject) -> None:
    """A metric that looks at classes says that it is trained in folds."""
    if s.frame.response is None or s.metric.train_in_folds:
        return
    turned = s.data.assign(**{str(s.frame.formula.response): np.roll(s.data[s.frame.formula.response].to_numpy(), 1)})
    other = s.metric.train(mold(s.formula, turned))
    require(
        s.trained == other, f"{s}: it changes with the classes of the rows: declare train_in_folds, else cross-validation lets it "
        "see what it is to predict",
    )  # fmt: skip


def check_held_out(s: Subject) -> None:
    """A metric that is trained in folds learns nothing from the classes of rows that are held out."""
    if s.frame.response is None or not s.metric.train_in_folds:
        return
    held = np.arange(len(s.frame)) % 3 == 0
    codes = np.where(held, (s.frame.codes + 1) % len(s.frame.levels), s.frame.codes)
    changed = replace(s.frame, response=pd.Categorical.from_codes(codes, dtype=s.frame.response.dtype))
    before, after = (s.metric.pretrain(f).train(f.take(np.flatnonzero(~held))) for f in (s.frame, changed))
    require(before == after, f"{s}: it learns from the classes of rows that are held out: `pretrain` must not look at classes")


def check_coordinates(s: Subject) -> None:
    """Coordinates lead to the same dissimilarities and back to the design matrix; if they are fewer, to rows that have them."""
    if not isinstance(s.trained, VectorMetric):
        return
    rows, candidates = s.sides()
    X = np.asarray(s.trained.coordinates(rows))
    require(X.ndim == 2 and len(X) == len(s.frame), f"{s}: coordinates must be an array (rows, dimensions)")
    placed = np.asarray(s.trained.between(rows, s.trained.place(X)), float)
    D = np.asarray(s.trained.between(rows, candidates), float)
    require(np.allclose(placed, D), f"{s}: rows that are placed by their coordinates have other dissimilarities")
    back = s.trained.original(X)
    if X.shape[1] < s.frame.design.shape[1]:
        placed_again, _ = s.frame.again(back)
        again = np.asarray(s.trained.coordinates(s.trained.rows(placed_again)))
        require(np.allclose(again, X), f"{s}: rows that `original` gives for coordinates have other coordinates")
        return
    require(
        np.allclose(back.to_numpy(float), s.frame.design.to_numpy(float)),
        f"{s}: `original` does not lead back to the columns",
    )


CHECKS: tuple[Callable[[Subject], None], ...] = (
    check_representations, check_values, check_symmetry, check_triangle, check_cutting, check_new_rows, check_parts, check_what_is_learned,
    check_labels, check_held_out, check_coordinates,
)  # fmt: skip

__all__ = ["ContractError", "check_metric"]
