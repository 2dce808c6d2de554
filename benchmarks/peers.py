"""Other packages beside this one: python benchmarks/peers.py --alibi PYTHON --kmedoids PYTHON --prosemble PYTHON

Each PYTHON is the interpreter of an environment of its own, with the package and scikit-learn (`prosemble[jax]` for prosemble), as
their requirements exclude one another; a package without interpreter is left out, scikit-learn runs here. The work of either
side is the same: digits (1,797 x 64) or USPS (7,291 x 256) in memory, one warm-up on a tenth of the rows, then the two in turn.
The median seconds of the runs, and an answer of each. With --write the table goes to PEERS.md beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve()
Work = Callable[[np.ndarray, np.ndarray], str]
EPS = {"digits": 20.0, "usps": 5.45}  # radii of PVM and of ProtoSelect, which is the same greedy cover
MEDOIDS, OF_CLASS = 100, 5


def frame(X: np.ndarray, y: np.ndarray) -> Any:
    import pandas as pd

    return pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])]).assign(y=pd.Categorical(y))


def fitted(method: str, **options: Any) -> Work:
    """A fit of this package, from frame to Fit, on the columns as they are."""

    def work(X: np.ndarray, y: np.ndarray) -> str:
        import protoclass as pc

        fit = pc.fit("y ~ .", frame(X, y), method, dissimilarity=pc.Euclidean(scale=False), candidates="train", progress=False, **options)
        return f"{len(fit.prototypes)} prototypes, {100 * (fit.predict().to_numpy() != y).mean():.1f} % wrong"

    return work


def medoids(X: np.ndarray, y: np.ndarray) -> str:
    """Swaps from the start of `fasterpam`; the distances are part of the work on either side."""
    import protoclass as pc
    from protoclass.core.vectors.medoids import block, swap_medoids

    D = pc.dissimilarity("~ . - y", frame(X, y), pc.Euclidean(scale=False)).to_frame().to_numpy()
    n = len(D)
    start = np.random.default_rng(0).permutation(n)[:MEDOIDS]
    return f"mean distance {swap_medoids(block(D, np.ones(n), np.arange(n)), start).loss / n:.3f}"


def protoselect(X: np.ndarray, y: np.ndarray) -> str:
    from alibi.prototypes import ProtoSelect
    from alibi.utils.kernel import EuclideanDistance

    chosen = ProtoSelect(EuclideanDistance(), eps=EPS["usps" if len(X.T) == 256 else "digits"]).fit(X, y)
    found = chosen.summarise(num_prototypes=len(X))
    from sklearn.neighbors import KNeighborsClassifier

    nearest = KNeighborsClassifier(1).fit(found.data["prototypes"], found.data["prototype_labels"])
    return f"{len(found.data['prototypes'])} prototypes, {100 * (nearest.predict(X) != y).mean():.1f} % wrong"


def fasterpam(X: np.ndarray, y: np.ndarray) -> str:
    import kmedoids
    from sklearn.metrics import pairwise_distances

    D = pairwise_distances(X.astype(float))
    start = np.random.default_rng(0).permutation(len(D))[:MEDOIDS]
    found = kmedoids.fasterpam(D, start.astype(np.uintp), n_cpu=1)
    return f"mean distance {found.loss / len(D):.3f}"


def prosemble(name: str) -> Work:
    def work(X: np.ndarray, y: np.ndarray) -> str:
        from prosemble import models

        top = X.max()
        model = getattr(models, name)(n_prototypes_per_class=OF_CLASS, random_seed=0).fit(X / top, y)
        return f"{OF_CLASS * len(set(y))} prototypes, {100 * (np.asarray(model.predict(X / top)) != y).mean():.1f} % wrong"

    return work


def neighbours(X: np.ndarray, y: np.ndarray) -> str:
    from sklearn.neighbors import KNeighborsClassifier

    return f"{100 * (KNeighborsClassifier(5).fit(X, y).predict(X) != y).mean():.1f} % wrong"


CASES: dict[str, tuple[str, str, Work, str, Work]] = {  # words: data, ours, package, theirs
    "PVM at one eps, digits": ("digits", "pvm", fitted("pvm", eps=EPS["digits"]), "alibi", protoselect),
    "PVM at one eps, USPS": ("usps", "pvm", fitted("pvm", eps=EPS["usps"]), "alibi", protoselect),
    f"k-medoids, K = {MEDOIDS}, USPS, from columns": ("usps", "kmedoids", medoids, "kmedoids", fasterpam),
    f"median LVQ, {OF_CLASS} a class, digits": (
        "digits", "medianglvq", fitted("medianglvq", K=OF_CLASS, matrix="none"), "prosemble", prosemble("MedianLVQ")
    ),
    f"matrix LVQ, {OF_CLASS} a class, digits": (
        "digits", "medianglvq, one matrix", fitted("medianglvq", K=OF_CLASS, matrix="full"), "prosemble", prosemble("GMLVQ")
    ),
    "k-NN, k = 5, USPS": ("usps", "knn", fitted("knn", k=5), "scikit-learn", neighbours),
}  # fmt: skip


def measure(case: str, side: int, path: str) -> None:
    """Seconds and answer of one side of a case, after a warm-up, as a line of JSON."""
    with np.load(path) as data:
        X, y = data["X"], data["y"]
    work = CASES[case][2 if side == 0 else 4]
    work(X[::10], y[::10])
    start = time.perf_counter()
    answer = work(X, y)
    print(json.dumps([time.perf_counter() - start, answer]))


def save(name: str, folder: Path) -> Path:
    path = folder / f"{name}.npz"
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
    else:
        import protoclass as pc

        data = pc.fetch_data("usps")
        data = data[data.split == "train"].drop(columns="split")
        X, y = data.drop(columns="digit").to_numpy(float), data["digit"].astype(int).to_numpy()
    np.savez(path, X=X, y=y)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("alibi", "kmedoids", "prosemble"):
        parser.add_argument(f"--{name}", metavar="PYTHON")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[], metavar="CASE", help="cases whose names contain one of these texts")
    parser.add_argument("--write", action="store_true", help="write PEERS.md")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        case, side, path = options.measure
        measure(case, int(side), path)
        return
    python = {"scikit-learn": sys.executable} | {name: getattr(options, name) for name in ("alibi", "kmedoids", "prosemble")}
    command = "python benchmarks/peers.py " + " ".join("PYTHON" if a in python.values() else a for a in sys.argv[1:])
    lines = [
        "# Beside other packages\n",
        f"`{command}`, {datetime.date.today()}, {platform.machine()}, Python {platform.python_version()}.",
        f"Median of {options.runs} runs in turn, each in a new process. \"Wrong\": training rows that are misclassified.\n",
        "| work | protoclass (s) | package | its time (s) | ratio | answer of protoclass | of the package |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for case, (name, ours, _, package, _) in CASES.items():
            if python[package] is None or (options.only and not any(text in case for text in options.only)):
                continue
            path = save(name, Path(folder))
            found: list[list[list[Any]]] = [[], []]
            for turn in range(options.runs):
                for side in (0, 1) if turn % 2 else (1, 0):
                    interpreter = python[package] if side else sys.executable
                    call = [interpreter, str(HERE), "--measure", case, str(side), str(path)]
                    done = subprocess.run(call, capture_output=True, text=True)
                    if done.returncode:
                        raise SystemExit(f"{case}, {package if side else 'protoclass'}: {done.stderr.strip().splitlines()[-1]}")
                    found[side].append(json.loads(done.stdout.splitlines()[-1]))
            took, theirs = (statistics.median(seconds for seconds, _ in runs) for runs in found)
            answers = " | ".join(runs[0][1] for runs in found)
            lines.append(f"| {case} ({ours}) | {took:.3g} | {package} | {theirs:.3g} | {took / theirs:.3f} | {answers} |")
            print(lines[-1], flush=True)
    if options.write:
        HERE.with_name("PEERS.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
