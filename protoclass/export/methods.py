"""The paragraph on methods for a paper, with BibTeX: `Card.methods`."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from protoclass import __version__

from ..core.statistics.one_se import RULES
from ..estimation.fitted import Fitted
from ..ground.checks import is_real
from ..ground.errors import brief, printed, visible
from ..ground.options import significant
from ..metrics.wrappers import OneOf
from ..tables.printing import described
from ..tables.words import count_folds
from ..values import public

_TEXT = """
@article{bien2011, author = {Bien, Jacob and Tibshirani, Robert},
  title = {Prototype selection for interpretable classification},
  journal = {The Annals of Applied Statistics}, volume = {5}, number = {4}, pages = {2403--2424},
  year = {2011}, doi = {10.1214/11-AOAS495}}
@article{marchand2002, author = {Marchand, Mario and Shawe-Taylor, John},
  title = {The Set Covering Machine}, journal = {Journal of Machine Learning Research},
  volume = {3}, pages = {723--746}, year = {2002}}
@inproceedings{graepel1998,
  author = {Graepel, Thore and Herbrich, Ralf and Bollmann-Sdorra, Peter and Obermayer, Klaus},
  title = {Classification on pairwise proximity data},
  booktitle = {Advances in Neural Information Processing Systems 11}, year = {1998}}
@book{hastie2009, author = {Hastie, Trevor and Tibshirani, Robert and Friedman, Jerome},
  title = {The Elements of Statistical Learning}, publisher = {Springer}, edition = {2},
  year = {2009}}
@article{hastie1996, author = {Hastie, Trevor and Tibshirani, Robert},
  title = {Discriminant adaptive nearest neighbor classification},
  journal = {IEEE Transactions on Pattern Analysis and Machine Intelligence}, volume = {18},
  number = {6}, pages = {607--616}, year = {1996}}
@article{hart1968, author = {Hart, Peter}, title = {The condensed nearest neighbor rule},
  journal = {IEEE Transactions on Information Theory}, volume = {14}, number = {3},
  pages = {515--516}, year = {1968}}
@book{devijver1982, author = {Devijver, Pierre and Kittler, Josef},
  title = {Pattern Recognition: A Statistical Approach}, publisher = {Prentice-Hall}, year = {1982}}
@article{schubert2021, author = {Schubert, Erich and Rousseeuw, Peter},
  title = {Fast and eager k-medoids clustering}, journal = {Information Systems}, volume = {101},
  year = {2021}}
@article{nebel2015,
  author = {Nebel, David and Hammer, Barbara and Frohberg, Kathleen and Villmann, Thomas},
  title = {Median variants of learning vector quantization for learning of dissimilarity data},
  journal = {Neurocomputing}, volume = {169}, year = {2015}}
@article{schneider2009, author = {Schneider, Petra and Biehl, Michael and Hammer, Barbara},
  title = {Adaptive relevance matrices in learning vector quantization},
  journal = {Neural Computation}, volume = {21}, number = {12}, pages = {3532--3561}, year = {2009}}
@book{kohonen1995, author = {Kohonen, Teuvo}, title = {Self-Organizing Maps},
  publisher = {Springer}, year = {1995}}
@article{tibshirani2002,
  author = {Tibshirani, Robert and Hastie, Trevor and Narasimhan, Balasubramanian and Chu, Gilbert},
  title = {Diagnosis of multiple cancer types by shrunken centroids of gene expression},
  journal = {Proceedings of the National Academy of Sciences}, volume = {99}, number = {10},
  pages = {6567--6572}, year = {2002}}
@inproceedings{kim2016, author = {Kim, Been and Khanna, Rajiv and Koyejo, Oluwasanmi},
  title = {Examples are not enough, learn to criticize! {C}riticism for interpretability},
  booktitle = {Advances in Neural Information Processing Systems 29}, year = {2016}}
@article{breiman2001, author = {Breiman, Leo}, title = {Random forests},
  journal = {Machine Learning}, volume = {45}, number = {1}, pages = {5--32}, year = {2001}}
@article{gower1971, author = {Gower, John},
  title = {A general coefficient of similarity and some of its properties}, journal = {Biometrics},
  volume = {27}, number = {4}, pages = {857--871}, year = {1971}}
@article{leslie2004,
  author = {Leslie, Christina and Eskin, Eleazar and Cohen, Adiel and Weston, Jason and Noble, William Stafford},
  title = {Mismatch string kernels for discriminative protein classification},
  journal = {Bioinformatics}, volume = {20}, number = {4}, pages = {467--476}, year = {2004}}
@article{levenshtein1966, author = {Levenshtein, Vladimir},
  title = {Binary codes capable of correcting deletions, insertions, and reversals},
  journal = {Soviet Physics Doklady}, volume = {10}, pages = {707--710}, year = {1966}}
@article{sakoe1978, author = {Sakoe, Hiroaki and Chiba, Seibi},
  title = {Dynamic programming algorithm optimization for spoken word recognition},
  journal = {IEEE Transactions on Acoustics, Speech, and Signal Processing}, volume = {26},
  number = {1}, pages = {43--49}, year = {1978}}
@inproceedings{simard1993, author = {Simard, Patrice and LeCun, Yann and Denker, John},
  title = {Efficient pattern recognition using a new transformation distance},
  booktitle = {Advances in Neural Information Processing Systems 5}, year = {1993}}
@article{mahalanobis1936, author = {Mahalanobis, Prasanta Chandra},
  title = {On the generalised distance in statistics},
  journal = {Proceedings of the National Institute of Sciences of India}, volume = {2},
  pages = {49--55}, year = {1936}}
@article{tsamardinos2018,
  author = {Tsamardinos, Ioannis and Greasidou, Elissavet and Borboudakis, Giorgos},
  title = {Bootstrapping the out-of-sample predictions for efficient and accurate cross-validation},
  journal = {Machine Learning}, volume = {107}, pages = {1895--1922}, year = {2018}}
@article{vovk2015, author = {Vovk, Vladimir}, title = {Cross-conformal predictors},
  journal = {Annals of Mathematics and Artificial Intelligence}, volume = {74}, pages = {9--28},
  year = {2015}}
"""
ENTRIES = {
    entry[entry.index("{") + 1 : entry.index(",")]: entry.strip()
    for entry in re.split(r"\n(?=@)", _TEXT.strip())
}


def label(entry: str) -> str:
    """Authors and year as a text names them.

    Examples
    --------
    >>> label(ENTRIES["bien2011"]), label(ENTRIES["kim2016"]), label(ENTRIES["hart1968"])
    ('Bien and Tibshirani 2011', 'Kim et al. 2016', 'Hart 1968')
    """
    field = dict(re.findall(r"(author|year) = \{([^}]*)\}", entry))
    families = [name.split(",")[0].strip("{ ") for name in field["author"].split(" and ")]
    named = " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
    return f"{named} {field['year']}"


OWN = "protoclass"  # the key of the package itself
# only these: the label of a class may look like a citation
CITED = re.compile(rf"\[@({'|'.join([*ENTRIES, OWN])})\]")


@public
@dataclass(frozen=True)
class Methods:
    """A methods paragraph for a paper, with the BibTeX entries of the cited papers.

    It states the rows and classes, the method and the dissimilarity with their papers, how
    parameters were tuned (grid, folds, rule, correction), the calibration, the version of the
    package, and the seed. It contains no results: see `Fit.summary` and `Fit.test`.

    Attributes
    ----------
    markdown : str
        The paragraph with citations for pandoc and Quarto, `[@bien2011]`.

    Examples
    --------
    >>> import protoclass as pc
    >>> methods = pc.fit("species ~ .", pc.load_data("iris"), "knn", k=[1, 5, 15]).card().methods
    >>> print(methods.markdown.split(". ")[3])  # doctest: +NORMALIZE_WHITESPACE
    The parameter neighbours k (1 to 15, 3 values) was selected by 10-fold cross-validation with the
    1-SE rule for the error
    >>> methods.keys
    ['hastie2009', 'tsamardinos2018', 'protoclass']
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
        "@misc{protoclass, author = {{The protoclass developers}}, title = {protoclass: "
        "classification by prototypes},\n"
        f"  note = {{Python package, version {__version__}}}, year = {{2026}}}}"
    )


def methods(fit: Fitted) -> Methods:
    """The methods paragraph of a fit."""
    sentences = [_data(fit), _method(fit), *_tuning(fit)]
    if fit._calibration is not None:
        how = fit._calibration.words().replace(" calibration, ", " calibration (", 1)
        sentences.append(
            f"Class probabilities and conformal prediction sets [@vovk2015] were obtained by {how})"
        )
    sentences.append(
        f"Computations used the Python package protoclass {__version__} [@protoclass] with seed {fit._problem.seed}"
    )
    return Methods(". ".join(sentences) + ".")


def _data(fit: Fitted) -> str:
    counts = ", ".join(
        f"{n:,} {visible(str(level))}"
        for level, n in zip(fit.classes, fit.frame.class_counts, strict=True)
    )
    out = f"The data have {fit.nobs:,} observations in {len(fit.classes)} classes ({counts})"
    dropped = len(fit.dropped)
    if dropped:
        out += f", after exclusion of {dropped:,} with missing values"
    factors = fit.call.arguments["class_weights"]
    if factors is not None:
        out += (
            ", with balanced class weights" if isinstance(factors, str) else ", with class weights"
        )
    elif (fit.frame.weights != 1).any():
        out += ", with weights"
    return out


def _method(fit: Fitted) -> str:
    model, metric = fit.model, fit.dissimilarity.metric
    values = {
        f.name: getattr(model, f.name) for f in fields(model) if f.name not in fit._selection.values
    }
    given = [
        f"{f.name} = {_value(values[f.name])}"
        for f in fields(model)
        if f.name in values and repr(values[f.name]) != repr(f.default)
    ]
    out = (
        "They were classified by the method "
        f'"{model.title}"{_cited(model.papers)}{" with " * bool(given)}{", ".join(given)}'
    )
    if model.measures(fit.rule):
        out += (
            f". The dissimilarity was {described(fit).split(' (default')[0]}{_cited(metric.papers)}"
        )
    return out


def _cited(keys: tuple[str, ...]) -> str:
    return "".join(f" [@{key}]" for key in keys)


def _tuning(fit: Fitted) -> list[str]:
    """The selection of the parameters, in sentences; none if they were given."""
    validation, selection = fit._curve, fit._selection
    # distances, of which the text has the names already
    several = isinstance(fit._problem.to_tune, OneOf)
    chosen = fit._problem.of_method(selection.values) if several else selection.values
    named = {name: fit._problem.model.words.get(name, name) for name in chosen}
    values = ", ".join(f"{named[name]} = {_value(value)}" for name, value in chosen.items())
    if selection.by_hand:
        return [
            f"Parameters were selected manually ({values})"
            if values
            else f"The first {selection.steps} steps of the model were kept"
        ]
    if validation is None:
        return []
    folds = count_folds(validation).replace(" folds", "-fold cross-validation", 1)
    folds += " that kept groups together" if fit._problem.groups is not None else ""
    folds = re.sub(r" x (\d+) repeats", r", repeated \1 times,", folds)
    grid, name = validation.grid, validation._measure_name
    if several and selection.point is not None:
        grid = validation._of_metric(selection.point).grid
    if not len(grid.columns):
        return [f"The {name} was estimated by {folds}"]
    tried = " and ".join(f"{named[column]} ({_tried(grid[column])})" for column in grid)
    rule = RULES[selection.rule].format(measure=name) + (
        "" if "{measure}" in RULES[selection.rule] else f" for the {name}"
    )
    subject, verb = ("parameters", "were") if len(grid.columns) > 1 else ("parameter", "was")
    out = [
        f"The {subject} {tried} {verb} selected by {folds} with the {rule}",
        f"The selected {subject} {verb} {values}",
    ]
    if validation._correction(selection.rule) is not None:
        out.append(
            f"The {name} was corrected for this selection by a bootstrap of the held-out "
            "predictions (BBC-CV) [@tsamardinos2018]"
        )
    return out


def _tried(values: pd.Series) -> str:
    distinct = values.unique()
    if pd.api.types.is_numeric_dtype(values) and len(distinct) > 2:
        return f"{_value(distinct.min())} to {_value(distinct.max())}, {len(distinct)} values"
    return " or ".join(map(_value, distinct))


def _value(value: Any) -> str:
    return (
        significant(float(value))
        if is_real(value)
        else visible(value)
        if isinstance(value, str)
        else brief(value)
    )
