"""How the parameters of a fit were chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..ground.savable import savable

BY_HAND = "hand"


@savable
@dataclass(frozen=True, eq=False)
class Selection:
    """Which values the tuned parameters have in a fit, and how they were chosen.

    Attributes
    ----------
    grid : DataFrame (G, parameters)
        What was tried; without columns where nothing was tuned.
    values : mapping of parameter to value
        As chosen; empty where nothing was.
    point : int, or None
        The row of the grid with these values, None where they are not in it or are not all there is (`steps`).
    rule : str
        As in `choose=`, a name in `core.choose.RULES`; "hand" for a fit derived from another one; "" where nothing was chosen.
    steps : int, or None
        The fit has the first so many steps of the rule that these values give.
    earlier : mapping of parameter to values
        For parameters that keep what an earlier selection chose while others are tuned anew: what that chose from.
    """

    grid: pd.DataFrame = field(default_factory=pd.DataFrame)
    values: Mapping[str, Any] = field(default_factory=dict)
    point: int | None = None
    rule: str = ""
    steps: int | None = None
    earlier: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def by_hand(self) -> bool:
        return self.rule == BY_HAND

    def tried(self) -> dict[str, list[Any]]:
        """The values that each parameter was chosen from, now or earlier."""
        return {**self.earlier, **{str(name): self.grid[name].unique().tolist() for name in self.grid}}

    def kept(self, values: Iterable[str], changes: Iterable[str]) -> dict[str, Sequence[Any]]:
        """What the parameters `values` and those of earlier selections were chosen from; without those that a user changes."""
        names = ({*values} | set(self.earlier)) - {*changes}
        return {name: tried for name, tried in self.tried().items() if name in names}


@savable
@dataclass(frozen=True)
class Extension:
    """How the default grid of a parameter went on, because the choice was its last value.

    Attributes
    ----------
    last : float
        The last value of the default grid.
    added : int
        The number of further values.
    all_classes : bool
        False where the grid ended because a class has no prototypes with the next value.
    """

    last: float
    added: int
    all_classes: bool


def grid_point(grid: pd.DataFrame, values: Mapping[str, Any]) -> int | None:
    """The row of a grid with such values, None where it has none or several."""
    if not set(grid.columns) <= set(values):
        return None
    same = np.ones(len(grid), bool)
    for name in grid:
        same &= (grid[name] == values[name]).to_numpy()
    at = np.flatnonzero(same)
    return int(at[0]) if len(at) == 1 else None


def values_at(grid: pd.DataFrame, point: int) -> dict[str, Any]:
    """The parameters at a row of a grid, as plain Python values."""
    cells = {str(name): grid[name].iloc[point] for name in grid}
    return {name: v.item() if isinstance(v, np.generic) else v for name, v in cells.items()}
