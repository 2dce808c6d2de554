"""A cross-validated error above that of always predicting one class is said by print, summary, card and a warning, with what helps."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.sklearn import PrototypeClassifier

LOSS = pd.DataFrame([[0, 3], [1, 0]], ["ill", "well"], ["ill", "well"])


def draw_noise(rows, seed):
    """Two classes of which the predictors say nothing."""
    draw = np.random.default_rng(seed)
    y = np.where(draw.random(rows) < 0.3, "ill", "well")
    return pd.DataFrame(draw.normal(size=(rows, 3)), columns=list("abc")).assign(y=y)


@pytest.fixture(scope="module")
def noise():
    return draw_noise(60, 0)


def test_a_loss_above_that_of_one_class_is_said_everywhere(noise):
    words = r"CV loss 0\.8667, worse than no information: always predicting 'ill' has 0\.7167; calibrate=True and predict\(new, loss=\)"
    with pytest.warns(pc.DataWarning, match=words) as seen:
        fit = pc.fit("y ~ .", noise, loss=LOSS)
    assert seen[0].filename == __file__
    assert fit.validation.table["error"].iloc[fit.point] > fit.validation.no_information
    shown = (repr(fit), fit._repr_html_().replace("&#x27;", "'"), str(fit.summary()))
    for text in shown:
        assert re.search(words, text)
    assert "worse than no information" in repr(fit.card())
    with pytest.warns(pc.DataWarning, match="worse than no information.*permutation_test"):
        curve = pc.cross_validate("y ~ .", noise, loss=LOSS)
    assert "Warning: CV loss" in repr(curve)
    assert "Warning: CV loss" in curve._repr_html_()


def test_deciding_by_probabilities_helps_on_new_rows(noise):
    """The rule pays more than always predicting one class, and the calibrated fit hardly more, for every one of some draws."""
    new = draw_noise(4000, 99)
    truth = (new["y"] == "well").to_numpy(int)

    def paid(classes):
        return float(LOSS.to_numpy()[truth, (classes == "well").to_numpy(int)].mean())

    least = min(paid(pd.Series(np.full(4000, label))) for label in ("ill", "well"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.DataWarning)
        fits = [pc.fit("y ~ .", draw_noise(60, seed), loss=LOSS) for seed in (0, 1, 3)]
    for fit in fits:
        assert paid(fit.predict(new)) > 1.1 * least
        assert paid(fit.calibrate().predict(new, loss=LOSS)) < 1.03 * least
    assert "; predict(new, loss=), which decides" in repr(fits[0].calibrate())


def test_balanced_weights_and_the_choice_of_the_least_error(iris):
    with pytest.warns(pc.DataWarning, match=r"CV error 0\.5334, worse.*always predicting 'well' has 0\.5000.*predict\(new, prior=\)"):
        fit = pc.fit("y ~ .", draw_noise(60, 3), class_weights="balanced")
    assert fit.validation.corrected("min") > 0.5
    assert "choose='min'" not in repr(fit)  # the least error of noise is below 0.5, and corrected it is not
    assert fit.validation.table["error"].min() < 0.5
    swapped = iris.assign(species=pd.Series(np.where(np.arange(150) % 10 == 0, "odd", "even")))
    curve = pc.cross_validate("species ~ .", swapped, "knn", k=[1, 30])
    assert curve.table["error"].tolist()[1] == pytest.approx(0.1) == curve.no_information
    assert "worse than no information" not in repr(curve.fit_at(1))  # as good as always predicting one class
    apart = iris.assign(species=iris["species"].astype(str).replace("setosa", "virginica"))
    curve = pc.cross_validate("species ~ petal_length + petal_width", apart, eps=[0.5, 2.4])
    worse = curve.fit_at(1)
    assert curve.table["error"].iloc[1] > 1 / 3
    assert f"choose='min', whose corrected error is {curve.corrected('min'):.4f}" in repr(worse)


def test_no_warning_where_the_error_is_as_good_or_not_looked_at(iris, noise):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "Warning" not in repr(pc.fit("species ~ .", iris))
        pc.fit("species ~ .", iris, eps=1.0, lambda_=1000.0, cv=10)
        pc.fit("y ~ .", noise, eps=1.0)
        pc.compare("y ~ .", noise, ["pvm", "knn"], cv=3)  # its errors are there to be compared


def test_the_estimator_warns_as_well(noise):
    with pytest.warns(pc.DataWarning, match="worse than no information"):
        PrototypeClassifier("knn", k=[1, 3]).fit(noise[["a", "b", "c"]], noise["y"])
