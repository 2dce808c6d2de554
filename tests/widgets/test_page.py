"""The saved page in a real browser, from disk and with the network off: every control by mouse and by keyboard."""

import json
import re
import struct
import zlib
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest
from access import find_faults

import protoclass as pc
from protoclass.pictures.coverage import measure_coverage
from protoclass.pictures.explored import make_steps
from protoclass.widgets.browser import FOLDER, script
from protoclass.widgets.content import make_content
from protoclass.widgets.prototypes import PrototypeExplorer

EVIL = "</script><img src=x onerror=alert(1)>"
SEEN = """map => {
  const m = map.explorer, { rule, now } = m.look(), { point } = m.state;
  const shown = now.shown.map((k) => m.fit.names[rule.points[k]]);
  return { fitted: [...now.fitted], held: [...now.held], shown, point, here: m.here };
}"""


@pytest.fixture(scope="module")
def hostile():
    """A fit of iris whose labels of rows and classes would be markup."""
    iris = pc.load_data("iris")
    data = iris.assign(species=iris["species"].cat.rename_categories({"setosa": EVIL}))
    data.index = [f"{EVIL} {k}" if k == 3 else f"r{k}" for k in range(len(data))]
    return pc.fit("species ~ .", data, eps=[0.6, 1.0, 1.6], cv=3)


@pytest.fixture(scope="module")
def saved(hostile, tmp_path_factory):
    return PrototypeExplorer(hostile).save(tmp_path_factory.mktemp("page") / "fit.html")


@pytest.fixture(scope="module")
def context(chromium):
    context = chromium.new_context(viewport={"width": 900, "height": 1000}, offline=True)
    yield context
    context.close()


@pytest.fixture
def page(context, saved):
    """The page; a failed script, or anything that is asked for elsewhere, fails the test."""
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.on("request", lambda request: request.url.startswith(("file:", "data:", "blob:")) or wrong.append(request.url))
    page.goto(saved.as_uri())
    page.locator(".protoclass-map[data-drawn]").wait_for()
    yield page
    page.close()
    assert not wrong


def settled(page):
    """What the map knows, once it has drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.locator(".protoclass-map").evaluate(SEEN)


def spot(page, label):
    of = "(map, name) => map.explorer.frame.at(map.explorer.fit.pointOf.get(name))"
    x, y = page.locator(".protoclass-map").evaluate(of, str(label))
    return {"x": x, "y": y}


def test_no_names_meet_when_modules_are_joined():
    """The modules of a script share one scope, and import in no circle."""
    for name in ("explorer", "file"):
        names = re.findall(r"^(?:class|function|async function|const) (\w+)", script(name), re.M)
        assert len(names) == len(set(names)) > 3
        assert not re.search(r"^(import|export (?!default))", script(name), re.M)
    assert sum(path.suffix == ".js" for path in FOLDER.iterdir()) > 8


def test_what_comes_from_data_is_no_markup_of_the_page(saved, hostile):
    text = saved.read_text()
    assert text.count("<script") == text.count("</script>") == 2
    assert EVIL not in text
    assert re.search(r"default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; img-src data: blob:", text)
    packed = zlib.decompress(b64decode(re.search(r'protoclass-data">([^<]*)', text)[1]))
    (length,) = struct.unpack("<I", packed[:4])
    told = json.loads(packed[4 : 4 + length])
    assert told["fit"]["names"] == [str(label) for label in hostile.frame.index]
    with pytest.raises(pc.errors.OptionError, match="overwrite=True"):
        PrototypeExplorer(hostile).save(saved)
    with pytest.raises(pc.errors.OptionError, match=r"ends in \.html"):
        PrototypeExplorer(hostile).save("fit.pdf")


def test_every_radius_is_what_python_says(page, hostile):
    """Predictions, rows in balls, prototypes and the sentence, as the curve goes over radii by keys."""
    explorer, strip = PrototypeExplorer(hostile), page.locator(".protoclass-plot")
    strip.press("Home")
    for eps in explorer._steps.radii:
        explorer.eps = eps
        now, coverage = settled(page), measure_coverage(explorer.fit)
        assert now["fitted"] == coverage.fitted.tolist()
        assert now["held"] == (coverage.first >= 0).astype(int).tolist()
        assert now["shown"] == [str(label) for label in explorer.fit.prototypes.index]
        assert page.locator("[role=status]").get_attribute("title") == describe(explorer.fit, coverage)
        assert page.locator(".protoclass-figures").inner_text().split("\n") == figures(explorer.fit)
        strip.press("ArrowRight")


def describe(fit, coverage):
    """What a page says of a fit."""
    held, wrong = (coverage.first >= 0).sum(), (coverage.wrong > 0).sum()
    count = len(fit.prototypes)
    return (
        f"eps = {fit.model.eps:.4g}, {count} prototype{'' if count == 1 else 's'}. {held} of {fit.nobs} rows are in a ball of their "
        f"class, {wrong} in a ball of another class. Training error {fit._training_error:.4f} (optimistic: {fit._why_optimistic})."
    )


def figures(fit):
    """The figures above the map, each with its noun."""
    out = [str(len(fit.prototypes)), "prototypes"]
    if fit._curve is None:
        out += [f"{100 * fit._training_error:.1f} %", "training error"]
    else:
        row = fit.validation.table.iloc[fit._selection.point]
        out += [f"{100 * row['error']:.1f} %", f"CV error (SE {100 * row['se']:.1f})"]
        own = fit._selection.point == fit.validation._point_of()
        out += [f"{100 * fit.validation.corrected().value:.1f} %" if own else "-", "corrected for tuning"]
    return [*out, f"{fit.model.eps:.4g}", "radius eps"]


def test_pointer_and_keys_select(page, hostile):
    field, label = page.locator(".protoclass-field"), hostile.prototypes.index[1]
    field.hover(position=spot(page, label))
    assert f"Prototype '{label}'" in page.locator(".protoclass-tip").inner_text()
    assert "Newly covers" in page.locator(".protoclass-map > .protoclass-unseen").text_content()
    field.click(position=spot(page, label))
    words, ball = page.locator(".answer").inner_text(), hostile.why(prototype=label)
    assert words.startswith(f"Prototype '{label}': {hostile.prototypes['class'].iloc[1]}\n")
    assert f"2 of {len(hostile.prototypes)} in the order chosen. Newly covers {ball['first'].sum()} rows of its class." in words
    assert page.locator("tr.protoclass-marked th").inner_text() == label
    assert page.evaluate("location.hash") == f"#row={label}"
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert settled(page)["point"] == -1
    page.keyboard.press("PageDown")
    page.keyboard.press("Enter")
    first = hostile.frame.index.get_loc(hostile.prototypes.index[0])
    assert settled(page)["point"] == first
    across = [spot(page, hostile.prototypes.index[0])["x"]]
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        across.append(spot(page, hostile.frame.index[settled(page)["here"]])["x"])
    assert across == sorted(across)
    assert len(set(across)) == 4
    outline = field.evaluate("element => getComputedStyle(element).outlineStyle")
    assert outline == "solid"  # the focus is seen


def test_zoom_menus_list_and_search(page, hostile):
    from playwright.sync_api import expect

    before = page.evaluate("document.querySelector('.protoclass-map').explorer.frame.zoom")
    for name, zoomed in (("Zoom in", True), ("Reset", False)):
        page.get_by_role("button", name=name).click()
        page.wait_for_function(f"(document.querySelector('.protoclass-map').explorer.frame.zoom > {before}) === {str(zoomed).lower()}")
    page.get_by_role("button", name="virginica").click()
    expect(page.locator(".protoclass-map")).to_have_attribute("data-drawn", re.compile(r" 2$"))
    settled(page)
    lines, of = page.get_by_label("Prototypes", exact=True).locator("tbody tr"), hostile.prototypes["class"] == "virginica"
    assert [text.split() for text in lines.all_inner_texts()] == [text.split() for text in listed(hostile)[of]]
    page.get_by_role("button", name="miscovered").press("Enter")
    counts = [int(text.split()[3]) if len(text.split()) > 3 else 0 for text in lines.all_inner_texts()]
    assert counts == sorted(hostile.prototypes["miscovered"][of], reverse=True)
    lines.nth(1).get_by_role("button").press("Enter")
    assert hostile.frame.index[settled(page)["point"]] == lines.nth(1).locator("th").inner_text()
    page.get_by_role("button", name="virginica").click()
    page.get_by_label("Find row").fill(f"{EVIL} 3")
    page.keyboard.press("Enter")
    assert settled(page)["point"] == 3
    assert f"Row '{EVIL} 3': {EVIL}" in page.locator(".protoclass-panel").inner_text()
    page.get_by_label("Find row").fill("nobody")
    page.keyboard.press("Enter")
    assert page.get_by_role("alert").inner_text() == "The fit has no row with the label nobody."
    page.get_by_label("Axes", exact=True).select_option(label="petal_width")
    width = hostile.frame.columns["petal_width"].to_numpy()
    spots = page.evaluate("[...document.querySelector('.protoclass-map').explorer.frame.spots]")
    assert np.allclose(spots[0:300:2], width)


def listed(fit):
    """The lines of the table of prototypes."""
    table = fit.prototypes
    return np.array([
        f"{label} {row['class']} {row['newly_covered']:g} {row['miscovered'] or ''}" for label, row in table.iterrows()
    ])  # fmt: skip


def test_the_address_names_a_row(context, saved):
    page = context.new_page()
    page.goto(f"{saved.as_uri()}#row=r77")
    page.get_by_role("heading", name="Row 'r77': versicolor").wait_for()
    page.close()


def test_a_frame_follows_the_theme_that_the_site_is_switched_to(context, saved):
    """The script of the site, in a page that shows the saved one in a frame."""
    script = (Path(__file__).parents[2] / "docs" / "static" / "theme.js").read_text()
    site = saved.with_name("site.html")
    frame = '<iframe class="explorer" src="fit.html" width=900 height=900></iframe>'
    site.write_text(f'<body data-theme="dark"><script>{script}</script>{frame}')
    page = context.new_page()
    page.emulate_media(color_scheme="light")
    page.goto(site.as_uri())
    page.frame_locator("iframe").locator(".protoclass-map[data-drawn]").wait_for()
    paper = "document.querySelector('.protoclass-map').explorer.drawing.paper === '{}'"
    light, dark = "rgb(255, 255, 255)", "rgb(20, 23, 28)"
    page.frames[1].wait_for_function(paper.format(dark))
    for theme, level in (("light", light), ("dark", dark), ("auto", light)):
        page.evaluate("theme => document.body.dataset.theme = theme", theme)
        page.frames[1].wait_for_function(paper.format(level))
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.evaluate("location.hash = 'row=r77'")
    page.get_by_role("heading", name="Row 'r77': versicolor").wait_for()
    assert find_faults(page) == []


PARTS = """() => [".protoclass-head", ".protoclass-strip", ".protoclass-map", ".protoclass-panel"].map((part) => {
  const { left, top, right, bottom } = document.querySelector(part).getBoundingClientRect();
  return [left, top, right, bottom];
})"""


@pytest.mark.parametrize("width", [360, 720, 738, 749, 1000])
def test_no_part_lies_over_another(page, width):
    """The map contains its canvas and its tools; head, curve, map and panel do not meet, and the page has no scroll bar across."""
    page.set_viewport_size({"width": width, "height": 500})
    settled(page)
    parts = page.evaluate(PARTS)
    for k, (left, top, right, bottom) in enumerate(parts):
        for a, b, c, d in parts[:k]:
            assert left >= c or right <= a or top >= d - 1 or bottom <= b + 1
    bottom = parts[2][3]
    assert parts[2][3] - parts[2][1] > 300
    for inside in (".protoclass-field", ".protoclass-map .protoclass-tools"):
        box = page.locator(inside).bounding_box()
        assert box["y"] + box["height"] <= bottom + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_rings_are_the_rows_misclassified_held_out(page, hostile):
    """At each radius, as the legend and the table say."""
    codes, strip = hostile.frame.codes, page.locator(".protoclass-plot")
    judged = """map => {
      const { fit } = map.explorer, { now } = map.explorer.look();
      return [[...now.judged].map((code, row) => code !== fit.codes[row]), now.how];
    }"""
    strip.press("Home")
    for step in range(3):
        settled(page)
        wrong, how = page.locator(".protoclass-map").evaluate(judged)
        assert how == "held out"
        assert wrong == (hostile.validation._predicted[0, :, step] != codes).tolist()
        assert "misclassified (held out)" in page.locator(".protoclass-legend").inner_text()
        errors = page.locator(".protoclass-map").evaluate("map => [...map.explorer.rule.errors]")
        assert sorted(errors) == np.flatnonzero(wrong).tolist()
        strip.press("ArrowRight")


def test_prototypes_that_are_rows_of_another_class_are_marked(context, tmp_path):
    noisy = pc.load_data("iris").astype({"species": str})
    noisy.loc[::9, "species"] = np.roll(noisy.loc[::9, "species"], 6)
    fit = pc.fit("species ~ .", noisy, eps=1.0)
    page = context.new_page()
    page.goto(PrototypeExplorer(fit).save(tmp_path / "noisy.html").as_uri())
    page.locator(".protoclass-map[data-drawn]").wait_for()
    page.locator("tbody tr[data-row]").first.wait_for()
    listed = page.locator("tbody tr[data-row]").all_inner_texts()
    for place, (label, prototype) in enumerate(fit.prototypes.iterrows()):
        own, stands_for = prototype["true_class"], prototype["class"]
        page.evaluate("row => document.querySelector('.protoclass-map').explorer.page.select(row)", int(label))
        words = page.locator(".protoclass-panel").inner_text()
        other = own != stands_for
        assert (f"Prototype {label}: {stands_for} (true class {own})" in words) == other
        assert ('candidates="same_class" allows only rows of the class.' in words) == other
        assert listed[place].split()[:2] == [str(label), stands_for]
        assert (f"true class {own}" in listed[place]) == other
    page.close()


def test_radii_that_are_too_many_are_left_out_in_words(iris, monkeypatch, tmp_path):
    for place in ("content", "prototypes"):
        monkeypatch.setattr(f"protoclass.widgets.{place}.ENTRIES", 150 * 20)
    fit = pc.fit("species ~ .", iris, eps=[0.6, 1.0, 1.6], cv=3, dissimilarity="euclidean", repeats=1)
    assert 1 <= len(make_content(make_steps(fit)).rules) < 3
    explorer = PrototypeExplorer(fit)
    text = explorer.save(tmp_path / "some.html").read_text()
    packed = zlib.decompress(b64decode(re.search(r'protoclass-data">([^<]*)', text)[1]))
    assert b"of the 3 radii, those closest" in packed
    for step in range(3):  # those that were not sent are sent when they are shown
        answer = explorer.answer({"state": {**explorer.state, "step": step}, "wants": ["rule"]})
        assert len(answer["rule"]["points"]["data"]) >= len(explorer.fit.prototypes)
