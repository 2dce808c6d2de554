"""The first answer: python benchmarks/first_answer.py

`pc.fit(formula, train)` without further arguments, on a stratified two thirds of the rows, and its error on the other third: mean and
standard error over splits, with the mean number of prototypes in brackets. Beside it is logistic regression, and with `--fits` the same
fit on scaled Euclidean distance (Gower for mixed predictors) and one draw of the folds, on `pc.LDA()` or `pc.QDA()` alone, or with
unscaled Euclidean distance in the place of the scaled one.
`--simulate` compares the corrected error and its 95 % interval with the error on 4,000 new rows; `--seeds` counts the prototypes of all
rows over several seeds. Tables are printed, and written to FIRST_ANSWER.md beside this file with --write. Data that the package does
not have are read from the folder that PROTOCLASS_DATA names.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from median_glvq import as_table, columns_and, error_of
from price import table_of
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit

import protoclass as pc

HERE = Path(__file__).resolve().parent
TABLES = ["breast cancer", "heart", "wine", "liver", "Pima", "iris", "Haberman", "glass", "vowel", "moons", "credit", "digits"]
FITS: dict[str, dict[str, Any]] = {
    "default": {}, "one distance, one draw": {"repeats": 1}, "LDA": {"dissimilarity": pc.LDA()}, "QDA": {"dissimilarity": pc.QDA()},
    "columns as they are": {"dissimilarity": [pc.Euclidean(scale=False), pc.LDA(), pc.QDA()]},
}  # fmt: skip


STABLE = ["iris", "wine", "breast cancer", "Pima", "heart"]


def data_of(name: str) -> tuple[pd.DataFrame, str]:
    """Complete rows of a table, and its response."""
    if name == "moons":
        X, y = make_moons(300, noise=0.3, random_state=1)
        return pd.DataFrame(X, columns=["a", "b"]).assign(y=y.astype(str)), "y"
    if name == "glass":
        data = pd.read_csv(Path(os.environ["PROTOCLASS_DATA"]) / "glass.csv")
        return data.assign(type=data["type"].astype(str)), "type"
    data, response, _ = table_of("credit, Gower" if name == "credit" else name)
    return data.dropna(ignore_index=True), response


def usual(data: pd.DataFrame, response: str) -> str:
    """The dissimilarity of these predictors if only one is tried."""
    numeric = all(pd.api.types.is_numeric_dtype(data[c]) for c in data if c != response)
    return "euclidean" if numeric else "gower"


def errors_of(name: str, splits: int, fits: list[str]) -> pd.DataFrame:
    """For each split the test error of each fit in percent, its number of prototypes, and the distance that was chosen."""
    (data, response), rows = data_of(name), []
    one = usual(data, response)
    for train, test in StratifiedShuffleSplit(splits, train_size=2 / 3, random_state=0).split(data, data[response]):
        seen, new, row = data.iloc[train], data.iloc[test], dict[str, Any]()
        for words in fits:
            if words == "QDA" and one == "gower":
                continue
            given = {"dissimilarity": one, **FITS[words]} if words.startswith("one") else FITS[words]
            fit = pc.fit(f"{response} ~ .", seen, progress=False, **given)
            row |= {words: 100 * error_of(fit.predict(new), new[response]), f"{words}, prototypes": len(fit.prototypes)}
            if words == fits[0]:
                row["chosen"] = fit.dissimilarity.metric.name
        logistic = columns_and(data, response, LogisticRegression(max_iter=5000)).fit(seen.drop(columns=response), seen[response])
        row["logistic"] = 100 * error_of(logistic.predict(new.drop(columns=response)), new[response])
        rows.append(row)
    return pd.DataFrame(rows)


def line_of(name: str, found: pd.DataFrame, fits: list[str]) -> list[str]:
    """A line of the table."""
    cells = [name]
    for words in (*fits, "logistic"):
        if words not in found:
            cells.append("-")
            continue
        size = f" [{found[f'{words}, prototypes'].mean():.0f}]" if words != "logistic" else ""
        cells.append(f"{found[words].mean():.1f} ({found[words].std() / len(found) ** 0.5:.1f}){size}")
    return [*cells, ", ".join(f"{k} {v}" for k, v in found["chosen"].value_counts().items())]


def noise(p: int) -> Callable[[int, np.random.Generator], pd.DataFrame]:
    def draw(n: int, rng: np.random.Generator) -> pd.DataFrame:
        return pd.DataFrame(rng.normal(size=(n, p))).add_prefix("x").assign(y=rng.permutation(np.arange(n) % 2).astype(str))

    return draw


def normals(n: int, rng: np.random.Generator, rare: float = 0.5) -> pd.DataFrame:
    y = (np.arange(n) < round(rare * n)).astype(int)
    return pd.DataFrame(rng.normal(size=(n, 4)) + 1.2 * y[:, None]).add_prefix("x").assign(y=y.astype(str))


def rings(n: int, rng: np.random.Generator) -> pd.DataFrame:
    y, angle = np.arange(n) % 2, rng.uniform(0, 2 * np.pi, n)
    radius = 1 + y + rng.normal(0, 0.35, n)
    return pd.DataFrame({"x0": radius * np.cos(angle), "x1": radius * np.sin(angle), "y": y.astype(str)})


def a_rare_class(n: int, rng: np.random.Generator) -> pd.DataFrame:
    return normals(n, rng, rare=0.12)


SHAPES = {
    "noise, 5 columns": noise(5), "noise, 40 columns": noise(40), "two normals": normals, "rings": rings, "a rare class": a_rare_class,
}  # fmt: skip


def simulated(draw: Callable[[int, np.random.Generator], pd.DataFrame], n: int, samples: int) -> list[str]:
    """Means over samples, in percent: true, CV and corrected error, the bias of the latter (SE), SD of the CV error, and its mean SE;
    and the coverage of the interval."""
    found = []
    for s in range(samples):
        data, new = draw(n, np.random.default_rng([s, n])), draw(4000, np.random.default_rng([s, n, 1]))
        v = pc.cross_validate("y ~ .", data, progress=False)
        true = error_of(v.fit.predict(new), new["y"])
        corrected = v.corrected()
        error, se = v.selected("1se")[["error", "se"]]
        found.append([true, error, corrected.value, corrected.low <= true <= corrected.high, se])
    true, error, corrected, inside, se = 100 * np.array(found, float).T
    bias, spread = corrected - true, error.std(ddof=1)
    errors = [f"{values.mean():.1f}" for values in (true, error, corrected)]
    known = f"{bias.mean():+.1f} ({bias.std(ddof=1) / samples**0.5:.1f})"
    return [*errors, known, f"{spread:.1f}", f"{se.mean():.1f}", f"{inside.mean() / 100:.2f}"]


def stability_line(name: str, seeds: int) -> list[str]:
    """Number of prototypes of the default fit of all rows for each seed, its distances, and the range of its CV error in percent."""
    data, response = data_of(name)
    fits = [pc.fit(f"{response} ~ .", data, seed=seed, progress=False) for seed in range(seeds)]
    sizes, curves = [len(fit.prototypes) for fit in fits], [fit.validation for fit in fits]
    errors = [100 * v.selected("1se")["error"] for v in curves]
    chosen = pd.Series([fit.dissimilarity.metric.name for fit in fits]).value_counts()
    return [name, " ".join(map(str, sizes)), ", ".join(f"{k} {v}" for k, v in chosen.items()), f"{min(errors):.1f} to {max(errors):.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write FIRST_ANSWER.md")
    parser.add_argument("--splits", type=int, default=20, help="of each table (default: %(default)s)")
    parser.add_argument("--tables", nargs="*", default=TABLES, choices=TABLES, metavar="NAME", help=", ".join(TABLES))
    parser.add_argument("--fits", nargs="+", default=["default"], choices=FITS, help="beside logistic regression (default: default)")
    parser.add_argument("--simulate", type=int, default=0, metavar="SAMPLES", help="samples of each simulation (default: none)")
    parser.add_argument("--shapes", nargs="+", default=[*SHAPES], choices=SHAPES, metavar="NAME", help=f"to simulate: {', '.join(SHAPES)}")
    parser.add_argument("--seeds", type=int, default=0, help="seeds of the fits of all rows (default: none)")
    parser.add_argument("--rows", nargs="+", type=int, default=[60, 150, 600], help="of a sample (default: 60 150 600)")
    options = parser.parse_args()
    parts = ["# The default fit"]
    if options.tables:
        lines = []
        for name in options.tables:
            lines.append(line_of(name, errors_of(name, options.splits, options.fits), options.fits))
            print(*lines[-1], sep=" | ", flush=True)
        parts += [
            f"`python benchmarks/first_answer.py {' '.join(sys.argv[1:])}`: error on new rows (%), mean (standard error) [prototypes] over "
            f"{options.splits} splits, and how often each distance was selected.",
            as_table(["", *options.fits, "logistic", "selected"], lines),
        ]
    if options.simulate:
        lines = []
        for name in options.shapes:
            for n in options.rows:
                lines.append([name, f"{n}", *simulated(SHAPES[name], n, options.simulate)])
                print(*lines[-1], sep=" | ", flush=True)
        head = ["", "rows", "true error", "CV error", "corrected", "bias (SE)", "SD of CV error", "its SE", "coverage"]
        words = f"Errors (%) and the coverage of the corrected error's 95 % interval, means over {options.simulate} samples."
        parts += [words, as_table(head, lines)]
    if options.seeds:
        lines = []
        for name in STABLE:
            lines.append(stability_line(name, options.seeds))
            print(*lines[-1], sep=" | ", flush=True)
        parts += [f"Fits of all rows with {options.seeds} seeds.", as_table(["", "prototypes", "distance", "CV error (%)"], lines)]
    if options.write:
        (HERE / "FIRST_ANSWER.md").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
