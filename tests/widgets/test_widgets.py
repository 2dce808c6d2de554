"""The explorers, driven through their traits and the messages of their page; no browser."""

import threading

import comm
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from traitlets import TraitError

import protoclass as pc
from protoclass.pictures.coverage import measure_coverage
from protoclass.widgets import base, explore_fit, explore_validation
from protoclass.widgets.content import describe
from protoclass.widgets.curve import CurveExplorer
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
    assert (curve.point, curve.eps) == (fit._selection.point, fit.model.eps)
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
        with pytest.raises(pc.errors.OptionError, match="its slider has"):
            curve.eps = wrong
    with pytest.raises(pc.errors.OptionError, match="row of `table`, 0 to 19"):
        curve.point = 20
    assert curve.point == 5
    assert "row of `table`, 0 to 19" in told(curve, point=20)["problem"]  # as no page of ours sends it
    assert "point=20" in curve.alert
    assert curve.point == 5


def test_of_several_distances_both_explorers_have_the_radii_of_the_selected_one(iris):
    fit = pc.fit("species ~ .", iris[::2], cv=3, repeats=1)
    grid = fit.validation.grid
    own = grid[grid["dissimilarity"] == grid["dissimilarity"][fit._selection.point]]
    assert len(own) < len(grid)
    curve, explorer = CurveExplorer(fit.validation), PrototypeExplorer(fit)
    assert curve.grid == {"eps": own["eps"].tolist()}
    told(explorer, step=3)
    assert (explorer.eps, explorer.fit._selection.point) == (own["eps"].iloc[3], own.index[3])
    assert explorer.fit.prototypes.equals(fit.validation.fit_at(own.index[3]).prototypes)
    assert fine(curve)
    assert fine(explorer)


# the prototypes


def test_the_radius_reaches_the_fits_that_fitting_gives(explorer, fit):
    assert explorer.fit is fit
    grid = fit.validation.grid["eps"].tolist()
    told(explorer, step=17)
    assert explorer.eps == grid[17]
    assert explorer.fit.prototypes.equals(fit.update(eps=grid[17]).prototypes)
    assert explorer.fit._selection.point == 17  # its cross-validated error is known
    explorer.eps = 0.9952  # as it is printed
    assert explorer.fit is fit
    assert fine(explorer)
    for wrong in (99.0, "large"):
        with pytest.raises(pc.errors.OptionError, match="eps"):
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


def test_it_opens_on_the_closest_error_or_the_first_prototype(explorer, fit, iris):
    wrong = fit.validation.held_out[fit._selection.point] != iris["species"]
    far = fit.predict(kind="distance").apply(lambda d: d.nsmallest(2).diff().iloc[-1], axis=1)
    assert explorer.selected == far[wrong].abs().idxmin()
    right = pc.fit("species ~ .", iris, eps=0.1, dissimilarity="euclidean")
    assert PrototypeExplorer(right).selected == right.prototypes.index[0]


def test_nearest_prototypes_and_rivals_are_those_of_the_distances(iris):
    fit = pc.fit("species ~ .", iris, dissimilarity=pc.Chebyshev(), eps=0.8, cv=3, repeats=1)  # which a page does not compute
    content = PrototypeExplorer(fit)._content
    rule = {name: unpack(part) for name, part in content.rule(content.steps.own).items() if isinstance(part, dict)}
    D, classes = fit.dissimilarity.frame()[fit.prototypes.index].to_numpy(), fit.prototypes["class"].to_numpy()
    assert rule["distances"].reshape(150, 5) == pytest.approx(np.sort(D, axis=1)[:, :5])
    same = classes[None, :] == iris["species"].to_numpy(object)[:, None]
    right = same[np.arange(150), D.argmin(axis=1)]
    rivals = np.where(same == right[:, None], np.inf, D)
    assert rule["near"] == pytest.approx(D.min(axis=1))
    assert rule["far"] == pytest.approx(rivals.min(axis=1))


def test_a_learned_map_of_levels_needs_python(iris):
    """There is no map of the predictors, which is not taken for one without weights."""
    fit = pc.fit("species ~ .", iris.assign(site=list("ab") * 75), dissimilarity=pc.LDA(), eps=1.0)
    assert PrototypeExplorer(fit)._content.metric == {"reason": "LDA dissimilarities need Python"}


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
        with pytest.raises(pc.errors.OptionError, match="a label of a row"):
            explorer.selected = wrong
    assert fine(explorer)


def test_a_class_stands_out(explorer):
    told(explorer, only=1)
    assert explorer.class_ == "versicolor"
    explorer.class_ = None
    assert explorer.state["only"] == -1
    with pytest.raises(pc.errors.OptionError, match=r"class_ must be .* not 'rose'"):
        explorer.class_ = "rose"


def test_axes_are_predictors_or_a_map(explorer, fit, iris):
    where = fit.dissimilarity.map(2)
    assert explorer.table[["x", "y"]].to_numpy() == pytest.approx(where.to_numpy())
    assert (explorer.state["x"], explorer.state["y"]) == ("map", "")
    plane = told(explorer, x="petal_width", y="sepal_length", wants=["plane"])
    assert plane["plane"]["axes"] == ["petal width", "sepal length"]
    assert explorer.table["x"].tolist() == iris["petal_width"].tolist()
    assert explorer.table["y"].tolist() == iris["sepal_length"].tolist()
    assert explorer.figure.axes[0].get_xlabel() == "petal width"
    explorer.x = "map"
    assert explorer.table[["x", "y"]].to_numpy() == pytest.approx(where.to_numpy())
    for name in ("x", "y"):
        with pytest.raises(pc.errors.OptionError, match="species"):
            setattr(explorer, name, "species")
    other = PrototypeExplorer(fit, x="sepal_length")
    assert other.y == "sepal_width"
    other.x = other.y
    assert other.y == "sepal_length"


def unpack(packed):
    return np.frombuffer(packed["data"], packed["type"])


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
    task = fit._problem.task(fit.dissimilarity)
    coverage = measure_coverage(fit, task.D)
    assert (coverage.fitted == fit.predict().cat.codes).all()
    assert (coverage.nearest == [fit.prototypes.index.get_loc(p) for p in fit.predict(kind="nearest")]).all()
    wrong, first = np.zeros(n, int), np.full(n, -1)
    for place, label in reversed(list(enumerate(fit.prototypes.index))):
        ball = fit.why(prototype=label)
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
    assert e._steps.radii == [25.0, 30.0, 35.0]
    content, album = e._content, e._album
    pixels = unpack(describe(content, album)["album"]["pixels"]).reshape(400, 64)
    assert pixels == pytest.approx(255 * (1 - data.drop(columns="digit").to_numpy() / 16), abs=1)
    centres = PrototypeExplorer(pc.fit("digit ~ .", data, "kmeans", K=1, dissimilarity=RAW), shape=(8, 8))
    pixels = unpack(describe(centres._content, centres._album)["album"]["pixels"]).reshape(-1, 64)
    assert len(pixels) == 410
    of = centres.fit.prototypes.drop(columns="class").select_dtypes("number").iloc[:, -64:].to_numpy()
    assert pixels[400:] == pytest.approx(255 * (1 - of / 16), abs=1)
    for wrong in ((8, 9), 64):
        with pytest.raises(pc.errors.OptionError, match="shape"):
            PrototypeExplorer(fit, shape=wrong)


@pytest.mark.parametrize(
    ("method", "knobs"),
    [
        ("knn", {"k": 5}),
        ("kmeans", {"K": 3}),
        ("hyperplane", {"C": 1.0}),
        ("scm", {"penalty": 2.0, "max_size": 3, "kind": "conjunction"}),
        ("pvm", {"eps": 1.0, "solver": "exact", "dissimilarity": "euclidean"}),
    ],
)
def test_methods_without_radius_have_no_slider(iris, method, knobs):
    fit = pc.fit("species ~ .", iris, method, **knobs)
    e = PrototypeExplorer(fit)
    assert not e._steps.radii
    if method != "pvm":
        with pytest.raises(pc.errors.OptionError, match="no slider of radii"):
            e.eps = 1.0
    assert (e.table["correct"].iloc[:150].astype(bool) == fit.augment()["correct"]).all()
    for row in (0, 70, 106):
        assert not told(e, point=row).get("problem")
        assert fine(e)
    if "decision" in fit.rule.kinds:
        (of,) = [dict(t["rows"]) for t in told(e)["tables"] if t["caption"] == "Decision for each class"]
        assert [float(of[level]) for level in fit.classes] == pytest.approx(fit.predict(kind="decision").loc[106].tolist(), rel=1e-3)
    if "prob" in fit.rule.kinds:
        assert "The probability, or proportion of votes" in " ".join(told(e)["words"])


def test_centroids_speak_for_the_rows_nearest_to_them(iris):
    fit = pc.fit("species ~ .", iris, "kmeans", K=2)
    e = PrototypeExplorer(fit)
    assert e.table["what"].tolist() == ["row"] * 150 + ["prototype"] * 6
    e.selected = "kmeans[versicolor].2"
    told(e, point=e.table.index.get_loc("kmeans[setosa].1"))
    assert e.selected == "kmeans[setosa].1"
    at = fit.prototypes.loc[e.selected, "petal_length"]
    field = describe(e._content, e._album)["fields"][2]
    assert field["name"] == "petal_length"
    assert unpack(field["values"])[e.table.index.get_loc(e.selected)] == pytest.approx(at)
    e.x, e.y = "petal_length", "petal_width"
    assert e.table.loc[e.selected, "x"] == pytest.approx(at)
    assert e._content.names[150:] == fit.prototypes.index.tolist()
    assert fine(e)


def test_machines_say_what_decided(iris):
    two = iris[iris.species != "setosa"]
    two = two.assign(species=two.species.cat.remove_unused_categories())
    fit = pc.fit("species ~ .", two, "scm", features="stumps", kind="conjunction", penalty=2.0, max_size=2)
    e = PrototypeExplorer(fit)
    rules = fit.tidy()["rule"]
    conditions = e._content.rule(0)["conditions"]
    assert [condition["words"] for condition in conditions] == rules.tolist()
    settled = np.concatenate([unpack(condition["rows"]) for condition in conditions])
    assert len(set(settled.tolist())) == len(settled)  # a row is settled once
    assert (fit.predict().iloc[settled] == "versicolor").all()
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
    told(some, step=2)
    assert some.fit.prototypes.equals(fit.update(solver="exact", eps=1.5).prototypes)

    def refuse(self, task, grid):
        raise pc.errors.TooLargeError("balls hold too many rows")

    monkeypatch.setattr(pc.PVM, "path", refuse)
    e = PrototypeExplorer(fit)
    assert e.eps is None
    assert b"There is no slider of radii: balls hold too many rows" in e.content
    assert fine(e)
    with pytest.raises(pc.errors.TooLargeError):
        PrototypeExplorer(fit, radii=[1.0, 2.0])
    with pytest.raises(pc.errors.OptionError, match="'knn' has no radius"):
        PrototypeExplorer(pc.fit("species ~ .", iris, "knn", k=3), radii=[1.0])


def test_candidates_that_are_not_rows(iris):
    fit = pc.fit("species ~ .", iris, eps=1.0, candidates=pc.candidates.kmeans(6, only=True))
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
        broken.setattr(explorer, "reply", lambda message: 1 / 0)
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
        raise pc.errors.DataError("a map needs all dissimilarities")

    monkeypatch.setattr("protoclass.pictures.plane.make_map", refuse)
    e = PrototypeExplorer(fit)
    assert e.alert == "a map needs all dissimilarities"
    assert b"a map needs all dissimilarities" in e.content
    assert "image/png" not in e._repr_mimebundle_()[0]
    with pytest.raises(pc.errors.NotAvailableError, match="no map to save: a map needs all"):
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
    explorer.observe(lambda change: heard.append(change.new["step"]), "state")
    with explorer.hold():
        for eps in explorer._steps.radii:
            explorer.eps = eps
        explorer.selected = 82
    assert heard == [19]
    explorer.eps = explorer._steps.radii[19]  # no change
    assert len(heard) == 1


def test_messages_in_several_threads_leave_one_state(explorer):
    threads = [threading.Thread(target=lambda step=step: told(explorer, step=step)) for step in range(15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert explorer.fit is explorer._steps.fits[explorer.state["step"]]
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
    ):
        figure = call()
        assert isinstance(figure, Figure)
        assert figure.number in plt.get_fignums()  # plt.show() opens it
        assert "JupyterLab" in capsys.readouterr().out
        assert len(figure.axes[0].get_children()) > 12
    monkeypatch.setattr(base, "front_end", lambda: True)
    assert isinstance(explore_fit(fit), PrototypeExplorer)
    assert isinstance(explore_validation(fit.validation), CurveExplorer)
    assert not capsys.readouterr().out
    for call in (lambda: explore_fit(fit, colour="red"), lambda: explore_validation(fit.validation, shape=(2, 2))):
        with pytest.raises(pc.errors.OptionError, match="has no argument"):
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


def test_explorers_share_their_radius(curve, explorer, fit):
    for other, *names in ((explorer, "eps", "point"), (Figure(), "eps")):
        with pytest.raises(pc.errors.OptionError, match=f"needs two explorers in a notebook that have '{names[-1]}'"):
            pc.link(curve, other, *names)
    explorer.eps = fit.validation.grid["eps"][17]
    assert curve.point == fit._selection.point  # nothing is linked yet
    pc.link(curve, explorer)
    curve.point = 17
    assert explorer.fit._selection.point == 17
    explorer.eps = 0.9952
    assert curve.point == fit._selection.point
    assert fine(curve)
    assert fine(explorer)


def test_a_file_is_written_where_there_is_no_front_end(fit, tmp_path, capsys):
    path = fit.explore(save=tmp_path / "fit.html")
    assert path == tmp_path / "fit.html"
    assert path.stat().st_size > 50_000
    assert not capsys.readouterr().out
