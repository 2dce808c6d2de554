"""Progress bars of long work."""

from __future__ import annotations

from typing import Any

from .settings import options


def bar(total: int | None, what: str, progress: bool | None) -> Any:
    """A tqdm bar that shows itself after 2 s (`progress` None), at once (True) or never (False); None means `options.progress`."""
    from tqdm.auto import tqdm

    progress = options.progress if progress is None else progress
    return tqdm(total=total, desc=what, disable=progress is False, delay=0 if progress else 2, leave=False)
