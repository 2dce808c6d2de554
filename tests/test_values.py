"""What values that users hold have in common: the door to floors above, and methods that are functions of the floors below."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import protoclass as pc
from protoclass.values import Above, Result, Saveable

FLOORS = [import_module(f"protoclass.{name}") for name in ("pictures", "tables")]


def values_with_doors():
    """Each public class that has methods on a floor above, with the names of these."""
    for value in (getattr(place, name) for place in (pc, pc.results) for name in place.__all__):
        if isinstance(value, type):
            doors = {key: door for base in value.__mro__ for key, door in vars(base).items() if isinstance(door, Above)}
            yield from ((value, key, door) for key, door in doors.items())


@pytest.mark.parametrize(("of", "name", "door"), list(values_with_doors()), ids=lambda v: getattr(v, "__name__", None))
def test_a_floor_above_has_each_method_that_a_value_expects_of_it(of, name, door):
    tables = [import_module(door.floor).METHODS.get(base.__name__, {}) for base in of.__mro__]
    entry = next(table[name] for table in tables if name in table)
    module, _, function = entry.partition(":")
    found = getattr(import_module(module), function)
    assert inspect.unwrap(getattr(of, name)) is inspect.unwrap(found)
    assert found.__doc__


def test_floors_above_name_no_value_that_asks_for_nothing():
    asked = {(door.floor, base.__name__, name) for of, name, door in values_with_doors() for base in of.__mro__}
    given = {(f.__name__, of, name) for f in FLOORS for of, methods in f.METHODS.items() for name in methods}
    assert given <= asked


def test_help_on_a_picture_says_its_arguments():
    test = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).test(pc.load_data("iris").iloc[::3])
    assert list(inspect.signature(test.plot).parameters) == ["kind", "ax", "of"]
    assert "precision against sensitivity" in " ".join(test.plot.__doc__.split())
    with pytest.raises(pc.errors.OptionError, match=r"plot\(\) has no argument 'knd': did you mean 'kind'"):
        test.plot(knd="roc")


def test_a_method_of_a_fit_is_the_function_of_the_floor_below():
    from protoclass.analysis import alternatives, variables

    assert inspect.unwrap(pc.Fit.why) is variables.why
    assert inspect.unwrap(pc.Fit.at) is alternatives.at
    assert list(inspect.signature(pc.Fit.why).parameters) == ["fit", "new", "prototype"]


def test_what_is_derived_from_a_fit_is_a_fit_as_users_hold_it():
    fit = pc.fit("species ~ .", pc.load_data("iris"), eps=[0.8, 1.0], cv=3, dissimilarity="euclidean", repeats=1)
    held = [fit.at(size=3), fit.slim(), fit.update(eps=1.0), fit.calibrate(cv=3), fit.validation.fit, fit.validation.fit_at(0)]
    assert {type(one) for one in held} == {pc.Fit}
    assert type(fit.validation) is type(fit.validation.fit.validation) is pc.Validation


def test_every_result_has_a_table_tidy_glance_summary_and_plot():
    iris = pc.load_data("iris")
    fit = pc.fit("species ~ .", iris[::2], eps=[0.8, 1.0], cv=3, dissimilarity="euclidean", repeats=1)
    test = fit.test(iris[1::2])
    results = [test, fit.test(iris[1::2], by=np.arange(75) % 2), pc.compare_fits([fit, fit], iris[1::2]), fit.stability(resamples=3),
               fit.calibrate(cv=3).threshold("setosa"), fit.alternatives(), fit.criticisms(),
               fit.validation.permutation_test(resamples=2)]  # fmt: skip
    for result in results:
        assert isinstance(result, Result)
        assert len(result.table) <= len(result.tidy())
        assert len(result.glance()) == (2 if type(result) is pc.results.TestByGroup else 1)
        assert str(result.summary()).strip()
        assert result.summary().as_latex()
        assert callable(result.plot)
    assert len(str(results[3].summary()).splitlines()) > len(str(results[3]).splitlines())  # all rows of the table


def test_values_that_a_file_holds_are_saved_by_one_method():
    values = [getattr(place, name) for place in (pc, pc.results) for name in place.__all__]
    of = {value.__name__ for value in values if isinstance(value, type) and issubclass(value, Saveable)}
    assert of == {"Fit", "Validation", "Dissimilarity", "Comparison"}


def new_rows():
    draw = np.random.default_rng(0)
    iris = pc.load_data("iris")
    return iris.assign(petal_width=iris.petal_width + draw.normal(0, 0.1, len(iris)))[::3]


@pytest.mark.parametrize(
    ("make", "most"), [(lambda fit: fit, 41), (lambda fit: fit.validation, 21), (lambda fit: fit.test(new_rows()), 32)]
)
def test_completions_are_the_public_names(iris, make, most):
    """Names for the package alone begin with an underscore, and are not on the pages."""
    value = make(pc.fit("species ~ .", iris, eps=[0.9, 1.0], cv=3, progress=False, dissimilarity="euclidean", repeats=1))
    assert len([name for name in dir(value) if not name.startswith("_")]) <= most
    root = Path(__file__).parents[1]
    for page in [root / "README.md", *(root / "docs").glob("*.md"), *(root / "vignettes").glob("*.md")]:
        assert not re.search(r"\b(?:fit|validation|test)\._[a-z]", page.read_text()), page.name
