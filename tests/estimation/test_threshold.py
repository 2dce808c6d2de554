"""A cut on the chance of a class: against all cuts one by one, judged without the rows that chose it, and where it helps."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.core.statistics.intervals import least_se, wilson
from protoclass.core.statistics.roc import all_cuts, best_cut, decide_at, variance_of_choice
from protoclass.core.statistics.scores import fit_isotonic, fit_multinomial


def rare(n, seed, share=0.03):
    draw = np.random.default_rng(seed)
    y = np.arange(n) < max(8, round(n * share))
    return pd.DataFrame(draw.normal(size=(n, 2)) + 2 * y[:, None], columns=["a", "b"]).assign(y=np.where(y, "ill", "well"))


@pytest.fixture(scope="module")
def fit():
    weights = np.random.default_rng(3).uniform(0.5, 2, 300)
    return pc.fit("y ~ .", rare(300, 0, 0.1), "knn", k=7, weights=weights).calibrate(cv=4)


@pytest.fixture(scope="module")
def three(iris):
    return pc.fit("species ~ sepal_length + sepal_width", iris, eps=0.4).calibrate(method="isotonic", cv=5)


def naive(p, y, w, code, losses, balanced, limits):
    """All cuts one by one: (cut, loss) of the least loss within the limits, the highest of equal ones."""
    v = w / np.array([w[y == c].sum() for c in range(p.shape[1])])[y] if balanced else w
    best = (None, np.inf)
    for cut in [np.inf, *sorted(set(p[:, code]), reverse=True)]:
        said = np.array([code if row[code] >= cut else max((c for c in range(len(row)) if c != code), key=lambda c: row[c]) for row in p])
        own = y == code
        shares = np.average(said[own] == code, weights=w[own]), np.average(said[~own] != code, weights=w[~own])
        reached = dict(zip(("sensitivity", "specificity"), shares, strict=True))
        loss = np.average(losses[y, said], weights=v)
        if all(reached[k] >= x - 1e-9 for k, x in limits.items()) and loss < best[1] - 1e-9:
            best = (cut, loss)
    return best


CHOICES = [({}, {}), ({"measure": "balanced"}, {}), ({}, {"sensitivity": 0.9}), ({}, {"specificity": 0.95}),
           ({"measure": "balanced"}, {"specificity": 0.99})]  # fmt: skip


@pytest.mark.parametrize(("how", "limits"), CHOICES)
@pytest.mark.parametrize("name", ["fit", "three"])
def test_the_cut_is_the_best_of_all_and_is_judged_without_the_rows_that_chose_it(request, name, how, limits):
    fit = request.getfixturevalue(name)
    c, levels = fit._calibration, fit.classes
    y, w, fold, losses = c.conformal.y, c.conformal.w, c.conformal.fold, 1.0 - np.eye(len(levels))
    balanced = how.get("measure") == "balanced"
    for code, of in list(enumerate(levels))[-2:]:
        found = fit.threshold(of, **how, **limits)
        p = c.chances.of(c.scores)
        cut, loss = naive(p, y, w, code, losses, balanced, limits)
        assert found.apparent_error == pytest.approx(loss)
        assert np.array_equal(p[:, code] >= found.value, p[:, code] >= cut)
        learn = fit_isotonic if c.chances.name == "isotonic" else fit_multinomial
        said = np.empty(len(y), int)
        for f in np.unique(fold):
            seen = fold != f
            chances = learn(c.scores[seen], y[seen], w[seen])
            cut, _ = naive(chances.of(c.scores[seen]), y[seen], w[seen], code, losses, balanced, limits)
            between = chances.of(c.scores[seen])[:, code]
            between = np.append(between[between < cut], 0.0).max() if np.isfinite(cut) and (between < cut).any() else None
            cut = cut if between is None else (cut + between) / 2 if cut < np.inf else cut
            said[~seen] = decide_at(chances.of(c.scores[~seen]), code, 0.0 if between is None and cut < np.inf else cut)
        v = w / np.bincount(y, w)[y] if balanced else w
        assert found.error == pytest.approx(np.average(said != y, weights=v))
        of_fold = np.array([np.average((said != y)[fold == f], weights=v[fold == f]) for f in np.unique(fold)])
        share = np.array([v[fold == f].sum() for f in np.unique(fold)]) / v.sum()
        over_folds = np.sqrt(share @ (of_fold - found.error) ** 2 / (len(share) - 1))
        assert found.se == pytest.approx(max(over_folds, least_se(v)))
        assert found.sensitivity.value == pytest.approx(np.average(said[y == code] == code, weights=w[y == code]))
        assert found.specificity.value == pytest.approx(np.average(said[y != code] != code, weights=w[y != code]))


def test_a_loss_matrix_chooses_and_predictions_follow_the_cut(fit):
    loss = pd.DataFrame([[0, 20], [1, 0]], ["ill", "well"], ["ill", "well"])
    cut = fit.threshold("ill", loss=loss)
    assert cut.measure == "loss"
    assert cut.value < fit.threshold("ill").value
    assert cut.apparent_error == pytest.approx(cut.table["error"].min())
    new = rare(80, 5)
    new.loc[3, "a"] = np.nan
    p, said = fit.predict(new, "prob"), fit.predict(new, threshold=cut)
    assert said.isna().tolist() == [i == 3 for i in range(80)]
    known = said.notna()
    assert (said[known] == np.where(p["ill"] >= cut.value, "ill", "well")[known]).all()
    assert fit.predict(new, threshold={"ill": 0.3})[known].tolist() == np.where(p["ill"] >= 0.3, "ill", "well")[known].tolist()
    found = fit.test(new, threshold=cut, loss=loss)
    truth = new["y"][known]
    assert found.wrong == (said[known].astype(str) != truth).sum()
    assert found.glance()["loss"].iloc[0] == pytest.approx(np.mean([loss.loc[t, s] for t, s in zip(truth, said[known], strict=True)]))
    words = f"Decision: Predict ill if its probability is at least {cut.value:.4g}"
    assert words in repr(found)
    assert "Decision" in str(found.summary())
    assert "Decision:" not in repr(fit.test(new))
    assert {g: t.decided for g, t in fit.test(new, by=new.index % 2, threshold=cut).groups.items()} == {0: found.decided, 1: found.decided}


def test_print_says_the_cut_by_which_rule_and_its_error(three, iris):
    cut = three.threshold("virginica", "balanced", specificity=0.8)
    assert repr(cut).splitlines()[0] == f"Predict virginica if its probability is at least {cut.value:.4g}"
    assert "Selected by: lowest balanced error with specificity of at least 0.8, among " in repr(cut)
    assert f"CV balanced error {cut.error:.4f} (SE {cut.se:.4f}), threshold re-selected in each of 5 folds\n" in repr(cut)
    assert f"\nApparent balanced error {cut.apparent_error:.4f} (optimistic)" in repr(cut)
    assert f"specificity {cut.specificity.value:.3f} (" in cut._repr_html_()
    row = cut.glance().iloc[0]
    assert (row["class"], row["value"], row["error"], row["rows"], row["folds"]) == ("virginica", cut.value, cut.error, 150, 5)
    never = pc.fit("y ~ .", rare(300, 2), eps=0.8).calibrate(rare(200, 3)).threshold("ill", specificity=1.0)
    assert never.rows == 200
    assert never.folds == 8  # the rarest class has eight rows
    assert pc.fit("species ~ .", iris[::2], "knn", k=3).calibrate(cv="loo").threshold("setosa").folds == 10


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"of": "sick"}, "'sick' is not a class: use 'ill', 'well'"),
        ({"of": ["ill"]}, "is not a class"),
        ({"of": "ill", "sensitivity": 1.5}, r"sensitivity must be a number above 0, up to 1, not 1\.5"),
        ({"of": "ill", "sensitivity": 0.5, "specificity": 0.5},
         "one threshold may not reach both sensitivity= and specificity=: use one of them"),
        ({"of": "ill", "measure": "auc"}, r"measure must be 'error', 'balanced' or 'ordinal', a.*not 'auc':"),
        ({"of": "ill", "loss": 3}, r"loss must be a DataFrame with true classes as.*not 3"),
    ],
)
def test_wrong_choices(fit, options, words):
    with pytest.raises(pc.errors.OptionError, match=words):
        fit.threshold(**options)


def test_classes_that_are_numbers_have_no_quotes(iris):
    coded = iris.assign(species=(iris["species"] == "setosa").astype(int))
    fit = pc.fit("species ~ .", coded, "knn", k=3).calibrate(cv=2)
    for call in (lambda: fit.threshold("1"), lambda: fit.test(coded[::2], threshold={"1": 0.3})):
        with pytest.raises(pc.errors.OptionError, match="'1' is not a class: use 0, 1, without quotes"):
            call()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threshold": 0.3}, r"threshold must be the result of.*as \{'well': 0\.3\},"),
        ({"threshold": {"ill": 2}}, r"a threshold must be a number from 0 to 1, not \{'ill': 2\}"),
        ({"threshold": {"sick": 0.2}}, "'sick' is not a class"),
        ({"threshold": {"ill": 0.2, "well": 0.1}}, "a dict of one class"),
        ({"threshold": {"ill": 0.2}, "kind": "prob"}, "threshold= needs kind='class', not 'prob'"),
        ({"threshold": {"ill": 0.2}, "prior": {"ill": 0.5, "well": 0.5}}, "leave out loss= and prior="),
    ],
)
def test_wrong_thresholds(fit, options, words):
    with pytest.raises(pc.errors.OptionError, match=words):
        fit.predict(**options)


def test_without_chances_the_cure_is_named_and_few_rows_are_refused(iris):
    plain = pc.fit("species ~ .", iris, eps=1.0)
    with pytest.raises(pc.errors.NotAvailableError, match=r"fit.calibrate\(\).threshold"):
        plain.threshold("setosa")
    with pytest.raises(pc.errors.OptionError, match=r"method 'pvm' has no probabilities unless it is calibrated: use fit\.calibrate\(\)"):
        plain.predict(threshold={"setosa": 0.5})
    one = pd.concat([iris[1:100:2], iris[101:102]])
    with pytest.raises(pc.errors.DataError, match="rows of 'virginica' are all in one fold"):
        pc.fit("species ~ .", iris[::2], eps=1.0).calibrate(one).threshold("virginica")


@pytest.mark.parametrize(("sensitivity", "specificity"), [(None, None), (0.8, None), (None, 0.9)])
@pytest.mark.parametrize("balanced", [False, True])
def test_the_variance_of_the_choice_is_that_of_cuts_chosen_one_by_one(sensitivity, specificity, balanced):
    draw = np.random.default_rng(5)
    n, draws = 60, 30
    own = np.arange(n) % 3 == 0
    rank = np.argsort(np.argsort(-(draw.normal(size=n) + own)))
    w, fold = draw.integers(1, 4, n) / 2, np.arange(n) // 3 % 4

    def weigh(v):
        return v / np.bincount(own.astype(int), v)[own.astype(int)] if balanced else v

    def chosen(v, weight):
        """Ranks at which the class is predicted; ranks without rows are divided between their neighbours."""
        live = v > 0
        cuts = all_cuts(-rank[live].astype(float), ~own[live], own[live], own[live], v[live], weight[live])
        at = best_cut(cuts, sensitivity, specificity)
        return -rank >= (cuts.cut[at] if at < len(cuts.cut) - 1 else -np.inf)  # the last is below all chances

    again, found = np.random.default_rng(1), []
    for _ in range(draws):
        v = w * np.bincount(again.integers(0, n, n), minlength=n)
        said, whole = np.zeros(n, bool), chosen(v, weigh(v))
        for f in range(4):
            said[fold == f] = chosen(np.where(fold == f, 0.0, v), weigh(v))[fold == f]
        share = [np.average(said[rows], weights=v[rows]) - np.average(whole[rows], weights=w[rows]) for rows in (own, ~own)]
        found.append(share)
    variances = variance_of_choice(
        (fold, rank), np.where(own, -1.0, 1.0), own, w, weigh, np.arange(n), (sensitivity, specificity), draws, np.random.default_rng(1)
    )  # fmt: skip
    assert variances == pytest.approx(np.var(found, axis=0), rel=1e-9)
    assert min(variances) > 0


def test_intervals_allow_for_the_choice_of_the_cut():
    """Wilson's interval of the rows contains the specificity of the chosen cut in 84 % of 100 such samples, this one in 95 %."""
    draw = np.random.default_rng(0)

    def rows(n):
        y = draw.random(n) < 0.3
        return pd.DataFrame({"a": draw.normal(size=n) + 1.2 * y, "y": np.where(y, "ill", "well")})

    new, held, plain = rows(2000), [], []
    fit = pc.fit("y ~ .", rows(100), "knn", k=15, cv=None)
    well = (new["y"] == "well").to_numpy()
    for _ in range(40):
        calibrated = fit.calibrate(rows(100))
        cut = calibrated.threshold("ill")
        truth = (calibrated.predict(new[well], "prob")["ill"] < cut.value).mean()
        low, high = wilson(cut.specificity.value, (calibrated._calibration.conformal.y == 1).sum())
        held.append(cut.specificity.low <= truth <= cut.specificity.high)
        plain.append(low <= truth <= high)
    assert np.mean(plain) < 0.85
    assert np.mean(held) > 0.9
