"""The words on plots and pages: names of measures, and sentences about fits and grid points."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..core.task import ASSIGNED, COVERED
from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..ground.options import SAME
from ..ground.text import write_number, write_value


def count_confusion(fit: Fitted) -> tuple[pd.DataFrame, str]:
    """Weight of the rows by true and predicted class, and which rows: held out, if something was cross-validated, else training rows."""
    if fit.curve is not None:
        return fit.curve.confusion(fit.point), "held-out rows"
    L, levels = len(fit.classes), fit.frame.levels
    table = np.bincount(fit.frame.codes * L + fit.fitted_codes, fit.frame.weights, L * L).reshape(L, L)
    return pd.DataFrame(table, levels, levels), "training rows"


def all_rows_serve(fit: Fitted) -> bool:
    """Whether every row is a prototype without having been chosen, as in k-NN."""
    prototypes = fit.rule.prototypes
    return prototypes.at is not None and len(prototypes) == fit.nobs and not {*COVERED, *ASSIGNED} & set(prototypes.table)


def list_shown(fit: Fitted) -> np.ndarray:
    """Places of the prototypes that a picture marks: the support objects where there are such, none where all rows serve."""
    support = fit.rule.prototypes.table.get("support")
    if support is not None:
        return np.flatnonzero(support)
    return np.empty(0, np.int64) if all_rows_serve(fit) else np.arange(len(fit.rule.prototypes))


def is_text(fit: Fitted) -> bool:
    """Whether the rows are texts, of which the metric compares the letters."""
    ((name, column), *others) = [*fit.frame.schema.items(), (None, None)]
    return column is not None and column.kind == "category" and len(others) == 1 and fit.dissimilarity.metric.unseen_in(name) == "measured"


MEASURES = {
    "error": "cross-validated error",
    "balanced": "cross-validated balanced error (mean over classes)",
    "ordinal": "cross-validated ordinal error (mean distance in levels)",
    "loss": "cross-validated loss",
}


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
    features, count = len(list_features(fit)), f"{len(prototypes)} prototype{'' if len(prototypes) == 1 else 's'}"
    if not features:
        return count
    return f"{features} feature{'' if features == 1 else 's'}{f', {count}' if len(prototypes) else ' in words'}"


def describe_balls(fit: Fitted, count: int, shapes: bool) -> str:
    """What a plot shows of the balls of the first `count` prototypes: their shapes, or lines to the rows in them."""
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
    table = fit.model.feature_table(fit.learned)
    names = [f"{machine}: " for machine in table["machine"]] if "machine" in table else [""] * len(table)
    return [f"{name}{words}" for name, words in zip(names, table["rule"], strict=True)]


def describe_axis(validation: ErrorCurve, parameter: str) -> str:
    """What a tuned parameter is called beside its axis."""
    return validation.problem.model.words.get(parameter, parameter)


def describe_point(validation: ErrorCurve, point: int) -> str:
    """The parameters of a grid point."""
    row = validation.grid.iloc[point]
    return ", ".join(f"{k} = {write_value(row[k])}" for k in validation.grid) or validation.problem.model.title


def describe_choice(validation: ErrorCurve, point: int) -> str:
    """A grid point with its error, and whether it is the best or the 1-SE choice."""
    names = ((validation.best, f"the least {validation.measure_name}"), (validation.one_se, "the 1-SE choice"))
    marks = [name for at, name in names if at == point]
    which = f", {' and '.join(marks)}" if marks else ""
    error = write_error(validation.table.iloc[point])
    return f"{describe_point(validation, point)}: {validation.measure_name} {error}{which}."


def describe_selection(validation: ErrorCurve) -> str:
    """The selection of the 1-SE rule, its size and its error: the title of the error curve."""
    row, measure = validation.table.iloc[validation.one_se], validation.measure_name
    error = f"{measure} {write_rate(row['error'], measure)}" + (f" (SE {write_rate(row['se'], measure)})" if row["se"] > SAME else "")
    return f"1-SE choice: {describe_point(validation, validation.one_se)}; mean size {row['size']:.0f}, {error}"


def write_rate(value: float, measure: str = "error") -> str:
    """An error as a percentage with one decimal; a loss as a number.

    Examples
    --------
    >>> write_rate(0.0247), write_rate(0.0247, "loss")
    ('2.5 %', '0.0247')
    """
    return write_number(value) if measure == "loss" else f"{100 * value:.1f} %"


def name_sizes(validation: ErrorCurve) -> str:
    """What the sizes of the fitted models count: "prototypes" or "features"; "size" if they count neither."""
    counted = validation.problem.model.can.counted
    return "features" if counted == "features" else "prototypes" if counted else "size"


def list_facts(validation: ErrorCurve, point: int) -> list[tuple[str, str]]:
    """What is known of a grid point, by name."""
    row = validation.table.iloc[point]
    out = [(describe_axis(validation, k), write_value(row[k])) for k in validation.grid]
    out.append((f"held-out {validation.measure_name}, {count_folds(validation)}", write_error(row)))
    if "cover_error" in row:
        out.append(("cover error", f"{row['cover_error']:.4f}"))
    if "bound" in row:
        out.append(("bound from training rows", f"{row['bound']:.4f}"))
    out.append((f"no-information {validation.measure_name}", f"{validation.no_information:.4f}"))
    out.append(("size, mean over folds", f"{row['size']:.4g}"))
    return out


def count_folds(validation: ErrorCurve) -> str:
    """The folds, and how often they were drawn."""
    repeats = len(validation.of_fold)
    return f"{int(validation.of_fold.max()) + 1} folds" + (f" x {repeats} repeats" if repeats > 1 else "")
