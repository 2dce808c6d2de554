"""Dask: fits of a sample, answers for partitions where they lie, and whole fits on workers, of which one may be lost."""

import os
import signal
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.cluster import joined

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


def made(n=600, rare=12):
    draw = np.random.default_rng(n)
    y = np.where(np.arange(n) < rare, "rare", draw.choice(["u", "v"], n, p=[0.7, 0.3]))
    X = draw.normal(size=(n, 2)) + 2 * np.stack([y == "u", y == "rare"], axis=1)
    data = pd.DataFrame(X.round(1), columns=["a", "b"]).assign(g=np.array(["x", "z", None])[np.arange(n) % 3], y=y)
    return data.assign(w=draw.integers(1, 4, n), patient=draw.integers(0, 40, n)).sample(frac=1, random_state=0)


def in_parts(data, cuts=(0, 30, 30, 200)):
    """Partitions that end at these rows, some of them empty, with labels that repeat."""
    parts = [data.iloc[a:b].reset_index(drop=True) for a, b in pairwise([0, *cuts, len(data)])]
    return dd.from_map(lambda k: parts[k], range(len(parts)), meta=data.iloc[:0])


GIVEN = {"dissimilarity": "euclidean", "eps": 1.0, "na": "drop"}


def test_all_rows_if_they_are_few_or_wanted():
    data = made().drop(columns="g")
    here = pc.fit("y ~ a + b", data.reset_index(drop=True), **GIVEN, weights="w")
    for sample in (50_000, None):
        fit = pc.fit("y ~ a + b", in_parts(data), **GIVEN, weights="w", sample=sample)
        pd.testing.assert_frame_equal(fit.prototypes.astype(str), here.prototypes.astype(str))  # Dask has its own texts
        assert str(fit) == str(here)


def test_a_sample_by_class_with_rare_classes_whole_that_the_fit_prints():
    data = made().drop(columns="g").reset_index(drop=True)
    fit = pc.fit("y ~ a + b", in_parts(data), **GIVEN, sample=400)
    rows = fit.call.data
    assert rows["y"].value_counts().loc["rare"] == 12
    assert len(rows) == 400
    assert abs(rows["y"].value_counts(normalize=True) - data["y"].value_counts(normalize=True)).max() < 0.02
    pd.testing.assert_frame_equal(rows, data.loc[rows.index], check_dtype=False)  # rows are called by their number
    assert "a random sample of 400 of 600 rows by class, with all rows of 'rare' (sample=None uses all rows)" in str(fit)
    again = pc.fit("y ~ a + b", in_parts(data), **GIVEN, sample=400)
    assert again.call.data.equals(rows)
    other = pc.cross_validate("y ~ a + b", in_parts(data), dissimilarity="euclidean", eps=[1.0, 2.0], sample=400, seed=1, cv=3)
    assert not other._problem.call.data.index.equals(rows.index)
    labelled = dd.from_pandas(data.set_axis([f"p{k:03}" for k in range(600)]), npartitions=3)
    assert pc.fit("y ~ a + b", labelled, **GIVEN, sample=400).prototypes.index.str.startswith("p").all()


def test_partitions_with_other_categories_and_missing_classes():
    a = pd.DataFrame({"y": pd.Categorical([1, 2, 2]), "x": [0.0, 1.0, 2.0]})
    b = pd.DataFrame({"y": pd.Categorical([3, 3, None]), "x": [3.0, 4.0, 5.0]})
    assert joined([a.iloc[:0], a, b])["y"].cat.categories.tolist() == [1, 2, 3]
    both = dd.from_map(lambda k: (a, b)[k], range(2), meta=a.iloc[:0])
    fit = pc.fit("y ~ x", both, dissimilarity="euclidean", eps=1.0)
    assert fit.classes == [1, 2, 3]
    assert fit.dropped.tolist() == [5]


FITS = {
    "pvm": {"eps": 1.0}, "knn": {"method": "knn", "k": 3}, "kmeans": {"method": "kmeans", "K": 2},
    "calibrated": {"eps": 1.0, "calibrate": True},
    "mixed": {"dissimilarity": "gower", "formula": "y ~ a + b + g", "eps": 0.2}, "groups": {"eps": 1.0, "groups": "patient"},
}  # fmt: skip


@pytest.mark.parametrize("case", FITS)
def test_partitions_have_the_answers_of_the_rows(case):
    data = made(300)
    given = {"dissimilarity": "euclidean", "formula": "y ~ a + b", "data": data.iloc[:150].dropna(), **FITS[case]}
    fit, new = pc.fit(**given), data.iloc[100:].reset_index(drop=True)
    lazy = in_parts(new)
    for kind in fit._kinds:
        found, expected = fit.predict(lazy, kind), fit.predict(new, kind)
        assert hasattr(found, "dask")
        expected = expected.convert_dtypes() if kind == "nearest" else expected  # a type that is the same in all partitions
        check = pd.testing.assert_frame_equal if isinstance(expected, pd.DataFrame) else pd.testing.assert_series_equal
        check(found.compute().reset_index(drop=True), expected)
    table, expected = fit.augment(lazy).compute().reset_index(drop=True), fit.augment(new)
    if "prototype" in expected:
        expected["prototype"] = expected["prototype"].convert_dtypes()
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)
    for how in ({}, {"weights": "w"}, {"by": "g"}, {"clusters": "patient"}):
        for form in ("glance", "tidy"):
            pd.testing.assert_frame_equal(getattr(fit.test(lazy, **how), form)(), getattr(fit.test(new, **how), form)())


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda fit, data: pc.compare("y ~ a", data, ["pvm"]), r"takes no Dask object as data: use data.compute\(\)"),
        (lambda fit, data: pc.fit("y ~ a", data, weights=data["a"]), "as weights: use the name"),
        (lambda fit, data: fit.predict(data[["a"]]), r"the new data lack the columns \['b'\]"),
        (lambda fit, data: fit.predict(data, "no"), "kind must be 'class'"),
        (lambda fit, data: pc.fit("y ~ a", data, sample=0), "sample must be a whole number >= 1"),
        (lambda fit, data: pc.fit("~ a", data), "has no response"),
        (lambda fit, data: pc.fit("q ~ a", data), "the response 'q' is not a column"),
        (lambda fit, data: pc.fit("y ~ a", data.compute(), sample=9), r"sample=9 is for a Dask DataFrame: use data.sample\(n\)"),
        (lambda fit, data: fit.stability(client=object()), "client must be a Dask client that runs, not <object"),
    ],
)
def test_what_is_refused(work, words):
    data = made(60).drop(columns="g")
    with pytest.raises(pc.ProtoclassError, match=words):
        work(pc.fit("y ~ a + b", data, **GIVEN), in_parts(data, (20,)))


METHODS = {"pvm": {"method": "pvm", "eps": 1.0}, "knn": pc.KNN(k=1)}


def test_fits_on_workers_are_those_of_one_process(client):
    data = made(90, rare=20).drop(columns="g").reset_index(drop=True)
    fit = pc.fit("y ~ a + b", data, **GIVEN, cv=3)
    for sample in ("bootstrap", "halves"):
        remote, local = (fit.stability(resamples=6, sample=sample, client=where).table for where in (client, None))
        pd.testing.assert_frame_equal(remote, local)
    pd.testing.assert_frame_equal(fit.importance(resamples=3, client=client), fit.importance(resamples=3))
    test, here = (fit.validation.permutation_test(resamples=4, client=where) for where in (client, None))
    pd.testing.assert_frame_equal(test.table, here.table)
    given = {"cv": 3, "dissimilarity": "euclidean", "calibrate": True}
    remote, local = (pc.compare("y ~ a + b", data, METHODS, **given, client=where) for where in (client, None))
    pd.testing.assert_frame_equal(remote.predictions, local.predictions)
    pd.testing.assert_frame_equal(remote.results.drop(columns="seconds"), local.results.drop(columns="seconds"))
    assert all(np.array_equal(remote.probabilities[name], local.probabilities[name]) for name in METHODS)


class Dies(pc.KNN):
    """Stops the process of its first fit, if it is not the one of the test."""

    name = "dies"

    def path(self, task, grid):
        died = os.environ.get("DIED")  # which a new worker does not have
        if died is not None and os.getpid() != int(os.environ["OF_THE_TEST"]) and not os.path.exists(died):
            open(died, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().path(task, grid)


def test_a_worker_that_is_killed_changes_nothing(client, tmp_path, monkeypatch):
    marks = {"DIED": str(tmp_path / "died"), "OF_THE_TEST": str(os.getpid())}
    for name, value in marks.items():
        monkeypatch.setenv(name, value)
    client.run(lambda: os.environ.update(marks))
    data = made(90, rare=20).drop(columns="g").reset_index(drop=True)
    given = {"cv": 3, "dissimilarity": "euclidean"}
    remote, local = (pc.compare("y ~ a + b", data, [Dies(k=1), pc.KNN(k=3)], **given, client=where) for where in (client, None))
    assert (tmp_path / "died").exists()
    pd.testing.assert_frame_equal(remote.predictions, local.predictions)


class Deadly(pc.KNN):
    name = "deadly"

    def path(self, task, grid):
        os.kill(os.getpid(), signal.SIGKILL)


class Fails(pc.KNN):
    name = "fails"

    def path(self, task, grid):
        raise ZeroDivisionError("by zero")


@pytest.mark.parametrize(
    ("method", "error", "words"),
    [(Deadly(k=1), pc.errors.DaskError, "could not finish the fits, KilledWorker"), (Fails(k=1), ZeroDivisionError, "by zero"),
     (pc.KNN(k=400), pc.errors.DataError, "compare, method 'one'")],
)  # fmt: skip
def test_errors_of_workers(client, method, error, words):
    data = made(60, rare=20).drop(columns="g")
    with pytest.raises(error, match=words):
        pc.compare("y ~ a + b", data, {"one": method}, cv=2, dissimilarity="euclidean", client=client)


def test_a_closed_client(iris):
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as local:
        one = distributed.Client(local, set_as_default=False)
        one.close()
    with pytest.raises(pc.errors.OptionError, match="client must be a Dask client that runs"):
        pc.fit("species ~ .", iris, eps=1.0).stability(resamples=2, client=one)
