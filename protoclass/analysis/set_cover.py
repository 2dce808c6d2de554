"""The smallest set of rows within a radius of all rows: set cover without classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.parallel import Once
from ..core.setcover.problems import Certificate
from ..core.setcover.solvers import Options, cover_paths
from ..core.task import Task
from ..ground.checks import one_of
from ..ground.errors import DataError, OptionError, brief, shown
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import dissimilarity as measure
from ..models.base import check_fixed, check_number, is_tuned
from ..values import Printed, public


@public
@dataclass(frozen=True, eq=False, repr=False)
class SetCover(Printed):
    """A set of rows whose balls cover all rows.

    Attributes
    ----------
    prototypes : DataFrame
        One row for each prototype, in the order of greedy selection, with `newly_covered` (number of rows that it is the first to
        cover), then the predictors.
    eps : float
        Radius of the balls.
    certificate : Certificate
        Bounds on the smallest number of rows.
    """

    prototypes: pd.DataFrame
    eps: float
    certificate: Certificate

    @property
    def size(self) -> int:
        return len(self.prototypes)

    def _said(self) -> tuple[str, list[Any]]:
        words = f"{self.size} rows within {self.eps:g} of all {self.prototypes['newly_covered'].sum()} rows: {self.certificate}"
        return words, [(self.prototypes.head(10), {})]


@public
def set_cover(
    data: Any,
    eps: float,
    solver: str = "exact",
    *,
    dissimilarity: Any = "auto",
    balls: str = "open",
    time_limit: float = 60.0,
) -> SetCover:
    """Smallest set of rows whose balls of radius eps cover all rows (Bien and Tibshirani 2011, equation 2).

    Parameters
    ----------
    data : DataFrame or Dissimilarity
        Rows to cover.
    eps : float > 0
        Radius of the balls.
    solver : "exact", "greedy" or "ratio"
        Solver of the set-cover problem, as for `PVM`.
    dissimilarity : str, metric, callable, DataFrame or array
        Dissimilarity, as in `fit`, if data is a DataFrame.
    balls : "open" or "closed"
        Whether a ball contains the rows with d < eps ("open") or d <= eps ("closed").
    time_limit : float
        Time limit in seconds. If it is reached, the result is the best cover found, with its bound.

    Returns
    -------
    SetCover
        The cover, with a certificate.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> line = pd.DataFrame({"x": [0.0, 1, 2, 3, 4, 5, 6]})
    >>> pc.set_cover(line, 1.5, dissimilarity=pc.Manhattan(scale=False)).size
    3
    """
    one_of("solver", solver, ("exact", "greedy", "ratio"))
    if is_tuned(eps):
        raise OptionError(f"eps={brief(eps)}: set_cover takes one radius")
    check_number("set_cover", "eps", eps, low=0, above=True)
    one_of("balls", balls, ("open", "closed"))
    check_fixed("set_cover", "time_limit", time_limit, low=0)
    measured = data if isinstance(data, Dissimilarity) else measure(data, metric=dissimilarity)
    n = len(measured.index)
    # a row left out costs 2 and one that covers itself costs 1: no optimum leaves a row out
    task = Task(Once(measured.source), np.zeros(n, np.int64), 1, np.full(n, 2.0), measured.candidate_row, (0,))
    options = Options(solver, balls == "closed", time_limit, certify=True)
    _, path = next(cover_paths(task, np.full(n, -1), 1, np.array([float(eps)]), np.array([1.0]), options))
    rule = path.at(0)
    chosen = rule.prototypes
    nearest = measured.metric.between(measured.rows, measured.prototype_rep(chosen)).min(axis=1, initial=np.inf)
    far = nearest > eps if balls == "closed" else nearest >= eps
    if far.any():
        raise DataError(
            f"row {shown(measured.index[far][0])} lies within {eps:g} of no row, itself included: use a larger eps"
        )
    names = measured.candidate_names[chosen.at]
    head = pd.DataFrame({"newly_covered": (chosen.table["newly_covered"] / 2).astype(int)}, names)
    table = pd.concat([head, measured.data.columns.reindex(names)], axis=1)
    return SetCover(table, float(eps), rule.report["certificate"])
