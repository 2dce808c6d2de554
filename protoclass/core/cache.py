"""Kernels under numba, cached on disk; processes take turns to compile.

Numba's cache has one index for all types of a function. If two processes compile it for different
types at the same moment, the index of one may name the code of the other, which then runs on
numbers of the wrong type. So a process locks a file in the folder for temporary files while numba
reads, compiles and saves. Processes of several computers that share a cache need a folder each
(NUMBA_CACHE_DIR).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import RLock
from typing import IO, Any

import numba
from numba.core import event

from ..ground.errors import warn

NUMBA: Any = numba


def dispatcher(function: Callable[..., Any], contract: bool) -> Any:
    """The function under numba, which compiles it for each combination of types when it is first called with them."""
    take_turns()
    how: dict[str, Any] = {"nogil": True, "fastmath": {"contract"} if contract else False}
    try:
        return NUMBA.njit(cache=True, **how)(function)
    except RuntimeError:  # no folder for a cache can be written
        say_that_nothing_is_kept()
        return NUMBA.njit(**how)(function)


@cache
def say_that_nothing_is_kept() -> None:
    warn(
        "compiled functions can't be cached, because no folder can be written, so every process "
        "compiles them again, which takes "
        "seconds: set the environment variable NUMBA_CACHE_DIR to a folder"
    )


class Turn(event.Listener):
    """Lock a file of the user while this process has numba's lock, under which it reads, compiles
    and saves: another process then waits, and reads what this one saved.
    """

    def __init__(self) -> None:
        self.own, self.depth = RLock(), 0  # number of events that this thread has begun
        self.file: IO[bytes] | None = None

    def on_start(self, event: Any) -> None:
        self.own.acquire()
        self.depth += 1
        if self.depth == 1:
            try:
                path = Path(tempfile.gettempdir()) / f"protoclass-{os.environ.get('USER', '')}.lock"
                self.file = open(path, "ab")  # noqa: SIM115 - closed in `on_end`
                lock(self.file)
            except OSError:  # without a lock, compile as numba itself does
                self.file = None

    def on_end(self, event: Any) -> None:
        if not self.depth:
            return  # it began before this listener
        self.depth -= 1
        if self.depth == 0 and self.file is not None:
            self.file.close()  # which unlocks it
            self.file = None
        self.own.release()


def lock(file: IO[bytes]) -> None:
    """Wait for the only lock of a file, which ends when the file is closed or the process ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        file.seek(0)
        # raises OSError after 10 s, so `Turn` then goes on without a lock
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(file, fcntl.LOCK_EX)


@cache
def take_turns() -> None:
    """Let the processes of a user compile one after the other from now on."""
    register: Any = event.register
    register("numba:compiler_lock", Turn())
