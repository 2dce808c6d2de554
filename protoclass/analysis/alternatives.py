"""Substitutes for the prototypes of a fit, and the rows that the prototypes explain worst."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.query import answer
from ..core.setcover.alternatives import Cost, NearSolutions
from ..core.task import Task
from ..estimation.fitted import AnyFit, Fitted
from ..estimation.problem import HOLD_LIMIT
from ..ground.checks import check_labels, check_progress, find_labels, whole_number
from ..ground.errors import NotAvailable, OptionError, brief, shown
from ..ground.options import bar, significant
from ..models.base import Criticised, check_fixed
from ..models.registry import lacking
from ..values import NUMBERS, Above, Printed, public
from .steps import measure_rows, place_of

if TYPE_CHECKING:
    pass


SHOWN = 10  # prototypes that print shows, and substitutes of each
INDISPENSABLE, EXCHANGEABLE, UNSETTLED = "indispensable", "exchangeable", "not settled"


@public
@dataclass(frozen=True, eq=False, repr=False)
class Alternatives(Printed):
    """The prototypes of a fit among all near-optimal solutions (the Rashomon set).

    For "medianglvq", the compared solutions differ from the fit in one row: one prototype is replaced by another row, or removed. The
    optimum is the best of these, and the objective is the cost that swaps minimise.

    Attributes
    ----------
    fit : Fitted
        The fit.
    within : float
        Tolerance: a solution is near-optimal if its objective exceeds the optimum by at most this fraction of the optimum.
    optimum : Cost
        The lowest objective, or its bounds `least` and `most` if the time limit was reached, with its `proof`.
    table : DataFrame
        One row for each prototype, by label, in the order of selection.

        `class` : the class that it represents. `cost_without` : the objective of the best solution without the prototype minus the
        optimum, in weight of rows; `at_least` is a proved lower bound, equal to it unless the time limit was reached. `cost_with` :
        the same for the best solution with the prototype, 0 if an optimum contains it.

        `verdict` : "indispensable", every near-optimal solution contains it; "exchangeable", some contain it and some do not;
        "in no solution within 1 %" (with the value of `within`), none contains it; "not settled", the bounds do not settle it.

        `substitutes` : rows that can replace it in a near-optimal solution, a dictionary of labels and costs, the cheapest first. Each row
        that only this prototype covers for its class must be covered by the substitute, or it is paid for as uncovered. A
        prototype without substitutes may still be exchangeable: it can be removed, or several rows replace it together.

        `open` : candidates for which it was not settled whether they are substitutes. `proof` : how `cost_without` was settled.

        `cost_left_out` (only for "medianglvq") : the cost if the prototype is removed, inf for the last prototype of a class.
    substitutes : DataFrame
        One row for each prototype and substitute: `prototype`, `class`, `substitute`, `cost`, `at_least`, `proof`.
        For "medianglvq" also `error`, the training error with the substitute (a row equally near to its own and another class counts
        half), and `within_se`, whether this error is at most one standard error above the error of the fit. The standard error is
        sqrt(e (1 - e) / n), with e the cross-validated error of the fit if it has one.
    candidates : DataFrame
        One row for each requested candidate, by label: `class` (the class with most weight in its ball), `cost_with`, `at_least`,
        `proof`.
    objective : float
        Objective of the fit.
    among : str
        Description of the solutions that are compared.
    """

    fit: Fitted
    within: float
    optimum: Cost
    table: pd.DataFrame
    substitutes: pd.DataFrame
    candidates: pd.DataFrame
    objective: float
    among: str

    plot = Above("protoclass.pictures")

    def tidy(self) -> pd.DataFrame:
        """Table with one row per prototype and substitute; prototypes without a substitute have one row."""
        none = self.table[np.array([not substitutes for substitutes in self.table["substitutes"]], bool)]
        rows = pd.DataFrame({"prototype": none.index.to_flat_index(), "class": none["class"].to_numpy()})
        rows = rows.reindex(columns=self.substitutes.columns)
        verdict = dict(zip(_keys(self.table.index, self.table["class"]), self.table["verdict"], strict=True))
        parts = [part for part in (self.substitutes, rows) if len(part)]
        out = pd.concat(parts, ignore_index=True) if parts else self.substitutes.copy()
        out.insert(2, "verdict", [verdict[k] for k in _keys(out["prototype"], out["class"])])
        return out

    def glance(self) -> pd.DataFrame:
        """Table with one row: `objective`, `optimum`, `optimum_at_least`, `within`, `prototypes`, and the count of each verdict."""
        counts = self.table["verdict"].value_counts()
        verdicts = [INDISPENSABLE, EXCHANGEABLE, in_none(self.within), UNSETTLED]
        names = ("indispensable", "exchangeable", "in_none", "not_settled")
        return pd.DataFrame(
            [{"objective": self.objective, "optimum": self.optimum.most, "optimum_at_least": self.optimum.least,
              "within": self.within, "prototypes": len(self.table),
              **{name: int(counts.get(verdict, 0)) for name, verdict in zip(names, verdicts, strict=True)}}]
        )  # fmt: skip

    def summary(self) -> pd.DataFrame:
        """The printed table for all prototypes, with the first substitutes of each."""
        words = [_written(substitutes) for substitutes in self.table["substitutes"]]
        exact = (self.table["at_least"] == self.table["cost_without"]).to_numpy()
        lows, highs = self.table["at_least"], self.table["cost_without"]
        cost = [
            significant(high) if settled else f"{significant(low)} to {significant(high)}"
            for low, high, settled in zip(lows, highs, exact, strict=True)
        ]
        return pd.DataFrame(
            {"class": self.table["class"], "cost_without": cost, "verdict": self.table["verdict"],
             "substitutes": words, "proof": self.table["proof"]}
        )  # fmt: skip

    def _said(self) -> tuple[str, list[Any]]:
        least, most = significant(self.optimum.least, 6), significant(self.optimum.most, 6)
        exact = self.optimum.exact
        optimum = f"{most} (proved by {self.optimum.proof})" if exact else f"between {least} and {most} (time limit reached)"
        row, no = self.glance().to_dict("records")[0], in_none(self.within)
        counts = [f"{row['indispensable']} indispensable", f"{row['exchangeable']} exchangeable"]
        counts += [f"{row['in_none']} {no}"] if row["in_none"] else []
        counts += [f"{row['not_settled']} not settled"] if row["not_settled"] else []
        lines = [
            f"{len(self.table)} prototypes compared with {self.among} within {100 * self.within:.3g} % of the optimal objective",
            f"Objective {significant(self.objective, 6)}, optimum {optimum}",
            f"{', '.join(counts)}; each cost is an increase above the optimal objective, in weight of rows",
        ]
        return "\n".join(lines), [(self.summary().head(SHOWN), {})]


def in_none(within: float) -> str:
    """The verdict of a prototype that no near solution has."""
    return f"in no solution within {100 * within:.3g} %"


def _keys(labels: Any, classes: Any) -> list[Any]:
    """Label and class of each prototype as one value."""
    return list(zip(labels, classes, strict=True))


def _written(substitutes: dict[Any, float]) -> str:
    """Labels and costs, the first of many."""
    first = [f"{label} (+{significant(cost, 3)})" for label, cost in list(substitutes.items())[:SHOWN]]
    return ", ".join([*first, f"and {len(substitutes) - SHOWN} more"] if len(substitutes) > SHOWN else first)


def alternatives(
    fit: Fitted, within: float = 0.01, candidates: Any = (), seconds: float = 60.0, progress: bool | None = None
) -> Alternatives:
    """Cost of leaving out each prototype, and its substitutes, over all near-optimal solutions.

    There are usually several near-optimal solutions (the Rashomon set). For each prototype, the result has the cost of leaving it
    out, whether all near-optimal solutions contain it, and the rows that could replace it, each with a proof. This measures the
    ambiguity of the optimisation; `stability` measures sampling variability.

    Parameters
    ----------
    within : float >= 0
        Tolerance: a solution is near-optimal if its objective exceeds the optimum by at most this fraction of the optimum. 0: only
        optimal solutions.
    candidates : sequence of labels
        Candidates for which to compute the cost of including them among the prototypes.
    seconds : float
        Time limit. Costs that are not settled by then have proved bounds. Bounds that differ by less than a thousandth of the
        largest weight of a row are not tightened further.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.

    Returns
    -------
    Alternatives
        Results with `table` (by prototype: `cost_without`, `verdict`, `substitutes`, `proof`), `substitutes`, `candidates`, `tidy()`,
        `glance()`, `summary()` and `plot()`.

    Raises
    ------
    NotAvailable
        If the method is neither "pvm" nor "medianglvq".

    Notes
    -----
    The integer program is solved again without each prototype, and with each other candidate in its place, unless the reduced costs
    of the linear relaxation settle it. For "medianglvq" each single swap is tried, with the other prototypes fixed.

    See Also
    --------
    Fit.swap : the fit with a substitute.
    Fit.stability : prototypes over samples of the rows.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, solver="exact")
    >>> fit.alternatives(within=0.1).table[["class", "cost_without", "verdict"]].iloc[2:4].round(2).to_dict("list")
    {'class': ['virginica', 'versicolor'], 'cost_without': [0.0, 3.0], 'verdict': ['exchangeable', 'indispensable']}
    """
    if not fit.model.has("alternatives"):
        raise lacking(fit.model, "objective to compare solutions", "alternatives")
    check_fixed("alternatives", "within", within, low=0)
    check_fixed("alternatives", "seconds", seconds, low=0)
    check_progress(progress)
    interest = places_of(fit, candidates)
    with bar(2, "comparing solutions", progress) as comparing:
        task = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT)
        comparing.update()
        found = fit.model.alternatives(fit.learned, task, float(within), float(seconds), interest)
        comparing.update()
    names, levels = fit.dissimilarity.candidate_names, fit.frame.levels
    classes = pd.Categorical.from_codes(fit.rule.prototypes.classes, levels)
    table = pd.DataFrame({
        "class": classes,
        "cost_without": [cost.most for cost in found.without],
        "at_least": [cost.least for cost in found.without],
        "cost_with": [cost.most for cost in found.having],
        "verdict": verdicts(found, float(within)),
        "substitutes": [{names[j]: cost.most for j, cost in some} for some in found.substitutes],
        "open": found.unsettled,
        "proof": [cost.proof for cost in found.without],
        **found.table,
    }, fit.prototype_names)  # fmt: skip
    pairs = [(p, j, cost) for p, some in enumerate(found.substitutes) for j, cost in some]
    substitutes = pd.DataFrame({
        "prototype": pd.Series([fit.prototype_names[p] for p, _, _ in pairs], dtype=object),
        "class": classes[[p for p, _, _ in pairs]],
        "substitute": pd.Series([names[j] for _, j, _ in pairs], dtype=object),
        **_costs([cost for _, _, cost in pairs], "cost"),
        **found.pairs,
    })  # fmt: skip
    forced = pd.DataFrame({
        "class": pd.Categorical.from_codes([c for c, _ in found.forced], levels),
        **_costs([cost for _, cost in found.forced], "cost_with"),
    }, names[interest])  # fmt: skip
    return Alternatives(fit, float(within), found.optimum, table, substitutes, forced, found.reached, found.among)


def _costs(costs: list[Cost], name: str) -> dict[str, np.ndarray]:
    return {
        name: np.array([cost.most for cost in costs], float),
        "at_least": np.array([cost.least for cost in costs], float),
        "proof": np.array([cost.proof for cost in costs], object),
    }


def verdicts(found: NearSolutions, within: float) -> list[str]:
    """What the costs prove of each prototype."""
    out = []
    for without, having in zip(found.without, found.having, strict=True):
        low, high = within * found.optimum.least, within * found.optimum.most
        slack = 1e-9 * max(1.0, found.optimum.most)
        if having.least > high + slack:
            out.append(in_none(within))
        elif without.least > high + slack:
            out.append(INDISPENSABLE)
        elif max(without.most, having.most) <= low + slack:
            out.append(EXCHANGEABLE)
        else:
            out.append(UNSETTLED)
    return out


def places_of(fit: Fitted, candidates: Any) -> np.ndarray:
    """Columns of D of candidates that are given by label."""
    check_labels("candidates", candidates)
    names = fit.dissimilarity.candidate_names
    return np.array(find_labels(candidates, names, "{} is not the label of a candidate of the fit"), np.int64)


PAIRS = 2**22  # of a row and a prototype that are measured together


@public
@dataclass(frozen=True, eq=False, repr=False)
class Criticisms(Printed):
    """Rows that the prototypes explain worst, in descending order.

    Attributes
    ----------
    fit : Fitted
        The fit.
    table : DataFrame
        One row for each criticism, by label, with these columns:

        * `class` (its own) and `fitted`;
        * `reason`: "uncovered" (no ball of its class contains it), "wrongly covered" (balls of other classes do) or "misclassified";
        * the score;
        * `prototype`: the nearest prototype whose ball of another class contains the row, otherwise the nearest of all;
        * `prototype_class` and `distance` of this prototype.
    score : str
        Name of the column that orders the rows: "price", "witness" or "margin".
    meaning : str
        Description of the score.
    """

    fit: Fitted
    table: pd.DataFrame
    score: str
    meaning: str

    plot = Above("protoclass.pictures")

    def _said(self) -> tuple[str, list[Any]]:
        words = f"The {len(self.table)} rows that the prototypes explain worst, by {self.score} ({self.meaning})"
        return words, [(self.table, NUMBERS)]


def criticisms(fit: Fitted, n: int = 10, seconds: float = 30.0, progress: bool | None = None) -> Criticisms:
    """Rows that the prototypes explain worst, each with the prototype that claims it.

    For "pvm", these are rows that are uncovered, wrongly covered or misclassified, in descending order of their dual price. For
    "mmd", they are the criticisms of Kim, Khanna and Koyejo (2016). For other nearest-prototype methods, they are the rows with the
    smallest margin.

    Parameters
    ----------
    n : int >= 1
        Maximum number of rows.
    seconds : float
        Time limit of the linear programs. If it is reached, prices are computed by dual ascent.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.

    Returns
    -------
    Criticisms
        Results with `table`, `tidy()` and `plot()`.

    Raises
    ------
    NotAvailable
        If the fitted model does not predict by the nearest prototype, or has no prototypes.

    Notes
    -----
    The dual price of a row is its contribution to the objective, in weight of rows. The price of its covering constraint, in the
    linear relaxation, is at most its weight; each ball of another class that contains the row adds its weight. A misclassified row
    may have price 0: the objective is about balls, but the prediction is the class of the nearest prototype.

    The witness function of "mmd" is positive if there are too few prototypes near the row, and negative if there are too many. Each
    class has the same number of criticisms, with the largest absolute values first.

    The margin of a row is its distance to the nearest prototype of another class minus its distance to the nearest prototype of its
    own class; rows with a negative margin are misclassified.

    See Also
    --------
    Fit.why : explanation of single predictions.
    Fit.alternatives : costs and substitutes of the prototypes.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.criticisms(n=3).table[["reason", "price", "prototype"]].to_dict("index")[72]
    {'reason': 'wrongly covered, misclassified', 'price': 2.0, 'prototype': 108}
    """
    whole_number("n", n, 1)
    check_fixed("criticisms", "seconds", seconds, low=0)
    check_progress(progress)
    model, prototypes = fit.model, fit.rule.prototypes
    if not model.has("criticise") and not model.can.nearest:
        raise NotAvailable(
            f"{lacking(fit.model, 'criticisms and no nearest prototype', 'criticise')}, or any nearest-prototype rule; fit.augment() "
            "shows for each row whether its prediction is correct"
        )
    if len(prototypes) == 0:
        raise NotAvailable("criticisms need prototypes, but the rule has none: use a larger eps or a lower cost")
    with bar(2, "looking for criticisms", progress) as looking:
        task = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT)
        looking.update()
        measured = measure(fit, task)
        own = model.has("criticise")
        found = model.criticise(fit.learned, task, int(n), float(seconds)) if own else by_margin(measured, int(n))
        looking.update()
    return Criticisms(fit, _table(fit, task, measured, found), found.name, found.meaning)


@dataclass(frozen=True)
class Measured:
    """The prototypes as seen from each row, arrays (n,)."""

    nearest: np.ndarray  # int: place of the nearest prototype
    taker: np.ndarray  # int: the nearest prototype of another class whose ball contains the row, -1 for none
    distance: np.ndarray  # to `nearest`; inf for none
    reach: np.ndarray  # to `taker`; inf for none
    own: np.ndarray  # distance to the nearest prototype of the row's class; inf if there is none
    other: np.ndarray  # distance to the nearest prototype of any other class
    covered: np.ndarray  # bool: whether a ball of its class contains the row; True for all if there are no balls


def measure(fit: Fitted, task: Task) -> Measured:
    """See `Measured`."""
    prototypes, y = fit.rule.prototypes, task.y
    n, q = len(y), len(prototypes)
    balls = prototypes.radii if "cover" in fit.rule.kinds else None
    nearest = np.asarray(answer(fit.rule, "nearest", fit.query()[0]))
    out = Measured(
        nearest, np.full(n, -1), np.empty(n), np.full(n, np.inf), np.empty(n), np.empty(n), np.ones(n, bool)
    )
    step = max(1, PAIRS // q)
    for first in range(0, n, step):
        rows = np.arange(first, min(first + step, n))
        D = np.asarray(measure_rows(prototypes, fit.dissimilarity, task.D if prototypes.at is not None else None, rows), float)
        own = y[rows, None] == prototypes.classes
        out.distance[rows] = D[np.arange(len(rows)), nearest[rows]]
        out.own[rows] = np.where(own, D, np.inf).min(axis=1)
        out.other[rows] = np.where(own, np.inf, D).min(axis=1)
        if balls is not None:
            inside = balls > D
            out.covered[rows] = (inside & own).any(axis=1)
            wrong = np.where(inside & ~own, D, np.inf)
            out.taker[rows] = np.where(np.isfinite(wrong.min(axis=1)), wrong.argmin(axis=1), -1)
            out.reach[rows] = wrong.min(axis=1)
    return out


def by_margin(measured: Measured, n: int) -> Criticised:
    """The rows with the smallest margin: distance to the nearest prototype of another class minus distance to one of their own."""
    with np.errstate(invalid="ignore"):
        margin = measured.other - measured.own  # NaN if both are missing
    margin = np.where(np.isnan(margin), 0.0, margin)
    rows = np.lexsort((np.arange(len(margin)), margin))[:n]
    words = "distance to the nearest prototype of another class minus that of its own"
    return Criticised(rows, margin[rows], "margin", words)


def _table(fit: Fitted, task: Task, measured: Measured, found: Criticised) -> pd.DataFrame:
    rows, levels = found.rows, fit.frame.levels
    classes = fit.rule.prototypes.classes
    fitted = fit.fitted_codes[rows]
    wrongly = measured.taker[rows] >= 0
    taker = np.where(wrongly, measured.taker[rows], measured.nearest[rows])
    reasons = [
        ", ".join(word for word, holds in zip(("uncovered", "wrongly covered", "misclassified"), facts, strict=True) if holds)
        for facts in zip(~measured.covered[rows], wrongly, fitted != task.y[rows], strict=True)
    ]
    return pd.DataFrame({
        "class": pd.Categorical.from_codes(task.y[rows], levels),
        "fitted": pd.Categorical.from_codes(fitted, levels),
        "reason": reasons,
        found.name: found.score,
        "prototype": pd.Series([fit.prototype_names[p] for p in taker], dtype=object).to_numpy(),
        "prototype_class": pd.Categorical.from_codes(classes[taker], levels),
        "distance": np.where(wrongly, measured.reach[rows], measured.distance[rows]),
    }, fit.frame.index[rows])  # fmt: skip


SWAPPED = "swapped"  # key in the report of a rule


def swap(fit: AnyFit, prototype: Any, substitute: Any) -> AnyFit:
    """The fit with one prototype replaced by another row, for the same class.

    `alternatives` lists rows that are equally good prototypes. The new fit has neither certificate nor cross-validated error, because
    they apply to the old fit only.

    Parameters
    ----------
    prototype : label
        Label of a prototype in `fit.prototypes.index`; the first with this label.
    substitute : label
        Label of a candidate, usually a training row, that is not a prototype of this class.

    Returns
    -------
    Fit
        The new fit.

    Raises
    ------
    OptionError
        If a label is not valid.
    NotAvailable
        If the method has no `alternatives`.

    See Also
    --------
    Fit.alternatives : substitutes and their costs.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, solver="exact")
    >>> place, substitute = fit.alternatives(within=0.1).substitutes.loc[0, ["prototype", "substitute"]]
    >>> other = fit.swap(place, substitute)
    >>> bool(other.objective.value <= 1.1 * fit.objective.value), substitute in other.prototypes.index
    (True, True)
    """
    if not fit.model.has("swap"):
        raise lacking(fit.model, "prototypes to replace by a row", "swap")
    place = place_of(fit, prototype)
    (candidate,) = places_of(fit, [substitute])
    prototypes = fit.rule.prototypes
    assert prototypes.at is not None
    if candidate in prototypes.at[prototypes.classes == prototypes.classes[place]]:
        raise OptionError(f"substitute={brief(substitute)} is already a prototype of this class: use another row")
    task = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT)
    own = task.allowed_class
    if own is not None and 0 <= own[candidate] != prototypes.classes[place]:
        level = fit.frame.levels[prototypes.classes[place]]
        raise OptionError(f"substitute={brief(substitute)} is a candidate of another class than {brief(level)}: use a row of this class")
    rule = fit.model.swap(fit.learned, task, place, int(candidate))
    earlier = rule.report.get(SWAPPED)
    this = f"{shown(substitute)} for {shown(prototype)}"
    report = {**rule.report, SWAPPED: this if earlier is None else f"{earlier}, {this}"}
    return fit.derived(replace(rule, report=report))  # type: ignore[type-var]
