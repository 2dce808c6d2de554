"""Progress bars of long work."""

from __future__ import annotations

import sys
from threading import Lock, Thread
from time import sleep
from typing import Any
from weakref import WeakSet

from .options import options

WAIT = 2.0  # seconds of work that need no bar
AT_A_TERMINAL = 1.0  # where nothing else says that something goes on
TICK, REDRAW = 0.25, 1.0  # seconds between looks at the open bars, and between two drawings of one


def bar(total: int | None, what: str, progress: bool | None) -> Any:
    """A tqdm bar that shows itself after 2 s, at a terminal 1 s (`progress` None), at once (True) or never (False).

    None means `options.progress`. At a terminal it goes on counting the seconds while a step takes long.
    """
    from tqdm.auto import tqdm

    progress = options.progress if progress is None else progress
    terminal = sys.stderr.isatty()
    delay = 0 if progress else AT_A_TERMINAL if terminal else WAIT
    form = "{desc} [{elapsed}]" if total is None else None  # a count of steps says nothing where their number is unknown
    one = tqdm(total=total, desc=what, disable=progress is False, delay=delay, leave=False, bar_format=form)
    if terminal and not one.disable:
        CLOCK.watch(one)
    return one


class Clock:
    """Draws the open bars of a terminal anew each second, as tqdm draws a bar only where a step of it ends.

    Attributes
    ----------
    bars : set of tqdm bars
        Those that are watched; one that is closed leaves it at the next look.
    """

    def __init__(self) -> None:
        self.bars: WeakSet[Any] = WeakSet()
        self._lock, self._thread = Lock(), Thread()

    def watch(self, one: Any) -> None:
        """Draw a bar until it is closed."""
        with self._lock:
            self.bars.add(one)
            if not self._thread.is_alive():
                self._thread = Thread(target=self._run, daemon=True, name="protoclass-bars")
                self._thread.start()

    def look(self) -> None:
        """Draw the bars whose time has come."""
        for one in list(self.bars):
            with one.get_lock():  # what closes a bar waits for this lock before it wipes what was drawn
                if one.disable:
                    self.bars.discard(one)
                elif (now := one._time()) >= max(one.start_t + one.delay, one.last_print_t + REDRAW):
                    one.last_print_t = now
                    one.display()

    def _run(self) -> None:
        while True:
            sleep(TICK)
            self.look()
            with self._lock:
                if not self.bars:
                    self._thread = Thread()
                    return


CLOCK = Clock()
