"""CITATION.cff and CHANGELOG.md say what is so."""

import re
from pathlib import Path

import pytest

import protoclass as pc
from protoclass.export.report import cited

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
