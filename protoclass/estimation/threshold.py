"""A threshold on the probability of a class, selected on held-out rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.statistics.intervals import Estimate, columns_of, effective_rows, least_se
from ..core.statistics.one_se import mean_and_se
from ..core.statistics.roc import all_cuts, best_cut, decide_at, variance_of_choice
from ..core.statistics.scores import LEARN
from ..ground.checks import is_number
from ..ground.errors import DataError, NotAvailable, OptionError, brief, shown, visible
from ..values import Printed, public
from .calibration import parts_of
from .selection import measure_losses, requested_measure

if TYPE_CHECKING:
    from .calibration import Calibration
    from .fitted import Fitted

DRAWS = 200  # bootstrap samples of the calibration rows


@public
@dataclass(frozen=True, eq=False, repr=False)
class Threshold(Printed):
    """A threshold on the probability of one class: from there on it is predicted, below it the most probable of the others.

    Attributes
    ----------
    of : class
        The class with the threshold.
    value : float
        The threshold; inf if the class is never predicted, 0 if it always is.
    rule : str
        Description of the selection.
    measure : str
        Measure that was minimised: "error", "balanced error", "ordinal error" or "loss".
    error, se : float
        The measure on held-out rows, with the probabilities and the threshold refitted without the fold of each row; and its
        standard error over the folds, as in `cross_validate`. The models that scored the other rows were trained with the row, so
        this is less strict than a test on new rows.
    apparent_error : float
        The measure on the rows that selected the threshold, which is optimistic.
    error_without : float
        The same error if the most probable class is predicted instead.
    sensitivity, specificity : Estimate
        Sensitivity and specificity for the class, on the same rows as `error`, each with a 95 % interval for new rows predicted by this
        threshold, see `intervals`.
    table : DataFrame
        One row for each threshold that was tried: `value`, `error` (the measure on the rows that selected it), `sensitivity`,
        `specificity`.
    rows, folds : int
        Held-out rows, and parts of them in which the threshold was re-selected.
    prevalence : float
        Proportion of the class among these rows, by their own weights, without `class_weights=`. All measures are for this prevalence.
    """

    of: Any
    value: float
    rule: str
    measure: str
    error: float
    se: float
    apparent_error: float
    error_without: float
    sensitivity: Estimate
    specificity: Estimate
    table: pd.DataFrame
    rows: int
    folds: int
    prevalence: float

    def words(self) -> str:
        """The decision in words."""
        return decision_in_words(self.of, self.value)

    def glance(self) -> pd.DataFrame:
        """One row: `class`, `value`, `measure`, `error`, `se`, `apparent_error`, `error_without`, `sensitivity`, `specificity`, the
        ends of their intervals, `rows`, `folds` and `prevalence`.
        """
        values, ends = columns_of({"sensitivity": self.sensitivity, "specificity": self.specificity})
        row = {"class": self.of, "value": self.value, "measure": self.measure, "error": self.error, "se": self.se,
               "apparent_error": self.apparent_error, "error_without": self.error_without, **values, **ends}  # fmt: skip
        return pd.DataFrame([{**row, "rows": self.rows, "folds": self.folds, "prevalence": self.prevalence}])

    def _said(self) -> tuple[str, list[Any]]:
        name = self.measure
        lines = [
            f"{self.words()}",
            f"Selected by: {self.rule}, among {len(self.table)} thresholds on {self.rows} held-out rows; prevalence {self.prevalence:.3g}",
            f"CV {name} {self.error:.4f} (SE {self.se:.4f}), threshold re-selected in each of {self.folds} folds",
            f"Apparent {name} {self.apparent_error:.4f} (optimistic); {self.error_without:.4f} if the most probable class is predicted",
        ]
        for word, e in (("Sensitivity", self.sensitivity), ("specificity", self.specificity)):
            lines.append(f"{word} {e.value:.3f} (95 % CI {e.low:.3f} to {e.high:.3f})")
        return "\n".join([*lines[:4], "; ".join(lines[4:])]), []



def decision_in_words(of: Any, value: float) -> str:
    """The decision by a threshold."""
    if value == np.inf:
        return f"{visible(str(of))} is never predicted"
    always = " (always)" if value == 0 else ""
    return f"Predict {visible(str(of))} if its probability is at least {value:.4g}{always}"


def threshold_in_words(threshold: Any, levels: pd.Index) -> str:
    """The decision by a threshold, in words, from the argument of `predict`."""
    code, value = threshold_of(threshold, levels)
    return decision_in_words(levels[code], value)


def threshold_of(threshold: Any, levels: pd.Index) -> tuple[int, float]:
    """Class code and value of a Threshold, or of a mapping of one class to a threshold."""
    if isinstance(threshold, Threshold):
        given = {threshold.of: threshold.value}
    elif isinstance(threshold, Mapping) and len(threshold) == 1:
        given = dict(threshold)
    else:
        example = f"{{{levels[-1]!r}: 0.3}}"
        raise OptionError(
            f"threshold must be the result of fit.calibrate().threshold(...), or a dict of one class and a threshold, such as {example}, "
            f"not {brief(threshold)}"
        )
    (label, cut), *_ = given.items()
    if not isinstance(threshold, Threshold) and not is_number(cut, 0.0, high=1.0):
        raise OptionError(f"a threshold must be a number from 0 to 1, not {brief(threshold)}")
    return class_code(label, levels), float(cut)


def class_code(of: Any, levels: pd.Index) -> int:
    """The code of a class; raises unless it is one."""
    code = levels.get_indexer([of])[0] if isinstance(of, Hashable) else -1
    if code >= 0:
        return int(code)
    raise OptionError(f"{shown(of)} is not a class: use {', '.join(map(shown, levels))}")


def threshold(
    fit: Fitted,
    of: Any,
    measure: Any = "error",
    loss: Any = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
) -> Threshold:
    """Select a probability threshold for one class, on the held-out rows of the calibration.

    The class is predicted if its probability is at least the threshold, otherwise the most probable other class. All thresholds
    between the probabilities of the held-out rows are tried. The threshold with the lowest `measure` is selected; ties are broken
    in favour of the highest.

    Parameters
    ----------
    of : class
        The class with the threshold.
    measure, loss : "error", "balanced", "ordinal" or DataFrame
        Error measure to minimise, or a loss matrix, as in `cross_validate`.
    sensitivity, specificity : float, optional
        Minimum sensitivity or specificity for the class, on the held-out rows. Only one of them can be given.

    Returns
    -------
    Threshold
        The threshold, for `predict(new, threshold=)` and `test(new, threshold=)`. Its cross-validated error refits the probabilities
        and the threshold without each fold; its apparent error, on the rows that selected the threshold, is optimistic. The
        intervals of sensitivity and specificity are for new rows predicted by this threshold, and account for its selection.

    Raises
    ------
    NotAvailable
        If the fit is not calibrated.

    Notes
    -----
    With 40 rows of three worlds and 80 rows of noise, the intervals contain the true value in 0.97 to 1.00 of 40 samples, so few rows
    make them wide rather than wrong (`python benchmarks/inference.py small`).

    See Also
    --------
    Fit.calibrate : probabilities for the threshold.
    Fit.predict : decisions by expected loss, `loss=`.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit = pc.fit("species ~ .", iris.iloc[::2], eps=1.0).calibrate()
    >>> cut = fit.threshold("virginica", sensitivity=0.95)
    >>> cut
    Predict virginica if its probability is at least 0.3082
    Selected by: lowest error with sensitivity of at least 0.95, among 6 thresholds on 75 held-out rows; prevalence 0.333
    CV error 0.0933 (SE 0.0335), threshold re-selected in each of 10 folds
    Apparent error 0.0800 (optimistic); 0.0667 if the most probable class is predicted
    Sensitivity 0.920 (95 % CI 0.665 to 1.000); specificity 0.900 (95 % CI 0.732 to 1.000)
    >>> fit.test(iris.iloc[1::2], threshold=cut).tidy()["sensitivity"].round(2).tolist()
    [0.96, 0.84, 0.92]
    """
    calibration = fit.calibration
    if calibration is None:
        raise NotAvailable("a threshold needs probabilities of held-out rows: use fit.calibrate().threshold(...)")
    code = class_code(of, fit.frame.levels)
    limits = {"sensitivity": sensitivity, "specificity": specificity}
    for name, least in limits.items():
        if least is not None and not is_number(least, 0.0, above=True, high=1.0):
            raise OptionError(f"{name} must be a number above 0, up to 1, not {brief(least)}")
    if sensitivity is not None and specificity is not None:
        raise OptionError("one threshold may not reach both sensitivity= and specificity=: use one of them")
    matrix, name = measure_losses(requested_measure(measure, loss), fit.frame)
    chooser = Chooser(code, matrix, name == "balanced", limits)
    y, w = calibration.conformal.y, calibration.conformal.w
    fold = parts(calibration, code, fit.frame.levels)
    p = calibration.chances.of(calibration.scores)
    cuts, cut, apparent = chooser.choose(p, y, w)
    held, plain = nested(calibration, fold, chooser)
    table = pd.DataFrame({"value": cuts.cut, "error": cuts.loss, "sensitivity": cuts.sensitivity, "specificity": cuts.specificity})
    measured = name if name == "loss" else "error" if name == "error" else f"{name} error"
    reached = "".join(f" with {which} of at least {least:g}" for which, least in limits.items() if least is not None)
    error, se = chooser.error(held, y, w, fold)
    return Threshold(
        fit.classes[code], cut, f"lowest {measured}{reached}", measured, error, se, apparent,
        chooser.error(plain, y, w, fold)[0], *intervals(fit, calibration, chooser, held, fold), table, len(y), int(fold.max()) + 1,
        float(calibration.share[code]),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Chooser:
    """Criterion for the threshold of class `code`: losses (classes, classes), and proportions that it must reach."""

    code: int
    losses: np.ndarray
    balanced: bool
    limits: Mapping[str, float | None]

    def weights(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Weights of the rows in the measure."""
        total = np.bincount(y, w)
        return w / np.where(total > 0, total, 1.0)[y] if self.balanced else w

    def choose(self, p: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[Any, float, float]:
        """All thresholds, the selected one, and its measure on these rows."""
        above = self.losses[y, self.code]
        below = self.losses[y, decide_at(p, self.code, np.inf)]
        cuts = all_cuts(p[:, self.code], above, below, y == self.code, w, self.weights(y, w))
        at = best_cut(cuts, **self.limits)
        return cuts, float(cuts.cut[at]), float(cuts.loss[at])

    def error(self, predicted: np.ndarray, y: np.ndarray, w: np.ndarray, fold: np.ndarray) -> tuple[float, float]:
        """The measure of predictions, and its standard error over folds."""
        weight = self.weights(y, w)
        total = np.bincount(fold, weight)
        of_fold = np.bincount(fold, weight * self.losses[y, predicted]) / total
        mean, se = mean_and_se(of_fold[:, None], total, least_se(weight, self.losses.max(axis=1)[y]))
        return float(mean[0]), float(se[0])


def parts(calibration: Calibration, code: int, levels: pd.Index) -> np.ndarray:
    """For each calibration row the part (n,) without which the threshold is re-selected: its fold, or up to ten parts of folds."""
    y = calibration.conformal.y
    fold = parts_of(y, calibration.conformal.fold, int(min((y == code).sum(), (y != code).sum())))
    for side, name in (((y == code), shown(levels[code])), ((y != code), f"the classes other than {shown(levels[code])}")):
        if len(np.unique(fold[side])) < 2:
            raise DataError(
                f"the calibration rows of {name} are all in one fold, so a threshold can't be evaluated: use more folds or more rows"
            )
    return fold


def nested(calibration: Calibration, fold: np.ndarray, chooser: Chooser) -> tuple[np.ndarray, np.ndarray]:
    """Predicted classes of the calibration rows, by a threshold and by the most probable class, both refitted without their part."""
    scores, y, w = calibration.scores, calibration.conformal.y, calibration.conformal.w
    held, plain = np.empty(len(y), int), np.empty(len(y), int)
    for f in range(int(fold.max()) + 1):
        out = fold == f
        chances = LEARN[calibration.chances.name](scores[~out], y[~out], w[~out])
        _, cut, _ = chooser.choose(chances.of(scores[~out]), y[~out], w[~out])
        p = chances.of(scores[out])
        held[out], plain[out] = decide_at(p, chooser.code, cut), p.argmax(axis=1)
    return held, plain


def intervals(
    fit: Fitted, calibration: Calibration, chooser: Chooser, held: np.ndarray, fold: np.ndarray
) -> tuple[Estimate, Estimate]:
    """Sensitivity and specificity of held-out decisions, with 95 % intervals for new rows predicted by the selected threshold.

    The middle of the interval, and the lowest variance of a proportion, are those with two more rows on either side (Agresti and Coull
    1998), because a proportion of few rows near 0 or 1 shows too little variance. The variance is the one of `variance_of_choice`,
    which accounts for the selection of the threshold, with Student's quantile. If the calibration rows are the training rows, the rules
    that scored them have training rows in common. Then the variance of a proportion of independent rows is added, times K / (K - 1):
    test over training rows (Nadeau and Bengio 2003) for each of the K folds.

    In 48 cases of 100 and 400 rows, with 30 samples each, Wilson's interval for the actual number of rows contains the true proportion
    for the selected threshold in 0.63 to 1.00 (mean 0.84), this interval in 0.93 to 1.00 (mean 0.98):
    `python benchmarks/inference.py threshold --replicates 30`.
    """
    from scipy.stats import t  # 0.4 s that most fits do without

    scores, y, w = calibration.scores, calibration.conformal.y, calibration.conformal.w
    code, own, w = chooser.code, y == chooser.code, w / (w.max(initial=0.0) or 1.0)
    p = calibration.chances.of(scores)
    change = chooser.losses[y, code] - chooser.losses[y, decide_at(p, code, np.inf)]
    grouped_rows = calibration.own_rows and fit.problem.groups is not None
    unit = calibration.conformal.fold if grouped_rows else np.arange(len(y))
    variances = variance_of_choice(
        (fold, np.unique(-p[:, code], return_inverse=True)[1]), change, own, w, lambda v: chooser.weights(y, v), unit,
        (chooser.limits["sensitivity"], chooser.limits["specificity"]), DRAWS, np.random.default_rng(fit.problem.seed),
    )  # fmt: skip
    folds = len(calibration.rules)
    shared = folds / (folds - 1) if calibration.own_rows else 0.0
    out = []
    for rows, variance in zip((own, ~own), variances, strict=True):
        right, weight = (held[rows] == code) == own[rows], w[rows]
        share, count = float(weight @ right / weight.sum()), effective_rows(weight)
        middle = (share * count + 2) / (count + 4)
        alone = middle * (1 - middle) / (count + 4)
        half = float(t.ppf(0.975, max(count - 1, 1.0))) * float(np.sqrt(max(variance, alone) + shared * alone))
        out.append(Estimate(share, max(0.0, middle - half), min(1.0, middle + half)))
    return out[0], out[1]
