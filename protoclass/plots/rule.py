"""A rule step by step: its conditions, the error after each step, and the objectives of the solvers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import SAME_FOLDS
from ..analysis.steps import path as steps_of
from ..core.task import COVERED
from ..estimation.fitted import Fitted
from ..estimation.problem import HOLD_LIMIT
from ..ground.checks import GRID, one_of, whole_number
from ..ground.errors import NotAvailable, OptionError, brief
from ..ground.progress import bar
from ..models.base import Model, is_tuned
from ..models.registry import lacking
from ..views.curve import find_ends
from ..views.prototypes import list_short, shorten
from ..views.words import list_features, write_number, write_value
from .curve import mark_no_information
from .style import LETTERS, axes, colour, faint, framed, ink, key, list_down, list_named, mark, panels, plain_log

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
    table = steps_of(fit, new, None if alone and isinstance(cv, str) and cv == SAME_FOLDS else cv)
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


GOLDEN = 0.618034  # distance of neighbouring rows in a lane, in proportion to its height, with the fewest repetitions


@framed
def rule(fit: Fitted, count: int = 8) -> Any:
    """Plot a lane for each condition of the rule, in their order; the rows that a condition removes are circled.

    Parameters
    ----------
    count : int
        Maximum number of conditions.
    """
    table, count = list_conditions(fit), whole_number("count", count, 1)
    lanes = [part for _, part in table.groupby(["machine", "step"], sort=False)]
    if not lanes:
        raise NotAvailable("the rule has no conditions, so it always gives the same class")
    several, shown = table["machine"].nunique() > 1, lanes[:count]
    figure, places = panels(len(shown), 1, 6.8, 1.0 + 0.34 * max(part["class"].nunique() for part in shown))
    for ax, part in zip(places.ravel(), shown, strict=True):
        _draw_lane(ax, part, list(fit.classes), several)
    title = f"All {len(lanes)} conditions" if len(shown) == len(lanes) else f"The first {len(shown)} of {len(lanes)} conditions"
    figure.suptitle(f"{title}: rows that a condition removes (ringed) do not reach the next", fontsize="medium")
    return figure


def _draw_lane(ax: Any, table: pd.DataFrame, classes: list[Any], several: bool) -> None:
    head, names = table.iloc[0], list_named(classes)
    present = [k for k, level in enumerate(classes) if (table["class"] == level).any()]
    for place, k in enumerate(present):
        own = table[table["class"] == classes[k]]
        height = place + 0.6 * (np.arange(len(own)) * GOLDEN % 1 - 0.5)
        out = own["removed"].to_numpy()
        style = {"s": 20, "marker": mark(k), "color": colour(k)}
        ax.scatter(own["value"][~out], height[~out], lw=0, **style)
        ax.scatter(own["value"][out], height[out], lw=0.9, edgecolor=ink(ax), zorder=3, **style)
    if np.isfinite(head["cut"]):
        ax.axvline(head["cut"], lw=1.4, color=ink(ax), zorder=4)
    list_down(ax, [names[k] for k in present])
    ax.hlines(np.arange(1, len(present)) - 0.5, 0, 1, transform=ax.get_yaxis_transform(), color=faint(ax), lw=0.6)
    ax.set_xlabel(f"{shorten(head['quantity'])}, threshold {write_number(head['cut'])}", fontsize="small")
    machine = f"{shorten(head['machine'], LETTERS + 8)}, " if several else ""
    ax.set_title(f"{machine}{head['step']}. {shorten(head['condition'], 2 * LETTERS)}\n{count_removed(table)}", fontsize="small")


@framed
def progress(fit: Fitted, ax: Any = None) -> Any:
    """Plot the proportion of rows covered so far, per class and overall, in the order of selection.

    Each marker is a prototype of its class.
    """
    table = list_gains(fit)
    ax = axes(ax)
    last, names = len(table), list_named([*fit.classes, "all rows"])
    every = len(table) < 100
    for k, name in enumerate(names[:-1]):
        own = table[table["class"] == k]
        share = np.array([0.0, *own["share"], own["share"].iloc[-1] if len(own) else 0.0])
        at = np.array([0, *own["step"], last])
        form = {"marker": mark(k), "ms": 5 if every else 2.5, "markevery": slice(1, -1)}
        ax.plot(at, share, lw=1.2, drawstyle="steps-post", color=colour(k), label=name, **form)
    ax.plot([0, *table["step"]], [0.0, *table["covered"]], "--", lw=1.5, drawstyle="steps-post", color=ink(ax), label=names[-1])
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlim=(0, max(1, last)), ylim=(0, 1.02), xlabel="number of prototypes, in the order selected (marks: prototypes of the class)")
    ax.set_ylabel("proportion of rows covered by their class")
    return key(ax, title=fit.frame.formula.response).axes


@framed
def path(fit: Fitted, ax: Any = None, new: Any = None, cv: Any = SAME_FOLDS) -> Any:
    """Plot the held-out and training error of the first 1, 2, ... prototypes; see `Fit.path`.

    Parameters
    ----------
    new : DataFrame, optional
        New rows with their classes, to plot their error as well.
    cv : as in `Fit.path`
        Cross-validation folds. Default: the folds of the fit; None: only the training error.
    """
    table = list_errors(fit, new, cv)
    ax = axes(ax)
    size = table["size"]
    style = "o-" if len(table) < 60 else "-"
    lines = [("training_error", "training rows"), ("cv_error", "held-out rows, +- 1 SE"), ("new_error", "new rows")]
    for k, (name, label) in enumerate(lines):
        if name not in table:
            continue
        ax.plot(size, table[name], style, ms=3, lw=1.2, color=colour(k), label=label)
        if name == "cv_error":
            low, high = table[name] - table["cv_se"], table[name] + table["cv_se"]
            ax.fill_between(size, low, high, color=colour(k), alpha=0.2, lw=0)
    if len(table) > 30:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    ax.set_ylim(*limit_path(table))
    mark_no_information(ax, table.attrs["no_information"])
    ax.set(
        xlabel=f"number of {table.attrs['steps']}{' (log scale)' if len(table) > 30 else ''}",
        ylabel="error",
    )
    if len(table) <= 30:
        ax.xaxis.get_major_locator().set_params(integer=True)
    return key(ax).axes


@framed
def solvers(fit: Fitted, ax: Any = None, eps: Any = None, solvers: Any = ALL) -> Any:
    """Plot the objective of each solver against the radius, with the best lower bound."""
    table = compare_solvers(fit, eps, solvers)
    ax = axes(ax)
    for k, (solver, part) in enumerate(table.groupby("solver", sort=False)):
        ax.plot(
            part["eps"], part["objective"], f"{mark(k)}-", ms=5, lw=1.1, mfc="none", color=colour(k), label=str(solver)
        )
    best = table.groupby("eps")["bound"].max()
    ax.plot(best.index, best, ":", lw=1.6, color=ink(ax), label="proved lower bound")
    ax.set_ylim(bottom=0)
    if len(best) > 1 and best.index[-1] > 10 * best.index[0]:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    ax.set(xlabel="radius eps of the balls", ylabel="objective (weight of rows)")
    return key(ax).axes
