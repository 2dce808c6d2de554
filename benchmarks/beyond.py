"""Many rows in files: python benchmarks/beyond.py [--rows 1000000] [--candidates 1000]

A folder of parquet files with made rows of 20 columns (`made.py`) is fitted and predicted, each case in a process of its own: all
columns read into memory and predictions written by `predict_to`, and a Dask DataFrame, of which a sample is learned from and all rows
are tested by partition, on the threads of the process. Seconds are those of the processor; GB are the largest memory that is not a
file's, above that of a session after its first fit.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from made import made, radius

import protoclass as pc

COLUMNS, FILES = 20, 10
BALL = 0.0015  # share of the rows in a ball


def write_files(folder: Path, n: int) -> None:
    """Parquet files of n rows in all, each with other rows of the same classes."""
    rows = -(-n // FILES)
    whole = made(min(n, 1_000_000), COLUMNS)
    for k in range(FILES):
        first = k * rows % len(whole)
        part = pd.concat([whole.iloc[first : first + rows], whole.iloc[: max(0, first + rows - len(whole))]])
        if n > len(whole):  # the same rows moved by noise of their own
            draw = np.random.default_rng(k)
            part = part.assign(**{c: part[c] + draw.normal(0, 0.05, len(part)) for c in part.columns[:-1]})
        part = part.iloc[: min(rows, n - k * rows)].reset_index(drop=True)
        part.assign(id=np.arange(k * rows, k * rows + len(part))).to_parquet(folder / f"part{k}.parquet")


class Peak(threading.Thread):
    """The largest memory of this process that is not a file's, looked at twenty times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.bytes, self.over = 0, False

    def run(self) -> None:
        while not self.over:
            self.bytes = max(self.bytes, anonymous())
            time.sleep(0.05)


def anonymous() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) * 1024


def from_files(folder: Path, **given: Any) -> tuple[Any, Any]:
    paths = sorted(folder.glob("*.parquet"))
    return (
        lambda: pc.fit("y ~ . - id", paths, progress=False, **given),
        lambda fit: fit.predict_to(paths, folder / "predicted.parquet", key="id", overwrite=True, progress=False),
    )


def of_dask(folder: Path, **given: Any) -> tuple[Any, Any]:
    import dask.dataframe as dd

    data = dd.read_parquet(folder / "part*.parquet")
    return lambda: pc.fit("y ~ . - id", data, progress=False, **given), lambda fit: fit.test(data)


CASES = {"files": from_files, "Dask": of_dask}


def run_case(name: str, folder: str, given: dict[str, Any]) -> None:
    pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, progress=False)  # what every first fit imports
    fit, predict = CASES[name](Path(folder), **given)
    before, peak = anonymous(), Peak()
    peak.start()
    start = time.process_time()
    fitted = fit()
    middle = time.process_time()
    predict(fitted)
    end = time.process_time()
    peak.over = True
    rows, error = len(fitted.frame), fitted._training_error
    print(json.dumps([rows, len(fitted.prototypes), middle - start, end - middle, (peak.bytes - before) / 2**30, error]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--candidates", type=int, default=1_000)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        run_case(*json.loads(given.case))
        return
    command = " ".join(["python benchmarks/beyond.py", *sys.argv[1:]])
    print(f"`{command}`, {datetime.date.today()}, {platform.machine()}, Python {platform.python_version()}\n")
    print("| case | rows learned from | prototypes | fit, s | answers for all rows, s | GB | training error |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), given.rows)
        some = pd.read_parquet(Path(folder) / "part0.parquet").iloc[:100_000].drop(columns=["y", "id"])
        eps = radius((some / some.std()).to_numpy(), max(2, int(BALL * len(some))))
        for name in CASES:
            case = json.dumps([name, folder, {"candidates": given.candidates, "eps": eps}])
            done = subprocess.run([sys.executable, __file__, "--case", case], capture_output=True, text=True, check=True)
            numbers = json.loads(done.stdout.splitlines()[-1])
            print(f"| {name} | {numbers[0]:,} | {numbers[1]} | {' | '.join(f'{value:.3g}' for value in numbers[2:])} |", flush=True)


if __name__ == "__main__":
    main()
