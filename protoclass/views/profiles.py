"""Each prototype beside the rows of its class: by which values it differs from them, what it covers, and its rival."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable
from .cards import find_rivals, read_predictors
from .names import shorten
from .prototypes import list_names, list_rows, list_shown
from .words import write_field, write_number


@dataclass(frozen=True)
class Profiles:
    """What is known of some prototypes.

    Attributes
    ----------
    heads : DataFrame
        One row for each prototype, by name: `class`, `order` from 1, `covers` and `miscovers` where the rule has them, `rival` (name of
        the nearest prototype of another class) and `rival_distance`.
    table : DataFrame
        One row for each prototype and variable: `prototype`, `variable`, `value` and `usual` (texts; the median of the class, or its
        most frequent value), and `apart`: the difference of the two in standard deviations of the variable, NaN for what is no number.
    count : int
        Prototypes that there are.
    """

    heads: pd.DataFrame
    table: pd.DataFrame
    count: int


def list_profiles(fit: Fitted, count: int) -> Profiles:
    """The profiles of the first `count` prototypes.

    Raises
    ------
    NotAvailable
        Where no prototypes were chosen.
    """
    shown = list_shown(fit)
    if not len(shown):
        raise NotAvailable("the fit has no chosen prototypes to show")
    prototypes, names, rows = fit.rule.prototypes, list_names(fit), list_rows(fit.rule.prototypes, fit.dissimilarity)
    usual = [_find_usual(fit, code) for code in range(len(fit.classes))]
    heads, parts = [], []
    for place in shown[:count].tolist():
        code = int(prototypes.classes[place])
        at, far = find_rivals(fit, None, place, 1)
        head = {"class": fit.classes[code], "order": place + 1}
        head |= {name: prototypes.table[name][place] for name in ("covers", "miscovers") if name in prototypes.table}
        heads.append(head | {"rival": names[at[0]] if len(at) else None, "rival_distance": far[0] if len(at) else np.nan})
        part = _compare(fit, read_predictors(fit, place, int(rows[place])), usual[code])
        parts.append(part.assign(prototype=[names[place]] * len(part)))
    columns = ["prototype", "variable", "value", "usual", "apart"]
    return Profiles(pd.DataFrame(heads, names[shown[:count]]), pd.concat(parts, ignore_index=True)[columns], len(shown))


def _find_usual(fit: Fitted, code: int) -> pd.Series:
    """The median of each numeric predictor in a class, and the most frequent value of others."""
    own = fit.frame.columns[fit.frame.codes == code]
    out = {}
    for name, column in fit.frame.schema.items():
        values = own[name].dropna()
        out[name] = None if values.empty else values.median() if column.kind == "numeric" else values.mode().iloc[0]
    return pd.Series(out, dtype=object)


def _compare(fit: Fitted, row: pd.Series, usual: pd.Series) -> pd.DataFrame:
    lines = []
    for name, column in fit.frame.schema.items():
        value, middle, apart = row[name], usual[name], np.nan
        if column.kind == "numeric" and middle is not None:
            spread = float(fit.frame.columns[name].std(ddof=1))
            apart = (float(value) - float(middle)) / spread if spread > 0 else 0.0
        lines.append((str(name), write_field(value, 24), "" if middle is None else write_field(middle, 24), apart))
    return pd.DataFrame(lines, columns=["variable", "value", "usual", "apart"]).astype({"apart": float})


def describe_head(head: pd.Series, name: object) -> list[str]:
    """What stands above a card: its place, name and class; what it covers; its rival."""
    lines = [f"{head['order']}. {shorten(str(name), 20)}: {shorten(str(head['class']), 20)}"]
    if "covers" in head:
        wrongly = f", {head['miscovers']:g} wrongly" if head.get("miscovers", 0) else ""
        lines.append(f"covers {head['covers']:g}{wrongly}")
    if head["rival"] is not None:
        lines.append(f"rival {shorten(str(head['rival']), 20)} at {write_number(float(head['rival_distance']))}")
    return lines
