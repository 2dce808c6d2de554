"""Former names, for the files of core.covers that still use them."""

from .parts import LocalParts as Here
from .parts import Parts as Shards
from .parts import Rows

__all__ = ["Here", "Rows", "Shards"]
