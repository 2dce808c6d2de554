"""The error curve, alone and above the map: what is sent, and what a browser does with it."""

import json
import re
import struct

import numpy as np
import pytest
from mounting import follow, mount, settle

import protoclass as pc
from protoclass.pictures.curve import limit_errors
from protoclass.tables.words import describe_choice
from protoclass.widgets import explore_fit
from protoclass.widgets.content import describe_curve
from protoclass.widgets.curve import CurveExplorer, describe_chart, describe_line
from protoclass.widgets.prototypes import PrototypeExplorer


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, dissimilarity="euclidean", repeats=1)


@pytest.fixture(scope="module")
def machines(iris):
    """A grid of three parameters, one of which has names."""
    return pc.cross_validate("species ~ .", iris[::2], "scm", penalty=[1.0, 2.0, float("inf")], max_size=[1, 2, 3, 4], cv=3)


def read(explorer):
    """The header of what a page draws."""
    (length,) = struct.unpack("<I", explorer.content[:4])
    return json.loads(explorer.content[4 : 4 + length])


# what is sent


def test_a_curve_is_the_table(fit):
    v = fit.validation
    chart = json.loads(json.dumps(describe_chart(v), allow_nan=False))
    (curve,), (axis,) = chart["curves"], chart["axes"]
    assert (axis["name"], len(axis["texts"]), chart["along"]) == ("radius eps of the balls", 20, 0)
    for name in ("error", "se"):
        assert curve[f"{name}s"] == v.table[name].tolist()
    assert curve["x"] == v.grid["eps"].tolist()
    assert curve["ends"] == list(limit_errors(v.table))
    least, limit = curve["band"]
    assert least == v.table["error"].min()
    assert limit == pytest.approx(least + v.selected("min")["se"])
    best, one_se = v.selected("min").name, v.selected("1se").name
    assert {k: mark for k, mark in enumerate(curve["marks"]) if mark} == {best: "lowest error", one_se: "1-SE choice"}
    for point in (0, best, 19):
        assert curve["words"][point] == describe_choice(v, point)
        assert curve["words"][point].endswith(f"Size {v.table['size'][point]:.4g}.")


def test_further_parameters_have_a_curve_for_each_setting(machines):
    v = machines
    chart = json.loads(json.dumps(describe_chart(v), allow_nan=False))
    assert [axis["name"] for axis in chart["axes"]][chart["along"]] == "maximum number of features"
    for point, row in v.grid.iterrows():
        curve = chart["curves"][chart["slices"][point]]
        same = v.grid.index[(v.grid["kind"] == row["kind"]) & (v.grid["penalty"] == row["penalty"])]
        assert curve["points"] == same.tolist()
        assert curve["x"] == v.grid["max_size"][same].tolist()
        assert curve["errors"] == v.table["error"][same].tolist()


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
    chart, count = read(explorer), len(explorer.validation.table)
    assert np.prod([len(axis["texts"]) for axis in chart["axes"]]) == count
    for name in ("points", "words", "errors"):
        assert sum(len(curve[name]) for curve in chart["curves"]) == count
    explorer.point = len(explorer.validation.table) - 1
    assert explorer.state["point"] == explorer.point


def test_the_curve_above_the_map_is_the_same_at_its_radii(iris, fit):
    explorer = PrototypeExplorer(fit)
    (curve,) = describe_chart(fit.validation)["curves"]
    assert describe_curve(explorer._content) == curve | {"axis": "radius eps"}
    two = pc.fit("species ~ .", iris, eps=[0.6, 1.0, 1.6], lambda_=[0.5, 2.5], cv=3, dissimilarity="euclidean", repeats=1)
    some = describe_curve(PrototypeExplorer(two)._content)
    here = two.validation.grid["lambda_"] == two.params["lambda_"]
    assert some["points"] == [0, 1, 2]
    assert some["errors"] == two.validation.table["error"][here].tolist()


# what the browser does with it


@pytest.fixture(scope="module")
def uneven(iris):
    """A grid of which K = 2 has one point alone."""
    tuned = {"K": [1, 2], "matrix": "diagonal", "local": [False, True], "ridge": [0.01, 0.1]}
    return CurveExplorer(pc.cross_validate("species ~ .", iris[::5], "medianglvq", cv=2, **tuned))


def test_a_slider_goes_to_the_nearest_point_of_a_grid_that_is_no_product(uneven):
    grid = uneven.validation.grid
    assert grid["K"].tolist() == [1, 1, 1, 1, 2]
    for name, value in (("K", 2), ("local", True), ("ridge", 0.1), ("K", 2), ("local", False)):
        setattr(uneven, name, value)
        row = grid.iloc[uneven.point]
        assert row[name] == value
        assert {k: getattr(uneven, k) for k in grid} == row.to_dict()
    chart = describe_chart(uneven.validation)
    for axis, name in zip(chart["axes"], grid, strict=True):
        assert [axis["texts"][k] for k in axis["at"]] == grid[name].astype(str).tolist()


@pytest.mark.browser
def test_menus_of_a_page_go_to_the_nearest_point_too(page, uneven, machines):
    uneven.point = 4
    mount(page, uneven)
    page.get_by_label("whether for each class").select_option("1")  # which K = 2 does not have
    settle(page, uneven)
    assert uneven.point == chosen(page)
    assert (uneven.K, uneven.local) == (1, True)
    explorer = CurveExplorer(machines)
    explorer.kind, explorer.penalty, explorer.max_size = "conjunction", 1.0, 1
    mount(page, explorer)
    page.get_by_label("kind of machine").select_option("1")
    settle(page, explorer)
    assert (explorer.kind, explorer.penalty, explorer.max_size) == ("disjunction", 1.0, 1)
    page.get_by_role("slider").press("End")
    settle(page, explorer)
    assert (explorer.kind, explorer.max_size) == ("disjunction", 4)
    explorer.penalty = 2.0
    follow(page, explorer)
    assert chosen(page) == explorer.point
    assert page.locator(".protoclass-chart").count() == 1


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


def chosen(page):
    return int(page.locator(".protoclass-chart").get_attribute("data-chosen"))


def spot(page, point):
    x, y = page.locator(".protoclass-chart").evaluate("(chart, k) => chart.explorer.spots[k]", point)
    return {"x": x, "y": y}


@pytest.mark.browser
def test_pointer_and_keys_choose_on_the_curve(page, curve, fit):
    explorer, v = curve, fit.validation
    mount(page, explorer)
    field, words = page.locator(".protoclass-plot"), read(explorer)["curves"][0]["words"]
    assert chosen(page) == explorer.point == fit._selection.point
    field.hover(position=spot(page, 3))
    assert page.locator(".protoclass-chart-tip").inner_text() == words[3]
    assert chosen(page) == fit._selection.point
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


def test_the_frontier_of_an_explorer_is_that_of_its_grid(fit, machines):
    v = fit.validation
    told = json.loads(json.dumps(describe_chart(v), allow_nan=False))["curves"][0]
    table = v.table.iloc[told["frontier"]]
    assert told["size_values"] == v.table["size"].tolist()
    sizes = table["size"].tolist()
    assert sizes == sorted(sizes)
    assert table["error"].tolist() == sorted(table["error"], reverse=True)
    for point, row in v.table.drop(index=told["frontier"]).iterrows():
        assert table["error"][table["size"] <= row["size"]].min() <= row["error"] or row["size"] < sizes[0], point
    assert describe_line(machines, "max_size", np.arange(4))["counted"] == "features"
    knn = pc.cross_validate("y ~ .", fit.call.data.rename(columns={"species": "y"}), "knn")
    assert describe_chart(knn)["curves"][0]["frontier"] == []


@pytest.mark.browser
def test_the_curve_is_switched_to_the_frontier_and_back(page, curve):
    mount(page, curve)
    radius, number = (page.get_by_role("button", name=name) for name in ("radius eps", "number of prototypes"))
    number.click()
    assert (radius.get_attribute("aria-pressed"), number.get_attribute("aria-pressed")) == ("false", "true")
    field, points = page.locator(".protoclass-plot"), read(curve)["curves"][0]["frontier"]
    assert field.get_attribute("aria-label") == "number of prototypes"
    assert int(field.get_attribute("aria-valuemax")) == len(points) - 1
    for key, point in (("Home", points[0]), ("ArrowRight", points[1]), ("End", points[-1])):
        field.press(key)
        settle(page, curve)
        assert curve.point == chosen(page) == point
    radius.click()
    assert field.get_attribute("aria-valuemax") == "19"
    assert chosen(page) == points[-1]


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
def test_texts_stand_inside_and_apart_and_are_seen(page, curve, machines, width, scheme):
    page.set_viewport_size({"width": width, "height": 700})
    page.emulate_media(color_scheme=scheme)
    for explorer in (curve, CurveExplorer(machines)):
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
def test_a_page_says_how_far_from_the_optimum_its_prototypes_are(page, iris, tmp_path):
    fit = pc.fit("species ~ .", iris, eps=1.0, certify=True, dissimilarity="euclidean")
    explorer = PrototypeExplorer(fit, radii=[1.0, 1.5])
    page.goto(explorer.save(tmp_path / "fit.html").as_uri())
    page.locator(".protoclass-map[data-drawn]").wait_for()
    assert page.locator(".protoclass-plot").count() == 0  # there is no curve over the radius
    for step, each in enumerate(explorer._content.steps.fits):
        page.get_by_label("radius eps").select_option(index=step)
        settle(page)
        assert page.locator("[role=status]").get_attribute("title").endswith(f" Objective: {each.certificate}.")


def test_what_is_not_the_name_of_a_page_is_said_of_save(fit):
    for wrong in (3, "fit.pdf"):
        with pytest.raises(pc.errors.OptionError, match=r"^save must be .* ends in \.html"):
            explore_fit(fit, save=wrong)
    with pytest.raises(pc.errors.OptionError, match=r"^path must be .* ends in \.html"):
        PrototypeExplorer(fit).save(3)
