"""How a fit was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..arguments import quoted
from ..declared import savable
from ..errors import NotAvailable, brief, printed
from ..frames.tables import Absent
from ..metrics.dissimilarity import Dissimilarity
from ..models.base import Model

DEFAULTS: Mapping[str, Any] = {"method": "pvm", "dissimilarity": "auto", "candidates": "auto", "cv": "auto", "choose": "1se",
                               "na": "drop", "weights": None, "groups": None, "seed": 0, "progress": None,
                               "client": None, "measure": "error", "repeats": 1, "order": "data",
                               "calibrate": False, "class_weights": None, "loss": None}  # fmt: skip


@savable
@dataclass(frozen=True)
class Call:
    """The function that was called, by name, with the formula, the data and all further arguments.

    Attributes
    ----------
    function : str
    formula : str
    data : as given
    arguments : mapping
    refit : callable
        The function that makes a Fit of a formula, data and such arguments.
    """

    function: str
    formula: str
    data: Any
    arguments: Mapping[str, Any]
    refit: Callable[..., Any]

    def __getstate__(self) -> dict[str, Any]:
        """Without the connection to a cluster, which is of the process that made it."""
        arguments = {name: None if name == "client" else value for name, value in self.arguments.items()}
        return {**self.__dict__, "arguments": arguments}

    def changed(self, changes: Mapping[str, Any], parameters: Iterable[str]) -> Call:
        """The call with some arguments changed; `parameters` names those of the method that was fitted.

        Another method drops the parameters of the old one. Where the method was given as an object, changed parameters
        are given to the object.
        """
        new = dict(changes)
        formula, data = new.pop("formula", self.formula), new.pop("data", self.data)
        arguments = dict(self.arguments)
        known, method = set(parameters), arguments.get("method")
        if "method" in new:
            arguments = {k: v for k, v in arguments.items() if k not in known}
        elif isinstance(method, Model):
            arguments["method"] = replace(method, **{k: new.pop(k) for k in known & set(new)})
        return replace(self, formula=formula, data=data, arguments={**arguments, **new})

    def run(self) -> Any:
        """The Fit of this call.

        Raises
        ------
        NotAvailable
            Where data or arguments of it are gone.
        """
        gone = [name for name, value in {"data": self.data, **self.arguments}.items() if _is_absent(value)]
        if gone:
            named = ", ".join(f"{name}=" for name in gone)
            raise NotAvailable(f"the fit is slim, and {quoted(gone)} of its call are gone: give {named}, or take the full fit")
        return self.refit(self.formula, self.data, **self.arguments)

    @printed
    def __repr__(self) -> str:
        shown = [repr(self.formula), "data"]
        shown += [f"{k}={short(v)}" for k, v in self.arguments.items() if not is_default(k, v)]
        return f"{self.function}({', '.join(shown)})"


def _is_absent(value: Any) -> bool:
    return isinstance(value, Absent) or (isinstance(value, Mapping) and any(map(_is_absent, value.values())))


def is_default(name: str, value: Any, defaults: Mapping[str, Any] = DEFAULTS) -> bool:
    """Whether an argument has its default value, so that a call need not show it."""
    return name in defaults and type(value) is type(defaults[name]) and bool(value == defaults[name])


def short(value: Any) -> str:
    """An argument as a call shows it."""
    return f"<{type(value).__name__}>" if isinstance(value, (pd.Series, Dissimilarity)) else brief(value)
