"""Dissimilarities of new rows, for tests of metrics."""

import numpy as np


def measure(d, new):
    """Dissimilarities (r, m) of the complete ones of new rows to all candidates of a Dissimilarity."""
    rows = d.metric.new_rows(new, d.data)
    return rows.measure(np.arange(rows.complete.sum()), d.candidates)
