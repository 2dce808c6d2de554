"""Arrays of many entries that are equal up to rounding."""

import numpy as np


def assert_close(found, expected, rel=None, abs=None):
    """Assert what `found == pytest.approx(expected, rel, abs)` does, which looks at one entry at a time, in Python."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    rel = (1e-6 if abs is None else 0.0) if rel is None else rel
    allowed = np.maximum(rel * np.abs(expected), 1e-12 if abs is None else abs)
    far = ~(np.abs(found.astype(float) - expected) <= allowed)  # NaN is close to nothing
    if far.any():
        at = tuple(np.argwhere(far)[0])
        raise AssertionError(f"{found[at]} at {at} is not {expected[at]} up to {allowed[at]}, nor are {far.sum() - 1} others")
