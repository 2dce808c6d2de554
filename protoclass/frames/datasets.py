"""Data sets of the package, and public data sets."""

from __future__ import annotations

import os
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pandas as pd

from ..ground.checks import either
from ..ground.errors import DataError, FileError, OptionError, cut, shown
from ..ground.files import UNREADABLE, read_csv
from ..values import public

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
        The data, with the response as a categorical. The list has one row for each data set, by
        name: `response`, `rows`, `predictors`, `classes` and `contents`.

    Examples
    --------
    >>> load_data("iris").species.value_counts(sort=False).to_dict()
    {'setosa': 50, 'versicolor': 50, 'virginica': 50}
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
        "breast_cancer_original" or "usps". Some column names of OpenML differ from the folder.

    Returns
    -------
    DataFrame
        The data, with the response as a categorical in the last column. "usps" has `split` "train"
        or "test" and float32 pixels `p1` to `p256`.

    Raises
    ------
    DataError
        If the folder or OpenML does not have the data set, or has a different one.
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
            raise DataError(
                f"PROTOCLASS_DATA is {shown(folder)}, but {file} is not in it: unset it to fetch {name!r} from OpenML"
            )
        data = _usps(path) if path.suffix == ".npz" else read_csv(path)
        where = str(path)
    else:
        from sklearn.datasets import fetch_openml

        try:
            data = fetch_openml(remote, version=version, as_frame=True, parser="auto").frame
        except UNREADABLE as reason:
            raise DataError(
                f"{name!r} ({remote!r} at OpenML) could not be fetched ({cut(str(reason))}): if "
                f"you are offline, set PROTOCLASS_DATA to a folder with {file}"
            ) from None
        where = f"{remote!r} at OpenML"
        if len(data.columns):
            data = data.rename(columns={data.columns[-1]: response})
    if response not in data or data.shape[1] < 2 or data.empty:
        columns = ", ".join(map(shown, data.columns[:5]))
        raise DataError(
            f"{shown(where)} is not the data set {name!r}: it needs the predictors and the "
            f"response {response!r}, but has {len(data)} "
            f"rows and the columns {columns}{' ...' if len(data.columns) > 5 else ''}"
        )
    data[response] = pd.Categorical(data[response])
    return data[[c for c in data.columns if c != response] + [response]]


def _usps(path: Path) -> pd.DataFrame:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            train, test, *y = (arrays[key] for key in ("x_train", "x_test", "y_train", "y_test"))
        pixels = np.concatenate([train, test]).astype(np.float32) / np.float32(1000)
        split = pd.Categorical(np.repeat(["train", "test"], [len(train), len(test)]))
        data = pd.DataFrame(pixels, columns=[f"p{k + 1}" for k in range(pixels.shape[1])])
        return data.assign(split=split, digit=np.concatenate(y))
    except (*UNREADABLE, KeyError, TypeError, AttributeError) as reason:
        raise FileError(
            f"{shown(str(path))} is not the USPS data, an .npz file of numbers x_train, y_train, "
            f"x_test and y_test ({cut(str(reason))})"
        ) from None
