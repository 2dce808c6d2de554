"""The parts of a method or metric of your own, beside `Model`, `Metric` and `register`, and classes
of metrics without parameters, which are otherwise used by their names, such as "canberra".

The vignette a_method_of_your_own uses these names.
"""

from .core.neighbours.nearest import Nearest
from .core.query import Query, RulePath
from .core.task import Points, Task
from .ground.savable import savable
from .metrics.base import TrainedMetric, Traits, VectorMetric
from .metrics.pairwise import Canberra, Correlation, Cosine, Hamming, Jaccard, ZeroOne
from .metrics.registry import Custom
from .metrics.wrappers import Wrapper
from .models.base import Capabilities, Grid, axis, check_number, heaviest_class, own_candidates
from .models.pvm import quantiles

__all__ = [
    "Canberra",
    "Capabilities",
    "Correlation",
    "Cosine",
    "Custom",
    "Grid",
    "Hamming",
    "Jaccard",
    "Nearest",
    "Points",
    "Query",
    "RulePath",
    "Task",
    "TrainedMetric",
    "Traits",
    "VectorMetric",
    "Wrapper",
    "ZeroOne",
    "axis",
    "check_number",
    "heaviest_class",
    "own_candidates",
    "quantiles",
    "savable",
]
