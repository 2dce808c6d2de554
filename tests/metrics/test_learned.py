"""Metrics that learn from classes what columns count, against scikit-learn, loops and finite differences."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from closeness import assert_close
from scipy.optimize import approx_fprime

import protoclass as pc
from protoclass.core.distances.discriminant import Neighbourhoods, discriminants, nca, scatter
from protoclass.frames.frame import mold
from protoclass.metrics.measuring import measure_frame
from protoclass.models.registry import MODELS

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


def test_objective_and_gradient_equal_those_of_scikit_learn():
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    X, y, _ = rows(60)
    theirs = NeighborhoodComponentsAnalysis()
    theirs.n_iter_ = 1
    for A in (np.random.default_rng(2).normal(size=(4, 4)), np.random.default_rng(3).normal(size=(2, 4))):
        loss, gradient = theirs._loss_grad_lbfgs(A.ravel(), X, y[:, None] == y, sign=1.0)
        value, slope = Neighbourhoods(X, y, np.ones(60)).value(A)
        assert value * 60 == pytest.approx(loss)
        assert slope.ravel() * 60 == pytest.approx(gradient)
    a = np.array([0.3, 1.2, 0.0, 2.0])  # a diagonal map is a full one whose other entries are 0
    (value, slope), (full, matrix) = (Neighbourhoods(X, y, np.ones(60)).value(A) for A in (a, np.diag(a)))
    assert (value, slope) == (pytest.approx(full), pytest.approx(matrix.diagonal()))


def test_a_full_map_is_as_good_as_that_of_scikit_learn(iris):
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    X, y = iris.iloc[:, :4].to_numpy(), pd.factorize(iris.species)[0]
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    goal = Neighbourhoods(X, y, np.ones(150))
    theirs = NeighborhoodComponentsAnalysis(init=np.eye(4) / 2).fit(X, y).components_
    found = nca(X, y, np.ones(150))
    assert found.after == pytest.approx(goal.value(theirs)[0], abs=0.005)
    assert found.before == pytest.approx(goal.value(np.eye(4) / 2)[0])
    weights = nca(X, y, np.ones(150), diagonal=True)
    assert found.before < weights.after < found.after + 0.005  # a weight for each column can do less than a full map


def test_discriminants_equal_those_of_scikit_learn(iris):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(iris.iloc[:, :4], iris.species)
    ours = pc.fit("species ~ .", iris, eps=1.0, dissimilarity=pc.Learned("lda")).dissimilarity
    E = theirs.transform(iris.iloc[:, :4])
    assert_close(ours.frame().to_numpy(), np.sqrt(((E[:, None] - E) ** 2).sum(axis=2)), abs=1e-7)
    one = (
        pc.fit("species ~ .", iris, eps=1.0, dissimilarity=pc.Learned("lda", components=1))
        .dissimilarity.frame()
        .to_numpy()
    )
    assert_close(one, np.abs(E[:, :1] - E[:, 0]), abs=1e-7)


def test_weights_of_rows_count_in_discriminants_as_repeated_rows_do():
    X, y, _ = rows(50)
    times = np.random.default_rng(4).integers(1, 4, 50)
    weighted = discriminants(*scatter(X, y, times.astype(float)), 2)
    repeated = discriminants(*scatter(np.repeat(X, times, axis=0), np.repeat(y, times), np.ones(times.sum())), 2)
    assert_close(weighted, repeated)


@pytest.mark.parametrize("metric", [pc.Learned(), pc.Learned(components=2), pc.Learned("lda")], ids=repr)
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


METRICS = [
    pc.Learned(),
    pc.Learned(diagonal=False),
    pc.Learned("lda"),
    pc.Learned(sample=50),
    pc.Learned("lda", diagonal=True),
]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_no_held_out_row_is_seen(iris, metric):
    fold = pd.Series(np.arange(150) % 3, iris.index)
    v = pc.cross_validate("species ~ .", iris, eps=1.0, dissimilarity=metric, cv=fold, lambda_=0.01)
    for f in range(3):
        train, held = iris[fold != f], iris[fold == f]
        fit = pc.fit("species ~ .", train, eps=1.0, dissimilarity=metric, lambda_=0.01)
        assert v.held_out[0][held.index].tolist() == fit.predict(held).tolist()
    changed = iris.copy()  # the classes of held-out rows, and their values, so that scales see nothing of them either
    changed.loc[fold == 0, "petal_width"] = 1e3
    changed.loc[fold == 0, "species"] = np.roll(iris.species[fold == 0], 7)
    seen = np.flatnonzero(fold != 0)
    learned = []
    for data in (iris, changed):
        frame = mold("species ~ .", data)
        learned.append(measure_frame(frame, metric.pretrain(frame), seen).metric)
    assert learned[0] == learned[1]
    assert learned[0] == metric.train(mold("species ~ .", iris[fold != 0]))


def test_it_finds_the_columns_that_matter_among_noise():
    train, new = noisy(300, 20), noisy(1000, 20, seed=1)
    learned = pc.fit("y ~ .", train, "knn", k=7, dissimilarity="learned")
    weights = learned.dissimilarity.metric.column_weights
    assert set(weights["share"].nlargest(2).index) == {"x0", "x1"}
    assert weights["share"][["x0", "x1"]].sum() > 0.5  # of 2 / 22 before
    assert weights["weight"].mean() == pytest.approx(1)
    assert learned.test(new).error < pc.fit("y ~ .", train, "knn", k=7).test(new).error - 0.05


def test_what_a_fit_says_of_the_weights(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0, dissimilarity=pc.Learned(sample=90))
    weights = fit.dissimilarity.metric.column_weights
    assert list(weights.columns) == ["weight", "share", "scale"]
    assert weights["scale"].to_dict() == pytest.approx(iris.iloc[:, :4].std().to_dict())
    first = weights["weight"].idxmax()
    for text in (fit.summary().as_text(), repr(replace(fit.dissimilarity))):
        assert f"learned weights of columns, each divided by its sd: {first}" in text.replace("\n", " ")
    assert "a stratified sample of 90 of 150 rows" in fit.summary().as_text().replace("\n", " ")
    assert "diagonal NCA, predictors scaled to unit SD, learned from 90 of 150 rows" in repr(fit)
    assert fit.prototypes.attrs["weights"] == weights["weight"].to_dict()
    importance = fit.importance(repeats=1, cv=2)
    assert importance["weight"].to_dict() == pytest.approx(weights["weight"].to_dict())
    plain = pc.fit("species ~ .", iris, eps=1.0)
    assert plain.prototypes.attrs == {}
    assert "weight" not in plain.importance(repeats=1, cv=2)
    assert plain.dissimilarity.metric.column_weights is None


def test_weights_of_a_factor_are_those_of_its_levels():
    clinic = pc.simulate_clinic(120, missing=0, seed=2)
    fit = pc.fit("outcome ~ age + ward + age:marker", clinic, "knn", k=5, dissimilarity="learned")
    by = fit.dissimilarity.metric.column_weights["weight"]
    weight = fit.importance(repeats=1, cv=2)["weight"]
    assert weight["ward"] == pytest.approx(by[[c for c in by.index if c.startswith("ward")]].sum())
    assert weight["age"] == pytest.approx(by["age"] + by["age:marker"])
    assert weight["marker"] == pytest.approx(by["age:marker"])


def test_the_picture_of_the_weights(iris):
    """Of k neighbours, which no separation of prototypes decides; of prototypes, see the test of Fit.separation."""
    fit = pc.fit("species ~ .", iris, "knn", k=3, dissimilarity="learned")
    ax = fit.plot("weights")
    assert ax.get_xlabel() == "learned weight"
    weights = fit.dissimilarity.metric.column_weights["weight"].sort_values(ascending=False)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(weights.tolist())
    assert [label.get_text() for label in ax.get_yticklabels()] == weights.index.tolist()
    with pytest.raises(pc.NotAvailable, match="no learned weights of columns: use dissimilarity='learned'"):
        pc.fit("species ~ .", iris, eps=1.0).plot("weights")


@pytest.mark.parametrize("method", MODELS)
def test_every_method_takes_it(iris, method):
    fixed = {name: values[0] for name, values in MODELS[method].example.items()}
    for metric in (pc.Learned(), pc.Learned("lda")):
        fit = pc.fit("species ~ .", iris, method, dissimilarity=metric, cv=None, **fixed)
        assert fit.training_error() < 0.1
        assert fit.predict(iris).tolist() == fit.predict().tolist()


def test_centroids_lead_back_to_the_columns(iris):
    means = iris.groupby("species", observed=True).mean().to_numpy()
    for metric in (pc.Learned(), pc.Learned(diagonal=False)):
        fit = pc.fit("species ~ .", iris, "kmeans", K=1, dissimilarity=metric)
        assert fit.prototypes.iloc[:, -4:].to_numpy(float) == pytest.approx(means)
    reduced = pc.fit("species ~ .", iris, "kmeans", K=1, dissimilarity=pc.Learned("lda"))
    points = reduced.prototypes.iloc[:, -4:].astype(float)
    known = pc.Dissimilarity(**vars(reduced.dissimilarity)).metric
    frame, _ = reduced.frame.again(points)
    assert known.rows(frame)[0] == pytest.approx(reduced.rule.prototypes.coords)  # these points have its coordinates
    assert points.to_numpy() == pytest.approx(means, abs=0.2)  # and are near the means, as a regression predicts


def test_columns_that_do_not_vary_and_duplicates(iris):
    odd = pd.concat([iris, iris.iloc[::2].set_axis(range(1000, 1075))]).assign(same=3.0)
    for metric in (pc.Learned(), pc.Learned(components=2), pc.Learned("lda"), pc.Learned("lda", diagonal=True)):
        fit = pc.fit("species ~ .", odd, "knn", k=3, dissimilarity=metric)
        assert fit.dissimilarity.metric.column_weights.loc["same", "weight"] == 0
        assert "constant columns, which get weight 0: same" in fit.summary().as_text().replace("\n", " ")
        assert fit.training_error() < 0.05
        assert fit.predict(odd.assign(same=np.arange(225.0))).tolist() == fit.predict().tolist()
    with pytest.raises(pc.DataError, match=r"all columns of .* are constant over the 225 training rows"):
        pc.fit("species ~ same", odd, "knn", k=3, dissimilarity="learned")


def test_columns_that_others_make_up_do_no_harm_to_discriminants(iris):
    plain = pc.fit("species ~ .", iris, eps=1.0, dissimilarity=pc.Learned("lda")).dissimilarity.frame()
    twice = pc.fit(
        "species ~ .", iris.assign(sum=iris.petal_width + iris.petal_length), eps=1.0, dissimilarity=pc.Learned("lda")
    )
    assert_close(twice.dissimilarity.frame().to_numpy(), plain.to_numpy(), abs=1e-6)


def test_fewer_rows_than_columns():
    few = noisy(20, 40)
    for metric in (pc.Learned(), pc.Learned(components=3), pc.Learned(diagonal=False), pc.Learned("lda", ridge=0.1)):
        fit = pc.fit("y ~ .", few, "knn", k=1, dissimilarity=metric)
        assert fit.training_error() == 0
        assert np.isfinite(fit.dissimilarity.frame().to_numpy()).all()
    with pytest.raises(
        pc.DataError, match=r"LDA needs variance within classes, but some.*as Learned\('lda', ridge=0\.01\), or use Learned\('nca'\)"
    ):
        pc.fit("y ~ .", few, "knn", k=1, dissimilarity=pc.Learned("lda"))


def test_what_cannot_be_learned(iris):
    def fit(data=iris, formula="species ~ .", **parameters):
        return pc.fit(formula, data, "knn", k=1, dissimilarity=pc.Learned(**parameters))

    with pytest.raises(pc.DataError, match=r"a learned metric needs rows of two classes, but.*class 'setosa':"):
        pc.Learned().train(mold("species ~ .", iris).take(np.arange(50)))
    rare = iris.iloc[:101].assign(species=["common"] * 100 + ["rare"])
    with pytest.raises(pc.DataError, match=r"rows of the sample of 10 have the class 'common'.*a larger sample="):
        fit(rare, sample=10)
    with pytest.raises(pc.DataError, match="each class has one training row"):
        fit(iris.iloc[[0, 60, 120]])
    with pytest.raises(pc.DataError, match="components must be at most 4, the number of columns that vary, not 5"):
        fit(components=5)
    with pytest.raises(pc.DataError, match="components must be at most 2 for LDA of 3 classes and 4 columns that vary, not 3"):
        fit(kind="lda", components=3)
    with pytest.raises(pc.DataError, match="use a smaller one"):
        fit(ridge=1e6)
    with pytest.raises(pc.DataError, match=r"needs? the classes, but '~ .*' has no response: use 'response ~ predictors'"):
        pc.dissimilarity("~ sepal_length", iris, pc.Learned())
    holes = iris.copy()
    holes.loc[3, "petal_width"] = np.nan
    with pytest.raises(pc.OptionError, match="na='keep' needs a dissimilarity"):
        pc.fit("species ~ .", holes, dissimilarity="learned", eps=1.0, na="keep")
    assert list(pc.fit("species ~ .", holes, "knn", k=1, dissimilarity="learned").dropped) == [3]
    with pytest.raises(pc.TooLarge, match="learn from fewer rows, such as sample=1000"):
        nca(np.zeros((10**7, 1)), np.zeros(10**7, int), np.ones(10**7))
    for parameters, words in (
        ({"kind": "pca"}, "kind must be .*, not 'pca'"), ({"components": 0}, "components must be .*, not 0"),
        ({"components": 2, "diagonal": True}, "no axes to leave out"),
        ({"ridge": -1}, "ridge must be a number >= 0, not -1"), ({"sample": 1}, "sample must be .*, not 1"),
        ({"seed": -1}, "seed must be .*, not -1"),
        ({"diagonal": "yes"}, "diagonal must be .*, not 'yes'"),
    ):  # fmt: skip
        with pytest.raises(pc.OptionError, match=words):
            pc.Learned(**parameters)


def test_the_sample_depends_on_the_seed_alone(iris):
    frame = mold("species ~ .", iris)
    assert pc.Learned(sample=60).train(frame) == pc.Learned(sample=60).train(frame)
    other = pc.Learned(sample=60, seed=1).train(frame)
    assert not np.array_equal(other.map, pc.Learned(sample=60).train(frame).map)
    assert other.counts.tolist() == [60, 150]
    assert np.array_equal(pc.Learned(seed=1).train(frame).map, pc.Learned().train(frame).map)


def test_it_is_pickled(iris):
    for metric in (pc.Learned(), pc.Learned("lda")):
        fit = pc.fit("species ~ .", iris, eps=1.0, dissimilarity=metric)
        loaded = pickle.loads(pickle.dumps(fit))
        assert loaded.dissimilarity.metric == fit.dissimilarity.metric
        assert loaded.predict(iris).equals(fit.predict(iris))
        assert loaded.prototypes.attrs == fit.prototypes.attrs


def test_it_stands_within_other_metrics(iris):
    ranks = pc.fit("species ~ .", iris, "knn", k=3, dissimilarity=pc.Ranks(pc.Learned()), cv=3)
    assert ranks.validation.table["error"].min() < 0.1
    parts = pc.Mixed([(["sepal_length", "sepal_width"], "euclidean"), (["petal_length", "petal_width"], pc.Learned())])
    fit = pc.fit("species ~ .", iris, "knn", k=3, dissimilarity=parts, cv=3)
    assert "learned weights of columns" in fit.summary().as_text()
    assert fit.validation.table["error"].min() < 0.1


def test_scatter_does_not_depend_on_where_the_rows_lie():
    X, y, w = rows()
    total = np.cov(X.T, aweights=w, ddof=0)
    parts = [w[y == c].sum() / w.sum() * np.cov(X[y == c].T, aweights=w[y == c], ddof=0) for c in range(3)]
    for found, known in zip(scatter(X + 50.0, y, w), (sum(parts), total), strict=True):
        assert np.allclose(found, known, rtol=1e-9)


def test_the_response_of_the_formula_is_read_where_the_metric_learns_from_it(iris):
    for metric in (pc.Learned("lda"), pc.Adaptive(), pc.Mixed([(list(iris.columns[:4]), pc.Learned("lda"))]), pc.Ranks(pc.Learned("lda"))):
        found = pc.dissimilarity("species ~ .", iris, metric)
        fitted = pc.fit("species ~ .", iris, "knn", k=3, dissimilarity=metric).dissimilarity
        assert np.array_equal(found.frame(), fitted.frame())
        with pytest.raises(pc.DataError, match=r"needs? the classes, but '~ .*' has no response: use 'response ~ predictors'"):
            pc.dissimilarity("~ .", iris.drop(columns="species"), metric)
    missing = iris.assign(species=iris["species"].where(iris.index != 3))
    sizes = [len(pc.dissimilarity("species ~ .", missing, metric).index) for metric in ("euclidean", pc.Learned("lda"))]
    assert sizes == [150, 149]  # a row without a class counts where no class is asked for
