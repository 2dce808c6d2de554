"""CITATION.cff, CHANGELOG.md and the way in which names are given up say what is so."""

import re
from pathlib import Path

import pytest

import protoclass as pc
from protoclass import former
from protoclass.arguments import known_arguments
from protoclass.former import Former, former_arguments
from protoclass.report import cited

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


def public():
    """The public functions, and what is in public classes."""
    for name in pc.__all__:
        value = getattr(pc, name)
        yield from (one for kind in value.__mro__ for one in vars(kind).values()) if isinstance(value, type) else [value]


def test_what_was_promised_to_go_is_gone():
    given_up = [*former.NAMES.values(), *(one for value in public() for one in getattr(value, "former", {}).values())]
    text = (ROOT / "CHANGELOG.md").read_text()
    for one in given_up:
        assert re.fullmatch(r"\d+\.\d+", one.until)
        assert numbers(pc.__version__)[:2] < numbers(one.until), f"{one} goes in this version"
    assert not given_up or "### Deprecated" in text


def test_a_former_name_works_and_warns_at_the_line_of_the_caller(monkeypatch):
    monkeypatch.setitem(former.NAMES, "NearestNeighbours", Former("KNN", "9.0"))
    with pytest.warns(FutureWarning, match=r"NearestNeighbours is protoclass.KNN now, and goes in version 9.0") as seen:
        assert pc.NearestNeighbours is pc.KNN
    assert seen[0].filename == __file__
    with pytest.raises(AttributeError, match="no attribute 'FarthestNeighbours'"):
        _ = pc.FarthestNeighbours


def test_a_former_argument_works_and_warns_at_the_line_of_the_caller():
    @former_arguments(radius=Former("eps", "9.0"))
    @known_arguments
    def area(eps, sides=3):
        return sides * eps**2

    with pytest.warns(FutureWarning, match=r"area\(radius=\) is area\(eps=\) now, and goes in version 9.0") as seen:
        assert area(radius=2, sides=4) == 16
    assert seen[0].filename == __file__
    assert area(eps=2) == 12
    assert area.former["radius"].now == "eps"
    with pytest.raises(pc.OptionError, match="give eps= alone"):
        area(eps=1, radius=2)
    with pytest.raises(pc.OptionError, match="no argument 'radii'"):
        area(radii=2)
