"""Growth of time and memory with the number of rows: python benchmarks/scale.py (or make bench-scale)

Made data (`made.py`) of 2, 20 and 784 columns, 1000 to 1,000,000 rows. Each case runs in a process of its own, with a limit of
memory and one of time, so that one that does not end is a row of the table that says why. A size that would take longer than
the limit, by the growth so far, is not tried. Rows are printed as they are done; with --write the table goes to SCALE.md and
the picture to scale.png beside this file. --quick takes few rows and a minute or two, and --only some of the methods.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import math
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from one_case import Outcome, run

HERE = Path(__file__).resolve().parent
ROWS = 40  # of a ball
SIZES = (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
QUICK = (500, 1000)
COLUMNS = (2, 20, 784)
SHORTEST = 0.05  # seconds below which a time says little of growth


@dataclass(frozen=True)
class Method:
    """What is measured: the words of the tables, the case of `cases.py`, and what the case needs to know."""

    words: str
    case: str
    balls: bool = False
    columns: tuple[int, ...] = COLUMNS
    needs: str | None = None
    note: str = ""


METHODS = {
    "one_eps": Method("PVM, one eps", "one_eps", balls=True,
                      note=f"`pc.fit` from frame to Fit, all rows are candidates, balls of about {ROWS} rows"),
    "default": Method("PVM, default fit", "default_fit",
                      note="`pc.fit(formula, data)`: distance and eps by ten folds, and a sample of candidates if rows are many"),
    "compared": Method("comparisons of new rows", "compared", balls=True, columns=(20,),
                       note="new rows in memory with the prototypes of a fit of 30,000 rows as above, on all processors"),
    "written": Method("predict_to", "written", balls=True, columns=(20,),
                      note="`fit.predict_to` of the same rows and fit, from a parquet file with a key column to a parquet file"),
    "numpy": Method("plain NumPy greedy", "numpy_greedy", balls=True, note="section 3.2 of the PVM paper, written out, balls as above"),
    "knn": Method("KNeighborsClassifier", "neighbours", note="scikit-learn, k = 5: fit, and the classes of all rows"),
    "centroid": Method("NearestCentroid", "nearest_centroid", note="scikit-learn: fit, and the classes of all rows"),
    "kmedoids": Method("kmedoids FasterPAM", "medoids", needs="kmedoids",
                       note="100 medoids from a random start, and the distances by scikit-learn"),
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A case that was measured, or why it was not."""

    method: str
    p: int
    n: int
    outcome: Outcome

    @property
    def done(self) -> bool:
        return self.outcome.seconds is not None


def grown(before: list[Row], n: int) -> float:
    """Seconds that n rows will take by the growth of the last two sizes, which is taken as n log n at least and n^2.5 at most."""
    if len(before) < 2:
        return 0.0
    last = before[-1]
    power = min(2.5, max(1.1, exponent(before[-2:])))
    return last.outcome.seconds * (n / last.n) ** power  # type: ignore[operator]


def exponent(rows: list[Row], what: str = "seconds", least: float = 0.0) -> float:
    """The slope of log time (or memory) on log n by least squares, over rows with at least so much; NaN with fewer than two."""
    pairs = [(r.n, value) for r in rows if (value := getattr(r.outcome, what)) is not None and value > least]
    if len(pairs) < 2:
        return math.nan
    x, y = np.log(np.array(pairs, float)).T
    return float(np.polyfit(x, y, 1)[0])


def series(name: str, p: int, sizes: tuple[int, ...], seconds: float, gigabytes: float) -> Iterator[Row]:
    """A method's rows at p columns, up to the first size that does not end."""
    method, done = METHODS[name], list[Row]()
    if method.needs and importlib.util.find_spec(method.needs) is None:
        yield Row(name, p, sizes[0], Outcome(None, None, f"the package {method.needs} is not installed"))
        return
    for n in sizes:
        expected = grown(done, n)
        if expected > seconds:
            why = f"time: about {brief(expected)} by the growth so far, above {seconds:g} s"
            yield Row(name, p, n, Outcome(None, None, why))
            return
        row = Row(name, p, n, run(method.case, {"n": n, "p": p} | ({"rows": ROWS} if method.balls else {}), seconds, gigabytes))
        yield row
        if not row.done:
            return
        done.append(row)


def brief(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def line(row: Row, before: Row | None) -> str:
    """A row of the table; its exponents are those from the size before."""
    o, cells = row.outcome, [METHODS[row.method].words, f"{row.p}", f"{row.n:,}"]
    if not row.done:
        return f"| {' | '.join([*cells, '', '', '', '', o.note])} |"
    pair = [before, row] if before is not None else []
    powers = [exponent(pair, "seconds", SHORTEST), exponent(pair, "gigabytes", 0.01)]
    time_power, memory_power = ("" if math.isnan(v) else f"{v:.2f}" for v in powers)
    return f"| {' | '.join([*cells, f'{o.seconds:.3g}', time_power, f'{o.gigabytes:.3f}', memory_power, o.note])} |"


HEAD = "| method | columns | rows | seconds | exponent | GB | exponent | answer, or why it ends |\n|---|---|---|---|---|---|---|---|"


def summary(rows: list[Row]) -> str:
    """For each method and number of columns: the exponents over all sizes, how far it goes, and why it ends."""
    head = "| method | columns | time grows as n to the | memory | largest n | seconds there | why it ends |"
    lines = [head, "|---|---|---|---|---|---|---|"]
    for name in dict.fromkeys(r.method for r in rows):
        for p in dict.fromkeys(r.p for r in rows if r.method == name):
            own = [r for r in rows if (r.method, r.p) == (name, p)]
            done = [r for r in own if r.done]
            powers = exponent(done, "seconds", SHORTEST), exponent(done, "gigabytes", 0.01)
            shown = ["" if math.isnan(v) else f"{v:.2f}" for v in powers]
            last = [f"{done[-1].n:,}", f"{done[-1].outcome.seconds:.3g}"] if done else ["", ""]
            ends = "" if own[-1].done else f"{own[-1].n:,}: {own[-1].outcome.note}"
            lines.append(f"| {' | '.join([METHODS[name].words, str(p), *shown, *last, ends])} |")
    return "\n".join(lines)


def report(rows: list[Row], command: str, took: float, seconds: float, gigabytes: float) -> str:
    """The text of SCALE.md."""
    from protoclass.core.parallel import cores

    used = dict.fromkeys(r.method for r in rows)
    return (
        f"# Growth with the number of rows\n\n`{command}`, {datetime.date.today()}, {cores()} cores of {platform.machine()}, "
        f"Python {platform.python_version()}, NumPy {np.__version__}; {brief(took)} in all.\n\n"
        "Data are simulated (`benchmarks/made.py`). Two columns are the mixtures of the PVM paper. More columns are ten classes "
        "of ten Gaussians in ten dimensions with noise; 784 columns are in single precision. Seconds are the lowest of up to three "
        "runs (one if it takes over 20 s), after a warm-up on 300 rows. GB is the peak memory beyond the data. Each case is a "
        f"process with {gigabytes:g} GB of memory beyond its data and {seconds:g} s for a run.\n\n"
        + "\n".join(f"* {METHODS[name].words}: {METHODS[name].note}." for name in used)
        + "\n\n![Time and memory against the number of rows](scale.png)\n\n"
        f"Exponents by least squares on the logarithms, of times over {SHORTEST:g} s and peaks over 0.01 GB:\n\n{summary(rows)}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"{', '.join(map(str, QUICK))} rows")
    parser.add_argument("--only", nargs="+", choices=list(METHODS), default=list(METHODS), metavar="METHOD", help=", ".join(METHODS))
    parser.add_argument("--columns", nargs="+", type=int, default=list(COLUMNS))
    parser.add_argument("--seconds", type=float, default=300.0, help="limit of a run")
    parser.add_argument("--gigabytes", type=float, default=8.0, help="limit of memory beyond the data")
    parser.add_argument("--write", action="store_true", help="write SCALE.md and scale.png")
    options = parser.parse_args()
    start, rows = time.perf_counter(), list[Row]()
    command = " ".join(["python benchmarks/scale.py", *sys.argv[1:]])
    print(HEAD, flush=True)
    for name in options.only:
        for p in [p for p in options.columns if p in METHODS[name].columns]:
            before = None
            for row in series(name, p, QUICK if options.quick else SIZES, options.seconds, options.gigabytes):
                print(line(row, before), flush=True)
                rows.append(row)
                before = row
            if options.write:  # after each series, so that a run that is stopped leaves what it has measured
                from scale_picture import draw

                took = time.perf_counter() - start
                (HERE / "SCALE.md").write_text(report(rows, command, took, options.seconds, options.gigabytes))
                draw(rows, {name: method.words for name, method in METHODS.items()}, HERE / "scale.png")
    print(f"\n{summary(rows)}", flush=True)


if __name__ == "__main__":
    main()
