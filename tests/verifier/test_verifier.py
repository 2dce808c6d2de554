"""The verifier agrees with saved fits, and with nothing else; see `mutants` for files with one number changed."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass import verifier

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
    about = {c.about for c in result.claims if c.holds}
    assert {"data", "dissimilarity", "selection"} <= about
    if "objective" in fit.rule.report:
        assert "objective" in about
        assert numbers_of(result, "objective") == [pytest.approx(fit.objective.value)]
    if "certificate" in fit.rule.report:
        assert numbers_of(result, "lower bound")[-1] == pytest.approx(fit.certificate.bound.sum())
    if fit.validation is not None:
        assert {"cross-validated error", "choice"} <= about
        assert numbers_of(result, "cross-validated error") == [pytest.approx(fit.validation.table["error"][fit.validation.best])]
    wrong = data.copy()
    wrong.iloc[3, 0] += 1
    assert not pc.verify(path, wrong, *more)
    assert not pc.verify(path, data.iloc[::-1].reset_index(drop=True), *more)


@pytest.mark.parametrize("name", list(SLIM))
def test_of_a_slim_fit_it_checks_what_the_prototypes_do(name, tmp_path):
    fit, data = SLIM[name]()
    path = saved(fit, tmp_path)
    result = pc.verify(path, data)
    assert not result
    assert not result.false
    about, unknown = ({c.about for c in claims} for claims in ((c for c in result.claims if c.holds), result.unchecked))
    assert {"dissimilarity", "selection"} <= about
    assert {"data", "slim"} <= unknown
    if "objective" in fit.rule.report:
        assert numbers_of(result, "objective") == [pytest.approx(fit.objective.value)]
        assert "training predictions" in about
    numbers = [c for c in fit.frame.schema if pd.api.types.is_float_dtype(data[c])]
    own = data.index.isin(fit.frame.remembered.index)
    elsewhere = data.copy()
    elsewhere.loc[own, numbers] += 50
    assert "the prototype" in str(pc.verify(path, elsewhere).false)
    assert "numbers or weights of rows" in str(pc.verify(path, data.drop(data.dropna().index[:1])).false)
    changed = data.copy()
    changed.loc[~own, numbers] += 50
    assert {c.about for c in pc.verify(path, changed).false} & {"dissimilarity", "machine"}


@pytest.mark.parametrize("name", ["scm", "disjunction", "exact", "own radii"])
def test_compression_bounds_are_those_of_the_fit(name, tmp_path):
    fit, data = FITS[name]()
    found = numbers_of(pc.verify(saved(fit, tmp_path), data), "compression bound")
    assert found == pytest.approx(fit.bound()["bound"].tolist(), rel=1e-5)


@pytest.mark.parametrize("name", ["greedy", "weights", "closed", "robust", "gaps", "own radii"])
def test_certified_margins_are_those_of_augment(name, tmp_path):
    fit, data = FITS[name]()
    found = [c.words for c in pc.verify(saved(fit, tmp_path), data).claims if c.about == "certified margins"]
    if name in ("gaps", "own radii"):  # no triangle inequality is proved, or other distances decide
        assert found == []
        return
    median, least = (float(found[0].split()[k]) for k in (1, 6))
    margin = fit.augment()["certified"]
    assert (median, least) == pytest.approx((margin.median(), margin.min()), rel=1e-5, abs=1e-12)


def test_changed_numbers_are_rejected():
    counts, faults = mutants.run(["min", "certified", "clinic", "scm", "weights", "slim own radii"], 66)
    assert not faults
    assert counts["rejected"] > 44


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
    assert [c.about for c in result.unchecked] == ["optimality"]


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
    assert [c.about for c in ranks.unchecked] == ["dissimilarity"]
    transformed = pc.verify(saved(pc.fit("species ~ log(petal_width) + sepal_width", data, eps=0.5), tmp_path), data)
    assert transformed
    assert "transforms predictors" in str(transformed)
