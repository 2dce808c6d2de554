"""`fit`, and the Fit that users hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..analysis.evaluation import Test, tested
from ..core.covers.problems import Certificate, Objective
from ..core.machines.rule import Machines
from ..core.task import Rule, Task
from ..errors import DataError, NotAvailable, OptionError, brief
from ..frames.frame import Frame, as_pandas, once
from ..metrics.dissimilarity import Dissimilarity
from ..models.base import Model
from .problem import ONCE, Call, Problem, bar, columns_of, enough, places, prepare, read
from .validation import Validated, Validation, checked, none_open, validate

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from ..analysis.stability import Stability

ADDED = ("fitted", "correct", "prototype", "distance", "margin", "covered")  # by augment
KINDS = ("class", "distance", "nearest", "cover", "prob", "decision")


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted classifier.

    Attributes
    ----------
    problem : Problem
        Formula, data and arguments, prepared.
    dissimilarity : Dissimilarity
    model : Model
        With the knobs that were chosen.
    rule : Rule
    validation : Validation, or None where nothing was cross-validated
    point : int, or None
        Row of `validation.table` that was chosen.
    """

    problem: Problem
    dissimilarity: Dissimilarity
    model: Model
    rule: Rule
    validation: Validation | None
    point: int | None

    @property
    def frame(self) -> Frame:
        return self.problem.frame

    @property
    def call(self) -> Call:
        """The function, formula, data and arguments that made this fit."""
        return self.problem.call

    @property
    def formula(self) -> str:
        return self.call.formula

    @property
    def classes(self) -> list[Any]:
        """Classes in level order."""
        return list(self.frame.levels)

    @property
    def nobs(self) -> int:
        """Number of rows that took part."""
        return len(self.frame)

    @property
    def dropped(self) -> pd.Index:
        """Labels of the rows that were left out for missing values."""
        return self.frame.dropped

    @property
    def objective(self) -> Objective:
        """What the method minimised, with its parts."""
        return self._reported("objective")

    @property
    def certificate(self) -> Certificate:
        """How far from optimal the prototypes can be: objective, lower bound, gap and proof, over all and by class."""
        if "objective" in self.rule.report and "certificate" not in self.rule.report:
            raise NotAvailable("greedy's answer was not certified: fit with certify=True, or with solver='exact'")
        return self._reported("certificate")

    def _reported(self, name: str) -> Any:
        if name not in self.rule.report:
            raise NotAvailable(f"method {self.model.name!r} has no {name}; 'pvm' has one")
        return self.rule.report[name]

    @cached_property
    def prototypes(self) -> pd.DataFrame:
        """One row for each prototype, in the order chosen, by the data's own row labels.

        Columns: `class` (what it stands for), `own` (its own label, where it is a row), what the method says of each
        (`covers`: weight of own-class rows that it is the first to cover; `miscovers`: weight of other rows in its ball),
        then the predictors; one named like a column before it is called `name (predictor)`. Centroids are named after
        method, class and number, in the units of the design matrix.
        """
        points, head = self.rule.points, self._told_of_points
        if points.at is None:
            coords = points.coords if points.coords is not None else np.empty((0, 0))
            predictors = self.dissimilarity.metric.original(coords).set_axis(head.index)
        else:
            known, added = self.frame.columns, self.dissimilarity.added
            known = known if added is None else pd.concat([known, added.reindex(columns=known.columns)])
            predictors = known.reindex(head.index)
        predictors = predictors.rename(columns={c: f"{c} (predictor)" for c in predictors if c in head})
        return pd.concat([head, predictors], axis=1)

    @cached_property
    def _told_of_points(self) -> pd.DataFrame:
        points, levels = self.rule.points, self.frame.levels
        head = pd.DataFrame({"class": pd.Categorical.from_codes(points.classes, levels)})
        if points.at is None:
            number = [int((points.classes[:i] == c).sum()) + 1 for i, c in enumerate(points.classes)]
            names = [f"{self.model.name}[{levels[c]}].{k}" for c, k in zip(points.classes, number, strict=True)]
            head.index = pd.Index(names)
        else:
            head.index = self.dissimilarity.labels[points.at]
            row = self.dissimilarity.origin[points.at]
            head["own"] = pd.Categorical.from_codes(np.where(row >= 0, self.frame.codes[row], -1), levels)
        for name, values in points.table.items():
            whole = values.dtype.kind == "f" and np.isfinite(values).all() and (values == np.round(values)).all()
            head[name] = values.astype(int) if whole else values
        return head

    def predict(self, new: Any = None, kind: str = "class") -> pd.Series | pd.DataFrame:
        """Predict rows of new data (default: the rows of the fit).

        Parameters
        ----------
        new : DataFrame, optional
            With the predictors of the formula; for given dissimilarities, with the dissimilarities to the prototypes as
            columns by label.
        kind : str
            "class": a categorical Series; "cover": the class of the balls that hold the row, NA where none or balls of
            several classes do; "nearest": label of the nearest prototype; "distance": DataFrame of the distance to the
            nearest prototype of each class (inf where a class has none); "prob", "decision": DataFrame by class. Each
            where the rule has it.

        Returns
        -------
        Series or DataFrame
            On the index of `new`. A row with missing predictors comes back as NA.

        Raises
        ------
        OptionError
            For a kind that the rule does not have.
        DataError
            For columns that are missing or of another type, and levels not seen in fit.
        """
        if not isinstance(kind, str) or kind not in self.rule.kinds:
            every = "" if isinstance(kind, str) and kind in KINDS else " (known kinds: " + ", ".join(KINDS) + ")"
            raise OptionError(
                f"kind={brief(kind)}: method {self.model.name!r} predicts {', '.join(map(repr, self.rule.kinds))}{every}"
            )
        if kind == "class" and new is None:
            told, index, whole = self._own_classes, self.frame.index, np.ones(len(self.frame), bool)
        else:
            told, index, whole = self._told(kind, new)
        levels = self.frame.levels
        if kind in ("class", "cover"):
            codes = np.full(len(index), -1)
            codes[whole] = told
            return pd.Series(pd.Categorical.from_codes(codes, levels), index, name=self.frame.formula.response)
        if kind == "nearest":
            labels = self._labels
            out = pd.Series(pd.array([None] * len(index), dtype=object), index, name="nearest")
            out[whole] = labels.to_numpy(object)[told] if len(labels) else None
            out[whole & np.isin(np.arange(len(index)), np.flatnonzero(whole)[told < 0])] = None
            return out.astype(labels.dtype) if not out.isna().any() else out
        values = np.full((len(index), len(levels)), np.nan)
        values[whole] = told
        return pd.DataFrame(values, index, levels)

    @property
    def _labels(self) -> pd.Index:
        points = self.rule.points
        return self.dissimilarity.labels[points.at] if points.at is not None else self._told_of_points.index

    def _told(self, kind: str, new: Any) -> tuple[np.ndarray, pd.Index, np.ndarray]:
        """What the rule says of the complete rows, all labels, and which rows are complete."""
        related, points = self.dissimilarity, places(self.rule, self.dissimilarity)
        if new is None:
            X, whole = columns_of(self.rule, self.frame), np.ones(len(self.frame), bool)
            return read(kind, self.rule, related, related.rows, points, X), self.frame.index, whole
        fresh = related.fresh(new, points)
        X = columns_of(self.rule, fresh.frame)
        return read(kind, self.rule, related, fresh.rows, fresh.points, X), fresh.index, fresh.whole

    def test(self, new: Any) -> Test:
        """Error on new data with known classes: Wilson interval, confusion, and a test against no information.

        Parameters
        ----------
        new : DataFrame
            With the predictors and the response; for given dissimilarities the response is a column beside them. Rows
            that miss either are left out and counted.
        """
        new = as_pandas(new)
        response = self.frame.formula.response
        if response not in new:
            raise OptionError(f"the new data lack the response {response!r}: an error needs the true classes")
        once(new.columns, "column")
        return tested(new[response], self.predict(new), self.frame.levels)

    def augment(self, data: Any = None) -> pd.DataFrame:
        """The data with what the fit says of each row (default: the rows of the fit, those dropped padded with NA).

        Adds `fitted`, `correct` (where the response is there), `prototype` (the nearest), `distance` (to it), `margin`
        (distance to the nearest prototype of another class minus to that of the row's own, or where it is not known of
        the fitted class) and `covered` (whether balls of its class alone hold it), as far as the rule has them.
        """
        base = as_pandas(self.call.data if data is None else data)
        given = self.dissimilarity.metric.given
        source = base if data is not None or not given else None
        clash = [c for c in ADDED if c in base]
        if clash:
            raise DataError(f"the data have a column {clash[0]!r}, which augment adds: rename it")
        out = base.copy()
        response = self.frame.formula.response
        fitted = self.predict(source).reindex(base.index)
        truth = base.get(response)
        out["fitted"] = fitted
        if truth is not None:
            known = fitted.notna() & truth.notna()
            same = fitted.astype(object) == truth.astype(object)
            out["correct"] = same.astype("boolean").where(known)
        if "nearest" in self.rule.kinds:
            out["prototype"] = self.predict(source, "nearest").reindex(base.index)
        if "distance" in self.rule.kinds:
            distance = self.predict(source, "distance").reindex(base.index)
            out["distance"] = distance.min(axis=1)
            own = fitted if truth is None else truth.astype(object).where(truth.notna(), fitted)
            out["margin"] = _margin(distance, pd.Categorical(own, self.frame.levels).codes)
        if "cover" in self.rule.kinds:
            held = self.predict(source, "cover").reindex(base.index)
            against = fitted if truth is None else truth
            out["covered"] = (held.astype(object) == against.astype(object)).astype("boolean").where(fitted.notna())
        return out

    def tidy(self) -> pd.DataFrame:
        """One row for each prototype: its label, class, and what the method says of it; for "scm" one for each feature."""
        if isinstance(self.rule, Machines):
            from ..analysis.bounds import features

            return features(self)
        told = self._told_of_points
        out = told.reset_index(drop=True)
        out.insert(0, "prototype", list(told.index))
        return out

    def bound(self, delta: float = 0.05) -> pd.DataFrame:
        """A bound on the error of new rows from how few training rows give the rule again (sample compression).

        For "scm" Theorem 5.2 of Marchand and Shawe-Taylor (2001); for "pvm" their Theorem 5.1, as the nearest-prototype rule
        is known from its prototypes. It holds with probability 1 - delta over training sets of independent rows; several
        machines, and the kinds of machine where cross-validation chose among both, share delta.

        Parameters
        ----------
        delta : float between 0 and 1

        Returns
        -------
        DataFrame
            One row for each machine: `rows`, `size` (features or prototypes),
            `on_p` (balls centred on P-examples), training `errors`, `bound` (the first inequality; 1 says nothing), `looser`
            (the second), `proved`, and in `against` why the theorem does not cover this fit: its value is then computed as
            in the paper's Table 2, and not proved.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), dissimilarity=pc.Euclidean(scale=False), eps=1.0)
        >>> fit.bound()[["rows", "size", "errors", "bound", "proved"]].round(3)
                 rows  size  errors  bound  proved
        machine
        pvm       150     8       6  0.391    True
        """
        from ..analysis.bounds import bound

        return bound(self, delta)

    def glance(self) -> pd.DataFrame:
        """One row: method, rows, classes, prototypes, knobs, training error, cross-validated error with its SE."""
        from ..tables.summary import glance

        return glance(self)

    def summary(self) -> Summary:
        """All there is to say, as a statsmodels Summary (text, HTML, LaTeX)."""
        from ..tables.summary import summary

        return summary(self)

    def plot(self, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw the fit.

        Parameters
        ----------
        kind : str, optional
            "prototypes" (the default): the prototypes and their balls among the rows; with two numeric predictors in
            their plane with the decision regions, otherwise on a map. "radii" (`eps=`): the same at several radii.
            "progress": what each prototype added. "path" (`new=`, `cv=`): error of the first 1, 2, ... prototypes.
            "confusion": held-out (or training) rows by true and predicted class. "validation" (`x=`): the error curve; with
            `x="size"` against the number of prototypes.
            "solvers" (`eps=`, `solvers=`): the objective that each solver reaches, with the proved bound.
            For rows that are pictures, with `shape=(height, width)`: "images" (`count=`): the prototypes. "miscovered"
            (`prototype=`): rows of other classes that one holds. "misclassified" (`new=`, `size=`, `count=`): rows with the
            nearest prototypes. "map" (`count=`; `shape=` optional): the prototypes by Sammon's mapping.
        ax : Axes, optional

        Returns
        -------
        Axes, or a Figure for "radii", "images", "miscovered" and "misclassified"
        """
        from ..plots import draw

        return draw(self, kind, ax, **options)

    def explore(self, **options: Any) -> Any:
        """Look at the prototypes in a notebook: sliders for radius and number, a click on a prototype or row says why.

        Parameters
        ----------
        shape : (int, int), optional
            Rows and columns of a picture, for rows that are pictures.
        x, y : str, optional
            Numeric predictors as axes; "map" as x for a map of the dissimilarities.
        radii : sequence of float, optional
            Of the slider; by default those of the cross-validation, else the method's own grid.

        Returns
        -------
        PrototypeExplorer, or where no widget can be shown its figure
            See `protoclass.widgets.explore_fit`.
        """
        from ..widgets import explore_fit

        return explore_fit(self, **options)

    def ball(self, prototype: Any) -> pd.DataFrame:
        """The rows of the fit in the ball of a prototype, nearest first.

        Parameters
        ----------
        prototype : label, as in the index of `prototypes`

        Returns
        -------
        DataFrame
            By row label: `class`, `distance`, `own` (of the class that the prototype serves) and `first` (own and in the
            ball of none chosen before).

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> held = fit.ball(82)
        >>> int(held["first"].sum()), int((~held["own"]).sum())
        (29, 0)
        """
        from ..analysis.steps import ball

        return ball(self, prototype)

    def stability(
        self, B: int = 200, seed: int = 0, sample: str | None = None, progress: bool | None = None
    ) -> Stability:
        """How often each prototype is chosen again when the rows are drawn anew: the error bar of an interpretation.

        Knobs, scales and the dissimilarity stay as they are.

        Parameters
        ----------
        B : int >= 2
            Samples.
        seed : int
        sample : "bootstrap", "halves" or None
            As many rows as there are, with replacement; or half of them without. Either class by class. None: the
            bootstrap where the method takes weights, else halves.
        progress : bool, optional
            As in `fit`.

        Returns
        -------
        Stability
            With `table`, `prototypes` (those of the fit, with their shares) and `plot`.

        Raises
        ------
        NotAvailable
            Where prototypes are no rows.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> fit.stability(B=50).prototypes[["class", "chosen", "near"]].iloc[:2].round(2).to_dict("list")
        {'class': ['setosa', 'versicolor'], 'chosen': [0.86, 0.85], 'near': [1.0, 1.0]}
        """
        from ..analysis.stability import stability

        return stability(self, B, seed, sample, progress)

    def path(self, new: Any = None, cv: Any = None) -> pd.DataFrame:
        """What the first 1, 2, ... prototypes of a greedy fit do: its path in their number and in lambda.

        What a larger lambda chooses is the first part of what a smaller one does. So one fit holds the fits of all larger
        lambdas; `fit.update(lambda_=0).path()` has them all. For "scm": what its first 1, 2, ... features do.

        Parameters
        ----------
        new : DataFrame, optional
            With the predictors and the response: its error is added as `new_error`.
        cv : int, "loo", Series or array of folds, optional
            As in `fit`: the error of the first prototypes that each fold's training rows choose is added as `cv_error`,
            with its standard error `cv_se`.

        Returns
        -------
        DataFrame
            One row for each number of prototypes: `lambda_low` and `lambda_high` (chosen for lambda_low <= lambda <
            lambda_high), `size`, `uncovered`, `miscovered`, `objective` (at the fit's own lambda), `training_error`. For
            "scm" one for each step: `size` (features, of all machines), `q` and `r` of the last feature where there is one
            machine, `bound` (see `bound`), `training_error`.

        Raises
        ------
        NotAvailable
            Where prototypes are not chosen step by step.
        """
        from ..analysis.steps import path

        return path(self, new, cv)

    def at(self, size: int | None = None, lambda_: float | None = None) -> Fit:
        """The fit with the first `size` prototypes, or with those that a larger lambda chooses; at once.

        For "scm" the first `size` features, of several machines of each. The cross-validated error was that of another rule,
        so it has none.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> fit.at(size=5).prototypes.index.equals(fit.prototypes.index[:5]), len(fit.at(lambda_=6).prototypes)
        (True, 6)
        """
        from ..analysis.steps import first

        rule = first(self, size, lambda_)
        # a larger lambda is a knob that fits again as this does; a number of prototypes is none
        model = self.model if lambda_ is None else replace(self.model, lambda_=lambda_)
        problem = replace(self.problem, model=model)
        return replace(self, problem=problem, model=model, rule=rule, validation=None, point=None)

    def update(self, **changes: Any) -> Fit:
        """Fit again with some arguments changed, such as `fit.update(eps=2)` or `fit.update(formula="y ~ a")`."""
        formula = changes.pop("formula", self.formula)
        data = changes.pop("data", self.call.data)
        arguments = {k: v for k, v in self.call.arguments.items() if k not in ("measure", "repeats")}
        if "method" in changes:
            knobs = {f.name for f in fields(self.model)}
            arguments = {k: v for k, v in arguments.items() if k not in knobs}
        elif isinstance(arguments.get("method"), Model):
            knobs = {f.name for f in fields(self.model)} & set(changes)
            arguments["method"] = replace(arguments["method"], **{k: changes.pop(k) for k in knobs})
        return fit(formula, data, **{**arguments, **changes})

    def training_error(self) -> float:
        """Weighted share of the rows of the fit that it misclassifies."""
        told = self._own_classes
        return float(self.frame.weights @ (told != self.frame.codes) / self.frame.weights.sum())

    @cached_property
    def _own_classes(self) -> np.ndarray:
        return self._told("class", None)[0]

    def knobs(self) -> Mapping[str, Any]:
        """The knobs of the model, as chosen."""
        return {f.name: getattr(self.model, f.name) for f in fields(self.model)}

    def __repr__(self) -> str:
        from ..tables.summary import brief

        return brief(self)

    def _repr_html_(self) -> str:
        from ..tables.summary import brief_html

        return brief_html(self)


def _margin(distance: pd.DataFrame, own: np.ndarray) -> np.ndarray:
    values = distance.to_numpy(float)
    mine = np.where(own >= 0, values[np.arange(len(values)), own], np.nan)
    others = values.copy()
    others[np.arange(len(values)), own] = np.inf
    others = np.where(np.isnan(values).all(axis=1), np.nan, others.min(axis=1))
    with np.errstate(invalid="ignore"):  # no prototypes at all: inf - inf
        return others - mine


def fit(
    formula: str,
    data: Any,
    method: Any = "pvm",
    *,
    dissimilarity: Any = "auto",
    candidates: Any = "train",
    cv: Any = "auto",
    choose: str = "1se",
    na: str = "drop",
    weights: Any = None,
    groups: Any = None,
    seed: int = 0,
    progress: bool | None = None,
    client: Any = None,
    **knobs: Any,
) -> Fit:
    """Fit a prototype classifier.

    Parameters
    ----------
    formula : str
        R's grammar: `"y ~ ."`, `"y ~ a + log(b)"`, `"y ~ . - id"`, `"y ~ 1"` for given dissimilarities. The response is
        a column; columns, numbers, operators and a fixed list of transforms may stand on the right.
    data : pandas DataFrame, or polars or pyarrow table
        Row labels must be distinct.
    method : str or model object
        Or a model object such as `pc.PVM(eps=1.2)`. By name, with the knobs that are tuned unless they are given; `help(pc.PVM)`
        and so on have them all:

        * "pvm": the prototype vector machine (`eps`), `PVM`;
        * "scm": the set covering machine (`kind`, `penalty`, `stop`), `SCM`;
        * "hyperplane": the optimal hyperplane on proximities, `Hyperplane`;
        * "knn", "dann": k nearest neighbours (`k`), `KNN`, and with a metric made at the query, `DANN`;
        * "condensed", "multiedit": the nearest of a part of the rows, `Condensed`, `Multiedit`;
        * "kmedoids", "kmeans", "lvq", "mixture": medoids, centroids, code vectors or Gaussians of each class (`K`), `KMedoids`,
          `KMeans`, `LVQ`, `Mixture`.
    dissimilarity : str, metric, callable, Dissimilarity, DataFrame or array
        "auto" is Euclidean on scaled columns if all predictors are numbers and Gower otherwise; a name ("manhattan"); a
        metric object; a function of two rows; or given dissimilarities: a DataFrame (square or n x m, by label), a square
        or condensed array (by position).
    candidates : "train", "own", int, `pc.unlabelled(frame)`, `pc.kmeans(K)` or `pc.hull(count)`
        What may become a prototype: the training rows, for any class or ("own") for their own only; a random subset of
        that many of them; further rows without a class, centroids, or uniform draws from the classes' convex hulls, added
        to the training rows (with `only=True` in their place). What is learned from the training rows is learned anew in each fold.
    cv : "auto", int, "loo", Series or array of folds, or None
        Folds that tune the open knobs; "auto" is 10 (fewer where a class has fewer rows) if a knob is open, else none.
    choose : "1se", "min" or "bound"
        The smallest model within one standard error of the least error; the least error; or, for "scm", the least bound
        (see `Fit.bound`), which looks at no held-out row.
    na : "drop", "raise" or "keep"
        Rows with missing values; "keep" goes with Gower, which skips what is missing pair by pair.
    weights : column name, Series or array, optional
        Weight of each row, in the objective, the coverage and the errors; not in scaling, quantiles or folds.
    groups : column name, Series or array, optional
        Rows of a group stay in one fold.
    seed : int
        For the folds and what else is drawn; the same seed gives the same result.
    progress : bool, optional
        A progress bar for work over 2 s; False silences it.
    client : None
        Reserved for distributed fits.
    **knobs
        Knobs of the method, such as `eps=1.0`. One that is "grid" or a sequence is open and tuned by cross-validation.

    Returns
    -------
    Fit

    Raises
    ------
    FormulaError, DataError, OptionError
        Naming what was given, what is allowed and the cure.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.prototypes["class"].value_counts(sort=False).to_dict()
    {'setosa': 4, 'versicolor': 5, 'virginica': 6}
    >>> fit.predict(pc.load_data("iris").iloc[[0, 70]]).tolist()
    ['setosa', 'virginica']
    """
    arguments = {"method": method, "dissimilarity": dissimilarity, "candidates": candidates, "cv": cv, "choose": choose,
                 "na": na, "weights": weights, "groups": groups, "seed": seed, "progress": progress, "client": client}  # fmt: skip
    problem = prepare("fit", formula, data, arguments, knobs)
    checked(choose, problem.model)
    none_open(problem)
    auto = isinstance(problem.cv, str) and problem.cv == "auto"
    if problem.cv is None or (auto and not problem.model.open()):
        return Fit(problem, *_learned(problem), None, None)
    validated = validate(problem)
    return fit_problem(problem, validated, validated.validation.chosen(choose))


def fit_problem(problem: Problem, validated: Validated | Validation, point: int) -> Fit:
    """The method on all rows, at a point of a validation."""
    validation = validated if isinstance(validated, Validation) else validated.validation
    values = {name: _plain(validation.points[name].iloc[point]) for name in validation.points}
    chosen = replace(problem, model=replace(problem.model, **values))
    if isinstance(validated, Validation):
        return Fit(chosen, *_learned(chosen), validation, point)
    if validated.whole is not None:
        return Fit(chosen, validated.related, chosen.model, validated.whole.at(point), validation, point)
    return Fit(chosen, *_learned(chosen, validated.related, validated.task), validation, point)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _learned(
    problem: Problem, related: Dissimilarity | None = None, task: Task | None = None
) -> tuple[Dissimilarity, Model, Rule]:
    with bar(None, "fitting", problem.progress) as fitting:
        related = problem.relate() if related is None else related
        task = problem.task(related, limit=ONCE) if task is None else task
        enough(problem, np.bincount(task.y[task.w > 0], minlength=task.classes), {})
        rule = problem.model.path(replace(task, tick=fitting.update), {}).at(0)
    return related, problem.model, rule
