"""The bound of the test error under changes of the rows: against random changes, by hand, and where there is none."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc


@pytest.fixture(scope="module")
def tested(iris):
    fit = pc.fit("species ~ .", iris[::2], dissimilarity=pc.Euclidean(scale=False), eps=0.8)
    new = iris[1::2].reset_index(drop=True)
    return fit, new, fit.test(new)


def test_no_smaller_change_has_more_errors_than_the_bound(tested):
    fit, new, found = tested
    draw, X = np.random.default_rng(0), new.drop(columns="species")
    places, classes = fit.prototypes[X.columns].to_numpy(), fit.prototypes["class"].astype(str).to_numpy()
    truth, most = new["species"].astype(str).to_numpy(), []
    for size in np.linspace(0.05, 0.6, 8):
        bound = found.perturbation([size])["error"].iloc[0]
        for toward in range(4):  # straight to a prototype of another class, and in random directions
            nearest = np.linalg.norm(X.to_numpy()[:, None] - places, axis=2) + 1e6 * (truth[:, None] == classes)
            step = draw.normal(size=X.shape) if toward else places[nearest.argmin(axis=1)] - X.to_numpy()
            length = np.linalg.norm(step, axis=1, keepdims=True)
            moved = X + 0.999 * size * step / length
            wrong = (fit.predict(moved).astype(str).to_numpy() != truth).mean()
            assert wrong <= bound + 1e-12
            most.append(wrong / bound)
    assert max(most) > 0.8  # the bound is not far from what a change can do


def test_the_bound_starts_at_the_test_error_and_rises_to_one(tested):
    fit, new, found = tested
    weights = np.random.default_rng(1).uniform(0.1, 5, len(new))
    for one in (found, fit.test(new, weights=weights), *fit.test(new, by=np.arange(len(new)) % 2).groups.values()):
        table = one.perturbation()
        assert table[["radius", "error", "low", "high"]].iloc[0].tolist() == [0.0, one.error, one.low, one.high]
        assert (table["error"].diff().dropna() >= 0).all()
        assert one.perturbation([0, 1e9])["error"].tolist() == pytest.approx([one.error, 1.0])
    radius = fit.augment(new)["certified_radius"].to_numpy()
    right = (fit.predict(new).astype(str) == new["species"].astype(str)).to_numpy()
    by_hand = [1 - weights[right & (radius >= t)].sum() / weights.sum() for t in (0.1, 0.3)]
    assert fit.test(new, weights=weights).perturbation([0.1, 0.3])["error"].tolist() == pytest.approx(by_hand)


def test_a_row_halfway_between_counts_at_zero_and_never_after():
    data = pd.DataFrame({"x": [0.0, 0.5, 4.0, 4.5], "y": list("aabb")})
    fit = pc.fit("y ~ x", data, dissimilarity=pc.Euclidean(scale=False), eps=1.0)
    middle = fit.prototypes["x"].mean()
    new = pd.DataFrame({"x": [middle, 0.0, np.nan, middle + 1], "y": list("aaab")})
    found = fit.test(new)
    assert (found.n, found.left_out, found.error) == (3, 1, 0.0)
    bound = found.perturbation([0, 1e-9, 1.0, 1.0 + 1e-9, 3])["error"]
    assert bound.tolist() == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3, 1])
    all_wrong = fit.test(new.assign(y=list("bbba")))
    assert all_wrong.perturbation()["error"].tolist() == [1.0]


def test_the_reason_is_named_where_nothing_is_certified(iris):
    new = iris[1::2]
    with pytest.raises(pc.NotAvailable, match="'knn' does not predict the class of the nearest prototype"):
        pc.fit("species ~ .", iris[::2], "knn", k=3).test(new).perturbation()
    D = pc.dissimilarity("species ~ .", iris).frame()
    squares = pc.fit("species ~ 1", iris[::2], dissimilarity=D.iloc[::2, ::2] ** 2, eps=1.0)
    rows = (D.iloc[1::2, ::2] ** 2).assign(species=new["species"])
    with pytest.raises(pc.NotAvailable, match="violate the triangle inequality"):
        squares.test(rows).perturbation()
    given = pc.fit("species ~ 1", iris[::2], dissimilarity=D.iloc[::2, ::2], eps=1.0).test(D.iloc[1::2, ::2].assign(species=new["species"]))
    with pytest.raises(pc.NotAvailable, match="it is not known that given dissimilarities satisfy"):
        given.perturbation([0.0])


def test_sizes_are_checked(tested):
    found = tested[2]
    for sizes in ([-1], 0.3, "a", [np.inf]):
        with pytest.raises(pc.OptionError, match="a list of numbers >= 0"):
            found.perturbation(sizes)
