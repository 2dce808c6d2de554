"""The tables of this package in the tools that format tables: pandas' LaTeX and Styler, great_tables."""

import numpy as np
import pandas as pd
import simulate

import protoclass as pc


def tables():
    """A table of each kind, by name."""
    iris, clinic = pc.load_data("iris"), simulate.clinic(90, missing=0)
    codes = iris.assign(species=iris.species.cat.codes)
    fit = pc.fit("species ~ .", iris, eps=[0.8, 1.0], cv=3, dissimilarity="euclidean", repeats=1)
    gower = pc.fit("outcome ~ age + ward + smoker", clinic, eps=0.2)
    v, calibrated = fit.validation, fit.calibrate(cv=3)
    test = calibrated.test(iris)
    by = fit.test(iris.assign(half=np.resize(list("ab"), 150)), by="half")
    compared = pc.compare("species ~ .", iris, [pc.PVM(eps=[0.8, 1.0]), "knn"], cv=3)
    return {
        "tidy": fit.tidy(), "glance": fit.glance(), "augment": gower.augment().head(), "prototypes": fit.prototypes,
        "centroids": pc.fit("species ~ .", iris, "kmeans", K=2).prototypes,
        "features": pc.fit("species ~ .", iris, "scm", features="stumps", penalty=1.0, max_size=2, kind="conjunction").tidy(),
        "validation": v.table, "validation tidy": v.tidy(), "validation glance": v.glance(), "band": v.band(),
        "test tidy": test.tidy(), "test glance": test.glance(), "confusion": test.confusion,
        "calibration": test.calibration(), "groups": by.tidy(), "groups glance": by.glance(), "tests of groups": by.comparisons,
        "comparison": compared.table, "paired tests": compared.tests, "errors of splits": compared.errors,
        "importance": fit.importance(resamples=1, cv=3), "why": fit.why(70), "path": fit.path(),
        "sets": calibrated.predict(iris.head(), "set").to_frame(),
        "chances": calibrated.predict(iris.head(), "prob"), "data sets": pc.load_data(),
        "numeric classes": pc.fit("species ~ .", codes, eps=1.0).test(codes).confusion,
    }  # fmt: skip


def test_tables_are_flat():
    """One level of unique names on each side: what LaTeX, HTML and other libraries can take as it is."""
    for name, table in tables().items():
        assert table.index.nlevels == table.columns.nlevels == 1, name
        assert table.index.is_unique, name
        assert table.columns.is_unique, name
        assert not isinstance(table.columns, pd.CategoricalIndex), name
        assert table.reset_index().shape == (len(table), len(table.columns) + 1), name
