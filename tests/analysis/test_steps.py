"""Paths of greedy, closed balls, the ratio greedy, and set cover without classes."""

import itertools

import numpy as np
import pandas as pd
import pytest

import protoclass as pc


@pytest.fixture(scope="module")
def halves(iris):
    train = iris.sample(frac=0.6, random_state=1)
    return train, iris.drop(train.index)


def test_the_path_equals_fits_at_every_lambda(halves):
    train, new = halves
    fit = pc.fit("species ~ .", train, eps=0.8, lambda_=0.0)
    table = fit.path(new)
    assert len(table) == len(fit.prototypes) + 1
    for lam in (0.01, 0.5, 1.0, 2.5, 6.0, 1000.0):
        slow = pc.fit("species ~ .", train, eps=0.8, lambda_=lam)
        fast = fit.at(lambda_=lam)
        assert fast.prototypes.equals(slow.prototypes)
        assert fast.objective == slow.objective
        row = table[(table["lambda_low"] <= lam) & (lam < table["lambda_high"])]
        assert row["size"].tolist() == [len(slow.prototypes)]
        assert row["training_error"].iloc[0] == pytest.approx(slow.training_error)
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
    learned = fit.update(candidates=pc.kmeans(2)).path(cv=fold)
    assert learned["cv_error"].between(0, 1).all()
    with pytest.raises(pc.OptionError, match="cv must be a number of folds >= 2, 'auto', 'loo', custom folds or None, not 1"):
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
        with pytest.raises(pc.OptionError):
            fit.at(**wrong)
    for bad in (new.assign(species="q"), new.assign(petal_width=np.nan), new.iloc[:0]):
        with pytest.raises(pc.DataError, match=r"classes that were not in the training data: 'q'|no row has both"):
            fit.path(bad)
    with pytest.raises(pc.NotAvailable, match="step by step"):
        pc.fit("species ~ .", train, "knn", k=3).path()
    with pytest.raises(pc.NotAvailable, match="step by step"):
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


@pytest.mark.parametrize("seed", range(8))
def test_the_ratio_greedy_equals_loops(seed):
    draw = np.random.default_rng(seed)
    D = draw.integers(0, 8, (20, 20)) * (1.0 - np.eye(20))
    data = pd.DataFrame({"y": np.r_[0, 1, draw.integers(0, 2, 18)]})
    for eps, lam in itertools.product((1.0, 2.0, 4.0), (0.05, 0.7)):
        fit = pc.fit("y ~ 1", data, dissimilarity=D, eps=eps, lambda_=lam, solver="ratio", certify=True)
        got = sorted(zip(fit.prototypes.index, fit.rule.prototypes.classes.tolist(), strict=True))
        assert got == slow_ratio(D, data.y.to_numpy(), eps, lam, np.ones(20))
        assert fit.certificate.bound.sum() <= fit.objective.value + 1e-9
