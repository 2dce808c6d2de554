"""Former names, for the files of core.covers that still use them."""

from .parts import Measure
from .parts import PartedSource as ShardedSource
from .parts import parted_source as sharded

__all__ = ["Measure", "ShardedSource", "sharded"]
