"""The error over a grid, drawn by the browser from what it was sent once; Python's picture of it stays as the still one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from traitlets import Dict

from ..estimation.error_curve import ErrorCurve
from ..plots.palette import RISING, letters_on
from ..views.curve import limit_cells, limit_errors, place_points, place_values, rank_values, within_one_se
from ..views.words import MEASURES, PARAMETERS, describe_choice, describe_selection, write_number, write_value
from .browser import script
from .picture import Picture

SHADES = 9  # of the bar beside a heat map
STRIPS = {"cover_error": "cover error", "bound": "bound of the error"}
Described = dict[str, Any]


class Chart(Picture):
    """The error curve, or a heat map of two parameters, drawn by the page.

    Attributes
    ----------
    chart : dict
        All grid points; see `describe_chart`.
    shown : dict
        The chosen `point`, and the last `turn` of the page that was heard.
    controls : dict
        The ids of the sliders by the name of their parameter, which the page listens to.
    """

    _esm: ClassVar[str] = script("validation")

    chart = Dict().tag(sync=True)
    shown = Dict().tag(sync=True)
    controls = Dict().tag(sync=True)

    def __init__(self) -> None:
        super().__init__()

    def load(self, chart: Described, controls: dict[str, Any]) -> None:
        """The grid and the controls beside the chart."""
        self.chart = chart
        self.controls = {name: control.model_id for name, control in controls.items()}

    def show(self, point: int) -> None:
        """The chosen grid point."""
        self.shown = {"point": point, "turn": self._turn}


def describe_chart(validation: ErrorCurve, pair: tuple[str, ...]) -> Described:
    """A validation as a curve over one parameter, or as a heat map of two; and the values that each slider has."""
    count = {str(name): len(validation.grid[name].unique()) for name in validation.grid}
    points = np.arange(len(validation.table))
    drawn = {"heat": describe_heat(validation, (pair[0], pair[1]))} if len(pair) == 2 else {}
    return {
        **(drawn or {"curve": describe_line(validation, pair, points)}),
        "axes": [{"name": name, "count": values} for name, values in count.items()],
    }


def describe_line(validation: ErrorCurve, along: tuple[str, ...], points: np.ndarray) -> Described:
    """The error at some grid points along a parameter, or that of the only point where none was tuned.

    `x` are the places on an axis whose positions 0, 1, ... have `names`, or which is that of the values; `top` is the largest
    value on the axis of a strip.
    """
    table = validation.table.iloc[points]
    x, names = place_values(validation.grid[along[0]]) if along else (np.zeros(1), None)
    return {
        **_describe_points(validation, points),
        "x": np.asarray(x)[points].tolist(),
        "names": names if along else [validation.problem.model.name],
        "log": bool(names is None and along and x.max() > 10 * x.min() > 0),
        "errors": list_numbers(table["error"]),
        "ses": [value if value == value else 0.0 for value in table["se"].tolist()],
        "ends": list(limit_errors(table)),
        "sizes": [write_number(round(size, 1)) for size in table["size"].tolist()],
        "strips": [
            {"name": name, "values": list_numbers(table[key]), "top": 1.1 * float(table[key].max()) or 1.0}
            for key, name in STRIPS.items()
            if key in table and table[key].notna().any()
        ],
        "axis": PARAMETERS.get(along[0], along[0]) if along else "method",
    }


def describe_heat(validation: ErrorCurve, pair: tuple[str, str]) -> Described:
    """The error over two parameters, with the colours of the cells, which mean the same wherever the other parameters stand.

    `places` are column and row of each grid point; those of one number in `slices` are shown together.
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    table, others = validation.table, [name for name in validation.grid if name not in pair]
    low, high = limit_cells(validation)
    shade = colormaps[f"{RISING}_r"]
    share = np.clip((table["error"].to_numpy(float) - low) / ((high - low) or 1.0), 0.0, 1.0)
    fills = [to_hex(shade(value)) for value in share]
    slices = np.zeros(len(table), int)
    for name in others:
        ranks = rank_values(validation.grid[name]).astype(int)
        slices = slices * (ranks.max() + 1) + ranks
    return {
        **_describe_points(validation, np.arange(len(table))),
        "places": place_points(validation, pair).astype(int).tolist(),
        "names": [[write_value(value) for value in np.unique(table[name].to_numpy())] for name in pair],
        "slices": slices.tolist(),
        "errors": list_numbers(table["error"]),
        "fills": fills,
        "letters": [letters_on(fill) for fill in fills],
        "shades": [to_hex(shade(value)) for value in np.linspace(0, 1, SHADES)],
        "ends": [write_number(low), write_number(high) + (" and more" if high < float(table["error"].max()) else "")],
        "axes": [PARAMETERS.get(name, name) for name in pair],
    }


def _describe_points(validation: ErrorCurve, points: np.ndarray) -> Described:
    """What a curve and a heat map have in common: the points by their number in `points`, in words, and the two choices."""
    table, limit = validation.table, within_one_se(validation)
    sizes = table["size"].tolist()
    marks = {validation.best: f"least {validation.measure_name}", validation.one_se: "1-SE choice"}
    if validation.best == validation.one_se:
        marks = {validation.best: f"least {validation.measure_name} and 1-SE choice"}
    return {
        "points": points.tolist(),
        "words": [f"{describe_choice(validation, point)} Size {sizes[point]:.4g}." for point in points.tolist()],
        "marks": [marks.get(point, "") for point in points.tolist()],
        "band": [float(table["error"].iloc[validation.best]), limit] if limit == limit else [],
        "no_information": validation.no_information,
        "title": describe_selection(validation),
        "measure": MEASURES[validation.measure],
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
