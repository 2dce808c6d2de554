"""`print` of a fit and of an error curve, as text and in a notebook, and the lines of print and summary on tuning and on classes."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.separation import separation, why_not_separated
from ..core.statistics.one_se import RULES, frontier, losses
from ..estimation.error_curve import (
    READ,
    ErrorCurve,
    Extension,
    costs_twice,
    mean_loss,
    row_weights,
    worse_than_one_class,
)
from ..estimation.fitted import Fitted
from ..ground.errors import brief, visible, visible_lines
from ..ground.options import SAME, fixed, significant, with_error
from ..ground.text import to_html
from ..metrics.measuring import texts_as_wholes
from ..metrics.wrappers import OneOf
from ..values import NUMBERS
from .words import all_rows_serve, count_folds


def choice_facts(fit: Fitted) -> dict[str, str]:
    """The lines of print on the grid and on fewer prototypes, if there is something to report."""
    if fit.curve is None or fit.selection.point is None or fit.selection.by_hand:
        return {}
    out = {"Grid": "; ".join([*_extended(fit, fit.curve.extensions), *_at_its_end(fit)])}
    out |= {"Fewer prototypes": _fewer(fit)}
    return {name: words for name, words in out.items() if words}


MANY, MOST_SHARE = 200, 1 / 3  # prototypes, and their proportion of the rows, from which on the printed fit shows smaller sizes
FEWER = (10, 20)  # divisors of the number of prototypes
MOST_LEARNED = 200_000_000  # rows times candidates times grid points up to which the printed fit computes smaller sizes


def _fewer(fit: Fitted) -> str:
    """Errors with fewer prototypes, if the 1-SE rule selects many; only at the grid points, if more fits would take long."""
    validation, size = fit.curve, len(fit.rule.prototypes)
    assert validation is not None
    few = not has_chosen(fit) or size <= min(MANY, MOST_SHARE * fit.nobs)
    if few or fit.selection.rule != "1se" or fit.model.can.counted in (False, "features"):
        return ""
    slow = fit.dissimilarity.metric.slow or fit.problem.train_in_folds or fit.problem.to_tune is not None
    if slow or np.prod([*fit.dissimilarity.shape, len(validation.grid)]) > MOST_LEARNED:
        points = frontier(validation.choice.error, validation.rule_sizes)
        sizes, error = validation.rule_sizes[points], validation.choice.error[points]
    else:
        sizes, error = fit.prices
    asked = [np.flatnonzero((sizes >= len(fit.classes)) & (sizes <= size / by)) for by in FEWER]
    costs = [(f"{sizes[g]:.0f}", fixed(error[g], 3)) for g in dict.fromkeys(found[-1] for found in asked if len(found))]
    if not costs:
        return "" if fit.model.within(fit.nobs) == fit.model else "max_prototypes= limits their number and selects the best such fit"
    (count, cost), *others = costs
    further = "".join(f", {fewer} with {more}" for fewer, more in others)
    return f"{count} with CV {validation.measure_name} {cost}{further}; set max_prototypes="


def _extended(fit: Fitted, extensions: Mapping[str, Extension]) -> list[str]:
    """How default grids were extended."""
    assert fit.curve is not None
    assert fit.selection.point is not None
    out = []
    for name, extension in extensions.items():
        ended = "" if extension.all_classes else "; with the next value a class has no prototypes"
        if extension.added:
            values = f"{extension.added} larger value{'s' if extension.added > 1 else ''} of {name}"
            largest = significant(fit.curve.of_metric(fit.selection.point).grid[name].max())
            out.append(f"extended by {values} (up to {largest}), because the largest was selected{ended}")
        else:
            out.append(f"not extended, although the largest {name}, {significant(extension.last)}, was selected{ended}")
    return out


def _at_its_end(fit: Fitted) -> list[str]:
    """The parameters with the largest of the user's own values selected, if larger ones may be better."""
    assert fit.curve is not None
    grid, values = fit.curve.grid, fit.selection.values
    own = [c for c in grid if not fit.problem.model.has_default_grid(c) and grid[c].dtype.kind in "iuf"]
    ends = [c for c in own if grid[c].nunique() > 1 and values[c] == grid[c].max() < np.inf and values[c] != allowed(fit)]
    return [f"the largest {c}, {significant(values[c])}, was selected: try larger values" for c in ends]


def allowed(fit: Fitted) -> int:
    """The most prototypes of all classes that `max_prototypes=` allows, 0 without it."""
    return fit.problem.budget or 0


LOOKED_AT = 2_000_000  # rows times prototypes up to which print predicts the training rows
NAMED = 5  # classes that a line names before it counts the others
LOWER = "a lower lambda_"


def class_facts(fit: Fitted) -> dict[str, str]:
    """The lines of print on class weights and on classes that are never predicted, if there is something to report."""
    given = fit.call.arguments.get("class_weights")
    chances = " and the probabilities; predict(new, loss=) then counts costs twice" if "prob" in fit.rule.kinds else ""
    but = chances if fit.calibration is None else ", but not the probabilities and sets"
    out = {} if given is None else {"Class weights": f"{brief(given)}, which also weight the errors{but}"}
    if fit.frame.absent is not None:
        return out
    none = fit.model.can.nearest and not len(fit.rule.prototypes)  # for other rules the method describes what this means
    out |= _no_prototypes(fit) if none else _never_predicted(fit)
    texts = texts_as_wholes(fit.frame, fit.dissimilarity.metric)
    if not texts:
        return out
    cause, cure = texts.rsplit(": ", 1)  # no other cure helps
    return {**out, "Cause": cause, "Try": cure}


def _no_prototypes(fit: Fitted) -> dict[str, str]:
    """Warning that a nearest-prototype rule has no prototypes."""
    heaviest = fit.frame.levels[fit.fitted_codes[0]]
    out = {"Prototypes": f"0, every row is predicted as the most common training class (by weight), {heaviest}"}
    return {**out, "Try": LOWER} if fit.model.can.costs else out


def _never_predicted(fit: Fitted) -> dict[str, str]:
    """Classes without prototypes, and those that no held-out (without these, training) row is predicted as."""
    prototypes = fit.rule.prototypes
    bare = np.zeros(len(fit.classes), bool)
    if fit.model.can.nearest:
        bare = np.bincount(prototypes.classes, minlength=len(bare)) == 0
    said = [f"{_named([str(c) for c, none in zip(fit.classes, bare, strict=True) if none])}: no prototypes"]
    said = said if bare.any() else []
    predicted, which = _predicted(fit)
    unseen = ~predicted & ~bare
    if unseen.any():
        counts = np.bincount(fit.frame.codes, minlength=len(bare))
        names = [f"{fit.classes[c]} ({100 * counts[c] / fit.nobs:.2g} % of the rows)" for c in np.flatnonzero(unseen)]
        said.append(f"{_named(names)}: not for any {which} row")
    if not said:
        return {}
    words = cures(fit, bare, unseen)
    return {"Never predicted": "; ".join(said), **({"Try": words} if words else {})}


def _named(classes: list[str]) -> str:
    more = f" and {len(classes) - NAMED} more" if len(classes) > NAMED else ""
    return ", ".join(classes[:NAMED]) + more


def _predicted(fit: Fitted) -> tuple[np.ndarray, str]:
    """Classes that are predicted for some rows, and the kind of these rows; all classes, if predicting would take long."""
    validation, count = fit.curve, len(fit.classes)
    if validation is not None and fit.selection.point is not None:
        codes = validation.predicted[:, :, fit.selection.point]
        return np.bincount(codes[codes >= 0], minlength=count) > 0, "held-out"
    if fit.nobs * len(fit.rule.prototypes) > LOOKED_AT or fit.dissimilarity.metric.slow:
        return np.ones(count, bool), ""
    return np.isin(np.arange(count), fit.fitted_codes), "training"  # a row without variables in common has no prediction


def cures(fit: Fitted, bare: np.ndarray, unseen: np.ndarray) -> str:
    """Remedies for classes that are never predicted.

    Parameters
    ----------
    fit : Fitted
    bare, unseen : bool arrays (classes,)
        Classes without prototypes, and others that are never predicted.
    """
    out = []
    if fit.curve is not None and fit.curve.measure == "error" and _balanced_helps(fit.curve, np.flatnonzero(bare | unseen)):
        out.append('measure="balanced" to tune')
    if bare.any() and fit.model.can.costs:
        out.append(LOWER)
    if fit.model.can.weights and fit.call.arguments.get("class_weights") is None:
        out.append('class_weights="balanced"')
    if unseen.any() and set(READ) & set(fit.rule.kinds):
        calibrate = "" if fit.calibration is not None else "calibrate=True and "
        out.append(f"{calibrate}predict(new, loss=) or predict(new, threshold=)")
    return ", or ".join(out)


def _balanced_helps(validation: ErrorCurve, classes: np.ndarray) -> bool:
    """Whether held-out rows are predicted as one of the classes at the grid point of the lowest balanced error."""
    problem = validation.problem
    lost = losses(validation.predicted, problem.frame.codes, 1.0 - np.eye(len(problem.frame.levels)))
    best = mean_loss(lost, row_weights(problem, "balanced")).argmin()
    return bool(np.isin(validation.predicted[:, :, best], classes).any())


ACROSS = 110  # characters of a line of classes side by side


def facts(fit: Fitted) -> dict[str, str]:
    """The lines of `print`, by name."""
    frame = fit.frame
    out = {"Method": fit.model.title, "Response": f"{frame.formula.response}, {len(frame.levels)} classes{_order_said(fit)}"}
    out["Observations"] = f"{fit.nobs}" + (f" ({len(fit.dropped)} dropped for missing values)" if len(fit.dropped) else "")
    if frame.notes:
        out["Note"] = "; ".join(frame.notes)
    if fit.call.arguments.get("candidates", "auto") == "auto" and isinstance(fit.problem.candidates, int):
        sample = f"{fit.problem.candidates:,} of {fit.nobs:,} rows, a random sample by class, because all would take long"
        out["Candidates"] = f"{sample} (candidates='train' uses all)"
    measures = fit.model.measures(fit.rule)
    if measures:
        out["Dissimilarity"] = described(fit)
    for name, value in fit.rule.report.items():
        if isinstance(value, (int, float, str)) and name not in SEARCH:
            out |= _reported(fit, name, value if isinstance(value, str) else significant(value))
    if names := columns_left(fit):
        more = f" and {len(names) - NAMES_LEFT} more (all in the summary)" if len(names) > NAMES_LEFT else ""
        out["Columns left"] = f"{', '.join(names[:NAMES_LEFT])}{more}"
    if "certificate" in fit.rule.report:
        out["Objective"] = f"{significant(fit.objective.value, 6)}, {fit.certificate}"
    if measures:
        count = len(fit.rule.prototypes)
        out["Prototypes"] = f"{count}{' (all rows)' * (count == fit.nobs)}{_budget(fit)}{_of_other_class(fit)}"
    out |= separation_facts(fit) | class_facts(fit)
    if fit.curve is not None and fit.selection.point is not None:
        out = warnings_of(fit) | out | validated(fit)  # warnings first
    else:
        out["CV error"] = error_said(fit)
    out |= choice_facts(fit)
    return out if fit.calibration is None else {**out, "Probabilities": fit.calibration.words()}


MOST_TERMS = 8  # of a printed score
LARGEST = 3  # shares that are printed


def separation_facts(fit: Fitted) -> dict[str, str]:
    """The variables that separate the prototypes most, and the score of two prototypes; nothing if no weights were learned."""
    count, weights = len(fit.rule.prototypes), fit.dissimilarity.metric.column_weights
    if (weights is None and count != 2) or count * len(fit.frame.schema) ** 2 > MOST_LEARNED or why_not_separated(fit):
        return {}
    table = separation(fit)
    sides: dict[str, list[str]] = {}  # a group for each direction
    for name, row in table.head(LARGEST).iterrows():
        side = f"higher in {row['higher']}: " if pd.notna(row["higher"]) else ""
        sides.setdefault(side, []).append(f"{name} {100 * row['share']:.0f} %")
    said = "; ".join(side + ", ".join(names) for side, names in sides.items())
    out = {"Separation": said + ", ..." * (len(table) > LARGEST)}
    if "coefficient" not in table:
        return out
    terms = [f"{'-' if value < 0 else '+'} {significant(abs(value), 6)} {name}" for name, value in table["coefficient"].items()]
    total = " ".join(terms).removeprefix("+ ") if len(terms) <= MOST_TERMS else "the sum of coefficient times variable"
    return {**out, "Score": f"{table.attrs['class']} if {total} > {significant(table.attrs['cut'], 6)}"}


SEARCH = ("cost", "swaps", "loss")  # of a report: how the prototypes were found, which the summary alone has
NAMES_LEFT = 10  # in print


def columns_left(fit: Fitted) -> list[str]:
    """The columns in which centroids that were shrunken to one another still differ, those that differ most first; none of other rules."""
    known, coords = fit.prototype_table, fit.rule.prototypes.coords
    if "columns" not in known or coords is None:
        return []
    table = fit.prototypes.iloc[:, known.shape[1] :]
    left = table.columns[table.ne(table.iloc[0]).any()].astype(str).tolist()
    apart = dict(zip(table.columns.astype(str), np.ptp(coords, axis=0).tolist(), strict=False))
    return sorted(left, key=lambda name: -apart.get(name, 0.0))


def _order_said(fit: Fitted) -> str:
    """What the order of the classes is used for, if they have one."""
    response, validation = fit.frame.response, fit.curve
    if response is None or not response.ordered or len(fit.classes) < 3:
        return ""
    used = validation is not None and validation.measure == "ordinal"
    return f" (ordered; {'only the error uses the order' if used else 'the order is not used'})"


SYMBOLS = ("eps", "lambda", "k", "K", "p", "C")  # of parameters, last in their names in a report


def _reported(fit: Fitted, name: str, value: str) -> dict[str, str]:
    """A line of a rule's report: the noun, its symbol and value, and how the value was selected."""
    noun, _, symbol = name.rpartition(" ")
    if symbol in SYMBOLS:
        noun, value = "prototype cost" if symbol == "lambda" else noun, f"{symbol} = {value}"
    else:
        noun = name
    validation, words = fit.curve, {*name.split(), f"{symbol}_"}
    if validation is not None and fit.selection.point is not None and not fit.selection.by_hand and words & {*validation.grid}:
        rule = RULES[fit.selection.rule].format(measure=validation.measure_name)
        value += f", selected by {count_folds(validation).replace(' folds', '-fold CV', 1)} ({rule})"
    return {noun[0].upper() + noun[1:]: value}


def _budget(fit: Fitted) -> str:
    """What `max_prototypes=` allows, of the prototypes."""
    most = fit.call.arguments.get("max_prototypes")
    return "" if most is None or fit.model.can.counted == "features" or fit.selection.by_hand else f" (at most {brief(most)})"


def _of_other_class(fit: Fitted) -> str:
    """Number of prototypes that are rows of another class than the one they represent, and how to exclude them."""
    count = int(fit.of_other_class.sum())
    cure = " (candidates='same_class' excludes them)" if "unlabelled" in fit.model.can.candidates else ""
    return f", {count} of them {'a row' if count == 1 else 'rows'} of another class{cure}" if count else ""


def has_chosen(fit: Fitted) -> bool:
    """Whether the prototypes were selected, and are not simply all rows, as in k-NN."""
    return not all_rows_serve(fit)


def validated(fit: Fitted) -> dict[str, str]:
    """The cross-validated error at the selected point, named after its measure, and corrected for the selection."""
    validation = fit.curve
    assert validation is not None
    assert fit.selection.point is not None
    row, name = validation.table.iloc[fit.selection.point], validation.measure_name
    how = count_folds(validation) + (", the same in each" if row["se"] <= SAME else "")
    none = f"no-information {name} {fixed(validation.no_information)}"
    out = {f"CV {name}": f"{with_error(row['error'], row['se'], how)}; {none}"}
    corrected = None if fit.selection.by_hand else validation.correction(fit.selection.rule)
    if corrected is not None:
        tuned = ", ".join(map(str, validation.grid))
        out[f"Corrected {name}"] = f"{fixed(corrected.value)} (adjusted for tuning {tuned} on the same folds)"
    return out


def warnings_of(fit: Fitted) -> dict[str, str]:
    """That the fit is worse than no information, and that its error counts costs twice."""
    validation = fit.curve
    assert validation is not None
    assert fit.selection.point is not None
    corrected = None if fit.selection.by_hand else validation.correction(fit.selection.rule)
    error = None if corrected is None else corrected.value
    worse = worse_than_one_class(validation, fit.selection.point, fit.rule.kinds, fit.calibration is not None, error)
    return {name: words for name, words in {"Warning": worse, "Costs": costs_twice(validation)}.items() if words}


def described(fit: Fitted) -> str:
    """The dissimilarity in words, and how it was chosen."""
    metric = fit.dissimilarity.metric
    scaled = f", {metric.scaling}" if metric.scaling else ""
    values, axes = fit.selection.values, fit.problem.metric_axes
    if isinstance(fit.problem.to_tune, OneOf):
        names = axes["dissimilarity"]
        return f"{metric.name}{scaled} (selected from {', '.join(names[:-1])} and {names[-1]})"
    chosen = ", ".join(f"{name} = {significant(values[name])}" for name in axes)
    return f"{metric.name}{scaled}{', tuned: ' * bool(axes)}{chosen}"


def per_class(fit: Fitted) -> pd.DataFrame:
    """Rows of each class, and prototypes if the rule uses dissimilarities."""
    levels = fit.frame.levels
    codes = pd.Series(fit.rule.prototypes.classes, dtype=int)
    chosen = codes.value_counts().reindex(range(len(levels)), fill_value=0)
    out = pd.DataFrame({"observations": fit.frame.class_counts, "prototypes": chosen.to_numpy()}, levels.rename("class"))
    return out if fit.model.measures(fit.rule) else out[["observations"]]


WIDE = 110  # characters of a line with the call at its end
LARGE = 1000  # rows from which errors are printed with three decimals
STRUCK = {"lambda", "cost", "swaps", "loss", "matrix", "local", "ridge", "K"}  # left to the summary unless given or tuned
KEPT = (
    "Note", "Separation", "Score", "Columns left", "Order", "Candidates", "Objective", "Class weights", "Warning", "Costs",
    "Never predicted", "Cause", "Try", "Probabilities",
)  # fmt: skip


def headline(fit: Fitted) -> str:
    """The method, its prototypes, the rows and the classes."""
    frame, q = fit.frame, len(fit.rule.prototypes)
    title, rest = fit.model.title.replace(" (greedy)", ""), f"{fit.nobs} observations"
    if len(fit.dropped):
        rest += f" ({len(fit.dropped)} dropped for missing values)"
    of = f"{q} prototypes{_budget(fit)}{_of_other_class(fit)} of " if fit.model.measures(fit.rule) and has_chosen(fit) else ""
    return f"{title}: {of}{rest}, {len(frame.levels)} classes{_order_said(fit)}"


def no_summary(fit: Fitted) -> str:
    """That the 1-SE rule keeps more than a third of the rows, with the error of fewer; "" if it does not."""
    validation, size = fit.curve, len(fit.rule.prototypes)
    counts = fit.model.can.counted not in (False, "features")
    if validation is None or fit.selection.rule != "1se" or not counts or size <= MOST_SHARE * fit.nobs:
        return ""
    fewer = _fewer(fit)
    return f"{size} of {fit.nobs} rows are prototypes, which is not a summary." + (f" Fewer: {fewer}" if fewer else "")


def error_said(fit: Fitted) -> str:
    """The error with its 95 % interval, how it was estimated, and the error of one class for all rows."""
    validation, point = (fit.curve, fit.selection.point) if fit.curve is not None else (fit.checked, 0)
    if isinstance(validation, str) or point is None:
        return validation if isinstance(validation, str) else "not cross-validated: cv=10"
    usual = 2 if fit.nobs < LARGE else 3
    corrected = None if fit.selection.by_hand or fit.curve is None else validation.correction(fit.selection.rule)
    error = float(validation.choice.error[point])
    if corrected is None:
        value, ends, how = error, tuple(validation.band().iloc[point][["low", "high"]]), "cross-validated"
    else:
        value, ends = corrected.value, (corrected.low, corrected.high)
        how = f"cross-validated {fixed(error, usual)}, corrected for tuning"
    interval = f" (95 % CI {fixed(max(0.0, ends[0]), usual)} to {fixed(ends[1], usual)})" if np.isfinite(ends).all() else ""
    constant = "most common class" if validation.measure == "error" else "one class for all rows"
    return f"{fixed(value, usual)}{interval}: {how}; {constant} {fixed(validation.no_information, usual)}"


def parameters_said(fit: Fitted) -> dict[str, str]:
    """The values of parameters that were tuned or given, and how they were selected."""
    out, tuned, validation = dict[str, str](), fit.problem.of_method(fit.selection.values), fit.curve
    named = {**fit.call.parameters, **tuned}
    for name, value in fit.rule.report.items():
        noun, _, symbol = name.rpartition(" ")
        key = next((k for k in (symbol, f"{symbol}_", noun, name.replace(" ", "_")) if k in named), "")
        if isinstance(value, (int, float, str)) and (key or (value and not {name, symbol} & STRUCK)):
            named.pop(key, None)
            noun = "prototype cost" if symbol == "lambda" else noun
            out[_capital(noun if symbol in SYMBOLS and noun else name)] = _with_rule(fit, key, value)
    if validation is not None:
        out |= {_capital(name): _with_rule(fit, name, value) for name, value in tuned.items() if name in named and name not in STRUCK}
    return out


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _with_rule(fit: Fitted, name: str, value: Any) -> str:
    """A value, and if it was selected from several, the rule and their number."""
    said, validation = value if isinstance(value, str) else significant(value), fit.curve
    said = ("no", "yes")[int(value)] if isinstance(value, (bool, np.bool_)) else said
    if validation is None or fit.selection.point is None or name not in validation.grid:
        return said
    curve = validation if fit.problem.to_tune is None else validation.of_metric(fit.selection.point)
    count = curve.grid[name].nunique()
    rule = "set by hand" if fit.selection.by_hand else RULES[fit.selection.rule].format(measure=validation.measure_name)
    return said if count < 2 else f"{said} ({rule}, {count} values)"


def brief_facts(fit: Fitted) -> dict[str, str]:
    """The lines of print below the table, by name: the error, parameters, distance, and anything that is wrong."""
    every, validation = facts(fit), fit.curve
    name = "Error" if validation is None else _capital(validation.measure_name)
    out = {name: error_said(fit), **parameters_said(fit)}
    if not len(fit.rule.prototypes) and "Prototypes" in every:
        out["Prototypes"] = every["Prototypes"]
    if "Dissimilarity" in every:
        out["Distance"] = every["Dissimilarity"]
    grid = dict[str, str]()
    if validation is not None and fit.selection.point is not None and not fit.selection.by_hand:
        own, chosen = validation.of_metric(fit.selection.point).grid, fit.selection.values
        last = {name: e for name, e in validation.extensions.items() if name in own and chosen[name] == own[name].max()}
        ended = {name: e for name, e in last.items() if not (e.added and e.all_classes)}
        grid["Grid"] = "; ".join([*_extended(fit, ended), *_at_its_end(fit)])
    return out | {line: words for line, words in {**grid, **{k: every[k] for k in KEPT if k in every}}.items() if words}


def _first_lines(fit: Fitted) -> list[str]:
    head, call = headline(fit), repr(fit.call)
    lines = [f"{head}       {call}"] if len(head) + len(call) + 7 <= WIDE else [head, call]
    return [*lines, *filter(None, [no_summary(fit)])]


def text(fit: Fitted) -> str:
    """`print(fit)`."""
    said = {name: visible(value) for name, value in brief_facts(fit).items()}
    width = max(map(len, said))
    lines = [f"{name:<{width}}  {value}" for name, value in said.items()]
    return "\n".join([*_first_lines(fit), "", visible_lines(_class_table(fit).to_string()), "", *lines])


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
    """The rows of the best point, of the 1-SE rule and of `choose=`; `corrected` has their errors corrected for the choice."""
    rules = list(dict.fromkeys(["min", "1se", validation.problem.call.choose]))
    rows = validation.table.iloc[[validation.point_of(rule) for rule in rules]].set_axis(rules)
    if len(validation.grid) > 1:
        corrected = [validation.correction(rule) for rule in rules]
        values = [np.nan if found is None else found.value for found in corrected]
        rows.insert(int(rows.columns.get_loc("se")) + 1, "corrected", values)
    return rows.rename(columns={"error": validation.measure_name})


def _head(validation: ErrorCurve) -> str:
    """The measure of the cross-validation, its rows, and the no-information error."""
    how, name, problem = count_folds(validation), validation.measure_name, validation.problem
    further = [f"{parameter} above {significant(e.last)}" for parameter, e in validation.extensions.items() if e.added]
    points = f"{len(validation.table)} grid points" + (f" (extended with {', '.join(further)})" if further else "")
    said = f"{problem.model.title}: {name} over {how}, {len(problem.frame)} observations"
    return f"{said}, {points}; no-information {name} {fixed(validation.no_information, 3)}"


def curve_said(validation: ErrorCurve) -> tuple[str, list[Any]]:
    """`print(validation)`."""
    warned = (worse_than_one_class(validation, validation.point_of()), costs_twice(validation))
    lines = [repr(validation.problem.call), _head(validation), *(f"Warning: {words}" for words in warned if words)]
    return "\n".join(lines), [(choices(validation), NUMBERS)]
