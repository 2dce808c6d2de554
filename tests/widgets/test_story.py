"""A saved page from its first answer to a new row, by keyboard alone, for each kind of evidence and at two widths.

Where a page cannot compute the distances it has no "What if" and no "New row", and says why; rows that are images are given, not typed.
"""

import re

import numpy as np
import pandas as pd
import pytest
from access import find_faults

import protoclass as pc
from protoclass.widgets.prototypes import PrototypeExplorer

pytestmark = pytest.mark.browser

WHY = {
    "strings": "Spectrum (k=2) dissimilarities need Python",
    "series": "DTW dissimilarities need Python",
    "matrix": "given dissimilarities need Python",
    "forest": "Forest dissimilarities need Python",
    "rule": "the class is not that of the nearest prototype (Set covering machine (stumps))",
}
FOCUS = "() => { const e = document.activeElement; return e.getAttribute('aria-label') || e.textContent; }"


def noisy(labels, seed=0):
    """Labels of which every tenth is that of another row, so that there are errors."""
    labels = pd.Series(np.asarray(labels, str))
    labels.iloc[::10] = labels.iloc[::10].sample(frac=1, random_state=seed).to_numpy()
    return labels


def make_case(kind, iris):
    """A fit, the options of its page, the elements that show its evidence, and their least number."""
    draw, tuned = np.random.default_rng(0), {"cv": 3, "repeats": 1}
    rows = iris.iloc[::2].reset_index(drop=True)
    rows["species"] = noisy(rows["species"])
    if kind == "learned":
        return pc.fit("species ~ .", rows, "medianglvq", K=1, matrix="diagonal", ridge=0.1, cv=3), {}, "table.compare .protoclass-bars", 4
    if kind == "strings":
        letters = ["".join(draw.choice(list(text), 20)) for text in ("AAAC", "GGGT") for _ in range(20)]
        data = pd.DataFrame({"gene": letters, "family": noisy(["a"] * 20 + ["b"] * 20)})
        return pc.fit("family ~ gene", data, dissimilarity=pc.Mismatch(k=2, m=0), **tuned), {}, ".protoclass-letters mark", 2
    if kind == "series":
        steps = np.linspace(0, 6, 24)
        data = pd.DataFrame([wave(steps + shift) for wave in (np.sin, np.cos) for shift in draw.normal(0, 0.2, 15)])
        data = data.set_axis([f"t{k}" for k in range(24)], axis=1).assign(shape=noisy(["sin"] * 15 + ["cos"] * 15))
        return pc.fit("shape ~ .", data, dissimilarity=pc.DTW(window=3), **tuned), {}, "svg.protoclass-series path", 2
    if kind == "images":
        data = pc.load_data("digits").iloc[:200]
        fit = pc.fit("digit ~ .", data, dissimilarity=pc.Euclidean(scale=False), eps=[25.0, 35.0], **tuned)
        new = pc.load_data("digits").iloc[200:203].drop(columns="digit")
        return fit, {"shape": (8, 8), "new": new}, ".answer figure canvas", 3
    if kind == "matrix":
        D = pc.dissimilarity("~ . - species", rows).frame()
        return pc.fit("species ~ 1", rows[["species"]], dissimilarity=D, **tuned), {}, "table.distances tbody tr", 5
    if kind == "forest":
        return pc.fit("species ~ .", rows, dissimilarity=pc.Forest(trees=20), **tuned), {}, "table.distances tbody tr", 3
    fit = pc.fit("species ~ .", rows, "scm", features="stumps", kind="conjunction", penalty=2.0, max_size=2, cv=3)
    return fit, {}, ".protoclass-conditions button", 2


def tab_to(page, name):
    """Press Tab until the element with this name has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUS) == name:
            return
    raise AssertionError(f"no Tab leads to {name}")


@pytest.mark.parametrize("kind", ["learned", "strings", "series", "images", "matrix", "forest", "rule"])
def test_the_story_by_keyboard_alone(chromium, iris, tmp_path, kind):
    from playwright.sync_api import expect

    fit, options, evidence, least = make_case(kind, iris)
    explorer, page, wrong = PrototypeExplorer(fit, **options), chromium.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    saved, title = explorer.save(tmp_path / "fit.html"), page.locator(".answer h2").first
    errors = np.flatnonzero(fit.validation.held_out[fit._selection.point].to_numpy() != fit.frame.response.to_numpy())
    for width in (1280, 480):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto("about:blank")
        page.goto(saved.as_uri())
        expect(title).to_contain_text(f"Row {explorer.selected}: ")
        assert page.locator(evidence).count() >= least
        before = title.inner_text()
        tab_to(page, "Next error")
        page.keyboard.press("Enter")
        expect(title).not_to_have_text(before)
        assert int(re.search(r"Row (\d+)", title.inner_text())[1]) in errors
        if kind == "learned":
            change_and_type(page, title, fit)
        elif kind == "images":
            tab_to(page, "new row 1")
            page.keyboard.press("Enter")
            expect(title).to_have_text(f"new row 1: predicted {fit.predict(options['new']).iloc[1]}")
        else:
            assert page.get_by_role("button", name=re.compile("What if|New row")).count() == 0
            tab_to(page, "Find row")
            for key in ("Control+a", "Delete", "Enter"):  # no row
                page.keyboard.press(key)
            expect(page.locator(".answer")).to_contain_text(f"New rows are not classified here, because {WHY[kind]}: use fit.predict(new).")
        if kind == "rule":
            words = explorer._content.rule(0)["conditions"][0]["words"]
            tab_to(page, words)
            page.keyboard.press("Enter")
            expect(page.locator("button[aria-pressed=true]", has_text=words)).to_have_count(1)
        assert find_faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert not wrong


def change_and_type(page, title, fit):
    """Change a value of the row until its class changes, and type a new row."""
    from playwright.sync_api import expect

    said = page.locator(".answer").inner_text()
    name, value, other = re.search(r"With (\w+) ([\d.]+) \(now [^)]+\) this fit would predict (\w+)\.", said).groups()
    tab_to(page, "What if")
    page.keyboard.press("Enter")
    tab_to(page, name)
    old = float(page.evaluate("document.activeElement.value"))
    page.keyboard.press("Control+a")
    page.keyboard.type(f"{float(value) + 0.05 * (float(value) - old):.6g}")
    expect(title).to_contain_text(f"predicted {other}")
    tab_to(page, "New row")
    page.keyboard.press("Enter")
    expect(title).to_contain_text("new row: predicted ")
    code = page.locator(".answer code").inner_text()
    assert title.inner_text().endswith(f"predicted {eval(code, {'fit': fit}).attrs['class']}")
