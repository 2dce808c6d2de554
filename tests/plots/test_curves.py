"""Error curves and heat maps: where their axes end, what is shaded, and what they say."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import protoclass as pc


def axes():
    return Figure(layout="constrained").subplots()


def words_of(ax):
    return [text.get_text() for text in ax.texts]


def test_the_axis_of_the_errors_ends_at_the_data_whatever_else_there_is_to_say(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.5, 0.8, 1.0], cv=5, dissimilarity="euclidean", repeats=1)
    ax = v.plot(ax=axes())
    table = v.table
    assert (table["error"] + table["se"]).max() < ax.get_ylim()[1] < 1.2 * (table["error"] + table["se"]).max()
    assert ax.get_ylim()[0] < (table["error"] - table["se"]).min()
    assert words_of(ax) == ["no-information error: 0.667 (above)"]  # at the edge, not on the axis
    assert not any(0.6 < y < 0.7 for line in ax.lines for y in np.atleast_1d(line.get_ydata()))
    (strip,) = [child for child in ax.child_axes if child.lines]
    np.testing.assert_allclose(strip.lines[0].get_xydata(), table[["eps", "cover_error"]])
    assert strip.get_ylim()[1] >= table["cover_error"].max()
    assert strip.get_xlim() == ax.get_xlim()
    high = pc.cross_validate("species ~ .", iris, eps=[0.5, 4.0, 6.0], cv=5, dissimilarity="euclidean", repeats=1).plot(ax=axes())
    assert high.get_ylim()[1] > 0.667
    assert words_of(high) == ["no-information error: 0.667"]


def test_the_curve_says_what_was_chosen_and_shades_what_is_within_a_standard_error(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.3, 0.5, 0.7, 1.0, 1.5], cv=5, dissimilarity="euclidean", repeats=1)
    ax = v.plot(ax=axes())
    best, choice = v.table.iloc[v.best], v.table.iloc[v.one_se]
    (band,) = [patch for patch in ax.patches if "within 1 SE" in str(patch.get_label())]
    ends = band.get_y(), band.get_y() + band.get_height()
    assert ends == pytest.approx((best["error"], best["error"] + best["se"]))
    assert ends[0] <= choice["error"] <= ends[1]
    title = ax.get_title().replace("\n", " ")
    assert f"eps = {choice['eps']:.3g}: error {choice['error']:.3g} (SE {choice['se']:.3g})" in title
    assert f"{choice['size']:.3g} prototypes per fold on average" in title


def test_a_heat_map_has_the_errors_as_numbers_and_shades_that_differ(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.3, 0.6, 0.9, 4.0], lambda_=[0.1, 1.0, 4.0], cv=3,
        dissimilarity="euclidean", repeats=1)
    ax = v.plot(("eps", "lambda_"), ax=axes())
    cells = v.table.pivot(index="lambda_", columns="eps", values="error").to_numpy()
    limit = v.table["error"].iloc[v.best] + v.table["se"].iloc[v.best]
    for text in ax.texts:
        x, y = map(round, text.get_position())
        assert float(text.get_text().strip("()")) == pytest.approx(cells[y, x], abs=6e-4)
        assert text.get_text().startswith("(") == (cells[y, x] <= limit)
    assert len(ax.texts) == 12
    low = ax.images[0].get_clim()[0]
    assert low == cells.min()
    shades = {tuple(ax.images[0].to_rgba(value)) for value in np.unique(cells[cells < 3 * cells.min() + 0.05])}
    assert len(shades) == len(np.unique(cells[cells < 3 * cells.min() + 0.05]))


def test_a_point_far_from_all_others_does_not_take_half_of_the_axis(iris):
    """A radius a tenth of all others: the gap is narrow and broken, which is said; other places, a strip and the top stay true."""
    eps = [0.06, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    v = pc.cross_validate("species ~ .", iris, eps=eps, cv=5, dissimilarity="euclidean", repeats=1)
    ax = v.plot(ax=axes())
    ax.figure.canvas.draw()
    assert ax.get_xlabel() == "radius eps of the balls (log scale, broken from 0.06 to 0.5)"
    at = ax.transData.transform(np.column_stack([eps, eps]))[:, 0]
    assert (at[1] - at[0]) / (at[-1] - at[0]) == pytest.approx(0.12 / 1.12)
    true = np.log(eps[1:])
    np.testing.assert_allclose((at[1:] - at[1]) / (at[-1] - at[1]), (true - true[0]) / (true[-1] - true[0]), atol=1e-9)
    names = [text.get_text() for text in ax.child_axes[1].get_xticklabels()]
    assert names == ["0.06", "0.5", "0.7", "1"]
    for part in ax.child_axes:  # the sizes above, and the strip below
        np.testing.assert_allclose(part.transData.transform(np.column_stack([eps, eps]))[:, 0], at, atol=0.5)
    assert "broken from" in v.plot("size", ax=axes()).get_xlabel()
    near = pc.cross_validate("species ~ .", iris, eps=eps[1:], cv=5, dissimilarity="euclidean", repeats=1).plot(ax=axes())
    assert near.get_xlabel() == "radius eps of the balls"


def test_gaps_are_broken_where_one_is_wide_and_alone():
    from protoclass.views.curve import find_gaps, lie_far_above

    assert find_gaps(np.array([9.0, 1, 2, 3, 4])).tolist() == [[4, 9]]
    assert find_gaps(np.array([-8.0, 1, 2, 3, 4, 12])).tolist() == [[-8, 1], [4, 12]]
    assert find_gaps(2.0 ** np.arange(8)).tolist() == []  # each twice as far as the one before: no point is alone
    assert find_gaps(np.array([0.0, 1, 2, 9])).tolist() == []
    errors = np.array([0.1, 0.2, 0.3, 0.4, 2.0, 1.9])
    assert lie_far_above(errors, np.array([0, 1, 2, 3, 4, 4])).tolist() == [False] * 4 + [True] * 2
    assert not lie_far_above(errors, np.arange(6.0)).any()  # two points of a curve


def test_an_error_far_above_all_others_is_a_mark_at_the_edge_with_its_number(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 6.0], cv=5, dissimilarity="euclidean", repeats=1)
    for x in (None, "size"):
        ax = v.plot(x, ax=axes())
        near = v.table.iloc[:-1]
        assert (near["error"] + near["se"]).max() < ax.get_ylim()[1] < 1.2 * (near["error"] + near["se"]).max()
        assert words_of(ax) == [f"{v.table['error'].iloc[-1]:.3g}\n(above)", "no-information error: 0.667 (above)"]
    assert v.table["error"].iloc[-1] > 0.6
