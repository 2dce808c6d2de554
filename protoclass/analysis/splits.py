"""The splits of a comparison, and every method judged on each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import whole_number
from ..core.folds import grouped, holdout, stratified, usual_folds
from ..errors import DataError, DataWarning, OptionError, ProtoclassError, brief, shown
from ..estimation.call import DEFAULTS, Call
from ..estimation.fit import Fit
from ..estimation.fitting import fit
from ..estimation.problem import prepare
from ..estimation.uninformative import WORSE
from ..frames.checks import along
from ..frames.frame import Frame, mold
from ..frames.reading import made_from
from ..frames.unseen import Unseen
from ..metrics.base import Metric, as_vectors
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import dissimilarity as measure
from ..progress import bar
from .paired import Design


@dataclass(frozen=True)
class Drawing:
    """How splits are drawn, as in `compare`."""

    test_size: float | None
    cv: int | None
    repeats: int
    seed: int


@dataclass(frozen=True, eq=False)
class Splits:
    """Data and the test rows of each split.

    Attributes
    ----------
    formula : str
    data : DataFrame
    frame : Frame
        The rows that take part.
    dissimilarity : as in `fit`
    given : DataFrame, or None
        Given dissimilarities by label.
    groups : column name, Series or None
    drawing : Drawing
    tests : list of bool arrays (n,)
        Test rows of each split, repeat by repeat.
    """

    formula: str
    data: pd.DataFrame
    frame: Frame
    dissimilarity: Any
    given: pd.DataFrame | None
    groups: str | pd.Series | None
    drawing: Drawing
    tests: list[np.ndarray]

    @property
    def held(self) -> float:
        """Mean number of test rows of a split."""
        return float(np.mean([test.sum() for test in self.tests]))

    def design(self) -> Design:
        """What intervals and tests must know of the splits."""
        sets = 1 if self.drawing.test_size is not None else self.drawing.repeats
        return Design(self.held / (len(self.frame) - self.held), sets, self.groups is not None)

    def how(self) -> str:
        """The splits in words."""
        n, repeats = len(self.frame), self.drawing.repeats
        again = (f", {repeats} times" if repeats > 1 else "") + (
            "" if self.groups is None else ", whole groups left out"
        )
        if self.drawing.test_size is not None:
            return f"Random split{again}: {n - self.held:g} rows train, {self.held:g} test"
        return f"Nested cross-validation of {n} rows, {len(self.tests) // repeats} folds{again}"

    def groups_of(self, rows: pd.Index) -> dict[str, Any]:
        """The argument `groups` of a fit to some rows, where there are groups."""
        if self.groups is None:
            return {}
        return {"groups": self.groups if isinstance(self.groups, str) else self.groups.loc[rows]}


def make_splits(formula: str, data: pd.DataFrame, dissimilarity: Any, na: str, groups: Any, drawing: Drawing) -> Splits:
    """Read the data, and draw the splits."""
    given = matrix_of(dissimilarity, data)
    frame = mold(formula, data, na=na, aside=tuple(v for v in (groups,) if isinstance(v, str)))
    of_row = None if groups is None else pd.Series(along(groups, data, "groups"), data.index)
    tests = draw_splits(frame.codes, None if of_row is None else of_row.loc[frame.index], drawing)
    return Splits(
        formula, data, frame, dissimilarity, given, groups if isinstance(groups, str) else of_row, drawing, tests
    )


def judge_all(
    splits: Splits, methods: Mapping[str, Mapping[str, Any]], progress: bool | None
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, np.ndarray]]:
    """Every method on every split: `results`, `predictions` and `chances` of a Comparison.

    Parameters
    ----------
    splits : Splits
    methods : mapping of names to arguments of `fit`
    progress : bool, optional
    """
    rows, parts, labels, lost = [], [], list[pd.Index](), Unseen()
    chances: dict[str, list[np.ndarray]] = {}
    for name, options in methods.items():
        with named(name):
            check_method(splits, options)
    with bar(len(splits.tests) * len(methods), "comparing", progress) as comparing, warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*{WORSE}", DataWarning)  # errors on the test rows say it of all splits together
        for split, test in enumerate(splits.tests):
            train_rows, test_rows = splits.frame.index[~test], splits.frame.index[test]
            truth = splits.data.loc[test_rows, splits.frame.formula.response]
            predicted: dict[str, Any] = {"truth": truth}
            unseen = Unseen()
            for name, options in methods.items():
                with named(name):
                    row, predicted[name], p, without = judge(splits, options, train_rows, test_rows)
                rows.append({"split": split, "method": name, **count_errors(predicted[name], truth), **row})
                if p is not None:
                    chances.setdefault(name, []).append(p)
                unseen |= without
                comparing.update()
            lost += unseen
            parts.append(pd.DataFrame({k: np.asarray(v, object) for k, v in predicted.items()}))
            labels.append(test_rows.to_flat_index())
    lost.warn_of_folds("split")
    of_split = np.repeat(np.arange(len(labels)), [len(part) for part in labels])
    index = pd.MultiIndex.from_arrays([of_split, labels[0].append(labels[1:])], names=["split", None])
    predictions, levels = pd.concat(parts).set_axis(index), splits.frame.levels
    said = predictions.apply(lambda column: pd.Categorical(column, levels))
    return pd.DataFrame(rows), said, {name: np.concatenate(p) for name, p in chances.items()}


@contextmanager
def named(method: str) -> Iterator[None]:
    """Errors that name the method of the comparison that raised them."""
    try:
        yield
    except ProtoclassError as reason:
        raise type(reason)(f"compare, method {method!r}: {reason}") from reason


def check_method(splits: Splits, options: Mapping[str, Any]) -> None:
    """Raise if a method does not take the data or its arguments, before any method is fitted."""
    arguments = {name: value for name, value in options.items() if name in DEFAULTS}
    parameters = {name: value for name, value in options.items() if name not in DEFAULTS}
    problem = prepare(Call("fit", splits.formula, splits.data, {**arguments, **splits.groups_of(splits.data.index)}, fit), parameters)
    if problem.model.can.coordinates and not problem.metric.train_in_folds:
        as_vectors(problem.metric.train(problem.frame) if isinstance(problem.metric, Metric) else problem.metric)


def judge(
    splits: Splits, options: Mapping[str, Any], train: pd.Index, test: pd.Index
) -> tuple[dict[str, Any], pd.Series, np.ndarray | None, Unseen]:
    """One method on one split: sizes and times of the fit, its predictions of the test rows, and their chances if it is calibrated;
    and the levels that its training rows lack, so that it has no prediction of the test rows that have them."""
    data, measured = splits.data, options["dissimilarity"]
    matrix = splits.given if measured is splits.dissimilarity else matrix_of(measured, data)
    new = data.loc[test]
    if matrix is not None:
        lost = train.append(test).difference(matrix.index)
        if len(lost):
            raise DataError(f"the dissimilarities lack the row {shown(lost[0])} of the data: rows are matched by label")
        beside = ~matrix.columns.isin(matrix.index)  # candidates that are not rows
        options = {**options, "dissimilarity": matrix.loc[train, matrix.columns.isin(train) | beside]}
        new = matrix.loc[test]
    start = perf_counter()
    fitted = fit(splits.formula, made_from(data, data.loc[train]), **splits.groups_of(train), **options)
    middle = perf_counter()
    predicted = fitted.predictions(new, unseen=None)
    row = {"prototypes": len(fitted.rule.prototypes), "size": fitted.rule.size, "seconds": middle - start,
           "predict_seconds": perf_counter() - middle, "choice": choice_of(fitted)}  # fmt: skip
    return row, predicted, chances_of(fitted, new), fitted.unpredicted_in(new)


def chances_of(fitted: Fit, new: pd.DataFrame) -> np.ndarray | None:
    """Calibrated chances (n, classes) of new rows; None where the fit is not calibrated."""
    return None if fitted.calibration is None else fitted.predictions(new, "prob", unseen=None).to_numpy(float)


def count_errors(predicted: pd.Series, truth: pd.Series) -> dict[str, Any]:
    """Rows, those predicted wrongly or not at all, and their share."""
    lost = predicted.isna().to_numpy() | (predicted.astype(object) != truth.astype(object)).to_numpy()
    wrong = int(lost.sum())
    return {"n": len(truth), "wrong": wrong, "error": wrong / len(truth)}


def choice_of(fitted: Fit) -> dict[str, Any]:
    """The parameters that cross-validation chose."""
    return dict(fitted.selection.values)


def draw_splits(y: np.ndarray, groups: pd.Series | None, drawing: Drawing) -> list[np.ndarray]:
    """Test rows of each split, bool (n,)."""
    test_size, cv = drawing.test_size, drawing.cv
    seeds = [int(np.random.SeedSequence([drawing.seed, r, 1]).generate_state(1)[0]) for r in range(drawing.repeats)]
    if test_size is not None:
        if cv is not None:
            raise OptionError(
                "test_size= draws splits and cv= folds: give one of them (inner= are the folds that tune)"
            )
        if groups is not None:
            raise OptionError("groups go with cv=, which leaves whole groups out")
        if isinstance(test_size, bool) or not isinstance(test_size, Real) or not 0 < test_size < 1:
            raise OptionError(
                f"test_size={brief(test_size)}: a number between 0 and 1, the share of the rows that test"
            )
        tests = [holdout(y, float(test_size), s) for s in seeds]
        if not tests[0].any():
            raise OptionError(f"test_size={test_size:g} of {len(y)} rows leaves no test row: give more")
        return tests
    if cv is None:
        folds = usual_folds(y, None if groups is None else groups.nunique())
        if folds < 2:
            few = "a class has one row" if groups is None else "there is one group"
            raise DataError(f"outer folds need two rows of each class, or two groups, and {few}: leave it out, or join classes")
    else:
        folds = whole_number("cv", cv, 2)
    least = int(np.bincount(y).min())
    if groups is None and least < folds:
        raise OptionError(
            f"cv={folds} outer folds, and the rarest class has {least} rows: give cv={max(2, least)} or fewer"
        )
    if groups is None:
        of_row = [stratified(y, folds, s) for s in seeds]
    else:
        if groups.isna().any():
            raise DataError("groups have missing values: every row needs one")
        of_row = [grouped(y, pd.factorize(groups)[0], folds, s) for s in seeds]
    return [fold == f for fold in of_row for f in range(folds)]


def matrix_of(spec: Any, data: pd.DataFrame) -> pd.DataFrame | None:
    """Given dissimilarities as a DataFrame by label; None where rows are measured by their predictors."""
    if isinstance(spec, pd.DataFrame):
        return spec
    if isinstance(spec, Dissimilarity):
        spec.metric.check_rows(data.index)
        needed = spec.data.columns.columns
        complete = spec.metric.given or (not spec.metric.train_in_folds and not needed.isin(data.columns).all())
        return spec.frame() if complete else None
    if isinstance(spec, np.ndarray):
        return measure("~ 1", data, spec).frame()
    return None
