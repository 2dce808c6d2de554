"""Figures: a pure function gives the numbers as a DataFrame, a second one draws them on Axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import NotAvailable, OptionError, one_of

if TYPE_CHECKING:
    from ..fitting import Fit


def draw(fit: Fit, kind: str | None, ax: Any, **options: Any) -> Any:
    """The figure of a Fit; see `Fit.plot`."""
    from .confusion import confusion
    from .progress import progress
    from .prototypes import prototypes

    def validation(fit: Fit, ax: Any, **options: Any) -> Any:
        if fit.validation is None:
            raise NotAvailable("nothing was cross-validated: fit with cv=10, or with an open knob such as eps='grid'")
        return fit.validation.plot(ax=ax, **options)

    kinds: dict[str, Callable[..., Any]] = {
        "prototypes": prototypes,
        "progress": progress,
        "confusion": confusion,
        "validation": validation,
    }
    one_of("kind", kind, (None, *kinds))
    if ax is not None and not hasattr(ax, "plot"):
        raise OptionError(f"ax={ax!r}: Axes of matplotlib, or None")
    try:
        return kinds[kind or "prototypes"](fit, ax, **options)
    except TypeError as reason:
        if "unexpected keyword" in str(reason):
            raise OptionError(f"plot({kind!r}): {str(reason).split('() ')[-1]}") from None
        raise
