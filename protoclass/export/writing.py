"""Pages of text and small tables as Markdown and HTML, in which everything that comes from data is escaped."""

from __future__ import annotations

import html
import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import pandas as pd

from ..ground.options import significant

SHOWN = 20  # rows of a table
INLINE = {c: f"&#{ord(c)};" for c in "&<>|`\\$@[]"} | {c: f"\\{c}" for c in "_*~^"}  # characters with a meaning in Markdown
PACKAGES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "formulaic", "statsmodels", "highspy", "matplotlib")
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #8886; }
table, th, td { border: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.7rem; text-align: right; } th:first-child, td:first-child { text-align: left; }
tbody tr:nth-child(even) { background: #8881; } img { max-width: 100%; background: white; border-radius: 4px; }
pre { white-space: pre-wrap; background: #8881; padding: 0.7rem; border-radius: 4px; } ul { padding-left: 1.2rem; }
"""


@dataclass(frozen=True)
class Text:
    """Sentences, each a paragraph or an entry of a list."""

    sentences: Sequence[str]
    listed: bool = False

    def markdown(self) -> str:
        lines = map(escape_markdown, self.sentences)
        return "\n".join(f"- {line}" for line in lines) if self.listed else "\n\n".join(lines)

    def html(self) -> str:
        tag = "li" if self.listed else "p"
        lines = "".join(f"<{tag}>{html.escape(sentence)}</{tag}>" for sentence in self.sentences)
        return f"<ul>{lines}</ul>" if self.listed else lines


@dataclass(frozen=True)
class Code:
    """A line of Python."""

    line: str

    def markdown(self) -> str:
        fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall("`+|$", self.line)))
        return f"{fence}python\n{' '.join(self.line.split())}\n{fence}"

    def html(self) -> str:
        return f"<pre><code>{html.escape(self.line)}</code></pre>"


@dataclass(frozen=True)
class Table:
    """A small table of texts."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        head, *rows = ([escape_markdown(c) for c in row] for row in (self.head, *self.rows))
        return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))

    def html(self) -> str:
        def row(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

        head = f"<thead>{row(self.head, 'th')}</thead>" if any(self.head) else ""
        return f"<table>{head}<tbody>{''.join(row(cells, 'td') for cells in self.rows)}</tbody></table>"


Part = Text | Code | Table
Sections = Iterable[tuple[str, Sequence[Any]]]  # headings and parts; texts are HTML already


def table_of(frame: pd.DataFrame, index: str) -> Table:
    """A table of pandas with its index as the first column."""
    head = frame.head(SHOWN)
    rows = [[str(label), *map(cell, row)] for label, row in zip(head.index, head.astype(object).to_numpy(), strict=True)]
    return Table([index, *map(str, frame.columns)], rows)


def cell(value: Any) -> str:
    """A value of a table."""
    if isinstance(value, float):
        return "" if value != value else significant(value)
    return "" if value is None or value is pd.NA or value is pd.NaT else str(value)


def escape_markdown(text: str) -> str:
    """A text for a line of Markdown, in which nothing is markup, a link or HTML.

    Examples
    --------
    >>> print(escape_markdown("a|b_c <i> `x`"))
    a&#124;b\\_c &#60;i&#62; &#96;x&#96;
    """
    line = "".join(INLINE.get(c, c) for c in " ".join(text.split()))
    line = line.replace("://", "&#58;//").replace("www.", "www&#46;")
    first = re.match(r"[#+-]+(\s|$)|=+$|\d+[.)](\s|$)", line)
    return f"&#{ord(line[0])};{line[1:]}" if first else line  # a heading, a list or a rule


def to_markdown(title: str, sections: Sections) -> str:
    """A page in Markdown."""
    blocks = [f"# {escape_markdown(title)}"]
    for head, parts in sections:
        blocks += [f"## {escape_markdown(head)}", *(part.markdown() for part in parts)]
    return "\n\n".join(blocks) + "\n"


def to_html(title: str, sections: Sections) -> str:
    """The body of a page in HTML."""
    lines = [f"<h1>{html.escape(title)}</h1>"]
    for head, parts in sections:
        lines += [f"<h2>{html.escape(head)}</h2>", *(part if isinstance(part, str) else part.html() for part in parts)]
    return "\n".join(lines) + "\n"


def to_page(title: str, body: str, look: str = STYLE, policy: str = "") -> str:
    """A self-contained page around its body."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{policy}<meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{look}</style></head>\n<body>{body}</body></html>\n"
    )


def versions() -> list[str]:
    """Each package with its version."""
    first = [f"protoclass {own_version()}", f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"]
    return [*first, *(f"{name} {version(name)}" for name in PACKAGES)]


def own_version() -> str:
    from .. import __version__

    return __version__


def cited() -> list[str]:
    """The package, and the paper of its first method."""
    return [
        f"protoclass {own_version()}: classification by prototypes, on any dissimilarity. Python package.",
        "J. Bien and R. Tibshirani (2011). Prototype selection for interpretable classification. "
        "Annals of Applied Statistics 5 (4), 2403-2424.",
    ]
