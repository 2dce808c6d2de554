"""Data sets, and the simulations of some."""

import numpy as np
import pandas as pd
import pytest
import simulate

import protoclass as pc


@pytest.mark.parametrize(
    ("name", "shape", "response", "counts"),
    [
        ("iris", (150, 5), "species", {"setosa": 50, "versicolor": 50, "virginica": 50}),
        ("wine", (178, 14), "cultivar", {"cultivar 1": 59, "cultivar 2": 71, "cultivar 3": 48}),
        ("breast_cancer", (569, 31), "diagnosis", {"benign": 357, "malignant": 212}),
        (
            "digits",
            (1797, 65),
            "digit",
            dict(zip(range(10), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180], strict=True)),
        ),
    ],
)
def test_sets_of_the_package(name, shape, response, counts):
    data = pc.load_data(name)
    assert data.shape == shape
    assert data[response].value_counts(sort=False).to_dict() == counts
    assert not data.isna().any(axis=None)


@pytest.mark.parametrize(("name", "simulated"), [
    ("clinic", simulate.clinic), ("infection", lambda: simulate.infection(2000, seed=1)), ("mixture", simulate.mixture),
])  # fmt: skip
def test_simulated_sets_are_what_the_script_simulates(name, simulated):
    pd.testing.assert_frame_equal(pc.load_data(name), simulated(), rtol=1e-14)


def test_iris_is_that_of_r(iris):
    """R's iris: row 35 is 4.9 3.1 1.5 0.2, which UCI's file has otherwise."""
    assert iris.iloc[34, :4].tolist() == [4.9, 3.1, 1.5, 0.2]


def test_unknown_names():
    with pytest.raises(pc.errors.OptionError, match="the package has no data set 'titanic': use 'iris',"):
        pc.load_data("titanic")
    with pytest.raises(pc.errors.OptionError, match="'pima'"):
        pc.fetch_data("titanic")


def test_fetching_without_folder_or_network(monkeypatch, tmp_path):
    monkeypatch.setenv("PROTOCLASS_DATA", str(tmp_path))
    with pytest.raises(pc.errors.FileError, match=r"no file is named .*pima_diabetes.csv"):
        pc.fetch_data("pima")

@pytest.mark.parametrize("name", ["pima", "glass", "heart", "liver", "vowel", "haberman", "votes", "credit", "usps"])
def test_fetched_sets(papers_data, name):
    rows = {
        "pima": 768,
        "glass": 214,
        "heart": 270,
        "liver": 345,
        "vowel": 990,
        "haberman": 306,
        "votes": 435,
        "credit": 690,
        "usps": 9298,
    }
    data = pc.fetch_data(name)
    assert len(data) == rows[name]
    assert data.iloc[:, -1].dtype == "category"


def test_mixture_is_that_of_the_papers_appendix():
    """Within a component the variance is 1/5 in each direction; components have variance 1 around their centre."""
    data = simulate.mixture(60_000, seed=4)
    means = np.array(data.attrs["means"])
    assert means.shape == (3, 10, 2)
    X = data[["x1", "x2"]].to_numpy()
    k = data["class"].cat.codes.to_numpy()
    apart = ((X[:, None, :] - means[k]) ** 2).sum(axis=2)
    scatter = X.reshape(3, -1, 2).var(axis=1).sum(axis=1) - means.var(axis=1).sum(axis=1)
    assert scatter == pytest.approx(np.full(3, 2 / 5), abs=0.05)
    assert apart.min(axis=1).mean() < 2 / 5
    centers = np.array([np.array(simulate.mixture(3, seed=s).attrs["means"]).mean(axis=1) for s in range(300)])
    assert centers.std() == pytest.approx(np.sqrt(16 + 0.1), rel=0.05)
    assert simulate.mixture(seed=2).equals(simulate.mixture(seed=2))


def test_clinic_is_mixed_and_seeded():
    data = simulate.clinic(400, missing=0.1, seed=1)
    assert data.equals(simulate.clinic(400, missing=0.1, seed=1))
    assert data.drop(columns="outcome").isna().mean().mean() == pytest.approx(0.1, abs=0.02)
    assert data["severity"].cat.ordered


def test_infection_has_a_rare_class_and_differs_in_prevalence_alone():
    data = simulate.infection(20_000, seed=1)
    assert data.equals(simulate.infection(20_000, seed=1))
    assert (data["outcome"] == "ill").mean() == pytest.approx(0.06, abs=0.006)
    assert data[["crp", "lactate"]].isna().mean().to_numpy() == pytest.approx([0.03, 0.03], abs=0.006)
    assert data["consciousness"].cat.ordered
    assert data["smoker"].dtype == bool
    many = simulate.infection(20_000, ill=0.5, seed=2)
    for level, mean in (("well", 0.2), ("ill", 0.9)):
        for table in (data, many):
            own = table[table["outcome"] == level]
            assert np.log(own["lactate"]).mean() == pytest.approx(mean, abs=0.04)
