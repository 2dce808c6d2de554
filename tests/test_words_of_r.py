"""Arguments and verbs of R and scikit-learn: our error names what serves here, and that works."""

import copy
import pickle

import pandas as pd
import pytest
from words import DATA, K, Z, fitted

import protoclass as pc

NEW = DATA.iloc[:5]
LOSS = pd.DataFrame([[0, 1], [5, 0]], ["short", "tall"], ["short", "tall"], float)
INVERSE = (1 / DATA["y"].map(DATA["y"].value_counts())).astype(float)


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
    ({"distance": "manhattan"}, "use dissimilarity=", {"dissimilarity": "manhattan"}),
    ({"nfolds": 5}, "use cv=", {"cv": 5}),
    ({"foldid": K}, "use cv=", {"cv": K}),
    ({"n_splits": 5}, "use cv=", {"cv": 5}),
    ({"sample_weight": Z}, "use weights=", {"weights": Z}),
    ({"case_weights": Z}, "use weights=", {"weights": Z}),
    ({"na_action": "drop"}, "use na=", {"na": "drop"}),
    ({"verbose": False}, "use progress=", {"progress": False}),
    ({"scoring": "balanced"}, "use measure=", {"measure": "balanced", "cv": 3}),
    ({"n_repeats": 2}, "use repeats=", {"repeats": 2, "cv": 3}),
    ({"group": "k"}, "use groups=", {"groups": "k"}),
    ({"scale": False}, "pc.Euclidean(scale=False)", {"dissimilarity": pc.Euclidean(scale=False)}),
    ({"standardize": False}, "pc.Euclidean(scale=False)", {"dissimilarity": pc.Euclidean(scale=False)}),
    ({"p": 3}, "pc.Minkowski(r=3)", {"dissimilarity": pc.Minkowski(r=3)}),
    ({"kernel": "rbf"}, "pc.Kernel('rbf')", {"dissimilarity": pc.Kernel("rbf")}),
    ({"trControl": 1}, "use a sequence for a parameter to tune it, such as k=[1, 5, 15]", {"k": [1, 5], "cv": 3}),
    ({"tuneLength": 3}, "use a sequence for a parameter to tune it, such as k=[1, 5, 15]", {"k": [1, 5], "cv": 3}),
    ({"n_jobs": 2}, "leave it out", {}),
    ({"contrasts": None}, "leave it out", {}),
    ({"family": "binomial"}, "leave it out", {}),
    ({"stratify": True}, "leave it out", {}),
    ({"shuffle": True}, "use seed=", {"seed": 2, "cv": 3}),
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


OTHERWISE = [
    ("subset", lambda: pc.fit("y ~ x", DATA, subset="z > 1"), "data.query('x > 1')",
     lambda: pc.fit("y ~ x", DATA.query("z > 0.5"), eps=1.0)),
    ("newdata", lambda: pc.fit("y ~ x", DATA, newdata=NEW), "fit.predict(new)", lambda: fitted("x").predict(NEW)),
    ("test", lambda: pc.fit("y ~ x", DATA, test=NEW), "fit.test(new)", lambda: fitted("x").test(NEW)),
    ("type", lambda: pc.fit("y ~ x", DATA, type="class"), "fit.predict(new, kind='distance')",
     lambda: fitted("x").predict(NEW, kind="nearest")),
    ("class_weight", lambda: pc.fit("y ~ x", DATA, class_weight="balanced"), "weight",
     lambda: pc.fit("y ~ x", DATA, eps=1.0, weights=INVERSE)),
    ("threshold", lambda: fitted("x", threshold=0.3), "fit.calibrate().threshold('a', sensitivity=0.9)",
     lambda: fitted("x").calibrate(cv=3).threshold("tall", sensitivity=0.9)),
    ("prior", lambda: fitted("x", prior={"tall": 0.1, "short": 0.9}), "predict(new, prior=",
     lambda: fitted("x").calibrate(cv=3).predict(NEW, prior={"tall": 0.1, "short": 0.9})),
    ("X", lambda: fitted("x", X=DATA), "fit('y ~ .', data)", lambda: fitted(".", dissimilarity="gower")),
    ("predict newdata", lambda: fitted("x").predict(newdata=NEW), "use new=", lambda: fitted("x").predict(new=NEW)),
    ("predict type", lambda: fitted("x").predict(NEW, type="distance"), "use kind=",
     lambda: fitted("x").predict(NEW, kind="nearest")),
    ("predict threshold", lambda: fitted("x").predict(NEW, threshold=0.3),
     "threshold must be the result of fit.calibrate().threshold(...), or a",
     lambda: fitted("x").calibrate(cv=3).predict(NEW, threshold={"tall": 0.3})),
    ("predict cutoff", lambda: fitted("x").predict(NEW, cutoff=0.3), "use threshold=",
     lambda: fitted("x").calibrate(cv=3).predict(NEW, threshold=fitted("x").calibrate(cv=3).threshold("tall", sensitivity=0.9))),
    ("predict conf_level", lambda: fitted("x").predict(NEW, conf_level=0.9), "use level=",
     lambda: fitted("x").calibrate(cv=3).predict(NEW, "set", level=0.9)),
    ("test newdata", lambda: fitted("x").test(newdata=DATA), "use new=", lambda: fitted("x").test(new=DATA)),
    ("augment newdata", lambda: fitted("x").augment(newdata=NEW), "use data=", lambda: fitted("x").augment(data=NEW)),
    ("summary digits", lambda: fitted("x").summary(digits=3), "it takes none", lambda: fitted("x").summary()),
    ("glance x", lambda: fitted("x").glance(digits=3), "it takes none", lambda: fitted("x").glance()),
    ("stability R", lambda: fitted("x").stability(R=20), "use B=", lambda: pc.fit("y ~ x", DATA, eps=1.0).stability(B=20)),
    ("compare metric", lambda: pc.compare("y ~ x", DATA, ["knn"], metric="gower"), "use dissimilarity=",
     lambda: pc.compare("y ~ x", DATA, [pc.KNN(k=1), pc.KNN(k=3)], test_size=0.5, dissimilarity="manhattan")),
    ("dissimilarity method", lambda: pc.dissimilarity("~ x", DATA, dist="manhattan"), "use metric=",
     lambda: pc.dissimilarity("~ x", DATA, metric="manhattan")),
    ("update", lambda: fitted("x").update(random_state=3), "use seed=", lambda: fitted("x").update(seed=3)),
    ("plot type", lambda: fitted("x").plot(type="confusion"), "use kind=", lambda: fitted("x").plot(kind="confusion")),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "words", "cure"), [row[1:] for row in OTHERWISE], ids=[row[0] for row in OTHERWISE])
def test_foreign_arguments_elsewhere_are_told_what_serves(wrong, words, cure):
    with pytest.raises(pc.OptionError) as raised:
        wrong()
    assert words in str(raised.value)
    assert cure() is not None


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


VERBS = [
    ("anova", "pc.compare([fit, other], new=new)", lambda f: pc.compare([f, fitted("x")], new=DATA)),
    ("coef", "importance()", lambda f: f.importance(repeats=2, cv=3)),
    ("residuals", "augment()", lambda f: f.augment()[["fitted", "correct", "margin"]]),
    ("fitted", "fit.predict()", lambda f: f.predict()),
    ("confint", "fit.test(new)", lambda f: f.test(DATA)),
    ("logLik", "glance()", lambda f: f.glance()),
    ("AIC", "fit.test(new)", lambda f: f.test(DATA)),
    ("BIC", "glance()", lambda f: f.glance()),
    ("varImp", "fit.importance()", lambda f: f.importance(repeats=2, cv=3)),
    ("confusionMatrix", "fit.test(new).confusion", lambda f: f.test(DATA).confusion),
    ("model_matrix", "fit.frame.design", lambda f: f.frame.design),
    ("terms", "fit.formula", lambda f: f.formula),
    ("bestTune", "fit.parameters()", lambda f: f.parameters()),
    ("predict_proba", "fit.calibrate().predict(new, 'prob')", lambda f: f.calibrate(cv=3).predict(NEW, "prob")),
    ("score", "fit.test(new)", lambda f: f.test(DATA)),
    ("centers", "fit.prototypes", lambda f: f.prototypes),
    ("proto", "fit.prototypes.groupby('class').groups", lambda f: f.prototypes.groupby("class").groups),
    ("kneighbors", "fit.predict(new, 'nearest')", lambda f: pc.fit("y ~ x", DATA, eps=1.0).predict(NEW, "nearest")),
]


@pytest.mark.parametrize(("verb", "words", "cure"), VERBS, ids=[row[0] for row in VERBS])
def test_verbs_of_r_are_told_what_serves(fit, verb, words, cure):
    with pytest.raises(pc.NotAvailable) as raised:
        getattr(fit, verb)
    assert words in str(raised.value)
    assert not hasattr(fit, verb)
    assert cure(fit) is not None


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
