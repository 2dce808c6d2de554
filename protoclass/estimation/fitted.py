"""A fitted rule with its data: predictions and prototypes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd

from ..core import Array
from ..core.query import Query, Rule, answer
from ..core.setcover.problems import Certificate, Objective
from ..core.statistics.folds import FOLDS
from ..core.statistics.roc import decide_at
from ..core.statistics.scores import under_prior
from ..core.statistics.sums import as_counts
from ..core.task import Task
from ..core.thresholds import HOLD_LIMIT
from ..frames.frame import Frame
from ..frames.schema import HOW as UNSEEN
from ..frames.schema import Column, Unseen, check_unique, class_codes
from ..frames.tables import as_given, as_pandas, cached_table
from ..ground.checks import Served, check_level, either, hint_for_value, one_of
from ..ground.errors import (
    DataWarning,
    NotAvailableError,
    OptionError,
    ProtoclassError,
    brief,
    warn,
)
from ..ground.foreign_names import VERBS
from ..ground.options import bar
from ..metrics.base import as_vectors
from ..metrics.dissimilarity import Dissimilarity
from ..models.base import LearnedRule, Model
from ..models.registry import lacking
from ..values import public
from .arguments import loss_matrix
from .copies import copied
from .cross_validation import KINDS, lowest_by_size, validate
from .decisions import LEVEL, Calibration, decide, prior_of, threshold_of
from .error_curve import BY_HAND, ErrorCurve, Selection, grid_point
from .problem import Call, Problem, check_rows_needed

AnyFit = TypeVar("AnyFit", bound="Fitted")

QUICK = 10.0  # predicted seconds of a cross-validation that print does by itself


@public
@dataclass(frozen=True, eq=False)
class Fitted(Served):
    """A fitted rule with its data and parameters; it predicts and lists its prototypes.

    Attributes
    ----------
    _problem : Problem
        Formula, data and arguments, prepared.
    dissimilarity : Dissimilarity
        Trained dissimilarity with the training rows.
    rule : Rule
        The model: prototypes and how they predict.
    _curve : ErrorCurve, or None
        Cross-validation of the call, if any. Use `validation`.
    _selection : Selection
        Selected parameters, and how they were selected.
    """

    _serves: ClassVar[Mapping[str, str]] = VERBS
    _called: ClassVar[str] = "a fit"

    _problem: Problem  # formula, data and arguments, prepared
    dissimilarity: Dissimilarity  #: Trained dissimilarity with the training rows.
    rule: Rule  #: The prototypes and how they predict.
    _curve: ErrorCurve | None  # cross-validation of the call, if any
    _selection: Selection  # selected parameters, and how they were selected
    _calibration: Calibration | None = None  # probabilities and sets, see `Fit.calibrate`

    @classmethod
    def _learn(
        cls,
        problem: Problem,
        selection: Selection,
        validation: ErrorCurve | None = None,
        known: tuple[Dissimilarity, Task, Rule | None] | None = None,
    ) -> Self:
        """The method on all rows with the parameters of a selection.

        `known` has the dissimilarity, task and rule on all rows, if they are known already.
        """
        metric = problem.with_values(selection.values).metric
        if metric is not problem.metric:
            problem, known = replace(problem, metric=metric), None
        if known is None:
            dissimilarity = problem.measure()
            known = dissimilarity, problem.task(dissimilarity, limit=HOLD_LIMIT), None
        dissimilarity, task, rule = known
        if rule is None:
            model = replace(problem.model, **problem.of_method(selection.values))
            with bar(None, "fitting", problem.progress) as fitting:
                counts = np.bincount(task.y[task.w > 0], minlength=task.classes)
                check_rows_needed(replace(problem, model=model), counts, {})
                rule = model.path(replace(task, tick=fitting.update), {}).at(0)
        return cls(problem, dissimilarity, rule, validation, selection)

    @property
    def validation(self) -> ErrorCurve:
        """The cross-validation: errors over the grid, held-out predictions, selected point."""
        found = self._checked if self._curve is None else self._curve
        if isinstance(found, str):
            raise NotAvailableError("this fit was not cross-validated: use fit.update(cv=10)")
        return found

    @cached_property
    def _checked(self) -> ErrorCurve | str:
        """The cross-validation of given parameters, done at first use; or why there is none."""
        none, problem, frame = "not cross-validated: cv=10", self._chosen_problem, self.frame
        if (
            not problem.cv_is_auto
            or self._selection.by_hand
            or self._selection.steps is not None
            or frame.absent is not None
        ):
            return none
        # seconds of a pair of rows, for methods that predict none
        each = self.model.seconds_each(len(frame.schema)) or 1e-6
        slow = self.dissimilarity.metric.slow or "certificate" in self.rule.report
        if slow or FOLDS * each * len(frame) ** 2 > QUICK:
            return none
        try:
            with catch_warnings():
                simplefilter("ignore", DataWarning)  # the fit has given the warnings of rows
                validation = validate(replace(problem, repeats=1, progress=False))[0]
        except ProtoclassError as reason:  # a class has too few rows, or there is one group
            return f"not cross-validated: {str(reason).split(': ')[0]}"
        if said := copied(problem, validation._of_fold):
            warn(said, DataWarning)
        return validation

    @cached_property
    def _prices(self) -> tuple[Array, Array]:
        """Sizes and uncorrected errors of the frontier of the cross-validation."""
        assert self._curve is not None
        curve, points = lowest_by_size(self._curve)
        return curve._rule_sizes[points], curve._choice.error[points]

    @property
    def frame(self) -> Frame:
        """The training rows; `frame.index` has their labels."""
        return self._problem.frame

    @property
    def call(self) -> Call:
        """The function, formula, data and arguments that made this fit."""
        return self._problem.call

    @cached_property
    def model(self) -> Model:
        """The method with its selected parameters."""
        return replace(self._problem.model, **self._problem.of_method(self._selection.values))

    @property
    def _chosen_problem(self) -> Problem:
        """The problem with the selected parameters."""
        return replace(self._problem, model=self.model, to_tune=None)

    @property
    def formula(self) -> str:
        """The formula of the call."""
        return self.call.formula

    @property
    def classes(self) -> list[Any]:
        """Classes in level order."""
        return list(self.frame.levels)

    @property
    def nobs(self) -> int:
        """Number of rows that were used."""
        return len(self.frame)

    @property
    def dropped(self) -> pd.Index:
        """Labels of the rows that were excluded because of missing values."""
        return self.frame.dropped

    @property
    def objective(self) -> Objective:
        """Minimised objective of the method, with its parts."""
        return self._reported("objective")

    @property
    def certificate(self) -> Certificate:
        """Certificate of optimality: objective, lower bound, gap and proof, in total and per class.

        The bound is for covers by the candidates, which may be a sample of the rows.
        """
        return self._reported("certificate")

    def _reported(self, name: str) -> Any:
        if name in self.rule.report:
            return self.rule.report[name]
        condition = getattr(self.model.can, name)
        if condition:
            raise NotAvailableError(
                f"this fit has no {name}, because method {self.model.name!r} returns one {condition}"
            )
        raise lacking(self.model, name, name)

    @cached_table
    def prototypes(self) -> pd.DataFrame:
        """Table of the prototypes, in the order of selection, with the row labels of the data.

        Columns: `class` (the class it represents), `true_class` (its own class, if it is a row),
        the columns of the method, then the predictors. Those of the PVM are `newly_covered`, the
        weight of the rows of its class that it is the first to cover, and `miscovered`, the weight
        of the rows of other classes in its ball. A predictor with the name of an earlier column is
        called `name (predictor)`. Centroids are in the units of the design matrix. Learned weights
        of the columns are in `attrs["weights"]`, by name.
        """
        prototypes, head = self.rule.prototypes, self._prototype_table
        if prototypes.at is None:
            coords = prototypes.coords if prototypes.coords is not None else np.empty((0, 0))
            predictors = as_vectors(self.dissimilarity.metric).original(coords).set_axis(head.index)
        else:
            predictors = self.frame.remembered.columns.reindex(
                head.index[self._prototype_row >= 0].unique()
            )
            added = self.dissimilarity.added
            if added is not None:
                predictors = pd.concat([predictors, added.reindex(columns=predictors.columns)])
            predictors = predictors.reindex(head.index)
        predictors = predictors.rename(
            columns={c: f"{c} (predictor)" for c in predictors if c in head}
        )
        table = pd.concat([head, predictors], axis=1)
        weights = self.dissimilarity.metric.column_weights
        if weights is not None:
            table.attrs["weights"] = weights["weight"].to_dict()
        return table

    @cached_table
    def _prototype_table(self) -> pd.DataFrame:
        """`prototypes` without the predictors."""
        prototypes, levels = self.rule.prototypes, self.frame.levels
        head = pd.DataFrame({"class": pd.Categorical.from_codes(prototypes.classes, levels)})
        head.index = self._prototype_names
        if prototypes.at is not None:
            row = self._prototype_row
            own = self.frame.remembered.codes
            head["true_class"] = pd.Categorical.from_codes(
                np.where(row >= 0, own[row], -1) if len(own) else np.full(len(row), -1), levels
            )
        for name, values in prototypes.table.items():
            head[name] = as_counts(values) if values.dtype.kind == "f" else values
        return head

    @property
    def _of_other_class(self) -> Array:
        """Whether each prototype is a row of another class than it represents, bool (q,)."""
        table = self._prototype_table
        own = table.get("true_class", table["class"]).cat.codes.to_numpy()
        return (own >= 0) & (own != self.rule.prototypes.classes)

    @cached_property
    def _prototype_names(self) -> pd.Index:
        """Names of the prototypes: row labels, or method, class and number."""
        prototypes, levels = self.rule.prototypes, self.frame.levels
        if prototypes.at is not None:
            return self.dissimilarity.candidate_names[prototypes.at]
        numbers = pd.Series(prototypes.classes).groupby(prototypes.classes).cumcount() + 1
        return pd.Index(
            [
                f"{self.model.name}[{levels[c]}].{k}"
                for c, k in zip(prototypes.classes, numbers, strict=True)
            ]
        )

    @property
    def _prototype_row(self) -> Array:
        """Row position of each prototype; -1 if the prototype is not a row."""
        prototypes = self.rule.prototypes
        if prototypes.at is None:
            return np.full(len(prototypes), -1)
        return self.dissimilarity.candidate_row[prototypes.at]

    @property
    def _learned(self) -> LearnedRule:
        """The view of the fit that the method gets, see `models.base.LearnedRule`."""
        validation, error = self._curve, None
        if (
            validation is not None
            and self._selection.point is not None
            and validation.measure == "error"
        ):
            error = float(validation.table["error"].iloc[self._selection.point])
        return LearnedRule(
            self.rule,
            self.model,
            self.frame.levels,
            self._prototype_names,
            self._prototype_row,
            self.frame.codes,
            lambda: self._fitted_codes,
            lambda: self.frame.design,
            self._selection.tried(),
            error=error,
        )

    @property
    def _kinds(self) -> tuple[str, ...]:
        """Kinds of prediction: those of the rule, and "prob" and "set" of a calibrated fit."""
        own = self.rule.kinds
        return (
            own if self._calibration is None else (*(k for k in own if k != "prob"), "prob", "set")
        )

    def predict(
        self,
        new: Any = None,
        kind: str = "class",
        *,
        level: float = LEVEL,
        prior: Any = None,
        loss: Any = None,
        threshold: Any = None,
        unseen: str = "warn",
    ) -> Any:
        """Predict classes, probabilities, prediction sets or distances for new rows.

        Parameters
        ----------
        new : DataFrame, or path or lazy table as `data` in `fit`, optional
            New rows with the predictors; for given dissimilarities, those to the prototypes, as
            columns by label. Default: the training rows.
        kind : str
            Kind of prediction, if the fitted model has it:

            * "class": a categorical Series;
            * "cover": the class of the balls that contain the row; NA if there is none, or several;
            * "nearest": label of the nearest prototype;
            * "distance": DataFrame of the distance to the nearest prototype of each class, as the
              model compares distances (inf if a class has no prototype);
            * "prob", "decision": DataFrame by class. "prob" is calibrated only if the fit is;
            * "set", for a calibrated fit: a Series of tuples with none, one or several classes.
        level : float between 0 and 1
            Nominal coverage of the prediction sets.
        prior : mapping of class to proportion, or "class_weights", optional
            Prevalence of the classes among the new rows, for "prob" and "class". Default: the
            prevalence in the calibration rows. "class_weights": the proportions by
            `class_weights=` of the fit.
        loss : DataFrame or dict, optional
            Loss matrix for "class", with true classes as rows and predicted classes as columns, or
            the cost of an error in one of two classes, such as `{"bad": 5}`. The predicted class
            has the lowest expected loss.
        threshold : Threshold, or dict of one class and a threshold, optional
            Lowest probability at which "class" is this class, otherwise the most probable other
            class. `Fit.threshold` selects a threshold on held-out rows.
        unseen : "warn", "raise" or "zero"
            Treatment of rows with a category level that no training row has, or for `Mismatch` a
            letter that no training string has. "warn": a `DataWarning` with column, level and
            number of rows. Dissimilarities that compare categories (Gower, Hamming, zero_one, also
            in `Mixed`) treat the level as different from every other; otherwise the prediction is
            NA. "raise": an error, as in R. "zero": a warning, and 0 in all columns of the category,
            as by `OneHotEncoder(handle_unknown="ignore")`.

        Returns
        -------
        Series or DataFrame
            Predictions with the index of `new`; NA for a row with missing predictors, or with a
            level that cannot be used. A polars, pyarrow or dask table gives a result of the same
            library. Rows of paths and lazy tables are labelled by their number.

        Raises
        ------
        OptionError
            If the fitted model does not have this kind, or if the arguments exclude each other.
        DataError
            If columns are missing or of another type; with unseen="raise", if a level is new.

        Notes
        -----
        Proportions of votes are not calibrated probabilities. For example, "prob" of the nearest
        neighbour is always 1.0, but on two classes that overlap it is right for 67 % of the rows
        (`python benchmarks/new_rows.py`). Without calibration, use "prob" only to rank rows.

        Examples
        --------
        >>> import protoclass as pc
        >>> iris = pc.load_data("iris")
        >>> fit = pc.fit("species ~ .", iris, eps=1.0)
        >>> fit.predict(iris.iloc[[0, 70]]).tolist()
        ['setosa', 'virginica']
        >>> fit.predict(iris.iloc[[0, 70]], "nearest").tolist()
        [7, 104]
        """
        one_of("unseen", unseen, UNSEEN)
        data, rows = (self.call.data, True) if new is None else (new, False)
        found = self._predictions(
            new, kind, unseen, level=level, prior=prior, loss=loss, threshold=threshold
        )
        return as_given(found, data, rows)

    def _predictions(
        self, new: Any = None, kind: str = "class", unseen: str | None = "warn", **decision: Any
    ) -> pd.Series | pd.DataFrame:
        """The result of `predict` in pandas; no warning of new levels if `unseen` is None."""
        self._check_kind(kind, **decision)
        if new is None:
            return self._answer_rows(None, kind, **decision)
        rows = as_pandas(new, self._needed_of_new())
        found = self._unseen_in(rows)
        if unseen == "raise":
            found.refuse()
        out = self._answer_rows(rows, kind, unseen == "zero", **decision)
        if unseen is not None:
            self._warn_of(found, unseen == "zero")
        return out

    def _unseen_in(self, new: Any) -> Unseen:
        """Levels in new rows that are not in the training data, if they make a difference."""
        if all(column.kind == "numeric" for column in self.frame.schema.values()):
            return Unseen()
        frame = self.frame.again(new)[0]
        found, letters = frame.unseen_counts, self.dissimilarity.metric.unmeasured(frame)
        counts = {c: Counter("".join(of_rows)) for c, of_rows in letters.items()}
        return found.of(self._fates_of(found)) + Unseen(
            counts, {c: Column("letters") for c in counts}
        )

    def _unpredicted_in(self, new: Any) -> Unseen:
        """Unseen levels for which rows have no prediction."""
        found = self._unseen_in(new)
        return found.of(name for name, fate in self._fates_of(found).items() if fate == "missing")

    def _warn_of(self, found: Unseen, zero: bool = False) -> None:
        """Warn of levels that are not in the training data."""
        # estimators, which use "zero", have no unseen=
        cure = "" if zero else ". Use unseen='raise' to make `Fit.predict` refuse them"
        fates = self._fates_of(found)
        coded = [name for name, known in found.schema.items() if known.kind != "letters"]
        if zero:
            fates |= {c: "zero" for c in coded if fates.get(c) == "missing"}
        found.warn(fates, cure)

    def _fates_of(self, found: Unseen) -> dict[str, str]:
        """Treatment of rows with a new level, by column: see `Traits.unseen`."""
        metric, by_columns = self.dissimilarity.metric, not self.model.measures(self.rule)
        letters = [name for name in found.counts if found.schema[name].kind == "letters"]
        fates = {
            name: "missing" if by_columns or name in letters else metric.unseen_in(name)
            for name in found.counts
        }
        return {name: fate for name, fate in fates.items() if fate != "measured"}

    def _true_codes(
        self, new: pd.DataFrame, data: str = "the new data", use: str = "an error"
    ) -> Array:
        """Class codes of new rows (n,), -1 if the class is missing or unknown to the fit."""
        response = self.frame.formula.response
        if response not in new:
            raise OptionError(
                f"{use} needs the true classes, but {data} lack the response {response!r}"
            )
        check_unique(new.columns, "column")
        return class_codes(new[response], self.frame.levels)

    def _needed_of_new(self, *further: Any) -> list[Any] | None:
        """Columns that new rows must have; None for given dissimilarities."""
        return None if self.dissimilarity.metric.given else [*self.frame.schema, *further]

    def _check_kind(
        self,
        kind: Any,
        level: float = LEVEL,
        prior: Any = None,
        loss: Any = None,
        threshold: Any = None,
    ) -> None:
        """Check the arguments of `predict` together; warn if they count costs twice."""
        known = (*KINDS, "set")
        if not isinstance(kind, str) or kind not in self._kinds:
            named = kind if isinstance(kind, str) else ""
            every = "" if named in known else f" (known kinds: {', '.join(known)})"
            cure = ""
            if named in ("prob", "set"):
                cure = "use fit.calibrate() for 'prob' and 'set', or calibrate=True in pc.fit"
            hint = hint_for_value("prediction", kind, self._kinds)
            raise OptionError(
                f"kind must be {either(self._kinds)} for method {self.model.name!r}, not {brief(kind)}"
                f"{every}{': ' if cure or hint else ''}{cure}{cure and hint and '; '}{hint}"
            )
        if kind == "set":
            check_level(level)
        if prior is not None and kind not in ("class", "prob"):
            raise OptionError(f"prior= needs kind='class' or 'prob', not {kind!r}")
        for name, given in {"loss": loss, "threshold": threshold}.items():
            if given is not None and kind != "class":
                raise OptionError(f"{name}= needs kind='class', not {kind!r}")
        if threshold is not None and not (loss is None and prior is None):
            raise OptionError(
                "threshold= applies to the uncorrected probabilities: leave out loss= and prior="
            )
        if loss is not None or isinstance(threshold, Mapping):
            self._warn_of_costs_twice("loss=" if threshold is None else "threshold=", prior)

    def _warn_of_costs_twice(self, decision: str, prior: Any = None) -> None:
        """Warn if a decision by costs uses probabilities that include them, by `class_weights=`."""
        weighs = self._calibration is None if prior is None else isinstance(prior, str)
        if self._problem.class_factors is None or not weighs:
            return
        cure = "leave out prior="
        if prior is None:
            cure = "use fit.calibrate(), whose probabilities do not include them"
        said = f"{decision} on probabilities for class_weights= counts costs twice: {cure}"
        warn(said, DataWarning)

    def _answer_rows(
        self,
        new: Any,
        kind: str,
        zero: bool = False,
        level: float = LEVEL,
        prior: Any = None,
        loss: Any = None,
        threshold: Any = None,
    ) -> pd.Series | pd.DataFrame:
        """The result of `predict` for a block of rows; for the training rows if None."""
        response = self.frame.formula.response
        if kind == "set" and self._calibration is not None:
            return self._calibration.sets(new, self.classes, level, zero).rename(response)
        prior = prior_of(prior, self._problem)
        query, index, complete = self._query(new, zero)
        if kind == "prob":
            codes = self._class_probabilities(query, prior)
        elif threshold is not None:
            p = self._class_probabilities(query, None)
            codes = decide_at(p, *threshold_of(threshold, self.frame.levels))
        elif prior is not None or loss is not None:
            p = self._class_probabilities(query, prior)
            codes = decide(p, loss_matrix(loss, self.frame.levels))
        elif kind == "class" and new is None:
            codes = self._fitted_codes
        else:
            codes = answer(self.rule, kind, query)
        if kind in ("class", "cover"):
            out = np.full(len(index), -1)
            out[complete] = codes
            classes = pd.Categorical.from_codes(out, self.frame.levels)
            return pd.Series(classes, index, name=response)
        if kind == "nearest":
            return self._as_names(codes, index, complete)
        values = np.full((len(index), len(self.classes)), np.nan)
        values[complete] = codes
        return pd.DataFrame(values, index, self.frame.levels)

    def _class_probabilities(self, query: Query, prior: Array | None) -> Array:
        """Probabilities (r, classes), calibrated or of the rule; NaN for rows with missing values.

        They are for the prevalence `prior` (classes,). Default: of the calibration rows without
        `class_weights=`, or for a rule of the training rows with these.
        """
        if self._calibration is not None:
            values = answer(self.rule, self._calibration.scale.kind, query)
            return self._calibration.probabilities(values, prior)
        if "prob" not in self.rule.kinds:
            raise OptionError(
                f"method {self.model.name!r} has no probabilities unless it is calibrated: use fit.calibrate()"
            )
        p = answer(self.rule, "prob", query)
        if prior is None:
            return p
        weight = self.frame.class_weights
        return under_prior(p, weight / weight.sum(), prior)

    def _query(self, new: Any = None, zero: bool = False) -> tuple[Query, pd.Index, Array]:
        """Query with the complete rows, labels of all rows, and which of these are complete."""
        if new is not None:
            return self.dissimilarity._new_query(new, zero, self.model.measures(self.rule))
        return self.dissimilarity._query(), self.frame.index, np.ones(self.nobs, bool)

    @property
    def _told_apart(self) -> Callable[[Any], Array] | None:
        """A function from rows (None: the training rows) to values that distinguish them."""
        kinds = [kind for kind in ("distance", "decision", "prob") if kind in self.rule.kinds]
        return (lambda rows: answer(self.rule, kinds[0], self._query(rows)[0])) if kinds else None

    def _as_names(self, places: Array, index: pd.Index, complete: Array) -> pd.Series:
        """Names of prototypes by position; None if it is -1 or a row is not complete."""
        names, at = self._prototype_names, np.full(len(index), -1)
        at[complete] = places
        values = np.append(names.to_numpy(object), None)[at]  # type: ignore[call-overload]
        out = pd.Series(values, index, dtype=object, name="nearest")
        return out.astype(names.dtype) if not out.isna().any() else out

    @cached_property
    def _fitted_codes(self) -> Array:
        """Predicted class codes of the training rows (n,)."""
        return answer(self.rule, "class", self.dissimilarity._query())

    def _derived(
        self, rule: Rule, values: dict[str, Any] | None = None, steps: int | None = None
    ) -> Self:
        """The fit with another rule of the same method.

        Parameters
        ----------
        rule : Rule
        values : mapping of parameter to value, optional
            Parameters of this rule. If they are not in the grid, its error is unknown.
        steps : int, optional
            Number of steps, if the rule is a truncation of the rule with these values.
        """
        chosen = {**self._selection.values, **(values or {})}
        grid, point = self._selection.grid, None
        in_grid = values is not None and set(values) <= set(grid.columns)
        if in_grid and steps is None and self._curve is not None:
            point = grid_point(grid, chosen)
        selection = replace(self._selection, values=chosen, point=point, rule=BY_HAND, steps=steps)
        kept = None if point is None else self._curve
        return replace(self, rule=rule, _selection=selection, _curve=kept, _calibration=None)

    def _remembering(self, earlier: Mapping[str, Sequence[Any]]) -> Self:
        """The fit with the candidate values of parameters that an earlier fit selected."""
        selection = self._selection
        new = {name: tried for name, tried in earlier.items() if name not in selection.grid}
        return replace(self, _selection=replace(selection, earlier={**selection.earlier, **new}))

    @property
    def _training_error(self) -> float:
        """Weighted proportion of the training rows that are misclassified."""
        wrong = self._fitted_codes != self.frame.codes
        return float(self.frame.weights[wrong].sum() / self.frame.weights.sum())

    @property
    def _why_optimistic(self) -> str:
        """Reason why the training error is below the error of new rows."""
        of_rows = self._prototype_row[self._prototype_row >= 0]
        chosen = self.rule.prototypes.at is not None
        if chosen and len(np.unique(of_rows)) == self.nobs and "nearest" in self.rule.kinds:
            return "each row is its own nearest neighbour"
        trained = chosen and len(of_rows) < self.nobs and self.model.measures(self.rule)
        return f"the same rows {'selected the prototypes' if trained else 'trained the model'}"

    @property
    def params(self) -> dict[str, Any]:
        """Selected parameters of the method, and tuned parameters of the metric."""
        values, own = self._selection.values, self._problem.metric_axes
        return {**self.model.parameters(), **{name: values[name] for name in own}}
