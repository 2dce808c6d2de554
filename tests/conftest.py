"""What tests share."""

import os
import signal

import hypothesis
import pytest

import protoclass as pc

hypothesis.settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)
hypothesis.settings.load_profile("steady")


@pytest.fixture(scope="session")
def iris():
    return pc.load_data("iris")


@pytest.fixture(scope="session")
def papers_data():
    """The folder with the papers' data, which no repository holds."""
    folder = os.environ.get("PROTOCLASS_DATA")
    if not folder:
        pytest.skip("PROTOCLASS_DATA names no folder with the papers' data")
    return folder


@pytest.fixture(scope="session")
def cluster():
    """A client of a Dask cluster of two workers in processes of their own, which is nobody's default."""
    import dask
    import distributed

    # a part may take down one worker; a lost one is found soon
    dask.config.set({"distributed.scheduler.allowed-failures": 2, "distributed.comm.timeouts.connect": "5s"})
    local = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with local, distributed.Client(local, set_as_default=False) as one:
        yield one


@pytest.fixture
def client(cluster):
    """The client that Dask asks during the test: later tests of the process read Dask's tables without it."""
    with cluster.as_current():
        yield cluster


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt here and in processes started here: a job in the background inherits it as ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
