"""Paths of the PVM: a solver applied to the set cover problems of all folds, radii and lambdas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import each
from ..task import Task
from ..units import in_units
from .certificate import Certificate
from .exact import Solved, exact
from .greedy import greedy, greedy_steps, merge_steps, order_candidates
from .measured import Steps
from .path import Chosen, CoverPath
from .problems import CoverProblems, covers, fold_groups
from .program import Program, Stop, ascent, highs, ratio, step_of
from .rounding import round_relaxation

Array = NDArray[Any]
MANY = 2**62  # entries: such work always uses threads
AFFORDABLE = 20_000_000  # entries of a linear program that is solved for a bound


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


def cover_paths(
    task: Task, fold: Array, folds: int, radii: Array, lambdas: Array, options: Options
) -> Iterator[tuple[int, CoverPath]]:
    """The covers of every fold, radius and lambda.

    Parameters
    ----------
    task : Task
    fold : int array (n,)
        Fold that leaves each row out, -1 for none; a candidate is left out together with its row.
    folds : int
    radii, lambdas : arrays, ascending
    options : Options

    Yields
    ------
    fold, CoverPath
    """
    stop = Stop()
    slow = options.solver != "greedy" or options.certify
    reach = np.nextafter(radii, np.inf) if options.closed else radii  # d <= eps is d < the next number after eps
    for group in fold_groups(task, folds, len(radii)):
        local = np.full(folds + 1, -1)
        local[group] = np.arange(len(group))
        problems = covers(task, local[fold], len(group), reach, float(lambdas[0]))

        if slow:
            _ = problems.lists  # before the threads below ask for them
        steps = greedy_steps(problems, in_units(float(lambdas[0]), problems.unit))

        def path(f: int, problems: CoverProblems = problems, steps: list[list[Steps]] = steps) -> CoverPath:
            runs = greedy(problems, steps, f, lambdas)
            if slow:
                runs = solve_runs(problems, f, runs, lambdas, options, stop)
            live = problems.fold != f
            task.tick()
            weight = np.bincount(task.y[live], problems.w[live], task.classes)
            grid_radii, grid_lambdas = np.repeat(reach, len(lambdas)), np.tile(lambdas, len(radii))
            return CoverPath(tuple(runs), grid_radii, grid_lambdas, weight, problems.unit, options.solver == "greedy")

        entries = MANY if slow else len(task.y) * len(task.candidate_row)
        yield from zip(group.tolist(), each(path, range(len(group)), entries, stop), strict=True)


def solve_runs(
    problems: CoverProblems, f: int, runs: list[Chosen], lambdas: Array, options: Options, stop: Stop
) -> list[Chosen]:
    """The covers of the solver, or those of the greedy algorithm with a certificate."""
    L = len(problems.classes)
    sizes = [len(s.candidates) for s in problems.classes]
    largest_first = np.argsort(sizes, kind="stable")[::-1]
    out = []
    for g, run in enumerate(runs):
        k, j = divmod(g, len(lambdas))
        cost = in_units(float(lambdas[j]), problems.unit)

        def solve_class(c: int, k: int = k, cost: float = cost, run: Chosen = run) -> tuple[int, Solved, Array]:
            program, candidates, lost = program_of(problems, f, k, c, cost)
            start = np.isin(candidates, run.at[run.classes == c])
            solved = _solve(program, start, options, (f, k, c), stop)
            result = replace(solved, objective=solved.objective + lost, bound=solved.bound + lost)
            return c, result, candidates[solved.chosen]

        results = sorted(each(solve_class, largest_first.tolist(), MANY, stop), key=lambda t: t[0])
        certificate: Certificate | None = Certificate(
            np.array([s.objective for _, s, _ in results]),
            np.array([s.bound for _, s, _ in results]),
            tuple(s.proof for _, s, _ in results),
            tuple(s.note for _, s, _ in results),
        )
        certificate = certificate if options.certify or options.solver in ("exact", "rounding") else None
        if options.solver != "greedy":
            steps = [order_candidates(problems, f, k, c, results[c][2]) for c in range(L)]
            run = merge_steps(problems, f, k, steps)
        out.append(replace(run, certificate=certificate))
    return out


def _solve(program: Program, start: Array, options: Options, salt: tuple[int, ...], stop: Stop) -> Solved:
    if options.solver == "exact":
        return exact(program, start, options.seconds, options.gap, stop)
    if options.solver == "rounding":
        return round_relaxation(program, options.draws, (*options.seed, *salt), options.seconds, stop, options.union)
    if options.solver == "ratio":
        start = ratio(program)
    if not options.certify:
        return Solved(start, program.objective(start), 0.0, "none")
    return certify_cover(program, start, options.seconds, stop)


def certify_cover(program: Program, chosen: Array, seconds: float, stop: Stop) -> Solved:
    """A given cover with a lower bound: by the linear relaxation if it is affordable, otherwise by dual ascent."""
    bound, proof = ascent(program)[0], "dual"
    value = program.objective(chosen)
    if program.covers.nnz <= AFFORDABLE and value > program.round_up(bound) + 1e-9 * max(1.0, value):
        relaxed = highs(program, False, seconds, stop)
        lower = -np.inf if relaxed.y is None else program.bound(relaxed.y)[0]
        if lower > bound:
            bound, proof = lower, "LP"
    return Solved(chosen, value, min(value, program.round_up(bound)), proof)


def program_of(problems: CoverProblems, f: int, k: int, c: int, cost: float) -> tuple[Program, Array, float]:
    """One class's program without fold `f`, at radius `k` and a cost of a prototype in units.

    Returns
    -------
    program : Program
        With only the candidates that cover more than they cost, and the rows that these cover.
    candidates : int array
        These candidates, as columns of D.
    lost : float
        Weight of the rows that no candidate of the program covers.
    """
    from scipy.sparse import csr_array  # most fits do without

    sets = problems.classes[c]
    use = np.flatnonzero((problems.best[f, k, sets.candidates] == c) & (problems.gain[f, k, sets.candidates] > cost))
    start, upto, places = problems.lists[c]
    first, last = start[use], upto[use, k]
    count = last - first
    at = np.repeat(first - np.concatenate([[0], np.cumsum(count)[:-1]]), count) + np.arange(count.sum())
    w = np.where(problems.fold[sets.rows] == f, 0.0, problems.w[sets.rows])
    all_rows = csr_array(
        (np.ones(len(at)), places[at], np.concatenate([[0], np.cumsum(count)])), shape=(len(use), len(sets.rows))
    )
    reached = np.bincount(places[at], minlength=len(sets.rows)) > 0
    live = np.flatnonzero(reached & (w > 0))
    covered = all_rows[:, live]
    covered.sort_indices()
    candidates = sets.candidates[use]
    program = Program(problems.wrong[f, k, candidates] + cost, w[live], covered, step_of(cost))
    return program, candidates, float(w.sum() - w[live].sum())
