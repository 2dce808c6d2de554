"""prosemble's median LVQ and GMLVQ on digits, for benchmarks/median_glvq.py: python prosemble_digits.py SPLITS K [K ...]

Runs in an environment of its own, with `prosemble[jax]` and scikit-learn. Prints a list of (method, K, error, seconds) as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit


def digit_splits(splits: int, X: np.ndarray, y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Two thirds of the rows for training, and the others."""
    return StratifiedShuffleSplit(splits, train_size=2 / 3, random_state=0).split(X, y)


def main() -> None:
    from prosemble.models import GMLVQ, MedianLVQ

    X, y = load_digits(return_X_y=True)
    rows = []
    for K in map(int, sys.argv[2:]):
        for kind, name in ((MedianLVQ, "prosemble MedianLVQ"), (GMLVQ, "prosemble GMLVQ, no rows")):
            for train, test in digit_splits(int(sys.argv[1]), X / 16, y):
                start = time.perf_counter()
                model = kind(n_prototypes_per_class=K, random_seed=0).fit(X[train] / 16, y[train])
                predicted = np.asarray(model.predict(X[test] / 16))
                rows.append((name, K, float((predicted != y[test]).mean()), time.perf_counter() - start))
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
