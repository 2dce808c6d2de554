"""Names that users of R and scikit-learn type, of arguments, values, verbs and functions, with
their counterparts in this package."""

from __future__ import annotations

from collections.abc import Mapping

# name elsewhere, or a former one: names in this package, of which the first one that a function has
# is meant
SAME_AS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(["newdata", "newx", "data", "row", "rows"], ("new", "data")),
    **dict.fromkeys(["metric", "distance", "dist"], ("dissimilarity", "metric")),
    **dict.fromkeys(["nfolds", "n_splits", "foldid"], ("cv",)),
    **dict.fromkeys(["n_clusters", "centers"], ("K", "k")),
    **dict.fromkeys(["components", "n_components"], ("dims",)),
    **dict.fromkeys(["B", "R", "draws", "repeats"], ("resamples",)),
    "K": ("k",),
    "alpha": ("level", "delta"),
    "class_weight": ("class_weights",),
    "cost": ("C", "loss"),
    "count": ("n",),
    "cutoff": ("threshold",),
    "epsilon": ("eps", "softening", "damping"),
    "group": ("groups", "clusters", "by"),
    "groups": ("clusters",),
    "how": ("method",),
    "k": ("K",),
    "lambda": ("lambda_",),
    "n_neighbors": ("k", "K"),
    "n_prototypes": ("K", "k", "max_prototypes"),
    "n_repeats": ("resamples", "repeats"),
    "na_action": ("na",),
    "positive": ("of",),
    "radius": ("eps",),
    "random_state": ("seed",),
    "sample_weight": ("weights",),
    "scoring": ("measure",),
    "stop": ("max_size",),
    "type": ("kind", "sample"),
    "verbose": ("progress",),
    "weights": ("column_weights",),
}

_GRID = (
    "use a sequence for a parameter to tune it, such as k=[1, 5, 15], with cv=, repeats= and "
    "choose="
)
_SCALE = (
    "use dissimilarity=pc.Euclidean(scale=False) for unscaled columns, or scale='fold' to "
    "scale them within each fold"
)
_PROBABILITIES = (
    "use fit.calibrate().predict(new, 'prob'), or calibrate=True in pc.fit or in "
    "pc.sklearn.PrototypeClassifier"
)

# name elsewhere: cure if a function has no such argument
ELSEWHERE: Mapping[str, str] = {
    **dict.fromkeys(["trControl", "tuneGrid", "tuneLength", "param_grid"], _GRID),
    **dict.fromkeys(["scale", "standardize", "preProcess"], _SCALE),
    **dict.fromkeys(
        ["x", "y", "X", "cl"],
        "use a formula and a data frame, fit('y ~ .', data), or pc.sklearn.PrototypeClassifier",
    ),
    **dict.fromkeys(
        ["threshold", "cutoff"],
        "use fit.calibrate().threshold('a', sensitivity=0.9) to choose a threshold on the "
        "probability of class 'a', and predict(new, threshold=)",
    ),
    **dict.fromkeys(
        ["cex", "col", "color", "figsize", "main", "pch", "title", "xlab", "xlim", "ylab", "ylim"],
        "colours, limits and titles are changed on the Axes that it returns, as in "
        "ax.set(title='...'); pc.options.colours = [...] sets the colours of the classes",
    ),
    "class_weight": "use class_weights='balanced' in fit or compare",
    "groups": "use groups= in pc.fit, or fit(X, y, groups=...) of an estimator",
    "kernel": "use dissimilarity=pc.Kernel('rbf'), see help(pc.Kernel)",
    **dict.fromkeys(
        ["cost", "costs", "loss"],
        "use measure= in fit and cross_validate, and loss= in predict, test and threshold of a "
        "fit, a DataFrame of costs of errors with true classes as rows and predicted ones as columns",
    ),
    "n_jobs": "leave it out, because all processors are used",
    "newdata": "use fit.predict(new) for new rows",
    "p": "use dissimilarity=pc.Minkowski(r=3)",
    "positive": "order the levels in the data frame, pd.Categorical(data['y'], levels)",
    "prior": (
        "use the prevalence of the new rows in "
        "fit.calibrate().predict(new, prior={'a': 0.1, 'b': 0.9})"
    ),
    "probability": _PROBABILITIES,
    "subset": "choose the rows in the data frame, data.query('x > 1')",
    "test": "use fit.test(new) for new rows",
    "test_size": (
        "use train, test = pc.split(data, 'y', test_size=0.3), or pc.compare(..., test_size=0.3)"
    ),
    "type": "use kind= when predicting, fit.predict(new, kind='distance')",
    "weights": (
        "use weights= in pc.fit, or fit(X, y, sample_weight=...) of an estimator; neighbours vote "
        "equally"
    ),
}

# argument, or its kind if functions differ: value elsewhere, in lower case: cure
VALUES: Mapping[str, Mapping[str, str]] = {
    "method": {
        "kknn": "use method='knn' for k nearest neighbours",
        "pam": "use method='kmedoids' for medoids of each class",
        "gmm": "use method='mixture' for a Gaussian mixture in each class",
        **dict.fromkeys(["svm", "svc"], "use method='hyperplane', a support vector machine"),
        **dict.fromkeys(
            ["rf", "glm", "lda", "qda"],
            "use a method with prototypes, such as 'knn'; compare() also has 'logistic', 'lda' and "
            "'forest'",
        ),
    },
    "dissimilarity": {
        "binary": "use 'jaccard'",
        "cityblock": "use 'manhattan'",
        "daisy": "use 'gower', as daisy does for mixed columns",
        "l2": "use 'euclidean'",
        "learned": "use dissimilarity='nca' to learn weights of the columns from the classes",
        "matching": "use 'hamming'",
        "maximum": "use 'chebyshev'",
        "precomputed": "use the matrix itself, dissimilarity=D",
        "sqeuclidean": "use 'euclidean', which has the same nearest rows",
    },
    "measure": {
        "accuracy": "use measure='error' (1 - accuracy)",
        "balanced_accuracy": "use measure='balanced' (1 - balanced accuracy)",
        **dict.fromkeys(["roc", "roc_auc"], "use measure='auc' to tune or compare"),
        **dict.fromkeys(
            ["auc", "brier", "log_loss"],
            "use measure='balanced' or a loss, because {0!r} does not depend on a threshold",
        ),
        "f1": "use measure='balanced', and fit.test(new).tidy() for F1 on new rows",
    },
    "choose": {
        **dict.fromkeys(["lambda.1se", "one_se", "1se-paired"], "use choose='1se'"),
        **dict.fromkeys(["lambda.min", "best"], "use choose='min'"),
        "tolerance": "use tolerance= alone, such as tolerance=0.02",
    },
    "cv": {"repeatedcv": "use cv=10, repeats=5 for ten folds drawn five times"},
    "na": {
        "na.omit": "use na='drop'",
        "na.pass": "use na='keep' with Gower",
        "impute": "use data.fillna(...) to impute them",
    },
    "calibration": {"sigmoid": "use method='multinomial'"},
    "weights": {
        "balanced": "use class_weights='balanced' to weight classes equally",
    },
    "prediction": {
        "raw": "use kind='class'",
        "response": "use kind='class', or kind='prob' for probabilities",
        "probs": "use kind='prob'",
    },
    "picture": {
        **dict.fromkeys(
            ["roc", "pr", "calibration"],
            "use fit.calibrate().test(new).plot({0!r}) for new rows",
        ),
        "confusion_matrix": "use kind='confusion'",
    },
}

# attribute of a fit elsewhere: cure
VERBS: Mapping[str, str] = {
    **dict.fromkeys(
        ["AIC", "BIC"],
        "use glance() for the cross-validated error, or fit.test(new) for the error on new rows, "
        "because there is no likelihood",
    ),
    **dict.fromkeys(
        ["coef", "coef_"],
        "use prototypes and tidy() for the fitted model, and why() and importance() for "
        "the effect of each variable",
    ),
    **dict.fromkeys(
        ["as_table", "to_latex"],
        "use fit.prototypes.to_latex(), or as_table() of a test for its table in a paper",
    ),
    **dict.fromkeys(["best_estimator_", "finalModel"], "use the fit itself"),
    **dict.fromkeys(["best_params_", "bestTune"], "use fit.params"),
    **dict.fromkeys(["cluster_centers_", "centers", "medoids"], "use fit.prototypes"),
    **dict.fromkeys(["cv_results_", "results"], "use fit.validation.table"),
    **dict.fromkeys(
        ["roc", "auc"],
        "use fit.calibrate().test(new).plot('roc'), and glance() for the area with its interval; "
        "the test also has roc(), pr(), auc() and roc_band()",
    ),
    **dict.fromkeys(["varImp", "feature_importances_"], "use fit.importance()"),
    "anova": "use pc.compare_fits([fit, other], new) to test the difference of two fits on new rows",
    "ball": "use why(prototype=label)",
    "calibration": "use summary(), which states the guarantee",
    "classes_": "use fit.classes",
    "confint": (
        "use fit.test(new) for the error with its interval, and fit.stability() for the "
        "stability of the prototypes"
    ),
    "confusionMatrix": "use fit.test(new).confusion for new rows, or fit.plot('confusion')",
    "decision_function": (
        "use fit.predict(new, 'decision') if the method has decision values, and "
        "fit.predict(new, 'distance') otherwise"
    ),
    **dict.fromkeys(
        ["error", "training_error"],
        "use glance() for the errors of the fit, or fit.test(new) for the error on new rows",
    ),
    "feature_names_in_": "use fit.formula, and fit.call.data for its columns",
    "fit": "use fit.update(data=data)",
    "kneighbors": "use fit.predict(new, 'nearest') for the nearest prototype",
    "methods": "use card().methods",
    "point": "use fit.validation.selected(), the selected row of the table",
    "predict_proba": _PROBABILITIES,
    "residuals": (
        "use augment() for the fitted class of each row, whether it is correct, and its margin"
    ),
    "score": "use fit.test(new)",
    "separation": "use why()",
    "set_params": "use fit.update(...), which fits again",
    "shap": (
        "use fit.why(row) to explain the class of a row, or fit.importance() for the effect of "
        "each variable"
    ),
    "swap": "use at(swap={prototype: row})",
    "transform": "use fit.predict(new, 'distance') for the distances",
}

VERBS_OF_TEST: Mapping[str, str] = {
    **dict.fromkeys(
        ["sensitivity", "specificity", "f1"],
        "use tidy(), which has a row for each class, with intervals",
    ),
    **dict.fromkeys(
        ["accuracy", "kappa", "brier"],
        "use glance() for accuracy, balanced accuracy and kappa and, for probabilities, the area, "
        "Brier score and log loss",
    ),
    "confusion_matrix": "use the attribute confusion",
    "groups": "use clusters",
    "pvalue": "use p_value",
    "test": "use p_value_method",
    "to_latex": (
        "use as_table() for a table in a paper, with as_latex(caption, label), and as_html()"
    ),
}

VERBS_OF_VALIDATION: Mapping[str, str] = {
    **dict.fromkeys(
        ["predict", "prototypes"], "use the attribute fit, the fit at the chosen point"
    ),
    **dict.fromkeys(
        ["cv_results_", "error"],
        "use the attribute table, which has the errors, their standard errors and the sizes",
    ),
    **dict.fromkeys(
        ["best_params_", "best"],
        "use selected('min'), the row of the table with the lowest error",
    ),
    "chosen": "use selected(), a row of the table",
    "corrected_interval": "use corrected(), which has value, low and high",
    "fold_sizes": "use table['size'], the mean over the folds",
    "one_se": "use selected('1se'), a row of the table",
}

VERBS_OF_COMPARISON: Mapping[str, str] = {"chances": "use probabilities"}

VERBS_OF_MODEL: Mapping[str, str] = dict.fromkeys(
    ["fit", "predict", "score"],
    "use a model object in fit, fit = pc.fit('y ~ .', data, pc.KNN(k=3)), and then the fit; for X "
    "and y use pc.sklearn.PrototypeClassifier('knn', k=3)",
)

_METHOD = "use the name of the method, pc.fit('y ~ .', data, {0!r})"
_LEARN = "use pc.fit('y ~ .', data, 'knn'), which fits, tunes and stores the cross-validation"

# former public name of this package: the name now
RENAMED: Mapping[str, str] = {
    "ClusterError": "errors.DaskError",
    "DANN": "Adaptive",
    "Learned": "NCA",
    "NoVectors": "errors.NoCoordinatesError",
    "NotAvailable": "errors.NotAvailableError",
    "Test": "results.TestResult",
    "TooLarge": "errors.TooLargeError",
    "kernel_distances": "Dissimilarity.from_kernel",
}

# function or class that this package does not have: cure
FUNCTIONS_ELSEWHERE: Mapping[str, str] = {
    **VERBS,
    **{former: f"use pc.{name}" for former, name in RENAMED.items()},
    **dict.fromkeys(
        ["createDataPartition", "train_test_split"],
        "use train, test = pc.split(data, 'y', test_size=0.3)",
    ),
    **dict.fromkeys(
        ["daisy", "dist"],
        "use pc.dissimilarity('~ .', data) with metric= a name, such as 'gower', as daisy does for "
        "mixed columns",
    ),
    **dict.fromkeys(["knn", "KNeighborsClassifier"], _METHOD.format("knn")),
    "GridSearchCV": (
        f"use pc.sklearn.PrototypeClassifier('knn') as a step of scikit-learn's pipelines, or {_LEARN}"
    ),
    "PrototypeClassifier": (
        "use pc.sklearn.PrototypeClassifier('pvm', eps=1.0) for X and y, or "
        "pc.fit('y ~ .', data, eps=1.0)"
    ),
    "StandardScaler": _SCALE,
    "accuracy_score": (
        "use fit.test(new) for all of this with intervals; scikit-learn's functions accept "
        "fit.predict(new) and the data"
    ),
    "cross_val_score": (
        "use pc.compare('y ~ .', data, ['knn', 'pvm'], cv=10) for several methods, or "
        "pc.cross_validate for one"
    ),
    "pvm": (
        "use pc.fit('y ~ .', data, eps=1.0), or 'y ~ 1' with dissimilarity=D for a distance matrix D"
    ),
    "read_csv": "use pd.read_csv(path)",
    "svm": _METHOD.format("hyperplane"),
    "train": _LEARN,
    "trainControl": _GRID,
}
