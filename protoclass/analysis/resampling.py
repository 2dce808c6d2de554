"""Stability of prototypes and of learned weights under resampling, and a permutation test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core import Array
from ..core.parallel import each, each_fit
from ..core.statistics.folds import disjoint, exchangeable, sample_by_class
from ..core.task import Points, Task
from ..core.thresholds import BLOCK
from ..estimation.arguments import prepare
from ..estimation.cross_validation import validate
from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..estimation.problem import Problem
from ..frames.tables import as_pandas
from ..ground.checks import is_number, one_of, seed_of_runs
from ..ground.errors import DataError, NotAvailableError, OptionError, ProtoclassError, brief, shown
from ..ground.options import fixed, significant, watch
from ..metrics.base import TrainedMetric, train_metric
from ..values import Result, public
from .steps import task_of

OF_BALLS = ["ball_hit_rate", "ball_hit_rate_random"]
COLUMNS = [*OF_BALLS, "distance_95", "reselected"]
SURE = 0.95  # proportion of the samples with a prototype within `distance_95`


@public
@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result):
    """Stability of the prototypes over samples of the rows.

    Attributes
    ----------
    fit : Fitted
        The fit.
    table : DataFrame
        One row for each candidate that was a prototype of the fit or of a sample, by label. The
        prototypes of the fit come first, then the most stable.

        `class` : the class that it represents; `prototype` : whether it is a prototype of the fit.

        `ball_hit_rate` (prototypes of the fit that have balls) : proportion of the samples with a
        prototype of the class in its ball.

        `ball_hit_rate_random` : the same proportion, expected for as many random rows of the class.
        A large ball often contains a random row, so only the difference is evidence of stability.

        `distance_95` (prototypes of the fit) : the distance within which a prototype of the class
        lay in 95 % of the samples; inf if more than 5 % of the samples had none.

        `drawn` : number of samples that contained the row; `reselected` : proportion of these in
        which it was selected again, NaN if no sample contained it.

        The samples are drawn from the rows that selected the prototypes. For other rows
        `ball_hit_rate` and `reselected` are too high and `distance_95` is too small: a mean
        `ball_hit_rate` of 0.86 was 0.75 for new samples, and 0.78 was 0.57 with smaller balls;
        `reselected` is often twice too high (`benchmarks/STABILITY.md`). Report `replicate` as
        well.
    sizes : int array (resamples,)
        Number of prototypes in each sample.
    sample : "bootstrap" or "halves"
        Type of the samples.
    """

    fit: Fitted
    table: pd.DataFrame
    sizes: Array
    sample: str
    _of_fit: pd.DataFrame  # the columns of stability of each prototype of the fit

    _shown: ClassVar[int] = 10

    @property
    def prototypes(self) -> pd.DataFrame:
        """`Fit.prototypes`, with the columns of stability after the class."""
        out = self.fit.prototypes
        out = out.rename(columns={c: f"{c} (predictor)" for c in self._of_fit if c in out})
        for place, name in enumerate(self._of_fit):
            out.insert(1 + place, name, self._of_fit[name].to_numpy())
        return out

    def replicate(
        self,
        fractions: Sequence[float] = (0.25, 0.5),
        resamples: int = 200,
        seed: int | None = None,
        progress: bool | None = None,
    ) -> pd.DataFrame:
        """Mean `ball_hit_rate` and `reselected` in rows that did not select the prototypes.

        The method is refitted to two disjoint samples with the same number of rows of each class.
        `ball_hit_rate` is the proportion of balls of the first fit that contain a prototype of
        their class of the second. Then one prototype of the first fit replaces a row of its class
        in the second sample; `reselected` is the proportion of pairs in which it is selected again.
        These proportions are unbiased for new samples of this size, at most half of the rows, on
        average over prototypes; not for all rows or a single prototype.

        Parameters
        ----------
        fractions : sequence of float, each above 0 and at most 0.5
            Fraction of the rows in each of the two samples.
        resamples : int >= 2
            Pairs of samples for each fraction.
        seed, progress
            As for `stability`.

        Returns
        -------
        DataFrame
            Table by `fraction`: `rows` of each sample, `ball_hit_rate`, `ball_hit_rate_random`
            (both if the prototypes have balls) and `reselected`.

        Raises
        ------
        DataError
            If the samples are too small for the parameters of the fit.

        Examples
        --------
        >>> import protoclass as pc
        >>> result = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).stability(resamples=50)
        >>> table = result.replicate([0.5], resamples=40)
        >>> table[["ball_hit_rate", "reselected"]].round(2).to_dict("list")
        {'ball_hit_rate': [0.81], 'reselected': [0.28]}
        """
        seed = seed_of_runs("resamples", resamples, seed, progress, usual=self.fit._problem.seed)
        given, fractions = fractions, list(fractions) if np.iterable(fractions) else []
        valid = [is_number(fraction, 0.0, above=True, high=0.5) for fraction in fractions]
        if not fractions or not all(valid):
            raise OptionError(
                "fractions must be a sequence of fractions of the rows, each above 0 and at most "
                f"0.5 (two disjoint samples are needed), not {brief(given)}"
            )
        task = task_of(self.fit)
        rows = [count_fraction(task, fraction) for fraction in fractions]
        pairs = [(k, b) for k in range(len(fractions)) for b in range(resamples)]

        def run(pair: tuple[int, int]) -> tuple[float, float, float]:
            return replicate_once(self.fit, task, float(fractions[pair[0]]), (seed, *pair))

        results = each(run, pairs, min(rows) * task.shape[1])
        found = list(watch(results, len(pairs), "drawing pairs", progress))
        out = pd.DataFrame(found, columns=[*OF_BALLS, "reselected"])
        fraction = pd.Index(np.array(fractions, float), name="fraction")
        # the means leave out pairs that are NaN
        out = out.groupby([k for k, _ in pairs]).mean().set_axis(fraction)
        out.insert(0, "rows", rows)
        return out if "cover" in self.fit.rule.kinds else out.drop(columns=OF_BALLS)

    def weights(
        self, resamples: int = 50, seed: int | None = None, progress: bool | None = None
    ) -> pd.DataFrame:
        """Stability of learned weights of variables, by bootstrap samples within each class.

        Parameters
        ----------
        resamples : int >= 2
            Number of samples. The dissimilarity is learned again in each sample.
        seed, progress
            As for `stability`.

        Returns
        -------
        DataFrame
            Table by variable (and class, if each has its own weights): `weight` in the fit; `low`
            and `high`, its range in 90 % of the samples. `first` is the proportion of the samples
            with the weight among the three largest.

        Raises
        ------
        NotAvailableError
            If the dissimilarity has not learned weights.

        Examples
        --------
        >>> import protoclass as pc
        >>> iris, options = pc.load_data("iris"), {"K": 1, "matrix": "diagonal", "ridge": 0.01}
        >>> fit = pc.fit("species ~ .", iris, "medianglvq", **options)
        >>> fit.stability(resamples=10).weights(resamples=20).index[:2].tolist()
        ['petal_length', 'petal_width']
        """
        fit, metric = self.fit, self.fit._problem.metric
        known = fit.dissimilarity.metric.column_weights
        if known is None or not metric.supervised:
            name = fit.dissimilarity.metric.name
            raise NotAvailableError(
                f"{name} dissimilarities have no learned weights: use pc.Relevance or pc.NCA"
            )
        seed = seed_of_runs("resamples", resamples, seed, progress, usual=fit._problem.seed)
        frame = fit.frame

        def learn(b: int) -> Array:
            count = sample_by_class(frame.codes, "bootstrap", (seed, b))
            sample = replace(frame, weights=frame.weights * count).take(np.flatnonzero(count))
            return weights_by_class(train_metric(metric, sample))

        weights = watch(each(learn, range(resamples)), resamples, "learning again", progress)
        samples = np.array(list(weights))
        low, high = np.quantile(samples, [0.05, 0.95], axis=0)
        first = (np.argsort(np.argsort(-samples, axis=2, kind="stable"), axis=2) < 3).mean(axis=0)
        tables = [
            pd.DataFrame(
                {"weight": weight, "low": low[k], "high": high[k], "first": first[k]},
                known.index.rename("variable"),
            ).sort_values("weight", ascending=False, kind="stable")
            for k, weight in enumerate(weights_by_class(fit.dissimilarity.metric))
        ]
        if len(tables) == 1:
            return tables[0]
        return pd.concat(tables, keys=fit.classes, names=["class"])

    def glance(self) -> pd.DataFrame:
        """Table with one row: `prototypes` of the fit, `resamples`, `sample`, and `size_low`,
        `size_median` and `size_high`, the median and 95 % range of the number of prototypes. Over
        the prototypes of the fit: the mean `ball_hit_rate` and `ball_hit_rate_random` if they have
        balls, the median `distance_95`, and the mean `reselected`.
        """
        low, median, high = np.quantile(self.sizes, [0.025, 0.5, 0.975])
        sizes = {"size_low": low, "size_median": median, "size_high": high}
        of_fit = self.table[self.table["prototype"]].filter(COLUMNS)
        means = {name: of_fit[name].mean() for name in of_fit}
        means["distance_95"] = of_fit["distance_95"].median()
        head = {"prototypes": len(of_fit), "resamples": len(self.sizes), "sample": self.sample}
        return pd.DataFrame([head | sizes | means])

    def _said(self) -> tuple[str, list[Any]]:
        row = self.glance().to_dict("records")[0]
        how = "bootstrap samples" if self.sample == "bootstrap" else "random halves of the rows"
        lines = [
            f"Number of prototypes: {row['prototypes']} in the fit, {row['size_median']:.0f} in "
            f"the median of {row['resamples']} {how} "
            f"(95 % of them: {row['size_low']:.0f} to {row['size_high']:.0f})"
        ]
        balls = "ball_hit_rate" in row
        if balls and row["prototypes"]:
            rate, random = (fixed(100 * row[name], 0) for name in OF_BALLS)
            lines.append(
                "ball_hit_rate: on average, the ball contained a prototype of its class in "
                f"{rate} % of the samples\n"
                f"ball_hit_rate_random: as many random rows of the class would give {random} %"
            )
        if row["prototypes"]:
            within, chosen = significant(row["distance_95"], 3), fixed(100 * row["reselected"], 0)
            lines += [
                f"distance_95: in {SURE:.0%} of the samples, a prototype of the class lay within "
                f"this distance (median {within})",
                f"reselected: on average, the row was selected again in {chosen} % of the samples "
                "that contained it",
                "These figures are optimistic, because the samples are drawn from the rows that "
                "selected the prototypes: replicate()",
                f"estimates {'ball_hit_rate and ' * balls}reselected for other rows",
            ]
        return "\n".join(lines), [(self.table, {"float_format": partial(fixed, usual=2)})]


@dataclass(frozen=True)
class Resampled:
    """Selections of the method of a fit in numbered samples; each process makes its task."""

    fit: Fitted
    sample: str
    seed: int

    def __reduce__(self) -> tuple[Any, ...]:
        return Resampled, (self.fit, self.sample, self.seed)

    @cached_property
    def task(self) -> Task:
        return task_of(self.fit)

    def __call__(self, b: int) -> Selection:
        count = sample_by_class(self.task.y, self.sample, (self.seed, b))
        return select(self.fit, self.task, count, b)


def stability(
    fit: Fitted,
    resamples: int = 200,
    seed: int | None = None,
    sample: str | None = None,
    progress: bool | None = None,
    client: Any = None,
) -> Stability:
    """Stability of the prototypes when the rows are resampled.

    `ball_hit_rate` and `distance_95` measure whether samples select a prototype in the same region;
    `reselected` whether they select the same row. They are optimistic for other rows; see
    `Stability.replicate`. Parameters, scales and the dissimilarity are not refitted.

    Parameters
    ----------
    resamples : int >= 2
        Number of samples.
    seed : int, optional
        Seed for the samples. Default: the seed of the fit.
    sample : "bootstrap", "halves" or None
        Type of the samples, stratified by class. "bootstrap": as many rows as in the data, with
        replacement. "halves": half of the rows, without replacement. None: the bootstrap if the
        method takes weights, otherwise halves.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.
    client : Dask client, optional
        Client of a cluster, whose workers then refit the method. The results are the same.

    Returns
    -------
    Stability
        Table of the prototypes of the fit and of the samples.

    Raises
    ------
    NotAvailableError
        If the prototypes are not rows.

    Examples
    --------
    >>> import protoclass as pc
    >>> found = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).stability(resamples=50)
    >>> found.prototypes[["ball_hit_rate", "distance_95"]].iloc[:2].round(2).to_dict("list")
    {'ball_hit_rate': [1.0, 1.0], 'distance_95': [0.6, 0.56]}
    """
    seed = seed_of_runs("resamples", resamples, seed, progress, usual=fit._problem.seed)
    one_of("sample", sample, (None, "bootstrap", "halves"))
    weighted, name = fit.model.can.weights, fit.model.name
    if sample == "bootstrap" and not weighted:
        raise OptionError(
            f"the bootstrap needs weights, which method {name!r} does not have: use sample='halves'"
        )
    if fit.rule.prototypes.at is None:
        raise NotAvailableError(
            f"the prototypes of {name!r} are not rows, so none can be reselected"
        )
    resampled = Resampled(fit, sample or ("bootstrap" if weighted else "halves"), seed)
    task = resampled.task
    if fit.model.path(task, {}).at(0).size > fit.rule.size:
        raise NotAvailableError(
            "this fit is the first part of a longer one, but samples would be fitted completely: "
            "use a fit with its own lambda_, as from fit.update(lambda_=...) or fit.at(lambda_=...)"
        )
    selections = each_fit(resampled, range(resamples), task.shape[0] * task.shape[1])
    samples = list(watch(selections, resamples, "drawing again", progress))
    sizes = np.array([len(sample.at) for sample in samples])
    of_fit, table = tabulate(fit, task, samples)
    return Stability(fit, table, sizes, resampled.sample, of_fit)


def weights_by_class(metric: TrainedMetric) -> Array:
    """The learned weights of the columns (classes, p), or (1, p) of all classes together."""
    if metric.class_weights is not None:
        return metric.class_weights
    assert metric.column_weights is not None
    return np.atleast_2d(metric.column_weights["weight"].to_numpy(float))


def tabulate(
    fit: Fitted, task: Task, samples: list[Selection]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The columns of stability of the prototypes of the fit, and `Stability.table`."""
    prototypes = fit.rule.prototypes
    selected = [pd.MultiIndex.from_arrays([sample.classes, sample.at]) for sample in samples]
    places = pd.MultiIndex.from_arrays([prototypes.classes, prototypes.at])
    distances, random = distances_to_samples(task, prototypes, samples)
    columns = {"distance_95": np.sort(distances, axis=0)[int(np.ceil(SURE * len(samples))) - 1]}
    if "cover" in fit.rule.kinds:
        columns = {
            "ball_hit_rate": (distances < prototypes.radii).mean(axis=0),
            "ball_hit_rate_random": random,
            **columns,
        }
    # one row for each class and candidate that were selected, by the fit or a sample
    of_fit = pd.DataFrame(columns, places)[~places.duplicated()]
    times = pd.concat([pd.Series(1, pairs) for pairs in selected]).groupby(level=[0, 1]).sum()
    out = of_fit.reindex(of_fit.index.union(times.index))
    classes, candidates = (out.index.get_level_values(level).to_numpy(int) for level in (0, 1))
    drawn = np.sum([sample.candidates for sample in samples], axis=0)[candidates]
    times, is_prototype = times.reindex(out.index, fill_value=0), out.index.isin(places)
    out = out.assign(drawn=drawn, reselected=times / np.where(drawn > 0, drawn, np.nan))
    of_fit = out.loc[places].filter(COLUMNS).set_axis(fit._prototype_names)
    best = -out["ball_hit_rate"] if "ball_hit_rate" in out else ~is_prototype
    order = np.lexsort((candidates, classes, -out["reselected"], out["distance_95"], best))
    out = out.set_axis(fit.dissimilarity.candidate_names[candidates])
    out.insert(0, "class", pd.Categorical.from_codes(classes, fit.frame.levels))
    out.insert(1, "prototype", is_prototype)
    return of_fit, out.iloc[order]


def hit_by_random(inside: Array, rows: Array, count: Array) -> Array:
    """Probability that balls contain one of `count` (q,) random rows of a class.

    The class has `rows` (q,) rows, of which `inside` (q,) are in the balls.

    Examples
    --------
    >>> hit_by_random(np.array([0, 1, 3]), np.full(3, 4), np.full(3, 2)).round(2).tolist()
    [0.0, 0.5, 1.0]
    """
    drawn = np.arange(count.max(initial=0))[:, None]
    missed = np.maximum(rows - inside - drawn, 0) / np.maximum(rows - drawn, 1)
    return 1 - np.where(drawn < np.minimum(count, rows), missed, 1.0).prod(axis=0)


def distances_to_samples(
    task: Task, prototypes: Points | Selection, samples: list[Selection], rows: Array | bool = True
) -> tuple[Array, Array]:
    """Distance (samples, q) to each prototype from the nearest of its class in each sample, or inf.

    Also the proportion of the samples, (q,), in which its ball would contain one of as many random
    rows of the class, among `rows`.
    """
    assert prototypes.at is not None
    out, random = np.full((len(samples), len(prototypes.at)), np.inf), np.zeros(len(prototypes.at))
    for begin in range(0, len(prototypes.at), BLOCK):
        block = slice(begin, begin + BLOCK)
        columns, classes = prototypes.at[block], prototypes.classes[block]
        D = task.D.take(np.arange(len(task.y)), columns)
        same_class = (task.y[:, None] == classes) & np.reshape(rows, (-1, 1))
        radii = 0.0 if prototypes.radii is None else prototypes.radii[block]
        inside = same_class & (radii > D)
        in_ball, class_rows = inside.sum(axis=0), same_class.sum(axis=0)
        for b, sample in enumerate(samples):
            of_class, row = sample.classes[:, None] == classes, task.candidate_row[sample.at, None]
            # a candidate that is not a row is at 0 from itself
            itself = np.where(sample.at[:, None] == columns, 0.0, np.inf)
            near = np.where(row < 0, itself, D[row[:, 0]])
            out[b, block] = np.where(of_class, near, np.inf).min(axis=0, initial=np.inf)
            random[block] += hit_by_random(in_ball, class_rows, of_class.sum(axis=0)) / len(samples)
    return out, random


def count_fraction(task: Task, fraction: float) -> int:
    """Number of rows of a sample with this fraction of each class; raises if a class has none."""
    counts = (fraction * np.bincount(task.y, minlength=task.classes) + 1e-9).astype(int)
    if not counts.all():
        c = counts.argmin()
        raise DataError(
            f"class {shown(task.levels[c])} has {(task.y == c).sum()} rows, but a fraction of "
            f"{fraction:g} contains none of them: use larger fractions, up to 0.5"
        )
    return counts.sum()


def replicate_once(
    fit: Fitted, task: Task, fraction: float, seed: tuple[int, int, int]
) -> tuple[float, float, float]:
    """Proportions of one sample's balls hit by prototypes and by random rows of another sample, and
    whether the other sample selects a prototype that is put into it.

    Rows are in a random order for each sample, because the order breaks ties. NaN if the first
    sample selects no prototype; the first two values also if prototypes have no balls.
    """
    draw = np.random.default_rng(seed)
    first, second = disjoint(task.y, fraction, draw)
    selection = select(fit, task, first.astype(np.int64), seed[2], draw)
    if len(selection.at) == 0:
        return np.nan, np.nan, np.nan
    hit = random = np.nan
    if selection.radii is not None:
        other = select(fit, task, second.astype(np.int64), seed[2], draw)
        distances, hits = distances_to_samples(task, selection, [other], second)
        hit, random = (distances < selection.radii).mean(), hits.mean()
    k = draw.integers(len(selection.at))
    row = task.candidate_row[selection.at[k]]
    if row >= 0:
        second[draw.choice(np.flatnonzero(second & (task.y == task.y[row])))] = False
        second[row] = True
    again = select(fit, task, second.astype(np.int64), seed[2], draw)
    selected = (again.at == selection.at[k]) & (again.classes == selection.classes[k])
    return hit, random, selected.any()


@dataclass(frozen=True)
class Selection:
    """The prototypes that a sample selects, by columns of D in increasing order."""

    at: Array  # int (q,)
    classes: Array  # int (q,)
    radii: Array | None  # (q,): of their balls, if they have any that cover
    candidates: Array  # bool (m,): candidates in the sample


def select(
    fit: Fitted, task: Task, count: Array, salt: int, draw: np.random.Generator | None = None
) -> Selection:
    """The selection from a sample with each row `count` (n,) times; `draw` orders them."""
    part, columns = task.keep(count > 0, salt)
    part = replace(part, w=part.w * count[count > 0])
    if draw is not None:
        part, places = part.reorder(draw.permutation(len(part.y)))
        columns = columns[places]
    try:
        rule = fit.model.path(part, {}).at(0).moved(columns)
    except DataError as reason:
        raise DataError(
            f"a sample of {len(part.y)} different rows is too small for the parameters of this fit "
            f"({reason}): use update() with smaller ones"
        ) from reason
    candidates = np.zeros(len(task.candidate_row), bool)
    candidates[columns] = True
    prototypes: Any = rule.prototypes
    pairs = np.stack([prototypes.at, prototypes.classes])  # a centre may serve in several features
    (selected, classes), first = np.unique(pairs, axis=1, return_index=True)
    balls = "cover" in rule.kinds and prototypes.radii is not None
    radii = prototypes.radii[first] if balls else None
    return Selection(selected, classes, radii, candidates)


@public
@dataclass(frozen=True, eq=False, repr=False)
class PermutationTest(Result):
    """A permutation test of a cross-validated error.

    Attributes
    ----------
    error : float
        Error of the selected point.
    table : DataFrame
        One row for each permutation: the selected parameters, their `error` and mean `size`.
    p_value : float
        (1 + number of permutations with an error as low or lower) / (1 + resamples).
    measure : str
        Name of the error.
    how : str
        Description of the permutations.
    call : str
        The call of the cross-validation.
    """

    error: float
    table: pd.DataFrame
    p_value: float
    measure: str
    how: str
    call: str

    _label: ClassVar[str] = "permutation"

    def glance(self) -> pd.DataFrame:
        """Table with one row: `error`, `permuted_mean`, `permuted_low` and `permuted_high` (2.5 and
        97.5 % quantiles), `p_value`, `resamples`, `measure`, `how`.
        """
        errors = self.table["error"]
        mean, (low, high) = errors.mean(), np.quantile(errors, [0.025, 0.975])
        permuted = {"permuted_mean": mean, "permuted_low": low, "permuted_high": high}
        test = {"p_value": self.p_value, "resamples": len(self.table), "measure": self.measure}
        return pd.DataFrame([{"error": self.error, **permuted, **test, "how": self.how}])

    def _said(self) -> tuple[str, list[Any]]:
        row = self.glance().iloc[0]
        mean, low, high = (significant(row[f"permuted_{name}"]) for name in ("mean", "low", "high"))
        spread = f"mean {mean}, 95 % of the permutations from {low} to {high}"
        facts = {
            f"CV {self.measure}": significant(self.error),
            f"{self.measure[:1].upper()}{self.measure[1:]} with permuted classes": spread,
            "Permutations": f"{len(self.table)}, {self.how}",
            "p-value": significant(self.p_value),
        }
        width = max(map(len, facts)) + 1
        lines = [f"{name + ':':<{width}} {value}" for name, value in facts.items()]
        return "\n".join([f"Permutation test of {self.call}", *lines]), []


def permutation_test(
    validation: ErrorCurve,
    resamples: int = 200,
    seed: int | None = None,
    progress: bool | None = None,
    client: Any = None,
) -> PermutationTest:
    """Permutation test of the selected CV error against independence of classes and predictors.

    The whole cross-validation is repeated with permuted classes, so the test accounts for the
    tuning. With `groups=`, the classes of whole groups are permuted if each group has one class,
    otherwise the classes of the rows within each group.

    Parameters
    ----------
    resamples : int
        Number of permutations.
    seed, progress, client
        As for `Fit.stability`.

    Returns
    -------
    PermutationTest
        The selected error, those with permuted classes, and the p-value.

    Raises
    ------
    DataError
        If the cross-validation fails with permuted classes.

    References
    ----------
    Phipson and Smyth (2010), *Permutation p-values should never be zero*; Ojala and Garriga (2010),
    *Permutation tests for studying classifier performance*, JMLR 11, test 1.

    Examples
    --------
    >>> import protoclass as pc
    >>> v = pc.cross_validate("species ~ .", pc.load_data("iris").iloc[::5], eps=[1.0, 1.5], cv=3)
    >>> v.permutation_test(resamples=19).p_value
    0.05
    """
    problem = validation._problem
    seed = seed_of_runs("resamples", resamples, seed, progress, least=1, usual=problem.seed)
    how, order = exchangeable(problem.frame.codes, problem.groups)
    orders = (order(np.random.default_rng([seed, b])) for b in range(resamples))
    results = each_fit(partial(validate_permuted, validation), orders)
    rows = watch(results, resamples, "permuting classes", progress)
    table = pd.concat(rows, ignore_index=True).rename_axis(index="permutation")
    error = validation.table["error"].iloc[validation._point_of()]
    p_value = (1 + (table["error"].round(12) <= round(error, 12)).sum()) / (1 + resamples)
    return PermutationTest(
        float(error), table, float(p_value), validation._measure_name, how, repr(problem.call)
    )


def validate_permuted(validation: ErrorCurve, order: Array) -> pd.DataFrame:
    """The selected point if the rows have their classes in another order, one row."""
    try:
        call, data = validation._problem.call, permuted(validation._problem, order)
        call = replace(call, data=data, arguments={**call.arguments, "progress": False})
        again = validate(replace(prepare(call), repeats=len(validation._of_fold)))[0]
    except ProtoclassError as reason:
        raise DataError(
            f"the procedure fails with permuted classes ({reason}): "
            "use fewer folds, or parameters that need fewer rows"
        ) from reason
    return again.table.iloc[[again._point_of()]][[*validation.grid, "error", "size"]]


def permuted(problem: Problem, order: Array) -> pd.DataFrame:
    """The data with the classes of the rows that take part in another order."""
    data, response = as_pandas(problem.call.data), problem.frame.formula.response
    positions = data.index.get_indexer(problem.frame.index)
    source = np.arange(len(data))
    source[positions] = positions[order]
    return data.assign(**{str(response): data[response].iloc[source].set_axis(data.index)})
