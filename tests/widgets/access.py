"""Faults of a page for those who use a screen reader, a keyboard or little contrast, as axe-core finds them."""

import pytest


def find_faults(page, within=None):
    """The rules of axe-core that a part of the page breaks, each with where; `within` is a CSS selector."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    context = None if within is None else {"include": [[within]]}
    found = axe.Axe().run(page, context=context).response["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found]
