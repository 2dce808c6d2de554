"""What `predict_to` takes beside the comparisons alone: python benchmarks/written.py (--help)

Both are cases of `cases.py`, run by turns in one process, so that other work of the machine falls on both: the classes of rows that are
prepared in memory, and the same rows from a parquet file with a key column to a parquet file. Medians over the turns.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
from cases import Work, compared, written
from scale import ROWS


def took(work: Work) -> tuple[float, float]:
    """Seconds, and seconds of processor."""
    start, before = time.perf_counter(), os.times()
    work()
    after = os.times()
    return time.perf_counter() - start, after.user + after.system - before.user - before.system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--turns", type=int, default=7)
    given = parser.parse_args()
    works = [case(given.rows, given.columns, ROWS) for case in (compared, written)]
    print(works[0](), flush=True)
    times = np.array([[took(work) for work in works] for _ in range(given.turns)])  # (turns, works, kinds of seconds)
    for k, what in enumerate(("seconds", "seconds of processor")):
        alone, whole = np.median(times[:, :, k], axis=0)
        ratio = np.quantile(times[:, 1, k] / times[:, 0, k], [0.25, 0.5, 0.75])
        print(f"{what}: comparisons {alone:.2f}, predict_to {whole:.2f}, ratio {ratio[1]:.2f} (quartiles {ratio[0]:.2f} to {ratio[2]:.2f})")


if __name__ == "__main__":
    main()
