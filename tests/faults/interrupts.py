"""Ctrl-C at random moments of long work: `python tests/faults/interrupts.py --moments 100` says what each of them left.

Another process sends the signal. After each interrupt: KeyboardInterrupt came out, how long after the signal; the next call gives the
result of an undisturbed one to the bit; no thread, no progress bar and no temporary file is left; NumPy's and BLAS's settings are as
before; a file that was being saved is the old one or the new one. Python and NumPy themselves drop what is raised in some places, such as
generators that are closed and types that NumPy asks for: an interrupt that did not come out counts only if one that is raised at the same
line of the package does not come out either. Seconds of the clock are those of a machine that others may use as
well, so the seconds of processor between the signal and the interrupt are given beside them.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import pickle
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_info
from tqdm.auto import tqdm

import protoclass as pc

PACKAGE = pc.__path__[0]
LATE = 1.0  # seconds
GRACE = 20.0  # seconds that threads have to end, on a machine that others use
SENDER = """
import os, signal, sys, time
parent = int(sys.argv[1])
clock = (~parent << 3) | 2  # seconds of processor of the parent, on Linux
for line in sys.stdin:
    delay = float(line)
    time.sleep(delay)
    if os.getppid() != parent:
        break
    os.kill(parent, signal.SIGINT)
    print(time.monotonic(), time.clock_gettime(clock) if sys.platform == "linux" else 0.0, flush=True)
"""

Call = Callable[[], Any]
Work = Callable[[Path], tuple[Call, Callable[[Any], Any]]]  # the folder it may write to; the call, and what its result must equal


def made(n: int, p: int = 6, classes: int = 3) -> pd.DataFrame:
    """Rows of overlapping classes."""
    draw = np.random.default_rng(n)
    y = draw.integers(0, classes, n)
    X = draw.normal(size=(n, p)) + y[:, None]
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(p)]).assign(y=pd.Categorical(np.array(list("abcdefghij"))[y]))


def facts(fit: Any) -> Any:
    return fit.predict().to_list(), fit.prototypes.to_numpy().tolist(), repr(fit)


def table(value: Any) -> str:
    seconds = [name for name in value.table if "seconds" in str(name)]
    return str(value.table.drop(columns=seconds).to_csv(float_format="%.17g"))


def fitting(n: int, method: Any, cv: Any = None, **given: Any) -> Work:
    data = made(n)
    return lambda folder: (lambda: pc.fit("y ~ .", data, method, cv=cv, progress=True, **given), facts)


def validating(folder: Path) -> tuple[Call, Callable[[Any], Any]]:
    data = made(1000)
    return lambda: pc.cross_validate("y ~ .", data, cv=4, progress=True), table


def comparing(folder: Path) -> tuple[Call, Callable[[Any], Any]]:
    data = made(300)
    return lambda: pc.compare("y ~ .", data, ["pvm", "knn"], cv=3, repeats=1, progress=True), table


def saving(folder: Path) -> tuple[Call, Callable[[Any], Any]]:
    path, old = folder / "fit.proto", pc.fit("y ~ .", made(50), eps=1.5)
    fit = pc.fit("y ~ .", made(8000), "knn", k=3, cv=None)
    whole = [fit.save(folder / "first").path.read_bytes(), old.save(folder / "second").path.read_bytes()]
    (folder / "first").unlink(), (folder / "second").unlink()
    path.write_bytes(whole[1])

    def check_whole() -> None:
        assert path.read_bytes() in whole, "the file is neither the old nor the new one"
        path.write_bytes(whole[1])

    def save() -> Any:
        return fit.save(path, overwrite=True)

    save.check = check_whole  # type: ignore[attr-defined]
    return save, lambda saved: path.read_bytes() == whole[0]


WORKS: dict[str, Work] = {
    "fit": fitting(2500, "pvm", eps=1.5),
    "CV": validating,
    "exact": fitting(700, pc.PVM(eps=1.5, solver="exact")),
    "kmedoids": fitting(1500, "kmedoids", K=[5, 20], cv=2),
    "compare": comparing,
    "scm": fitting(250, "scm", cv=2),
    "save": saving,
}


@dataclass(frozen=True)
class Moment:
    """One interrupt.

    Attributes
    ----------
    delay : float
        Seconds from the call to the signal.
    late, busy : float
        Seconds of the clock, and of processor, from the signal to KeyboardInterrupt.
    faults : tuple of str
    """

    delay: float
    late: float
    busy: float
    faults: tuple[str, ...]


class Sender:
    """A process that sends SIGINT to this one after a delay."""

    def __enter__(self) -> Sender:
        command = [sys.executable, "-c", SENDER, str(os.getpid())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        return self

    def __exit__(self, *reason: object) -> None:
        self._process.kill()
        self._process.communicate()

    def send_after(self, delay: float) -> None:
        assert self._process.stdin is not None
        self.heard = False
        self._process.stdin.write(f"{delay}\n")
        self._process.stdin.flush()

    def sent(self) -> tuple[float, float]:
        """When it was sent, by the clock and by the processor."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.heard = True
        at, busy = map(float, line.split())
        return at, busy

    def forget(self) -> None:
        """Pass over what it has said, if it has said anything that was not read."""
        assert self._process.stdout is not None
        if not self.heard and select.select([self._process.stdout], [], [], 1.0)[0]:
            self._process.stdout.readline()


def settings() -> Any:
    pools = sorted((p["prefix"], p["num_threads"]) for p in threadpool_info())
    return pools, np.geterr(), list(warnings.filters)


def threads() -> tuple[int, int]:
    """Threads that run, and those of the system. Python also counts one whose start was interrupted before it ran."""
    tasks = Path("/proc/self/task")
    return sum(thread.ident is not None for thread in threading.enumerate()), len(list(tasks.iterdir())) if tasks.exists() else 0


@contextmanager
def bars() -> Iterator[None]:
    """Progress bars that are drawn where no one sees them."""
    with contextlib.redirect_stderr(io.StringIO()):
        yield


class Noted:
    """Where the last interrupt was raised; without its frames, which would keep what they refer to."""

    file: str | None = None
    line: tuple[CodeType, int] | None = None  # the innermost of the package, None outside it

    @classmethod
    def handler(cls, number: int, frame: FrameType | None) -> None:
        cls.file = "" if frame is None else frame.f_code.co_filename
        while frame is not None and not frame.f_code.co_filename.startswith(PACKAGE):
            frame = frame.f_back
        cls.line = None if frame is None else (frame.f_code, frame.f_lineno)
        raise KeyboardInterrupt


def swallows(call: Call, line: tuple[CodeType, int] | None) -> bool:
    """Whether KeyboardInterrupt that is raised at this line of the package does not come out of the call."""
    fired = False

    def trip(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal fired
        if frame.f_code is not (line and line[0]):
            return None
        if not fired and frame.f_lineno == line[1]:
            fired = True
            raise KeyboardInterrupt
        return trip

    if line is None:
        return False
    traced = sys.gettrace()
    sys.settrace(trip)
    try:
        with bars():
            call()
    except KeyboardInterrupt:
        return False
    finally:
        sys.settrace(traced)
    return True


def interrupt(call: Call, sender: Sender, delay: float) -> tuple[float, float, str | None] | None:
    """Seconds of the clock and of processor to KeyboardInterrupt, and what came instead; None where the call was over before."""
    other, filters = None, list(warnings.filters)
    Noted.file = Noted.line = None
    try:
        sender.send_after(delay)
        try:
            with bars():
                call()
        except Exception as reason:
            other = f"{type(reason).__name__}: {reason}"
    except KeyboardInterrupt:
        caught = time.monotonic(), time.process_time()
        at, busy = sender.sent()
        if Noted.file == warnings.__file__:
            warnings.filters[:] = filters  # Python's own way back to them was stopped
            return None
        return caught[0] - at, caught[1] - busy, None
    try:
        at, busy = sender.sent()
        if Noted.file is None:  # it was sent after the end, and comes now
            time.sleep(GRACE)
    except KeyboardInterrupt:
        sender.forget()
        return None
    if other is None and Noted.file is not None and not swallows(call, Noted.line):
        return None
    return 0.0, 0.0, other or f"the interrupt was swallowed at {Noted.line}"


def settled(before: tuple[int, int]) -> tuple[int, int]:
    """How many threads there are, once there are no more than before."""
    begin = time.monotonic()
    while True:
        now = threads()
        if (now[0] <= before[0] and now[1] <= before[1]) or time.monotonic() - begin > GRACE:
            return now
        time.sleep(0.01)


def moments(name: str, count: int, seed: int) -> list[Moment]:
    """Interrupts of one work, each at a moment of its own, until `count` of them came before its end."""
    out: list[Moment] = []
    with tempfile.TemporaryDirectory() as place, Sender() as sender:
        folder = Path(place, "files")
        folder.mkdir()
        call, result = WORKS[name](folder)
        tempfile.tempdir = place
        with bars():
            right = pickle.dumps(result(call()))
            begin = time.monotonic()
            call()
            seconds = time.monotonic() - begin
        check = getattr(call, "check", lambda: None)
        check()
        before = threads()
        handler = signal.signal(signal.SIGINT, Noted.handler)
        clean, files = settings(), sorted(os.listdir(place)) + sorted(os.listdir(folder))
        draw = np.random.default_rng((seed, *name.encode()))
        while len(out) < count:
            delay = float(draw.uniform(0, seconds))
            met = interrupt(call, sender, delay)
            if met is None:
                seconds *= 0.95  # the machine is faster than it was
                check()
                continue
            faults = [met[2]] if met[2] else []
            now = settled(before)
            if now[0] > before[0] or now[1] > before[1]:
                faults.append(f"threads {before} before, {now} after: {[t.name for t in threading.enumerate()]}")
            if settings() != clean:
                faults.append(f"settings {clean} became {settings()}")
            gc.collect()
            if len(getattr(tqdm, "_instances", ())):
                faults.append("a progress bar is left")
            if sorted(os.listdir(place)) + sorted(os.listdir(folder)) != files:
                faults.append(f"files are left: {os.listdir(place)} {os.listdir(folder)}")
            try:
                check()
                with bars():
                    again = pickle.dumps(result(call()))
                check()
                if again != right:
                    faults.append("the next call gave another result")
            except Exception as reason:
                faults.append(f"the next call: {type(reason).__name__}: {reason}")
            out.append(Moment(delay, met[0], met[1], tuple(faults)))
        signal.signal(signal.SIGINT, handler)
        tempfile.tempdir = None
    return out


def summary(name: str, found: list[Moment]) -> str:
    late, busy = (np.array([getattr(m, field) for m in found]) for field in ("late", "busy"))
    return (
        f"{name:10} {len(found):4} interrupts; s to KeyboardInterrupt (median, most) {np.median(late):.3f}, {late.max():.3f}; "
        f"of processor {np.median(busy):.3f}, {busy.max():.3f}; faults: {sum(bool(m.faults) for m in found)}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("works", nargs="*", metavar="WORK", help=f"of {', '.join(WORKS)}; all by default")
    given = parser.parse_args()
    return max(report(name, moments(name, given.moments, given.seed)) for name in given.works or WORKS)


def report(name: str, found: list[Moment]) -> int:
    """Print what was found of one work; 1 where there was a fault, or an interrupt came late by the clock and by the processor."""
    print(summary(name, found), flush=True)
    for moment in found:
        if moment.faults or moment.late > LATE:
            print(f"    after {moment.delay:.3f} s, {moment.late:.2f} s late, {moment.busy:.2f} of processor: {list(moment.faults)}")
    return int(any(moment.faults or min(moment.late, moment.busy) > LATE for moment in found))


if __name__ == "__main__":
    sys.exit(main())
