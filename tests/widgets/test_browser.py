"""The explorers in a real browser: JupyterLab, driven by mouse and keyboard in headless Chromium."""

import os
import re
import signal
import time

import pytest
from access import find_faults
from driving import ALL, Shown, elsewhere, open_lab, run_all, tell_story, visit

import protoclass as pc

pytestmark = pytest.mark.browser

CELLS = [
    "import os\nimport protoclass as pc\nfit = pc.fit('species ~ .', pc.load_data('iris'), dissimilarity='euclidean', repeats=1)\n"
    "print('kernel', os.getpid())",
    "fit.explore()",
    "fit.validation.explore()",
    "from protoclass.widgets.prototypes import PrototypeExplorer\nshown = PrototypeExplorer(fit)\nshown",
    "shown.eps, shown.selected = fit.validation.grid['eps'].max(), 82",
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A JupyterLab for all: its folder and the address of its notebook."""
    folder = tmp_path_factory.mktemp("lab")
    with open_lab(folder, CELLS) as address:
        yield folder, address


@pytest.fixture(scope="module")
def seen(lab, chromium, tmp_path_factory):
    """The notebook with all cells run, which the tests share from first to last."""
    with visit(chromium, lab[1], tmp_path_factory.mktemp("seen")) as seen:
        run_all(seen.page, len(CELLS))
        yield seen


def drive(prototypes, curve, fit):
    """Move all that moves, on a page with both explorers of a fit of iris by "pvm"; see that what is shown follows."""
    from playwright.sync_api import expect

    prototypes.said(f"{len(fit.prototypes)} prototypes")
    label = fit.prototypes.index[1]
    prototypes.click(label)
    title = f"Prototype {label}: {fit.prototypes['class'].iloc[1]}"
    expect(prototypes.details).to_contain_text(title)
    expect(prototypes.details).to_contain_text(f"2 of {len(fit.prototypes)} in the order chosen.")
    prototypes.click(None)
    expect(prototypes.details).not_to_contain_text(title)

    largest = fit.validation.grid["eps"].max()
    prototypes.drag(prototypes.eps, 1)
    prototypes.said(f"eps = {largest:.4g}")
    assert prototypes.drawn() == [len(fit.validation.grid) - 1, -1]

    for share, point in ((0, 0), (1, len(fit.validation.grid) - 1)):
        curve.drag(curve.eps, share)
        curve.said(f"error {fit.validation.table['error'].iloc[point]:.4f}")
        expect(curve.box).to_contain_text(f"Grid point {point + 1} of")
    for explorer in (prototypes, curve):
        expect(explorer.box.locator("[role=alert]:not(:empty)")).to_have_count(0)


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, dissimilarity="euclidean", repeats=1)


def test_a_notebook_in_jupyterlab(seen, fit):
    cells = seen.page.locator(".jp-CodeCell")
    drive(Shown(cells.nth(1)), Shown(cells.nth(2)), fit)
    assert len(seen.asked) > 10
    assert elsewhere(seen) == set()
    assert find_faults(seen.page, ".protoclass-page") == []


def test_the_story_in_jupyterlab(seen, fit):
    """That of a saved page; the code is pasted into a cell."""
    from playwright.sync_api import expect

    page = seen.page

    def run(code):
        cell = page.locator(".jp-CodeCell").last
        cell.locator(".cm-content").click()
        for key in ("Control+a", "Control+v", "End"):
            page.keyboard.press(key)
        page.keyboard.type(".attrs['class']")
        assert cell.locator(".cm-content").inner_text().startswith(code)
        page.keyboard.press("Control+Enter")
        output = cell.locator(".jp-OutputArea-output").last
        expect(output).to_have_text(re.compile(r"^'\w+'$"))
        return output.inner_text().strip("' \n")

    tell_story(Shown(page.locator(".jp-CodeCell").nth(1)), fit, run)


KEYS = ("ArrowDown", "ArrowDown", "b", "d", "d", "x", "a", "Shift+Enter", "0", "0", "ArrowUp")


def cells_of(page):
    """The cells of the notebook: their texts, and which is selected."""
    selected = ".jp-Notebook .jp-Cell.jp-mod-selected"
    texts = page.locator(".jp-Notebook .jp-Cell .cm-content").all_inner_texts()
    return texts, page.evaluate(
        "selector => [...document.querySelectorAll('.jp-Notebook .jp-Cell')].map(c => c.matches(selector))", selected
    )


def test_keys_of_an_explorer_are_not_the_notebooks(seen, fit):
    """Keys pressed in the list, on a slider, a menu and the map: no cell is selected, inserted, cut, run or deleted."""
    from playwright.sync_api import expect

    page = seen.page
    moved = Shown(page.locator(".jp-CodeCell").nth(3))  # a later cell has moved it
    moved.said(f"eps = {fit.validation.grid['eps'].max():.4g}")
    expect(moved.details).to_contain_text("82: versicolor")
    shown = Shown(page.locator(".jp-CodeCell").nth(1))
    shown.box.get_by_role("button", name="radius eps").click()  # the story has left it at the other
    shown.list.first.click()
    expect(shown.details).to_contain_text("1 of ")
    shown.list.first.focus()
    expect(page.locator(".jp-Notebook .jp-Cell").nth(1)).to_have_class(re.compile("jp-mod-selected"))  # as it has the focus
    before, prompt = cells_of(page), page.locator(".jp-CodeCell .jp-InputPrompt").nth(1).inner_text()
    assert before[1] == [False, True, *[False] * (len(CELLS) - 2)]
    shown.list.first.press("ArrowDown")
    expect(shown.details).to_contain_text("2 of ")  # the table has it
    of = shown.box.get_by_role("button", name="setosa").first
    for control in (shown.list.nth(1), shown.map.locator(".protoclass-field"), shown.eps, of):
        for key in KEYS:
            control.focus()
            control.press(key)
    # what a key did to the notebook would be there before a key that the notebook does take has its effect
    shown.list.first.press("Control+Shift+C")
    page.locator(".lm-CommandPalette, .jp-ModalCommandPalette").first.wait_for(state="visible")
    page.keyboard.press("Escape")
    assert cells_of(page) == before
    assert page.locator(".jp-CodeCell .jp-InputPrompt").nth(1).inner_text() == prompt


def test_a_kernel_that_died_is_said_and_a_notebook_opens_without_it(lab, seen, chromium, fit, tmp_path):
    from playwright.sync_api import expect

    (folder, address), page = lab, seen.page
    shown, curve = (Shown(page.locator(".jp-CodeCell").nth(k)) for k in (1, 2))
    shown.drag(shown.eps, 1)
    shown.list.first.click()
    expect(shown.details).to_contain_text("1 of ")
    expect(shown.notice).to_be_hidden()
    page.keyboard.press("Control+s")
    file, end = folder / "work" / "explorers.ipynb", time.monotonic() + ALL / 1000
    while "application/vnd.jupyter.widget-state+json" not in file.read_text():
        assert time.monotonic() < end, "the notebook is not saved"
        time.sleep(0.2)
    kernel = int(re.search(r"kernel (\d+)", page.locator(".jp-CodeCell").nth(0).inner_text())[1])
    says_that_python_works(shown, kernel)
    os.kill(kernel, signal.SIGKILL)
    page.get_by_role("dialog").get_by_role("button", name="Ok").click()  # JupyterLab says that it restarts the kernel
    drawn_without_python(shown, curve, fit)
    for each in (shown, curve):
        expect(each.notice).to_contain_text("Python does not answer")
        expect(each.notice).to_contain_text("run the cell again")

    with visit(chromium, address, tmp_path) as again:  # with another kernel, which knows nothing of the explorers
        shown, curve = (Shown(again.page.locator(".jp-CodeCell").nth(k)) for k in (1, 2))
        expect(shown.map).to_have_attribute("data-drawn", re.compile(r"\d"))
        drawn_without_python(shown, curve, fit)


def says_that_python_works(shown, kernel):
    """While there is no answer, and no longer once there is one."""
    from playwright.sync_api import expect

    os.kill(kernel, signal.SIGSTOP)
    try:
        shown.eps.press("ArrowLeft")
        expect(shown.notice).to_have_text("working ...")
    finally:
        os.kill(kernel, signal.SIGCONT)
    expect(shown.notice).to_be_hidden()


def drawn_without_python(shown, curve, fit):
    """Map and chart follow the sliders and the keys, and say in words what is selected."""
    from playwright.sync_api import expect

    shown.eps.press("Home")
    expect(shown.map).to_have_attribute("data-drawn", re.compile("^0 "))
    shown.said(f"eps = {fit.validation.grid['eps'].min():.4g}")
    field = shown.map.locator(".protoclass-field")
    field.focus()
    field.press("PageDown")
    field.press("Enter")
    expect(shown.details).to_contain_text("Prototype")
    field = curve.box.locator(".protoclass-plot")
    field.press("End")
    expect(curve.box.locator(".protoclass-chart")).to_have_attribute("data-chosen", "19")
    curve.said(f"error {fit.validation.table['error'].iloc[19]:.4f}")
