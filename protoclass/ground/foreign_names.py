"""Names that users of R and scikit-learn type, of arguments, values, verbs and functions, with
their counterparts in this package."""

from __future__ import annotations

from collections.abc import Mapping

# name elsewhere: names in this package, of which the first one that a function has is meant
SAME_AS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(["newdata", "newx", "data", "row", "rows", "source"], ("new", "data")),
    "type": ("kind", "sample"), "random_state": ("seed",),
    **dict.fromkeys(["metric", "distance", "dist"], ("dissimilarity", "metric")),
    **dict.fromkeys(["nfolds", "n_splits", "foldid"], ("cv",)), "n_neighbors": ("k", "K"),
    "k": ("K",), "K": ("k",), **dict.fromkeys(["n_clusters", "centers"], ("K", "k")),
    "n_prototypes": ("K", "k", "max_prototypes"), "sample_weight": ("weights",),
    "class_weight": ("class_weights",), "weights": ("column_weights",),
    **dict.fromkeys(["components", "n_components"], ("dims",)), "how": ("method",),
    "scoring": ("measure",), "verbose": ("progress",), "na_action": ("na",),
    "epsilon": ("eps", "softening", "damping"), "radius": ("eps",), "lambda": ("lambda_",),
    "cost": ("C", "loss", "lambda_"), "n_repeats": ("resamples", "repeats"),
    "seconds": ("time_limit",), **dict.fromkeys(["B", "draws", "repeats"], ("resamples",)),
    **dict.fromkeys(["row", "data"], ("new",)), "group": ("groups", "clusters", "by"),
    "groups": ("clusters",), "alpha": ("level", "delta"), "R": ("resamples",),
    "cutoff": ("threshold",), "positive": ("of",), "stop": ("max_size",), "count": ("n",),
}  # fmt: skip

_GRID = "use a sequence for a parameter to tune it, such as k=[1, 5, 15], with cv=, repeats= and choose="
_SCALE = (
    "use dissimilarity=pc.Euclidean(scale=False) for unscaled columns, or scale='fold' to "
    "scale them within each fold"
)
_FRAME = "use a formula and a data frame, fit('y ~ .', data), or pc.sklearn.PrototypeClassifier with X and y"
_CUT = (
    "use fit.calibrate().threshold('a', sensitivity=0.9) to choose a threshold on the probability of class 'a', and "
    "predict(new, threshold=)"
)
_WEIGH = "use class_weights='balanced' in fit or compare"
_PROBABILITIES = (
    "use fit.calibrate().predict(new, 'prob'), or calibrate=True in pc.fit or in "
    "pc.sklearn.PrototypeClassifier"
)

# name elsewhere: cure if a function has no such argument
ELSEWHERE: Mapping[str, str] = {
    "weights": "use weights= in pc.fit, or fit(X, y, sample_weight=...) of an estimator; neighbours vote equally",
    "groups": "use groups= in pc.fit, or fit(X, y, groups=...) of an estimator",
    "subset": "choose the rows in the data frame, data.query('x > 1')", "threshold": _CUT,
    "cutoff": _CUT, "newdata": "use fit.predict(new) for new rows",
    "test": "use fit.test(new) for new rows",
    "type": "use kind= when predicting, fit.predict(new, kind='distance')",
    "probability": _PROBABILITIES,
    "prior": "use the prevalence of the new rows in fit.calibrate().predict(new, prior={'a': 0.1, 'b': 0.9})",
    "class_weight": _WEIGH,
    "loss": "use measure= in fit and cross_validate, and loss= in predict, test and threshold of a "
            "fit, a DataFrame with true classes as " "rows and predicted ones as columns",
    "scale": _SCALE, "standardize": _SCALE, "preProcess": _SCALE,
    "p": "use dissimilarity=pc.Minkowski(r=3)",
    "kernel": "use dissimilarity=pc.Kernel('rbf'), see help(pc.Kernel)", "x": _FRAME, "y": _FRAME,
    "X": _FRAME, "cl": _FRAME, "trControl": _GRID, "tuneGrid": _GRID, "tuneLength": _GRID,
    "param_grid": _GRID, "n_jobs": "leave it out, because all processors are used",
    "test_size": "use train, test = pc.split(data, 'y', test_size=0.3), or pc.compare(..., test_size=0.3)",
    "positive": "order the levels in the data frame, pd.Categorical(data['y'], levels)",
}  # fmt: skip

# argument, or its kind if functions differ: value elsewhere, in lower case: cure
VALUES: Mapping[str, Mapping[str, str]] = {
    "method": {"kknn": "use method='knn' for k nearest neighbours", **dict.fromkeys(["svm", "svc"], "use method='hyperplane', a support vector machine"), "pam": "use method='kmedoids' for medoids of each class", "gmm": "use method='mixture' for a Gaussian mixture in each class", **dict.fromkeys(["rf", "glm", "lda", "qda"], "use a method with prototypes, such as 'knn'; compare() also has 'logistic', 'lda' and 'forest'",),},
    "dissimilarity": {"cityblock": "use 'manhattan'", "l2": "use 'euclidean'", "maximum": "use 'chebyshev'", "binary": "use 'jaccard'", "matching": "use 'hamming'", "daisy": "use 'gower', as daisy does for mixed columns", "precomputed": "use the matrix itself, dissimilarity=D", "sqeuclidean": "use 'euclidean', which has the same nearest rows", "learned": "use dissimilarity='nca' to learn weights of the columns from the classes",},
    "measure": {"accuracy": "use measure='error' (1 - accuracy)", "balanced_accuracy": "use measure='balanced' (1 - balanced accuracy)", **dict.fromkeys(["roc", "auc", "roc_auc", "f1", "brier", "log_loss"], "tune by an error or a loss, and use fit.calibrate().test(new).glance() for this measure on new rows",),},
    "choose": {**dict.fromkeys(["lambda.1se", "one_se", "1se-paired"], "use choose='1se'"), **dict.fromkeys(["lambda.min", "best"], "use choose='min'"), "tolerance": "use tolerance= alone, such as tolerance=0.02",},
    "cv": {"repeatedcv": "use cv=10, repeats=5 for ten folds drawn five times",},
    "na": {"na.omit": "use na='drop'", "na.pass": "use na='keep' with Gower", "impute": "use data.fillna(...) to impute them",},
    "how": {"sigmoid": "use how='multinomial'"},
    "weights": {"balanced": "use class_weights='balanced' to weight classes equally", "distance": "leave it out, because weights are per row of the data and all k neighbours count equally",},
    "prediction": {"raw": "use kind='class'", "response": "use kind='class', or kind='prob' for "
                                                          "probabilities", "probs": "use kind='prob'",},
    "picture": {**dict.fromkeys(["roc", "pr", "calibration"], "use "
                                                              "fit.calibrate().test(new).plot({0!r}) for new rows"), "cv": "use kind='validation'", "confusion_matrix": "use kind='confusion'",},
}  # fmt: skip

_NO_LIKELIHOOD = (
    "use glance() for the cross-validated error, or fit.test(new) for the error on "
    "new rows, because there is no likelihood"
)
_NO_COEFFICIENTS = (
    "use prototypes and tidy() for the fitted model, and separation() and "
    "importance() for the effect of each variable"
)
_RESIDUALS = "use augment() for the fitted class of each row, whether it is correct, and its margin"
_FITTED = (
    "use fit.predict() for the classes of the training rows, or augment() to add them to the data"
)
_IMPORTANCE = "use fit.importance()"
_CONFUSION = "use fit.test(new).confusion for new rows, or fit.plot('confusion')"
_EXPLAIN = "use fit.why(row) to explain the class of a row, or fit.importance() for the effect of each variable"
_ROC = (
    "use fit.calibrate().test(new).plot('roc'), and glance() for the area with its interval; the "
    "test also has roc(), pr(), "
    "auc() and roc_band()"
)
_PAPER = {
    "to_latex": "use as_table() for a table in a paper, with as_latex(caption, label), and as_html()"
}
# attribute of a fit elsewhere: cure
VERBS: Mapping[str, str] = {
    **_PAPER,
    "anova": "use pc.compare_fits([fit, other], new) to test the difference of two fits on new rows",
    **dict.fromkeys(["coef", "coef_"], _NO_COEFFICIENTS), "residuals": _RESIDUALS,
    "fitted": _FITTED,
    "confint": "use fit.test(new) for the error with its interval, and fit.stability() for the "
               "stability of the prototypes",
    **dict.fromkeys(["logLik", "AIC", "BIC"], _NO_LIKELIHOOD),
    **dict.fromkeys(["varImp", "feature_importances_"], _IMPORTANCE), "confusionMatrix": _CONFUSION,
    **dict.fromkeys(["roc", "auc"], _ROC), "shap": _EXPLAIN, "data": "use fit.call.data",
    "feature_names_in_": "use fit.formula, and fit.call.data for its columns",
    "predict_proba": _PROBABILITIES,
    "decision_function": "use fit.predict(new, 'decision') if the method has decision values, and "
                         "fit.predict(new, 'distance') otherwise",
    "score": "use fit.test(new)",
    "error": "use glance() for the errors of the fit, or fit.test(new) for the error on new rows",
    "kneighbors": "use fit.predict(new, 'nearest') for the nearest prototype",
    "transform": "use fit.predict(new, 'distance') for the distances",
    "classes_": "use fit.classes",
    **dict.fromkeys(["best_params_", "bestTune", "parameters"], "use fit.params"),
    "point": "use fit.validation.selected(), the selected row of the table",
    **dict.fromkeys(["best_estimator_", "finalModel"], "use the fit itself"),
    "set_params": "use fit.update(...), which fits again", "fit": "use fit.update(data=data)",
    **dict.fromkeys(["cv_results_", "results"], "use fit.validation.table"),
    **dict.fromkeys(["cluster_centers_", "centers", "medoids"], "use fit.prototypes"),
}  # fmt: skip

VERBS_OF_TEST: Mapping[str, str] = {
    **_PAPER,
    **dict.fromkeys(["sensitivity", "specificity", "f1"], "use tidy(), which has a row for each class, with intervals"),
    **dict.fromkeys(["accuracy", "kappa", "brier"], "use glance() for accuracy, balanced accuracy "
                                                    "and kappa and, for probabilities, the area, "
                                                    "Brier score and log loss",),
    "confusion_matrix": "use the attribute confusion", "pvalue": "use p_value",
    "test": "use p_value_method", "groups": "use clusters",
}  # fmt: skip

VERBS_OF_VALIDATION: Mapping[str, str] = {
    **dict.fromkeys(["predict", "prototypes"], "use the attribute fit, the fit at the chosen point"),
    **dict.fromkeys(["cv_results_", "error"], "use the attribute table, which has the errors, their standard errors and the sizes"),
    **dict.fromkeys(["best_params_", "best"], "use selected('min'), the row of the table with the lowest error"),
    "one_se": "use selected('1se'), a row of the table",
    "chosen": "use selected(), a row of the table",
    "corrected_interval": "use corrected(), which has value, low and high",
    "fold_sizes": "use table['size'], the mean over the folds",
}  # fmt: skip

VERBS_OF_COMPARISON: Mapping[str, str] = {
    "chances": "use probabilities",
}

VERBS_OF_MODEL: Mapping[str, str] = dict.fromkeys(
    ["fit", "predict", "score"],
    "use a model object in fit, fit = pc.fit('y ~ .', data, pc.KNN(k=3)), and then the fit; for X and y use "
    "pc.sklearn.PrototypeClassifier('knn', k=3)",
)

_METHOD = "use the name of the method, pc.fit('y ~ .', data, {0!r})"
_LEARN = "use pc.fit('y ~ .', data, 'knn'), which fits, tunes and stores the cross-validation"
_MATRIX = "use pc.dissimilarity('~ .', data) with metric= a name, such as 'gower', as daisy does for mixed columns"
_SPLIT = "use train, test = pc.split(data, 'y', test_size=0.3)"

# function of another package: cure
FUNCTIONS_ELSEWHERE: Mapping[str, str] = {
    "train": _LEARN, "trainControl": _GRID,
    "GridSearchCV": f"use pc.sklearn.PrototypeClassifier('knn') as a step of scikit-learn's pipelines, or {_LEARN}",
    **dict.fromkeys(["knn", "KNeighborsClassifier"], _METHOD.format("knn")),
    "svm": _METHOD.format("hyperplane"), **dict.fromkeys(["daisy", "dist"], _MATRIX),
    **dict.fromkeys(["createDataPartition", "train_test_split"], _SPLIT), "StandardScaler": _SCALE,
    "cross_val_score": "use pc.compare('y ~ .', data, ['knn', 'pvm'], cv=10) for several methods, or pc.cross_validate for one",
    "accuracy_score": "use fit.test(new) for all of this with intervals; scikit-learn's functions accept fit.predict(new) and the data",
    "pvm": "use pc.fit('y ~ .', data, eps=1.0), or 'y ~ 1' with dissimilarity=D for a distance matrix D",
    "PrototypeClassifier": "use pc.sklearn.PrototypeClassifier('pvm', eps=1.0) for X and y, or pc.fit('y ~ .', data, eps=1.0)",
    "read_csv": "use pd.read_csv(path)",
}  # fmt: skip

# former public name of this package: cure
RENAMED: Mapping[str, str] = {
    "Test": "use pc.results.TestResult",
    **{name: f"use pc.results.{name}" for name in ("Alternatives", "Card", "Check", "Comparison", "Criticisms", "Embedding", "Methods", "PermutationTest", "Reproduction", "Saved", "Spectrum", "Stability", "TestByGroup", "TestResult", "Threshold",)},
    **{name: f"use pc.errors.{name}" for name in ("DataError", "FileError", "FormulaError", "OptionError")},
    "NotAvailable": "use pc.errors.NotAvailableError",
    "NoVectors": "use pc.errors.NoCoordinatesError", "TooLarge": "use pc.errors.TooLargeError",
    "ClusterError": "use pc.errors.DaskError",
    "Custom": "use the function itself as dissimilarity=, or pc.extend.Custom(function)",
    **{name: f"use pc.candidates.{name}" for name in ("kmeans", "hull", "unlabelled")},
    "quantiles": "use pc.extend.quantiles",
    "DANN": "use method='knn' with dissimilarity=pc.Adaptive(), or method='dann'",
    **{name: f"use dissimilarity={name.lower()!r}, or pc.extend.{name} to derive a metric" for name in ("Canberra", "Correlation", "Cosine", "Hamming", "Jaccard",)},
    "ZeroOne": "use dissimilarity='zero_one', or pc.extend.ZeroOne to derive a metric",
    "explore": "use pc.fit('y ~ .', data).explore()", "Learned": "use pc.NCA()",
    **dict.fromkeys(["kernel_distances", "psd", "precomputed"], "use pc.Dissimilarity.from_kernel(K)"),
}  # fmt: skip

FUNCTIONS = (
    "predict", "summary", "as_table", "plot", "update", "tidy", "glance", "augment", "test",
    "importance", "stability", "calibrate", "threshold", "alternatives", "criticisms", "swap",
    "save", "slim",
)  # fmt: skip
