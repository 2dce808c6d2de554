"""The scripts that draw explorers in a browser: plain ES modules, joined without a build step into the one that a page gets."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

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
