"""What users hold: `Fit` and `Validation`, made by `fit` and `cross_validate`.

The top floor: a method is the function of the floor below where its code and its documentation stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

from .analysis.alternatives import alternatives, criticisms, swap
from .analysis.evaluation import test
from .analysis.importance import importance, permutation_test
from .analysis.stability import stability
from .analysis.steps import at, ball, bound, path, slim, step_count
from .analysis.why import why
from .estimation.calibration import calibrate, calibrated
from .estimation.error_curve import ErrorCurve
from .estimation.fitted import Fitted
from .estimation.learning import cross_validate_call, fit_call, learn
from .estimation.predict_to import predict_to
from .estimation.problem import DEFAULTS, Call
from .estimation.selection import BY_HAND
from .estimation.threshold import threshold
from .export.card import card
from .export.methods import methods
from .export.report import report
from .export.sql import sql
from .frames.spelling import substitute
from .ground.checks import Served
from .ground.errors import printed
from .ground.foreign_names import VERBS_OF_VALIDATION
from .ground.savable import savable
from .plots import plot
from .tables import printing
from .tables.paper import of_fit
from .tables.summary import summary
from .tables.tidy import augment, glance, tidy
from .values import Above, Printed, Saveable, public
from .widgets import explore_fit, explore_validation


@savable
@public
@dataclass(frozen=True, eq=False)
class Fit(Saveable, Fitted):
    """A fitted classifier.

    It has `predict`, `prototypes`, `classes`, `call`, `model`, `rule`, `validation` and what else `Fitted` documents, and the
    analyses, tables, pictures and files below.
    """

    validation: Validation | None

    test, threshold, bound = test, threshold, bound
    ball, path, why, importance, stability = ball, path, why, importance, stability
    alternatives, criticisms = alternatives, criticisms
    calibrate, at, swap, slim, predict_to = calibrate, at, swap, slim, predict_to
    summary, as_table, tidy, glance, augment = summary, of_fit, tidy, glance, augment
    plot, explore = plot, explore_fit
    report, card, methods, sql = report, card, methods, sql
    __repr__, _repr_html_ = printed(printing.text), printing.html_text

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
        if len(again.selection.grid.columns):  # something else was tuned anew, and its grid is the one to keep
            return again
        return replace(again, selection=replace(again.selection, grid=grid, values=kept, rule=BY_HAND))


@savable(
    of_fold="R n", predicted="R n G", covered="R n G", errors="F G", sizes="F G", fold_weight="F", loss="L L", bounds="F G", grid="G",
    counts="G c",
)  # fmt: skip
@public
@dataclass(frozen=True, eq=False, repr=False)
class Validation(Printed, Saveable, ErrorCurve, Served):
    """A cross-validated error curve.

    It has `table`, `best`, `one_se`, `corrected`, `band`, the folds, the held-out predictions and what else `ErrorCurve` documents;
    here are the fits at its points, its permutation test and its pictures.
    """

    serves: ClassVar[Mapping[str, str]] = VERBS_OF_VALIDATION
    called: ClassVar[str] = "a cross-validation"
    fits: ClassVar[type[Fit]] = Fit

    permutation_test = permutation_test
    plot, explore = Above("protoclass.plots"), explore_validation
    _said = printing.curve_said

    @cached_property
    def fit(self) -> Fit:
        """The method on all rows at the chosen point: by the 1-SE rule, or what `choose=` in the call says."""
        return self.fit_at(self.chosen_by_call())

    def fit_at(self, point: int) -> Fit:
        """The method on all rows at a row of `table`.

        Examples
        --------
        >>> import protoclass as pc
        >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), eps=[0.5, 1.0, 1.5])
        >>> v.fit_at(2).model.eps
        1.5
        """
        return _held(learn(self.problem, self.select(point), self))


def _held(fitted: Fitted) -> Fit:
    """What was learned, as users hold it."""
    if isinstance(fitted, Fit):
        return fitted
    own = {f.name: getattr(fitted, f.name) for f in fields(fitted)}
    return Fit(**own | {"validation": fitted.validation and _held_curve(fitted.validation)})


def _held_curve(curve: ErrorCurve) -> Validation:
    return Validation(**{f.name: getattr(curve, f.name) for f in fields(curve)})


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
    client: Any = None,
    measure: Any = "error",
    repeats: int = 1,
    order: str = "data",
    calibrate: Any = False,
    class_weights: Any = None,
    loss: Any = None,
    max_prototypes: Any = None,
    tolerance: Any = None,
    **parameters: Any,
) -> Fit:
    """Fit a prototype classifier.

    The rows are worked through in the order of the data, `order="data"`, as in R. `protoclass.sklearn.PrototypeClassifier` sorts
    them first, `order="values"`, because scikit-learn requires the same fit for the same rows in another order. The order decides
    ties and which rows form a fold, so the two may choose other parameters and prototypes: compare them with the same `order=`.

    Parameters
    ----------
    formula : str
        R's grammar: `"y ~ ."`, `"y ~ a + log(b)"`, `"y ~ . - id"`, `"y ~ 1"` for given dissimilarities. The response is
        a column; columns, numbers, operators and a fixed list of transforms may stand on the right: `log(x, 2)`, `I(x^2)`,
        `poly(x, 2)`, `bs`, `ns(x, df=4)` (R's basis), `cut(x, 3)` (the outer intervals are open), `ifelse(x > 2, 1, 0)`,
        `factor(g)` or `C(g)`, and others.
    data : pandas DataFrame, polars or pyarrow table, lazy table, or path
        Row labels must be distinct. Changing the table later does not change the fit. A lazy table (a polars LazyFrame,
        DuckDB relation, dask DataFrame or pyarrow Dataset), and the path, folder, glob or list of paths of parquet or CSV
        files, is read once, in blocks of rows: the columns that the formula and the arguments name are kept in files without
        a name in the folder for temporary files (TMPDIR), so that the data need not fit in memory. The fit is that of the
        same table in memory, where CSV files are as `pd.read_csv` reads them. Rows are called by their number, 0 to n - 1,
        files in the order of their names, and an index that pandas has written into a parquet file is not a column. Parquet
        files need pyarrow or polars. The order of the rows must be the same each time. `fit.call.data` has the columns that
        were read, and `update` reads again where it needs others.
    method : str or model object
        Or a model object such as `pc.PVM(eps=1.2)`. By name, with the parameters that are tuned unless they are given; `help(pc.PVM)`
        and so on have them all:

        * "pvm": the prototype vector machine (`eps`), `PVM`;
        * "scm": the set covering machine (`kind`, `penalty`, `stop`), `SCM`;
        * "hyperplane": the optimal hyperplane on proximities, `Hyperplane`;
        * "knn", "dann": k nearest neighbours (`k`), `KNN`, and with a metric made at the query, `DANN`;
        * "condensed", "multiedit": the nearest of a part of the rows, `Condensed`, `Multiedit`;
        * "medianglvq": a few rows of each class that classify best (`K`), also with a metric of their own (`matrix`), `MedianGLVQ`;
        * "kmedoids", "kmeans", "lvq", "mixture": medoids, centroids, code vectors or Gaussians of each class (`K`), `KMedoids`,
          `KMeans`, `LVQ`, `Mixture`;
        * "mmd": MMD-critic's prototypes of each class (`K`), `MMDCritic`;
        * "centroids": nearest shrunken centroids (`threshold`), `Centroids`;
        * what `pc.register` has made known.
    dissimilarity : str, metric, callable, Dissimilarity, DataFrame or array
        "auto" is Euclidean on scaled columns if all predictors are numbers, DTW of a lone column of series (lists or arrays), and Gower
        otherwise; a name ("manhattan"); a metric object; a function of two rows; or given dissimilarities: a DataFrame (square or
        n x m, by label), a square or condensed array (by position), or what `pc.read_dissimilarity` reads from a file. A row must not be
        farther from itself than from others, as in a matrix of similarities; see `pc.Dissimilarity.from_similarity`. Some parameters of
        metrics are tuned with those of the method, if they are "grid" or a sequence: `pc.DTW(window=[5, 10, 20])`,
        `pc.Minkowski(r="grid")`, `pc.Mismatch(k=[3, 5])`. Where the method has a parameter of the same name, the table calls them
        `dissimilarity_k` and so on.
    candidates : "auto", "train", "same_class", int, `pc.unlabelled(frame)`, `pc.kmeans(K)` or `pc.hull(count)`
        What may become a prototype: "train", the training rows, for any class or ("same_class") for their own only; a random subset of
        that many of them, from each class its share; "auto": all training rows, or where the PVM would take more than about
        30 s with those of more than 20,000 rows, a subset as large as that allows (print says so); further rows without a class,
        centroids, or uniform draws from the classes' convex hulls, added to the training rows (with `only=True` in their place).
        What is learned from the training rows is learned anew in each fold.
    cv : "auto", int, "loo", Series or array of folds, or None
        Folds that tune parameters; "auto" is 10 (fewer where a class has fewer rows) if a parameter is to be tuned, else none.
    choose : "auto", "1se", "1se-paired", "min", "tolerance" or "bound"
        "1se": the smallest model within one standard error of the least error. "1se-paired": the smallest whose error is above the
        least by at most one standard error of this difference, fold by fold, which is often the smaller one as all points share the
        folds. "min": the least error, of equal ones the smallest model. "tolerance": the smallest whose error is within `tolerance=` of
        the least. "bound", for "scm": the least bound (see `Fit.bound`), which looks at no held-out row. "auto": "tolerance" where
        `tolerance=` is given, "min" where `max_prototypes=` is, otherwise "1se".
    na : "drop", "raise" or "keep"
        Rows with missing values; "keep" goes with Gower, which skips what is missing pair by pair, and with `DTW`, for which missing
        values at the end of a row are the end of its series.
    weights : column name, Series or array, optional
        Weight of each row, in the objective, the coverage, the errors and the calibration; not in scaling, quantiles or folds. Weights
        are relative: only their ratios matter. If a number of rows is needed, as for intervals, probabilities and prediction sets,
        rows with weights w count as sum(w)^2 / sum(w^2) rows (Kish 1965). A row of weight 0 is predicted, and is never a candidate
        or a prototype.
    groups : column name, Series or array, optional
        Rows of a group stay in one fold.
    seed : int
        For the folds and what else is drawn; the same seed gives the same result, on any number of threads and in any process.
        README ("Fits that travel") says what of it depends on the build of BLAS.
    progress : bool, optional
        A progress bar for work over 2 s; False silences it, and None takes `pc.options.progress`.
    client : Dask client, optional
        The rows of a Dask DataFrame, a frame or files then stay on the workers of its cluster, which answer for them; for the PVM,
        and metrics that learn from sums over rows. The prototypes are those of one machine. Without it a Dask DataFrame is fitted
        by the current client, where there is one. Scheduler and workers need this package in the same version.
    measure, repeats, loss
        Of the cross-validation, see `cross_validate`. They decide which values tuned parameters get, and so the rule; the class
        that a rule predicts is its own, calibrated or not. `predict(new, loss=)` of a calibrated fit decides by expected loss.
    order : "data" or "values"
        The order in which the rows are worked through, which decides where several choices are equally good, and what is
        drawn. "data", the default as in R: as they stand in the data, so that of equally good prototypes the first row is
        taken. "values": sorted by class, predictors, weight and label, so that the same rows in another order give the same
        fit to the last bit, folds included. What is returned for the rows stands in the order of the data in either case.
    max_prototypes : int, or mapping of class to int, optional
        The most prototypes that the rule may have, in all or of each class; for "scm", features. Of the grid points whose rule on all
        rows keeps to it, `choose=` takes one. The PVM then tunes by how many prototypes its rules have as well (`stop`, or with other
        solvers than the greedy one `lambda_`), unless that is given.
    tolerance : number >= 0, or str such as "5%", optional
        With `choose="tolerance"`: by how much the cross-validated error may be above the least, in its own unit (0.02), or as a share
        of the least error.
    calibrate : bool, "multinomial", "isotonic" or dict
        Learn chances and prediction sets from held-out rows, with the defaults or these arguments of `Fit.calibrate`.
    class_weights : "balanced", or dict or Series of class to number > 0, optional
        Factors of the weights of the rows, by class, which then do what `weights=` does, also in the errors. "balanced": all
        classes weigh the same, and the sum of the weights stays. Classes that are not named keep 1. Probabilities, sets
        and thresholds of a calibrated fit are for the prevalence in the data, without these factors; `predict(new, prior="class_weights")`
        gives the probabilities for classes with these weights. A method's own probabilities have the factors, so a loss or a cut from
        costs on them counts costs twice, with a `DataWarning`; so does `loss=` of this call.
    **parameters
        Parameters of the method, such as `eps=1.0`. One that is "grid" or a sequence is tuned by cross-validation.

    Returns
    -------
    Fit

    Raises
    ------
    FormulaError, DataError, OptionError
        Naming what was given, what is allowed and the cure.

    Warns
    -----
    DataWarning
        If the cross-validated error of the chosen point is above that of always predicting one class, and if `class_weights=` and a
        loss both count in it.

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
    arguments = {name: given[name] for name in DEFAULTS}
    return _held(fit_call(Call("fit", formula, data, {**arguments, **parameters})))


@public
def cross_validate(
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
    client: Any = None,
    measure: Any = "error",
    repeats: int = 1,
    order: str = "data",
    class_weights: Any = None,
    loss: Any = None,
    max_prototypes: Any = None,
    tolerance: Any = None,
    **parameters: Any,
) -> Validation:
    """Cross-validate a method over the grid of its tuned parameters.

    Parameters
    ----------
    formula, data, method, dissimilarity, candidates, cv, choose, na, weights, groups, seed, progress, client, order, class_weights,
    max_prototypes, tolerance, **parameters
        As in `fit`; `cv="auto"` is 10, or fewer if a class has fewer rows, with parameters to tune or without.
    measure : "error", "balanced", "ordinal" or DataFrame
        Share of wrong predictions; its mean over classes; of an ordered response the mean distance in levels between the
        predicted class and the true one; or a loss matrix, true classes as rows and predicted as columns.
    repeats : int
        Times that new folds are drawn. Error and size are then means over all; the standard error is the root mean
        square of the repeats' own, as repeats share their data and do not make it smaller.
    loss : DataFrame, optional
        A loss matrix; the same as `measure=` with it.

    Returns
    -------
    Validation
        The same `seed` gives the same folds for every method, so that their errors can be compared fold by fold.

    Examples
    --------
    >>> import protoclass as pc
    >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), "knn", k=[1, 5, 15])
    >>> v.table.round(3).to_dict("list")["error"]
    [0.053, 0.047, 0.027]
    """
    given = locals()  # before any other name is set
    arguments = {name: given[name] for name in DEFAULTS if name in given}
    return _held_curve(cross_validate_call(Call("cross_validate", formula, data, {**arguments, **parameters})))


def explore(formula: str, data: Any, method: Any = "pvm", *, shape: Any = None, **arguments: Any) -> Any:
    """Fit, and look at the prototypes.

    Parameters
    ----------
    formula, data, method, **arguments : as for `fit`
    shape : as for `Fit.explore`

    Returns
    -------
    As `Fit.explore`.
    """
    return explore_fit(fit(formula, data, method, **arguments), shape=shape)
