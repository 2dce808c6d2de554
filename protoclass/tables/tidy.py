"""broom's tables: tidy, glance and augment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..analysis.safety import certified, why_not_certified
from ..core.memory import check_fits
from ..errors import DataError
from ..frames.reading import origin_of
from ..frames.tables import as_pandas

if TYPE_CHECKING:
    from ..estimation.fit import Fit

ADDED = ("fitted", "correct", "prototype", "distance", "margin", "certified", "covered")  # by augment


def tidy(fit: Fit) -> pd.DataFrame:
    """See `Fit.tidy`."""
    if fit.model.has("feature_table"):
        return fit.model.feature_table(fit.learned)
    out = fit.prototype_table.reset_index(drop=True)
    out.insert(0, "prototype", list(fit.prototype_table.index))
    return out


def glance(fit: Fit) -> pd.DataFrame:
    """See `Fit.glance`."""
    row: dict[str, Any] = {"method": fit.model.name, "nobs": fit.nobs, "dropped": len(fit.dropped), "classes": len(fit.classes),
                           "prototypes": len(fit.rule.prototypes), "size": fit.rule.size}  # fmt: skip
    row |= {"dissimilarity": fit.dissimilarity.metric.name} if fit.model.measures(fit.rule) else {}
    unused = fit.model.unused(len(fit.classes))
    values = {name: value for name, value in fit.parameters().items() if name not in unused}
    row |= {name: value for name, value in values.items() if isinstance(value, (int, float, str))}
    if "objective" in fit.rule.report:
        row["objective"] = fit.objective.value
    row["training_error"] = fit.training_error()
    if fit.validation is not None and fit.point is not None:
        chosen, name = fit.validation.table.iloc[fit.point], fit.validation.measure_name.replace(" ", "_")
        corrected = None if fit.selection.by_hand else fit.validation.corrected(fit.selection.rule)
        row |= {f"cv_{name}": chosen["error"], "cv_se": chosen["se"]}
        row |= {} if corrected is None else {f"cv_{name}_corrected": corrected}
    return pd.DataFrame([row])


def augment(fit: Fit, data: Any = None) -> pd.DataFrame:
    """See `Fit.augment`."""
    base = as_pandas(fit.call.data if data is None else data)
    if origin_of(base) is not None:
        check_fits(
            len(base) * (len(base.columns) + 8) * 8.0, "the table with a row for each row of the data takes",
            "fit.predict(data) gives a column alone, and fit.augment(rows) the table of some rows",
        )  # fmt: skip
    if data is None and fit.frame.parts is not None and len(base) != len(fit.frame) + len(fit.frame.dropped):
        raise DataError(
            f"the data of the fit have {len(base)} rows now, and had {len(fit.frame) + len(fit.frame.dropped)}: fit again, or give "
            "the rows, augment(data)"
        )
    given = fit.dissimilarity.metric.given
    source = base if data is not None or not given else None
    clash = [c for c in ADDED if c in base]
    if clash:
        raise DataError(f"the data have a column {clash[0]!r}, which augment adds: rename it")
    out = base.copy()
    response = fit.frame.formula.response
    fitted = fit.predictions(source).reindex(base.index)
    truth = base.get(response)
    out["fitted"] = fitted
    if truth is not None:
        known = fitted.notna() & truth.notna()
        same = fitted.astype(object) == truth.astype(object)
        out["correct"] = same.astype("boolean").where(known)
    if "nearest" in fit.rule.kinds:
        out["prototype"] = fit.predictions(source, "nearest", unseen=None).reindex(base.index)
    if "distance" in fit.rule.kinds:
        distance = fit.predictions(source, "distance", unseen=None).reindex(base.index)
        out["distance"] = distance.min(axis=1)
        own = fitted if truth is None else truth.astype(object).where(truth.notna(), fitted)
        out["margin"] = _margin(distance, pd.Categorical(own, fit.frame.levels).codes)
        reason = why_not_certified(fit)
        out["certified"] = certified(distance.to_numpy(float), fitted.cat.codes.to_numpy()) if not reason else np.nan
        if reason:
            out.attrs["certified"] = reason
    if "cover" in fit.rule.kinds:
        held = fit.predictions(source, "cover", unseen=None).reindex(base.index)
        against = fitted if truth is None else truth
        out["covered"] = (held.astype(object) == against.astype(object)).astype("boolean").where(fitted.notna())
    return out


def _margin(distance: pd.DataFrame, own: np.ndarray) -> np.ndarray:
    values = distance.to_numpy(float)
    mine = np.where(own >= 0, values[np.arange(len(values)), own], np.nan)
    others = values.copy()
    others[np.arange(len(values)), own] = np.inf
    others = np.where(np.isnan(values).all(axis=1), np.nan, others.min(axis=1))
    with np.errstate(invalid="ignore"):  # no prototypes at all: inf - inf
        return others - mine
