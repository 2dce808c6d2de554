"""Methods by name, and who can do what."""

from __future__ import annotations

import difflib
import warnings
from dataclasses import fields
from typing import Any

from ..arguments import quoted
from ..errors import NotAvailable, OptionError, brief
from ..metrics.base import Metric
from ..metrics.registry import register_metric
from .base import Model
from .centroids import Centroids
from .condensed import Condensed
from .dann import DANN
from .hyperplane import Hyperplane
from .kmeans import KMeans
from .kmedoids import KMedoids
from .knn import KNN
from .lvq import LVQ
from .mixture import Mixture
from .mmd import MMDCritic
from .multiedit import Multiedit
from .pvm import PVM
from .scm import SCM

BUILT_IN: dict[str, type[Model]] = {
    model.name: model
    for model in (
        PVM,
        SCM,
        Hyperplane,
        KNN,
        DANN,
        Condensed,
        Multiedit,
        KMeans,
        KMedoids,
        LVQ,
        Mixture,
        MMDCritic,
        Centroids,
    )
}
MODELS: dict[str, type[Model]] = dict(BUILT_IN)


def model(spec: Any, parameters: dict[str, Any]) -> Model:
    """A model from its name or class and parameters, or a model object as it is."""
    if isinstance(spec, type) and issubclass(spec, Model):
        return _made(spec, parameters)
    if isinstance(spec, str):
        if spec not in MODELS:
            near = difflib.get_close_matches(spec.lower(), MODELS, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise OptionError(f"method={spec!r} is not known: {hint}Known are {quoted(MODELS)}")
        return _made(MODELS[spec], parameters)
    if not isinstance(spec, Model):
        raise OptionError(f"method is a name or a model object such as pc.PVM(eps=1), not {type(spec).__name__}")
    if parameters:
        raise OptionError(
            f"{next(iter(parameters))!r} beside a model object: give the parameter to the object, {type(spec).__name__}(...)"
        )
    return spec


def _made(kind: type[Model], parameters: dict[str, Any]) -> Model:
    known = [f.name for f in fields(kind)]
    for name in parameters:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}? Its" if near else "its"
            raise OptionError(f"{name!r} is not a parameter of {kind.name!r}: {hint} parameters are {', '.join(known)}")
    return kind(**parameters)


def methods_with(capability: str) -> str:
    """The methods that declare a capability, for messages: 'pvm' (with solver='greedy') and 'scm'."""
    found = []
    for name, kind in MODELS.items():
        can = getattr(kind.can, capability)
        if can:
            found.append(f"{name!r} ({can})" if isinstance(can, str) and capability != "radius" else repr(name))
    return " and ".join([", ".join(found[:-1]), found[-1]]) if len(found) > 1 else "".join(found) or "none"


def lacking(model: Model, what: str, capability: str) -> NotAvailable:
    """The error for a method that does not have something, which names those that do."""
    return NotAvailable(f"method {model.name!r} has no {what}; methods that have: {methods_with(capability)}")


def register(name: str, kind: Any) -> None:
    """Make a method or a metric of one's own known by a name, which then serves wherever a name does.

    Parameters
    ----------
    name : str
        An identifier, such as "mmd" for `method="mmd"` or "dtw" for `dissimilarity="dtw"`. A name of one's own wins over
        a built-in one, and a warning says so; the built-in stays reachable as its class. A cell that defines the class may
        be run again: the class that was registered gives way to one of the same module and qualified name.
    kind : subclass of `Model` or `Metric` that can be made without arguments
        See `protoclass.Model` and `protoclass.Metric` for what such a class writes, and `protoclass.testing` for a check.

    Raises
    ------
    OptionError

    Examples
    --------
    A method that keeps the first row of each class:

    >>> import numpy as np
    >>> import protoclass as pc
    >>> class First(pc.Model):
    ...     name = "first"
    ...     def path(self, task, grid):
    ...         rows = np.array([np.flatnonzero(task.y == c)[0] for c in range(task.classes)])
    ...         at = pc.own_candidates(task)[rows]
    ...         return pc.RulePath((pc.Nearest(pc.Points(task.y[rows], at=at), task.classes, 0),))
    >>> pc.register("first", First)
    >>> pc.fit("species ~ .", pc.load_data("iris"), "first").prototypes.index.tolist()
    [0, 50, 100]
    """
    if isinstance(kind, type) and issubclass(kind, Metric):
        register_metric(name, kind)
        return
    if not isinstance(kind, type) or not issubclass(kind, Model):
        raise OptionError(f"{brief(kind)} is neither a subclass of protoclass.Model nor of protoclass.Metric")
    if not isinstance(name, str) or not name.isidentifier():
        raise OptionError(f"name={brief(name)}: a method's name is an identifier, such as 'mmd'")
    if getattr(kind, "name", None) != name:
        raise OptionError(
            f"name={name!r}, and {kind.__name__}.name is {getattr(kind, 'name', None)!r}: both must be the same"
        )
    before = MODELS.get(name)
    same = before is not None and (before.__module__, before.__qualname__) == (kind.__module__, kind.__qualname__)
    if before is not None and not same and before is not BUILT_IN.get(name):
        raise OptionError(f"name={name!r} already stands for {before.__module__}.{before.__qualname__}: take another")
    try:
        kind()
    except TypeError as reason:
        raise OptionError(
            f"{kind.__name__} can't be made without arguments ({reason}), and a name stands for the defaults: give them, or "
            "pass the model itself as method="
        ) from None
    if before is not None and before is BUILT_IN.get(name):
        warnings.warn(
            f"method={name!r} now means {kind.__qualname__}; the built-in one stays reachable as the class {before.__name__}",
            stacklevel=2,
        )
    MODELS[name] = kind
