"""The balls' radius: fits at several radii (PVM paper, figure 1), and the objectives that solvers reach at each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.covers.problems import CoverPath
from ..errors import NotAvailable, OptionError, brief, one_of
from ..estimation.fit import Fit
from ..estimation.problem import ONCE, bar
from ..models.base import is_open
from ..models.pvm import PVM, SOLVERS
from ..models.pvm import radii as default_radii

PANELS = 6  # radii shown by default


def fit_radii(fit: Fit, eps: Any = None) -> list[Fit]:
    """The fit at several radii; by default six of the default grid, from the second to the last, evenly."""
    if not isinstance(fit.model, PVM):
        raise NotAvailable(f"method {fit.model.name!r} has no radii to vary; 'pvm' has")
    task = fit.problem.task(fit.dissimilarity, limit=ONCE)
    if eps is None:
        grid = default_radii(task, None)
        eps = grid[np.unique(np.linspace(min(1, len(grid) - 1), len(grid) - 1, PANELS).round().astype(int))].tolist()
    several = replace(fit.model, eps=eps if is_open(eps) else [eps])
    path = several.path(task, several.grid(task, np.bincount(task.y)))
    return [
        replace(fit, model=replace(fit.model, eps=float(e)), rule=path.at(g), validation=None, point=None)
        for g, e in enumerate(path.radii)
    ]


def compare_solvers(fit: Fit, eps: Any = None, solvers: Any = SOLVERS) -> pd.DataFrame:
    """One row for each solver and radius: `solver`, `eps`, `objective`, `bound` (from the certificate), `prototypes`.

    This is what the course report of Visagan (2018) shows in figure 5.

    Parameters
    ----------
    eps : sequence, optional
        Ten radii from half to twice the fit's own by default.
    solvers : sequence of str
    """
    model = fit.model
    if not isinstance(model, PVM):
        raise NotAvailable(f"method {model.name!r} has no solvers to compare; 'pvm' has")
    if isinstance(solvers, str) or not isinstance(solvers, (list, tuple)) or not solvers:
        solvers = (solvers,) if isinstance(solvers, str) else solvers
        if not isinstance(solvers, tuple):
            raise OptionError(f"solvers={brief(solvers)}: a list of {', '.join(map(repr, SOLVERS))}")
    for solver in solvers:
        one_of("solvers", solver, SOLVERS)
    radii = (model.eps * np.geomspace(0.5, 2, 10)).tolist() if eps is None else eps if is_open(eps) else [eps]
    rows: list[tuple[str, float, float, float, int]] = []
    with bar(len(solvers), "solving", fit.problem.progress) as solving:
        for solver in solvers:
            rows += _solve(fit, replace(model, eps=radii, solver=solver, certify=True))
            solving.update()
    return pd.DataFrame(rows, columns=["solver", "eps", "objective", "bound", "prototypes"])


def _solve(fit: Fit, model: PVM) -> list[tuple[str, float, float, float, int]]:
    task = replace(fit.problem, model=model).task(fit.dissimilarity, limit=ONCE)
    path = model.path(task, model.grid(task, np.bincount(task.y)))
    assert isinstance(path, CoverPath)
    rows = []
    for rule in map(path.at, range(len(path.runs))):
        report = rule.report
        goal, bound = report["objective"].value, report["certificate"].bound.sum()
        rows.append((str(model.solver), report["radius eps"], goal, bound, len(rule.points)))
    return rows
