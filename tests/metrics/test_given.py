"""Given matrices that are similarities, and those that only look odd."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc


@pytest.fixture
def D(iris):
    return pc.dissimilarity("species ~ .", iris).frame()


def test_similarities_are_refused_and_their_conversion_serves(iris, D):
    similar = 1 / (1 + D)
    wide = similar.iloc[:, 20:90]
    partly = wide.set_axis([f"c{j}" if j < 80 else j for j in wide.columns], axis=1)  # ten columns are rows
    for S, rows in (
        (similar, 150), (similar.to_numpy(), 150), (similar.to_numpy().tolist(), 150), (-D + D.to_numpy().max(), 150),
        (np.exp(-(D**2)).astype("f4"), 150), (wide, 70), (partly, 10), (pc.Ranks(similar), 150),
    ):  # fmt: skip
        for method in ("pvm", "knn", "kmedoids"):
            if S is partly and method != "pvm":
                continue
            with pytest.raises(pc.errors.DataError, match=rf"of {rows} rows are farther from themselves .*\.from_similarity\(S\)"):
                pc.fit("species ~ 1", iris, method, dissimilarity=S)
    right = 1 / similar - 1
    fit = pc.fit("species ~ 1", iris, dissimilarity=right, eps=1.0)
    assert fit.prototypes["class"].nunique() == 3
    assert fit.prototypes.index.tolist() == pc.fit("species ~ .", iris, eps=1.0).prototypes.index.tolist()


def test_one_row_is_enough_and_the_message_names_it(iris, D):
    D.loc[7, 7] = 0.5
    nearest = D.loc[7].drop(7).idxmin()
    with pytest.raises(
        pc.errors.DataError, match=rf"1 of 150 rows .* the first 7 \(0.5 from itself and {D.loc[7].min():.4g} from {nearest}\)\."
    ):
        pc.dissimilarity("~ 1", iris[["species"]], D)


def test_what_only_looks_odd_is_accepted(iris, D):
    draw = np.random.default_rng(0)
    X = iris.iloc[:, :4].to_numpy()
    kernel = X @ X.T * 1e6 + 1e9  # rounding leaves duplicates at some distance, or a row from itself
    rounded = np.sqrt(np.maximum(0, np.add.outer(kernel.diagonal(), kernel.diagonal()) - 2 * kernel * (1 + 1e-16)))
    rounded += draw.random(rounded.shape) * 1e-8 * rounded.max()
    apart = D.to_numpy()[np.triu_indices(150, 1)]
    for matrix in (
        D * draw.uniform(1, 3, D.shape),  # asymmetric, with duplicates at 0
        D + 0.05,  # a diagonal that is not 0, and the least of each row
        D.iloc[:, :30].set_axis([f"c{j}" for j in range(30)], axis=1),
        1 / (1 + D.iloc[:, :30].set_axis([f"c{j}" for j in range(30)], axis=1)),  # no candidate is a row: not to be known
        apart,
        D.astype("f4"),
        pd.DataFrame(np.ones((150, 150))),
        rounded,
        np.sqrt((D.astype("f4") ** 2 + np.float32(1e-6)).astype("f4")),
        pc.Dissimilarity.from_kernel(kernel).frame(),
    ):
        measured = pc.dissimilarity("~ 1", iris[["species"]], matrix)
        assert measured.shape[0] == 150
    links = pd.DataFrame([[0, 3, 1], [3, 0, 2], [1, 2, 0]], list("abc"), list("abc"))  # strengths to others only
    assert pc.Dissimilarity.from_similarity(links).frame().loc["a", "a"] == 3


LOWER = np.tril(np.ones((150, 150), bool))


@pytest.mark.parametrize("mask", [LOWER, LOWER.T, LOWER ^ np.eye(150, dtype=bool), ~LOWER, ~np.eye(150, dtype=bool)])
def test_a_missing_triangle_is_that_of_the_other(iris, D, mask):
    values = np.where(mask, D, np.nan)
    names = [f"r{i}" for i in range(150)]
    named = pd.DataFrame(values, names, names).sample(frac=1, axis=1, random_state=0)
    for matrix, data in ((values, iris), (np.ma.masked_array(D, ~mask), iris), (pd.DataFrame(values), iris), (named, iris.set_axis(names))):
        full = pc.dissimilarity("~ 1", data, matrix).frame()
        np.testing.assert_array_equal(full.loc[data.index, data.index], D)
    found = pc.compare("species ~ 1", iris, [pc.KNN(k=1)], dissimilarity=values, cv=3)
    assert found.table["wrong"].tolist() == pc.compare("species ~ 1", iris, [pc.KNN(k=1)], dissimilarity=D, cv=3).table["wrong"].tolist()


def test_a_triangle_of_zeros_and_values_for_some_pairs_are_refused(iris, D):
    for side, zeros in (("upper", np.tril(D)), ("lower", np.triu(D)), ("upper", np.tril(D, -1))):
        for matrix in (zeros, zeros.tolist(), pd.DataFrame(zeros), pd.DataFrame(zeros).iloc[:, ::-1], pc.Ranks(zeros)):
            with pytest.raises(pc.errors.DataError, match=rf"the {side} triangle .* is 0, but the other is not: use D \+ D\.T"):
                pc.cross_validate("species ~ 1", iris, "knn", k=3, dissimilarity=matrix)
    for gaps in ([(0, 1)], [(0, 1), (1, 0)], [(3, 3)]):
        some = D.to_numpy().copy()
        some[tuple(zip(*gaps, strict=True))] = np.nan
        with pytest.raises(
            pc.errors.DataError, match=f"{len(gaps)} dissimilarities are missing, .*in both directions or all in one triangle"
        ):
            pc.dissimilarity("~ 1", iris, some)


def test_pairs_and_condensed_columns_are_matrices(iris, D):
    pairs = D.stack().reset_index()
    condensed = pc.dissimilarity("~ . - species", iris).condensed()
    for matrix in (
        pairs, pairs[pairs["level_0"] > pairs["level_1"]], pairs[pairs["level_0"] <= pairs["level_1"]],
        pairs.sample(frac=1, random_state=0), pd.Series(condensed), pd.DataFrame({"x": condensed}), condensed[:, None],
    ):  # fmt: skip
        np.testing.assert_array_equal(pc.dissimilarity("~ 1", iris, matrix).frame(), D)


def test_rows_numbered_from_1_match_rows_numbered_from_0(iris, D):
    texts = D.set_axis([str(k + 1) for k in range(150)], axis=1)
    for first in (0, 1):
        data = iris.set_axis(range(first, 150 + first)).sample(frac=1, random_state=0)
        for matrix in (texts.set_axis(range(1, 151)), texts.set_axis(texts.columns), D):
            full = pc.dissimilarity("~ 1", data, matrix).frame().sort_index().sort_index(axis=1)
            assert full.index.tolist() == full.columns.tolist() == list(range(first, 150 + first))
            np.testing.assert_array_equal(full, D)
    fit = pc.fit("species ~ 1", iris, "knn", k=1, dissimilarity=texts.set_axis(range(1, 151)))
    with pytest.raises(pc.errors.DataError, match=r"matched by position.* may count in another way"):
        fit.predict(texts.set_axis(range(1, 151), axis=1))
