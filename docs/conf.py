"""Sphinx settings of the site that `make vignettes` builds; it has to be readable without a network."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from pages import members
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

import protoclass

project = "protoclass"
author = "the authors of protoclass"
version = release = protoclass.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
default_role = "code"  # docstrings name arguments between single backticks
templates_path = ["templates"]

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

nb_execution_mode = "cache"  # in a folder that build.py names after the package, which the cache would not notice
nb_execution_timeout = 1800  # seconds for each cell, some of which take 30 on a machine that is not busy
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_code_prompt_show = nb_code_prompt_hide = "Code"
nb_ipywidgets_js = {}  # widgets need a kernel, and their scripts a network: what stands for them is a figure or text
WIDGET = "application/vnd.jupyter.widget-view+json"
BAR = re.compile(r"\[\d\d:\d\d[^\]]*\]$")  # the time at the end of a bar of progress
LIVE = "vignettes/explorers"
FRAME = '<iframe class="explorer" src="../explorer.html#row=5" title="The explorer of this fit, opened on the 5"></iframe>'
STILL = "A widget: run the notebook to use it."
nb_mime_priority_overrides = [("html", WIDGET, None)]

autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
autosummary_filename_map = {  # fit and Fit would be one file where names of files have no case
    f"protoclass.{name}": f"protoclass.{name}-function"
    for name in protoclass.__all__
    if any(name != other and name == other.lower() for other in protoclass.__all__)
}
autosummary_context = {"listed": members()}
numpydoc_show_class_members = False  # the pages of the classes hold their members

html_theme = "furo"
html_static_path = ["static"]
html_extra_path = ["live"]  # the explorer on the first page
html_css_files = ["site.css"]
html_js_files = ["theme.js"]
html_title = f"protoclass {version}"
html_copy_source = False
html_show_sphinx = html_show_copyright = False
html_math_renderer = "mathml"


def inline_math(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def display_math(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def bars(app: Sphinx, what: str, name: str, found: object, options: object, lines: list[str]) -> None:
    """In docstrings `|x - z|` is an absolute value, and no substitution of reStructuredText."""
    example = False
    for i, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if not example:
            parts = line.split("`")  # every second one is code
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[i] = "`".join(parts)


def still(app: Sphinx, document: nodes.document) -> None:
    """Where a widget has no picture of itself, say that it is one; leave out bars of progress.

    The first widget of the vignette on explorers becomes the saved page that the site's home shows too.
    """
    for bundle in list(document.findall(nodes.container)):
        shown = {child.get("mime_type"): child for child in bundle.children if isinstance(child, nodes.container)}
        if WIDGET in shown and "text/plain" in shown:
            if BAR.search(shown["text/plain"].astext().rstrip()):
                bundle.parent.remove(bundle)
            elif app.env.docname == LIVE and FRAME not in [raw.astext() for raw in document.findall(nodes.raw)]:
                bundle.replace_self(nodes.raw("", FRAME, format="html"))
            else:
                shown["text/plain"].children = [nodes.paragraph("", "", nodes.emphasis(text=STILL))]


def pictures(app: Sphinx, document: nodes.document) -> None:
    """Name a picture that code has drawn after its section, for those who do not see it."""
    for image in document.findall(nodes.image):
        section = image
        while section is not None and not isinstance(section, nodes.section):
            section = section.parent
        if "alt" not in image and section is not None:
            image["alt"] = f"Figure: {section.next_node(nodes.title).astext()}"


def enlarge(app: Sphinx, document: nodes.document, name: str) -> None:
    """The gallery's small pictures lead to the large ones."""
    if name != "gallery" or app.builder.format != "html":
        return
    for image in list(document.findall(nodes.image)):
        if image["uri"] in app.env.images:
            file = app.env.images[image["uri"]][1]
            link = nodes.reference("", "", internal=True, refuri=f"{app.builder.imagedir}/{file}")
            image.replace_self(link)
            link += image


def elsewhere(app: Sphinx, what: str, name: str, found: object, skip: bool, options: object) -> bool | None:
    """Leave out methods that another package writes into our classes, such as scikit-learn's `set_fit_request`: their texts
    refer to pages of its own site."""
    module = getattr(found, "__module__", None)
    return True if isinstance(module, str) and module.startswith("sklearn.") else None


def made_by_the_package(
    app: Sphinx, what: str, name: str, found: object, options: object, given: str, returned: str
) -> tuple[str, None] | None:
    """Leave out the arguments of a class that no user makes an object of."""
    results = [getattr(protoclass.results, name) for name in protoclass.results.__all__]
    made = [getattr(protoclass, name) for name in autosummary_context["listed"]]
    return ("", None) if found in [*made, *results] else None


def setup(app: Sphinx) -> None:
    app.connect("autodoc-skip-member", elsewhere)
    app.connect("doctree-read", still)
    app.connect("doctree-read", pictures)
    app.connect("doctree-resolved", enlarge)
    app.connect("autodoc-process-signature", made_by_the_package)
    app.connect("autodoc-process-docstring", bars)
    app.add_html_math_renderer("mathml", (inline_math, None), (display_math, None))
