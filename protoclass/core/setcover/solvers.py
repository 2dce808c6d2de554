"""Paths of the PVM: a solver applied to the set cover problems of all folds, radii and lambdas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .. import Array
from ..parallel import MANY, each
from ..statistics.sums import in_units, units
from ..task import Task
from .greedy import Steps, greedy, greedy_steps, take_steps
from .path import Chosen, CoverPath
from .problems import Certificate, CoverProblems, check_listed, covers, fold_groups, of_rows
from .program import Program, Solved, Stop, certify_cover, exact, ratio, round_relaxation, step_of


@dataclass(frozen=True)
class Options:
    """Options of the solvers; see the parameters of `models.pvm.PVM`."""

    solver: str = "greedy"
    closed: bool = False
    seconds: float = 60.0
    gap: float = 0.0
    draws: int = 500
    union: bool = False
    certify: bool = False
    seed: tuple[int, ...] = (0,)
    stops: tuple[int | None, ...] = (None,)


def cover_paths(
    task: Task, fold: Array, folds: int, eps: Array, lambdas: Array, options: Options
) -> Iterator[tuple[int, CoverPath]]:
    """The covers of every fold, radius and lambda.

    Parameters
    ----------
    task : Task
    fold : int array (n,)
        Fold that leaves each row out, -1 for none; a candidate is left out together with its row.
    folds : int
    eps, lambdas : arrays, ascending
        Radii and costs.
    options : Options

    Yields
    ------
    fold, CoverPath
    """
    stop, (w, unit) = Stop(), units(task.w)
    # d <= eps is d < the next number after eps
    reach = np.nextafter(eps, np.inf) if options.closed else eps
    of_lambda = np.tile(np.repeat(lambdas, len(options.stops)), len(eps))
    each_eps = len(lambdas) * len(options.stops)
    for group in fold_groups(task, folds, len(eps)):
        local = np.full(folds + 1, -1)
        local[group] = np.arange(len(group))
        runs = _runs(task, local[fold], len(group), reach, lambdas, options, stop)
        for f, of_fold in zip(group.tolist(), runs, strict=True):
            live = fold != f
            weight = np.bincount(task.y[live], w[live], task.classes)
            of_grid = tuple(run.first(stop) for run in of_fold for stop in options.stops)
            yield (
                f,
                CoverPath(
                    of_grid,
                    np.repeat(reach, each_eps),
                    of_lambda,
                    weight,
                    unit,
                    options.solver == "greedy",
                ),
            )


def _runs(
    task: Task, fold: Array, folds: int, radii: Array, lambdas: Array, options: Options, stop: Stop
) -> list[list[Chosen]]:
    """For each fold the covers by radius and lambda."""
    slow = options.solver != "greedy" or options.certify
    problems = covers(task, fold, folds, radii, float(lambdas[0]))
    if slow:
        check_listed(task, problems.classes, radii[-1])
    # the steps at the smallest lambda contain those of all others
    steps = greedy_steps(problems, in_units(float(lambdas[0]), problems.unit))

    def of_fold(f: int) -> list[Chosen]:
        runs = greedy(problems, steps, f, lambdas)
        if slow:
            runs = solve_runs(problems, f, runs, lambdas, options, stop)
        task.tick()
        return runs

    entries = MANY if slow else len(task.y) * len(task.candidate_row)
    return list(each(of_fold, range(folds), entries, stop))


def solve_runs(
    problems: CoverProblems,
    f: int,
    runs: list[Chosen],
    lambdas: Array,
    options: Options,
    stop: Stop,
) -> list[Chosen]:
    """The covers of the solver, or greedy covers with a certificate."""
    n, m = problems.task.shape
    over, fold, out = f"the {m:,} candidates" if m < n else "", np.array([f]), []
    for g, run in enumerate(runs):
        k, j = divmod(g, len(lambdas))
        cost = in_units(float(lambdas[j]), problems.unit)
        classes = range(len(problems.classes))
        solved = list(
            each(
                partial(solve_class, problems, f, k, cost, run, options, stop), classes, MANY, stop
            )
        )
        if options.solver != "greedy":
            steps = [
                take_steps(problems, c, k, fold, -np.inf, columns)
                for c, (_, columns) in enumerate(solved)
            ]
            run = Steps.of(problems, steps).chosen(problems, f, k)
        if options.certify or options.solver in ("exact", "rounding"):
            certificate = Certificate(
                np.array([solution.objective for solution, _ in solved]),
                np.array([solution.bound for solution, _ in solved]),
                tuple(solution.proof for solution, _ in solved),
                tuple(solution.note for solution, _ in solved),
                over,
                of_rows(
                    problems.task, problems.classes, [solution.prices for solution, _ in solved]
                ),
            )
            run = replace(run, certificate=certificate)
        out.append(run)
    return out


def solve_class(
    problems: CoverProblems,
    f: int,
    k: int,
    cost: float,
    run: Chosen,
    options: Options,
    stop: Stop,
    c: int,
) -> tuple[Solved, Array]:
    """The solution for one class from a greedy cover, and the columns that it selects."""
    program, columns, lost = program_of(problems, f, k, c, cost)
    solved = _solve(program, np.isin(columns, run.at[run.classes == c]), options, (f, k, c), stop)
    # A row that no column of the program covers costs its weight. That breaks no constraint of the
    # columns that the program leaves out: each has no more weight of the class in its ball than it
    # costs.
    rows = problems.classes[c].rows
    prices = np.where(problems.fold[rows] == f, 0.0, problems.w[rows])
    prices[program.rows] = solved.prices
    return replace(
        solved, objective=solved.objective + lost, bound=solved.bound + lost, prices=prices
    ), columns[solved.chosen]


def _solve(
    program: Program, start: Array, options: Options, salt: tuple[int, ...], stop: Stop
) -> Solved:
    if options.solver == "exact":
        return exact(program, start, options.seconds, options.gap, stop)
    if options.solver == "rounding":
        return round_relaxation(
            program, options.draws, (*options.seed, *salt), options.seconds, stop, options.union
        )
    if options.solver == "ratio":
        start = ratio(program)
    if not options.certify:
        return Solved(start, program.objective(start), 0.0, "none", np.zeros(len(program.prize)))
    return certify_cover(program, start, options.seconds, stop)


def program_of(
    problems: CoverProblems, f: int, k: int, c: int, cost: float
) -> tuple[Program, Array, float]:
    """One class's program without fold `f`, of problem `k` at a cost of a prototype in units.

    Returns
    -------
    program : Program
        With only the columns that cover more than they cost, and the rows that these cover.
    columns : int array
        These columns of the problem.
    lost : float
        Weight of the rows that no column of the program covers.
    """
    balls = problems.classes[c]
    pays = (problems.best[f, k, balls.candidates] == c) & (
        problems.gain[f, k, balls.candidates] > cost
    )
    w = np.where(problems.fold[balls.rows] == f, 0.0, problems.w[balls.rows])
    columns = balls.candidates[pays]
    whole = Program(
        problems.wrong[f, k, columns] + cost,
        w,
        balls.matrix(np.flatnonzero(pays), k),
        step_of(cost),
    )
    program, lost = whole.part(slice(None), w > 0)
    return program, columns, lost
