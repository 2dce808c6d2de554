"""Rows in several places, for tests: consecutive parts of a matrix, and places that lose what they keep."""

import pickle
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from protoclass.core.parallel import Once
from protoclass.core.parts import Rows, parted_source
from protoclass.core.sources import Streamed


@dataclass(frozen=True)
class LocalParts:
    """Parts in this process."""

    parts: tuple

    @property
    def bounds(self):
        return np.concatenate([[0], np.cumsum([len(part) for part in self.parts])])

    def map(self, work, *shared, each=None):
        own = [()] * len(self.parts) if each is None else each
        return [None if some is None else work(part, *some, *shared) for part, some in zip(self.parts, own, strict=True)]


def look_up(rows, candidates):
    return rows[0][:, candidates[0]]


def look_up_beside(rows, candidates):
    """The source of rows of a matrix, which represent themselves by their dissimilarities to all candidates."""
    return Streamed(look_up, rows, candidates)


def parts_of(rep, cuts):
    n = len(rep[0])
    bounds = np.concatenate([[0], np.sort(cuts), [n]]).astype(int)
    return tuple(Rows(int(a), tuple(x[a:b] for x in rep)) for a, b in pairwise(bounds))


def cuts_of(draw, n):
    """Cuts into 1 to 7 parts, some of them empty."""
    cuts = draw.integers(0, n + 1, draw.integers(0, 7))
    return np.append(cuts, cuts[:1]) if len(cuts) in range(1, 6) else cuts


def moved(task, D, cuts, parts=LocalParts):
    """A task whose rows are kept in several places."""
    source = parted_source(parts(parts_of((D,), cuts)), (np.arange(D.shape[1]),), look_up_beside)
    return replace(task, source=Once(lambda: source))


@dataclass
class Forgetful:
    """Places of which each has its rows on three workers, any of which may be asked.

    Workers start anew at random moments. Work is sent as bytes, is sometimes done twice, and old work is done once more,
    too late.
    """

    parts: tuple

    def __post_init__(self):
        self.draw = np.random.default_rng(len(self.parts))
        self.workers = [[Rows(p.first, p.rep) for _ in range(3)] for p in self.parts]
        self.old, self.lost = [], 0

    @property
    def bounds(self):
        return LocalParts(self.parts).bounds

    def map(self, work, *shared, each=None):
        own = [()] * len(self.parts) if each is None else each
        return [None if some is None else self.do(work, s, *some, *shared) for s, some in enumerate(own)]

    def do(self, work, s, *arguments):
        sent = pickle.dumps((work, arguments))
        worker = int(self.draw.integers(3) * (self.draw.random() < 0.2))
        if self.draw.random() < 0.1:
            self.workers[s][worker] = pickle.loads(pickle.dumps(self.workers[s][worker]))
            self.lost += 1
        late = self.old[int(self.draw.integers(len(self.old)))] if self.old and self.draw.random() < 0.2 else None
        if late is not None:
            again, place, message = late
            work_again, with_these = pickle.loads(message)
            work_again(self.workers[place][again], *with_these)
        self.old = [*self.old[-20:], (worker, s, sent)]
        work, arguments = pickle.loads(sent)
        if self.draw.random() < 0.2:
            work(self.workers[s][worker], *arguments)
        return pickle.loads(pickle.dumps(work(self.workers[s][worker], *arguments)))
