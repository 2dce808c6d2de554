"""Classifiers of other packages in `compare`: estimators of scikit-learn, and predictions that somebody else has made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from ..estimation.problem import class_factors
from ..frames.frame import Frame, mold
from ..frames.schema import along, check_unique
from ..frames.tables import as_pandas
from ..ground.checks import among, is_real, quoted
from ..ground.errors import DataError, OptionError, brief, shown
from ..models.base import Model
from ..values import public

ROUNDING = 0.01  # by which the probabilities of a row may differ from 1 in sum, as those that were written with few digits do


@public
@dataclass(frozen=True, eq=False)
class Predictions:
    """Existing predictions, for example from R, as a method of `compare`.

    Each row has one prediction, and each split uses the predictions of its test rows. The classifier must not have been trained on
    the row that it predicts: the predictions come from a cross-validation elsewhere (`compare(cv=folds)` takes the same folds), or
    from training rows other than `new`. Several splits do not show how these predictions would vary with the training rows.

    Parameters
    ----------
    values : Series, array or DataFrame
        Predicted class of each row: a Series by row label, or an array by position. Or the probabilities of the classes: a DataFrame
        by row label with a column for each class. The most probable class is then predicted, with ties going to the first class. Rows
        that are not tested need no prediction; a missing prediction counts as wrong.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> widths = pd.cut(iris["petal_width"], [0, 0.8, 1.65, 3], labels=["setosa", "versicolor", "virginica"])
    >>> methods = {"by width": pc.Predictions(widths.rename("by width")), "1-NN": pc.KNN(k=1)}
    >>> pc.compare("species ~ .", iris, methods, cv=5).table["wrong"].to_dict()
    {'by width': 6, '1-NN': 9}
    """

    values: Any

    def __post_init__(self) -> None:
        axes = np.ndim(self.values)
        if axes not in (1, 2) or (axes == 2 and isinstance(self.values, (np.ndarray, list, tuple))):
            raise OptionError(
                "predictions must be a Series of classes by row label, an array of classes by position, or a DataFrame of probabilities "
                f"with a column for each class, not {brief(self.values)}"
            )


def predicted_by(given: Predictions, rows: pd.Index, data: pd.DataFrame, levels: pd.Index) -> tuple[pd.Series, np.ndarray | None]:
    """The predicted classes of some rows of the data, and the probabilities (rows, classes) if they are known."""
    values = given.values
    if np.ndim(values) == 2:
        values = as_pandas(values)
    elif not isinstance(values, pd.Series):
        values = pd.Series(along(values, data, "predictions"), data.index)
    check_unique(values.index, "prediction row")
    lost = rows[~among(rows, values.index)]
    if len(lost):
        raise DataError(f"the predictions lack the row {shown(lost[0])}, but every test row needs one, by its label in the data")
    if isinstance(values, pd.Series):
        return as_classes(values.loc[rows], levels), None
    p = _probabilities(values, rows, levels)
    codes = np.where(np.isnan(p).any(axis=1), -1, p.argmax(axis=1))
    return pd.Series(pd.Categorical.from_codes(codes, levels), rows), p


def _probabilities(table: pd.DataFrame, rows: pd.Index, levels: pd.Index) -> np.ndarray:
    """Probabilities (rows, classes) in level order; NaN in all columns of a row that lacks one."""
    if table.shape[1] != len(levels) or set(table.columns) != set(levels):
        raise DataError(f"the probabilities must have a column for each class, {quoted(levels)}, not {quoted(table.columns)}")
    try:
        p = table.loc[rows, list(levels)].to_numpy(float, na_value=np.nan)
    except (TypeError, ValueError):
        raise DataError("the probabilities must be numbers: use table.astype(float)") from None
    p = np.where(np.isnan(p).any(axis=1, keepdims=True), np.nan, p)
    wrong = (p < 0).any(axis=1) | (np.abs(p.sum(axis=1) - 1) > ROUNDING)
    if wrong.any():
        raise DataError(f"the probabilities of a row must be >= 0 and sum to 1, not {p[wrong][0].tolist()} as for {shown(rows[wrong][0])}")
    return np.asarray(p)


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


def check_predictions(given: Predictions, frame: Frame) -> None:
    """Raise if the predictions are among the predictors, from which the other methods learn."""
    names = getattr(given.values, "columns", [getattr(given.values, "name", None)])
    used = [name for name in names if name in frame.schema]
    if used:
        raise OptionError(
            f"the predictions have the name {shown(used[0])}, which is also a predictor in {frame.formula.quoted}: leave that column out "
            f"of the formula, '. - {used[0]}', or rename the predictions"
        )


def is_estimator(method: Any) -> bool:
    """Whether a method of `compare` is meant as an estimator, or a class of these."""
    ours = isinstance(method, (Model, Fitted)) or (isinstance(method, type) and issubclass(method, Model))
    return not ours and (hasattr(method, "fit") or hasattr(method, "predict"))


def check_estimator(estimator: Any, options: Mapping[str, Any], frame: Frame) -> None:
    """Raise if an estimator cannot be fitted to the predictors of a frame, or does not take a further argument."""
    name = (estimator if isinstance(estimator, type) else type(estimator)).__name__
    if isinstance(estimator, type):
        raise OptionError(f"{name} is a class: use an object of it, {name}()")
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        lacking = "predict" if hasattr(estimator, "fit") else "fit"
        raise OptionError(f"{name} has no {lacking}: use a classifier, or a pipeline that ends in one")
    if options.get("class_weights") is not None:
        from sklearn.utils.validation import has_fit_parameter  # slow to import

        if not has_fit_parameter(estimator, "sample_weight"):
            raise OptionError(
                f"class_weights= needs sample_weight, but {name}.fit has none: leave class_weights out, and use the estimator's own, such "
                "as class_weight='balanced' in the last step of a pipeline"
            )
    formula = frame.formula
    if not formula.terms:
        raise OptionError(
            f"an estimator needs predictors, but {formula.quoted} has none: name them, or use predictions, pc.Predictions(values)"
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
    options: Mapping[str, Any], whole: Frame, train: pd.DataFrame, new: pd.DataFrame
) -> tuple[dict[str, Any], pd.Series, np.ndarray | None]:
    """A copy of an estimator, fitted to training rows: sizes and times, its predictions of new rows, and their probabilities.

    Parameters
    ----------
    options : mapping
        Options with the estimator as `method`, and perhaps `class_weights`.
    whole : Frame
        Frame of all rows.
    train, new : DataFrame
    """
    from sklearn.base import clone  # slow to import

    start = perf_counter()
    estimator, levels = clone(options["method"], safe=False), whole.levels
    others = tuple(name for name in train if name not in whole.schema)
    frame = mold(whole.formula.text, train, na="keep" if whole.keep else "drop", aside=others)
    X, X_new = (f.columns if takes_columns(estimator) else f.expanded for f in (frame, frame.again(new)[0]))
    weights = {}
    if options.get("class_weights") is not None:
        weights["sample_weight"] = class_factors(frame, options["class_weights"])[frame.codes]
    estimator.fit(X, np.asarray(frame.levels)[frame.codes], **weights)
    fitted = perf_counter()
    predicted = pd.Series(np.asarray(estimator.predict(X_new)).ravel(), new.index)
    row = {"prototypes": np.nan, "size": np.nan, "seconds": fitted - start, "predict_seconds": perf_counter() - fitted,
           "choice": {k: v if is_real(v) else brief(v) for k, v in getattr(estimator, "best_params_", {}).items()}}  # fmt: skip
    classes, p = as_classes(predicted, levels), None
    if hasattr(estimator, "predict_proba"):
        p = np.zeros((len(new), len(levels)))
        p[:, as_classes(pd.Series(estimator.classes_), levels).cat.codes] = estimator.predict_proba(X_new)
    return row, classes, p
