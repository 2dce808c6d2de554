"""Progress bars of long work."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from .options import options

T = TypeVar("T")
WAIT = 2.0  # seconds of work that need no bar
AT_A_TERMINAL = 1.0  # seconds, because nothing else on a terminal shows that work goes on


def bar(total: int | None, what: str, progress: bool | None) -> Any:
    """A tqdm bar that appears after 2 s, at a terminal 1 s (`progress` None), immediately (True) or never (False).

    None means `options.progress`.
    """
    from tqdm.auto import tqdm

    progress = options.progress if progress is None else progress
    delay = 0 if progress else AT_A_TERMINAL if sys.stderr.isatty() else WAIT
    form = "{desc} [{elapsed}]" if total is None else None  # a count of steps has no meaning if their number is unknown
    return tqdm(total=total, desc=what, disable=progress is False, delay=delay, leave=False, bar_format=form)


def watch(results: Iterable[T], total: int, what: str, progress: bool | None) -> Iterator[T]:
    """Results as they come, each a step of a bar."""
    with bar(total, what, progress) as steps:
        for result in results:
            yield result
            steps.update()
