"""The benchmarks of growth: a case that fails is a row, exponents are slopes, and the plain greedy is the package's."""

import importlib
import math
import sys
from pathlib import Path

import pytest

import protoclass as pc

HERE = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    """The scripts find one another as they do when one is run as a command."""
    monkeypatch.syspath_prepend(str(HERE))
    yield importlib.import_module
    for name in ("cases", "made", "one_case", "scale", "scale_picture"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("n", "p"), [(600, 2), (400, 20)])
def test_the_plain_greedy_chooses_the_prototypes_of_the_package(script, n, p):
    cases, made = script("cases"), script("made")
    data = made.made(n, p)
    X, y = made.predictors(data), data["y"].cat.codes.to_numpy()
    eps = made.radius(X, 40) * (1 + 1e-6)  # not on a distance, where rounding would decide
    chosen = pc.fit("y ~ .", data, dissimilarity=pc.Euclidean(scale=False), eps=eps, progress=False, repeats=1).rule.prototypes
    assert cases.greedy(X, y, eps, 1 / n) == list(zip(chosen.at.tolist(), chosen.classes.tolist(), strict=True))
    assert len(chosen) > 10


def test_exponents_are_slopes_and_sizes_beyond_the_limit_are_not_tried(script):
    scale, one_case = script("scale"), script("one_case")
    rows = [scale.Row("knn", 2, n, one_case.Outcome(2e-6 * n**1.5, 1e-4 * n, "")) for n in (1000, 10_000, 100_000)]
    assert scale.exponent(rows) == pytest.approx(1.5)
    assert scale.exponent(rows, "gigabytes") == pytest.approx(1.0)
    assert math.isnan(scale.exponent(rows, least=50.0))
    assert scale.grown(rows[:2], 100_000) == pytest.approx(rows[2].outcome.seconds)
    assert "1.50" in scale.line(rows[1], rows[0])
