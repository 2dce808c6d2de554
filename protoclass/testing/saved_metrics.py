"""Files with a metric: what is loaded measures as what was saved."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ..export.saving import load
from ..export.saving.classes import name_of
from ..ground.errors import FileError, NotAvailable, OptionError
from ..ground.savable import kind_of
from ..metrics.base import Metric, TrainedMetric
from ..metrics.measuring import measure_frame
from ..metrics.registry import METRICS
from .contract import ContractError, require
from .measured import Measured, equal


def check_saved(s: Measured) -> None:
    """Dissimilarities that are saved and loaded measure to the same bits, also new rows."""
    for kind in _kinds(s.trained, TrainedMetric):
        require(kind_of(kind) is not None, f"{s}: fits with it can't be saved: write @protoclass.savable above @dataclass of "
            f"{kind.__name__}")
    measured = measure_frame(s.frame, s.trained)
    with _registered(_kinds(s.trained, Metric)), tempfile.TemporaryDirectory() as folder:
        try:
            again = load(measured.save(Path(folder) / "metric.proto"))
        except (OptionError, FileError, NotAvailable) as reason:
            said = str(reason).replace(folder, "").replace("\n", " ")
            raise ContractError(f"{s}: its dissimilarities can't be saved and loaded ({said}): fields must be what a file can "
                "hold, and what "
                                "their annotations say") from reason  # fmt: skip
        D = s.between(again.rows, again.candidates, again.metric)
        require(again.metric == s.trained and hash(again.metric) == hash(s.trained), f"{s}: saved and loaded, the trained "
            "metric is not equal")
        require(equal(D, s.D), f"{s}: saved and loaded, it measures otherwise: what it needs must be in its fields")
        if not s.metric.given:
            known = s.call("`new_rows` of the loaded metric", again.metric.new_rows, s.data.iloc[:3], s.frame)
            new = np.asarray(known.measure(np.arange(3), again.candidates))
            require(equal(new, s.D[:3]), f"{s}: saved and loaded, it measures new rows otherwise: what it needs must be in its fields")


def _kinds(value: Any, base: type) -> list[type]:
    """The classes of a metric and of those within it, as far as they derive from a class."""
    found: dict[type, None] = {}

    def walk(value: Any) -> None:
        if isinstance(value, base):
            found[type(value)] = None
        if isinstance(value, (Metric, TrainedMetric)):
            for f in fields(value):
                walk(getattr(value, f.name))
        elif isinstance(value, (tuple, list)):
            for v in value:
                walk(v)

    walk(value)
    return list(found)


@contextmanager
def _registered(kinds: list[type]) -> Iterator[None]:
    """Metrics known by a name for a while, as `register` makes them."""
    names = {f"under_check_{k}": kind for k, kind in enumerate(kinds) if name_of(kind) is None}
    METRICS.update(names)
    try:
        yield
    finally:
        for name in names:
            METRICS.pop(name)
