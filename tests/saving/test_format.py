"""The format of a saved file is documented: every tag, every class and every field of it."""

import inspect
import re
from dataclasses import fields

import pytest

import protoclass as pc
import protoclass.export.saving
from protoclass.export.saving import classes, codecs

classes.import_all()
KNOWN = {name: kind for name, kind in classes.known_classes().items() if kind.of.__module__.startswith("protoclass.")}
OURS = sorted(KNOWN.keys() - classes.DERIVED.keys())


@pytest.mark.parametrize("name", OURS)
def test_every_field_is_in_the_documentation_of_its_class(name):
    cls = KNOWN[name].of
    text = "\n".join(inspect.getdoc(base) or "" for base in cls.__mro__ if base.__module__.startswith("protoclass."))
    lacking = [f.name for f in fields(cls) if f.init and not re.search(rf"^(\w+, )*`?{f.name}`?(, \w+)* :|`{f.name}`", text, re.M)]
    assert not lacking, f"{cls.__module__}.{cls.__qualname__} says nothing of {lacking}"


def test_every_tag_is_in_the_documentation_of_the_format():
    text = inspect.getdoc(protoclass.export.saving)
    source = inspect.getsource(codecs.Decoder.decode)
    for tag in {*codecs.CODECS, *re.findall(r'tag == "([a-z ]+)"', source)}:
        assert f'{{"{tag}":' in text, tag


@pytest.mark.parametrize("name", sorted(classes.DERIVED))
def test_classes_with_derived_fields_say_what_is_written(name):
    text = inspect.getdoc(protoclass.export.saving)
    assert f"`{name}`" in text
    fit = pc.fit("species ~ log(petal_width)", pc.load_data("iris"), eps=1.0)
    value = {"Formula": fit.frame.formula, "Frame": fit.frame, "RowlessFrame": fit.slim().frame}[name]
    for field in classes.written(value, name):
        assert f"`{field}`" in text, f"{field} of {name}"


def test_a_field_that_went_is_left_out_if_it_says_what_is_so_now(monkeypatch):
    monkeypatch.setattr(classes, "FORMER", {"method knn": {"vote": "equal"}})
    assert classes.without_former("method knn", {"k": 3, "vote": "equal"}) == {"k": 3}
    with pytest.raises(pc.errors.FileError, match="the field 'vote' of method knn, which no longer exists, is 'by distance'"):
        classes.without_former("method knn", {"k": 3, "vote": "by distance"})
