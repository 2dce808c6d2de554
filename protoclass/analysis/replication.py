"""What is true of prototypes among rows that had no part in choosing them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..arguments import MOST_RUNS, check_progress, check_seed, is_number, whole_number
from ..core.parallel import each
from ..core.task import Task
from ..errors import OptionError, brief
from ..estimation.fitted import Fitted
from ..estimation.problem import HOLD_LIMIT
from ..progress import bar
from .samples import Chosen, choose, disjoint


def fresh(fit: Fitted, shares: Sequence[float], B: int, seed: int, progress: bool | None) -> pd.DataFrame:
    """See `Stability.fresh`."""
    whole_number("B", B, 2, MOST_RUNS)
    check_seed(seed)
    check_progress(progress)
    given, shares = shares, list(shares) if np.iterable(shares) else []
    if not shares or not all(is_number(s, 0.0, above=True, high=0.5) for s in shares):
        raise OptionError(
            f"shares={brief(given)}: a sequence of shares of the rows, each above 0 and at most 0.5, as two samples without a row "
            "in common are needed"
        )
    task, table = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT), []
    with bar(int(B) * len(shares), "drawing pairs", progress) as drawing:
        for place, share in enumerate(map(float, shares)):
            first, _ = disjoint(task, share, np.random.default_rng(0))
            outcomes = []

            def run(b: int, share: float = share, place: int = place) -> tuple[float, float]:
                return replicate(fit, task, share, (int(seed), place, b))

            for outcome in each(run, range(int(B)), int(first.sum()) * len(task.candidate_row)):
                outcomes.append(outcome)
                drawing.update()
            table.append((int(first.sum()), *pd.DataFrame(outcomes).mean()))  # without the pairs that say nothing
    out = pd.DataFrame(table, pd.Index([float(s) for s in shares], name="share"), columns=["rows", "near", "chosen"])
    return out if "cover" in fit.rule.kinds else out.drop(columns="near")


def replicate(fit: Fitted, task: Task, share: float, seed: tuple[int, int, int]) -> tuple[float, float]:
    """Share of one sample's balls that hold a prototype of another sample, and whether the other chooses one put into it.

    Rows stand in an order that is drawn for each sample, as the order decides ties. NaN where the first sample chooses no
    prototype; the former also where prototypes have no balls.
    """
    draw = np.random.default_rng(seed)
    first, second = disjoint(task, share, draw)
    one = choose(fit, task, first.astype(np.int64), seed[2], draw)
    if len(one.at) == 0:
        return np.nan, np.nan
    near = np.nan
    if one.radii is not None:
        near = share_near(task, one, choose(fit, task, second.astype(np.int64), seed[2], draw))
    k = int(draw.integers(len(one.at)))
    row = int(task.candidate_row[one.at[k]])
    if row >= 0:
        second[draw.choice(np.flatnonzero(second & (task.y == task.y[row])))] = False
        second[row] = True
    again = choose(fit, task, second.astype(np.int64), seed[2], draw)
    return near, float(((again.at == one.at[k]) & (again.classes == one.classes[k])).any())


def share_near(task: Task, one: Chosen, other: Chosen) -> float:
    """Share of one sample's balls that hold a prototype of their class of another sample."""
    inside = task.D.take(np.arange(len(task.y)), one.at) < one.radii
    return float(np.mean([inside[other.rows_of(c, task), k].any() for k, c in enumerate(one.classes)]))
