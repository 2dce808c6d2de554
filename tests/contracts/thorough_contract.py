"""What thorough contracts are made of, besides what the contracts of the package are."""

from __future__ import annotations

import random
import traceback
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from protoclass.core.query import Query
from protoclass.core.task import Task
from protoclass.fitting import Fit
from protoclass.ground.errors import ProtoclassError
from protoclass.metrics.base import same
from protoclass.models.base import Model
from protoclass.testing.contract import (
    ContractError,
    require,
)


@dataclass(frozen=True)
class Subject:
    """A method under check: the example parameters, one value each, and what it learned with them."""

    kind: type[Model]
    single: Model
    values: Mapping[str, tuple[Any, ...]]
    data: pd.DataFrame
    new: pd.DataFrame
    fit: Fit

    def __str__(self) -> str:
        return self.kind.__name__

    @property
    def modules(self) -> frozenset[str]:
        """The modules in which the method and its rule are defined."""
        return modules_of(self.kind) | {type(self.fit.rule).__module__}

    def task(self) -> Task:
        """The task of all rows, made again."""
        return self.fit.chosen_problem.task(self.fit.dissimilarity)

    def query(self, new: pd.DataFrame | None = None) -> Query:
        """New rows, measured again: those of the check if none are given."""
        return self.fit.query(self.new if new is None else new)[0]


def modules_of(kind: type[Model]) -> frozenset[str]:
    """The modules in which a method is defined."""
    return frozenset(c.__module__ for c in kind.__mro__ if issubclass(c, Model) and c is not Model)


@contextmanager
def deed(s: Subject, what: str) -> Iterator[None]:
    """Within it an error of another package is a broken promise of the method."""
    with own_errors(f"{s}: {what}", s.modules):
        yield


S = TypeVar("S")
T = TypeVar("T")
WORDS = {  # for arrays that are watched
    "y": "task.y", "w": "task.w", "candidate_row": "task.candidate_row", "D": "task.D, the dissimilarities",
    "coordinates": "task.coordinates()", "columns": "task.columns()", "fold": "`fold`",
    "dissimilarities": "query.dissimilarities(...)", "query_coordinates": "query.coordinates()", "query_columns": "query.columns()",
    "given": "`columns`", "rows": "the rows as the metric has them, task.coordinates()", "table": "frame.columns", "design": "frame.design",
    "codes": "frame.codes", "weights": "frame.weights",
}  # fmt: skip


@contextmanager
def watching(who: str, **values: Any) -> Iterator[None]:
    """Within it these arrays and tables, and the global generators, stay as they are."""
    before = {name: value.copy() for name, value in values.items()}
    states = np.random.get_state(), random.getstate()
    np.random.seed(31_415)  # a state that code which seeds does not leave by chance
    known = np.random.get_state()
    try:
        yield
        drawn = not all(map(np.array_equal, np.random.get_state(), known)), random.getstate() != states[1]
    finally:
        np.random.set_state(states[0])
        random.setstate(states[1])
    for name, value in values.items():
        unchanged = value.equals(before[name]) if isinstance(value, pd.DataFrame) else same(value, before[name])
        require(
            unchanged,
            f"{who} writes into {WORDS.get(name, name)} in place, which others use too: work on a copy, np.array(...)",
        )
    for used, generator in zip(drawn, ("np.random", "of the module random"), strict=True):
        require(
            not used, f"{who} draws from the global generator {generator}, or seeds it, but it belongs to the user: draw from "
            "np.random.default_rng(seed), whose seed is task.seed in `path` and a parameter of a metric, and draw nothing in `predict`",
        )  # fmt: skip


@contextmanager
def own_errors(what: str, modules: Collection[str]) -> Iterator[None]:
    """Turn an error of another package into a ContractError that names it, with its last line in one of these modules."""
    try:
        yield
    except ProtoclassError:
        raise
    except Exception as reason:
        calls = traceback.walk_tb(reason.__traceback__)
        lines = [(frame.f_code.co_name, line) for frame, line in calls if frame.f_globals.get("__name__") in modules]
        place = f" (line {lines[-1][1]}, in `{lines[-1][0]}`)" if lines else ""
        raise ContractError(f"{what} ends in {type(reason).__name__}: {reason}{place}") from reason


def uneven_classes(seed: int = 0) -> pd.DataFrame:
    """Three classes of 36, 19 and 9 rows, in columns that are skewed, counts, constant, and Gaussian with a far row.

    Some rows are copies of one another; the response is `y`.
    """
    draw = np.random.default_rng([seed, 4])
    y = np.repeat([0, 1, 2], [36, 19, 9])
    centres = np.array([[1.0, 3, 0.0], [9.0, 4, 0.0], [3.0, 16, 2.0]])
    frame = pd.DataFrame({
        "a": centres[y, 0] + draw.gamma(1.5, 0.6, len(y)), "b": centres[y, 1] + draw.poisson(1.5, len(y)), "d": 1.0,
        "c": centres[y, 2] + 0.6 * draw.normal(size=len(y)), "y": np.array(["one", "two", "three"])[y],
    })  # fmt: skip
    frame.loc[5, "c"] = -12.0
    frame.loc[[7, 8, 40, 60]] = frame.loc[[6, 6, 41, 61]].to_numpy()
    return frame.sample(frac=1.0, random_state=int(draw.integers(2**31))).reset_index(drop=True)


def thirty_columns(seed: int = 0, rows: int = 66) -> pd.DataFrame:
    """Three classes in thirty columns `x1` to `x30`: sums over so many show in which order they are made."""
    draw = np.random.default_rng([seed, 3])
    y = np.arange(rows) % 3
    X = draw.normal(size=(rows, 30)) + draw.normal(size=(3, 30))[y]
    return pd.DataFrame(X, columns=[f"x{k}" for k in range(1, 31)]).assign(y=np.array(["one", "two", "three"])[y])
