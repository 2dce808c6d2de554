"""Paths that share a grid, as one path with a further axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..coverage import NONE
from ..task import Path, Points, Rule

if TYPE_CHECKING:
    from ..query import Query

Array = NDArray[Any]


@dataclass(frozen=True)
class JoinedPath:
    """The paths of several values of a parameter over the same grid; that parameter varies fastest.

    Attributes
    ----------
    paths : tuple of Path
        Their prototypes are columns of D, and they predict the same kinds.
    """

    paths: tuple[Path, ...]
    bounds: ClassVar[None] = None

    @cached_property
    def prototypes(self) -> Points:
        at = np.unique(np.concatenate([path.prototypes.at for path in self.paths if path.prototypes.at is not None]))
        return Points(np.full(len(at), NONE), at=at)

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.paths[0].kinds

    @property
    def size(self) -> Array:
        return np.stack([path.size for path in self.paths], axis=1).ravel()

    def predict(self, kind: str, query: Query) -> Array:
        return np.stack([path.predict(kind, query) for path in self.paths], axis=2).reshape(len(query), -1)

    def at(self, g: int) -> Rule:
        point, which = divmod(g, len(self.paths))
        return self.paths[which].at(point)

    def moved(self, columns: Array) -> JoinedPath:
        return JoinedPath(tuple(path.moved(columns) for path in self.paths))
