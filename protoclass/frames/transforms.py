"""The functions that formulas call: those of R that formulaic lacks, with bounds on the number of columns, and natural splines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from itertools import pairwise
from typing import Any

import numpy as np

from ..ground.checks import is_number
from ..ground.errors import DataError, FormulaError, brief

PLAIN = {"sqrt": np.sqrt, "abs": np.abs, "log1p": np.log1p, "expm1": np.expm1}  # in addition to those of formulaic
EXACT = {2: np.log2, 10: np.log10}  # logarithms of powers of these are whole numbers, as in R
BOUNDED = ("poly", "bs", "ns", "cr", "cs", "cc")  # they have no more columns than there are distinct values


@cache
def functions() -> Mapping[str, Callable[..., Any]]:
    """The functions by name, for formulaic's context."""
    from formulaic.utils.stateful_transforms import stateful_transform

    own = {"log": log, "ifelse": ifelse, "cut": stateful_transform(cut)}
    return {**PLAIN, **own, **{name: _bounded(name) for name in BOUNDED}}


def log(x: Any, base: float | None = None) -> Any:
    """The logarithm, natural or to a base."""
    if base is None:
        return np.log(x)
    return EXACT[int(base)](x) if base in EXACT else np.log(x) / np.log(base)


def ifelse(test: Any, yes: Any, no: Any) -> np.ndarray:
    """`yes` if `test` is true, else `no`."""
    return np.asarray(np.where(test, yes, no).astype(float))


def ns(x: Any, df: Any = None, knots: Any = None, _state: Any = None) -> Any:
    """Natural cubic splines in R's basis; knots and boundary come from the rows that it is trained on."""
    from formulaic.materializers.types import FactorValues

    values = np.asarray(x, float)
    if "spline" not in _state:
        if df is not None and knots is not None:
            raise FormulaError("ns() takes df= or knots=, not both")
        if knots is None:
            knots = np.quantile(values, np.linspace(0, 1, (1 if df is None else df) + 1)[1:-1])
        inside = np.sort(np.ravel(knots).astype(float))
        low, high = float(np.min(values)), float(np.max(values))
        if not (np.diff([low, *inside, high]) > 0).all():
            raise FormulaError(
                f"the knots of ns() must differ and lie between the minimum {low:.4g} and the maximum {high:.4g}, not "
                f"{', '.join(f'{v:.4g}' for v in inside[:9])}: use a smaller df= or other knots="
            )
        _state["spline"] = (inside, low, high)
    basis = natural_basis(values, *_state["spline"])
    return FactorValues(basis, column_names=tuple(str(i + 1) for i in range(basis.shape[1])))


def natural_basis(x: np.ndarray, knots: np.ndarray, low: float, high: float) -> np.ndarray:
    """Cubic splines that are linear beyond the boundary knots `low` and `high`, and 0 at the first of them, at x: (n, k + 1).

    B-splines of order 4 without the first, on the subspace where the second derivative at both boundary knots is 0; the
    orthogonal complement is taken from the Householder reflections of these two conditions, as in R, because distances
    depend on the basis.

    Examples
    --------
    >>> natural_basis(np.array([0.0, 1.0, 4.0]), np.array([1.0]), 0.0, 4.0).shape
    (3, 2)
    """
    from scipy.interpolate import BSpline

    ends = np.repeat([low, high], 4)
    all_knots = np.concatenate([ends[:4], knots, ends[4:]])
    spline = BSpline(all_knots, np.eye(len(all_knots) - 4), 3)
    boundary = np.array([low, high])
    conditions = spline.derivative(2)(boundary)[:, 1:]  # (2, k + 3)
    complement = np.linalg.qr(conditions.T, mode="complete")[0][:, 2:]
    inside = np.clip(x, low, high)
    slopes = spline.derivative(1)(boundary)
    beyond = (x - inside)[:, None] * slopes[(x > high).astype(int)]
    return np.asarray((spline(inside) + beyond)[:, 1:] @ complement)


def cut(
    x: Any, breaks: Any = None, labels: Any = None, right: Any = True, include_lowest: Any = False, _state: Any = None
) -> Any:
    """Intervals as 0 and 1: a column for each.

    As R's `cut`; if `breaks` is a number, the first and the last of that many intervals of equal width are open, so that new
    rows are in an interval as well.
    """
    from formulaic.materializers.types import FactorValues

    values = np.asarray(x, float)
    if "edges" not in _state:
        _state["edges"] = _edges(values, breaks)
        _state["labels"] = _interval_names(_state["edges"], labels, right)
    edges, names = _state["edges"], _state["labels"]
    code = np.searchsorted(edges, values, side="left" if right else "right") - 1
    if include_lowest:
        code[values == (edges[0] if right else edges[-1])] = 0 if right else len(names) - 1
    outside = (code < 0) | (code >= len(names))
    if outside.any():
        raise DataError(
            f"the value {values[outside][0]:.6g} is outside the breaks of cut(), {edges[0]:.6g} to {edges[-1]:.6g}: use breaks from -Inf "
            "to Inf, or leave the row out"
        )
    return FactorValues((code[:, None] == np.arange(len(names))).astype(float), column_names=tuple(names))


def _edges(x: np.ndarray, breaks: Any) -> np.ndarray:
    if isinstance(breaks, (list, tuple)) and len(breaks) > 1:
        numeric = all(isinstance(b, (int, float)) and not isinstance(b, bool) for b in breaks)
        if numeric and len(set(breaks)) == len(breaks):
            return np.sort(np.asarray(breaks, float))
    distinct = len(np.unique(x))
    if isinstance(breaks, float) or not is_number(breaks, 2, integral=True, high=distinct):
        raise FormulaError(
            f"breaks of cut() must be a number of intervals from 2 to {distinct}, or different breaks, such as c(0, 10, 20), not "
            f"{brief(breaks)}"
        )
    inside = np.linspace(x.min(), x.max(), breaks + 1)[1:-1]
    return np.concatenate([[-np.inf], inside, [np.inf]])


def _interval_names(edges: np.ndarray, labels: Any, right: Any) -> list[str]:
    count = len(edges) - 1
    if labels is not None:
        fits = isinstance(labels, (list, tuple)) and len(labels) == count and all(isinstance(n, str) for n in labels)
        if not fits or len(set(labels)) < count:
            raise FormulaError(f"labels of cut() must be {count} different texts, one for each interval, not {brief(labels)}")
        return list(labels)
    digits = next(digits for digits in range(3, 18) if len({f"{edge:.{digits}g}" for edge in edges}) == len(edges))
    shown = [f"{edge:.{digits}g}" for edge in edges]
    return [f"({a},{b}]" if right else f"[{a},{b})" for a, b in pairwise(shown)]


def _bounded(name: str) -> Callable[..., Any]:
    """The transform of that name; while it learns, it refuses to make more columns than there are distinct values."""
    from formulaic.transforms import TRANSFORMS
    from formulaic.utils.stateful_transforms import stateful_transform

    transform = stateful_transform(ns) if name == "ns" else TRANSFORMS[name]
    positions = tuple(signature(ns if name == "ns" else transform).parameters)

    def bounded(data: Any, *args: Any, _state: Any = None, **options: Any) -> Any:
        if not _state:
            given = dict(zip(positions[1:], args, strict=False)) | options
            _check(name, given, len(np.unique(np.asarray(data, float))))
            _state["checked"] = True  # new data may have fewer distinct values
        return transform(data, *args, _state=_state, **options)

    return stateful_transform(bounded)  # type: ignore[no-any-return]


def _check(name: str, given: Mapping[str, Any], distinct: int) -> None:
    """Raise for a degree, degrees of freedom or knots out of all proportion to the values."""
    most = distinct - 1 if name in ("poly", "ns") else distinct  # these have a constant besides
    for option in ("degree", "df"):
        value, least = given.get(option), int(name != "bs" or option == "df")
        if value is not None and (isinstance(value, float) or not is_number(value, least, integral=True, high=most)):
            raise FormulaError(
                f"{option} of {name}() must be a whole number from {least} to {most} (limited by the {distinct} distinct values), not "
                f"{brief(value)}"
            )
    knots = given.get("knots")
    if isinstance(knots, (list, tuple)) and len(knots) > most:
        raise FormulaError(f"{name}() allows at most {most} knots for {distinct} distinct values, not {len(knots)}: use fewer")
