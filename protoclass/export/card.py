"""A model card: one page about a fit in words and small tables, as Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..analysis.evaluation import Test
from ..estimation.fitted import Fitted
from ..ground.errors import OptionError, brief, cut, printed
from ..ground.files import PAGES, check_path, write_file
from ..ground.options import significant
from ..tables.evaluation import lines
from ..tables.printing import error_said, facts, validated
from ..tables.summary import by_class, certificate_rows, notes
from ..tables.tidy import list_prototypes, with_texts
from ..values import public
from .methods import methods
from .writing import SHOWN, Code, Part, Table, Text, cell, cited, table_of, to_html, to_markdown, to_page, versions

COLUMNS = 8  # of the table of prototypes
LIMITS = ("Warning", "Costs", "Never predicted", "Cause", "Try", "Grid")  # lines of print that are limits of the fit
ENDINGS = (".md", *PAGES)


@public
@dataclass(frozen=True)
class Card:
    """A model card, see `Fit.card`.

    Values from the data are escaped, so both formats always show them as text.

    Attributes
    ----------
    title : str
        Title of the card.
    sections : tuple of (heading, parts)
        Sections of the card in their order.

    Examples
    --------
    >>> import os, tempfile
    >>> import protoclass as pc
    >>> card = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).card()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     card.save(os.path.join(folder, "iris.md")).name
    'iris.md'
    """

    title: str
    sections: tuple[tuple[str, tuple[Part, ...]], ...]

    @property
    def markdown(self) -> str:
        """The card in Markdown (with the tables of GitHub, pandoc and Jupyter)."""
        return to_markdown(self.title, self.sections)

    @property
    def html(self) -> str:
        """The card as a self-contained HTML page."""
        return to_page(self.title, to_html(self.title, self.sections))

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
        OptionError
            If the name has another ending, or if the file already exists and `overwrite` is False.
        FileError
            If it cannot be written; no partial file is left then.
        """
        place = check_path(path, ENDINGS)
        write_file(place, self.markdown if place.suffix.lower() == ".md" else self.html, overwrite)
        return place


def card(fit: Fitted, use: str | None = None, test: Test | None = None) -> Card:
    r"""Model card: one page of text and small tables that documents the fit for its users and reviewers.

    It has the intended use, the call, the data, the classes with their counts, the prototypes, the test, the
    cross-validated error and the selected parameters, the certificate, the limitations (rows that were dropped, classes that are never
    predicted, notes of the summary), the versions of the packages, a paragraph on methods, and how to cite.

    Parameters
    ----------
    use : str, optional
        Intended use: who may decide what by the predictions, and for whom. The package cannot know it.
    test : Test, optional
        Result of `fit.test` on new rows.

    Returns
    -------
    Card
        The card with `markdown`, `html` and `save(path)`; a notebook shows it.

    See Also
    --------
    Fit.report : an HTML page with plots.
    Fit.methods : the paragraph on methods.
    Fit.reproduce : run the call of a saved fit again.

    Examples
    --------
    >>> import protoclass as pc
    >>> card = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).card()
    >>> print(card.markdown.splitlines()[0])
    # Model card: Prototype vector machine (greedy), species \~ .
    """
    if use is not None and not isinstance(use, str):
        raise OptionError(f"use must be text, such as 'a second opinion on biopsies', not {brief(use)}")
    if test is not None and not isinstance(test, Test):
        raise OptionError(f"test must be the result of fit.test(new), not {brief(test)}")
    unstated = f"Not stated: card(use=) adds it. The fit predicts {fit.frame.formula.response} from {len(fit.frame.schema)} predictors."
    sections = [("Intended use", (Text([use or unstated]),)), *describe(fit, tested(test))]
    return Card(f"Model card: {fit.model.title}, {fit.formula}", tuple(sections))


def describe(fit: Fitted, tested: Iterable[Any]) -> list[tuple[str, tuple[Any, ...]]]:
    """The headings of a page about a fit and their parts, `tested` those about a test on new rows; none without parts."""
    said = facts(fit)
    main = {k: v for k, v in said.items() if k not in LIMITS and k not in _validation_facts(fit)}
    sections: list[tuple[str, tuple[Any, ...]]] = [
        ("The fit", (Code(repr(fit.call)), Table(("", ""), list(main.items())))),
        ("Data", tuple(data(fit))),
        ("Classes", (table_of(by_class(fit), "class"),)),
        ("Prototypes", tuple(prototypes(fit))),
        ("Test on new rows", tuple(tested)),
        ("Cross-validation", (cross_validation(fit),)),
        ("Certificate", tuple(certificate(fit)) if "certificate" in fit.rule.report else ()),
        ("Limits", (Text(limits(fit, said), listed=True),)),
        ("Versions", (Text(versions(), listed=True),)),
        ("Methods", (Text([methods(fit).text]),)),
        ("How to cite", (Text(cited()),)),
    ]
    return [(head, parts) for head, parts in sections if parts]


def data(fit: Fitted) -> Iterable[Part]:
    """The number of rows and columns that were used, and the kinds of the columns."""
    schema, dropped = fit.frame.schema, len(fit.dropped)
    left = f"{dropped:,} were excluded for missing values" if dropped else "none were excluded"
    weights = fit.frame.weights
    spread = f"{significant(weights.min())} to {significant(weights.max())}"
    weighed = "" if (weights == 1).all() else f" Row weights range from {spread}."
    yield Text([f"{fit.nobs:,} rows and {len(schema)} predictors were used; {left}.{weighed}"])
    rows = [(name, column.kind, levels_of(column.levels)) for name, column in schema.items() if len(column.levels)]
    for kind in dict.fromkeys(column.kind for column in schema.values() if not len(column.levels)):
        own = [name for name, column in schema.items() if column.kind == kind and not len(column.levels)]
        yield Text([f"{kind.capitalize()} predictors: {levels_of(own, SHOWN)}."])
    if rows:
        yield Text([f"{len(rows)} predictors with levels:"])
        yield Table(("predictor", "kind", "levels"), rows[:SHOWN])


def levels_of(levels: Sequence[Any], most: int = 5) -> str:
    shown = ", ".join(cut(str(v), 40) for v in levels[:most])
    return f"{shown} and {len(levels) - most} more" if len(levels) > most else shown


def tested(test: Test | None) -> Iterable[Part]:
    """The first lines of a test on new rows, and its confusion table."""
    yield Text(lines(test) if test is not None else ["Not tested: card(test=fit.test(new)) adds the result."])
    if test is not None:
        yield table_of(test.confusion, "truth, and predicted class")


def prototypes(fit: Fitted) -> Iterable[Part]:
    """The first prototypes, or features of a rule."""
    table = list_prototypes(fit)
    if not len(table):
        yield Text(["The fitted model has no prototypes."])
        return
    if not fit.model.has("feature_table") and len(table) == fit.nobs:
        yield Text([f"All {fit.nobs:,} rows of the fit are prototypes."])
        return
    kept = with_texts(fit, table).iloc[:SHOWN, :COLUMNS]
    yield table_of(kept.set_index(kept.columns[0]), str(kept.columns[0]))
    if len(table) > SHOWN:
        yield Text([f"The first {SHOWN} of {len(table)} are shown."])


def _validation_facts(fit: Fitted) -> dict[str, str]:
    return validated(fit) if fit.curve is not None and fit.selection.point is not None else {}


def cross_validation(fit: Fitted) -> Part:
    """The error with its standard error, the folds, the chosen parameters, and the error corrected for the choice."""
    validation = fit.curve
    if validation is None or fit.selection.point is None:
        if validation is None and not isinstance(fit.checked, str):  # of parameters that were given, as print has it
            return Table(("", ""), [("Error", error_said(fit))])
        return Text(["This model was not cross-validated: cv=10 adds an error on rows that were not used for training."])
    chosen = {name: validation.grid[name].iloc[fit.selection.point] for name in validation.grid}
    rows = [*_validation_facts(fit).items(), *((f"Selected {name}", cell(value)) for name, value in chosen.items())]
    return Table(("", ""), rows)


def certificate(fit: Fitted) -> Iterable[Part]:
    """Upper bound of the distance of the prototypes from the optimum."""
    yield Text([f"Objective {significant(fit.objective.value, 6)}: {fit.certificate}."])
    yield Table(("class", "objective", "lower bound", "proof"), certificate_rows(fit))


def limits(fit: Fitted, said: dict[str, str]) -> list[str]:
    """The limits of the fit, with remedies."""
    out = [f"{name}: {said[name]}." for name in LIMITS if name in said]
    if len(fit.dropped):
        out.insert(0, f"{len(fit.dropped):,} rows with missing values were excluded; such rows get no prediction.")
    return [*out, *notes(fit)]
