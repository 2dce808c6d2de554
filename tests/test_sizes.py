"""Whatever is given for a parameter, it ends in an error of our own or in an answer that comes soon."""

import signal
from contextlib import contextmanager
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.ground.errors import brief
from protoclass.metrics.registry import BUILT_IN as METRICS
from protoclass.models.registry import BUILT_IN as MODELS

STRANGE = (10**30, 10**12, -1, 0, float("nan"), True, "3", None)
PATIENCE = 60  # seconds; without the bounds these take hours, or all memory


@pytest.fixture(scope="module")
def data():
    draw = np.random.default_rng(0)
    X = pd.DataFrame(draw.normal(size=(24, 4)), columns=list("abcd"))
    return X.assign(y=np.where(X.a + 0.3 * X.b > 0, "u", "v"))


@contextmanager
def soon(what):
    def late(*_):
        raise AssertionError(f"{what} takes more than {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    except pc.ProtoclassError as reason:
        assert len(str(reason)) <= 2000  # noqa: PT017 - any error of our own will do, and it must be short
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# of medianglvq, by parameter: what needs no matrix learns none, which is quick
DIAGONAL = {"K": 1, "matrix": "diagonal"}
LEARNED = {"matrix": {}, "dims": {"K": 1, "matrix": "full"}, "local": DIAGONAL, "ridge": DIAGONAL}


def named(call, parameter, value):
    return f"{call}({parameter}={brief(value)})"


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, f.name) for name, kind in MODELS.items() for f in fields(kind) if f.init],
    ids=lambda p: str(p),
)
@pytest.mark.filterwarnings("ignore")
def test_parameters_of_methods(data, name, parameter):
    others = LEARNED.get(parameter, {"matrix": "none"}) if name == "medianglvq" else {}
    for value in STRANGE:
        with soon(named(name, parameter, value)):
            fit = pc.fit("y ~ .", data, name, dissimilarity="euclidean", cv=2, progress=False, **{**others, parameter: value})
            fit.predict(data)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, f.name) for name, place in METRICS.items() for f in fields(getattr(pc, place.split(".")[1])) if f.init],
    ids=lambda p: str(p),
)
@pytest.mark.filterwarnings("ignore")
def test_parameters_of_metrics(data, name, parameter):
    texts = pd.DataFrame({"s": ["acgtacgt", "aaccggtt", "acacacac", "ggttccaa"]})
    kind = getattr(pc, METRICS[name].split(".")[1])
    formula, table = (
        ("~ s", texts)
        if name in ("mismatch", "levenshtein")
        else ("y ~ .", data.assign(**{c: data[c].abs() for c in "abcd"}))
    )
    for value in STRANGE:
        with soon(named(name, parameter, value)):
            pc.dissimilarity(formula, table, kind(**{parameter: value})).frame()


CALLS = {
    "fit": lambda d: lambda **o: pc.fit("y ~ .", d, eps=(0.5, 1.0), progress=False, **o),
    "cross_validate": lambda d: lambda **o: pc.cross_validate("y ~ .", d, eps=(0.5, 1.0), progress=False, **o),
    "compare": lambda d: lambda **o: pc.compare("y ~ .", d, ["knn"], **{"cv": 2, "progress": False, **o}),
    "stability": lambda d: lambda **o: pc.fit("y ~ .", d, eps=1.0).stability(**o),
    "alternatives": lambda d: lambda **o: pc.fit("y ~ .", d, eps=1.0).alternatives(**{"time_limit": 5, **o}),
    "criticisms": lambda d: lambda **o: pc.fit("y ~ .", d, eps=1.0).criticisms(**o),
    "check": lambda d: pc.dissimilarity("y ~ .", d).check,
    "embed": lambda d: pc.dissimilarity("y ~ .", d).embed,
    "map": lambda d: pc.dissimilarity("y ~ .", d).map,
    "quantile": lambda d: pc.dissimilarity("y ~ .", d).quantile,
    "quantiles": lambda d: lambda n: pc.fit("y ~ .", d, eps=pc.extend.quantiles(n), cv=2, progress=False),
    "kmeans": lambda d: lambda K: pc.fit("y ~ .", d, eps=1.0, candidates=pc.candidates.kmeans(K)),
    "hull": lambda d: lambda **o: pc.fit("y ~ .", d, eps=1.0, candidates=pc.candidates.hull(**{"n": 3, **o})),
}
PARAMETERS = [
    *(("fit", p) for p in ("cv", "seed", "sample", "candidates", "weights", "groups", "choose", "na", "dissimilarity")),
    *(("cross_validate", p) for p in ("cv", "seed", "repeats", "candidates", "measure")),
    *(("compare", p) for p in ("cv", "seed", "repeats")),
    *(("stability", p) for p in ("resamples", "seed")), *(("alternatives", p) for p in ("within", "time_limit", "candidates")),
    *(("criticisms", p) for p in ("n", "time_limit")), ("check", "seed"), ("embed", "dims"), ("map", "dims"), ("quantile", "q"),
    ("quantiles", "n"), ("kmeans", "K"), ("hull", "n"), ("hull", "steps"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
@pytest.mark.filterwarnings("ignore")
def test_parameters_of_functions(data, name, parameter):
    call = CALLS[name](data)
    for value in STRANGE:
        with soon(named(name, parameter, value)):
            call(**{parameter: value})


def test_bounds_are_named_where_they_are_met(iris):
    for options, message in (
        ({"k": 0}, "k of knn must be a whole number >= 1, a sequence of these, or 'grid', not 0"),
        ({"k": 10**12}, r"k of knn must be a whole number >= 1 and <= 2147483647, a sequence of these, or 'grid', not 1000000000000"),
        ({"k": 10**5000}, r"k of knn must be .*, not <a whole number of 16,610 bits>"),
        ({"seed": 2**63}, r"seed must be a whole number >= 0 and <= 9223372036854775807, not 9223372036854775808"),
    ):
        with pytest.raises(pc.errors.OptionError, match=message):
            pc.fit("species ~ .", iris, "knn", **options)
    with pytest.raises(pc.errors.OptionError, match=r"starts of kmeans must be a whole number >= 1 and <= 10000, not 1000000"):
        pc.KMeans(starts=10**6)
    with pytest.raises(pc.errors.OptionError, match=r"repeats must be a whole number >= 1 and <= 10000, not 0"):
        pc.cross_validate("species ~ .", iris, repeats=0, dissimilarity="euclidean")
    assert pc.fit("species ~ .", iris, "knn", k=3, seed=2**63 - 1).predict().notna().all()
