"""Metrics of metrics: what a wrapper passes on, and wrappers of one's own."""

import re
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pytest
from new_rows import measure

import protoclass as pc
from protoclass.frames.frame import mold


@dataclass(frozen=True)
class Power(pc.extend.Wrapper):
    """A metric raised to a power."""

    of: Any = "euclidean"
    exponent: float = 0.5

    def transform(self, values):
        return values**self.exponent


def test_a_wrapper_of_ones_own_writes_one_method():
    pc.testing.check_metric(Power)
    pc.testing.check_metric(Power(pc.Learned()))


def test_a_wrapper_serves_wherever_a_metric_does(iris):
    plain = pc.dissimilarity("species ~ .", iris, "manhattan").frame()
    d = pc.dissimilarity("species ~ .", iris, Power("manhattan"))
    assert d.frame().equals(plain**0.5)
    assert d.metric.name == "power of Manhattan"
    assert np.array_equal(measure(d, iris.iloc[[70]]), d.frame().to_numpy()[[70]])
    matrix = pc.fit("species ~ 1", iris, dissimilarity=Power(plain), eps=1.0)
    assert matrix.prototypes.index.equals(pc.fit("species ~ .", iris, dissimilarity=Power("manhattan"), eps=1.0).prototypes.index)
    nested = pc.dissimilarity("species ~ .", iris, pc.Ranks(Power("manhattan", 1.0)))
    assert nested.frame().equals(pc.dissimilarity("species ~ .", iris, pc.Ranks("manhattan")).frame())
    with pytest.raises(pc.OptionError, match=r"Power needs a metric or a matrix: use d\.metric, or d\.frame\(\) with a formula 'y ~ 1'"):
        pc.dissimilarity("~ 1", iris, Power(d))


OWN = {"triangle", "power", "geometry"}  # traits that a transform need not keep
BASES = ["euclidean", "gower", "dtw", "adaptive", pc.Learned(), pc.Hamming(), lambda a, b: 1.0, pc.Euclidean(scale="fold"),
         pc.Mixed([(["a", "b"], "gower"), ("c", "manhattan")])]  # fmt: skip


@pytest.mark.parametrize("of", BASES, ids=lambda of: re.sub(" at 0x[0-9a-f]+", "", str(of)))
def test_a_wrapper_passes_on_what_is_so_of_its_metric(of):
    wrapped = Power(of)
    inner = wrapped.inner[0].traits
    for f in fields(pc.extend.Traits):
        default = None if f.name in OWN - {"triangle"} else False
        assert getattr(wrapped.traits, f.name) == (default if f.name in OWN else getattr(inner, f.name)), f.name
    assert wrapped.unseen_in("a") == wrapped.inner[0].unseen_in("a")
    kept = {"symmetric", "reflexive", "skips_missing", "scaling", "train_in_folds", "data_dependent", *OWN}
    ranks = pc.Ranks(of).traits
    assert {f.name: getattr(ranks, f.name) for f in fields(pc.extend.Traits) if f.name not in kept} == {
        f.name: getattr(inner, f.name) for f in fields(pc.extend.Traits) if f.name not in kept
    }


def test_a_wrapper_says_what_its_metric_learned(iris):
    frame = mold("species ~ .", iris)
    learned = Power(pc.Learned()).train(frame)
    assert learned.column_weights.equals(learned.base.column_weights)
    assert learned.notes == learned.base.notes
    assert learned.untrained == Power(pc.Learned())
    assert learned.arrays().keys() == {f"base.{name}" for name in learned.base.arrays()}
    assert replace(learned) == learned
