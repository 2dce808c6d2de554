"""`Card.methods`: the paragraph for a paper states what was done, in text, Markdown and LaTeX, and cites what exists."""

import re

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.export.methods import ENTRIES, label
from protoclass.metrics.registry import BUILT_IN as METRICS
from protoclass.metrics.registry import metric
from protoclass.models.registry import BUILT_IN

IRIS = pc.load_data("iris")


@pytest.mark.parametrize("key", ENTRIES)
def test_entries_are_bibtex(key):
    entry = ENTRIES[key]
    assert re.match(rf"@(article|book|inproceedings|misc)\{{{key},\s+author = ", entry)
    assert entry.count("{") == entry.count("}")
    assert {"author", "title", "year"} <= set(re.findall(r"(\w+) = \{", entry))
    year = re.search(r"year = \{(\d{4})\}", entry)[1]
    assert key == re.match(r"[a-z]+", key)[0] + year
    assert key[:-4] == label(entry).split()[0].lower()


def test_methods_and_metrics_cite_entries_that_exist():
    assert all(set(kind.papers) <= set(ENTRIES) and kind.papers for kind in BUILT_IN.values())
    assert all(set(metric(name).papers) <= set(ENTRIES) for name in METRICS)
    assert pc.Ranks("gower").papers == metric("gower").papers == ("gower1971",)


def test_it_states_the_tuning():
    fit = pc.fit("species ~ .", IRIS, "knn", k=[1, 5, 15], cv=5, repeats=2, measure="balanced", choose="min", seed=7, dissimilarity="gower")
    text = fit.card().methods.text
    assert "150 observations in 3 classes (50 setosa, 50 versicolor, 50 virginica)" in text
    assert 'the method "k nearest neighbours" (Hastie et al. 2009). The dissimilarity was Gower (Gower 1971)' in text
    assert "The parameter neighbours k (1 to 15, 3 values) was selected by 5-fold cross-validation, repeated 2 times" in text
    assert f"The selected parameter was neighbours k = {fit.model.k}" in text
    assert "corrected for this selection by a bootstrap of the held-out predictions (BBC-CV) (Tsamardinos et al. 2018)" in text
    assert text.endswith(f"protoclass {pc.__version__} (The protoclass developers 2026) with seed 7.")


def test_nothing_is_said_that_was_not_done():
    fit = pc.fit("species ~ .", IRIS, eps=1.0)
    said = fit.card().methods
    assert said.keys == ["bien2011", "protoclass"]
    assert " with eps = 1." in said.text
    assert not re.search("cross-validation|chosen|calibration|weights|missing", said.text)


def test_weights_missing_values_calibration_and_choices_by_hand():
    data = IRIS.assign(petal_width=IRIS["petal_width"].where(IRIS.index != 3))
    fit = pc.fit("species ~ .", data, eps=[0.7, 1.0], cv=5, class_weights="balanced", calibrate=True)
    text = fit.card().methods.text
    assert "after exclusion of 1 with missing values, with balanced class weights" in text
    assert "conformal prediction sets (Vovk 2015) were obtained by logistic (Platt) calibration (" in text
    assert "radius eps of the balls (0.7 or 1)" in text
    assert "selected manually (radius eps of the balls = 1)" in fit.validation.fit_at(1).card().methods.text
    grouped = pc.fit("species ~ .", IRIS, "knn", k=[1, 3], cv=5, groups=pd.Series(np.arange(150) // 3, IRIS.index)).card().methods.text
    assert "5-fold cross-validation that kept groups together" in grouped


def test_every_format_has_the_same_citations():
    data = IRIS.assign(species=IRIS["species"].astype(str).replace("setosa", "a_b & c"))
    said = pc.fit("species ~ .", data, eps=1.0, dissimilarity="gower").card().methods
    assert said.markdown.count("[@") == len(said.keys) == 3
    assert re.findall(r"@\w+\{(\w+),", said.bibtex) == said.keys
    assert repr(said) == f"{said.text}\n\n{said.bibtex}"


def test_labels_that_look_like_citations_or_codes_are_text():
    data = IRIS.assign(species=IRIS["species"].astype(str).replace("setosa", "[@x] \x1b[31m"))
    said = pc.fit("species ~ .", data, eps=1.0).card().methods
    assert said.keys == ["bien2011", "protoclass"]
    for text in (said.text, said.markdown):
        assert "\x1b" not in text
    assert "50 [@x]" in said.text


def test_what_learns_a_distance_is_cited():
    fit = pc.fit("species ~ .", IRIS, "medianglvq", K=1, matrix="diagonal", ridge=0.01, cv=None)
    assert fit.card().methods.keys == ["nebel2015", "schneider2009", "protoclass"]
