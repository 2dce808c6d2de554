"""Metrics that learn from classes what columns count, against scikit-learn, loops and finite differences."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from closeness import assert_close
from scipy.optimize import approx_fprime

import protoclass as pc
from protoclass.core.distances.discriminant import (
    Neighbourhoods,
    covariances,
    discriminants,
    nca,
    quadratic,
)
from protoclass.core.sources import part
from protoclass.frames.frame import mold

MAPS = {"full": (4, 4), "two axes": (2, 4), "diagonal": (4,)}


def rows(n=40, p=4, seed=0):
    draw = np.random.default_rng(seed)
    return draw.normal(size=(n, p)), np.sort(draw.integers(0, 3, n)), draw.uniform(0.2, 3, n)


def noisy(n, noise, seed=0):
    """Two classes that two of the columns tell apart, beside columns of noise."""
    draw = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = draw.normal(size=(n, 2 + noise))
    X[:, 0] += 2.0 * y
    X[:, 1] *= 1.0 + 2.0 * y
    return pd.DataFrame(X).add_prefix("x").assign(y=np.where(y, "u", "v"))


def slow(A, X, y, w, ridge):
    """The objective in loops."""
    A, total = (np.diag(A) if A.ndim == 1 else A), 0.0
    for i in range(len(X)):
        e = np.array([w[j] * np.exp(-(((A @ X[i]) - (A @ X[j])) ** 2).sum()) if j != i else 0.0 for j in range(len(X))])
        total += w[i] / w.sum() * e[y == y[i]].sum() / e.sum()
    return total - ridge * (A**2).sum() / X.shape[1]


@pytest.mark.parametrize("shape", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("ridge", [0.0, 0.4])
def test_the_objective_equals_loops_and_its_gradient_finite_differences(shape, ridge):
    X, y, w = rows()
    A = np.random.default_rng(1).normal(size=shape)
    goal = Neighbourhoods(X, y, w, ridge)
    value, slope = goal.value(A)
    assert value == pytest.approx(slow(A, X, y, w, ridge), rel=1e-10)
    numeric = approx_fprime(A.ravel(), lambda a: goal.value(a.reshape(shape))[0], 1e-6)
    assert slope.ravel() == pytest.approx(numeric, abs=2e-6)


def test_discriminants_equal_those_of_scikit_learn(iris):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(iris.iloc[:, :4], iris.species)
    ours = pc.fit("species ~ .", iris, eps=1.0, dissimilarity=pc.LDA(ridge=0)).dissimilarity
    E = theirs.transform(iris.iloc[:, :4])
    assert_close(ours.frame().to_numpy(), np.sqrt(((E[:, None] - E) ** 2).sum(axis=2)), abs=1e-7)
    one = (
        pc.fit("species ~ .", iris, eps=1.0, dissimilarity=pc.LDA(dims=1, ridge=0))
        .dissimilarity.frame()
        .to_numpy()
    )
    assert_close(one, np.abs(E[:, :1] - E[:, 0]), abs=1e-7)


def test_weights_of_rows_count_in_discriminants_as_repeated_rows_do():
    X, y, _ = rows(50)
    times = np.random.default_rng(4).integers(1, 4, 50)
    again = np.repeat(X, times, axis=0), np.repeat(y, times), np.ones(times.sum())
    for ridge in (0.0, 0.3):
        assert_close(discriminants(X, y, times.astype(float), 2, ridge), discriminants(*again, 2, ridge))
        maps = quadratic(X, y, times.astype(float), 3, 0.1, ridge), quadratic(*again, 3, 0.1, ridge)
        ours, theirs = (np.swapaxes(F, 1, 2) @ F for F in maps)
        assert_close(ours, theirs)


@pytest.mark.parametrize("metric", [pc.NCA(), pc.NCA(dims=2), pc.LDA(ridge=0)], ids=repr)
def test_rows_of_weight_0_teach_nothing(iris, metric):
    w = pd.Series(np.where(np.arange(150) % 3 == 0, 0.0, 1.0 + np.arange(150) % 2), iris.index)
    odd = iris.copy()
    odd.loc[w == 0, "petal_width"] *= 100.0
    learned = [
        pc.fit("species ~ .", d, "knn", k=3, weights=w, dissimilarity=metric).dissimilarity.metric for d in (iris, odd)
    ]
    assert learned[0] == learned[1]
    heavy = pc.fit("species ~ .", iris, "knn", k=3, dissimilarity=metric).dissimilarity.metric
    assert heavy != learned[0]


def test_it_finds_the_columns_that_matter_among_noise():
    train, new = noisy(300, 20), noisy(1000, 20, seed=1)
    learned = pc.fit("y ~ .", train, "knn", k=7, dissimilarity="nca")
    weights = learned.dissimilarity.metric.column_weights
    assert set(weights["proportion"].nlargest(2).index) == {"x0", "x1"}
    assert weights["proportion"][["x0", "x1"]].sum() > 0.5  # of 2 / 22 before
    assert weights["weight"].mean() == pytest.approx(1)
    assert learned.test(new).error < pc.fit("y ~ .", train, "knn", k=7).test(new).error - 0.05


def test_what_a_fit_says_of_the_weights(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0, dissimilarity=pc.NCA(sample=90))
    weights = fit.dissimilarity.metric.column_weights
    assert list(weights.columns) == ["weight", "proportion", "scale"]
    assert weights["scale"].to_dict() == pytest.approx(iris.iloc[:, :4].std().to_dict())
    first = weights["weight"].idxmax()
    for text in (fit.summary().as_text(), repr(replace(fit.dissimilarity))):
        assert f"learned weights of columns, each divided by its sd: {first}" in text.replace("\n", " ")
    assert "diagonal NCA, predictors scaled to unit SD, learned from 90 of 150 rows" in repr(fit)
    assert fit.prototypes.attrs["weights"] == weights["weight"].to_dict()
    plain = pc.fit("species ~ .", iris, eps=1.0)
    assert plain.prototypes.attrs == {}
    assert plain.dissimilarity.metric.column_weights is None


def test_centroids_lead_back_to_the_columns(iris):
    means = iris.groupby("species", observed=True).mean().to_numpy()
    for metric in (pc.NCA(), pc.NCA(diagonal=False)):
        fit = pc.fit("species ~ .", iris, "kmeans", K=1, dissimilarity=metric)
        assert fit.prototypes.iloc[:, -4:].to_numpy(float) == pytest.approx(means)
    reduced = pc.fit("species ~ .", iris, "kmeans", K=1, dissimilarity=pc.LDA(ridge=0))
    points = reduced.prototypes.iloc[:, -4:].astype(float)
    known = pc.Dissimilarity(**vars(reduced.dissimilarity)).metric
    frame, _ = reduced.frame.again(points)
    assert known.rows(frame)[0] == pytest.approx(reduced.rule.prototypes.coords)  # these points have its coordinates
    assert points.to_numpy() == pytest.approx(means, abs=0.2)  # and are near the means, as a regression predicts


def test_columns_that_do_not_vary_and_duplicates(iris):
    odd = pd.concat([iris, iris.iloc[::2].set_axis(range(1000, 1075))]).assign(same=3.0)
    for metric in (pc.NCA(), pc.NCA(dims=2), pc.LDA(ridge=0)):
        fit = pc.fit("species ~ .", odd, "knn", k=3, dissimilarity=metric)
        assert fit.dissimilarity.metric.column_weights.loc["same", "weight"] == 0
        assert "constant columns, which get weight 0: same" in fit.summary().as_text().replace("\n", " ")
        assert fit._training_error < 0.05
        assert fit.predict(odd.assign(same=np.arange(225.0))).tolist() == fit.predict().tolist()
    with pytest.raises(pc.errors.DataError, match=r"all columns of .* are constant over the 225 training rows"):
        pc.fit("species ~ same", odd, "knn", k=3, dissimilarity="nca")


def test_fewer_rows_than_columns():
    few = noisy(20, 40)
    for metric in (pc.NCA(), pc.NCA(dims=3), pc.NCA(diagonal=False), pc.LDA(), pc.QDA()):
        fit = pc.fit("y ~ .", few, "knn", k=1, dissimilarity=metric)
        assert fit._training_error == 0
        assert np.isfinite(fit.dissimilarity.frame().to_numpy()).all()
    for metric in (pc.LDA(ridge=0), pc.QDA(ridge=0)):
        with pytest.raises(
            pc.errors.DataError, match=r"needs variance within .*, but some axis of 42 columns over 20 rows has none: .* ridge="
        ):
            pc.fit("y ~ .", few, "knn", k=1, dissimilarity=metric)


def test_what_cannot_be_learned(iris):
    def fit(data=iris, formula="species ~ .", **parameters):
        return pc.fit(formula, data, "knn", k=1, dissimilarity=pc.NCA(**parameters))

    with pytest.raises(pc.errors.DataError, match=r"a learned metric needs rows of two classes, but.*class 'setosa':"):
        pc.NCA().train(mold("species ~ .", iris).take(np.arange(50)))
    rare = iris.iloc[:101].assign(species=["common"] * 100 + ["rare"])
    with pytest.raises(pc.errors.DataError, match=r"rows of the sample of 10 have the class 'common'.*a larger sample="):
        fit(rare, sample=10)
    with pytest.raises(pc.errors.DataError, match="each class has one training row"):
        fit(iris.iloc[[0, 60, 120]])
    with pytest.raises(pc.errors.DataError, match="dims must be at most 4, the number of columns that vary, not 5"):
        fit(dims=5)
    with pytest.raises(pc.errors.DataError, match="use a smaller one"):
        fit(ridge=1e6)
    with pytest.raises(pc.errors.DataError, match=r"'~ .*' has no response: use 'response ~ predictors'"):
        pc.dissimilarity("~ sepal_length", iris, pc.NCA())
    with pytest.raises(pc.errors.TooLargeError, match="learn from fewer rows, such as sample=1000"):
        nca(np.zeros((10**7, 1)), np.zeros(10**7, int), np.ones(10**7))
    for make, words in (
        (lambda: pc.NCA(dims=2, diagonal=True), "no axes to leave out"),
        (lambda: pc.LDA(dims=0), "dims must be .*, not 0"),
        (lambda: pc.QDA(shrinkage=2), "shrinkage must be .*, not 2"),
        (lambda: pc.QDA(ridge="a"), "ridge must be a number >= 0, not 'a'"),
    ):  # fmt: skip
        with pytest.raises(pc.errors.OptionError, match=words):
            make()


def by_loops(data, response, shrinkage, ridge, w):
    """D of QDA by its definition, one pair at a time."""
    X, y = data.drop(columns=response).to_numpy(float), pd.factorize(data[response], sort=True)[0]
    live, Z = w > 0, X / X[w > 0].std(axis=0, ddof=1)
    S, W, mean = {}, np.zeros((X.shape[1],) * 2), np.average(Z[live], axis=0, weights=w[live])
    for c in np.unique(y):
        own, m = live & (y == c), np.average(Z[live & (y == c)], axis=0, weights=w[live & (y == c)])
        S[c] = sum(w[i] * np.outer(Z[i] - m, Z[i] - m) for i in np.flatnonzero(own)) / w[own].sum()
        W += w[own].sum() / w.sum() * S[c]
    variance = np.mean(w @ (Z - mean) ** 2 / w.sum())
    D = np.empty((len(X), len(X)))
    for j in range(len(X)):
        L = np.linalg.inv((1 - shrinkage) * S[y[j]] + shrinkage * W + ridge * variance * np.eye(len(W)))
        for i in range(len(X)):
            D[i, j] = np.sqrt((Z[i] - Z[j]) @ L @ (Z[i] - Z[j]))
    return D


@pytest.mark.parametrize("weighted", [False, True])
def test_the_quadratic_distance_is_its_definition_by_loops(iris, weighted):
    part = iris.iloc[::5]
    w = 1.0 + np.arange(len(part)) % 3 if weighted else np.ones(len(part))
    fit = pc.fit("species ~ .", part, eps=1.0, dissimilarity=pc.QDA(shrinkage=0.2, ridge=0.05), weights=pd.Series(w, part.index))
    found = fit.dissimilarity.frame().to_numpy()
    assert_close(found, by_loops(part, "species", 0.2, 0.05, w), abs=1e-9)
    assert not np.allclose(found, found.T)
    assert not found.diagonal().any()


def at_the_means(data, response, metric):
    """The class of the nearest mean of a class for each row."""
    means = data.groupby(response, observed=True).mean().reset_index()
    both = pd.concat([data, means], ignore_index=True)
    trained = metric.train(mold(f"{response} ~ .", both).take(np.arange(len(data))))
    frame = mold(f"{response} ~ .", both)
    D = trained.between(trained.rows(frame.take(np.arange(len(data)))), trained.candidates(frame.take(np.arange(len(data), len(both)))))
    return means[response].to_numpy()[D.argmin(axis=1)], D


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_nearest_means_predict_as_the_discriminant_analyses_of_scikit_learn(name):
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )

    data = pc.load_data(name)
    response = "species" if name == "iris" else "cultivar"
    data = data.groupby(response, observed=True).head(40).reset_index(drop=True)  # equal classes, so equal divisors
    X, y = data.drop(columns=response).to_numpy(float), data[response]
    equal = np.full(3, 1 / 3)
    linear = LinearDiscriminantAnalysis(priors=equal).fit(X, y)
    assert at_the_means(data, response, pc.LDA(ridge=0))[0].tolist() == linear.predict(X).tolist()
    square = QuadraticDiscriminantAnalysis(priors=equal, store_covariance=True).fit(X, y)
    _, D = at_the_means(data, response, pc.QDA(shrinkage=0, ridge=0))
    volume = [np.linalg.slogdet(S)[1] for S in square.covariance_]  # the term that the distance leaves out
    known = pd.Categorical(square.predict(X), data[response].cat.categories).codes
    assert (D**2 * 39 / 40 + volume).argmin(axis=1).tolist() == known.tolist()


def test_discriminants_of_more_columns_than_rows_are_those_of_all_columns_with_a_ridge():
    X, y, w = noisy(24, 60).iloc[:, :-1].to_numpy(float), np.arange(24) % 3, np.ones(24)
    p = X.shape[1]
    axes = discriminants(X, y, w, 2, 0.1)
    within, total = covariances(X, y, w, 3)[1], covariances(X, np.zeros(24, int), w, 1)[1]
    from scipy.linalg import eigh

    _, plain = eigh(total - within, within + 0.1 * np.diag(total).mean() * np.eye(p))
    E, F = X @ axes.T, X @ plain[:, ::-1][:, :2]
    assert_close(((E[:, None] - E) ** 2).sum(axis=2), ((F[:, None] - F) ** 2).sum(axis=2), abs=1e-6)


def test_parts_of_squared_distances_are_signed_and_exact(iris):
    table = iris.assign(size=pd.Categorical(np.where(iris.sepal_length > 5.8, "large", "small")))
    for metric in (pc.LDA(), pc.NCA(diagonal=False)):
        why = pc.fit("species ~ . - sepal_length", table, eps=2.0, dissimilarity=metric).why(70)
        assert why["to_prototype"].sum() == pytest.approx(why.attrs["prototype_distance"])
    fit = pc.fit("species ~ .", iris, eps=2.0, dissimilarity=pc.QDA())
    trained, to = fit.dissimilarity, np.arange(150)[::-1]
    parts = trained.metric.contributions(fit.frame, fit.frame.take(to), part(trained.candidates, to))
    assert_close(parts.sum(axis=1), trained.frame().to_numpy()[np.arange(150), to] ** 2, abs=1e-9)
    assert (parts < -0.1).any()


def test_the_response_of_the_formula_is_read_where_the_metric_learns_from_it(iris):
    for metric in (pc.LDA(ridge=0), pc.Adaptive(), pc.Mixed([(list(iris.columns[:4]), pc.LDA(ridge=0))]), pc.Ranks(pc.LDA(ridge=0))):
        found = pc.dissimilarity("species ~ .", iris, metric)
        fitted = pc.fit("species ~ .", iris, "knn", k=3, dissimilarity=metric).dissimilarity
        assert np.array_equal(found.frame(), fitted.frame())
        with pytest.raises(pc.errors.DataError, match=r"'~ .*' has no response: use 'response ~ predictors'"):
            pc.dissimilarity("~ .", iris.drop(columns="species"), metric)
    missing = iris.assign(species=iris["species"].where(iris.index != 3))
    sizes = [len(pc.dissimilarity("species ~ .", missing, metric).index) for metric in ("euclidean", pc.LDA(ridge=0))]
    assert sizes == [150, 149]  # a row without a class counts where no class is asked for
