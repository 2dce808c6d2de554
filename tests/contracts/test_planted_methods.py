"""Faults planted into small methods are caught by the contract, with a message that names the cause."""

import pytest
from further_methods import check_model
from planted_methods import PLANTED
from small_methods import CLEAN

from protoclass.testing import ContractError

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # faults divide by 0

CAUGHT = [one for one in PLANTED if one[0] != "known"]
KNOWN = {
    "SharesOfTheLargest": "the priors of two classes are exchanged: the rule is worse, and nothing says how good it must be",
    "WrapsAroundMethod": "far rows get any class: nothing says which class a far row has",
}


@pytest.mark.parametrize("kind", CLEAN, ids=lambda kind: kind.__name__)
def test_methods_without_a_fault_pass(kind):
    check_model(kind)


@pytest.mark.parametrize(("kind", "words"), [one[1:] for one in CAUGHT], ids=[f"{one[0]}-{one[1].__name__}" for one in CAUGHT])
def test_a_planted_fault_is_caught_by_its_cause(kind, words):
    with pytest.raises(ContractError, match=words):
        check_model(kind)


@pytest.mark.parametrize("kind", [one[1] for one in PLANTED if one[0] == "known"], ids=lambda kind: kind.__name__)
def test_what_the_contract_does_not_see_is_known(kind):
    assert kind.__name__ in KNOWN
    check_model(kind)


def test_the_contract_sees_most_faults():
    assert len({kind for _, kind, _ in PLANTED}) == len(PLANTED)
    assert len(CAUGHT) >= 0.8 * len(PLANTED)
    groups = [group for group, *_ in CAUGHT]
    assert {group: groups.count(group) for group in set(groups) if groups.count(group) < 3} == {}
