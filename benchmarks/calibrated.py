"""Do calibrated probabilities come true in small samples: python benchmarks/calibrated.py [--n 40 60 150 600] [--new 200].

Each run draws n training rows and further rows of two classes, fits the PVM with eps=0.8 ("fixed") or with eps tuned by
cross-validation ("tuned"), calibrates it on its training rows, and predicts the further rows. "signal": two Gaussians whose means
differ by 1.5 in each of two columns. "noise": the columns are independent of the class.

Columns: `stated`, the mean probability of the more probable class among rows where it is at least 0.9; `true`, how often it is the
true class; `rows`, the proportion of such rows; `log_loss`, the mean log loss (0.693 for 1/2 and 1/2; inf if some row had
probability 0 for its class); `zeros`, the proportion of rows with probability 0 for their class; `coverage`, how often the
prediction sets of level 0.9 contain the true class.

For n = 40, 60, 150 and 600, with eps tuned. Before slopes and steps were shrunken and eps was tuned again without each fold:
multinomial, signal: stated .954 .957 .961 .957, true .944 .959 .953 .962; noise: stated .931 .924 - -, true .492 .333 - -
isotonic, signal: stated .988 .983 .970 .967, true .909 .921 .932 .951, zeros .041 .027 .013 .000; noise: stated .988 .997 .995 1, true
.511 .510 .469 .800, zeros .027 .018 .004 .001, so that the log loss was inf. Coverage: .900 .894 .896 .904; noise .923 .932 .931 .927.
Now:
multinomial, signal: stated .945 .949 .954 .958, true .947 .956 .957 .954; noise: no row is stated at .9 or more
isotonic, signal: stated .945 .955 .955 .951, true .912 .924 .948 .932; noise: stated .914 .916 - -, true .481 .378 - - (.4 and .6 % of the
rows); log loss of noise .725 .723 .710 .700. Coverage: .910 .907 .901 .904; noise .969 .970 .987 .978.
"""

import argparse
from dataclasses import replace

import numpy as np
import pandas as pd

import protoclass as pc
from protoclass.core.statistics.scores import LEARN

METRIC = pc.Euclidean(scale=False)
RUNS = {40: 60, 60: 40, 150: 16, 600: 5}


def draw(n, gap, random):
    y = np.arange(n) % 2
    X = random.normal(size=(n, 2)) + gap * y[:, None]
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(y, "ill", "well"))


def judged(fit, how, new):
    """Probabilities (r, 2) of new rows by a way to learn them, their class codes, and whether the sets contain these."""
    known = fit.calibration
    chances = LEARN[how](known.scores, known.conformal.y, known.conformal.w)
    p = replace(fit, calibration=replace(known, chances=chances)).predict(new, "prob")
    held = [t in s for t, s in zip(new["y"], fit.predict(new, "set", level=0.9), strict=True)]
    return p.to_numpy(), p.columns.get_indexer(new["y"]), np.array(held)


def cells(n, gap, tuned, runs, count):
    """For each way the figures over all runs."""
    found = {how: [] for how in LEARN}
    for run in range(runs):
        random = np.random.default_rng([run, n])
        train, new = draw(n, gap, random), draw(count, gap, random)
        parameters = {} if tuned else {"eps": 0.8}
        fit = pc.fit("y ~ .", train, dissimilarity=METRIC, seed=run, calibrate=True, progress=False, **parameters)
        for how, rows in found.items():
            rows.append(judged(fit, how, new))
    return {how: figures(*(np.concatenate(part) for part in zip(*rows, strict=True))) for how, rows in found.items()}


def figures(p, y, held):
    top, own = p.max(axis=1), p[np.arange(len(y)), y]
    sure = top >= 0.9
    with np.errstate(divide="ignore"):
        log_loss = float(-np.log(own).mean())
    return {
        "stated": top[sure].mean() if sure.any() else np.nan,
        "true": (p.argmax(axis=1) == y)[sure].mean() if sure.any() else np.nan,
        "rows": sure.mean(), "log_loss": log_loss, "zeros": (own == 0).mean(), "coverage": held.mean(),
    }  # fmt: skip


def main(sizes, count):
    rows = {}
    for world, gap in (("signal", 1.5), ("noise", 0.0)):
        for tuned in (False, True):
            for n in sizes:
                for how, found in cells(n, gap, tuned, RUNS.get(n, 40), count).items():
                    rows[how, world, "tuned" if tuned else "fixed", n] = found
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis(["how", "world", "eps", "n"])
    print(table.sort_index(sort_remaining=True).round(3).to_string())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=list(RUNS))
    parser.add_argument("--new", type=int, default=200)
    given = parser.parse_args()
    main(given.n, given.new)
