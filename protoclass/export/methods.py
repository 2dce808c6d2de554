"""The paragraph on methods for a paper, with BibTeX: `Fit.methods`."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from ..core.statistics.one_se import RULES
from ..estimation.fitted import Fitted
from ..ground.checks import is_real
from ..ground.errors import brief, printed, visible
from ..ground.options import significant
from ..ground.references import ENTRIES, label
from ..metrics.wrappers import OneOf
from ..tables.printing import described
from ..tables.words import count_folds
from ..values import public
from .writing import own_version

OWN = "protoclass"  # the key of the package itself
CITED = re.compile(rf"\[@({'|'.join([*ENTRIES, OWN])})\]")  # only these: the label of a class may look like a citation


@public
@dataclass(frozen=True)
class Methods:
    """A methods paragraph for a paper, see `Fit.methods`.

    Attributes
    ----------
    markdown : str
        The paragraph with citations for pandoc and Quarto, `[@bien2011]`.
    """

    markdown: str

    @property
    def keys(self) -> list[str]:
        """The BibTeX keys that are cited, in their order."""
        return list(dict.fromkeys(CITED.findall(self.markdown)))

    @property
    def text(self) -> str:
        """The paragraph with authors and years."""
        return CITED.sub(lambda found: f"({label(_entry(found[1]))})", self.markdown)

    @property
    def bibtex(self) -> str:
        """The BibTeX entries of the cited papers."""
        return "\n".join(map(_entry, self.keys)) + "\n"

    @printed
    def __repr__(self) -> str:
        return f"{self.text}\n\n{self.bibtex}"


def _entry(key: str) -> str:
    if key != OWN:
        return ENTRIES[key]
    return (
        "@misc{protoclass, author = {{The protoclass developers}}, title = {protoclass: classification by prototypes},\n"
        f"  note = {{Python package, version {own_version()}}}, year = {{2026}}}}"
    )


def methods(fit: Fitted) -> Methods:
    """Methods paragraph for a paper, with the BibTeX entries of the cited papers.

    It states the rows and classes, the method and the dissimilarity with their papers, how parameters were tuned (grid, folds, rule,
    correction), the calibration, the version of the package, and the seed. It contains no results: see `Fit.summary` and `Fit.test`.

    Returns
    -------
    Methods
        The paragraph as `text` and `markdown` (citations for pandoc, which also writes LaTeX), with `bibtex`.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "knn", k=[1, 5, 15])
    >>> print(fit.methods().markdown.split(". ")[3])
    The parameter neighbours k (1 to 15, 3 values) was selected by 10-fold cross-validation with the 1-SE rule for the error
    >>> fit.methods().keys
    ['hastie2009', 'tsamardinos2018', 'protoclass']
    """
    sentences = [_data(fit), _method(fit), *_tuning(fit)]
    if fit.calibration is not None:
        how = fit.calibration.words().replace(" calibration, ", " calibration (", 1)
        sentences.append(f"Class probabilities and conformal prediction sets [@vovk2015] were obtained by {how})")
    sentences.append(f"Computations used the Python package protoclass {own_version()} [@protoclass] with seed {fit.problem.seed}")
    return Methods(". ".join(sentences) + ".")


def _data(fit: Fitted) -> str:
    counts = ", ".join(f"{n:,} {visible(str(level))}" for level, n in zip(fit.classes, fit.frame.class_counts, strict=True))
    out = f"The data have {fit.nobs:,} observations in {len(fit.classes)} classes ({counts})"
    dropped = len(fit.dropped)
    if dropped:
        out += f", after exclusion of {dropped:,} with missing values"
    factors = fit.call.arguments.get("class_weights")
    if factors is not None:
        out += ", with balanced class weights" if isinstance(factors, str) else ", with class weights"
    elif (fit.frame.weights != 1).any():
        out += ", with weights"
    return out


def _method(fit: Fitted) -> str:
    model, metric = fit.model, fit.dissimilarity.metric
    own = {f.name: getattr(model, f.name) for f in fields(model) if f.name not in fit.selection.values}
    given = [f"{f.name} = {_value(own[f.name])}" for f in fields(model) if f.name in own and repr(own[f.name]) != repr(f.default)]
    out = f'They were classified by the method "{model.title}"{_cited(model.papers)}{" with " * bool(given)}{", ".join(given)}'
    if model.measures(fit.rule):
        out += f". The dissimilarity was {described(fit).split(' (default')[0]}{_cited(metric.papers)}"
    return out


def _cited(keys: tuple[str, ...]) -> str:
    return "".join(f" [@{key}]" for key in keys)


def _tuning(fit: Fitted) -> list[str]:
    """How the parameters were selected, or that they were given."""
    validation, selection = fit.curve, fit.selection
    several = isinstance(fit.problem.to_tune, OneOf)  # distances, of which the text has the names already
    chosen = fit.problem.of_method(selection.values) if several else selection.values
    named = {name: fit.problem.model.words.get(name, name) for name in chosen}
    values = ", ".join(f"{named[name]} = {_value(value)}" for name, value in chosen.items())
    if selection.by_hand:
        return [f"Parameters were selected manually ({values})" if values else f"The first {selection.steps} steps of the model were kept"]
    if validation is None:
        return []
    folds = count_folds(validation).replace(" folds", "-fold cross-validation", 1)
    folds += " that kept groups together" if fit.problem.groups is not None else ""
    folds = re.sub(r" x (\d+) repeats", r", repeated \1 times,", folds)
    grid, name = validation.grid, validation.measure_name
    if several and selection.point is not None:
        grid = validation.of_metric(selection.point).grid
    if not len(grid.columns):
        return [f"The {name} was estimated by {folds}"]
    tried = " and ".join(f"{named[column]} ({_tried(grid[column])})" for column in grid)
    rule = RULES[selection.rule].format(measure=name) + ("" if "{measure}" in RULES[selection.rule] else f" for the {name}")
    subject, verb = ("parameters", "were") if len(grid.columns) > 1 else ("parameter", "was")
    out = [f"The {subject} {tried} {verb} selected by {folds} with the {rule}", f"The selected {subject} {verb} {values}"]
    if validation.correction(selection.rule) is not None:
        out.append(f"The {name} was corrected for this selection by a bootstrap of the held-out predictions (BBC-CV) [@tsamardinos2018]")
    return out


def _tried(values: pd.Series) -> str:
    distinct = values.unique()
    if pd.api.types.is_numeric_dtype(values) and len(distinct) > 2:
        return f"{_value(distinct.min())} to {_value(distinct.max())}, {len(distinct)} values"
    return " or ".join(map(_value, distinct))


def _value(value: Any) -> str:
    return significant(float(value)) if is_real(value) else visible(value) if isinstance(value, str) else brief(value)
