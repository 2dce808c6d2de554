"""Random frames x formulas x methods x metrics x solvers x candidates: a right answer, or an error of our own."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import protoclass as pc
from protoclass.pictures import KINDS

from .calls import METHODS, calls
from .frames import HOSTILE_NUMBERS, sound_frames
from .laws import attempt, check_new, check_predictions, equal, kept, lawful

PICTURES = [None, *KINDS]


@kept(60)
@given(st.one_of(calls(), calls(sound_frames())))
def test_fit_and_predict(call):
    fit = attempt(call.run, "fit")
    if fit is not None:
        with lawful():
            check_predictions(fit)
            check_new(fit, call.data)
            again = call.run()
            assert equal(again.prototypes, fit.prototypes)
            assert again.predict().equals(fit.predict())


@kept(40)
@given(calls(odd=0.15))
def test_tables(call):
    fit = attempt(call.run, "tables")
    if fit is None:
        return
    with lawful():
        assert repr(fit)
        assert fit._repr_html_()
        summary = fit.summary()
        assert str(summary)
        assert summary.as_html()
        assert summary.as_latex()
    with lawful():
        assert len(fit.prototypes) == len(fit.rule.prototypes)
        assert set(fit.prototypes["class"].dropna()) <= set(fit.classes)
        assert (fit.prototypes["class"].isna() == (fit.rule.prototypes.classes < 0)).all()  # columns that stand for no class
        fit.tidy()
        assert len(fit.glance()) == 1
    with lawful():
        table = fit.augment()
        assert len(table) == fit.nobs + len(fit.dropped)
    with lawful():
        table = fit.augment(call.data)
        assert table.index.equals(call.data.index)
        if not fit._problem.metric.given:
            assert table["fitted"].equals(fit.predict(call.data).rename("fitted"))
    with lawful():
        test = fit.test(call.data)
        assert 0 <= test.low <= test.error <= test.high <= 1
        assert repr(test)
        assert test._repr_html_()
        table = test.tidy()
        assert len(table) == len(fit.classes)
        for name in ("sensitivity", "ppv", "f1", "balanced_accuracy"):
            known = table[table[name].notna()]
            assert ((known[f"{name}_low"] <= known[name] + 1e-12) & (known[name] <= known[f"{name}_high"] + 1e-12)).all()
        assert len(test.glance()) == 1
    with lawful():
        fit.bound()
    for _, label in zip(range(2), fit.prototypes.index, strict=False):
        with lawful():
            fit.why(prototype=label)
    if fit._curve is not None:
        with lawful():
            assert repr(fit.validation)
            assert fit.validation._repr_html_()
            assert len(fit.validation.table) == len(fit.validation.grid)
            held, repeats = fit.validation.held_out, len(fit.validation._of_fold)
            assert len(held) == repeats * len(fit.frame)
            assert (held if repeats == 1 else held.loc[0]).index.equals(fit.frame.index)


@kept(10)
@given(calls(odd=0.15), st.sampled_from(PICTURES), st.data())
def test_pictures(call, kind, data):
    import matplotlib.pyplot as plt

    fit = attempt(call.run, "pictures")
    if fit is not None:
        with lawful():
            drawn = fit.plot(kind)
            figure = getattr(drawn, "figure", drawn)
            figure.canvas.draw()
        assert figure.axes
        plt.close("all")


@kept(12)
@given(calls(odd=0.15), st.integers(-1, 5), st.sampled_from([0.0, 0.5, 3.0, np.inf, -1.0]))
def test_steps(call, size, lambda_):
    fit = attempt(call.run, "steps")
    if fit is None:
        return
    with lawful():
        path = fit.path(cv=2)
        assert path["training_error"].iloc[-1] == pytest.approx(fit._training_error, rel=1e-12)
    with lawful():
        fit.path(new=call.data)
    with lawful():
        first = fit.at(size=size)
        check_predictions(first)
        if fit.model.name != "scm":  # which has the first features of each machine
            assert equal(first.prototypes.iloc[:, :1], fit.prototypes.iloc[: len(first.prototypes), :1])
    with lawful():
        check_predictions(fit.at(lambda_=lambda_))
    with lawful():
        stability = fit.stability(resamples=3, progress=False)
        assert repr(stability)
        chosen = stability.table["reselected"].dropna()
        assert chosen.between(0, 1).all()
    with lawful():
        found = fit.alternatives(within=0.1, time_limit=2.0, progress=False)
        assert repr(found)
        assert found._repr_html_()
        assert (found.table["at_least"] <= found.table["cost_without"] + 1e-12).all()
        assert found.optimum.least <= fit.objective.value * (1 + 1e-9) + 1e-9
        assert len(found.tidy()) >= len(found.table)
    with lawful():
        worst = fit.criticisms(n=3, progress=False)
        assert repr(worst)
        assert worst._repr_html_()
        assert len(worst.table) <= 3
        assert worst.table.index.isin(fit.frame.index).all()
    with lawful():
        again = fit.update(seed=fit._problem.seed)
        assert equal(again.prototypes, fit.prototypes)
    with lawful():
        check_predictions(fit.update(seed=1))


@kept(6)
@given(calls(odd=0.15), st.integers(1, 2))
def test_cross_validation(call, repeats):
    validation = attempt(lambda: call.run(pc.cross_validate, repeats=repeats), "cross-validation")
    if validation is None:
        return
    table = validation.table
    assert ((table["error"] >= 0) & (table["error"] <= 1)).all()
    with lawful():
        check_predictions(validation.fit)
    with lawful():
        validation.confusion(0)
    with lawful():
        check_predictions(validation.fit_at(0))


@kept(12)
@given(calls(sound_frames()), st.sampled_from(["multinomial", "isotonic"]), st.sampled_from(["error", "balanced"]),
       st.sampled_from([None, 0.5, 0.9, 1.0]))  # fmt: skip
def test_chances_sets_and_cuts(call, how, measure, sensitivity):
    fit = attempt(lambda: call.run().calibrate(method=how, cv=2), "calibrated")
    if fit is None:
        return
    with lawful():
        values = fit.predict(kind="prob").to_numpy()
        assert np.allclose(values.sum(axis=1), 1)
        assert (values >= 0).all()
    with lawful():
        small, large = (fit.predict(kind="set", level=level) for level in (0.5, 0.9))
        assert all(set(a) <= set(b) for a, b in zip(small, large, strict=True))
    of = fit.classes[-1]
    cut = attempt(lambda: fit.threshold(of, measure, sensitivity=sensitivity), "threshold")
    if cut is None:
        return
    with lawful():
        assert repr(cut)
        assert len(cut.glance()) == 1
        allowed = cut.table if sensitivity is None else cut.table[cut.table["sensitivity"] >= sensitivity - 1e-9]
        assert abs(cut.apparent_error - allowed["error"].min()) < 1e-9
        assert cut.value in set(allowed["value"])
    with lawful():
        decided, chance = fit.predict(threshold=cut), fit.predict(kind="prob")[of]
        assert ((decided == of) == (chance >= cut.value)).all()
    with lawful():
        test = fit.test(call.data, threshold=cut)
        assert repr(test)
        assert 0 <= test.low <= test.error <= test.high <= 1


@kept(4)
@given(sound_frames(), st.lists(st.sampled_from(METHODS), min_size=1, max_size=3, unique=True), st.sampled_from([2, 3]),
       st.sampled_from([False, True, "isotonic"]))  # fmt: skip
def test_comparisons(data, methods, cv, calibrate):
    arguments = {name: {"method": name, **pc_example(name)} for name in methods}
    comparison = attempt(lambda: pc.compare("y ~ .", data, arguments, cv=cv, calibrate=calibrate, progress=False), "compare")
    if comparison is not None:
        with lawful():
            assert repr(comparison)
            table = comparison.table
            assert ((table["error"] >= 0) & (table["error"] <= 1)).all()
            assert comparison.methods == methods
            if calibrate:
                assert table["brier"].dropna().between(0, 2).all()
                assert (table["log_loss"].dropna() >= 0).all()


def pc_example(name):
    from protoclass.models.registry import BUILT_IN

    return {parameter: values[0] for parameter, values in BUILT_IN[name].example.items()}


@kept(32)
@given(calls(sound_frames()), st.data())
def test_new_rows(call, data):
    """Values of any size, missing ones and new levels in rows that are predicted."""
    fit = attempt(call.run, "new rows")
    if fit is None or fit._problem.metric.given:
        return
    new = call.data.drop(columns="y").copy()
    numbers = [c for c in new if new[c].dtype.kind in "fiu"]
    levels = [c for c, known in fit.frame.schema.items() if known.kind != "numeric" and not known.coded]
    if not numbers and not levels:
        return
    touched = np.zeros(len(new), bool)
    for _ in range(data.draw(st.integers(1, 3))):
        row, name = data.draw(st.integers(0, len(new) - 1)), data.draw(st.sampled_from([*numbers, *levels]))
        touched[row] = True
        if name in numbers:
            new[name] = new[name].astype(float)
            new.iloc[row, new.columns.get_loc(name)] = data.draw(HOSTILE_NUMBERS)
        elif fit.frame.schema[name].kind == "category" and all(isinstance(v, str) for v in new[name].dropna()):
            new[name] = new[name].astype(object)
            new.iloc[row, new.columns.get_loc(name)] = data.draw(st.sampled_from(["no level", "no level either"]))
        elif fit.frame.schema[name].kind == "boolean" and new[name].notna().all():
            new[name] = new[name].astype(float)
            new.iloc[row, new.columns.get_loc(name)] = 2.0
    old = call.data.drop(columns="y").astype(new.dtypes.to_dict())  # a function of two rows may look at types
    for kind in fit.rule.kinds:
        told = attempt(lambda kind=kind: fit.predict(new, kind), "hostile new rows")
        if told is None:
            continue
        assert told.index.equals(new.index)
        before = fit.predict(old, kind)
        assert equal(told[~touched].astype(object), before[~touched].astype(object)), "a row is told by its neighbours"
        missing = new[list(fit.frame.schema)].isna().any(axis=1) & ~fit.frame.keep
        if kind == "class":
            assert told[missing].isna().all()
        if kind in ("prob", "decision") and len(told):
            classes = fit.predict(new)
            silent = classes.notna().to_numpy() & told.isna().any(axis=1).to_numpy()
            assert not silent.any(), f"a class without a reason: {kind} is missing"
            if kind == "prob":
                assert np.allclose(told[classes.notna().to_numpy()].sum(axis=1), 1)


@kept(16)
@given(calls(sound_frames()), st.booleans())
def test_the_names_of_classes_do_not_matter(call, categorical):
    """Classes renamed in their order give the same predictions under the new names."""
    fit = attempt(call.run, "renamed")
    if fit is None:
        return
    names = {c: f"class {k}" for k, c in enumerate(fit.classes)}
    renamed = call.data["y"].astype(object).map(names)
    if categorical:
        renamed = pd.Categorical(renamed, list(names.values()))
    arguments = {"positive": names.get(call.arguments["positive"], "a")} if "positive" in call.arguments else {}
    again = attempt(call.on(call.data.assign(y=renamed), **arguments).run, "renamed again")
    assert again is not None
    assert again.predict().astype(object).tolist() == fit.predict().astype(object).map(names).tolist()


@kept(16)
@given(calls(sound_frames(), method="knn"))
def test_distinct_rows_are_their_own_neighbours(call):
    """1-NN gives each training row its own class, where no row of another class is at distance 0."""
    one = call.on(call.data, k=1, cv=None)
    one.arguments.pop("ties", None)
    for name in ("weights", "candidates", "measure", "choose"):
        one.arguments.pop(name, None)
    fit = attempt(one.run, "1-NN")
    if fit is None:
        return
    D = fit.dissimilarity.frame().to_numpy()
    own = np.diag(D)[:, None] < np.where(np.eye(len(D), dtype=bool), np.inf, D)
    alone = own.all(axis=1)
    assert (fit._fitted_codes == fit.frame.codes)[alone].all()


@kept(20)
@given(calls(odd=0.3))
def test_dissimilarities(call):
    """The values of a metric are finite and >= 0, the same for any tiling, and every question about them has an answer."""
    spec = call.arguments["dissimilarity"]
    formula = call.formula if call.formula != "y ~ 1" else "y ~ ."
    d = attempt(lambda: pc.dissimilarity(formula, call.data, spec), "dissimilarity")
    if d is None:
        return
    with lawful():
        assert repr(d)
    D = attempt(lambda: d.frame().to_numpy(), "matrix")
    if D is not None:
        assert np.isfinite(D).all()
        assert (D >= 0).all()
        for work in (d.check, d.summary, d.condensed, d.map, d.spectrum, d.embed, lambda: d.quantile(0.5), lambda: d.symmetrized("max")):
            attempt(work, "questions")  # fmt: skip
