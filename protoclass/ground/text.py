"""Names, values and facts as text, and tables as HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

from .checks import is_real

WIDEST = 40  # letters of a name in a plot
SHOWN = 20  # of a longer list: rows of a table, names in a picture


def shorten(name: str, most: int = WIDEST) -> str:
    """A name for a plot, of at most so many letters: of a long one the beginning and the end.

    Examples
    --------
    >>> shorten("standard error of the mean concavity in mm, of 3")
    'standard error of...oncavity in mm, of 3'
    """
    half = most // 2
    return (
        name
        if len(name) <= most
        else f"{name[: most - half - 3].rstrip()}...{name[-half:].lstrip()}"
    )


def list_short(names: Iterable[Any], most: int = WIDEST) -> list[str]:
    """Names for a plot, which stay different: of those that are the same when they are cut, each
    has its place in brackets.

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


def write_number(value: float) -> str:
    """A number for a label: three digits, an integer without decimals.

    Examples
    --------
    >>> write_number(0.12345), write_number(1234.5), write_number(3.0), write_number(float("nan"))
    ('0.123', '1234', '3', '-')
    """
    if value == float("inf") or value != value:
        return "inf" if value > 0 else "-"
    return f"{value:.0f}" if abs(value) >= 100 or value == round(value) else f"{value:.3g}"


def write_value(value: Any, most: int = 160) -> str:
    """A value for a label or a page; of a long text the beginning and the end."""
    return write_number(float(value)) if is_real(value) else shorten(str(value), most)


def to_html(*parts: Any) -> str:
    """Parts of a page, in which everything that comes from data is escaped: texts (a paragraph for
    each line), facts by name, and pairs of a table of pandas and the arguments by which it is
    written.

    Examples
    --------
    >>> to_html("a < b", {"a": "1"})
    "<p>a &lt; b</p><table><tr><th style='text-align:left'>a</th><td style='text-align:left'>1</td></tr></table>"
    """
    return "".join(map(_to_html, parts))


def _to_html(part: Any) -> str:
    if isinstance(part, str):
        return "".join(f"<p>{html.escape(line)}</p>" for line in part.splitlines() if line.strip())
    if not isinstance(part, Mapping):
        table, how = part
        return table.to_html(**how)
    left = " style='text-align:left'"
    lines = (
        f"<th{left}>{html.escape(name)}</th><td{left}>{html.escape(fact)}</td>"
        for name, fact in part.items()
    )
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
