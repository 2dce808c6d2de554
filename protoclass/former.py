"""Names and arguments that are given up: each works until its last version, with a warning that says what to write instead.

`NAMES` are public names of the package that have been renamed. `former_arguments` keeps arguments of a function that have been.
The policy is in CONTRIBUTING.md, "Giving up a name"; the tests fail when a version is reached that promised to do without one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

from .errors import OptionError, warn

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Former:
    """What stands in the place of a name or an argument that is given up.

    Attributes
    ----------
    now : str
    until : str
        The first version without the old one, such as "0.3".
    """

    now: str
    until: str


NAMES: dict[str, Former] = {}


def current_name(name: str) -> str:
    """The name that a public one has now; a former one gives a FutureWarning.

    Examples
    --------
    >>> current_name("Fit")
    'Fit'
    """
    if name not in NAMES:
        return name
    former = NAMES[name]
    warn(f"protoclass.{name} is protoclass.{former.now} now, and goes in version {former.until}", FutureWarning)
    return former.now


def former_arguments(**former: Former) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """A function that takes arguments by their former names as well, with a FutureWarning.

    It stands above `known_arguments`, which no longer knows them.

    Examples
    --------
    >>> import warnings
    >>> @former_arguments(radius=Former("eps", "0.3"))
    ... def area(eps):
    ...     return 3 * eps**2
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     area(radius=2), str(seen[0].message)
    (12, 'area(radius=) is area(eps=) now, and goes in version 0.3')
    """

    def decorate(function: Callable[Given, Result]) -> Callable[Given, Result]:
        call = function.__name__

        @wraps(function)
        def called(*args: Given.args, **given: Given.kwargs) -> Result:
            for old in [name for name in given if name in former]:
                now = former[old].now
                if now in given:
                    raise OptionError(f"{call}() has {old}= and {now}=, which are the same: give {now}= alone")
                warn(f"{call}({old}=) is {call}({now}=) now, and goes in version {former[old].until}", FutureWarning)
                given[now] = given.pop(old)
            return function(*args, **given)

        called.former = former  # type: ignore[attr-defined]  # for the tests
        return called

    return decorate
