"""Candidates off the training rows (PVM paper, section 4.2)."""

import numpy as np
import pandas as pd
import pytest
from reference_pvm import greedy
from scipy.spatial import ConvexHull
from scipy.stats import chi2, kstest

import protoclass as pc
from protoclass.core.vectors.centroids import hull_draws

RAW = pc.Euclidean(scale=False)


def distances(a, b):
    return np.sqrt(((a.to_numpy(float)[:, None] - b.to_numpy(float)) ** 2).sum(axis=2))


@pytest.fixture(scope="module")
def parts(iris):
    mixed = iris.sample(frac=1, random_state=3)
    return mixed.iloc[:60], mixed.iloc[60:90]


def pairs(fit):
    return list(zip(fit.rule.prototypes.at.tolist(), fit.rule.prototypes.classes.tolist(), strict=True))


def test_unlabelled_rows_are_candidates_for_any_class(parts):
    train, new = parts
    X, Z, y = train.drop(columns="species"), new.drop(columns="species"), train.species.cat.codes.to_numpy()
    everything = np.ones(60, bool)
    both = pc.fit("species ~ .", train, dissimilarity=RAW, eps=0.8, candidates=pc.candidates.unlabelled(Z))
    D = np.hstack([distances(X, X), distances(X, Z)])
    assert pairs(both) == greedy(D, y, 0.8, 1 / 60, np.ones(60), everything, np.ones(90, bool), 3)
    alone = pc.fit("species ~ .", train, dissimilarity=RAW, eps=0.8, candidates=pc.candidates.unlabelled(new, only=True))
    assert pairs(alone) == greedy(D[:, 60:], y, 0.8, 1 / 60, np.ones(60), everything, np.ones(30, bool), 3)
    assert alone.prototypes.index.isin(new.index).all()
    assert alone.prototypes["true_class"].isna().all()
    assert alone.prototypes["petal_length"].tolist() == new.loc[alone.prototypes.index, "petal_length"].tolist()
    assert alone.predict(new).notna().all()
    v = pc.cross_validate("species ~ .", train, dissimilarity=RAW, candidates=pc.candidates.unlabelled(Z), cv=4, repeats=1)
    assert v.table["error"].min() < 0.15


def test_own_candidates_serve_their_own_class_only(parts):
    train, _ = parts
    X, y = train.drop(columns="species"), train.species.cat.codes.to_numpy()
    D = distances(X, X)
    draw = np.random.default_rng(0)
    noisy = train.assign(
        species=train.species.cat.categories[np.where(draw.random(60) < 0.6, draw.integers(0, 3, 60), y)]
    )
    y = pd.Categorical(noisy.species).codes.astype(int)
    any_class = pc.fit("species ~ .", noisy, dissimilarity=RAW, eps=0.9)
    assert (any_class.prototypes["true_class"].astype(str) != any_class.prototypes["class"].astype(str)).any()
    own = pc.fit("species ~ .", noisy, dissimilarity=RAW, eps=0.9, candidates="same_class")
    assert (own.prototypes["true_class"].astype(str) == own.prototypes["class"].astype(str)).all()
    slow = []
    for c in range(3):
        slow += greedy(D, np.where(y == c, c, 3), 0.9, 1 / 60, np.ones(60), np.ones(60, bool), y == c, 3)
    assert sorted(pairs(own)) == sorted(slow)


def test_a_subset_of_the_rows(iris):
    fit = pc.fit("species ~ .", iris, eps=0.8, candidates=30)
    assert fit.dissimilarity.shape == (150, 30)
    assert iris.species[fit.dissimilarity.candidate_names].value_counts().tolist() == [10, 10, 10]
    assert fit.prototypes.index.isin(fit.dissimilarity.candidate_names).all()
    assert fit.update(seed=0).prototypes.equals(fit.prototypes)
    assert pc.fit("species ~ .", iris, candidates=30, dissimilarity="euclidean", repeats=1).validation.table["error"].min() < 0.15


def test_centroids_are_learned_in_each_fold(iris):
    fold = pd.Series(np.arange(150) % 3, iris.index)
    spec = pc.candidates.kmeans(3)
    v = pc.cross_validate("species ~ .", iris, dissimilarity=RAW, eps=1.0, candidates=spec, cv=fold, lambda_=0.01)
    for f in range(3):
        train, held = iris[fold != f], iris[fold == f]
        fit = pc.fit("species ~ .", train, dissimilarity=RAW, eps=1.0, candidates=spec, lambda_=0.01)
        assert v.held_out[0][held.index].tolist() == fit.predict(held).tolist()
    only = pc.fit("species ~ .", iris, eps=1.0, candidates=pc.candidates.kmeans(5, only=True))
    assert only.prototypes.index.str.startswith("kmeans[").all()
    assert only.prototypes["petal_length"].between(1, 7).all()
    assert str(only.summary())
    assert pc.fit("species ~ petal_length + petal_width", iris, eps=1.0, candidates=pc.candidates.kmeans(2)).plot() is not None


def test_hull_draws_are_uniform():
    square = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5], [0.2, 0.7]])
    drawn = hull_draws(square, 1600, 5, (0,))
    cells = np.histogram2d(*drawn.T, 4, [[0, 1], [0, 1]])[0]
    assert cells.sum() == 1600  # none outside
    assert ((cells - 100) ** 2 / 100).sum() < chi2.ppf(0.9999, 15)
    triangle = np.array([[0.0, 0, 5], [1, 0, 5], [0, 1, 5]])  # a simplex in a plane: drawn directly
    drawn = hull_draws(triangle, 2000, 1, (0,))
    assert drawn.mean(axis=0) == pytest.approx([1 / 3, 1 / 3, 5], abs=0.02)
    assert drawn[:, :2].var(axis=0) == pytest.approx([1 / 18, 1 / 18], rel=0.1)
    line = np.outer([0.0, 1, 2, 3], [1.0, 2, -1])  # rank 1 among four points
    drawn = hull_draws(line, 800, 3, (0,))
    assert np.linalg.matrix_rank(drawn, tol=1e-8) == 1
    assert kstest(drawn[:, 0] / 3, "uniform").pvalue > 1e-4
    assert (hull_draws(np.ones((4, 3)), 2, 1, (0,)) == 1).all()


def test_hull_candidates_lie_in_their_class(iris):
    spec = pc.candidates.hull(15, steps=2)
    fit = pc.fit("species ~ .", iris, eps=1.0, candidates=spec, lambda_=0.01)
    d = fit.dissimilarity
    assert d.shape == (150, 195)
    added = d.added.loc[[f"hull[setosa].{k}" for k in range(1, 16)]]
    own = iris[iris.species == "setosa"].drop(columns="species")
    hull = ConvexHull(own.to_numpy())
    assert (added.to_numpy() @ hull.equations[:, :4].T + hull.equations[:, 4] < 1e-7).all()
    only = pc.fit("species ~ .", iris, eps=1.0, candidates=pc.candidates.hull(40, only=True))
    assert only.prototypes.index.str.startswith("hull[").all()
    assert only._training_error < 0.2


def test_candidates_that_do_not_fit(iris, parts):
    train, new = parts
    Z = new.drop(columns="species")
    for candidates, message in (
        (pc.candidates.unlabelled(train), "has the label of a row"),
        (pc.candidates.unlabelled(Z.assign(petal_width=np.nan)), "30 unlabelled rows lack predictors: leave them out"),
        (pc.candidates.unlabelled(Z.drop(columns="petal_width")), "lack the columns"),
        (pc.candidates.kmeans(50), "kmeans candidates need 50 rows with weight in each class, but 'setosa' has 22"),
    ):
        with pytest.raises(pc.errors.DataError, match=message):
            pc.fit("species ~ .", train, eps=1.0, candidates=candidates)
    D = pc.dissimilarity("species ~ .", train).frame()
    with pytest.raises(pc.errors.OptionError, match=r"the candidates of given dissimilarities are the.*: add columns to it"):
        pc.fit("species ~ 1", train, dissimilarity=D, eps=1.0, candidates=pc.candidates.unlabelled(Z))
    with pytest.raises(pc.errors.NoCoordinatesError):
        pc.fit("species ~ .", train, dissimilarity="gower", eps=0.2, candidates=pc.candidates.kmeans(2))
    for wrong in (
        lambda: pc.candidates.kmeans(2, only="row"),
        lambda: pc.candidates.hull(0),
        lambda: pc.candidates.hull(5, only="yes"),
        lambda: pc.candidates.unlabelled(5),
    ):
        with pytest.raises(pc.ProtoclassError):
            wrong()


def test_hulls_of_a_class_that_a_fold_lacks():
    data = pd.DataFrame({"x": np.arange(8.0), "y": list("aaaabbbc")})
    with pytest.raises(pc.errors.DataError, match=r"hull candidates need 1 rows with weight in each class, but 'c' has 0"):
        pc.fit("y ~ x", data, eps=[1.0, 2.0], candidates=pc.candidates.hull(3), cv=np.arange(8) % 2)


def test_the_radii_of_folds_are_found_with_few_candidates_among_many_rows():
    draw = np.random.default_rng(0)
    data = pd.DataFrame(draw.normal(size=(1500, 3)), columns=list("abc"))
    data["y"] = np.where(data.a + draw.normal(size=1500) > 0, "p", "q")
    fit = pc.fit("y ~ .", data, dissimilarity="lda", candidates=3, cv=3, repeats=1, progress=False)
    assert len(fit.prototypes) > 0
