"""A fit with a row in the place of one of its prototypes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import OptionError, brief, shown
from ..estimation.fitted import AnyFit
from ..estimation.problem import HOLD_LIMIT
from ..models.registry import lacking
from .alternatives import places_of
from .steps import place_of

if TYPE_CHECKING:
    pass

SWAPPED = "swapped"  # what the report of a rule calls it


def swap(fit: AnyFit, prototype: Any, substitute: Any) -> AnyFit:
    """The fit with a row in the place of a prototype, for the same class; its other prototypes stay.

    `alternatives` says which rows serve as well. The certificate was that of the other cover and is not kept, nor is the
    cross-validated error.

    Parameters
    ----------
    prototype : label
        Of `fit.prototypes.index`; the first of that label.
    substitute : label
        Of a candidate, as a rule a row of the fit, that is no prototype of this class.

    Raises
    ------
    OptionError
        For other labels.
    NotAvailable
        Where the method has no `alternatives`.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, solver="exact")
    >>> place, substitute = fit.alternatives(within=0.1).substitutes.loc[0, ["prototype", "substitute"]]
    >>> other = fit.swap(place, substitute)
    >>> bool(other.objective.value <= 1.1 * fit.objective.value), substitute in other.prototypes.index
    (True, True)
    """
    replaced = fit.model.can.swap
    if replaced is None:
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
    rule = replaced(fit.learned, task, place, int(candidate))
    earlier = rule.report.get(SWAPPED)
    this = f"{shown(substitute)} for {shown(prototype)}"
    report = {**rule.report, SWAPPED: this if earlier is None else f"{earlier}, {this}"}
    return fit.derived(replace(rule, report=report))  # type: ignore[type-var]
