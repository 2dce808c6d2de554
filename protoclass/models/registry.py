"""Methods by name, and their capabilities."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from textwrap import fill
from typing import Any

from ..ground.checks import either, hint_for, hint_for_value
from ..ground.errors import NotAvailableError, OptionError, brief, shown
from ..metrics import registry as metrics
from ..metrics.base import Metric
from ..values import load
from .base import Model

PLACES = (
    "pvm:PVM",
    "scm:SCM",
    "hyperplane:Hyperplane",
    "neighbours:KNN",
    "neighbours:DANN",
    "neighbours:Condensed",
    "neighbours:Multiedit",
    "centroids:KMeans",
    "kmedoids:KMedoids",
    "median_glvq:MedianGLVQ",
    "lvq:LVQ",
    "mixture:Mixture",
    "mmd:MMDCritic",
    "centroids:Centroids",
)  # file and class of each method, in the order in which messages and `help(pc.fit)` name them
BUILT_IN: dict[str, type[Model]] = {
    kind.name: kind for kind in (load(f"{__package__}.{place}") for place in PLACES)
}
MODELS = dict(BUILT_IN)


def model(spec: Any, parameters: dict[str, Any], beside: Collection[str] = ()) -> Model:
    """A model from its name or class and parameters, or a model object as it is.

    `beside` has the names of the other arguments of the call, which a message may mention.
    """
    if isinstance(spec, type) and issubclass(spec, Model):
        return _make(spec, parameters, beside)
    if isinstance(spec, str):
        if spec not in MODELS:
            hint = hint_for_value("method", spec, MODELS)
            raise OptionError(
                f"method must be {either(MODELS)}, not {brief(spec)}{hint and ': '}{hint}"
            )
        return _make(MODELS[spec], parameters, beside)
    if not isinstance(spec, Model):
        raise OptionError(
            f"method must be a name or a model object such as pc.PVM(eps=1), not {type(spec).__name__}"
        )
    known = [f.name for f in fields(spec)]
    for name in parameters:
        hint = hint_for(name, beside) if name not in known else ""
        cure = hint or f"use it in the object, {type(spec).__name__}(...)"
        raise OptionError(f"{shown(name)} is not allowed with a model object: {cure}")
    return spec


def _make(kind: type[Model], parameters: dict[str, Any], beside: Collection[str]) -> Model:
    known = [f.name for f in fields(kind)]
    for name in parameters:
        if name not in known:
            hint = (
                "it is an argument of fit alone"
                if name in beside
                else hint_for(name, [*known, *beside])
            )
            listed = f"{'; ' if hint else ''}its parameters are {', '.join(known)}" if known else ""
            raise OptionError(f"{shown(name)} is not a parameter of {kind.name!r}: {hint}{listed}")
    return kind(**parameters)


def methods_with(capability: str) -> str:
    """The methods with a capability, an attribute of `can` or a method of the class: 'pvm' (with
    solver='greedy') or 'scm'.
    """
    names = []
    for name, kind in MODELS.items():
        can = kind.has(capability) if hasattr(Model, capability) else getattr(kind.can, capability)
        if can:
            names.append(
                f"{name!r} ({can})"
                if isinstance(can, str) and capability != "radius"
                else repr(name)
            )
    return " or ".join(", ".join(names).rsplit(", ", 1)) or "none"


def described_methods() -> str:
    """The methods in the docstring of `fit`: name, tuned parameters, first line of the class's."""
    items = []
    for name, kind in BUILT_IN.items():
        tuned = ", ".join(f"`{parameter}`" for parameter in kind().tuned())
        item = f'* "{name}"{f" ({tuned})" * bool(tuned)}: {kind.__doc__}'.splitlines()[0]
        items.append(fill(item, 92, subsequent_indent=" " * 10))
    return "\n        ".join(items)


def lacking(model: Model, what: str, capability: str) -> NotAvailableError:
    """The error for a method without a capability, which names the methods that have it."""
    return NotAvailableError(f"method {model.name!r} has no {what}: use {methods_with(capability)}")


def register(name: str, kind: Any) -> None:
    """Register a new method or metric under a name.

    Parameters
    ----------
    name : str
        Identifier, for `method=` or `dissimilarity=`. It takes precedence over a built-in one, with
        a warning. A notebook cell may register its class again.
    kind : subclass of `Model` or `Metric` that can be made without arguments
        Class to register; `protoclass.testing` checks it.

    Raises
    ------
    OptionError
        If the name or the class is not valid.

    Examples
    --------
    >>> import numpy as np
    >>> import protoclass as pc
    >>> class First(pc.Model):
    ...     name = "first"
    ...     def path(self, task, grid):
    ...         rows = np.array([np.flatnonzero(task.y == c)[0] for c in range(task.classes)])
    ...         at = pc.extend.own_candidates(task)[rows]
    ...         return pc.extend.RulePath((pc.extend.Nearest(pc.extend.Points(task.y[rows], at=at), task.classes, 0),))
    >>> pc.register("first", First)
    >>> pc.fit("species ~ .", pc.load_data("iris"), "first").prototypes.index.tolist()
    [0, 50, 100]
    """
    if isinstance(kind, type) and issubclass(kind, Metric):
        if name == "auto":
            raise OptionError(
                "name='auto' is reserved for the choice by the kinds of the predictors: use another"
            )
        metrics.add_class(metrics.METRICS, metrics.BUILT_IN, name, kind, "dissimilarity")
        return
    if not isinstance(kind, type) or not issubclass(kind, Model):
        raise OptionError(
            f"{brief(kind)} must be a subclass of protoclass.Model or of protoclass.Metric"
        )
    if getattr(kind, "name", None) != name:
        raise OptionError(
            f"name={name!r} and {kind.__name__}.name={getattr(kind, 'name', None)!r} must be the same"
        )
    metrics.add_class(MODELS, BUILT_IN, name, kind, "method")
