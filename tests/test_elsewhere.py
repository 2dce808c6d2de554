"""What the messages recommend in place of arguments and verbs of R and scikit-learn runs, every one of them."""

import copy
import pickle
from dataclasses import fields
from inspect import signature
from operator import attrgetter

import pandas as pd
import pytest
from tries_of_python import OF_PYTHON
from tries_of_r import OF_R
from words import DATA, fitted

import protoclass as pc
from protoclass.ground.checks import hint_for
from protoclass.ground.foreign_names import (
    ELSEWHERE,
    FUNCTIONS_ELSEWHERE,
    RENAMED,
    SAME_AS,
    VALUES,
    VERBS,
    VERBS_OF_COMPARISON,
    VERBS_OF_MODEL,
    VERBS_OF_TEST,
    VERBS_OF_VALIDATION,
)  # fmt: skip
from protoclass.models.registry import MODELS

FIT = "pc.fit('y ~ x + z', data, 'knn', k=3{})"

# a part of a hint, and the same as a program; None where the part is one itself
OF_ARGUMENTS = {
    "data.query('x > 1')": None,
    "fit.calibrate().threshold('a', sensitivity=0.9)": None,
    "predict(new, threshold=)": "calibrated.predict(new, threshold=calibrated.threshold('a', sensitivity=0.9))",
    "fit.predict(new)": None,
    "fit.test(new)": None,
    "fit.predict(new, kind='distance')": None,
    "fit.calibrate().predict(new, 'prob')": None,
    "fit.calibrate().predict(new, prior={'a': 0.1, 'b': 0.9})": None,
    "class_weights='balanced'": FIT.format(", class_weights='balanced'"),
    "fit or compare": "pc.compare('y ~ x', data, {'a': {'method': 'kmedoids', 'K': 1}}, class_weights='balanced', test_size=0.5)",
    "measure= in fit and cross_validate, and loss= in predict, test and threshold of a fit":
        "[pc.fit('y ~ x', data, 'knn', cv=3, measure=loss), pc.cross_validate('y ~ x', data, 'knn', cv=3, measure=loss), "
        "calibrated.predict(new, loss=loss), fit.test(new, loss=loss), calibrated.threshold('a', loss=loss)]",
    "dissimilarity=pc.Euclidean(scale=False)": FIT.format(", dissimilarity=pc.Euclidean(scale=False)"),
    "scale='fold'": FIT.format(", dissimilarity=pc.Euclidean(scale='fold')"),
    "dissimilarity=pc.Minkowski(r=3)": FIT.format(", dissimilarity=pc.Minkowski(r=3)"),
    "dissimilarity=pc.Kernel('rbf')": FIT.format(", dissimilarity=pc.Kernel('rbf')"),
    "fit('y ~ .', data)": "pc.fit('y ~ .', data, 'knn', k=3)",
    "k=[1, 5, 15]": "pc.fit('y ~ x', data, 'knn', k=[1, 5, 15], cv=3, repeats=2, choose='min')",
    "leave it out": FIT.format(""),
    "train, test = pc.split(data, 'y', test_size=0.3)": "pc.split(data, 'y', test_size=0.3)",
    "pc.compare(..., test_size=0.3)": "pc.compare('y ~ x', data, ['knn'], test_size=0.3)",
    "pd.Categorical(data['y'], levels)": "pc.fit('y ~ x', data.assign(y=pd.Categorical(data['y'], ['b', 'a'])), 'knn', k=3)",
}  # fmt: skip

OF_VERBS = {
    "pc.compare_fits([fit, other], new)": None,
    "prototypes and tidy()": "[fit.prototypes, fit.tidy()]",
    "importance() for the effect": "fit.importance(resamples=2, cv=3)",
    "augment()": "fit.augment()",
    "fit.test(new)": None,
    "glance()": "fit.glance()",
    "fit.stability()": "pc.fit('y ~ x', data, eps=1.0).stability(resamples=3)",
    "fit.importance()": "fit.importance(resamples=2, cv=3)",
    "fit.test(new).confusion": None,
    "fit.plot('confusion')": None,
    "fit.calibrate().predict(new, 'prob')": None,
    "fit.predict(new, 'decision')": "pc.fit('y ~ x', data, 'hyperplane', C=1.0).predict(new, 'decision')",
    "fit.predict(new, 'distance')": None,
    "fit.predict(new, 'nearest')": "pc.fit('y ~ x', data, eps=1.0).predict(new, 'nearest')",
    "fit.classes": None,
    "fit.params": None,
    "fit.update(...)": "fit.update(k=1)",
    "fit.update(data=data)": None,
    "fit.validation.selected()": "pc.fit('y ~ x', data, 'knn', cv=3).validation.selected()",
    "fit.validation.table": "pc.fit('y ~ x', data, 'knn', cv=3).validation.table",
    "fit.prototypes": None,
    "the fit itself": "fit",
    "fit.formula": None,
    "fit.call.data": None,
    "why()": "pc.fit('y ~ x + z', data, eps=1.0).why()",
    "why(prototype=label)": "(f := pc.fit('y ~ x', data, eps=1.0)).why(prototype=f.prototypes.index[0])",
    "at(swap={prototype: row})": "(f := pc.fit('y ~ x', data, eps=1.0)).at(swap={f.prototypes.index[0]: f.prototypes.index[0] + 1})",
    "card().methods": "fit.card().methods",
    "summary()": "calibrated.summary()",
}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    data = DATA.replace({"y": {"tall": "a", "short": "b"}})[["x", "z", "y"]]
    path = tmp_path_factory.mktemp("files") / "data.csv"
    data.to_csv(path, sep=";")
    fit, other = (pc.fit("y ~ x + z", data, "knn", k=k) for k in (3, 1))
    loss = pd.DataFrame([[0, 5], [1, 0]], ["a", "b"], ["a", "b"])
    return {"pc": pc, "pd": pd, "data": data, "new": data[:8], "path": path, "fit": fit, "other": other, "loss": loss,
            "calibrated": fit.calibrate()}  # fmt: skip


@pytest.mark.parametrize("part", OF_ARGUMENTS)
def test_what_is_recommended_for_an_argument_runs(names, part):
    assert any(part in hint for hint in ELSEWHERE.values())
    assert eval(OF_ARGUMENTS[part] or part, dict(names)) is not None


@pytest.mark.parametrize("part", OF_VERBS)
def test_what_is_recommended_for_a_verb_runs(names, part):
    assert any(part in hint for hint in VERBS.values())
    assert eval(OF_VERBS[part] or part, dict(names)) is not None


def test_every_hint_has_a_part_that_is_run():
    """Here, or as the cure of a row of the tables of tries."""
    tried = [row[1].split(": ", 1)[1] for rows in {**OF_R, **OF_PYTHON}.values() for row in rows if len(row) == 3]
    tables = [(ELSEWHERE, OF_ARGUMENTS), (VERBS, OF_VERBS)]
    tables += [(t, ()) for t in (VERBS_OF_TEST, VERBS_OF_VALIDATION, VERBS_OF_COMPARISON, VERBS_OF_MODEL)]
    tables += [({name: FUNCTIONS_ELSEWHERE[name] for name in FUNCTIONS_ELSEWHERE.keys() - VERBS.keys() - RENAMED.keys()}, ())]
    tables += [(of_values, ()) for of_values in VALUES.values()]
    for hints, parts in tables:
        assert [name for name, hint in hints.items() if not any(part in hint for part in (*parts, *tried))] == []


def test_every_other_name_is_an_argument_somewhere():
    calls = [pc.fit, pc.cross_validate, pc.compare, pc.dissimilarity, pc.load_data]
    calls += [method for name, method in vars(pc.Fit).items() if callable(method) and not name.startswith("_")]
    calls += [getattr(pc.Fit, name) for name in ("predict", "summary", "plot", "test", "importance", "stability", "threshold")]
    known = {name for call in calls for name in signature(call).parameters}
    known |= {f.name for kind in (*MODELS.values(), pc.Gower, pc.Adaptive) for f in fields(kind)}
    assert {here for names in SAME_AS.values() for here in names} <= known


@pytest.mark.parametrize(
    ("name", "now"),
    [*RENAMED.items(), ("TestResult", "results.TestResult"), ("DataError", "errors.DataError"),
     ("kmeans", "candidates.kmeans"), ("ZeroOne", "extend.ZeroOne")],
)  # fmt: skip
def test_a_former_name_and_the_name_of_a_part_raise_with_the_name_that_exists(name, now):
    with pytest.raises(pc.errors.NotAvailableError, match=f"has no '{name}': use pc.{now}$"):
        getattr(pc, name)
    assert attrgetter(now)(pc)


def test_a_cut_is_what_threshold_and_cutoff_mean():
    for name in ("threshold", "cutoff"):
        with pytest.raises(pc.errors.OptionError, match=r"fit.calibrate\(\).threshold\('a', sensitivity=0.9\) to choose a threshold"):
            fitted("x", **{name: 0.3})
    assert hint_for("cutoff", ["new", "threshold"]) == "use threshold="
    assert hint_for("positive", ["of", "measure"]) == "use of="


@pytest.mark.parametrize(
    ("made", "words"),
    [(lambda: pc.KNN(n_neighbors=3), r"KNN\(\) has no argument 'n_neighbors': use k=; its arguments are k"),
     (lambda: pc.PVM(radius=1.0), "use eps="),
     (lambda: pc.Minkowski(p=3), r"Minkowski\(r=3\)"),
     (lambda: pc.Gower(column_weigths={"x": 2.0}), "did you mean 'column_weights'"),
     (lambda: pc.extend.Custom(len, symmetric=True), "Custom.. has no argument 'symmetric'")],
)  # fmt: skip
def test_methods_and_metrics_name_the_arguments_that_they_have(made, words):
    with pytest.raises(pc.errors.OptionError, match=words):
        made()
    one = pc.KNN(k=3)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one


def test_other_attributes_fail_as_usual_and_copies_work():
    fit = fitted("x + z", k=3)
    with pytest.raises(AttributeError, match="'Fit' object has no attribute 'nope'"):
        _ = fit.nope
    with pytest.raises(pc.errors.NotAvailableError, match="method 'knn' has no objective: use 'pvm'"):
        _ = fit.objective  # a property keeps its own message
    for other in (copy.copy(fit), copy.deepcopy(fit), pickle.loads(pickle.dumps(fit))):
        assert other.predict(DATA.iloc[:5]).equals(fit.predict(DATA.iloc[:5]))
    for verb in ("predict", "summary", "anova"):
        with pytest.raises(AttributeError, match=f"has no '{verb}': .*fit"):
            getattr(pc, verb)
