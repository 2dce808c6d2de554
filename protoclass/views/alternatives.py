"""Alternatives to prototypes, and criticisms, as the tables that their pictures draw."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..analysis.alternatives import Alternatives, Criticisms
from .names import shorten

NAME = 24  # letters of a class in brackets


def list_alternatives(result: Alternatives) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row for each prototype (`order` from 1, `name`, `class`, `cost_without`, `at_least`), and for each substitute (`order`
    of the prototype, `class`, `cost`)."""
    table = result.table
    order = np.arange(1, len(table) + 1)
    names = [f"{shorten(str(label))}, {verdict}" for label, verdict in zip(table.index, table["verdict"], strict=True)]
    own = pd.DataFrame({
        "order": order, "name": names, "class": table["class"].to_numpy(),
        "cost_without": table["cost_without"].to_numpy(), "at_least": table["at_least"].to_numpy(),
    })  # fmt: skip
    counts = [len(some) for some in table["substitutes"]]
    costs = [cost for some in table["substitutes"] for cost in some.values()]
    classes = table["class"].to_numpy()
    return own, pd.DataFrame(
        {"order": np.repeat(order, counts), "class": np.repeat(classes, counts), "cost": np.array(costs, float)}
    )


def list_criticisms(result: Criticisms) -> pd.DataFrame:
    """One row for each criticism: `order` from 1, `name` (label, reason, and the prototype that takes it), `class`, `score`."""
    table = result.table
    names = [
        f"{shorten(str(label))}, {reason or 'explained'}: {shorten(str(prototype))} ({shorten(str(level), NAME)})"
        for label, reason, prototype, level in zip(
            table.index, table["reason"], table["prototype"], table["prototype_class"], strict=True
        )
    ]
    return pd.DataFrame({
        "order": np.arange(1, len(table) + 1), "name": names, "class": table["class"].to_numpy(),
        "score": table[result.score].to_numpy(),
    })  # fmt: skip
