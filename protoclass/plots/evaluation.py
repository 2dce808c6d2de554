"""Pictures of tests: confusion, curves of scores, calibration, groups, and permutations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.evaluation import Test, TestByGroup
from ..analysis.evaluation import test as test_on
from ..analysis.importance import PermutationTest
from ..estimation.fitted import Fitted
from ..ground.checks import one_of
from ..views.analyses import count_permutations
from ..views.evaluation import (
    Confusion,
    class_curve,
    count_confusion,
    list_coverage,
    list_curves,
    list_groups,
    list_perturbation,
    shown_classes,
)
from ..views.prototypes import list_short
from ..views.words import write_number, write_share
from .layout import DIRECT, framed, keep_within
from .style import (
    GREY,
    SHADE,
    axes,
    blend,
    colour,
    draw_intervals,
    faint,
    has_room,
    ink,
    key,
    letters_on,
    list_named,
    mark,
    named,
    paper,
)

PALE = 0.12  # shade of the smallest error
BESIDE = 0.15  # of a cell is between the cells and their recall and precision


@framed
def confusion_of_fit(fit: Fitted, ax: Any = None) -> Any:
    """Held-out or training rows of a fit; see `draw_counts`."""
    return draw_counts(count_confusion(fit), ax)


def draw_counts(counts: Confusion, ax: Any = None) -> Any:
    """Counts as numbers, errors shaded by their share of the true class; at the margins recall and precision."""
    L = len(counts.table)
    side = max(4.4, 0.5 * L + 2.1)
    ax = axes(ax, side + 0.8, side)
    values, share = counts.table.to_numpy(float), counts.shares
    ground = np.array([[_shade(ax, share[i, j], i == j) for j in range(L)] for i in range(L)])
    ax.imshow(ground, extent=(-0.5, L - 0.5, L - 0.5, -0.5))
    middle = {"ha": "center", "va": "center"}
    for i, j in np.argwhere(values > 0):
        style = {"weight": "bold"} if i == j else {}
        text = ax.text(j, i, f"{values[i, j]:g}", color=letters_on(ground[i, j]), fontsize=10, **middle, **style)
        keep_within(text, 0.94, 0.94)
    edges, margins = np.arange(L + 1) - 0.5, has_room(ax)
    lines = {"color": faint(ax), "lw": 0.6}
    for draw in (ax.hlines, ax.vlines):
        draw(edges, -0.5, L - 0.5, **lines)
        if margins:  # a row and a column beside the cells
            draw(edges, L - 0.5 + BESIDE, L + 0.5 + BESIDE, **lines)
            draw([L - 0.5 + BESIDE, L + 0.5 + BESIDE], -0.5, L - 0.5, **lines)
    for k in range(L if margins else 0):
        recall = ax.text(L + BESIDE, k, write_share(counts.recall[k]), fontsize=9, color=ink(ax), **middle)
        precision = ax.text(k, L + BESIDE, write_share(counts.precision[k]), fontsize=9, color=ink(ax), **middle)
        for text in (recall, precision):
            keep_within(text, 0.98, 0.94, "recall and precision")
    names = list_named(counts.table.index)
    steep = max(map(len, names)) > 4 and L > 3
    at = [*range(L), L + BESIDE] if margins else [*range(L)]
    ax.set_xticks(at, [*names, "recall"] if margins else names, rotation=90 if steep else 0)
    ax.set_yticks(at, [*names, "precision"] if margins else names)
    ax.tick_params(length=0)
    end = L + 0.52 + BESIDE if margins else L - 0.5
    ax.set(xlim=(-0.5, end), ylim=(end, -0.5), xlabel="predicted class", ylabel="true class")
    wrong, total = counts.errors, float(values.sum())
    shade = "\n(shade: share of the true class)" if margins else "\n(no room for recall and precision)"
    ax.set_title(f"{wrong:g} of {total:g} {counts.rows} wrong: error {write_number(wrong / total)}{shade}")
    ax.title.set_fontsize("medium")
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _shade(ax: Any, share: float, right: bool) -> tuple[float, float, float]:
    """The ground of a cell: paper for what is right or empty, else the darker the larger the share."""
    return blend(SHADE, paper(ax), 0.0 if right or not share else PALE + (1 - PALE) * share**0.5)


@framed
def draw_test(test: Test, kind: str = "confusion", ax: Any = None) -> Any:
    """Draw what the test found.

    Parameters
    ----------
    kind : str
        "confusion": rows by true and predicted class. Where there are chances, "roc": sensitivity against the share of false
        positives of each class against the rest, with the area; "pr": precision against sensitivity; "calibration": the share
        that came true against the chance. Of a calibrated fit, "coverage": how often sets hold the true class against their
        level. Of a nearest-prototype rule in a metric, "perturbation": a bound of the error when rows are changed.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    NotAvailable
        Where there are no chances, no prediction sets, or no certified distances.
    """
    kinds = {
        "confusion": confusion,
        "roc": roc,
        "pr": precision_recall,
        "calibration": calibration,
        "coverage": coverage,
        "perturbation": perturbation,
    }
    one_of("kind", kind, tuple(kinds), "picture")
    return kinds[kind](test, ax)


def confusion(test: Test, ax: Any = None) -> Any:
    """New rows by true and predicted class."""
    return draw_counts(Confusion(test.confusion, "new rows"), ax)


def roc(test: Test, ax: Any = None) -> Any:
    """Sensitivity against the share of false positives of each class against the rest, with its area and interval."""
    table, areas = list_curves(test), test.areas[0]
    ax = _square(ax, len(test.classes))
    ax.plot([0, 1], [0, 1], "--", lw=0.8, color=GREY)
    for c, name, own in _by_class(test, table, shown_classes(test)):
        e = areas[c].estimate
        ends = f" ({e.low:.3f} to {e.high:.3f})" if e.low == e.low else ""
        label = f"{name}{f': area {e.value:.3f}{ends}' if has_room(ax) else ''}"
        ax.plot(own["false_positive"], own["sensitivity"], lw=1.6, color=colour(c), label=label, clip_on=False)
    ax.set(xlabel="share of the other rows predicted as the class (1 - specificity)",
           ylabel="share of the class predicted as it (sensitivity)", title="Each class against the rest, by its chance")  # fmt: skip
    return _legend(ax, "lower right")


def precision_recall(test: Test, ax: Any = None) -> Any:
    """Precision against sensitivity of each class against the rest; dotted is the prevalence, which chance alone reaches."""
    table = list_curves(test)
    prevalence = test.table.weight.sum(axis=1) / test.table.weight.sum()
    ax = _square(ax, len(test.classes))
    for c, name, own in _by_class(test, table):
        found = class_curve(test, c)
        label = f"{name}{f': average precision {found.average_precision:.3f}' if found and has_room(ax) else ''}"
        ax.step(own["sensitivity"], own["precision"], where="pre", lw=1.6, color=colour(c), label=label, clip_on=False)
        ax.axhline(prevalence[c], lw=0.8, ls=":", color=colour(c))
    ax.set(xlabel="share of the class predicted as it (sensitivity)",
           ylabel="share of the class among rows predicted as it (precision)",
           title="Each class against the rest (dotted: its prevalence)")  # fmt: skip
    return _legend(ax, "best")


@framed
def calibration_of_fit(fit: Fitted, ax: Any, *, new: Any) -> Any:
    """Whether the chances of a fit come true on new rows."""
    return calibration(test_on(fit, new), ax)


def calibration(test: Test, ax: Any = None) -> Any:
    """The share of the rows in bins of a chance that are of the class, with Wilson's intervals; on the diagonal chances come true."""
    table = test.calibration()
    ax = _square(ax, len(test.classes))
    ax.plot([0, 1], [0, 1], "--", lw=0.8, color=GREY)
    for c, name, own in _by_class(test, table, shown_classes(test)):
        share = own["share"]
        ends = np.maximum(0, [share - own["share_low"], own["share_high"] - share])
        ax.errorbar(own["chance"], share, ends, fmt=mark(c), ls="-", ms=5, lw=1.2, elinewidth=0.8, capsize=2, color=colour(c),
                    label=name, clip_on=False)  # fmt: skip
    ax.set(xlabel="chance of the class (mean of a bin of width 0.1)", ylabel="share of the bin's rows that are of the class",
           title="Do the chances come true? (bars: 95 % intervals)")  # fmt: skip
    return _legend(ax, "best")


def coverage(test: Test, ax: Any = None) -> Any:
    """The share of the rows of each class whose prediction set holds it, against the level of the sets; shaded is its interval."""
    table = list_coverage(test)
    ax = axes(ax, 5.6, 5.0)
    levels = table["level"].unique()
    ax.plot(levels, levels, "--", lw=0.8, color=GREY)
    for c, name, own in _by_class(test, table):
        ax.fill_between(own["level"], own["low"], own["high"], color=colour(c), alpha=0.12, lw=0)
        ax.plot(own["level"], own["coverage"], lw=1.6, color=colour(c), label=f"{name} ({own['n'].iloc[0]} rows)")
    ax.set(xlabel="level of the prediction sets", ylabel="share of the class's rows whose set holds it",
           title="Do the sets hold the true class? (shaded: 95 % intervals)", xlim=(levels[0], levels[-1]), ylim=(None, 1.01))  # fmt: skip
    return _legend(ax, "lower right")


def perturbation(test: Test, ax: Any = None) -> Any:
    """The bound of the error under changes of the rows against their size, with its interval; dotted is the error without them."""
    table = list_perturbation(test)
    ax = axes(ax, 5.6, 4.4)
    ax.fill_between(table["size"], table["low"], table["high"], step="pre", color=colour(0), alpha=0.12, lw=0)
    ax.step(table["size"], table["error"], where="pre", lw=1.6, color=colour(0), label="no change of this size has more errors")
    ax.axhline(test.error, lw=0.8, ls=":", color=GREY, label="test error")
    name = test.judged.certified.fit.dissimilarity.metric.name if test.judged.certified else ""
    ax.set(xlabel=f"size of the change of each row (below; {name} distance)", ylabel="share of rows that may be wrong",
           title="How many errors can small changes make? (shaded: 95 % intervals)")  # fmt: skip
    ax.set(xlim=(0, table["size"].iloc[-1]), ylim=(0, 1.01))
    return _legend(ax, "lower right")


@framed
def groups(result: TestByGroup, ax: Any = None) -> Any:
    """The error of each group with its 95 % interval, and that of all rows."""
    table = list_groups(result)
    ax = axes(ax, 6.4, 1.3 + 0.4 * len(table))
    names = [f"{name} ({n} rows)" for name, n in zip(list_short(table["group"]), table["n"], strict=True)]
    draw_intervals(ax, table, names, total=True)
    ax.set_ylabel(result.by)
    return ax


def _by_class(test: Test, table: pd.DataFrame, codes: Iterable[int] | None = None) -> Iterator[tuple[int, str, pd.DataFrame]]:
    """Code, name and rows of a table of each class that has rows there."""
    for c in range(len(test.classes)) if codes is None else codes:
        own = table[table["class"] == test.classes[c]]
        if len(own):
            yield c, named(test.classes[c]), own


def _square(ax: Any, classes: int) -> Any:
    """Axes from 0 to 1 both ways, with room for a legend of many classes beside them."""
    ax = axes(ax, 5.6 if classes <= DIRECT else 9.0, 5.4)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return ax


def _legend(ax: Any, where: str) -> Any:
    ax.title.set_fontsize("medium")
    many = len(ax.get_legend_handles_labels()[0]) > DIRECT
    if many:
        ax.set_anchor("W")  # with its legend, at the left of a place that is wider than both
    key(ax, "right" if many else where)
    return ax


@framed
def permutations(result: PermutationTest, ax: Any = None) -> Any:
    """The errors with permuted classes as a histogram, with the error of the classes as they are; returns the Axes.

    Parameters
    ----------
    ax : Axes, optional
    """
    table = count_permutations(result)
    ax = axes(ax, 6.4, 3.8)
    width = table["high"] - table["low"]
    ax.bar(table["low"], table["count"], width, align="edge", color=GREY, alpha=0.7, lw=0, label=f"{len(result.table)} permutations")
    said = f"as observed: {write_number(result.error)}, p = {write_number(result.p_value)}"
    ax.axvline(result.error, color=colour(1), lw=2, label=said)
    ax.axvline(result.table["error"].mean(), color=ink(ax), lw=1, ls=":", label="mean of the permutations")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.margins(x=0.04)
    ax.set(xlabel=f"cross-validated {result.measure} of the chosen point", ylabel="permutations")
    ax.set_title(result.how, fontsize="medium")
    key(ax, "below", ncols=2)
    return ax
