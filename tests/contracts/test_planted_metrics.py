"""Faults planted in metrics of a newcomer's own: the contract finds them, and its message names the cause."""

import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from protoclass.testing import ContractError

sys.path.insert(0, str(Path(__file__).parent))
import planted_metrics as planted
from further_metrics import check_metric

KNOWN = {
    "OnlyLongTables": "the contract measures few rows, so that it is quick",
    "OneScratch": "two threads at once would overwrite one another, and the contract measures in one",
    "CoarseNumbers": "a metric may measure less than the columns have",
}
QUICK = 3  # faults of each kind that are not marked as long


def parameters():
    """The faults, those beyond the first of each kind marked as long."""
    out, seen = [], Counter()
    for kind, cls, words in planted.FAULTS:
        if cls.__name__ not in KNOWN:
            seen[kind] += 1
            out.append(pytest.param(cls, words, id=cls.__name__, marks=[pytest.mark.long] * (seen[kind] > QUICK)))
    return out


@pytest.mark.parametrize(
    "metric", [pytest.param(m, id=m.__name__, marks=[pytest.mark.long] * (k > 3)) for k, m in enumerate(planted.GOOD)]
)
def test_a_good_metric_of_ones_own_passes(metric):
    check_metric(metric)


def test_a_good_metric_of_positive_numbers_passes_on_these():
    X = np.random.default_rng(0).gamma(2.0, size=(30, 3))
    data = pd.DataFrame(X, columns=list("abc")).assign(y=np.repeat(["u", "v"], [22, 8]))
    check_metric(planted.Hellinger(), data)


@pytest.mark.parametrize(("metric", "words"), parameters())
def test_a_planted_fault_is_named(metric, words):
    with pytest.raises(ContractError) as caught:
        check_metric(metric)
    assert re.search(words, str(caught.value)), str(caught.value)


@pytest.mark.long
@pytest.mark.parametrize("metric", [cls for kind, cls, _ in planted.FAULTS if kind == "known"], ids=lambda m: m.__name__)
def test_a_fault_that_is_known_to_be_missed(metric):
    assert KNOWN[metric.__name__]
    check_metric(metric)


def test_three_faults_of_each_kind_are_planted_and_most_are_caught():
    kinds = [kind for kind, _, _ in planted.FAULTS]
    assert min(kinds.count(kind) for kind in set(kinds) - {"pickled", "made again"}) >= 3
    assert len(KNOWN) <= 0.2 * len(kinds)
