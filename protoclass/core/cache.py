"""Compiled functions that are cached on disk, safely with several processes at the same time.

Numba's own cache (0.68) has one index for all types of a function, which is written before the code that it names. Two processes that
compile a function for different types at the same moment can leave an index that names the code of the other one, which then runs on
numbers of the wrong type and gives wrong results; a process that is stopped in between leaves an index for the code of an earlier
version. It also identifies a function by its own file and not by the functions of other files that it calls, so an installation
whose files were replaced uses the old ones. This module writes each compiled function to one file, whose first line is a digest of
its source. It is written under another name and renamed; if its digest differs, or it is not complete, the function is compiled again.

It uses names of numba that are not documented: `Dispatcher._cache`, `FunctionCache` with `_cache_file` and `_impl.filename_base`, and
`serialize.dumps`. The documented way, `cache=True` with the folder (NUMBA_CACHE_DIR) and the places (NUMBA_CACHE_LOCATOR_CLASSES),
applies to all packages of the process, so their caches would move too. A lock of a library around compilation would end the race, but
leave files that are damaged or mixed up, and a caller whose callee has changed. `tests/trust/test_side_by_side.py` fails if a version
of numba has other names.
"""

from __future__ import annotations

import os
import pickle
import secrets
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any

import numba
import numpy as np
from numba.core import caching, serialize

from ..ground.errors import warn

NUMBA: Any = numba
CACHING: Any = caching
dumps: Callable[[Any], bytes] = serialize.dumps
NO_FOLDER = "no locator available"  # from numba's message if no folder for a cache can be written
DIGEST = 64  # characters


def dispatcher(function: Callable[..., Any], contract: bool) -> Any:
    """The function under numba, which compiles it for each combination of types when it is first called with them."""
    made = NUMBA.njit(nogil=True, fastmath={"contract"} if contract else False)(function)
    if NUMBA.config.DISABLE_JIT:
        return made
    try:
        made._cache = Cache(function, contract)
    except RuntimeError as reason:
        if NO_FOLDER not in str(reason):
            raise
        _say_that_nothing_is_kept()
    return made


@cache
def _say_that_nothing_is_kept() -> None:
    warn(
        "compiled functions can't be cached, because there is no writable folder, so every process compiles them again, which takes "
        "seconds: set the environment variable NUMBA_CACHE_DIR to a folder"
    )


def source_of(function: Callable[..., Any]) -> str:
    """A digest of the sources of a function: its code, and the constants and functions outside it that it names."""
    return sha256(repr(_parts(function, ())).encode()).hexdigest()


def _parts(function: Any, above: tuple[Any, ...]) -> Any:
    code = function.__code__
    named = [name for name in sorted(_names(code)) if name in function.__globals__]
    return _of_code(code), [(name, _of_value(function.__globals__[name], (*above, function))) for name in named]


def _of_value(value: Any, above: tuple[Any, ...]) -> Any:
    inner = getattr(value, "py_func", None)
    if inner is not None:
        return inner.__qualname__ if inner in above else (value.contract, _parts(inner, above))
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return repr(value) if isinstance(value, (bool, int, float, str, tuple)) else getattr(value, "__name__", "")


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _of_code(code: CodeType) -> Any:
    constants = [_of_code(constant) if isinstance(constant, CodeType) else repr(constant) for constant in code.co_consts]
    return code.co_code, constants, code.co_names, code.co_varnames


class Cache(CACHING.FunctionCache):  # type: ignore[misc]
    """Numba's cache of a function, with `Kept` in the place of its index and its files."""

    def __init__(self, function: Callable[..., Any], contract: bool) -> None:
        super().__init__(function)
        source = f"numba {numba.__version__} {source_of(function)} {contract}"
        self._cache_file = Kept(Path(self.cache_path), self._impl.filename_base, source)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError:  # a file that cannot be read counts as missing
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:  # a full disk, or a folder that can no longer be written
            _say_that_nothing_is_kept()


class Kept:
    """The files of a function, one for each combination of types and processor.

    Their names begin with `base`; `source` is the digest of the function's sources and of numba's version.
    """

    def __init__(self, folder: Path, base: str, source: str) -> None:
        self.folder, self.base, self.source = folder, base, source

    def path(self, key: Any) -> Path:
        """The file of the function compiled for `key`: numba's signature, processor and digests of the code."""
        return self.folder / f"{self.base}.{sha256(self._first_line(key)).hexdigest()[:16]}.nbc"

    def _first_line(self, key: Any) -> bytes:
        signature, *rest = key
        return f"{self.source} {signature} {rest}\n".encode()

    def load(self, key: Any) -> Any:
        """What was kept under `key`, or None."""
        try:
            kept = self.path(key).read_bytes()
        except FileNotFoundError:
            return None
        digest, body, line = kept[:DIGEST], kept[DIGEST:], self._first_line(key)
        if not body.startswith(line) or sha256(body).hexdigest().encode() != digest:
            return None
        return pickle.loads(body[len(line) :])

    def save(self, key: Any, data: Any) -> None:
        """Keep `data` under `key`."""
        body = self._first_line(key) + dumps(data)
        beside = self.folder / f"{self.base}.{secrets.token_hex(8)}.part"
        try:
            beside.write_bytes(sha256(body).hexdigest().encode() + body)
            os.replace(beside, self.path(key))
        finally:
            beside.unlink(missing_ok=True)

    def flush(self) -> None:
        """Remove the cached files of the function."""
        for file in self.folder.glob(f"{self.base}.*.nbc"):
            file.unlink(missing_ok=True)
