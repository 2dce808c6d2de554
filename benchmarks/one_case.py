"""One case in a process of its own, under a limit of memory and of time: what it took, or why it did not end.

`run(name, arguments)` starts this file as a command, which makes the case of `cases.py`, runs it and prints its figures. Linux
only: the peak is the VmHWM of the process, counted from the moment at which the data are there.
"""

from __future__ import annotations

import importlib
import json
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TO_PREPARE = 300  # seconds for imports, data and the warm-up, which are not measured
SLOW = 20.0  # a run that takes less is done again, as the first may compile what only this size needs; the least time counts
QUICK = 5.0  # and once more while all runs together take less


@dataclass(frozen=True)
class Outcome:
    """What a case took.

    Attributes
    ----------
    seconds : float or None
        Least wall time of up to three runs; None where it did not end.
    gigabytes : float or None
        Peak memory of the first run beyond the data (GiB).
    note : str
        What the case says of its answer, or why it did not end.
    """

    seconds: float | None
    gigabytes: float | None
    note: str


def run(name: str, arguments: dict[str, Any], seconds: float, gigabytes: float) -> Outcome:
    """The outcome of `cases.name(**arguments)`, which returns the work to be measured.

    Parameters
    ----------
    seconds : float
        Wall time that one run of the work may take.
    gigabytes : float
        Address space that the work may take beyond the data (GiB).
    """
    case = json.dumps({"name": name, "arguments": arguments, "seconds": seconds, "gigabytes": gigabytes})
    try:
        done = subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), case], capture_output=True, text=True,
            timeout=TO_PREPARE + 4 * seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome(None, None, "time: the data were not made in time")
    if done.returncode == 0:
        return Outcome(**json.loads(done.stdout.splitlines()[-1]))
    return Outcome(None, None, reason(done.returncode, done.stderr, seconds, gigabytes))


def reason(code: int, errors: str, seconds: float, gigabytes: float) -> str:
    """Why a process did not end, in a few words."""
    if code == -signal.SIGALRM:
        return f"time: more than {seconds:g} s"
    last = (errors.strip().splitlines() or ["no message"])[-1]
    if "MemoryError" in last or "TooLargeError" in last or "memory" in last.lower():
        return f"memory: more than {gigabytes:g} GB" + (" (TooLargeError)" if "TooLargeError" in last else "")
    ended = f"signal {-code}" if code < 0 else f"code {code}"
    return f"failed: {ended}, {last[:120]}"


def status(name: str) -> int:
    """A figure of this process in bytes, such as VmHWM."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name + ":")) * 1024


def timed(work: Any, seconds: float) -> tuple[float, Any]:
    """Seconds of the work and its answer; the process ends with SIGALRM once they are used up."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    start = time.perf_counter()
    answer = work()
    took = time.perf_counter() - start
    signal.setitimer(signal.ITIMER_REAL, 0)
    return took, answer


def measure(name: str, arguments: dict[str, Any], seconds: float, gigabytes: float) -> Outcome:
    """The outcome in this process, whose limits are set for good."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    work = getattr(importlib.import_module("cases"), name)(**arguments)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (status("VmSize") + int(gigabytes * 2**30), hard))
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = status("VmRSS")
    took, answer = timed(work, seconds)
    peak = status("VmHWM") - before
    runs = [took]
    while len(runs) < 3 and sum(runs) < (SLOW if len(runs) == 1 else QUICK):
        runs.append(timed(work, seconds)[0])
    return Outcome(min(runs), max(0, peak) / 2**30, str(answer))


if __name__ == "__main__":
    print(json.dumps(measure(**json.loads(sys.argv[1])).__dict__))
