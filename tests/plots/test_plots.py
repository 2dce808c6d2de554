"""Figures: the numbers that are drawn, and that every kind draws itself on Axes that are given."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.optimize import minimize

import protoclass as pc
from protoclass.core.proximity.sammon import sammon, stress
from protoclass.core.proximity.torgerson import torgerson
from protoclass.views import geometry, pictures, progress, solvers


def axes():
    return Figure(layout="constrained").subplots()


def outline(fit):
    return geometry.outline_balls(fit, geometry.make_plane(fit))


def test_each_kind_draws_on_the_axes_given(iris):
    fit = pc.fit("species ~ .", iris, cv=3)
    for kind in (None, "prototypes", "progress", "confusion", "validation"):
        ax = axes()
        assert fit.plot(kind, ax=ax) is ax
        assert ax.get_xlabel()
        assert ax.get_ylabel()
        ax.figure.canvas.draw()
    ax = axes()
    assert fit.validation.plot(ax=ax) is ax
    assert any("1-SE choice" in t.get_text() for t in ax.get_legend().get_texts())
    with pytest.raises(pc.OptionError, match="x='K'"):
        fit.validation.plot("K")
    with pytest.raises(pc.OptionError, match="colour"):
        fit.plot("progress", colour="red")


def test_the_plane_has_balls_of_the_radius_in_the_users_units(iris):
    fit = pc.fit("species ~ petal_length + petal_width", iris, eps=0.7)
    sd = iris[["petal_length", "petal_width"]].std(ddof=1).to_numpy()
    centers = fit.prototypes[["petal_length", "petal_width"]].to_numpy()
    for shape, center in zip(outline(fit), centers, strict=True):
        assert np.hypot(*((shape - center) / sd).T) == pytest.approx(0.7)
    city = pc.fit("species ~ petal_length + petal_width", iris, eps=0.7, dissimilarity="manhattan")
    shape, center = outline(city)[0], city.prototypes[["petal_length", "petal_width"]].to_numpy()[0]
    assert np.abs((shape - center) / sd).sum(axis=1) == pytest.approx(0.7)
    ranks = pc.fit("species ~ petal_length + petal_width", iris, eps=9.5, dissimilarity="ranks")
    assert len(outline(ranks)) == 0
    assert ranks.plot().get_xlabel() == "petal length"


def test_a_map_keeps_the_rows_of_a_ball_inside_its_circle(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    plane = geometry.make_plane(fit)
    rows, chosen = plane.rows, plane.locate(fit.rule.prototypes)
    D = pc.dissimilarity("species ~ .", iris).frame()[fit.prototypes.index].to_numpy()
    apart = np.hypot(*(rows[:, None] - chosen).transpose(2, 0, 1))
    assert (apart <= D + 1e-9).all()
    circles = geometry.outline_balls(fit, plane)
    assert len(circles) == len(fit.prototypes)
    assert np.hypot(*(circles - chosen[:, None]).transpose(2, 0, 1)) == pytest.approx(1.0)


def test_progress_is_the_gain_of_each_step(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    table = progress.list_gains(fit)
    assert table["gain"].tolist() == (fit.prototypes["covers"] - fit.prototypes["miscovers"]).tolist()
    assert table["covered"].iloc[-1] == pytest.approx(1 - fit.objective.uncovered / 150)


@pytest.mark.parametrize("method", ["pvm", "knn", "kmeans"])
def test_maps_of_mixed_given_and_large_data(method):
    data = pc.simulate_clinic(60, missing=0, seed=1)
    if method == "kmeans":
        assert pc.fit("outcome ~ age + ward + pulse", data, method, dissimilarity="euclidean", K=2).plot() is not None
        return
    knob = {"eps": 0.3} if method == "pvm" else {"k": 3}
    assert pc.fit("outcome ~ .", data, method, **knob).plot().get_title()
    D = pc.dissimilarity("outcome ~ .", data).frame()
    assert pc.fit("outcome ~ 1", data, method, dissimilarity=D, **knob).plot().get_title()
    wide = D.iloc[:, :20]
    assert pc.fit("outcome ~ 1", data, method, dissimilarity=wide, **knob).plot().get_title()


def test_two_knobs_and_one_point(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.5, 1.0, 2.0], lambda_=[0.1, 2.5], cv=3)
    assert len(v.table) == 6
    assert len(v.plot(ax=axes()).get_legend().get_texts()) >= 4
    one = pc.cross_validate("species ~ .", iris, eps=1.0, cv=3)
    assert len(one.table) == 1
    assert one.plot(ax=axes()).get_ylabel()


def test_many_classes_have_marks_of_their_own():
    from protoclass.plots.style import colour, mark

    assert len({(colour(k), mark(k)) for k in range(20)}) == 20


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


@pytest.fixture(scope="module")
def digits():
    data = pc.load_data("digits")
    return data.iloc[:500], data.iloc[500:700]


def test_pictures_of_prototypes_and_of_what_goes_wrong(digits):
    train, new = digits
    fit = pc.fit("digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=32.0)
    shape = (8, 8)
    first = fit.prototypes.index[0]
    assert (pictures.read_pixels(fit, fit.prototypes, shape)[0].ravel() == train.drop(columns="digit").loc[first]).all()
    figure = fit.plot("images", shape=shape, count=12)
    titles = [ax.get_title() for ax in figure.axes]
    row = fit.prototypes.iloc[0]
    assert titles[0] == f"{row['class']}: {row['covers']} ({row['miscovers']})"
    assert len([t for t in titles if t]) == 12
    wrong = fit.prototypes.index[fit.prototypes["miscovers"] > 0][0]
    assert len([t for t in (ax.get_title() for ax in fit.plot("miscovered", shape=shape).axes) if t]) == 1 + min(
        44, fit.prototypes.loc[wrong, "miscovers"]
    )
    for other in (fit.plot("misclassified", shape=shape, new=new, size=10), fit.plot("misclassified", shape=shape)):
        assert "nearest prototype" in other.axes[1].get_title()
        other.canvas.draw()
    ax = axes()
    assert fit.plot("map", ax=ax, shape=shape, count=20) is ax
    assert len(ax.artists) == 20
    for wrong_shape in (8, (8, 9), (8, -8), (8.0, 8)):
        with pytest.raises(pc.OptionError, match="shape="):
            fit.plot("images", shape=wrong_shape)
    with pytest.raises(pc.OptionError, match="shape"):
        fit.plot("images")
    with pytest.raises(pc.OptionError, match="several Axes"):
        fit.plot("images", ax=axes(), shape=shape)


def test_misclassified_rows_have_the_prototypes_that_the_rule_sees(digits):
    train, new = digits
    fit = pc.fit("digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=32.0)
    table, small = pictures.list_misclassified(fit, new, 10), fit.at(size=10)
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
        held = fit.ball(label)
        inside = D.index[D[label] < 1.0]
        assert sorted(held.index) == sorted(inside)
        assert held["distance"].is_monotonic_increasing
        assert held["first"].sum() == row["covers"]
        assert (~held["own"]).sum() == row["miscovers"]
        assert not (held["first"] & seen[held.index]).any()
        seen[held.index[held["own"]]] = True
    with pytest.raises(pc.OptionError, match="label of fit"):
        fit.ball("nobody")
    with pytest.raises(pc.NotAvailable, match="no balls"):
        pc.fit("species ~ .", iris, "knn", k=3).ball(0)


def test_paths_radii_solvers_and_sizes(iris):
    fit = pc.fit("species ~ petal_length + petal_width", iris, eps=0.5)
    ax = fit.plot("path", ax=axes(), new=iris, cv=3)
    assert [t.get_text() for t in ax.get_legend().get_texts()][1] == "held-out rows, +- 1 SE"
    figure = fit.plot("radii", eps=[0.2, 0.5, 1.0, 2.0])
    assert [a.get_title().split(":")[0] for a in figure.axes if a.get_title()] == [
        "eps = 0.2", "eps = 0.5", "eps = 1", "eps = 2",
    ]  # fmt: skip
    assert len(fit.plot("radii").axes) == 6
    table = solvers.compare_solvers(fit, [0.3, 0.8], ["greedy", "exact"])
    best = table.pivot(index="eps", columns="solver", values="objective")
    assert (best["exact"] <= best["greedy"]).all()
    assert (table["bound"] <= table["objective"] + 1e-9).all()
    assert best["greedy"].tolist() == [fit.update(eps=e).objective.value for e in (0.3, 0.8)]
    assert fit.plot("solvers", ax=axes(), eps=[0.3, 0.8]).get_ylabel()
    v = pc.cross_validate("species ~ .", iris)
    assert "size" in v.plot("size", ax=axes()).get_xlabel()
    for call in (lambda: fit.plot("solvers", solvers=["simplex"]), lambda: fit.plot("radii", eps=[-1.0])):
        with pytest.raises(pc.OptionError):
            call()
