"""The objective from its definition, and what a certificate says of a gap."""

import numpy as np
import pytest

from protoclass.core.setcover.problems import Certificate, Objective, objective


def test_the_objective_row_by_row():
    random = np.random.default_rng(0)
    for _ in range(20):
        n, q = random.integers(1, 9), random.integers(0, 5)
        inside, y, classes = random.random((n, q)) < 0.4, random.integers(0, 3, n), random.integers(0, 3, q)
        w = random.integers(1, 4, n).astype(float)
        uncovered = sum(w[i] for i in range(n) if not any(inside[i, j] and classes[j] == y[i] for j in range(q)))
        wrong = sum(w[i] for i in range(n) for j in range(q) if inside[i, j] and classes[j] != y[i])
        found = objective(inside, classes, y, w, 0.25)
        assert found == Objective(uncovered, wrong, q, 0.25)
        assert found.value == uncovered + wrong + 0.25 * q


def certificate(objective, bound, **more):
    proof = more.pop("proof", ("LP",) * len(bound))
    return Certificate(np.array(objective, float), np.array(bound, float), proof, **more)


@pytest.mark.parametrize(
    ("objective", "bound", "gap", "words"),
    [
        ([2, 3], [2, 3], 0.0, "optimal (proved by linear relaxation)"),
        ([5 + 4e-9], [5], 0.0, "optimal"),  # up to 1e-9 of the objective, or of 1
        ([0.1 + 5e-10], [0.1], 0.0, "optimal"),
        ([5, 6], [5, 5], 0.1, "at most 10 % above the optimum (bound 10 by linear relaxation)"),
        ([1001], [1], 1000.0, "at most 100,000 % above"),
        ([1], [0], np.inf, "at most inf % above"),
    ],
)
def test_the_gap(objective, bound, gap, words):
    found = certificate(objective, bound)
    assert found.gap == pytest.approx(gap, rel=1e-6)
    assert repr(found).startswith(words)


def test_a_certificate_in_other_units_and_without_its_prices():
    found = certificate([4.0], [3.0], over="the 50 candidates", prices=np.array([1.0, 2.0]))
    half = found.scaled(0.5)
    assert half.objective.tolist() == [2.0]
    assert half.bound.tolist() == [1.5]
    assert half.prices.tolist() == [0.5, 1.0]
    bare = found.without_prices()
    assert bare.prices is None
    assert repr(bare) == repr(found)
    assert repr(found) == "at most 33 % above the optimum over the 50 candidates (bound 3 by linear relaxation)"
    assert bare.scaled(2.0).prices is None
