"""A notebook page with several explorers, in one JupyterLab: every control by mouse and keyboard, two themes, three widths."""

import re

import pytest
from access import find_faults
from driving import Shown, open_lab, run_all, visit

import protoclass as pc

pytestmark = [pytest.mark.browser, pytest.mark.long]

CELLS = [
    "import protoclass as pc\niris = pc.load_data('iris').iloc[::3]\nfit = pc.fit('species ~ .', iris, progress=False)",
    "fit.explore(alternatives=fit.alternatives(), criticisms=fit.criticisms())",
    "fit.validation.explore()",
    "pc.fit('species ~ .', iris, 'knn', k=3).explore()",
    "pc.fit('species ~ .', iris, eps=1.0).explore(x='petal_length', y='petal_width')",
]
PARTS = "select, input, button, table, canvas, svg, img, [role=slider]"
OUTSIDE = """parts => [...document.querySelectorAll(`.protoclass-explorer :is(${parts})`)].filter((e) => {
  const end = e.closest('.jp-OutputArea-output').getBoundingClientRect().right;
  return e.getBoundingClientRect().right > end + 1 && !e.closest('.protoclass-hidden');
}).map((e) => e.outerHTML.slice(0, 120))"""
BARS = """() => [...document.querySelectorAll('.protoclass-explorer, .protoclass-explorer .widget-box')]
  .filter((e) => e.offsetWidth - e.clientWidth > 6 || e.offsetHeight - e.clientHeight > 6).map((e) => e.className)"""
LIGHTNESS = """map => [map.explorer.drawing.ink, map.explorer.drawing.paper].map((colour) => {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
  return (r + g + b) / 3;
})"""


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris").iloc[::3])


@pytest.fixture(scope="module")
def page(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("looks")
    with open_lab(folder / "lab", CELLS) as address, visit(chromium, address, folder) as seen:
        run_all(seen.page, len(CELLS))
        if seen.page.locator("#filebrowser").is_visible():
            seen.page.keyboard.press("Control+b")
        yield seen.page


@pytest.fixture
def shown(page):
    """The explorers, in the order of their cells."""
    page.set_viewport_size({"width": 1300, "height": 2400})
    return [Shown(page.locator(".jp-CodeCell").nth(k)) for k in range(1, len(CELLS))]


def choose_theme(page, name):
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    for text in ("Theme", name):
        page.locator(".lm-Menu-itemLabel").get_by_text(text, exact=True).click()
    page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)


def test_several_explorers_on_a_page_move_alone(shown):
    from playwright.sync_api import expect

    for each in (shown[0], shown[2], shown[3]):
        expect(each.map).to_have_attribute("data-drawn", re.compile(r"\d"))
    before = [each.words() for each in shown[1:]]
    words = shown[0].words()
    shown[0].slider("radius").locator(".noUi-handle").press("ArrowRight")
    expect(shown[0].box.locator("[role=status]")).not_to_have_text(words)
    assert [each.words() for each in shown[1:]] == before
    shown[0].slider("radius").locator(".noUi-handle").press("ArrowLeft")
    expect(shown[0].box.locator("[role=status]")).to_have_text(words)


def test_each_control_by_mouse_and_by_keyboard(shown, fit):
    from playwright.sync_api import expect

    first, grid = shown[0], fit.validation.grid["eps"]
    box, details, page = first.box, first.box.locator(".widget-html").last, first.box.page

    def menu(name):
        return box.locator(".widget-dropdown", has=page.get_by_text(name, exact=True)).locator("select")

    at = fit.validation.grid["eps"].tolist().index(fit.call.arguments.get("eps", fit.rule.prototypes.radii[0]))
    first.slider("radius").locator(".noUi-handle").press("ArrowLeft")
    first.said(f"eps = {grid[at - 1]:.4g}")
    first.drag("radius", 1)
    first.said(f"eps = {grid.max():.4g}")
    most = first.read("size")
    first.slider("size").locator(".noUi-handle").press("ArrowLeft")
    first.said(f" {most - 1:.0f} prototypes")
    first.drag("size", 1)
    first.said(f" {most:.0f} prototypes")

    code = int(first.drawn()[2])
    menu("class").press("ArrowDown")
    expect(first.map).to_have_attribute("data-drawn", re.compile(f" {code + 1}$"))
    expect(box.locator("select[size] option").first).to_contain_text("setosa")
    menu("class").select_option(label="all")
    expect(first.map).to_have_attribute("data-drawn", re.compile(" -1$"))
    menu("x").press("ArrowDown")
    expect(menu("y")).to_be_enabled()
    wait = "name => document.querySelector('.protoclass-map').explorer.plane.axes[0] === name"
    page.wait_for_function(wait, arg="sepal length")
    menu("y").press("ArrowDown")
    page.wait_for_function(wait.replace("axes[0]", "axes[1]"), arg="sepal width")
    menu("x").select_option(label="map of the dissimilarities")
    expect(menu("y")).to_be_disabled()

    listed = box.locator("select[size]")
    listed.locator("option").nth(1).click()
    expect(details).to_contain_text("2 of ")
    listed.press("ArrowUp")
    expect(details).to_contain_text("1 of ")
    search = box.locator("input[type=text]")
    search.click()
    search.fill("147")
    search.press("Enter")
    expect(details).to_contain_text("Row 147: virginica")
    criticised = fit.criticisms().table.index
    menu("badly explained").select_option(index=len(criticised) - 1)
    expect(details).to_contain_text(f"Row {criticised[-2]}:")
    menu("badly explained").press("ArrowDown")
    expect(details).to_contain_text(f"Row {criticised[-1]}:")

    field = first.map.locator(".protoclass-field")
    first.click(99)
    expect(details).to_contain_text("99: versicolor")
    field.press("PageDown")
    field.press("Enter")
    expect(details).to_contain_text("Prototype")
    field.press("Escape")
    expect(details).to_contain_text("Choose a prototype")
    zoom = "() => document.querySelector('.protoclass-map').explorer.frame.zoom"
    first.box.get_by_role("button", name="Zoom in").click()
    page.wait_for_function(f"({zoom})() > 1.5")
    field.press("0")
    page.wait_for_function(f"({zoom})() === 1")
    first.box.get_by_role("button", name="Draw around rows").press("Enter")
    around = field.bounding_box()
    corners = [(0.1, 0.02), (0.98, 0.02), (0.98, 0.85), (0.1, 0.85), (0.1, 0.02)]
    places = [(around["x"] + a * around["width"], around["y"] + b * around["height"]) for a, b in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=3)
    page.mouse.up()
    expect(first.map.locator(".protoclass-said")).to_contain_text("rows in the lasso: setosa 17")
    field.press("Escape")

    first.drag("radius", at / (len(grid) - 1))  # the substitutes are those of the fit
    first.said(f"eps = {grid[at]:.4g}")
    found = fit.alternatives().table["substitutes"]
    label = next(label for label, offers in found.items() if len(offers))
    listed.select_option(index=list(fit.prototypes.index).index(label))
    expect(menu("swap for")).to_be_enabled()
    menu("swap for").press("ArrowDown")
    expect(details).to_contain_text(f"Prototype {next(iter(found[label]))}:")
    expect(box.locator("[role=alert]")).to_have_count(0)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_widths_and_themes(page, shown, theme):
    """Nothing stands out of its cell or needs a scroll bar, lines are seen on their ground, axe-core finds no grave fault."""
    choose_theme(page, theme)
    for width in (480, 800, 1400):
        page.set_viewport_size({"width": width, "height": 2400})
        for each in (shown[0], shown[2], shown[3]):
            ink, paper = each.map.evaluate(LIGHTNESS)
            assert (ink > paper) == (theme == "JupyterLab Dark")
            assert abs(ink - paper) > 150
            page.wait_for_function(
                "c => Math.abs(c.width - c.clientWidth * devicePixelRatio) <= 1",
                arg=each.map.locator(".protoclass-base").element_handle(),
            )
        assert page.evaluate(OUTSIDE, PARTS) == []
        assert page.evaluate(BARS) == []
    assert find_faults(page, ".protoclass-explorer") == []


def test_the_page_of_the_app_is_as_wide_as_its_window(chromium, tmp_path):
    """Map, list and words stand side by side where there is room; nothing stands out; axe-core finds no grave fault."""
    pytest.importorskip("voila")
    from protoclass.widgets.app import app

    with app("species ~ .", pc.load_data("iris"), open_browser=False) as opened, visit(chromium, opened.url, tmp_path) as seen:
        page, shown = seen.page, Shown(seen.page.locator(".protoclass-prototypes"))
        seen.page.locator(".protoclass-curve .widget-slider").wait_for()
        shown.box.locator("select[size]").select_option(index=1)
        shown.box.get_by_text("2 of 15 in the order chosen").wait_for()
        parts = (shown.map, shown.box.locator("select[size]"), shown.box.locator(".widget-html").last)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width, columns in ((480, 1), (800, 2), (1400, 3)):
                page.set_viewport_size({"width": width, "height": 1000})
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                boxes = [part.bounding_box() for part in parts]
                assert sum(box["x"] >= boxes[0]["x"] + boxes[0]["width"] for box in boxes) == columns - 1
            ends = boxes[-1]["x"] + boxes[-1]["width"]
            assert ends > 1300
            page.wait_for_function(f"({LIGHTNESS})(document.querySelector('.protoclass-map'))[1] {'<' if scheme == 'dark' else '>'} 128")
            assert find_faults(page) == []
