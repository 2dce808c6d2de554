"""Tables 1 and 2 of Marchand and Shawe-Taylor (2001): python benchmarks/papers/scm_tables.py

Nearest neighbour, Gaussian support vector machines and set covering machines on seven sets: errors summed over the test sets
of 10-fold cross-validation, at the least-error point of each grid as in the paper, means over fold seeds. Columns are raw;
nominal attributes are integer codes. Sets come from `fetch_data`. Written to scm_tables.md beside this file with --write.
"""

from __future__ import annotations

import argparse
import datetime
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pandas as pd

import protoclass as pc
from protoclass.core.folds import stratified

# the paper's tables: errors of NN; SVM C = inf (size, error); SVM finite C (size, error); then for each kind
# consistent (size, error, bound), truncated (size, error, bound), inconsistent (penalty, size, error, bound)
PAPER = {
    "BreastWisc": (29, (219.7, 27), (57.7, 19), {"c": ((13.9, 26, 216), (1, 23, 150), (1.8, 2, 15, 109)),
                                                 "d": ((16.8, 34, 236), (10, 34, 189), (0.5, 1, 17, 117))}),
    "Votes": (7, (16.6, 5), (18.2, 3), {"c": ((3.7, 7, 33), (1, 6, 25), (1.2, 1, 6, 25)),
                                        "d": ((3.2, 7, 32), (3, 7, 30), (0.9, 1, 6, 25))}),
    "Pima": (247, (543.7, 243), (526.2, 203), {"c": ((147.2, 262, 763), (153, 262, 763), (1.1, 3, 189, 657)),
                                               "d": ((124.8, 230, 751), (20, 208, 672), (4.1, 16, 204, 670))}),
    "Haberman": (107, (92.5, 111), (146.4, 71), {"c": ((45.5, 104, 280), (1, 76, 244), (1.4, 1, 71, 232)),
                                                 "d": ((46.6, 128, 283), (39, 127, 273), (1.4, 12, 71, 251))}),
    "Bupa": (124, (290.4, 121), (265.9, 107), {"c": ((80.6, 144, 344), (58, 142, 341), (1.7, 20, 122, 317)),
                                               "d": ((68.8, 131, 342), (46, 118, 332), (2.8, 9, 106, 307))}),
    "Glass": (36, (47.2, 42), (91.8, 34), {"c": ((19, 45, 141), (7, 40, 119), (0.85, 4, 33, 113)),
                                           "d": ((15.9, 36, 131), (11, 36, 114), (3.8, 16, 36, 126))}),
    "Credit": (214, (406.9, 205), (423.2, 190), {"c": ((137.4, 255, 651), (121, 253, 648), (0.8, 4, 197, 600)),
                                                 "d": ((123.5, 225, 647), (79, 217, 628), (1.2, 4, 194, 590))}),
}  # fmt: skip
PENALTIES = sorted(
    {*np.geomspace(0.4, 20, 25).round(2).tolist(), 0.5, 0.8, 0.85, 0.9, 1.0, 1.1, 1.2, 1.4, 1.7, 1.8, 2.8, 4.1}
)
GAMMAS = np.geomspace(5e-4, 1, 12)
COSTS = np.geomspace(0.05, 100, 8)
RAW = pc.Euclidean(scale=False)
HARD = 1e6  # stands for an infinite C
ITERATIONS = 200_000  # of libsvm at most; with the smallest gammas and an infinite C it does not come to an end


def beside(ours: float, theirs: float, digits: int = 0) -> str:
    return f"{ours:.{digits}f} ({theirs:g})"


def sets() -> dict[str, tuple[pd.DataFrame, object]]:
    """Each set as numbers with the response `y`, and its positive class; cleaned as the data's README says."""

    def numbers(data: pd.DataFrame, response: str) -> pd.DataFrame:
        data = data.dropna()
        X = data.drop(columns=response)
        X = X.apply(lambda c: c if c.dtype.kind in "if" else pd.Series(pd.Categorical(c.astype(str)).codes, c.index))
        return X.astype(float).assign(y=data[response].astype(str))

    breast = pc.fetch_data("breast_cancer_original")
    haberman = numbers(pc.fetch_data("haberman"), "survival_status")
    both = haberman.groupby([c for c in haberman if c != "y"])["y"].transform("nunique") > 1
    glass = pc.fetch_data("glass")
    kept = glass["type"].astype(str).isin(["1", "2", "3"])
    glass = glass[kept].assign(type=np.where(glass["type"][kept].astype(str) == "2", "no", "yes"))
    return {
        "BreastWisc": (numbers(breast.drop(columns="id", errors="ignore"), "diagnosis"), "malignant"),
        "Votes": (numbers(pc.fetch_data("votes"), "party"), "republican"),
        "Pima": (numbers(pc.fetch_data("pima"), "diabetes"), "pos"),
        "Haberman": (haberman[~both], "1"),
        "Bupa": (numbers(pc.fetch_data("liver"), "selector"), "1"),
        "Glass": (numbers(glass, "type"), "yes"),
        "Credit": (numbers(pc.fetch_data("credit"), "approved"), "+"),
    }


def support_vectors(
    data: pd.DataFrame, seeds: int, gammas: np.ndarray = GAMMAS
) -> list[tuple[float, float, float, float]]:
    """gamma, C, mean size and errors of the best machine, for infinite and for finite C."""
    from sklearn.metrics import pairwise_distances
    from sklearn.svm import SVC

    y = data["y"].to_numpy()
    squared = pairwise_distances(data.drop(columns="y")) ** 2
    folds = [stratified(pd.factorize(y)[0], 10, seed) for seed in range(seeds)]
    wrong, size = np.zeros((2, seeds, len(gammas), len(COSTS) + 1))
    places = list(product(range(len(COSTS) + 1), range(seeds), range(10)))
    with ThreadPoolExecutor(2) as pool:
        for a, gamma in enumerate(gammas):
            K = np.exp(-gamma * squared)

            def one(place: tuple[int, int, int], K: np.ndarray = K) -> tuple[int, float]:
                b, s, f = place
                train, held = np.flatnonzero(folds[s] != f), np.flatnonzero(folds[s] == f)
                cost = [*COSTS, HARD][b]
                machine = SVC(C=cost, kernel="precomputed", max_iter=ITERATIONS).fit(K[np.ix_(train, train)], y[train])
                return (machine.predict(K[np.ix_(held, train)]) != y[held]).sum(), len(machine.support_) / 10

            for (b, s, _), (errors, support) in zip(places, pool.map(one, places), strict=True):
                wrong[s, a, b] += errors
                size[s, a, b] += support
    out = []
    for part in (slice(len(COSTS), None), slice(0, len(COSTS))):
        flat, sizes = wrong[:, :, part].reshape(seeds, -1), size[:, :, part].reshape(seeds, -1)
        best = flat.argmin(axis=1)
        pairs = [(g, c) for g in gammas for c in [*COSTS, HARD][part]]
        out.append((float(np.median([pairs[k][0] for k in best])), float(np.median([pairs[k][1] for k in best])),
                    float(sizes[np.arange(seeds), best].mean()), float(flat.min(axis=1).mean())))  # fmt: skip
    return out


def covering(data: pd.DataFrame, positive: object, kind: str, metric: pc.Metric, seeds: int) -> list[list[float]]:
    """Consistent, truncated and inconsistent machines: penalty, size, errors and bound, means over seeds."""
    n = len(data)
    stops = [*range(1, 61), *range(62, 200, 4)]
    found: list[list[list[float]]] = [[], [], []]
    for seed in range(seeds):

        def run(seed: int = seed, **knobs: object) -> pd.DataFrame:
            v = pc.cross_validate("y ~ .", data, "scm", dissimilarity=metric, kind=kind, positive=positive, seed=seed,
                                  choose="min", progress=False, **knobs)  # fmt: skip
            heft = np.bincount(v.of_fold[0])
            table = v.table.assign(errors=v.table["error"] * n, sum=heft @ v.bounds)
            return table.iloc[[v.best]]

        for k, knobs in enumerate(
            ({"penalty": inf, "stop": None}, {"penalty": inf, "stop": stops}, {"penalty": PENALTIES, "stop": stops})
        ):
            row = run(**knobs).iloc[0]
            found[k].append([row.get("penalty", inf), row["size"], row["errors"], row["sum"]])
    return [
        [float(np.median([r[0] for r in rows])), *np.mean([r[1:] for r in rows], axis=0).tolist()] for rows in found
    ]


def nearest(data: pd.DataFrame, seeds: int, metric: pc.Metric) -> float:
    """Errors of the nearest neighbour over ten folds, mean over seeds."""
    runs = [pc.cross_validate("y ~ .", data, "knn", dissimilarity=metric, k=1, seed=s) for s in range(seeds)]
    return float(np.mean([len(data) * v.table["error"].iloc[0] for v in runs]))


def scalings(name: str, data: pd.DataFrame, seeds: int) -> str:
    """Nearest-neighbour errors of raw columns, columns divided by their sd, and columns divided by their range."""
    X = data.drop(columns="y")
    ranged = ((X - X.min()) / (X.max() - X.min()).replace(0, 1)).assign(y=data["y"])
    told = [nearest(data, seeds, RAW), nearest(data, seeds, pc.Euclidean()), nearest(ranged, seeds, RAW)]
    return f"| {name} | {PAPER[name][0]} | " + " | ".join(f"{v:.0f}" for v in told) + " |"


def spread(name: str, data: pd.DataFrame, positive: object, seeds: int) -> list[str]:
    """Errors of raw columns, of columns divided by their range, and of raw columns with the classes permuted: means and
    ranges over seeds of the folds."""
    X = data.drop(columns="y")
    ranged = ((X - X.min()) / (X.max() - X.min()).replace(0, 1)).assign(y=data["y"])
    shuffled = data.assign(y=np.random.default_rng(0).permutation(data["y"]))
    near, hard, soft, kinds = PAPER[name]
    printed = [near, hard[1], soft[1], kinds["c"][0][1], kinds["d"][0][1], kinds["c"][2][2], kinds["d"][2][2]]
    rows = ["| " + " | ".join([name, "the paper", *map(str, printed)]) + " |"]
    for label, table in (("raw columns", data), ("divided by range", ranged), ("raw, classes permuted", shuffled)):
        runs = [
            pc.cross_validate("y ~ .", table, "knn", dissimilarity=RAW, k=1, seed=s, progress=False)
            for s in range(seeds)
        ]
        counts = [[len(table) * v.table["error"].iloc[0] for v in runs]]
        cells = [f"{np.mean(counts[0]):.0f} ({min(counts[0]):.0f} to {max(counts[0]):.0f})"]
        if table is shuffled:  # rows alike but of different classes let no machine be consistent
            rows.append("| " + " | ".join([name, label, *cells, *[""] * 6]) + " |")
            continue
        machines = [f"{found[3]:.0f}" for found in support_vectors(table, 4, np.geomspace(0.003, 100, 12))]
        best = [f"{covering(table, positive, kind, RAW, 4)[2][2]:.0f}" for kind in ("conjunction", "disjunction")]
        for kind in ("conjunction", "disjunction"):
            knobs = {"kind": kind, "positive": positive, "penalty": inf, "stop": None}
            runs = [
                pc.cross_validate("y ~ .", table, "scm", dissimilarity=RAW, seed=s, progress=False, **knobs)
                for s in range(seeds)
            ]
            wrong = [len(table) * v.table["error"].iloc[0] for v in runs]
            cells.append(f"{np.mean(wrong):.0f} ({min(wrong):.0f} to {max(wrong):.0f})")
        rows.append("| " + " | ".join([name, label, cells[0], *machines, *cells[1:], *best]) + " |")
    return rows


def choices(name: str, data: pd.DataFrame, splits: int) -> str:
    """Test error and size of the machine chosen by the 1-SE rule, the least error and the least bound."""
    found: dict[str, list[tuple[float, float]]] = {"1se": [], "min": [], "bound": []}
    for seed in range(splits):
        new = data.groupby("y").sample(frac=1 / 3, random_state=seed)
        train = data.drop(new.index)
        for choose, results in found.items():
            fit = pc.fit("y ~ .", train, "scm", dissimilarity=RAW, choose=choose, seed=seed, progress=False)
            results.append((100 * fit.test(new).error, fit.rule.size))
    cells = []
    for results in found.values():
        error, size = np.transpose(results)
        cells.append(f"{error.mean():.1f} +- {error.std(ddof=1) / np.sqrt(splits):.1f} % | {size.mean():.1f}")
    return f"| {name} | " + " | ".join(cells) + " |"


def row_of_one(name: str, data: pd.DataFrame, seeds: int) -> str:
    """A row of table 1."""
    near, hard, soft = PAPER[name][:3]
    (gamma, _, size, errors), finite = support_vectors(data, seeds)
    cells = [beside(nearest(data, seeds, RAW), near), f"{gamma:.3g}", beside(size, hard[0]), beside(errors, hard[1])]
    cells += [f"{finite[0]:.3g}", f"{finite[1]:.3g}", beside(finite[2], soft[0]), beside(finite[3], soft[1])]
    return f"| {name} | {len(data)} | " + " | ".join(cells) + " |"


def row_of_two(name: str, data: pd.DataFrame, positive: object, kind: str, metric: pc.Metric, seeds: int) -> str:
    """A row of table 2; the paper's figures stand beside those of its own metric."""
    cells = []
    printed = PAPER[name][3][kind[0]]
    for k, (p, *ours) in enumerate(covering(data, positive, kind, metric, seeds)):
        values, theirs, digits = ([p, *ours] if k == 2 else ours), printed[k], ([2] if k == 2 else []) + [1, 0, 0]
        raw = [f"{v:.{d}f}" for v, d in zip(values, digits, strict=True)]
        cells += raw if metric != RAW else [f"{v} ({t:g})" for v, t in zip(raw, theirs, strict=True)]
    return f"| {name} | {kind[0]} | {'L2' if metric == RAW else 'L1'} | " + " | ".join(cells) + " |"


ONE = ("set", "n", "NN", "SVM, C = inf: gamma", "size", "errors", "SVM, finite C: gamma", "C", "size", "errors")
TWO = ("set", "kind", "metric", "consistent: size", "errors", "bound", "truncated: size", "errors", "bound",
       "inconsistent: p", "size", "errors", "bound")  # fmt: skip
THREE = ("set", "1-SE: error", "size", "least error: error", "size", "least bound: error", "size")
FIVE = (
    "set",
    "columns",
    "NN",
    "SVM, C = inf",
    "SVM, finite C",
    "consistent c",
    "consistent d",
    "inconsistent c",
    "inconsistent d",
)
APART = ("BreastWisc", "Haberman", "Glass")
FOUR = ("set", "paper", "raw columns", "divided by sd", "divided by range")


def head(names: tuple[str, ...]) -> list[str]:
    return ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="write scm_tables.md")
    parser.add_argument("--only", help="one set")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="Solver terminated early")
    one, two, three, four, five = head(ONE), head(TWO), head(THREE), head(FOUR), head(FIVE)
    for name, (data, positive) in sets().items():
        if options.only not in (None, name):
            continue
        four.append(scalings(name, data, options.seeds))
        if name in APART:
            five += spread(name, data, positive, 5 * options.seeds)
            print(*five[-4:], sep="\n", flush=True)
        for kind in ("conjunction", "disjunction"):
            for metric in (RAW, pc.Manhattan(scale=False)):
                two.append(row_of_two(name, data, positive, kind, metric, options.seeds))
                print(two[-1], flush=True)
        three.append(choices(name, data, options.splits))
        print(three[-1], flush=True)
        one.append(row_of_one(name, data, options.seeds))
        print(one[-1], flush=True)
    text = "\n".join([
        "# The set covering machine on seven sets (tables 1 and 2)\n",
        f"`python benchmarks/papers/scm_tables.py --write`, {datetime.date.today()}. Errors are summed over the ten test sets of",
        "cross-validation at the point of the grid where they are fewest, and averaged over",
        f"{options.seeds} seeds of the folds (penalties, gamma and C: medians); in brackets the paper's figure, which is that of one",
        "seed. Sizes are means over folds; bounds are Theorem 5.2 with delta = 0.05 in each fold times the size of its test set,",
        "summed. Raw columns, nominal attributes as integer codes.\n",
        "## Table 1\n", *one,
        "\n## Table 2\n", *two,
        "\n## Can the bound choose the machine? (the paper's open question)\n",
        f"Test error on a third of the rows left aside and size, means over {options.splits} splits +- SE; the machine is chosen on",
        "the other rows by the 1-SE rule, the least cross-validated error, or the least mean bound.\n", *three,
        "\n## Where the figures lie apart\n",
        "Sets with a cell more than 15 % from the paper's. Votes is another selection of rows (52 in the paper) and not compared.",
        "Errors of the nearest neighbour and of consistent machines are means and ranges over five times as many seeds of the",
        "folds; the others means over 4, with gamma from 0.003 to 100.\n", *five,
        "\n* BreastWisc: the paper's counts lie within, or next to, the range over seeds; it has one seed.",
        "* Glass: columns divided by their range give the paper's counts for the nearest neighbour and the consistent machines; the",
        "  support vector machines' stay below it.",
        "* Haberman: columns divided by their range explain a good part for the conjunction and less for the disjunction. The paper's",
        "  nearest neighbour errs as one does here on permuted classes; nothing tried with these rows comes to that.",
        "\nNearest-neighbour errors by the scale of the columns:\n", *four, "",
    ])  # fmt: skip
    if options.write:
        Path(__file__).with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
