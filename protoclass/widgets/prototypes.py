"""The prototypes of a fit: what each covers, what it covers wrongly, and why a row gets its class."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from traitlets import Any as Anything
from traitlets import Instance, Tuple, Unicode, validate

from ..analysis.alternatives import Alternatives, Criticisms, swap
from ..estimation.fitted import Fitted
from ..frames.tables import as_pandas
from ..ground.checks import one_of
from ..ground.errors import DataError, NotAvailable, OptionError, ProtoclassError, brief
from ..ground.options import significant
from ..pictures import plot
from ..pictures.coverage import Coverage, find_row, measure_coverage
from ..pictures.details import find_details, list_marks
from ..pictures.images import Album, make_album
from ..pictures.plane import MAP, Plane, choose_axes, divide_plane, list_predictors, make_plane
from ..pictures.stages import count_steps, make_stages
from ..tables.words import list_features
from .base import Explorer, Plain, Requested, find_value, join
from .film import (
    Film,
    add_rivals,
    count_affordable,
    describe,
    describe_plane,
    make_film,
    make_reel,
    make_rivals,
    pack,
    take_reels,
)

Label = Hashable
FEW = 12  # rows of a table
NEW = 1000  # rows


class PrototypeExplorer(Explorer):
    """Look at the prototypes of a fit, at other radii and of other numbers; see `explore_fit`.

    Attributes
    ----------
    fit : Fit
        The fit that is shown. Assign another fit to explore that one.
    eps : float, or None
        Radius, a value of the slider. None if the method has no radius or is slow to solve for each.
    size : int, or None
        Number of steps of the rule, in the order chosen. None if the rule was not built step by step.
    class_ : class, or None
        The highlighted class. None: all classes.
    x, y : str
        Numeric predictors as axes; "map" as x for the map of the dissimilarities.
    selected : label, or None
        Label of a prototype or a row.
    lassoed : tuple
        Labels of the rows inside the lasso on the map.
    """

    STATE: ClassVar[tuple[str, ...]] = ("eps", "size", "class_", "x", "y", "selected")

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
        new: Any = None,
    ) -> None:
        super().__init__()
        self._new = None if new is None else check_new(fit, new)
        self._shape = shape
        self._swaps, self._criticised = swaps_of(fit, alternatives), criticised(fit, criticisms)
        self._current = self._swapped = fit  # the second: what swaps and criticisms are of
        self._prepared: tuple[Film, Album | None] | None = self._prepare(fit, radii)
        with self.hold():
            self.fit = fit
            self._start()
            self.x, self.y = self.x if x is None else x, self.y if y is None else y
        self._load()
        self.observe(self._another_fit, "fit")
        self.observe(self._radius_moved, "eps")
        self.observe(self._update, list(self.STATE))

    def _prepare(self, fit: Fitted, radii: Sequence[float] | None = None) -> tuple[Film, Album | None]:
        """What takes time, and may fail, before anything is shown of a fit."""
        album = make_album(fit, self._shape)
        return make_film(make_stages(fit, radii), self._criticised if fit is self._swapped else []), album

    def _start(self) -> None:
        """Show the fit that was prepared, at its own radius and number of prototypes."""
        assert self._prepared is not None
        (self._film, self._album), self._prepared = self._prepared, None
        self._stages = self._film.stages
        fit = self._current = self._stages.fit
        self._predictors = list_predictors(fit)
        self._planes: dict[tuple[str, str], Plane] = {}
        self._coverage: tuple[Fitted, Coverage] | None = None
        self._shown = self._stages.own
        self._starting = True
        with self.hold():
            self.class_ = self.selected = None
            self.lassoed = ()
            self.eps, self.size = self._stages.own
            self.x, y = choose_axes(fit)
            self.y = y or next(iter(self._predictors), "")
            self._starting = False

    def _another_fit(self, change: Any) -> None:
        if self._prepared is not None:
            self._start()
            self._load()

    def _load(self) -> None:
        """Give the page what it draws: a map that can't be made it says in words."""
        self._tell_plane: Plain = {}
        self._guarded(lambda: self._tell_plane.update(self._describe_plane()))
        self.content = join({
            "film": self._describe_film(),
            "reels": {str(k): reel for k, reel in self._film.reels.items()},
            "plane": self._tell_plane,
            "notes": [self._stages.note] if self._stages.note else [],
            "problem": self.alert,
        })  # fmt: skip
        self.open()

    @validate("fit")
    def _prepare_another(self, proposal: Any) -> Fitted:
        """Another fit is prepared before the old one is given up."""
        fit: Fitted = proposal["value"]
        if fit is not self._current:
            self._prepared = self._prepare(fit)
            if fit is not self._swapped:
                self._swaps, self._criticised = None, []
        return fit

    def _check_eps(self, value: Any) -> float | None:
        """One of the slider's radii; None where there is no slider."""
        radii = self._stages.radii
        if value is None and not radii:
            return None
        if not radii:
            method = self.fit.model.name
            raise OptionError(
                f"eps={brief(value)}: method {method!r} has no slider of radii here; radii=[...] makes one where it has radii"
            )
        return float(radii[find_value("eps", value, radii)])

    def _check_size(self, value: Any) -> int | None:
        """A number of steps; None where the rule was not built step by step."""
        most = self._most()
        if value is None and most is None:
            return None
        if most is None:
            raise OptionError(f"size={brief(value)}: method {self.fit.model.name!r} was not built step by step")
        integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not integer or not 0 <= value <= most:
            raise OptionError(f"size={brief(value)}: an integer from 0 to {most}")
        return int(value)

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
        value = proposal["value"]
        try:
            fine = value is None or value in self.fit.frame.index or value in self.fit.prototype_names
        except TypeError:  # what has no hash is no label
            fine = False
        if not fine:
            raise OptionError(f"selected={brief(value)}: a label of a row, or of explorer.fit.prototypes.index")
        return value.item() if isinstance(value, np.generic) else value

    def _most(self) -> int | None:
        return count_steps(self._stages.rule(self.eps))

    def _radius_moved(self, change: Any) -> None:
        """All prototypes stay all; a number of them stays that number as far as there are so many."""
        if self.size is not None and not self._starting:
            most = self._most() or 0
            all_of_them = change.old is None or self.size == count_steps(self._stages.rule(change.old))
            self.size = most if all_of_them else min(self.size, most)

    def settle(self) -> None:
        if self._shown != (self.eps, self.size):
            self._shown = (self.eps, self.size)
            self._current = self._stages.at(*self._shown)
        self.fit = self._current

    # what the page hears, and says

    def describe_state(self) -> Plain:
        return {
            "stage": 0 if self.eps is None else self._stages.radii.index(self.eps),
            "size": self.size or 0,
            "only": -1 if self.class_ is None else self.fit.classes.index(self.class_),
            "point": self._point_of(self.selected),
            "x": self._axes[0],
            "y": self._axes[1],
        }

    def take_state(self, state: Plain) -> None:
        if self._stages.radii:
            self.eps = self._stages.radii[state["stage"]]
        if self.size is not None and state["size"] is not None:  # the page may not know how many there are at a radius
            self.size = state["size"]
        self.class_ = None if state["only"] < 0 else self.fit.classes[state["only"]]
        self.x = state["x"]
        self.y = state["y"] or self.y
        self.selected = self._label_of(state["point"])
        self.lassoed = tuple(self.fit.frame.index[state.get("lasso", [])])

    def tell(self, message: Plain) -> Plain:
        if message.get("swap") is not None:
            self.swap(self._label_of(message["swap"]))
        stage = self.describe_state()["stage"]
        found: Plain = {"stage": stage, "size": self.size or 0, "point": self._point_of(self.selected)}
        full, wants = self._film.fits[stage], message.get("wants", ())
        if "reel" in wants:
            found["reel"] = make_reel(full, self._stages.source, self._film.points(full))
        if "rivals" in wants and self.fit.nobs * len(full.rule.prototypes) <= count_affordable(self._stages.source):
            found["rivals"] = make_rivals(full, self._stages.source)
        if "plane" in wants:
            found["plane"] = self._describe_plane()
        if "regions" in wants and self._plane().of_metric:
            found["regions"] = self.describe_regions(self.fit, stage, self.size or 0)
        return {**found, **self._describe_details()}

    def _point_of(self, label: Any) -> int:
        """The point of a label: a row, or a prototype that is not one; -1 for none."""
        row = find_row(self.fit, label)
        return row if row >= 0 else self._film.places.get(label, -1)

    def _label_of(self, point: int) -> Any:
        n = self.fit.nobs
        if point < 0:
            return None
        return self.fit.frame.index[point] if point < n else next(label for label, at in self._film.places.items() if at == point)

    def _describe_plane(self) -> Plain:
        x, y = self._axes
        return {**describe_plane(self._film, self._plane()), "x": x, "y": y}

    def describe_regions(self, fit: Fitted, stage: int, size: int) -> Plain:
        """The class that a rule gives each place of the plane of two predictors."""
        regions = divide_plane(fit, self._plane())
        height, width = regions.codes.shape
        return {
            "x": self.x, "y": self.y, "stage": stage, "size": size, "height": height, "width": width,
            "extent": list(regions.extent), "codes": pack(regions.codes),
        }  # fmt: skip

    def _describe_details(self) -> Plain:
        """What only Python knows of what is selected: sentences, tables, and what the page joins it to."""
        fit = self.fit
        found = find_details(fit, self._stages.source, self._cover(), self.selected)
        out: Plain = {"words": found.words, "tables": []}
        for caption, values in found.tables.items():
            rows = [(str(level), f"{value:.4g}") for level, value in values.head(FEW).items()]
            out["tables"].append({"caption": caption, "head": ["class", "value"], "rows": rows})
        out["also"] = self._film.points(fit)[found.decided].tolist()
        if self.selected is None and (features := list_features(fit)):
            rows = [(str(k + 1), words) for k, words in enumerate(features[:FEW])]
            rows += [("", f"and {len(features) - FEW} more")] if len(features) > FEW else []
            out["tables"].append({"caption": "Features", "head": ["", "rule"], "rows": rows})
        names = fit.prototype_names
        offers = [] if self._swaps is None or self.selected not in names else self._swaps.of(self.selected, names)
        out["offers"] = [(words, self._point_of(label)) for words, label in offers]
        return out

    # for cells of a notebook

    def draw(self, ax: Any = None) -> Any:
        axes = {} if self._axes == choose_axes(self.fit) else {name: axis for name, axis in zip("xy", self._axes, strict=True) if axis}
        return plot(self.fit, "prototypes", ax=ax, **axes)

    def bake(self) -> Plain:
        try:
            film, _, plane = self.parts
        except ProtoclassError as reason:
            raise NotAvailable(f"there is no map to save: {reason}") from reason
        reels, left, notes = take_reels(film, self.describe_state()["stage"])
        told = self._describe_film()
        if told["metric"]["reason"] or not told["fields"]:  # else the page measures by itself
            notes += add_rivals(film, reels, left)
        regions = [self.describe_regions(film.fits[k], k, reels[k]["most"]) for k in sorted(reels)] if plane.of_metric else []
        return {
            "film": told,
            "reels": {str(k): reel for k, reel in reels.items()},
            "plane": self._describe_plane(),
            "regions": regions,
            "notes": notes + ([film.stages.note] if film.stages.note else []),
        }

    def _describe_film(self) -> Plain:
        return describe(self._film, self._album, self._new)

    def swap(self, substitute: Any) -> None:
        """Put a row in the place of the selected prototype, see `Fit.swap`; it is then selected."""
        if self.selected not in self.fit.prototype_names:
            raise OptionError("swap: select the prototype whose place the row takes, such as explorer.selected = label")
        before = self.selected
        with self.hold():
            self._swapped = swap(self.fit, before, substitute)
            self.fit = self._swapped
            self.selected = substitute
            if self._swaps is not None:
                self._swaps.note(before, substitute)

    @property
    def table(self) -> pd.DataFrame:
        """What the picture shows, by label: rows, then the prototypes that are not rows; `views.cards.list_marks` has the columns."""
        return list_marks(self.fit, self._cover(), self._plane(), self.selected)

    @property
    def parts(self) -> tuple[Film, Album | None, Plane]:
        """What a page draws by itself: all radii, the pictures of the rows, and the places."""
        return self._film, self._album, self._plane()

    def _cover(self) -> Coverage:
        """What the current fit does with the rows, measured once."""
        if self._coverage is None or self._coverage[0] is not self.fit:
            self._coverage = (self.fit, measure_coverage(self.fit, self._stages.source))
        return self._coverage[1]

    @property
    def _axes(self) -> tuple[str, str]:
        return self.x, "" if self.x == MAP else self.y

    def _plane(self) -> Plane:
        """The places in the picture, measured once for each pair of axes."""
        if self._axes not in self._planes:
            self._planes[self._axes] = make_plane(self.fit, *self._axes, self._stages.source)
        return self._planes[self._axes]


class Swaps:
    """The substitutes of each prototype, also where one has taken its place already.

    Parameters
    ----------
    found : Alternatives
        Of the fit that is explored.
    """

    def __init__(self, found: Alternatives) -> None:
        self._costs: dict[Label, dict[Label, float]] = dict(found.table["substitutes"].items())
        self._first: dict[Label, Label] = {}  # the prototype of the fit in whose place a substitute stands

    def of(self, label: Label, taken: Collection[Label]) -> list[tuple[str, Label]]:
        """What can take the place of a prototype, with its cost in words; `taken` are the prototypes that there are."""
        first = self._first.get(label, label)
        offers = {first: "original"} if first != label else {}
        offers |= {name: f"+{significant(cost, 3)}" for name, cost in self._costs.get(first, {}).items()}
        return [(f"{name} ({words})", name) for name, words in offers.items() if name not in taken]

    def note(self, label: Label, substitute: Label) -> None:
        """Remember that a substitute has taken the place of a prototype."""
        first = self._first.pop(label, label)
        if substitute != first:
            self._first[substitute] = first


def check_new(fit: Fitted, new: Any) -> pd.DataFrame:
    """Rows that a page classifies by itself; what `predict` would not take raises here too."""
    rows = as_pandas(new)
    if not 1 <= len(rows) <= NEW:
        raise DataError(f"new must have 1 to {NEW} rows, not {len(rows)}")
    fit.predictions(rows)
    return rows


def swaps_of(fit: Fitted, alternatives: Any) -> Swaps | None:
    """The swaps that `fit.alternatives()` allows; None without any."""
    return None if alternatives is None else Swaps(_check_of_fit(fit, "alternatives", alternatives))


def criticised(fit: Fitted, criticisms: Any) -> list[tuple[str, Label]]:
    """The rows that `fit.criticisms()` lists, each with the reason; none without any."""
    if criticisms is None:
        return []
    criticisms = _check_of_fit(fit, "criticisms", criticisms)
    return [(f"{label} ({reason})", label) for label, reason in criticisms.table["reason"].items()]


def _check_of_fit(fit: Fitted, name: str, value: Any) -> Any:
    """A value that the method of this name returned for a fit; raises for any other."""
    known = isinstance(value, {"alternatives": Alternatives, "criticisms": Criticisms}[name])
    if not known or value.fit is not fit:
        raise OptionError(f"{name}={'those of another fit' if known else brief(value)}: what fit.{name}() of the explored fit returns")
    return value
