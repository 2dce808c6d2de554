"""Data sets of the package, public data sets, and simulated data."""

from __future__ import annotations

import os
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pandas as pd

from ..ground.checks import MOST_SEED, either, is_number, whole_number
from ..ground.errors import DataError, FileError, OptionError, brief, cut, shown
from ..ground.files import UNREADABLE, read_csv
from ..values import public

FOLDERS = (files("protoclass") / "data", Path(__file__).resolve().parents[2] / "data")  # in the package, also in a zip; in a checkout

MOST_SIMULATED = 10**7  # rows: some gigabytes

# name: response, rows, predictors, classes, contents
SETS = {
    "iris": ("species", 150, 4, 3, "irises by four lengths in cm"),
    "wine": ("cultivar", 178, 13, 3, "wines by chemical analyses"),
    "breast_cancer": ("diagnosis", 569, 30, 2, "tumours by measures of cell nuclei"),
    "digits": ("digit", 1797, 64, 10, "handwritten digits of 8 x 8 pixels, 0 to 16"),
}

# name: file below PROTOCLASS_DATA, response, and the name and version at OpenML
FETCHED = {
    "pima": ("pima_diabetes.csv", "diabetes", "diabetes", 1),
    "glass": ("glass.csv", "type", "glass", 1),
    "heart": ("heart_statlog.csv", "heart_disease", "heart-statlog", 1),
    "liver": ("liver_bupa.csv", "selector", "liver-disorders", 1),
    "vowel": ("vowel.csv", "vowel", "vowel", 2),
    "haberman": ("haberman.csv", "survival_status", "haberman", 1),
    "votes": ("house_votes_84.csv", "party", "vote", 1),
    "credit": ("credit_crx.csv", "approved", "credit-approval", 1),
    "breast_cancer_original": ("breast_cancer_wisconsin.csv", "diagnosis", "breast-w", 1),
    "usps": ("usps_zip.npz", "digit", "USPS", 2),
}


@public
def load_data(name: str | None = None) -> pd.DataFrame:
    """Load a data set of the package; without a name, list the data sets.

    Parameters
    ----------
    name : "iris", "wine", "breast_cancer" or "digits", optional
        Name of the data set: 150 irises with four lengths in cm (`species`); 178 wines with 13 analyses (`cultivar`); 569 tumours with
        30 measurements of cell nuclei (`diagnosis`); 1797 digits of 8 x 8 pixels, 0 to 16 (`digit`). Sources and licences:
        data/README.md.

    Returns
    -------
    DataFrame
        The data, with the response as a categorical. The list has one row for each data set, by name: `response`, `rows`,
        `predictors`, `classes` and `contents`.

    Examples
    --------
    >>> load_data("iris").species.value_counts(sort=False).to_dict()
    {'setosa': 50, 'versicolor': 50, 'virginica': 50}
    >>> load_data()[["response", "rows"]].to_dict("index")["wine"]
    {'response': 'cultivar', 'rows': 178}
    """
    if name is None:
        names = pd.Index(list(SETS), name="name")
        return pd.DataFrame(list(SETS.values()), names, ["response", "rows", "predictors", "classes", "contents"])
    if not isinstance(name, str) or name not in SETS:
        cure = f"use pc.fetch_data({name!r}), which downloads it" if name in list(FETCHED) else f"use {either(SETS)}"
        raise OptionError(f"the package has no data set {name!r}: {cure}")
    for folder in FOLDERS:
        if (folder / f"{name}.csv").is_file():
            with as_file(folder / f"{name}.csv") as path:
                data = read_csv(path)
            response = SETS[name][0]
            data[response] = pd.Categorical(data[response])
            return data
    raise DataError(f"{name}.csv is missing from this installation of protoclass: reinstall it")


@public
def fetch_data(name: str) -> pd.DataFrame:
    """Fetch a public data set from the folder in the environment variable `PROTOCLASS_DATA`, or from OpenML.

    Parameters
    ----------
    name : str
        Name of the data set: "pima", "glass", "heart", "liver", "vowel", "haberman", "votes", "credit", "breast_cancer_original" or
        "usps". Some column names of OpenML differ from the folder.

    Returns
    -------
    DataFrame
        The data, with the response as a categorical in the last column. "usps" has `split` "train" or "test" and float32 pixels `p1`
        to `p256`.

    Raises
    ------
    DataError
        If neither the folder nor OpenML has the data set, or if the table is a different one.
    FileError
        If the file in the folder cannot be read.
    """
    if not isinstance(name, str) or name not in FETCHED:
        raise OptionError(f"there is no data set {name!r} to fetch: use {either(FETCHED)}")
    file, response, remote, version = FETCHED[name]
    folder = os.environ.get("PROTOCLASS_DATA", "").strip()  # set and empty is as good as not set
    if folder:
        path = Path(folder) / file
        if not os.path.exists(path):
            raise DataError(f"PROTOCLASS_DATA is {shown(folder)}, but {file} is not in it: unset it to fetch {name!r} from OpenML")
        data = _usps(path) if path.suffix == ".npz" else read_csv(path)
        where = str(path)
    else:
        from sklearn.datasets import fetch_openml

        try:
            data = fetch_openml(remote, version=version, as_frame=True, parser="auto").frame
        except UNREADABLE as reason:
            raise DataError(
                f"{name!r} ({remote!r} at OpenML) could not be fetched ({cut(str(reason))}): if you are offline, set PROTOCLASS_DATA to a "
                f"folder with {file}"
            ) from None
        where = f"{remote!r} at OpenML"
        if len(data.columns):
            data = data.rename(columns={data.columns[-1]: response})
    if response not in data or data.shape[1] < 2 or data.empty:
        columns = ", ".join(map(shown, data.columns[:5]))
        raise DataError(
            f"{shown(where)} is not the data set {name!r}: it needs the predictors and the response {response!r}, but has {len(data)} "
            f"rows and the columns {columns}{' ...' if len(data.columns) > 5 else ''}"
        )
    data[response] = pd.Categorical(data[response])
    return data[[c for c in data.columns if c != response] + [response]]


def _usps(path: Path) -> pd.DataFrame:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            train, test, *y = (arrays[key] for key in ("x_train", "x_test", "y_train", "y_test"))
        pixels = np.concatenate([train, test]).astype(np.float32) / np.float32(1000)
        digit = np.concatenate(y)
        if pixels.ndim != 2 or len(pixels) != len(digit) or digit.ndim != 1 or not len(digit):
            raise ValueError(f"pixels of shape {pixels.shape} for digits of shape {digit.shape}")
    except (*UNREADABLE, KeyError, TypeError, AttributeError) as reason:
        raise FileError(
            f"{shown(str(path))} is not the USPS data, an .npz file of numbers x_train, y_train, x_test and y_test ({cut(str(reason))})"
        ) from None
    split = np.repeat(["train", "test"], [len(y[0]), len(y[1])])
    data = pd.DataFrame(pixels, columns=[f"p{k + 1}" for k in range(pixels.shape[1])])
    data["split"], data["digit"] = pd.Categorical(split), digit
    return data


def _generator(n: int, seed: int) -> np.random.Generator:
    """What draws a table of `n` rows."""
    whole_number("n", n, 1, MOST_SIMULATED)
    whole_number("seed", seed, 0, MOST_SEED)
    return np.random.default_rng(seed)


@public
def simulate_mixture(n: int = 300, classes: int = 3, seed: int = 0) -> pd.DataFrame:
    """Simulate mixtures of Gaussians in the plane (Bien and Tibshirani 2011, appendix C).

    Each class has a centre M_k from N(0, 16 I), ten means from N(M_k, I), and rows from N(m, I / 5) around a random mean m.

    Parameters
    ----------
    n : int
        Number of rows, divided evenly among the classes; the first classes get the remaining ones.
    classes : int
        Number of classes.
    seed : int
        Seed for the simulation.

    Returns
    -------
    DataFrame
        Columns `x1`, `x2` and `class` ("a", "b", ...). `attrs["means"]` has the means, (classes, 10, 2), which determine the Bayes rule.

    Examples
    --------
    >>> simulate_mixture(seed=1)["class"].value_counts(sort=False).to_dict()
    {'a': 100, 'b': 100, 'c': 100}
    """
    draw = _generator(n, seed)
    whole_number("classes", classes, 1)
    if classes > 26 or n < classes:
        raise OptionError(f"classes must be from 1 to 26, and n at least classes, not n={n} and classes={classes}")
    centers = draw.normal(0, 4, (classes, 2))
    means = centers[:, None, :] + draw.normal(0, 1, (classes, 10, 2))
    y = np.sort(np.arange(n) % classes)
    X = means[y, draw.integers(0, 10, n)] + draw.normal(0, np.sqrt(1 / 5), (n, 2))
    data = pd.DataFrame(X, columns=["x1", "x2"])
    data["class"] = pd.Categorical.from_codes(y, [chr(ord("a") + k) for k in range(classes)])
    data.attrs["means"] = means.tolist()
    return data


@public
def simulate_clinic(n: int = 200, missing: float = 0.05, seed: int = 0) -> pd.DataFrame:
    """Simulate patients of a clinic: mixed types with missing values, for Gower's dissimilarity.

    Three outcomes ("recovered", "relapsed", "referred") of equal probability shift the predictors:

    * `age`: years, normal with means 40, 55, 65 and sd 12;
    * `marker`: lognormal, log-means 0, 0.5, 1.2;
    * `severity`: ordered, mild < moderate < severe, proportions by outcome;
    * `ward`: north, south, west, proportions by outcome;
    * `smoker`: boolean, probabilities 0.2, 0.5, 0.6;
    * `pulse`: per minute, normal with means 70, 76, 80 and sd 10;
    * `stay`: days, Poisson with means 2, 4, 7;
    * `blood`: A, B, AB, 0; carries no information.

    Each cell of a predictor is missing with probability `missing`, independently.

    Examples
    --------
    >>> simulate_clinic(4).dtypes.astype(str).iloc[:5].to_dict()
    {'age': 'float64', 'marker': 'float64', 'severity': 'category', 'ward': 'category', 'smoker': 'boolean'}
    """
    draw = _generator(n, seed)
    if not isinstance(missing, (int, float)) or not 0 <= missing < 1:
        raise OptionError(f"missing must be a proportion from 0 to below 1, not {brief(missing)}")
    k = draw.integers(0, 3, n)
    graded = np.array([[0.6, 0.3, 0.1], [0.25, 0.5, 0.25], [0.1, 0.3, 0.6]])
    wards = np.array([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.2, 0.6]])

    def level(shares: np.ndarray) -> np.ndarray:
        return np.asarray((draw.random(n)[:, None] > shares[k].cumsum(axis=1)[:, :-1]).sum(axis=1))

    data = pd.DataFrame({
        "age": draw.normal(np.array([40, 55, 65])[k], 12).round(),
        "marker": np.exp(draw.normal(np.array([0, 0.5, 1.2])[k], 0.5)).round(2),
        "severity": pd.Categorical.from_codes(level(graded), ["mild", "moderate", "severe"], ordered=True),
        "ward": pd.Categorical.from_codes(level(wards), ["north", "south", "west"]),
        "smoker": pd.array(draw.random(n) < np.array([0.2, 0.5, 0.6])[k], dtype="boolean"),
        "pulse": draw.normal(np.array([70, 76, 80])[k], 10).round(),
        "stay": draw.poisson(np.array([2, 4, 7])[k]).astype(float),
        "blood": pd.Categorical.from_codes(draw.choice(4, n, p=[0.43, 0.11, 0.05, 0.41]), ["A", "B", "AB", "0"]),
    })  # fmt: skip
    data = data.mask(draw.random(data.shape) < missing)
    data["outcome"] = pd.Categorical.from_codes(k, ["recovered", "relapsed", "referred"])
    return data


@public
def simulate_infection(n: int = 1000, ill: float = 0.06, missing: float = 0.03, seed: int = 0) -> pd.DataFrame:
    """Simulate patients with a fever, few of whom become seriously ill: a table with a rare class.

    `outcome` is "well" or "ill". Given the outcome the predictors are drawn independently (well first, then ill):

    * `age`: years, normal with means 52 and 66, sd 16, at least 18;
    * `sex`: 52 % and 45 % female;
    * `temperature`: degrees Celsius, normal with means 38.3 and 38.8, sd 0.6;
    * `pulse`: per minute, means 86 and 104, sd 13;
    * `crp`: C-reactive protein, mg/L, lognormal with log-means 3.2 and 4.6 (in ill women 4.2) and log-sd 0.8;
    * `creatinine`: micromol/L, log-means 4.35 and 4.75, log-sd 0.28;
    * `lactate`: mmol/L, log-means 0.2 and 0.9, log-sd 0.35;
    * `consciousness`: ordered, alert < drowsy < confused, proportions 0.93, 0.05, 0.02 and 0.55, 0.25, 0.20;
    * `smoker`: boolean, proportions 0.25 and 0.35.

    Each of the laboratory values `crp`, `creatinine`
    and `lactate` is missing with probability `missing`, independently. Because the outcome is drawn first, data with another `ill`
    differ only in prevalence.

    Parameters
    ----------
    n : int
        Number of rows.
    ill : float between 0 and 1
        Probability of the outcome "ill".
    missing : float from 0 to below 1
        Probability that a laboratory value is missing.
    seed : int
        Seed for the simulation.

    Examples
    --------
    >>> simulate_infection(2000)["outcome"].value_counts(sort=False).to_dict()
    {'well': 1875, 'ill': 125}
    """
    draw = _generator(n, seed)
    if not is_number(ill, 0.0, high=1.0):
        raise OptionError(f"ill must be a probability from 0 to 1, not {brief(ill)}")
    if not is_number(missing, 0.0, high=1.0) or missing == 1:
        raise OptionError(f"missing must be a proportion from 0 to below 1, not {brief(missing)}")
    k = (draw.random(n) < ill).astype(int)
    female = draw.random(n) < np.array([0.52, 0.45])[k]
    levels = np.array([[0.93, 0.98], [0.55, 0.80]])[k]  # cumulative proportions before drowsy and before confused

    def lognormal(means: list[float], sd: float, less: float = 0.0) -> np.ndarray:
        return np.asarray(np.exp(draw.normal(np.array(means)[k] - less * (female & (k == 1)), sd)))

    data = pd.DataFrame({
        "age": draw.normal(np.array([52, 66])[k], 16).clip(18, 99).round(),
        "sex": pd.Categorical.from_codes((~female).astype(int), ["female", "male"]),
        "temperature": draw.normal(np.array([38.3, 38.8])[k], 0.6).round(1),
        "pulse": draw.normal(np.array([86, 104])[k], 13).round(),
        "crp": lognormal([3.2, 4.6], 0.8, 0.4).round(),
        "creatinine": lognormal([4.35, 4.75], 0.28).round(),
        "lactate": lognormal([0.2, 0.9], 0.35).round(1),
        "consciousness": pd.Categorical.from_codes(
            (draw.random(n)[:, None] > levels).sum(axis=1), ["alert", "drowsy", "confused"], ordered=True
        ),
        "smoker": draw.random(n) < np.array([0.25, 0.35])[k],
    })  # fmt: skip
    laboratory = ["crp", "creatinine", "lactate"]
    data[laboratory] = data[laboratory].mask(draw.random((n, 3)) < missing)
    data["outcome"] = pd.Categorical.from_codes(k, ["well", "ill"])
    return data
