"""Dual prices of all rows, which prove a bound to whoever has the data; see `program`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exact import Solved
from .problems import CoverProblems
from .program import Program

Array = NDArray[Any]


def prices_of_class(problems: CoverProblems, f: int, c: int, program: Program, solved: Solved) -> Array:
    """Prices of all rows of a class from those of its program without fold `f`, in units.

    A row that no candidate of the program covers costs its weight. That breaks no constraint of the candidates that the program
    leaves out: each has no more weight of the class in its ball than it costs.
    """
    rows = problems.classes[c].rows
    prices = np.where(problems.fold[rows] == f, 0.0, problems.w[rows])
    prices[program.rows] = solved.prices
    return prices


def prices_of_rows(problems: CoverProblems, results: Sequence[Solved]) -> Array:
    """The prices of the rows of all classes, in the order of the data, in units."""
    out = np.zeros(len(problems.w))
    for one, result in zip(problems.classes, results, strict=True):
        out[one.rows] = result.prices
    return out
