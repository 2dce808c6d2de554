"""Parts of the set cover of one class, beside slow versions that go row by row."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

from protoclass.core.setcover.program import (
    Program,
    dual_bound,
    improve_cover,
    ratio,
    round_up,
    step_of,
    unite_draws,
)


def random_program(seed, a=6, b=8):
    random = np.random.default_rng(seed)
    covers = random.random((a, b)) < 0.4
    cost = random.integers(1, 7, a) / 2 + random.integers(0, 2, a)
    return Program(cost, random.integers(1, 4, b).astype(float), csr_array(covers.astype(float)), 0.5), covers


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_of_row_prices(seed):
    program, covers = random_program(seed)
    y = np.random.default_rng(seed).normal(1.0, 2.0, 8)
    allowed = [min(max(v, 0.0), p) for v, p in zip(y, program.prize, strict=True)]
    reduced = [program.cost[j] - sum(allowed[i] for i in range(8) if covers[j, i]) for j in range(6)]
    value, found = program.bound(y)
    assert found == pytest.approx(reduced)
    assert value == pytest.approx(sum(allowed) + sum(min(0.0, r) for r in reduced))


@pytest.mark.parametrize("seed", range(5))
def test_one_sweep_raises_each_price_as_far_as_its_candidates_allow(seed):
    """Rows with fewest candidates first, of equal ones the first."""
    program, covers = random_program(seed)
    slack, y = program.cost.copy(), np.zeros(8)
    for i in sorted(range(8), key=lambda i: (covers[:, i].sum(), i)):
        y[i] = min([program.prize[i], *slack[covers[:, i]]])
        slack[covers[:, i]] -= y[i]
    bound = dual_bound(program, 0)
    assert bound.y.tolist() == y.tolist()
    assert bound.value == y.sum()
    assert dual_bound(program).value >= bound.value


@pytest.mark.parametrize("seed", range(12))
def test_single_changes_in_turn_until_none_lowers_the_objective(seed):
    program, _ = random_program(seed)
    start = np.random.default_rng(seed).random(6) < 0.5
    chosen, moved = start.copy(), True
    while moved:
        moved = False
        for j in range(6):
            other = chosen.copy()
            other[j] = not other[j]
            if program.objective(other) < program.objective(chosen) - 1e-9:
                chosen, moved = other, True
    before = start.copy()
    assert improve_cover(program, start).tolist() == chosen.tolist()
    assert (start == before).all()


@pytest.mark.parametrize("seed", range(12))
def test_least_cost_for_what_is_newly_covered(seed):
    program, covers = random_program(seed)
    chosen, left = np.zeros(6, bool), np.ones(8, bool)
    while True:
        new = np.array([program.prize[covers[j] & left].sum() for j in range(6)])
        prices = [c / w if w > 0 and not taken else np.inf for c, w, taken in zip(program.cost, new, chosen, strict=True)]
        best = int(np.argmin(prices))
        if prices[best] >= 1:
            break
        chosen[best] = True
        left &= ~covers[best]
    assert ratio(program).tolist() == chosen.tolist()


def test_multiples_of_a_step_up_to_rounding():
    assert round_up(2.3, 0.0) == 2.3
    assert round_up(np.array([2.3, 2.5, 2.5 + 1e-10, 2.5 + 1e-8, -0.2]), 0.5).tolist() == [2.5, 2.5, 2.5, 3.0, 0.0]
    assert round_up(4000.0 + 1e-6, 1.0) == 4000.0  # 1e-9 of large bounds
    assert round_up(4000.0 + 1e-5, 1.0) == 4001.0
    assert round_up(1e-10, 1.0) == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_the_union_of_draws(seed):
    """Twice the logarithm of the number of rows, rounded up, are drawn; a union is checked, and drawn again."""
    program, covers = random_program(seed)
    x = np.random.default_rng(seed).random(6) / 2
    rounds = 2 * np.log(8)
    slack = [max(0.0, 1 - x[covers[:, i]].sum()) for i in range(8)]
    for bound in (1.0, 4.0, 1e9):
        random, tries = np.random.default_rng((seed, 1)), 0
        while True:
            tries += 1
            chosen = [random.random() < 1 - (1 - v) ** 5 for v in x]
            out = [random.random() < 1 - (1 - s) ** 5 for s in slack]
            total = program.cost[chosen].sum() + program.prize[out].sum()
            passed = (covers[chosen].any(axis=0) | out).all() and total <= rounds * bound + 1e-9
            if passed or tries == 7:
                break
        found = unite_draws(program, x, (seed, 1), bound, cap=7)
        assert (found[0].tolist(), *found[1:]) == (chosen, passed, tries)


def test_the_step_of_fractions():
    for cost, step in ((0.0, 1.0), (3.0, 1.0), (2.5, 0.5), (1 / 3, 1 / 3), (7 / 150, 1 / 150), (np.pi, 0.0), (1e-7, 0.0)):
        assert step_of(cost) == pytest.approx(step)


def test_the_solver_prints_nothing():
    """In a process of its own, as highspy 1.16 prints its banner once."""
    code = "from protoclass.core.setcover.program import quiet_solver; quiet_solver().run()"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == ""
