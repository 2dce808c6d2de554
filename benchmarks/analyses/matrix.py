"""A matrix of dissimilarities from R's daisy, and nothing else: python benchmarks/analyses/matrix.py"""

from pathlib import Path

import pandas as pd

import protoclass as pc

D = pd.read_csv(Path(__file__).parents[2] / "tests/reference/daisy_iris.csv", index_col=0)
D.columns = D.columns.astype(int)
species = pc.load_data("iris")[["species"]].set_axis(range(1, 151)).loc[D.index]
fit = pc.fit("species ~ 1", species, dissimilarity=D, solver="exact", progress=False)
print(fit, fit.certificate, fit.prototypes, sep="\n\n")
