"""Compile kernels while the rest is installed: the tests and the site, which run side by side, would each compile them."""

import protoclass as pc
from protoclass.models.registry import BUILT_IN

pc.options.progress = False
iris = pc.load_data("iris")
digits = pc.load_data("digits").groupby("digit").head(30)
pc.fit("digit ~ .", digits, eps=[2.0, 3.0, 4.0], cv=3)
pc.fit("digit ~ .", digits, eps=4.0, solver="exact", certify=True)
for method in BUILT_IN:
    pc.fit("species ~ .", iris, method)
for metric in ("manhattan", "gower", "cosine", "mahalanobis"):
    pc.fit("species ~ .", iris, eps=pc.dissimilarity("species ~ .", iris, metric).quantile(0.1), dissimilarity=metric)
