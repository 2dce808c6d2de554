"""The error curve, with a slider for each parameter and what the method does at the chosen point of the grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from traitlets import Instance, Int, validate

from ..core.statistics.one_se import frontier
from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..estimation.learning import learn
from ..ground.errors import OptionError, brief
from ..ground.text import write_number, write_value
from ..pictures.curve import (
    choose_pair,
    curve,
    first_shown,
    limit_cells,
    limit_errors,
    mark_points,
    place_points,
    place_values,
    within_one_se,
)
from ..pictures.evaluation import share_rows
from ..pictures.stages import GridFits
from ..tables.words import count_folds, describe_axis, describe_choice, describe_counts, describe_point, list_facts
from .base import Among, Explorer, Plain, join


class CurveExplorer(Explorer):
    """Move over the grid of a cross-validation; see `explore_validation`.

    Attributes
    ----------
    validation : Validation
    point : int
        The chosen row of `validation.table`. Each parameter that was tuned is a trait too (such as `eps`), linked to it both ways;
        an underscore is added if the explorer already has an attribute of that name.
    fit : Fitted, or None
        The fit to all rows made by "Fit here" or `use()`, with the parameters of the point.
    """

    STATE: ClassVar[tuple[str, ...]] = ("point", "fit")

    point = Int()
    fit = Instance(Fitted, allow_none=True, read_only=True)

    def __init__(self, validation: ErrorCurve, x: Any = None) -> None:
        super().__init__()
        others = list_others(validation, validation.chosen_by_call())
        validation = validation.of_metric(validation.chosen_by_call())  # with the grid of the method
        self.validation, self._others = validation, others
        self.grid = {str(k): validation.grid[k].unique().tolist() for k in validation.grid}
        self._pair = choose_pair(validation, x)
        self._fits: dict[int, Fitted] = {}
        self._grid_fits = GridFits(validation) if validation.problem.model.shares_work else None
        self._trait = {name: f"{name}_" if hasattr(self, name) else name for name in self.grid}
        self.add_traits(**{self._trait[name]: Among(values) for name, values in self.grid.items()})
        self._moving = False
        with self.hold():
            self.observe(self._point_moved, "point")
            self.observe(self._parameter_moved, list(self._trait.values()))
            self.observe(self._update, list(self.STATE))
            self.point = validation.chosen_by_call()
            self._point_moved()
        self.content = join(describe_chart(validation, self._pair, others))
        self.open()

    @validate("point")
    def _in_table(self, proposal: Any) -> int:
        value, count = proposal["value"], len(self.validation.grid)
        if not isinstance(value, (int, np.integer)) or not 0 <= value < count:
            raise OptionError(f"point={brief(value)}: a row of `table`, 0 to {count - 1}")
        return int(value)

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
            agree = np.zeros(len(self.validation.grid))  # with this value, which counts most, and those of the other parameters
            for name, trait in self._trait.items():
                weight = len(self._trait) if trait == change["name"] else 1
                agree += weight * (self.validation.grid[name] == getattr(self, trait)).to_numpy()
            self.point = int(agree.argmax())
            self._point_moved()

    def use(self) -> None:
        """Fit all rows at the chosen point; `fit` is it then."""
        if self.point not in self._fits:
            fits = self._grid_fits
            own = self.validation
            self._fits[self.point] = fits.fit(self.point) if fits else learn(own.problem, own.select(self.point), own)
        self.set_trait("fit", self._fits[self.point])

    @property
    def table(self) -> pd.DataFrame:
        """The grid with its errors; `mark` says which point is chosen, has the least error, and is the 1-SE choice."""
        return mark_points(self.validation, self.point)

    @property
    def confusion(self) -> pd.DataFrame:
        """Held-out rows by true class (rows) and predicted class (columns) at the chosen point."""
        return self.validation.confusion(self.point)

    def draw(self, ax: Any = None) -> Any:
        return curve(self.validation, ax=ax)

    def describe_state(self) -> Plain:
        return {"point": self.point, "used": self._used()}

    def take_state(self, state: Plain) -> None:
        self.point = state["point"]

    def tell(self, message: Plain) -> Plain:
        if message.get("use"):
            self.use()
        counts = self.confusion
        facts = {"caption": f"Grid point {self.point + 1} of {len(self.validation.table)}", "head": [], "rows": self._list_facts()}
        confusion = {
            "caption": "Held-out rows: true class (down) by predicted class (across)",
            "head": ["", *map(str, counts)],
            "rows": [[str(level), *(f"{count:g}" for count in row)] for level, row in zip(counts.index, counts.to_numpy(), strict=True)],
            "shares": share_rows(counts).tolist(),
        }
        return {"tables": [facts, confusion]}

    def bake(self) -> Plain:
        chosen, answers = self.point, []
        with self.hold():
            for point in range(len(self.validation.grid)):
                self.point = point
                answers.append(self.tell({}))
            self.point = chosen
        return {**describe_chart(self.validation, self._pair, self._others), "answers": answers}

    def _used(self) -> int:
        """The point of `fit`, -1 where there is none."""
        return next((point for point, fit in self._fits.items() if fit is self.fit), -1)

    def _list_facts(self) -> list[tuple[str, str]]:
        """What is known of the chosen point, by name."""
        fit = self._fits.get(self.point) or (self._grid_fits and self._grid_fits.fit(self.point))
        facts = list_facts(self.validation, self.point, describe_counts(fit or None))
        used = self._used()
        at = "none yet: press Fit here" if used < 0 else f"the fit at {describe_point(self.validation, used)}"
        return [*facts, ("explorer.fit", at)]


def describe_chart(validation: ErrorCurve, pair: tuple[str, ...], others: Sequence[Plain] = ()) -> Plain:
    """A validation as a curve over one parameter, or as a heat map of two; and the values of each slider."""
    axes = []
    for name in validation.grid:
        values = validation.grid[name].unique().tolist()
        texts = [write_value(value) for value in values]
        at = [values.index(value) for value in validation.grid[name].tolist()]
        axes.append({"name": describe_axis(validation, name), "texts": texts, "named": isinstance(values[0], str), "at": at})
    points = np.arange(len(validation.table))
    drawn = {"heat": describe_heat(validation, (pair[0], pair[1]))} if len(pair) == 2 else {}
    return {
        **(drawn or {"curve": {**describe_line(validation, pair, points), "others": others}}),
        "axes": axes,
        "formula": str(validation.problem.call.formula),
        "method": f"{validation.problem.model.title}, {count_folds(validation)}",
    }


def describe_line(validation: ErrorCurve, along: tuple[str, ...], points: np.ndarray) -> Plain:
    """The error at some grid points along a parameter, or that of the only point where none was tuned.

    `x` are the places on an axis whose positions 0, 1, ... have `names`, or which is that of the values; `frontier` has the points of
    lowest error for their size, by their places in `points`, if there are three or more.
    """
    table = validation.table.iloc[points]
    x, names = place_values(validation.grid[along[0]]) if along else (np.zeros(1), None)
    return {
        **_describe_points(validation, points),
        "x": np.asarray(x)[points].tolist(),
        "names": names if along else [validation.problem.model.name],
        "errors": list_numbers(table["error"]),
        "ses": [value if value == value else 0.0 for value in table["se"].tolist()],
        "ends": list(limit_errors(table)),
        "size_values": list_numbers(table["size"]),
        "frontier": list_frontier(validation, points),
        "counted": "features" if validation.problem.model.can.counted == "features" else "prototypes",
        "axis": describe_axis(validation, along[0]) if along else "method",
    }


def list_others(validation: ErrorCurve, point: int) -> list[Plain]:
    """The errors with each metric that was tried but the one of a grid point, along the only parameter; none if no metric was tuned."""
    metrics, along = list(validation.problem.metric_axes), [name for name in validation.grid if name not in validation.problem.metric_axes]
    if not metrics or len(along) != 1:
        return []
    here, table = validation.grid[metrics].iloc[point], validation.table.sort_values(along[0])
    return [
        {"name": ", ".join(map(write_value, values)), "x": list_numbers(line[along[0]]), "errors": list_numbers(line["error"])}
        for values, line in table.groupby(metrics, sort=False)
        if (line[metrics].iloc[0] != here).any()
    ]


def list_frontier(validation: ErrorCurve, points: np.ndarray) -> list[int]:
    """The places of the points that have the lowest error of all that are not larger; none where these are less than three."""
    sizes = validation.rule_sizes[points]
    at = frontier(validation.choice.error[points], sizes)
    at = at[first_shown(validation, sizes[at]) :]
    return at.tolist() if validation.problem.model.can.counted and len(at) > 2 else []


def describe_heat(validation: ErrorCurve, pair: tuple[str, str]) -> Plain:
    """The error over two parameters, with the shades of the cells, which mean the same wherever the other parameters stand.

    `places` are column and row of each grid point; those of one number in `slices` are shown together.
    """
    table, others = validation.table, [name for name in validation.grid if name not in pair]
    low, high = limit_cells(validation)
    share = np.clip((table["error"].to_numpy(float) - low) / ((high - low) or 1.0), 0.0, 1.0)
    return {
        **_describe_points(validation, np.arange(len(table))),
        "places": place_points(validation, pair).astype(int).tolist(),
        "names": [[write_value(value) for value in np.unique(table[name].to_numpy())] for name in pair],
        "slices": table.groupby(others).ngroup().tolist() if others else [0] * len(table),
        "errors": list_numbers(table["error"]),
        "shades": list_numbers((0.05 + 0.6 * share).round(2)),
        "ends": [write_number(low), write_number(high) + (" and more" if high < float(table["error"].max()) else "")],
        "axes": [describe_axis(validation, name) for name in pair],
    }


def _describe_points(validation: ErrorCurve, points: np.ndarray) -> Plain:
    """What a curve and a heat map have in common: the points by their number in `points`, in words, and the two choices."""
    table, limit = validation.table, within_one_se(validation)
    sizes = table["size"].tolist()
    named = ((validation.best, f"lowest {validation.measure_name}"), (validation.one_se, "1-SE choice"))
    return {
        "points": points.tolist(),
        "words": [f"{describe_choice(validation, point)} Size {sizes[point]:.4g}." for point in points.tolist()],
        "marks": [" and ".join(name for at, name in named if at == point) for point in points.tolist()],
        "band": [float(table["error"].iloc[validation.best]), limit] if limit == limit else [],
        "name": validation.measure_name,
    }


def list_numbers(values: Sequence[float] | Any) -> list[float | None]:
    """Numbers as JSON has them, None for one that is not finite.

    Examples
    --------
    >>> list_numbers([0.5, float("nan")])
    [0.5, None]
    """
    return [value if np.isfinite(value) else None for value in np.asarray(values, float).tolist()]
