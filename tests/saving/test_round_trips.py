"""What was saved is loaded again: it predicts to the same bits, prints and draws the same, and can be fitted again."""

import datetime
import decimal
import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

import protoclass as pc

TRANSFORMS = (
    "species ~ scale(petal_width) + poly(sepal_length, 2) + bs(petal_length, 4) + ns(sepal_width, 3) + cr(petal_width, df=4) + "
    "cut(sepal_length, 3) + g:log(petal_width) + C(k) + 2:petal_width + I(petal_length * petal_width) + ifelse(petal_width > 1, 1, 0)"
)
NEW = pd.DataFrame(
    {"x": [0.2, 1.9, np.nan], "z": [1.0, 0.1, 1.0], "g": ["u", "v", "u"], "t": ["acgtt", "ttgca", "gatca"]}, ["n1", "n2", "n3"]
)


def again(value, folder):
    """A value that was saved and loaded."""
    return pc.load(value.save(folder / "value.proto", overwrite=True))


def same(a, b):
    """Whether two answers are the same, to the bit."""
    if isinstance(a, pd.DataFrame):
        pd.testing.assert_frame_equal(a, b, check_exact=True)
    elif isinstance(a, pd.Series):
        pd.testing.assert_series_equal(a, b, check_exact=True)
    else:
        assert a == b
    return True


def same_fit(fit, other, new):
    """Whether two fits say the same of new rows and of their own, and of themselves."""
    for kind in fit._kinds:
        same(fit.predict(new, kind), other.predict(new, kind))
    same(fit.prototypes, other.prototypes)
    same(fit.glance(), other.glance())
    assert repr(fit) == repr(other)
    assert fit.frame.index.equals(other.frame.index)
    return True


@pytest.fixture(scope="module")
def iris():
    return pc.load_data("iris")


@pytest.mark.parametrize("method", ["pvm", "knn", "scm", "lvq", "mixture", "dann"])  # the contracts save them all
def test_methods(method, iris, tmp_path):
    fit = pc.fit("species ~ .", iris.iloc[::3], method, cv=2, seed=1)
    other, slim, new = again(fit, tmp_path), again(fit.slim(), tmp_path), iris.sample(30, random_state=0)
    assert same_fit(fit, other, new)
    for kind in fit._kinds:
        same(fit.predict(new, kind), slim.predict(new, kind))
    same(fit.prototypes, slim.prototypes)
    assert repr(slim).splitlines()[0] == repr(fit).splitlines()[0]
    assert slim.nobs == 50
    if fit._curve is not None:
        same(fit.validation.table, other.validation.table)
        same(fit.validation.held_out, other.validation.held_out)


@pytest.fixture(scope="module")
def table():
    """Numbers, categories, booleans and texts, with labels that are texts."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 20)
    text = ["".join(rng.choice(list("acgt" if one == "a" else "ggct"), 9)) for one in y]
    return pd.DataFrame(
        {"x": rng.random(40) + (y == "b"), "z": rng.random(40), "g": rng.choice(["u", "v"], 40), "t": text, "y": y},
        [f"r{i}" for i in range(40)],
    )


METRICS = {
    "euclidean": ("x + z", "euclidean"), "weighted": ("x + z", pc.Minkowski(3, column_weights={"x": 2})),
    "gower": ("x + z + g", pc.Gower(column_weights={"x": 2})), "ranks": ("x + z", pc.Ranks("manhattan")),
    "qda": ("x + z", pc.QDA()), "local": ("x + z", pc.Relevance(matrix="full", local=True)),
    "mismatch": ("t", pc.Mismatch(k=2, m=1)),
    "forest": ("x + z + g", pc.Forest(trees=20)), "mixed": ("x + z + g", pc.Mixed([(["x", "z"], "euclidean"), ("g", "gower")])),
}  # fmt: skip


@pytest.mark.parametrize("name", list(METRICS))
def test_metrics(name, table, tmp_path):
    right, metric = METRICS[name]
    fit = pc.fit(f"y ~ {right}", table, "knn", k=3, dissimilarity=metric)
    assert same_fit(fit, again(fit, tmp_path), NEW)
    slim = again(fit.slim(), tmp_path)
    for kind in fit._kinds:
        same(fit.predict(NEW, kind), slim.predict(NEW, kind))
    same(fit.dissimilarity.frame(), again(fit.dissimilarity, tmp_path).frame())


def test_transforms_keep_what_they_have_learned(iris, tmp_path):
    data = iris.assign(g=np.where(iris["petal_width"] > 1, "a", "b"), k=(iris["petal_width"] > 1) * 3)
    fit = pc.fit(TRANSFORMS, data, "knn", k=5, dissimilarity="euclidean")
    new = data[data["sepal_length"] > 5.5].assign(sepal_width=3.0).iloc[::7]  # another range than in fit
    other = again(fit, tmp_path)
    same(fit.frame.again(new)[0].design, other.frame.again(new)[0].design)
    assert same_fit(fit, other, new)
    assert same_fit(fit.update(k=3), other.update(k=3), new)
    assert again(fit.slim(), tmp_path).predict(new, "distance").equals(fit.predict(new, "distance"))


ARGUMENTS = {
    "exact": {"solver": "exact", "eps": 1.2}, "certified": {"certify": True, "eps": 1.2},
    "stumps": {"method": "scm", "features": "balls+stumps", "cv": None, "penalty": 1.0, "kind": "conjunction", "max_size": None},
    "bound": {"method": "scm", "choose": "bound", "cv": 2, "penalty": [0.5, 1.0], "kind": "conjunction", "max_size": None},
    "two parameters": {"eps": [0.8, 1.2], "lambda_": [0.5, 2.0], "cv": 3, "repeats": 2}, "unlabelled": {"eps": 1.0, "candidates": "U"},
    "kmeans": {"eps": 1.0, "candidates": pc.candidates.kmeans(5), "cv": 3}, "weights": {"eps": 1.0, "weights": np.arange(150.0) + 1},
    "groups": {"groups": np.arange(150) // 5, "cv": 5, "eps": [0.8, 1.2]},
    "object": {"method": pc.PVM(eps=pc.extend.quantiles(4)), "cv": 3},
    "isotonic": {"eps": 1.0, "calibrate": {"method": "isotonic", "cv": 3}},
    "calibrated": {"method": "knn", "k": 5, "calibrate": True},
}  # fmt: skip


@pytest.mark.parametrize("name", list(ARGUMENTS))
def test_arguments(name, iris, tmp_path):
    given = dict(ARGUMENTS[name])
    if given.get("candidates") == "U":
        more = iris.iloc[::10].drop(columns="species").add(0.05).set_axis([f"u{k}" for k in range(15)])
        given["candidates"] = pc.candidates.unlabelled(more)
    fit = pc.fit("species ~ .", iris, **given)
    other, new = again(fit, tmp_path), iris.iloc[::4]
    assert same_fit(fit, other, new)
    assert str(fit.summary()) == str(other.summary())
    slim = again(fit.slim(), tmp_path)
    for kind in fit._kinds:
        same(fit.predict(new, kind), slim.predict(new, kind))
    assert repr(slim.call) == repr(fit.call)


def test_a_given_matrix(tmp_path):
    iris = pc.load_data("iris").iloc[::3]
    D = pc.dissimilarity("species ~ .", iris, "manhattan").frame()
    fit = pc.fit("species ~ 1", iris, eps=1.5, dissimilarity=D)
    new = D.iloc[:4]
    assert same_fit(fit, again(fit, tmp_path), new)
    slim = again(fit.slim(), tmp_path)
    same(fit.predict(new, "distance"), slim.predict(new[list(slim.prototypes.index)], "distance"))
    assert slim.dissimilarity.metric.values.size == 0
    by_loaded = pc.fit("species ~ 1", iris, eps=1.5, dissimilarity=again(fit.dissimilarity, tmp_path))
    same(fit.predict(new, "distance"), by_loaded.predict(new, "distance"))


def test_what_follows_from_a_fit(iris, tmp_path):
    fit = pc.fit("species ~ .", iris, dissimilarity="euclidean", repeats=1)
    other = again(fit, tmp_path)
    same(fit.path(), other.path())
    same(fit.augment(), other.augment())
    same(fit.tidy(), other.tidy())
    assert repr(fit.at(size=5)) == repr(again(other.at(size=5), tmp_path))
    same(fit.update(eps=2).prototypes, other.update(eps=2).prototypes)
    same(fit.calibrate().predict(iris, "set"), again(other.calibrate(), tmp_path).predict(iris, "set"))
    same(fit.test(iris).confusion, other.test(iris).confusion)
    assert str(fit.summary()) == str(other.summary())
    for kind in ("prototypes", "validation", "confusion"):
        a, b = (one.plot(kind).collections for one in (fit, other))
        assert all(np.array_equal(x.get_offsets(), y.get_offsets()) for x, y in zip(a, b, strict=True))
    assert again(fit.validation, tmp_path).fit.prototypes.equals(fit.prototypes)
    assert fit.validation.corrected() == other.validation.corrected()
    same(fit.validation.band(), other.validation.band())


def test_a_comparison(iris, tmp_path):
    c = pc.compare("species ~ .", iris.iloc[::2], [pc.PVM(eps=[0.8, 1.2]), pc.KNN(k=3)], cv=3, calibrate=True)
    other = again(c, tmp_path)
    assert repr(c) == repr(other)
    same(c.table, other.table)
    same(c.score_tests(), other.score_tests())
    same(c.results, other.results)
    same(c.predictions, other.predictions)


def test_what_is_not_known_of_a_slim_fit(iris, tmp_path):
    fit = pc.fit("species ~ .", iris.assign(secret=1.0), eps=1.0, weights="secret", cv=3)
    slim = again(fit.slim(), tmp_path)
    reads_rows = {
        "predict": lambda: slim.predict(), "augment": lambda: slim.augment(), "summary": lambda: slim.summary(),
        "path": lambda: slim.path(), "plot": lambda: slim.plot(), "glance": lambda: slim.glance(),
        "ball": lambda: slim.why(prototype=slim.prototypes.index[0]),
        "calibrate": lambda: slim.calibrate(), "explore": lambda: slim.explore(), "alternatives": lambda: slim.alternatives(),
    }  # fmt: skip
    for name, do in reads_rows.items():
        with pytest.raises(pc.errors.NotAvailableError, match=r"this slim fit has no training rows: use the full fit"):
            print(name, do())
    with pytest.raises(pc.errors.NotAvailableError, match=r"'data' of its call: use data="):
        slim.update(eps=2)
    assert slim.update(data=iris.assign(secret=2.0), eps=2.0).nobs == 150
    assert slim.slim() is slim
    assert len(slim.tidy()) == len(fit.prototypes)
    assert slim.test(iris.assign(secret=1.0)).error == fit.test(iris.assign(secret=1.0)).error


def test_slim_leaves_no_row_behind(tmp_path):
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"x": rng.random(60), "y": np.repeat(["a", "b"], 30)}, [f"person {i:02}" for i in range(60)])
    data.loc[data["y"] == "b", "x"] += 2
    fit = pc.fit("y ~ x", data, eps=1.0, calibrate=True)
    slim = fit.slim()
    path = slim.save(tmp_path / "slim.proto").path
    rules = {n for one in (slim, *slim._calibration.rules) for n in one.dissimilarity.candidate_names}
    held = set(find_texts(path))
    assert {n for n in data.index if n in held} == rules
    assert len(rules) < 25


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, polars.Series])
def test_slim_has_no_groups_of_rows(iris, kind, tmp_path):
    """Lists, tuples and Series of other libraries stayed in the call."""
    groups = kind([f"person {i // 3}" for i in range(150)])
    slim = pc.fit("species ~ .", iris, eps=1.0, dissimilarity="euclidean", groups=groups).slim()
    assert not [text for text in find_texts(slim.save(tmp_path / "slim.proto").path) if "person" in text]


def find_texts(path):
    """All texts of a file."""
    import json
    import zipfile

    def walk(value):
        if isinstance(value, str):
            yield value
        for inner in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
            yield from walk(inner)

    with zipfile.ZipFile(path) as archive:
        return list(walk(json.loads(archive.read("content.json"))))


LABELS = {
    "mixed": ["a", 1, 2.5, None, datetime.date(2020, 1, 1), False],
    "pairs": [("a", k) for k in range(6)], "spans": pd.interval_range(0, 6),
    "zones": pd.date_range("2024-03-30", periods=6, tz="Europe/Berlin"), "quarters": pd.period_range("2024", periods=6, freq="Q-MAR"),
    "levels": pd.MultiIndex.from_product([["u", "v"], [1, 2, 3]], names=["one", None]), "hours": pd.to_timedelta(range(6), "h"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(LABELS))
def test_labels(name, tmp_path):
    data = pd.DataFrame({"x": [0.0, 0.1, 0.2, 5.0, 5.1, 5.2], "y": list("aaabbb")}, LABELS[name])
    fit = pc.fit("y ~ x", data, eps=1.0)
    other = again(fit, tmp_path)
    one, two = fit.frame.index, other.frame.index
    assert one.equals(two)
    assert (type(one), one.dtype, list(one.names)) == (type(two), two.dtype, list(two.names))
    assert same_fit(fit, other, data)


COLUMNS = {
    "nullable": pd.array([1, 2, 3, 4, None, 6], "Int64"),
    "dates": pd.date_range("2020", periods=6, unit="s"),
    "categories": pd.Categorical(list("uuvvww"), list("wvu"), ordered=True), "spans": pd.cut([1, 2, 3, 4, 5, 6], 3),
    "single": np.arange(6, dtype=np.float32), "missing": [None, "a", None, "b", "c", "d"],
    "nullable floats": pd.array([1.5, None, 2, 3, 4, 5], "Float64"), "nullable booleans": pd.array([True, None] * 3, "boolean"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(COLUMNS))
def test_columns(name, tmp_path):
    data = pd.DataFrame({"x": [0.0, 0.1, 0.2, 5.0, 5.1, 5.2], "y": list("aaabbb"), "other": COLUMNS[name]})
    fit = pc.fit("y ~ x", data, eps=1.0)
    same(again(fit, tmp_path).call.data, data)


CLASSES = [[1, 2], [True, False], ["a", 'b"\n<é'], pd.cut([1, 5], 2), pd.Categorical(["x", "y"], ["y", "x", "z"])]


@pytest.mark.parametrize("classes", CLASSES)
def test_classes(classes, tmp_path):
    data = pd.DataFrame({"x": [0.0, 5.0] * 5, "y": pd.Series(list(classes) * 5)})
    data["y"] = data["y"].astype(classes.dtype) if hasattr(classes, "dtype") else data["y"]
    fit = pc.fit("y ~ x", data, eps=1.0)
    assert same_fit(fit, again(fit, tmp_path), data)


def test_rows_left_out_and_missing_values_that_are_kept(tmp_path):
    data = pd.DataFrame({"x": [0.0, None, 0.2, 5.0, 5.1, 5.2], "g": list("uuuvv") + [None], "z": 1.0, "y": list("aaabbb")})
    for na in ("drop", "keep"):
        fit = pc.fit("y ~ x + g + z", data, eps=0.3, dissimilarity="gower", na=na)
        other = again(fit, tmp_path)
        assert same_fit(fit, other, data)
        assert list(other.dropped) == list(fit.dropped)


def test_tables_of_other_libraries(iris, tmp_path):
    table = polars.from_dict({name: iris[name].tolist() for name in iris})
    fit = pc.fit("species ~ .", table, eps=1.0)
    other = again(fit, tmp_path)
    assert other.call.data.equals(table)
    assert other.predict(table[::9]).equals(fit.predict(table[::9]))
    assert other.update(eps=2.0).prototypes.equals(fit.update(eps=2.0).prototypes)


def test_the_same_fit_gives_the_same_bytes_in_another_process(tmp_path, iris):
    code = (
        "import sys, protoclass as pc\nd = pc.load_data('iris')\n"
        "pc.fit('species ~ scale(petal_width) + poly(sepal_length, 2) + bs(petal_length, 4)', d, 'knn', k=3).save(sys.argv[1])"
    )
    for seed in ("1", "2"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / seed)], check=True, env={**os.environ, "PYTHONHASHSEED": seed})
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    new = iris.iloc[::7]
    here = pc.fit("species ~ scale(petal_width) + poly(sepal_length, 2) + bs(petal_length, 4)", iris, "knn", k=3)
    same(pc.load(tmp_path / "1").predict(new, "prob"), here.predict(new, "prob"))


def test_a_fit_is_loaded_and_predicts_without_slow_packages(iris, tmp_path):
    path = pc.fit("species ~ .", iris, eps=1.0).slim().save(tmp_path / "slim.proto").path
    code = (
        "import sys, protoclass as pc\n"
        f"pc.load({str(path)!r}).predict(pc.load_data('iris'))\n"
        "print(*{m.split('.')[0] for m in sys.modules})"
    )
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "scipy", "statsmodels", "matplotlib", "sklearn"} & set(imported)


# methods and metrics of one's own


@pc.extend.savable(spread="p")
@dataclass(frozen=True)
class TrainedSpan(pc.extend.TrainedMetric):
    spread: np.ndarray

    def rows(self, frame):
        return (np.ascontiguousarray(frame.design.to_numpy(float) / self.spread),)

    def between(self, rows, candidates):
        return np.abs(rows[0][:, None] - candidates[0][None]).max(axis=2)


@dataclass(frozen=True)
class Span(pc.Metric):
    def train(self, frame):
        return TrainedSpan(self, np.ptp(frame.design.to_numpy(float), axis=0))


def test_a_metric_of_ones_own(iris, tmp_path, monkeypatch):
    fit = pc.fit("species ~ .", iris, eps=0.3, dissimilarity=Span())
    with pytest.raises(pc.errors.OptionError, match=r"can't be saved: register its class"):
        fit.save(tmp_path / "span.proto")
    assert not list(tmp_path.iterdir())
    from protoclass.metrics import registry

    monkeypatch.setitem(registry.METRICS, "span", Span)
    assert same_fit(fit, again(fit, tmp_path), iris)
    monkeypatch.delitem(registry.METRICS, "span")
    with pytest.raises(
        pc.errors.NotAvailableError, match=r"'metric span of .*Span', which is not known: before pc.load, import the module"
    ):
        pc.load(tmp_path / "value.proto")


def test_functions_are_refused(tmp_path):
    data = pd.DataFrame({"x": [0.0, 0.1, 5.0, 5.1], "y": list("aabb")})
    fit = pc.fit("y ~ x", data, eps=1.0, dissimilarity=lambda a, b: abs(a.x - b.x))
    with pytest.raises(
        pc.errors.OptionError, match=r"write the metric as a class with pc.register and @pc.extend.savable, because files do not"
    ):
        fit.save(tmp_path / "f.proto")
    assert not list(tmp_path.iterdir())


def test_a_column_that_no_file_can_hold_is_named_with_the_cure(tmp_path):
    data = pd.DataFrame({"x": [0.0, 5.0], "y": list("ab"), "o": [object(), object()]})
    fit = pc.fit("y ~ x", data, eps=1.0)
    with pytest.raises(pc.errors.OptionError, match=r"^the column 'o' of 'data' of Call is .*, which can't be saved: "):
        fit.save(tmp_path / "f.proto")
    assert not list(tmp_path.iterdir())
    assert pc.load(fit.slim().save(tmp_path / "f.proto")).predict(data).equals(fit.predict(data))


def test_savable_declares_dataclasses_only():
    with pytest.raises(pc.errors.OptionError, match="is not a dataclass"):
        pc.extend.savable(type("Plain", (), {}))
    with pytest.raises(pc.errors.OptionError, match="is already savable"):
        pc.extend.savable(dataclass(type("Nearest", (), {"__annotations__": {}})))
    with pytest.raises(pc.errors.OptionError, match="'b' is not a field"):
        pc.extend.savable(b="n")(dataclass(type("One", (), {"__annotations__": {"a": int}})))
    with pytest.raises(pc.errors.OptionError, match="takes a dataclass"):
        pc.extend.savable(5)


def unusual(n):
    """Columns with their types in the file."""
    days, whole = pd.date_range("2020", periods=n), pd.Series(range(n))
    return {
        "zone": (days.as_unit("us").tz_localize("Europe/Berlin"), "datetime64[us, Europe/Berlin]"),
        "period": (days.to_period("M"), "period[M]"), "decimal": ([decimal.Decimal(k) / 8 for k in range(n)], "object"),
        "sparse": (pd.arrays.SparseArray(np.arange(n) * 1.0), "float64"),
        "zone of Arrow": (pd.Series(days.tz_localize("UTC")).astype("timestamp[us, tz=UTC][pyarrow]"), "datetime64[us, UTC]"),
        "days of Arrow": (pd.Series(days).astype("timestamp[us][pyarrow]"), "datetime64[us]"),
        "whole": (whole.astype("int64[pyarrow]"), "Int64"), "texts": (whole.astype(str).astype("string[pyarrow]"), "string"),
    }  # fmt: skip


@pytest.mark.parametrize("name", unusual(2))
def test_an_unused_column_does_not_stop_a_file(name, tmp_path):
    column, kept = unusual(2)[name]
    data = pd.DataFrame({"x": [0.0, 5.0], "y": list("ab"), "extra": column})
    read = pc.load(pc.fit("y ~ x", data, eps=1.0).save(tmp_path / "fit.proto"))
    assert str(read.call.data["extra"].dtype) == kept
    assert read.call.data["extra"].tolist() == data["extra"].tolist()


def test_predictors_of_arrow_are_saved(iris, tmp_path):
    tenths = pd.Series([decimal.Decimal(str(v)) for v in iris["sepal_length"]], dtype=pd.ArrowDtype(pyarrow.decimal128(4, 1)))
    data = iris.convert_dtypes(dtype_backend="pyarrow").assign(sepal_length=tenths, sepal_width=pd.arrays.SparseArray(iris["sepal_width"]))
    fit = pc.fit("species ~ .", data, eps=1.0)
    assert pc.load(fit.save(tmp_path / "fit.proto")).predict(iris).equals(fit.predict(iris))
