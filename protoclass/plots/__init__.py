"""Figures: each function draws the frames and arrays of a function of `views` on Axes."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from ..estimation.fitted import Fitted
from ..ground.checks import check_known, either, one_of, renamed
from ..ground.errors import NotAvailable, OptionError
from ..values import load

METHODS = {
    "Alternatives": {"plot": "protoclass.plots.analyses:alternatives"},
    "Comparison": {"plot": "protoclass.plots.analyses:comparison"},
    "Criticisms": {"plot": "protoclass.plots.analyses:criticisms"},
    "Dissimilarity": {"plot": "protoclass.plots.matrix:plot"},
    "Embedding": {"plot": "protoclass.plots.matrix:points"},
    "PermutationTest": {"plot": "protoclass.plots.evaluation:permutations"},
    "Spectrum": {"plot": "protoclass.plots.matrix:spectrum"},
    "Stability": {"plot": "protoclass.plots.analyses:stability"},
    "Test": {"plot": "protoclass.plots.evaluation:draw_test"},
    "TestByGroup": {"plot": "protoclass.plots.evaluation:groups"},
    "Validation": {"plot": "protoclass.plots.curve:curve"},
}  # functions that draw a value of each class, see `protoclass.values.Above`
SEVERAL = {
    "radii": "protoclass.plots.prototypes:radii",
    "profiles": "protoclass.plots.columns:cards",
    "rule": "protoclass.plots.rule:rule",
    "images": "protoclass.plots.pictures:images",
    "misclassified": "protoclass.plots.pictures:misclassified",
}  # plots of a fit on several Axes: functions of the fit and their options
KINDS = {
    "prototypes": "protoclass.plots.prototypes:prototypes",
    "progress": "protoclass.plots.rule:progress",
    "path": "protoclass.plots.rule:path",
    "confusion": "protoclass.plots.evaluation:confusion_of_fit",
    "validation": "protoclass.plots.curve:curve_of_fit",
    "frontier": "protoclass.plots.curve:frontier_of_fit",
    "importance": "protoclass.plots.columns:importance",
    "weights": "protoclass.plots.columns:weights",
    "map": "protoclass.plots.pictures:map_of_prototypes",
    "solvers": "protoclass.plots.rule:solvers",
    "why": "protoclass.plots.columns:why",
    "alternatives": "protoclass.plots.analyses:alternatives_of_fit",
    "criticisms": "protoclass.plots.analyses:criticisms_of_fit",
    "calibration": "protoclass.plots.evaluation:calibration_of_fit",
    **SEVERAL,
}  # all; the others take the Axes after the fit


def plot(fit: Fitted, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw the fit.

    Parameters
    ----------
    kind : str, optional
        Kind of plot, with its arguments:

        * "prototypes" (the default; `x=`, `y=`, `balls=`): the prototypes among the rows; with two numeric predictors in their plane
          with the decision regions, otherwise on a map. Balls have their true shape if the metric is computed in the plane; otherwise
          lines join a prototype to the rows in its ball. Red rings: misclassified rows. For an SCM without prototypes: its features.
        * "radii" (`eps=`): the same at several radii.
        * "profiles" (`count=`): each prototype with the usual values of its class, and its rival.
        * "rule" (`count=`): for a method whose rule consists of conditions, the rows along the value that each condition compares, and
          which of them it removes.
        * "progress": the proportion of each class that is covered so far.
        * "path" (`new=`, `cv=`): held-out error of the first 1, 2, ... prototypes, by the folds of the fit, and their training error.
        * "why" (`row=`): the variables that bring a row, or each of up to six, nearer to its prototype than to the nearest
          of another class.
        * "confusion": held-out (or training) rows by true and predicted class, with recall and precision.
        * "calibration" (`new=`): observed proportions against predicted probabilities on new rows.
        * "alternatives" (`within=`, `seconds=`) and "criticisms" (`n=`): the plots of these methods.
        * "validation" (`x=`): the error curve; with `x="size"` against the number of prototypes; `band=0.95` shades the simultaneous
          band of the curve.
        * "frontier": the lowest error for each number of prototypes, see `Validation.frontier`.
        * "importance" (`new=`, `repeats=`, `variables=`, `cv=`, `seed=`): the increase in error when a variable is permuted.
        * "weights" (`shape=`): the share of each column in the separation, with its learned weight, see `Fit.separation`; the weights by
          class, if each class has its own; or the weights of the pixels of an image.
        * "solvers" (`eps=`, `solvers=`): the objective that each solver reaches, with the proved bound.

        For rows that are images, with `shape=(height, width)`:

        * "images" (`count=`): the prototypes;
        * "misclassified" (`new=`, `size=`, `count=`): rows with the nearest prototypes;
        * "map" (`count=`; `shape=` optional): the prototypes by Sammon's mapping;
        * "weights": the prototypes, and below each the learned weight of each pixel for its class.
    ax : Axes, optional
        Axes to draw on. Text is smaller on small ones, which have no second scale, and values that do not fit are left out. If their
        figure has no layout, it gets matplotlib's "constrained" layout, so names and legends are not truncated.

    Returns
    -------
    Axes, or a Figure for "radii", "profiles", "rule", "images", "misclassified", "why" of several rows, and "weights" of
    images
    """
    one_of("kind", kind, (None, *KINDS), "picture")
    if fit.frame.absent is not None:
        raise NotAvailable(fit.frame.absent)
    if ax is not None and kind in SEVERAL:
        raise OptionError(f"plot({kind!r}) is a figure of several Axes: leave ax= out")
    function = load(KINDS[kind or "prototypes"])
    _check_options(kind, function, options)
    return function(fit, **options) if kind in SEVERAL else function(fit, ax, **options)


def _check_options(kind: str | None, function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Raise for options that a kind of plot does not have, and for missing ones that it needs."""
    call = f"plot({kind!r})" if kind else "plot()"
    known = _options(function)
    for name in options:
        if name in known or renamed(name, (*known, "kind")):
            continue
        of_kinds = {k: _options(load(place)) for k, place in KINDS.items()}
        counterparts = {k: name if name in other else renamed(name, other) for k, other in of_kinds.items()}
        others = [k for k, found in counterparts.items() if found]
        if others:
            meant = next(found for found in counterparts.values() if found)
            said = "" if meant == name else f"{meant}= and "
            raise OptionError(f"{call} has no argument {name!r}: use {said}kind={either(others)}")
    check_known(call, options, ["kind", "ax", *known])
    needed = [name for name, p in known.items() if p.default is p.empty and name not in options]
    if needed:
        raise OptionError(f"{call} needs {needed[0]}=: see help(pc.Fit.plot)")


def _options(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The options of a function that draws, without the fit and the Axes."""
    found = signature(function).parameters
    return {name: p for name, p in found.items() if name not in ("fit", "ax")}
