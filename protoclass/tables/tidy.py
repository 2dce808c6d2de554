"""broom's tables: tidy, glance and augment."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..analysis.steps import margins
from ..estimation.fitted import Fitted
from ..frames.tables import as_given, as_pandas, beside_given
from ..ground.errors import DataError
from ..ground.text import shorten
from .words import corrected_error, is_text, shown_error, shown_name

ADDED = ("fitted", "correct", "prototype", "distance", "margin", "covered")  # by augment


def tidy(fit: Fitted) -> Any:
    """Table with one row per prototype: its label, class, and the columns of the method; for "scm" one row per feature.

    The table is from the library of the fitted data: pandas, polars or pyarrow.
    """
    return as_given(list_prototypes(fit), fit.call.data)


def list_prototypes(fit: Fitted) -> pd.DataFrame:
    """`tidy`, as pandas has it."""
    if fit.model.has("feature_table"):
        return fit.model.feature_table(fit._learned)
    out = fit._prototype_table.reset_index(drop=True)
    out.insert(0, "prototype", list(fit._prototype_table.index))
    return out


def with_texts(fit: Fitted, table: pd.DataFrame) -> pd.DataFrame:
    """The table of the prototypes, with columns of text where these describe them."""
    if not is_text(fit) or fit.model.has("feature_table") or fit.rule.prototypes.at is None:
        return table
    texts = fit.prototypes.iloc[:, -1]
    return table.assign(**{str(texts.name): [shorten(str(text)) for text in texts]})


def glance(fit: Fitted) -> Any:
    """Table with one row: method, rows, classes, prototypes, parameters, training error, CV error with its SE.

    Only parameters that have an effect are listed. The cross-validated columns are named by the
    measure, such as `cv_error`, `cv_balanced_error`, `cv_loss` or `cv_auc`, and `cv_se`; the column with `_corrected`
    has the error corrected for tuning (see `Validation.corrected`). The table is from the library
    of the fitted data.
    """
    row: dict[str, Any] = {
        "method": fit.model.name,
        "nobs": fit.nobs,
        "dropped": len(fit.dropped),
        "classes": len(fit.classes),
        "prototypes": len(fit.rule.prototypes),
        "size": fit.rule.size,
    }
    row |= {"dissimilarity": fit.dissimilarity.metric.name} if fit.model.measures(fit.rule) else {}
    unused = fit.model.unused(len(fit.classes))
    values = {name: value for name, value in fit.params.items() if name not in unused}
    row |= {name: value for name, value in values.items() if isinstance(value, (int, float, str))}
    if "objective" in fit.rule.report:
        row["objective"] = fit.objective.value
    row["training_error"] = fit._training_error
    if fit._curve is not None and fit._selection.point is not None:
        chosen, name = (
            fit._curve.table.iloc[fit._selection.point],
            shown_name(fit._curve).lower().replace(" ", "_"),
        )
        corrected = corrected_error(fit)
        row |= {f"cv_{name}": shown_error(fit._curve, chosen["error"]), "cv_se": chosen["se"]}
        if corrected is not None:
            row[f"cv_{name}_corrected"] = shown_error(fit._curve, corrected.value)
    return as_given(pd.DataFrame([row]), fit.call.data)


def augment(fit: Fitted, new: Any = None) -> Any:
    """Add predictions, nearest prototypes, distances and margins to the data (default: the training data).

    Columns, as far as the model has them:

    * `fitted`; `correct`, if the response is present;
    * `prototype`: the nearest; `distance`: the distance to it;
    * `margin`: the distance to the nearest prototype of another class minus that to the nearest of
      the row's own class (of the fitted class, if its own is unknown);
    * `covered`: whether the row is in a ball of its class and in no ball of another class.

    Training rows that were dropped have NA.

    Notes
    -----
    A polars or pyarrow table is returned with these columns added; for a path or lazy table a
    pandas table, which without `new` has the columns that the fit has read.
    """
    base = as_pandas(fit.call.data if new is None else new)
    given = fit.dissimilarity.metric.given
    source = base if new is not None or not given else None
    clash = [c for c in ADDED if c in base]
    if clash:
        raise DataError(f"the data have a column {clash[0]!r}, which augment adds: rename it")
    out, fitted = base.copy(), fit._predictions(source).reindex(base.index)
    truth = base.get(fit.frame.formula.response)

    def predicted(kind: str) -> Any:
        return fit._predictions(source, kind, unseen=None).reindex(base.index)

    def equal(one: pd.Series, other: pd.Series) -> pd.Series:
        same = (one.astype(object) == other.astype(object)).astype("boolean")
        return same.where(fitted.notna())

    out["fitted"] = fitted
    if truth is not None:
        out["correct"] = equal(fitted, truth).where(truth.notna())
    if "nearest" in fit.rule.kinds:
        out["prototype"] = predicted("nearest")
    if "distance" in fit.rule.kinds:
        distance = predicted("distance")
        out["distance"] = distance.min(axis=1)
        classes = fitted if truth is None else truth.astype(object).where(truth.notna(), fitted)
        codes = fit.frame.levels.get_indexer(classes.astype(object))
        out["margin"] = margins(distance.to_numpy(float), codes)
    if "cover" in fit.rule.kinds:
        out["covered"] = equal(predicted("cover"), fitted if truth is None else truth)
    return beside_given(out, fit.call.data if new is None else new)
