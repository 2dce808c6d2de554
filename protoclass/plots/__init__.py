"""Figures: each function draws on Axes what a function of `views` gives as frames and arrays."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from ..arguments import check_known, one_of, renamed
from ..errors import NotAvailable, OptionError
from ..views.confusion import count_confusion

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def draw(fit: Fit, kind: str | None, ax: Any, **options: Any) -> Any:
    """The figure of a Fit; see `Fit.plot`."""
    from .alternatives import draw_alternatives, draw_criticisms
    from .cards import cards
    from .confusion import draw_counts
    from .curve import draw_curve
    from .evaluation import calibration as draw_calibration
    from .finish import finish, list_artists
    from .importance import importance
    from .pictures import images, map_of_prototypes, misclassified, miscovered
    from .progress import path, progress
    from .prototypes import prototypes, radii
    from .rule import rule
    from .solvers import solvers
    from .weights import weights
    from .why import why

    def validation(fit: Fit, ax: Any, x: Any = None, band: float | None = None) -> Any:
        if fit.validation is None:
            raise NotAvailable(
                "nothing was cross-validated: fit with cv=10, or with a parameter to tune, such as eps='grid'"
            )
        return draw_curve(fit.validation, x, ax, band)

    def confusion(fit: Fit, ax: Any) -> Any:
        return draw_counts(count_confusion(fit), ax)

    def alternatives(fit: Fit, ax: Any, within: float = 0.01, seconds: float = 60.0) -> Any:
        return draw_alternatives(fit.alternatives(within=within, seconds=seconds), ax)

    def criticisms(fit: Fit, ax: Any, n: int = 10) -> Any:
        return draw_criticisms(fit.criticisms(n=n), ax)

    def calibration(fit: Fit, ax: Any, *, new: Any) -> Any:
        return draw_calibration(fit.test(new), ax)

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
        "why": why,
        "alternatives": alternatives,
        "criticisms": criticisms,
        "calibration": calibration,
    }
    several: dict[str, Callable[..., Any]] = {
        "radii": radii,
        "cards": cards,
        "rule": rule,
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
    before = list_artists(ax)
    return finish(function(fit, **options) if kind in several else function(fit, ax, **options), before)


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
