"""Pictures of prototypes beside their class, and of why a row has its class: their numbers, by hand."""

import numpy as np
import pandas as pd
import pytest
import simulate
from looks import find_faults
from matplotlib.figure import Figure

import protoclass as pc
from protoclass.views.cards import describe_head, find_details, list_profiles, list_reasons
from protoclass.views.prototypes import measure_coverage


def axes():
    return Figure(layout="constrained").subplots()


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=1.0)


def test_cards_have_the_values_of_the_prototype_the_medians_of_its_class_and_its_rival(fit, iris):
    profiles = list_profiles(fit, 4)
    X = iris.drop(columns="species")
    scaled = (X - X.mean()) / X.std(ddof=1)
    assert profiles.heads.index.tolist() == fit.prototypes.index[:4].tolist()
    assert profiles.count == len(fit.prototypes)
    for label, head in profiles.heads.iterrows():
        own = X[iris["species"] == head["class"]]
        part = profiles.table[profiles.table["prototype"] == label].set_index("variable")
        expected = (X.loc[label] - own.median()) / X.std(ddof=1)
        np.testing.assert_allclose(part["apart"][X.columns], expected)
        others = fit.prototypes.index[fit.prototypes["class"] != head["class"]]
        far = np.sqrt(((scaled.loc[others] - scaled.loc[label]) ** 2).sum(axis=1))
        assert head["rival"] == far.idxmin()
        assert head["rival_distance"] == pytest.approx(far.min())
        assert head["newly_covered"] == fit.prototypes.loc[label, "newly_covered"]
    figure = fit.plot("profiles", count=4)
    assert [bar.get_width() for bar in figure.axes[0].patches] == pytest.approx(
        profiles.table.head(4).sort_values("apart", key=lambda v: -v.abs())["apart"].tolist()
    )
    assert find_faults(figure) == []


def test_cards_choose_variables_by_the_learned_weights():
    cancer = pc.load_data("breast_cancer")
    fit = pc.fit("diagnosis ~ .", cancer, "medianglvq", K=1, matrix="diagonal", ridge=0.01)
    table = list_profiles(fit, 1).table.set_index("variable")
    weights = fit.dissimilarity.metric.column_weights["weight"]
    first = (weights * table["apart"] ** 2).nlargest(6).index.tolist()
    assert first != table["apart"].abs().nlargest(6).index.tolist()
    shown = [label.get_text() for label in fit.plot("profiles").axes[0].get_yticklabels()]
    assert [text.split(" = ")[1].split(" (")[0] for text in shown] == table.loc[first, "value"].tolist()


def test_cards_of_mixed_data_say_what_is_usual():
    data = simulate.clinic(80, missing=0, seed=1)
    fit = pc.fit("outcome ~ age + ward", data, eps=0.2)
    table = list_profiles(fit, 2).table
    ward = table[table["variable"] == "ward"].iloc[0]
    level = fit.prototypes["class"].iloc[0]
    assert np.isnan(ward["apart"])
    assert ward["value"] == str(data.loc[fit.prototypes.index[0], "ward"])
    assert ward["usual"] == str(data.loc[data["outcome"] == level, "ward"].mode()[0])
    assert len(fit.plot("profiles").axes) >= 2
    with pytest.raises(pc.NotAvailable, match="no selected prototypes"):
        pc.fit("outcome ~ age + ward", data, "knn", k=3).plot("profiles")
    with pytest.raises(pc.OptionError, match=r"count must be .*, not 0"):
        fit.plot("profiles", count=0)


def test_cards_of_rows_without_variables_have_heads_alone(iris):
    D = pc.dissimilarity("species ~ .", iris).frame()
    fit = pc.fit("species ~ 1", iris[["species"]], dissimilarity=D, eps=1.0)
    figure = fit.plot("profiles", count=4)
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert [title.split(":")[0] for title in titles] == [f"{k + 1}. {name}" for k, name in enumerate(fit.prototypes.index[:4])]
    assert not any(ax.axison for ax in figure.axes)
    assert "usual" not in figure.get_suptitle()
    assert find_faults(figure) == []


def test_classes_and_labels_that_are_numbers_stay_whole():
    digits = pc.load_data("digits").iloc[:200]
    fit = pc.fit("digit ~ .", digits, dissimilarity=pc.Euclidean(scale=False), eps=30.0)
    title = fit.plot("profiles", count=3).axes[0].get_title()
    name, row = fit.prototypes.index[0], fit.prototypes.iloc[0]
    assert title.startswith(f"1. {name}: {row['class']}\ncovers {row['newly_covered']:g} new")
    assert ".0" not in title


def test_why_divides_the_difference_of_two_distances_among_the_variables(fit, iris):
    table = list_reasons(fit, 70)
    X = iris.drop(columns="species")
    scaled = (X - X.mean()) / X.std(ddof=1)
    d = np.sqrt(((scaled.loc[fit.prototypes.index] - scaled.loc[70]) ** 2).sum(axis=1))
    own = fit.prototypes["class"].astype(str).to_numpy() == table.attrs["class"]
    assert table["favour"].sum() == pytest.approx(d[~own].min() - d[own].min())
    assert table["favour"].abs().is_monotonic_decreasing
    ax = fit.plot("why", ax=axes(), row=70)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(table["favour"].tolist())
    assert find_faults(ax.figure) == []
    assert fit.plot("why", row=X.iloc[0].to_dict()).get_title().startswith("The row: setosa")
    with pytest.raises(pc.OptionError, match="needs row="):
        fit.plot("why")
    with pytest.raises(pc.NotAvailable, match="not a sum over variables"):
        pc.fit("species ~ .", iris, eps=1.0, dissimilarity="mahalanobis").plot("why", row=70)


def test_why_draws_distances_with_missing_values():
    clinic = simulate.clinic(200)
    fit = pc.fit("outcome ~ .", clinic, eps=0.3, na="keep")
    table = list_reasons(fit, clinic.index[0])
    assert table["favour"].sum() == pytest.approx(table.attrs["rival_distance"] - table.attrs["prototype_distance"])
    names = [label.get_text() for label in fit.plot("why", row=clinic.index[0]).get_yticklabels()]
    assert {"pulse = 92 (prototype: missing)", "stay = missing"} <= set(names)


def test_kinds_that_are_pictures_of_results(fit, iris):
    small = fit.update(data=iris.iloc[::3])
    ax = small.plot("criticisms", ax=axes(), n=3)
    assert len(ax.patches) == len(small.criticisms(n=3).table)
    chances = pc.fit("species ~ .", iris.iloc[::2], "knn", k=5)
    ax = chances.plot("calibration", ax=axes(), new=iris.iloc[1::2])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == list(fit.classes)
    with pytest.raises(pc.OptionError, match="needs new="):
        chances.plot("calibration")


def test_prototypes_that_are_rows_of_another_class_are_marked(iris):
    noisy = iris.assign(species=iris["species"].astype(str))
    noisy.loc[::9, "species"] = np.roll(noisy.loc[::9, "species"], 6)
    fit = pc.fit("species ~ .", noisy, eps=1.0)
    other = (fit.prototypes["true_class"].astype(str) != fit.prototypes["class"].astype(str)).to_numpy()
    assert fit.of_other_class.tolist() == other.tolist()
    assert 1 < other.sum() < len(other)
    words = f"{other.sum()} of them rows of another class (candidates='same_class' excludes them)"
    assert str(fit).startswith(f"Prototype vector machine: {len(other)} prototypes, {words} of 150 observations")
    assert f"{len(other)}, {words}".replace("_", r"\_") in fit.card().markdown
    heads = list_profiles(fit, len(other)).heads
    assert heads["true_class"].tolist() == [own if apart else "" for own, apart in zip(fit.prototypes["true_class"], other, strict=True)]
    titles = [ax.get_title() for ax in fit.plot("profiles", count=len(other)).axes if ax.axison]
    assert [f"\na row of class {own}" in title for own, title in zip(fit.prototypes["true_class"], titles, strict=True)] == other.tolist()
    own = fit.update(candidates="same_class")
    assert not own.of_other_class.any()
    assert "another class" not in str(own)
    assert not pc.fit("species ~ .", noisy, "kmeans", K=2).of_other_class.any()


@pytest.fixture(scope="module")
def texts():
    """Words of two languages; the last shares no letter with any other."""
    draw = np.random.default_rng(1)
    words = ["".join(draw.choice(list(letters), 6)) for letters in ["abcde"] * 20 + ["vwxye"] * 20]
    return pd.DataFrame({"word": [*words, "zzzzzz"], "language": ["one"] * 20 + ["two"] * 21})


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
    medoids = pc.fit("language ~ word", alone, "kmedoids", K=1, dissimilarity=pc.Mismatch(k=2, m=0))
    heads = list_profiles(medoids, 3).heads
    assert heads.loc[40, "tied"]
    assert "all rivals at 1.41" in describe_head(heads.astype(object).loc[40], 40)
    assert not heads.drop(index=40)["tied"].any()
