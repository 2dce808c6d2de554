"""Ctrl-C at a random point: KeyboardInterrupt comes out, and everything is usable as before."""

import inspect
import sys
import threading
import warnings
from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

import protoclass as pc

from .calls import METHODS
from .laws import kept
from .test_fits import pc_example

PACKAGE = pc.__path__[0]
DATA = pc.load_data("iris").iloc[::6]


class Trip:
    """Raises KeyboardInterrupt at the `at`-th call of a function of the package in this thread.

    Not in generators: Python closes one that is left early by calling it, and drops what is raised there.
    """

    def __init__(self, at):
        self.left = at
        self.fired = False

    def __call__(self, frame, event, argument):
        code = frame.f_code
        ours = code.co_filename.startswith(PACKAGE) and not code.co_flags & inspect.CO_GENERATOR
        if event == "call" and ours and not self.fired:
            self.left -= 1
            if self.left <= 0:
                self.fired = True
                raise KeyboardInterrupt
        return None

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self)
        return self

    def __exit__(self, *reason):
        sys.settrace(self.before)


def works(fit, name):
    return {
        "fit": lambda: pc.fit("species ~ .", DATA, name, cv=2, progress=False, **pc_example(name)),
        "predict": lambda: fit.predict(DATA),
        "prototypes": lambda: fit.prototypes,
        "summary": lambda: str(fit.summary()),
        "augment": lambda: fit.augment(DATA),
        "stability": lambda: fit.stability(resamples=2, progress=False),
        "alternatives": lambda: fit.alternatives(progress=False),
        "swap": lambda: fit.swap(fit.prototypes.index[0], next((i for i in DATA.index if i not in fit.prototypes.index), 0)),
        "criticisms": lambda: fit.criticisms(progress=False),
        "update": lambda: fit.update(seed=1),
        "validate": lambda: pc.cross_validate("species ~ .", DATA, name, cv=2, progress=False, **pc_example(name)),
        "repr": lambda: repr(fit),
        "plot": lambda: fit.plot(),
    }


WORKS = list(works(None, "pvm"))


def state():
    pools = sorted((p["prefix"], p["num_threads"]) for p in threadpool_info())
    return pools, np.geterr(), list(warnings.filters), threading.active_count()


def outcome(fit):
    return fit.predict().tolist(), fit.predict(DATA).tolist(), fit.prototypes.index.tolist(), repr(fit)


@cache
def import_for(name, what):
    """What a work imports may add filters of warnings, as scipy.special does: it is imported before."""
    with suppress(pc.ProtoclassError):
        works(pc.fit("species ~ .", DATA, name, progress=False, **pc_example(name)), name)[what]()


@pytest.mark.usefixtures("threads_of_blas")
@kept(30)
@given(st.sampled_from(METHODS), st.sampled_from(WORKS), st.integers(1, 400))
def test_an_interrupt_leaves_everything_usable(name, what, at):
    expected = outcome(pc.fit("species ~ .", DATA, name, progress=False, **pc_example(name)))
    fit = pc.fit("species ~ .", DATA, name, progress=False, **pc_example(name))
    import_for(name, what)
    before = state()
    with Trip(at) as trip:
        try:
            works(fit, name)[what]()
        except KeyboardInterrupt:
            assert trip.fired
        except pc.ProtoclassError:
            assert not trip.fired, "the interrupt became an error"
        else:
            assert not trip.fired, "the interrupt was swallowed"
    assert state() == before
    assert outcome(fit) == expected
    assert outcome(pc.fit("species ~ .", DATA, name, progress=False, **pc_example(name))) == expected


def test_the_trip_fires():
    with Trip(10), pytest.raises(KeyboardInterrupt):
        pc.fit("species ~ .", DATA, eps=1.0)
