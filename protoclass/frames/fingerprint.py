"""A fingerprint of the rows that took part in a fit, which another can compute from the data."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from .blocks import blocks
from .frame import Frame

MISSING = b"\x00\x00\x00\x00\x00\x00\xf8\x7f"  # the NaN that stands for a missing value, whatever bits it had


def fingerprint(frame: Frame) -> str:
    """The SHA-256 (64 hexadecimal digits) of rows, predictors, classes and weights.

    The bytes are those that `protoclass.card.Card` documents.

    Examples
    --------
    >>> import hashlib, struct
    >>> import pandas as pd
    >>> from protoclass.frames.frame import mold
    >>> frame = mold("y ~ a + g", pd.DataFrame({"a": [1.5, 2.0], "g": ["v", "u"], "y": ["no", "yes"]}))
    >>> header = b'{"classes":["no","yes"],"columns":[["a","numeric",[]],["g","category",["u","v"]]],"response":"y"}'
    >>> rows = struct.pack("<8d", 0, 1, 1.5, 1, 1, 1, 2.0, 0)
    >>> fingerprint(frame) == hashlib.sha256(header + b"\\n" + rows).hexdigest()
    True
    """
    schema = frame.schema
    header = {
        "response": frame.formula.response,
        "classes": [plain(level) for level in frame.levels],
        "columns": [[name, column.kind, [plain(v) for v in column.levels]] for name, column in schema.items()],
    }
    digest = hashlib.sha256(json.dumps(header, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    for _, rows in blocks(frame):
        table = rows.canonical()
        columns = [rows.codes, rows.weights]
        for name in schema:
            values = table[name]
            codes = values.cat.codes.to_numpy(float) if schema[name].kind == "category" else values.to_numpy(float)
            columns.append(np.where(codes < 0, np.nan, codes) if schema[name].kind == "category" else codes)
        numbers = np.column_stack(columns).astype("<f8") + 0.0  # -0 becomes 0
        numbers[np.isnan(numbers)] = np.frombuffer(MISSING, "<f8")[0]
        digest.update(numbers.astype("<f8").tobytes())
    return digest.hexdigest()


def plain(value: Any) -> Any:
    """A class or level as JSON has it: a text, a number or a truth value."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, (str, bool, int, float)) else str(value)
