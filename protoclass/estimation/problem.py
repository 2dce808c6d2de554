"""A call of `fit` or `cross_validate`, and the problem that it means: rows, metric, method and
folds, with the learned metric, the candidates and the budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.parallel import Once
from ..core.query import Path
from ..core.sources import Source
from ..core.statistics.folds import FOLDS
from ..core.task import Task
from ..frames.frame import Frame, blocks
from ..frames.tables import Absent
from ..ground.checks import quoted
from ..ground.errors import DataError, NotAvailableError, OptionError, brief, printed, shown
from ..ground.options import bar
from ..ground.savable import savable
from ..metrics.base import Metric, TrainedMetric, as_vectors, joined
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import Candidates, measure_frame, resolve
from ..metrics.wrappers import list_tuned, retuned
from ..models.base import Model

DEFAULTS: Mapping[str, Any] = {  # a call prints them in this order
    "method": "pvm", "dissimilarity": "auto", "candidates": "auto", "cv": "auto",
    "choose": "auto", "na": "drop", "weights": None, "groups": None, "seed": 0, "progress": None,
    "measure": "error", "repeats": "auto", "calibrate": False, "class_weights": None,
    "max_prototypes": None, "tolerance": None,
}  # fmt: skip


def is_default(name: str, value: Any, defaults: Mapping[str, Any] = DEFAULTS) -> bool:
    """Whether an argument has its default value, so that a call need not show it."""
    return (
        name in defaults and type(value) is type(defaults[name]) and bool(value == defaults[name])
    )


@savable
@dataclass(frozen=True)
class Call:
    """A call: the name `function`, its `formula` and `data`, and all further `arguments`, which
    have their defaults if they were not given.
    """

    function: str
    formula: str
    data: Any
    arguments: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", {**DEFAULTS, **self.arguments})

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that are parameters of the method."""
        return {name: value for name, value in self.arguments.items() if name not in DEFAULTS}

    @property
    def choose(self) -> str:
        """The rule that selects a grid point, a name in `core.statistics.one_se.RULES`."""
        if self.arguments["choose"] != "auto":
            return str(self.arguments["choose"])
        if self.arguments["tolerance"] is not None:
            return "tolerance"
        return "1se" if self.arguments["max_prototypes"] is None else "min"

    def changed(self, changes: Mapping[str, Any], parameters: Iterable[str]) -> Call:
        """The call with some arguments changed; `parameters` names the parameters of the fitted method.

        Another method drops the parameters of the old one. A method that was given as an object
        takes the changed parameters itself.
        """
        new, arguments, parameters = dict(changes), dict(self.arguments), set(parameters)
        formula, data = new.pop("formula", self.formula), new.pop("data", self.data)
        method = arguments["method"]
        if "method" in new:
            arguments = {name: v for name, v in arguments.items() if name not in parameters}
        elif isinstance(method, Model):
            changed = {name: new.pop(name) for name in parameters & set(new)}
            arguments["method"] = replace(method, **changed)
        return replace(self, formula=formula, data=data, arguments={**arguments, **new})

    def check_complete(self) -> None:
        """Raise NotAvailableError if data or arguments are gone, so the call cannot be repeated."""
        gone = [
            name
            for name, value in {"data": self.data, **self.arguments}.items()
            if _is_absent(value)
        ]
        if gone:
            named = ", ".join(f"{name}=" for name in gone)
            raise NotAvailableError(
                f"the fit is slim and no longer stores {quoted(gone)} of its call: use {named}, or the full fit"
            )

    @printed
    def __repr__(self) -> str:
        shown = [repr(self.formula), "data"]
        shown += [f"{k}={short(v)}" for k, v in self.arguments.items() if not is_default(k, v)]
        return f"{self.function}({', '.join(shown)})"


def _is_absent(value: Any) -> bool:
    return isinstance(value, Absent) or (
        isinstance(value, Mapping) and any(map(_is_absent, value.values()))
    )


def short(value: Any) -> str:
    """An argument as a call shows it."""
    return (
        f"<{type(value).__name__}>"
        if isinstance(value, (pd.Series, Dissimilarity))
        else brief(value)
    )




@savable(groups="n", class_factors="L", loss="L L")
@dataclass(frozen=True)
class Problem:
    """A frame, a metric and a model that fit one another.

    Attributes
    ----------
    call : Call
    frame : Frame
    model : Model
        Model as given: cross-validation may select parameters.
    metric : Metric or TrainedMetric
        Metric, trained on all rows or again in each fold; a trained one stays as it is.
    groups : int array (n,), or None
    cv : as given; folds of rows only for the rows that take part
    repeats : "auto" or int
    loss_name : str
        Error measure: "error", "balanced", "ordinal", "loss", "auc", "brier" or "log_loss".
    loss : array (classes, classes)
        Loss of predicting column j for class i.
    seed : int
    progress : bool or None
    candidates : as given
    class_factors : array (classes,), or None
        Factors by which `class_weights=` has multiplied the weights of the rows.
    budget : int, or None
        Maximum number of prototypes (or of the units that the method counts) of a rule.
    to_tune : Metric, or None
        Metric with lists of values to tune; `metric` has the first values, or the selected ones.
    """

    call: Call
    frame: Frame
    model: Model
    metric: Metric | TrainedMetric
    groups: Array | None
    cv: Any
    repeats: Any
    loss_name: str
    loss: Array
    seed: int
    progress: bool | None
    candidates: Any = "train"
    class_factors: Array | None = None
    budget: int | None = None
    to_tune: Metric | None = None

    @property
    def metric_axes(self) -> dict[str, list[Any]]:
        """The values of the tuned parameters of the metric, by their names in grids."""
        return {self._axis(name): values for name, values in list_tuned(self.to_tune).items()}

    def _axis(self, name: str) -> str:
        return f"dissimilarity_{name}" if name in self.model.parameters() else name

    def of_method(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of some tuned values that are parameters of the method."""
        return {name: value for name, value in values.items() if name not in self.metric_axes}

    def chosen_metric(self, values: Mapping[str, Any]) -> Metric | None:
        """The specification of the metric with the selected parameters; None if none was tuned."""
        return retuned(self.to_tune, lambda metric, name, _: values[self._axis(name)], self.frame)

    def with_metric(self, values: Mapping[str, Any]) -> Problem:
        """The problem with the selected parameters of the metric."""
        if self.to_tune is None:
            return self
        metric = resolve(self.chosen_metric(values), self.frame, self.frame.columns)
        metric = metric.pretrain(self.frame) if metric.train_in_folds else metric
        return replace(self, metric=learned_metric(self.model, metric, self.frame), to_tune=None)

    @property
    def own_weights(self) -> Array:
        """The weights of the rows (n,) without class weights: the prevalence in the data."""
        factors = self.class_factors
        return self.frame.weights / (1.0 if factors is None else factors[self.frame.codes])

    @property
    def prevalence(self) -> Array:
        """The proportion of each class (classes,) by the rows' own weights."""
        weight = self.frame.class_weights / (
            1.0 if self.class_factors is None else self.class_factors
        )
        return weight / weight.sum()

    @property
    def train_in_folds(self) -> bool:
        """Whether the metric or the candidates must be trained again in each fold."""
        return self.metric.train_in_folds or (
            isinstance(self.candidates, Candidates) and self.candidates.train_in_folds
        )

    def tuned(self) -> list[str]:
        """The parameters that cross-validation chooses, of the metric and of the method."""
        return [*self.metric_axes, *self.model.tuned()]

    @property
    def cv_is_auto(self) -> bool:
        """Whether rows are held out only if a parameter is tuned."""
        return isinstance(self.cv, str) and self.cv == "auto"

    def with_values(self, values: Mapping[str, Any]) -> Problem:
        """The problem with selected parameters, and the metric that the method learns with them."""
        known = self.with_metric(values)
        model = replace(self.model, **self.of_method(values))
        return replace(known, model=model, metric=learned_metric(model, known.metric, self.frame))

    def measure(self, train: Array | None = None) -> Dissimilarity:
        """Rows and candidates under the metric, trained on the rows `train` (all by default)."""
        return measure_frame(self.frame, self.metric, train, self.candidates, self.seed)

    def task(self, dissimilarity: Dissimilarity, limit: float | None = None) -> Task:
        """The task of the model, whose dissimilarities are computed when they are first used."""
        frame, row = self.frame, dissimilarity.candidate_row
        limit = self.model.most_held if limit is None else limit
        if self.metric.train_in_folds and self.model.reads_once is not None:
            limit = self.model.reads_once
        allowed = np.full(len(row), -1)
        if isinstance(self.candidates, str) and self.candidates == "same_class":
            allowed = np.where(row >= 0, frame.codes[row], -1)

        def source() -> Source:
            with bar(None, "measuring", self.progress) as measuring:
                return dissimilarity._source(measuring.update, limit=limit)

        return Task(
            Once(source),
            frame.codes,
            len(frame.levels),
            frame.weights,
            row,
            (self.seed,),
            vectors=Once(lambda: finite_coordinates(dissimilarity)),
            design=Once(lambda: design_matrix(frame)),
            allowed_class=allowed,
            levels=tuple(frame.levels),
            label=lambda i: frame.index[i],
        )


def finite_coordinates(dissimilarity: Dissimilarity) -> Array:
    """Coordinates of all rows, whose squares must be numbers."""
    vectors = as_vectors(dissimilarity.metric).coordinates(dissimilarity.rows)
    with np.errstate(over="ignore"):
        fine = np.isfinite((np.asarray(vectors, float) ** 2).sum())
    if not fine:
        raise DataError(
            "some columns are too large, because their squares overflow: scale them, as dissimilarity='euclidean' does"
        )
    return vectors


def design_matrix(frame: Frame) -> Array:
    """The columns of the design matrix (n, p)."""
    if not frame.formula.terms:
        raise DataError(f"the method needs columns, but {frame.formula.quoted} has no predictors")
    return joined((len(frame), at, (rows.design.to_numpy(float),)) for at, rows in blocks(frame))[0]


def check_rows_needed(
    problem: Problem, counts: Array, grid: Mapping[str, Array], where: str = ""
) -> None:
    """Raise if a class has fewer rows (with weight) than the model needs."""
    needed = problem.model.rows_needed(grid, counts)
    lacking = np.flatnonzero(counts < needed)
    if len(lacking):
        c = lacking[np.argmin(counts[lacking])]
        raise DataError(
            f"{problem.model.name} needs at least {needed[c]} row{'s' if needed[c] > 1 else ''} of "
            f"class {shown(problem.frame.levels[c])}, but it has {counts[c]}{where}"
        )


# dissimilarity= and candidates=

# most rows that all take part in the choice of a default dissimilarity, and most rows times draws
# of the folds
DRAWN_ROWS = 5_000
# predicted seconds on two processors for which candidates="auto" takes as many rows as it can
BUDGET = 30.0
ALWAYS = 5_000  # rows that are all candidates, for any predicted time
LEAST_SAMPLE = 500  # candidates of a sample


def learned_metric(
    model: Model, metric: Metric | TrainedMetric, frame: Frame
) -> Metric | TrainedMetric:
    """The metric that the method learns from `metric`, unless its parameters are to be tuned."""
    if set(model.metric_parameters) & set(model.tuned()):
        return metric
    learned = model.metric(metric, len(frame.levels))
    return learned.pretrain(frame) if learned is not metric and learned.train_in_folds else learned


def choose_candidates(model: Model, metric: Metric | TrainedMetric, frame: Frame) -> Any:
    """The meaning of candidates="auto": "train", or the size of a sample.

    All rows are candidates if there are at most 5,000, if the method takes no sample, or if the fit
    is predicted to take at most 30 s on two processors and to fit in memory; otherwise as many as
    that allows, at least 500. The prediction is a rule of thumb, the same on every machine.
    """
    n, each = int((frame.weights > 0).sum()), model.seconds_each(len(frame.schema))
    if n <= ALWAYS or metric.given or "subset" not in model.can.candidates or each is None:
        return "train"
    # folds that measure each pair
    again = FOLDS if model.shares_work and model.tuned() and metric.train_in_folds else 1
    seconds = each * len(frame) * n * again
    count = min(n * BUDGET / max(seconds, BUDGET), (model.most_pairs or n * n) / n)
    return "train" if count >= n else int(max(LEAST_SAMPLE, count))


# tolerance= and max_prototypes=


def counted(path: Path, model: Model, classes: int) -> Array:
    """The count of each rule of a path that a budget limits, (G,): its prototypes, or its size."""
    if model.can.counted is not True:
        return np.asarray(path.size, np.int64)
    return class_counts(path, classes).sum(axis=1)


def class_counts(path: Path, classes: int) -> Array:
    """Prototypes of each class in the rules of a path, (G, classes)."""
    if hasattr(path, "class_counts"):
        return np.asarray(path.class_counts)
    return np.stack(
        [
            np.bincount(path.at(g).prototypes.classes, minlength=classes)
            for g in range(len(path.size))
        ]
    )


def refuse_budget(problem: Problem, smallest: int, grid: str) -> OptionError:
    """The error if no rule keeps to the budget, with the smallest one."""
    what = "features" if problem.model.can.counted == "features" else "prototypes"
    return OptionError(
        f"max_prototypes={problem.budget} is too small, because {grid} {smallest} {what}: use as "
        f"many, or leave out parameters of {problem.model.name} that make it larger"
    )
