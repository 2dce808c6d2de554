"""The explorers, driven through their traits and the messages of their page; no browser."""

import threading

import comm
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from traitlets import TraitError, link

import protoclass as pc
from protoclass.fitting import explore
from protoclass.pictures.coverage import measure_coverage
from protoclass.widgets import base, explore_fit, explore_validation
from protoclass.widgets.curve import CurveExplorer
from protoclass.widgets.film import describe
from protoclass.widgets.prototypes import PrototypeExplorer

RAW = pc.Euclidean(scale=False)


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris"), dissimilarity="euclidean", repeats=1)


@pytest.fixture
def curve(fit):
    return CurveExplorer(fit.validation)


@pytest.fixture
def explorer(fit):
    return PrototypeExplorer(fit)


def told(explorer, **changes):
    """What Python answers where the page has changed its state, or asks for a deed."""
    deed = {name: changes.pop(name) for name in ("wants",) if name in changes}
    return explorer.answer({"state": {**explorer.state, **changes}, "view": "here", "turn": 1, **deed})


def tables(answer):
    """The rows of the tables of an answer by caption."""
    return {table["caption"]: table["rows"] for table in answer["tables"]}


def fine(explorer):
    if explorer.exception is not None:
        raise explorer.exception
    return not explorer.alert


# the error curve


def test_point_parameter_and_page_move_together(curve, fit):
    grid = fit.validation.grid["eps"].tolist()
    assert (curve.point, curve.eps) == (fit.selection.point, fit.model.eps)
    curve.point = 3
    assert (curve.eps, curve.state["point"]) == (grid[3], 3)
    curve.eps = grid[7]
    assert (curve.point, curve.state["point"]) == (7, 7)
    told(curve, point=12)
    assert (curve.point, curve.eps) == (12, grid[12])
    assert (curve.state["view"], curve.state["turn"]) == ("here", 1)
    curve.eps = float(f"{grid[5]:.4g}")  # as it is printed
    assert (curve.point, curve.eps) == (5, grid[5])
    assert fine(curve)
    for wrong in (99.0, "large", True):
        with pytest.raises(pc.OptionError, match="its slider has"):
            curve.eps = wrong
    with pytest.raises(pc.OptionError, match="row of `table`, 0 to 19"):
        curve.point = 20
    assert curve.point == 5
    assert "row of `table`, 0 to 19" in told(curve, point=20)["problem"]  # as no page of ours sends it
    assert "point=20" in curve.alert
    assert curve.point == 5


def test_what_stands_beside_the_curve_is_that_of_the_point(curve, fit):
    v = fit.validation
    for point in (2, 15):
        facts, counts = told(curve, point=point)["tables"]
        row, said = v.table.iloc[point], dict(facts["rows"])
        assert said["held-out error, 10 folds"] == f"{row['error']:.4f} ± {row['se']:.4f}"
        assert said["cover error"] == f"{row['cover_error']:.4f}"
        assert said["no-information error"] == f"{v.no_information:.4f}"
        assert curve.confusion.equals(v.confusion(point))
        assert [[int(n) for n in line[1:]] for line in counts["rows"]] == v.confusion(point).to_numpy().tolist()
        assert curve.table["mark"].tolist()[point].startswith("chosen")
    assert curve.table.drop(columns="mark").equals(v.table)
    assert curve.table["mark"][v.selected("min").name] == "least error"


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
def test_every_methods_grid_has_its_traits(iris, method, knobs):
    v = pc.cross_validate("species ~ .", iris[::2], method, cv=3, dissimilarity="euclidean", repeats=1, **knobs)
    e = CurveExplorer(v)
    axes = {k: v.grid[k].unique().tolist() for k in v.grid if v.grid[k].nunique() > 1}
    for name, values in axes.items():
        for i in (0, len(values) - 1):
            setattr(e, name, values[i])
            chosen = v.grid.iloc[e.point]
            assert all(chosen[k] == getattr(e, k) for k in axes)
    assert fine(e)


def test_of_several_distances_both_explorers_have_the_radii_of_the_selected_one(iris):
    fit = pc.fit("species ~ .", iris[::2], cv=3, repeats=1)
    grid = fit.validation.grid
    own = grid[grid["dissimilarity"] == grid["dissimilarity"][fit.selection.point]]
    assert len(own) < len(grid)
    curve, explorer = CurveExplorer(fit.validation), PrototypeExplorer(fit)
    assert curve.grid == {"eps": own["eps"].tolist()}
    told(explorer, stage=3)
    assert (explorer.eps, explorer.fit.selection.point) == (own["eps"].iloc[3], own.index[3])
    assert explorer.fit.prototypes.equals(fit.validation.fit_at(own.index[3]).prototypes)
    assert fine(curve)
    assert fine(explorer)


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


def test_the_radius_reaches_the_fits_that_fitting_gives(explorer, fit):
    assert explorer.fit is fit
    grid = fit.validation.grid["eps"].tolist()
    told(explorer, stage=17)
    assert explorer.eps == grid[17]
    assert explorer.fit.prototypes.equals(fit.update(eps=grid[17]).prototypes)
    assert explorer.fit.selection.point == 17  # its cross-validated error is known
    explorer.eps = 0.9952  # as it is printed
    assert explorer.fit is fit
    assert fine(explorer)
    for wrong in (99.0, None):
        with pytest.raises(pc.OptionError, match="eps"):
            explorer.eps = wrong
    first = PrototypeExplorer(fit.at(size=4))
    assert first.fit.prototypes.equals(fit.prototypes.iloc[:4])
    first.eps = grid[17]
    assert first.fit.prototypes.equals(explorer.fit.update(eps=grid[17]).prototypes)


def test_a_front_end_hears_of_an_explorer_when_it_has_all_that_it_draws(fit, monkeypatch):
    """What a front end makes the page from: no message after it has to come through."""
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
        (state, buffers) = states[0]
        assert explorer.content in map(bytes, buffers)
        assert state["state"] == explorer.state
        opened.clear()


def test_why_a_row_gets_its_class(explorer, fit):
    augmented, far = fit.augment(), fit.predict(kind="distance")
    for row in (0, 70, *augmented.index[~augmented["correct"].astype(bool)]):
        explorer.selected = row
        answer = told(explorer)
        also = [fit.frame.index[point] for point in answer["also"]]
        assert also[0] == augmented["prototype"][row]
        assert fit.prototypes.loc[also, "class"].tolist() == far.loc[row].sort_values().index.tolist()
        assert not answer["tables"]  # the page compares by itself
    assert fine(explorer)


def test_what_is_selected(explorer, fit):
    at = fit.prototypes.index[5]
    told(explorer, point=explorer.table.index.get_loc(at))
    assert explorer.selected == at
    row = int(explorer.table["order"].isna().argmax())  # no prototype
    told(explorer, point=row)
    assert explorer.selected == row
    assert explorer.table["selected"].tolist() == [label == row for label in explorer.table.index]
    told(explorer, point=-1)
    assert explorer.selected is None
    for wrong in ("nobody", ["a"], 1000):
        with pytest.raises(pc.OptionError, match="a label of a row"):
            explorer.selected = wrong
    assert fine(explorer)


def test_a_class_stands_out(explorer):
    told(explorer, only=1)
    assert explorer.class_ == "versicolor"
    explorer.class_ = None
    assert explorer.state["only"] == -1
    with pytest.raises(pc.OptionError, match=r"class_ must be .* not 'rose'"):
        explorer.class_ = "rose"


def test_axes_are_predictors_or_a_map(explorer, fit, iris):
    where = fit.dissimilarity.map(2)
    assert explorer.table[["x", "y"]].to_numpy() == pytest.approx(where.to_numpy())
    assert (explorer.state["x"], explorer.state["y"]) == ("map", "")
    plane = told(explorer, x="petal_width", y="sepal_length", wants=["plane", "regions"])
    assert plane["plane"]["axes"] == ["petal width", "sepal length"]
    assert not plane["plane"]["outline"]["data"]  # two of four predictors: a circle would be no ball
    assert "regions" not in plane
    assert explorer.table["x"].tolist() == iris["petal_width"].tolist()
    assert explorer.table["y"].tolist() == iris["sepal_length"].tolist()
    assert explorer.figure.axes[0].get_xlabel() == "petal width"
    explorer.x = "map"
    assert explorer.table[["x", "y"]].to_numpy() == pytest.approx(where.to_numpy())
    for name in ("x", "y"):
        with pytest.raises(pc.OptionError, match="species"):
            setattr(explorer, name, "species")


def unpack(packed):
    return np.frombuffer(packed["data"], packed["type"])


def test_balls_and_regions_in_the_metrics_own_plane(iris):
    fit = pc.fit("species ~ petal_length + petal_width", iris, eps=0.5)
    e = PrototypeExplorer(fit)
    assert (e.x, e.y) == ("petal_length", "petal_width")
    answer = told(e, wants=["plane", "regions"])
    regions, outline = answer["regions"], unpack(answer["plane"]["outline"]).reshape(-1, 2)
    drawn = [line.get_xydata() for line in fit.plot().lines]
    for ball, (_, spot) in zip(drawn, fit.prototypes.iterrows(), strict=True):
        assert ball == pytest.approx(spot[["petal_length", "petal_width"]].to_numpy(float) + 0.5 * outline, abs=1e-6)
    low, high, bottom, top = regions["extent"]
    codes = unpack(regions["codes"]).reshape(regions["height"], regions["width"])
    for _, spot in fit.prototypes.iterrows():  # each lies where its class is given
        row = int((spot["petal_width"] - bottom) / (top - bottom) * len(codes))
        column = int((spot["petal_length"] - low) / (high - low) * len(codes[0]))
        assert codes[row, column] == fit.classes.index(spot["class"])
    turned = told(e, x="petal_width", y="petal_length", wants=["plane", "regions"])
    assert unpack(turned["plane"]["outline"]).reshape(-1, 2) == pytest.approx(outline[:, ::-1])
    assert (unpack(turned["regions"]["codes"]).reshape(codes.shape[::-1]) == codes.T).all()
    ranks = PrototypeExplorer(pc.fit("species ~ petal_length + petal_width", iris, eps=9.5, dissimilarity="ranks"))
    assert not told(ranks, wants=["plane"])["plane"]["outline"]["data"]
    assert fine(ranks)


@pytest.mark.parametrize("seed", range(2))
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
        wrong[ball.index[~ball["same_class"]]] += 1
        first[ball.index[ball["same_class"]]] = place
    assert (coverage.wrong == wrong).all()
    assert (coverage.first == first).all()
    e = PrototypeExplorer(fit)
    assert (e.table["covered"] == (first >= 0)).all()
    assert (e.table["miscovered"] == wrong).all()


def test_pictures_are_those_of_the_rows():
    data = pc.load_data("digits").iloc[:400]
    fit = pc.fit("digit ~ .", data, dissimilarity=RAW, eps=30.0)
    e = PrototypeExplorer(fit, shape=(8, 8), radii=[25.0, 35.0])
    assert e._stages.radii == [25.0, 30.0, 35.0]
    film, album, _ = e.parts
    pixels = unpack(describe(film, album)["album"]["pixels"]).reshape(400, 64)
    assert pixels == pytest.approx(255 * (1 - data.drop(columns="digit").to_numpy() / 16), abs=1)
    centres = PrototypeExplorer(pc.fit("digit ~ .", data, "kmeans", K=1, dissimilarity=RAW), shape=(8, 8))
    pixels = unpack(describe(*centres.parts[:2])["album"]["pixels"]).reshape(-1, 64)
    assert len(pixels) == 410
    of = centres.fit.prototypes.drop(columns="class").select_dtypes("number").iloc[:, -64:].to_numpy()
    assert pixels[400:] == pytest.approx(255 * (1 - of / 16), abs=1)
    for wrong in ((8, 9), 64):
        with pytest.raises(pc.OptionError, match="shape"):
            PrototypeExplorer(fit, shape=wrong)


def test_a_given_matrix_has_a_map_alone(papers_data):
    cat = pd.read_csv(f"{papers_data}/cat_cortex.csv", index_col="area")
    D = cat.drop(columns="region").set_axis(cat.index, axis=1)
    fit = pc.fit("region ~ 1", cat[["region"]], dissimilarity=D, repeats=1)
    e = PrototypeExplorer(fit)
    assert e.table[["x", "y"]].to_numpy() == pytest.approx(fit.dissimilarity.map(2).to_numpy())
    told(e, stage=2)
    at = e.fit.prototypes.index[0]
    told(e, point=e.table.index.get_loc(at))
    assert e.selected == at
    assert fine(e)
    with pytest.raises(pc.OptionError, match=r"x must be .* not 'region'"):
        e.x = "region"


@pytest.mark.parametrize(
    ("method", "knobs"),
    [
        ("knn", {"k": 5}),
        ("kmeans", {"K": 3}),
        ("hyperplane", {"C": 1.0}),
        ("scm", {"penalty": 2.0, "stop": 3, "kind": "conjunction"}),
        ("pvm", {"eps": 1.0, "solver": "exact", "dissimilarity": "euclidean"}),
    ],
)
def test_methods_without_radius_have_no_slider(iris, method, knobs):
    fit = pc.fit("species ~ .", iris, method, **knobs)
    e = PrototypeExplorer(fit)
    assert not e._stages.radii
    if method != "pvm":
        with pytest.raises(pc.OptionError, match="no slider of radii"):
            e.eps = 1.0
    assert (e.table["correct"].iloc[:150].astype(bool) == fit.augment()["correct"]).all()
    for row in (0, 70, 106):
        assert not told(e, point=row).get("problem")
        assert fine(e)
    if "decision" in fit.rule.kinds:
        (of,) = [dict(t["rows"]) for t in told(e)["tables"] if t["caption"] == "Decision for each class"]
        assert [float(of[level]) for level in fit.classes] == pytest.approx(fit.predict(kind="decision").loc[106].tolist(), rel=1e-3)
    if "prob" in fit.rule.kinds:
        assert "The probability, or share of votes" in " ".join(told(e)["words"])


def test_centroids_speak_for_the_rows_nearest_to_them(iris):
    fit = pc.fit("species ~ .", iris, "kmeans", K=2)
    e = PrototypeExplorer(fit)
    assert e.table["what"].tolist() == ["row"] * 150 + ["prototype"] * 6
    e.selected = "kmeans[versicolor].2"
    told(e, point=e.table.index.get_loc("kmeans[setosa].1"))
    assert e.selected == "kmeans[setosa].1"
    at = fit.prototypes.loc[e.selected, "petal_length"]
    field = describe(*e.parts[:2])["fields"][2]
    assert field["name"] == "petal_length"
    assert unpack(field["values"])[e.table.index.get_loc(e.selected)] == pytest.approx(at)
    e.x, e.y = "petal_length", "petal_width"
    assert e.table.loc[e.selected, "x"] == pytest.approx(at)
    assert e.parts[0].names[150:] == fit.prototypes.index.tolist()
    assert fine(e)


def test_machines_say_what_decided(iris):
    two = iris[iris.species != "setosa"]
    two = two.assign(species=two.species.cat.remove_unused_categories())
    fit = pc.fit("species ~ .", two, "scm", features="stumps", kind="conjunction", penalty=2.0, stop=2)
    e = PrototypeExplorer(fit)
    rules = fit.tidy()["rule"]
    assert rules[0] in tables(told(e))["Features"][0][1]
    for row in two.index[::9]:
        e.selected = row
        said = " ".join(told(e)["words"])
        name, sign, cut = rules[0].split()
        holds = (two[name][row] > float(cut)) == (sign == ">")
        assert (f'"{rules[0]}" does not hold' in said) == (not holds)
        assert f"Machine virginica against versicolor says {fit.predict()[row]}:" in said


def test_radii_that_take_too_much_are_left_out_with_a_word(iris, monkeypatch):
    fit = pc.fit("species ~ .", iris, eps=1.0, dissimilarity="euclidean")
    exact = PrototypeExplorer(fit.update(solver="exact"))
    assert b"each radius is slow to solve" in exact.content
    some = PrototypeExplorer(exact.fit, radii=[0.8, 1.5])
    told(some, stage=2)
    assert some.fit.prototypes.equals(fit.update(solver="exact", eps=1.5).prototypes)

    def refuse(self, task, grid):
        raise pc.TooLarge("balls hold too many rows")

    monkeypatch.setattr(pc.PVM, "path", refuse)
    e = PrototypeExplorer(fit)
    assert e.eps is None
    assert b"There is no slider of radii: balls hold too many rows" in e.content
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
    given.selected = given.fit.prototypes.index[0]
    assert fine(given)


# what they share


def test_an_error_is_said_in_words_and_the_explorer_goes_on(explorer, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(explorer, "tell", lambda message: 1 / 0)
        assert told(explorer, point=4) == {"problem": explorer.alert}
    assert explorer.alert == "ZeroDivisionError: division by zero (explorer.exception has it)"
    assert isinstance(explorer.exception, ZeroDivisionError)
    assert "problem" not in told(explorer, point=5)
    assert fine(explorer)
    assert explorer.selected == 5
    with pytest.raises(TraitError):
        explorer.alert = "mine"


def test_a_map_that_cannot_be_made_leaves_the_rest(fit, monkeypatch, tmp_path):
    def refuse(fit, source, rows):
        raise pc.DataError("a map needs all dissimilarities")

    monkeypatch.setattr("protoclass.pictures.plane.make_map", refuse)
    e = PrototypeExplorer(fit)
    assert e.alert == "a map needs all dissimilarities"
    assert b"a map needs all dissimilarities" in e.content
    assert "image/png" not in e._repr_mimebundle_()[0]
    with pytest.raises(pc.NotAvailable, match="no map to save: a map needs all"):
        e.save(tmp_path / "fit.html")
    assert told(e, x="petal_length", y="petal_width", wants=["plane"])["plane"]["x"] == "petal_length"
    assert fine(e)
    assert e.figure.axes[0].get_xlabel() == "petal length"


def test_an_explorer_whose_first_picture_fails_is_shown_too(fit, monkeypatch):
    monkeypatch.setattr("protoclass.pictures.plane.make_map", lambda *_: 1 / 0)
    e = PrototypeExplorer(fit)
    assert "ZeroDivisionError" in e.alert
    assert e.model_id


def test_many_changes_are_told_at_once(explorer):
    heard = []
    explorer.observe(lambda change: heard.append(change.new["stage"]), "state")
    with explorer.hold():
        for eps in explorer._stages.radii:
            explorer.eps = eps
        explorer.selected = 82
    assert heard == [19]
    explorer.eps = explorer._stages.radii[19]  # no change
    assert len(heard) == 1


def test_messages_in_several_threads_leave_one_state(explorer):
    threads = [threading.Thread(target=lambda stage=stage: told(explorer, stage=stage)) for stage in range(15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert explorer.fit is explorer._stages.fits[explorer.state["stage"]]
    assert fine(explorer)


def test_the_figure_is_the_plot(explorer, curve, fit):
    for e, drawn in ((explorer, fit.plot()), (curve, fit.validation.plot())):
        assert isinstance(e.figure, Figure)
        assert e.figure.axes[0].get_title().split() == drawn.get_title().split()  # wrapped where the figure ends
        assert len(e.figure.axes[0].get_children()) == len(drawn.get_children())


def test_pages_without_widgets_get_the_picture(explorer):
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_page_fetches_nothing(explorer):
    script = str(explorer._esm)
    assert "aria-label" in script
    assert "http" not in script.replace("http://www.w3.org/2000/svg", "")  # the name of a vocabulary, which nothing fetches


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
        assert len(figure.axes[0].get_children()) > 12
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


def test_odd_labels(iris):
    names = {"setosa": "a class whose name is so long that no legend holds it", "versicolor": "$x_1$", "virginica": "<b>"}
    data = iris.assign(species=iris.species.cat.rename_categories(names)).set_index(
        pd.MultiIndex.from_arrays([iris.index, ["é"] * 150])
    )
    fit = pc.fit("species ~ .", data, eps=1.0)
    e = PrototypeExplorer(fit)
    e.selected = fit.prototypes.index[1]
    assert e.selected == (fit.prototypes.index[1][0], "é")
    assert not told(e).get("problem")
    assert fine(e)


def test_explorers_are_linked_as_other_widgets(curve, explorer, fit):
    link((curve, "eps"), (explorer, "eps"))
    curve.point = 17
    assert explorer.fit.selection.point == 17
    explorer.eps = 0.9952
    assert curve.point == fit.selection.point
    assert fine(curve)
    assert fine(explorer)


def test_a_file_is_written_where_there_is_no_front_end(fit, tmp_path, capsys):
    path = fit.explore(save=tmp_path / "fit.html")
    assert path == tmp_path / "fit.html"
    assert path.stat().st_size > 50_000
    assert not capsys.readouterr().out
