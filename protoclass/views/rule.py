"""A rule step by step: its conditions and features in words, the error after each step, and what each solver reaches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import SAME_FOLDS, path
from ..core.task import COVERED
from ..estimation.fitted import Fitted
from ..estimation.problem import HOLD_LIMIT
from ..ground.checks import GRID, one_of
from ..ground.errors import NotAvailable, OptionError, brief
from ..ground.progress import bar
from ..models.base import Model, is_tuned
from ..models.registry import lacking
from .curve import find_ends
from .prototypes import list_short
from .words import list_features, write_value

NAME = 18  # letters of a class
COLUMNS = ["machine", "step", "condition", "quantity", "cut", "row", "class", "value", "removed"]


def list_conditions(fit: Fitted) -> pd.DataFrame:
    """What each condition of a rule sees.

    Returns
    -------
    DataFrame
        One row for each condition and each row that comes to it: `machine` (empty where there is one alone), `step` from 1,
        `condition` in words, `quantity` (what it compares), `cut`, `row` (label), `class`, `value` and `removed`, whether the
        condition settles the class of the row, which does not come to the next. A machine sees the rows of the classes that it
        tells apart.

    Raises
    ------
    NotAvailable
        Where the rule of the method has no conditions.
    """
    if not fit.model.has("conditions"):
        raise lacking(fit.model, "conditions to draw", "conditions")
    codes, parts = fit.frame.codes, []
    for part in fit.model.conditions(fit.learned, fit.query()[0]):
        rows = np.flatnonzero(part.there & np.isin(codes, part.classes))
        head = {"machine": part.machine, "step": part.step, "condition": part.text, "quantity": part.quantity, "cut": part.cut}
        own = pd.DataFrame({"row": fit.frame.index[rows].to_flat_index(), "value": part.values[rows], "removed": part.removed[rows]})
        own["class"] = pd.Categorical.from_codes(codes[rows], fit.classes)
        parts.append(own.assign(**head)[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def count_removed(table: pd.DataFrame) -> str:
    """What a condition removes of the rows that come to it, in words; see `list_conditions`."""
    there, removed = (part["class"].value_counts(sort=False) for part in (table, table[table["removed"]]))
    names = dict(zip(there.index, list_short(there.index, NAME), strict=True))
    parts = [f"{names[level]}: {removed[level]} of {there[level]}" for level in there.index if there[level]]
    return f"removes {', '.join(parts)}" if parts else "no rows are left"


MOST = 20  # features that a picture names


@dataclass(frozen=True)
class Features:
    """The features of a rule.

    Attributes
    ----------
    table : DataFrame
        One row for each feature in the order chosen: `label` (its condition; of several machines with the name of each),
        `newly_covered` and `errors` (rows, when it was chosen).
    count : int
        Features that there are, of which the table has the first.
    title, subtitle : str
    """

    table: pd.DataFrame
    count: int
    title: str
    subtitle: str


def has_features_alone(fit: Fitted) -> bool:
    """Whether the rule is said by features in words and has no prototype that a map could show."""
    return not len(fit.rule.prototypes) and bool(list_features(fit))


def list_rule(fit: Fitted, most: int = MOST) -> Features:
    """The first features of a rule, in words and in numbers."""
    table = fit.model.feature_table(fit.learned)
    shown = pd.DataFrame({"label": list_features(fit), "newly_covered": table["q"], "errors": table["r"]}).head(most)
    some = f", the first {most}" if len(table) > most else ""
    settings = ", ".join(f"{name} {write_value(value)}" for name, value in fit.rule.report.items() if np.isscalar(value))
    return Features(shown, len(table), f"{fit.model.title}: {len(table)} feature{'s' * (len(table) != 1)}{some}", settings)


def list_gains(fit: Fitted) -> pd.DataFrame:
    """What each step adds, and how much is covered so far.

    Returns
    -------
    DataFrame
        One row for each step: `step` from 1, `class` (code), `gain` (covered first minus miscovered), `covered` (share of all rows
        that balls of their class cover so far) and `share` (that of the rows of the step's class).
    """
    table = fit.rule.prototypes.table
    if not set(COVERED) <= set(table):
        raise lacking(fit.model, "gains to draw (the error step by step is plot('path'))", "gains")
    codes, weights = fit.rule.prototypes.classes, fit.frame.weights
    of_class = np.bincount(fit.frame.codes, weights, len(fit.classes))
    return pd.DataFrame({
        "step": np.arange(1, len(fit.rule.prototypes) + 1),
        "class": codes,
        "gain": table["newly_covered"] - table["miscovered"],
        "covered": np.cumsum(table["newly_covered"]) / weights.sum(),
        "share": pd.Series(np.asarray(table["newly_covered"], float)).groupby(codes).cumsum().to_numpy() / of_class[codes],
    })  # fmt: skip


def list_errors(fit: Fitted, new: Any = None, cv: Any = SAME_FOLDS) -> pd.DataFrame:
    """`Fit.path` from the first step on; in `attrs` the no-information error and what a step adds ("prototypes").

    By default with held-out errors, unless a class has one row.
    """
    alone = np.bincount(fit.frame.codes).min() < 2
    table = path(fit, new, None if alone and isinstance(cv, str) and cv == SAME_FOLDS else cv)
    table = table[table["size"] > 0]
    if table.empty:
        raise NotAvailable("the fit has no steps to show")
    table.attrs["no_information"] = measure_no_information(fit)
    table.attrs["steps"] = "features" if "bound" in table else "prototypes"
    return table


def limit_path(table: pd.DataFrame) -> tuple[float, float]:
    """The ends of the axis of a table of `list_errors`: it holds all errors with their standard errors."""
    errors = [table[c] for c in ("training_error", "new_error") if c in table]
    if "cv_error" in table:
        se = table["cv_se"].fillna(0.0)
        errors += [table["cv_error"] - se, table["cv_error"] + se]
    values = np.concatenate([np.asarray(e, float) for e in errors])
    return find_ends(values)


def measure_no_information(fit: Fitted) -> float:
    """Training error of always predicting the heaviest class."""
    weights = fit.frame.weights
    return float(1 - np.bincount(fit.frame.codes, weights).max() / weights.sum())


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
    if isinstance(solvers, str):
        solvers = known if solvers == ALL else (solvers,)
    if not isinstance(solvers, (list, tuple)) or not solvers:
        raise OptionError(f"solvers must be a list of {', '.join(map(repr, known))}, not {brief(solvers)}")
    for solver in solvers:
        one_of("solvers", solver, known)
    if eps is None:
        eps = (model.parameters()[radius] * np.geomspace(0.5, 2, 10)).tolist()
    radii = eps if is_tuned(eps) else [eps]
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
