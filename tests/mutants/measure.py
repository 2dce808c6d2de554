"""Which lines of `core` each test runs, and its seconds, with kernels as Python (`NUMBA_DISABLE_JIT=1`).

    python tests/mutants/measure.py [FOLDER ...]

Coverage sees nothing inside compiled kernels. As Python they take some hundred times as long: tests that are quick all the
same cover nearly all of their lines. Each test runs in a child of this process, which is stopped after some seconds of the
processor, so that a busy machine leaves out no more tests; of a parametrised test some cases run. What was measured is kept,
a line for each test, and not measured again. `--coverage FILE` writes it as data of coverage.py, to be combined with others.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from _pytest.runner import runtestprotocol
from children import StoppedError, in_child

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "build" / "mutants"
KEPT = WORK / "tests.jsonl"
FOLDERS = ("tests/core", "protoclass/core", "tests/metrics", "tests/models", "tests/analysis")  # the second: examples in docstrings
OF_EACH = 3  # cases of a parametrised test
LATE = ("numba", "scipy.stats", "scipy.optimize", "scipy.sparse.csgraph", "sklearn.isotonic", "highspy", "matplotlib.pyplot")
OUTSIDE = {"cluster", "client"}  # fixtures whose tests run in other processes


def main() -> int:
    """Measure the tests of some folders."""
    parser = argparse.ArgumentParser(description="Which lines of protoclass/core each test runs, with kernels as Python.")
    parser.add_argument("folders", nargs="*", default=FOLDERS, help=f"default: {' '.join(FOLDERS)}")
    parser.add_argument("--limit", type=float, default=5, help="seconds of the processor for a test (5)")
    parser.add_argument("--coverage", metavar="FILE", help="write what was measured as data of coverage.py")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    with_python_kernels(options.folders, Measure(options.limit))
    if options.coverage:
        write_coverage(options.coverage)
    return 0


def with_python_kernels(folders: list[str], plan: Any) -> None:
    """Collect the tests of some folders in this process, whose kernels are Python from now on; `plan` says what runs."""
    os.chdir(ROOT)
    os.environ.update(NUMBA_DISABLE_JIT="1", MPLBACKEND="Agg", OPENBLAS_NUM_THREADS="1")
    sys.path.insert(0, str(ROOT))
    # integers of kernels wrap around, as some of their formulas mean
    wraps = ["-W", "ignore:overflow encountered in scalar:RuntimeWarning", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    pytest.main(["-qq", "-s", "--tb=line", "-p", "no:cacheprovider", "-p", "no:faulthandler", *wraps, *folders], plugins=[plan])


class Plan:
    """A plugin of pytest whose `pytest_runtestloop` takes the place of the tests."""

    def pytest_sessionstart(self) -> None:
        """Hypothesis looks for no simpler examples: the first failure is enough."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile("first failure", hypothesis.settings(), phases=phases)
        hypothesis.settings.load_profile("first failure")

    def pytest_collection_finish(self) -> None:
        """Import what tests import while they run: children would do so each for itself, and run out of time."""
        for name in LATE:
            importlib.import_module(name)


class Measure(Plan):
    """Runs each test once, in a child."""

    def __init__(self, limit: float) -> None:
        self.limit = limit

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Add a line to the file for each test that passes, and for each that does not, without lines of `core`."""
        known = {test["test"] for test in kept()}
        with KEPT.open("a") as out:
            for item in some_of_each(session.items):
                if item.nodeid in known:
                    continue
                try:
                    seconds, arcs = in_child(lambda item=item: _measured(item), self.limit)
                except StoppedError:
                    seconds, arcs = None, {}
                out.write(json.dumps({"test": item.nodeid, "seconds": seconds, "arcs": arcs}) + "\n")
                out.flush()
        return True


def _measured(item: pytest.Item) -> tuple[float | None, dict[str, list[tuple[int, int]]]]:
    import coverage

    measured = coverage.Coverage(data_file=None, branch=True, include=[f"{ROOT}/protoclass/core/*"], config_file=False)
    start = time.process_time()
    measured.start()
    reports = runtestprotocol(item, log=False)
    measured.stop()
    seconds = round(time.process_time() - start, 3)
    if not all(report.passed for report in reports):
        return None, {}
    data = measured.get_data()
    return seconds, {os.path.relpath(file, ROOT): data.arcs(file) or [] for file in data.measured_files()}


def some_of_each(items: list[pytest.Item]) -> list[pytest.Item]:
    """Some cases of each test, drawn by its name."""
    cases = defaultdict(list)
    for item in items:
        if OUTSIDE.isdisjoint(getattr(item, "fixturenames", ())):
            cases[item.nodeid.partition("[")[0]].append(item)
    return [item for name, case in cases.items() for item in random.Random(name).sample(case, min(OF_EACH, len(case)))]


def kept() -> Iterator[dict[str, Any]]:
    """What was measured: `test`, its `seconds` (None if it did not pass in time) and `arcs` by file."""
    if KEPT.exists():
        yield from map(json.loads, KEPT.read_text().splitlines())


def write_coverage(file: str) -> None:
    """Write the arcs of all tests as data of coverage.py."""
    from coverage import CoverageData

    data = CoverageData(file)
    for test in kept():
        data.add_arcs({str(ROOT / name): [tuple(arc) for arc in arcs] for name, arcs in test["arcs"].items()})
    data.write()


if __name__ == "__main__":
    sys.exit(main())
