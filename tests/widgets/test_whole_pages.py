"""A notebook page with several explorers, in one JupyterLab: every control by mouse and keyboard, two themes, three widths."""

import re

import pytest
from access import find_faults
from driving import Shown, open_lab, run_all, visit

import protoclass as pc

pytestmark = [pytest.mark.browser, pytest.mark.long]

CELLS = [
    "import protoclass as pc\niris = pc.load_data('iris').iloc[::3]\n"
    "fit = pc.fit('species ~ .', iris, dissimilarity='euclidean', repeats=1, progress=False)",
    "fit.explore(alternatives=fit.alternatives(), criticisms=fit.criticisms())",
    "fit.validation.explore()",
    "pc.fit('species ~ .', iris, 'knn', k=3).explore()",
    "pc.fit('species ~ .', iris, eps=1.0).explore(x='petal_length', y='petal_width')",
]
PARTS = "select, input, button, table, canvas, svg, img, [role=slider]"
OUTSIDE = """parts => [...document.querySelectorAll(`.jp-OutputArea .protoclass-page :is(${parts})`)].filter((e) => {
  const end = e.closest('.jp-OutputArea-output').getBoundingClientRect().right;
  return e.getBoundingClientRect().right > end + 1;
}).map((e) => e.outerHTML.slice(0, 120))"""
BARS = """() => [...document.querySelectorAll('.jp-OutputArea .protoclass-page, .jp-OutputArea .protoclass-page :is(div, section)')]
  .filter((e) => !e.matches('.protoclass-panel'))
  .filter((e) => e.offsetWidth - e.clientWidth > 6 || e.offsetHeight - e.clientHeight > 6).map((e) => e.className)"""
LIGHTNESS = """map => [map.explorer.drawing.ink, map.explorer.drawing.paper].map((colour) => {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
  return (r + g + b) / 3;
})"""


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris").iloc[::3], dissimilarity="euclidean", repeats=1)


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
    shown[0].eps.press("ArrowRight")
    expect(shown[0].box.locator("[role=status]")).not_to_have_text(words)
    assert [each.words() for each in shown[1:]] == before
    shown[0].eps.press("ArrowLeft")
    expect(shown[0].box.locator("[role=status]")).to_have_text(words)


def test_each_control_by_mouse_and_by_keyboard(shown, fit):
    from playwright.sync_api import expect

    first, grid = shown[0], fit.validation.grid["eps"]
    details, page = first.details, first.box.page
    at = grid.tolist().index(fit.call.arguments.get("eps", fit.rule.prototypes.radii[0]))
    first.eps.press("ArrowLeft")
    first.said(f"eps = {grid[at - 1]:.4g}")
    first.drag(first.eps, 1)
    first.said(f"eps = {grid.max():.4g}")
    most = int(first.size.input_value())
    first.size.press("ArrowLeft")
    first.said(f" {most - 1} prototypes")
    first.drag(first.size, 1)
    first.said(f" {most} prototypes")

    of, largest = first.box.get_by_role("button", name="setosa").first, fit.update(eps=grid.max())
    of.press("Enter")
    expect(first.map).to_have_attribute("data-drawn", re.compile(" 0$"))
    expect(first.box.locator("tr[data-row] td:nth-child(3)")).to_have_text(["setosa"] * (largest.prototypes["class"] == "setosa").sum())
    of.click()
    expect(first.map).to_have_attribute("data-drawn", re.compile(" -1$"))
    first.menu("x").press("ArrowDown")
    expect(first.menu("y")).to_be_enabled()
    wait = "name => document.querySelector('.protoclass-map').explorer.plane.axes[0] === name"
    page.wait_for_function(wait, arg="sepal length")
    first.menu("y").select_option("sepal_width")
    page.wait_for_function(wait.replace("axes[0]", "axes[1]"), arg="sepal width")
    first.menu("x").select_option(label="map")
    expect(first.menu("y")).to_be_disabled()

    first.list.nth(1).click()
    expect(details).to_contain_text("2 of ")
    first.list.nth(1).press("ArrowUp")
    expect(details).to_contain_text("1 of ")
    first.menu("Find row").fill("147")
    first.menu("Find row").press("Enter")
    expect(details).to_contain_text("Row 147: virginica")
    criticised, badly = fit.criticisms().table.index, first.menu("Poorly explained")
    badly.select_option(index=len(criticised) - 1)
    expect(details).to_contain_text(f"Row {criticised[-2]}:")
    badly.press("ArrowDown")
    expect(details).to_contain_text(f"Row {criticised[-1]}:")

    field = first.map.locator(".protoclass-field")
    first.click(99)
    expect(details).to_contain_text("99: versicolor")
    field.press("PageDown")
    field.press("Enter")
    expect(details).to_contain_text("Prototype")
    field.press("Escape")
    expect(details).to_contain_text("Select a row or a prototype")
    zoom = "() => document.querySelector('.protoclass-map').explorer.frame.zoom"
    first.box.get_by_role("button", name="Zoom in").click()
    page.wait_for_function(f"({zoom})() > 1.5")
    field.press("0")
    page.wait_for_function(f"({zoom})() === 1")

    first.drag(first.eps, at / (len(grid) - 1))  # the substitutes are those of the fit
    first.said(f"eps = {grid[at]:.4g}")
    found = fit.alternatives().table["substitutes"]
    label = next(label for label, offers in found.items() if len(offers))
    first.list.nth(list(fit.prototypes.index).index(label)).click()
    first.menu("Replace with").press("ArrowDown")
    expect(details).to_contain_text(f"Prototype {next(iter(found[label]))}:")
    expect(first.box.locator("[role=alert]:not(:empty)")).to_have_count(0)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_widths_and_themes(page, shown, theme):
    """Nothing stands out of its cell or needs a scroll bar but the panel, lines are seen on their ground, axe-core finds no grave fault."""
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
    assert find_faults(page, ".protoclass-page") == []
