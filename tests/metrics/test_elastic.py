"""Distances after deformations: series beside a recursion on each pair, images beside least squares."""

import numpy as np
import pandas as pd
import pytest
from reference_dtw import slow as slow_dtw
from scipy.ndimage import affine_transform

import protoclass as pc
from protoclass.core.distances.tangent import (
    DEPENDENT,
    TRANSFORMATIONS,
    _orthonormal,
    tangent_distances,
    tangents,
)
from protoclass.metrics.elastic import Tangent


@pytest.fixture(scope="module")
def series():
    """Waves of 9 to 16 steps, one step and 17 steps."""
    draw = np.random.default_rng(3)
    lengths = [*draw.integers(9, 17, 28).tolist(), 1, 17]
    up = np.arange(30) % 2 == 0
    waves = [np.sin(np.arange(n) * (0.9 if u else 0.5)) + draw.normal(0, 0.2, n) for n, u in zip(lengths, up, strict=True)]
    return waves, np.where(up, "fast", "slow")


def in_columns(waves, kinds):
    table = pd.DataFrame([[*wave, *[np.nan] * (17 - len(wave))] for wave in waves], [f"s{i}" for i in range(len(waves))])
    return table.add_prefix("t").assign(kind=kinds)


def in_lists(waves, kinds):
    cells = [wave if i % 3 == 0 else wave.tolist() if i % 3 == 1 else tuple(wave) for i, wave in enumerate(waves)]
    return pd.DataFrame({"wave": pd.Series(cells, dtype=object), "kind": kinds}).set_axis([f"s{i}" for i in range(len(waves))])


@pytest.mark.parametrize(("window", "r"), [(None, 2), (None, 1), (0, 2), (2, 1), (5, 2)])
def test_each_pair_is_measured_up_to_its_own_ends(series, window, r):
    waves, kinds = series
    expected = np.array([[slow_dtw(tuple(a), tuple(b), window, r) for b in waves] for a in waves])
    metric = pc.DTW(window=window, r=r)
    columns = pc.dissimilarity("kind ~ .", in_columns(waves, kinds), metric, na="keep").frame().to_numpy()
    np.testing.assert_allclose(columns, expected, rtol=1e-12, atol=1e-12)
    assert np.array_equal(columns, columns.T)
    assert np.array_equal(pc.dissimilarity("kind ~ wave", in_lists(waves, kinds), metric).frame().to_numpy(), columns)


def test_both_forms_give_the_same_fit_and_predict_longer_series(series, tmp_path):
    waves, kinds = series
    columns, lists = in_columns(waves, kinds).iloc[:29], in_lists(waves, kinds).iloc[:29]  # the longest is new
    fits = [
        pc.fit("kind ~ .", columns, "knn", k=[1, 3], dissimilarity=pc.DTW(window=[1, 4]), na="keep", cv=4),
        pc.fit("kind ~ wave", lists, "knn", k=[1, 3], dissimilarity=pc.DTW(window=[1, 4]), cv=4),
    ]
    pd.testing.assert_frame_equal(*(fit.validation.table for fit in fits))
    assert fits[0].predict().equals(fits[1].predict())
    longer, again = in_lists(waves, kinds).iloc[-3:], in_columns(waves, kinds).iloc[-3:]
    new = fits[1].predict(longer, "distance")
    assert new.equals(fits[0].predict(again, "distance"))
    for fit, rows in ((fits[0], again), (fits[1], longer)):
        fit.save(tmp_path / "fit.zip", overwrite=True)
        assert pc.load(tmp_path / "fit.zip").predict(rows, "distance").equals(new)


def test_a_lone_column_of_series_is_measured_by_dtw(series):
    waves, kinds = series
    fit = pc.fit("kind ~ wave", in_lists(waves, kinds), "knn", k=1)
    assert any(line.startswith("Distance") and line.endswith(" DTW") for line in str(fit).splitlines())
    v = pc.cross_validate("kind ~ wave", in_lists(waves, kinds), "knn", k=1, dissimilarity=pc.DTW(window="grid"))
    assert v.grid["window"].tolist() == [0, 1, 2, 3]  # shares of the 17 steps of the longest


def test_series_that_are_left_out_are_named(series):
    waves, kinds = series
    with pytest.warns(pc.DataWarning, match="29 series with missing values are left out: use na='keep'"):
        pc.dissimilarity("kind ~ .", in_columns(waves, kinds), pc.DTW())


@pytest.mark.parametrize(("change", "message"), [
    (lambda t: t.assign(t3=np.nan), "row 's0' lacks its first step, or a step before its last, but series"),
    (lambda t: t.assign(t0=t["t0"].where(t.index != "s0")), "row 's0' lacks its first step"),
    (lambda t: t.assign(t0=np.inf), "row 's0' has an infinite value"),
    (lambda t: t.assign(g="a"), r"na='keep' with DTW needs unchanged numeric columns, but the formula is 'kind ~ \.'"),
])  # fmt: skip
def test_gaps_within_a_series_are_refused(series, change, message):
    table = change(in_columns(*series))
    with pytest.raises(pc.errors.DataError, match=message):
        pc.fit("kind ~ .", table, "knn", k=1, dissimilarity=pc.DTW(), na="keep")


@pytest.mark.parametrize("cell", [["a"], [], [1.0, None], [[1.0, 2.0]], [1.0, np.nan], [1.0, np.inf]])
def test_cells_that_are_no_series_are_refused(series, cell):
    table = in_lists(*series)
    table.at["s4", "wave"] = cell
    with pytest.raises(pc.errors.DataError, match=r"'wave' at row 's4' must be a list of one or more finite numbers, not \["):
        pc.fit("kind ~ wave", table, "knn", k=1, dissimilarity=pc.DTW())


@pytest.mark.parametrize("arguments", [
    {"dissimilarity": "euclidean"}, {"dissimilarity": "gower"}, {"formula": "kind ~ wave + x"},
])  # fmt: skip
def test_series_beside_what_has_no_room_for_them(series, arguments):
    table = in_lists(*series).assign(x=1.0)
    with pytest.raises(pc.errors.DataError, match=r"column 'wave' contains series .*pc.DTW\(\)"):
        pc.fit(**{"formula": "kind ~ wave", "data": table, "method": "knn", "k": 1, **arguments})


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("window", [None, 0, 2])
def test_channels_are_aligned_together(power, window):
    draw = np.random.default_rng(4)
    waves = [draw.normal(size=(n, 3)) for n in (1, 4, 9, 6, 5)]

    def recursion(a, b):
        gap = np.abs(a[:, None] - b) ** power
        widest, cost = max(np.inf if window is None else window, abs(len(a) - len(b))), np.full((len(a) + 1, len(b) + 1), np.inf)
        cost[0, 0] = 0
        for i, j in np.ndindex(gap.shape[:2]):
            if abs(i - j) <= widest:
                cost[i + 1, j + 1] = gap[i, j].sum() + min(cost[i, j + 1], cost[i + 1, j], cost[i, j])
        return cost[-1, -1] ** (1 / power)

    expected = [[recursion(a, b) for b in waves] for a in waves]
    for cells in (waves, [wave.tolist() for wave in waves]):
        d = pc.dissimilarity("~ wave", pd.DataFrame({"wave": cells}), pc.DTW(window=window, r=power)).frame()
        np.testing.assert_allclose(d, expected)
        assert (d == d.T).all(axis=None)


def test_rows_with_another_number_of_channels_are_refused(tmp_path):
    draw = np.random.default_rng(5)
    data = pd.DataFrame({"wave": [draw.normal(k // 6, 1, (draw.integers(3, 9), 2)) for k in range(12)], "kind": ["a"] * 6 + ["b"] * 6})
    fit = pc.fit("kind ~ wave", data, eps=3.0)
    fit.save(tmp_path / "fit.proto")
    assert pc.load(tmp_path / "fit.proto").predict(data).equals(fit.predict(data))
    for cell in (np.ones((4, 3)), np.ones(4)):
        with pytest.raises(pc.errors.DataError, match=r"series of new rows need the channels of the others, \(2,\)"):
            fit.predict(pd.DataFrame({"wave": [cell]}))
    with pytest.raises(pc.errors.DataError, match=r"'wave' at row 1 must be a list .* as many channels in each row"):
        pc.dissimilarity("~ wave", pd.DataFrame({"wave": [np.ones((3, 2)), np.ones(3)]}), "dtw")


def blobs(n, side=20, seed=0):
    """Images of some soft spots of both signs, well inside the border."""
    draw = np.random.default_rng(seed)
    out, at = np.zeros((n, side, side)), np.arange(side)
    for image in out:
        for weight in draw.normal(size=5) * 4:
            y, x = draw.uniform(0.35 * side, 0.65 * side, 2)
            image += weight * np.exp(-((at[:, None] - y) ** 2 + (at - x) ** 2) / 8)
    return out


def rep(values, which=TRANSFORMATIONS, side=20):
    flat = values.reshape(len(values), -1)
    return flat.astype(np.float32), tangents(flat, (side, side), 0.9, 0.0, which)


def slow(x, A, y, B):
    """Residual of the least-squares fit of x - y by the tangents."""
    M = np.concatenate([A, B]).T.astype(float)
    e = x.astype(float) - y
    return np.linalg.norm(e - M @ np.linalg.lstsq(M, e, rcond=None)[0])


@pytest.mark.parametrize("which", [TRANSFORMATIONS, ("x",), ("rotation", "thickness", "x")])
def test_it_equals_least_squares_on_single_pairs(which):
    a, b = rep(blobs(9), which), rep(blobs(70, seed=1), which)
    center = b[0].mean(axis=0)
    two = tangent_distances(a, b, center)
    for i in range(9):
        for j in range(0, 70, 7):
            assert two[i, j] == pytest.approx(slow(a[0][i], a[1][i], b[0][j], b[1][j]), rel=5e-4)
    apart = np.linalg.norm(a[0][:, None] - b[0][None], axis=2)
    assert (two <= apart + 1e-4).all()


def moved(image, name, size):
    """A copy of an image under a small transformation."""
    matrix, shift, middle = np.eye(2), np.zeros(2), (np.array(image.shape) - 1) / 2
    if name in ("x", "y"):
        shift = np.array([0.0, size]) if name == "x" else np.array([size, 0.0])
    matrix = {
        "scale": np.eye(2) * (1 + size), "rotation": np.array([[1, -size], [size, 1]]),
        "hyperbolic": np.diag([1 - size, 1 + size]), "diagonal": np.array([[1, size], [size, 1]]),
    }.get(name, matrix)  # fmt: skip
    return affine_transform(image, matrix, middle - matrix @ middle + shift, order=3)


@pytest.mark.parametrize(
    ("name", "size"),
    [("x", 0.5), ("y", 0.5), ("scale", 0.05), ("rotation", 0.07), ("hyperbolic", 0.05), ("diagonal", 0.05)],
)
def test_a_slightly_moved_copy_is_near(name, size):
    values = blobs(12, seed=3)
    copies = np.stack([moved(image, name, size) for image in values])
    a, b = rep(values), rep(copies)
    apart = np.linalg.norm(a[0] - b[0], axis=1)
    near = np.diag(tangent_distances(a, b, a[0].mean(axis=0)))
    assert (near < 0.35 * apart).all()
    without = tuple(t for t in TRANSFORMATIONS if t != name)
    less = np.diag(tangent_distances(rep(values, without), rep(copies, without), a[0].mean(axis=0)))
    assert np.median(less) > np.median(near)


def test_wrong_images():
    digits = pc.load_data("digits").head(30)
    with pytest.raises(pc.errors.DataError, match=r"Tangent\(shape=\(7, 9\)\) needs 63 pixels, but.*: use the shape of the"):
        pc.fit("digit ~ .", digits, eps=5.0, dissimilarity=Tangent(shape=(7, 9)))
    for parameters in ({"shape": 8}, {"shape": (8, 0)}, {"sigma": 0}, {"sigma": "a"}):
        with pytest.raises(pc.errors.OptionError):
            Tangent(**parameters)
    table = pd.DataFrame(blobs(20).reshape(20, -1)).add_prefix("pixel").assign(y=list("ab") * 10)
    with pytest.raises(pc.errors.DataError, match="scale the images down"):
        pc.fit("y ~ .", table.assign(pixel1=1e160), eps=1.0, dissimilarity=Tangent(shape=(20, 20)))


def test_tangents_that_others_span_are_left_out():
    basis = -np.random.default_rng(0).random((1, 3, 6))
    basis[0, 1] = 2 * basis[0, 0]
    _orthonormal(basis, DEPENDENT)
    assert (basis[0, 1] == 0).all()
    assert basis[0] @ basis[0].T == pytest.approx(np.diag([1.0, 0.0, 1.0]), abs=1e-12)
