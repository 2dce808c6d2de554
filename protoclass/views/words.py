"""The words on plots and pages: names of measures, and sentences about fits and grid points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..ground.options import SAME
from .prototypes import all_rows_serve, list_shown

MEASURES = {
    "error": "cross-validated error",
    "balanced": "cross-validated balanced error (mean over classes)",
    "ordinal": "cross-validated ordinal error (mean distance in levels)",
    "loss": "cross-validated loss",
}


def write_number(value: float) -> str:
    """A number for a label: three digits, an integer without decimals.

    Examples
    --------
    >>> write_number(0.12345), write_number(1234.5), write_number(3.0), write_number(float("nan"))
    ('0.123', '1234', '3', '-')
    """
    if value == float("inf") or value != value:
        return "inf" if value > 0 else "-"
    return f"{value:.0f}" if value >= 100 or value == round(value) else f"{value:.3g}"


def write_share(value: float) -> str:
    """A share for a cell of a table: two decimals, a dash where there is none.

    Examples
    --------
    >>> write_share(0.996), write_share(0.9999), write_share(1.0), write_share(float("nan"))
    ('0.996', '0.9999', '1', '-')
    """
    if value != value:
        return "-"
    short = next(text for text in (f"{value:.{k}f}" for k in range(2, 16)) if value in (0.0, 1.0) or 0 < float(text) < 1)
    return f"{value:.0f}" if value in (0.0, 1.0) else short


def write_value(value: Any) -> str:
    """The value of a parameter for a label."""
    return str(value) if isinstance(value, (str, bool, np.bool_)) else write_number(float(value))


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
        what = f"lines to the rows in each ball{f' of radius {radii[0]:.3g}' if same else ''}{few}"
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
    """The selection of the 1-SE rule, in words: the title of the error curve."""
    best, choice, name = validation.best, validation.one_se, validation.measure_name
    row = validation.table.iloc[choice]
    error = f"{name} {write_number(row['error'])}" + (f" (SE {write_number(row['se'])})" if row["se"] > SAME else "")
    mean = write_mean(validation, write_number(round(float(row["size"]), 1)))
    words = f"{describe_point(validation, choice)}: {error}, {mean}"
    if best == choice:
        return f"Minimum {name} and 1-SE choice\n{words}"
    return f"Simplest model within 1 SE of the minimum {name} ({write_number(validation.table['error'].iloc[best])})\n{words}"


def name_sizes(validation: ErrorCurve) -> str:
    """What the sizes of the fitted models count: "prototypes" or "features"; "size" if they count neither."""
    counted = validation.problem.model.can.counted
    return "features" if counted == "features" else "prototypes" if counted else "size"


def write_mean(validation: ErrorCurve, size: str) -> str:
    """A mean size over folds with its noun."""
    noun = name_sizes(validation)
    return f"mean size {size}" if noun == "size" else f"{size} {noun} per fold on average"


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


def write_field(value: Any, most: int = 160) -> str:
    """The value of a predictor for a page; of a long text the beginning."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} letters)"
