"""Random data frames of all dtypes, with the odd labels and contents that real ones have."""

from __future__ import annotations

import string

import numpy as np
import pandas as pd
from hypothesis import strategies as st

ODD_NAMES = ["a b", "log(x)", "C(a)", "1", "y~", ".", "ü", "class", "own", "newly_covered", "<b>x</b>", r"\input{x}", "a.b", "a:b",
             "distance", "prototype", "fitted", "x" * 60, "$x_1$", "None", "lambda", "(a", "a+b", "-", "'q'", '"', "\n", " "]  # fmt: skip
PLAIN_NAMES = [f"x{k}" for k in range(12)]
LABELS = ["setosa", "", " ", "<img src=x>", r"\input{x}", "ü", "None", "nan", "0", "a\nb", "%s", "{}", "x" * 60]


def numbers(kind, n, draw):
    """A column of numbers."""
    z = draw.normal(size=n)
    match kind:
        case "normal":
            return z
        case "ints":
            return draw.integers(-2, 3, n)
        case "uint8":
            return draw.integers(0, 256, n).astype(np.uint8)
        case "float32":
            return z.astype(np.float32)
        case "float16":
            return z.astype(np.float16)
        case "constant":
            return np.full(n, 3.5)
        case "zero":
            return np.zeros(n)
        case "grid":
            return np.round(z, 1)
        case "bool":
            return z > 0
        case "huge ints":
            return draw.integers(-(2**62), 2**62, n)
        case "huge":
            return z * 1e300
        case "large":
            return z * 1e160
        case "tiny":
            return z * 1e-300
        case "subnormal":
            return z * 5e-322
        case "all scales":
            return z * 10.0 ** draw.integers(-300, 300, n)
        case "large offset":
            return 1e16 + np.round(z)
        case "one far":
            return np.where(np.arange(n) == n // 2, 1e308, z)
        case "missing":
            return np.where(draw.random(n) < 0.3, np.nan, z)
        case "all missing":
            return np.full(n, np.nan)
        case "infinite":
            return np.where(draw.random(n) < 0.2, np.inf, z)
        case "complex":
            return z + 1j
        case "Int64":
            return pd.array(np.where(draw.random(n) < 0.2, None, draw.integers(0, 4, n)), "Int64")
        case "Float32":
            return pd.array(z, "Float32")
        case "boolean":
            return pd.array(np.where(draw.random(n) < 0.2, None, z > 0), "boolean")
        case "sparse":
            return pd.arrays.SparseArray(np.where(z > 0, z, 0.0))
    raise AssertionError(kind)


def others(kind, n, draw):
    """A column that is no number."""
    letters = draw.choice(list("abc"), n)
    match kind:
        case "text":
            return letters.astype(object)
        case "words":
            return np.array(["".join(draw.choice(list("acgt"), draw.integers(0, 6))) for _ in range(n)], object)
        case "labels":
            return draw.choice(np.array(LABELS, object), n)
        case "unique text":
            return np.array([f"id {k}" for k in draw.permutation(n)], object)
        case "string":
            return pd.array(np.where(draw.random(n) < 0.2, None, letters), "string")
        case "text with None":
            return np.where(draw.random(n) < 0.2, None, letters.astype(object))
        case "category":
            return pd.Categorical(letters, ["c", "unused", "a", "b"])
        case "ordered":
            return pd.Categorical(letters, ["b", "a", "c"], ordered=True)
        case "category of numbers":
            return pd.Categorical(draw.integers(0, 3, n))
        case "category of intervals":
            return pd.cut(draw.normal(size=n), [-9, -0.5, 0.5, 9])
        case "category of dates":
            return pd.Categorical(pd.Timestamp("2024-01-01") + pd.to_timedelta(draw.integers(0, 3, n), "D"))
        case "category with missing":
            return pd.Categorical(np.where(draw.random(n) < 0.3, None, letters))
        case "dates":
            return pd.Timestamp("2024-01-01") + pd.to_timedelta(draw.integers(0, 900, n), "D")
        case "zoned dates":
            return pd.date_range("2024-01-01", periods=n, tz="UTC")
        case "durations":
            return pd.to_timedelta(draw.integers(0, 900, n), "h")
        case "periods":
            return pd.period_range("2024-01", periods=n, freq="M")
        case "numbers as objects":
            return np.array([*draw.normal(size=n)], object)
        case "booleans as objects":
            return np.array([bool(b) for b in draw.random(n) < 0.5], object)
        case "mixed":
            return np.array([(1, "a", 2.5, None, b"x", (1, 2))[k] for k in draw.integers(0, 6, n)], dtype=object)
        case "lists":
            return pd.Series([[k] for k in range(n)], dtype=object)
        case "bytes":
            return np.array([b"a"] * n, object)
        case "texts beside numbers":
            return np.array([(1, "a")[k] for k in draw.integers(0, 2, n)], dtype=object)
    raise AssertionError(kind)


SOUND = ["normal", "normal", "grid", "ints", "bool", "float32", "uint8"]
ODD = ["constant", "zero", "float16", "huge ints", "huge", "large", "tiny", "subnormal", "all scales", "large offset", "one far",
       "missing", "all missing", "infinite", "complex", "Int64", "Float32", "boolean", "sparse"]  # fmt: skip
MILD = ["text", "category", "ordered", "string", "words"]
STRANGE = ["labels", "unique text", "text with None", "category of numbers", "category of intervals", "category of dates",
           "category with missing", "dates", "zoned dates", "durations", "periods", "numbers as objects", "booleans as objects",
           "mixed", "lists", "bytes", "texts beside numbers"]  # fmt: skip
CLASSES = ["text", "text", "text", "codes", "category", "ordered", "bool", "nullable", "hostile"]
ODD_CLASSES = ["one", "missing", "continuous", "mixed", "dates", "singletons", "string", "lists", "all missing", "floats"]


def column(kind, n, draw):
    return (numbers if kind in SOUND + ODD else others)(kind, n, draw)


def response(kind, n, draw):
    """A column of classes; they go in turn, so that a small frame has several."""
    code = draw.permutation(np.arange(n) % draw.integers(2, 5))
    text = np.array(list("abcd"), object)[code]
    match kind:
        case "text":
            return text
        case "codes":
            return code
        case "category":
            return pd.Categorical(text, ["d", "unused", "a", "c", "b"])
        case "ordered":
            return pd.Categorical(text, list("dcba"), ordered=True)
        case "bool":
            return code > 0
        case "nullable":
            return pd.array(code, "Int64")
        case "hostile":
            return np.array(LABELS, object)[code * 3]
        case "one":
            return np.array(["a"] * n, object)
        case "missing":
            return np.where(draw.random(n) < 0.3, None, text)
        case "all missing":
            return np.array([None] * n, object)
        case "continuous":
            return draw.normal(size=n)
        case "floats":
            return code.astype(float)
        case "mixed":
            return np.array([("a", 1, 2.0, None)[k % 4] for k in code], object)
        case "dates":
            return pd.Timestamp("2024-01-01") + pd.to_timedelta(code, "D")
        case "singletons":
            return np.arange(n).astype(str).astype(object)
        case "string":
            return pd.array(np.where(draw.random(n) < 0.2, None, text), "string")
        case "lists":
            return pd.Series([[k] for k in code], dtype=object)
    raise AssertionError(kind)


def index_of(kind, n, draw):
    match kind:
        case "range":
            return pd.RangeIndex(n)
        case "shuffled":
            return pd.Index(draw.permutation(n) - 3)
        case "text":
            return pd.Index([f"row {k}" for k in range(n)], dtype=object)
        case "hostile":
            return pd.Index([f"<i>{k}</i>" for k in range(n)], dtype=object)
        case "levels":
            return pd.MultiIndex.from_arrays([np.arange(n) // 3, np.arange(n) % 3], names=["a", None])
        case "dates":
            return pd.date_range("2024-01-01", periods=n)
        case "floats":
            return pd.Index(np.arange(n) / 4)
        case "repeated":
            return pd.Index(np.arange(n) // 2)
        case "missing":
            return pd.Index([np.nan, *range(1, n)][:n])
        case "intervals":
            return pd.interval_range(0, n) if n else pd.RangeIndex(0)
        case "mixed":
            return pd.Index([("a", 1, 2.5)[k % 3] if k < 3 else k for k in range(n)], dtype=object)
        case "tuples":
            return pd.Index([(k, "a") for k in range(n)], tupleize_cols=False)
    raise AssertionError(kind)


INDEXES = ["range", "range", "shuffled", "text", "levels", "dates", "hostile"]
ODD_INDEXES = ["floats", "repeated", "missing", "intervals", "mixed", "tuples"]


@st.composite
def frames(draw, odd=0.25):
    """A data frame with a response "y" (nearly always); `odd` is the share of odd columns, classes and labels."""

    def strange():
        return draw(st.floats(0, 1)) > 1 - odd

    n = draw(st.integers(0, 5)) if strange() and strange() else draw(st.integers(8, 24))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    kinds = draw(st.lists(st.sampled_from(SOUND), min_size=1, max_size=4))
    if strange():
        kinds += draw(st.lists(st.sampled_from(MILD), min_size=1, max_size=2))
    if strange():
        kinds += draw(st.lists(st.sampled_from(ODD + STRANGE), min_size=1, max_size=2))
    names = list(PLAIN_NAMES[: len(kinds)])
    if strange():
        names = draw(st.permutations(ODD_NAMES))[: len(kinds)]
    table = {name: column(kind, n, rng) for name, kind in zip(names, kinds, strict=True)}
    table["y"] = response(draw(st.sampled_from(ODD_CLASSES if strange() and strange() else CLASSES)), n, rng)
    data = pd.DataFrame(table)
    data.index = index_of(draw(st.sampled_from(ODD_INDEXES if strange() and strange() else INDEXES)), n, rng)
    if strange() and strange() and strange():
        data.columns = draw(st.sampled_from([[*range(data.shape[1])], ["y"] * data.shape[1], [*names[1:], names[0], "y"]]))
    return data


@st.composite
def sound_frames(draw, most=24):
    """A data frame of numbers and perhaps a category, as most users have them."""
    n = draw(st.integers(10, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    kinds = draw(st.lists(st.sampled_from(SOUND), min_size=1, max_size=3))
    kinds += draw(st.lists(st.sampled_from(["text", "category", "ordered"]), max_size=1))
    data = pd.DataFrame({f"x{k}": column(kind, n, rng) for k, kind in enumerate(kinds)})
    data["y"] = response(draw(st.sampled_from(["text", "codes", "category", "bool"])), n, rng)
    data.index = index_of(draw(st.sampled_from(INDEXES)), n, rng)
    return data


HOSTILE_NUMBERS = st.sampled_from(
    [0.0, 1e-320, 1e16, 1e100, 1e154, 1e160, 1e200, -1e200, 1e300, 1.7e308, -1.7e308, np.nan, np.inf, -np.inf]
)
TEXT = st.text(string.ascii_letters + string.digits + "~+-*/:^.()`'\" |,%<>=\\\n{}[]ü", max_size=30)
