"""Estimators of scikit-learn: `PrototypeClassifier`, and `PrototypeSelector`, which also is a
sampler of imbalanced-learn.

>>> from protoclass.sklearn import PrototypeClassifier
>>> from sklearn.datasets import load_iris
>>> from sklearn.model_selection import cross_val_score
>>> X, y = load_iris(return_X_y=True)
>>> print(round(cross_val_score(PrototypeClassifier("pvm", eps=1.0), X, y).mean(), 2))
0.93
"""

from .classifier import PrototypeClassifier, PrototypeSelector

__all__ = ["PrototypeClassifier", "PrototypeSelector"]
