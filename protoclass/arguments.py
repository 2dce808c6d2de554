"""Checks of arguments, each written once: a value that is not allowed raises an OptionError that names what is."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from numbers import Integral, Real

import numpy as np

from .errors import OptionError, brief, shown

LARGEST = 1e300  # numbers beyond are not parameters
MOST_ROWS = 2**31 - 1  # counts of rows, columns and steps, which are kept in 32 bits in places
MOST_SEED = 2**63 - 1  # what a saved integer holds
MOST_RUNS = 10_000  # repetitions of a complete computation, such as starts, repeats and bootstrap samples: more is not waited for
IN_R = {"newdata": "new", "type": "kind", "which": "kind"}  # names of arguments in R, and here
OF_GRAPHICS = {"col", "color", "colour", "pch", "cex", "lty", "lwd", "main", "sub", "title", "xlab", "ylab", "xlim", "ylim",
               "bg", "cmap", "marker", "figsize"}  # fmt: skip


def check_level(level: object) -> None:
    """Raise unless `level` is a number between 0 and 1, both excluded."""
    if not is_number(level, 0.0, above=True, high=1.0) or level == 1:
        raise OptionError(f"level={brief(level)}: a number between 0 and 1, such as 0.9")


def one_of(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raise unless `value` is one of `allowed`."""
    if not any(value is a or (type(value) is type(a) and value == a) for a in allowed):
        raise OptionError(f"{name}={brief(value)}: allowed are {', '.join(map(repr, allowed))}")


def whole_number(name: str, value: object, least: int, most: int = MOST_ROWS) -> int:
    """The value as an int; raises unless it is a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= value <= most:
        above = most != MOST_ROWS or (isinstance(value, Integral) and value > most)  # a bound that nobody meets is not named
        raise OptionError(f"{name}={brief(value)}: a whole number >= {least}{f' and <= {most}' if above else ''}")
    return int(value)


def is_number(
    value: object, low: float = -math.inf, above: bool = False, integral: bool = False, high: float | None = None
) -> bool:
    """Whether a value is a finite number from `low` (or above it) to `high`, and integral where that is needed.

    Whole numbers go up to 2^31 - 1 unless `high` says otherwise.
    """
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real) or not abs(value) < math.inf:
        return False
    if abs(value) > LARGEST:
        return False
    most = _largest(integral, high)
    return bool(low <= value <= most and not (above and value == low) and not (integral and value != int(value)))


def _largest(integral: bool, high: float | None) -> float:
    return (MOST_ROWS if integral else math.inf) if high is None else high


def number_in_words(
    value: object, low: float = -math.inf, above: bool = False, integral: bool = False, high: float | None = None
) -> str:
    """What `is_number` asks for; the bound of all whole numbers is named only where `value` is beyond it."""
    bound = "" if low == -math.inf else f" {'>' if above else '>='} {low:g}"
    most = _largest(integral, high)
    named = high is not None or (isinstance(value, Integral) and value > most)
    bound += "" if most == math.inf or not named else f"{' and' if bound else ''} <= {most:.15g}"
    return f"{'a whole number' if integral else 'a number'}{bound}"


def quoted(names: Iterable[object]) -> str:
    """Names for a message: 'a', 'b'."""
    return ", ".join(map(shown, names))


def check_known(call: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise unless all arguments of a call are known; names of R are told their names here.

    Examples
    --------
    >>> check_known("predict()", ["newdata"], ["new", "kind"])
    Traceback (most recent call last):
    protoclass.errors.OptionError: predict() has no argument 'newdata': R's newdata= is new= here; its arguments are new, kind
    """
    for name in given:
        if name in known:
            continue
        hint = ""
        if IN_R.get(name) in known:
            hint = f"R's {name}= is {IN_R[name]}= here; "
        elif name in OF_GRAPHICS:
            hint = "colours, limits and titles are changed on the Axes that it returns, as in ax.set(title='...'); "
        raise OptionError(f"{call} has no argument {shown(name)}: {hint}its arguments are {', '.join(known)}")
