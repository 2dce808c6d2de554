"""Faults planted into small methods and metrics are caught by the contract, with a message that names the cause."""

import numpy as np
import pandas as pd
import planted_metrics as planted
import pytest
from further_methods import check_model
from further_metrics import check_metric
from planted_methods import PLANTED
from small_methods import CLEAN

from protoclass.testing import ContractError

FAULTS = [*((check_model, *row) for row in PLANTED), *((check_metric, *row) for row in planted.FAULTS)]

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # faults divide by 0


def name_of(value):
    return getattr(value, "__name__", "")


@pytest.mark.parametrize("kind", CLEAN, ids=name_of)
def test_methods_without_a_fault_pass(kind):
    check_model(kind)


@pytest.mark.parametrize("metric", planted.GOOD, ids=name_of)
def test_metrics_without_a_fault_pass(metric):
    check_metric(metric)


def test_a_good_metric_of_positive_numbers_passes_on_these():
    X = np.random.default_rng(0).gamma(2.0, size=(30, 3))
    data = pd.DataFrame(X, columns=list("abc")).assign(y=np.repeat(["u", "v"], [22, 8]))
    check_metric(planted.Hellinger(), data)


@pytest.mark.parametrize(("check", "kind", "words"), FAULTS, ids=name_of)
def test_a_planted_fault_is_caught_by_its_cause(check, kind, words):
    with pytest.raises(ContractError, match=words):
        check(kind)
