"""Pages about a fit, the model card and the report, as Markdown and HTML in which everything that
comes from data is escaped."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from protoclass import __version__

from ..analysis.evaluation import TestResult
from ..analysis.groups import TestByGroup
from ..analysis.groups import test as test_on
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailableError, OptionError, brief, cut, first_of, printed
from ..ground.files import PAGES, check_free, check_path, write_file
from ..ground.options import significant
from ..ground.text import SHOWN
from ..tables.evaluation import lines
from ..tables.printing import by_class, certificate_rows, error_said, facts, notes, validated
from ..tables.tidy import list_prototypes
from ..values import public
from ..widgets.browser import script, style, to_page
from .methods import Methods, methods
from .saving import versions

COLUMNS = 8  # of the tables of prototypes
# lines of print that are limits of the fit
LIMITS = ("Warning", "Costs", "Never predicted", "Cause", "Try", "Grid")
# plots of a test
OF_PROBABILITIES = {
    "calibration": "observed proportions by predicted probability",
    "roc": "the ROC curves of the classes",
    "decision": "net benefit by threshold",
}
# characters with a meaning in Markdown
INLINE = {c: f"&#{ord(c)};" for c in "&<>|`\\$@[]"} | {c: f"\\{c}" for c in "_*~^"}
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #8886; }
table, th, td { border: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.7rem; text-align: right; } th:first-child, td:first-child { text-align: left; }
tbody tr:nth-child(even) { background: #8881; } img { max-width: 100%; background: white; border-radius: 4px; }
pre { white-space: pre-wrap; background: #8881; padding: 0.7rem; border-radius: 4px; } ul { padding-left: 1.2rem; }
"""


@dataclass(frozen=True)
class Text:
    """Sentences, each a paragraph or an entry of a list."""

    sentences: Sequence[str]
    listed: bool = False

    def markdown(self) -> str:
        lines = map(escape_markdown, self.sentences)
        return "\n".join(f"- {line}" for line in lines) if self.listed else "\n\n".join(lines)

    def html(self) -> str:
        tag = "li" if self.listed else "p"
        lines = "".join(f"<{tag}>{html.escape(sentence)}</{tag}>" for sentence in self.sentences)
        return f"<ul>{lines}</ul>" if self.listed else lines


@dataclass(frozen=True)
class Code:
    """A line of Python."""

    line: str

    def markdown(self) -> str:
        fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall("`+|$", self.line)))
        return f"{fence}python\n{' '.join(self.line.split())}\n{fence}"

    def html(self) -> str:
        return f"<pre><code>{html.escape(self.line)}</code></pre>"


@dataclass(frozen=True)
class TextTable:
    """A small table of texts."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        head, *rows = ([escape_markdown(c) for c in row] for row in (self.head, *self.rows))
        return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))

    def html(self) -> str:
        def row(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

        head = f"<thead>{row(self.head, 'th')}</thead>" if any(self.head) else ""
        return f"<table>{head}<tbody>{''.join(row(cells, 'td') for cells in self.rows)}</tbody></table>"


Part = Text | Code | TextTable
Sections = Iterable[tuple[str, Sequence[Any]]]  # headings and parts; texts are HTML already


def table_of(frame: pd.DataFrame, index: str) -> TextTable:
    """A table of pandas with its index as the first column."""
    head = frame.head(SHOWN)
    rows = [
        [str(label), *map(cell, row)]
        for label, row in zip(head.index, head.astype(object).to_numpy(), strict=True)
    ]
    return TextTable([index, *map(str, frame.columns)], rows)


def cell(value: Any) -> str:
    """A value of a table."""
    if isinstance(value, float):
        return "" if value != value else significant(value)
    return "" if value is None or value is pd.NA or value is pd.NaT else str(value)


def escape_markdown(text: str) -> str:
    """A text for a line of Markdown, in which nothing is markup, a link or HTML.

    Examples
    --------
    >>> print(escape_markdown("a|b_c <i> `x`"))
    a&#124;b\\_c &#60;i&#62; &#96;x&#96;
    """
    line = "".join(INLINE.get(c, c) for c in " ".join(text.split()))
    line = line.replace("://", "&#58;//").replace("www.", "www&#46;")
    first = re.match(r"[#+-]+(\s|$)|=+$|\d+[.)](\s|$)", line)
    return f"&#{ord(line[0])};{line[1:]}" if first else line  # a heading, a list or a rule


def to_markdown(title: str, sections: Sections) -> str:
    """A page in Markdown."""
    blocks = [f"# {escape_markdown(title)}"]
    for head, parts in sections:
        blocks += [f"## {escape_markdown(head)}", *(part.markdown() for part in parts)]
    return "\n\n".join(blocks) + "\n"


def to_html(title: str, sections: Sections) -> str:
    """The body of a page in HTML."""
    lines = [f"<h1>{html.escape(title)}</h1>"]
    for head, parts in sections:
        lines += [
            f"<h2>{html.escape(head)}</h2>",
            *(part if isinstance(part, str) else part.html() for part in parts),
        ]
    return "\n".join(lines) + "\n"


def cited() -> list[str]:
    """The package, and the paper of its first method."""
    return [
        f"protoclass {__version__}: classification by prototypes, on any dissimilarity. Python package.",
        "J. Bien and R. Tibshirani (2011). Prototype selection for interpretable classification. "
        "Annals of Applied Statistics 5 (4), 2403-2424.",
    ]


@public
@dataclass(frozen=True)
class Card:
    """A model card, see `Fit.card`.

    Values from the data are escaped, so both formats always show them as text.

    Attributes
    ----------
    title : str
    sections : tuple of (heading, parts)
    methods : Methods
        The paragraph on methods for a paper, with BibTeX.
    """

    title: str
    sections: tuple[tuple[str, tuple[Part, ...]], ...]
    methods: Methods

    @property
    def markdown(self) -> str:
        """The card in Markdown (with the tables of GitHub, pandoc and Jupyter)."""
        return to_markdown(self.title, self.sections)

    @property
    def html(self) -> str:
        """The card as a self-contained HTML page."""
        return to_page(self.title, to_html(self.title, self.sections), STYLE)

    def _repr_html_(self) -> str:
        return f"<div>{to_html(self.title, self.sections)}</div>"

    def _repr_markdown_(self) -> str:
        return self.markdown

    @printed
    def __repr__(self) -> str:
        return self.markdown

    def save(self, path: Any, overwrite: bool = False) -> Path:
        """Write the card to a file that ends in .md or .html, completely or not at all.

        Raises
        ------
        OptionError, FileError
            If the name has another ending, the file exists already, or it cannot be written.
        """
        place = check_path(path, (".md", *PAGES))
        write_file(place, self.markdown if place.suffix.lower() == ".md" else self.html, overwrite)
        return place


def card(fit: Fitted, test: TestResult | None = None, use: str = "") -> Card:
    r"""Model card: one page of text and small tables that documents the fit for its users and
    reviewers.

    It has the intended use, the call, the data, the classes with their counts, and the prototypes.
    The test, the cross-validated error, the selected parameters, the certificate and the
    limitations follow, then the versions of the packages, a paragraph on methods, and how to cite.

    Parameters
    ----------
    test : TestResult, optional
        Result of `fit.test` on new rows.
    use : str
        Intended use: who may decide what by the predictions, and for whom. The package cannot know
        it.

    Returns
    -------
    Card
        The card with `markdown`, `html`, `methods` and `save(path)`; a notebook shows it.

    Examples
    --------
    >>> import protoclass as pc
    >>> card = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).card(use="A lesson on irises.")
    >>> print(card.markdown.splitlines()[0])
    # Model card: Prototype vector machine (greedy), species \~ .
    """
    if not isinstance(use, str):
        raise OptionError(
            f"use must be text, such as 'a second opinion on biopsies', not {brief(use)}"
        )
    if test is not None and not isinstance(test, TestResult):
        raise OptionError(f"test must be the result of fit.test(new), not {brief(test)}")
    unstated = (
        f"Not stated: card(use=) adds it. The fit predicts {fit.frame.formula.response} "
        f"from {len(fit.frame.schema)} predictors."
    )
    sections = [("Intended use", (Text([use or unstated]),)), *describe(fit, tested(test))]
    title = f"Model card: {fit.model.title}, {fit.formula}"
    return Card(title, tuple(sections), methods(fit))


def describe(fit: Fitted, tested: Iterable[Any]) -> list[tuple[str, tuple[Any, ...]]]:
    """The headings of a page about a fit and their parts, `tested` those about a test on new rows;
    none without parts."""
    said = facts(fit)
    main = {k: v for k, v in said.items() if k not in LIMITS and k not in _validation_facts(fit)}
    sections: list[tuple[str, tuple[Any, ...]]] = [
        ("The fit", (Code(repr(fit.call)), TextTable(("", ""), list(main.items())))),
        ("Data", tuple(data(fit))),
        ("Classes", (table_of(by_class(fit), "class"),)),
        ("Prototypes", tuple(prototypes(fit))),
        ("Test on new rows", tuple(tested)),
        ("Cross-validation", (cross_validation(fit),)),
        ("Certificate", tuple(certificate(fit)) if "certificate" in fit.rule.report else ()),
        ("Limits", (Text(limits(fit, said), listed=True),)),
        (
            "Versions",
            (Text([f"{name} {known}" for name, known in versions().items()], listed=True),),
        ),
        ("Methods", (Text([methods(fit).text]),)),
        ("How to cite", (Text(cited()),)),
    ]
    return [(head, parts) for head, parts in sections if parts]


def data(fit: Fitted) -> Iterable[Part]:
    """The number of rows and columns that were used, and the kinds of the columns."""
    schema, dropped = fit.frame.schema, len(fit.dropped)
    missing = f"{dropped:,} were excluded for missing values" if dropped else "none were excluded"
    weights = fit.frame.weights
    spread = f"{significant(weights.min())} to {significant(weights.max())}"
    weighed = "" if (weights == 1).all() else f" Row weights range from {spread}."
    yield Text([f"{fit.nobs:,} rows and {len(schema)} predictors were used; {missing}.{weighed}"])
    rows = [
        (name, column.kind, first_of(_short(column.levels)))
        for name, column in schema.items()
        if len(column.levels)
    ]
    kinds = pd.Series(
        {name: column.kind for name, column in schema.items() if not len(column.levels)}
    )
    for kind, names in kinds.groupby(kinds, sort=False).groups.items():
        yield Text([f"{kind.capitalize()} predictors: {first_of(_short(names), SHOWN)}."])
    if rows:
        yield Text([f"{len(rows)} predictors with levels:"])
        yield TextTable(("predictor", "kind", "levels"), rows[:SHOWN])


def _short(names: Iterable[Any]) -> list[str]:
    return [cut(str(name), 40) for name in names]


def tested(test: TestResult | None) -> Iterable[Part]:
    """The first lines of a test on new rows, and its confusion table."""
    if test is None:
        yield Text(["Not tested: card(test=fit.test(new)) adds the result."])
    else:
        yield Text(lines(test))
        yield table_of(test.confusion, "truth, and predicted class")


def prototypes(fit: Fitted) -> Iterable[Part]:
    """The first prototypes and their values, or features of a rule."""
    table = list_prototypes(fit)
    if not len(table):
        yield Text(["The fitted model has no prototypes."])
        return
    if not fit.model.has("feature_table") and len(table) == fit.nobs:
        yield Text([f"All {fit.nobs:,} rows of the fit are prototypes."])
        return
    yield table_of(table.set_index(table.columns[0]).iloc[:, : COLUMNS - 1], table.columns[0])
    if fit.frame.schema and not fit.model.has("feature_table"):
        weights, head = fit.prototypes.attrs.get("weights", {}), fit._prototype_table.shape[1]
        values = fit.prototypes.iloc[:SHOWN, head:].astype(object)
        names = sorted(values, key=lambda name: -weights.get(name, 0.0))[:COLUMNS]
        yield Text(
            [f"Values, {len(names)} of {values.shape[1]} predictors (largest weights first):"]
        )
        yield table_of(values[names].map(lambda value: cut(cell(value), 40)), "prototype")
    if len(table) > SHOWN:
        yield Text([f"The first {SHOWN} of {len(table)} are shown."])


def _validation_facts(fit: Fitted) -> dict[str, str]:
    return validated(fit) if fit._curve is not None and fit._selection.point is not None else {}


def cross_validation(fit: Fitted) -> Part:
    """The error with its standard error, the folds, the chosen parameters, and the error corrected
    for the choice."""
    validation = fit._curve
    if validation is None or fit._selection.point is None:
        # of parameters that were given, as print has it
        if validation is None and not isinstance(fit._checked, str):
            return TextTable(("", ""), [("Error", error_said(fit))])
        return Text(
            [
                "This model was not cross-validated: cv=10 adds an error on rows that were not used for training."
            ]
        )
    chosen = {name: validation.grid[name].iloc[fit._selection.point] for name in validation.grid}
    rows = [
        *_validation_facts(fit).items(),
        *((f"Selected {name}", cell(value)) for name, value in chosen.items()),
    ]
    return TextTable(("", ""), rows)


def certificate(fit: Fitted) -> Iterable[Part]:
    """Upper bound of the distance of the prototypes from the optimum."""
    yield Text([f"Objective {significant(fit.objective.value, 6)}: {fit.certificate}."])
    yield TextTable(("class", "objective", "lower bound", "proof"), certificate_rows(fit))


def limits(fit: Fitted, said: dict[str, str]) -> list[str]:
    """The limits of the fit, with remedies."""
    out = [f"{name}: {said[name]}." for name in LIMITS if name in said]
    if len(fit.dropped):
        out.insert(
            0,
            f"{len(fit.dropped):,} rows with missing values were excluded; such rows get no prediction.",
        )
    return [*out, *notes(fit)]


def report(fit: Fitted, path: Any, test: Any = None, overwrite: bool = False) -> Path:
    """Write a report of the fit as one self-contained HTML page.

    It is the model card (see `Fit.card`) with the plot of the prototypes, the explorer, the error
    curve and the confusion table. A test with probabilities adds its calibration plot, ROC curves
    and decision curve.

    Parameters
    ----------
    path : str or path
        Output file that ends in .html.
    test : TestResult or DataFrame, optional
        Result of `fit.test(new, ...)`, with its threshold, loss or groups; or new rows with the
        response, which are tested with the defaults. The page then includes the test.
    overwrite : bool
        Whether to replace an existing file.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OptionError, FileError
        If the file exists already, or cannot be written; no partial file is left then.

    Examples
    --------
    >>> import os, tempfile
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.path.getsize(fit.report(os.path.join(folder, "iris.html"))) > 50_000
    True
    """
    place = check_path(path)
    check_free(place, overwrite)
    write_file(place, page(fit, test), overwrite)
    return place


def page(fit: Fitted, test: Any = None) -> str:
    """The page as HTML; everything that comes from data is escaped."""
    title = f"{fit.model.title}: {fit.formula}"
    body = to_html(title, ((head, parts) for head, *parts in sections(fit, test)))
    return to_page(title, body, STYLE + style(), script("file"), attributes=True)


def sections(fit: Fitted, test: Any) -> Iterator[tuple[Any, ...]]:
    """The heading and the parts of each section, in order."""
    drawn: dict[str, list[Any]] = {
        "The fit": [picture(fit, "prototypes", "the prototypes among the rows"), explorer(fit)],
        "Classes": [picture(fit, "confusion", "rows by true and predicted class")],
    }
    if fit._curve is not None:
        drawn["Cross-validation"] = [picture(fit, "validation", "the cross-validated error curve")]
    if test is not None and not isinstance(test, TestResult | TestByGroup):
        test = test_on(fit, test)
    overall = test.overall if isinstance(test, TestByGroup) else test
    if overall is not None and overall.judged.probabilities is not None:
        drawn["Test on new rows"] = [picture(overall, *named) for named in OF_PROBABILITIES.items()]
    for head, parts in describe(fit, [] if test is None else [test._repr_html_()]):
        yield head, *parts, *drawn.get(head, [])


def explorer(fit: Fitted) -> Text | str:
    """The explorer of the fit, which needs no Python; if there is no map, the reason."""
    from ..widgets.prototypes import PrototypeExplorer  # see `page`

    try:
        return PrototypeExplorer(fit).fragment()
    except NotAvailableError as reason:
        return Text([str(reason)])


def picture(source: Any, kind: str, words: str) -> Text | str:
    """A plot of a fit or a test as a part of the page; if it does not have it, the reason."""
    import matplotlib.pyplot as plt

    try:
        figure = source.plot(kind).figure
    except NotAvailableError as reason:
        return Text([str(reason)])
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120, bbox_inches="tight")
    plt.close(figure)
    code = base64.b64encode(file.getvalue()).decode()
    return f'<p><img alt="{words}" src="data:image/png;base64,{code}"></p>'
