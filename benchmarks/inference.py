"""Coverage of the intervals of thresholds, tests and cross-validated curves: python benchmarks/inference.py threshold | ...

Each subject draws samples with a fixed seed, and prints how often a 95 % interval contains the truth.

threshold : sensitivity and specificity of `Fit.threshold` against those of the chosen cut on 20,000 new rows. Two classes, 30 % ill, two
    normal columns with means 1.2 and 0.6 apart; "pvm" at radius 1 and 15-NN, calibrated with their own rows in ten folds or
    with as many other rows; a cut of least error, of least balanced error, or with a sensitivity of at least 0.9.

small : the same for 40, 60 and 80 own rows and 15-NN, in the worlds of `SMALL`.

test : the error of new rows. Weights that go together with errors, against Wilson's interval for Kish's number of rows; and rows in groups
    that err together, against Wilson's for independent rows.

groups : the error of new rows in groups of equal and of unequal size, whose rows err together or independently, against Wilson's interval
    with G - 1 degrees of freedom; and the area under the ROC curve if each group has one class, or both.

auc : the area under the ROC curve, against DeLong's interval, for two normal distributions with equal and with unequal spread, and for a
    class of which a part can't be told from the other.

curve : the complete cross-validated curve of k-NN (k = 1, 3, 7, 15, 31) in ten folds, against its mean over training sets of 0.9 n rows.
    Beside `Validation.band` the band of Student's t from the errors of folds, and what share of the standard deviation over
    samples glmnet's standard error is.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import norm, t

import protoclass as pc
from protoclass.core.statistics import roc
from protoclass.core.statistics.intervals import Z, rows_worth, share_of_rows, simultaneous, wilson

METHODS = {"15-NN": {"method": "knn", "k": 15}, "pvm": {"method": "pvm", "eps": 1.0}}
CUTS = {"error": {}, "balanced": {"measure": "balanced"}, "sensitivity 0.9": {"sensitivity": 0.9}}


def draw_rows(draw: np.random.Generator, n: int, share: float = 0.3) -> pd.DataFrame:
    y = draw.random(n) < share
    X = draw.normal(size=(n, 2)) + np.outer(y, [1.2, 0.6])
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(y, "ill", "well"))


def covers(low: float, high: float, truth: float) -> bool:
    return bool(low <= truth <= high)


CURVES = [(60, 0.5, "error"), (100, 0.5, "error"), (120, 0.15, "error"), (120, 0.15, "balanced")]


def noise_rows(draw: np.random.Generator, n: int) -> pd.DataFrame:
    return draw_rows(draw, n).assign(y=np.where(draw.random(n) < 0.5, "ill", "well"))


def rare_rows(draw: np.random.Generator, n: int) -> pd.DataFrame:
    return draw_rows(draw, n, 0.2)


SMALL = {"means apart": draw_rows, "noise": noise_rows, "20 % ill": rare_rows}


def small(replicates: int) -> None:
    for n, (world, rows) in product((40, 60, 80), SMALL.items()):
        new, held = rows(np.random.default_rng(99), 4000), []
        ill = (new["y"] == "ill").to_numpy()
        for seed in range(replicates):
            fit = pc.fit("y ~ .", rows(np.random.default_rng(seed), n), "knn", k=15, cv=None, progress=False).calibrate()
            p = fit.predict(new, "prob")["ill"].to_numpy()
            for arguments in CUTS.values():
                cut = fit.threshold("ill", **arguments)
                said = p >= cut.value
                held.append([covers(cut.sensitivity.low, cut.sensitivity.high, said[ill].mean()),
                             covers(cut.specificity.low, cut.specificity.high, 1 - said[~ill].mean())])  # fmt: skip
        by_rule = np.array(held).reshape(replicates, len(CUTS), 2).mean(axis=0)
        told = "; ".join(f"{rule} {a:.2f} and {b:.2f}" for rule, (a, b) in zip(CUTS, by_rule, strict=True))
        print(f"{world}, {n} own rows, sensitivity and specificity covered: {told}", flush=True)


def threshold(replicates: int) -> None:
    new = draw_rows(np.random.default_rng(99), 20_000)
    ill = (new["y"] == "ill").to_numpy()
    for name, method in METHODS.items():
        for own, n in ((True, 100), (True, 400), (False, 100), (False, 400)):
            held: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
            for seed in range(replicates):
                draw = np.random.default_rng(seed)
                fit = pc.fit("y ~ .", draw_rows(draw, n), cv=None, progress=False, **method)
                fit = fit.calibrate(cv=10) if own else fit.calibrate(draw_rows(draw, n))
                p, rows = fit.predict(new, "prob")["ill"].to_numpy(), np.bincount(fit._calibration.conformal.y)
                for rule, arguments in CUTS.items():
                    cut = fit.threshold("ill", **arguments)
                    said = p >= cut.value
                    truths = {"sensitivity": said[ill].mean(), "specificity": 1 - said[~ill].mean()}
                    for (what, truth), count in zip(truths.items(), rows, strict=True):
                        found = getattr(cut, what)
                        pair = covers(*wilson(found.value, count), truth), covers(found.low, found.high, truth)
                        held.setdefault((rule, what), []).append(pair)
            whose = "own rows" if own else "other rows"
            for (rule, what), pairs in held.items():
                before, after = np.mean(pairs, axis=0)
                print(f"{name}, {n} {whose}, {rule}: {what} covered by Wilson's {before:.3f}, by the interval {after:.3f}", flush=True)


def weighted_shares(draw: np.random.Generator, replicates: int) -> None:
    weights = {"1 or 5": lambda n: np.where(draw.random(n) < 0.3, 5.0, 1.0), "lognormal": lambda n: np.exp(draw.normal(size=n))}
    chances = {"as often": lambda w: 0.2 + 0 * w, "heavy rows wrong": lambda w: np.minimum(0.1 + 0.1 * w, 0.7),
               "light rows wrong": lambda w: np.clip(0.5 - 0.1 * w, 0.02, 1),
               "rarely, heavy rows": lambda w: np.minimum(0.01 + 0.02 * w, 0.5)}  # fmt: skip
    for (of_weight, weigh), (of_error, chance), n in product(weights.items(), chances.items(), (50, 100, 400)):
        every = weigh(1_000_000)
        truth, held = float(every @ chance(every) / every.sum()), np.zeros(2)
        for _ in range(replicates):
            w = weigh(n)
            wrong = draw.random(n) < chance(w)
            found = share_of_rows(wrong, w)
            held += [covers(*wilson(found.value, w.sum() ** 2 / (w @ w)), truth), covers(found.low, found.high, truth)]
        before, after = held / replicates
        print(f"{n} rows, weights {of_weight}, {of_error}: Kish's {before:.3f}, the interval {after:.3f}", flush=True)


def grouped_shares(draw: np.random.Generator, replicates: int) -> None:
    for groups, (a, b) in product((10, 20, 40), ((0.6, 2.4), (2.0, 8.0))):
        group, held = np.repeat(np.arange(groups), 10), np.zeros(2)
        for _ in range(replicates):
            wrong = draw.random(10 * groups) < draw.beta(a, b, groups)[group]
            found = share_of_rows(wrong, np.ones(len(wrong)), group)
            held += [covers(*wilson(found.value, len(wrong)), a / (a + b)), covers(found.low, found.high, a / (a + b))]
        before, after = held / replicates
        of_group = f"errors by group as beta({a:g}, {b:g})"
        print(f"{groups} groups of 10 rows, {of_group}: independent rows {before:.3f}, the interval {after:.3f}", flush=True)


def test(replicates: int) -> None:
    draw = np.random.default_rng(0)
    weighted_shares(draw, replicates)
    grouped_shares(draw, replicates)


SIZES = {"3 x 10": [10] * 3, "5 x 10": [10] * 5, "10 x 10": [10] * 10, "20 x 10": [10] * 20, "4, 5 to 40 rows": [5, 10, 20, 40],
         "8, 2 to 45 rows": [2, 4, 6, 10, 15, 22, 33, 45], "20, one with 60 of 136 rows": [60] + [4] * 19}  # fmt: skip
ERRORS = {"strongly together": (0.6, 2.4), "together": (2.0, 8.0), "rare, strongly together": (0.2, 3.8), "independent": (2000.0, 8000.0)}


def with_groups_less_one(wrong: np.ndarray, group: np.ndarray) -> tuple[float, float]:
    """Wilson's interval for the sum of squares over groups times G / (G - 1), with G - 1 degrees of freedom."""
    rows, share = np.bincount(group), float(wrong.mean())
    sums, G = np.bincount(group, wrong - share) / len(wrong), len(rows)
    worth = rows_worth(share, sums @ sums * G / (G - 1), len(wrong)) if 0 < share < 1 else len(wrong) ** 2 / (rows @ rows)
    return wilson(share, worth * (Z / t.ppf(0.975, G - 1)) ** 2)


def groups(replicates: int) -> None:
    draw = np.random.default_rng(0)
    for (of_groups, sizes), (of_errors, (a, b)) in product(SIZES.items(), ERRORS.items()):
        group, held, truth = np.repeat(np.arange(len(sizes)), sizes), np.zeros(2), a / (a + b)
        for _ in range(replicates):
            wrong = draw.random(len(group)) < draw.beta(a, b, len(sizes))[group]
            found = share_of_rows(wrong, np.ones(len(wrong)), group)
            held += [covers(*with_groups_less_one(wrong, group), truth), covers(found.low, found.high, truth)]
        before, after = held / replicates
        print(f"groups {of_groups}, errors {of_errors}: G - 1 degrees {before:.3f}, the interval {after:.3f}", flush=True)
    for (count, rows), of_class, area in product(((8, 10), (20, 5), (40, 3)), ("one class a group", "both"), (0.8, 0.95)):
        group, held = np.repeat(np.arange(count), rows), 0
        positive = (group if of_class == "one class a group" else np.arange(len(group))) % 2 == 0
        shift = np.sqrt(2) * norm.ppf(area)
        for _ in range(replicates):
            score = np.sqrt(0.5) * (draw.normal(size=count)[group] + draw.normal(size=len(group))) + shift * positive
            found = roc.auc(score, positive, np.ones(len(group)), group).estimate
            held += covers(found.low, found.high, area)  # of rows of different groups
        print(f"area {area}, {count} groups of {rows} rows, {of_class}: the interval {held / replicates:.3f}", flush=True)


def draw_scores(draw: np.random.Generator, kind: str, m: int, n: int, area: float) -> np.ndarray:
    """Scores of m rows of the class and n others, with this area in truth."""
    own, other = draw.normal(size=m), draw.normal(size=n)
    if kind == "a part alike":
        own += 12 * (draw.random(m) >= 2 * (1 - area))
    else:
        spread = 2.0 if kind == "unequal spread" else 1.0
        own = spread * own + np.sqrt(1 + spread**2) * norm.ppf(area)
    return np.concatenate([own, other])


def auc(replicates: int) -> None:
    draw = np.random.default_rng(0)
    for kind, (m, n) in product(("equal spread", "unequal spread", "a part alike"), ((5, 95), (20, 80), (50, 50))):
        positive = np.arange(m + n) < m
        for area in (0.8, 0.95, 0.99):
            held = np.zeros(2)
            for _ in range(replicates):
                found = roc.auc(draw_scores(draw, kind, m, n, area), positive, np.ones(m + n))
                e, half = found.estimate, Z * found.se
                held += [half > 0 and covers(e.value - half, e.value + half, area), covers(e.low, e.high, area)]
            before, after = held / replicates
            print(f"{m} + {n} rows, {kind}, area {area}: DeLong's {before:.3f}, the interval {after:.3f}", flush=True)


def band_of_folds(v: pc.Validation) -> tuple[np.ndarray, np.ndarray]:
    """The band from the errors of folds as if they were independent."""
    share = np.sqrt(v._fold_weight / v._fold_weight.sum() / (len(v._errors) - 1))[:, None]
    c = simultaneous(share * (v._errors - v._choice.error), 0.95, 2000, np.random.default_rng(0))[1]
    return v._choice.error - c * v._choice.se, v._choice.error + c * v._choice.se


def curve(replicates: int) -> None:
    ks = [1, 3, 7, 15, 31]
    for n, share, measure in CURVES:
        draw, errors = np.random.default_rng(1), []
        new = draw_rows(draw, 4000, share)
        w = np.where(new["y"] == "ill", 0.5 / share, 0.5 / (1 - share)) if measure == "balanced" else None
        for _ in range(60):
            train = draw_rows(draw, round(0.9 * n), share)
            errors.append([pc.fit("y ~ .", train, "knn", k=k, cv=None).test(new, w).error for k in ks])
        truth, held, found = np.mean(errors, axis=0), np.zeros(2), []
        for seed in range(replicates):
            v = pc.cross_validate("y ~ .", draw_rows(np.random.default_rng(seed), n, share), "knn", k=ks, measure=measure,
                                  cv="auto", progress=False)  # fmt: skip
            ends = v.band(draws=2000)
            pairs = (band_of_folds(v), (ends["band_low"], ends["band_high"]))
            held += [not ((low > truth) | (truth > high)).any() for low, high in pairs]  # NaN says nothing
            found.append([v._choice.error, v._choice.se])
        ratio = np.mean(found, axis=0)[1] / np.std(found, axis=0)[0]
        before, after = held / replicates
        print(f"{n} rows, {share:.0%} ill, {measure}: independent folds {before:.3f}, the band {after:.3f}; se / sd "
              f"{ratio.min():.2f} to {ratio.max():.2f}", flush=True)  # fmt: skip


SUBJECTS = {"threshold": threshold, "small": small, "test": test, "groups": groups, "auc": auc, "curve": curve}
DRAWS = {"threshold": 120, "small": 100, "test": 2000, "groups": 600, "auc": 1500, "curve": 200}


def main(subject: str, replicates: int) -> None:
    start = time.perf_counter()
    warnings.simplefilter("ignore", pc.DataWarning)
    SUBJECTS[subject](replicates)
    print(f"{replicates} replicates, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("subject", choices=list(SUBJECTS))
    parser.add_argument("--replicates", type=int)
    options = parser.parse_args()
    main(options.subject, options.replicates or DRAWS[options.subject])
