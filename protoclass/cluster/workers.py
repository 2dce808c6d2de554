"""Parts of data that are stored on the workers of a Dask cluster: work is sent to them, and the results are small."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any

from ..ground.errors import ClusterError, NotAvailable, OptionError, ProtoclassError, brief, cut

HEAVY = 2**15  # bytes from which on a shared argument is sent to each worker once, and not with every call
KEPT = 16  # shared arguments that stay on the workers
WITHOUT_WORKERS = 30.0  # seconds after which a cluster without workers counts as lost
TRIES = 3  # of a call whose shared arguments were lost with a worker
VERSION = "protoclass:__version__"
LOOK = 0.5  # seconds between two checks of the cluster

Each = Sequence[tuple[Any, ...] | None] | None  # the arguments of each part; None for a part without work
Places = Sequence[str | None]  # the worker that does the work of each part; None: any
Shared = OrderedDict[int, tuple[Any, Any]]  # by identity: a value, which is kept alive, and its place on the workers


def client_of(client: Any, data: Any) -> Any:
    """The Dask client that a call means: the one that is given, the current one for a Dask DataFrame, else None.

    Raises
    ------
    OptionError
        If the value is not a client, or is closed.
    """
    if client is None:
        return _current() if is_dask(data) else None
    if type(client).__module__.split(".")[0] != "distributed" or not hasattr(client, "submit"):
        raise OptionError(f"client must be a Dask client, not {brief(client)}: use dask.distributed.Client(address or LocalCluster())")
    if client.status != "running":
        raise OptionError(f"client= is {client.status}: use a new one, dask.distributed.Client(address)")
    return client


def is_dask(data: Any) -> bool:
    """Whether a table is a Dask DataFrame."""
    return type(data).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(data, "to_delayed")


def _current() -> Any:
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        client = get_client()
    except ValueError:  # there is none
        return None
    return client if client.status == "running" else None


class ClusterParts:
    """Values on the workers of a cluster, one for each part of the data.

    A part whose worker is lost is made again by Dask, from the table that it came from.

    `bounds` are known only if the parts know their rows. `run(work, *given)` does the work on a worker.
    """

    def __init__(
        self, client: Any, futures: Sequence[Any], bounds: Any = None, shared: Shared | None = None, run: Callable[..., Any] | None = None
    ) -> None:
        self.client, self.futures, self.bounds, self.run = client, tuple(futures), bounds, run
        self._shared: Shared = OrderedDict() if shared is None else shared
        self._address = str(getattr(client.scheduler, "address", "")).removeprefix("tcp://")  # which a closed client forgets

    def __len__(self) -> int:
        return len(self.futures)

    def map(self, work: Callable[..., Any], *shared: Any, each: Each = None) -> list[Any]:
        """`work(value, *each[s], *shared)` of every part s, on its worker; the results come to this process. See `core.parts.Parts`.

        Raises
        ------
        ClusterError
            Where the cluster is lost, or a part takes its workers down.
        ProtoclassError
            That `work` raises.
        """

        def gathered(futures: list[Any]) -> list[Any]:
            found = iter(self.client.gather(futures))
            return [next(found) if wanted else None for wanted in self._wanted(each)]

        found: list[Any] = self._done(work, shared, each, gathered, self._places)
        return found

    def make(self, work: Callable[..., Any], *shared: Any, each: Each = None, bounds: Any = None) -> ClusterParts:
        """The same, with results that stay on the workers."""

        def made(futures: list[Any]) -> ClusterParts:
            return ClusterParts(self.client, futures, self.bounds if bounds is None else bounds, self._shared, self.run)

        # Dask makes a lost value again by the same task, which therefore may go to any worker
        parts: ClusterParts = self._done(work, shared, each, made, lambda: [None] * len(self))
        return parts

    def in_groups(self, groups: Sequence[tuple[int, int]]) -> ClusterParts:
        """Fewer parts: of each run of neighbours, from the first to before the last, a list of their values."""
        return ClusterParts(self.client, [list(self.futures[a:b]) for a, b in groups], None, self._shared, self.run)

    def check_versions(self) -> None:
        """Raise if the scheduler or a worker lacks this package or has another version of it, which no message would reveal.

        A worker that cannot read a message gives up its connection, and seems to be lost.

        Raises
        ------
        ClusterError
        """
        from .. import __version__

        for place, version in self._tried(self._versions).items():
            if isinstance(version, (str, ImportError, AttributeError)) and version != __version__:
                raise ClusterError(
                    f"the cluster {self._address} does not have the protoclass version of this session on {place} ({cut(str(version))}): "
                    f"install protoclass-stats {__version__} for the scheduler and all workers, and restart them"
                )

    def _versions(self) -> dict[str, Any]:
        """The version of this package on the scheduler and the workers, or an error."""
        try:
            first = self.client.run_on_scheduler(resolve_name, VERSION)
        except (ImportError, AttributeError) as reason:
            first = reason
        return {"the scheduler": first, **self.client.run(resolve_name, VERSION, on_error="return")}

    def __reduce__(self) -> Any:
        raise NotAvailable(
            "the rows stay on the workers of a cluster, so they can't be pickled or copied: use fit.slim(), which leaves them out"
        )

    def rooms(self) -> list[int]:
        """Bytes of memory for each thread of the workers, as Dask limits it; Dask reports 0 if there is no limit."""
        workers = self.client.scheduler_info()["workers"].values()
        threads = [(int(worker.get("nthreads") or 1), int(worker.get("memory_limit") or 0)) for worker in workers]
        return [memory // count for count, memory in threads for _ in range(count)]

    def _tried(self, call: Callable[[], Any]) -> Any:
        from concurrent.futures import CancelledError

        for _ in range(TRIES):
            try:
                return call()
            except ProtoclassError:
                raise
            except CancelledError:  # values that were sent to workers only are lost with them, and are sent again
                self._shared.clear()
                self._check_connection()
            except Exception as reason:
                raise self._own(reason) from reason
        raise ClusterError(f"the cluster {self._address} has cancelled the work {TRIES} times: restart it, and fit again")

    def _wanted(self, each: Each) -> list[bool]:
        return [each is None or each[s] is not None for s in range(len(self))]

    def _done(
        self, work: Callable[..., Any], shared: tuple[Any, ...], each: Each, use: Callable[[list[Any]], Any], places: Callable[[], Places]
    ) -> Any:
        """The combined results of the parts with work, once these are complete."""

        def done() -> Any:
            where = places()
            futures = self._submitted(work, shared, each, where)
            with self._cancelled_if_left(futures):
                self._wait(futures, where)
                return use(futures)

        return self._tried(done)

    def _places(self) -> Places:
        """The worker of each part, which alone has what the part keeps between calls: work must not be moved to an idle worker."""
        held = self.client.who_has(list(self.futures))
        return [min(held.get(part.key) or [None]) for part in self.futures]

    def _submitted(self, work: Callable[..., Any], shared: tuple[Any, ...], each: Each, places: Places) -> list[Any]:
        sent, called = tuple(self._sent(value) for value in shared), (work,) if self.run is None else (self.run, work)
        own = [()] * len(self) if each is None else each
        return [
            self.client.submit(*called, part, *arguments, *sent, pure=False, workers=place)
            for part, arguments, place in zip(self.futures, own, places, strict=True)
            if arguments is not None
        ]

    def _sent(self, value: Any) -> Any:
        """A shared argument, or if it is large its location on the workers."""
        from distributed.protocol import pickle

        known = self._shared.get(id(value))
        if known is not None:
            self._shared.move_to_end(id(value))
            return known[1]
        if len(pickle.dumps(value)) < HEAVY:  # type: ignore[no-untyped-call]
            return value
        future = self.client.scatter([value], broadcast=True, hash=False)[0]
        self._shared[id(value)] = value, future
        while len(self._shared) > KEPT:
            self._shared.popitem(last=False)
        return future

    def _wait(self, futures: Sequence[Any], places: Places) -> None:
        from concurrent.futures import CancelledError

        from distributed import TimeoutError as Late
        from distributed import wait

        alone_since = None
        while True:
            try:
                with self.client.as_current():
                    wait(futures, timeout=LOOK)  # type: ignore[no-untyped-call]
                return
            except Late:
                self._check_connection()
                workers = self.client.scheduler_info()["workers"]
                alone_since = None if workers else (alone_since or time.monotonic())
                if alone_since is not None and time.monotonic() - alone_since > WITHOUT_WORKERS:
                    raise ClusterError(
                        f"the cluster {self._address} has had no workers for {WITHOUT_WORKERS:.0f} s: start some, and fit again"
                    ) from None
                if workers and not workers.keys() >= set(places) - {None}:
                    raise CancelledError from None  # and try again where Dask makes the lost parts

    @contextmanager
    def _cancelled_if_left(self, futures: Sequence[Any]) -> Iterator[None]:
        """Work whose results no one waits for any more, for example after Ctrl-C, is taken back."""
        try:
            yield
        except BaseException:
            if self.client.status == "running":
                self.client.cancel(list(futures), force=True)
            raise

    def _check_connection(self) -> None:
        if self.client.status != "running":
            raise ClusterError(
                f"the connection to the cluster {self._address} is lost (client {self.client.status}): connect a new client, and fit again"
            )

    def _own(self, reason: Exception) -> ProtoclassError:
        """An error of Dask as one of ours."""
        self._check_connection()
        name = type(reason).__name__
        if name == "KilledWorker":
            return ClusterError(
                "a part of the rows has stopped several workers, most often for lack of memory: use smaller parts, "
                "ddf.repartition(partition_size='50MB'), or give the workers more memory"
            )
        return ClusterError(f"the cluster {self._address} failed at its work, {name}: {reason}")
