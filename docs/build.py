"""Build the site, vignettes run afresh and a reference from the docstrings, into build/site: `make vignettes`."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import protoclass
from protoclass.vignettes import vignette

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SOURCE, SITE = ROOT / "build" / "source", ROOT / "build" / "site"

# a public name stands under the heading that has its folder or module
GROUPS = {
    "Fitting, validating, comparing": ("estimation", "analysis", "card"),
    "Methods": ("models",),
    "Dissimilarities": ("metrics",),
    "Estimators of scikit-learn": ("sklearn",),
    "Contracts": ("testing",),
    "Files": ("saving", "declared"),
    "Data and vignettes": ("frames", "vignettes"),
    "Options of the session": ("settings",),
    "Errors": ("errors",),
}
REST = "Parts and bounds"

PAGE_LOADS = re.compile(
    r"<(?:script|link|img|iframe|source|object|embed)\b[^>]*?\b(?:src|href|data)=[\"']?(?:https?:)?//[^\s\"'>]*", re.I
)
STYLE_LOADS = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^\s\"')]*", re.I)


def main() -> int:
    """Gather the sources, build, and refuse a site that needs a network. Returns the exit status."""
    from sphinx.cmd.build import build_main

    os.environ.pop("MPLBACKEND", None)  # a backend set for scripts would keep kernels from showing figures
    for folder in (SOURCE, SITE, ROOT / "build" / "doctrees"):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, SOURCE)
    shutil.copytree(ROOT / "vignettes", SOURCE / "vignettes", ignore=shutil.ignore_patterns(".*", "*.ipynb"))
    (SOURCE / "vignettes" / "index.md").write_text(contents(), encoding="utf-8")
    (SOURCE / "api").mkdir()
    (SOURCE / "api" / "index.rst").write_text(reference(), encoding="utf-8")
    options = ["-b", "html", "-W", "--keep-going", "-q", "-d", str(ROOT / "build" / "doctrees")]
    if status := build_main([*options, str(SOURCE), str(SITE)]):
        return status
    if loads := offsite(SITE):
        print("The site would need a network for:", *loads, sep="\n  ", file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    print(f"The site is in {SITE / 'index.html'} ({size / 1e6:.1f} MB)")
    return 0


def contents() -> str:
    """The page that lists the vignettes."""
    table = vignette().table
    lines = [f"[{row.title}]({row.Index}.md)\n: {row.description}\n" for row in table.itertuples()]
    tree = "\n".join(["```{toctree}", ":hidden:", *table.index, "```"])
    written = (
        "Each is a notebook, and all its output was made while this page was built. "
        '`protoclass.vignette("getting_started")` writes one into the working folder, to be run and changed.'
    )
    return "\n".join(["# Vignettes\n", written, "", *lines, tree, ""])


def reference() -> str:
    """The page that lists all public names; autosummary writes a page for each."""
    heading = {module: title for title, modules in GROUPS.items() for module in modules}
    listed: dict[str, list[str]] = {title: [] for title in [*GROUPS, REST]}
    homes = protoclass._HOME | {name: name for name in protoclass.__all__ if name not in protoclass._HOME}  # modules
    for name, home in homes.items():
        listed[heading.get(home.split(".")[0], REST)].append(name)
    lines = ["Reference", "=========", "", ".. currentmodule:: protoclass", ""]
    for title, names in listed.items():
        lines += [title, "-" * len(title), "", ".. autosummary::", "   :toctree: .", "   :nosignatures:", ""]
        lines += [f"   {name}" for name in names] + [""]
    return "\n".join(lines)


def offsite(site: Path) -> list[str]:
    """What pages and styles of the site would load from elsewhere, each with its file."""
    found = []
    for pattern, loads in (("*.html", PAGE_LOADS), ("*.html", STYLE_LOADS), ("*.css", STYLE_LOADS)):
        for path in sorted(site.rglob(pattern)):
            found += [f"{path.relative_to(site)}: {load}" for load in loads.findall(path.read_text(encoding="utf-8"))]
    return found


if __name__ == "__main__":
    sys.exit(main())
