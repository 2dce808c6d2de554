"""Checks of arguments, each written once: a value that is not allowed raises an OptionError that
names the allowed ones."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from inspect import get_annotations, signature
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .errors import NotAvailableError, OptionError, brief, shown
from .foreign_names import ELSEWHERE, SAME_AS, VALUES

MOST_ROWS = 2**31 - 1  # counts of rows, columns and steps, which are kept in 32 bits in places
# repetitions of a complete computation, such as starts, repeats and bootstrap samples: more is not
# waited for
MOST_RUNS = 10_000
GRID = "grid"


def is_listed(value: object) -> bool:
    """Whether a parameter is to be tuned: it is "grid", or several values."""
    return (
        (isinstance(value, str) and value == GRID)
        or isinstance(value, (list, tuple, range))
        or getattr(value, "ndim", 0) == 1
    )


def check_level(level: object, name: str = "level") -> None:
    """Raise unless `level` is a number between 0 and 1, both excluded."""
    if not is_number(level, 0.0, above=True, high=1.0) or level == 1:
        raise OptionError(
            f"{name} must be a number between 0 and 1, such as 0.9, not {brief(level)}"
        )


def one_of(name: str, value: object, allowed: tuple[object, ...], what: str = "") -> None:
    """Raise unless `value` is one of `allowed`; `what` is its name in the dictionary of foreign
    values, if that differs from `name`."""
    if not any(value is a or (type(value) is type(a) and value == a) for a in allowed):
        hint = hint_for_value(what or name, value, allowed)
        raise OptionError(
            f"{name} must be {either(allowed)}, not {brief(value)}{hint and ': '}{hint}"
        )


def either(values: Iterable[object]) -> str:
    """Allowed values for a message: 'a', 'b' or 'c'."""
    *most, last = map(repr, values)
    return f"{', '.join(most)} or {last}" if most else last


def hint_for_value(name: str, value: object, allowed: Iterable[object] = ()) -> str:
    """The replacement of a value that R or scikit-learn has for an argument, or of a mistyped
    value, in words; "" if none is known.

    Examples
    --------
    >>> hint_for_value("na", "na.omit"), hint_for_value("solver", "Exact", ("greedy", "exact"))
    ("use na='drop'", "did you mean 'exact'?")
    """
    if not isinstance(value, str):
        return ""
    text, texts = value.lower(), [a for a in allowed if isinstance(a, str)]
    if text in VALUES.get(name, {}) and text not in texts:
        return VALUES[name][text].format(text)
    return similar(text, texts)


def similar(text: str, known: Collection[str]) -> str:
    """The known text that is most like a mistyped one, as a question; "" if none is."""
    near = difflib.get_close_matches(text, known, 1, 0.65)
    return f"did you mean {near[0]!r}?" if near else ""


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """The value as an int; raises unless it is a whole number from `least` to `most`."""
    # a whole float such as 5.0 is none
    number = value if isinstance(value, Integral) else math.nan
    allowed = refuse_number(number, least, integral=True, high=most)
    if allowed:
        raise OptionError(f"{name} must be {allowed}, not {brief(value)}")
    return int(number)


def check_seed(seed: object) -> int:
    """The seed as an int; raises unless it is one."""
    return whole_number("seed", seed, 0, 2**63 - 1)  # the largest integer of a saved file


def check_progress(progress: Any) -> Any:
    """The value of `progress=`; raises unless it is True, False or None."""
    one_of("progress", progress, (None, True, False))
    return progress


def seed_of_runs(
    name: str,
    runs: object,
    seed: object,
    progress: object,
    least: int = 2,
    usual: int | None = None,
) -> int:
    """The seed of repeated computations, `usual` if it is None; raises unless it, the number `name`
    of runs and the bar are valid.
    """
    whole_number(name, runs, least, MOST_RUNS)
    check_progress(progress)
    return check_seed(usual if seed is None else seed)


def check_labels(name: str, labels: Any) -> None:
    """Raise unless labels are listed."""
    listed = isinstance(labels, Sequence) and not isinstance(labels, (str, bytes))
    if not listed and getattr(labels, "ndim", 0) != 1:  # ndim of an array, Index or Series
        raise OptionError(
            f"{name} must be a list of row labels, such as data.index[:3], not {brief(labels)}"
        )


def find_labels(labels: Iterable[Any], index: Iterable[Any], unknown: str) -> list[int]:
    """The first places of labels in an index; raises with these words for one that is not in it."""
    place, out = {name: j for j, name in reversed([*enumerate(index)])}, []
    for label in labels:
        try:
            out.append(place[label])
        except (KeyError, TypeError):  # not there; or something without a hash
            raise OptionError(unknown.format(brief(label))) from None
    return out


def is_real(value: object) -> bool:
    """Whether a value is a number and not a Boolean, which Python takes for one."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def is_number(value: object, *limits: Any, **named: Any) -> bool:
    """Whether a value is a number that `refuse_number` accepts."""
    return not refuse_number(value, *limits, **named)


def refuse_number(
    value: object,
    low: float = -math.inf,
    above: bool = False,
    integral: bool = False,
    high: float | None = None,
) -> str:
    """The allowed numbers in words, unless a value is a finite one from `low` (or above it) to
    `high`, and integral if required; then "".

    Whole numbers go up to 2^31 - 1 by default, which is named only if `value` exceeds it.

    Examples
    --------
    >>> refuse_number(2.0, 0), refuse_number(0, 0, above=True), refuse_number(0.5, 1, integral=True, high=9)
    ('', 'a number > 0', 'a whole number >= 1 and <= 9')
    """
    scalar = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0)
    number: Any = value.item() if scalar else value  # type: ignore[attr-defined]
    most = high if high is not None else MOST_ROWS if integral else math.inf
    if (
        is_real(number)
        and abs(number) <= 1e300
        and low <= number <= most
        and not (above and number == low)
        and not (integral and number != int(number))
    ):
        return ""
    bound = "" if low == -math.inf else f" {'>' if above else '>='} {low:g}"
    met = isinstance(value, Integral) and int(value) > most
    if most < math.inf and (met or high is not None):
        bound += f"{' and' if bound else ''} <= {most:{'d' if integral else '.15g'}}"
    return f"{'a whole number' if integral else 'a number'}{bound}"


def quoted(names: Iterable[object]) -> str:
    """Names for a message: 'a', 'b'."""
    return ", ".join(map(shown, names))


def check_known(call: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise unless all arguments of a call are known; for a name of R or of scikit-learn the
    message has the name here.

    Examples
    --------
    >>> check_known("predict()", ["newdata"], ["new", "kind"])
    Traceback (most recent call last):
    protoclass.ground.errors.OptionError: predict() has no argument 'newdata': use new=; its arguments are new, kind
    """
    for name in given:
        if name not in known:
            hint = hint_for(name, known)
            listed = f"its arguments are {', '.join(known)}" if known else "it takes none"
            raise OptionError(
                f"{call} has no argument {shown(name)}: {hint}{'; ' if hint else ''}{listed}"
            )


class NamedArguments:
    """A class whose constructor raises an OptionError for an argument that it does not have, as
    `check_known` words it.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.KNN(n_neighbors=3)
    Traceback (most recent call last):
    protoclass.ground.errors.OptionError: KNN() has no argument 'n_neighbors': use k=; its arguments are k, ties
    """

    def __new__(cls, *args: object, **given: object) -> Self:
        found = signature(cls.__init__).parameters if given else {}
        if not any(p.kind is p.VAR_KEYWORD for p in found.values()):
            check_known(f"{cls.__name__}()", given, list(found)[1:])
        return super().__new__(cls)


def check_parameters(cls: type, base: type, kind: str, declares: Collection[str] = ()) -> None:
    """Raise if a parameter of a class has the name of an attribute of every class derived from
    `base`.

    Parameters
    ----------
    cls : type
        Class that is defined. Its parameters are the names that it annotates, except with
        `ClassVar`, as `dataclass` reads them.
    base : type
    kind : str
        Name of `base` in messages, such as "metric".
    declares : names
        Attributes of `base` that are set by parameters of `cls`, which have the same meaning.
    """
    inherited = {*dir(base), *get_annotations(base)} - {*_parameters(base), *declares}
    for name in _parameters(cls):
        if name in inherited:
            raise OptionError(
                f"{cls.__name__} has a parameter {name!r}, but {base.__name__}.{name} describes "
                f"every {kind}: rename the parameter, or "
                f"write {name}: ClassVar if it is not one"
            )


def _parameters(cls: type) -> list[str]:
    annotated = get_annotations(cls).items()
    return [
        name
        for name, kind in annotated
        if not re.match(r"(\w+\.)*ClassVar\b", kind if isinstance(kind, str) else str(kind))
    ]


def hint_for(name: str, known: Collection[str]) -> str:
    """The replacement of an argument that does not exist, in words: its name here, or another way;
    "" if none is known."""
    counterpart = next((here for here in SAME_AS.get(name, ()) if here in known), None)
    return f"use {counterpart}=" if counterpart else ELSEWHERE.get(name) or similar(name, known)


class Served:
    """A value whose missing attributes raise NotAvailableError with a cure, if R or scikit-learn
    has them.
    """

    _serves: ClassVar[Mapping[str, str]] = {}  # cure by name of the attribute
    _called: ClassVar[str] = "it"  # name of the value in messages, with its article

    if not TYPE_CHECKING:  # every other attribute is declared

        def __getattr__(self, name: str) -> Any:
            """Only called if there is no such attribute, or if a property has failed, whose message
            is then kept."""
            if name in type(self)._serves:
                raise NotAvailableError(
                    f"{type(self)._called} has no {name}: {type(self)._serves[name]}"
                )
            return object.__getattribute__(self, name)
