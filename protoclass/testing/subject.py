"""A method under check, and what all its checks look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.query import Query, answer
from ..core.task import Rule, Task
from ..estimation.problem import Call, Problem, prepare
from ..fitting import Fit
from ..metrics.minkowski import Euclidean
from ..models.base import Model
from ..models.registry import MODELS
from .contract import own_errors

RAW = Euclidean(scale=False)
BY_CLASS = ("distance", "prob", "decision")


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


def problem_of(data: pd.DataFrame, model: Model, seed: int = 0) -> Problem:
    """A problem that nothing has been learned from, on a copy of the data."""
    return prepare(Call("fit", "y ~ .", data.copy(), {"method": model, "dissimilarity": RAW, "cv": None, "seed": seed}))


def answers(rule: Rule, query: Query) -> dict[str, np.ndarray]:
    """What a rule predicts of the rows of a query, by kind."""
    return {kind: answer(rule, kind, query) for kind in rule.kinds}


def close(a: Any, b: Any) -> np.ndarray:
    """Whether numbers are equal up to rounding, also NaN and inf."""
    return np.asarray(np.isclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True))


def alike(kind: str, one: np.ndarray, two: np.ndarray) -> bool:
    """Whether two predictions of a kind are the same, numbers up to rounding."""
    if one.shape != two.shape:
        return False
    return bool((close(one, two) if kind in BY_CLASS else one == two).all())


def first_unlike(kind: str, one: np.ndarray, two: np.ndarray) -> int:
    """The first row of which two predictions of a kind differ."""
    same = close(one, two) if kind in BY_CLASS else one == two
    return int(np.argmin(same.reshape(len(same), -1).all(axis=1)))


@contextmanager
def registered(kind: type[Model]) -> Iterator[None]:
    """Within it the method is known by its name, as after `pc.register`."""
    before = MODELS.get(kind.name)
    MODELS[kind.name] = kind
    try:
        yield
    finally:
        if before is None:
            del MODELS[kind.name]
        else:
            MODELS[kind.name] = before


@contextmanager
def deed(s: Subject, what: str) -> Iterator[None]:
    """Within it an error of another package is a broken promise of the method."""
    with own_errors(f"{s}: {what}", s.modules):
        yield
