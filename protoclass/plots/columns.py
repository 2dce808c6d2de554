"""What each column does: in the cards of prototypes, in the class of a row, in the error, in a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..analysis.why import asked_rows
from ..estimation.fitted import Fitted
from ..ground.checks import whole_number
from ..ground.errors import OptionError, brief, shown
from ..views.analyses import list_importance, list_weights
from ..views.cards import MISSING, describe_head, list_profiles, list_reasons
from ..views.prototypes import list_short
from ..views.words import write_number
from .layout import framed
from .style import GREY, axes, colour, draw_bars, grid_lines, ink, named, panels

if TYPE_CHECKING:
    import pandas as pd


ACROSS, LINES = 3, 6  # cards in a row, and variables on a card
BARS, LETTER = 1.6, 0.055  # inches of the bars of a card, and of a letter beside them


@framed
def cards(fit: Fitted, count: int = 9) -> Any:
    """The first prototypes, each with the variables by which it differs most from its class, what it covers, and its rival.

    Parameters
    ----------
    count : int
    """
    profiles = list_profiles(fit, whole_number("count", count, 1))
    heads = profiles.heads
    across = min(ACROSS, len(heads))
    lines = min(LINES, profiles.table["variable"].nunique())
    step = len(profiles.table) // len(heads)
    parts = [_choose_lines(profiles.table.iloc[k * step : (k + 1) * step]) for k in range(len(heads))]
    longest = max((len(text) for _, texts in parts for text in texts), default=0)
    figure, places = panels(-(-len(heads) // across), across, BARS + LETTER * longest, (1.0 if lines else 0.7) + 0.24 * lines)
    widest = max(1.0, float(np.nanmax(profiles.table["apart"].abs().to_numpy(), initial=0.0)))
    codes = {level: k for k, level in enumerate(fit.classes)}
    for ax, (own, texts), (name, head) in zip(places.ravel(), parts, heads.astype(object).iterrows(), strict=False):
        ax.set_title("\n".join(describe_head(head, name)), fontsize="small")
        if not lines:  # of rows that are known by their dissimilarities
            ax.set_axis_off()
            continue
        draw_bars(ax, own["apart"].fillna(0.0), texts, 0.6, "x-small", color=colour(codes[head["class"]]))
        ax.set_xlim(-1.05 * widest, 1.05 * widest)
        ax.tick_params(axis="x", labelsize="x-small")
    for ax in places.ravel()[len(heads) :]:
        ax.set_axis_off()
    some = f"All {len(heads)} prototypes" if len(heads) == profiles.count else f"The first {len(heads)} of {profiles.count} prototypes"
    if lines:
        figure.suptitle(f"{some}: value (that usual in the class)", fontsize="medium")
        figure.supxlabel("difference from the median of the class, in standard deviations", fontsize="small")
    else:
        figure.suptitle(some, fontsize="medium")
    return figure


def _choose_lines(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The variables on a card, and what is written beside their bars."""
    own = table.sort_values("apart", key=lambda values: -values.abs(), kind="stable").head(LINES)
    parts = zip(list_short(own["variable"], 18), own["value"], own["usual"], strict=True)
    return own, [f"{variable} = {value} ({usual})" for variable, value, usual in parts]


MOST = 20  # variables that have a bar
PANELS = 6  # rows that are drawn at once
DIFFERENCE = "distance to the rival minus distance to the prototype"


@framed
def why(fit: Fitted, ax: Any = None, *, row: Any) -> Any:
    """A bar for each variable, the decisive ones above: to the right it speaks for the class of the row, to the left for the rival's.

    Parameters
    ----------
    row : label, rows or list of labels
        As in `Fit.why`; of several rows, up to six, each has Axes of its own.
    """
    asked, several = asked_rows(fit, row)
    if not several:
        table = list_reasons(fit, row)
        ax = axes(ax, 6.4, 2.0 + 0.3 * min(MOST, len(table)))
        words = _draw_reasons(ax, fit, table, f"Row {brief(row)}" if np.isscalar(row) else "The row", MOST)
        ax.set_xlabel(f"{DIFFERENCE}, {words}")
        return ax
    if ax is not None or len(asked) > PANELS:
        cure = "leave ax= out, as each row has Axes of its own" if ax is not None else f"plot('why') draws {PANELS} at most"
        raise OptionError(f"row= gives {len(asked)} rows: {cure}")
    tables = [list_reasons(fit, asked.iloc[[k]]) for k in range(len(asked))]
    across, lines = min(ACROSS, len(tables)), min(LINES, len(tables[0]))
    figure, places = panels(-(-len(tables) // across), across, 4.6, 1.5 + 0.26 * lines)
    widest = max(float(table["favour"].abs().max()) for table in tables)
    for k, place in enumerate(places.ravel()):
        if k >= len(tables):
            place.set_axis_off()
            continue
        place.set_xlabel(_draw_reasons(place, fit, tables[k], f"Row {shown(asked.index[k])}", LINES), fontsize="small")
        place.title.set_fontsize("small")
        place.set_xlim(-1.05 * widest, 1.05 * widest)
    figure.supxlabel(DIFFERENCE, fontsize="medium")
    return figure


def _draw_reasons(ax: Any, fit: Fitted, table: pd.DataFrame, row: str, most: int) -> str:
    """The bars of a row, those of the first variables; what all add up to in words."""
    few, said = table.head(most), table.attrs
    gaps = [" and ".join(name for name in ("prototype", "rival") if line[name] == MISSING) for line in few.to_dict("records")]
    pairs = zip(list_short(few["variable"], 28), few["value"], gaps, strict=True)
    names = [f"{name} = {value}{f' ({gap}: {MISSING})' if gap else ''}" for name, value, gap in pairs]
    code = list(fit.classes).index(said["class"])
    favour = few["favour"].to_numpy()
    draw_bars(ax, favour, names, color=[colour(code) if value >= 0 else GREY for value in favour])
    far, near = said["rival_distance"], said["prototype_distance"]
    places = f"prototype {said['prototype']} at {write_number(near)}, rival {said['rival']} at {write_number(far)}"
    ax.set_title(f"{row}: {named(said['class'])}\n{places}")
    ax.title.set_fontsize("medium")
    rest = len(table) - len(few)
    more = f"; {rest} more variables add {write_number(float(table['favour'].iloc[most:].sum()))}" if rest else ""
    return f"sum {write_number(far - near)}{more}"


@framed
def importance(
    fit: Fitted, ax: Any = None, new: Any = None, repeats: int = 20, variables: Any = None, cv: Any = "auto", seed: int = 0
) -> Any:
    """A bar for each variable, the most important above: the growth of the error with its 95 % interval; see `Fit.importance`."""
    table = list_importance(fit, new, repeats, variables, cv, seed)
    ends = [table["importance"] - table["low"], table["high"] - table["importance"]]
    ax = draw_columns(table["variable"], table["importance"], table.attrs["shown"], ax)
    ax.errorbar(table["importance"], np.arange(len(table)), xerr=ends, fmt="none", ecolor=ink(ax), elinewidth=1.2, capsize=3)
    ax.set_xlabel(f"growth of the error when it is permuted, and 95 % interval\n({table.attrs['without']})")
    return ax


def draw_columns(columns: pd.Series, values: pd.Series, shown: str, ax: Any) -> Any:
    """A bar for each column of the data, the first above; `shown` says which columns these are."""
    names = list_short(columns)
    ax = axes(ax, 5.6 + 0.07 * max(map(len, names)), 1.4 + 0.28 * len(values))
    draw_bars(ax, values, names, color=colour(0), alpha=0.75)
    ax.set_ylabel(shown)
    grid_lines(ax, "x")
    return ax


@framed
def weights(fit: Fitted, ax: Any = None) -> Any:
    """A bar for each column, the heaviest above: its learned weight."""
    table = list_weights(fit)
    ax = draw_columns(table["column"], table["weight"], table.attrs["shown"], ax)
    ax.set_xlabel(f"weight of the {table.attrs['weighed']}")
    return ax
