"""Prototypes and criticisms by maximum mean discrepancy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.mmd import (
    Selected,
    criticisms,
    default_gamma,
    mmd_prototypes,
    similarities,
    witness,
)
from ..core.neighbours.nearest import Nearest
from ..core.query import RulePath
from ..core.task import Points, Task
from ..core.thresholds import LARGEST
from ..ground.errors import TooLargeError, shown
from .base import (
    Axes,
    Capabilities,
    Criticised,
    LearnedRule,
    PerClass,
    axis,
    check_counts,
    check_enough,
    check_labelled,
    check_number,
    counts,
    heaviest_class,
    in_words,
)


@dataclass(frozen=True)
class MMDCritic(PerClass):
    """MMD-critic: prototypes whose distribution is close to that of their class.

    With similarities exp(-gamma d^2), prototypes are added one by one, each to minimise the squared
    maximum mean discrepancy between the rows of the class and its prototypes. `Fit.criticisms`
    lists the rows that are represented worst.

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, sequence or "grid"
        Number, or proportion of the rows, of each class. "grid": 1 to 10, at most the training rows
        of the smallest class.
    gamma : float > 0, None or sequence
        Parameter of the similarities. None: 1 / median(d^2) over the pairs of rows within classes.

    References
    ----------
    Kim, Khanna and Koyejo (2016), *Examples are not enough, learn to criticize! Criticism for
    interpretability*, NIPS 29.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "mmd", K=2)
    >>> fit.prototypes["class"].value_counts(sort=False).tolist()
    [2, 2, 2]
    """

    name = "mmd"
    papers = ("kim2016",)
    can = Capabilities(weights=True, nearest=True, candidates=frozenset({"subset"}))
    words: ClassVar[Mapping[str, str]] = {**PerClass.words, "gamma": "gamma of the similarities"}
    example: ClassVar[Mapping[str, Any]] = {"K": (1, 3), "gamma": (0.2, 1.0)}
    as_repeats: ClassVar[Mapping[str, Any]] = {"K": 1, "gamma": 0.5}

    K: Any = "grid"
    gamma: Any = None

    @property
    def title(self) -> str:
        return "MMD-critic"

    def __post_init__(self) -> None:
        check_counts("mmd", self.K)
        if self.gamma is not None:
            check_number(self, "gamma", self.gamma, low=0, above=True)

    def _unit(self, classes: list[Any], gamma: Any) -> float:
        if gamma is not None:
            return float(gamma)
        return default_gamma([(D, w, own) for _, _, own, D, w in classes])

    def path(self, task: Task, grid: Axes) -> RulePath:
        check_labelled(self.name, task)
        classes = [_take_class(task, c) for c in range(task.classes)]
        Ks = axis(grid, "K", self.K).tolist()
        K_of_class = np.array(
            [counts(K, np.array([len(rows) for rows, *_ in classes])) for K in Ks]
        )
        for c, (_, columns, *_) in enumerate(classes):
            check_enough("mmd", "prototypes", task.levels[c], K_of_class[:, c].max(), len(columns))
        rules: dict[tuple[int, int], Nearest] = {}
        gammas = axis(grid, "gamma", self.gamma).tolist()
        for b, gamma in enumerate(gammas):
            unit = self._unit(classes, gamma)
            runs = [
                mmd_prototypes(similarities(D, unit), w, int(K_of_class[:, c].max()), own)
                for c, (_, _, own, D, w) in enumerate(classes)
            ]
            for a, K in enumerate(Ks):
                rules[a, b] = _rule(task, classes, runs, K, K_of_class[a], unit)
        return RulePath(tuple(rules[a, b] for a in range(len(Ks)) for b in range(len(gammas))))

    def criticise(self, learned: LearnedRule, task: Task, n: int, seconds: float) -> Criticised:
        """The criticisms of the paper: the first of each class, then the second of each, n in all.

        They are sorted by the absolute value of the witness.
        """
        prototypes, gamma = learned.rule.prototypes, learned.rule.report["gamma"]
        rows, score, rank = [np.empty(0, np.int64)], [np.empty(0)], [np.empty(0, np.int64)]
        for c in range(task.classes):
            of_class, columns, own, D, w = _take_class(task, c)
            chosen = np.flatnonzero(np.isin(columns, prototypes.at[prototypes.classes == c]))
            count = min(n, len(own) - len(chosen))
            if count:
                K = similarities(D, gamma)
                worst = criticisms(K, w, chosen, count, own).chosen
                rows.append(of_class[own[worst]])
                score.append(witness(K, w, own[chosen])[worst])
                rank.append(np.arange(len(worst)))
        all_rows, value = np.concatenate(rows), np.concatenate(score)
        first = np.lexsort((all_rows, -np.abs(value), np.concatenate(rank)))[:n]
        first = first[np.lexsort((all_rows[first], -np.abs(value[first])))]
        words = "mean similarity to the rows of the class minus that to its prototypes"
        return Criticised(all_rows[first], value[first], "witness", words)


def _rule(
    task: Task,
    classes: list[Any],
    runs: list[Selected],
    K: Any,
    K_of_class: np.ndarray,
    gamma: float,
) -> Nearest:
    at = [
        columns[run.chosen[:k]]
        for (_, columns, *_), run, k in zip(classes, runs, K_of_class, strict=True)
    ]
    order = np.concatenate([np.arange(1, k + 1) for k in K_of_class])
    prototypes = Points(
        np.repeat(np.arange(task.classes), K_of_class),
        at=np.concatenate(at),
        table={"order": order},
    )
    return Nearest(
        prototypes,
        task.classes,
        heaviest_class(task),
        {"prototypes per class K": in_words(K), "gamma": gamma},
    )


def _take_class(
    task: Task, c: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows with weight of a class, candidates, their positions among the rows, dissimilarities and
    weights.
    """
    weighted = (task.y == c) & (task.w > 0)
    rows, columns = np.flatnonzero(weighted), np.flatnonzero(weighted[task.candidate_row])
    if len(rows) * len(columns) > LARGEST:
        raise TooLargeError(
            f"mmd stores the dissimilarities within a class, but {shown(task.levels[c])} has "
            f"{len(rows)} rows: use a number for candidates=, or fewer rows (data.sample(...))"
        )
    columns = columns[np.argsort(task.candidate_row[columns], kind="stable")]
    D = np.asarray(task.D.take(rows, columns), float)
    return rows, columns, np.searchsorted(rows, task.candidate_row[columns]), D, task.w[rows]
