"""Accuracy with few prototypes: python benchmarks/price.py

Errors on a third of the rows, mean over stratified splits. For each number of prototypes, the best of
three methods is taken, with its grid point: the lowest error in 5 folds of the training rows, among all
points with at most this number (`frontier`). It is fitted to the training rows, so no test row is used
for a choice. "median GLVQ" is this method alone with K=1 or K=(1, 2), tuned by the 1-SE rule in 5 folds,
and with K=1 by the lowest error in the same folds. Logistic regression, a forest of 500 trees, boosting
(scikit-learn's defaults) and the nearest neighbour among all training rows have the same splits. The
table is printed, and written to PRICE.md with --write. With --columns some columns are computed, and the
others are taken from PRICE.md. The folder PROTOCLASS_DATA has the data that the package does not have.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from median_glvq import SETS, as_table, columns_and, data_of, error_of, others, spread
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedShuffleSplit

import protoclass as pc

HERE = Path(__file__).resolve().parent
IN_TOTAL = (10, 30, 100)  # prototypes
FOLDS = 5  # for tuning
TABLES = [*SETS, "vowel", "digits", "glass"]
OTHERS = ["logistic", "forest", "boosting"]
GLVQ = {  # maximum number per class, rule of selection
    "median GLVQ, 1 per class": (1, "1se"),
    "median GLVQ, 2 per class": (2, "1se"),
    "median GLVQ, 1 per class, lowest error": (1, "min"),
}
COLUMNS = [*GLVQ, "1 per class", "2 per class", *(f"{most} in total" for most in IN_TOTAL), "all rows", *OTHERS]


def table_of(name: str) -> tuple[pd.DataFrame, str, dict[str, Any]]:
    """Data, response, and what the dissimilarity and missing values need beside it."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return pd.DataFrame(X).add_prefix("p").assign(digit=y.astype(str)), "digit", {"dissimilarity": pc.Euclidean(scale=False)}
    if name == "glass":
        data = pd.read_csv(Path(os.environ["PROTOCLASS_DATA"]) / "glass.csv").drop(columns="id", errors="ignore")
        return data.assign(type=data["type"].astype(str)), "type", {}
    if name == "vowel":
        data = pd.read_csv(Path(os.environ["PROTOCLASS_DATA"]) / "vowel.csv")
        return data[["vowel", *(f"x{k}" for k in range(1, 11))]], "vowel", {}
    data, (response, na) = data_of(name), SETS[name]
    return data, response, {"na": "keep"} if na == "keep" else {}


def methods_of(rows: pd.Series) -> dict[str, pc.Model]:
    """The prototype methods for training rows of these classes, with numbers of prototypes for every budget."""
    classes, smallest = rows.nunique(), rows.value_counts().min() * (FOLDS - 1) // FOLDS  # in the training rows of a fold
    of_class = sorted({1, 2, *(min(most // classes, smallest - 1) for most in IN_TOTAL if most >= classes)})
    return {
        "PVM": pc.PVM(),
        "k-medoids": pc.KMedoids(K=of_class),
        "median GLVQ": pc.MedianGLVQ(K=of_class),
    }


def budgets_of(classes: int) -> dict[str, int]:
    """The most prototypes of each column."""
    return {"1 per class": classes, "2 per class": 2 * classes, **{f"{most} in total": most for most in IN_TOTAL if most >= classes}}


def chosen_of(table: pd.DataFrame, most: int, rule: str) -> int:
    """The grid point of at most so many prototypes a class by the lowest error, or the simplest within one SE of it, as `fit` does."""
    table = table[table["K"] <= most]
    table = table.assign(rank=(table["matrix"] == "full") * 2 + table["local"], error=table["error"].round(12))
    best = table.sort_values(["error", "size", "rank"], kind="stable").iloc[0]
    within = table[table["error"] <= best["error"] + best["se"] * (rule == "1se") + 1e-12]
    return int(within.sort_values(["size", "rank", "error"], kind="stable").index[0])


def errors_of(name: str, splits: int, columns: list[str]) -> tuple[pd.DataFrame, dict[str, Counter[str]]]:
    """Test errors (splits x some columns) in percent, and how often each method, or matrix, was the best at each number."""
    data, response, given = table_of(name)
    classes, rows, chosen = data[response].nunique(), [], {}
    formula = f"{response} ~ ."
    budgets = {words: most for words, most in budgets_of(classes).items() if words in columns}
    for train, test in StratifiedShuffleSplit(splits, train_size=2 / 3, random_state=0).split(data, data[response]):
        seen, new, row = data.iloc[train], data.iloc[test], {}
        alone = [words for words in GLVQ if words in columns]
        if alone:
            v = pc.cross_validate(formula, seen, pc.MedianGLVQ(K=(1, 2)), cv=FOLDS, progress=False, **given)
        for words in alone:
            point = chosen_of(v.table, *GLVQ[words])
            values = {name: v.grid.loc[point, name] for name in v.grid}
            fit = v.fit_at(point)
            row[words] = error_of(fit.predict(new), new[response])
            chosen.setdefault(words, Counter())[f"{'local ' if values['local'] else ''}{values['matrix']}"] += 1
        found = []
        for method, model in methods_of(seen[response]).items() if budgets else ():
            v = pc.cross_validate(formula, seen, model, cv=FOLDS, max_prototypes=max(budgets.values()), progress=False, **given)
            found += [(point["error"], point["size"], method, model, {name: point[name] for name in v.grid})
                      for _, point in v.frontier().iterrows()]  # fmt: skip
        for words, most in budgets.items():
            _, _, method, model, values = min((point for point in found if point[1] <= most), key=lambda point: point[:2])
            fit = pc.fit(formula, seen, replace(model, **values), progress=False, cv=None, **given)
            row[words] = error_of(fit.predict(new), new[response])
            chosen.setdefault(words, Counter())[method] += 1
        if "all rows" in columns:
            row["all rows"] = error_of(pc.fit(formula, seen, pc.KNN(k=1), progress=False, **given).predict(new), new[response])
        boosting = columns_and(data, response, HistGradientBoostingClassifier(random_state=0))
        beside = others(data, response) | {"boosting": boosting}
        for words, estimator in beside.items():
            if words in columns:
                row[words] = error_of(estimator.fit(seen.drop(columns=response), seen[response]).predict(new), new[response])
        rows.append(row)
    return 100 * pd.DataFrame(rows), chosen


def stored() -> dict[str, dict[str, str]]:
    """The cells of the first table of PRICE.md, by table and column."""
    if not (HERE / "PRICE.md").exists():
        return {}
    lines = [line for line in (HERE / "PRICE.md").read_text().split("\n") if line.startswith("|")]
    (_, *names), *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows if row[0] in TABLES}


def mean_of(cell: str) -> float:
    return float(cell.split()[0])


def prices(cells: dict[str, dict[str, str]]) -> str:
    """For each number of prototypes: points of error above the best of the three others, median and range over the tables."""
    lines = []
    for words in COLUMNS[: -len(OTHERS)]:
        known = {name: row for name, row in cells.items() if row.get(words, "-") != "-"}
        apart = pd.Series({name: mean_of(row[words]) - min(mean_of(row[c]) for c in OTHERS) for name, row in known.items()})
        if len(apart):
            ends = [f"{value:+.1f} ({name})" for value, name in ((apart.min(), apart.idxmin()), (apart.max(), apart.idxmax()))]
            lines.append([words, f"{apart.median():+.1f}", *ends, str(len(apart))])
    return as_table(["", "median", "lowest", "highest", "tables"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write PRICE.md")
    parser.add_argument("--splits", type=int, default=8, help="of each table (default: %(default)s)")
    parser.add_argument("--tables", nargs="+", default=TABLES, choices=TABLES, metavar="NAME", help=", ".join(TABLES))
    parser.add_argument("--columns", nargs="+", default=COLUMNS, choices=COLUMNS, metavar="NAME", help=", ".join(COLUMNS))
    options = parser.parse_args()
    cells, chosen, start = stored() if options.columns != COLUMNS else {}, dict[str, Counter[str]](), time.perf_counter()
    for name in options.tables:
        wanted = options.columns if name in cells else [*dict.fromkeys([*options.columns, *OTHERS])]
        found, best = errors_of(name, options.splits, wanted)
        for words, counts in best.items():
            chosen.setdefault(words, Counter()).update(counts)
        cells[name] = {**cells.get(name, {}), **{words: spread(found[words]) for words in found}}
        print(name, *(cells[name].get(c, "-") for c in COLUMNS), sep=" | ", flush=True)
    lines = [[name, *(row.get(c, "-") for c in COLUMNS)] for name, row in cells.items()]
    methods = [[words, ", ".join(f"{method} {count}" for method, count in counts.most_common())] for words, counts in chosen.items()]
    body = "\n\n".join([
        "# Accuracy with few prototypes",
        f"`python benchmarks/price.py {' '.join(sys.argv[1:])}`, {time.perf_counter() - start:.0f} s: errors on new rows (%), mean +- "
        f"standard error over {options.splits} splits, which share rows. \"1 per class\" to \"100 in total\" are the maximum number of "
        "prototypes of the best of three methods in 5 folds of the training rows; \"median GLVQ\" is this method alone, by the 1-SE rule "
        "or by the lowest error; \"all rows\" is the nearest neighbour.",
        as_table(["", *COLUMNS], lines),
        "Percentage points above the lowest mean error of logistic regression, forest and boosting. The lowest is selected by the test "
        "errors, which favours these three:",
        prices(cells),
        "How often each method, or matrix, was the best:",
        as_table(["", "splits"], methods),
    ])  # fmt: skip
    print(body)
    if options.write:
        (HERE / "PRICE.md").write_text(body + "\n")


if __name__ == "__main__":
    main()
