"""Build the site, vignettes run and a reference from the docstrings, into build/site: `make vignettes`.

What a vignette gave is kept in build/outputs and taken from there until its code or the package changes.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from importlib.metadata import distributions
from pathlib import Path

from excerpts import write_excerpts
from links import broken
from pages import contents, gallery, reference

import protoclass

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SOURCE, SITE, OUTPUTS = (ROOT / "build" / name for name in ("source", "site", "outputs"))

PAGE_LOADS = re.compile(
    r"<(?:script|link|img|iframe|source|object|embed)\b[^>]*?\b(?:src|href|data)=[\"']?(?:https?:)?//[^\s\"'>]*", re.I
)
STYLE_LOADS = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^\s\"')]*", re.I)


def main() -> int:
    """Gather the sources, build, and refuse a site that needs a network or has broken links. Returns the exit status."""
    from sphinx.cmd.build import build_main

    os.environ.pop("MPLBACKEND", None)  # a backend set for scripts would keep kernels from showing figures
    for folder in (SOURCE, SITE, ROOT / "build" / "doctrees"):
        shutil.rmtree(folder, ignore_errors=True)
    gather()
    kept = OUTPUTS / package_key()
    for old in OUTPUTS.glob("*"):
        if old != kept:
            shutil.rmtree(old)
    options = ["-b", "html", "-W", "--keep-going", "-q", "-d", str(ROOT / "build" / "doctrees")]
    options += ["-D", f"nb_execution_cache_path={kept}"]
    if status := build_main([*options, str(SOURCE), str(SITE)]):
        return status
    write_excerpts(SITE)
    for found, why in ((offsite(SITE), "The site would need a network for:"), (broken(SITE), "Links that lead nowhere:")):
        if found:
            print(why, *found, sep="\n  ", file=sys.stderr)
            return 1
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    print(f"The site is in {SITE / 'index.html'} ({size / 1e6:.1f} MB)")
    return 0


def gather() -> None:
    """Put everything that Sphinx reads into one folder."""
    ignored = shutil.ignore_patterns(".*", "*.ipynb", "*.py", "__pycache__")
    shutil.copytree(DOCS, SOURCE, ignore=ignored)
    shutil.copy(DOCS / "conf.py", SOURCE)
    shutil.copytree(ROOT / "vignettes", SOURCE / "vignettes", ignore=ignored)
    results = ROOT / "benchmarks" / "papers"
    shutil.copytree(results / "figures", SOURCE / "figures")
    shutil.copy(results / "RESULTS.md", SOURCE / "papers.md")
    (SOURCE / "live").mkdir()
    digits = protoclass.load_data("digits").groupby("digit", observed=True).head(60)
    pixels = {"dissimilarity": protoclass.Euclidean(scale=False), "repeats": 1, "progress": False}
    tuned = protoclass.fit("digit ~ .", digits, **pixels)
    fit = tuned.at(eps=tuned.validation.table["eps"][11])  # as in the vignette "explorers"
    fit.explore(save=SOURCE / "live" / "explorer.html", shape=(8, 8))
    (SOURCE / "api").mkdir()
    for path, text in {
        "vignettes/index.md": contents(),
        "gallery.md": gallery(),
        "api/index.rst": reference(),
    }.items():
        (SOURCE / path).write_text(text, encoding="utf-8")
    for path in SOURCE.rglob("*.md"):  # links that work in the repository, where docs/ and vignettes/ are neighbours
        text = path.read_text(encoding="utf-8").replace("](../vignettes/", "](vignettes/").replace("](../docs/", "](../")
        path.write_text(text, encoding="utf-8")


def package_key(package: Path = Path(protoclass.__file__).parent) -> str:
    """A name for all that decides what a vignette's code gives: the files of the package and its data, what is installed, Python.

    The code itself need not be in it, as outputs are kept by the code of their notebook.
    """
    digest = hashlib.sha256(sys.version.encode())
    for line in sorted({f"{found.metadata['Name']} {found.version}" for found in distributions()}):
        digest.update(line.encode())
    for folder in (package, package.parent / "data"):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(package.parent)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def offsite(site: Path) -> list[str]:
    """What pages and styles of the site would load from elsewhere, each with its file."""
    found = []
    for pattern, loads in (("*.html", PAGE_LOADS), ("*.html", STYLE_LOADS), ("*.css", STYLE_LOADS)):
        for path in sorted(site.rglob(pattern)):
            found += [f"{path.relative_to(site)}: {load}" for load in loads.findall(path.read_text(encoding="utf-8"))]
    return found


if __name__ == "__main__":
    sys.exit(main())
