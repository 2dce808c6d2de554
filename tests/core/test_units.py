"""Weights as multiples of a unit, which are whole numbers and give the weights back."""

import numpy as np
import pytest

from protoclass.core.statistics.sums import COARSE, EXACT, in_units, units

WEIGHTS = {
    "whole": ([1.0, 2.0, 5.0], 1.0),
    "tenths": ([0.1, 0.25, 2.5], 1 / 20),
    "thirds": ([1 / 3, 2 / 3, 1.0], 1 / 3),
    "a fraction that is rounded": ([0.1, (0.1 + 0.2) * 2**20], 1 / 10),  # by more than 1e-12 of the smallest weight
    "the largest denominator": ([1 / COARSE, 1.0], 1 / COARSE),
    "whole beyond the exact": ([1.5 * EXACT, 1.0], None),
    "beyond the largest denominator": ([1 / (COARSE + 7), 1.0], None),
    "irrational": ([2**0.5, 3**0.5, 0.1], None),
    "fractions of a large sum": ([1 / 3, EXACT / 2], None),
    "a little beside a fraction": ([0.5 + 1e-9, 1.0], None),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_multiples_of_a_unit(name):
    weights, expected = WEIGHTS[name]
    w = np.array(weights)
    multiples, unit = units(w)
    assert (multiples == np.round(multiples)).all()
    assert np.abs(multiples * unit - w).max() <= 1e-12 * w.max()
    assert multiples.sum() <= 2 * EXACT
    if expected is None:  # a power of 2, so small that as many bits are kept as sums can have
        assert np.log2(unit) % 1 == 0
        assert EXACT / 2 <= w.sum() / unit <= EXACT * (1 + 1e-9)
    else:
        assert unit == expected


def test_as_many_different_fractions_as_a_common_denominator_may_have():
    values = np.arange(1, COARSE + 1) / 8
    assert units(values)[1] == 1 / 8
    assert units(np.append(values, COARSE / 8 + 1))[1] < 1 / 8


def test_a_cost_that_differs_from_a_whole_number_by_rounding():
    assert in_units(0.3, 0.1) == 3.0  # 0.3 / 0.1 is below 3
    assert in_units(2.5, 1.0) == 2.5
    assert in_units(1 + 1e-9, 1.0) == 1 + 1e-9
    assert in_units(1e6 + 1e-7, 1.0) == 1e6
    assert in_units(1e-13, 1.0) == 0.0
    assert in_units(1e-9, 1.0) == 1e-9
