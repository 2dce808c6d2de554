"""Tangent distance: least squares on single pairs, transformed copies, and the laws it keeps."""

import numpy as np
import pandas as pd
import pytest
from scipy.ndimage import affine_transform

import protoclass as pc
from protoclass.core.distances.tangent import DEPENDENT, TRANSFORMATIONS, _orthonormal, tangent_distances, tangents
from protoclass.metrics.tangent import Tangent


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


def test_bits_do_not_depend_on_direction_or_tiling():
    a, b = rep(blobs(70)), rep(blobs(90, seed=1))
    center = a[0].mean(axis=0)
    whole = tangent_distances(a, b, center)
    assert np.array_equal(whole, tangent_distances(b, a, center).T)
    rows = [tangent_distances((a[0][k : k + 11], a[1][k : k + 11]), b, center) for k in range(0, 70, 11)]
    assert np.array_equal(whole, np.concatenate(rows))
    points = [tangent_distances(a, (b[0][k : k + 13], b[1][k : k + 13]), center) for k in range(0, 90, 13)]
    assert np.array_equal(whole, np.concatenate(points, axis=1))
    assert (np.diag(tangent_distances(a, a, center)) == 0).all()


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


def test_thickness_takes_up_a_thicker_stroke():
    values = blobs(12, seed=4)
    slope = np.stack(np.gradient(values, axis=(1, 2)))
    thicker = values + 0.05 * (slope**2).sum(axis=0)
    a, b = rep(values, ("thickness",)), rep(thicker, ("thickness",))
    apart = np.linalg.norm(a[0] - b[0], axis=1)
    assert (np.diag(tangent_distances(a, b, a[0].mean(axis=0))) < 0.45 * apart).all()


@pytest.mark.long
def test_images_without_tangents_and_the_whole_way():
    flat = rep(np.ones((3, 8, 8)), side=8)
    assert np.isfinite(tangent_distances(flat, flat, flat[0][0] * 0)).all()
    digits = pc.load_data("digits")
    train, new = digits.iloc[:600], digits.iloc[600:900]
    metric = Tangent(shape=(8, 8))
    fit = pc.fit("digit ~ .", train, "knn", k=1, dissimilarity=metric)
    plain = pc.fit("digit ~ .", train, "knn", k=1, dissimilarity=pc.Euclidean(scale=False))
    assert fit.test(new).error < plain.test(new).error
    assert (fit.predict().astype(str) == train.digit.astype(str)).all()
    pvm = pc.fit("digit ~ .", train, eps=15.0, dissimilarity=metric)
    assert pvm.predict(train).tolist() == pvm.predict().tolist()
    assert "Tangent" in str(pvm.summary())
    v = pc.cross_validate("digit ~ .", train.head(200), eps=[10.0, 20.0], dissimilarity=metric, cv=3, repeats=1)
    assert v.table["error"].between(0, 1).all()
    with pytest.raises(pc.NoVectors):
        pc.fit("digit ~ .", train, "kmeans", K=2, dissimilarity=metric)


def test_wrong_images():
    digits = pc.load_data("digits").head(30)
    with pytest.raises(pc.DataError, match=r"Tangent\(shape=\(7, 9\)\) needs 63 pixels, but.*: use the shape of the"):
        pc.fit("digit ~ .", digits, eps=5.0, dissimilarity=Tangent(shape=(7, 9)))
    for parameters in ({"shape": 8}, {"shape": (8, 0)}, {"sigma": 0}, {"sigma": "a"}):
        with pytest.raises(pc.OptionError):
            Tangent(**parameters)
    table = pd.DataFrame(blobs(20).reshape(20, -1)).add_prefix("pixel").assign(y=list("ab") * 10)
    with pytest.raises(pc.DataError, match="scale the images down"):
        pc.fit("y ~ .", table.assign(pixel1=1e20), eps=1.0, dissimilarity=Tangent(shape=(20, 20)))


def test_tangents_that_others_span_are_left_out():
    basis = -np.random.default_rng(0).random((1, 3, 6))
    basis[0, 1] = 2 * basis[0, 0]
    _orthonormal(basis, DEPENDENT)
    assert (basis[0, 1] == 0).all()
    assert basis[0] @ basis[0].T == pytest.approx(np.diag([1.0, 0.0, 1.0]), abs=1e-12)
