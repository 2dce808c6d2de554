"""Every vignette runs from top to bottom."""

import re
from pathlib import Path

import matplotlib
import pytest

VIGNETTES = sorted((Path(__file__).resolve().parent.parent / "vignettes").glob("*.md"))


@pytest.mark.parametrize("path", VIGNETTES, ids=lambda p: p.stem)
def test_the_vignette_runs(path):
    cells = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)
    assert cells
    names = {"__name__": "__main__"}
    before = matplotlib.get_backend()
    matplotlib.use("Agg")
    try:
        for number, cell in enumerate(cells):
            exec(compile(cell, f"{path.name}, cell {number + 1}", "exec"), names)
    finally:
        names["plt"].close("all") if "plt" in names else None
        matplotlib.use(before)
