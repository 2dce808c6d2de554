"""Figures: each function draws on Axes what a function of `views` gives as frames and arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..arguments import one_of
from ..errors import NotAvailable, OptionError

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def draw(fit: Fit, kind: str | None, ax: Any, **options: Any) -> Any:
    """The figure of a Fit; see `Fit.plot`."""
    from .confusion import confusion
    from .pictures import images, map_of_prototypes, misclassified, miscovered
    from .progress import path, progress
    from .prototypes import prototypes, radii
    from .solvers import solvers
    from .style import plain_text

    def validation(fit: Fit, ax: Any, **options: Any) -> Any:
        if fit.validation is None:
            raise NotAvailable(
                "nothing was cross-validated: fit with cv=10, or with a parameter to tune, such as eps='grid'"
            )
        return fit.validation.plot(ax=ax, **options)

    single: dict[str, Callable[..., Any]] = {
        "prototypes": prototypes,
        "progress": progress,
        "path": path,
        "confusion": confusion,
        "validation": validation,
        "map": map_of_prototypes,
        "solvers": solvers,
    }
    several: dict[str, Callable[..., Any]] = {
        "radii": radii,
        "images": images,
        "miscovered": miscovered,
        "misclassified": misclassified,
    }
    one_of("kind", kind, (None, *single, *several))
    if ax is not None and not hasattr(ax, "plot"):
        raise OptionError(f"ax={ax!r}: Axes of matplotlib, or None")
    if ax is not None and kind in several:
        raise OptionError(f"plot({kind!r}) is a figure of several Axes: leave ax= out")
    try:
        drawn = several[kind](fit, **options) if kind in several else single[kind or "prototypes"](fit, ax, **options)
        return plain_text(drawn)
    except TypeError as reason:
        if "unexpected keyword" in str(reason) or "required positional" in str(reason):
            raise OptionError(f"plot({kind!r}): {str(reason).split('() ')[-1]}") from None
        raise
