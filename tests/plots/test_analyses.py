"""Pictures of importance, of the band of an error curve and of permutation tests: their numbers, and that they are drawn."""


import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import protoclass as pc
from protoclass.views.analyses import count_permutations, list_importance
from protoclass.views.curve import trace_curve


def axes():
    return Figure(layout="constrained").subplots()


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=[0.5, 1.0, 1.5], cv=5, dissimilarity="euclidean", repeats=1)


def ends(ax, container=0):
    """The ends (k, 2) of the horizontal error bars of an Axes."""
    lines = ax.containers[container].lines[2][0].get_segments()
    return np.array([segment[:, 0] for segment in lines])


def test_importance_is_drawn_with_its_interval(fit, iris):
    numbers = fit.importance(repeats=4, cv=3, seed=2)
    table = list_importance(fit, None, 4, None, 3, 2)
    assert table["variable"].tolist() == numbers.index.tolist()
    np.testing.assert_allclose(table["high"] - table["importance"], 1.959964 * numbers["se"])
    ax = fit.plot("importance", ax=axes(), repeats=4, cv=3, seed=2)
    bars = next(c for c in ax.containers if hasattr(c, "patches"))
    np.testing.assert_allclose([bar.get_width() for bar in bars], numbers["importance"])
    drawn = next(i for i, c in enumerate(ax.containers) if not hasattr(c, "patches"))
    np.testing.assert_allclose(ends(ax, drawn), table[["low", "high"]])
    assert [text.get_text() for text in ax.get_yticklabels()] == numbers.index.tolist()
    error = (numbers["error"] - numbers["importance"]).iloc[0]
    assert f"error of held-out rows without permutation: {error:.3g}" in ax.get_xlabel()
    together = fit.plot("importance", ax=axes(), new=iris, repeats=2, variables={"$petal$": ["petal_length", "petal_width"]})
    assert "new rows" in together.get_xlabel()
    together.figure.canvas.draw()
    with pytest.raises(pc.OptionError, match=r"repeats must be .*, not 0"):
        fit.plot("importance", repeats=0)
    with pytest.raises(pc.NotAvailable, match="given as a matrix"):
        pc.fit("species ~ 1", iris, dissimilarity=fit.dissimilarity.frame(), eps=1.0).plot("importance")


def test_importance_of_many_variables_shows_the_first(iris):
    random = np.random.default_rng(0)
    wide = pd.DataFrame(random.normal(size=(30, 33)), columns=[f"a rather long name of the variable, number {k}" for k in range(33)])
    fit = pc.fit("y ~ .", wide.assign(y=list("uv") * 15), "knn", k=3)
    ax = fit.plot("importance", ax=axes(), repeats=1, cv=2)
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert len(labels) == len(set(labels)) == 20
    assert max(map(len, labels)) <= 40
    assert ax.get_ylabel() == "the first 20 of 33 variables"


def test_the_band_is_drawn_around_the_curve(fit):
    validation, band = fit.validation, fit.validation.band(0.9)
    (_, line), = trace_curve(validation, band=0.9).lines
    pd.testing.assert_frame_equal(line[["band_low", "band_high"]], band[["band_low", "band_high"]])
    for x, along in ((None, band["eps"]), ("size", validation.table["size"])):
        ax = fit.plot("validation", ax=axes(), x=x, band=0.9)
        (shade,) = [c for c in ax.collections if str(c.get_label()).startswith("90 % simultaneous band")]
        corners = shade.get_paths()[0].vertices
        for place, row in zip(along, band.itertuples(), strict=True):
            own = corners[np.isclose(corners[:, 0], place), 1]
            assert own.min() == pytest.approx(row.band_low)
            assert own.max() == pytest.approx(row.band_high)
        assert ax.get_ylim()[1] >= band["band_high"].max()
    without = fit.validation.plot(ax=axes())
    assert not any("band" in str(c.get_label()) for c in without.collections)


def test_of_several_lines_the_chosen_one_has_its_band(iris):
    validation = pc.cross_validate("species ~ .", iris, eps=[0.5, 1.0], lambda_=[0.01, 2.0], cv=3, dissimilarity="euclidean", repeats=1)
    ax = validation.plot("eps", ax=axes(), band=0.95)
    chosen = validation.table["lambda_"].iloc[validation.one_se]
    labels = [str(c.get_label()) for c in ax.collections if "band" in str(c.get_label())]
    assert labels == [f"95 % simultaneous band at lambda_ = {chosen:.3g}"]
    with pytest.raises(pc.OptionError, match=r"band=0\.95"):
        validation.plot("size", band=0.95)


@pytest.mark.parametrize("level", [0, 1, 1.5, "95 %", True])
def test_a_band_has_a_level(fit, level):
    with pytest.raises(pc.OptionError, match="a number between 0 and 1"):
        fit.validation.plot(band=level)


def test_a_single_point_has_no_curve(iris):
    with pytest.raises(pc.OptionError, match="a single point is drawn"):
        pc.cross_validate("species ~ .", iris, eps=1.0, cv=3).plot(band=0.95)


@pytest.mark.parametrize("measure", ["error", "balanced"])
def test_permuted_errors_are_counted_and_the_observed_one_is_marked(iris, measure):
    data = iris.iloc[::5].rename(columns={"species": "$s$"})
    result = pc.cross_validate("`$s$` ~ .", data, "knn", k=[1, 5], cv=3, measure=measure).permutation_test(B=29)
    table, errors = count_permutations(result), result.table["error"].to_numpy()
    assert table["count"].sum() == 29
    np.testing.assert_allclose(np.diff(table[["low", "high"]].to_numpy(), axis=1), table["high"][0] - table["low"][0])
    for row in table.itertuples():
        inside = (errors > row.low - 1e-9) & (errors < row.high + 1e-9)
        assert row.count <= inside.sum()
    ax = axes()
    assert result.plot(ax=ax) is ax
    assert sum(bar.get_height() for bar in ax.patches) == 29
    assert any(np.allclose(line.get_xdata(), result.error) for line in ax.lines)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any(f"p = {result.p_value:.3g}" in w for w in words)
    ax.figure.canvas.draw()
    with pytest.raises(pc.OptionError, match=r"plot\(\) has no argument 'bins'"):
        result.plot(bins=3)


def test_many_different_errors_are_binned():
    from protoclass.analysis.importance import PermutationTest

    errors = np.random.default_rng(0).random(500)
    result = PermutationTest(0.5, pd.DataFrame({"error": errors}), 0.5, "loss", "classes permuted among all rows", "call")
    table = count_permutations(result)
    assert len(table) == 24
    assert table["count"].sum() == 500
    counts = [((errors >= low) & (errors < high)).sum() for low, high in zip(table["low"], table["high"], strict=True)]
    assert table["count"].tolist() == [*counts[:-1], counts[-1] + 1]
    one = PermutationTest(0.5, pd.DataFrame({"error": [0.25] * 5}), 0.5, "loss", "how", "call")
    assert count_permutations(one)["count"].tolist() == [5]
