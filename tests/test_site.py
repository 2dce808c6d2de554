"""The site's pages: complete lists, working links, a search with excerpts, outputs kept as long as they hold. Nothing is built."""

import importlib
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.__main__ import exploring, fitting

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def docs(monkeypatch):
    """The modules of docs/ by name."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module


def test_the_reference_has_every_public_name(docs):
    listed = re.findall(r"^   ([\w.]+)$", docs("pages").reference(), re.MULTILINE)
    assert sorted(listed) == sorted(pc.__all__)


def test_the_members_of_a_class_are_listed_once_and_are_those_that_completion_offers(docs):
    fit = pc.fit("species ~ .", pc.load_data("iris"), dissimilarity="euclidean", eps=[0.8, 1.0], repeats=1)
    values = {"Fit": fit, "Validation": fit.validation, "Dissimilarity": fit.dissimilarity}
    for name, groups in docs("pages").members().items():
        listed = [member for members in groups.values() for member in members]
        assert sorted(listed) == [member for member in sorted(dir(values[name])) if not member.startswith("_")]


def test_each_vignette_answers_a_question(docs):
    pages, text = docs("pages"), docs("pages").contents()
    names = [name for listed in pages.QUESTIONS.values() for name in listed]
    assert sorted([*names, *pages.ALONE]) == sorted(pc.vignette().index)
    assert [name for name in [*names, *pages.ALONE] if f"]({name}.md)" not in text] == []


def test_the_gallery_has_every_kind_of_picture(docs):
    """The kinds are those that a wrong one is answered with."""
    pictures = docs("gallery").PICTURES
    code = "\n".join(line for group in pictures.values() for _, line, _ in group)
    iris = pc.load_data("iris")
    fit = pc.fit("species ~ .", iris[::2], eps=1.0)
    for value in (fit, fit.test(iris[1::2])):
        with pytest.raises(pc.errors.OptionError) as error:
            value.plot("none of these")
        kinds = set(re.findall(r"'(\w+)'", str(error.value).split(", not ")[0]))
        drawn = set(re.findall(r'\bplot\("(\w+)"', code)) | {"prototypes", "confusion"}  # the default kinds
        lines = [f'("Title", \'fit.plot("{kind}");\', "Its question?"),' for kind in kinds - drawn]
        assert not lines, f"add to docs/gallery.py: {' '.join(lines)}"
        lines = [f'* "{kind}": the ...' for kind in kinds if f'"{kind}"' not in value.plot.__doc__]
        assert not lines, f"add to the docstring of plot: {' '.join(lines)}"
    assert docs("pages").gallery().count("```{code-cell}") == 1 + code.count("\n") + 1


def test_pages_that_need_a_network_are_found(docs, tmp_path):
    offsite = docs("build").offsite
    (tmp_path / "fine.html").write_text(
        '<a href="https://example.org"><script src="a.js"></script><math xmlns="http://www.w3.org/1998/Math/MathML">'
    )
    assert offsite(tmp_path) == []
    (tmp_path / "page.html").write_text('<link rel="x"\n href="//a.org/x"><script defer src=https://a.org/y.js>')
    (tmp_path / "style.css").write_text("@import 'https://a.org/z.css'; p {background: url(http://a.org/w.png)}")
    assert len(offsite(tmp_path)) == 4


def test_links_that_lead_nowhere_are_found(docs, tmp_path):
    links = docs("links")
    (tmp_path / "sub").mkdir()
    (tmp_path / "a b.html").write_text('<h1 id="é">.</h1><a name="old">')
    (tmp_path / "sub" / "page.html").write_text(
        '<p id="here"><a href="#here"><a href="#"><a href=""><a href="../a%20b.html#%C3%A9"><a href="../a%20b.html#old">'
        '<a href="https://a.org/x"><a href="mailto:a@b.org"><a href="//a.org"><img src="data:image/png;base64,AA==">'
    )
    assert links.broken(tmp_path) == []
    assert links.external(tmp_path) == {"//a.org": ["sub/page.html"], "https://a.org/x": ["sub/page.html"]}
    wrong = ("#there", "../a%20b.html#none", "../c.html", "../../outside.html", "../sub", "x.js")
    (tmp_path / "sub" / "page.html").write_text("".join(f'<a href="{to}">' for to in wrong[:-1]) + '<script src="x.js">')
    assert links.broken(tmp_path) == [f"sub/page.html: {to}" for to in wrong]


@pytest.mark.filterwarnings("ignore::protoclass.DataWarning")
def test_the_script_for_your_own_table_runs(tmp_path, monkeypatch, capsys):
    """Word for word, on a table with words, missing values and a class of whole numbers."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    kind = np.repeat([1, 2, 3], 12)
    data = pd.DataFrame({"id": [f"P{i}" for i in range(36)], "age": draw.normal(50 + 15 * kind, 5), "sex": np.resize(["f", "m"], 36)})
    data.loc[::9, "age"] = np.nan
    data.tail(5).to_csv("new.csv", index=False)
    data.assign(outcome=kind).to_csv("patients.csv", index=False)
    text = (ROOT / "docs" / "quick_start.md").read_text(encoding="utf-8").split("## 7. As a script")[1].split("\n## ")[0]
    (script,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    with pc.options(progress=False):
        exec(compile(script, "script.py", "exec"), {})
    said = capsys.readouterr().out
    assert "32 (4 dropped for missing values)" in said
    assert "Name: outcome" in said
    (shell,) = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
    fits, explores = (shlex.split(line)[3:] for line in shell.splitlines())  # tests of the shell run such lines
    assert fitting().parse_args(fits).out == "figures"
    assert exploring().parse_args(explores[1:]).save == "fit.html"
    assert (tmp_path / "fit.html").exists()


# a word that a reader searches for, and the page that has it in its title or first paragraph
SOUGHT = {
    "conformal": "vignettes/prediction_sets", "counterfactual": "vignettes/prediction_sets", "Platt": "vignettes/prediction_sets",
    "ROC": "vignettes/prediction_sets", "imbalanced": "vignettes/a_rare_outcome", "feature importance": "vignettes/prediction_sets",
    "confusion matrix": "quick_start", "time series": "vignettes/dissimilarities", "distance matrix": "vignettes/proximity_data",
    "save model": "report", "large data": "vignettes/beyond_memory", "prototype vector machine": "method",
    "stability": "vignettes/other_good_answers", "feature weights": "vignettes/two_patients", "scikit": "vignettes/with_scikit_learn",
    "strings images": "vignettes/strings_pictures_matrices", "set covering machine": "vignettes/set_covering_machine",
}  # fmt: skip
TERMS = {
    "Conformal prediction", "Counterfactual", "Platt scaling", "Confusion matrix", "ROC curve", "Imbalanced classes", "Time series",
    "Distance matrix", "Feature importance", "Save model", "Large data", "Confidence interval", "Baseline", "Bias-corrected error",
    "Rashomon set", "Discordant pairs", "Epsilon", "Predict", "Predict new rows",
}  # fmt: skip


def page(name):
    folder = ROOT if name.startswith("vignettes/") else ROOT / "docs"
    return folder / f"{name}.md"


@pytest.mark.parametrize(("words", "name"), SOUGHT.items())
def test_the_page_of_a_word_has_it_in_its_title_or_first_paragraph(words, name):
    title, first = re.search(r"^# ([^\n]+)\n\n(.*?)\n\n", page(name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE).groups()
    assert set(words.lower().split()) <= set(re.findall(r"\w+", f"{title} {first}".lower()))


def test_the_glossary_has_the_terms_and_a_link_for_each():
    blocks = re.findall(r"```\{glossary\}\n(.*?)```", page("glossary").read_text(encoding="utf-8"), re.DOTALL)
    entries = [entry for block in blocks for entry in block.strip().split("\n\n")]
    terms = [line for entry in entries for line in entry.splitlines() if not line.startswith("  ")]
    assert len(set(terms)) == len(terms)
    assert set(terms) >= TERMS
    assert [entry for entry in entries if ".md" not in entry] == []


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.stem)
def test_the_names_that_a_page_mentions_exist(path):
    fit, text = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0), path.read_text(encoding="utf-8")
    assert [name for name in re.findall(r"`pc\.(\w+)", text) if not hasattr(pc, name)] == []
    assert [name for name in re.findall(r"`fit\.(\w+)", text) if name not in ("html", "proto") and name not in dir(fit)] == []


@pytest.mark.parametrize("path", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda path: path.stem)
def test_the_scripts_that_a_page_names_exist(path):
    """Files, tests chosen by a word, and targets of make."""
    text = path.read_text(encoding="utf-8")
    files = set(re.findall(r"\b((?:benchmarks|tests|protoclass)/[\w/]+\.(?:py|md))\b", text))
    assert [name for name in files if not (ROOT / name).exists()] == []
    for name, word in re.findall(r"`pytest (\S+) -k (\w+)`", text):
        assert re.search(rf"^def test_\w*{word}", (ROOT / name).read_text(), re.MULTILINE), word
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"`make ([\w-]+)", text)) <= set(targets)


def test_the_first_widget_of_the_vignette_on_explorers_is_the_saved_page(docs):
    pytest.importorskip("sphinx")
    pytest.importorskip("latex2mathml")
    from docutils import nodes
    from docutils.utils import new_document

    conf, document = docs("conf"), new_document("explorers")
    for _ in range(2):
        shown = [nodes.container(mime_type=kind) for kind in (conf.WIDGET, "text/plain")]
        document += nodes.container("", *shown)
    document += nodes.raw("", "<table>", format="html")  # data frames are HTML as well
    conf.still(SimpleNamespace(env=SimpleNamespace(docname=conf.LIVE)), document)
    assert [raw.astext() for raw in document.findall(nodes.raw)] == [conf.FRAME, "<table>"]
