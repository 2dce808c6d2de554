"""Speed, as ratios to T in one run: python benchmarks/bench.py (or make bench)

T is scikit-learn's `pairwise_distances` on the 7291 x 256 USPS training images in float32. Every figure is the median of
runs taken in turn with runs of T, as machines drift. USPS comes from `fetch_data("usps")`: the folder that
PROTOCLASS_DATA names, else OpenML. Rows are printed as they are done, and the table is written to RESULTS.md beside this file
with --write. --large adds what takes minutes (60,000 x 784, 1,000,000 x 2 and 200,000 x 20); --only runs some of the groups.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from one_case import Outcome, run

import protoclass as pc
from protoclass.frames.frame import mold

HERE = Path(__file__).resolve().parent
MEMORY = """
import protoclass as pc

def status(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) / 2**20

data = pc.fetch_data("usps")
data = data[data.split == "train"].drop(columns="split").copy()
pc.fit("species ~ .", pc.load_data("iris"))
before = status("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # the peak is counted from here
pc.fit("digit ~ .", data, dissimilarity=pc.Euclidean(scale=False), {options})
print(status("VmHWM") - before)
"""
Row = tuple[str, str, str]  # what, measured, goal
MNIST = {"n": 60_000, "p": 784}
SHARE = 28  # rows of a ball with which about a tenth of the rows of this size are prototypes
LIMITS = {"seconds": 600.0, "gigabytes": 8.0}  # of a case with made data: longest run, and memory beyond the data
FIRST = 'import protoclass as pc; pc.fit("species ~ .", pc.load_data("iris"))'


def clock(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turn(work: Callable[[], object], yardstick: Callable[[], object], runs: int) -> tuple[float, float]:
    """Median seconds of the work and of the yardstick, run in turn after one warm-up of each."""
    work(), yardstick()
    pairs = [(clock(work), clock(yardstick)) for _ in range(runs)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def process(code: str, runs: int, **env: str) -> float:
    """Median seconds of a fresh process."""
    return statistics.median(
        clock(lambda: subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | env))
        for _ in range(runs)
    )


def peak(options: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY.format(options=options)], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def scm_and_svc() -> tuple[Callable[[], object], Callable[[], object]]:
    """10 folds of Pima: set covering machines (2 kinds x 20 penalties, stops to 30), and a grid of RBF machines (20 x 20)."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    pima = pc.fetch_data("pima")
    X = StandardScaler().fit_transform(pima.drop(columns="diabetes"))
    grid = {"gamma": np.geomspace(1e-4, 1, 20), "C": np.geomspace(0.05, 500, 20)}
    penalties = [*np.geomspace(0.25, 16, 19).tolist(), float("inf")]

    def machines() -> object:
        return pc.cross_validate("diabetes ~ .", pima, "scm", penalty=penalties, max_size=range(1, 31), progress=False)

    return machines, lambda: GridSearchCV(SVC(), grid, cv=10, n_jobs=-1).fit(X, pima["diabetes"])


def metrics(usps: pd.DataFrame) -> list[tuple[str, Callable[[], object], str]]:
    """Dissimilarities for real problems: (what, work, goal)."""
    from sklearn.decomposition import PCA

    random = np.random.default_rng(0)
    numbers = {f"a{k}": random.normal(size=5000) for k in range(10)}
    groups = {f"b{k}": random.choice(list("uvwxyz"), 5000) for k in range(10)}
    mixed = pd.DataFrame({**numbers, **groups}).mask(random.random((5000, 20)) < 0.05)
    gower = pc.dissimilarity("~ .", mixed, "gower", na="keep")
    both = pc.fetch_data("usps")
    train = (both.split == "train").to_numpy()
    Z = (
        PCA(30, random_state=0)
        .fit(both[train].drop(columns=["digit", "split"]))
        .transform(both.drop(columns=["digit", "split"]))
    )
    reduced = pd.DataFrame(Z, both.index).add_prefix("z").assign(digit=both.digit)
    seen = mold("digit ~ .", reduced[train])
    queries, _ = seen.again(reduced[~train])
    adaptive = pc.Adaptive(neighborhood=50, scale=False).train(seen)

    def local() -> object:
        return adaptive.between(adaptive.rows(queries), adaptive.rows(seen))

    folder = os.environ.get("PROTOCLASS_DATA")
    strings: list[tuple[str, Callable[[], object], str]] = []
    if folder is not None:  # OpenML has no such set
        members = pd.read_csv(Path(folder) / "scop_membership.csv.gz", dtype={"family": str})
        own = members[(members.family == "2.8") & (members.split == "train")]["sequence_id"].unique()
        proteins = pd.read_csv(Path(folder) / "scop_sequences.csv.gz").set_index("sequence_id").loc[own, ["sequence"]]
        kernel = pc.Mismatch(k=5, m=1, skip="Xx")
        name = f"mismatch kernel k = 5, m = 1 of {len(proteins)} proteins"
        strings = [(name, lambda: pc.dissimilarity("~ sequence", proteins, kernel).to_frame(), "<= 4 T")]
    return [
        *strings,
        ("two-sided tangent distances of all USPS pairs",
         lambda: pc.dissimilarity("digit ~ .", usps, pc.Tangent())._source(hold=True), "<= 20 T"),
        ("Gower of 5000 x 20 mixed rows with missing values, frame read", lambda: gower._source(hold=True), "<= 0.3 T"),
        ("adaptive distances of 2007 queries, 30 components", local, "<= 4 T"),
    ]  # fmt: skip


def medoids(X: np.ndarray) -> list[tuple[str, Callable[[], object], Callable[[], object], str]]:
    """k-medoids beside the package kmedoids on one thread, K = 100: (what, work, its work, goal)."""
    from sklearn.metrics import pairwise_distances

    from protoclass.core.vectors.medoids import begin, block, swap_medoids

    try:
        import kmedoids as package  # GPL: run beside ours where it is installed
    except ImportError:
        return []
    D, n = pairwise_distances(X), len(X)
    w, own, first = np.ones(n), np.arange(n), np.random.default_rng(0).permutation(n)[:100]
    problem = block(D, w, own)

    def theirs() -> object:
        return package.fasterpam(D, first.astype(np.uintp), n_cpu=1)

    def start(how: str) -> Callable[[], object]:
        return lambda: begin(problem, 100, how, np.random.default_rng(0))

    name = f"k-medoids, K = 100, of {n} USPS images, their distances given"
    against = "of {:.2f} s, package kmedoids (swaps alone)"
    return [
        (f"{name}: swaps from a random start", lambda: swap_medoids(block(D, w, own), first), theirs,
         "<= 0.4 of {:.2f} s, package kmedoids"),
        ("its start 'build' (PAM's BUILD)", start("build"), theirs, against),
        ("its start 'k-means++'", start("k-means++"), theirs, against),
    ]  # fmt: skip


def quantization(usps: pd.DataFrame) -> list[tuple[str, Callable[[], object], str]]:
    """Learning vector quantization of USPS with 200 code vectors, 40 passes over the images."""
    from protoclass.core.vectors.lvq import Learning, codebook, draw_rows, train_codes

    X, y = usps.drop(columns="digit").to_numpy(float), usps["digit"].cat.codes.to_numpy(np.int64)
    w, label = np.ones(len(X)), np.repeat(np.arange(10), 20)
    codes, rows = codebook(X, y, w, np.full(10, 20), "knn", 5, (0,))[0], draw_rows(w, 40 * len(X), (0,))
    model, raw = pc.LVQ(K=20, draws=40 * len(X) / 200), pc.Euclidean(scale=False)
    name = f"OLVQ1, 200 code vectors, 40 passes over {len(X)} USPS images"
    return [
        (f"{name}: the learning", lambda: train_codes(X, y, codes, label, rows, Learning("olvq1", 0.3)), "<= 2 T"),
        ("frame to Fit", lambda: pc.fit("digit ~ .", usps, model, dissimilarity=raw, progress=False), ""),
    ]


def digits_of_usps() -> pd.DataFrame:
    data = pc.fetch_data("usps")
    return data[data.split == "train"].drop(columns="split").copy()


def against_distances(
    items: list[tuple[str, Callable[[], object], str]], usps: pd.DataFrame, runs: int
) -> Iterator[Row]:
    """Rows of work that is timed in turn with T."""
    from sklearn.metrics import pairwise_distances

    X = usps.drop(columns="digit").to_numpy(np.float32)
    for what, work, goal in items:
        took, T = in_turn(work, lambda: pairwise_distances(X), runs)
        yield what, f"{took / T:.2f} T ({took:.2f} s; T = {T:.2f} s)", goal


def of_usps(runs: int, quick: bool) -> Iterator[Row]:
    usps, raw = digits_of_usps(), pc.Euclidean(scale=False)
    for what, options, parameters, goal, most in (
        ("fit of USPS at one eps, frame to Fit", "eps=5.45", {"eps": 5.45}, "<= 0.7 T", "<= 1 GB"),
        ("10 folds x 20 radii and the final fit", "progress=False", {"progress": False}, "<= 3.0 T", ""),
    ):

        def work(given: dict[str, object] = parameters) -> object:
            return pc.fit("digit ~ .", usps, dissimilarity=raw, **given)

        yield from against_distances([(what, work, goal)], usps, runs)
        yield "its peak memory beyond the data", f"{peak(options):.2f} GB", most


def of_scm(runs: int, quick: bool) -> Iterator[Row]:
    machines, svc = in_turn(*scm_and_svc(), max(1, runs // 2))
    what = "CV of the set covering machine on Pima (400 runs)"
    yield what, f"{machines / svc:.3f} ({machines:.2f} s)", f"<= 0.1 of {svc:.1f} s"


def of_medoids(runs: int, quick: bool) -> Iterator[Row]:
    X = digits_of_usps().drop(columns="digit").to_numpy(np.float32)
    for what, work, other, goal in medoids(X):
        took, theirs = in_turn(work, other, max(1, runs // 2))
        yield what, f"{took / theirs:.3f} ({took:.2f} s)", goal.format(theirs)


def of_lvq(runs: int, quick: bool) -> Iterator[Row]:
    usps = digits_of_usps()
    yield from against_distances(quantization(usps), usps, max(1, runs // 2))


def of_metrics(runs: int, quick: bool) -> Iterator[Row]:
    usps, seconds = digits_of_usps(), list[float]()
    yield from against_distances(metrics(usps), usps, max(1, runs // 2))
    X = np.random.default_rng(0).normal(size=(1000, 5))
    dissimilarity = pc.dissimilarity(pd.DataFrame(X).add_prefix("x"))
    for _ in range(runs):
        seconds.append(clock(dissimilarity.embed))
    yield "pseudo-Euclidean embedding of 1000 rows", f"{statistics.median(seconds):.2f} s", "<= 2 s"


def of_starts(runs: int, quick: bool) -> Iterator[Row]:
    bare = process("", runs)
    yield "import protoclass", f"{process('import protoclass', runs) - bare:.2f} s", "<= 0.3 s"
    process(FIRST, 1)
    yield "first fit of iris with CV, fresh process", f"{process(FIRST, runs):.2f} s", "<= 0.6 s"
    cold = []
    for _ in range(max(1, runs // 2)):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(process(FIRST, 1, NUMBA_CACHE_DIR=folder))
    yield "the same with cold numba caches", f"{statistics.median(cold):.2f} s", "<= 3 s"
    iris = pc.load_data("iris")
    pc.fit("species ~ .", iris)
    again = statistics.median(clock(lambda: pc.fit("species ~ .", iris)) for _ in range(20))
    yield "the same again in one process", f"{1000 * again:.0f} ms", "<= 1500 ms"


def of_defaults(runs: int, quick: bool) -> Iterator[Row]:
    """The second fit of a process with all defaults, its cross-validation included."""
    for method, name, goal in (
        ("mixture", "iris", 0.7), ("mixture", "digits", 4), ("scm", "digits", 5), ("kmeans", "iris", 0.15),
    ):  # fmt: skip
        outcome = run("default_method", {"name": name, "method": method}, **LIMITS)
        yield f"{method} with its defaults, {name}", words(outcome), f"<= {goal} s"


def words(outcome: Outcome) -> str:
    return outcome.note if outcome.seconds is None else f"{outcome.seconds:.2f} s ({outcome.note})"


def of_rows(name: str, arguments: dict[str, int], what: str, goal: str, most: str = "") -> Iterator[Row]:
    """Time and peak memory of a case with made data."""
    outcome = run(name, arguments, **LIMITS)
    yield f"{arguments['n']:,} x {arguments['p']}, {what}", words(outcome), goal
    if outcome.gigabytes is not None:
        yield "its peak memory beyond the data", f"{outcome.gigabytes:.2f} GB", most


def of_plane(runs: int, quick: bool) -> Iterator[Row]:
    yield from of_rows("one_eps", {"n": size(100_000, quick), "p": 2, "rows": 39}, "one eps, balls of 39 rows", "<= 2 s")


def of_mixed(runs: int, quick: bool) -> Iterator[Row]:
    n = size(20_000, quick)
    yield from of_rows("default_fit", {"n": n, "p": 6}, "default fit", "<= 3 s")
    yield from of_rows("default_fit", {"n": n, "p": 8, "categories": 2}, "of which 2 categories, default fit", "<= 5 s", "<= 1 GB")


def of_large(runs: int, quick: bool) -> Iterator[Row]:
    """What takes minutes. The product X X' runs before the fit of MNIST's shape and after it, as machines drift."""
    shape = MNIST | {"n": size(MNIST["n"], quick)}
    before = run("product", shape, **LIMITS)
    fit = run("one_eps", shape | {"rows": SHARE}, **LIMITS)
    after = run("product", shape, **LIMITS)
    what = f"{shape['n']:,} x {shape['p']}, float32, one eps, frame to Fit"
    if before.seconds is None or after.seconds is None or fit.seconds is None:
        yield what, "; ".join(words(o) for o in (before, fit, after)), "<= 1.2 products X X'"
    else:
        one = (before.seconds + after.seconds) / 2
        measured = f"{fit.seconds / one:.2f} products X X' ({fit.seconds:.1f} s; one product {one:.1f} s; {fit.note})"
        yield what, measured, "<= 1.2 products"
        yield "its peak memory beyond the data", f"{fit.gigabytes:.2f} GB", "<= 0.5 GB"
    plane = {"n": size(1_000_000, quick), "p": 2, "rows": 39}
    yield from of_rows("one_eps", plane, "one eps, balls of 39 rows", "<= 30 s")
    yield from of_rows("default_fit", {"n": size(200_000, quick), "p": 20}, "default fit", "<= 60 s")


def size(n: int, quick: bool) -> int:
    return n // 20 if quick else n


GROUPS: dict[str, Callable[[int, bool], Iterator[Row]]] = {
    "usps": of_usps, "scm": of_scm, "medoids": of_medoids, "lvq": of_lvq, "metrics": of_metrics, "starts": of_starts,
    "defaults": of_defaults, "plane": of_plane, "mixed": of_mixed, "large": of_large,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="also what takes minutes")
    parser.add_argument("--quick", action="store_true", help="made data a twentieth as large")
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--write", action="store_true", help="write RESULTS.md")
    options = parser.parse_args()
    from protoclass.core.parallel import cores

    lines = [
        f"# Speed\n\n`{' '.join(['python benchmarks/bench.py', *sys.argv[1:]])}`, {datetime.date.today()}, {cores()} cores of "
        f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}.\n"
        "T: scikit-learn's `pairwise_distances` on the 7291 x 256 USPS images, timed alternately. Simulated data: `benchmarks/made.py`.\n",
        "| what | measured | goal |",
        "|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for name in options.only or [g for g in GROUPS if g != "large" or options.large]:
        for what, measured, goal in GROUPS[name](options.runs, options.quick):
            lines.append(f"| {what} | {measured} | {goal} |")
            print(lines[-1], flush=True)
    if options.write:
        (HERE / "RESULTS.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
