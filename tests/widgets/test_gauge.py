"""The gauge of the proved bound, and the menus of swaps and criticisms, as a browser shows them."""

import pytest
from mounting import mount

import protoclass as pc
from protoclass.views.proved import measure_gaps
from protoclass.widgets import explore_fit
from protoclass.widgets.prototypes import PrototypeExplorer


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=1.0, certify=True)


@pytest.fixture(scope="module")
def explorer(fit):
    return PrototypeExplorer(fit, radii=[1.0, 1.5], alternatives=fit.alternatives(), criticisms=fit.criticisms(5))


@pytest.fixture
def page(chromium):
    page, wrong = chromium.new_page(viewport={"width": 900, "height": 1000}), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    page.close()
    assert not wrong


def settle(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.browser
def test_the_gauge_of_a_saved_page_says_what_python_does(page, explorer, fit, tmp_path):
    """At each radius and size; and the rows that are explained badly are listed and selected."""
    page.goto(explorer.save(tmp_path / "fit.html").as_uri())
    page.locator(".protoclass-map[data-drawn]").wait_for()
    gauge, sliders = page.get_by_role("meter"), page.locator("input[type=range]")
    for stage, eps in enumerate(explorer._stages.radii):
        sliders.nth(0).fill(str(stage))
        full = explorer._film.fits[stage]
        proved = measure_gaps(full)
        for size in (len(full.prototypes), 3, 0):
            sliders.nth(1).fill(str(size))
            settle(page)
            assert gauge.inner_text() == proved.describe(size) == explorer._film.describe_gap(stage, size)
            assert float(gauge.get_attribute("aria-valuenow")) == pytest.approx(100 / (1 + proved.gaps[size]), abs=0.1)
        assert f"{eps:.3g}" in page.locator("[role=status]").inner_text()
    assert proved.describe(len(full.prototypes)) == f"Objective: {full.certificate}."
    menu, rows = page.get_by_label("badly explained"), fit.criticisms(5).table
    label = rows.index[2]
    assert menu.locator("option").all_inner_texts() == ["none is selected", *(f"{i} ({why})" for i, why in rows["reason"].items())]
    menu.select_option(index=3)
    assert page.evaluate("location.hash") == f"#row={label}"
    assert page.locator(".protoclass-details").inner_text().startswith(f"Row {label}: ")
    page.locator(".protoclass-field").press("Escape")
    assert menu.input_value() == "-1"


@pytest.mark.browser
def test_in_a_notebook_the_gauge_and_the_ring_do_not_wait_for_python(page, explorer, fit):
    explorer.selected = explorer.fit.prototypes.index[0]
    mount(page, explorer, answers=False, swap=explorer.swap_menu, criticised=explorer.criticisms_menu)
    page.locator(".protoclass-map[data-drawn]").wait_for()
    gauge, point = page.get_by_role("meter"), "document.querySelector('.protoclass-map').explorer.state.point"
    assert gauge.inner_text() == f"Objective: {fit.certificate}."
    assert f"Objective: {fit.certificate}." in page.locator("img.protoclass-picture").get_attribute("alt")
    page.evaluate("models.eps.set('index', 1)")
    settle(page)
    assert gauge.inner_text() == explorer._film.describe_gap(1, len(explorer._film.fits[1].prototypes))
    page.evaluate("models.criticised.set('index', 2)")
    assert page.evaluate(point) == fit.criticisms(5).table.index[1]
    page.evaluate("models.swap.set('index', 1)")
    assert page.evaluate(point) == explorer.swap_menu.options[1][1]


@pytest.mark.browser
def test_a_fit_without_a_bound_has_no_gauge(page, iris, tmp_path):
    page.goto(PrototypeExplorer(pc.fit("species ~ .", iris, eps=1.0)).save(tmp_path / "fit.html").as_uri())
    page.locator(".protoclass-map[data-drawn]").wait_for()
    assert not page.get_by_role("meter").is_visible()
    assert page.get_by_label("badly explained").count() == 0


def test_what_is_not_the_name_of_a_page_is_said_of_save(fit):
    for wrong in (3, "fit.pdf"):
        with pytest.raises(pc.OptionError, match=r"^save=.*ends in \.html"):
            explore_fit(fit, save=wrong)
    with pytest.raises(pc.OptionError, match=r"^path=3: .*ends in \.html"):
        PrototypeExplorer(fit).save(3)
