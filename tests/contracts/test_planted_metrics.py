"""Faults planted in metrics of a newcomer's own: the contract finds them, and its message names the cause."""

import numpy as np
import pandas as pd
import planted_metrics as planted
import pytest
from further_metrics import check_metric

from protoclass.testing import ContractError


@pytest.mark.parametrize("metric", planted.GOOD, ids=lambda metric: metric.__name__)
def test_a_good_metric_of_ones_own_passes(metric):
    check_metric(metric)


def test_a_good_metric_of_positive_numbers_passes_on_these():
    X = np.random.default_rng(0).gamma(2.0, size=(30, 3))
    data = pd.DataFrame(X, columns=list("abc")).assign(y=np.repeat(["u", "v"], [22, 8]))
    check_metric(planted.Hellinger(), data)


@pytest.mark.parametrize(("metric", "words"), planted.FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_planted_fault_is_named(metric, words):
    with pytest.raises(ContractError, match=words):
        check_metric(metric)
