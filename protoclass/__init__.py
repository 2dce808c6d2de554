"""protoclass: classification by prototypes, on any dissimilarity.

>>> import protoclass as pc
>>> pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).nobs
150
"""

from importlib import import_module as _import
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PLACES = {
    "frames.datasets": "load_data fetch_data simulate_mixture simulate_clinic",
    "metrics.dissimilarity": "dissimilarity Dissimilarity",
    "metrics.embedding": "Embedding Spectrum",
    "metrics.base": "Metric",
    "metrics.minkowski": "Minkowski Euclidean Manhattan Chebyshev",
    "metrics.gower": "Gower",
    "metrics.ranks": "Ranks",
    "metrics.pairwise": "Mahalanobis Cosine Correlation Canberra Hamming Jaccard ZeroOne",
    "metrics.kernels": "Kernel precomputed psd",
    "metrics.strings": "Mismatch Levenshtein",
    "metrics.tangent": "Tangent images",
    "metrics.dann": "Adaptive",
    "metrics.mixed": "Mixed",
    "metrics.registry": "register",
    "metrics.check": "Check",
    "metrics.custom": "Custom",
    "metrics.given": "kernel_distances",
    "metrics.candidates": "unlabelled kmeans hull",
    "models.base": "Model",
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
    "core.machines.bounds": "cover_hart median_radius",
    "estimation.fit": "fit Fit",
    "estimation.validation": "cross_validate Validation",
    "analysis.evaluation": "Test",
    "analysis.stability": "Stability",
    "analysis.comparison": "compare Comparison",
    "analysis.set_cover": "set_cover SetCover",
    "widgets": "explore",
    "widgets.app": "app App",
    "vignettes": "vignette Vignettes",
    "errors": "ProtoclassError FormulaError DataError OptionError NotAvailable NoVectors TooLarge",
}
_HOME = {name: module for module, names in _PLACES.items() for name in names.split()}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from .analysis.comparison import Comparison, compare
    from .analysis.evaluation import Test
    from .analysis.set_cover import SetCover, set_cover
    from .analysis.stability import Stability
    from .core.machines.bounds import cover_hart, median_radius
    from .errors import DataError, FormulaError, NotAvailable, NoVectors, OptionError, ProtoclassError, TooLarge
    from .estimation.fit import Fit, fit
    from .estimation.validation import Validation, cross_validate
    from .frames.datasets import fetch_data, load_data, simulate_clinic, simulate_mixture
    from .metrics.base import Metric
    from .metrics.candidates import hull, kmeans, unlabelled
    from .metrics.check import Check
    from .metrics.custom import Custom
    from .metrics.dann import Adaptive
    from .metrics.dissimilarity import Dissimilarity, dissimilarity
    from .metrics.embedding import Embedding, Spectrum
    from .metrics.given import kernel_distances
    from .metrics.gower import Gower
    from .metrics.kernels import Kernel, precomputed, psd
    from .metrics.minkowski import Chebyshev, Euclidean, Manhattan, Minkowski
    from .metrics.mixed import Mixed
    from .metrics.pairwise import Canberra, Correlation, Cosine, Hamming, Jaccard, Mahalanobis, ZeroOne
    from .metrics.ranks import Ranks
    from .metrics.registry import register
    from .metrics.strings import Levenshtein, Mismatch
    from .metrics.tangent import Tangent, images
    from .models.base import Model
    from .models.condensed import Condensed
    from .models.dann import DANN
    from .models.hyperplane import Hyperplane
    from .models.kmeans import KMeans
    from .models.kmedoids import KMedoids
    from .models.knn import KNN
    from .models.lvq import LVQ
    from .models.mixture import Mixture
    from .models.multiedit import Multiedit
    from .models.pvm import PVM, quantiles
    from .models.scm import SCM
    from .vignettes import Vignettes, vignette
    from .widgets import explore
    from .widgets.app import App, app


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'protoclass' has no attribute {name!r}")
    value = getattr(_import(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
