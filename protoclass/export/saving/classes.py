"""The classes whose objects may be in a file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from types import NoneType
from typing import Any

import numpy as np
import pandas as pd

import protoclass

from ...ground.errors import FileError, NotAvailable, OptionError, brief
from ...ground.savable import SAVABLE, Kind
from ...metrics import registry as metrics
from ...models import registry as models

SAVED = ("Fit", "Validation", "Dissimilarity", "Comparison")  # public classes that have `save`
BESIDE = ("Mixed", "unlabelled")  # and public names whose modules declare classes that no registry leads to


def import_all() -> None:
    """Import the modules that declare savable classes of this package: metrics are otherwise imported when they are used."""
    for name in (*SAVED, *BESIDE):
        getattr(protoclass, name)
    for place in {place.split(".")[0] for place in metrics.BUILT_IN.values()}:
        import_module(f"{metrics.__package__}.{place}")


def known_classes() -> dict[str, Kind]:
    """Each class that may be in a file, by its name there: declared by `savable`, and registered methods and metrics."""
    out = dict(SAVABLE)
    registries: Any = (("method", models.BUILT_IN, models.MODELS), ("metric", metrics.BUILT_IN, metrics.METRICS))
    for what, built_in, known in registries:
        for name, place in built_in.items():
            out[f"{what} {name}"] = Kind(f"{what} {name}", _class(place), {})
        for name, cls in known.items():
            if cls is not built_in.get(name):
                whole = f"{what} {name} of {cls.__module__}.{cls.__qualname__}"
                out[whole] = Kind(whole, cls, {})
    return out


def _class(place: Any) -> Any:
    """A registered class; None for a built-in metric whose module has not been imported, which therefore has no objects."""
    if isinstance(place, type):
        return place
    module, name = place.split(".")
    return getattr(sys.modules.get(f"{metrics.__package__}.{module}"), name, None)


def names_of_classes() -> dict[Any, str]:
    """The name that a file has for each class."""
    return {kind.of: name for name, kind in reversed(known_classes().items())}


def name_of(cls: type) -> str | None:
    """The name that a file has for a class; None without one."""
    return names_of_classes().get(cls)


def class_of(name: Any, known: Mapping[str, Kind]) -> Kind:
    """The class of a name in a file, among those that are known.

    Raises
    ------
    NotAvailable
        If there is none: a file cannot name classes that were not registered or declared.
    """
    if not isinstance(name, str):
        raise FileError("a class has no name")
    kind = known.get(name)
    if kind is None:
        raise NotAvailable(
            f"the file contains an object of {brief(name)}, which is not known: before pc.load, import the module that defines it with "
            "@pc.extend.savable or pc.register, or update protoclass"
        )
    return kind


def check_fields(kind: Kind, value: Any) -> None:
    """Raise if a field of a declared class has an object of another one, or if arrays do not agree in their axes."""
    sizes: dict[str, int] = {f.name: v for f in fields(value) if type(v := getattr(value, f.name)) is int}
    for f in fields(value):
        given, names, axes = getattr(value, f.name), str(f.type).split(" | "), kind.shapes.get(f.name)
        classes = tuple(SAVABLE[name].of for name in names if name in SAVABLE)
        if classes and len(classes) + names.count("None") == len(names) and not isinstance(given, (*classes, NoneType)):
            raise FileError(f"the field {f.name!r} of {kind.name} is {brief(given)}")
        if axes is None or given is None:
            continue
        shape, letters = np.shape(given) if isinstance(given, (np.ndarray, pd.DataFrame)) else (len(given),), axes.split()
        shape = shape[: len(letters)] if isinstance(given, pd.DataFrame) else shape
        known = [int(letter) if letter.isdecimal() else sizes.setdefault(letter, n) for letter, n in zip(letters, shape, strict=False)]
        if len(shape) != len(letters) or known != list(shape):
            raise FileError(f"the field {f.name!r} of {kind.name} has the shape {shape}, which does not fit the other fields")


def refused(value: Any, where: str) -> OptionError:
    """The error for a value that a file cannot contain."""
    cure = "register its class as a method or metric, or declare it by @pc.extend.savable"
    if callable(value):
        cure = (
            "write the metric as a class with pc.register and @pc.extend.savable, because files do not contain code (see "
            "the vignette a_method_of_your_own), or use the matrix of dissimilarities"
        )
    elif where.startswith("the column") or isinstance(value, (pd.Series, pd.Index)) or type(value).__module__.startswith("pandas"):
        cure = "convert it to numbers, texts, categories or dates, leave the column out of the data, or save fit.slim()"
    return OptionError(f"{where} is {brief(value)}, of type {type(value).__name__}, which can't be saved: {cure}")
