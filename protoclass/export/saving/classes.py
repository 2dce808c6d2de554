"""The classes whose objects may be in a file, and checks of their fields by the annotations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

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
    """Raise if a field is not of its declared type, or if arrays do not agree in their axes."""
    held = {f.name: getattr(value, f.name) for f in fields(value)}
    sizes: dict[str, int] = {name: v for name, v in held.items() if type(v) is int}
    for (name, given), hint in zip(held.items(), hints_of(type(value)), strict=True):
        if not conforms(given, hint):
            raise FileError(f"the field {name!r} of {kind.name} is {brief(given)}")
        axes = kind.shapes.get(name)
        if axes is None or given is None:
            continue
        shape, letters = given.shape if isinstance(given, (np.ndarray, pd.DataFrame)) else (len(given),), axes.split()
        if isinstance(given, pd.DataFrame):
            shape = shape[: len(letters)]
        known = [int(letter) if letter.isdecimal() else sizes.setdefault(letter, n) for letter, n in zip(letters, shape, strict=False)]
        if len(shape) != len(letters) or known != list(shape):
            raise FileError(f"the field {name!r} of {kind.name} has the shape {shape}, which does not fit the other fields")


class _Known(dict[str, Any]):
    """Names in annotations; a name that is imported for type checkers only means any value."""

    def __missing__(self, name: str) -> Any:
        return SAVABLE[name].of if name in SAVABLE else Any


_HINTS: dict[type, list[Any]] = {}


def hints_of(cls: type) -> list[Any]:
    """The annotations of the fields of a dataclass of this process, as types."""
    if cls not in _HINTS:
        homes = {name: base for base in reversed(cls.__mro__) for name in vars(base).get("__annotations__", {})}
        _HINTS[cls] = [_hint(f.type, homes[f.name]) for f in fields(cls)]
    return _HINTS[cls]


def _hint(annotation: Any, home: type) -> Any:
    if not isinstance(annotation, str):
        return annotation
    names = {**vars(sys.modules["builtins"]), **vars(sys.modules[home.__module__])}
    try:
        return eval(annotation, {"__builtins__": {}}, _Known(names))  # of our own source
    except (TypeError, AttributeError):
        return Any


def conforms(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, as far as the type can be checked."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or getattr(hint, "_is_protocol", False):
        return True
    if hint is None or hint is NoneType:
        return value is None
    if origin in (Union, UnionType):
        return any(conforms(value, allowed) for allowed in inner)
    if origin is tuple and isinstance(value, tuple):
        if len(inner) == 2 and inner[1] is Ellipsis:
            return all(conforms(v, inner[0]) for v in value)
        return len(value) == len(inner) and all(map(conforms, value, inner))
    if origin in (dict, Mapping):
        return isinstance(value, Mapping) and all(conforms(k, inner[0]) and conforms(v, inner[1]) for k, v in value.items())
    if origin in (list, Sequence):
        return isinstance(value, Sequence) and (isinstance(value, str) or all(conforms(v, inner[0]) for v in value))
    if origin is Callable:
        return callable(value)
    kind = hint if origin is None else origin
    if not isinstance(kind, type):
        return True
    if kind in (int, float):
        numbers = (int, np.integer) if kind is int else (int, float, np.integer, np.floating)
        return isinstance(value, numbers) and not isinstance(value, (bool, np.bool_))
    return isinstance(value, (bool, np.bool_)) if kind is bool else isinstance(value, kind)


def refused(value: Any, where: str) -> OptionError:
    """The error for a value that a file cannot contain."""
    cure = "register its class as a method or metric, or declare it by @pc.extend.savable"
    if callable(value):
        cure = (
            "write the metric as a class with pc.register and @pc.extend.savable, because files do not contain code (see "
            "CONTRIBUTING.md), or use the matrix of dissimilarities"
        )
    elif isinstance(value, (pd.Series, pd.Index)) or type(value).__module__.startswith("pandas"):
        cure = "convert it to numbers, texts, categories or dates without a time zone, or leave the column out of the data"
    return OptionError(f"{where} is {brief(value)}, of type {type(value).__name__}, which can't be saved: {cure}")
