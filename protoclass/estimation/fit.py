"""The Fit that users hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.task import Rule, Task
from ..metrics.dissimilarity import Dissimilarity
from ..progress import bar
from .fitted import Fitted
from .problem import HOLD_LIMIT, Problem, check_rows_needed
from .selection import BY_HAND, Selection

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from ..analysis.evaluation import Test
    from ..analysis.stability import Stability
    from .validation import Validation


@dataclass(frozen=True, eq=False)
class Fit(Fitted):
    """A fitted classifier.

    It has `predict`, `prototypes`, `classes`, `call`, `model`, `rule`, `validation` and what else `Fitted` documents; here are
    the tables, analyses and pictures of it.
    """

    def test(self, new: Any, weights: Any = None, no_information: float | None = None) -> Test:
        """Error on new data with known classes: Wilson interval, confusion, and a test against no information.

        No information means to predict always the most common class of the training rows. That is a rule like any other, fixed
        before the new rows were seen, so that the two are compared on them by the exact sign test: of the rows that one of the
        two alone gets wrong, half would be the rule's if it were no better.

        Parameters
        ----------
        new : DataFrame
            With the predictors and the response; for given dissimilarities the response is a column beside them. Rows
            that miss either are left out and counted.
        weights : column name, Series or array, optional
            Weight of each new row, in the error, its interval and the test.
        no_information : float between 0 and 1, optional
            An error that is known from elsewhere, such as 1 less a base rate of the population: the test against it is the
            exact binomial one.

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> fit = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5)
        >>> fit.test(wine.iloc[1::2]).test
        'exact sign test, one-sided, on the 58 rows that one of the two alone gets wrong'
        """
        from ..analysis.evaluation import test

        return test(self, new, weights, no_information)

    def augment(self, data: Any = None) -> pd.DataFrame:
        """The data with what the fit says of each row (default: the rows of the fit, those dropped padded with NA).

        Adds `fitted`, `correct` (where the response is there), `prototype` (the nearest), `distance` (to it), `margin`
        (distance to the nearest prototype of another class minus to that of the row's own, or where it is not known of
        the fitted class) and `covered` (whether balls of its class alone hold it), as far as the rule has them.
        """
        from ..tables.tidy import augment

        return augment(self, data)

    def tidy(self) -> pd.DataFrame:
        """One row for each prototype: its label, class, and what the method says of it; for "scm" one for each feature."""
        from ..tables.tidy import tidy

        return tidy(self)

    def bound(self, delta: float = 0.05, fixed_dissimilarity: bool = False) -> pd.DataFrame:
        """A bound on the error of new rows from how few training rows give the rule again (sample compression).

        For "scm" Theorem 5.2 of Marchand and Shawe-Taylor (2001); for "pvm" their Theorem 5.1, as the nearest-prototype rule
        is known from its prototypes. It holds with probability 1 - delta over training sets of independent rows, for all sets of
        prototypes at once: parameters that only decide which rows are kept (`eps`, `lambda_`, `penalty`, `stop`) may be chosen in
        any way. Several machines, and the kinds of machine where one of two was chosen, share delta. Weights of a metric and
        other numbers that you give are taken to be chosen before the rows were seen.

        Parameters
        ----------
        delta : float between 0 and 1
        fixed_dissimilarity : bool
            Your word that a given matrix, a function of two rows or a metric that was trained before was made without looking at
            the rows of the fit: no scales, ranges or choices taken from them. The fit can't know it.

        Returns
        -------
        DataFrame
            One row for each machine: `rows`, `size` (features or prototypes), `on_p` (balls centred on P-examples), training
            `errors`, `tail_bound` (the binomial tail inverted for the same compression set, Langford 2005; the tightest), `bound` (the
            first inequality of the theorem; 1 says nothing), `simple_bound` (the second), `proved`, and in `reasons` why the
            theorem does not cover this fit: its value is then computed as in the paper's Table 2, and not proved.

        Raises
        ------
        OptionError
            Where `fixed_dissimilarity=True` is said of a metric that this fit trained.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), dissimilarity=pc.Euclidean(scale=False), eps=1.0)
        >>> fit.bound()[["rows", "size", "errors", "tail_bound", "bound", "proved"]].round(3)
                 rows  size  errors  tail_bound  bound  proved
        machine
        pvm       150     8       6       0.338  0.391    True
        """
        from ..analysis.bounds import bound

        return bound(self, delta, fixed_dissimilarity)

    def glance(self) -> pd.DataFrame:
        """One row: method, rows, classes, prototypes, parameters, training error, cross-validated error with its SE.

        Of the parameters those that apply: no number of draws where nothing is drawn. The cross-validated columns are named
        after what was measured: `cv_error`, `cv_balanced_error` or `cv_loss`, `cv_se`, and with `_corrected` the error
        corrected for tuning the parameters on the same folds (see `Validation.corrected`), where they were.
        """
        from ..tables.tidy import glance

        return glance(self)

    def summary(self) -> Summary:
        """All there is to say, as a statsmodels Summary (text, HTML, LaTeX)."""
        from ..tables.summary import summary

        return summary(self)

    def plot(self, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw the fit.

        Parameters
        ----------
        kind : str, optional
            "prototypes" (the default; `x=`, `y=`, `balls=`): the prototypes among the rows; with two numeric predictors in
            their plane with the decision regions, otherwise on a map. Balls have their true shape where the metric measures in
            the plane; elsewhere lines lead from a prototype to the rows in its ball. Rows that a ball holds wrongly are ringed. Of
            a rule of features without prototypes: the features. "radii" (`eps=`): the same at several radii.
            "progress": what each prototype added. "path" (`new=`, `cv=`): error of the first 1, 2, ... prototypes.
            "confusion": held-out (or training) rows by true and predicted class. "validation" (`x=`): the error curve; with
            `x="size"` against the number of prototypes.
            "solvers" (`eps=`, `solvers=`): the objective that each solver reaches, with the proved bound.
            For rows that are pictures, with `shape=(height, width)`: "images" (`count=`): the prototypes. "miscovered"
            (`prototype=`): rows of other classes that one holds. "misclassified" (`new=`, `size=`, `count=`): rows with the
            nearest prototypes. "map" (`count=`; `shape=` optional): the prototypes by Sammon's mapping.
        ax : Axes, optional

        Returns
        -------
        Axes, or a Figure for "radii", "images", "miscovered" and "misclassified"
        """
        from ..plots import draw

        return draw(self, kind, ax, **options)

    def explore(self, **options: Any) -> Any:
        """Look at the prototypes in a notebook: sliders for radius and number, a click on a prototype or row says why.

        Parameters
        ----------
        shape : (int, int), optional
            Rows and columns of a picture, for rows that are pictures.
        x, y : str, optional
            Numeric predictors as axes; "map" as x for a map of the dissimilarities.
        radii : sequence of float, optional
            Of the slider; by default those of the cross-validation, else the method's own grid.

        Returns
        -------
        PrototypeExplorer, or where no widget can be shown its figure
            See `protoclass.widgets.explore_fit`.
        """
        from ..widgets import explore_fit

        return explore_fit(self, **options)

    def ball(self, prototype: Any) -> pd.DataFrame:
        """The rows of the fit in the ball of a prototype, nearest first.

        Parameters
        ----------
        prototype : label, as in the index of `prototypes`

        Returns
        -------
        DataFrame
            By row label: `class`, `distance`, `own` (of the class that the prototype serves) and `first` (own and in the
            ball of none chosen before).

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> held = fit.ball(82)
        >>> int(held["first"].sum()), int((~held["own"]).sum())
        (29, 0)
        """
        from ..analysis.steps import ball

        return ball(self, prototype)

    def stability(
        self, B: int = 200, seed: int = 0, sample: str | None = None, progress: bool | None = None
    ) -> Stability:
        """How sure the place of each prototype is when the rows are drawn anew: the error bar of an interpretation.

        What stands is the place: the region in which samples of the rows have a prototype of the class (`near`, `within`). Which row
        marks it is another question. `chosen` answers it for samples of the very rows that chose it, which says too much of
        other rows; `Stability.fresh` says what is true of them. Parameters, scales and the dissimilarity stay as they are.

        Parameters
        ----------
        B : int >= 2
            Samples.
        seed : int
        sample : "bootstrap", "halves" or None
            As many rows as there are, with replacement; or half of them without. Either class by class. None: the
            bootstrap where the method takes weights, else halves.
        progress : bool, optional
            As in `fit`.

        Returns
        -------
        Stability
            With `prototypes` (those of the fit), `table` (all that samples chose), `fresh` and `plot`.

        Raises
        ------
        NotAvailable
            Where prototypes are not rows.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> fit.stability(B=50).prototypes[["class", "near", "within"]].iloc[:2].round(2).to_dict("list")
        {'class': ['setosa', 'versicolor'], 'near': [1.0, 1.0], 'within': [0.6, 0.56]}
        """
        from ..analysis.stability import stability

        return stability(self, B, seed, sample, progress)

    def path(self, new: Any = None, cv: Any = None) -> pd.DataFrame:
        """What the first 1, 2, ... prototypes of a greedy fit do: its path in their number and in lambda.

        What a larger lambda chooses is the first part of what a smaller one does. So one fit holds the fits of all larger
        lambdas; `fit.update(lambda_=0).path()` has them all. For "scm": what its first 1, 2, ... features do.

        Parameters
        ----------
        new : DataFrame, optional
            With the predictors and the response: its error is added as `new_error`.
        cv : int, "loo", Series or array of folds, optional
            As in `fit`: the error of the first prototypes that each fold's training rows choose is added as `cv_error`,
            with its standard error `cv_se`.

        Returns
        -------
        DataFrame
            One row for each number of prototypes: `lambda_low` and `lambda_high` (chosen for lambda_low <= lambda <
            lambda_high), `size`, `uncovered`, `miscovered`, `objective` (at the fit's own lambda), `training_error`. For
            "scm" one for each step: `size` (features, of all machines), `q` and `r` of the last feature where there is one
            machine, `bound` (see `bound`), `training_error`.

        Raises
        ------
        NotAvailable
            Where prototypes are not chosen step by step.
        """
        from ..analysis.steps import path

        return path(self, new, cv)

    def at(self, size: int | None = None, lambda_: float | None = None) -> Fit:
        """The fit with the first `size` prototypes, or with those that a larger lambda chooses; at once.

        For "scm" the first `size` features, of several machines of each. The cross-validated error was that of another rule,
        so it has none, unless a larger lambda is a point of the grid.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> fit.at(size=5).prototypes.index.equals(fit.prototypes.index[:5]), len(fit.at(lambda_=6).prototypes)
        (True, 6)
        """
        from ..analysis.steps import first_steps

        return first_steps(self, size, lambda_)

    def update(self, **changes: Any) -> Fit:
        """Fit again with some arguments changed, such as `fit.update(eps=2)` or `fit.update(formula="y ~ a")`.

        What was tuned is tuned again. A fit whose parameters were chosen by hand (`at`, `fit_at`, a slider of an explorer)
        keeps these values, unless the method or the cross-validation changes, and a fit of the first steps has as many steps
        again.
        """
        selection, kept = self.selection, dict[str, Any]()
        tunes_anew = {"method", "cv", "choose", "measure", "repeats"} & set(changes)
        if selection.by_hand and not tunes_anew:
            kept = {name: value for name, value in selection.values.items() if name not in changes}
        again: Fit = self.call.changed({**kept, **changes}, self.model.parameters()).run()
        again = again.remembering({} if "method" in changes else selection.kept(kept, changes))
        if not kept and selection.steps is None:
            return again
        if selection.steps is not None and "method" not in changes:
            from ..analysis.steps import step_count

            again = again.at(size=min(selection.steps, step_count(again)))
        grid = selection.grid[[name for name in selection.grid if name in kept]]
        if len(again.selection.grid.columns):  # something else was tuned anew, and its grid is the one to keep
            return again
        return replace(again, selection=replace(again.selection, grid=grid, values=kept, rule=BY_HAND))

    def __repr__(self) -> str:
        from ..tables.printing import text

        return text(self)

    def _repr_html_(self) -> str:
        from ..tables.printing import html_text

        return html_text(self)


def learn(
    problem: Problem,
    selection: Selection,
    validation: Validation | None = None,
    dissimilarity: Dissimilarity | None = None,
    task: Task | None = None,
    rule: Rule | None = None,
) -> Fit:
    """The method on all rows with the parameters of a selection: every fit is made here, or derived from one that was.

    What cross-validation has measured or learned on all rows already can be given.
    """
    model = replace(problem.model, **selection.values)
    if rule is not None and dissimilarity is not None:
        return Fit(problem, dissimilarity, rule, validation, selection)
    with bar(None, "fitting", problem.progress) as fitting:
        dissimilarity = problem.measure() if dissimilarity is None else dissimilarity
        task = problem.task(dissimilarity, limit=HOLD_LIMIT) if task is None else task
        check_rows_needed(replace(problem, model=model), np.bincount(task.y[task.w > 0], minlength=task.classes), {})
        rule = model.path(replace(task, tick=fitting.update), {}).at(0)
    return Fit(problem, dissimilarity, rule, validation, selection)
