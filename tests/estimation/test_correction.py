"""The error of a tuned rule: corrected for the choice on the same folds, and named after what was measured."""


import numpy as np
import pandas as pd
import pytest
from scipy import stats

import protoclass as pc
from protoclass.core.statistics.intervals import least_se, wilson
from protoclass.core.statistics.one_se import (
    OF_HELD_OUT,
    Limits,
    choose_over_repeats,
    corrected_losses,
    losses,
)


def corrected_error(predicted, y, loss, of_fold, weights, *rest):
    lost = corrected_losses(losses(predicted, y, loss), of_fold, weights, *rest)
    known = ~np.isnan(lost[:, 0])
    return dict(zip(OF_HELD_OUT, np.average(lost[known], axis=0, weights=weights[known]), strict=True))


def test_the_correction_against_a_slow_version():
    draw = np.random.default_rng(0)
    n, G, F, samples = 30, 4, 5, 20
    y, fold = draw.integers(0, 3, n), draw.permutation(np.arange(n) % F)
    predicted, sizes = draw.integers(0, 3, (1, n, G)), draw.random((F, G))
    loss, w = np.array([[0, 1, 2], [3, 0, 1], [1, 1, 0.0]]), draw.random(n) + 0.5
    found = corrected_error(predicted, y, loss, fold[None], w, sizes, np.arange(n), 7, samples)
    again = np.random.default_rng([7, samples])
    lost = {name: [[] for _ in range(n)] for name in OF_HELD_OUT}
    for _ in range(samples):
        rows = again.integers(0, n, n)
        weight = np.array([sum(w[i] for i in rows if fold[i] == f) for f in range(F)])
        errors = np.array([
            [sum(w[i] * loss[y[i], predicted[0, i, g]] for i in rows if fold[i] == f) / weight[f] for g in range(G)]
            for f in range(F)
        ])  # fmt: skip
        choice = choose_over_repeats([errors], [weight], sizes)
        for name in lost:
            for i in set(range(n)) - set(rows.tolist()):
                lost[name][i].append(loss[y[i], predicted[0, i, choice.points[name]]])
    for name in lost:
        expected = np.average([np.mean(of_row) for of_row in lost[name]], weights=w)
        assert found[name] == pytest.approx(expected)


def test_on_noise_the_corrected_error_is_the_true_one_and_the_least_is_not():
    draw = np.random.default_rng(1)
    least, corrected = [], []
    for seed in range(40):
        y, predicted = draw.permutation(np.arange(40) % 2), draw.integers(0, 2, (1, 40, 15))
        fold = np.argsort(np.argsort(draw.random(40) + y))[None] % 10
        least.append((predicted[0] != y[:, None]).mean(axis=0).min())
        found = corrected_error(
            predicted, y, 1 - np.eye(2), fold, np.ones(40), np.ones((10, 15)), np.arange(40), seed, 60
        )
        corrected.append(found["min"])
    assert np.mean(least) < 0.4
    assert 0.46 < np.mean(corrected) < 0.54


def test_groups_are_drawn_whole():
    draw = np.random.default_rng(2)
    group = np.arange(60) // 6
    y, of_group = np.arange(60) % 2, draw.integers(0, 2, (10, 8))
    predicted = (y[:, None] ^ of_group[group])[None].astype(int)  # right or wrong for a group at a time
    args = (predicted, y, 1 - np.eye(2), group[None] % 5, np.ones(60), np.ones((5, 8)))
    rows, groups = (corrected_error(*args, units, 0, 100)["min"] for units in (np.arange(60), group))
    assert (predicted[0] != y[:, None]).mean(axis=0).min() <= rows < groups


def test_nothing_is_corrected_where_nothing_was_chosen_by_the_curve(iris):
    two = iris[iris["species"] != "setosa"].assign(species=lambda d: d["species"].astype(str))
    one = pc.fit("species ~ .", iris, "knn", k=5, cv=5)
    by_bound = pc.fit(
        "species ~ .", two, "scm", features="stumps", kind="disjunction", penalty=1.0, max_size=[1, 2], choose="bound"
    )
    by_hand = pc.cross_validate("species ~ .", iris, "knn", k=[1, 5, 15]).fit_at(0)
    for fit in (one, by_bound, by_hand):
        assert "corrected" not in repr(fit)
        assert "Corrected error" not in str(fit.summary())
        assert not [name for name in fit.glance() if "corrected" in name]
    assert one.validation.glance()[["error_min_corrected", "error_1se_corrected"]].isna().all(axis=None)
    assert "tuned on the same folds" not in str(by_bound.summary())
    assert "by looking at the curve" in str(by_hand.summary())


def test_the_corrected_error_has_an_interval():
    """On noise it contains 0.5; the losses of rows in groups are summed first, and balanced losses are taken within classes."""
    draw = np.random.default_rng(5)
    data = pd.DataFrame(draw.normal(size=(48, 3)), columns=list("abc")).assign(y=np.arange(48) % 2, g=np.arange(48) // 4)
    v = pc.cross_validate("y ~ a + b + c", data, "knn", k=[1, 3, 7])
    assert v.corrected().low < 0.5 < v.corrected().high
    for more in ({}, {"groups": "g", "cv": 6}):
        other = pc.cross_validate("y ~ a + b + c", data, "knn", k=[1, 3, 7], **more)
        lost = other._corrected_losses[:, OF_HELD_OUT.index("min")]
        units = data["g"].to_numpy() if "groups" in more else np.arange(48)
        sums, folds = np.bincount(units, (lost - lost.mean()) / 48), int(other._of_fold.max()) + 1
        shared = 1 + folds / (folds - 1)
        variance = sums @ sums * len(sums) / (len(sums) - 1) * shared
        found = other.corrected("min")
        error = found.value
        rows = min(error * (1 - error) / variance, 48 / shared)
        student = (1.959963984540054 / stats.t.ppf(0.975, len(sums) - 1)) ** 2
        assert (found.low, found.high) == pytest.approx(wilson(error, rows * student))
    one = pc.cross_validate("y ~ a", data, "knn", k=[3])
    assert one._correction() is None
    assert one.corrected().value == one.table["error"][0]
    assert one.corrected().low < one.table["error"][0] < one.corrected().high
    assert str(one.corrected()).startswith(f"{one.table['error'][0]:.2g} (95 % CI ")


def test_the_interval_of_a_balanced_error_allows_for_few_rows_of_a_class(monkeypatch):
    """The formula of Price and Bonett (2004); and one wrong row of a rare class of ten does not exclude an error near 0."""
    draw, y = np.random.default_rng(3), np.arange(100) % 10 == 0
    data = pd.DataFrame(draw.normal(size=(100, 2)) + 2 * y[:, None], columns=["a", "b"]).assign(y=np.where(y, "u", "v"))
    w = np.where(np.arange(100) % 3 == 0, 2.0, 1.0)
    v = pc.cross_validate("y ~ .", data, "knn", k=[1, 3], measure="balanced", weights=w, cv=5)
    lost, p, variance, df = v._corrected_losses[:, OF_HELD_OUT.index("min")], [], [], []
    for own in (y, ~y):
        n = w[own].sum() ** 2 / (w[own] @ w[own])
        p.append((np.average(lost[own], weights=w[own]) * n + 1) / (n + 2))
        variance.append(p[-1] * (1 - p[-1]) / (n + 2))
        df.append(variance[-1] ** 2 / (n - 1))
    half = stats.t.ppf(0.975, sum(variance) ** 2 / sum(df)) * np.sqrt(sum(variance) * (1 + 5 / 4)) / 2
    found = v.corrected("min")
    assert (found.low, found.high) == pytest.approx((max(0.0, np.mean(p) - half), np.mean(p) + half))
    one_wrong = np.repeat(np.arange(100)[:, None] == 0, 3, axis=1).astype(float)
    monkeypatch.setattr(type(v), "_corrected_losses", one_wrong)
    assert v.corrected("min").low < 0.01
    assert v.corrected("min").high > 0.1


def separated(n=60):
    draw, y = np.random.default_rng(0), np.arange(n) % 3
    X = draw.normal(size=(n, 2)) + 20 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.array(list("uvw"))[y])


@pytest.mark.parametrize(
    "more", [{}, {"method": "knn", "k": 3}, {"tolerance": 0.02}, {"groups": np.arange(60) // 2, "cv": 5}]
)
def test_no_error_on_held_out_rows_is_not_an_error_of_zero(more):
    """Wilson's interval for the effective rows, and the standard error of two errors among four more rows."""
    v = pc.fit("y ~ .", separated(), **{"dissimilarity": "euclidean", "repeats": 1, **more}).validation
    units = 30 if "groups" in more else 60
    folds = int(v._of_fold.max()) + 1
    assert v.corrected().value == 0
    rows = units / (1 + folds / (folds - 1)) * (1.959963984540054 / stats.t.ppf(0.975, units - 1)) ** 2
    assert (v.corrected().low, v.corrected().high) == pytest.approx(wilson(0.0, rows))
    p = 2 / (units + 4)
    assert v.selected("min")["se"] == pytest.approx(np.sqrt(p * (1 - p) / (units + 4)))


def test_losses_have_an_interval_and_a_standard_error_in_their_own_unit():
    data = separated()
    costs = pd.DataFrame(10 * (1 - np.eye(3)), list("uvw"), list("uvw"))
    plain, scaled = (pc.cross_validate("y ~ .", data, measure=m, seed=1, dissimilarity="euclidean", repeats=1) for m in ("error", costs))
    for end in ("value", "low", "high"):
        assert getattr(scaled.corrected(), end) == pytest.approx(10 * getattr(plain.corrected(), end))
    assert scaled.table["se"].to_numpy() == pytest.approx(10 * plain.table["se"].to_numpy())


def test_the_one_se_rule_does_not_keep_all_rows_for_an_error_of_zero():
    """120 strings that only their own copies cover: one wrong row is within the standard error of none."""
    errors = np.zeros((10, 2))
    errors[0, 1] = 1 / 12
    sizes = np.array([[120.0, 6.0]] * 10)
    assert choose_over_repeats([errors], [np.ones(10)], sizes).one_se == 0
    assert choose_over_repeats([errors], [np.ones(10)], sizes, limits=Limits(least_se=least_se(np.ones(120)))).one_se == 1


@pytest.fixture(scope="module")
def cancer_limited():
    return pc.fit("diagnosis ~ .", pc.load_data("breast_cancer"), max_prototypes=8, dissimilarity="euclidean", repeats=1)
