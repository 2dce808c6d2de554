"""Figures, a file for each subject: its numbers as frames or arrays, then their drawing."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from ..estimation.fitted import Fitted
from ..ground.checks import check_known, either, one_of
from ..ground.errors import NotAvailableError, OptionError
from ..values import load

METHODS = {
    "Alternatives": {"plot": "protoclass.pictures.analyses:alternatives"},
    "Comparison": {"plot": "protoclass.pictures.analyses:comparison"},
    "Criticisms": {"plot": "protoclass.pictures.analyses:criticisms"},
    "Dissimilarity": {"plot": "protoclass.pictures.matrix:plot"},
    "Embedding": {"plot": "protoclass.pictures.matrix:points"},
    "PermutationTest": {"plot": "protoclass.pictures.analyses:permutations"},
    "Spectrum": {"plot": "protoclass.pictures.matrix:spectrum"},
    "Stability": {"plot": "protoclass.pictures.analyses:stability"},
    "TestResult": {"plot": "protoclass.pictures.evaluation:draw_test"},
    "TestByGroup": {"plot": "protoclass.pictures.evaluation:groups"},
    "Threshold": {"plot": "protoclass.pictures.evaluation:threshold"},
    "Validation": {"plot": "protoclass.pictures.curve:curve"},
}  # functions that draw a value of each class, see `protoclass.values.Above`
KINDS = {
    "prototypes": "protoclass.pictures.prototypes:prototypes",
    "rule": "protoclass.pictures.prototypes:rule",
    "path": "protoclass.pictures.prototypes:path",
    "why": "protoclass.pictures.analyses:why",
    "importance": "protoclass.pictures.analyses:importance",
    "weights": "protoclass.pictures.analyses:weights",
    "confusion": "protoclass.pictures.evaluation:confusion_of_fit",
    "validation": "protoclass.pictures.curve:curve_of_fit",
    "map": "protoclass.pictures.images:map_of_prototypes",
    "images": "protoclass.pictures.images:images",
    "misclassified": "protoclass.pictures.images:misclassified",
}  # functions of a fit, Axes and options; without `ax`, of a fit and options: figures of several Axes


def plot(fit: Fitted, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw the fit.

    Parameters
    ----------
    kind : str, optional
        Kind of plot, with its arguments:

        * "prototypes" (the default; `x=`, `y=`, `balls=`): the prototypes among the rows; with two
          numeric predictors in their plane with the decision regions, otherwise on a map. Balls
          have their true shape in the plane of the metric; otherwise lines join a prototype to the
          rows in its ball. Red rings: misclassified rows. For an SCM without prototypes: its
          features.
        * "rule" (`n=`): the rows along the value that each condition of a rule compares, and
          which of them it removes.
        * "path" (`new=`, `cv=`): held-out error of the first 1, 2, ... prototypes, by the folds of
          the fit, and their training error.
        * "why" (`new=`): the variables that bring a row nearer to its prototype than to the nearest
          of another class.
        * "importance" (`new=`, `resamples=`, `variables=`, `cv=`, `seed=`): the increase in error
          when a variable is permuted.
        * "weights" (`shape=`): the proportion of each column in the separation, see
          `Fit.why`, or the weights by class, if each class has its own.
        * "confusion": held-out (or training) rows by true and predicted class, with recall and
          precision.
        * "validation" (`x=`, `band=`): the error curve; with `x="size"` against the number of
          prototypes, with `x="frontier"` the lowest error for each; `band=0.95` shades its
          simultaneous band.

        For rows that are images, with `shape=(height, width)`:

        * "images" (`n=`): the prototypes;
        * "misclassified" (`new=`, `size=`, `n=`): rows with the nearest prototypes;
        * "map" (`n=`; `shape=` optional): the prototypes by Sammon's mapping;
        * "weights": the prototypes, and below each the learned weight of each pixel for its class.
    ax : Axes, optional
        Axes to draw on. On small ones text is smaller, and values that do not fit are left out. If
        their figure has no layout, it gets matplotlib's "constrained" layout.

    Returns
    -------
    Axes, or a Figure for "rule", "images", "misclassified", and "weights" of images
    """
    one_of("kind", kind, (None, *KINDS), "picture")
    if fit.frame.absent is not None:
        raise NotAvailableError(fit.frame.absent)
    function = load(KINDS[kind or "prototypes"])
    several = "ax" not in signature(function).parameters
    if ax is not None and several:
        raise OptionError(f"plot({kind!r}) is a figure of several Axes: leave ax= out")
    _check_options(kind, function, options)
    return function(fit, **options) if several else function(fit, ax, **options)


def _check_options(kind: str | None, function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Raise for options that a kind of plot does not have, and for missing ones that it needs."""
    call, known = f"plot({kind!r})" if kind else "plot()", _options(function)
    for name in options:
        others = [other for other, place in KINDS.items() if name in _options(load(place))]
        if name not in known and others:
            raise OptionError(f"{call} has no argument {name!r}: use kind={either(others)}")
    check_known(call, options, ["kind", "ax", *known])
    needed = [name for name, p in known.items() if p.default is p.empty and name not in options]
    if needed:
        raise OptionError(f"{call} needs {needed[0]}=: see help(pc.Fit.plot)")


def _options(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The options of a function that draws, without the fit and the Axes."""
    return {
        name: p for name, p in signature(function).parameters.items() if name not in ("fit", "ax")
    }
