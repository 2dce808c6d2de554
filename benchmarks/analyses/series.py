"""Simulated series of unequal phase, by dynamic time warping with a tuned window: python benchmarks/analyses/series.py [rows]"""

import sys

import numpy as np
import pandas as pd

import protoclass as pc

n, draw, time = int((sys.argv[1:] or [200])[0]), np.random.default_rng(0), np.arange(40)
start, sign = draw.integers(0, 20, (n, 1)), np.where(np.arange(n) % 2, 1, -1)[:, None]
wave = np.where((time >= start) & (time < start + 12), sign * np.sin((time - start) * np.pi / 6), 0) + draw.normal(0, 0.3, (n, 40))
data = pd.DataFrame(wave).add_prefix("t").assign(kind=np.where(sign[:, 0] > 0, "up", "down"))
fit = pc.fit("kind ~ .", data[: n // 2], dissimilarity=pc.DTW(window=[2, 5, 10]), max_prototypes=10, progress=False)
print(fit, fit.test(data[n // 2 :]), sep="\n\n")
