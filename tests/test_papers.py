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
    "PVM figure 7, right", "PVM table 1", "PVM table 2", "SCM figure 1", "SCM table 1", "SCM table 2", "GHBO figure 1",
    "GHBO figure 2", "GHBO table 1", *(f"V18 figure {k}" for k in range(1, 7)), "ESL13 LVQ", "ESL13 mixture", "ESL13 k-NN bound",
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
        assert f"| {item} | [`python benchmarks/papers/" in contents


def test_every_report_says_what_made_it_and_names_no_machine():
    run = importlib.import_module("run")
    for name in SCRIPTS:
        body = (HERE / f"{name}.md").read_text()
        made = rf"^`python benchmarks/papers/{name}\.py .*--write`, .*, \d+ s on \d+ cores, \w+\.$"
        assert re.search(made, body, re.MULTILINE)
        assert re.fullmatch(r"\d{4}-\d\d-\d\d( \(earlier run\))?", run.written_on(body))
    with pytest.raises(ValueError, match="does not say which command"):
        run.written_on("# Title\n\nno command\n")


@pytest.mark.parametrize(
    ("name", "less"),
    [pytest.param("pvm_figure1", {}, marks=pytest.mark.long), ("ghbo_figure1", {"count": 30}), ("ghbo_figure2", {"draws": 2}),
     pytest.param("scm_figure1", {"repeats": 2}, marks=pytest.mark.long), ("esl_median_radius", {"draws": 20}),
     ("esl_nearest_bound", {"largest": 100}), pytest.param("v18_figures", {"radii": 3, "digits": 60}, marks=pytest.mark.long)],
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
    assert abs(seen - float(script.median_radius(100, 3))) < 4 * se
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


def test_a_line_in_the_pseudo_euclidean_plane():
    """Squares written out, and a path without imaginary distances."""
    import numpy as np

    script = importlib.import_module("ghbo_figure1")
    x = script.path(80, 3)
    slow = np.array([[(a[0] - b[0]) ** 2 - (a[1] - b[1]) ** 2 for b in x] for a in x])
    assert np.allclose(script.squares(x, x), slow)
    assert slow.min() >= 0
    line = script.Line(np.array([2.0, 1.0]), 0.5, 0.0)
    on_line = np.array([0.0, -0.5])
    assert on_line @ line.flipped + line.constant == 0
    assert on_line @ np.diag(script.M) @ line.w + line.constant == 0
    told = script.report(count=30).covers["GHBO figure 1"]
    assert "signature (1, 1)" in told
    assert " 0 of " in told


def test_no_way_to_break_ties_leaves_the_range():
    """Against the nearest neighbour by a loop over orders of the rows, the first of the nearest winning."""
    import numpy as np

    script = importlib.import_module("scm_experiments")
    random = np.random.default_rng(1)
    x, y, folds = random.integers(0, 6, 60), random.integers(0, 2, 60), random.integers(0, 5, 60)
    D = np.abs(x[:, None] - x[None]).astype(float)
    low, mean, high = script.tie_errors(D, y, folds)
    assert low < mean < high
    counts = []
    for _ in range(200):
        order = random.permutation(60)
        wrong = 0
        for i in range(60):
            others = [j for j in order if folds[j] != folds[i]]
            wrong += y[min(others, key=lambda j: D[i, j])] != y[i]
        counts.append(wrong)
    assert low <= min(counts)
    assert max(counts) <= high
    assert abs(np.mean(counts) - mean) < 4 * np.std(counts) / np.sqrt(200)
    single = np.abs(np.subtract.outer(random.random(30), random.random(30)))
    assert len(set(script.tie_errors(single, y[:30], folds[:30]))) == 1


def test_the_most_that_both_inequalities_give():
    """The rows that are written, from the numbers of rows that are written."""
    script = importlib.import_module("scm_tables")
    lines = [line.strip("| ").split(" | ") for line in (HERE / "scm_tables.md").read_text().splitlines()]
    rows = {line[0]: int(line[1]) for line in lines if len(line) == len(script.ONE) and line[1].isdigit()}
    written = [line for line in lines if len(line) == len(script.THREE) and line[0] in rows]
    assert len(written) == 12
    assert [script.most(name, kind, rows[name]) for name, kind, *_ in written] == written


def test_proximities_of_the_cortex(papers_data):
    """Table 1 of Graepel et al.: the row that is reached to the digit."""
    script = importlib.import_module("ghbo_table1")
    data = script.pd.read_csv(Path(os.environ["PROTOCLASS_DATA"]) / "cat_cortex.csv")
    D = data.filter(regex=r"^d\d+$").to_numpy(float)
    found = [script.errors("cat cortex", D, data["region"], one, "proximity", 1)[0] for one in ("A", "V", "SS", "FL")]
    assert [round(v, 2) for v in found] == [3.08, 1.54, 3.08, 4.62]
