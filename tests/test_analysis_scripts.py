"""The analyses of benchmarks/analyses on few rows: each is short, runs, and says what its reader asks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "analyses"
# rows, and what the output has: sentences whose numbers depend on the rows are not among them
SAID = {
    "costs": (240, ["medianglvq", "No-information loss", "Predict pos if its probability is at least", "Sensitivity"]),
    "credit": (160, ["two cases", "logistic", "forest", "95 % CI"]),
    "strings": (60, ["Mismatch", "tuned: k =", "at most 12", "size"]),
    "series": (60, ["DTW", "tuned: window =", "Test error"]),
    "matrix": (None, ["given", "optimal (proved", "newly_covered"]),
    "files": (2000, ["of 2000 observations", "error on all rows"]),
    "pipeline": (200, ["prototypeclassifier__k", "accuracy", "log loss"]),
}
MOST_LINES = 15  # of code, imports apart


def code_of(path):
    lines = path.read_text().split('"""', 2)[2].splitlines()
    return [line for line in lines if line.strip() and not re.match(r"(import|from) ", line)]


def test_each_analysis_is_listed_and_short():
    scripts = {path.stem: path for path in FOLDER.glob("*.py")}
    assert set(scripts) == set(SAID)
    assert {name: len(code_of(path)) for name, path in scripts.items() if len(code_of(path)) > MOST_LINES} == {}


@pytest.mark.later
@pytest.mark.parametrize("name", SAID)
def test_analyses_say_what_their_readers_ask(name):
    if "PROTOCLASS_DATA" in (FOLDER / f"{name}.py").read_text() and "PROTOCLASS_DATA" not in os.environ:
        pytest.skip("PROTOCLASS_DATA names no folder with the papers' data")
    rows, said = SAID[name]
    command = [sys.executable, "-W", "ignore", str(FOLDER / f"{name}.py"), *([] if rows is None else [str(rows)])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert [words for words in said if words not in done.stdout] == [], done.stdout
