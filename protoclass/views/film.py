"""The frames of a film: a fit at growing radii, or with one prototype after the other, and the curve that they trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..estimation.fit import Fit
from ..models.registry import lacking
from .geometry import take_evenly
from .prototypes import list_shown
from .stages import Stages, count_steps, make_stages


@dataclass(frozen=True)
class Frames:
    """The fits of a film.

    Attributes
    ----------
    fits : tuple of Fit
        One for each frame.
    table : DataFrame
        One row for each frame: `eps` or `size` (what grows), `prototypes`, `training_error`, and `held_out` where the radius alone was
        cross-validated.
    along : str
        The column that grows.
    possible : int
        Radii, or sizes, that there are; of more than the film may have, some are taken evenly.
    """

    fits: tuple[Fit, ...]
    table: pd.DataFrame
    along: str
    possible: int


def list_frames(fit: Fit, most: int) -> Frames:
    """The fit at the radii of its explorer, from the smallest to the largest, its own among them; of a method that has no radii to
    move, its first 1, 2, ... steps.

    Raises
    ------
    NotAvailable
        Where there is neither.
    """
    stages = make_stages(fit)
    steps = count_steps(fit.rule)
    if stages.radii:
        own = int(np.searchsorted(stages.radii, stages.own[0] or 0.0))  # they ascend, and it is one of them
        every = np.arange(len(stages.radii))
        chosen = _take(every, most, own)
        fits = [stages.at(stages.radii[k], None) for k in chosen]
        table = pd.DataFrame({"eps": [stages.radii[k] for k in chosen]})
    elif steps:
        every = np.arange(1, steps + 1)
        chosen = _take(every, most, steps)
        fits = [stages.at(stages.own[0], int(size)) for size in chosen]
        table = pd.DataFrame({"size": chosen})
    else:
        raise lacking(fit.model, "radii to grow and no steps to take", "steps")
    table["prototypes"] = [len(list_shown(each)) for each in fits]
    table["training_error"] = [each.training_error() for each in fits]
    if stages.radii and (held := _find_held_out(stages)) is not None:
        table["held_out"] = table["eps"].map(held)
    return Frames(tuple(fits), table, table.columns[0], len(every))


def _take(every: np.ndarray, most: int, own: int) -> np.ndarray:
    """At most so many of the frames, evenly taken, the last and the fit's own among them."""
    some = every[take_evenly(len(every), most)]
    if own not in some:
        some[np.abs(some[:-1] - own).argmin() if len(some) > 1 else 0] = own
    return np.asarray(some)


def _find_held_out(stages: Stages) -> pd.Series | None:
    """Held-out error by radius, where nothing else was tuned."""
    validation, radius = stages.fit.validation, stages.fit.model.can.radius
    if validation is None or list(validation.grid) != [radius]:
        return None
    return pd.Series(validation.table["error"].to_numpy(), validation.grid[radius].to_numpy(float))
