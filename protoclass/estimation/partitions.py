"""Predictions of rows that lie in partitions, each of them where it is."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..cluster.frame import over_partitions
from ..core.sources import part
from ..core.task import Rule
from ..frames.rowless import rowless
from ..metrics.dissimilarity import Dissimilarity

if TYPE_CHECKING:
    from .fitted import Fitted


def predict_partitions(fit: Fitted, new: Any, kind: str, level: float, prior: Any, loss: Any, threshold: Any, unseen: str) -> Any:
    """`Fit.predict` for a table in partitions: a lazy answer of its library, whose types are known.

    Arguments and columns are checked at once, values when the answer is computed.
    """
    fit.check_kind(kind, prior, loss, threshold)
    needed, answer = fit.needed_of_new(), partial(_answer, for_new_rows(fit), (kind, level, prior, loss, threshold, unseen))
    if needed is None:
        like = answer(new._meta_nonempty).iloc[:0]
    else:
        fit.frame.again(new._meta)
        like = answer(fit.frame.take(np.arange(1)).columns).iloc[:0]
    like = like.astype(object) if kind == "nearest" else like  # labels, and None where a row is not complete
    return over_partitions(new, needed, answer, like)


def _answer(fit: Fitted, how: tuple[Any, ...], rows: pd.DataFrame) -> pd.Series | pd.DataFrame:
    return fit.predictions(rows, *how)


def for_new_rows(fit: Fitted) -> Fitted:
    """The fit with no more than predictions of new rows need: small enough to be sent to where these are."""
    rule, dissimilarity = _without_rows(fit.rule, fit.dissimilarity)
    call, calibration = replace(fit.call, data=None, arguments={}), fit.calibration
    problem = replace(fit.problem, frame=rowless(fit.frame, np.arange(0)), call=call, groups=None, cv=None, candidates="train")
    if calibration is not None:
        small = [(old, *_without_rows(old.rule, old.dissimilarity)) for old in calibration.rules]
        calibration = replace(calibration, rules=tuple(replace(old, rule=r, dissimilarity=d) for old, r, d in small))
    return replace(
        fit, problem=problem, dissimilarity=dissimilarity, rule=rule, validation=None, calibration=calibration
    )


def _without_rows(rule: Rule, d: Dissimilarity) -> tuple[Rule, Dissimilarity]:
    """A rule with the candidates that it uses as its prototypes, and with no rows."""
    prototypes, no_rows = rule.prototypes, np.arange(0)
    kept = no_rows if prototypes.at is None else np.unique(prototypes.at)
    place = np.full(len(d.candidate_names), -1)
    place[kept] = np.arange(len(kept))
    small = replace(
        d, data=d.data.take(no_rows), rows=part(d.candidates, no_rows), candidates=part(d.candidates, kept),
        candidate_names=d.candidate_names[kept], candidate_row=np.full(len(kept), -1), added=None,
    )  # fmt: skip
    return rule if prototypes.at is None else rule.moved(place), small
