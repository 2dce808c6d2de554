"""protoclass: classification by prototypes, on any dissimilarity.

>>> import protoclass as pc
>>> pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).nobs
150
"""

from importlib import import_module as _import
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PLACES = {
    "frames.datasets": "load_data fetch_data simulate_mixture simulate_clinic simulate_infection",
    "metrics.dissimilarity": "Dissimilarity",
    "metrics.measuring": "dissimilarity",
    "metrics.stored": "read_dissimilarity",
    "metrics.embedding": "Embedding Spectrum",
    "metrics.base": "Metric TrainedMetric",
    "metrics.vectors": "VectorMetric",
    "metrics.minkowski": "Minkowski Euclidean Manhattan Chebyshev",
    "metrics.gower": "Gower",
    "metrics.ranks": "Ranks",
    "metrics.mahalanobis": "Mahalanobis",
    "metrics.pairwise": "Cosine Correlation Canberra Hamming Jaccard ZeroOne",
    "metrics.kernels": "Kernel precomputed psd",
    "metrics.strings": "Mismatch Levenshtein",
    "metrics.tangent": "Tangent images",
    "metrics.dtw": "DTW",
    "metrics.dann": "Adaptive",
    "metrics.learned": "Learned",
    "metrics.mixed": "Mixed",
    "models.registry": "register",
    "metrics.check": "Check",
    "metrics.custom": "Custom",
    "metrics.given": "kernel_distances",
    "metrics.candidates": "unlabelled kmeans hull",
    "models.base": "Model Grid axis check_number heaviest_class own_candidates",
    "models.capabilities": "Capabilities",
    "core.task": "Points RulePath Task",
    "core.query": "Query",
    "core.neighbours.nearest": "Nearest",
    "models.pvm": "PVM quantiles",
    "models.scm": "SCM",
    "models.hyperplane": "Hyperplane",
    "models.condensed": "Condensed",
    "models.multiedit": "Multiedit",
    "models.knn": "KNN",
    "models.dann": "DANN",
    "models.kmeans": "KMeans",
    "models.kmedoids": "KMedoids",
    "models.lvq": "LVQ",
    "models.mixture": "Mixture",
    "models.mmd": "MMDCritic",
    "models.centroids": "Centroids",
    "core.neighbours.limits": "cover_hart median_radius",
    "estimation.fitting": "fit cross_validate",
    "estimation.fit": "Fit",
    "estimation.threshold": "Threshold",
    "estimation.validation": "Validation",
    "analysis.evaluation": "Test",
    "analysis.by_group": "TestByGroup",
    "analysis.stability": "Stability",
    "analysis.alternatives": "Alternatives",
    "analysis.criticisms": "Criticisms",
    "analysis.permutation": "PermutationTest",
    "analysis.compare": "compare",
    "analysis.comparison": "Comparison",
    "analysis.set_cover": "set_cover SetCover",
    "saving": "load Saved",
    "verifier": "verify Verification",
    "declared": "savable",
    "card": "Card",
    "settings": "options",
    "widgets": "explore",
    "widgets.app": "app App",
    "vignettes": "vignette Vignettes",
    "errors": "ProtoclassError FormulaError DataError DataWarning OptionError NotAvailable NoVectors FileError ClusterError TooLarge",
}
_HOME = {name: module for module, names in _PLACES.items() for name in names.split()}

_MODULES = ("sklearn", "testing")

__all__ = sorted([*_HOME, *_MODULES])

if TYPE_CHECKING:
    from . import sklearn as sklearn
    from . import testing as testing
    from .analysis.alternatives import Alternatives
    from .analysis.by_group import TestByGroup
    from .analysis.compare import compare
    from .analysis.comparison import Comparison
    from .analysis.criticisms import Criticisms
    from .analysis.evaluation import Test
    from .analysis.permutation import PermutationTest
    from .analysis.set_cover import SetCover, set_cover
    from .analysis.stability import Stability
    from .card import Card
    from .core.neighbours.limits import cover_hart, median_radius
    from .core.neighbours.nearest import Nearest
    from .core.query import Query
    from .core.task import Points, RulePath, Task
    from .declared import savable
    from .errors import (
        ClusterError,
        DataError,
        DataWarning,
        FileError,
        FormulaError,
        NotAvailable,
        NoVectors,
        OptionError,
        ProtoclassError,
        TooLarge,
    )
    from .estimation.fit import Fit
    from .estimation.fitting import cross_validate, fit
    from .estimation.threshold import Threshold
    from .estimation.validation import Validation
    from .frames.datasets import fetch_data, load_data, simulate_clinic, simulate_infection, simulate_mixture
    from .metrics.base import Metric, TrainedMetric
    from .metrics.candidates import hull, kmeans, unlabelled
    from .metrics.check import Check
    from .metrics.custom import Custom
    from .metrics.dann import Adaptive
    from .metrics.dissimilarity import Dissimilarity
    from .metrics.dtw import DTW
    from .metrics.embedding import Embedding, Spectrum
    from .metrics.given import kernel_distances
    from .metrics.gower import Gower
    from .metrics.kernels import Kernel, precomputed, psd
    from .metrics.learned import Learned
    from .metrics.mahalanobis import Mahalanobis
    from .metrics.measuring import dissimilarity
    from .metrics.minkowski import Chebyshev, Euclidean, Manhattan, Minkowski
    from .metrics.mixed import Mixed
    from .metrics.pairwise import Canberra, Correlation, Cosine, Hamming, Jaccard, ZeroOne
    from .metrics.ranks import Ranks
    from .metrics.stored import read_dissimilarity
    from .metrics.strings import Levenshtein, Mismatch
    from .metrics.tangent import Tangent, images
    from .metrics.vectors import VectorMetric
    from .models.base import Grid, Model, axis, check_number, heaviest_class, own_candidates
    from .models.capabilities import Capabilities
    from .models.centroids import Centroids
    from .models.condensed import Condensed
    from .models.dann import DANN
    from .models.hyperplane import Hyperplane
    from .models.kmeans import KMeans
    from .models.kmedoids import KMedoids
    from .models.knn import KNN
    from .models.lvq import LVQ
    from .models.mixture import Mixture
    from .models.mmd import MMDCritic
    from .models.multiedit import Multiedit
    from .models.pvm import PVM, quantiles
    from .models.registry import register
    from .models.scm import SCM
    from .saving import Saved, load
    from .settings import options
    from .verifier import Verification, verify
    from .vignettes import Vignettes, vignette
    from .widgets import explore
    from .widgets.app import App, app


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return _import(f".{name}", __name__)
    if name not in _HOME:
        from .elsewhere import FUNCTIONS, FUNCTIONS_ELSEWHERE, VERBS
        from .errors import NotAvailable as Missing

        cures = {**dict.fromkeys(FUNCTIONS, f"a fit does it itself, fit.{name}(...)"), **VERBS, **FUNCTIONS_ELSEWHERE}
        if name in cures:
            raise Missing(f"module 'protoclass' has no function {name!r}: {cures[name]}")
        raise AttributeError(f"module 'protoclass' has no attribute {name!r}")
    value = getattr(_import(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
