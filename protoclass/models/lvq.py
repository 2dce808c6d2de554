"""Learning vector quantization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.nearest import Nearest
from ..core.query import RulePath
from ..core.task import Points, Task
from ..core.vectors.lvq import VARIANTS, Learning, codebook, draw_rows, nearest_weights, train_codes
from ..ground.checks import either, one_of
from ..ground.errors import OptionError, brief
from .base import (
    Axes,
    Capabilities,
    PerClass,
    check_counts,
    check_fixed,
    check_number,
    counts,
    heaviest_class,
    in_words,
    listed,
)

STARTS = ("knn", "random", "kmeans")
ALPHA = {"lvq1": 0.03, "olvq1": 0.3, "lvq2.1": 0.03, "lvq3": 0.03, "glvq": 0.1}
DRAWS = {"lvq1": 100, "olvq1": 40, "lvq2.1": 100, "lvq3": 100, "glvq": 100}
USED_BY = {"window": ("lvq2.1", "lvq3"), "damping": ("lvq3",), "steepness": ("glvq",)}
MOST = 2**30  # draws in total
DEFAULTS = {"window": 0.3, "damping": 0.1, "steepness": 5.0, "neighbours": 5}


@dataclass(frozen=True)
class LVQ(PerClass):
    """Learning vector quantization: code vectors attracted and repelled by rows.

    Rows are drawn by weight, and one or two code vectors near each are moved (Kohonen 1995, chapter
    6; ESL, section 13.2.2).

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, sequence or "grid"
        Number, or proportion of the rows, of each class (size / rows for R's `lvqinit`). "grid": 1
        to 10, at most the training rows of the smallest class.
    variant : str, or a sequence
        Learning algorithm.

        * "lvq1": the nearest code vector moves towards a row of its class and away from others, by
          a rate that decreases linearly to 0;
        * "olvq1": the same, with a rate of each code vector: from a to a / (1 + a) if it classifies
          the row correctly, otherwise to a / (1 - a), at most alpha;
        * "lvq2.1": if exactly one of the two nearest is of the row's class and the row is in the
          window between them, that one moves towards the row and the other away;
        * "lvq3": the same, and if both are of the row's class, both move towards it at `damping`
          times the rate;
        * "glvq": the nearest of the row's class and of the others follow the negative gradient of a
          cost (Sato and Yamada 1996).
    start : "knn", "random" or "kmeans"
        Initial code vectors.

        * "knn": random rows that their `neighbours` nearest rows classify correctly, as in
          `lvqinit`, and others if a class has too few, which the fit reports;
        * "random": random rows;
        * "kmeans": the centroids of method "kmeans".
    draws : number > 0, or a sequence
        Rows drawn per code vector. None: 40 for "olvq1", otherwise 100, as in R.
    alpha : number between 0 and 1, or a sequence
        Initial rate. None: 0.3 for "olvq1", 0.1 for "glvq", 0.03 for the others.
    window : number between 0 and 1, or a sequence
        Width of the window for "lvq2.1" and "lvq3", in which the ratio of a row's smaller to its
        larger distance exceeds (1 - window) / (1 + window). None: 0.3.
    damping : number between 0 and 1, or a sequence
        Factor of the rate for "lvq3". None: 0.1.
    steepness : number >= 0, or a sequence
        Steepness of the cost of "glvq", the logistic function of steepness * mu, with slope 1 at mu
        = 0; mu itself for steepness 0. Here mu = (d+ - d-) / (d+ + d-), with the squared distances
        d+ and d- to the two code vectors. None: 5.
    neighbours : int >= 1
        Number of neighbours for the start "knn". None: 5.

    Notes
    -----
    Code vectors are learned by Euclidean distances between coordinates of the metric; new rows are
    classified by the metric.

    "lvq2.1" and "lvq3" refine a codebook near its optimum: start them from "kmeans". No step moves
    a code vector more than ten times as far from the mean of the rows as the farthest row. The step
    of "glvq" is in units of the mean d+ + d- at the start, and at most the distance to the row.

    The columns `assigned` and `misassigned` of the prototypes are the weights of the training rows
    of the code vector's class and of others to which it is the nearest.

    References
    ----------
    Kohonen (1995), *Self-Organizing Maps*. Sato and Yamada (1996), *Generalized Learning Vector
    Quantization*, NIPS 8.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), LVQ(K=2))
    >>> fit.prototypes[["class", "assigned", "misassigned"]].shape
    (6, 3)
    """

    name = "lvq"
    papers = ("kohonen1995",)
    can = Capabilities(weights=True, coordinates=True, nearest=True)
    example: ClassVar[Mapping[str, Any]] = {"K": (1, 2), "variant": ("lvq1", "olvq1")}
    never_tuned: ClassVar[frozenset[str]] = frozenset({"start", "neighbours"})

    K: Any = "grid"
    variant: Any = "olvq1"
    start: str = "knn"
    draws: Any = None
    alpha: Any = None
    window: Any = None
    damping: Any = None
    steepness: Any = None
    neighbours: int | None = None

    @property
    def title(self) -> str:
        return "Learning vector quantization"

    def unused(self, classes: int) -> frozenset[str]:
        return frozenset(
            name for name, variants in USED_BY.items() if not set(variants) & set(self._variants())
        )

    def __post_init__(self) -> None:
        check_counts("lvq", self.K)
        for variant in self._variants():
            one_of("variant", variant, VARIANTS)
        one_of("start", self.start, STARTS)
        for name in ("alpha", "window", "damping"):
            _check_share("lvq", name, getattr(self, name))
        for name, above in (("draws", True), ("steepness", False)):
            if getattr(self, name) is not None:
                check_number(self, name, getattr(self, name), low=0, above=above)
        for name, variants in USED_BY.items():
            if getattr(self, name) is not None and not set(variants) & set(self._variants()):
                raise OptionError(
                    f"{name}={brief(getattr(self, name))} needs variant {either(variants)}, not "
                    f"{brief(self.variant)}: leave it out"
                )
        if self.neighbours is not None:
            check_fixed("lvq", "neighbours", self.neighbours, low=1, integral=True)
            if self.start != "knn":
                raise OptionError(
                    f"neighbours={self.neighbours} needs start='knn', not {self.start!r}: leave it out"
                )

    def _variants(self) -> tuple[Any, ...]:
        """The possible variants; all if they are drawn."""
        return tuple(listed("lvq", "variant", self.variant)) or VARIANTS

    def path(self, task: Task, grid: Axes) -> RulePath:
        grid_points = product(*(values.tolist() for values in grid.values()))
        return RulePath(
            tuple(
                replace(self, **dict(zip(grid, point, strict=True)))._rule(task)
                for point in grid_points
            )
        )

    def _rule(self, task: Task) -> Nearest:
        weighted = task.w > 0
        X = np.asarray(task.coordinates()[weighted], float)
        y, w = task.y[weighted], task.w[weighted]
        K_of_class = counts(self.K, np.bincount(y, minlength=task.classes))
        code_classes = np.repeat(np.arange(task.classes), K_of_class)
        alpha = ALPHA[self.variant] if self.alpha is None else self.alpha
        draws = DRAWS[self.variant] if self.draws is None else self.draws
        count = max(1, round(draws * len(code_classes)))
        if count > MOST:
            raise OptionError(
                f"draws={draws:g} needs {count:g} draws for {len(code_classes)} code vectors, "
                f"above {MOST}: use a smaller one"
            )
        rows = draw_rows(w, count, (*task.seed, task.classes))
        initial, lacking = codebook(
            X, y, w, K_of_class, self.start, self._or_default("neighbours"), task.seed
        )
        parameters = (self._or_default(name) for name in USED_BY)
        codes = train_codes(
            X, y, initial, code_classes, rows, Learning(self.variant, alpha, *parameters)
        )
        covers, miscovers = nearest_weights(X, y, w, codes, code_classes)
        prototypes = Points(
            code_classes, coords=codes, table={"assigned": covers, "misassigned": miscovers}
        )
        report: dict[str, Any] = {
            "variant": f"{self.variant}, rate {alpha:g}, {len(rows)} draws, started from {self.start!r}",
            "code vectors per class K": in_words(self.K),
            "code vectors nearest to no row": int((covers + miscovers == 0).sum()),
        }
        if lacking:
            report["started where neighbours disagree"] = lacking
        return Nearest(prototypes, task.classes, heaviest_class(task), report)

    def _or_default(self, name: str) -> Any:
        value = getattr(self, name)
        return DEFAULTS[name] if value is None else value


def _check_share(model: str, name: str, value: Any) -> None:
    """Check a parameter that may be tuned or None: numbers between 0 and 1 (exclusive)."""
    if value is None:
        return
    check_number(model, name, value, low=0, above=True)
    for v in listed(model, name, value):
        if not v < 1:
            raise OptionError(
                f"{name} of {model} must be a number between 0 and 1 (exclusive), not {brief(v)}"
            )
