"""Columns that were read wrongly, found before the fit: texts that are numbers or dates, row
numbers, numbers that may be codes, and texts that differ only by blanks or case."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd

from ..ground.checks import quoted
from ..ground.errors import DataError, DataWarning, shown, warn
from .formula import Formula

LOOKED_AT = 1000  # texts of a column, and rows that may be numbered
REPEATED = 3  # rows of each number, from which on all numbers are classes
PLACEHOLDER = re.compile(
    r"[\W_]*|\W?n\W?a\W?|n\W?d\W?|nan|none|null|nil|missing|unknown|0000-00-00.*", re.I
)
NONE = "(?!)"  # matches nothing
SEPARATORS = (  # the decimal signs, and the pattern of the sign of thousands
    (".", NONE),  # 1234.5
    (".", ","),  # 1,234.5
    (",", NONE),  # 1234,5
    (",", "[.]"),  # 1.234,5
    (",", r"\s"),  # 1 234,5
    (".", r"\s"),  # 1 234.5
    (".", "'"),  # 1'234.5
    (".,", NONE),  # 1234.5 in some texts and 1234,5 in others
)
SPELT = (  # a pattern in texts of numbers and dates, and its replacement, which pandas reads
    (r"[\u2212\u2013]", "-"),  # -1.5, with a typesetter's minus or dash
    (r"\u2019", "'"),  # 1'234, with a typesetter's apostrophe
    (r"[\u00b7\uff0e]", "."),  # 1.5, with a raised or a wide point
    (r"^=?[\"']+|[\"']+$", ""),  # ="1.5"
    (r"^\s*(?:\((.*\d)\)|(\S*\d)-)\s*$", r"-\1\2"),  # (1.5) and 1.5-
    (r"^-([$€£¥₹₽])", r"\1-"),  # -$1.5
    (r"(?<=[a-z])(?<![\d.,]e)[23]$", ""),  # 1.5 kg/m2, but not 1e2
    (r"\s*(\*+|\([a-z]\))$", ""),  # 1.5* and 1.5 (a)
    (r"^\s*(~|ca\.)", ""),  # ~1.5
)
COERCED = ", errors='coerce'"  # of pandas: other texts become missing
TIME = r"(?:\d+ days? )?\d{1,2}:\d\d(?P<second>:\d\d(\.\d+)?)?(?P<half>\s?[ap]m)?"
DATE = (
    r"([a-z]{3,9},? )?(\d{8}T\d{6}Z?|\d{4}[-/.]\d\d?([-/.]\d\d?)?|"
    r"\d\d?[-/.]\d\d?[-/.](\d{4}|\d\d)|\d\d?[-/]\d{4}|\d\d?[-. ]+[a-z]{3,9}\.?[-, ]+\d{2,4}|"
    rf"[a-z]{{3,9}}\.? \d\d?,? \d{{4}})([T ]+{TIME}\S*)?"
)
DAY_FIRST = re.compile(r"\s*(\d\d?\.|(1[3-9]|2\d|3[01])[-/])")
# first column, by the library that read it
UNNAMED = re.compile(r"Unnamed: 0(\.\d+)?|\.\.\.1|rownames", re.I)
IDENTIFIER = re.compile(r"(\w*[_. ])?id|\w*Id|index", re.I)


def check_separator(names: Sequence[Any], values: Sequence[Any] = ()) -> None:
    """Raise if the only column of a table shows another separator, in its name or equally often in
    all of some values.

    Examples
    --------
    >>> check_separator(["weight;income;group"])
    Traceback (most recent call last):
    protoclass.ground.errors.DataError: the only column, 'weight;income;group', contains the \
separator ';': use pd.read_csv(path, sep=';'), with decimal=',' if numbers have decimal commas
    """
    if len(names) != 1 or "\0" in str(names[0]):  # no text has a zero
        return
    for sign in ";\t|^: ":
        counts = {str(value).count(sign) for value in values}
        named, equal = sign in str(names[0]), len(counts) == 1 and counts != {0}
        if (named and (equal or sign in ";\t|")) or (equal and sign in ";\t"):
            raise DataError(
                f"the only column, {shown(names[0])}, contains the separator {sign!r}: use "
                f"pd.read_csv(path, sep={sign!r}), with "
                "decimal=',' if numbers have decimal commas"
            )


def numbers_as_text(name: Any, levels: Sequence[Any]) -> str:
    """The line that converts a column whose texts are nearly all numbers or dates; "" for others.

    Few whole numbers, also with a unit, and numbers with leading zeros are codes, unless a sign
    stands for a missing one.

    Examples
    --------
    >>> numbers_as_text("x", ["1,5", "2,25", "-"]).partition(": use ")[2]
    "pd.read_csv(..., decimal=',', na_values=['-'])"
    """
    sample = [str(level) for level in levels[:: len(levels) // LOOKED_AT + 1]]
    texts = {text: text for text in sample if not PLACEHOLDER.fullmatch(text)}
    column = written = f"data[{name!r}]"
    for pattern, plain in SPELT:
        spelt = {text: re.sub(pattern, plain, other) for text, other in texts.items()}
        if spelt != texts:
            texts, written = spelt, f"{written}.str.replace({pattern!r}, {plain!r}, regex=True)"
    for pattern, convert in PATTERNS.items():
        whole = re.compile(rf"\s*(?:{pattern})\s*", re.I)
        found = {text: match for text in texts if (match := whole.fullmatch(texts[text]))}
        lost = [text for text in sample if text not in found]
        enough = found and len(found) >= 0.9 * len(texts)
        cure = convert(column, written, list(found.values()), lost) if enough else ""
        if cure:
            odd = [text for text in found if not re.fullmatch(r"-?\d+(\.\d+)?", text)] or [*found]
            such = quoted([*odd[:2], *lost[:1]])
            return f"text that seems to be numbers or dates, such as {such}: use {cure}"
    return ""


def number_pattern(decimal: str, thousands: str) -> str:
    """The pattern of a number with one of these decimal signs, and a pattern of the sign of thousands."""
    return rf"""(?x:
        (
            (?P<bound> [<>≤≥]=? )  # <5
            | (?P<currency> [$€£¥₹₽] | CHF | EUR | GBP | USD )  # $5
        )? \s* [-+]?
        (?P<body>
            \d{{1,3}} ({thousands}\d{{2,3}})* {thousands}\d{{3}} (?!e) ([{decimal}]\d*)?  # 1,234.5
            | \d+ ([{decimal}]\d*)?  # 1234.5
            | [{decimal}]\d+  # .5
        )
        (
            (?P<exponent> e[-+]?\d+ )  # 5e-3
            | \s* (?P<unit> [%‰°$€£¥]\w? | [^\W\d_][^\d\s]* )  # 5% or 5 kg
        )?
    )"""


def _numeric(
    column: str, written: str, found: list[re.Match[str]], lost: list[str], decimal: str
) -> str:
    """The line that converts texts to numbers; "" for codes, different units, and bounds alone.

    Examples
    --------
    >>> pattern = re.compile(number_pattern(".", ","))
    >>> found = [pattern.fullmatch(text) for text in ("$2,500", "$0.5")]
    >>> print(_numeric("x", "x", found, [], "."))
    x = pd.to_numeric(x.str.replace(r'[^\\d.-]', '', regex=True))
    """
    bodies = [match["body"] for match in found]
    bounds, currencies, exponents, units = (
        [match[part] for match in found if match[part]]
        for part in ("bound", "currency", "exponent", "unit")
    )
    whole = (re.fullmatch(r"\s*[-+]?\d+(\.0+)?\s*[a-z]*\s*", match[0], re.I) for match in found)
    codes = not lost and len(found) <= 10 and all(whole)
    zeros = any(re.match(r"0\d", body) for body in bodies)
    if codes or len(bounds) == len(found) or len({*units}) > 1 or zeros:
        return ""
    signs = {*"".join(bodies)} - {*"0123456789"}
    thousands, marks = "".join(signs - {*decimal}), bounds + currencies + units
    if written == column and not marks and thousands.isascii() and decimal != ".,":
        options = ["decimal=','"] * (decimal == "," in signs)
        options += [f"thousands={mark!r}" for mark in thousands]
        options += [f"na_values={lost}"] * bool(lost)
        if options:
            return f"pd.read_csv(..., {', '.join(options)})"
    if marks or thousands or "," in decimal:
        exponent = rf"(?i)(?!(?<=[\d{decimal}])e[-+]?\d)" * bool(exponents)  # it stays
        written += f".str.replace(r'{exponent}[^\\d{decimal}-]', '', regex=True)"
        written += ".str.replace(',', '.')" * ("," in decimal)
    return f"{column} = pd.to_numeric({written}{COERCED * bool(lost)})"


def _seconds(column: str, written: str, found: list[re.Match[str]], lost: list[str]) -> str:
    """The line that converts times of a day."""
    coerced = COERCED * bool(lost)
    if found[0]["half"]:
        written = f"pd.to_datetime({written}, format='mixed'{coerced}).dt.strftime('%T')"
    elif not found[0]["second"]:
        written += " + ':00'"
    return f"{column} = pd.to_timedelta({written}{coerced}).dt.total_seconds()"


def in_days(
    column: str, written: str, found: Iterable[re.Match[str]] = (), lost: Iterable[str] = ()
) -> str:
    """The line that converts a column of dates to numbers of days."""
    first = ", dayfirst=True" * any(DAY_FIRST.match(match[0]) for match in found)
    return (
        f"{column} = pd.DatetimeIndex(pd.to_datetime({written}, format='mixed', "
        f"utc=True{first}{COERCED * bool(lost)})).to_julian_date()"
    )


PATTERNS: Mapping[str, Callable[..., str]] = {
    **{
        number_pattern(decimal, thousands): partial(_numeric, decimal=decimal)
        for decimal, thousands in SEPARATORS
    },
    TIME: _seconds,
    DATE: in_days,
}


def refuse_numbers_as_text(name: Any, levels: Sequence[Any]) -> None:
    """Raise if nearly all texts of a column are numbers or dates."""
    found = numbers_as_text(name, levels)
    if found:
        raise DataError(
            f"column {name!r} is {found}, or data[{name!r}].astype('category') if they are categories"
        )


def refuse_row_numbers(formula: Formula, data: pd.DataFrame) -> None:
    """Raise if the `.` of a formula includes a column that numbers or identifies the rows."""
    names = formula.by_dot()
    for name in names:
        first = name == data.columns[0]
        unnamed = first and UNNAMED.fullmatch(name)
        if unnamed or (
            len(names) > 1 and numbers_rows(data[name], IDENTIFIER.fullmatch(name) is not None)
        ):
            index = "pd.read_csv(..., index_col=0), or " * first
            written = name if name.isidentifier() else f"`{name}`"
            raise DataError(
                f"column {name!r} numbers or identifies the rows, so it is not a useful predictor, "
                f"but '.' includes it: use {index}"
                f"'- {written}' to leave it out, or '+ {written}' to include it"
            )


def numbers_rows(column: pd.Series, named: bool = False) -> bool:
    """Whether the values are whole numbers, each once, too dense for counts or measurements.

    Rows may be shuffled or left out. Identifiers by name (`named`) need not be dense.
    """
    if column.dtype.kind not in "iuf":
        return False
    for part in (column.iloc[:LOOKED_AT].dropna(), column.dropna()):
        values = part.to_numpy(float)
        if (values < 0).any() or (values != np.floor(values)).any() or not part.is_unique:
            return False
    n, top = len(values), values.max(initial=0)
    # of n random numbers below n^2 / 16, about 8 pairs are equal; the lowest of n row numbers is
    # about 1 / n of the highest
    return bool(n >= 8 and (named or top <= n or 2 * n * values.min() <= 16 * top < n * n))


def note_codes(columns: pd.DataFrame, names: Collection[str]) -> tuple[str, ...]:
    """A note on columns of 3 to 6 whole numbers, which may be codes, unless most columns are so.

    Examples
    --------
    >>> note_codes(pd.DataFrame({"race": [1, 2, 3] * 9, "x": range(27)}), ["race", "x"])
    ("numbers that may be codes: race (1, 2, 3); .astype('category') makes categories of them",)
    """
    codes = []
    for name in filter(names.__contains__, columns):
        values = columns[name].iloc[:LOOKED_AT].dropna()
        few, count = np.unique(
            values.to_numpy(float) if values.dtype.kind in "iuf" else [], return_counts=True
        )
        whole = 3 <= len(few) <= 6 and (few == np.floor(few)).all() and len(few) <= few[-1] < np.inf
        if whole and count.min() >= max(REPEATED, len(values) / 100):
            codes.append(f"{name} ({', '.join(map('{:g}'.format, few))})")
    note = f"numbers that may be codes: {', '.join(codes[:3])}; .astype('category') makes categories of them"
    return (note,) if 0 < len(codes) <= len(names) / 2 else ()


def warn_of_alike(what: str, levels: Iterable[Any]) -> None:
    """Warn of texts that differ only by blanks, invisible characters, Unicode forms or case; texts
    such as "hAd" have a meaning in their case."""
    texts = pd.Series([level for level in levels if isinstance(level, str)], dtype=object)
    plain = texts.map(lambda text: " ".join(normalize("NFKC", text).split()))
    folded = plain.map(lambda text: text if re.search("[a-z][A-Z]", text) else text.casefold())
    folded = folded.map(lambda text: "".join(filter(str.isprintable, text)))
    alike = texts[folded.isin(folded[folded.duplicated()][:1])]
    if len(alike):
        warn(
            f"{what} differ only by blanks or case, {quoted(alike)}: use .str.strip() or "
            ".replace() if they are the same",
            DataWarning,
        )
