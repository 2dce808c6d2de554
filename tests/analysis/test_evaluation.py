"""`Fit.test`: the test against no information is exact, at its level, and takes weights."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import protoclass as pc
from protoclass.analysis.evaluation import against_stated, signs


@pytest.fixture(scope="module")
def wine():
    return pc.load_data("wine")


@pytest.fixture(scope="module")
def fit(wine):
    return pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5)


def test_the_constant_rule_is_that_of_training(wine, fit):
    new = wine.iloc[1::2]
    new = new[new["cultivar"] != "cultivar 2"].iloc[:25]  # the most common class in training is not among them
    found = fit.test(new)
    assert found.no_information == 1.0
    assert found.against == "always predicting 'cultivar 2', the most common class in training"
    right = int((fit.predict(new).astype(object) == new["cultivar"].astype(object)).sum())
    assert found.p_value == pytest.approx(
        0.5**25 if right == 25 else stats.binomtest(25 - right, right, 0.5, "less").pvalue
    )


def test_the_sign_test_is_exact(wine, fit):
    new = wine.iloc[1::2]
    truth, said = new["cultivar"].astype(object), fit.predict(new).astype(object)
    lost = int(((said != truth) & (truth == "cultivar 2")).sum())
    won = int(((said == truth) & (truth != "cultivar 2")).sum())
    found = fit.test(new)
    assert found.p_value == pytest.approx(stats.binomtest(lost, lost + won, 0.5, alternative="less").pvalue)
    for text in (repr(found), found.tidy()["test"].iloc[0]):
        assert f"exact sign test, one-sided, on the {lost + won} rows" in text
    stated = fit.test(new, no_information=0.3)
    assert stated.p_value == pytest.approx(stats.binomtest(found.wrong, found.n, 0.3, alternative="less").pvalue)
    assert stated.test == "exact binomial test, one-sided"
    assert "No-information error 0.3000, as stated" in repr(stated)


def test_both_tests_keep_their_level():
    """Rules that name a class at random are no better than a constant; half of the rows decide, so that p is not too coarse."""
    draw, count = np.random.default_rng(0), 800
    rejected = np.zeros(3)
    for _ in range(count):
        y, says, w = draw.random(120) < 0.5, draw.random(120) < 0.5, draw.exponential(size=120)
        wrong = says != y
        lost, won = wrong & y, ~wrong & ~y
        ps = signs(np.ones(lost.sum()), np.ones(won.sum()))[0], against_stated(np.ones(120), wrong, 0.5)[0]
        z = (w[won].sum() - w[lost].sum()) / np.sqrt((w[lost | won] ** 2).sum())
        rejected += [*(p < 0.05 for p in ps), z > stats.norm.ppf(0.95)]
    assert (rejected / count < 0.065).all()
    assert (rejected / count > 0.02).all()  # taking the base rate from the same rows rejects in about 1.5 %


def test_weighted_signs_against_all_of_them():
    draw = np.random.default_rng(3)
    lost, won = draw.random(4), draw.random(8)
    both = np.concatenate([lost, won])
    gain = won.sum() - lost.sum()
    sums = np.array([both @ s for s in product((-1, 1), repeat=12)])
    p, name = signs(lost, won)
    assert p == pytest.approx((sums >= gain - 1e-9).mean(), abs=0.015)
    assert name.startswith("weighted sign test")
    many = draw.random(1100)
    normal = signs(many[:500], many[500:])
    assert normal[0] == pytest.approx(stats.norm.sf((many[500:].sum() - many[:500].sum()) / np.sqrt((many**2).sum())))
    assert signs(np.full(4, 0.3), np.full(8, 0.3))[0] == signs(np.ones(4), np.ones(8))[0]


def test_weights_of_new_rows(wine, fit):
    new = wine.iloc[1::2]
    w = np.random.default_rng(1).integers(0, 4, len(new))
    wrong = (fit.predict(new).astype(object) != new["cultivar"].astype(object)).to_numpy()
    for given in (w, pd.Series(w, new.index)[::-1], "w"):
        found = fit.test(new.assign(w=w), weights=given)
        assert found.error == pytest.approx(w @ wrong / w.sum())
        assert found.confusion.to_numpy().sum() == w.sum()
    ends = fit.test(new, weights=np.full(len(new), 0.1))
    plain = fit.test(new)
    assert (ends.low, ends.high, ends.p_value) == pytest.approx((plain.low, plain.high, plain.p_value))
    assert found.high - found.low > plain.high - plain.low


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": -1}, "weights"),
        ({"weights": "none"}, "weights='none' is not a column"),
        ({"weights": np.full(89, -1.0)}, "finite and not negative"),
        ({"weights": np.full(89, np.nan)}, "finite and not negative"),
        ({"weights": np.zeros(89)}, "and weight"),
        ({"no_information": 1.2}, "no_information=1.2"),
        ({"no_information": True}, "no_information=True"),
    ],
)
def test_errors_name_the_cure(wine, fit, arguments, message):
    with pytest.raises(pc.ProtoclassError, match=message):
        fit.test(wine.iloc[1::2], **arguments)


def test_votes_are_not_probabilities():
    """1-NN says 1.0 for every row and is right in two thirds of them."""
    draw = np.random.default_rng(0)
    y = np.arange(1060) % 2
    data = pd.DataFrame(draw.normal(size=(1060, 2)) + y[:, None], columns=["a", "b"]).assign(y=np.where(y, "u", "v"))
    fit, new = pc.fit("y ~ .", data[:60], "knn", k=1), data[60:]
    assert (fit.predict(new, "prob").max(axis=1) == 1.0).all()
    assert 0.6 < (fit.predict(new).astype(object) == new["y"]).mean() < 0.75
    assert "not calibrated" in pc.Fit.predict.__doc__
