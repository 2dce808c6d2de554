"""The cross-validated error over the grid: lines, sizes, and the cells of a heat map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..estimation.error_curve import ErrorCurve
from ..estimation.selection import values_at
from ..ground.checks import is_number
from ..ground.errors import OptionError, brief
from ..models.registry import model as find_model
from .words import write_value

LINES = 8  # values of a second parameter that get a line
SIZES = 8  # sizes on the top axis


@dataclass(frozen=True)
class Curve:
    """The error along one parameter.

    Attributes
    ----------
    x : str
        The parameter.
    lines : list of (str, DataFrame)
        For each line its name ("" for the only one) and rows of `validation.table` with the column `position` on the axis.
    count : int
        Lines that there are, of which these were picked.
    positions : array (G,)
        On the axis, of all grid points.
    ticks : list of str, or None
        Names of the positions 0, 1, ...; None where positions are the parameter's values.
    others : list of str
        The other parameters.
    band : float, or None
        The level of the simultaneous band, of which the rows of the lines then have `band_low` and `band_high`.
    """

    x: str
    lines: list[tuple[str, pd.DataFrame]]
    count: int
    positions: np.ndarray
    ticks: list[str] | None
    others: list[str]
    band: float | None = None

    @property
    def log(self) -> bool:
        """Whether the axis should be logarithmic."""
        return self.ticks is None and bool(self.positions.max() > 10 * self.positions.min() > 0)


def check_axis(validation: ErrorCurve, x: Any) -> None:
    """Raise unless x can be the axis of an error curve."""
    names = list(validation.grid)
    if not (x is None or (isinstance(x, str) and x in (*names, "size", "frontier"))):
        raise OptionError(f"x must be 'size', 'frontier' or one of the tuned parameters, {names}, not {brief(x)}")


def check_band(validation: ErrorCurve, x: Any, band: Any) -> None:
    """Raise unless `band` is None or a level, and what is drawn a curve or several."""
    if band is None:
        return
    if not is_number(band, 0.0, above=True) or band >= 1:
        raise OptionError(f"band must be the level of the band, a number between 0 and 1 such as 0.95, or None, not {brief(band)}")
    if not len(validation.grid.columns):
        raise OptionError(f"band={brief(band)} needs a curve, but a single point is drawn: use validation.band() for its numbers")
    if x == "frontier":
        raise OptionError(
            f"band={brief(band)} needs a curve, but the frontier is not one, because other parameters are best at other sizes: use "
            "x='size'"
        )
    if x == "size" and len(validation.grid.columns) > 1:
        raise OptionError(
            f"band={brief(band)} needs a curve, but several parameters have none over the size: use one of {list(validation.grid)}"
        )


def with_band(validation: ErrorCurve, band: float | None) -> pd.DataFrame:
    """The table of a validation; with a level, also the ends of its simultaneous band."""
    table = validation.table
    return table if band is None else table.join(validation.band(float(band))[["band_low", "band_high"]])


def trace_curve(validation: ErrorCurve, x: str | None = None, band: float | None = None) -> Curve:
    """The error along a parameter, a line for each setting of the others: at most 8, those of the chosen points among them.

    By default the parameter is numeric, and of several the one with most values.
    """
    table, names = with_band(validation, band), list(validation.grid)
    x = x or main_parameter(table, names)
    positions, ticks = place_values(table[x])
    table = table.assign(position=positions)
    others = [k for k in names if k != x]
    groups: list[tuple[Any, pd.DataFrame]] = list(table.groupby(others, sort=True)) if others else [((), table)]
    chosen = {i for i, (_, part) in enumerate(groups) if {validation.best, validation.one_se} & set(part.index)}
    even = np.linspace(0, len(groups) - 1, min(LINES - len(chosen), len(groups))).round().astype(int)
    lines = []
    for i in sorted(chosen | set(even.tolist())):
        values, part = groups[i]
        name = ", ".join(f"{n} = {write_value(v)}" for n, v in zip(others, np.atleast_1d(values), strict=True))
        lines.append((name if others else "", part))
    return Curve(x, lines, len(groups), positions, ticks, others, band)


def main_parameter(table: pd.DataFrame, names: list[str]) -> str:
    """The parameter that a curve is drawn along by default: a numeric one, and of several the one with most values."""
    return max(names, key=lambda k: (table[k].dtype.kind in "if", table[k].nunique()))


def place_values(values: pd.Series) -> tuple[np.ndarray, list[str] | None]:
    """Positions of a parameter's values on an axis: themselves, or (for names, and where inf is among them) ranks and names."""
    if values.dtype.kind in "if" and np.isfinite(values).all():
        return values.to_numpy(float), None
    ranks = np.unique(values.to_numpy(), return_inverse=True)[1]
    return np.asarray(ranks, float), [write_value(v) for v in sorted(values.unique())]


def limit_errors(table: pd.DataFrame) -> tuple[float, float]:
    """The ends of an axis for the errors of a table with their standard errors, and with its band where it has one.

    Examples
    --------
    >>> errors = pd.DataFrame({"error": [0.24, 0.26], "se": [0.01, 0.02]})
    >>> [round(end, 3) for end in limit_errors(errors)]
    [0.226, 0.284]
    """
    se = table["se"].fillna(0.0)
    bands = [table[name] for name in ("band_low", "band_high") if name in table]
    return find_ends(np.concatenate([table["error"] - se, table["error"] + se, *bands]))


def find_ends(values: np.ndarray) -> tuple[float, float]:
    """The ends of an axis of errors: those of the data and a margin; from 0 where that adds little.

    Examples
    --------
    >>> find_ends(np.array([0.5, 1.0]))
    (0.46, 1.04)
    >>> find_ends(np.array([0.2, 1.0]))
    (0.0, 1.08)
    """
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    if low < 0.35 * high or low == high:
        return 0.0, 1.08 * high or 1.0
    margin = 0.08 * (high - low)
    return low - margin, high + margin


FAR = 0.5  # share of an axis beyond which errors above a gap are set aside
LONE = 2.5  # such a gap is at least so many times as wide as the next
FEWEST = 5  # errors on an axis, so that some are set aside


def lie_far_above(errors: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Which errors would take half of an axis: those above a wide gap, if they are of one place on the other axis, bool (k,).

    Examples
    --------
    >>> lie_far_above(np.array([0.04, 0.05, 0.06, 0.07, 0.08, 0.6]), np.arange(6.0)).tolist()
    [False, False, False, False, False, True]
    """
    levels = np.unique(errors)
    gaps = np.diff(levels)
    if len(levels) < FEWEST or gaps.max() <= max(FAR * np.ptp(levels), LONE * np.sort(gaps)[-2]):
        return np.zeros(len(errors), bool)
    far = errors > levels[gaps.argmax()]
    return np.asarray(far & (len(np.unique(places[far])) == 1))


def within_one_se(validation: ErrorCurve) -> float:
    """The largest error that is within one standard error of the least; NaN where there is no standard error."""
    row = validation.table.iloc[validation.best]
    return float(row["error"] + row["se"])


def space_out(places: np.ndarray) -> list[int]:
    """Which of ascending places on an axis are far enough apart for their sizes to be written there."""
    kept = [0]
    for i in range(1, len(places)):
        if places[i] - places[kept[-1]] >= np.ptp(places) / SIZES:
            kept.append(i)
    return kept


def sort_by_size(validation: ErrorCurve, band: float | None = None) -> tuple[pd.DataFrame, bool]:
    """The table by ascending size, and whether at its end all training rows are prototypes, so that the rule is 1-NN."""
    table = with_band(validation, band).sort_values("size", kind="stable")
    n, folds = len(validation.problem.frame), int(validation.of_fold.max()) + 1
    full = validation.covered is not None and table["size"].iloc[-1] > 0.98 * n * (folds - 1) / folds
    return table, bool(full)


MOST_NEAREST = 20_000  # rows up to which a picture of the frontier has the error of 1-NN, which measures all pairs


def first_shown(validation: ErrorCurve, sizes: Any) -> int:
    """Where pictures of a frontier begin, in its ascending sizes: the last one that leaves classes without prototypes, or the first."""
    classes = len(validation.problem.frame.levels) if validation.problem.model.can.counted is True else 1
    return max(0, int((sizes <= classes).sum()) - 1)


def sort_frontier(validation: ErrorCurve) -> pd.DataFrame:
    """The frontier, as far as a picture shows it."""
    table = validation.frontier()
    return table.iloc[first_shown(validation, table["size"]) :].reset_index(drop=True)


def nearest_row_error(validation: ErrorCurve) -> float:
    """The error of the nearest of all training rows on the same folds; NaN where it would take long."""
    problem, procedure = validation.problem, validation.procedure
    if procedure is None or problem.metric.slow or len(problem.frame) > MOST_NEAREST:
        return float("nan")
    problem = problem.with_metric(values_at(validation.grid, validation.chosen_by_call()))
    alone = replace(problem, model=find_model("knn", {"k": 1}), candidates="train", budget=None)
    return float(procedure.of_problem(alone).choice.error[0])


def mark_points(validation: ErrorCurve, point: int) -> pd.DataFrame:
    """The table with a column `mark`: which point is chosen, has the least error, and is the 1-SE choice."""
    marks = [(point, "chosen"), (validation.best, "least error"), (validation.one_se, "1-SE choice")]
    table = validation.table
    return table.assign(mark=[", ".join(name for at, name in marks if at == g) for g in range(len(table))])
