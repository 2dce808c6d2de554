"""Cards and reasons of rows that are series or texts, beside the distances of all pairs."""

import numpy as np
import pandas as pd
import pytest
from looks import find_faults
from matplotlib.figure import Figure

import protoclass as pc
from protoclass.views.cards import describe_head, find_details, list_profiles
from protoclass.views.prototypes import measure_coverage


def axes():
    return Figure(layout="constrained").subplots()


@pytest.fixture(scope="module")
def waves():
    """Waves that start at random times; one kind goes up first, the other down."""
    draw, time = np.random.default_rng(0), np.arange(24)
    start, sign = draw.integers(0, 16, (40, 1)), np.repeat([1, -1], 20)[:, None]
    wave = np.where((time >= start) & (time < start + 8), sign * np.sin((time - start) * np.pi / 4), 0) + draw.normal(0, 0.2, (40, 24))
    return pd.DataFrame(wave, [f"w{i}" for i in range(40)]).add_prefix("t").assign(kind=np.repeat(["up", "down"], 20))


def lines(ax):
    return [line.get_ydata() for line in ax.get_lines()]


def test_prototypes_that_are_series_are_curves_over_those_that_they_cover(waves):
    X, metric = waves.drop(columns="kind"), pc.DTW(window=8)
    D = pc.dissimilarity("~ .", X, metric).frame()
    fit = pc.fit("kind ~ .", waves, dissimilarity=metric, eps=1.6)
    figure = fit.plot("profiles", count=3)
    drawn = [ax for ax in figure.axes if ax.axison]
    assert len(drawn) == min(3, len(fit.prototypes))
    several = fit.update(eps=1.0)
    assert (several.prototypes["class"].value_counts() > 1).all()  # each has several rivals, at different distances
    assert not list_profiles(several, 3).heads["tied"].any()
    for ax, (name, row) in zip(drawn, fit.prototypes.iterrows(), strict=False):
        held = D.index[(D[name] < 1.6) & (waves["kind"] == row["class"]) & (D.index != name)]
        others = fit.prototypes.index[fit.prototypes["class"] != row["class"]]
        rival, own = lines(ax)
        members = [segment[:, 1] for segment in ax.collections[0].get_segments()]
        assert sorted(map(tuple, members)) == sorted(map(tuple, X.loc[held].to_numpy()))
        np.testing.assert_array_equal(own, X.loc[name])
        np.testing.assert_array_equal(rival, X.loc[D.loc[name, others].idxmin()])
        low, high = ax.get_ylim()
        assert low < np.min([*members, rival, own])  # nothing is cut
        assert high > np.max([*members, rival, own])
    assert find_faults(figure) == []


def test_series_of_any_metric_are_named(waves):
    X = waves.drop(columns="kind")
    fit = pc.fit("kind ~ .", waves.assign(extra=0.5 * np.arange(40)), "kmedoids", K=2, dissimilarity=pc.Euclidean(scale=False))
    assert len(fit.plot("profiles").axes[0].patches) > 0  # bars
    figure = fit.plot("profiles", series=list(X))
    assert "nearest to each" in figure.get_suptitle()
    nearest = fit.predict(kind="nearest")
    name = fit.prototypes.index[0]
    np.testing.assert_array_equal(lines(figure.axes[0])[-1], X.loc[name])
    assert len(figure.axes[0].collections[0].get_segments()) == (nearest == name).sum() - 1
    assert len(lines(fit.plot("profiles", series=True).axes[0])[0]) == 25
    centroids = pc.fit("kind ~ .", waves, "kmeans", K=2)
    assert np.allclose(lines(centroids.plot("profiles", series=True).axes[0])[-1], centroids.prototypes.iloc[0][X.columns].astype(float))
    for wrong in (["t1"], ["t1", "kind"], 3, "t1"):
        with pytest.raises(pc.OptionError, match=r"series must be .*two or more numeric predictors"):
            fit.plot("profiles", series=wrong)


def test_why_of_series_draws_the_row_its_prototype_and_its_rival(waves):
    X, metric = waves.drop(columns="kind"), pc.DTW(window=8)
    D = pc.dissimilarity("~ .", X, metric).frame()
    fit = pc.fit("kind ~ .", waves, dissimilarity=metric, eps=1.6)
    label = next(name for name in X.index if name not in fit.prototypes.index)
    own = fit.prototypes["class"].astype(str) == str(fit.predict()[label])
    expected = [label, D.loc[label, fit.prototypes.index[own]].idxmin(), D.loc[label, fit.prototypes.index[~own]].idxmin()]
    for row in (label, X.loc[[label]], X.loc[label].to_dict()):
        ax = fit.plot("why", ax=axes(), row=row)
        for drawn, name in zip(lines(ax), expected, strict=True):
            np.testing.assert_array_equal(drawn, X.loc[name])
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said[1].startswith(f"{expected[1]} ({fit.predict()[label]}) at {D.loc[label, expected[1]]:.3g}"[:-2])
    assert find_faults(ax.figure) == []
    figure = fit.plot("why", row=list(X.index[:4]))
    assert [ax.get_title().split(":")[0] for ax in figure.axes if ax.axison] == [f"Row {name}" for name in X.index[:4]]
    with pytest.raises(pc.OptionError, match="row= means 7 rows"):
        fit.plot("why", row=list(X.index[:7]))
    with pytest.raises(pc.OptionError, match=r"row must be .*not 'none'"):
        fit.plot("why", row="none")


@pytest.fixture(scope="module")
def texts():
    """Words of two languages; the last shares no letter with any other."""
    draw = np.random.default_rng(1)
    words = ["".join(draw.choice(list(letters), 6)) for letters in ["abcde"] * 20 + ["vwxye"] * 20]
    return pd.DataFrame({"word": [*words, "zzzzzz"], "language": ["one"] * 20 + ["two"] * 21})


def test_cards_of_texts_have_the_texts(texts):
    fit = pc.fit("language ~ word", texts, dissimilarity=pc.Mismatch(k=2, m=0), eps=1.3)
    D = pc.dissimilarity("~ word", texts, pc.Mismatch(k=2, m=0)).frame()
    figure = fit.plot("profiles", count=2)
    for ax, (name, row) in zip(figure.axes, fit.prototypes.iterrows(), strict=False):
        own, *others = [text.get_text() for text in ax.texts]
        assert own == texts.loc[name, "word"]
        held = D.index[(D[name] < 1.3) & (texts["language"] == row["class"]) & (D.index != name)]
        nearest = D.loc[held, name].sort_values(kind="stable").index[:4]
        assert others[: len(nearest)] == [f"contains {texts.loc[i, 'word']}" for i in nearest]
    assert find_faults(figure) == []


def test_texts_that_are_tied_with_everything_are_marked(texts):
    fit = pc.fit("language ~ word", texts, dissimilarity=pc.Mismatch(k=2, m=0), eps=1.3, lambda_=1.5)
    assert 40 not in fit.prototypes.index
    far = fit.predict(kind="distance")
    tied = far.index[far["one"] == far["two"]]
    assert 40 in tied
    note = f"which are predicted as the first class: {len(tied)} ({', '.join(map(str, tied[:5]))}"
    assert note in str(fit.summary())
    details = find_details(fit, None, measure_coverage(fit), 40)
    assert details.words == ["All classes have a prototype at this same distance: the first class is predicted."]
    assert find_details(fit, None, measure_coverage(fit), far.index.difference(tied)[0]).words == []
    alone = texts.iloc[[*range(40), 40]].assign(language=["one"] * 40 + ["two"])  # the only prototype of its class is like no other
    medoids = pc.fit("language ~ word", alone, "kmedoids", K={"one": 2, "two": 1}, dissimilarity=pc.Mismatch(k=2, m=0))
    heads = list_profiles(medoids, 3).heads
    assert heads.loc[40, "tied"]
    assert "all rivals at 1.41" in describe_head(heads.astype(object).loc[40], 40)
    assert not heads.drop(index=40)["tied"].any()
