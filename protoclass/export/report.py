"""A fit as one self-contained page: `Fit.report`."""

from __future__ import annotations

import base64
import html
import io
import platform
from collections.abc import Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis.evaluation import Test
from ..analysis.evaluation import test as test_on
from ..analysis.groups import TestByGroup
from ..analysis.stability import stability as find_stability
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable, OptionError, brief
from ..ground.files import check_free, check_path, write_file
from ..ground.options import significant
from ..plots import plot
from ..tables.printing import html_text
from ..tables.summary import summary
from ..tables.tidy import list_prototypes
from ..widgets.browser import script, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SHOWN = 30  # prototypes and variables in a table
PACKAGES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "formulaic", "statsmodels", "highspy", "matplotlib")
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #8886; }
table, th, td { border: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.7rem; text-align: right; } th:first-child, td:first-child { text-align: left; }
tbody tr:nth-child(even) { background: #8881; } img { max-width: 100%; background: white; border-radius: 4px; }
pre { white-space: pre-wrap; background: #8881; padding: 0.7rem; border-radius: 4px; } ul { padding-left: 1.2rem; }
"""


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
        Rows whose predictions the page explains, as `plot("why", row=)`.

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

    title = html.escape(f"{fit.model.title}: {fit.formula}")
    body = "\n".join(f"<h2>{html.escape(head)}</h2>\n{content}" for head, content in sections(fit, test, stability, why))
    look, run = STYLE + style(), script("file")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{policy([run], look, attributes=True)}'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title><style>{look}</style></head>\n'
        f'<body><h1>{title}</h1>\n{body}\n<script type="module">{run}</script></body></html>\n'
    )


def sections(fit: Fitted, test: Any, stability: bool, why: Any) -> Iterator[tuple[str, str]]:
    """Headings and contents of the page, in order."""
    from ..plots.curve import curve  # see `page`

    yield "The fit", html_text(fit) + picture(partial(plot, fit), "the prototypes among the rows")
    yield "Explorer", explorer(fit)
    yield "Prototypes", prototypes(fit)
    if fit.curve is not None:
        yield "Cross-validation", picture(partial(curve, fit.curve), "the cross-validated error curve")
    yield "Confusion", picture(partial(plot, fit, "confusion"), "rows by true and predicted class")
    if test is not None:
        yield "New rows", (test if isinstance(test, Test | TestByGroup) else test_on(fit, test))._repr_html_()
    if why is not None:
        yield "Why", picture(partial(plot, fit, "why", row=why), "what each variable adds to the distances that decide")
    if stability:
        sure = find_stability(fit, progress=False).prototypes
        yield "Stability", sure.head(SHOWN).to_html(float_format=partial(significant, usual=3))
    yield "Summary", summary(fit).as_html()
    yield "Session", session()
    yield "How to cite", citation()


def explorer(fit: Fitted) -> str:
    """The explorer of the fit, which needs no Python; if there is no map, the reason."""
    from ..widgets.prototypes import PrototypeExplorer  # see `page`

    try:
        return PrototypeExplorer(fit).fragment()
    except NotAvailable as reason:
        return f"<p>{html.escape(str(reason))}</p>"


def prototypes(fit: Fitted) -> str:
    """The first prototypes as a table, and how many there are."""
    table = list_prototypes(fit)
    more = f"<p>The first {SHOWN} of {len(table)}.</p>" if len(table) > SHOWN else ""
    return more + str(table.head(SHOWN).to_html(float_format=significant, index=False))


def picture(draw: Any, words: str) -> str:
    """A plot as a part of the page; if the fit does not have it, the reason."""
    from matplotlib.figure import Figure

    try:
        drawn: Axes | Figure = draw()
    except NotAvailable as reason:
        return f"<p>{html.escape(str(reason))}</p>"
    figure: Any = drawn if isinstance(drawn, Figure) else drawn.figure
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120, bbox_inches="tight")
    close(figure)
    code = base64.b64encode(file.getvalue()).decode()
    return f'<p><img alt="{html.escape(words)}" src="data:image/png;base64,{code}"></p>'


def close(figure: Any) -> None:
    """Close a figure, which pyplot may store."""
    import sys

    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)


def session() -> str:
    """Versions that a reader needs to compute the page again."""
    return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in versions()) + "</ul>"


def versions() -> list[str]:
    """Each package with its version."""
    lines = [
        f"protoclass {own_version()}",
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
    ]
    for name in PACKAGES:
        try:
            lines.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name}, version not known")
    return lines


def own_version() -> str:
    from .. import __version__

    return __version__


def citation() -> str:
    """How to cite, as a part of the page."""
    return "".join(f"<p>{html.escape(line)}</p>" for line in cited())


def cited() -> list[str]:
    """The package, and the paper of its first method."""
    return [
        f"protoclass {own_version()}: classification by prototypes, on any dissimilarity. Python package.",
        "J. Bien and R. Tibshirani (2011). Prototype selection for interpretable classification. "
        "Annals of Applied Statistics 5 (4), 2403-2424.",
    ]
