"""The classes of results, which functions and methods of the package return."""

from .analysis.alternatives import Alternatives, Criticisms
from .analysis.comparison import Comparison
from .analysis.evaluation import TestResult
from .analysis.groups import TestByGroup
from .analysis.resampling import PermutationTest, Stability
from .estimation.decisions import Threshold
from .export.methods import Methods
from .export.pages import Card
from .export.saving import Reproduction
from .ground.files import Saved
from .metrics.embedding import Check, Embedding, Spectrum

__all__ = [
    "Alternatives",
    "Card",
    "Check",
    "Comparison",
    "Criticisms",
    "Embedding",
    "Methods",
    "PermutationTest",
    "Reproduction",
    "Saved",
    "Spectrum",
    "Stability",
    "TestByGroup",
    "TestResult",
    "Threshold",
]
