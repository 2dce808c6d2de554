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


# items whose paper has a rule of its own, and for which another choice is reported second
RULED = [
    *(f"PVM figure {k}" for k in (4, 6, 8, 9)),
    "PVM figure 7, left",
    "PVM figure 7, right",
    "PVM table 1",
    "PVM table 2",
]


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


def test_the_papers_own_rule_comes_first():
    run = importlib.import_module("run")
    told = dict(pair for name in SCRIPTS for pair in run.items((HERE / f"{name}.md").read_text()))
    for item in RULED:
        first, _, second = told[item].partition("second, ")
        assert re.search(r"\d", first)
        assert re.search(r"\d", second)
        assert not re.search("as many|default radii", first)


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


def test_the_headline_of_table_2_says_how_far_cells_lie():
    """Errors and numbers of prototypes beside the paper's, of the paper's grid first and of the default radii second."""
    from types import SimpleNamespace

    import pandas as pd

    script = importlib.import_module("pvm_table2")
    found = {}
    for (name, paper), columns in ((pair, c) for pair in script.PAPER.items() for c in script.COLUMNS):
        rows = {m: (theirs / 100, 0.02, count) for m, (theirs, count) in zip(script.NAMES, paper, strict=True)}
        rows |= {f"{m}, other grid": rows[m] for m in script.NAMES[1:]}
        if name == "Glass":
            rows["1-NN"] = (0.303, 0.05, 143)
        if name == "Vowel":
            rows["PVM"], rows["PVM, other grid"] = (0.028, 0.02, 340), (0.068, 0.01, 207)
        found[name, columns] = SimpleNamespace(table=pd.DataFrame(rows, index=["error", "sd", "prototypes"]).T)
    told = script.headline(found, 50)
    first, second = told.split("second, ")
    assert first.startswith("24 of 24 errors")
    assert "2.0 to 5.0 points" in first
    assert "-7.7 (Glass 1-NN)" in first
    assert "-12 (Vowel PVM)" in first
    assert "5 of 6 of PVM's errors within" in second
    assert "-145 (Vowel PVM)" in second
    assert type(script.methods(pd.Series(list("ab") * 30))["PVM"].eps) is type(script.pc.quantiles(20))


def test_the_digits_are_those_of_the_least_test_error(monkeypatch):
    """Figures and headlines take the least test error on the paper's range of radii, not the radius fitted to the paper's size."""
    import numpy as np

    import protoclass as pc

    script = importlib.import_module("pvm_tangent")
    data = pc.load_data("digits").iloc[:150]
    pixels = data.drop(columns="digit").add_prefix("p")
    train = pixels.iloc[:110].assign(digit=data["digit"].iloc[:110].to_numpy())
    new = pixels.iloc[110:].assign(digit=data["digit"].iloc[110:].to_numpy())
    seen = {}

    def figures(train, new, dissimilarity, eps):
        seen["eps"] = eps
        return {}, 0.07

    monkeypatch.setattr(script, "usps", lambda: (train, new))
    monkeypatch.setattr(script, "figures", figures)
    monkeypatch.setattr(script, "RADII", (10.0, 20.0, 30.0, 1000.0))
    monkeypatch.setattr(script, "NEAR", [25.0, 35.0])
    monkeypatch.setattr(script, "KS", (1,))
    monkeypatch.setattr(script.pc, "Tangent", lambda: pc.Euclidean(scale=False))
    found = script.report()
    D = pc.dissimilarity("digit ~ .", train, pc.Euclidean(scale=False))
    radii = [D.quantile(0), 10.0, 20.0, 30.0, D.quantile(0.14)]
    radii = [eps for eps in radii if D.quantile(0) <= eps <= D.quantile(0.14)]
    assert script.radii_of(D) == radii
    fits = [pc.fit("digit ~ .", train, dissimilarity=pc.Euclidean(scale=False), eps=eps, repeats=1) for eps in radii]
    errors = np.array([fit.test(new).error for fit in fits])
    best = min(range(len(radii)), key=lambda g: (errors[g], len(fits[g].prototypes)))
    assert seen["eps"] == pytest.approx(radii[best])
    assert found.covers["PVM table 1"].startswith(f"{len(fits[best].prototypes)} prototypes (3372)")
    assert f"covering {fits[best].prototypes['newly_covered'].iloc[0]} and" in found.covers["PVM figure 4"]


@pytest.mark.long
def test_every_method_on_the_proteins_has_as_many_values(monkeypatch):
    """Least errors of as many values each, read off draw by draw; and tuning in the training rows of each fold."""
    import numpy as np
    import pandas as pd

    script = importlib.import_module("pvm_figure9")
    assert len(script.SHARES) == len(script.COSTS) == script.MODELS[script.SPACED].eps.count == script.VALUES
    random = np.random.default_rng(0)
    sequences = ["".join(random.choice(list("ACD" if k < 16 else "CDE"), 20)) for k in range(48)]
    data = pd.DataFrame({"family": ["yes"] * 16 + ["no"] * 32, "sequence": sequences})
    monkeypatch.setattr(script, "proteins", lambda: data)
    monkeypatch.setattr(script, "COSTS", [0.01, 1.0])
    monkeypatch.setattr(script, "MODELS", {name: model for name, model in script.MODELS.items() if name != script.MEDOIDS}
                        | {script.MEDOIDS: script.pc.KMedoids(K=[0.5])})  # fmt: skip
    found = script.report(draws=2, nested=1)
    assert found.covers["PVM figure 9"].index("equally spaced") < found.covers["PVM figure 9"].index("default radii")
    y = data["family"].to_numpy()
    K = np.eye(48)
    told = script.machine(K, y, np.arange(48) % 4)
    assert told["errors"].tolist() == [16, 16]  # nothing is alike, so that the commoner class is said of all
    assert told["at_best"].tolist() == [True, False]


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


def test_the_most_that_both_inequalities_give():
    """The rows that are written, from the numbers of rows that are written."""
    script = importlib.import_module("scm_tables")
    lines = [line.strip("| ").split(" | ") for line in (HERE / "scm_tables.md").read_text().splitlines()]
    rows = {line[0]: int(line[1]) for line in lines if len(line) == len(script.ONE) and line[1].isdigit()}
    written = [line for line in lines if len(line) == len(script.THREE) and line[0] in rows]
    assert len(written) == 12
    assert [script.most(name, kind, rows[name]) for name, kind, *_ in written] == written


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
