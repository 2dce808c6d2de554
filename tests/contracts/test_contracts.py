"""The public contracts: kept by all that is registered, and broken by methods and metrics with faults made on purpose."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import simulate
from further_methods import check_model
from further_metrics import check_metric

import protoclass as pc
from protoclass.core.neighbours.nearest import Nearest
from protoclass.core.query import RulePath
from protoclass.metrics.base import TrainedMetric
from protoclass.models.registry import MODELS
from protoclass.testing.contract import ContractError


@pytest.mark.parametrize("method", list(MODELS))
def test_every_method_keeps_the_contract(method):
    check_model(method)  # by name; instances and classes follow


SCM_VARIANTS = [pc.SCM(features="stumps"), pc.SCM(features="balls+stumps")]
VARIANTS = [
    pc.PVM(eps=0.9, lambda_=0.3, solver="exact"), pc.PVM(eps=0.9, lambda_=0.3, balls="closed"),
    pc.KNN(ties="random"),
    pc.MMDCritic(gamma=None), pc.Hyperplane(embedding="flip", C=1.0),
    pc.Multiedit(condense=True), pc.Mixture(covariance="tied", priors="equal"),
    *SCM_VARIANTS,
]  # fmt: skip


@pytest.mark.parametrize("model", VARIANTS, ids=repr)
def test_methods_with_other_parameters_keep_it_too(model):
    check_model(model)


FIRST, REST = [f"{c}{k}" for k in range(4) for c in "abc"], [f"{c}{k}" for k in range(4, 10) for c in "abc"]
ON_NUMBERS = [
    pc.Euclidean(), pc.Manhattan(scale="fold"), pc.Chebyshev(), pc.Minkowski(3, column_weights={"a0": 2}),
    pc.Mahalanobis(ridge=0.1, scale="fold"), "cosine", "correlation", "canberra", "hamming", "zero_one", pc.Kernel("rbf"),
    pc.Gower(), pc.Ranks("manhattan"), pc.Adaptive(neighborhood=8), pc.DTW(), pc.Mixed([(FIRST, "euclidean"), (REST, "gower")]),
    pc.NCA(), pc.LDA(), pc.QDA(), pc.Forest(trees=10), pc.Relevance(matrix="full"),
    pc.Relevance(matrix="full", local=True), pc.Relevance(local=True), pc.Relevance(),
]  # fmt: skip
WITH_OTHER_ARGUMENTS = [
    pc.Euclidean(scale=False), pc.Mahalanobis(), pc.Kernel("poly"), pc.Kernel("laplacian", scale="fold"),
    pc.DTW(window=2, r=1), pc.Mixed([(FIRST, pc.Ranks("euclidean")), (REST, "gower")]), pc.NCA(dims=3),
    pc.NCA(diagonal=False), pc.NCA(sample=12), pc.Relevance(matrix="full", local=True),
]  # fmt: skip
LATER = [pytest.param(metric, marks=pytest.mark.later) for metric in WITH_OTHER_ARGUMENTS]


@pytest.mark.parametrize("metric", [*ON_NUMBERS, *LATER], ids=repr)
def test_every_metric_keeps_the_contract(metric):
    check_metric(metric)


def test_metrics_on_other_columns_keep_it():
    words = pd.DataFrame({"word": [f"{a}{b}{a}c" for a in "acgt" for b in "acgt"]})
    for metric in (pc.Mismatch(k=2, m=1), pc.Mismatch(k=2, m=1, alphabet="acgt"), pc.Levenshtein()):
        check_metric(metric, words, "~ word")
    check_metric(pc.Gower(), simulate.clinic(40, missing=0).drop(columns="id", errors="ignore"), "outcome ~ .")
    check_metric(pc.Forest(trees=10), simulate.clinic(40, missing=0).drop(columns="id", errors="ignore"), "outcome ~ .")
    check_metric("jaccard", pd.DataFrame(np.random.default_rng(0).random((20, 5)) < 0.4).add_prefix("q"), "~ .")


@pytest.mark.long
def test_tangent_distances_keep_it():
    digits = pc.load_data("digits").groupby("digit").head(2)
    check_metric(pc.Tangent(shape=(8, 8)), digits, "digit ~ .")


# methods with one fault each


@dataclass(frozen=True)
class WrongGridOrder(pc.MMDCritic):
    def path(self, task, grid):
        rules = super().path(task, grid).rules
        return RulePath(
            tuple(np.array(rules, object).reshape(*map(len, grid.values())).T.ravel()) if len(grid) > 1 else rules
        )


@dataclass(frozen=True)
class LearnsFromHeldOut(pc.KMeans):
    def paths(self, task, fold, folds, grid):
        for f in range(folds):
            yield f, self.path(task, grid)


@dataclass(frozen=True)
class DrawsAtRandom(pc.Condensed):
    def path(self, task, grid):
        return super().path(replace(task, seed=(int(np.random.default_rng().integers(2**31)),)), grid)


@dataclass(frozen=True)
class NoExample(pc.KNN):
    example: ClassVar[dict] = {}


@pytest.mark.parametrize("name", ["name", "can", "path", "grid", "tuned", "larger", "as_repeats"])
def test_a_parameter_has_no_name_that_says_something_of_every_method(name):
    with pytest.raises(pc.errors.OptionError, match=f"Mine has a parameter '{name}', but Model.{name} describes every method"):
        type("Mine", (pc.Model,), {"__annotations__": {name: "str"}, name: "mine"})
    assert type("Mine", (pc.Model,), {"__annotations__": {name: "ClassVar[str]"}, name: "mine"})


@dataclass(frozen=True)
class UnknownExample(pc.KNN):
    example: ClassVar[dict] = {"k": (1, 3), "neighbors": (1,)}


@dataclass(frozen=True)
class OneRuleForAll(pc.KMeans):
    def path(self, task, grid):
        return RulePath(super().path(task, grid).rules[:1])


@dataclass(frozen=True)
class MisspeltKind(pc.Condensed):
    def path(self, task, grid):
        rule = super().path(task, grid).rules[0]
        return RulePath((Misspelt(rule.prototypes, rule.classes, rule.fallback),))


class Misspelt(Nearest):
    kinds = ("class", "decisions")


FAULTS = [
    (WrongGridOrder, "last varying fastest"),
    (LearnsFromHeldOut, "held out"), (DrawsAtRandom, "same seed|held out"),
    (NoExample, "lacks values"),
    (UnknownExample, "not parameters"),
    (OneRuleForAll, "2 points has sizes"), (MisspeltKind, "kinds"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "words"), FAULTS, ids=[kind.__name__ for kind, _ in FAULTS])
def test_a_fault_is_caught(kind, words):
    with pytest.raises(ContractError, match=words):
        pc.testing.check_model(kind)


# metrics with one fault each


class Plain(pc.Metric):
    def rows(self, frame):
        return (np.ascontiguousarray(frame.design.to_numpy(float)),)

    def between(self, rows, candidates):
        return np.abs(rows[0][:, None] - candidates[0][None]).sum(axis=2)


class OrderOfMemory(Plain):
    """NumPy sums in the order in which memory lies, and that is another one in a part."""

    def rows(self, frame):
        return (np.asfortranarray(frame.design.to_numpy(float)),)


class Negative(Plain):
    def between(self, rows, candidates):
        return super().between(rows, candidates) - 1


@pc.extend.savable(name="LearnedCentre")
@dataclass(frozen=True, eq=False)
class Learned(TrainedMetric):
    centre: np.ndarray

    def between(self, rows, candidates):
        return np.abs(rows[0][:, None] - candidates[0][None]).sum(axis=2) + self.centre[0] ** 2


@dataclass(frozen=True)
class SeesHeldOut(Plain):
    centre: tuple[float, ...] = (0.0,)
    traits = pc.extend.Traits(train_in_folds=True)

    def pretrain(self, frame):
        return replace(self, centre=(float(frame.codes @ np.arange(len(frame))),))

    def train(self, frame):
        return Learned(self, np.array(self.centre))


METRIC_FAULTS = [
    (OrderOfMemory, "part of the matrix"), (Negative, "at least 0"), (SeesHeldOut, "held-out rows"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "words"), METRIC_FAULTS, ids=[kind.__name__ for kind, _ in METRIC_FAULTS])
def test_a_fault_of_a_metric_is_caught(kind, words):
    with pytest.raises(ContractError, match=words):
        pc.testing.check_metric(kind())


def test_a_path_of_another_shape_is_refused_at_once(iris):
    with pytest.raises(pc.errors.OptionError, match="a grid of 2 points"):
        pc.fit("species ~ .", iris, OneRuleForAll(K=[1, 2]))


def test_registered_methods_serve_by_name_and_win_over_built_in_ones(iris):
    @dataclass(frozen=True)
    class Mine(pc.KNN):
        name: ClassVar[str] = "mine"

    pc.register("mine", Mine)
    try:
        assert type(pc.fit("species ~ .", iris, "mine", k=3).model) is Mine
        with pytest.raises(pc.errors.OptionError, match="must be the same"):
            pc.register("other", Mine)
        with pytest.raises(pc.errors.OptionError, match="must be a subclass"):
            pc.register("other", dict)
        own_knn = dataclass(frozen=True)(type("OwnKNN", (pc.KNN,), {"__module__": __name__}))
        with pytest.warns(UserWarning, match=r"now means .*OwnKNN; the built-in one .*KNN"):
            pc.register("knn", own_knn)
        assert type(pc.fit("species ~ .", iris, "knn", k=3).model) is own_knn
    finally:
        MODELS.pop("mine")
        MODELS["knn"] = pc.KNN
