"""The computations: they take arrays and return small frozen dataclasses. They know no frames, column names or plots."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
