"""Faults planted into small methods are caught by the contract, with a message that names the cause."""

import pytest
from further_methods import check_model
from planted_methods import PLANTED
from small_methods import CLEAN

from protoclass.testing import ContractError

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # faults divide by 0


@pytest.mark.parametrize("kind", CLEAN, ids=lambda kind: kind.__name__)
def test_methods_without_a_fault_pass(kind):
    check_model(kind)


@pytest.mark.parametrize(("kind", "words"), PLANTED, ids=[kind.__name__ for kind, _ in PLANTED])
def test_a_planted_fault_is_caught_by_its_cause(kind, words):
    with pytest.raises(ContractError, match=words):
        check_model(kind)
