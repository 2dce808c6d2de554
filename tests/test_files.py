"""Files: written all or not at all, and refused with a reason where they can't be read."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.__main__ import main
from protoclass.ground.files import write_file

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
POSIX = pytest.mark.skipif(os.name != "posix", reason="limits of this kind are POSIX's")

FULL = """
import resource, signal, sys
import protoclass as pc
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
texts = pc.vignette()
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
try:
    pc.vignette("getting_started", sys.argv[1])
except pc.errors.FileError as reason:
    print("refused:", reason)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
pc.vignette("getting_started", sys.argv[1])
"""


@POSIX
def test_a_vignette_that_did_not_fit_does_not_block_the_next_try(tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "refused:" in done.stdout
    assert "can't be written (File too large; no file is left behind): free some space" in done.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["getting_started.ipynb"]


def test_what_exists_is_kept_unless_asked(tmp_path):
    write_file(tmp_path / "a", "one", overwrite=False)
    with pytest.raises(pc.errors.OptionError, match="already exists: use overwrite=True, or another name"):
        write_file(tmp_path / "a", "two", overwrite=False)
    assert (tmp_path / "a").read_text() == "one"
    if os.name == "posix":
        umask = os.umask(0)
        os.umask(umask)
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("place", ["a" * 300, "there/is/none/a", "folder", "nul\0byte"])
def test_places_where_nothing_can_be_written(tmp_path, place):
    (tmp_path / "folder").mkdir()
    with pytest.raises(pc.errors.FileError, match="can't be written"):
        write_file(tmp_path / place, "x")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("folder", ["a" * 300, "nul\0byte", "/dev/null", "", 3])
def test_folders_that_are_none(folder):
    with pytest.raises(pc.errors.OptionError, match="does not exist: create it first, or use another"):
        pc.vignette("getting_started", folder)


def arrays(**values):
    def write(path):
        with path.open("wb") as stream:
            np.savez(stream, **values)

    return write


def one_array(path):
    with path.open("wb") as stream:
        np.save(stream, np.zeros(3))


GOOD = {"x_train": np.zeros((2, 3)), "x_test": np.zeros((1, 3)), "y_train": np.zeros(2), "y_test": np.zeros(1)}
BAD = {
    "empty": lambda p: p.write_bytes(b""),
    "a line": lambda p: p.write_text("a,b,c\n"),
    "ragged": lambda p: p.write_text("a,b\n1,2\n3,4,5,6\n"),
    "a quote in Latin-1": lambda p: p.write_bytes(b'"\xff\n1,2\n'),
    "one array": one_array,
    "objects": arrays(**{**GOOD, "x_train": np.array([{}, []], dtype=object)}),
    "too few": arrays(**{**GOOD, "y_train": np.zeros(7)}),
}


@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize(("name", "file"), [("pima", "pima_diabetes.csv"), ("usps", "usps_zip.npz")])
def test_fetched_files_that_are_something_else(tmp_path, monkeypatch, name, file, what):
    monkeypatch.setenv("PROTOCLASS_DATA", str(tmp_path))
    BAD[what](tmp_path / file)
    with pytest.raises((pc.errors.FileError, pc.errors.DataError)) as caught:
        pc.fetch_data(name)
    assert file in str(caught.value)


def test_a_fetched_file_that_is_right(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOCLASS_DATA", str(tmp_path))
    arrays(**GOOD)(tmp_path / "usps_zip.npz")
    assert pc.fetch_data("usps")["split"].tolist() == ["train", "train", "test"]


@pytest.mark.parametrize("folder", ["", "  "])
def test_a_folder_that_is_set_and_empty_is_not_set(monkeypatch, folder):
    monkeypatch.setenv("PROTOCLASS_DATA", folder)

    def offline(*_, **__):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(pc.errors.DataError, match=r"'diabetes' at OpenML is not .* or can't be read \(no network\): set PROTOCLASS_DATA"):
        pc.fetch_data("pima")


@pytest.mark.parametrize("table", [pd.DataFrame(), pd.DataFrame({"a": []}), pd.DataFrame({"a": [1]})])
def test_openml_may_send_something_else(monkeypatch, table):
    monkeypatch.delenv("PROTOCLASS_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda *_, **__: type("Bunch", (), {"frame": table}))
    with pytest.raises(pc.errors.DataError, match=r"at OpenML.* is not the data set 'pima'"):
        pc.fetch_data("pima")


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9/a.csv", "https://x.org/a.csv", "s3://b/a", "file:///etc/passwd", "FTP://x/a"]
)
def test_the_shell_opens_no_address(monkeypatch, capsys, address):
    def opened(*_, **__):
        raise AssertionError("it was opened")

    monkeypatch.setattr("pandas.read_csv", opened)
    for words in (["y ~ .", address], ["explore", "y ~ .", address]):
        assert main(words) == 2
        assert (
            "is a web address, but data are not fetched from the web"
            in capsys.readouterr().err
        )


@pytest.mark.parametrize("what", [k for k in BAD if k != "one column"])
def test_the_shell_on_bad_files(tmp_path, capsys, what):
    path = tmp_path / "data.csv"
    BAD[what](path)
    assert main(["y ~ .", str(path)]) == 2
    assert capsys.readouterr().err.startswith("protoclass: ")


def test_figures_of_the_shell_in_a_place_that_is_a_file(tmp_path, capsys, iris):
    path = Path(tmp_path / "iris.csv")
    iris.to_csv(path, index=False)
    assert main(["species ~ .", str(path), "--eps", "1.0", "--out", str(path)]) == 2
    assert "File exists" in capsys.readouterr().err
