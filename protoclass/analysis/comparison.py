"""Methods judged on the same test rows: errors with intervals, and paired tests between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core import Array
from ..core.statistics.intervals import Z, mean_over_rows, sum_of_squares, wilson
from ..core.statistics.one_se import losses
from ..core.statistics.roc import AUC, mean_auc
from ..core.statistics.scores import SCORES
from ..estimation.arguments import loss_matrix
from ..frames.tables import cached_table
from ..ground.checks import Served, one_of, quoted
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
        by_method, n = self.results.groupby("method"), int(self.sizes.sum())
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
            means = pd.DataFrame(self._mean_scores(score), [score, f"{score}_se"]).T
            out = out.join(means)
        choices = by_method["choice"].agg(lambda choices: describe_choices(choices.tolist()))
        out = out.assign(
            prototypes=by_method["prototypes"].mean(),
            seconds=by_method["seconds"].median(),
            choice=choices,
        )
        # fits that were there already
        out = out.drop(columns="seconds") if out["seconds"].isna().all() else out
        whole = len(self.errors) == 1 and out["prototypes"].notna().all()
        return out.astype({"prototypes": int}) if whole else out

    @cached_table
    def tests(self) -> pd.DataFrame:
        """Paired tests of the methods with Holm's correction, and 95 % intervals of differences.

        For one random split or fits on new rows: Cochran's Q over all methods and McNemar's test of
        each pair, which compare the fitted models, not the methods. Otherwise: the corrected
        resampled t-test of each pair. With a reference, only the pairs with it are tested. Columns: `test`, `a`, `b`,
        `difference` (error of a minus error of b), `low`, `high`, `statistic`, `p` and `p_holm`.
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

    def _scores(self, score: str) -> pd.DataFrame:
        """The Brier score, log loss or loss of each test row for each method."""
        truth = self.predictions["truth"]
        if self.loss is None or score != "loss":
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

    def _by_split(self, score: str) -> tuple[pd.DataFrame, Array]:
        """A score of each method on each split, and the number of rows that it is a mean of."""
        if score == "auc":
            values = {
                name: [area.estimate.value for area in areas] for name, areas in self._areas.items()
            }
            return pd.DataFrame(values, self.errors.index), self.sizes
        of_split = self._scores(score).groupby(level="split")
        return of_split.mean(), of_split.size().to_numpy()

    def _mean_scores(self, score: str) -> dict[str, tuple[float, float]]:
        """Mean and standard error of a score for each method that has it, NaN if not finite."""
        if not self.independent:
            by, sizes = self._by_split(score)
            means = {
                str(name): mean_over_splits(by[name].to_numpy(), self.design, sizes) for name in by
            }
            return {name: (mean.value, mean.se) for name, mean in means.items()}
        if score == "auc":
            return {name: (area.estimate.value, area.se) for name, (area,) in self._areas.items()}
        rows = self._scores(score)
        return {
            str(name): mean_over_rows(rows[name].to_numpy(), np.ones(len(rows))) for name in rows
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
            If no method has probabilities, or no loss matrix was given.

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
        if not self.independent:
            by, sizes = self._by_split(score)
            return by_split(by, self.design, sizes, self.reference)
        if score == "auc":
            return compare_areas(
                {name: area for name, (area,) in self._areas.items()}, reference=self.reference
            )
        return compare_scores(self._scores(score), self.reference)

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


def tabulate(
    splits: Iterable[tuple[pd.Series, Mapping[str, Outcome]]], levels: pd.Index
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Array]]:
    """`results`, `predictions` and `probabilities` of a Comparison, from outputs of each split."""
    rows, parts, labels, probabilities = [], [], list[pd.Index](), dict[str, list[Array]]()
    for split, (truth, outputs) in enumerate(splits):
        predicted = {"truth": truth.to_numpy(object)}
        for name, (row, classes, p) in outputs.items():
            differ = classes.astype(object) != truth.astype(object)
            wrong = classes.isna().to_numpy() | differ.to_numpy()
            counts = {"n": len(truth), "wrong": int(wrong.sum()), "error": float(wrong.mean())}
            rows.append({"split": split, "method": name, **counts, **row})
            predicted[name] = classes.to_numpy(object)
            if p is not None:
                probabilities.setdefault(name, []).append(p)
        parts.append(pd.DataFrame(predicted))
        labels.append(truth.index.to_flat_index())
    of_split = np.repeat(np.arange(len(labels)), [len(part) for part in labels])
    arrays = [of_split, labels[0].append(labels[1:])]
    index = pd.MultiIndex.from_arrays(arrays, names=["split", None])
    predictions = pd.concat(parts).set_axis(index)
    predictions = predictions.apply(lambda column: pd.Categorical(column, levels))
    of_method = {name: np.concatenate(p) for name, p in probabilities.items()}
    return pd.DataFrame(rows), predictions, of_method


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


def describe_choices(choices: Sequence[Mapping[str, Any]]) -> str:
    """The tuned parameters in words: median and range, or the most common value."""
    words = []
    for parameter in dict.fromkeys(chain(*choices)):
        values = [choice.get(parameter, "-") for choice in choices]
        if all(isinstance(v, Real) and not isinstance(v, bool) for v in values):
            low, middle, high = min(values), float(np.median(values)), max(values)
            spread = f" ({significant(low)} to {significant(high)})" if low < high else ""
            words.append(f"{parameter} {significant(middle)}{spread}")
        else:
            text = [str(v) for v in values]
            common = max(dict.fromkeys(text), key=text.count)
            count = text.count(common)
            words.append(common + f" ({count} of {len(text)})" * (count < len(text)))
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
    """All pairs of the names, or each other name with the reference, if that is one of them."""
    names = list(names)
    if reference not in names:
        return list(combinations(names, 2))
    return [(name, reference) for name in names if name != reference]


def compare_areas(
    areas: Mapping[str, AUC], group: Any = None, reference: str | None = None
) -> pd.DataFrame:
    """DeLong's test of each pair of areas under ROC curves of the same rows, as rows of `by_row`.

    A row adds the difference of its contributions to the errors of the two areas to the error of
    their difference. The statistic is z. If rows come in groups, `group` (n,), their contributions
    are added first, and the statistic is Student's t.
    """

    def test(a: Any, b: Any) -> Row:
        one, other = areas[a], areas[b]
        se = np.sqrt(sum_of_squares(one.parts - other.parts, None, group))
        value = one.estimate.value - other.estimate.value
        mean = Mean(value, 0.0 if se < NO_SPREAD else se, min(one.df, other.df))
        return student_row("DeLong", a, b, mean)

    return with_holm([test(a, b) for a, b in pairs_of(areas, reference)])


def compare_scores(scores: pd.DataFrame, reference: str | None = None) -> pd.DataFrame:
    """Paired t-tests of each pair of columns over independent rows."""

    def test(a: Any, b: Any) -> Row:
        value, se = mean_over_rows((scores[a] - scores[b]).to_numpy(), np.ones(len(scores)))
        return student_row(
            "paired t", a, b, Mean(value, 0.0 if np.isnan(se) else se, len(scores) - 1)
        )

    return with_holm([test(a, b) for a, b in pairs_of(scores, reference)])


# rows that one of two methods alone gets wrong: below this many McNemar's test is the binomial one
EXACT = 25
NO_SPREAD = 1e-12  # standard error that is rounding alone
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


@dataclass(frozen=True)
class Mean:
    """A mean over splits, its standard error (0 without spread) and degrees of freedom."""

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

    def test(a: Any, b: Any) -> Row:
        mean = mean_over_splits((errors[a] - errors[b]).to_numpy(), design, sizes)
        return student_row("corrected resampled t", a, b, mean)

    return with_holm([test(a, b) for a, b in pairs_of(errors, reference)])


def mean_over_splits(values: Array, design: Design, sizes: Array | None = None) -> Mean:
    """Mean over splits, weighted by their test rows, with Nadeau and Bengio's standard error."""
    table = values.reshape(design.sets, -1)
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

    # without spread NaN, unless the mean is 0
    t = mean.value / mean.se if mean.se > 0 else 0.0 if mean.value == 0 else np.nan
    p = student.sf(abs(t), mean.df) * 2
    return test, str(a), str(b), mean.value, *student_interval(mean), t, p


def student_interval(mean: Mean) -> tuple[float, float]:
    """95 % interval of a mean; NaN if the splits have no spread."""
    from scipy.stats import t as student

    half = student.ppf(0.975, mean.df) * mean.se if mean.se > 0 else np.nan
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
    exact = only_a + only_b < EXACT
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
