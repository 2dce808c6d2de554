"""The tour of the site runs as it stands, as README does."""

import doctest
from pathlib import Path

TOUR = Path(__file__).resolve().parent.parent / "docs" / "tour.md"


def test_the_tour_runs():
    failed, tried = doctest.testfile(str(TOUR), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 40
    assert failed == 0
