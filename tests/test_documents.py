"""CITATION.cff and CHANGELOG.md are correct, and pages have short sentences."""

import re
from pathlib import Path

import pytest

import protoclass as pc
from protoclass.export.pages import cited

ROOT = Path(__file__).resolve().parent.parent


def numbers(version):
    return tuple(map(int, version.split(".")))


def test_the_citation_is_of_this_version_and_of_the_papers_that_reports_cite():
    known = pytest.importorskip("yaml").safe_load((ROOT / "CITATION.cff").read_text())
    assert known["version"] == pc.__version__
    assert {"cff-version", "title", "message", "authors"} <= set(known)
    assert f'license = "{known["license"]}"' in (ROOT / "pyproject.toml").read_text()
    assert known["authors"][0]["name"].removeprefix("The ") in (ROOT / "LICENSE").read_text()
    paper = known["references"][0]
    assert all(str(paper[part]) in cited()[1] for part in ("title", "volume", "issue", "year", "start", "end"))


def test_the_changelog_has_its_form():
    text = (ROOT / "CHANGELOG.md").read_text()
    versions = re.findall(r"^## (.*)$", text, re.M)
    assert versions[0] == "[Unreleased]"
    dates = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", version) for version in versions[1:]]
    assert all(dates)
    released = [numbers(found[1]) for found in dates]
    assert released == sorted(set(released), reverse=True)
    for part in re.split(r"^## .*$", text, flags=re.M)[1:]:
        groups = re.findall(r"^### (.*)$", part, re.M)
        allowed = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
        assert groups == [name for name in allowed if name in groups]
        lines = part.split("### ", 1)[1].splitlines()
        assert all(line.startswith(("* ", "  ", "### ")) or not line or line in allowed for line in lines)


PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "tests" / "README.md"]


@pytest.mark.parametrize("path", sorted(PAGES), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_sentence_has_17_words_on_average(path):
    """Of prose: without code, tables, headings and names of tests."""
    text = re.sub(r"\A---.*?^---$|^```.*?^```$|^[|#!].*?$", "\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^ +\(`tests/.*?`\)$", "", text, flags=re.MULTILINE | re.DOTALL)
    passages = [" ".join(words.split()) for words in re.split(r"\n\n|^[ \d.]*[*:] ", text, flags=re.MULTILINE)]
    lengths = [len(sentence.split()) for words in passages for sentence in re.split(r"(?<=[.?!:]) +(?=[A-Z`*(\[])", words) if sentence]
    assert sum(lengths) <= 17 * len(lengths)


GENERATED = {"gallery.md", "papers.md", "vignettes/index.md", "api/index.rst"}  # by docs/build.py
LINKING = sorted([*PAGES, *(ROOT / "vignettes").glob("*.md")])


def anchors(path):
    """The anchors of the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", LINKING, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_links_to_files_and_sections_of_the_repository_lead_somewhere(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, section = link.partition("#")
        if link.startswith(("http", "mailto:")) or name in GENERATED:
            continue
        target = path.parent / name if name else path
        if not target.exists() or (section and section not in anchors(target)):
            broken.append(link)
    assert broken == []
