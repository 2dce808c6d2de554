"""How often new rows are taken for training rows, and training rows are found: python benchmarks/coincidences.py [--draws 200].

Each draw has n training rows and m new rows of the same distribution. "warned" and "refused": the proportion of draws whose new
rows get the warning of `Fit.calibrate` and `Fit.test`, or the error of `Fit.calibrate`, although they are independent. "found" and
"found, refused": the same if the new rows are the training rows with other labels in another order; with their own labels all are refused.

Columns of the data: "normal", three normal columns; "rounded", the same with one decimal; "binary", three columns of 0 and 1;
"counts", four Poisson columns with mean 1.5; "half", half of the rows are all 0 and the others normal; "heavy", two Zipf columns up to 50.

Of 200 draws with (n, m) = (60, 60), (200, 100) and (40, 300): warned 0, but for 1.5 % of "counts" (200, 100) and 1 % of "heavy" (40, 300);
refused 0. Found: all, but of "binary", where eight rows are possible, none. Found and refused: "normal" and "rounded" 1, "counts" .90 .62
.82, "half" .81 1 .09, "heavy" .04 .15 .05, "binary" 0.
"""

import argparse
from types import SimpleNamespace

import numpy as np
import pandas as pd

from protoclass.estimation.copies import coincidences
from protoclass.frames.frame import mold

KINDS = {
    "normal": lambda n, random: random.normal(size=(n, 3)),
    "rounded": lambda n, random: np.round(random.normal(size=(n, 3)), 1),
    "binary": lambda n, random: random.integers(0, 2, (n, 3)).astype(float),
    "counts": lambda n, random: random.poisson(1.5, (n, 4)).astype(float),
    "half": lambda n, random: np.where(random.random(n)[:, None] < 0.5, 0.0, random.normal(size=(n, 3))),
    "heavy": lambda n, random: np.minimum(random.zipf(1.5, (n, 2)), 50).astype(float),
}
SIZES = ((60, 60), (200, 100), (40, 300))


def table_of(values):
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])


def main(draws):
    rows = {}
    for kind, draw in KINDS.items():
        for n, m in SIZES:
            found = []
            for number in range(draws):
                random = np.random.default_rng([number, n])
                train, new = table_of(draw(n, random)), table_of(draw(m, random))
                fit = SimpleNamespace(frame=mold("y ~ .", train.assign(y=np.where(np.arange(n) % 2, "a", "b"))))
                moved = train.sample(frac=1, random_state=number).set_axis(range(1000, 1000 + n))
                one, other = (coincidences(fit.frame, rows, fit._told_apart) for rows in (new, moved))
                found.append([one.unlikely, one.sure, other.unlikely, other.sure])
            rows[kind, n, m] = np.mean(found, axis=0)
    names = ["warned", "refused", "found", "found, refused"]
    index = pd.MultiIndex.from_tuples(rows, names=["data", "n", "m"])
    print(pd.DataFrame(list(rows.values()), index, names).round(4).to_string())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    main(parser.parse_args().draws)
