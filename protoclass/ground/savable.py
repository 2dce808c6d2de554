"""Classes whose objects may be in a saved file: declared in the modules that define them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import Any, TypeVar, overload

from .errors import OptionError, brief

T = TypeVar("T", bound=type)


@dataclass(frozen=True)
class Kind:
    """A class that may be in a file.

    Arrays of an object agree if axes with the same letter have the same length. A letter that is a
    whole-number field of the class is its value, and a field that is not an array has one axis, its
    length.
    """

    name: str  # name of the class in files, independent of its module
    of: type
    shapes: dict[str, str]  # axes of the arrays among its fields, by letters


SAVABLE: dict[str, Kind] = {}


@overload
def savable(cls: T) -> T: ...
@overload
def savable(*, name: str = "", **shapes: str) -> Callable[[T], T]: ...
def savable(cls: Any = None, *, name: str = "", **shapes: str) -> Any:
    """Declare a dataclass that `Fit.save` can write: for custom rules and trained metrics.

    Registered methods and metrics (`register`) need no declaration. The fields must be arrays,
    numbers, strings, tables, tuples and mappings of these, or savable objects. The module of the
    class must be imported before `load`.

    Parameters
    ----------
    cls : dataclass
    name : str, optional
        Name in files. Default: the name of the class.
    **shapes : str
        Axes of arrays, which are checked when a file is read: with `weights="q p", offsets="q"`
        both must have q entries.

    Raises
    ------
    OptionError
        If `cls` is not a dataclass, or if another class has the name.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> import protoclass as pc
    >>> @pc.extend.savable(slopes="p", spreads="p")
    ... @dataclass(frozen=True)
    ... class Slopes:
    ...     slopes: np.ndarray
    ...     spreads: np.ndarray
    """

    def declare(of: T) -> T:
        known = name or of.__name__
        if not is_dataclass(of):
            raise OptionError(f"{brief(of)} is not a dataclass: put @savable above @dataclass")
        strange = set(shapes) - set(of.__dataclass_fields__)
        if strange:
            raise OptionError(
                f"{min(strange)!r} is not a field of {of.__name__}: use one of {', '.join(of.__dataclass_fields__)}"
            )
        before = SAVABLE.get(known)
        if before is not None and (before.of.__module__, before.of.__qualname__) != (
            of.__module__,
            of.__qualname__,
        ):
            raise OptionError(
                f"the class {known!r} of {before.of.__module__} is already savable: use another name="
            )
        SAVABLE[known] = Kind(known, of, dict(shapes))
        return of

    if cls is None:
        return declare
    if not isinstance(cls, type):
        raise OptionError(f"savable takes a dataclass, not {brief(cls)}")
    return declare(cls)
