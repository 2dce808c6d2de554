"""Methods judged on the same test rows: errors with intervals, and paired tests between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from ..core import Array
from ..core.statistics.intervals import Z, mean_over_rows, sum_of_squares, wilson
from ..core.statistics.one_se import losses
from ..core.statistics.roc import AUC, mean_auc
from ..core.statistics.scores import SCORES
from ..estimation.arguments import loss_matrix
from ..frames.tables import cached_table
from ..ground.checks import Served, is_real, one_of, quoted
from ..ground.errors import DataError, NotAvailableError, OptionError, shown
from ..ground.foreign_names import VERBS_OF_COMPARISON
from ..ground.options import significant
from ..ground.savable import savable
from ..values import NUMBERS, PAIRS, Above, Result, Saveable, public


@savable
@public
@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result, Saveable, Served):
    """Test errors of methods on the same rows, with paired tests.

    Attributes
    ----------
    results : DataFrame
        One row for each split and method: `split`, `method`, `n` and `wrong` (number of test rows,
        and of misclassified test rows), `error`, `prototypes` and `size` (NaN for estimators),
        `seconds` (for the fit with its tuning) and `choice` (the selected parameters).
    predictions : DataFrame
        One row for each test row of each split (index: split, row label): `truth`, and the
        prediction of each method.
    how : str
        Description of the test rows.
    design : Design
        Overlap of the splits: `ratio`, `sets` and `grouped`.
    left_out : int
        Number of rows without a class or without a prediction of some fit, which are excluded.
    call : str
        The call.
    probabilities : mapping of method to array (rows, classes)
        Probabilities of the classes for each row of `predictions`, from calibrated methods and
        estimators with `predict_proba`; NaN if there are none.
    loss : DataFrame, or None
        Loss matrix for the predictions.
    reference : str, or None
        The method with which each other one is compared; None: all pairs are compared.
    """

    _serves: ClassVar[Mapping[str, str]] = VERBS_OF_COMPARISON
    _called: ClassVar[str] = "a comparison"

    results: pd.DataFrame
    predictions: pd.DataFrame
    how: str
    design: Design
    left_out: int
    call: str
    probabilities: Mapping[str, Array] = field(default_factory=dict)
    loss: pd.DataFrame | None = None
    reference: str | None = None

    _between: ClassVar[str] = "\n\n"
    _label: ClassVar[str] = "method"
    as_table = Above("protoclass.tables")

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
        """Whether test rows are independent given the models: one random split, or new rows."""
        return len(self.errors) == 1 and not self.design.grouped

    @cached_property
    def sizes(self) -> Array:
        """Number of test rows of each split."""
        return self.results.groupby("split")["n"].first().to_numpy()

    @cached_table
    def table(self) -> pd.DataFrame:
        """Table of the results, with one row per method.

        Columns: `error`, its 95 % interval `low` to `high`, `wrong` and `n` if every row was
        predicted once, `sd` of the error over several splits. With `loss=`: the mean `loss`. For
        methods with probabilities: `brier`, `log_loss` and `auc` (mean area under the ROC curve of
        each class against the rest), each with its standard error, such as `brier_se`. Then:

        * `prototypes`: their number, the mean over the splits;
        * `seconds`: time of a fit with its tuning, the median over the splits. The first fit in a
          process includes loading and compiling;
        * `choice`: the tuned parameters (median and range, or the most common value).

        Notes
        -----
        The interval is Wilson's if rows are independent given the model; otherwise for fewer rows,
        by the factor of Nadeau and Bengio, because tested rows train in other splits.
        """
        by_method, n = self.results.groupby("method"), self.sizes.sum()
        wrong = by_method["wrong"].sum()[self.methods]
        out = pd.DataFrame({"error": wrong / n})
        if self.independent:
            ends = [wilson(error, n) for error in out["error"]]
        else:
            ends = [
                error_interval(self.errors[name].to_numpy(), self.design, self.sizes)
                for name in self.methods
            ]
        out[["low", "high"]] = ends
        if self.predictions.index.get_level_values(1).is_unique:
            out = out.assign(wrong=wrong, n=n)
        if len(self.errors) > 1:
            out["sd"] = self.errors.std()
        for score in self._score_names():
            _, values, mean = self._score(score)
            means = {name: mean(values[name])[:2] for name in values}
            out = out.join(pd.DataFrame(means, [score, f"{score}_se"]).T)
        out = out.assign(
            prototypes=by_method["prototypes"].mean(),
            seconds=by_method["seconds"].median(),
            choice=by_method["choice"].agg(describe_choices),
        )
        # fits that were made before the comparison have no time
        out = out.drop(columns="seconds") if out["seconds"].isna().all() else out
        whole = len(self.errors) == 1 and out["prototypes"].notna().all()
        return out.astype({"prototypes": int}) if whole else out

    @cached_table
    def tests(self) -> pd.DataFrame:
        """Paired tests of the methods with Holm's correction, and 95 % intervals of differences.

        For one random split or fits on new rows: Cochran's Q over all methods and McNemar's test of
        each pair, which compare the fitted models, not the methods. Otherwise: the corrected
        resampled t-test of each pair. With a reference, only the pairs with it are tested. Columns:
        `test`, `a`, `b`, `difference` (error of a minus error of b), `low`, `high`, `statistic`,
        `p` and `p_holm`.
        """
        if not self.independent:
            return by_split(self.errors, self.design, self.sizes, self.reference)
        truth = self.predictions["truth"].astype(object)
        wrong = pd.DataFrame(
            {name: self.predictions[name].astype(object) != truth for name in self.methods}
        )
        return by_row(wrong, self.reference)

    def glance(self) -> pd.DataFrame:
        """Table with one row: `methods`, `splits`, `n` (test rows of all splits), `left_out`,
        `best` (lowest error) and its `error`.
        """
        error = self.table["error"]
        counts = {"methods": len(error), "splits": len(self.errors), "n": self.sizes.sum()}
        best = {"left_out": self.left_out, "best": error.idxmin(), "error": error.min()}
        return pd.DataFrame([counts | best])

    def _score_names(self) -> list[str]:
        """The scores that are known of these methods."""
        of_probabilities = [*SCORES, "auc"] if self.probabilities else []
        return of_probabilities if self.loss is None else ["loss", *of_probabilities]

    def _score(self, score: str) -> tuple[str, Any, Callable[[Any], Mean]]:
        """Name of the paired test of a score, its values by method, and the function that gives the
        mean of the values, or of the differences of two methods.

        The values of a method are an area for DeLong's test, otherwise a column by row or by split.
        """
        if self.independent and score == "auc":
            return "DeLong", {name: area for name, (area,) in self._areas.items()}, mean_of_area
        if self.independent:
            return "paired t", self._score_rows(score), mean_of_rows
        sizes = self.sizes
        if score == "auc":
            values = {
                name: [area.estimate.value for area in of_splits]
                for name, of_splits in self._areas.items()
            }
            table = pd.DataFrame(values, self.errors.index)
        else:
            of_split = self._score_rows(score).groupby(level="split")
            table, sizes = of_split.mean(), of_split.size().to_numpy()
        return RESAMPLED, table, partial(mean_over_splits, design=self.design, sizes=sizes)

    def _score_rows(self, score: str) -> pd.DataFrame:
        """The Brier score, log loss or loss of each test row for each method."""
        truth = self.predictions["truth"]
        if score != "loss":
            return score_rows(score, self.probabilities, truth)
        matrix = loss_matrix(self.loss, truth.cat.categories)
        predicted = np.column_stack([self.predictions[name].cat.codes for name in self.methods])
        lost = losses(predicted[None], truth.cat.codes.to_numpy(), matrix)[0]
        return pd.DataFrame(lost, truth.index, self.methods)

    @cached_property
    def _areas(self) -> dict[str, list[AUC]]:
        """The area of each method on each split, by rows for which all have probabilities."""
        codes = self.predictions["truth"].cat.codes.to_numpy()
        split = self.predictions.index.get_level_values("split")
        known = with_probabilities(self.probabilities)
        masks = [known & (split == k) for k in self.errors.index]
        return {
            name: [mean_auc(p[mask], codes[mask], np.ones(mask.sum()))[1] for mask in masks]
            for name, p in self.probabilities.items()
        }

    def score_tests(self, score: str = "brier") -> pd.DataFrame:
        """Paired tests of Brier scores, log losses, areas or losses, with Holm's correction.

        For one random split or fits on new rows: the paired t-test over rows, and DeLong's test for
        the areas. Otherwise: the corrected resampled t-test, with one area for each split.

        Parameters
        ----------
        score : "brier", "log_loss", "auc" or "loss"
            Name of the score.

        Returns
        -------
        DataFrame
            Table with the columns of `tests`. An infinite log loss has no test. A larger area is
            better; for other scores a smaller value is better.

        Raises
        ------
        NotAvailableError
            If no method, or not the reference, has probabilities, or no loss matrix was given.

        References
        ----------
        DeLong, DeLong and Clarke-Pearson (1988), see `TestResult.roc_test`; for several classes,
        the mean of their areas.

        Examples
        --------
        >>> import protoclass as pc
        >>> iris, methods = pc.load_data("iris"), [pc.KNN(k=3), pc.KNN(k=15)]
        >>> c = pc.compare("species ~ .", iris, methods, test_size=0.4, calibrate={"cv": 3})
        >>> c.score_tests()[["test", "difference", "p"]].round(3).to_numpy().tolist()
        [['paired t', -0.029, 0.293]]
        """
        one_of("score", score, (*SCORES, "auc", "loss"))
        if score not in self._score_names():
            cure = "loss=matrix" if score == "loss" else "calibrate=True"
            raise NotAvailableError(
                f"no method of this comparison has {score!r}: use compare(..., {cure})"
            )
        test, values, mean = self._score(score)
        if self.reference not in (None, *values):
            raise NotAvailableError(
                f"the reference {self.reference!r} has no probabilities: use compare(..., "
                "calibrate=True), or another reference"
            )
        return paired_tests(test, values, mean, self.reference)

    def _said(self) -> tuple[str, list[Any]]:
        words = [self.how]
        if self.left_out:
            words.append(f"{self.left_out} rows excluded without a class or a prediction")
        words.append("low and high: 95 % CI")
        if "sd" in self.table:
            words.append("sd: SD over the splits")
        table = self.table.drop(columns="seconds", errors="ignore")
        tables: list[Any] = [(table, {**NUMBERS, "na_rep": "-"})]
        if len(self.methods) > 1:
            tables.append((self.tests.rename(columns={"difference": "a - b"}), PAIRS))
        return f"{self.call}\n{'; '.join(words)}", tables


# sizes and times, classes, and probabilities (n, classes) if there are any
Outcome = tuple[dict[str, Any], pd.Series, Array | None]
# true classes of the test rows of a split, and the outcome of each method
Outcomes = tuple[pd.Series, Mapping[str, Outcome]]


def check_names(names: Sequence[Any]) -> list[str]:
    """Names for the columns and rows of a Comparison."""
    texts = [str(name) for name in names]
    for i, name in enumerate(texts):
        if name in texts[:i] or name in ("", "truth", "all"):
            raise OptionError(
                f"two methods have the name {name!r}, or one is named '', 'truth' or 'all': use a "
                "mapping of other names to methods"
            )
    return texts


def tabulate(splits: list[Outcomes], levels: pd.Index, **facts: Any) -> Comparison:
    """The Comparison of the outputs of each split; `facts` are its further attributes."""
    rows, parts, probabilities = [], [], dict[str, list[Array]]()
    for split, (truth, outputs) in enumerate(splits):
        predicted = {"truth": truth.astype(object)}
        for name, (row, classes, p) in outputs.items():
            predicted[name] = classes.astype(object)
            wrong = predicted[name] != predicted["truth"]  # a row without a prediction is wrong
            counts = {"n": len(truth), "wrong": wrong.sum(), "error": wrong.mean()}
            rows.append({"split": split, "method": name, **counts, **row})
            if p is not None:
                probabilities.setdefault(name, []).append(p)
        parts.append(pd.DataFrame(predicted).set_axis(truth.index.to_flat_index()))
    predictions = pd.concat(parts, keys=range(len(parts)), names=["split", None])
    predictions = predictions.apply(lambda column: pd.Categorical(column, levels))
    of_method = {name: np.concatenate(p) for name, p in probabilities.items()}
    return Comparison(pd.DataFrame(rows), predictions, probabilities=of_method, **facts)


def as_classes(values: pd.Series, levels: pd.Index) -> pd.Series:
    """Predictions as a categorical of the classes; raises if one is not a class."""
    values = values.astype(object)
    codes = levels.get_indexer(values)
    unknown = values[(codes < 0) & values.notna().to_numpy()]
    if len(unknown):
        raise DataError(
            f"predictions must be among the classes {quoted(levels)}, not "
            f"{shown(unknown.iloc[0])} as for the row {shown(unknown.index[0])}"
        )
    return pd.Series(pd.Categorical.from_codes(codes, levels), values.index)


def describe_choices(choices: Iterable[Mapping[str, Any]]) -> str:
    """The tuned parameters in words: median and range, or the most common value.

    Examples
    --------
    >>> describe_choices([{"kernel": "rbf", "C": 1.0}, {"kernel": "rbf", "C": 4.0}])
    'kernel rbf, C 2.5 (1 to 4)'
    """
    words = []
    for parameter in dict.fromkeys(chain(*choices)):
        values = [choice.get(parameter, "-") for choice in choices]
        if all(map(is_real, values)):
            low, middle, high = min(values), np.median(values), max(values)
            spread = f" ({significant(low)} to {significant(high)})" if low < high else ""
            words.append(f"{parameter} {significant(middle)}{spread}")
        else:
            ((common, count),) = Counter(map(str, values)).most_common(1)
            name = f"{parameter} " * (parameter != "dissimilarity")
            words.append(name + common + f" ({count} of {len(values)})" * (count < len(values)))
    return ", ".join(words)


def score_rows(score: str, probabilities: Mapping[str, Array], truth: pd.Series) -> pd.DataFrame:
    """The score of each row for each method, without rows for which a method has no probabilities.

    Parameters
    ----------
    score : "brier" or "log_loss"
    probabilities : mapping of method to array (n, classes)
    truth : categorical Series (n,)
        Classes, indexed by split and row.
    """
    codes = truth.cat.codes.to_numpy()
    known = with_probabilities(probabilities)
    return pd.DataFrame(
        {name: SCORES[score](p[known], codes[known]) for name, p in probabilities.items()},
        truth.index[known],
    )


def with_probabilities(probabilities: Mapping[str, Array]) -> Array:
    """Rows for which every method has probabilities, bool (n,)."""
    return np.all([~np.isnan(p).any(axis=1) for p in probabilities.values()], axis=0)


def pairs_of(names: Iterable[Any], reference: Any = None) -> list[tuple[Any, Any]]:
    """All pairs of the names, or each other name with the reference."""
    if reference is None:
        return list(combinations(names, 2))
    return [(name, reference) for name in names if name != reference]


def paired_tests(
    test: str, values: Any, mean: Callable[[Any], Mean], reference: str | None = None
) -> pd.DataFrame:
    """The t-test of each pair of methods, as rows of `by_row`; `mean` is of values of a method or
    of differences of two.
    """
    pairs = pairs_of(values, reference)
    return with_holm([student_row(test, a, b, mean(values[a] - values[b])) for a, b in pairs])


def mean_of_area(area: AUC, group: Array | None = None) -> Mean:
    """An area, or the difference of two on the same rows, with DeLong's standard error.

    A row adds the difference of its contributions to the errors of the two areas to the error of
    their difference. The statistic is z. If rows come in groups, `group` (n,), their contributions
    are added first, and the statistic is Student's t.
    """
    se = float(np.sqrt(sum_of_squares(area.parts, None, group)))
    return Mean(area.estimate.value, se, area.df)


def mean_of_rows(values: pd.Series) -> Mean:
    """The mean of independent rows."""
    return Mean(*mean_over_rows(values.to_numpy(), np.ones(len(values))), len(values) - 1)


NO_SPREAD = 1e-12  # standard error that is rounding alone
RESAMPLED = "corrected resampled t"
COLUMNS = ["test", "a", "b", "difference", "low", "high", "statistic", "p"]
Row = tuple[Any, ...]  # the values of `COLUMNS`


@savable
@dataclass(frozen=True)
class Design:
    """Overlap of the rows of the splits, on which the variance of the mean of their errors depends.

    Attributes
    ----------
    ratio : float
        Test rows over training rows of a split; 0 if the rules were fixed before.
    sets : int
        Sets of splits, one after the other: the repeats of a cross-validation, whose folds are one
        set each. Random splits are one set.
    grouped : bool
        Whether rows come in groups, so that the errors of a split are not independent either.
    """

    ratio: float
    sets: int = 1
    grouped: bool = False

    def factor(self, splits: int) -> float:
        """Factor from the variance of the errors of splits to the variance of their mean."""
        return 1 / min(splits, 1 + 1 / self.ratio) + self.ratio


class Mean(NamedTuple):
    """A mean, its standard error and degrees of freedom."""

    value: float
    se: float
    df: float


def by_row(wrong: pd.DataFrame, reference: str | None = None) -> pd.DataFrame:
    """Cochran's Q over all methods, and McNemar's test of each pair with Holm's correction.

    The tests compare the fitted models. As tests of methods they reject too often with many test
    rows: in up to 15 % of the samples at a level of 5 % (`python benchmarks/intervals.py
    --one-split --replicates 1000`).

    Parameters
    ----------
    wrong : bool DataFrame (rows, methods)
        Whether each method misclassifies each row. The rows are treated as independent, so they
        must not be the rows of a cross-validation.

    Returns
    -------
    DataFrame
        One row for each test: `test`, `a`, `b`, `difference` (error of a minus error of b) with its
        pointwise 95 % interval `low` to `high`, `statistic`, `p`, and `p_holm` among the pairs. For
        McNemar's test the statistic is the number of rows that only a misclassifies minus the
        number for b.

    References
    ----------
    McNemar (1947); Cochran (1950); Dietterich (1998), *Approximate statistical tests for comparing
    supervised classification learning algorithms*. The interval is that of Bonett and Price (2012).
    """
    rows = [_cochran(wrong)] if wrong.shape[1] > 2 else []
    rows += [_mcnemar(wrong[a], wrong[b], str(a), str(b)) for a, b in pairs_of(wrong, reference)]
    return with_holm(rows)


def by_split(
    errors: pd.DataFrame, design: Design, sizes: Array | None = None, reference: str | None = None
) -> pd.DataFrame:
    """The corrected resampled t-test of each pair with Holm's correction.

    Parameters
    ----------
    errors : DataFrame (splits, methods)
        Error of each method on the test rows of each split.
    design : Design
    sizes : array (splits,), optional
        Test rows of each split, if they differ.

    Returns
    -------
    DataFrame
        As for `by_row`. If all splits have the same difference, its spread is unknown: the interval
        is NaN, and so are statistic and p if the difference is not 0.

    Notes
    -----
    Splits share training rows, so the variance of their mean is larger than for independent draws.
    Nadeau and Bengio replace 1 / splits by (1 / splits + ratio). More repeats have the same rows,
    so this factor becomes too small: 30 random splits of 60 rows then reject in 9 % at a level of
    5 %, and ten times ten folds in 13 %. So at most 1 + 1 / ratio splits count, the number of
    disjoint test sets. For a repeated cross-validation each repeat's folds count as the splits, and
    the variances of the repeats are averaged. `benchmarks/intervals.py` measures level and
    coverage, also of the nested cross-validation of Bates, Hastie and Tibshirani (2024), whose
    intervals were too narrow there.

    References
    ----------
    Nadeau and Bengio (2003), *Inference for the generalization error*; for repeated
    cross-validation Bouckaert and Frank (2004).
    """

    mean = partial(mean_over_splits, design=design, sizes=sizes)
    return paired_tests(RESAMPLED, errors, mean, reference)


def mean_over_splits(values: Any, design: Design, sizes: Array | None = None) -> Mean:
    """Mean over splits, weighted by their test rows, with Nadeau and Bengio's standard error."""
    table = np.array(values).reshape(design.sets, -1)
    weights = np.ones(table.shape) if sizes is None else np.reshape(sizes, table.shape)
    proportions = weights / weights.sum(axis=1, keepdims=True)
    splits = table.shape[1]
    means = (proportions * table).sum(axis=1)
    with np.errstate(invalid="ignore"):  # inf - inf, of log losses
        variance = (proportions * (table - means[:, None]) ** 2).sum(axis=1) * splits / (splits - 1)
    se = float(np.sqrt(design.factor(splits) * variance.mean()))
    value = float((weights * table).sum() / weights.sum())
    return Mean(value, 0.0 if se < NO_SPREAD else se, design.sets * (splits - 1))


def student_row(test: str, a: Any, b: Any, mean: Mean) -> Row:
    """A t-test of the mean difference of two methods, as `with_holm` takes it."""
    from scipy.stats import t as student  # 0.4 s that most fits do without

    # NaN if nothing varies, unless the mean is 0
    t = mean.value / mean.se if mean.se > NO_SPREAD else 0.0 if mean.value == 0 else np.nan
    p = student.sf(abs(t), mean.df) * 2
    return test, str(a), str(b), mean.value, *student_interval(mean), t, p


def student_interval(mean: Mean) -> tuple[float, float]:
    """95 % interval of a mean; NaN if the splits have no spread."""
    from scipy.stats import t as student

    half = student.ppf(0.975, mean.df) * mean.se if mean.se > NO_SPREAD else np.nan
    return mean.value - half, mean.value + half


def error_interval(errors: Array, design: Design, sizes: Array) -> tuple[float, float]:
    """95 % interval of a mean error over splits, from their errors and numbers of test rows.

    It is Wilson's interval for as many rows as these are worth: a split's test rows over the
    factor of `by_split`. If rows come in groups, it is the wider of this and the t interval at
    each end, because groups make splits differ more than independent rows do.

    Examples
    --------
    Ten folds of six rows, of which one half is classified wrongly, are worth 28 rows and not 60:

    >>> low, high = error_interval(np.full(10, 0.5), Design(1 / 9), np.full(10, 6))
    >>> round(low, 3), round(high, 3)
    (0.327, 0.673)
    """
    mean = mean_over_splits(errors, design, sizes)
    splits = len(errors) // design.sets
    low, high = wilson(mean.value, float(np.mean(sizes)) / design.factor(splits))
    if design.grouped and mean.se > 0:
        ends = student_interval(mean)
        low, high = max(0.0, min(low, ends[0])), min(1.0, max(high, ends[1]))
    return low, high


def _cochran(wrong: pd.DataFrame) -> Row:
    from statsmodels.stats.contingency_tables import cochrans_q

    values, statistic, p = wrong.to_numpy(float), 0.0, 1.0
    if (values != values[:, :1]).any():  # otherwise 0 / 0: the errors are equal
        found = cochrans_q(values)
        statistic, p = found.statistic, found.pvalue
    return "Cochran's Q", "all", "", np.nan, np.nan, np.nan, statistic, p


def _mcnemar(first: pd.Series, second: pd.Series, a: str, b: str) -> Row:
    from statsmodels.stats.contingency_tables import mcnemar

    only_a, only_b, n = (first & ~second).sum(), (second & ~first).sum(), len(first)
    # McNemar's test is the binomial one for fewer rows that one method alone gets wrong
    exact = only_a + only_b < 25
    p = mcnemar([[0, only_a], [only_b, 0]], exact=exact, correction=True).pvalue
    name = f"McNemar ({'exact' if exact else 'chi-squared'})"
    ends = paired_interval(only_a, only_b, n)
    return name, a, b, (only_a - only_b) / n, *ends, float(only_a - only_b), p


def paired_interval(only_a: int, only_b: int, n: int) -> tuple[float, float]:
    """95 % interval of the difference of two errors on n rows, from their discordant rows.

    Bonett and Price (2012), *Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data*: the Wald interval after one row is added to either count.

    Examples
    --------
    >>> low, high = paired_interval(7, 2, 50)
    >>> round(low, 3), round(high, 3)
    (-0.026, 0.218)
    """
    a, b = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    half = Z * float(np.sqrt((a + b - (a - b) ** 2) / (n + 2)))
    return max(-1.0, a - b - half), min(1.0, a - b + half)


def with_holm(rows: Sequence[Row]) -> pd.DataFrame:
    """A table of tests, with Holm's correction `p_holm` among the pairs."""
    out = pd.DataFrame(rows, columns=COLUMNS)
    pairs = ((out["a"] != "all") & out["p"].notna()).to_numpy(bool)
    out["p_holm"] = np.nan
    if pairs.any():
        # 0.7 s, and each call collects garbage
        from statsmodels.stats.multitest import multipletests

        p = out.loc[pairs, "p"].to_numpy(float)
        out.loc[pairs, "p_holm"] = multipletests(p, method="holm")[1]
    return out
