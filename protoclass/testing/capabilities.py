"""What a method declares that it can do is there, and what is there is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.query import answer
from ..core.task import Stepwise
from ..fitting import fit
from ..metrics.candidates import unlabelled
from .contract import require
from .subject import RAW, Subject


def check_report(s: Subject) -> None:
    """Objective, balls and gains, and what the method says of its rule in words."""
    can, rule, learned, model = s.kind.can, s.fit.rule, s.fit.learned, s.fit.model
    require(
        not can.objective or "objective" in rule.report,
        f"{s}: can.objective is declared, and the report has no 'objective'",
    )
    require(
        "objective" not in rule.report or bool(can.objective),
        f"{s}: the report has an objective: declare can.objective",
    )
    balls = "cover" in rule.kinds and rule.prototypes.radii is not None
    require(balls or not can.balls, f"{s}: can.balls is declared, and the rule has no radii or no kind 'cover'")
    require(not balls or bool(can.balls), f"{s}: the prototypes have balls: declare can.balls")
    gains = {"covers", "miscovers"} <= set(rule.prototypes.table)
    require(gains or not can.gains, f"{s}: can.gains is declared, and prototypes have no columns covers and miscovers")
    if model.has("bound"):
        table = model.bound(learned, 0.05)
        fine = {"tail_bound", "bound", "simple_bound", "proved", "reasons"} <= set(table) and (
            (table["tail_bound"] >= 0) & (table["tail_bound"] <= table["bound"]) & (table["bound"] <= 1)
        ).all()
        require(
            bool(fine),
            f"{s}: bound must give a table with tail_bound <= bound, both from 0 to 1, simple_bound, proved and reasons",
        )
    if model.has("notes"):
        require(isinstance(model.notes(learned), list), f"{s}: notes(learned) must be a list")
    if model.has("feature_table"):
        require(isinstance(model.feature_table(learned), pd.DataFrame), f"{s}: feature_table(learned) must be a DataFrame")
    if model.has("explain"):
        sentences = model.explain(learned, s.fit.query()[0].take(slice(0, 1)))
        require(bool(sentences) and all(isinstance(t, str) for t in sentences), f"{s}: explain must give sentences")
    if model.has("conditions"):
        for one in model.conditions(learned, s.fit.query()[0]):
            fine = len(one.values) == len(s.fit.frame) and not (one.removed & ~one.there).any()
            require(fine, f"{s}: conditions must give a value for each row, and removes rows that are there")


def check_nearest(s: Subject) -> None:
    """Where the rule is that of the nearest prototype, the class is the nearest prototype's."""
    if not s.kind.can.nearest:
        return
    rule, query = s.fit.rule, s.fit.query(s.new)[0]
    require("nearest" in rule.kinds, f"{s}: can.nearest is declared, and the rule has no kind 'nearest'")
    near, codes = answer(rule, "nearest", query), answer(rule, "class", query)
    same = rule.prototypes.classes[near[near >= 0]] == codes[near >= 0]
    require(bool(same.all()), f"{s}: can.nearest is declared, and the class is not that of the nearest prototype")


def check_candidates(s: Subject) -> None:
    """Candidates of each declared kind are taken."""
    if s.single != s.kind(**{name: values[0] for name, values in s.values.items()}):
        return  # other parameters may allow fewer kinds
    given = {"subset": 40, "unlabelled": unlabelled(s.new.set_axis([f"new {i}" for i in range(len(s.new))]))}
    for kind in sorted(s.kind.can.candidates):
        fitted = fit("y ~ .", s.data, s.single, dissimilarity=RAW, cv=None, candidates=given[kind])
        row = fitted.prototype_row
        require(fitted.training_error() < 0.5, f"{s}: with candidates of kind {kind!r} it errs on half of the rows")
        require(
            kind != "subset" or bool((row >= 0).all()), f"{s}: with candidates=40, a part of the rows, a prototype is no row"
        )


def check_costs(s: Subject) -> None:
    """The rule at its own cost is the rule."""
    if not s.kind.can.costs or (s.kind.can.costs is not True and not isinstance(s.fit.rule, Stepwise)):
        return
    require(hasattr(s.fit.rule, "at_cost"), f"{s}: can.costs is declared, and the rule has no at_cost(lambda_)")
    own = s.fit.rule.at_cost(s.fit.parameters()["lambda_"])  # type: ignore[attr-defined]
    require(
        len(own.prototypes) == len(s.fit.rule.prototypes), f"{s}: at_cost at the rule's own lambda_ is another rule"
    )


def check_solvers(s: Subject) -> None:
    """Every declared solver is one, and gives a certificate where these are declared."""
    can = s.kind.can
    for solver in can.solvers:
        changes: dict[str, Any] = {"solver": solver, **({"certify": True} if can.certificate else {})}
        other = replace(s.single, **changes)
        fitted = fit("y ~ .", s.data, other, dissimilarity=RAW, cv=None)
        require(
            not can.certificate or "certificate" in fitted.rule.report, f"{s}: solver={solver!r} gives no certificate"
        )


def check_bounds(s: Subject) -> None:
    """Bounds of steps and over the grid are there where they are declared."""
    can, rule, learned = s.kind.can, s.fit.rule, s.fit.learned
    if s.kind.has("step_bounds"):
        bounds = s.fit.model.step_bounds(learned)
        assert isinstance(rule, Stepwise)
        require(len(bounds) == len(next(iter(rule.steps.values()))), f"{s}: one bound a step is needed")
    if can.grid_bounds:
        chosen = fit(
            "y ~ .", s.data, s.kind(**{k: list(v) for k, v in s.values.items()}), dissimilarity=RAW, choose="bound"
        )
        bounded = chosen.validation is not None and "bound" in chosen.validation.table
        require(bounded, f"{s}: can.grid_bounds is declared, and its path has no bounds")


def check_explanations(s: Subject) -> None:
    """Alternatives say something of every prototype, and criticisms are rows, the worst first, as many as are asked for at most."""
    if s.single != s.kind(**{name: values[0] for name, values in s.values.items()}):
        return  # with other parameters there may be no such program
    if s.kind.has("alternatives"):
        result = s.fit.alternatives(seconds=5.0, progress=False)
        fine = len(result.table) == len(s.fit.rule.prototypes) and (result.table["at_least"] <= result.table["cost_without"]).all()
        require(bool(fine), f"{s}: alternatives must give each prototype a cost with its lower bound")
        require(result.optimum.least <= s.fit.objective.value + 1e-9, f"{s}: alternatives gives an optimum above the objective")
    if s.kind.has("criticise"):
        worst = 0.0
        for n in (len(s.data), 12, 3):
            found = s.fit.criticisms(n=n, progress=False)
            table, score = found.table, np.abs(found.table[found.score].to_numpy(float))
            require(len(table) <= n and table.index.is_unique, f"{s}: criticise must give n different rows at most")
            require(
                bool((np.diff(score) <= 1e-9).all()),
                f"{s}: criticise must give the worst row first: |{found.score}| is {score.round(6).tolist()}",
            )
            worst = max(worst, score.max(initial=0))
            require(
                score.max(initial=0) == worst,
                f"{s}: criticise leaves out the worst row if {n} are asked for: |{found.score}| is up to {worst:g}",
            )


CAPABILITIES: tuple[Callable[[Subject], None], ...] = (
    check_report, check_nearest, check_candidates, check_costs, check_solvers, check_bounds,
    check_explanations,
)  # fmt: skip
