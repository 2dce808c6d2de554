"""What speaks for the class of a row, variable by variable."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..analysis.why import why
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable
from .words import write_field


def list_reasons(fit: Fitted, row: Any) -> pd.DataFrame:
    """`Fit.why` for a picture: by how much each variable brings a row nearer to its prototype than to the rival.

    Parameters
    ----------
    fit : Fitted
    row : as in `Fit.why`

    Returns
    -------
    DataFrame
        One row for each variable, those that decide most first: `variable`, `value`, `prototype` and `rival` (their values, as
        texts), and `favour`, the part of the distance to the rival minus that of the distance to the prototype: the sum of all is
        the difference of the two distances. `attrs` are those of `Fit.why`.

    Raises
    ------
    NotAvailable
        Where distances can't be divided among variables, or one class alone has prototypes.
    """
    table = why(fit, row)
    if "not_additive" in table.attrs:
        raise NotAvailable(f"plot('why') divides distances among variables: {table.attrs['not_additive']}")
    if "rival" not in table.attrs:
        raise NotAvailable("plot('why') compares with the nearest prototype of another class, and there is none")
    out = pd.DataFrame({"variable": table.index.astype(str)})
    for name in ("value", "prototype", "rival"):
        out[name] = [write_field(value, 24) for value in table[name]]
    out["favour"] = (table["to_rival"] - table["to_prototype"]).to_numpy(float)
    out = out.sort_values("favour", key=lambda values: -values.abs(), kind="stable", ignore_index=True)
    out.attrs |= table.attrs
    return out
