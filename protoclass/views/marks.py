"""The marks of a picture of rows, prototypes and balls: what an explorer shows, and the same as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from .cards import Card
from .coverage import Coverage
from .geometry import Plane, outline_balls
from .pictures import Album
from .prototypes import find_name, list_names, list_shown

BALLS = 60  # prototypes whose balls are drawn, the first chosen
PICTURES = 200  # of prototypes, of which those are drawn that hide no earlier one

EMPTY = np.empty((0, 2))


@dataclass(frozen=True)
class Marks:
    """What a picture shows of a fit; places are those of its axes.

    Attributes
    ----------
    codes : int array (n,)
        Class of each row.
    held : bool array (n,)
        Whether a ball of its class holds the row; True where the rule has no balls that cover.
    wrong : bool array (n,)
        Whether the row is misclassified.
    prototypes : array (q, 2)
        Places of the prototypes; none where all rows serve.
    classes : int array (q,)
    only : int
        The class that stands out, -1 for all.
    outlines : array (k, corners, 2)
        Of the balls of the first prototypes; none where the picture is not the metric's own plane.
    pictures : uint8 array (k, height, width)
        Of the first prototypes; none where rows are not pictures.
    regions : int array (height, width), or None
        Class that the rule gives to each place.
    chosen : array (0 or 1, 2)
        Place of what is selected.
    ball : array (corners, 2)
        Outline of the ball of a selected prototype.
    rays, miscovered : arrays (k, 2)
        Places of the rows that a selected prototype holds (or is nearest to), and of those that it holds wrongly.
    """

    codes: np.ndarray
    held: np.ndarray
    wrong: np.ndarray
    prototypes: np.ndarray
    classes: np.ndarray
    only: int
    outlines: np.ndarray
    pictures: np.ndarray
    regions: np.ndarray | None
    chosen: np.ndarray
    ball: np.ndarray
    rays: np.ndarray
    miscovered: np.ndarray


def place_marks(
    fit: Fitted, coverage: Coverage, plane: Plane, only: int, name: Any, cards: list[Card], album: Album | None
) -> Marks:
    """The marks of a fit with a row or prototype selected by name."""
    prototypes, at = fit.rule.prototypes, list_shown(fit)
    spots = plane.locate(prototypes) if len(prototypes) else EMPTY
    place, row = find_name(fit, name)
    chosen = spots[[place]] if place >= 0 else plane.rows[[row]] if row >= 0 else EMPTY
    card = cards[0] if place >= 0 else None
    rays = plane.rows[card.rows] if card else spots[cards[0].prototypes] if cards else EMPTY
    balls = plane.of_metric and len(at) > 0
    ball = outline_balls(fit, plane, [place]) if balls and place >= 0 else EMPTY[None][:0]
    return Marks(
        codes=fit.frame.codes,
        held=np.ones(fit.nobs, bool) if coverage.first is None else coverage.first >= 0,
        wrong=coverage.fitted != fit.frame.codes,
        prototypes=spots[at],
        classes=prototypes.classes[at],
        only=only,
        outlines=outline_balls(fit, plane, at[:BALLS]) if balls else np.empty((0, 1, 2)),
        pictures=np.empty((0, 1, 1), np.uint8) if album is None else album.prototypes(fit, at[:PICTURES]),
        regions=None,
        chosen=_known(chosen),
        ball=ball[0] if len(ball) else EMPTY,
        rays=_known(rays),
        miscovered=_known(plane.rows[card.wrong]) if card else EMPTY,
    )


def _known(places: np.ndarray) -> np.ndarray:
    return np.asarray(places[np.isfinite(places).all(axis=1)])


def list_marks(fit: Fitted, coverage: Coverage, plane: Plane, name: Any) -> pd.DataFrame:
    """What the picture shows, by name: rows, then the prototypes that are not rows.

    `what` ("row" or "prototype"), place `x`, `y`, `class`, `fitted`, `correct`; where the rule has them `nearest` (name of
    the prototype), `covered` (by a ball of the class) and `miscovered` (balls of other classes that hold the row); `order`
    (as a prototype, from 1) and `stands_for` (the class of the prototype); `selected`.
    """
    frame, levels, prototypes = fit.frame, fit.frame.levels, fit.rule.prototypes
    out = pd.DataFrame({"what": "row", "x": plane.rows[:, 0], "y": plane.rows[:, 1]}, frame.index)
    out["class"] = pd.Categorical.from_codes(frame.codes, levels)
    out["fitted"] = pd.Categorical.from_codes(coverage.fitted, levels)
    out["correct"] = coverage.fitted == frame.codes
    names = list_names(fit)
    if coverage.nearest is not None and len(prototypes):
        out["nearest"] = names.to_numpy(object)[coverage.nearest]
    if coverage.first is not None:
        out["covered"], out["miscovered"] = coverage.first >= 0, coverage.wrong
    at = list_shown(fit)
    stands_for = pd.Categorical.from_codes(prototypes.classes[at], levels)
    chosen = pd.DataFrame({"order": at + 1, "stands_for": stands_for}, names[at])
    chosen = chosen[~chosen.index.duplicated()]  # a centre of several machines stands at its first place
    out = out.join(chosen[chosen.index.isin(frame.index)])
    aside = np.array([k for k in at if names[k] not in frame.index], int)
    if len(aside):
        spots = plane.locate(prototypes)[aside]
        others = pd.DataFrame({"what": "prototype", "x": spots[:, 0], "y": spots[:, 1]}, names[aside])
        out = pd.concat([out, others.join(chosen)])
    out["order"] = out["order"].astype("Int64")
    return out.assign(selected=[each == name for each in out.index] if name is not None else False)
