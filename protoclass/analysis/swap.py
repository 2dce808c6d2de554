"""A fit with a row in the place of one of its prototypes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import OptionError, brief, shown
from ..estimation.problem import HOLD_LIMIT
from ..models.registry import lacking
from .alternatives import places_of
from .steps import place_of

if TYPE_CHECKING:
    from ..estimation.fit import Fit

SWAPPED = "swapped"  # what the report of a rule calls it


def swap(fit: Fit, prototype: Any, substitute: Any) -> Fit:
    """See `Fit.swap`."""
    if not fit.model.has("swap"):
        raise lacking(fit.model, "prototypes that a row could take the place of", "swap")
    place = place_of(fit, prototype)
    (candidate,) = places_of(fit, [substitute])
    prototypes = fit.rule.prototypes
    assert prototypes.at is not None
    if candidate in prototypes.at[prototypes.classes == prototypes.classes[place]]:
        raise OptionError(f"substitute={brief(substitute)} is a prototype of this class already: name a row that is none")
    task = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT)
    own = task.allowed_class
    if own is not None and 0 <= own[candidate] != prototypes.classes[place]:
        level = fit.frame.levels[prototypes.classes[place]]
        raise OptionError(
            f"substitute={brief(substitute)} may not stand for class {brief(level)}, as it is a candidate of another one: name a row of it"
        )
    rule = fit.model.swap(fit.learned, task, place, int(candidate))
    earlier = rule.report.get(SWAPPED)
    this = f"{shown(substitute)} for {shown(prototype)}"
    report = {**rule.report, SWAPPED: this if earlier is None else f"{earlier}, {this}"}
    return fit.derived(replace(rule, report=report))  # type: ignore[type-var]
