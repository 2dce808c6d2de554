"""How faults are noted: `PLANTED` has the promise that each breaks, its method, and words that name its cause."""

from dataclasses import dataclass

import protoclass as pc

PLANTED = []


def planted(group, words, base=None):
    """Note a method with a fault, or a rule with one as that of a method."""

    def note(cls):
        kind = cls
        if base is not None:
            rule = cls
            if "plain" not in vars(cls):
                rule = pc.extend.savable(name=f"planted {cls.__name__}")(dataclass(frozen=True)(cls))
            kind = type(f"{cls.__name__}Method", (base,), {"rule": rule, "__module__": cls.__module__})
        else:
            cls = kind = dataclass(frozen=True)(cls)
        PLANTED.append((group, kind, words))
        return cls if base is None else rule

    return note
