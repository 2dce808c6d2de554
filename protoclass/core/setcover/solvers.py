"""Paths of the PVM: a solver applied to the set cover problems of all folds, radii and lambdas."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import Array
from ..parallel import MANY, each
from ..statistics.sums import in_units, units
from ..task import Task
from .column_generation import Generated, fits, generate
from .greedy import greedy, greedy_steps, merge_steps, order_columns
from .path import Chosen, CoverPath
from .problems import Certificate, CoverProblems, covers, fold_groups, own_radii
from .program import Program, Solved, Stop, ball_matrix, certify_cover, exact, ratio, round_relaxation, step_of


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
    own: bool = False
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
        Radii, or with `options.own` the largest that a ball may have; and costs.
    options : Options

    Yields
    ------
    fold, CoverPath
    """
    stop, (w, unit) = Stop(), units(task.w)
    together = [own_radii(float(most)) for most in eps] if options.own else [eps]
    reported = np.nextafter(eps, np.inf) if options.closed and not options.own else eps
    for group in fold_groups(task, folds, len(together[0])):
        local = np.full(folds + 1, -1)
        local[group] = np.arange(len(group))
        parts = [_runs(task, local[fold], len(group), radii, lambdas, options, stop) for radii in together]
        for f, *of_fold in zip(group.tolist(), *parts, strict=True):
            live = fold != f
            weight = np.bincount(task.y[live], w[live], task.classes)
            runs = tuple(run for part in of_fold for run in part)
            yield f, CoverPath(runs, reported, lambdas, weight, unit, options.solver == "greedy", options.own, options.stops)


def _runs(
    task: Task, fold: Array, folds: int, radii: Array, lambdas: Array, options: Options, stop: Stop
) -> list[list[Chosen]]:
    """For each fold the covers of the problems of some radii, by problem and lambda, as columns of D with radii."""
    slow = options.solver != "greedy" or options.certify
    reach = np.nextafter(radii, np.inf) if options.closed else radii  # d <= eps is d < the next number after eps
    problems = covers(task, fold, folds, reach, float(lambdas[0]), options.own)
    if options.solver == "ratio":
        _ = problems.lists  # or the error that there are too many
    listed = options.solver == "ratio" or (slow and fits(problems))  # computed before the threads below need the lists
    steps = greedy_steps(problems, in_units(float(lambdas[0]), problems.unit))  # which contain the steps of all lambdas

    most = None if None in options.stops else max(stop for stop in options.stops if stop is not None)

    def of_fold(f: int) -> list[Chosen]:
        runs = greedy(problems, steps, f, lambdas, most)
        if slow:
            runs = solve_runs(problems, f, runs, lambdas, options, stop, listed)
        task.tick()
        level = problems.level.repeat(len(lambdas), axis=0)
        return [
            replace(run, at=problems.candidate[run.at], radii=reach[of_problem[run.at]])
            for run, of_problem in zip(runs, level, strict=True)
        ]

    entries = MANY if slow else len(task.y) * len(task.candidate_row)
    return list(each(of_fold, range(folds), entries, stop))


def solve_runs(
    problems: CoverProblems,
    f: int,
    runs: list[Chosen],
    lambdas: Array,
    options: Options,
    stop: Stop,
    listed: bool = True,
) -> list[Chosen]:
    """The covers of the solver, or greedy covers with a certificate; `listed`: whether the balls are listed."""
    L, out = len(problems.classes), []
    for g, run in enumerate(runs):
        k, j = divmod(g, len(lambdas))
        lambda_ = float(lambdas[j])
        cost = in_units(lambda_, problems.unit)
        few = None if listed else _few(problems, f, k, cost, run, options, stop)
        results = _solve_classes(problems, few, f, k, cost, run, options, stop)
        restricted = problems if few is None else few.problems
        if options.solver != "greedy":
            run = merge_steps(problems, f, k, [order_columns(restricted, f, k, c, results[c][1]) for c in range(L)])
        if options.certify or options.solver in ("exact", "rounding"):
            solved = [solution for solution, _ in results]
            certificate = Certificate(
                np.array([solution.objective for solution in solved]),
                np.array([solution.bound for solution in solved]),
                tuple(solution.proof for solution in solved),
                tuple(solution.note for solution in solved),
                prices=restricted.of_rows([np.asarray(solution.prices) for solution in solved]),
            )
            if problems.task.every is not None:
                chosen = [run.at[run.classes == c] for c in range(L)]
                certificate = over_every_row(problems, f, k, lambda_, certificate, chosen, options.seconds, stop)
            run = replace(run, certificate=certificate)
        out.append(run)
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
    """For each class the solution of the solver and the columns that it selected, from `few` columns if there are some."""
    if few is not None:
        options = replace(options, certify=False)  # a bound over the few candidates is not one over all

    def solve_class(c: int) -> tuple[int, Solved, Array]:
        restricted = problems if few is None else few.problems
        program, columns, lost = program_of(restricted, f, k, c, cost)
        start = np.isin(columns, run.at[run.classes == c])
        solved = _solve(program, start, options, (f, k, c), stop)
        prices = None
        if solved.prices is not None:
            # A row that no column of the program covers costs its weight. That breaks no constraint of the columns that the program
            # leaves out: each has no more weight of the class in its ball than it costs.
            rows = restricted.classes[c].rows
            prices = np.where(restricted.fold[rows] == f, 0.0, restricted.w[rows])
            prices[program.rows] = solved.prices
        result = replace(solved, objective=solved.objective + lost, bound=solved.bound + lost, prices=prices)
        return c, result if few is None else few.over_all(c, result), columns[solved.chosen]

    sizes = [len(s.candidates) for s in problems.classes]
    largest_first = np.argsort(sizes, kind="stable")[::-1]
    results = sorted(each(solve_class, largest_first.tolist(), MANY, stop), key=lambda t: t[0])
    return [(solved, at) for _, solved, at in results]


def _few(problems: CoverProblems, f: int, k: int, cost: float, run: Chosen, options: Options, stop: Stop) -> Generated:
    """The candidates that represent all others if lists of all balls do not fit into memory."""
    chosen = [run.at[run.classes == c] for c in range(len(problems.classes))]
    seconds = options.seconds * len(chosen)  # the classes have their passes in common
    few = generate(problems, f, k, cost, chosen, seconds, stop, options.solver == "exact")
    _ = few.problems.listed  # computed before the threads need it
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


def program_of(problems: CoverProblems, f: int, k: int, c: int, cost: float) -> tuple[Program, Array, float]:
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
    sets = problems.classes[c]
    use = np.flatnonzero((problems.best[f, k, sets.candidates] == c) & (problems.gain[f, k, sets.candidates] > cost))
    w = np.where(problems.fold[sets.rows] == f, 0.0, problems.w[sets.rows])
    read = problems.columns(sets, k)
    balls, columns = ball_matrix(problems.lists[c], read.line[use], read.level[use], len(sets.rows)), sets.candidates[use]
    program, lost = Program(problems.wrong[f, k, columns] + cost, w, balls, step_of(cost)).part(slice(None), w > 0)
    return program, columns, lost


class _Late(Exception):
    """The time is over in the middle of the first pass."""


def over_every_row(
    problems: CoverProblems,
    f: int,
    k: int,
    lambda_: float,
    certificate: Certificate,
    chosen: Sequence[Array],
    seconds: float,
    stop: Stop,
) -> Certificate:
    """The certificate of a cover over all rows as candidates, which has the one over the sample in `sampled`.

    All dissimilarities of the rows to one another are computed once, and those within the classes in each further pass; none is
    stored. If the time ends before they are all computed once, the certificate over the sample remains and names the sample.

    Parameters
    ----------
    problems : CoverProblems
        Problems whose candidates are the sample.
    f : int
        Fold that is left out.
    k : int
        Number of the radius in the problems.
    lambda_ : float
    certificate : Certificate
        Certificate over the sample, in units.
    chosen : sequence of int arrays, one for each class
        Candidates of the cover.
    seconds : float
        Seconds for each class, in total for all, because a pass is for all classes.
    stop : Stop
    """
    task, end = problems.task, time.monotonic() + seconds * len(chosen)
    assert task.every is not None
    every = task.every()
    everyone = f"all {len(every.candidate_row):,} {'rows' if (every.candidate_row >= 0).all() else 'candidates'}"
    sampled = replace(certificate, over=f"the {len(task.candidate_row):,} candidates")

    def tick() -> None:
        every.tick()
        if time.monotonic() > end:
            raise _Late

    try:
        whole = problems.of_task(replace(every, tick=tick), np.where(problems.fold == f, 0, -1), k, lambda_)
    except _Late:
        return replace(sampled, over=f"{sampled.over}, as time_limit ended before {everyone} were compared")
    column = np.empty(len(every.y), np.int64)
    column[every.candidate_row[every.candidate_row >= 0]] = np.flatnonzero(every.candidate_row >= 0)
    balls = [problems.balls_of(cover, k) for cover in chosen]
    at = [whole.find(column[task.candidate_row[candidates]], levels) for candidates, levels in balls]
    few = generate(whole, 0, 0, in_units(lambda_, whole.unit), at, end - time.monotonic(), stop)
    bound = np.minimum(certificate.objective, few.bound)
    prices, proof = few.problems.of_rows(few.prices), ("LP",) * len(bound)
    return Certificate(certificate.objective, bound, proof, certificate.notes, everyone, sampled, prices)
