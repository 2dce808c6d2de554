"""What comes from data is text wherever it is shown: HTML in notebooks, LaTeX in papers, the terminal."""

import re
import shutil
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest

import protoclass as pc

EVIL = "<img src=x onerror=alert(1)>"
CODES = "\x1b[2J\x9b31m\u202e\x07\rx\nFORGED: line"  # clears a terminal, colours, turns the direction, begins a line
INPUT = r"\input{/etc/passwd} $x_{1}$ & % # ~ ^"


@pytest.fixture(scope="module")
def hostile():
    """Labels of classes, rows and columns that would be markup."""
    iris = pc.load_data("iris").iloc[::3]
    names = {"setosa": EVIL, "versicolor": "<script>1</script>", "virginica": INPUT}
    data = iris.assign(species=iris["species"].astype(str).map(names)).rename(columns={"petal_width": "<b>width</b>"})
    data.index = [f"<i>{k}</i>" for k in range(len(data))]
    return data


def values(data, folder):
    """Everything that prints and that a notebook shows, but for the tables of pandas."""
    response, group = list(data)[4:]
    formula, numbers = f"`{response}` ~ .", data.drop(columns=group)
    fit = pc.fit(formula, data, eps=[0.2, 0.4], cv=3, certify=True, calibrate={"cv": 3})
    test, dissimilarity = fit.test(data), pc.dissimilarity(formula, data)
    yield from (fit, fit.summary(), fit.call, fit.frame, fit.validation, fit.certificate, fit.card())
    yield from (test, test.summary(), test.as_table(), fit.stability(resamples=2), fit.alternatives(within=0.2), fit.criticisms())
    yield from (fit.threshold(fit.classes[0]), fit.test(data, threshold={fit.classes[0]: 0.5}))
    by = fit.test(data, by=group)
    yield from (by, by.summary(), by.as_table(of=fit.classes[0]), dissimilarity, dissimilarity.embed())
    yield dissimilarity.check(by=data[response])
    compared = pc.compare(formula, data, {EVIL + CODES: "knn", "p": {"method": "pvm", "eps": 0.3}}, test_size=0.3)
    yield from (compared, compared.as_table())
    for name, one in {"a\x1b[2Jb": fit, "slim": fit.slim()}.items():
        saved = one.save(folder / name)
        yield from (saved, pc.load(saved).reproduce(data), pc.load(saved))
    for method, parameters in OTHERS.items():
        other = pc.fit(formula, numbers, method, cv=None, **parameters)
        yield from (other, other.summary())
    yield pc.fit(formula, numbers, "mmd", K=2).criticisms()


OTHERS = {
    "knn": {"k": 3}, "mmd": {"K": 2}, "mixture": {"K": 2, "starts": 1}, "kmeans": {"K": 2},
    "scm": {"penalty": 1.0, "kind": "conjunction", "max_size": 2, "features": "stumps"},
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_nothing_of_the_data_is_markup_or_a_code_of_a_terminal(coded, tmp_path):
    tags = re.compile(r"<(?!/?(?:table|thead|tbody|tr|th|td|caption|div|code|pre|br|p|h1|h2|ul|li|b>|/b>|style)\b)[^>]{0,40}")
    codes = 0
    for value in values(coded, tmp_path):
        text = str(value)
        codes += r"\x1b[2J" in text
        assert all(c.isprintable() for c in text.replace("\n", "")), text
        assert not [line for line in text.split("\n") if line.startswith("FORGED")], text
        page = value._repr_html_() if hasattr(value, "_repr_html_") else ""
        assert not tags.findall(re.sub(r"<style.*?</style>", "", page, flags=re.S)), page
    assert codes > 20


def test_a_report_is_one_page_that_needs_nothing_beside_it(hostile, tmp_path):
    fit = pc.fit("species ~ .", hostile, cv=3, eps=[0.8, 1.2], calibrate={"cv": 3})
    path = fit.report(tmp_path / "fit.html", test=hostile)
    page = path.read_text()
    own = '<script type="text/plain" class="protoclass-data">', '<script type="module">'
    assert page.count("<script") == sum(page.count(tag) for tag in own) == 2
    for tag in (EVIL, "<script>", "<b>width", "<i>k", "<i>0"):
        assert tag not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert page.count("data:image/png;base64,") == 7
    assert """http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-""" in page
    assert fit.test(hostile)._repr_html_() in page
    assert not re.search(r"""(?:src|href)=["'](?!data:)""", page)
    for head in ("Prototypes", "Cross-validation", "Test on new rows", "Versions", "How to cite"):
        assert f"<h2>{head}</h2>" in page
    with pytest.raises(pc.errors.OptionError, match="overwrite=True"):
        fit.report(path)
    assert fit.report(str(path), overwrite=True) == path
    test = fit.test(hostile, by=(hostile["petal_length"] > 4).rename("<i>long</i>"))
    assert "<i>" not in test._repr_html_()
    assert test._repr_html_() in fit.report(path, test=test, overwrite=True).read_text()
    with pytest.raises(pc.errors.OptionError, match=r"ends in \.html"):
        fit.report(tmp_path / "fit.pdf")
    with pytest.raises(pc.errors.FileError, match="can't be written"):
        fit.report(tmp_path / "absent" / "fit.html")
    assert [file.name for file in tmp_path.iterdir()] == ["fit.html"]


def test_latex_holds_no_command_of_the_data(hostile):
    fit = pc.fit("species ~ .", hostile, eps=1.0)
    assert r"\input{" not in fit.test(hostile).summary().as_latex()
    text = fit.summary().as_latex()
    assert r"\input{" not in text
    assert r"\textbackslash{}input\{/etc/passwd\}" in text
    bare = re.sub(r"\\(?:begin|end)\{\w+\}(?:\{\w*\})?", "", text)
    assert not re.search(r"(?<!\\)[$&#](?![^\n]*\\\\)", re.sub(r"\$[<>|]\$", "", bare))


def tabulars(text):
    """The lines of each tabular by their cells, all of which LaTeX would read as plain text, and the number of its columns."""
    start, end = r"\\begin\{tabular\}\{((?:[lr]|p\{[^}]*\})+)\}\n\\toprule\n", r"\n\\bottomrule\n\\end\{tabular\}"
    for form, body in re.findall(f"{start}(.*?){end}", text, re.S):
        columns = len(re.findall(r"[lr]|p\{[^}]*\}", form))
        lines = [line for line in body.split("\n") if line != r"\midrule"]
        assert all(line.endswith(r" \\") for line in lines)
        yield columns, [re.split(r"(?<!\\) & ", line[:-3]) for line in lines]


@pytest.mark.filterwarnings("ignore::protoclass.DataWarning")
def test_each_part_of_a_summary_is_one_tabular(hostile, iris, tmp_path):
    odd = iris.assign(species=iris["species"].map({"setosa": "*a", "versicolor": "[2pt]", "virginica": "50 % & _~^|<>"}))
    for data in (iris, odd, hostile):
        fit = pc.fit("species ~ .", data, eps=1.0)
        test, groups = fit.test(data), fit.test(data, by=np.arange(len(data)) % 2)
        for summary in (fit.summary(), *(value() for v in (test, groups) for value in (v.summary, v.as_table))):
            text = summary.as_latex("5 % & more", "tab:iris")
            found = list(tabulars(text))
            assert len(found) == text.count("tabular}") / 2 == len(summary.sheets)
            for sheet, (columns, lines) in zip(summary.sheets, found, strict=True):
                assert {len(line) for line in lines} == {columns}  # heads stand above their cells
                assert len(lines) == len(sheet.cells) + (sheet.headers is not None)
                assert not any(line[0].startswith(("*", "[")) for line in lines)
            assert text.count(r"\caption{5 \% \& more}") == text.count(r"\label{tab:iris}") == 1
            assert r"\caption{" in summary.as_latex()
            for name in ("table", "tabular", "minipage"):
                assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}") > 0
            assert len(re.findall(r"(?<!\\)\{", text)) == len(re.findall(r"(?<!\\)\}", text))
            assert text.count(r"\begin{adjustbox}{max width=\linewidth}") == text.count(r"\end{adjustbox}")
            tex = next((tool for tool in ("tectonic", "pdflatex") if shutil.which(tool)), None)
            if tex:
                page = tmp_path / "page.tex"
                page.write_text(f"\\documentclass{{article}}\\usepackage{{booktabs,adjustbox}}\\begin{{document}}{text}\\end{{document}}")
                options = ["-interaction=nonstopmode", "-halt-on-error"] if tex == "pdflatex" else []
                assert subprocess.run([tex, *options, page.name], cwd=tmp_path, capture_output=True).returncode == 0


def test_the_text_of_a_summary_is_that_of_the_data(hostile):
    assert EVIL in str(pc.fit("species ~ .", hostile, eps=1.0).summary())


def test_plain_words_stay_as_they_are(iris):
    page = pc.fit("species ~ .", iris, eps=1.0).summary().as_html()
    assert "versicolor" in page
    assert "&amp;" not in page
    assert page.count("<table") == page.count("</table>") == 4


@pytest.fixture(scope="module")
def coded():
    """Names of classes, levels, columns and rows that are codes of a terminal and markup."""
    iris, odd = pc.load_data("iris").iloc[::3], EVIL + CODES
    data = iris.assign(species=pd.Categorical(iris["species"].astype(str) + odd))
    data = data.rename(columns={"petal_width": f"p{odd}", "species": f"y{odd}"})
    data[f"g{odd}"] = np.array([f"a{odd}", f"b{odd}"])[np.arange(len(data)) % 2]
    data.index = [f"r{k}{odd}" for k in range(len(data))]
    return data


def test_messages_and_warnings_show_codes(coded):
    data, odd = coded, EVIL + CODES
    fit = pc.fit(f"`y{odd}` ~ .", data, "knn", k=1)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for new in (data.drop(columns=f"p{odd}"), data.assign(**{f"g{odd}": f"new{odd}"}), data.assign(**{f"p{odd}": odd})):
            try:
                fit.predict(new)
            except pc.ProtoclassError as reason:
                seen.append(reason)
    assert seen
    for message in seen:
        assert all(c.isprintable() for c in str(getattr(message, "message", message)).replace("\n", ""))
