"""What an explorer offers beside the prototypes: rows that can take their place, and rows that they explain badly."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any

from ipywidgets import Dropdown, Layout

from ..analysis.alternatives import Alternatives
from ..errors import OptionError, brief
from ..estimation.fitted import Fitted
from ..settings import significant

Label = Hashable
NO_SWAP = ("none", None)


class Swaps:
    """The substitutes of each prototype, also where one has taken its place already.

    Parameters
    ----------
    found : Alternatives
        Of the fit that is explored.
    """

    def __init__(self, found: Alternatives) -> None:
        self._costs: dict[Label, dict[Label, float]] = dict(found.table["substitutes"].items())
        self._first: dict[Label, Label] = {}  # the prototype of the fit in whose place a substitute stands

    def of(self, label: Label, taken: Collection[Label]) -> list[tuple[str, Label]]:
        """What can take the place of a prototype, with its cost in words; `taken` are the prototypes that there are."""
        first = self._first.get(label, label)
        offers = {first: "the first choice"} if first != label else {}
        offers |= {name: f"+{significant(cost, 3)}" for name, cost in self._costs.get(first, {}).items()}
        return [(f"{name} ({words})", name) for name, words in offers.items() if name not in taken]

    def note(self, label: Label, substitute: Label) -> None:
        """Remember that a substitute has taken the place of a prototype."""
        first = self._first.pop(label, label)
        if substitute != first:
            self._first[substitute] = first


def swaps_of(fit: Fitted, alternatives: Any) -> Swaps | None:
    """The swaps that `fit.alternatives()` allows; None without any."""
    from ..analysis.alternatives import Alternatives

    if alternatives is None:
        return None
    if not isinstance(alternatives, Alternatives) or alternatives.fit is not fit:
        given = "those of another fit" if isinstance(alternatives, Alternatives) else brief(alternatives)
        raise OptionError(f"alternatives={given}: what fit.alternatives() of the explored fit returns")
    return Swaps(alternatives)


def criticised(fit: Fitted, criticisms: Any) -> list[tuple[str, Label]]:
    """The rows that `fit.criticisms()` lists, each with the reason; none without any."""
    from ..analysis.alternatives import Criticisms

    if criticisms is None:
        return []
    if not isinstance(criticisms, Criticisms) or criticisms.fit is not fit:
        given = "those of another fit" if isinstance(criticisms, Criticisms) else brief(criticisms)
        raise OptionError(f"criticisms={given}: what fit.criticisms() of the explored fit returns")
    return [(f"{label} ({reason})", label) for label, reason in criticisms.table["reason"].items()]


def make_menus(rows: Sequence[tuple[str, Label]]) -> tuple[Dropdown, Dropdown]:
    """The menu of what can take the place of the selected prototype, and that of the rows that are explained badly."""
    style = {"description_width": "initial"}
    swap = Dropdown(options=[NO_SWAP], description="swap for", style=style, layout=Layout(width="200px"))
    options = [("none is selected", None), *rows]
    return swap, Dropdown(options=options, description="badly explained", style=style, layout=Layout(width="330px"))


def offer(menu: Dropdown, offers: Sequence[tuple[str, Label]]) -> None:
    """Show what can take the place of the selected prototype."""
    menu.options = [(f"{len(offers)} rows", None) if offers else NO_SWAP, *offers]
    menu.value, menu.disabled = None, not offers
