"""The objects of users: `Fit` and `Validation`, made by `fit` and `cross_validate`.

The top package: a method is a function of the package below, with its code and documentation there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

from .analysis.alternatives import alternatives, criticisms, swap
from .analysis.groups import test
from .analysis.resampling import permutation_test, stability
from .analysis.steps import at, ball, bound, path, slim, step_count
from .analysis.variables import importance, separation, why
from .estimation.calibration import calibrate, calibrated, threshold
from .estimation.error_curve import ErrorCurve
from .estimation.fitted import Fitted
from .estimation.learning import cross_validate_call, fit_call, learn
from .estimation.predict_to import predict_to
from .estimation.problem import DEFAULTS, Call
from .estimation.selection import BY_HAND
from .export.methods import methods
from .export.pages import card, report
from .export.reproduce import reproduce
from .export.sql import sql
from .frames.spelling import substitute
from .ground.checks import Served
from .ground.errors import OptionError, brief, printed
from .ground.foreign_names import VERBS_OF_VALIDATION
from .ground.savable import savable
from .pictures import plot
from .tables import printing
from .tables.printing import of_fit, summary
from .tables.tidy import augment, glance, tidy
from .values import Above, Printed, Saveable, further_arguments, public
from .widgets import explore_fit, explore_validation


@savable
@public
@dataclass(frozen=True, eq=False)
class Fit(Saveable, Fitted):
    """A fitted classifier.

    It has `predict`, `prototypes`, `classes`, `call`, `model`, `rule`, `validation` and the other attributes of `Fitted`, and the
    analyses, tables, plots and files below.
    """

    curve: Validation | None

    @cached_property
    def validation(self) -> Validation:
        """The cross-validation: errors over the grid, held-out predictions, and the selected point.

        If nothing is tuned, it is done at the first use or print, if it is predicted to take less than 10 s.
        """
        found = super().validation
        return found if isinstance(found, Validation) else _held_curve(found)

    test, threshold, bound = test, threshold, bound
    ball, path, why, importance, stability = ball, path, why, importance, stability
    separation = separation
    alternatives, criticisms = alternatives, criticisms
    calibrate, at, swap, slim, predict_to = calibrate, at, swap, slim, predict_to
    summary, as_table, tidy, glance, augment = summary, of_fit, tidy, glance, augment
    plot, explore = plot, explore_fit
    report, card, methods, sql, reproduce = report, card, methods, sql, reproduce
    __repr__, _repr_html_ = printed(printing.text), printing.html_text

    def update(self, formula: str | None = None, **changes: Any) -> Fit:
        """Refit with some arguments changed, such as `fit.update(eps=2)` or `fit.update(". ~ . - a")`.

        In the formula, `.` is the same side of the old formula, as in R; an empty left side keeps the response. Tuned parameters
        are tuned again. If the parameters were set by hand (`at`, `fit_at`, a slider of an explorer), the new fit keeps their values,
        unless the method or the cross-validation changes. A fit truncated by `at(size=)` keeps its number of steps.

        See Also
        --------
        Fit.at : a fit with fewer prototypes or other tuned values, without refitting the method.

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
        tunes_anew = {"method", "cv", "choose", "measure", "repeats", "loss", "max_prototypes", "tolerance"} & set(changes)
        if selection.by_hand and not tunes_anew:
            kept = {name: value for name, value in self.problem.of_method(selection.values).items() if name not in changes}
            if self.problem.to_tune is not None:
                changes = {"dissimilarity": self.problem.chosen_metric(selection.values), **changes}
        call = self.call.changed({**kept, **changes}, self.model.parameters())
        call.check_complete()
        again = _held(fit_call(replace(call, function="fit", arguments={**DEFAULTS, **call.arguments})))
        again = again.remembering({} if "method" in changes else selection.kept(kept, changes))
        return calibrated(self._with_choices(again, kept, changes))

    def _with_choices(self, again: Fit, kept: dict[str, Any], changes: dict[str, Any]) -> Fit:
        """The updated fit with as many steps as this one has, and with the values that were chosen by hand."""
        selection = self.selection
        if not kept and selection.steps is None:
            return again
        if selection.steps is not None and "method" not in changes:
            again = again.at(size=min(selection.steps, step_count(again)))
        grid = selection.grid[[name for name in selection.grid if name in kept]]
        if len(again.selection.grid.columns):  # something else was tuned again, and its grid is kept
            return again
        return replace(again, selection=replace(again.selection, grid=grid, values=kept, rule=BY_HAND))


@savable(
    of_fold="R n", predicted="R n G", covered="R n G", errors="F G", sizes="F G", fold_weight="F", loss="L L", bounds="F G", grid="G",
    counts="G",
)  # fmt: skip
@public
@dataclass(frozen=True, eq=False, repr=False)
class Validation(Printed, Saveable, ErrorCurve, Served):
    """A cross-validated error curve.

    It has `table`, `best`, `one_se`, `corrected`, `band`, the folds, the held-out predictions and the other attributes of
    `ErrorCurve`; here are the fits at its points, its permutation test and its plots.
    """

    serves: ClassVar[Mapping[str, str]] = VERBS_OF_VALIDATION
    called: ClassVar[str] = "a cross-validation"
    inside: ClassVar[str] = (
        "chosen_at chosen_by_call every_size fits limits losses_of_one_class measure_name of_metric prices problem procedure "
        "rule_sizes"
    )
    fits: ClassVar[type[Fit]] = Fit

    permutation_test = permutation_test
    plot, explore = Above("protoclass.pictures"), explore_validation
    _said = printing.curve_said

    @cached_property
    def fit(self) -> Fit:
        """The fit on all rows at the selected grid point: by the 1-SE rule, or by `choose=` of the call."""
        return self.fit_at(self.chosen_by_call())

    def fit_at(self, point: int) -> Fit:
        """The fit on all rows at a grid point, given as a row of `table`.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), eps=[0.5, 1.0, 1.5])
        >>> v.fit_at(2).model.eps
        1.5
        """
        return _held(learn(self.problem, self.select(point), self))


def _held(fitted: Fitted) -> Fit:
    """A fitted rule as the public class `Fit`."""
    if isinstance(fitted, Fit):
        return fitted
    own = {f.name: getattr(fitted, f.name) for f in fields(fitted)}
    return Fit(**own | {"curve": fitted.curve and _held_curve(fitted.curve)})


def _held_curve(curve: ErrorCurve) -> Validation:
    return Validation(**{f.name: getattr(curve, f.name) for f in fields(curve)})


SAMPLE = 50_000  # rows of a Dask DataFrame that are learned from


def _check_sample(sample: Any) -> None:
    """Raise for a sample of other data, which the cluster has not drawn."""
    if sample != SAMPLE:
        raise OptionError(f"sample={brief(sample)} is for a Dask DataFrame: use data.sample(n) for other data, or candidates=n")


@public
def fit(
    formula: str,
    data: Any,
    method: Any = "pvm",
    *,
    dissimilarity: Any = "auto",
    candidates: Any = "auto",
    cv: Any = "auto",
    choose: str = "auto",
    na: str = "drop",
    weights: Any = None,
    groups: Any = None,
    seed: int = 0,
    progress: bool | None = None,
    sample: int | None = SAMPLE,
    measure: Any = "error",
    repeats: Any = "auto",
    calibrate: Any = False,
    class_weights: Any = None,
    loss: Any = None,
    max_prototypes: Any = None,
    tolerance: Any = None,
    **parameters: Any,
) -> Fit:
    """Fit a prototype classifier.

    Parameters that are not given are tuned by cross-validation. The result prints itself and has `predict`, `test`, `summary` and
    `plot`. Rows are processed in the order of the data; `protoclass.sklearn.PrototypeClassifier` sorts them first (see Notes).

    Parameters
    ----------
    formula : str
        Model formula in R's grammar: `"y ~ ."`, `"y ~ a + log(b)"`, `"y ~ . - id"`, or `"y ~ 1"` for given dissimilarities. The
        response is a column. The right side may contain columns, numbers, operators and a fixed list of transforms: `log(x, 2)`,
        `I(x^2)`, `poly(x, 2)`, `bs`, `ns(x, df=4)` (R's basis), `cut(x, 3)` (the outer intervals are open), `ifelse(x > 2, 1, 0)`,
        `factor(g)` or `C(g)`, and others.
    data : pandas DataFrame, polars or pyarrow table, lazy table, or path
        Training rows, with distinct row labels. Changing the table later does not change the fit. A lazy table is a polars
        LazyFrame, DuckDB relation, or another one that narwhals can collect; a path is a Parquet or CSV file, or a list of these.
        See Notes.
    method : str or model object
        Name of a method, or a model object such as `pc.PVM(eps=1.2)`. The names, with the parameters that are tuned unless they are
        given (`help(pc.PVM)` and so on list all parameters):

        * "pvm": the prototype vector machine (`eps`), `PVM`;
        * "scm": the set covering machine (`kind`, `penalty`, `stop`), `SCM`;
        * "hyperplane": the optimal hyperplane on proximities, `Hyperplane`;
        * "knn", "dann": k nearest neighbours (`k`), `KNN`, and with a metric adapted to each query, `DANN`;
        * "condensed", "multiedit": the nearest neighbour in a subset of the rows, `Condensed`, `Multiedit`;
        * "medianglvq": a few rows of each class that classify best (`K`), with a learned metric (`matrix`), `MedianGLVQ`;
        * "kmedoids", "kmeans", "lvq", "mixture": medoids, centroids, code vectors or Gaussians of each class (`K`), `KMedoids`,
          `KMeans`, `LVQ`, `Mixture`;
        * "mmd": MMD-critic's prototypes of each class (`K`), `MMDCritic`;
        * "centroids": nearest shrunken centroids (`threshold`), `Centroids`;
        * methods registered by `pc.register`.
    dissimilarity : str, metric, list of these, callable, Dissimilarity, DataFrame or array
        Dissimilarity of two rows: a name ("manhattan"), a metric object, a function of two rows, or given dissimilarities. "auto"
        is Euclidean on scaled columns if all predictors are numbers, DTW for a single column of series (lists or arrays), and Gower
        otherwise. If the greedy PVM selects its radius from the default grid, "auto" is a list: Euclidean, `pc.LDA()` and
        `pc.QDA()` for numbers, Gower and `pc.LDA()` for mixed predictors. If there are more than 5,000 rows, one of the list is
        selected first, on a random sample of 1,500 rows by class; the printed fit reports it. Given dissimilarities are a DataFrame
        (square or n x m, by label), a square or condensed array (by position), or the result of `pc.read_dissimilarity`. A row must
        not be farther from itself than from others, as in a matrix of similarities; see `pc.Dissimilarity.from_similarity`. Some
        parameters of metrics are tuned together with the parameters of the method, if they are "grid" or a sequence:
        `pc.DTW(window=[5, 10, 20])`, `pc.Minkowski(r="grid")`, `pc.Mismatch(k=[3, 5])`. If the method has a parameter of the same
        name, the table calls them `dissimilarity_k` and so on. A list of names and metrics, such as `["euclidean", pc.LDA(),
        pc.QDA()]`, is tuned in the same way: cross-validation selects one of them together with the parameters of the method.
    candidates : "auto", "train", "same_class", int, `pc.unlabelled(frame)`, `pc.kmeans(K)` or `pc.hull(count)`
        Points that may become prototypes. "train": the training rows, for any class. "same_class": the training rows, each for its
        own class only. An int: a random subset with this number of training rows, stratified by class. "auto": all training rows.
        If there are more than 5,000 and the PVM or median GLVQ would take more than about 30 s on two processors, "auto" is a subset
        as large as that allows, at least 500; the printed fit reports it. `pc.unlabelled` adds rows without a class to the training
        rows, `pc.kmeans` centroids, and `pc.hull` uniform draws from the convex hulls of the classes; with `only=True` these replace
        the training rows. Candidates that are learned from the training rows are learned again in each fold.
    cv : "auto", int, "loo", Series or array of folds, or None
        Cross-validation folds for tuning. "auto" is 10 (fewer if a class has fewer rows) if a parameter is tuned. Otherwise
        print and `validation` cross-validate once, if that is predicted to take less than 10 s.
    choose : "auto", "1se", "1se-paired", "min", "tolerance" or "bound"
        Selection of the grid point from the cross-validated errors.

        * "1se": the smallest model within one standard error of the lowest error;
        * "1se-paired": the smallest model whose error exceeds the lowest by at most one standard error of their difference, fold by
          fold; it is often smaller, because all points share the folds;
        * "min": the lowest error, with ties broken in favour of the smallest model;
        * "tolerance": the smallest model whose error is within `tolerance=` of the lowest;
        * "bound", for "scm": the lowest bound (see `Fit.bound`), which does not use held-out rows;
        * "auto": "tolerance" if `tolerance=` is given, "min" if `max_prototypes=` is given, otherwise "1se".
    na : "drop", "raise" or "keep"
        Treatment of rows with missing values. "keep" is for Gower, which skips missing values pair by pair, and for `DTW`, which
        takes missing values at the end of a row as the end of its series.
    weights : column name, Series or array, optional
        Weight of each row, in the objective, the coverage, the errors and the calibration; not in scaling, quantiles or folds. Weights
        are relative: only their ratios matter. If a number of rows is needed, as for intervals, probabilities and prediction sets,
        rows with weights w count as sum(w)^2 / sum(w^2) rows (Kish 1965). A row of weight 0 is predicted, but is never a candidate
        or a prototype.
    groups : column name, Series or array, optional
        Group of each row. All rows of a group are in the same fold.
    seed : int
        Seed for the folds and all other random draws. The same seed gives the same result, with any number of threads and in any
        process; the last bits of some results depend on the build of BLAS.
    progress : bool, optional
        Whether to show a progress bar for work over 2 s. Default: `pc.options.progress`.
    sample : int, or None
        Number of rows of a Dask DataFrame that are learned from, drawn at random within each class in proportion to its rows. A class
        has at least a tenth of an equal share: with the default and two classes 2,500 rows, or all if it has fewer. None: all rows.
        The printed fit reports the sample. `test` of the Dask DataFrame gives the error on all rows.
    measure, repeats, loss
        Error measure, repeats and losses of the cross-validation, see `cross_validate`. They affect which values are selected for
        tuned parameters, not how the fitted model predicts. `predict(new, loss=)` of a calibrated fit decides by expected loss.
    max_prototypes : int, optional
        Maximum number of prototypes; for "scm", of features. `choose=` selects among the grid points whose
        model on all rows respects it. The PVM then also tunes the number of prototypes (by `stop`, or by `lambda_` with other
        solvers than the greedy one), unless that parameter is given.
    tolerance : number >= 0, or str such as "5%", optional
        Margin for `choose="tolerance"`: how far the cross-validated error may be above the lowest, in its own unit (0.02) or as a
        percentage of the lowest error.
    calibrate : bool, "auto", "multinomial", "isotonic" or dict
        Whether to add calibrated probabilities and prediction sets; a dict has arguments of `Fit.calibrate`.
    class_weights : "balanced", or dict or Series of class to number > 0, optional
        Factors by class that multiply the weights of the rows, with the same effect as `weights=`, also in the errors. "balanced":
        all classes have the same total weight, and the sum of the weights does not change. Classes that are not named have factor
        1. See Notes for probabilities.
    **parameters
        Parameters of the method, such as `eps=1.0`. A parameter that is "grid" or a sequence is tuned by cross-validation.

    Returns
    -------
    Fit
        The fitted classifier.

    Raises
    ------
    FormulaError, DataError, OptionError
        If the formula, the data or an argument is not valid; the message names the value, the allowed values and a remedy.

    Warns
    -----
    DataWarning
        If the cross-validated error of the selected point is above the error of always predicting one class, and if `class_weights=`
        and a loss both count in it.

    Notes
    -----
    *Row order.* `protoclass.sklearn.PrototypeClassifier` sorts the rows, because scikit-learn requires the same fit for the same rows in
    another order. The order breaks ties and affects which rows form a fold, so the two may select different parameters and
    prototypes.

    *Lazy tables and files*: the columns that the formula and the arguments name are read into memory, once. The fit is the same as
    for the table in memory; CSV files are parsed as by `pd.read_csv`. Row labels are numbers, 0 to n - 1, with files in the order of
    the list; an index that pandas has written into a Parquet file is not a column. Parquet files need pyarrow. `fit.call.data` has
    the columns that were read, and `update` takes no others.

    *Class weights and probabilities.* Probabilities, sets and thresholds of a calibrated fit are for the prevalence in the data,
    without `class_weights=`; `predict(new, prior="class_weights")` gives the probabilities for classes with these weights.
    Uncalibrated probabilities include the factors, so a loss or a threshold from costs on them counts costs twice, with a
    `DataWarning`; so does `loss=` of this call.

    See Also
    --------
    cross_validate : the cross-validated error curve alone.
    compare : several methods on the same folds.
    Fit.calibrate : calibrated probabilities and prediction sets.
    Fit.test : error, intervals and calibration on new rows.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.prototypes["class"].value_counts(sort=False).to_dict()
    {'setosa': 4, 'versicolor': 5, 'virginica': 6}
    >>> fit.predict(pc.load_data("iris").iloc[[0, 70]]).tolist()
    ['setosa', 'virginica']
    """
    given = locals()  # before any other name is set
    _check_sample(sample)
    arguments = {name: given[name] for name in DEFAULTS}
    return _held(fit_call(Call("fit", formula, data, {**arguments, **parameters})))


@public
@further_arguments(fit, "calibrate")
def cross_validate(formula: str, data: Any, method: Any = "pvm", **arguments: Any) -> Validation:
    """Cross-validate a method over the grid of its tuned parameters.

    Parameters
    ----------
    formula, data, method, dissimilarity, candidates, cv, choose, na, weights, groups, seed, progress, sample, class_weights,
    max_prototypes, tolerance, **parameters
        Arguments of `fit`; here `cv="auto"` is 10, or fewer if a class has fewer rows, also if no parameter is tuned.
    measure : "error", "balanced", "ordinal" or DataFrame
        Error measure. "error": the proportion of wrong predictions. "balanced": the mean of this proportion over classes. "ordinal":
        for an ordered response, the mean distance in levels between the predicted and the true class. A DataFrame: the mean loss by
        a loss matrix, with true classes as rows and predicted classes as columns.
    repeats : int or "auto"
        Number of random splits into folds. "auto": as many as keep rows times splits at most 5,000, up to 10, if the greedy PVM
        selects its radius from the default grid; otherwise 1. Error and size are means over the splits; the standard error is the
        root mean square of the standard errors of the splits, because repeats share their data and do not reduce it.
    loss : DataFrame, optional
        Loss matrix; the same as `measure=` with this matrix.

    Returns
    -------
    Validation
        The error curve, with the fits at its points.

    Notes
    -----
    The same `seed` gives the same folds for every method, so their errors can be compared fold by fold.

    See Also
    --------
    fit : the fit at the selected point.
    compare : several methods, also by nested cross-validation.
    Validation.corrected : the error adjusted for tuning on the same folds.

    Examples
    --------
    >>> import protoclass as pc
    >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), "knn", k=[1, 5, 15])
    >>> v.table.round(3).to_dict("list")["error"]
    [0.053, 0.047, 0.027]
    """
    _check_sample(arguments.pop("sample", SAMPLE))
    usual = {name: value for name, value in DEFAULTS.items() if name != "calibrate"}
    return _held_curve(cross_validate_call(Call("cross_validate", formula, data, {**usual, "method": method, **arguments})))
