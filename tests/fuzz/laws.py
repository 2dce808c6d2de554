"""What every outcome keeps: a right answer or an error of our own, without a foreign warning and within a bound of work."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from contextlib import contextmanager

import hypothesis
import numpy as np

import protoclass as pc

EXAMPLES = int(os.environ.get("PROTOCLASS_FUZZ", "0"))
PROCESSOR = 20 if EXAMPLES else 120  # seconds of processor time of one example; a first run also compiles
QUIET = [hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large, hypothesis.HealthCheck.filter_too_much]


def kept(count):
    """A third of so many examples, always the same; or with PROTOCLASS_FUZZ=10000 as many as it says, drawn anew."""
    return hypothesis.settings(
        max_examples=EXAMPLES or max(2, count // 3),
        derandomize=not EXAMPLES,
        deadline=None,
        suppress_health_check=QUIET,
        print_blob=True,
        phases=[phase for phase in hypothesis.Phase if phase is not hypothesis.Phase.explain],  # which traces every line
        report_multiple_bugs=bool(EXAMPLES),
        database=hypothesis.settings.default.database if EXAMPLES else None,
    )


class ForeignWarningError(AssertionError):
    """A warning that is not one of ours."""


class HangError(AssertionError):
    """An example that took more processor time than any should."""


@contextmanager
def lawful():
    """Within it errors of our own end the work quietly; foreign warnings and too much work are failures."""

    def stop(number, frame):
        raise HangError(f"more than {PROCESSOR} s of processor time")

    on_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGPROF, stop) if on_main else None
    if on_main:
        signal.setitimer(signal.ITIMER_PROF, PROCESSOR)
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                yield
            except pc.ProtoclassError as reason:
                check_message(reason)
    finally:
        if on_main:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
    for one in seen:
        if not one.category.__module__.startswith("protoclass"):
            raise ForeignWarningError(f"{one.category.__name__}: {one.message} ({one.filename}:{one.lineno})")


def check_message(reason):
    """An error of ours says something, and not for ever."""
    text = str(reason)
    assert text.strip()
    assert len(text) < 5000
    assert "Traceback" not in text


def attempt(work, name=""):
    """What `work()` returns, None where it raises one of our errors."""
    found = None
    with lawful():
        found = work()
    hypothesis.event(f"{name} {'done' if found is not None else 'refused'}")
    return found


def equal(a, b):
    """Whether two answers are the same to the last bit."""
    return type(a) is type(b) and a.equals(b)


def check_predictions(fit):
    """Index kept, levels known, prob and decision and distance agree with the class, asking again changes nothing."""
    told = fit.predict()
    assert told.index.equals(fit.frame.index)
    assert list(told.cat.categories) == fit.classes
    assert fit.predict().equals(told)
    known = told.notna().to_numpy()
    codes = told.cat.codes.to_numpy()
    for kind in fit.rule.kinds:
        out = fit.predict(kind=kind)
        assert out.index.equals(fit.frame.index), kind
        if kind in ("prob", "decision", "distance"):
            values = out.to_numpy()[known]
            assert list(out.columns) == fit.classes
            assert not np.isnan(values).any(), kind
            if kind == "prob":
                assert np.allclose(values.sum(axis=1), 1), "probabilities do not add up to 1"
                assert (values >= 0).all()
            if kind != "distance":
                assert (values.max(axis=1) == values[np.arange(len(values)), codes[known]]).all(), kind
            elif fit.model.can.nearest and len(fit.rule.prototypes):
                assert (values.min(axis=1) == values[np.arange(len(values)), codes[known]]).all(), kind
            if kind == "distance":
                assert (values >= 0).all()
        elif kind == "nearest" and len(fit.prototypes):
            assert out[known].isin(fit.prototypes.index.to_flat_index()).all()
            if fit.model.can.nearest:
                class_of = dict(zip(fit.prototypes.index, fit.prototypes["class"], strict=True))
                if fit.prototypes.index.is_unique:
                    assert [class_of[name] for name in out[known]] == told[known].tolist()
        elif kind == "cover":
            assert list(out.cat.categories) == fit.classes


def check_new(fit, data):
    """The rows of the fit as new ones: the same classes, together, singly and in another order."""
    if fit._problem.metric.given:
        return
    told, new = fit.predict(), fit.predict(data)
    assert new.index.equals(data.index)
    assert new.loc[told.index].equals(told), "rows of the fit are told another class as new rows"
    assert new.drop(told.index).isna().all() or fit.frame.keep or len(fit.frame.dropped)
    back = fit.predict(data.iloc[::-1])
    assert back.iloc[::-1].equals(new)
    for i in {0, len(data) // 2, len(data) - 1}:
        assert fit.predict(data.iloc[[i]]).equals(new.iloc[[i]]), "a row alone is told another class"
    assert len(fit.predict(data.iloc[:0])) == 0
