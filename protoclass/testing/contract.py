"""What the contracts share: the error, the data that they are checked on, and queries."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import pandas as pd

from ..errors import ProtoclassError

T = TypeVar("T")


class ContractError(ProtoclassError, AssertionError):
    """A method or a metric breaks a promise; the message says which, where it was seen, and the cure."""


def pickled(value: T, what: str) -> T:
    """A copy by way of a pickle, which files and other processes need."""
    try:
        copied: T = pickle.loads(pickle.dumps(value))
    except (pickle.PicklingError, TypeError, AttributeError) as reason:
        raise ContractError(
            f"{what} can't be pickled ({reason}): define classes and functions at the top of a module, and hold arrays and plain "
            "values alone"
        ) from reason
    return copied


def require(kept: bool, message: str) -> None:
    """Raise a ContractError with a message unless a promise is kept."""
    if not kept:
        raise ContractError(message)


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


def three_classes(seed: int = 0, rows: int = 96) -> pd.DataFrame:
    """Three classes of Gaussians in three columns, which overlap a little; the response is `y`."""
    draw = np.random.default_rng([seed, 1])
    y = np.arange(rows) % 3
    centres = np.array([[0.0, 0.0, 0.0], [2.4, 0.0, 0.5], [0.0, 2.4, -0.5]])
    X = centres[y] + draw.normal(size=(rows, 3)) * [0.8, 0.7, 0.5]
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.array(["one", "two", "three"])[y])


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


def contested(seed: int = 0) -> pd.DataFrame:
    """Two classes of which the rows `shared` are copies of one another: which class wins there is a matter of weights.

    Class "left" has as many rows far away, and class "right" as many a little beyond the shared ones.
    """
    draw = np.random.default_rng([seed, 2])
    spots = np.column_stack([10 + 0.2 * draw.normal(size=15), draw.normal(size=15)])
    away = np.column_stack([0.2 * draw.normal(size=15), draw.normal(size=15)])
    beyond = spots + [1.5, 0.0]
    X = np.concatenate([away, spots, spots, beyond])
    frame = pd.DataFrame(X, columns=["a", "b"])
    return frame.assign(y=np.repeat(["left", "left", "right", "right"], 15), part=np.repeat(list("ALRB"), 15))


def first_difference(a: Iterable[object], b: Iterable[object]) -> str:
    """The first place at which two sequences differ, in words."""
    for place, (x, y) in enumerate(zip(a, b, strict=True)):
        if x != y and not (x != x and y != y):
            return f"place {place}: {x!r} and {y!r}"
    return "none"
