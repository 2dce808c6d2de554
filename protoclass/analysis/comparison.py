"""Methods judged on the same test rows: errors with intervals, and paired tests between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from ..arguments import Served, is_number, one_of
from ..core.intervals import wilson
from ..declared import savable
from ..elsewhere import VERBS_OF_COMPARISON
from ..errors import NotAvailable, OptionError, brief
from ..frames.tables import cached_table
from ..settings import significant
from ..values import NUMBERS, PAIRS, Above, Printed, Saveable, public
from .paired import Design, by_row, by_split, equivalence, error_interval
from .scored import SCORES, compare_scores, mean_score, score_rows

if TYPE_CHECKING:

    pass

ROPE = 0.01  # the region of practical equivalence, where none is said: one error in a hundred rows


@savable
@public
@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Printed, Saveable, Served):
    """Methods judged on the same rows.

    Attributes
    ----------
    results : DataFrame
        One row for each split and method: `split`, `method`, `n` and `wrong` (test rows, and those classified wrongly),
        `error`, `prototypes`, `size`, `seconds` (of the fit with its tuning), `predict_seconds` and `choice` (the tuned parameters
        as chosen, a mapping).
    predictions : DataFrame
        One row for each test row of each split (index: split, row label): `truth`, and what each method says.
    how : str
        What the test rows are, in words.
    design : Design
        How the splits share rows: `ratio`, `sets` and `grouped`, see `protoclass.analysis.paired`.
    left_out : int
        Rows left out, as their class is missing or some fit has no prediction of them.
    call : str
    rope : float, or None
        Differences of errors up to this do not matter; None where it was not said.
    chances : mapping of method to array (rows, classes)
        Chances of the classes of each row of `predictions`, of the methods that were calibrated; NaN where there are none.
    """

    serves: ClassVar[Mapping[str, str]] = VERBS_OF_COMPARISON
    called: ClassVar[str] = "a comparison"

    results: pd.DataFrame
    predictions: pd.DataFrame
    how: str
    design: Design
    left_out: int
    call: str
    rope: float | None = None
    chances: Mapping[str, np.ndarray] = field(default_factory=dict)

    between: ClassVar[str] = "\n\n"
    plot = Above("plots")

    @property
    def methods(self) -> list[str]:
        """Names of the methods, in the order given."""
        return list(self.predictions.columns[1:])

    @cached_table
    def errors(self) -> pd.DataFrame:
        """Test error of each method (columns) on each split (rows)."""
        return self.results.pivot(index="split", columns="method", values="error")[self.methods]

    @property
    def independent(self) -> bool:
        """Whether test rows are independent given the rules: one random split, or fits on new rows."""
        return len(self.errors) == 1 and not self.design.grouped

    @cached_property
    def sizes(self) -> np.ndarray:
        """Test rows of each split."""
        return np.asarray(self.results.groupby("split")["n"].first().to_numpy())

    @cached_table
    def table(self) -> pd.DataFrame:
        """One row for each method.

        Columns: `error`, its 95 % interval `low` to `high`, `wrong` and `n` where every row was predicted once, `sd` of the
        error over several splits; of calibrated methods `brier` and `log_loss` with their standard errors, `brier_se` and
        `log_loss_se` (see `score_tests`); `prototypes` (mean over the splits), `seconds` (median over the splits, of a fit with its
        tuning; the first in a process also loads and compiles) and
        `choice` (the tuned parameters; over several splits the median and range, or the commonest).

        The interval is Wilson's where rows are independent given the rule: on one random split, and of fits on new rows. The
        errors of folds and of several splits are not independent, as a row that is tested in one trains in the others. There
        Wilson's interval is that of fewer rows, by Nadeau and Bengio's factor; see `protoclass.analysis.paired.error_interval`.
        """
        rows = []
        for name in self.methods:
            own = self.results[self.results["method"] == name]
            wrong, n = int(own["wrong"].sum()), int(self.sizes.sum())
            if self.independent:
                low, high = wilson(wrong / n, n)
            else:
                low, high = error_interval(self.errors[name].to_numpy(), self.design, self.sizes)
            row: dict[str, Any] = {"error": wrong / n, "low": low, "high": high}
            if self.predictions.index.get_level_values(1).is_unique:
                row |= {"wrong": wrong, "n": n}
            if len(self.errors) > 1:
                row["sd"] = self.errors[name].std()
            for score in SCORES if self.chances else ():
                mean = (np.nan, np.nan)
                if name in self.chances:
                    mean = mean_score(self.scores(score)[name], self.design, self.independent)
                row |= dict(zip((score, f"{score}_se"), mean, strict=True))
            row |= {"prototypes": own["prototypes"].mean(), "seconds": own["seconds"].median()}
            rows.append(row | {"choice": chosen(own["choice"].tolist())})
        out = pd.DataFrame(rows, pd.Index(self.methods, name="method"))
        out = out.drop(columns="seconds") if out["seconds"].isna().all() else out  # fits that were there already
        return out.astype({"prototypes": int}) if len(self.errors) == 1 else out

    @cached_table
    def tests(self) -> pd.DataFrame:
        """Paired tests between the methods with Holm's correction, and 95 % intervals of the differences.

        Where rows are independent given the rules (one random split, fits on new rows): Cochran's Q over all methods and
        McNemar's test of each pair. After cross-validation or over several random splits: the corrected resampled t-test of
        each pair. See `protoclass.analysis.paired` for the columns.
        """
        if not self.independent:
            return by_split(self.errors, self.design, self.sizes)
        truth = self.predictions["truth"].astype(object)
        wrong = pd.DataFrame({name: self.predictions[name].astype(object) != truth for name in self.methods})
        return by_row(wrong)

    def scores(self, score: str = "brier") -> pd.DataFrame:
        """The Brier score or log loss of each test row (index: split, row label) for each calibrated method.

        Rows for which a method has no chances are left out of all. See `protoclass.core.scores` for the scores.

        Raises
        ------
        NotAvailable
            Where no method was calibrated.
        """
        one_of("score", score, tuple(SCORES))
        if not self.chances:
            raise NotAvailable("no method was calibrated, so that there are no chances to judge: compare(..., calibrate=True)")
        return score_rows(score, self.chances, self.predictions["truth"])

    def score_tests(self, score: str = "brier") -> pd.DataFrame:
        """Paired tests of the Brier scores or log losses of the calibrated methods, with Holm's correction.

        Where rows are independent given the rules the paired t-test over rows; after cross-validation or over several splits the
        corrected resampled t-test, as `tests`. The chances of each split were learned within its training rows alone.

        Parameters
        ----------
        score : "brier" or "log_loss"

        Returns
        -------
        DataFrame
            As `tests`. A log loss that is infinite has no test.

        Raises
        ------
        NotAvailable
            Where no method was calibrated.

        Examples
        --------
        >>> import protoclass as pc
        >>> c = pc.compare("species ~ .", pc.load_data("iris"), [pc.KNN(k=3), pc.KNN(k=15)], test_size=0.4, calibrate={"cv": 3})
        >>> c.table[["brier", "brier_se"]].round(3).to_dict("index")
        {'knn(k=3)': {'brier': 0.069, 'brier_se': 0.034}, 'knn(k=15)': {'brier': 0.098, 'brier_se': 0.024}}
        >>> c.score_tests()[["test", "difference", "p"]].round(3).to_numpy().tolist()
        [['paired t', -0.029, 0.293]]
        """
        return compare_scores(self.scores(score), self.design, self.independent)

    def equivalence(self, rope: float | None = None) -> pd.DataFrame:
        """How probable it is that two methods differ by no more than `rope`, or that one is better by more.

        A p-value above 0.05 does not say that two methods are equally good; a probability near 1 of a difference within the region of
        practical equivalence does.

        Parameters
        ----------
        rope : float > 0, optional
            Differences from -rope to rope do not matter; by default what `compare(rope=)` said, else 0.01.

        Returns
        -------
        DataFrame
            One row for each pair: `a`, `b`, `difference`, `a_better`, `equivalent`, `b_better`, see
            `protoclass.analysis.paired.equivalence`.

        Raises
        ------
        NotAvailable
            Of one random split, and of fits on new rows: the probability is that of the corrected t-test over several splits.

        Examples
        --------
        >>> import protoclass as pc
        >>> c = pc.compare("species ~ .", pc.load_data("iris"), [pc.KNN(k=1), pc.KNN(k=5)], cv=10)
        >>> c.equivalence(rope=0.05)[["a_better", "equivalent", "b_better"]].round(2).to_numpy().tolist()
        [[0.0, 0.99, 0.01]]
        """
        rope = check_rope(rope if rope is not None else ROPE if self.rope is None else self.rope)
        if self.independent:
            raise NotAvailable(
                "the probability of equivalence is that of the corrected t-test over several splits, and here is one: compare with "
                "cv=10 or repeats=10"
            )
        return equivalence(self.errors, self.design, rope, self.sizes)

    def _said(self) -> tuple[str, list[Any]]:
        left = f"; {self.left_out} rows left out without a class or a prediction" if self.left_out else ""
        pairs = [] if len(self.methods) < 2 else [self.tests, *([] if self.rope is None else [self.equivalence()])]
        return f"{self.call}\n{self.how}{left}", [(self.table, NUMBERS), *((table, PAIRS) for table in pairs)]





def check_rope(rope: Any) -> float:
    """The half-width of a region of practical equivalence; raises unless it is a number above 0 and below 1."""
    if not is_number(rope, 0.0, above=True) or rope >= 1:
        raise OptionError(f"rope={brief(rope)}: a difference of errors that does not matter, above 0 and below 1, such as {ROPE}")
    return float(rope)


def chosen(choices: Sequence[Mapping[str, Any]]) -> str:
    """What was tuned, in words: a number's median and range, another value's commonest."""
    words = []
    for parameter in choices[0]:
        values = [choice[parameter] for choice in choices]
        if all(isinstance(v, Real) and not isinstance(v, bool) for v in values):
            low, middle, high = min(values), float(np.median(values)), max(values)
            spread = f" ({significant(low)} to {significant(high)})" if low < high else ""
            words.append(f"{parameter} {significant(middle)}{spread}")
        else:
            text = [str(v) for v in values]
            common = max(dict.fromkeys(text), key=text.count)
            words.append(
                common if text.count(common) == len(text) else f"{common} ({text.count(common)} of {len(text)})"
            )
    return ", ".join(words)
