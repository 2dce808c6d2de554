"""A rule that is built of conditions, as the rows come to them: one after the other, each removing some."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from ..models.registry import lacking
from .names import list_short

NAME = 18  # letters of a class
COLUMNS = ["machine", "step", "condition", "quantity", "cut", "row", "class", "value", "removed"]


def list_conditions(fit: Fitted) -> pd.DataFrame:
    """What each condition of a rule sees.

    Returns
    -------
    DataFrame
        One row for each condition and each row that comes to it: `machine` (empty where there is one alone), `step` from 1,
        `condition` in words, `quantity` (what it compares), `cut`, `row` (label), `class`, `value` and `removed`, whether the
        condition settles the class of the row, which does not come to the next. A machine sees the rows of the classes that it
        tells apart.

    Raises
    ------
    NotAvailable
        Where the rule of the method has no conditions.
    """
    if not fit.model.has("conditions"):
        raise lacking(fit.model, "conditions to draw", "conditions")
    codes, parts = fit.frame.codes, []
    for one in fit.model.conditions(fit.learned, fit.query()[0]):
        rows = np.flatnonzero(one.there & np.isin(codes, one.classes))
        head = {"machine": one.machine, "step": one.step, "condition": one.text, "quantity": one.quantity, "cut": one.cut}
        own = pd.DataFrame({"row": fit.frame.index[rows].to_flat_index(), "value": one.values[rows], "removed": one.removed[rows]})
        own["class"] = pd.Categorical.from_codes(codes[rows], fit.classes)
        parts.append(own.assign(**head)[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def count_removed(table: pd.DataFrame) -> str:
    """What a condition removes of the rows that come to it, in words; see `list_conditions`."""
    there, removed = (part["class"].value_counts(sort=False) for part in (table, table[table["removed"]]))
    names = dict(zip(there.index, list_short(there.index, NAME), strict=True))
    parts = [f"{names[level]}: {removed[level]} of {there[level]}" for level in there.index if there[level]]
    return f"removes {', '.join(parts)}" if parts else "no rows are left"
