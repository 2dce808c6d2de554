"""The balls' radius: fits at several radii (PVM paper, figure 1), and the objectives that solvers reach at each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from ..estimation.problem import HOLD_LIMIT
from ..ground.checks import one_of
from ..ground.errors import OptionError, brief
from ..ground.progress import bar
from ..models.base import GRID, Model, is_tuned
from ..models.registry import lacking

ALL = "all"  # solvers that the method has
PANELS = 6  # radii shown by default


def fit_radii(fit: Fitted, eps: Any = None) -> list[Fitted]:
    """The fit at several radii; by default six of the default grid, from the second to the last, evenly."""
    model, radius = fit.model, fit.model.can.radius
    if not radius:
        raise lacking(model, "radii to vary", "radius")
    task = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT)
    smallest = np.bincount(task.y, minlength=task.classes)
    if eps is None:
        grid = replace(model, **{radius: GRID}).grid(task, smallest)[radius]
        eps = grid[np.unique(np.linspace(min(1, len(grid) - 1), len(grid) - 1, PANELS).round().astype(int))].tolist()
    several = replace(model, **{radius: eps if is_tuned(eps) else [eps]})
    axes = several.grid(task, smallest)
    path = several.path(task, axes)
    return [fit.derived(path.at(g), {radius: float(e)}) for g, e in enumerate(axes[radius])]


def compare_solvers(fit: Fitted, eps: Any = None, solvers: Any = ALL) -> pd.DataFrame:
    """One row for each solver and radius: `solver`, `eps`, `objective`, `bound` (from the certificate), `prototypes`.

    This is what the course report of Visagan (2018) shows in figure 5.

    Parameters
    ----------
    eps : sequence, optional
        Ten radii from half to twice the fit's own by default.
    solvers : sequence of str
    """
    model = fit.model
    known, radius = model.can.solvers, model.can.radius
    if not known:
        raise lacking(model, "solvers to compare", "solvers")
    solvers = known if solvers == ALL else solvers
    if isinstance(solvers, str) or not isinstance(solvers, (list, tuple)) or not solvers:
        solvers = (solvers,) if isinstance(solvers, str) else solvers
        if not isinstance(solvers, tuple):
            raise OptionError(f"solvers={brief(solvers)}: a list of {', '.join(map(repr, known))}")
    for solver in solvers:
        one_of("solvers", solver, known)
    radii = (
        (model.parameters()[radius] * np.geomspace(0.5, 2, 10)).tolist()
        if eps is None
        else eps
        if is_tuned(eps)
        else [eps]
    )
    rows: list[tuple[str, float, float, float, int]] = []
    with bar(len(solvers), "solving", fit.problem.progress) as solving:
        for solver in solvers:
            rows += _solve(fit, replace(model, **{radius: radii, "solver": solver, "certify": True}), solver)
            solving.update()
    return pd.DataFrame(rows, columns=["solver", "eps", "objective", "bound", "prototypes"])


def _solve(fit: Fitted, model: Model, solver: str) -> list[tuple[str, float, float, float, int]]:
    task = replace(fit.problem, model=model).task(fit.dissimilarity, limit=HOLD_LIMIT)
    axes = model.grid(task, np.bincount(task.y, minlength=task.classes))
    path, rows = model.path(task, axes), []
    for g, eps in enumerate(axes[model.can.radius].tolist()):
        rule = path.at(g)
        goal, bound = rule.report["objective"].value, rule.report["certificate"].bound.sum()
        rows.append((solver, eps, goal, bound, len(rule.prototypes)))
    return rows
