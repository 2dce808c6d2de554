"""The objects of users: `Fit` and `Validation`, made by `fit` and `cross_validate`.

The top package: a method is a function of the package below, with its code and documentation there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from .analysis.alternatives import alternatives, at, criticisms
from .analysis.groups import test
from .analysis.resampling import permutation_test, stability
from .analysis.steps import bound, path, slim, step_count
from .analysis.variables import importance, why
from .estimation.calibration import calibrate, calibrated, threshold
from .estimation.calls import cross_validate_call, fit_call, predict_to
from .estimation.cross_validation import frontier
from .estimation.error_curve import AXES, BY_HAND, ErrorCurve
from .estimation.fitted import Fitted
from .estimation.problem import DEFAULTS, Call
from .export.pages import card, report
from .export.saving import reproduce
from .export.sql import sql
from .frames.formula import substitute
from .ground.checks import Served
from .ground.errors import OptionError, brief, printed
from .ground.foreign_names import VERBS_OF_VALIDATION
from .ground.savable import savable
from .models.base import Model
from .models.registry import described_methods
from .pictures import plot
from .tables import printing
from .tables.printing import summary
from .tables.tidy import augment, glance, tidy
from .values import Above, Printed, Saveable, further_arguments, public
from .widgets import explore_fit, explore_validation

# arguments of `update` with which parameters set by hand are tuned again
TUNES_ANEW = {"method", "cv", "choose", "measure", "repeats", "max_prototypes", "tolerance"}


@savable
@public
@dataclass(frozen=True, eq=False)
class Fit(Saveable, Fitted):
    """A fitted classifier.

    `fit` returns it.
    """

    @cached_property
    def validation(self) -> Validation:
        """The cross-validation: errors over the grid, held-out predictions, and the selected point.

        If nothing is tuned, it is done at the first use or print, if it is predicted to take less
        than 10 s.
        """
        return Validation._of(super().validation)

    test, threshold, bound = test, threshold, bound
    path, why, importance, stability = path, why, importance, stability
    alternatives, criticisms = alternatives, criticisms
    calibrate, at, slim, predict_to = calibrate, at, slim, predict_to
    summary, tidy, glance, augment = summary, tidy, glance, augment
    plot, explore = plot, explore_fit
    report, card, sql, reproduce = report, card, sql, reproduce
    __repr__, _repr_html_ = printed(printing.text), printing.html_text

    def update(self, formula: str | None = None, **changes: Any) -> Fit:
        """Refit with changed arguments, or with another formula.

        In the formula, `.` is the same side of the old formula, as in R; an empty left side keeps
        the response. Tuned parameters are tuned again. Parameters set by hand (`at`, `fit_at`) keep
        their values, unless the method or the cross-validation changes. A fit truncated by
        `at(size=)` keeps its number of steps.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ petal_length + petal_width", pc.load_data("iris"), eps=1.0)
        >>> fit.update(". ~ . + sepal_width").call
        fit('species ~ petal_length + petal_width + sepal_width', data, eps=1.0)
        """
        if formula is not None:
            changes["formula"] = substitute(formula, self.call.formula)
        selection, problem, kept = self._selection, self._problem, dict[str, Any]()
        if selection.by_hand and not TUNES_ANEW & set(changes):
            values = problem.of_method(selection.values)
            kept = {name: value for name, value in values.items() if name not in changes}
            if problem.to_tune is not None:
                changes = {"dissimilarity": problem.chosen_metric(selection.values), **changes}
        call = self.call.changed({**kept, **changes}, self.model.parameters())
        call.check_complete()
        again = fit_call(replace(call, function="fit"), Fit)
        again = again._remembering({} if "method" in changes else selection.kept(kept, changes))
        return calibrated(self._with_choices(again, kept, changes))

    def _with_choices(self, again: Fit, kept: dict[str, Any], changes: dict[str, Any]) -> Fit:
        """The updated fit with the steps of this one, and with the values chosen by hand."""
        selection = self._selection
        if not kept and selection.steps is None:
            return again
        if selection.steps is not None and "method" not in changes:
            again = again.at(size=min(selection.steps, step_count(again)))
        grid = selection.grid[[name for name in selection.grid if name in kept]]
        # something else was tuned again, and its grid is kept
        if len(again._selection.grid.columns):
            return again
        return replace(
            again, _selection=replace(again._selection, grid=grid, values=kept, rule=BY_HAND)
        )


@savable(**AXES)
@public
@dataclass(frozen=True, eq=False, repr=False)
class Validation(Printed, Saveable, ErrorCurve, Served):
    """A cross-validated error curve, with the fits at its points, a permutation test and plots."""

    _serves: ClassVar[Mapping[str, str]] = VERBS_OF_VALIDATION
    _called: ClassVar[str] = "a cross-validation"

    permutation_test, frontier = permutation_test, frontier
    plot, summary = Above("protoclass.pictures"), Above("protoclass.tables")
    explore = explore_validation
    _said = printing.curve_said

    @classmethod
    def _of(cls, curve: ErrorCurve) -> Validation:
        """An error curve, with all that it has computed, as the public class."""
        validation = cls.__new__(cls)
        vars(validation).update(vars(curve))
        return validation

    @cached_property
    def fit(self) -> Fit:
        """The fit on all rows at the grid point that the call selects."""
        return self.fit_at(self._point_of())

    def fit_at(self, point: int) -> Fit:
        """The fit on all rows at a grid point, given as a row of `table`.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), eps=[0.5, 1.0, 1.5])
        >>> v.fit_at(2).model.eps
        1.5
        """
        return Fit._learn(self._problem, self._select(point), self)


SAMPLE = 50_000  # rows of a Dask DataFrame that are learned from


def _check_sample(sample: Any) -> None:
    """Raise if `sample=` is given for other data than a Dask DataFrame."""
    if not (isinstance(sample, int) and sample == SAMPLE):
        raise OptionError(
            f"sample={brief(sample)} is for a Dask DataFrame: use data.sample(n) for other data, or candidates=n"
        )


@public
def fit(
    formula: str,
    data: Any,
    method: str | Model = "pvm",
    *,
    dissimilarity: Any = "auto",
    candidates: Any = "auto",
    cv: int | str | pd.Series | np.ndarray | None = "auto",
    repeats: int | str = "auto",
    choose: str = "auto",
    tolerance: float | str | None = None,
    max_prototypes: int | None = None,
    measure: str | pd.DataFrame | Mapping[Any, float] = "error",
    na: str = "drop",
    weights: Any = None,
    class_weights: str | Mapping[Any, float] | pd.Series | None = None,
    groups: Any = None,
    calibrate: bool | str | Mapping[str, Any] = False,
    seed: int = 0,
    progress: bool | None = None,
    sample: int | None = SAMPLE,
    **parameters: Any,
) -> Fit:
    """Fit a prototype classifier.

    Parameters that are not given are tuned by cross-validation.

    Parameters
    ----------
    formula : str
        Model formula in R's grammar: `"y ~ ."`, `"y ~ a + log(b)"`, `"y ~ . - id"`, or `"y ~ 1"`
        for given dissimilarities. Transforms are from a fixed list, such as `I(x^2)`, `poly(x, 2)`,
        `ns(x, df=4)`, `cut(x, 3)` and `factor(g)`.
    data : pandas DataFrame, polars or pyarrow table, lazy table, or path
        Training rows, with distinct row labels. A path is a Parquet or CSV file, or a list of
        these; of a lazy table or file, the columns that the call names are read into memory.
    method : str or model object
        Name, or a model object such as `pc.PVM(eps=1.2)`. In brackets are the parameters that are
        tuned by default:

        {methods}
        * those of `pc.register`.
    dissimilarity : str, metric, list of these, callable, Dissimilarity, DataFrame or array
        Dissimilarity of two rows: a name, a metric object, a function of two rows, or given
        dissimilarities (a DataFrame by label, a square or condensed array by position). A list of
        names and metrics, and parameters such as `pc.DTW(window=[5, 10])`, are tuned together with
        the method. "auto": Euclidean on scaled columns for numbers, DTW for a column of series,
        otherwise Gower; if the PVM tunes its radius, also `pc.LDA()` and `pc.QDA()`.
    candidates : "auto", "train", "same_class", int, or `pc.candidates.unlabelled(data)`,
    `kmeans(K)` or `hull(n)`
        Points that may become prototypes. "train": the training rows, for any class; "same_class":
        each for its own class; an int: a random subset of them by class. "auto": all, or a subset
        if a fit would take more than about 30 s. The functions add rows without a class, centroids,
        and draws from convex hulls.
    cv : "auto", int, "loo", Series or array of folds, or None
        Folds. "auto": 10, or fewer if a class has fewer rows. If nothing is tuned, print and
        `validation` cross-validate once, if that takes less than about 10 s.
    repeats : "auto" or int
        Number of random splits into folds, see `cross_validate`.
    choose : "auto", "1se", "min" or "bound"
        Selection among the grid points. "1se": the smallest model within one standard error of the
        lowest error. "min": the lowest error, then the smallest model. "bound", for "scm": the
        lowest `Fit.bound`. "auto": "min" with `max_prototypes=`, otherwise "1se".
    tolerance : number >= 0, or str such as "5%", optional
        Instead of `choose`: the smallest model whose error is at most this far above the lowest.
    max_prototypes : int, optional
        Maximum number of prototypes ("scm": features). The PVM then also tunes their number.
    measure : "error", "balanced", "ordinal", "auc", "brier", "log_loss", DataFrame or dict
        Measure for tuning, see `cross_validate`.
    na : "drop", "raise" or "keep"
        Treatment of rows with missing values. "keep" is for Gower, which skips them pair by pair,
        and for `DTW`, whose series may end with them.
    weights : column name, Series or array, optional
        Relative weight of each row in objective, coverage, errors and calibration; not in scaling,
        quantiles or folds.
    class_weights : "balanced", or dict or Series of class to number > 0, optional
        Factors of the weights by class. "balanced": all classes have the same total weight.
    groups : column name, Series or array, optional
        Group of each row. All rows of a group are in the same fold.
    calibrate : bool, "auto", "multinomial", "isotonic" or dict
        Whether to add calibrated probabilities and prediction sets; a dict has arguments of
        `Fit.calibrate`.
    seed : int
        Seed for all random draws.
    progress : bool, optional
        Whether to show a progress bar for work over 2 s. Default: `pc.options.progress`.
    sample : int, or None
        Number of rows of a Dask DataFrame that are learned from, drawn within each class. None: all
        rows.
    **parameters
        Parameters of the method, such as `eps=1.0`. A parameter that is "grid" or a sequence is
        tuned.

    Returns
    -------
    Fit

    Raises
    ------
    FormulaError, DataError, OptionError
        If an argument is not valid.

    Warns
    -----
    DataWarning
        If always predicting one class has a lower error.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit = pc.fit("species ~ .", iris, eps=1.0)
    >>> fit.prototypes["class"].value_counts(sort=False).to_dict()
    {'setosa': 4, 'versicolor': 5, 'virginica': 6}

    >>> pc.fit("species ~ .", iris, "knn", k=[1, 5, 15], choose="min").params["k"]
    15
    >>> groups = iris.index // 5
    >>> pc.fit("species ~ .", iris, "knn", k=[1, 5], class_weights="balanced", groups=groups).nobs
    150
    >>> calibrated_fit = pc.fit("species ~ .", iris, eps=1.0, calibrate=True)
    >>> calibrated_fit.predict(iris.iloc[[70]], "prob").round(2).to_numpy().tolist()
    [[0.01, 0.35, 0.65]]
    """
    given = locals()  # before any other name is set
    _check_sample(sample)
    arguments = {name: given[name] for name in DEFAULTS}
    return fit_call(Call("fit", formula, data, {**arguments, **parameters}), Fit)


fit.__doc__ = str(fit.__doc__).replace("{methods}", described_methods())


@public
@further_arguments(fit, "calibrate")
def cross_validate(formula: str, data: Any, method: Any = "pvm", **arguments: Any) -> Validation:
    """Cross-validate a method over the grid of its tuned parameters.

    Parameters
    ----------
    formula, data, method, dissimilarity, candidates, cv, choose, tolerance, max_prototypes, na,
    weights, class_weights, groups, seed, progress, sample, **parameters
        Arguments of `fit`; here `cv="auto"` is 10, or fewer if a class has fewer rows, also if no
        parameter is tuned.
    repeats : int or "auto"
        Number of random splits into folds. "auto": as many as keep rows times splits at most 5,000,
        up to 10, if the greedy PVM selects its radius from the default grid; otherwise 1. Error and
        size are means over the splits; the standard error is the root mean square of the standard
        errors of the splits, because repeats share their data and do not reduce it.
    measure : "error", "balanced", "ordinal", "auc", "brier", "log_loss", DataFrame or dict
        Measure of error. "error": the proportion of wrong predictions. "balanced": the mean of this
        proportion over classes. "ordinal": for an ordered response, the mean distance in levels
        between the predicted and the true class. A DataFrame: the mean loss by a loss matrix, with
        true classes as rows and predicted classes as columns. A dict: for two classes, the cost of
        an error in a class, such as `{"bad": 5}`, if an error in the other class costs 1. "auc": 1
        minus the mean area under the ROC curve of each class against the rest, by probabilities,
        decision values, or the distance to the nearest other class minus the distance to the class;
        print shows the area. "brier", "log_loss": scores of probabilities, for methods that have
        them without calibration, such as "knn" and "mixture".

    Returns
    -------
    Validation

    Notes
    -----
    The same `seed` gives the same folds for every method, so their errors can be compared fold by
    fold.

    "auc" is computed within each fold, over the classes that the fold has; a fold with a single
    class is an error. A row without a prediction counts as certain of a wrong class. The logarithm
    of a probability is at least log(2.2e-16), as in scikit-learn. The interval of `corrected` and
    the band use the influence of each row on the areas.

    Examples
    --------
    >>> import protoclass as pc
    >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), "knn", k=[1, 5, 15])
    >>> v.table.round(3).to_dict("list")["error"]
    [0.053, 0.047, 0.027]
    """
    _check_sample(arguments.pop("sample", SAMPLE))
    if "calibrate" in arguments:
        raise OptionError(
            "cross_validate() has no argument 'calibrate': use fit(calibrate=), or calibrate() of the fit"
        )
    call = Call("cross_validate", formula, data, {"method": method, **arguments})
    return Validation._of(cross_validate_call(call))
