"""X, y, sample_weight and cv of scikit-learn as `protoclass.fit` takes them: a frame, row weights, the fold of each row."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from sklearn.model_selection import check_cv
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_non_negative, validate_data

from ..arguments import one_of
from ..errors import DataError, OptionError, brief, shown
from ..frames.tables import as_pandas

MOST_COPIES = 100_000  # rows that copies may make of fewer
WEIGHTINGS = ("auto", "copies", "weights")


def read_rows(estimator: Any, X: Any, reset: bool, missing: bool, square: bool = False) -> pd.DataFrame:
    """X as a frame whose rows are labelled by position, checked as scikit-learn checks it.

    Parameters
    ----------
    estimator : estimator
        Gets `n_features_in_` and `feature_names_in_` where `reset`; otherwise X is compared with these.
    X : DataFrame (pandas, polars, pyarrow) or array-like (n, p)
        The columns of a frame may be of any type that a formula takes; those of an array are numbers, called x0, x1, ...
    reset : bool
    missing : bool
        Whether values may be missing.
    square : bool
        Whether X holds dissimilarities, which are then numbers with one column for each row of the fit.

    Raises
    ------
    ValueError
        Of scikit-learn, in its words; of this package as `DataError`.
    TypeError
        For sparse matrices.
    """
    if is_frame(X) and not square:
        frame = as_pandas(X)
        validate_data(estimator, X=frame, reset=reset, skip_check_array=True)
        if not missing and frame.isna().to_numpy().any():
            counts = frame.isna().sum()
            where = ", ".join(f"{shown(name)} ({count})" for name, count in counts[counts > 0].items())
            raise DataError(
                f"X has missing values (NaN) in {where}: fill them, or give na='keep' with Gower dissimilarities, which skip them"
            )
        return frame.set_axis(frame.columns.map(str), axis=1).set_axis(pd.RangeIndex(len(frame)))
    X = as_pandas(X) if is_frame(X) else X
    values = validate_data(estimator, X=X, reset=reset, ensure_all_finite="allow-nan" if missing else True)
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(float)
    if square:
        check_non_negative(values, type(estimator).__name__)
    if reset and square and values.shape[0] != values.shape[1]:
        raise DataError(
            f"precomputed dissimilarities must be square, one column for each row, and X is {values.shape[0]} x {values.shape[1]}"
        )
    return pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])])


def is_frame(X: Any) -> bool:
    """Whether X is a table of a library that narwhals knows."""
    return isinstance(nw.from_native(X, pass_through=True), (nw.DataFrame, nw.LazyFrame))


def read_classes(estimator: Any, y: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes in y, sorted, and the code of each row.

    Raises
    ------
    ValueError
        Without y, for another length, for missing values, and for targets that are not classes, in scikit-learn's words.
    """
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes


def read_weights(sample_weight: Any, X: pd.DataFrame, weighting: str) -> tuple[np.ndarray, np.ndarray | None]:
    """The rows that take part, by position, each as often as it stands for, and their weights where these remain.

    Parameters
    ----------
    sample_weight : array-like (n,), or None
    X : DataFrame (n, p)
    weighting : "auto", "copies" or "weights"
        Whether a row of weight 3 stands three times, or goes to the method with this weight; "auto": copies where all weights
        are whole numbers.

    Returns
    -------
    rows : int array (r,), ascending
        Without rows of weight 0.
    weights : array (r,), or None
    """
    one_of("weighting", weighting, WEIGHTINGS)
    if sample_weight is None:
        return np.arange(len(X)), None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        raise DataError(f"sample_weight {shown(weights[weights < 0][0])} is negative: weights are >= 0")
    rows = np.flatnonzero(weights > 0)
    if len(rows) == 0:
        raise DataError("all sample weights are zero: sample_weight must have at least one that is not")
    kept = weights[rows]
    whole = bool((kept == np.floor(kept)).all())
    if weighting == "weights" or (weighting == "auto" and not whole):
        return rows, kept
    if not whole:
        raise OptionError(
            f"weighting='copies' needs whole numbers, and a weight is {shown(kept[kept != np.floor(kept)][0])}"
        )
    if kept.sum() > max(MOST_COPIES, len(X)):
        raise OptionError(
            f"sample_weight stands for {kept.sum():,.0f} copies of {len(rows):,} rows, above {MOST_COPIES:,}: give "
            "weighting='weights', so that the method gets the weights"
        )
    return np.repeat(rows, kept.astype(np.int64)), None


def read_folds(cv: Any, X: pd.DataFrame, y: np.ndarray, groups: Any) -> Any:
    """`cv=` as `protoclass.fit` takes it: splitters and lists of splits of scikit-learn become the fold of each row.

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
        if (fold[test] >= 0).any() or len(np.unique(np.concatenate([train, test]))) != len(y):
            fold[:] = -1
            break
        fold[test] = number
    if (fold < 0).any():
        raise OptionError(
            f"cv={brief(cv)}: parameters are tuned on folds, which hold each row out once, as those of StratifiedKFold do; "
            "GridSearchCV takes any splits"
        )
    return fold


def read_groups(groups: Any, rows: np.ndarray, count: int, cv: Any) -> np.ndarray | None:
    """The group of each row that takes part: those given, or else the row that it is a copy of, so that copies share a fold."""
    if groups is not None:
        values = column_or_1d(groups)
        if len(values) != count:
            raise DataError(f"groups have {len(values)} values, and X has {count} rows")
        return np.asarray(values[rows])
    copied = len(rows) > 1 and bool((np.diff(rows) == 0).any())
    return rows if copied and not isinstance(cv, np.ndarray) else None
