"""The contract of a method's grids: points fitted together and alone, and how default grids go on."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ..core.query import Query, answer
from ..core.task import Path, Task
from ..errors import ProtoclassError
from ..models.base import GRID, Grid
from .contract import require
from .subject import Subject

FURTHER = 3  # values of a default grid that went on which are fitted


def check_grid(s: Subject) -> None:
    """A grid of several axes equals its points fitted one by one, in the order of their product."""
    order = [name for name in s.single.parameters() if name in s.values]  # that of the fields, as in a fit
    axes = {name: np.unique(np.array(s.values[name])) for name in order}
    if not axes:
        return
    task = s.fit.problem.task(s.fit.dissimilarity)
    whole = replace(s.single, **{name: v.tolist() for name, v in axes.items()})
    tuned = set(whole.tuned())
    require(
        tuned == set(axes),
        f"{s}.example has {sorted(set(axes) - tuned)}, which can't be tuned: leave them out, or let them",
    )
    path = whole.path(task, axes)
    lacks = [
        name for name in ("prototypes", "kinds", "size", "bounds", "predict", "at", "moved") if not hasattr(path, name)
    ]
    require(
        not lacks,
        f"{s}: `path` returned a {type(path).__name__} without {lacks}: return RulePath((rule, ...)), a rule a point",
    )
    points = list(product(*(v.tolist() for v in axes.values())))
    require(
        np.shape(path.size) == (len(points),), f"{s}: a grid of {len(points)} points has sizes {np.shape(path.size)}"
    )
    query = s.fit.query(s.new)[0]
    every = answer(path, "class", query)
    shape = (len(query), len(points))
    require(every.shape == shape, f"{s}: a path predicts an array {every.shape}, and the grid needs {shape}")
    for g, point in enumerate(points):
        _check_point(s, path, g, dict(zip(axes, point, strict=True)), task, query, every[:, g])


def _check_point(
    s: Subject, path: Path, g: int, point: dict[str, Any], task: Task, query: Query, column: np.ndarray
) -> None:
    rule, alone = path.at(g), replace(s.single, **point).path(task, {}).at(0)
    order = "points run through the product of the axes, the last varying fastest"
    require(rule.size == path.size[g], f"{s}: at({g}) has size {rule.size}, and the path says {path.size[g]}: {order}")
    require(
        rule.size == alone.size, f"{s}: at {point} the path has size {rule.size}, fitted alone {alone.size}: {order}"
    )
    codes = answer(rule, "class", query)
    require((codes == column).all(), f"{s}: at({g}) predicts otherwise than the path's column {g}: {order}")
    if s.kind.can.warm_starts:
        return
    for kind in rule.kinds:
        one, two = answer(rule, kind, query), answer(alone, kind, query)
        row = int(np.argmax((one != two).reshape(len(one), -1).any(axis=1)))
        require(
            np.array_equal(one, two, equal_nan=one.dtype.kind == "f"),
            f"{s}: at {point} the path predicts another {kind!r} than a fit alone (new row {row}: {one[row]} and {two[row]}): {order}",
        )


def check_larger(s: Subject) -> None:
    """A default grid goes on with values beyond its own, at which the path has the rules that they have alone."""
    task = s.fit.problem.task(s.fit.dissimilarity)
    smallest = np.bincount(task.y, minlength=task.classes)
    for name, further in s.kind.larger.items():
        where = f"{s.kind.__name__}.larger[{name!r}]"
        require(isinstance(further, Grid), f"{where} is a {type(further).__name__}: it must be a Grid, as pc.quantiles() is")
        tuned = replace(s.single, **{name: GRID})
        require(tuned.has_default_grid(name), f"{where} goes on with a grid that {name} can't have: it is never tuned")
        values, last = np.asarray(further.values(task)), tuned.grid(task, smallest)[name].max()
        fine = values.ndim == 1 and values.dtype.kind in "iuf" and bool((np.diff(values) > 0).all())
        require(fine, f"{where}.values(task) must be an array of numbers, each larger than the one before")
        beyond = values[values > last]
        require(
            len(beyond) > 0,
            f"{where} has no value beyond {last:.4g}, the last of the default grid on the check's rows: leave it out",
        )
        axes = {name: beyond[:FURTHER]}
        points = [{name: value} for value in axes[name].tolist()]
        try:
            path = replace(tuned, **{name: axes[name].tolist()}).path(task, axes)
        except ProtoclassError as reason:
            require(False, f"{where} draws values that the method refuses: {reason}")
        query = s.fit.query(s.new)[0]
        every = answer(path, "class", query)
        for g, point in enumerate(points):
            _check_point(s, path, g, point, task, query, every[:, g])
