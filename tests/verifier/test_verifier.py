"""The verifier agrees with saved fits, and with nothing else; see `mutants` for files with one number changed."""

import ast
import io
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.export import verifier

from . import mutants
from .battery import FITS, IRIS, SLIM

FILE = Path(verifier.__file__)


def numbers_of(result, about):
    """The first number of the words of each claim."""
    return [float(c.words.split(":")[-1].split()[0]) for c in result.claims if c.about == about]


def saved(fit, folder):
    return fit.save(folder / "fit.proto", overwrite=True).path


@pytest.mark.parametrize("name", list(FITS))
def test_it_agrees_with_saved_fits(name, tmp_path):
    fit, data, *more = FITS[name]()
    path = saved(fit, tmp_path)
    result = pc.verify(path, data, *more)
    assert result, result
    about, stated = {c.about for c in result.claims if c.holds}, {c.about for c in result.unchecked}
    assert {"data", "dissimilarity"} <= about
    assert {"formula", "method", "metric", "call"} <= stated
    if "radius eps" in fit.rule.report:
        assert {"radii", "objective", "training predictions"} <= about
        assert numbers_of(result, "objective") == [pytest.approx(fit.objective.value)]
        (error,) = (c.words.split()[2] for c in result.claims if c.about == "training predictions")
        wrong = fit.predict(data).astype(str) != data[fit.frame.formula.response].astype(str) if "matrix" not in name else None
        weights = fit.frame.weights
        if wrong is not None and len(weights) == len(wrong):
            assert float(error) == pytest.approx(weights[wrong.to_numpy()].sum() / weights.sum(), rel=1e-5)
        if "certificate" in fit.rule.report:
            assert numbers_of(result, "lower bound")[-1] == pytest.approx(fit.certificate.bound.sum())
    assert ("cross-validated error" in stated - about) == (fit.validation is not None)
    if name != "matrix":  # of which the fit uses no column
        changed = data.copy()
        changed.iloc[3, 0] += 1
        assert not pc.verify(path, changed, *more)
    assert not pc.verify(path, data.iloc[::-1].reset_index(drop=True), *more)


@pytest.mark.parametrize("name", list(SLIM))
def test_of_a_slim_fit_nothing_is_computed(name, tmp_path):
    fit, data = SLIM[name]()
    result = pc.verify(saved(fit, tmp_path), data)
    assert not result
    assert not result.false
    assert not [c for c in result.claims if c.holds]
    assert {"data", "formula", "method", "call"} <= {c.about for c in result.unchecked}


def test_changed_numbers_are_rejected():
    counts, faults = mutants.run(["min", "certified", "clinic", "weights", "exact", "gaps"], 120)
    assert not faults
    assert counts["rejected"] > 40


def test_any_changed_number_is_rejected_where_the_sums_are_as_they_were():
    assert mutants.run(["min", "scm"], 16, seal=False) == ({"rejected": 16}, [])


def test_it_runs_alone(tmp_path):
    data = IRIS.iloc[::3]
    path, table = saved(pc.fit("species ~ .", data, eps=1.2, certify=True), tmp_path), tmp_path / "data.csv"
    data.to_csv(table)
    alone = shutil.copy(FILE, tmp_path / "alone.py")
    run = [sys.executable, "-I", str(alone), str(path)]
    out = subprocess.run([*run, str(table)], capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stderr
    assert "holds       lower bound: 4.14 by prices" in out.stdout
    data.assign(petal_width=data["petal_width"].round()).to_csv(table)
    assert subprocess.run([*run, str(table)], capture_output=True, check=False).returncode == 1


def test_it_imports_nothing_of_the_package():
    tree = list(ast.walk(ast.parse(FILE.read_text())))
    names = {a.name for node in tree if isinstance(node, ast.Import) for a in node.names}
    modules = {(n.level, n.module) for n in tree if isinstance(n, ast.ImportFrom)}
    assert names - {"numpy"} <= sys.stdlib_module_names
    assert all(level == 0 and module.split(".")[0] in sys.stdlib_module_names for level, module in modules)


def test_the_command_line(tmp_path, capsys):
    from protoclass.__main__ import main

    data = IRIS.iloc[::3]
    path, table = saved(pc.fit("species ~ 1", data, eps=1.5, dissimilarity=FITS["matrix"]()[2]), tmp_path), tmp_path / "data.csv"
    data.to_csv(table)
    FITS["matrix"]()[2].to_csv(tmp_path / "matrix.csv")
    assert main(["verify", str(path), str(table)]) == 0
    assert "the matrix is taken from the file" in capsys.readouterr().out
    assert main(["verify", str(path), str(table), str(tmp_path / "matrix.csv")]) == 0
    assert "50 x 50 matrix is the one that is given" in capsys.readouterr().out
    assert main(["verify", str(path), str(tmp_path / "none.csv")]) == 1
    assert main(["verify", str(tmp_path / "none.proto"), str(table)]) == 1


def test_a_bound_by_branch_and_bound_is_named_as_claimed(tmp_path):
    turn = np.arange(5) * 2 * np.pi / 5
    rings = pd.DataFrame({"x": np.r_[np.cos(turn), np.cos(turn) + 9], "z": np.r_[np.sin(turn), np.sin(turn)], "y": list("aaaaabbbbb")})
    fit = pc.fit("y ~ .", rings, eps=1.5, lambda_=0.9, solver="exact", dissimilarity=pc.Euclidean(scale=False))
    assert fit.certificate.proof == ("MIP", "MIP")  # two of five balls of three neighbours; five thirds in the relaxation
    result = pc.verify(saved(fit, tmp_path), rings)
    assert result
    (by_prices,) = numbers_of(result, "lower bound")
    assert (by_prices, fit.certificate.bound.sum()) == pytest.approx((3.0, 3.6))
    assert "optimality" in [c.about for c in result.unchecked]


def test_prices_prove_the_bound_of_any_cover():
    fit, _ = FITS["certified"]()
    prices, w = fit.certificate.prices, fit.frame.weights
    inside = fit.dissimilarity.frame().to_numpy() < 1.2
    y = fit.frame.codes
    assert ((prices >= 0) & (prices <= w)).all()
    for c in range(3):
        cost = fit.objective.lambda_ + (inside & (y != c)[:, None]).sum(axis=0)
        broken = np.minimum(0, cost - prices[y == c] @ inside[y == c])
        assert prices[y == c].sum() + broken.sum() == pytest.approx(fit.certificate.bound[c])
    assert fit.slim().certificate.prices is None


def test_damaged_files_are_false_claims(tmp_path):
    fit, data = FITS["greedy"]()
    path = saved(fit, tmp_path)
    whole = path.read_bytes()
    draw = np.random.default_rng(0)
    for _ in range(30):
        at = int(draw.integers(len(whole)))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ int(draw.integers(1, 256))]) + whole[at + 1 :])
        assert not pc.verify(path, data) or path.read_bytes()[:at] == whole[:at]
    parts = mutants.take_apart(whole)
    parts[2]["arrays/0.npy"] = parts[2]["arrays/0.npy"].replace(b"(50,)", b"(9**9,)"[:5])
    path.write_bytes(mutants.put_together(parts, True))
    assert pc.verify(path, data).claims[0].about == "file"
    assert json.dumps(str(pc.verify(path, data)))


def test_what_it_cannot_check_it_names(tmp_path):
    data = IRIS.iloc[::3]
    ranks = pc.verify(saved(pc.fit("species ~ .", data, eps=0.2, dissimilarity="ranks"), tmp_path), data)
    assert "dissimilarity" in [c.about for c in ranks.unchecked]
    assert [c.about for c in ranks.claims if c.holds] == ["data"]
    transformed = pc.verify(saved(pc.fit("species ~ log(petal_width) + sepal_width", data, eps=0.5), tmp_path), data)
    assert transformed
    assert "transforms predictors" in str(transformed)
    assert [c.about for c in transformed.claims if c.holds] == ["data"]  # by coordinates of the file, nothing is computed from the data


CATEGORIES = np.arange(len(IRIS.iloc[::3])) % 3
LEVELS = {"plain": ["u", "v", "w"], "spelled as missing": ["NA", "", "nan"], "markup": ["<NA>", "None", "NaT"]}
KINDS = {
    "texts": lambda values: pd.array(values, pd.StringDtype(na_value=np.nan)),
    "objects": lambda values: pd.Series(values, dtype=object).to_numpy(),
    "categories": pd.Categorical,
}


def sound_tables():
    """Data that a fit reads without a word, each in a form of its own."""
    data = IRIS.iloc[::3].reset_index(drop=True)
    for kind, make in KINDS.items():
        for name, levels in LEVELS.items():
            values = np.array(levels, object)[CATEGORIES]
            yield f"{name}, as {kind}", data.assign(g=make(values)), "species ~ ."
            yield f"{name}, as {kind} of classes", data.assign(species=make(values)), "species ~ ."
    yield "texts with gaps", data.assign(g=pd.array(np.array(["u", "v", None], object)[CATEGORIES], pd.StringDtype())), "species ~ ."
    yield "booleans", data.assign(g=data["sepal_width"] > 3), "species ~ ."
    yield "booleans of pandas", data.assign(g=(data["sepal_width"] > 3).astype("boolean")), "species ~ ."
    yield "numbers of pandas", data.assign(g=pd.Series(CATEGORIES).astype("Int64")), "species ~ ."
    yield "classes that are numbers", data.assign(species=CATEGORIES + 5), "species ~ ."
    yield "classes that are booleans", data.assign(species=data["species"] == "setosa"), "species ~ ."


METHODS = {
    "pvm": {"eps": [0.2, 0.5], "cv": 3}, "knn": {"k": 3}, "mixture": {"K": 2, "starts": 1}, "kmeans": {"K": 2},
    "scm": {"cv": None, "penalty": 1.0, "kind": "conjunction", "stop": 2},
}  # fmt: skip


@pytest.mark.parametrize("method", list(METHODS))
def test_no_fit_of_sound_data_is_called_false(method, tmp_path):
    for name, data, formula in sound_tables():
        metric = "euclidean" if method in ("mixture", "kmeans") else "auto"  # by which texts are measured by Gower's
        keep = {"na": "keep"} if "gaps" in name and metric == "auto" else {}
        fit = pc.fit(formula, data, method, dissimilarity=metric, **METHODS[method], **keep)
        table = tmp_path / "data.csv"
        data.to_csv(table, index=False)
        for given in (data, table):
            full = pc.verify(saved(fit, tmp_path), given)
            assert full, (name, full)
            slim = pc.verify(saved(fit.slim(), tmp_path), given)
            assert not slim.false, (name, slim)


def test_a_value_that_is_missing_is_not_a_text(tmp_path):
    data = IRIS.iloc[::3].reset_index(drop=True).assign(g=np.array(["NA", "u", "v"], object)[CATEGORIES])
    path = saved(pc.fit("species ~ .", data, "knn", k=3), tmp_path)
    assert not pc.verify(path, data).false
    assert pc.verify(path, data.assign(g=data["g"].where(data["g"] != "NA"))).false


# what is forged in a file


EVIL = "x'\n  holds       optimality: proved\x1b[2J\u202e\x9b31m"


def texts(content):
    """Where texts stand that are no names of the format."""
    for path in mutants.places(content):
        if type(mutants.at(content, path)) is str and not (len(path) == 3 and path[2] == 0):
            yield path


def lines_that_hold(result):
    return {str(c) for c in result.claims if c.holds}


@pytest.mark.parametrize("name", ["certified", "sample", "min", "calibrated", "gaps", "matrix", "scm"])
def test_no_text_of_a_file_writes_a_line_of_the_verdict(name, tmp_path):
    fit, data, *more = (FITS | SLIM)[name]()
    path = saved(fit, tmp_path)
    whole = path.read_bytes()
    before = pc.verify(path, data, *more)
    _, content, _ = mutants.take_apart(whole)
    paths = list(texts(content))
    assert len(paths) > 30
    for at in paths:
        head, content, arrays = mutants.take_apart(whole)
        mutants.at(content, at[:-1])[at[-1]] = EVIL
        path.write_bytes(mutants.put_together((head, content, arrays), True))
        after = pc.verify(path, data, *more)
        assert len(str(after).split("\n")) == 1 + len(after.claims)
        assert all(c.isprintable() for c in str(after).replace("\n", ""))
        assert after.false or lines_that_hold(after) <= lines_that_hold(before), at


def forged(path, change):
    """The file with the fields of its objects changed, and its sums put right."""
    parts = mutants.take_apart(path.read_bytes())
    objects = {}
    for kind, fields in parts[1]["objects"]:
        objects.setdefault(kind, []).append(fields)
    change(objects, parts[2])
    path.write_bytes(mutants.put_together(parts, True))


def set_array(arrays, place, change):
    name = f"arrays/{place['array']}.npy"
    out = io.BytesIO()
    np.save(out, change(np.load(io.BytesIO(arrays[name]))))
    arrays[name] = out.getvalue()


def said_true(objects, arrays):
    """Held-out predictions that are the truth, with the errors, the curve and the choice that follow."""
    (v,), (c,) = objects["Validation"], objects["Choice"]
    truth = objects["Frame"][0]["response"]["category"][0]
    y = np.load(io.BytesIO(arrays[f"arrays/{truth['array']}.npy"]))
    set_array(arrays, v["predicted"], lambda a: np.broadcast_to(y[None, :, None], a.shape).astype(a.dtype).copy())
    for place in (v["errors"], c["error"], c["se"]):
        set_array(arrays, place, np.zeros_like)


def change(kind, field, value):
    return lambda objects, arrays: objects[kind][0].update({field: value})


def mapped(kind, field, name, value):
    """Another value of a name in a mapping, or one more."""

    def apply(objects, arrays):
        pairs = objects[kind][0][field]["mapping"]
        pairs[:] = [pair for pair in pairs if pair[0] != name] + [[name, value]]

    return apply


def both(*changes):
    return lambda objects, arrays: [one(objects, arrays) for one in changes]


def less_loss(objects, arrays):
    (v,), (c,) = objects["Validation"], objects["Choice"]
    for place in (v["loss"], v["errors"], c["error"], c["se"]):
        set_array(arrays, place, lambda a: a * 0.1)


def half_sizes(objects, arrays):
    for place in (objects["Validation"][0]["sizes"], objects["Choice"][0]["size"]):
        set_array(arrays, place, lambda a: a * 0.5)


def loo(objects, arrays):
    objects["Problem"][0]["cv"] = "loo"
    mapped("Call", "arguments", "cv", "loo")(objects, arrays)


PROVED = {"tuple": ["proved optimal"] * 3}
FORGED = {
    "candidates of the bound": ("certified", change("Certificate", "over", "all rows of the hospital")),
    "held-out predictions": ("1se", said_true), "loss": ("loss", less_loss), "sizes": ("1se", half_sizes), "folds": ("1se", loo),
    "a line of the report": ("certified", mapped("Greedy", "report", "verified by", "the registry")),
    "notes": ("certified", change("Certificate", "notes", PROVED)), "proofs": ("certified", change("Certificate", "proof", PROVED)),
    "notes on the data": ("certified", change("Frame", "notes", PROVED)),
    "solver": ("certified", both(change("method pvm", "solver", "exact"), mapped("Call", "arguments", "solver", "exact"))),
    "formula": ("certified", change("Formula", "text", "species ~ petal_width")),
    "formula of the call": ("certified", change("Call", "formula", "species ~ petal_width")),
    "seed": ("1se", both(change("Problem", "seed", 7), mapped("Call", "arguments", "seed", 7))),
    "groups": ("certified", mapped("Call", "arguments", "groups", "hospital")),
    "rule of choice": ("1se", change("Selection", "rule", "1se-paired")),
    "reasons": ("calibrated", change("Calibration", "reasons", {"tuple": []})),
}  # fmt: skip


def with_loss():
    data = IRIS.iloc[::3]
    loss = pd.DataFrame(3.0 * (1 - np.eye(3)), list(data["species"].cat.categories), list(data["species"].cat.categories))
    return pc.fit("species ~ .", data, eps=[0.7, 1.0], cv=3, loss=loss), data


@pytest.mark.parametrize("what", list(FORGED))
def test_what_is_forged_is_false_or_as_stated(what, tmp_path):
    name, apply = FORGED[what]
    fit, data = with_loss() if name == "loss" else FITS[name]()
    path = saved(fit, tmp_path)
    before = pc.verify(path, data)
    assert before
    forged(path, apply)
    after = pc.verify(path, data)
    assert after.false or lines_that_hold(after) == lines_that_hold(before)
    assert str(after) != str(before)
    assert "cross-validated error" not in {c.about for c in after.claims if c.holds}


def test_lines_hold_only_of_the_data(tmp_path):
    """What holds is nothing but what was computed again; words say where distances are taken from the file."""
    fit, data, matrix = FITS["matrix"]()
    path = saved(fit, tmp_path)
    assert {c.about for c in pc.verify(path, data, matrix).claims if c.holds} >= {"objective", "lower bound"}
    alone = pc.verify(path, data)
    assert [c.about for c in alone.claims if c.holds] == ["data"]
    assert "(by the dissimilarities that the file states)" in str(alone)
    data = IRIS.iloc[::3].assign(w=np.arange(50) % 3 + 1.0)
    for given, column in ((data["w"].to_numpy(), None), (None, {"setosa": 2.0, "virginica": 1.0, "versicolor": 1.0})):
        fit = pc.fit("species ~ . - w", data, eps=1.0, weights=given, class_weights=column)
        assert "(by the weights that the file states)" in str(pc.verify(saved(fit, tmp_path), data))
        assert pc.verify(saved(fit, tmp_path), data)
    fit = pc.fit("species ~ .", data, eps=1.0, weights="w", class_weights="balanced")
    assert "objective" in {c.about for c in pc.verify(saved(fit, tmp_path), data).claims if c.holds}


@pytest.mark.parametrize("more", [
    {}, {"matrix": "diagonal"}, {"matrix": "diagonal", "dissimilarity": "manhattan"}, {"matrix": "diagonal", "na": "keep"},
    {"K": [1, 2], "beta": [5.0, 20.0], "cv": 3}, {"matrix": "full"}, {"matrix": "full", "components": 2, "K": 2, "single": True},
], ids=["none", "diagonal", "manhattan", "gower", "tuned", "full", "axes"])  # fmt: skip
def test_the_cost_of_rows_that_were_chosen_to_classify(tmp_path, more):
    iris, path = pc.load_data("iris"), tmp_path / "fit.proto"
    if "na" in more:
        iris.loc[3, "sepal_width"] = float("nan")
    more = dict(more)
    if more.pop("single", False):
        iris = iris.astype({c: "float32" for c in iris if c != "species"})
    fit = pc.fit("species ~ .", iris, "medianglvq", **{"K": 1, "ridge": 0.01, "cv": None, **more})
    fit.save(path)
    found = pc.verify(path, iris)
    assert found
    assert {"dissimilarity", "prototypes"} <= {claim.about for claim in found.claims if claim.holds}
    assert f"error {fit.glance()['training_error'].item():.6g}" in str(found)
    table = fit.rule.prototypes.table
    for rule in (
        replace(fit.rule, report={**fit.rule.report, "cost": fit.rule.report["cost"] * 1.001}),
        replace(fit.rule, prototypes=replace(fit.rule.prototypes, table={**table, "assigned": table["assigned"] + 1})),
        replace(fit.rule, prototypes=replace(fit.rule.prototypes, at=(fit.rule.prototypes.at + 1) % 150)),
    ):
        replace(fit, rule=rule).save(path, overwrite=True)
        assert [claim.about for claim in pc.verify(path, iris).false] == ["prototypes"]
    assert not pc.verify(path, iris.assign(petal_width=1.0))
    if more.get("matrix") == "full":
        metric = fit.dissimilarity.metric
        replace(fit, dissimilarity=replace(fit.dissimilarity, metric=replace(metric, map=metric.map * 1.001))).save(path, overwrite=True)
        assert "dissimilarity" in {claim.about for claim in pc.verify(path, iris).false}
