"""Figures: the numbers that are drawn, and that every kind draws itself on Axes that are given."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import protoclass as pc
from protoclass.plots import progress, prototypes


def axes():
    return Figure(layout="constrained").subplots()


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
    for (_, shape), center in zip(
        prototypes.outlines(fit), fit.prototypes[["petal_length", "petal_width"]].to_numpy(), strict=True
    ):
        assert np.hypot(*((shape - center) / sd).T) == pytest.approx(0.7)
    city = pc.fit("species ~ petal_length + petal_width", iris, eps=0.7, dissimilarity="manhattan")
    shape, center = prototypes.outlines(city)[0][1], city.prototypes[["petal_length", "petal_width"]].to_numpy()[0]
    assert np.abs((shape - center) / sd).sum(axis=1) == pytest.approx(0.7)
    ranks = pc.fit("species ~ petal_length + petal_width", iris, eps=9.5, dissimilarity="ranks")
    assert prototypes.outlines(ranks) == []
    assert ranks.plot().get_xlabel() == "petal length"


def test_a_map_keeps_the_rows_of_a_ball_inside_its_circle(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    rows, chosen = prototypes.scaled(fit)
    D = pc.dissimilarity("species ~ .", iris).frame()[fit.prototypes.index].to_numpy()
    apart = np.hypot(rows.x.to_numpy()[:, None] - chosen.x.to_numpy(), rows.y.to_numpy()[:, None] - chosen.y.to_numpy())
    assert (apart <= D + 1e-9).all()
    assert len(prototypes.circles(fit, chosen)) == len(fit.prototypes)


def test_progress_is_the_gain_of_each_step(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    table = progress.steps(fit)
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
    with pytest.raises(pc.NotAvailable, match="a map needs"):
        pc.fit("outcome ~ 1", data, method, dissimilarity=wide, **knob).plot()


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
