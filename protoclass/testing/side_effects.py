"""What a method must not do while it learns and predicts: write into its arguments, draw from global generators, keep state."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..core.query import Query
from ..core.task import Rule, Task
from ..fitting import fit
from ..models.base import Model
from .answers import check_path
from .contract import own_errors, require, three_classes
from .subject import BY_CLASS, RAW, Subject, answers, deed, modules_of, problem_of
from .watched import watching

MOST_WRONG = 0.35  # proportion of the training rows of three classes that hardly overlap


def of_task(task: Task) -> dict[str, np.ndarray]:
    """The arrays that a method may read from a task."""
    return {
        "y": task.y, "w": task.w, "candidate_row": task.candidate_row, "D": task.D.array(),
        "coordinates": task.coordinates(), "columns": task.columns(),
    }  # fmt: skip


def of_query(query: Query, rule: Rule) -> dict[str, np.ndarray]:
    """The arrays that a rule may read from a query."""
    arrays = {"query_coordinates": query.coordinates(), "query_columns": query.columns()}
    return {**arrays, "dissimilarities": query.dissimilarities(rule.prototypes)} if len(rule.prototypes) else arrays


def check_learning(model: Model, data: pd.DataFrame, new: pd.DataFrame, seed: int) -> None:
    """A method and its rule write into nothing that they are given, and give the same answers when they are asked again."""
    name = type(model).__name__
    problem = problem_of(data, model, seed)
    dissimilarity = problem.measure()
    task = problem.task(dissimilarity)
    fold = np.arange(len(data)) // 3 % 2
    with own_errors(f"{name}: `path`", modules_of(type(model))):
        with watching(f"{name}: `path`", **of_task(task)):
            path = model.path(task, {})
        check_path(name, path, task.classes, task.shape[1])
        rule = path.at(0)
        with watching(f"{name}: `paths`", **of_task(task), fold=fold):
            folds = sorted(f for f, _ in model.paths(task, fold, 2, {}))
        require(folds == [0, 1], f"{name}: `paths` of 2 folds must yield (f, path) for each, f = 0 and 1, and yields {folds}")
        again = model.path(problem.task(dissimilarity), {}).at(0)
    asked = dissimilarity.new_query(new)[0]
    for kind in rule.kinds:
        query = dissimilarity.new_query(new)[0]
        what = f"{name}: predict({kind!r})"
        with own_errors(what, modules_of(type(model)) | {type(rule).__module__}):
            with watching(what, **of_query(query, rule)):
                first = np.asarray(rule.predict(kind, query))
            second, other = np.asarray(rule.predict(kind, asked)), np.asarray(again.predict(kind, asked))
        require(
            _same(first, second),
            f"{what} gives other values when it is called a second time: it must draw nothing at random, and keep nothing between calls",
        )
        require(
            _same(second, other),
            f"{name}: the same seed gives another rule when it is fitted again, as {kind!r} shows: draw from "
            "np.random.default_rng(task.seed) only, and keep nothing between calls",
        )


def _same(one: np.ndarray, two: np.ndarray) -> bool:
    return one.shape == two.shape and np.array_equal(one, two, equal_nan=one.dtype.kind == "f")


def check_state(s: Subject) -> None:
    """Training on other rows changes no rule that was learned before, and learns from these rows."""
    query = s.query()
    before = answers(s.fit.rule, query)
    turned = {"one": "two", "two": "three", "three": "one"}
    other = three_classes(s.fit.problem.seed + 7).iloc[::-1].reset_index(drop=True)
    other["y"] = other["y"].map(turned)
    problem = problem_of(other, s.single)
    with deed(s, "`path` on other rows"):
        dissimilarity = problem.measure()
        task = problem.task(dissimilarity)
        rule = s.single.path(task, {}).at(0)
        codes = np.asarray(rule.predict("class", dissimilarity.query()))
        fewer = fit("y ~ .", other.iloc[:69], s.single, dissimilarity=RAW, cv=None)
    after = answers(s.fit.rule, s.query())
    cure = "keep what is learned in fields of the rule, not in a module, a class, or the model"
    for kind, values in before.items():
        require(_same(values, after[kind]), f"{s}: predict({kind!r}) of a rule changes when the method is fitted to other rows: {cure}")
    wrong = float((codes != task.y).mean())
    require(
        wrong < MOST_WRONG,
        f"{s}: fitted to other rows of the same shape, it errs on {wrong:.2f} of them: it keeps something of the rows before; {cure}",
    )
    require(len(fewer.predict(s.new)) == len(s.new), f"{s}: a fit to fewer rows predicts another number of rows than asked for")
    again = s.fit.update()
    for kind, values in answers(again.rule, s.query()).items():
        same = np.allclose(values, before[kind], equal_nan=True) if kind in BY_CLASS else (values == before[kind]).all()
        require(bool(same), f"{s}: fitted again after other rows, predict({kind!r}) differs: {cure}")
