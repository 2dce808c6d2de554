"""Classes whose objects may be in a saved file: declared where they are defined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import Any, TypeVar, overload

from .errors import OptionError, brief

T = TypeVar("T", bound=type)


@dataclass(frozen=True)
class Kind:
    """A class that may be in a file.

    Arrays of an object agree where the letters of their axes do. A letter that is a whole-number field of the class stands for its
    value, and a field that is no array has one axis, its length.
    """

    name: str  # by which a file knows it, whatever module it stands in
    of: type
    shapes: dict[str, str]  # axes of the arrays among its fields, by letters


SAVABLE: dict[str, Kind] = {}


@overload
def savable(cls: T) -> T: ...
@overload
def savable(*, name: str = "", **shapes: str) -> Callable[[T], T]: ...
def savable(cls: Any = None, *, name: str = "", **shapes: str) -> Any:
    """Let objects of a dataclass be in files that `Fit.save` writes: rules and trained metrics of one's own.

    Registered methods and metrics (`register`) need no declaration. The fields must be what a file can hold: arrays, numbers,
    texts, tables, tuples and mappings of these, and savable objects. A file names the class, so that `load` knows it only where the
    module that defines it is imported.

    Parameters
    ----------
    cls : dataclass
    name : str, optional
        In files; by default that of the class. A class replaces one of the same module and qualified name.
    **shapes : str
        Axes of arrays, which are checked when a file is read: `weights="q p", offsets="q"` says that both have q entries.

    Raises
    ------
    OptionError
        For what is not a dataclass, and for names of other classes.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> import protoclass as pc
    >>> @pc.savable(slopes="p", spreads="p")
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
            raise OptionError(f"{min(strange)!r} is not a field of {of.__name__}: use one of {', '.join(of.__dataclass_fields__)}")
        before = SAVABLE.get(known)
        if before is not None and (before.of.__module__, before.of.__qualname__) != (of.__module__, of.__qualname__):
            raise OptionError(f"the class {known!r} of {before.of.__module__} is already savable: use another name=")
        SAVABLE[known] = Kind(known, of, dict(shapes))
        return of

    if cls is None:
        return declare
    if not isinstance(cls, type):
        raise OptionError(f"savable takes a dataclass, not {brief(cls)}")
    return declare(cls)


def kind_of(of: type) -> Kind | None:
    """What is declared of a class itself, not of those that it derives from."""
    return next((kind for kind in SAVABLE.values() if kind.of is of), None)
