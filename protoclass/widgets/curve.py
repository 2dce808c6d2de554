"""The error curve: a slider for each knob, and what the method does at the chosen point of the grid."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ipywidgets import HTML, Box, Button, Dropdown, Layout, SelectionSlider
from traitlets import Instance, Int, validate

from ..errors import OptionError, brief
from ..estimation.fit import Fit
from ..estimation.problem import ONCE
from ..progress import bar
from ..estimation.validation import Validation
from ..plots.curve import LABEL, MEANING, curve, told
from ..plots.style import plain_text
from ..tables.printing import per_class
from .base import WIDTH, Among, Explorer
from .markup import confusion, listed, status
from .picture import DPI, Sheet, fill, line, nearest_spot

HEIGHT = 400
REACH = 60  # pixels from a grid point within which a click on the curve counts as one on it
TICKS = 12  # labels on an axis of a heat map


class CurveExplorer(Explorer):
    """Move over the grid of a cross-validation; see `explore_validation`.

    Attributes
    ----------
    validation : Validation
    point : int
        The chosen row of `validation.table`. Each knob that was tuned is a trait too (such as `eps`; with an underscore
        added where the box has something of that name), linked to it both ways.
    fit : Fit, or None
        The method on all rows at the point where "Use this" was pressed, or `use()` called.
    sliders : dict
        The control of each knob.
    """

    STATE: ClassVar[tuple[str, ...]] = ("point", "fit")

    point = Int()
    fit = Instance(Fit, allow_none=True, read_only=True)

    def __init__(self, validation: Validation, x: Any = None) -> None:
        super().__init__()
        self.validation = validation
        self.grid = {str(k): validation.points[k].unique().tolist() for k in validation.points}
        self._pair = pair_of(self.grid, x)
        self._fits: dict[int, Fit] = {}
        self._whole = OnAllRows(validation) if validation.problem.model.shares else None
        self._trait = {name: f"{name}_" if hasattr(self, name) else name for name in self.grid}
        self.add_traits(**{self._trait[name]: Among(values) for name, values in self.grid.items()})
        self._spots = np.empty((0, 2))
        self._heat: list[Any] = []
        self._rings: list[Any] = []
        self._build()
        with self.hold():
            self.observe(self._point_moved, "point")
            self.observe(self._knob_moved, list(self._trait.values()))
            self.observe(self._update, list(self.STATE))
            self.point = validation.chosen(validation.problem.call.arguments.get("choose", "1se"))
            self._point_moved()

    def _build(self) -> None:
        row = Layout(display="flex", flex_flow="row wrap", align_items="center")
        style = {"description_width": "initial"}
        self.sliders: dict[str, Any] = {}
        for name, values in self.grid.items():
            if len(values) == 1:
                continue
            named = isinstance(values[0], str)
            kind, layout = (Dropdown if named else SelectionSlider), Layout(width="305px" if named else "99%")
            options = [(told(v), i) for i, v in enumerate(values)]
            control = kind(options=options, description=MEANING.get(name, name), style=style, layout=layout)
            self._follow(control, self._trait[name], values.__getitem__, "index")
            self.sliders[name] = control
        self.button = Button(description="Use this", tooltip="Fit all rows at this point: explorer.fit")
        self.button.on_click(lambda _: self._guarded(self.use))
        self._said = HTML()
        self._facts = HTML(layout=Layout(margin="0 8px 8px 2px", max_width="285px"))
        self._confusion = HTML(layout=Layout(max_width="100%", overflow="auto"))
        below = Box([self._facts, self._confusion], layout=Layout(display="flex", flex_flow="row wrap"))
        said = Box([self.button, self._said], layout=row)
        self._said.layout = Layout(max_width="99%", margin="2px")
        self.children = [*self.sliders.values(), said, self._warning, self.picture, below]

    @validate("point")
    def _in_table(self, proposal: Any) -> int:
        value = proposal["value"]
        if not 0 <= value < len(self.validation.points):
            raise OptionError(f"point={brief(value)}: a row of `table`, 0 to {len(self.validation.points) - 1}")
        return int(value)

    def _point_moved(self, change: Any = None) -> None:
        with self.hold(), self._controls():
            row = self.validation.points.iloc[self.point]
            for name, values in self.grid.items():
                setattr(self, self._trait[name], values[values.index(row[name])])

    def _knob_moved(self, change: Any) -> None:
        if self._setting:
            return
        at = [self.grid[name].index(getattr(self, trait)) for name, trait in self._trait.items()]
        self.point = int(np.ravel_multi_index(at, [len(values) for values in self.grid.values()]))

    def use(self) -> None:
        """Fit all rows at the chosen point; `fit` is it then."""
        if self.point not in self._fits:
            whole = self._whole
            self._fits[self.point] = whole.fit(self.point) if whole else self.validation.fit_at(self.point)
        self.set_trait("fit", self._fits[self.point])

    @property
    def table(self) -> pd.DataFrame:
        """The grid with its errors; `mark` says which point is chosen, has the least error, and is the 1-SE choice."""
        v = self.validation
        marks = [(self.point, "chosen"), (v.best, "least error"), (v.one_se, "1-SE choice")]
        return v.table.assign(mark=[", ".join(m for at, m in marks if at == g) for g in range(len(v.table))])

    @property
    def confusion(self) -> pd.DataFrame:
        """Held-out rows by true class (rows) and predicted class (columns) at the chosen point."""
        return self.validation.confusion(self.point)

    def _refresh(self) -> None:
        with self._controls():
            for name, control in self.sliders.items():
                control.index = self.grid[name].index(getattr(self, self._trait[name]))
        row = self.validation.table.iloc[self.point]
        self._said.value = status(f"{self._where(self.point)}: {self.validation.measure} {spread(row)}{self._marks()}.")
        self._facts.value = listed(self._told(), f"Grid point {self.point + 1} of {len(self.validation.table)}")
        caption = "Held-out rows: true class (down) by predicted class (across)"
        self._confusion.value = confusion(self.confusion, caption)
        sheet = self._sheet or self._draw()
        at, v = self._slice(), self.validation
        if len(self._pair) == 2:
            image, best, choice = self._heat
            image.set_data(cells_of(v, self._pair, at))
            for mark, point in ((best, v.best), (choice, v.one_se)):
                fill(mark, self._spots[[point]] if point in at else [])
        for ring in self._rings:
            fill(ring, self._spots[[self.point]])
        self.picture.alt = self._alt()
        self.picture.png = sheet.png()

    def _slice(self) -> np.ndarray:
        """The grid points at the chosen point's values of the knobs that have no axis."""
        points = self.validation.points
        same = np.ones(len(points), bool)
        for k in self.grid:
            if k not in self._pair:
                same &= (points[k] == points[k].iloc[self.point]).to_numpy()
        return np.flatnonzero(same)

    def _draw(self) -> Sheet:
        """The curve; or for several knobs a heat map of two. And where in it each grid point lies."""
        v = self.validation
        sheet = self._new_sheet(WIDTH, HEIGHT)
        ax = sheet.figure.subplots()
        if len(self._pair) == 2:
            self._heat = heat(v, self._pair, ax)
            self._spots = np.column_stack([ranks(v.points[k]) for k in self._pair])
        else:
            self._heat = []
            curve(v, ax=ax)
            handles, names = ax.get_legend_handles_labels()
            ax.get_legend().remove()  # where it hides nothing, wherever the point is
            sheet.figure.legend(handles, names, loc="outside lower center", ncols=3, fontsize="small", frameon=False)
            along = v.points[self._pair[0]] if self._pair else pd.Series([0.0])
            finite = along.dtype.kind in "if" and np.isfinite(along).all()
            self._spots = np.column_stack([along if finite else ranks(along), v.table["error"]])
        style = {"marker": "o", "ms": 15, "mfc": "none", "ls": "none", "clip_on": False}
        self._rings = [line(ax, mec="white", mew=5, **style), line(ax, mec="black", mew=2, **style)]
        sheet.moves([*self._heat, *self._rings])
        plain_text(sheet.figure)
        self._sheet = sheet
        return sheet

    def _clicked(self, x: float, y: float) -> None:
        """The nearest grid point: on the curve from left to right, on a heat map the cell."""
        assert self._sheet is not None
        ax = self._sheet.figure.axes[0]
        at = self._sheet.place(x, y)
        if not ax.bbox.contains(*at):
            return
        here = self._slice()
        dots = ax.transData.transform(self._spots[here])
        if len(self._pair) < 2:
            dots[:, 1] = at[1]
        found = nearest_spot(dots, *at, REACH * self.figure.dpi / DPI)
        if found >= 0:
            self.point = int(here[found])

    def _where(self, point: int) -> str:
        row = self.validation.points.iloc[point]
        return ", ".join(f"{k} = {told(row[k])}" for k in self.grid) or self.validation.problem.model.title

    def _marks(self) -> str:
        v = self.validation
        names = [name for at, name in ((v.best, "the least error"), (v.one_se, "the 1-SE choice")) if at == self.point]
        return f", {' and '.join(names)}" if names else ""

    def _told(self) -> list[tuple[str, str]]:
        """What is known of the chosen point, by name."""
        v = self.validation
        row = v.table.iloc[self.point]
        out = [(MEANING.get(k, k), told(row[k])) for k in self.grid]
        repeats = f" x {len(v.of_fold)} repeats" if len(v.of_fold) > 1 else ""
        out.append((f"held-out {v.measure}, {int(v.of_fold.max()) + 1} folds{repeats}", spread(row)))
        if "cover_error" in row:
            out.append(("cover error", f"{row['cover_error']:.4f}"))
        if "bound" in row:
            out.append(("bound from training rows", f"{row['bound']:.4f}"))
        out.append((f"no-information {v.measure}", f"{v.no_information:.4f}"))
        out.append(("size, mean over folds", f"{row['size']:.4g}"))
        out.append(("fit on all rows: prototypes", self._counted()))
        used = next((point for point, fit in self._fits.items() if fit is self.fit), None)
        out.append(("explorer.fit", "none yet: press Use this" if used is None else f"the fit at {self._where(used)}"))
        return out

    def _counted(self) -> str:
        """Prototypes of each class. The folds' own were not kept; those of the fit on all rows are told where it is at hand."""
        fit = self._fits.get(self.point) or (self._whole and self._whole.fit(self.point))
        if fit is None:
            return "press Use this to count them"
        if len(fit.rule.points) == fit.nobs:
            return "all rows serve"
        counts = per_class(fit)["prototypes"]
        return ", ".join(f"{level}: {count}" for level, count in counts.items())

    def _alt(self) -> str:
        v = self.validation
        what = " and ".join(MEANING.get(k, k) for k in self._pair) or v.problem.model.title
        kind = "Heat map" if len(self._pair) == 2 else "Curve"
        best, choice = (f"{self._where(g)} with {spread(v.table.iloc[g])}" for g in (v.best, v.one_se))
        here = f"{self._where(self.point)} with {spread(v.table.iloc[self.point])}"
        return (
            f"{kind} of the cross-validated {v.measure} over {what}, {len(v.table)} grid points. Least: {best}. "
            f"1-SE choice: {choice}. Ringed, the chosen point: {here}."
        )


class OnAllRows:
    """The method on all rows over the grid of a validation, worked out at once, for a method whose points share work."""

    def __init__(self, validation: Validation) -> None:
        self._validation, problem = validation, validation.problem
        with bar(None, "fitting", problem.progress) as fitting:
            self._related = problem.relate()
            task = replace(problem.task(self._related, limit=ONCE), tick=fitting.update)
            self._path = problem.model.path(task, {str(k): validation.points[k].unique() for k in validation.points})

    def fit(self, point: int) -> Fit:
        problem, row = self._validation.problem, self._validation.points.iloc[[point]]
        model = replace(problem.model, **{str(k): row[k].tolist()[0] for k in row})
        return Fit(replace(problem, model=model), self._related, model, self._path.at(point), self._validation, point)


def pair_of(grid: dict[str, list[Any]], x: Any = None) -> tuple[str, ...]:
    """The knobs that the picture has axes for: those that were tuned, of more than two the two with most values."""
    knobs = [k for k, values in grid.items() if len(values) > 1] or list(grid)[:1]
    if x is not None:
        if not (isinstance(x, (tuple, list)) and len(x) == 2 and x[0] != x[1] and all(k in knobs for k in x)):
            raise OptionError(f"x={brief(x)}: a pair of the knobs that were tuned, {knobs}")
        return tuple(x)
    most = sorted(knobs, key=lambda k: -len(grid[k]))[:2]
    return tuple(k for k in knobs if k in most)


def cells_of(validation: Validation, pair: tuple[str, ...], at: np.ndarray) -> np.ndarray:
    """The errors of the grid points `at` by the second knob of a pair (rows) and the first (columns)."""
    return validation.table.iloc[at].pivot(index=pair[1], columns=pair[0], values="error").to_numpy()


def heat(validation: Validation, pair: tuple[str, ...], ax: Any) -> list[Any]:
    """Axes for the error over two knobs; what is to be filled: the image, the least error and the 1-SE choice.

    Its colours mean the same wherever the other knobs stand.
    """
    table = validation.table
    values = [np.unique(table[k].to_numpy()) for k in pair]
    extent = (-0.5, len(values[0]) - 0.5, -0.5, len(values[1]) - 0.5)
    image = ax.imshow(
        np.zeros((len(values[1]), len(values[0]))), origin="lower", aspect="auto", cmap="viridis_r", extent=extent,
        vmin=table["error"].min(), vmax=table["error"].max(),
    )  # fmt: skip
    for axis, along in zip((ax.xaxis, ax.yaxis), values, strict=True):
        at = range(0, len(along), max(1, -(-len(along) // TICKS)))
        axis.set_ticks(list(at), [told(along[i]) for i in at])
    marks = [
        line(ax, marker=sign, ms=11, mew=2, mfc="none", mec="#D55E00", ls="none", label=name)
        for sign, name in (("x", "least error"), ("s", "1-SE choice"))
    ]
    ax.set(xlabel=MEANING.get(pair[0], pair[0]), ylabel=MEANING.get(pair[1], pair[1]))
    ax.figure.colorbar(image, ax=ax, label=LABEL[validation.measure])
    ax.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return [image, *marks]


def ranks(values: pd.Series) -> np.ndarray:
    """The rank of each value among the distinct ones, from 0."""
    return np.asarray(np.unique(values.to_numpy(), return_inverse=True)[1], float)


def spread(row: pd.Series) -> str:
    """The error of a grid point, with its standard error where there is one."""
    return f"{row['error']:.4f}" + (f" ± {row['se']:.4f}" if row["se"] == row["se"] else "")
