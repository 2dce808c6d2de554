"""What an explorer shows of rows and prototypes, as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from .coverage import Coverage
from .geometry import Plane
from .prototypes import list_names, list_shown

BALLS = 60  # prototypes whose balls are drawn, the first chosen


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
