"""Error curves: where their axes end, what is shaded, and what they say."""

from matplotlib.figure import Figure

import protoclass as pc


def axes():
    return Figure(layout="constrained").subplots()


def test_the_axis_of_the_errors_ends_at_the_data_and_the_legend_names_two_lines(iris):
    v = pc.cross_validate("species ~ .", iris, eps=[0.5, 0.8, 1.0], cv=5, dissimilarity="euclidean", repeats=1)
    ax = v.plot(ax=axes())
    table = v.table
    assert (table["error"] + table["se"]).max() < ax.get_ylim()[1] < 1.2 * (table["error"] + table["se"]).max()
    assert ax.get_ylim()[0] < (table["error"] - table["se"]).min()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["minimum error", "1-SE choice"]


def test_the_curve_says_what_was_chosen(iris):
    options = {"eps": [0.3, 0.5, 0.7, 1.0, 1.5], "cv": 5, "dissimilarity": "euclidean", "repeats": 1}
    for choose, rule in (("1se", "1-SE rule"), ("min", "lowest error")):
        fit = pc.fit("species ~ .", iris, choose=choose, **options)
        choice = fit.validation.selected(choose)
        rates = [f"{100 * choice[name]:.1f} %" for name in ("error", "se")]
        words = f"eps = {choice['eps']:.3g} ({rule}): mean size {choice['size']:.0f}, error {rates[0]} (SE {rates[1]})"
        for ax in (fit.validation.plot(ax=axes()), fit.plot("validation", ax=axes())):
            assert ax.get_title().replace("\n", " ") == words
    assert fit.at(eps=1.5).plot("validation", ax=axes()).get_title().startswith("eps = 1.5 (set by hand)")


def test_pictures_say_that_weights_are_counted(iris):
    rows = iris.iloc[:120]
    fit = pc.fit("species ~ .", rows, eps=1.0, cv=5, class_weights="balanced", dissimilarity="euclidean", repeats=1)
    assert "weighted CV error" in fit.plot(ax=axes()).get_title()
    ax = fit.plot("confusion", ax=axes())
    assert ax.get_xlabel().endswith("cells rounded: weights, or means over repeats")
    assert all(len(text.get_text()) <= 4 for text in ax.texts)
