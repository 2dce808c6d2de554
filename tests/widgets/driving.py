"""A JupyterLab of its own, and explorers on its page as users see and move them."""

import json
import os
import re
import secrets
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


@contextmanager
def open_lab(tmp_path, cells):
    """The address of a notebook of these cells, in a JupyterLab whose settings and files are all its own."""
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
    (work / "explorers.ipynb").write_text(json.dumps(notebook(cells)))
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


def run_all(page, count):
    """Run all cells, so many, and wait for their end. A run that is asked for while the kernel connects is lost: it is asked for again."""
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
    expect(page.locator(".jp-CodeCell .jp-InputPrompt", has_text=re.compile(r"\[\d+\]:"))).to_have_count(count)
    page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for(state="attached")


class Shown:
    """An explorer on the page: what a user sees of it."""

    def __init__(self, box):
        self.box, self.map, self.details = box, box.locator(".protoclass-map"), box.locator(".protoclass-panel")
        self.eps = box.get_by_role("slider", name="radius")
        self.list, self.notice = box.get_by_label("Prototypes", exact=True).locator("tbody button"), box.locator(".protoclass-silent")

    def words(self):
        status = self.box.locator("[role=status]")
        return status.get_attribute("title") or status.inner_text()

    def said(self, words):
        """Wait for words, which the figures of a fit have as a tooltip."""
        from playwright.sync_api import expect

        status = self.box.locator("[role=status]")
        if status.get_attribute("title"):
            expect(status).to_have_attribute("title", re.compile(re.escape(words)))
        else:
            expect(status).to_contain_text(words)

    def drag(self, slider, share):
        """Drag a curve from its chosen point to the one at a share of its length."""
        slider.click(trial=True)  # waits until nothing is above it
        at = slider.bounding_box()
        y = at["y"] + at["height"] / 2
        of = "e => { const c = e.closest('.protoclass-chart').explorer; return c.order.map((k) => c.spots[k][0]); }"
        spots, now = slider.evaluate(of), int(slider.get_attribute("aria-valuenow"))
        along = [at["x"] + spots[k] for k in (now, round(share * (len(spots) - 1)))]
        mouse = slider.page.mouse
        mouse.move(along[0], y)
        mouse.down()
        mouse.move(along[1], y, steps=4)
        mouse.up()

    def drawn(self):
        """Place of the radius and class that the map has drawn."""
        return [int(value) for value in self.map.get_attribute("data-drawn").split()]

    def click(self, label):
        """Click a row on the map; where nothing is for None."""
        at = "map => { const b = map.explorer.frame.box; return [b.left + 2, b.top + 2]; }"
        of = "(map, name) => map.explorer.frame.at(map.explorer.fit.pointOf.get(name))"
        x, y = self.map.evaluate(at) if label is None else self.map.evaluate(of, str(label))
        self.map.locator(".protoclass-field").click(position={"x": x, "y": y})


def tell_story(shown, fit, run):
    """What an explorer is for, in a file and in a notebook, on a fit of iris whose radius was tuned.

    A budget is chosen on the frontier, a prototype in the table, and its rival read; a new row is entered, and a value changed until
    the class changes; the code that says so is copied, and `run(code)` returns the class of its `why`. Returns that code.
    """
    from playwright.sync_api import expect

    page, panel, curve = shown.box.page, shown.details, shown.box.locator(".protoclass-plot").first
    title = panel.locator("h2").first
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown.box.get_by_role("button", name="number of prototypes").click()
    shown.drag(curve, 0.5)
    point = int(curve.locator("xpath=..").get_attribute("data-chosen"))
    chosen = fit.at(eps=fit.validation.grid["eps"][point])
    assert len(chosen.prototypes) != len(fit.prototypes)
    expect(shown.list).to_have_count(len(chosen.prototypes))
    expect(shown.box.locator(".protoclass-head")).to_contain_text(f"{100 * fit.validation.table['error'][point]:.1f} %")

    classes = chosen.prototypes["class"]
    label = classes.index[1]
    shown.list.nth(1).click()
    expect(title).to_have_text(f"Prototype {label}: {classes.iloc[1]}")
    rival = chosen.why(label).attrs
    expect(panel).to_contain_text(
        f"The nearest prototype of another class is {rival['rival']} ({classes[rival['rival']]}) at {rival['rival_distance']:.4g}."
    )

    shown.map.locator(".protoclass-field").press("Escape")
    panel.get_by_role("button", name="New row").click()
    values = {"sepal_length": 6.1, "sepal_width": 2.8, "petal_length": 4.6, "petal_width": 1.3}
    for name, value in values.items():
        panel.get_by_label(name, exact=True).fill(str(value))
    why = chosen.why(values)
    expect(title).to_have_text(f"new row: predicted {why.attrs['class']}")
    expect(panel).to_contain_text(f"nearest of another class: {why.attrs['rival']} ({classes[why.attrs['rival']]})")
    name, value, then = re.search(r"With (\w+) ([\d.]+) \(now [^)]+\) this fit would predict (\w+)\.", panel.inner_text()).groups()
    change = why.loc[name]
    assert (value, then) == (f"{change['counterfactual']:.4g}", change["counterfactual_class"])

    field, step = panel.get_by_label("petal_width", exact=True), 0.1
    field.fill("")
    expect(panel).to_contain_text("Every predictor is needed")
    limit, other = why.loc["petal_width", ["counterfactual", "counterfactual_class"]]
    value = values["petal_width"]
    while value < limit:  # typed, letter by letter, in a table that is written again each time
        field.fill("")
        value = round(value + step, 1)
        page.keyboard.type(str(value))
        expect(title).to_have_text(f"new row: predicted {why.attrs['class'] if value < limit else other}")
    panel.get_by_role("button", name="Copy as code").click()
    expect(panel.get_by_role("button", name="Copy as code")).to_have_text("Copied")
    code = page.evaluate("navigator.clipboard.readText()")
    assert code == panel.locator("code").first.inner_text()
    assert run(code) == chosen.why(values | {"petal_width": value}).attrs["class"] == other
    return code
