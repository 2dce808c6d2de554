"""The cache of compiled kernels on the disk."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from numba.core.caching import FunctionCache


class Cache(FunctionCache):  # type: ignore[misc]
    """A cache that can't be written or read is none: the kernel is compiled, and compiled again in the next process."""

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # a disk that is full or fails
            super().save_overload(sig, data)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError:
            return None
