"""The summary of a Fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..analysis.separation import separation
from ..core.setcover.problems import Objective
from ..core.statistics.one_se import RULES
from ..estimation.fitted import Fitted
from ..ground.errors import brief
from ..ground.options import fixed, significant
from .printing import SEARCH, allowed, columns_left, facts, has_chosen, per_class
from .tidy import list_prototypes, with_texts
from .words import count_confusion, is_text

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary


SHOWN = 20  # prototypes or features in a summary
FEW = 5  # rows that a note names


def summary(fit: Fitted) -> Summary:
    """Full summary of the fit, as a statsmodels Summary (text, HTML, LaTeX)."""
    from .sheets import Sheet, SheetSummary, sheet_of  # statsmodels takes 0.4 s that most fits do without

    search = {name.capitalize(): significant(fit.rule.report[name]) for name in SEARCH if name in fit.rule.report}
    lines = {**facts(fit), **search, "Training error": fixed(fit.training_error)}
    if names := columns_left(fit):
        lines["Columns left"] = ", ".join(names)
    out = [Sheet([[k, v] for k, v in lines.items()], repr(fit.call), aligns="ll"), sheet_of(by_class(fit), "Classes")]
    if "objective" in fit.rule.report:
        out.append(Sheet(objective_rows(fit.objective), "Objective", aligns="lr"))
    if "certificate" in fit.rule.report:
        head = ["class", "objective", "lower bound", "proof"]
        out.append(Sheet(certificate_rows(fit), f"Certificate: {fit.certificate}", head, aligns="lrrl"))
    features = fit.model.has("feature_table")
    if features or (len(fit.rule.prototypes) and has_chosen(fit)):
        shown, title = with_texts(fit, list_prototypes(fit)), "Features" if features else "Prototypes"
        title += f" (the first {SHOWN} of {len(shown)})" if len(shown) > SHOWN else ""
        kept = [c for c in ("machine", "rule", "q", "r", "value") if c in shown]
        out.append(sheet_of((shown[kept] if features else shown.set_index("prototype")).head(SHOWN), title))
    if "Separation" in lines:
        apart = separation(fit)
        more = f" (the first {SHOWN} of {len(apart)} variables)" if len(apart) > SHOWN else ""
        out.append(sheet_of(apart.head(SHOWN), f"Separation of the prototypes{more}"))
    return SheetSummary(out, notes(fit))


def by_class(fit: Fitted) -> pd.DataFrame:
    """Observations, prototypes and cross-validated (else training) error of each class: the weighted proportion misclassified."""
    table = per_class(fit)
    counts = count_confusion(fit)[0]
    name = "CV error" if fit.curve is not None else "training error"
    total = fit.frame.class_weights  # a row without a prediction is wrong
    table[name] = [fixed(1 - counts.iloc[k, k] / total[k]) if total[k] > 0 else "" for k in range(len(counts))]
    return table


def objective_rows(goal: Objective) -> list[list[str]]:
    return [
        ["uncovered rows (weight)", f"{goal.uncovered:g}"],
        ["wrongly covered rows (weight, once for each ball)", f"{goal.miscovered:g}"],
        [f"prototypes at a cost of lambda = {significant(goal.lambda_)}", f"{goal.prototypes}"],
        ["objective, their sum", significant(goal.value, 6)],
    ]


def certificate_rows(fit: Fitted) -> list[list[str]]:
    """The certificate class by class."""
    certificate = fit.certificate
    rows = [
        [str(level), significant(certificate.objective[k], 6), significant(certificate.bound[k], 6), certificate.proof[k]]
        for k, level in enumerate(fit.classes)
    ]
    return [*rows, ["all", significant(certificate.objective.sum(), 6), significant(certificate.bound.sum(), 6), ""]]


def notes(fit: Fitted) -> list[str]:
    """Notes for the reader."""
    return [
        *fit.frame.notes, *fit.dissimilarity.metric.notes, *_tied_notes(fit), *_certificate_notes(fit),
        *(fit.model.notes(fit.learned) if fit.model.has("notes") else []), *_validation_notes(fit),
        *_calibration_notes(fit),
    ]  # fmt: skip


def _tied_notes(fit: Fitted) -> list[str]:
    """Texts at the same distance from all classes, such as texts without letters in common with a prototype."""
    if not is_text(fit) or fit.frame.absent is not None or "distance" not in fit.rule.kinds:
        return []
    far = fit.predictions(None, "distance")
    tied = far.index[(far.max(axis=1) == far.min(axis=1)).to_numpy()]
    if not len(tied):
        return []
    which = f"{', '.join(map(brief, tied[:FEW]))}{', ...' if len(tied) > FEW else ''}"
    return [f"Rows at the same distance from all classes, which are predicted as the first class: {len(tied)} ({which})."]


def _calibration_notes(fit: Fitted) -> list[str]:
    """The guarantee of prediction sets, and the classes with too few rows for it to be informative."""
    if fit.calibration is None:
        return []
    least = fit.calibration.smallest_level()
    few = [f"{c} (above level {a:.3g})" for c, a in zip(fit.classes, least, strict=True) if a < 0.95]
    always = f"Classes with few calibration rows are in every set: {', '.join(few)}."
    return [fit.calibration.guarantee(), *([always] if few else [])]


def _certificate_notes(fit: Fitted) -> list[str]:
    if "certificate" not in fit.rule.report:
        return []
    of_class = zip(fit.classes, fit.certificate.notes, strict=False)
    return [f"Class {level}: {note}." for level, note in of_class if note]


def _validation_notes(fit: Fitted) -> list[str]:
    optimistic = f"The training error is optimistic: {fit.why_optimistic}"
    validation = fit.curve
    if validation is None:
        return [f"{optimistic}."]
    out = [f"Cross-validation: {note}." for note in validation.notes]
    if len(validation.grid.columns):
        how = f"Parameters of point {fit.selection.point}, selected manually"
        if fit.selection.rule in RULES:
            how = f"Parameters selected by the {RULES[fit.selection.rule].format(measure=validation.measure_name)}"
        keeps = validation.limits.allowed
        kept = "" if keeps is None else f", {keeps.sum()} of which satisfy max_prototypes={brief(fit.call.arguments['max_prototypes'])}"
        out.append(f"{how} among {len(validation.table)} grid points{kept}.")
        out += tuned_on_the_same_folds(fit)
    out += at_the_end(fit)
    return [*out, f"{optimistic}. Use the cross-validated {validation.measure_name} to judge performance on new rows."]


def tuned_on_the_same_folds(fit: Fitted) -> list[str]:
    """Reason why the cross-validated error of a tuned fit is optimistic, and better estimates."""
    assert fit.curve is not None
    name = fit.curve.measure_name
    if fit.selection.rule == "bound" or len(fit.curve.grid) == 1:
        return []
    if fit.selection.by_hand:
        return [f"The CV {name} is optimistic if the point was selected by looking at the curve."]
    return [
        f"The CV {name} is optimistic because the parameters were tuned on the same folds. The corrected {name} adjusts for this "
        "(bootstrap of the held-out predictions). For a full assessment, use nested cross-validation: compare(formula, data, "
        "[method], cv=10)."
    ]


def at_the_end(fit: Fitted) -> list[str]:
    """A note if the lowest error is at the largest value of a parameter that was tried."""
    assert fit.curve is not None
    grid, best, name = fit.curve.grid, fit.curve.choice.best, fit.curve.measure_name
    numeric = [c for c in grid if grid[c].nunique() > 2 and pd.api.types.is_numeric_dtype(grid[c])]
    ends = [(c, grid[c].iloc[best]) for c in numeric if allowed(fit) != grid[c].iloc[best] == grid[c].max() < np.inf]
    return [
        f"The lowest CV {name} is at the largest {c} tried, {significant(value)}: larger values may do better."
        for c, value in ends
    ]
