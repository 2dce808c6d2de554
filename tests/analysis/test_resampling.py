"""Stability against fits on the samples themselves, the bounds that 1-NN gives, and permutation tests."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.analysis.resampling import hit_by_random, select
from protoclass.core.parallel import Once
from protoclass.core.sources import Held
from protoclass.core.statistics.folds import disjoint, exchangeable, sample_by_class
from protoclass.core.task import Task

RAW = pc.Euclidean(scale=False)


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, dissimilarity=RAW)


@pytest.mark.parametrize("sample", ["halves", "bootstrap"])
def test_shares_are_those_of_fits_on_the_samples(fit, iris, sample):
    B, seed = 12, 4
    told = fit.stability(resamples=B, seed=seed, sample=sample)
    chosen, present = {}, np.zeros(150, int)
    task = fit._problem.task(fit.dissimilarity)
    for b in range(B):
        times = sample_by_class(task.y, sample, (seed, b))
        assert np.bincount(task.y, times).tolist() == ([25] * 3 if sample == "halves" else [50] * 3)
        rows = np.flatnonzero(times)
        present[rows] += 1
        again = pc.fit("species ~ .", iris.iloc[rows], eps=1.0, dissimilarity=RAW, weights=times[rows].astype(float))
        assert told.sizes[b] == len(again.prototypes)
        for label, cls in again.prototypes["class"].items():
            chosen[label, cls] = chosen.get((label, cls), 0) + 1
    table = told.table.set_index("class", append=True)
    assert {k: v for k, v in (table["reselected"] * table["drawn"]).round().items() if v} == chosen
    assert (told.table["drawn"] == present[told.table.index]).all()
    own = told.table["prototype"].to_numpy()
    assert own[: own.sum()].all()  # the fit's own come first, those of the surest place before the others
    assert (told.table["ball_hit_rate"][own].diff().dropna() <= 0).all()
    assert told.table["ball_hit_rate"][~own].isna().all()
    assert (told.table["reselected"][~own].diff().dropna() <= 0).all()


def test_near_counts_the_balls_that_hold_one_of_the_class(fit, iris):
    told = fit.stability(resamples=10, seed=1, sample="halves")
    D = fit.dissimilarity.frame().to_numpy()
    task = fit._problem.task(fit.dissimilarity)
    hits = pd.Series(0.0, fit.prototypes.index)
    distance = {label: [] for label in fit.prototypes.index}
    for b in range(10):
        rows = np.flatnonzero(sample_by_class(task.y, "halves", (1, b)))
        again = pc.fit("species ~ .", iris.iloc[rows], eps=1.0, dissimilarity=RAW).prototypes
        for label, cls in fit.prototypes["class"].items():
            hits[label] += any(D[other, label] < 1.0 for other in again.index[again["class"] == cls])
            distance[label].append(
                min((D[other, label] for other in again.index[again["class"] == cls]), default=np.inf)
            )
    pd.testing.assert_series_equal(told.prototypes["ball_hit_rate"], hits / 10, check_names=False)
    for label, within in told.prototypes["distance_95"].items():
        assert within == max(distance[label])  # fewer than 95 % of ten samples are nine


def draw_rows(draw, n):
    y = np.arange(n) % 2
    return pd.DataFrame(draw.normal(size=(n, 2)) + np.column_stack([2.0 * y - 1, 0 * y]), columns=["a", "b"]), y


def choose(model, X, y, seed=0):
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    task = Task(Once(lambda: Held(D)), y, 2, np.ones(len(y)), np.arange(len(y)), (seed,))
    prototypes = model.path(task, {}).at(0).prototypes
    return prototypes.at, prototypes.classes


def true_shares(model, n, pairs, draw):
    """Of prototypes of n rows: near one of n others that are drawn anew, and chosen when put among n - 1 of these."""
    near, hits = [], []
    for _ in range(pairs):
        (X, y), (F, z) = draw_rows(draw, n), draw_rows(draw, n)
        X, F = X.to_numpy(), F.to_numpy(copy=True)
        at, classes = choose(model, X, y)
        others, of = choose(model, F, z)
        d = np.sqrt(((F[others][:, None] - X[at][None]) ** 2).sum(axis=2))
        near.append(((d < model.eps) & (of[:, None] == classes)).any(axis=0).mean())
        k = draw.integers(len(at))
        place = draw.choice(np.flatnonzero(z == y[at[k]]))
        F[place] = X[at[k]]
        again, of = choose(model, F, z)
        hits.append(((again == place) & (of == classes[k])).any())
    return np.mean(near), np.mean(hits)


@pytest.mark.long
def test_fresh_is_true_of_fresh_rows_and_chosen_is_not():
    draw, model, told = np.random.default_rng(5), pc.PVM(eps=1.0), []
    for seed in range(8):
        X, y = draw_rows(draw, 60)
        result = pc.fit("y ~ .", X.assign(y=np.where(y, "v", "u")), model, dissimilarity=RAW).stability(resamples=20, seed=seed)
        fresh = result.replicate([0.5], resamples=20, seed=seed).iloc[0]
        told.append(
            {"chosen": result.prototypes["reselected"].mean(), "fresh": fresh["reselected"], "fresh near": fresh["ball_hit_rate"]}
        )
    told = pd.DataFrame(told).mean()
    near, chosen = true_shares(model, 30, 200, draw)
    assert told["fresh"] == pytest.approx(chosen, abs=0.12)
    assert told["fresh near"] == pytest.approx(near, abs=0.06)
    assert told["chosen"] > true_shares(model, 60, 150, draw)[1] + 0.15


def test_pairs_of_samples_by_hand(fit, iris):
    """One pair after the other, with fits on the rows themselves; samples have no row in common."""
    task, shares, hits, near = fit._problem.task(fit.dissimilarity), (0.2, 0.5), {}, {}
    D = fit.dissimilarity.frame().to_numpy()
    for place, share in enumerate(shares):
        hits[share], near[share] = [], []
        for b in range(6):
            draw = np.random.default_rng((3, place, b))
            first, second = disjoint(task.y, share, draw)
            assert not (first & second).any()
            assert np.bincount(task.y[first]).tolist() == np.bincount(task.y[second]).tolist() == [int(50 * share)] * 3

            def shuffled(rows, draw=draw):
                return iris.iloc[draw.permutation(np.flatnonzero(rows))]

            columns = pc.fit("species ~ .", shuffled(first), eps=1.0, dissimilarity=RAW).prototypes
            names = sorted(zip(columns.index, columns["class"].cat.codes, strict=True))
            other = pc.fit("species ~ .", shuffled(second), eps=1.0, dissimilarity=RAW).prototypes["class"].cat.codes
            near[share].append(np.mean([(D[other.index[other == c], label] < 1.0).any() for label, c in names]))
            row, cls = names[draw.integers(len(names))]
            second[draw.choice(np.flatnonzero(second & (task.y == task.y[row])))] = False
            second[row] = True
            again = pc.fit("species ~ .", shuffled(second), eps=1.0, dissimilarity=RAW).prototypes
            hits[share].append((row, cls) in set(zip(again.index, again["class"].cat.codes, strict=True)))
    told = fit.stability(resamples=2).replicate(shares, resamples=6, seed=3)
    assert told.index.tolist() == list(shares)
    assert told["rows"].tolist() == [30, 75]
    assert told["reselected"].tolist() == [np.mean(hits[share]) for share in shares]
    assert told["ball_hit_rate"].tolist() == pytest.approx([np.mean(near[share]) for share in shares])


def test_hits_of_random_rows_are_counted_over_all_draws(fit, iris):
    """Every subset of the class, as many rows as a sample has prototypes, hits or misses the ball; also in a second sample."""
    D, y = fit.dissimilarity.frame().to_numpy(), iris["species"].cat.codes.to_numpy()
    result = fit.stability(resamples=3, seed=2)
    for label, cls in fit.prototypes["class"].cat.codes.items():
        inside = D[y == cls, label] < 1.0
        missed = [math.comb(int((~inside).sum()), K) / math.comb(50, K) for K in sizes_of_class(fit, result, cls)]
        assert result.prototypes["ball_hit_rate_random"][label] == pytest.approx(1 - np.mean(missed))
    hit = [bool({0, 1} & set(drawn)) for drawn in combinations(range(5), 2)]
    assert hit_by_random(*np.array([[2], [5], [2]])) == pytest.approx(np.mean(hit))
    two = pd.DataFrame({"a": np.r_[np.arange(10) / 10, 20 + np.arange(10) / 10], "y": np.repeat(["u", "v"], 10)})
    wide = pc.fit("y ~ a", two, eps=5.0, dissimilarity=RAW).stability(resamples=3)  # a ball contains all rows of its class
    assert (wide.replicate([0.5], resamples=3)["ball_hit_rate_random"] == 1).all()


def sizes_of_class(fit, result, cls):
    """Prototypes of a class in each sample of `stability(resamples=3, seed=2)`."""
    task = fit._problem.task(fit.dissimilarity)
    counts = [sample_by_class(task.y, "bootstrap", (2, b)) for b in range(len(result.sizes))]
    return [int((select(fit, task, count, b).classes == cls).sum()) for b, count in enumerate(counts)]


def test_fresh_says_what_it_takes(fit, iris):
    result = fit.stability(resamples=2)
    for wrong in (0.5, [0.6], [0.0], []):
        with pytest.raises(pc.errors.OptionError, match=r"at most 0\.5"):
            result.replicate(wrong)
    with pytest.raises(pc.errors.DataError, match="use larger fractions"):
        result.replicate([0.01])
    with pytest.raises(pc.errors.DataError, match=r"of its rows are candidates: use a smaller K=,.*: use update\(\) with smaller"):
        pc.fit("species ~ .", iris, "kmedoids", K=20).stability(resamples=2).replicate([0.25], resamples=2)
    everything = pc.fit("species ~ .", iris, "knn", k=3).stability(resamples=2).replicate([0.1], resamples=3)
    assert everything["reselected"].tolist() == [1.0]  # all rows are kept
    assert list(everything) == ["rows", "reselected"]


def test_the_table_the_print_and_the_plot(fit):
    told = fit.stability(resamples=20)
    assert list(told.prototypes.columns[:4]) == ["class", "ball_hit_rate", "ball_hit_rate_random", "distance_95"]
    assert told.prototypes.index.equals(fit.prototypes.index)
    assert "20 bootstrap samples" in repr(told)
    assert told.plot().get_title() == "Filled: ball hit rate; open: selected again"
    knn = pc.fit("species ~ .", pc.load_data("iris"), "knn", k=3).stability(resamples=3)
    assert (knn.prototypes["reselected"].dropna() == 1).all()
    assert knn.plot().get_title() == "Selected again"


def test_centres_of_machines_count_once_a_sample(iris):
    told = pc.fit("species ~ .", iris, "scm", kind="conjunction", penalty=1.0).stability(resamples=10)
    assert told.sample == "halves"
    assert told.table["reselected"].max() <= 1
    assert "ball_hit_rate" not in told.table


def test_errors(fit, iris):
    with pytest.raises(pc.errors.OptionError, match="resamples must be a whole number >= 2 and <= 10000, not 1"):
        fit.stability(resamples=1)
    with pytest.raises(pc.errors.OptionError, match=r"sample must be .*not 'thirds'"):
        fit.stability(sample="thirds")
    with pytest.raises(pc.errors.NotAvailableError, match="are not rows"):
        pc.fit("species ~ .", iris, "kmeans", K=2).stability()
    with pytest.raises(pc.errors.OptionError, match="the bootstrap needs weights, which method"):
        pc.fit("species ~ .", iris, "condensed").stability(sample="bootstrap")


def test_a_fit_that_was_cut(fit):
    short = fit.at(lambda_=6)
    assert short.model.lambda_ == 6
    assert short.stability(resamples=20).sizes.mean() == fit.update(lambda_=6).stability(resamples=20).sizes.mean()
    with pytest.raises(pc.errors.NotAvailableError, match="first part"):
        fit.at(size=3).stability(resamples=5)


def test_generated_candidates_that_stand_for_no_class_are_counted_as_such(iris):
    """Those of hyperplanes raised an error of NumPy."""
    fit = pc.fit("species ~ .", iris[::3], "hyperplane", C=1.0, cv=None, candidates=pc.candidates.kmeans(2), dissimilarity="euclidean")
    table = fit.stability(resamples=3).table
    made = table.index.astype(str).str.startswith("kmeans")
    assert made.sum() == 6
    assert (table["class"].isna() == made).all()
    assert (table["reselected"][made] == 1.0).all()
    assert (table["distance_95"][made] == 0.0).all()


def noise(seed, n=20):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(draw.normal(size=(n, 2)), columns=list("ab")).assign(y=np.arange(n) % 2)


def test_it_is_the_procedure_with_permuted_classes(iris):
    """Also of rows that are dropped, and with class weights, which follow the permuted classes."""
    data = iris.iloc[np.r_[0:20, 50:65, 100:112]].copy()
    data.iloc[3, 0] = np.nan
    arguments = {"method": "knn", "k": [1, 5, 9], "cv": 4, "choose": "1se", "class_weights": "balanced", "seed": 2}
    v = pc.cross_validate("species ~ .", data, **arguments)
    test = v.permutation_test(resamples=6, seed=5, progress=False)
    complete = data.drop(index=data.index[3])
    errors = []
    for b in range(6):
        order = np.random.default_rng([5, b]).permutation(len(complete))
        again = pc.cross_validate("species ~ .", complete.assign(species=complete.species.array[order]), **arguments)
        errors.append(again.selected("1se")["error"])
        assert test.table["k"][b] == again.selected("1se")["k"]
    assert test.table["error"].tolist() == pytest.approx(errors)
    assert test.error == v.selected("1se")["error"]
    assert test.p_value == (1 + sum(e <= test.error + 1e-12 for e in errors)) / 7
    assert test.how == "classes permuted among all rows"


def test_ties_count_and_the_least_p_value_is_not_zero():
    data = noise(0).assign(a=0.0, b=0.0)  # always the same error
    v = pc.cross_validate("y ~ .", data, "knn", k=1, cv="loo")
    assert v.permutation_test(resamples=4, progress=False).p_value == 1.0
    clear = noise(1).assign(a=lambda d: 9.0 * d.y)
    assert pc.cross_validate("y ~ .", clear, "knn", k=1, cv=5).permutation_test(resamples=4, progress=False).p_value == 0.2


def test_groups_of_one_class_are_permuted_whole_and_others_within():
    group, draw = np.repeat([0, 1, 2, 3], [3, 1, 4, 2]), np.random.default_rng(0)
    whole = np.array([0, 1, 0, 1])[group]
    how, order = exchangeable(whole, group)
    assert how == "classes permuted among groups"
    seen = set()
    for _ in range(60):
        drawn = whole[order(draw)]
        of_group = [set(drawn[group == g]) for g in range(4)]
        assert all(len(classes) == 1 for classes in of_group)
        seen.add(tuple(min(classes) for classes in of_group))
    assert len(seen) == 6  # all ways to give two of four groups a class
    mixed = np.array([0, 1, 0, 1, 0, 1, 1, 0, 0, 1])
    how, order = exchangeable(mixed, group)
    assert how == "classes permuted within groups"
    for _ in range(20):
        rows = order(draw)
        assert sorted(rows) == list(range(10))
        assert (group[rows] == group).all()


def test_without_signal_small_p_values_are_as_rare_as_they_should_be():
    found = [
        pc.cross_validate("y ~ .", noise(seed), "knn", k=[1, 5], cv=3, choose="min")
        .permutation_test(resamples=4, seed=seed, progress=False)
        .p_value
        for seed in range(20)
    ]
    assert sum(p <= 0.2 for p in found) <= 9  # 4 are expected
    assert len(set(found)) > 2


def test_arguments_and_failures(iris):
    v = pc.cross_validate("species ~ .", iris, "knn", k=[1, 5], cv=3, repeats=2)
    for bad in ({"resamples": 0}, {"seed": -1}, {"progress": 3}):
        with pytest.raises(pc.errors.OptionError, match=next(iter(bad))):
            v.permutation_test(**bad)


def test_the_band_of_a_validation(iris):
    v = pc.cross_validate("species ~ .", iris, "knn", k=[1, 5, 15, 40], cv=8, repeats=2)
    band = v.band(level=0.9)
    assert list(band) == ["k", "error", "se", "low", "high", "band_low", "band_high"]
    lost = np.mean([v.held_out.loc[r].ne(iris["species"], axis=0).to_numpy(float) for r in (0, 1)], axis=0)
    variance = lost.var(axis=0, ddof=1) / 150 * (1 + 8 / 7)  # of the rows, and of folds that share training rows
    half = 1.6551445 * np.sqrt(variance)  # Student's t, 149 degrees of freedom
    assert (band["high"] - band["error"]).to_numpy() == pytest.approx(half)
    wider = ((band["band_high"] - band["error"]) / (band["high"] - band["error"])).to_numpy()
    assert wider == pytest.approx(wider[0])
    assert 1.0 < wider[0] < 2.0
    pd.testing.assert_frame_equal(band, v.band(level=0.9))
    assert (v.band(level=0.99)["band_high"] > band["band_high"]).all()
    with pytest.raises(pc.errors.OptionError, match=r"level must be .* such as 0\.9, not 1"):
        v.band(level=1)
