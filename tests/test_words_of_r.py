"""Arguments and verbs of R and scikit-learn: our error names what serves here, and that works."""

import copy
import pickle

import pytest
from words import DATA, fitted

import protoclass as pc

NEW = DATA.iloc[:5]


@pytest.fixture(scope="module")
def fit():
    return fitted("x + z", k=3)


@pytest.mark.parametrize(
    ("made", "words"),
    [(lambda: pc.KNN(n_neighbors=3), r"KNN\(\) has no argument 'n_neighbors': use k=; its arguments are k"),
     (lambda: pc.PVM(radius=1.0), "use eps="),
     (lambda: pc.Minkowski(p=3), r"Minkowski\(r=3\)"),
     (lambda: pc.Gower(weigths={"x": 2.0}), "did you mean 'weights'"),
     (lambda: pc.Custom(len, symmetric=True), "Custom.. has no argument 'symmetric'")],
)  # fmt: skip
def test_methods_and_metrics_name_the_arguments_that_they_have(made, words):
    with pytest.raises(pc.OptionError, match=words):
        made()
    one = pc.KNN(k=3)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one


# arguments as an R or scikit-learn user gives them, words of the message, and the same by the cure
ARGUMENTS = [
    ({"random_state": 1}, "use seed=", {"seed": 1}),
    ({"n_neighbors": 3}, "use k=", {"k": 3}),
    ({"metric": "manhattan"}, "use dissimilarity=", {"dissimilarity": "manhattan"}),
    ({"nfolds": 5}, "use cv=", {"cv": 5}),
    ({"scoring": "balanced"}, "use measure=", {"measure": "balanced", "cv": 3}),
    ({"n_repeats": 2}, "use repeats=", {"repeats": 2, "cv": 3}),
    ({"scale": False}, "pc.Euclidean(scale=False)", {"dissimilarity": pc.Euclidean(scale=False)}),
    ({"p": 3}, "pc.Minkowski(r=3)", {"dissimilarity": pc.Minkowski(r=3)}),
    ({"kernel": "rbf"}, "pc.Kernel('rbf')", {"dissimilarity": pc.Kernel("rbf")}),
    ({"trControl": 1}, "use a sequence for a parameter to tune it, such as k=[1, 5, 15]", {"k": [1, 5], "cv": 3}),
    ({"n_jobs": 2}, "leave it out", {}),
    ({"probability": True}, "fit.calibrate()", {"calibrate": True}),
    ({"tyes": "first"}, "did you mean 'ties'?", {"ties": "nearest"}),
]  # fmt: skip


@pytest.mark.parametrize(("given", "words", "cure"), ARGUMENTS, ids=[next(iter(a[0])) for a in ARGUMENTS])
def test_foreign_arguments_of_fit_are_told_what_serves(given, words, cure):
    for method in ("knn", pc.KNN(k=3)):
        if "ties" in cure and method != "knn":
            continue
        with pytest.raises(pc.OptionError) as raised:
            pc.fit("y ~ x + z", DATA, method, **given)
        to_object = method != "knn" and "use it in the object" in str(raised.value)
        assert words in str(raised.value) or to_object
    if "ties" in cure:
        return
    assert fitted("x + z", **cure).nobs == 24


@pytest.mark.parametrize("kind", ["decision", "cv", "table"])
def test_no_picture_is_recommended_for_a_prediction_and_no_prediction_for_a_picture(fit, kind):
    with pytest.raises(pc.OptionError) as raised:
        fit.predict(NEW, kind)
    assert "validation" not in str(raised.value)
    assert "'prototypes'" not in str(raised.value)
    assert "'confusion'" not in str(raised.value)
    for picture in ("raw", "response"):
        with pytest.raises(pc.OptionError) as raised:
            fit.plot(picture)
        assert "'class'" not in str(raised.value)


def test_other_attributes_fail_as_usual_and_copies_work(fit):
    with pytest.raises(AttributeError, match="'Fit' object has no attribute 'nope'"):
        _ = fit.nope
    with pytest.raises(pc.NotAvailable, match="method 'knn' has no objective: use 'pvm'"):
        _ = fit.objective  # a property keeps its own message
    for other in (copy.copy(fit), copy.deepcopy(fit), pickle.loads(pickle.dumps(fit))):
        assert other.predict(NEW).equals(fit.predict(NEW))
    for verb in ("predict", "summary", "anova"):
        with pytest.raises(AttributeError, match=f"no function '{verb}': .*fit"):
            getattr(pc, verb)
