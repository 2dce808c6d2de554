"""Nearest neighbour, support vector machines and set covering machines on seven sets (SCM paper, tables 1 and 2):
python benchmarks/papers/scm_tables.py

Errors summed over the test sets of 10-fold cross-validation, at the least-error point of each grid as in the paper, means over
seeds of the folds. Columns are raw; nominal attributes are integer codes. Sets come from `pc.fetch_data`.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from math import inf

import numpy as np
import pandas as pd
from common import Report, fetched, main, table

import protoclass as pc
from protoclass.core.statistics.bounds import machine_bound
from protoclass.core.statistics.folds import stratified

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


Rows = list[list[str]]
Pairs = list[tuple[float, float]]  # ours and the paper's


def beside(ours: float, theirs: float, digits: int = 0) -> str:
    difference = round(ours - theirs, digits) + 0.0  # no -0
    return f"{ours:.{digits}f} ({theirs:g}, {difference:+.{digits}f})"


def sets() -> dict[str, tuple[pd.DataFrame, object]]:
    """Each set as numbers with the response `y`, and its positive class; cleaned as the data's README says."""

    def numbers(data: pd.DataFrame, response: str) -> pd.DataFrame:
        data = data.dropna()
        X = data.drop(columns=response)
        X = X.apply(lambda c: c if c.dtype.kind in "if" else pd.Series(pd.Categorical(c.astype(str)).codes, c.index))
        return X.astype(float).assign(y=data[response].astype(str))

    breast = fetched("breast_cancer_original")
    haberman = numbers(fetched("haberman"), "survival_status")
    both = haberman.groupby([c for c in haberman if c != "y"])["y"].transform("nunique") > 1
    glass = fetched("glass")
    kept = glass["type"].astype(str).isin(["1", "2", "3"])
    glass = glass[kept].assign(type=np.where(glass["type"][kept].astype(str) == "2", "no", "yes"))
    return {
        "BreastWisc": (numbers(breast.drop(columns="id", errors="ignore"), "diagnosis"), "malignant"),
        "Votes": (numbers(fetched("votes"), "party"), "republican"),
        "Pima": (numbers(fetched("pima"), "diabetes"), "pos"),
        "Haberman": (haberman[~both], "1"),
        "Bupa": (numbers(fetched("liver"), "selector"), "1"),
        "Glass": (numbers(glass, "type"), "yes"),
        "Credit": (numbers(fetched("credit"), "approved"), "+"),
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

        def run(seed: int = seed, **parameters: object) -> pd.DataFrame:
            v = pc.cross_validate("y ~ .", data, "scm", dissimilarity=metric, kind=kind, positive=positive, seed=seed,
                                  choose="min", progress=False, **parameters)  # fmt: skip
            heft = np.bincount(v._of_fold[0])
            table = v.table.assign(errors=v.table["error"] * n, sum=heft @ v._bounds)
            return table.iloc[[v.selected("min").name]]

        for k, parameters in enumerate(
            ({"penalty": inf, "max_size": None}, {"penalty": inf, "max_size": stops}, {"penalty": PENALTIES, "max_size": stops})
        ):
            row = run(**parameters).iloc[0]
            found[k].append([row.get("penalty", inf), row["size"], row["errors"], row["sum"]])
    return [
        [float(np.median([r[0] for r in rows])), *np.mean([r[1:] for r in rows], axis=0).tolist()] for rows in found
    ]


def nearest(data: pd.DataFrame, seeds: int, metric: pc.Metric) -> float:
    """Errors of the nearest neighbour over ten folds, mean over seeds."""
    runs = [pc.cross_validate("y ~ .", data, "knn", dissimilarity=metric, k=1, seed=s) for s in range(seeds)]
    return float(np.mean([len(data) * v.table["error"].iloc[0] for v in runs]))


def row_of_one(name: str, data: pd.DataFrame, seeds: int) -> tuple[list[str], Pairs]:
    """A row of table 1, and the pairs of ours and the paper's in it."""
    near, hard, soft = PAPER[name][:3]
    (gamma, _, *infinite), (gamma_soft, cost, *finite) = support_vectors(data, seeds)
    pairs = [(nearest(data, seeds, RAW), near), *zip(infinite, hard, strict=True), *zip(finite, soft, strict=True)]
    cells = [beside(*pair) for pair in pairs]
    row = [name, str(len(data)), cells[0], f"{gamma:.3g}", *cells[1:3], f"{gamma_soft:.3g}", f"{cost:.3g}", *cells[3:]]
    return row, pairs


def row_of_two(
    name: str, data: pd.DataFrame, positive: object, kind: str, metric: pc.Metric, seeds: int
) -> tuple[list[str], Pairs]:
    """A row of table 2, and the pairs of (size, errors) in it; the paper's figures stand beside those of its own metric."""
    row, pairs = [name, kind[0], "L2" if metric == RAW else "L1"], []
    for k, (p, *ours) in enumerate(covering(data, positive, kind, metric, seeds)):
        printed = PAPER[name][3][kind[0]][k]
        values, digits = ([p, *ours], [2, 1, 0, 0]) if k == 2 else (ours, [1, 0, 0])
        if metric != RAW:
            row += [f"{v:.{d}f}" for v, d in zip(values, digits, strict=True)]
            continue
        row += [beside(v, t, d) for v, t, d in zip(values, printed, digits, strict=True)]
        pairs += list(zip(ours[:2], printed[-3:-1], strict=True))
    return row, pairs


def most(name: str, kind: str, n: int) -> list[str]:
    """The printed bound of the consistent machine, and the most that both inequalities give for its printed size."""
    size, _, printed = PAPER[name][3][kind][0]
    centres = np.linspace(0, size, 200)  # on P-examples, which the paper does not tell
    told = machine_bound(0.9 * n, size, centres, 0, 0.05)
    return [name, kind, f"{printed}", f"{n * told.value.max():.0f}", f"{n * told.simple.max():.0f}"]


def closeness(pairs: Pairs) -> str:
    """How many cells lie within a tenth of the paper's, or 2 of it."""
    near = sum(abs(ours - theirs) <= max(2, 0.1 * theirs) for ours, theirs in pairs)
    return f"{near} of {len(pairs)} cells within 10 % of the paper's, or 2"


ONE = ("set", "n", "NN errors", "SVM, C = inf: gamma", "size", "errors", "SVM, finite C: gamma", "C", "size", "errors")
TWO = ("set", "kind", "metric", "consistent: size", "errors", "bound", "truncated: size", "errors", "bound",
       "inconsistent: p", "size", "errors", "bound")  # fmt: skip
THREE = ("set", "kind", "printed bound", "first inequality at most", "second at most")


def report(seeds: int = 8, only: str = "") -> Report:
    warnings.filterwarnings("ignore", message="Solver terminated early")
    one, two, three = [], [], []
    of_one: Pairs = []
    of_two: Pairs = []
    for name, (data, positive) in sets().items():
        if only not in ("", name):
            continue
        row, pairs = row_of_one(name, data, seeds)
        one.append(row)
        of_one += pairs if name != "Votes" else []
        for kind in ("conjunction", "disjunction"):
            for metric in (RAW, pc.Manhattan(scale=False)):
                row, pairs = row_of_two(name, data, positive, kind, metric, seeds)
                two.append(row)
                of_two += pairs if name != "Votes" else []
            if name != "Votes":
                three.append(most(name, kind[0], len(data)))
    return assembled(one, two, three, of_one, of_two, seeds)


def assembled(one: Rows, two: Rows, three: Rows, of_one: Pairs, of_two: Pairs, seeds: int) -> Report:
    """The report of the rows of both tables, of the bounds, and of the pairs that are compared."""
    errors = of_two[1::2]
    above = [sum(float(row[2]) > float(row[k]) for row in three) for k in (3, 4)]
    body = f"""Errors are summed over the ten test sets of cross-validation at the point of the grid where they are fewest, and averaged
over {seeds} seeds of the folds (penalties, gamma and C: medians); in brackets the paper's figure, which is that of one draw of the
folds, and the difference. Sizes are means over folds; bounds are Theorem 5.2 with delta = 0.05 in each fold times the size of
its test set, summed. Raw columns, nominal attributes as integer codes.

## Table 1

{table(ONE, one)}

## Table 2

{table(TWO, two)}

## Where they differ

* Votes is another selection of rows: the paper has 52, and the complete rows of the public file are 232. It is not counted above.
* One draw of the folds can be 10 % off the mean over draws; the paper has one, and does not tell which.
* BreastWisc, Haberman and Glass lie further apart; what explains them, and what does not, is tried in scm_experiments.py.
* The bounds can't agree. For consistent machines nothing in Theorem 5.2 but the number of centres on P-examples is unknown, and
  whatever that was, {above[0]} of {len(three)} printed values exceed the most that the first inequality, which the paper says it
  computed, gives for the printed sizes (times the size of the sets, as here); {above[1]} exceed the second as well:

{table(THREE, three)}
"""
    covers = {
        "SCM table 1": f"{closeness(of_one)}; Haberman and Glass lie apart, in part by the scale of the columns",
        "SCM table 2": f"sizes and errors: {closeness(of_two)} (of the errors alone, {closeness(errors)}); the printed bounds "
        "exceed what the paper's own inequality gives",
    }  # fmt: skip
    return Report("The set covering machine on seven sets", covers, body)


if __name__ == "__main__":
    main(report)
