"""Sentences about fits and grid points, for print, summaries, plots and pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.statistics.intervals import Estimate
from ..core.statistics.one_se import RULES, frontier
from ..core.task import ASSIGNED, COVERED
from ..estimation.error_curve import CALIBRATED, ErrorCurve, Selection, mean_loss, row_weights
from ..estimation.fitted import Fitted
from ..ground.errors import brief, first_of
from ..ground.options import SAME, fixed, significant
from ..ground.text import write_number, write_value
from ..metrics.measuring import texts_as_wholes

# prototypes, and their proportion of the rows, from which on the printed fit shows smaller sizes
MANY, MOST_SHARE = 200, 1 / 3
FEWER = (10, 20)  # divisors of the number of prototypes
# rows times candidates times grid points up to which the printed fit computes smaller sizes
MOST_LEARNED = 200_000_000
MOST_PREDICTED = 2_000_000  # rows times prototypes up to which print predicts the training rows
LOWER = "a lower lambda_"


def count_confusion(fit: Fitted) -> tuple[pd.DataFrame, str]:
    """Weight of the rows by true and predicted class, and which rows: held out, if something was
    cross-validated, else training rows.
    """
    if fit._curve is not None:
        return fit._curve.confusion(fit._selection.point), "held-out rows"
    L, levels = len(fit.classes), fit.frame.levels
    table = np.bincount(fit.frame.codes * L + fit._fitted_codes, fit.frame.weights, L * L).reshape(
        L, L
    )
    return pd.DataFrame(table, levels, levels), "training rows"


def all_rows_serve(fit: Fitted) -> bool:
    """Whether every row is a prototype without having been chosen, as in k-NN."""
    prototypes = fit.rule.prototypes
    return (
        prototypes.at is not None
        and len(prototypes) == fit.nobs
        and not {*COVERED, *ASSIGNED} & set(prototypes.table)
    )


def list_shown(fit: Fitted) -> Array:
    """Places of the prototypes that a picture marks: the support objects if there are some, none if all rows serve."""
    support = fit.rule.prototypes.table.get("support")
    if support is not None:
        return np.flatnonzero(support)
    return np.empty(0, np.int64) if all_rows_serve(fit) else np.arange(len(fit.rule.prototypes))


def is_text(fit: Fitted) -> bool:
    """Whether the rows are texts, of which the metric compares the letters."""
    ((name, column), *others) = [*fit.frame.schema.items(), (None, None)]
    return (
        column is not None
        and column.kind == "category"
        and len(others) == 1
        and fit.dissimilarity.metric.unseen_in(name) == "measured"
    )


def shown_error(validation: ErrorCurve, error: Any) -> Any:
    """An error as print shows it: for "auc" the area, 0.5 without information, named by `shown_name`."""
    return 1 - error if validation.measure == "auc" else error


def shown_name(validation: Any) -> str:
    return validation._measure_name.removeprefix("1 - ")


def write_error(row: pd.Series) -> str:
    """The error of a grid point, with its standard error where there is one."""
    return f"{row['error']:.4f}" + (f" ± {row['se']:.4f}" if row["se"] > SAME else "")


def describe_prototypes(fit: Fitted) -> str:
    """The title of a plot of prototypes: how many there are, and the features of a rule in words."""
    prototypes = fit.rule.prototypes
    support = prototypes.table.get("support")
    if support is not None:
        return f"{int(support.sum())} support objects"
    if all_rows_serve(fit):
        return "all rows are prototypes"
    features, count = (
        len(list_features(fit)),
        f"{len(prototypes)} prototype{'' if len(prototypes) == 1 else 's'}",
    )
    if not features:
        return count
    return f"{features} feature{'' if features == 1 else 's'}{f', {count}' if len(prototypes) else ' in words'}"


def describe_balls(fit: Fitted, count: int, shapes: bool) -> str:
    """Description of the balls of the first `count` prototypes in a plot: their shapes, or lines to
    the rows in them.
    """
    radii = fit.rule.prototypes.radii
    if radii is None or not count:
        return ""
    same, few = np.ptp(radii) == 0, f" (the first {count})" if count < len(list_shown(fit)) else ""
    what = f"balls of {f'radius {radii[0]:.3g}' if same else 'individual radii'}{few}"
    if not shapes:
        what = f"lines to the rows in each\nball{f' of radius {radii[0]:.3g}' if same else ''}{few}"
    return what


def list_features(fit: Fitted) -> list[str]:
    """The features of a rule in words, in the order chosen; none where it has prototypes alone."""
    if not fit.model.has("feature_table"):
        return []
    table = fit.model.feature_table(fit._learned)
    names = (
        [f"{machine}: " for machine in table["machine"]]
        if "machine" in table
        else [""] * len(table)
    )
    return [f"{name}{words}" for name, words in zip(names, table["rule"], strict=True)]


def describe_axis(validation: ErrorCurve, parameter: str) -> str:
    """Name of a tuned parameter beside its axis."""
    return validation._problem.model.words.get(parameter, parameter)


def describe_point(validation: ErrorCurve, point: int) -> str:
    """The parameters of a grid point."""
    row = validation.grid.iloc[point]
    return (
        ", ".join(f"{k} = {write_value(row[k])}" for k in validation.grid)
        or validation._problem.model.title
    )


def name_choice(validation: ErrorCurve, point: int) -> str:
    """Whether a grid point has the lowest error and is the 1-SE choice; "" for other points."""
    choice = validation._choice
    lowest = [f"lowest {validation._measure_name}"] * (point == choice.best)
    return " and ".join([*lowest, *["1-SE choice"] * (point == choice.one_se)])


def describe_choice(validation: ErrorCurve, point: int) -> str:
    """A grid point with its error, and whether it is the best or the 1-SE choice."""
    row, which = validation.table.iloc[point], name_choice(validation, point)
    error = f"{validation._measure_name} {write_error(row)}{which and ', '}{which}"
    return f"{describe_point(validation, point)}: {error}. Size {row['size']:.4g}."


def describe_selection(validation: ErrorCurve, point: int | None) -> str:
    """A grid point (default: the selected one), its rule, size and error: the title of the curve."""
    point, measure = validation._point(point), validation._measure_name
    row = validation.table.iloc[point]
    error = f"{measure} {write_rate(row['error'], measure)}" + (
        f" (SE {write_rate(row['se'], measure)})" if row["se"] > SAME else ""
    )
    rule = rule_in_words(validation._select(point), measure)
    return f"{describe_point(validation, point)} ({rule}): mean size {row['size']:.0f}, {error}"


def write_rate(value: float, measure: str = "error") -> str:
    """An error as a percentage with one decimal; another measure as a number.

    Examples
    --------
    >>> write_rate(0.0247), write_rate(0.0247, "loss")
    ('2.5 %', '0.0247')
    """
    return f"{100 * value:.1f} %" if "error" in measure else write_number(value)


def name_sizes(validation: ErrorCurve) -> str:
    """Units of the sizes of the fitted models: "prototypes" or "features"; "size" if they are neither."""
    counted = validation._problem.model.can.counted
    return "features" if counted == "features" else "prototypes" if counted else "size"


def list_facts(validation: ErrorCurve, point: int) -> list[tuple[str, str]]:
    """Facts about a grid point, by name."""
    row = validation.table.iloc[point]
    out = [(describe_axis(validation, k), write_value(row[k])) for k in validation.grid]
    out.append(
        (f"held-out {validation._measure_name}, {count_folds(validation)}", write_error(row))
    )
    if "cover_error" in row:
        out.append(("cover error", f"{row['cover_error']:.4f}"))
    if "bound" in row:
        out.append(("bound from training rows", f"{row['bound']:.4f}"))
    out.append((f"no-information {validation._measure_name}", f"{validation.no_information:.4f}"))
    out.append(("size, mean over folds", f"{row['size']:.4g}"))
    return out


def count_folds(validation: ErrorCurve) -> str:
    """The folds, and how often they were drawn."""
    repeats = len(validation._of_fold)
    return f"{int(validation._of_fold.max()) + 1} folds" + (
        f" x {repeats} repeats" if repeats > 1 else ""
    )


def selecting_curve(fit: Fitted) -> ErrorCurve | None:
    """The cross-validation whose rule selected the parameters of the fit; None without one."""
    return (
        None
        if fit._curve is None or fit._selection.point is None or fit._selection.by_hand
        else fit._curve
    )


def corrected_error(fit: Fitted) -> Estimate | None:
    """The cross-validated error, corrected for the selection; None if nothing was selected by a rule."""
    curve = selecting_curve(fit)
    return None if curve is None else curve._correction(fit._selection.rule)


def rule_in_words(selection: Selection, measure: str) -> str:
    """The rule that selected the parameters."""
    return RULES.get(selection.rule, "set by hand").format(measure=measure)


def describe_fewer(fit: Fitted, curve: ErrorCurve) -> str:
    """Errors with fewer prototypes, if the 1-SE rule selects many; only at the grid points, if more
    fits would take long.
    """
    size, counted = len(fit.rule.prototypes), fit.model.can.counted not in (False, "features")
    many = not all_rows_serve(fit) and size > min(MANY, MOST_SHARE * fit.nobs)
    if not (many and counted and fit._selection.rule == "1se"):
        return ""
    slow = (
        fit.dissimilarity.metric.slow
        or fit._problem.train_in_folds
        or fit._problem.to_tune is not None
    )
    if slow or np.prod([*fit.dissimilarity.shape, len(curve.grid)]) > MOST_LEARNED:
        points = frontier(curve._choice.error, curve._rule_sizes)
        sizes, error = curve._rule_sizes[points], curve._choice.error[points]
    else:
        sizes, error = fit._prices
    smaller = [np.flatnonzero((sizes >= len(fit.classes)) & (sizes <= size / by)) for by in FEWER]
    costs = [
        (f"{sizes[g]:.0f}", fixed(error[g], 3))
        for g in dict.fromkeys(found[-1] for found in smaller if len(found))
    ]
    if not costs:
        return (
            ""
            if fit.model.within(fit.nobs) == fit.model
            else "max_prototypes= limits their number and selects the best such fit"
        )
    (count, cost), *others = costs
    further = "".join(f", {fewer} with {more}" for fewer, more in others)
    return f"{count} with CV {curve._measure_name} {cost}{further}; set max_prototypes="


def describe_grid(fit: Fitted, curve: ErrorCurve, unfinished: bool = False) -> str:
    """Extensions of default grids, and the largest of the user's own values if they were selected.

    `unfinished`: only extensions of a parameter whose largest value was selected and that could not
    go on.
    """
    point: Any = fit._selection.point
    grid, values, out = curve._of_metric(point).grid, fit._selection.values, []
    for name, extension in curve._extensions.items():
        finished = extension.added and extension.all_classes
        if unfinished and (finished or name not in grid or values[name] != grid[name].max()):
            continue
        ended = "" if extension.all_classes else "; with the next value a class has no prototypes"
        if extension.added:
            added = f"{extension.added} larger value{'s' if extension.added > 1 else ''} of {name}"
            out.append(
                f"extended by {added} (up to {significant(grid[name].max())}), because the largest was selected{ended}"
            )
        else:
            out.append(
                f"not extended, although the largest {name}, {significant(extension.last)}, was selected{ended}"
            )
    grid = curve.grid
    given = [
        c
        for c in grid
        if not fit._problem.model.has_default_grid(c)
        and grid[c].dtype.kind in "iuf"
        and grid[c].nunique() > 1
    ]
    ends = [c for c in given if values[c] == grid[c].max() < np.inf and values[c] != allowed(fit)]
    return "; ".join(
        [
            *out,
            *(
                f"the largest {c}, {significant(values[c])}, was selected: try larger values"
                for c in ends
            ),
        ]
    )


def allowed(fit: Fitted) -> int:
    """Maximum number of prototypes of all classes that `max_prototypes=` allows, 0 without it."""
    return fit._problem.budget or 0


def class_facts(fit: Fitted) -> dict[str, str]:
    """The lines of print on class weights and on classes that are never predicted, if there is something to report."""
    given = fit.call.arguments["class_weights"]
    also = (
        " and the probabilities; predict(new, loss=) then counts costs twice"
        if "prob" in fit.rule.kinds
        else ""
    )
    also = also if fit._calibration is None else ", but not the probabilities and sets"
    out = (
        {}
        if given is None
        else {"Class weights": f"{brief(given)}, which also weight the errors{also}"}
    )
    if fit.frame.absent is not None:
        return out
    # for other rules the method describes what this means
    none = fit.model.can.nearest and not len(fit.rule.prototypes)
    out |= _no_prototypes(fit) if none else _never_predicted(fit)
    texts = texts_as_wholes(fit.frame, fit.dissimilarity.metric)
    if not texts:
        return out
    cause, cure = texts.rsplit(": ", 1)  # no other cure helps
    return {**out, "Cause": cause, "Try": cure}


def _no_prototypes(fit: Fitted) -> dict[str, str]:
    """Warning that a nearest-prototype rule has no prototypes."""
    heaviest = fit.frame.levels[fit._fitted_codes[0]]
    out = {
        "Prototypes": f"0, every row is predicted as the most common training class (by weight), {heaviest}"
    }
    return {**out, "Try": LOWER} if fit.model.can.costs else out


def _never_predicted(fit: Fitted) -> dict[str, str]:
    """Classes without prototypes, and those that no held-out (without these, training) row is predicted as."""
    prototypes = fit.rule.prototypes
    bare = np.zeros(len(fit.classes), bool)
    if fit.model.can.nearest:
        bare = np.bincount(prototypes.classes, minlength=len(bare)) == 0
    parts = (
        [f"{first_of([str(fit.classes[c]) for c in np.flatnonzero(bare)])}: no prototypes"]
        if bare.any()
        else []
    )
    predicted, kind = _predicted(fit)
    unseen = ~predicted & ~bare
    if unseen.any():
        percent = 100 * np.bincount(fit.frame.codes, minlength=len(bare)) / fit.nobs
        names = [
            f"{fit.classes[c]} ({percent[c]:.2g} % of the rows)" for c in np.flatnonzero(unseen)
        ]
        parts.append(f"{first_of(names)}: not for any {kind} row")
    if not parts:
        return {}
    words = cures(fit, bare, unseen)
    return {"Never predicted": "; ".join(parts), **({"Try": words} if words else {})}


def _predicted(fit: Fitted) -> tuple[Array, str]:
    """Classes that are predicted for some rows, and the kind of these rows; all classes, if
    predicting would take long.
    """
    validation, count = fit._curve, len(fit.classes)
    if validation is not None and fit._selection.point is not None:
        codes = validation._predicted[:, :, fit._selection.point]
        return np.bincount(codes[codes >= 0], minlength=count) > 0, "held-out"
    if fit.nobs * len(fit.rule.prototypes) > MOST_PREDICTED or fit.dissimilarity.metric.slow:
        return np.ones(count, bool), ""
    # a row without variables in common has no prediction
    return np.isin(np.arange(count), fit._fitted_codes), "training"


def cures(fit: Fitted, bare: Array, unseen: Array) -> str:
    """Remedies for classes that are never predicted.

    Parameters
    ----------
    fit : Fitted
    bare, unseen : bool arrays (classes,)
        Classes without prototypes, and others that are never predicted.
    """
    out = []
    if (
        fit._curve is not None
        and fit._curve.measure == "error"
        and _balanced_helps(fit._curve, np.flatnonzero(bare | unseen))
    ):
        out.append('measure="balanced" to tune')
    if bare.any() and fit.model.can.costs:
        out.append(LOWER)
    if fit.model.can.weights and fit.call.arguments["class_weights"] is None:
        out.append('class_weights="balanced"')
    if unseen.any() and set(CALIBRATED) & set(fit.rule.kinds):
        calibrate = "" if fit._calibration is not None else "calibrate=True and "
        out.append(f"{calibrate}predict(new, loss=) or predict(new, threshold=)")
    return ", or ".join(out)


def _balanced_helps(validation: ErrorCurve, classes: Array) -> bool:
    """Whether held-out rows are predicted as one of the classes at the grid point of the lowest balanced error."""
    weights = row_weights(validation._problem, "balanced")
    best = mean_loss(validation._lost, weights).argmin()
    return bool(np.isin(validation._predicted[:, :, best], classes).any())
