"""A decision line in a plane of signature (1, 1) (GHBO paper, figure 1): python benchmarks/papers/ghbo_figure1.py

Points with real distances to one another in a pseudo-Euclidean plane, two classes on either side of a line, and only their
matrix of distances: the embedding must bring back the plane, and the hyperplane on the flipped axes the line, with its normal
vector mirrored at the axis of negative signature. The paper's figure is a drawing without data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from common import Report, main, table

import protoclass as pc
from protoclass.pictures.style import GREY, axes, colour, mark

M = np.array([1.0, -1.0])  # the diagonal of the bilinear form
SHIFT, GAP = 1.1, 0.05  # x'Mw of the line that separates the classes, and the least distance of a point to it


@dataclass(frozen=True)
class Line:
    """The fitted decision line z'w + c = 0 on flipped coordinates z (rows, 2).

    Attributes
    ----------
    flipped : array (2,)
        w, the normal vector of the flipped space.
    constant : float
        c.
    residual : float
        Largest difference between the fitted decision values and z'w + c, relative to the largest decision value.
    """

    flipped: np.ndarray
    constant: float
    residual: float

    @property
    def w(self) -> np.ndarray:
        """The w of x'Mw + c = 0: the mirror image M w of the flipped space's."""
        return M * self.flipped


def squares(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(a_i - b_j)' M (a_i - b_j), (rows of a, rows of b)."""
    return np.asarray(((a[:, None] - b[None]) ** 2) @ M)


def path(count: int, seed: int) -> np.ndarray:
    """Points along a bent path on which the first axis changes faster than the second, so that all squares are at least 0."""
    random = np.random.default_rng(seed)
    across = np.sort(random.uniform(-2, 2, count))
    slopes = np.clip(0.4 * across[1:] + random.uniform(-0.3, 0.3, count - 1), -0.95, 0.95)
    return np.column_stack([across, np.append(0.0, (np.diff(across) * slopes).cumsum())])


def fitted_line(fit: pc.Fit, distances: pd.DataFrame, z: np.ndarray) -> Line:
    """The line that a fit on the flipped embedding stands for, read off its decision values at the rows."""
    values = fit.predict(distances, "decision").iloc[:, -1].to_numpy()
    design = np.column_stack([z, np.ones(len(z))])
    solution = np.linalg.lstsq(design, values, rcond=None)[0]
    residual = np.abs(design @ solution - values).max() / np.abs(values).max()
    return Line(solution[:2], float(solution[2]), float(residual))


def degrees(a: np.ndarray, b: np.ndarray) -> float:
    """The Euclidean angle between two vectors."""
    return float(np.degrees(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))))


def picture(z: np.ndarray, y: np.ndarray, line: Line) -> Any:
    ax = axes(None, 5.2, 4.6)
    reach = 1.15 * np.abs(z).max()
    for sign in (1, -1):
        ax.plot([-reach, reach], [-sign * reach, sign * reach], "--", lw=1, color=GREY,
                label="light cone, x'Mx = 0" if sign == 1 else None)  # fmt: skip
    size = np.linalg.norm(line.flipped)
    foot = -line.constant * line.flipped / size**2
    along = np.array([-line.flipped[1], line.flipped[0]]) / size
    ends = np.array([foot - 3 * reach * along, foot + 3 * reach * along])
    ax.plot(*ends.T, lw=2.6, color="black", label="decision line, x'Mw + c = 0")
    for k, (vector, name) in enumerate(((line.w, "w"), (line.flipped, "Mw, its mirror image"))):
        tip = foot + 0.5 * reach * vector / size
        ax.annotate("", tip, foot, arrowprops={"arrowstyle": "->", "color": colour(2 + k), "lw": 1.8})
        ax.annotate(name, tip, xytext=(0, (-12, 5)[k]), textcoords="offset points", color=colour(2 + k))
    for k, level in enumerate(np.unique(y)):
        ax.plot(*z[y == level].T, mark(k), ms=4, color=colour(k), label=f"class {level}")
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel="x+ (positive axis of the embedding)",
           ylabel="x- (negative axis of the embedding)")  # fmt: skip
    ax.legend(fontsize="x-small", loc="lower left")
    return ax.figure


def report(count: int = 60, degree: int = 25) -> Report:
    angle = np.radians(degree)
    normal = np.array([np.cos(angle), -np.sin(angle)])
    every = path(4 * count, 0)
    every = every[np.abs(every @ normal - SHIFT) > GAP]
    train, new = every[::4], np.delete(every, np.s_[::4], axis=0)
    y, truth = (np.where(x @ normal > SHIFT, "b", "a") for x in (train, new))
    names = pd.RangeIndex(len(train))
    D = pd.DataFrame(np.sqrt(np.maximum(squares(train, train), 0)), names, names)
    to_rows = pd.DataFrame(np.sqrt(np.maximum(squares(new, train), 0)), columns=names)
    fit = pc.fit("y ~ 1", pd.DataFrame({"y": y}), "hyperplane", embedding="flip", dissimilarity=D)
    embedded = fit.dissimilarity.embed()
    z, placed = embedded.coordinates.to_numpy(), embedded.place(to_rows).to_numpy()
    line = fitted_line(fit, D, z)
    kept = np.abs(squares(z, z) - D.to_numpy() ** 2).max() / D.to_numpy().max() ** 2
    told = fit.predict(to_rows).astype(str).to_numpy()
    mirrored = placed * M  # where the printed formula, D^(-1/2) U'h, puts a new row
    printed = np.where(mirrored @ line.flipped + line.constant > 0, "b", "a")
    along = np.array([-line.flipped[1], line.flipped[0]])
    up, down = embedded.signature
    wrong, wrong_printed = int((told != truth).sum()), int((printed != truth).sum())
    rows = [
        ["signature of the embedding", f"({up}, {down})", "(1, 1)"],
        ["squared distances that it keeps, largest relative difference", f"{kept:.1e}", "0"],
        ["decision values as a line on the embedding, largest relative difference", f"{line.residual:.1e}", "0"],
        ["angle between the decision line and w", f"{degrees(along, line.w):.0f} degrees", "not 90"],
        ["new rows on the wrong side", f"{wrong} of {len(new)}", ""],
        ["the same, new rows placed by the paper's formula as printed", f"{wrong_printed} of {len(new)}", ""],
    ]
    body = f"""{len(train)} points in a plane of signature (1, 1), no two of them at an imaginary distance, on either side of a line whose
normal vector lies {degree} degrees from the positive axis; the fit sees nothing but their distances. "The figure" is what the
paper's says.

{table(("", "ours", "the figure"), rows)}

![points of two classes in a pseudo-Euclidean plane, the decision line, w, its mirror image, and the light cone](figures/ghbo_figure1.png)

The line x'Mw + c = 0 is at right angles with the mirror image Mw, not with w, as in the paper's figure. The paper's formula for
new rows, D^(-1/2) U'h, has no sign for the negative axes, and would mirror new rows at the positive axis; the package has the sign.
"""
    covers = {"GHBO figure 1": f"the drawing on points of our own, from their distances alone: signature ({up}, {down}), a decision line "
              f"at right angles with the mirror image of w and at {degrees(along, line.w):.0f} degrees with w, {wrong} of {len(new)} new "
              f"rows on the wrong side ({wrong_printed} by the paper's formula for new rows as printed)"}  # fmt: skip
    return Report(
        "A decision line in a pseudo-Euclidean plane", covers, body, {"ghbo_figure1.png": picture(z, y, line)}
    )


if __name__ == "__main__":
    main(report)
