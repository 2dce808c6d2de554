"""`Fit.card`: one page about a fit."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt

import protoclass as pc
from protoclass.export.pages import escape_markdown

HEADINGS = [
    "Intended use", "The fit", "Data", "Classes", "Prototypes", "Test on new rows", "Cross-validation", "Certificate", "Limits", "Versions",
    "Methods", "How to cite",
]  # fmt: skip
MARKUP = ["<img src=x onerror=alert(1)>", "a|b", "`x` **bold** _it_", "[link](http://a.example)", "![i](x)", "# head", "- item", "1. one",
          "$x$ \\(y\\)",
          "https://a.example www.b.example a@b.example", "&lt;b&gt;", "```", "a\nb", "--- ===", "<!-- c", "~~s~~", "\\"]  # fmt: skip


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris"), eps=[0.7, 1.0, 1.4], cv=5, certify=True, progress=False)


@pytest.fixture(scope="module")
def card(fit):
    return fit.card()


def section(card, name):
    return card.markdown.split(f"\n## {name}\n")[1].split("\n## ")[0]


def rendered(markdown):
    return MarkdownIt("commonmark").enable("table").render(markdown)


def test_it_has_all_that_a_reader_needs(fit, card):
    assert [line[3:] for line in card.markdown.splitlines() if line.startswith("## ")] == HEADINGS
    assert [name for name, _ in card.sections] == HEADINGS
    chosen = fit.validation.table.iloc[fit._selection.point]
    cv = section(card, "Cross-validation")
    assert f"{chosen['error']:.4f} (SE {chosen['se']:.4f}, 5 folds" in cv
    assert "Selected eps" in cv
    assert f"Corrected error | {fit.validation.corrected(fit._selection.rule).value:.4f}" in cv
    assert repr(fit.call) in section(card, "The fit")
    for k, name in enumerate(fit.classes):
        row = f"| {name} | 50 | {(fit.rule.prototypes.classes == k).sum()} |"
        assert row in section(card, "Classes")
    assert all(f"| {label} |" in section(card, "Prototypes") for label in fit.prototypes.index[:20])
    assert str(fit.certificate) in section(card, "Certificate")
    assert "- The training error is optimistic" in section(card, "Limits")
    assert f"- pandas {pd.__version__}" in section(card, "Versions")
    assert "Bien and R. Tibshirani (2011)" in section(card, "How to cite")
    assert "—" not in card.markdown


def test_both_formats_say_the_same(card):
    def words(page):
        return html.unescape(re.sub(r"<[^>]*>", " ", page)).split()

    page = rendered(card.markdown)
    assert page.count("<table>") == card.html.count("<table>") == card._repr_html_().count("<table>")
    assert words(card._repr_html_()) == words(page.replace("<thead>\n<tr>\n<th></th>\n<th></th>\n</tr>\n</thead>", ""))
    assert card._repr_markdown_() == repr(card) == card.markdown
    assert card.html.startswith("<!DOCTYPE html>")


def test_limits_are_said():
    data = pc.load_data("iris")
    rare = data.iloc[[*range(100), *range(100, 104)]].copy()
    rare.loc[[3, 60], "petal_width"] = np.nan
    card = pc.fit("species ~ .", rare, "knn", k=15, cv=3).card()
    said = section(card, "Limits")
    assert "- 2 rows with missing values were excluded; such rows get no prediction." in said
    assert "Never predicted: virginica" in said
    assert "Try: " in said
    assert "102 rows and 4 predictors were used; 2 were excluded" in section(card, "Data")
    assert "All 102 rows of the fit are prototypes." in section(card, "Prototypes")
    assert "## Certificate" not in card.markdown


def test_use_and_test_results():
    data = pc.load_data("breast_cancer").sample(200, random_state=0)
    fit = pc.fit("diagnosis ~ .", data[:120], "centroids")
    result = fit.test(data[120:])
    card = fit.card(use="A second opinion on biopsies.", test=result)
    assert "A second opinion on biopsies." in section(card, "Intended use")
    assert f"{result.wrong} of 80 rows misclassified" in section(card, "Test on new rows")
    for wrong in ({"use": 1}, {"test": 0.1}):
        with pytest.raises(pc.errors.OptionError, match=rf"^{next(iter(wrong))} must be .*, not"):
            fit.card(**wrong)


def test_fits_without_some_of_it():
    data = pc.load_data("iris")
    fit = pc.fit("species ~ .", data, eps=1.0)
    plain = fit.card()
    said = section(plain, "Cross-validation")
    assert next(line for line in repr(fit).split("\n") if line.startswith("Error")).split(maxsplit=1)[1] in said  # as print has it
    assert "This model was not cross-validated" in section(fit.update(cv=None).card(), "Cross-validation")
    assert "Not stated" in section(plain, "Intended use")
    assert "Not tested" in section(plain, "Test on new rows")
    assert "|  |\n" not in plain.markdown.replace("|  |  |\n", "")
    scm = pc.fit("species ~ .", data, "scm", features="stumps", kind="conjunction", penalty=1.0, max_size=2, cv=None).card()
    assert "petal" in section(scm, "Prototypes")
    with pytest.raises(pc.errors.NotAvailableError, match="slim"):
        pc.fit("species ~ .", data, eps=1.0).slim().card()
    centroids = pc.fit("species ~ .", data, "kmeans", K=1).card()
    assert "kmeans&#91;setosa&#93;.1" in section(centroids, "Prototypes")


def test_prototypes_have_their_values_and_of_many_predictors_those_of_the_largest_weights():
    data = pc.load_data("breast_cancer").sample(100, random_state=0)
    fit = pc.fit("diagnosis ~ .", data, "medianglvq", K=1, matrix="diagonal", local=False, ridge=0.01, cv=None)
    lines = section(fit.card(), "Prototypes").splitlines()
    assert "Values, 8 of 30 predictors (largest weights first):" in lines
    head = max(pd.Series(fit.prototypes.attrs["weights"]).nlargest(8).items(), key=lambda item: item[1])[0]
    row = next(line for line in lines[::-1] if line.startswith(f"| {fit.prototypes.index[0]} |"))
    assert float(row.split(" | ")[1]) == pytest.approx(fit.prototypes[head].iloc[0], rel=1e-3)
    assert row.count("|") == 10


# -- what comes from data is text


@pytest.mark.parametrize("text", MARKUP)
def test_markdown_has_no_markup_of_the_data(text):
    for markdown in (f"- {escape_markdown(text)}", escape_markdown(text), f"| a | b |\n|---|---|\n| {escape_markdown(text)} | 2 |"):
        page = rendered(markdown)
        for tag in ("<img", "<strong", "<em", "<a", "<h1", "<h2", "<hr", "<ol", "<s>", "<code", "<!--", "<pre"):
            assert tag not in page
        assert page.count("<li") <= 1
        assert page.count("<td") in (0, 2)
    shown = html.unescape(rendered(escape_markdown(text)).strip().removeprefix("<p>").removesuffix("</p>"))
    assert shown == " ".join(text.split())


# -- files


def test_it_is_written_completely_or_not_at_all(card, tmp_path):
    path = card.save(tmp_path / "iris.md")
    assert path.read_text(encoding="utf-8") == card.markdown
    assert card.save(str(tmp_path / "iris.html")).read_text(encoding="utf-8") == card.html
    with pytest.raises(pc.errors.OptionError, match="overwrite=True"):
        card.save(path)
    assert card.save(path, overwrite=True) == path
    for wrong in ("iris.pdf", "iris", 3):
        with pytest.raises(pc.errors.OptionError, match=r"ends in \.md or \.html"):
            card.save(wrong)
    with pytest.raises(pc.errors.OptionError, match="overwrite must be True or False, not 'yes'"):
        card.save(path, overwrite="yes")
    with pytest.raises(pc.errors.FileError):
        card.save(tmp_path / "absent" / "iris.md")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["iris.html", "iris.md"]
