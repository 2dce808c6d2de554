"""The analyses of a fit: its error on new rows, bounds, stability, importance, and what its prototypes hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from ..arguments import known_arguments, public
from ..core.memory import limited
from .explained import Explained

if TYPE_CHECKING:
    from ..analysis.by_group import TestByGroup
    from ..analysis.evaluation import Test
    from ..analysis.stability import Stability
    from .threshold import Threshold


@public
@dataclass(frozen=True, eq=False)
class Analysed(Explained):
    """A fitted rule that can be tested, bounded and explained; each analysis is a module of `analysis`."""

    @overload
    def test(
        self, new: Any, weights: Any = ..., no_information: float | None = ..., by: None = ..., loss: Any = ..., threshold: Any = ...,
        groups: Any = ...,
    ) -> Test: ...  # fmt: skip

    @overload
    def test(
        self, new: Any, weights: Any = ..., no_information: float | None = ..., *, by: Any, loss: Any = ..., threshold: Any = ...,
        groups: Any = ...,
    ) -> TestByGroup: ...  # fmt: skip

    @known_arguments
    @limited
    def test(
        self,
        new: Any,
        weights: Any = None,
        no_information: float | None = None,
        by: Any = None,
        loss: Any = None,
        threshold: Any = None,
        groups: Any = "auto",
    ) -> Test | TestByGroup:
        """How good the fit is on new data with known classes: error, confusion, statistics by class, and scores of its chances.

        No information means to predict always the most common class of the training rows. That is a rule like any other, fixed
        before the new rows were seen, so that the two are compared on them by the exact sign test: of the rows that one of the
        two alone gets wrong, half would be the rule's if it were no better.

        Where the fit has chances, calibrated (`Fit.calibrate`) or the method's own, they are judged as well: AUC, Brier score,
        log loss, and whether they come true.

        Parameters
        ----------
        new : DataFrame
            With the predictors and the response; for given dissimilarities the response is a column beside them. Rows
            that miss either are left out and counted.
        weights : column name, Series or array, optional
            Weight of each new row, in all statistics, intervals and tests.
        no_information : float between 0 and 1, optional
            An error that is known from elsewhere, such as 1 less a base rate of the population: the test against it is the
            exact binomial one.
        by : column name, Series or array, optional
            Groups of the new rows, up to 50: each is judged by itself, and their errors are compared pair by pair.
        loss : DataFrame, optional
            Loss of predicting the class of the column for a row of the class of the row: its mean over the new rows is added, of the
            predicted classes and, where there are chances, of the decisions `predict(new, loss=loss)`.
        threshold : Threshold, or dict of one class and a cut, optional
            The classes that are judged are those of `predict(new, threshold=threshold)`.
        groups : "auto", column name, Series, array or None
            Groups of rows that are not independent, such as the visits of a patient: intervals and tests are by groups
            (cluster-robust), estimates are as without. "auto": the column that `groups=` of the fit named, if the new data have it.

        Returns
        -------
        Test
            With `tidy()` (one row a class), `glance()`, `summary()`, `calibration()`, `coverage()` and `plot(kind)`; or with `by`
            a `TestByGroup`, with `groups` (a Test each), `comparisons`, `tidy()`, `glance()` and `plot()`.

        Examples
        --------
        >>> import protoclass as pc
        >>> wine = pc.load_data("wine")
        >>> fit = pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=5)
        >>> found = fit.test(wine.iloc[1::2])
        >>> found.test
        'exact sign test, one-sided, on the 58 rows that one of the two alone gets wrong'
        >>> found.tidy()[["class", "sensitivity", "ppv", "auc"]].round(3).to_numpy().tolist()
        [['cultivar 1', 1.0, 0.879, 0.99], ['cultivar 2', 0.861, 1.0, 0.983], ['cultivar 3', 1.0, 0.96, 1.0]]
        """
        from ..analysis.evaluation import test

        return test(self, new, weights, no_information, by, loss, threshold, groups)  # type: ignore[arg-type]

    @known_arguments
    @limited
    def threshold(
        self,
        of: Any,
        measure: Any = "error",
        loss: Any = None,
        sensitivity: float | None = None,
        specificity: float | None = None,
    ) -> Threshold:
        """A cut on the chance of a class, chosen on the held-out rows that the fit was calibrated with.

        All cuts between the chances of the held-out rows are tried: the class is predicted where its chance is at least the cut,
        elsewhere the likeliest of the others. The cut of least `measure` is taken, of equal ones the highest.

        Parameters
        ----------
        of : class
        measure, loss : as in `cross_validate`
            "error", "balanced", "ordinal" or a loss matrix.
        sensitivity, specificity : float, optional
            Only cuts are tried that reach this share of the held-out rows of the class, or of the others.

        Returns
        -------
        Threshold
            For `predict(new, threshold=)` and `test(new, threshold=)`. It says the error of the procedure, for which the chances
            and the cut were learned anew without each fold, and, as it is optimistic, that on the rows that chose. The intervals of
            sensitivity and specificity are for new rows predicted by this cut, and allow for its choice.

        Raises
        ------
        NotAvailable
            Where the fit is not calibrated.

        Examples
        --------
        >>> import protoclass as pc
        >>> iris = pc.load_data("iris")
        >>> fit = pc.fit("species ~ .", iris.iloc[::2], eps=1.0).calibrate()
        >>> cut = fit.threshold("virginica", sensitivity=0.95)
        >>> cut
        virginica where its chance is at least 0.3749
        Chosen: least error with sensitivity of at least 0.95, of 76 cuts on 75 held-out rows; prevalence 0.333
        Error 0.0933 +- 0.0335, chosen anew without each of 10 folds
        (0.0667 on the rows that chose, which is optimistic; 0.0800 of the likeliest class, without a cut)
        Sensitivity 0.920 (0.610 to 0.988); specificity 0.900 (0.684 to 0.974)
        >>> fit.test(iris.iloc[1::2], threshold=cut).tidy()["sensitivity"].round(2).tolist()
        [0.96, 0.84, 0.88]
        """
        from .threshold import choose_threshold

        return choose_threshold(self, of, measure, loss, sensitivity, specificity)

    @known_arguments
    @limited
    def bound(self, delta: float = 0.05, fixed_dissimilarity: bool = False) -> pd.DataFrame:
        """A bound on the error of new rows from how few training rows give the rule again (sample compression).

        For "scm" Theorem 5.2 of Marchand and Shawe-Taylor (2001); for "pvm" their Theorem 5.1, as the nearest-prototype rule
        is known from its prototypes. It holds with probability 1 - delta over training sets of independent rows, for all sets of
        prototypes at once: parameters that only decide which rows are kept (`eps`, `lambda_`, `penalty`, `stop`) may be chosen in
        any way. Several machines, and the kinds of machine where one of two was chosen, share delta. Weights of a metric and
        other numbers that you give are taken to be chosen before the rows were seen.

        Parameters
        ----------
        delta : float between 0 and 1
        fixed_dissimilarity : bool
            Your word that a given matrix, a function of two rows or a metric that was trained before was made without looking at
            the rows of the fit: no scales, ranges or choices taken from them. The fit can't know it.

        Returns
        -------
        DataFrame
            One row for each machine: `rows`, `size` (features or prototypes), `on_p` (balls centred on P-examples), training
            `errors`, `tail_bound` (the binomial tail inverted for the same compression set, Langford 2005; the tightest), `bound` (the
            first inequality of the theorem; 1 says nothing), `simple_bound` (the second), `proved`, and in `reasons` why the
            theorem does not cover this fit: its value is then computed as in the paper's Table 2, and not proved.

        Raises
        ------
        OptionError
            Where `fixed_dissimilarity=True` is said of a metric that this fit trained.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), dissimilarity=pc.Euclidean(scale=False), eps=1.0)
        >>> fit.bound()[["rows", "size", "errors", "tail_bound", "bound", "proved"]].round(3)
                 rows  size  errors  tail_bound  bound  proved
        machine
        pvm       150     8       6       0.338  0.391    True
        """
        from ..analysis.bounds import bound

        return bound(self, delta, fixed_dissimilarity)  # type: ignore[arg-type]

    @known_arguments
    @limited
    def ball(self, prototype: Any) -> pd.DataFrame:
        """The rows of the fit in the ball of a prototype, nearest first.

        Parameters
        ----------
        prototype : label, as in the index of `prototypes`

        Returns
        -------
        DataFrame
            By row label: `class`, `distance`, `own` (of the class that the prototype serves) and `first` (own and in the
            ball of none chosen before).

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> held = fit.ball(82)
        >>> int(held["first"].sum()), int((~held["own"]).sum())
        (29, 0)
        """
        from ..analysis.steps import ball

        return ball(self, prototype)  # type: ignore[arg-type]

    @known_arguments
    @limited
    def stability(
        self, B: int = 200, seed: int = 0, sample: str | None = None, progress: bool | None = None
    ) -> Stability:
        """How sure the place of each prototype is when the rows are drawn anew: the error bar of an interpretation.

        What stands is the place: the region in which samples of the rows have a prototype of the class (`near`, `within`). Which row
        marks it is another question. `chosen` answers it for samples of the very rows that chose it, which says too much of
        other rows; `Stability.fresh` says what is true of them. Parameters, scales and the dissimilarity stay as they are.

        Parameters
        ----------
        B : int >= 2
            Samples.
        seed : int
        sample : "bootstrap", "halves" or None
            As many rows as there are, with replacement; or half of them without. Either class by class. None: the
            bootstrap where the method takes weights, else halves.
        progress : bool, optional
            As in `fit`.

        Returns
        -------
        Stability
            With `prototypes` (those of the fit), `table` (all that samples chose), `fresh` and `plot`.

        Raises
        ------
        NotAvailable
            Where prototypes are not rows.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> fit.stability(B=50).prototypes[["class", "near", "within"]].iloc[:2].round(2).to_dict("list")
        {'class': ['setosa', 'versicolor'], 'near': [1.0, 1.0], 'within': [0.6, 0.56]}
        """
        from ..analysis.stability import stability

        return stability(self, B, seed, sample, progress)  # type: ignore[arg-type]

    @known_arguments
    @limited
    def importance(
        self,
        new: Any = None,
        repeats: int = 20,
        variables: Any = None,
        cv: Any = "auto",
        seed: int = 0,
        progress: bool | None = None,
    ) -> pd.DataFrame:
        """How much the error grows when a variable of held-out rows is permuted (Breiman 2001).

        The values are permuted among all held-out rows, and each row is predicted by the rule of its own fold. So a variable
        counts the same whether a fold has many rows, one (`cv="loo"`), or one group in which the variable is constant.

        Parameters
        ----------
        new : DataFrame, optional
            With the predictors and the response; by default the rows of the fit, each predicted by a rule that was learned
            without its fold.
        repeats : int
            Permutations of each variable.
        variables : list of columns, or mapping of name to columns, optional
            Columns of one name are permuted together. By default each predictor alone, a factor with all its levels, and the
            columns that a `Mixed` measures together as one.
        cv : "auto", int, "loo", Series or array of folds
            As in `fit`; not read with `new`.
        seed : int
            Of the permutations.
        progress : bool, optional
            As in `fit`.

        Returns
        -------
        DataFrame
            By variable, the most important first: `importance` (mean increase of the share of errors), `se` (its standard
            error over rows) and `error` (with the variable permuted). Of variables that say the same each alone may look
            unimportant: give them one name in `variables`. Where the metric has learned what columns count, `weight` is that
            of the columns made from the variable.

        Raises
        ------
        NotAvailable
            Where the dissimilarities were given as a matrix.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> fit.importance(repeats=5).index[:2].tolist()
        ['petal_width', 'petal_length']
        """
        from ..analysis.importance import importance

        return importance(self, new, repeats, variables, cv, seed, progress)  # type: ignore[arg-type]

    @known_arguments
    @limited
    def why(self, row: Any) -> pd.DataFrame:
        """Why a row has its class: what each variable adds to the distances, and the least change that gives another class.

        Parameters
        ----------
        row : label, or DataFrame of one row, Series or dict
            A row of the fit by its label, or any row with the predictors.

        Returns
        -------
        DataFrame
            By variable: `value`, and those of the nearest prototype of the predicted class (`prototype`) and of any other class
            (`rival`); `to_prototype` and `to_rival`, the distances divided among the variables in proportion to what each adds
            to the power of the distance that is a sum (exact for Minkowski distances with r < inf, Gower and `Mixed`; NaN for
            others, with the reason in `attrs["not_additive"]`); `change_to`, the value nearest to the row's own with which it
            has another class, and this class, `then`. For a number 201 values over the range of the training rows are tried,
            and the nearest with another class is refined; None where there is none. `attrs` has the class, the labels of both
            prototypes and the distances to them.

        Raises
        ------
        NotAvailable
            Where the prototypes are not rows, or the dissimilarities were given as a matrix.

        Examples
        --------
        >>> import protoclass as pc
        >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
        >>> fit.why(70)["to_prototype"].round(1).to_dict()
        {'sepal_length': 0.5, 'sepal_width': 0.2, 'petal_length': 0.3, 'petal_width': 0.2}
        >>> fit.why(70)["then"].unique().tolist()
        ['versicolor']
        """
        from ..analysis.why import why

        return why(self, row)  # type: ignore[arg-type]

    @known_arguments
    @limited
    def path(self, new: Any = None, cv: Any = None) -> pd.DataFrame:
        """What the first 1, 2, ... prototypes of a greedy fit do: its path in their number and in lambda.

        What a larger lambda chooses is the first part of what a smaller one does. So one fit holds the fits of all larger
        lambdas; `fit.update(lambda_=0).path()` has them all. For "scm": what its first 1, 2, ... features do.

        Parameters
        ----------
        new : DataFrame, optional
            With the predictors and the response: its error is added as `new_error`.
        cv : int, "loo", Series or array of folds, optional
            As in `fit`: the error of the first prototypes that each fold's training rows choose is added as `cv_error`,
            with its standard error `cv_se`.

        Returns
        -------
        DataFrame
            One row for each number of prototypes: `lambda_low` and `lambda_high` (chosen for lambda_low <= lambda <
            lambda_high), `size`, `uncovered`, `miscovered`, `objective` (at the fit's own lambda), `training_error`. For
            "scm" one for each step: `size` (features, of all machines), `q` and `r` of the last feature where there is one
            machine, `bound` (see `bound`), `training_error`.

        Raises
        ------
        NotAvailable
            Where prototypes are not chosen step by step.
        """
        from ..analysis.steps import path

        return path(self, new, cv)  # type: ignore[arg-type]
