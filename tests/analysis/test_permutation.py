"""Permutation tests of the complete procedure, and the band of the curve of a Validation."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.analysis.importance import exchangeable


def noise(seed, n=20):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(draw.normal(size=(n, 2)), columns=list("ab")).assign(y=np.arange(n) % 2)


def test_it_is_the_procedure_with_permuted_classes(iris):
    """Also of rows that are dropped, and with class weights, which follow the permuted classes."""
    data = iris.iloc[np.r_[0:20, 50:65, 100:112]].copy()
    data.iloc[3, 0] = np.nan
    arguments = {"method": "knn", "k": [1, 5, 9], "cv": 4, "choose": "1se", "class_weights": "balanced", "seed": 2}
    v = pc.cross_validate("species ~ .", data, **arguments)
    test = v.permutation_test(B=6, seed=5, progress=False)
    complete = data.drop(index=data.index[3])
    errors = []
    for b in range(6):
        order = np.random.default_rng([5, b]).permutation(len(complete))
        again = pc.cross_validate("species ~ .", complete.assign(species=complete.species.array[order]), **arguments)
        errors.append(again.selected("1se")["error"])
        assert test.table["k"][b] == again.selected("1se")["k"]
    assert test.table["error"].tolist() == pytest.approx(errors)
    assert test.error == v.selected("1se")["error"]
    assert test.p_value == (1 + sum(e <= test.error + 1e-12 for e in errors)) / 7
    assert test.how == "classes permuted among all rows"


def test_ties_count_and_the_least_p_value_is_not_zero():
    data = noise(0).assign(a=0.0, b=0.0)  # always the same error
    v = pc.cross_validate("y ~ .", data, "knn", k=1, cv="loo")
    assert v.permutation_test(B=4, progress=False).p_value == 1.0
    clear = noise(1).assign(a=lambda d: 9.0 * d.y)
    assert pc.cross_validate("y ~ .", clear, "knn", k=1, cv=5).permutation_test(B=4, progress=False).p_value == 0.2


def test_groups_of_one_class_are_permuted_whole_and_others_within():
    group, draw = np.repeat([0, 1, 2, 3], [3, 1, 4, 2]), np.random.default_rng(0)
    whole = np.array([0, 1, 0, 1])[group]
    how, order = exchangeable(whole, group)
    assert how == "classes permuted among groups"
    seen = set()
    for _ in range(60):
        drawn = whole[order(draw)]
        of_group = [set(drawn[group == g]) for g in range(4)]
        assert all(len(classes) == 1 for classes in of_group)
        seen.add(tuple(min(classes) for classes in of_group))
    assert len(seen) == 6  # all ways to give two of four groups a class
    mixed = np.array([0, 1, 0, 1, 0, 1, 1, 0, 0, 1])
    how, order = exchangeable(mixed, group)
    assert how == "classes permuted within groups"
    for _ in range(20):
        rows = order(draw)
        assert sorted(rows) == list(range(10))
        assert (group[rows] == group).all()


def test_with_groups_the_folds_still_hold_them_together():
    data = noise(2, 24).assign(g=np.arange(24) // 3, y=(np.arange(24) // 3) % 2)
    v = pc.cross_validate("y ~ .", data, "knn", k=[1, 3], groups="g", cv=3)
    test = v.permutation_test(B=3, progress=False)
    assert test.how == "classes permuted among groups"
    assert test.table["error"].nunique() > 1


def test_without_signal_small_p_values_are_as_rare_as_they_should_be():
    found = [
        pc.cross_validate("y ~ .", noise(seed), "knn", k=[1, 5], cv=3, choose="min")
        .permutation_test(B=4, seed=seed, progress=False)
        .p_value
        for seed in range(20)
    ]
    assert sum(p <= 0.2 for p in found) <= 9  # 4 are expected
    assert len(set(found)) > 2


def test_arguments_and_failures(iris):
    v = pc.cross_validate("species ~ .", iris, "knn", k=[1, 5], cv=3, repeats=2)
    for bad in ({"B": 0}, {"B": 2.5}, {"seed": -1}, {"progress": 3}):
        with pytest.raises(pc.OptionError, match=next(iter(bad))):
            v.permutation_test(**bad)


def test_the_band_of_a_validation(iris):
    v = pc.cross_validate("species ~ .", iris, "knn", k=[1, 5, 15, 40], cv=8, repeats=2)
    band = v.band(level=0.9)
    assert list(band) == ["k", "error", "se", "low", "high", "band_low", "band_high"]
    lost = np.mean([v.held_out.loc[r].ne(iris["species"], axis=0).to_numpy(float) for r in (0, 1)], axis=0)
    variance = lost.var(axis=0, ddof=1) / 150 * (1 + 8 / 7)  # of the rows, and of folds that share training rows
    half = 1.6551445 * np.sqrt(variance)  # Student's t, 149 degrees of freedom
    assert (band["high"] - band["error"]).to_numpy() == pytest.approx(half)
    wider = ((band["band_high"] - band["error"]) / (band["high"] - band["error"])).to_numpy()
    assert wider == pytest.approx(wider[0])
    assert 1.0 < wider[0] < 2.0
    pd.testing.assert_frame_equal(band, v.band(level=0.9))
    assert (v.band(level=0.99)["band_high"] > band["band_high"]).all()
    easy = pc.cross_validate("y ~ .", noise(1).assign(a=lambda d: 9.0 * d.y), "knn", k=[1, 3], cv=5).band()
    assert easy[["low", "high", "band_low", "band_high"]].isna().all(axis=None)
    refused = [({"level": 1}, r"level must be .* such as 0\.9, not 1"),
               ({"draws": 3}, r"draws must be .*, not 3"), ({"seed": "a"}, r"seed must be .*, not 'a'")]
    for bad, message in refused:
        with pytest.raises(pc.OptionError, match=message):
            v.band(**bad)
