"""Trained metrics and metrics of metrics: what they hold, pass on, and promise."""

import pickle
import re
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import simulate
from new_rows import measure

import protoclass as pc
from protoclass.frames.frame import mold
from protoclass.metrics.base import TrainedMetric

MIXED = pc.Mixed([("age", "ranks"), (["pulse", "marker"], pc.Mixed({"pulse": "gower", "marker": "euclidean"}))])


@pytest.fixture(scope="module")
def clinic():
    return simulate.clinic(90, missing=0, seed=3)


def test_a_specification_has_parameters_only_and_says_that_it_is_not_trained(clinic):
    frame = mold("outcome ~ age", clinic)
    for spec in (pc.Euclidean(), pc.Gower(), pc.Ranks(), pc.Kernel()):
        with pytest.raises(pc.errors.OptionError, match=r"the metric .* is not trained yet: use metric\.train\(frame\)\.rows"):
            spec.rows(frame)
    trained = MIXED.train(mold("outcome ~ age + pulse + marker", clinic))
    assert trained.spec == pc.Mixed(
        [("age", pc.Ranks(pc.Euclidean())), (["pulse", "marker"], pc.Mixed({"pulse": "gower", "marker": "euclidean"}))]
    )


def test_pretraining_trains_what_looks_at_no_label(clinic):
    frame, few = mold("outcome ~ age + marker", clinic), np.arange(60)
    ranks = pc.Ranks().pretrain(frame)
    assert ranks.of == pc.Euclidean().train(frame)
    assert ranks.train(frame.take(few)).base == pc.Euclidean().train(frame)
    assert pc.Ranks(pc.Euclidean(scale="fold")).pretrain(frame) == pc.Ranks(pc.Euclidean(scale="fold"))
    adaptive = pc.Adaptive().pretrain(frame)
    trained = adaptive.train(frame.take(few))
    assert trained.base == pc.Euclidean().train(frame)
    assert trained.spec == pc.Adaptive()
    assert repr(adaptive) == repr(pc.Adaptive())
    mixed = pc.Mixed([("age", "ranks"), ("marker", "gower")]).pretrain(frame)
    (_, first), (_, second) = mixed.parts
    assert isinstance(first.of, TrainedMetric)
    assert second == pc.Gower().train(mold("outcome ~ marker", clinic))


def test_a_trained_metric_stands_where_a_specification_may(clinic):
    every, few = mold("outcome ~ age + marker", clinic), clinic.iloc[:40]
    known = pc.Euclidean().train(every)
    full = pc.dissimilarity("~ age + marker", clinic).frame()
    assert pc.dissimilarity("~ age + marker", few, known).frame().equals(full.iloc[:40, :40])
    ranks = pc.dissimilarity("~ age + marker", few, pc.Ranks(known))
    assert ranks.metric.base == known
    age = pc.Gower().train(mold("outcome ~ age", clinic))
    mixed = pc.dissimilarity("~ age + marker", few, pc.Mixed([("age", age), ("marker", "euclidean")]))
    assert mixed.metric.parts[0] == age
    fit = pc.fit("outcome ~ age + marker", few, dissimilarity=known, eps=0.5)
    assert fit.dissimilarity.metric == known


def test_a_given_matrix_owns_its_names(clinic):
    D = pc.dissimilarity("~ age", clinic).frame()
    metric = pc.dissimilarity("~ 1", clinic, D).metric
    assert set(metric.arrays()) == {"values", "row_names", "column_names", "titles"}
    assert metric == pickle.loads(pickle.dumps(metric))
    assert metric != pc.dissimilarity("~ 1", clinic, D + 1).metric
    assert metric != pc.dissimilarity("~ 1", clinic, D.iloc[::-1, ::-1]).metric
    some = D.iloc[:, 10:20].rename(columns={10: "new"}).rename_axis(columns="candidate")
    d = pc.dissimilarity("~ 1", clinic.iloc[:15], some)
    assert d.candidate_names.tolist() == ["new", 11, 12, 13, 14]  # 15 to 19 are rows that take no part
    assert d.candidate_names.name == "candidate"
    assert d.candidate_row.tolist() == [-1, 11, 12, 13, 14]
    with pytest.raises(pc.errors.OptionError, match="a given matrix is not trained: use the matrix itself as dissimilarity="):
        metric.spec.train(d.data)


def test_new_rows_of_a_given_matrix(clinic):
    D = pc.dissimilarity("~ age", clinic).frame()
    d = pc.dissimilarity("~ 1", clinic, D)
    new = D.iloc[:4].set_axis(list("abcd")).assign(other="text")
    rows = d.metric.new_rows(new, d.data)
    assert rows.complete.all()
    assert rows.frame is None
    assert rows.rows is None
    assert np.array_equal(rows.measure(np.arange(4), d.candidates), D.to_numpy()[:4])
    three = tuple(a[[5, 0, 7]] for a in d.candidates)
    lacking = new[[5, 0, 7]].copy()
    lacking.loc["b", 0] = np.nan
    gaps = d.metric.new_rows(lacking, d.data).measure(slice(0, 3), three)
    assert np.isnan(gaps).sum() == 1
    assert np.isnan(gaps[1, 1])
    with pytest.raises(pc.errors.DataError, match=r"the new rows lack the dissimilarities to \[7\]"):
        d.metric.new_rows(new[[5, 0]], d.data).measure(np.arange(4), three)
    ranks = pc.dissimilarity("~ 1", clinic, pc.Ranks(D))
    assert np.array_equal(measure(ranks, new), ranks.frame().to_numpy()[:4])


@pytest.mark.parametrize("name", ["symmetric", "power"])
def test_a_trait_is_declared_in_traits(name):
    for body in ({name: True}, {"__annotations__": {name: "bool"}}):
        for parent in (pc.Metric, pc.extend.TrainedMetric):
            with pytest.raises(
                pc.errors.OptionError, match=rf"Mine.{name} would hide .*: use traits = protoclass.extend.Traits\({name}=...\)"
            ):
                type("Mine", (parent,), body)


def test_a_class_that_replaces_values_restates_their_traits():
    with pytest.raises(pc.errors.OptionError, match="Mine replaces `train`, but inherits `traits`"):
        type("Mine", (pc.Euclidean,), {"train": lambda self, frame: None})


@pytest.mark.parametrize("name", ["name", "rows", "train"])
def test_a_parameter_has_no_name_that_says_something_of_every_metric(name):
    body = {"__annotations__": {name: "float"}, name: 1.0}
    with pytest.raises(pc.errors.OptionError,
        match=f"Mine has a parameter '{name}', but Metric.{name} describes every metric: rename the parameter"):
        type("Mine", (pc.Metric,), body)
    with pytest.raises(pc.errors.OptionError, match=f"parameter '{name}', but TrainedMetric.{name}"):
        type("Mine", (pc.extend.TrainedMetric,), {"__annotations__": {name: np.ndarray}})
    for declared in ("ClassVar[float]", "typing.ClassVar", ClassVar[float]):
        own = body | {"__annotations__": {name: declared}}
        assert type("Mine", (pc.Metric,), own).__name__ == "Mine"
    assert type("Heavier", (pc.Minkowski,), {"__annotations__": {"r": "float"}, "r": 3.0})  # a parameter that it has already


class Plain(pc.Metric):
    def rows(self, frame):
        return (frame.design.to_numpy(float),)

    def between(self, rows, candidates):
        return np.abs(rows[0][:, None] - candidates[0]).sum(axis=2)


class Bare(Plain):
    def rows(self, frame):
        return super().rows(frame)[0]


class Uneven(Plain):
    def rows(self, frame):
        return *super().rows(frame), np.zeros(3)


class Sides(Plain):
    def candidates(self, frame):
        return (self.rows(frame)[0][1:],)


class Unknown(Plain):
    def between(self, rows, candidates):
        return super().between(rows, candidates) * np.nan


class Itself(Plain):
    def train(self, frame):
        return self


@pytest.mark.parametrize(
    ("metric", "error", "says"),
    [
        (Bare(), pc.errors.DataError, "`rows` of the metric Bare must return a tuple.*, not <30 x 2 ndarray>"),
        (Uneven(), pc.errors.DataError, r"`rows` of the metric Uneven must return arrays.*the 30.*, not arrays of lengths \[30,"),
        (Sides(), pc.errors.DataError, r"`candidates` of the metric Sides must return.*lengths \[29\]"),
        (Unknown(), pc.errors.DataError, "is not a number .*finite numbers >= 0"),
        (Itself(), pc.errors.OptionError, "`train` of the metric Itself must return a.*, not a Itself"),
    ],
)
def test_a_metric_that_does_not_keep_its_word_is_named(clinic, metric, error, says):
    with pytest.raises(error, match=says):
        pc.dissimilarity("~ age + marker", clinic.iloc[:30], metric).frame()
    with pytest.raises(error, match=says):
        pc.dissimilarity("~ age + marker", clinic.iloc[:30], pc.Mixed([(["age", "marker"], metric)])).frame()


def test_specifications_compare_by_what_they_hold():
    @dataclass(frozen=True)
    class Powers(Plain):
        k: int

    assert Powers(1) == Powers(1)
    assert Powers(1) != Powers(2)
    assert Plain() == Plain()
    assert Plain() != Bare()
    assert TrainedMetric(Powers(1)) != TrainedMetric(Powers(2))
    assert len({Plain(), Plain(), Powers(1), Powers(2)}) == 3
    assert pc.Euclidean() != pc.Euclidean(scale=False)


def test_ranks_of_what_is_missing_are_missing():
    t = pd.DataFrame({"a": [1.0, np.nan, 2.0, 4.0], "b": [np.nan, 1.0, 2.0, 3.0]})
    with pytest.raises(pc.errors.DataError, match="no observed variable in common"):
        pc.dissimilarity("~ .", t, pc.Gower(), na="keep").frame()
    with pytest.raises(pc.errors.DataError, match="not a number"):
        pc.dissimilarity("~ .", t, pc.Ranks("gower"), na="keep").frame()


@dataclass(frozen=True)
class Power(pc.extend.Wrapper):
    """A metric raised to a power."""

    of: Any = "euclidean"
    exponent: float = 0.5

    def transform(self, values):
        return values**self.exponent


def test_a_wrapper_of_ones_own_writes_one_method():
    pc.testing.check_metric(Power)
    pc.testing.check_metric(Power(pc.NCA()))


def test_a_wrapper_serves_wherever_a_metric_does(iris):
    plain = pc.dissimilarity("species ~ .", iris, "manhattan").frame()
    d = pc.dissimilarity("species ~ .", iris, Power("manhattan"))
    assert d.frame().equals(plain**0.5)
    assert d.metric.name == "power of Manhattan"
    assert np.array_equal(measure(d, iris.iloc[[70]]), d.frame().to_numpy()[[70]])
    matrix = pc.fit("species ~ 1", iris, dissimilarity=Power(plain), eps=1.0)
    assert matrix.prototypes.index.equals(pc.fit("species ~ .", iris, dissimilarity=Power("manhattan"), eps=1.0).prototypes.index)
    nested = pc.dissimilarity("species ~ .", iris, pc.Ranks(Power("manhattan", 1.0)))
    assert nested.frame().equals(pc.dissimilarity("species ~ .", iris, pc.Ranks("manhattan")).frame())
    with pytest.raises(
        pc.errors.OptionError, match=r"Power needs a metric or a matrix: use d\.metric, or d\.to_frame\(\) with a formula 'y ~ 1'"
    ):
        pc.dissimilarity("~ 1", iris, Power(d))


OWN = {"triangle", "power", "geometry"}  # traits that a transform need not keep
BASES = ["gower", pc.NCA(), pc.Mixed([(["a", "b"], "gower"), ("c", "manhattan")])]


@pytest.mark.parametrize("of", BASES, ids=lambda of: re.sub(" at 0x[0-9a-f]+", "", str(of)))
def test_a_wrapper_passes_on_what_is_so_of_its_metric(of):
    wrapped = Power(of)
    inner = wrapped.inner[0].traits
    for f in fields(pc.extend.Traits):
        default = None if f.name in OWN - {"triangle"} else False
        assert getattr(wrapped.traits, f.name) == (default if f.name in OWN else getattr(inner, f.name)), f.name
    assert wrapped.unseen_in("a") == wrapped.inner[0].unseen_in("a")
    kept = {"symmetric", "reflexive", "skips_missing", "scaling", "train_in_folds", "data_dependent", *OWN}
    ranks = pc.Ranks(of).traits
    assert {f.name: getattr(ranks, f.name) for f in fields(pc.extend.Traits) if f.name not in kept} == {
        f.name: getattr(inner, f.name) for f in fields(pc.extend.Traits) if f.name not in kept
    }


def test_a_wrapper_says_what_its_metric_learned(iris):
    frame = mold("species ~ .", iris)
    learned = Power(pc.NCA()).train(frame)
    assert learned.column_weights.equals(learned.base.column_weights)
    assert learned.notes == learned.base.notes
    assert learned.untrained == Power(pc.NCA())
    assert learned.arrays().keys() == {f"base.{name}" for name in learned.base.arrays()}
    assert replace(learned) == learned
