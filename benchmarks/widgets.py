"""Answers of the explorers to their page, which draws by itself: python benchmarks/widgets.py

What the kernel does when the page has moved a slider or selected something: the fit that is then shown, tables, and what the page lacks.
Rows are a mixture of 2000 in the plane and the 7291 USPS training images, which come from
`fetch_data("usps")`: the folder that PROTOCLASS_DATA names, else OpenML. The table is printed, and written to WIDGETS.md
beside this file with --write.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from made import mixture

import protoclass as pc
from protoclass.core.parallel import cores
from protoclass.widgets.curve import CurveExplorer
from protoclass.widgets.prototypes import PrototypeExplorer

HERE = Path(__file__).resolve().parent
RAW = pc.Euclidean(scale=False)


def clock(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def moved(explorer: Any, trait: str, values: Iterable[Any]) -> list[float]:
    """Seconds of each change of a trait and of the answer to the page, which has heard of it."""

    def change(value: Any) -> None:
        setattr(explorer, trait, value)
        explorer.answer({"state": explorer.state, "wants": ["rivals"]})

    seconds = [clock(lambda value=value: change(value)) for value in values]  # type: ignore[misc]
    if explorer.exception is not None:
        raise explorer.exception
    return seconds


def told(seconds: list[float]) -> str:
    """Median and 95th percentile."""
    return f"{1000 * np.median(seconds):.0f} / {1000 * np.quantile(seconds, 0.95):.0f} ms"


def measured(fit: Any, shape: Any, laps: int) -> dict[str, str]:
    """What each control takes."""
    opened: list[Any] = []
    out = {"opening the explorer": f"{clock(lambda: opened.append(PrototypeExplorer(fit, shape=shape))):.2f} s"}
    e = opened[0]
    radii = fit.validation.grid["eps"].tolist()
    there_and_back = [*radii[1:], *radii[-2::-1]] * laps
    moved(e, "eps", [*there_and_back[:3], radii[-1]])
    least = e.size
    e.eps = radii[0]
    most = e.size
    out[f"radius, {len(radii)} values ({most} to {least} prototypes)"] = told(moved(e, "eps", there_and_back))
    sizes = np.geomspace(most, 1, 20 * laps).astype(int).tolist()
    out[f"number of prototypes, {most} to 1"] = told(moved(e, "size", sizes))
    e.eps = radii[len(radii) // 2]
    e.size = e._most()
    labels = e.fit.prototypes.index[:20].tolist()
    out["selecting a prototype"] = told(moved(e, "selected", labels * laps))
    rows = fit.frame.index[:: max(1, fit.nobs // 20)].tolist()
    out["selecting a row"] = told(moved(e, "selected", rows * laps))
    curve = CurveExplorer(fit.validation)
    points = range(len(fit.validation.table))
    out["point of the error curve"] = told(moved(curve, "point", [*points, *reversed(points)][1:] * laps))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--laps", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write WIDGETS.md")
    options = parser.parse_args()
    points = mixture(2000, seed=0)
    usps = pc.fetch_data("usps")
    usps = usps[usps.split == "train"].drop(columns="split").copy()
    fits = [
        ("mixture", pc.fit("class ~ .", points, progress=False), None, "< 100 ms"),
        ("USPS", pc.fit("digit ~ .", usps, dissimilarity=RAW, progress=False), None, "< 300 ms"),
        ("USPS, with pictures", pc.fit("digit ~ .", usps, dissimilarity=RAW, progress=False), (16, 16), "< 300 ms"),
    ]
    lines = ["| rows | what changes | median / 95 % | goal |", "|---|---|---|---|"]
    for name, fit, shape, goal in fits:
        for what, result in measured(fit, shape, options.laps).items():
            lines.append(
                f"| {name}, n = {fit.nobs} | {what} | {result} | {'' if what.startswith('opening') else goal} |"
            )
    head = (
        f"# Answers of the explorers\n\n`python benchmarks/widgets.py --laps {options.laps} --write`, {datetime.date.today()}, "
        f"{cores()} cores of {platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}.\n"
        "From a change of the state to the answer; the page has drawn it before, by itself.\n"
    )
    text = head + "\n" + "\n".join(lines) + "\n"
    print(text)
    if options.write:
        (HERE / "WIDGETS.md").write_text(text)


if __name__ == "__main__":
    main()
