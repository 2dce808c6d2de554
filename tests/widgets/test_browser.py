"""The explorers in a real browser: JupyterLab and voila, driven by mouse and keyboard in headless Chromium."""

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

import protoclass as pc

ALL = 300_000  # milliseconds after which what is waited for is taken not to come
HERE = {"127.0.0.1", "localhost"}
TOKEN = secrets.token_hex(16)

CELLS = [
    "import os\nimport protoclass as pc\nfit = pc.fit('species ~ .', pc.load_data('iris'))\nprint('kernel', os.getpid())",
    "fit.explore()",
    "fit.validation.explore()",
]


# whether the server has a kernel that is idle and that this page is connected to
CONNECTED = """async () => {
  const { baseUrl } = JSON.parse(document.getElementById("jupyter-config-data").textContent);
  const kernels = await (await fetch(baseUrl + "api/kernels")).json();
  return kernels.some((kernel) => kernel.connections > 0 && kernel.execution_state === "idle");
}"""


class Visit(NamedTuple):
    """A page, the addresses that it asked for, and why some of them gave nothing."""

    page: object
    asked: list
    failed: dict


pytestmark = pytest.mark.browser


@contextmanager
def visit(chromium, url, tmp_path):
    """A page, and all that it asks for."""
    page = chromium.new_page(viewport={"width": 1300, "height": 2400})
    page.set_default_timeout(ALL)
    seen = Visit(page, [], {})
    page.on("request", lambda request: seen.asked.append(request.url))
    page.on("websocket", lambda channel: seen.asked.append(channel.url))
    page.on("requestfailed", lambda request: seen.failed.update({request.url: request.failure}))
    try:
        page.goto(url)
        yield seen
    except Exception:
        page.screenshot(path=tmp_path / "failed.png")
        print(f"The page as it was: {tmp_path / 'failed.png'}")
        raise
    finally:
        page.close()


def elsewhere(seen):
    """Addresses that were asked for off this machine."""
    asked = set(map(urlsplit, seen.asked))
    return {at.geturl() for at in asked if at.scheme not in ("data", "blob") and at.hostname not in HERE}


@pytest.fixture
def lab(tmp_path):
    """The address of a notebook with the explorers, in a JupyterLab whose settings and files are all its own."""
    if find_spec("jupyterlab") is None:
        pytest.skip("jupyterlab is not installed")
    home, work = tmp_path / "home", tmp_path / "work"
    settings = {  # no question over the page, nothing from the internet, and cells that are drawn out of sight too
        "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
        "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True},
    }
    for name, told in settings.items():
        file = home / "settings" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(told))
    work.mkdir()
    (work / "explorers.ipynb").write_text(json.dumps(notebook(CELLS)))
    own = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython",
           "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces"}  # fmt: skip
    environment = os.environ | {name: str(home / folder) for name, folder in own.items()}
    environment |= {"JUPYTER_NO_CONFIG": "1", "PYTHONPATH": str(Path(pc.__file__).parent.parent)}
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
    words = ["jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0",
             f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={work}", "--LabApp.extension_manager=readonly"]  # fmt: skip
    with open(tmp_path / "server.log", "w+") as log:
        server = subprocess.Popen([sys.executable, "-m", *words], cwd=work, env=environment, stdout=log, stderr=log)
        try:
            answering(f"http://127.0.0.1:{port}/api/status?token={TOKEN}", server)
            yield f"http://127.0.0.1:{port}/lab/tree/explorers.ipynb?token={TOKEN}"
        finally:
            server.terminate()
            server.wait(60)
            log.seek(0)
            print(log.read())  # which pytest shows where the test failed


def notebook(sources):
    """A notebook of cells of code."""
    cells = [
        {
            "id": f"cell-{k}",
            "cell_type": "code",
            "metadata": {},
            "source": source,
            "execution_count": None,
            "outputs": [],
        }
        for k, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def answering(url, server):
    """Wait for a server to answer."""
    end = time.monotonic() + ALL / 1000
    while True:
        assert server.poll() is None, "the server ended"
        assert time.monotonic() < end, "the server does not answer"
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)


def run_all(page):
    """Run all cells and wait for their end. A run that is asked for while the kernel connects is lost: it is asked for again."""
    from playwright.sync_api import expect

    page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for(state="attached")
    page.wait_for_function(CONNECTED)
    waiting = page.locator(".jp-CodeCell .jp-InputPrompt", has_text="[ ]:")
    for attempt in range(8):
        page.locator(".jp-CodeCell .jp-InputArea-editor").first.click()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        try:
            expect(waiting).to_have_count(0, timeout=30_000)
            break
        except AssertionError:
            print(f"run {attempt + 1} was lost")
    else:
        raise AssertionError("the cells did not start")
    # a run that was only slow and was asked for again has made its explorers anew when no cell waits any more
    expect(page.locator(".jp-CodeCell .jp-InputPrompt", has_text=re.compile(r"\[\d+\]:"))).to_have_count(len(CELLS))
    page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for(state="attached")


class Shown:
    """An explorer on the page: what a user sees of it, and what has changed since the last look."""

    def __init__(self, box):
        self.box, self.picture, self.map = box, box.locator("img.protoclass-picture"), box.locator(".protoclass-map")

    def look(self):
        """Words, tables and picture as they are."""
        tables = self.box.locator("table").all_inner_texts()
        return {"words": self.words(), "tables": tables, "picture": self.picture.get_attribute("src")}

    def words(self):
        return self.box.locator("[role=status]").inner_text()

    def said(self, words):
        from playwright.sync_api import expect

        expect(self.box.locator("[role=status]")).to_contain_text(words)

    def slider(self, name):
        return self.box.locator(".widget-slider", has_text=name)

    def drag(self, name, share):
        """Drag the handle of a slider to a share of its length."""
        track = self.slider(name).locator(".noUi-base")
        at = track.bounding_box()
        place = {"x": min(at["width"] - 1, max(1, share * at["width"])), "y": at["height"] / 2}
        self.slider(name).locator(".noUi-handle").drag_to(track, target_position=place)

    def read(self, name):
        """The number beside a slider."""
        return float(self.slider(name).locator(".widget-readout").inner_text())

    def changed(self, before):
        """Wait until the picture is another one; the new look."""
        from playwright.sync_api import expect

        expect(self.picture).not_to_have_attribute("src", before["picture"])
        return self.look()


    def drawn(self):
        """Place of the radius, size and class that the map has drawn."""
        return [int(value) for value in self.map.get_attribute("data-drawn").split()]

    def click(self, label):
        """Click a row on the map; where nothing is for None."""
        at = "map => { const b = map.explorer.frame.box; return [b.left + 2, b.top + 2]; }"
        of = "(map, name) => map.explorer.frame.at(map.explorer.film.pointOf.get(name))"
        x, y = self.map.evaluate(at) if label is None else self.map.evaluate(of, str(label))
        self.map.locator(".protoclass-field").click(position={"x": x, "y": y})


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
        run_all(seen.page)
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
        run_all(page)
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
        run_all(page)
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
        number = re.search(r"kernel (\d+)", page.locator(".jp-CodeCell").nth(0).inner_text())
        os.kill(int(number.group(1)), signal.SIGKILL)
        words = shown.words()
        page.get_by_role("dialog").get_by_role("button", name="Ok").click()  # JupyterLab says that it restarts the kernel
        shown.drag("radius", 0)
        expect(notice).to_contain_text("Python does not answer")
        expect(notice).to_contain_text("run the cell again")
        expect(shown.box.locator(".protoclass-gone")).to_be_attached()
        assert shown.words() == words
        drawn_without_python(shown, fit)

    with visit(chromium, lab, tmp_path) as seen:  # with another kernel, which knows nothing of the explorer
        shown = Shown(seen.page.locator(".jp-CodeCell").nth(1))
        expect(shown.map).to_have_attribute("data-drawn", re.compile(r"\d"))
        drawn_without_python(shown, fit)


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
        assert len(seen.asked) > 10
        # what voila's template asks for elsewhere is refused by the page's policy, before it leaves
        assert {seen.failed.get(url) for url in elsewhere(seen)} <= {"csp"}
