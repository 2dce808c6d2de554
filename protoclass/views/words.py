"""The words of pictures and pages: names of parameters and of measures, and sentences about fits and grid points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import shown
from ..estimation.fit import Fit
from ..estimation.validation import Validation
from ..settings import SAME
from .coverage import Coverage
from .prototypes import all_rows_serve, list_names, list_shown

PARAMETERS = {
    "eps": "radius eps of the balls",
    "lambda_": "cost lambda of a prototype",
    "radii": "radii of the balls",
    "k": "neighbours k",
    "K": "prototypes for each class, K",
    "penalty": "penalty p of an error on P",
    "stop": "features at most",
    "kind": "kind of machine",
    "threshold": "threshold of the centroids (standard errors)",
    "gamma": "gamma of the similarities",
}
MEASURES = {
    "error": "cross-validated error (share)",
    "balanced": "cross-validated balanced error (mean over classes)",
    "ordinal": "cross-validated ordinal error (mean distance in levels)",
    "loss": "cross-validated loss",
}


def write_number(value: float) -> str:
    """A number for a label: three digits, an integer without decimals.

    Examples
    --------
    >>> write_number(0.12345), write_number(1234.5), write_number(3.0)
    ('0.123', '1234', '3')
    """
    if value == float("inf"):
        return "inf"
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
    return value if isinstance(value, str) else write_number(float(value))


def write_error(row: pd.Series) -> str:
    """The error of a grid point, with its standard error where there is one."""
    return f"{row['error']:.4f}" + (f" ± {row['se']:.4f}" if row["se"] > SAME else "")


def write_rows(count: int) -> str:
    return f"{count} row{'' if count == 1 else 's'}"


def describe_prototypes(fit: Fit) -> str:
    """The title of a picture of prototypes: how many there are, and the features of a rule that is said in words."""
    prototypes = fit.rule.prototypes
    support = prototypes.table.get("support")
    if support is not None:
        return f"{int(support.sum())} support objects"
    if all_rows_serve(fit):
        return "all rows serve"
    features, count = count_features(fit), f"{len(prototypes)} prototype{'' if len(prototypes) == 1 else 's'}"
    if not features:
        return count
    return f"{features} feature{'' if features == 1 else 's'}{f', {count}' if len(prototypes) else ' in words'}"


def describe_balls(fit: Fit, count: int, shapes: bool) -> str:
    """What a picture draws of the balls of the first `count` prototypes: their shapes, or lines to the rows in them."""
    radii = fit.rule.prototypes.radii
    if radii is None or not count:
        return ""
    same, few = np.ptp(radii) == 0, f" (the first {count})" if count < len(list_shown(fit)) else ""
    what = f"balls of {f'radius {radii[0]:.3g}' if same else 'their own radii'}{few}"
    if not shapes:
        what = f"lines to the rows within {f'radius {radii[0]:.3g}' if same else 'the radius'} of each{few}"
    return what


def count_features(fit: Fit) -> int:
    """Number of features in words; 0 where a rule has prototypes alone."""
    return len(fit.model.feature_table(fit.learned)) if fit.model.has("feature_table") else 0


def describe_fit(fit: Fit, coverage: Coverage) -> str:
    """A fit in a sentence or two."""
    frame, count, rule = fit.frame, len(list_shown(fit)), fit.rule
    n = fit.nobs
    what = describe_prototypes(fit)
    what = "All rows serve as prototypes" if len(rule.prototypes) and not count else what
    radius = [
        f"{name} = {value:.4g}" for name, value in fit.parameters().items() if name == "eps" and value is not None
    ]
    words = f"{', '.join([*radius, what])}. "
    if coverage.first is not None and coverage.wrong is not None:
        held, wrong = int((coverage.first >= 0).sum()), int((coverage.wrong > 0).sum())
        words += f"{held} of {n} rows lie in a ball of their class, {wrong} in one of another. "
    share = float(frame.weights @ (coverage.fitted != frame.codes) / frame.weights.sum())
    words += f"Training error {share:.4f} (optimistic: {fit.why_optimistic})"
    if fit.validation is not None and fit.point is not None:
        words += f"; held-out {fit.validation.measure_name} {write_error(fit.validation.table.iloc[fit.point])}"
    return f"{words}."


def describe_picture(fit: Fit, axes: tuple[str, str] | None, words: str, class_: Any, chosen: str) -> str:
    """A picture of rows and prototypes for those who do not see it.

    Parameters
    ----------
    fit : Fit
    axes : (str, str), or None
        Two predictors, None for a map.
    words : str
        About the fit.
    class_ : class, or None
        The one that stands out.
    chosen : str
        The title of what is ringed, "" for nothing.
    """
    where = "a map of the dissimilarities" if axes is None else f"the plane of {axes[0]} and {axes[1]}"
    ringed = f" Ringed: {chosen}." if chosen else ""
    only = "" if class_ is None else f" Class {class_} stands out."
    return f"{fit.nobs} rows and their prototypes on {where}. {words}{only}{ringed}"


def describe_point(validation: Validation, point: int) -> str:
    """The parameters of a grid point."""
    row = validation.grid.iloc[point]
    return ", ".join(f"{k} = {write_value(row[k])}" for k in validation.grid) or validation.problem.model.title


def describe_choice(validation: Validation, point: int) -> str:
    """A grid point with its error, and whether it is the best or the 1-SE choice."""
    names = ((validation.best, f"the least {validation.measure_name}"), (validation.one_se, "the 1-SE choice"))
    marks = [name for at, name in names if at == point]
    which = f", {' and '.join(marks)}" if marks else ""
    error = write_error(validation.table.iloc[point])
    return f"{describe_point(validation, point)}: {validation.measure_name} {error}{which}."


def describe_selection(validation: Validation) -> str:
    """What cross-validation chose, in words: the title of its picture."""
    best, choice, name = validation.best, validation.one_se, validation.measure_name
    row = validation.table.iloc[choice]
    error = f"{name} {write_number(row['error'])}" + (f" +- {write_number(row['se'])}" if row["se"] > SAME else "")
    words = f"{describe_point(validation, choice)}: {error}, size {write_number(round(float(row['size']), 1))}"
    if best == choice:
        return f"Least {name} and 1-SE choice\n{words}"
    return f"The simplest within 1 SE of the least {name} ({write_number(validation.table['error'].iloc[best])})\n{words}"


def list_facts(validation: Validation, point: int, counts: str) -> list[tuple[str, str]]:
    """What is known of a grid point, by name; `counts` are the prototypes of the fit on all rows, in words."""
    row = validation.table.iloc[point]
    out = [(PARAMETERS.get(str(k), str(k)), write_value(row[k])) for k in validation.grid]
    repeats = f" x {len(validation.of_fold)} repeats" if len(validation.of_fold) > 1 else ""
    folds = int(validation.of_fold.max()) + 1
    out.append((f"held-out {validation.measure_name}, {folds} folds{repeats}", write_error(row)))
    if "cover_error" in row:
        out.append(("cover error", f"{row['cover_error']:.4f}"))
    if "bound" in row:
        out.append(("bound from training rows", f"{row['bound']:.4f}"))
    out.append((f"no-information {validation.measure_name}", f"{validation.no_information:.4f}"))
    out.append(("size, mean over folds", f"{row['size']:.4g}"))
    out.append(("fit on all rows: prototypes", counts))
    return out


def describe_counts(fit: Fit | None) -> str:
    """Prototypes of each class; the folds' own were not kept, so that a fit on all rows has to be at hand."""
    if fit is None:
        return "press Use this to count them"
    if all_rows_serve(fit):
        return "all rows serve"
    counts = np.bincount(np.asarray(fit.rule.prototypes.classes, np.int64), minlength=len(fit.classes))
    return ", ".join(f"{level}: {count}" for level, count in zip(fit.classes, counts, strict=True))


def describe_curve(validation: Validation, axes: tuple[str, ...], point: int) -> str:
    """The picture of a cross-validation for those who do not see it."""
    what = " and ".join(PARAMETERS.get(k, k) for k in axes) or validation.problem.model.title
    kind = "Heat map" if len(axes) == 2 else "Curve"
    best, choice, here = (
        f"{describe_point(validation, g)} with {write_error(validation.table.iloc[g])}"
        for g in (validation.best, validation.one_se, point)
    )
    return (
        f"{kind} of the cross-validated {validation.measure_name} over {what}, {len(validation.table)} grid points. Least: {best}. "
        f"1-SE choice: {choice}. Ringed, the chosen point: {here}."
    )


def list_prototypes(fit: Fit, which: np.ndarray) -> list[str]:
    """A line for each of some prototypes: place, name, class, and the rows that it covers first."""
    prototypes, names = fit.rule.prototypes, list_names(fit)[which]
    covers = prototypes.table.get("covers")
    return [
        f"{k + 1}. {name}: {fit.classes[prototypes.classes[k]]}" + ("" if covers is None else f" ({covers[k]:g})")
        for k, name in zip(which.tolist(), names, strict=True)
    ]


def describe_list(fit: Fit, count: int, most: int) -> str:
    """The head of a list of `count` prototypes, of which at most so many are listed."""
    if not count:
        return "No prototypes to choose"
    order = ", in the order chosen" if fit.rule.prototypes.at is not None else ""
    words = f"{count} prototypes{order}" + (f"; the first {most} are listed" if count > most else "")
    return words + (" (rows first covered)" if "covers" in fit.rule.prototypes.table else "")


def write_field(value: Any, most: int = 160) -> str:
    """The value of a predictor for a page; of a long text the beginning."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} letters)"


def write_name(name: Any) -> str:
    """The name of a row or prototype; nothing for none."""
    return "" if name is None else shown(name)
