"""Headers, ranges, shapes and counts of saved files, drawn at random: no file takes more memory than its size allows."""

import io
import sys
import tracemalloc
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from saving.damage import at, header, places, put_together, take_apart

import protoclass as pc

from .laws import kept, lawful

SHARE, CONSTANT = 1000, 2**25  # bytes that a file may take: so many times its size, and so many beside; see SECURITY.md
FLOOR = 2**30  # bytes that the process may take beyond those that it has: the test itself must not take the machine down

DATA = pc.load_data("iris").iloc[::5].assign(g=list("uvw") * 10)
NAMED = DATA.set_axis([f"r{k}" for k in range(30)])
FITS = {
    "grid": lambda: pc.fit("species ~ . - g", DATA, eps=[0.8, 1.2], cv=3),
    "gower": lambda: pc.fit("species ~ .", DATA, "knn", k=3, calibrate={"cv": 2}),
    "slim": lambda: pc.fit("species ~ .", DATA, "knn", k=3).slim(),
    "machine": lambda: pc.fit("species ~ . - g", DATA, "scm", penalty=1.0, kind="conjunction", max_size=2, cv=None),
    "texts": lambda: pc.fit("species ~ bs(petal_width, df=4) + g", NAMED, "kmeans", K=2, dissimilarity="euclidean"),
}  # fmt: skip
HUGE = [0, 1, 2, 30, 1000, 2**16, 10**6, 10**8, 2**31, 10**12, 2**40, 2**62, 2**63, 2**70, 10**30]
TYPES = ["<f8", "<f4", "|b1", "<i8", "|i1", "<U0", "<U1", "<U9", "<U100000000", "<M8[ns]", "<m8[s]", "|S0", "|V0", "|O", "<c16", ">f8"]
LITTLE = [[], {}, [[]], "", 0, 1.5, [0], {"": 0}, "ab", {"tuple": []}, {"array": 0}]  # values of which a zip makes many small


@cache
def parts(name):
    file = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("protoclass.export.saving.write_by", lambda fill, path, overwrite: fill(file))
        FITS[name]().save("nowhere.proto")
    return file.getvalue()


def one(found, draw):
    return found[draw.integers(len(found))]


def number(draw):
    return one(HUGE, draw) * int(draw.choice([1, 1, -1]))


def repeated(value, count):
    """Copies of a value: a further change of one of them must not change them all, or the test itself would fill the memory."""
    return [deepcopy(value) for _ in range(count)]


def change_range(content, arrays, draw):
    """Ends of a range."""
    found = [path for path in places(content) if path[-1] == "range"]
    if found:
        at(content, one(found, draw))[:] = [number(draw), number(draw), number(draw)]


def change_value(content, arrays, draw):
    """A value by one that is short and says that it is large."""
    a, b, c, many = number(draw), number(draw), number(draw), one([10, 10**4, 3 * 10**5], draw)
    path = one(list(places(content)), draw)
    at(content, path[:-1])[path[-1]] = [
        {"range": [a, b, c]}, {"labels": [[{"range": [0, a, b]}], [None]]}, {"objects": [[], [a, b]]}, {"timestamp": [a]},
        {"mapping": [[[k], 0] for k in range(many // 30)]}, {"texts": [True, ["a"] * many]}, repeated(one(LITTLE, draw), many), "a" * many,
        a,
        10**4000,
    ][draw.integers(10)]  # fmt: skip


def change_number(content, arrays, draw):
    path = one([path for path in places(content) if type(at(content, path)) is int], draw)
    at(content, path[:-1])[path[-1]] = number(draw)


def change_header(content, arrays, draw):
    """The type or the shape of an array, with its bytes, without bytes, or with many zeros."""
    name, shape = one(sorted(arrays), draw), tuple(number(draw) for _ in range(draw.integers(4)))
    data = one([arrays[name][128:], b"", b"\0" * 8, b"\0" * 2**16, b"\0" * 2 * 10**6], draw)
    arrays[name] = header(repr(shape), one(TYPES, draw)) + data


def change_entry(content, arrays, draw):
    """A whole number in an array, such as a number of rows."""
    name = one(sorted(arrays), draw)
    a = np.load(io.BytesIO(arrays[name]))
    if a.dtype.kind in "iu" and a.size:
        flat = a.reshape(-1).copy()
        flat[draw.integers(a.size)] = one([0, 2**6, 2**30, 2**40, 2**62], draw) % 2 ** (8 * a.itemsize - 1)
        file = io.BytesIO()
        np.save(file, flat.reshape(a.shape))
        arrays[name] = file.getvalue()


def add_arrays(content, arrays, draw):
    """Arrays that nothing refers to, or that a list refers to."""
    count, size, first = one([1, 100, 3000], draw), one([0, 100, 2**13], draw), len(arrays)
    arrays |= {f"arrays/{first + k}.npy": header(f"({size},)") + b"\0" * (8 * size) for k in range(count)}
    fields = content["objects"][0][1]
    if draw.integers(2):
        fields[one(sorted(fields), draw)] = [{"array": first + k} for k in range(count)]


CHANGES = [change_range, change_value, change_number, change_header, change_entry, add_arrays]


def forged(name, changes, seed):
    """A saved file that says of some parts that they are larger than they are, with the right sums."""
    draw = np.random.default_rng(seed)
    head, content, arrays = take_apart(parts(name))
    # the others read arrays, whose headers must be true, and lists, which a value may replace
    for change in sorted(changes, key=lambda change: change in (change_value, change_header)):
        change(content, arrays, draw)
    return put_together((head, content, arrays), True, int(draw.choice([0, 9])))


@contextmanager
def floor():
    """So much memory for this process and no more, for the length of a test."""
    if sys.platform != "linux":
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + FLOOR, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def taken(work):
    """Bytes that some work took at most, beyond those that there were."""
    with floor():
        tracemalloc.start()
        try:
            work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def read(path):
    with lawful():
        try:
            pc.load(path)
        except pc.errors.TooLargeError as reason:
            if "of the available memory" not in str(reason):  # refused before anything was read
                raise AssertionError("memory ran out") from reason


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("headers") / "fit.proto"
    for name in FITS:  # what the first files import and compile is not theirs
        path.write_bytes(parts(name))
        read(path)
    return path


@kept(60)
@given(name=st.sampled_from(sorted(FITS)), changes=st.lists(st.sampled_from(CHANGES), min_size=1, max_size=2), seed=st.integers(0, 2**32))
def test_no_file_takes_more_memory_than_its_size_allows(path, name, changes, seed):
    data = forged(name, changes, seed)
    path.write_bytes(data)
    most = taken(lambda: read(path))
    assert most <= SHARE * len(data) + CONSTANT, f"{len(data):,} bytes took {most:,}"


def rows_of_a_range(content, arrays):
    """A table without columns, of 10^9 rows."""
    rows, none = ({"labels": [[{"range": [0, n, 1]}], [None]]} for n in (10**9, 0))
    empty = {"table": [rows, none, []]}
    next(fields for kind, fields in content["objects"] if kind == "Call")["data"] = empty


def texts_of_no_length(content, arrays):
    arrays["arrays/0.npy"] = header("(1000000000,)", "<U0")


def arrays_that_nothing_uses(content, arrays):
    arrays |= {f"arrays/{len(arrays) + k}.npy": header("(8000,)") + b"\0" * 64_000 for k in range(2000)}


def labels_mentioned_many_times(content, arrays):
    """Each mention makes the labels again."""
    arrays[f"arrays/{len(arrays)}.npy"] = header("(20000,)") + np.random.default_rng(0).random(20_000).round(1).tobytes()
    mentions = [{"labels": [[{"array": len(arrays) - 1}], [str(k)]]} for k in range(2000)]
    next(fields for kind, fields in content["objects"] if kind == "Call")["arguments"]["mapping"].append(["k", mentions])


LARGE = [rows_of_a_range, texts_of_no_length, arrays_that_nothing_uses, labels_mentioned_many_times]


@pytest.mark.parametrize("change", LARGE)
def test_small_files_that_say_that_they_are_large(path, change):
    """They took gigabytes, and are refused before anything is made."""
    head, content, arrays = take_apart(parts("grid"))
    change(content, arrays)
    path.write_bytes(put_together((head, content, arrays), True, 9))
    assert taken(lambda: read(path)) <= CONSTANT
    with pytest.raises(pc.errors.FileError):
        pc.load(path)


def test_saved_files_take_no_more_than_is_allowed(path):
    """What is drawn above is made of files that load: the bound is for these too."""
    for name in FITS:
        path.write_bytes(parts(name))
        assert pc.load(path).nobs == 30
        assert taken(lambda: read(path)) <= SHARE * len(parts(name)) + CONSTANT
