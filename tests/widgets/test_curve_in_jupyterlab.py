"""The error curve in JupyterLab: keys, a kernel that ends, and the notebook reopened without it."""

import os
import re
import signal
import time

import pytest
from driving import ALL, open_lab, run_all, visit

pytestmark = [pytest.mark.browser, pytest.mark.long]
CELLS = [
    "import os\nimport protoclass as pc\nfit = pc.fit('species ~ .', pc.load_data('iris'))\nprint('kernel', os.getpid())",
    "fit.validation.explore()",
]
TOLD = "[...document.querySelectorAll('.jp-Notebook .jp-Cell')].map((cell) => [cell.textContent.length, cell.matches('.jp-mod-selected')])"


def test_the_curve_in_jupyterlab_without_its_kernel(chromium, tmp_path):
    from playwright.sync_api import expect

    with open_lab(tmp_path, CELLS) as lab:
        with visit(chromium, lab, tmp_path) as seen:
            page = seen.page
            run_all(page, len(CELLS))
            box = page.locator(".jp-CodeCell").nth(1)
            chart, field, status = (box.locator(name) for name in (".protoclass-chart", ".protoclass-plot", "[role=status]"))
            expect(chart).to_have_attribute("data-chosen", re.compile(r"\d"))
            field.focus()
            count, texts = page.locator(".jp-Notebook .jp-Cell").count(), page.locator(".cm-content").all_inner_texts()
            for key in ("b", "d", "d", "x", "a", "ArrowDown", "Home", "ArrowRight", "Enter"):
                field.press(key)
            expect(chart).to_have_attribute("data-chosen", "1")
            expect(status).to_contain_text(re.compile(r"^eps = 0\.\d+: error"))
            expect(box.locator(".widget-readout")).to_have_text(re.compile(r"0\.2"))
            assert page.locator(".jp-Notebook .jp-Cell").count() == count
            assert page.locator(".cm-content").all_inner_texts() == texts
            page.keyboard.press("Control+s")
            file, end = tmp_path / "work" / "explorers.ipynb", time.monotonic() + ALL / 1000
            while "application/vnd.jupyter.widget-state+json" not in file.read_text():
                assert time.monotonic() < end, "the notebook is not saved"
                time.sleep(0.2)
            words = status.inner_text()
            os.kill(int(re.search(r"kernel (\d+)", page.locator(".jp-CodeCell").nth(0).inner_text())[1]), signal.SIGKILL)
            page.get_by_role("dialog").get_by_role("button", name="Ok").click()  # JupyterLab says that it restarts the kernel
            field.press("End")
            field.press("Enter")
            expect(chart).to_have_attribute("data-chosen", "19")
            expect(box.locator(".protoclass-silent")).to_contain_text("Python does not answer")
            assert status.inner_text() == words
            expect(chart.locator(".protoclass-chart-said")).to_contain_text("Size ")
        with visit(chromium, lab, tmp_path) as seen:  # with another kernel, which knows nothing of the explorer
            chart = seen.page.locator(".protoclass-chart")
            expect(chart).to_have_attribute("data-chosen", "1")
            slider = seen.page.locator(".noUi-handle")
            slider.press("ArrowRight")
            expect(chart).to_have_attribute("data-chosen", "2")
