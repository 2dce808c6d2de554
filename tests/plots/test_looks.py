"""How figures look: words that can be read, are not cut and do not overlap, on Axes of any size and in any style."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from looks import find_faults
from matplotlib.figure import Figure
from pictures import long_labels

import protoclass as pc
from protoclass.ground.text import list_short
from protoclass.pictures.style import framed, list_named, name_ticks


@pytest.fixture(scope="module")
def fits(iris):
    return {
        "iris": pc.fit("species ~ .", iris, eps=[0.5, 0.7, 1.0, 1.5], cv=3, dissimilarity="euclidean", repeats=1),
        "long": pc.fit("`the class of each row, in words` ~ .", long_labels(), eps=[0.6, 0.8, 1.2], cv=3),
    }


@pytest.mark.parametrize(
    ("name", "kind", "size", "style"),
    [
        ("iris", "prototypes", (6.4, 4.8), "dark_background"), ("iris", "validation", (2.8, 2.1), "default"),
        ("iris", "path", (6.4, 4.8), "default"), ("iris", "confusion", (2.8, 2.1), "dark_background"),
        ("long", "prototypes", (2.8, 2.1), "default"), ("long", "validation", (6.4, 4.8), "dark_background"),
        ("long", "path", (14.0, 10.0), "default"), ("long", "confusion", (6.4, 4.8), "default"),
    ],
)  # fmt: skip
def test_words_are_read_whole_and_apart(fits, name, kind, size, style):
    """A part of what `make pictures` draws."""
    with mpl.style.context(style):
        ax = Figure(figsize=size).subplots()  # without a layout
        fits[name].plot(kind, ax=ax)
        assert find_faults(ax.figure) == []


@pytest.mark.parametrize("kind", ["validation", "confusion", "map"])
def test_small_figures_leave_out_what_has_no_room(fits, kind):
    """Letters that can be read, twelve long names, and Axes that keep their room, also at the resolution of a screen with small pixels."""
    ax = Figure(figsize=(2.4, 1.8)).subplots()
    fits["long"].plot(kind, ax=ax)
    assert find_faults(ax.figure) == []
    ax.figure.set_dpi(200)
    assert [fault for fault in find_faults(ax.figure) if not fault.startswith("overlap")] == []
    texts = [] if ax.get_legend() is None else [text.get_text() for text in ax.get_legend().get_texts()]
    if kind == "map":
        assert texts[-1] == f"and {12 - len(texts) + 1} more"
    elif kind == "validation":
        assert not ax.child_axes  # no second scale
    else:
        assert not ax.texts
        assert "of 12 named)" in " ".join(ax.get_ylabel().split())


def test_faults_are_found():
    """What is measured sees a word that is cut, two that overlap, one that is pale, a pale line, and Axes without room."""
    figure = Figure(figsize=(4, 3))
    ax = figure.add_subplot()
    ax.text(0.9, 0.5, "words that go far beyond the right end", transform=ax.transAxes)
    ax.text(0.1, 0.5, "one word")
    ax.text(0.12, 0.51, "another")
    ax.text(0.1, 0.9, "pale", color="#dddddd")
    ax.plot([0, 1], [0, 1], color="yellow")
    ax.text(0.5, 0.1, "small", fontsize=5.0)
    found = " ".join(find_faults(figure))
    marks = ("contrast 1.1: line", "tiny: 'small' has 5.0 points")
    for word in ("cut: 'words that go", "overlap: 'one word' and 'another'", "contrast 1.4: 'pale'", *marks):
        assert word in found
    figure = Figure(figsize=(4, 3))
    figure.subplots(gridspec_kw={"right": 0.3})
    assert "room: Axes take" in find_faults(figure)[-1]


def test_letters_are_smaller_on_small_axes_and_otherwise_those_of_the_user(fits):
    def sizes(inches, points):
        with mpl.rc_context({"font.size": points}):
            ax = fits["iris"].plot("validation", ax=Figure(figsize=inches).subplots())
            ax.figure.canvas.draw()
            texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels(), *ax.get_yticklabels()]
            return {round(text.get_fontsize(), 3) for text in texts}

    assert sizes((6.4, 4.8), 10.0) == sizes((16.0, 12.0), 10.0) == {10.0}
    assert sizes((6.4, 4.8), 14.0) == {14.0}
    (small,) = sizes((2.4, 1.8), 10.0)
    assert 6 < small < 9
    (own,) = {text.get_fontsize() for text in [fits["iris"].plot("validation").title]}
    assert own == 10.0


def test_what_is_on_axes_already_keeps_its_size(fits):
    ax = Figure(figsize=(2.4, 1.8)).subplots()
    (line,) = ax.plot([0, 1], [0, 1], lw=5.0, ms=20.0)
    fits["iris"].plot(ax=ax)
    assert (line.get_linewidth(), line.get_markersize()) == (5.0, 20.0)


def test_names_are_cut_and_stay_different_and_tables_have_all_of_them():
    names = [f"a class with a long name, number {k}, of twelve such classes" for k in range(12)]
    short = list_named(names)
    assert len(set(short)) == 12
    assert max(map(len, short)) < 35
    assert list_short(["u", "u"], 10) == ["u", "u"]


def test_classes_are_named_in_a_legend_and_those_beyond_some_are_counted(fits):
    ax = fits["iris"].plot(ax=Figure(figsize=(6.4, 4.8)).subplots())
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[:3] == list(fits["iris"].classes)
    y = np.repeat(np.arange(24), 3)
    data = pd.DataFrame({"a": y % 6, "b": y // 6}).assign(y=[f"class {v:02d}" for v in y])
    many = pc.fit("y ~ .", data, eps=0.1, dissimilarity="euclidean")
    ax = many.plot()
    assert find_faults(ax.figure) == []
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[:19] == [f"class {v:02d}" for v in range(19)]
    assert texts[19:] == ["and 7 more"]  # five classes, the prototypes and the lines


@pytest.mark.parametrize(("height", "which"), [(1.5, "y"), (1.5, "x"), (6.0, "y")])
def test_names_without_room_are_left_out_and_counted(height, which):
    ax = Figure(figsize=(height, height)).subplots()
    axis = getattr(ax, f"{which}axis")
    name_ticks(axis, [f"a name {k}" for k in range(20)], "rows")
    names = [text.get_text() for text in axis.get_ticklabels()]
    if height > 2:
        assert (len(names), axis.get_label_text()) == (20, "rows")
    else:
        assert 1 < len(names) < 10
        assert axis.get_label_text() == f"rows ({len(names)} of 20 named)"


def test_an_axis_of_small_axes_beside_long_names_keeps_a_tick_at_each_end():
    figure = Figure(figsize=(2.4, 1.8))
    ax = pc.fit("cultivar ~ .", pc.load_data("wine"), eps=2.98).criticisms().plot(ax=figure.subplots())
    assert len(ax.get_xticks()) > 1
    assert find_faults(figure) == []


def test_a_square_with_a_long_legend_is_whole_in_a_large_figure(iris):
    data = long_labels()
    test = pc.fit("`the class of each row, in words` ~ .", data.iloc[::2], "knn", k=5).test(data.iloc[1::2])
    ax = test.plot("roc", ax=Figure(figsize=(14.0, 10.0)).subplots())
    assert find_faults(ax.figure) == []


def test_counts_have_whole_ticks(iris):
    fit = pc.fit("species ~ .", iris, "scm", features="stumps", kind="disjunction", penalty=2.0, max_size=4)
    ax = fit.plot("path", ax=Figure(figsize=(6.4, 4.8)).subplots(), cv=None)
    ax.figure.canvas.draw()
    ticks = [tick for tick in ax.get_xticks() if ax.get_xlim()[0] <= tick <= ax.get_xlim()[1]]
    assert len(ticks) > 1
    assert all(float(tick).is_integer() for tick in ticks)


def test_a_plot_keeps_the_settings_of_the_backend_that_it_loads():
    """The backend of notebooks turns `interactive` on with the first figure, and shows no figure without it."""
    with mpl.rc_context({"interactive": False}):
        framed(lambda ax=None: (mpl.interactive(True), Figure())[1])()
        assert mpl.is_interactive()
