"""Words and tables for a page, as HTML that reads well in light and dark themes and aloud."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ..views.confusion import share_rows
from .picture import encode

CELL = "padding:1px 6px;text-align:right"
NAME = "padding:1px 10px 1px 0;text-align:left;vertical-align:top"
TABLE = "border-collapse:collapse;line-height:1.35"


def status(words: str) -> str:
    """Words that a screen reader reads out when they change."""
    return f'<div role="status" style="line-height:1.4">{html.escape(words)}</div>'


def warning(words: str) -> str:
    """Words that a screen reader reads out at once."""
    style = "border-left:4px solid #D55E00;padding:2px 8px;line-height:1.4"
    return f'<div role="alert" style="{style}">{html.escape(words)}</div>'


def listed(rows: Sequence[tuple[str, str]], caption: str) -> str:
    """Names and values."""
    cells = "".join(
        f'<tr><th scope="row" style="{NAME};font-weight:normal">{html.escape(name)}</th>'
        f'<td style="{NAME};font-weight:600;overflow-wrap:anywhere">{html.escape(value)}</td></tr>'
        for name, value in rows
    )
    return f'<table style="{TABLE}">{_caption(caption)}{cells}</table>'


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A table with a head; the first column names the rows."""
    top = "".join(
        f'<th scope="col" style="{NAME if k == 0 else CELL}">{html.escape(h)}</th>' for k, h in enumerate(head)
    )
    body = "".join(
        f'<tr><th scope="row" style="{NAME}">{html.escape(row[0])}</th>'
        + "".join(f'<td style="{CELL}">{html.escape(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return f'<table style="{TABLE}">{_caption(caption)}<tr>{top}</tr>{body}</table>'


def confusion(table: pd.DataFrame, caption: str) -> str:
    """Counts by true and predicted class, the share of each true class as shade."""
    share = share_rows(table)
    top = "".join(f'<th scope="col" style="{CELL}">{html.escape(str(level))}</th>' for level in table)
    body = ""
    for level, counts, shades in zip(table.index, table.to_numpy(), share, strict=True):
        cells = "".join(
            f'<td style="{CELL};background:rgba(86,180,233,{0.6 * shade:.2f})">{count:g}</td>'
            for count, shade in zip(counts, shades, strict=True)
        )
        body += f'<tr><th scope="row" style="{NAME}">{html.escape(str(level))}</th>{cells}</tr>'
    return f'<table style="{TABLE}">{_caption(caption)}<tr><td></td>{top}</tr>{body}</table>'


def pictures(pixels: Iterable[np.ndarray], names: Sequence[str], title: str, height: int) -> str:
    """Small pictures, uint8 (height, width), side by side, with their names below."""
    shown = "".join(
        f'<figure style="margin:0 6px 4px 0;text-align:center"><img alt="{html.escape(name)}" height="{height}" '
        f'style="image-rendering:pixelated;border:1px solid rgba(127,127,127,.5)" src="data:image/png;base64,'
        f'{base64.b64encode(encode(picture)).decode()}"><figcaption style="font-size:11px;line-height:1.2">'
        f"{html.escape(name)}</figcaption></figure>"
        for picture, name in zip(pixels, names, strict=True)
    )
    head = f'<div style="font-weight:600">{html.escape(title)}</div>' if title else ""
    return f'<div>{head}<div style="display:flex;flex-wrap:wrap">{shown}</div></div>'


def beside(parts: Sequence[str]) -> str:
    """Parts side by side, where there is room."""
    cells = "".join(f'<div style="margin:0 20px 6px 0;max-width:100%">{part}</div>' for part in parts if part)
    return f'<div style="display:flex;flex-wrap:wrap">{cells}</div>'


def _caption(words: str) -> str:
    style = "caption-side:top;text-align:left;font-weight:600;padding-bottom:2px"
    return f'<caption style="{style}">{html.escape(words)}</caption>' if words else ""
