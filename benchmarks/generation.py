"""Column generation at scale: the lower bound after each pass over the dissimilarities, and the exact cover.

    python benchmarks/generation.py                                  # 10,000 x 784, and USPS
    python benchmarks/generation.py --rows 60000 --gigabytes 2       # the goal: within 1 % of the optimum in 8 passes, in 2 GB

The data are those of `made.py`; the radius is that of balls which hold about `--held` rows. Candidates are generated even where lists
of all balls would fit. A pass reads the pairs of a row and a candidate of its class, and counts as the share of all
pairs that these are. `--gigabytes` limits the address space beyond what the process has when the data are there.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from made import made, predictors, radius

import protoclass as pc
from protoclass.core.parallel import Once
from protoclass.core.setcover.column_generation import generate
from protoclass.core.setcover.greedy import greedy, greedy_steps
from protoclass.core.setcover.problems import covers
from protoclass.core.setcover.program import Stop
from protoclass.core.setcover.solvers import program_of
from protoclass.core.task import Task


def status(name: str) -> int:
    """Bytes of this process as Linux states them."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024


def clock() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def since(start: tuple[float, float]) -> str:
    wall, cpu = clock()
    return f"{wall - start[0]:.1f} s ({cpu - start[1]:.1f} s of processors)"


def streamed(data: pd.DataFrame, response: str) -> Task:
    """The task of a fit on all rows, whose dissimilarities are measured when they are read."""
    measured = pc.dissimilarity(f"{response} ~ .", data, pc.Euclidean(scale=False))
    y = data[response].astype("category").cat
    n = len(data)
    return Task(
        Once(lambda: measured.source(hold=False)), y.codes.to_numpy(np.int64), len(y.categories), np.ones(n), np.arange(n), (0,)
    )


def solve(data: pd.DataFrame, response: str, eps: float, seconds: float, integer: bool) -> None:
    task = streamed(data, response)
    n, L, cost = len(data), task.classes, 1 / len(data)
    print(f"\n{n:,} rows, {data.shape[1] - 1} columns, {L} classes, eps {eps:.4g}", flush=True)
    start = clock()
    problems = covers(task, np.full(n, -1), 1, np.array([eps]), cost)
    share = sum(len(one.candidates) * len(one.rows) for one in problems.classes) / n**2
    print(f"counted, one pass over all pairs: {since(start)}", flush=True)
    start = clock()
    run = greedy(problems, greedy_steps(problems, cost), 0, np.array([cost]))[0]
    value = float(problems.w.sum() - run.covers.sum() + run.wrong.sum() + cost * len(run.at))
    print(f"greedy: {len(run.at)} prototypes ({len(run.at) / n:.1%}), objective {value:.4f}, {since(start)}", flush=True)
    start = clock()
    chosen = [run.at[run.classes == c] for c in range(L)]
    few = generate(problems, 0, 0, cost, chosen, seconds, Stop(), integer)
    print(f"generated: {since(start)}; all classes solved: {bool(few.optimal.all())}")
    best = few.bound.sum()
    for i, bound in enumerate(few.bounds.sum(axis=1)):
        read = f"{(i + 1) * share:.2f} of all pairs at most"
        print(f"  pass {i + 1}: bound {bound:.4f}, {100 * (1 - bound / best):.3f} % below the last, {read}")
    sizes = [len(one.candidates) for one in few.problems.classes]
    print(f"candidates of a class: {min(sizes)} to {max(sizes)} of {max(len(one.candidates) for one in problems.classes)} at most")
    entries = sum(program_of(few.problems, 0, 0, c, cost)[0].covers.nnz for c in range(L))
    print(f"pairs in the programs: {entries:,}, in all balls: {problems.balls.pairs(problems.classes):,.0f}")


def fitted(data: pd.DataFrame, response: str, eps: float, options: dict[str, Any]) -> None:
    start = clock()
    fit = pc.fit(f"{response} ~ .", data, eps=eps, dissimilarity=pc.Euclidean(scale=False), candidates="train", progress=False, **options)
    print(f"fit({options}): {len(fit.prototypes)} prototypes, {fit.objective.value:.4f}, {fit.certificate}; {since(start)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=784)
    parser.add_argument("--held", type=int, default=25, help="rows in a ball")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--gigabytes", type=float, help="address space beyond the data")
    parser.add_argument("--integer", action="store_true", help="also add what a better cover may have")
    parser.add_argument("--fit", action="store_true", help="also fit(solver='exact'), which lists all balls where they fit")
    parser.add_argument("--usps", action="store_true", help="USPS at three radii, in place of made data")
    given = parser.parse_args()
    if given.usps:
        usps = pc.fetch_data("usps")
        data, response, radii = usps[usps.split == "train"].drop(columns="split"), "digit", [5.45, 10.0, 12.07]
    else:
        data, response = made(given.rows, given.columns), "y"
        radii = [radius(predictors(data), given.held)]
    solve(data.sample(min(len(data), 1000), random_state=0), response, radii[0], 60.0, given.integer)  # compiles
    before = status("VmRSS")
    if given.gigabytes:
        resource.setrlimit(resource.RLIMIT_AS, (status("VmSize") + int(given.gigabytes * 2**30), -1))
    for eps in radii:
        solve(data, response, eps, given.seconds, given.integer)
        if given.fit:
            fitted(data, response, eps, {"solver": "exact", "time_limit": given.seconds})
    print(f"peak memory beyond the data: {(status('VmHWM') - before) / 2**30:.2f} GB")


if __name__ == "__main__":
    main()
