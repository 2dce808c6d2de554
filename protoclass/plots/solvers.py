"""The objective that each solver reaches over the radius (course report of Visagan, 2018, figure 5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.covers.path import CoverPath
from ..errors import NotAvailable, OptionError, brief
from ..arguments import one_of
from ..estimation.problem import ONCE
from ..progress import bar
from ..models.base import is_open
from ..models.pvm import PVM, SOLVERS
from .style import axes, colour, mark, plain_log

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def objectives(fit: Fit, eps: Any = None, solvers: Any = SOLVERS) -> pd.DataFrame:
    """One row for each solver and radius: `solver`, `eps`, `objective`, `bound` (from the certificate), `prototypes`.

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
    parts: list[tuple[str, float, float, float, int]] = []
    with bar(len(solvers), "solving", fit.problem.progress) as solving:
        for solver in solvers:
            other = replace(model, eps=radii, solver=solver, certify=True)
            problem = replace(fit.problem, model=other)
            task = problem.task(fit.dissimilarity, limit=ONCE)
            path = other.path(task, other.grid(task, np.bincount(task.y)))
            assert isinstance(path, CoverPath)
            for rule in map(path.at, range(len(path.runs))):
                told = rule.report
                parts.append(
                    (
                        solver,
                        told["radius eps"],
                        told["objective"].value,
                        told["certificate"].bound.sum(),
                        len(rule.points),
                    )
                )
            solving.update()
    return pd.DataFrame(parts, columns=["solver", "eps", "objective", "bound", "prototypes"])


def solvers(fit: Fit, ax: Any = None, eps: Any = None, solvers: Any = SOLVERS) -> Any:
    """Objective against radius, a line for each solver, and the best lower bound."""
    table = objectives(fit, eps, solvers)
    ax = axes(ax)
    for k, (solver, part) in enumerate(table.groupby("solver", sort=False)):
        ax.plot(
            part["eps"], part["objective"], f"{mark(k)}-", ms=5, lw=1.1, mfc="none", color=colour(k), label=str(solver)
        )
    best = table.groupby("eps")["bound"].max()
    ax.plot(best.index, best, ":", lw=1.6, color="black", label="proved lower bound")
    ax.set_ylim(bottom=0)
    if len(best) > 1 and best.index[-1] > 10 * best.index[0]:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    ax.set(xlabel="radius eps of the balls", ylabel="objective (weight of rows)")
    ax.legend(fontsize="small")
    return ax
