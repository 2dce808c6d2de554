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
from .every_row import over_every_row
from .exact import Solved, exact
from .generation import AFFORDABLE, Generated, fits, generate
from .greedy import greedy, greedy_steps, merge_steps, order_candidates
from .measured import Steps
from .path import Chosen, CoverPath
from .problems import CoverProblems, covers, fold_groups
from .program import Program, Stop, ascent, ball_matrix, highs, ratio, step_of
from .proof import prices_of_class, prices_of_rows
from .rounding import round_relaxation

Array = NDArray[Any]
MANY = 2**62  # entries: such work always uses threads


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

        if options.solver == "ratio":
            _ = problems.lists  # or the error that says that there are too many
        listed = options.solver == "ratio" or (slow and fits(problems))  # before the threads below ask for the lists
        steps = greedy_steps(problems, in_units(float(lambdas[0]), problems.unit))

        def path(
            f: int, problems: CoverProblems = problems, steps: list[list[Steps]] = steps, listed: bool = listed
        ) -> CoverPath:
            runs = greedy(problems, steps, f, lambdas)
            if slow:
                runs = solve_runs(problems, f, runs, lambdas, options, stop, listed)
                runs = [
                    certify_over_every_row(problems, f, g // len(lambdas), float(lambdas[g % len(lambdas)]), run, options, stop)
                    for g, run in enumerate(runs)
                ]
            live = problems.fold != f
            task.tick()
            weight = np.bincount(task.y[live], problems.w[live], task.classes)
            grid_radii, grid_lambdas = np.repeat(reach, len(lambdas)), np.tile(lambdas, len(radii))
            return CoverPath(tuple(runs), grid_radii, grid_lambdas, weight, problems.unit, options.solver == "greedy")

        entries = MANY if slow else len(task.y) * len(task.candidate_row)
        yield from zip(group.tolist(), each(path, range(len(group)), entries, stop), strict=True)


def solve_runs(
    problems: CoverProblems,
    f: int,
    runs: list[Chosen],
    lambdas: Array,
    options: Options,
    stop: Stop,
    listed: bool = True,
) -> list[Chosen]:
    """The covers of the solver, or those of the greedy algorithm with a certificate; `listed` says whether the balls are."""
    L, out = len(problems.classes), []
    for g, run in enumerate(runs):
        k, j = divmod(g, len(lambdas))
        cost = in_units(float(lambdas[j]), problems.unit)
        few = None if listed else _few(problems, f, k, cost, run, options, stop)
        results = _solve_classes(problems, few, f, k, cost, run, options, stop)
        certificate: Certificate | None = None
        if options.certify or options.solver in ("exact", "rounding"):
            certificate = Certificate(
                np.array([s.objective for s, _ in results]),
                np.array([s.bound for s, _ in results]),
                tuple(s.proof for s, _ in results),
                tuple(s.note for s, _ in results),
                prices=prices_of_rows(problems if few is None else few.problems, [s for s, _ in results]),
            )
        if options.solver != "greedy":
            some = problems if few is None else few.problems
            run = merge_steps(problems, f, k, [order_candidates(some, f, k, c, results[c][1]) for c in range(L)])
        out.append(replace(run, certificate=certificate))
    return out


def _solve_classes(
    problems: CoverProblems,
    few: Generated | None,
    f: int,
    k: int,
    cost: float,
    run: Chosen,
    options: Options,
    stop: Stop,
) -> list[tuple[Solved, Array]]:
    """For each class what the solver found, and the candidates that it chose, from `few` candidates where there are some."""
    if few is not None:
        options = replace(options, certify=False)  # a bound over the few candidates is not one over all

    def solve_class(c: int) -> tuple[int, Solved, Array]:
        program, candidates, lost = program_of(problems if few is None else few.problems, f, k, c, cost)
        start = np.isin(candidates, run.at[run.classes == c])
        solved = _solve(program, start, options, (f, k, c), stop)
        prices = None if solved.prices is None else prices_of_class(problems if few is None else few.problems, f, c, program, solved)
        result = replace(solved, objective=solved.objective + lost, bound=solved.bound + lost, prices=prices)
        return c, result if few is None else few.over_all(c, result), candidates[solved.chosen]

    sizes = [len(s.candidates) for s in problems.classes]
    largest_first = np.argsort(sizes, kind="stable")[::-1]
    results = sorted(each(solve_class, largest_first.tolist(), MANY, stop), key=lambda t: t[0])
    return [(solved, at) for _, solved, at in results]


def certify_over_every_row(
    problems: CoverProblems, f: int, k: int, lambda_: float, run: Chosen, options: Options, stop: Stop
) -> Chosen:
    """A cover by a sample of the rows with its certificate over all rows, where that is asked for."""
    if run.certificate is None or problems.task.every is None:
        return run
    chosen = [run.at[run.classes == c] for c in range(len(problems.classes))]
    certificate = over_every_row(problems, f, k, lambda_, run.certificate, chosen, options.seconds, stop)
    return replace(run, certificate=certificate)


def _few(problems: CoverProblems, f: int, k: int, cost: float, run: Chosen, options: Options, stop: Stop) -> Generated:
    """The candidates that stand for all others where memory does not take lists of all balls."""
    chosen = [run.at[run.classes == c] for c in range(len(problems.classes))]
    seconds = options.seconds * len(chosen)  # the classes share their passes
    few = generate(problems, f, k, cost, chosen, seconds, stop, options.solver == "exact")
    _ = few.problems.listed  # before the threads ask for them
    return few


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
    bound, y = ascent(program)
    proof = "dual"
    value = program.objective(chosen)
    if program.covers.nnz <= AFFORDABLE and value > program.round_up(bound) + 1e-9 * max(1.0, value):
        relaxed = highs(program, False, seconds, stop)
        if relaxed.y is not None and (lower := program.bound(relaxed.y)[0]) > bound:
            bound, y, proof = lower, relaxed.y, "LP"
    return Solved(chosen, value, min(value, program.round_up(bound)), proof, prices=np.clip(y, 0.0, program.prize))


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
    sets = problems.classes[c]
    use = np.flatnonzero((problems.best[f, k, sets.candidates] == c) & (problems.gain[f, k, sets.candidates] > cost))
    w = np.where(problems.fold[sets.rows] == f, 0.0, problems.w[sets.rows])
    all_rows = ball_matrix(problems.lists[c], use, k, len(sets.rows))
    reached = np.bincount(all_rows.indices, minlength=len(sets.rows)) > 0
    live = np.flatnonzero(reached & (w > 0))
    covered = all_rows[:, live]
    covered.sort_indices()
    candidates = sets.candidates[use]
    program = Program(problems.wrong[f, k, candidates] + cost, w[live], covered, step_of(cost), live)
    return program, candidates, float(w.sum() - w[live].sum())
