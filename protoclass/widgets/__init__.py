"""Widgets for notebooks: move over an error curve, and look at prototypes and at what they cover.

An explorer is a page that the browser draws, with Python behind it. Its state is public, as traits:
a notebook can set it, read it and link it.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..ground.checks import check_known
from ..ground.errors import NotAvailableError
from ..ground.files import check_path
from ..values import load


def explore_validation(validation: ErrorCurve, **options: Any) -> Any:
    """Interactive explorer of the error curve and of the fit at each grid point.

    The error curve along the parameter with most values is a slider; other parameters have menus.
    The page shows the held-out confusion table, error, size and cover error at the chosen point.
    `validation.fit_at(explorer.point)` fits all rows there.

    Parameters
    ----------
    validation : ErrorCurve
    save : str or path, optional
        File name that ends in .html; a file of this name is replaced. The page needs neither
        Python nor a network.

    Returns
    -------
    CurveExplorer
        Its traits are `point` (row of `validation.table`) and one for each parameter (such as
        `eps`); it also has `table`, `confusion` and `figure`. In a plain shell, which cannot show a
        widget, the figure.

    Examples
    --------
    >>> import protoclass as pc
    >>> from protoclass.widgets.curve import CurveExplorer
    >>> explorer = CurveExplorer(pc.cross_validate("species ~ .", pc.load_data("iris"), eps=[0.5, 1.0, 2.0]))
    >>> explorer.eps = 0.5
    >>> explorer.point, explorer.confusion.loc["setosa", "setosa"].item()
    (0, 50)
    """
    return _show("curve:CurveExplorer", validation, options)


def explore_fit(fit: Fitted, **options: Any) -> Any:
    """Interactive explorer of the prototypes and of the rows that they classify.

    It opens on the misclassified row with the smallest margin. A panel compares the selected row
    with its nearest prototype and the rival: variables with their contributions to both distances,
    strings, series or images; for other dissimilarities the five nearest prototypes, for a rule its
    conditions. "What if" and "New row" classify other values if the distance is Minkowski, Gower or
    a learned one. The error curve is a slider for the radius. `fit.at(size=5).explore()` shows the
    first five prototypes.

    Parameters
    ----------
    fit : Fitted
    shape : (int, int), optional
        Rows and columns of an image, if each row of the data is an image.
    x, y : str, optional
        Numeric predictors as axes; "map" as x for a map of the dissimilarities. Default of y: the
        first numeric predictor other than x.
    radii : sequence of float, optional
        Radii of the slider. Default: those of the cross-validation, otherwise the grid of the
        method; none for a method that shares no work between radii, such as an exact solver.
    new : DataFrame, optional
        Rows with the predictors, at most 1000. The page classifies and explains them.
    save : str or path, optional
        File name that ends in .html; a file of this name is replaced. The page needs neither
        Python nor a network, and has all radii.

    Returns
    -------
    PrototypeExplorer
        Its traits are `eps`, `class_`, `x`, `y`, `selected` (label of a prototype or row) and `fit`
        (the fit shown); it also has `table`, `figure` and `save()`. In a plain shell, which cannot
        show a widget, the path given as `save` or else the figure.

    Examples
    --------
    >>> import protoclass as pc
    >>> from protoclass.widgets.prototypes import PrototypeExplorer
    >>> explorer = PrototypeExplorer(pc.fit("species ~ .", pc.load_data("iris"), eps=1.0))
    >>> explorer.selected = 82
    >>> explorer.fit.why(prototype=explorer.selected)["first"].sum().item()
    29
    """
    if fit.frame.absent is not None:
        raise NotAvailableError(fit.frame.absent)
    return _show("prototypes:PrototypeExplorer", fit, options)


def _show(place: str, value: Any, options: dict[str, Any]) -> Any:
    """Show an explorer, whose module and name are given: loading it takes time that a fit without a
    page does without.
    """
    from .base import show

    explorer = load(f"protoclass.widgets.{place}")
    names = list(signature(explorer.__init__).parameters)[2:]  # all but self and the value
    check_known("explore()", options, [*names, "save"])
    path = options.pop("save", None)
    if path is not None:
        check_path(path, argument="save")
    return show(explorer(value, **options), path)
