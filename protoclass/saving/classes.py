"""The classes whose objects may be in a file, and what is checked of an object that was read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np
import pandas as pd

from ..cluster import is_dask
from ..declared import SAVABLE, Kind, kind_of
from ..errors import FileError, NotAvailable, OptionError, brief
from ..frames.frame import Frame
from ..metrics import registry as metrics
from ..models import registry as models

METHOD, METRIC, OF = "method ", "metric ", " of "
UNLISTED = ("candidates", "given", "mixed")  # modules of metrics/ that no name of the registry leads to


def _whole_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def name_of(cls: type) -> str | None:
    """The name that a file has for a class: what `savable` declares, or that of a registered method or metric; None without one."""
    declared = kind_of(cls)
    if declared is not None:
        return declared.name
    for kind, built_in, known in ((METHOD, models.BUILT_IN, models.MODELS), (METRIC, metrics.BUILT_IN, metrics.METRICS)):
        for name in built_in:
            if _class(kind, built_in[name]) is cls:
                return kind + name
        for name in known:
            if known[name] is cls:
                return f"{kind}{name}{OF}{_whole_name(cls)}"
    return None


def _class(kind: str, place: Any) -> type | None:
    """A registered class; None for a built-in metric whose module has not been imported, which therefore has no objects."""
    if isinstance(place, type):
        return place
    module = sys.modules.get(f"{metrics.__package__}.{place.split('.')[0]}")
    return None if module is None else getattr(module, place.split(".")[1])


def class_of(name: str) -> Kind:
    """The class of a name in a file.

    Raises
    ------
    NotAvailable
        Where there is none: a file can't name what was not registered or declared here.
    """
    if name in SAVABLE:
        return SAVABLE[name]
    for kind, built_in, known in ((METHOD, models.BUILT_IN, models.MODELS), (METRIC, metrics.BUILT_IN, metrics.METRICS)):
        if name.startswith(kind):
            own, _, whole = name.removeprefix(kind).partition(OF)
            cls = _registered(known.get(own)) if whole else _registered(built_in.get(own))
            if cls is not None and (not whole or _whole_name(cls) == whole):
                return Kind(name, cls, {})
    raise NotAvailable(
        f"the file holds an object of {brief(name)}, which is not known here: import the module that defines it, and that says "
        "@pc.savable or pc.register, before pc.load; or update protoclass"
    )


def _registered(place: Any) -> type | None:
    if not isinstance(place, str):
        return place  # type: ignore[no-any-return]
    module, name = place.split(".")
    return getattr(import_module(f"{metrics.__package__}.{module}"), name)  # type: ignore[no-any-return]


def import_all() -> None:
    """Import what declares savable classes of this package: metrics are otherwise imported when they are used."""
    for place in {*(str(p).split(".")[0] for p in metrics.BUILT_IN.values()), *UNLISTED}:
        import_module(f"{metrics.__package__}.{place}")


def check_object(kind: Kind, value: Any) -> None:
    """Raise where a field is not of the type that the class says, or where arrays do not agree in their axes."""
    sizes: dict[str, int] = {f.name: v for f in fields(value) if type(v := getattr(value, f.name)) is int}
    for f, hint in zip(fields(value), hints_of(type(value)), strict=True):
        given = getattr(value, f.name)
        if not conforms(given, hint):
            raise FileError(f"the field {f.name!r} of {kind.name} is {brief(given)}")
        axes = kind.shapes.get(f.name)
        if axes is None or given is None:
            continue
        shape = given.shape if isinstance(given, (np.ndarray, pd.DataFrame)) else (len(given),)
        letters = axes.split()
        if isinstance(given, pd.DataFrame):
            shape = shape[: len(letters)]
        if len(shape) != len(letters):
            raise FileError(f"the field {f.name!r} of {kind.name} has the shape {shape}")
        for letter, size in zip(letters, shape, strict=True):
            known = int(letter) if letter.isdecimal() else sizes.setdefault(letter, size)
            if known != size:
                raise FileError(f"the field {f.name!r} of {kind.name} has the shape {shape}, which does not fit the other fields")


class _Known(dict[str, Any]):
    """Names in annotations; one that is imported for type checkers alone stands for anything."""

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
    module = vars(sys.modules[home.__module__])
    builtins = vars(sys.modules["builtins"])
    try:
        return eval(annotation, {"__builtins__": {}}, _Known({**builtins, **module}))  # of our own source
    except (TypeError, AttributeError):
        return Any


def conforms(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, as far as the type says."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or getattr(hint, "_is_protocol", False):
        return True
    if hint is None or hint is NoneType:
        return value is None
    if origin in (Union, UnionType):
        return any(conforms(value, one) for one in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
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
    """The error for a value that no file can hold."""
    if callable(value):
        cure = (
            "a function is code, and a file holds none: write the metric as a class, and say pc.register and @pc.savable (see "
            "CONTRIBUTING.md), or give the matrix of dissimilarities"
        )
    else:
        cure = "register its class as a method or metric, or declare it by @pc.savable"
    if is_dask(value) or (isinstance(value, Frame) and value.parts is not None):
        cure = "its rows stay on the workers of a cluster, and a file holds rows: fit.slim() leaves them out"
    if isinstance(value, (pd.Series, pd.Index)) or type(value).__module__.startswith("pandas"):
        cure = "convert it to numbers, texts, categories or dates without a time zone, or leave the column out of the data"
    return OptionError(f"{where} is {brief(value)}, of type {type(value).__name__}, which can't be saved: {cure}")
