"""Fits whose rows stay on a cluster: the same as in memory, whatever the partitions are, and whatever workers are lost."""

import os
import pickle
import signal
import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.cluster.rows import as_dask

dd = pytest.importorskip("dask.dataframe")


def made(seed, n=400):
    """Three classes that overlap, with ties, weights and groups."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 3, n)
    X = draw.normal(size=(n, 3)) + 1.5 * np.eye(3)[y]
    data = pd.DataFrame(np.round(X, 1), columns=list("abc"))
    return data.assign(y=np.array(["u", "v", "w"])[y], weight=draw.integers(1, 4, n).astype(float), group=draw.integers(0, 25, n))


def in_parts(data, cuts):
    """A Dask DataFrame with partitions that end at these rows; some may be empty."""
    bounds = [0, *cuts, len(data)]
    parts = [data.iloc[a:b].reset_index(drop=True) for a, b in pairwise(bounds)]
    return dd.from_map(lambda k: parts[k], range(len(parts)), meta=data.iloc[:0])


def assert_same(remote, here):
    pd.testing.assert_frame_equal(remote.prototypes, here.prototypes)
    assert remote.selection.values == here.selection.values
    assert remote.predict().equals(here.predict())
    if here.curve is not None:
        pd.testing.assert_frame_equal(remote.validation.table, here.validation.table)
        assert remote.validation.held_out.equals(here.validation.held_out)


CASES = {
    "one eps": {"eps": 1.0},
    "weights": {"eps": 1.0, "weights": "weight"},
    "closed balls, a cost": {"eps": 0.8, "balls": "closed", "lambda_": 2.0},
    "cross-validated": {"candidates": 60, "dissimilarity": "euclidean", "repeats": 1},
    "cross-validated by groups": {"groups": "group", "eps": [0.5, 1.0, 1.5], "weights": "weight"},
    "own candidates": {"candidates": "same_class", "eps": 1.0},
    "a sample, two parameters": {"candidates": 50, "eps": [0.6, 1.2], "lambda_": [0.1, 3.0]},
    "manhattan, closest choice": {"dissimilarity": "manhattan", "choose": "min", "candidates": 80},
    "scaled in each fold": {"dissimilarity": pc.Euclidean(scale="fold"), "eps": [0.7, 1.4]},
    "optimal": {"solver": "exact", "eps": 1.0},
    "certified": {"certify": True, "eps": 1.0, "candidates": 100},
    "by gain and cost": {"solver": "ratio", "eps": 1.0},
    "centroids as candidates": {"candidates": pc.kmeans(5), "eps": [0.7, 1.4]},
    "calibrated": {"calibrate": True, "eps": 1.0},
    "a budget": {"max_prototypes": 8, "eps": [0.7, 1.4], "candidates": 60},
    "a budget of each class": {"max_prototypes": {"u": 2, "v": 3, "w": 3}, "eps": [0.7, 1.4], "candidates": 40},
    "balanced": {"class_weights": "balanced", "measure": "balanced", "eps": [0.7, 1.4], "candidates": 40},
}


AGAIN = (  # ways through the code that others of the cases take as well
    "own candidates", "manhattan, closest choice", "scaled in each fold", "centroids as candidates", "balanced", "closed balls, a cost",
    "a budget of each class",
)  # fmt: skip


@pytest.mark.parametrize("case", [pytest.param(name, marks=pytest.mark.long) if name in AGAIN else name for name in CASES])
def test_equals_the_fit_in_memory(client, case):
    data = made(len(case))
    given = CASES[case]
    aside = " - weight - group"
    here = pc.fit("y ~ ." + aside, data, **given)
    remote = pc.fit("y ~ ." + aside, in_parts(data, [30, 30, 200, 390]), **given)
    assert remote.frame.parts is not None
    assert_same(remote, here)
    assert str(remote) == str(here)
    new = made(99)
    for kind in ("class", "distance", "nearest", "cover"):
        assert remote.predict(new, kind).equals(here.predict(new, kind))


def test_rows_of_weight_0_are_no_candidates_on_a_cluster_either(client):
    data = made(4).assign(weight=lambda d: np.arange(len(d)) % 3)
    for given in ({"eps": 1.0}, {"eps": [0.7, 1.4], "candidates": 40}):
        given |= {"weights": "weight"}
        here, remote = pc.fit("y ~ . - group", data, **given), pc.fit("y ~ . - group", in_parts(data, [30, 200]), **given)
        assert_same(remote, here)
        assert (data.loc[remote.dissimilarity.candidate_names, "weight"] > 0).all()


def test_categories_and_missing_values(client):
    data = made(1).drop(columns=["weight", "group"])
    data["colour"] = pd.Categorical(np.array(["red", "green", "blue"])[np.arange(len(data)) % 3], ["red", "green", "blue"])
    data["place"] = np.where(data["a"] > 1, "north", "south")
    data.loc[[3, 50, 51, 399], "a"] = np.nan
    data.loc[7, "y"] = None
    given = {"eps": 0.3, "candidates": 100}
    here, remote = pc.fit("y ~ .", data, **given), pc.fit("y ~ .", in_parts(data, [60, 200]), **given)
    assert_same(remote, here)
    assert remote.dropped.tolist() == here.dropped.tolist() == [3, 7, 50, 51, 399]
    given["dissimilarity"] = "euclidean"
    assert_same(pc.fit("y ~ .", in_parts(data, [60, 200]), **given), pc.fit("y ~ .", data, **given))


def test_a_level_in_one_fold_only_has_no_held_out_answer_on_a_cluster_either(client):
    iris = pc.load_data("iris").sample(frac=1, random_state=0).reset_index(drop=True)
    iris["g"] = np.where(iris.index % 2 == 0, "a", "b")
    iris.loc[[3, 63], "g"] = "rare"
    fold = np.arange(150) // 3 % 5  # rows 3 and 63 are in the fold 1
    ways = {"here": None, "cluster": client}
    found = {}
    for name, where in ways.items():
        with pytest.warns(pc.DataWarning, match=r"column 'g' has levels that the training rows of a fold lack \('rare' \(2 rows\)\)"):
            found[name] = pc.cross_validate("species ~ .", iris, eps=[0.8, 1.2], cv=fold, client=where, dissimilarity="euclidean")
    assert found["cluster"].problem.frame.parts is not None
    assert (found["here"].predicted == found["cluster"].predicted).all()
    assert (found["here"].predicted[0] < 0).all(axis=1).nonzero()[0].tolist() == [3, 63]


def test_a_class_in_one_partition_only(client):
    data = made(2).sort_values("y", kind="stable").reset_index(drop=True)
    counts = data["y"].value_counts().sort_index().cumsum()
    given = {"candidates": 90, "eps": [0.5, 1.0]}
    remote = pc.fit("y ~ a + b + c", in_parts(data, counts.tolist()[:-1]), **given)
    assert_same(remote, pc.fit("y ~ a + b + c", data, **given))


def test_a_frame_in_memory_with_a_client(client):
    data = made(3).set_axis([f"r{i}" for i in range(400)])
    remote = pc.fit("y ~ a + b", data, eps=1.0, client=client)
    assert remote.frame.parts is not None
    assert_same(remote, pc.fit("y ~ a + b", data, eps=1.0))


def test_files_with_a_client(client, tmp_path):
    data = made(7)[["a", "b", "y"]]
    for k in range(12):  # part10 stands before part2, here and there
        data.iloc[k * 34 : (k + 1) * 34].to_parquet(tmp_path / f"part{k}.parquet", row_group_size=20)
        data.iloc[k * 34 : (k + 1) * 34].to_csv(tmp_path / f"part{k}.csv", index=False)
    for kind in ("parquet", "csv"):
        path = str(tmp_path / f"*.{kind}")
        remote = pc.fit("y ~ .", path, eps=1.0, client=client)
        assert remote.frame.parts is not None
        assert_same(remote, pc.fit("y ~ .", path, eps=1.0))


def test_transforms_beside_texts(client):
    data = made(8)[["a", "b", "y"]].assign(place=lambda d: np.where(d["a"] > 1, "north", "south"))
    remote = pc.fit("y ~ log(a^2 + 1) + place", data, eps=0.3, client=client)
    assert remote.dissimilarity.metric.name == "Gower"
    here = pc.fit("y ~ log(a^2 + 1) + place", data, eps=0.3)
    assert_same(remote, here)
    for prototype in here.prototypes.index[[0, -1]]:
        pd.testing.assert_frame_equal(remote.ball(prototype), here.ball(prototype))


def test_a_function_as_dissimilarity(client):
    data, scale = made(9, 60)[["a", "b", "y"]], 2.0
    given = {"eps": 1.0, "dissimilarity": lambda u, v: scale * abs(u["a"] - v["a"])}
    assert_same(pc.fit("y ~ .", data, client=client, **given), pc.fit("y ~ .", data, **given))


def test_values_are_not_made_texts(client):
    mixed = pd.Series([1.5] * 30 + ["u"] * 30, dtype=object)
    data = made(10, 60)[["a", "y"]]
    for bad in (data.assign(g=mixed), data.assign(y=mixed), data.assign(g=[[1]] * 60)):
        for client_ in (None, client):
            with pytest.raises(pc.DataError, match=r"contains float and str|mixes types|contains series"):
                pc.fit("y ~ .", bad, eps=1.0, client=client_)


@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler:UserWarning")
def test_files_that_change(client, tmp_path):
    data = made(12)[["a", "b", "y"]]
    for k in range(2):
        data.iloc[k * 200 : (k + 1) * 200].to_csv(tmp_path / f"part{k}.csv", index=False)
    first = pc.fit("y ~ .", str(tmp_path), eps=1.0, client=client)
    assert len(first.augment()) == 400
    data.iloc[:100].to_csv(tmp_path / "part0.csv", index=False)
    assert_same(pc.fit("y ~ .", str(tmp_path), eps=1.0, client=client), pc.fit("y ~ .", str(tmp_path), eps=1.0))
    with pytest.raises(pc.DataError, match="the data of the fit have 300 rows now, but had 400:"):
        first.augment()
    data = as_dask(str(tmp_path))
    made(13).to_csv(tmp_path / "part0.csv", index=False)
    with pytest.raises(pc.FileError, match=r"part0.csv' has changed since the first pass: call fit again"):
        data.compute(scheduler="sync")


def test_a_copy_in_another_process(client, tmp_path):
    data = made(11, 60)[["a", "b", "y"]]
    fit = pc.fit("y ~ .", data, eps=1.0, client=client)
    slim = fit.slim()
    again = pickle.loads(pickle.dumps(slim))
    assert again.call.arguments["client"] is None
    assert slim.call.arguments["client"] is client
    assert again.predict(data).equals(fit.predict(data))
    for out in (lambda: pickle.dumps(fit), lambda: fit.save(tmp_path / "fit.pc")):
        with pytest.raises(pc.ProtoclassError, match=r"(stay on the workers.*use fit\.slim|use fit\.slim.*stay on the workers)"):
            out()
    assert repr(fit.frame) == repr(pc.fit("y ~ .", data, eps=1.0).frame)


def test_a_method_that_reads_the_rows_in_one_place_collects_them(client):
    data = made(0, 120)
    for more in ({}, {"matrix": "diagonal", "ridge": 0.01}, {"matrix": "full", "ridge": 0.01}):
        arguments = {"method": "medianglvq", "K": 2, "candidates": 40, "cv": None, **more}
        fit = pc.fit("y ~ a + b", in_parts(data, [50, 90]), **arguments)
        assert fit.prototypes.equals(pc.fit("y ~ a + b", data, **arguments).prototypes)
        assert fit.dissimilarity.frame().shape == (120, 40)
    with pytest.raises(pc.OptionError, match=r"client= needs rows that stay on a cluster, but method 'medianglvq'.*: use 'pvm'"):
        pc.fit("y ~ a + b", data, client=client, **arguments)


def test_what_stays_out(client):
    ddf = in_parts(made(4), [100])
    for given, words in [
        ({"method": "knn", "client": client}, r"client= needs rows that stay on a cluster, but.*use 'pvm'"),
        ({"dissimilarity": "mahalanobis"}, "learns from all rows in one place"),
    ]:
        with pytest.raises(pc.ProtoclassError, match=words):
            pc.fit("y ~ a + b", ddf, **given)
    with pytest.raises(pc.OptionError, match="learns from all rows"):
        pc.fit("y ~ scale(a) + b", ddf, eps=1.0)


def killed_at(monkeypatch, client, call):
    """A worker is killed just before the client asks all parts for the so many-th time."""
    from protoclass.cluster import ClusterParts

    ask, asked, pids = ClusterParts.map, [], list(client.run(os.getpid).values())

    def counted(self, *given, **more):
        asked.append(1)
        if len(asked) == call:
            os.kill(pids[0], signal.SIGKILL)
        return ask(self, *given, **more)

    monkeypatch.setattr(ClusterParts, "map", counted)
    return asked


@pytest.fixture
def short_lived():
    import distributed

    local = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with local, distributed.Client(local) as one:
        yield one


@pytest.mark.parametrize("call", [5, pytest.param(10, marks=pytest.mark.long)])
def test_a_worker_that_is_killed_in_mid_fit(short_lived, monkeypatch, call):
    monkeypatch.setattr("protoclass.core.setcover.balls.BROUGHT", 0)
    data, given = made(5).drop(columns=["weight", "group"]), {"candidates": 80, "eps": [0.5, 1.0]}
    here = pc.fit("y ~ .", data, **given)
    asked = killed_at(monkeypatch, short_lived, call)
    remote = pc.fit("y ~ .", in_parts(data, [60, 200, 300]), **given)
    assert len(asked) > call
    assert_same(remote, here)


def slow_down():
    """The answers of this worker take longer."""
    from protoclass.core.setcover import balls

    bits = balls.Balls.bits

    def late(*question):
        time.sleep(0.1)
        return bits(*question)

    balls.Balls.bits = late
    return True


@pytest.mark.long
def test_a_worker_that_is_late(short_lived, monkeypatch):
    monkeypatch.setattr("protoclass.core.setcover.balls.BROUGHT", 0)
    data, given = made(6), {"candidates": 80, "eps": [0.5, 1.0]}
    slow = next(iter(short_lived.scheduler_info()["workers"]))
    assert short_lived.run(slow_down, workers=[slow]) == {slow: True}
    assert_same(pc.fit("y ~ a + b + c", in_parts(data, [60, 200, 300]), **given), pc.fit("y ~ a + b + c", data, **given))


@pytest.mark.long
def test_workers_with_little_memory():
    import distributed

    data = pd.concat([made(seed, 20_000) for seed in range(4)], ignore_index=True)[["a", "b", "c", "y"]]
    local = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", memory_limit="600MB")
    with local, distributed.Client(local):
        remote = pc.fit("y ~ .", dd.from_pandas(data, npartitions=8, sort=False), candidates=300, eps=0.5)
        assert_same(remote, pc.fit("y ~ .", data, candidates=300, eps=0.5))
        # none of the work is begun where a part would not fit
        large = dd.from_map(wide, [0], meta=wide(0).iloc[:0])
        with pytest.raises(pc.TooLarge, match=r"partition 0 needs 153 MB, above a quarter of the 572 MB .*ddf.repartition"):
            pc.fit("y ~ .", large, candidates=300, eps=0.5)


def wide(seed):
    return pd.DataFrame(np.zeros((100_000, 200))).add_prefix("x").assign(y=["u", "v"] * 50_000)


@pytest.mark.long
def test_usps_from_memory_from_files_and_on_a_cluster(client, papers_data, tmp_path):
    images = pc.fetch_data("usps")
    train = images[images.split == "train"].drop(columns="split").sample(1500, random_state=0).reset_index(drop=True)
    train.to_parquet(tmp_path / "usps.parquet", row_group_size=250)
    given = {"candidates": 300, "eps": [9.0, 12.0], "cv": 5, "dissimilarity": pc.Euclidean(scale=False)}
    here = pc.fit("digit ~ .", train, **given)
    assert_same(pc.fit("digit ~ .", tmp_path / "usps.parquet", **given), here)
    assert_same(pc.fit("digit ~ .", tmp_path / "usps.parquet", client=client, **given), here)
