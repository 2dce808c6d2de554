"""Certified distances: no smaller change of a row changes its class."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
import simulate

import protoclass as pc
from protoclass.frames.frame import mold
from protoclass.metrics.minkowski import TrainedMinkowski


@pytest.mark.parametrize(
    ("metric", "eps"),
    [
        (pc.Euclidean(), 0.8),
        (pc.Manhattan(scale=False), 0.8),
        (pc.Chebyshev(), 0.8),
        (pc.Mahalanobis(), 0.8),
        (pc.Gower(), 0.1),
        (pc.Canberra(), 0.3),
        (pc.Kernel("rbf"), 0.4),
        (pc.LDA(ridge=0), 1.5),
        (pc.Mixed([(["sepal_length", "sepal_width"], "manhattan"), (["petal_length", "petal_width"], "gower")]), 0.5),
    ],
)
def test_no_smaller_change_changes_the_class(iris, metric, eps):
    fit = pc.fit("species ~ .", iris[::2], dissimilarity=metric, eps=eps, repeats=1)
    new = iris[1::2].reset_index(drop=True)
    radius = fit.augment(new)["certified_radius"].to_numpy()
    assert (radius > 0).mean() > 0.9
    random, X = np.random.default_rng(0), new.drop(columns="species")
    together = pc.dissimilarity("species ~ .", iris[::2], metric)
    trained, before = together.metric, fit.predict(new).to_numpy()
    changed = 0
    for step in np.geomspace(0.01, 10, 25):
        moved = X + step * random.normal(size=X.shape) * X.std().to_numpy()
        D = trained.new_rows(X, together.data).measure(np.arange(len(X)), trained.new_rows(moved, together.data).rows())
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
    assert table["certified_radius"].to_numpy() == pytest.approx(inner)


def test_where_nothing_is_certified_the_reason_is_there(iris):
    knn = pc.fit("species ~ .", iris, "knn", k=3).augment()
    assert knn["certified_radius"].isna().all()
    assert "does not predict the class of the nearest prototype" in knn.attrs["certified_radius"]
    squares = pc.dissimilarity("species ~ .", iris).frame() ** 2
    given = pc.fit("species ~ 1", iris, dissimilarity=squares, eps=1.0).augment()
    assert given["certified_radius"].isna().all()
    assert "violate the triangle inequality" in given.attrs["certified_radius"]
    fine = pc.fit("species ~ 1", iris, dissimilarity=np.sqrt(squares), eps=1.0).augment()  # of other rows nothing is known
    assert fine["certified_radius"].isna().all()
    assert fine.attrs["certified_radius"] == "it is not known that given dissimilarities satisfy the triangle inequality"
    one_way = np.sqrt(squares).where(np.tril(np.ones((150, 150), bool)), np.sqrt(squares) * 1.2)
    asymmetric = pc.fit("species ~ 1", iris, dissimilarity=one_way, eps=1.0).augment()
    assert "asymmetric" in asymmetric.attrs["certified_radius"]


def test_normalised_edits_are_no_metric():
    """'ab', 'aba' and 'ba': 1 / 3 and 1 / 3, and 1 from the first to the last."""
    words = pd.DataFrame({"word": ["ab", "ba"], "class": ["x", "y"]})
    fit = pc.fit("class ~ word", words, "knn", k=1, dissimilarity=pc.Levenshtein(normalised=True))
    assert fit.dissimilarity.frame().loc[0, 1] == 1
    fit = pc.fit("class ~ word", words, dissimilarity=pc.Levenshtein(normalised=True), eps=0.2, lambda_=0.1)
    table = fit.augment()
    assert len(fit.prototypes) == 2
    assert table["certified_radius"].isna().all()
    assert "Levenshtein dissimilarities satisfy" in table.attrs["certified_radius"]
    edits = pc.fit("class ~ word", words, dissimilarity=pc.Levenshtein(), eps=0.2, lambda_=0.1)
    assert (edits.augment()["certified_radius"] == 1.0).all()


def squared(a, b):
    return float(((a - b) ** 2).sum())


def test_a_function_is_certified_by_the_word_of_the_user_alone():
    """Squared Euclidean distances satisfy the triangle inequality on corners of a cube, and not between them."""
    X = np.random.default_rng(0).integers(0, 2, (40, 3))
    data = pd.DataFrame(X, columns=list("abc")).assign(y=np.where(X.sum(axis=1) > 1, "u", "v"))
    found = pc.fit("y ~ .", data, dissimilarity=squared, eps=1.5).augment()
    assert found["certified_radius"].isna().all()
    assert "use Custom(..., triangle=True)" in found.attrs["certified_radius"]

    def plain(a, b):
        return float(((a - b) ** 2).sum() ** 0.5)

    told = pc.fit("y ~ .", data, dissimilarity=pc.Custom(plain, triangle=True), eps=1.5).augment()
    known = pc.fit("y ~ .", data, dissimilarity=pc.Euclidean(scale=False), eps=1.5).augment()
    assert told["certified_radius"].to_numpy() == pytest.approx(known["certified_radius"].to_numpy())
    refuted = data.assign(a=data["a"] + np.linspace(0, 2, 40))
    wrong = pc.fit("y ~ .", refuted, dissimilarity=pc.Custom(squared, triangle=True), eps=1.5).augment()
    assert wrong["certified_radius"].isna().all()
    assert "violate the triangle inequality in" in wrong.attrs["certified_radius"]
    with pytest.raises(pc.OptionError, match="triangle must be True or False, not 'yes'"):
        pc.Custom(plain, triangle="yes")


def test_skipping_missing_values_certifies_nothing():
    clinic = simulate.clinic(80)
    kept = pc.fit("outcome ~ age + marker + ward + pulse", clinic, na="keep", eps=0.2).augment()
    assert "missing values are skipped" in kept.attrs["certified_radius"]
    full = pc.fit("outcome ~ age + marker + ward", clinic, eps=0.2, dissimilarity="gower").augment()
    assert full["certified_radius"].notna().any()
    flags = pc.fit("outcome ~ age + smoker", clinic, eps=0.2, dissimilarity=pc.Gower(asymmetric=["smoker"])).augment()
    assert "it is not known that Gower" in flags.attrs["certified_radius"]


def test_a_class_that_measures_in_another_way_does_not_inherit_the_triangle_inequality():
    class Squared(pc.Hamming):
        def between(self, rows, candidates):
            return super().between(rows, candidates) ** 2

    class TrainedSquared(TrainedMinkowski):
        def between(self, rows, candidates):
            return super().between(rows, candidates) ** 2

    class Moved(pc.Hamming):
        def rows(self, frame):
            return super().rows(frame)

    known = pc.Euclidean().train(mold("~ a", pd.DataFrame({"a": [1.0, 2.0]}), response=False))
    squared = TrainedSquared(**{f.name: getattr(known, f.name) for f in fields(known)})
    assert [Squared().triangle, squared.triangle, squared.geometry, Moved().triangle] == [False, False, None, True]
