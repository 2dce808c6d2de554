"""A classifier of scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..core.memory import check_fits
from ..core.query import distances_by
from ..errors import NotAvailable
from .base import PrototypeEstimator, check_answered


def is_calibrated(estimator: PrototypeClassifier) -> bool:
    """Whether there are chances; otherwise an error says how to get them."""
    if estimator.calibrate is False:
        raise NotAvailable("chances of the classes are learned from held-out rows: give calibrate=True")
    return True


def decides(estimator: PrototypeClassifier) -> bool:
    """Whether the rule has decision values, which only a fitted one tells; a calibrated estimator decides by its chances."""
    if estimator.calibrate is not False:
        raise NotAvailable("a calibrated estimator decides by the chances of the classes, predict_proba")
    check_is_fitted(estimator, "fit_")
    if "decision" not in estimator.fit_.rule.kinds:
        raise NotAvailable(f"method {estimator.fit_.model.name!r} has no decision values: transform has the distances")
    return True


class PrototypeClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, PrototypeEstimator):  # type: ignore[misc]
    """A prototype classifier as an estimator of scikit-learn.

    It goes into `Pipeline`, `GridSearchCV` and `cross_val_score`. Every method and dissimilarity of the package serves; the
    formula is "y ~ ." with the columns of X. `fit_` is the fit itself, with its summary, pictures and analyses.

    Parameters
    ----------
    method : str or model object
        As in `protoclass.fit`.
    dissimilarity : str, metric or callable
        As in `protoclass.fit`: "auto" is Euclidean on scaled columns for numbers, and Gower otherwise. "precomputed": X is a square
        matrix of dissimilarities in `fit`, and has one column for each of its rows in `predict`. `metric=` means the same.
    candidates, choose, measure, repeats, class_weights, seed
        As in `protoclass.fit`.
    cv : "auto", int, "loo", splitter, list of splits, or None
        Folds that tune parameters inside `fit`. A splitter of scikit-learn must hold each row out once.
    na : "raise" or "keep"
        Missing values in X; "keep" goes with Gower, which skips them pair by pair.
    order : "values" or "data"
        As in `protoclass.fit`, with another default: the same rows in another order give the same fit.
    weighting : "auto", "copies" or "weights"
        What `sample_weight` means: copies of a row, as in scikit-learn's contract, or weights in the objective of the method,
        as `weights=` of `protoclass.fit`. "auto": copies where all are whole numbers, otherwise weights, if the method takes
        them. Copies share a fold, and rows of weight 0 are left out.
    calibrate : bool, "multinomial", "isotonic" or dict
        As in `protoclass.fit`. With it there is `predict_proba`, and `predict` gives the class of the largest chance. Chances are for
        the prevalence in the data, also with `class_weights`, as those of scikit-learn's CalibratedClassifierCV.
    **parameters
        Parameters of the method, such as `eps=1.0`. One that is "grid" or a sequence is tuned inside `fit`.

    Attributes
    ----------
    fit_ : protoclass.Fit
        Its rows are labelled by their positions in X, or from 0 where `sample_weight` has left out or copied rows.
    classes_ : array (L,)
        Classes, sorted.
    n_features_in_ : int
    feature_names_in_ : array of str
        Where X has names of columns.
    prototypes_ : array or DataFrame (q, p)
        The prototypes in the order chosen, in the units of X; a DataFrame if X was one. Of prototypes that are not rows of X,
        such as means, the columns of the design matrix. Not with precomputed dissimilarities.
    prototype_indices_ : int array (q,)
        Position in X of each prototype, -1 for one that is not a row.
    prototype_labels_ : array (q,)
        The class that each prototype stands for.

    Raises
    ------
    ValueError
        In `fit`: for data and parameters that do not fit together, of scikit-learn or as `DataError` and `OptionError` of this
        package, which derive from it.

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
        candidates: Any = "auto",
        cv: Any = "auto",
        choose: str = "1se",
        measure: Any = "error",
        repeats: int = 1,
        class_weights: Any = None,
        na: str = "raise",
        order: str = "values",
        weighting: str = "auto",
        calibrate: Any = False,
        seed: int = 0,
        **parameters: Any,
    ) -> None:
        super().__init__(
            method, dissimilarity, candidates=candidates, cv=cv, choose=choose, measure=measure, repeats=repeats,
            class_weights=class_weights, na=na, order=order, seed=seed, **parameters,
        )  # fmt: skip
        self.weighting = weighting
        self.calibrate = calibrate

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the method.

        Parameters
        ----------
        X : DataFrame or array-like (n, p), or square dissimilarities (n, n)
            A DataFrame may have columns of numbers, texts, categories and booleans.
        y : array-like (n,)
            Classes.
        sample_weight : array-like (n,), optional
            See `weighting`.
        groups : array-like (n,), optional
            Rows of a group stay in one fold, where parameters are tuned inside `fit`.

        Returns
        -------
        self
        """
        self._learn(X, y, sample_weight, groups, self.weighting, calibrate=self.calibrate)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, (r,)."""
        new = self._new(X)
        if self.calibrate is not False:
            return np.asarray(self.classes_[self._values(new, "prob").argmax(axis=1)])
        codes = self.fit_.predictions(new, "class").cat.codes.to_numpy()
        check_answered(codes >= 0, "class")
        return np.asarray(self.classes_[codes])

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The chance of each class, (r, L), learned from held-out rows; with `calibrate`."""
        return self._values(self._new(X), "prob")

    @available_if(decides)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values (r, L), of two classes the second minus the first (r,); of fitted methods that have them."""
        values = self._values(self._new(X), "decision")
        return np.asarray(values[:, 1] - values[:, 0] if values.shape[1] == 2 else values)

    def transform(self, X: Any) -> np.ndarray:
        """Distances (r, q) to the prototypes, by which the rule compares them where it has its own, else of the metric."""
        new = self._new(X)
        query, _, complete = self.fit_.query(new)
        rule = self.fit_.rule
        check_fits(
            8.0 * len(complete) * len(rule.prototypes),
            "the distances to all prototypes take",
            "transform fewer rows at a time",
        )
        distances = distances_by(rule, query)
        check_answered(complete & ~query.missing, "distances")
        return np.asarray(distances, float)

    def _values(self, new: Any, kind: str) -> np.ndarray:
        """What the fit predicts for each class (r, L)."""
        values = np.asarray(self.fit_.predictions(new, kind), float)
        check_answered(~np.isnan(values).any(axis=1), "class")
        return values

    @property
    def prototype_labels_(self) -> np.ndarray:
        """The class that each prototype stands for, (q,)."""
        return np.asarray(self.classes_[self.fit_.rule.prototypes.classes])

    @property
    def prototypes_(self) -> Any:
        """The prototypes in the order chosen, in the units of X (q, p)."""
        if self._is_pairwise:
            raise NotAvailable(
                "precomputed dissimilarities have no rows of X to show: prototype_indices_ has their positions"
            )
        table = self.fit_.prototypes.iloc[:, self.fit_.prototype_table.shape[1] :]
        table = table.set_axis(self._columns, axis=1) if table.shape[1] == len(self._columns) else table
        return table if hasattr(self, "feature_names_in_") else table.to_numpy()

    @property
    def _n_features_out(self) -> int:
        return len(self.fit_.rule.prototypes)
