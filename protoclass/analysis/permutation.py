"""Whether a cross-validated error could be that of classes which say nothing: the complete procedure with permuted classes."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..estimation.error_curve import ErrorCurve
from ..estimation.problem import Problem
from ..frames.reading import made_from
from ..frames.tables import as_pandas
from ..ground.checks import MOST_RUNS, check_progress, check_seed, whole_number
from ..ground.errors import DataError, NotAvailable, ProtoclassError, printed
from ..ground.options import significant
from ..ground.progress import bar
from ..values import Above, facts_as_html, facts_as_text, public

Order = Callable[[np.random.Generator], np.ndarray]



@public
@dataclass(frozen=True, eq=False)
class PermutationTest:
    """A cross-validated error among those with permuted classes.

    Attributes
    ----------
    error : float
        Of the chosen point.
    table : DataFrame
        One row for each permutation: the chosen parameters, `error` and mean `size` of the rules at the point chosen there.
    p_value : float
        (1 + number of permutations with an error as small or smaller) / (1 + B).
    measure : str
        What the error is, in words.
    how : str
        What was permuted, in words.
    call : str
    """

    error: float
    table: pd.DataFrame
    p_value: float
    measure: str
    how: str
    call: str

    plot = Above("protoclass.plots")

    def tidy(self) -> pd.DataFrame:
        """One row: `error`, `permuted_mean`, `permuted_low` and `permuted_high` (2.5 and 97.5 % quantiles), `p_value`, `B`,
        `measure`, `how`.
        """
        low, high = np.quantile(self.table["error"], [0.025, 0.975])
        return pd.DataFrame([{"error": self.error, "permuted_mean": self.table["error"].mean(), "permuted_low": low,
                              "permuted_high": high, "p_value": self.p_value, "B": len(self.table),
                              "measure": self.measure, "how": self.how}])  # fmt: skip

    def _facts(self) -> dict[str, str]:
        row = self.tidy().iloc[0]
        mean, low, high = (significant(row[f"permuted_{name}"]) for name in ("mean", "low", "high"))
        spread = f"{mean} on average, 95 % from {low} to {high}"
        return {f"CV {self.measure}": significant(self.error), "With permuted classes": spread,
                "Permutations": f"{len(self.table)}, {self.how}", "p-value": significant(self.p_value)}  # fmt: skip

    @printed
    def __repr__(self) -> str:
        return f"Permutation test of {self.call}\n{facts_as_text(self._facts())}"

    def _repr_html_(self) -> str:
        return f"<div>Permutation test of <code>{html.escape(self.call)}</code>{facts_as_html(self._facts())}</div>"


def permutation_test(validation: ErrorCurve, B: int = 200, seed: int = 0, progress: bool | None = None) -> PermutationTest:
    """Whether an error as small as that of the chosen point is to be expected where the classes say nothing of the predictors.

    The classes are permuted among the rows, and all of the cross-validation is done again: folds, metric, grid and choice, so
    that the test allows for the tuning. With `groups=` the classes of whole groups are permuted where each group has
    one class, and otherwise the classes of the rows within each group.

    Parameters
    ----------
    B : int
        Permutations. The p-value is at least 1 / (1 + B).
    seed : int
    progress : bool, optional
        As in `fit`.

    Returns
    -------
    PermutationTest
        With `p_value` = (1 + number of permutations with an error as small or smaller) / (1 + B).

    References
    ----------
    Phipson and Smyth (2010), *Permutation p-values should never be zero*; Ojala and Garriga (2010), *Permutation tests for
    studying classifier performance*, JMLR 11, test 1.

    Examples
    --------
    >>> import protoclass as pc
    >>> v = pc.cross_validate("species ~ .", pc.load_data("iris").iloc[::5], eps=[1.0, 1.5], cv=3)
    >>> v.permutation_test(B=19).p_value
    0.05
    """
    whole_number("B", B, 1, MOST_RUNS)
    check_seed(seed)
    check_progress(progress)
    if validation.procedure is None:
        raise NotAvailable("this is a part of a cross-validation: permutation_test() is of the complete one")
    problem, rows = validation.problem, []
    how, order = exchangeable(problem.frame.codes, problem.groups)
    with bar(int(B), "permuting classes", progress) as permuting:
        for b in range(int(B)):
            data = permuted(problem, order(np.random.default_rng([int(seed), b])))
            try:
                again = validation.procedure.validation_of(data)
            except ProtoclassError as reason:
                raise DataError(
                    f"with permuted classes the procedure fails ({reason}): fewer folds or parameters that need fewer rows may help"
                ) from reason
            rows.append(again.table.iloc[[again.chosen_by_call()]][[*validation.grid, "error", "size"]])
            permuting.update()
    table = pd.concat(rows, ignore_index=True).rename_axis(index="permutation")
    error = float(validation.table["error"].iloc[validation.chosen_by_call()])
    as_small = int((table["error"].round(12) <= round(error, 12)).sum())
    return PermutationTest(
        error, table, (1 + as_small) / (1 + len(table)), validation.measure_name, how, repr(problem.call)
    )


def permuted(problem: Problem, order: np.ndarray) -> pd.DataFrame:
    """The data with the classes of the rows that take part in another order."""
    data, response = as_pandas(problem.call.data), problem.frame.formula.response
    at = data.index.get_indexer(problem.frame.index)
    source = np.arange(len(data))
    source[at] = at[order]
    return made_from(data, data.assign(**{str(response): data[response].iloc[source].set_axis(data.index)}))


def exchangeable(y: np.ndarray, groups: np.ndarray | None) -> tuple[str, Order]:
    """What is permuted, in words, and a function that draws an order of the rows from which their classes are taken.

    Parameters
    ----------
    y : int array (n,)
        Class codes.
    groups : int array (n,), or None
        Codes 0, 1, ... of the groups that the rows belong to.
    """
    n = len(y)
    if groups is None:
        return "classes permuted among all rows", lambda draw: draw.permutation(n)
    first = np.unique(groups, return_index=True)[1]  # a row of each group
    if (y == y[first][groups]).all():
        return "classes permuted among groups", lambda draw: first[draw.permutation(len(first))][groups]
    members = [np.flatnonzero(groups == g) for g in range(len(first))]

    def within(draw: np.random.Generator) -> np.ndarray:
        order = np.arange(n)
        for rows in members:
            order[rows] = draw.permutation(rows)
        return order

    return "classes permuted within groups", within
