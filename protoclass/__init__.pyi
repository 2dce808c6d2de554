"""The public names, each from the module that defines it: for type checkers, and for `__init__.py`,
which loads them when they are read."""

from . import candidates as candidates
from . import errors as errors
from . import extend as extend
from . import results as results
from . import sklearn as sklearn
from . import testing as testing
from .analysis.compare import compare as compare
from .analysis.compare import compare_fits as compare_fits
from .analysis.compare import split as split
from .export.saving import load as load
from .fitting import Fit as Fit
from .fitting import Validation as Validation
from .fitting import cross_validate as cross_validate
from .fitting import fit as fit
from .frames.datasets import fetch_data as fetch_data
from .frames.datasets import load_data as load_data
from .ground.errors import DataWarning as DataWarning
from .ground.errors import ProtoclassError as ProtoclassError
from .ground.options import options as options
from .metrics.base import Metric as Metric
from .metrics.dissimilarity import Dissimilarity as Dissimilarity
from .metrics.elastic import DTW as DTW
from .metrics.elastic import Tangent as Tangent
from .metrics.learned import LDA as LDA
from .metrics.learned import NCA as NCA
from .metrics.learned import QDA as QDA
from .metrics.learned import Adaptive as Adaptive
from .metrics.measuring import dissimilarity as dissimilarity
from .metrics.measuring import read_dissimilarity as read_dissimilarity
from .metrics.minkowski import Chebyshev as Chebyshev
from .metrics.minkowski import Euclidean as Euclidean
from .metrics.minkowski import Mahalanobis as Mahalanobis
from .metrics.minkowski import Manhattan as Manhattan
from .metrics.minkowski import Minkowski as Minkowski
from .metrics.pairwise import Kernel as Kernel
from .metrics.relevance import Relevance as Relevance
from .metrics.strings import Levenshtein as Levenshtein
from .metrics.strings import Mismatch as Mismatch
from .metrics.tabular import Forest as Forest
from .metrics.tabular import Gower as Gower
from .metrics.wrappers import Mixed as Mixed
from .metrics.wrappers import Ranks as Ranks
from .models.base import Model as Model
from .models.centroids import Centroids as Centroids
from .models.centroids import KMeans as KMeans
from .models.hyperplane import Hyperplane as Hyperplane
from .models.kmedoids import KMedoids as KMedoids
from .models.lvq import LVQ as LVQ
from .models.median_glvq import MedianGLVQ as MedianGLVQ
from .models.mixture import Mixture as Mixture
from .models.mmd import MMDCritic as MMDCritic
from .models.neighbours import KNN as KNN
from .models.neighbours import Condensed as Condensed
from .models.neighbours import Multiedit as Multiedit
from .models.pvm import PVM as PVM
from .models.registry import register as register
from .models.scm import SCM as SCM
from .vignettes import vignette as vignette
from .widgets.base import link as link

__version__: str
__all__: list[str]
