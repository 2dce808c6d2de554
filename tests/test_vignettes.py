"""Vignettes: each runs from top to bottom, is in order as a text, and comes to the user as a notebook."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

import protoclass as pc
from protoclass.vignettes import front, notebook

ROOT = Path(__file__).resolve().parent.parent
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "vignettes").glob("*.md"))}
each = pytest.mark.parametrize("name", TEXTS)

FRONT = re.compile(
    r"---\ndescription: (?P<description>[^\n]{20,140}\.)\njupytext:\n  text_representation:\n    extension: .md\n"
    r"    format_name: myst\nkernelspec:\n(?:  [^\n]+\n)*  name: python3\n(?:  [^\n]+\n)*---\n\n"
    r"# (?P<title>[^\n]+)\n\n(?P<body>[^\n#`].*)",
    re.DOTALL,
)

# As Jupyter does: every cell in turn, the value of its last line shown, here as text and as HTML.
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.display_formatter.active_types = ["text/plain", "text/html"]
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        shell.run_cell("".join(cell["source"])).raise_error()
"""


@each
def test_the_vignette_runs(name, tmp_path):
    if os.environ.get("VIGNETTES_RAN"):
        pytest.skip("`make vignettes` runs it")
    if "fetch_data(" in TEXTS[name] and not os.environ.get("PROTOCLASS_DATA"):
        pytest.skip("PROTOCLASS_DATA names no folder with the papers' data")
    path = pc.vignette(name, tmp_path)
    env = os.environ | {"MPLBACKEND": "Agg", "IPYTHONDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert not re.search("Warning|Traceback", done.stderr), done.stderr


@each
def test_text_is_in_order(name):
    """A title, a line that describes, the kernel; code that runs, and nothing that looks like output."""
    read = FRONT.fullmatch(TEXTS[name])
    assert read, "front matter, title and a first paragraph as in the other vignettes"
    assert front(TEXTS[name]) == {"title": read["title"], "description": read["description"]}
    opened = re.findall(r"^ *(?:```+|~~~+)(.*)$", TEXTS[name], re.MULTILINE)
    assert set(opened[1::2]) == {""}
    assert set(opened[::2]) <= {"{code-cell}", "{code-cell} ipython3", "bash", "r", "python"}  # the last: packages that need not be there
    assert not re.search(r"!\[|<img|Out\[|^:\w+:|^\+\+\+|^>>> ", read["body"], re.MULTILINE)


def test_positions_are_not_taken_for_labels():
    """`prototype_indices_` are positions: `X.loc` of them has rows of other classes where the labels do not count from 0."""
    texts = TEXTS | {path.name: path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]}
    assert [name for name, text in texts.items() if re.search(r"\.loc\[[^\n]*(?:_indices_|prototype_row)", text)] == []


@each
def test_notebook_is_that_of_jupytext(name):
    jupytext, nbformat = pytest.importorskip("jupytext"), pytest.importorskip("nbformat")
    ours = nbformat.reads(json.dumps(notebook(TEXTS[name])), as_version=4)
    nbformat.validate(ours)
    theirs = jupytext.reads(TEXTS[name], "md:myst")
    assert [(cell.cell_type, cell.source) for cell in ours.cells] == [
        (cell.cell_type, cell.source) for cell in theirs.cells
    ]
    assert ours.metadata.kernelspec.name == theirs.metadata.kernelspec.name
    assert theirs.metadata.description == front(TEXTS[name])["description"]
    assert [(cell.outputs, cell.execution_count) for cell in ours.cells if cell.cell_type == "code"] == [
        ([], None) for cell in theirs.cells if cell.cell_type == "code"
    ]


def test_written_notebook(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = pc.vignette("getting_started")
    assert path == Path("getting_started.ipynb")
    assert json.loads(path.read_text(encoding="utf-8")) == notebook(TEXTS["getting_started"])
    assert "jupyter lab getting_started.ipynb" in capsys.readouterr().out


def test_a_notebook_is_not_written_over(tmp_path):
    path = pc.vignette("getting_started", tmp_path)
    path.write_text("my work")
    with pytest.raises(pc.errors.OptionError, match="overwrite=True"):
        pc.vignette("getting_started", tmp_path)
    assert path.read_text() == "my work"
    assert pc.vignette("getting_started", str(tmp_path), overwrite=True) == path
    assert json.loads(path.read_text(encoding="utf-8"))["nbformat"] == 4


def test_what_is_refused(tmp_path):
    with pytest.raises(pc.errors.OptionError, match=r"no vignette 'start': use 'getting_started'"):
        pc.vignette("start", tmp_path)
    with pytest.raises(pc.errors.OptionError, match="no vignette 3"):
        pc.vignette(3, tmp_path)
    with pytest.raises(pc.errors.OptionError, match=r"folder=.*does not exist"):
        pc.vignette("getting_started", tmp_path / "none")
    with pytest.raises(pc.errors.OptionError, match="overwrite must be True or False, not 'yes'"):
        pc.vignette("getting_started", tmp_path, overwrite="yes")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "least"), [("from_r", 60), ("with_scikit_learn", 30)])
def test_each_line_of_the_tables_for_users_of_r_and_scikit_learn_runs(name, least, monkeypatch):
    """The last column of a table, with the names that the page's own cells make of half of the rows."""
    monkeypatch.setattr(pc, "load_data", lambda name, load=pc.load_data: load(name).iloc[::2])
    text, names = TEXTS[name], {}
    cells = re.findall(r"^```\{code-cell\}\n(.*?)^```$", text.split("| Task |")[0], re.MULTILINE | re.DOTALL)
    exec(compile("\n".join(cells), "<cells>", "exec"), names)
    rows = re.findall(r"^\| (?!Task )[^|]+ \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)
    code = [line for row in rows for line in re.findall(r"`([^`]+)`", row)]
    assert len(rows) >= least
    assert all(re.findall(r"`[^`]+`", row) and not re.sub(r"`[^`]+`|[, ]", "", row) for row in rows)
    for line in code:
        assert eval(line, dict(names)) is not None, line


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("first", ["wine 1", 1])
def test_the_lines_for_a_distance_matrix_of_r_run(tmp_path, monkeypatch, first):
    """With row names, and with the numbers from 1 that `write.csv` writes for rows without names."""
    wine = pc.load_data("wine").sample(60, random_state=0)
    wine.index = range(1, 61) if first == 1 else [f"wine {k + 1}" for k in range(60)]
    matrix = pc.dissimilarity("~ . - cultivar", wine).frame()
    matrix.to_csv(tmp_path / "d.csv")
    matrix.iloc[:20].to_csv(tmp_path / "new.csv")
    wine[["cultivar"]].to_csv(tmp_path / "classes.csv")
    monkeypatch.chdir(tmp_path)
    block, of_file = re.findall(r"^```python\n((?:classes|new) = .*?)^```$", TEXTS["from_r"], re.MULTILINE | re.DOTALL)
    names = {"pc": pc, "pd": pd}
    exec(block, names)
    predicted = names["fit"].predict(names["d"].frame().loc[names["new"].index])
    assert (predicted == names["new"]["cultivar"]).mean() > 0.8
    if first == 1:
        exec(of_file, dict(names))
    again = eval(block.splitlines()[-1], names)
    assert again
    assert {"data", "dissimilarity", "prototypes", "errors", "predictions"} <= set(again.parts)
    assert eval(block.splitlines()[-1].replace("=d)", "=pc.read_dissimilarity('d.csv'))"), names)
    assert not eval(block.splitlines()[-1].replace("=d)", "=d.frame() * 2)"), names)


def test_what_vignettes_import_is_installed_for_the_site():
    """By what `make vignettes` installs: the package's dependencies and its extra `docs`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["docs"]]
    for text in extras["docs"]:
        if own := re.fullmatch(r"protoclass-stats\[(.*)\]", text):
            asked += [one for name in own[1].split(",") for one in extras[name]]
    installed = {re.match(r"[\w-]+", text)[0].lower() for text in asked} | {"protoclass"}
    cells = re.findall(r"^```\{code-cell\}\n(.*?)^```$", "\n".join(TEXTS.values()), re.MULTILINE | re.DOTALL)
    imported = set(re.findall(r"^(?:import|from) (\w+)", "\n".join(cells), re.MULTILINE)) - sys.stdlib_module_names
    assert {{"sklearn": "scikit-learn"}.get(name, name) for name in imported} - installed == set()
