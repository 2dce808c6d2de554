"""Diabetes in Pima women, where a missed case costs five times a false alarm: python benchmarks/analyses/costs.py [rows]"""

import os
import sys

import pandas as pd

import protoclass as pc

data = pd.read_csv(f"{os.environ['PROTOCLASS_DATA']}/pima_diabetes.csv").sample(frac=1, random_state=0)[: int((sys.argv[1:] or [768])[0])]
train, test = data[: len(data) * 2 // 3], data[len(data) * 2 // 3 :]
cost = pd.DataFrame([[0, 1], [5, 0]], ["neg", "pos"], ["neg", "pos"])
fit = pc.fit("diabetes ~ .", train, "medianglvq", K=1, matrix="diagonal", calibrate=True, progress=False)
print(fit, fit.test(test, loss=cost), sep="\n\n")
print(fit.threshold("pos", loss=cost), fit.test(test, loss=cost).as_table(), sep="\n\n")
