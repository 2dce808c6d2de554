"""Plots of tests: confusion, curves of scores, calibration, groups, and permutations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.evaluation import Test
from ..analysis.groups import IN_THE_LARGE, MEASURES, TestByGroup
from ..analysis.groups import test as test_on
from ..analysis.importance import PermutationTest
from ..estimation.fitted import Fitted
from ..ground.checks import one_of
from ..views.analyses import count_permutations
from ..views.evaluation import (
    Confusion,
    count_confusion,
    list_coverage,
    list_groups,
    shown_classes,
)
from ..views.prototypes import list_short
from ..views.words import write_number, write_share
from .style import (
    GREY,
    SHADE,
    axes,
    blend,
    colour,
    draw_intervals,
    faint,
    fit_letters,
    framed,
    has_room,
    ink,
    key,
    letters_on,
    list_named,
    mark,
    name_ticks,
    named,
    paper,
)

MANY = 8  # classes from which on a legend is next to the Axes, and counts are left out
PALE = 0.12  # shade of the smallest error
BESIDE = 0.15  # of a cell is between the cells and their recall and precision


@framed
def confusion_of_fit(fit: Fitted, ax: Any = None) -> Any:
    """Held-out or training rows of a fit; see `draw_counts`."""
    return draw_counts(count_confusion(fit), ax)


def draw_counts(counts: Confusion, ax: Any = None) -> Any:
    """Counts as numbers, errors shaded by their proportion of the true class; at the margins recall and precision."""
    L = len(counts.table)
    side = max(4.4, 0.5 * L + 2.1)
    ax = axes(ax, side + 0.8, side)
    values, share = counts.table.to_numpy(float), counts.shares
    ground = np.array([[_shade(ax, share[i, j], i == j) for j in range(L)] for i in range(L)])
    ax.imshow(ground, extent=(-0.5, L - 0.5, L - 0.5, -0.5))
    edges, margins = np.arange(L + 1) - 0.5, has_room(ax)
    lines = {"color": faint(ax), "lw": 0.6}
    for draw in (ax.hlines, ax.vlines):
        draw(edges, -0.5, L - 0.5, **lines)
        if margins:  # a row and a column next to the cells
            draw(edges, L - 0.5 + BESIDE, L + 0.5 + BESIDE, **lines)
            draw([L - 0.5 + BESIDE, L + 0.5 + BESIDE], -0.5, L - 0.5, **lines)
    names, at = list_named(counts.table.index), [*range(L), *[L + BESIDE] * margins]
    name_ticks(ax.xaxis, [*names, *["recall"] * margins], "predicted class", at, "small")
    name_ticks(ax.yaxis, [*names, *["precision"] * margins], "true class", at, "small")
    ax.tick_params(length=0)
    end = L + 0.52 + BESIDE if margins else L - 0.5
    ax.set(xlim=(-0.5, end), ylim=(end, -0.5))
    wrong, total = counts.errors, float(values.sum())
    title = f"{wrong:g} of {total:g} {counts.rows} misclassified: error {write_number(wrong / total if total else np.nan)}"
    ax.set_title(f"{title}\n(shade: proportion of the true class)", fontsize="medium")
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    cells = [(j, i, f"{values[i, j]:g}", letters_on(ground[i, j])) for i, j in np.argwhere(values > 0)]
    shares = [write_share(share) for share in [*counts.recall, *counts.precision]] if margins else []
    cells += [(*((L + BESIDE, k) if k < L else (k - L, L + BESIDE)), share, ink(ax)) for k, share in enumerate(shares)]
    size = fit_letters(ax, 1 / (end + 0.5), 1 / (end + 0.5), max((len(text) for *_, text, _ in cells), default=1))
    for x, y, text, shade in cells if size else ():
        ax.text(x, y, text, color=shade, fontsize=size, ha="center", va="center", weight="bold" if x == y else None)
    return ax


def _shade(ax: Any, share: float, right: bool) -> tuple[float, float, float]:
    """Background of a cell: plain for correct or empty cells, otherwise darker for a larger proportion."""
    return blend(SHADE, paper(ax), 0.0 if right or not share else PALE + (1 - PALE) * share**0.5)


@framed
def draw_test(test: Test, kind: str = "confusion", ax: Any = None) -> Any:
    """Plot the results of the test: confusion, ROC, precision-recall, calibration or coverage.

    Parameters
    ----------
    kind : str
        Kind of plot.

        * "confusion": rows by true and predicted class.
        * With probabilities, "roc": ROC curve of each class against the rest, with the area; "roc_band": the same with the intervals
          and the band of `Test.roc_band`; "pr": precision against sensitivity. The threshold of the test is marked on its curve.
        * With probabilities, "calibration": observed proportion against mean predicted probability.
        * For a calibrated fit, "coverage": coverage of the prediction sets against their level.
    ax : Axes, optional
        Axes to draw on.

    Returns
    -------
    Axes
        The Axes.

    Raises
    ------
    NotAvailable
        If there are no probabilities or no prediction sets.
    """
    kinds: dict[str, Callable[[Test, Any], Any]] = {
        "confusion": confusion,
        "roc": roc,
        "roc_band": partial(roc, band=True),
        "pr": precision_recall,
        "calibration": calibration,
        "coverage": coverage,
    }
    one_of("kind", kind, tuple(kinds), "picture")
    return kinds[kind](test, ax)


def confusion(test: Test, ax: Any = None) -> Any:
    """New rows by true and predicted class."""
    return draw_counts(Confusion(test.confusion, "new rows"), ax)


def roc(test: Test, ax: Any = None, band: bool = False) -> Any:
    """ROC curve of each class against the rest, with its area and interval."""
    table, areas, codes = test.roc(), test.areas[0], shown_classes(test)
    alone = len(codes) == 1
    bands = test.roc_band(test.classes[codes[0]] if alone else None) if band else None
    shades = {"band_": 0.17, "": 0.22} if alone else {"band_": 0.17}  # of the whole curve, and at each place
    ax = _square(ax, len(test.classes))
    ax.plot([0, 1], [0, 1], "--", lw=0.8, color=GREY)
    labels = {}
    for c, name, own in _by_class(test, table, codes):
        e = areas[c].estimate
        ends = f" ({'95 % CI ' * alone}{e.low:.3f} to {e.high:.3f})" if e.low == e.low else ""
        labels[c] = f"{name}{f': AUC {e.value:.3f}{ends}' if has_room(ax) else ''}"
        if bands is not None:
            around = bands[bands["class"] == test.classes[c]]
            for which, shade in shades.items():
                low, high = (around[f"{which}{end}"] for end in ("low", "high"))
                ax.fill_between(1 - around["specificity"], low, high, color=colour(c), alpha=shade, lw=0)
        ax.plot(1 - own["specificity"], own["sensitivity"], lw=1.6, color=colour(c), label=labels[c], clip_on=False)
        _mark_cut(ax, test, c, own, 1 - own["specificity"], ["sensitivity", "specificity"])
    shaded = f"\n(95 % {'CI at each point; pale: 95 % ' if alone else ''}band of the whole curve)" if band else ""
    several = f"ROC curves, one class versus the rest{' (AUC with 95 % CI)' if has_room(ax) else ''}"
    head = f"ROC curve, {labels[codes[0]]}" if alone else several
    ax.set(xlabel="1 - specificity", ylabel="sensitivity", title=head + shaded)
    ax.title.set_fontsize("medium")
    return ax if alone else _legend(ax, "lower right")


def precision_recall(test: Test, ax: Any = None) -> Any:
    """Precision against sensitivity of each class against the rest; the dotted line is the prevalence, the level of random ranking."""
    table, average = test.pr(), test.auc().set_index("class")["average_precision"]
    prevalence = test.counts.weight.sum(axis=1) / test.counts.weight.sum()
    ax = _square(ax, len(test.classes))
    for c, name, own in _by_class(test, table):
        label = f"{name}{f': average precision {average[test.classes[c]]:.3f}' if has_room(ax) else ''}"
        ax.step(own["recall"], own["precision"], where="pre", lw=1.6, color=colour(c), label=label, clip_on=False)
        ax.axhline(prevalence[c], lw=0.8, ls=":", color=colour(c))
        _mark_cut(ax, test, c, own, own["recall"], ["precision", "recall"])
    ax.set(xlabel="sensitivity (recall)", ylabel="precision", title="Precision and recall, one class versus the rest\n(dotted: prevalence)")
    return _legend(ax, "best")


def _mark_cut(ax: Any, test: Test, c: int, own: pd.DataFrame, across: pd.Series, names: list[str]) -> None:
    """Mark the threshold of the test on the curve of its class, with the values there; the first is the height."""
    if test.judged.cut is None or test.judged.cut[0] != c:
        return
    cut = test.judged.cut[1]
    at = int((own["threshold"] >= cut).sum()) - 1
    x, y = across.iloc[at], own[names[0]].iloc[at]
    ax.plot(x, y, mark(c), ms=8, mfc=paper(ax), mec=colour(c), mew=1.8, clip_on=False, zorder=5)
    if has_room(ax):
        words = "\n".join([f"threshold {cut:.3g}", *(f"{name} {own[name].iloc[at]:.3f}" for name in names)])
        side = -1 if x > 0.5 else 1
        ax.annotate(words, (x, y), (9 * side, -9 if y > 0.3 else 9), textcoords="offset points", fontsize=8.5, color=ink(ax), zorder=6,
                    ha="right" if side < 0 else "left", va="top" if y > 0.3 else "bottom",
                    bbox={"boxstyle": "round,pad=0.2", "fc": paper(ax), "ec": "none", "alpha": 0.7})  # fmt: skip


@framed
def calibration_of_fit(fit: Fitted, ax: Any, *, new: Any) -> Any:
    """Calibration plot of a fit on new rows."""
    return calibration(test_on(fit, new), ax)


LINE = 0.055  # of the vertical axis: the height of a line of counts
APART, SPREAD = 0.01, 0.05  # of the horizontal axis: distances between the bars of two classes, and between all


def calibration(test: Test, ax: Any = None) -> Any:
    """Calibration plot: observed proportion in bins of the predicted probability, with Wilson intervals, above the rows of each bin.

    On the diagonal, probabilities are calibrated. Bins are not a curve, so no line joins them.
    """
    table, codes = test.calibration(), shown_classes(test)
    ax = _square(ax, len(test.classes))
    ax.plot([0, 1], [0, 1], "--", lw=0.8, color=GREY)
    size = fit_letters(ax, 0.1, LINE, 4) if len(codes) <= MANY else 0.0
    counted = size > 0
    for line, (c, name, own) in enumerate(_by_class(test, table, codes), 1):
        share = own["observed"]
        ends = np.maximum(0, [share - own["observed_low"], own["observed_high"] - share])
        aside = min(APART, SPREAD / len(codes)) * (line - (len(codes) + 1) / 2)  # bars of several classes do not hide one another
        ax.errorbar(own["mean_predicted"] + aside, share, ends, fmt=mark(c), ms=5, elinewidth=0.8, capsize=2, color=colour(c),
                    label=name, clip_on=False)  # fmt: skip
        for low, high, n in zip(own["low"], own["high"], own["n"], strict=True) if counted else ():
            ax.text((low + high) / 2, -line * LINE, f"{n}", color=ink(ax), ha="center", va="center", fontsize=size)
        if counted and len(codes) > 1:
            ax.plot(1.03, -line * LINE, mark(c), ms=5, color=colour(c), clip_on=False)
    low = -(len(codes) + 0.7) * LINE if counted else 0
    shares = np.linspace(0, 1, 6).round(1).tolist()
    ax.set_yticks([*shares, low / 2 - 0.15 * LINE] if counted else shares, [*map(str, shares), *["rows"] * counted])
    ax.axhline(0, lw=0.8, color=ink(ax), zorder=0)
    ax.set(ylim=(low, 1), xlabel="mean predicted probability (bins of 0.1)", ylabel="observed proportion",
           title=f"Calibration plot (bars: 95 % CI{'' if counted else '; counts: calibration()'})")  # fmt: skip
    return _legend(ax, "upper left")


def coverage(test: Test, ax: Any = None) -> Any:
    """Coverage of the prediction sets per class against their level, with shaded intervals."""
    table = list_coverage(test)
    ax = axes(ax, 5.6, 5.0)
    levels = table["level"].unique()
    ax.plot(levels, levels, "--", lw=0.8, color=GREY)
    for c, name, own in _by_class(test, table):
        ax.fill_between(own["level"], own["low"], own["high"], color=colour(c), alpha=0.12, lw=0)
        ax.plot(own["level"], own["coverage"], lw=1.6, color=colour(c), label=f"{name} ({own['n'].iloc[0]} rows)")
    ax.set(xlabel="level of the prediction sets", ylabel="coverage (proportion of sets with the true class)",
           title="Coverage of the prediction sets (shaded: 95 % CI)", xlim=(levels[0], levels[-1]), ylim=(None, 1.01))  # fmt: skip
    return _legend(ax, "lower right")


@framed
def groups(result: TestByGroup, measure: str = "error", of: Any = None, ax: Any = None) -> Any:
    """Plot a measure of each group with its 95 % interval, and the measure of all rows.

    Parameters
    ----------
    measure : "error", "sensitivity", "specificity", "ppv", "npv" or "calibration_in_the_large"
        Name of the measure.
    of : class, optional
        Class of the measure. Default: the class of the threshold, or the second of two.
    ax : Axes, optional
        Axes to draw on.
    """
    table = list_groups(result, measure, of)
    ax = axes(ax, 6.4, 1.3 + 0.4 * len(table))
    names = [f"{name} ({n} rows)" for name, n in zip(list_short(table["group"]), table["rows"], strict=True)]
    draw_intervals(ax, table, names, result.by, total=True, what=measure)
    if measure != "error":
        name = named(result.overall.classes[result.class_code(measure, of)])
        ax.set_xlabel(f"{MEASURES[measure]} of {name} (95 % CI)")
    if measure == IN_THE_LARGE:
        ax.axvline(0, lw=0.8, ls="--", color=GREY, zorder=1)
    ax.set_title(result.overall.decided, fontsize="medium")
    return ax


def _by_class(test: Test, table: pd.DataFrame, codes: Iterable[int] | None = None) -> Iterator[tuple[int, str, pd.DataFrame]]:
    """Code, name and rows of a table of each class that has rows there."""
    for c in range(len(test.classes)) if codes is None else codes:
        own = table[table["class"] == test.classes[c]]
        if len(own):
            yield c, named(test.classes[c]), own


def _square(ax: Any, classes: int) -> Any:
    """Axes from 0 to 1 both ways, with room for a legend of many classes next to them."""
    ax = axes(ax, 5.6 if classes <= MANY else 9.0, 5.4)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return ax


def _legend(ax: Any, where: str) -> Any:
    ax.title.set_fontsize("medium")
    many = len(ax.get_legend_handles_labels()[0]) > MANY
    if many:
        ax.set_anchor("W")  # with its legend, at the left of a place that is wider than both
    return key(ax, "right" if many else where).axes


@framed
def permutations(result: PermutationTest, ax: Any = None) -> Any:
    """Plot a histogram of the errors with permuted classes, with the observed error; returns the Axes.

    Parameters
    ----------
    ax : Axes, optional
        Axes to draw on.
    """
    table = count_permutations(result)
    ax = axes(ax, 6.4, 3.8)
    width = table["high"] - table["low"]
    ax.bar(table["low"], table["count"], width, align="edge", color=GREY, alpha=0.7, lw=0, label=f"{len(result.table)} permutations")
    said = f"observed {result.measure}: {write_number(result.error)}, p = {write_number(result.p_value)}"
    ax.axvline(result.error, color=colour(1), lw=2, label=said)
    ax.axvline(result.table["error"].mean(), color=ink(ax), lw=1, ls=":", label="mean of the permutations")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.margins(x=0.04)
    ax.set(xlabel=f"cross-validated {result.measure} of the selected point", ylabel="number of permutations")
    ax.set_title(result.how, fontsize="medium")
    return key(ax, "best").axes
