"""The mutants of a file, and that what is argued of survivors is said of mutants that exist."""

import ast
import os
import subprocess
import sys

import pytest
from measure import HERE, ROOT
from mutate import all_mutants, argued, why
from operators import mutants, mutated

SOURCE = """
LIMIT = 2
def f(a: int | str, b, c=0):
    if a < b and not b:
        return max(a, 1) - a[b]
    raise ValueError(f"{a + b}")
"""
CHANGES = [
    "a < b and (not b) -> a < b or not b",
    "a < b -> a <= b",
    "a < b -> a >= b",
    "not b -> not not b",
    "max(a, 1) - a[b] -> max(a, 1) + a[b]",
    "max(a, 1) -> min(a, 1)",
    "max(a, 1) -> max(a, 2)",
    "max(a, 1) -> max(a, 0)",
]


@pytest.mark.parametrize(("number", "change"), list(enumerate(CHANGES)))
def test_a_mutant_differs_by_one_expression_inside_a_function(number, change):
    every = mutants("f.py", SOURCE)
    assert len(every) == len(CHANGES)
    assert every[number].change == change
    lines = [ast.unparse(tree).splitlines() for tree in (ast.parse(SOURCE), mutated(every[number], SOURCE))]
    assert [a != b for a, b in zip(*lines, strict=True)].count(True) == 1


def test_a_kernel_gets_the_code_of_a_mutant():
    """In another process, since it keeps it."""
    code = (
        "import numpy as np, mutate, operators\n"
        "from protoclass.core.setcover.greedy import weigh\n"
        "file = 'protoclass/core/setcover/greedy.py'\n"
        "mutant = [m for m in operators.mutants(file, (mutate.ROOT / file).read_text()) if m.change.startswith('total += weights[i]')][0]\n"
        "given = np.zeros((1, 3), np.uint8), None, None, None, 0, 0, np.ones(3, np.int64)\n"
        "print(mutant.change, '|', int(weigh(*given)), end=' ')\n"
        "for function, new in mutate.new_code(mutant, mutate.functions_of_core()):\n"
        "    function.__code__ = new\n"
        "print(int(weigh(*given)))\n"
    )
    path = os.pathsep.join([str(ROOT), str(HERE)])
    variables = {**os.environ, "PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables, capture_output=True, text=True)
    changed = "total += weights[i] * (line[i] <= reach) -> total -= weights[i] * (line[i] <= reach)"
    assert run.stdout == f"{changed} | 3 -3\n", run.stderr


def test_what_is_argued_is_said_of_mutants():
    """An entry for a line that is not there any more, or for a change that is not made, is to be removed."""
    every = all_mutants()
    for entry in argued():
        assert any(why(mutant, [entry]) for mutant in every), entry
        assert len(entry["why"].split()) >= 4, entry
