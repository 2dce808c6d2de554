"""What the objective of a fit says of its prototypes and rows: other solutions as good, and rows that are explained badly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arguments import known_arguments, public
from ..core.memory import limited
from .fitted import Fitted

if TYPE_CHECKING:
    from ..analysis.alternatives import Alternatives
    from ..analysis.criticisms import Criticisms
    from .fit import Fit


@public
@dataclass(frozen=True, eq=False)
class Explained(Fitted):
    """A fitted rule whose prototypes are compared with others that would do; each analysis is a module of `analysis`."""

    @known_arguments
    @limited
    def alternatives(
        self, within: float = 0.01, candidates: Any = (), seconds: float = 60.0, progress: bool | None = None
    ) -> Alternatives:
        """Every good answer: what each prototype is worth to the objective, and which rows can take its place.

        An optimum is seldom alone. The integer program is solved again without each prototype, and with each other candidate in
        its place, as far as the prices of the rows in the relaxation do not settle it. It tells the ambiguity of the optimisation,
        as `stability` tells that of the sample.

        Parameters
        ----------
        within : float >= 0
            A solution counts as good if its objective is at most this share of the optimum above it; 0 asks for optima alone.
        candidates : sequence of labels
            Candidates of which it is asked what it costs to have them among the prototypes.
        seconds : float
            Time limit. What the solver has not settled by then keeps its proved bounds. Bounds that differ by less than a
            thousandth of the largest weight of a row are not closed any further.
        progress : bool, optional
            As in `fit`.

        Returns
        -------
        Alternatives
            With `table` (by prototype: `cost_without`, `verdict`, `substitutes`, `proof`), `substitutes`, `candidates`, `tidy()`,
            `glance()`, `summary()` and `plot()`.

        Raises
        ------
        NotAvailable
            Where the method solves no integer program, or its balls have radii of their own.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, solver="exact")
        >>> fit.alternatives(within=0.1).table[["class", "cost_without", "verdict"]].iloc[2:4].round(2).to_dict("list")
        {'class': ['virginica', 'versicolor'], 'cost_without': [0.0, 3.0], 'verdict': ['exchangeable', 'indispensable']}
        """
        from ..analysis.alternatives import alternatives

        return alternatives(self, within, candidates, seconds, progress)  # type: ignore[arg-type]

    @known_arguments
    @limited
    def criticisms(self, n: int = 10, seconds: float = 30.0, progress: bool | None = None) -> Criticisms:
        """The rows that the prototypes explain worst, with the prototype that takes each.

        For "pvm" rows that are uncovered, wrongly covered or misclassified, ordered by their dual price: what the objective pays
        for the row, in weight of rows. The price of the constraint that it be covered, in the linear relaxation, is at most its
        weight; each ball of another class that holds the row adds its weight. A misclassified row may cost nothing: the objective
        pays for balls, and the rule predicts by the nearest prototype.

        For "mmd" the criticisms of Kim, Khanna and Koyejo (2016), as many of each class, with their witness function, the largest in
        size first: positive where prototypes are too few, negative where they are too many. For other rules of the nearest
        prototype, which minimise no sum over rows with a price for each, the rows of least `margin`: distance
        to the nearest prototype of another class minus that to the nearest of their own; negative ones are misclassified.

        Parameters
        ----------
        n : int >= 1
            How many, at most.
        seconds : float
            Time limit of the linear programs; prices are those of dual ascent if it is reached.
        progress : bool, optional
            As in `fit`.

        Returns
        -------
        Criticisms
            With `table`, `tidy()` and `plot()`.

        Raises
        ------
        NotAvailable
            Where the rule is not that of the nearest prototype, has no prototypes, or has balls with radii of their own.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> fit.criticisms(n=3).table[["reason", "price", "prototype"]].to_dict("index")[72]
        {'reason': 'wrongly covered, misclassified', 'price': 2.0, 'prototype': 108}
        """
        from ..analysis.criticisms import criticisms

        return criticisms(self, n, seconds, progress)  # type: ignore[arg-type]

    def swap(self, prototype: Any, substitute: Any) -> Fit:
        """The fit with a row in the place of a prototype, for the same class; its other prototypes stay.

        `alternatives` says which rows serve as well. The certificate was that of the other cover and is not kept, nor is the
        cross-validated error.

        Parameters
        ----------
        prototype : label
            Of `fit.prototypes.index`; the first of that label.
        substitute : label
            Of a candidate, as a rule a row of the fit, that is no prototype of this class.

        Raises
        ------
        OptionError
            For other labels.
        NotAvailable
            Where the method has no `alternatives`.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, solver="exact")
        >>> place, substitute = fit.alternatives(within=0.1).substitutes.loc[0, ["prototype", "substitute"]]
        >>> other = fit.swap(place, substitute)
        >>> bool(other.objective.value <= 1.1 * fit.objective.value), substitute in other.prototypes.index
        (True, True)
        """
        from ..analysis.swap import swap

        return swap(self, prototype, substitute)  # type: ignore[arg-type]
