"""The set covering machine against loops straight from the paper, identities, and its compression set."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import reference_scm as slow

import protoclass as pc
from protoclass.core.scm import (
    BALL,
    IN_N,
    IN_P,
    NEVER,
    OUT,
    BinarySCM,
    bounds_of,
    first_to_fire,
    grow_each,
    make_family,
    sort_lines,
)
from protoclass.core.statistics.bounds import machine_bound

RAW = pc.Euclidean(scale=False)
SORTS = ("ball", "hole", "low", "high")


def problem(seed, n=None):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(4, 13)) if n is None else n
    y = np.r_[True, False, draw.random(n - 2) < 0.5]
    D = draw.integers(0, 6, (n, n)).astype(float)  # asymmetric, with ties and duplicates
    if seed % 3 == 0:
        D = np.abs(np.subtract.outer(*[draw.normal(size=n)] * 2))
    return y, D, draw.integers(0, 4, (n, 2)).astype(float), draw.integers(0, 2, (n, 2)).astype(float)


def fast(y, kind, penalty, max_size=None, D=None, X=None, B=None, negate=False):
    n = len(y)
    columns = [a for a in (X, B) if a is not None]
    X_all = np.concatenate(columns, axis=1) if columns else np.empty((n, 0))
    stumps = np.repeat([True, False], [0 if a is None else a.shape[1] for a in (X, B)])
    side = np.where(y == (kind == "conjunction"), IN_P, IN_N).astype(np.int8)
    D = np.empty((n, 0)) if D is None else D
    own = make_family(side[: D.shape[1]], X_all.shape[1], kind == "conjunction", stumps, negate)
    machine = grow_each(sort_lines(D, X_all), own, side, [penalty], max_size)[0]
    return machine, first_to_fire(machine, D, X_all) < NEVER


@pytest.mark.parametrize("seed", range(18))
def test_every_step_equals_the_paper_in_loops(seed):
    y, D, X, B = problem(seed)
    sets = [
        {"D": D},
        {"X": X},
        {"D": D, "X": X},
        {"B": B},
        {"B": B, "negate": True},
        {"D": D, "X": X, "B": B, "negate": True},
    ]
    for given in [sets[0], sets[seed % 6]]:
        for kind in ("conjunction", "disjunction"):
            for penalty in (math.inf, 0.1, 0.3, 0.5, 1.0, 2.0):
                want = slow.machine(y, kind, penalty, None, **given)
                got, fired = fast(y, kind, penalty, None, **given)
                shift = given["X"].shape[1] if "X" in given else 0
                assert [(s.q, s.r) for s in want] == list(zip(got.q.tolist(), got.r.tolist(), strict=True))
                assert [s.at + (shift if s.cut is None else 0) for s in want] == got.at.tolist()
                assert [0.5 if s.cut is None else s.cut for s in want] == got.cut.tolist()
                assert [s.sort in ("ball", "hole") for s in want] == [SORTS[s] in ("ball", "hole") for s in got.kind]
                seen = {name: array for name, array in given.items() if name != "negate"}
                told = slow.predict(want, kind, **seen)
                assert ((fired == (kind == "disjunction")) == told).all()
                ratio = Fraction(0 if penalty == math.inf else penalty).limit_denominator(10**6)
                assert all(s.value == s.q - ratio * s.r > 0 for s in want)
                wrong = [(slow.predict(want[:k], kind, **seen) != y).sum() for k in range(len(want) + 1)]
                assert got.wrong().tolist() == wrong


@pytest.mark.parametrize("seed", range(12))
def test_long_runs_equal_the_paper_in_loops(seed):
    # long enough that removed rows lie on the lines for some steps before they are dropped
    draw = np.random.default_rng([seed, 1])
    n = 36
    y, D = draw.random(n) < 0.5, draw.integers(0, 12 + 10 * (seed % 3), (n, n)).astype(float)
    X = draw.integers(0, 40, (n, 3)).astype(float)
    for penalty, kind in ((0.3, "conjunction"), (1.0, "disjunction"), (4.0, "conjunction"), (math.inf, "disjunction")):
        want = slow.machine(y, kind, penalty, None, D=D, X=X)
        got, _ = fast(y, kind, penalty, None, D=D, X=X)
        assert [(s.q, s.r, s.at, s.cut) for s in want] == list(
            zip(got.q.tolist(), got.r.tolist(), got.at.tolist(), got.cut.tolist(), strict=True)
        )


@pytest.mark.parametrize("seed", range(6))
def test_penalties_grown_together_are_those_grown_alone(seed):
    """What a smaller penalty says of a line, and scans that end early, change no machine."""
    y, D, X, _ = problem(seed, 60)
    penalties = [2.0, 0.3, math.inf, 0.7, 1.4, 8.0]
    for kind in ("conjunction", "disjunction"):
        side = np.where(y == (kind == "conjunction"), IN_P, IN_N).astype(np.int8)
        side[::7] = OUT
        own = make_family(side, 2, kind == "conjunction", np.ones(2, bool), False)
        together = grow_each(sort_lines(D, X), own, side, penalties, None)
        keep = np.flatnonzero(side != OUT)
        for penalty, got in zip(penalties, together, strict=True):
            alone = grow_each(sort_lines(D, X), own, side, [penalty], None)[0]
            want = slow.machine(y[keep], kind, penalty, None, D=D[np.ix_(keep, keep)], X=X[keep])
            for a in ("kind", "at", "cut", "q", "r"):
                assert (getattr(got, a) == getattr(alone, a)).all()
            assert got.cut.tolist() == [s.cut for s in want]
            assert got.q.tolist() == [s.q for s in want]
    machines = tuple(BinarySCM(k, k + 1, k % 2 == 0, m) for k, m in enumerate(together))
    sums = np.zeros(1 + max(len(m) for m in together))
    for one in machines:
        m = one.machine
        for size in range(len(sums)):
            s = min(size, len(m))
            on_p = int((m.kind[:s] == BALL).sum())
            sums[size] += machine_bound(m.in_n + m.in_p, s, on_p, m.wrong()[s], 0.05 / len(machines)).value
    assert bounds_of(machines, 0.05).tolist() == np.minimum(1, sums).tolist()


def frame_of(seed, n=40):
    draw = np.random.default_rng(seed)
    X = pd.DataFrame(draw.normal(size=(n, 2)), columns=["a", "b"])
    X["y"] = np.where((X.a + 0.8 * draw.normal(size=n)) > 0, "yes", "no")
    return X


@pytest.mark.parametrize("kind", ["conjunction", "disjunction"])
def test_a_consistent_machine_is_right_on_all_rows_and_rebuilt_from_its_compression_set(kind):
    for seed in range(6):
        data = frame_of(seed)
        fit = pc.fit("y ~ .", data, "scm", dissimilarity=RAW, kind=kind, penalty=math.inf, max_size=None)
        assert fit._training_error == 0
        assert (fit.prototypes["r"] == 0).all()
        D = pc.dissimilarity("~ a + b", data, RAW).frame().to_numpy()
        y = (data.y == "yes").to_numpy()
        P, _ = slow.sides(y, kind)
        (duel,) = fit.rule.machines
        at, radius = fit.rule.prototypes.at, fit.rule.prototypes.radii
        edges = [next(i for i in sorted(P) if D[i, j] == rho) for j, rho in zip(at, radius, strict=True)]
        rebuilt = slow.rebuild({*at.tolist(), *edges}, {j for j in at.tolist() if j in P}, D, y, kind)
        own = sorted((int(j), SORTS[s], float(rho)) for j, s, rho in zip(at, duel.machine.kind, radius, strict=True))
        assert sorted(rebuilt) == own
        told = fit.bound()
        assert told["proved"].all()
        m, R, on_p, k = len(y), len(at), sum(j in P for j in at.tolist()), 0
        assert told["bound"].iloc[0] == pytest.approx(min(1.0, slow.bound(m, R, on_p, k, 0.05)[0]))
        assert told["on_p"].iloc[0] == on_p


def test_a_pvm_has_the_bound_of_theorem_5_1_where_it_holds(iris):
    fit = pc.fit("species ~ .", iris, dissimilarity=RAW, eps=1.0)
    row = fit.bound(0.1).iloc[0]
    assert row["proved"]
    assert row["errors"] == round(150 * fit._training_error)
    m, d, k = 150, len(fit.prototypes), int(row["errors"])
    logs = math.log(math.comb(m, d)) + math.log(math.comb(m - d, k)) + math.log(m**2 * d / 0.1)
    assert row["bound"] == pytest.approx(1 - math.exp(-logs / (m - d - k)))
    for other, why in (
        (fit.update(dissimilarity="euclidean"), "depends on the sample"),
        (fit.update(candidates=pc.candidates.kmeans(2, only=True)), "not rows"),
        (fit.update(weights=np.r_[2.0, np.ones(149)]), "different weights"),
        (fit.update(formula="species ~ center(petal_length)"), "transform"),
    ):
        assert not other.bound()["proved"].any()
        assert why in other.bound()["reasons"].iloc[0]
    with pytest.raises(pc.errors.NotAvailableError, match="no compression bound"):
        pc.fit("species ~ .", iris, "knn", k=3).bound()
    with pytest.raises(pc.errors.OptionError, match=r"delta must be a number between 0 and 1, such as 0.9, not"):
        fit.bound(1)


def test_votes_of_several_machines_by_hand(iris):
    D = pc.dissimilarity("species ~ .", iris).frame()
    fit = pc.fit("species ~ .", iris, "scm", kind="conjunction", penalty=1.0, max_size=2)
    votes = pd.DataFrame(0, iris.index, fit.classes)
    rows = fit.tidy()
    assert rows["machine"].nunique() == 3
    for name, part in rows.groupby("machine", sort=False):
        positive, negative = name.split(" against ")
        holds = pd.Series(True, iris.index)
        for _, feature in part.iterrows():
            d = D[feature["centre"]]
            inside = feature["rule"].startswith("within")
            holds &= (d <= feature["radius"]) if inside else (d >= feature["radius"])
        votes.loc[holds, positive] += 1
        votes.loc[~holds, negative] += 1
    assert (fit.predict(kind="decision") == votes).all(axis=None)
    assert fit.predict().astype(str).tolist() == votes.idxmax(axis=1).tolist()


def test_rules_in_words_say_what_predict_does():
    draw = np.random.default_rng(0)
    data = pd.DataFrame({"glucose": draw.integers(60, 200, 80).astype(float), "old": draw.integers(0, 2, 80)})
    data["ill"] = np.where((data.glucose > 127.5) & (data.old == 1), "yes", "no")
    fit = pc.fit("ill ~ .", data, "scm", features="boolean+stumps", kind="conjunction", penalty=math.inf, max_size=None)
    assert sorted(fit.tidy()["rule"]) == sorted(["old = 1", f"glucose > {fit.tidy()['threshold'].max():.6g}"])
    assert fit._training_error == 0
    assert "old = 1" in str(fit.summary())
    either = data.assign(ill=np.where((data.glucose <= 90) | (data.old == 0), "yes", "no"))
    fit = pc.fit(
        "ill ~ .",
        either,
        "scm",
        features="boolean+stumps",
        negate=True,
        kind="disjunction",
        penalty=math.inf,
        max_size=None,
    )
    assert "old = 0" in fit.tidy()["rule"].tolist()
    for _, row in fit.tidy().iterrows():
        assert row["value"] == row["q"] > 0
    no_balls = fit.prototypes
    assert no_balls.empty
    assert "No prototypes" not in str(fit.summary())
    with pytest.raises(pc.errors.DataError, match="columns of 0 and 1"):
        pc.fit("ill ~ .", data, "scm", features="boolean", penalty=1.0)


def test_given_asymmetric_dissimilarities():
    draw = np.random.default_rng(1)
    D = draw.random((30, 30)) * 3 * (1 - np.eye(30))
    data = pd.DataFrame({"y": np.repeat(["u", "v"], 15)})
    fit = pc.fit("y ~ 1", data, "scm", dissimilarity=D, kind="conjunction", penalty=1.0, max_size=4)
    want = slow.machine((data.y == "v").to_numpy(), "conjunction", 1.0, 4, D=D)
    assert fit.prototypes.index.tolist() == [s.at for s in want]
    with pytest.raises(pc.errors.DataError, match="the method needs columns, but 'y ~ 1' has no predictors"):
        pc.fit("y ~ 1", data, "scm", dissimilarity=D, features="balls+stumps", penalty=1.0)


def test_rows_that_no_consistent_machine_can_cover_are_named():
    data = pd.DataFrame({"x": [0.0, 0.0, 1.0, 2.0], "y": list("abab")}, index=["p", "q", "r", "s"])
    for kind, row in (("conjunction", "'p'"), ("disjunction", "'q'")):
        with pytest.raises(pc.errors.DataError, match=f"covers {row}"):
            pc.fit("y ~ x", data, "scm", kind=kind, penalty=math.inf, max_size=None)
    assert pc.fit("y ~ x", data, "scm", kind="conjunction", penalty=math.inf, max_size=3)._training_error > 0
