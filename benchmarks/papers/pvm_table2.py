"""Six sets, four methods (PVM paper, table 2, section 6.4): python benchmarks/papers/pvm_table2.py

Test error and number of prototypes of 1-NN, PVM, k-medoids and LVQ, tuned by 10-fold cross-validation and the 1-SE rule on 2/3 of
the rows and tested on the rest. The grids are the paper's as far as it tells them: equally spaced quantiles from the least distance
to the median for PVM (section 6.3), as many medoids in each class (section 6). It has one random split, which is not to be had, and
does not say whether columns were scaled: here 50 splits, the same for all methods, with columns divided by their sd and as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from common import Report, fetched, file, main, table

import protoclass as pc
from protoclass.pictures.style import GREY, colour, mark, panels

# test error in percent and prototypes of 1-NN, PVM, k-medoids, LVQ
PAPER = {
    "Diabetes": ((28.9, 512), (24.2, 12), (33.2, 44), (25.0, 29)),
    "Glass": ((38.0, 143), (36.6, 34), (39.4, 12), (35.2, 17)),
    "Heart": ((21.1, 180), (21.1, 6), (17.8, 26), (15.6, 12)),
    "Liver": ((41.7, 230), (41.7, 16), (40.0, 20), (33.9, 110)),
    "Vowel": ((2.8, 352), (2.8, 352), (2.8, 198), (19.9, 193)),
    "Wine": ((3.4, 119), (11.9, 4), (6.8, 12), (3.4, 3)),
}
NAMES = ("1-NN", "PVM", "k-medoids", "LVQ")
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25)  # medoids of a class
SHARES = (
    0.005,
    0.01,
    0.02,
    0.035,
    0.06,
    0.1,
    0.15,
    0.25,
    0.4,
    0.55,
)  # of the rows: medoids of a class, or code vectors
COLUMNS = {"divided by sd": pc.Euclidean(), "as they are": pc.Euclidean(scale=False)}


def sets() -> dict[str, tuple[str, pd.DataFrame]]:
    """Formula and rows of each set; of the vowels those of the training speakers, as n = 528 says."""
    vowel = pd.read_csv(file("vowel.csv"))  # OpenML's copy has other columns
    vowel = vowel.loc[vowel["split"] == "train", [*(f"x{k}" for k in range(1, 11)), "vowel"]]
    return {
        "Diabetes": ("diabetes ~ .", fetched("pima")),
        "Glass": ("type ~ .", fetched("glass")),
        "Heart": ("heart_disease ~ .", fetched("heart")),
        "Liver": ("selector ~ .", fetched("liver")),
        "Vowel": ("vowel ~ .", vowel),
        "Wine": ("cultivar ~ .", pc.load_data("wine")),
    }


def methods(response: pd.Series) -> dict[str, pc.Model]:
    """The four methods, and each that is tuned over another grid."""
    smallest = int(response.value_counts().min() * 2 / 3 * 0.9) - 1  # rows of a fold's training set, at least
    sizes = [k for k in SIZES if k <= smallest]
    return {
        "1-NN": pc.KNN(k=1),
        "PVM": pc.PVM(eps=pc.extend.quantiles(20)),
        "k-medoids": pc.KMedoids(K=sizes, starts=1),
        "LVQ": pc.LVQ(K=SHARES),
        "PVM, other grid": pc.PVM(),
        "k-medoids, other grid": pc.KMedoids(K=SHARES, starts=1),
        "LVQ, other grid": pc.LVQ(K=sizes),
    }


Found = dict[tuple[str, str], pc.results.Comparison]


def compared(repeats: int, names: set[str], choose: str, scales: tuple[str, ...]) -> Found:
    """The comparison for each set and scale of the columns; over the other grids only where columns are divided by their sd."""
    found = {}
    for name, (formula, data) in sets().items():
        if name not in names:
            continue
        every = methods(data[formula.split(" ")[0]])
        for columns in scales:
            tuned = every if columns == "divided by sd" else {method: every[method] for method in NAMES}
            found[name, columns] = pc.compare(formula, data, tuned, test_size=1 / 3, repeats=repeats,
                                              dissimilarity=COLUMNS[columns], choose=choose, progress=False)  # fmt: skip
    return found


def told(found: Found, name: str, columns: str, method: str) -> tuple[float, float, float]:
    """Mean and SD of the test error in percent, and mean number of prototypes."""
    row = found[name, columns].table.loc[method]
    return 100 * row["error"], 100 * row["sd"], row["prototypes"]


def apart(found: Found, columns: str) -> list[tuple[str, str, float]]:
    """(set, method, SDs) where the paper's error lies more than two SDs from the mean."""
    out = []
    for name in dict.fromkeys(key[0] for key in found):
        for method, (theirs, _) in zip(NAMES, PAPER[name], strict=True):
            mean, sd, _ = told(found, name, columns, method)
            if abs(theirs - mean) > 2 * sd:
                out.append((name, method, (theirs - mean) / sd))
    return out


def differences(found: Found, columns: str, other: str = "") -> pd.DataFrame:
    """Ours minus the paper's for each set and method: `error` in points, its `sd`, and `prototypes` (none of 1-NN, which keeps all)."""
    rows = []
    for name in dict.fromkeys(key[0] for key in found):
        for method, (theirs, count) in zip(NAMES, PAPER[name], strict=True):
            if other and method == "1-NN":
                continue
            mean, sd, size = told(found, name, columns, method + other)
            rows.append((f"{name} {method}", method, mean - theirs, sd, size - count))
    table = pd.DataFrame(rows, columns=["cell", "method", "error", "sd", "prototypes"]).set_index("cell")
    return table.assign(within=table["error"].abs() <= 2 * table["sd"])


def extremes(values: pd.Series, digits: int, unit: str) -> str:
    """The least and the largest of differences, with their cells."""
    values = values.round(digits) + 0.0  # no -0
    low, high = values.idxmin(), values.idxmax()
    return f"{values[low]:+.{digits}f} ({low}) to {values[high]:+.{digits}f}{unit} ({high})"


def headline(found: Found, repeats: int) -> str:
    """How many cells lie within two SDs, how far errors and sizes differ, and the same over the other scale and the default radii."""
    scaled, raw = (differences(found, columns) for columns in COLUMNS)
    default = differences(found, "divided by sd", ", other grid").query("method == 'PVM'")
    own = scaled.query("method == 'PVM'")
    sizes = scaled.query("method != '1-NN'")["prototypes"]
    far, sds = ", ".join(scaled.index[~scaled["within"]]) or "none", scaled["sd"]
    return (
        f"{scaled['within'].sum()} of {len(scaled)} errors of the paper's one split lie within two SDs of the mean over "
        f"{repeats} splits (apart: {far}; with columns as they are {raw['within'].sum()}), but an SD is {sds.min():.1f} to "
        f"{sds.max():.1f} points: errors differ by {extremes(scaled['error'], 1, ' points')}, numbers of prototypes by "
        f"{extremes(sizes, 0, '')}, of PVM's alone {extremes(own['prototypes'], 0, '')}; second, over the package's default radii "
        f"{default['within'].sum()} of {len(default)} of PVM's errors within, numbers of prototypes "
        f"{extremes(default['prototypes'], 0, '')}"
    )


def rows_of(found: Found, columns: str) -> list[list[str]]:
    """The paper's table: for each set and method ours, the paper's and the difference."""
    rows = []
    for name in dict.fromkeys(key[0] for key in found):
        for what in ("error (%)", "prototypes"):
            cells = []
            for method, printed in zip(NAMES, PAPER[name], strict=True):
                mean, sd, size = told(found, name, columns, method)
                if what == "prototypes":
                    cells.append(f"{size:.0f} / {printed[1]} / {size - printed[1]:+.0f}")
                    continue
                mark = " !" if abs(printed[0] - mean) > 2 * sd else ""
                cells.append(f"{mean:.1f} +- {sd:.1f} / {printed[0]} / {mean - printed[0]:+.1f}{mark}")
            rows.append([name if what == "error (%)" else "", what, *cells])
    return rows


def tried(runs: dict[str, Found], far: list[tuple[str, str, float]]) -> list[list[str]]:
    """What each far cell becomes with other columns, another grid, and the least error in place of the 1-SE rule."""
    rows = []
    for name, method, off in far:
        theirs, count = PAPER[name][NAMES.index(method)]
        cells = []
        for choose, columns, kind in EXPERIMENTS:
            if kind and method == "1-NN":
                cells.append("")
                continue
            mean, sd, size = told(runs[choose], name, columns, method + kind)
            near = "" if abs(theirs - mean) > 2 * sd else ", within"
            cells.append(f"{mean:.1f} +- {sd:.1f} ({size:.0f}){near}")
        rows.append([f"{name}, {method}", f"{theirs} ({count})", f"{off:+.1f}", *cells])
    return rows


def as_many(name: str, repeats: int) -> str:
    """PVM on the same splits, not tuned: at the radius that leaves as many prototypes as the paper has."""
    formula, data = sets()[name]
    theirs, count = PAPER[name][NAMES.index("PVM")]
    radii = pc.dissimilarity(formula, data).quantile(np.linspace(0.05, 0.85, 17)).tolist()
    fixed = {f"{eps:.3g}": pc.PVM(eps=eps) for eps in radii}
    result = pc.compare(formula, data, fixed, test_size=1 / 3, repeats=repeats, progress=False).table
    row = result.loc[(result["prototypes"] - count).abs().idxmin()]
    mean, sd = 100 * row["error"], 100 * row["sd"]
    within = "within" if abs(theirs - mean) <= 2 * sd else "not within"
    return (
        f"* {name}, PVM: the paper's split led to {count} prototypes. At a radius fixed at {row.name}, which leaves "
        f"{row['prototypes']:.1f} on average, the error is {mean:.1f} +- {sd:.1f} %, and the paper's {theirs} % {within} two SDs."
    )


# how the point is chosen, columns, grid
EXPERIMENTS = (("1se", "divided by sd", ""), ("1se", "as they are", ""), ("1se", "divided by sd", ", other grid"),
               ("min", "divided by sd", ""))  # fmt: skip


def picture(found: Found, columns: str) -> Any:
    """Mean +- 2 SD of each method, and the paper's error."""
    names = list(dict.fromkeys(key[0] for key in found))
    figure, places = panels(-(-len(names) // 3), 3, 3.3, 2.1)
    for ax, name in zip(places.ravel(), names, strict=False):
        for i, (method, (theirs, _)) in enumerate(zip(NAMES, PAPER[name], strict=True)):
            mean, sd, _ = told(found, name, columns, method)
            ax.errorbar(
                mean,
                i,
                xerr=2 * sd,
                fmt="o",
                ms=5,
                capsize=3,
                lw=1.4,
                color=colour(0),
                label="mean +- 2 SD" if not i else None,
            )
            ax.plot(theirs, i, mark(4), ms=7, color=colour(1), label="the paper's split" if not i else None, zorder=3)
        ax.set(yticks=range(len(NAMES)), yticklabels=NAMES, ylim=(len(NAMES) - 0.5, -0.5), xlabel="test error (%)")
        ax.set_xlim(left=0)
        ax.set_title(name, fontsize="medium")
        ax.grid(axis="x", lw=0.4, color=GREY, alpha=0.4)
    for ax in places.ravel()[len(names) :]:
        ax.set_axis_off()
    figure.legend(
        *places[0, 0].get_legend_handles_labels(), loc="outside upper right", fontsize="small", ncols=2, frameon=False
    )
    return figure


def report(repeats: int = 50, only: str = "") -> Report:
    found = compared(repeats, {only} if only else set(PAPER), "1se", tuple(COLUMNS))
    far = {columns: apart(found, columns) for columns in COLUMNS}
    again = {name for name, _, _ in far["divided by sd"]}
    runs = {"1se": found, "min": compared(repeats, again, "min", ("divided by sd",))}
    cells = sum(len(NAMES) for key in found if key[1] == "divided by sd")
    far_here = far["divided by sd"]
    head = ("", "", *(f"{method}: ours / paper's / difference" for method in NAMES))
    wider = (
        "set, method",
        "paper's",
        "SDs off",
        "as above",
        "columns as they are",
        "other grid",
        "least error, not 1-SE",
    )
    seconds = {
        name: found[name, "divided by sd"].table["seconds"] for name, columns in found if columns == "divided by sd"
    }
    slowest = max(seconds, key=lambda name: seconds[name].sum())
    body = f"""Means +- SD over {repeats} random splits, stratified, the same for all methods; the paper has one split,
so that its error should lie within two SDs of our mean in about 19 of 20 cells. "!" marks those that do not. An SD is that of one
split's error, mostly from its few test rows, so that cells may lie within two SDs and still some points apart. Columns are divided
by their sd.

{table(head, rows_of(found, "divided by sd"))}

![means with two standard deviations, and the paper's errors](figures/pvm_table2.png)

Radii of PVM: 20 equally spaced quantiles from the least distance to the median, as in the paper's section 6.3 (how many it has, and
whether it has them here too, it does not say); medoids: {", ".join(map(str, SIZES))} for each class as far as it has the
rows, as the paper's numbers are multiples of those of the classes; code vectors of LVQ (OLVQ1): shares
{", ".join(map(str, SHARES))} of each class. The slowest set is {slowest}, with {seconds[slowest].sum():.1f} s for one split.

## Were columns scaled?

The paper does not say. With columns divided by their sd {len(far_here)} of {cells} errors lie more than two SDs apart, with columns as
they are {len(far["as they are"])}: {", ".join(f"{name} {method}" for name, method, _ in far["as they are"])}.

## Cells that lie apart

Mean +- SD with the number of prototypes in brackets; "within": the paper's error lies within two SDs. The other grid: for PVM the
package's default radii, for k-medoids shares of each class (section 6.3), for LVQ as many code vectors in each class.

{table(wider, tried(runs, far_here)) if far_here else "None."}

{chr(10).join(as_many(name, repeats) for name, method, _ in far_here if method == "PVM")}

All sets by the other grids, columns divided by their sd:

{table(("set", *(f"{m}: error, prototypes (paper's)" for m in NAMES[1:])), [other(found, name) for name in seconds])}
"""
    return Report(
        "Six sets, four methods",
        {"PVM table 2": headline(found, repeats)},
        body,
        {"pvm_table2.png": picture(found, "divided by sd")},
    )


def other(found: Found, name: str) -> list[str]:
    cells = []
    for method, (theirs, count) in zip(NAMES[1:], PAPER[name][1:], strict=True):
        mean, sd, size = told(found, name, "divided by sd", f"{method}, other grid")
        cells.append(f"{mean:.1f} +- {sd:.1f}, {size:.0f} ({theirs}, {count})")
    return [name, *cells]


if __name__ == "__main__":
    main(report)
