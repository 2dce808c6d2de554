"""Arrays and global generators that a method must leave as they are."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .contract import require


@dataclass(frozen=True)
class Watched:
    """Arrays that a method is given, with copies of them, and the states of the global generators."""

    arrays: Mapping[str, np.ndarray]
    copies: Mapping[str, np.ndarray]
    states: tuple[tuple[Any, ...], tuple[Any, ...]]

    @staticmethod
    def of(**arrays: np.ndarray) -> Watched:
        return Watched(arrays, {name: np.array(a) for name, a in arrays.items()}, generators())

    def check(self, who: str) -> None:
        """Raise if an array has changed, or if a global generator was used."""
        for name, before in self.copies.items():
            same = np.array_equal(before, self.arrays[name], equal_nan=before.dtype.kind == "f")
            require(same, f"{who} writes into {_WORDS.get(name, name)}, which others read too: work on a copy, np.array(...)")
        numpy, python = generators()
        cure = "which changes what the user draws: draw from np.random.default_rng(task.seed) in `path`, and nothing in `predict`"
        require(_equal(numpy, self.states[0]), f"{who} draws from the global generator np.random, {cure}")
        require(python == self.states[1], f"{who} draws from the global generator of the module random, {cure}")


_WORDS = {
    "y": "task.y", "w": "task.w", "candidate_row": "task.candidate_row", "D": "task.D, the dissimilarities",
    "coordinates": "task.coordinates()", "columns": "task.columns()", "fold": "`fold`",
    "dissimilarities": "query.dissimilarities(...)", "query_coordinates": "query.coordinates()", "query_columns": "query.columns()",
    "given": "`columns`", "grid": "the values of the grid", "rows": "the rows as the metric has them, task.coordinates()",
    "codes": "the classes of the frame", "weights": "the weights of the frame", "values": "the data",
}  # fmt: skip


def generators() -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """States of the global generators of NumPy and Python."""
    state: Any = np.random.get_state()
    return tuple(state), random.getstate()


def _equal(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@contextmanager
def watching(who: str, **arrays: np.ndarray) -> Iterator[None]:
    """Within it these arrays and the global generators stay as they are."""
    watched = Watched.of(**arrays)
    yield
    watched.check(who)
