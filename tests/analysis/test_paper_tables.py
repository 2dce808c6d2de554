"""`as_table`: each cell of a table for a paper is the figure that the value itself has."""


import numpy as np
import pandas as pd
import pytest

import protoclass as pc


@pytest.fixture(scope="module")
def clinic():
    """A calibrated fit, new rows of two sites, and a comparison."""
    draw = np.random.default_rng(7)
    y = draw.choice(["ill", "well"], 500, p=[0.3, 0.7])
    data = pd.DataFrame(draw.normal(size=(500, 2)) + 1.2 * (y == "ill")[:, None], columns=["a", "b"])
    data = data.assign(y=y, site=draw.choice(["north", "south"], 500))
    return pc.fit("y ~ a + b", data[:200], "knn", k=15).calibrate(cv=3), data[200:]


def interval(value, low, high):
    return f"{value:.3f} ({low:.3f} to {high:.3f})"


def test_a_table_of_a_test_has_the_figures_of_tidy(clinic):
    fit, new = clinic
    found = fit.test(new, threshold={"ill": 0.3})
    tidy, table = found.tidy().set_index("class"), found.as_table()
    assert list(table.frame) == ["Rows", "Sensitivity", "Specificity", "PPV", "NPV", "AUC"]
    for c in ("ill", "well"):
        for head, name in {"Sensitivity": "sensitivity", "PPV": "ppv", "AUC": "auc"}.items():
            assert table.frame.loc[c, head] == interval(*tidy.loc[c, [name, f"{name}_low", f"{name}_high"]])
    assert table.frame["Rows"].tolist() == [str((new["y"] == c).sum()) for c in ("ill", "well")]
    assert "Predict ill if its probability is at least 0.3" in str(table)
    assert list(found.as_table("f1").frame) == ["Rows", "F1"]
    with pytest.raises(pc.errors.OptionError, match=r"measures must be a list of some of 'sensitivity',.*not \['recall'\]"):
        found.as_table(["recall"])


def test_a_table_by_groups_has_the_difference_of_two(clinic):
    fit, new = clinic
    found = fit.test(new, by="site", threshold={"ill": 0.3})
    frame = found.as_table().frame
    assert frame.index.tolist() == ["north", "south", "all rows", "difference", "p"]
    heads = {"error": "Error", "npv": "NPV", "calibration_in_the_large": "Calibration in the large"}
    for measure, head in heads.items():
        pair = found.differences(measure).iloc[0]
        assert frame.loc["difference", head] == interval(*pair[["difference", "low", "high"]])
        assert float(frame.loc["p", head]) == pytest.approx(pair["p"], rel=0.01)
        for site, e in found.estimates(measure).items():
            assert frame.loc[site, head] == interval(e.value, e.low, e.high)
    assert frame.loc["all rows", "Sensitivity"] == fit.test(new, threshold={"ill": 0.3}).as_table().frame.loc["ill", "Sensitivity"]
    assert found.as_table(["sensitivity"], of="well").frame.loc["north", "Sensitivity"] == frame.loc["north", "Specificity"]
    several = fit.test(new, by=pd.qcut(new["a"], 3)).as_table(["error"]).frame
    assert "difference" not in several.index
    three = pc.load_data("iris")
    found = pc.fit("species ~ .", three[::2], "knn", k=5).test(three[1::2], by=np.arange(75) % 2)
    assert list(found.as_table().frame) == ["Rows", "Error"]
    assert "Sensitivity" in found.as_table(of="virginica").frame


def test_a_table_of_a_comparison_has_differences_from_the_reference(clinic):
    _, new = clinic
    methods = [pc.KNN(k=1), pc.KNN(k=15), pc.PVM(eps=0.8)]
    for how in ({"cv": 3, "calibrate": {"cv": 2}}, {"test_size": 0.4}):
        c = pc.compare("y ~ a + b", new, methods, progress=False, **how)
        for reference in (None, "knn(k=15)"):
            frame, first = c.as_table(reference=reference).frame, reference or "knn(k=1)"
            assert frame.loc[first, "Difference"] == "reference"
            for name in set(c.methods) - {first}:
                row = c.tests[(c.tests["a"].isin([first, name])) & (c.tests["b"].isin([first, name]))].iloc[0]
                sign = 1 if row["a"] == name else -1
                assert c.table["error"][name] - c.table["error"][first] == pytest.approx(sign * row["difference"], abs=0.02)
                low, high = sorted(sign * row[["low", "high"]])
                assert frame.loc[name, "Difference"] == interval(sign * row["difference"] + 0.0, low, high)
                assert float(frame.loc[name, "p (Holm)"]) == pytest.approx(row["p_holm"], rel=0.01)
        if "cv" in how:
            assert frame.loc["knn(k=15)", "Brier"] == f"{c.table['brier']['knn(k=15)']:.3f} ({c.table['brier_se']['knn(k=15)']:.3f})"
    with pytest.raises(pc.errors.OptionError, match=r"reference must be a list of some of 'knn\(k=1\)',.*not 'svm'"):
        c.as_table(reference="svm")


def test_latex_has_the_cells_under_a_caption(clinic):
    fit, new = clinic
    table = fit.test(new, by="site").as_table()
    text = table.as_latex("Accuracy by site", "tab:site")
    assert text.count("Test by site") == 0  # the caption stands for the title
    rows = [line[:-3].split(" & ") for line in text.split("\n") if line.endswith(r" \\")]
    assert rows[0] == ["site", *table.frame]
    for row, (name, cells) in zip(rows[1:], table.frame.iterrows(), strict=True):
        assert [cell.replace("$-$", "-") for cell in row] == [name, *cells]
    assert r"$-$0." in text
    assert r"\begin{adjustbox}{max width=\linewidth}" in text
    assert "adjustbox}{" not in fit.test(new, by="site").as_table(["error"]).as_latex()


