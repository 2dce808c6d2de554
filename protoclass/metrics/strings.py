"""Dissimilarities of strings: the spectrum and mismatch kernels, and the edit distance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from ..core import Array
from ..core.distances.sequences import mismatch
from ..core.parallel import free_cores, threaded
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import one_of, whole_number
from ..ground.errors import DataError, OptionError, brief, first_of, shown
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits

LENGTHS = range(2, 7)  # letters of k-mers in the default grid
PATTERNS = 20_000  # sets of positions to leave out; (k, m) = (20, 2) has 6,196


@dataclass(frozen=True)
class Mismatch(Metric):
    """Distance sqrt(2 - 2 K) of strings, with the normalised (k, m)-mismatch kernel K.

    The only predictor is one column of strings. A string is described by the number of its k-mers
    (substrings of k letters) within m mismatches of each word; the kernel is the inner product of
    two descriptions, divided by their lengths. With m = 0 it is the spectrum kernel.

    Parameters
    ----------
    k : int, sequence or "grid"
        Number of letters of a k-mer; "grid" is 2 to 6, at most the letters of the shortest string.
    m : int, or sequence
        Number of allowed mismatches, 0 <= m < k.
    alphabet : str, optional
        Letters of the words, case-sensitive; their number affects the kernel if m > 0. Default: the
        letters of the training rows. A new row with another letter gets no prediction.
    skip : str
        Letters for unknown values, such as "X" in proteins, whose k-mers are ignored.

    Raises
    ------
    DataError
        If a string has a letter outside the alphabet or no k-mer.

    Notes
    -----
    Leslie, Eskin, Cohen, Weston and Noble (2004), *Bioinformatics* 20; Leslie, Eskin and Noble
    (2002) for the spectrum kernel; Bien and Tibshirani (2011), section 6.3.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"gene": ["GATTACA", "GATTACC", "CCCGGG"]})
    >>> pc.dissimilarity("~ gene", t, pc.Mismatch(3, 1, "ACGT")).condensed().round(3).tolist()
    [0.403, 1.334, 1.314]
    """

    papers = ("leslie2004",)

    tunable = frozenset({"k", "m"})

    k: Any = 5
    m: Any = 1
    alphabet: str | None = None
    skip: str = ""

    def __post_init__(self) -> None:
        if self.checks_each_value():
            return
        # the sets of positions of a k-mer are counted
        k = whole_number("k", self.k, 1, 1000)
        m = whole_number("m", self.m, 0, k - 1)
        patterns = sum(comb(k, t) for t in range(min(2 * m, k) + 1))
        if patterns > PATTERNS:
            raise OptionError(
                f"k={self.k}, m={self.m} needs {patterns:,} sets of positions, above {PATTERNS:,}: use a smaller m or k"
            )
        if not isinstance(self.skip, str):
            raise OptionError(
                f"skip must be a text of the letters to skip, such as 'X', not {brief(self.skip)}"
            )
        if self.alphabet is None:
            return
        if not isinstance(self.alphabet, str) or not 0 < len(self.alphabet) == len(
            {*self.alphabet}
        ):
            raise OptionError(
                f"alphabet must be a text of different letters, such as 'ACGT', or None, not {brief(self.alphabet)}"
            )
        for letter in {*self.alphabet} & {*self.skip}:
            raise OptionError(
                f"the letter {letter!r} is in both alphabet and skip: remove it from one"
            )

    def default_grid(self, parameter: str, frame: Frame) -> Sequence[int]:
        if parameter != "k":
            return super().default_grid(parameter, frame)
        shortest = min(map(len, _texts(frame, type(self).__name__)))
        fine = [k for k in LENGTHS if k <= shortest and k > np.max(self.m)]
        if not fine:
            raise DataError(
                f"the shortest string has {shortest} letters, too few for k='grid' with "
                f"m={self.m}: use a smaller m, or a value of k"
            )
        return fine

    @property
    def traits(self) -> Traits:
        # the values are distances between points of the space in which K is the inner product
        return Traits(
            symmetric=True,
            triangle=True,
            row_by_row=True,
            slow=True,
            unseen="measured",
            data_dependent=self.alphabet is None,
        )

    @property
    def name(self) -> str:
        return f"Spectrum (k={self.k})" if self.m == 0 else f"Mismatch (k={self.k}, m={self.m})"

    def train(self, frame: Frame) -> TrainedMismatch:
        texts = _texts(frame, self.name)
        letters = self.alphabet or "".join(set().union(*texts) - set(self.skip))
        if not letters:
            raise DataError(
                f"column {frame.columns.columns[0]!r} has no letters except those in skip={self.skip!r}"
            )
        return TrainedMismatch(self, np.sort(_code_points(letters)))


@savable(letters="a")
@dataclass(frozen=True, eq=False)
class TrainedMismatch(TrainedMetric):
    """A mismatch kernel with the alphabet that it learned.

    Attributes
    ----------
    letters : array (a,) of unsigned int
        The alphabet as code points in ascending order.
    """

    spec: Mismatch
    letters: Array

    @property
    def notes(self) -> tuple[str, ...]:
        skipped = f"; k-mers with {self.spec.skip!r} skipped" if self.spec.skip else ""
        return (f"alphabet of {len(self.letters)} letters: {self._alphabet}{skipped}",)

    @property
    def _alphabet(self) -> str:
        return "".join(map(chr, self.letters))

    def rows(self, frame: Frame) -> Rep:
        k, skip = self.spec.k, self.spec.skip
        texts, column = _texts(frame, self.name), shown(frame.columns.columns[0])
        lengths = np.array([*map(len, texts)], np.int64)
        short = np.flatnonzero(lengths < k)
        if len(short):
            i, least = short[0], lengths.min()
            cure = f"use k <= {least}, or leave out short rows" if least else "leave out empty rows"
            raise DataError(
                f"the string in {column} at row {shown(frame.index[i])} has {lengths[i]} letters, too few for k={k} "
                f"({len(short)} such rows, the shortest of {least}): {cure}"
            )
        for letters in self.unmeasured(frame).values():
            i = np.flatnonzero(letters != "")[0]
            known = (
                f"alphabet={self.spec.alphabet!r}"
                if self.spec.alphabet
                else f"those of the training data, {self._alphabet!r}"
            )
            raise DataError(
                f"the letter {letters[i][0]!r} in {column} at row {shown(frame.index[i])} is not "
                f"among {known}: use an alphabet= with this "
                f"letter, or skip its k-mers with skip={self.spec.skip + letters[i][0]!r}"
            )
        out = np.empty(len(texts), object)
        for i, text in enumerate(texts):
            runs = re.split(f"[{re.escape(skip)}]", text) if skip else [text]
            if max(map(len, runs)) < k:
                raise DataError(
                    f"every {k}-mer of the string in {column} at row {shown(frame.index[i])} has a "
                    f"letter of skip={skip!r}: use a smaller k, or leave the row out"
                )
            out[i] = self._codes(text)
        return (out,)

    def _codes(self, text: str) -> Array:
        """Each letter's position in the alphabet, -1 for skipped letters."""
        points, known = _code_points(text), self.letters
        at = np.minimum(np.searchsorted(known, points), len(known) - 1)
        return np.where(known[at] == points, at, -1).astype(np.int32)

    def unmeasured(self, frame: Frame) -> dict[str, Array]:
        known = {*self._alphabet, *self.spec.skip}
        letters = np.array(
            ["".join(sorted({*text} - known)) for text in _texts(frame, self.name)], object
        )
        return {str(frame.columns.columns[0]): letters} if (letters != "").any() else {}

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return mismatch(
            rows[0], candidates[0], int(self.spec.k), int(self.spec.m), len(self.letters)
        )


@dataclass(frozen=True)
class Levenshtein(Metric):
    """Edit distance of strings: minimum number of insertions, deletions and substitutions.

    Parameters
    ----------
    normalised : bool
        Whether to divide by the length of the longer string, which need not satisfy the triangle
        inequality. Two empty strings are at distance 0.

    Notes
    -----
    Levenshtein (1966), *Soviet Physics Doklady* 10, 707-710.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"word": ["kitten", "sitting", "mitten"]})
    >>> pc.dissimilarity("~ word", t, pc.Levenshtein()).condensed().tolist()
    [3.0, 1.0, 3.0]
    """

    papers = ("levenshtein1966",)

    normalised: bool = False

    def __post_init__(self) -> None:
        one_of("normalised", self.normalised, (True, False))

    @property
    def traits(self) -> Traits:
        return Traits(
            symmetric=True,
            triangle=not self.normalised,
            row_by_row=True,
            slow=True,
            unseen="measured",
        )

    def rows(self, frame: Frame) -> Rep:
        return (_texts(frame, self.name),)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        from rapidfuzz.distance import Levenshtein  # 6 to 19 ms that a loaded fit does without
        from rapidfuzz.process import cdist

        a, b = rows[0], candidates[0]
        if len(a) == 0 or len(b) == 0:
            return np.empty((len(a), len(b)))
        workers = free_cores() if threaded(len(a) * len(b)) else 1
        scorer = Levenshtein.normalized_distance if self.normalised else Levenshtein.distance
        return cdist(a, b, scorer=scorer, dtype=float, workers=workers)


def _texts(frame: Frame, name: str) -> Array:
    """The strings of the one column that the formula names, object (n,)."""
    columns, response = frame.columns, frame.formula.response
    cure = f"use {f'{response} ' if response else ''}~ and the name of the column"
    if columns.shape[1] != 1 or len(frame.formula.terms) != 1 or not frame.formula.plain():
        names = first_of([*map(repr, columns.columns)])
        raise DataError(
            f"{name} dissimilarities need one unchanged column of text, but {frame.formula.quoted} "
            f"has {names or 'none'}: {cure}"
        )
    texts = columns.iloc[:, 0].astype(object).to_numpy()
    for label, text in zip(columns.index, texts, strict=True):
        if not isinstance(text, str):
            raise DataError(
                f"{name} dissimilarities need text, but column {columns.columns[0]!r} contains "
                f"{brief(text)} at row {shown(label)}: use .astype(str), or another dissimilarity"
            )
    return texts


def _code_points(text: str) -> Array:
    """The code points of a text, which sort as Python sorts its letters."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
