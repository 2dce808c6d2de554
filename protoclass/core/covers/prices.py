"""What the integer program pays for each row, by the dual prices of its relaxation."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import each
from ..task import Task
from ..units import in_units
from .alternatives import MANY, class_programs, weigh_balls
from .problems import covers
from .program import Stop
from .restricted import row_prices

Array = NDArray[Any]
ROWS = 2**22  # pairs of a row and a prototype that are looked at together


def price_rows(
    task: Task, radius: float, lambda_: float, chosen: tuple[Array, Array], seconds: float
) -> tuple[Array, Array, Array]:
    """The price of each row of a cover.

    Parameters
    ----------
    task : Task
    radius : float
        A ball holds the rows with d < radius.
    lambda_ : float
        Cost of a prototype.
    chosen : int arrays (q,), (q,)
        The prototypes, as columns of D, and the classes that they represent.
    seconds : float
        Time limit.

    Returns
    -------
    price : array (n,)
        The dual price of the constraint that the row be covered, in the relaxation of (3) of the PVM paper, at most its weight;
        plus its weight once for each ball of another class that holds it, which is the dual price of the constraints on eta.
    uncovered : bool array (n,)
        Whether no ball of its class holds it.
    wrong : int array (n,)
        Number of balls of other classes that hold it.
    """
    end, stop = time.monotonic() + seconds, Stop()
    problems = covers(task, np.full(len(task.y), -1), 1, np.array([radius]), lambda_)
    programs = class_programs(problems, weigh_balls(problems), in_units(lambda_, problems.unit), 0.0)

    def prices(c: int) -> Array:
        return row_prices(programs[c][0], max(0.0, end - time.monotonic()), stop)

    price = np.zeros(len(task.y))
    for one, y in zip(problems.classes, each(prices, range(task.classes), MANY, stop), strict=True):
        price[one.rows] = y * problems.unit
    uncovered, wrong = find_trouble(task, radius, chosen)
    return price + task.w * wrong, uncovered, wrong


def find_trouble(task: Task, radius: float, chosen: tuple[Array, Array]) -> tuple[Array, Array]:
    """Whether no ball of its class holds a row, bool (n,), and how many balls of other classes do, int (n,)."""
    at, classes = chosen
    n = len(task.y)
    uncovered, wrong = np.ones(n, np.bool_), np.zeros(n, np.int64)
    step = max(1, ROWS // max(1, len(at)))
    for first in range(0, n if len(at) else 0, step):
        rows = np.arange(first, min(first + step, n))
        inside = task.D.take(rows, at) < radius
        own = task.y[rows, None] == classes
        uncovered[rows] = ~(inside & own).any(axis=1)
        wrong[rows] = (inside & ~own).sum(axis=1)
    return uncovered, wrong
