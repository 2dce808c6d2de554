"""A row in the place of a prototype, against loops over rows and balls, and in the explorer."""

import pytest

import protoclass as pc


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
