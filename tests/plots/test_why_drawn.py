"""Plots of why a row has its class, by hand; and prototypes and rows that are marked in words."""

import numpy as np
import pandas as pd
import pytest
import simulate
from looks import find_faults
from matplotlib.figure import Figure

import protoclass as pc


def axes():
    return Figure(layout="constrained").subplots()


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=1.0)


def test_why_divides_the_difference_of_two_distances_among_the_variables(fit, iris):
    table = fit.why(70)
    favour = (table["to_rival"] - table["to_prototype"]).sort_values(key=lambda values: -values.abs())
    ax = fit.plot("why", ax=axes(), new=70)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(favour.tolist())
    assert [text.get_text().split(" = ")[0] for text in ax.get_yticklabels()] == favour.index.tolist()
    assert ax.get_title().startswith("Row 70: ")
    assert find_faults(ax.figure) == []
    assert fit.plot("why", new=iris.iloc[0, :4].to_dict()).get_title().startswith("The row: setosa")
    with pytest.raises(pc.errors.OptionError, match="must be a single row, not 7 rows"):
        fit.plot("why", new=iris.iloc[:7])
    with pytest.raises(pc.errors.OptionError, match="needs new="):
        fit.plot("why")
    with pytest.raises(pc.errors.NotAvailableError, match="not a sum over variables"):
        pc.fit("species ~ .", iris, eps=1.0, dissimilarity="mahalanobis").plot("why", new=70)


def test_why_draws_distances_with_missing_values():
    clinic = simulate.clinic(200)
    fit = pc.fit("outcome ~ .", clinic, eps=0.3, na="keep")
    said = fit.why(clinic.index[0]).attrs
    ax = fit.plot("why", new=clinic.index[0])
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(said["rival_distance"] - said["prototype_distance"])
    assert {"pulse = 92", "stay = missing"} <= {label.get_text() for label in ax.get_yticklabels()}
    assert find_faults(ax.figure) == []


def test_prototypes_that_are_rows_of_another_class_are_marked(iris):
    noisy = iris.assign(species=iris["species"].astype(str))
    noisy.loc[::9, "species"] = np.roll(noisy.loc[::9, "species"], 6)
    fit = pc.fit("species ~ .", noisy, eps=1.0)
    other = (fit.prototypes["true_class"].astype(str) != fit.prototypes["class"].astype(str)).to_numpy()
    assert fit._of_other_class.tolist() == other.tolist()
    assert 1 < other.sum() < len(other)
    words = f"{other.sum()} of them rows of another class (candidates='same_class' excludes them)"
    assert str(fit).startswith(f"Prototype vector machine: {len(other)} prototypes, {words} of 150 observations")
    assert f"{len(other)}, {words}".replace("_", r"\_") in fit.card().markdown
    own = fit.update(candidates="same_class")
    assert not own._of_other_class.any()
    assert "another class" not in str(own)
    assert not pc.fit("species ~ .", noisy, "kmeans", K=2)._of_other_class.any()


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
