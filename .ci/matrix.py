"""Tests with the oldest and the newest versions of every dependency, on each Python: `make matrix`.

    python .ci/matrix.py                          every job in turn
    python .ci/matrix.py minimum newest-3.13      these jobs, which must all run
    python .ci/matrix.py --list                   the jobs, and the Pythons that are there
    python .ci/matrix.py --constraints            the oldest versions, for pip install -c

The oldest versions are the bounds in pyproject.toml: pip is given `==` for each `>=` there, for all extras at once. They are tested
on the oldest Python, as later ones have no wheels of them. The Pythons are those of the classifiers in pyproject.toml, found as
python3.12 and the like on PATH, or in the variable PYTHONS: names or paths, separated by blanks. A job whose Python is not there is
skipped with a word, unless it was asked for. Each job has an environment of its own in build/matrix.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "matrix"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# what reaches most of the other packages; TESTS="tests protoclass README.md" of make are all
QUICK = (
    "README.md", "tests/estimation/test_fit.py", "tests/frames/test_tables.py", "tests/frames/test_formula.py", "tests/test_print.py",
    "tests/frames/test_reading.py", "tests/metrics/test_metrics.py", "tests/metrics/test_strings.py", "tests/models/test_kmedoids.py",
    "tests/plots/test_plots.py", "tests/saving/test_round_trips.py", "tests/test_sql.py", "tests/estimation/test_predict_to.py",
)  # fmt: skip
# old packages use what newer packages below them deprecate: not for us to mend, and no bound of ours keeps those back
OLD = ("-W", "default::DeprecationWarning", "-W", "default::FutureWarning")


def requirements() -> list[Requirement]:
    """What the package and its extras need, without the extras that name the package itself."""
    texts = [*PROJECT["dependencies"], *(text for extra in PROJECT["optional-dependencies"].values() for text in extra)]
    return [r for r in map(Requirement, texts) if r.name != PROJECT["name"]]


def constraints() -> list[str]:
    """The oldest version of each requirement that satisfies all of its bounds."""
    oldest: dict[str, Version] = {}
    for required in requirements():
        bounds = [Version(s.version) for s in required.specifier if s.operator == ">="]
        if len(bounds) != 1:
            raise SystemExit(f"pyproject.toml: {required} has {len(bounds)} lower bounds: give each requirement one, name>=version")
        oldest[required.name] = max(bounds[0], oldest.get(required.name, bounds[0]))
    return [f"{name}=={version}" for name, version in sorted(oldest.items())]


def versions() -> list[str]:
    """The Pythons that are tested, from the oldest on, such as 3.11."""
    last = [text.rpartition(" ")[2] for text in PROJECT["classifiers"] if text.startswith("Programming Language :: Python :: 3.")]
    return sorted(last, key=Version)


def jobs() -> dict[str, str]:
    """The Python of each job."""
    return {"minimum": versions()[0], **{f"newest-{version}": version for version in versions()}}


def pythons() -> dict[str, str]:
    """The Pythons that are there, by version. A name on PATH may be a placeholder that does not run: each is run."""
    found: dict[str, str] = {}
    for name in os.environ.get("PYTHONS", "").split() or [f"python{version}" for version in versions()]:
        path = shutil.which(name)
        ask = [path or name, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(ask, capture_output=True, text=True, check=False) if path else None
        if done is not None and done.returncode == 0:
            found.setdefault(done.stdout.strip(), str(path))
        elif "PYTHONS" in os.environ:
            raise SystemExit(f"PYTHONS: {name} does not run: give names on PATH or paths of Pythons")
    return found


def run_job(job: str, python: str, tests: list[str]) -> bool:
    """Install into a new environment, and test there; whether all went well."""
    folder = BUILD / job
    own = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    wheels = ["--quiet", "--only-binary=:all:"]
    install = [own, "-m", "pip", "install", *wheels, "--editable", f"{ROOT}[test]"]
    test = [own, "-m", "pytest", "-x", "-p", "no:cacheprovider"]
    if job == "minimum":
        folder.mkdir(parents=True, exist_ok=True)
        stated = BUILD / "minimum.txt"
        stated.write_text("\n".join(constraints()) + "\n", encoding="utf-8")
        install += ["--constraint", stated]
        test += OLD
    commands = [
        [python, "-m", "venv", "--clear", folder],
        install,
        [own, "-m", "pip", "check"],
        [own, "-m", "pip", "list", "--format=freeze"],
        [*test, *tests],
    ]
    env = os.environ | {"MPLBACKEND": "Agg"}
    env.pop("PYTHONPATH", None)
    for command in commands:
        print("$", *command, flush=True)
        if subprocess.run([str(part) for part in command], cwd=ROOT, env=env, check=False).returncode:
            return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(jobs()))
    parser.add_argument("--tests", default=" ".join(QUICK), help="what pytest runs, separated by blanks")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--constraints", action="store_true")
    asked = parser.parse_args()
    if asked.constraints:
        print(*constraints(), sep="\n")
        return 0
    if unknown := [job for job in asked.jobs if job not in jobs()]:
        parser.error(f"no job {unknown[0]}: the jobs are {', '.join(jobs())}")
    there, results = pythons(), dict[str, str]()
    for job in asked.jobs or jobs():
        version = jobs()[job]
        if version not in there:
            results[job] = f"{'FAILED' if asked.jobs else 'skipped'}: no python{version} on PATH or in PYTHONS"
        elif asked.list:
            results[job] = there[version]
        else:
            start = time.perf_counter()
            well = run_job(job, there[version], asked.tests.split())
            results[job] = f"{'passed' if well else 'FAILED'} after {time.perf_counter() - start:.0f} s"
    print(*(f"{job:12} {result}" for job, result in results.items()), sep="\n")
    ran = [result for result in results.values() if not result.startswith("skipped")]
    return int(not ran or any(result.startswith("FAILED") for result in ran))


if __name__ == "__main__":
    sys.exit(main())
