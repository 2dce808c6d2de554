"""A fit as one self-contained page: `Fit.report`."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis.evaluation import Test
from ..analysis.groups import TestByGroup
from ..analysis.groups import test as test_on
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable
from ..ground.files import check_free, check_path, write_file
from ..pictures import plot
from ..widgets.browser import policy, script, style
from .card import describe
from .writing import STYLE, Text, to_html, to_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def report(fit: Fitted, path: Any, test: Any = None, overwrite: bool = False) -> Path:
    """Write a report of the fit as one self-contained HTML page.

    It is the model card (see `Fit.card`) with the plot of the prototypes, the explorer, the error curve and the confusion table.

    Parameters
    ----------
    path : str or path
        Output file that ends in .html.
    test : Test or DataFrame, optional
        Result of `fit.test(new, ...)`, with its threshold, loss or groups; or new rows with the response, which are tested with the
        defaults. The page then includes the test.
    overwrite : bool
        Whether to replace an existing file.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OptionError
        If the file already exists.
    FileError
        If it cannot be written; no partial file is left then.

    Examples
    --------
    >>> import os, tempfile
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.path.getsize(fit.report(os.path.join(folder, "iris.html"))) > 50_000
    True
    """
    place = check_path(path)
    check_free(place, overwrite)
    write_file(place, page(fit, test), overwrite)
    return place


def page(fit: Fitted, test: Any = None) -> str:
    """The page as HTML; everything that comes from data is escaped."""
    title, run = f"{fit.model.title}: {fit.formula}", script("file")
    look = STYLE + style()
    body = to_html(title, ((head, parts) for head, *parts in sections(fit, test)))
    return to_page(title, f'{body}<script type="module">{run}</script>', look, policy([run], look, attributes=True))


def sections(fit: Fitted, test: Any) -> Iterator[tuple[Any, ...]]:
    """The heading and the parts of each section, in order."""
    from ..pictures.curve import curve  # matplotlib takes 0.5 s that a fit without a page does without

    drawn: dict[str, list[Any]] = {
        "The fit": [picture(partial(plot, fit), "the prototypes among the rows"), explorer(fit)],
        "Classes": [picture(partial(plot, fit, "confusion"), "rows by true and predicted class")],
    }
    if fit.curve is not None:
        drawn["Cross-validation"] = [picture(partial(curve, fit.curve), "the cross-validated error curve")]
    if test is not None and not isinstance(test, Test | TestByGroup):
        test = test_on(fit, test)
    for head, parts in describe(fit, [] if test is None else [test._repr_html_()]):
        yield head, *parts, *drawn.get(head, [])


def explorer(fit: Fitted) -> Text | str:
    """The explorer of the fit, which needs no Python; if there is no map, the reason."""
    from ..widgets.prototypes import PrototypeExplorer  # see `sections`

    try:
        return PrototypeExplorer(fit).fragment()
    except NotAvailable as reason:
        return Text([str(reason)])


def picture(draw: Any, words: str) -> Text | str:
    """A plot as a part of the page; if the fit does not have it, the reason."""
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    try:
        drawn: Axes | Figure = draw()
    except NotAvailable as reason:
        return Text([str(reason)])
    figure: Any = drawn if isinstance(drawn, Figure) else drawn.figure
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120, bbox_inches="tight")
    plt.close(figure)
    code = base64.b64encode(file.getvalue()).decode()
    return f'<p><img alt="{words}" src="data:image/png;base64,{code}"></p>'
