"""Series of unequal length: missing values at the end, and columns of lists, beside a recursion on each pair."""

import numpy as np
import pandas as pd
import pytest
from reference_dtw import slow

import protoclass as pc
from protoclass.pictures.images import make_album
from protoclass.widgets.prototypes import PrototypeExplorer


@pytest.fixture(scope="module")
def series():
    """Waves of 9 to 16 steps, one step and 17 steps."""
    draw = np.random.default_rng(3)
    lengths = [*draw.integers(9, 17, 28).tolist(), 1, 17]
    up = np.arange(30) % 2 == 0
    waves = [np.sin(np.arange(n) * (0.9 if u else 0.5)) + draw.normal(0, 0.2, n) for n, u in zip(lengths, up, strict=True)]
    return waves, np.where(up, "fast", "slow")


def in_columns(waves, kinds):
    table = pd.DataFrame([[*wave, *[np.nan] * (17 - len(wave))] for wave in waves], [f"s{i}" for i in range(len(waves))])
    return table.add_prefix("t").assign(kind=kinds)


def in_lists(waves, kinds):
    cells = [wave if i % 3 == 0 else wave.tolist() if i % 3 == 1 else tuple(wave) for i, wave in enumerate(waves)]
    return pd.DataFrame({"wave": pd.Series(cells, dtype=object), "kind": kinds}).set_axis([f"s{i}" for i in range(len(waves))])


@pytest.mark.parametrize(("window", "r"), [(None, 2), (None, 1), (0, 2), (2, 1), (5, 2)])
def test_each_pair_is_measured_up_to_its_own_ends(series, window, r):
    waves, kinds = series
    expected = np.array([[slow(tuple(a), tuple(b), window, r) for b in waves] for a in waves])
    metric = pc.DTW(window=window, r=r)
    columns = pc.dissimilarity("kind ~ .", in_columns(waves, kinds), metric, na="keep").frame().to_numpy()
    np.testing.assert_allclose(columns, expected, rtol=1e-12, atol=1e-12)
    assert np.array_equal(columns, columns.T)
    assert np.array_equal(pc.dissimilarity("kind ~ wave", in_lists(waves, kinds), metric).frame().to_numpy(), columns)


def test_both_forms_give_the_same_fit_and_predict_longer_series(series, tmp_path):
    waves, kinds = series
    columns, lists = in_columns(waves, kinds).iloc[:29], in_lists(waves, kinds).iloc[:29]  # the longest is new
    fits = [
        pc.fit("kind ~ .", columns, "knn", k=[1, 3], dissimilarity=pc.DTW(window=[1, 4]), na="keep", cv=4),
        pc.fit("kind ~ wave", lists, "knn", k=[1, 3], dissimilarity=pc.DTW(window=[1, 4]), cv=4),
    ]
    pd.testing.assert_frame_equal(*(fit.validation.table for fit in fits))
    assert fits[0].predict().equals(fits[1].predict())
    longer, again = in_lists(waves, kinds).iloc[-3:], in_columns(waves, kinds).iloc[-3:]
    new = fits[1].predict(longer, "distance")
    assert new.equals(fits[0].predict(again, "distance"))
    for fit, rows in ((fits[0], again), (fits[1], longer)):
        fit.save(tmp_path / "fit.zip", overwrite=True)
        assert pc.load(tmp_path / "fit.zip").predict(rows, "distance").equals(new)
    pvm = pc.fit("kind ~ wave", lists, dissimilarity=pc.DTW(window=4), eps=1.5)
    assert pvm.slim().predict(longer).equals(pvm.predict(longer))
    assert "Series predictors" in pvm.card().markdown
    assert pvm.why("s1").loc["wave", "counterfactual_class"] is None
    assert pvm.update(candidates=pc.unlabelled(longer.set_axis(list("abc")))).predict(longer).notna().all()


def test_a_lone_column_of_series_is_measured_by_dtw(series):
    waves, kinds = series
    fit = pc.fit("kind ~ wave", in_lists(waves, kinds), "knn", k=1)
    assert any(line.startswith("Distance") and line.endswith(" DTW") for line in str(fit).splitlines())
    v = pc.cross_validate("kind ~ wave", in_lists(waves, kinds), "knn", k=1, dissimilarity=pc.DTW(window="grid"))
    assert v.grid["window"].tolist() == [0, 1, 2, 3]  # shares of the 17 steps of the longest


def test_series_that_are_left_out_are_named(series):
    waves, kinds = series
    with pytest.warns(pc.DataWarning, match="29 series with missing values are left out: use na='keep'"):
        pc.dissimilarity("kind ~ .", in_columns(waves, kinds), pc.DTW())


@pytest.mark.parametrize(("change", "message"), [
    (lambda t: t.assign(t3=np.nan), "row 's0' lacks its first step, or a step before its last, but series"),
    (lambda t: t.assign(t0=t["t0"].where(t.index != "s0")), "row 's0' lacks its first step"),
    (lambda t: t.assign(t0=np.inf), "row 's0' has an infinite value"),
    (lambda t: t.assign(g="a"), r"na='keep' with DTW needs unchanged numeric columns, but the formula is 'kind ~ \.'"),
])  # fmt: skip
def test_gaps_within_a_series_are_refused(series, change, message):
    table = change(in_columns(*series))
    with pytest.raises(pc.DataError, match=message):
        pc.fit("kind ~ .", table, "knn", k=1, dissimilarity=pc.DTW(), na="keep")


@pytest.mark.parametrize("cell", [["a"], [], [1.0, None], [[1.0, 2.0]], [1.0, np.nan], [1.0, np.inf]])
def test_cells_that_are_no_series_are_refused(series, cell):
    table = in_lists(*series)
    table.at["s4", "wave"] = cell
    with pytest.raises(pc.DataError, match=r"'wave' at row 's4' must be a list of one or more finite numbers, not \["):
        pc.fit("kind ~ wave", table, "knn", k=1, dissimilarity=pc.DTW())


@pytest.mark.parametrize("arguments", [
    {"dissimilarity": "euclidean"}, {"dissimilarity": "gower"}, {"formula": "kind ~ wave + x"},
])  # fmt: skip
def test_series_beside_what_has_no_room_for_them(series, arguments):
    table = in_lists(*series).assign(x=1.0)
    with pytest.raises(pc.DataError, match=r"column 'wave' contains series .*pc.DTW\(\)"):
        pc.fit(**{"formula": "kind ~ wave", "data": table, "method": "knn", "k": 1, **arguments})


@pytest.mark.parametrize("make", [in_columns, in_lists])
def test_pictures_of_series_of_unequal_length(series, make):
    waves, kinds = series
    fit = pc.fit("kind ~ .", make(waves, kinds), dissimilarity=pc.DTW(window=4), eps=1.5, na="keep" if make is in_columns else "drop")
    album = make_album(fit, None)
    pictures = album.rows(fit, fit.frame.columns)
    assert pictures.shape == (30, 28, 28)
    ends = [np.flatnonzero((picture == 0).any(axis=0)).max(initial=-1) for picture in pictures]
    assert np.argmax(ends) == 29  # the longest series
    assert (np.sign(np.diff(ends))[:27] * np.sign(np.diff([len(w) for w in waves]))[:27] >= 0).all()
    assert PrototypeExplorer(fit).parts[1] is not None


def test_steps_of_unequal_series_are_one_variable(series):
    fit = pc.fit("kind ~ .", in_columns(*series), dissimilarity=pc.DTW(window=4), eps=1.5, na="keep")
    short = fit.why("s28")
    assert short.index.tolist() == ["series"]
    assert short["counterfactual_class"].tolist() == [None]
    assert fit.importance(resamples=2, cv=3).index.tolist() == ["series"]


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("window", [None, 0, 2])
def test_channels_are_aligned_together(power, window):
    draw = np.random.default_rng(4)
    waves = [draw.normal(size=(n, 3)) for n in (1, 4, 9, 6, 5)]

    def recursion(a, b):
        gap = np.abs(a[:, None] - b) ** power
        widest, cost = max(np.inf if window is None else window, abs(len(a) - len(b))), np.full((len(a) + 1, len(b) + 1), np.inf)
        cost[0, 0] = 0
        for i, j in np.ndindex(gap.shape[:2]):
            if abs(i - j) <= widest:
                cost[i + 1, j + 1] = gap[i, j].sum() + min(cost[i, j + 1], cost[i + 1, j], cost[i, j])
        return cost[-1, -1] ** (1 / power)

    expected = [[recursion(a, b) for b in waves] for a in waves]
    for cells in (waves, [wave.tolist() for wave in waves]):
        d = pc.dissimilarity("~ wave", pd.DataFrame({"wave": cells}), pc.DTW(window=window, r=power)).frame()
        np.testing.assert_allclose(d, expected)
        assert (d == d.T).all(axis=None)


def test_rows_with_another_number_of_channels_are_refused(tmp_path):
    draw = np.random.default_rng(5)
    data = pd.DataFrame({"wave": [draw.normal(k // 6, 1, (draw.integers(3, 9), 2)) for k in range(12)], "kind": ["a"] * 6 + ["b"] * 6})
    fit = pc.fit("kind ~ wave", data, eps=3.0)
    fit.save(tmp_path / "fit.proto")
    assert pc.load(tmp_path / "fit.proto").predict(data).equals(fit.predict(data))
    for cell in (np.ones((4, 3)), np.ones(4)):
        with pytest.raises(pc.DataError, match=r"series of new rows need the channels of the others, \(2,\)"):
            fit.predict(pd.DataFrame({"wave": [cell]}))
    with pytest.raises(pc.DataError, match=r"'wave' at row 1 must be a list .* as many channels in each row"):
        pc.dissimilarity("~ wave", pd.DataFrame({"wave": [np.ones((3, 2)), np.ones(3)]}), "dtw")
