"""A fit as one self-contained page: `Fit.report`."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis.evaluation import Test
from ..analysis.evaluation import test as test_on
from ..analysis.groups import TestByGroup
from ..analysis.stability import stability as find_stability
from ..analysis.why import asked_rows
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable, OptionError, brief
from ..ground.files import check_free, check_path, write_file
from ..ground.options import significant
from ..pictures import plot
from ..tables.printing import html_text
from ..tables.summary import summary
from ..tables.tidy import list_prototypes
from ..widgets.browser import script, style
from .writing import STYLE, Text, cited, to_html, to_page, versions

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SHOWN = 30  # prototypes and variables in a table
PANELS = 6  # rows that are explained


def report(fit: Fitted, path: Any, test: Any = None, stability: bool = False, overwrite: bool = False, why: Any = None) -> Path:
    """Write a report of the fit as one self-contained HTML page.

    It has the call, the plot and the table of the prototypes, the error curve, the confusion table, the summary with its notes and
    certificate, the versions of the packages, and how to cite.

    Parameters
    ----------
    path : str or path
        Output file that ends in .html.
    test : Test or DataFrame, optional
        Result of `fit.test(new, ...)`, with its threshold, loss or groups; or new rows with the response, which are tested with the
        defaults. The page then includes the test.
    stability : bool
        Whether to include `stability()` of the prototypes.
    overwrite : bool
        Whether to replace an existing file.
    why : label, or up to six rows or labels, optional
        Rows whose predictions the page explains, each as `plot("why", row=)`.

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
    if not isinstance(stability, bool):
        raise OptionError(f"stability must be True or False, not {brief(stability)}")
    check_free(place, overwrite)
    write_file(place, page(fit, test, stability, why), overwrite)
    return place


def page(fit: Fitted, test: Any = None, stability: bool = False, why: Any = None) -> str:
    """The page as HTML; everything that comes from data is escaped."""
    from ..widgets.saved import policy  # anywidget and matplotlib take 0.5 s that a fit without a page does without

    title, run = f"{fit.model.title}: {fit.formula}", script("file")
    look = STYLE + style()
    body = to_html(title, ((head, parts) for head, *parts in sections(fit, test, stability, why)))
    return to_page(title, f'{body}<script type="module">{run}</script>', look, policy([run], look, attributes=True))


def sections(fit: Fitted, test: Any, stability: bool, why: Any) -> Iterator[tuple[Any, ...]]:
    """The heading and the parts of each section, in order."""
    from ..pictures.curve import curve

    yield "The fit", html_text(fit), picture(partial(plot, fit), "the prototypes among the rows")
    yield "Explorer", explorer(fit)
    yield "Prototypes", *prototypes(fit)
    if fit.curve is not None:
        yield "Cross-validation", picture(partial(curve, fit.curve), "the cross-validated error curve")
    yield "Confusion", picture(partial(plot, fit, "confusion"), "rows by true and predicted class")
    if test is not None:
        yield "New rows", (test if isinstance(test, Test | TestByGroup) else test_on(fit, test))._repr_html_()
    if why is not None:
        rows = asked_rows(fit, why)[0]
        if len(rows) > PANELS:
            raise OptionError(f"why= means {len(rows)} rows: use {PANELS} at most")
        words = "what each variable adds to the distances that decide"
        yield "Why", *(picture(partial(plot, fit, "why", row=rows.iloc[[k]]), words) for k in range(len(rows)))
    if stability:
        sure = find_stability(fit, progress=False).prototypes
        yield "Stability", sure.head(SHOWN).to_html(float_format=partial(significant, usual=3))
    yield "Summary", summary(fit).as_html()
    yield "Session", Text(versions(), listed=True)
    yield "How to cite", Text(cited())


def explorer(fit: Fitted) -> Text | str:
    """The explorer of the fit, which needs no Python; if there is no map, the reason."""
    from ..widgets.prototypes import PrototypeExplorer  # see `page`

    try:
        return PrototypeExplorer(fit).fragment()
    except NotAvailable as reason:
        return Text([str(reason)])


def prototypes(fit: Fitted) -> Iterator[Text | str]:
    """The first prototypes as a table, and how many there are."""
    table = list_prototypes(fit)
    if len(table) > SHOWN:
        yield Text([f"The first {SHOWN} of {len(table)}."])
    yield str(table.head(SHOWN).to_html(float_format=significant, index=False))


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
