"""Two checkouts in turn: python benchmarks/beside.py OLD [NEW] [--runs 5] [--only CASE ...] [--large]

OLD and NEW (this checkout by default) are folders with a package `protoclass`. Each case runs in fresh processes, once of each
checkout per turn, the two in alternating order, as machines drift. The least wall time, the least CPU time and the lowest peak of the
process count. Both must give the same answer.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cases
import numpy as np
import pandas as pd

import protoclass as pc

HERE = Path(__file__).resolve().parent
Work = Callable[[], Any]


def fingerprint(answer: Any) -> str:
    """A text that is the same for equal answers: fits by their prototypes and predictions, tables by their values."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, pc.Fit):
        answer = pd.concat([answer.prototypes["class"].astype(str), answer.predict().astype(str)])
    if type(answer).__name__ == "Comparison":
        answer = answer.table[["error", "prototypes"]]
    return hashlib.sha256(pd.DataFrame(answer).to_csv().encode()).hexdigest()[:12]


def pima() -> pd.DataFrame:
    return pd.read_csv(Path(os.environ["PROTOCLASS_DATA"]) / "pima_diabetes.csv")


def fit_of(formula: str, data: pd.DataFrame, method: str = "pvm", **options: Any) -> Work:
    """A fit, after one to some of the rows, which compiles."""
    pc.fit(formula, data.iloc[:: max(1, len(data) // 400)], method, progress=False, **options)
    return lambda: pc.fit(formula, data, method, progress=False, **options)


def usps(**options: Any) -> Work:
    data = pc.fetch_data("usps")
    data = data[data.split == "train"].drop(columns="split")
    return fit_of("digit ~ .", data, dissimilarity=pc.Euclidean(scale=False), **options)


def comparison(name: str, formula: str, methods: Any, **options: Any) -> Work:
    data = pc.load_data(name)
    pc.compare(formula, data.iloc[::5], methods, cv=3, progress=False)
    return lambda: pc.compare(formula, data, methods, progress=False, **options)


def importance() -> Work:
    fit = pc.fit("digit ~ .", pc.load_data("digits"), progress=False)
    fit.importance(resamples=1, variables=["pixel_0_3"], progress=False)
    return lambda: fit.importance(progress=False)


def exact(**options: Any) -> Work:
    data = pima()
    pc.cross_validate("diabetes ~ .", data.iloc[::8], solver="exact", progress=False, **options)
    return lambda: pc.cross_validate("diabetes ~ .", data, solver="exact", progress=False, **options).table[["error", "size"]]


def script(code: str) -> Work:
    """A fresh process, in a folder without a package of this name."""
    command, folder = [sys.executable, "-c", code], tempfile.gettempdir()
    return lambda: subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout


def first_fit() -> Work:
    return script('import protoclass as pc; f = pc.fit("species ~ .", pc.load_data("iris")); print(str(f) and f.prototypes.index.tolist())')


def predict_one() -> Work:
    """One row, by a slim saved fit."""
    path = Path(tempfile.mkdtemp()) / "iris.pvm"
    iris = pc.load_data("iris")
    pc.fit("species ~ .", iris, progress=False).slim().save(path)
    iris.iloc[[0]].to_csv(path.with_suffix(".csv"), index=False)
    read = f"pd.read_csv({str(path.with_suffix('.csv'))!r})"
    return script(f"import pandas as pd, protoclass as pc; print(pc.load({str(path)!r}).predict({read}).tolist())")


def from_parquet() -> Work:
    """300,000 x 15, of which five are categories, by Gower from a lazy table."""
    import polars as pl

    path, draw, n = Path(tempfile.mkdtemp()) / "mixed.parquet", np.random.default_rng(0), 300_000
    data = pd.DataFrame(draw.normal(size=(n, 10)), columns=[f"x{k}" for k in range(10)])
    data["y"] = np.where(data.x0 + data.x1 * data.x2 + draw.normal(size=n) > 0, "p", "q")
    data.assign(**{f"g{k}": draw.choice(list("xyzuvw")[: 3 + k % 3], n) for k in range(5)}).to_parquet(path)
    del data
    lazy = pl.scan_parquet(path)
    pc.fit("y ~ .", lazy.head(500).collect(), progress=False)
    return lambda: f"{len(pc.fit('y ~ .', lazy, progress=False).prototypes)} prototypes"


# one draw of the inner folds, which is the default of compare
PVM_ONCE = {"method": "pvm", "repeats": 1}
THREE = {"pvm": PVM_ONCE, "knn": "knn", "kmedoids": "kmedoids"}
FIVE = THREE | {"scm": "scm", "centroids": "centroids"}
CASES: dict[str, Callable[[], Work]] = {
    "first fit of iris, fresh process": first_fit,
    "a saved slim fit predicts 1 row, fresh process": predict_one,
    "USPS at one eps, frame to Fit": lambda: usps(eps=5.45),
    "USPS, 10 folds x 20 radii and the fit": usps,
    "20,000 x 6, default fit": lambda: cases.default_fit(20_000, 6),
    "20,000 x 8, of which 2 categories, default fit": lambda: cases.default_fit(20_000, 8, 2),
    "100,000 x 2, one eps": lambda: cases.one_eps(100_000, 2, 39),
    "200,000 x 20, default fit": lambda: cases.default_fit(200_000, 20),
    "digits, median GLVQ, 50 prototypes": lambda: fit_of("digit ~ .", pc.load_data("digits"), "medianglvq", K=5, matrix="none"),
    "breast cancer, median GLVQ, default grid": lambda: fit_of("diagnosis ~ .", pc.load_data("breast_cancer"), "medianglvq"),
    "digits, k-medoids": lambda: cases.default_method("digits", "kmedoids"),
    "digits, set covering machine": lambda: cases.default_method("digits", "scm"),
    "digits, importance()": importance,
    "breast cancer, compare() of five methods, cv=10": lambda: comparison("breast_cancer", "diagnosis ~ .", FIVE, cv=10),
    "digits, compare() of three methods, ten splits": lambda: comparison("digits", "digit ~ .", THREE, test_size=1 / 3, repeats=10),
    "Pima, exact, 10 folds at one radius": lambda: exact(eps=2.0),
}
LARGE: dict[str, Callable[[], Work]] = {
    "Pima, exact, 10 folds x 20 radii": exact,
    "300,000 x 15, mixed columns (Gower), from parquet": from_parquet,
}


def measure(name: str) -> dict[str, Any]:
    """Seconds of this process and its children, and the peak of either (GiB)."""
    warnings.simplefilter("ignore")
    work = (CASES | LARGE)[name]()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    start = time.perf_counter()
    answer = work()
    wall = time.perf_counter() - start
    now = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(used, now, strict=True))
    peak = now[1].ru_maxrss if now[1].ru_maxrss else now[0].ru_maxrss
    return {"wall": wall, "cpu": cpu, "peak": peak / 2**20, "answer": fingerprint(answer)}


def run(name: str, checkout: Path) -> dict[str, Any]:
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run([sys.executable, str(Path(__file__).resolve()), "--case", name], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{checkout}, {name}: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def in_turn(name: str, checkouts: list[Path], runs: int) -> str:
    """A line of the table."""
    found: dict[Path, list[dict[str, Any]]] = {checkout: [] for checkout in checkouts}
    for turn in range(runs):
        for checkout in checkouts if turn % 2 else checkouts[::-1]:
            found[checkout].append(run(name, checkout))
    answers = {outcome["answer"] for outcomes in found.values() for outcome in outcomes}
    least = [[min(outcome[what] for outcome in outcomes) for outcomes in found.values()] for what in ("wall", "cpu", "peak")]
    cells = [f"{old:.3g} | {new:.3g} | {new / old:.2f}" for old, new in least]
    return f"| {name} | {' | '.join(cells)} | {'yes' if len(answers) == 1 else 'NO'} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path, metavar="CHECKOUT")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=[], metavar="CASE", help="cases whose names contain one of these texts")
    parser.add_argument("--large", action="store_true", help="also what takes minutes")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measure(options.case)))
        return
    old, new = [*options.checkouts, HERE.parent][:2]
    lines = [
        f"Lowest of {options.runs} alternating runs of {commit(old)} and {commit(new)}, each in a new process. "
        "\"Same\": prototypes, predictions, errors or printed text.\n",
        "| what | wall, old (s) | new | ratio | CPU, old (s) | new | ratio | peak of the process, old (GiB) | new | ratio | same |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for name in CASES | LARGE if options.large else CASES:
        if not options.only or any(text in name for text in options.only):
            print(in_turn(name, [old.resolve(), new.resolve()], options.runs), flush=True)


def commit(checkout: Path) -> str:
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
