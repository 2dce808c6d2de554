"""Shared behaviour of public values: checked arguments, errors, printing, and later methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial, wraps
from importlib import import_module
from inspect import Signature, isfunction, signature
from types import MethodType
from typing import Any, ClassVar, ParamSpec, TypeVar

import pandas as pd

from .core.memory import ran_out, too_large
from .ground.checks import check_known, hint_for
from .ground.errors import OptionError, ProtoclassError, printed
from .ground.files import Saved
from .ground.options import options, significant
from .ground.text import to_html, write_number

Public = TypeVar("Public", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")


def public(made: Public) -> Public:
    """A public function, or a public class with its public methods.

    Unknown arguments by name, too many by position, and missing ones raise an OptionError with the
    known names; if a function takes any further names (`**parameters`), it checks these itself.
    Memory that runs out raises `TooLargeError`.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.dissimilarity("species ~ .", pc.load_data("iris")).quantile(probs=0.1)
    Traceback (most recent call last):
    protoclass.ground.errors.OptionError: quantile() has no argument 'probs': its arguments are q
    """
    if not isinstance(made, type):
        return _checked(made, made.__name__, is_method=False)  # type: ignore[return-value]
    for name, method in vars(made).copy().items():
        function = method.__func__ if isinstance(method, (staticmethod, classmethod)) else method
        if isfunction(function) and not name.startswith("_"):
            checked = _checked(function, name, is_method=not isinstance(method, staticmethod))
            setattr(made, name, checked if function is method else type(method)(checked))
    return made


def further_arguments(
    function: Callable[P, Any], *without: str
) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Show in help the arguments of another function, without some, for `**` of the decorated one.

    Examples
    --------
    >>> @further_arguments(lambda x, *, y=1, z=2: None, "z")
    ... def f(x, **arguments): ...
    >>> str(signature(f))
    '(x, *, y=1)'
    """

    def declare(made: Callable[..., R]) -> Callable[P, R]:
        own = signature(made)
        named = {name: p for name, p in own.parameters.items() if p.kind is not p.VAR_KEYWORD}
        further = [
            p
            for name, p in signature(function).parameters.items()
            if name not in (*named, *without)
        ]
        made.__signature__ = own.replace(parameters=[*named.values(), *further])  # type: ignore[attr-defined]
        return made

    return declare


def _checked(function: Callable[..., Any], name: str, is_method: bool) -> Callable[..., Any]:
    """`function` as `public` describes; the first argument of a method is its object."""
    form = signature(function)
    known = [name for name, p in form.parameters.items() if p.kind is not p.VAR_KEYWORD][is_method:]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in form.parameters.values())

    @wraps(function)
    def checked(*args: Any, **given: Any) -> Any:
        if not takes_any:
            check_known(f"{name}()", given, known)
        try:
            bound = form.bind(*args, **given)
        except TypeError as reason:
            raise OptionError(f"{name}(): {_misbound(form, known, given, str(reason))}") from None
        try:
            values = bound.arguments
            if values.get("client") is not None or any(map(_is_of_dask, values.values())):
                return load("protoclass.cluster:call")(function, name, bound)
            return function(*args, **given)
        except ProtoclassError as reason:
            # its message is about the call: no inner frames
            raise reason.with_traceback(None) from reason.__cause__
        except (MemoryError, OSError, ImportError, RuntimeError) as reason:
            if not ran_out(reason):
                raise
            raise too_large(reason) from reason

    return checked


def _is_of_dask(value: Any) -> bool:
    return type(value).__module__.startswith("dask")


def _misbound(form: Signature, known: list[str], given: Iterable[str], reason: str) -> str:
    """Description of arguments that do not fit, with their counterparts in this package."""
    found = (hint_for(name, known) for name in given if name not in known)
    hints = list(dict.fromkeys(filter(None, found)))
    by_name = [name for name, p in form.parameters.items() if p.kind is p.KEYWORD_ONLY]
    if "too many positional" in reason and by_name:
        hints.append(
            f"{', '.join(by_name[:3])} and so on are given by name, as in {by_name[0]}=..."
        )
    listed = f"its arguments are {', '.join(known)}" if known else "it takes none"
    return "; ".join([reason, *hints, listed])


class Above:
    """A method of a class that is defined in a later package and loaded at its first use.

    The package lists the functions: `METHODS["Stability"]["plot"]` is
    "protoclass.pictures.analyses:stability". Signature and documentation are those of the function.
    """

    def __init__(self, floor: str) -> None:
        self.floor = floor

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, value: Any, cls: type) -> Callable[..., Any]:
        function = _function_above(self.floor, cls, self.name)
        return function if value is None else MethodType(function, value)


def load(place: str) -> Any:
    """The function or class of a module, which is imported: "protoclass.pictures.analyses:stability"."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@cache
def _function_above(floor: str, cls: type, name: str) -> Callable[..., Any]:
    package = import_module(floor)
    place = next(
        known[name]
        for base in cls.__mro__
        if name in (known := package.METHODS.get(base.__name__, {}))
    )
    return _checked(load(place), name, is_method=True)


NUMBERS = {"float_format": significant}  # how print and a notebook show a table of numbers
# and one of comparisons by pairs
PAIRS = {"index": False, "na_rep": "", "float_format": partial(significant, usual=3)}


class Printed:
    """A value that prints itself, as sentences with tables below them."""

    _between: ClassVar[str] = "\n"  # separates the printed parts
    _shown: ClassVar[int | None] = None  # rows of each table in print; None for all

    def _said(self) -> tuple[str, Sequence[tuple[pd.DataFrame, Mapping[str, Any]]]]:
        """The sentences, and the tables, each with the arguments by which pandas writes it."""
        raise NotImplementedError

    @printed
    def __repr__(self) -> str:
        words, tables = self._said()
        return self._between.join(
            [words, *(table.iloc[: self._shown].to_string(**how) for table, how in tables)]
        )

    def _repr_html_(self) -> str:
        words, tables = self._said()
        # three digits, unless the user asks for others
        form = {} if options.digits else {"float_format": write_number}
        parts = ((table.iloc[: self._shown], {**how, **form}) for table, how in tables)
        return f"<div>{to_html(words, *parts)}</div>"


@public
class Result(Printed):
    """A result of an analysis, with `table`, `tidy`, `glance`, `summary` and `plot`.

    A class has `table`, `glance` and `_said`; `summary` and `plot` are functions of `tables` and
    `pictures`.
    """

    _label: ClassVar[str] = "row"  # name of the index of `table` as a column of `tidy`
    plot = Above("protoclass.pictures")
    summary = Above("protoclass.tables")
    table: Any

    def tidy(self) -> pd.DataFrame:
        """The table, with its index as the first column."""
        out = self.table.reset_index(drop=True)
        out.insert(0, self._label, self.table.index.to_flat_index())
        return out

    def glance(self) -> pd.DataFrame:
        """Table with one row: an overview of the result."""
        raise NotImplementedError


@public
class Saveable:
    """A value that can be saved to a file."""

    def save(self, path: Any, overwrite: bool = False) -> Saved:
        """Save to a file that `protoclass.load` can load on any computer.

        To save a fit without its training rows, use `slim().save(path)`.

        Parameters
        ----------
        path : str or path
            Output file, such as "iris.proto".
        overwrite : bool
            Whether to replace an existing file.

        Returns
        -------
        Saved
            The path; it prints the contents of the file that may be private.

        Raises
        ------
        OptionError
            If the file already exists, or if the object contains functions or classes that are not
            registered.
        FileError
            If it cannot be written; no partial file is left then.

        Notes
        -----
        The file is a zip of a document and arrays, without pickled objects;
        `protoclass.export.saving` describes its format. A crash or a full disk leaves the old file.
        Iris with `eps=1.0` takes 7 kB, 214 kB with the default cross-validation, and slim 6 kB.

        See Also
        --------
        load : load the file.
        Fit.reproduce : run the call of a fit again and compare.

        Examples
        --------
        >>> import os, tempfile
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     saved = fit.save(os.path.join(folder, "iris.proto"))
        ...     pc.load(saved).call
        fit('species ~ .', data, eps=1.0)
        >>> saved.holds
        ('the data: 150 rows with their labels and all 5 columns; fit.slim() leaves them out',)
        """
        return load("protoclass.export.saving:save")(self, path, overwrite)
