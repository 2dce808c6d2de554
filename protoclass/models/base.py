"""What a model is: frozen knobs, and the rules that they lead to on a task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.task import Path, Task
from ..errors import OptionError, brief

GRID = "grid"
LARGEST = 1e300  # numbers beyond are no knobs


@dataclass(frozen=True)
class Model:
    """A method: frozen knobs, all of them fields of a dataclass.

    A knob is open, and tuned by cross-validation, when it is `"grid"`, a sequence of values, or an object that draws a
    grid from the task (`Grid`).

    Attributes
    ----------
    reads : "D", "vectors", "columns" or "D+columns"
        What the model learns from, see `core.task.Rule`. What does not read D never measures an n x m matrix.
    accepts : frozenset of str
        Of "weights", "subset" (candidates that are a random part of the rows), "unlabelled" (candidates that are no row).
    closed : frozenset of str
        Knobs that are never open, whatever their value.
    """

    name: ClassVar[str]
    reads: ClassVar[str] = "D"
    accepts: ClassVar[frozenset[str]] = frozenset()
    closed: ClassVar[frozenset[str]] = frozenset()

    @property
    def title(self) -> str:
        """What print and summary call the method."""
        return self.name

    @property
    def bounded(self) -> bool:
        """Whether its paths have bounds on the error of new rows."""
        return False

    @property
    def shares(self) -> bool:
        """Whether the folds share so much work that one more, which leaves nothing out, costs little: the fit on all rows
        then comes from the same call of `paths`."""
        return False

    def open(self) -> dict[str, Any]:
        """The open knobs."""
        knobs = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in self.closed}
        return {name: value for name, value in knobs.items() if is_open(value)}

    def grid(self, task: Task, smallest: np.ndarray) -> dict[str, np.ndarray]:
        """The values of each open knob, ascending.

        Parameters
        ----------
        task : Task
        smallest : int array (classes,)
            Least number of training rows of each class over the folds.
        """
        axes = {}
        for name, value in self.open().items():
            if isinstance(value, Grid):
                axes[name] = value.values(task)
            elif isinstance(value, str):
                axes[name] = self.default_grid(name, task, smallest)
            else:
                axes[name] = np.unique(np.asarray(list(value)))
        return axes

    def default_grid(self, knob: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        """What "grid" means for a knob."""
        raise OptionError(f"{self.name} has no default grid for {knob}: give a sequence of values")

    def rows_needed(self, grid: Mapping[str, np.ndarray], held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
        """Rows with weight that each class must have in every training set, int (classes,); the least has `held`."""
        return np.zeros(len(held), np.int64)

    def path(self, task: Task, grid: Mapping[str, np.ndarray]) -> Path:
        """Rules for every point of the grid (the product of its axes, the last varying fastest)."""
        raise OptionError(f"the model {type(self).__name__} does not say how it is fitted: write its `path`")

    def paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Mapping[str, np.ndarray]
    ) -> Iterator[tuple[int, Path]]:
        """The path of each fold, learned without the fold's rows; overridden where folds can share work."""
        for f in range(folds):
            part, columns = task.keep(fold != f, f)
            path = self.path(part, grid).moved(columns)
            task.tick()
            yield f, path


class Grid:
    """A rule that draws the values of a knob from the task."""

    def values(self, task: Task) -> np.ndarray:
        raise OptionError(f"{type(self).__name__} does not say which values it draws: write its `values`")


def is_open(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return (isinstance(value, str) and value == GRID) or isinstance(value, (list, tuple, range, pd.Series, Grid))


def axis(grid: Mapping[str, np.ndarray], name: str, fixed: Any) -> np.ndarray:
    """The values of a knob: its axis of the grid, or the one value it is fixed at."""
    return np.asarray(grid.get(name, [fixed]))


def number(
    model: str,
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    above: bool = False,
    whole: bool = False,
    infinite: bool = False,
) -> None:
    """Check a knob that may be open: a number, or a sequence of them, not below `low` (or above it)."""
    if isinstance(value, str) and value == GRID:
        return
    if is_open(value) and not isinstance(value, Grid):
        values = list(value)
        if not values:
            raise OptionError(f"{name}=[]: a sequence of values for {model} must hold at least one")
    else:
        values = [value]
    for v in values:
        endless = infinite and isinstance(v, float) and v == math.inf
        if not endless and not _fine(v, low, above, whole):
            raise OptionError(
                f"{name}={brief(v)}: {model} needs {_wanted(low, above, whole)}, a sequence of these, or 'grid'"
            )


def fixed(model: str, name: str, value: Any, *, low: float = -math.inf, whole: bool = False) -> None:
    """Check a knob that is never open."""
    if not _fine(value, low, False, whole) or (whole and not isinstance(value, (int, np.integer))):
        raise OptionError(f"{name}={brief(value)}: {model} needs {_wanted(low, False, whole)}")


def _fine(v: Any, low: float, above: bool, whole: bool) -> bool:
    if isinstance(v, np.ndarray) and v.ndim == 0:
        v = v.item()
    if isinstance(v, bool) or not isinstance(v, Real) or not abs(v) < math.inf:
        return False
    if abs(v) > LARGEST:
        return False
    return v >= low and not (above and v == low) and not (whole and v != int(v))


def _wanted(low: float, above: bool, whole: bool) -> str:
    bound = "" if low == -math.inf else f" {'>' if above else '>='} {low:g}"
    return f"{'a whole number' if whole else 'a number'}{bound}"
