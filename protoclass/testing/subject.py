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
from .contract import ContractError, own_errors, require

RAW = Euclidean(scale=False)
ROUNDING = 1e-9  # of a number: what the order of sums may change
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


def close(a: Any, b: Any, rtol: float = ROUNDING) -> np.ndarray:
    """Whether numbers are equal up to rounding, also NaN and inf."""
    return np.asarray(np.isclose(a, b, rtol=rtol, atol=rtol / 1000, equal_nan=True))


def require_same(s: Any, found: Mapping[str, Any], want: Mapping[str, Any], what: str, cure: str, rtol: float = ROUNDING) -> None:
    """What is predicted is the same by two ways, for every kind; `what` gave what is found."""
    require(set(found) == set(want), f"{s}: {what} predicts the kinds {sorted(found)} instead of {sorted(want)}: {cure}")
    for kind, values in want.items():
        here = np.asarray(found[kind])
        fits = here.shape == values.shape
        require(fits, f"{s}: {what} predicts {kind!r} in the shape {here.shape} instead of {values.shape}: {cure}")
        same = close(here, values, rtol).reshape(len(values), -1).all(axis=1)
        if not same.all():
            row = int(same.argmin())
            raise ContractError(f"{s}: {what} predicts {kind!r} otherwise (row {row}: {here[row]} instead of {values[row]}): {cure}")


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
