"""The scripts that reproduce the papers: one shape, every item covered, and some of them run on less."""

import importlib
import inspect
import os
import re
import sys
from pathlib import Path

import matplotlib
import pytest

HERE = Path(__file__).resolve().parent.parent / "benchmarks" / "papers"
SCRIPTS = sorted(p.stem for p in HERE.glob("*_*.py"))
ITEMS = [
    *(f"PVM figure {k}" for k in (1, 2, 4, 5, 6, 8, 9)), "PVM figure 3, left", "PVM figure 3, right", "PVM figure 7, left",
    "PVM figure 7, right", "PVM table 1", "PVM table 2", "SCM figure 1", "SCM table 1", "SCM table 2", "GHBO figure 2",
    "GHBO table 1", *(f"V18 figure {k}" for k in range(1, 7)), "ESL13 LVQ", "ESL13 mixture", "ESL13 k-NN bound",
    "ESL13 median radius", "ESL13 DANN",
]  # fmt: skip


@pytest.fixture(autouse=True)
def beside(monkeypatch):
    """The scripts find one another as they do when one is run as a command."""
    monkeypatch.syspath_prepend(str(HERE))
    matplotlib.use("Agg")
    yield
    for name in (*SCRIPTS, "common", "digits", "mixtures", "run"):
        sys.modules.pop(name, None)


def test_the_folder_is_there():
    assert len(SCRIPTS) >= 16


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_has_the_shape(name):
    script = importlib.import_module(name)
    common = importlib.import_module("common")
    assert f"python benchmarks/papers/{name}.py" in script.__doc__
    assert re.search(r"\((PVM paper|SCM paper|GHBO paper|V18 course report|ESL13 notes), ", script.__doc__)
    signature = inspect.signature(script.report, eval_str=True)
    assert signature.return_annotation is common.Report
    assert all(
        p.annotation in (int, str) and isinstance(p.default, p.annotation) for p in signature.parameters.values()
    )
    assert script.main is common.main
    assert (HERE / f"{name}.py").read_text().endswith('if __name__ == "__main__":\n    main(report)\n')


def test_what_is_written_covers_every_item():
    run = importlib.import_module("run")
    written = [item for name in SCRIPTS for item, told in run.items((HERE / f"{name}.md").read_text()) if told]
    assert len(written) == len(set(written))
    assert set(ITEMS) <= set(written)
    sources = {name: (HERE / f"{name}.py").read_text() for name in SCRIPTS}
    for name in SCRIPTS:
        for item, _ in run.items((HERE / f"{name}.md").read_text()):
            assert f'"{item}":' in sources[name]


def test_results_holds_every_report():
    run = importlib.import_module("run")
    results = (HERE / "RESULTS.md").read_text()
    assert results == run.collected()
    contents = results[: results.index("\n## ")]
    for item in ITEMS:
        assert f"| {item} | [" in contents


def test_every_picture_is_shown_and_small():
    shown = {name for path in HERE.glob("*_*.md") for name in re.findall(r"\]\(figures/([^)]+)\)", path.read_text())}
    there = {path.name: path.stat().st_size for path in (HERE / "figures").iterdir()}
    assert shown == set(there)
    assert max(there.values()) <= 60_000


def test_a_missing_file_says_where_it_comes_from(monkeypatch, tmp_path):
    common = importlib.import_module("common")
    monkeypatch.delenv("PROTOCLASS_DATA", raising=False)
    with pytest.raises(SystemExit, match=r"cat_cortex\.csv .* folder that PROTOCLASS_DATA names\. .*github\.com/dalab"):
        common.file("cat_cortex.csv")
    monkeypatch.setenv("PROTOCLASS_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="scop_membership"):
        common.file("scop_membership.csv.gz")
    with pytest.raises(SystemExit, match="unset it to fetch"):
        common.fetched("pima")
    (tmp_path / "cat_cortex.csv").write_text("area\n")
    assert common.file("cat_cortex.csv") == tmp_path / "cat_cortex.csv"


def test_every_file_that_is_asked_for_has_a_source():
    common = importlib.import_module("common")
    for name in SCRIPTS:
        asked = re.findall(r'\bfile\("([^"]+)"\)', (HERE / f"{name}.py").read_text())
        assert set(asked) <= set(common.SOURCES)


@pytest.mark.parametrize(
    ("name", "less"),
    [("pvm_figure1", {}), ("ghbo_figure2", {"draws": 2}), ("scm_figure1", {"repeats": 2}), ("esl_median_radius", {"draws": 100}),
     ("esl_nearest_bound", {"largest": 300}), ("v18_figures", {"radii": 4, "digits": 150})],
)  # fmt: skip
def test_a_script_runs_on_less(name, less, tmp_path):
    script, common, run = (importlib.import_module(m) for m in (name, "common", "run"))
    found = script.report(**less)
    body = common.text(found, name, 1.0)
    assert run.items(body) == list(found.covers.items())
    assert [item for item, _ in run.items((HERE / f"{name}.md").read_text())] == list(found.covers)
    for file, figure in found.figures.items():
        common.save(figure, tmp_path / file)
        assert 1000 < (tmp_path / file).stat().st_size <= common.LARGEST


def test_the_median_radius_agrees_with_its_simulation():
    script = importlib.import_module("esl_median_radius")
    seen, se = script.simulated(100, 3, 4000)
    assert abs(seen - float(script.pc.median_radius(100, 3))) < 4 * se
    assert se < 0.005


def test_the_bayes_rule_of_the_mixture():
    """Against densities summed as they are written."""
    import numpy as np
    from scipy.stats import multivariate_normal

    mixtures = importlib.import_module("mixtures")
    means = np.random.default_rng(0).normal(size=(3, 10, 2))
    new = mixtures.more(means, 60, 1)
    X = new[["x1", "x2"]].to_numpy()
    heights = np.array(
        [[np.mean([multivariate_normal(m, np.eye(2) / 5).pdf(x) for m in own]) for own in means] for x in X]
    )
    ours = mixtures.densities(means, X)
    assert np.allclose(ours / ours.sum(axis=1, keepdims=True), heights / heights.sum(axis=1, keepdims=True))
    assert (mixtures.bayes(means, X) == heights.argmax(axis=1)).all()


def test_distance_to_the_boundary():
    """Two classes on either side of x1 = 0: the third and the last prototype lie on the wrong side."""
    from types import SimpleNamespace

    import numpy as np
    import pandas as pd

    from protoclass.core.task import Points

    script = importlib.import_module("esl_lvq")
    means = np.zeros((2, 10, 2))
    means[0, :, 0], means[1, :, 0] = -1, 1
    data = pd.DataFrame({"x1": [-3.0, 3.0], "x2": [-3.0, 3.0]})
    points = Points(np.array([0, 0, 0, 1, 1]), coords=np.array([[-2.0, 0], [-0.5, 1], [0.7, 0], [1.5, 0], [-0.2, 0]]))
    away = script.from_boundary(SimpleNamespace(rule=SimpleNamespace(prototypes=points)), means, data)
    assert np.allclose(away, [2, 0.5, -0.7, 1.5, -0.2], atol=0.03)


def test_cells_apart_are_those_beyond_two_sds():
    from types import SimpleNamespace

    import pandas as pd

    script = importlib.import_module("pvm_table2")
    rows = {"1-NN": (0.289, 0.01), "PVM": (0.263, 0.01), "k-medoids": (0.331, 0.01), "LVQ": (0.229, 0.01)}
    told = pd.DataFrame(rows, index=["error", "sd"]).T.assign(prototypes=[512, 12, 44, 29])
    found = {("Diabetes", "divided by sd"): SimpleNamespace(table=told)}
    apart = script.apart(found, "divided by sd")
    assert [(name, method, round(off, 1)) for name, method, off in apart] == [
        ("Diabetes", "PVM", -2.1),
        ("Diabetes", "LVQ", 2.1),
    ]
    cells = script.rows_of(found, "divided by sd")[0][2:]
    assert [cell.endswith(" !") for cell in cells] == [False, True, False, True]
    assert cells[1] == "26.3 +- 1.0 / 24.2 / +2.1 !"


def test_rows_of_the_conjunction():
    import numpy as np

    script = importlib.import_module("scm_figure1")
    data = script.both(2000, np.random.default_rng(0))
    all_five = data[["x1", "x2", "x3", "x4", "x5"]].all(axis=1)
    assert (all_five == (data["y"] == "pos")).all()
    shares = data.groupby("y").mean(numeric_only=True)
    assert np.allclose(shares.loc[:, "x6":], 0.5, atol=0.06)
    assert np.allclose(shares.loc["neg", "x1":"x5"], 15 / 31, atol=0.06)


def test_how_close_cells_are():
    script = importlib.import_module("scm_tables")
    pairs = [(100.0, 110.0), (100.0, 112.0), (3.0, 5.0), (3.0, 5.1), (0.0, 0.0)]
    assert script.closeness(pairs).startswith("3 of 5 cells")
    assert script.beside(138.26, 216) == "138 (216, -78)"


def test_error_along_a_curve():
    import numpy as np
    import pandas as pd

    script = importlib.import_module("pvm_figure3")
    told = pd.DataFrame({"parameter": [1, 2, 3], "prototypes": [1000, 100, 10], "error": [2.0, 4.0, 10.0]})
    assert script.at(told, 100) == 4
    assert np.isclose(script.at(told, round(10**2.5)), 3, atol=0.01)
    assert np.isnan([script.at(told, 9), script.at(told, 1001)]).all()


def test_a_report_must_show_its_figures():
    common = importlib.import_module("common")
    with pytest.raises(ValueError, match=r"shows \['a\.png'\]"):
        common.text(common.Report("t", {}, "![a](figures/a.png)"), "x_y", 1.0)


def test_proximities_of_the_cortex(papers_data):
    """Table 1 of Graepel et al.: the row that is reached to the digit."""
    script = importlib.import_module("ghbo_table1")
    data = script.pd.read_csv(Path(os.environ["PROTOCLASS_DATA"]) / "cat_cortex.csv")
    D = data.filter(regex=r"^d\d+$").to_numpy(float)
    found = [script.errors("cat cortex", D, data["region"], one, "proximity", 1)[0] for one in ("A", "V", "SS", "FL")]
    assert [round(v, 2) for v in found] == [3.08, 1.54, 3.08, 4.62]
