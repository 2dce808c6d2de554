"""`PVM(radii=)` through the front door: what a fit says, predicts and bounds is that of each prototype's own radius."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.scm.bounds import compression_bound
from protoclass.views import cards, geometry, pictures, prototypes, words
from protoclass.views.stages import make_stages

PETALS = "species ~ petal_length + petal_width"


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=2.0, radii="individual")


@pytest.fixture(scope="module")
def ring():
    """A core of one class within a ring of another: the row in the middle is a prototype of both."""
    t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    circle = np.column_stack([np.cos(t), np.sin(t)])
    X = np.concatenate([np.zeros((1, 2)), 0.3 * circle[::8], 2 * circle])
    data = pd.DataFrame(X, [f"r{i}" for i in range(46)], ["u", "v"]).assign(y=["a"] * 6 + ["b"] * 40)
    metric = pc.Euclidean(scale=False)
    return pc.fit("y ~ .", data, eps=2.2, lambda_=3.0, radii="individual", dissimilarity=metric), data, metric


def test_prototypes_have_their_radii_and_decide_by_the_share_of_them(fit, iris):
    X = iris.drop(columns="species")
    X = (X / X.std()).to_numpy()
    names, radii = fit.prototypes.index, fit.prototypes["radius"].to_numpy()
    assert len(np.unique(radii)) > 3
    assert radii * 12 == pytest.approx(np.rint(radii * 12))
    D = np.sqrt(((X[:, None] - X[names]) ** 2).sum(axis=2))
    share, codes = D / radii, fit.prototypes["class"].cat.codes.to_numpy()
    assert fit.predict(iris, "nearest").tolist() == names[share.argmin(axis=1)].tolist()
    assert fit.predict(iris).cat.codes.tolist() == codes[share.argmin(axis=1)].tolist()
    expected = np.stack([share[:, codes == c].min(axis=1) for c in range(3)], axis=1)
    assert fit.predict(iris, "distance").to_numpy() == pytest.approx(expected)
    held = [set(codes[row]) for row in radii > D]
    only = [row.pop() if len(row) == 1 else -1 for row in held]
    assert fit.predict(iris, "cover").cat.codes.tolist() == only
    own = (radii > D) & (iris["species"].cat.codes.to_numpy()[:, None] == codes)
    assert fit.objective.uncovered == (~own.any(axis=1)).sum()
    assert (
        fit.objective.miscovered
        == ((radii > D) & ~own & (iris["species"].cat.codes.to_numpy()[:, None] != codes)).sum()
    )


def test_print_and_summary_say_that_radii_differ(fit):
    for text in (str(fit), str(fit.summary())):
        assert "individual radii" in text
        assert "Largest radius" in text
    assert "radius" in str(fit.summary())
    assert words.describe_balls(fit, 3, True) == "balls of individual radii (the first 3)"


def test_a_grid_of_radii_has_both_kinds(iris):
    tuned = {"eps": [0.8, 1.5, 2.5], "lambda_": [0.1, 1.0], "cv": 4}
    both = pc.cross_validate("species ~ .", iris, radii="grid", **tuned)
    assert list(both.grid) == ["eps", "lambda_", "radii"]
    for kind in ("one", "individual"):
        alone = pc.cross_validate("species ~ .", iris, radii=kind, **tuned).table
        part = both.table[both.table["radii"] == kind].drop(columns="radii").reset_index(drop=True)
        pd.testing.assert_frame_equal(part, alone)
    chosen = both.fit_at(len(both.table) - 1)
    assert chosen.model.radii == "individual"
    assert "radius" in chosen.prototypes
    assert "radius" not in both.fit_at(0).prototypes
    assert pc.fit("species ~ .", iris, eps=1.0).prototypes.equals(
        pc.fit("species ~ .", iris, eps=1.0, radii="one").prototypes
    )


def test_given_dissimilarities_give_the_same_fit(fit, iris):
    D = pc.dissimilarity("species ~ .", iris).frame()
    given = pc.fit("species ~ 1", iris, dissimilarity=D, eps=2.0, radii="individual")
    assert given.prototypes["radius"].equals(fit.prototypes["radius"])
    new = D.iloc[::7][given.prototypes.index]
    assert given.predict(new).tolist() == fit.predict(iris.iloc[::7]).tolist()


def test_steps_costs_and_certificates(fit, iris):
    steps = fit.path()
    errors = [fit.at(size=k).training_error() for k in range(len(steps))]
    assert steps["training_error"].tolist() == pytest.approx(errors)
    refitted = fit.update(lambda_=3.0)
    assert fit.at(lambda_=3.0).prototypes.equals(refitted.prototypes)
    assert fit.at(lambda_=3.0).objective == refitted.objective
    exact = fit.update(solver="exact")
    assert exact.certificate.gap == 0
    assert exact.objective.value <= min(
        fit.objective.value, pc.fit("species ~ .", iris, eps=2.0, solver="exact").objective.value
    )
    certified = fit.update(certify=True)
    assert certified.certificate.bound.sum() <= exact.objective.value + 1e-9


def test_the_bound_counts_which_radius_each_prototype_has(fit, iris):
    size, errors = len(fit.prototypes), round(150 * fit.training_error())
    expected = compression_bound(150, size, 0, errors, 0.05 / 24.0**size)
    table = fit.bound()
    # delta is shared among the 24^q choices of radii
    assert table["bound"].iloc[0] == pytest.approx(float(expected.value))
    assert table["tail_bound"].iloc[0] == pytest.approx(float(expected.tail))
    tried = pc.fit("species ~ .", iris, eps=2.0, radii=["one", "individual"], choose="min")
    size, errors = len(tried.prototypes), round(150 * tried.training_error())
    messages = 2 * (24.0**size if tried.model.radii == "individual" else 1)
    assert tried.bound()["bound"].iloc[0] == pytest.approx(
        float(compression_bound(150, size, 0, errors, 0.05 / messages).value)
    )


def test_pictures_draw_each_ball_with_its_radius(iris):
    fit = pc.fit(PETALS, iris, eps=2.0, radii="individual", dissimilarity=pc.Euclidean(scale=False))
    outlines = geometry.outline_balls(fit, geometry.make_plane(fit))
    centres = fit.prototypes[["petal_length", "petal_width"]].to_numpy()
    far = np.linalg.norm(outlines - centres[:, None], axis=2)
    assert len(np.unique(fit.prototypes["radius"])) > 1
    assert far == pytest.approx(np.repeat(fit.prototypes["radius"].to_numpy()[:, None], far.shape[1], axis=1))
    assert fit.plot() is not None


def test_views_and_explanations_follow_the_rule(fit, iris):
    seen = prototypes.measure_coverage(fit)
    names = fit.prototypes.index
    assert names[seen.nearest].tolist() == fit.predict(iris, "nearest").tolist()
    assert seen.fitted.tolist() == fit.predict(iris).cat.codes.tolist()
    table = fit.why(70)
    distances = fit.predict(iris.loc[[70]], "distance").iloc[0].sort_values()
    assert [table.attrs["prototype_distance"], table.attrs["rival_distance"]] == pytest.approx(
        distances.iloc[:2].tolist()
    )
    assert (table["to_prototype"].sum(), table["to_rival"].sum()) == pytest.approx(distances.iloc[:2].tolist())
    few = fit.at(size=8)
    points, wrong = few.rule.prototypes, pictures.list_misclassified(few)
    share = few.query()[0].dissimilarities(points) / points.radii
    own = np.where(points.classes == few.frame.codes[:, None], share, np.inf)[wrong.index]
    assert len(wrong) > 0
    assert wrong["right"].tolist() == few.prototypes.index[own.argmin(axis=1)].tolist()
    assert "does not use the distances of the metric" in fit.augment().attrs["certified_radius"]


def test_an_explorer_reaches_other_largest_radii(fit, iris):
    stages = make_stages(fit, [1.0, 3.0])
    assert stages.radii == [1.0, 2.0, 3.0]
    wider, shorter = stages.at(3.0, None), stages.at(1.0, 4)
    assert wider.prototypes.equals(fit.update(eps=3.0).prototypes)
    assert shorter.prototypes.equals(fit.update(eps=1.0).prototypes.iloc[:4])
    for one in (wider, shorter):
        seen = prototypes.measure_coverage(one, stages.source)
        assert seen.fitted.tolist() == one.predict(iris).cat.codes.tolist()
        held = one.rule.prototypes.radii > stages.source.take(np.arange(150), one.rule.prototypes.at)
        assert (seen.wrong == (held & (one.frame.codes[:, None] != one.rule.prototypes.classes)).sum(axis=1)).all()
    found = cards.find_details(wider, stages.source, prototypes.measure_coverage(wider, stages.source), 70)
    assert f"The nearest prototype is {wider.predict(iris, 'nearest')[70]} " in found.words[0]


def test_a_row_may_be_a_prototype_of_two_classes(ring):
    fit, data, metric = ring
    assert fit.prototypes.index.tolist() == ["r0", "r0"]
    assert set(fit.prototypes["class"]) == {"a", "b"}
    given = pc.fit(
        "y ~ 1", data, eps=2.2, lambda_=3.0, radii="individual", dissimilarity=pc.dissimilarity("y ~ .", data, metric=metric)
    )
    assert given.predict().tolist() == fit.predict().tolist()
    assert set(fit.augment()["prototype"]) == {"r0"}
    assert fit.stability(B=3) is not None
    assert fit.plot() is not None


def test_weights_and_unlabelled_candidates(iris):
    w = 1 + np.arange(150) % 3
    weighted = pc.fit("species ~ .", iris, eps=2.0, radii="individual", weights=w, dissimilarity=pc.Euclidean(scale=False))
    repeated = iris.loc[iris.index.repeat(w)].reset_index(drop=True)
    twice = pc.fit("species ~ .", repeated, eps=2.0, radii="individual", dissimilarity=pc.Euclidean(scale=False))
    assert weighted.predict(iris).tolist() == twice.predict(iris).tolist()
    extra = iris.iloc[1::2].set_axis([f"new {i}" for i in range(75)])
    fit = pc.fit("species ~ .", iris.iloc[::2], eps=2.0, radii="individual", candidates=pc.unlabelled(extra))
    assert fit.prototypes.index.astype(str).str.startswith("new").any()
    assert fit.training_error() < 0.1


@pytest.mark.parametrize("radii", ["two", [], True, 1.0, ["one", "two"], "Own"])
def test_other_values_are_refused(iris, radii):
    with pytest.raises(pc.OptionError, match=r"^radii .*must be"):
        pc.fit("species ~ .", iris, eps=1.0, radii=radii)


@pytest.mark.parametrize("solver", ["greedy", "exact", "rounding", "ratio"])
def test_where_no_ball_pays_the_most_common_class_is_predicted(iris, solver):
    data = iris.iloc[:90]
    fit = pc.fit("species ~ .", data, eps=1.0, radii="individual", lambda_=1e6, solver=solver)
    assert len(fit.prototypes) == 0
    assert set(fit.predict()) == {"setosa"}
    assert fit.predict(kind="cover").isna().all()
    assert fit.objective.value == 90
    assert "none" in str(fit)
    v = pc.cross_validate("species ~ .", data, eps=[1.0], radii="individual", lambda_=[1e6, 2e6], solver=solver, cv=3)
    assert (v.table["size"] == 0).all()
