"""Names of columns in formulas: those that Python can't read as names get an alias while formulaic works."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import FormulaError, shown

# what a formula consists of, as far as names are concerned; a word is followed by "(" where it names a function
PARTS = re.compile(r"`([^`]*)`|\"[^\"]*\"|'[^']*'|%[^%]*%|[\w.]++")
FIXED = ("True", "False", "None", ".")  # words that are never bare names
LISTED = 12  # names in a message


@dataclass(frozen=True)
class Names:
    """The names of columns by which formulaic knows them.

    Attributes
    ----------
    alias : mapping of column to str
        An identifier for every column whose name is not a plain one, such as `my x`, `log(x)` or `class`.
    columns : mapping of str to column
        The way back, for every column.
    """

    alias: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)

    def of(self, column: str) -> str:
        """The name of a column inside formulaic."""
        return self.alias.get(column, column)

    def replace(self, text: str) -> str:
        """A formula's right side in which every quoted name, and every bare one that needs it, is an alias.

        Raises
        ------
        FormulaError
            Where a quoted name is not a column.
        """

        def one(match: re.Match[str]) -> str:
            word, quoted = match.group(), match.group(1)
            if quoted is not None:
                if quoted not in self.alias and self.columns.get(quoted) != quoted:
                    raise FormulaError(unknown(f"{shown(quoted)} in {shown(text)}", self.columns.values()))
                return f" {self.of(quoted)} "
            function = match.end() < len(text) and re.match(r"\s*\(", text[match.end() : match.end() + 9])
            return word if function or word in FIXED else self.alias.get(word, word)

        return PARTS.sub(one, text)

    def restore(self, text: str) -> str:
        """A term, or a column of the design matrix, with the names of the data."""
        if not self.alias:
            return text

        def one(match: re.Match[str]) -> str:
            column = self.columns.get(match.group())
            if column is None or column == match.group():
                return match.group()
            before, after = text[: match.start()], text[match.end() :]
            alone = before[-1:] in ("", ":") and after[:1] in ("", ":", "[")
            return column if alone else f"`{column}`"

        return re.sub(r"\w+", one, text)


def name_columns(columns: Iterable[str], reserved: Iterable[str]) -> Names:
    """Aliases for the columns that need one.

    Parameters
    ----------
    columns : names of the columns
    reserved : words that mean something else inside a formula

    Examples
    --------
    >>> name_columns(["a", "my x"], ["log"]).replace("a + log(`my x`)")
    'a + log( column_2_ )'
    """
    columns, reserved = list(columns), set(reserved)
    stem = "column_"
    while any(c.startswith(stem) for c in columns):
        stem = f"the_{stem}"
    alias = {c: f"{stem}{k + 1}_" for k, c in enumerate(columns) if not _is_plain(c) or c in reserved}
    return Names(alias, {alias.get(c, c): c for c in columns})


def _is_plain(name: str) -> bool:
    """Whether Python reads the name as itself: an identifier that is not reserved and that its parser leaves as it is."""
    plain = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__FORMULAIC")
    return plain and unicodedata.normalize("NFKC", name) == name


def unknown(what: str, columns: Iterable[str]) -> str:
    """The message where a formula names a column that does not exist."""
    columns = list(columns)
    listed = ", ".join(map(shown, columns[:LISTED]))
    more = f" and {len(columns) - LISTED} more" if len(columns) > LISTED else ""
    return f"{what} is not a column of the data; the columns are {listed}{more}"
