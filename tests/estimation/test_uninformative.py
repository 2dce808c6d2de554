"""A cross-validated error above that of always predicting one class is said by print, summary, card and a warning, with what helps."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import protoclass as pc

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
        fit = pc.fit("y ~ .", noise, measure=LOSS, dissimilarity="euclidean", repeats=1)
    assert seen[0].filename == __file__
    assert fit.validation.table["error"].iloc[fit._selection.point] > fit.validation.no_information
    shown = (repr(fit), fit._repr_html_().replace("&#x27;", "'"), str(fit.summary()))
    for text in shown:
        assert re.search(words, text)
    assert "worse than no information" in repr(fit.card())
    with pytest.warns(pc.DataWarning, match="worse than no information.*permutation_test"):
        curve = pc.cross_validate("y ~ .", noise, measure=LOSS, dissimilarity="euclidean", repeats=1)
    assert "Warning: CV loss" in repr(curve)
    assert "Warning: CV loss" in curve._repr_html_()


def test_no_warning_where_the_error_is_as_good_or_not_looked_at(iris, noise):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "Warning" not in repr(pc.fit("species ~ .", iris, dissimilarity="euclidean", repeats=1))
        pc.fit("species ~ .", iris, eps=1.0, lambda_=1000.0, cv=10)
        pc.fit("y ~ .", noise, eps=1.0)
        pc.compare("y ~ .", noise, ["pvm", "knn"], cv=3)  # its errors are there to be compared


def test_an_error_that_is_above_one_class_only_when_corrected_is_said_by_print():
    """The correction of the choice alone shows it, so that a warning, which does not compute it, is not given."""
    for seed in range(30):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pc.DataWarning)
            fit = pc.fit("y ~ .", draw_noise(60, seed), "knn", k=[1, 5, 15], measure="balanced")
        error, corrected = fit.validation.table["error"].iloc[fit._selection.point], fit.validation.corrected().value
        lines = repr(fit).split("\n")
        worse = next((line for line in lines if line.startswith("Warning ")), "")
        name, value = ("CV", error) if error > 0.5 + 1e-9 else ("corrected", corrected)
        assert bool(worse) == (value > 0.5 + 1e-9)
        assert not worse or f"{name} balanced error {value:.4f}, worse than no information" in worse
        assert not worse or lines.index(worse) > next(k for k, line in enumerate(lines) if line.startswith("Balanced error "))
        if worse and name == "corrected":
            break
    else:
        pytest.fail("no draw has an error that only the correction raises above that of one class")


def spend(rows, seed):
    """Two classes that overlap, the first rare and three times as dear as in `LOSS`."""
    draw = np.random.default_rng(seed)
    y = draw.random(rows) < 0.2
    data = pd.DataFrame(draw.normal(size=(rows, 2)) + 1.2 * y[:, None], columns=["a", "b"]).assign(y=np.where(y, "ill", "well"))
    return data, pd.DataFrame([[0, 4], [1, 0]], ["ill", "well"], ["ill", "well"])


def test_costs_count_twice_only_on_probabilities_that_have_them_already():
    """A k-NN of all rows says the share of the weights: with weights and a loss of 4 it decides as by a loss of 16, calibrated by 4."""
    (data, loss), (new, _) = spend(600, 0), spend(400, 1)
    dear = loss * np.array([[1, 4], [1, 1]])
    plain, weighted = (pc.fit("y ~ .", data, "knn", k=60, class_weights=w) for w in (None, {"ill": 4}))
    with pytest.warns(pc.DataWarning, match=r"loss= on probabilities for class_weights= counts costs twice: use fit"):
        twice = weighted.predict(new, loss=loss)
    chances = weighted.predict(new, "prob")["ill"]
    odds = chances / (1 - chances) / 4  # those of the data
    pd.testing.assert_series_equal(twice == "ill", odds >= 1 / 16, check_names=False)
    assert (plain.predict(new, loss=dear) == twice).mean() > 0.9 > (plain.predict(new, loss=loss) == twice).mean()
    with pytest.warns(pc.DataWarning, match=r"threshold= on probabilities"):
        cut = weighted.predict(new, threshold={"ill": 0.2})
    assert (cut == twice).all()
    with pytest.warns(pc.DataWarning, match=r"loss= on .* twice: leave out prior="):
        weighted.calibrate().predict(new, loss=loss, prior="class_weights")
    with pytest.warns(pc.DataWarning, match=r"loss= on .* twice: use fit.calibrate"):
        weighted.test(new, loss=loss)
    assert "which also weight the errors and the probabilities; predict(new, loss=) then counts costs twice" in repr(weighted)
    assert "twice" not in repr(weighted.calibrate())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        once = [fit.predict(new, loss=loss) for fit in (plain, plain.calibrate(), weighted.calibrate())]
        once.append(weighted.predict(new, loss=loss, prior={"ill": 0.2, "well": 0.8}))
    truth = (new["y"] == "ill").to_numpy()
    paid = [np.where(truth, 4 * (said != "ill"), said == "ill").mean() for said in (twice, *once)]
    assert paid[0] > max(paid[1:]) + 0.02


def test_a_test_no_better_than_one_class_says_so_with_what_was_better():
    (data, loss), (new, _) = spend(600, 0), spend(400, 1)
    fit = pc.fit("y ~ .", data, "knn", k=25)
    found = fit.test(new, loss=loss)
    truth, said = new["y"].to_numpy(), fit.predict(new).to_numpy()
    always = {c: np.mean([loss.loc[t, c] for t in truth]) for c in loss}
    paid = np.array([loss.loc[t, p] for t, p in zip(truth, said, strict=True)])
    row = found.glance().iloc[0]
    assert found.cheapest == min(loss, key=lambda c: data["y"].map(loss[c]).mean())
    assert row["loss_no_information"] == pytest.approx(always[found.cheapest])
    assert (row["loss"] >= row["loss_no_information"]) == (paid.mean() >= always[found.cheapest]) == ("Warning: mean loss" in repr(found))
    dear = fit.test(new, loss=loss * np.array([[1, 3], [1, 1]]))
    by = dear.glance().iloc[0]
    assert by["decision_loss"] < by["loss_no_information"] < by["loss"]
    line = repr(dear).split("\n")[0]
    assert line == (
        f"Warning: mean loss {by['loss']:.4f} is not below the no-information mean loss {by['loss_no_information']:.4f} (always "
        f"{dear.cheapest!r}); predict(new, loss=) has mean loss {by['decision_loss']:.4f}"
    )
    lost = fit.test(new.assign(y=np.random.default_rng(0).permutation(new["y"])))
    assert repr(lost).startswith(f"Warning: error {lost.error:.4f} is not below the no-information error {lost.no_information:.4f}")
    # weights of the classes trade errors of one kind for another: an error above that of one class is not a lack of information
    weighted = pc.fit("y ~ .", data, "knn", k=25, class_weights="balanced").test(new)
    assert weighted.error > weighted.no_information
    assert "Warning" not in repr(weighted)
    assert "Warning" not in repr(fit.test(new[fit.predict(new) == new["y"]]))
