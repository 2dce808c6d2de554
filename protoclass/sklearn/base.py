"""The common part of the estimators: parameters of every method, and X, y, sample_weight and cv as
`protoclass.fit` takes them."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from ..core.memory import check_fits
from ..estimation.problem import DEFAULTS
from ..fitting import fit
from ..frames.misread import numbers_rows
from ..frames.tables import as_pandas
from ..ground.checks import hint_for, one_of
from ..ground.errors import DataError, OptionError, brief, shown
from ..metrics.dissimilarity import Dissimilarity
from ..models.registry import MODELS

# to `fit` as they are
PASSED = (
    "choose",
    "max_prototypes",
    "tolerance",
    "measure",
    "repeats",
    "class_weights",
    "na",
    "seed",
)


class PrototypeEstimator(BaseEstimator):
    """An estimator whose parameters are arguments of `protoclass.fit`, and parameters of the method
    by name.

    A change of the method drops the parameters of the previous method, unless they are given again.
    """

    def __init__(
        self,
        method: Any = "pvm",
        dissimilarity: Any = "auto",
        *,
        candidates: Any = "auto",
        cv: Any = "auto",
        choose: str = "auto",
        max_prototypes: Any = None,
        tolerance: Any = None,
        measure: Any = "error",
        repeats: Any = "auto",
        class_weights: Any = None,
        na: str = "raise",
        seed: int = 0,
        **parameters: Any,
    ) -> None:
        self.__dict__.update(locals())
        # not as attributes: scikit-learn's checks allow only those of the signature
        del self.__dict__["self"], self.__dict__["parameters"]
        self._parameters = parameters

    def __getattr__(self, name: str) -> Any:
        """Parameters of the method are attributes too; a method that needs calibration raises its
        error with the cure."""
        parameters = self.__dict__.get("_parameters", {})
        if name in parameters:
            return parameters[name]
        try:
            return object.__getattribute__(self, name)
        except AttributeError as error:
            # scikit-learn hides it (not available, or not fitted) behind "has no attribute"
            if isinstance(error.__cause__, AttributeError):
                raise error.__cause__ from None
            raise

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("_parameters", {}):
            # copies of the estimator keep theirs
            name, value = "_parameters", {**self._parameters, name: value}
        super().__setattr__(name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name: the parameters of the signature, and those of the method that
        were given."""
        return {**super().get_params(deep), **self._parameters}

    def set_params(self, **params: Any) -> PrototypeEstimator:
        """Set parameters, also of the method.

        Raises
        ------
        OptionError
            For a name that the method does not have.

        Examples
        --------
        >>> from protoclass.sklearn import PrototypeClassifier
        >>> PrototypeClassifier("pvm", eps=1.0).set_params(method="knn", k=3)
        PrototypeClassifier(k=3, method='knn')
        """
        named = self._get_param_names()
        given = {name: value for name, value in params.items() if name not in named}
        method = params.get("method", self.method)
        if isinstance(method, str) and method in MODELS:  # others have parameters of their own
            known = sorted({*MODELS[method]().parameters(), *named})
            for name in given.keys() - known:
                hint = hint_for(name, known)
                raise OptionError(
                    f"{shown(name)} is not a parameter of {type(self).__name__} with method {brief(method)}: "
                    f"{hint}{'; ' if hint else ''}its parameters are {', '.join(known)}"
                )
        kept = self._parameters if str(method) == str(self.method) else {}
        self._parameters = {**kept, **given}
        for name in params.keys() - given:
            setattr(self, name, params[name])
        return self

    @property
    def metric(self) -> Any:
        """`dissimilarity`, by the name under which scikit-learn looks whether X has distances."""
        return self.dissimilarity

    @property
    def _is_pairwise(self) -> bool:
        return isinstance(self.dissimilarity, str) and self.dissimilarity == "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._is_pairwise
        tags.input_tags.allow_nan = self.na == "keep"
        tags.input_tags.sparse = not self._is_pairwise
        return tags

    def _learn(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, weighting: str, **more: Any
    ) -> None:
        """Set `fit_`, `classes_` and `n_features_in_`."""
        one_of("na", self.na, ("raise", "keep"))
        frame = read_rows(self, X, True, self.na == "keep", self._is_pairwise)
        classes, codes = read_classes(y, frame)
        rows, weights = read_weights(sample_weight, frame, weighting)
        folds = read_folds(self.cv, frame, codes, groups)
        response = name_of_response(y, frame.columns)
        # labelled from 0; dissimilarities are no predictors
        data = frame.iloc[rows, : 0 if self._is_pairwise else None].reset_index(drop=True)
        data[response] = pd.Categorical.from_codes(codes[rows], classes)
        order = order_of_values(data, weights)
        places = rows[order]
        # X was given, not found by `.`
        numbered = "".join(f" + `{name}`" for name in data if numbers_rows(data[name]))
        self.fit_ = fit(
            f"{response} ~ {'1' if self._is_pairwise else f'.{numbered}'}",
            data.iloc[order],
            self.method,
            dissimilarity=self._dissimilarity(frame, places),
            cv=folds[places] if isinstance(folds, np.ndarray) else folds,
            groups=read_groups(groups, places, frame, folds),
            weights=None if weights is None else weights[order],
            progress=False,
            candidates=self._candidates(),
            **{name: getattr(self, name) for name in PASSED},
            **more,
            **self._of_method,
        )
        self.classes_ = classes
        self._rows, self._columns = rows, list(frame.columns)

    @property
    def _of_method(self) -> dict[str, Any]:
        """The parameters of the method that were given."""
        for name in self._parameters.keys() & {*DEFAULTS, "formula", "data"}:
            raise OptionError(
                f"{name}= is not a parameter of {type(self).__name__}: {hint_for(name, ()) or 'leave it out'}"
            )
        return self._parameters

    def _candidates(self) -> Any:
        """The argument `candidates=` of `fit`."""
        return self.candidates

    def _dissimilarity(self, frame: pd.DataFrame, rows: np.ndarray) -> Any:
        """The argument `dissimilarity=` of `fit`."""
        metric = self.dissimilarity
        if isinstance(metric, (Dissimilarity, pd.DataFrame, np.ndarray, list, tuple)):
            raise OptionError(
                f"dissimilarity must not be a matrix, such as {brief(metric)}: use the matrix as X "
                "with dissimilarity='precomputed', "
                "which can be split by rows"
            )
        return frame.to_numpy()[np.ix_(rows, rows)] if self._is_pairwise else metric

    def _new(self, X: Any) -> pd.DataFrame:
        """New rows as `fit_` takes them."""
        check_is_fitted(self)
        frame = read_rows(self, X, False, self.na == "keep", self._is_pairwise)
        if self._is_pairwise:
            return frame.iloc[:, self._rows].set_axis(pd.RangeIndex(len(self._rows)), axis=1)
        return frame.set_axis(self._columns, axis=1)

    @property
    def prototype_indices_(self) -> np.ndarray:
        """Position in X of each prototype, int (q,); -1 for one that is not a row."""
        row, labels = self.fit_._prototype_row, self.fit_.frame.index.to_numpy()
        return np.where(row >= 0, self._rows[labels[row]], -1)


def order_of_values(data: pd.DataFrame, weights: np.ndarray | None) -> np.ndarray:
    """The order of rows by class, which is the last column, then by the other columns, weight and
    position; missing values are last."""
    ranks = [rank_values(data[name]) for name in data]
    return np.lexsort([*([] if weights is None else [weights]), *ranks[-2::-1], ranks[-1]])


def rank_values(column: pd.Series) -> np.ndarray:
    """The rank of each value of a column; series are ordered as text."""
    try:
        codes = pd.factorize(column, sort=True)[0]
    except TypeError:
        codes = rank_values(column.map(lambda value: repr(np.asarray(value, object).tolist())))
    return np.where(codes < 0, len(codes), codes)


def name_of_response(y: Any, columns: pd.Index) -> str:
    """A name for the response that is not the name of a column: the name of y if it has one."""
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name.isidentifier() else "y"
    while name in columns:
        name += "_"
    return name


def check_answered(answered: np.ndarray, what: str) -> None:
    """Raise unless every row has an answer."""
    if not answered.all():
        raise DataError(
            f"row {int(np.flatnonzero(~answered)[0])} of X has no {what}, because it has no "
            "observed variable in common with a prototype: "
            "fill in missing values"
        )


def read_rows(
    estimator: Any, X: Any, reset: bool, missing: bool, square: bool = False
) -> pd.DataFrame:
    """X as a frame whose rows are labelled by position, checked as scikit-learn checks it.

    Parameters
    ----------
    estimator : estimator
        Gets `n_features_in_` and `feature_names_in_` if `reset`, else X is compared with these.
    X : DataFrame (pandas, polars, pyarrow), array-like or sparse matrix (n, p)
        The columns of a frame may be of any type that a formula takes; those of an array are
        numbers, called x0, x1, ... A sparse matrix becomes dense, unless it has dissimilarities.
    reset : bool
    missing : bool
        Whether values may be missing.
    square : bool
        Whether X has dissimilarities to the rows of the fit.

    Raises
    ------
    ValueError
        If X is not valid or, when dense, does not fit in memory.
    TypeError
        For sparse matrices of dissimilarities.
    """
    if issparse(X) and not square:
        check_fits(
            8.0 * X.shape[0] * X.shape[1],
            "a dense matrix of X takes",
            "use fewer columns (TruncatedSVD, SelectKBest) or rows",
        )
        X = X.toarray()
    table = isinstance(nw.from_native(X, pass_through=True), (nw.DataFrame, nw.LazyFrame))
    X = as_pandas(X) if table else X
    if table and not square:
        validate_data(estimator, X=X, reset=reset, skip_check_array=True)
        where = X.columns[X.isna().any()]
        if not missing and len(where):
            raise DataError(
                f"X has missing values (NaN) in {', '.join(map(shown, where))}: fill them in, or "
                "use na='keep' with Gower dissimilarities, which skip them"
            )
        return X.set_axis(X.columns.map(str), axis=1).reset_index(drop=True)
    values = validate_data(
        estimator, X=X, reset=reset, ensure_all_finite="allow-nan" if missing else True
    )
    if square:
        check_non_negative(values, type(estimator).__name__)
    if reset and square and values.shape[0] != values.shape[1]:
        raise DataError(
            "precomputed dissimilarities must be square, with one column for each row, but X is "
            f"{values.shape[0]} x {values.shape[1]}"
        )
    return pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])])


def read_classes(y: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes in y, sorted, and the code of each row.

    Invalid targets raise scikit-learn's errors.
    """
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes


def read_weights(
    sample_weight: Any, X: pd.DataFrame, weighting: str
) -> tuple[np.ndarray, np.ndarray | None]:
    """The rows that take part, each as many times as its copies, and their weights if these remain.

    Parameters
    ----------
    sample_weight : array-like (n,), or None
    X : DataFrame (n, p)
    weighting : "auto", "copies" or "weights"
        Whether a row of weight 3 is copied three times; "auto": if all weights are whole numbers.

    Returns
    -------
    rows : int array (r,), ascending
        Without rows of weight 0.
    weights : array (r,), or None
    """
    one_of("weighting", weighting, ("auto", "copies", "weights"))
    if sample_weight is None:
        return np.arange(len(X)), None
    weights = _check_sample_weight(sample_weight, X, dtype=float, ensure_non_negative=True)
    rows = np.flatnonzero(weights > 0)
    used = weights[rows]
    broken = used[used != np.floor(used)]
    if weighting == "weights" or (weighting == "auto" and len(broken)):
        return rows, used
    if len(broken):
        raise OptionError(
            f"weighting='copies' needs whole numbers as weights, not {shown(broken[0])}"
        )
    check_fits(
        8.0 * used.sum() * X.shape[1],
        "copies of rows by sample_weight take",
        "use weighting='weights'",
    )
    return np.repeat(rows, used.astype(int)), None


def read_folds(cv: Any, X: pd.DataFrame, y: np.ndarray, groups: Any) -> Any:
    """`cv=` as `protoclass.fit` takes it: splitters and lists of splits of scikit-learn become the
    fold of each row.

    Raises
    ------
    OptionError
        Unless each row is held out in one split and is in the training rows of all others.
    """
    if cv is None or isinstance(cv, (str, Integral)):
        return cv
    fold = np.full(len(y), -1)
    for number, (train, test) in enumerate(check_cv(cv, y, classifier=True).split(X, y, groups)):
        train, test = (np.arange(len(y))[part] for part in (train, test))
        if (fold[test] >= 0).any() or len(np.union1d(train, test)) != len(y):
            fold[:] = -1
            break
        fold[test] = number
    if (fold < 0).any():
        raise OptionError(
            f"cv must leave each row out once, such as StratifiedKFold, not {brief(cv)}: use "
            "GridSearchCV for other splits"
        )
    return fold


def read_groups(groups: Any, rows: np.ndarray, X: pd.DataFrame, cv: Any) -> np.ndarray | None:
    """The group of each row that takes part: the given one, or else the row that it is a copy of,
    so that copies are in one fold."""
    if groups is not None:
        check_consistent_length(X, groups)
        return column_or_1d(groups)[rows]
    copied = len(np.unique(rows)) < len(rows)
    return rows if copied and not isinstance(cv, np.ndarray) else None
