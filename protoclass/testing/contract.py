"""The parts of contracts: fits that are checked, comparisons, and reports of a broken promise."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from ..core.query import Query, Rule, answer
from ..core.task import Task
from ..estimation.arguments import prepare
from ..estimation.problem import Call
from ..fitting import Fit, fit
from ..ground.errors import ProtoclassError
from ..metrics.base import same
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.minkowski import Euclidean
from ..models.base import Model

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

    def task(self) -> Task:
        """The task of all rows, made again."""
        return self.fit._chosen_problem.task(self.fit.dissimilarity)

    def query(self, new: pd.DataFrame | None = None) -> Query:
        """New rows, measured again: those of the check if none are given."""
        return self.fit._query(self.new if new is None else new)[0]


def measured_task(data: pd.DataFrame, model: Model, seed: int = 0) -> tuple[Dissimilarity, Task]:
    """The dissimilarities and the task of a problem that nothing has been learned from, on a copy
    of the data."""
    problem = prepare(
        Call(
            "fit",
            "y ~ .",
            data.copy(),
            {"method": model, "dissimilarity": RAW, "cv": None, "seed": seed},
        )
    )
    dissimilarity = problem.measure()
    return dissimilarity, problem.task(dissimilarity)


def answers(rule: Rule, query: Query) -> dict[str, np.ndarray]:
    """The predictions of a rule for the rows of a query, by kind."""
    return {kind: answer(rule, kind, query) for kind in rule.kinds}


def close(a: Any, b: Any, rtol: float = ROUNDING) -> np.ndarray:
    """Whether numbers are equal up to rounding, also NaN and inf."""
    return np.isclose(a, b, rtol=rtol, atol=rtol / 1000, equal_nan=True)


def require_same(
    s: Any,
    found: Mapping[str, Any],
    want: Mapping[str, Any],
    what: str,
    cure: str,
    rtol: float = ROUNDING,
) -> None:
    """Raise unless the predictions of every kind are the same in two ways; `what` names the way
    that gave `found`."""
    require(
        set(found) == set(want),
        f"{s}: {what} predicts the kinds {sorted(found)} instead of {sorted(want)}: {cure}",
    )
    for kind, values in want.items():
        given = np.asarray(found[kind])
        fits = given.shape == values.shape
        require(
            fits,
            f"{s}: {what} predicts {kind!r} in the shape {given.shape} instead of {values.shape}: {cure}",
        )
        same = close(given, values, rtol).reshape(len(values), -1).all(axis=1)
        if not same.all():
            row = int(same.argmin())
            raise ContractError(
                f"{s}: {what} predicts {kind!r} otherwise (row {row}: {given[row]} instead of {values[row]}): {cure}"
            )


def fit_to(data: pd.DataFrame, model: Model, formula: str = "y ~ .", **given: Any) -> Fit:
    """A fit of a method with given parameters."""
    return fit(formula, data, model, dissimilarity=RAW, cv=None, **given)


_S = TypeVar("_S")
_T = TypeVar("_T")


class ContractError(ProtoclassError, AssertionError):
    """A method or a metric breaks a promise; the message says which, where it was seen, and the
    cure."""


def pickled(value: _T, what: str) -> _T:
    """A copy by way of a pickle, which files and other processes need."""
    try:
        copied: _T = pickle.loads(pickle.dumps(value))
    except (pickle.PicklingError, TypeError, AttributeError) as reason:
        raise ContractError(
            f"{what} can't be pickled ({reason}): define classes and functions at the top of a "
            "module, and store only arrays and plain "
            "values"
        ) from reason
    return copied


def require(kept: Any, message: str) -> None:
    """Raise a ContractError with a message unless a promise is kept."""
    if not kept:
        raise ContractError(message)


def hold(subject: _S, claims: Iterable[Callable[[_S], None]]) -> None:
    """All claims are true of a subject.

    Raises
    ------
    ContractError
        With the words of the first claim that is not, which names the cause most often, and what
        the others are about.
    """
    broken = []
    for claim in claims:
        try:
            claim(subject)
        except ContractError as reason:
            broken.append((claim, reason))
        except (
            Exception
        ):  # such as data that are refused; after the first claim it follows from what is broken
            if not broken:
                raise
    if broken:
        (_, first), *others = broken
        about = ", ".join(
            f"{claim.__name__.removeprefix('check_').replace('_', ' ')}" for claim, _ in others
        )
        raise ContractError(
            f"{first}\n(also broken, perhaps for this reason: {about})" if others else str(first)
        ) from first


@contextmanager
def accepted(promise: str) -> Iterator[None]:
    """Within it nothing is refused; `promise` says what was promised, for a ContractError with the
    reason."""
    try:
        yield
    except ContractError:
        raise
    except ProtoclassError as reason:
        raise ContractError(f"{promise} ({reason})") from reason


@contextmanager
def watching(who: str, **values: Any) -> Iterator[None]:
    """Within it these arrays, and the global generator, stay as they are."""
    before = {name: value.copy() for name, value in values.items()}
    state = np.random.get_state()
    np.random.seed(31_415)  # a state that code which seeds does not leave by chance
    known = np.random.get_state()
    try:
        yield
        drawn = not all(map(np.array_equal, np.random.get_state(), known))
    finally:
        np.random.set_state(state)
    for name, value in values.items():
        require(
            same(value, before[name]),
            f"{who} writes into {name} in place, which others use too: work on a copy, np.array(...)",
        )
    require(
        not drawn,
        f"{who} draws from the global generator np.random, or seeds it, but it belongs to the user: draw from "
        "np.random.default_rng(seed), whose seed is task.seed in `path` and a parameter of a "
        "metric, and draw nothing in `predict`",
    )


@contextmanager
def own_errors(what: str) -> Iterator[None]:
    """Turn an error of another package into a ContractError that names it."""
    try:
        yield
    except ProtoclassError:
        raise
    except Exception as reason:
        raise ContractError(f"{what} raises {type(reason).__name__}: {reason}") from reason


def three_classes(seed: int = 0, rows: int = 96) -> pd.DataFrame:
    """Three classes of Gaussians in three columns, which overlap a little; the response is `y`."""
    draw = np.random.default_rng([seed, 1])
    y = np.arange(rows) % 3
    centres = np.array([[0.0, 0.0, 0.0], [2.4, 0.0, 0.5], [0.0, 2.4, -0.5]])
    X = centres[y] + draw.normal(size=(rows, 3)) * [0.8, 0.7, 0.5]
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.array(["one", "two", "three"])[y])


def thirty_columns(rows: int = 66) -> pd.DataFrame:
    """Three classes in thirty columns: sums over so many show in which order they are made."""
    parts = [three_classes(k, rows) for k in range(10)]
    return pd.concat(
        [part.drop(columns="y").add_suffix(str(k)) for k, part in enumerate(parts)], axis=1
    ).assign(y=parts[0]["y"])


def contested(seed: int = 0) -> pd.DataFrame:
    """Two classes of which the rows `shared` are copies of one another: which class wins there is a
    matter of weights.

    Class "left" has as many rows far away, and class "right" as many a little beyond the shared
    ones.
    """
    draw = np.random.default_rng([seed, 2])
    spots = np.column_stack([10 + 0.2 * draw.normal(size=15), draw.normal(size=15)])
    away = np.column_stack([0.2 * draw.normal(size=15), draw.normal(size=15)])
    beyond = spots + [1.5, 0.0]
    X = np.concatenate([away, spots, spots, beyond])
    frame = pd.DataFrame(X, columns=["a", "b"])
    return frame.assign(
        y=np.repeat(["left", "left", "right", "right"], 15), part=np.repeat(list("ALRB"), 15)
    )
