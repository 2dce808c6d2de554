"""What a matrix of dissimilarities is like: against loops, and the figures of it."""

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from scipy.spatial.distance import cdist

import protoclass as pc
from protoclass.core import properties as core
from protoclass.pictures import matrix

small = arrays(float, st.integers(3, 8).map(lambda n: (n, n)), elements=st.integers(0, 4).map(float))


def related(P, index=None, columns=None):
    table = pd.DataFrame(P, index, columns if columns is not None else index)
    return pc.dissimilarity("~ 1", pd.DataFrame(index=table.index), table)


def links(n=30, seed=0):
    """Symmetric, in half steps from 1 to 4, as the connections of cortical areas are."""
    P = np.random.default_rng(seed).integers(2, 9, (n, n)) / 2
    P = np.triu(P, 1)
    return P + P.T


def violations(P):
    """Triples that violate the triangle inequality, and the largest excess, in loops."""
    violated, excess = 0, 0.0
    for triple in combinations(range(len(P)), 3):
        over = [P[i, k] - (P[i, j] + P[j, k]) for i, j, k in permutations(triple)]
        violated += max(over) > 0
        excess = max(excess, *over)
    return violated, excess


@given(small)
def test_triangles_equal_loops(P):
    found = core.triangles(P)
    assert (found.violated, found.excess) == violations(P)
    assert found.exact
    assert found.tested == len(list(combinations(range(len(P)), 3)))
    i, j, k = found.at
    if found.violated:
        assert P[i, k] - P[i, j] - P[j, k] == found.excess
    else:
        assert found.at == (-1, -1, -1)


@given(small)
def test_asymmetry_equals_loops(P):
    found = core.asymmetry(P)
    pairs = [(i, j) for i, j in combinations(range(len(P)), 2) if P[i, j] != P[j, i]]
    assert found.pairs == found.beyond == len(pairs)
    assert found.absolute == np.abs(P - P.T).max()
    i, j = found.at
    assert abs(P[i, j] - P[j, i]) == found.absolute
    ratios = [abs(P[i, j] - P[j, i]) / max(P[i, j], P[j, i]) for i, j in pairs]
    assert found.relative == max(ratios, default=0)


@given(small, st.data())
def test_duplicates_and_ties_equal_loops_for_any_candidates(P, data):
    n = len(P)
    rows = data.draw(st.lists(st.integers(0, n - 1), unique=True, min_size=1))
    origin = np.array([*rows, -1])
    codes = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    Q = np.column_stack([P[:, rows], np.arange(n) % 3.0])
    pairs, seen = set(), {}
    for i in range(n):
        for j, o in enumerate(origin):
            if o == i:
                continue
            if o >= 0 and Q[i, j] == 0:
                pairs.add(frozenset((i, int(o))))
            key = (frozenset((i, int(o))), Q[i, j]) if o >= 0 else (i, "outside")
            seen[key] = Q[i, j]
    groups = [{i} for i in range(n)]
    for pair in pairs:
        joined = set().union(*(g for g in groups if g & pair))
        groups = [g for g in groups if not g & pair] + [joined]
    same = core.duplicates(Q, origin, codes)
    assert same.pairs == len(pairs)
    assert same.mixed == sum(len({codes[i] for i in pair}) == 2 for pair in pairs)
    assert same.groups == sum(len(g) > 1 for g in groups)
    assert same.rows == sum(len(g) for g in groups if len(g) > 1)
    assert (frozenset(same.first) in pairs) if pairs else same.first == (-1, -1)
    positive = [v for v in seen.values() if v > 0]
    told = core.values(Q, origin)
    assert (told.count, told.positive, told.distinct) == (len(seen), len(positive), len(set(positive)))
    assert told.tied == sum(positive.count(v) > 1 for v in positive)
    if positive:
        assert (told.smallest, told.largest) == (min(positive), max(positive))
    assert core.self_dissimilarities(Q, origin).tolist() == [P[i, i] for i in rows]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_euclidean_set_says_so(dtype):
    X = np.random.default_rng(0).normal(size=(80, 3))
    X[1::2, 1:] = 0  # points on a line: triangles without area
    D = cdist(X, X).astype(dtype)
    assert core.triangles(D).violated == 0
    assert core.triangles(D, exact=2, triples=5000).violated == 0
    found = core.euclidean(D)
    assert (found.signature, found.negative, found.rows) == ((3, 0), 0, 80)
    assert core.euclidean(D, most=20).signature == (3, 0)
    assert core.euclidean(D, most=20).rows == 20
    assert core.euclidean(cdist(X, X) * 1e200).signature == (3, 0)
    rounded = related(D.round(3).astype(float)).check().table.loc["Euclidean"]
    assert rounded["answer"] == "nearly"
    assert 0 < rounded["value"] < 0.01


def test_a_non_metric_matrix_counts_its_violations():
    P = links()
    violated, excess = violations(P)
    check = related(P).check()
    table = check.table
    assert violated > 0
    assert table.loc["triangle inequality", "value"] == violated / (30 * 29 * 28 // 6)
    assert f"{violated} of all 4060 triples" in table.loc["triangle inequality", "detail"]
    assert excess == 4 - 2
    assert "but 1 + 1 through" in table.loc["triangle inequality", "detail"]
    squared = -0.5 * P**2
    centred = np.eye(30) - 1 / 30
    eigenvalues = np.linalg.eigvalsh(centred @ squared @ centred)
    assert table.loc["Euclidean", "answer"] == "no"
    assert table.loc["Euclidean", "value"] == pytest.approx(
        -eigenvalues[eigenvalues < 0].sum() / np.abs(eigenvalues).sum()
    )
    assert table.loc["ties", "answer"] == "100 %"
    assert table.loc["range", "answer"] == "1 to 4"
    assert "7 different values among 435" in table.loc["ties", "detail"]


def test_the_cat_cortex(papers_data):
    cat = pd.read_csv(f"{papers_data}/cat_cortex.csv", index_col="area")
    P = cat.filter(regex=r"^d\d+$").set_axis(cat.index, axis=1)
    violated, excess = violations(P.to_numpy())
    table = related(P.to_numpy(), cat.index).check(cat["region"]).table
    assert table.loc["triangle inequality", "value"] == violated / (65 * 64 * 63 // 6)
    assert table.loc["triangle inequality", "answer"] == "0.655 % violated"
    assert (violated, excess) == (286, 2)


def test_a_sample_of_triples_agrees_with_all():
    P = np.random.default_rng(3).uniform(1, 3, (60, 60))  # asymmetric
    exact, sample = core.triangles(P), core.triangles(P, seed=1, exact=59, triples=40_000)
    share = exact.share
    assert 0.1 < share < 0.9
    assert not sample.exact
    assert sample.tested == 40_000
    assert abs(sample.share - share) < 4 * np.sqrt(share * (1 - share) / 40_000)
    assert sample.excess <= exact.excess
    assert sample == core.triangles(P, seed=1, exact=59, triples=40_000)
    assert sample != core.triangles(P, seed=2, exact=59, triples=40_000)
    three = np.array([[0.0, 1, 9], [1, 0, 1], [9, 1, 0]])
    assert core.triangles(three, exact=2, triples=500).violated == 500  # rows of a triple are always different


def test_asymmetric_and_oblong_matrices_do_not_answer_everything():
    P = links(6)
    P[2, 4] += 1.5
    P[3, 3] = 0.25
    table = related(P, list("abcdef")).check().table
    assert table.loc["symmetric", "answer"] == "no"
    assert table.loc["symmetric", "value"] == 1.5
    assert "1 of 15 pairs differ, by at most 1.5 ('c' and 'e')" in table.loc["symmetric", "detail"]
    assert table.loc["zero diagonal"].tolist() == ["no", 1.0, "1 of 6 are not at 0 from themselves, at most 0.25 ('d')"]
    assert table.loc["Euclidean", ["answer", "detail"]].tolist() == ["not applicable", "not symmetric"]
    assert "violate" in str(table.loc["triangle inequality", "detail"])
    oblong = related(P[:, [4, 3, 0]], list("abcdef"), ["e", "d", "extra"]).check().table
    assert oblong.loc["shape", ["answer", "detail"]].tolist() == ["6 x 3", "1 candidates are not rows"]
    assert oblong.loc["zero diagonal", "detail"] == "1 of 2 are not at 0 from themselves, at most 0.25 ('d')"
    for question in ("symmetric", "triangle inequality", "Euclidean"):
        assert oblong.loc[question, ["answer", "detail"]].tolist() == ["not applicable", "not square"]
    strange = related(P[:, :2], list("abcdef"), ["u", "v"]).check().table
    assert strange.loc["zero diagonal", "answer"] == strange.loc["duplicates", "answer"] == "not applicable"
    assert strange.loc["range", "answer"] != "not applicable"


def test_rounding_is_no_asymmetry():
    P = cdist(*[np.random.default_rng(0).normal(size=(9, 2))] * 2)
    P[2, 5] *= 1 + 1e-12
    table = related(P).check().table
    assert table.loc["symmetric", "answer"] == "up to rounding"
    assert table.loc["Euclidean", "answer"] == "yes"


def test_one_row_and_a_matrix_of_zeros():
    one = related(np.zeros((1, 1)))
    assert one.check().table.loc[["triangle inequality", "ties", "range"], "answer"].eq("not applicable").all()
    assert one.plot(ax=Figure().subplots()).get_xlabel()
    zeros = related(np.zeros((5, 5)))
    table = zeros.check().table
    assert table.loc["duplicates"].tolist() == [
        "10 pairs",
        10.0,
        "different rows at 0: 5 rows in 1 group, the first 0 and 1",
    ]
    assert table.loc["triangle inequality", "answer"] == "holds"
    assert table.loc["Euclidean", "answer"] == "yes"
    assert zeros.plot(by=pd.Series(list("aabbb"))).get_ylabel() == "rows by class"
    for d in (one, zeros):
        with pytest.raises(pc.errors.DataError, match="all dissimilarities between different rows are 0"):
            d.plot(kind="distributions")


def test_hostile_arguments(iris):
    d = pc.dissimilarity("species ~ .", iris)
    for call in (d.check, d.plot, lambda by: d.plot(by, "distributions")):
        with pytest.raises(pc.errors.DataError, match="classes of by= lack the row 100"):
            call(iris["species"].iloc[:100])
        with pytest.raises(pc.errors.DataError, match="by has a missing class at row 7"):
            call(iris["species"].mask(iris.index == 7))
        with pytest.raises(pc.errors.OptionError, match="Series of classes"):
            call("species")
    with pytest.raises(pc.errors.OptionError, match=r"must be .*'matrix' or 'distributions', not"):
        d.plot(kind="heatmap")
    with pytest.raises(pc.errors.OptionError, match=r"seed must be .*, not"):
        d.check(seed=-1)


def test_distributions_equal_a_direct_computation(iris):
    iris = iris.iloc[::3]
    by = iris["species"]
    P = pc.dissimilarity("species ~ .", iris).frame()
    P = (P * np.random.default_rng(0).uniform(1, 2, P.shape)).iloc[:, 5:45].assign(outside=1.0)
    d = pc.dissimilarity("~ 1", pd.DataFrame(index=P.index), P)
    table = matrix.summarize_distributions(d, by)
    assert len(table) == 6
    for (level, to), row in table.iterrows():
        seen = [
            P.loc[i, j]
            for i in P.index
            for j in P.columns
            if by[i] == level
            and j != "outside"
            and i != j
            and P.loc[i, j] > 0
            and (by[j] == level) == (to == "own class")
        ]
        assert row["number"] == len(seen)
        want = np.quantile(seen, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1])
        assert row.iloc[1:].to_numpy(float) == pytest.approx(want)
    ax = Figure().subplots()
    assert d.plot(by, "distributions", ax) is ax
    assert [t.get_text() for t in ax.get_yticklabels()] == ["setosa", "versicolor", "virginica"]
    boxes = [(p.get_x(), p.get_x() + p.get_width()) for p in ax.patches]
    assert boxes == [pytest.approx(q) for q in table[["q25", "q75"]].to_numpy()]
    alone = matrix.summarize_distributions(d)
    assert alone.index.tolist() == [("all rows", "own class")]


def test_the_picture_is_the_matrix_by_class(iris):
    d, by = pc.dissimilarity("species ~ .", iris), iris["species"]
    table, of_row, of_column = matrix.arrange(d, by)
    assert sorted(table.index) == sorted(iris.index)
    assert table.columns.tolist() == table.index.tolist()
    assert of_row.tolist() == of_column.tolist() == by[table.index].astype(str).tolist()
    assert of_row.is_monotonic_increasing
    pd.testing.assert_frame_equal(table, d.frame().loc[table.index, table.columns])
    ax = Figure(layout="constrained").subplots()
    assert d.plot(by, ax=ax) is ax
    assert (ax.images[0].get_array() == table.to_numpy()).all()
    assert [t.get_text() for t in ax.get_yticklabels()] == ["setosa", "versicolor", "virginica"]
    assert [line.get_ydata()[0] for line in ax.lines if to_rgba(line.get_color()) == (1, 1, 1, 1)][:2] == [49.5, 99.5]
    assert ax.figure.axes[1].get_ylabel() == "dissimilarity (Euclidean units)"


def test_rows_on_a_line_are_seriated_along_it():
    n = 40
    x = np.random.default_rng(0).permutation(n) + 0.0
    order = matrix.seriate(np.abs(x[:, None] - x))
    assert (np.abs(np.diff(x[order])) == 1).all()
    assert order[0] < order[-1]
