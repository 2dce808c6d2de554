"""`print(validation)`, as text and in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..estimation.error_curve import ErrorCurve
from ..estimation.learning import costs_twice, worse_than_one_class
from ..ground.options import fixed, significant
from ..values import NUMBERS
from ..views.words import count_folds


def choices(validation: ErrorCurve) -> pd.DataFrame:
    """The rows of the best point, of the 1-SE rule and of `choose=`; `corrected` has their errors corrected for the choice."""
    rules = list(dict.fromkeys(["min", "1se", validation.problem.call.choose]))
    rows = validation.table.iloc[[validation.chosen(rule) for rule in rules]].set_axis(rules)
    if len(validation.grid) > 1:
        corrected = [validation.corrected(rule) for rule in rules]
        values = [np.nan if value is None else value for value in corrected]
        rows.insert(int(rows.columns.get_loc("se")) + 1, "corrected", values)
    return rows.rename(columns={"error": validation.measure_name})


def head(validation: ErrorCurve) -> str:
    """What was measured, on what, and the error without information."""
    how, name, problem = count_folds(validation), validation.measure_name, validation.problem
    further = [f"{parameter} beyond {significant(e.last)}" for parameter, e in validation.extensions.items() if e.added]
    points = f"{len(validation.table)} grid points" + (f" (went on with {', '.join(further)})" if further else "")
    said = f"{problem.model.title}: {name} over {how}, {len(problem.frame)} rows"
    return f"{said}, {points}; no-information {name} {fixed(validation.no_information, 3)}"


def said(validation: ErrorCurve) -> tuple[str, list[Any]]:
    """`print(validation)`."""
    warned = (worse_than_one_class(validation, validation.chosen_by_call()), costs_twice(validation))
    lines = [repr(validation.problem.call), head(validation), *(f"Warning: {words}" for words in warned if words)]
    return "\n".join(lines), [(choices(validation), NUMBERS)]
