"""What checks the package elsewhere agrees with pyproject.toml: oldest versions, jobs, the workflow."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
if not (ROOT / ".ci").exists():
    pytest.skip("no folder .ci beside the tests", allow_module_level=True)
MATRIX = runpy.run_path(str(ROOT / ".ci" / "matrix.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_oldest_versions_satisfy_every_requirement():
    oldest = {r.name: str(r.specifier).removeprefix("==") for r in map(Requirement, MATRIX["constraints"]())}
    texts = [*PROJECT["dependencies"], *(text for extra in PROJECT["optional-dependencies"].values() for text in extra)]
    needed = [r for r in map(Requirement, texts) if r.name != PROJECT["name"]]
    assert {r.name for r in needed} == set(oldest)
    assert [str(r) for r in needed if oldest[r.name] not in r.specifier] == []
    for name, version in oldest.items():  # each is a bound that is written there, not a number of its own
        assert any(f"{name}>={version}" == re.sub(r"\[.*\]|,.*", "", text) for text in texts), name


def test_the_files_that_are_tested_are_there():
    dist = runpy.run_path(str(ROOT / ".ci" / "dist.py"))
    assert [name for name in (*MATRIX["QUICK"], *dist["TESTS"]) if not (ROOT / name).exists()] == []


def test_the_oldest_python_is_the_one_that_is_required():
    assert PROJECT["requires-python"] == f">={MATRIX['versions']()[0]}"


def test_the_workflow_runs_the_same_jobs():
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    assert {one["job"]: one["python"] for one in jobs["matrix"]["strategy"]["matrix"]["include"]} == MATRIX["jobs"]()
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]) for step in steps if "uses" in step)
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for command in [step["run"] for step in steps if "run" in step]:
        first, *words = command.split()
        assert words[0] in targets if first == "make" else (ROOT / first).exists(), command
