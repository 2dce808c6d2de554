"""The contract of a metric: what holds of every metric, whatever it declares."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.sources import Rep, part
from ..frames.frame import Frame, mold
from ..frames.tables import as_pandas
from ..ground.errors import shown
from ..metrics.base import Metric, TrainedMetric, Traits, same
from ..metrics.registry import metric as by_name
from .claims import CLAIMS
from .contract import ContractError, accepted, hold, pickled, require, thirty_columns, unless_refused, watching
from .measured import Array, Measured, equal, far, first_unequal, fractions, tables, trained_on


def check_metric(metric: Metric | type[Metric] | str, data: Any = None, formula: str = "y ~ .") -> None:
    """Check that a custom metric satisfies the requirements of the package.

    Everything is checked on the data, and again on difficult data: rows 1000 times as far apart, copies, no rows, constant columns,
    columns of 0 and 1, categories, classes of very unequal sizes. A metric may reject these, by an error of this package such as
    `DataError`.

    * Representations have one entry for each row and can be split.
    * Dissimilarities are finite and not negative, bit-identical however rows are split, and a row is nearest to itself. A new row has
      the same values alone and among others.
    * Arrays of a frame are not modified, and results do not change later.
    * Learned values are only in named arrays, can be pickled and saved, and do not depend on the classes of held-out rows.
    * Declarations agree with the computed values: symmetry, the triangle inequality, `geometry`, coordinates, `power`, training in
      parts, SQL.

    Parameters
    ----------
    metric : Metric, subclass of Metric that can be made without arguments, or name
        Metric to check.
    data : DataFrame, optional
        Rows for the metric, at least 12. Default: thirty columns of numbers, and tables of other kinds, which the metric may reject.
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
    checked: Any = by_name(metric) if isinstance(metric, str) else metric() if isinstance(metric, type) else metric
    require(isinstance(checked, Metric), f"{type(checked).__name__} is not a subclass of protoclass.Metric")
    table = thirty_columns() if data is None else as_pandas(data)
    check_declarations(checked)
    first = trained_on(checked, table, formula)
    require(len(first) >= 12, f"check_metric needs 12 rows or more, and there are {len(first)}")
    hold(first, CHECKS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is odd in these data is meant to be
        for where, other, names in tables(first.data, first.frame, formula, data is not None):
            unless_refused(_check_on, checked, other, names, where)


def _check_on(metric: Metric, table: pd.DataFrame, formula: str, where: str) -> None:
    hold(trained_on(metric, table, formula, where), CHECKS)


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
        raise ContractError(f"{name} can't be hashed or compared ({reason}): a class that writes __eq__ writes __hash__ too") from reason
    require(equals, f"{name}: a pickled copy of the metric is not equal to it: write no __eq__, or compare all parameters")
    require(hashes, f"{name}: a pickled copy of the metric is equal to it and has another hash: write no __hash__, or hash the parameters")


def check_values(s: Measured) -> None:
    """Dissimilarities are finite, not negative, and of the right shape."""
    require(np.issubdtype(s.D.dtype, np.floating), f"{s}: between gave an array of {s.D.dtype}: floats are needed")
    _usable(s, s.D, "dissimilarities")


def _usable(s: Measured, D: Array, what: str) -> None:
    fine = np.isfinite(D) & (D >= 0)
    if not fine.all():
        i, j = np.argwhere(~fine)[0]
        raise ContractError(
            f"{s}: {what} must be finite and at least 0, but D[{i}, {j}] is {D[i, j]}: is there a division by a spread that is 0, a "
            "logarithm or root of a negative number, or a class without rows?"
        )


def check_untouched(s: Measured) -> None:
    """Nothing that is handed out is changed, no global generator is drawn from, and the same call gives the same bits."""
    frame = mold(s.formula, s.data, response=s.frame.response is not None)
    design = unless_refused(lambda: frame.design.to_numpy())
    shared = {"table": frame.columns, "weights": frame.weights, **({} if design is None else {"design": design})}
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
    require(len(names) == len(candidates[0]), f"{s}: `candidate_names` gives {len(names)} names for {len(candidates[0])} candidates")
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
    require(again.shape == s.D.shape, f"{s}: the same rows have dissimilarities of shape {again.shape} when they come as new rows")
    _require_same(s, again, "when they come as new rows", "`rows` must not use the response or the labels of rows")
    n = len(s)
    _check_alone(s, s.data, s.D, (0, n // 2, n - 1), "")
    turned = s.data.iloc[::-1].set_axis([f"new {k}" for k in range(n)], axis=0)
    _require_same(s, s.new(turned)[::-1], "in another order, under other labels", "a row's representation must follow from its own values")
    for where, table in s.unkind:
        unless_refused(s.on(where).new, table)
    _check_alone(s, s.data, s.D, (1,), " after other rows were represented")
    empty = unless_refused(s.new, s.data.iloc[:0])
    require(empty is None or empty.shape == (0, len(s.candidates[0])), f"{s}: new rows of an empty table have another shape than (0, q)")


def _check_alone(s: Measured, table: pd.DataFrame, D: Array, rows: tuple[int, ...], when: str) -> None:
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


def _require_same(s: Measured, D: Array, when: str, cure: str) -> None:
    """The rows of the check have the same dissimilarities when they are measured in another way."""
    if not equal(D, s.D):
        i, j = first_unequal(D, s.D)
        where = f"{shown(s.frame.index[i])} to candidate {j}: {D[i, j]:.6g}, not {s.D[i, j]:.6g}"
        raise ContractError(f"{s}: the same rows have other dissimilarities {when} ({where}): {cure}")


def check_unusual_rows(s: Measured) -> None:
    """New rows far away, on a line, of zeros and copies have finite values, or are refused; alone as among others."""
    if s.metric.given:
        return
    for where, table in s.unkind:
        there = s.on(where)
        D = unless_refused(there.new, table)
        if D is not None:
            _usable(there, D, "dissimilarities of new rows")
            _check_alone(there, table, D, (0, len(table) - 1), "")


def check_few_rows(s: Measured) -> None:
    """Trained on one row, on copies of a row and on a few rows it measures, or refuses."""
    for where, rows in (("one training row", [0]), ("training rows that are all copies", [0, 0, 0]), ("three training rows", [0, 1, 2])):
        there = s.on(where)
        frame = s.frame.take(np.array(rows))
        D = unless_refused(_trained_otherwise, there, frame, s.metric)
        if D is not None:
            _usable(there, D, "dissimilarities")


def _trained_otherwise(s: Measured, frame: Frame, metric: Metric) -> Array:
    trained = s.train(frame, metric)
    return s.between(s.rows_of(s.frame, trained), s.candidates_of(frame, trained), trained)


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
            _require_same(s, s.between(rows, candidates), "after training on other rows", "store what is learned in fields of the trained "
                          "metric, not in the metric, its class or a module")  # fmt: skip


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
            found = unless_refused(_trained_otherwise, there, s.frame.take(rows), s.metric.pretrain(s.frame))
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


CHECKS: tuple[Callable[[Measured], None], ...] = (
    check_untouched, check_values, check_cutting, check_what_is_learned, check_alone, check_state,
    check_unusual_rows, check_own_row, check_labels, check_held_out, check_dependence, check_few_rows, *CLAIMS,
)  # fmt: skip

__all__ = ["ContractError", "Rep", "check_metric"]
