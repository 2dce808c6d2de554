"""Whether rows that should be new are training rows: the number with the predictors of a training row, and the expected number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..core.query import answer
from .copies import signatures
from .fitted import Fitted

OF_ROWS = ("distance", "decision", "prob")  # values that distinguish rows: the first that a rule has
SURE, UNLIKELY = 1e-6, 1e-3  # probabilities of this many coincidences, below which they raise an error or a warning


@dataclass(frozen=True)
class Coincidences:
    """New rows with the predictors of a training row."""

    rows: int  # new rows
    same: np.ndarray  # bool (rows,): rows with the predictors of any training row, or of the training row with the same label
    expected: float  # expected number by coincidence
    chance: float  # probability of this many by coincidence
    sure: bool  # whether they are training rows beyond doubt
    by_label: bool  # whether `same` compares rows with the same label: if these are too many for coincidence

    @property
    def unlikely(self) -> bool:
        return self.chance < UNLIKELY

    def words(self) -> str:
        """How many there are, and how many there would be."""
        number = int(self.same.sum())
        which = "the training row with the same label" if self.by_label else "a training row"
        return f"{number} of the {self.rows} rows have the predictors of {which} (expected by coincidence: about {self.expected:.2g})"


def coincidences(fit: Fitted, new: pd.DataFrame) -> Coincidences | None:
    """New rows (complete) that coincide with training rows, with the expected number; None if the training rows are gone.

    The probability that a new row has the predictors of some training row is estimated by the proportion of training rows with a
    double. For training rows without a double it is estimated by the proportion of training rows with exactly one double (Good 1953).
    For rows with the same label it is estimated by the proportion of pairs of training rows that coincide. Only coincidences with training
    rows without a double, or of all rows with the training rows of the same labels, are sure.

    In simulations of six kinds of data (`python benchmarks/coincidences.py`), at most 1.5 % of sets of independent rows were unlikely, and
    none sure. Training rows with other labels were always unlikely, unless nearly all possible rows had been seen.

    If the dissimilarities are given, rows coincide if the rule gives the same values for them.

    References
    ----------
    Good (1953), *The population frequencies of species and the estimation of population parameters*.
    """
    frame = fit.frame
    if frame.absent is not None or len(new) == 0:
        return None
    if len(frame.schema):
        known, given = signatures(frame.columns, frame.schema), signatures(new, frame.schema)
    else:
        kinds = [kind for kind in OF_ROWS if kind in fit.rule.kinds]
        if not kinds:
            return None
        known, given = (signed(answer(fit.rule, kinds[0], query)) for query in (fit.query()[0], fit.query(new)[0]))
    n, m = len(known), len(given)
    found, place, count = np.unique(known, return_inverse=True, return_counts=True)
    at = np.minimum(np.searchsorted(found, given), len(found) - 1)
    of_any = found[at] == given
    single = of_any & (count[at] == 1)
    own = frame.index.get_indexer(new.index)
    labelled = own >= 0
    same_label = labelled & (known[own] == given)
    alone, twice = int((count == 1).sum()), 2 * int((count == 2).sum())
    pair = float((count * (count - 1.0)).sum()) / max(n * (n - 1.0), 1.0)  # the proportion of pairs of training rows that coincide
    half = n / 2  # training rows coincide in pairs, so they count half
    tests = {
        "any": (int(of_any.sum()), m, (n - alone) / 2, alone / 2),
        "single": (int(single.sum()), m, twice / 2, half - twice / 2),
        "same label": (int(same_label.sum()), int(labelled.sum()), pair * half, (1 - pair) * half),
        "single same label": (int((same_label & single).sum()), int(labelled.sum()), twice / 2, max(half * alone - twice / 2, 0.0)),
    }
    p = {name: at_least(*numbers) for name, numbers in tests.items()}
    every = bool(same_label.all()) and len(np.unique(place[own])) > 1
    sure = min(p["single"], p["single same label"]) < SURE or (every and p["same label"] < SURE)
    by_label = p["same label"] < UNLIKELY
    name = "same label" if by_label else "any"
    _, trials, yes, no = tests[name]
    return Coincidences(m, same_label if by_label else of_any, trials * yes / max(yes + no, 1), min(p.values()), sure, by_label)


def signed(values: np.ndarray) -> np.ndarray:
    """A number for each row of an array."""
    out = np.zeros(len(values), np.uint64)
    for column in values.T:
        out = out * np.uint64(1_000_003) + pd.util.hash_array(np.ascontiguousarray(column) + 0.0)
    return out


def at_least(k: int, trials: int, yes: float, no: float) -> float:
    """The probability of at least k successes in trials, after this many successes and failures: beta-binomial, from a flat prior.

    Examples
    --------
    >>> at_least(0, 10, 3, 4), round(at_least(2, 2, 0, 0), 4)
    (1.0, 0.3333)
    """
    if k <= 0:
        return 1.0
    from scipy.special import betaln, gammaln, logsumexp

    a, b, s = yes + 1, no + 1, np.arange(k, trials + 1)
    ways = gammaln(trials + 1) - gammaln(s + 1) - gammaln(trials - s + 1)
    return float(min(1.0, np.exp(logsumexp(ways + betaln(s + a, trials - s + b) - betaln(a, b)))))
