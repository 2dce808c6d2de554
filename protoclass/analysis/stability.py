"""How often each prototype is chosen again when the rows are drawn anew."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import one_of, whole_number
from ..core.folds import holdout
from ..core.parallel import each
from ..core.task import Task
from ..errors import DataError, NotAvailable, OptionError
from ..estimation.problem import HOLD_LIMIT
from ..progress import bar

if TYPE_CHECKING:
    from ..estimation.fit import Fit


@dataclass(frozen=True, eq=False)
class Stability:
    """Prototypes over samples of the rows.

    Attributes
    ----------
    fit : Fit
    table : DataFrame
        One row for each row of the data (or unlabelled candidate) that was a prototype of the fit or of a sample, by label and
        in falling order of `chosen`: `class` (what it stands for), `prototype` (whether of the fit), `drawn` (samples that
        held it), `chosen` (share of these in which it became a prototype of the class; NaN where it was in none) and, for
        prototypes with balls, `near`: the share of all samples in which a prototype of the class lay in its ball.
    sizes : int array (B,)
        Prototypes of each sample.
    sample : "bootstrap" or "halves"
    """

    fit: Fit
    table: pd.DataFrame
    sizes: np.ndarray
    sample: str

    @property
    def prototypes(self) -> pd.DataFrame:
        """`Fit.prototypes` with the columns `chosen` and `near` after the class."""
        out = self.fit.prototypes.copy()
        own = self.table[self.table["prototype"]]
        own = own.set_axis(_keys(own.index, own["class"]))
        stands_for = _keys(out.index, out["class"])
        out = out.rename(columns={c: f"{c} (predictor)" for c in ("chosen", "near") if c in out and c in own})
        for place, name in enumerate(c for c in ("chosen", "near") if c in own):
            out.insert(1 + place, name, own[name].reindex(stands_for).to_numpy())
        return out

    def plot(self, ax: Any = None) -> Any:
        """Share of the samples in which each prototype was chosen again, and in which its ball held one of its class."""
        from ..plots.stability import stability

        return stability(self, ax)

    def __repr__(self) -> str:
        low, middle, high = np.quantile(self.sizes, [0.025, 0.5, 0.975])
        own = self.table[self.table["prototype"]]
        near = f"; near again, on average: {own['near'].mean():.2f}" if "near" in own else ""
        how = "bootstrap samples" if self.sample == "bootstrap" else "random halves of the rows"
        return (
            f"Prototypes over {len(self.sizes)} {how}: {middle:.0f} of them (95 % of the samples: {low:.0f} to {high:.0f}), "
            f"{len(own)} in the fit\nchosen again, on average: {own['chosen'].mean():.2f}{near}\n"
            f"{self.table.head(10).to_string(float_format='{:.2f}'.format)}"
        )


def _keys(labels: pd.Index, classes: pd.Series) -> pd.Index:
    """Label and class of each prototype as one value, also where labels are tuples."""
    return pd.Index(list(zip(labels, classes, strict=True)), tupleize_cols=False)


def stability(fit: Fit, B: int, seed: int, sample: str | None, progress: bool | None) -> Stability:
    """See `Fit.stability`."""
    whole_number("B", B, 2)
    whole_number("seed", seed, 0)
    one_of("sample", sample, (None, "bootstrap", "halves"))
    weighted = fit.model.can.weights
    if sample == "bootstrap" and not weighted:
        raise OptionError(f"method {fit.model.name!r} takes no weights, which the bootstrap needs: sample='halves'")
    if fit.rule.prototypes.at is None:
        raise NotAvailable(f"the prototypes of {fit.model.name!r} are not rows, so that none can be chosen again")
    one_of("progress", progress, (None, True, False))
    how = sample or ("bootstrap" if weighted else "halves")
    with bar(int(B) + 1, "drawing again", progress) as drawing:
        task = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT)
        drawing.update()
        if fit.model.path(task, {}).at(0).size > fit.rule.size:
            raise NotAvailable(
                "this fit is the first part of a longer one, and samples would be fitted completely: fit it with a lambda_ of its own, "
                "as fit.update(lambda_=...) or fit.at(lambda_=...) do"
            )

        def run(b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            return again(fit, task, how, (int(seed), b))

        samples = []
        for one in each(run, range(int(B)), task.shape[0] * task.shape[1]):
            samples.append(one)
            drawing.update()
        table = count_choices(fit, task, samples)
    return Stability(fit, table, np.array([len(at) for at, _, _ in samples]), how)


def again(fit: Fit, task: Task, how: str, seed: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Prototypes of one sample: their columns, their classes, and which candidates could be chosen, bool (m,)."""
    count = drawn(task, how, seed)
    part, columns = task.keep(count > 0, seed[1])
    part = replace(part, w=part.w * count[count > 0])
    try:
        prototypes = fit.model.path(part, {}).at(0).moved(columns).prototypes
    except DataError as reason:
        raise DataError(
            f"a sample of {len(part.y)} different rows does not carry the parameters of this fit ({reason}): update() it with smaller ones"
        ) from reason
    present = np.zeros(len(task.candidate_row), bool)
    present[columns] = True
    at, classes = np.unique(
        np.stack([prototypes.at, prototypes.classes]), axis=1
    )  # a centre may serve in several features
    return at, classes, present


def drawn(task: Task, how: str, seed: tuple[int, int]) -> np.ndarray:
    """Times that each row is in the sample, int (n,), class by class."""
    if how == "halves":
        return (~holdout(task.y, 0.5, int(np.random.SeedSequence(seed).generate_state(1)[0]))).astype(np.int64)
    draw, count = np.random.default_rng(seed), np.zeros(len(task.y), np.int64)
    for c in range(task.classes):
        rows = np.flatnonzero(task.y == c)
        count[rows] = np.bincount(draw.integers(0, len(rows), len(rows)), minlength=len(rows))
    return count


def count_choices(fit: Fit, task: Task, samples: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> pd.DataFrame:
    prototypes, m = fit.rule.prototypes, len(task.candidate_row)
    times, present = np.zeros((task.classes, m), np.int64), np.zeros(m, np.int64)
    for at, classes, here in samples:
        np.add.at(times, (classes, at), 1)
        present += here
    own = np.zeros((task.classes, m), bool)
    own[prototypes.classes, prototypes.at] = True
    classes, at = np.nonzero(own | (times > 0))
    out = pd.DataFrame({
        "class": pd.Categorical.from_codes(classes, fit.frame.levels),
        "prototype": own[classes, at],
        "drawn": present[at],
        "chosen": np.where(present[at] > 0, times[classes, at] / np.maximum(present[at], 1), np.nan),
    }, fit.dissimilarity.candidate_names[at])  # fmt: skip
    if "cover" in fit.rule.kinds:
        near = pd.Series(
            _near(fit, task, samples), index=pd.MultiIndex.from_arrays([prototypes.classes, prototypes.at])
        )
        out["near"] = near.reindex(pd.MultiIndex.from_arrays([classes, at])).to_numpy()
    return out.iloc[np.lexsort((at, classes, -out["chosen"].to_numpy()))]


def _near(fit: Fit, task: Task, samples: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> np.ndarray:
    """Share of the samples in which a prototype of the class lay in each prototype's ball."""
    prototypes = fit.rule.prototypes
    inside = task.D.take(np.arange(len(task.y)), prototypes.at) < prototypes.radii
    hits = np.zeros(len(prototypes))
    for at, classes, _ in samples:
        rows = task.candidate_row[at]
        for c in range(task.classes):
            mine = prototypes.classes == c
            hits[mine] += inside[np.ix_(rows[(classes == c) & (rows >= 0)], mine)].any(axis=0)
    return hits / len(samples)
