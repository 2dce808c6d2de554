"""Paths of the PVM with own radii: a solver applied to the problems of all folds, largest radii and lambdas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import each
from ..task import Task
from ..units import in_units
from .generation import fits
from .greedy import merge_steps
from .own import RADII, own_radii, own_steps, pair_problems
from .own_rule import OwnPath
from .path import Chosen
from .problems import fold_groups
from .program import Stop
from .solving import MANY, Options, certify_over_every_row, solve_runs

Array = NDArray[Any]


def own_paths(
    task: Task, fold: Array, folds: int, eps: Array, lambdas: Array, options: Options
) -> Iterator[tuple[int, OwnPath]]:
    """The covers of every fold, largest radius and lambda; arguments as those of `solving.cover_paths`.

    One greedy run for each fold and largest radius holds the covers of all lambdas.

    Yields
    ------
    fold, OwnPath
    """
    stop = Stop()
    for group in fold_groups(task, folds, RADII):
        local = np.full(folds + 1, -1)
        local[group] = np.arange(len(group))
        parts = [_runs(task, local[fold], len(group), float(most), lambdas, options, stop) for most in eps]
        for f, of in zip(group.tolist(), range(len(group)), strict=True):
            task.tick()
            runs = tuple(part.runs[of] for part in parts)
            yield f, OwnPath(runs, eps, lambdas, parts[0].weight[of], parts[0].unit, options.solver == "greedy")


@dataclass(frozen=True)
class OfRadius:
    """The runs of one largest radius: by fold and lambda, and the training weight (classes,) of each fold in units."""

    runs: tuple[tuple[Chosen, ...], ...]
    weight: tuple[Array, ...]
    unit: float


def _runs(task: Task, fold: Array, folds: int, most: float, lambdas: Array, options: Options, stop: Stop) -> OfRadius:
    radii = own_radii(most)
    reach = np.nextafter(radii, np.inf) if options.closed else radii  # d <= r is d < the next number after r
    problems = pair_problems(task, fold, folds, reach, float(lambdas[0]))
    slow = options.solver != "greedy" or options.certify
    listed = options.solver == "ratio" or (slow and fits(problems))
    if listed:
        _ = problems.lists  # before the threads below ask for them
    costs = [in_units(float(lambda_), problems.unit) for lambda_ in lambdas]
    steps = own_steps(problems, costs[0])

    def of_fold(f: int) -> tuple[Chosen, ...]:
        greedy = merge_steps(problems, f, 0, [of_class.of(f) for of_class in steps])
        runs = [greedy.prefix(cost) for cost in costs]
        if slow:
            runs = solve_runs(problems, f, runs, lambdas, options, stop, listed)
            solved = zip(runs, lambdas.tolist(), strict=True)
            runs = [certify_over_every_row(problems, f, 0, lambda_, run, options, stop) for run, lambda_ in solved]
        return tuple(problems.named(run, reach) for run in runs)

    def weight(f: int) -> Array:
        live = problems.fold != f
        return np.bincount(task.y[live], problems.w[live], task.classes)

    entries = MANY if slow else len(task.y) * len(task.candidate_row)
    return OfRadius(tuple(each(of_fold, range(folds), entries, stop)), tuple(map(weight, range(folds))), problems.unit)
