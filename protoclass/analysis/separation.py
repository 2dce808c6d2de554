"""How the variables separate the prototypes of different classes; between two prototypes, the linear score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ..core.distances.minkowski import Geometry
from ..core.sources import part
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable
from ..metrics.base import TrainedMetric, VectorMetric, as_vectors, compare, rows_of
from .why import prototype_predictors

BLOCK = 2**22  # cells of rows that are measured together
NO_SUM = "{} dissimilarities are not a sum over variables: use importance()"
TINY = np.finfo(float).tiny
LINEAR = 1e-3  # relative deviation from a linear map, for columns in single precision


def separation(fit: Fitted) -> pd.DataFrame:
    """Share of each variable in the distances between the prototypes of different classes, and its direction.

    A weight of a learned metric multiplies a squared difference, so it does not show alone how much a variable counts: a variable with
    a large weight counts little if the prototypes hardly differ in it.

    Returns
    -------
    DataFrame
        Table by variable of the metric (a column of the design matrix, or with Gower a predictor), the largest share first:

        * `share`: proportion of the squared distance (with Gower, of the distance) from a prototype to the nearest prototype of another
          class, the mean over the prototypes. The sum is 1; with a full matrix, a share may be negative;
        * `higher`: the class whose prototypes have the higher mean value; NA for categories and ties;
        * `weight`: the learned weight, if the metric has learned weights;
        * `coefficient`: for two prototypes with a Euclidean distance, also weighted or with a full matrix. The fitted model is then a
          linear score: it predicts `attrs["class"]` if the sum of coefficient times variable is above `attrs["cut"]`, and otherwise
          the other class.

    Raises
    ------
    NotAvailable
        If the model does not predict the class of the nearest prototype, if one class alone has prototypes, or if the metric is not a
        sum over variables.

    Notes
    -----
    The prototypes are a, of `attrs["class"]`, and b. With weights w and scales s, variable j adds w_j (a_j - b_j)^2 / s_j^2 to their
    squared distance. Its coefficient is 2 w_j (a_j - b_j) / s_j^2. With a matrix L instead, these are (a_j - b_j) (L (a - b))_j and
    2 (L (a - b))_j.

    See Also
    --------
    Fit.why : the variables behind a single prediction.
    Fit.importance : the increase in error if a variable is permuted.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris").iloc[50:]
    >>> iris["species"] = iris["species"].astype(str)
    >>> fit = pc.fit("species ~ .", iris, "medianglvq", K=1, matrix="diagonal", ridge=0.01)
    >>> table = fit.separation()
    >>> table[["share", "higher"]].round(2).to_dict("index")["petal_width"]
    {'share': 0.47, 'higher': 'virginica'}
    >>> score = iris[table.index] @ table["coefficient"]
    >>> bool(((score > table.attrs["cut"]) == (fit.predict() == table.attrs["class"])).all())
    True
    """
    reason = why_not_separated(fit)
    if reason:
        raise NotAvailable(reason)
    metric, codes = fit.dissimilarity.metric, fit.rule.prototypes.classes
    values, rep = prototype_values(fit), fit.dissimilarity.prototype_rep(fit.rule.prototypes)
    rival = np.where(codes[:, None] != codes, compare(metric, rep, rep), np.inf).argmin(axis=1)
    slopes, X, names = slopes_of(fit, values, rep[0]), values.to_numpy(), list(values)
    if slopes is None:
        names = list(metric.variables)
        if not names:
            raise NotAvailable(NO_SUM.format(metric.name))
        pairs = [(part(rep, slice(k, k + 1)), part(rep, slice(j, j + 1))) for k, j in enumerate(rival.tolist())]
        terms = np.nan_to_num([metric.terms(a, b)[0, 0] for a, b in pairs])
    else:
        terms = (X - X[rival]) * (slopes - slopes[rival])
    means = values.select_dtypes("number").groupby(codes).mean().dropna(axis=1)
    highest = means.idxmax().where((means == means.max()).sum() == 1, -1).reindex(names, fill_value=-1).astype(int)
    share = (terms / np.maximum(terms.sum(axis=1, keepdims=True), TINY)).sum(axis=0)
    out = pd.DataFrame({"share": share / max(share.sum(), TINY), "higher": pd.Categorical.from_codes(highest, fit.frame.levels)})
    out.index = pd.Index(names, name="variable")
    if metric.column_weights is not None:
        out["weight"] = metric.column_weights["weight"].to_numpy()
    if slopes is not None and len(codes) == 2:
        last = int(codes.argmax())
        out["coefficient"] = 2 * (slopes[last] - slopes[1 - last])
        out.attrs |= {"class": fit.classes[codes[last]], "cut": float(out["coefficient"] @ X.mean(axis=0))}
    return out.sort_values("share", key=abs, ascending=False, kind="stable")


def why_not_separated(fit: Fitted) -> str:
    """The reason why `separation` is not available; "" if it is."""
    metric = fit.dissimilarity.metric
    if not fit.model.can.nearest or fit.model.can.own_distances:
        return f"method {fit.model.name!r} does not predict the class of the nearest prototype by the metric: use importance()"
    if len(np.unique(fit.rule.prototypes.classes)) < 2:
        return "there are no prototypes of different classes to separate"
    if not metric.same_sides and type(metric).contributions is not TrainedMetric.contributions:
        return f"{metric.name} dissimilarities depend on the class of the prototype: use why()"
    return "" if metric.variables or metric.geometry == Geometry() else NO_SUM.format(metric.name)


def prototype_values(fit: Fitted) -> pd.DataFrame:
    """The prototypes in the columns of the design matrix, or if the metric has no coordinates as predictors."""
    metric, prototypes = fit.dissimilarity.metric, fit.rule.prototypes
    if prototypes.at is None:
        return as_vectors(metric).original(np.asarray(prototypes.coords))
    frame = fit.frame.again(prototype_predictors(fit))[0]
    return frame.design if isinstance(metric, VectorMetric) else frame.columns


def slopes_of(fit: Fitted, values: pd.DataFrame, centres: np.ndarray) -> np.ndarray | None:
    """L a of each prototype a, (q, p), up to a row that all have in common, for squared distances (x - a)' L (x - a).

    L = M' M, where M maps columns to the coordinates between which the distance is Euclidean, as those of the `centres` (q, k). None if
    there are no such coordinates.
    """
    if fit.dissimilarity.metric.geometry != Geometry():
        return None

    def place(columns: np.ndarray) -> np.ndarray:
        table = pd.DataFrame(columns, columns=values.columns)
        frame = replace(fit.frame.remembered, columns=table, response=None, schema={}, spec=None, weights=np.ones(len(table)))
        return np.asarray(rows_of(fit.dissimilarity.metric, frame)[0], float)

    step, apart = np.ptp(values.to_numpy(float), axis=0), np.asarray(centres - centres[0], float)
    step[step == 0] = 1.0
    origin, out = place(np.zeros((1, len(step)))), np.empty(values.shape)
    whole = left = place(step[None]) - origin  # nothing is left of a linear map
    for at in np.array_split(np.arange(len(step)), 1 + len(step) ** 2 // BLOCK):
        moved = place(step[at, None] * (at[:, None] == np.arange(len(step)))) - origin
        out[:, at] = apart @ moved.T / step[at]
        left = left - moved.sum(axis=0)
    return out if np.abs(left).max() <= LINEAR * np.abs(whole).max() else None
