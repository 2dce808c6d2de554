"""Rules of features in words, such as cuts of columns: what each feature covered and got wrong when it was chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from .words import count_features, write_value

MOST = 20  # features that a picture names


@dataclass(frozen=True)
class Features:
    """The features of a rule.

    Attributes
    ----------
    table : DataFrame
        One row for each feature in the order chosen: `label` (its condition; of several machines with the name of each),
        `covers` and `errors` (rows, when it was chosen).
    count : int
        Features that there are, of which the table has the first.
    title, subtitle : str
    """

    table: pd.DataFrame
    count: int
    title: str
    subtitle: str


def has_features_alone(fit: Fitted) -> bool:
    """Whether the rule is said by features in words and has no prototype that a map could show."""
    return not len(fit.rule.prototypes) and count_features(fit) > 0


def list_rule(fit: Fitted, most: int = MOST) -> Features:
    """The first features of a rule, in words and in numbers."""
    table = fit.model.feature_table(fit.learned)
    named = "machine" in table
    labels = [f"{m}: {r}" for m, r in zip(table["machine"], table["rule"], strict=True)] if named else table["rule"]
    shown = pd.DataFrame({"label": list(labels), "covers": table["q"], "errors": table["r"]}).head(most)
    some = f", the first {most}" if len(table) > most else ""
    settings = ", ".join(f"{name} {write_value(value)}" for name, value in fit.rule.report.items() if np.isscalar(value))
    return Features(shown, len(table), f"{fit.model.title}: {len(table)} feature{'s' * (len(table) != 1)}{some}", settings)
