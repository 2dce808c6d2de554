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
            with pytest.raises(pc.DataError, match=rf"of {rows} rows are farther from themselves .*\.from_similarity\(S\)"):
                pc.fit("species ~ 1", iris, method, dissimilarity=S)
    right = pc.Dissimilarity.from_similarity(similar, "inverse")
    fit = pc.fit("species ~ 1", iris, dissimilarity=right, eps=1.0)
    assert fit.prototypes["class"].nunique() == 3
    assert fit.prototypes.index.tolist() == pc.fit("species ~ .", iris, eps=1.0).prototypes.index.tolist()


def test_one_row_is_enough_and_the_message_names_it(iris, D):
    D.loc[7, 7] = 0.5
    nearest = D.loc[7].drop(7).idxmin()
    with pytest.raises(pc.DataError, match=rf"1 of 150 rows .* the first 7 \(0.5 from itself and {D.loc[7].min():.4g} from {nearest}\)\."):
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
        D.iloc[:, 40:120],
        D.iloc[:, :30].set_axis([f"c{j}" for j in range(30)], axis=1),
        1 / (1 + D.iloc[:, :30].set_axis([f"c{j}" for j in range(30)], axis=1)),  # no candidate is a row: not to be known
        apart,
        D.astype("f4"),
        pd.DataFrame(np.ones((150, 150))),
        rounded,
        np.sqrt((D.astype("f4") ** 2 + np.float32(1e-6)).astype("f4")),
        pc.kernel_distances(kernel),
    ):
        measured = pc.dissimilarity("~ 1", iris[["species"]], matrix)
        assert measured.shape[0] == 150
    links = pd.DataFrame([[0, 3, 1], [3, 0, 2], [1, 2, 0]], list("abc"), list("abc"))  # strengths to others only
    assert pc.Dissimilarity.from_similarity(links).frame().loc["a", "a"] == 3
