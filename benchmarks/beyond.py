"""Fits of rows that are read from files: python benchmarks/beyond.py (--help)

A folder of parquet files with made rows of 20 columns (`made.py`) is fitted and predicted in processes of their own, under a limit
of the operating system on the memory that is not a file's (RLIMIT_DATA). "distances" is one pass that compares every row with every
candidate by the screened kernel, the rows in memory: what no fit can do without. With --workers the rows stay on as many processes
of a Dask cluster; messages and rounds are counted. With --write the table goes to BEYOND.md beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import json
import pickle
import platform
import resource
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

HERE = Path(__file__).resolve().parent
COLUMNS, FILES = 20, 10
BALL = 0.0015  # share of the rows in a ball


def write_files(folder: Path, n: int) -> None:
    """Parquet files of n rows in all, each with other rows of the same classes."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = -(-n // FILES)
    whole = made(min(n, 1_000_000), COLUMNS)
    for k in range(FILES):
        first = k * rows % len(whole)
        part = pd.concat([whole.iloc[first : first + rows], whole.iloc[: max(0, first + rows - len(whole))]])
        if n > len(whole):  # the same rows moved by noise of their own
            draw = np.random.default_rng(k)
            part = part.assign(**{c: part[c] + draw.normal(0, 0.05, len(part)) for c in part.columns[:-1]})
        part.iloc[: min(rows, n - k * rows)].reset_index(drop=True).to_parquet(folder / f"part{k}.parquet")


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


def files(folder: str) -> list[Path]:
    return sorted(Path(folder).glob("*.parquet"))


def distances(folder: str, eps: float, m: int) -> dict[str, Any]:
    """One pass over all pairs, by the screened kernel."""
    from protoclass.core.coding import Coding, bins_for
    from protoclass.core.parallel import each

    data = pd.read_parquet(folder)
    d = pc.dissimilarity("y ~ .", data)
    some = np.sort(np.random.default_rng(0).choice(len(data), m, replace=False))
    source = d.__class__(d.metric, d.data, d.rows, tuple(a[some] for a in d.rows), d.index[some], some).source(hold=False)
    coding = Coding(np.array([eps]), bins_for(len(data) * m))
    start, before = time.perf_counter(), time.process_time()
    inside = 0
    for count in each(lambda t: int((source.codes(t.rows, t.columns, coding) == 0).sum()), source.tiles(coding), len(data) * m):
        inside += count
    took = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - before}
    return {**took, "note": f"{inside / m / len(data):.4f} of the rows in a ball"}


def fit_and_predict(folder: str, m: int, workers: int, **given: Any) -> dict[str, Any]:
    """Fit the files and predict their rows."""
    options = {"candidates": m, "progress": False, **given}
    if not workers:
        return timed(folder, options, lambda fit: fit.predict(files(folder)), time.process_time)
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        client.run(import_all)
        return timed(
            folder, {**options, "client": client}, lambda fit: fit.predict(),
            lambda: time.process_time() + sum(client.run(time.process_time).values()),
        )  # fmt: skip


def import_all() -> None:
    import protoclass.core.setcover.solvers  # noqa: F401 - what a worker imports once


def counted() -> list[int]:
    """The bytes of what is sent to each part from now on, one for each time that all parts are asked."""
    from protoclass.cluster import ClusterParts

    ask, sizes = ClusterParts.map, []

    def ask_and_count(self: Any, work: Any, *shared: Any, each: Any = None) -> Any:
        answers = ask(self, work, *shared, each=each)
        sizes.append(sum(len(pickle.dumps(own)) for own in each or ()) + len(pickle.dumps(answers)))
        return answers

    ClusterParts.map = ask_and_count  # type: ignore[method-assign]
    return sizes


def timed(folder: str, options: dict[str, Any], predict: Any, processor: Any) -> dict[str, Any]:
    sizes = counted()
    start, before = time.perf_counter(), processor()
    fit = pc.fit("y ~ .", files(folder), **options)
    middle, between = time.perf_counter(), processor()
    asked = len(sizes), sum(sizes)
    predict(fit)
    end, after = time.perf_counter(), processor()
    note = f"{len(fit.prototypes)} prototypes, training error {fit.training_error():.3f}"
    if asked[0]:
        note += f"; the workers were asked {asked[0]} times, {asked[1] / 1e6:.3g} MB in all"
    return {"seconds": middle - start, "cpu": between - before, "predict": end - middle, "predict_cpu": after - between, "note": note}


def case(name: str, given: dict[str, Any], limit: float) -> dict[str, Any]:
    """A case in a process of its own, under a limit in GB beyond what its imports take."""
    command = [sys.executable, str(Path(__file__).resolve()), "--case", json.dumps([name, given, limit])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return {"note": "ended: " + (done.stderr.strip().splitlines() or [f"code {done.returncode}"])[-1][:150]}
    return json.loads(done.stdout.splitlines()[-1])


def run_case(name: str, given: dict[str, Any], limit: float) -> None:
    pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, progress=False)  # what every first fit imports
    if limit:
        used = next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmData:"))
        resource.setrlimit(resource.RLIMIT_DATA, (used * 1024 + int(limit * 2**30),) * 2)
    if name == "distances":
        print(json.dumps(distances(**given)))
        return
    before, peak = anonymous(), Peak()
    peak.start()
    found = fit_and_predict(**given)
    peak.over = True
    print(json.dumps({**found, "gigabytes": (peak.bytes - before) / 2**30}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--candidates", type=int, default=10_000)
    parser.add_argument("--limit", type=float, default=2.0, help="GB of memory beyond what the imports take; 0 for none")
    parser.add_argument("--workers", type=int, nargs="*", default=[0], help="0: no cluster")
    parser.add_argument("--curve", action="store_true", help="ten folds and twenty radii as well")
    parser.add_argument("--folder", type=Path, help="where the files are, or are to be made")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        run_case(*json.loads(given.case))
        return
    command = "python benchmarks/beyond.py " + " ".join(a for a in sys.argv[1:] if not a.startswith("/"))
    print(f"`{command}`, {datetime.date.today()}, {platform.machine()}, Python {platform.python_version()}", flush=True)
    with tempfile.TemporaryDirectory() as made_here:
        folder = given.folder or Path(made_here)
        if not list(folder.glob("*.parquet")):
            write_files(folder, given.rows)
        some = pd.read_parquet(folder / "part0.parquet").iloc[:100_000]
        scaled = (some.drop(columns="y") / some.drop(columns="y").std()).to_numpy()
        eps = radius(scaled, max(2, int(BALL * len(scaled))))
        common = {"folder": str(folder), "m": given.candidates}
        print("| case | seconds | of processor | predict | of processor | GB | |\n|---|---|---|---|---|---|---|", flush=True)
        alone = case("distances", {**common, "eps": eps}, 0)
        print(row("distances alone", alone), flush=True)
        for workers in given.workers:
            where = f"{workers} workers" if workers else "one process"
            print(row(f"one eps, {where}", case("fit", {**common, "workers": workers, "eps": eps}, given.limit)), flush=True)
            if given.curve:
                print(row(f"10 folds x 20 radii, {where}", case("fit", {**common, "workers": workers}, given.limit)), flush=True)


def row(name: str, found: dict[str, Any]) -> str:
    cells = [f"{found[key]:.3g}" if key in found else "" for key in ("seconds", "cpu", "predict", "predict_cpu", "gigabytes")]
    return "| " + " | ".join([name, *cells, found["note"]]) + " |"


if __name__ == "__main__":
    main()
