"""Progress bars of long work."""

from __future__ import annotations

import os
import sys
from functools import cache
from threading import Thread
from time import sleep, time
from typing import Any

from .options import options

WAIT = 2.0  # seconds of work that need no bar
AT_A_TERMINAL = 1.0  # seconds, because nothing else on a terminal shows that work goes on
TICK, REDRAW = 0.25, 1.0  # seconds between checks of the bars of a terminal, and between two drawings of one

BARS: dict[Any, float] = {}  # bars of a terminal, and the time at which the thread drew each; closed ones leave at the next check


def bar(total: int | None, what: str, progress: bool | None) -> Any:
    """A tqdm bar that appears after 2 s, at a terminal 1 s (`progress` None), immediately (True) or never (False).

    None means `options.progress`. At a terminal it goes on counting the seconds while a step takes long.
    """
    from tqdm.auto import tqdm

    progress = options.progress if progress is None else progress
    terminal = sys.stderr.isatty()
    delay = 0 if progress else AT_A_TERMINAL if terminal else WAIT
    form = "{desc} [{elapsed}]" if total is None else None  # a count of steps has no meaning if their number is unknown
    made = tqdm(total=total, desc=what, disable=progress is False, delay=delay, leave=False, bar_format=form)
    if terminal and not made.disable:
        BARS[made] = 0.0
        _start_clock(os.getpid())
    return made


@cache
def _start_clock(process: int) -> None:
    """Let a thread of this process draw the bars: tqdm draws one only when a step of it ends, also by its own `monitor_interval`."""
    Thread(target=_tick, daemon=True, name="protoclass-bars").start()


def _tick() -> None:
    while True:
        sleep(TICK)
        draw_due()


def draw_due() -> None:
    """Draw each bar whose delay is over and that has not been drawn for a second."""
    for made, drawn in tuple(BARS.items()):
        with made.get_lock():  # closing a bar waits for this lock before it wipes the drawing
            if made.disable:
                del BARS[made]
            elif (now := time()) >= max(made.start_t + made.delay, made.last_print_t + REDRAW, drawn + REDRAW):
                BARS[made], made.delay = now, 0  # without a delay tqdm wipes it, also if no step has ended
                made.display()
