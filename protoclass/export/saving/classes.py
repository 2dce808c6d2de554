"""Classes whose objects may be in a file: names, fields that follow from others, checks of what
kernels use as indices without looking."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from importlib import import_module
from types import NoneType
from typing import Any

import numpy as np
import pandas as pd

from ...frames.formula import TRANSFORMS, Formula, check_factors, name_columns
from ...frames.frame import spec_of_states, states_of
from ...ground.errors import FileError, NotAvailableError, OptionError, brief, cut
from ...ground.savable import SAVABLE, Kind
from ...metrics import registry as metrics
from ...metrics.base import check_rep
from ...models import registry as models

SAVED = ("Fit", "Validation", "Dissimilarity", "Comparison")  # public classes that have `save`
# with classes to which no registry leads
MODULES = ("fitting", "analysis.comparison", "metrics.measuring")


def import_all() -> None:
    """Import the modules that declare savable classes of this package: metrics are otherwise
    imported when they are used."""
    for name in MODULES:
        import_module(f"protoclass.{name}")
    for place in {place.split(".")[0] for place in metrics.BUILT_IN.values()}:
        import_module(f"{metrics.__package__}.{place}")


def known_classes() -> dict[str, Kind]:
    """Each class that may be in a file, by its name there: declared by `savable`, and registered
    methods and metrics."""
    out = dict(SAVABLE)
    registries: Any = (
        ("method", models.BUILT_IN, models.MODELS),
        ("metric", metrics.BUILT_IN, metrics.METRICS),
    )
    for what, built_in, known in registries:
        for name, place in built_in.items():
            out[f"{what} {name}"] = Kind(f"{what} {name}", _class(place), {})
        for name, cls in known.items():
            if cls is not built_in.get(name):
                whole = f"{what} {name} of {cls.__module__}.{cls.__qualname__}"
                out[whole] = Kind(whole, cls, {})
    return out


def _class(place: Any) -> Any:
    """A registered class; None for a built-in metric whose module has not been imported, which
    therefore has no objects."""
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
    NotAvailableError
        If there is none: a file cannot name classes that were not registered or declared.
    """
    if not isinstance(name, str):
        raise FileError("a class has no name")
    kind = known.get(name)
    if kind is None:
        raise NotAvailableError(
            f"the file contains an object of {brief(name)}, which is not known: before pc.load, "
            "import the module that defines it with "
            "@pc.extend.savable or pc.register, or update protoclass"
        )
    return kind


def check_fields(kind: Kind, value: Any) -> None:
    """Raise if a field of a declared class has an object of another one, or if arrays do not agree
    in their axes."""
    sizes: dict[str, int] = {
        f.name: v for f in fields(value) if type(v := getattr(value, f.name)) is int
    }
    for f in fields(value):
        given, names, axes = (
            getattr(value, f.name),
            str(f.type).split(" | "),
            kind.shapes.get(f.name),
        )
        classes = tuple(SAVABLE[name].of for name in names if name in SAVABLE)
        if (
            classes
            and len(classes) + names.count("None") == len(names)
            and not isinstance(given, (*classes, NoneType))
        ):
            raise FileError(f"the field {f.name!r} of {kind.name} is {brief(given)}")
        if axes is None or given is None:
            continue
        shape, letters = (
            np.shape(given) if isinstance(given, (np.ndarray, pd.DataFrame)) else (len(given),),
            axes.split(),
        )
        shape = shape[: len(letters)] if isinstance(given, pd.DataFrame) else shape
        known = [
            int(letter) if letter.isdecimal() else sizes.setdefault(letter, n)
            for letter, n in zip(letters, shape, strict=False)
        ]
        if len(shape) != len(letters) or known != list(shape):
            raise FileError(
                f"the field {f.name!r} of {kind.name} has the shape {shape}, which does not fit the other fields"
            )


def refused(value: Any, where: str) -> OptionError:
    """The error for a value that a file cannot contain."""
    cure = "register its class as a method or metric, or declare it by @pc.extend.savable"
    if callable(value):
        cure = (
            "write the metric as a class with pc.register and @pc.extend.savable, because files do "
            "not contain code (see "
            "the vignette a_method_of_your_own), or use the matrix of dissimilarities"
        )
    elif (
        where.startswith("the column")
        or isinstance(value, (pd.Series, pd.Index))
        or type(value).__module__.startswith("pandas")
    ):
        cure = "convert it to numbers, texts, categories or dates, leave the column out of the data, or save fit.slim()"
    return OptionError(
        f"{where} is {brief(value)}, of type {type(value).__name__}, which can't be saved: {cure}"
    )


LITERAL = re.compile(r"[0-9]{1,300}(\.[0-9]{0,300})?|\.[0-9]{1,300}")
ROWLESS = ("remembered", "class_counts", "class_weights")


@dataclass(frozen=True)
class Derived:
    """A class with fields that are not in a file, because they follow from the others and from the
    values written instead."""

    write: Callable[[Any], dict[str, Any]]  # the values of an object that are written
    read: Callable[..., Any]  # makes the object of a class from them


def written(value: Any, name: str) -> dict[str, Any]:
    """The fields of an object of a class, as a file has them."""
    return DERIVED[name].write(value) if name in DERIVED else _fields(value)


def _fields(value: Any, without: Collection[str] = ()) -> dict[str, Any]:
    return {
        f.name: getattr(value, f.name) for f in fields(value) if f.init and f.name not in without
    }


def require(condition: Any, message: str) -> None:
    """Raise a FileError with a message unless a condition is true."""
    if not condition:
        raise FileError(message)


def read_formula(of: Any, columns: Any, **given: Any) -> Any:
    """A formula, each factor of which is in the closed grammar."""
    for term in given["terms"]:
        for f in term.factors:
            fine = f.how in ("lookup", "python") or (
                f.how == "literal" and LITERAL.fullmatch(f.expr) is not None
            )
            require(
                fine, f"a factor of the formula is {cut(f.expr, 80)}, evaluated as {cut(f.how, 20)}"
            )
    formula = of(**given, names=name_columns(columns, TRANSFORMS))
    return replace(formula, uses=check_factors(formula.terms, formula.names, formula.text))


def write_frame(frame: Any) -> dict[str, Any]:
    """A frame with what the transforms of its formula have learned."""
    return {
        **_fields(frame, ("spec",)),
        "states": None if frame.spec is None else states_of(frame.spec),
    }


def read_frame(of: Any, states: Any, **given: Any) -> Any:
    """A frame, with the specification of its design matrix restored from the states of its
    transforms."""
    # whose factors were checked
    require(type(given["formula"]) is Formula, "a frame has no formula")
    frame = of(**given, spec=None)
    return frame if states is None else replace(frame, spec=spec_of_states(frame, states))


DERIVED: Mapping[str, Derived] = {
    "Formula": Derived(
        lambda f: {**_fields(f, ("uses", "names")), "columns": tuple(f.names.columns.values())},
        read_formula,
    ),
    "Frame": Derived(write_frame, read_frame),
    "RowlessFrame": Derived(
        lambda frame: {name: getattr(frame, name) for name in ROWLESS},
        lambda of, **given: of(**given),
    ),
}


# fields that a class no longer has, with the value that means what the class does without them: a
# file of the same version of the format loads if it has this value
FORMER: Mapping[str, Mapping[str, Any]] = {}


def without_former(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a class in a file without the former ones.

    Raises
    ------
    FileError
        If a former field has another value: the class can no longer do what it did.
    """
    former = FORMER.get(name, {})
    for field in former.keys() & given.keys():
        require(
            given[field] == former[field],
            f"the field {field!r} of {name}, which no longer exists, is {brief(given[field])}",
        )
    return {field: value for field, value in given.items() if field not in former}


def check_dissimilarity(d: Any) -> None:
    (
        check_rep(d.rows, len(d.data.remembered), "the file"),
        check_rep(d.candidates, len(d.candidate_names), "the file"),
    )
    require(
        _within(d.candidate_row, -1, len(d.data.remembered)),
        "candidates are rows that do not exist",
    )


def _within(a: np.ndarray, low: int, end: int) -> bool:
    """Whether an array contains whole numbers from `low` to before `end`."""
    return a.dtype.kind in "iu" and bool(((a >= low) & (a < end)).all())


def check_fit(fit: Any) -> None:
    """Prototypes that exist, of classes that exist."""
    for learned in (fit, *(fit._calibration.rules if fit._calibration else ())):
        points = learned.rule.prototypes
        fine = points.at is None or _within(points.at, 0, len(learned.dissimilarity.candidate_row))
        require(
            fine and _within(points.classes, 0, len(fit.frame.levels)),
            "prototypes are candidates or of classes that do not exist",
        )


def check_forest(f: Any) -> None:
    """Trees that lead from each root to a leaf, by columns that exist: kernels descend without
    looking."""
    whole, sizes = (f.start, f.left, f.right, f.feature), np.diff(f.start)
    fine = all(a.dtype.kind == "i" for a in whole) and (
        f.threshold.dtype,
        f.missing.dtype,
        f.error.dtype,
    ) == (float, bool, float)
    fine = fine and bool(
        len(sizes) and f.start[0] == 0 and f.start[-1] == len(f.left) and (sizes > 0).all()
    )
    require(fine, "the trees do not match their nodes")
    own, inner = np.arange(len(f.left)) - np.repeat(f.start[:-1], sizes), f.left >= 0
    further = [(own < side) & (side < np.repeat(sizes, sizes)) for side in (f.left, f.right)]
    require(
        np.all(further, axis=0)[inner].all() and _within(f.feature[inner], 0, len(f.columns)),
        "a node of a tree leads nowhere",
    )


CHECKS: Mapping[str, Callable[[Any], None]] = {
    "Dissimilarity": check_dissimilarity,
    "Fit": check_fit,
    "TrainedForest": check_forest,
}
