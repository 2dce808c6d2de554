"""The least error for each number of prototypes: against separate cross-validations, and corrected for its choice."""


import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.statistics.one_se import frontier, least_within
from protoclass.pictures.curve import first_shown
from protoclass.pictures.style import colour

GRIDS = {
    "pvm": {"eps": [0.6, 1.2, 2.4], "max_size": [1, 2, 3, 5, 8]},
    "kmedoids": {"K": [1, 2, 3]},
    "kmeans": {"K": [1, 2, 4]},
    "mmd": {"K": [1, 3], "gamma": [0.1, 1.0]},
    "lvq": {"K": [1, 2]},
    "medianglvq": {"K": [1, 3], "matrix": "none"},
    "scm": {"kind": ["conjunction"], "penalty": [1.0, 4.0], "max_size": [1, 2, 4]},
}


@pytest.fixture(scope="module")
def normal():
    draw = np.random.default_rng(3)
    y = np.arange(120) % 3
    return pd.DataFrame(draw.normal(size=(120, 2)) + 1.2 * np.eye(3)[y][:, :2], columns=list("ab")).assign(y=np.array(list("uvw"))[y])


@pytest.fixture(scope="module")
def digits():
    return pc.load_data("digits").iloc[:600]


@pytest.mark.parametrize("method", GRIDS)
def test_the_frontier_is_that_of_separate_cross_validations(normal, method):
    grid = GRIDS[method]
    v = pc.cross_validate("y ~ .", normal, method, cv=4, max_prototypes=30, **grid)
    alone = [
        pc.cross_validate("y ~ .", normal, method, cv=4, **{name: [value] for name, value in values.items()}).table.iloc[0]
        for values in v.grid.to_dict("records")
    ]
    table, found = pd.DataFrame(alone), v.frontier()
    for size in range(31):
        below = table[(table["size"] <= size + 1e-9)] if method != "scm" else table[(v._rule_sizes <= size)]
        own = found[found["size"] <= size]
        assert len(own) > 0 or not len(below)
        if len(own) and method != "scm":
            assert own["error"].iloc[-1] == pytest.approx(below["error"].min(), abs=1e-12)
    assert (np.diff(found["error"]) < 0).all()
    assert (np.diff(found["size"]) > 0).all()
    for row in found.to_dict("records"):
        point = v.grid.index[np.logical_and.reduce([v.grid[name] == row[name] for name in v.grid])][0]
        assert (row["error"], row["se"]) == (v.table["error"][point], v.table["se"][point])
        assert row["size"] == v._rule_sizes[point]
        assert row["method"] == method


def test_points_of_the_frontier_by_hand():
    error, size = np.array([0.3, 0.2, 0.2, 0.1, 0.4, 0.1]), np.array([1.0, 3.0, 2.0, 5.0, 4.0, 6.0])
    assert frontier(error, size).tolist() == [0, 2, 3]
    assert least_within(error, size, np.array([1.0, 2.5, 4.0, 9.0])).tolist() == [0, 2, 2, 3]


@pytest.mark.parametrize("further", [{}, {"measure": "balanced", "weights": np.arange(120) % 4}, {"groups": np.arange(120) // 2}])
def test_each_size_is_corrected_as_the_least_error_within_it_is(normal, further):
    arguments = {"eps": [0.2, 0.3, 0.4], "cv": 5, **further}  # radii with which folds have more prototypes than are asked for
    found = pc.cross_validate("y ~ .", normal, max_prototypes=15, **arguments).frontier()
    assert len(found) > 2
    for size, corrected in found.loc[found["size"] >= 3, ["size", "corrected"]].to_numpy()[-3:]:
        within = pc.cross_validate("y ~ .", normal, max_prototypes=int(size), **arguments)
        assert within.corrected("min").value == pytest.approx(corrected)


def test_where_the_grid_lacks_numbers_of_prototypes_they_are_measured_on_the_same_folds(normal):
    v = pc.cross_validate("y ~ .", normal, eps=[0.6, 1.2], cv=4)
    every = pc.cross_validate("y ~ .", normal, eps=[0.6, 1.2], cv=4, max_prototypes=len(normal))
    pd.testing.assert_frame_equal(v.frontier(), every.frontier())
    assert "max_size" not in v.grid
    whole = v.table.set_index("eps")["error"]
    of_all = every.table.groupby("eps")["error"].last()
    pd.testing.assert_series_equal(whole, of_all, check_names=False)

    drawn = v.frontier()
    drawn["error"] = 0.0
    assert (v.frontier()["error"] > 0).all()


def test_print_says_what_fewer_cost_where_many_are_kept(digits):
    fit = pc.fit("digit ~ .", digits, dissimilarity="euclidean", repeats=1)
    assert len(fit.prototypes) > 200
    found = fit.validation.frontier().set_index("size")["error"]
    sizes = [found.index[found.index <= len(fit.prototypes) / by][-1] for by in (10, 20)]
    said = f"{sizes[0]} with CV error {found[sizes[0]]:.3f}, {sizes[1]} with {found[sizes[1]]:.3f}; set max_prototypes="
    assert f"rows are prototypes, which is not a summary. Fewer: {said}" in repr(fit)
    assert said in str(fit.summary())
    small = pc.fit("digit ~ .", digits, max_prototypes=int(sizes[0]), dissimilarity="euclidean", repeats=1)
    assert small.validation.table["error"][small._selection.point] == found[sizes[0]]
    assert len(small.prototypes) == sizes[0]
    for arguments in ({"choose": "min"}, {"method": "knn"}, {"eps": 5.0}, {"max_prototypes": int(sizes[0])}):
        assert "Fewer" not in repr(pc.fit("digit ~ .", digits, dissimilarity="euclidean", repeats=1, **arguments))


def test_the_picture_has_the_numbers(digits):
    fit = pc.fit("digit ~ .", digits, eps=pc.extend.quantiles(4), max_prototypes=25, dissimilarity="euclidean", repeats=1)
    v = fit.validation
    ax = fit.plot("validation", x="frontier")
    table = v.frontier()
    table = table.iloc[first_shown(v, table["size"]) :]
    assert table["size"].iloc[0] <= 10
    least, corrected = (line for line in ax.lines if line.get_drawstyle() == "steps-post")
    assert least.get_ydata()[:-1] == pytest.approx(table["error"])
    assert corrected.get_ydata()[:-1] == pytest.approx(table["corrected"])
    assert least.get_xdata()[:-1] == pytest.approx(table["size"])
    assert least.get_color() == colour(0)
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    assert f"selected: {len(fit.prototypes)} prototypes" in texts
    assert ax.get_xlabel() == "maximum number of prototypes (log scale)"
    assert v.plot("frontier").get_title() == ax.get_title()
    with pytest.raises(pc.errors.OptionError, match=r"band=0\.95 needs a curve .* x='frontier' is not: use"):
        v.plot("frontier", band=0.95)
    with pytest.raises(pc.errors.NotAvailableError, match="nothing was cross-validated"):
        pc.fit("digit ~ .", digits, eps=5.0).plot("validation")


@pytest.mark.long
def test_the_corrected_frontier_has_the_true_errors(benchmark):
    """Where columns say something of the classes; in the mean over samples, at every size."""
    found = np.array([benchmark.measure("shifted", "pvm", 200, seed) for seed in range(40)])
    truth, error, corrected = found.mean(axis=0).T
    assert np.abs(corrected - truth).max() < 0.015
    assert (truth - error)[1:].min() > 0.02
