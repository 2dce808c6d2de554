"""Data that are less kind than those that a metric was tried on: far rows, copies, lines, constant columns, uneven classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from ..frames.frame import Frame

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
