"""What every method promises, written once: whatever is registered is tested here."""


import numpy as np
import pytest

import protoclass as pc
from protoclass.models.registry import MODELS

METHODS = list(MODELS)


@pytest.fixture(scope="module")
def fits():
    """A fit of every method, cross-validated where it has something to tune."""
    data = pc.load_data("iris")
    plain = {"pvm": {"dissimilarity": "euclidean", "repeats": 1}, "medianglvq": {"matrix": "none"}}
    return {name: pc.fit("species ~ .", data, name, cv=3, seed=1, **plain.get(name, {})) for name in METHODS}


@pytest.fixture
def new(iris):
    return iris.drop(columns="species").sample(20, random_state=0)


@pytest.mark.parametrize("method", [name for name in METHODS if MODELS[name].can.weights])
@pytest.mark.parametrize("given", [False, True])
def test_rows_of_weight_0_are_no_prototypes_and_change_no_rule(iris, method, given):
    model = MODELS[method](**{name: values[0] for name, values in MODELS[method].example.items()}, **plain(method))
    w = np.ones(150)
    w[np.random.default_rng(0).permutation(150)[:75]] = 0
    formula, D = "species ~ .", pc.Euclidean(scale=False)
    if given:
        formula, D = "species ~ 1", pc.dissimilarity("species ~ .", iris, D).frame()
    try:
        fit = pc.fit(formula, iris, model, weights=w, dissimilarity=D)
    except pc.errors.NoCoordinatesError:
        assert given
        return
    without = pc.fit(formula, iris[w > 0], model, dissimilarity=D.loc[w > 0, w > 0] if given else D)
    new = D.loc[:, w > 0] if given else iris
    assert fit.predict(new).equals(without.predict(new))
    assert len(fit.prototypes) == len(without.prototypes)
    if fit.rule.prototypes.at is not None:
        assert fit.prototypes.index.equals(without.prototypes.index)
    assert len(fit.predict()) == 150


@pytest.mark.parametrize("embedding", ["proximity", "flip", "cut"])
def test_rows_of_weight_0_change_no_hyperplane_with_slack(iris, embedding):
    model, w = pc.Hyperplane(embedding, C=1.0), (np.arange(150) % 3 > 0).astype(float)
    fit = pc.fit("species ~ .", iris, model, weights=w, dissimilarity=pc.Euclidean(scale=False))
    without = pc.fit("species ~ .", iris[w > 0], model, dissimilarity=pc.Euclidean(scale=False))
    assert fit.predict(iris, "decision").to_numpy() == pytest.approx(without.predict(iris, "decision").to_numpy())


def test_rows_of_weight_0_are_not_drawn_as_candidates(iris):
    w = (np.arange(150) % 3 == 0).astype(float)
    fit = pc.fit("species ~ .", iris, weights=w, eps=1.0, candidates=30)
    assert fit.dissimilarity.shape == (150, 30)
    assert (w[fit.dissimilarity.candidate_row] == 1).all()
    with pytest.raises(pc.errors.OptionError, match="candidates=60 needs as many rows with weight, but there are 50"):
        pc.fit("species ~ .", iris, weights=w, eps=1.0, candidates=60)
    wide = pc.dissimilarity("species ~ .", iris).frame().add_prefix("c")  # columns that are no rows stay
    assert pc.fit("species ~ 1", iris, weights=w, eps=1.0, dissimilarity=wide).dissimilarity.shape == (150, 150)


@pytest.mark.parametrize("method", METHODS)
def test_rows_with_missing_predictors_come_back_as_missing(fits, new, method):
    new = new.copy()
    new.iloc[2, 1] = np.nan
    told = fits[method].predict(new)
    assert told.isna().tolist() == [i == 2 for i in range(20)]
    with pytest.raises(pc.errors.DataError, match="petal_width"):
        fits[method].predict(new.drop(columns="petal_width"))


@pytest.mark.parametrize("method", METHODS)
def test_tables(fits, iris, method):
    fit = fits[method]
    augmented = fit.augment(iris)
    assert augmented.shape[0] == 150
    assert (augmented["correct"] == (augmented["fitted"].astype(object) == iris["species"].astype(object))).all()
    assert len(fit.prototypes) == len(fit.rule.prototypes) == fit.glance()["prototypes"].iloc[0]
    assert set(fit.prototypes["class"]) <= set(fit.classes)
    assert len(fit.tidy())
    glance = fit.glance()
    assert len(glance) == 1
    if fit._curve is not None:
        assert glance["cv_error"].iloc[0] == fit.validation.table["error"].iloc[fit._selection.point]
    assert fit.rule.size > 0
    test = fit.test(iris)
    assert test.error == (fit.predict(iris).astype(object) != iris.species.astype(object)).mean()
    assert test.error == pytest.approx(fit._training_error)
    assert test.low <= test.error <= test.high
    assert test.confusion.to_numpy().sum() == 150


@pytest.mark.parametrize("method", METHODS)
def test_words(fits, method):
    fit = fits[method]
    for told in (repr(fit), str(fit.summary()), fit._repr_html_(), fit.summary().as_html()):
        assert fit.model.title.split(" (")[0] in told
    assert f"method='{method}'" in repr(fit) or method == "pvm"
    assert "\\end{tabular}" in fit.summary().as_latex()


@pytest.mark.parametrize("method", METHODS)
def test_figures(fits, method):
    fit = fits[method]
    for kind in (None, "prototypes", "confusion", *(["validation"] if fit._curve is not None else [])):
        drawn = fit.plot(kind)
        assert drawn.figure.axes
    with pytest.raises(pc.errors.OptionError, match="no such"):
        fit.plot("no such kind")


def fixed(method):
    """Values for the parameters that are tuned by default."""
    kind = MODELS[method]
    return {name: kind.example[name][0] for name in kind().tuned()} | plain(method)


def plain(method):
    """Parameters with which a method learns nothing of the dissimilarity."""
    return {"matrix": "none"} if method == "medianglvq" else {}


@pytest.mark.parametrize("method", METHODS)
def test_cross_validation_equals_fits_without_the_fold(iris, method):
    """A plain loop: fit on the training rows of each fold, predict the fold. Draws differ by fold, so errors may a little."""
    fold, arguments = np.arange(150) % 3, {"dissimilarity": pc.Euclidean(scale=False), **fixed(method)}
    v = pc.cross_validate("species ~ .", iris, method, cv=fold, **arguments)
    arguments |= {"lambda_": 1 / 150} if method == "pvm" else {}
    for f in range(3):
        fits = [pc.fit("species ~ .", iris[fold != f], method, cv=None, seed=seed, **arguments) for seed in range(4)]
        told = [fit.predict(iris[fold == f]).astype(object) for fit in fits]
        drawn = any(not fit.prototypes.equals(fits[0].prototypes) for fit in fits)
        seen = v.held_out.loc[fold == f, 0]
        assert (told[0] != seen.astype(object)).mean() <= (0.12 if drawn else 0)


@pytest.mark.parametrize("method", METHODS)
def test_given_dissimilarities_serve_where_no_coordinates_are_read(iris, method):
    matrix = pc.dissimilarity("species ~ .", iris).frame()
    try:
        fit = pc.fit("species ~ 1", iris, method, dissimilarity=matrix, **fixed(method))
    except pc.errors.NoCoordinatesError:
        with pytest.raises(pc.errors.NoCoordinatesError, match="coordinates"):  # nor on any other dissimilarity without coordinates
            pc.fit("species ~ .", iris, method, dissimilarity="gower", **fixed(method))
        return
    by_columns = pc.fit("species ~ .", iris, method, **fixed(method))
    assert fit.predict().tolist() == by_columns.predict().tolist()


@pytest.mark.parametrize("method", METHODS)
def test_errors(iris, method):
    with pytest.raises(pc.errors.OptionError, match="is not a parameter of"):
        pc.fit("species ~ .", iris, method, no_such_parameter=1)
    for parameter in MODELS[method]().tuned():
        for wrong in (-1, True, "many", [], float("nan"), [1, "a"]):
            with pytest.raises(pc.ProtoclassError):
                pc.fit("species ~ .", iris, method, **{parameter: wrong})
    if MODELS[method]().tuned():
        with pytest.raises(pc.errors.OptionError, match="needs folds, but cv=None: use one value for"):
            pc.fit("species ~ .", iris, method, cv=None)
