"""The bound on the optimum, for a rule and for its first steps."""

import numpy as np
import pytest

import protoclass as pc
from protoclass.pictures.stages import measure_gaps


def test_gaps_of_the_first_steps_are_those_of_their_objectives(iris):
    """The bound is one on all covers, so also on fewer prototypes; their objectives from the definition."""
    fit = pc.fit("species ~ .", iris, eps=1.5, lambda_=2.0, certify=True)
    proved, bound = measure_gaps(fit), fit.certificate.bound.sum()
    D = pc.dissimilarity("species ~ .", iris).frame()
    prototypes, truth = fit.prototypes, iris["species"]
    for size in range(len(prototypes) + 1):
        first = prototypes.iloc[:size]
        inside = D[first.index].to_numpy() < 1.5
        own = truth.astype(str).to_numpy()[:, None] == first["class"].astype(str).to_numpy()[None]
        objective = (~(inside & own).any(axis=1)).sum() + (inside & ~own).sum() + 2.0 * size
        assert proved.gaps[size] == pytest.approx(objective / bound - 1, abs=1e-9)
    assert proved.gaps[-1] == pytest.approx(fit.certificate.gap)
    assert proved.describe(len(prototypes)) == f"Objective: {fit.certificate}."
    assert (np.diff(proved.gaps) <= 1e-9).all()


def test_only_what_is_proved_is_said(iris):
    assert measure_gaps(pc.fit("species ~ .", iris, eps=1.0)) is None
    assert measure_gaps(pc.fit("species ~ .", iris, "knn", k=3)) is None
    exact = pc.fit("species ~ .", iris, eps=1.5, solver="exact")
    assert measure_gaps(exact).gaps.tolist() == [0.0]
    assert measure_gaps(exact).describe(None).startswith("Objective: optimal (proved by ")
    nothing = pc.fit("species ~ .", iris, eps=1e-6, lambda_=0.0, certify=True)  # every row is its own prototype, at no cost
    assert measure_gaps(nothing).describe(0) == ""
    assert "optimal" in measure_gaps(nothing).describe(len(nothing.prototypes))
