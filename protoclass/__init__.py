"""protoclass: classification by prototypes, on any dissimilarity.

>>> import protoclass as pc
>>> pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).nobs
150
"""

from typing import Any

from lazy_loader import attach_stub as _attach_stub

__version__ = "0.1.0"

_load, _, __all__ = _attach_stub(__name__, __file__)  # the names of __init__.pyi


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _load(name)
    from .ground.errors import NotAvailable as Missing
    from .ground.foreign_names import FUNCTIONS, FUNCTIONS_ELSEWHERE, VERBS

    cures = {**dict.fromkeys(FUNCTIONS, f"use fit.{name}(...)"), **VERBS, **FUNCTIONS_ELSEWHERE}
    if name in cures:
        raise Missing(f"module 'protoclass' has no function {name!r}: {cures[name]}")
    raise AttributeError(f"module 'protoclass' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
