"""A statsmodels Summary whose HTML and LaTeX show values from the data as text, with any characters."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.iolib.summary import Summary, summary_return
from statsmodels.iolib.table import SimpleTable

from ..ground.errors import brief, escape_latex, printed, visible
from ..ground.options import significant
from ..values import Result

MINUS = re.compile(r"(?<![\w.)}-])-(?=\d)")  # of a number


@dataclass(frozen=True)
class Sheet:
    """The cells of a table of a summary, as plain text."""

    cells: Sequence[Sequence[str]]  # row by row
    title: str
    headers: Sequence[str] | None = None
    stubs: Sequence[str] | None = None
    aligns: str = "r"  # "l" or "r" for each column, or one for all
    corner: str = ""  # text above the stubs

    def table(self, escape: Callable[[str], str] = str) -> Any:
        """The table of statsmodels, with each text in one visible line and escaped."""

        def shown(texts: Sequence[str]) -> list[str]:
            return [escape(visible(text)) for text in texts]

        headers, stubs = (
            None if texts is None else shown(texts) for texts in (self.headers, self.stubs)
        )
        beside = {} if stubs is None else {"stub_align": "l"}
        (title,), cells = shown([self.title]), list(map(shown, self.cells))
        return SimpleTable(cells, headers, stubs, title, data_aligns=self.aligns, **beside)

    def latex(self) -> str:
        """One tabular with the rules of booktabs, whose head and cells have the same columns; long
        texts without a head are broken.

        If it is wider than a page, it is made smaller as a whole.
        """
        heads = [] if self.headers is None else [[self.corner, *self.headers]]
        stubs = [""] * len(self.cells) if self.stubs is None else self.stubs
        lines = heads + [[stub, *cells] for stub, cells in zip(stubs, self.cells, strict=True)]
        first = int(self.stubs is None)
        form = f"l{self.aligns * len(lines[0]) if len(self.aligns) == 1 else self.aligns}"
        form = form[first : len(lines[0])]
        if not heads and form.endswith("l"):
            form = form[:-1] + r"p{0.7\linewidth}"
        lines = [line[first:] for line in lines]
        rows = [
            " & ".join(MINUS.sub("$-$", escape_latex(visible(cell))) for cell in line) + r" \\"
            for line in lines
        ]
        rows[len(heads) : len(heads)] = [r"\midrule"] * len(heads)
        table = "\n".join(
            [rf"\begin{{tabular}}{{{form}}}", r"\toprule", *rows, r"\bottomrule", r"\end{tabular}"]
        )
        # a line of LaTeX's article has 80 characters
        widths = (2 + max(map(len, column)) for column in zip(*lines, strict=True))
        return (
            f"\\begin{{adjustbox}}{{max width=\\linewidth}}\n{table}\n\\end{{adjustbox}}"
            if heads and sum(widths) > 80
            else table
        )


def sheet_of(frame: pd.DataFrame, title: str) -> Sheet:
    """A frame as a sheet: texts as they are, other numbers rounded, the index at the left."""
    named = {
        name: frame[name].astype(object).map(str, na_action="ignore")
        for name in frame.select_dtypes("category")
    }
    columns = [column.astype(object).map(_cell) for _, column in frame.assign(**named).items()]
    cells = [list(row) for row in zip(*columns, strict=True)]
    return Sheet(
        cells,
        title,
        list(map(str, frame.columns)),
        list(map(str, frame.index)),
        corner=str(frame.index.name or ""),
    )


def _cell(value: Any) -> str:
    if isinstance(value, (list, tuple, np.ndarray)):
        return brief(list(value))
    return "" if pd.isna(value) else significant(value) if isinstance(value, float) else str(value)


class SheetSummary(Summary):  # type: ignore[misc]
    """A Summary of sheets and notes."""

    def __init__(self, sheets: Sequence[Sheet], notes: Sequence[str]) -> None:
        super().__init__()
        self.sheets, self.notes = tuple(sheets), tuple(map(visible, notes))
        self.tables = [sheet.table() for sheet in self.sheets]
        self.add_extra_txt(list(self.notes))

    @printed
    def __str__(self) -> str:
        return str(self.as_text())

    def as_html(self) -> str:
        """The tables and notes in HTML."""
        tables = summary_return(
            [sheet.table(html.escape) for sheet in self.sheets], return_fmt="html"
        )
        return f"{tables}<br/><br/>{'<br/>'.join(map(html.escape, self.notes))}"

    def as_latex(self, caption: str | None = None, label: str | None = None) -> str:
        r"""A table of LaTeX: a tabular for each part with its title, and the notes. It needs
        `\usepackage{booktabs, adjustbox}`.

        Parameters
        ----------
        caption : str, optional
            Caption as printed: commands of LaTeX are escaped. Default: the first title.
        label : str, optional
            Label for `\ref`, such as "tab:iris".
        """
        titles = [escape_latex(visible(sheet.title)) for sheet in self.sheets]
        head = titles[0] if caption is None else escape_latex(visible(caption))
        parts = [
            sheet.latex()
            if title == head or len(titles) == 1
            else f"{title}\n\n\\smallskip\n{sheet.latex()}"
            for title, sheet in zip(titles, self.sheets, strict=True)
        ]
        notes = " \\par\n".join(map(escape_latex, self.notes))
        parts += (
            [f"\\begin{{minipage}}{{\\linewidth}}\n\\footnotesize\n{notes}\n\\end{{minipage}}"]
            if notes
            else []
        )
        named = [] if label is None else [rf"\label{{{label}}}"]
        top = [
            "% \\usepackage{booktabs, adjustbox}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{head}}}",
            *named,
        ]
        return "\n".join([*top, "\n\n\\medskip\n".join(parts), r"\end{table}"])


class PaperTable(SheetSummary):
    """A table for a paper.

    Attributes
    ----------
    frame : DataFrame
        Texts of the table: the heads of the columns are their names, and the index is left of the
        rows.
    """

    def __init__(self, frame: pd.DataFrame, title: str, notes: Sequence[str]) -> None:
        sheet = sheet_of(frame, title)
        super().__init__([sheet], notes)
        index = pd.Index(
            map(visible, sheet.stubs or ()), name=visible(str(frame.index.name)), dtype=object
        )
        self.frame = pd.DataFrame(
            [list(map(visible, row)) for row in sheet.cells],
            index,
            list(map(visible, sheet.headers or ())),
        )


def summary(result: Result) -> Summary:
    """Summary of the result: the words of print and its tables with all rows, as text, HTML and LaTeX."""
    words, tables = result._said()
    title, *notes = words.split("\n")
    tables = tables or [(result.glance(), {})]
    return SheetSummary(
        [sheet_of(table, "" if k else title) for k, (table, _) in enumerate(tables)], notes
    )
