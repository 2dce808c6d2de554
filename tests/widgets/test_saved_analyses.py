"""The pages of a comparison and of dissimilarities: they show the numbers of Python, by mouse and keys, and text of data as text."""

import re

import numpy as np
import pandas as pd
import pytest
from access import find_faults
from mounting import mount, settle

import protoclass as pc
from protoclass.core.statistics.one_se import frontier
from protoclass.views.analyses import list_models
from protoclass.widgets.curve import ComparisonExplorer
from protoclass.widgets.matrix import MatrixExplorer

NASTY = "<img src=x onerror=alert(1)>&</script>"


@pytest.fixture(scope="module")
def compared(iris):
    """A method with a frontier, one with a single model, and one without prototypes."""
    predicted = pd.Series(np.where(iris["petal_width"] > 1.6, "virginica", iris["species"]), iris.index)
    methods = {"pvm": {"method": "pvm", "dissimilarity": "euclidean", "repeats": 1}, NASTY: pc.KNN(k=3), "rule": pc.Predictions(predicted)}
    return pc.compare("species ~ .", iris, methods, cv=4, progress=False)


@pytest.fixture
def opened(chromium, tmp_path):
    """Opens a saved page; a message of the console fails the test."""
    pages, wrong = [], []

    def show(value, width=1280, dark=False, **options):
        page = chromium.new_page(viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light")
        pages.append(page)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.goto(value.explore(save=tmp_path / f"{len(pages)}.html", **options).as_uri())
        page.locator(".protoclass-plot svg > *").first.wait_for(state="attached")
        return page

    yield show
    for page in pages:
        page.close()
    assert not wrong


def test_models_of_methods(compared):
    """Errors and numbers of prototypes are those of the table; standard errors are those of the tests, recomputed."""
    models = list_models(compared)
    first = models.drop_duplicates("method").set_index("method")
    table = compared.table
    for column in ("error", "low", "high", "prototypes"):
        assert first[column].tolist() == pytest.approx(table[column].tolist(), nan_ok=True)
    errors, k = compared.errors["pvm"].to_numpy(), 4
    weights = compared.sizes / compared.sizes.sum()
    mean = (weights * errors).sum()
    spread = (weights * (errors - mean) ** 2).sum() * k / (k - 1)
    assert first.loc["pvm", "se"] == pytest.approx(np.sqrt((1 / k + 1 / (k - 1)) * spread))  # Nadeau and Bengio
    line = models[(models["method"] == "pvm") & models["low"].isna()]
    assert len(line) > 2
    assert line["prototypes"].is_monotonic_increasing
    assert len(frontier(line["error"].to_numpy(), line["prototypes"].to_numpy())) >= 1
    split = pc.compare("species ~ .", pc.load_data("iris"), ["centroids", "knn"], test_size=0.4, progress=False)
    error = split.table["error"].iloc[0]
    assert list_models(split)["se"].iloc[0] == pytest.approx(np.sqrt(error * (1 - error) / 60))


def test_wrong_points_and_options(compared, iris, tmp_path):
    d = pc.dissimilarity("species ~ .", iris)
    for value in (compared, d):
        with pytest.raises(pc.OptionError, match=r"save must be a file name that ends in \.html"):
            value.explore(save="page.txt")
        with pytest.raises(pc.OptionError, match=r"explore\(\) has no option 'size'"):
            value.explore(size=3)
    explorer = ComparisonExplorer(compared)
    for wrong in (-1, len(explorer.table), None, "pvm"):
        with pytest.raises(pc.OptionError, match="a row of `table`, 0 to"):
            explorer.point = wrong
    matrix = MatrixExplorer(d)
    for wrong in ((0,), (0, 150), 3, "ab"):
        with pytest.raises(pc.OptionError, match="a pair of labels"):
            matrix.selected = wrong
    with pytest.raises(pc.OptionError, match="by must be a Series"):
        d.explore(by="species")
    absent = pc.fit("species ~ .", iris, eps=1.0).slim().dissimilarity
    with pytest.raises(pc.NotAvailable):
        absent.explore(save=tmp_path / "a.html")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (738, False), (480, True)])
def test_the_page_of_a_comparison(opened, compared, width, dark):
    page, table = opened(compared, width, dark), compared.table
    panel, listed = page.locator(".protoclass-panel"), page.get_by_label("Methods", exact=True)
    assert panel.locator("h2").inner_text() == "pvm"
    assert page.locator("img").count() == 0  # a name is not read as HTML
    head = listed.locator("thead td, thead th").all_inner_texts()
    for k, (name, row) in enumerate(table.iterrows()):
        cells = listed.locator("tbody tr").nth(k).locator("td, th").all_inner_texts()
        assert cells[1] == name
        for column in ("error", "low", "high", "prototypes"):
            text = cells[head.index(column)]
            assert text == "" if np.isnan(row[column]) else float(text) == pytest.approx(row[column], rel=6e-3)
        listed.locator("tbody tr").nth(k).locator("button").click()
        assert panel.locator("h2").inner_text() == name
        words = panel.locator("p").first.inner_text()
        assert f"error {row['error']:.3g}" in words
        tests = compared.tests[(compared.tests["a"] == name) | (compared.tests["b"] == name)]
        assert [float(text) for text in panel.locator("tbody tr td:nth-child(2)").all_inner_texts()] == pytest.approx(
            np.where(tests["a"] == name, 1, -1) * tests["difference"], abs=1e-4
        )
    listed.get_by_role("button", name="error", exact=True).click()
    assert listed.locator("tbody th").all_inner_texts() == table.sort_values("error", ascending=False).index.tolist()
    models = list_models(compared)
    own = models[models["method"] == "pvm"].sort_values("prototypes", kind="stable")
    listed.get_by_role("button", name="pvm", exact=True).click()
    field, order = page.locator(".protoclass-plot"), own.index.tolist()
    for step in range(2):
        field.press("ArrowRight")
        at = models.loc[order[order.index(0) + step + 1]]
        assert f"at most {at['prototypes']:.0f} prototypes" in page.locator(".protoclass-chart [aria-live]").inner_text()
    field.press("Enter")
    assert re.search(rf"error {at['error']:.3g} \(SE {at['se']:.3g}\)", panel.inner_text())
    assert find_faults(page) == []


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["euclidean", "gower", "given", "beside"])
def test_the_page_of_dissimilarities(opened, iris, kind):
    """Two rows chosen by mouse and by label: their dissimilarity, their values, and its parts, which add up to it."""
    data = iris.assign(site=np.where(np.arange(150) % 2, NASTY, "b")).set_axis([f"row {k}" for k in range(150)])
    if kind == "given":
        data.index = [NASTY, *data.index[1:]]
        draw = np.random.default_rng(0).random((150, 150))
        matrix = pd.DataFrame(draw + draw.T - np.diag(2 * np.diag(draw)), data.index, data.index)
        d = pc.fit("species ~ 1", data, dissimilarity=matrix, eps=0.5).dissimilarity
    elif kind == "beside":
        d = pc.fit("species ~ . - site", data, eps=1.0, candidates=pc.kmeans(4)).dissimilarity
    else:
        d = pc.dissimilarity("species ~ ." if kind == "gower" else "species ~ . - site", data, metric=kind)
    page, D = opened(d, by=data["species"], dark=kind == "gower"), d.frame()
    panel, field = page.locator(".protoclass-panel"), page.locator(".protoclass-plot")
    field.click(position={"x": 200, "y": 120})
    shown = MatrixExplorer(d, by=data["species"]).table
    point = int(page.locator(".protoclass-chart").get_attribute("data-chosen"))
    i, j = divmod(point, shown.shape[1])
    words = f"{shown.index[i]} ({data['species'][shown.index[i]]}) and {shown.columns[j]}"
    assert panel.locator("h2").inner_text().startswith(words)
    a, b = D.index[0], D.columns[-3]
    for label, name in ((a, "Row"), (b, "Candidate" if kind == "beside" else "Column")):
        panel.get_by_label(name, exact=True).fill(label)
        panel.get_by_label(name, exact=True).press("Enter")
    title = panel.locator("h2").inner_text()
    assert float(title.rsplit(": ", 1)[1]) == pytest.approx(D.loc[a, b], rel=6e-4)
    assert page.locator("img").count() == 0
    code = panel.locator("code").inner_text()
    assert eval(code, {"dissimilarity": d}) == D.loc[a, b]
    if kind != "given":
        values = panel.locator("table.compare tbody td:nth-child(2)").all_inner_texts()
        assert [float(value) for value in values[:4]] == pytest.approx(data.loc[a].iloc[:4].astype(float).tolist())
        parts = [float(bars.get_attribute("aria-label")) for bars in panel.locator(".protoclass-bars").all()]
        assert sum(parts) == pytest.approx(D.loc[a, b], rel=2e-3)
    field.press("Home")
    field.press("ArrowRight")
    field.press("ArrowDown")
    field.press("Enter")
    assert f": {shown.iloc[1, 1]:.4g}" in panel.locator("h2").inner_text() or shown.iloc[1, 1] == 0
    panel.get_by_label("Row", exact=True).fill("nobody")
    panel.get_by_label("Row", exact=True).press("Enter")
    assert "no row with the label nobody" in panel.inner_text()
    assert find_faults(page) == []


@pytest.mark.browser
def test_many_rows_are_sampled_and_the_page_says_so(opened):
    draw = np.random.default_rng(0)
    d = pc.dissimilarity(pd.DataFrame(draw.normal(size=(1300, 3)), columns=list("abc")))
    page = opened(d)
    assert "1000 of 1300 rows, evenly taken" in page.locator(".protoclass-panel").inner_text()
    page.locator(".protoclass-plot").press("End")
    page.locator(".protoclass-plot").press("Enter")
    assert page.locator(".protoclass-panel h2").inner_text().endswith(": 0")


@pytest.mark.browser
def test_both_in_a_notebook(chromium, compared, iris):
    """What the page chooses Python has, and what Python chooses the page shows."""
    page = chromium.new_page()
    explorer = MatrixExplorer(pc.dissimilarity("species ~ .", iris))
    mount(page, explorer)
    page.locator(".protoclass-plot").press("End")
    page.locator(".protoclass-plot").press("Enter")
    settle(page, explorer)
    assert explorer.selected == (explorer.table.index[-1], explorer.table.columns[-1])
    explorer.selected = (3, 70)
    page.evaluate("state => model.set('state', state)", explorer.state)
    assert page.locator("h2").inner_text() == f"3 and 70: {explorer.table.loc[3, 70]:.4g}"
    methods = ComparisonExplorer(compared)
    mount(page, methods)
    page.locator("tbody button", has_text="rule").click()
    settle(page, methods)
    assert methods.table["method"][methods.point] == "rule"
    page.close()
