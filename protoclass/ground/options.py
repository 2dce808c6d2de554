"""Options of the session (colours of classes, progress, digits), numbers as these print them, and
progress bars."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from .checks import check_known, check_progress, hint_for, whole_number
from .errors import NotAvailableError, OptionError, brief, shown

# all keep 3 : 1 on white and on #111111, which leaves a lightness L* from 41 to 62, and stay apart
# for those who lack a kind of cones; in grey print the first eight have L* 41, 53, 61, 46, 55, 44,
# 59 and 50
COLOURS = (
    "#30649C", "#D05C0C", "#3CA858", "#704CFC", "#F40CC0", "#D0002C", "#D868A0", "#847460",
    "#88546C", "#3884FC", "#A40CC4", "#4C7030",
)  # fmt: skip
MOST_DIGITS = 15  # decimal digits that a float represents exactly


T = TypeVar("T")
DEFAULTS: dict[str, Any] = {"colours": COLOURS, "progress": None, "digits": None}
NAMES = tuple(DEFAULTS)


class SessionOptions:
    """Options of the session, `protoclass.options`, as attributes or by a call with several names.

    A call sets its options, as R's `options()` does; as a `with` block it restores the previous
    values at the end. All threads share them, and they are not saved with a fit.

    Attributes
    ----------
    colours : tuple of str
        Colours of the classes, in the order of the levels: at least two different, opaque colours
        in any format of matplotlib. Default: twelve colours with a contrast of 3 : 1 on light and
        dark backgrounds that remain distinct in colour blindness.
    progress : bool or None
        Meaning of `progress=None`, the default of all functions. None: a progress bar for work over
        2 s at a terminal or in a notebook; True: a bar immediately; False: no bar.
    digits : int from 1 to 15, or None
        Decimals of errors and proportions, and significant digits of other numbers, in print and
        summaries. None: the default of each table, mostly 4. Data frames have all digits.

    Examples
    --------
    >>> import protoclass as pc
    >>> pc.options
    options: 12 colours, progress=None, digits=None
    >>> test = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).test(pc.load_data("iris"))
    >>> with pc.options(digits=2):
    ...     print(repr(test).splitlines()[0])
    Test error 0.04 (95 % CI 0.02 to 0.08), 6 of 150 rows misclassified
    >>> pc.options.digits = 3
    >>> pc.options.reset()
    """

    colours: tuple[str, ...]
    progress: bool | None
    digits: int | None

    def __init__(self) -> None:
        vars(self).update(DEFAULTS)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # a question of Python's own, such as of copy
            raise AttributeError(name)
        hint = hint_for(name, NAMES) or f"use one of {', '.join(NAMES)}"
        raise NotAvailableError(f"options has no {shown(name)}: {hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        self(**{name: value})

    def __call__(self, *given: object, **changes: Any) -> Restore:
        """Set options, all or none; as a `with` block, until its end."""
        if given:
            raise OptionError(
                f"options() takes options by name, not {brief(given[0])}: use options(digits=3) to "
                "set one, or options.digits to see it"
            )
        check_known("options()", changes, NAMES)
        checked = {name: CHECKS[name](value) for name, value in changes.items()}
        before = {name: vars(self)[name] for name in changes}
        vars(self).update(checked)
        return Restore(self, before)

    def reset(self, *names: str) -> None:
        """Set the options of these names, or all, to their defaults."""
        check_known("options.reset()", names, NAMES)
        self(**{name: DEFAULTS[name] for name in names or NAMES})

    def __dir__(self) -> list[str]:
        return [*NAMES, "reset"]

    def __repr__(self) -> str:
        own = "" if self.colours == COLOURS else f" ({', '.join(self.colours)})"
        return f"options: {len(self.colours)} colours{own}, progress={self.progress}, digits={self.digits}"


class Restore:
    """Result of a call of the options: at the end of a `with` block it sets the values from before
    the call."""

    def __init__(self, options: SessionOptions, before: dict[str, Any]) -> None:
        self.options, self.before = options, before

    def __enter__(self) -> SessionOptions:
        return self.options

    def __exit__(self, *reason: object) -> None:
        self.options(**self.before)

    def __repr__(self) -> str:
        return repr(self.options)


def check_colours(value: Any) -> tuple[str, ...]:
    """Colours as "#RRGGBB"."""
    from matplotlib.colors import to_hex, to_rgba

    allowed = (
        "two different opaque colours or more, as matplotlib knows them, such as "
        "['#0072B2', 'orange', (0.2, 0.6, 0.3)]"
    )
    rgba, remark = [], ""
    try:
        rgba = [] if isinstance(value, (str, dict)) else [to_rgba(colour) for colour in value]
    except (TypeError, ValueError) as reason:
        remark = f" ({str(reason).splitlines()[0]})"
    found = tuple(to_hex(colour).upper() for colour in rgba)
    if len(found) < 2 or len(set(found)) < len(found) or any(colour[3] != 1 for colour in rgba):
        raise OptionError(f"colours must be a list of {allowed}, not {brief(value)}{remark}")
    return found


def check_digits(value: Any) -> int | None:
    return None if value is None else whole_number("digits", value, 1, MOST_DIGITS)


CHECKS = {
    "colours": check_colours,
    "progress": check_progress,
    "digits": check_digits,
}

options = SessionOptions()

SAME = 1e-12  # a standard error up to this is 0 but for rounding: all folds have the same error


def fixed(value: float, usual: int = 4) -> str:
    """An error or proportion as printed: with `usual` decimals, or as many as `options.digits`."""
    return f"{value:.{options.digits or usual}f}"


def significant(value: float, usual: int = 4) -> str:
    """Another number as it is printed: with `usual` significant digits, or as many as
    `options.digits`.

    With few digits the numbers before the point are kept.

    Examples
    --------
    >>> with options(digits=2):
    ...     significant(0.12345), significant(1234.5), significant(1e-9)
    ('0.12', '1234', '1e-09')
    """
    text = f"{value:.{options.digits or usual}g}"
    return (
        f"{value:.0f}" if options.digits and "e+" in text and abs(value) < 10**MOST_DIGITS else text
    )


def with_error(value: float, se: float, remark: str = "") -> str:
    """An error and in brackets its standard error, if there is one that is not 0, and a remark.

    Examples
    --------
    >>> with_error(0.04, 0.0147, "10 folds"), with_error(0.5, 0.0)
    ('0.0400 (SE 0.0147, 10 folds)', '0.5000')
    >>> with_error(0.5, float("nan"), "2 folds"), with_error(3e-5, 2e-5)
    ('0.5000 (2 folds)', '3e-05 (SE 2e-05)')
    """
    # all decimals would be 0
    small = value > SAME and max(value, se) < 0.5 / 10 ** (options.digits or 4)
    error, spread = (f"{v:.1g}" if small else fixed(v) for v in (value, se))
    inside = ", ".join(filter(None, [f"SE {spread}" if se > SAME else "", remark]))
    return f"{error} ({inside})" if inside else error


def bar(total: int | None, what: str, progress: bool | None) -> Any:
    """A tqdm bar that appears after 2 s, at a terminal 1 s (`progress` None), immediately (True) or
    never (False).

    None means `options.progress`, and no bar if errors are written to a file or a pipe.
    """
    from tqdm.auto import tqdm

    progress = options.progress if progress is None else progress
    # a bar of tqdm's with disable=None is off unless it is in a terminal or a widget; a kernel
    # without widgets redraws lines too
    off = None if progress is None and "ipykernel" not in sys.modules else progress is False
    # seconds: nothing else on a terminal shows that work goes on
    delay = 0 if progress else 1 if sys.stderr.isatty() else 2
    # a count of steps has no meaning if their number is unknown
    form = "{desc} [{elapsed}]" if total is None else None
    steps = tqdm(total=total, desc=what, disable=off, delay=delay, leave=False, bar_format=form)
    if total is None and hasattr(steps, "container"):  # of a notebook, which would draw a square
        steps.container.children[1].layout.display = "none"
    return steps


def watch(results: Iterable[T], total: int, what: str, progress: bool | None) -> Iterator[T]:
    """Results as they come, each a step of a bar."""
    with bar(total, what, progress) as steps:
        for result in results:
            yield result
            steps.update()
