"""candidates="auto": all rows where that is cheap, else a sample of them that is said."""

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.estimation import problem
from protoclass.estimation.problem import choose_candidates
from protoclass.frames.frame import mold


def table(n, p=2, seed=0):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(n, p))).add_prefix("x")
    return frame.assign(y=np.where(random.random(n) < 0.5, "a", "b"))


def test_few_rows_are_all_candidates(iris):
    assert choose_candidates(pc.PVM(), pc.Euclidean(), mold("species ~ .", iris)) == "train"
    fit = pc.fit("species ~ .", iris, eps=1.0)
    assert fit._problem.candidates == "train"
    assert "Candidates" not in repr(fit)
    assert pc.fit("species ~ .", iris, eps=1.0, candidates="train").prototypes.equals(fit.prototypes)


def test_many_rows_are_a_sample_where_a_fit_would_take_long():
    """The default fit of 200,000 rows has as many candidates as 30 s allow, by the stated rule."""
    frame = mold("y ~ .", table(200_000))
    chosen = choose_candidates(pc.PVM(), pc.Euclidean(), frame)
    assert chosen == int(30 / (pc.PVM().seconds_each(2) * 200_000)) > problem.LEAST_SAMPLE
    learned = choose_candidates(pc.PVM(), pc.LDA(), frame)  # each of ten folds measures each pair
    assert learned == max(chosen // 10, problem.LEAST_SAMPLE)
    assert choose_candidates(pc.PVM(eps=1.0), pc.LDA(), frame) == choose_candidates(pc.PVM(eps=1.0), pc.Euclidean(), frame)
    assert choose_candidates(pc.KNN(), pc.Euclidean(), frame) == "train"


def test_the_prediction_grows_with_the_grid():
    """As many candidates as 30 s and 400 MB allow: all of 5,000 rows, fewer of 40,000, and more of them where less is tuned."""
    sizes = [choose_candidates(pc.MedianGLVQ(**given), pc.Euclidean(), mold("y ~ .", table(40_000)))
             for given in ({"matrix": "full"}, {}, {"K": [1, 2]}, {"K": 1})]  # fmt: skip
    assert sizes[:3] == sorted(sizes[:3])
    assert sizes[0] == problem.LEAST_SAMPLE
    assert sizes[2] == pytest.approx(2 * sizes[1], rel=0.01)
    assert sizes[3] == 10**8 // 40_000
    assert choose_candidates(pc.MedianGLVQ(), pc.Euclidean(), mold("y ~ .", table(5_000))) == "train"


def test_a_sample_is_drawn_and_said(monkeypatch):
    monkeypatch.setattr(problem, "ALWAYS", 100)
    monkeypatch.setattr(problem, "BUDGET", 1e-4)
    monkeypatch.setattr(problem, "LEAST_SAMPLE", 40)
    data = table(400)
    fit = pc.fit("y ~ .", data, cv=3, dissimilarity="euclidean", repeats=1, progress=False)
    assert fit._problem.candidates == 40
    assert "40 of 400 rows, a random sample by class, because all would take long (candidates='train' uses all)" in repr(fit)
    assert "40 of 400 rows" in str(fit.summary())
    by_hand = pc.fit("y ~ .", data, cv=3, dissimilarity="euclidean", repeats=1, progress=False, candidates=40)
    assert fit.prototypes.equals(by_hand.prototypes)
    assert "Candidates" not in repr(by_hand)
    assert fit.update(candidates="train")._problem.candidates == "train"
    assert fit.update(data=data[:90])._problem.candidates == "train"
    given = pc.dissimilarity("~ x0 + x1", data).frame()
    assert pc.fit("y ~ 1", data, dissimilarity=given, cv=3, progress=False, repeats=1)._problem.candidates == "train"
