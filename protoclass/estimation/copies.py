"""Copies of rows: in other folds, and of training rows among new rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..frames.frame import Frame
from ..frames.schema import Column, numbers, with_levels
from .problem import Problem

# probabilities of this many coincidences, below which they raise an error or a warning
SURE, UNLIKELY = 1e-6, 1e-3
COPIES = "have the predictors of a row in another fold"
# times the expected number of equal pairs; parts of the SD up to which numbers are the same
COPIED, FINE = 200, (1e-4, 1e-2, 3e-2)


def copied(problem: Problem, of_fold: Array) -> str:
    """Warning if rows have copies in another fold of the first repeat, without groups; or ""."""
    texts = [name for name, column in problem.frame.schema.items() if column.kind == "category"]
    letters = (
        len(problem.frame.schema) == len(texts) == 1
        and problem.metric.unseen_in(texts[0]) == "measured"
    )
    return "" if problem.groups is not None else copies_across(problem.frame, of_fold[0], letters)


def copies_across(frame: Frame, fold: Array, letters: bool = False) -> str:
    """Warning if rows have the predictors of a row in another fold (n,), up to rounding.

    It is "" if that may be a coincidence. `letters`: whether letters are compared.

    Coincidences come with pairs of rows that agree in all variables but one, which copies lack. For
    independent variables the numbers of such pairs and of equal ones have the ratio of the sum of
    (1 - q) / q to 1, with the proportion q of pairs that agree in a variable. Variables may be
    dependent, so only `COPIED` times the expected number of equal pairs is beyond coincidence. Rows
    that are close because variables depend on one another come with many more that are ten times as
    far apart. Predictors that many rows share do not count, nor does a single predictor.
    """
    if frame.absent is not None:
        return ""
    columns, schema = frame.columns, dict[Any, Any](frame.schema)
    series = "series" in {column.kind for column in schema.values()}
    if series or letters:  # the halves of a series are two variables
        whole = [[*map(ord, str(values))] if letters else values for values in columns.iloc[:, 0]]
        columns = pd.DataFrame([np.array_split(np.asarray(values), 2) for values in whole])
        schema = dict.fromkeys(columns, Column("series"))
    if len(schema) < 2:
        return ""
    roughly = signatures(columns, schema, FINE[-1])
    if len(frame) - len(np.unique(roughly)) < len(frame) / 200:
        return ""  # hardly any rows are the same even roughly, as in most data
    return next(
        filter(None, (_copies(frame, columns, schema, fold, digits) for digits in FINE)), ""
    )


def _copies(
    frame: Frame,
    columns: pd.DataFrame,
    schema: Mapping[Any, Column],
    fold: Array,
    digits: float,
) -> str:
    """What `copies_across` says of numbers that are the same up to a part of their SD."""
    own = _columns(columns, schema, digits)
    every, n = np.add.reduce(own), len(frame)
    _, place, count = np.unique(every, return_inverse=True, return_counts=True)
    few = count[place] <= max(10, n / 20)
    several = np.flatnonzero((count[place] > 1) & few)
    folds = pd.Series(fold[several]).groupby(place[several])
    apart = int((folds.transform("min") != folds.transform("max")).sum())
    if apart < max(4, n / 100):
        return ""
    same = _pairs(every)
    agree = np.array([_pairs(values) / (n * (n - 1) / 2) for values in own])
    near = sum(_pairs(every - values) - same for values in own)
    expected = (near + 1) / ((1 - agree) / np.maximum(agree, 1 / n**2)).sum()
    if _pairs(every[several]) < max(
        COPIED * expected, _pairs(signatures(columns, schema, 10 * digits)[few]) / 2
    ):
        return ""
    # the columns that distinguish rows best
    names = [list(frame.schema)[k] for k in np.argsort(agree)[:3] if k < len(frame.schema)]
    series = frame.schema[names[0]].kind == "series"
    exact = not series and len(np.unique(signatures(frame.columns, frame.schema))) == len(count)
    cure = (
        f"groups=data.groupby({names!r}, dropna=False).ngroup()"
        if exact
        else "a column that identifies what was copied"
    )
    return (
        f"{apart} of the {n} rows {COPIES} (expected by coincidence: about {2 * expected:.2g}), so "
        "errors on held-out rows are too low for "
        f"new ones: use groups= with one value for all copies of a row, such as {cure}"
    )


def _columns(
    columns: pd.DataFrame, schema: Mapping[Any, Column], digits: float | None
) -> list[Array]:
    """Numbers of the values of each column (n,), whose sum is a number of the row."""
    return [
        values * np.uint64(2 * k + 1) for k, values in enumerate(hashes(columns, schema, digits))
    ]


def _pairs(values: Array) -> float:
    """The number of pairs of equal values."""
    count = np.unique(values, return_counts=True)[1].astype(float)
    return float((count * (count - 1)).sum() / 2)


def hashes(columns: pd.DataFrame, schema: Any, digits: float | None = None) -> Iterator[Array]:
    """A code for each value (n,), equal for numbers that are equal up to a part of their SD."""
    for name, column in schema.items():
        if column.kind == "series":
            values: Any = (
                columns[name]
                .map(lambda series: (np.asarray(series, float) + 0.0).tobytes())
                .to_numpy(object)
            )
        elif column.kind == "category":
            values = with_levels(columns[name], column)
        else:
            values = np.asarray(numbers(columns[name]), float) + 0.0  # -0.0 is 0.0
        if digits is not None and column.kind == "numeric":
            # squares of large ones overflow
            values = values / (np.abs(values).max(initial=0.0, where=~np.isnan(values)) or 1.0)
            values = np.round(values / (pd.Series(values).std(ddof=0) * digits or 1.0)) + 0.0
        yield pd.util.hash_array(values, categorize=False)


def signatures(columns: pd.DataFrame, schema: Any, digits: float | None = None) -> Array:
    """A number for each row (n,), which is the same for the same predictors."""
    return np.add.reduce(_columns(columns, schema, digits))


@dataclass(frozen=True)
class Coincidences:
    """New rows with the predictors of a training row."""

    rows: int  # new rows
    # bool (rows,): rows with the predictors of any training row, or of the training row with the
    # same label
    same: Array
    expected: float  # expected number by coincidence
    chance: float  # probability of this many by coincidence
    sure: bool  # whether they are training rows beyond doubt
    # whether `same` compares rows with the same label: if these are too many for coincidence
    by_label: bool

    @property
    def unlikely(self) -> bool:
        return self.chance < UNLIKELY

    def words(self) -> str:
        """How many there are, and how many there would be."""
        which = "the training row with the same label" if self.by_label else "a training row"
        return (
            f"{self.same.sum()} of the {self.rows} rows have the predictors of {which} (expected by "
            f"coincidence: about {self.expected:.2g})"
        )


def coincidences(
    frame: Frame, new: pd.DataFrame, answers: Callable[[Any], Array] | None
) -> Coincidences | None:
    """Complete new rows that coincide with training rows; None if the training rows are gone.

    For given dissimilarities, rows coincide if `answers` gives the same values for them.

    The probability that a new row has the predictors of some training row is estimated by the
    proportion of training rows with a double. For training rows without a double it is estimated by
    the proportion of training rows with exactly one double (Good 1953). For rows with the same
    label it is estimated by the proportion of pairs of training rows that coincide. Only
    coincidences with training rows without a double, or of all rows with the training rows of the
    same labels, are sure.

    In simulations of six kinds of data (`python benchmarks/coincidences.py`), at most 1.5 % of sets
    of independent rows were unlikely, and none sure. Training rows with other labels were always
    unlikely, unless nearly all possible rows had been seen.

    References
    ----------
    Good (1953), *The population frequencies of species and the estimation of population
    parameters*.
    """
    from scipy.stats import betabinom  # 0.4 s that most fits do without

    if frame.absent is not None or len(new) == 0:
        return None
    if len(frame.schema):
        known, given = signatures(frame.columns, frame.schema), signatures(new, frame.schema)
    elif answers is not None:
        known, given = (
            pd.util.hash_pandas_object(pd.DataFrame(answers(rows) + 0.0), index=False).to_numpy()
            for rows in (None, new)
        )
    else:
        return None
    n, m = len(known), len(given)
    found, place, count = np.unique(known, return_inverse=True, return_counts=True)
    at = np.minimum(np.searchsorted(found, given), len(found) - 1)
    of_any = found[at] == given
    single = of_any & (count[at] == 1)
    own = frame.index.get_indexer(new.index)
    labelled = own >= 0
    same_label = labelled & (known[own] == given)
    alone, twice = (count == 1).sum(), 2 * (count == 2).sum()
    # the proportion of pairs of training rows that coincide
    pair = (count * (count - 1.0)).sum() / max(n * (n - 1.0), 1.0)
    half = n / 2  # training rows coincide in pairs, so they count half
    tests = {
        "any": (of_any.sum(), m, (n - alone) / 2, alone / 2),
        "single": (single.sum(), m, twice / 2, half - twice / 2),
        "same label": (same_label.sum(), labelled.sum(), pair * half, (1 - pair) * half),
        "single same label": (
            (same_label & single).sum(),
            labelled.sum(),
            twice / 2,
            max(half * alone - twice / 2, 0.0),
        ),
    }
    # the prior of each probability is flat
    p = {
        name: betabinom.sf(k - 1, trials, yes + 1, no + 1)
        for name, (k, trials, yes, no) in tests.items()
    }
    every = same_label.all() and len(np.unique(place[own])) > 1
    sure = min(p["single"], p["single same label"]) < SURE or (every and p["same label"] < SURE)
    by_label = p["same label"] < UNLIKELY
    name = "same label" if by_label else "any"
    _, trials, yes, no = tests[name]
    return Coincidences(
        m,
        same_label if by_label else of_any,
        trials * yes / max(yes + no, 1),
        min(p.values()),
        sure,
        by_label,
    )
