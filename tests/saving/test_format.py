"""The format of a saved file is documented: every tag, every class and every field of it."""

import inspect
import re
from dataclasses import fields

import pytest

import protoclass as pc
import protoclass.saving
from protoclass.declared import SAVABLE
from protoclass.metrics.registry import BUILT_IN as METRICS
from protoclass.models.registry import BUILT_IN as METHODS
from protoclass.saving import classes, special, tables, values

classes.import_all()
OURS = {name: kind.of for name, kind in SAVABLE.items() if kind.of.__module__.startswith("protoclass.") and kind.of not in special.SPECIAL}
KNOWN = {
    **OURS,
    **{f"method {name}": cls for name, cls in METHODS.items()},
    **{f"metric {name}": classes._class("metric ", place) for name, place in METRICS.items()},
}


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_every_field_is_in_the_documentation_of_its_class(name):
    cls = KNOWN[name]
    text = "\n".join(inspect.getdoc(base) or "" for base in cls.__mro__ if base.__module__.startswith("protoclass."))
    lacking = [f.name for f in fields(cls) if f.init and not re.search(rf"^(\w+, )*`?{f.name}`?(, \w+)* :|`{f.name}`", text, re.M)]
    assert not lacking, f"{cls.__module__}.{cls.__qualname__} says nothing of {lacking}"


def test_every_tag_is_in_the_documentation_of_the_format():
    text = inspect.getdoc(protoclass.saving)
    source = inspect.getsource(tables)
    written = re.findall(r'tag == "([a-z ]+)"', source) + re.findall(r'"([a-z ]+)"', " ".join(re.findall(r"tag in \((.*?)\)", source)))
    assert {"table", "missing", "datetime"} <= {*written}
    for tag in {*written, *values._READ}:
        assert f'{{"{tag}":' in text, tag


def test_classes_that_are_written_otherwise_say_how(iris):
    text = inspect.getdoc(protoclass.saving)
    fit = pc.fit("species ~ .", iris, eps=1.0)
    seen = [fit.frame.formula, fit.frame, fit.slim().frame, fit.call]
    assert {type(value) for value in seen} == special.SPECIAL.keys()
    for value in seen:
        assert f"`{type(value).__name__}`" in text
        for name in special.SPECIAL[type(value)].fields(value):
            assert f"`{name}`" in text, f"{name} of {type(value).__name__}"
