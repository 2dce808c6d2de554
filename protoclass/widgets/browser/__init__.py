"""The page of an explorer: plain ES modules and a style sheet, joined without a build step, and the
file that has both.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import zlib
from functools import cache
from importlib.resources import files
from pathlib import Path

from ...ground.files import check_free, write_file

FOLDER = files(__package__)  # also in a zip
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.M)


@cache
def script(name: str) -> str:
    """A module with all that it imports in front of it, as one.

    Examples
    --------
    >>> script("explorer").count("function unfold"), "import {" in script("explorer")
    (1, False)
    """
    parts: dict[str, str] = {}

    def collect(module: str) -> None:
        if module in parts:
            return
        text = (FOLDER / f"{module}.js").read_text(encoding="utf-8")
        parts[module] = ""  # modules import in no circle
        for needed in IMPORT.findall(text):
            collect(needed)
        text = IMPORT.sub("", text)
        parts[module] = re.sub(r"^export (?!default)", "", text, flags=re.M)
        parts[module] = parts.pop(module)  # after all that it needs

    collect(name)
    return "\n".join(parts.values())


@cache
def style() -> str:
    """The style sheet of the explorers."""
    return (FOLDER / "style.css").read_text(encoding="utf-8")


PAGE = """
:root { color-scheme: light dark; background: light-dark(#ffffff, #14171c); }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
body { margin: 0 auto; max-width: 1600px; }
.protoclass-page { display: flex; flex-direction: column; min-height: 100vh; padding: 12px 24px; }
@media (max-width: 720px) { .protoclass-page { padding: 10px 12px; } }
@container (width > 900px) { .protoclass-zones { flex: 1 0 440px; height: 0; } }
"""


def write_page(path: Path, body: str, overwrite: bool) -> Path:
    """Write a page of an explorer, as `fragment` makes it; its script names it."""
    check_free(path, overwrite)
    page = to_page("protoclass", f"<main>{body}</main>", style() + PAGE, script("file"))
    write_file(path, page, overwrite)
    return path


def to_page(title: str, body: str, look: str, run: str = "", attributes: bool = False) -> str:
    """A self-contained page: it has this style, runs this script alone, and asks nothing of any network.

    `attributes` also allows elements to have styles of their own.
    """

    def name(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    styles = "'unsafe-inline'" if attributes else name(look)
    rule = (
        f"default-src 'none'; script-src {name(run)}; style-src {styles}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{rule}">'
        f'<meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
        f'<style>{look}</style></head>\n<body>{body}<script type="module">{run}</script></body></html>\n'
    )


def fragment(png: bytes, content: bytes) -> str:
    """An explorer as a part of a page that has the script "file" and the style: a picture stands until it runs."""
    data, picture = (base64.b64encode(part).decode() for part in (zlib.compress(content, 9), png))
    still = f'<img class="protoclass-picture" alt="A picture of the explorer" src="data:image/png;base64,{picture}">'
    return (
        f'<div class="protoclass-page">{still}<script type="text/plain" '
        f'class="protoclass-data">{data}</script></div>'
    )
