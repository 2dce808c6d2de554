"""Random formulas, from a grammar and from junk: read, or refused in our own words."""

import numpy as np
import pandas as pd
from hypothesis import given

import protoclass as pc
from protoclass.frames.formula import read

from .calls import junk
from .laws import attempt, kept, lawful


def table():
    draw = np.random.default_rng(0)
    data = pd.DataFrame(draw.normal(size=(12, 3)), columns=["x0", "x1", "x 2"])
    return data.assign(g=list("uv") * 6, y=list("ab") * 6)


DATA = table()


@kept(120)
@given(junk())
def test_formulas_are_fitted_or_refused(text):
    with lawful():
        formula = read(text, DATA.columns)
        assert set(formula.variables) <= set(DATA.columns)
        assert formula.response not in formula.variables
    fit = attempt(lambda: pc.fit(text, DATA, "knn", k=1, progress=False), "formula")
    if fit is not None:
        told = fit.predict(DATA)
        assert told.index.equals(DATA.index)
        assert told.loc[fit.frame.index].equals(fit.predict())
