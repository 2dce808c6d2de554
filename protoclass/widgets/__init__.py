"""Widgets for notebooks: move over an error curve, and look at prototypes and at what they cover.

An explorer is a page that the browser draws, with Python behind it. Its state is public, as traits: a notebook can set it, read it
and link it.
"""

from __future__ import annotations

from typing import Any

from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..ground.files import check_path


def explore_validation(validation: ErrorCurve, **options: Any) -> Any:
    """Move over the grid of a cross-validation.

    A slider for each parameter, linked to the error curve, or to a heat map of two parameters, which the browser draws. A click
    on it, or the arrow keys and Enter, move the sliders too. Beside it are the held-out confusion table at the chosen point, its
    error, size and cover error. "Use this" fits all rows there.

    Parameters
    ----------
    validation : ErrorCurve
    x : pair of str, optional
        Of several parameters the two that the heat map has as axes; by default the two with most values.

    Returns
    -------
    CurveExplorer
        With traits `point` (row of `validation.table`), one for each parameter (such as `eps`), and `fit` (what "Use this"
        made); `table`, `confusion`, `figure`. In a script or a plain shell, where no widget can be shown, its figure: how
        to get the widget is printed.

    Examples
    --------
    >>> import protoclass as pc
    >>> from protoclass.widgets.curve import CurveExplorer
    >>> explorer = CurveExplorer(pc.cross_validate("species ~ .", pc.load_data("iris"), eps=[0.5, 1.0, 2.0]))
    >>> explorer.eps = 0.5
    >>> explorer.point, explorer.confusion.loc["setosa", "setosa"].item()
    (0, 50)
    """
    from .base import check_options, show
    from .curve import CurveExplorer

    check_options(options, ("x",))
    return show(CurveExplorer(validation, **options))


def explore_fit(fit: Fitted, **options: Any) -> Any:
    """Look at the prototypes of a fit.

    Sliders move the radius and the number of prototypes. A prototype that is clicked, or chosen from the list, says what it
    covers first, what it holds wrongly and which prototypes of other classes are near; a row says why it gets its class. Where the
    rules have a bound on the optimum (see `Fit.certificate`), a gauge says how far from it those that are shown are at most, also
    the first few of them.

    Parameters
    ----------
    fit : Fitted
    shape : (int, int), optional
        Rows and columns of a picture, for rows that are pictures.
    x, y : str, optional
        Numeric predictors as axes; "map" as x for a map of the dissimilarities.
    radii : sequence of float, optional
        Of the slider; by default those of the cross-validation, else the method's own grid. A method that shares no work
        between radii, such as an exact solver, has the slider only for radii that are given here.
    alternatives : Alternatives, optional
        What `fit.alternatives()` returned: a menu beside the list then swaps the selected prototype for one of its substitutes.
    criticisms : Criticisms, optional
        What `fit.criticisms()` returned: a menu then lists these rows, and selects one; so does that of a saved page.
    save : str or path, optional
        A file that ends in .html: the explorer as a page that needs neither Python nor a network, with all radii and sizes.

    Returns
    -------
    PrototypeExplorer
        With traits `eps`, `size`, `class_`, `x`, `y`, `selected` (label of a prototype or row), `lassoed` and `fit` (the one
        shown); `table`, `details`, `figure`, `save()`. In a script or a plain shell, where no widget can be shown, the path
        that was given as `save`, else its figure: how to get the widget is printed.

    Examples
    --------
    >>> import protoclass as pc
    >>> from protoclass.widgets.prototypes import PrototypeExplorer
    >>> explorer = PrototypeExplorer(pc.fit("species ~ .", pc.load_data("iris"), eps=1.0))
    >>> explorer.size, explorer.selected = 5, 82
    >>> len(explorer.fit.prototypes), explorer.details["relation"].value_counts()["covers first"].item()
    (5, 29)
    """
    from .base import check_options, front_end, show
    from .prototypes import PrototypeExplorer

    check_options(options, ("shape", "x", "y", "radii", "alternatives", "criticisms", "save"))
    path = options.pop("save", None)
    if path is not None:
        check_path(path, argument="save")
    if fit.frame.absent is not None:
        from ..ground.errors import NotAvailable

        raise NotAvailable(fit.frame.absent)
    explorer = PrototypeExplorer(fit, **options)
    if path is not None:
        written = explorer.save(path, overwrite=True)
        if not front_end():
            return written
    return show(explorer)
