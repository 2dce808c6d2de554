"""Interrupts, little memory and full disks, as far as a quick run shows them; the scripts of this folder do more of each."""

import errno
import gc
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import protoclass as pc
from protoclass.core.parallel import alone, check_wanted, each, kernel, left
from protoclass.export.saving import write_archive
from protoclass.ground.files import write_file
from protoclass.values import public

from . import interrupts

HERE = Path(__file__).parent
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and disks of this kind are Linux's")


def script(name, *words):
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(HERE.parents[1]), *sys.path])}
    done = subprocess.run(
        [sys.executable, str(HERE / name), *words], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout


@LINUX
def test_interrupts_at_some_moments():
    assert script("interrupts.py", "--moments", "2", "fit", "exact", "kmedoids", "save").count("faults: 0") == 4


class Dropping:
    """A finalizer that is interrupted, as those of Python's own generators and files are."""

    exec(compile("def __del__(self):\n    signal.raise_signal(signal.SIGINT)", "elsewhere", "exec"), {"signal": signal}, locals())


def drop():
    Dropping()


def swallow():
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("call", "ours"), [(drop, False), (swallow, True)])
def test_an_interrupt_that_python_drops_is_told_from_one_that_the_package_swallows(call, ours, monkeypatch):
    monkeypatch.setattr(interrupts, "PACKAGE", str(HERE))
    before = signal.signal(signal.SIGINT, interrupts.Noted.handler)
    try:
        call()
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupts.swallows(call, interrupts.Noted.line) is ours


# interrupts


@kernel
def _twice(x):  # type: ignore[no-untyped-def]
    return 2 * x


def test_threads_of_a_loop_that_is_left_end_at_their_next_kernel():
    _twice(1)
    begun, ended = threading.Event(), threading.Event()

    def work(item):
        begun.set()
        try:
            while True:
                _twice(item)
        except KeyboardInterrupt:
            ended.set()
            raise

    def items():
        yield 1
        begun.wait()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(each(work, items()))
    assert ended.wait(60)


def test_a_single_large_item_leaves_this_thread_free_for_ctrl_c():
    flags, before = [], threading.active_count()

    def work(item):
        flags.append((threading.current_thread() is threading.main_thread(), left()))
        return list(each(lambda part: threading.get_ident(), range(4)))

    (inner,) = each(work, [0])
    assert flags[0][0] is False
    assert threading.get_ident() not in inner  # its own loops use threads as well
    assert threading.active_count() == before
    assert next(each(lambda item: threading.get_ident(), [0], 10)) == threading.get_ident()  # small work stays
    check_wanted()  # nothing of it holds for this thread


def test_settings_of_numpy_hold_in_the_threads_of_a_loop():
    with np.errstate(divide="raise"):
        assert [one["divide"] for one in each(lambda item: np.geterr(), range(3))] == ["raise"] * 3


def gone():
    return np.ones(1, np.uint8)


@pytest.mark.parametrize(("module", "method", "given"), [
    ("scm", "scm", {"penalty": 1.0, "max_size": 5, "kind": "conjunction"}), ("vectors.mixture", "mixture", {"K": 3}),
    ("setcover.greedy", "pvm", {"eps": 1.0, "solver": "exact"}), ("vectors.medoids", "kmedoids", {"K": 5}),
    ("neighbours.mmd", "mmd", {"K": 5}), ("vectors.centroids", "kmeans", {"K": 5}),
])  # fmt: skip
def test_long_kernels_return_once_no_one_waits_for_them(module, method, given, monkeypatch):
    iris = pc.load_data("iris")

    def learn():
        fit = pc.fit("species ~ .", iris, method, cv=None, **given)
        return fit.rule.size, fit.predict(iris, fit._kinds[-1]).to_numpy().tolist()

    before = learn()
    monkeypatch.setattr(f"protoclass.core.{module}.left", gone)
    assert learn() != before


@pytest.mark.parametrize(
    ("write", "step"),
    [(lambda path: write_file(path, "new"), 1), (lambda path: write_archive(path, {"objects": []}, [b"0" * 5000], True), 3)],
    ids=["a file", "an archive"],
)
def test_an_interrupt_at_any_line_of_writing_leaves_no_file(tmp_path, monkeypatch, write, step):
    """It ends in KeyboardInterrupt also where an archive has an open entry then, which can't be closed."""
    monkeypatch.setattr("protoclass.export.saving.versions", dict)  # which reads what is installed, in thousands of lines
    path, kept, lines = tmp_path / "a", [], 0
    path.write_text("old")
    while True:
        left_over = lines

        def trip(frame, event, argument):
            nonlocal left_over
            if left_over == 0:
                raise KeyboardInterrupt
            left_over -= 1
            return trip

        before = sys.gettrace()
        sys.settrace(trip)
        try:
            write(path)
        except KeyboardInterrupt as reason:
            kept.append(reason)  # as an interactive session keeps the last traceback
        finally:
            sys.settrace(before)
        assert os.listdir(tmp_path) == ["a"], lines
        if left_over > 0:
            break
        lines += step
    assert path.read_bytes() != b"old"
    assert len(kept) > 30
    kept.clear()
    gc.collect()  # what the interrupts left open ends here, and not in another test


def test_an_interrupt_at_any_call_leaves_the_threads_of_blas_as_they_were():
    """They were lost where it came while they were restored, or before it was known what to restore.

    At calls, where Python looks for signals: at other lines it would keep locks that no signal can keep.
    """
    calls, stopped = 0, 0
    with threadpool_limits(2, "blas"):
        before = threadpool_info()
        with alone():
            assert {pool["num_threads"] for pool in threadpool_info()} == {1}
        while True:
            left_over = calls

            def trip(frame, event, argument):
                nonlocal left_over
                left_over -= 1
                if left_over == -1:
                    raise KeyboardInterrupt

            traced = sys.gettrace()
            sys.settrace(trip)
            try:
                with alone():
                    pass
            except KeyboardInterrupt:
                stopped += 1
            finally:
                sys.settrace(traced)
            assert threadpool_info() == before, calls
            if left_over >= 0:
                break
            calls += 1
    assert stopped > 20


# memory


MAP = "libx.so: failed to map segment from shared object"
UNFOUND = OSError("Could not find/load shared object file 'libllvmlite.so'")  # what llvmlite says of a library that does not fit
UNFOUND.__context__ = OSError(MAP)


@pytest.mark.parametrize("reason", [
    MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory"), RuntimeError("can't start new thread"), ImportError(MAP), OSError(MAP),
    UNFOUND, *(kind("other") for kind in (OSError, RuntimeError, ImportError, ValueError)),
])  # fmt: skip
def test_whatever_says_that_memory_ran_out_becomes_our_error(reason):
    @public
    def work():
        raise reason

    expected, said = (type(reason), "other") if str(reason) == "other" else (pc.errors.TooLargeError, "memory ran out")
    with pytest.raises(expected, match=said):
        work()


LITTLE = """
import resource, sys, protoclass as pc
data = pc.load_data("iris")
pc.fit  # what is imported at first
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + int(sys.argv[1]) * 2**20,) * 2)
try:
    pc.fit("species ~ .", data, eps=[0.5, 1.0], cv=3, solver="exact")
except pc.errors.TooLargeError as reason:
    print("too large:", reason)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is set for Linux")
@pytest.mark.parametrize("size", [20, 60, 120])
def test_a_first_fit_in_little_memory_ends_in_our_error(size):
    done = subprocess.run([sys.executable, "-c", LITTLE, str(size)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-600:]
    assert not done.stdout or "memory ran out" in done.stdout


# disks


def limited(bytes_, call):
    """A call while files can't be longer."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, before[1]))
    try:
        return call()
    except pc.errors.FileError:
        return None
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@LINUX
@pytest.mark.parametrize(("write", "name"), [("save", "x.proto"), ("report", "x.html")])
def test_files_that_a_disk_does_not_take_leave_the_old_ones(write, name, tmp_path):
    fit, path = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0), tmp_path / name
    getattr(fit, write)(path)  # compiled functions are files as well
    ends = set()
    for size in (2**8, 2**12, 2**16, 2**24):
        path.write_bytes(b"old")
        ends.add(done := limited(size, lambda: getattr(fit, write)(path, overwrite=True)) is not None)
        assert os.listdir(tmp_path) == [path.name]
        assert done is (path.read_bytes() != b"old")
    assert ends == {False, True}
