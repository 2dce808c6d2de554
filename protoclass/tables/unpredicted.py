"""What print and summary say of classes that are never predicted, and of what was weighed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import brief
from ..estimation.calibration import READ
from ..estimation.resampling import losses, mean_loss, row_weights

if TYPE_CHECKING:
    from ..estimation.fit import Fit
    from ..estimation.validation import Validation

LOOKED_AT = 2_000_000  # rows times prototypes up to which print predicts the training rows
NAMED = 5  # classes that a line names before it counts the others


def class_facts(fit: Fit) -> dict[str, str]:
    """The lines of print on class weights and on classes that are never predicted, where there is something to say."""
    given = fit.call.arguments.get("class_weights")
    but = "" if fit.calibration is None else ", not in probabilities and sets"
    out = {} if given is None else {"Class weights": f"{brief(given)}, also in the errors{but}"}
    return out if fit.frame.absent is not None else {**out, **_missing_prototypes(fit), **_never_predicted(fit)}


def _missing_prototypes(fit: Fit) -> dict[str, str]:
    """That a nearest-prototype rule has no prototypes."""
    if not fit.model.can.nearest or len(fit.rule.prototypes):  # for other rules it is the method that says what this means
        return {}
    heaviest = fit.frame.levels[fit.fitted_codes[0]]
    return {"Prototypes": f"0, every row is predicted as the heaviest training class, {heaviest}"}


def _never_predicted(fit: Fit) -> dict[str, str]:
    """Classes without prototypes, and those that no held-out (without these, training) row is predicted as."""
    prototypes = fit.rule.prototypes
    bare = np.zeros(len(fit.classes), bool)
    if fit.model.can.nearest and len(prototypes):
        bare = np.bincount(prototypes.classes, minlength=len(bare)) == 0
    said = [f"{_named([str(c) for c, none in zip(fit.classes, bare, strict=True) if none])}, without prototypes"]
    said = said if bare.any() else []
    predicted, which = _predicted(fit)
    unseen = np.flatnonzero(~predicted & ~bare)
    if len(unseen):
        counts = np.bincount(fit.frame.codes, minlength=len(bare))
        names = [f"{fit.classes[c]} ({100 * counts[c] / fit.nobs:.2g} % of the rows)" for c in unseen]
        said.append(f"{_named(names)}, for no {which} row")
    if not said:
        return {}
    words = cures(fit, np.flatnonzero(bare | ~predicted))
    return {"Never predicted": "; ".join(said), **({"Cures": words} if words else {})}


def _named(classes: list[str]) -> str:
    more = f" and {len(classes) - NAMED} more" if len(classes) > NAMED else ""
    return ", ".join(classes[:NAMED]) + more


def _predicted(fit: Fit) -> tuple[np.ndarray, str]:
    """Which classes rows are predicted as, and what rows these are; all, where to look would take long."""
    validation, count = fit.validation, len(fit.classes)
    if validation is not None and fit.point is not None:
        codes = validation.predicted[:, :, fit.point]
        return np.bincount(codes[codes >= 0], minlength=count) > 0, "held-out"
    if fit.nobs * len(fit.rule.prototypes) > LOOKED_AT or fit.dissimilarity.metric.slow:
        return np.ones(count, bool), ""
    return np.bincount(fit.fitted_codes, minlength=count) > 0, "training"


def cures(fit: Fit, classes: np.ndarray) -> str:
    """What makes rare classes count, as far as this fit does not have it; another measure where it would choose another point."""
    arguments, out = fit.call.arguments, []
    if fit.validation is not None and fit.validation.measure == "error" and _balanced_helps(fit.validation, classes):
        out.append('measure="balanced" to tune')
    if fit.model.can.weights and arguments.get("class_weights") is None:
        out.append('class_weights="balanced"')
    if set(READ) & set(fit.rule.kinds):
        calibrate = "" if fit.calibration is not None else "calibrate=True and "
        out.append(f"{calibrate}predict(new, loss=) or predict(new, threshold=)")
    return ", or ".join(out)


def _balanced_helps(validation: Validation, classes: np.ndarray) -> bool:
    """Whether held-out rows are predicted as one of the classes at the grid point of the least balanced error."""
    problem = validation.problem
    lost = losses(validation.predicted, problem.frame.codes, 1.0 - np.eye(len(problem.frame.levels)))
    best = mean_loss(lost, row_weights(problem, "balanced")).argmin()
    return bool(np.isin(validation.predicted[:, :, best], classes).any())
