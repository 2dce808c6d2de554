"""Print, HTML and summary of a fit, print of an error curve, and the table of prototypes for a paper."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..analysis.variables import separation, why_not_separated
from ..core.setcover.problems import Objective
from ..core.statistics.one_se import RULES
from ..estimation.calls import costs_twice, worse_than_one_class
from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..ground.errors import brief, first_of, visible, visible_lines
from ..ground.options import SAME, fixed, significant, with_error
from ..ground.text import SHOWN, to_html
from ..metrics.wrappers import OneOf
from ..values import NUMBERS
from .tidy import list_prototypes, with_texts
from .words import (
    MOST_LEARNED,
    MOST_SHARE,
    all_rows_serve,
    allowed,
    class_facts,
    corrected_error,
    count_confusion,
    count_folds,
    describe_fewer,
    describe_grid,
    is_text,
    rule_in_words,
    selecting_curve,
    shown_error,
    shown_name,
)

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary


ACROSS = 110  # characters of a line of classes side by side
WIDE = 110  # characters of a line with the call at its end
LARGEST = 3  # shares that are printed
SYMBOLS = ("eps", "lambda", "k", "K", "p", "C")  # of parameters, last in their names in a report
# in the summary alone unless given or tuned
STRUCK = {"lambda", "cost", "swaps", "loss", "matrix", "local", "ridge", "K"}
# lines of `facts` in print
KEPT = (
    "Note", "Separation", "Score", "Columns left", "Candidates", "Objective", "Class weights",
    "Warning", "Costs", "Never predicted", "Cause", "Try", "Probabilities",
)  # fmt: skip


def facts(fit: Fitted) -> dict[str, str]:
    """The first lines of the summary, by name; print has some of them."""
    frame = fit.frame
    out = {
        "Method": fit.model.title,
        "Response": f"{frame.formula.response}, {len(frame.levels)} classes{_order_said(fit)}",
    }
    out["Observations"] = f"{fit.nobs}{_dropped(fit)}"
    if frame.notes:
        out["Note"] = "; ".join(frame.notes)
    if fit.call.arguments["candidates"] == "auto" and isinstance(fit._problem.candidates, int):
        sample = (
            f"{fit._problem.candidates:,} of {fit.nobs:,} rows, a random sample by class, "
            "because all would take long"
        )
        out["Candidates"] = f"{sample} (candidates='train' uses all)"
    measures = fit.model.measures(fit.rule)
    if measures:
        out["Dissimilarity"] = described(fit)
    out |= parameters_said(fit, every=True)
    if names := columns_left(fit):
        out["Columns left"] = first_of(names, 10) + " (all in the summary)" * (len(names) > 10)
    if "certificate" in fit.rule.report:
        out["Objective"] = f"{significant(fit.objective.value, 6)}, {fit.certificate}"
    if measures:
        count = len(fit.rule.prototypes)
        out["Prototypes"] = (
            f"{count}{' (all rows)' * (count == fit.nobs)}{_budget(fit)}{_of_other_class(fit)}"
        )
    out |= separation_facts(fit) | class_facts(fit)
    if fit._curve is not None and fit._selection.point is not None:
        out = warnings_of(fit) | out | validated(fit)  # warnings first
    else:
        out["CV error"] = error_said(fit)
    curve = selecting_curve(fit)
    if curve is not None:
        choice = {"Grid": describe_grid(fit, curve), "Fewer prototypes": describe_fewer(fit, curve)}
        out |= {name: words for name, words in choice.items() if words}
    return out if fit._calibration is None else {**out, "Probabilities": fit._calibration.words()}


def separation_facts(fit: Fitted) -> dict[str, str]:
    """The variables that separate the prototypes most, and the score of two prototypes; nothing if
    no weights were learned.
    """
    count, weights = len(fit.rule.prototypes), fit.dissimilarity.metric.column_weights
    if (
        (weights is None and count != 2)
        or count * len(fit.frame.schema) ** 2 > MOST_LEARNED
        or why_not_separated(fit)
    ):
        return {}
    table = separation(fit)
    sides: dict[str, list[str]] = {}  # a group for each direction
    largest = table.head(LARGEST)[["higher", "proportion"]]
    for name, higher, proportion in largest.itertuples():
        side = f"higher in {higher}: " if pd.notna(higher) else ""
        sides.setdefault(side, []).append(f"{name} {100 * proportion:.0f} %")
    words = "; ".join(side + ", ".join(names) for side, names in sides.items())
    out = {"Separation": words + ", ..." * (len(table) > LARGEST)}
    if "coefficient" not in table:
        return out
    terms = [
        f"{'-' if value < 0 else '+'} {significant(abs(value), 6)} {name}"
        for name, value in table["coefficient"].items()
    ]
    total = (
        " ".join(terms).removeprefix("+ ")
        if len(terms) <= 8
        else "the sum of coefficient times variable"
    )
    return {
        **out,
        "Score": f"{table.attrs['class']} if {total} > {significant(table.attrs['cut'], 6)}",
    }


def columns_left(fit: Fitted) -> list[str]:
    """The columns in which centroids that were shrunken to one another still differ, those that
    differ most first; none of other rules.
    """
    known, coords = fit._prototype_table, fit.rule.prototypes.coords
    if "columns" not in known or coords is None:
        return []
    table = fit.prototypes.iloc[:, known.shape[1] :]
    left = table.columns[table.ne(table.iloc[0]).any()].astype(str).tolist()
    apart = dict(zip(table.columns.astype(str), np.ptp(coords, axis=0).tolist(), strict=False))
    return sorted(left, key=lambda name: -apart.get(name, 0.0))


def _dropped(fit: Fitted) -> str:
    """Number of rows dropped for missing values, if there are some."""
    return f" ({len(fit.dropped)} dropped for missing values)" if len(fit.dropped) else ""


def _order_said(fit: Fitted) -> str:
    """Use of the order of the classes, if they have one."""
    response, validation = fit.frame.response, fit._curve
    if response is None or not response.ordered or len(fit.classes) < 3:
        return ""
    used = validation is not None and validation.measure == "ordinal"
    return f" (ordered; {'only the error uses the order' if used else 'the order is not used'})"


def _budget(fit: Fitted) -> str:
    """Maximum number of prototypes by `max_prototypes=`."""
    most = fit.call.arguments["max_prototypes"]
    return (
        ""
        if most is None or fit.model.can.counted == "features" or fit._selection.by_hand
        else f" (at most {brief(most)})"
    )


def _of_other_class(fit: Fitted) -> str:
    """Number of prototypes that are rows of another class than the one they represent, and how to exclude them."""
    count = int(fit._of_other_class.sum())
    cure = (
        " (candidates='same_class' excludes them)"
        if "unlabelled" in fit.model.can.candidates
        else ""
    )
    return (
        f", {count} of them {'a row' if count == 1 else 'rows'} of another class{cure}"
        if count
        else ""
    )


def validated(fit: Fitted) -> dict[str, str]:
    """The cross-validated error at the selected point, named after its measure, and corrected for the selection."""
    curve: Any = fit._curve
    row, name = curve.table.iloc[fit._selection.point], shown_name(curve)
    how = count_folds(curve) + (", the same in each" if row["se"] <= SAME else "")
    none = f"no-information {name} {fixed(curve.no_information)}"
    error = with_error(shown_error(curve, row["error"]), row["se"], how)
    out = {f"CV {name}": f"{error}; {none}"}
    corrected = corrected_error(fit)
    if corrected is not None:
        tuned = ", ".join(map(str, curve.grid))
        out[f"Corrected {name}"] = (
            f"{fixed(shown_error(curve, corrected.value))} (adjusted for tuning {tuned} on the same folds)"
        )
    return out


def warnings_of(fit: Fitted) -> dict[str, str]:
    """Warnings if the fit is worse than no information, and if its error counts costs twice."""
    curve: Any = fit._curve
    point: Any = fit._selection.point
    corrected = corrected_error(fit)
    error = None if corrected is None else corrected.value
    worse = worse_than_one_class(curve, point, fit.rule.kinds, fit._calibration is not None, error)
    return {
        name: words
        for name, words in {"Warning": worse, "Costs": costs_twice(curve)}.items()
        if words
    }


def described(fit: Fitted) -> str:
    """The dissimilarity in words, and how it was chosen."""
    metric = fit.dissimilarity.metric
    scaled = f", {metric.scaling}" if metric.scaling else ""
    values, axes = fit._selection.values, fit._problem.metric_axes
    if isinstance(fit._problem.to_tune, OneOf):
        names = axes["dissimilarity"]
        return f"{metric.name}{scaled} (selected from {', '.join(names[:-1])} and {names[-1]})"
    chosen = ", ".join(f"{name} = {significant(values[name])}" for name in axes)
    return f"{metric.name}{scaled}{', tuned: ' * bool(axes)}{chosen}"


def per_class(fit: Fitted) -> pd.DataFrame:
    """Rows of each class, and prototypes if the rule uses dissimilarities."""
    levels = fit.frame.levels
    codes = pd.Series(fit.rule.prototypes.classes, dtype=int)
    chosen = codes.value_counts().reindex(range(len(levels)), fill_value=0)
    out = pd.DataFrame(
        {"observations": fit.frame.class_counts, "prototypes": chosen.to_numpy()},
        levels.rename("class"),
    )
    return out if fit.model.measures(fit.rule) else out[["observations"]]


def headline(fit: Fitted) -> str:
    """The method, its prototypes, the rows and the classes."""
    frame, q = fit.frame, len(fit.rule.prototypes)
    title = fit.model.title.replace(" (greedy)", "")
    rest = f"{fit.nobs} observations{_dropped(fit)}"
    of = (
        f"{q} prototypes{_budget(fit)}{_of_other_class(fit)} of "
        if fit.model.measures(fit.rule) and not all_rows_serve(fit)
        else ""
    )
    return f"{title}: {of}{rest}, {len(frame.levels)} classes{_order_said(fit)}"


def no_summary(fit: Fitted) -> str:
    """Warning that the 1-SE rule keeps more than a third of the rows, with the error of fewer; "" if it does not."""
    curve, size = fit._curve, len(fit.rule.prototypes)
    counts = fit.model.can.counted not in (False, "features")
    if curve is None or fit._selection.rule != "1se" or not counts or size <= MOST_SHARE * fit.nobs:
        return ""
    fewer = describe_fewer(fit, curve)
    return f"{size} of {fit.nobs} rows are prototypes, which is not a summary." + (
        f" Fewer: {fewer}" if fewer else ""
    )


def error_said(fit: Fitted) -> str:
    """The error with its 95 % interval, how it was estimated, and the error of one class for all rows."""
    validation, point = (
        (fit._curve, fit._selection.point) if fit._curve is not None else (fit._checked, 0)
    )
    if isinstance(validation, str) or point is None:
        return validation if isinstance(validation, str) else "not cross-validated: cv=10"
    usual = 2 if fit.nobs < 1000 else 3
    estimate, error, how = corrected_error(fit), validation._choice.error[point], "cross-validated"
    if estimate is None:
        estimate = validation._uncorrected(point)
    else:
        how += f" {fixed(shown_error(validation, error), usual)}, corrected for tuning"
    ends = sorted(shown_error(validation, end) for end in (estimate.low, estimate.high))
    interval = (
        f" (95 % CI {fixed(ends[0], usual)} to {fixed(ends[1], usual)})"
        if np.isfinite(ends).all()
        else ""
    )
    constant = "one class for all rows" if validation._scored is None else "no information"
    constant = "most common class" if validation.measure == "error" else constant
    value = fixed(shown_error(validation, estimate.value), usual)
    return f"{value}{interval}: {how}; {constant} {fixed(validation.no_information, usual)}"


def parameters_said(fit: Fitted, every: bool = False) -> dict[str, str]:
    """The values of parameters that were tuned or given, and how they were selected; with `every`
    all that the rule reports.
    """
    tuned = fit._problem.of_method(fit._selection.values)
    named, out = {**fit.call.parameters, **tuned}, dict[str, str]()
    for name, value in fit.rule.report.items():
        noun, _, symbol = name.rpartition(" ")
        key = next(
            (k for k in (symbol, f"{symbol}_", noun, name.replace(" ", "_")) if k in named), ""
        )
        if isinstance(value, (int, float, str)) and (
            every or key or (value and not {name, symbol} & STRUCK)
        ):
            named.pop(key, None)
            noun = "prototype cost" if symbol == "lambda" else noun
            out[_capital(noun if symbol in SYMBOLS and noun else name)] = _with_rule(
                fit, key, value
            )
    if fit._curve is not None:
        out |= {
            _capital(name): _with_rule(fit, name, value)
            for name, value in tuned.items()
            if name in named and name not in STRUCK
        }
    return out


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _with_rule(fit: Fitted, name: str, value: Any) -> str:
    """A value, and if it was selected from several, the rule and their number."""
    text = value if isinstance(value, str) else significant(value)
    text = ("no", "yes")[int(value)] if isinstance(value, (bool, np.bool_)) else text
    if fit._curve is None or fit._selection.point is None or name not in fit._curve.grid:
        return text
    count = fit._curve._of_metric(fit._selection.point).grid[name].nunique()
    rule = rule_in_words(fit._selection, fit._curve._measure_name)
    return text if count < 2 else f"{text} ({rule}, {count} values)"


def brief_facts(fit: Fitted) -> dict[str, str]:
    """The lines of print below the table, by name: the error, parameters, distance, and anything that is wrong."""
    every, validation = facts(fit), fit._curve
    name = "Error" if validation is None else _capital(shown_name(validation))
    out = {name: error_said(fit), **parameters_said(fit)}
    if not len(fit.rule.prototypes) and "Prototypes" in every:
        out["Prototypes"] = every["Prototypes"]
    if "Dissimilarity" in every:
        out["Distance"] = every["Dissimilarity"]
    curve = selecting_curve(fit)
    grid = "" if curve is None else describe_grid(fit, curve, unfinished=True)
    return (
        out
        | ({"Grid": grid} if grid else {})
        | {name: every[name] for name in KEPT if every.get(name)}
    )


def _first_lines(fit: Fitted) -> list[str]:
    """The headline, the call and a warning, if there is one."""
    return [headline(fit), repr(fit.call), *filter(None, [no_summary(fit)])]


def text(fit: Fitted) -> str:
    """`print(fit)`."""
    head, call, *warning = _first_lines(fit)
    first = [f"{head}       {call}"] if len(head) + len(call) + 7 <= WIDE else [head, call]
    shown = {name: visible(value) for name, value in brief_facts(fit).items()}
    width = max(map(len, shown))
    lines = [f"{name:<{width}}  {value}" for name, value in shown.items()]
    table = visible_lines(_class_table(fit).to_string())
    return "\n".join([*first, *warning, "", table, "", *lines])


def html_text(fit: Fitted) -> str:
    """`print(fit)` in a notebook."""
    head = "<br>".join(html.escape(visible(line)) for line in _first_lines(fit))
    return f"<div>{head}{to_html((_class_table(fit), {}), brief_facts(fit))}</div>"


def _class_table(fit: Fitted) -> pd.DataFrame:
    """The classes side by side up to the width of a line, otherwise one below the other."""
    table = per_class(fit)
    wide = sum(2 + max(len(str(level)), 4) for level in table.index) > ACROSS
    return table if wide else table.T


def choices(validation: ErrorCurve) -> pd.DataFrame:
    """The rows of the best point, of the 1-SE rule and of `choose=`; `corrected` has their errors
    corrected for the choice.
    """
    rules = list(dict.fromkeys(["min", "1se", validation._problem.call.choose]))
    rows = validation.table.iloc[[validation._point_of(rule) for rule in rules]].set_axis(rules)
    rows["error"] = shown_error(validation, rows["error"])
    if len(validation.grid) > 1:
        found = [validation._correction(rule) for rule in rules]
        corrected = np.array([np.nan if e is None else e.value for e in found])
        rows.insert(
            rows.columns.get_loc("se") + 1, "corrected", shown_error(validation, corrected)
        )
    return rows.rename(columns={"error": shown_name(validation)})


def _head(validation: ErrorCurve) -> str:
    """The measure of the cross-validation, its rows, and the no-information error."""
    how, name, problem = count_folds(validation), shown_name(validation), validation._problem
    further = [
        f"{parameter} above {significant(e.last)}"
        for parameter, e in validation._extensions.items()
        if e.added
    ]
    points = f"{len(validation.table)} grid points" + (
        f" (extended with {', '.join(further)})" if further else ""
    )
    head = f"{problem.model.title}: {name} over {how}, {len(problem.frame)} observations"
    return f"{head}, {points}; no-information {name} {fixed(validation.no_information, 3)}"


def curve_said(validation: ErrorCurve) -> tuple[str, list[Any]]:
    """`print(validation)`."""
    warned = (worse_than_one_class(validation, validation._point_of()), costs_twice(validation))
    lines = [
        repr(validation._problem.call),
        _head(validation),
        *(f"Warning: {words}" for words in warned if words),
    ]
    return "\n".join(lines), [(choices(validation), NUMBERS)]


def summary(fit: Fitted) -> Summary:
    """Full summary of the fit, as a statsmodels Summary (text, HTML, LaTeX)."""
    # statsmodels takes 0.4 s that most fits do without
    from .sheets import Sheet, SheetSummary, sheet_of

    lines = {**facts(fit), "Training error": fixed(fit._training_error)}
    if names := columns_left(fit):
        lines["Columns left"] = ", ".join(names)
    out = [
        Sheet([[k, v] for k, v in lines.items()], repr(fit.call), aligns="ll"),
        sheet_of(by_class(fit), "Classes"),
    ]
    if "objective" in fit.rule.report:
        out.append(Sheet(objective_rows(fit.objective), "Objective", aligns="lr"))
    if "certificate" in fit.rule.report:
        head = ["class", "objective", "lower bound", "proof"]
        out.append(
            Sheet(certificate_rows(fit), f"Certificate: {fit.certificate}", head, aligns="lrrl")
        )
    features = fit.model.has("feature_table")
    if features or (len(fit.rule.prototypes) and not all_rows_serve(fit)):
        shown, title = (
            with_texts(fit, list_prototypes(fit)),
            "Features" if features else "Prototypes",
        )
        title += f" (the first {SHOWN} of {len(shown)})" if len(shown) > SHOWN else ""
        kept = [c for c in ("machine", "rule", "q", "r", "value") if c in shown]
        out.append(
            sheet_of((shown[kept] if features else shown.set_index("prototype")).head(SHOWN), title)
        )
    if "Separation" in lines:
        apart = separation(fit)
        more = f" (the first {SHOWN} of {len(apart)} variables)" if len(apart) > SHOWN else ""
        out.append(sheet_of(apart.head(SHOWN), f"Separation of the prototypes{more}"))
    return SheetSummary(out, notes(fit))


def by_class(fit: Fitted) -> pd.DataFrame:
    """Observations, prototypes and cross-validated (else training) error of each class: the
    weighted proportion misclassified.
    """
    table = per_class(fit)
    counts = count_confusion(fit)[0]
    name = "CV error" if fit._curve is not None else "training error"
    total = fit.frame.class_weights  # a row without a prediction is wrong
    table[name] = [
        fixed(1 - counts.iloc[k, k] / total[k]) if total[k] > 0 else "" for k in range(len(counts))
    ]
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
    columns = (
        [*map(str, fit.classes), "all"],
        *(
            [significant(value, 6) for value in [*values, values.sum()]]
            for values in (certificate.objective, certificate.bound)
        ),
        [*certificate.proof, ""],
    )
    return list(map(list, zip(*columns, strict=True)))


def notes(fit: Fitted) -> list[str]:
    """Notes for the reader."""
    return [
        *fit.frame.notes,
        *fit.dissimilarity.metric.notes,
        *_tied_notes(fit),
        *_certificate_notes(fit),
        *(fit.model.notes(fit._learned) if fit.model.has("notes") else []),
        *_validation_notes(fit),
        *_calibration_notes(fit),
    ]


def _tied_notes(fit: Fitted) -> list[str]:
    """Texts at the same distance from all classes, such as texts without letters in common with a prototype."""
    if not is_text(fit) or fit.frame.absent is not None or "distance" not in fit.rule.kinds:
        return []
    far = fit._predictions(None, "distance")
    tied = far.index[(far.max(axis=1) == far.min(axis=1)).to_numpy()]
    if not len(tied):
        return []
    which = first_of(list(map(brief, tied)))
    return [
        f"Rows at the same distance from all classes, which are predicted as the first class: {len(tied)} ({which})."
    ]


def _calibration_notes(fit: Fitted) -> list[str]:
    """The guarantee of prediction sets, and the classes with too few rows for it to be informative."""
    if fit._calibration is None:
        return []
    least = fit._calibration.smallest_level()
    few = [
        f"{c} (above level {a:.3g})" for c, a in zip(fit.classes, least, strict=True) if a < 0.95
    ]
    always = f"Classes with few calibration rows are in every set: {', '.join(few)}."
    return [fit._calibration.guarantee(), *([always] if few else [])]


def _certificate_notes(fit: Fitted) -> list[str]:
    if "certificate" not in fit.rule.report:
        return []
    of_class = zip(fit.classes, fit.certificate.notes, strict=False)
    return [f"Class {level}: {note}." for level, note in of_class if note]


def _validation_notes(fit: Fitted) -> list[str]:
    optimistic = f"The training error is optimistic: {fit._why_optimistic}"
    validation = fit._curve
    if validation is None:
        return [f"{optimistic}."]
    out = [f"Cross-validation: {note}." for note in validation._notes]
    if len(validation.grid.columns):
        how = f"Parameters of point {fit._selection.point}, selected manually"
        if fit._selection.rule in RULES:
            how = f"Parameters selected by the {rule_in_words(fit._selection, validation._measure_name)}"
        keeps = validation._limits.allowed
        kept = (
            ""
            if keeps is None
            else f", {keeps.sum()} of which satisfy max_prototypes={brief(fit.call.arguments['max_prototypes'])}"
        )
        out.append(f"{how} among {len(validation.table)} grid points{kept}.")
        out += tuned_on_the_same_folds(fit)
    out += at_the_end(fit)
    name = shown_name(validation)
    return [*out, f"{optimistic}. Use the cross-validated {name} to judge performance on new rows."]


def tuned_on_the_same_folds(fit: Fitted) -> list[str]:
    """Reason why the cross-validated error of a tuned fit is optimistic, and better estimates."""
    curve: Any = fit._curve
    name = shown_name(curve)
    if fit._selection.rule == "bound" or len(curve.grid) == 1:
        return []
    if fit._selection.by_hand:
        return [f"The CV {name} is optimistic if the point was selected by looking at the curve."]
    return [
        f"The CV {name} is optimistic because the parameters were tuned on the same folds. The "
        f"corrected {name} adjusts for this "
        "(bootstrap of the held-out predictions). For a full assessment, use nested "
        "cross-validation: compare(formula, data, "
        "[method], cv=10)."
    ]


def at_the_end(fit: Fitted) -> list[str]:
    """A note if the lowest error is at the largest value of a parameter that was tried."""
    grid, best, name = fit._curve.grid, fit._curve._choice.best, fit._curve._measure_name
    numeric = [c for c in grid if grid[c].nunique() > 2 and pd.api.types.is_numeric_dtype(grid[c])]
    ends = [
        (c, grid[c].iloc[best])
        for c in numeric
        if allowed(fit) != grid[c].iloc[best] == grid[c].max() < np.inf
    ]
    return [
        f"The lowest CV {name} is at the largest {c} tried, {significant(value)}: larger values may do better."
        for c, value in ends
    ]
