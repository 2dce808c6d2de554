"""Figures: each function draws on Axes what a function of `views` gives as frames and arrays."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from ..arguments import check_known, one_of, renamed
from ..errors import NotAvailable, OptionError

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def draw(fit: Fit, kind: str | None, ax: Any, **options: Any) -> Any:
    """The figure of a Fit; see `Fit.plot`."""
    from .confusion import confusion
    from .importance import importance
    from .pictures import images, map_of_prototypes, misclassified, miscovered
    from .progress import path, progress
    from .prototypes import prototypes, radii
    from .solvers import solvers
    from .style import plain_text
    from .weights import weights

    def validation(fit: Fit, ax: Any, x: Any = None, band: float | None = None) -> Any:
        if fit.validation is None:
            raise NotAvailable(
                "nothing was cross-validated: fit with cv=10, or with a parameter to tune, such as eps='grid'"
            )
        return fit.validation.plot(x, ax, band)

    single: dict[str, Callable[..., Any]] = {
        "prototypes": prototypes,
        "progress": progress,
        "path": path,
        "confusion": confusion,
        "validation": validation,
        "importance": importance,
        "weights": weights,
        "map": map_of_prototypes,
        "solvers": solvers,
    }
    several: dict[str, Callable[..., Any]] = {
        "radii": radii,
        "images": images,
        "miscovered": miscovered,
        "misclassified": misclassified,
    }
    one_of("kind", kind, (None, *single, *several), "picture")
    if fit.frame.absent is not None:
        raise NotAvailable(fit.frame.absent)
    if ax is not None and not hasattr(ax, "set_xlabel"):
        raise OptionError(f"ax={ax!r}: Axes of matplotlib, as plt.subplots() gives them, or None")
    if ax is not None and kind in several:
        raise OptionError(f"plot({kind!r}) is a figure of several Axes: leave ax= out")
    function = several[kind] if kind in several else single[kind or "prototypes"]
    _check_options(kind, function, options, {**single, **several})
    return plain_text(function(fit, **options) if kind in several else function(fit, ax, **options))


def _check_options(
    kind: str | None, function: Callable[..., Any], options: dict[str, Any], kinds: dict[str, Callable[..., Any]]
) -> None:
    """Raise for options that a kind of picture does not have, and for those that it needs."""
    call = f"plot({kind!r})" if kind else "plot()"
    known = _options(function)
    for name in options:
        if name in known or renamed(name, (*known, "kind")):
            continue
        here = {k: name if name in _options(other) else renamed(name, _options(other)) for k, other in kinds.items()}
        others = [repr(k) for k, found in here.items() if found]
        if others:
            meant = next(found for found in here.values() if found)
            said = "" if meant == name else f"{name}= is {meant}= here, and "
            raise OptionError(f"{call} has no argument {name!r}: {said}the kinds that have it are {', '.join(others)}")
    check_known(call, options, ["kind", "ax", *known])
    needed = [name for name, p in known.items() if p.default is p.empty and name not in options]
    if needed:
        raise OptionError(f"{call} needs {needed[0]}=, see help(pc.Fit.plot)")


def _options(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The options of a function that draws, without the fit and the Axes."""
    found = signature(function).parameters
    return {name: p for name, p in found.items() if name not in ("fit", "ax")}
