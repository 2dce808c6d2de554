"""The pages of the site run as they are, as README does."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(path.stem for path in DOCS.glob("*.md") if "\n>>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_runs(name, tmp_path, monkeypatch):
    assert "Traceback" not in (DOCS / f"{name}.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # some write files
    failed, tried = doctest.testfile(str(DOCS / f"{name}.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 0
    assert failed == 0
