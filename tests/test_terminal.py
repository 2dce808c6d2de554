"""The page that the shell prints."""

import os
import subprocess
import sys

import pandas as pd
import pytest

import protoclass as pc
from protoclass.__main__ import main


@pytest.fixture
def path(tmp_path, iris):
    iris.to_csv(tmp_path / "my iris.csv", index=False)
    return str(tmp_path / "my iris.csv")


def test_the_summary_is_the_one_of_the_fit(path, iris, capsys):
    assert main(["species ~ .", path, "--eps", "1.0", "--dissimilarity", "euclidean", "--cv", "none"]) == 0
    fit = pc.fit("species ~ .", iris, eps=1.0, dissimilarity="euclidean", cv=None)
    assert capsys.readouterr().out == f"{fit.summary()}\n"


def test_an_explorer_is_written_as_a_page(path, tmp_path, capsys, monkeypatch):
    opened, words = [], ["explore", "species ~ .", path, "--eps", "1.0", "--cv", "none"]
    monkeypatch.setattr("webbrowser.open", lambda address: not opened.append(address))
    page = tmp_path / "fit.html"
    assert main([*words, "--save", str(page)]) == 0
    assert str(page) in capsys.readouterr().out
    assert 'class="protoclass-data"' in page.read_text(encoding="utf-8")
    assert not opened
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(words) == 0
    (written,) = tmp_path.glob("protoclass-*/*.html")
    assert opened == [written.as_uri()]
    assert written.read_bytes() == page.read_bytes()
    if os.name == "posix":
        assert written.parent.stat().st_mode & 0o077 == 0  # the page shows rows of the data


def test_warnings_are_lines_of_the_shell_each_once(tmp_path, capsys):
    rows = pd.DataFrame({"id": [f"row {i}\033[2J" for i in range(30)], "x": [k / 2 for k in range(30)], "y": ["a", "b", "b"] * 10})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    assert main(["y ~ .", str(tmp_path / "rows.csv"), "--seed", "1"]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "different value in every row" in line]
    assert len(said) == 1
    assert said[0].startswith("protoclass: column 'id'")


@pytest.mark.long
def test_a_reader_that_has_read_enough_is_no_error(path):
    words = [sys.executable, "-m", "protoclass", "species ~ .", path, "--eps", "1.0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        run.stdout.close()
        said = run.stderr.read()
    assert run.returncode == 0
    assert "ipe" not in said


def test_a_terminal_without_letters_of_the_data():
    code = (
        "import protoclass as pc\n"
        "d = pc.load_data('iris').rename(columns={'petal_width': 'breite_\u00f6'})\n"
        "d['species'] = d['species'].astype(str).replace({'setosa': '\u65e5'})\n"
        "f = pc.fit('species ~ .', d, eps=1.0)\n"
        "print(f, f.summary(), f.test(d.sample(30, random_state=0)), f.card(), f.card().methods, sep='\\n')\n"
    )
    letters = os.environ | {"PYTHONIOENCODING": "ascii"}
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, env=letters, check=False)
    assert run.returncode == 0, run.stderr
    assert rb"\u65e5" in run.stdout
