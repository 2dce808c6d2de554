"""The prototypes of a fit: what each covers, what it covers wrongly, and why a row gets its class."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ipywidgets import HTML, Box, Dropdown, IntSlider, Layout, Select, SelectionSlider, Text, VBox
from traitlets import Any as Anything
from traitlets import Instance, Tuple, Unicode, validate

from ..analysis.alternatives import swap
from ..arguments import one_of
from ..errors import OptionError
from ..estimation.fitted import Fitted
from ..views.cards import Card, list_details, make_cards
from ..views.coverage import Coverage, measure_coverage
from ..views.geometry import MAP, Plane, choose_axes, list_predictors, make_plane
from ..views.marks import Marks, list_marks, place_marks
from ..views.pictures import Album, make_album
from ..views.prototypes import find_name, list_names, list_shown
from ..views.regions import predict_regions
from ..views.stages import count_steps, make_stages
from ..views.words import PARAMETERS, describe_fit, describe_list, describe_picture, list_prototypes, write_value
from .base import Explorer, Requested
from .checks import check_label, check_radius, check_size, check_text
from .film import Film, make_film
from .map import Map, find_point
from .markup import status
from .panels import overview, panel
from .scene import MOST, Scene
from .swaps import criticised, make_menus, offer, swaps_of

Prepared = tuple[Film, Album | None]
ACROSS, DOWN = 415, 430  # pixels of the picture
LISTED = 300  # prototypes in the list


class PrototypeExplorer(Explorer):
    """Look at the prototypes of a fit, at other radii and of other numbers; see `explore_fit`.

    Attributes
    ----------
    fit : Fitted
        The one that is shown. Another that is assigned is explored from then on.
    eps : float, or None
        Radius, one of the slider's; None where the method has none or is slow to solve for each.
    size : int, or None
        Number of steps of the rule that count, in the order chosen; None where it was not built step by step.
    class_ : class, or None
        The one that stands out, None for all.
    x, y : str
        Numeric predictors as axes; "map" as x for the map of the dissimilarities.
    selected : label, or None
        Of a prototype or a row.
    lassoed : tuple
        The labels of the rows that were drawn around on the map.
    """

    STATE: ClassVar[tuple[str, ...]] = ("eps", "size", "class_", "x", "y", "selected")
    PICTURE: ClassVar[type[Map]] = Map
    WIDEST: ClassVar[int] = 1080

    fit = Instance(Fitted)
    eps = Requested(None)
    size = Requested(None)
    class_ = Anything(None, allow_none=True)
    x = Unicode(MAP)
    y = Unicode("")
    selected = Anything(None, allow_none=True)
    lassoed = Tuple()

    def __init__(
        self,
        fit: Fitted,
        shape: Any = None,
        x: str | None = None,
        y: str | None = None,
        radii: Sequence[float] | None = None,
        alternatives: Any = None,
        criticisms: Any = None,
    ) -> None:
        super().__init__()
        self._shape = shape
        self._swaps, self._criticised = swaps_of(fit, alternatives), criticised(fit, criticisms)
        self._current = self._swapped = fit  # the second: what swaps and criticisms are of
        self._prepared: Prepared | None = self._prepare(fit, radii)
        self.picture.layout = Layout(flex="1 1 300px", min_width="0", max_width="820px")
        self.picture.on_lasso(lambda rows: self._guarded(lambda: self._lasso(rows)))
        with self.hold():
            self.fit = fit
            self._start()
            self.x, self.y = self.x if x is None else x, self.y if y is None else y
            self.observe(lambda change: self._start() if self._prepared else None, "fit")
            self.observe(self._radius_moved, "eps")
            self.observe(self._update, list(self.STATE))

    def _prepare(self, fit: Fitted, radii: Sequence[float] | None = None) -> Prepared:
        """What takes time, and may fail, before anything is shown of a fit."""
        album = None if self._shape is None else make_album(fit, self._shape)
        return make_film(make_stages(fit, radii), self._criticised if fit is self._swapped else []), album

    def _start(self) -> None:
        """Show the fit that was prepared, at its own radius and number of prototypes."""
        assert self._prepared is not None
        (self._film, self._album), self._prepared = self._prepared, None
        self._stages = self._film.stages
        fit = self._current = self._stages.fit
        self._predictors = list_predictors(fit)
        self._planes: dict[tuple[str, str], Plane] = {}
        self._row_of = {str(label): i for i, label in enumerate(fit.frame.index)}
        self._scene: Scene | None = None
        self._marks: Marks | None = None
        self._coverage: tuple[Fitted, Coverage] | None = None
        self._regions: tuple[Fitted, Plane, np.ndarray] | None = None
        self._shown = self._stages.own
        with self.hold(), self._controls():
            self._sheet = self._drawn = None
            self.class_ = self.selected = None
            self.lassoed = ()
            self.eps, self.size = self._stages.own
            self.x, y = choose_axes(fit)
            self.y = y or next(iter(self._predictors), "")
            self._build()

    def _build(self) -> None:
        """The controls that this fit has."""
        style, wide = {"description_width": "initial"}, Layout(width="99%")
        self._arranged = False
        self.sliders: dict[str, Any] = {}
        if len(self._stages.radii) > 1:
            options = [(write_value(v), i) for i, v in enumerate(self._stages.radii)]
            slider = SelectionSlider(options=options, description=PARAMETERS["eps"], style=style, layout=wide)
            self._follow(slider, "eps", self._stages.radii.__getitem__, "index")
            self.sliders["eps"] = slider
        if self.size is not None:
            each = "" if self._most() == len(self._stages.rule(self.eps).prototypes) else " of each machine"
            slider = IntSlider(
                self.size, 0, max(1, self.size), description=f"size, first chosen{each}", style=style, layout=wide
            )
            self._follow(slider, "size", int)
            self.sliders["size"] = slider
        classes = [("all", -1), *((str(level), k) for k, level in enumerate(self.fit.classes))]
        self.menu = Dropdown(options=classes, description="class", style=style, layout=Layout(width="165px"))
        self._follow(self.menu, "class_", lambda k: None if k < 0 else self.fit.classes[k])
        axes = [("map of the dissimilarities", MAP), *((name, name) for name in self._predictors)]
        self.x_menu = Dropdown(options=axes, description="x", style=style, layout=Layout(width="250px"))
        self.y_menu = Dropdown(options=self._predictors, description="y", style=style, layout=Layout(width="190px"))
        self._follow(self.x_menu, "x", str)
        self._follow(self.y_menu, "y", str)
        self.list = Select(rows=17, tooltip="prototypes", layout=Layout(width="200px"))
        self._listed = np.empty(0, np.int64)
        self._names: list[str] = []
        self._follow(self.list, "selected", self._label_of, "index")
        self.search = Text(description="row", placeholder="label, Enter", continuous_update=False, style=style)
        self.search.layout = Layout(width="200px")
        self._follow(self.search, "selected", self._find_row)
        self.swap_menu, self.criticisms_menu = make_menus(self._criticised)
        self.swap_menu.observe(self._menu_moved, "value")
        self._follow(self.criticisms_menu, "selected", lambda label: label)
        self._status, self._head, self._details = HTML(), HTML(), HTML()
        menus = {"only": self.menu, "list": self.list, "swap": self.swap_menu, "criticised": self.criticisms_menu}
        self.picture.load(self._film, self._album, {**self.sliders, **menus})

    def _arrange(self) -> list[Any]:
        row = Layout(display="flex", flex_flow="row wrap")
        menus = [self.menu, self.x_menu, self.y_menu] if self._predictors else [self.menu]
        swaps = [] if self._swaps is None else [self.swap_menu]
        side = VBox([self._head, self.list, *swaps, self.search], layout=Layout(width="208px", overflow="hidden"))
        middle = Box([self.picture, side], layout=row)
        menu = Box([*menus, self.criticisms_menu] if self._criticised else menus, layout=row)
        return [*self.sliders.values(), menu, self._warning, self._status, middle, self._details]

    @validate("fit")
    def _another(self, proposal: Any) -> Fitted:
        """Another fit is prepared before the old one is given up."""
        fit: Fitted = proposal["value"]
        if fit is not self._current:
            self._prepared = self._prepare(fit)
            if fit is not self._swapped:
                self._swaps, self._criticised = None, []
        return fit

    def _check_eps(self, value: Any) -> float | None:
        return check_radius(value, self._stages.radii, self.fit.model.name)

    def _check_size(self, value: Any) -> int | None:
        return check_size(value, self._most(), self.fit.model.name)

    @validate("class_")
    def _a_class(self, proposal: Any) -> Any:
        one_of("class_", proposal["value"], (None, *self.fit.classes))
        return proposal["value"]

    @validate("x", "y")
    def _an_axis(self, proposal: Any) -> str:
        name, value = proposal["trait"].name, proposal["value"]
        allowed = (MAP, *self._predictors) if name == "x" else tuple(self._predictors) or ("",)
        one_of(name, value, allowed)
        return str(value)

    @validate("selected")
    def _a_label(self, proposal: Any) -> Any:
        return check_label(proposal["value"], self.fit)

    def _most(self) -> int | None:
        return count_steps(self._stages.rule(self.eps))

    def _radius_moved(self, change: Any) -> None:
        """All prototypes stay all; a number of them stays that number as far as there are so many."""
        if self.size is None or self._setting:
            return
        most = self._most() or 0
        all_of_them = change.old is None or self.size == count_steps(self._stages.rule(change.old))
        self.size = most if all_of_them else min(self.size, most)

    def _label_of(self, index: int | None) -> Any:
        return None if index is None else list_names(self.fit)[self._listed[index]]

    def _find_row(self, text: str) -> Any:
        """The row of a label that was typed."""
        return None if not text.strip() else self.fit.frame.index[check_text(text.strip(), self._row_of)]

    def _menu_moved(self, change: Any) -> None:
        if not self._setting and change.new is not None:
            self._guarded(lambda: self.swap(change.new))

    @property
    def parts(self) -> tuple[Film, Album | None, Plane]:
        """What a page draws by itself: all radii, the pictures of the rows, and the places."""
        return self._film, self._album, self._plane()

    def save(self, path: Any, overwrite: bool = False) -> Path:
        """Write the explorer as one HTML file that needs neither Python nor a network, with all radii and sizes.

        The address with `#row=` and a label behind it opens at that row or prototype.

        Parameters
        ----------
        path : str or path
            Ends in .html.
        overwrite : bool
            Whether a file of this name is replaced.
        """
        from .saved import write_page

        return write_page(self, path, overwrite)

    def swap(self, substitute: Any) -> None:
        """Put a row in the place of the selected prototype, see `Fit.swap`; it is then selected."""
        if self.selected not in list_names(self.fit):
            raise OptionError("swap: select the prototype whose place the row takes, such as explorer.selected = label")
        before = self.selected
        with self.hold():
            self._swapped = swap(self.fit, before, substitute)
            self.fit = self._swapped
            self.selected = substitute
            if self._swaps is not None:
                self._swaps.note(before, substitute)

    def _show_swaps(self) -> None:
        names = list_names(self.fit)
        self._offers = [] if self._swaps is None or self.selected not in names else self._swaps.of(self.selected, names)
        offer(self.swap_menu, self._offers)

    @property
    def table(self) -> pd.DataFrame:
        """What the picture shows, by label: rows, then the prototypes that are not rows; `views.marks.list_marks` has the columns."""
        return list_marks(self.fit, self._cover(), self._plane(), self.selected)

    @property
    def details(self) -> pd.DataFrame:
        """What the selected prototype or row has to do with others: `relation`, `label`, `class`, `value`."""
        return list_details(self._make_cards())

    def _refresh(self) -> None:
        if self._shown != (self.eps, self.size):
            self._shown = (self.eps, self.size)
            self._current = self._stages.at(*self._shown)
        fit = self.fit = self._current
        self._show_controls()
        coverage, cards, plane = self._cover(), self._make_cards(), self._plane()
        self._details.value = panel(fit, self.selected, cards, self._album) if cards else overview(fit, coverage)
        only = -1 if self.class_ is None else fit.classes.index(self.class_)
        marks = place_marks(fit, coverage, plane, only, self.selected, cards, self._album)
        words = self._describe(coverage, marks)
        self._status.value = status(words)
        if self._sheet is None or self._scene is None or self._scene.plane is not plane:
            sheet, response = self._new_sheet(ACROSS, DOWN), str(fit.frame.formula.response)
            self._scene = Scene(sheet, plane, fit.classes, response, coverage.first is not None, marks.prototypes)
            self._sheet = sheet
        regions = None
        if plane.of_metric:
            if self._regions is None or self._regions[0] is not fit or self._regions[1] is not plane:
                codes = predict_regions(fit, (self.x, self.y), self._scene.extent).codes
                self._regions = (fit, plane, codes)
            regions = (self._regions[2], self._scene.extent)
            marks = replace(marks, regions=self._regions[2])
        self._marks = marks
        axes = None if self.x == MAP else (self.x, self.y)
        state = self._point_out(only, cards)
        self.picture.show(fit, plane, state, regions)
        words = " ".join(filter(None, (words, self._film.describe_gap(state["stage"], self.size))))
        self.picture.alt = describe_picture(fit, axes, words, self.class_, cards[0].title if cards else "")
        self.picture.png = self._scene.show(marks)

    def _point_out(self, only: int, cards: list[Card]) -> dict[str, Any]:
        """The state in the terms of the map."""
        points = self._film.points(self.fit)
        return {
            "stage": 0 if self.eps is None else self._stages.radii.index(self.eps),
            "size": self.size or 0,
            "only": only,
            "point": find_point(self._film, self.selected, find_name(self.fit, self.selected)[1]),
            "also": points[cards[0].prototypes].tolist() if cards else [],
            "listed": points[self._listed].tolist(),
            "offered": [find_point(self._film, label, find_name(self.fit, label)[1]) for _, label in self._offers],
        }

    def _select(self, point: int) -> None:
        """Select the point that the page did."""
        n, at = self.fit.nobs, {point: label for label, point in self._film.places.items()}
        self.selected = None if point < 0 else self.fit.frame.index[point] if point < n else at[point]

    def _lasso(self, rows: Sequence[int]) -> None:
        self.lassoed = tuple(self.fit.frame.index[list(rows)])

    def _describe(self, coverage: Coverage, marks: Marks) -> str:
        """The fit in words, and what the picture leaves out."""
        n, lost = self.fit.nobs, int(np.isnan(marks.prototypes).any(axis=1).sum())
        words = [describe_fit(self.fit, coverage)]
        words += [f"{lost} of the prototypes have no place in this picture."] if lost else []
        words += [self._stages.note] if self._stages.note else []
        words += [f"{MOST} of the {n} rows are drawn, evenly taken."] if n > MOST else []
        return " ".join(words)

    def _show_controls(self) -> None:
        fit = self.fit
        with self._controls():
            if "eps" in self.sliders:
                self.sliders["eps"].index = self._stages.radii.index(self.eps)
            if "size" in self.sliders:
                self.sliders["size"].max = max(1, self._most() or 0)
                self.sliders["size"].value = self.size
            self.menu.value = -1 if self.class_ is None else fit.classes.index(self.class_)
            self.x_menu.value, self.y_menu.disabled = self.x, self.x == MAP
            if self._predictors:
                self.y_menu.value = self.y
            place, row = find_name(fit, self.selected)
            self.search.value = str(self.selected) if row >= 0 else ""
            self._show_list(place)
            self._show_swaps()
            listed = [label for _, label in self._criticised]
            self.criticisms_menu.value = self.selected if self.selected in listed else None

    def _show_list(self, place: int) -> None:
        """The prototypes of the class that stands out (or of all), in the order chosen."""
        fit, at = self.fit, list_shown(self.fit)
        if self.class_ is not None:
            at = at[fit.rule.prototypes.classes[at] == fit.classes.index(self.class_)]
        self._listed = at[:LISTED]
        names = list_prototypes(fit, self._listed)
        if names != self._names:
            self._names, self.list.options = names, names
        where = np.flatnonzero(self._listed == place)
        self.list.index = int(where[0]) if len(where) else None
        words = describe_list(fit, len(at), LISTED)
        self._head.value = f'<div style="line-height:1.3"><b>{html.escape(words)}</b></div>'
        self.list.disabled = not len(self._listed)

    def _cover(self) -> Coverage:
        """What the current fit does with the rows, measured once."""
        if self._coverage is None or self._coverage[0] is not self.fit:
            self._coverage = (self.fit, measure_coverage(self.fit, self._stages.source))
        return self._coverage[1]

    def _make_cards(self) -> list[Card]:
        return make_cards(self.fit, self._stages.source, self._cover(), self.selected)

    def _plane(self) -> Plane:
        """The places in the picture, measured once for each pair of axes."""
        axes = (self.x, "" if self.x == MAP else self.y)
        if axes not in self._planes:
            self._planes[axes] = make_plane(self.fit, *axes, self._stages.source)
        return self._planes[axes]
