"""Arrays of representations and of trained metrics: checked, compared and named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.memory import large
from ..core.sources import Rep
from ..ground.errors import DataError


def check_rep(rep: Rep, n: int, what: str) -> Rep:
    """The representation, if it is a tuple of arrays with `n` entries each; `what` made it."""
    fine = isinstance(rep, tuple) and len(rep) > 0 and all(isinstance(a, np.ndarray) and a.ndim > 0 for a in rep)
    if not fine:
        raise DataError(f"{what} gave {_kind(rep)}, and must give a tuple of arrays, such as (X,)")
    lengths = [len(a) for a in rep]
    if any(length != n for length in lengths):
        raise DataError(
            f"{what} gave arrays of lengths {lengths} for {n} rows: each array must have one entry for each row"
        )
    return rep


def joined(parts: Iterable[tuple[int, slice, Rep]]) -> Rep:
    """The representation of all rows from those of parts of them: (number of all rows, which rows, their representation)."""
    out: Rep = ()
    for n, at, rep in parts:
        if at.stop - at.start == n:
            return rep
        if not out:
            out = tuple(_room(n, a) for a in rep)
        for all_rows, own in zip(out, rep, strict=True):
            all_rows[at] = own
    return out


def _room(n: int, example: np.ndarray) -> np.ndarray:
    """Room for arrays like `example` with `n` entries; Python's objects stay in memory."""
    shape = (n, *example.shape[1:])
    return np.empty(shape, object) if example.dtype.hasobject else large(shape, example.dtype)


def _kind(rep: Any) -> str:
    if isinstance(rep, tuple):
        return "an empty tuple" if not rep else f"a tuple of {', '.join(type(a).__name__ for a in rep)}"
    return f"a value of type {type(rep).__name__}"


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, arrays in type, shape and every entry; NaN equals NaN."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray) and bool(a == b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "O":
        return all(x is y or same(x, y) or (x != x and y != y) for x, y in zip(a.flat, b.flat, strict=True))
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def named_arrays(values: dict[str, Any]) -> dict[str, np.ndarray]:
    """Arrays by name; those inside tuples and trained metrics get names such as "parts.0.spread"."""
    named: dict[str, np.ndarray] = {}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            named[name] = value
            continue
        inner = _numbered(value) if isinstance(value, tuple) else value.arrays()  # of a trained metric
        named |= {f"{name}.{key}": array for key, array in inner.items()}
    return named


def _numbered(values: tuple[Any, ...]) -> dict[str, np.ndarray]:
    return named_arrays({str(k): value for k, value in enumerate(values)})


def strings(values: Any) -> np.ndarray:
    """Texts such as names of columns as an array of objects (n,)."""
    out = np.empty(len(values), object)
    out[:] = list(values)
    return out
