"""protoclass: classification by prototypes, on any dissimilarity.

>>> import protoclass as pc
>>> pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).nobs
150
"""

from importlib import import_module as _import
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "fit": "fitting", "Fit": "fitting", "cross_validate": "validating", "Validation": "validating", "Test": "testing",
    "dissimilarity": "metrics.dissimilarity", "Dissimilarity": "metrics.dissimilarity",
    "Embedding": "metrics.embedding", "Spectrum": "metrics.embedding",
    "Metric": "metrics.base", "Minkowski": "metrics.minkowski", "Euclidean": "metrics.minkowski",
    "Manhattan": "metrics.minkowski", "Chebyshev": "metrics.minkowski", "Gower": "metrics.gower", "Ranks": "metrics.ranks",
    "Mahalanobis": "metrics.pairwise", "Cosine": "metrics.pairwise", "Correlation": "metrics.pairwise",
    "Canberra": "metrics.pairwise", "Hamming": "metrics.pairwise", "Jaccard": "metrics.pairwise",
    "ZeroOne": "metrics.pairwise", "Kernel": "metrics.kernels", "precomputed": "metrics.kernels", "psd": "metrics.kernels",
    "Mismatch": "metrics.strings", "Levenshtein": "metrics.strings", "Tangent": "metrics.tangent", "images": "metrics.tangent",
    "Adaptive": "metrics.dann", "Mixed": "metrics.mixed", "register": "metrics.registry", "Check": "metrics.check",
    "Custom": "metrics.custom", "kernel_distances": "metrics.given",
    "Model": "models.base", "PVM": "models.pvm", "quantiles": "models.pvm", "SCM": "models.scm", "Hyperplane": "models.hyperplane",
    "Condensed": "models.condensed", "Multiedit": "models.multiedit",
    "KNN": "models.knn", "DANN": "models.dann", "KMeans": "models.kmeans", "KMedoids": "models.kmedoids",
    "LVQ": "models.lvq", "Mixture": "models.mixture",
    "unlabelled": "metrics.candidates", "kmeans": "metrics.candidates", "hull": "metrics.candidates",
    "cover_hart": "core.bounds", "median_radius": "core.bounds", "Stability": "stability",
    "compare": "comparing", "Comparison": "comparing",
    "set_cover": "covering", "SetCover": "covering",
    "load_data": "datasets", "fetch_data": "datasets", "simulate_mixture": "datasets", "simulate_clinic": "datasets",
    "explore": "widgets", "app": "widgets.app", "App": "widgets.app", "vignette": "vignettes", "Vignettes": "vignettes",
    "ProtoclassError": "errors", "FormulaError": "errors", "DataError": "errors", "OptionError": "errors",
    "NotAvailable": "errors", "NoVectors": "errors", "TooLarge": "errors",
}  # fmt: skip

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from .comparing import Comparison, compare
    from .core.bounds import cover_hart, median_radius
    from .covering import SetCover, set_cover
    from .datasets import fetch_data, load_data, simulate_clinic, simulate_mixture
    from .errors import DataError, FormulaError, NotAvailable, NoVectors, OptionError, ProtoclassError, TooLarge
    from .fitting import Fit, fit
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
    from .stability import Stability
    from .testing import Test
    from .validating import Validation, cross_validate
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
