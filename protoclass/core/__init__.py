"""The computations: functions take arrays and return small frozen dataclasses, without frames,
column names or plots.
"""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
