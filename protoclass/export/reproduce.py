"""The call of a fit, run again on the data, and compared with the fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from ..estimation.error_curve import Selection
from ..estimation.problem import Call
from ..frames.tables import as_pandas
from ..ground.errors import brief, printed, shown
from ..values import public
from .saving.classes import written

# relative difference up to which floats agree: BLAS rounds differently on other computers
TOLERANCE = 1e-9
# spelling, unused columns, and the name of a file
NOT_COMPARED = ("Formula.text", "Formula.columns", "Given.origin")
SHOWN = 3  # differences of a part that are printed


@public
@dataclass(frozen=True)
class Reproduction:
    """Result of `Fit.reproduce`: true if everything is the same.

    Attributes
    ----------
    parts : mapping of str to str
        The parts that were compared, in words.
    differences : mapping of str to str
        The parts that differ, with the first differences.
    """

    parts: Mapping[str, str]
    differences: Mapping[str, str]

    def __bool__(self) -> bool:
        return not self.differences

    @printed
    def __repr__(self) -> str:
        lines = (
            (name in self.differences, name, self.differences.get(name, known))
            for name, known in self.parts.items()
        )
        return "\n".join(
            f"{'DIFFERENT' if differs else 'same':11}{name}{words and ': '}{words}"
            for differs, name, words in lines
        )


def reproduce(fit: Any, data: Any, **arguments: Any) -> Reproduction:
    """Run the call of the fit again on its data, with its seed, and compare the results.

    Use it to check a file against data that you have from another source.

    Parameters
    ----------
    data : DataFrame, or path or lazy table as in `fit`
        The training rows in their order, with their labels.
    **arguments
        Arguments of the call that you have from another source too, such as `dissimilarity=D` if it
        is a matrix, or `weights=w`. Default: the arguments in the fit.

    Returns
    -------
    Reproduction
        Result that is true if everything is the same. It prints a line for each part: the rows, the
        levels, the rows left out, the predictors and weights, the parameters, the dissimilarity,
        the prototypes, the radius, the objective, the errors, the probabilities and the
        predictions.

    Notes
    -----
    Floats may differ by 1e-9 of the larger (in single precision 1e-6), everything else must be
    equal. Columns that the formula does not use are not compared. Arguments in the fit, such as a
    matrix, are trusted: the first line of the result shows the call. The result of a fit that
    `swap` or `fit_at` has changed after its call is false.

    See Also
    --------
    load : load a fit from a file.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit = pc.fit("species ~ .", iris, eps=1.0)
    >>> bool(fit.reproduce(iris)), bool(fit.reproduce(iris.iloc[1:]))
    (True, False)
    """
    by_hand = fit._selection.by_hand and fit._selection.point is not None
    again = (replace(fit, _selection=Selection()) if by_hand else fit).update(
        data=data, **arguments
    )
    again = again.validation.fit_at(fit._selection.point) if by_hand else again
    again = again if fit._frame.absent is None else again.slim()
    own, other = _parts_of_fit(fit), _parts_of_fit(again)
    found = {
        name: list(islice(differences(value, other.get(name)), SHOWN))
        for name, value in own.items()
    }
    words = {name: "; ".join(said) for name, said in found.items() if said}
    return Reproduction({"call": repr(fit.call), **dict.fromkeys(own, "")}, words)


def _parts_of_fit(fit: Any) -> dict[str, Any]:
    frame, rule = fit._frame, fit.rule
    of_rows = dict[str, Any]()
    if frame.absent is None:
        data, used = as_pandas(fit.call.data), {*frame.columns, frame.formula.response}
        of_rows = {
            "data": data[[name for name in data if name in used]],
            "rows": frame.index,
            "rows left out": frame.dropped,
        }
        of_rows["predictions"] = fit._predictions()
    return {
        **of_rows,
        "levels": frame.levels,
        "predictors and weights": frame,
        "arguments": replace(fit._problem, model=fit.model),
        "parameters": fit._selection,
        "dissimilarity": fit.dissimilarity,
        "prototypes": rule.prototypes,
        **rule.report,
        "fitted model": rule,
        "errors": fit._curve and {"of folds": fit._curve._errors, "cross-validation": fit._curve},
        "probabilities": fit._calibration,
    }


def differences(a: Any, b: Any, where: str = "") -> Iterator[str]:
    """The places where a value of the fit differs from one of its call, in words."""
    if a is b:
        return
    parts, others = _parts(a), _parts(b)
    if (
        parts is not None
        and others is not None
        and type(a) is type(b)
        and parts.keys() == others.keys()
    ):
        for name, part in parts.items():
            yield from differences(part, others[name], f"{where}.{name}" if where else str(name))
        return
    x, y = np.atleast_1d(a), np.atleast_1d(b)
    if x.shape != y.shape:
        yield f"{where} {brief(a)}, now {brief(b)}".strip()
    elif len(unlike := np.flatnonzero(_unlike(x, y))):
        count = f" ({len(unlike)} of {x.size})" if x.size > 1 else ""
        yield f"{where} {shown(x.flat[unlike[0]])}, now {shown(y.flat[unlike[0]])}{count}".strip()


def _parts(value: Any) -> Mapping[Any, Any] | None:
    """The parts of a value by name."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, pd.DataFrame):
        return {
            "row labels": value.index,
            "names": value.columns,
            **{str(name): value[name] for name in value},
        }
    # an entry may be a list or an array
    if isinstance(value, (np.ndarray, pd.Series, pd.Index)) and value.dtype.kind == "O":
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return dict(enumerate(value))
    if isinstance(value, Call) or not is_dataclass(value):
        return {} if isinstance(value, Call) else None
    kind = type(value).__name__
    return {
        name: part
        for name, part in written(value, kind).items()
        if f"{kind}.{name}" not in NOT_COMPARED
    }


def _unlike(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which entries of two arrays of one shape differ."""
    if x.dtype.kind == y.dtype.kind == "f":
        eps = np.finfo(x.dtype).eps
        largest = np.abs(x[np.isfinite(x)]).max(initial=0.0)
        return ~np.isclose(x, y, max(TOLERANCE, 8 * eps), eps * largest, equal_nan=True)
    present = ~(pd.isna(x) | pd.isna(y))
    unlike = pd.isna(x) != pd.isna(y)
    unlike[present] = x[present] != y[present]
    return unlike
