"""Every good answer: what each prototype is worth to the objective, and which rows can take its place."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import known_arguments, one_of, public
from ..core.covers.alternatives import Cost, NearSolutions
from ..errors import OptionError, brief, printed
from ..estimation.problem import HOLD_LIMIT
from ..models.base import check_fixed
from ..models.registry import lacking
from ..progress import bar
from ..settings import significant

if TYPE_CHECKING:
    from ..estimation.fit import Fit

SHOWN = 10  # prototypes that print shows, and substitutes of each
INDISPENSABLE, EXCHANGEABLE, UNSETTLED = "indispensable", "exchangeable", "not settled"


@public
@dataclass(frozen=True, eq=False)
class Alternatives:
    """The prototypes of a fit among all solutions whose objective is near the optimum.

    Attributes
    ----------
    fit : Fit
    within : float
        A solution is near if its objective is at most this share of the optimum above it.
    optimum : Cost
        The least objective, or its bounds `least` and `most` if the time limit was reached, with its `proof`.
    table : DataFrame
        One row for each prototype, by label, in the order chosen.

        `class` : what it stands for. `cost_without` : by how much the objective of the best solution without it is above the
        optimum, in weight of rows; `at_least` is proved, and the same number unless time was over. `cost_with` : the same for the
        best solution with it, 0 if it is in an optimum.

        `verdict` : "indispensable", every near solution has it; "exchangeable", some near solutions have it and some do not;
        "in no solution within 1 %" (of whatever `within` is), none has it; "not settled" where the bounds leave it open.

        `substitutes` : what takes its place in a near solution, a dictionary of labels and costs, the cheapest first; its place is
        the rows that no other prototype of its class holds. A prototype that no row can replace may be exchangeable still:
        it can be left out, or several replace it together.

        `open` : candidates of which it was not settled whether they are substitutes. `proof` : how `cost_without` was settled.
    substitutes : DataFrame
        One row for each prototype and substitute: `prototype`, `class`, `substitute`, `cost`, `at_least`, `proof`.
    candidates : DataFrame
        One row for each candidate that was asked about, by label: `class` (that with most weight in its ball), `cost_with`,
        `at_least`, `proof`.
    """

    fit: Fit
    within: float
    optimum: Cost
    table: pd.DataFrame
    substitutes: pd.DataFrame
    candidates: pd.DataFrame

    def tidy(self) -> pd.DataFrame:
        """One row for each prototype and substitute, as `substitutes`; prototypes without one have a row with no substitute."""
        none = self.table[np.array([not some for some in self.table["substitutes"]], bool)]
        rows = pd.DataFrame({"prototype": none.index.to_flat_index(), "class": none["class"].to_numpy()})
        rows = rows.reindex(columns=self.substitutes.columns)
        verdict = dict(zip(_keys(self.table.index, self.table["class"]), self.table["verdict"], strict=True))
        parts = [part for part in (self.substitutes, rows) if len(part)]
        out = pd.concat(parts, ignore_index=True) if parts else self.substitutes.copy()
        out.insert(2, "verdict", [verdict[k] for k in _keys(out["prototype"], out["class"])])
        return out

    def glance(self) -> pd.DataFrame:
        """One row: `objective`, `optimum`, `optimum_at_least`, `within`, `prototypes`, and how many have each verdict."""
        counts = self.table["verdict"].value_counts()
        verdicts = [INDISPENSABLE, EXCHANGEABLE, in_none(self.within), UNSETTLED]
        names = ("indispensable", "exchangeable", "in_none", "not_settled")
        return pd.DataFrame(
            [{"objective": self.fit.objective.value, "optimum": self.optimum.most, "optimum_at_least": self.optimum.least,
              "within": self.within, "prototypes": len(self.table),
              **{name: int(counts.get(verdict, 0)) for name, verdict in zip(names, verdicts, strict=True)}}]
        )  # fmt: skip

    @known_arguments
    def plot(self, ax: Any = None) -> Any:
        """What each prototype costs to leave out, with what its substitutes cost; returns the Axes.

        Parameters
        ----------
        ax : Axes, optional
        """
        from ..plots.alternatives import alternatives

        return alternatives(self, ax)

    def summary(self) -> pd.DataFrame:
        """The table with substitutes in words, the first of many, as print shows it for all prototypes."""
        words = [_written(some) for some in self.table["substitutes"]]
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

    def _lines(self) -> list[str]:
        least, most = significant(self.optimum.least, 6), significant(self.optimum.most, 6)
        exact = self.optimum.exact
        optimum = f"{most} (proved by {self.optimum.proof})" if exact else f"{least} to {most} (time was over)"
        row, no = self.glance().to_dict("records")[0], in_none(self.within)
        counts = [f"{row['indispensable']} indispensable", f"{row['exchangeable']} exchangeable"]
        counts += [f"{row['in_none']} {no}"] if row["in_none"] else []
        counts += [f"{row['not_settled']} not settled"] if row["not_settled"] else []
        return [
            f"{len(self.table)} prototypes among the solutions within {self.within:.3g} of the optimum",
            f"Objective {significant(self.fit.objective.value, 6)}, optimum {optimum}",
            f"{', '.join(counts)}; costs are in weight of rows, above the optimum",
        ]

    @printed
    def __repr__(self) -> str:
        return "\n".join([*self._lines(), self.summary().head(SHOWN).to_string()])

    def _repr_html_(self) -> str:
        words = html.escape("\n".join(self._lines()))
        return f"<div><pre>{words}</pre>{self.summary().head(SHOWN).to_html()}</div>"


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


def alternatives(fit: Fit, within: float, candidates: Any, seconds: float, progress: bool | None) -> Alternatives:
    """See `Fit.alternatives`."""
    if not fit.model.has("alternatives"):
        raise lacking(fit.model, "integer program whose solutions could be compared", "alternatives")
    check_fixed("alternatives", "within", within, low=0)
    check_fixed("alternatives", "seconds", seconds, low=0)
    one_of("progress", progress, (None, True, False))
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
        "cost_without": [one.most for one in found.without],
        "at_least": [one.least for one in found.without],
        "cost_with": [one.most for one in found.having],
        "verdict": verdicts(found, float(within)),
        "substitutes": [{names[j]: cost.most for j, cost in some} for some in found.substitutes],
        "open": found.unsettled,
        "proof": [one.proof for one in found.without],
    }, fit.prototype_names)  # fmt: skip
    pairs = [(p, j, cost) for p, some in enumerate(found.substitutes) for j, cost in some]
    substitutes = pd.DataFrame({
        "prototype": pd.Series([fit.prototype_names[p] for p, _, _ in pairs], dtype=object),
        "class": classes[[p for p, _, _ in pairs]],
        "substitute": pd.Series([names[j] for _, j, _ in pairs], dtype=object),
        **_costs([cost for _, _, cost in pairs], "cost"),
    })  # fmt: skip
    forced = pd.DataFrame({
        "class": pd.Categorical.from_codes([c for c, _ in found.forced], levels),
        **_costs([cost for _, cost in found.forced], "cost_with"),
    }, names[interest])  # fmt: skip
    return Alternatives(fit, float(within), found.optimum, table, substitutes, forced)


def _costs(costs: list[Cost], name: str) -> dict[str, np.ndarray]:
    return {
        name: np.array([one.most for one in costs], float),
        "at_least": np.array([one.least for one in costs], float),
        "proof": np.array([one.proof for one in costs], object),
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


def places_of(fit: Fit, candidates: Any) -> np.ndarray:
    """Columns of D of candidates that are given by label."""
    listed = isinstance(candidates, (Sequence, pd.Index, pd.Series)) and not isinstance(candidates, (str, bytes))
    if not listed and not (isinstance(candidates, np.ndarray) and candidates.ndim == 1):
        raise OptionError(f"candidates={brief(candidates)}: a list of labels of rows, such as fit.frame.index[:3]")
    place = {name: j for j, name in enumerate(fit.dissimilarity.candidate_names)}
    out = []
    for label in candidates:
        try:
            out.append(place[label])
        except (KeyError, TypeError):  # not there; or something without a hash
            raise OptionError(f"{brief(label)} is not the label of a candidate of the fit") from None
    return np.array(out, np.int64)
