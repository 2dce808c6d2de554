"""The contract of a metric: what holds of every metric, whatever it declares."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..core.properties import triangles
from ..core.sources import Rep, part
from ..export.saving import load
from ..export.saving.classes import name_of
from ..frames.frame import Frame, mold
from ..frames.tables import as_pandas
from ..ground.errors import FileError, NotAvailableError, OptionError, shown
from ..metrics.base import (
    Metric,
    TrainedMetric,
    Traits,
    VectorMetric,
    candidates_of,
    compare,
    rows_of,
    same,
    train_metric,
)
from ..metrics.measuring import measure_frame
from ..metrics.registry import METRICS
from ..metrics.registry import metric as by_name
from .contract import ContractError, accepted, hold, own_errors, pickled, require, thirty_columns

_T = TypeVar("_T")
Array = NDArray[Any]


def check_metric(
    metric: Metric | type[Metric] | str, data: Any = None, formula: str = "y ~ ."
) -> None:
    """Check that a custom metric satisfies the requirements of the package.

    * Representations have one entry for each row and can be split.
    * Dissimilarities are finite and not negative, and bit-identical however rows are split. A new
      row has the same values alone and among others.
    * Learned values can be pickled and saved, and do not depend on the classes of held-out rows.
    * Declarations agree with the computed values: symmetry, the triangle inequality, coordinates,
      missing values.

    Parameters
    ----------
    metric : Metric, subclass of Metric that can be made without arguments, or name
        Metric to check.
    data : DataFrame, optional
        Rows for the metric, at least 12. Default: thirty columns of numbers.
    formula : str
        Formula for the data, with a response if the metric uses classes.

    Raises
    ------
    ContractError
        If a requirement is violated; the message names it and a remedy.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.testing.check_metric(pc.Manhattan())
    """
    subject = measured(metric, data, formula)
    with accepted(f"{subject}: the rows of the check are refused"):
        hold(subject, CHECKS)


def measured(metric: Any, data: Any, formula: str) -> Measured:
    """The metric trained on the data of a check, after the checks of its declarations."""
    checked: Any = (
        by_name(metric)
        if isinstance(metric, str)
        else metric()
        if isinstance(metric, type)
        else metric
    )
    require(
        isinstance(checked, Metric),
        f"{type(checked).__name__} is not a subclass of protoclass.Metric",
    )
    check_declarations(checked)
    found = trained_on(checked, thirty_columns() if data is None else as_pandas(data), formula)
    require(len(found) >= 12, f"check_metric needs 12 rows or more, and there are {len(found)}")
    return found


@dataclass(frozen=True)
class Measured:
    """A metric under check, trained on the rows of a frame.

    Attributes
    ----------
    metric : Metric
    trained : TrainedMetric
    frame : Frame
    data : DataFrame (n, ...)
        The rows of the frame, with all their columns.
    formula : str
    """

    metric: Metric
    trained: TrainedMetric
    frame: Frame
    data: pd.DataFrame
    formula: str

    def __str__(self) -> str:
        return type(self.metric).__name__

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def rows(self) -> Rep:
        return self.rows_of(self.frame)

    @cached_property
    def candidates(self) -> Rep:
        return self.candidates_of(self.frame)

    @cached_property
    def D(self) -> Array:
        return self.between(self.rows, self.candidates)

    def rows_of(self, frame: Frame, trained: TrainedMetric | None = None) -> Rep:
        return self.call("`rows`", rows_of, trained or self.trained, frame)

    def candidates_of(self, frame: Frame, trained: TrainedMetric | None = None) -> Rep:
        return self.call("`candidates`", candidates_of, trained or self.trained, frame)

    def between(self, rows: Rep, candidates: Rep, trained: TrainedMetric | None = None) -> Array:
        """Dissimilarities of rows to candidates, whose shape is checked."""
        return self.call("`between`", compare, trained or self.trained, rows, candidates)

    def new(self, table: pd.DataFrame, candidates: Rep | None = None) -> Array:
        """Dissimilarities of new rows, which are complete, to the candidates."""
        known: Any = self.call("`rows` of new rows", self.trained.new_rows, table, self.frame)
        require(
            known.complete.all(),
            f"{self}: complete rows are not taken for complete when they come as new rows",
        )
        return np.asarray(
            self.call(
                "`between` of new rows",
                known.measure,
                np.arange(len(table)),
                candidates or self.candidates,
            )
        )

    def train(self, frame: Frame, metric: Metric | TrainedMetric | None = None) -> TrainedMetric:
        """The metric trained on other rows."""
        return self.call("`train`", train_metric, metric or self.metric, frame)

    def call(self, what: str, function: Callable[..., _T], *args: Any) -> _T:
        """The value of a function of the metric; an error that is not of this package becomes one
        of the contract."""
        # what is not finite is found among the values
        quiet = np.errstate(all="ignore")
        with own_errors(f"{self}: {what}"), quiet, warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return function(*args)


def trained_on(metric: Metric, data: pd.DataFrame, formula: str) -> Measured:
    """A metric trained on the complete rows of a table.

    Raises
    ------
    ProtoclassError
        Where the metric refuses these data.
    """
    frame = mold(formula, data, response="~" in formula and formula.split("~")[0].strip() != "")
    empty = Measured(metric, TrainedMetric(metric), frame, data.loc[frame.index], formula)
    return replace(empty, trained=empty.train(frame))


def first_unequal(a: Array, b: Array) -> Array:
    """The first place at which two matrices differ; NaN equals NaN."""
    return np.argwhere(~np.isclose(a, b, rtol=0, atol=0, equal_nan=True))[0]


def equal(a: Array, b: Array) -> bool:
    """Whether two matrices have the same shape and bits; NaN equals NaN."""
    return np.array_equal(a, b, equal_nan=True)


def check_declarations(metric: Metric) -> None:
    """The declarations of a metric are of the right types."""
    name = type(metric).__name__
    require(
        isinstance(metric.traits, Traits),
        f"{name}.traits is a {type(metric.traits).__name__}: it must be a Traits",
    )
    for f in fields(Traits):
        value, kind = getattr(metric.traits, f.name), type(f.default)
        require(
            kind not in (bool, str) or isinstance(value, kind),
            f"{name}.traits has {f.name}={value!r}: it must be a {kind.__name__}",
        )
    copied = pickled(metric, f"the metric {name}")
    require(
        copied == metric,
        f"{name}: a pickled copy of the metric is not equal to it: write no __eq__, or compare all parameters",
    )


def check_values(s: Measured) -> None:
    """Dissimilarities are finite, not negative, and of the right shape."""
    require(
        np.issubdtype(s.D.dtype, np.floating),
        f"{s}: between gave an array of {s.D.dtype}: floats are needed",
    )
    fine = np.isfinite(s.D) & (s.D >= 0)
    if not fine.all():
        i, j = np.argwhere(~fine)[0]
        raise ContractError(
            f"{s}: dissimilarities must be finite and at least 0, but D[{i}, {j}] is {s.D[i, j]}: "
            "is there a division by a spread that is "
            "0, a logarithm or root of a negative number, or a class without rows?"
        )


def check_cutting(s: Measured) -> None:
    """A part of the matrix has the same bits as the matrix has there, down to one pair and to none."""
    rows, candidates = s.rows, s.candidates
    n = len(s)
    for at, to in (
        (slice(0, 1), slice(0, None)),
        (np.array([7, 2, 11]), np.array([5, 0])),
        (slice(n - 1, n), slice(0, 1)),
        (slice(0, 0), slice(0, None)),
    ):
        cut = s.between(part(rows, at), part(candidates, to))
        require(
            equal(cut, s.D[at][:, to]),
            f"{s}: a part of the matrix differs from the matrix: each pair must be measured by "
            "itself, in the same order of sums for any set of rows",
        )


def check_alone(s: Measured) -> None:
    """Rows that come as new rows are measured as the same rows were: together, alone, under other
    labels, after other rows."""
    if s.metric.given:
        return
    with accepted(
        f"{s}: rows of the fit are refused as new rows without classes, which `rows` must not use"
    ):
        again = s.new(s.data)
    require(
        again.shape == s.D.shape,
        f"{s}: the same rows have dissimilarities of shape {again.shape} when they come as new rows",
    )
    require_same_rows(
        s,
        again,
        "when they come as new rows",
        "`rows` must not use the response or the labels of rows",
    )
    n = len(s)
    check_rows_alone(s, s.data, s.D, (0, n // 2, n - 1))
    turned = s.data.iloc[::-1].set_axis([f"new {k}" for k in range(n)], axis=0)
    cure = "a row's representation must follow from its own values"
    require_same_rows(s, s.new(turned)[::-1], "in another order, under other labels", cure)


def check_rows_alone(s: Measured, table: pd.DataFrame, D: Array, rows: tuple[int, ...]) -> None:
    for i in rows:
        with accepted(f"{s}: row {i} is measured among others, and refused alone"):
            alone = s.new(table.iloc[[i]])
        require(
            equal(alone, D[[i]]),
            f"{s}: a new row (row {i}) has other dissimilarities alone than among others: `rows` must represent "
            "each row by itself, and learn from other rows in `train`",
        )


def require_same_rows(s: Measured, D: Array, when: str, cure: str) -> None:
    """The rows of the check have the same dissimilarities when they are measured in another way."""
    if not equal(D, s.D):
        i, j = first_unequal(D, s.D)
        where = f"{shown(s.frame.index[i])} to candidate {j}: {D[i, j]:.6g}, not {s.D[i, j]:.6g}"
        raise ContractError(
            f"{s}: the same rows have other dissimilarities {when} ({where}): {cure}"
        )


def check_classes(s: Measured) -> None:
    """A metric learns from classes only if it is trained in folds, and then not from those of
    held-out rows."""
    if s.frame.response is None:
        return
    out = np.arange(len(s)) % 3 == 0 if s.metric.train_in_folds else np.ones(len(s), bool)
    train = np.flatnonzero(~out) if s.metric.train_in_folds else np.arange(len(s))
    codes = np.where(out, np.random.default_rng(9).permutation(s.frame.codes), s.frame.codes)
    changed = replace(
        s.frame, response=pd.Categorical.from_codes(codes, dtype=s.frame.response.dtype)
    )
    before, after = (
        s.train(frame.take(train), s.metric.pretrain(frame)) for frame in (s.frame, changed)
    )
    require(
        same(before, after),
        f"{s}: it changes with the classes of held-out rows: declare train_in_folds if it uses "
        "classes, and use none in `pretrain`",
    )


def check_saved(s: Measured) -> None:
    """Dissimilarities that are saved and loaded measure to the same bits, also new rows."""
    measured = measure_frame(s.frame, s.trained)
    unnamed = {"under_check": type(s.metric)} if name_of(type(s.metric)) is None else {}
    with patch.dict(METRICS, unnamed), tempfile.TemporaryDirectory() as folder:
        try:
            again = load(measured.save(Path(folder) / "metric.proto"))
        except (OptionError, FileError, NotAvailableError) as reason:
            said = str(reason).replace(folder, "").replace("\n", " ")
            raise ContractError(
                f"{s}: its dissimilarities can't be saved and loaded ({said}): use fields that a file can contain"
            ) from reason
        D = s.between(again.rows, again.candidates, again.metric)
        fine = same(again.metric, s.trained) and equal(D, s.D)
        require(
            fine,
            f"{s}: after saving and loading, its dissimilarities differ: store all it needs in fields",
        )
        if not s.metric.given:
            known = s.call(
                "`new_rows` of the loaded metric", again.metric.new_rows, s.data.iloc[:3], s.frame
            )
            new = np.asarray(known.measure(np.arange(3), again.candidates))
            require(
                equal(new, s.D[:3]),
                f"{s}: after loading, its dissimilarities of new rows differ: store all it needs in fields",
            )


def check_symmetry(s: Measured) -> None:
    """A metric that says that it is symmetric is so to the bit."""
    if not s.metric.symmetric:
        return
    if not equal(s.D, s.D.T):
        i, j = first_unequal(s.D, s.D.T)
        raise ContractError(
            f"{s}: symmetric is declared, and D[{i}, {j}] = {float(s.D[i, j])!r} is not D[{j}, "
            f"{i}] = {float(s.D[j, i])!r}: sum in one "
            "order, or leave the declaration out"
        )


def check_triangle(s: Measured) -> None:
    """A metric that declares the triangle inequality keeps it."""
    if not s.metric.triangle:
        return
    result = triangles(s.D)
    i, j, k = result.at
    require(
        result.violated == 0,
        f"{s}: triangle is declared, and {result.violated} of {result.tested} triples violate the "
        f"triangle inequality: D[{i}, {k}] = "
        f"{s.D[i, k]:.6g}, but D[{i}, {j}] + D[{j}, {k}] = {s.D[i, j] + s.D[j, k]:.6g}: leave the declaration out",
    )


def check_coordinates(s: Measured) -> None:
    """Coordinates lead to the same dissimilarities and back to the design matrix."""
    if not isinstance(s.trained, VectorMetric):
        return
    trained = s.trained
    rows, D = s.rows, np.asarray(s.D, float)
    X = np.asarray(s.call("`coordinates`", trained.coordinates, rows))
    places = s.call("`place`", trained.place, X)
    placed = np.asarray(s.between(rows, places), float)
    require(
        np.allclose(placed, D, rtol=1e-5, atol=1e-6 * D.max()),
        f"{s}: rows that are placed by their coordinates have other dissimilarities",
    )
    back = s.call("`original`", trained.original, X)
    names = s.frame.design.columns
    require(
        isinstance(back, pd.DataFrame) and list(back.columns) == list(names),
        f"{s}: `original` must give a DataFrame with "
        "the columns of "
        f"the design matrix, {list(names[:3])}{' and so on' if len(names) > 3 else ''}",
    )
    if X.shape[1] < s.frame.design.shape[1]:
        return  # not all rows have coordinates
    design = s.frame.design.to_numpy(float)
    require(
        np.allclose(back.to_numpy(float), design, rtol=1e-5, atol=1e-6 * np.abs(design).max()),
        f"{s}: `original` does not lead back to the columns: it must undo what `rows` and `coordinates` did",
    )


def check_missing(s: Measured) -> None:
    """A metric that skips missing values measures rows that have some."""
    names = list(s.frame.schema)
    if not s.metric.skips_missing or len(names) < 2:
        return
    table = s.data.copy()
    for k, name in enumerate(names[1:]):
        gaps = (np.arange(len(table)) + k) % 4 == 0
        if not pd.api.types.is_integer_dtype(table[name].dtype) and not pd.api.types.is_bool_dtype(
            table[name].dtype
        ):
            table[name] = table[name].mask(gaps)
    frame = mold(s.formula, table, na="keep", response=s.frame.response is not None)
    with accepted(f"{s}: skips_missing is declared, and rows with missing values are refused"):
        with_gaps = Measured(s.metric, s.train(frame), frame, table, s.formula)
        D = with_gaps.D
    whole = ~frame.columns.isna().any(axis=1).to_numpy()
    both = whole[:, None] & whole[None, :]
    require(
        (np.isfinite(D) | np.isnan(D)).all() and not (D < 0).any(),
        f"{with_gaps}: dissimilarities must be at least 0, or "
        "NaN if two "
        "rows have no variable in common",
    )
    require(
        not np.isnan(D[both]).any(),
        f"{with_gaps}: a pair of complete rows has no dissimilarity (NaN)",
    )
    require(
        not np.isnan(D).all(axis=1).any(),
        f"{with_gaps}: a row with missing values has no dissimilarity to any row: skip them by pair",
    )
    check_rows_alone(with_gaps, table, D, (0, len(frame) // 2))


CHECKS: tuple[Callable[[Measured], None], ...] = (
    check_values, check_cutting, check_alone, check_classes, check_symmetry, check_triangle,
    check_coordinates, check_missing, check_saved,
)  # fmt: skip
