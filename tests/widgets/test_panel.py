"""The panel of a saved page: comparisons, what-if and new rows without Python, as `Fit.why` says; and what leaves the page."""

import re

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.widgets.prototypes import PrototypeExplorer

pytestmark = pytest.mark.browser

CLASSIFY = """rows => {
  const { page } = document.querySelector(".protoclass-map").explorer, { fit, metric } = page, seen = page.map.look();
  return rows.map((row) => {
    const values = metric.row(row), { near, rival } = metric.classify(values, seen.rule, seen.now.shown);
    const pair = (place) => metric.pair(values, metric.row(seen.rule.points[place]), seen.rule.classes[place]);
    const parts = [near, rival].map(({ place }) => (place < 0 ? [] : pair(place).parts));
    const changes = metric.changes(values, seen.rule, seen.now.shown, fit.rows).map((one) => {
      const { levels } = page.fields[one.k];
      return [one.name, levels ? levels[one.value] : one.value, fit.classes[one.code].name];
    });
    const { points, classes } = seen.rule;
    const name = ({ place, far }) => (place < 0 ? null : [fit.names[points[place]], fit.classes[classes[place]].name, far]);
    return { near: name(near), rival: name(rival), parts, changes };
  });
}"""


@pytest.fixture(scope="module")
def mixed(iris):
    """Iris with an ordered and an unordered category, and missing values."""
    draw = np.random.default_rng(1)
    data = iris.copy()
    for name in data.columns.drop("species"):
        data.loc[draw.random(len(data)) < 0.08, name] = np.nan
    data["size"] = pd.Categorical(draw.choice(["low", "mid", "high"], 150), ["low", "mid", "high"], ordered=True)
    data["site"] = draw.choice(["north", "south"], 150)
    return data


@pytest.fixture
def opened(chromium, tmp_path):
    """Opens an explorer as a page; a script that fails, or a message of the console, fails the test."""
    pages, wrong = [], []

    def show(fit, **options):
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        pages.append(page)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.goto(PrototypeExplorer(fit, **options).save(tmp_path / f"{len(pages)}.html").as_uri())
        page.locator(".protoclass-map[data-drawn]").wait_for()
        return page

    yield show
    for page in pages:
        page.close()
    assert not wrong


@pytest.mark.parametrize("kind", ["minkowski", "weighted", "gower", "learned", "full", "local", "lda", "qda"])
def test_a_page_measures_as_python_does(opened, iris, mixed, kind):
    """Nearest prototype and rival, parts of both distances and least changes, of some rows of the fit and of new rows."""
    metric = {
        "minkowski": pc.Minkowski(3.0),
        "weighted": pc.Euclidean(column_weights={"petal_width": 3.0}), "gower": pc.Gower(column_weights={"site": 0.5}),
        "learned": pc.Relevance(), "full": pc.Relevance(matrix="full"), "local": pc.Relevance(matrix="full", local=True),
        "lda": pc.LDA(), "qda": pc.QDA(),
    }[kind]  # fmt: skip
    data = mixed if kind == "gower" else iris
    fit = pc.fit("species ~ .", data, dissimilarity=metric,
        eps=0.2 if kind == "gower" else 1.0, na="keep" if kind == "gower" else "drop", repeats=1)
    new = data.iloc[::50].assign(sepal_length=lambda t: t["sepal_length"] + 0.05)
    page = opened(fit, new=new)
    rows = list(range(0, 150, 29))
    at = {f"new {k}": 150 + k for k in range(len(new))} | dict(zip(rows, rows, strict=True))
    found = dict(zip(at, page.evaluate(CLASSIFY, list(at.values())), strict=True))
    for k, label in enumerate(at):
        table = fit.why(label if isinstance(label, int) else new.iloc[[int(label.split()[1])]])
        says = table.attrs
        near, rival, parts, changes = (found[label][name] for name in ("near", "rival", "parts", "changes"))
        assert near[:2] == [str(says["prototype"]), says["class"]], k
        assert rival[0] == str(says["rival"])
        assert [near[2], rival[2]] == pytest.approx([says["prototype_distance"], says["rival_distance"]], rel=1e-5)
        if "not_additive" not in says:
            assert np.array(parts) == pytest.approx(table[["to_prototype", "to_rival"]].to_numpy(float).T, abs=1e-5)
        known = table[table["counterfactual_class"].notna()]
        assert {name: then for name, _, then in changes} == known["counterfactual_class"].to_dict()
        for name, value, _ in changes:
            wanted = known["counterfactual"][name]
            assert value == wanted if isinstance(wanted, str) else value == pytest.approx(wanted, abs=1e-4), name
    assert page.locator(".protoclass-chip", has_text=re.compile(r"^new row \d+$")).count() == len(new)


def test_a_row_is_typed_by_levels_where_values_may_be_missing(opened, mixed):
    fit = pc.fit("species ~ .", mixed, dissimilarity="gower", eps=0.2, na="keep")
    page = opened(fit)
    page.get_by_role("button", name="New row").click()
    panel = page.locator(".protoclass-panel")
    assert panel.get_by_label("size", exact=True).locator("option").all_inner_texts() == ["missing", "low", "mid", "high"]
    panel.get_by_label("site", exact=True).select_option("missing")
    panel.get_by_label("petal_length", exact=True).fill("1.4")
    code = panel.locator("code").first.inner_text()
    assert '"site": None' in code
    answer = eval(code, {"fit": fit}).attrs["class"]
    assert panel.locator("h2").first.inner_text() == f"new row: predicted {answer}"


def test_a_missing_value_of_a_prototype_is_said(opened, mixed):
    fit = pc.fit("species ~ .", mixed, dissimilarity="gower", eps=0.05, na="keep")
    page = opened(fit)
    lacking = mixed.loc[fit.prototypes.index, list(mixed.columns[:4])].isna().stack()
    label, name = lacking.index[lacking][0]
    page.locator("tr[data-row] button").nth(fit.prototypes.index.get_loc(label)).click()
    line = page.locator("table.compare tr", has_text=name)
    assert "missing" in line.inner_text()


def test_a_row_held_out_the_legend_and_the_head_of_the_list(opened, iris):
    fit = pc.fit("species ~ .", iris, dissimilarity="euclidean", eps=[0.4, 0.5], repeats=1)
    page, held = opened(fit), fit.validation.held_out[fit._selection.point]
    fitted = fit.predict(iris)
    row = np.flatnonzero((held != iris["species"]) & (fitted == iris["species"]))[0]
    page.get_by_label("Find row").fill(str(row))
    page.get_by_label("Find row").press("Enter")
    said = f"Row {row}: {iris['species'][row]}. Held out: {held[row]} (wrong). This fit: {fitted[row]} (correct)"
    assert page.locator(".answer h2").first.inner_text() == said
    for words in ("prototype", "in no ball of its class", "nearest", "rival"):
        assert words in page.locator(".protoclass-legend").inner_text()
    page.locator("tr[data-row]").last.click()
    for place in (page.locator(".listed h2"), page.locator(".listed thead"), page.locator("tr[data-row]").last):
        box, around = place.bounding_box(), page.locator(".listed").bounding_box()
        assert around["y"] - 1 <= box["y"] <= around["y"] + around["height"] - box["height"] + 1


def test_where_a_page_cannot_measure_it_says_why(opened, iris):
    page = opened(pc.fit("species ~ log(petal_length) + petal_width", iris, eps=1.0, dissimilarity="euclidean"))
    page.locator(".protoclass-field").press("Escape")
    assert "because the formula transforms columns: use fit.predict(new)" in page.locator(".protoclass-panel").inner_text()
    plain = pc.fit("species ~ .", iris, eps=1.0, dissimilarity="euclidean")
    for wrong, message in (
        (iris.drop(columns="petal_width"), r"lack the columns \['petal_width'\]"),
        (iris.iloc[:0], "must have 1 to 1000 rows, not 0"),
    ):
        with pytest.raises(pc.errors.DataError, match=message):
            PrototypeExplorer(plain, new=wrong)
    with pytest.raises(pc.errors.DataError, match="must be a DataFrame"):
        PrototypeExplorer(plain, new=3)


def test_a_saved_validation_has_all_points(chromium, iris, tmp_path):
    from protoclass.widgets.curve import CurveExplorer

    for validation in (
        pc.cross_validate("species ~ .", iris, eps=[0.5, 1.0, 2.0], cv=3, dissimilarity="euclidean", repeats=1),
        pc.cross_validate("species ~ .", iris, "scm", penalty=[1.0, 2.0], max_size=[1, 2], kind="conjunction", cv=3),
    ):
        explorer, page, wrong = CurveExplorer(validation), chromium.new_page(), []
        page.on("console", lambda message, wrong=wrong: wrong.append(message.text))
        page.goto(explorer.save(tmp_path / "validation.html", overwrite=True).as_uri())
        for point in range(len(validation.grid)):
            page.locator(".protoclass-chart").evaluate("(chart, point) => chart.explorer.choose(point)", point)
            page.get_by_text(f"Grid point {point + 1} of").wait_for()
            cells = page.locator("table").nth(1).locator("td").all_inner_texts()
            assert [int(cell) for cell in cells if cell] == validation.confusion(point).to_numpy().ravel().tolist()
        page.close()
        assert not wrong
        assert explorer.point == validation._point_of()
