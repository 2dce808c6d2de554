"""Links of the built site: `broken` checks those within it, without a network; `make links` lists those that lead elsewhere."""

from __future__ import annotations

import sys
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, each with its place in the text, and the names that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names = {"", "top"}  # both lead to the beginning
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.names.add(value or "")
            elif name == "src" or (name == "href" and tag in ("a", "area", "link")):
                self.links.append(value or "")


def read(site: Path) -> dict[Path, Page]:
    """The pages of a site by their paths."""
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.resolve().rglob("*.html"))}


def broken(site: Path) -> list[str]:
    """Links within the site that lead to no file, or to no place of a page; each with the page that has it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.html").write_text('<p id="here"><a href="#here"><a href="#there"><a href="b.html">')
    ...     broken(Path(folder))
    ['a.html: #there', 'a.html: b.html']
    """
    pages, root, found = read(site), site.resolve(), []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            inside = to.is_relative_to(root) and to.is_file()
            # an explorer reads its state from the fragment, such as #row=5
            known = "=" in place or to not in pages or place in pages[to].names
            if not inside or not known:
                found.append(f"{path.relative_to(root)}: {link}")
    return found


def external(site: Path) -> dict[str, list[str]]:
    """Links that lead to other sites, each with the pages that have it."""
    root, found = site.resolve(), defaultdict(list)
    for path, page in read(site).items():
        for link in dict.fromkeys(page.links):
            if urlsplit(link).scheme in ("http", "https") or link.startswith("//"):
                found[link].append(str(path.relative_to(root)))
    return dict(sorted(found.items()))


if __name__ == "__main__":
    site = Path(__file__).resolve().parent.parent / "build" / "site"
    if not site.is_dir():
        sys.exit(f"no site in {site}: `make vignettes` builds it")
    for link, pages in external(site).items():
        print(link, *(f"    {page}" for page in pages[:3]), *([f"    and {len(pages) - 3} more"] if pages[3:] else []), sep="\n")
