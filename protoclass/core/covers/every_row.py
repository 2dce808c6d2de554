"""A bound over all rows as candidates, for a cover that was chosen from a sample of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..task import Task
from ..units import in_units
from .certificate import Certificate
from .generation import generate
from .problems import CoverProblems
from .program import Stop

Array = NDArray[Any]


class _Late(Exception):
    """The time is over in the middle of the first pass."""


def over_every_row(
    problems: CoverProblems,
    f: int,
    k: int,
    lambda_: float,
    certificate: Certificate,
    chosen: Sequence[Array],
    seconds: float,
    stop: Stop,
) -> Certificate:
    """The certificate of a cover over all rows as candidates, which has the one over the sample in `sampled`.

    All dissimilarities of the rows to one another are read once, and those within the classes in each further pass; none is
    kept. Where the time is over before they are all read once, the one over the sample remains, and says so.

    Parameters
    ----------
    problems : CoverProblems
        Whose candidates are the sample.
    f : int
        The fold that is left out.
    k : int
        Of the radii of the problems.
    lambda_ : float
    certificate : Certificate
        In units.
    chosen : sequence of int arrays, one for each class
        The candidates of the cover.
    seconds : float
        For each class; they share them, as they share the passes.
    stop : Stop
    """
    task, end = problems.task, time.monotonic() + seconds * len(chosen)
    assert task.every is not None
    every = task.every()
    everyone = f"all {len(every.candidate_row):,} {'rows' if (every.candidate_row >= 0).all() else 'candidates'}"
    sampled = replace(certificate, over=f"the {len(task.candidate_row):,} candidates")
    whole = _counted(problems, every, np.where(problems.fold == f, 0, -1), k, lambda_, end)
    if whole is not None:
        column = np.empty(len(every.y), np.int64)
        column[every.candidate_row[every.candidate_row >= 0]] = np.flatnonzero(every.candidate_row >= 0)
        balls = [problems.balls_of(some, k) for some in chosen]
        at = [whole.find(column[task.candidate_row[candidates]], levels) for candidates, levels in balls]
        few = generate(whole, 0, 0, in_units(lambda_, whole.unit), at, end - time.monotonic(), stop)
        bound = np.minimum(certificate.objective, few.bound)
        prices, proof = few.problems.of_rows(few.prices), ("LP",) * len(bound)
        return Certificate(certificate.objective, bound, proof, certificate.notes, everyone, sampled, prices)
    return replace(sampled, over=f"{sampled.over}, as time_limit ended before {everyone} were compared")


def _counted(
    problems: CoverProblems, every: Task, fold: Array, k: int, lambda_: float, end: float
) -> CoverProblems | None:
    """The problems with all rows as candidates; None if the time is over first."""

    def tick() -> None:
        every.tick()
        if time.monotonic() > end:
            raise _Late

    try:
        return problems.of_task(replace(every, tick=tick), fold, k, lambda_)
    except _Late:
        return None
