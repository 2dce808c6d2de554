"""The call of a fit, run again on its data, gives the fit; and no file in which something is changed."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.__main__ import main
from saving.damage import put_together, take_apart

IRIS = pc.load_data("iris")
FEW = IRIS.iloc[::3]
WEIGHTED = FEW.assign(w=np.arange(len(FEW)) % 3 + 0.5, g=np.arange(len(FEW)) // 2)
GAPS = FEW.assign(sepal_width=FEW["sepal_width"].where(np.arange(len(FEW)) % 7 > 0), kind=list("uv") * 25)
MATRIX = pc.dissimilarity("species ~ .", FEW, "manhattan").frame()
SERIES = pd.DataFrame({"s": [[float(i // 2), i % 2, 2.0][: 2 + i % 3 % 2] for i in range(24)], "species": ["a"] * 11 + ["b"] * 13})
FITS = {
    "certified": lambda: (pc.fit("species ~ .", FEW, eps=1.2, certify=True), FEW, {}),
    "weights": lambda: (pc.fit("species ~ .", WEIGHTED, eps=[0.7, 1.3], weights="w", groups="g", cv=3), WEIGHTED, {}),
    "gaps": lambda: (pc.fit("species ~ .", GAPS, eps=[0.15, 0.2], cv=3), GAPS, {}),
    "splines": lambda: (pc.fit("species ~ bs(petal_width, df=4) + kind", GAPS, "knn", k=[1, 3], cv=3, calibrate=True), GAPS, {}),
    "matrix": lambda: (pc.fit("species ~ 1", FEW, eps=1.5, dissimilarity=MATRIX), FEW, {"dissimilarity": MATRIX}),
    "learned": lambda: (pc.fit("species ~ .", FEW, "medianglvq", K=1, matrix="diagonal", ridge=0.1, cv=None), FEW, {}),
    "scm": lambda: (pc.fit("species ~ .", FEW, "scm", penalty=[0.5, 1.0], kind="conjunction", cv=3), FEW, {}),
    "by hand": lambda: (pc.cross_validate("species ~ .", FEW, eps=[0.7, 1.3], cv=3).fit_at(1), FEW, {}),
    "calibrated": lambda: (pc.fit("species ~ .", FEW, eps=1.0).calibrate(cv=3), FEW, {}),
    "slim": lambda: (pc.fit("species ~ .", FEW, eps=[0.7, 1.3], cv=3).slim(), FEW, {}),
    "series": lambda: (pc.fit("species ~ s", SERIES, "knn", k=1), SERIES, {}),
}  # fmt: skip


def written(fit, path):
    fit.save(path, overwrite=True)
    return path.read_bytes()


@pytest.mark.parametrize("name", FITS)
def test_a_file_is_reproduced_by_its_data(name, tmp_path):
    fit, data, given = FITS[name]()
    result = pc.load(fit.save(tmp_path / "fit.proto")).reproduce(data, **given)
    assert result, str(result)
    assert not fit.reproduce(data.iloc[1:], **given)
    lines = str(result).splitlines()
    assert lines[0] == f"same       call: {fit.call!r}"
    assert not any(line.startswith("DIFFERENT") for line in lines)
    assert {"levels", "prototypes", "errors", "parameters", "dissimilarity", "arguments"} <= set(result.parts)


@pytest.mark.parametrize("name", ["certified", "weights", "gaps", "matrix", "scm", "calibrated"])
def test_no_number_of_a_file_can_be_changed(name, tmp_path):
    """One entry of each array, relatively by 1e-6, or by 1; what is loaded is not reproduced."""
    fit, data, given = FITS[name]()
    head, content, arrays = take_apart(written(fit, tmp_path / "fit.proto"))
    used, tried = json.dumps([fields for kind, fields in content["objects"] if kind != "Call"]), 0
    for place, entry in arrays.items():
        array = np.load(io.BytesIO(entry))
        if not array.size or array.dtype.kind not in "biuf" or f'"array": {place[7:-4]}}}' not in used:
            continue
        flat = array.reshape(-1).copy()
        k = int(np.argmax(np.nan_to_num(flat) != 0)) if array.dtype.kind == "f" else len(flat) // 2
        flat[k] = flat[k] * (1 + 1e-6) if array.dtype.kind == "f" and flat[k] else ~flat[k] if array.dtype.kind == "b" else flat[k] + 1
        file = io.BytesIO()
        np.save(file, flat.reshape(array.shape))
        (tmp_path / "other.proto").write_bytes(put_together((head, content, {**arrays, place: file.getvalue()}), True))
        try:
            other = pc.load(tmp_path / "other.proto")
        except pc.errors.FileError:
            continue
        tried += 1
        try:
            found = other.reproduce(data, **given)
        except (pc.ProtoclassError, LookupError):  # of the call in the file, or of a part that fits no other
            continue
        assert not found, (place, array.dtype, array.shape, k)
    assert tried > 3



def test_what_is_claimed_and_not_so():
    """Rows left out, another matrix at a small scale, another metric."""
    fit = pc.fit("species ~ .", FEW, eps=1.2)
    less = pc.fit("species ~ .", FEW.iloc[1:], eps=1.2)
    frame = replace(less.frame, dropped=FEW.index[:1])
    result = replace(less, _problem=replace(less._problem, frame=frame)).reproduce(FEW)
    assert {"rows", "rows left out"} <= set(result.differences)
    assert "DIFFERENT  rows left out: <1 " in str(result)

    small = MATRIX * 1e-12
    given = pc.fit("species ~ 1", FEW, eps=1.5e-12, dissimilarity=small)
    other = small.copy()
    other.iloc[0, 1] = other.iloc[1, 0] = small.iloc[0, 1] * (1 + 1e-6)
    assert given.reproduce(FEW, dissimilarity=small)
    assert "dissimilarity" in given.reproduce(FEW, dissimilarity=other).differences

    manhattan = pc.fit("species ~ .", FEW, eps=1.2, dissimilarity="manhattan")
    claimed = replace(fit, dissimilarity=replace(fit.dissimilarity, metric=manhattan.dissimilarity.metric))
    assert "dissimilarity" in claimed.reproduce(FEW).differences


def test_a_fit_that_was_changed_after_its_call():
    fit = pc.fit("species ~ .", FEW, eps=1.0, solver="exact")
    place, substitute = fit.alternatives(within=0.1).substitutes.loc[0, ["prototype", "substitute"]]
    assert "prototypes" in fit.at(swap={place: substitute}).reproduce(FEW).differences


def test_the_shell_reproduces(tmp_path, capsys):
    data = FEW.reset_index(drop=True).assign(w=1.0)
    fit = pc.fit("species ~ . - w", data, eps=[0.7, 1.2], cv=3)
    path, table, matrix = tmp_path / "fit.proto", tmp_path / "data.csv", tmp_path / "matrix.csv"
    fit.save(path)
    data.to_csv(table, index=False)
    assert main(["reproduce", str(path), str(table)]) == 0
    data.assign(petal_width=data["petal_width"] * 1.001).to_csv(table, index=False)
    assert main(["reproduce", str(path), str(table)]) == 1
    assert "DIFFERENT  data: petal_width 0.2, now 0.2002 (50 of 50)" in capsys.readouterr().out
    assert main(["reproduce", str(path), str(tmp_path / "none.csv")]) == 2
    assert main(["reproduce", str(tmp_path / "none.proto"), str(table)]) == 2
    d = pc.dissimilarity("species ~ . - w", data)
    d.frame().to_csv(matrix)
    pc.fit("species ~ 1", data, eps=1.0, dissimilarity=d.frame()).save(path, overwrite=True)
    assert main(["reproduce", str(path), str(table), str(matrix)]) == 0
    pc.cross_validate("species ~ 1", data, eps=1.0, dissimilarity=d).save(path, overwrite=True)
    assert main(["reproduce", str(path), str(table)]) == 2
    assert "contains a Validation" in capsys.readouterr().err
