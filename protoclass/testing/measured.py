"""A metric under check, trained on the rows of a frame, and how the checks measure with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..core.sources import Rep
from ..errors import ProtoclassError
from ..frames.frame import Frame, mold
from ..metrics.base import Metric, TrainedMetric
from .contract import ContractError, require
from .unkind import new_rows

T = TypeVar("T")
Array = NDArray[Any]


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
    where : str
        What is special about the data, for messages; "" for the data that the caller gave.
    """

    metric: Metric
    trained: TrainedMetric
    frame: Frame
    data: pd.DataFrame
    formula: str
    where: str = ""

    def __str__(self) -> str:
        return type(self.metric).__name__ + (f" on {self.where}" if self.where else "")

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

    @cached_property
    def unkind(self) -> list[tuple[str, pd.DataFrame]]:
        """New rows of several kinds, with what is special about them."""
        return list(new_rows(self.data, self.frame))

    @cached_property
    def places(self) -> list[tuple[str, Rep, Rep, Array]]:
        """The rows of the check, and those of `unkind` as rows and candidates at once, where the metric measures them."""
        out = [("the rows of the check", self.rows, self.candidates, self.D)]
        if self.metric.given or not self.trained.same_sides:
            return out
        for where, table in self.unkind:
            there = self.on(where)
            rep = unless_refused(lambda: there.rows_of(self.frame.again(table)[0]))  # noqa: B023
            D = None if rep is None else unless_refused(there.between, rep, rep)
            if rep is not None and D is not None and np.isfinite(D).all():
                out.append((where, rep, rep, D))
        return out

    def rows_of(self, frame: Frame, trained: TrainedMetric | None = None) -> Rep:
        return self._represented("rows", frame, trained)

    def candidates_of(self, frame: Frame, trained: TrainedMetric | None = None) -> Rep:
        return self._represented("candidates", frame, trained)

    def _represented(self, side: str, frame: Frame, trained: TrainedMetric | None) -> Rep:
        given: Any = self.call(f"`{side}` of {_count(len(frame), 'row')}", getattr(trained or self.trained, side), frame)
        arrays = isinstance(given, tuple) and len(given) > 0 and all(isinstance(a, np.ndarray) and a.ndim > 0 for a in given)
        require(
            arrays and all(len(a) == len(frame) for a in given),
            f"{self}: `{side}` gave {_kind(given)} for {_count(len(frame), 'row')}: it must give a tuple of arrays with one entry for "
            "each row, such as (X,)",
        )
        rep: Rep = given
        return rep

    def between(self, rows: Rep, candidates: Rep, trained: TrainedMetric | None = None) -> Array:
        """Dissimilarities of rows to candidates, whose shape is checked."""
        shape = (len(rows[0]), len(candidates[0]))
        what = f"`between` of {_count(shape[0], 'row')} and {_count(shape[1], 'candidate')}"
        values = np.asarray(self.call(what, (trained or self.trained).between, rows, candidates))
        require(values.shape == shape, f"{self}: {what} gave the shape {values.shape}: it must give {shape}")
        return values

    def new(self, table: pd.DataFrame, candidates: Rep | None = None) -> Array:
        """Dissimilarities of new rows, which are complete, to the candidates."""
        known: Any = self.call(f"`rows` of {_count(len(table), 'new row')}", self.trained.new_rows, table, self.frame)
        if not known.complete.all():
            self.frame.again(table)[0].unseen_counts.refuse()  # such rows have no answer where levels are columns
        require(bool(known.complete.all()), f"{self}: complete rows are not taken for complete when they come as new rows")
        return np.asarray(self.call("`between` of new rows", known.measure, np.arange(len(table)), candidates or self.candidates))

    def train(self, frame: Frame, metric: Metric | TrainedMetric | None = None) -> TrainedMetric:
        """The metric trained on other rows."""
        trained: Any = self.call(f"`train` on {_count(len(frame), 'row')}", (metric or self.metric).train, frame)
        require(
            isinstance(trained, TrainedMetric),
            f"{self}: `train` gave a value of type {type(trained).__name__}: it must return a TrainedMetric, which holds what was learned",
        )
        result: TrainedMetric = trained
        spec: Any = result.spec
        require(isinstance(spec, (Metric, TrainedMetric)), f"{self}: the first field of {type(result).__name__}, `spec`, is a "
            f"{type(spec).__name__}: it "
                f"must be the metric, as in {type(result).__name__}(self, ...)")  # fmt: skip
        return result

    def measured_by(self, trained: TrainedMetric) -> Array:
        """The dissimilarities of the rows as another trained metric measures them."""
        return self.between(self.rows_of(self.frame, trained), self.candidates_of(self.frame, trained), trained)

    def call(self, what: str, function: Callable[..., T], *args: Any) -> T:
        """The value of a function of the metric; an error that is not of this package becomes one of the contract."""
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():  # what is not finite is found among the values
                warnings.simplefilter("ignore", RuntimeWarning)
                return function(*args)
        except ProtoclassError:
            raise
        except Exception as reason:
            raise ContractError(f"{self}: {what} {_failed(reason)}") from reason

    def on(self, where: str) -> Measured:
        """The same with a further word, for messages, on what is special about the data."""
        there = Measured(self.metric, self.trained, self.frame, self.data, self.formula, " and ".join(filter(None, [self.where, where])))
        vars(there).update({name: vars(self)[name] for name in ("rows", "candidates", "D", "unkind") if name in vars(self)})
        return there


def trained_on(metric: Metric, data: pd.DataFrame, formula: str, where: str = "") -> Measured:
    """A metric trained on the complete rows of a table.

    Raises
    ------
    ProtoclassError
        Where the metric refuses these data.
    """
    frame = mold(formula, data, response="~" in formula and formula.split("~")[0].strip() != "")
    empty = Measured(metric, TrainedMetric(metric), frame, data.loc[frame.index], formula, where)
    return Measured(metric, empty.train(frame), frame, empty.data, formula, where)


def unless_refused(function: Callable[..., T], *args: Any) -> T | None:
    """The value of a function; None where a metric refuses its arguments by an error of this package."""
    try:
        return function(*args)
    except ContractError:
        raise
    except ProtoclassError:
        return None


def first_unequal(a: Array, b: Array) -> tuple[int, int]:
    """The first place at which two matrices differ; NaN equals NaN."""
    i, j = np.argwhere(~((a == b) | ((a != a) & (b != b))))[0]
    return int(i), int(j)


def equal(a: Array, b: Array) -> bool:
    """Whether two matrices have the same shape and bits; NaN equals NaN."""
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f")


def _failed(reason: Exception) -> str:
    said = f"raises {type(reason).__name__}: {str(reason).splitlines()[0] if str(reason) else ''}"
    if "read-only" in str(reason):
        return f"{said}: it changes an array in place that is not its own; copy it first, X = np.array(X)"
    if isinstance(reason, TypeError) and ("positional argument" in str(reason) or "__init__()" in str(reason)):
        return f"{said}: a class with fields has @dataclass(frozen=True) above it, and each argument is one of its fields, after `spec`"
    return f"{said}: if the metric can't measure such data, it must raise protoclass.DataError with a cure, else measure them"


def _kind(given: Any) -> str:
    if not isinstance(given, tuple):
        return f"a value of type {type(given).__name__}"
    return f"({', '.join(f'array {a.shape}' if isinstance(a, np.ndarray) else type(a).__name__ for a in given)})"


def _count(n: int, what: str) -> str:
    return f"no {what}s" if n == 0 else f"{n} {what}{'' if n == 1 else 's'}"
