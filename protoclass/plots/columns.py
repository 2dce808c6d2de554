"""What each column does: in the cards of prototypes, in the class of a row, in the error, in a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from ..ground.checks import whole_number
from ..ground.errors import OptionError, brief
from ..views.analyses import list_importance, list_weights
from ..views.cards import MISSING, Profiles, describe_head, list_profiles, list_reasons
from ..views.pictures import show_weights
from ..views.prototypes import list_short
from ..views.words import write_number
from .pictures import draw_grid
from .style import (
    GREY,
    axes,
    colour,
    draw_bars,
    framed,
    grid_lines,
    ink,
    key,
    list_down,
    list_named,
    named,
    panels,
)

if TYPE_CHECKING:
    import pandas as pd


ACROSS, LINES = 3, 6  # cards in a row, and variables on a card
BARS, LETTER = 1.6, 0.055  # inches of the bars of a card, and of a letter next to them


@framed
def cards(fit: Fitted, count: int = 9) -> Any:
    """Plot profiles of the first prototypes: the variables that differ most from their class, coverage, and rival.

    If the metric has learned weights, the squared differences are weighted to find these variables.

    Parameters
    ----------
    count : int
        Number of prototypes.
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
        draw_bars(ax, own["apart"].fillna(0.0), texts, height=0.6, letters="x-small", color=colour(codes[head["class"]]))
        ax.set_xlim(-1.05 * widest, 1.05 * widest)
        ax.tick_params(axis="x", labelsize="x-small")
    for ax in places.ravel()[len(heads) :]:
        ax.set_axis_off()
    title = _count_shown(profiles)
    if lines:
        figure.suptitle(f"{title}: value (class median or mode)", fontsize="medium")
        figure.supxlabel("difference from the class median (SD of the variable)", fontsize="small")
    else:
        figure.suptitle(title, fontsize="medium")
    return figure


def _count_shown(profiles: Profiles) -> str:
    shown = len(profiles.heads)
    return f"All {shown} prototypes" if shown == profiles.count else f"The first {shown} of {profiles.count} prototypes"


def _choose_lines(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The variables on a card, and the texts of their bars."""
    own = table.sort_values("counts", ascending=False, kind="stable").head(LINES)
    parts = zip(list_short(own["variable"], 18), own["value"], own["usual"], strict=True)
    return own, [f"{variable} = {value} ({usual})" for variable, value, usual in parts]


MOST = 20  # variables that have a bar, or prototypes above their weights
DIFFERENCE = "distance to the rival minus distance to the prototype"


@framed
def why(fit: Fitted, ax: Any = None, *, row: Any) -> Any:
    """Plot the contribution of each variable to a prediction: to the right for the predicted class, to the left for the rival.

    The variables with the largest contributions are at the top.

    Parameters
    ----------
    row : label, or row
        Row to explain, as in `Fit.why`.
    """
    table = list_reasons(fit, row)
    ax = axes(ax, 6.4, 2.0 + 0.3 * min(MOST, len(table)))
    few, said = table.head(MOST), table.attrs
    gaps = [" and ".join(name for name in ("prototype", "rival") if line[name] == MISSING) for line in few.to_dict("records")]
    pairs = zip(list_short(few["variable"], 28), few["value"], gaps, strict=True)
    names = [f"{name} = {value}{f' ({gap}: {MISSING})' if gap else ''}" for name, value, gap in pairs]
    code = list(fit.classes).index(said["class"])
    favour = few["favour"].to_numpy()
    draw_bars(ax, favour, names, color=[colour(code) if value >= 0 else GREY for value in favour])
    far, near = said["rival_distance"], said["prototype_distance"]
    places = f"prototype {said['prototype']} at {write_number(near)}, rival {said['rival']} at {write_number(far)}"
    ax.set_title(f"{f'Row {brief(row)}' if np.isscalar(row) else 'The row'}: {named(said['class'])}\n{places}")
    ax.title.set_fontsize("medium")
    rest = len(table) - len(few)
    more = f"; {rest} more variables add {write_number(float(table['favour'].iloc[MOST:].sum()))}" if rest else ""
    ax.set_xlabel(f"{DIFFERENCE}, total {write_number(far - near)}{more}")
    return ax


@framed
def importance(
    fit: Fitted, ax: Any = None, new: Any = None, repeats: int = 20, variables: Any = None, cv: Any = "auto", seed: int = 0
) -> Any:
    """Plot the permutation importance of each variable, the most important at the top, with 95 % intervals; see `Fit.importance`."""
    table = list_importance(fit, new, repeats, variables, cv, seed)
    ends = [table["importance"] - table["low"], table["high"] - table["importance"]]
    ax = draw_columns(list_short(table["variable"]), table["importance"], table.attrs["shown"], ax)
    ax.errorbar(table["importance"], np.arange(len(table)), xerr=ends, fmt="none", ecolor=ink(ax), elinewidth=1.2, capsize=3)
    ax.set_xlabel(f"increase in error when permuted (95 % CI)\n({table.attrs['without']})")
    return ax


def draw_columns(names: list[str], values: pd.Series, shown: str, ax: Any) -> Any:
    """A bar for each name, the first one on top; `shown` describes these columns."""
    ax = axes(ax, 5.6 + 0.07 * max(map(len, names)), 1.4 + 0.28 * len(values))
    draw_bars(ax, values, names, shown, color=colour(0), alpha=0.75)
    grid_lines(ax, "x")
    return ax


@framed
def weights(fit: Fitted, ax: Any = None, shape: Any = None) -> Any:
    """Plot the share of each column in the separation of the prototypes, with its learned weight; see `Fit.separation`.

    The colour is the class with the higher value. If each class has its own weights, the bars are the weights by class. If the
    prototypes do not decide, as in k-NN, they are the weights.

    Parameters
    ----------
    shape : (int, int), optional
        Rows and columns of an image: the prototypes as images, and below each the weights of the pixels for its class.
    """
    from matplotlib.patches import Patch

    if shape is not None:
        if ax is not None:
            raise OptionError("plot('weights', shape=) is a figure of several images: leave ax= out")
        images = show_weights(fit, shape, MOST)
        return draw_grid(images, len(images.titles) // 2, size=0.9)
    table = list_weights(fit)
    names, shown = list_short(table["column"]), table.attrs["shown"]
    if "share" in table:
        names = [f"{name} (weight {write_number(w)})" for name, w in zip(names, table["weight"], strict=True)]
        ax, codes = draw_columns(names, table["share"], shown, ax), table["higher"].cat.codes
        for bar, code in zip(ax.patches, codes, strict=True):
            bar.set_color(colour(code) if code >= 0 else GREY)
        ax.set_xlabel("share of the separation of the prototypes")
        known = [Patch(color=colour(k), alpha=0.75, label=f"higher in {named(fit.classes[k])}") for k in sorted({*codes} - {-1})]
        return key(ax, handles=known).axes if known else ax
    by_class = table.attrs["by_class"]
    if not len(by_class):
        ax = draw_columns(names, table["weight"], shown, ax)
    else:
        count = len(by_class)
        ax = axes(ax, 5.6 + 0.07 * max(map(len, names)), 1.4 + 0.28 * len(table) * max(1.0, count / 3))
        for k, level in enumerate(list_named(fit.classes)):
            at = np.arange(len(table)) + (k - (count - 1) / 2) * 0.8 / count
            ax.barh(at, by_class[k], 0.8 / count, lw=0, color=colour(k), label=level)
        list_down(ax, names, shown)
        grid_lines(ax, "x")
        key(ax)
    ax.set_xlabel("learned weight")
    return ax
