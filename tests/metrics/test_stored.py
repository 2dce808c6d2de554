"""Dissimilarities from files: what R, PHYLIP, pandas and NumPy write, and files that hold none."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

import protoclass as pc

THREE = [[0.0, 1.0, 2.5], [1.0, 0.0, 2.0], [2.5, 2.0, 0.0]]
TABLES = {  # as R 4 writes as.matrix(d) for rows a, b, c
    "write.csv": '"","a","b","c"\n"a",0,1,2.5\n"b",1,0,2\n"c",2.5,2,0\n',
    "write.csv, no row names": '"a","b","c"\n0,1,2.5\n1,0,2\n2.5,2,0\n',
    "write.csv2": '"";"a";"b";"c"\n"a";0;1;2,5\n"b";1;0;2\n"c";2,5;2;0\n',
    "write.table": '"a" "b" "c"\n"a" 0 1 2.5\n"b" 1 0 2\n"c" 2.5 2 0\n',
    "write.table, tabs": '"a"\t"b"\t"c"\n"a"\t0\t1\t2.5\n"b"\t1\t0\t2\n"c"\t2.5\t2\t0\n',
    "pandas, to_string": "    a   b   c\na 0.0 1.0 2.5\nb 1.0 0.0 2.0\nc 2.5 2.0 0.0\n",
    "Windows": '\ufeff"","a","b","c"\r\n"a",0,1,2.5\r\n"b",1,0,2\r\n"c",2.5,2,0\r\n\r\n',
    "bars": "|a|b|c\na|0|1|2.5\nb|1|0|2\nc|2.5|2|0\n",
    "a triangle below a header": ",a,b,c\na,0\nb,1,0\nc,2.5,2,0\n",
    "a triangle below a header, no diagonal": ",a,b,c\na\nb,1\nc,2.5,2\n",
    "a triangle below a header, no names": "a,b,c\n0\n1,0\n2.5,2,0\n",
    "no header": "a,0,1,2.5\nb,1,0,2\nc,2.5,2,0\n",
    "numbers for the names of rows": ",a,b,c\n0,0,1,2.5\n1,1,0,2\n2,2.5,2,0\n",
    "placeholders": ",a,b,c\na,0,None,#N/A\nb,1,0,null\nc,2.5,2,0\n",
    "phylip square": "    3\na         0.0 1.0 2.5\nb         1.0 0.0 2.0\nc         2.5 2.0 0.0\n",
    "phylip lower": "3\na\nb 1.0\nc 2.5 2.0\n",
    "phylip lower, diagonal": "3\na 0\nb 1.0 0\nc 2.5 2.0 0\n",
    "phylip upper": "3\na\t1.0\t2.5\nb\t2.0\nc\n",
}


def write(tmp_path, text, name="dist.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_each_format_gives_the_same_matrix(tmp_path, text):
    read = pc.read_dissimilarity(str(write(tmp_path, text)))
    pd.testing.assert_frame_equal(read.frame(), pd.DataFrame(THREE, list("abc"), list("abc")))
    assert "Dissimilarities read from 'dist.csv'." in repr(read)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('"","a,b","say ""hi""","x y"\n"a,b",0,1,2\n"say ""hi""",1,0,2\n"x y",2,2,0\n', ["a,b", 'say "hi"', "x y"]),
        (",k;p,k;q,k;r\nk;p,0,1,2\nk;q,1,0,2\nk;r,2,2,0\n", ["k;p", "k;q", "k;r"]),
        ('"","\u00e9t\u00e9","NA","x_1"\n"\u00e9t\u00e9",0,1,2\n"NA",1,0,2\n"x_1",2,2,0\n', ["\u00e9t\u00e9", "NA", "x_1"]),
        ('"","7","101","12"\n"7",0,1,2\n"101",1,0,2\n"12",2,2,0\n', [7, 101, 12]),
        ('"","V1","V2","V3"\n"1",0,1,2\n"2",1,0,2\n"3",2,2,0\n', [1, 2, 3]),
        ("0\n1,0\n2,2,0\n", [0, 1, 2]),
        ("0\t1\t2\n0\t2\n0\n", [0, 1, 2]),
        ("c(1, 2, 2)\n", [0, 1, 2]),
        ("  1 2\n2 1  \n3 2 2\n", [1, 2, 3]),
        ("           New York Los Angeles\nLos Angeles       1            \nSt. Louis         2           2\n",
         ["New York", "Los Angeles", "St. Louis"]),
        ("a\tb\t1\t0.5\t7/9\na\tc\t2\t0.5\t7/9\nb\tc\t2\t0.5\t7/9\n", ["a", "b", "c"]),
        (" [1] 1 2\n [3] 2\n", [0, 1, 2]),
        ('"","07","101","12"\n"07",0,1,2\n"101",1,0,2\n"12",2,2,0\n', ["07", "101", "12"]),
        ("3\nHomo_sapiens_sapiens\nPan_troglodytes 1.0\nG 2.0 2.0\n", ["Homo_sapiens_sapiens", "Pan_troglodytes", "G"]),
    ],
)
def test_names_are_those_of_the_file(tmp_path, text, names):
    frame = pc.read_dissimilarity(write(tmp_path, text)).frame()
    assert frame.index.tolist() == frame.columns.tolist() == names
    assert frame.to_numpy().tolist() == [[0, 1, 2], [1, 0, 2], [2, 2, 0]]


def test_numpy_files_square_and_condensed(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 3))
    for array in (pdist(X), squareform(pdist(X)), np.asfortranarray(squareform(pdist(X))), pdist(X).astype("f4")):
        np.save(tmp_path / "d.npy", array)
        read = pc.read_dissimilarity(tmp_path / "d.npy")
        single = array.dtype == np.float32
        assert (read.frame().to_numpy() == squareform(pdist(X).astype(array.dtype)).astype(float)).all() or single
        assert read.index.tolist() == list(range(20))


def r_table(iris, ends=None):
    """What R writes for the distances of scaled iris, with its row numbers from 1."""
    D = pc.dissimilarity("species ~ .", iris).frame().to_numpy()
    n = len(D)
    lines = ['"",' + ",".join(f'"{k + 1}"' for k in range(n))]
    lines += [f'"{k + 1}",' + ",".join(f"{v:.15g}" for v in D[k]) for k in range(n)]
    return "\n".join(lines[:ends]) + "\n"


def test_r_distances_fit_as_the_data_do(iris, tmp_path):
    path = write(tmp_path, r_table(iris))
    read = pc.read_dissimilarity(path)
    fit = pc.fit("species ~ 1", iris, dissimilarity=read, eps=1.0)
    same = pc.fit("species ~ .", iris, eps=1.0)
    assert fit.prototypes.index.tolist() == same.prototypes.index.tolist()
    assert "read from" in str(fit.summary())
    shuffled = iris.sample(frac=1, random_state=0)
    assert pc.fit("species ~ 1", shuffled, dissimilarity=read, eps=1.0).rule.size == same.rule.size
    # rows from 1 match names or numbers from 1, and all rows from 0
    off = "counts its rows from 1; .*off by one.*index_col=0.*rename_axis"
    for other, cure in (
        (iris.set_axis([f"r{i}" for i in range(150)]), r"pc.read_dissimilarity\(path, names=data.index\)"),
        (iris.iloc[1:], off),
        (iris.iloc[:100], f"lack the row 0 of the data.*{off}"),
    ):
        for d in (read, read.symmetrized()):
            with pytest.raises(pc.errors.DataError, match=cure):
                pc.fit("species ~ 1", other, dissimilarity=d, eps=1.0)
    named = pc.read_dissimilarity(path, names=iris.index)
    assert pc.fit("species ~ 1", iris.iloc[1:], dissimilarity=named, eps=1.0).nobs == 149


def test_rows_from_1_and_some_of_the_labels_are_not_matched_off_by_one_in_silence(iris, tmp_path):
    path = write(tmp_path, r_table(iris))
    d, D = pc.read_dissimilarity(path), pd.read_csv(path, index_col=0)
    right = iris.set_axis(pd.Index([*range(1, 151)]))  # as read_csv(index_col=0) does, not a RangeIndex
    some, last = [*range(9, 60), *range(100, 140)], [149]

    def train(rows, matrix):
        return pc.fit("species ~ 1", rows, "knn", k=1, dissimilarity=matrix)

    for matrix in (d, D):
        with pytest.raises(pc.errors.DataError, match="off by one"):
            train(iris[20:], matrix)
        for forgotten in (iris.iloc[some], right.iloc[some]):  # the same labels may be right
            with pytest.warns(pc.errors.DataWarning, match="off by one") as told:
                train(forgotten, matrix)
            assert len(told) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for rows in (right, right.iloc[some + last], right[20:], right.iloc[some].rename_axis("row")):
                assert train(rows, matrix).prototypes.index.isin(rows.index).all()
            pc.cross_validate("species ~ 1", right, "knn", k=1, dissimilarity=matrix, cv=5)
            pc.compare("species ~ 1", right, ["knn", "kmedoids"], dissimilarity=matrix, cv=2)
    np.save(tmp_path / "d.npy", pc.dissimilarity("species ~ .", iris).condensed())
    with pytest.raises(pc.errors.DataError, match=r"without row names.*names=classes.index"):
        train(right[20:], pc.read_dissimilarity(tmp_path / "d.npy"))


def test_new_rows_that_count_from_1_are_not_matched_to_a_fit_that_counts_from_0(iris, tmp_path):
    path = write(tmp_path, r_table(iris))
    fit = pc.fit("species ~ 1", iris, dissimilarity=pc.read_dissimilarity(path), eps=1.0)
    new, names = pd.read_csv(path, index_col=0), fit.prototypes.index
    assert 0 not in names
    new.columns = new.columns.astype(int)
    for rows in (new, new[[*names]], new[[*names + 1]]):
        for same in (fit, fit.slim()):
            with pytest.raises(pc.errors.DataError, match=r"matched by position.*names=data.index"):
                same.predict(rows)
    rows = pc.read_dissimilarity(path, names=iris.index).frame()
    assert fit.predict(rows).tolist() == fit.predict(rows[[0, *names]]).tolist() == fit.augment()["fitted"].tolist()


def test_new_rows_in_a_file_and_a_file_as_dissimilarity_are_hinted(iris, tmp_path):
    path = write(tmp_path, r_table(iris, 4))
    with pytest.raises(pc.errors.DataError, match=r"pd.read_csv\(path, index_col=0\) reads new rows"):
        pc.read_dissimilarity(path)
    with pytest.raises(pc.errors.OptionError, match=r"use dissimilarity=pc.read_dissimilarity\(path\)"):
        pc.fit("species ~ 1", iris, dissimilarity="dist.csv")
    fit = pc.fit("species ~ 1", iris, dissimilarity=pc.dissimilarity("species ~ .", iris).frame(), eps=1.0)
    new = pd.read_csv(path, index_col=0).add_prefix("X")
    with pytest.raises(pc.errors.DataError, match=r"new.columns.str\[1:\].astype\(int\)"):
        fit.predict(new)
    with pytest.raises(pc.errors.NotAvailableError, match=r"no variables to explain: use fit.predict\(new, 'distance'\)"):
        fit.why(1)


def test_the_same_file_through_pandas_is_refused_at_each_wrong_turn(iris, tmp_path):
    path = write(tmp_path, r_table(iris))
    cure = r"pd.read_csv\(path, index_col=0\), or with pc.read_dissimilarity\(path\)"
    plain = pd.read_csv(path)
    assert plain.shape == (150, 151)
    wrong = {
        "has no name": [plain, plain.rename(columns={"Unnamed: 0": ""}), plain.rename(columns={"Unnamed: 0": np.nan})],
        "agree only as text": [plain.rename(columns={"Unnamed: 0": "id"}), plain.iloc[:, 1:]],
    }  # fmt: skip
    for message, frames in wrong.items():
        for D in frames:
            with pytest.raises(pc.errors.DataError, match=f"{message}.*{cure}"):
                pc.fit("species ~ 1", iris, dissimilarity=D, eps=1.0)
    D = pd.read_csv(path, index_col=0)
    texts = iris.set_axis([f"r{i}" for i in range(150)])
    for table, data, message in (
        (D.set_axis(D.index, axis=1), texts, "rows are matched by label"),
        (D.set_axis(texts.index), texts, "differ, so none of the candidates is a row"),
    ):
        with pytest.raises(pc.errors.DataError, match=f"{message}.*D.index = D.columns = data.index"):
            pc.fit("species ~ 1", data, dissimilarity=table, eps=1.0)
    shifted = plain.iloc[:, 1:].set_axis(range(1, 151), axis=1)  # columns one off: row 1 is not at 0 from itself
    with pytest.raises(pc.errors.DataError, match="correct the labels of rows and columns"):
        pc.fit("species ~ 1", iris, dissimilarity=shifted, eps=1.0)
    same = pc.fit("species ~ .", iris, eps=1.0)  # numbered from 1 on both sides
    for first in (0, 1):
        fit = pc.fit("species ~ 1", iris.set_axis(range(first, 150 + first)), dissimilarity=D, eps=1.0)
        assert fit.prototypes.index.tolist() == (same.prototypes.index + first).tolist()


def test_labels_of_another_type_and_labels_in_a_column_have_cures_that_match_the_right_rows(iris):
    """The data are in another order than the matrix, so an assignment by position would give the rows the classes of others."""
    D = pc.dissimilarity("~ . - species", iris).frame()
    expected = pc.fit("species ~ 1", iris, dissimilarity=D, eps=1.0).prototypes["class"]
    shuffled = iris.sample(frac=1, random_state=3)

    def check(D, data, cure, first=0):
        with pytest.raises(pc.errors.DataError, match=re.escape(f"so use {cure}")):
            pc.fit("species ~ 1", data, dissimilarity=D, eps=1.0)
        names = {"data": data.copy()}
        exec(cure, names)
        found = pc.fit("species ~ 1", names["data"], dissimilarity=D, eps=1.0).prototypes
        assert found["class"].tolist() == [iris["species"][int(label) - first] for label in found.index]
        assert len(found) == len(expected)

    texts = D.set_axis(D.index.astype(str)).set_axis(D.index.astype(str), axis=1)
    check(texts, shuffled, "data.index = data.index.astype(str)")
    check(D, shuffled.set_axis(shuffled.index.astype(str)), "data.index = data.index.astype(int)")
    # R's labels 1 to 150 overlap with pandas' 0 to 149
    by_r = D.set_axis(D.index + 1).set_axis(D.index + 1, axis=1)
    identified = shuffled.assign(site=pd.Categorical(["x"] * 150), id=shuffled.index + 1).reset_index(drop=True)
    check(by_r, identified, "data = data.set_index('id')", 1)
    given = pc.fit("species ~ 1", iris, dissimilarity=D, eps=1.0)
    with pytest.raises(pc.errors.DataError, match=r"so use new.columns = new.columns.astype\(int\)"):
        given.predict(texts.iloc[:3])
    assert given.predict(texts.iloc[:3].set_axis(texts.columns.astype(int), axis=1)).tolist() == ["setosa"] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty"),
        ("\u00e9,b\n0,1\n1,0\n".encode("latin-1"), r"the file 'dist\.csv' is neither text in UTF-8.*: use R's"),
        (pickle.dumps(np.eye(3)), r"the file 'dist\.csv' is neither text in UTF-8.*: use R's"),
        ("word\n", "has one row"),
        ('"","a","b","c"\n"a",0,1,2\n"c",2,2,0\n', "rows have 4, 4, 4 fields, so it is neither a square table"),
        ('"","a","b","c"\n"a",0,1,2\n"b",1,0,2\n"c,2,2,0', "line 4 is not valid, unexpected end of data"),
        ('"","a","b","a"\n"a",0,1,2\n"b",1,0,2\n"a",2,2,0\n', "'a' is not the name of one row"),
        ('"","a","b"\n"a",0,x\n"b",1,0\n', "'x' in row 1 is not a number"),
        ('"","a","b"\n"a",0,1_0\n"b",1_0,0\n', "'1_0' in row 1"),
        ('"","a","b"\n"a",0,NA\n"b",NA,0\n', "2 dissimilarities are missing, the first of which is from 'a' to 'b'"),
        ('"","a","b"\n"a",1,0.5\n"b",0.5,1\n', "2 of 2 rows are farther from themselves .*from_similarity"),
        ("  a b b\na 0 1 2\nb 1 0 3\nb 2 3 0\n", "'b' is the name of several rows or columns"),
        ("  a b\nb 1  \nb 2 3\n", "'b' is the name of several rows or columns"),
        ("1\n1 2\n2 2 3\n", "the rows of one triangle have no names that are texts"),
    ],
)
def test_files_that_hold_none_are_named(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(pc.errors.DataError, match=message):
        pc.read_dissimilarity(path)


def test_numpy_files_that_hold_none(tmp_path):
    path = tmp_path / "d.npy"

    class Evil:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was loaded",))

    np.save(path, np.arange(6.0) + 1)
    whole = path.read_bytes()
    for content, expected in (
        (np.array([Evil(), None], object), "is not a complete .npy file of numbers"),
        (np.zeros(5), "a condensed array for 3 rows needs 3 values"),
        (np.zeros((3, 4)), r"not of shape \(3, 4\)"),
        (np.zeros((3, 3), complex), "dissimilarities must be numbers"),
        (np.array(["a"]), "dissimilarities must be numbers"),
        (np.zeros(0), "has one row"),
        (whole[:60], "not a complete .npy"),
        (whole[:-5], "not a complete .npy"),
        (whole.replace(b"(6,)", b"(99999999999,)"), "not a complete .npy"),
    ):
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            np.save(path, content, allow_pickle=True)
        with pytest.raises(pc.errors.DataError, match=expected):
            pc.read_dissimilarity(path)


def test_paths_that_lead_nowhere(tmp_path):
    for path in (tmp_path, tmp_path / "none.csv", "a\0b", tmp_path / ("x" * 400)):
        with pytest.raises(pc.errors.DataError, match=r"can't be opened: (No such|Is a directory|embedded null|File name too long)"):
            pc.read_dissimilarity(path)
    for path in (None, 3, pd.DataFrame(THREE), b"dist.csv"):
        with pytest.raises(pc.errors.OptionError, match="path must be"):
            pc.read_dissimilarity(path)
    path = write(tmp_path, TABLES["write.csv"])
    for names in ("abc", 3, ["a"], ["a", "b", "b"], [[1], "b", "c"]):
        with pytest.raises(pc.errors.OptionError, match="names must be 3 different row labels"):
            pc.read_dissimilarity(path, names=names)


NAMES = ["a", "b", "c", "d", "e"]
LISTED = ["1.5376", "1.5721", "2.6233", "1.0859", "1.0504", "1.4138", "0.8053", "2.4364", "1.5644", "1.5416"]
FIVE = squareform([*map(float, LISTED)])


def in_rows(cell, sep=",", header=NAMES, names=NAMES):
    """A table whose cells are `cell(i, j)`, None for none at all."""
    rows = [[f"{NAMES[i]}", *(cell(i, j) for j in range(5))] for i in range(5)]
    rows = [[c for c in (row if names else row[1:]) if c is not None] for row in rows]
    return "\n".join(sep.join(row) for row in ([["", *header]] if header and names else [header] if header else []) + rows) + "\n"


def in_pairs(pairs, head="", sep=",", number=False):
    lines = [sep.join([*([f'"{k + 1}"'] if number else []), NAMES[i], NAMES[j], f"{FIVE[i, j]:g}"]) for k, (i, j) in enumerate(pairs)]
    return "\n".join([head, *lines] if head else lines)


def printed(kept, rows, columns, width=5, names=NAMES):
    """As R prints a matrix, in blocks of `width` columns."""
    side, out = max(map(len, names)), []
    for first in range(0, len(columns), width):
        some = columns[first : first + width]
        out.append(" " * side + "".join(f" {names[j]:>15}" for j in some))
        out += [f"{names[i]:{side}}" + "".join(f" {f'{FIVE[i, j]:.4f}' if kept(i, j) else '':>15}" for j in some) for i in rows]
    return "\n".join(out) + "\n"


def value(i, j):
    return f"{FIVE[i, j]:g}"


ALL = [(i, j) for j in range(5) for i in range(5)]
TRIANGLES = {
    **{f"lower, {blank!r}": in_rows(lambda i, j, blank=blank: value(i, j) if j <= i else blank) for blank in ("", "NaN", "-")},
    **{f"upper, {blank!r}": in_rows(lambda i, j, blank=blank: value(i, j) if j >= i else blank) for blank in ("NA",)},
    "strict lower": in_rows(lambda i, j: value(i, j) if j < i else "NA"),
    "no diagonal": in_rows(lambda i, j: value(i, j) if j != i else ""),
    "tabs, decimal commas": in_rows(lambda i, j: value(i, j).replace(".", ",") if j <= i else "NA", "\t"),
    "semicolons, points": in_rows(lambda i, j: value(i, j), ";"),
    "no row names": in_rows(lambda i, j: value(i, j) if j <= i else "", names=None),
    **{f"ragged, {sep!r}": in_rows(lambda i, j: value(i, j) if j < i else None, sep, header=None) for sep in (" ", "\t", ",", ";")},
    "ragged upper": in_rows(lambda i, j: value(i, j) if j > i else None, "\t", header=None),
    "mash triangle": "\t5\n" + in_rows(lambda i, j: value(i, j) if j < i else None, "\t", header=None),
    "pairs": in_pairs(ALL, "i,j,distance"),
    "pairs, as.table": in_pairs(ALL, '"","Var1","Var2","Freq"', number=True),
    "pairs, write.table": in_pairs(ALL, '"X1" "X2" "value"', " ", number=True),
    "pairs, no header": in_pairs(ALL, sep="\t"),
    "pairs, once": in_pairs([p for p in ALL if p[0] > p[1]], "i,j,d"),
    "pairs, upper": in_pairs([p for p in ALL if p[0] < p[1]], "i;j;d", ";"),
    **{f"print(d), {width}": printed(lambda i, j: j < i, range(1, 5), range(4), width) for width in (5, 3)},
    "print(d, diag=TRUE)": printed(lambda i, j: j <= i, range(5), range(5), 2),
    "print(as.matrix(d))": printed(lambda i, j: True, range(5), range(5), 3),
    "to_string": pd.DataFrame(FIVE, NAMES, NAMES).to_string(),
}  # fmt: skip


@pytest.mark.parametrize("text", TRIANGLES.values(), ids=TRIANGLES)
def test_triangles_pairs_and_prints_give_the_whole_matrix(tmp_path, text):
    frame = pc.read_dissimilarity(write(tmp_path, text)).frame()
    pd.testing.assert_frame_equal(frame, pd.DataFrame(FIVE, NAMES, NAMES))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(LISTED), "x\n" + "\n".join(LISTED), " ".join(LISTED), ",".join(LISTED), "\n".join(LISTED).replace(".", ","),
        '"","x"\n' + "\n".join(f'"{k + 1}",{v}' for k, v in enumerate(LISTED)),
    ],
)  # fmt: skip
def test_values_without_names_are_labelled_from_0(tmp_path, text):
    read = pc.read_dissimilarity(write(tmp_path, text))
    pd.testing.assert_frame_equal(read.frame(), pd.DataFrame(FIVE), check_index_type=False, check_column_type=False)
    data = pd.DataFrame({"y": list("aabba")}, range(1, 6))
    assert pc.fit("y ~ 1", data, "knn", k=1, dissimilarity=read).prototypes.index.tolist() == [1, 2, 3, 4, 5]


def test_three_rows_of_numbers_are_a_matrix_and_no_pairs(tmp_path):
    for text in ("0,1,1\n1,0,1\n1,1,0\n", '"","1","2","3"\n"1",0,1,1\n"2",1,0,1\n"3",1,1,0\n'):
        assert pc.read_dissimilarity(write(tmp_path, text)).frame().to_numpy().tolist() == (1 - np.eye(3)).tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (in_rows(lambda i, j: value(i, j) if j <= i else "0"), r"the upper triangle .* is 0.*D \+ D\.T"),
        (
            in_rows(lambda i, j: value(i, j) if j <= i and (i, j) != (2, 0) else "NA"),
            "11 dissimilarities are missing, .*in both directions or all in one triangle",
        ),
        (in_pairs(ALL[:-7], "i,j,distance"), "neither a square table"),
    ],
)
def test_part_of_a_triangle_and_of_the_pairs_is_refused(tmp_path, text, message):
    with pytest.raises(pc.errors.DataError, match=message):
        pc.read_dissimilarity(write(tmp_path, text))
