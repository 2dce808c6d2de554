"""Pairwise metrics and kernels against SciPy, scikit-learn and definitions in loops."""

import numpy as np
import pandas as pd
import pytest
from closeness import assert_close
from coordinates import named
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from new_rows import measure
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import pairwise_kernels

import protoclass as pc
from protoclass.metrics.minkowski import Mahalanobis
from protoclass.metrics.pairwise import (
    Canberra,
    Correlation,
    Cosine,
    Hamming,
    Jaccard,
    Kernel,
    ZeroOne,
)

NUMERIC = [Mahalanobis(), Cosine(), Correlation(), Canberra(), Hamming(), ZeroOne()]
KERNELS = [
    Kernel(), Kernel("laplacian"), Kernel("poly"), Kernel("rbf", gamma=0.3, scale=False),
    Kernel("poly", gamma=0.01, degree=2, coef0=0.0, scale=False),
]  # fmt: skip


numbers = st.floats(-50, 50).map(lambda v: round(v, 1))
tables = arrays(float, (7, 3), elements=numbers)


def measured(metric, X, **options):
    table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    return pc.dissimilarity("~ .", table, metric, **options).frame().to_numpy()


def table(n=40, p=4, seed=0):
    X = np.random.default_rng(seed).normal(3, 2, size=(n, p)).round(2)
    X[7] = X[3]
    return X


def by_scipy(metric, X):
    if isinstance(metric, Mahalanobis):
        return cdist(X, X, "mahalanobis", VI=np.linalg.inv(np.cov(X.T)))
    if isinstance(metric, ZeroOne):
        return np.array([[float((a != b).any()) for b in X] for a in X])
    return cdist(X, X, type(metric).__name__.lower())


def by_sklearn(metric, X):
    Z = X / X.std(axis=0, ddof=1) if metric.scale else X
    options = {"degree": metric.degree, "coef0": metric.coef0} if metric.kernel == "poly" else {}
    options["gamma"] = metric.gamma or 1 / (Z.shape[1] * Z.var())
    K = pairwise_kernels(Z, metric=metric.kernel, **options)
    return np.sqrt(np.maximum(K.diagonal()[:, None] + K.diagonal() - 2 * K, 0))


@pytest.mark.parametrize("metric", NUMERIC, ids=named)
def test_equals_scipy(metric):
    X = table()
    assert_close(measured(metric, X), by_scipy(metric, X), rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("metric", KERNELS, ids=named)
def test_kernels_equal_scikit_learn(metric):
    X = table(seed=1)
    assert_close(measured(metric, X), by_sklearn(metric, X), rel=1e-7, abs=1e-6)


@given(arrays(float, (7, 4), elements=st.sampled_from([0.0, 1.0])))
def test_jaccard_is_a_metric_of_sets(X):
    D = measured(Jaccard(), X)
    for i, a in enumerate(X):
        for j, b in enumerate(X):
            one, other = set(np.flatnonzero(a)), set(np.flatnonzero(b))
            expected = len(one ^ other) / len(one | other) if one | other else 0.0
            assert D[i, j] == pytest.approx(expected, abs=1e-15)
    assert (D[:, None, :] <= D[:, :, None] + D[None] + 1e-12).all()
    flags = pd.DataFrame(X == 1, columns=list("abcd"))
    assert np.array_equal(measured(Jaccard(), flags), D)


@given(tables, st.floats(0, 2))
def test_mahalanobis_does_not_see_units(X, ridge):
    assume((np.linalg.matrix_rank(X - X.mean(axis=0), tol=1e-3) == 3) or ridge > 0.01)
    D = measured(Mahalanobis(ridge), X) if ridge > 0.01 else measured(Mahalanobis(), X)
    Z = X * [1e-3, 1.0, 1e4] + [5.0, -1.0, 0.0]
    if ridge > 0.01:
        spread = X.max(axis=0) > X.min(axis=0)
        assume(spread.all())  # a constant column counts as of variance 1 in its own units
        S = np.cov(X.T)
        S = S + ridge * np.diag(S.diagonal())
        assert_close(D, cdist(X, X, "mahalanobis", VI=np.linalg.inv(S)), rel=1e-6, abs=1e-6)
        assert_close(measured(Mahalanobis(ridge), Z), D, rel=1e-6, abs=1e-6)
    else:
        assert_close(measured(Mahalanobis(), Z), D, rel=1e-4, abs=1e-4)


def test_mahalanobis_leads_to_coordinates_and_back(iris):
    d = pc.dissimilarity("species ~ .", iris, Mahalanobis())
    Y = d.metric.coordinates(d.rows)
    assert_close(cdist(Y, Y), d.frame().to_numpy(), abs=1e-9)
    assert np.cov(Y.T) == pytest.approx(np.eye(4), abs=1e-9)
    assert_close(d.metric.original(Y).to_numpy(), iris.drop(columns="species").to_numpy(), abs=1e-9)
    fit = pc.fit("species ~ .", iris, "kmeans", K=1, dissimilarity=Mahalanobis())
    means = iris.groupby("species", observed=True).mean()
    assert fit.prototypes[means.columns].to_numpy() == pytest.approx(means.to_numpy())


def test_mahalanobis_names_what_is_singular(iris):
    with pytest.raises(pc.errors.DataError, match=r"collinear: sepal_length, twice\): .*ridge"):
        measured(Mahalanobis(), iris.iloc[:, :3].assign(twice=2 * iris.sepal_length))
    with pytest.raises(pc.errors.DataError, match=r"constant columns: same\): .*ridge"):
        measured(Mahalanobis(), iris.iloc[:, :3].assign(same=0.1))
    with pytest.raises(pc.errors.DataError, match=r"the covariance of 4 columns over 4 rows is.*: leave columns out, or add a"):
        measured(Mahalanobis(), iris.iloc[[0, 60, 120, 149], :4])
    with pytest.raises(pc.errors.DataError, match="over 1 rows is singular"):
        measured(Mahalanobis(), iris.iloc[:1, :4])
    with pytest.raises(pc.errors.DataError, match="singular"):  # the indicators of a category add up to 1
        measured(Mahalanobis(), iris)
    assert measured(Mahalanobis(1.0), iris.iloc[:1, :4]).tolist() == [[0.0]]
    assert measured(Mahalanobis(0.01), iris).max() > 0
    d = pc.dissimilarity("~ .", iris.iloc[:, :2].assign(same=0.1), Mahalanobis(0.5))
    assert d.metric.notes == ("constant columns, left unscaled: same",)
    new = measure(d, iris.iloc[[0], :2].assign(same=1.1))
    assert new[0, 0] == pytest.approx(np.sqrt(1 / 0.5))


def test_hamming_reads_any_column_and_values_not_seen():
    t = pd.DataFrame({"n": [1, 2, 2, 1], "t": ["u", "v", "u", "u"], "b": [True, False, True, True]})
    t["c"] = pd.Categorical(["lo", "hi", "hi", "lo"])
    t["s"] = pd.array(["x", "x", "y", "x"], "string")
    t["k"] = pd.Categorical([1, 2, 3, 1])
    slow = [[np.mean([t[c].iloc[i] != t[c].iloc[j] for c in t]) for j in range(4)] for i in range(4)]
    d = pc.dissimilarity("~ .", t, Hamming())
    assert_close(d.frame().to_numpy(), np.array(slow), abs=1e-15)
    assert pc.dissimilarity("~ .", t, ZeroOne()).frame().to_numpy().tolist() == np.sign(slow).tolist()
    new = t.iloc[[0, 0]].assign(t=["new", "other"], n=[1.0, 7.0])
    assert measure(d, new)[:, 0] == pytest.approx([1 / 6, 2 / 6])
    both = d.metric.new_rows(new, d.data).rows()
    assert d.metric.between(both, both)[0, 1] == pytest.approx(2 / 6)  # two values not seen differ from each other
    with pytest.raises(pc.errors.DataError, match=r"'id' is 9007199254740993 at row 1.*astype\(str\)"):
        measured(Hamming(), pd.DataFrame({"id": [2**53, 2**53 + 1]}))


def test_rows_without_a_direction_are_named():
    t = pd.DataFrame({"a": [1.0, 0.0, 2.0], "b": [2.0, 0.0, 2.0]}, ["r", "s", "t"])
    with pytest.raises(pc.errors.DataError, match="row 's' is zero in all columns"):
        measured(Cosine(), t)
    with pytest.raises(pc.errors.DataError, match=r"row 's' is constant over the columns \(2 such rows\)"):
        measured(Correlation(), t)
    with pytest.raises(pc.errors.DataError, match=r"a correlation needs at least two columns, but '~ \.' has one"):
        measured(Correlation(), t[["a"]])
    d = pc.dissimilarity("~ .", t.loc[["r", "t"]], Cosine())
    with pytest.raises(pc.errors.DataError, match="row 's' is zero"):
        measure(d, t.loc[["s"]])
    huge = pd.DataFrame({"a": [1e300, 1e-300], "b": [1e300, 0.0]})
    assert measured(Cosine(), huge)[0, 1] == pytest.approx(1 - np.sqrt(0.5))
    with pytest.raises(pc.errors.DataError, match=r"'b' is 0.5 at row 1: .*data\[column\] > 0"):
        measured(Jaccard(), pd.DataFrame({"a": [1.0, 0.0], "b": [1.0, 0.5]}))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Mahalanobis(-1), "ridge must be a number >= 0, not -1"),
        (lambda: Mahalanobis(scale=False), "scale must be True or 'fold', not False"),
        (lambda: Kernel("sigmoid"), "kernel must be 'rbf', 'poly' or 'laplacian', .*: for the matrix K of another"),
        (lambda: Kernel(np.eye(2)), r"from_similarity\(K, \"kernel\"\)"),
        (lambda: Kernel("poly", degree=0), "degree must be a whole number >= 1 and <= 100, not 0"),
        (lambda: Kernel("poly", coef0=-1), "coef0 must be a number >= 0, not -1"),
        (lambda: Kernel(degree=2), "degree and coef0 need kernel='poly', not the rbf kernel"),
    ],
)
def test_wrong_parameters(make, says):
    with pytest.raises(pc.errors.OptionError, match=says):
        make()


def test_a_kernel_that_overflows_is_named():
    with pytest.raises(pc.errors.DataError, match=r"poly kernel is not finite .* smaller degree"):
        measured(Kernel("poly", gamma=1.0, degree=90, scale=False), 1e4 * table(9))


def test_gamma_is_that_of_scikit_learn(iris):
    from sklearn.svm import SVC

    X, y = iris.drop(columns="species").to_numpy(), iris.species
    d = pc.dissimilarity("species ~ .", iris, Kernel(scale=False))
    assert d.metric.gamma == pytest.approx(SVC(gamma="scale").fit(X, y)._gamma)
    assert d.metric.notes == (f"gamma of the rbf kernel: {d.metric.gamma:.4g}",)
    assert pc.dissimilarity("~ .", pd.DataFrame({"x": [2.0, 2.0]}), Kernel()).metric.gamma == 1.0
    big = pc.dissimilarity("species ~ .", iris.assign(sepal_length=iris.sepal_length * 1e200), Kernel("rbf"))
    assert np.isfinite(big.frame().to_numpy()).all()
