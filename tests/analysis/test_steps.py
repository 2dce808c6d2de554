"""A fit step by step: path, closed balls, and bounds with the tail that they invert."""

import itertools
from decimal import Decimal, getcontext

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.statistics.bounds import compression_bound, tail_inverse


@pytest.fixture(scope="module")
def halves(iris):
    train = iris.sample(frac=0.6, random_state=1)
    return train, iris.drop(train.index)


def test_the_path_equals_fits_at_every_lambda(halves):
    train, new = halves
    fit = pc.fit("species ~ .", train, eps=0.8, lambda_=0.0)
    table = fit.path(new)
    assert len(table) == len(fit.prototypes) + 1
    for lam in (0.01, 0.5, 1.0, 2.5, np.int64(6), 1000.0):
        slow = pc.fit("species ~ .", train, eps=0.8, lambda_=lam)
        fast = fit.at(lambda_=lam)
        assert fast.prototypes.equals(slow.prototypes)
        assert fast.objective == slow.objective
        row = table[(table["lambda_low"] <= lam) & (lam < table["lambda_high"])]
        assert row["size"].tolist() == [len(slow.prototypes)]
        assert row["training_error"].iloc[0] == pytest.approx(slow._training_error)
        assert row["new_error"].iloc[0] == pytest.approx(slow.test(new).error)
        assert row["uncovered"].iloc[0] == slow.objective.uncovered
        assert row["miscovered"].iloc[0] == slow.objective.miscovered


def test_the_path_has_the_error_of_each_size_by_cross_validation(iris):
    fold = pd.Series(np.arange(150) % 5, iris.index)
    fit = pc.fit("species ~ .", iris, dissimilarity=pc.Euclidean(scale=False), eps=0.8)
    weighted = fit.update(weights=np.where(np.arange(150) < 75, 1.0, 2.0))
    table, other = fit.path(cv=fold), weighted.path(cv=fold)
    assert (table.columns[-2:] == ["cv_error", "cv_se"]).all()
    q = len(fit.prototypes)
    errors = np.empty((5, q + 1))
    for f in range(5):
        train, held = iris[fold != f], iris[fold == f]
        slow = pc.fit("species ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=0.8, lambda_=1 / 150)
        for size in range(q + 1):
            part = slow.at(size=min(size, len(slow.prototypes)))
            errors[f, size] = (part.predict(held).astype(str) != held.species.astype(str)).mean()
    assert table["cv_error"].to_numpy() == pytest.approx(errors.mean(axis=0))
    of_no_error = np.sqrt(2 * 152 / 154**3)  # (0 + 2) / (150 + 4): no standard error is less
    of_folds = errors.std(axis=0, ddof=1) / np.sqrt(5)
    assert of_folds.min() < of_no_error < of_folds.max()
    assert table["cv_se"].to_numpy() == pytest.approx(np.maximum(of_folds, of_no_error))
    assert not np.allclose(other["cv_error"], errors.mean(axis=0)[0])
    learned = fit.update(candidates=pc.candidates.kmeans(2)).path(cv=fold)
    assert learned["cv_error"].between(0, 1).all()
    with pytest.raises(pc.errors.OptionError, match="cv must be a number of folds >= 2, 'auto', 'loo', custom folds or None, not 1"):
        fit.path(cv=1)


def test_at_takes_the_first_prototypes(halves):
    train, new = halves
    fit = pc.fit("species ~ .", train, eps=0.8)
    for size in range(len(fit.prototypes) + 1):
        part = fit.at(size=size)
        assert part.prototypes.equals(fit.prototypes.iloc[:size])
        assert part.test(new).error == pytest.approx(fit.path(new)["new_error"].iloc[size])
    assert str(fit.at(size=3).summary())
    for wrong in (
        {},
        {"size": 1, "lambda_": 1.0},
        {"size": -1},
        {"size": 10_000},
        {"size": 1.5},
        {"lambda_": 1e-9},
        {"lambda_": "a"},
    ):
        with pytest.raises(pc.errors.OptionError):
            fit.at(**wrong)
    for bad in (new.assign(species="q"), new.assign(petal_width=np.nan), new.iloc[:0]):
        with pytest.raises(pc.errors.DataError, match=r"classes that were not in the training data: 'q'|no row has both"):
            fit.path(bad)
    with pytest.raises(pc.errors.NotAvailableError, match="step by step"):
        pc.fit("species ~ .", train, "knn", k=3).path()
    with pytest.raises(pc.errors.NotAvailableError, match="step by step"):
        fit.update(solver="exact").path()


def test_closed_balls_hold_rows_at_the_radius():
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    data = pd.DataFrame({"y": list("aaabbb")})
    opened = pc.fit("y ~ 1", data, dissimilarity=D, eps=1.0)
    closed = pc.fit("y ~ 1", data, dissimilarity=D, eps=1.0, balls="closed")
    assert opened.prototypes["newly_covered"].tolist() == [1] * 6
    assert closed.prototypes["newly_covered"].tolist() == [3, 3]
    assert closed.prototypes.equals(pc.fit("y ~ 1", data, dissimilarity=D, eps=1.5).prototypes)
    half = pd.DataFrame([[1.0] * 6])
    assert opened.predict(half, "cover").isna().all()
    assert closed.predict(pd.DataFrame([[1.0, 1, 1, 9, 9, 9]]), "cover").tolist() == ["a"]


def slow_ratio(D, y, eps, lambda_, w):
    """Section 3.2's standard greedy in loops, class by class: least cost per weight newly covered, while below 1."""
    chosen = []
    for c in np.unique(y):
        covered = np.zeros(len(y), bool)
        while True:
            best, step = 1.0, None
            for j in range(D.shape[1]):
                ball = D[:, j] < eps
                new = w[ball & (y == c) & ~covered].sum()
                cost = lambda_ + w[ball & (y != c)].sum()
                if new > 0 and cost / new < best:
                    best, step = cost / new, j
            if step is None:
                break
            chosen.append((step, int(c)))
            covered |= D[:, step] < eps
    return sorted(chosen)


@pytest.mark.parametrize("seed", range(3))
def test_the_ratio_greedy_equals_loops(seed):
    draw = np.random.default_rng(seed)
    D = draw.integers(0, 8, (20, 20)) * (1.0 - np.eye(20))
    data = pd.DataFrame({"y": np.r_[0, 1, draw.integers(0, 2, 18)]})
    for eps, lam in itertools.product((1.0, 2.0, 4.0), (0.05, 0.7)):
        fit = pc.fit("y ~ 1", data, dissimilarity=D, eps=eps, lambda_=lam, solver="ratio", certify=True)
        got = sorted(zip(fit.prototypes.index, fit.rule.prototypes.classes.tolist(), strict=True))
        assert got == slow_ratio(D, data.y.to_numpy(), eps, lam, np.ones(20))
        assert fit.certificate.bound.sum() <= fit.objective.value + 1e-9


RAW = pc.Euclidean(scale=False)


@pytest.fixture(scope="module")
def raw_fit():
    return pc.fit("species ~ .", pc.load_data("iris"), dissimilarity=RAW, eps=1.0)


@pytest.mark.parametrize(
    "term",
    ["I(2 * scale(petal_length) + 1)", "sepal_width:scale(petal_length)", "poly(petal_length, 2)",
     "log(exp(center(petal_length) / 9))"],
)  # fmt: skip
def test_a_transform_that_learns_is_found_wherever_it_stands(raw_fit, term):
    told = raw_fit.update(formula=f"species ~ sepal_width + {term}").bound()
    assert not told["proved"].any()
    assert "transform" in told["reasons"].iloc[0]


def test_a_transform_of_one_row_or_a_name_like_a_transform_leaves_the_proof(raw_fit, iris):
    for term in ("log(petal_length)", "I(petal_length ** 2)", "exp(petal_length / 9)", "sepal_width:petal_length"):
        told = raw_fit.update(formula=f"species ~ sepal_width + {term}").bound()
        assert "transform" not in told["reasons"].iloc[0]
    named = iris.rename(columns={"petal_length": "scale(x)"})
    told = raw_fit.update(formula="species ~ log(`scale(x)`) + sepal_width", data=named).bound()
    assert "transform" not in told["reasons"].iloc[0]


def test_what_the_user_computed_is_proved_on_their_word(raw_fit, iris):
    X = iris.drop(columns="species")
    matrix = pc.dissimilarity("~ .", iris.drop(columns="species")).frame()  # of columns scaled by these very rows
    of_matrix = raw_fit.update(formula="species ~ 1", dissimilarity=matrix)
    of_function = raw_fit.update(
        formula="species ~ petal_length", dissimilarity=lambda a, b: abs(a.petal_length - b.petal_length)
    )
    trained_before = raw_fit.update(dissimilarity=pc.dissimilarity("~ .", X, "euclidean").metric)
    for one, why in (
        (of_matrix, "may have been computed from the rows"),
        (of_function, "may have been computed from the rows"),
        (trained_before, "depends on the sample"),
    ):
        assert not one.bound()["proved"].any()
        assert why in one.bound()["reasons"].iloc[0]
        assert one.bound(fixed_dissimilarity=True)["proved"].all()
    assert raw_fit.bound(fixed_dissimilarity=True)["proved"].all()
    with pytest.raises(pc.errors.OptionError, match=r"was trained on them .scaled columns"):
        raw_fit.update(dissimilarity="euclidean").bound(fixed_dissimilarity=True)
    with pytest.raises(pc.errors.OptionError, match="fixed_dissimilarity must be"):
        raw_fit.bound(fixed_dissimilarity="yes")


def test_a_mixture_with_a_function_is_as_unknown_as_the_function(raw_fit):
    mixed = pc.Mixed([(["petal_length"], lambda a, b: abs(a.iloc[0] - b.iloc[0])), (["sepal_width"], RAW)], scale=False)
    told = raw_fit.update(formula="species ~ petal_length + sepal_width", dissimilarity=mixed).bound()
    assert "may have been computed from the rows" in told["reasons"].iloc[0]


def test_grouped_rows_are_not_independent(raw_fit, iris):
    groups = pd.Series(np.arange(150) // 3, iris.index)
    machine = pc.fit(
        "species ~ .", iris, "scm", dissimilarity=RAW, kind="conjunction", penalty=np.inf, max_size=2, groups=groups
    )
    for one in (raw_fit.update(groups=groups), machine):
        assert not one.bound()["proved"].any()
        assert "rows of a group are not independent" in one.bound()["reasons"].iloc[0]


def test_a_rule_without_prototypes_reads_its_class_off_the_sample(raw_fit):
    empty = raw_fit.update(lambda_=1000.0)
    assert len(empty.prototypes) == 0
    for one in (empty, raw_fit.at(size=0)):
        assert not one.bound()["proved"].any()
        assert "most common" in one.bound()["reasons"].iloc[0]


def test_kinds_once_chosen_by_the_data_share_delta_whatever_is_tuned_afterwards(iris):
    two = iris[iris["species"] != "setosa"].assign(species=lambda d: d["species"].astype(str))
    v = pc.cross_validate("species ~ .", two, "scm", dissimilarity=RAW, cv=3, penalty=np.inf, max_size=[1, 3])
    raw_fit = v.fit_at(0)
    named = raw_fit.update(kind=raw_fit.model.kind)
    half = named.bound(0.025)[["tail_bound", "bound"]]
    again = raw_fit.update(max_size=[1])  # the size is tuned anew, and the kind stays what it was chosen to be
    for one in (raw_fit, raw_fit.update(), again, again.update(), again.update(max_size=[1], seed=3), raw_fit.at(size=1).update()):
        assert one.model == named.model
        assert set(one._selection.tried()["kind"]) == {"conjunction", "disjunction"}
        pd.testing.assert_frame_equal(one.bound()[["tail_bound", "bound"]], half)
    assert "kind" not in again.update(kind=raw_fit.model.kind)._selection.tried()
    assert "kind" not in again.update(method="knn", k=3)._selection.tried()


def tail(n, k, p):
    """P(at most k of n) in 60 digits, term by term."""
    term, total = (1 - p) ** n, Decimal(0)
    for j in range(k + 1):
        total += term
        term = term * (n - j) / (j + 1) * p / (1 - p)
    return total


@pytest.mark.parametrize(
    ("n", "k", "log_level"),
    [(20, 19, -3), (1000, 20, -229), (1000, 20, -231), (60, 5, -400), (100_000, 20, -690)],
)  # fmt: skip
def test_the_inverted_tail_is_the_root_of_the_tail(n, k, log_level):
    getcontext().prec = 60
    level, low, high = Decimal(log_level).exp(), Decimal(k) / n, Decimal(1)
    for _ in range(50):  # bisection: the tail falls in p
        middle = (low + high) / 2
        low, high = (middle, high) if tail(n, k, middle) > level else (low, middle)
    assert float(tail_inverse(n, k, log_level)) == pytest.approx(float(low), rel=1e-9)


def test_the_bounds_cover_however_the_compression_set_is_chosen():
    """Labels are pure noise, so the error of every rule is 1/2; of all pairs of prototypes the one of the least bound is taken."""
    m, delta, draws, draw = 24, 0.5, 1500, np.random.default_rng(0)
    of_errors = compression_bound(m, 2, 0, np.arange(m + 1), delta).tail
    unshared = tail_inverse(m - 2, np.arange(m - 2), np.log(delta))
    missed = missed_unshared = 0
    for _ in range(draws):
        x, y = draw.random(m), draw.integers(0, 2, m)
        zero, one = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
        if len(zero) == 0 or len(one) == 0:
            continue
        nearer = np.abs(x[:, None, None] - x[one]) < np.abs(x[:, None, None] - x[zero][:, None])  # (m, zero, one)
        least = int((nearer != y[:, None, None]).sum(axis=0).min())
        missed += of_errors[least] < 0.5
        missed_unshared += unshared[least] < 0.5
    assert missed <= delta * draws
    assert missed_unshared > delta * draws  # a tail that counts one rule only does not cover a choice among many
