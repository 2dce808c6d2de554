"""Figures: the numbers that are drawn, and that every kind draws itself on Axes that are given."""

from inspect import signature

import numpy as np
import pandas as pd
import pytest
from looks import contrast
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform

import protoclass as pc
from protoclass.core.embedding import axis_shares, sammon, stress, torgerson
from protoclass.pictures import KINDS, images, plane, prototypes
from protoclass.pictures.style import GREY, WRONG, colour, luminance
from protoclass.values import load


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris"), cv=3, dissimilarity="euclidean", repeats=1)


def axes():
    return Figure(layout="constrained").subplots()


def outline(fit):
    return plane.outline_balls(fit, plane.make_plane(fit))


NEEDED = {"new": 50, "shape": (2, 2)}  # options without a default


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_draws_on_the_axes_given(fit, kind):
    parameters = signature(load(KINDS[kind])).parameters
    options = {name: NEEDED[name] for name, p in parameters.items() if name != "fit" and p.default is p.empty and name in NEEDED}
    ax = axes()
    try:
        drawn = fit.plot(kind, **({"ax": ax} if "ax" in parameters else {}), **options)
    except pc.errors.NotAvailableError:
        assert kind in ("rule", "weights")  # of other methods and metrics
        return
    if "ax" not in parameters:
        assert drawn.axes
        return
    assert drawn is ax
    assert ax.get_xlabel()
    assert ax.get_ylabel() or ax.get_yticklabels()
    ax.figure.canvas.draw()


def test_the_curve_of_a_validation(fit):
    ax = axes()
    assert fit.validation.plot(ax=ax) is ax
    assert any("1-SE choice" in t.get_text() for t in ax.get_legend().get_texts())
    with pytest.raises(pc.errors.OptionError, match=r"x must be .*not 'K'"):
        fit.validation.plot("K")
    with pytest.raises(pc.errors.OptionError, match="colour"):
        fit.plot("path", colour="red")


def test_ranks_have_no_shapes_of_balls(iris):
    ranks = pc.fit("species ~ petal_length + petal_width", iris, eps=9.5, dissimilarity="ranks")
    assert len(outline(ranks)) == 0
    ax = ranks.plot(ax=axes())
    assert ax.get_xlabel() == "petal length"
    assert len(lines_of(ax)) == sum(len(ranks.why(prototype=label)) for label in ranks.prototypes.index[:60])


def lines_of(ax):
    """The lines to rows that a picture draws, their two ends (k, 2, 2)."""
    drawn = [c.get_segments() for c in ax.collections if isinstance(c, LineCollection) and len(c.get_segments())]
    return np.concatenate(drawn) if drawn else np.empty((0, 2, 2))


def rings_of(ax):
    return np.concatenate([c.get_offsets() for c in ax.collections if c.get_label() == "wrongly covered"] or [np.empty((0, 2))])


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("pvm", {"eps": 1.0}), ("pvm", {"eps": [0.8, 1.0], "repeats": 3, "dissimilarity": "euclidean"}), ("knn", {"cv": 5, "k": 5}),
    ],
)  # fmt: skip
def test_red_rings_are_the_misclassified_rows(iris, method, options):
    """Held out where the fit was cross-validated, also around prototypes; nothing else is red, and the title counts them."""
    fit = pc.fit("species ~ .", iris, method, progress=False, **options)
    ax, truth = fit.plot(ax=axes(), x="petal_length", y="petal_width"), iris["species"]
    if fit._curve is None:
        wrong, when = fit.predict() != truth, "in training"
    else:
        held = fit.validation.held_out[fit._selection.point].astype(object)
        if held.index.nlevels > 1:
            held = held.unstack(level=0).mode(axis=1)[0].loc[iris.index]
        wrong, when = held != truth, "held out"
    red = [c for c in ax.collections if len(c.get_edgecolor()) and to_hex(c.get_edgecolor()[0]).upper() == WRONG]
    assert [c.get_label() for c in red] == [f"misclassified {when}"]
    spots = iris.loc[wrong, ["petal_length", "petal_width"]].to_numpy()
    assert np.allclose(np.sort(red[0].get_offsets(), axis=0), np.sort(spots, axis=0))
    assert f"{wrong.sum()} of 150 rows misclassified" in ax.get_title().replace("\n", " ")
    assert red[0].get_zorder() == max(c.get_zorder() for c in ax.collections)


@pytest.mark.parametrize(
    ("formula", "name", "eps", "axes_of"),
    [
        ("cultivar ~ .", "wine", 2.5, {}),
        ("species ~ .", "iris", 1.0, {"x": "petal_length", "y": "sepal_width"}),
    ],
)
def test_lines_lead_to_the_rows_in_the_balls_and_rings_are_around_the_wrong_ones(formula, name, eps, axes_of):
    """Against `D < eps` of a matrix: every line that is drawn is a pair, and every pair of the first 60 prototypes has a line."""
    data = pc.load_data(name)
    fit = pc.fit(formula, data, eps=eps)
    ax = fit.plot(ax=axes(), **axes_of)
    assert not [line for line in ax.lines if len(line.get_xdata()) > 2]  # no circle
    first = fit.prototypes.index[:60]
    inside = (pc.dissimilarity(formula, data).frame()[first] < eps).to_numpy()
    drawn_in = plane.make_plane(fit, **axes_of)
    spots = drawn_in.locate(fit.rule.prototypes)[:60]
    row, place = np.nonzero(inside)
    wanted = np.concatenate([spots[place], drawn_in.rows[row]], axis=1)
    drawn = lines_of(ax).reshape(-1, 4)
    assert sorted(map(tuple, drawn.round(9))) == sorted(map(tuple, wanted.round(9)))
    stands_for, own = fit.prototypes["class"].astype(str)[:60], data[fit.frame.formula.response].astype(str)
    wrong = inside & (own.to_numpy()[:, None] != stands_for.to_numpy())
    assert wrong.any()
    assert sorted(map(tuple, rings_of(ax).round(9))) == sorted(map(tuple, drawn_in.rows[wrong.any(axis=1)].round(9)))
    assert not len(lines_of(fit.plot(ax=axes(), balls=False, **axes_of)))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", pc.Minkowski(3), "mahalanobis"])
def test_shapes_of_balls_are_true(iris, metric):
    """A place just inside the outline is nearer than the radius, one just outside is not, as the fit itself measures."""
    fit = pc.fit("species ~ petal_length + petal_width", iris, eps=0.7, dissimilarity=metric)
    flat = plane.make_plane(fit)
    centres = flat.locate(fit.rule.prototypes)
    for shape, centre, label in zip(plane.outline_balls(fit, flat), centres, fit.prototypes.index, strict=True):
        for share, inside in ((0.999, True), (1.001, False)):
            places = pd.DataFrame(centre + share * (shape - centre), columns=["petal_length", "petal_width"])
            new = places.set_axis([f"at {k}" for k in range(len(places))])
            query = fit._query(new)[0]
            far = query.dissimilarities(fit.rule.prototypes)[:, fit.prototypes.index.get_loc(label)]
            assert ((far < 0.7) == inside).all()
    assert not len(lines_of(fit.plot(ax=axes())))
    assert not len(plane.outline_balls(fit, plane.make_plane(fit, "map")))


def test_lines_are_so_many_at_most_and_the_legend_says_of_how_many_prototypes(iris, monkeypatch):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    monkeypatch.setattr(prototypes, "PAIRS", 100)
    ax = fit.plot(ax=axes())
    held = np.cumsum([len(fit.why(prototype=label)) for label in fit.prototypes.index])
    count = max(1, int((held <= 100).sum()))
    assert len(lines_of(ax)) == held[count - 1]
    assert f"(the first {count})" in ax.get_legend().get_texts()[-1].get_text()


def test_a_rule_of_features_is_said_instead_of_a_map_without_prototypes(iris):
    data = pc.load_data("breast_cancer")
    fit = pc.fit("diagnosis ~ .", data, "scm", features="stumps", kind="disjunction", penalty=2.0, max_size=3)
    ax = fit.plot(ax=axes())
    table = fit.tidy()
    assert [t.get_text() for t in ax.get_yticklabels()] == table["rule"].tolist()
    assert [bar.get_width() for bar in ax.patches] == [*table["q"], *table["r"]]
    assert "3 features" in ax.get_title()
    assert fit.plot(ax=axes(), x="map").get_title().startswith("3 features in words; ")
    several = pc.fit("species ~ .", iris, "scm", features="stumps", kind="disjunction", penalty=2.0, max_size=3)
    names = [t.get_text() for t in several.plot().get_yticklabels()]
    assert names == [f"{m}: {r}" for m, r in several.tidy()[["machine", "rule"]].to_numpy()]


def test_plots_of_a_fit_that_predicts_no_held_out_row():
    data = pd.DataFrame({"id": list("abcdefgh"), "y": list("uvuvvuvu")})
    fit = pc.fit("y ~ id", data, eps=[0.8, 1.2], dissimilarity="euclidean", cv=2)
    assert "0 of 0" in fit.plot("confusion", ax=axes()).get_title()
    with pytest.raises(pc.errors.DataError, match="no held-out row has dissimilarities to all prototypes"):
        fit.plot("path", ax=axes())


def test_twelve_colours_are_seen_on_light_and_dark_paper_and_stay_apart_for_those_who_lack_a_kind_of_cones():
    """In CIE Lab, as they are and as dichromats see them (matrices of Machado, Oliveira and Fernandes 2009, severity 1)."""
    from protoclass.ground.options import COLOURS

    for ground in ("white", "#111111", "black"):
        assert min(contrast(c, ground) for c in (*COLOURS, WRONG, GREY)) >= 3, ground
    srgb = np.array([to_rgb(c) for c in (*COLOURS, WRONG, "#FFFFFF")])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    grey = 116 * np.cbrt([luminance(c) for c in COLOURS]) - 16  # in print without colour
    for count, least in ((3, 8), (4, 5), (8, 2)):
        assert np.diff(np.sort(grey[:count])).min() > least
    seen = {
        "all": np.eye(3),
        "no green cones": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        "no blue cones": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
        "no red cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    }
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
    for who, matrix in seen.items():
        xyz = (linear @ np.array(matrix).T).clip(0, 1) @ to_xyz.T / [0.95047, 1.0, 1.08883]
        f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
        lab = np.column_stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])])
        apart = np.linalg.norm(lab[:, None] - lab, axis=2) + 999 * np.eye(len(lab))
        assert apart[:12, :12].min() > (29 if who == "all" else 16.9), who
        assert apart[12, :12].min() > (30 if who == "all" else 0), who  # the ring has a shape of its own


def test_sammon_finds_a_minimum_of_its_stress():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(12, 4)) * 100
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    D[0, 1] = D[1, 0] = 0
    found = sammon(D, 2)
    assert stress(found, D) < stress(torgerson(D, 2), D)
    slow = minimize(
        lambda flat: stress(flat.reshape(12, 2), D), found.ravel(), method="Powell", options={"maxiter": 20}
    )
    assert slow.fun > stress(found, D) * 0.999
    pairs = [(D[i, j], np.hypot(*(found[i] - found[j]))) for i in range(12) for j in range(i) if D[i, j] > 0]
    assert stress(found, D) == pytest.approx(sum((a - d) ** 2 / a for a, d in pairs) / sum(a for a, _ in pairs))
    flat = np.hypot(*(X[:, None, :2] - X[None, :, :2]).transpose(2, 0, 1))
    assert stress(sammon(flat, 2), flat) < 1e-8
    assert (sammon(np.zeros((3, 3)), 2) == 0).all()


def test_shares_of_axes_are_those_of_the_eigenvalues():
    draw = np.random.default_rng(1)
    X = draw.normal(size=(15, 4)) * [4.0, 2.0, 1.0, 0.5]
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    spread = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    assert axis_shares(torgerson(D, 2), D) == pytest.approx(spread[:2] / spread.sum())
    assert axis_shares(torgerson(D, 4), D).sum() == pytest.approx(1.0)
    D = draw.random((9, 9)) * (1.0 - np.eye(9))
    D, J = D + D.T, np.eye(9) - 1 / 9
    values = np.linalg.eigvalsh(-J @ D**2 @ J / 2)
    assert values.min() < 0  # no points have such distances
    assert axis_shares(torgerson(D, 2), D) == pytest.approx(values[::-1][:2] / np.abs(values).sum())
    assert axis_shares(torgerson(1e6 * D, 2), 1e6 * D) == pytest.approx(axis_shares(torgerson(D, 2), D))


def test_maps_say_how_much_of_the_dissimilarities_they_show(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    X = (iris.drop(columns="species") / iris.drop(columns="species").std(ddof=1)).to_numpy()
    spread = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    ax = fit.plot(ax=axes())
    assert f"{100 * spread[0] / spread.sum():.1f} % of the squared dissimilarities" in ax.get_xlabel().replace("\n", " ")
    D, d = squareform(fit.dissimilarity.frame().to_numpy()), pdist(fit.dissimilarity.map(2))
    sammons = ((D - d)[D > 0] ** 2 / D[D > 0]).sum() / D.sum()
    assert ax.get_ylabel() == f"second axis of the map: {100 * spread[1] / spread.sum():.1f} %; stress {sammons:.3g}"
    spots = plane.map_prototypes(fit, 99)
    assert f"stress {spots.attrs['stress']:.2g}" in fit.plot("map", ax=axes()).get_title()
    wide = pc.fit("species ~ 1", iris, dissimilarity=fit.dissimilarity.frame().iloc[:, ::5].add_prefix("c"), eps=1.0)
    assert "of the variance" in wide.plot(ax=axes()).get_xlabel()


def test_lines_of_balls_leave_the_marks_of_rows_to_be_seen():
    """Of a picture without its marks the ground at the places of the rows, in thousands of lines: each class stands out from it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import PathCollection

    data = pc.load_data("breast_cancer")
    fit = pc.fit("diagnosis ~ .", data, eps=6.4)
    ax = fit.plot(ax=Figure(figsize=(6.4, 4.8)).subplots())
    for artist in [*ax.collections, *ax.get_children()]:
        artist.set_visible(not isinstance(artist, PathCollection) and artist.get_visible())
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    ground = np.asarray(canvas.buffer_rgba())[::-1, :, :3] / 255
    assert len(lines_of(ax)) > 1000
    at = ax.transData.transform(plane.make_plane(fit).rows).astype(int)
    for k in range(2):
        own = at[fit.frame.codes == k]
        found = [contrast(colour(k), ground[y, x]) for x, y in own]
        assert min(found) > 2.0
        assert np.mean(np.array(found) < contrast(colour(k), ax.get_facecolor()) - 0.1) > 0.2  # lines were there


@pytest.fixture(scope="module")
def digits():
    data = pc.load_data("digits")
    return data.iloc[:500], data.iloc[500:700]


def test_pictures_of_prototypes_and_of_what_goes_wrong(digits):
    train, new = digits
    fit = pc.fit("digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=32.0)
    shape = (8, 8)
    first = fit.prototypes.index[0]
    assert (images.read_pixels(fit, fit.prototypes, shape)[0].ravel() == train.drop(columns="digit").loc[first]).all()
    figure = fit.plot("images", shape=shape, n=12)
    titles = [text.get_text() for text in figure.axes[0].texts]
    assert titles == [f"{row['class']}: {row['newly_covered']} ({row['miscovered']})" for _, row in fit.prototypes.head(12).iterrows()]
    for image, pixels in zip(figure.axes[0].images, images.read_pixels(fit, fit.prototypes, shape), strict=False):
        assert (image.get_array() == pixels).all()
    assert len(figure.axes[0].images) == 12
    for other in (fit.plot("misclassified", shape=shape, new=new, size=10), fit.plot("misclassified", shape=shape)):
        assert "nearest prototype" in [text.get_text() for text in other.axes[0].texts]
        other.canvas.draw()
    ax = axes()
    assert fit.plot("map", ax=ax, shape=shape, n=20) is ax
    assert len(ax.artists) == 20
    for wrong_shape in (8, (8, 9), (8, -8), (8.0, 8)):
        with pytest.raises(pc.errors.OptionError, match=r"shape(=| must be)"):
            fit.plot("images", shape=wrong_shape)
    with pytest.raises(pc.errors.OptionError, match="shape"):
        fit.plot("images")
    with pytest.raises(pc.errors.OptionError, match="several Axes"):
        fit.plot("images", ax=axes(), shape=shape)


def test_misclassified_rows_have_the_prototypes_that_the_rule_sees(digits):
    train, new = digits
    fit = pc.fit("digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=32.0)
    table, small = images.list_misclassified(fit, new, 10), fit.at(size=10)
    some, full = small.predict(new), fit.predict(new)
    wrong = (some.astype(str) != new.digit.astype(str)) & (full.astype(str) == new.digit.astype(str))
    assert table.index.tolist() == new.index[wrong].tolist()
    X = train.drop(columns="digit")
    for label, row in table.head(10).iterrows():
        apart = ((small.prototypes[X.columns] - new.loc[label, X.columns]) ** 2).sum(axis=1)
        assert row["nearest"] == apart.idxmin()
        own = apart[small.prototypes["class"].astype(str) == str(row["truth"])]
        assert (pd.isna(row["right"]) and own.empty) or row["right"] == own.idxmin()
        assert row["full"] == ((fit.prototypes[X.columns] - new.loc[label, X.columns]) ** 2).sum(axis=1).idxmin()


def test_a_ball_holds_what_the_definition_says(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    D = pc.dissimilarity("species ~ .", iris).frame()
    seen = pd.Series(False, iris.index)
    for label, row in fit.prototypes.iterrows():
        held = fit.why(prototype=label)
        inside = D.index[D[label] < 1.0]
        assert sorted(held.index) == sorted(inside)
        assert held["distance"].is_monotonic_increasing
        assert held["first"].sum() == row["newly_covered"]
        assert (~held["same_class"]).sum() == row["miscovered"]
        assert not (held["first"] & seen[held.index]).any()
        seen[held.index[held["same_class"]]] = True
    with pytest.raises(pc.errors.OptionError, match="label of fit"):
        fit.why(prototype="nobody")
    with pytest.raises(pc.errors.NotAvailableError, match="no balls"):
        pc.fit("species ~ .", iris, "knn", k=3).why(prototype=0)


def test_confusion_shades_errors_alone_and_has_recall_and_precision(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0, cv=5)
    counts = fit.validation.confusion(fit._selection.point).to_numpy()
    ax = fit.plot("confusion", ax=axes())
    ground = ax.images[0].get_array()
    plain = np.abs(ground - np.array(to_rgb(ax.get_facecolor()))).max(axis=2) < 0.01
    np.testing.assert_array_equal(plain, (np.eye(3) > 0) | (counts == 0))
    assert {(x, y, float(text.get_text())) for text in ax.texts for x, y in [text.get_position()]} == {
        (j, i, counts[i, j]) for i, j in np.argwhere(counts)
    }
    for axis, over in ((ax.yaxis, 1), (ax.xaxis, 0)):
        shares = [float(text.get_text().rstrip(")").split("(")[1]) for text in axis.get_ticklabels()]
        np.testing.assert_allclose(shares, np.diag(counts) / counts.sum(axis=over), atol=0.0006)
    wrong = counts.sum() - np.trace(counts)
    assert f"Error {100 * wrong / 150:.1f} % ({wrong:g} of 150 held-out rows)" in ax.get_title()
    small = fit.plot("confusion", ax=Figure(figsize=(2.4, 1.8)).subplots())
    assert len(small.texts) == (counts > 0).sum()
    assert [text.get_text() for text in small.get_yticklabels()] == list(fit.classes)  # no recall


def held_out(ax):
    return [line.get_ydata() for line in ax.lines if str(line.get_label()).startswith("held-out")]


def test_paths_have_the_held_out_error_by_the_folds_of_the_fit(iris):
    fit = pc.fit("species ~ .", iris, eps=[0.8, 1.0], cv=4, seed=3, dissimilarity="euclidean", repeats=1)
    (drawn,) = held_out(fit.plot("path", ax=axes()))
    np.testing.assert_array_equal(drawn, fit.path(cv=4)["cv_error"].iloc[1:])
    assert not np.array_equal(drawn, fit.path(cv=10)["cv_error"].iloc[1:])
    pd.testing.assert_frame_equal(fit.path(cv="same"), fit.path(cv=4))
    assert held_out(fit.plot("path", ax=axes(), cv=None)) == []
    alone = pc.fit("species ~ .", iris.iloc[:101], eps=1.0, cv=None)
    assert held_out(alone.plot("path", ax=axes())) == []
    with pytest.raises(pc.errors.OptionError, match="class 'virginica' has one:"):
        alone.plot("path", ax=axes(), cv=5)
