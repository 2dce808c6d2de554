"""Relative margins against their definition row by row, and ties."""

import numpy as np

from protoclass.core.statistics.scores import relative_margins, with_largest


def test_margins_are_those_of_the_definition():
    D = np.random.default_rng(0).integers(0, 5, (200, 3)).astype(float)
    D[::9, 1], D[::13] = np.inf, np.inf
    found = relative_margins(D)
    for d, margins in zip(D, found, strict=True):
        for c in range(3):
            own, other = d[c], min(d[k] for k in range(3) if k != c)
            if own == other:
                expected = 0.0
            elif np.isinf(own):
                expected = -1.0
            else:
                expected = 1.0 if np.isinf(other) else (other - own) / (other + own)
            assert margins[c] == expected
    assert (found.argmax(axis=1) == D.argmin(axis=1)).all()  # ties included: the first


def test_margins_of_distances_whose_sum_overflows():
    assert relative_margins(np.array([[1.7e308, 1.6e308]])).round(3).tolist() == [[-0.03, 0.03]]


def test_the_predicted_class_has_the_largest_value():
    values = np.array([[0.5, 0.5, 0.0], [0.2, 0.7, 0.1], [-np.inf, -np.inf, -np.inf]])
    out = with_largest(values, np.array([1, 1, 2]))
    assert out.argmax(axis=1).tolist() == [1, 1, 2]
    assert np.isfinite(out).all()
    np.testing.assert_allclose(out[:2], values[:2])
