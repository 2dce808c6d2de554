"""What print and summary say of classes that are never predicted, and of what was weighed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..analysis.separation import tells_apart
from ..estimation.calibration import READ
from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..estimation.problem import class_factors, with_class_factors
from ..estimation.resampling import losses, mean_loss, row_weights
from ..ground.errors import brief
from ..ground.options import SAME, significant

LOOKED_AT = 2_000_000  # rows times prototypes up to which print predicts the training rows
NAMED = 5  # classes that a line names before it counts the others


def class_facts(fit: Fitted) -> dict[str, str]:
    """The lines of print on class weights and on classes that are never predicted, where there is something to say."""
    given = fit.call.arguments.get("class_weights")
    but = "" if fit.calibration is None else ", not in probabilities and sets"
    out = {} if given is None else {"Class weights": f"{brief(given)}, also in the errors{but}"}
    if fit.frame.absent is not None:
        return out
    none = fit.model.can.nearest and not len(fit.rule.prototypes)  # for other rules it is the method that says what this means
    return {**out, **(_no_prototypes(fit) if none else _never_predicted(fit))}


def _no_prototypes(fit: Fitted) -> dict[str, str]:
    """That a nearest-prototype rule has no prototypes, and the cost at which it would have one."""
    heaviest = fit.frame.levels[fit.fitted_codes[0]]
    out = {"Prototypes": f"0, every row is predicted as the heaviest training class, {heaviest}"}
    gains = first_gains(fit)
    if gains is None:
        return out
    if gains.max() <= 0:
        return {**out, "Cause": "no ball of this radius holds more of one class than of the others together"}
    return {**out, "Cures": f"lambda_ below {significant(gains.max())}, the most that a ball of this radius gains"}


def _never_predicted(fit: Fitted) -> dict[str, str]:
    """Classes without prototypes, and those that no held-out (without these, training) row is predicted as."""
    prototypes = fit.rule.prototypes
    bare = np.zeros(len(fit.classes), bool)
    if fit.model.can.nearest:
        bare = np.bincount(prototypes.classes, minlength=len(bare)) == 0
    said = [f"{_named([str(c) for c, none in zip(fit.classes, bare, strict=True) if none])}, without prototypes"]
    said = said if bare.any() else []
    predicted, which = _predicted(fit)
    unseen = ~predicted & ~bare
    if unseen.any():
        counts = np.bincount(fit.frame.codes, minlength=len(bare))
        names = [f"{fit.classes[c]} ({100 * counts[c] / fit.nobs:.2g} % of the rows)" for c in np.flatnonzero(unseen)]
        said.append(f"{_named(names)}, for no {which} row")
    if not said:
        return {}
    apart = {int(c): tells_apart(fit, int(c)) for c in np.flatnonzero(unseen)[:NAMED]}
    alike = [str(fit.classes[c]) for c, told in apart.items() if told is False]
    words = cures(fit, bare, unseen, np.array([c for c, told in apart.items() if told], int))
    cause = f"the dissimilarities do not tell {', '.join(alike)} from other rows (rank-sum test at 5 %)" if alike else ""
    return {
        "Never predicted": "; ".join(said), **({"Cause": cause} if cause else {}), **({"Cures": words} if words else {}),
    }  # fmt: skip


def _named(classes: list[str]) -> str:
    more = f" and {len(classes) - NAMED} more" if len(classes) > NAMED else ""
    return ", ".join(classes[:NAMED]) + more


def _predicted(fit: Fitted) -> tuple[np.ndarray, str]:
    """Which classes rows are predicted as, and what rows these are; all, where to look would take long."""
    validation, count = fit.validation, len(fit.classes)
    if validation is not None and fit.point is not None:
        codes = validation.predicted[:, :, fit.point]
        return np.bincount(codes[codes >= 0], minlength=count) > 0, "held-out"
    if fit.nobs * len(fit.rule.prototypes) > LOOKED_AT or fit.dissimilarity.metric.slow:
        return np.ones(count, bool), ""
    return np.bincount(fit.fitted_codes, minlength=count) > 0, "training"


def cures(fit: Fitted, bare: np.ndarray, unseen: np.ndarray, apart: np.ndarray) -> str:
    """What makes classes count that are never predicted, each only where its cause was found.

    Parameters
    ----------
    fit : Fitted
    bare, unseen : bool arrays (classes,)
        Classes without prototypes, and others that are never predicted.
    apart : int array
        Those of the latter that the dissimilarities tell apart.
    """
    arguments, out = fit.call.arguments, []
    classes = np.flatnonzero(bare | unseen)
    if fit.validation is not None and fit.validation.measure == "error" and _balanced_helps(fit.validation, classes):
        out.append('measure="balanced" to tune')
    gains = first_gains(fit) if bare.any() else None
    if gains is not None and (gains[bare] > 0).any():
        out.append(f"lambda_ below {significant(gains[bare].max())}, the most that a ball of such a class gains")
    if fit.model.can.weights and arguments.get("class_weights") is None and _weights_help(fit, bare, apart):
        out.append('class_weights="balanced"')
    if len(apart) and set(READ) & set(fit.rule.kinds):
        calibrate = "" if fit.calibration is not None else "calibrate=True and "
        out.append(f"{calibrate}predict(new, loss=) or predict(new, threshold=)")
    return ", or ".join(out)


def first_gains(fit: Fitted, balanced: bool = False) -> np.ndarray | None:
    """What a first prototype of each class gains at most, before its cost; None where the method has no such thing or it takes long."""
    problem = fit.chosen_problem
    slow = fit.dissimilarity.sharded is not None or fit.dissimilarity.metric.slow
    if not fit.model.has("first_gains") or slow or fit.nobs * len(fit.dissimilarity.candidate_row) > LOOKED_AT:
        return None
    if balanced:
        problem = replace(problem, frame=with_class_factors(problem.frame, class_factors(problem.frame, "balanced"), "balanced"))
    return fit.model.first_gains(fit.learned, problem.task(fit.dissimilarity))


def _weights_help(fit: Fitted, bare: np.ndarray, apart: np.ndarray) -> bool:
    """Whether balanced weights raise those of a class that dissimilarities tell apart, or let a class gain more than its cost."""
    weight = fit.frame.class_weights
    if (weight[apart] < weight.mean() * (1 - SAME)).any():
        return True
    gains = first_gains(fit, balanced=True) if bare.any() else None
    return gains is not None and bool((gains[bare] > fit.rule.report["cost lambda"]).any())


def _balanced_helps(validation: ErrorCurve, classes: np.ndarray) -> bool:
    """Whether held-out rows are predicted as one of the classes at the grid point of the least balanced error."""
    problem = validation.problem
    lost = losses(validation.predicted, problem.frame.codes, 1.0 - np.eye(len(problem.frame.levels)))
    best = mean_loss(lost, row_weights(problem, "balanced")).argmin()
    return bool(np.isin(validation.predicted[:, :, best], classes).any())
