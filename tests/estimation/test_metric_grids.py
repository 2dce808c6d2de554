"""Parameters of metrics that are tuned with those of the method, beside one cross-validation for each metric."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.statistics.intervals import least_se
from protoclass.core.statistics.one_se import Limits, choose_over_repeats


@pytest.fixture(scope="module")
def waves():
    """Waves that start at random times; one kind goes up first, the other down."""
    draw, time = np.random.default_rng(0), np.arange(24)
    start, sign = draw.integers(0, 16, (36, 1)), np.repeat([1, -1], 18)[:, None]
    wave = np.where((time >= start) & (time < start + 8), sign * np.sin((time - start) * np.pi / 4), 0) + draw.normal(0, 0.3, (36, 24))
    return pd.DataFrame(wave).add_prefix("t").assign(kind=np.repeat(["up", "down"], 18))


def by_hand(formula, data, metrics, *arguments, **named):
    """The tables of one cross-validation for each metric, below one another, and the choices over all of them."""
    parts = [pc.cross_validate(formula, data, *arguments, dissimilarity=metric, **named) for _, metric in metrics]
    tables = [v.table.assign(**values)[[*values, *v.table]] for (values, _), v in zip(metrics, parts, strict=True)]
    errors, sizes = (np.concatenate([getattr(v, name) for v in parts], axis=1) for name in ("_errors", "_sizes"))
    limits = Limits(least_se=least_se(np.ones(len(data))))
    return pd.concat(tables, ignore_index=True), choose_over_repeats([errors], [parts[0]._fold_weight], sizes, limits=limits)


@pytest.mark.parametrize(("method", "own"), [("pvm", {}), ("kmedoids", {"K": "grid"}), ("knn", {"k": 1})])
def test_the_grid_is_that_of_each_metric_below_one_another(waves, method, own):
    metrics = [({"window": w}, pc.DTW(window=w)) for w in (0, 3, 6)]
    table, choice = by_hand("kind ~ .", waves, metrics, method, cv=5, seed=2, **own)
    fit = pc.fit("kind ~ .", waves, method, dissimilarity=pc.DTW(window=[6, 0, 3]), cv=5, seed=2, **own)
    pd.testing.assert_frame_equal(fit.validation.table, table)
    assert (fit.validation.selected("min").name, fit.validation.selected("1se").name) == (choice.best, choice.one_se)
    chosen = table.iloc[choice.one_se]
    values = {name: chosen[name] for name in fit.validation.grid if name != "window"}
    alone = pc.fit("kind ~ .", waves, method, dissimilarity=pc.DTW(window=int(chosen["window"])), cv=None, **{**own, **values})
    assert fit.dissimilarity.metric.spec == alone.dissimilarity.metric.spec
    assert fit.prototypes.equals(alone.prototypes)
    assert fit.predict(waves).equals(alone.predict(waves))
    assert fit.params["window"] == chosen["window"]
    assert f"DTW, tuned: window = {chosen['window']:g}" in str(fit)
    assert "window" in fit.glance()
    assert "window (0 to 6, 3 values)" in fit.card().methods.text


def test_default_grids(waves, iris):
    v = pc.cross_validate("kind ~ .", waves, "knn", k=1, dissimilarity=pc.DTW(window="grid"))
    assert v.grid["window"].tolist() == [0, 1, 2, 5]  # 0, 2, 5, 10 and 20 % of 24 steps
    v = pc.cross_validate("species ~ .", iris, "knn", k=1, dissimilarity=pc.Minkowski(r="grid"))
    assert v.grid["r"].tolist() == [1.0, 1.5, 2.0, 3.0, np.inf]
    texts = pd.DataFrame({"s": ["abcab", "abcba", "cabca", "xyzzy", "zyxxy", "yzxzz"], "y": list("aaabbb")})
    v = pc.cross_validate("y ~ s", texts, "knn", k=1, cv=3, dissimilarity=pc.Mismatch(k="grid", m=1))
    assert v.grid["dissimilarity_k"].tolist() == [2, 3, 4, 5]  # the shortest has 5 letters
    short = texts.assign(s=["a", *texts["s"][1:]])
    with pytest.raises(pc.errors.DataError, match="the shortest string has 1 letters, too few for k='grid' with m=1"):
        pc.fit("y ~ s", short, "knn", k=1, dissimilarity=pc.Mismatch(k="grid", m=1))


def test_a_parameter_with_a_name_of_the_method_has_another(waves):
    texts = pd.DataFrame({"s": ["".join(np.random.default_rng(i).choice(list("abcd" if i < 18 else "cdef"), 9)) for i in range(36)]})
    data = texts.assign(kind=waves["kind"])
    fit = pc.fit("kind ~ s", data, "knn", k=[1, 3], dissimilarity=pc.Mismatch(k=[2, 3], m=0))
    metrics = [({"dissimilarity_k": k}, pc.Mismatch(k=k, m=0)) for k in (2, 3)]
    pd.testing.assert_frame_equal(fit.validation.table, by_hand("kind ~ s", data, metrics, "knn", k=[1, 3])[0])
    other = 5 - fit.params["dissimilarity_k"]
    assert fit.at(dissimilarity_k=other).dissimilarity.metric.spec == pc.Mismatch(k=other, m=0)


def test_metrics_within_metrics(waves):
    columns = [c for c in waves if c != "kind"]
    mixed = pc.Mixed([(columns[:2], pc.Minkowski(r=[1.0, 2.0])), (columns[2:], pc.Ranks(pc.DTW(window=[0, 4])))])
    metrics = [
        ({"r": r, "window": w}, pc.Mixed([(columns[:2], pc.Minkowski(r=r)), (columns[2:], pc.Ranks(pc.DTW(window=w)))]))
        for r, w in product((1.0, 2.0), (0, 4))
    ]
    v = pc.cross_validate("kind ~ .", waves, "knn", k=[1, 3], dissimilarity=mixed, cv=4)
    pd.testing.assert_frame_equal(v.table, by_hand("kind ~ .", waves, metrics, "knn", k=[1, 3], cv=4)[0])
    twice = pc.Mixed([(columns[:2], pc.Minkowski(r=[1, 2])), (columns[2:], pc.Minkowski(r=[1, 3]))])
    with pytest.raises(pc.errors.OptionError, match="r can be tuned in one part of the dissimilarity only: use one value in the others"):
        pc.fit("kind ~ .", waves, dissimilarity=twice, repeats=1)


def test_other_values_of_the_grid(waves):
    fit = pc.fit("kind ~ .", waves, "knn", k=[1, 3, 5], dissimilarity=pc.DTW(window=[0, 3, 6]), repeats=2, cv=4)
    for window in (0, 3, 6):
        alone = pc.fit("kind ~ .", waves, "knn", k=[1, 3, 5], dissimilarity=pc.DTW(window=window), repeats=2, cv=4)
        at = fit.at(window=window)
        assert at.dissimilarity.metric.spec == pc.DTW(window=window)
        assert at.model == alone.model  # the 1-SE choice among the points of this window
        assert at.predict(waves).equals(alone.predict(waves))
        assert at.validation.table["error"][at._selection.point] == alone.validation.table["error"][alone._selection.point]
    at = fit.at(window=0, k=5)
    assert at.params["k"] == 5
    again = at.update(seed=3)  # what was chosen by hand stays
    assert again.dissimilarity.metric.spec == pc.DTW(window=0)
    assert again.model.k == 5
    assert at.update(dissimilarity="euclidean").dissimilarity.metric.name == "Euclidean"
    with pytest.raises(pc.errors.OptionError, match=r"\{'window': 2\} is not a point of the grid, which has window: \[0, 3, 6\]"):
        fit.at(window=2)
    with pytest.raises(pc.errors.OptionError, match="no argument 'windw'"):
        fit.at(windw=2)
    with pytest.raises(pc.errors.OptionError, match=r"at\(\) needs one kind of change: use size=, lambda_=, swap="):
        fit.at(window=3, size=2)


@pytest.mark.parametrize(("metric", "message"), [
    (lambda: pc.DTW(window=[5, -1]), "window must be a whole number >= 0, not -1"),
    (lambda: pc.DTW(window=[5, None]), r"window of DTW must be tuned over a sequence of values other than None, not \[5, None\]"),
    (lambda: pc.Minkowski(r="grid", scale=7), "scale must be True, False or 'fold', not 7"),
    (lambda: pc.Mismatch(k=[3, 4], m=[1, 3]), "m must be a whole number >= 0 and <= 2, not 3"),
])  # fmt: skip
def test_every_value_is_checked_when_it_is_given(metric, message):
    with pytest.raises(pc.errors.OptionError, match=message):
        metric()


def test_where_nothing_is_tuned_one_value_is_needed(waves):
    with pytest.raises(pc.errors.OptionError, match=r"window must be one value for DTW, not \[1, 2\]:"):
        pc.dissimilarity("kind ~ .", waves, pc.DTW(window=[1, 2]))
    with pytest.raises(pc.errors.OptionError, match="tuning window needs folds, but cv=None: use one value for window=, or cv=10"):
        pc.fit("kind ~ .", waves, dissimilarity=pc.DTW(window=[1, 2]), cv=None, eps=1.0)
    with pytest.raises(pc.errors.OptionError, match="DTW has no default grid for r: use a sequence"):
        pc.fit("kind ~ .", waves, dissimilarity=pc.DTW(r="grid"), repeats=1)


def test_parameters_of_a_custom_metric_are_tuned_where_it_names_them(iris):
    @dataclass(frozen=True)
    class Powered(pc.Metric):
        traits = pc.extend.Traits(symmetric=True)
        tunable = frozenset({"exponent"})

        exponent: Any = 1.0

        def rows(self, frame):
            return (np.ascontiguousarray(frame.design.to_numpy(float)),)

        def between(self, rows, candidates):
            return (np.abs(rows[0][:, None] - candidates[0][None]) ** self.exponent).sum(axis=2)

    data = iris.iloc[::3]
    v = pc.cross_validate("species ~ .", data, "knn", k=[1, 5], dissimilarity=Powered(exponent=np.array([2.0, 0.5])), cv=3)
    metrics = [({"exponent": p}, Powered(p)) for p in (0.5, 2.0)]
    pd.testing.assert_frame_equal(v.table, by_hand("species ~ .", data, metrics, "knn", k=[1, 5], cv=3)[0])
    with pytest.raises(pc.errors.OptionError, match="Powered has no default grid for exponent"):
        pc.fit("species ~ .", data, dissimilarity=Powered(exponent="grid"), repeats=1)


METRICS = ["euclidean", pc.LDA(), pc.QDA()]


def test_a_list_of_dissimilarities_is_tuned_with_the_radius_in_the_same_folds(iris, tmp_path):
    v = pc.cross_validate("species ~ .", iris, dissimilarity=METRICS, cv=5, repeats=1)
    assert list(v.grid) == ["dissimilarity", "eps"]
    for label, metric in zip(["Euclidean", "LDA", "QDA"], METRICS, strict=True):
        alone = pc.cross_validate("species ~ .", iris, dissimilarity=metric, cv=5, repeats=1)
        part = v.table[v.table["dissimilarity"] == label]
        assert alone.table.equals(part.drop(columns="dissimilarity").reset_index(drop=True))
        assert v.held_out[part.index].set_axis(range(len(part)), axis=1).equals(alone.held_out)
    within = v.table[v.table["error"] <= v.table["error"].min() + v.selected("min")["se"]]
    assert v.selected("1se")["size"] == within["size"].min()
    assert v.corrected().value >= v.selected("min")["error"]
    fit = v.fit
    assert fit.dissimilarity.metric.name == fit._selection.values["dissimilarity"]
    words = f"{fit.dissimilarity.metric.name}, predictors scaled to unit SD (selected from Euclidean, LDA and QDA)"
    assert words in repr(fit)
    loaded = pc.load(fit.save(tmp_path / "fit"))
    assert loaded.predict(iris).equals(fit.predict(iris))
    assert repr(loaded) == repr(fit)
    assert {line.get_label() for line in v.plot().containers} == {f"dissimilarity = {label}" for label in ("Euclidean", "LDA", "QDA")}
    point = int(np.flatnonzero(v.grid["dissimilarity"] == "LDA")[3])
    assert v.fit_at(point).dissimilarity.metric.name == "LDA"
    assert v.fit_at(point).update(eps=2.0).dissimilarity.metric.name == "LDA"


def test_a_list_of_dissimilarities_that_cannot_be_tuned(iris):
    for metrics, words in (
        (["euclidean", "euclidean"], "dissimilarity= has Euclidean.* twice: use each once"),
        (["euclidean", "euclid"], "dissimilarity must be 'auto'.*, not 'euclid'"),
        (["euclidean", pc.Minkowski(r=[1, 3])], r"in a list of dissimilarities must have one value for r: use one value"),
    ):
        with pytest.raises(pc.errors.OptionError, match=words):
            pc.fit("species ~ .", iris, dissimilarity=metrics, repeats=1)
    two = pc.cross_validate("species ~ .", iris, "knn", k=3, dissimilarity=[pc.LDA(), pc.LDA(ridge=0)], cv=3)
    assert two.grid["dissimilarity"].tolist() == [repr(pc.LDA()), repr(pc.LDA(ridge=0))]


@pytest.mark.parametrize("order", [["euclidean", "lda"], ["lda", "euclidean"]])
def test_the_fit_of_several_metrics_is_that_of_the_selected_one(order):
    rng = np.random.default_rng(0)
    angle, y = rng.uniform(0, 2 * np.pi, 120), np.arange(120) % 2
    rings = pd.DataFrame({"a": (1 + y) * np.cos(angle), "b": (1 + y) * np.sin(angle), "y": y.astype(str)})
    fit = pc.fit("y ~ .", rings, dissimilarity=order, eps=[0.5, 1.0], cv=5, repeats=1)
    alone = pc.fit("y ~ .", rings, dissimilarity="euclidean", eps=fit.model.eps, cv=None)
    assert fit._selection.values["dissimilarity"] == fit.dissimilarity.metric.name == "Euclidean"
    assert fit.predict(kind="distance").equals(alone.predict(kind="distance"))
