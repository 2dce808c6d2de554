"""The error curve, with a slider for each parameter and what the method does at the chosen point of the grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from traitlets import Int, validate

from ..core.statistics.one_se import frontier
from ..estimation.error_curve import ErrorCurve
from ..ground.errors import OptionError, brief
from ..ground.text import write_value
from ..pictures.curve import (
    curve,
    first_shown,
    limit_errors,
    main_parameter,
    mark_points,
    place_values,
    within_one_se,
)
from ..pictures.evaluation import share_rows
from ..tables.words import (
    count_folds,
    describe_axis,
    describe_choice,
    list_facts,
    name_choice,
    name_sizes,
)
from .base import Among, Explorer, Plain, join


class CurveExplorer(Explorer):
    """Move over the grid of a cross-validation; see `explore_validation`.

    Attributes
    ----------
    validation : Validation
    point : int
        The chosen row of `validation.table`. Each parameter that was tuned is a trait too (such as
        `eps`), linked to it both ways; an underscore is added if the explorer already has an
        attribute of that name.
    """

    STATE: ClassVar[tuple[str, ...]] = ("point",)

    point = Int()

    def __init__(self, validation: ErrorCurve) -> None:
        super().__init__()
        validation = validation._of_metric(validation._point_of())  # one metric alone
        self.validation = validation
        self.grid = {str(k): validation.grid[k].unique().tolist() for k in validation.grid}
        self._trait = {name: f"{name}_" if hasattr(self, name) else name for name in self.grid}
        self.add_traits(**{self._trait[name]: Among(values) for name, values in self.grid.items()})
        self._moving = False
        with self.hold():
            self.observe(self._point_moved, "point")
            self.observe(self._parameter_moved, list(self._trait.values()))
            self.observe(self._update, list(self.STATE))
            self.point = validation._point_of()
            self._point_moved()
        self.content = join(describe_chart(validation))
        self.open()

    @validate("point")
    def _in_table(self, proposal: Any) -> Any:
        value, count = proposal["value"], len(self.validation.grid)
        if not 0 <= value < count:
            raise OptionError(f"point={brief(value)}: a row of `table`, 0 to {count - 1}")
        return value

    def _point_moved(self, change: Any = None) -> None:
        with self.hold():
            self._moving = True  # parameters that follow the point do not move it
            try:
                row = self.validation.grid.iloc[self.point]
                for name, values in self.grid.items():
                    setattr(self, self._trait[name], values[values.index(row[name])])
            finally:
                self._moving = False

    def _parameter_moved(self, change: Any) -> None:
        if not self._moving:
            # the nearest point has this value, and most of the values of the other parameters
            agree = np.zeros(len(self.validation.grid))
            for name, trait in self._trait.items():
                weight = len(self._trait) if trait == change["name"] else 1
                agree += weight * (self.validation.grid[name] == getattr(self, trait)).to_numpy()
            self.point = int(agree.argmax())
            self._point_moved()

    @property
    def table(self) -> pd.DataFrame:
        """The grid with its errors; `mark` says which point is chosen, has the lowest error, and is the 1-SE choice."""
        return mark_points(self.validation, self.point)

    @property
    def confusion(self) -> pd.DataFrame:
        """Held-out rows by true class (rows) and predicted class (columns) at the chosen point."""
        return self.validation.confusion(self.point)

    def draw(self, ax: Any = None) -> Any:
        return curve(self.validation, ax=ax)

    def describe_state(self) -> Plain:
        return {"point": self.point}

    def take_state(self, state: Plain) -> None:
        self.point = state["point"]

    def reply(self, message: Plain) -> Plain:
        counts = self.confusion
        caption = f"Grid point {self.point + 1} of {len(self.validation.table)}"
        facts = {"caption": caption, "head": [], "rows": list_facts(self.validation, self.point)}
        confusion = {
            "caption": "Held-out rows: true class (down) by predicted class (across)",
            "head": ["", *map(str, counts)],
            "rows": [
                [str(level), *(f"{count:g}" for count in row)]
                for level, row in zip(counts.index, counts.to_numpy(), strict=True)
            ],
            "shares": share_rows(counts).tolist(),
        }
        return {"tables": [facts, confusion]}

    def page_content(self) -> Plain:
        chosen, answers = self.point, []
        with self.hold():
            for point in range(len(self.validation.grid)):
                self.point = point
                answers.append(self.reply({}))
            self.point = chosen
        return {**describe_chart(self.validation), "answers": answers}


def describe_chart(validation: ErrorCurve) -> Plain:
    """The values of each parameter, and the error curves along the one with most values: one for
    each setting of the others.

    `slices` has the number of its curve for each grid point, and `along` the place of that
    parameter among the `axes`.
    """
    axes, grid = [], validation.grid
    for name in grid:
        values = grid[name].unique().tolist()
        at = [values.index(value) for value in grid[name].tolist()]
        axes.append(
            {
                "name": describe_axis(validation, name),
                "texts": [write_value(value) for value in values],
                "at": at,
            }
        )
    along = main_parameter(validation.table, list(grid)) if len(grid.columns) else None
    rest = [name for name in grid if name != along]
    slices = (
        grid.groupby(rest, sort=False).ngroup().to_numpy()
        if rest
        else np.zeros(len(validation.table), int)
    )
    return {
        "curves": [
            describe_line(validation, along, np.flatnonzero(slices == k))
            for k in range(slices.max() + 1)
        ],
        "slices": slices.tolist(),
        "along": -1 if along is None else list(grid).index(along),
        "axes": axes,
        "formula": str(validation._problem.call.formula),
        "method": f"{validation._problem.model.title}, {count_folds(validation)}",
    }


def describe_line(validation: ErrorCurve, along: str | None, points: np.ndarray) -> Plain:
    """The error at some grid points along a parameter, or that of the only point where none was tuned.

    `x` are the places on an axis whose positions 0, 1, ... have `names`, or which is that of the
    values; `frontier` has the points of lowest error for their size, by their places in `points`,
    if there are three or more. The points have their number in `points`, `words`, and `marks` of
    the two choices.
    """
    table, limit = validation.table, within_one_se(validation)
    x, names = (
        (np.zeros(len(table)), [validation._problem.model.name])
        if along is None
        else place_values(validation.grid[along])
    )
    some = table.iloc[points]
    return {
        "points": points.tolist(),
        "words": [describe_choice(validation, point) for point in points.tolist()],
        "marks": [name_choice(validation, point) for point in points.tolist()],
        "band": [float(table["error"].iloc[validation._choice.best]), limit]
        if limit == limit
        else [],
        "name": validation._measure_name,
        "x": x[points].tolist(),
        "names": names,
        "errors": list_numbers(some["error"]),
        "ses": some["se"].fillna(0.0).tolist(),
        "ends": list(limit_errors(some)),
        "size_values": list_numbers(some["size"]),
        "frontier": list_frontier(validation, points),
        "counted": name_sizes(validation),
        "axis": "method" if along is None else describe_axis(validation, along),
    }


def list_frontier(validation: ErrorCurve, points: np.ndarray) -> list[int]:
    """The places of the points that have the lowest error of all that are not larger; none where
    these are less than three.
    """
    sizes = validation._rule_sizes[points]
    at = frontier(validation._choice.error[points], sizes)
    at = at[first_shown(validation, sizes[at]) :]
    return at.tolist() if validation._problem.model.can.counted and len(at) > 2 else []


def list_numbers(values: Sequence[float] | Any) -> list[float | None]:
    """Numbers as JSON has them, None for one that is not finite.

    Examples
    --------
    >>> list_numbers([0.5, float("nan")])
    [0.5, None]
    """
    return [value if np.isfinite(value) else None for value in np.asarray(values, float).tolist()]
