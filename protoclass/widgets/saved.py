"""An explorer as one file that needs neither Python nor a network."""

from __future__ import annotations

import base64
import hashlib
import html
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..ground.errors import NotAvailable, ProtoclassError
from ..ground.files import check_free, check_path, write_file
from ..views.geometry import list_predictors
from ..views.words import write_field
from .base import join
from .browser import script, style
from .film import Film, count_affordable, describe, describe_plane, make_reel, make_rivals, pack

if TYPE_CHECKING:
    from .prototypes import PrototypeExplorer

MOST = 12_000_000  # bytes of the radii, compressed
FIELDS = 40  # predictors
CELLS = 2_000_000  # of predictors
PAGE = """
:root { color-scheme: light dark; }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1rem auto; padding: 0 1rem; max-width: 1100px; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
"""


def write_page(explorer: PrototypeExplorer, path: Any, overwrite: bool = False) -> Path:
    """See `PrototypeExplorer.save`."""
    place = check_path(path)
    check_free(place, overwrite)
    write_file(place, page(explorer), overwrite)
    return place


def page(explorer: PrototypeExplorer) -> str:
    """The page as HTML. All that comes from data is text, or bytes in base64."""
    title = html.escape(f"{explorer.fit.model.title}: {explorer.fit.formula}")
    look, run = PAGE + style(), script("file")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{policy([run], look)}'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title><style>{look}</style></head>\n'
        f'<body><main><h1>{title}</h1>\n{fragment(explorer)}\n</main><script type="module">{run}</script></body></html>\n'
    )


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


def fragment(explorer: PrototypeExplorer) -> str:
    """The explorer as a part of a page that has the script "file" and the style: a picture stands until it runs."""
    data = base64.b64encode(bake(explorer)).decode()
    picture = base64.b64encode(explorer.png()).decode()
    still = f'<img class="protoclass-picture" alt="The prototypes among the rows" src="data:image/png;base64,{picture}">'
    return f'<div class="protoclass-page">{still}<script type="text/plain" class="protoclass-data">{data}</script></div>'


def bake(explorer: PrototypeExplorer) -> bytes:
    """All that the page knows, compressed."""
    try:
        film, album, plane = explorer.parts
    except ProtoclassError as reason:
        raise NotAvailable(f"there is no map to save: {reason}") from reason
    state = {**explorer.describe_state(), "view": "", "turn": 0}
    reels, left, notes = _take_reels(film, state["stage"])
    notes += _add_rivals(film, reels, left)
    if film.stages.note:
        notes.append(film.stages.note)
    content = {
        "film": describe(film, album),
        "reels": {str(k): reel for k, reel in reels.items()},
        "plane": {**describe_plane(film, plane), "x": state["x"], "y": state["y"]},
        "regions": [explorer.describe_regions(film.fits[k], k, reels[k]["most"]) for k in sorted(reels)] if plane.of_metric else [],
        "fields": _list_fields(film),
        "state": state,
        "notes": notes,
    }
    return zlib.compress(join(content), 9)


def _take_reels(film: Film, shown: int) -> tuple[dict[int, Any], int, list[str]]:
    """The reels whose bytes, compressed, are `MOST` together, that of the radius that is shown first; the bytes that are left; and
    what is left out, in words."""
    left = MOST
    kept: dict[int, Any] = {}
    for k in sorted({*film.reels, shown}, key=lambda k: abs(k - shown)):
        reel = film.reels[k] if k in film.reels else make_reel(film.fits[k], film.stages.source, film.points(film.fits[k]))
        size = _count_bytes(reel)
        if kept and size > left:
            break
        left -= size
        kept[k] = reel
    note = f"{len(kept)} of the {len(film.fits)} radii are in this page, those next to the one that was shown."
    return kept, left, [note] if len(kept) < len(film.fits) else []


def _add_rivals(film: Film, reels: dict[int, Any], left: int) -> list[str]:
    """Add distances of rows to prototypes to the reels, in their order, as far as bytes and time allow; what is left out in words."""
    source, n = film.stages.source, film.stages.fit.nobs
    entries = count_affordable(source)
    for done, (k, reel) in enumerate(reels.items()):
        entries -= n * len(film.fits[k].rule.prototypes)
        rivals = make_rivals(film.fits[k], source) if entries >= 0 else {}
        left -= _count_bytes(rivals)
        if entries < 0 or left < 0:
            return [f"The words say distances at {done} of the {len(reels)} radii of this page, those next to the one that was shown."]
        reels[k] = {**reel, **rivals}
    return []


def _count_bytes(reel: dict[str, Any]) -> int:
    return sum(len(zlib.compress(part["data"])) for part in reel.values() if isinstance(part, dict))


def _list_fields(film: Film) -> list[dict[str, Any]]:
    """The predictors of the rows, as numbers or texts; none where there are too many cells."""
    fit = film.stages.fit
    numeric, columns = set(list_predictors(fit)), fit.frame.columns.iloc[:, :FIELDS]
    if columns.size > CELLS:
        return []
    out: list[dict[str, Any]] = []
    for name, values in columns.items():
        field = {"name": str(name)}
        if str(name) in numeric:
            out.append({**field, "values": pack(fit.frame.canonical()[name].to_numpy(float))})
        else:
            out.append({**field, "texts": [write_field(value) for value in values]})
    return out
