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
