"""`Fit.sql`: databases give the classes that `predict` gives."""

import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest

import protoclass as pc
from protoclass.frames.sql_columns import number

NASTY = ["it's", 'a"b', "x'); DROP TABLE new_rows; --", "back\\", "`tick`", "ä☃\n", "%s {0} $1 ?", "--", "/*", ""]
STUMPS = {"features": "stumps", "kind": "conjunction", "penalty": 1.0, "max_size": None}


def by_duckdb(query, table, name="new_rows"):
    con = duckdb.connect()
    con.execute("SET threads = 1")
    con.register("given", table)
    con.execute(f'CREATE TABLE "{name}" AS SELECT * FROM given')
    out = con.execute(query).df()
    assert con.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone() == (len(table),)
    return out


def by_sqlite(query, table, name="new_rows"):
    con = sqlite3.connect(":memory:")
    columns = ", ".join('"' + c.replace('"', '""') + '"' for c in table)
    con.execute(f'CREATE TABLE "{name}" ({columns})')
    cells = [[None if pd.isna(v) else v for v in row] for row in table.astype(object).to_numpy().tolist()]
    con.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(table.columns))})', cells)
    out = pd.read_sql(query, con)
    assert con.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone() == (len(table),)
    return out


ENGINES = {"duckdb": by_duckdb, "sqlite": by_sqlite}


def differ(fit, new, *engines):
    """Engines and positions at which the classes differ."""
    want, out = fit.predict(new).astype(object), []
    for engine in engines or ENGINES:
        found = ENGINES[engine](fit.sql(), new)
        assert list(found.columns[:-1]) == list(new.columns)
        both = zip(found["predicted"].astype(object), want, strict=True)
        out += [(engine, i) for i, (a, b) in enumerate(both) if not ((pd.isna(a) and pd.isna(b)) or str(a) == str(b))]
    return out


def mixed(n=150, seed=1):
    rng = np.random.default_rng(seed)
    t = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 4, n),
            "flag": rng.random(n) < 0.5,
            "g": rng.choice(["u", "v", "it's"], n),
            'na me"q': rng.gamma(2, size=n),
            "o": pd.Categorical(rng.choice(["lo", "mid", "hi"], n), ["lo", "mid", "hi"], ordered=True),
        }
    )
    t["y"] = np.where(t.a + t.flag + (t.g == "u") + rng.normal(size=n) * 0.5 > 0.7, "yes", "no")
    return t


@pytest.fixture(scope="module")
def iris():
    return pc.load_data("iris")


METHODS = [
    ("pvm", {"eps": 1.0}), ("knn", {"k": 1}), ("knn", {"k": 6}),
    ("kmedoids", {"K": 2}), ("kmeans", {"K": 3}), ("lvq", {"K": 3}), ("condensed", {}), ("multiedit", {}),
    ("mmd", {"K": 2}), ("scm", STUMPS), ("scm", {**STUMPS, "kind": "disjunction"}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "parameters"), METHODS, ids=lambda v: v if isinstance(v, str) else "")
def test_methods_on_iris(iris, method, parameters):
    fit = pc.fit("species ~ .", iris, method, cv=None, progress=False, **parameters)
    assert not differ(fit, iris)


METRICS = ["manhattan", pc.Minkowski(3), pc.Minkowski(1.5, column_weights={"sepal_width": 2}), "gower", "hamming",
           "zero_one", pc.Euclidean(scale="fold", column_weights={"petal_width": 0.3}), pc.LDA()]  # fmt: skip


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_metrics_on_iris(iris, metric):
    new = iris.iloc[::3]
    for method, parameters in (("condensed", {}), ("knn", {"k": 3})):
        fit = pc.fit("species ~ .", iris, method, dissimilarity=metric, cv=None, **parameters)
        assert not differ(fit, new)


FORMULAS = ["y ~ .", "y ~ C(b) + o + a + g"]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("engine", ENGINES)
def test_mixed_data_and_formulas(formula, engine):
    t = mixed()
    for metric in ("manhattan", pc.Euclidean()) if formula != FORMULAS[0] else ("gower", "hamming", "euclidean"):
        fit = pc.fit(formula, t, "condensed", dissimilarity=metric, cv=None)
        assert not differ(fit, t, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_missing_values_that_are_kept(engine):
    t, rng = mixed(), np.random.default_rng(2)
    t["flag"], t["b"] = t["flag"].astype("boolean"), t["b"].astype(float)
    for name in t.columns[:-1]:
        t.loc[rng.random(len(t)) < 0.2, name] = None
    t = t[t.drop(columns="y").notna().sum(axis=1) >= 5]  # so that any two rows have something in common
    for method, parameters in (("knn", {"k": 3}), ("kmedoids", {"K": 4})):
        fit = pc.fit("y ~ .", t, method, dissimilarity="gower", na="keep", **parameters)
        assert fit.frame.columns.isna().to_numpy().any()
        assert not differ(fit, t, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("method", "parameters"), [("condensed", {}), ("knn", {"k": 3}), ("scm", STUMPS)])
def test_rows_with_missing_predictors_have_no_class(method, parameters, engine):
    t = mixed()
    terms = "a + b + g + flag"
    fit = pc.fit(f"y ~ {terms}", t, method, dissimilarity="euclidean", cv=None, **parameters)
    new = t.head(8).astype({"flag": "boolean", "b": float})
    new.loc[1, "a"] = new.loc[2, "b"] = new.loc[3, "g"] = new.loc[4, "flag"] = None
    assert fit.predict(new).isna().tolist() == [False, True, True, True, True, False, False, False]
    assert not differ(fit, new, engine)


def test_what_predict_refuses_has_no_class():
    t = mixed()
    fit = pc.fit("y ~ a + g + b", t, "condensed", dissimilarity="euclidean")
    new = t.head(6).astype({"b": float})
    new.loc[1, "a"], new.loc[2, "g"], new.loc[3, "b"], new.loc[4, "a"] = np.inf, "new", np.nan, 1e200
    for engine in ENGINES:
        found = ENGINES[engine](fit.sql(), new)["predicted"]
        assert found.isna().tolist() == [False, True, True, True, True, False]
    con = duckdb.connect()
    con.execute("CREATE TABLE new_rows AS SELECT 'NaN'::DOUBLE AS a, 'u' AS g, 1.0 AS b")
    assert con.execute(fit.sql()).fetchone()[-1] is None
    text = t.head(1).astype({"a": object})
    text.loc[0, "a"] = "0.5"
    assert by_sqlite(fit.sql(), text)["predicted"].isna().all()  # SQLite would take a text for 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "metric", ["gower", "hamming", "zero_one", "euclidean", pc.Gower(asymmetric=["flag"], column_weights={"o": 0.3})], ids=str
)
def test_new_levels_are_what_they_are_in_predict(engine, metric):
    t = mixed()
    new = t.head(12).astype({"flag": object, "o": object})
    new.loc[1, "g"], new.loc[2, "o"], new.loc[[3, 4], ["g", "o"]] = "new", "none", ["new", "none"]
    new = new.astype({"flag": int})
    new.loc[[5, 6], "flag"] = 2
    new.loc[6, "g"] = "new"
    for method, parameters in (("condensed", {}), ("knn", {"k": 3})):
        fit = pc.fit("y ~ .", t, method, dissimilarity=metric, cv=None, **parameters)
        with pytest.warns(pc.DataWarning, match="'g' has levels that the training data"):
            assert not differ(fit, new, engine)
        with pytest.warns(pc.DataWarning):
            assert fit.predict(new).isna().any() == (metric == "euclidean")


def test_the_column_of_classes_has_a_name_of_its_own(iris):
    data = iris.assign(Predicted="old")
    fit = pc.fit("species ~ petal_width + petal_length", data, "knn", k=1)
    found = by_duckdb(fit.sql(), data)
    assert found.columns.tolist() == [*data, "predicted_"]
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    for table in (polars.from_pandas(data), pyarrow.Table.from_pandas(data)):
        assert pc.fit("species ~ petal_width", table, "knn", k=1).sql().endswith('END AS predicted_\nFROM "new_rows" AS t')


def test_a_slim_fit_gives_the_same_query(iris):
    for method, parameters in (("pvm", {"eps": 1.0}), ("scm", STUMPS), ("knn", {"k": 1, "dissimilarity": "gower"})):
        fit = pc.fit("species ~ .", iris, method, cv=None, **parameters)
        assert fit.slim().sql() == fit.sql()


def test_ties_go_to_the_first_class_then_the_first_row():
    t = pd.DataFrame({"a": [0, 2, 4, 2], "b": [1, 1, 1, 3], "y": pd.Categorical([*"zyxx"], [*"zxy"])})
    new = pd.DataFrame({"a": [1, 3, 2, 2], "b": [1, 1, 2, 1]})
    for metric in (pc.Euclidean(scale=False), pc.Manhattan(scale=False), "hamming"):
        for k in (1, 3):
            fit = pc.fit("y ~ .", t, "knn", k=k, dissimilarity=metric)
            assert not differ(fit, new)
    fit = pc.fit("y ~ .", t, "condensed", dissimilarity=pc.Euclidean(scale=False))
    assert not differ(fit, new)
    weighed = pc.fit("y ~ .", t, "knn", k=3, dissimilarity=pc.Euclidean(scale=False), weights=np.array([1, 3, 1, 1]))
    assert not differ(weighed, new)


def test_a_rule_without_prototypes_gives_the_heaviest_class(iris):
    fit = pc.fit("species ~ .", iris.iloc[20:], eps=1.0, lambda_=1000.0)
    assert len(fit.rule.prototypes) == 0
    new = iris.iloc[:5].astype(float, errors="ignore").drop(columns="species")
    new.iloc[2, 0] = np.nan
    assert not differ(fit, new)


@pytest.mark.parametrize("engine", ENGINES)
def test_hostile_names_and_texts_are_quoted(engine):
    rng = np.random.default_rng(0)
    names = [n for n in NASTY if n and n != "`tick`"]  # formulas quote by backticks
    t = pd.DataFrame(rng.normal(size=(60, len(names))), columns=names)
    t["level"] = rng.choice(NASTY, 60)
    t["y"] = [NASTY[k % len(NASTY)] for k in range(60)]
    for metric, method, parameters in (("gower", "knn", {"k": 1}), ("euclidean", "kmeans", {"K": 1}), ("hamming", "knn", {"k": 1})):
        formula = "y ~ ." if metric != "euclidean" else "y ~ . - level"
        fit = pc.fit(formula, t, method, dissimilarity=metric, cv=None, **parameters)
        assert not differ(fit, t, engine)
    table = """new"; DROP TABLE x; --'"""
    found = ENGINES[engine](fit.sql(table), t, table.replace('"', '""'))
    assert len(found) == 60


def test_constants_are_read_back_to_the_last_bit():
    rng = np.random.default_rng(0)
    numbers = [0.1, 1 / 3, -5e-324, 1.7976931348623157e308, 2.0**70, -0.0, 12345678901234567890.0, 1e22, 3.0]
    numbers += (rng.normal(size=300) * 10.0 ** rng.integers(-40, 40, 300)).tolist()
    query = f"VALUES {', '.join(f'({number(x)})' for x in numbers)}"
    assert [float(x).hex() for (x,) in duckdb.connect().execute(query).fetchall()] == [float(x).hex() for x in numbers]
    near = [x for x in numbers if abs(x) > 1e-300]
    got = sqlite3.connect(":memory:").execute(f"VALUES {', '.join(f'({number(x)})' for x in near)}").fetchall()
    np.testing.assert_array_max_ulp(np.ravel(got), np.array(near), 1)  # SQLite may misread the last bit of a decimal


def test_what_is_not_written_says_what_is(iris):
    def written(*args, **options):
        return pc.fit("species ~ .", iris, *args, cv=None, **options).sql()

    for method, parameters in (("hyperplane", {}), ("scm", {**STUMPS, "features": "balls"})):
        with pytest.raises(pc.errors.NotAvailableError, match=r"can't be written in SQL.*: use rules of the nearest prototype"):
            written(method, **parameters)
    with pytest.raises(pc.errors.NotAvailableError, match="random order"):
        written("knn", k=3, ties="random")
    for metric in ("mahalanobis", pc.Adaptive()):
        with pytest.raises(pc.errors.OptionError, match="use Minkowski distances"):
            written("knn", k=1, dissimilarity=metric)
    with pytest.raises(
        pc.errors.OptionError, match=r"Chebyshev dissimilarities can't be written in SQL: use Minkowski distances of finite"
    ):
        written("knn", k=1, dissimilarity="chebyshev")
    for term in ("poly(sepal_width, 2)", "log(sepal_width)", "sepal_width:petal_width"):
        with pytest.raises(pc.errors.OptionError, match=r"term '.*' can't be written in SQL.*compute it as a column"):
            pc.fit(f"species ~ {term}", iris, "knn", k=1, dissimilarity="euclidean").sql()
    with pytest.raises(pc.errors.OptionError, match="single precision"):
        pc.fit("species ~ .", iris.astype(dict.fromkeys(iris.columns[:4], "float32")), "knn", k=1).sql()
    with pytest.raises(pc.errors.NotAvailableError, match=r"classifies rows by their columns, but .* has no predictors"):
        pc.fit("species ~ 1", iris, "knn", k=1, dissimilarity=np.abs(np.subtract.outer(np.arange(150), np.arange(150)))).sql()
    with pytest.raises(pc.errors.OptionError, match=r"table must be .*, not 3"):
        pc.fit("species ~ .", iris, "knn", k=1).sql(table=3)
    cased = pc.fit("species ~ a + A", iris.rename(columns={"sepal_width": "a", "petal_width": "A"}), "knn", k=1)
    with pytest.raises(pc.errors.OptionError, match="differ only in case"):
        cased.sql()
    dates = iris.assign(species=pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(150) // 50, "D"))
    with pytest.raises(pc.errors.OptionError, match=r"class .* is of type Timestamp"):
        pc.fit("species ~ .", dates, "knn", k=1).sql()


def test_a_rule_that_compares_in_its_own_way_is_not_written_by_its_base(iris):
    class Farther(pc.extend.Nearest):
        def distances(self, query):
            return super().distances(query) + np.arange(len(self.prototypes))

    fit = pc.fit("species ~ .", iris, "kmedoids", K=1)
    rule = fit.rule
    with pytest.raises(pc.errors.NotAvailableError, match="distances of its own"):
        replace(fit, rule=Farther(rule.prototypes, rule.classes, rule.fallback)).sql()


def test_a_metric_that_measures_in_its_own_way_is_not_written_by_its_base(iris):
    class Squared(pc.Manhattan):
        traits = pc.extend.Traits(symmetric=True)

        def train(self, frame):
            return TrainedSquared(**vars(super().train(frame)))

    class TrainedSquared(type(pc.dissimilarity("species ~ .", iris.head(9)).metric)):
        sql = None

        def between(self, rows, candidates):
            return super().between(rows, candidates) ** 2

    with pytest.raises(pc.errors.OptionError, match=r"Squared dissimilarities can't be written in.*: use Minkowski distances"):
        pc.fit("species ~ .", iris, "knn", k=1, dissimilarity=Squared()).sql()
