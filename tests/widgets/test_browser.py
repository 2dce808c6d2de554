"""The explorers in a real browser: JupyterLab and voila, driven by mouse and keyboard in headless Chromium."""

import os
import re
import signal
import time
from importlib.util import find_spec

import pytest
from driving import ALL, Shown, elsewhere, open_lab, run_all, visit

import protoclass as pc

pytestmark = pytest.mark.browser

CELLS = [
    "import os\nimport protoclass as pc\nfit = pc.fit('species ~ .', pc.load_data('iris'))\nprint('kernel', os.getpid())",
    "fit.explore()",
    "fit.validation.explore()",
]


@pytest.fixture
def lab(tmp_path):
    with open_lab(tmp_path, CELLS) as address:
        yield address


def drive(prototypes, curve, fit):
    """Move all that moves, on a page with both explorers of a fit of iris by "pvm"; see that what is shown follows."""
    from playwright.sync_api import expect

    expect(prototypes.picture).to_be_visible()
    expect(curve.picture).to_be_visible()
    prototypes.said(f"{len(fit.prototypes)} prototypes")
    first = prototypes.look()

    label = fit.prototypes.index[1]
    prototypes.click(label)
    clicked = prototypes.changed(first)
    title = f"Prototype {label}: {fit.prototypes['class'].iloc[1]}, 2 of {len(fit.prototypes)} in the order chosen."
    expect(prototypes.box).to_contain_text(title)
    assert clicked["tables"] != first["tables"]
    prototypes.click(None)
    expect(prototypes.box).not_to_contain_text(title)

    before, largest = prototypes.look(), fit.validation.grid["eps"].max()
    prototypes.drag("radius", 1)
    prototypes.said(f"eps = {largest:.4g}")
    moved = prototypes.changed(before)
    assert moved["tables"] != before["tables"]
    assert prototypes.read("radius") == pytest.approx(largest, rel=1e-2)
    sizes = [len(fit.update(eps=eps).prototypes) for eps in (largest,)]
    assert prototypes.drawn() == [len(fit.validation.grid) - 1, *sizes, -1]

    prototypes.drag("size", 0)
    prototypes.said(" 0 prototypes")
    none = prototypes.changed(moved)
    assert none["tables"] != moved["tables"]
    assert prototypes.read("size") == prototypes.drawn()[1] == 0

    start = curve.look()
    curve.drag("radius", 0)
    error = fit.validation.table["error"].iloc[0]
    curve.said(f"error {error:.4f}")
    low = curve.changed(start)
    assert low["tables"] != start["tables"]
    curve.slider("radius").locator(".noUi-handle").press("ArrowRight")
    curve.said(f"error {fit.validation.table['error'].iloc[1]:.4f}")
    curve.changed(low)

    curve.box.get_by_role("button", name="Use this").click()
    expect(curve.box.locator("table").first).to_contain_text(re.compile(r"the fit at eps = "))
    for explorer in (prototypes, curve):
        expect(explorer.box.locator("[role=alert]")).to_have_count(0)


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris)


def test_a_notebook_in_jupyterlab(lab, chromium, fit, tmp_path):
    with visit(chromium, lab, tmp_path) as seen:
        run_all(seen.page, len(CELLS))
        cells = seen.page.locator(".jp-CodeCell")
        drive(Shown(cells.nth(1)), Shown(cells.nth(2)), fit)
        assert len(seen.asked) > 10
        assert elsewhere(seen) == set()


KEYS = ("ArrowDown", "ArrowDown", "b", "d", "d", "x", "a", "Shift+Enter", "0", "0", "ArrowUp")


def cells_of(page):
    """The cells of the notebook: their texts, and which is selected."""
    selected = ".jp-Notebook .jp-Cell.jp-mod-selected"
    texts = page.locator(".jp-Notebook .jp-Cell .cm-content").all_inner_texts()
    return texts, page.evaluate(
        "selector => [...document.querySelectorAll('.jp-Notebook .jp-Cell')].map(c => c.matches(selector))", selected
    )


def test_keys_of_an_explorer_are_not_the_notebooks(lab, chromium, fit, tmp_path):
    """Keys pressed in the list, on a slider, a menu and the button: no cell is selected, inserted, cut, run or deleted."""
    from playwright.sync_api import expect

    with visit(chromium, lab, tmp_path) as seen:
        page = seen.page
        run_all(page, len(CELLS))
        shown = Shown(page.locator(".jp-CodeCell").nth(1))
        expect(shown.picture).to_be_visible()
        select = shown.box.locator("select[size]")
        select.select_option(index=0)
        shown.box.get_by_text("1 of 15 in the order chosen").wait_for()
        select.focus()
        expect(page.locator(".jp-Notebook .jp-Cell").nth(1)).to_have_class(re.compile("jp-mod-selected"))  # as it has the focus
        before, prompt = cells_of(page), page.locator(".jp-CodeCell .jp-InputPrompt").nth(1).inner_text()
        assert before[1] == [False, True, False]
        select.press("ArrowDown")
        shown.box.get_by_text("2 of 15 in the order chosen").wait_for()  # the list has it
        expect(select).to_have_attribute("aria-label", "prototypes")
        field = shown.map.locator(".protoclass-field")
        controls = [select, field, shown.slider("radius").locator(".noUi-handle"), shown.box.locator("select:not([size])").first]
        for control in controls:
            for key in KEYS if control is select else KEYS[2::3]:  # all have one handler, and each key may fit again
                control.focus()
                control.press(key)
        # what a key did to the notebook would be there before a key that the notebook does take has its effect
        select.press("Control+Shift+C")
        page.locator(".lm-CommandPalette, .jp-ModalCommandPalette").first.wait_for(state="visible")
        page.keyboard.press("Escape")
        assert cells_of(page) == before
        assert page.locator(".jp-CodeCell .jp-InputPrompt").nth(1).inner_text() == prompt
        # and outside an explorer they are the notebook's
        page.locator(".jp-CodeCell .jp-InputPrompt").nth(1).click()
        page.keyboard.press("b")
        expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(len(CELLS) + 1)


def test_a_kernel_that_died_is_said_and_a_notebook_opens_without_it(lab, chromium, fit, tmp_path):
    from playwright.sync_api import expect

    with visit(chromium, lab, tmp_path) as seen:
        page = seen.page
        run_all(page, len(CELLS))
        shown = Shown(page.locator(".jp-CodeCell").nth(1))
        expect(shown.map).to_have_attribute("data-drawn", re.compile(r"\d"))
        notice, before = shown.box.locator(".protoclass-silent"), shown.look()
        shown.drag("radius", 1)
        shown.changed(before)
        expect(notice).to_be_hidden()
        page.keyboard.press("Control+s")
        file, end = tmp_path / "work" / "explorers.ipynb", time.monotonic() + ALL / 1000
        while "application/vnd.jupyter.widget-state+json" not in file.read_text():
            assert time.monotonic() < end, "the notebook is not saved"
            time.sleep(0.2)
        kernel = int(re.search(r"kernel (\d+)", page.locator(".jp-CodeCell").nth(0).inner_text())[1])
        says_that_python_works(shown, kernel)
        shown.said(f"eps = {fit.validation.grid['eps'].nlargest(2).iloc[1]:.4g}")
        os.kill(kernel, signal.SIGKILL)
        words = shown.words()
        page.get_by_role("dialog").get_by_role("button", name="Ok").click()  # JupyterLab says that it restarts the kernel
        shown.drag("radius", 0)
        expect(notice).to_contain_text("Python does not answer")
        expect(notice).to_contain_text("run the cell again")
        expect(shown.box.locator(".protoclass-gone")).to_be_attached()
        assert shown.words() == words
        greyed(shown)
        drawn_without_python(shown, fit)

    with visit(chromium, lab, tmp_path) as seen:  # with another kernel, which knows nothing of the explorer
        shown = Shown(seen.page.locator(".jp-CodeCell").nth(1))
        expect(shown.map).to_have_attribute("data-drawn", re.compile(r"\d"))
        drawn_without_python(shown, fit)


SAYS = """box => {  // the texts of the notice, each with the milliseconds since the last key
  let pressed = 0;
  window.noticed = [];
  box.addEventListener("keydown", () => (pressed = performance.now()), true);
  new MutationObserver(() => {
    const notice = box.querySelector(".protoclass-silent"), text = notice ? notice.textContent : "";
    window.noticed.push([text, performance.now() - pressed]);
  }).observe(box, { childList: true, subtree: true, characterData: true });
}"""


def says_that_python_works(shown, kernel):
    """After two seconds without an answer, and no longer once there is one."""
    from playwright.sync_api import expect

    page = shown.box.page
    shown.box.evaluate(SAYS)
    os.kill(kernel, signal.SIGSTOP)
    try:
        shown.slider("radius").locator(".noUi-handle").press("ArrowLeft")
        page.wait_for_function("noticed.some(([text]) => text === 'working ...')")
    finally:
        os.kill(kernel, signal.SIGCONT)
    expect(shown.box.locator(".protoclass-silent")).to_be_hidden()
    after = page.evaluate("noticed.find(([text]) => text === 'working ...')[1]")
    assert after >= 1990  # timers may be a little early


def greyed(shown):
    """What needs Python is grey and says the cure; the sliders, which move the map, and the map's own buttons are not."""
    looks = "all => all.map((e) => [getComputedStyle(e).filter, e.querySelector('select, input').title])"
    for kind, count in (("select", 1), ("dropdown", 3), ("text", 1)):
        found = shown.box.locator(f".widget-{kind}").evaluate_all(looks)
        assert len(found) == count, kind
        assert all(filtered == "grayscale(1)" and "run the cell again" in title for filtered, title in found), kind
    for alive in (".widget-slider", ".protoclass-map"):
        assert shown.box.locator(alive).first.evaluate("e => getComputedStyle(e).filter") == "none"


def drawn_without_python(shown, fit):
    """The map follows the sliders and the keys, and says in words what is selected."""
    from playwright.sync_api import expect

    shown.drag("radius", 0)
    expect(shown.map).to_have_attribute("data-drawn", re.compile("^0 "))
    assert shown.drawn()[1] == len(fit.update(eps=fit.validation.grid["eps"].min()).prototypes)
    field = shown.map.locator(".protoclass-field")
    field.focus()
    field.press("PageDown")
    field.press("Enter")
    expect(shown.map.locator(".protoclass-said")).to_contain_text("Prototype")


def test_a_page_of_voila(chromium, fit, iris, tmp_path):
    if find_spec("voila") is None:
        pytest.skip("voila is not installed")
    from protoclass.widgets.app import app

    with app("species ~ .", iris, open_browser=False) as opened, visit(chromium, opened.url, tmp_path) as seen:
        boxes = (seen.page.locator(f".protoclass-{name}") for name in ("prototypes", "curve"))
        drive(*map(Shown, boxes), fit)
        left, right = (seen.page.locator(f".protoclass-prototypes {part}").bounding_box() for part in (".protoclass-map", "select[size]"))
        assert right["x"] >= left["x"] + left["width"]  # in a wide window
        assert len(seen.asked) > 10
        # what voila's template asks for elsewhere is refused by the page's policy, before it leaves
        assert {seen.failed.get(url) for url in elsewhere(seen)} <= {"csp"}
