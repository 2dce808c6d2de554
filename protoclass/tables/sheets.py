"""A statsmodels Summary whose HTML and LaTeX show what comes from data as text, whatever it holds."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from statsmodels.iolib.summary import Summary, summary_return
from statsmodels.iolib.table import SimpleTable

from ..ground.errors import visible

LATEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
         "<": r"\textless{}"}  # fmt: skip
BY_STATSMODELS = {"$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%", ">": "$>$", "|": "$|$"}  # in cells


def escape_latex(text: str) -> str:
    """Text for LaTeX, in which no character is a command.

    Examples
    --------
    >>> print(escape_latex(r"\\input{x} 50 %"))
    \\textbackslash{}input\\{x\\} 50 \\%
    """
    return "".join({**LATEX, **BY_STATSMODELS}.get(character, character) for character in text)


def escape_cell(text: str) -> str:
    """A cell for LaTeX: what statsmodels leaves of the escaping."""
    return "".join(LATEX.get(character, character) for character in text)


@dataclass(frozen=True)
class Sheet:
    """The cells of a table of a summary, as plain text."""

    cells: Sequence[Sequence[str]]  # row by row
    title: str
    headers: Sequence[str] | None = None
    stubs: Sequence[str] | None = None
    aligns: str = "r"  # "l" or "r" for each column, or one for all

    def table(self, escape: Callable[[str], str] = str) -> Any:
        """The table of statsmodels, with each text in one visible line and escaped."""

        def one(text: str) -> str:
            return escape(visible(text))

        def several(texts: Sequence[str] | None) -> list[str] | None:
            return None if texts is None else [one(text) for text in texts]

        cells = [[one(cell) for cell in row] for row in self.cells]
        beside: dict[str, Any] = {} if self.stubs is None else {"stub_align": "l"}
        return SimpleTable(
            cells, several(self.headers), several(self.stubs), one(self.title), data_aligns=self.aligns, **beside
        )


class SheetSummary(Summary):  # type: ignore[misc]
    """A Summary of sheets and notes."""

    def __init__(self, sheets: Sequence[Sheet], notes: Sequence[str]) -> None:
        super().__init__()
        self.sheets, self.notes = tuple(sheets), tuple(map(visible, notes))
        self.tables = [sheet.table() for sheet in self.sheets]
        self.add_extra_txt(list(self.notes))

    def as_html(self) -> str:
        """The tables and notes in HTML."""
        tables = summary_return([sheet.table(html.escape) for sheet in self.sheets], return_fmt="html")
        return f"{tables}<br/><br/>{'<br/>'.join(map(html.escape, self.notes))}"

    def as_latex(self) -> str:
        """The tables and notes in LaTeX."""
        tables = summary_return([sheet.table(escape_cell) for sheet in self.sheets], return_fmt="latex")
        notes = " \\newline\n ".join(map(escape_latex, self.notes))
        return f"{tables}\n\n{notes}"

    def _repr_html_(self) -> str:
        return self.as_html()
