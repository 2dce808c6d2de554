"""Options of the session: what they change, what is refused, and that they are restored."""

import re
import sys

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from tqdm import notebook

import protoclass as pc
from protoclass.ground.options import COLOURS, bar
from protoclass.pictures.style import colour, mark

NUMBER = re.compile(r"\d+\.\d+")


@pytest.fixture(autouse=True)
def _reset():
    yield
    pc.options.reset()


def decimals(text):
    """The largest number of decimals of a text."""
    return max(len(number.split(".")[1]) for number in NUMBER.findall(text))


def test_options_are_set_restored_and_reset():
    pc.options.digits = 3
    with pc.options(digits=6, progress=False) as inside:
        assert inside is pc.options
        assert (pc.options.digits, pc.options.progress) == (6, False)
        with pc.options(digits=2):
            assert pc.options.digits == 2
        assert pc.options.digits == 6
    assert (pc.options.digits, pc.options.progress) == (3, None)
    with pytest.raises(ZeroDivisionError), pc.options(progress=True):
        raise ZeroDivisionError
    assert pc.options.progress is None
    pc.options(progress=False, colours=["red", "blue"])  # as R's options(): it stays
    assert repr(pc.options) == "options: 2 colours (#FF0000, #0000FF), progress=False, digits=3"
    pc.options.reset("digits")
    assert (pc.options.digits, pc.options.progress) == (None, False)
    pc.options.reset()
    assert (pc.options.colours, pc.options.progress, pc.options.digits) == (COLOURS, None, None)
    assert {"colours", "progress", "digits"} <= set(dir(pc.options))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"digits": 0}, "digits must be a whole number >= 1 and <= 15, not 0"),
        ({"progress": "no"}, "progress must be None, True or False, not 'no'"),
        ({"colours": "tab10"}, "a list of two different"), ({"colours": ["red", "nothing"]}, "'nothing'"),
        ({"colours": ["red", (0, 0, 1, 0.5)]}, "opaque"),
        ({"colours": 7}, r"colours must be a list of two different opaque.*as \['#0072B2',.*, not 7 \('int' object is not"),
        ({"digit": 3}, "options.. has no argument 'digit': did you mean 'digits'.; its arguments are colours, progress, digits"),
        ({"verbose": False}, "use progress="), ({"z": 1}, "options.. has no argument 'z': its arguments are"),
    ],
)  # fmt: skip
def test_what_is_not_allowed_changes_nothing(changes, words):
    with pytest.raises(pc.errors.OptionError, match=words):
        pc.options(**{"digits": 5, **changes})
    for name, value in changes.items():
        with pytest.raises(pc.errors.OptionError, match=words):
            setattr(pc.options, name, value)
    assert (pc.options.colours, pc.options.progress, pc.options.digits) == (COLOURS, None, None)


def test_an_unknown_option_can_be_neither_read_nor_reset_nor_given_by_place():
    with pytest.raises(pc.errors.NotAvailableError, match="options has no 'colors': did you mean 'colours'"):
        pc.options.colors  # noqa: B018 - reading it raises
    with pytest.raises(pc.errors.OptionError, match=r"options.reset\(\) has no argument 'all'"):
        pc.options.reset("all")
    with pytest.raises(pc.errors.OptionError, match=r"options\(\) takes options by name, not 'digits': use options\(digits=3\)"):
        pc.options("digits")
    assert not hasattr(pc.options, "colors")


def test_digits_are_those_of_print_and_summary(iris):
    fit = pc.fit("species ~ .", iris, eps=[0.8, 1.0, 1.2], cv=3, dissimilarity="euclidean", repeats=1)
    test = fit.test(iris)
    compared = pc.compare("species ~ .", iris, [pc.PVM(eps=[0.8, 1.0]), "knn"], cv=3)
    shown = [lambda: repr(fit), lambda: str(fit.validation), lambda: repr(test), lambda: str(test.summary()),
             lambda: repr(fit.test(iris.assign(g=np.resize(list("ab"), 150)), by="g")),
             lambda: repr(compared)]  # fmt: skip
    usual = [show() for show in shown]
    assert not re.search(r"\.\d*[1-9]\d{3}", compared._repr_html_())  # three digits in a notebook
    with pc.options(digits=1):  # a printed fit has two decimals by default
        few = [show() for show in shown]
    with pc.options(digits=9):
        many = [show() for show in shown]
    for one, two, three in zip(few, usual, many, strict=True):
        assert decimals(one) < decimals(two) < decimals(three)
    assert [show() for show in shown] == usual
    error = fit.validation.table["error"].iloc[fit._selection.point]
    assert f"cross-validated {error:.1f}," in few[0]
    assert f"cross-validated {error:.9f}," in many[0]
    with pc.options(digits=2):  # frames hold all digits
        assert fit.glance()["cv_error"].iloc[0] == error


def test_progress_none_means_the_option(iris, capsys, monkeypatch):
    with bar(3, "working", None) as working:  # into a file
        assert working.disable
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for option, given, disabled in ((None, None, False), (False, None, True), (False, True, False), (True, False, True)):
        with pc.options(progress=option), bar(3, "working", given) as working:
            assert bool(working.disable) is disabled
            assert disabled or working.delay == (0 if option or given else 1)
    with pc.options(progress=True):
        pc.fit("species ~ .", iris, eps=[0.8, 1.2], cv=3, dissimilarity="euclidean", repeats=1)
    assert "cross-validating" in capsys.readouterr().err
    with pc.options(progress=True):
        pc.fit("species ~ .", iris, eps=[0.8, 1.2], cv=3, progress=False, dissimilarity="euclidean", repeats=1)
    assert capsys.readouterr().err == ""


def test_a_notebook_shows_time_alone_where_no_share_is_known(monkeypatch):
    monkeypatch.setattr("tqdm.auto.tqdm", notebook.tqdm)
    with bar(3, "fitting", None) as steps:
        assert not steps.disable
    with bar(None, "fitting", True) as steps:
        assert steps.container.children[1].layout.display == "none"


def test_colours_are_those_of_pictures_and_explorers(iris):
    from protoclass.widgets.content import describe
    from protoclass.widgets.prototypes import PrototypeExplorer

    fit = pc.fit("species ~ petal_length + petal_width", iris, eps=1.0)
    own = ["#123456", "olive", (1.0, 0.5, 0.0)]
    with pc.options(colours=own):
        ax = fit.plot(ax=Figure().subplots())
        explorer = PrototypeExplorer(fit)
        told = describe(explorer._content, explorer._album)["classes"]
    drawn = {to_hex(c) for collection in ax.collections for c in collection.get_facecolor()}
    assert {to_hex(c) for c in own} <= drawn
    assert not drawn & {c.lower() for c in COLOURS[:3]}
    assert [to_hex(level["colour"]) for level in told] == [to_hex(c) for c in own]


@pytest.mark.parametrize("count", [2, 3, 11, 12])
def test_no_two_classes_share_colour_and_mark(count):
    with pc.options(colours=[(k / 20, 0.5, 0.1) for k in range(count)]):
        assert len({(colour(k), mark(k)) for k in range(count * 11)}) == count * 11
