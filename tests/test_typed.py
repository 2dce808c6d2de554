"""What a typed program sees of the package: every public name, with types, in the source and in the wheel."""

import ast
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import protoclass as pc

HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "typed" / "script.py"


def test_every_name_of_the_stub_is_public_and_is_there():
    """A type checker takes a name as public only where it is imported `as` itself."""
    tree = ast.parse(Path(pc.__file__).with_suffix(".pyi").read_text())
    imported = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.asname == alias.name for alias in imported)
    assert sorted(alias.name for alias in imported) == pc.__all__
    assert all(hasattr(pc, name) for name in pc.__all__)


def test_the_typed_script_runs(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(SCRIPT.parent)
    import script

    assert script.learned(tmp_path / "iris.proto") == pytest.approx(0.04)
    assert script.estimator().predict([[1, 0, 0, 0]]).tolist() == ["a"]


@pytest.mark.long
def test_mypy_is_content_with_the_script_and_the_wheel(tmp_path):
    """The package as a user has it: unpacked from its wheel, and marked as typed."""
    pytest.importorskip("hatchling")
    pytest.importorskip("mypy")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=HERE.parent, check=True, capture_output=True, timeout=300)
    venv.create(tmp_path / "user", with_pip=False)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(tmp_path / "user")}))
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as archive:
        archive.extractall(packages)
    (packages / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    python = tmp_path / "user" / ("Scripts" if os.name == "nt" else "bin") / "python"
    options = ["--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}", f"--python-executable={python}"]
    found = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(SCRIPT)], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert found.returncode == 0, found.stdout
