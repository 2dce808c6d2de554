"""Methods by name."""

from __future__ import annotations

import difflib
from dataclasses import fields
from typing import Any

from ..errors import OptionError
from .base import Model
from .condensed import Condensed
from .dann import DANN
from .hyperplane import Hyperplane
from .kmeans import KMeans
from .kmedoids import KMedoids
from .knn import KNN
from .lvq import LVQ
from .mixture import Mixture
from .multiedit import Multiedit
from .pvm import PVM
from .scm import SCM

MODELS: dict[str, type[Model]] = {
    model.name: model
    for model in (PVM, SCM, Hyperplane, KNN, DANN, Condensed, Multiedit, KMeans, KMedoids, LVQ, Mixture)
}


def model(spec: Any, knobs: dict[str, Any]) -> Model:
    """A model of its name and knobs, or a model object as it is."""
    if isinstance(spec, type) and issubclass(spec, Model) and getattr(spec, "name", None) in MODELS:
        spec = spec.name
    if isinstance(spec, str):
        if spec not in MODELS:
            near = difflib.get_close_matches(spec.lower(), MODELS, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise OptionError(f"method={spec!r} is not known: {hint}Known are {', '.join(map(repr, MODELS))}")
        kind = MODELS[spec]
        _known(knobs, kind)
        return kind(**knobs)
    if not isinstance(spec, Model):
        raise OptionError(f"method is a name or a model object such as pc.PVM(eps=1), not {type(spec).__name__}")
    if knobs:
        raise OptionError(
            f"{next(iter(knobs))!r} beside a model object: give the knob to the object, {type(spec).__name__}(...)"
        )
    return spec


def _known(knobs: dict[str, Any], kind: type[Model]) -> None:
    known = [f.name for f in fields(kind)]
    for name in knobs:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}? Its" if near else "its"
            raise OptionError(f"{name!r} is no knob of {kind.name!r}: {hint} knobs are {', '.join(known)}")
