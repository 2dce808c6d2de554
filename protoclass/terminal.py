"""The page that the shell prints: the tables of a summary apart from one another, titles marked, and what to do next."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from textwrap import fill
from typing import IO, Any

from .errors import visible_lines

BOLD, DIM, END = "\033[1m", "\033[2m", "\033[0m"
NARROW, WIDE = 40, 120  # columns between which notes are wrapped


def takes_colours(stream: IO[str]) -> bool:
    """Whether a stream is a terminal that shows marked text and the user has not said NO_COLOR (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@contextmanager
def notices() -> Iterator[None]:
    """Warnings as lines of the shell, each once: there is no line of code that they could point at."""
    said: set[str] = set()

    def say(message: Warning | str, *where: Any, **how: Any) -> None:
        text = visible_lines(str(message))
        if text not in said:
            said.add(text)
            print(f"protoclass: {text}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = say
        yield


def page(fitted: Any, further: Sequence[str] = (), marked: bool = False) -> str:
    """The summary of a fit as the shell shows it.

    Parameters
    ----------
    fitted : Fit
    further : sequence of str
        Paragraphs after the notes.
    marked : bool
        Whether titles stand out by codes of the terminal.
    """
    summary = fitted.summary()
    width = min(WIDE, max(NARROW, shutil.get_terminal_size((WIDE, 24)).columns))
    tables = [_marked(visible_lines(table.as_text()), marked) for table in summary.tables]
    notes = [fill(visible_lines(note), width, subsequent_indent="  ") for note in summary.notes]
    return "\n\n".join([*tables, "\n".join(notes), *further])


def next_steps(words: Sequence[str], written: bool) -> str:
    """What to do next, as commands.

    Parameters
    ----------
    words : sequence of str
        Those that fitted.
    written : bool
        Whether they wrote figures.
    """
    said = shlex.join(words)
    kept = shlex.join(_without_out(words))
    commands = [] if written else [(f"python -m protoclass {said} --out figures", "the figures as files")]
    commands.append((f"python -m protoclass explore {kept} --save fit.html", "the prototypes as a page for any browser"))
    commands.append(("python -m protoclass --help", "other methods, dissimilarities, folds"))
    wide = max(len(command) for command, _ in commands)
    return "\n".join(["Next:", *(f"  {command:<{wide}}  {what}" for command, what in commands)])


def _without_out(words: Sequence[str]) -> list[str]:
    kept, leave = [], False
    for word in words:
        if not leave and not word.startswith("--out="):
            leave = word == "--out"
            kept += [] if leave else [word]
        else:
            leave = False
    return kept


def _marked(table: str, marked: bool) -> str:
    """A table of statsmodels: its title is the first line, and lines of one character part it."""
    if not marked:
        return table
    first, *rest = table.splitlines()
    return "\n".join([f"{BOLD}{first}{END}", *(f"{DIM}{line}{END}" if set(line) <= {"=", "-"} else line for line in rest)])
