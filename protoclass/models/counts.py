"""How many prototypes each class gets: the parameter K of the methods that work on each class by itself."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from ..errors import OptionError, brief
from .base import GRID, Grid, is_tuned

MOST = 10  # by default


def check_counts(model: str, K: Any) -> None:
    """Check the parameter K: a number for each class, see `counts`; a sequence of them, or "grid"."""
    if isinstance(K, str) and K == GRID:
        return
    if isinstance(K, Mapping):
        wrong = [v for v in K.values() if not _fine(v)] if K else [K]
    elif is_tuned(K) and not isinstance(K, Grid):
        values = list(K)
        wrong = [v for v in values if not _fine(v)] if values else [K]
    else:
        wrong = [] if _fine(K) else [K]
    if wrong:
        raise OptionError(
            f"K={brief(wrong[0])}: {model} needs a whole number >= 1 for each class, a number between 0 and 1 (that part of "
            "the rows of each class), a mapping with one of these for every class, a sequence of numbers, or 'grid'"
        )


def _fine(v: Any) -> bool:
    if isinstance(v, (bool, np.bool_)) or not isinstance(v, Real) or not 0 < v < 2**31:
        return False
    return bool(v < 1 or v == int(v))


def counts(K: Any, held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
    """Number of prototypes of each class.

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, or mapping
        That many; that part of the class's rows, rounded, at least 1; or either for every class by its name.
    held : int array (classes,)
        Rows of each class.
    levels : tuple
        The classes' names.

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
            raise OptionError(f"K={brief(dict(K))}: a mapping names each of the classes {list(levels)} once")
        wanted = np.array([float(K[c]) for c in levels])
    else:
        wanted = np.full(len(held), float(K))
    return np.where(wanted < 1, np.maximum(1, np.round(wanted * held)), wanted).astype(np.int64)


def in_words(K: Any) -> Any:
    """K as a report has it."""
    if isinstance(K, Mapping):
        return ", ".join(f"{name}: {v:g}" for name, v in K.items())
    return f"{K:g} of its rows" if K < 1 else int(K)


def default_counts(smallest: np.ndarray) -> np.ndarray:
    """What K="grid" means: 1 to 10, at most the training rows of the smallest class."""
    return np.arange(1, max(1, min(MOST, int(smallest.min()))) + 1)
