"""What the columns of a design matrix are made from."""

from __future__ import annotations

from .frame import Frame
from .terms import columns_of


def predictors_of_columns(frame: Frame) -> tuple[frozenset[str], ...]:
    """The predictors that each column of the design matrix is made from, which is itself not read.

    Examples
    --------
    >>> import pandas as pd
    >>> from protoclass.frames.frame import mold
    >>> frame = mold("~ a + a:b", pd.DataFrame({"a": [1.0, 2.0], "b": [0.5, 3.0]}), response=False)
    >>> [sorted(used) for used in predictors_of_columns(frame)]
    [['a'], ['a', 'b']]
    """
    if frame.spec is None:
        return tuple(frozenset([c]) for c in frame.columns.columns)
    made: list[frozenset[str]] = [frozenset()] * len(frame.spec.column_names)
    for term in frame.formula.terms:
        used = frozenset().union(*(frame.formula.uses[f.expr] for f in term.factors))
        for k in range(len(made))[columns_of(term, frame.spec)]:
            made[k] = used
    return tuple(made)
