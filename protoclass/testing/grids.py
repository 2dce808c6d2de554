"""The contract of a method's grids: points fitted together and alone, default grids, and how these go on."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np

from ..core.query import Query, answer
from ..core.task import Path, Rule, Task
from ..ground.errors import OptionError, ProtoclassError
from ..metrics.arrays import same
from ..models.base import GRID, Grid
from .contract import accepted, require, uneven_classes
from .subject import Subject, answers, deed, problem_of, require_same

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
    few = [name for name, values in axes.items() if len(values) < 2]
    require(not few, f"{s}.example has one value of {few}, with which a wrong order of a grid can't be seen: add another")
    require(
        tuned == set(axes),
        f"{s}.example has {sorted(set(axes) - tuned)}, which can't be tuned: leave them out, or let them",
    )
    given = {name: values.copy() for name, values in axes.items()}
    path = whole.path(task, given)
    for name, values in given.items():
        require(np.array_equal(values, axes[name]), f"{s}: `path` writes into grid[{name!r}], which others read too: work on a copy")
    points = list(product(*(v.tolist() for v in axes.values())))
    require(
        np.shape(path.size) == (len(points),), f"{s}: a grid of {len(points)} points has sizes {np.shape(path.size)}"
    )
    query = s.fit.query(s.new)[0]
    every = answer(path, "class", query)
    shape = (len(query), len(points))
    require(every.shape == shape, f"{s}: a path predicts an array {every.shape}, and the grid needs {shape}")
    rules = [
        _check_point(s, path, g, dict(zip(axes, point, strict=True)), task, query, every[:, g])
        for g, point in enumerate(points)
    ]
    _check_rules_differ(s, axes, rules, query)


def _check_rules_differ(s: Subject, axes: dict[str, np.ndarray], rules: list[Rule], query: Query) -> None:
    """Along each axis the rules of the examples differ: a wrong order of equal rules can't be seen."""
    found = np.empty(len(rules), object)
    found[:] = [(rule.size, *answers(rule, query).values()) for rule in rules]
    table = found.reshape([len(values) for values in axes.values()])
    for a, (name, values) in enumerate(axes.items()):
        lines = np.moveaxis(table, a, 0).reshape(len(values), -1)
        for i in range(len(values) - 1):
            differ = any(not same(one, two) for one, two in zip(lines[i], lines[i + 1], strict=True))
            require(
                differ,
                f"{s}.example has {name}={values[i]} and {values[i + 1]}, whose rules are the same, so that a wrong order of a grid "
                f"can't be seen: give values further apart, unless the method ignores {name}",
            )


def _check_point(
    s: Subject, path: Path, g: int, point: dict[str, Any], task: Task, query: Query, column: np.ndarray
) -> Rule:
    rule, alone = path.at(g), replace(s.single, **point).path(task, {}).at(0)
    order = "points run through the product of the axes, the last varying fastest"
    require(rule.size == path.size[g], f"{s}: at({g}) has size {rule.size}, and the path says {path.size[g]}: {order}")
    require(
        rule.size == alone.size, f"{s}: at {point} the path has size {rule.size}, fitted alone {alone.size}: {order}"
    )
    codes = answer(rule, "class", query)
    require((codes == column).all(), f"{s}: at({g}) predicts otherwise than the path's column {g}: {order}")
    if s.kind.can.warm_starts:
        return rule
    require_same(s, answers(rule, query), answers(alone, query), f"at {point} the path gives another rule than a fit alone: it", order, 0)
    return rule


def check_default_grid(s: Subject) -> None:
    """The grid that "grid" means is ascending and distinct, and every value fits the smallest training set of a fold."""
    for data, what in ((s.data, "rows of the check"), (uneven_classes(), "rows of uneven classes")):
        fold = np.arange(len(data)) % 4
        problem = problem_of(data, s.single)
        task = problem.task(problem.measure())
        smallest = np.min([np.bincount(task.y[fold != f], minlength=task.classes) for f in range(4)], axis=0)
        part, _ = task.keep(fold != 0, 0)
        for parameter in sorted(set(s.single.parameters()) - s.kind.never_tuned):
            _check_default(s, parameter, task, smallest, part, what)


def _check_default(s: Subject, name: str, task: Task, smallest: np.ndarray, part: Task, what: str) -> None:
    default = next(f.default for f in fields(s.kind) if f.name == name)
    where = f"{s}: default_grid({name!r}) on {what}"
    try:
        replace(s.single, **{name: GRID})
    except ProtoclassError:
        return  # it can't be tuned over a grid of the method's own
    try:
        with deed(s, f"default_grid({name!r}) on {what}"):
            values = np.asarray(s.single.default_grid(name, task, smallest))
    except OptionError as reason:
        by_default = isinstance(default, str) and default == GRID
        require(not by_default, f"{where} is refused, and {name}='grid' is the default: {reason}")
        return
    require(values.ndim == 1 and len(values) > 0, f"{where} must be an array of at least one value, not of shape {values.shape}")
    require(
        len(set(values.tolist())) == len(values), f"{where} has values more than once, {_short(values)}: np.unique(...) makes them distinct"
    )
    if values.dtype.kind in "iuf":
        require(not bool(np.isnan(values).any()), f"{where} has NaN, {_short(values)}")
        require((np.diff(values) > 0).all(), f"{where} must be ascending, not {_short(values)}: the 1-SE rule and curves read it so")
    ends = np.unique(np.array([0, len(values) - 1]))
    axes = {name: values[ends]}
    needs = s.single.rows_needed(axes, smallest, task.levels)
    require(
        (np.asarray(needs) <= smallest).all(),
        f"{where} has values that need {needs.max()} rows of a class, and a fold has {smallest.min()}: draw them from `smallest`",
    )
    with (
        accepted(f"{where} has values that the method refuses in a fold"),
        deed(s, f"`path` with the first and last value of default_grid({name!r}) on {what}, {_short(values[ends])},"),
    ):
        path = replace(s.single, **{name: axes[name].tolist()}).path(part, axes)
    require(np.shape(path.size) == (len(ends),), f"{where}: a path over {len(ends)} of its values has sizes {np.shape(path.size)}")


def _short(values: np.ndarray) -> str:
    return str(values.tolist()[:6])[:-1] + (", ...]" if len(values) > 6 else "]")


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
        with accepted(f"{where} draws values that the method refuses"):
            path = replace(tuned, **{name: axes[name].tolist()}).path(task, axes)
        query = s.fit.query(s.new)[0]
        every = answer(path, "class", query)
        for g, point in enumerate(points):
            _check_point(s, path, g, point, task, query, every[:, g])
