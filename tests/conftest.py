"""What tests share."""

import gc
import os
import signal
from pathlib import Path

import hypothesis
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import protoclass as pc

hypothesis.settings.register_profile("steady", deadline=None, derandomize=True, max_examples=20)
hypothesis.settings.load_profile("steady")
TESTS = Path(__file__).resolve().parent


# What `make test` leaves to `make test-all`: files and folders below tests/, by what makes them slow
LATER = (
    # a browser, a notebook, the site, another Python
    "widgets/test_browser.py", "widgets/test_page.py", "widgets/test_panel.py", "plots/test_looks.py", "test_vignettes.py",
    "test_site.py", "test_tour.py", "test_papers.py", "test_ci.py", "test_typed.py", "test_terminal.py",
    # workers, limits of memory, interrupts
    "test_cluster.py", "faults/", "fuzz/", "core/test_memory.py",
    # hostile values, damaged files, planted faults
    "contracts/", "test_sklearn.py", "test_sizes.py", "saving/test_damage.py", "mutants/",
    "test_tries.py",
    "test_escaping.py",
    # many random cases, and every method on every kind of data
    "models/test_all_methods.py", "saving/test_round_trips.py", "trust/", "estimation/test_threshold.py", "estimation/test_calibrated.py",
    "estimation/test_same_fits.py", "frames/test_reading.py", "core/test_near.py", "core/test_tiles.py",
    "core/test_screen.py", "metrics/test_wrappers.py", "metrics/test_check.py", "models/test_kmedoids.py",
    "plots/test_views.py", "test_sql.py",
)  # fmt: skip


# Files that take long, some of them with few tests, begin first: no worker is left alone with one of them at the end
LONGEST = (
    "widgets/test_browser.py", "fuzz/test_fits.py", "contracts/", "test_analysis_scripts.py", "mutants/",
    "test_sklearn.py", "analysis/test_why.py", "analysis/test_compare_estimators.py", "widgets/",
    "models/test_all_methods.py", "saving/test_round_trips.py", "test_cluster.py",
    "test_tour.py",
    "test_ci.py", "estimation/", "fuzz/", "plots/", "analysis/",
)  # fmt: skip


def is_later(path):
    return path.is_relative_to(TESTS) and path.relative_to(TESTS).as_posix().startswith(LATER)


def pytest_ignore_collect(collection_path, config):
    """`make test` does not import in every worker what none of them runs."""
    return (collection_path.suffix == ".py" and "not later" in config.option.markexpr and is_later(collection_path)) or None


def pytest_collection_modifyitems(config, items):
    paths = {item.path for item in items}
    later = set(filter(is_later, paths))
    for item in items:
        if item.path in later:
            item.add_marker("later")
    if hasattr(config, "workerinput"):  # of xdist
        names = {path: path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else "" for path in paths}
        rank = {path: next((k for k, first in enumerate(LONGEST) if name.startswith(first)), len(LONGEST)) for path, name in names.items()}
        items.sort(key=lambda item: rank[item.path])


def pytest_collection_finish():
    """What is imported stays: collections, of which statsmodels asks for one in each of its calls, need not look at it again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure():
    gc.unfreeze()


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


@pytest.fixture(scope="class")  # Hypothesis refuses the scope of a function
def threads_of_blas():
    """BLAS on two threads, which the Makefile takes from the workers: for tests of what threads must not change."""
    with threadpool_limits(2, "blas"):
        assert {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"} == {2}
        yield


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
