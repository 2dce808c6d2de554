"""Error curves: where their axes end, what is shaded, and what they say."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import protoclass as pc


def axes():
    return Figure(layout="constrained").subplots()


def words_of(ax):
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    return [text.get_text() for text in ax.texts] + [words for words in entries if "no-information" in words]


def test_the_axis_of_the_errors_ends_at_the_data_whatever_else_there_is_to_say(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.5, 0.8, 1.0], cv=5, dissimilarity="euclidean", repeats=1)
    ax = v.plot(ax=axes())
    table = v.table
    assert (table["error"] + table["se"]).max() < ax.get_ylim()[1] < 1.2 * (table["error"] + table["se"]).max()
    assert ax.get_ylim()[0] < (table["error"] - table["se"]).min()
    assert words_of(ax) == ["no-information error: 0.667 (above)"]  # at the edge, not on the axis
    assert not any(0.6 < y < 0.7 for line in ax.lines for y in np.atleast_1d(line.get_ydata()))
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


def test_errors_are_far_above_the_others_beyond_one_wide_gap():
    from protoclass.views.curve import lie_far_above

    errors = np.array([0.1, 0.2, 0.3, 0.4, 2.0, 1.9])
    assert lie_far_above(errors, np.array([0, 1, 2, 3, 4, 4])).tolist() == [False] * 4 + [True] * 2
    assert not lie_far_above(errors, np.arange(6.0)).any()  # two points of a curve
    assert not lie_far_above(2.0 ** np.arange(8), np.arange(8.0)).any()  # each twice as far as the one before


def test_an_error_far_above_all_others_is_a_mark_at_the_edge_with_its_number(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 6.0], cv=5, dissimilarity="euclidean", repeats=1)
    for x in (None, "size"):
        ax = v.plot(x, ax=axes())
        near = v.table.iloc[:-1]
        assert (near["error"] + near["se"]).max() < ax.get_ylim()[1] < 1.2 * (near["error"] + near["se"]).max()
        assert words_of(ax) == [f"{v.table['error'].iloc[-1]:.3g}\n(above)", "no-information error: 0.667 (above)"]
    assert v.table["error"].iloc[-1] > 0.6
