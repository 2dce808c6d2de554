"""The explorers in a real browser: JupyterLab and voila, driven by mouse and keyboard in headless Chromium."""

import json
import os
import re
import secrets
import shutil
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

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
ALL = 120_000  # milliseconds for what takes a few seconds on a machine that is not busy
HERE = {"127.0.0.1", "localhost"}
TOKEN = secrets.token_hex(16)

CELLS = [
    "import protoclass as pc\nfit = pc.fit('species ~ .', pc.load_data('iris'))",
    "fit.explore()",
    "fit.validation.explore()",
]


class Visit(NamedTuple):
    """A page, the addresses that it asked for, and why some of them gave nothing."""

    page: object
    asked: list
    failed: dict


pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium (apt-get install chromium)"),
    pytest.mark.skipif(find_spec("playwright") is None, reason="playwright is not installed"),
]


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=ALL)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


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
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "notebook-extension/tracker": {"windowingMode": "none"},
    }
    for name, told in settings.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
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
             f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={work}", "--LabApp.extension_manager=readonly",
             "--LabApp.expose_app_in_browser=True"]  # fmt: skip
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


CONNECTED = """() => {
    const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
    return kernel?.connectionStatus === "connected" && kernel?.status === "idle";
}"""


def run_all(page):
    """Run all cells, once the kernel is connected: before that a run that is asked for is lost."""
    from playwright.sync_api import expect

    page.wait_for_function(CONNECTED)
    page.locator(".jp-CodeCell .jp-InputArea-editor").first.click()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    expect(page.locator(".jp-CodeCell .jp-InputPrompt", has_text="[ ]:")).to_have_count(0)


class Shown:
    """An explorer on the page: what a user sees of it, and what has changed since the last look."""

    def __init__(self, box):
        self.box, self.picture = box, box.locator("img.protoclass-picture")

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
        """Wait until picture and tables are others, which need not come at once; the new look."""
        from playwright.sync_api import expect

        expect(self.picture).not_to_have_attribute("src", before["picture"])
        end = time.monotonic() + ALL / 1000
        while (now := self.look())["tables"] == before["tables"]:
            assert time.monotonic() < end, "the tables stay as they were"
            self.box.page.wait_for_timeout(50)
        return now

    def reads(self, name, value):
        """Wait until the number beside a slider is this one."""
        end = time.monotonic() + ALL / 1000
        while self.read(name) != pytest.approx(value, rel=1e-2):
            assert time.monotonic() < end, f"{name} reads {self.read(name)}, not {value}"
            self.box.page.wait_for_timeout(50)


def place_of(label, fit):
    """Where the picture has a row: shares of its width from the left and of its height from the top."""
    from protoclass.widgets.prototypes import PrototypeExplorer

    explorer = PrototypeExplorer(fit)
    figure = explorer.figure
    x, y = figure.axes[0].transData.transform(explorer.table.loc[label, ["x", "y"]].to_numpy(float))
    return x / figure.bbox.width, 1 - y / figure.bbox.height


def drive(prototypes, curve, fit):
    """Move all that moves, on a page with both explorers of a fit of iris by "pvm"; see that what is shown follows."""
    from playwright.sync_api import expect

    expect(prototypes.picture).to_be_visible()
    expect(curve.picture).to_be_visible()
    prototypes.said(f"{len(fit.prototypes)} prototypes")
    first = prototypes.look()

    label = fit.prototypes.index[1]
    share = place_of(label, fit)
    box = prototypes.picture.bounding_box()
    prototypes.picture.click(position={"x": share[0] * box["width"], "y": share[1] * box["height"]})
    prototypes.changed(first)
    title = f"Prototype {label}: {fit.prototypes['class'].iloc[1]}, 2 of {len(fit.prototypes)} in the order chosen."
    expect(prototypes.box).to_contain_text(title)
    prototypes.picture.click(position={"x": 1, "y": 1})  # where nothing is
    expect(prototypes.box).not_to_contain_text(title)

    before, largest = prototypes.look(), fit.validation.grid["eps"].max()
    prototypes.drag("radius", 1)
    prototypes.said(f"eps = {largest:.4g}")
    moved = prototypes.changed(before)
    prototypes.reads("radius", largest)

    prototypes.drag("size", 0)
    prototypes.said(" 0 prototypes")
    prototypes.changed(moved)
    prototypes.reads("size", 0)

    start = curve.look()
    curve.drag("radius", 0)
    error = fit.validation.table["error"].iloc[0]
    curve.said(f"error {error:.4f}")
    low = curve.changed(start)
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
