"""Stability of prototypes: which prototypes samples of the rows select."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from ..core.parallel import each, each_fit
from ..core.statistics.folds import holdout
from ..core.task import Points, Task
from ..estimation.fitted import Fitted
from ..estimation.problem import HOLD_LIMIT
from ..ground.checks import MOST_RUNS, check_progress, check_seed, is_number, one_of, whole_number
from ..ground.errors import DataError, NotAvailable, OptionError, brief, shown
from ..ground.options import bar, fixed, significant
from ..metrics.base import TrainedMetric, train_metric
from ..values import Above, Printed, public

COLUMNS = ("ball_hit_rate", "ball_hit_rate_random", "distance_95", "reselected")
SURE = 0.95  # proportion of the samples with a prototype within `distance_95`
BLOCK = 512  # prototypes whose distances are in memory at a time


@public
@dataclass(frozen=True, eq=False, repr=False)
class Stability(Printed):
    """Stability of the prototypes over samples of the rows.

    Attributes
    ----------
    fit : Fitted
        The fit.
    table : DataFrame
        One row for each row of the data (or unlabelled candidate) that was a prototype of the fit or of a sample, by label.
        The prototypes of the fit come first, the most stable before the others.

        `class` : the class that it represents; `prototype` : whether it is a prototype of the fit.

        `ball_hit_rate` (prototypes of the fit that have balls) : proportion of the samples with a prototype of the class in its ball.

        `ball_hit_rate_random` : the same proportion, expected for random rows of the class, as many as its prototypes in each
        sample. A large ball often contains a random row, so only the difference is evidence of stability.

        `distance_95` (prototypes of the fit) : the distance, in units of the dissimilarity, within which a prototype of the class
        lay in 95 % of the samples; inf if more than 5 % of the samples had none.

        The samples are drawn from the rows that selected the prototypes, so `ball_hit_rate` is too high and `distance_95` too small
        for other rows. In `benchmarks/STABILITY.md` a mean `ball_hit_rate` of 0.86 is 0.75 for new samples, and 0.78 is 0.57 with
        smaller balls. Report `replicate` as well.

        `drawn` : number of samples that contained the row; `reselected` : proportion of these in which it was selected again, NaN if
        no sample contained it. For other rows `reselected` is optimistic, often twice too high or more (`benchmarks/STABILITY.md`);
        `replicate` is not.
    sizes : int array (B,)
        Number of prototypes in each sample.
    sample : "bootstrap" or "halves"
        Type of the samples.
    """

    fit: Fitted
    table: pd.DataFrame
    sizes: np.ndarray
    sample: str

    plot = Above("protoclass.pictures")

    @property
    def prototypes(self) -> pd.DataFrame:
        """`Fit.prototypes` with `ball_hit_rate`, `ball_hit_rate_random`, `distance_95` and `reselected` after the class."""
        out = self.fit.prototypes.copy()
        own = self.table[self.table["prototype"]]
        own = own.set_axis(_keys(own.index, own["class"]))
        stands_for = _keys(out.index, out["class"])
        shown = [c for c in COLUMNS if c in own]
        out = out.rename(columns={c: f"{c} (predictor)" for c in shown if c in out})
        for place, name in enumerate(shown):
            out.insert(1 + place, name, own[name].reindex(stands_for).to_numpy())
        return out

    def replicate(
        self, fractions: Sequence[float] = (0.25, 0.5), B: int = 200, seed: int = 0, progress: bool | None = None
    ) -> pd.DataFrame:
        """How prototypes replicate in rows that were not used to select them: mean `ball_hit_rate` and `reselected`.

        Two disjoint samples are drawn, with the same number of rows of each class, and the method is refitted to both.
        `ball_hit_rate` is the proportion of balls of the first fit that contain a prototype of their class of the second;
        `ball_hit_rate_random` is the proportion expected for as many random rows of the class of the second sample. Then one
        prototype of the first fit replaces a row of its class in the second sample, and the method is refitted; `reselected` is the
        proportion of pairs in which it is selected again. Rows are shuffled in each sample, because ties go to the first row. These
        proportions are unbiased for fits to new samples of this size, on average over prototypes. Samples have at most half of the
        rows, so the proportions for all rows, or for a single prototype, are not estimated.

        Parameters
        ----------
        fractions : sequence of float, each above 0 and at most 0.5
            Fraction of the rows in each of the two samples.
        B : int >= 2
            Pairs of samples for each fraction.
        seed : int
            Seed for the samples.
        progress : bool, optional
            Whether to show a progress bar, as in `fit`.

        Returns
        -------
        DataFrame
            Table by `fraction`: `rows` of each sample, `ball_hit_rate`, `ball_hit_rate_random` (both if the prototypes have balls) and
            `reselected`.

        Raises
        ------
        DataError
            If the samples are too small for the parameters of the fit.

        Examples
        --------
        >>> import protoclass as pc
        >>> result = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).stability(B=50)
        >>> float(result.prototypes["reselected"].mean().round(2)), result.replicate([0.5], B=40).round(2).to_dict("list")
        (0.71, {'rows': [75], 'ball_hit_rate': [0.81], 'ball_hit_rate_random': [0.67], 'reselected': [0.28]})
        """
        return replicate(self.fit, fractions, B, seed, progress)

    def weights(self, B: int = 50, seed: int = 0, progress: bool | None = None) -> pd.DataFrame:
        """Stability of learned weights of variables, by bootstrap samples of the rows within each class.

        Parameters
        ----------
        B : int >= 2
            Number of samples. The dissimilarity is learned again in each sample.
        seed : int
            Seed for the samples.
        progress : bool, optional
            Whether to show a progress bar, as in `fit`.

        Returns
        -------
        DataFrame
            Table by variable, the largest weight first: `weight` in the fit; `low` and `high`, the range of the weight in 90 % of the
            samples; `first`, the proportion of the samples in which the weight was among the three largest. If each class has its own
            weights, the table is by class and variable.

        Raises
        ------
        NotAvailable
            If the dissimilarity has not learned weights.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "medianglvq", K=1, matrix="diagonal", ridge=0.01)
        >>> fit.stability(B=10).weights(B=20).index[:2].tolist()
        ['petal_length', 'petal_width']
        """
        return stability_of_weights(self.fit, B, seed, progress)

    def _said(self) -> tuple[str, list[Any]]:
        low, middle, high = np.quantile(self.sizes, [0.025, 0.5, 0.975])
        own = self.table[self.table["prototype"]]
        how = "bootstrap samples" if self.sample == "bootstrap" else "random halves of the rows"
        lines = [
            f"Number of prototypes: {len(own)} in the fit, {middle:.0f} in the median of {len(self.sizes)} {how} "
            f"(95 % of them: {low:.0f} to {high:.0f})"
        ]
        balls = "ball_hit_rate" in own
        if balls and len(own):
            rate, random = (fixed(100 * own[name].mean(), 0) for name in COLUMNS[:2])
            lines.append(f"ball_hit_rate: on average, the ball contained a prototype of its class in {rate} % of the samples")
            lines.append(f"ball_hit_rate_random: as many random rows of the class would give {random} %")
        if len(own):
            within, chosen = significant(own["distance_95"].median(), 3), fixed(100 * own["reselected"].mean(), 0)
            lines += [
                f"distance_95: in {SURE:.0%} of the samples, a prototype of the class lay within this distance (median {within})",
                f"reselected: on average, the row was selected again in {chosen} % of the samples that contained it",
                "These figures are optimistic, because the samples are drawn from the rows that selected the prototypes: replicate()",
                f"estimates {'ball_hit_rate and reselected' if balls else 'reselected'} for other rows",
            ]
        return "\n".join(lines), [(self.table.head(10), {"float_format": partial(fixed, usual=2)})]


def _keys(labels: pd.Index, classes: pd.Series) -> pd.Index:
    """Label and class of each prototype as one value, also if labels are tuples."""
    return pd.Index(list(zip(labels, classes, strict=True)), tupleize_cols=False)


@dataclass(frozen=True)
class Draws:
    """What the method of a fit chooses in numbered samples of the rows; a copy in another process makes its own task."""

    fit: Fitted
    how: str
    seed: int

    def __reduce__(self) -> tuple[Any, ...]:
        return Draws, (self.fit, self.how, self.seed)

    @cached_property
    def task(self) -> Task:
        return self.fit.problem.task(self.fit.dissimilarity, limit=HOLD_LIMIT)

    def __call__(self, b: int) -> Chosen:
        return choose(self.fit, self.task, drawn(self.task, self.how, (self.seed, b)), b)


def stability(
    fit: Fitted, B: int = 200, seed: int = 0, sample: str | None = None, progress: bool | None = None, client: Any = None
) -> Stability:
    """Stability of the prototypes when the rows are resampled.

    `ball_hit_rate` and `distance_95` measure whether samples select a prototype in the same region; `reselected` whether they select
    the same row. All three are optimistic for other rows, because the samples are drawn from the rows that selected the prototypes;
    `Stability.replicate` estimates them for new samples. Parameters, scales and the dissimilarity are not refitted.

    Parameters
    ----------
    B : int >= 2
        Number of samples.
    seed : int
        Seed for the samples.
    sample : "bootstrap", "halves" or None
        Type of the samples, stratified by class. "bootstrap": as many rows as in the data, with replacement. "halves": half of the
        rows, without replacement. None: the bootstrap if the method takes weights, otherwise halves.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.
    client : Dask client, optional
        Client of a cluster, whose workers then refit the method to the samples. The results are the same.

    Returns
    -------
    Stability
        Results with `prototypes` (of the fit), `table` (all prototypes of the fit and of the samples), `replicate`, `weights` and
        `plot`.

    Raises
    ------
    NotAvailable
        If the prototypes are not rows.

    See Also
    --------
    Fit.alternatives : near-optimal solutions and substitutes on the same rows.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.stability(B=50).prototypes[["class", "ball_hit_rate", "distance_95"]].iloc[:2].round(2).to_dict("list")
    {'class': ['setosa', 'versicolor'], 'ball_hit_rate': [1.0, 1.0], 'distance_95': [0.6, 0.56]}
    """
    whole_number("B", B, 2, MOST_RUNS)
    check_seed(seed)
    one_of("sample", sample, (None, "bootstrap", "halves"))
    weighted = fit.model.can.weights
    if sample == "bootstrap" and not weighted:
        raise OptionError(f"the bootstrap needs weights, which method {fit.model.name!r} does not have: use sample='halves'")
    if fit.rule.prototypes.at is None:
        raise NotAvailable(f"the prototypes of {fit.model.name!r} are not rows, so none can be reselected")
    check_progress(progress)
    how = sample or ("bootstrap" if weighted else "halves")
    with bar(int(B) + 1, "drawing again", progress) as drawing:
        draws = Draws(fit, how, int(seed))
        task = draws.task
        drawing.update()
        if fit.model.path(task, {}).at(0).size > fit.rule.size:
            raise NotAvailable(
                "this fit is the first part of a longer one, but samples would be fitted completely: use a fit with its own lambda_, as "
                "from fit.update(lambda_=...) or fit.at(lambda_=...)"
            )
        samples = []
        for replicate in each_fit(draws, range(int(B)), task.shape[0] * task.shape[1]):
            samples.append(replicate)
            drawing.update()
        table = count_choices(fit, task, samples)
    return Stability(fit, table, np.array([len(replicate.at) for replicate in samples]), how)


def stability_of_weights(fit: Fitted, B: int, seed: int, progress: bool | None) -> pd.DataFrame:
    """See `Stability.weights`."""
    known, metric, frame = fit.dissimilarity.metric.column_weights, fit.problem.metric, fit.frame
    if known is None or not metric.supervised:
        raise NotAvailable(f"{fit.dissimilarity.metric.name} dissimilarities have no learned weights: use pc.Relevance or pc.Learned")
    whole_number("B", B, 2, MOST_RUNS)
    check_seed(seed)
    check_progress(progress)
    task = fit.problem.task(fit.dissimilarity)

    def learn(b: int) -> np.ndarray:
        count = drawn(task, "bootstrap", (int(seed), b))
        seen = replace(frame, weights=frame.weights * count).take(np.flatnonzero(count))
        return weights_by_class(train_metric(metric, seen))

    with bar(int(B), "learning again", progress) as learning:
        samples = []
        for weights in each(learn, range(int(B))):
            samples.append(weights)
            learning.update()
    low, high = np.quantile(samples, [0.05, 0.95], axis=0)
    rank = np.argsort(np.argsort(-np.array(samples), axis=2, kind="stable"), axis=2)
    found, first = weights_by_class(fit.dissimilarity.metric), (rank < 3).mean(axis=0)
    tables = []
    for k, weight in enumerate(found):
        table = pd.DataFrame({"weight": weight, "low": low[k], "high": high[k], "first": first[k]}, known.index.rename("variable"))
        tables.append(table.sort_values("weight", ascending=False, kind="stable"))
    return tables[0] if len(tables) == 1 else pd.concat(dict(zip(fit.classes, tables, strict=True)), names=["class"])


def weights_by_class(metric: TrainedMetric) -> np.ndarray:
    """The learned weights of the columns (classes, p), or (1, p) of all classes together."""
    if metric.class_weights is not None:
        return metric.class_weights
    assert metric.column_weights is not None
    return np.atleast_2d(metric.column_weights["weight"].to_numpy(float))


def count_choices(fit: Fitted, task: Task, samples: list[Chosen]) -> pd.DataFrame:
    prototypes, m = fit.rule.prototypes, len(task.candidate_row)
    times, present = np.zeros((task.classes + 1, m), np.int64), np.zeros(m, np.int64)  # the last of those that stand for no class, -1
    for sample in samples:
        np.add.at(times, (sample.classes, sample.at), 1)
        present += sample.present
    own = np.zeros(times.shape, bool)
    own[prototypes.classes, prototypes.at] = True
    classes, at = np.nonzero(own | (times > 0))
    classes[classes == task.classes] = -1
    out = pd.DataFrame({
        "class": pd.Categorical.from_codes(classes, fit.frame.levels),
        "prototype": own[classes, at],
        "drawn": present[at],
        "reselected": np.where(present[at] > 0, times[classes, at] / np.maximum(present[at], 1), np.nan),
    }, fit.dissimilarity.candidate_names[at])  # fmt: skip
    distances, random = distances_to_samples(task, prototypes, samples)
    places = pd.MultiIndex.from_arrays([prototypes.classes, prototypes.at])
    own_columns = {"distance_95": np.sort(distances, axis=0)[int(np.ceil(SURE * len(samples))) - 1]}
    if "cover" in fit.rule.kinds:
        own_columns = {"ball_hit_rate": (distances < prototypes.radii).mean(axis=0), "ball_hit_rate_random": random, **own_columns}
    of_row = pd.DataFrame(own_columns, places)
    of_row = of_row[~places.duplicated()].reindex(pd.MultiIndex.from_arrays([classes, at]))
    for place, name in enumerate(of_row):
        out.insert(2 + place, str(name), of_row[name].to_numpy())
    surest = -out["ball_hit_rate"].to_numpy() if "ball_hit_rate" in out else np.where(own[classes, at], 0.0, 1.0)
    return out.iloc[np.lexsort((at, classes, -out["reselected"].to_numpy(), out["distance_95"].to_numpy(), surest))]


def hit_by_random(inside: np.ndarray, rows: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Probability that balls contain one of `count` (q,) random rows of a class, if `inside` (q,) of its `rows` (q,) are in them.

    Examples
    --------
    >>> hit_by_random(np.array([0, 1, 3]), np.array([4, 4, 4]), np.array([2, 2, 2])).round(2).tolist()
    [0.0, 0.5, 1.0]
    """
    drawn = np.arange(count.max(initial=0))[:, None]
    missed = np.maximum(rows - inside - drawn, 0) / np.maximum(rows - drawn, 1)
    return np.asarray(1 - np.where(drawn < np.minimum(count, rows), missed, 1.0).prod(axis=0))


def distances_to_samples(
    task: Task, prototypes: Points | Chosen, samples: list[Chosen], rows: np.ndarray | bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Distance to each prototype from the nearest prototype of its class in each sample, (B, q); inf if there is none.

    Also the proportion of the samples, (q,), in which its ball would contain one of as many random rows of the class, among `rows`.
    """
    assert prototypes.at is not None
    out, random = np.full((len(samples), len(prototypes.at)), np.inf), np.zeros(len(prototypes.at))
    for begin in range(0, len(prototypes.at), BLOCK):
        columns, classes = prototypes.at[begin : begin + BLOCK], prototypes.classes[begin : begin + BLOCK]
        D = task.D.take(np.arange(len(task.y)), columns)
        own, part = (task.y[:, None] == classes) & np.reshape(rows, (-1, 1)), slice(begin, begin + BLOCK)
        inside = own & np.less(D, 0.0 if prototypes.radii is None else prototypes.radii[part])
        for b, sample in enumerate(samples):
            count = np.bincount(sample.classes[sample.classes >= 0], minlength=task.classes)[classes]
            random[part] += hit_by_random(inside.sum(axis=0), own.sum(axis=0), count) / len(samples)
            for c in np.unique(classes):
                mine, theirs = np.flatnonzero(classes == c), sample.rows_of(c, task)
                if len(theirs):
                    out[b, begin + mine] = D[np.ix_(theirs, mine)].min(axis=0)
                outside = mine[
                    (task.candidate_row[columns[mine]] < 0) & np.isin(columns[mine], sample.at[sample.classes == c])
                ]
                out[b, begin + outside] = 0.0  # no row, and chosen itself
    return out, random


def replicate(fit: Fitted, fractions: Sequence[float], B: int, seed: int, progress: bool | None) -> pd.DataFrame:
    """See `Stability.replicate`."""
    whole_number("B", B, 2, MOST_RUNS)
    check_seed(seed)
    check_progress(progress)
    given, fractions = fractions, list(fractions) if np.iterable(fractions) else []
    if not fractions or not all(is_number(s, 0.0, above=True, high=0.5) for s in fractions):
        raise OptionError(
            "fractions must be a sequence of fractions of the rows, each above 0 and at most 0.5 (two disjoint samples are needed), not "
            f"{brief(given)}"
        )
    task, table = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT), []
    with bar(int(B) * len(fractions), "drawing pairs", progress) as drawing:
        for place, share in enumerate(map(float, fractions)):
            first, _ = disjoint(task, share, np.random.default_rng(0))
            outcomes = []

            def run(b: int, share: float = share, place: int = place) -> tuple[float, float, float]:
                return _replicate_once(fit, task, share, (int(seed), place, b))

            for outcome in each(run, range(int(B)), int(first.sum()) * len(task.candidate_row)):
                outcomes.append(outcome)
                drawing.update()
            table.append((int(first.sum()), *pd.DataFrame(outcomes).mean()))  # without pairs that are NaN
    names, index = ["rows", *COLUMNS[:2], "reselected"], pd.Index([float(s) for s in fractions], name="fraction")
    out = pd.DataFrame(table, index, columns=names)
    return out if "cover" in fit.rule.kinds else out.drop(columns=[*COLUMNS[:2]])


def _replicate_once(fit: Fitted, task: Task, share: float, seed: tuple[int, int, int]) -> tuple[float, float, float]:
    """Proportions of one sample's balls that contain a prototype, or one of as many random rows, of another sample, and whether the
    other selects one put into it.

    Rows are in a random order for each sample, because the order breaks ties. NaN if the first sample selects no
    prototype; the first two values also if prototypes have no balls.
    """
    draw = np.random.default_rng(seed)
    first, second = disjoint(task, share, draw)
    chosen = choose(fit, task, first.astype(np.int64), seed[2], draw)
    if len(chosen.at) == 0:
        return np.nan, np.nan, np.nan
    near = random = np.nan
    if chosen.radii is not None:
        other = choose(fit, task, second.astype(np.int64), seed[2], draw)
        distances, hits = distances_to_samples(task, chosen, [other], second)
        near, random = float((distances < chosen.radii).mean()), float(hits.mean())
    k = int(draw.integers(len(chosen.at)))
    row = int(task.candidate_row[chosen.at[k]])
    if row >= 0:
        second[draw.choice(np.flatnonzero(second & (task.y == task.y[row])))] = False
        second[row] = True
    again = choose(fit, task, second.astype(np.int64), seed[2], draw)
    return near, random, float(((again.at == chosen.at[k]) & (again.classes == chosen.classes[k])).any())


@dataclass(frozen=True)
class Chosen:
    """The prototypes of a sample, by columns of D in increasing order."""

    at: np.ndarray  # int (q,)
    classes: np.ndarray  # int (q,)
    radii: np.ndarray | None  # (q,): of their balls, if they have any that cover
    present: np.ndarray  # bool (m,): candidates in the sample

    def rows_of(self, c: int, task: Task) -> np.ndarray:
        """The rows that are prototypes of a class."""
        rows = task.candidate_row[self.at[self.classes == c]]
        return np.asarray(rows[rows >= 0])


def choose(fit: Fitted, task: Task, count: np.ndarray, salt: int, draw: np.random.Generator | None = None) -> Chosen:
    """What the method chooses of a sample in which each row is `count` (n,) times, in an order that is drawn if `draw` is given."""
    part, columns = task.keep(count > 0, salt)
    part = replace(part, w=part.w * count[count > 0])
    if draw is not None:
        part, places = part.reorder(draw.permutation(len(part.y)))
        columns = columns[places]
    try:
        rule = fit.model.path(part, {}).at(0).moved(columns)
    except DataError as reason:
        raise DataError(
            f"a sample of {len(part.y)} different rows is too small for the parameters of this fit ({reason}): use update() with smaller "
            "ones"
        ) from reason
    prototypes = rule.prototypes
    present = np.zeros(len(task.candidate_row), bool)
    present[columns] = True
    # a centre may serve in several features
    assert prototypes.at is not None
    (at, classes), first = np.unique(np.stack([prototypes.at, prototypes.classes]), axis=1, return_index=True)
    radii = prototypes.radii[first] if "cover" in rule.kinds and prototypes.radii is not None else None
    return Chosen(at, classes, radii, present)


def drawn(task: Task, how: str, seed: tuple[int, int]) -> np.ndarray:
    """Times that each row is in the sample, int (n,), class by class."""
    if how == "halves":
        return (~holdout(task.y, 0.5, int(np.random.SeedSequence(seed).generate_state(1)[0]))).astype(np.int64)
    draw, count = np.random.default_rng(seed), np.zeros(len(task.y), np.int64)
    for c in range(task.classes):
        rows = np.flatnonzero(task.y == c)
        count[rows] = np.bincount(draw.integers(0, len(rows), len(rows)), minlength=len(rows))
    return count


def disjoint(task: Task, share: float, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two samples without a row in common, bool (n,) each, with the same number of rows of each class."""
    first, second = np.zeros(len(task.y), bool), np.zeros(len(task.y), bool)
    for c in range(task.classes):
        rows = draw.permutation(np.flatnonzero(task.y == c))
        count = int(np.floor(share * len(rows)))
        if count == 0:
            raise DataError(
                f"class {shown(task.levels[c])} has {len(rows)} rows, but a fraction of {share:g} contains none of them: use larger "
                "fractions, up to 0.5"
            )
        first[rows[:count]], second[rows[count : 2 * count]] = True, True
    return first, second
