"""An explorer as one file that needs neither Python nor a network."""

from __future__ import annotations

import base64
import hashlib
import zlib
from pathlib import Path
from typing import Any

from ..ground.files import check_free, check_path, write_file
from .browser import script, style

PAGE = """
:root { color-scheme: light dark; background: light-dark(#ffffff, #14171c); }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
body { margin: 0 auto; max-width: 1600px; }
.protoclass-page { display: flex; flex-direction: column; min-height: 100vh; padding: 12px 24px; }
@media (max-width: 720px) { .protoclass-page { padding: 10px 12px; } }
@container (width > 700px) { .protoclass-zones { flex: 1 0 440px; height: 0; } }
"""


def write_page(path: Any, body: str, overwrite: bool) -> Path:
    """Write a page of an explorer, as `fragment` makes it; its script names it."""
    place = check_path(path)
    check_free(place, overwrite)
    look, run = style() + PAGE, script("file")
    text = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{policy([run], look)}'
        f'<meta name="viewport" content="width=device-width"><title>protoclass</title><style>{look}</style></head>\n'
        f'<body><main>{body}</main><script type="module">{run}</script></body></html>\n'
    )
    write_file(place, text, overwrite)
    return place


def policy(scripts: list[str], look: str, attributes: bool = False) -> str:
    """The rule of a page that runs these scripts alone, has this style, and asks nothing of any network.

    `attributes` also allows elements to have styles of their own.
    """

    def name(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    styles = "'unsafe-inline'" if attributes else name(look)
    rule = (
        f"default-src 'none'; script-src {' '.join(map(name, scripts))}; style-src {styles}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{rule}">'


def fragment(png: bytes, content: bytes) -> str:
    """An explorer as a part of a page that has the script "file" and the style: a picture stands until it runs."""
    data, picture = (base64.b64encode(part).decode() for part in (zlib.compress(content, 9), png))
    still = f'<img class="protoclass-picture" alt="A picture of the explorer" src="data:image/png;base64,{picture}">'
    return f'<div class="protoclass-page">{still}<script type="text/plain" class="protoclass-data">{data}</script></div>'
