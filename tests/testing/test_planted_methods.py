"""Faults planted into small methods are caught by the contract, with a message that names the cause."""

import pytest
from planted_methods import PLANTED
from small_methods import CLEAN

import protoclass as pc
from protoclass.testing import ContractError

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # faults divide by 0


@pytest.mark.parametrize("kind", CLEAN, ids=lambda kind: kind.__name__)
def test_methods_without_a_fault_pass(kind):
    pc.testing.check_model(kind)


@pytest.mark.parametrize(("kind", "words"), [p[1:] for p in PLANTED], ids=[f"{p[0]}-{p[1].__name__}" for p in PLANTED])
def test_a_planted_fault_is_caught_by_its_cause(kind, words):
    with pytest.raises(ContractError, match=words):
        pc.testing.check_model(kind)
