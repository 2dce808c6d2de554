"""What a typed program does with the package; `mypy --strict` accepts it, and the types that it names are those it gets."""

from collections.abc import Mapping
from pathlib import Path
from typing import assert_type

import numpy as np

import protoclass as pc
from protoclass.sklearn import PrototypeClassifier


def learned(path: Path) -> float:
    """From data to a fit, what is asked of it, and the file that it goes into."""
    iris = pc.load_data("iris")
    fit = pc.fit("species ~ .", iris, "pvm", eps=[0.8, 1.0], cv=5, seed=1, dissimilarity="euclidean", repeats=1)
    assert_type(fit, pc.Fit)
    assert_type(fit.nobs, int)
    assert_type(fit.validation, pc.Validation)
    assert_type(fit.update(eps=1.0), pc.Fit)
    assert_type(fit.at(size=3), pc.Fit)
    assert_type(fit.slim(), pc.Fit)
    assert_type(fit.test(iris), pc.results.TestResult)
    assert_type(fit.test(iris, by=np.arange(150) < 75), pc.results.TestByGroup)
    assert_type(fit.stability(resamples=5), pc.results.Stability)
    assert_type(fit.card(), pc.results.Card)
    assert_type(fit.sql(), str)
    fit.predict(iris, kind="distance")
    assert_type(fit.save(path), pc.results.Saved)
    again: pc.Fit = pc.load(path)
    return float(again.glance()["training_error"].iloc[0])


def compared() -> pc.results.Comparison:
    """Methods and metrics as objects, and what is made of dissimilarities."""
    wine = pc.load_data("wine")
    assert_type(pc.cross_validate("cultivar ~ .", wine, pc.KNN(k=[1, 3, 5])), pc.Validation)
    d = pc.dissimilarity("~ alcohol + hue", wine, pc.Manhattan())
    assert_type(d, pc.Dissimilarity)
    assert_type(d.check(), pc.results.Check)
    models: list[pc.Model] = [pc.PVM(eps=1.2, solver="exact"), pc.SCM(penalty=1.0), pc.LVQ(), pc.KMedoids(K=2)]
    metrics: list[pc.Metric] = [pc.Euclidean(scale=False), pc.Gower(), pc.Levenshtein(), pc.Mixed([("alcohol", pc.Euclidean())])]
    pc.options.digits = 3
    try:
        return pc.compare("cultivar ~ .", wine, models, dissimilarity=metrics[0], repeats=2)
    except pc.ProtoclassError as reason:
        raise SystemExit(str(reason)) from reason


def estimator() -> PrototypeClassifier:
    """In the words of scikit-learn."""
    return PrototypeClassifier("knn", k=3).fit(np.eye(4), ["a", "b", "a", "b"])


class Constant(pc.Model):
    """A method of one's own: the most common class."""

    name = "constant"
    can = pc.extend.Capabilities(weights=True)

    def path(self, task: pc.extend.Task, grid: Mapping[str, np.ndarray]) -> pc.extend.RulePath:
        none = pc.extend.Points(np.empty(0, np.int64), coords=np.empty((0, task.coordinates().shape[1])))
        return pc.extend.RulePath((pc.extend.Nearest(none, task.classes, pc.extend.heaviest_class(task)),))
