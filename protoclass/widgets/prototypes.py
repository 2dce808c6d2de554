"""The prototypes of a fit: what each covers, what it covers wrongly, and why a row gets its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from traitlets import Any as Anything
from traitlets import Instance, Unicode, validate

from ..estimation.fitted import Fitted
from ..frames.tables import as_pandas
from ..ground.checks import one_of
from ..ground.errors import DataError, NotAvailableError, OptionError, ProtoclassError, brief
from ..pictures import plot
from ..pictures.coverage import find_row, measure_coverage
from ..pictures.explored import find_details, list_marks, make_steps
from ..pictures.images import make_album
from ..pictures.plane import MAP, Plane, choose_axes, list_predictors, make_plane
from ..tables.words import list_shown
from .base import Explorer, Plain, find_value, join
from .content import ENTRIES, describe, describe_plane, make_content

NEW = 1000  # rows


class PrototypeExplorer(Explorer):
    """Look at the prototypes of a fit, at other radii; see `explore_fit`.

    Attributes
    ----------
    fit : Fit
        The fit that is shown.
    eps : float, or None
        Radius, a value of the slider. None: the radius of the fit, or the method has no slider.
    class_ : class, or None
        The highlighted class. None: all classes.
    x, y : str
        Numeric predictors as axes; "map" as x for the map of the dissimilarities.
    selected : label, or None
        Label of a prototype or a row. At first the misclassified row with the smallest margin;
        without errors the first prototype.
    """

    STATE: ClassVar[tuple[str, ...]] = ("eps", "class_", "x", "y", "selected")

    fit = Instance(Fitted, read_only=True)
    eps = Anything(None, allow_none=True)
    class_ = Anything(None, allow_none=True)
    x = Unicode(MAP)
    y = Unicode("")
    selected = Anything(None, allow_none=True)

    def __init__(
        self,
        fit: Fitted,
        shape: Any = None,
        x: str | None = None,
        y: str | None = None,
        radii: Sequence[float] | None = None,
        new: Any = None,
    ) -> None:
        super().__init__()
        self._new = None if new is None else check_new(fit, new)
        self._album = make_album(fit, shape)
        self._steps = make_steps(fit, radii)
        self._content = make_content(self._steps)
        self._predictors = list_predictors(fit)
        self._planes: dict[Any, Plane] = {}
        with self.hold():
            self.set_trait("fit", fit)
            self.eps = self._steps.radii[self._steps.own] if self._steps.radii else None
            self.y = [*self._predictors, ""][0]
            self.x = choose_axes(fit)[0] if x is None else x
            if y is not None:
                self.y = y
            self.selected = self._label_of(self._first_point())
        plane: Plain = {}  # a map that can't be made the page says in words
        self._guarded(lambda: plane.update(self._describe_plane()))
        page = self._describe_page(plane, self._steps.notes)
        self.content = join({**page, "problem": self.alert})
        self.open()
        self.observe(self._update, list(self.STATE))

    def _first_point(self) -> int:
        """The misclassified row with the smallest margin, otherwise the first prototype; -1 for neither."""
        rule = self._content.rule(self._step)
        errors, points = (
            np.frombuffer(rule[name]["data"], rule[name]["type"]) for name in ("errors", "points")
        )
        return int([*errors[:1], *points[list_shown(self.fit)][:1], -1][0])

    @validate("eps")
    def _a_radius(self, proposal: Any) -> float:
        value, radii = proposal["value"], self._steps.radii
        if not radii:
            method = self.fit.model.name
            raise OptionError(
                f"eps={brief(value)}: method {method!r} has no slider of radii here; radii=[...] "
                "makes one where it has radii"
            )
        return float(radii[find_value("eps", value, radii)])

    @validate("class_")
    def _a_class(self, proposal: Any) -> Any:
        one_of("class_", proposal["value"], (None, *self.fit.classes))
        return proposal["value"]

    @validate("x", "y")
    def _an_axis(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        allowed = (MAP, *self._predictors) if name == "x" else tuple(self._predictors) or ("",)
        one_of(name, value, allowed)
        if name == "x" and value == self.y:  # another y, if there is one
            self.y = min(self._predictors, key=lambda predictor: predictor == value)
        return value

    @validate("selected")
    def _a_label(self, proposal: Any) -> Any:
        value = proposal["value"]
        try:
            fine = (
                value is None or value in self.fit.frame.index or value in self.fit._prototype_names
            )
        except TypeError:  # a label has a hash
            fine = False
        if not fine:
            raise OptionError(
                f"selected={brief(value)}: a label of a row, or of explorer.fit.prototypes.index"
            )
        return value.item() if isinstance(value, np.generic) else value

    @property
    def _step(self) -> int:
        return self._steps.own if self.eps is None else self._steps.radii.index(self.eps)

    def settle(self) -> None:
        self.set_trait("fit", self._steps.fits[self._step])

    # messages that the page gets and sends

    def describe_state(self) -> Plain:
        return {
            "step": self._step,
            "only": -1 if self.class_ is None else self.fit.classes.index(self.class_),
            "point": self._point_of(self.selected),
            **self._axes,
        }

    def take_state(self, state: Plain) -> None:
        if self._steps.radii:
            self.eps = self._steps.radii[state["step"]]
        self.class_ = None if state["only"] < 0 else self.fit.classes[state["only"]]
        self.x = state["x"]
        self.y = state["y"] or self.y
        self.selected = self._label_of(state["point"])

    def reply(self, message: Plain) -> Plain:
        step, wants = self._step, message.get("wants", ())
        found: Plain = {"step": step, "point": self._point_of(self.selected)}
        if "rule" in wants:
            found["rule"] = self._content.rule(step)
        if "plane" in wants:
            found["plane"] = self._describe_plane()
        return {**found, **self._describe_details()}

    def _point_of(self, label: Any) -> int:
        """The point of a label: a row, or a prototype that is not one; -1 for none."""
        row = find_row(self.fit, label)
        return row if row >= 0 else self._content.places.get(label, -1)

    def _label_of(self, point: int) -> Any:
        if point < 0:
            return None
        if point < self.fit.nobs:
            return self.fit.frame.index[point]
        return next(label for label, at in self._content.places.items() if at == point)

    def _describe_plane(self) -> Plain:
        return {**describe_plane(self._content, self._plane()), **self._axes}

    def _describe_details(self) -> Plain:
        """Sentences and tables on the selected point that only Python knows."""
        found = find_details(self.fit, self.selected)
        out: Plain = {"words": found.words, "tables": []}
        for caption, values in found.tables.items():
            rows = [(str(level), f"{value:.4g}") for level, value in values.head(12).items()]
            out["tables"].append({"caption": caption, "head": ["class", "value"], "rows": rows})
        return out

    # methods for cells of a notebook

    def draw(self, ax: Any = None) -> Any:
        axes = self._axes
        if tuple(axes.values()) == choose_axes(self.fit):
            axes = {}
        elif self.x == MAP:
            axes = {"x": MAP}
        return plot(self.fit, "prototypes", ax=ax, **axes)

    def page_content(self) -> Plain:
        content = self._content
        try:
            plane = self._describe_plane()
        except ProtoclassError as reason:
            raise NotAvailableError(f"there is no map to save: {reason}") from reason
        content.rule(self._step)
        content.fill(ENTRIES)
        radii, notes = self._steps.radii, [*self._steps.notes]
        if len(content.rules) < len(radii):
            notes.append(
                f"This page includes {len(content.rules)} of the {len(radii)} radii, those closest "
                "to the radius of the fit."
            )
        return self._describe_page(plane, notes)

    def _describe_page(self, plane: Plain, notes: list[str]) -> Plain:
        """The data of a page from the start: the fit, the rules at the radii that are known, and the plane."""
        rules = {str(k): rule for k, rule in self._content.rules.items()}
        fit = describe(self._content, self._album, self._new)
        return {"fit": fit, "rules": rules, "plane": plane, "notes": notes}

    @property
    def table(self) -> pd.DataFrame:
        """The marks of the plot, by label: rows, then the prototypes that are not rows;
        `pictures.explored.list_marks` has the columns.
        """
        return list_marks(
            self.fit, measure_coverage(self.fit, self._steps.source), self._plane(), self.selected
        )

    @property
    def _axes(self) -> Plain:
        return {"x": self.x, "y": "" if self.x == MAP else self.y}

    def _plane(self) -> Plane:
        """The places in the picture, measured once for each pair of axes."""
        axes = tuple(self._axes.values())
        if axes not in self._planes:
            self._planes[axes] = make_plane(self.fit, **self._axes, source=self._steps.source)
        return self._planes[axes]


def check_new(fit: Fitted, new: Any) -> pd.DataFrame:
    """Rows that a page classifies by itself; what `predict` would not take raises here too."""
    rows = as_pandas(new)
    if not 1 <= len(rows) <= NEW:
        raise DataError(f"new must have 1 to {NEW} rows, not {len(rows)}")
    fit._predictions(rows)
    return rows
