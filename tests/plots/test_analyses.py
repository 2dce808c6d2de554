"""Plots of analyses, mark by mark: importance, bands of error curves, permutation tests, alternatives, criticisms, stability."""


from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from looks import find_faults
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import protoclass as pc
from protoclass.pictures import analyses
from protoclass.pictures.style import colour, mark


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
    numbers = fit.importance(resamples=4, cv=3, seed=2)
    ax = fit.plot("importance", ax=axes(), resamples=4, cv=3, seed=2)
    bars = next(c for c in ax.containers if hasattr(c, "patches"))
    np.testing.assert_allclose([bar.get_width() for bar in bars], numbers["importance"])
    drawn = next(i for i, c in enumerate(ax.containers) if not hasattr(c, "patches"))
    half = 1.959964 * numbers["se"]
    np.testing.assert_allclose(ends(ax, drawn), np.column_stack([numbers["importance"] - half, numbers["importance"] + half]))
    assert [text.get_text() for text in ax.get_yticklabels()] == numbers.index.tolist()
    error = (numbers["error"] - numbers["importance"]).iloc[0]
    assert f"error of held-out rows: {error:.3g}" in ax.get_xlabel()
    together = fit.plot("importance", ax=axes(), new=iris, resamples=2, variables={"$petal$": ["petal_length", "petal_width"]})
    assert "error of new rows" in together.get_xlabel()
    together.figure.canvas.draw()
    with pytest.raises(pc.errors.OptionError, match=r"resamples must be .*, not 0"):
        fit.plot("importance", resamples=0)
    with pytest.raises(pc.errors.NotAvailableError, match="has no variables to explain"):
        pc.fit("species ~ 1", iris, dissimilarity=fit.dissimilarity.frame(), eps=1.0).plot("importance")


def test_the_band_is_drawn_around_the_curve(fit):
    validation, band = fit.validation, fit.validation.band(0.9)
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
    chosen = validation.selected("1se")["lambda_"]
    labels = [str(c.get_label()) for c in ax.collections if "band" in str(c.get_label())]
    assert labels == [f"95 % simultaneous band at lambda_ = {chosen:.3g}"]
    with pytest.raises(pc.errors.OptionError, match=r"band=0\.95"):
        validation.plot("size", band=0.95)


@pytest.mark.parametrize("level", [0, "95 %"])
def test_a_band_has_a_level(fit, level):
    with pytest.raises(pc.errors.OptionError, match="a number between 0 and 1"):
        fit.validation.plot(band=level)


def test_permuted_errors_are_counted_and_the_observed_one_is_marked(iris):
    data = iris.iloc[::5].rename(columns={"species": "$s$"})
    v = pc.cross_validate("`$s$` ~ .", data, "knn", k=[1, 5], cv=3, measure="balanced")
    result, ax = v.permutation_test(resamples=29), axes()
    assert result.plot(ax=ax) is ax
    assert sum(bar.get_height() for bar in ax.patches) == 29
    assert any(np.allclose(line.get_xdata(), result.error) for line in ax.lines)
    assert any(f"p = {result.p_value:.3g}" in text.get_text() for text in ax.get_legend().get_texts())
    ax.figure.canvas.draw()
    with pytest.raises(pc.errors.OptionError, match=r"plot\(\) has no argument 'bins'"):
        result.plot(bins=3)


@pytest.fixture(scope="module")
def exact(iris):
    return pc.fit("species ~ .", iris, eps=1.0, solver="exact")


def list_marks(ax):
    """Marks of Axes, as (x, y, form, colour, whether they are full)."""
    return {
        (round(float(x), 6), float(y), line.get_marker(), to_hex(line.get_color()), line.get_markerfacecolor() != "none")
        for line in ax.lines
        if line.get_linestyle() == "None"
        for x, y in zip(*line.get_data(), strict=True)
    }


def test_costs_of_alternatives_are_marks_and_the_dotted_line_is_the_limit(exact):
    result = exact.alternatives(within=0.1)
    expected = set()
    for order, (_, row) in enumerate(result.table.iterrows(), start=1):
        k = exact.classes.index(row["class"])
        costs = [(row["cost_without"], True), *((cost, False) for cost in row["substitutes"].values())]
        expected |= {(round(cost, 6), float(order), mark(k), to_hex(colour(k)), full) for cost, full in costs}
    assert sum(not full for *_, full in expected) > 3
    ax = result.plot(ax=axes())
    assert list_marks(ax) == expected
    (limit,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert set(limit.get_xdata()) == {0.1 * result.optimum.most}
    assert ax.get_xlabel() == "added cost\n(dotted: 10 % above the optimum)"
    first = result.table.iloc[0]
    assert ax.get_yticklabels()[0].get_text() == f"{first.name}, {first['verdict']}"
    assert find_faults(ax.figure) == []
    table = result.table.copy()  # a cost that is not settled has a line between its bounds
    table["at_least"] = table["cost_without"] - np.where(np.arange(len(table)) == 1, 0.75, 0.0)
    (bounds,) = [part.get_segments() for part in analyses.alternatives(replace(result, table=table), axes()).collections]
    np.testing.assert_allclose(bounds, [[(table["at_least"].iloc[1], 2), (table["cost_without"].iloc[1], 2)]])
    many = pd.concat([result.table] * 3)[:21]  # verdicts by class
    ax = analyses.alternatives(replace(result, table=many), axes())
    counts = pd.crosstab(many["class"], many["verdict"])
    assert [bar.get_width() for bar in ax.patches] == counts.T.to_numpy().ravel().tolist()
    assert find_faults(ax.figure) == []


def test_criticisms_of_polars_rows(iris):
    fit = pc.fit("species ~ .", pl.from_pandas(iris), eps=1.0)
    assert len(fit.criticisms(n=3).plot().get_yticks()) == 3


def test_criticisms_and_stability_have_a_mark_for_each_row(exact, iris):
    found = exact.criticisms(n=5)
    ax = found.plot(ax=axes())
    margins = sorted(x for line in ax.lines[1:] for x in line.get_xdata())
    assert margins == pytest.approx(sorted(exact.augment().loc[found.table.index, "margin"]))
    assert [text.get_text() for text in ax.get_yticklabels()] == [f"{label}: {why}" for label, why in found.table["reason"].items()]
    stable = exact.stability(resamples=4, progress=False)
    full = {(x, y) for x, y, _, _, full in list_marks(stable.plot(ax=axes())) if full}
    assert full == {(round(rate, 6), k + 1.0) for k, rate in enumerate(stable.prototypes["ball_hit_rate"])}
