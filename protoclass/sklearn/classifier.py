"""A classifier of scikit-learn."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from typing import Any, Self

import numpy as np
from sklearn.base import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.utils import InputTags, Tags, _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from ..core.memory import check_fits
from ..core.query import distances_by, of_complete
from ..core.statistics.scores import relative_margins, with_largest
from ..fitting import Fit
from ..ground.checks import whole_number
from ..ground.errors import DataError, NotAvailableError, OptionError
from ..models.registry import model
from ..values import further_arguments
from .base import PrototypeEstimator, check_answered

# values of decision_function: the first that the rule predicts
VALUES = ("decision", "prob", "distance")


def has_probabilities(estimator: PrototypeClassifier) -> bool:
    """Whether the estimator is calibrated or its fitted rule has votes; otherwise an error names
    the cure."""
    if estimator.calibrate is False:
        check_is_fitted(estimator)
        if "prob" not in estimator.fit_._kinds:
            raise NotAvailableError(
                f"method {estimator.fit_.model.name!r} has no probabilities unless it is "
                "calibrated: use calibrate=True, or "
                "decision_function, which also works with scoring='roc_auc'"
            )
    return True


def decides(estimator: PrototypeClassifier) -> bool:
    """Whether there are values by class; a calibrated estimator decides by its probabilities."""
    if estimator.calibrate is not False:
        raise NotAvailableError("a calibrated estimator has no decision values: use predict_proba")
    if hasattr(estimator, "fit_"):
        value_of(estimator.fit_)
    return True


def value_of(fit: Fit) -> str:
    """The first of `VALUES` that the rule of a fit predicts."""
    for kind in VALUES:
        if kind in fit.rule.kinds:
            return kind
    raise NotAvailableError(
        f"method {fit.model.name!r} has no values by class, but predicts {', '.join(map(repr, fit.rule.kinds))}"
    )


class PrototypeClassifier(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, PrototypeEstimator
):
    """A prototype classifier as an estimator of scikit-learn.

    It can be used in `Pipeline`, `GridSearchCV` and `cross_val_score`. `fit_` is the fit of "y ~ ."
    with the columns of X, with its summary, plots and analyses.

    Parameters
    ----------
    method : str or model object
        Method, as in `protoclass.fit`.
    dissimilarity : str, metric or callable
        Dissimilarity, as in `protoclass.fit`. "precomputed": X is a square matrix of
        dissimilarities in `fit`, and has one column for each of its rows in `predict`.
    candidates, choose, max_prototypes, tolerance, measure, repeats, class_weights, seed
        Arguments of `protoclass.fit`.
    cv : "auto", int, "loo", splitter, list of splits, or None
        Folds for tuning inside `fit`. A splitter of scikit-learn must hold each row out once.
    na : "raise" or "keep"
        Treatment of missing values in X. "keep" is for Gower, which skips them pair by pair.
    weighting : "auto", "copies" or "weights"
        Meaning of `sample_weight`: copies of a row, which share a fold, or `weights=` of
        `protoclass.fit`. "auto": copies if all are whole numbers. Rows of weight 0 are left out.
    calibrate : bool, "auto", "multinomial", "isotonic" or dict
        Whether to calibrate probabilities, as in `protoclass.fit`, for the prevalence in the data,
        also with `class_weights`. Every method then has `predict_proba`, and `predict` gives the
        most probable class. Otherwise methods with votes, such as "knn", have `predict_proba`, and
        all have `decision_function`.
    **parameters
        Parameters of the method, such as `eps=1.0`. A parameter that is "grid" or a sequence is
        tuned inside `fit`.

    Attributes
    ----------
    fit_ : protoclass.Fit
        The fit. Its rows are labelled by position in X, or from 0 if `sample_weight` changes them.
    classes_ : array (L,)
        Classes, sorted.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of str
        Names of the columns of X, if it has any.
    prototypes_ : array or DataFrame (q, p)
        Prototypes in the order of selection, in the units of X, or with the columns of the design
        matrix if they are not rows.
    prototype_indices_ : int array (q,)
        Position in X of each prototype; -1 for one that is not a row.
    prototype_labels_ : array (q,)
        Class that each prototype represents.

    Raises
    ------
    ValueError
        If data or parameters are not valid; `DataError` and `OptionError` derive from it.

    Notes
    -----
    *Row order.* scikit-learn requires the same fit for rows in another order, so rows are sorted by
    class, columns and weight. The order breaks ties and affects folds, so `protoclass.fit` may
    select other parameters and prototypes.

    *Unknown categories.* For a level that was not in the training data, a `DataWarning` names
    column, level and number of rows. Gower and Hamming treat it as different from every level;
    others have 0 in all columns of the category, as `OneHotEncoder(handle_unknown="ignore")`.

    See Also
    --------
    PrototypeSelector : The prototypes as a smaller training set.

    Examples
    --------
    >>> from protoclass.sklearn import PrototypeClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = GridSearchCV(PrototypeClassifier("pvm"), {"eps": [0.5, 1.0, 2.0]}, cv=5).fit(X, y)
    >>> found.best_params_
    {'eps': 0.5}
    >>> found.best_estimator_.prototypes_.shape, found.best_estimator_.transform(X).shape
    ((48, 4), (150, 48))
    """

    def __init__(
        self,
        method: Any = "pvm",
        dissimilarity: Any = "auto",
        *,
        weighting: str = "auto",
        calibrate: Any = False,
        **parameters: Any,
    ) -> None:
        super().__init__(method, dissimilarity, **parameters)
        self.weighting, self.calibrate = weighting, calibrate

    # in place, so type checkers see the method as it stands
    further_arguments(PrototypeEstimator.__init__)(__init__)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the method.

        Parameters
        ----------
        X : DataFrame or array-like (n, p), or square dissimilarities (n, n)
            Training rows.
        y : array-like (n,)
            Classes.
        sample_weight : array-like (n,), optional
            Weight of each row, see `weighting`.
        groups : array-like (n,), optional
            Group of each row, which stays in one fold when parameters are tuned inside `fit`.

        Returns the estimator.
        """
        self._learn(X, y, sample_weight, groups, self.weighting, calibrate=self.calibrate)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, (r,)."""
        new = self._new(X)
        if self.calibrate is not False:
            return self.classes_[self._values(new, "prob").argmax(axis=1)]
        codes = self.fit_._predictions(new, "class", unseen="zero").cat.codes.to_numpy()
        check_answered(codes >= 0, "class")
        return self.classes_[codes]

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, (r, L): calibrated with `calibrate`, or proportions of votes.

        Methods without votes, such as "pvm", need `calibrate`.
        """
        return self._values(self._new(X), "prob")

    @available_if(decides)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """Value of each class, (r, L), the largest for the predicted class; for two classes (r,),
        above 0 for the second.

        It is the decision value of the method, the proportion of the votes, or the relative margin
        `(other - own) / (other + own)` of the distances to the nearest prototype of the class and
        of any other. For two classes it is the second minus the first. Not available with
        `calibrate`.
        """
        new = self._new(X)
        kind = value_of(self.fit_)
        values = self._values(new, kind)
        predicted = self.fit_._predictions(new, "class", unseen="zero").cat.codes.to_numpy()
        values = with_largest(relative_margins(values) if kind == "distance" else values, predicted)
        return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of `transform`: the prototype's row in X and its class, such as
        "row17_setosa".

        Others have the name of the method and a number in the class, such as "kmeans1_setosa".
        """
        # which checks that it is fitted, and input_features
        super().get_feature_names_out(input_features)
        in_class: Counter[Any] = Counter()
        copies: Counter[str] = Counter()  # of a row that sample_weight has repeated
        names = []
        for row, label in zip(self.prototype_indices_, self.prototype_labels_, strict=True):
            in_class[label] += 1
            place = f"row{row}" if row >= 0 else f"{self.fit_.model.name}{in_class[label]}"
            name = f"{place}_{label}"
            copies[name] += 1
            names.append(name if copies[name] == 1 else f"{name}_{copies[name]}")
        return np.array(names, object)

    def transform(self, X: Any) -> np.ndarray:
        """Distances (r, q) to the prototypes: of the fitted model if it has its own, otherwise of the metric."""
        new = self._new(X)
        self.fit_._warn_of(self.fit_._unseen_in(new), zero=True)
        query, _, complete = self.fit_._query(new, zero=True)
        rule = self.fit_.rule
        check_fits(
            8.0 * len(complete) * len(rule.prototypes),
            "the distances to all prototypes take",
            "transform fewer rows at a time",
        )
        distances, measured = of_complete(query, lambda part: distances_by(rule, part))
        answered = complete.copy()
        answered[complete] = measured
        check_answered(answered, "distances")
        return np.asarray(distances, float)

    def kneighbors(
        self, X: Any, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """The nearest prototypes of each row, as scikit-learn's `KNeighborsClassifier`.

        Parameters
        ----------
        X : as in `predict`
        n_neighbors : int, optional
            Default: k of "knn"; 1 for other methods.
        return_distance : bool

        Returns
        -------
        distances : array (r, n_neighbors), ascending
            Only with `return_distance`.
        rows : int array (r, n_neighbors)
            Positions in the X of `fit`; -1 for a prototype that is not a row.

        Examples
        --------
        >>> from protoclass.sklearn import PrototypeClassifier
        >>> knn = PrototypeClassifier("knn", "manhattan", k=2).fit([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"])
        >>> knn.kneighbors([[0.9]])[1]
        array([[1, 0]])
        """
        distances = self.transform(X)
        usual = self.fit_.params.get("k", 1)
        count = whole_number(
            "n_neighbors", usual if n_neighbors is None else n_neighbors, 1, distances.shape[1]
        )
        order = np.argsort(distances, axis=1, kind="stable")[:, :count]
        rows = self.prototype_indices_[order]
        return (np.take_along_axis(distances, order, axis=1), rows) if return_distance else rows

    def _values(self, new: Any, kind: str) -> np.ndarray:
        """Predicted value for each class (r, L)."""
        values = np.asarray(self.fit_._predictions(new, kind, unseen="zero"), float)
        check_answered(~np.isnan(values).any(axis=1), "class")
        return values

    @property
    def prototype_labels_(self) -> np.ndarray:
        """The class that each prototype represents, (q,)."""
        return self.classes_[self.fit_.rule.prototypes.classes]

    @property
    def prototypes_(self) -> Any:
        """The prototypes in the order of selection, in the units of X (q, p)."""
        if self._is_pairwise:
            raise NotAvailableError(
                "precomputed dissimilarities have no rows of X to show: use prototype_indices_ for "
                "the positions of the prototypes"
            )
        table = self.fit_.prototypes.iloc[:, self.fit_._prototype_table.shape[1] :]
        if table.shape[1] == len(self._columns):
            table = table.set_axis(self._columns, axis=1)
        return table if hasattr(self, "feature_names_in_") else table.to_numpy()

    @property
    def _n_features_out(self) -> int:
        return len(self.fit_.rule.prototypes)


class SamplerInputTags(InputTags):
    """Valid types of X, with the additions of imbalanced-learn."""

    dataframe = True


class SamplerTags:
    """Tags of samplers in imbalanced-learn."""

    sample_indices = True


class TagsOfSampler(Tags):
    """The tags of a sampler."""

    sampler_tags = SamplerTags


def widened(kind: type, tags: Any) -> Any:
    """Tags as a class with further ones."""
    return kind(**{f.name: getattr(tags, f.name) for f in fields(tags)})


class PrototypeSelector(OneToOneFeatureMixin, PrototypeEstimator):
    """Select the rows that are prototypes, as a smaller training set.

    A sampler for imbalanced-learn's `Pipeline` or for direct use; it need not be installed.

    Parameters
    ----------
    method : str or model object
        Method whose prototypes are rows, such as "pvm", "kmedoids", "condensed" or "multiedit".
    dissimilarity, cv, choose, max_prototypes, tolerance, measure, repeats, class_weights, na, seed
        Arguments of `PrototypeClassifier`.
    candidates : "auto" or as in `protoclass.fit`
        "auto" is "same_class" if the method has this option: each row is selected for its own
        class.
    **parameters
        Parameters of the method.

    Attributes
    ----------
    sample_indices_ : int array (q,)
        Positions of the selected rows, ascending.
    sampling_strategy_ : dict
        Number of selected rows of each class.
    fit_, classes_, n_features_in_, feature_names_in_, prototype_indices_
        As in `PrototypeClassifier`.

    Examples
    --------
    >>> from protoclass.sklearn import PrototypeSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = PrototypeSelector("pvm", eps=1.0)
    >>> fewer, classes = selector.fit_resample(X, y)
    >>> fewer.shape, selector.sampling_strategy_
    ((15, 4), {0: 4, 1: 5, 2: 6})
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Select the rows.

        Parameters
        ----------
        X : DataFrame or array-like (n, p)
            Training rows.
        y : array-like (n,), or (n, L) with a column of 0 and 1 for each class
            Classes.

        Returns the selector.


        Raises
        ------
        OptionError
            If the prototypes of the method are not rows.
        DataError
            If no row is selected.
        """
        codes = one_of_columns(y)
        self._learn(X, codes, None, None, "weights")
        rows = self.prototype_indices_
        if (rows < 0).any():
            raise OptionError(
                f"method {self.fit_.model.name!r} makes prototypes that are not rows: use a method "
                "that selects rows, such as 'pvm'"
            )
        if len(rows) == 0:
            raise DataError(
                f"no row was selected by {self.fit_.call}: use other parameters (the summary of fit_ shows the reason)"
            )
        self.sample_indices_ = np.unique(rows)
        chosen = self.fit_.frame.codes[self.fit_.frame.index.get_indexer(self.sample_indices_)]
        self.sampling_strategy_ = dict(Counter(self.classes_[np.sort(chosen)].tolist()))
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Select the rows and return them.

        Returns
        -------
        X, y
            The selected rows of each, in the order of the data and with the given type.

        """
        self.fit(X, y)
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.input_tags = "sampler", widened(SamplerInputTags, tags.input_tags)
        return widened(TagsOfSampler, tags)

    def _candidates(self) -> Any:
        can = model(self.method, self._of_method).can
        restricted = (
            isinstance(self.candidates, str)
            and self.candidates == "auto"
            and "unlabelled" in can.candidates
        )
        return "same_class" if restricted else self.candidates


def one_of_columns(y: Any) -> Any:
    """The number of the column that is 1, if y has a column for each class; otherwise y unchanged."""
    if y is None or type_of_target(y, input_name="y") not in (
        "multilabel-indicator",
        "multiclass-multioutput",
    ):
        return y
    values = np.asarray(y)
    if not (np.isin(values, (0, 1)).all() and (values.sum(axis=1) == 1).all()):
        raise DataError(
            "Multilabel and multioutput targets are not supported: y has one class for each row"
        )
    return values.argmax(axis=1)
