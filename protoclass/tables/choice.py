"""What print and summary say of the choice of the parameters: whether the grid ended too early, and what other folds choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..estimation.resampling import draws_folds
from ..ground.options import significant, told_apart


def choice_facts(fit: Fitted) -> dict[str, str]:
    """The lines `Grid` and `Folds` of print, where there is something to say."""
    if fit.validation is None or fit.point is None or fit.selection.by_hand:
        return {}
    out = {"Grid": "; ".join([*_extended(fit), *_at_its_end(fit)]), "Folds": _other_folds(fit.validation)}
    return {name: words for name, words in out.items() if words}


def _extended(fit: Fitted) -> list[str]:
    """How default grids went on."""
    assert fit.validation is not None
    out = []
    for name, extension in fit.validation.extensions.items():
        went_on = f"the choice was the last {name}, {significant(extension.last)}: "
        if extension.added:
            went_on += f"{extension.added} larger added, up to {significant(fit.validation.grid[name].max())}"
        else:
            went_on += "none larger added"
        out.append(went_on + ("" if extension.all_classes else ", as beyond a class has no prototypes"))
    return out


def _at_its_end(fit: Fitted) -> list[str]:
    """The parameters whose value is the largest of the user's own, where larger ones may be better."""
    assert fit.validation is not None
    grid, values = fit.validation.grid, fit.selection.values
    own = [c for c in grid if not fit.problem.model.has_default_grid(c) and pd.api.types.is_numeric_dtype(grid[c])]
    ends = [c for c in own if grid[c].nunique() > 1 and values[c] == grid[c].max() < np.inf]
    return [f"the choice is the last {c}, {significant(values[c])}: try larger ones" for c in ends]


def _other_folds(validation: ErrorCurve) -> str:
    """What other folds choose, where they choose something else; of repeats, what each alone chooses."""
    draws, names = validation.draws, list(validation.grid)
    if len(draws[names].drop_duplicates()) < 2:
        return ""
    if len(validation.of_fold) > 1:
        values = [_point(row, names) for _, row in draws.iterrows()]
        return f"the choice depends on them, each draw alone chooses {'; '.join(dict.fromkeys(values))}"
    first, second = (row for _, row in draws.iterrows())
    own, other = told_apart(first["size"], second["size"])
    sizes = f"size {other}, not {own}" if own != other else f"size {own} as well"
    return f"others choose {_point(second, names)} ({sizes}): repeats=10 averages"


def _point(row: pd.Series[Any], names: list[str]) -> str:
    return ", ".join(f"{c} = {significant(row[c])}" if isinstance(row[c], float) else f"{c} = {row[c]}" for c in names)


def repeats_note(fit: Fitted) -> list[str]:
    """That repeats show how much the choice depends on the folds, where print does not look at it."""
    validation = fit.validation
    if validation is None or len(validation.grid) < 2 or len(validation.draws) > 1 or not draws_folds(fit.problem):
        return []
    return ["The choice may depend on the draw of the folds: repeats=10 averages over ten draws and shows it."]
