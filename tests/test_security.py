"""SECURITY.md: the tests of its guarantees exist; and the guarantees that no other file tests."""

import ast
import re
from functools import cache
from pathlib import Path

import duckdb
import pytest

import protoclass as pc

ROOT = Path(__file__).resolve().parent.parent
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
FITS = [("pvm", {"eps": 1.0}), ("scm", {"features": "stumps", "kind": "conjunction", "penalty": 1.0, "size": 2})]


@cache
def names_in(file):
    return {node.name for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)}


def test_every_guarantee_names_a_test_that_exists():
    rows = (ROOT / "tests" / "GUARANTEES.md").read_text().split("|---|---|\n")[1].splitlines()
    assert len(rows) > 10
    for row in rows:
        named = NAMED.findall(row)
        assert named, row
        for file, name in named:
            assert name in names_in(file), f"{file} has no {name}"


@pytest.mark.parametrize(("method", "parameters"), FITS)
def test_sql_is_one_query_that_only_reads(iris, method, parameters):
    query = pc.fit("species ~ .", iris, method, cv=None, **parameters).sql()
    (statement,) = duckdb.extract_statements(query)
    assert statement.type == duckdb.StatementType.SELECT


def test_a_query_holds_the_values_of_its_prototypes(iris):
    fit = pc.fit("species ~ .", iris, "knn", k=1, dissimilarity=pc.Euclidean(scale=False))
    query = fit.sql()
    for row in fit.prototypes[list(iris.columns[:4])].to_numpy()[::10]:
        assert any(set(row) <= numbers for numbers in numbers_of(query))


def numbers_of(query):
    """The numbers that stand in each line."""
    number = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
    return [set(map(float, number.findall(line))) for line in query.splitlines()]
