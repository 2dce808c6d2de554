"""CPU seconds of the first fit ever (no compiled kernels on disk) and of the same process later: python benchmarks/cold.py.

It prints figures and judges nothing, because machines differ.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

CALL = 'import protoclass as pc; print(pc.fit("species ~ .", pc.load_data("iris"), {!r}, progress=False).nobs)'


def cpu_seconds(call: str, cache: str) -> float:
    """User and system seconds of a process that runs `call` with compiled kernels kept in `cache`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", call], env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    for method in sys.argv[1:] or ["pvm"]:
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = (cpu_seconds(CALL.format(method), cache) for _ in range(2))
        print(f"fit of iris, {method}: {cold:.1f} CPU seconds with nothing compiled, {warm:.1f} in the next process")
