"""300,000 rows from parquet to parquet: python benchmarks/analyses/files.py [rows]"""

import sys
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import protoclass as pc

n, draw = int((sys.argv[1:] or [300_000])[0]), np.random.default_rng(0)
X = draw.normal(size=(n, 10))
with TemporaryDirectory() as folder:
    columns = pd.DataFrame(X).add_prefix("x").assign(id=np.arange(n), y=np.where(X[:, 0] + X[:, 1] ** 2 > 1, "case", "control"))
    columns.to_parquet(f"{folder}/rows.parquet")
    fit = pc.fit("y ~ . - id", columns.sample(min(n, 5000), random_state=0), max_prototypes=30, progress=False)
    fit.predict_to(f"{folder}/rows.parquet", f"{folder}/out.parquet", key="id", progress=False)
    out = pd.read_parquet(f"{folder}/out.parquet").set_index("id")
    print(fit, out.head(), f"error on all rows {(out.iloc[:, 0].astype(str).to_numpy() != columns['y']).mean():.4f}", sep="\n\n")
