"""The share of each variable in the separation of the prototypes, and the linear score of two."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import simulate
from matplotlib.colors import to_hex

import protoclass as pc
from protoclass.pictures.style import colour


@pytest.fixture(scope="module")
def clinic():
    data = simulate.clinic(200).dropna()
    data = data[data["outcome"] != "referred"]
    return data.assign(outcome=data["outcome"].astype(str), size=np.linspace(0, 9e-9, len(data)), still=3.0)


@pytest.fixture(scope="module")
def cancer():
    return pc.fit("diagnosis ~ .", pc.load_data("breast_cancer"), "medianglvq", K=1, matrix="diagonal", ridge=0.01)


def predicted(fit, table, design):
    """The classes by the linear score."""
    (other,) = [c for c in fit.classes if c != table.attrs["class"]]
    return np.where(design[table.index] @ table["coefficient"] > table.attrs["cut"], table.attrs["class"], other)


def test_the_score_of_two_prototypes_is_the_fit(cancer):
    """Each prediction; shares and coefficients by the formula of the weights."""
    table, data = cancer.separation(), pc.load_data("breast_cancer")
    assert (predicted(cancer, table, data) == cancer.predict()).all()
    weights = cancer.dissimilarity.metric.column_weights
    a, b = (cancer.prototypes.set_index("class").loc[c, weights.index].astype(float) for c in (table.attrs["class"], "benign"))
    terms = weights["weight"] * (a - b) ** 2 / weights["scale"] ** 2
    assert table["share"].to_dict() == pytest.approx((terms / terms.sum()).to_dict())
    assert table["coefficient"].to_dict() == pytest.approx((2 * weights["weight"] * (a - b) / weights["scale"] ** 2).to_dict())
    assert table["higher"].astype(object).to_dict() == {c: "malignant" if a[c] > b[c] else "benign" for c in weights.index}
    assert table["share"].is_monotonic_decreasing


@pytest.mark.parametrize("formula", ["outcome ~ age + marker + ward + size + still", "outcome ~ log(age) * pulse + smoker"])
@pytest.mark.parametrize(("method", "options"), [
    ("medianglvq", {"matrix": "diagonal", "ridge": 0.01}), ("medianglvq", {"matrix": "full", "ridge": 0.1}),
    ("medianglvq", {"matrix": "none"}),
    ("kmeans", {}), ("lvq", {}), ("kmedoids", {"dissimilarity": pc.Mahalanobis(ridge=0.1)}),
    ("kmeans", {"dissimilarity": pc.LDA(ridge=0.1)}),
])  # fmt: skip
def test_every_euclidean_fit_of_two_prototypes_is_a_linear_score(clinic, formula, method, options):
    fit = pc.fit(formula, clinic, method, K=1, **{"dissimilarity": "euclidean", **options})
    table = fit.separation()
    assert (predicted(fit, table, fit.frame.design) == fit.predict().astype(object)).all()
    assert table["share"].sum() == pytest.approx(1)
    assert ("weight" in table) == (fit.dissimilarity.metric.column_weights is not None)
    assert "Score" in str(fit)


def test_more_prototypes_have_the_mean_share_of_the_nearest_of_another_class(iris):
    fit = pc.fit("species ~ .", iris, "kmedoids", K=3, dissimilarity="manhattan")
    X = fit.prototypes[iris.columns[:4]].to_numpy(float) / iris.iloc[:, :4].std(ddof=1).to_numpy()
    classes, shares = fit.prototypes["class"].to_numpy(object), []
    for x, c in zip(X, classes, strict=True):
        terms = np.abs(X[classes != c] - x)
        terms = terms[terms.sum(axis=1).argmin()]
        shares.append(terms / terms.sum())
    table = fit.separation()
    assert table["share"].to_dict() == pytest.approx(dict(zip(iris.columns[:4], np.mean(shares, axis=0), strict=True)))
    assert table.attrs == {}
    assert "coefficient" not in table


def test_gowers_weights_times_differences(clinic):
    fit = pc.fit("outcome ~ age + marker + ward", clinic, "medianglvq", K=1, matrix="diagonal", ridge=0.01, dissimilarity="gower")
    table, (a, b) = fit.separation(), fit.prototypes[["age", "marker", "ward"]].to_dict("records")
    apart = {c: abs(a[c] - b[c]) / np.ptp(clinic[c]) for c in ("age", "marker")} | {"ward": float(a["ward"] != b["ward"])}
    terms = pd.Series(apart) * fit.dissimilarity.metric.column_weights["weight"]
    assert table["share"].to_dict() == pytest.approx((terms / terms.sum()).to_dict())
    assert table["higher"].isna().to_dict()["ward"]
    assert "coefficient" not in table


def test_a_slim_fit_has_the_same(cancer):
    assert cancer.slim().separation().equals(cancer.separation())


@pytest.mark.parametrize(("call", "reason"), [
    ({"method": "knn", "k": 3}, "does not predict the class of the nearest prototype by the metric: use importance"),
    ({"eps": 1.0, "dissimilarity": pc.QDA()}, "QDA dissimilarities depend on the class of the prototype: use why"),
    ({"method": "kmedoids", "K": 1, "dissimilarity": "cosine"}, "Cosine dissimilarities are not a sum over variables"),
])  # fmt: skip
def test_where_there_is_none(iris, call, reason):
    fit = pc.fit("species ~ .", iris, **call)
    with pytest.raises(pc.NotAvailable, match=reason):
        fit.separation()
    assert "Separation" not in str(fit)


def test_a_fit_of_two_prototypes_prints_where_distances_depend_on_the_class(iris):
    two = iris[50:].assign(species=lambda d: d["species"].astype(str))
    fit = pc.fit("species ~ .", two, "kmedoids", K=1, dissimilarity=pc.QDA())
    assert len(fit.prototypes) == 2
    assert "Separation" not in str(fit)


def test_summary_card_and_plot_show_it(cancer):
    table = cancer.separation()
    first = f"{100 * table['share'].iloc[0]:.0f} %"
    assert re.search(rf"^Separation +higher in malignant: worst_radius {re.escape(first)}, ", str(cancer), re.M)
    assert "malignant if the sum of coefficient times variable > 168.603" in str(cancer)
    assert "Separation of the prototypes (the first 20 of 30 variables)" in str(cancer.summary())
    assert f"| Separation | higher in malignant: worst_radius {first}, " in cancer.card().markdown.replace("\\_", "_")
    ax = cancer.plot("weights")
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(table["share"].head(20).tolist())
    assert ax.get_yticklabels()[0].get_text() == f"worst_radius (weight {table['weight'].iloc[0]:.3g})"
    sides = table["higher"].cat.codes.head(20)
    assert [to_hex(bar.get_facecolor()) for bar in ax.patches] == [colour(k).lower() for k in sides]


def test_the_printed_score_classifies_pima_as_the_fit(papers_data):
    """The 532 complete rows; the numbers in the text alone, with six digits."""
    data = pd.read_csv(Path(papers_data) / "pima_diabetes.csv").drop(columns="insulin")
    data = data[(data[["glucose", "pressure", "triceps", "mass"]] > 0).all(axis=1)]
    fit = pc.fit("diabetes ~ .", data, "medianglvq", K=1, matrix="diagonal", ridge=0.01)
    table = fit.separation()
    assert len(data) == 532
    assert table.index[0] == "glucose" != table["weight"].idxmax()
    assert table["share"].iloc[0] > 0.6
    assert (predicted(fit, table, data) == fit.predict()).all()
    said = re.search(r"Score +pos if (.*) > (\S+)", str(fit))
    terms = re.findall(r"([+-]?) ?(\d[\d.e-]*) (\w+)", said[1])
    score = sum(float(f"{sign}{value}") * data[name] for sign, value, name in terms)
    assert len(terms) == 7
    assert (np.where(score > float(said[2]), "pos", "neg") == fit.predict()).all()
