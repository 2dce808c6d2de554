"""The contract of a metric with all its details, of which the package checks the most important."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from thorough_contract import thirty_columns

from protoclass.core.distances.properties import triangles
from protoclass.core.sources import Rep, part
from protoclass.export.saving import load
from protoclass.export.saving.classes import name_of
from protoclass.frames.frame import Frame, mold
from protoclass.frames.tables import as_pandas
from protoclass.ground.errors import FileError, NotAvailable, OptionError, ProtoclassError, shown
from protoclass.ground.savable import SAVABLE
from protoclass.metrics.base import Metric, TrainedMetric, Traits, VectorMetric, same
from protoclass.metrics.measuring import measure_frame
from protoclass.metrics.registry import METRICS
from protoclass.metrics.registry import metric as by_name
from protoclass.testing.contract import ContractError, accepted, pickled, registered, require, unless_refused
from protoclass.testing.metrics import equal, first_unequal

T = TypeVar("T")
Array = NDArray[Any]


def measured(metric: Any, data: Any, formula: str, kind: type[Measured] | None = None) -> Measured:
    """The metric trained on the data of a check, after the checks of its declarations."""
    checked: Any = by_name(metric) if isinstance(metric, str) else metric() if isinstance(metric, type) else metric
    require(isinstance(checked, Metric), f"{type(checked).__name__} is not a subclass of protoclass.Metric")
    check_declarations(checked)
    found = trained_on(checked, thirty_columns() if data is None else as_pandas(data), formula, kind=kind or Measured)
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

    @property
    def places(self) -> list[tuple[str, Rep, Rep, Array]]:
        """Rows and candidates with their dissimilarities, and a word on each."""
        return [("the rows of the check", self.rows, self.candidates, self.D)]

    def rows_of(self, frame: Frame, trained: TrainedMetric | None = None) -> Rep:
        return self._represented("rows", frame, trained)

    def candidates_of(self, frame: Frame, trained: TrainedMetric | None = None) -> Rep:
        return self._represented("candidates", frame, trained)

    def _represented(self, side: str, frame: Frame, trained: TrainedMetric | None) -> Rep:
        given: Any = self.call(
            f"`{side}` of {_count(len(frame), 'row')}", getattr(trained or self.trained, side), frame
        )
        arrays = (
            isinstance(given, tuple) and len(given) > 0 and all(isinstance(a, np.ndarray) and a.ndim > 0 for a in given)
        )
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
        return np.asarray(
            self.call("`between` of new rows", known.measure, np.arange(len(table)), candidates or self.candidates)
        )

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
        return replace(self, where=" and ".join(filter(None, [self.where, where])))


def trained_on(
    metric: Metric, data: pd.DataFrame, formula: str, where: str = "", kind: type[Measured] = Measured
) -> Measured:
    """A metric trained on the complete rows of a table.

    Raises
    ------
    ProtoclassError
        Where the metric refuses these data.
    """
    frame = mold(formula, data, response="~" in formula and formula.split("~")[0].strip() != "")
    empty = kind(metric, TrainedMetric(metric), frame, data.loc[frame.index], formula, where)
    return replace(empty, trained=empty.train(frame))


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


def check_declarations(metric: Metric) -> None:
    """What a metric says of itself is of the right type, before anything is measured."""
    name = type(metric).__name__
    stated: tuple[tuple[Any, str, type], ...] = ((metric, "name", str), (metric, "traits", Traits))
    for of, what, kind in stated:
        value = getattr(of, what)
        cure = "write @property above it" if callable(value) else f"it must be a {kind.__name__}"
        require(isinstance(value, kind), f"{name}.{what} is a {type(value).__name__}: {cure}")
    for f in fields(Traits):
        value, default = getattr(metric.traits, f.name), f.default
        allowed = "True or False" if isinstance(default, bool) else "a text" if isinstance(default, str) else ""
        fine = isinstance(value, (bool, np.bool_)) if isinstance(default, bool) else isinstance(value, str)
        require(fine or not allowed, f"{name}.traits has {f.name}={value!r}: it must be {allowed}")
    copied = pickled(metric, f"the metric {name}")
    try:
        equals, hashes = copied == metric, hash(copied) == hash(metric)
    except TypeError as reason:
        raise ContractError(
            f"{name} can't be hashed or compared ({reason}): a class that writes __eq__ writes __hash__ too"
        ) from reason
    require(
        equals, f"{name}: a pickled copy of the metric is not equal to it: write no __eq__, or compare all parameters"
    )
    require(
        hashes,
        f"{name}: a pickled copy of the metric is equal to it and has another hash: write no __hash__, or hash the parameters",
    )


def check_values(s: Measured) -> None:
    """Dissimilarities are finite, not negative, and of the right shape."""
    require(np.issubdtype(s.D.dtype, np.floating), f"{s}: between gave an array of {s.D.dtype}: floats are needed")
    check_usable(s, s.D, "dissimilarities")


def check_usable(s: Measured, D: Array, what: str) -> None:
    fine = np.isfinite(D) & (D >= 0)
    if not fine.all():
        i, j = np.argwhere(~fine)[0]
        raise ContractError(
            f"{s}: {what} must be finite and at least 0, but D[{i}, {j}] is {D[i, j]}: is there a division by a spread that is 0, a "
            "logarithm or root of a negative number, or a class without rows?"
        )


def check_cutting(s: Measured) -> None:
    """A part of the matrix has the same bits as the matrix has there, down to one pair and to none."""
    rows, candidates = s.rows, s.candidates
    n = len(s)
    for at, to in (
        (slice(0, 1), slice(0, None)), (np.array([7, 2, 11]), np.array([5, 0])), (slice(3, 9), slice(4, 5)), (slice(0, None), slice(1, 2)),
        (slice(n - 1, n), slice(0, 1)), (slice(0, 0), slice(0, None)), (slice(0, None), slice(0, 0)), (slice(0, 0), slice(0, 0)),
    ):  # fmt: skip
        cut = s.between(part(rows, at), part(candidates, to))
        require(
            equal(cut, s.D[at][:, to]), f"{s}: a part of the matrix differs from the matrix: each pair must be measured by "
            "itself, in the same order of sums for any set of rows",
        )  # fmt: skip
    at = np.array([4, 1, 7])
    require(
        same(s.call("`some_candidates`", s.trained.some_candidates, s.frame, at), part(candidates, at)),
        f"{s}: `some_candidates` represents candidates otherwise than `candidates` does",
    )
    names = s.call("`candidate_names`", s.trained.candidate_names, s.frame)
    require(
        len(names) == len(candidates[0]),
        f"{s}: `candidate_names` gives {len(names)} names for {len(candidates[0])} candidates",
    )
    slim, few, kept = s.call("`slim`", s.trained.slim, part(rows, at), part(candidates, at))
    require(equal(s.between(few, kept, slim), s.D[at][:, at]), f"{s}: as `slim` makes it, it measures otherwise")


def check_alone(s: Measured) -> None:
    """Rows that come as new rows are measured as the same rows were: together, alone, under other labels, after other rows."""
    if s.metric.given:
        return
    first_row = s.rows_of(s.frame.take(slice(0, 1)))
    first, whole = ([f"{a.dtype.name} {a.shape[1:]}" for a in rep] for rep in (first_row, s.rows))
    kinds = [[(a.shape[1:], a.dtype.kind) for a in rep] for rep in (first_row, s.rows)]
    require(
        kinds[0] == kinds[1],
        f"{s}: `rows` of 1 row gives arrays of {first}, and of {len(s)} rows of {whole}: they must be the same for all rows",
    )
    with accepted(f"{s}: rows of the fit are refused as new rows without classes, which `rows` must not use"):
        again = s.new(s.data)
    require(
        again.shape == s.D.shape,
        f"{s}: the same rows have dissimilarities of shape {again.shape} when they come as new rows",
    )
    require_same_rows(s, again, "when they come as new rows", "`rows` must not use the response or the labels of rows")
    n = len(s)
    check_rows_alone(s, s.data, s.D, (0, n // 2, n - 1), "")
    turned = s.data.iloc[::-1].set_axis([f"new {k}" for k in range(n)], axis=0)
    cure = "a row's representation must follow from its own values"
    require_same_rows(s, s.new(turned)[::-1], "in another order, under other labels", cure)
    empty = unless_refused(s.new, s.data.iloc[:0])
    require(
        empty is None or empty.shape == (0, len(s.candidates[0])),
        f"{s}: new rows of an empty table have another shape than (0, q)",
    )


def check_rows_alone(s: Measured, table: pd.DataFrame, D: Array, rows: tuple[int, ...], when: str) -> None:
    for i in rows:
        alone = unless_refused(s.new, table.iloc[[i]])
        if alone is None:
            raise ContractError(f"{s}: row {i} is measured among others, and refused alone{when}")
        if equal(alone, D[[i]]):
            continue
        j = first_unequal(alone, D[[i]])[1]
        raise ContractError(
            f"{s}: a new row has other dissimilarities alone than among others{when} (row {i}, candidate {j}: {alone[0, j]:.6g} alone, "
            f"{D[i, j]:.6g} among others): `rows` must represent each row by itself, and learn from other rows in `train`"
        )


def require_same_rows(s: Measured, D: Array, when: str, cure: str) -> None:
    """The rows of the check have the same dissimilarities when they are measured in another way."""
    if not equal(D, s.D):
        i, j = first_unequal(D, s.D)
        where = f"{shown(s.frame.index[i])} to candidate {j}: {D[i, j]:.6g}, not {s.D[i, j]:.6g}"
        raise ContractError(f"{s}: the same rows have other dissimilarities {when} ({where}): {cure}")


def trained_otherwise(s: Measured, frame: Frame, metric: Metric) -> Array:
    trained = s.train(frame, metric)
    return s.between(s.rows_of(s.frame, trained), s.candidates_of(frame, trained), trained)


def check_dependence(s: Measured) -> None:
    """A metric says whether it depends on the training rows, and what depends on them is in its fields."""
    half = s.frame.take(np.arange(len(s) // 2))
    other = unless_refused(s.train, half)
    if other is None:
        return
    require(
        s.metric.data_dependent or s.trained == other,
        f"{s}: trained on other rows it differs: declare data_dependent for bounds and summaries",
    )
    D = unless_refused(s.measured_by, other)
    if D is None or s.metric.train_in_folds:
        return
    require(
        s.metric.data_dependent or equal(D, s.D),
        f"{s}: trained on other rows its dissimilarities differ: declare data_dependent for bounds and summaries",
    )
    require(
        s.trained != other or equal(D, s.D),
        f"{s}: trained on other rows its dissimilarities differ, but it is still equal: its fields lack something it learned, or __eq__ "
        "leaves some out",
    )


def check_labels(s: Measured) -> None:
    """A metric that looks at classes says that it is trained in folds."""
    if s.frame.response is None or s.metric.train_in_folds:
        return
    for codes in _other_codes(s, np.ones(len(s), bool)):
        other = s.call("`train` on rows of other classes", s.metric.train, _with_codes(s.frame, codes))
        require(
            s.trained == other and equal(s.measured_by(other), s.D), f"{s}: it changes with the classes of the rows: declare "
                "train_in_folds, "
            "else cross-validation lets it see what it is to predict",
        )  # fmt: skip


def check_held_out(s: Measured) -> None:
    """A metric that is trained in folds learns nothing from the classes of rows that are held out, and takes folds without a class."""
    if s.frame.response is None or not s.metric.train_in_folds:
        return
    held = np.arange(len(s)) % 3 == 0
    kept = np.flatnonzero(~held)
    before = s.call("`pretrain`", lambda: s.metric.pretrain(s.frame).train(s.frame.take(kept)))
    for codes in _other_codes(s, held):
        changed = _with_codes(s.frame, codes)
        after = s.call("`pretrain`", lambda: s.metric.pretrain(changed).train(changed.take(kept)))  # noqa: B023
        require(before == after, f"{s}: it learns from the classes of held-out rows: `pretrain` must not use classes")
    D = s.measured_by(s.metric.pretrain(s.frame).train(s.frame))
    require(
        np.allclose(D, s.D, rtol=1e-9, atol=1e-12 * max(1.0, s.D.max())),
        f"{s}: `pretrain` and then `train` on the same rows measures otherwise than `train` alone",
    )
    known = s.frame.codes
    for c, level in enumerate(s.frame.levels):
        rows = np.flatnonzero(known != c)
        if 0 < len(rows) < len(known):
            there = s.on(f"training rows without the class {shown(level)}")
            found = unless_refused(trained_otherwise, there, s.frame.take(rows), s.metric.pretrain(s.frame))
            require(found is None or (np.isfinite(found).all() and (found >= 0).all()), f"{there}, as in some folds: dissimilarities "
                "must be finite and "
                    "at least 0; loop over the classes that have rows, np.unique(frame.codes)")  # fmt: skip


def _other_codes(s: Measured, among: Array) -> Iterator[Array]:
    """Other classes of some rows: exchanged at random, and all the next one."""
    draw, at = np.random.default_rng(9), np.flatnonzero(among)
    for _ in range(2):
        codes = s.frame.codes.copy()
        codes[at] = codes[draw.permutation(at)]
        yield codes
    yield np.where(among, (s.frame.codes + 1) % len(s.frame.levels), s.frame.codes)


def _with_codes(frame: Frame, codes: Array) -> Frame:
    assert frame.response is not None
    return replace(frame, response=pd.Categorical.from_codes(codes, dtype=frame.response.dtype))


def check_saved(s: Measured) -> None:
    """Dissimilarities that are saved and loaded measure to the same bits, also new rows."""
    for kind in _kinds(s.trained, TrainedMetric):
        require(
            any(known.of is kind for known in SAVABLE.values()),
            f"{s}: fits with it can't be saved: write @protoclass.extend.savable above @dataclass of {kind.__name__}",
        )
    measured = measure_frame(s.frame, s.trained)
    unnamed = {f"under_check_{k}": kind for k, kind in enumerate(_kinds(s.trained, Metric)) if name_of(kind) is None}
    with registered(METRICS, unnamed), tempfile.TemporaryDirectory() as folder:
        try:
            again = load(measured.save(Path(folder) / "metric.proto"))
        except (OptionError, FileError, NotAvailable) as reason:
            said = str(reason).replace(folder, "").replace("\n", " ")
            raise ContractError(
                f"{s}: its dissimilarities can't be saved and loaded ({said}): use fields that a file can contain, with the types of "
                "their annotations"
            ) from reason  # fmt: skip
        D = s.between(again.rows, again.candidates, again.metric)
        require(
            again.metric == s.trained and hash(again.metric) == hash(s.trained),
            f"{s}: saved and loaded, the trained metric is not equal",
        )
        require(
            equal(D, s.D), f"{s}: after saving and loading, its dissimilarities differ: store all it needs in fields"
        )
        if not s.metric.given:
            known = s.call("`new_rows` of the loaded metric", again.metric.new_rows, s.data.iloc[:3], s.frame)
            new = np.asarray(known.measure(np.arange(3), again.candidates))
            require(
                equal(new, s.D[:3]),
                f"{s}: after loading, its dissimilarities of new rows differ: store all it needs in fields",
            )


def _kinds(value: Any, base: type) -> list[type]:
    """The classes of a metric and of those within it, as far as they derive from a class."""
    found: dict[type, None] = {}

    def walk(value: Any) -> None:
        if isinstance(value, base):
            found[type(value)] = None
        if isinstance(value, (Metric, TrainedMetric)):
            for f in fields(value):
                walk(getattr(value, f.name))
        elif isinstance(value, (tuple, list)):
            for v in value:
                walk(v)

    walk(value)
    return list(found)


PAIRS = ((0, 1), (0, -1), (3, 2), (5, 7), (-2, 4))


def check_symmetry(s: Measured) -> None:
    """A metric that says that it is symmetric is so to the bit."""
    if not s.metric.symmetric:
        return
    for where, _, _, D in s.places:
        if not equal(D, D.T):
            i, j = first_unequal(D, D.T)
            raise ContractError(
                f"{s}: symmetric is declared, and on {where} D[{i}, {j}] = {float(D[i, j])!r} is not D[{j}, {i}] = {float(D[j, i])!r}: sum "
                "in one order, or leave the declaration out"
            )


def check_triangle(s: Measured) -> None:
    """A metric that declares the triangle inequality keeps it on the rows of the check, on lines and far away."""
    if not s.metric.triangle:
        return
    for where, _, _, D in s.places:
        result = triangles(D)
        i, j, k = result.at
        require(
            result.violated == 0, f"{s}: triangle is declared, and {result.violated} of {result.tested} triples of {where} "
                "violate the triangle "
            f"inequality: D[{i}, {k}] = {D[i, k]:.6g}, but D[{i}, {j}] + D[{j}, {k}] = {D[i, j] + D[j, k]:.6g}: leave the declaration out",
        )  # fmt: skip


def check_coordinates(s: Measured) -> None:
    """Coordinates lead to the same dissimilarities and back to the design matrix; if they are fewer, to rows that have them."""
    if not isinstance(s.trained, VectorMetric):
        return
    trained = s.trained
    rows, D = s.rows, np.asarray(s.D, float)
    X = np.asarray(s.call("`coordinates`", trained.coordinates, rows))
    require(X.ndim == 2 and len(X) == len(s), f"{s}: coordinates must be an array (rows, dimensions)")
    alone = np.asarray(trained.coordinates(part(rows, slice(2, 3))))
    require(equal(alone, X[2:3]), f"{s}: the coordinates of a row are other ones alone than among others")
    places = s.call("`place`", trained.place, X)
    placed = np.asarray(s.between(rows, places), float)
    require(
        np.allclose(placed, D, rtol=1e-5, atol=1e-6 * D.max()),
        f"{s}: rows that are placed by their coordinates have other dissimilarities",
    )
    single = np.asarray(s.between(rows, s.call("`place` of one row of coordinates", trained.place, X[:1])), float)
    require(
        np.allclose(single, placed[:, :1]),
        f"{s}: a place has other dissimilarities alone than among others: `place` takes each by itself",
    )
    back = s.call("`original`", trained.original, X)
    names = s.frame.design.columns
    require(isinstance(back, pd.DataFrame) and list(back.columns) == list(names), f"{s}: `original` must give a DataFrame with "
        "the columns of "
            f"the design matrix, {list(names[:3])}{' and so on' if len(names) > 3 else ''}")  # fmt: skip
    if X.shape[1] < s.frame.design.shape[1]:
        placed_again, _ = s.frame.again(back)
        again = np.asarray(trained.coordinates(trained.rows(placed_again)))
        require(np.allclose(again, X), f"{s}: rows that `original` gives for coordinates have other coordinates")
        return
    design = s.frame.design.to_numpy(float)
    require(
        np.allclose(back.to_numpy(float), design, rtol=1e-5, atol=1e-6 * np.abs(design).max()),
        f"{s}: `original` does not lead back to the columns: it must undo what `rows` and `coordinates` did",
    )


def check_power(s: Measured) -> None:
    """The declared power of the dissimilarity is a sum over variables, and its groups are predictors."""
    predictors = list(s.frame.schema)
    groups = s.trained.column_groups
    named = (
        [c for group in groups for c in group]
        if isinstance(groups, tuple) and all(isinstance(g, tuple) for g in groups)
        else None
    )
    require(named is not None, f"{s}: column_groups is {groups!r}: it must be a tuple of tuples of names of predictors")
    for name in named or ():
        require(
            name in predictors,
            f"{s}: column_groups names {name!r}, which is not a predictor: these are {predictors[:10]}",
        )
        require((named or []).count(name) == 1, f"{s}: column_groups names {name!r} twice")
    power = s.trained.power
    if power is None:
        return
    number = isinstance(power, (int, float, np.number)) and not isinstance(power, bool) and power > 0
    require(
        number,
        f"{s}: power is {power!r}: it must be a number above 0, the power of the dissimilarity that is a sum over "
        "variables, or None",
    )
    if not np.isfinite(power) or s.metric.given or not s.frame.formula.plain() or s.frame.columns.isna().any(axis=None):
        return
    alone = [(c,) for c in predictors if c not in (named or [])]
    variables, columns = [*groups, *alone], s.frame.columns
    for i, j in PAIRS:
        d = float(s.D[i, j])
        if d == 0:
            continue
        instead = pd.DataFrame(index=range(len(variables)))
        for c in columns:
            other = np.array([c in group for group in variables])
            instead[c] = columns[c].iloc[np.where(other, j % len(s), i % len(s))].array
        left = np.asarray(s.new(instead, part(s.candidates, np.array([j])))[:, 0], float)
        total = float(((1 - (left / d) ** float(power)).sum()) * d)
        require(
            np.isclose(total, d, rtol=1e-6), f"{s}: power={power:g} is declared, but the parts of D[{i % len(s)}, {j % len(s)}] by "
            f"variable add up to {total:.6g}, and it is {d:.6g}: `power` is the power of the dissimilarity that is a sum over "
            "variables (or over "
            "column_groups), by which `why` divides it; else None, and a parameter needs another name",
        )  # fmt: skip


def check_missing(s: Measured) -> None:
    """A metric that skips missing values measures rows that have some."""
    names = list(s.frame.schema)
    if not s.metric.skips_missing or len(names) < 2:
        return
    table = s.data.copy()
    for k, name in enumerate(names[1:]):
        gaps = (np.arange(len(table)) + k) % 4 == 0
        if not pd.api.types.is_integer_dtype(table[name].dtype) and not pd.api.types.is_bool_dtype(table[name].dtype):
            table[name] = table[name].mask(gaps)
    frame = mold(s.formula, table, na="keep", response=s.frame.response is not None)
    where = " and ".join(filter(None, [s.where, "rows with missing values"]))
    with accepted(f"{type(s.metric).__name__} on {where}: skips_missing is declared, and they are refused"):
        there = Measured(s.metric, s.train(frame), frame, table, s.formula, where)
        D = there.D
    whole = ~frame.columns.isna().any(axis=1).to_numpy()
    both = whole[:, None] & whole[None, :]
    require((np.isfinite(D) | np.isnan(D)).all() and not (D < 0).any(), f"{there}: dissimilarities must be at least 0, or "
        "NaN if two "
            "rows have no variable in common")  # fmt: skip
    require(not np.isnan(D[both]).any(), f"{there}: a pair of complete rows has no dissimilarity (NaN)")
    require(not np.isnan(D).all(axis=1).any(), f"{there}: skips_missing is declared, but row "
        f"{int(np.isnan(D).all(axis=1).argmax())} has no "
            "dissimilarity to any row: skip missing values pair by pair")  # fmt: skip
    for i in (0, len(frame) // 2):
        require(
            equal(there.new(table.iloc[[i]]), D[[i]]),
            f"{there}: a new row is measured otherwise alone than among others",
        )
    check_symmetry(there)
