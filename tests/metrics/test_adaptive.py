"""Discriminant adaptive distances against the formulas in loops."""

import numpy as np
import pytest
from scipy.linalg import sqrtm

import protoclass as pc
from protoclass.core.neighbours.dann import local_distances, local_factors
from protoclass.metrics.learned import Adaptive


def slow(z, X, y, K, epsilon, ridge):
    """Sigma at a point, as the book writes it."""
    near = np.argsort(((X - z) ** 2).sum(axis=1), kind="stable")[:K]
    N, labels = X[near], y[near]
    p = X.shape[1]
    W, B = np.zeros((p, p)), np.zeros((p, p))
    for c in np.unique(labels):
        own = N[labels == c]
        for row in own:
            W += np.outer(row - own.mean(axis=0), row - own.mean(axis=0)) / K
        B += len(own) / K * np.outer(own.mean(axis=0) - N.mean(axis=0), own.mean(axis=0) - N.mean(axis=0))
    W += ridge * np.trace(W) / p * np.eye(p)
    root = np.linalg.inv(np.real(sqrtm(W)))
    return root @ (root @ B @ root + epsilon * np.eye(p)) @ root, W


@pytest.mark.parametrize("ridge", [0.0, 0.3, 1.0])
def test_it_equals_the_formulas_in_loops(ridge):
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(60, 3)), draw.integers(0, 3, 60)
    Z = draw.normal(size=(5, 3))
    F = local_factors(Z, X, y, 3, 20, 0.7, ridge, 1)
    D = local_distances(X, Z, F)
    for j in range(5):
        sigma, _ = slow(Z[j], X, y, 20, 0.7, ridge)
        assert F[j] @ F[j].T == pytest.approx(sigma, rel=1e-8)
        for i in range(0, 60, 9):
            assert D[i, j] == pytest.approx(np.sqrt((X[i] - Z[j]) @ sigma @ (X[i] - Z[j])))


def test_iterations_look_along_the_boundary():
    draw = np.random.default_rng(2)
    X = draw.uniform(-1, 1, (300, 2))
    y = (X[:, 0] > 0).astype(int)
    once, twice = (local_factors(np.zeros((1, 2)), X, y, 2, 40, 1.0, 0.1, k)[0] for k in (1, 2))
    for F in (once, twice):
        sigma = F @ F.T
        assert sigma[0, 0] > 2 * sigma[1, 1]
    assert not np.allclose(once, twice)


def test_wrong_parameters(iris):
    for parameters in (
        {"neighborhood": 1},
        {"neighborhood": 2.5},
        {"epsilon": 0},
        {"ridge": -1},
        {"iterations": 0},
        {"scale": "fold"},
    ):
        with pytest.raises(pc.OptionError):
            Adaptive(**parameters)
    with pytest.raises(pc.DataError, match="neighborhood=151 needs as many training rows, but there are 150: use a smaller one"):
        pc.fit("species ~ .", iris, eps=1.0, dissimilarity=Adaptive(neighborhood=151))
    with pytest.raises(pc.DataError, match="has no response: use 'response ~ predictors'"):
        pc.dissimilarity("~ sepal_length", iris, Adaptive())
