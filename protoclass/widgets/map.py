"""The map that the browser draws by itself from what it was sent once; Python's picture of it stays as the still one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from traitlets import Dict

from ..estimation.fitted import Fitted
from ..views.geometry import Plane
from ..views.pictures import Album
from .browser import script
from .film import Film, describe, describe_plane, make_reel, pack
from .picture import Picture


class Map(Picture):
    """Rows, prototypes and balls at every radius and of every size, drawn by the page.

    Attributes
    ----------
    film : dict
        Names, classes, radii and the error curve; see `film.describe`.
    reels : dict
        The complete rule at each radius by its place; see `film.make_reel`.
    reel : dict
        The one that is shown, with its `index`, where it was too large to be sent with the others.
    plane : dict
        Where the points lie; see `film.describe_plane`.
    regions : dict
        The class that the rule gives to each place, where the plane is the metric's own.
    shown : dict
        Place `stage` of the radius, `size`, class `only` (-1 for all), selected `point` (-1 for none), the points `also` that a
        selected row is joined to, those that are `listed`, those `offered` for the place of a prototype, and the last `turn` of
        the page that was heard.
    controls : dict
        The ids of the sliders, the menus and the list, which the page listens to.
    """

    _esm: ClassVar[str] = script("notebook")

    film = Dict().tag(sync=True)
    reels = Dict().tag(sync=True)
    reel = Dict().tag(sync=True)
    plane = Dict().tag(sync=True)
    regions = Dict().tag(sync=True)
    shown = Dict().tag(sync=True)
    controls = Dict().tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        self._film: Film | None = None
        self._plane: Plane | None = None
        self._of_regions: Any = None

    def load(self, film: Film, album: Album | None, controls: dict[str, Any]) -> None:
        """Another fit with its radii, and the controls beside the map."""
        self._film, self._plane, self._of_regions = film, None, None
        self._pending = {
            "reel": {},
            "regions": {},
            "controls": {name: control.model_id for name, control in controls.items()},
            "reels": {str(k): reel for k, reel in film.reels.items()},
            "film": describe(film, album),
        }

    def show(self, fit: Fitted, plane: Plane, state: dict[str, Any], regions: Any) -> None:
        """The current state; `regions` are codes (height, width) and the ends of the axes, None for none."""
        assert self._film is not None
        film, pending = self._film, dict(self._pending)
        stage = state["stage"]
        if stage not in film.reels and self.reel.get("index") != stage:
            full = film.fits[stage]
            pending["reel"] = {"index": stage, **make_reel(full, film.stages.source, film.points(full))}
        if self._plane is not plane:
            self._plane = plane
            pending["plane"] = describe_plane(film, plane)
        if regions is None:
            pending["regions"] = {}
        elif self._of_regions is not regions[0]:
            codes, extent = regions
            self._of_regions = codes
            pending["regions"] = {
                "stage": stage, "size": state["size"], "height": codes.shape[0], "width": codes.shape[1], "extent": list(extent),
                "codes": pack(codes),
            }  # fmt: skip
        pending["shown"] = {**state, "turn": self._turn}
        self._pending = {}
        with self.hold_sync():
            for name, value in pending.items():
                setattr(self, name, value)

    def on_lasso(self, handler: Callable[[Sequence[int]], None]) -> None:
        """Call `handler(rows)` when rows are lassoed."""

        def report(_: Any, content: Any, buffers: Any) -> None:
            if content.get("kind") == "lasso":
                handler([int(row) for row in content["points"]])

        self.on_msg(report)


def find_point(film: Film, label: Any, row: int) -> int:
    """The point of a label: a row, or a prototype that is not one; -1 for none."""
    return row if row >= 0 else film.places.get(label, -1)
