"""The error curve and the heat map that a browser draws: what it is sent, and each control by mouse and by keyboard."""

import json

import numpy as np
import pytest
from mounting import mount

import protoclass as pc
from protoclass.views.curve import limit_errors
from protoclass.views.words import describe_choice
from protoclass.widgets.chart import describe_chart
from protoclass.widgets.curve import CurveExplorer
from protoclass.widgets.film import describe_curve
from protoclass.widgets.prototypes import PrototypeExplorer


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris)


@pytest.fixture(scope="module")
def machines(iris):
    """A grid of three parameters, one of which has names."""
    return pc.cross_validate("species ~ .", iris, "scm", penalty=[1.0, 2.0, float("inf")], stop=[1, 2, 3, 4], cv=3)


# what is sent


def test_a_curve_is_the_table(fit):
    v = fit.validation
    chart = describe_chart(v, ("eps",))
    curve = json.loads(json.dumps(chart, allow_nan=False))["curve"]
    assert chart["axes"] == [{"name": "eps", "count": 20}]
    for name in ("error", "se"):
        assert curve[f"{name}s"] == v.table[name].tolist()
    assert curve["x"] == v.grid["eps"].tolist()
    assert curve["log"]
    assert curve["strips"][0]["values"] == v.table["cover_error"].tolist()
    assert curve["ends"] == list(limit_errors(v.table))
    least, limit = curve["band"]
    assert least == v.table["error"].min()
    assert limit == pytest.approx(least + v.table["se"][v.best])
    assert {k: mark for k, mark in enumerate(curve["marks"]) if mark} == {v.best: "least error", v.one_se: "1-SE choice"}
    for point in (0, v.best, 19):
        assert curve["words"][point] == f"{describe_choice(v, point)} Size {v.table['size'][point]:.4g}."


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
    assert heat["fills"][order[0]] == heat["shades"][0]
    assert set(heat["letters"]) <= {"black", "white"}


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
    chart = json.loads(json.dumps(explorer.picture.chart, allow_nan=False))
    drawn = chart.get("heat") or chart["curve"]
    assert np.prod([axis["count"] for axis in chart["axes"]]) == len(explorer.validation.table)
    assert len(drawn["words"]) == len(drawn["points"]) == len(drawn["errors"]) == len(explorer.validation.table)
    explorer.point = len(explorer.validation.table) - 1
    assert explorer.picture.shown["point"] == explorer.point


def test_the_curve_above_the_map_is_the_same_at_its_radii(iris, fit):
    explorer = PrototypeExplorer(fit)
    curve, alone = describe_curve(explorer._stages), describe_chart(fit.validation, ("eps",))["curve"]
    assert {**curve, "texts": None} == {**alone, "texts": None}
    two = pc.fit("species ~ .", iris, eps=[0.6, 1.0, 1.6], lambda_=[0.5, 2.5], cv=3)
    some = describe_curve(PrototypeExplorer(two)._stages)
    here = two.validation.grid["lambda_"] == two.parameters()["lambda_"]
    assert some["points"] == [0, 1, 2]
    assert some["errors"] == two.validation.table["error"][here].tolist()


# what the browser does with it


@pytest.fixture(scope="module")
def context(chromium):
    context = chromium.new_context(viewport={"width": 660, "height": 620}, device_scale_factor=2, offline=True)
    yield context
    context.close()


@pytest.fixture
def page(context):
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    page.close()
    assert not wrong


def chosen(page):
    return int(page.locator(".protoclass-chart").get_attribute("data-chosen"))


def spot(page, point):
    x, y = page.locator(".protoclass-chart").evaluate("(chart, k) => chart.explorer.spots[k]", point)
    return {"x": x, "y": y}


SAID = ".protoclass-chart-said"


@pytest.mark.browser
def test_pointer_and_keys_choose_on_the_curve(page, fit):
    explorer = CurveExplorer(fit.validation)
    mount(page, explorer)
    field, words = page.locator(".protoclass-plot"), explorer.picture.chart["curve"]["words"]
    assert chosen(page) == explorer.point == fit.point
    field.hover(position=spot(page, 3))
    assert page.locator(".protoclass-chart-tip").inner_text() == words[3]
    assert chosen(page) == fit.point
    field.click(position={"x": spot(page, 7)["x"] + 2, "y": 60})
    assert chosen(page) == explorer.point == 7
    assert page.evaluate("models.eps.get('index')") == explorer.sliders["eps"].index == 7
    page.mouse.move(1, 1)
    field.focus()
    for key, here in (("ArrowRight", 8), ("ArrowRight", 9), ("ArrowLeft", 8), ("End", 19), ("ArrowRight", 19), ("Home", 0)):
        field.press(key)
        assert page.locator(SAID).inner_text() == words[here]
        assert explorer.point == 7
    assert field.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"  # the focus is seen
    field.press("Enter")
    assert chosen(page) == explorer.point == 0
    field.press("ArrowRight")
    field.press("Escape")
    assert page.locator(SAID).inner_text() == ""
    assert chosen(page) == 0
    assert [content["kind"] for content in page.evaluate("model.sent")].count("select") == 2
    assert field.get_attribute("aria-label") == "Cross-validated error at 20 grid points"
    assert field.get_attribute("aria-description").startswith("Curve of the cross-validated error")
    image = page.locator("img.protoclass-picture")
    assert image.get_attribute("alt").startswith("Curve of the cross-validated error")
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth > 600)")  # the still picture stays


@pytest.mark.browser
def test_the_curve_follows_its_slider_without_python(page, fit):
    explorer = CurveExplorer(fit.validation)
    mount(page, explorer, answers=False)
    for point in (3, 12):
        page.evaluate("point => models.eps.set('index', point)", point)
        assert chosen(page) == point
    page.locator(".protoclass-plot").press("Home")
    page.locator(".protoclass-plot").press("Enter")
    assert chosen(page) == page.evaluate("models.eps.get('index')") == 0
    page.locator(".protoclass-plot").press("Escape")
    page.evaluate("model.set('shown', { point: 5, turn: 0 })")  # of Python, which has not heard of the last turn
    assert chosen(page) == 0
    page.evaluate("() => { models.eps.set('index', 6); model.set('shown', { point: 6, turn: 1 }); }")
    assert chosen(page) == 6
    page.evaluate("() => { document.querySelector('.protoclass-explorer').classList.add('protoclass-gone'); models.eps.set('index', 2); }")
    assert page.locator(SAID).inner_text() == explorer.picture.chart["curve"]["words"][2]  # where Python does not say it


@pytest.mark.browser
def test_cells_of_a_heat_map(page, machines):
    explorer = CurveExplorer(machines)
    mount(page, explorer)
    v, field = machines, page.locator(".protoclass-plot")
    at = {name: explorer.sliders[name].options for name in explorer.sliders}
    assert list(at) == ["kind", "penalty", "stop"]

    def find(kind, penalty, stop):
        grid = v.grid
        return grid.index[(grid["kind"] == kind) & (grid["penalty"] == penalty) & (grid["stop"] == stop)][0]

    explorer.kind, explorer.penalty, explorer.stop = "conjunction", 1.0, 1
    for name, slider in explorer.sliders.items():
        page.evaluate("([name, index]) => models[name].set('index', index)", [name, slider.index])
    assert chosen(page) == explorer.point == find("conjunction", 1.0, 1)
    field.focus()
    cells = (("Up", (1.0, 2)), ("Right", (2.0, 2)), ("Down", (2.0, 1)), ("Down", (2.0, 1)), ("Left", (1.0, 1)))
    for key, cell in cells:
        field.press(f"Arrow{key}")
        assert page.locator(SAID).inner_text().startswith(describe_choice(v, find("conjunction", *cell)))
    field.press("End")
    field.press("Enter")
    assert (explorer.penalty, explorer.stop) == (np.inf, 4)
    assert chosen(page) == explorer.point
    page.evaluate("models.kind.set('index', 1)")
    other = find("disjunction", np.inf, 4)
    assert chosen(page) == other
    below = find("disjunction", 2.0, 3)
    field.click(position=spot(page, below))
    assert explorer.point == chosen(page) == below
    cells = page.locator(".protoclass-chart").evaluate("chart => chart.explorer.spots.map((spot) => spot !== null)")
    assert np.flatnonzero(cells).tolist() == v.grid.index[v.grid["kind"] == "disjunction"].tolist()
    written = page.locator(".protoclass-plot text").all_text_contents()
    assert f"{v.table['error'][below]:.3f}"[1:] in [text.strip("()") for text in written]


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
@pytest.mark.parametrize(("width", "scheme"), [(480, "dark"), (1400, "light")])
def test_texts_stand_inside_and_apart_and_are_seen(page, fit, machines, width, scheme):
    page.set_viewport_size({"width": width, "height": 700})
    page.emulate_media(color_scheme=scheme)
    for k, explorer in enumerate((CurveExplorer(fit.validation), CurveExplorer(machines))):
        mount(page, explorer, answers=False)
        page.locator(".protoclass-plot text").first.wait_for()
        found = page.evaluate(INSIDE)
        assert (found["out"], found["meet"]) == ([], []), k
        assert found["wide"] <= width
    ink, paper = page.locator(".protoclass-plot").evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
    assert (ink == "rgb(255, 255, 255)") == (scheme == "dark")
    assert ink != paper
    assert page.locator(".protoclass-plot canvas").count() == 0  # lines and letters, which every number of dots leaves sharp


@pytest.mark.browser
def test_the_strip_above_the_map_chooses_a_radius(page, iris, tmp_path):
    fit = pc.fit("species ~ .", iris, eps=[0.6, 1.0, 1.6], cv=3)
    page.goto(PrototypeExplorer(fit).save(tmp_path / "fit.html").as_uri())
    strip, radius = page.locator(".protoclass-map .protoclass-plot"), page.get_by_role("slider").first
    page.locator(".protoclass-map[data-drawn]").wait_for()
    strip.focus()
    for key, place in (("Home", "0"), ("End", "2")):
        strip.press(key)
        strip.press("Enter")
        assert radius.input_value() == page.locator(".protoclass-chart").get_attribute("data-chosen") == place
    eps = fit.validation.table
    assert page.locator("[role=status]").inner_text().endswith(f"held-out error {eps['error'][2]:.4f} ± {eps['se'][2]:.4f}.")
