"""The memory that is left: of the machine, of this process, and of its cgroups."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

import protoclass as pc
from protoclass.core import memory
from protoclass.core.sources import Held

GB = 2**30


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A made-up /proc and /sys/fs/cgroup with 64 GB and no limits."""
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=64 * GB))
    return tmp_path / "proc", tmp_path / "cgroup"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def left(system):
    return memory.available(*system)


def test_the_machine(system):
    assert left(system) == 64 * GB
    write(system[0] / "self" / "cgroup", "0::/user.slice\n")
    assert left(system) == 64 * GB


def test_version_2_of_cgroups_takes_the_tightest_of_all_levels(system):
    proc, cgroups = system
    write(proc / "self" / "cgroup", "0::/kubepods/pod7/box\n")
    write(cgroups / "kubepods" / "pod7" / "box" / "memory.max", "max\n")
    write(cgroups / "kubepods" / "pod7" / "box" / "memory.current", f"{GB}\n")
    assert left(system) == 64 * GB
    write(cgroups / "kubepods" / "pod7" / "memory.max", f"{4 * GB}\n")
    write(cgroups / "kubepods" / "pod7" / "memory.current", f"{3 * GB}\n")
    assert left(system) == GB
    write(cgroups / "kubepods" / "pod7" / "memory.stat", f"anon 5\ninactive_file {GB // 2}\nactive_file 7\n")
    assert left(system) == GB + GB // 2
    write(cgroups / "kubepods" / "pod7" / "memory.current", f"{5 * GB}\n")
    assert left(system) == 0


def test_inside_a_container_the_path_of_the_host_is_not_there(system):
    proc, cgroups = system
    write(proc / "self" / "cgroup", "0::/system.slice/docker-123.scope\n")
    write(cgroups / "memory.max", f"{2 * GB}\n")
    write(cgroups / "memory.current", f"{GB}\n")
    assert left(system) == GB


def test_version_1_of_cgroups(system):
    proc, cgroups = system
    write(proc / "self" / "cgroup", "12:cpu,cpuacct:/\n9:memory:/docker/123\n0::/\n")
    write(cgroups / "memory" / "memory.limit_in_bytes", f"{2**63 - 4096}\n")
    write(cgroups / "memory" / "memory.usage_in_bytes", f"{7 * GB}\n")
    assert left(system) == 64 * GB
    write(cgroups / "memory" / "docker" / "123" / "memory.limit_in_bytes", f"{3 * GB}\n")
    write(cgroups / "memory" / "docker" / "123" / "memory.usage_in_bytes", f"{2 * GB}\n")
    assert left(system) == GB
    write(cgroups / "memory" / "docker" / "123" / "memory.stat", f"cache 1\ntotal_inactive_file {GB // 4}\n")
    assert left(system) == GB + GB // 4


def test_files_that_say_nothing_sensible(system):
    proc, cgroups = system
    write(proc / "self" / "cgroup", "0::/a/../../b\n")
    write(cgroups / "memory.max", "\n")
    write(cgroups / "b" / "memory.max", "many\n")
    assert left(system) == 64 * GB


def test_what_does_not_fit_is_refused_before_it_is_read(monkeypatch):
    source, rows = Held(np.zeros((5, 5))), np.zeros(4000, int)
    assert source.take(rows, rows).shape == (4000, 4000)
    monkeypatch.setattr(memory, "available", lambda: GB // 4)
    with pytest.raises(
        pc.errors.TooLargeError, match=r"4000 x 4000 dissimilarities, loaded together, need 0.1 GB, above a quarter of the 0.2 GB"
    ):
        source.take(rows, rows)
    with pytest.raises(pc.errors.TooLargeError, match=r"an array of 4000 x 4000 numbers needs 0.1 GB"):
        memory.large((4000, 4000))


def test_a_failed_allocation_is_an_error_of_our_own(iris, monkeypatch):
    def fail(*_, **__):
        raise MemoryError("Unable to allocate 1.46 GiB for an array")

    monkeypatch.setattr("protoclass.estimation.arguments.mold", fail)
    with pytest.raises(
        pc.errors.TooLargeError, match=r"memory ran out \(Unable to allocate 1.46 GiB for an array\).*use fewer rows"
    ):
        pc.fit("species ~ .", iris, dissimilarity="euclidean", repeats=1)


LIMITED = """
import resource
import numpy as np, pandas as pd
import protoclass as pc

draw = np.random.default_rng(0)
data = pd.DataFrame(draw.normal(size=(14_000, 3)), columns=list("abc")).assign(y=draw.choice(["u", "v"], 14_000))
pc.fit("y ~ .", data.iloc[:50], "kmedoids", K=1)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, used + 2**30))
try:
    pc.fit("y ~ .", data, "kmedoids", K=2, progress=False)
except pc.errors.TooLargeError as reason:
    print(reason)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS and /proc are Linux's")
def test_a_limit_of_the_process_is_seen():
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "dissimilarities, loaded together, need 0.4 GB, above a quarter of the" in done.stdout
