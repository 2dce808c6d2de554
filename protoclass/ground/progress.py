"""Progress bars of long work."""

from __future__ import annotations

import sys
from threading import Thread
from time import sleep, time
from typing import Any

from .options import options

WAIT = 2.0  # seconds of work that need no bar
AT_A_TERMINAL = 1.0  # where nothing else says that something goes on
TICK, REDRAW = 0.25, 1.0  # seconds between looks at a bar of a terminal, and between two drawings of it


def bar(total: int | None, what: str, progress: bool | None) -> Any:
    """A tqdm bar that shows itself after 2 s, at a terminal 1 s (`progress` None), at once (True) or never (False).

    None means `options.progress`. At a terminal it goes on counting the seconds while a step takes long.
    """
    from tqdm.auto import tqdm

    progress = options.progress if progress is None else progress
    terminal = sys.stderr.isatty()
    delay = 0 if progress else AT_A_TERMINAL if terminal else WAIT
    form = "{desc} [{elapsed}]" if total is None else None  # a count of steps says nothing where their number is unknown
    made = tqdm(total=total, desc=what, disable=progress is False, delay=delay, leave=False, bar_format=form)
    if terminal and not made.disable:
        Thread(target=_watch, args=(made,), daemon=True, name="protoclass-bar").start()
    return made


def _watch(made: Any) -> None:
    """Draw a bar each second until it is closed: tqdm draws it only where a step ends, also by its own `monitor_interval`."""
    while not made.disable:
        sleep(TICK)
        draw_if_due(made)


def draw_if_due(made: Any) -> None:
    """Draw a bar where its delay is over and it has not been drawn for a second."""
    with made.get_lock():  # what closes a bar waits for this lock before it wipes what was drawn
        if not made.disable and (now := time()) >= max(made.start_t + made.delay, made.last_print_t + REDRAW):
            made.last_print_t = now
            made.display()
