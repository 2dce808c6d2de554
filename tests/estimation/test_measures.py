"""Tuning by values for each class: areas under ROC curves, Brier score and log loss, as scikit-learn computes them."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import protoclass as pc

IRIS = pc.load_data("iris")
TWO = IRIS[IRIS["species"] != "setosa"].assign(species=lambda d: d["species"].cat.remove_unused_categories())


def held_out_values(v, point, kind):
    """Values of the rows of each fold, from the fit to the other rows, which is how they are cross-validated."""
    data, parameters = v._problem.call.data, v.grid.iloc[point].to_dict()
    for f in range(v.folds.max() + 1):
        out = (v.folds == f).to_numpy()
        fit = pc.fit("species ~ .", data[~out], v._problem.model.name, dissimilarity=pc.Euclidean(scale=False), cv=None, **parameters)
        yield data["species"][out], fit.predict(data[out], kind)


SCORES = {
    "auc": lambda y, p: 1 - metrics.roc_auc_score(y, p if p.shape[1] > 2 else p.iloc[:, 1], multi_class="ovr"),
    "log_loss": lambda y, p: metrics.log_loss(y, p, labels=list(p)),
    "brier": lambda y, p: np.mean([metrics.brier_score_loss(y == c, p[c]) for c in p]) * (len(list(p)) if len(list(p)) > 2 else 1),
}


@pytest.mark.parametrize(("data", "measure"), [(IRIS, "auc"), (TWO, "auc"), (IRIS, "log_loss"), (IRIS, "brier"), (TWO, "brier")])
def test_scores_of_probabilities_against_scikit_learn(data, measure):
    v = pc.cross_validate("species ~ .", data, "knn", k=[1, 6], cv=5, dissimilarity=pc.Euclidean(scale=False), measure=measure)
    for point in range(2):
        each = [SCORES[measure](y, p) for y, p in held_out_values(v, point, "prob")]
        assert v.fold_errors[point].to_numpy() == pytest.approx(each)
        assert v.table["error"][point] == pytest.approx(np.mean(each))
    share = np.full(len(data["species"].cat.categories), 1 / data["species"].nunique())
    constant = pd.DataFrame(np.tile(share, (len(data), 1)), columns=data["species"].cat.categories)
    assert v.no_information == pytest.approx(SCORES[measure](data["species"].reset_index(drop=True), constant))


def test_the_area_of_rules_without_probabilities_is_by_the_margin():
    v = pc.cross_validate("species ~ .", IRIS, eps=[0.4, 0.8, 60.0], cv=3, dissimilarity=pc.Euclidean(scale=False), measure="auc")
    for point in range(3):
        each = []
        for y, d in held_out_values(v, point, "distance"):
            margins = [d.drop(columns=c).min(axis=1) - d[c] for c in d]
            each.append(np.mean([metrics.roc_auc_score(y == c, m.fillna(0)) for c, m in zip(d, margins, strict=True)]))
        assert 1 - v.fold_errors[point].to_numpy() == pytest.approx(each)
    assert v._point_of() == v.table.query("error <= error.min() + se[error.idxmin()]")["size"].idxmin()
    assert "AUC" in repr(v)
    fit = v.fit
    assert f"CV AUC {1 - v.selected()['error']:.4f}" in " ".join(str(fit.summary()).split())
    assert fit.glance()["cv_auc"].item() == 1 - v.selected()["error"]


def test_the_weighted_mean_of_the_losses_of_rows_is_the_area():
    weights = np.random.default_rng(0).integers(0, 4, len(TWO)).astype(float)
    v = pc.cross_validate("species ~ .", TWO, "knn", k=[6], cv=5, dissimilarity=pc.Euclidean(scale=False), weights=weights, measure="auc")
    lost, fold = v._scored[0, :, 0], v.folds.to_numpy()
    found = [np.average(lost[fold == f], weights=weights[fold == f]) for f in range(5)]
    assert found == pytest.approx(v.fold_errors[0])
    assert 0 <= v.corrected().low <= v.corrected().value <= v.corrected().high < 0.3


def test_measures_that_a_method_or_a_decision_lacks_name_the_cure():
    with pytest.raises(pc.errors.NotAvailableError, match=r"'pvm' .*: tune by measure='error', and use fit.calibrate\(\)"):
        pc.fit("species ~ .", IRIS, eps=[1.0, 2.0], measure="brier")
    with pytest.raises(pc.errors.DataError, match="two classes in each fold: use fewer folds"):
        pc.fit("species ~ .", IRIS, "knn", k=[1, 6], measure="auc", cv="loo")
    with pytest.raises(pc.errors.OptionError, match="does not depend on a threshold"):
        pc.fit("species ~ .", TWO, eps=1.0, calibrate=True).threshold("virginica", measure="auc")
    with pytest.raises(pc.errors.OptionError, match="use measure='auc'"):
        pc.fit("species ~ .", IRIS, measure="roc_auc")


def test_a_fold_without_a_class_has_the_areas_of_the_others():
    folds = pd.Series(np.where(IRIS["species"] == "setosa", 0, np.arange(150) % 3), IRIS.index)
    v = pc.cross_validate("species ~ .", IRIS, "knn", k=[6], cv=folds, dissimilarity=pc.Euclidean(scale=False), measure="auc")
    y, p = list(held_out_values(v, 0, "prob"))[1]
    own = np.mean([metrics.roc_auc_score(y == c, p[c]) for c in ("versicolor", "virginica")])
    assert 1 - v.fold_errors[0][1] == pytest.approx(own)


def test_comparisons_files_and_permutations_of_a_fit_that_is_tuned_by_the_area(tmp_path):
    fit = pc.fit("species ~ .", TWO, "knn", k=[1, 6], measure="auc", cv=3)
    assert pc.load(fit.save(tmp_path / "a.proto").path).validation.corrected() == fit.validation.corrected()
    assert fit.validation.permutation_test(resamples=3).measure == "1 - AUC"
    found = pc.compare("species ~ .", TWO, ["knn", "logistic"], measure="auc", cv=3)
    assert len(found.table) == 2
