"""Write clinic.csv, infection.csv and mixture.csv, which are simulated: python data/simulate.py"""

from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent


def mixture(n: int = 300, classes: int = 3, seed: int = 0) -> pd.DataFrame:
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
    """
    draw = np.random.default_rng(seed)
    centers = draw.normal(0, 4, (classes, 2))
    means = centers[:, None, :] + draw.normal(0, 1, (classes, 10, 2))
    y = np.sort(np.arange(n) % classes)
    X = means[y, draw.integers(0, 10, n)] + draw.normal(0, np.sqrt(1 / 5), (n, 2))
    data = pd.DataFrame(X, columns=["x1", "x2"])
    data["class"] = pd.Categorical.from_codes(y, [chr(ord("a") + k) for k in range(classes)])
    data.attrs["means"] = means.tolist()
    return data


def clinic(n: int = 200, missing: float = 0.05, seed: int = 0) -> pd.DataFrame:
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
    """
    draw = np.random.default_rng(seed)
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


def infection(n: int = 1000, ill: float = 0.06, missing: float = 0.03, seed: int = 0) -> pd.DataFrame:
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
    """
    draw = np.random.default_rng(seed)
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


if __name__ == "__main__":
    clinic().to_csv(HERE / "clinic.csv", index=False)
    infection(2000, seed=1).to_csv(HERE / "infection.csv", index=False)
    mixture().to_csv(HERE / "mixture.csv", index=False)
