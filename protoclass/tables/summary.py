"""A Fit in words and tables."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..analysis.bounds import named
from ..core.covers.problems import Objective
from ..core.machines.bounds import cover_hart
from ..core.machines.rule import Machines
from ..core.neighbours.nearest import Vote

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from ..estimation.fit import Fit


def facts(fit: Fit) -> dict[str, str]:
    """What `print` tells, by name."""
    frame = fit.frame
    out = {"Method": fit.model.title, "Response": f"{frame.formula.response} ({len(frame.levels)} classes)"}
    out["Rows"] = f"{fit.nobs}" + (f" ({len(fit.dropped)} dropped for missing values)" if len(fit.dropped) else "")
    measures = fit.rule.reads != "columns"
    if measures:
        out["Dissimilarity"] = described(fit)
    for name, value in fit.rule.report.items():
        if isinstance(value, (int, float, str)):
            out[name[0].upper() + name[1:]] = value if isinstance(value, str) else f"{value:.4g}"
    if "certificate" in fit.rule.report:
        out["Objective"] = f"{fit.objective.value:.6g}, {fit.certificate}"
    if measures and (fit.rule.points.at is None or len(fit.rule.points) < fit.nobs):
        out["Prototypes"] = f"{len(fit.rule.points)}"
    if fit.validation is not None and fit.point is not None:
        row = fit.validation.table.iloc[fit.point]
        spread = f" +- {row['se']:.4f}" if row["se"] == row["se"] else ""
        folds = int(fit.validation.of_fold.max()) + 1
        out["CV error"] = (
            f"{row['error']:.4f}{spread} ({folds} folds; no information {fit.validation.no_information:.4f})"
        )
    return out


def described(fit: Fit) -> str:
    """The dissimilarity in words, and how it was chosen."""
    metric = fit.dissimilarity.metric
    spec = fit.call.arguments.get("dissimilarity", "auto")
    scaled = f", {metric.scaling}" if metric.scaling else ""
    why = ""
    if isinstance(spec, str) and spec == "auto":
        why = " (chosen: " + ("all predictors are numbers" if scaled else "some predictors are no numbers") + ")"
    return f"{metric.name}{scaled}{why}"


def per_class(fit: Fit) -> pd.DataFrame:
    """Rows of each class, and prototypes where the rule measures rows."""
    levels = fit.frame.levels
    codes = pd.Series(fit.rule.points.classes, dtype=int)
    rows = pd.Series(fit.frame.codes).value_counts().reindex(range(len(levels)), fill_value=0)
    chosen = codes.value_counts().reindex(range(len(levels)), fill_value=0)
    out = pd.DataFrame({"rows": rows.to_numpy(), "prototypes": chosen.to_numpy()}, levels.rename("class"))
    return out if fit.rule.reads != "columns" else out[["rows"]]


def brief(fit: Fit) -> str:
    """`print(fit)`."""
    width = max(map(len, facts(fit))) + 1
    lines = [f"{name + ':':<{width}} {value}" for name, value in facts(fit).items()]
    return "\n".join([repr(fit.call), "", *lines, "", per_class(fit).T.to_string()])


def brief_html(fit: Fit) -> str:
    """`print(fit)` in a notebook."""
    rows = "".join(f"<tr><th style='text-align:left'>{html.escape(k)}</th><td style='text-align:left'>{html.escape(v)}</td></tr>"
                   for k, v in facts(fit).items())  # fmt: skip
    return f"<div><code>{html.escape(repr(fit.call))}</code><table>{rows}</table>{per_class(fit).T.to_html()}</div>"


def objective_rows(goal: Objective) -> list[list[str]]:
    return [
        ["uncovered rows (weight)", f"{goal.uncovered:g}"],
        ["wrongly covered rows (weight, once for each ball)", f"{goal.miscovered:g}"],
        [f"prototypes at a cost of lambda = {goal.lambda_:.4g}", f"{goal.prototypes}"],
        ["objective, their sum", f"{goal.value:.6g}"],
    ]


def certificate_rows(fit: Fit) -> list[list[str]]:
    """The certificate class by class."""
    told = fit.certificate
    rows = [
        [str(level), f"{told.objective[k]:.6g}", f"{told.bound[k]:.6g}", told.proof[k]]
        for k, level in enumerate(fit.classes)
    ]
    return [*rows, ["all", f"{told.objective.sum():.6g}", f"{told.bound.sum():.6g}", ""]]


def notes(fit: Fit) -> list[str]:
    """What a reader should know."""
    out = [*fit.frame.notes, *fit.dissimilarity.metric.notes]
    points = fit.rule.points
    bare = [str(c) for k, c in enumerate(fit.classes) if not (points.classes == k).any()]
    if "certificate" in fit.rule.report:
        told = zip(fit.classes, fit.certificate.notes, strict=False)
        out += [f"Class {level}: {note}." for level, note in told if note]
    if isinstance(fit.rule, Machines):
        empty = [named(fit, duel) for duel in fit.rule.duels if len(duel.machine) == 0]
        out += [f"Machine {name} has no features, so it always says the same." for name in empty]
    elif len(points) == 0:
        out.append("No prototypes: every row is predicted as the heaviest training class.")
    elif bare:
        out.append(f"Classes without prototypes, never predicted: {', '.join(bare)}.")
    if (
        isinstance(fit.rule, Vote)
        and fit.rule.k == 1
        and fit.validation is not None
        and fit.validation.measure == "error"
    ):
        least = cover_hart(min(1.0, float(fit.validation.table["error"].iloc[fit.point])), len(fit.classes))
        out.append(
            f"Cover and Hart (1967): were the CV error that of 1-NN on endless rows, the Bayes error would be at least {least:.4f}."
        )
    if fit.validation is not None:
        out += [f"Cross-validation: {note}." for note in fit.validation.notes]
        rule = {"1se": "1-SE rule", "min": "least error", "bound": "least bound"}[
            fit.call.arguments.get("choose", "1se")
        ]
        if len(fit.validation.points.columns):
            own = fit.point == fit.validation.chosen(fit.call.arguments.get("choose", "1se"))
            how = f"Knobs chosen by the {rule}" if own else f"Knobs of point {fit.point}, chosen by hand"
            out.append(f"{how} among {len(fit.validation.table)} grid points.")
        out += at_the_end(fit)
    held_out = "only the cross-validated error speaks of new rows" + (
        "" if fit.validation is not None else ": cv=10 adds one"
    )
    out.append(f"Training error counts rows that chose the prototypes; {held_out}.")
    return out


def at_the_end(fit: Fit) -> list[str]:
    """A word where the least error is at the largest value of a knob that was tried."""
    points, best = fit.validation.points, fit.validation.best
    numeric = [c for c in points if points[c].nunique() > 2 and pd.api.types.is_numeric_dtype(points[c])]
    ends = [(c, points[c].iloc[best]) for c in numeric if points[c].iloc[best] == points[c].max() < np.inf]
    return [
        f"The least CV error is at the largest {c} tried, {value:.4g}: larger ones may do better." for c, value in ends
    ]


def summary(fit: Fit, most: int = 20) -> Summary:
    """The Summary of a Fit: facts, classes, objective, the first prototypes, notes."""
    from statsmodels.iolib.summary import Summary
    from statsmodels.iolib.table import SimpleTable

    out = Summary()
    told = {**facts(fit), "Training error": f"{fit.training_error():.4f}"}
    out.tables.append(SimpleTable([[k, v] for k, v in told.items()], title=repr(fit.call), data_aligns="ll"))
    out.tables.append(_table(SimpleTable, by_class(fit), "Classes"))
    if "objective" in fit.rule.report:
        out.tables.append(SimpleTable(objective_rows(fit.objective), title="Objective", data_aligns="lr"))
    if "certificate" in fit.rule.report:
        head = ["class", "objective", "lower bound", "proof"]
        title = f"Certificate: {fit.certificate}"
        out.tables.append(SimpleTable(certificate_rows(fit), headers=head, title=title, data_aligns="lrrl"))
    if isinstance(fit.rule, Machines):
        shown = fit.tidy()
        title = "Features" if len(shown) <= most else f"Features (the first {most} of {len(shown)})"
        kept = [c for c in ("machine", "rule", "q", "r", "value") if c in shown]
        out.tables.append(_table(SimpleTable, shown[kept].head(most), title))
    elif len(fit.rule.points) and (fit.rule.points.at is None or len(fit.rule.points) < fit.nobs):
        shown = fit.tidy()
        title = "Prototypes" if len(shown) <= most else f"Prototypes (the first {most} of {len(shown)})"
        out.tables.append(_table(SimpleTable, shown.head(most).set_index("prototype"), title))
    out.add_extra_txt(notes(fit))
    return out


def by_class(fit: Fit) -> pd.DataFrame:
    """Rows, prototypes and cross-validated (else training) error of each class."""
    table = per_class(fit)
    if fit.validation is not None:
        counts = fit.validation.confusion(fit.point)
        name = "CV error"
    else:
        told, L = fit.predict().cat.codes.to_numpy(), len(fit.frame.levels)
        counts = pd.DataFrame(np.bincount(fit.frame.codes * L + told, minlength=L * L).reshape(L, L))
        name = "training error"
    total = counts.sum(axis=1)
    table[name] = [
        f"{1 - counts.iloc[k, k] / total.iloc[k]:.4f}" if total.iloc[k] > 0 else "" for k in range(len(counts))
    ]
    return table


def _table(kind: Any, frame: pd.DataFrame, title: str) -> Any:
    cells = [[_cell(v) for v in row] for row in frame.astype(object).to_numpy()]
    return kind(
        cells,
        headers=list(map(str, frame.columns)),
        stubs=list(map(str, frame.index)),
        title=title,
        data_aligns="r",
        stub_align="l",
    )


def _cell(value: Any) -> str:
    return "" if pd.isna(value) else f"{value:.4g}" if isinstance(value, float) else str(value)


def glance(fit: Fit) -> pd.DataFrame:
    """One row for the whole fit."""
    row: dict[str, Any] = {"method": fit.model.name, "nobs": fit.nobs, "dropped": len(fit.dropped), "classes": len(fit.classes),
                           "prototypes": len(fit.rule.points), "size": fit.rule.size,
                           "dissimilarity": fit.dissimilarity.metric.name}  # fmt: skip
    row |= {name: value for name, value in fit.knobs().items() if isinstance(value, (int, float, str))}
    if "objective" in fit.rule.report:
        row["objective"] = fit.objective.value
    row["training_error"] = fit.training_error()
    if fit.validation is not None and fit.point is not None:
        chosen = fit.validation.table.iloc[fit.point]
        row |= {"cv_error": chosen["error"], "cv_se": chosen["se"]}
    return pd.DataFrame([row])
