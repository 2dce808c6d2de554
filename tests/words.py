"""A table for what R users write, and fits to it."""

import numpy as np
import pandas as pd

import protoclass as pc


def table():
    draw = np.random.default_rng(0)
    x = np.r_[58:73, 60.0, 61.0, 62.0, 63.0, 64.0, 65.0, 66.0, 67.0, 68.0]  # R's women$height and some again
    z = draw.uniform(0.1, 2.0, len(x))
    k = np.tile([1, 2, 3], 8)
    data = pd.DataFrame({"x": x.astype(float), "z": z, "k": k, "g": np.tile(list("uv"), 12), "my x": z + 1, "flag": k > 1})
    return data.assign(y=np.where(x + draw.normal(size=len(x)) > 65, "tall", "short"), time=x, status=k % 2)


DATA = table()
X, Z, K, G = (DATA[c].to_numpy() for c in "xzkg")


def fitted(right, **options):
    return pc.fit(f"y ~ {right}", DATA, "knn", **{"k": 1, "dissimilarity": "euclidean", **options})
