"""What the fuzzers draw reaches the work: enough calls are fitted, with every method and metric, and faults would be seen."""

import warnings
from collections import Counter

import pytest
from hypothesis import given, settings

import protoclass as pc

from .calls import METHODS, calls
from .laws import ForeignWarningError, HangError, attempt, lawful


def test_enough_calls_are_fitted():
    seen = []

    @settings(max_examples=40, derandomize=True, database=None, deadline=None)
    @given(calls())
    def count(call):
        seen.append((call, attempt(call.run)))

    count()
    fitted = [call for call, fit in seen if fit is not None]
    assert len(fitted) > len(seen) / 10
    methods = Counter(call.arguments["method"] for call, _ in seen)
    assert len(methods) > len(METHODS) / 2


def test_the_laws_see_what_they_should():
    with lawful():
        raise pc.errors.DataError("the data are wrong")
    with pytest.raises(ForeignWarningError), lawful():
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
    with pytest.raises(KeyError), lawful():
        raise KeyError("a")
    with pytest.raises(AssertionError), lawful():
        raise pc.errors.DataError("")


def test_too_much_work_is_seen(monkeypatch):
    def endless():
        while True:
            sum(range(1000))

    monkeypatch.setattr("fuzz.laws.PROCESSOR", 0.2)
    with pytest.raises(HangError), lawful():
        endless()
