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


def same_but_for_rounding(a, b):
    """Whether two metrics have learned the same but for what the order of a sum changes in the last digits."""
    mine, other = a.arrays(), b.arrays()
    if type(a) is not type(b) or list(mine) != list(other) or any(mine[name].shape != other[name].shape for name in mine):
        return False
    numbers = [name for name in mine if mine[name].dtype.kind == "f"]
    most = {name: np.nan_to_num(np.abs(other[name])).max(initial=0) for name in numbers}
    return all(
        np.allclose(mine[name], other[name], 1e-9, 1e-12 * most[name], True) if name in most else np.array_equal(mine[name], other[name])
        for name in mine
    )
