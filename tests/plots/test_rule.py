"""The picture of a rule that is built of conditions: its frame by hand, and the drawing against its frame."""

import numpy as np
import pytest
from looks import find_faults
from matplotlib.figure import Figure

import protoclass as pc
from protoclass.models.registry import methods_with
from protoclass.pictures.prototypes import list_conditions


@pytest.fixture(scope="module")
def cancer():
    return pc.load_data("breast_cancer")


@pytest.fixture(scope="module")
def fit(cancer):
    return pc.fit("diagnosis ~ .", cancer, "scm", features="stumps", kind="disjunction", penalty=2.0, max_size=3)


def test_each_condition_sees_the_rows_that_none_before_has_removed(fit, cancer):
    table, features = list_conditions(fit), fit.tidy()
    left = cancer.index
    for step, (_, feature) in enumerate(features.iterrows(), start=1):
        own = table[table["step"] == step]
        assert own["row"].tolist() == left.tolist()
        assert set(own["condition"]) == {feature["rule"]}
        assert set(own["cut"]) == {feature["threshold"]}
        np.testing.assert_array_equal(own["value"], cancer.loc[left, feature["column"]])
        above = feature["rule"].split()[-2] == ">"
        np.testing.assert_array_equal(own["removed"], (own["value"] > feature["threshold"]) == above)
        of_n = own["class"] == "malignant"  # what a disjunction covers
        assert ((own["removed"] & of_n).sum(), (own["removed"] & ~of_n).sum()) == (feature["q"], feature["r"])
        left = left[~own["removed"].to_numpy()]
    last = table[table["step"] == len(features)]
    predicted = fit.predict(cancer)
    assert (predicted[last["row"][~last["removed"]]] == "benign").all()
    assert (predicted == "malignant").sum() == table["removed"].sum()


def test_machines_see_the_classes_that_they_tell_apart_and_balls_are_cut_by_distance(iris):
    fit = pc.fit("species ~ .", iris, "scm", features="balls", kind="conjunction", penalty=2.0, max_size=2)
    table, features, D = list_conditions(fit), fit.tidy(), fit.dissimilarity.frame()
    assert table["machine"].nunique() == 3
    for (machine, _), own in table.groupby(["machine", "step"], sort=False):
        one, other = machine.split(" against ")
        assert set(own["class"]) <= {one, other}
    first = table[table["step"] == 1]
    for machine, own in first.groupby("machine"):
        feature = features[features["machine"] == machine].iloc[0]
        np.testing.assert_array_equal(own["value"], D.loc[own["row"], feature["centre"]])
        assert own["quantity"].iloc[0] == f"distance to row {feature['centre']}"


def test_lanes_have_the_rows_of_the_frame_their_cut_and_what_is_removed(fit):
    table = list_conditions(fit)
    figure = fit.plot("rule")
    assert len(figure.axes) == table["step"].nunique()
    for step, ax in enumerate(figure.axes, start=1):
        own = table[table["step"] == step]
        kept, removed = (np.concatenate([c.get_offsets()[:, 0] for c in ax.collections[part:-1:2]]) for part in (0, 1))
        np.testing.assert_allclose(np.sort(kept), np.sort(own["value"][~own["removed"]]))
        np.testing.assert_allclose(np.sort(removed), np.sort(own["value"][own["removed"]]))
        assert set(ax.lines[0].get_xdata()) == {own["cut"].iloc[0]}
        gone = own[own["removed"]]["class"].value_counts()
        assert f"malignant: {gone['malignant']} of {(own['class'] == 'malignant').sum()}" in ax.get_title()
    assert find_faults(figure) == []
    assert len(fit.plot("rule", n=1).axes) == 1


def test_methods_without_conditions_name_those_that_have_them(iris, fit):
    with pytest.raises(pc.errors.NotAvailableError, match=rf"has no conditions to draw: use .*{methods_with('conditions')}"):
        pc.fit("species ~ .", iris, eps=1.0).plot("rule")
    with pytest.raises(pc.errors.OptionError, match=r"n must be .*, not 0"):
        fit.plot("rule", n=0)
    with pytest.raises(pc.errors.OptionError, match="several Axes"):
        fit.plot("rule", ax=Figure().subplots())
