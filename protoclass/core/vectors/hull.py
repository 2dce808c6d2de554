"""Points drawn uniformly from the convex hull of rows, by hit-and-run (Smith 1984)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ground.errors import DataError

Array = NDArray[Any]
FLAT = 1e-9  # singular values below this share of the largest are 0


def hull_draws(X: Array, count: int, steps: int | None, seed: tuple[int, ...]) -> Array:
    """Points of the convex hull of the rows of X.

    Each step takes a random direction; the next point is uniform on the chord through the hull in that direction. The ends
    of a chord are solutions of linear programs over the weights of the rows, so the facets of the hull are not computed.
    The hull of independent points (at most p + 1) is a simplex, from which uniform points are drawn directly.

    Parameters
    ----------
    X : array (n, p)
    count : int
    steps : int, or None
        Chords between one draw and the next, and ten times as many from the mean to the first. None: the dimension of the hull,
        at least 5. With few chords the draws are similar and too near the mean.
    seed : tuple of int

    Returns
    -------
    array (count, p)
    """
    draw = np.random.default_rng(seed)
    mean = X.mean(axis=0)
    left, size, axes = np.linalg.svd(X - mean, full_matrices=False)
    rank = int((size > FLAT * max(size.max(initial=0.0), np.finfo(float).tiny)).sum())
    if rank == 0:
        return np.repeat(mean[None, :], count, axis=0)
    if len(X) == rank + 1:
        return np.asarray(draw.dirichlet(np.ones(len(X)), count) @ X)
    # in these coordinates the rows have equal spread in all directions, so that the walk mixes fast
    V = left[:, :rank] * np.sqrt(len(X))
    chord = _Chord(V)
    point, draws = np.zeros(rank), np.empty((count, rank))
    steps = max(5, rank) if steps is None else steps
    for k in range(count):
        for _ in range(10 * steps if k == 0 else steps):
            direction = draw.normal(size=rank)
            direction /= np.linalg.norm(direction)
            low, high = chord.ends(point, direction)
            point = point + draw.uniform(low, high) * direction
        draws[k] = point
    return np.asarray(mean + (draws / np.sqrt(len(X)) * size[:rank]) @ axes[:rank])


class _Chord:
    """The linear program max or min t: x + t d = V' a, sum a = 1, a >= 0; solved from the last chord's basis."""

    def __init__(self, V: Array) -> None:
        import highspy

        n, rank = V.shape
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = n + 1, rank + 1
        program.col_cost_ = np.zeros(n + 1)
        program.col_lower_ = np.concatenate([np.zeros(n), [-highspy.kHighsInf]])
        program.col_upper_ = np.full(n + 1, highspy.kHighsInf)
        program.row_lower_ = program.row_upper_ = np.concatenate([np.zeros(rank), [1.0]])
        columns = np.vstack([np.column_stack([V, np.ones(n)]), np.zeros(rank + 1)])
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = np.arange(n + 2) * (rank + 1)
        program.a_matrix_.index_ = np.tile(np.arange(rank + 1), n + 1)
        program.a_matrix_.value_ = columns.ravel()
        self.solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
            self.solver.setOptionValue(name, value)
        self.solver.passModel(program)
        self.n, self.optimal = n, highspy.HighsModelStatus.kOptimal

    def ends(self, x: Array, d: Array) -> tuple[float, float]:
        """The least and the largest t with x + t d in the hull; the interval contains 0."""
        for i in range(len(x)):
            self.solver.changeCoeff(i, self.n, -float(d[i]))
            self.solver.changeRowBounds(i, float(x[i]), float(x[i]))
        limits = []
        for sign in (1.0, -1.0):
            self.solver.changeColCost(self.n, sign)
            self.solver.run()
            if self.solver.getModelStatus() != self.optimal:
                raise DataError("the end of a chord in the hull of a class could not be computed: leave pc.hull out")
            limits.append(sign * float(self.solver.getInfo().objective_function_value))
        # by rounding, a point on the boundary may lie outside; its chord is then the point itself
        return min(limits[0], 0.0), max(limits[1], 0.0)
