"""Data sets of the package, and public data sets."""

from __future__ import annotations

import os
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pandas as pd

from ..ground.checks import either
from ..ground.errors import DataError, OptionError, why
from ..values import public
from .tables import as_pandas, readable

# in the package, also in a zip; in a checkout
FOLDERS = (files("protoclass") / "data", Path(__file__).resolve().parents[2] / "data")

# name: response, rows, predictors, classes, contents
SETS = {
    "iris": ("species", 150, 4, 3, "irises by four lengths in cm"),
    "wine": ("cultivar", 178, 13, 3, "wines by chemical analyses"),
    "breast_cancer": ("diagnosis", 569, 30, 2, "tumours by measures of cell nuclei"),
    "digits": ("digit", 1797, 64, 10, "handwritten digits of 8 x 8 pixels, 0 to 16"),
    "clinic": (
        "outcome",
        200,
        8,
        3,
        "patients by numbers and categories with missing values; simulated",
    ),
    "infection": (
        "outcome",
        2000,
        9,
        2,
        "patients with a fever, few of them seriously ill; simulated",
    ),
    "mixture": ("class", 300, 2, 3, "points in the plane, ten Gaussians a class; simulated"),
}
# name: types of columns that a file does not show
TYPES = {
    "clinic": {
        "severity": pd.CategoricalDtype(["mild", "moderate", "severe"], ordered=True),
        "ward": pd.CategoricalDtype(["north", "south", "west"]),
        "smoker": "boolean",
        "blood": pd.CategoricalDtype(["A", "B", "AB", "0"]),
        "outcome": pd.CategoricalDtype(["recovered", "relapsed", "referred"]),
    },
    "infection": {
        "sex": pd.CategoricalDtype(["female", "male"]),
        "outcome": pd.CategoricalDtype(["well", "ill"]),
        "consciousness": pd.CategoricalDtype(["alert", "drowsy", "confused"], ordered=True),
    },
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
    name : "iris", "wine", "breast_cancer", "digits", "clinic", "infection" or "mixture", optional
        150 irises with four lengths in cm (`species`); 178 wines with 13 analyses (`cultivar`); 569
        tumours with 30 measurements of cell nuclei (`diagnosis`); 1797 digits of 8 x 8 pixels, 0 to
        16 (`digit`). Simulated: 200 patients with mixed and missing values (`outcome`); 2000
        patients with a fever, 6 % seriously ill (`outcome`); 300 points of Gaussian mixtures
        (`class`). Sources and licences: data/README.md.

    Returns
    -------
    DataFrame
        The data, with the response as a categorical. The list has a row for each data set.

    Examples
    --------
    >>> load_data()[["response", "rows"]].to_dict("index")["wine"]
    {'response': 'cultivar', 'rows': 178}
    """
    if name is None:
        names = pd.Index(list(SETS), name="name")
        return pd.DataFrame(
            list(SETS.values()), names, ["response", "rows", "predictors", "classes", "contents"]
        )
    if not isinstance(name, str) or name not in SETS:
        cure = (
            f"use pc.fetch_data({name!r}), which downloads it"
            if name in list(FETCHED)
            else f"use {either(SETS)}"
        )
        raise OptionError(f"the package has no data set {name!r}: {cure}")
    for folder in FOLDERS:
        if (folder / f"{name}.csv").is_file():
            with as_file(folder / f"{name}.csv") as path:
                data = pd.read_csv(path, dtype=TYPES.get(name))
            return data.astype({SETS[name][0]: "category"})
    raise DataError(f"{name}.csv is missing from this installation of protoclass: reinstall it")


@public
def fetch_data(name: str) -> pd.DataFrame:
    """Fetch a public data set from the folder `PROTOCLASS_DATA` (an environment variable) or OpenML.

    Parameters
    ----------
    name : str
        "pima", "glass", "heart", "liver", "vowel", "haberman", "votes", "credit",
        "breast_cancer_original" or "usps".

    Returns
    -------
    DataFrame
        The data, with the response as a categorical in the last column. "usps" has `split` "train"
        or "test" and float32 pixels `p1` to `p256`.

    Raises
    ------
    DataError, FileError
        If the folder or OpenML does not have the data set, or cannot be read.
    """
    if not isinstance(name, str) or name not in FETCHED:
        raise OptionError(f"there is no data set {name!r} to fetch: use {either(FETCHED)}")
    file, response, remote, version = FETCHED[name]
    folder = os.environ.get("PROTOCLASS_DATA", "").strip()  # set and empty is as good as not set
    place = os.path.join(folder, file) if folder else f"{remote!r} at OpenML"

    def unreadable(reason: Exception) -> DataError:
        return DataError(
            f"{place} is not the data set {name!r} or can't be read ({why(reason)}): set "
            f"PROTOCLASS_DATA to a folder with {file}, or unset it to fetch the data from OpenML"
        )

    with readable(unreadable):
        if not folder:
            from sklearn.datasets import fetch_openml

            data = fetch_openml(remote, version=version, as_frame=True, parser="auto").frame
            data = data.rename(columns={data.columns[-1]: response})
        else:
            data = _usps(place) if file.endswith(".npz") else as_pandas(place)
        if data.shape[1] < 2 or data.empty:
            raise ValueError(f"{len(data)} rows and {data.shape[1]} columns")
        classes = pd.Categorical(data.pop(response))
        return data.assign(**{response: classes})


def _usps(path: str) -> pd.DataFrame:
    """The frame of a file of the arrays x_train, x_test, y_train and y_test."""
    with np.load(path, allow_pickle=False) as arrays:
        train, test, *y = (arrays[key] for key in ("x_train", "x_test", "y_train", "y_test"))
    pixels = np.concatenate([train, test]).astype(np.float32) / np.float32(1000)
    split = pd.Categorical(np.repeat(["train", "test"], [len(train), len(test)]))
    data = pd.DataFrame(pixels, columns=[f"p{k + 1}" for k in range(pixels.shape[1])])
    return data.assign(split=split, digit=np.concatenate(y))
