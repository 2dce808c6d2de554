"""Work on the workers of a cluster: what comes back, and what happens where workers, their memory or the cluster are lost."""

import os
import signal
import time

import numpy as np
import pytest

import protoclass as pc
from protoclass.cluster import ClusterParts, client_of, workers

distributed = pytest.importorskip("distributed")


def number(k):
    return k


def times(value, factor, shared):
    return os.getpid(), value * factor * float(np.sum(shared))


def waits(value, folder):
    (folder / f"{value}").touch()
    time.sleep(0.5)


def kept_by(value, kept=[]):  # noqa: B006 - what is kept is the default, as long as the process lives
    kept.append(value)
    time.sleep(0.3)
    return os.getpid(), kept.count(value)


def dies_once(value, marker):
    if value == 1 and not os.path.exists(marker):
        open(marker, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def dies(value):
    os.kill(os.getpid(), signal.SIGKILL)


def refuses(value):
    raise pc.DataError("column 'a' is not there: add it")


def fails(value):
    raise ZeroDivisionError("by zero")


def parts_of(client, count=4):
    return ClusterParts(client, [client.submit(number, k, pure=False) for k in range(count)])


def test_results_come_in_the_order_of_the_parts(client):
    parts = parts_of(client)
    for shared in (np.ones(3), np.ones(10_000)):  # sent with every call, and sent once
        found = parts.map(times, shared, each=[(10,), (20,), (30,), (40,)])
        assert [value for _, value in found] == [k * f * shared.sum() for k, f in enumerate((10, 20, 30, 40))]
    assert len({place for place, _ in found}) == 2
    again = parts.make(number)
    assert again.map(number) == [0, 1, 2, 3]


def test_work_stays_with_the_part_although_another_worker_is_idle(client):
    """An idle worker would take a copy of the part, without what the part keeps between calls."""
    first = min(client.scheduler_info()["workers"])
    parts = ClusterParts(client, client.scatter([10, 11, 12, 13], workers=[first], hash=False))
    pid = client.run(os.getpid, workers=[first])[first]
    assert parts.map(kept_by) == [(pid, 1)] * 4
    assert parts.map(kept_by) == [(pid, 2)] * 4


def test_a_large_argument_is_sent_once(client):
    parts, large = parts_of(client), np.ones(100_000)
    parts.map(times, large, each=[(1,)] * 4)
    first = parts._sent(large)
    parts.map(times, large, each=[(1,)] * 4)
    assert parts._sent(large) is first
    assert parts._sent(np.ones(100_000)) is not first


def test_a_lost_worker_is_made_good(client, tmp_path):
    parts, large = parts_of(client), np.ones(100_000)
    parts.map(times, large, each=[(1,)] * 4)
    assert parts.map(dies_once, str(tmp_path / "died")) == [0, 1, 2, 3]
    assert (tmp_path / "died").exists()
    assert [value for _, value in parts.map(times, large, each=[(1,)] * 4)] == [0, 100_000, 200_000, 300_000]


def test_errors_of_ours_come_as_they_are_and_others_as_ours(client):
    with pytest.raises(pc.DataError, match="column 'a' is not there"):
        parts_of(client).map(refuses)
    with pytest.raises(pc.ClusterError, match="ZeroDivisionError: by zero"):
        parts_of(client).map(fails)


def test_a_part_that_takes_workers_down_is_named(client):
    with pytest.raises(pc.ClusterError, match="stopped several workers"):
        parts_of(client, 1).map(dies)


def test_work_that_is_left_is_taken_back(client, tmp_path):
    parts = parts_of(client, 16)
    parts.map(number)
    futures = parts._submitted(waits, (tmp_path,), None, parts._places())
    with pytest.raises(KeyboardInterrupt), parts._cancelled_if_left(futures):
        raise KeyboardInterrupt
    assert parts.map(number) == list(range(16))
    assert len(list(tmp_path.iterdir())) < 16


def test_a_cluster_without_workers(monkeypatch):
    monkeypatch.setattr(workers, "WITHOUT_WORKERS", 1.0)
    none = distributed.LocalCluster(n_workers=0, dashboard_address=":0", processes=False)
    with none, distributed.Client(none) as one, pytest.raises(pc.ClusterError, match="has had no workers for 1 s"):
        parts_of(one).map(number)


def test_a_lost_scheduler():
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", processes=False) as local:
        one = distributed.Client(local)
        parts = parts_of(one)
        parts.map(number)
        one.close()
    with pytest.raises(pc.ClusterError, match="is lost"):
        parts.map(number)


def test_which_client(client):
    assert client_of(None, 3) is None
    assert client_of(client, 3) is client
    with pytest.raises(pc.OptionError, match="client must be a Dask client"):
        client_of("tcp://127.0.0.1:8786", 3)


def test_another_version_or_none_on_the_workers(client, monkeypatch):
    parts_of(client).check_versions()
    with monkeypatch.context() as here:
        here.setattr(pc, "__version__", "9.9")
        with pytest.raises(pc.ClusterError, match=r"on tcp://.*\): install protoclass-stats 9\.9 for the scheduler and all"):
            pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, client=client)
    monkeypatch.setattr(workers, "VERSION", "protoclass_that_is_not_there:__version__")
    with pytest.raises(pc.ClusterError, match="No module named 'protoclass_that_is_not_there'"):
        parts_of(client).check_versions()
