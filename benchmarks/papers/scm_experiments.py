"""Where the set covering machine's tables lie apart, and whether its bound can choose (SCM paper, section 6):
python benchmarks/papers/scm_experiments.py

The sets of scm_tables.py by the scale of their columns; the spread over draws of the folds; and the paper's open question, to
what extent the bound can perform model selection.
"""

from __future__ import annotations

import warnings
from math import inf

import numpy as np
import pandas as pd
from common import Report, main, table
from common import spread as mean_se
from scm_tables import PAPER, RAW, Rows, covering, nearest, sets, support_vectors

import protoclass as pc

APART = ("BreastWisc", "Haberman", "Glass")
KINDS = ("conjunction", "disjunction")
CHOICES = ("1se", "min", "bound")


def ranged(data: pd.DataFrame) -> pd.DataFrame:
    """Columns divided by their range."""
    X = data.drop(columns="y")
    return ((X - X.min()) / (X.max() - X.min()).replace(0, 1)).assign(y=data["y"])


def scalings(name: str, data: pd.DataFrame, seeds: int) -> list[str]:
    """Nearest-neighbour errors of raw columns, columns divided by their sd, and columns divided by their range."""
    told = [nearest(data, seeds, RAW), nearest(data, seeds, pc.Euclidean()), nearest(ranged(data), seeds, RAW)]
    return [name, str(PAPER[name][0]), *(f"{v:.0f}" for v in told)]


def counts(data: pd.DataFrame, method: str, seeds: int, **parameters: object) -> str:
    """Errors of a method without open parameters over ten folds: mean and range over seeds."""
    runs = [
        pc.cross_validate("y ~ .", data, method, dissimilarity=RAW, seed=s, progress=False, **parameters)
        for s in range(seeds)
    ]
    wrong = [len(data) * v.table["error"].iloc[0] for v in runs]
    return f"{np.mean(wrong):.0f} ({min(wrong):.0f} to {max(wrong):.0f})"


def by_columns(name: str, data: pd.DataFrame, positive: object, seeds: int) -> list[list[str]]:
    """Errors of raw columns, of columns divided by their range, and of raw columns with the classes permuted."""
    near, hard, soft, kinds = PAPER[name]
    printed = [near, hard[1], soft[1], kinds["c"][0][1], kinds["d"][0][1], kinds["c"][2][2], kinds["d"][2][2]]
    rows = [[name, "the paper", *map(str, printed)]]
    for label, columns in (("raw", data), ("divided by range", ranged(data))):
        machines = [f"{found[3]:.0f}" for found in support_vectors(columns, 4, np.geomspace(0.003, 100, 12))]
        consistent = [
            counts(columns, "scm", seeds, kind=kind, positive=positive, penalty=inf, stop=None) for kind in KINDS
        ]
        best = [f"{covering(columns, positive, kind, RAW, 4)[2][2]:.0f}" for kind in KINDS]
        rows.append([name, label, counts(columns, "knn", seeds, k=1), *machines, *consistent, *best])
    # rows that are alike and of different classes let no machine be consistent
    shuffled = data.assign(y=np.random.default_rng(0).permutation(data["y"]))
    return [*rows, [name, "raw, classes permuted", counts(shuffled, "knn", seeds, k=1), *[""] * 6]]


def chosen(data: pd.DataFrame, splits: int) -> dict[str, tuple[list[float], list[float]]]:
    """Test errors (percent) and sizes of the machine that each of CHOICES takes, split by split."""
    found: dict[str, tuple[list[float], list[float]]] = {choose: ([], []) for choose in CHOICES}
    for seed in range(splits):
        new = data.groupby("y").sample(frac=1 / 3, random_state=seed)
        train = data.drop(new.index)
        for choose, (errors, sizes) in found.items():
            fit = pc.fit("y ~ .", train, "scm", dissimilarity=RAW, choose=choose, seed=seed, progress=False)
            errors.append(100 * fit.test(new).error)
            sizes.append(fit.rule.size)
    return found


NEAR = ("set", "the paper", "raw", "divided by sd", "divided by range")
BOUND = ("set", "1-SE: error", "size", "least error: error", "size", "least bound: error", "size")
BY_COLUMNS = ("set", "columns", "NN", "SVM, C = inf", "SVM, finite C", "consistent c", "consistent d", "inconsistent c",
              "inconsistent d")  # fmt: skip


def report(seeds: int = 40, splits: int = 20) -> Report:
    warnings.filterwarnings("ignore", message="Solver terminated early")
    near, apart, bound = [], [], []
    means = []
    for name, (data, positive) in sets().items():
        near.append(scalings(name, data, max(2, seeds // 5)))
        if name in APART:
            apart += by_columns(name, data, positive, seeds)
        found = chosen(data, splits)
        means.append([float(np.mean(errors)) for errors, _ in found.values()])
        cells = [[mean_se(errors, 1, " %"), f"{np.mean(sizes):.1f}"] for errors, sizes in found.values()]
        bound.append([name, *cells[0], *cells[1], *cells[2]])
    return assembled(near, apart, bound, means, seeds, splits)


def assembled(near: Rows, apart: Rows, bound: Rows, means: list[list[float]], seeds: int, splits: int) -> Report:
    """The report of the rows of its tables, and of the mean errors by set and CHOICES."""
    one_se, least, by_bound = np.mean(means, axis=0)
    body = f"""## Can the bound choose the machine?

The paper leaves it open. Test error on a third of the rows left aside and size, means over {splits} splits +- SE; the machine is
chosen on the other rows by the 1-SE rule, the least cross-validated error, or the least mean bound, which looks at no held-out
row.

{table(BOUND, bound)}

## Sets whose figures lie apart

Sets of scm_tables.py with a cell more than 15 % from the paper's; Votes is another selection of rows (52 in the paper) and not
compared. Errors of the nearest neighbour and of consistent machines are means and ranges over {seeds} seeds of the folds; the others
means over 4, with gamma from 0.003 to 100.

{table(BY_COLUMNS, apart)}

* BreastWisc: the paper's counts lie within, or next to, the range over seeds; it has one seed.
* Glass: columns divided by their range give the paper's counts for the nearest neighbour and the consistent machines; the
  support vector machines' stay below it.
* Haberman: columns divided by their range explain a good part for the conjunction and less for the disjunction. The paper's
  nearest neighbour errs as one does here on permuted classes; nothing tried with these rows comes to that.

Nearest-neighbour errors by the scale of the columns, means over {max(2, seeds // 5)} seeds:

{table(NEAR, near)}
"""
    told = (
        f"an open question there; here the least bound chooses as well as cross-validation: mean test error over the sets "
        f"{by_bound:.1f} %, by the 1-SE rule {one_se:.1f} %, by the least error {least:.1f} %"
    )
    covers = {"SCM section 6, model selection by the bound": told,
              "SCM tables, where they lie apart": "Glass explained by the scale of the columns, BreastWisc by the draw of the "
              "folds, Haberman in part only"}  # fmt: skip
    return Report("The set covering machine: the bound, and what lies apart", covers, body)


if __name__ == "__main__":
    main(report)
