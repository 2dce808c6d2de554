"""Texts of the pages for the site's search, which shows an excerpt of each page that it finds.

Sphinx's search fetches the pages that it found, and browsers refuse that for pages opened as files. A script can be loaded from a
file, so the texts stand in one, which only the page of the search loads, and `fetch` answers from it.
"""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

SCRIPT = """\
/* The texts of the pages, for excerpts in the search: a browser fetches no pages that were opened as files. */
(() => {
  const PAGES = %s;
  const fetched = window.fetch;
  window.fetch = (address, ...more) => {
    const text = PAGES[String(address).replace(/^(\\.\\/)+/, "")];
    return text === undefined ? fetched(address, ...more) : Promise.resolve(new Response(text));
  };
})();
"""

SILENT = ("script", "style", "svg", "math")
SINGLE = ("br", "img", "hr", "input", "link", "meta", "col", "source", "wbr")


class Main(HTMLParser):
    """What a page says in its main part: text, and the sections, to whose titles results lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.open: list[tuple[str, bool, bool]] = []  # tag, whether it is within the main part, whether it is silent
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SINGLE:
            return
        given = dict(attrs)
        _, inside, silent = self.open[-1] if self.open else ("", False, False)
        inside = inside or given.get("role") == "main"
        silent = silent or tag in SILENT or "headerlink" in (given.get("class") or "")
        if tag == "section" and inside:
            self.said.append(f'<section id="{html.escape(given.get("id") or "")}">')
        self.open.append((tag, inside, silent))

    def handle_endtag(self, tag: str) -> None:
        while any(tag == name for name, *_ in self.open):
            name, inside, _ = self.open.pop()
            if name == "section" and inside:
                self.said.append("</section>")
            if name == tag:
                break
        self.said.append(" ")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][1] and not self.open[-1][2]:
            self.said.append(html.escape(data, quote=False))


def main_text(page: str) -> str:
    """The main part of a page, as much of it as excerpts need.

    Examples
    --------
    >>> main_text('<nav>No</nav><div role="main"><section id="a"><h1>One<a class="headerlink">#</a></h1><p>Two<br>three</p></section>')
    '<div role="main"><section id="a">One Two three</section></div>'
    """
    said = re.sub(r"\s+", " ", "".join(Main(page.replace("<br>", "<br> ")).said))
    return f'<div role="main">{said.strip().replace(" </section>", "</section>")}</div>'


def write_excerpts(site: Path) -> None:
    """Write the script into the built site."""
    pages = {
        path.relative_to(site).as_posix(): main_text(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    (site / "_static" / "excerpts.js").write_text(SCRIPT % json.dumps(pages, ensure_ascii=False), encoding="utf-8")
