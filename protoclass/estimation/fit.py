"""The Fit that users hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import known_arguments, public
from ..core.memory import limited
from ..core.task import Rule, Task
from ..declared import savable
from ..errors import printed
from ..frames.spelling import substitute
from ..frames.tables import as_given, beside_given
from ..metrics.dissimilarity import Dissimilarity
from ..progress import bar
from .calibration import arguments_of, calibration, requested
from .problem import HOLD_LIMIT, Problem, check_rows_needed
from .published import Published
from .selection import BY_HAND, Selection

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from ..saving import Saved
    from .validation import Validation


@savable
@public
@dataclass(frozen=True, eq=False)
class Fit(Published):
    """A fitted classifier.

    It has `predict`, `prototypes`, `classes`, `call`, `model`, `rule`, `validation` and what else `Fitted` documents, and the
    analyses of `Analysed`, the page, film, card and query of `Published`; here are its tables, pictures and the fits derived from it.
    """

    @known_arguments
    @limited
    def calibrate(
        self, data: Any = None, how: str = "multinomial", cv: Any = "auto", seed: int | None = None, weights: Any = None, tune: Any = "auto"
    ) -> Fit:
        """Add calibrated class probabilities and conformal prediction sets to the fit.

        Without `data`, the method is fitted again without each fold, and scores the rows of the fold by its votes, its decision
        values or its distances to the classes. Tuned parameters are tuned again without the fold (see `tune`). With `data`, this
        fit scores the given rows.

        Probabilities, `predict(new, "prob")`, are learned from these scores, for the prevalence of the classes among these rows by
        their own weights: `class_weights=` of the fit do not count. `predict(new, "prob", prior=...)` gives them for another
        prevalence. None is 0 or 1: a new row counts as one more row that may be of any class.

        Prediction sets, `predict(new, "set", level=0.9)`, contain the classes for which at least a proportion 0.1 of the rows of this
        class, the new one included, are as strange as the new row would be, by the distance to the class over the distance to the
        nearest other class: conformal prediction, class by class (Vovk 2015). A set may be empty or contain several classes.

        Parameters
        ----------
        data : DataFrame, optional
            Calibration rows with the predictors and the response, which took no part in the fit. Default: the training rows, fold by fold.
        how : "multinomial" or "isotonic"
            "multinomial": probabilities proportional to exp(intercept of the class + slope x score), with one slope (Platt 1999 for two
            classes), which is shrunken (van Houwelingen and le Cessie 1990). "isotonic": an increasing step function of how far
            the class is ahead of the others, which needs more rows; each step counts one row more, with the proportions of all rows.
        cv : "auto", int, "loo", Series or array of folds
            Folds of the training rows; not used with `data`. "auto" is 10, or fewer if a class has fewer rows.
        seed : int, optional
            Seed for the folds. Default: the seed of the fit.
        weights : column name, Series or array, optional
            Weights of the rows of `data`, relative to each other, as `weights=` of `fit`. Default: equal weights.
        tune : "auto", True or False
            Whether parameters that the fit has tuned are tuned again without each fold. "auto": if there are at most 20 folds, the
            metric does not learn from the classes, and folds x rows x candidates x grid points <= 2e8. This takes about as long as
            one cross-validation for each fold.

        Returns
        -------
        Fit
            With the same rule. The predicted class stays the rule's own; `predict(new, loss=)` decides by the probabilities.

        Raises
        ------
        DataError
            If a class has no calibration rows, or if rows of `data` are training rows.

        Notes
        -----
        Rows of `data` give sets that contain the true class with a probability of at least `level` within each class. With the
        training rows, about `level` is usual and about 1 - 2 (1 - level) guaranteed, if the parameters were tuned again without
        each fold, or not tuned. `fit.calibration.guarantee(level)` states what holds for this fit.

        In simulations of two classes (`python benchmarks/calibrated.py`), rows with a probability of at least 0.9 for a class were of
        this class as often as the third column states, for 40, 60, 150 and 600 training rows:

        ======================  ======================  ======================
        fit                     mean probability        proportion true
        ======================  ======================  ======================
        multinomial, tuned      .945, .949, .954, .958  .947, .956, .957, .954
        multinomial, not tuned  .937, .940, .944, .943  .914, .925, .914, .915
        isotonic, tuned         .945, .955, .955, .951  .912, .924, .948, .932
        ======================  ======================  ======================

        If the columns are noise, "multinomial" gave no row such a probability; "isotonic" did so for up to 1 % of the rows, and half
        of them were wrong. Sets of level 0.9 contained the true class in .90 to .92, of noise in .95 to .99.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).calibrate()
        >>> fit.predict(pc.load_data("iris").iloc[[0, 70]], "prob").round(2).to_numpy().tolist()
        [[0.99, 0.0, 0.0], [0.04, 0.34, 0.63]]
        >>> fit.predict(pc.load_data("iris").iloc[[0, 70]], "set", level=0.95).tolist()
        [('setosa',), ('versicolor', 'virginica')]
        """
        request = requested(data=data, how=how, cv=cv, seed=seed, weights=weights, tune=tune)
        call = replace(self.call, arguments={**self.call.arguments, "calibrate": request or True})
        return calibrated(replace(self, problem=replace(self.problem, call=call), calibration=None))

    @known_arguments
    @limited
    def augment(self, data: Any = None) -> Any:
        """The data with what the fit says of each row (default: the rows of the fit, those dropped padded with NA).

        Adds `fitted`, `correct` (where the response is there), `prototype` (the nearest), `distance` (to it), `margin`
        (distance to the nearest prototype of another class minus to that of the row's own, or where it is not known of
        the fitted class), `certified` (half of the distance to the nearest prototype of any other class minus that of the
        fitted class: a row that moves by less keeps its class, by the triangle inequality; NA where this is not known, with
        the reason in `attrs["certified"]`) and `covered` (whether balls of its class alone hold it), as far as the rule has them.

        Distances are certified where the dissimilarity is known to be a metric. A given matrix is not, as it says nothing of rows
        that change, and a function of two rows is where you say so, `dissimilarity=pc.Custom(function, triangle=True)`.

        A polars or pyarrow table comes back with these columns added. Of a path or lazy table, as `data` in `fit`, the table is
        one of pandas, which must fit in memory; without `data` it has the columns that the fit has read.
        """
        from ..tables.tidy import augment

        return beside_given(augment(self, data), self.call.data if data is None else data)

    @known_arguments
    def tidy(self) -> Any:
        """One row for each prototype: its label, class, and what the method says of it; for "scm" one for each feature.

        In the library of the data that were fitted: pandas, polars or pyarrow.
        """
        from ..tables.tidy import tidy

        return as_given(tidy(self), self.call.data)

    @known_arguments
    def glance(self) -> Any:
        """One row: method, rows, classes, prototypes, parameters, training error, cross-validated error with its SE.

        Of the parameters those that apply: no number of draws where nothing is drawn. The cross-validated columns are named
        after what was measured: `cv_error`, `cv_balanced_error` or `cv_loss`, `cv_se`, and with `_corrected` the error
        corrected for tuning the parameters on the same folds (see `Validation.corrected`), where they were. In the library of the
        data that were fitted, as `tidy`.
        """
        from ..tables.tidy import glance

        return as_given(glance(self), self.call.data)

    @known_arguments
    @limited
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
            "cards" (`count=`): each prototype beside the usual values of its class, with what it covers and its rival.
            "rule" (`count=`): of a method whose rule is built of conditions, the rows along what each condition compares, and which
            of them it removes.
            "progress": the share of each class that is covered so far. "path" (`new=`, `cv=`): error of the first 1, 2, ... prototypes.
            "why" (`row=`): which variables bring a row nearer to its prototype than to the nearest of another class.
            "confusion": held-out (or training) rows by true and predicted class, with recall and precision. "calibration" (`new=`):
            whether the chances come true on new rows. "alternatives" (`within=`, `seconds=`) and "criticisms" (`n=`): the pictures of
            these methods. "validation" (`x=`): the error curve; with
            `x="size"` against the number of prototypes; `band=0.95` shades the simultaneous band of the curve. "importance"
            (`new=`, `repeats=`, `variables=`, `cv=`, `seed=`): by how much the error grows when a variable is permuted.
            "weights": what each column counts in a metric that has learned it, such as `Learned`.
            "solvers" (`eps=`, `solvers=`): the objective that each solver reaches, with the proved bound.
            For rows that are pictures, with `shape=(height, width)`: "images" (`count=`): the prototypes. "miscovered"
            (`prototype=`): rows of other classes that one holds. "misclassified" (`new=`, `size=`, `count=`): rows with the
            nearest prototypes. "map" (`count=`; `shape=` optional): the prototypes by Sammon's mapping.
        ax : Axes, optional
            Marks, lines and letters have sizes that suit them; what has no room on small ones is left out, with a word. If
            their figure has no layout, it gets matplotlib's "constrained" one, so that no name and no legend is cut.

        Returns
        -------
        Axes, or a Figure for "radii", "cards", "rule", "images", "miscovered" and "misclassified"
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
        save : str or path, optional
            Such as "fit.html": the explorer as one file that needs neither Python nor a network, with all radii and sizes.

        Returns
        -------
        PrototypeExplorer, or where no widget can be shown the path of `save`, else its figure
            See `protoclass.widgets.explore_fit`.
        """
        from ..widgets import explore_fit

        return explore_fit(self, **options)

    @known_arguments
    def save(self, path: Any, overwrite: bool = False) -> Saved:
        """Write the fit into a file that `protoclass.load` reads, on any machine.

        One zip of a document and arrays, without pickled objects; `help(protoclass.saving)` has its format field by field. It is written
        beside its place and renamed, so that a crash or a full disk leaves the old file. Whoever has the data can check what
        the fit claims by `protoclass.verify`.

        Parameters
        ----------
        path : str or path
            Such as "iris.proto".
        overwrite : bool
            Whether a file of this name is replaced.

        Returns
        -------
        Saved
            The path; it prints what the file holds that may be private: the data with all columns, held-out predictions.
            `slim().save(path)` leaves the rows out. Iris takes 8 kB, 13 kB with its cross-validation, and slim 7 kB; the
            digits (1797 rows of 64 pixels) take 170 kB, and slim 80 kB.

        Raises
        ------
        OptionError
            Where the file is there already, and for what no file can hold: functions, and classes that are not registered.
        FileError
            Where it can't be written; nothing is left behind then.

        Examples
        --------
        >>> import os, tempfile
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     saved = fit.save(os.path.join(folder, "iris.proto"))
        ...     pc.load(saved).call
        fit('species ~ .', data, eps=1.0)
        >>> saved.holds
        ('the data: 150 rows with their labels and all 5 columns; fit.slim() leaves them out',)
        """
        from ..saving import save

        return save(self, path, overwrite)

    @known_arguments
    def slim(self) -> Fit:
        """The fit without the rows that it was learned from: what predicts, for publishing.

        It keeps prototypes, parameters, metric and calibration, and the numbers of rows of each class, and predicts new rows to the same
        bits. What reads the rows or the cross-validation raises `NotAvailable`; `update(data=...)` fits again. The prototypes of
        k-nearest neighbours are all rows: they stay. `slim().save(path)` says what else is left of them.

        Examples
        --------
        >>> import protoclass as pc
        >>> iris = pc.load_data("iris")
        >>> fit = pc.fit("species ~ .", iris, eps=1.0)
        >>> fit.slim().predict(iris).equals(fit.predict(iris)), len(fit.slim().prototypes)
        (True, 15)
        """
        from ..analysis.slim import slim

        return slim(self)

    @known_arguments
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

    def update(self, formula: str | None = None, **changes: Any) -> Fit:
        """Fit again with some arguments changed, such as `fit.update(eps=2)` or `fit.update(". ~ . - a")`.

        In the formula `.` stands for the same side of the old formula, as in R; an empty left side keeps the response.
        What was tuned is tuned again. A fit whose parameters were chosen by hand (`at`, `fit_at`, a slider of an explorer)
        keeps these values, unless the method or the cross-validation changes, and a fit of the first steps has as many steps
        again.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ petal_length + petal_width", pc.load_data("iris"), eps=1.0)
        >>> fit.update(". ~ . + sepal_width").call
        fit('species ~ petal_length + petal_width + sepal_width', data, eps=1.0)
        """
        if formula is not None:
            changes["formula"] = substitute(formula, self.call.formula)
        selection, kept = self.selection, dict[str, Any]()
        tunes_anew = {"method", "cv", "choose", "measure", "repeats", "loss"} & set(changes)
        if selection.by_hand and not tunes_anew:
            kept = {name: value for name, value in selection.values.items() if name not in changes}
        again: Fit = self.call.changed({**kept, **changes}, self.model.parameters()).run()
        again = again.remembering({} if "method" in changes else selection.kept(kept, changes))
        return calibrated(self._with_choices(again, kept, changes))

    def _with_choices(self, again: Fit, kept: dict[str, Any], changes: dict[str, Any]) -> Fit:
        """The updated fit with as many steps as this one has, and with the values that were chosen by hand."""
        selection = self.selection
        if not kept and selection.steps is None:
            return again
        if selection.steps is not None and "method" not in changes:
            from ..analysis.steps import step_count

            again = again.at(size=min(selection.steps, step_count(again)))
        grid = selection.grid[[name for name in selection.grid if name in kept]]
        if len(again.selection.grid.columns):  # something else was tuned anew, and its grid is the one to keep
            return again
        return replace(again, selection=replace(again.selection, grid=grid, values=kept, rule=BY_HAND))

    @printed
    def __repr__(self) -> str:
        from ..tables.printing import text

        return text(self)

    def _repr_html_(self) -> str:
        from ..tables.printing import html_text

        return html_text(self)


def calibrated(fit: Fit) -> Fit:
    """The fit, calibrated if its call says so and it is not yet."""
    wanted = fit.call.arguments.get("calibrate", False)
    if wanted is False or fit.calibration is not None:
        return fit
    return replace(fit, calibration=calibration(fit, **arguments_of(wanted)))


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
        task = problem.with_every_row(replace(task, tick=fitting.update), dissimilarity)
        rule = model.path(task, {}).at(0)
    return Fit(problem, dissimilarity, rule, validation, selection)
