"""A scikit-learn pipeline with grid search and calibration: python benchmarks/analyses/pipeline.py [rows]"""

import sys

from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import protoclass as pc
from protoclass.sklearn import PrototypeClassifier

data = pc.load_data("breast_cancer").sample(int((sys.argv[1:] or [569])[0]), random_state=0)
X, X_new, y, y_new = train_test_split(data.drop(columns="diagnosis"), data["diagnosis"].astype(str), random_state=0)
pipe = make_pipeline(StandardScaler(), PrototypeClassifier("knn", dissimilarity=pc.Euclidean(scale=False)))
search = GridSearchCV(pipe, {"prototypeclassifier__k": [1, 5, 9]}, cv=5).fit(X, y)
calibrated = CalibratedClassifierCV(search.best_estimator_, cv=5).fit(X, y)
print(search.best_params_, f"accuracy {search.score(X_new, y_new):.3f}", f"log loss {log_loss(y_new, calibrated.predict_proba(X_new)):.3f}")
