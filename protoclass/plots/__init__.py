"""Figures: each function draws on Axes what a function of `views` gives as frames and arrays."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from ..analysis.alternatives import alternatives as find_alternatives
from ..analysis.alternatives import criticisms as find_criticisms
from ..analysis.evaluation import test
from ..arguments import check_known, one_of, renamed
from ..errors import NotAvailable, OptionError
from ..estimation.fitted import Fitted

METHODS = {
    "Alternatives": {"plot": "protoclass.plots.alternatives:alternatives"},
    "Comparison": {"plot": "protoclass.plots.comparison:comparison"},
    "Criticisms": {"plot": "protoclass.plots.alternatives:criticisms"},
    "Dissimilarity": {"plot": "protoclass.plots.matrix:plot"},
    "Embedding": {"plot": "protoclass.plots.spectrum:points"},
    "PermutationTest": {"plot": "protoclass.plots.permutation:permutations"},
    "Spectrum": {"plot": "protoclass.plots.spectrum:spectrum"},
    "Stability": {"plot": "protoclass.plots.stability:stability"},
    "Test": {"plot": "protoclass.plots.evaluation:draw_test"},
    "TestByGroup": {"plot": "protoclass.plots.evaluation:groups"},
    "Validation": {"plot": "protoclass.plots.curve:curve"},
}  # what draws a value of each class, see `protoclass.values.Above`


def plot(fit: Fitted, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw the fit.

    Parameters
    ----------
    kind : str, optional
        "prototypes" (the default; `x=`, `y=`, `balls=`): the prototypes among the rows; with two numeric predictors in
        their plane with the decision regions, otherwise on a map. Balls have their true shape where the metric measures in
        the plane; elsewhere lines lead from a prototype to the rows in its ball. Rows that a ball holds wrongly are ringed. Of
        a rule of features without prototypes: the features. "radii" (`eps=`): the same at several radii.
        "cards" (`count=`): each prototype beside the usual values of its class, with what it covers and its rival.
        "rule" (`count=`): of a method whose rule is built of conditions, the rows along what each condition compares, and which
        of them it removes.
        "progress": the share of each class that is covered so far. "path" (`new=`, `cv=`): error of the first 1, 2, ... prototypes.
        "why" (`row=`): which variables bring a row nearer to its prototype than to the nearest of another class.
        "confusion": held-out (or training) rows by true and predicted class, with recall and precision. "calibration" (`new=`):
        whether the chances come true on new rows. "alternatives" (`within=`, `seconds=`) and "criticisms" (`n=`): the pictures of
        these methods. "validation" (`x=`): the error curve; with
        `x="size"` against the number of prototypes; `band=0.95` shades the simultaneous band of the curve. "importance"
        (`new=`, `repeats=`, `variables=`, `cv=`, `seed=`): by how much the error grows when a variable is permuted.
        "weights": what each column counts in a metric that has learned it, such as `Learned`.
        "solvers" (`eps=`, `solvers=`): the objective that each solver reaches, with the proved bound.
        For rows that are pictures, with `shape=(height, width)`: "images" (`count=`): the prototypes. "miscovered"
        (`prototype=`): rows of other classes that one holds. "misclassified" (`new=`, `size=`, `count=`): rows with the
        nearest prototypes. "map" (`count=`; `shape=` optional): the prototypes by Sammon's mapping.
    ax : Axes, optional
        Marks, lines and letters have sizes that suit them; what has no room on small ones is left out, with a word. If
        their figure has no layout, it gets matplotlib's "constrained" one, so that no name and no legend is cut.

    Returns
    -------
    Axes, or a Figure for "radii", "cards", "rule", "images", "miscovered" and "misclassified"
    """
    # matplotlib takes 0.3 s that a fit which is not drawn does without
    from .alternatives import draw_alternatives, draw_criticisms
    from .cards import cards
    from .confusion import confusion
    from .curve import draw_curve
    from .evaluation import calibration as draw_calibration
    from .finish import finish, list_artists
    from .importance import importance
    from .pictures import images, map_of_prototypes, misclassified, miscovered
    from .progress import path, progress
    from .prototypes import prototypes, radii
    from .rule import rule
    from .solvers import solvers
    from .weights import weights
    from .why import why

    def validation(fit: Fitted, ax: Any, x: Any = None, band: float | None = None) -> Any:
        if fit.validation is None:
            raise NotAvailable(
                "nothing was cross-validated: fit with cv=10, or with a parameter to tune, such as eps='grid'"
            )
        return draw_curve(fit.validation, x, ax, band)

    def alternatives(fit: Fitted, ax: Any, within: float = 0.01, seconds: float = 60.0) -> Any:
        return draw_alternatives(find_alternatives(fit, within=within, seconds=seconds), ax)

    def criticisms(fit: Fitted, ax: Any, n: int = 10) -> Any:
        return draw_criticisms(find_criticisms(fit, n=n), ax)

    def calibration(fit: Fitted, ax: Any, *, new: Any) -> Any:
        return draw_calibration(test(fit, new), ax)

    single: dict[str, Callable[..., Any]] = {
        "prototypes": prototypes,
        "progress": progress,
        "path": path,
        "confusion": confusion,
        "validation": validation,
        "importance": importance,
        "weights": weights,
        "map": map_of_prototypes,
        "solvers": solvers,
        "why": why,
        "alternatives": alternatives,
        "criticisms": criticisms,
        "calibration": calibration,
    }
    several: dict[str, Callable[..., Any]] = {
        "radii": radii,
        "cards": cards,
        "rule": rule,
        "images": images,
        "miscovered": miscovered,
        "misclassified": misclassified,
    }
    one_of("kind", kind, (None, *single, *several), "picture")
    if fit.frame.absent is not None:
        raise NotAvailable(fit.frame.absent)
    if ax is not None and not hasattr(ax, "set_xlabel"):
        raise OptionError(f"ax={ax!r}: Axes of matplotlib, as plt.subplots() gives them, or None")
    if ax is not None and kind in several:
        raise OptionError(f"plot({kind!r}) is a figure of several Axes: leave ax= out")
    function = several[kind] if kind in several else single[kind or "prototypes"]
    _check_options(kind, function, options, {**single, **several})
    before = list_artists(ax)
    return finish(function(fit, **options) if kind in several else function(fit, ax, **options), before)


def _check_options(
    kind: str | None, function: Callable[..., Any], options: dict[str, Any], kinds: dict[str, Callable[..., Any]]
) -> None:
    """Raise for options that a kind of picture does not have, and for those that it needs."""
    call = f"plot({kind!r})" if kind else "plot()"
    known = _options(function)
    for name in options:
        if name in known or renamed(name, (*known, "kind")):
            continue
        here = {k: name if name in _options(other) else renamed(name, _options(other)) for k, other in kinds.items()}
        others = [repr(k) for k, found in here.items() if found]
        if others:
            meant = next(found for found in here.values() if found)
            said = "" if meant == name else f"{name}= is {meant}= here, and "
            raise OptionError(f"{call} has no argument {name!r}: {said}the kinds that have it are {', '.join(others)}")
    check_known(call, options, ["kind", "ax", *known])
    needed = [name for name, p in known.items() if p.default is p.empty and name not in options]
    if needed:
        raise OptionError(f"{call} needs {needed[0]}=, see help(pc.Fit.plot)")


def _options(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The options of a function that draws, without the fit and the Axes."""
    found = signature(function).parameters
    return {name: p for name, p in found.items() if name not in ("fit", "ax")}
