"""Prototypes and their balls among the rows: in the plane of two predictors, or on a map."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.proximity.torgerson import torgerson
from ..core.sources import part
from ..errors import DataError, NotAvailable, NoVectors
from ..estimation.problem import ONCE, places
from ..models.base import is_open
from ..models.pvm import PVM
from ..models.pvm import radii as radii_of
from .style import axes, colour, mark, named, panels

if TYPE_CHECKING:
    from ..estimation.fit import Fit

BALLS = 60  # drawn, the first chosen
ROWS = 1000  # on a map
GRID = 240  # points a side for the decision regions


def prototypes(fit: Fit, ax: Any = None, balls: bool = True) -> Any:
    """Rows, prototypes and balls; see `Fit.plot`.

    Parameters
    ----------
    balls : bool
        Whether balls are drawn, of at most the first 60 prototypes.
    """
    ax = axes(ax, 6.8, 4.6)
    points = fit.rule.points
    whole = points.at is not None and len(points) == fit.nobs
    flat = plane(fit)
    if flat is not None:
        _regions(fit, ax)
        rows, chosen = flat
        shapes = outlines(fit) if balls and points.radii is not None else []
        names = list(fit.frame.columns)
        ax.set(xlabel=names[0].replace("_", " "), ylabel=names[1].replace("_", " "))
    else:
        rows, chosen = scaled(fit)
        shapes = circles(fit, chosen)[:BALLS] if balls and points.radii is not None else []
        ax.set(xlabel=f"first axis of the map ({fit.dissimilarity.metric.name} units)", ylabel="second axis of the map")
        ax.set_aspect("equal", adjustable="datalim")
    shrink = min(1.0, ax.get_window_extent().width / ax.figure.dpi / 4)  # marks on small Axes are small
    crowd = shrink * (22 if len(rows) < 400 else 8)
    size, edge = (70, 1.4) if len(points) <= BALLS else (26, 0.8) if len(points) <= 300 else (12, 0.5)
    size, edge = size * shrink**2, edge * shrink
    for k, level in enumerate(fit.classes):
        own = rows[rows["class"] == k]
        ax.scatter(
            own["x"], own["y"], s=crowd, marker=mark(k), color=colour(k), alpha=0.55, lw=0, label=named(level), zorder=2
        )
    for c, shape in shapes:
        ax.plot(shape[:, 0], shape[:, 1], lw=0.9, color=colour(c), alpha=0.9, zorder=3)
    support = points.table.get("support")
    if support is not None:  # all rows have weight, and those that hold the hyperplane are circled
        ringed = chosen[support[: len(chosen)]]
        ax.scatter(
            ringed["x"],
            ringed["y"],
            s=2 * size,
            facecolor="none",
            edgecolor="black",
            lw=edge,
            zorder=4,
            label="support objects",
        )
    elif not whole:
        for k in range(len(fit.classes)):
            own = chosen[chosen["class"] == k]
            ax.scatter(
                own["x"], own["y"], s=size, marker=mark(k), color=colour(k), edgecolor="black", lw=edge, zorder=4
            )
        ax.scatter([], [], s=70 * crowd / 22, marker="o", color="white", edgecolor="black", lw=1.4, label="prototypes")
    count = "all rows serve" if whole else f"{len(points)} prototypes"
    count = count if support is None else f"{int(support.sum())} support objects"
    radius = ""
    if points.radii is not None and len(points):
        same = np.ptp(points.radii) == 0
        radius = f", balls of radius {points.radii[0]:.3g}" if same else ", balls of their own radii"
    ax.set_title(f"{count}{radius if shapes else ''}", fontsize="medium")
    ax.legend(fontsize="small", title=str(fit.frame.formula.response), loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False,
              markerscale=(22 / crowd) ** 0.5)  # fmt: skip
    return ax


def radii(fit: Fit, eps: Any = None, balls: bool = True) -> Any:
    """The fit at several radii side by side (PVM paper, figure 1).

    Parameters
    ----------
    eps : sequence, optional
        Six radii by default: of the default grid, from the second to the last, evenly.
    balls : bool
    """
    if not isinstance(fit.model, PVM):
        raise NotAvailable(f"method {fit.model.name!r} has no radii to vary; 'pvm' has")
    task = fit.problem.task(fit.dissimilarity, limit=ONCE)
    if eps is None:
        every = radii_of(task, None)
        eps = every[np.unique(np.linspace(min(1, len(every) - 1), len(every) - 1, 6).round().astype(int))].tolist()
    several = replace(fit.model, eps=eps if is_open(eps) else [eps])
    chosen = several.path(task, several.grid(task, np.bincount(task.y)))
    fits = [
        replace(fit, model=replace(fit.model, eps=float(e)), rule=chosen.at(g), validation=None, point=None)
        for g, e in enumerate(chosen.radii)
    ]
    across = min(3, len(fits))
    figure, places_of = panels(-(-len(fits) // across), across, 3.1, 2.9)
    for ax in places_of.ravel()[len(fits) :]:
        ax.set_axis_off()
    for ax, other in zip(places_of.ravel(), fits, strict=False):
        prototypes(other, ax, balls)
        names = ax.get_xlabel(), ax.get_ylabel()
        ax.set(xlabel="", ylabel="")
        ax.set_title(f"eps = {other.model.eps:.3g}: {len(other.rule.points)} prototypes", fontsize="small")
        handles, labels = ax.get_legend_handles_labels()
        scale = ax.get_legend().markerscale
        ax.get_legend().remove()
        ax.label_outer()
    drawn = places_of.ravel()[: len(fits)]
    for ax in drawn:
        ax.set_adjustable("box")
    for side in ("xlim", "ylim"):  # one scale for all, as only the outer axes are labelled
        ends = np.array([getattr(ax, f"get_{side}")() for ax in drawn])
        for ax in drawn:
            ax.set(**{side: (ends[:, 0].min(), ends[:, 1].max())})
    figure.supxlabel(names[0], fontsize="medium")
    figure.supylabel(names[1], fontsize="medium")
    title = str(fit.frame.formula.response)
    figure.legend(
        handles, labels, title=title, loc="outside right upper", fontsize="small", frameon=False, markerscale=scale
    )
    return figure


def plane(fit: Fit) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Rows and prototypes in the plane of the two predictors, or None where there are not just two numbers."""
    frame = fit.frame
    numeric = [c.kind for c in frame.schema.values()] == ["numeric", "numeric"]
    if (
        not numeric
        or not frame.formula.plain()
        or fit.dissimilarity.metric.given
        or frame.columns.isna().any(axis=None)
    ):
        return None
    table, points = frame.canonical(), fit.rule.points
    rows = pd.DataFrame({"x": table.iloc[:, 0], "y": table.iloc[:, 1], "class": frame.codes})
    if points.coords is not None:
        spots = fit.dissimilarity.metric.original(points.coords).to_numpy()
    else:
        spots = fit.prototypes.iloc[:, -2:].to_numpy(float)
    return rows, pd.DataFrame({"x": spots[:, 0], "y": spots[:, 1], "class": points.classes})


def outlines(fit: Fit) -> list[tuple[int, np.ndarray]]:
    """Class and outline (in the units of the predictors) of each ball, where the metric is a norm in coordinates."""
    metric, points = fit.dissimilarity.metric, fit.rule.points
    assert points.radii is not None
    rep = places(fit.rule, fit.dissimilarity)
    try:
        centers = metric.vectors(rep)
        angle = np.linspace(0, 2 * np.pi, 181)
        step = np.column_stack([np.cos(angle), np.sin(angle)])
        length = metric.between(metric.place(step), metric.place(np.zeros((1, 2))))
    except NoVectors:
        return []
    unit = step / length
    found = []
    for c, center, radius in list(zip(points.classes, centers, points.radii, strict=True))[:BALLS]:
        if not np.isfinite(radius):
            continue
        found.append((int(c), metric.original(center + radius * unit).to_numpy()))
    return found


def scaled(fit: Fit) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows (at most 1000, evenly taken) and prototypes on a map by classical scaling of their dissimilarities."""
    related, points, n = fit.dissimilarity, fit.rule.points, fit.nobs
    if related.added is not None or (points.at is not None and len(related.labels) < n):
        raise NotAvailable(
            "a map needs all rows as candidates and no others: the plane of two numeric predictors needs neither"
        )
    if related.shape[1] and not related.square and not related.metric.supervised:
        raise NotAvailable(
            "a map needs the dissimilarities of all rows to one another, and the given ones are not square"
        )
    at = np.unique(np.linspace(0, n - 1, min(n, ROWS)).astype(int))
    first = points.at[:ROWS] if points.at is not None else None
    if first is not None:
        at = np.unique(np.concatenate([at, related.origin[first]]))
    metric = related.metric
    rows = part(related.rows, at)
    columns = part(related.points, at)
    if points.coords is not None:
        extra = metric.place(points.coords)
        rows = tuple(np.concatenate([a, b]) for a, b in zip(rows, extra, strict=True))
        columns = rows
    D = np.asarray(metric.between(rows, columns), float)
    if np.isnan(D).any():
        raise DataError("some rows know no variable in common: a map needs all dissimilarities")
    X = torgerson((D + D.T) / 2, 2)
    where = pd.DataFrame({"x": X[: len(at), 0], "y": X[: len(at), 1], "class": fit.frame.codes[at]})
    if points.coords is not None:
        chosen = X[len(at) :]
        return where, pd.DataFrame({"x": chosen[:, 0], "y": chosen[:, 1], "class": points.classes})
    spot = np.searchsorted(at, related.origin[first])
    return where, pd.DataFrame({"x": X[spot, 0], "y": X[spot, 1], "class": points.classes[: len(spot)]})


def circles(fit: Fit, chosen: pd.DataFrame) -> list[tuple[int, np.ndarray]]:
    """Class and circle of each ball on a map. A Euclidean map shortens distances: rows of a ball lie inside its circle."""
    radii = fit.rule.points.radii
    assert radii is not None
    angle = np.linspace(0, 2 * np.pi, 181)
    step = np.column_stack([np.cos(angle), np.sin(angle)])
    spots = chosen[["x", "y"]].to_numpy()
    return [
        (int(c), spot + r * step) for c, spot, r in zip(chosen["class"], spots, radii, strict=True) if np.isfinite(r)
    ]


def _regions(fit: Fit, ax: Any) -> None:
    """The class that the rule gives each place of the plane, as a pale background."""
    from matplotlib.colors import ListedColormap

    names = list(fit.frame.columns)
    table = fit.frame.canonical()
    lows, highs = table.min(), table.max()
    wide = highs - lows > 1e-9 * highs.abs()
    margin = 0.06 * (highs - lows).where(wide, np.maximum(highs.abs(), 1.0))
    x = np.linspace(lows.iloc[0] - margin.iloc[0], highs.iloc[0] + margin.iloc[0], GRID)
    y = np.linspace(lows.iloc[1] - margin.iloc[1], highs.iloc[1] + margin.iloc[1], GRID)
    across, up = np.meshgrid(x, y)
    grid = pd.DataFrame({names[0]: across.ravel(), names[1]: up.ravel()})
    told = fit.predict(grid).cat.codes.to_numpy().reshape(across.shape)
    L = len(fit.classes)
    ax.pcolormesh(across, up, told, cmap=ListedColormap([colour(k) for k in range(L)]), vmin=-0.5, vmax=L - 0.5, alpha=0.13,
                  shading="nearest", zorder=0, rasterized=True)  # fmt: skip
    if len(np.unique(told)) > 1:
        for k in np.unique(told):
            ax.contour(across, up, (told == k).astype(float), levels=[0.5], colors="0.35", linewidths=0.6, zorder=1)
    ax.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
