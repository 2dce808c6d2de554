"""A rule is what its fields hold: made again from them, pickled, saved and loaded, and written in SQL it gives the same answers."""

from __future__ import annotations

import sqlite3
import tempfile
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pandas as pd

from ..core.query import InSQL
from ..core.task import Rule
from ..export.saving import load
from ..fitting import Fit, fit
from ..ground.errors import NotAvailable, ProtoclassError
from .contract import ask_sqlite, pickled, require, uneven_classes
from .subject import RAW, Subject, answers, deed, registered, require_same

LEARNED = "keep all that is learned in fields of the rule"


def check_fields(s: Subject) -> None:
    """A rule can be made again from its fields, and from a pickle."""
    rule = s.fit.rule
    name = type(rule).__name__
    cure = "write @dataclass(frozen=True) above it, and @pc.savable above that"
    require(is_dataclass(rule), f"{s}: the rule {name} is not a dataclass: {cure}")
    values = {f.name: getattr(rule, f.name) for f in fields(rule) if f.init}  # type: ignore[arg-type]
    with deed(s, f"the rule, made again from its fields as {name}(...),"):
        made = type(rule)(**values)
        found = answers(made, s.query())
    want = answers(rule, s.query())
    beyond = f"the rule {name} keeps something beyond its fields, so that one made again from them"
    require_same(s, found, want, beyond, "make it a field", 0)
    require_same(s, answers(pickled(rule, f"the rule of {s}"), s.query()), want, "a pickled rule", LEARNED, 0)


def check_files(s: Subject) -> None:
    """A fit that was saved and loaded gives the same answers."""
    _check_file(s, s.new)
    uneven = uneven_classes()  # with another number of columns than of classes
    _check_file(replace(s, fit=fit("y ~ .", uneven, s.single, dissimilarity=RAW, cv=None)), uneven.drop(columns="y"))


def _check_file(s: Subject, new: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder, registered(s.kind):
        path = Path(folder) / "check.proto"
        cure = f"write @pc.savable above {type(s.fit.rule).__name__}, and above every class of its fields, with the axes that these have"
        try:
            s.fit.save(path)
            loaded = load(path)
        except ProtoclassError as reason:
            require(False, f"{s}: a fit can't be saved and loaded, as the rule or the method can't be: {reason}; {cure}")
        with deed(s, "a prediction of a fit that was saved and loaded"):
            found = answers(loaded.rule, loaded.query(new)[0])
        require(loaded.model == s.fit.model, f"{s}: a saved and loaded fit has other parameters, {loaded.model} instead of {s.fit.model}")
    require_same(s, found, answers(s.fit.rule, s.query(new)), "a fit that was saved and loaded", LEARNED, 0)


def check_sql(s: Subject) -> None:
    """A rule that can be written as SQL gives the same classes in SQLite."""
    rule: Rule = s.fit.rule
    if not isinstance(rule, InSQL) or rule.why_not_sql:
        return
    uneven = fit("y ~ .", uneven_classes(), s.single, dissimilarity=RAW, cv=None)
    for fitted, new in ((s.fit, s.new), (s.fit, s.data.drop(columns="y")), (uneven, uneven_classes().drop(columns="y"))):
        _check_query(s, fitted, new)


def _check_query(s: Subject, fitted: Fit, new: pd.DataFrame) -> None:
    try:
        with deed(s, "`sql` of the rule"):
            query = fitted.sql("sqlite")
    except NotAvailable as reason:
        require(False, f"{s}: why_not_sql is empty, and the rule is not written in SQL: {reason}")
    try:
        said = ask_sqlite({"new_rows": (list(new), new.to_numpy(float).tolist())}, query)["predicted"].astype(str)
    except sqlite3.Error as reason:
        require(False, f"{s}: SQLite can't run what `sql` of the rule writes: {reason}")
    want = fitted.predict(new).astype(str).reset_index(drop=True)
    differ = said.to_numpy() != want.to_numpy()
    require(
        not differ.any(),
        f"{s}: in SQL, {int(differ.sum())} of {len(new)} rows get another class than from `predict` (the first is row "
        f"{int(differ.argmax())}): correct `sql` of the rule, or say in `why_not_sql` why it can't be written",
    )
