"""Whatever is given for an argument, it ends in an error of our own or in an answer that comes soon."""

import signal
import warnings
from contextlib import contextmanager
from dataclasses import fields
from inspect import isfunction

import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.ground.errors import brief
from protoclass.metrics.registry import BUILT_IN as METRICS
from protoclass.metrics.registry import metric
from protoclass.models.registry import BUILT_IN as MODELS

STRANGE = (10**30, 10**12, -1, 0, float("nan"), True, "3", None, pd.NA, object, {1: 2}, (1, 2))
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
    [(name, f.name) for name in METRICS for f in fields(metric(name)) if f.init],
    ids=lambda p: str(p),
)
@pytest.mark.filterwarnings("ignore")
def test_parameters_of_metrics(data, name, parameter):
    texts = pd.DataFrame({"s": ["acgtacgt", "aaccggtt", "acacacac", "ggttccaa"]})
    kind = type(metric(name))
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
    "set": lambda d: lambda **o: pc.fit("y ~ .", d, eps=1.0).calibrate(cv=2).predict(d, "set", **o),
    "prior": lambda d: lambda u: pc.fit("y ~ .", d, eps=1.0).calibrate(cv=2).predict(d, prior={"u": u, "v": 1}),
    "test": lambda d: lambda weight: pc.fit("y ~ .", d, eps=1.0).test(d, weights=[weight] + [1.0] * (len(d) - 1)),
    "importance": lambda d: lambda **o: pc.fit("y ~ .", d, eps=1.0).importance(d, resamples=1, **o),
    "why": lambda d: pc.fit("y ~ .", d, eps=1.0).why,
    "swap": lambda d: lambda prototype: pc.fit("y ~ .", d, eps=1.0).at(swap=prototype),
    "hull": lambda d: lambda **o: pc.fit("y ~ .", d, eps=1.0, candidates=pc.candidates.hull(**{"n": 3, **o})),
}
PARAMETERS = [
    *(("fit", p) for p in ("cv", "seed", "sample", "candidates", "weights", "groups", "choose", "na", "dissimilarity")),
    *(("cross_validate", p) for p in ("cv", "seed", "repeats", "candidates", "measure")),
    *(("compare", p) for p in ("cv", "seed", "repeats")),
    *(("stability", p) for p in ("resamples", "seed")), *(("alternatives", p) for p in ("within", "time_limit", "candidates")),
    *(("criticisms", p) for p in ("n", "time_limit")), ("check", "seed"), ("embed", "dims"), ("map", "dims"), ("quantile", "q"),
    ("quantiles", "n"), ("kmeans", "K"), ("hull", "n"), ("hull", "steps"),
    ("set", "level"), ("prior", "u"), ("test", "weight"), ("importance", "variables"), ("why", "row"), ("swap", "prototype"),
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


@pytest.fixture(scope="module")
def fit():
    return pc.fit("species ~ .", pc.load_data("iris").iloc[::5], eps=[1.0, 1.5], cv=2, dissimilarity="euclidean", repeats=1)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e160, 1e300])
def test_the_unit_of_the_weights_of_new_rows_does_not_matter(fit, size):
    data = pc.load_data("iris").iloc[1::5]
    share = np.random.default_rng(0).integers(1, 4, len(data)).astype(float)
    one, other = fit.test(data, share), fit.test(data, share * size)
    for name in ("error", "low", "high", "no_information", "p_value"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-2 if size == 1e-320 else 1e-9)
    assert fit.test(data, share * size).confusion.to_numpy().sum() == pytest.approx(size * share.sum(), rel=1e-2)


@pytest.mark.parametrize("index", [pd.Index([(k, "x") for k in range(30)], tupleize_cols=False), pd.interval_range(0, 30)])
def test_a_row_is_explained_by_any_label(index):
    data = pc.load_data("iris").iloc[::5].set_axis(index)
    fit = pc.fit("species ~ .", data, eps=1.0)
    assert fit.why(index[20]).attrs["class"] == fit.predict().iloc[20]
    with pytest.raises(pc.errors.OptionError, match="a label of the rows of the fit"):
        fit.why((1, 2, 3))


def test_labels_of_many_types_are_compared_without_a_warning():
    data = pc.load_data("iris").iloc[::5]
    data.index = pd.Index([1, "a", 2.5, (1, 2), b"x", pd.Timestamp("2020"), *range(10, 34)], dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared = pc.compare("species ~ .", data, [pc.KNN(k=1)], cv=3)
        weighted = pc.fit("species ~ .", data, eps=1.0, weights=pd.Series(1.0, data.index))
        D = pc.dissimilarity("~ . - species", data).frame()
        given = pc.fit("species ~ 1", data, dissimilarity=D, eps=1.0)
        with pytest.raises(pc.errors.DataError, match="weights lack the row 1"):
            pc.fit("species ~ .", data, eps=1.0, weights=pd.Series(1.0, data.index[1:]))
    assert set(compared.predictions.index.get_level_values(1)) == set(data.index)
    assert weighted.prototypes.index.tolist() == given.prototypes.index.tolist()


def test_every_method_of_a_value_names_an_argument_that_it_does_not_have():
    iris = pc.load_data("iris").iloc[::3]
    fit = pc.fit("species ~ .", iris, eps=[0.8, 1.0], cv=3, calibrate=True, dissimilarity="euclidean", repeats=1)
    values = [
        fit, fit.validation, fit._calibration, fit.threshold("setosa"), fit.dissimilarity, fit.test(iris), fit.test(iris, by="species"),
        fit.stability(resamples=3), fit.criticisms(n=3), pc.compare("species ~ .", iris, [pc.PVM(eps=1.0), pc.KNN(k=1)], test_size=0.3),
    ]  # fmt: skip
    for value in values:
        for name in dir(value):
            if not name.startswith("_") and isfunction(getattr(type(value), name, None)):
                needed = (iris,) if name == "reproduce" else ()
                with pytest.raises(pc.errors.OptionError, match="measured"):
                    getattr(value, name)(*needed, measured="sensitivity")
