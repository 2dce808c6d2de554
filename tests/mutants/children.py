"""Work in a child of this process, which may do what it likes to its copy of everything."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

MEMORY = 2**33  # bytes that a child may take


class StoppedError(Exception):
    """A child took more time or memory than it may, or died."""


def in_child(work: Callable[[], Any], seconds: float) -> Any:
    """What `work` returns in a child that may take so many seconds of the processor; StoppedError where it returns nothing.

    Time on the wall is limited as well, to 20 times as much: what waits for ever takes none of the processor's.
    """
    gc.freeze()  # so that collections in the child copy no pages
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os._exit(_work(work, seconds, write))
    os.close(write)
    try:
        value, imported = pickle.loads(_all_of(read, time.monotonic() + 20 * seconds))
        for name in imported:  # which the next children then have
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        return value
    except (EOFError, pickle.UnpicklingError):
        raise StoppedError from None
    finally:
        os.close(read)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # and all that it started
        os.waitpid(child, 0)


def _work(work: Callable[[], Any], seconds: float, write: int) -> int:
    try:
        os.setsid()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)  # ends the child
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        with os.fdopen(write, "wb") as out:
            before = set(sys.modules)
            value = work()
            out.write(pickle.dumps((value, sorted(set(sys.modules) - before))))
    except BaseException:
        return 1
    return 0


def _all_of(read: int, end: float) -> bytes:
    parts = []
    while True:
        ready, _, _ = select.select([read], [], [], max(0.0, end - time.monotonic()))
        part = os.read(read, 2**16) if ready else b""
        if not part:
            return b"".join(parts)
        parts.append(part)
