"""Names that are too long for their place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

WIDEST = 40  # letters of a name in a picture


def shorten(name: str, most: int = WIDEST) -> str:
    """A name for a picture, of at most so many letters: of a long one the beginning and the end.

    Examples
    --------
    >>> shorten("standard error of the mean concavity in mm, of 3")
    'standard error of...oncavity in mm, of 3'
    """
    half = most // 2
    return name if len(name) <= most else f"{name[: most - half - 3].rstrip()}...{name[-half:].lstrip()}"


def list_short(names: Iterable[Any], most: int = WIDEST) -> list[str]:
    """Names for a picture, which stay different: of those that are the same when they are cut, each has its place in brackets.

    Examples
    --------
    >>> list_short(["a long name, first of two", "short", "a long name, last of two"], 10)
    ['a...f two (1)', 'short', 'a...f two (3)']
    """
    full = [str(name) for name in names]
    short = [shorten(name, most) for name in full]
    return [
        f"{name} ({k + 1})" if short.count(name) > 1 and whole != name else name
        for k, (name, whole) in enumerate(zip(short, full, strict=True))
    ]
