"""Other prototypes for a fit: substitutes, fewer of them, and the rows that they explain worst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core import Array
from ..core.query import answer, distances_by
from ..core.setcover.alternatives import Cost, NearSolutions
from ..estimation.fitted import AnyFit, Fitted
from ..ground.checks import (
    check_known,
    check_labels,
    check_progress,
    find_labels,
    is_number,
    whole_number,
)
from ..ground.errors import NotAvailableError, OptionError, brief, shown
from ..ground.options import bar, significant
from ..models.base import Criticised, check_fixed
from ..models.registry import lacking, methods_with
from ..values import NUMBERS, Result, public
from .steps import margins, place_of, step_count, stepwise, task_of

REASONS = ("uncovered", "wrongly covered", "misclassified")
SHOWN = 10  # prototypes that print shows, and substitutes of each
INDISPENSABLE, EXCHANGEABLE, UNSETTLED = "indispensable", "exchangeable", "not settled"


@public
@dataclass(frozen=True, eq=False, repr=False)
class Alternatives(Result):
    """The prototypes of a fit among all near-optimal solutions (the Rashomon set).

    For "medianglvq", the compared solutions differ from the fit in one row: one prototype is
    replaced by another row, or removed. The optimum is the best of these.

    Attributes
    ----------
    fit : Fitted
        The fit.
    within : float
        Tolerance, as in `Fit.alternatives`.
    optimum : Cost
        The lowest objective, or its bounds `least` and `most`, with its `proof`.
    table : DataFrame
        One row for each prototype, by label, in the order of selection.

        `class`. `cost_without` : the objective of the best solution without the prototype minus
        the optimum, in weight of rows; `at_least` is a proved lower bound, equal to it unless the
        time limit was reached. `cost_with` : the same for the best solution with it.

        `verdict` : "indispensable", "exchangeable" or "in no solution within 1 %" (the value of
        `within`), if every, some or no near-optimal solution contains it; "not settled" if the
        bounds do not settle it.

        `substitutes` : rows that can replace it in a near-optimal solution, a dictionary of labels
        and costs. Without any, an exchangeable prototype can be removed, or several rows replace it
        together.

        `open` : candidates not settled to be substitutes. `proof` : how `cost_without` was settled.

        `cost_left_out` (only for "medianglvq") : the cost if the prototype is removed, inf for the
        last prototype of a class.
    substitutes : DataFrame
        One row for each prototype and substitute: `prototype`, `class`, `substitute`, `cost`,
        `at_least`, `proof`. For "medianglvq" also `error`, the training error with the substitute
        (ties between classes count half). `within_se`: whether it is at most one standard error,
        sqrt(e (1 - e) / n), above the error e of the fit (cross-validated if known).
    candidates : DataFrame
        One row for each requested candidate, by label: `class` (the class with most weight in its
        ball), `cost_with`, `at_least`, `proof`.
    objective : float
        Objective of the fit.
    among : str
        Description of the compared solutions.
    """

    fit: Fitted
    within: float
    optimum: Cost
    table: pd.DataFrame
    substitutes: pd.DataFrame
    candidates: pd.DataFrame
    objective: float
    among: str

    _shown: ClassVar[int] = SHOWN

    def tidy(self) -> pd.DataFrame:
        """Table with one row per prototype and substitute, or per prototype without one."""
        head = self.table[["class", "verdict"]].assign(prototype=self.table.index.to_flat_index())
        return head[["prototype", "class", "verdict"]].merge(
            self.substitutes, how="left", on=["prototype", "class"]
        )

    def glance(self) -> pd.DataFrame:
        """Table with one row: `objective`, `optimum`, `optimum_at_least`, `within`, `prototypes`,
        and the count of each verdict.
        """
        row = {
            "objective": self.objective,
            "optimum": self.optimum.most,
            "optimum_at_least": self.optimum.least,
            "within": self.within,
            "prototypes": len(self.table),
        }
        names = ("indispensable", "exchangeable", "in_none", "not_settled")
        return pd.DataFrame([row | dict(zip(names, self._counts, strict=True))])

    @property
    def _counts(self) -> pd.Series:
        """Number of prototypes with each verdict."""
        verdicts = [INDISPENSABLE, EXCHANGEABLE, in_none(self.within), UNSETTLED]
        return self.table["verdict"].value_counts().reindex(verdicts, fill_value=0)

    def _said(self) -> tuple[str, list[Any]]:
        least, most = significant(self.optimum.least, 6), significant(self.optimum.most, 6)
        optimum = f"between {least} and {most} (time limit reached)"
        if self.optimum.exact:
            optimum = f"{most} (proved by {self.optimum.proof})"
        counts = [
            f"{count} {verdict}"
            for verdict, count in self._counts.items()
            if count or verdict in (INDISPENSABLE, EXCHANGEABLE)
        ]
        lines = [
            f"{len(self.table)} prototypes compared with {self.among} within "
            f"{100 * self.within:.3g} % of the optimal objective",
            f"Objective {significant(self.objective, 6)}, optimum {optimum}",
            f"{', '.join(counts)}; each cost is an increase above the optimal objective, "
            "in weight of rows",
        ]
        table = self.table[["class", "cost_without", "verdict", "substitutes", "proof"]]
        pairs = zip(self.table["at_least"], self.table["cost_without"], strict=True)
        costs = [
            significant(high) if low == high else f"{significant(low)} to {significant(high)}"
            for low, high in pairs
        ]
        words = [list_costs(substitutes) for substitutes in table["substitutes"]]
        return "\n".join(lines), [(table.assign(cost_without=costs, substitutes=words), {})]


def in_none(within: float) -> str:
    """The verdict of a prototype that no near solution has."""
    return f"in no solution within {100 * within:.3g} %"


def list_costs(substitutes: dict[Any, float]) -> str:
    """Labels and costs, the first of many."""
    costs = [f"{label} (+{significant(cost, 3)})" for label, cost in substitutes.items()]
    more = [f"and {len(costs) - SHOWN} more"] if len(costs) > SHOWN else []
    return ", ".join(costs[:SHOWN] + more)


def alternatives(
    fit: Fitted,
    within: float = 0.1,
    candidates: Any = (),
    time_limit: float = 60.0,
    progress: bool | None = None,
) -> Alternatives:
    """Cost of leaving out each prototype, and its substitutes, over all near-optimal solutions.

    This measures the ambiguity of the optimisation; `stability` measures sampling variability.

    Parameters
    ----------
    within : float >= 0
        Tolerance: a solution is near-optimal if its objective exceeds the optimum by at most this
        fraction of the optimum.
    candidates : sequence of labels
        Candidates for which to compute the cost of including them among the prototypes.
    time_limit : float
        Time limit in seconds. Costs that are not settled by then have proved bounds. Bounds that
        differ by less than a thousandth of the largest weight of a row are not tightened further.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.

    Returns
    -------
    Alternatives
        Tables of the prototypes, their substitutes and the candidates.

    Raises
    ------
    NotAvailableError
        If the method is neither "pvm" nor "medianglvq".

    Notes
    -----
    The integer program is solved again without each prototype, and with each other candidate in its
    place, unless the reduced costs of the linear relaxation settle it. For "medianglvq" each single
    swap is tried, with the other prototypes fixed.

    See Also
    --------
    Fit.at : the fit with a substitute.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, solver="exact")
    >>> table = fit.alternatives(within=0.1).table
    >>> table[["cost_without", "verdict"]].iloc[2:4].round(2).to_dict("list")
    {'cost_without': [0.0, 3.0], 'verdict': ['exchangeable', 'indispensable']}
    """
    if not fit.model.has("alternatives"):
        raise lacking(fit.model, "objective to compare solutions", "alternatives")
    check_fixed("alternatives", "within", within, low=0)
    check_fixed("alternatives", "time_limit", time_limit, low=0)
    check_progress(progress)
    interest = places_of(fit, candidates)
    with bar(2, "comparing solutions", progress) as comparing:
        task = task_of(fit)
        comparing.update()
        found = fit.model.alternatives(fit._learned, task, within, float(time_limit), interest)
        comparing.update()
    names, levels = fit.dissimilarity.candidate_names, fit.frame.levels
    classes = pd.Categorical.from_codes(fit.rule.prototypes.classes, levels)
    table = pd.DataFrame(
        {
            "class": classes,
            "cost_without": [cost.most for cost in found.without],
            "at_least": [cost.least for cost in found.without],
            "cost_with": [cost.most for cost in found.having],
            "verdict": verdicts(found, within),
            "substitutes": [
                {names[j]: cost.most for j, cost in pairs} for pairs in found.substitutes
            ],
            "open": found.unsettled,
            "proof": [cost.proof for cost in found.without],
            **found.table,
        },
        fit._prototype_names,
    )
    substitutes = tabulate_substitutes(fit, found, classes)
    forced = pd.DataFrame(
        {
            "class": pd.Categorical.from_codes([c for c, _ in found.forced], levels),
            **cost_columns([cost for _, cost in found.forced], "cost_with"),
        },
        names[interest],
    )
    return Alternatives(
        fit, float(within), found.optimum, table, substitutes, forced, found.reached, found.among
    )


def tabulate_substitutes(
    fit: Fitted, found: NearSolutions, classes: pd.Categorical
) -> pd.DataFrame:
    """`Alternatives.substitutes`, for prototypes of these classes."""
    pairs = list(chain(*found.substitutes))
    places = [s for s, of_prototype in enumerate(found.substitutes) for _ in of_prototype]
    names = fit.dissimilarity.candidate_names.to_numpy(object)
    return pd.DataFrame(
        {
            "prototype": fit._prototype_names.to_numpy(object)[places],
            "class": classes[places],
            "substitute": names[[j for j, _ in pairs]],
            **cost_columns([cost for _, cost in pairs], "cost"),
            **found.pairs,
        }
    )


def cost_columns(costs: list[Cost], name: str) -> dict[str, Array]:
    """The columns of a table of costs; `name` is the column of the highest values."""
    return {
        name: np.array([cost.most for cost in costs], float),
        "at_least": np.array([cost.least for cost in costs], float),
        "proof": np.array([cost.proof for cost in costs], object),
    }


def verdicts(found: NearSolutions, within: float) -> list[str]:
    """The verdict that the costs prove for each prototype."""
    out, slack = [], 1e-9 * max(1.0, found.optimum.most)
    low, high = within * found.optimum.least, within * found.optimum.most
    for without, having in zip(found.without, found.having, strict=True):
        if having.least > high + slack:
            out.append(in_none(within))
        elif without.least > high + slack:
            out.append(INDISPENSABLE)
        elif max(without.most, having.most) <= low + slack:
            out.append(EXCHANGEABLE)
        else:
            out.append(UNSETTLED)
    return out


def places_of(fit: Fitted, candidates: Any) -> Array:
    """Columns of D of candidates that are given by label."""
    check_labels("candidates", candidates)
    names = fit.dissimilarity.candidate_names
    return np.array(
        find_labels(candidates, names, "{} is not the label of a candidate of the fit"), np.int64
    )


@public
@dataclass(frozen=True, eq=False, repr=False)
class Criticisms(Result):
    """Rows that the prototypes explain worst, in descending order.

    Attributes
    ----------
    fit : Fitted
        The fit.
    table : DataFrame
        One row for each criticism, by label, with these columns:

        * `class` (its own) and `fitted`;
        * `reason`: "uncovered" (no ball of its class contains it), "wrongly covered" (balls of
          other classes do) or "misclassified";
        * the score;
        * `prototype`: the nearest prototype whose ball of another class contains the row, otherwise
          the nearest of all;
        * `prototype_class` and `distance` of this prototype.
    score, meaning : str
        Column that orders the rows, "price", "witness" or "margin", and its description.
    """

    fit: Fitted
    table: pd.DataFrame
    score: str
    meaning: str

    def glance(self) -> pd.DataFrame:
        """Table with one row: `rows`, `score`, and the count of each reason, as `uncovered`."""
        counts = {
            reason.replace(" ", "_"): self.table["reason"].str.contains(reason).sum()
            for reason in REASONS
        }
        return pd.DataFrame([{"rows": len(self.table), "score": self.score, **counts}])

    def _said(self) -> tuple[str, list[Any]]:
        head = f"The {len(self.table)} rows that the prototypes explain worst"
        words = f"{head}, by {self.score} ({self.meaning})"
        return words, [(self.table, NUMBERS)]


def criticisms(
    fit: Fitted, n: int = 10, time_limit: float = 30.0, progress: bool | None = None
) -> Criticisms:
    """Rows that the prototypes explain worst, each with the prototype that claims it.

    For "pvm", the uncovered, wrongly covered or misclassified rows with the largest dual prices.
    For "mmd", the criticisms of Kim, Khanna and Koyejo (2016). For other nearest-prototype methods,
    the rows with the smallest margin.

    Parameters
    ----------
    n : int >= 1
        Maximum number of rows.
    time_limit : float
        Time limit of the linear programs in seconds. If it is reached, prices are computed by dual
        ascent.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.

    Returns
    -------
    Criticisms
        Table of the rows.

    Raises
    ------
    NotAvailableError
        If the fitted model does not predict by the nearest prototype, or has no prototypes.

    Notes
    -----
    The dual price of a row is its contribution to the objective, in weight of rows: the price of
    its covering constraint in the linear relaxation, and its weight for each ball of another class
    that contains it. A misclassified row may have price 0.

    The witness function of "mmd" is positive if there are too few prototypes near the row, and
    negative if there are too many. The margin of a row is its distance to the nearest prototype of
    another class minus its distance to the nearest of its own class.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.criticisms(n=3).table[["reason", "price", "prototype"]].to_dict("index")[72]
    {'reason': 'wrongly covered, misclassified', 'price': 2.0, 'prototype': 108}
    """
    whole_number("n", n, 1)
    check_fixed("criticisms", "time_limit", time_limit, low=0)
    check_progress(progress)
    model, prototypes = fit.model, fit.rule.prototypes
    if not model.has("criticise") and not model.can.nearest:
        raise NotAvailableError(
            f"method {model.name!r} has no criticisms and no nearest prototype: use "
            f"{methods_with('criticise')}, or any nearest-prototype rule; fit.augment() shows for "
            "each row whether its prediction is correct"
        )
    if len(prototypes) == 0:
        raise NotAvailableError(
            "criticisms need prototypes, but the rule has none: use a larger eps or a lower cost"
        )
    with bar(1, "looking for criticisms", progress) as looking:
        found = (
            model.criticise(fit._learned, task_of(fit), int(n), float(time_limit))
            if model.has("criticise")
            else by_margin(fit, int(n))
        )
        looking.update()
    return Criticisms(fit, tabulate(fit, found), found.name, found.meaning)


def by_margin(fit: Fitted, n: int) -> Criticised:
    """The rows with the smallest margin."""
    distances = answer(fit.rule, "distance", fit._query()[0])
    margin = margins(distances.astype(float), fit.frame.codes)
    margin[np.isnan(margin)] = 0.0  # neither class has a prototype
    rows = np.argsort(margin, kind="stable")[:n]
    words = "distance to the nearest prototype of another class minus that of its own"
    return Criticised(rows, margin[rows], "margin", words)


def tabulate(fit: Fitted, found: Criticised) -> pd.DataFrame:
    """`Criticisms.table`."""
    rows, levels, prototypes = found.rows, fit.frame.levels, fit.rule.prototypes
    codes, fitted = fit.frame.codes[rows], fit._fitted_codes[rows]
    query, balls = fit._query()[0].take(rows), "cover" in fit.rule.kinds
    D = distances_by(fit.rule, query).astype(float)
    same_class = codes[:, None] == prototypes.classes
    inside = prototypes.radii > D if balls else same_class
    of_other = np.where(inside & ~same_class, D, np.inf)
    covered = (inside & same_class).any(axis=1) | (not balls)
    wrongly = of_other.min(axis=1) < np.inf
    claims = np.where(wrongly, of_other.argmin(axis=1), answer(fit.rule, "nearest", query))
    facts = np.stack([~covered, wrongly, fitted != codes], axis=1)
    return pd.DataFrame(
        {
            "class": pd.Categorical.from_codes(codes, levels),
            "fitted": pd.Categorical.from_codes(fitted, levels),
            "reason": [", ".join(compress(REASONS, of_row)) for of_row in facts],
            found.name: found.score,
            "prototype": fit._prototype_names.to_numpy(object)[claims],
            "prototype_class": pd.Categorical.from_codes(prototypes.classes[claims], levels),
            "distance": D[np.arange(len(rows)), claims],
        },
        fit.frame.index[rows],
    )


SWAPPED = "swapped"  # key in the report of a rule


def at(
    fit: AnyFit,
    size: int | None = None,
    lambda_: float | None = None,
    swap: Mapping[Any, Any] | None = None,
    **tuned: Any,
) -> AnyFit:
    """The fit with its first `size` prototypes, a larger lambda, substitutes or other tuned values.

    Parameters
    ----------
    size : int, optional
        Number of prototypes. For "scm": the first `size` features of each binary classifier.
    lambda_ : number, optional
        Larger cost of a prototype.
    swap : mapping of label to label, optional
        Prototypes (the first with a label), and the candidates, usually training rows, that replace
        them for the same class, such as those of `alternatives`.
    **tuned
        Values of tuned parameters, such as `window=10`. `choose=` selects among the grid points
        with these values, and the method is fitted on all rows.

    Returns
    -------
    Fit
        The new fit. With `size` or `swap` it has no CV error and no certificate; with `lambda_` it
        has a CV error if this value is in the grid.

    See Also
    --------
    Fit.path : the error for each number of prototypes.
    Fit.update : a new fit with other arguments.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.at(size=5).prototypes.index.equals(fit.prototypes.index[:5])
    True
    >>> fit.at(swap={7: 4}).prototypes.index[0]
    np.int64(4)
    """
    known = [] if fit._curve is None else list(fit._curve.grid)
    check_known("at()", tuned, ["size", "lambda_", "swap", *known])
    if sum(value is not None for value in (size, lambda_, swap, tuned or None)) != 1:
        raise OptionError(
            "at() needs one kind of change: use size=, lambda_=, swap=, or values of tuned parameters"
        )
    if tuned:
        assert fit._curve is not None
        point = fit._curve._chosen_at(tuned)
        return fit._learn(fit._problem, fit._curve._select(point), fit._curve)
    if swap is not None:
        if not isinstance(swap, Mapping) or not swap:
            raise OptionError(
                f"swap must map prototypes to their substitutes, such as {{5: 12}}, not {brief(swap)}"
            )
        return _swapped(fit, swap)
    rule, most = stepwise(fit), step_count(fit)
    if lambda_ is not None:
        if not fit.model.can.costs:
            raise NotAvailableError(
                f"{lacking(fit.model, 'lambda', 'costs')}, or use at() with size="
            )
        return fit._derived(rule.at_cost(lambda_), {"lambda_": lambda_})  # type: ignore[attr-defined]
    if not is_number(size, 0, integral=True, high=most):
        raise OptionError(
            f"size must be a whole number from 0 to the {most} steps of the fit, not {brief(size)}"
        )
    return fit._derived(rule.first(size), steps=size)  # type: ignore[arg-type]


def _swapped(fit: AnyFit, swap: Mapping[Any, Any]) -> AnyFit:
    """The fit with prototypes replaced by other candidates for the same classes, all at once."""
    if not fit.model.has("swap"):
        raise lacking(fit.model, "prototypes to replace by a row", "swap")
    prototypes, task = fit.rule.prototypes, task_of(fit)
    assert prototypes.at is not None
    places = np.array([place_of(fit, prototype) for prototype in swap])
    candidates = places_of(fit, list(swap.values()))
    at = prototypes.at.copy()
    at[places] = candidates
    for place, candidate, pair in zip(places, candidates, swap.items(), strict=True):
        substitute = f"{shown(pair[1])} in swap={brief(dict([pair]))}"
        c = prototypes.classes[place]
        same = at[prototypes.classes == c] == candidate
        if same.sum() > 1 or candidate == prototypes.at[place]:
            raise OptionError(
                f"{substitute} is already a prototype of this class: use another row"
            )
        if task.allowed_class is not None and 0 <= task.allowed_class[candidate] != c:
            raise OptionError(
                f"{substitute} is a candidate of another class than {brief(fit.frame.levels[c])}: "
                "use a row of this class"
            )
    rule = fit.model.swap(fit._learned, task, places, candidates)
    words = [f"{shown(substitute)} for {shown(prototype)}" for prototype, substitute in swap.items()]
    report = {**rule.report, SWAPPED: ", ".join(filter(None, [rule.report.get(SWAPPED), *words]))}
    return fit._derived(replace(rule, report=report))  # type: ignore[type-var]
