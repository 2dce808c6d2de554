"""Plots of tests: confusion, ROC and precision-recall curves, calibration, coverage and groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rcParams

from ..analysis.evaluation import IN_THE_LARGE, TestResult
from ..analysis.groups import MEASURES, TestByGroup, counted
from ..estimation.decisions import Threshold, class_code
from ..estimation.fitted import Fitted
from ..ground.checks import one_of
from ..ground.errors import OptionError, brief
from ..ground.text import list_short, write_number
from ..tables.words import count_confusion
from .style import (
    GREY,
    LEAST,
    LETTER,
    LETTERS,
    SHADE,
    axes,
    blend,
    colour,
    draw_intervals,
    faint,
    framed,
    has_room,
    inches,
    key,
    letters_on,
    list_named,
    mark,
    name_ticks,
    named,
    panels,
    paper,
)

# levels at which the coverage of prediction sets is drawn
COVERED = np.round(np.arange(0.5, 0.995, 0.01), 2)
TOGETHER, ACROSS = 4, 5  # classes in one calibration plot; panels in a row
MANY = 8  # classes from which on a legend is next to the Axes
PALE = 0.12  # shade of the smallest error
SHADOW = 0.17  # opacity of a band


def share_rows(table: pd.DataFrame) -> np.ndarray:
    """Each row of a table divided by its sum, 0 where that is 0.

    Examples
    --------
    >>> share_rows(pd.DataFrame([[3, 1], [0, 0]])).tolist()
    [[0.75, 0.25], [0.0, 0.0]]
    """
    return table.div(table.sum(axis=1), axis=0).fillna(0.0).to_numpy(float)


@framed
def confusion_of_fit(fit: Fitted, ax: Any = None) -> Any:
    """Held-out or training rows of a fit; see `draw_counts`."""
    return draw_counts(*count_confusion(fit), ax)


def draw_counts(table: pd.DataFrame, rows: str, ax: Any = None) -> Any:
    """Weight of rows by true class (down) and predicted class, rounded, with recall and precision;
    errors are shaded by their proportion of the true class.
    """
    L, values, share = len(table), table.to_numpy(float), share_rows(table)
    side = max(4.4, 0.5 * L + 2.1)
    ax = axes(ax, side + 0.8, side)
    fill = np.where(share * (1 - np.eye(L)) > 0, PALE + (1 - PALE) * share**0.5, 0.0)
    ground = np.array([[blend(SHADE, paper(ax), shade) for shade in line] for line in fill])
    ax.imshow(ground)
    for draw in (ax.hlines, ax.vlines):
        draw(np.arange(L + 1) - 0.5, -0.5, L - 0.5, color=faint(ax), lw=0.6)
    right, names = np.diag(table), list_named(table.index, 2 * LETTERS)
    rounded = "\ncells rounded: weights, or means over repeats" if (values % 1).any() else ""
    for axis, over, label in (
        (ax.yaxis, 1, "true class (recall)"),
        (ax.xaxis, 0, f"predicted class (precision){rounded}"),
    ):
        found = right / table.sum(axis=over)
        texts = (
            [f"{name} ({write_number(value)})" for name, value in zip(names, found, strict=True)]
            if has_room(ax)
            else names
        )
        name_ticks(axis, texts, label if has_room(ax) else label.split(" (")[0], letters="small")
    ax.tick_params(length=0)
    wrong, total = values.sum() - right.sum(), values.sum()
    error = f"{100 * wrong / total:.1f} %" if total else "-"
    ax.set_title(f"Error {error} ({write_number(wrong)} of {write_number(total)} {rows})")
    ax.grid(False)
    ax.spines[:].set_visible(False)
    longest = max(len(write_number(value)) for value in values.flat)
    size = min(rcParams["font.size"], 0.6 * 72 * min(inches(ax)) / (L * max(1.2, LETTER * longest)))
    for i, j in np.argwhere(values > 0) if size >= LEAST else ():
        ax.text(
            j,
            i,
            write_number(values[i, j]),
            ha="center",
            va="center",
            color=letters_on(ground[i, j]),
            fontsize=size,
            weight="bold" if i == j else None,
        )
    return ax


@framed
def draw_test(
    test: TestResult, kind: str = "confusion", ax: Any = None, of: Any = None
) -> Any:
    """Plot the test: confusion, ROC, precision-recall, calibration, decision curve or coverage.

    Parameters
    ----------
    kind : str
        Kind of plot.

        * "confusion": rows by true and predicted class.
        * With probabilities, "roc": ROC curve of each class against the rest, with the area;
          "roc_band": the same with the band of `TestResult.roc_band`; "pr": precision against
          sensitivity. The threshold of the test is marked on its curve.
        * With probabilities, "calibration": observed proportion against mean predicted probability;
          "decision": net benefit against the threshold, as in `TestResult.decision_curve`, up to
          the last threshold that a row reaches.
        * For a calibrated fit, "coverage": coverage of the prediction sets against their level.
    ax : Axes, optional
        Axes to draw on.
    of : class, optional
        Only this class. Not for "confusion" and "coverage", which have all.

    Returns
    -------
    Axes
        The Axes.

    Raises
    ------
    NotAvailableError
        If there are no probabilities or no prediction sets.
    """
    kinds: Any = {
        "confusion": confusion,
        "roc": roc,
        "roc_band": partial(roc, band=True),
        "pr": precision_recall,
        "calibration": calibration,
        "decision": decision,
        "coverage": coverage,
    }
    one_of("kind", kind, tuple(kinds), "picture")
    if of is None:
        return kinds[kind](test, ax)
    if kind in ("confusion", "coverage"):
        raise OptionError(f"the plot {kind!r} has all classes: leave out of={brief(of)}")
    return kinds[kind](test, ax, of=of)


def confusion(test: TestResult, ax: Any = None) -> Any:
    """New rows by true and predicted class."""
    return draw_counts(test.confusion, "new rows", ax)


def shown_classes(test: TestResult, of: Any = None) -> list[int]:
    """Codes of the class `of`, or of those whose curve says something new: of two classes only that
    of a cut or the second, as the other mirrors it.
    """
    if of is not None:
        return [class_code(of, test.confusion.index)]
    cut = test.judged.cut
    return [cut[0] if cut else 1] if len(test.classes) == 2 else list(range(len(test.classes)))


def roc(test: TestResult, ax: Any = None, of: Any = None, band: bool = False) -> Any:
    """ROC curve of each class against the rest, with its area and interval."""
    table, areas, codes = test.roc(of), test._areas[0], shown_classes(test, of)
    bands = test.roc_band(test.classes[codes[0]] if len(codes) == 1 else None) if band else None
    ax = _square(ax, len(test.classes))
    ax.plot([0, 1], [0, 1], "--", lw=0.8, color=GREY)
    for c, name, rows in _by_class(test, table, codes):
        e = areas[c].estimate
        ends = f" ({e.low:.3f} to {e.high:.3f})" if e.low == e.low else ""
        if bands is not None:
            around = bands[bands["class"] == test.classes[c]]
            ax.fill_between(
                1 - around["specificity"],
                around["band_low"],
                around["band_high"],
                color=colour(c),
                alpha=SHADOW,
                lw=0,
            )
        label = f"{name}: AUC {e.value:.3f}{ends}" if has_room(ax) else name
        ax.plot(
            1 - rows["specificity"],
            rows["sensitivity"],
            lw=1.6,
            color=colour(c),
            label=label,
            clip_on=False,
        )
        _mark_cut(ax, test, c, rows, 1 - rows["specificity"], ["sensitivity", "specificity"])
    shaded = "; shaded: 95 % band of the whole curve" if band else ""
    ax.set(
        xlabel="1 - specificity",
        ylabel="sensitivity",
        title=f"ROC curve, one class versus the rest\nAUC with 95 % CI{shaded}",
    )
    return _legend(ax, "lower right")


def precision_recall(test: TestResult, ax: Any = None, of: Any = None) -> Any:
    """Precision against sensitivity of each class against the rest; the dotted line is the
    prevalence, the level of random ranking.
    """
    table, average = test.pr(of), test.auc().set_index("class")["average_precision"]
    prevalence = test._counts.weight.sum(axis=1) / test._counts.weight.sum()
    ax = _square(ax, len(test.classes))
    for c, name, rows in _by_class(test, table):
        label = (
            f"{name}{f': average precision {average[test.classes[c]]:.3f}' if has_room(ax) else ''}"
        )
        ax.step(
            rows["recall"],
            rows["precision"],
            where="pre",
            lw=1.6,
            color=colour(c),
            label=label,
            clip_on=False,
        )
        ax.axhline(prevalence[c], lw=0.8, ls=":", color=colour(c))
        _mark_cut(ax, test, c, rows, rows["recall"], ["precision", "recall"])
    ax.set(
        xlabel="sensitivity (recall)",
        ylabel="precision",
        title="Precision and recall, one class versus the rest\n(dotted: prevalence)",
    )
    return _legend(ax, "best")


def decision(test: TestResult, ax: Any = None, of: Any = None) -> Any:
    """Net benefit of each class against the threshold, of the fit's predictions and of all rows
    predicted as it, up to the last threshold that a row reaches.
    """
    ax, codes, curve = axes(ax, 5.4, 4.2), shown_classes(test, of), test.decision_curve(of)
    ax.axhline(0, lw=0.8, color=GREY, label="nobody")
    for c, name, rows in _by_class(test, curve, codes):
        across, style = rows["threshold"], {"color": colour(c)}
        ax.plot(across, rows["net_benefit"], lw=1.6, label=f"{name}: by the fit", **style)
        ax.fill_between(across, rows["low"], rows["high"], alpha=SHADOW, lw=0, **style)
        label = "everyone" if c == codes[0] else None
        ax.plot(across, rows["net_benefit_all"], "--", lw=0.8, label=label, **style)
    most, used = curve["high"].max(), curve["class"].cat.codes.isin(codes) & (curve["predicted"] > 0)
    ax.set(
        xlabel="threshold of the probability",
        ylabel="net benefit (95 % CI)",
        xlim=(0, curve["threshold"][used].max()),
        ylim=(-0.2 * most, 1.05 * most),
        title="Net benefit of predicting a class",
    )
    return _legend(ax, "best")


@framed
def threshold(cut: Threshold, ax: Any = None) -> Any:
    """Apparent error, sensitivity and specificity against the threshold, and the selected one."""
    ax, table = axes(ax, 5.4, 4.2), cut.table[np.isfinite(cut.table["value"])]
    for k, name in enumerate(("error", "sensitivity", "specificity")):
        label = f"apparent {cut.measure}" if name == "error" else name
        ax.plot(table["value"], table[name], lw=1.6, color=colour(k), label=label)
    if np.isfinite(cut.value):
        ax.axvline(cut.value, lw=0.8, ls="--", color=GREY)
    ax.set(xlabel=f"threshold of the probability of {named(cut.of)}", title=cut.words())
    return _legend(ax, "best")


def _mark_cut(
    ax: Any, test: TestResult, c: int, rows: pd.DataFrame, across: pd.Series, names: list[str]
) -> None:
    """Mark the threshold of the test on the curve of its class, with the values there; the first is the height."""
    if test.judged.cut is None or test.judged.cut[0] != c:
        return
    cut = test.judged.cut[1]
    step = (rows["threshold"] >= cut).sum() - 1
    values = ", ".join(f"{name} {rows[name].iloc[step]:.3f}" for name in names)
    words = f"threshold {cut:.3g}" + (f":\n{values}" if has_room(ax) else "")
    ax.plot(
        across.iloc[step],
        rows[names[0]].iloc[step],
        mark(c),
        label=words,
        ms=8,
        mfc=paper(ax),
        mec=colour(c),
        mew=1.8,
        ls="none",
        clip_on=False,
        zorder=5,
    )


def calibration(test: TestResult, ax: Any = None, of: Any = None) -> Any:
    """Calibration plot: observed proportion in bins of the predicted probability, with Wilson intervals.

    On the diagonal, probabilities are calibrated. Bins are not a curve, so no line joins them. Each
    of many classes has its own panel.
    """
    parts = list(_by_class(test, test.calibration(), shown_classes(test, of)))
    many, title = ax is None and len(parts) > TOGETHER, "Calibration plot (bars: 95 % CI)"
    labels = {"xlabel": "mean predicted probability (bins of 0.1)", "ylabel": "observed proportion"}
    if many:
        figure, places = panels(ceil(len(parts) / ACROSS), ACROSS, 2.0, 2.2)
        for k, place in enumerate(places.ravel()):
            place.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", visible=k < len(parts))
    else:
        ax = _square(ax, len(test.classes))
    for k, (c, name, rows) in enumerate(parts):
        where = places.ravel()[k] if many else ax
        where.plot([0, 1], [0, 1], "--", lw=0.8, color=GREY)
        share = rows["observed"]
        ends = np.maximum(0, [share - rows["observed_low"], rows["observed_high"] - share])
        where.errorbar(
            rows["mean_predicted"],
            share,
            ends,
            fmt=mark(c),
            ms=5,
            elinewidth=0.8,
            capsize=2,
            color=colour(c),
            label=name,
            clip_on=False,
        )
        if many:
            where.set_title(name)
    if many:
        figure.suptitle(title)
        figure.supxlabel(labels["xlabel"])
        figure.supylabel(labels["ylabel"])
        return figure
    ax.set(title=title, **labels)
    return _legend(ax, "upper left")


def coverage(test: TestResult, ax: Any = None) -> Any:
    """Coverage of the prediction sets per class against their level, with shaded intervals."""
    table = test.coverage(COVERED)
    ax = axes(ax, 5.6, 5.0)
    ax.plot(COVERED, COVERED, "--", lw=0.8, color=GREY)
    for c, name, rows in _by_class(test, table):
        ax.fill_between(rows["level"], rows["low"], rows["high"], color=colour(c), alpha=0.12, lw=0)
        ax.plot(
            rows["level"],
            rows["coverage"],
            lw=1.6,
            color=colour(c),
            label=f"{name} ({rows['n'].iloc[0]} rows)",
        )
    ax.set(
        xlabel="level of the prediction sets",
        ylabel="coverage (proportion of sets with the true class)",
        title="Coverage of the prediction sets (shaded: 95 % CI)",
        xlim=(COVERED[0], COVERED[-1]),
        ylim=(None, 1.01),
    )
    return _legend(ax, "lower right")


def list_groups(result: TestByGroup, measure: str = "error", of: Any = None) -> pd.DataFrame:
    """Groups in their order: `group` (its name), `rows` (that count), the measure, `low` and
    `high`; the last row is that of all rows.
    """
    tests = [*result.groups.items(), ("all rows", result.overall)]
    c = result._class_code(measure, of)
    rows = []
    for label, test in tests:
        count, e = np.count_nonzero(counted(test, measure, c)[1]), test._estimate(measure, c)
        rows.append((str(label), count, e.value, e.low, e.high))
    return pd.DataFrame(rows, columns=["group", "rows", measure, "low", "high"])


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
    names = [
        f"{name} ({n} rows)"
        for name, n in zip(list_short(table["group"]), table["rows"], strict=True)
    ]
    draw_intervals(ax, table, names, result.by, total=True, what=measure)
    if measure != "error":
        name = named(result.overall.classes[result._class_code(measure, of)])
        ax.set_xlabel(f"{MEASURES[measure]} of {name} (95 % CI)")
    if measure == IN_THE_LARGE:
        ax.axvline(0, lw=0.8, ls="--", color=GREY, zorder=1)
    return ax


def _by_class(
    test: TestResult, table: pd.DataFrame, codes: Iterable[int] | None = None
) -> Iterator[tuple[int, str, pd.DataFrame]]:
    """Code, name and rows of a table of each class that has rows there."""
    for c in range(len(test.classes)) if codes is None else codes:
        rows = table[table["class"] == test.classes[c]]
        if len(rows):
            yield c, named(test.classes[c]), rows


def _square(ax: Any, classes: int) -> Any:
    """Axes from 0 to 1 both ways, with room for a legend of many classes next to them."""
    ax = axes(ax, 5.6 if classes <= MANY else 9.0, 5.4)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return ax


def _legend(ax: Any, where: str) -> Any:
    many = len(ax.get_legend_handles_labels()[0]) > MANY
    if many:
        ax.set_anchor("W")  # axes and legend stand at the left of a wider place
    return key(ax, "right" if many else where).axes
