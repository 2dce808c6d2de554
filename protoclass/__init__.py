"""protoclass: classification by prototypes, on any dissimilarity.

>>> import protoclass as pc
>>> pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).nobs
150
"""

import re as _re
from importlib import import_module as _import_module
from importlib.resources import files as _files
from typing import Any

__version__ = "0.1.0"

_STUB = _files(__name__).joinpath("__init__.pyi").read_text(encoding="utf-8")  # also in a zip
_PLACES = {name: place for place, name in _re.findall(r"^from (\.\S*) import (\w+)", _STUB, _re.M)}
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        place = _PLACES[name]
        if place == ".":
            return _import_module(f".{name}", __name__)
        globals()[name] = getattr(_import_module(place, __name__), name)
        return globals()[name]
    if not name.startswith("_"):
        from .fitting import Fit
        from .ground.errors import NotAvailableError as Missing
        from .ground.foreign_names import FUNCTIONS_ELSEWHERE

        for part in ("candidates", "errors", "extend", "results"):
            if hasattr(_import_module(f".{part}", __name__), name):
                raise Missing(f"module 'protoclass' has no {name!r}: use pc.{part}.{name}")
        cure = FUNCTIONS_ELSEWHERE.get(name)
        if cure is None and callable(getattr(Fit, name, None)):
            cure = f"use fit.{name}(...)"
        if cure:
            raise Missing(f"module 'protoclass' has no {name!r}: {cure}")
    raise AttributeError(f"module 'protoclass' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
