"""Methods that work on each class separately, and their parameter K, the number of prototypes of each class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.task import Task
from ..ground.checks import MOST_ROWS, is_real
from ..ground.errors import DataError, OptionError, brief, shown
from .base import Axes, Model, axis, listed

MOST = 10  # prototypes of a class in the default grid


class PerClass(Model):
    """A method with K prototypes of each class."""

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        return default_counts(smallest) if parameter == "K" else super().default_grid(parameter, task, smallest)

    def rows_needed(self, grid: Axes, held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
        values = axis(grid, "K", self.parameters()["K"])
        return np.asarray(np.max([counts(K, held, levels) for K in values], axis=0))


def check_enough(model: str, what: str, level: Any, needed: int, there: int) -> None:
    """Raise where a class has fewer candidates than prototypes are needed of it."""
    if needed > there:
        raise DataError(
            f"{model} needs {needed} {what} of class {shown(level)}, and only {there} of its rows are candidates: give a smaller K=, or "
            "more candidates"
        )


def check_counts(model: str, K: Any) -> None:
    """Check the parameter K: a number for each class, see `counts`; a sequence of them, or "grid"."""
    if isinstance(K, Mapping):
        invalid = [v for v in K.values() if not _is_count(v)] if K else [K]
    else:
        invalid = [v for v in listed(model, "K", K) if not _is_count(v)]
    if invalid:
        raise OptionError(
            f"K={brief(invalid[0])}: {model} needs a whole number >= 1 and <= {MOST_ROWS} for each class, a number between 0 and 1 "
            "(that share of the rows of each class), a mapping with one of these for every class, a sequence of numbers, or 'grid'"
        )


def _is_count(v: Any) -> bool:
    return is_real(v) and bool(0 < v <= MOST_ROWS and (v < 1 or v == int(v)))


def counts(K: Any, held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
    """Number of prototypes of each class.

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, or mapping
        That number; that share of the class's rows, rounded, at least 1; or either of these for every class by its name.
    held : int array (classes,)
        Rows of each class.
    levels : tuple
        The names of the classes.

    Returns
    -------
    int array (classes,)

    Examples
    --------
    >>> counts(0.1, np.array([50, 4]), ("a", "b")).tolist(), counts({"a": 3, "b": 0.5}, np.array([50, 4]), ("a", "b")).tolist()
    ([5, 1], [3, 2])
    """
    if isinstance(K, Mapping):
        if set(K) != set(levels):
            raise OptionError(f"K={brief(dict(K))}: a mapping must have exactly the classes {list(levels)} as keys")
        requested = np.array([float(K[c]) for c in levels])
    else:
        requested = np.full(len(held), float(K))
    return np.where(requested < 1, np.maximum(1, np.round(requested * held)), requested).astype(np.int64)


def in_words(K: Any) -> Any:
    """K as shown in a report."""
    if isinstance(K, Mapping):
        return ", ".join(f"{name}: {v:g}" for name, v in K.items())
    return f"{K:g} of its rows" if K < 1 else int(K)


def default_counts(smallest: np.ndarray) -> np.ndarray:
    """The values of K="grid": 1 to 10, at most the number of training rows of the smallest class."""
    return np.arange(1, max(1, min(MOST, int(smallest.min()))) + 1)
