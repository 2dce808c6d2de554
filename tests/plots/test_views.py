"""The numbers of pictures, without matplotlib; and that every fit has a picture."""


import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.embedding import torgerson
from protoclass.pictures import curve, plane
from protoclass.pictures.coverage import find_members
from protoclass.tables.words import list_shown

PETALS = "species ~ petal_length + petal_width"


def unlabelled(iris):
    return pc.fit("species ~ .", iris.iloc[::2], eps=1.0, candidates=pc.candidates.unlabelled(iris.iloc[1::2]))


def wide(iris, prefix=""):
    D = pc.dissimilarity("species ~ .", iris).frame().iloc[:, ::5]
    return pc.fit("species ~ 1", iris, dissimilarity=D.add_prefix(prefix) if prefix else D, eps=1.0)


FITS = {
    "unlabelled": unlabelled,
    "centroids as candidates": lambda iris: pc.fit("species ~ .", iris, eps=1.0, candidates=pc.candidates.kmeans(6, only=True)),
    "centroids beside rows": lambda iris: pc.fit("species ~ .", iris, eps=1.0, candidates=pc.candidates.kmeans(6)),
    "kmeans": lambda iris: pc.fit("species ~ .", iris, "kmeans", K=2),
    "lvq": lambda iris: pc.fit("species ~ .", iris, "lvq", K=2),
    "mixture": lambda iris: pc.fit("species ~ .", iris, "mixture", K=2, starts=1, cv=None),
    "hyperplane": lambda iris: pc.fit("species ~ .", iris, "hyperplane", C=1.0),
    "knn": lambda iris: pc.fit("species ~ .", iris, "knn", k=3),
    "adaptive": lambda iris: pc.fit("species ~ .", iris, "knn", k=3, dissimilarity=pc.Adaptive()),
    "quadratic": lambda iris: pc.fit("species ~ .", iris, eps=3.0, dissimilarity=pc.QDA()),
    "discriminants in the plane": lambda iris: pc.fit(PETALS, iris, eps=0.7, dissimilarity=pc.LDA(ridge=0)),
    "stumps": lambda iris: pc.fit(
        "species ~ .", iris, "scm", features="stumps", penalty=2.0, max_size=2, kind="conjunction"
    ),
    "n x m": wide,
    "n x m without rows": lambda iris: wide(iris, "c"),
}


@pytest.mark.parametrize("name", FITS)
def test_every_fit_has_the_places_of_its_explorer(iris, name):
    pytest.importorskip("matplotlib")
    from protoclass.widgets.prototypes import PrototypeExplorer

    fit = FITS[name](iris)
    ax = fit.plot(**({"x": "map"} if name == "stumps" else {}))  # whose own picture is its rule in words
    explorer = PrototypeExplorer(fit)
    if explorer.exception:
        raise explorer.exception
    table = explorer.table
    for k in range(len(fit.classes)):
        drawn = np.asarray(ax.collections[k + (len(ax.collections) - _marks(fit, ax))].get_offsets())
        rows = table[(table["what"] == "row") & (table["class"] == fit.classes[k])]
        assert drawn == pytest.approx(rows[["x", "y"]].to_numpy(), abs=1e-9)
    shown = explorer._plane().locate(fit.rule.prototypes)[list_shown(fit)] if len(fit.rule.prototypes) else np.empty((0, 2))
    known = shown[np.isfinite(shown).all(axis=1)]
    dots = np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections if len(c.get_offsets())])
    assert all(np.abs(dots - spot).max(axis=1).min() < 1e-9 for spot in known)
    if len(known) < len(shown):
        assert "not on the map" in ax.get_title()


def _marks(fit, ax):
    """Collections from the first class's rows on."""
    first = next(i for i, c in enumerate(ax.collections) if c.get_label().strip() == str(fit.classes[0]))
    return len(ax.collections) - first


def test_a_map_of_all_rows_is_classical_scaling(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    flat = plane.make_plane(fit)
    where = fit.dissimilarity.map(2).to_numpy()
    assert flat.rows == pytest.approx(where)
    assert flat.locate(fit.rule.prototypes) == pytest.approx(where[fit.prototypes.index])
    adaptive = FITS["adaptive"](iris)
    D = adaptive.dissimilarity.frame().to_numpy()
    assert plane.make_map(adaptive).rows == pytest.approx(torgerson((D + D.T) / 2, 2))


def test_a_map_of_some_rows_has_the_places_of_the_map_of_all(iris, monkeypatch):
    monkeypatch.setattr(plane, "LANDMARKS", 40)
    fit = pc.fit("species ~ .", iris, eps=1.0)
    every, some = plane.make_map(fit), plane.make_map(fit, rows=np.arange(0, 150, 7))
    known = np.isfinite(some.rows).all(axis=1)
    assert known[::7].all()
    assert not known.all()
    assert some.rows[known] == pytest.approx(every.rows[known])


def fit_in_one_dimension(name):
    if name == "LDA":
        return pc.fit("diagnosis ~ .", pc.load_data("breast_cancer"), dissimilarity=pc.LDA(), eps=1.0)
    iris = pc.load_data("iris")
    if name == "predictor":
        return pc.fit("species ~ petal_width", iris, "kmeans", K=2, dissimilarity="euclidean")
    width = iris["petal_width"].to_numpy()
    D = pd.DataFrame(abs(np.subtract.outer(width, width)))
    return pc.fit("species ~ 1", iris, dissimilarity=D, eps=0.3)


@pytest.mark.parametrize("landmarks", [40, 1000])
@pytest.mark.parametrize("name", ["LDA", "predictor", "matrix"])
def test_distances_of_one_dimension_have_no_second_axis(name, landmarks, monkeypatch):
    monkeypatch.setattr(plane, "LANDMARKS", landmarks)
    fit = fit_in_one_dimension(name)
    flat = plane.make_map(fit)
    spots = np.concatenate([flat.rows, flat.locate(fit.rule.prototypes)])
    assert abs(spots).max() <= fit.dissimilarity.frame().to_numpy().max()
    assert abs(spots[:, 1]).max() <= 0.2 * np.ptp(flat.rows[:, 0])
    assert flat.axes[1].startswith("no second axis")


def test_planes_have_both_orders_and_axes_that_are_checked(iris):
    fit = pc.fit(PETALS, iris, eps=0.5)
    flat, other = plane.make_plane(fit), plane.make_plane(fit, "petal_width", "petal_length")
    assert flat.of_metric
    assert other.swapped
    assert (flat.rows == other.rows[:, ::-1]).all()
    assert plane.outline_balls(fit, flat) == pytest.approx(plane.outline_balls(fit, other)[:, :, ::-1])
    assert fit.plot(x="petal_width", y="petal_length").get_xlabel() == "petal width"
    assert fit.plot(x="map").get_ylabel().startswith("second axis of the map")
    same = plane.make_plane(fit, "petal_width", "petal_width")
    assert (same.rows[:, 0] == same.rows[:, 1]).all()
    for x, y in (("species", "petal_width"), ("petal_width", None), ("petal_width", "map")):
        with pytest.raises(pc.errors.OptionError, match="petal_length"):
            plane.make_plane(fit, x, y)


def test_rows_with_nothing_in_common_have_no_map(iris, monkeypatch):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    between = type(fit.dissimilarity.metric).between
    missing = lambda self, rows, candidates: np.full_like(between(self, rows, candidates), np.nan)  # noqa: E731
    monkeypatch.setattr(type(fit.dissimilarity.metric), "between", missing)
    for draw in (lambda: plane.make_map(fit), lambda: plane.map_prototypes(fit, 9)):
        with pytest.raises(pc.errors.DataError, match="no observed variable in common"):
            draw()


@pytest.mark.parametrize(
    "name", ["mixture", "kmeans", "lvq", "unlabelled", "centroids as candidates", "centroids beside rows"]
)
def test_prototypes_that_are_not_rows_have_a_sammon_map(iris, name):
    fit = FITS[name](iris)
    spots = plane.map_prototypes(fit, 50)
    assert spots.index.tolist() == fit.prototypes.index.tolist()
    assert np.isfinite(spots[["x", "y"]]).all(axis=None)
    assert spots.attrs["stress"] < 0.1
    with pytest.raises(pc.errors.NotAvailableError, match="not rows of the data"):
        plane.map_prototypes(wide(iris, "c"), 50)


def test_regions_are_what_the_fit_predicts(iris):
    fit = pc.fit(PETALS, iris, eps=0.5)
    for axes in ((), ("petal_width", "petal_length")):
        along, above, codes = plane.divide_plane(fit, plane.make_plane(fit, *axes), 20)
        x, y = axes or ("petal_length", "petal_width")
        across, up = np.meshgrid(along, above)
        predicted = fit.predict(pd.DataFrame({x: across.ravel(), y: up.ravel()}))
        assert predicted.cat.codes.tolist() == codes.ravel().tolist()
        for name, places in ((x, along), (y, above)):
            assert places[0] < iris[name].min() < iris[name].max() < places[-1]


def test_infinite_balls_have_no_outline(iris):
    from dataclasses import replace

    fit = pc.fit(PETALS, iris, eps=0.5)
    points = replace(fit.rule.prototypes, radii=np.where(np.arange(len(fit.prototypes)) == 1, np.inf, 1.0))
    other = replace(fit, rule=replace(fit.rule, prototypes=points))
    outlines = plane.outline_balls(other, plane.make_plane(other))
    assert len(outlines) == len(points)
    assert np.isnan(outlines).all(axis=(1, 2)).tolist() == [k == 1 for k in range(len(outlines))]
    assert 1 not in find_members(other, np.arange(3)).prototypes


def test_curves_have_lines_and_positions(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.5, 1.0, 2.0], lambda_=[0.1, 1.0, 2.5], cv=3, dissimilarity="euclidean", repeats=1)
    lines = v.plot("eps").containers
    assert [line.get_label() for line in lines] == ["lambda_ = 0.1", "lambda_ = 1", "lambda_ = 2.5"]
    assert all(line.lines[0].get_xdata().tolist() == [0.5, 1.0, 2.0] for line in lines)
    assert curve.mark_points(v, 5)["mark"][5].startswith("chosen")
    for wrong in ("K", ("eps", "eps"), ("eps", "K")):
        with pytest.raises(pc.errors.OptionError, match="tuned parameters"):
            curve.check_axis(v, wrong)
    inf, ticks = curve.place_values(pd.Series([1.0, np.inf, 2.0]))
    assert (inf.tolist(), ticks) == ([0.0, 2.0, 1.0], ["1", "2", "inf"])
