"""A sampler of imbalanced-learn, which need not be installed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import InputTags, Tags, _safe_indexing
from sklearn.utils.multiclass import type_of_target

from ..ground.errors import DataError, OptionError
from ..models.registry import model
from .base import PrototypeEstimator


@dataclass
class SamplerInputTags(InputTags):  # type: ignore[misc]
    """Valid types of X, with the additions of imbalanced-learn."""

    dataframe: bool = True


@dataclass
class SamplerTags:
    """Tags of samplers in imbalanced-learn."""

    sample_indices: bool = True


@dataclass
class TagsOfSampler(Tags):  # type: ignore[misc]
    """The tags of a sampler."""

    sampler_tags: SamplerTags = field(default_factory=SamplerTags)


class PrototypeSelector(OneToOneFeatureMixin, PrototypeEstimator):  # type: ignore[misc]
    """Select the rows that are prototypes, as a smaller training set.

    This is a sampler with the interface of imbalanced-learn, for its `Pipeline` or for direct use; imbalanced-learn need not be
    installed.

    Parameters
    ----------
    method : str or model object
        Method whose prototypes are rows, such as "pvm", "kmedoids", "condensed" or "multiedit".
    dissimilarity, cv, choose, max_prototypes, tolerance, measure, repeats, class_weights, na, seed
        Arguments of `PrototypeClassifier`.
    candidates : "auto" or as in `protoclass.fit`
        Candidates for prototypes. "auto" is "same_class" if the method has this option, so each row is selected for its own class.
    **parameters
        Parameters of the method.

    Attributes
    ----------
    sample_indices_ : int array (q,)
        Positions of the selected rows, ascending.
    sampling_strategy_ : dict
        Number of selected rows of each class.
    fit_, classes_, n_features_in_, feature_names_in_, prototype_indices_
        Attributes of `PrototypeClassifier`.

    Examples
    --------
    >>> from protoclass.sklearn import PrototypeSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = PrototypeSelector("pvm", eps=1.0)
    >>> fewer, classes = selector.fit_resample(X, y)
    >>> fewer.shape, selector.sampling_strategy_
    ((15, 4), {0: 4, 1: 5, 2: 6})
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Select the rows.

        Parameters
        ----------
        X : DataFrame or array-like (n, p)
            Training rows.
        y : array-like (n,), or (n, L) with a column of 0 and 1 for each class
            Classes.

        Returns
        -------
        self
            The fitted selector.

        Raises
        ------
        OptionError
            If the prototypes of the method are not rows.
        DataError
            If no row is selected, or if the data are not valid for `PrototypeClassifier`.
        """
        codes = one_of_columns(y)
        self._learn(X, codes, None, None, "weights")
        rows = self.prototype_indices_
        if (rows < 0).any():
            raise OptionError(
                f"method {self.fit_.model.name!r} makes prototypes that are not rows: use a method that selects rows, such as 'pvm'"
            )
        if len(rows) == 0:
            raise DataError(f"no row was selected by {self.fit_.call}: use other parameters (the summary of fit_ shows the reason)")
        self.sample_indices_ = np.unique(rows)
        chosen = self.fit_.frame.codes[self.fit_.frame.index.get_indexer(self.sample_indices_)]
        self.sampling_strategy_ = dict(Counter(self.classes_[np.sort(chosen)].tolist()))
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Select the rows and return them.

        Parameters
        ----------
        X, y
            Training rows and classes, as in `fit`.

        Returns
        -------
        X, y
            The selected rows of each, in the order of the data and with the given type.
        """
        self.fit(X, y)
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        known = {f.name: getattr(tags, f.name) for f in fields(Tags)}
        of_input = {f.name: getattr(tags.input_tags, f.name) for f in fields(InputTags)}
        return TagsOfSampler(**{**known, "estimator_type": "sampler", "input_tags": SamplerInputTags(**of_input)})

    def _candidates(self) -> Any:
        can = model(self.method, self._of_method).can
        own = isinstance(self.candidates, str) and self.candidates == "auto" and "unlabelled" in can.candidates
        return "same_class" if own else self.candidates


def one_of_columns(y: Any) -> Any:
    """The number of the column that is 1, if y has a column for each class; otherwise y unchanged."""
    if y is None or type_of_target(y, input_name="y") not in ("multilabel-indicator", "multiclass-multioutput"):
        return y
    values = np.asarray(y)
    if not (np.isin(values, (0, 1)).all() and (values.sum(axis=1) == 1).all()):
        raise DataError("Multilabel and multioutput targets are not supported: y has one class for each row")
    return values.argmax(axis=1)
