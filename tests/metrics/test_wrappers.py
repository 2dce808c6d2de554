"""Mixtures of metrics, and custom metrics by name."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import simulate
from closeness import assert_close

import protoclass as pc
from protoclass.metrics.registry import METRICS
from protoclass.metrics.wrappers import SCALE_SAMPLE, Mixed, cut


@pytest.fixture(scope="module")
def clinic():
    return simulate.clinic(90, missing=0, seed=3)


@pytest.fixture
def names():
    """The registry, put back after the test."""
    before = dict(METRICS)
    yield METRICS
    METRICS.clear()
    METRICS.update(before)


# Mixed


def by_hand(table, parts, weights, scale=True):
    total = 0.0
    for (formula, metric), w in zip(parts, weights, strict=True):
        D = pc.dissimilarity(formula, table, metric).frame().to_numpy().astype(float)
        apart = D[~np.eye(len(D), dtype=bool)]
        total = total + w * D / (np.median(apart[apart > 0]) if scale else 1.0)
    return total / sum(weights)


def ends(a, b):
    return abs(len(a.ward) - len(b.ward)) + (a.blood != b.blood)


PARTS = [
    (["marker", "age"], pc.Manhattan(scale=False)),
    (["severity", "smoker"], pc.Gower(asymmetric=["smoker"])),
    (("ward", "blood"), ends),
    ("pulse", "euclidean"),
]
FORMULAS = [("~ age + marker", pc.Manhattan(scale=False)), ("~ severity + smoker", pc.Gower(asymmetric=["smoker"])),
            ("~ ward + blood", ends), ("~ pulse", "euclidean")]  # fmt: skip
ALL = "outcome ~ age + marker + severity + ward + smoker + pulse + blood"


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("weights", [None, [1, 2, 0.5, 0]])
def test_a_mixture_is_the_sum_of_its_parts(clinic, weights, scale):
    clinic = clinic.head(40)
    d = pc.dissimilarity(ALL, clinic, Mixed(PARTS, weights, scale))
    expected = by_hand(clinic, FORMULAS, weights or [1] * 4, scale)
    assert_close(d.frame().to_numpy(), expected, abs=1e-12)
    assert not d.metric.symmetric  # a function of two rows need not be
    assert d.metric.slow
    as_mapping = {tuple(c) if isinstance(c, list) else c: m for c, m in PARTS}
    assert d.frame().equals(pc.dissimilarity(ALL, clinic, Mixed(as_mapping, weights, scale)).frame())


def test_what_a_mixture_says_of_itself(clinic):
    quick = Mixed([("age", "euclidean"), ("ward", "gower")])
    assert (quick.symmetric, quick.slow, quick.train_in_folds, quick.data_dependent) == (True, False, False, True)
    assert not Mixed([("age", pc.Euclidean(scale=False))], scale=False).data_dependent
    assert Mixed([("age", pc.Euclidean())], scale=False).data_dependent
    assert Mixed([("age", pc.Ranks()), ("ward", "gower")]).train_in_folds
    assert Mixed([("age", pc.Euclidean(scale="fold"))]).train_in_folds
    assert quick.name == "mixed (Euclidean, Gower)"
    same = clinic.assign(age=50.0)
    metric = pc.dissimilarity("~ age + ward", same, quick).metric
    assert any("constant columns" in n for n in metric.notes)
    assert any("Euclidean of age: constant, so it contributes 0" in n for n in metric.notes)
    half = pc.dissimilarity("~ ward", same, "gower").frame() / 2  # categories: the median positive dissimilarity is 1
    assert pc.dissimilarity("~ age + ward", same, quick).frame().equals(half)
    summary = str(pc.fit("outcome ~ age + ward", clinic, dissimilarity=quick, eps=0.3).summary())
    assert "Euclidean of age: divided by its median" in summary


def test_mixtures_of_mixtures(clinic):
    inner = Mixed([("age", pc.Ranks()), ("ward", "gower")])
    outer = Mixed([(["ward", "age"], inner), (["pulse"], "manhattan")], [1, 4])
    assert outer.train_in_folds
    assert not outer.symmetric
    d = pc.dissimilarity("~ age + ward + pulse", clinic, outer)
    one = pc.dissimilarity("~ age + ward", clinic, inner)
    expected = by_hand(clinic, [("~ age + ward", inner), ("~ pulse", "manhattan")], [1, 4])
    assert_close(d.frame().to_numpy(), expected, abs=1e-12)
    assert one.metric.counts.tolist() == [[1, 1], [2, 1]]  # the candidates of ranks carry one array more
    fit = pc.fit("outcome ~ age + ward + pulse", clinic, dissimilarity=outer, eps=[0.2, 0.5], cv=3, repeats=1)
    again = pickle.loads(pickle.dumps(fit.dissimilarity.metric))
    assert np.array_equal(again.between(d.rows, d.candidates), fit.dissimilarity.metric.between(d.rows, d.candidates))
    ranked = pc.dissimilarity("~ age + ward", clinic, pc.Ranks(Mixed([("age", "euclidean"), ("ward", "gower")])))
    assert ranked.frame().to_numpy().max() == 90


def test_many_rows_are_scaled_by_a_sample():
    draw = np.random.default_rng(5)
    big = pd.DataFrame({"x": draw.normal(size=3 * SCALE_SAMPLE), "y": draw.gamma(2, size=3 * SCALE_SAMPLE)})
    metric = pc.dissimilarity("~ .", big, Mixed([("x", pc.Euclidean(scale=False)), ("y", "gower")])).metric
    exact = np.median(np.abs(np.subtract.outer(big["x"].to_numpy(), big["x"].to_numpy())))
    assert metric.scales[0] == pytest.approx(exact, rel=0.1)
    assert metric.scales[0] != exact


def test_a_cut_frame_is_the_frame_of_its_columns(clinic):
    whole = pc.dissimilarity(ALL, clinic, "gower").data
    few = cut(whole, ["ward", "age"])
    alone = pc.dissimilarity("~ age + ward", clinic).data
    assert list(few.columns) == ["ward", "age"]
    assert few.design[alone.design.columns].equals(alone.design)
    assert set(few.schema) == {"ward", "age"}
    odd = clinic.rename(columns={"age": "age at `visit`; ~ 1", "ward": "a + b"})
    mix = Mixed([("age at `visit`; ~ 1", "euclidean"), ("a + b", pc.Euclidean())])
    names = pc.dissimilarity("~ .", odd[["age at `visit`; ~ 1", "a + b"]], mix).frame()
    plain = pc.dissimilarity("~ age + ward", clinic, Mixed([("age", "euclidean"), ("ward", "euclidean")])).frame()
    assert names.equals(plain)


@pytest.mark.parametrize(
    ("formula", "parts", "says"),
    [
        ("outcome ~ age + ward", [("age", "euclidean")], "every predictor must be in a part, but 'ward'.*: add it to one, or leave it"),
        ("outcome ~ age", [("age", "euclidean"), ("aeg", "gower")], "a part names 'aeg', which is not a predictor"),
    ],
)
def test_every_predictor_stands_in_one_part(clinic, formula, parts, says):
    with pytest.raises(pc.errors.OptionError, match=says):
        pc.fit(formula, clinic, dissimilarity=Mixed(parts), eps=1.0)


@pytest.mark.parametrize("term", ["log(age)", "age:pulse"])
def test_transforms_and_interactions_are_refused(clinic, term):
    names = [c for c in ("age", "pulse", "stay") if c in term]
    with pytest.raises(pc.errors.DataError, match=r"' can't be in a part, because it is a transform.*: compute it as a column of"):
        pc.fit(f"outcome ~ {term}", clinic, dissimilarity=Mixed([(names, "gower")]), eps=1.0)


def matrix():
    return pd.DataFrame(np.ones((3, 3)))


@pytest.mark.parametrize(
    ("parts", "options", "says"),
    [
        ([("a", "gower"), ("a", "euclidean")], {}, "every predictor must be in one part, but 'a' is in two: leave it out of one"),
        ({}, {}, "pairs, .* not {}"),
        ([([], "gower")], {}, "not a name or a list of names"),
        ([("a", "gowr")], {}, "did you mean 'gower'"),
        ([("a", 3)], {}, "not int"),
        ([("a", "auto")], {}, r"the part of \['a'\] is 'auto', which depends on all predictors: use 'euclidean' or 'gower'"),
        ([("a", matrix())], {}, "given matrix"),
        ([("a", "gower")], {"weights": [1, 2]}, "each of the 1 parts"),
        ([("a", "gower")], {"weights": [0]}, "not all 0"),
        ([("a", "gower"), ("b", "gower")], {"weights": [1e308, 1e308]}, "finite"),
        ([("a", "gower")], {"scale": "fold"}, "scale must be True or False, not"),
    ],
)
def test_mixtures_refuse_odd_parameters(parts, options, says):
    with pytest.raises(pc.errors.OptionError, match=says):
        Mixed(parts, **options)


# a metric of one's own


class Bare(pc.Metric):
    """Sum of squared differences of the raw numbers; says nothing else of itself."""

    def rows(self, frame):
        return (frame.columns.to_numpy(float),)

    def between(self, rows, candidates):
        return ((rows[0][:, None] - candidates[0][None]) ** 2).sum(axis=2)


def test_names_are_new_identifiers_of_metrics_without_parameters(names):
    class Needs(pc.Metric):
        def __init__(self, k):
            pass

    for name in ("", "a b", "1st", "a-b", 3, None):
        with pytest.raises(pc.errors.OptionError, match="identifier"):
            pc.register(name, Bare)
    with pytest.raises(pc.errors.OptionError, match="the choice by the kinds of the predictors"):
        pc.register("auto", Bare)
    for thing in (Bare(), int, abs, "Bare", None):
        with pytest.raises(pc.errors.OptionError, match=r"must be a subclass of protoclass\.Model or of protoclass\.Metric"):
            pc.register("fresh", thing)
    with pytest.raises(pc.errors.OptionError, match="with its defaults, but Needs needs arguments"):
        pc.register("fresh", Needs)
    pc.register("gower", pc.Gower)  # what it means anyway
    assert "fresh" not in names


def test_a_cell_that_registers_may_run_again_but_not_take_the_name_of_another(names):
    def cell():
        class Mine(Bare):
            pass

        return Mine

    first, second = cell(), cell()
    pc.register("mine", first)
    pc.register("mine", second)
    assert names["mine"] is second
    with pytest.raises(pc.errors.OptionError, match="name='mine' already means Mine: use another"):
        pc.register("mine", Bare)


def test_a_registered_metric_wins_over_a_built_in_one_and_says_so(iris, names):
    few = iris.iloc[::10]
    built_in = pc.dissimilarity("species ~ .", few, "euclidean").frame()
    with pytest.warns(
        UserWarning, match=r"'euclidean' now means test_wrappers.Bare; .* available as protoclass.Euclidean"
    ):
        pc.register("euclidean", Bare)
    own = pc.dissimilarity("species ~ .", few, "euclidean")
    assert own.metric.name == "Bare"
    assert own.frame().equals(pc.dissimilarity("species ~ .", few, Bare()).frame())
    assert pc.dissimilarity("species ~ .", few, pc.Euclidean()).frame().equals(built_in)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pc.register("euclidean", Bare)  # once is enough
        pc.register("euclidean", pc.Euclidean)  # and back
    assert pc.dissimilarity("species ~ .", few, "euclidean").frame().equals(built_in)
