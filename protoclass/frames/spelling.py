"""Spelling: R's words in formulas, names that Python cannot parse, numbers and dates as texts."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..ground.checks import quoted
from ..ground.errors import FormulaError, cut, shown

FUNCTIONS = {
    "factor": "C", "as.factor": "C", "as.character": "C", "splines::ns": "ns", "splines::bs": "bs",
    "stats::poly": "poly", "base::log": "log",
}  # fmt: skip
WORDS = {"TRUE": "True", "FALSE": "False", "NULL": "None", "Inf": "1e999"}
SHORT = {"T": "True", "F": "False"}  # only in options: elsewhere these are likely columns
OPTIONS = {"include.lowest": "include_lowest"}  # before a "=", inside a call

FRAME = "compute the column in the data frame first"
RIGHT = {  # function of R: its cure; {0} is its first argument
    "as.numeric": "use {0}, or convert the column in the data frame",
    "as.integer": "use {0}, or convert the column in the data frame",
    "ordered": "use {0}, and order its levels in the data frame, pd.Categorical(data['{1}'], levels, ordered=True)",
    "relevel": "use {0}, because every level has a column and none is the reference",
    "droplevels": "use {0}, and remove levels without rows in the data frame, "
    "data['{1}'].cat.remove_unused_categories()",
    "offset": "leave it out because dissimilarities have no offset, or use {0} if it should be a predictor",
    "Surv": "use the columns themselves, because survival times are not predictors",
    "cbind": "join columns by +, as in 'a + b'",
    "strata": "use {0}, or groups= with the column to have its rows in the same fold",
    "cluster": "use groups= with the column to have its rows in the same fold",
    "Error": "use groups= with the column to have its rows in the same fold",
    "s": "use ns({0}, df=4)",
    "lo": "use ns({0}, df=4)",
    "rcs": "use ns({0}, df=4)",
    "interaction": "use the columns joined by ':', with dissimilarity='euclidean'",
    "is.na": "use na='keep' with Gower to skip missing values, or compute data['{1}'].isna() in the data frame",
    "round": f"{FRAME}, data['{{1}}'].round()",
    "logit": "use log({0} / (1 - {0}))",
}
LEFT = {  # function on the left side
    **dict.fromkeys(
        ["factor", "as.factor", "as.character", "C"],
        "use {1} alone, because its values are the classes",
    ),
    "Surv": "make classes of the survival times in the data frame, such as data['late'] = data[{1}] > 365",
    "cut": "make the classes in the data frame, pd.cut(data[{1}], 3), and use their column",
    "ifelse": "make the classes in the data frame, np.where(...), and use their column",
}
PARTS = re.compile(
    r"`(?P<name>[^`]*)`|(?P<other>\"[^\"]*\"|'[^']*'|%[^%]*%)"
    r"|(?P<word>(?:[A-Za-z_]\w*::)?[A-Za-z_\x80-\U0010ffff][\w.\x80-\U0010ffff]*|\.[\w.]+)(?P<call>\s*\()?"
    r"|(?P<number>\d[\w.]*)|(?P<power>\^)|(?P<close>\))"
)
PIECES = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^']*'|%[^%]*%|[(\[)\]|]|[^`\"'%(\[)\]|]+|.", re.DOTALL)
VECTOR = re.compile(r"\s*((?:[^()'\"`]|'[^']*'|\"[^\"]*\")*)\)")  # after R's "c("
CONSTANTS = re.compile(r"(?:'[^']*'|\"[^\"]*\"|Inf|TRUE|FALSE|[\d.]+(?:e[+-]?\d+)?|[\s,+-])*")
ARGUMENT = re.compile(r"\s*(`[^`]*`|[\w.]*(?:\([^()]*\))?)")
FIXED = ("True", "False", "None", ".")  # words that are never bare names
LISTED = 12  # names in a message
QUOTED_BY_PATSY = re.compile(r"\bQ\(\s*(['\"])([^`]+?)\1\s*\)")
LOOK_ALIKE = str.maketrans(
    "\u223c\u223d\u2053\uff5e\u02dc\u301c\u2010\u2011\u2212\u2013\u2014\uff0d\uff0a\u2217\xd7\uff0b\uff1a\xa0",
    "~~~~~~------***+: ",
)

# proportion of the texts of a column that are numbers or dates, if it was read wrongly
NEARLY = 0.9
CODES = 10  # whole numbers as texts with at most as many values are codes
LOOKED_AT = 1000  # texts of a column, and rows that may be numbered
PLACEHOLDER = re.compile(
    r"[\W_]*|\W?n\W?a\W?|n\W?d\W?|nan|none|null|nil|missing|unknown|0000-00-00.*", re.I
)
SEPARATORS = (".", ".,", ",", r",\.", r",\s", r".\s", ".'")  # decimal sign, then that of thousands
SPELT = (  # in texts of numbers and dates: other characters and signs, and those that pandas reads
    (r"[\u2212\u2013]", "-"), (r"\u2019", "'"), (r"[\u00b7\u066b\uff0e]", "."),
    (r"^=?[\"']+|[\"']+$", ""), (r"^\s*(?:\((.*\d)\)|(\S*\d)-)\s*$", r"-\1\2"),
    (r"^-([$€£¥₹₽])", r"\1-"), ("[年月]", "-"), ("日", ""),
    # of units, footnotes and estimates
    (r"(?<=[a-z])[23]$", ""), (r"\s*(\*+|\([a-z]\))$", ""), (r"^\s*(~|ca\.)", ""),
)  # fmt: skip
NUMBER = (
    r"(?P<sign>[<>≤≥]=?|[$€£¥₹₽]|CHF|EUR|GBP|USD|)\s*[-+]?"
    r"(?P<body>\d{{1,3}}({1}\d{{2,3}})*{1}\d{{3}}(?!e)({0}\d*)?|\d+({0}\d*)?|{0}\d+)"
    r"(e[-+]?\d+|\s*(?P<unit>[%‰°$€£¥]\w?|[^\W\d_][^\d\s]*))?"
)
COERCED = ", errors='coerce'"  # of pandas: other texts become missing
TIME = r"(?:\d+ days? )?\d{1,2}:\d\d(:\d\d(\.\d+)?)?(\s?[ap]m)?"
DATE = (
    r"([a-z]{3,9},? )?(\d{8}T\d{6}Z?|\d{4}[-/.]\d\d?([-/.]\d\d?)?|"
    r"\d\d?[-/.]\d\d?[-/.](\d{4}|\d\d)|\d\d?[-/]\d{4}|\d\d?[-. ]+[a-z]{3,9}\.?[-, ]+\d{2,4}|"
    rf"[a-z]{{3,9}}\.? \d\d?,? \d{{4}})([T ]+{TIME}\S*)?"
)


def translate(right: str, names: Names, text: str) -> str:
    """The right side of a formula as formulaic reads it: `factor(g)` as `C(g)`, `x^2` as `x**2`,
    `TRUE` as `True`, names by their alias.

    Parameters
    ----------
    right : str
    names : Names
        Names of the columns, which may be words of R; a function is one before a parenthesis.
    text : str
        The formula, for messages.

    Raises
    ------
    FormulaError
        For functions of R without a counterpart, for `|`, and for quoted names of no column.

    Examples
    --------
    >>> names = name_columns(["g", "x", "z", "my x"], ["log"])
    >>> translate("factor(g) + I(x^2) + poly(z, 2, raw=TRUE) + log(`my x`)", names, "")
    'C(g) + I(x**2) + poly(z, 2, raw=True) + log( column_4_ )'
    """

    vectors: list[int] = []  # ends of R's c(...)

    def translate(match: re.Match[str]) -> str:
        if match["name"] is not None:
            return f" {_quoted(match['name'], names, text)} "
        if match["other"] is not None:
            if match["other"][0] == "%" and match["other"] != "%in%":
                raise FormulaError(
                    f"{shown(match['other'])} in {shown(text)} is not an operator of formulas: {FRAME}"
                )
            return match.group()
        if match["number"] is not None:  # such as a column that is called "2x"
            return names.of(match.group())
        if match["power"] is not None:
            return "**"
        if match["close"] is not None:
            return "]" if match.end() in vectors else ")"
        word, call = match["word"], match["call"]
        if call is None:
            after = re.match(r"\s*=(?!=)", right[match.end() :])
            if after:
                return _option(word, text)
            if word in names.alias or word in names.columns:
                return word if word in FIXED else names.of(word)
            option = right[: match.start()].rstrip().endswith("=")
            return {**WORDS, **SHORT}.get(word, word) if option else WORDS.get(word, word)
        if word == "c":
            vectors.append(_end_of_vector(right, match.end(), text))
            return "["
        if word in RIGHT:
            raise _refused(word, right[match.end() :], RIGHT, text)
        return FUNCTIONS.get(word, word) + call

    translated = PARTS.sub(translate, right)
    _check_outside_calls(right, text)
    return translated


def _quoted(name: str, names: Names, text: str) -> str:
    """The name inside formulaic of a column in backquotes."""
    if name not in names.alias and names.columns.get(name) != name:
        raise FormulaError(unknown(f"{shown(name)} in {shown(text)}", names.columns.values()))
    return names.of(name)


def _end_of_vector(right: str, start: int, text: str) -> int:
    """End of R's `c(...)`, which contains numbers or texts."""
    found = VECTOR.match(right, start)
    if found is None or not CONSTANTS.fullmatch(found.group(1)):
        raise FormulaError(
            f"c() in {shown(text)} must contain numbers or texts: join columns by +, as in 'a + b'"
        )
    return found.end()


def _option(word: str, text: str) -> str:
    if "." in word and word not in OPTIONS:
        raise FormulaError(
            f"the option {shown(word)} in {shown(text)} is R's and has no counterpart: leave it out"
        )
    return OPTIONS.get(word, word)


def check_left(left: str, text: str) -> None:
    """Raise if the left side calls a function of R."""
    called = re.match(r"([A-Za-z][\w.]*)\s*\(", left)
    if called and called.group(1) in LEFT:
        raise _refused(called.group(1), left[called.end() :], LEFT, text)


def _refused(name: str, after: str, cures: dict[str, str], text: str) -> FormulaError:
    match = ARGUMENT.match(after)
    written = (match and match.group(1)) or "a"
    plain = cut(written.strip("`"))
    of_left = cures is LEFT
    cure = cures[name].format(cut(written), shown(plain) if of_left else plain)
    return FormulaError(f"{shown(name)} in {shown(text)} is a function of R: {cure}")


def pieces(text: str) -> Iterator[tuple[str, int]]:
    """Quotations, brackets, bars and text between them, each with the brackets open after it."""
    depth = 0
    for piece in PIECES.findall(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(piece, 0)
        yield piece, depth


def _check_outside_calls(right: str, text: str) -> None:
    """Raise for R's `y ~ x | group` and `data$x`, and for comparisons, outside calls."""
    found = list(pieces(right))
    if any(piece == "|" and depth <= 1 for piece, depth in found):  # (1 | g), as lme4 writes it
        raise FormulaError(
            f"'|' in {shown(text)} is not allowed, because there are no conditional or random "
            "effects: use '+' if the column is a "
            "predictor, or groups= to have its rows in the same fold"
        )
    plain = "".join(piece for piece, depth in found if depth == 0)
    if taken := re.search(r"(?<![\w.])[\w.]++\$(`[^`]*`|[\w.]+)", plain):
        raise FormulaError(
            f"{shown(taken.group())} in {shown(text)} is not a column of the data: use {cut(taken.group(1))} alone"
        )
    if compared := re.search(
        r"(?<![\w.])([\w.]++|`[^`]*+`)\s*+([<>]=?|[!=]=)\s*([\w.]+|'[^']*'|\"[^\"]*\")", plain
    ):
        cure = f"ifelse({compared.group(1)} {compared.group(2)} {compared.group(3)}, 1, 0)"
        raise FormulaError(
            f"{shown(compared.group())} in {shown(text)} is true or false, but distances need numbers: use {cut(cure)}"
        )


def substitute(formula: str, old: str) -> str:
    """A changed formula as in R's `update`: `.` is replaced by this side of the old formula.

    Raises
    ------
    FormulaError
        If the response changes while a `.` means all columns but the response.

    Examples
    --------
    >>> substitute(". ~ . - b", "y ~ a + b"), substitute("~ .:c", "y ~ a + b")
    ('y ~ a + b - b', 'y ~ (a + b):c')
    """
    if not isinstance(formula, str):
        raise FormulaError(
            f"a formula must be text such as '. ~ . - x', not {type(formula).__name__}"
        )
    sides, before = sides_of(formula), sides_of(old)
    if len(sides) != 2 or len(before) != 2:
        return formula  # the parser of formulas reports the error
    left, right = (side.strip() for side in sides)
    old_left, old_right = (side.strip() for side in before)
    left = old_left if left in ("", ".") else left
    if left != old_left and _has_dot(right) and _has_dot(old_right):
        raise FormulaError(
            f"{shown(formula)} changes the response, but '.' in {shown(old)} means all columns "
            "except its response: name the predictors"
        )
    alone = (
        re.match(r"\.\s*(?:$|[+-])", right) is not None
        and len([m for m in _DOT.finditer(right) if not m.group(1)]) == 1
    )
    inside = old_right if alone or re.fullmatch(r"[\w.]+|`[^`]*`", old_right) else f"({old_right})"
    return f"{left} ~ {_DOT.sub(lambda m: m.group(1) or inside, right)}"


_DOT = re.compile(r"(`[^`]*`|\"[^\"]*\"|'[^']*'|[\w.]*\w[\w.]*|\.{2,})|(?<![\w.])\.(?![\w.])")


def _has_dot(right: str) -> bool:
    return any(not match.group(1) for match in _DOT.finditer(right))


def sides_of(text: str) -> list[str]:
    """The parts of a formula between its tildes, with names in backticks and plain signs.

    Examples
    --------
    >>> sides_of("y \u223c `a~b` \u2212 Q('my x')")
    ['y ', ' `a~b` - `my x`']
    """
    sides = [""]
    for piece in PIECES.findall(QUOTED_BY_PATSY.sub(r"`\2`", text)):
        first, *others = [piece] if piece[0] in "`'\"" else piece.translate(LOOK_ALIKE).split("~")
        sides[-1] += first
        sides += others
    return sides


@dataclass(frozen=True)
class Names:
    """The names of columns in formulaic.

    Attributes
    ----------
    alias : mapping of column to str
        An identifier for every column without a plain name, such as `my x`, `log(x)` or `class`.
    columns : mapping of str to column
        The inverse, for every column.
    """

    alias: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)

    def of(self, column: str) -> str:
        """The name of a column inside formulaic."""
        return self.alias.get(column, column)

    def restore(self, text: str) -> str:
        """A term, or a column of the design matrix, with the names of the data."""
        if not self.alias:
            return text

        def shorten(match: re.Match[str]) -> str:
            column = self.columns.get(match.group())
            if column is None or column == match.group():
                return match.group()
            before, after = text[: match.start()], text[match.end() :]
            alone = before[-1:] in ("", ":") and after[:1] in ("", ":", "[")
            return column if alone else f"`{column}`"

        return re.sub(r"\w+", shorten, text)


def name_columns(columns: Iterable[str], reserved: Iterable[str]) -> Names:
    """Aliases for the columns that need one.

    Parameters
    ----------
    columns : names of the columns
    reserved : words that mean something else inside a formula

    Examples
    --------
    >>> name_columns(["a", "my x", "log"], ["log"]).alias
    {'my x': 'column_2_', 'log': 'column_3_'}
    """
    columns, reserved = list(columns), set(reserved)
    stem = "column_"
    while any(c.startswith(stem) for c in columns):
        stem = f"the_{stem}"
    alias = {
        c: f"{stem}{k + 1}_" for k, c in enumerate(columns) if not _is_plain(c) or c in reserved
    }
    known = {alias.get(c, c): c for c in columns}
    return Names({**{unicodedata.normalize("NFC", c): a for c, a in alias.items()}, **alias}, known)


def _is_plain(name: str) -> bool:
    """Whether a name is an identifier that Python neither reserves nor changes."""
    plain = (
        name.isidentifier()
        and re.fullmatch(r"\w+", name)
        and not keyword.iskeyword(name)
        and not name.startswith("__FORMULAIC")
    )
    return bool(plain) and unicodedata.normalize("NFKC", name) == name


def unknown(what: str, columns: Iterable[str]) -> str:
    """The message if a formula names a column that does not exist."""
    columns = list(columns)
    listed = ", ".join(map(shown, columns[:LISTED]))
    more = f" and {len(columns) - LISTED} more" if len(columns) > LISTED else ""
    return f"{what} is not a column of the data: use one of {listed}{more}"


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
    for sign, plain in SPELT:
        spelt = {text: re.sub(sign, plain, other) for text, other in texts.items()}
        if spelt != texts:
            texts, written = spelt, f"{written}.str.replace({sign!r}, {plain!r}, regex=True)"
    for pattern, convert in PATTERNS.items():
        whole = re.compile(rf"\s*(?:{pattern})\s*", re.I)
        found = {text: match for text in texts if (match := whole.fullmatch(texts[text]))}
        lost = [text for text in sample if text not in found]
        enough = found and len(found) >= NEARLY * len(texts)
        cure = convert(column, written, found, lost) if enough else ""
        if cure:
            odd = [text for text in found if not re.fullmatch(r"-?\d+(\.\d+)?", text)] or [*found]
            such = quoted([*odd[:2], *lost[:1]])
            return f"text that seems to be numbers or dates, such as {such}: use {cure}"
    return ""


def _numeric(
    column: str, written: str, found: Mapping[str, re.Match[str]], lost: list[str], decimal: str
) -> str:
    """The line that converts texts to numbers; "" for codes, different units, and bounds alone."""
    signs, units = (
        {match[part] for match in found.values()} - {"", None} for part in ("sign", "unit")
    )
    bodies = [match["body"] for match in found.values()]
    whole = (
        re.fullmatch(r"\s*[-+]?\d+(\.0+)?\s*[a-z]*\s*", match[0], re.I) for match in found.values()
    )
    codes = not lost and len(found) <= CODES and all(whole)
    bounds = all(re.match("[<>≤≥]", match["sign"]) for match in found.values())
    if codes or bounds or len(units) > 1 or any(re.match(r"0\d", body) for body in bodies):
        return ""
    values, thousands = written, {*"".join(bodies)} - {*"0123456789", decimal}
    if (
        signs
        or units
        or not "".join(thousands).isascii()
        or (written != column and (thousands or decimal == ","))
    ):
        values += (
            f".str.replace(r'[^\\d{decimal}-]', '', regex=True)"
            + ".str.replace(',', '.')" * (decimal == ",")
        )
    elif written == column and (thousands or lost or decimal == ","):
        options = ["decimal=','"] * ("," in "".join(bodies) and decimal == ",") + [
            f"thousands={mark!r}" for mark in thousands
        ]
        return f"pd.read_csv(..., {', '.join(options + [f'na_values={lost}'] * bool(lost))})"
    if any(map(str.isdigit, thousands)):  # digits of other scripts
        return f"{column} = {values}.map(float)"
    return f"{column} = pd.to_numeric({values}{COERCED * bool(lost)})"


def _mixed(column: str, written: str, found: Mapping[str, re.Match[str]], lost: list[str]) -> str:
    """The line that converts numbers with decimal commas and decimal points."""
    return _numeric(column, f"{written}.str.replace(',', '.')", found, lost, ".")


def _seconds(column: str, written: str, found: Mapping[str, re.Match[str]], lost: list[str]) -> str:
    """The line that converts times of a day."""
    first = next(iter(found.values()))
    minutes = "" if first[1] else " + ':00'"
    times = (
        f"pd.to_datetime({written}, format='mixed'{COERCED * bool(lost)}).dt.strftime('%T')"
        if first[3]
        else f"{written}{minutes}"
    )
    return f"{column} = pd.to_timedelta({times}{COERCED * bool(lost)}).dt.total_seconds()"


def in_days(column: str, written: str, found: Iterable[str] = (), lost: Iterable[str] = ()) -> str:
    """The line that converts a column of dates to numbers of days."""
    day = re.compile(r"\s*(\d\d?\.|(1[3-9]|2\d|3[01])[-/])")
    first = ", dayfirst=True" * any(map(day.match, found))
    return (
        f"{column} = pd.DatetimeIndex(pd.to_datetime({written}, format='mixed', "
        f"utc=True{first}{COERCED * bool(lost)})).to_julian_date()"
    )


PATTERNS: Mapping[str, Callable[..., str]] = {
    **{
        NUMBER.format(re.escape(signs[0]), signs[1:] or "(?!)"): partial(_numeric, decimal=signs[0])
        for signs in SEPARATORS
    },
    NUMBER.format("[.,]", "(?!)"): _mixed,
    TIME: _seconds,
    DATE: in_days,
}
