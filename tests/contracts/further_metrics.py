"""What the contract of a metric checks of built-in metrics besides, on difficult data too, and the whole contract."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from further_methods import unless_refused

import protoclass.testing.metrics as package
from protoclass.core.distances.minkowski import Geometry, minkowski
from protoclass.core.sources import Rep, part
from protoclass.frames.frame import Frame, mold
from protoclass.ground.errors import shown
from protoclass.metrics.base import Metric, TrainedMetric, same
from protoclass.testing.contract import (
    ContractError,
    accepted,
    hold,
    pickled,
    require,
    watching,
)
from protoclass.testing.metrics import (
    Array,
    check_rows_alone,
    equal,
    first_unequal,
    require_same_rows,
    trained_on,
)


@dataclass(frozen=True)
class Measured(package.Measured):
    """A metric under check, with new rows of several kinds, and a word on what is special about the data."""

    where: str = ""

    def __str__(self) -> str:
        return type(self.metric).__name__ + (f" on {self.where}" if self.where else "")

    def new(self, table: pd.DataFrame, candidates: Rep | None = None) -> Array:
        try:
            return super().new(table, candidates)
        except ContractError:
            self.frame.again(table)[0].unseen_counts.refuse()  # such rows have no answer where levels are columns
            raise

    def on(self, where: str) -> Measured:
        """The same with a further word, for messages, on what is special about the data."""
        return replace(self, where=" and ".join(filter(None, [self.where, where])))

    def measured_by(self, trained: TrainedMetric) -> Array:
        """The dissimilarities of the rows as another trained metric measures them."""
        return self.between(self.rows_of(self.frame, trained), self.candidates_of(self.frame, trained), trained)

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


PAIRS = ((0, 1), (0, -1), (3, 2), (5, 7), (-2, 4))


def further(s: package.Measured, where: str = "") -> Measured:
    return Measured(*(getattr(s, f.name) for f in fields(s)), where)


def check_usable(s: Measured, D: Array, what: str) -> None:
    require((np.isfinite(D) & (D >= 0)).all(), f"{s}: {what} must be finite and at least 0")


def trained_otherwise(s: Measured, frame: Frame, metric: Metric) -> Array:
    trained = s.train(frame, metric)
    return s.between(s.rows_of(s.frame, trained), s.candidates_of(frame, trained), trained)


FAR = 1000.0


STEPS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)  # along a line through two rows


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


def check_places(s: Measured) -> None:
    """Symmetry and the triangle inequality are kept on lines and far away too."""
    for where, _, _, D in s.places[1:]:
        there = s.on(where)
        there.__dict__["D"] = D
        package.check_symmetry(there)
        package.check_triangle(there)


def check_choice(s: Measured) -> None:
    """Some candidates, their names, and what a slim fit keeps are those of all."""
    at = np.array([4, 1, 7])
    some = s.call("`some_candidates`", s.trained.some_candidates, s.frame, at)
    require(same(some, part(s.candidates, at)), f"{s}: `some_candidates` represents candidates otherwise than `candidates` does")
    slim, few, kept = s.call("`slim`", s.trained.slim, part(s.rows, at), part(s.candidates, at))
    require(equal(s.between(few, kept, slim), s.D[at][:, at]), f"{s}: as `slim` makes it, it measures otherwise")


def check_power(s: Measured) -> None:
    """The declared power of the dissimilarity is a sum over variables, and its groups are predictors."""
    predictors, groups = list(s.frame.schema), s.trained.column_groups
    named = [c for group in groups for c in group]
    require(set(named) <= set(predictors), f"{s}: column_groups has {named}, but the predictors are {predictors[:10]}")
    power = s.trained.power
    if power is None:
        return
    if not np.isfinite(power) or s.metric.given or not s.frame.formula.plain() or s.frame.columns.isna().any(axis=None):
        return
    alone = [(c,) for c in predictors if c not in named]
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


def check_dependence(s: Measured) -> None:
    """A metric says whether it depends on the training rows, and what depends on them is in its fields."""
    other = unless_refused(s.train, s.frame.take(np.arange(len(s) // 2)))
    if other is None:
        return
    D = unless_refused(s.measured_by, other)
    alike = D is None or s.metric.train_in_folds or equal(D, s.D)
    require(s.metric.data_dependent or (alike and s.trained == other), f"{s}: trained on other rows it differs: declare data_dependent")
    require(
        s.trained != other or alike,
        f"{s}: trained on other rows its dissimilarities differ, but it is still equal: its fields lack something it learned, or __eq__ "
        "leaves some out",
    )


def check_folds(s: Measured) -> None:
    """A metric that is trained in folds takes folds without a class."""
    if s.frame.response is None or not s.metric.train_in_folds:
        return
    D = s.measured_by(s.metric.pretrain(s.frame).train(s.frame))
    fine = np.allclose(D, s.D, rtol=1e-9, atol=1e-12 * max(1.0, s.D.max()))
    require(fine, f"{s}: `pretrain` and then `train` on the same rows measures otherwise than `train` alone")
    for c, level in enumerate(s.frame.levels):
        rows = np.flatnonzero(s.frame.codes != c)
        if 0 < len(rows) < len(s):
            there = s.on(f"training rows without the class {shown(level)}")
            found = unless_refused(trained_otherwise, there, s.frame.take(rows), s.metric.pretrain(s.frame))
            if found is not None:
                check_usable(there, found, "dissimilarities")


def check_parts(s: Measured) -> None:
    """Parts of the rows are represented as all rows are, where that is declared."""
    n = len(s)
    if s.metric.row_by_row:
        for cuts in ((0, 5, n), (0, 1, 2, n // 2, n)):
            parts = [s.rows_of(s.frame.take(slice(a, b))) for a, b in pairwise(cuts)]
            D = np.concatenate([s.between(rep, s.candidates) for rep in parts])
            require(equal(D, s.D), f"{s}: row_by_row is declared, and parts of the rows are represented otherwise: leave the "
                "declaration out")


LADDER = np.concatenate([[0.0], 10.0 ** np.linspace(-150, 150, 601)])  # distances that a geometry makes dissimilarities of


def check_geometry(s: Measured) -> None:
    """A declared geometry gives the bits of `between`, and its values never fall."""
    geometry = s.trained.geometry
    if geometry is None:
        return
    require(isinstance(geometry, Geometry), f"{s}: geometry is a {type(geometry).__name__}: it must be a protoclass Geometry, or None")
    for where, rows, candidates, D in s.places:
        a, b = rows[0], candidates[0]
        floats = a.dtype in (np.float32, np.float64) and a.dtype == b.dtype
        fine = floats and a.ndim == b.ndim == 2 and a.shape[1:] == b.shape[1:]
        require(fine, f"{s}: geometry is declared, but the first arrays of `rows` and `candidates` are {a.dtype} {a.shape} and {b.dtype} "
                f"{b.shape}: they must be coordinates (rows, dimensions) in floats")  # fmt: skip
        values = s.call("`geometry.value`", geometry.value, minkowski(a, b, geometry.r))
        if equal(np.asarray(values), D):
            continue
        i, j = first_unequal(np.asarray(values), D)
        raise ContractError(
            f"{s}: geometry is declared, but on {where} D[{i}, {j}] = {float(D[i, j])!r}, and the geometry gives {float(values[i, j])!r}: "
            "`between` must return the identical geometry.value(minkowski(rows[0], candidates[0], geometry.r)), or leave out the "
            "declaration"
        )
    for kind in (np.float64, np.float32):
        steps = np.unique(np.concatenate([LADDER, s.D.ravel()[:500], np.nextafter(s.D.ravel()[:500], np.inf)]))
        steps = np.unique(steps[steps <= np.finfo(kind).max].astype(kind))
        with np.errstate(over="ignore", under="ignore"):
            values = np.asarray(s.call("`geometry.value`", geometry.value, steps))
        require(values.dtype == kind, f"{s}: geometry.value returns {values.dtype} for {np.dtype(kind)}: it must not change the precision")
        falls = ~(values[1:] >= values[:-1])
        k = int(falls.argmax())
        require(
            not falls.any(), f"{s}: geometry.value falls from {values[k]:.6g} to {values[k + 1]:.6g} when the distance rises "
                f"from {steps[k]:.6g} "
            f"to {steps[k + 1]:.6g}: it must never fall, or comparisons by distances are wrong",
        )  # fmt: skip


def check_untouched(s: Measured) -> None:
    """Nothing that is handed out is changed, no global generator is drawn from, and the same call gives the same bits."""
    frame = mold(s.formula, s.data, response=s.frame.response is not None)
    design = unless_refused(lambda: frame.design.to_numpy())
    shared = {"frame.columns": frame.columns.to_numpy(), "weights": frame.weights, **({} if design is None else {"design": design})}
    shared |= {} if frame.response is None else {"codes": frame.codes}
    with watching(f"{s}: `train`", **shared):
        trained = s.train(frame)
    with watching(f"{s}: `rows`", **shared):
        rows = s.rows_of(frame, trained)
    with watching(f"{s}: `candidates`", **shared):
        candidates = s.candidates_of(frame, trained)
    handed = tuple(_locked(a) for a in rows), tuple(_locked(a) for a in candidates)
    with watching(f"{s}: `between`"):
        D = s.between(*handed, trained)
    known = D.copy()
    again = s.between(part(handed[0], slice(None, None, -1)), part(handed[1], slice(None, None, -1)), trained)
    require(equal(D, known), f"{s}: `between` gives an array that a later call overwrites: make a new array in each call")
    require(same(handed, (rows, candidates)), f"{s}: `between` changes the representations that it is given: copy them first")
    cure = "draw from a separate generator, np.random.default_rng(seed), with a seed that is a parameter"
    require(equal(again[::-1, ::-1], D), f"{s}: a part of the matrix differs from the matrix when rows come in another order: each pair "
            "must be measured by itself")  # fmt: skip
    require(equal(s.between(*handed, trained), known), f"{s}: `between` gives other values for the same rows a second time: {cure}")
    for side, rep, once_more in (("rows", rows, s.rows_of(frame, trained)), ("candidates", candidates, s.candidates_of(frame, trained))):
        require(same(rep, once_more), f"{s}: `{side}` gives another representation of the same rows a second time: {cure}")


def _locked(a: Array) -> Array:
    copied = a.copy()
    copied.setflags(write=False)
    return copied


def check_what_is_learned(s: Measured) -> None:
    """What is learned is in arrays, in fields alone, equal where the rows are; copies of it measure alike."""
    kind = type(s.trained)
    learned = {f.name: getattr(s.trained, f.name) for f in fields(s.trained) if f.name != "spec"}
    for name, value in learned.items():
        require(
            _storable(value),
            f"{s}: the field {name!r} of {kind.__name__} is a {type(value).__name__}: store what is learned in arrays "
            "(np.array(...)), tuples "
            "of arrays, or trained metrics, which can be compared and saved",
        )
    try:
        made = kind(**{f.name: getattr(s.trained, f.name) for f in fields(s.trained)})
    except Exception as reason:
        raise ContractError(f"{s}: {kind.__name__} can't be made again from its fields ({reason}): let __init__ take the "
            "fields") from reason
    try:
        measured = s.measured_by(made)
    except ContractError as reason:
        raise ContractError(
            f"{s}: a copy of {kind.__name__} made from its fields raises an error, because its fields lack something it learned ({reason})"
        ) from reason
    require(
        equal(measured, s.D),
        f"{s}: a copy of {kind.__name__} made from its fields gives other dissimilarities: store everything it learned in its fields",
    )
    again = s.train(s.frame)
    require(
        s.trained == again and equal(s.measured_by(again), s.D), f"{s}: trained twice on the same rows it is not equal to "
            "itself, or measures "
        "otherwise: draw from np.random.default_rng(seed), with a seed that is a parameter, and store no state outside of the "
        "trained metric",
    )  # fmt: skip
    copied = pickled(s.trained, f"the trained metric {s}")
    require(equal(s.measured_by(copied), s.D), f"{s}: pickled, it measures otherwise")
    try:
        hashes = {hash(s.trained), hash(again), hash(copied)}
    except TypeError as reason:
        raise ContractError(f"{s}: {kind.__name__} can't be hashed ({reason}): a class that writes __eq__ writes __hash__ too") from reason
    require(s.trained == copied and len(hashes) == 1, f"{s}: a pickled copy of {kind.__name__} is not equal, or has another hash: write "
            "no __eq__ and no __hash__")  # fmt: skip
    s.trained.arrays()


def _storable(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_storable, value))
    return isinstance(value, (np.ndarray, TrainedMetric))


def check_unusual_rows(s: Measured) -> None:
    """New rows far away, on a line, of zeros and copies have finite values, or are refused; alone as among others."""
    if s.metric.given:
        return
    for where, table in s.unkind:
        there = s.on(where)
        D = unless_refused(there.new, table)
        if D is not None:
            check_usable(there, D, "dissimilarities of new rows")
            check_rows_alone(there, table, D, (0, len(table) - 1))


def check_few_rows(s: Measured) -> None:
    """Trained on one row, on copies of a row and on a few rows it measures, or refuses."""
    for where, rows in (("one training row", [0]), ("training rows that are all copies", [0, 0, 0]), ("three training rows", [0, 1, 2])):
        there = s.on(where)
        frame = s.frame.take(np.array(rows))
        D = unless_refused(trained_otherwise, there, frame, s.metric)
        if D is not None:
            check_usable(there, D, "dissimilarities")


def check_state(s: Measured) -> None:
    """Training on other rows changes nothing that was measured before."""
    half = s.frame.take(np.arange(len(s) // 2))
    others: list[Callable[[], Any]] = [lambda: s.metric.train(half)]
    columns = fractions(s.data, s.frame)
    if columns and not s.metric.given:
        others.append(lambda: trained_on(s.metric, far(s.data, columns), s.formula).D)
    for other in others:
        unless_refused(lambda: s.call("`train` on other rows", other))  # noqa: B023
        for rows, candidates in ((s.rows, s.candidates), (s.rows_of(s.frame), s.candidates_of(s.frame))):
            cure = "store what is learned in fields of the trained metric, not in the metric, its class or a module"
            require_same_rows(s, s.between(rows, candidates), "after training on other rows", cure)


def check_own_row(s: Measured) -> None:
    """No row is nearer to another candidate than to itself."""
    D = s.D
    if s.metric.given or D.shape[0] != D.shape[1]:
        return
    excess = D.diagonal() - D.min(axis=1)
    i = int(excess.argmax())
    j = int(D[i].argmin())
    require(
        excess[i] <= 1e-7 * max(1e-300, D.max()), f"{s}: row {i} is nearer to row {j} ({D[i, j]:.6g}) than to itself "
            f"({D[i, i]:.6g}): a "
        "dissimilarity is least between a row and itself; is its sign reversed, or is it a similarity?",
    )  # fmt: skip


CHECKS: tuple[Callable[[Any], None], ...] = (
    check_untouched, *package.CHECKS, check_power, check_places, check_choice, check_what_is_learned, check_state,
    check_unusual_rows, check_own_row, check_folds, check_dependence, check_few_rows, check_parts, check_geometry,
)  # fmt: skip

ON_TABLES = (
    package.check_values, package.check_cutting, package.check_alone, package.check_missing, check_places, check_unusual_rows,
    check_few_rows, check_folds, check_own_row,
)  # fmt: skip


def check_metric(metric: Any, data: Any = None, formula: str = "y ~ .") -> None:
    """The contract of `protoclass.testing.check_metric`, and what else holds of built-in metrics, also on difficult data."""
    first = further(package.measured(metric, data, formula))
    with accepted(f"{first}: the rows of the check are refused"):
        hold(first, CHECKS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is odd in these data is meant to be
        for where, other, names in tables(first.data, first.frame, formula, data is not None):
            unless_refused(lambda: hold(further(trained_on(first.metric, other, names), where), ON_TABLES))  # noqa: B023
