"""What `Fit.stability` says of prototypes, and what is true among fresh rows: python benchmarks/stability.py

Two Gaussians, 100 rows. Each prototype of a fit is put among 99 fresh rows, which choose anew, many times: the truth of `reselected`.
Fresh samples of 100 rows without it give the truth of `ball_hit_rate` and `distance_95`. What `Stability.replicate` says of a part of the
rows is compared with pairs of fresh samples of that size. The tables are printed, and written to STABILITY.md beside this file
with --write.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import protoclass as pc
from protoclass.core.parallel import Once
from protoclass.core.sources import Held
from protoclass.core.task import Task

HERE = Path(__file__).resolve().parent
ROWS, SHARES = 100, (0.24, 0.5)
CLASSES = {"pvm": "PVM", "kmedoids": "KMedoids", "condensed": "Condensed"}
CASES = {
    "PVM, eps 0.5": ("pvm", {"eps": 0.5}),
    "PVM, eps 1": ("pvm", {"eps": 1.0}),
    "PVM, eps 1, lambda 2": ("pvm", {"eps": 1.0, "lambda_": 2.0}),
    "k-medoids, K = 4": ("kmedoids", {"K": 4}),
    "condensed 1-NN": ("condensed", {}),
}


def draw_rows(draw: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """n rows of two Gaussians of unit variance, two apart; the classes share them evenly."""
    y = np.arange(n) % 2
    return draw.normal(size=(n, 2)) + np.column_stack([2.0 * y - 1, np.zeros(n)]), y


def choose(model: pc.Model, X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that become prototypes, and their classes."""
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    task = Task(Once(lambda: Held(D)), y, 2, np.ones(len(y)), np.arange(len(y)), (seed,), levels=("u", "v"))
    prototypes = model.path(task, {}).at(0).prototypes
    return prototypes.at, prototypes.classes


def put_among(model: pc.Model, x: np.ndarray, own: int, serves: int, n: int, draw: np.random.Generator) -> bool:
    """Whether a row is chosen among n - 1 fresh ones."""
    X, y = draw_rows(draw, n)
    place = int(draw.choice(np.flatnonzero(y == own)))  # where it stands decides ties
    X[place] = x
    at, classes = choose(model, X, y, int(draw.integers(2**31)))
    return bool(((at == place) & (classes == serves)).any())


def true_of_pairs(
    model: pc.Model, radius: float | None, n: int, pairs: int, draw: np.random.Generator
) -> dict[str, float]:
    """Of prototypes of fresh samples: the share near one of another sample, and the share chosen when put among its rows."""
    near, chosen = [], []
    for _ in range(pairs):
        (X, y), (F, z) = draw_rows(draw, n), draw_rows(draw, n)
        (at, classes), (others, of) = (choose(model, *rows, int(draw.integers(2**31))) for rows in ((X, y), (F, z)))
        if len(at) == 0:
            continue
        d = np.sqrt(((F[others][:, None] - X[at][None]) ** 2).sum(axis=2))
        near.append(np.nan if radius is None else ((d < radius) & (of[:, None] == classes)).any(axis=0).mean())
        k = draw.integers(len(at))
        chosen.append(put_among(model, X[at[k]], y[at[k]], classes[k], n, draw))
    return {"ball_hit_rate": float(np.mean(near)), "reselected": float(np.mean(chosen))}


def of_one(method: str, parameters: dict[str, float], seed: int, B: int, repeats: int, each: int) -> dict[str, float]:
    """What is said and what is true of the prototypes of one data set, on average; of `reselected`, of some of them."""
    draw = np.random.default_rng(seed)
    X, y = draw_rows(draw, ROWS)
    data = pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(y, "v", "u"))
    fit = pc.fit("y ~ .", data, method, dissimilarity=pc.Euclidean(scale=False), progress=False, **parameters)
    # halves both times where the method takes no weights
    told = {"bootstrap": fit.stability(B, progress=False), "halves": fit.stability(B, sample="halves", progress=False)}
    prototypes, out = fit.rule.prototypes, dict[str, float]()
    nearest = np.full((repeats, len(prototypes)), np.inf)
    for b in range(repeats):
        F, z = draw_rows(draw, ROWS)
        at, classes = choose(fit.model, F, z, b)
        for k, (j, c) in enumerate(zip(prototypes.at, prototypes.classes, strict=True)):
            nearest[b, k] = np.sqrt(((F[at[classes == c]] - X[j]) ** 2).sum(axis=1)).min(initial=np.inf)
    some = draw.choice(len(prototypes), min(each, len(prototypes)), replace=False)
    for how, one in told.items():
        table = one.prototypes
        out[f"distance_95, {how}"] = float((nearest <= table["distance_95"].to_numpy()).mean())
        out[f"reselected, {how}"] = float(table["reselected"].iloc[some].mean())
        out[f"ball_hit_rate, {how}"] = float(table["ball_hit_rate"].mean()) if "ball_hit_rate" in table else np.nan
    out["ball_hit_rate, true"] = np.nan if prototypes.radii is None else float((nearest < prototypes.radii).mean())
    out["reselected, true"] = float(np.mean([
        put_among(fit.model, X[j], y[j], c, ROWS, draw)
        for j, c in zip(prototypes.at[some], prototypes.classes[some], strict=True) for _ in range(repeats)
    ]))  # fmt: skip
    fresh = told["bootstrap"].replicate(SHARES, B, seed, progress=False)
    for name in ("ball_hit_rate", "reselected"):
        out |= {f"{name}, {share}": fresh[name][share] if name in fresh else np.nan for share in SHARES}
    return out | {"some": len(some)}


def of_case(
    name: str, sets: int, B: int, repeats: int, each: int, pairs: int
) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The row of each table for a method."""
    method, parameters = CASES[name]
    means = pd.DataFrame([of_one(method, parameters, seed, B, repeats, each) for seed in range(sets)])
    model = replace(getattr(pc, CLASSES[method])(), **parameters)

    def cell(column: str) -> str:
        return "" if means[column].isna().all() else f"{means[column].mean():.2f}"

    first = {"method": name, "prototypes": str(int(means["some"].sum()))} | {
        f"{what}: {how}": cell(f"{what}, {how}")
        for what, ways in (("reselected", ("bootstrap", "halves", "true")), ("ball_hit_rate", ("bootstrap", "halves", "true")),
                           ("distance_95", ("bootstrap", "halves")))
        for how in ways
    }  # fmt: skip
    second = []
    for share in SHARES:
        n = 2 * int(share * ROWS / 2)
        true = true_of_pairs(model, parameters.get("eps"), n, pairs, np.random.default_rng(n))
        row = {"method": name, "rows": str(n)}
        for what in ("ball_hit_rate", "reselected"):
            said = cell(f"{what}, {share}")
            row[f"{what}: replicate"] = said and f"{said} +- {means[f'{what}, {share}'].std():.2f}"
            row[f"{what}: true"] = said and f"{true[what]:.2f}"
        second.append(row)
    return first, second


def in_markdown(rows: list[dict[str, str]]) -> str:
    lines = [f"| {' | '.join(rows[0])} |", "|" + "---|" * len(rows[0])]
    return "\n".join([*lines, *(f"| {' | '.join(row.values())} |" for row in rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write STABILITY.md")
    parser.add_argument("--sets", type=int, default=12, help="data sets for each method")
    parser.add_argument("--each", type=int, default=3, help="prototypes of each data set whose truth is measured")
    parser.add_argument("--repeats", type=int, default=100, help="fresh samples for each prototype")
    options = parser.parse_args()
    first, second = [], []
    for name in CASES:
        row, more = of_case(name, options.sets, 200, options.repeats, options.each, 600)
        first, second = [*first, row], [*second, *more]
        print(row, more, flush=True)
    text = (
        "# Bootstrap and true stability\n\nData: two Gaussians of unit variance, two apart, 100 rows. Command: "
        f"`python benchmarks/stability.py --write --sets {options.sets} --each {options.each} --repeats {options.repeats}`. "
        f"Each method has {options.sets} data sets. The true rate of `reselected` is measured for up to {options.each} prototypes of each, "
        f"with {options.repeats} new samples; the others for all prototypes. Each call of `stability` draws 200 samples. Values are means "
        f"over data sets. Methods without weights draw half samples.\n\n{in_markdown(first)}\n\n"
        "All samples are drawn from the rows that selected the prototypes. So `reselected` is optimistic: it is 1.2 to 5 times the true "
        "rate. `ball_hit_rate` is optimistic if balls are small and contain few rows, and less so if it is near 1. `distance_95` is the "
        "proportion of new samples with a prototype of the class within that distance; its nominal value is 0.95.\n\n"
        "`Stability.replicate` compares two samples without a common row. The true rate is that of 600 pairs of new samples of this "
        f"size. +-: standard deviation over data sets.\n\n{in_markdown(second)}\n\n"
        "The estimates agree with the true rates for both sizes. They are not extrapolated to all rows.\n"
    )
    print(text)
    if options.write:
        (HERE / "STABILITY.md").write_text(text)


if __name__ == "__main__":
    main()
