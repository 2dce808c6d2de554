"""Fits side by side: in threads, in processes, after a fork, with one cache of compiled functions for all."""

import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numba
import pytest
from threadpoolctl import threadpool_info

import protoclass as pc
from protoclass.core import cache, parallel
from protoclass.core.parallel import Kernel, each, free_cores

from .outcomes import method_outcome
from .test_determinism import differing

pytestmark = pytest.mark.usefixtures("threads_of_blas")
HERE = Path(__file__).resolve().parent
PACKAGE = Path(pc.__file__).parent
METHODS = ("pvm", "scm", "lvq", "kmedoids", "kmeans", "dann")


@pytest.fixture
def three_cores(monkeypatch):
    """A machine of three processors on which all work is large."""
    monkeypatch.setattr(parallel, "SMALL", 1)
    monkeypatch.setattr(parallel, "cores", lambda: 3)


def script(code, *words, **environment):
    places = os.pathsep.join([str(HERE.parents[1]), *sys.path])
    command = [sys.executable, "-c", code, *words]
    return subprocess.Popen(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": places} | environment
    )


def ended(process, seconds=300):
    """What a process prints; it is ended where it takes too long."""
    try:
        said, errors = process.communicate(timeout=seconds)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    return said, errors


# threads


def test_fits_in_threads_are_those_of_one_after_another(three_cores):
    expected = [method_outcome(name) for name in METHODS]
    with ThreadPoolExecutor(4) as pool:
        for name, one, other in zip(METHODS, expected, pool.map(method_outcome, METHODS), strict=True):
            assert differing(one, other) == [], name


class Watch:
    """Counts how many do its work at the same time."""

    def __init__(self):
        self.now, self.most, self.blas, self.lock = 0, 0, set(), threading.Lock()

    def __call__(self, item):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.01)
        with self.lock:
            self.blas |= {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
            self.now -= 1
        return item


def test_threads_of_the_user_s_share_the_processors(three_cores):
    watch, users = Watch(), 8
    before, pools = threading.active_count(), threadpool_info()
    with ThreadPoolExecutor(users) as pool:
        results = list(pool.map(lambda k: list(each(watch, range(k, k + 12))), range(users)))
    assert results == [list(range(k, k + 12)) for k in range(users)]
    assert watch.most <= 3 + users - 1  # each user's thread has one at least; three for each would be 24
    assert watch.blas == {1}
    assert free_cores() == 3
    assert threading.active_count() == before
    assert [one["num_threads"] for one in threadpool_info()] == [one["num_threads"] for one in pools]


def test_a_loop_over_the_results_of_a_loop_does_not_wait_for_itself(three_cores):
    outer = each(lambda item: item, range(9))
    next(outer)
    assert free_cores() == 3
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(free_cores).result() == 1  # another thread has what this one leaves
    inner = each(lambda item: threading.get_ident(), outer)
    assert threading.get_ident() not in inner
    assert free_cores() == 3
    abandoned = each(lambda item: item, range(9))
    next(abandoned)
    del abandoned
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(free_cores).result() == 3


def test_loops_inside_a_thread_of_a_loop_stay_on_it(three_cores):
    assert set(each(lambda item: free_cores(), range(5))) == {1}
    assert all(
        set(inner) == {own}
        for own, inner in each(
            lambda item: (threading.get_ident(), list(each(lambda part: threading.get_ident(), range(4)))), range(5)
        )
    )


@pytest.mark.parametrize(("given", "cores"), [("1", 1), ("2,4", 2), ("", None), ("none", None), ("0", None), ("4096", None)])
def test_processes_are_told_their_share_of_the_processors(given, cores, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    all_of_them = parallel.cores()
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert parallel.cores() == min(cores or all_of_them, all_of_them)


# processes


def outcome_and_cores(name):
    return method_outcome(name), parallel.cores()


def test_fits_in_processes_of_joblib():
    jobs = [joblib.delayed(outcome_and_cores)(name) for name in ("pvm", "scm")]
    for name, (one, cores) in zip(("pvm", "scm"), joblib.Parallel(n_jobs=2, backend="loky")(jobs), strict=True):
        assert differing(method_outcome(name), one) == []
        assert cores == max(1, joblib.cpu_count() // 2)


FORKED = """
import faulthandler, os, threading
import protoclass as pc
from protoclass.core import parallel
parallel.SMALL = 1
parallel.cores = lambda: 3
iris = pc.load_data("iris").iloc[::5]

def fitted():
    exact = pc.fit("species ~ .", iris, eps=[0.8, 1.2], solver="exact", cv=3, progress=False)
    return exact.prototypes.index.tolist(), pc.fit("species ~ .", iris, "kmeans", K=2).predict().tolist()

own, going, gone = fitted(), threading.Event(), threading.Event()

def other_thread():  # has a loop under way, with BLAS limited, and holds the lock
    for _ in parallel.each(lambda item: (going.set(), gone.wait()), range(3)):
        pass

thread = threading.Thread(target=other_thread)
thread.start()
going.wait()
children = []
for locked in (False, True):
    if locked:
        parallel._guard.acquire()
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(200, exit=True)  # seconds; says where a process that does not end waits
        wrong = [fitted() != own, parallel.free_cores() != 3, len(parallel._alone) > 0]
        os._exit(sum(bit << k for k, bit in enumerate(wrong)))
    if locked:
        parallel._guard.release()
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
gone.set()
thread.join()
print(codes, fitted() == own)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system can't fork")
def test_a_process_that_is_forked_after_a_fit_fits_and_ends():
    said, errors = ended(script(FORKED, PYTHONWARNINGS="ignore"))
    assert said.split("\n")[0] == "[0, 0] True", errors


# the cache of compiled functions


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder for compiled functions."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def inner_function(x):
    return x + 1


called = Kernel(inner_function)


def doubled(x):
    return 2 * called(x)


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_compiled_function_is_read_and_not_compiled_again(folder):
    one, other = Kernel(doubled), Kernel(doubled)
    assert (one(3), one(1.5)) == (8, 5.0)
    kept = {path: path.stat().st_mtime_ns for path in files(folder)}
    assert len(kept) >= 2
    assert {path.suffix for path in kept} == {".nbi", ".nbc"}
    assert (other(3), other(1.5)) == (8, 5.0)
    assert sum(other._compiled().stats.cache_hits.values()) == 2
    assert {path: path.stat().st_mtime_ns for path in files(folder)} == kept


@pytest.mark.parametrize(
    ("name", "reason"),
    [("IndexDataCacheFile.save", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
     ("_CacheLocator.ensure_cache_path", PermissionError("read-only"))],
)  # fmt: skip
def test_a_full_disk_or_none_refuses_the_cache_and_not_the_work(name, reason, folder, monkeypatch):
    def refused(*_):
        raise reason

    monkeypatch.setattr(f"numba.core.caching.{name}", refused)
    cache.say_that_nothing_is_kept.cache_clear()
    with pytest.warns(UserWarning, match="every process compiles them again.*NUMBA_CACHE_DIR"):
        assert Kernel(doubled)(3) == 8


def test_threads_and_nested_functions_take_one_turn(tmp_path, monkeypatch):
    turn, said = cache.Turn(), []
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path))

    def work(name):
        turn.on_start(None)
        turn.on_start(None)
        said.append(name)
        time.sleep(0.01)
        said.append(name)
        turn.on_end(None)
        turn.on_end(None)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said[::2] == said[1::2]
    turn.on_end(None)  # of what began before the listener
    assert (turn.depth, turn.file) == (0, None)


FIRST = """
import sys
import numpy as np
import protoclass as pc
iris = pc.load_data("iris").iloc[::5]
iris = iris.astype({name: sys.argv[1] for name in iris.columns[:4]})
metric = pc.Minkowski(3, scale=False)
print(pc.fit("species ~ .", iris, "knn", k=1, dissimilarity=metric, progress=False).predict(iris, "distance").to_numpy(float).tolist())
"""


RACE = """
import pathlib, random, sys, time
from numba.core import caching
from protoclass.core.parallel import Kernel

class Slow(caching.IndexDataCacheFile):  # a disk on which what is read and written takes its time
    def _load_index(self):
        found = super()._load_index()
        time.sleep(0.05)
        return found
    def _save_data(self, name, data):
        time.sleep(0.05 * random.random())
        super()._save_data(name, data)

caching.IndexDataCacheFile = Slow
sys.path.insert(0, sys.argv[1])
import many

kernels, values = [Kernel(getattr(many, f"f{k}")) for k in range(5)], {"float": [0.5], "int": [3], "both": [0.5, 3]}[sys.argv[2]]
for k, kernel in enumerate(kernels):
    pathlib.Path(sys.argv[1], f"{sys.argv[2]}{k}").touch()
    while sys.argv[2] != "both" and not all(pathlib.Path(sys.argv[1], f"{kind}{k}").exists() for kind in ("float", "int")):
        time.sleep(0.001)
    assert [kernel(x) for x in values] == [2 * x + k for x in values]
print(sum(sum(kernel._compiled().stats.cache_hits.values()) for kernel in kernels))
"""


@pytest.mark.long
def test_two_first_processes_at_once_keep_all_that_they_compile(tmp_path):
    """Without turns a third of the functions is lost or is that of other types."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "many.py").write_text("".join(f"def f{k}(x):\n    return 2 * x + {k}\n" for k in range(5)))
    run = [script(RACE, str(tmp_path), kind, NUMBA_CACHE_DIR=str(tmp_path / "cache")) for kind in ("float", "int")]
    for process in run:
        ended(process)
    assert ended(script(RACE, str(tmp_path), "both", NUMBA_CACHE_DIR=str(tmp_path / "cache")))[0] == "10\n"


@pytest.mark.long
def test_an_installation_that_can_not_be_written(tmp_path):
    """No folder has a place for a cache: a file stands in the way of each, which stops the superuser as well."""
    installed = tmp_path / "protoclass"
    shutil.copytree(PACKAGE, installed, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PACKAGE.parent / "data", tmp_path / "data", dirs_exist_ok=True)
    for one in [installed, *(path for path in installed.rglob("*") if path.is_dir())]:
        (one / "__pycache__").touch()
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), os.devnull)
    # safe: the package of the folder that the tests run in does not go before
    environment = nowhere | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "PYTHONSAFEPATH": "1"}
    expected = ended(script(FIRST, "float64"))[0]
    for _ in range(2):
        said, errors = ended(script(FIRST, "float64", **environment, NUMBA_CACHE_DIR=""))
        assert said == expected
        assert "NUMBA_CACHE_DIR" in errors
    assert not list(tmp_path.rglob("*.nbi"))
