"""Metrics on strings against their definitions in loops."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from closeness import assert_close

import protoclass as pc
from protoclass.core.distances.sequences import mismatch, shared
from protoclass.metrics.strings import Levenshtein, Mismatch


def differ(a, b):
    return sum(x != y for x, y in zip(a, b, strict=True))


def features(text, k, m, alphabet):
    """How many k-mers of `text` are within m mismatches of each word; k-mers with other letters count nothing."""
    pieces = [text[i : i + k] for i in range(len(text) - k + 1)]
    pieces = [p for p in pieces if set(p) <= set(alphabet)]
    return np.array([sum(differ(p, w) <= m for p in pieces) for w in product(alphabet, repeat=k)], float)


def brute(texts, k, m, alphabet):
    F = np.array([features(t, k, m, alphabet) for t in texts])
    K = F @ F.T
    norm = np.sqrt(K.diagonal())
    return np.sqrt(np.maximum(2 - 2 * K / norm[:, None] / norm[None, :], 0))


def draw(count, letters, low, high, seed):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(letters), rng.integers(low, high + 1))) for _ in range(count)]


def measured(texts, metric):
    return pc.dissimilarity("~ s", pd.DataFrame({"s": texts}), metric).frame().to_numpy()


@pytest.mark.parametrize("alphabet", ["AB", "ABC", "ABCD"])
@pytest.mark.parametrize(("k", "m"), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 2), (5, 1)])
def test_mismatch_equals_counting_every_word(k, m, alphabet):
    texts = draw(12, alphabet, k, 14, (k, m, len(alphabet)))
    D = measured(texts, Mismatch(k, m, alphabet))
    assert_close(D, brute(texts, k, m, alphabet), abs=2e-7)
    assert np.array_equal(D, D.T)
    assert (D.diagonal() == 0).all()


@pytest.mark.parametrize(("k", "m"), [(2, 1), (3, 0)])
def test_kmers_with_a_letter_to_skip_count_nothing(k, m):
    texts = ["ABXBAAB", "ABBAX", "XXBAB", "ABABAB", "BBBXXXAAA"]
    for alphabet in ("AB", None):
        assert_close(measured(texts, Mismatch(k, m, alphabet, skip="X")), brute(texts, k, m, "AB"), abs=2e-7)
    assert measured(texts, Mismatch(2, 1))[0, 1] != measured(texts, Mismatch(2, 1, skip="X"))[0, 1]


def coded(texts):
    out = np.empty(len(texts), object)
    out[:] = [np.array([ord(c) for c in t]) for t in texts]
    return out


@pytest.mark.parametrize(("k", "m", "letters"), [(3, 1, 200), (6, 1, 500), (20, 0, 200), (24, 1, 200)])
def test_long_words_over_large_alphabets(k, m, letters):
    """Words too many to number as they are: against all pairs of k-mers by their Hamming distance."""
    texts = draw(6, "ab", k, 40, (k, m))
    texts += [texts[0] + "é", texts[1][: k - 1] + "~" + texts[1][k:]]
    K = np.zeros((len(texts), len(texts)))
    for i, j in product(range(len(texts)), repeat=2):
        pairs = product(range(len(texts[i]) - k + 1), range(len(texts[j]) - k + 1))
        K[i, j] = sum(shared(k, m, letters, differ(texts[i][x : x + k], texts[j][y : y + k])) for x, y in pairs)
    norm = np.sqrt(K.diagonal())
    expected = np.sqrt(np.maximum(2 - 2 * K / norm[:, None] / norm, 0))
    codes = coded([t.replace("é", "\x7f") for t in texts])
    assert_close(mismatch(codes, codes, k, m, letters), expected, abs=2e-7)


def test_kernel_values_of_56_bits_are_exact():
    k, m, a = 8, 7, 200
    assert 2**56 < shared(k, m, a, 0) < 2**63
    words = coded(["\1\1\1\1\1\1\1\1", "\1\1\1\1\1\1\2\2", "\3\4\5\6\3\4\5\6"])
    exact = [shared(k, m, a, d) / shared(k, m, a, 0) for d in (2, 8, 8)]
    D = mismatch(words, words, k, m, a)
    assert 1 - D[[0, 0, 1], [1, 2, 2]] ** 2 / 2 == pytest.approx(exact, rel=1e-12)
    with pytest.raises(pc.errors.OptionError, match="beyond 64 bits for strings of 11 k-mers: use a smaller m"):
        mismatch(coded(["\1" * 18]), words, k, m, a)


@pytest.mark.parametrize("long", [40, 4200])
def test_the_index_and_the_matrix_product_count_the_same(monkeypatch, long):
    texts = draw(9, "ACGT", long, long + 30, 6)
    found = []
    for dense in (0, 1e9):
        monkeypatch.setattr("protoclass.core.distances.sequences.DENSE", dense)
        found += [measured(texts, Mismatch(k, m)) for k, m in ((3, 0), (4, 1), (5, 2))]
    for a, b in zip(found[:3], found[3:], strict=True):
        assert np.array_equal(a, b)


@pytest.fixture
def families():
    """Two families: strings around a motif each, with mutations."""
    rng = np.random.default_rng(5)
    rows = []
    for name, motif in (("hinge", "GATTACAGATTACA"), ("sheet", "CCGTGTGCCGTTGC")):
        for _ in range(25):
            text = np.array(list("".join(rng.choice(list("ACGT"), 6)) + motif + "".join(rng.choice(list("ACGT"), 6))))
            text[rng.integers(0, len(text), 4)] = rng.choice(list("ACGT"), 4)
            rows.append((name, "".join(text)))
    return pd.DataFrame(rows, [f"p{i}" for i in range(50)], ["family", "sequence"])


def test_the_alphabet_is_that_of_the_rows_in_fit_unless_given(families):
    metric = pc.dissimilarity("~ sequence", families, Mismatch(3, 1)).metric
    assert "".join(map(chr, metric.letters)) == "ACGT"
    assert metric.data_dependent
    assert not Mismatch(alphabet="ACGT").data_dependent
    fit = pc.fit("family ~ sequence", families, dissimilarity=Mismatch(3, 1), eps=1.0)
    assert "alphabet of 4 letters: ACGT" in str(fit.summary())
    new = pd.DataFrame({"sequence": ["GATTACA", "GATNACA"]}, ["good", "bad"])
    with pytest.warns(pc.DataWarning, match=r"'sequence' has letters that the training data lack: 'N' \(1 row\).*no prediction"):
        assert fit.predict(new).notna().tolist() == [True, False]
    with pytest.raises(pc.errors.DataError, match=r"the letter 'N' in 'sequence' at row 'bad' is.*data, 'ACGT':.*with skip='N'"):
        pc.fit("family ~ sequence", families, dissimilarity=Mismatch(3, 1), eps=1.0, candidates=pc.candidates.unlabelled(new))
    mixed = pc.Mixed([(["sequence"], Mismatch(3, 1)), (["x"], "euclidean")])
    halves = families.assign(x=np.arange(len(families)) / 2)
    for metric, data in ((pc.Ranks(Mismatch(3, 1)), families[["family", "sequence"]]), (mixed, halves)):
        with pytest.warns(pc.DataWarning, match="letters that the training data lack"):
            assert pc.fit("family ~ .", data, "knn", k=1, dissimilarity=metric).predict(new.assign(x=1)).notna().tolist() == [True, False]
    wide = pc.fit("family ~ sequence", families, dissimilarity=Mismatch(3, 1, "ACGT", skip="N"), eps=1.0)
    assert wide.predict(new).notna().all()


@pytest.mark.parametrize(
    ("texts", "metric", "message"),
    [
        (["ABAB", "AB", "A"], Mismatch(3, 1), r"string in 's' at row 1 has 2 letters, too few for k=3 \(2 such rows.* k <= 1"),
        (["ABAB", "ABCB"], Mismatch(3, 1, "AB"), "letter 'C' in 's' at row 1 is not among alphabet='AB'"),
        (["ABAB", "ABXAB"], Mismatch(3, 1, skip="X"), "every 3-mer of the string in 's' at row 1 has a letter of skip='X'"),
        (["XXX", "XXXX"], Mismatch(3, 1, skip="X"), "column 's' has no letters except those in skip='X'"),
        ([1.0, 2.0], Mismatch(3, 1), r"Mismatch \(k=3, m=1\) dissimilarities need text, but column 's' contains 1\.0"),
        (pd.Categorical([3, 4]), Levenshtein(), "Levenshtein dissimilarities need text, but column 's' contains 3 at row 0:"),
    ],
)  # fmt: skip
def test_data_that_do_not_serve_are_named(texts, metric, message):
    with pytest.raises(pc.errors.DataError, match=message):
        pc.dissimilarity("~ s", pd.DataFrame({"s": texts}), metric).frame()


@pytest.mark.parametrize("formula", ["~ .", "~ s + x", "~ x:s", "~ C(s)"])
def test_anything_but_one_column_of_text_is_refused(formula):
    table = pd.DataFrame({"s": ["ABAB", "BABA"], "x": [1.0, 2.0]})
    with pytest.raises(pc.errors.DataError, match=r"Mismatch \(k=3, m=1\) dissimilarities need one unchanged column of text, but '~"):
        pc.dissimilarity(formula, table, Mismatch(3, 1))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k must be a whole number >= 1 and <= 1000, not 0"),
        ({"k": 3, "m": 3}, "m must be a whole number >= 0 and <= 2, not 3"),
        ({"k": 30, "m": 5}, "k=30, m=5 needs 53,009,102 sets of positions, above 20,000: use a smaller m or k"),
        ({"alphabet": "ABA"}, "alphabet must be a text of different letters, such as 'ACGT', or None, not 'ABA'"),
        ({"alphabet": "AX", "skip": "X"}, "the letter 'X' is in both alphabet and skip: remove it from one"),
        ({"skip": None}, "skip must be a text of the letters to skip, such as 'X', not None"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(pc.errors.OptionError, match=message):
        Mismatch(**parameters)


def edits(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def test_levenshtein_equals_its_recursion():
    texts = [*draw(20, "ABCD", 0, 12, 1), *draw(3, "AB", 70, 140, 2), "", "", "\U0001f600é"]
    expected = np.array([[edits(a, b) for b in texts] for a in texts], float)
    D = measured(texts, Levenshtein())
    assert np.array_equal(D, expected)
    longest = np.array([[max(len(a), len(b), 1) for b in texts] for a in texts])
    scaled = measured(texts, Levenshtein(normalised=True))
    assert np.array_equal(scaled, expected / longest)
    assert np.array_equal(scaled, scaled.T)
    assert scaled.max() <= 1


@pytest.fixture(scope="module")
def names():
    """A hundred different texts of two classes, one of them rare."""
    texts = list(dict.fromkeys([*draw(60, "ABCDE", 5, 9, 3), *draw(40, "VWXDE", 5, 9, 4)]))
    return pd.DataFrame({"name": texts, "y": ["a" if i < 80 else "b" for i in range(len(texts))]})


@pytest.mark.parametrize("metric", ["auto", "gower", "zero_one"])
def test_texts_that_hardly_repeat_lead_to_metrics_of_letters(names, metric):
    line = r"dissimilarity=pc.Mismatch\(k=3, m=0\) .*dissimilarity=pc.Levenshtein\(\)"
    with pytest.warns(pc.DataWarning, match=f"'name' is text with {len(names)} different values in {len(names)} rows.*{line}") as seen:
        fit = pc.fit("y ~ name", names, "knn", k=[1, 15], dissimilarity=metric)
    assert len(seen) == 1  # and no other cure, such as to leave the only predictor out
    said = dict(line.split("  ", 1) for line in str(fit).splitlines() if "  " in line)
    assert "b" in said["Never predicted"]
    assert "whether two texts are the same" in said["Cause"]
    assert "pc.Levenshtein()" in said["Try"]
    assert not any(word in str(fit) for word in ("balanced", "lambda_ below", "calibrate=True"))


def test_what_is_no_lone_text_that_hardly_repeats_is_left_alone(names):
    half = names.assign(name=[f"word {i % 50}" for i in range(len(names))])  # each twice
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pc.fit("y ~ name", names, "knn", k=1, dissimilarity=pc.Mismatch(k=2))
        pc.fit("y ~ name", names, "knn", k=1, dissimilarity=Levenshtein())
        pc.fit("y ~ name", half, "knn", k=1)
        pc.fit("y ~ name", names.tail(25).head(9), "knn", k=1)  # few rows
        pc.fit("y ~ name + n", half.assign(n=1.0), "knn", k=1)
        order = pd.Categorical(names["name"], ordered=True)
        ordered = pc.fit("y ~ name", names.assign(name=order), "knn", k=1)
    assert ordered.dissimilarity.metric.name == "Gower"
