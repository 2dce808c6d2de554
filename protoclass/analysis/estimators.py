"""Estimators of scikit-learn as methods of `compare`."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from ..frames.frame import Frame, mold
from ..ground.checks import is_real, quoted
from ..ground.errors import DataError, OptionError, brief, shown
from ..models.base import Model


def as_classes(values: pd.Series, levels: pd.Index) -> pd.Series:
    """Predictions as a categorical of the classes; raises if one is not a class."""
    values = values.astype(object)
    codes = levels.get_indexer(values)
    unknown = values[(codes < 0) & values.notna().to_numpy()]
    if len(unknown):
        raise DataError(
            f"predictions must be among the classes {quoted(levels)}, not {shown(unknown.iloc[0])} as for the row "
            f"{shown(unknown.index[0])}"
        )
    return pd.Series(pd.Categorical.from_codes(codes, levels), values.index)


def is_estimator(method: Any) -> bool:
    """Whether a method of `compare` is meant as an estimator, or a class of these."""
    ours = isinstance(method, (Model, Fitted)) or (isinstance(method, type) and issubclass(method, Model))
    return not ours and (hasattr(method, "fit") or hasattr(method, "predict"))


def check_estimator(estimator: Any, frame: Frame) -> None:
    """Raise if an estimator cannot be fitted to the predictors of a frame."""
    name = (estimator if isinstance(estimator, type) else type(estimator)).__name__
    if isinstance(estimator, type):
        raise OptionError(f"{name} is a class: use an object of it, {name}()")
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        lacking = "predict" if hasattr(estimator, "fit") else "fit"
        raise OptionError(f"{name} has no {lacking}: use a classifier, or a pipeline that ends in one")
    formula = frame.formula
    if not formula.terms:
        raise OptionError(
            f"an estimator needs predictors, but {formula.quoted} has none: name them"
        )
    if takes_columns(estimator):
        if not formula.plain():
            raise OptionError(
                f"a pipeline needs unchanged columns of the data, but {formula.quoted} computes others: compute them in the pipeline or "
                "in the data"
            )
    elif frame.keep and frame.columns.isna().any(axis=None):
        raise OptionError(
            "predictors are missing in some rows: use a pipeline that accepts missing values, such as make_pipeline(SimpleImputer(), "
            f"{name}()), or na='drop'"
        )


def takes_columns(estimator: Any) -> bool:
    """Whether an estimator, or the one that a search over parameters tunes, is a pipeline."""
    from sklearn.pipeline import Pipeline  # slow to import

    inner = estimator
    while hasattr(inner, "estimator"):
        inner = inner.estimator
    return isinstance(inner, Pipeline)


def judge_estimator(
    estimator: Any, whole: Frame, train: pd.DataFrame, new: pd.DataFrame
) -> tuple[dict[str, Any], pd.Series, np.ndarray | None]:
    """A copy of an estimator, fitted to training rows: sizes and times, its predictions of new rows, and their probabilities.

    Parameters
    ----------
    estimator : estimator
    whole : Frame
        Frame of all rows.
    train, new : DataFrame
    """
    from sklearn.base import clone  # slow to import

    start = perf_counter()
    estimator, levels = clone(estimator, safe=False), whole.levels
    others = tuple(name for name in train if name not in whole.schema)
    frame = mold(whole.formula.text, train, na="keep" if whole.keep else "drop", aside=others)
    X, X_new = (f.columns if takes_columns(estimator) else f.expanded for f in (frame, frame.again(new)[0]))
    estimator.fit(X, np.asarray(frame.levels)[frame.codes])
    fitted = perf_counter()
    predicted = pd.Series(np.asarray(estimator.predict(X_new)).ravel(), new.index)
    row = {"prototypes": np.nan, "size": np.nan, "seconds": fitted - start,
           "choice": {k: v if is_real(v) else brief(v) for k, v in getattr(estimator, "best_params_", {}).items()}}  # fmt: skip
    classes, p = as_classes(predicted, levels), None
    if hasattr(estimator, "predict_proba"):
        p = np.zeros((len(new), len(levels)))
        p[:, as_classes(pd.Series(estimator.classes_), levels).cat.codes] = estimator.predict_proba(X_new)
    return row, classes, p
