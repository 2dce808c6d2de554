"""Median GLVQ against a plain transcription of its cost, against enumeration, and what it promises through fit."""

from itertools import combinations
from math import fsum, inf

import numpy as np
import pandas as pd
import pytest
from closeness import assert_close
from scipy.special import expit

import protoclass as pc
from protoclass.core.vectors.class_medoids import (
    add_for_classes,
    changes_by_one,
    cost_of,
    labelled,
)

BETA = 20.0


def nearest_of(D, y, classes, at):
    """How far each row's nearest prototype of its class is, and that of another class; infinite where there is none."""
    at = list(at)
    own = classes[at] == y[:, None]
    return np.where(own, D[:, at], inf).min(axis=1), np.where(own, inf, D[:, at]).min(axis=1)


def row_costs(D, y, classes, at, beta=BETA):
    """Of some candidates as prototypes, where `classes` are those of all candidates."""
    own, other = nearest_of(D, y, classes, at)
    with np.errstate(invalid="ignore"):
        relative = (own - other) / (own + other)
    relative = np.select([own == other, own == inf, other == inf], [0.0, 1.0, -1.0], relative)
    return expit(beta * relative)


def cost(D, w, y, classes, at, beta=BETA):
    return fsum(w * row_costs(D, y, classes, at, beta))


def leaves_a_class(classes, before, after):
    return {classes[j] for j in after} != {classes[j] for j in before}


def problem(seed, classes=2, n=24, m=None):
    """Dissimilarities that are asymmetric and full of ties and zeros (odd seeds), or of points in the plane; weights and classes."""
    draw = np.random.default_rng(seed)
    y = np.arange(n) % classes
    at = np.arange(n) if m is None else np.concatenate([np.arange(classes), draw.choice(np.arange(classes, n), m - classes, False)])
    w = draw.integers(1, 4, n).astype(float) if seed % 3 else np.ones(n)
    if seed % 2:
        D = draw.integers(0, 6, (n, n)).astype(float)
        D[np.arange(n), np.arange(n)] = 0
    else:
        X = draw.normal(size=(n, 2)) + y[:, None]
        D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    return D[:, at], w, y, y[at], at


def of_each_class(classes, seed, more=2):
    """A candidate of each class and some others."""
    draw = np.random.default_rng(seed)
    first = [int(draw.choice(np.flatnonzero(classes == c))) for c in np.unique(classes)]
    return np.sort([*first, *draw.choice(np.setdiff1d(np.arange(len(classes)), first), more, False)])


SHAPES = [(2, 24, None), (5, 30, None), (2, 24, 9), (3, 20, 4), (2, 12, 3)]  # the last ones have a class with one candidate


@pytest.mark.parametrize(("classes", "n", "m"), SHAPES)
@pytest.mark.parametrize("beta", [0.5, 20.0, 400.0])
def test_cost_and_every_change_equal_the_transcription(classes, n, m, beta):
    for seed in range(6):
        D, w, y, of, _ = problem(seed, classes, n, m)
        at = of_each_class(of, seed, min(2, len(of) - classes - 1))
        before = cost(D, w, y, of, at, beta)
        held = labelled(D, w, y, of, classes, beta)
        assert cost_of(held, at) == pytest.approx(before, rel=1e-12)
        swapped, _ = changes_by_one(held, at)
        for j in set(range(len(of))) - set(at.tolist()):
            for k in range(len(at)):
                after = [*np.delete(at, k), j]
                if leaves_a_class(of, at, after):
                    assert swapped[j, k] == inf
                else:
                    assert swapped[j, k] == pytest.approx(cost(D, w, y, of, after, beta) - before, abs=2e-9 * w.sum())


@pytest.mark.parametrize(("classes", "n", "m"), SHAPES)
@pytest.mark.parametrize("beta", [0.5, 20.0, 400.0])
def test_each_candidate_added_lowers_the_cost_most(classes, n, m, beta):
    for seed in range(6):
        D, w, y, of, _ = problem(seed, classes, n, m)
        at = of_each_class(of, seed, 0)
        more = add_for_classes(labelled(D, w, y, of, classes, beta), at, min(4, len(of) - classes))
        assert more[: len(at)].tolist() == at.tolist()
        assert len(set(more.tolist())) == len(more)
        for k in range(len(at), len(more)):
            added = {j: cost(D, w, y, of, [*more[:k], j], beta) for j in set(range(len(of))) - set(more[:k].tolist())}
            assert added[more[k]] == pytest.approx(min(added.values()), abs=1e-10 * w.sum())


def given(seed, classes=2, n=24):
    """A fit's arguments for the dissimilarities of a problem, as a matrix."""
    D, w, y, _, _ = problem(seed, classes, n)
    table = pd.DataFrame({"y": [f"c{c}" for c in y]})
    return table, {"dissimilarity": pd.DataFrame(D, table.index, table.index), "weights": pd.Series(w)}


def recomputed(fit):
    """D, w, y, the classes of candidates and the places of the prototypes of a fit, from its table of dissimilarities."""
    D = fit.dissimilarity.frame()
    y = pd.Series(np.array(fit.classes, object)[fit.frame.codes], fit.frame.index)
    at = [D.columns.get_loc(label) for label in fit.prototypes.index]
    return D.to_numpy(float), np.asarray(fit.frame.weights, float), y.to_numpy(), y.loc[D.columns].to_numpy(), at


def assert_no_swap_improves(fit, beta=BETA):
    D, w, y, of, at = recomputed(fit)
    live = w > 0
    least = cost(D[live], w[live], y[live], of, at, beta)
    assert fit.rule.report["cost"] == pytest.approx(least, rel=1e-6)
    assert set(of[at]) == set(y[live])
    for k in range(len(at)):
        for j in range(len(of)):
            after = [*at[:k], j, *at[k + 1 :]]
            if j not in at and live[fit.frame.index.get_loc(fit.dissimilarity.frame().columns[j])] and not leaves_a_class(of, at, after):
                assert cost(D[live], w[live], y[live], of, after, beta) >= least - 1e-6 * w.sum(), (k, j)


@pytest.mark.parametrize("matrix", ["none", "diagonal", "full"])
def test_no_swap_improves_a_fit_by_columns(iris, matrix):
    w = pd.Series(np.arange(150) % 3, iris.index)  # also weights of 0
    fit = pc.fit("species ~ .", iris, "medianglvq", K=2, matrix=matrix, ridge=0.01, beta=5.0, weights=w)
    assert_no_swap_improves(fit, 5.0)
    assert (w[fit.prototypes.index] > 0).all()


def scattered():
    """One class is a single heap, the other lies in four."""
    draw = np.random.default_rng(3)
    centres = np.array([[0, 0], [4, 0], [-4, 0], [0, 4], [0, -4]])
    heap = np.repeat(np.arange(5), 12)
    table = pd.DataFrame(draw.normal(size=(60, 2)) * 0.7 + centres[heap], columns=["a", "b"])
    return table.assign(y=np.where(heap == 0, "one heap", "four"))


def test_a_class_of_one_row_keeps_it():
    table = scattered().iloc[:30]
    table.loc[99] = [0.0, 0.0, "rare"]  # amid the single heap: without it the cost would be lower
    fit = pc.fit("y ~ .", table, "medianglvq", K=1, cv=None)
    assert "Mean prototypes per class" in repr(fit)
    assert fit.prototypes["class"].tolist() == ["four", "one heap", "rare"]
    assert 99 in fit.prototypes.index
    with pytest.raises(pc.errors.DataError, match="medianglvq needs at least 2 rows of class 'rare', but it has 1"):
        pc.fit("y ~ .", table, "medianglvq", K=2, cv=None)


def test_rows_alike_in_different_classes():
    table = pd.DataFrame({"a": [0, 0, 0, 0, 1, 1, 1, 1.0], "y": list("uvuvuvvv")})
    for matrix in ("none", "diagonal", "full"):
        fit = pc.fit("y ~ a", table, "medianglvq", K=1, cv=None, matrix=matrix, ridge=0.01)
        assert_no_swap_improves(fit)
        assert np.isfinite(fit.dissimilarity.frame().to_numpy()).all()
    alike = table.assign(a=1.0)
    fit = pc.fit("y ~ a", alike, "medianglvq", K=1, cv=None)
    assert fit.rule.report["cost"] == pytest.approx(4.0)  # half of each row
    with pytest.raises(pc.errors.DataError, match="constant over the 8 training rows"):
        pc.fit("y ~ a", alike, "medianglvq", K=1, cv=None, matrix="diagonal", ridge=0.01)


@pytest.mark.parametrize("seed", [0, 2, 4, 6])  # of points: among dissimilarities of pure noise one more prototype may cost
def test_the_cost_never_rises_with_K_over_a_grid(seed):
    table, arguments = given(seed, 3, 40)
    fit = pc.fit("y ~ 1", table, "medianglvq", K=1, cv=None, **arguments)
    task, K = fit._problem.task(fit.dissimilarity), np.arange(1, 12)
    costs = [rule.report["cost"] for rule in fit.model.path(task, {"K": K}).rules]
    assert (np.diff(costs) <= 1e-9).all()
    assert costs[-1] < costs[0]
    alone = [pc.fit("y ~ 1", table, "medianglvq", K=int(k), cv=None, **arguments).rule.report["cost"] for k in K]
    assert (np.array(costs) <= np.array(alone) + 1e-9).all()


def test_the_least_cost_of_tiny_problems_is_mostly_found():
    found = 0
    for seed in range(60):
        table, arguments = given(seed, 2, int(np.random.default_rng(seed).integers(6, 11)))
        fit = pc.fit("y ~ 1", table, "medianglvq", K=1, cv=None, progress=False, **arguments)
        D, w, y, of, at = recomputed(fit)
        least = min(cost(D, w, y, of, c) for c in combinations(range(len(of)), len(at)) if len(set(of[list(c)])) == 2)
        assert fit.rule.report["cost"] >= least - 1e-9
        found += fit.rule.report["cost"] <= 1.01 * least
    assert found >= 50, found


@pytest.mark.parametrize(("given", "words"), [
    ({"matrix": "diag"}, "matrix must be 'auto', 'none', 'diagonal' or 'full', not 'diag'"),
    ({"local": True}, "local=True needs a matrix to learn for each class, but matrix='none': use matrix='diagonal' or 'full'"),
    ({"local": "yes", "matrix": "full"}, "local must be True, False, a sequence of these, or 'auto', not 'yes'"),
    ({"matrix": "full", "dissimilarity": "gower"},
     r"Gower dissimilarities have no matrix='full' to learn: use .*matrix='full' with 'euclidean' or 'mahalanobis', or matrix='none'"),
    ({"matrix": "diagonal", "dissimilarity": "chebyshev"},
     r"Chebyshev dissimilarities have no matrix='diagonal' to learn: use matrix='diagonal'.*or matrix='none'"),
    ({"matrix": "diagonal", "dissimilarity": lambda a, b: 1.0},
     "dissimilarities have no matrix='diagonal' to learn: use matrix='diagonal'"),
])  # fmt: skip
def test_arguments_that_mean_nothing(iris, given, words):
    with pytest.raises(pc.errors.OptionError, match=words):
        pc.fit("species ~ .", iris, "medianglvq", **{"K": 1, "ridge": 0.01, "cv": None, **given})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("matrix", ["none", "diagonal", "full"])
def test_extreme_slopes_and_ridges(iris, matrix):
    for beta in (1e-9, 1e5):
        for ridge in (0, 1e-12, 1e6):
            fit = pc.fit("species ~ .", iris, "medianglvq", K=1, beta=beta, ridge=ridge, matrix=matrix, cv=None)
            assert np.isfinite(fit.rule.report["cost"])
            assert len(fit.prototypes) == 3
            if matrix != "none" and ridge == 1e6:  # nothing but the penalty counts: all variables alike
                assert_close(fit.dissimilarity.metric.column_weights["weight"], np.ones(4), abs=0.05)


def test_auto_tunes_what_the_distance_allows(iris):
    fit = pc.fit("species ~ .", iris, "medianglvq", K=1, cv=3)
    assert fit.validation.grid.drop_duplicates().shape == (8, 3)
    assert set(fit.validation.grid["matrix"]) == {"diagonal", "full"}
    assert set(fit.validation.grid["ridge"]) == {0.01, 0.1}
    of_gower = pc.fit("species ~ .", iris, "medianglvq", K=1, cv=3, dissimilarity="gower")
    assert set(of_gower.validation.grid["matrix"]) == {"diagonal"}
    assert set(of_gower.validation.grid["local"]) == {False, True}
    chebyshev = pc.fit("species ~ .", iris, "medianglvq", K=1, dissimilarity="chebyshev")
    learned = pc.fit("species ~ .", iris, "medianglvq", K=1, dissimilarity=pc.LDA())
    without = pc.fit("species ~ .", iris, "medianglvq", K=1, cv=None)
    for plain in (chebyshev, learned, without):
        assert plain._curve is None
        assert plain.model.matrix == "none"
    assert len(fit.stability(resamples=3).table) >= 3


def test_the_simplest_matrix_within_one_se_is_selected(iris):
    fit = pc.fit("species ~ .", iris, "medianglvq", K=[1, 2], cv=5)
    table = fit.validation.table
    best = table.sort_values(["error", "size"]).iloc[0]
    within = table[table["error"] <= best["error"] + best["se"] + 1e-12]
    order = {"diagonal": 0, "full": 2}
    rank = within["matrix"].map(order) + within["local"]
    first = within.assign(rank=rank).sort_values(["size", "rank", "error"], kind="stable").iloc[0]
    assert {name: fit._selection.values[name] for name in ("matrix", "local", "K")} == first[["matrix", "local", "K"]].to_dict()
    local = pc.fit("species ~ .", iris, "medianglvq", K=1, matrix="full", local=True, ridge=0.01, cv=3)
    assert "Matrix full, one for each class" in " ".join(str(local).split())
    assert_no_swap_improves(local)


def errors_with(D, w, y, of, at):
    """Weight of the rows that some candidates misclassify, half where the nearest of two classes are equally near."""
    own, other = nearest_of(D, y, of, at)
    return fsum(w * np.where(own > other, 1.0, np.where(own == other, 0.5, 0.0)))


@pytest.mark.parametrize(("classes", "seed"), [(2, 0), (2, 1), (5, 2), (5, 3)])
def test_alternatives_equal_every_swap_computed_anew(seed, classes):
    table, arguments = given(seed, classes, 25)
    fit = pc.fit("y ~ 1", table, "medianglvq", K=2 if seed % 2 else 1, cv=None, **arguments)
    D, w, y, of, at = recomputed(fit)
    before, labels = cost(D, w, y, of, at), fit.dissimilarity.frame().columns
    changes = {}  # of the cost, by prototype and what stands in its place, None for nothing
    for k in range(len(at)):
        for j in [None, *set(range(len(of))) - set(at)]:
            after = [*at[:k], *([] if j is None else [j]), *at[k + 1 :]]
            changes[k, j] = inf if leaves_a_class(of, at, after) else cost(D, w, y, of, after) - before
    least = min(0.0, min(changes.values()))  # among dissimilarities of pure noise one prototype less may cost less
    within = 0.3
    result = fit.alternatives(within=within, candidates=labels[:7], progress=False)
    assert result.objective == pytest.approx(before, rel=1e-9)
    assert result.optimum.most == pytest.approx(before + least, rel=1e-9)
    found = {(s.prototype, s.substitute): s for s in result.substitutes.itertuples()}
    error = errors_with(D, w, y, of, at) / w.sum()
    se = np.sqrt(error * (1 - error) * (w @ w)) / w.sum()
    for k, (label, row) in enumerate(result.table.iterrows()):
        assert row["cost_left_out"] == pytest.approx(changes[k, None] - least, rel=1e-7, abs=1e-7)
        assert row["cost_without"] == pytest.approx(min(v for (p, _), v in changes.items() if p == k) - least, rel=1e-7, abs=1e-7)
        assert row["cost_with"] == pytest.approx(min(0, min(v for (p, _), v in changes.items() if p != k)) - least, rel=1e-7, abs=1e-7)
        assert row["verdict"] == ("exchangeable" if row["cost_without"] <= within * (before + least) else "indispensable")
        wanted = {labels[j]: v - least for (p, j), v in changes.items() if p == k and j is not None and of[j] == of[at[k]]}
        wanted = {name: v for name, v in wanted.items() if v <= within * (before + least)}
        assert row["substitutes"] == pytest.approx(wanted, rel=1e-7, abs=1e-7)
        assert list(row["substitutes"].values()) == sorted(row["substitutes"].values())
        for name in wanted:
            after = [*at[:k], labels.get_loc(name), *at[k + 1 :]]
            share = errors_with(D, w, y, of, after) / w.sum()
            assert found[label, name].error == pytest.approx(share, abs=1e-9)
            assert found[label, name].within_se == (share - error <= se)
    for j, name in enumerate(labels[:7]):
        if j not in at:
            assert result.candidates.loc[name, "cost_with"] == pytest.approx(min(v for (_, s), v in changes.items() if s == j) - least)
    assert (set(labels) - set(labels[at])) >= set(result.substitutes["substitute"])


def test_a_swap_is_what_alternatives_says(iris):
    w = pd.Series(np.arange(150) % 3, iris.index)
    for matrix in ("none", "diagonal"):
        fit = pc.fit("species ~ .", iris, "medianglvq", K=2, weights=w, matrix=matrix, ridge=0.01)
        result = fit.alternatives(within=0.2, progress=False)
        assert len(result.substitutes) > 5
        for pair in result.substitutes.iloc[::4].itertuples():
            other = fit.at(swap={pair.prototype: pair.substitute})
            assert other.rule.report["cost"] - fit.rule.report["cost"] == pytest.approx(pair.cost, abs=1e-9)
            assert other._training_error == pytest.approx(pair.error)
            assert set(other.prototypes.index) == set(fit.prototypes.index) - {pair.prototype} | {pair.substitute}
            back = other.at(swap={pair.substitute: pair.prototype})
            assert back.prototypes.equals(fit.prototypes)
            again = other.alternatives(progress=False)  # of which one single change leads back to the fit
            assert again.objective == pytest.approx(other.rule.report["cost"], rel=1e-9)
            assert again.optimum.most <= fit.rule.report["cost"] + 1e-9
            assert again.table["cost_without"].min() == pytest.approx(0, abs=1e-9)


def test_the_number_is_tuned_at_the_matrix_that_is_chosen_with_the_least(iris):
    iris = iris[::2]
    curve = pc.cross_validate("species ~ .", iris, "medianglvq", cv=3)
    table, learned = curve.table, ["matrix", "local", "ridge"]
    assert table["K"].tolist() == [1] * 8 + [2, 3, 5]
    alone = pc.cross_validate("species ~ .", iris, "medianglvq", K=1, cv=3)
    assert table[learned + ["error"]].head(8).equals(alone.table[learned + ["error"]])
    chosen = alone.selected("1se")[learned].tolist()
    assert table.loc[8:, learned].to_numpy().tolist() == [chosen] * 3
    assert curve.corrected("1se").value >= 0
    fit = curve.fit
    values = fit._selection.values
    same = pc.fit("species ~ .", iris, "medianglvq", cv=None, **values)
    assert same.prototypes.equals(fit.prototypes)


def test_held_out_rows_do_not_see_their_labels_while_a_matrix_is_tuned(iris):
    iris = iris[::2].reset_index(drop=True)
    fold, other = np.arange(75) % 3, iris.copy()
    out = fold == 0
    other.loc[out, "species"] = np.random.default_rng(0).permutation(iris["species"][out])
    one, two = (pc.cross_validate("species ~ .", data, "medianglvq", cv=fold) for data in (iris, other))
    names = ["K", "matrix", "local", "ridge"]
    both = one.grid.reset_index().merge(two.grid.reset_index(), on=names)
    assert len(both) >= 8
    assert (one._predicted[0][out][:, both["index_x"]] == two._predicted[0][out][:, both["index_y"]]).all()
