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
    "metrics.base": "Metric TrainedMetric Traits VectorMetric",
    "metrics.minkowski": "Minkowski Euclidean Manhattan Chebyshev",
    "metrics.gower": "Gower",
    "metrics.wrappers": "Ranks Wrapper",
    "metrics.mahalanobis": "Mahalanobis",
    "metrics.pairwise": "Cosine Correlation Canberra Hamming Jaccard ZeroOne",
    "metrics.kernels": "Kernel",
    "metrics.strings": "Mismatch Levenshtein",
    "metrics.tangent": "Tangent images",
    "metrics.dtw": "DTW",
    "metrics.dann": "Adaptive",
    "metrics.learned": "Learned",
    "metrics.mixed": "Mixed",
    "models.registry": "register",
    "metrics.check": "Check",
    "metrics.custom": "Custom",
    "metrics.matrices": "kernel_distances precomputed psd",
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
    "widgets.link": "link Link",
    "vignettes": "vignette Vignettes",
    "errors": "ProtoclassError FormulaError DataError DataWarning OptionError NotAvailable NoVectors FileError ClusterError TooLarge",
}
_HOME = {name: module for module, names in _PLACES.items() for name in names.split()}

_MODULES = ("sklearn", "testing")

__all__ = sorted([*_HOME, *_MODULES])

if TYPE_CHECKING:  # `as` makes the names public for type checkers
    from . import sklearn as sklearn
    from . import testing as testing
    from .analysis.alternatives import Alternatives as Alternatives
    from .analysis.by_group import TestByGroup as TestByGroup
    from .analysis.compare import compare as compare
    from .analysis.comparison import Comparison as Comparison
    from .analysis.criticisms import Criticisms as Criticisms
    from .analysis.evaluation import Test as Test
    from .analysis.permutation import PermutationTest as PermutationTest
    from .analysis.set_cover import SetCover as SetCover
    from .analysis.set_cover import set_cover as set_cover
    from .analysis.stability import Stability as Stability
    from .card import Card as Card
    from .core.neighbours.limits import cover_hart as cover_hart
    from .core.neighbours.limits import median_radius as median_radius
    from .core.neighbours.nearest import Nearest as Nearest
    from .core.query import Query as Query
    from .core.task import Points as Points
    from .core.task import RulePath as RulePath
    from .core.task import Task as Task
    from .declared import savable as savable
    from .errors import ClusterError as ClusterError
    from .errors import DataError as DataError
    from .errors import DataWarning as DataWarning
    from .errors import FileError as FileError
    from .errors import FormulaError as FormulaError
    from .errors import NotAvailable as NotAvailable
    from .errors import NoVectors as NoVectors
    from .errors import OptionError as OptionError
    from .errors import ProtoclassError as ProtoclassError
    from .errors import TooLarge as TooLarge
    from .estimation.fit import Fit as Fit
    from .estimation.fitting import cross_validate as cross_validate
    from .estimation.fitting import fit as fit
    from .estimation.threshold import Threshold as Threshold
    from .estimation.validation import Validation as Validation
    from .frames.datasets import fetch_data as fetch_data
    from .frames.datasets import load_data as load_data
    from .frames.datasets import simulate_clinic as simulate_clinic
    from .frames.datasets import simulate_infection as simulate_infection
    from .frames.datasets import simulate_mixture as simulate_mixture
    from .metrics.base import Metric as Metric
    from .metrics.base import TrainedMetric as TrainedMetric
    from .metrics.base import Traits as Traits
    from .metrics.base import VectorMetric as VectorMetric
    from .metrics.candidates import hull as hull
    from .metrics.candidates import kmeans as kmeans
    from .metrics.candidates import unlabelled as unlabelled
    from .metrics.check import Check as Check
    from .metrics.custom import Custom as Custom
    from .metrics.dann import Adaptive as Adaptive
    from .metrics.dissimilarity import Dissimilarity as Dissimilarity
    from .metrics.dtw import DTW as DTW
    from .metrics.embedding import Embedding as Embedding
    from .metrics.embedding import Spectrum as Spectrum
    from .metrics.gower import Gower as Gower
    from .metrics.kernels import Kernel as Kernel
    from .metrics.learned import Learned as Learned
    from .metrics.mahalanobis import Mahalanobis as Mahalanobis
    from .metrics.matrices import kernel_distances as kernel_distances
    from .metrics.matrices import precomputed as precomputed
    from .metrics.matrices import psd as psd
    from .metrics.measuring import dissimilarity as dissimilarity
    from .metrics.minkowski import Chebyshev as Chebyshev
    from .metrics.minkowski import Euclidean as Euclidean
    from .metrics.minkowski import Manhattan as Manhattan
    from .metrics.minkowski import Minkowski as Minkowski
    from .metrics.mixed import Mixed as Mixed
    from .metrics.pairwise import Canberra as Canberra
    from .metrics.pairwise import Correlation as Correlation
    from .metrics.pairwise import Cosine as Cosine
    from .metrics.pairwise import Hamming as Hamming
    from .metrics.pairwise import Jaccard as Jaccard
    from .metrics.pairwise import ZeroOne as ZeroOne
    from .metrics.stored import read_dissimilarity as read_dissimilarity
    from .metrics.strings import Levenshtein as Levenshtein
    from .metrics.strings import Mismatch as Mismatch
    from .metrics.tangent import Tangent as Tangent
    from .metrics.tangent import images as images
    from .metrics.wrappers import Ranks as Ranks
    from .metrics.wrappers import Wrapper as Wrapper
    from .models.base import Grid as Grid
    from .models.base import Model as Model
    from .models.base import axis as axis
    from .models.base import check_number as check_number
    from .models.base import heaviest_class as heaviest_class
    from .models.base import own_candidates as own_candidates
    from .models.capabilities import Capabilities as Capabilities
    from .models.centroids import Centroids as Centroids
    from .models.condensed import Condensed as Condensed
    from .models.dann import DANN as DANN
    from .models.hyperplane import Hyperplane as Hyperplane
    from .models.kmeans import KMeans as KMeans
    from .models.kmedoids import KMedoids as KMedoids
    from .models.knn import KNN as KNN
    from .models.lvq import LVQ as LVQ
    from .models.mixture import Mixture as Mixture
    from .models.mmd import MMDCritic as MMDCritic
    from .models.multiedit import Multiedit as Multiedit
    from .models.pvm import PVM as PVM
    from .models.pvm import quantiles as quantiles
    from .models.registry import register as register
    from .models.scm import SCM as SCM
    from .saving import Saved as Saved
    from .saving import load as load
    from .settings import options as options
    from .verifier import Verification as Verification
    from .verifier import verify as verify
    from .vignettes import Vignettes as Vignettes
    from .vignettes import vignette as vignette
    from .widgets import explore as explore
    from .widgets.app import App as App
    from .widgets.app import app as app
    from .widgets.link import Link as Link
    from .widgets.link import link as link


if not TYPE_CHECKING:  # every public name is declared

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return _import(f".{name}", __name__)
        if name not in _HOME:
            from .former import current_name

            if (current := current_name(name)) != name:
                return getattr(_import(__name__), current)
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
