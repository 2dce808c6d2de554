"""Mutation testing of `protoclass/core`: are there tests that fail when one operator, constant or name is another?

    python tests/mutants/mutate.py --sample 400 --seed 0     (make mutants)

First `measure.py` notes the tests of each line, with kernels as Python: a compiled kernel would come from numba's cache, and its
callers keep a copy of it inside. Then the tests are collected once, and for each mutant a child of this process gives the
function that is changed its new code, and runs the tests of the line, the quickest first, until one fails. No file is
changed. Mutants are made inside functions only: what stands outside is read once, at import.

A mutant that no test notices has survived, unless `argued.toml` says why its results are the same. Libraries do not serve
here: mutmut leaves out functions under decorators, so all kernels; Cosmic Ray writes the mutants into the files, and starts
all tests anew for each.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import pkgutil
import random
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol
from children import StoppedError, in_child
from measure import FOLDERS, HERE, ROOT, WORK, Measure, Plan, kept, with_python_kernels
from operators import Mutant, mutants, mutated

SURVIVED, KILLED, STOPPED, NO_TEST, ARGUED = "survived", "killed", "stopped", "no test", "argued"

OPEN = (SURVIVED, NO_TEST)


def main() -> int:
    """Run the sample; 1 where a mutant survived and is not argued."""
    parser = argparse.ArgumentParser(description="Mutation testing of protoclass/core.")
    parser.add_argument("--sample", type=int, default=300, help="number of mutants (default: 300)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default: 0)")
    parser.add_argument("--files", nargs="*", default=[""], help="only files whose path has one of these texts, such as setcover/")
    parser.add_argument("--test-limit", type=float, default=5, help="leave out tests of more seconds of the processor (5)")
    parser.add_argument("--mutant-limit", type=float, default=20, help="seconds of the processor for a mutant's tests (20)")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    every = [mutant for mutant in all_mutants() if any(text in mutant.file for text in options.files)]
    sample = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    plan = Mutate(sample, options.test_limit, options.mutant_limit)
    with_python_kernels(list(FOLDERS), plan)
    outcomes = ", ".join(f"{n} {outcome}" for outcome, n in plan.counts.most_common())
    print(f"{plan.counts.total()} of {len(every)} mutants, seed {options.seed}: {outcomes}")
    return int(any(plan.counts[outcome] for outcome in OPEN))


def all_mutants() -> list[Mutant]:
    """Of every file of `protoclass/core`."""
    files = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "protoclass" / "core").rglob("*.py"))
    return [mutant for file in files for mutant in mutants(file, (ROOT / file).read_text())]


def argued() -> list[dict[str, str]]:
    """The entries of `argued.toml`: `file`, `line` (its text), `why`, and `change` where not every one of the line is meant."""
    return tomllib.loads((HERE / "argued.toml").read_text()).get("argued", [])


def why(mutant: Mutant, reasons: list[dict[str, str]]) -> str | None:
    """Why the mutant's results are the same, where that is argued."""
    for entry in reasons:
        if (entry["file"], entry["line"]) == (mutant.file, mutant.text) and entry.get("change", mutant.change) == mutant.change:
            return entry["why"]
    return None


class Tests:
    """Which tests run a line, the quickest first."""

    def __init__(self, items: list[pytest.Item]) -> None:
        self.items = {item.nodeid: item for item in items}
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for test in kept():
            if test["test"] in self.items and test["seconds"] is not None:
                self.seconds[test["test"]] = test["seconds"]
                for file, arcs in test["arcs"].items():
                    for line in {abs(end) for arc in arcs for end in arc}:
                        self.lines[file][line].add(test["test"])

    def of(self, mutant: Mutant, limit: float) -> list[pytest.Item]:
        """The quickest tests of a mutant's line, or of the one before that runs, of so many seconds together."""
        lines = self.lines[mutant.file]
        names = lines.get(max((line for line in lines if line <= mutant.line), default=0), set())
        chosen, total = [], 0.0
        for name in sorted(names, key=lambda name: (self.seconds[name], name)):
            total += self.seconds[name]
            if chosen and total > limit:
                break
            chosen.append(self.items[name])
        return chosen


class Mutate(Plan):
    """Runs the tests of each mutant, in a child."""

    def __init__(self, sample: list[Mutant], test_limit: float, limit: float) -> None:
        self.sample, self.test_limit, self.limit = sample, test_limit, limit
        self.counts: Counter[str] = Counter()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Print what becomes of each mutant, and count."""
        Measure(self.test_limit).pytest_runtestloop(session)
        tests, reasons, functions = Tests(session.items), argued(), functions_of_core()
        for mutant in self.sample:
            outcome = self.outcome(new_code(mutant, functions), tests.of(mutant, self.limit / 2))
            if why(mutant, reasons):
                outcome = ARGUED if outcome in OPEN else f"argued and yet {outcome}"
            self.counts[outcome] += 1
            print(f"{outcome}: {mutant}", flush=True)
        return True

    def outcome(self, changes: list[tuple[FunctionType, CodeType]], tests: list[pytest.Item]) -> str:
        """What becomes of functions with this code."""

        def survives() -> bool:
            for function, code in changes:
                function.__code__ = code
            following = [*tests[1:], None]
            return all(
                not report.failed
                for item, after in zip(tests, following, strict=True)
                for report in runtestprotocol(item, log=False, nextitem=after)
            )

        if not tests:
            return NO_TEST
        try:
            return SURVIVED if in_child(survives, self.limit) else KILLED
        except StoppedError:
            return STOPPED


Functions = dict[tuple[str, str, int], list[FunctionType]]  # by file, qualified name and first line


def functions_of_core() -> Functions:
    """Every function of `core`, whatever wraps it."""
    for part in pkgutil.walk_packages([str(ROOT / "protoclass" / "core")], "protoclass.core."):
        importlib.import_module(part.name)
    found: Functions = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(str(ROOT / "protoclass" / "core")):
            code = thing.__code__
            found[code.co_filename, code.co_qualname, code.co_firstlineno].append(thing)
    return found


def new_code(mutant: Mutant, functions: Functions) -> list[tuple[FunctionType, CodeType]]:
    """The functions that a mutant changes, and their new code."""
    path = str(ROOT / mutant.file)
    source = Path(path).read_text()
    old, new = (_codes(compile(tree, path, "exec")) for tree in (source, mutated(mutant, source)))
    changed = [key for key in new if new[key] != old[key]]
    found = [(function, new[key]) for key in changed for function in functions.get((path, *key), [])]
    if not found:
        raise LookupError(f"no function has the line of {mutant}")
    return found


def _codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """Those of a file's functions, by qualified name and first line."""
    inside = [part for part in code.co_consts if isinstance(part, CodeType)]
    return {(part.co_qualname, part.co_firstlineno): part for part in inside} | {
        key: value for part in inside for key, value in _codes(part).items()
    }


if __name__ == "__main__":
    sys.exit(main())
