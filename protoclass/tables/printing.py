"""`print(fit)`, as text and in a notebook."""

from __future__ import annotations

import html

import pandas as pd

from ..estimation.fitted import Fitted
from ..estimation.learning import worse_than_one_class
from ..ground.errors import visible, visible_lines
from ..ground.options import SAME, fixed, significant, with_error
from ..metrics.measuring import automatic
from ..values import facts_as_html, facts_as_text
from .choice import choice_facts
from .unpredicted import class_facts

ACROSS = 110  # characters of a line of classes side by side


def facts(fit: Fitted) -> dict[str, str]:
    """What `print` says, by name."""
    frame = fit.frame
    ordered = frame.response is not None and frame.response.ordered and len(frame.levels) > 2
    used = fit.validation is not None and fit.validation.measure == "ordinal"
    order = f", whose order {'only the measure uses' if used else 'is not used'}" if ordered else ""
    classes = f"{len(frame.levels)} classes{order}"
    out = {"Method": fit.model.title, "Response": f"{frame.formula.response} ({classes})"}
    out["Rows"] = f"{fit.nobs}" + (f" ({len(fit.dropped)} dropped for missing values)" if len(fit.dropped) else "")
    if fit.problem.order != "data":
        out["Order"] = "rows sorted by their values, which decides ties and folds (order='data': as in the data)"
    if fit.call.arguments.get("candidates", "auto") == "auto" and isinstance(fit.problem.candidates, int):
        sample = f"{fit.problem.candidates:,} of {fit.nobs:,} rows, drawn from each class, as all would take long"
        out["Candidates"] = f"{sample} (candidates='train' takes all)"
    measures = fit.model.measures(fit.rule)
    if measures:
        out["Dissimilarity"] = described(fit)
    for name, value in fit.rule.report.items():
        if isinstance(value, (int, float, str)):
            out[name[0].upper() + name[1:]] = value if isinstance(value, str) else significant(value)
    if "certificate" in fit.rule.report:
        out["Objective"] = f"{significant(fit.objective.value, 6)}, {fit.certificate}"
    if measures and (fit.rule.prototypes.at is None or len(fit.rule.prototypes) < fit.nobs):
        out["Prototypes"] = f"{len(fit.rule.prototypes)}"
    out |= class_facts(fit)
    if fit.validation is not None and fit.point is not None:
        out |= validated(fit)
    out |= choice_facts(fit)
    return out if fit.calibration is None else {**out, "Chances": fit.calibration.words()}


def validated(fit: Fitted) -> dict[str, str]:
    """The cross-validated error at the chosen point, named after what was measured, and corrected for the choice."""
    validation = fit.validation
    assert validation is not None
    assert fit.point is not None
    row, name, repeats = validation.table.iloc[fit.point], validation.measure_name, len(validation.of_fold)
    how = f"{int(validation.of_fold.max()) + 1} folds" + (f" x {repeats} repeats" if repeats > 1 else "")
    how += ", the same in each" if row["se"] <= SAME else ""
    value = f"{with_error(row['error'], row['se'])} ({how}; no information {fixed(validation.no_information)})"
    out = {f"CV {name}": value}
    corrected = None if fit.selection.by_hand else validation.corrected(fit.selection.rule)
    if corrected is not None:
        tuned = " and ".join(map(str, validation.grid))
        out["Corrected"] = f"{fixed(corrected)} ({tuned} tuned on the same folds)"
    worse = worse_than_one_class(validation, fit.point, fit.rule.kinds, fit.calibration is not None)
    return {**out, "Warning": worse} if worse else out


def described(fit: Fitted) -> str:
    """The dissimilarity in words, and how it was chosen."""
    metric = fit.dissimilarity.metric
    spec = fit.call.arguments.get("dissimilarity", "auto")
    scaled = f", {metric.scaling}" if metric.scaling else ""
    why = f" (chosen: {automatic(fit.frame)[1]})" if isinstance(spec, str) and spec == "auto" else ""
    return f"{metric.name}{scaled}{why}"


def per_class(fit: Fitted) -> pd.DataFrame:
    """Rows of each class, and prototypes where the rule measures rows."""
    levels = fit.frame.levels
    codes = pd.Series(fit.rule.prototypes.classes, dtype=int)
    chosen = codes.value_counts().reindex(range(len(levels)), fill_value=0)
    out = pd.DataFrame({"rows": fit.frame.class_counts, "prototypes": chosen.to_numpy()}, levels.rename("class"))
    return out if fit.model.measures(fit.rule) else out[["rows"]]


def text(fit: Fitted) -> str:
    """`print(fit)`."""
    said = facts_as_text({name: visible(value) for name, value in facts(fit).items()})
    return "\n".join([repr(fit.call), "", said, "", visible_lines(_class_table(fit).to_string())])


def html_text(fit: Fitted) -> str:
    """`print(fit)` in a notebook."""
    return f"<div><code>{html.escape(repr(fit.call))}</code>{facts_as_html(facts(fit))}{_class_table(fit).to_html()}</div>"


def _class_table(fit: Fitted) -> pd.DataFrame:
    """The classes side by side as far as a line holds them, else one below the other."""
    table = per_class(fit)
    wide = sum(2 + max(len(str(level)), 4) for level in table.index) > ACROSS
    return table if wide else table.T
