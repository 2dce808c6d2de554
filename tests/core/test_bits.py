"""Bits of rows in words of 64, beside Python's integers."""

import numpy as np

from protoclass.core.setcover.coded_balls import count_new, one_of_each, pack, popcount, weigh_new, words


def as_rows(bits):
    return [i for i in range(64 * len(bits)) if int(bits[i // 64]) >> (i % 64) & 1]


def test_words_of_64_bits():
    assert [words(n) for n in (0, 1, 64, 65, 128, 129)] == [0, 1, 1, 2, 2, 3]


def test_the_number_of_bits():
    random = np.random.default_rng(0)
    numbers = [*random.integers(0, 2**64, 60, np.uint64), *(np.uint64(1) << np.arange(64, dtype=np.uint64))]
    for x in [*numbers, np.uint64(0), np.uint64(2**64 - 1)]:
        assert popcount(x) == int(x).bit_count()


def test_new_rows_and_their_weight():
    random = np.random.default_rng(1)
    bits, covered = random.integers(0, 2**64, (3, 2), np.uint64), random.integers(0, 2**64, 2, np.uint64)
    w = random.integers(1, 9, 128).astype(float)
    for a in range(3):
        new = sorted(set(as_rows(bits[a])) - set(as_rows(covered)))
        assert count_new(bits[None], 0, a, covered) == len(new)
        assert weigh_new(bits[None], 0, a, covered, w) == w[new].sum()


def test_the_rows_of_each_group():
    group = np.random.default_rng(2).integers(-1, 3, 130)
    found = one_of_each(group, 3)
    assert found.shape == (3, 3)
    assert [as_rows(line) for line in found] == [np.flatnonzero(group == g).tolist() for g in range(3)]


def test_each_pair_stands_in_the_ring_of_its_radius():
    """Pairs of smaller radii in the first ring, of larger ones in none."""
    codes = np.random.default_rng(3).integers(0, 6, (4, 70)).astype(np.uint8)
    line_at, column_at = np.array([3, 1]), np.arange(69, -1, -1)
    lines, places = np.array([0, 2]), np.arange(70)
    out = np.zeros((2, 3, 2), np.uint64)
    pack(codes, (line_at, column_at), lines, places, 2, out)
    for s, line in enumerate(line_at):
        code = codes[line][column_at]
        assert as_rows(out[0, lines[s]]) == np.flatnonzero(code <= 2).tolist()
        assert as_rows(out[1, lines[s]]) == np.flatnonzero(code == 3).tolist()
    assert not out[:, 1].any()
