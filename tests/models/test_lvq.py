"""Learning vector quantization against loops from the books, identities, and what its codebooks promise."""

import numpy as np
import pandas as pd
import pytest
import reference_lvq as slow

import protoclass as pc
from protoclass.core.vectors import lvq
from protoclass.core.vectors.lvq import (
    VARIANTS,
    Learning,
    choose_confirmed,
    draw_rows,
    neighbours_agree,
    shuffle_rows,
    train_codes,
)
from protoclass.models.lvq import LVQ


def problem(seed, n, p, q, draws, classes=3):
    draw = np.random.default_rng(seed)
    y = np.r_[
        np.arange(classes), draw.choice(classes, n - classes, p=np.arange(1, classes + 1) / classes / (classes + 1) * 2)
    ]
    X = draw.normal(size=(n, p)) + 0.7 * draw.normal(size=(classes, p))[y]
    label = np.sort(np.r_[np.arange(classes), draw.integers(0, classes, q - classes)])
    codes = draw.normal(size=(q, p))
    return X, y, codes, label, draw.integers(0, n, draws)


SHAPES = [(20, 1, 3, 50), (60, 7, 9, 333), (50, 30, 25, 130), (30, 3, 6, 1)]
SETTINGS = [
    ("lvq1", 0.03, {}),
    ("olvq1", 0.3, {}),
    ("lvq2.1", 0.1, {"window": 0.3}),
    ("lvq2.1", 0.4, {"window": 0.7}),
    ("lvq3", 0.1, {"window": 0.2, "damping": 0.3}),
    ("glvq", 0.5, {"steepness": 5.0}),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("variant", "alpha", "parameters"), SETTINGS)
def test_every_variant_equals_the_books_in_loops(variant, alpha, parameters, shape):
    for seed in range(3):
        X, y, codes, label, rows = problem(seed, *shape)
        got = train_codes(X, y, codes, label, rows, Learning(variant, alpha, **parameters))
        want = slow.learn(X, y, codes, label, rows, variant, alpha, **parameters)
        assert np.abs(want - codes).max() > 1e-4 or len(rows) == 1
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_single_precision_cannot_tell_apart_is_measured_again(variant):
    # code vectors of both classes closer together than single precision sees, on rows far from the origin
    for seed in range(4):
        X, y, _, _, rows = problem(seed, 30, 4, 3, 150, classes=2)
        draw = np.random.default_rng([seed, 1])
        codes = np.repeat(draw.normal(size=(3, 4)), 4, axis=0) + 1e-7 * draw.normal(size=(12, 4))
        label = np.repeat([0, 1], 6)
        codes = codes[draw.permutation(12)]
        for shift, size in ((0.0, 1.0), (1e4, 1.0), (0.0, 1e-30), (0.0, 1e30), (0.0, 1e200)):
            got = train_codes(X * size + shift, y, codes * size + shift, label, rows, Learning(variant, 0.05))
            want = slow.learn(X, y, codes, label, rows, variant, 0.05)
            np.testing.assert_allclose((got - shift) / size, want, rtol=0, atol=1e-9 if shift == 0 else 1e-7)


def test_of_code_vectors_equally_near_the_first_learns():
    X, y = np.array([[0.0, 0.0], [4.0, 0.0]]), np.array([0, 1])
    codes, label = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), np.array([0, 0, 1, 1])
    for variant in ("lvq1", "olvq1"):
        moved = train_codes(X, y, codes, label, np.array([0]), Learning(variant, 0.5)) != codes
        assert moved.any(axis=1).tolist() == [True, False, False, False]
    pair = train_codes(X, y, codes[[2, 0, 1]], label[[2, 0, 1]], np.array([0]), Learning("lvq2.1", 0.5))
    assert pair.tolist() == [[0.0, 1.5], [0.5, 0.0], [1.0, 0.0]]
    both = train_codes(X, y, codes, label, np.array([0]), Learning("lvq3", 0.5, damping=0.5))
    assert both.tolist() == [[0.75, 0.0], [0.75, 0.0], [0.0, 1.0], [-1.0, 0.0]]
    steps = train_codes(X, y, codes, label, np.array([0]), Learning("glvq", 0.1))
    assert (steps != codes).any(axis=1).tolist() == [True, False, True, False]


def test_olvq1_counts_all_rows_alike_that_it_gets_right():
    draw = np.random.default_rng(0)
    X = np.r_[draw.normal(size=(30, 3)), 100 + draw.normal(size=(20, 3))]
    y, rows = np.repeat([0, 1], [30, 20]), draw.integers(0, 50, 170)
    start = X[[0, 30]]
    got = train_codes(X, y, start, np.array([0, 1]), rows, Learning("olvq1", 0.3))
    for c in (0, 1):
        seen = X[rows[y[rows] == c]]
        np.testing.assert_allclose(got[c], (start[c] / 0.3 + seen.sum(axis=0)) / (1 / 0.3 + len(seen)), rtol=1e-12)


@pytest.mark.parametrize("steepness", [0.0, 3.0])
def test_a_step_of_glvq_goes_down_the_gradient_of_its_cost(steepness):
    for seed in range(6):
        X, y, codes, label, rows = problem(seed, 40, 3, 6, 1)

        def cost(flat, x, its, label=label, shape=codes.shape):
            d = ((flat.reshape(shape) - x) ** 2).sum(axis=1)
            own, other = d[label == its].min(), d[label != its].min()
            return slow.cost((own - other) / (own + other), steepness)

        flat, x, its = codes.ravel(), X[rows[0]], y[rows[0]]
        slope = [(cost(flat + h, x, its) - cost(flat - h, x, its)) / 2e-5 for h in 1e-5 * np.eye(flat.size)]
        step = train_codes(X, y, codes, label, rows, Learning("glvq", 0.01, steepness=steepness)) - codes
        # the gradient is 4 d / (d+ + d-)^2 (x - code), and the unit is the rows' mean d+ + d-
        unit = 0.01 * slow.mean_of_both(X, y, codes, label) / 4
        np.testing.assert_allclose(step.ravel(), -unit * np.array(slope), atol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_code_vector_is_pushed_out_of_sight(variant, monkeypatch):
    # a wide window and a high rate drive that of the small class off
    draw = np.random.default_rng(1)
    X, y = draw.normal(size=(60, 2)) + 5, np.repeat([0, 1], [55, 5])
    rows, start, label = draw.integers(0, 60, 600), X[[0, 59]], np.array([0, 1])
    window = 1 - 1e-9 if variant in ("lvq2.1", "lvq3") else 0.3
    how = Learning(variant, 0.9, window)
    mean, limit = slow.farthest(X)
    got = train_codes(X, y, start, label, rows, how)
    assert np.linalg.norm(got - mean, axis=1).max() <= limit * (1 + 1e-12)
    if variant == "lvq2.1":
        want = slow.learn(X, y, start, label, rows[:100], variant, 0.9, window)
        np.testing.assert_allclose(train_codes(X, y, start, label, rows[:100], how), want, rtol=1e-6)
        monkeypatch.setattr(lvq, "FAR", 1e100)
        assert np.abs(train_codes(X, y, start, label, rows, how)).max() > 1e6 * limit


def test_rows_are_drawn_by_their_weights():
    w = np.array([0.0, 1.0, 3.0, 0.0, 4.0, 0.0])
    share = np.bincount(draw_rows(w, 40_000, (0,)), minlength=6) / 40_000
    np.testing.assert_allclose(share, w / 8, atol=0.01)
    assert (share[w == 0] == 0).all()
    heavy = np.array([1.0, 2.0, 5.0])
    first = np.array([shuffle_rows(np.arange(3), heavy, (s,)) for s in range(4000)])
    np.testing.assert_allclose(np.bincount(first[:, 0]) / 4000, heavy / 8, atol=0.03)
    after = first[first[:, 0] == 2, 1]
    np.testing.assert_allclose(np.bincount(after)[:2] / len(after), [1 / 3, 2 / 3], atol=0.03)
    assert (np.sort(first, axis=1) == np.arange(3)).all()
    assert (draw_rows(w, 50, (3,)) == draw_rows(4 * w, 50, (3,))).all()


@pytest.mark.parametrize("neighbours", [1, 3, 5, 100])
def test_the_start_knn_against_loops(neighbours):
    for seed in range(6):
        draw = np.random.default_rng(seed)
        n = 25
        X = draw.integers(0, 5, (n, 2)).astype(float) if seed % 2 else draw.normal(size=(n, 2))
        y, w = draw.integers(0, 3, n), draw.integers(1, 4, n).astype(float)
        want = np.array([slow.agrees(X, y, w, i, neighbours, 3) for i in range(n)])
        assert (neighbours_agree(X, y, w, np.arange(n), neighbours, 3) == want).all()
        order = draw.permutation(n)
        right, wrong = order[want[order]], order[~want[order]]
        for wanted in (1, len(right), n):
            rows, lacking = choose_confirmed(X, y, w, order, wanted, neighbours, 3)
            assert rows.tolist() == np.r_[right, wrong][:wanted].tolist()
            assert lacking == max(0, wanted - len(right))


@pytest.mark.parametrize("variant", VARIANTS)
def test_degenerate_data(variant):
    draw = np.random.default_rng(0)
    cases = {
        "rows that repeat": pd.DataFrame({"x": np.repeat([0.0, 1.0, 2.0], 4), "z": 1.0, "y": list("aaab") * 3}),
        "all rows": pd.DataFrame(draw.normal(size=(6, 2)), columns=["x", "z"]).assign(y=list("ababab")),
        "few against many": pd.DataFrame(draw.normal(size=(90, 2)), columns=["x", "z"]).assign(y=["a"] * 89 + ["b"]),
    }
    for name, data in cases.items():
        for start in ("knn", "random", "kmeans"):
            K = 3 if name == "all rows" else 1
            fit = pc.fit("y ~ .", data, LVQ(K=K, variant=variant, start=start, alpha=0.5))
            assert np.isfinite(fit.rule.prototypes.coords).all(), name
            assert fit.predict().notna().all(), name
            held = fit.prototypes["assigned"] + fit.prototypes["misassigned"]
            assert fit.rule.report["code vectors nearest to no row"] == (held == 0).sum()
