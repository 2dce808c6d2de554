"""A row in the place of a prototype, against loops over rows and balls, and in the explorer."""

import pytest

import protoclass as pc
from protoclass.widgets.prototypes import PrototypeExplorer


@pytest.fixture(scope="module")
def iris():
    return pc.load_data("iris")


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=1.0, solver="exact")


@pytest.fixture(scope="module")
def result(fit):
    return fit.alternatives(within=0.1, progress=False)


def test_a_swap_and_back_is_the_fit_itself(fit, iris):
    old = fit.prototypes.index[1]
    new = next(row for row in iris.index if row not in fit.prototypes.index and iris["species"][row] == fit.prototypes["class"].iloc[1])
    back = fit.swap(old, new).swap(new, old)
    assert back.prototypes["newly_covered"].tolist() == fit.prototypes["newly_covered"].tolist()
    assert back.objective == fit.objective
    assert back.predict(iris).equals(fit.predict(iris))
    assert fit.swap(old, new).curve is None
    for tuned in (pc.fit("species ~ .", iris, eps=[1.0, 1.5], cv=3,
        dissimilarity="euclidean", repeats=1), pc.fit("species ~ .", iris, eps=1.0, cv=3)):
        other = tuned.swap(tuned.prototypes.index[0], next(row for row in iris.index if row not in tuned.prototypes.index))
        assert other.curve is None  # its error was that of the other prototypes
    assert f"{new} for {old}" in repr(fit.swap(old, new))


def test_what_can_not_be_swapped_is_refused(fit, iris):
    old = fit.prototypes.index[0]
    for call, message in (
        (lambda: fit.swap("none", 3), r"prototype must be a label of fit\.prototypes\.index, not 'none'"),
        (lambda: fit.swap(old, "none"), "'none' is not the label of a candidate"),
        (lambda: fit.swap(old, [3]), "is not the label of a candidate"),
        (lambda: fit.swap(old, old), "is already a prototype of this class"),
    ):
        with pytest.raises(pc.OptionError, match=message):
            call()
    other = next(row for row in iris.index if iris["species"][row] != fit.prototypes["class"].iloc[0])
    with pytest.raises(pc.OptionError, match="is a candidate of another class than"):
        fit.update(candidates="same_class").swap(old, other)
    with pytest.raises(pc.NotAvailable, match="has no prototypes to replace by a row: use 'pvm' or 'medianglvq'"):
        fit.update(method="knn", k=3).swap(0, 1)


def ask(explorer, **deed):
    return explorer.answer({"state": explorer.state, **deed})


@pytest.mark.parametrize("solver", ["exact", "greedy"])
def test_the_explorer_swaps_by_menu_and_by_call(iris, solver):
    fit = pc.fit("species ~ .", iris, eps=1.0, solver=solver)
    result = fit.alternatives(within=0.1, progress=False)
    explorer = PrototypeExplorer(fit, alternatives=result)
    assert ask(explorer)["offers"] == []
    place, row = result.substitutes.loc[0, ["prototype", "substitute"]]
    explorer.selected = place
    offered = [fit.frame.index[point] for _, point in ask(explorer)["offers"]]
    assert offered == list(result.table.loc[place, "substitutes"])
    content, point = explorer.content, fit.frame.index.get_loc(row)
    offers = ask(explorer, swap=point)["offers"]
    assert not explorer.alert
    assert explorer.content != content
    assert explorer.selected == row
    assert row in explorer.fit.prototypes.index
    assert place not in explorer.fit.prototypes.index
    assert offers[0] == (f"{place} (original)", fit.frame.index.get_loc(place))
    explorer.swap(place)
    assert explorer.fit.prototypes.index.tolist() == fit.prototypes.index.tolist()
    explorer.selected = None
    with pytest.raises(pc.OptionError, match="select the prototype"):
        explorer.swap(row)


def test_the_explorer_takes_alternatives_of_its_own_fit_alone(fit, result, iris):
    for wrong in (3, pc.fit("species ~ .", iris, eps=1.0).alternatives(progress=False)):
        with pytest.raises(pc.OptionError, match=r"alternatives=.*fit.alternatives\(\)"):
            PrototypeExplorer(fit, alternatives=wrong)
    explorer = PrototypeExplorer(fit)
    explorer.selected = fit.prototypes.index[0]
    assert ask(explorer)["offers"] == []


def test_the_explorer_lists_rows_that_are_explained_badly(fit, iris):
    listed = fit.criticisms(n=5, progress=False)
    explorer = PrototypeExplorer(fit, criticisms=listed)
    rows = listed.table.index.tolist()
    assert [point for _, point in explorer.parts[0].criticised] == fit.frame.index.get_indexer(rows).tolist()
    for wrong in ("x", pc.fit("species ~ .", iris, eps=1.0).criticisms(progress=False)):
        with pytest.raises(pc.OptionError, match=r"criticisms=.*fit.criticisms\(\)"):
            PrototypeExplorer(fit, criticisms=wrong)


def test_another_fit_drops_what_was_found_for_the_first(fit, result, iris):
    """Substitutes and criticisms are of one fit: those of the first would be wrong beside another."""
    explorer = PrototypeExplorer(fit, alternatives=result, criticisms=fit.criticisms(n=5, progress=False))
    assert explorer.parts[0].criticised
    explorer.fit = pc.fit("species ~ .", iris, eps=0.8)
    assert explorer.parts[0].criticised == []
    explorer.selected = explorer.fit.prototypes.index[0]
    assert ask(explorer)["offers"] == []


def test_a_swap_keeps_what_was_found_for_the_fit(fit, result):
    explorer = PrototypeExplorer(fit, alternatives=result, criticisms=fit.criticisms(n=5, progress=False))
    before = explorer.parts[0].criticised
    explorer.selected, row = result.substitutes.loc[0, ["prototype", "substitute"]]
    explorer.swap(row)
    assert explorer.parts[0].criticised == before != []
    assert ask(explorer)["offers"]
