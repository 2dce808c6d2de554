"""Builds the sdist and the wheel into dist, checks them, and tests the wheel where it is installed: `make dist`.

    python .ci/dist.py            all of it, in a new environment outside the checkout
    python .ci/dist.py --quick    with the packages that are here, and one fit instead of the tests: seconds

The wheel is built from the sdist, and must have what a wheel of the checkout has, byte by byte.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TESTS = ("README.md", "tests/estimation/test_fit.py", "tests/frames/test_datasets.py", "tests/plots/test_plots.py", "tests/saving")
NEEDED = ("pytest", "hypothesis")  # by these tests, at the versions of the extra `test`
EXAMPLE = ["-m", "protoclass", "species ~ .", "iris.csv", "--eps", "1.0", "--out", "figures"]


def run(*command: object, cwd: Path = ROOT) -> str:
    """Run a command without the checkout on the path of Python; what it prints."""
    env = os.environ | {"MPLBACKEND": "Agg"}
    env.pop("PYTHONPATH", None)
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}\nFAILED in {cwd}: {' '.join(words)}")
    return done.stdout


def build(work: Path, quick: bool) -> tuple[Path, Path]:
    """The sdist, and the wheel that it builds: with hatchling as it is here, or in isolation with what pyproject.toml asks for."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", DIST)
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(work, filter="data")
    (source,) = work.iterdir()
    if quick:
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", DIST, cwd=source)
    else:
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", DIST, sdist)
    (wheel,) = DIST.glob("*.whl")
    return source, wheel


def check_contents(source: Path, wheel: Path, work: Path) -> None:
    """The sdist has every file of the repository; the wheel has what a wheel of the checkout has, and every file of the package."""
    if (ROOT / ".git").exists():
        tracked = [name for name in run("git", "ls-files").splitlines() if (ROOT / name).exists()]
        if lacking := [name for name in tracked if not (source / name).exists()]:
            raise SystemExit(f"the sdist lacks {', '.join(lacking)}: [tool.hatch.build.targets.sdist] of pyproject.toml")
        package = [name for name in tracked if name.startswith("protoclass/")]
        if lacking := sorted(set(package) - set(contents(wheel))):
            raise SystemExit(f"the wheel lacks {', '.join(lacking)}: [tool.hatch.build.targets.wheel] of pyproject.toml")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", work / "checkout")
    (direct,) = (work / "checkout").glob("*.whl")
    ours, theirs = contents(wheel), contents(direct)
    if different := sorted(name for name in ours | theirs if ours.get(name) != theirs.get(name)):
        raise SystemExit(f"the wheel of the sdist is not that of the checkout: {', '.join(different)}")


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def try_here(wheel: Path, source: Path, work: Path) -> None:
    """One fit with the wheel, unpacked beside the packages that are installed here."""
    site = work / "site"
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheel)
    shutil.copy(source / "data" / "iris.csv", work)
    start = f"import runpy, sys; sys.path.insert(0, {str(site)!r}); sys.argv = sys.argv[1:]; import protoclass as pc"
    start += f"; assert pc.__file__.startswith({str(site)!r}), pc.__file__; runpy.run_module('protoclass', run_name='__main__')"
    check_example(run(sys.executable, "-P", "-c", start, *EXAMPLE[1:], cwd=work), work)


def try_in_new_environment(wheel: Path, source: Path, work: Path) -> None:
    """The example of README and the tests of the sdist with the wheel, where nothing but it was installed; then its metadata."""
    run(sys.executable, "-m", "venv", work / "venv")
    python = work / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", wheel)
    run(python, "-m", "pip", "check")
    shutil.copy(source / "data" / "iris.csv", work)
    check_example(run(python, *EXAMPLE, cwd=work), work)
    print("the wheel alone fits and draws", flush=True)
    stated = [text for text in PROJECT["optional-dependencies"]["test"] if text.startswith(NEEDED)]
    run(python, "-m", "pip", "install", "--quiet", *stated)
    shutil.rmtree(source / "protoclass")  # the installed one is tested
    origin = run(python, "-c", "import protoclass; print(protoclass.__file__)", cwd=source).strip()
    if not Path(origin).is_relative_to(work / "venv"):
        raise SystemExit(f"{origin} would be tested, and not the wheel in {work / 'venv'}")
    print(run(python, "-m", "pytest", "-p", "no:cacheprovider", *TESTS, cwd=source), flush=True)
    run(python, "-m", "pip", "install", "--quiet", "twine")  # last, as it brings packages of its own
    print(run(python, "-m", "twine", "check", "--strict", *sorted(DIST.iterdir())), flush=True)


def check_example(printed: str, work: Path) -> None:
    if "Prototype vector machine" not in printed or not list((work / "figures").glob("*.png")):
        raise SystemExit(f"the example of README printed:\n{printed}\nand drew {list((work / 'figures').glob('*'))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        source, wheel = build(work / "source", quick)
        check_contents(source, wheel, work)
        print(f"dist has {', '.join(sorted(path.name for path in DIST.iterdir()))}, which agree", flush=True)
        (try_here if quick else try_in_new_environment)(wheel, source, work)
    print("dist passed")


if __name__ == "__main__":
    main()
