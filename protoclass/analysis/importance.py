"""Permutations: the effect of each variable on the error, and whether predictors and classes are related at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd

from ..core.parallel import each_fit
from ..core.query import answer
from ..estimation.calibration import rules_of_folds
from ..estimation.cross_validation import validate
from ..estimation.decisions import FoldRule
from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..estimation.problem import Problem, prepare
from ..frames.frame import Frame
from ..frames.tables import as_pandas
from ..ground.checks import MOST_RUNS, check_progress, check_seed, whole_number
from ..ground.errors import DataError, DataWarning, NotAvailable, OptionError, ProtoclassError, brief, warn
from ..ground.options import significant
from ..ground.progress import bar
from ..values import Above, Printed, public

ROWS = 2**13  # that are predicted at a time: more take memory, and fewer the time of many calls
CELLS = 2**22  # of the permuted columns of several variables together
STEPS = 8  # minimum number of steps of the bar if there are as many variables
MOST = 50  # variables that are permuted if none are named

Drawn = tuple[Sequence[str], np.ndarray]  # columns of a variable, and the rows from which they get values, int (d, n)


@dataclass(frozen=True)
class HeldOut:
    """Rows with predictors, class codes and weights, each with the rule that did not see it."""

    columns: pd.DataFrame  # (n, predictors)
    y: np.ndarray  # int (n,)
    w: np.ndarray  # (n,)
    parts: list[tuple[np.ndarray, FoldRule]]  # places of rows, int, and the rule that predicts them; each row is in one part

    @cached_property
    def before(self) -> np.ndarray:
        """Whether each row is misclassified with its own values, bool (n,)."""
        out = np.empty(len(self.y), bool)
        for rows, fold_rule in self.parts:
            out[rows] = predicted(fold_rule, self.columns.take(rows)) != self.y[rows]
        return out

    def shares_wrong(self, drawn: Sequence[Drawn]) -> np.ndarray:
        """Share of the permutations of each variable with which each row is misclassified, (variables, n).

        The values are permuted among all held-out rows: among the rows of a fold alone they would not change if a fold is one row,
        or one group in which the column is constant. A row is predicted once with the same values, and not again with its own.
        """
        count, n = len(drawn[0][1]), len(self.y)
        out = np.tile(self.before, (len(drawn), count, 1))
        codes = [values_as_codes(self.columns[columns]) for columns, _ in drawn]
        for rows, fold_rule in self.parts:
            own, moved, places = np.tile(rows, count), [], []
            for (columns, donors), code in zip(drawn, codes, strict=True):
                donor = donors[:, rows].ravel()
                changed = np.flatnonzero(code[donor] != code[own])
                pairs = own[changed] * n + code[donor[changed]]
                _, first, place = np.unique(pairs, return_index=True, return_inverse=True)
                first = changed[first]
                values = {c: self.columns[c].array.take(donor[first]) for c in columns}
                moved.append(self.columns.take(own[first]).assign(**values))
                places.append((changed, place))
            ends = np.cumsum([len(table) for table in moved])[:-1]
            found = np.split(predicted(fold_rule, pd.concat(moved, ignore_index=True)), ends)
            for wrong, codes_of, (changed, place) in zip(out, found, places, strict=True):
                of_part = wrong[:, rows].ravel()
                of_part[changed] = codes_of[place] != self.y[own[changed]]
                wrong[:, rows] = of_part.reshape(count, -1)
        return np.asarray(out.mean(axis=1))


def predicted(fold_rule: FoldRule, columns: pd.DataFrame) -> np.ndarray:
    """The class codes of some rows, int (r,)."""
    blocks = (columns[first : first + ROWS] for first in range(0, len(columns), ROWS))
    queries = (fold_rule.dissimilarity.new_query(block)[0] for block in blocks)
    return np.concatenate([np.empty(0, int), *(answer(fold_rule.rule, "class", query) for query in queries)])


def values_as_codes(table: pd.DataFrame) -> np.ndarray:
    """Equal numbers (n,) for rows with equal values; lists and arrays are not compared, so each has its own number."""
    try:
        return np.asarray(table.groupby(list(table), sort=False, dropna=False, observed=True).ngroup())
    except TypeError:
        return np.arange(len(table))


def importance(
    fit: Fitted,
    new: Any = None,
    repeats: int = 20,
    variables: Any = None,
    cv: Any = "auto",
    seed: int = 0,
    progress: bool | None = None,
    client: Any = None,
) -> pd.DataFrame:
    """Permutation importance: increase in the held-out error when a variable is permuted (Breiman 2001).

    The values are permuted among all held-out rows, and each row is predicted by the model of its own fold. So the importance does
    not depend on whether a fold has many rows, one row (`cv="loo"`), or one group in which the variable is constant.

    Parameters
    ----------
    new : DataFrame, optional
        New rows with the predictors and the response. Default: the training rows, each predicted by the model that was fitted
        without its fold.
    repeats : int
        Number of permutations of each variable.
    variables : list of columns, or mapping of name to columns, optional
        Variables to permute; columns under one name are permuted together. Default: each predictor separately, with a factor, and
        columns that a `Mixed` compares together, as one variable. Of more than 50 variables, the default is the 50 with the largest
        ratio of variances between and within classes.
    cv : "auto", int, "loo", Series or array of folds
        Cross-validation folds, as in `fit`; ignored if `new` is given.
    seed : int
        Seed for the permutations.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.
    client : Dask client, optional
        Client of a cluster, whose workers then predict the permuted rows. The results are the same.

    Returns
    -------
    DataFrame
        Table by variable, the most important first: `importance` (mean increase in the proportion of errors), `se` (its standard
        error over rows) and `error` (with the variable permuted).

    Raises
    ------
    NotAvailable
        If the dissimilarities were given as a matrix.

    Notes
    -----
    Each of several redundant variables may look unimportant: give them one name in `variables`.

    `se` is for the fitted models: other training rows would give other models. With few rows, importance +- 1.96 `se` therefore covers
    the true value too rarely.

    See Also
    --------
    Fit.why : explanation of single predictions.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.importance(repeats=5).index[:2].tolist()
    ['petal_width', 'petal_length']
    """
    whole_number("repeats", repeats, 1, MOST_RUNS)
    check_seed(seed)
    check_progress(progress)
    groups = variable_groups(fit, variables)
    if variables is None and len(groups) > MOST:
        words = f"of the {len(groups):,} variables, the {MOST} that separate the classes most are permuted: use variables= for others"
        warn(words, DataWarning)
        groups = _separating(fit.frame, groups)
    held = _folds(fit, cv) if new is None else _new_rows(fit, new)
    n, random, table = len(held.y), np.random.default_rng([seed, 1]), dict[str, tuple[float, float, float]]()
    before = held.before.astype(float)
    draws = ((columns, np.array([random.permutation(n) for _ in range(repeats)])) for columns in groups.values())
    together = max(1, min(len(groups) // STEPS, CELLS // (repeats * held.columns.size)))
    batches = iter(lambda: list(islice(draws, together)), [])
    with bar(len(groups), "permuting", progress) as permuting:
        for name, after in zip(groups, chain.from_iterable(each_fit(held.shares_wrong, batches)), strict=True):
            table[name] = _increase(before, after, held.w)
            permuting.update()
    out = pd.DataFrame.from_dict(table, orient="index", columns=["importance", "se", "error"])
    return out.rename_axis("variable").sort_values("importance", ascending=False, kind="stable")


def _separating(frame: Frame, groups: dict[str, list[str]]) -> dict[str, list[str]]:
    """The groups of columns with the largest ratio of variances between and within classes."""
    by_class = frame.columns.select_dtypes("number").groupby(frame.codes)
    ratio = by_class.mean().var() / by_class.var().mean()
    value = {name: max(ratio.get(c, np.inf) for c in columns) for name, columns in groups.items()}  # other columns first
    kept = sorted(groups, key=lambda name: -np.nan_to_num(value[name], nan=-1.0))[:MOST]
    return {name: columns for name, columns in groups.items() if name in set(kept)}


def _increase(before: np.ndarray, after: np.ndarray, w: np.ndarray) -> tuple[float, float, float]:
    """Mean increase of the error, its standard error over rows, and the error with the variable permuted."""
    share, increase = w / w.sum(), after - before
    mean = float(share @ increase)
    return mean, float(np.sqrt(share**2 @ (increase - mean) ** 2 * len(w) / max(1, len(w) - 1))), float(share @ after)


def variable_groups(fit: Fitted, variables: Any) -> dict[str, list[str]]:
    """The columns that are permuted together, by name: as given, or the metric's groups and each other predictor alone."""
    known = list(fit.frame.schema)
    if not known:
        raise NotAvailable("this fit has no predictors to permute, because its dissimilarities were given as a matrix")
    if variables is None and fit.dissimilarity.metric.series and fit.frame.keep:  # a step of another row may leave a gap
        return {"series": known}
    if variables is None:
        grouped = [list(g) for g in fit.dissimilarity.metric.column_groups]
        alone = [[c] for c in known if not any(c in g for g in grouped)]
        ordered = sorted(grouped + alone, key=lambda g: known.index(g[0]))
        return {" + ".join(g): g for g in ordered}
    named = dict(variables) if isinstance(variables, Mapping) else {}
    if not named and isinstance(variables, (list, tuple, pd.Index)):
        named = {str(c): [c] for c in variables}
    groups = {str(name): list(c) if isinstance(c, (list, tuple, pd.Index)) else [c] for name, c in named.items()}
    strange = [c for g in groups.values() for c in g if not (isinstance(c, str) and c in known)]
    if len(groups) < len(named) or not groups or strange or not all(groups.values()):
        what = brief(variables) if not strange else brief(strange[0])
        raise OptionError(f"variables must be a list of predictors, or a dict of names to lists of them, from {brief(known)}, not {what}")
    return groups


def _folds(fit: Fitted, cv: Any) -> HeldOut:
    """The rows of the fit, each with the rule that was learned without its fold."""
    frame = fit.frame
    return HeldOut(frame.columns, frame.codes, frame.weights, list(rules_of_folds(fit, cv, None)))


def _new_rows(fit: Fitted, new: Any) -> HeldOut:
    new = as_pandas(new)
    codes = fit.true_codes(new)
    fit.warn_of(fit.unseen_in(new))
    _, _, complete = fit.dissimilarity.new_query(new)
    known = (codes >= 0) & complete
    if not known.any():
        raise DataError("no row has both a known class and all predictors")
    columns = new.loc[known, list(fit.frame.columns)]
    rows = np.arange(int(known.sum()))
    return HeldOut(columns, codes[known], np.ones(len(rows)), [(rows, FoldRule(fit.rule, fit.dissimilarity))])


Order = Callable[[np.random.Generator], np.ndarray]


@public
@dataclass(frozen=True, eq=False, repr=False)
class PermutationTest(Printed):
    """A permutation test of a cross-validated error.

    Attributes
    ----------
    error : float
        Error of the selected point.
    table : DataFrame
        One row for each permutation: the parameters selected there, with their `error` and mean `size`.
    p_value : float
        (1 + number of permutations with an error as low or lower) / (1 + B).
    measure : str
        Name of the error.
    how : str
        Description of the permutations.
    call : str
        The call of the cross-validation.
    """

    error: float
    table: pd.DataFrame
    p_value: float
    measure: str
    how: str
    call: str

    plot = Above("protoclass.pictures")

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
        spread = f"mean {mean}, 95 % of the permutations from {low} to {high}"
        return {f"CV {self.measure}": significant(self.error), f"{self.measure.capitalize()} with permuted classes": spread,
                "Permutations": f"{len(self.table)}, {self.how}", "p-value": significant(self.p_value)}  # fmt: skip

    def _said(self) -> tuple[str, list[Any]]:
        facts = self._facts()
        width = max(map(len, facts)) + 1
        lines = [f"{name + ':':<{width}} {value}" for name, value in facts.items()]
        return "\n".join([f"Permutation test of {self.call}", *lines]), []


def permutation_test(
    validation: ErrorCurve, B: int = 200, seed: int = 0, progress: bool | None = None, client: Any = None
) -> PermutationTest:
    """Permutation test of the selected CV error against independence of classes and predictors.

    The classes are permuted among the rows, and the whole cross-validation is repeated: folds, metric, grid and selection. So the
    test accounts for the tuning. With `groups=`, the classes of whole groups are permuted if each group has one class, otherwise the
    classes of the rows within each group.

    Parameters
    ----------
    B : int
        Number of permutations. The p-value is at least 1 / (1 + B).
    seed : int
        Seed for the permutations.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.
    client : Dask client, optional
        Client of a cluster, whose workers then repeat the cross-validation. The results are the same.

    Returns
    -------
    PermutationTest
        The error with `p_value` = (1 + number of permutations with an error as low or lower) / (1 + B).

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
    problem, rows = validation.problem, []
    how, order = exchangeable(problem.frame.codes, problem.groups)
    with bar(int(B), "permuting classes", progress) as permuting:
        orders = (order(np.random.default_rng([int(seed), b])) for b in range(int(B)))
        for row in each_fit(partial(_validate_permuted, validation), orders):
            rows.append(row)
            permuting.update()
    table = pd.concat(rows, ignore_index=True).rename_axis(index="permutation")
    error = float(validation.table["error"].iloc[validation.point_of()])
    as_small = int((table["error"].round(12) <= round(error, 12)).sum())
    return PermutationTest(
        error, table, (1 + as_small) / (1 + len(table)), validation.measure_name, how, repr(problem.call)
    )


def _validate_permuted(validation: ErrorCurve, order: np.ndarray) -> pd.DataFrame:
    """The selected point if the rows have their classes in another order, one row."""
    try:
        call = validation.problem.call
        call = replace(call, data=permuted(validation.problem, order), arguments={**call.arguments, "progress": False})
        again = validate(replace(prepare(call), repeats=len(validation.of_fold)))[0]
    except ProtoclassError as reason:
        raise DataError(
            f"the procedure fails with permuted classes ({reason}): use fewer folds, or parameters that need fewer rows"
        ) from reason
    return again.table.iloc[[again.point_of()]][[*validation.grid, "error", "size"]]


def permuted(problem: Problem, order: np.ndarray) -> pd.DataFrame:
    """The data with the classes of the rows that take part in another order."""
    data, response = as_pandas(problem.call.data), problem.frame.formula.response
    at = data.index.get_indexer(problem.frame.index)
    source = np.arange(len(data))
    source[at] = at[order]
    return data.assign(**{str(response): data[response].iloc[source].set_axis(data.index)})


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
