"""What measured values must be, also of copies, pickles and files."""

from __future__ import annotations

import sqlite3
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..core.query import InSQL
from ..core.sources import Rep
from ..core.task import Rule
from ..export.saving import load
from ..fitting import Fit
from ..frames.frame import Frame, mold
from ..ground.errors import NotAvailable, ProtoclassError
from ..metrics.base import Metric, TrainedMetric
from ..models.registry import MODELS
from .contract import (
    ContractError,
    Subject,
    answers,
    ask_sqlite,
    deed,
    fit_to,
    pickled,
    registered,
    require,
    require_same,
    uneven_classes,
    unless_refused,
)

T = TypeVar("T")
Array = NDArray[Any]
FAR = 1000.0
STEPS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)  # along a line through two rows


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
        require(known.complete.all(), f"{self}: complete rows are not taken for complete when they come as new rows")
        return np.asarray(self.call("`between` of new rows", known.measure, np.arange(len(table)), candidates or self.candidates))

    def train(self, frame: Frame, metric: Metric | TrainedMetric | None = None) -> TrainedMetric:
        """The metric trained on other rows."""
        trained: Any = self.call(f"`train` on {_count(len(frame), 'row')}", (metric or self.metric).train, frame)
        require(
            isinstance(trained, TrainedMetric),
            f"{self}: `train` must return a TrainedMetric, which contains what was learned, not a {type(trained).__name__}",
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


def fractions(data: pd.DataFrame, frame: Frame) -> list[str]:
    """The predictors that are numbers with fractions, which may have any value."""
    return [c for c, known in frame.schema.items() if known.kind == "numeric" and pd.api.types.is_float_dtype(data[c].dtype)]


def far(data: pd.DataFrame, columns: list[str], factor: float = FAR) -> pd.DataFrame:
    """The rows with some columns multiplied."""
    return data.assign(**{c: data[c] * factor for c in columns})


def along(data: pd.DataFrame, columns: list[str], a: int = 0, b: int = -1) -> pd.DataFrame:
    """Rows on the line through two rows, then steps from one to the other by one column after the other."""
    first, last = (data[columns].iloc[i].to_numpy(float) for i in (a, b))
    straight = [first + t * (last - first) for t in STEPS]
    corners = [np.where(np.arange(len(columns)) < k, last, first) for k in range(1, min(len(columns), 6))]
    values = np.array(straight + corners)
    rows = data.iloc[np.full(len(values), a % len(data))].reset_index(drop=True)
    return rows.assign(**{c: values[:, k].astype(data[c].dtype) for k, c in enumerate(columns)})


def mixtures(data: pd.DataFrame, predictors: list[str], rows: int = 16) -> pd.DataFrame:
    """Rows each of whose values is that of one of three rows, so that rows agree in many columns; the last is a copy of the first."""
    draw = np.random.default_rng(5)
    chosen = np.linspace(0, len(data) - 1, 3).astype(int)
    out = data.iloc[chosen[draw.integers(3, size=rows)]].reset_index(drop=True)
    out = out.assign(**{c: data[c].iloc[chosen[draw.integers(3, size=rows)]].array for c in predictors})
    return out.iloc[[*range(rows), 0]].reset_index(drop=True)


def reworded(data: pd.DataFrame, predictors: list[str]) -> pd.DataFrame | None:
    """Rows whose texts are cut, turned round and doubled; None where no predictor is a text."""
    texts = [c for c in predictors if all(isinstance(v, str) for v in data[c])]
    if not texts:
        return None
    ways: tuple[Callable[[str], str], ...]
    ways = (lambda w: w[:2], lambda w: w[:2] + w[:1], lambda w: w[1::-1], lambda w: w + w, lambda w: w[::-1])
    parts = [data.iloc[:4].assign(**{c: [way(w) for w in data[c].iloc[:4]] for c in texts}) for way in ways]
    return pd.concat(parts, ignore_index=True)


def new_rows(data: pd.DataFrame, frame: Frame) -> Iterator[tuple[str, pd.DataFrame]]:
    """New rows of several kinds, with what is special about them."""
    columns, predictors = fractions(data, frame), list(frame.schema)
    if not predictors:
        return
    yield "rows that agree in many columns, and copies", mixtures(data, predictors)
    if columns:
        yield "rows along a line", along(data, columns)
        yield "rows 1000 times as far", pd.concat([far(data.iloc[:6], columns), data.iloc[:6]], ignore_index=True)
        yield "rows of zeros", pd.concat([far(data.iloc[:2], columns, 0.0), data.iloc[:6]], ignore_index=True)
    texts = reworded(data, predictors)
    if texts is not None:
        yield "short and doubled texts", texts


def tables(data: pd.DataFrame, frame: Frame, formula: str, given: bool) -> Iterator[tuple[str, pd.DataFrame, str]]:
    """Tables on which a metric is trained: what is special about each, the table and its formula.

    They are made of the data; where these are not given by the caller, there are columns of other kinds besides.
    """
    response = None if frame.response is None else str(frame.formula.response)
    if response is not None:
        uneven = _uneven(data, frame)
        if len(uneven) >= 12:
            yield "classes of very unequal sizes", uneven, formula
    columns = fractions(data, frame)
    if columns:
        some = data.iloc[:48].reset_index(drop=True)
        yield "a table with some rows 1000 times as far", pd.concat([far(some.iloc[:3], columns), some.iloc[3:]]), formula
        yield "a table with a constant column", some.assign(**{columns[0]: some[columns[0]].iloc[0]}), formula
    if given:
        return
    yield "columns of 0 and 1", zeros_and_ones(), "y ~ ."
    yield "columns of several kinds", several_kinds(), "y ~ ."
    yield "one column", skewed()[["a", "y"]], "y ~ ."
    yield "skewed columns", skewed(), "y ~ ."


def _uneven(data: pd.DataFrame, frame: Frame) -> pd.DataFrame:
    """All rows of the largest class, and the first 5, 2, 1, 1, ... of the others."""
    order = np.argsort(-frame.class_counts, kind="stable")
    most = np.ones(len(order), int)
    most[order] = [len(data), 5, 2, *np.ones(len(order), int)][: len(order)]
    counted = pd.Series(frame.codes).groupby(frame.codes).cumcount().to_numpy()
    return data[counted < most[frame.codes]]


def zeros_and_ones(rows: int = 24) -> pd.DataFrame:
    """Five columns of 0 and 1, in which many rows are copies of others."""
    draw = np.random.default_rng(6)
    X = (draw.random((rows, 5)) < 0.4).astype(float)
    X[0] = 1.0
    return pd.DataFrame(X, columns=list("abcde")).assign(y=np.where(np.arange(rows) % 5 == 0, "u", "v"))


def skewed(rows: int = 24) -> pd.DataFrame:
    """Three columns of positive numbers, some a thousand times the others."""
    draw = np.random.default_rng(7)
    X = np.exp(draw.normal(size=(rows, 3)) * [1.0, 2.0, 0.3])
    return pd.DataFrame(X, columns=list("abc")).assign(y=np.where(np.arange(rows) % 4 == 0, "u", "v"))


def several_kinds(rows: int = 24) -> pd.DataFrame:
    """Numbers with fractions, whole numbers, a truth value, categories without and with an order, and a constant."""
    draw = np.random.default_rng(8)
    return pd.DataFrame({
        "size": draw.normal(size=rows), "count": draw.poisson(3.0, rows), "flag": draw.random(rows) < 0.3,
        "place": np.array(["north", "south", "east"])[draw.integers(3, size=rows)],
        "grade": pd.Categorical(np.array(["low", "high", "top"])[np.arange(rows) % 3], ["low", "high", "top"], ordered=True),
        "same": 2.0, "y": np.where(np.arange(rows) % 3 == 0, "u", "v"),
    })  # fmt: skip


LEARNED = "store all that is learned in fields of the rule"


def check_fields(s: Subject) -> None:
    """A rule can be made again from its fields, and from a pickle."""
    rule = s.fit.rule
    name = type(rule).__name__
    cure = "write @dataclass(frozen=True) above it, and @pc.extend.savable above that"
    require(is_dataclass(rule), f"{s}: the rule {name} is not a dataclass: {cure}")
    values = {f.name: getattr(rule, f.name) for f in fields(rule) if f.init}  # type: ignore[arg-type]
    with deed(s, f"the rule, made again from its fields as {name}(...),"):
        made = type(rule)(**values)
        found = answers(made, s.query())
    want = answers(rule, s.query())
    beyond = f"the rule {name} depends on more than its fields, so a copy made from them"
    require_same(s, found, want, beyond, "make it a field", 0)
    require_same(s, answers(pickled(rule, f"the rule of {s}"), s.query()), want, "a pickled rule", LEARNED, 0)


def check_files(s: Subject) -> None:
    """A fit that was saved and loaded gives the same answers."""
    _check_file(s, s.new)
    uneven = uneven_classes()  # with another number of columns than of classes
    _check_file(replace(s, fit=fit_to(uneven, s.single)), uneven.drop(columns="y"))


def _check_file(s: Subject, new: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder, registered(MODELS, {s.kind.name: s.kind}):
        path = Path(folder) / "check.proto"
        rule = type(s.fit.rule).__name__
        cure = f"write @pc.extend.savable above {rule}, and above every class of its fields, with the axes that these have"
        try:
            s.fit.save(path)
            loaded = load(path)
        except ProtoclassError as reason:
            require(False, f"{s}: a fit can't be saved and loaded, because the rule or the method can't be: {reason}; {cure}")
        with deed(s, "a prediction of a fit that was saved and loaded"):
            found = answers(loaded.rule, loaded.query(new)[0])
        require(loaded.model == s.fit.model, f"{s}: a saved and loaded fit has other parameters, {loaded.model} instead of {s.fit.model}")
    require_same(s, found, answers(s.fit.rule, s.query(new)), "a fit that was saved and loaded", LEARNED, 0)


def check_sql(s: Subject) -> None:
    """A rule that can be written as SQL gives the same classes in SQLite."""
    rule: Rule = s.fit.rule
    if not isinstance(rule, InSQL) or rule.why_not_sql:
        return
    uneven = fit_to(uneven_classes(), s.single)
    for fitted, new in ((s.fit, s.new), (s.fit, s.data.drop(columns="y")), (uneven, uneven_classes().drop(columns="y"))):
        _check_query(s, fitted, new)


def _check_query(s: Subject, fitted: Fit, new: pd.DataFrame) -> None:
    try:
        with deed(s, "`sql` of the rule"):
            query = fitted.sql("sqlite")
    except NotAvailable as reason:
        require(False, f"{s}: why_not_sql is empty, but the rule can't be written in SQL: {reason}")
    try:
        said = ask_sqlite({"new_rows": (list(new), new.to_numpy(float).tolist())}, query)["predicted"].astype(str)
    except sqlite3.Error as reason:
        require(False, f"{s}: SQLite can't run what `sql` of the rule writes: {reason}")
    want = fitted.predict(new).astype(str).reset_index(drop=True)
    differ = said.to_numpy() != want.to_numpy()
    require(
        not differ.any(),
        f"{s}: in SQL, {int(differ.sum())} of {len(new)} rows get another class than from `predict` (the first is row "
        f"{int(differ.argmax())}): correct `sql` of the rule, or state in `why_not_sql` why it can't be written",
    )
