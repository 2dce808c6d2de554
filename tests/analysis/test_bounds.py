"""When a bound is said to be proved, and the tail that it inverts."""

from decimal import Decimal, getcontext

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.statistics.bounds import compression_bound, tail_inverse

RAW = pc.Euclidean(scale=False)


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris"), dissimilarity=RAW, eps=1.0)


@pytest.mark.parametrize(
    "term",
    ["scale(petal_length)", "I(scale(petal_length))", "exp(center(petal_length))", "I(2 * scale(petal_length) + 1)",
     "sepal_width:scale(petal_length)", "poly(petal_length, 2)", "log(exp(center(petal_length) / 9))"],
)  # fmt: skip
def test_a_transform_that_learns_is_found_wherever_it_stands(fit, term):
    told = fit.update(formula=f"species ~ sepal_width + {term}").bound()
    assert not told["proved"].any()
    assert "transform" in told["reasons"].iloc[0]


def test_a_transform_of_one_row_or_a_name_like_a_transform_leaves_the_proof(fit, iris):
    for term in ("log(petal_length)", "I(petal_length ** 2)", "exp(petal_length / 9)", "sepal_width:petal_length"):
        told = fit.update(formula=f"species ~ sepal_width + {term}").bound()
        assert "transform" not in told["reasons"].iloc[0]
    named = iris.rename(columns={"petal_length": "scale(x)"})
    told = fit.update(formula="species ~ log(`scale(x)`) + sepal_width", data=named).bound()
    assert "transform" not in told["reasons"].iloc[0]


def test_what_the_user_computed_is_proved_on_their_word(fit, iris):
    X = iris.drop(columns="species")
    matrix = pc.dissimilarity("~ .", iris.drop(columns="species")).frame()  # of columns scaled by these very rows
    of_matrix = fit.update(formula="species ~ 1", dissimilarity=matrix)
    of_function = fit.update(
        formula="species ~ petal_length", dissimilarity=lambda a, b: abs(a.petal_length - b.petal_length)
    )
    trained_before = fit.update(dissimilarity=pc.dissimilarity("~ .", X, "euclidean").metric)
    for one, why in (
        (of_matrix, "may have been computed from the rows"),
        (of_function, "may have been computed from the rows"),
        (trained_before, "depends on the sample"),
    ):
        assert not one.bound()["proved"].any()
        assert why in one.bound()["reasons"].iloc[0]
        assert one.bound(fixed_dissimilarity=True)["proved"].all()
    assert fit.bound(fixed_dissimilarity=True)["proved"].all()
    with pytest.raises(pc.OptionError, match=r"was trained on them .scaled columns"):
        fit.update(dissimilarity="euclidean").bound(fixed_dissimilarity=True)
    with pytest.raises(pc.OptionError, match="fixed_dissimilarity must be"):
        fit.bound(fixed_dissimilarity="yes")


def test_a_mixture_with_a_function_is_as_unknown_as_the_function(fit):
    mixed = pc.Mixed([(["petal_length"], lambda a, b: abs(a.iloc[0] - b.iloc[0])), (["sepal_width"], RAW)], scale=False)
    told = fit.update(formula="species ~ petal_length + sepal_width", dissimilarity=mixed).bound()
    assert "may have been computed from the rows" in told["reasons"].iloc[0]


def test_grouped_rows_are_not_independent(fit, iris):
    groups = pd.Series(np.arange(150) // 3, iris.index)
    machine = pc.fit(
        "species ~ .", iris, "scm", dissimilarity=RAW, kind="conjunction", penalty=np.inf, stop=2, groups=groups
    )
    for one in (fit.update(groups=groups), machine):
        assert not one.bound()["proved"].any()
        assert "rows of a group are not independent" in one.bound()["reasons"].iloc[0]


def test_a_rule_without_prototypes_reads_its_class_off_the_sample(fit):
    empty = fit.update(lambda_=1000.0)
    assert len(empty.prototypes) == 0
    for one in (empty, fit.at(size=0)):
        assert not one.bound()["proved"].any()
        assert "most common" in one.bound()["reasons"].iloc[0]


def test_kinds_once_chosen_by_the_data_share_delta_whatever_is_tuned_afterwards(iris):
    two = iris[iris["species"] != "setosa"].assign(species=lambda d: d["species"].astype(str))
    v = pc.cross_validate("species ~ .", two, "scm", dissimilarity=RAW, cv=3, penalty=np.inf, stop=[1, 3])
    fit = v.fit_at(0)
    named = fit.update(kind=fit.model.kind)
    half = named.bound(0.025)[["tail_bound", "bound"]]
    again = fit.update(stop=[1])  # the stop is tuned anew, and the kind stays what it was chosen to be
    for one in (fit, fit.update(), again, again.update(), again.update(stop=[1], seed=3), fit.at(size=1).update()):
        assert one.model == named.model
        assert set(one.selection.tried()["kind"]) == {"conjunction", "disjunction"}
        pd.testing.assert_frame_equal(one.bound()[["tail_bound", "bound"]], half)
    assert "kind" not in again.update(kind=fit.model.kind).selection.tried()
    assert "kind" not in again.update(method="knn", k=3).selection.tried()


def tail(n, k, p):
    """P(at most k of n) in 60 digits, term by term."""
    term, total = (1 - p) ** n, Decimal(0)
    for j in range(k + 1):
        total += term
        term = term * (n - j) / (j + 1) * p / (1 - p)
    return total


@pytest.mark.parametrize(
    ("n", "k", "log_level"),
    [(20, 0, -3), (20, 19, -3), (100, 3, -3), (1000, 20, -229), (1000, 20, -231), (1000, 20, -690), (5000, 0, -900),
     (3000, 400, -2000), (60, 5, -400), (100_000, 20, -690)],
)  # fmt: skip
def test_the_inverted_tail_is_the_root_of_the_tail(n, k, log_level):
    getcontext().prec = 60
    level, low, high = Decimal(log_level).exp(), Decimal(k) / n, Decimal(1)
    for _ in range(50):  # bisection: the tail falls in p
        middle = (low + high) / 2
        low, high = (middle, high) if tail(n, k, middle) > level else (low, middle)
    assert float(tail_inverse(n, k, log_level)) == pytest.approx(float(low), rel=1e-9)


def test_the_inverted_tail_is_never_above_the_inequality_of_the_paper():
    draw = np.random.default_rng(0)
    m = np.concatenate([draw.integers(2, 60, 1500), draw.integers(60, 10**5, 60)])
    d2 = (m * draw.random(len(m)) ** 3).astype(int)
    d1, k = (d2 * draw.random(len(m)) / 2).astype(int), ((m - d2) * draw.random(len(m)) ** 3).astype(int)
    for delta in (0.05, 1e-9):
        b = compression_bound(m, d2, d1, k, delta)
        assert (b.tail <= b.value).all()
        assert (b.value <= b.simple + 1e-12).all()
        informative = b.value < 0.99
        assert (b.tail[informative] < b.value[informative]).all()
        assert (b.tail >= np.where(d2 < m, k / np.maximum(m - d2, 1), 1) - 1e-12)[k < m - d2].all()


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
