"""The explorers, driven through their traits, their controls and clicks; no browser."""

import io
import re
import threading
import time

import comm
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image
from traitlets import TraitError

import protoclass as pc
from protoclass.analysis.steps import path
from protoclass.fitting import explore
from protoclass.views.coverage import measure_coverage
from protoclass.views.geometry import outline_balls
from protoclass.views.members import find_members
from protoclass.widgets import base, explore_fit, explore_validation
from protoclass.widgets.curve import CurveExplorer
from protoclass.widgets.prototypes import PrototypeExplorer

RAW = pc.Euclidean(scale=False)


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris"))


@pytest.fixture
def curve(fit):
    return CurveExplorer(fit.validation)


@pytest.fixture
def explorer(fit):
    return PrototypeExplorer(fit)


def text(html):
    """What a page shows of HTML."""
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", html))


def pixels(explorer):
    return np.asarray(Image.open(io.BytesIO(explorer.picture.png)))


def choose(explorer, point):
    """Choose a point on what the page draws, as the front end says it: a row of the grid or of the map, -1 for none."""
    explorer.picture._handle_custom_msg({"kind": "select", "point": int(point)}, [])


def fine(explorer):
    if explorer.exception is not None:
        raise explorer.exception
    return not explorer.alert


# the error curve


def test_point_parameter_and_slider_move_together(curve, fit):
    grid = fit.validation.grid["eps"].tolist()
    assert (curve.point, curve.eps) == (fit.point, fit.model.eps)
    curve.point = 3
    assert (curve.eps, curve.sliders["eps"].index) == (grid[3], 3)
    curve.eps = grid[7]
    assert (curve.point, curve.sliders["eps"].index) == (7, 7)
    curve.sliders["eps"].index = 12
    assert (curve.point, curve.eps) == (12, grid[12])
    curve.eps = float(f"{grid[5]:.4g}")  # as it is printed
    assert (curve.point, curve.eps) == (5, grid[5])
    assert fine(curve)
    for wrong in (99.0, "large", True):
        with pytest.raises(pc.OptionError, match="its slider has"):
            curve.eps = wrong
    with pytest.raises(pc.OptionError, match="row of `table`, 0 to 19"):
        curve.point = 20
    assert curve.point == 5


def test_what_stands_beside_the_curve_is_that_of_the_point(curve, fit):
    v = fit.validation
    for point in (2, 15):
        before = curve.picture.png
        curve.point = point
        assert curve.picture.png != before
        row, said = v.table.iloc[point], text(curve._facts.value)
        for value in (f"{row['error']:.4f} ± {row['se']:.4f}", f"{row['cover_error']:.4f}", f"{v.no_information:.4f}"):
            assert value in said
        counts = fit.update(eps=row["eps"]).prototypes["class"].value_counts(sort=False)
        assert ", ".join(f"{level}: {n}" for level, n in counts.items()) in said
        assert curve.confusion.equals(v.confusion(point))
        cells = [int(n) for n in re.findall(r"<td[^>]*>(\d+)</td>", curve._confusion.value)]
        assert cells == v.confusion(point).to_numpy().ravel().tolist()
        assert curve.table["mark"].tolist()[point].startswith("chosen")
        assert f"{row['error']:.4f}" in curve.picture.alt
    assert curve.table.drop(columns="mark").equals(v.table)
    assert curve.table["mark"][v.best] == "least error"
    assert set(re.findall('scope="(row|col)"', curve._confusion.value)) == {"row", "col"}


def test_a_point_that_the_page_chooses_is_the_one(curve, fit):
    for point in (0, 4, 19):
        choose(curve, point)
        assert curve.point == point
        assert curve.eps == fit.validation.table["eps"][point]
    assert fine(curve)
    choose(curve, 20)  # as no page of ours sends it
    assert "point=20: a row of `table`, 0 to 19" in curve.alert
    assert curve.point == 19


def test_use_this_is_the_fit_at_the_point(curve, fit):
    assert curve.fit is None
    with pytest.raises(TraitError, match="read-only"):
        curve.fit = fit
    curve.button.click()
    assert curve.fit.prototypes.equals(fit.prototypes)
    curve.point = 17
    assert "the fit at eps = 0.995" in text(curve._facts.value)
    curve.use()
    assert curve.fit.point == 17
    assert curve.fit.prototypes.equals(pc.fit("species ~ .", fit.call.data, eps=curve.eps).prototypes)
    assert curve.fit.validation is fit.validation


@pytest.mark.parametrize(
    ("method", "knobs"),
    [
        ("pvm", {"eps": [0.5, 1.0, 2.0], "lambda_": [0.5, 2.5]}),
        ("scm", {"penalty": [1.0, 2.0, float("inf")], "stop": [1, 2, 4]}),
        ("knn", {}),
        ("kmeans", {"K": [1, 2, 3]}),
        ("hyperplane", {"C": [0.1, 1.0, 10.0]}),
        ("pvm", {"eps": 1.0}),
    ],
)
def test_every_methods_grid_has_its_sliders(iris, method, knobs):
    v = pc.cross_validate("species ~ .", iris, method, cv=3, **knobs)
    e = CurveExplorer(v)
    axes = {k: v.grid[k].unique().tolist() for k in v.grid if v.grid[k].nunique() > 1}
    assert list(e.sliders) == list(axes)
    for name, values in axes.items():
        for i in (0, len(values) - 1):
            e.sliders[name].index = i
            assert getattr(e, name) == values[i]
            chosen = v.grid.iloc[e.point]
            assert all(chosen[k] == getattr(e, k) for k in axes)
    e.use()
    assert fine(e)
    wanted = {k: v.grid[k].tolist()[e.point] for k in v.grid}
    assert all(e.fit.parameters()[k] == value for k, value in wanted.items())
    same = pc.fit("species ~ .", iris, method, **{**knobs, **wanted})
    assert e.fit.predict().equals(same.predict())
    assert "explorer.fit the fit at" in text(e._facts.value)


def test_a_heat_map_shows_the_errors_at_the_other_knobs(iris):
    v = pc.cross_validate("species ~ .", iris, "scm", penalty=[1.0, 2.0, 8.0], stop=[1, 2, 3, 4, 5], cv=3)
    e = CurveExplorer(v)
    for kind in ("disjunction", "conjunction"):
        e.kind = kind
        part = v.table[v.table["kind"] == kind]
        wanted = part.pivot(index="stop", columns="penalty", values="error")
        assert (np.asarray(e.figure.axes[0].images[0].get_array()) == wanted.to_numpy()).all()
    choose(e, v.grid.query("kind == 'conjunction' and penalty == 2 and stop == 5").index[0])
    assert (e.kind, e.penalty, e.stop) == ("conjunction", 2.0, 5)
    other = CurveExplorer(v, x=("kind", "stop"))
    choose(other, v.grid.query("kind == 'disjunction' and penalty == 2 and stop == 1").index[0])
    assert (other.kind, other.stop) == ("disjunction", 1)
    with pytest.raises(pc.OptionError, match="pair of the parameters"):
        CurveExplorer(v, x=("kind", "eps"))


def test_a_parameter_whose_name_is_taken_gets_an_underscore(iris):
    from dataclasses import dataclass
    from typing import Any

    from protoclass.models.knn import KNN

    @dataclass(frozen=True)
    class Odd(KNN):
        name = "odd"
        k: Any = 1
        layout: Any = (1, 2)

        def path(self, task, grid):
            return KNN(k=list(grid.get("layout", [1]))).path(task, {"k": np.asarray(grid.get("layout", [1]))})

    e = CurveExplorer(pc.cross_validate("species ~ .", iris, Odd(), cv=3))
    e.layout_ = 2
    assert e.point == 1
    assert fine(e)


# the prototypes


def test_radius_and_number_reach_the_fits_that_fitting_gives(explorer, fit):
    assert explorer.fit is fit
    grid = fit.validation.grid["eps"].tolist()
    explorer.sliders["eps"].index = 17
    assert explorer.eps == grid[17]
    full = fit.update(eps=grid[17])
    assert explorer.fit.prototypes.equals(full.prototypes)
    assert explorer.fit.point == 17  # its cross-validated error is known
    assert f"{fit.validation.table['error'][17]:.4f}" in explorer._status.value
    assert explorer.size == explorer.sliders["size"].max == len(full.prototypes)
    explorer.sliders["size"].value = 3
    assert explorer.fit.prototypes.equals(full.prototypes.iloc[:3])
    assert explorer.fit.validation is None
    explorer.eps = 0.9952
    assert (explorer.size, explorer.sliders["size"].max) == (3, 15)  # a number stays, as far as there are so many
    explorer.size = 15
    assert explorer.fit.prototypes.equals(fit.prototypes)
    explorer.eps = grid[10]
    assert explorer.size == len(fit.update(eps=grid[10]).prototypes)  # all stay all
    explorer.size = 0
    assert "0 prototypes" in explorer._status.value
    assert fine(explorer)
    for name, wrong in (("eps", 99.0), ("size", -1), ("size", 1000), ("eps", None)):
        with pytest.raises(pc.OptionError, match=name):
            setattr(explorer, name, wrong)


def test_what_a_prototype_covers_is_what_its_ball_says(explorer, fit):
    D = pc.dissimilarity("species ~ .", fit.call.data).frame()
    for place, label in enumerate(fit.prototypes.index):
        explorer.selected = label
        details, ball = explorer.details, fit.ball(label)
        by = {relation: part["label"].tolist() for relation, part in details.groupby("relation")}
        assert sorted(by.get("covers first", [])) == sorted(ball.index[ball["first"]])
        assert by.get("holds wrongly", []) == ball.index[~ball["own"]].tolist()
        assert sorted(by.get("holds, covered before", [])) == sorted(ball.index[ball["own"] & ~ball["first"]])
        others = fit.prototypes.index[fit.prototypes["class"] != fit.prototypes["class"].iloc[place]]
        near = D.loc[label, others].sort_values(kind="stable")[:5]
        rivals = details[details["relation"] == "rival"]
        assert rivals["label"].tolist() == near.index.tolist()
        assert rivals["value"].to_numpy() == pytest.approx(near.to_numpy())
        assert explorer.list.index == place
        said = text(explorer._details.value)
        assert f"Prototype {label}: {fit.prototypes['class'][label]}, {place + 1} of 15 in the order chosen" in said
        assert f"first to cover {fit.prototypes['covers'][label]} row" in said
    assert fine(explorer)


def test_the_rays_of_a_prototype_are_the_lines_of_the_plot(explorer, fit):
    """Both pictures join a prototype to the rows that its ball holds, and ring those of other classes."""
    plane = explorer._plane()
    members = find_members(fit, np.arange(len(fit.prototypes)))
    for place, label in enumerate(fit.prototypes.index):
        explorer.selected = label
        mine = members.prototypes == place
        assert explorer._marks.rays == pytest.approx(plane.rows[members.rows[mine]])
        assert explorer._marks.miscovered == pytest.approx(plane.rows[members.rows[mine & members.wrong]])
        assert not len(explorer._marks.ball)
        assert not len(explorer._marks.outlines)
    assert len(explorer._scene.rays.get_segments()) == len(fit.ball(label))
    assert fine(explorer)


def test_a_front_end_hears_of_an_explorer_when_its_picture_is_drawn(fit, monkeypatch):
    """What a front end makes the page from holds the first picture: no message after it has to come through."""
    opened = []
    create = comm.create_comm

    def record(**kwargs):
        opened.append((kwargs["data"]["state"], kwargs["buffers"]))
        return create(**kwargs)

    monkeypatch.setattr(comm, "create_comm", record)
    for make in (lambda: PrototypeExplorer(fit), lambda: CurveExplorer(fit.validation)):
        explorer = make()
        states = [(state, buffers) for state, buffers in opened if "_esm" in state]
        assert len(states) == 1
        (state, buffers), (root, _) = states[0], opened[-1]
        assert explorer.picture.png in map(bytes, buffers)
        assert len(explorer.picture.png) > 5000
        if explorer.picture.has_trait("film"):  # with all that the page draws by itself
            assert state["film"]["names"] == [str(label) for label in range(150)]
            assert state["shown"]["size"] == len(fit.prototypes)
            assert len(state["reels"]) == len(fit.validation.grid)
            assert state["plane"]["axes"]
        assert state["alt"] == explorer.picture.alt
        assert state["width"] == explorer.picture.width
        assert root["children"] == [f"IPY_MODEL_{child.model_id}" for child in explorer.children]
        opened.clear()


def test_an_explorer_whose_first_picture_fails_is_shown_too(fit, monkeypatch):
    monkeypatch.setattr("protoclass.views.geometry.make_map", lambda *_: 1 / 0)
    e = PrototypeExplorer(fit)
    assert "ZeroDivisionError" in e.alert
    assert e.model_id
    assert all(child.model_id for child in e.children)


def test_python_answers_a_page_that_asks(explorer, monkeypatch):
    sent = []
    monkeypatch.setattr(explorer.picture, "send", sent.append)
    explorer.picture._handle_custom_msg({"kind": "ask"}, [])
    assert sent == [{"kind": "answer"}]
    assert "does not answer" in explorer.picture.silence


def test_why_a_row_gets_its_class(explorer, fit):
    augmented, far = fit.augment(), fit.predict(kind="distance")
    for row in (0, 70, *augmented.index[~augmented["correct"].astype(bool)]):
        explorer.selected = row
        nearest = explorer.details[explorer.details["relation"] == "nearest of class"]
        assert nearest["label"].iloc[0] == augmented["prototype"][row]
        assert nearest.set_index("class")["value"].reindex(fit.classes).tolist() == pytest.approx(far.loc[row].tolist())
        said = text(explorer._details.value)
        assert (
            f"classified as {augmented['fitted'][row]}, {'rightly' if augmented['correct'][row] else 'wrongly'}" in said
        )
        balls = [label for label in fit.prototypes.index if row in fit.ball(label).index]
        own = [label for label in balls if fit.prototypes["class"][label] == augmented["species"][row]]
        assert (f"The ball of {own[0]} was the first to cover it" if own else "No ball of its class holds it") in said
        wrong = len(balls) - len(own)
        assert (f"{wrong} ball" in said) == (wrong > 0)
    assert explorer.search.value == str(row)
    assert fine(explorer)


def test_selecting_by_click_list_and_label(explorer, fit):
    table = explorer.table
    at = fit.prototypes.index[5]
    choose(explorer, table.index.get_loc(at))
    assert explorer.selected == at
    assert explorer.list.index == 5
    explorer.list.index = 2
    assert explorer.selected == fit.prototypes.index[2]
    row = int(table["order"].isna().argmax())  # no prototype
    choose(explorer, row)
    assert explorer.selected == row
    assert explorer.list.index is None
    assert explorer.table["selected"].tolist() == [label == row for label in table.index]
    choose(explorer, -1)  # nothing there
    assert explorer.selected is None
    explorer.search.value = "77"
    assert explorer.selected == 77
    explorer.search.value = "nobody"
    assert "no row of the fit has the label 'nobody'" in explorer.alert
    assert explorer.selected == 77
    for wrong in ("nobody", ["a"], 1000):
        with pytest.raises(pc.OptionError, match="a label of a row"):
            explorer.selected = wrong
    explorer.search.value = ""
    assert explorer.selected is None
    assert fine(explorer)


def test_the_class_menu_lets_a_class_stand_out(explorer, fit):
    everything = pixels(explorer)
    explorer.menu.value = 1
    assert explorer.class_ == "versicolor"
    assert len(explorer.list.options) == 5
    assert all("versicolor" in name for name in explorer.list.options)
    assert (pixels(explorer) != everything).any()
    explorer.list.index = 0
    assert explorer.selected == fit.prototypes.index[fit.prototypes["class"] == "versicolor"][0]
    explorer.class_, explorer.selected = None, None
    assert explorer.menu.value == -1
    assert (pixels(explorer) == everything).all()
    with pytest.raises(pc.OptionError, match="class_='rose'"):
        explorer.class_ = "rose"


def test_axes_are_predictors_or_a_map(explorer, fit, iris):
    where = fit.dissimilarity.map(2)
    assert explorer.table[["x", "y"]].to_numpy() == pytest.approx(where.to_numpy())
    assert explorer.y_menu.disabled
    explorer.x_menu.value = "petal_width"
    explorer.y = "sepal_length"
    assert explorer.y_menu.value == "sepal_length"
    assert explorer.table["x"].tolist() == iris["petal_width"].tolist()
    assert explorer.table["y"].tolist() == iris["sepal_length"].tolist()
    assert explorer.figure.axes[0].get_xlabel() == "petal width"
    assert not explorer._marks.outlines.size  # two of four predictors: a circle would be no ball
    explorer.x = "map"
    assert explorer.table[["x", "y"]].to_numpy() == pytest.approx(where.to_numpy())
    for name in ("x", "y"):
        with pytest.raises(pc.OptionError, match="species"):
            setattr(explorer, name, "species")


def test_balls_have_outlines_in_the_metrics_own_plane(iris):
    fit = pc.fit("species ~ petal_length + petal_width", iris, eps=0.5)
    e = PrototypeExplorer(fit)
    assert (e.x, e.y) == ("petal_length", "petal_width")
    mine = outline_balls(fit, e._plane())
    drawn = [line.get_xydata() for line in fit.plot().lines]
    for outline, ball in zip(drawn, mine, strict=True):
        assert ball == pytest.approx(outline, abs=1e-9)
    e.selected = fit.prototypes.index[1]
    assert e._marks.ball == pytest.approx(mine[1])
    low, high = e.figure.axes[0].get_xlim()
    bottom, top = e.figure.axes[0].get_ylim()
    height, width = e._marks.regions.shape
    for _, spot in fit.prototypes.iterrows():  # each lies where its class is given
        row = int((spot["petal_width"] - bottom) / (top - bottom) * height)
        column = int((spot["petal_length"] - low) / (high - low) * width)
        assert e._marks.regions[row, column] == fit.classes.index(spot["class"])
    before = e._marks.regions
    with e.hold():
        e.x, e.y = e.y, e.x
    assert e._marks.ball == pytest.approx(mine[1][:, ::-1])
    assert (e._marks.regions == before.T).all()
    ranks = PrototypeExplorer(pc.fit("species ~ petal_length + petal_width", iris, eps=9.5, dissimilarity="ranks"))
    assert fine(ranks)
    assert not ranks._marks.outlines.size


@pytest.mark.parametrize("seed", range(4))
def test_coverage_is_what_the_rule_says(seed):
    draw = np.random.default_rng(seed)
    n = 60
    x = draw.integers(0, 30, n)
    values = np.abs(x[:, None] - x) + draw.integers(0, 2, (n, n)).astype(float)  # ties in plenty, asymmetric
    np.fill_diagonal(values, 0)
    D = pd.DataFrame(values)
    y = np.where(draw.random(n) < 0.2, draw.choice(list("abc"), n), np.array(list("abc"))[x // 10])
    data = pd.DataFrame({"y": y})
    fit = pc.fit("y ~ 1", data, dissimilarity=D, eps=2.0)
    task = fit.problem.task(fit.dissimilarity)
    coverage = measure_coverage(fit, task.D)
    assert (coverage.fitted == fit.predict().cat.codes).all()
    assert (coverage.nearest == [fit.prototypes.index.get_loc(p) for p in fit.predict(kind="nearest")]).all()
    wrong, first = np.zeros(n, int), np.full(n, -1)
    for place, label in reversed(list(enumerate(fit.prototypes.index))):
        ball = fit.ball(label)
        wrong[ball.index[~ball["own"]]] += 1
        first[ball.index[ball["own"]]] = place
    assert (coverage.wrong == wrong).all()
    assert (coverage.first == first).all()
    e = PrototypeExplorer(fit)
    assert (e.table["covered"] == (first >= 0)).all()
    assert (e.table["miscovered"] == wrong).all()
    errors = path(fit)["training_error"]
    for size in range(len(fit.prototypes) + 1):
        e.size = size
        assert 1 - e.table["correct"].mean() == pytest.approx(errors[size])
        assert e.table["order"].notna().sum() == size


def test_pictures_are_shown_as_pictures():
    data = pc.load_data("digits").iloc[:400]
    fit = pc.fit("digit ~ .", data, dissimilarity=RAW, eps=30.0)
    e = PrototypeExplorer(fit, shape=(8, 8), radii=[25.0, 35.0])
    assert e._stages.radii == [25.0, 30.0, 35.0]
    plain = PrototypeExplorer(fit)
    assert (pixels(e) != pixels(plain)).any()
    at = fit.prototypes.index[0]
    choose(e, e.table.index.get_loc(at))
    assert e.selected == at
    counts = e.details["relation"].value_counts().clip(upper=12)
    shown = sum(counts.get(kind, 0) for kind in ("covers first", "holds wrongly", "rival"))
    assert e._details.value.count("<img") == 1 + shown
    assert e._details.value.count("alt=") == 1 + shown
    source = re.search(r'src="data:image/png;base64,([^"]+)"', e._details.value).group(1)
    import base64

    drawn = np.asarray(Image.open(io.BytesIO(base64.b64decode(source))), float)
    assert drawn == pytest.approx(255 * (1 - data.drop(columns="digit").loc[at].to_numpy().reshape(8, 8) / 16), abs=1)
    e.eps = 35.0
    e.selected = next(label for label in data.index if label not in e.fit.prototypes.index)
    assert e._details.value.count("<img") == 1 + len(e.details)
    assert fine(e)
    for wrong in ((8, 9), 64):
        with pytest.raises(pc.OptionError, match="shape"):
            PrototypeExplorer(fit, shape=wrong)


def test_a_given_matrix_has_a_map_alone(papers_data):
    cat = pd.read_csv(f"{papers_data}/cat_cortex.csv", index_col="area")
    D = cat.drop(columns="region").set_axis(cat.index, axis=1)
    fit = pc.fit("region ~ 1", cat[["region"]], dissimilarity=D)
    e = PrototypeExplorer(fit)
    assert e.table[["x", "y"]].to_numpy() == pytest.approx(fit.dissimilarity.map(2).to_numpy())
    e.sliders["eps"].index = 2
    at = e.fit.prototypes.index[0]
    choose(e, e.table.index.get_loc(at))
    assert e.selected == at
    assert sorted(e.details.query("relation == 'covers first'")["label"]) == sorted(e.fit.ball(at).query("first").index)
    assert fine(e)
    with pytest.raises(pc.OptionError, match="x='region'"):
        e.x = "region"
    v = CurveExplorer(fit.validation)
    v.point = 2
    v.use()
    assert v.fit.prototypes.equals(e.fit.prototypes)


@pytest.mark.parametrize(
    ("method", "knobs", "sliders"),
    [
        ("knn", {"k": 5}, []),
        ("kmeans", {"K": 3}, []),
        ("hyperplane", {"C": 1.0}, []),
        ("condensed", {}, []),
        ("scm", {"penalty": 2.0, "stop": 3, "kind": "conjunction"}, ["size"]),
        ("scm", {"features": "stumps", "penalty": 2.0, "stop": 2, "kind": "disjunction"}, ["size"]),
        ("pvm", {"eps": 1.0, "solver": "exact"}, []),
    ],
)
def test_methods_without_radius_or_order_have_no_such_sliders(iris, method, knobs, sliders):
    fit = pc.fit("species ~ .", iris, method, **knobs)
    e = PrototypeExplorer(fit)
    assert list(e.sliders) == sliders
    if "size" not in sliders:
        assert e.size is None
        with pytest.raises(pc.OptionError, match="step by step"):
            e.size = 2
    if method != "pvm":
        with pytest.raises(pc.OptionError, match="no slider of radii"):
            e.eps = 1.0
    assert ("All rows serve" in e._status.value) == (method == "knn") == (e.list.disabled and method != "scm")
    assert (e.table["correct"].iloc[:150].astype(bool) == fit.augment()["correct"]).all()
    for row in (0, 70, 106):
        e.selected = row
        assert fine(e)
        assert f"classified as {fit.predict()[row]}" in text(e._details.value)
    if "decision" in fit.rule.kinds:
        of = e.details[e.details["relation"] == "decision for class"].set_index("class")["value"]
        assert of.reindex(fit.classes).tolist() == pytest.approx(fit.predict(kind="decision").loc[106].tolist())
    if method in ("kmeans", "condensed", "scm") and len(fit.prototypes):
        e.list.index = 1
        assert e.selected == fit.prototypes.index[1]
        assert "Prototype" in text(e._details.value)
        assert fine(e)


def test_centroids_speak_for_the_rows_nearest_to_them(iris):
    fit = pc.fit("species ~ .", iris, "kmeans", K=2)
    e = PrototypeExplorer(fit)
    assert e.table["what"].tolist() == ["row"] * 150 + ["prototype"] * 6
    e.selected = "kmeans[versicolor].2"
    near = fit.predict(kind="nearest")
    mine = e.details[e.details["relation"] == "is nearest to"]["label"]
    assert sorted(mine) == near.index[near == "kmeans[versicolor].2"].tolist()
    choose(e, e.table.index.get_loc("kmeans[setosa].1"))
    assert e.selected == "kmeans[setosa].1"
    e.list.index = 3
    assert e.selected == "kmeans[versicolor].2"
    at = fit.prototypes.loc[e.selected, "petal_length"]
    assert f"petal_length {at:.4g}" in text(e._details.value)
    e.x, e.y = "petal_length", "petal_width"
    assert e.table.loc[e.selected, "x"] == pytest.approx(at)


def test_machines_say_what_decided(iris):
    two = iris[iris.species != "setosa"]
    two = two.assign(species=two.species.cat.remove_unused_categories())
    fit = pc.fit("species ~ .", two, "scm", features="stumps", kind="conjunction", penalty=2.0, stop=2)
    e = PrototypeExplorer(fit)
    rules = fit.tidy()["rule"]
    assert rules[0] in text(e._details.value).replace("&gt;", ">").replace("&lt;", "<")
    for row in two.index[::9]:
        e.selected = row
        said = text(e._details.value).replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", '"')
        name, sign, cut = rules[0].split()
        holds = (two[name][row] > float(cut)) == (sign == ">")
        assert (f'"{rules[0]}" does not hold' in said) == (not holds)
        assert f"Machine virginica against versicolor says {fit.predict()[row]}:" in said


def test_another_fit_is_explored_from_then_on(explorer, iris, fit):
    explorer.selected, explorer.class_ = 82, "virginica"
    other = pc.fit("species ~ petal_length + petal_width", iris, "knn", k=3)
    explorer.fit = other
    assert explorer.fit is other
    assert (explorer.eps, explorer.size, explorer.selected, explorer.class_) == (None, None, None, None)
    assert explorer.x == "petal_length"
    assert not explorer.sliders
    explorer.fit = fit.at(size=4)
    assert (explorer.size, explorer.sliders["size"].max) == (4, 15)
    explorer.size = 6
    assert explorer.fit.prototypes.equals(fit.prototypes.iloc[:6])
    assert fine(explorer)
    seen = []
    explorer.observe(lambda change: seen.append(change.new.rule.size), "fit")
    explorer.size = 5
    explorer.selected = 3
    assert seen == [5]  # and none for what leaves the fit as it is
    digits = PrototypeExplorer(pc.fit("digit ~ .", pc.load_data("digits").iloc[:200], eps=5.0), shape=(8, 8))
    with pytest.raises(pc.OptionError, match="64 pixels"):
        digits.fit = fit
    digits.size = 3
    assert fine(digits)
    assert len(digits.fit.prototypes) == 3


def test_radii_that_take_too_much_are_left_out_with_a_word(iris, monkeypatch):
    fit = pc.fit("species ~ .", iris, eps=1.0)
    exact = PrototypeExplorer(fit.update(solver="exact"))
    assert "each radius is slow to solve" in exact._status.value
    some = PrototypeExplorer(exact.fit, radii=[0.8, 1.5])
    some.sliders["eps"].index = 2
    assert some.fit.prototypes.equals(fit.update(solver="exact", eps=1.5).prototypes)

    def refuse(self, task, grid):
        raise pc.TooLarge("balls hold too many rows")

    monkeypatch.setattr(pc.PVM, "path", refuse)
    e = PrototypeExplorer(fit)
    assert list(e.sliders) == ["size"]
    assert "There is no slider of radii: balls hold too many rows" in e._status.value
    assert fine(e)
    with pytest.raises(pc.TooLarge):
        PrototypeExplorer(fit, radii=[1.0, 2.0])
    with pytest.raises(pc.OptionError, match="'knn' has no radius"):
        PrototypeExplorer(pc.fit("species ~ .", iris, "knn", k=3), radii=[1.0])


def test_candidates_that_are_not_rows(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0, candidates=pc.kmeans(6, only=True))
    e = PrototypeExplorer(fit)
    assert fine(e)
    added = e.table[e.table["what"] == "prototype"]
    assert added.index.tolist() == fit.prototypes.index.tolist()
    assert np.isfinite(added[["x", "y"]]).all(axis=None)
    wide = pc.dissimilarity("species ~ .", iris).frame().iloc[:, ::15].add_prefix("c")
    given = PrototypeExplorer(pc.fit("species ~ 1", iris, dissimilarity=wide, eps=1.5))
    assert "have no place in this picture" in given._status.value
    assert len(given.list.options) == len(given.fit.prototypes)
    given.list.index = 0
    assert "first to cover" in text(given._details.value)
    assert fine(given)


# what they share


def test_an_error_is_shown_in_words_and_the_explorer_goes_on(explorer, monkeypatch):
    before = explorer.picture.png
    with monkeypatch.context() as broken:
        broken.setattr(explorer._scene, "show", lambda marks: 1 / 0)
        explorer.sliders["size"].value = 4
    assert explorer.alert == "ZeroDivisionError: division by zero (explorer.exception has it)"
    assert isinstance(explorer.exception, ZeroDivisionError)
    assert 'role="alert"' in explorer._warning.value
    assert explorer._warning.layout.display == "block"
    assert explorer.picture.png == before
    explorer.sliders["size"].value = 5
    assert fine(explorer)
    assert explorer._warning.layout.display == "none"
    assert len(explorer.fit.prototypes) == 5
    assert explorer.picture.png != before
    with pytest.raises(TraitError):
        explorer.alert = "mine"


def test_a_picture_that_cannot_be_drawn_leaves_the_rest(fit, monkeypatch):
    from protoclass.widgets import prototypes

    def refuse(fit, source, rows):
        raise pc.DataError("a map needs all dissimilarities")

    monkeypatch.setattr("protoclass.views.geometry.make_map", refuse)
    e = PrototypeExplorer(fit)
    assert e.alert == "a map needs all dissimilarities"
    with pytest.raises(pc.NotAvailable, match="no figure yet: a map needs all"):
        e.figure  # noqa: B018
    e.x = "petal_length"
    assert fine(e)
    assert e.figure.axes[0].get_xlabel() == "petal length"
    monkeypatch.setattr("protoclass.widgets.scene.MOST", 40)
    monkeypatch.setattr(prototypes, "MOST", 40)
    few = PrototypeExplorer(fit, x="petal_width", y="petal_length")
    assert "40 of the 150 rows are drawn" in few._status.value
    assert len(few.table) == 150


def test_a_button_that_fails_says_why(curve, monkeypatch):
    def refuse(point):
        raise pc.DataError("no <such> fit")

    monkeypatch.setattr(curve._grid_fits, "fit", refuse)
    curve.button.click()
    assert curve.alert == "no <such> fit"
    assert "&lt;such&gt;" in curve._warning.value
    monkeypatch.undo()
    curve.button.click()
    assert fine(curve)
    assert curve.fit is not None


def test_many_changes_make_one_picture(explorer):
    drawn = []
    explorer.picture.observe(lambda change: drawn.append(explorer.size), "png")
    with explorer.hold():
        for size in range(15):
            explorer.size = size
        explorer.selected = 82
    assert drawn == [14]
    explorer.size = 14  # no change
    assert len(drawn) == 1


def test_changes_while_a_picture_is_drawn_make_one_more(explorer, monkeypatch):
    drawn, started, go_on = [], threading.Event(), threading.Event()
    show = explorer._scene.show

    def slow(marks):
        drawn.append(len(marks.prototypes))
        started.set()
        assert go_on.wait(10)
        return show(marks)

    monkeypatch.setattr(explorer._scene, "show", slow)
    first = threading.Thread(target=lambda: setattr(explorer, "size", 12))
    first.start()
    assert started.wait(10)
    others = []
    for size in (11, 9, 7, 5, 3):
        others.append(threading.Thread(target=lambda size=size: setattr(explorer, "size", size)))
        others[-1].start()
        until = time.monotonic() + 10
        while explorer.size != size:  # it is set at once; then the thread waits for its turn to draw
            assert time.monotonic() < until
            time.sleep(0.001)
    go_on.set()
    for thread in (first, *others):
        thread.join(10)
    assert drawn == [12, 3]
    assert len(explorer.fit.prototypes) == 3


def test_the_picture_is_the_figure(explorer, curve):
    explorer.selected = 82
    for e in (explorer, curve):
        shown = pixels(e)
        figure = e.figure
        assert isinstance(figure, Figure)
        figure.canvas.draw()
        drawn = np.asarray(figure.canvas.buffer_rgba())[:, :, :3]
        assert drawn.shape == shown.shape
        assert (drawn == shown).all()
        assert shown.shape[1] == e.picture.width
        e.picture.ratio = 2.0
        assert pixels(e).shape[1] == 2 * e.picture.width
        assert fine(e)
    choose(explorer, 7)
    assert explorer.selected == 7


def test_words_for_those_who_do_not_see_the_picture(explorer, curve):
    assert explorer.picture.alt.startswith(
        "150 rows and their prototypes on a map of the dissimilarities. eps = 0.9952"
    )
    explorer.selected = 82
    explorer.class_ = "versicolor"
    assert "Ringed: Prototype 82: versicolor" in explorer.picture.alt
    assert "Class versicolor stands out" in explorer.picture.alt
    assert curve.picture.alt.startswith(
        "Curve of the cross-validated error over radius eps of the balls, 20 grid points."
    )
    for control in (
        *explorer.sliders.values(),
        explorer.menu,
        explorer.x_menu,
        explorer.search,
        *curve.sliders.values(),
    ):
        assert control.description
    assert 'role="status"' in explorer._status.value
    script = str(explorer.picture._esm)
    assert "aria-label" in script
    assert "http" not in script.replace("http://www.w3.org/2000/svg", "")  # the name of a vocabulary, which nothing fetches


def test_pages_without_widgets_get_the_picture(explorer):
    bundle = explorer._repr_mimebundle_()
    assert bundle["image/png"] == explorer.picture.png
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_without_a_front_end_the_figure_comes_back(fit, iris, capsys, monkeypatch):
    import matplotlib.pyplot as plt

    for call in (
        lambda: explore_fit(fit),
        lambda: explore_validation(fit.validation),
        lambda: explore("species ~ .", iris, eps=1.0),
    ):
        figure = call()
        assert isinstance(figure, Figure)
        assert figure.number in plt.get_fignums()  # plt.show() opens it
        assert "JupyterLab" in capsys.readouterr().out
        assert len(figure.axes[0].lines) > 2
    monkeypatch.setattr(base, "front_end", lambda: True)
    assert isinstance(explore_fit(fit), PrototypeExplorer)
    assert isinstance(explore_validation(fit.validation), CurveExplorer)
    assert explore("species ~ .", iris, "kmeans", K=2).fit.model.name == "kmeans"
    assert not capsys.readouterr().out
    for call in (lambda: explore_fit(fit, colour="red"), lambda: explore_validation(fit.validation, shape=(2, 2))):
        with pytest.raises(pc.OptionError, match="has no option"):
            call()


def test_a_kernel_is_a_front_end(monkeypatch):
    import IPython

    assert not base.front_end()
    for shell, answer in ((type("Zmq", (), {"kernel": object()})(), True), (type("Terminal", (), {})(), False)):
        monkeypatch.setattr(IPython, "get_ipython", lambda shell=shell: shell)
        assert base.front_end() is answer


def test_long_names_and_odd_labels_fit(iris):
    names = {
        "setosa": "a class whose name is so long that no legend holds it",
        "versicolor": "$x_1$",
        "virginica": "<b>",
    }
    data = iris.assign(species=iris.species.cat.rename_categories(names)).set_index(
        pd.MultiIndex.from_arrays([iris.index, ["é"] * 150])
    )
    fit = pc.fit("species ~ .", data, eps=1.0)
    e = PrototypeExplorer(fit)
    e.selected = fit.prototypes.index[1]
    assert e.selected == (fit.prototypes.index[1][0], "é")
    assert fine(e)
    assert "<b>:" not in e._details.value
    figure = e.figure
    renderer = figure.canvas.get_renderer()
    for legend in figure.legends:
        box = legend.get_window_extent(renderer)
        assert box.x0 >= -1
        assert box.x1 <= figure.bbox.width + 1
    many = pd.DataFrame(
        {"x": np.arange(104.0), "z": np.arange(104.0) % 7, "letter": [chr(97 + k % 26) for k in range(104)]}
    )
    letters = PrototypeExplorer(pc.fit("letter ~ .", many, eps=0.2))
    assert all(legend.get_window_extent().width <= letters.figure.bbox.width for legend in letters.figure.legends)
    assert fine(letters)


# what the page and Python tell each other


def test_the_page_selects_and_lassoes(explorer, fit):
    tell = explorer.picture._handle_custom_msg
    row = int(fit.prototypes.index[3])
    tell({"kind": "select", "point": row, "turn": 4}, [])
    assert (explorer.selected, explorer.picture.shown["point"], explorer.picture.shown["turn"]) == (row, row, 4)
    tell({"kind": "select", "point": -1, "turn": 5}, [])
    assert explorer.selected is None
    tell({"kind": "lasso", "points": [3, 77]}, [])
    assert explorer.lassoed == (3, 77)
    centres = PrototypeExplorer(pc.fit("species ~ .", fit.call.data, "kmeans", K=2))
    centres.picture._handle_custom_msg({"kind": "select", "point": 152, "turn": 1}, [])
    assert centres.selected == centres.fit.prototypes.index[2]
    assert centres.picture.film["names"][150:] == centres.fit.prototypes.index.tolist()
    assert fine(centres)


def test_linked_explorers_share_their_state(fit, curve, explorer):
    other = PrototypeExplorer(fit)
    link = pc.link(curve, explorer, other)
    assert link.names == ("eps", "size", "class_", "selected")
    grid = fit.validation.grid["eps"].tolist()
    curve.point = 17
    assert explorer.eps == other.eps == grid[17]
    other.eps = grid[12]
    explorer.size, explorer.class_, explorer.selected = 3, "virginica", 104
    assert (curve.eps, other.size, other.class_, other.selected) == (grid[12], 3, "virginica", 104)
    assert other.fit.prototypes.equals(explorer.fit.prototypes)
    other.eps = grid[17]  # where fewer prototypes are allowed than before
    explorer.size = explorer._most()
    other.eps = grid[3]
    assert (explorer.eps, explorer.size) == (grid[3], explorer._most())
    assert all(map(fine, (curve, explorer, other)))
    link.close()
    explorer.size = 2
    assert other.size != 2
    for wrong in ((explorer,), (explorer, explorer), (explorer, 3)):
        with pytest.raises(pc.OptionError, match="link"):
            pc.link(*wrong)


def test_a_file_is_written_where_there_is_no_front_end(fit, tmp_path, capsys):
    path = fit.explore(save=tmp_path / "fit.html")
    assert path == tmp_path / "fit.html"
    assert path.stat().st_size > 50_000
    assert not capsys.readouterr().out
