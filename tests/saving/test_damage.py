"""Damaged, forged and hostile files end in errors of the package; disks that are full leave the old file."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
import warnings
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import protoclass as pc

from . import damage
from .damage import take_apart

POSIX = pytest.mark.skipif(os.name != "posix", reason="pipes and signals of this kind are POSIX's")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a saved fit."""
    return damage.FITS["pvm"]().save(tmp_path_factory.mktemp("whole") / "iris.proto").path.read_bytes()


@pytest.mark.parametrize("name", damage.FITS)
def test_damage_at_random(name, tmp_path):
    """A damaged file is refused, or its fit predicts as the fit that was saved."""
    draw, path, fit = np.random.default_rng(7), tmp_path / "damaged.proto", damage.FITS[name]()
    data = fit.save(path).path.read_bytes()
    answers = {kind: fit.predict(damage.NEW, kind) for kind in fit._kinds}
    for change in [damage.change_byte] * 20 + [damage.change_zip] * 5:
        path.write_bytes(change(data, draw))
        with warnings.catch_warnings(), suppress(pc.ProtoclassError):
            warnings.simplefilter("ignore")
            loaded = pc.load(path)
            assert all(loaded.predict(damage.NEW, kind).equals(answer) for kind, answer in answers.items())


def refuses(data, folder, match, error=pc.errors.FileError):
    path = folder / "given.proto"
    path.write_bytes(data)
    with pytest.raises(error, match=match) as caught:
        pc.load(path)
    assert "given.proto" in str(caught.value)


def changed(whole, change, seal=True):
    """The file with what it says of itself, its objects or its arrays changed."""
    parts = damage.take_apart(whole)
    change(*parts)
    return damage.put_together(parts, seal)


def test_files_that_are_none(tmp_path, whole):
    for data in (b"", b"PK", b"no zip at all", whole[:200], whole[: len(whole) // 2], whole[:-1]):
        refuses(data, tmp_path,
            "is damaged, or is not a file that protoclass has saved: (file is not a zip file|it does not match)")
    with pytest.raises(pc.errors.FileError, match=r"can't be opened: No such file"):
        pc.load(tmp_path / "none.proto")
    with pytest.raises(pc.errors.FileError, match=r"Is a directory|Permission"):
        pc.load(tmp_path)
    with pytest.raises(pc.errors.OptionError, match="the name of a file, such as"):
        pc.load(5)
    for address in ("https://example.org/x.proto", "file:///etc/passwd"):
        with pytest.raises(pc.errors.FileError, match="No such file"):
            pc.load(address)


def test_versions(tmp_path, whole):
    def later(head, *_):
        head["version"], head["written by"]["protoclass"] = 6, "9.9"

    refuses(changed(whole, later), tmp_path,
        r"version 6 of the format, written by protoclass '9.9', but this protoclass supports 5: update")
    refuses(changed(whole, lambda m, *_: m.update(version=3)), tmp_path,
        r"version 3 of the format, written by protoclass .*, but this.*supports 5: load it with that version, and fit again with this one")
    for version in ("3", None):
        refuses(changed(whole, lambda m, *_, v=version: m.update(version=v)), tmp_path, "is damaged")
    refuses(changed(whole, lambda m, *_: m.update(format="other")), tmp_path, "its document is not a saved fit")


NAMES = ["../x", "/etc/passwd", "arrays/../../x.npy", "a.pkl", "arrays/01.npy", "arrays/0.npy\0.txt", "arrays\\0.npy"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_entries(name, tmp_path, whole):
    file = io.BytesIO(whole)
    with zipfile.ZipFile(file, "a") as archive:
        info = zipfile.ZipInfo("placeholder")
        info.filename = info.orig_filename = name
        archive.writestr(info, b"x")
    refuses(file.getvalue(), tmp_path, "its entries are not a document and its arrays|is damaged")
    assert [p.name for p in tmp_path.iterdir()] == ["given.proto"]


def test_entries_twice_encrypted_or_missing(tmp_path, whole):
    file = io.BytesIO(whole)
    with warnings.catch_warnings(), zipfile.ZipFile(file, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("arrays/0.npy", b"x")
    refuses(file.getvalue(), tmp_path, "its entries are not a document and its arrays")
    draw = np.random.default_rng(0)
    refuses(damage.change_sizes(whole, 0, draw), tmp_path, "is encrypted")
    refuses(changed(whole, lambda m, c, a: a.pop("arrays/0.npy")), tmp_path, "its entries are not a document and its arrays")
    more = changed(whole, lambda m, c, a: a.update({f"arrays/{len(a)}.npy": a["arrays/0.npy"]}), seal=False)
    swapped = changed(whole, lambda m, c, a: a.update({"arrays/0.npy": a["arrays/1.npy"]}), seal=False)
    for data in (more, swapped, changed(whole, lambda m, c, a: c.update(root=0), seal=False)):
        refuses(data, tmp_path, "it does not match its checksum")


def test_sizes_that_are_not_there(tmp_path, whole):
    """Nothing of the declared size is allocated: the test itself has no terabyte."""
    refuses(damage.change_sizes(whole, 1, np.random.default_rng(0)), tmp_path, "would have 2,147,483,648 bytes, out of")
    for shape in ("(1000000000000,)", "(2, 3, 4)", "(-1,)", "(1e9,)", "(True,)", "(2**40,)"):
        bad = damage.header(shape) + b"\0" * 8
        refuses(changed(whole, lambda m, c, a, bad=bad: a.update({"arrays/0.npy": bad})), tmp_path, "is damaged")
    bomb, last = io.BytesIO(whole), len(take_apart(whole)[2])
    with zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"arrays/{last}.npy", b"\0" * 10**8)
    refuses(bomb.getvalue(), tmp_path, "would have 100,000,000 bytes, out of")


def test_more_than_memory(tmp_path, whole, monkeypatch):
    monkeypatch.setattr("protoclass.export.saving.room", lambda: 1000)
    refuses(whole, tmp_path, "above a quarter of the available memory", pc.errors.TooLargeError)


OBJECTS = damage.header("(1,)", "|O") + b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x04true\x94\x85\x94R\x94."


RAW = damage.header("(1,)", "V8") + b"\0" * 8


@pytest.mark.parametrize("data", [OBJECTS, RAW, b"\x93NUMPY"])
def test_arrays_of_objects_and_of_no_values(data, tmp_path, whole):
    refuses(changed(whole, lambda m, c, a: a.update({"arrays/0.npy": data})), tmp_path, "is damaged")


def test_text_that_is_no_json(tmp_path, whole):
    head, content, arrays = damage.take_apart(whole)
    del head["sum"]
    empty = json.dumps(head | {"objects": [], "root": 0})[:-1]
    for text in (b"", b"\xff\xfe", b"[" * 100_000, b"{}", b"[]", f'{empty}, "root": 0}}'.encode(), f"{empty}}}".encode(),
                 json.dumps(head | content | {"root": 10**6}).encode()):  # fmt: skip
        refuses(damage.zipped(text, arrays), tmp_path, "is damaged, or is not a file")
    deep = head | {"objects": [["Factor", {"expr": 1, "how": "a"}]], "root": 0}
    text = json.dumps(deep).replace('"expr": 1', '"expr": ' + '{"tuple": [' * 400 + "1" + "]}" * 400)
    refuses(damage.zipped(text.encode(), arrays), tmp_path, "is damaged, or is not a file")


@pytest.mark.parametrize("name", ["builtins.eval", "os.system", "Fitting", "method os", "metric os", "method pvm of os.system"])
def test_classes_that_are_not_listed(name, tmp_path, whole):
    def rename(head, content, arrays):
        content["objects"][0][0] = name

    path = tmp_path / "x.proto"
    path.write_bytes(changed(whole, rename))
    with pytest.raises(pc.errors.NotAvailableError, match=r"which is not known: before pc.load"):
        pc.load(path)


@pytest.mark.parametrize("expression", damage.FORMULAS)
@pytest.mark.parametrize("how", ["python", "lookup", "literal"])
def test_formulas_outside_the_grammar(expression, how, tmp_path, whole):
    def rewrite(head, content, arrays):
        next(o[1] for o in content["objects"] if o[0] == "Factor").update(expr=expression, how=how)

    refuses(changed(whole, rewrite), tmp_path, "is damaged")


def set_array(of, field, change):
    """A change of an array that a field of an object refers to."""

    def apply(head, content, arrays):
        fields = next(o[1] for o in content["objects"] if o[0] == of)
        name = f"arrays/{fields[field]['array']}.npy"
        out = io.BytesIO()
        np.save(out, change(np.load(io.BytesIO(arrays[name]))))
        arrays[name] = out.getvalue()

    return apply


def put(array, at, value):
    out = array.copy()
    out.reshape(-1)[at] = value
    return out


WRONG = {
    "prototypes beyond": ("Points", "at", lambda a: put(a, 0, 10**6)), "prototypes negative": ("Points", "at", lambda a: put(a, 0, -1)),
    "prototypes too few": ("Points", "at", lambda a: a[:-1]), "classes beyond": ("Points", "classes", lambda a: put(a, 0, 3)),
    "classes as floats": ("Points", "classes", lambda a: a.astype(float)),
    "radii": ("Points", "radii", lambda a: a[:, None]), "errors too few": ("ErrorCurve", "_errors", lambda a: a[:-1]),
    "candidate rows": ("Dissimilarity", "candidate_row", lambda a: put(a, 0, 10**6)),
    "spread": ("TrainedMinkowski", "spread", lambda a: a[:-1]),
}  # fmt: skip


@pytest.mark.parametrize("what", list(WRONG))
def test_arrays_that_kernels_would_read_beyond_their_end(what, tmp_path, whole):
    refuses(changed(whole, set_array(*WRONG[what])), tmp_path, "is damaged")


@pytest.mark.parametrize("place", [("Call", "data"), ("Frame", "formula"), ("Problem", "frame"), ("Fit", "_problem")])
def test_a_path_or_another_object_in_the_place_of_a_part(place, tmp_path, whole):
    """No other file is opened, and no formula is used whose factors were not checked."""
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")

    def replace(head, content, arrays):
        other = str(tmp_path / "rows.csv") if place[1] == "data" else {"object": 0}
        next(o[1] for o in content["objects"] if o[0] == place[0])[place[1]] = other

    refuses(changed(whole, replace), tmp_path, "the path of another file|the field|has no formula")


# writing


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)


class Full:
    """A file on a disk that is full from the k-th write on."""

    left = 0

    def __init__(self, file):
        self.file = file

    def write(self, data):
        if Full.left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        Full.left -= 1
        return self.file.write(data)

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.file.close()


def test_a_disk_that_is_full_at_any_write_leaves_the_old_file(tmp_path, monkeypatch):
    fit = pc.fit("y ~ x", pd.DataFrame({"x": [0.0, 0.1, 5.0, 5.1], "y": list("aabb")}), eps=1.0)
    path, real, done = tmp_path / "fit.proto", open, False
    path.write_bytes(b"before")
    monkeypatch.setattr("protoclass.ground.files.open", lambda *a, **k: Full(real(*a, **k)), raising=False)
    for k in range(10_000):
        Full.left = k
        try:
            fit.save(path, overwrite=True)
            done = True
        except pc.errors.FileError as reason:
            assert "can't be written (No space left on device; no file is left behind): free some space" in str(reason)  # noqa: PT017
            assert path.read_bytes() == b"before"
        assert list(tmp_path.iterdir()) == [path]
        if done:
            break
    assert k > 30
    assert pc.load(path).prototypes.equals(fit.prototypes)


SAVING = """
import sys, protoclass as pc
fit = pc.load(sys.argv[1])
print("ready", flush=True)
while True:
    fit.save(sys.argv[1], overwrite=True)
"""


@POSIX
def test_a_process_that_is_killed_while_it_saves_leaves_a_whole_file(fit, tmp_path):
    path = tmp_path / "fit.proto"
    fit.save(path)
    for k in range(2):
        child = subprocess.Popen([sys.executable, "-c", SAVING, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.03 + 0.017 * k)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        assert pc.load(path).prototypes.equals(fit.prototypes)


def test_what_a_killed_process_left_goes_with_a_later_save(fit, tmp_path):
    new, old, other = (tmp_path / f".{name}.{'0' * 15}{k}.part" for k, name in enumerate(("fit.proto", "fit.proto", "fit")))
    for part in (new, old, other):
        part.write_bytes(b"half")
    for part in (old, other):
        os.utime(part, (0, 0))
    fit.save(tmp_path / "fit.proto")
    assert {*tmp_path.iterdir()} == {tmp_path / "fit.proto", new, other}


def test_files_that_are_there_already(fit, tmp_path):
    path = tmp_path / "fit.proto"
    saved = fit.save(path)
    assert saved.size == path.stat().st_size
    with pytest.raises(pc.errors.OptionError, match=r"already exists: use overwrite=True, or another name"):
        fit.save(path)
    with pytest.raises(pc.errors.OptionError, match=r"overwrite must be True or False, not 1"):
        fit.save(path, overwrite=1)
    assert fit.save(str(path), overwrite=True).size == saved.size
    with pytest.raises(pc.errors.OptionError, match=r"path must be the name of a file, such as 'iris.proto', not 5"):
        fit.save(5)
    with pytest.raises(pc.errors.FileError, match=r"can't be written"):
        fit.save(tmp_path / "no" / "such" / "folder.proto")
    with pytest.raises(pc.errors.FileError, match=r"can't be written|is there already"):
        fit.save(tmp_path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["fit.proto"]


def test_what_is_private_is_said(tmp_path):
    iris = pc.load_data("iris").assign(name="x")
    fit = pc.fit("species ~ . - name", iris, eps=[0.8, 1.2], cv=3, calibrate={"cv": 3}, dissimilarity="euclidean", repeats=1)
    said = repr(fit.save(tmp_path / "a"))
    assert "the data: 150 rows with their labels and all 6 columns; fit.slim() leaves them out" in said
    assert "held-out predictions of 150 rows (2 grid points, 1 repeat) and their folds" in said
    assert "classes, weights and scores of 150 calibration rows" in said
    slim = repr(fit.slim().save(tmp_path / "b"))
    assert "the data" not in slim
    assert "of the 150 rows, with labels and predictors" in slim
    nearest = pc.fit("species ~ .", iris.drop(columns="name"), "knn", k=3).slim().save(tmp_path / "c")
    assert nearest.holds == ("150 prototypes, among them 150 of the 150 rows, with labels and predictors",)
    centroids = pc.fit("species ~ .", iris.drop(columns="name"), "lvq", K=2).slim().save(tmp_path / "d")
    assert centroids.holds == ("6 prototypes, none of them a row",)
    adaptive = pc.fit("species ~ .", iris.drop(columns="name"), eps=1.0, dissimilarity=pc.Adaptive()).slim().save(tmp_path / "e")
    assert "values of each row that the metric learned (X, y)" in repr(adaptive)
    assert Path(adaptive) == tmp_path / "e"


def test_nothing_runs_while_a_file_is_read(tmp_path, whole, monkeypatch):
    """No pickle, no shell, no connection, no other file of the user: what would be used is watched."""
    import pickle
    import socket

    opened = []
    path = tmp_path / "x.proto"
    path.write_bytes(whole)
    pc.load(path)  # imports read files of their own

    def forbidden(*a, **k):
        raise AssertionError("not while loading")

    for place in (pickle.loads, pickle.load):
        monkeypatch.setattr(pickle, place.__name__, forbidden)
    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr(os, "system", forbidden)
    sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" and watching else None)
    watching = True
    pc.load(path)
    watching = False
    strange = [name for name in opened if not (name.endswith("x.proto") or name.startswith(("/proc", "/sys")))]
    assert not strange
