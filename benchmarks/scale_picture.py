"""The picture of SCALE.md: time above, memory below, one column of panels for each number of columns of the data."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scale import Row

SHADES = ("#0072B2", "#56B4E9", "#D55E00", "#009E73", "#666666", "#CC79A7", "#E69F00", "#000000")  # of Okabe and Ito, with a grey
MARKS = ("o", "s", "^", "D", "v", "P", "X", "<")
LEAST = 0.001  # GB; what is less is drawn there


def draw(rows: list[Row], words: dict[str, str], path: Path) -> None:
    """Draw the rows into a PNG of few colours: lines on logarithmic axes, with grey lines of slope 1 and 2."""
    from matplotlib.figure import Figure

    columns = list(dict.fromkeys(r.p for r in rows))
    figure = Figure(figsize=(3.6 * len(columns), 6.4), layout="constrained", facecolor="white")
    axes = figure.subplots(2, len(columns), sharex=True, sharey="row", squeeze=False)
    for k, p in enumerate(columns):
        for i, name in enumerate(words):
            own = [r for r in rows if (r.method, r.p) == (name, p) and r.done]
            style = {"color": SHADES[i % len(SHADES)], "marker": MARKS[i % len(MARKS)], "markersize": 5, "label": words[name]}
            if own:
                n = [r.n for r in own]
                axes[0, k].plot(n, [r.outcome.seconds for r in own], **style)
                axes[1, k].plot(n, [max(LEAST, r.outcome.gigabytes or 0) for r in own], **style)
        axes[0, k].set_title(f"{p} columns")
        axes[1, k].set_xlabel("rows")
    for ax in axes.flat:
        ax.set(xscale="log", yscale="log", facecolor="white")
        ax.grid(color="#e6e6e6")
    axes[0, 0].set_ylabel("seconds")
    axes[1, 0].set_ylabel("peak memory beyond the data (GB)")
    for ax in axes.flat:
        slopes(ax)
    drawn = {label: handle for ax in axes.flat for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(drawn.values(), drawn.keys(), loc="outside lower center", ncols=3, frameon=False)
    save(figure, path)


def slopes(ax: Any) -> None:
    """Grey dashed lines of n and n^2 through the lower left corner of the data."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    for power, name in ((1, "n"), (2, "n²")):
        end = min(right, left * (high / low) ** (1 / power))
        ax.plot([left, end], [low, low * (end / left) ** power], color="#999999", linestyle="--", linewidth=0.8, zorder=0)
        ax.annotate(name, (end, low * (end / left) ** power), (-8, -2), textcoords="offset points",
                    color="#666666", ha="right", va="top", fontsize=9)  # fmt: skip
    ax.set(xlim=(left, right), ylim=(low, high))


def save(figure: Any, path: Path) -> None:
    """Write a PNG of 64 colours, which is a third of the size."""
    from PIL import Image

    made = BytesIO()
    figure.savefig(made, format="png", dpi=110)
    made.seek(0)
    Image.open(made).convert("RGB").quantize(64).save(path, optimize=True)
