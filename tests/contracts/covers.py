"""Balls, gains, objectives and steps: what they are by definition, and what a rule says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from protoclass.core.query import answer
from protoclass.core.task import COVERED, Points
from protoclass.fitting import Fit
from protoclass.testing.contract import Subject, close, fit_to, require


def check_balls(s: Subject) -> None:
    """Balls, gains and the objective are what they are by definition: with and without weights, and after a swap."""
    fits = [(s.fit, "")]
    if "cover" in s.fit.rule.kinds or "objective" in s.fit.rule.report:
        if s.kind.can.weights:
            weights = 1.0 + np.arange(len(s.data)) % 3
            fits.append((fit_to(s.data, s.single, weights=weights), " with weights 1, 2 and 3"))
        fits += [(swapped, " after a swap") for swapped in _swapped(s)]
    for fitted, when in fits:
        subject = replace(s, fit=fitted)
        _check_cover(subject, when)
        _check_objective(subject, when)


def _swapped(s: Subject) -> Iterator[Fit]:
    """The fit with other rows in the place of its first prototype, if the method has swaps."""
    rule = s.fit.rule
    if not s.fit.model.has("swap") or not len(rule.prototypes) or s.single != s.kind(**{k: v[0] for k, v in s.values.items()}):
        return  # with other parameters there may be no such program
    out = s.fit.prototypes.index[0]
    own = (s.data["y"] == s.fit.prototypes["class"].iloc[0]).to_numpy() & ~s.data.index.isin(s.fit.prototypes.index)
    for other in s.data.index[own][[0, -1]]:
        swapped = s.fit.at(swap={out: other})
        require(other in swapped.prototypes.index, f"{s}: swap must put the row in the prototype's place")
        yield swapped


def _check_cover(s: Subject, when: str) -> None:
    rule = s.fit.rule
    radii = rule.prototypes.radii
    if radii is None or "cover" not in rule.kinds:
        return
    fine = np.isfinite(radii).all() and (radii >= 0).all()
    require(fine, f"{s}: the radii of the prototypes must be finite and >= 0")
    for rows in (s.new, s.data.drop(columns="y"), _between_classes(s)):
        query = s.query(rows)
        D, found = query.dissimilarities(rule.prototypes), answer(rule, "cover", query)
        clear = ~close(D, radii).any(axis=1)  # whether a ball is open or closed is the method's
        want = _covering(radii > D, rule.prototypes.classes, len(s.fit.classes))
        wrong = clear & (found != want)
        row = int(wrong.argmax())
        require(
            not wrong.any(),
            f"{s}: predict('cover'){when} is {found[row]} in row {row}, and by the radii of the prototypes {want[row]}: the class of the "
            "balls d < radius that contain the row, -1 if there are none or balls of several classes",
        )
    if set(COVERED) <= set(rule.prototypes.table):
        _check_gains(s, rule.prototypes, np.asarray(radii), when)


def _between_classes(s: Subject) -> pd.DataFrame:
    """The middle between each row and the nearest one of another class, where balls of several classes overlap."""
    X, y = s.data.drop(columns="y"), s.fit.frame.codes
    D = np.where(y[:, None] == y, np.inf, s.task().D.array()[:, np.argsort(s.fit.dissimilarity.candidate_row)])
    return (X + X.iloc[D.argmin(axis=1)].set_axis(X.index)) / 2


def _covering(inside: np.ndarray, classes: np.ndarray, count: int) -> np.ndarray:
    by_class = np.stack([inside[:, classes == c].any(axis=1) for c in range(count)], axis=1)
    return np.where(by_class.sum(axis=1) == 1, by_class.argmax(axis=1), -1)


def _check_gains(s: Subject, points: Points, radii: np.ndarray, when: str) -> None:
    """`newly_covered` counts the rows of the class that a ball is the first to contain, and `miscovered` the other rows in it."""
    y, w = s.fit.frame.codes, s.fit.frame.weights
    inside = radii > s.fit._query()[0].dissimilarities(points)
    covered = np.zeros(len(y), bool)
    covers, miscovers = [], []
    for j, c in enumerate(points.classes):
        covers.append(w[inside[:, j] & (y == c) & ~covered].sum())
        miscovers.append(w[inside[:, j] & (y != c)].sum())
        covered |= inside[:, j] & (y == c)
    for name, want, words in (
        ("newly_covered", covers, "weight of the rows of its class that it is the first to contain"),
        ("miscovered", miscovers, "weight of the rows of other classes in its ball"),
    ):
        found = np.asarray(points.table[name], float)
        j = int(np.argmax(~close(found, want)))
        require(
            close(found, want).all(), f"{s}: {name} of prototype {j}{when} is {found[j]:g}, and by its radius {want[j]:g}: {words}"
        )


def _check_objective(s: Subject, when: str) -> None:
    """The objective in the report is the loss of the prototypes, and follows from the balls."""
    rule = s.fit.rule
    if "objective" not in rule.report:
        return
    said = rule.report["objective"]
    require(hasattr(said, "value"), f"{s}: the report's 'objective' is a {type(said).__name__}: it must be a protoclass.core Objective")
    loss = s.fit.model.loss(s.task(), rule.prototypes)
    require(
        loss is None or close(said.value, loss),
        f"{s}: the objective in the report is {said.value:.6g}{when}, and `loss` of these prototypes {loss}: one of them is wrong",
    )
    if "cover" in rule.kinds and rule.prototypes.radii is not None and hasattr(said, "uncovered"):
        _check_uncovered(s, when)


def _check_uncovered(s: Subject, when: str) -> None:
    """The rows that the objective calls uncovered are those that no first cover counts."""
    rule, frame = s.fit.rule, s.fit.frame
    said = rule.report["objective"]
    require(
        said.prototypes == len(rule.prototypes),
        f"{s}: the objective{when} counts {said.prototypes} prototypes, and there are {len(rule.prototypes)}",
    )
    if not set(COVERED) <= set(rule.prototypes.table):
        return
    covered, wrong = (float(np.sum(rule.prototypes.table[name])) for name in ("newly_covered", "miscovered"))
    total = float(frame.weights.sum())
    require(
        close(said.uncovered, total - covered),
        f"{s}: the objective{when} counts {said.uncovered:g} uncovered, and by `newly_covered` of the prototypes it is {total - covered:g}",
    )
    require(
        close(said.miscovered, wrong),
        f"{s}: the objective{when} counts {said.miscovered:g} wrongly covered, and `miscovered` of the prototypes {wrong:g}",
    )


