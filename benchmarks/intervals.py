"""Level of the tests and coverage of the intervals of `compare`: python benchmarks/intervals.py

1-NN on 60 rows in ten folds, on either of two pairs of columns that carry as much information, so that the two rules have the
same error in truth: none, some, and much of it. "rejects" is the share of replicates in which a test at 5 % says that they
differ, "covers" that of 95 % intervals that hold the true error (its mean over training sets of 60 rows). With --nested also
the nested cross-validation of Bates, Hastie and Tibshirani (2024), over so many draws of the folds.

With --one-split, McNemar's test of two such 1-NN rules on one split, as a test of the methods: how often it rejects that they have
the same error, by the numbers of training and test rows, in four worlds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np
from scipy import stats
from scipy.spatial.distance import cdist

from protoclass.analysis.comparison import (
    Design,
    error_interval,
    mean_over_splits,
    student_interval,
)
from protoclass.core.parallel import kernel
from protoclass.core.statistics.intervals import wilson

ROWS, FOLDS, REPEATS, SPLITS, HELD, NEW = 60, 10, 10, 30, 20, 2000
SHIFTS = {"no information": 0.0, "some information": 1.0, "much information": 2.5}


@kernel
def draw_folds(y, folds):  # type: ignore[no-untyped-def]
    """Stratified folds, as `core.statistics.folds.stratified` draws them."""
    fold = np.empty(len(y), np.int64)
    fold[np.argsort(np.random.random(len(y)) + y)] = np.arange(len(y)) % folds
    return fold


@kernel
def held_out(D, y, fold, left_out):  # type: ignore[no-untyped-def]
    """Whether 1-NN is wrong on each row, learned without its fold and without the fold `left_out`; 0 in the latter."""
    wrong = np.zeros(len(y))
    for i in range(len(y)):
        if fold[i] == left_out:
            continue
        least, at = np.inf, -1
        for j in range(len(y)):
            if fold[j] != fold[i] and fold[j] != left_out and D[i, j] < least:
                least, at = D[i, j], j
        wrong[i] = y[at] != y[i]
    return wrong


@kernel
def nested(D, y, folds, draws):  # type: ignore[no-untyped-def]
    """Nested cross-validation (Algorithm 1): mean inner error, its squared errors a and their noise b, and the plain CV error.

    For each of two methods, whose distances are D (2, n, n), the first one's error and the difference.
    """
    out = np.zeros((2, 4))
    for _ in range(draws):
        fold = draw_folds(y, folds)
        first, second = held_out(D[0], y, fold, -1), held_out(D[1], y, fold, -1)
        for f in range(folds):
            inner_first, inner_second = held_out(D[0], y, fold, f), held_out(D[1], y, fold, f)
            for m in range(2):
                outer = (first - m * second)[fold == f]
                inner = (inner_first - m * inner_second)[fold != f].mean()
                noise = ((outer - outer.mean()) ** 2).sum() / (len(outer) - 1) / len(outer)
                out[m] += np.array([inner, (inner - outer.mean()) ** 2, noise, outer.mean()]) / (folds * draws)
    return out


@kernel
def replicate(seed, shift, draws):  # type: ignore[no-untyped-def]
    """Held-out errors of both methods over repeated folds, (2, repeats, n); the folds; over random splits; nested."""
    np.random.seed(seed)
    y = np.random.permutation(np.arange(ROWS) % 2)
    X = np.random.normal(0, 1, (ROWS, 4)) + shift * y.reshape(-1, 1)
    D = np.empty((2, ROWS, ROWS))
    for m in range(2):
        for i in range(ROWS):
            for j in range(ROWS):
                D[m, i, j] = ((X[i, 2 * m : 2 * m + 2] - X[j, 2 * m : 2 * m + 2]) ** 2).sum()
    wrong, folds = np.empty((2, REPEATS, ROWS)), np.empty((REPEATS, ROWS), np.int64)
    for r in range(REPEATS):
        folds[r] = draw_folds(y, FOLDS)
        for m in range(2):
            wrong[m, r] = held_out(D[m], y, folds[r], -1)
    splits = np.empty((2, SPLITS))
    for s in range(SPLITS):
        third = draw_folds(y, 3)
        for m in range(2):
            splits[m, s] = held_out(D[m], y, np.minimum(third, 1), -1)[third == 0].mean()
    new = np.zeros(2)
    for i in range(NEW):
        x = np.random.normal(0, 1, 4) + shift * (i % 2)
        for m in range(2):
            least, at = np.inf, -1
            for j in range(ROWS):
                d = ((x[2 * m : 2 * m + 2] - X[j, 2 * m : 2 * m + 2]) ** 2).sum()
                if d < least:
                    least, at = d, j
            new[m] += (y[at] != i % 2) / NEW
    return wrong, folds, splits, nested(D, y, FOLDS, draws), new


def pooled_t(errors: np.ndarray) -> tuple[float, float]:
    """Bouckaert and Frank's interval, which counts all folds of all repeats as splits."""
    n = errors.size
    half = stats.t.ppf(0.975, n - 1) * np.sqrt((1 / n + 1 / (FOLDS - 1)) * errors.var(ddof=1))
    return errors.mean() - half, errors.mean() + half


def nested_interval(found: np.ndarray, lost: np.ndarray) -> tuple[float, float]:
    """The interval of nested cross-validation, with its bounds on the standard error and its correction of the bias."""
    inner, a, b, plain = found
    se = lost.std(ddof=1) / np.sqrt(ROWS)
    half = stats.norm.ppf(0.975) * np.sqrt((FOLDS - 1) / FOLDS)
    half *= np.clip(np.sqrt(max(a - b, 0)), se, np.sqrt(FOLDS) * se)
    middle = inner - (1 + (FOLDS - 2) / FOLDS) * (inner - plain)
    return middle - half, middle + half


def ends(wrong: np.ndarray, folds: np.ndarray, splits: np.ndarray, found: np.ndarray, difference: bool) -> Iterator:
    """The intervals by name: of the first method's error, or of the difference."""
    lost = wrong[0] - wrong[1] if difference else wrong[0]
    errors = np.array([np.bincount(f, x) / np.bincount(f) for f, x in zip(folds, lost, strict=True)])
    ratio, size, beyond = 1 / (FOLDS - 1), ROWS / FOLDS, splits[0] - splits[1] if difference else splits[0]
    thirds = Design(HELD / (ROWS - HELD))
    if not difference:
        yield "Wilson, rows as independent", wilson(errors[0].mean(), ROWS)
        for r in (1, 2, REPEATS):
            part = errors[:r].ravel()
            yield f"compare, {r} x 10 folds", error_interval(part, Design(ratio, r), np.full(part.size, size))
        yield f"compare, {SPLITS} random splits", error_interval(beyond, thirds, np.full(SPLITS, HELD))
    for r in (1, 2, REPEATS):
        name = "compare, " if difference else "corrected t, "
        yield f"{name}{r} x 10 folds", student_interval(mean_over_splits(errors[:r].ravel(), Design(ratio, r)))
    yield f"pooled corrected t, {REPEATS} x 10 folds", pooled_t(errors)
    if difference:
        yield f"compare, {SPLITS} random splits", student_interval(mean_over_splits(beyond, thirds))
    if found.any():
        yield "nested cross-validation", nested_interval(found[int(difference)], lost[0])


def mcnemar(wrong: np.ndarray) -> float:
    """p-value of the exact test on the rows of the first repeat."""
    a, b = (int((wrong[m, 0] > wrong[1 - m, 0]).sum()) for m in (0, 1))
    return float(stats.binomtest(a, a + b).pvalue) if a + b else 1.0


def split_once(draw: np.random.Generator, world: str, train: int, new: int) -> np.ndarray:
    """Whether 1-NN on each pair of columns is wrong on each new row, (2, new)."""
    n = train + new
    y = draw.random(n) < (0.1 if world == "rare class" else 0.5)
    spread = np.where(y, 1.0, 3.0) if world == "unequal spread" else np.ones(n)
    X = draw.normal(size=(n, 4)) * spread[:, None] + {"noise": 0.0, "unequal spread": 0.0}.get(world, 1.5) * y[:, None]
    near = [cdist(X[train:, at], X[:train, at]).argmin(axis=1) for at in (slice(0, 2), slice(2, 4))]
    return np.array([y[:train][place] != y[train:] for place in near])


def one_split(replicates: int) -> None:
    for world in ("noise", "equal spread", "unequal spread", "rare class"):
        for train, new in ((60, 30), (300, 300), (300, 1200)):
            wrong = [split_once(np.random.default_rng(seed), world, train, new) for seed in range(replicates)]
            rejected = np.mean([mcnemar(w[:, None].astype(float)) < 0.05 for w in wrong])
            print(f"{world}, {train} + {new} rows: McNemar's test of the methods rejects {rejected:.3f}", flush=True)


def main(replicates: int, draws: int) -> None:
    for name, shift in SHIFTS.items():
        start = time.perf_counter()
        drawn = [replicate(seed, shift, draws) for seed in range(replicates)]
        truth = float(np.mean([d[4] for d in drawn]))
        print(f"\n{name}: error {truth:.3f} in truth, {replicates} replicates, {time.perf_counter() - start:.0f} s")
        rejected = np.mean([mcnemar(d[0]) < 0.05 for d in drawn])
        print(f"{'McNemar, rows as independent':47} rejects {rejected:.3f}")
        for difference, target in ((True, 0.0), (False, truth)):
            held: dict[str, list[tuple[float, float]]] = {}
            for wrong, folds, splits, found, _ in drawn:
                for key, pair in ends(wrong, folds, splits, found, difference):
                    held.setdefault(key, []).append(pair)
            for key, pairs in held.items():
                low, high = np.array(pairs).T
                covers = np.mean((low <= target) & (target <= high))
                missing = np.mean(np.isnan(low))  # no spread: the test of a difference does not reject
                told = f"rejects {1 - covers - missing:.3f}" if difference else f"covers  {covers:.3f}"
                print(
                    f"{'difference' if difference else 'error':10} {key:36} {told}, width {np.nanmean(high - low):.3f}"
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument(
        "--nested", type=int, default=0, help="draws of the folds for nested cross-validation; 0 leaves it out"
    )
    parser.add_argument("--one-split", action="store_true", help="McNemar's test on one split as a test of methods")
    options = parser.parse_args()
    if options.one_split:
        one_split(options.replicates)
    else:
        main(options.replicates, options.nested)
