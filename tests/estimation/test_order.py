"""The order of the rows: what depends on it are choices among equals, and with order="values" nothing does."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.models.registry import BUILT_IN


def shuffled(data, seed):
    return data.iloc[np.random.default_rng(seed).permutation(len(data))]


def tuned(method):
    return {name: list(values) for name, values in BUILT_IN[method].example.items()} | (
        {"matrix": "none"} if method == "medianglvq" else {}
    )


@pytest.fixture(scope="module")
def rounded():
    """Rows with many ties, among them rows equal in all, on labels that are not sorted."""
    data = pc.load_data("iris").iloc[::2].round(0).assign(site=list("abcde") * 15)
    return data.set_axis([f"plant {k * 7 % 75}" for k in range(75)])


@pytest.mark.parametrize("method", list(BUILT_IN))
def test_no_method_depends_on_the_order_of_the_rows_by_values(rounded, method):
    def fitted(data):
        return pc.fit("species ~ . - site", data, method, cv=3, order="values", **tuned(method))

    one = fitted(rounded)
    for seed in range(2):
        data = shuffled(rounded, seed)
        other = fitted(data)
        assert other.prototypes.equals(one.prototypes)
        assert other.validation.table.equals(one.validation.table)
        for answer in ("predict", "augment"):
            assert getattr(other, answer)().index.equals(data.index)
            pd.testing.assert_frame_equal(
                pd.DataFrame(getattr(other, answer)()).loc[rounded.index], pd.DataFrame(getattr(one, answer)())
            )
        for kind in one.rule.kinds:
            assert other.predict(rounded, kind).equals(one.predict(rounded, kind)), kind
        assert other.validation.held_out.index.equals(data.index)
        assert other.validation.held_out.loc[rounded.index].equals(one.validation.held_out)
        assert other.validation.folds.loc[rounded.index].equals(one.validation.folds)


@pytest.mark.parametrize(
    "options",
    [
        {"formula": "species ~ .", "weights": "w"},
        {"formula": "species ~ poly(sepal_length, 2) + scale(petal_width)", "dissimilarity": "manhattan"},
        {"formula": "species ~ . - w", "dissimilarity": "gower", "na": "keep"},
        {"formula": "species ~ sepal_length", "candidates": 20},
        {"formula": "species ~ sepal_length", "dissimilarity": pc.Euclidean(scale="fold"), "candidates": pc.kmeans(2)},
        {"formula": "species ~ sepal_length", "groups": "site"},
        {"formula": "species ~ petal_width", "repeats": 2, "dissimilarity": pc.Ranks("manhattan")},
        {"formula": "species ~ petal_width", "solver": "rounding"},
    ],
)
def test_nor_does_what_else_a_fit_depends_on(rounded, options):
    data = rounded.assign(w=np.arange(75) % 3 + 0.5)
    if options.get("na") == "keep":
        data.iloc[5, 0] = np.nan
    arguments = {"eps": [0.8, 1.2], "cv": 3, "order": "values", **options}
    formula = arguments.pop("formula")
    one, other = (pc.fit(formula, d, **arguments) for d in (data, shuffled(data, 1)))
    assert other.prototypes.equals(one.prototypes)
    assert other.validation.table.equals(one.validation.table)
    held = other.validation.held_out
    expected = one.validation.held_out
    assert held.sort_index().equals(expected.sort_index())
    assert other.predict(data).equals(one.predict(data))


def test_given_dissimilarities_go_by_label(rounded):
    matrix = pc.dissimilarity("species ~ . - site", rounded).frame()
    one = pc.fit("species ~ 1", rounded, dissimilarity=matrix, order="values", repeats=1)
    other = pc.fit("species ~ 1", shuffled(rounded, 3), dissimilarity=matrix, order="values", repeats=1)
    assert other.prototypes.index.equals(one.prototypes.index)
    assert other.predict().loc[rounded.index].equals(one.predict())


def test_the_order_of_the_data_is_the_default_and_decides_ties(rounded):
    one = pc.fit("species ~ . - site", rounded, "scm", kind="conjunction", penalty=2.0, stop=4)
    assert one.prototypes.equals(one.update(order="data").prototypes)
    with pytest.raises(pc.OptionError, match="order must be 'data' or 'values', not 'sorted'"):
        one.update(order="sorted")
    differ = 0
    for seed in range(4):
        other = one.update(data=shuffled(rounded, seed))
        for a, b in zip(one.rule.machines, other.rule.machines, strict=True):
            a, b = a.machine, b.machine
            names_a = [(k, one.prototypes.index[i]) for k, i in zip(a.kind, a.at, strict=True)]
            names_b = [(k, other.prototypes.index[i]) for k, i in zip(b.kind, b.at, strict=True)]
            first = next((s for s in range(min(len(a), len(b))) if names_a[s] != names_b[s]), None)
            if first is not None:  # what is chosen there is worth exactly as much
                differ += 1
                assert (a.q[first], a.r[first]) == (b.q[first], b.r[first])
    assert differ > 0


def test_labels_of_several_types_are_sorted_too(rounded):
    data = rounded.set_axis([*range(70), "a", "b", ("c", 1), 2.5, None])
    data = data.set_axis(pd.Index(data.index.tolist(), tupleize_cols=False))
    one, other = (pc.fit("species ~ . - site", d, eps=1.0, order="values") for d in (data, shuffled(data, 5)))
    assert one.prototypes.equals(other.prototypes)
