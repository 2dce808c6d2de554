"""The error curve: a slider for each parameter, and what the method does at the chosen point of the grid."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ipywidgets import HTML, Box, Button, Dropdown, Layout, SelectionSlider
from traitlets import Instance, Int, validate

from ..errors import OptionError, brief
from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..estimation.learning import learn
from ..plots.curve import curve
from ..plots.palette import RISING
from ..plots.style import plain_text
from ..views.curve import choose_pair, find_slice, limit_cells, make_cells, mark_points, place_points
from ..views.stages import GridFits
from ..views.words import (
    MEASURES,
    PARAMETERS,
    describe_choice,
    describe_counts,
    describe_curve,
    describe_point,
    list_facts,
    write_value,
)
from .base import WIDTH, Among, Explorer
from .chart import Chart, describe_chart
from .markup import confusion, listed, status
from .picture import Sheet, fill, line

HEIGHT = 400
TICKS = 12  # labels on an axis of a heat map


class CurveExplorer(Explorer):
    """Move over the grid of a cross-validation; see `explore_validation`.

    Attributes
    ----------
    validation : ErrorCurve
    point : int
        The chosen row of `validation.table`. Each parameter that was tuned is a trait too (such as `eps`; with an underscore
        added where the box has something of that name), linked to it both ways.
    fit : Fitted, or None
        The method on all rows at the point where "Use this" was pressed, or `use()` called.
    sliders : dict
        The control of each parameter.
    """

    STATE: ClassVar[tuple[str, ...]] = ("point", "fit")
    PICTURE: ClassVar[type[Chart]] = Chart

    point = Int()
    fit = Instance(Fitted, allow_none=True, read_only=True)

    def __init__(self, validation: ErrorCurve, x: Any = None) -> None:
        super().__init__()
        self.validation = validation
        self.grid = {str(k): validation.grid[k].unique().tolist() for k in validation.grid}
        self._pair = choose_pair(validation, x)
        self._fits: dict[int, Fitted] = {}
        self._grid_fits = GridFits(validation) if validation.problem.model.shares_work else None
        self._trait = {name: f"{name}_" if hasattr(self, name) else name for name in self.grid}
        self.add_traits(**{self._trait[name]: Among(values) for name, values in self.grid.items()})
        self._spots = np.empty((0, 2))
        self._heat: list[Any] = []
        self._rings: list[Any] = []
        self._build()
        self.picture.load(describe_chart(validation, self._pair), self.sliders)
        with self.hold():
            self.observe(self._point_moved, "point")
            self.observe(self._parameter_moved, list(self._trait.values()))
            self.observe(self._update, list(self.STATE))
            self.point = validation.chosen(validation.problem.call.arguments.get("choose", "1se"))
            self._point_moved()

    def _build(self) -> None:
        style = {"description_width": "initial"}
        self.sliders: dict[str, Any] = {}
        for name, values in self.grid.items():
            if len(values) == 1:
                continue
            named = isinstance(values[0], str)
            kind, layout = (Dropdown if named else SelectionSlider), Layout(width="305px" if named else "99%")
            options = [(write_value(v), i) for i, v in enumerate(values)]
            control = kind(options=options, description=PARAMETERS.get(name, name), style=style, layout=layout)
            self._follow(control, self._trait[name], values.__getitem__, "index")
            self.sliders[name] = control
        self.button = Button(description="Use this", tooltip="Fit all rows at this point: explorer.fit")
        self.button.on_click(lambda _: self._guarded(self.use))
        self._status = HTML()
        self._facts = HTML(layout=Layout(margin="0 8px 8px 2px", max_width="285px"))
        self._confusion = HTML(layout=Layout(max_width="100%", overflow="auto"))

    def _arrange(self) -> list[Any]:
        row = Layout(display="flex", flex_flow="row wrap", align_items="center")
        below = Box([self._facts, self._confusion], layout=Layout(display="flex", flex_flow="row wrap"))
        line_of_status = Box([self.button, self._status], layout=row)
        self._status.layout = Layout(max_width="99%", margin="2px")
        return [*self.sliders.values(), line_of_status, self._warning, self.picture, below]

    @validate("point")
    def _in_table(self, proposal: Any) -> int:
        value = proposal["value"]
        if not 0 <= value < len(self.validation.grid):
            raise OptionError(f"point={brief(value)}: a row of `table`, 0 to {len(self.validation.grid) - 1}")
        return int(value)

    def _point_moved(self, change: Any = None) -> None:
        with self.hold(), self._controls():
            row = self.validation.grid.iloc[self.point]
            for name, values in self.grid.items():
                setattr(self, self._trait[name], values[values.index(row[name])])

    def _parameter_moved(self, change: Any) -> None:
        if self._setting:
            return
        at = [self.grid[name].index(getattr(self, trait)) for name, trait in self._trait.items()]
        self.point = int(np.ravel_multi_index(at, [len(values) for values in self.grid.values()]))

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

    def _refresh(self) -> None:
        with self._controls():
            for name, control in self.sliders.items():
                control.index = self.grid[name].index(getattr(self, self._trait[name]))
        self._status.value = status(describe_choice(self.validation, self.point))
        self._facts.value = listed(self._list_facts(), f"Grid point {self.point + 1} of {len(self.validation.table)}")
        caption = "Held-out rows: true class (down) by predicted class (across)"
        self._confusion.value = confusion(self.confusion, caption)
        sheet = self._sheet or self._draw()
        v = self.validation
        at = find_slice(v, self._pair, self.point)
        if len(self._pair) == 2:
            image, best, choice = self._heat
            image.set_data(make_cells(v, self._pair, at).to_numpy())
            for mark, point in ((best, v.best), (choice, v.one_se)):
                fill(mark, self._spots[[point]] if point in at else [])
        for ring in self._rings:
            fill(ring, self._spots[[self.point]])
        self.picture.show(self.point)
        self.picture.alt = describe_curve(v, self._pair, self.point)
        self.picture.png = sheet.png()

    def _draw(self) -> Sheet:
        """The curve; or for several parameters a heat map of two, and the place in it of each grid point."""
        v = self.validation
        sheet = self._new_sheet(WIDTH, HEIGHT)
        ax = sheet.figure.subplots()
        if len(self._pair) == 2:
            self._heat = draw_heat(v, self._pair, ax)
        else:
            self._heat = []
            curve(v, ax=ax)
            handles, names = ax.get_legend_handles_labels()
            legend = ax.get_legend()
            assert legend is not None
            legend.remove()  # where it hides nothing, wherever the point is
            sheet.figure.legend(handles, names, loc="outside lower center", ncols=2, fontsize="small", frameon=False)
        self._spots = place_points(v, self._pair)
        style = {"marker": "o", "ms": 15, "mfc": "none", "ls": "none", "clip_on": False}
        self._rings = [line(ax, mec="white", mew=5, **style), line(ax, mec="black", mew=2, **style)]
        sheet.moves([*self._heat, *self._rings])
        plain_text(sheet.figure)
        self._sheet = sheet
        return sheet

    def _select(self, point: int) -> None:
        self.point = point

    def _list_facts(self) -> list[tuple[str, str]]:
        """What is known of the chosen point, by name."""
        fit = self._fits.get(self.point) or (self._grid_fits and self._grid_fits.fit(self.point))
        facts = list_facts(self.validation, self.point, describe_counts(fit or None))
        used = next((point for point, fit in self._fits.items() if fit is self.fit), None)
        at = "none yet: press Use this" if used is None else f"the fit at {describe_point(self.validation, used)}"
        return [*facts, ("explorer.fit", at)]


def draw_heat(validation: ErrorCurve, pair: tuple[str, ...], ax: Any) -> list[Any]:
    """Axes for the error over two parameters; what is to be filled: the image, the least error and the 1-SE choice.

    Its colours mean the same wherever the other parameters stand.
    """
    table, (low, high) = validation.table, limit_cells(validation)
    values = [np.unique(table[k].to_numpy()) for k in pair]
    extent = (-0.5, len(values[0]) - 0.5, -0.5, len(values[1]) - 0.5)
    image = ax.imshow(
        np.zeros((len(values[1]), len(values[0]))), origin="lower", aspect="auto", cmap=f"{RISING}_r", extent=extent,
        vmin=low, vmax=high,
    )  # fmt: skip
    for axis, along in zip((ax.xaxis, ax.yaxis), values, strict=True):
        at = range(0, len(along), max(1, -(-len(along) // TICKS)))
        axis.set_ticks(list(at), [write_value(along[i]) for i in at])
    marks = [
        line(ax, marker=sign, ms=11, mew=2, mfc="none", mec="#D55E00", ls="none", label=name)
        for sign, name in (("x", f"least {validation.measure_name}"), ("s", "1-SE choice"))
    ]
    ax.set(xlabel=PARAMETERS.get(pair[0], pair[0]), ylabel=PARAMETERS.get(pair[1], pair[1]))
    ax.figure.colorbar(image, ax=ax, label=MEASURES[validation.measure])
    ax.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return [image, *marks]
