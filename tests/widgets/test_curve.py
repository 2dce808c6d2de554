"""What a browser draws beside the map: the error curve, the heat map, the gauge of the proved bound, swaps and criticisms."""

import json
import re
import struct

import numpy as np
import pytest
from mounting import follow, mount, settle

import protoclass as pc
from protoclass.pictures.curve import limit_errors
from protoclass.pictures.stages import measure_gaps
from protoclass.tables.words import describe_choice
from protoclass.widgets import explore_fit
from protoclass.widgets.curve import CurveExplorer, describe_chart, describe_line
from protoclass.widgets.film import describe_curve
from protoclass.widgets.prototypes import PrototypeExplorer


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, dissimilarity="euclidean", repeats=1)


@pytest.fixture(scope="module")
def machines(iris):
    """A grid of three parameters, one of which has names."""
    return pc.cross_validate("species ~ .", iris, "scm", penalty=[1.0, 2.0, float("inf")], stop=[1, 2, 3, 4], cv=3)


def read(explorer):
    """The header of what a page draws."""
    (length,) = struct.unpack("<I", explorer.content[:4])
    return json.loads(explorer.content[4 : 4 + length])


# what is sent


def test_a_curve_is_the_table(fit):
    v = fit.validation
    chart = describe_chart(v, ("eps",))
    curve = json.loads(json.dumps(chart, allow_nan=False))["curve"]
    (axis,) = chart["axes"]
    assert (axis["name"], len(axis["texts"]), axis["named"]) == ("radius eps of the balls", 20, False)
    for name in ("error", "se"):
        assert curve[f"{name}s"] == v.table[name].tolist()
    assert curve["x"] == v.grid["eps"].tolist()
    assert curve["ends"] == list(limit_errors(v.table))
    least, limit = curve["band"]
    assert least == v.table["error"].min()
    assert limit == pytest.approx(least + v.table["se"][v.best])
    assert {k: mark for k, mark in enumerate(curve["marks"]) if mark} == {v.best: "lowest error", v.one_se: "1-SE choice"}
    for point in (0, v.best, 19):
        assert curve["words"][point] == f"{describe_choice(v, point)} Size {v.table['size'][point]:.4g}."


def test_the_curve_has_a_line_for_each_distance(iris):
    fit = pc.fit("species ~ .", iris[::3], dissimilarity=["euclidean", "lda"], eps=[0.5, 1.0, 2.0], cv=3, repeats=1)
    whole, chosen = fit.validation.table, fit.dissimilarity.metric.name
    (line,) = read(CurveExplorer(fit.validation))["curve"]["others"]
    (other,) = {"Euclidean", "LDA"} - {chosen}
    assert line == {"name": other, "x": [0.5, 1.0, 2.0], "errors": whole.loc[whole["dissimilarity"] == other, "error"].tolist()}
    assert describe_curve(PrototypeExplorer(fit)._stages)["others"] == [line]


def test_a_heat_map_is_the_table(machines):
    v = machines
    heat = json.loads(json.dumps(describe_chart(v, ("penalty", "stop")), allow_nan=False))["heat"]
    assert heat["names"] == [["1", "2", "inf"], ["1", "2", "3", "4"]]
    for point in range(len(v.grid)):
        i, j = heat["places"][point]
        row = v.grid.iloc[point]
        assert (row["penalty"], row["stop"]) == ([1.0, 2.0, np.inf][i], j + 1)
        same = v.grid.index[v.grid["kind"] == row["kind"]]
        assert np.flatnonzero(np.array(heat["slices"]) == heat["slices"][point]).tolist() == same.tolist()
    order = np.argsort(v.table["error"].to_numpy(), kind="stable")
    assert (np.diff(np.array(heat["shades"])[order]) >= 0).all()
    assert 0 < heat["shades"][order[0]] < heat["shades"][order[-1]] < 1


@pytest.mark.parametrize(
    ("method", "tuned"),
    [
        ("pvm", {"eps": 1.0}),
        ("pvm", {"eps": [0.5, 1.0], "lambda_": [0.5, 2.5]}),
        ("scm", {"penalty": [1.0, float("inf")], "kind": "conjunction"}),
    ],
)
def test_every_grid_is_json_that_a_page_can_read(iris, method, tuned):
    explorer = CurveExplorer(pc.cross_validate("species ~ .", iris, method, cv=3, **tuned))
    chart = read(explorer)
    drawn = chart.get("heat") or chart["curve"]
    assert np.prod([len(axis["texts"]) for axis in chart["axes"]]) == len(explorer.validation.table)
    assert len(drawn["words"]) == len(drawn["points"]) == len(drawn["errors"]) == len(explorer.validation.table)
    explorer.point = len(explorer.validation.table) - 1
    assert explorer.state["point"] == explorer.point


def test_the_curve_above_the_map_is_the_same_at_its_radii(iris, fit):
    explorer = PrototypeExplorer(fit)
    curve, alone = describe_curve(explorer._stages), describe_chart(fit.validation, ("eps",), [])["curve"]
    assert curve == alone
    two = pc.fit("species ~ .", iris, eps=[0.6, 1.0, 1.6], lambda_=[0.5, 2.5], cv=3, dissimilarity="euclidean", repeats=1)
    some = describe_curve(PrototypeExplorer(two)._stages)
    here = two.validation.grid["lambda_"] == two.parameters()["lambda_"]
    assert some["points"] == [0, 1, 2]
    assert some["errors"] == two.validation.table["error"][here].tolist()


# what the browser does with it


@pytest.fixture(scope="module")
def uneven(iris):
    """A grid of which K = 2 has one point alone."""
    tuned = {"K": [1, 2], "matrix": "diagonal", "local": [False, True], "ridge": [0.01, 0.1]}
    return CurveExplorer(pc.cross_validate("species ~ .", iris, "medianglvq", cv=3, **tuned))


def test_a_slider_goes_to_the_nearest_point_of_a_grid_that_is_no_product(uneven):
    grid = uneven.validation.grid
    assert grid["K"].tolist() == [1, 1, 1, 1, 2]
    for name, value in (("K", 2), ("local", True), ("ridge", 0.1), ("K", 2), ("local", False)):
        setattr(uneven, name, value)
        row = grid.iloc[uneven.point]
        assert row[name] == value
        assert {k: getattr(uneven, k) for k in grid} == row.to_dict()
    chart = describe_chart(uneven.validation, ("K", "ridge"))
    for axis, name in zip(chart["axes"], grid, strict=True):
        assert [axis["texts"][k] for k in axis["at"]] == grid[name].astype(str).tolist()


@pytest.mark.browser
def test_sliders_of_a_page_go_to_the_nearest_point_too(page, uneven):
    grid = uneven.validation.grid
    uneven.point = 4
    mount(page, uneven)
    for name, value in (("whether for each class", 1), ("prototypes for each class, K", 1)):
        page.get_by_label(name).fill(str(value))
        settle(page, uneven)
        assert uneven.point == chosen(page)
    assert grid["K"].iloc[uneven.point] == 2


@pytest.fixture(scope="module")
def page(chromium):
    """One page for all: each test puts what it looks at in the place of what was there."""
    page, wrong = chromium.new_page(viewport={"width": 660, "height": 620}), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    page.close()
    assert not wrong


@pytest.fixture(scope="module")
def curve(fit):
    return CurveExplorer(fit.validation)


@pytest.fixture(scope="module")
def heat(machines):
    return CurveExplorer(machines)


def chosen(page):
    return int(page.locator(".protoclass-chart").get_attribute("data-chosen"))


def spot(page, point):
    x, y = page.locator(".protoclass-chart").evaluate("(chart, k) => chart.explorer.spots[k]", point)
    return {"x": x, "y": y}


SAID = ".protoclass-chart > .protoclass-unseen"


@pytest.mark.browser
def test_pointer_and_keys_choose_on_the_curve(page, curve, fit):
    explorer, v = curve, fit.validation
    mount(page, explorer)
    field, words = page.locator(".protoclass-plot"), read(explorer)["curve"]["words"]
    assert chosen(page) == explorer.point == fit.point
    field.hover(position=spot(page, 3))
    assert page.locator(".protoclass-chart-tip").inner_text() == words[3]
    assert chosen(page) == fit.point
    field.click(position={"x": spot(page, 7)["x"] + 2, "y": 60})
    page.get_by_text("Grid point 8 of 20").wait_for()
    assert chosen(page) == explorer.point == 7
    assert field.get_attribute("aria-valuenow") == "7"
    assert page.locator("[role=status]").inner_text() == field.get_attribute("aria-valuetext") == words[7]
    cells = page.locator("table").nth(1).locator("td").all_inner_texts()
    assert [int(n) for n in cells if n] == v.confusion(7).to_numpy().ravel().tolist()
    page.mouse.move(1, 1)
    field.focus()
    for key, here in (("ArrowRight", 8), ("ArrowRight", 9), ("ArrowLeft", 8), ("End", 19), ("ArrowRight", 19), ("Home", 0)):
        field.press(key)
        assert chosen(page) == here
        assert field.get_attribute("aria-valuetext") == words[here]
    assert field.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"  # the focus is seen
    page.get_by_text("Grid point 1 of 20").wait_for()
    assert chosen(page) == explorer.point == 0
    assert field.get_attribute("aria-label") == "radius eps of the balls"
    assert field.get_attribute("aria-description").endswith(words[0])
    page.mouse.move(*box_of(field, spot(page, 0)))
    page.mouse.down()
    page.mouse.move(*box_of(field, spot(page, 4)), steps=3)  # it is dragged as a slider is
    page.mouse.up()
    page.get_by_text("Grid point 5 of 20").wait_for()
    assert explorer.point == 4
    field.press("Home")
    page.get_by_text("Grid point 1 of 20").wait_for()
    page.get_by_role("button", name="Fit here").click()
    page.get_by_text("the fit at eps").wait_for()
    assert explorer.fit.point == 0


@pytest.mark.browser
def test_the_curve_follows_its_slider_without_python(page, curve):
    mount(page, curve, answers=False)
    slider = page.get_by_role("slider")
    for point in (3, 12):
        slider.click(position=spot(page, point))
        assert chosen(page) == point
        assert page.locator("[role=status]").inner_text() == read(curve)["curve"]["words"][point]
    slider.press("Home")
    assert chosen(page) == 0
    assert slider.get_attribute("aria-valuenow") == "0"
    sent = page.evaluate("model.sent")
    page.evaluate("view => model.set('state', { point: 5, used: -1, view, turn: 0 })", sent[-1]["view"])
    assert chosen(page) == 0  # Python has not heard of the last turn of this page
    page.evaluate("model.set('state', { point: 6, used: -1, view: '', turn: 0 })")  # of a cell
    assert chosen(page) == 6


@pytest.mark.browser
def test_cells_of_a_heat_map(page, heat):
    explorer, v = heat, heat.validation
    field = page.locator(".protoclass-plot")
    assert list(explorer.grid) == ["kind", "penalty", "stop"]

    def find(kind, penalty, stop):
        grid = v.grid
        return grid.index[(grid["kind"] == kind) & (grid["penalty"] == penalty) & (grid["stop"] == stop)][0]

    explorer.kind, explorer.penalty, explorer.stop = "conjunction", 1.0, 1
    mount(page, explorer)
    assert chosen(page) == explorer.point == find("conjunction", 1.0, 1)
    field.focus()
    cells = (("Up", (1.0, 2)), ("Right", (2.0, 2)), ("Down", (2.0, 1)), ("Down", (2.0, 1)), ("Left", (1.0, 1)))
    for key, cell in cells:
        field.press(f"Arrow{key}")
        assert page.locator(SAID).inner_text().startswith(describe_choice(v, find("conjunction", *cell)))
    field.press("End")
    field.press("Enter")
    settle(page, explorer)
    assert (explorer.penalty, explorer.stop) == (np.inf, 4)
    assert chosen(page) == explorer.point
    page.get_by_label("kind of machine").select_option("disjunction")
    other = find("disjunction", np.inf, 4)
    assert chosen(page) == other
    below = find("disjunction", 2.0, 3)
    field.click(position=spot(page, below))
    settle(page, explorer)
    assert explorer.point == chosen(page) == below
    cells = page.locator(".protoclass-chart").evaluate("chart => chart.explorer.spots.map((spot) => spot !== null)")
    assert np.flatnonzero(cells).tolist() == v.grid.index[v.grid["kind"] == "disjunction"].tolist()
    written = page.locator(".protoclass-plot text").all_text_contents()
    assert f"{v.table['error'][below]:.3f}"[1:] in [text.strip("()") for text in written]
    explorer.stop = 1
    follow(page, explorer)
    assert chosen(page) == find("disjunction", 2.0, 1)


def test_the_frontier_of_an_explorer_is_that_of_its_grid(fit, machines):
    v = fit.validation
    told = json.loads(json.dumps(describe_chart(v, ("eps",)), allow_nan=False))["curve"]
    table = v.table.iloc[told["frontier"]]
    assert told["size_values"] == v.table["size"].tolist()
    sizes = table["size"].tolist()
    assert sizes == sorted(sizes)
    assert table["error"].tolist() == sorted(table["error"], reverse=True)
    for point, row in v.table.drop(index=told["frontier"]).iterrows():
        assert table["error"][table["size"] <= row["size"]].min() <= row["error"] or row["size"] < sizes[0], point
    assert describe_line(machines, ("stop",), np.arange(4))["counted"] == "features"
    knn = pc.cross_validate("y ~ .", fit.call.data.rename(columns={"species": "y"}), "knn")
    assert describe_chart(knn, ("k",))["curve"]["frontier"] == []


@pytest.mark.browser
def test_the_curve_is_switched_to_the_frontier_and_back(page, curve):
    mount(page, curve)
    radius, number = (page.get_by_role("button", name=name) for name in ("radius eps", "number of prototypes"))
    number.click()
    assert (radius.get_attribute("aria-pressed"), number.get_attribute("aria-pressed")) == ("false", "true")
    field, points = page.locator(".protoclass-plot"), read(curve)["curve"]["frontier"]
    assert field.get_attribute("aria-label") == "number of prototypes"
    assert int(field.get_attribute("aria-valuemax")) == len(points) - 1
    for key, point in (("Home", points[0]), ("ArrowRight", points[1]), ("End", points[-1])):
        field.press(key)
        settle(page, curve)
        assert curve.point == chosen(page) == point
    radius.click()
    assert field.get_attribute("aria-valuemax") == "19"
    assert chosen(page) == points[-1]


@pytest.mark.browser
def test_keys_stay_in_the_explorer_and_silence_is_said(page, curve):
    curve.patience = 0.05
    mount(page, curve, answers=False)
    page.evaluate("() => { window.keys = []; window.addEventListener('keydown', (event) => keys.push(event.key)); }")
    field = page.locator(".protoclass-plot")
    field.focus()
    for key in ("b", "d", "ArrowDown", "ArrowRight", "Enter", "Escape", "x"):
        field.press(key)
    field.press("Control+q")
    assert [key for key in page.evaluate("keys") if key not in ("Control",)] == ["q"]  # what is the notebook's
    page.get_by_role("alert").get_by_text("Python does not answer").wait_for()
    page.evaluate("model.answers = true")  # it is back
    field.press("Home")
    field.press("ArrowRight")
    field.press("ArrowRight")
    page.get_by_text("Grid point 3 of 20").wait_for()
    assert page.locator(".protoclass-silent").count() == 0
    curve.patience = 6.0


def box_of(field, at):
    """A place of a field on the page."""
    box = field.bounding_box()
    return box["x"] + at["x"], box["y"] + at["y"]


INSIDE = """() => {
  const field = document.querySelector(".protoclass-plot"), box = field.getBoundingClientRect();
  const texts = [...field.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  const out = texts.filter(([, at]) => at.left < box.left - 1 || at.right > box.right + 1
    || at.top < box.top - 1 || at.bottom > box.bottom + 1);
  const meet = texts.filter(([, a], k) => texts.some(([, b], l) => l > k && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4));
  return { out: out.map(([text]) => text), meet: meet.map(([text]) => text), wide: document.documentElement.scrollWidth };
}"""


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(480, "dark"), pytest.param(1400, "light", marks=pytest.mark.long)])
def test_texts_stand_inside_and_apart_and_are_seen(page, curve, heat, width, scheme):
    page.set_viewport_size({"width": width, "height": 700})
    page.emulate_media(color_scheme=scheme)
    for explorer in (curve, heat):
        mount(page, explorer, answers=False)
        page.locator(".protoclass-plot text").first.wait_for()
        found = page.evaluate(INSIDE)
        assert (found["out"], found["meet"]) == ([], [])
        assert found["wide"] <= width
    ink, paper = page.locator(".protoclass-page").evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
    ink, paper = (sum(map(int, re.findall(r"\d+", colour))) / 3 for colour in (ink, paper))
    assert (ink > paper) == (scheme == "dark")
    assert abs(ink - paper) > 150
    assert page.locator(".protoclass-plot canvas").count() == 0  # lines and letters, which every number of dots leaves sharp


@pytest.mark.browser
def test_names_of_two_neighbouring_points_at_the_right_edge_are_whole(page, iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.01, 0.7772, 0.9952], dissimilarity="euclidean", repeats=1)
    assert (v.best, v.one_se) == (1, 2)
    page.set_viewport_size({"width": 320, "height": 700})
    mount(page, CurveExplorer(v), answers=False)
    page.locator(".protoclass-plot text").first.wait_for()
    found = page.evaluate(INSIDE)
    assert [text for text in found["out"] + found["meet"] if text in ("lowest error", "1-SE choice")] == []


@pytest.mark.browser
def test_the_strip_above_the_map_chooses_a_radius(page, iris, tmp_path):
    fit = pc.fit("species ~ .", iris, eps=[0.6, 1.0, 1.6], cv=3, dissimilarity="euclidean", repeats=1)
    page.goto(PrototypeExplorer(fit).save(tmp_path / "fit.html").as_uri())
    assert not page.get_by_role("meter").is_visible()  # nothing is proved of this fit
    assert page.get_by_label("Poorly explained").count() == 0
    strip, table = page.locator(".protoclass-plot"), fit.validation.table
    page.locator(".protoclass-map[data-drawn]").wait_for()
    strip.focus()
    for key, place in (("Home", 0), ("End", 2)):
        strip.press(key)
        assert strip.get_attribute("aria-valuenow") == page.locator(".protoclass-chart").get_attribute("data-chosen") == str(place)
        assert f"{100 * table['error'][place]:.1f} %\nCV error" in page.locator(".protoclass-figures").inner_text()


# the gauge of the proved bound, and the menus of swaps and criticisms


@pytest.fixture(scope="module")
def certified(iris):
    return pc.fit("species ~ .", iris, eps=1.0, certify=True)


@pytest.fixture(scope="module")
def explorer(certified):
    rows, swaps = certified.criticisms(5), certified.alternatives()
    return PrototypeExplorer(certified, radii=[1.0, 1.5], alternatives=swaps, criticisms=rows)


@pytest.mark.browser
def test_the_gauge_of_a_saved_page_says_what_python_does(page, explorer, certified, tmp_path):
    """At each radius and size; and the rows that are explained badly are listed and selected."""
    page.goto(explorer.save(tmp_path / "fit.html").as_uri())
    page.locator(".protoclass-map[data-drawn]").wait_for()
    gauge, sliders = page.get_by_role("meter"), page.locator("input[type=range]")
    assert page.locator(".protoclass-plot").count() == 0  # there is no curve over the radius
    for stage, eps in enumerate(explorer._stages.radii):
        sliders.nth(0).fill(str(stage))
        full = explorer._film.fits[stage]
        proved = measure_gaps(full)
        for size in (len(full.prototypes), 3, 0):
            sliders.nth(1).fill(str(size))
            settle(page)
            assert gauge.inner_text() == proved.describe(size)
            assert float(gauge.get_attribute("aria-valuenow")) == pytest.approx(100 / (1 + proved.gaps[size]), abs=0.1)
        assert f"{eps:.3g}" in page.locator("[role=status]").inner_text()
    assert proved.describe(len(full.prototypes)) == f"Objective: {full.certificate}."
    menu, rows = page.get_by_label("Poorly explained"), certified.criticisms(5).table
    label = rows.index[2]
    assert menu.locator("option").all_inner_texts() == ["(none)", *(f"{i} ({why})" for i, why in rows["reason"].items())]
    menu.select_option(index=3)
    assert page.evaluate("location.hash") == f"#row={label}"
    assert page.locator(".protoclass-panel h2").first.inner_text().startswith(f"Row {label}: ")
    page.locator(".protoclass-field").press("Escape")
    assert menu.input_value() == "-1"


@pytest.mark.browser
def test_in_a_notebook_the_gauge_and_the_ring_do_not_wait_for_python(page, explorer, certified):
    explorer.selected = explorer.fit.prototypes.index[0]
    mount(page, explorer, answers=False)
    page.locator(".protoclass-map[data-drawn]").wait_for()
    gauge, point = page.get_by_role("meter"), "document.querySelector('.protoclass-map').explorer.state.point"
    assert gauge.inner_text() == f"Objective: {certified.certificate}."
    assert f"Objective: {certified.certificate}." in page.locator(".protoclass-field").get_attribute("aria-description")
    page.locator("input[type=range]").nth(0).fill("1")
    settle(page)
    full = explorer._film.fits[1]
    assert gauge.inner_text() == measure_gaps(full).describe(len(full.prototypes))
    page.get_by_label("Poorly explained").select_option(index=2)
    assert page.evaluate(point) == certified.criticisms(5).table.index[1]


@pytest.mark.browser
def test_a_menu_swaps_a_prototype(page, certified):
    swaps = certified.alternatives()
    label = next(label for label, offers in swaps.table["substitutes"].items() if len(offers))
    explorer = PrototypeExplorer(certified, alternatives=swaps)
    mount(page, explorer)
    page.get_by_label("Find row").fill(str(label))
    page.keyboard.press("Enter")
    menu, row = page.get_by_label("Replace with"), next(iter(swaps.table.loc[label, "substitutes"]))
    menu.select_option(str(row))
    page.get_by_role("heading", name=f"Prototype {row}:").wait_for()
    settle(page, explorer)
    assert explorer.selected == row
    assert row in explorer.fit.prototypes.index
    page.locator("select[aria-label='Replace with'] option", has_text="original").wait_for(state="attached")


def test_what_is_not_the_name_of_a_page_is_said_of_save(fit):
    for wrong in (3, "fit.pdf"):
        with pytest.raises(pc.OptionError, match=r"^save must be .* ends in \.html"):
            explore_fit(fit, save=wrong)
    with pytest.raises(pc.OptionError, match=r"^path must be .* ends in \.html"):
        PrototypeExplorer(fit).save(3)
