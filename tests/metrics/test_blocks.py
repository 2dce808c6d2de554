"""Long frames, block by block: the same bits as the whole, and never a design matrix of all rows."""

import numpy as np
import pandas as pd
import pytest
import simulate
from closeness import same_but_for_rounding

import protoclass as pc
from protoclass.frames import frame as module
from protoclass.frames.frame import Frame, blocks, design_rows, mold
from protoclass.metrics.base import candidates_of, rows_of, same
from protoclass.metrics.measuring import measure_frame
from protoclass.metrics.registry import BUILT_IN, metric

ROWS = 8  # of a block in these tests
CLASSES = ["u", "v"] * 20


@pytest.fixture
def short_blocks(monkeypatch):
    monkeypatch.setattr(module, "WHOLE", 0)
    monkeypatch.setattr(module, "rows_at_once", lambda columns: ROWS)


def numeric(n=45):
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.gamma(2.0, 3.0, (n, 5)), columns=list("abcde")).assign(f=2.5)
    return mold("y ~ .", table.assign(y=rng.choice(["u", "v"], n)))


def mixed(na="keep"):
    table = simulate.clinic(45, missing=0.1 if na == "keep" else 0)
    return mold("outcome ~ .", table, na=na)


def texts():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("acgt"), rng.integers(6, 9))) for _ in range(30)]
    return mold("y ~ word", pd.DataFrame({"word": words, "y": CLASSES[:30]}))


def images():
    table = pd.DataFrame(np.random.default_rng(0).random((20, 16))).add_prefix("pixel")
    return mold("y ~ .", table.assign(y=CLASSES[:20]))


def flags():
    table = pd.DataFrame(np.random.default_rng(0).random((20, 5)) < 0.4).add_prefix("q")
    return mold("y ~ .", table.assign(y=CLASSES[:20]))


OTHERS = {
    "gower": (pc.Gower(column_weights={"age": 2}), mixed), "mismatch": (pc.Mismatch(k=3, m=1), texts),
    "levenshtein": (pc.Levenshtein(), texts), "tangent": (pc.Tangent(shape=(4, 4)), images), "jaccard": ("jaccard", flags),
    "adaptive": (pc.Adaptive(neighborhood=10), numeric), "mahalanobis": (pc.Mahalanobis(ridge=0.1), numeric),
    "forest": (pc.Forest(trees=20), lambda: mixed("drop")),
}  # fmt: skip
SUBJECTS = {
    **{name: OTHERS.get(name, (metric(name), numeric)) for name in BUILT_IN},
    "weighted": (pc.Minkowski(3, column_weights={"age": 2}), lambda: mixed("drop")),
    "polynomial": (pc.Kernel("poly"), numeric),
    "function": (lambda a, b: float(abs(a - b).sum()), numeric),
    "parts": (pc.Mixed([(["a", "b"], "euclidean"), (["c", "d", "e", "f"], "gower")]), numeric),
    "local weights": (pc.Relevance("gower", local=True), lambda: mixed("drop")),
    "local matrices": (pc.Relevance(matrix="full", local=True), numeric),
    "ranks of parts": (pc.Ranks(pc.Gower()), lambda: mixed("drop")),
}
WHOLE = {"tangent"}  # whose planes are limited in size, all together


def alike(a, b):
    """Whether two representations are the same; a function of two rows gets them as Series."""
    if isinstance(a[0][0], pd.Series):
        return all(x.equals(y) for x, y in zip(a[0], b[0], strict=True))
    return same(a, b)


@pytest.mark.parametrize("name", SUBJECTS)
def test_representations_of_blocks_have_the_bits_of_the_whole(name, request):
    spec, make = SUBJECTS[name]
    frame = make()
    trained = metric(spec).train(frame)
    rows, candidates = trained.rows(frame), trained.candidates(frame)
    request.getfixturevalue("short_blocks")
    assert trained.row_by_row == (name not in WHOLE)
    assert alike(rows_of(trained, frame), rows)
    assert alike(candidates_of(trained, frame), candidates)
    assert same_but_for_rounding(metric(spec).train(make()), trained)
    chosen = measure_frame(frame, trained, candidates=9).candidate_row
    assert alike(measure_frame(frame, trained, candidates=9).candidates, tuple(a[chosen] for a in candidates))


def test_scales_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.standard_normal((500, 4)) * 10.0 ** rng.integers(-8, 8, (500, 4)), columns=list("abcd"))
    known = {pc.dissimilarity("~ .", table.sample(frac=1, random_state=s), pc.Euclidean()).metric.spread.tobytes() for s in range(5)}
    assert len(known) == 1


@pytest.mark.parametrize("scale", [True, "fold"])
def test_a_long_frame_never_has_a_design_matrix_of_all_rows(scale, short_blocks, monkeypatch):
    frame = mixed("drop")
    original, seen = Frame._computed, []
    monkeypatch.setattr(Frame, "_computed", lambda self: seen.append(len(self)) or original(self))
    d = measure_frame(frame, pc.Euclidean(scale=scale), candidates=10)
    d._query(np.arange(5, 30)).columns()
    assert max(seen) <= 25


def test_errors_name_the_row_in_whatever_block_it_is(short_blocks):
    table = pd.DataFrame({"a": np.arange(30.0) / 2, "b": 1.0}, index=[f"row{k}" for k in range(30)])
    table.loc["row21", "b"] = np.inf
    with pytest.raises(pc.errors.DataError, match=r"'b' is inf at row 'row21'"):
        pc.dissimilarity("~ .", table, "euclidean")
    with pytest.raises(pc.errors.DataError, match=r"'b' is infinite at row 'row21'"):
        pc.dissimilarity("~ .", table, "gower")


def test_blocks_cover_the_rows_in_order(short_blocks):
    frame = numeric()
    known = [(at.start, at.stop, len(some)) for at, some in blocks(frame)]
    assert known == [(k, min(k + ROWS, 45), min(ROWS, 45 - k)) for k in range(0, 45, ROWS)]
    at = np.array([40, 3, 3])
    assert (design_rows(frame, at) == frame.design.to_numpy()[at]).all()
