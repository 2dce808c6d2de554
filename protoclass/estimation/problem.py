"""What fit and cross-validation share: from the arguments to a Problem, and reading rules on rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..core.sources import Held, Rep, Source, part
from ..core.task import Path, Rule, Task
from ..errors import DataError, OptionError, brief, one_of, shown, whole
from ..frames.frame import Frame, along, as_pandas, mold
from ..metrics.base import Metric
from ..metrics.candidates import Candidates, check
from ..metrics.dissimilarity import Dissimilarity, relate, resolve
from ..models.base import Model
from ..models.registry import model as by_name

ONCE = 2**29  # bytes of a matrix that is held although it is read once
BLOCK = 2**24  # dissimilarities measured at a time when rules are read
DEFAULTS: Mapping[str, Any] = {"method": "pvm", "dissimilarity": "auto", "candidates": "train", "cv": "auto", "choose": "1se",
                               "na": "drop", "weights": None, "groups": None, "seed": 0, "progress": None,
                               "client": None, "measure": "error", "repeats": 1}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """How a fit was asked for: the function's name, the formula, the data and all further arguments."""

    function: str
    formula: str
    data: Any
    arguments: Mapping[str, Any]

    def __repr__(self) -> str:
        shown = [repr(self.formula), "data"]
        shown += [f"{k}={short(v)}" for k, v in self.arguments.items() if not _default(k, v)]
        return f"{self.function}({', '.join(shown)})"


def _default(name: str, value: Any) -> bool:
    return name in DEFAULTS and type(value) is type(DEFAULTS[name]) and value == DEFAULTS[name]


def short(value: Any) -> str:
    return f"<{type(value).__name__}>" if isinstance(value, (pd.Series, Dissimilarity)) else brief(value)


@dataclass(frozen=True)
class Problem:
    """A frame, a metric and a model that fit one another.

    Attributes
    ----------
    call : Call
    frame : Frame
    model : Model
    metric : Metric
        To be trained, on all rows or anew in each fold.
    trained : bool
        Whether the metric serves as it is.
    groups : int array (n,), or None
    cv : as given; a Series or array of folds is cut to the rows that take part
    seed : int
    progress : bool or None
    candidates : as given
    """

    call: Call
    frame: Frame
    model: Model
    metric: Metric
    trained: bool
    groups: np.ndarray | None
    cv: Any
    seed: int
    progress: bool | None
    candidates: Any = "train"

    @property
    def by_fold(self) -> bool:
        """Whether metric or candidates must be learned anew in each fold."""
        return self.metric.supervised or (isinstance(self.candidates, Candidates) and self.candidates.learned)

    def relate(self, train: np.ndarray | None = None) -> Dissimilarity:
        """Rows and candidates under the metric, trained on the rows `train` (all by default)."""
        return relate(self.frame, self.metric, train, self.trained, self.candidates, self.seed)

    def task(self, related: Dissimilarity, tick: Callable[[], None] = lambda: None, limit: float | None = None) -> Task:
        """What the model sees; see `Dissimilarity.source` for `limit`.

        A model that reads vectors or columns gets no dissimilarities: none are measured.
        """
        frame = self.frame
        vectors = partial(related.metric.vectors, related.rows)
        if self.model.reads == "vectors":
            with np.errstate(over="ignore"):  # fails before any work
                fine = np.isfinite((np.asarray(vectors(), float) ** 2).sum())
            if not fine:
                raise DataError(
                    "some columns are too large, as their squares overflow: scale them, as dissimilarity='euclidean' does"
                )
        if "D" not in self.model.reads:
            source: Source = Held(np.broadcast_to(np.nan, related.shape))  # takes no memory
        else:
            source = related.source(tick, limit=limit)
        origin = related.origin
        serves = np.full(len(origin), -1)
        if isinstance(self.candidates, str) and self.candidates == "own":
            serves = np.where(origin >= 0, frame.codes[origin], -1)
        return Task(
            source, frame.codes, len(frame.levels), frame.weights, origin, (self.seed,), vectors, serves=serves,
            columns=self._columns, levels=tuple(frame.levels), label=lambda i: shown(frame.index[i]),
        )  # fmt: skip

    def _columns(self) -> np.ndarray:
        if not self.frame.formula.terms:
            raise DataError(f"{self.model.name} reads columns, and {self.frame.formula.text!r} names no predictors")
        return self.frame.design.to_numpy(float)


def prepare(function: str, formula: str, data: Any, arguments: Mapping[str, Any], knobs: dict[str, Any]) -> Problem:
    """Check the arguments of `fit` or `cross_validate` and make a Problem of them."""
    given = {**DEFAULTS, **arguments}
    model = by_name(given["method"], knobs)
    check(given["candidates"])
    wanted = given["candidates"]
    kind = "unlabelled" if isinstance(wanted, (str, Candidates)) else "subset"
    if not (isinstance(wanted, str) and wanted == "train") and kind not in model.accepts:
        rows = " or a number of them" if "subset" in model.accepts else ""
        raise OptionError(
            f"candidates={brief(wanted)}: method {model.name!r} takes the training rows, candidates='train'{rows}"
        )
    if given["client"] is not None:
        raise OptionError("client= is for distributed fits, which this version does not have")
    seed = given["seed"]
    whole("seed", seed, 0)
    one_of("progress", given["progress"], (None, True, False))
    data = as_pandas(data)
    weights, groups = given["weights"], given["groups"]
    if weights is not None and "weights" not in model.accepts:
        raise OptionError(f"method {model.name!r} takes no weights")
    aside = tuple(v for v in (weights, groups) if isinstance(v, str))
    frame = mold(formula, data, na=given["na"], weights=weights, aside=aside)
    spec = given["dissimilarity"]
    trained = isinstance(spec, Dissimilarity)
    if isinstance(spec, Dissimilarity):
        frame = _predictors(frame, spec)
    metric = resolve(spec, frame, data.index).once(frame)
    kept = data.index.get_indexer(frame.index)
    codes = None
    if groups is not None:
        of_row = pd.Series(np.asarray(along(groups, data, "groups"), object))
        if of_row.isna().any():
            raise DataError("groups have missing values: every row needs one")
        codes = pd.factorize(of_row.iloc[kept])[0]
    cv = _folds(given["cv"], data, kept)
    call = Call(function, formula, data, {**arguments, **knobs})
    return Problem(
        call,
        frame,
        model,
        metric,
        trained and not metric.supervised,
        codes,
        cv,
        int(seed),
        given["progress"],
        given["candidates"],
    )


def with_folds(problem: Problem, cv: Any) -> Problem:
    """The problem with other folds."""
    data = as_pandas(problem.call.data)
    return replace(problem, cv=_folds(cv, data, data.index.get_indexer(problem.frame.index)))


def _folds(cv: Any, data: pd.DataFrame, kept: np.ndarray) -> Any:
    """`cv=` as given; folds of one's own as an array over the rows that take part."""
    if cv is None or isinstance(cv, (str, int, float, np.number)):
        return cv
    of_row = pd.Series(np.asarray(along(cv, data, "cv folds"), object))
    if of_row.isna().any():
        raise DataError("the folds in cv have missing values: every row needs one")
    return of_row.iloc[kept].to_numpy()


def enough(problem: Problem, counts: np.ndarray, grid: Mapping[str, np.ndarray], where: str = "") -> None:
    """Raise where a class has fewer rows (with weight) than the model needs of it."""
    levels = tuple(problem.frame.levels)
    needed = problem.model.rows_needed(grid, counts, levels)
    short = np.flatnonzero(counts < needed)
    if len(short):
        c = short[np.argmin(counts[short])]
        raise DataError(
            f"{problem.model.name} needs at least {needed[c]} row{'s' if needed[c] > 1 else ''} of class {shown(levels[c])}, and it has "
            f"{counts[c]}{where}"
        )


def _predictors(frame: Frame, related: Dissimilarity) -> Frame:
    """The frame with the predictors of a Dissimilarity that was given."""
    if frame.formula.terms:
        raise OptionError(
            f"with given dissimilarities the formula names no predictors: write '{frame.formula.response} ~ 1', not "
            f"{frame.formula.text!r}"
        )
    at = related.index.get_indexer(frame.index)
    if (at < 0).any():
        raise DataError(
            f"the dissimilarities lack the row {shown(frame.index[at < 0][0])} of the data: rows are matched by label"
        )
    source = related.data
    return replace(frame, columns=source.columns.iloc[at], formula=replace(source.formula, response=frame.formula.response),
                   schema=source.schema, spec=source.spec, keep=source.keep)  # fmt: skip


def read(
    kind: str, rule: Rule | Path, related: Dissimilarity, rows: Rep, points: Rep, columns: np.ndarray | None = None
) -> np.ndarray:
    """What a rule or path says of rows, block by block; rows with a missing dissimilarity give -1 or NaN.

    `columns` holds the rows' design matrix where the rule reads it, see `columns_of`.
    """
    n = len(rows[0])
    step = max(1, BLOCK // max(1, len(points[0]))) if points else BLOCK
    parts = []
    for block in blocks(max(n, 1), step):
        some = part(rows, block)
        X = None if columns is None else columns[block]
        if rule.reads == "vectors":
            X = related.metric.vectors(some)
        if "D" not in rule.reads:
            parts.append(rule.predict(kind, np.empty((len(some[0]), 0)), X))
            continue
        D = related.metric.between(some, points)
        lost = np.isnan(D).any(axis=1)
        if not lost.any():
            parts.append(rule.predict(kind, D, X))
            continue
        told = rule.predict(kind, np.where(lost[:, None], 0.0, D), X)
        told[lost] = -1 if np.issubdtype(told.dtype, np.integer) else np.nan
        parts.append(told)
    return np.concatenate(parts)


def columns_of(rule: Rule | Path, frame: Frame | None) -> np.ndarray | None:
    """The design matrix of a frame where a rule reads it."""
    return None if frame is None or "columns" not in rule.reads else frame.design.to_numpy(float)


def places(rule: Rule | Path, related: Dissimilarity) -> Rep:
    """The points of a rule or path as `metric.between` takes them."""
    points = rule.points
    if "D" not in rule.reads:
        return ()
    if points.at is not None:
        return part(related.points, points.at)
    assert points.coords is not None
    return related.metric.place(points.coords)


def bar(total: int | None, what: str, progress: bool | None) -> Any:
    """A tqdm bar that shows itself after 2 s (`progress` None), at once (True) or never (False)."""
    from tqdm.auto import tqdm

    return tqdm(total=total, desc=what, disable=progress is False, delay=0 if progress else 2, leave=False)


def blocks(n: int, size: int) -> Iterator[slice]:
    """Slices of about `size` that together make up n."""
    for first in range(0, n, size):
        yield slice(first, first + size)
