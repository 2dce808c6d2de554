"""Certified distances: no smaller change of a row changes its class."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import protoclass as pc


@pytest.mark.parametrize(
    ("metric", "eps"),
    [
        (pc.Euclidean(), 0.8),
        (pc.Manhattan(scale=False), 0.8),
        (pc.Chebyshev(scale="range"), 0.2),
        (pc.Mahalanobis(), 0.8),
    ],
)
def test_no_smaller_change_changes_the_class(iris, metric, eps):
    fit = pc.fit("species ~ .", iris[::2], dissimilarity=metric, eps=eps)
    new = iris[1::2].reset_index(drop=True)
    radius = fit.augment(new)["certified"].to_numpy()
    assert (radius > 0).mean() > 0.9
    random, X = np.random.default_rng(0), new.drop(columns="species")
    together = pc.dissimilarity("species ~ .", iris[::2], metric)
    trained, before = together.metric, fit.predict(new).to_numpy()
    changed = 0
    for step in np.geomspace(0.01, 10, 25):
        moved = X + step * random.normal(size=X.shape) * X.std().to_numpy()
        D = trained.new_rows(X, together.data).measure(np.arange(len(X)), trained.new_rows(moved, together.data).rows)
        other = fit.predict(moved).to_numpy() != before
        inside = np.diag(D) < radius
        assert not (other & inside).any()
        changed += (other & ~inside).sum()
    assert changed > 40


def test_on_a_line_the_certified_distance_is_that_to_the_midpoint():
    data = pd.DataFrame({"x": [0.0, 1.0, 4.0, 5.0], "y": list("aabb")})
    fit = pc.fit("y ~ x", data, dissimilarity=pc.Euclidean(scale=False), eps=1.5)
    places = fit.prototypes["x"].to_numpy()
    middle = (places[0] + places[1]) / 2
    table = fit.augment(pd.DataFrame({"x": [0.5, 1.75, 4.5]}))
    between = [0.5, 1.75, 4.5] - middle
    inner = np.minimum(np.abs(between), np.ptp(places) / 2)
    assert table["certified"].to_numpy() == pytest.approx(inner)


def test_where_nothing_is_certified_the_reason_is_there(iris):
    knn = pc.fit("species ~ .", iris, "knn", k=3).augment()
    assert knn["certified"].isna().all()
    assert "does not predict the class of the nearest prototype" in knn.attrs["certified"]
    squares = pc.dissimilarity("species ~ .", iris).frame() ** 2
    given = pc.fit("species ~ 1", iris, dissimilarity=squares, eps=1.0).augment()
    assert given["certified"].isna().all()
    assert "violate the triangle inequality" in given.attrs["certified"]
    fine = pc.fit("species ~ 1", iris, dissimilarity=np.sqrt(squares), eps=1.0).augment()
    same = pc.fit("species ~ .", iris, eps=1.0).augment()
    assert fine["certified"].to_numpy() == pytest.approx(same["certified"].to_numpy())
    one_way = np.sqrt(squares).where(np.tril(np.ones((150, 150), bool)), np.sqrt(squares) * 1.2)
    asymmetric = pc.fit("species ~ 1", iris, dissimilarity=one_way, eps=1.0).augment()
    assert "asymmetric" in asymmetric.attrs["certified"]


@dataclass(frozen=True)
class Squared(pc.Metric):
    symmetric = True
    triangle = True

    def rows(self, frame):
        return (np.ascontiguousarray(frame.design.to_numpy(float)),)

    def between(self, rows, candidates):
        return ((rows[0][:, None] - candidates[0][None]) ** 2).sum(axis=2)


def test_a_metric_that_wrongly_declares_the_triangle_inequality_is_caught():
    with pytest.raises(pc.testing.ContractError, match="triangle is declared"):
        pc.testing.check_metric(Squared())
