"""The functions that formulas call, beside those of formulaic: bounds on the number of columns that they may make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from ..arguments import is_number
from ..errors import FormulaError, brief

PLAIN = {"sqrt": np.sqrt, "abs": np.abs, "log1p": np.log1p, "expm1": np.expm1}  # in addition to those of formulaic
LIMITS = {  # option: the least and the largest value
    "poly": {"degree": (1, 100)},
    "bs": {"df": (1, 1000), "degree": (0, 20)},
    "cr": {"df": (1, 1000)},
    "cs": {"df": (1, 1000)},
    "cc": {"df": (1, 1000)},
}
MOST_KNOTS = 1000
# beyond degree 100 powers overflow; the time of a spline grows with the square of its degree or the cube of its knots


@cache
def functions() -> Mapping[str, Callable[..., Any]]:
    """The functions by name, for formulaic's context."""
    return {**PLAIN, **{name: _bounded(name) for name in LIMITS}}


def _bounded(name: str) -> Callable[..., Any]:
    """Formulaic's transform of that name; while it learns, it refuses to make more columns than there are distinct values."""
    from inspect import signature

    from formulaic.transforms import TRANSFORMS
    from formulaic.utils.stateful_transforms import stateful_transform

    transform = TRANSFORMS[name]
    positions = list(signature(transform).parameters)

    def bounded(data: Any, *args: Any, _state: Any = None, **options: Any) -> Any:
        if not _state:
            given = dict(zip(positions[1:], args, strict=False)) | options
            _check(name, given, len(np.unique(np.asarray(data, float))))
            _state["checked"] = True  # new data may have fewer distinct values
        return transform(data, *args, _state=_state, **options)

    return stateful_transform(bounded)  # type: ignore[no-any-return]


def _check(name: str, given: Mapping[str, Any], distinct: int) -> None:
    """Raise for a degree, degrees of freedom or knots out of all proportion to the values."""
    largest = {"poly": distinct - 1}.get(name, distinct)  # a polynomial has a constant besides
    for option, (least, most) in LIMITS[name].items():
        value = given.get(option)
        if option not in given or (option == "df" and value is None):
            continue
        bound = min(most, largest)
        if not is_number(value, least, integral=True) or isinstance(value, float) or value > bound:
            raise FormulaError(
                f"{option}={brief(value)}: {name}() takes a whole number from {least} to {bound}, at most {most} and no more than "
                f"its {distinct} distinct values tell apart"
            )
    knots = given.get("knots")
    if isinstance(knots, (list, tuple)) and len(knots) > min(MOST_KNOTS, distinct):
        raise FormulaError(
            f"knots={brief(knots)}: {name}() takes no more knots than there are distinct values, {distinct}, and at most "
            f"{MOST_KNOTS}: give fewer"
        )
