"""Classification of pairwise proximities (GHBO paper, table 1): python benchmarks/papers/ghbo_table1.py

Optimal hyperplanes on proximities, on the flipped and on the cut embedding, and 1 to 5 nearest neighbours with ties at random:
one class against the rest, leaving out one of 65 cortical areas of the cat at a time, and 10 folds of 213 globins, drawn 20
times.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from common import Report, file, main, table

import protoclass as pc

SETS = {"cat cortex": ("cat_cortex.csv", "region", ("A", "V", "SS", "FL")),
        "globins": ("globin_protein.csv", "class", ("HA", "HB", "M", "G"))}  # fmt: skip
# percent; the columns of the printed table were put back in order by the values of its proximity row
PAPER = {
    "cat cortex": {"cut": (3.08, 3.08, 6.15, 3.08), "flip": (4.62, 3.08, 4.62, 1.54), "proximity": (3.08, 1.54, 3.08, 4.62),
                   1: (5.82, 6.74, 6.09, 6.00), 2: (6.09, 5.09, 7.91, 4.46), 3: (5.29, 4.71, 4.18, 2.29),
                   4: (6.45, 5.17, 3.68, 5.14), 5: (5.55, 5.29, 2.72, 2.75)},
    "globins": {"cut": (0.91, 4.01, 0.45, 0.00), "flip": (0.91, 4.01, 0.45, 0.00), "proximity": (0.45, 3.60, 0.45, 0.00),
                1: (1.65, 3.66, 0.00, 2.01), 2: (2.01, 5.27, 0.00, 3.44), 3: (2.14, 6.34, 0.00, 2.68),
                4: (2.46, 5.13, 0.00, 4.87), 5: (1.65, 5.09, 0.00, 4.11)},
}  # fmt: skip


def errors(name: str, D: np.ndarray, classes: pd.Series, one: str, method: str | int, runs: int) -> np.ndarray:
    """Percent of errors of each run: of folds drawn anew, or for leave-one-out of ties broken anew."""
    data = pd.DataFrame({"y": np.where(classes == one, "yes", "no")})
    hyperplane = isinstance(method, str)
    how = (
        {"method": "hyperplane", "embedding": method}
        if hyperplane
        else {"method": "knn", "k": method, "ties": "random"}
    )
    cv = "loo" if name == "cat cortex" else 10
    seeds = 1 if hyperplane and cv == "loo" else runs
    found = [
        pc.cross_validate("y ~ 1", data, dissimilarity=D, cv=cv, seed=s, progress=False, **how).table["error"].iloc[0]
        for s in range(seeds)
    ]
    return 100 * np.array(found)


def compared(name: str, runs: int) -> tuple[list[list[str]], dict[str | int, np.ndarray]]:
    """Rows of the table, and by method the differences of ours from the paper's, class by class."""
    file_name, column, classes = SETS[name]
    data = pd.read_csv(file(file_name))
    D = data.filter(regex=r"^d\d+$").to_numpy(float)
    rows, apart = [], {}
    for method, printed in PAPER[name].items():
        cells, differences = [], []
        for one, theirs in zip(classes, printed, strict=True):
            own = errors(name, D, data[column], one, method, runs)
            spread = f" +- {own.std(ddof=1) / np.sqrt(len(own)):.2f}" if len(own) > 1 else ""
            differences.append(round(own.mean() - theirs, 2) + 0.0)
            cells.append(f"{own.mean():.2f}{spread} ({theirs:.2f}, {differences[-1]:+.2f})")
        rows.append([f"hyperplane, {method}" if isinstance(method, str) else f"{method} nearest", *cells])
        apart[method] = np.array(differences)
    return rows, apart


def report(ties: int = 64, draws: int = 20) -> Report:
    cortex, cats = compared("cat cortex", ties)
    globins, _ = compared("globins", draws)
    exact = int((np.abs(cats["proximity"]) < 0.01).sum())
    areas = round(max(cats["cut"].max(), cats["flip"].max()) * 65 / 100)
    odd = np.concatenate([cats[k] for k in (1, 3, 5)])
    even = np.concatenate([cats[k] for k in (2, 4)])
    body = f"""Percent of errors, one class against the rest; in brackets the paper's, and the difference. The hyperplanes are hard-margin.

## cat cortex

Leave-one-out over 65 areas, so that one error is 1.54 %; k-NN is the mean over {ties} ways to break ties at random +- its
standard error.

{table(("method", *SETS["cat cortex"][2]), cortex)}

* On proximities {exact} of 4 cells are the paper's to the digit.
* On the cut and flipped embeddings ours errs on up to {areas} areas more. The matrix at hand is averaged over the two directions of a
  connection, the paper's is not; the eigenvalues, and with them both embeddings, depend on that. The printed formula for new
  rows would mirror the axes of negative signature; corrected or not it does not explain these cells.
* With odd k the neighbours differ from the paper's by {np.abs(odd).max():.2f} at most, with even k by {np.abs(even).max():.2f}:
  with even k votes are tied as well, and the paper does not say how it breaks them.

## globins

Ten folds, mean over {draws} draws +- its standard error. The paper has 224 proteins; the 11 that belong to none of the four
classes are not to be had.

{table(("method", *SETS["globins"][2]), globins)}

Nearly all of ours lie below the paper's, most at HB. The missing 11 are negatives of every class and the hardest to place, and may
be the difference: the four percent at HB are nine of 224 proteins. Without them that can't be tried.
"""
    covers = {"GHBO table 1": f"cat cortex on proximities: {exact} of 4 cells to the digit; on embeddings up to {areas} areas more; "
              f"nearest neighbours with odd k within {np.abs(odd).max():.1f} %; globins below the paper's, whose 11 further proteins "
              "are missing"}  # fmt: skip
    return Report("Classification of pairwise proximities", covers, body)


if __name__ == "__main__":
    main(report)
