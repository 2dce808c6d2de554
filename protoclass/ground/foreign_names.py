"""Names of arguments, values, verbs and functions in R and scikit-learn, with their counterparts in this package."""

from __future__ import annotations

from collections.abc import Mapping

_SEED, _MEASURED, _FOLDS = ("seed",), ("dissimilarity", "metric"), ("cv",)
_NEIGHBOURS, _CENTRES, _WEIGHTS = ("k", "K"), ("K", "k"), ("weights",)

# name elsewhere: names in this package, of which the first one that a function has is meant
SAME_AS: Mapping[str, tuple[str, ...]] = {
    "newdata": ("new", "data"), "new_data": ("new", "data"), "newx": ("new",), "X_test": ("new",), "test_data": ("new",),
    "type": ("kind", "sample"), "which": ("kind",),
    "random_state": _SEED, "rng": _SEED, "set_seed": _SEED, "iseed": _SEED,
    "metric": _MEASURED, "distance": _MEASURED, "dist": _MEASURED, "distance_metric": _MEASURED, "affinity": _MEASURED, "diss": _MEASURED,
    "nfolds": _FOLDS, "n_folds": _FOLDS, "folds": _FOLDS, "foldid": _FOLDS, "n_splits": _FOLDS, "kfold": _FOLDS, "nfold": _FOLDS,
    "n_neighbors": _NEIGHBOURS, "k_neighbors": _NEIGHBOURS, "n_neighbours": _NEIGHBOURS, "kmax": _NEIGHBOURS, "neighbors": _NEIGHBOURS,
    "n_clusters": _CENTRES, "centers": _CENTRES, "n_components": _CENTRES, "subclasses": _CENTRES, "k": ("K",), "K": ("k",),
    **dict.fromkeys(["n_prototypes", "n_prototypes_per_class", "prototypes_per_class", "n_medoids"], (*_CENTRES, "max_prototypes")),
    "sample_weight": _WEIGHTS, "sample_weights": _WEIGHTS, "case_weights": _WEIGHTS, "wts": _WEIGHTS,
    "class_weight": ("class_weights",), "classwt": ("class_weights",),
    "scoring": ("measure",), "cost_matrix": ("loss", "measure"), "costs": ("loss", "measure"), "parms": ("loss", "measure"),
    "verbose": ("progress",), "trace": ("progress",), "quiet": ("progress",), "verboseIter": ("progress",),
    "na_action": ("na",), "na_rm": ("na",), "use": ("na",),
    "epsilon": ("eps",), "radius": ("eps",), "lambda": ("lambda_",), "lam": ("lambda_",), "s": ("lambda_",),
    "cost": ("C", "loss", "lambda_"),
    "n_repeats": ("repeats",), "times": ("repeats",), "nrep": ("repeats",), "nperm": ("repeats",),
    "group": ("groups", "by"), "id": ("groups",), "cluster": ("groups",), "block": ("groups",),
    "conf_level": ("level", "delta"), "confidence": ("level",), "alpha": ("level", "delta"),
    **dict.fromkeys(["nboot", "n_boot", "n_bootstrap", "R", "boot_n"], ("B", "draws")),
    **dict.fromkeys(["partial", "partial_auc", "max_fpr", "specificities"], ("specificity",)), "min_tpr": ("sensitivity",),
    "dataset": ("data",), "df": ("data",), "x": ("data",), "filename": ("path",), "file": ("path",),
    "n_samples": ("n",), "models": ("methods",), "cutoff": ("threshold",), "positive": ("of",), "event_level": ("of",),
    "number": _FOLDS, "K_folds": _FOLDS, "n_permutations": ("B",), "by_group": ("by",), "type_measure": ("measure",),
}  # fmt: skip

_GRID = "use a sequence for a parameter to tune it, such as k=[1, 5, 15], with cv=, repeats= and choose="
_SCALE = "use dissimilarity=pc.Euclidean(scale=False) for unscaled columns, or scale='fold' to scale them within each fold"
_FRAME = "use a formula and a data frame, fit('y ~ .', data), or pc.sklearn.PrototypeClassifier with X and y"
_THREADS = "leave it out, because all processors are used"
_LINEAR = "leave it out, because there are no coefficients, and use fit.stability() for the stability of the prototypes"
_CUT = (
    "use fit.calibrate().threshold('a', sensitivity=0.9) to choose a threshold on the probability of class 'a', and "
    "predict(new, threshold=)"
)
_WEIGH = "use class_weights='balanced' in fit, or {'method': 'knn', 'class_weights': 'balanced'} in compare"
_ITERATE = "leave it out, because the method runs to convergence, or as long as its own parameters allow"
_SEARCH = "leave it out, because all dissimilarities are computed and there is no search tree"
_PREVALENCE = "use the prevalence of the new rows in fit.calibrate().predict(new, prior={'a': 0.1, 'b': 0.9})"
_PROBABILITIES = "use fit.calibrate().predict(new, 'prob'), or calibrate=True in pc.fit or in pc.sklearn.PrototypeClassifier"
_IMPUTE = "use na='drop' to drop rows with missing values, na='keep' to skip missing values pair by pair (Gower), or data.fillna(...)"
_TREE = "leave it out, because there are no trees; cross-validation chooses the size, and lambda_= is the cost of a prototype"

# name elsewhere: cure if a function has no such argument
ELSEWHERE: Mapping[str, str] = {
    "weights": "use weights= in pc.fit, or fit(X, y, sample_weight=...) of an estimator; neighbours vote equally",
    "groups": "use groups= in pc.fit, or fit(X, y, groups=...) of an estimator",
    "subset": "choose the rows in the data frame, data.query('x > 1')",
    "threshold": _CUT, "cutoff": _CUT,
    "sep": "use pd.read_csv(path, sep=';')", "header": "use pd.read_csv(path, header=None)",
    "delimiter": "use pd.read_csv(path, sep=';')",
    "newdata": "use fit.predict(new) for new rows", "test": "use fit.test(new) for new rows",
    "type": "use kind= when predicting, fit.predict(new, kind='distance')",
    "prob": _PROBABILITIES,
    "probability": _PROBABILITIES,
    "se_fit": _PROBABILITIES,
    "interval": "use fit.calibrate().predict(new, 'set', level=0.9) for sets of classes",
    "prior": _PREVALENCE,
    "class_weight": _WEIGH, "classwt": _WEIGH,
    "loss": "use loss= in fit, cross_validate, and predict, test and threshold of a fit, a DataFrame with true classes as rows "
    "and predicted ones as columns",
    "scale": _SCALE, "standardize": _SCALE, "center": _SCALE, "preProcess": _SCALE, "preprocess": _SCALE, "scaled": _SCALE, "stand": _SCALE,
    "metric_params": "use the parameters of the metric, dissimilarity=pc.Minkowski(r=3)", "p": "use dissimilarity=pc.Minkowski(r=3)",
    "minkowski_p": "use dissimilarity=pc.Minkowski(r=3)", "kernel": "use dissimilarity=pc.Kernel('rbf'), see help(pc.Kernel)",
    "x": _FRAME, "y": _FRAME, "X": _FRAME, "Y": _FRAME, "train": _FRAME, "cl": _FRAME, "grouping": _FRAME, "target": _FRAME,
    "trControl": _GRID, "tuneGrid": _GRID, "tuneLength": _GRID, "control": _GRID, "param_grid": _GRID, "tune": _GRID, "grid": _GRID,
    "family": "leave it out, because the response is a class and has no family",
    "link": "leave it out, because the response is a class and has no link",
    "contrasts": "leave it out, because every level of a factor has a column",
    "intercept": "leave it out, because dissimilarities have no intercept",
    "n_jobs": _THREADS, "nthread": _THREADS, "num_threads": _THREADS, "allowParallel": _THREADS, "parallel": _THREADS, "mc_cores": _THREADS,
    "shuffle": "use seed=, because folds are always drawn at random",
    "stratify": "leave it out, because folds are always stratified by class",
    "strata": "leave it out, because folds are always stratified by class",
    "test_size": "draw the training rows in the data frame, train = data.sample(frac=0.7), test = data.drop(train.index), or call "
    "pc.compare(..., test_size=0.3)",
    "preProc": _SCALE, "standardise": _SCALE, "normalize": _SCALE, "range": _SCALE,
    "max_iter": _ITERATE, "maxit": _ITERATE, "tol": _ITERATE, "thresh": _ITERATE,
    "maximize": "leave it out, because errors and losses are minimised",
    "algorithm": _SEARCH, "leaf_size": _SEARCH, "decision_values": "use fit.predict(new, 'decision')",
    "impute": _IMPUTE, "na_strings": "use pd.read_csv(path, na_values=['NA'])",
    "cp": _TREE, "minsplit": _TREE, "maxdepth": _TREE, "max_depth": _TREE, "ntree": _TREE, "n_estimators": _TREE, "mtry": _TREE,
    "return_train_score": "leave it out, and use fit.glance() for the training error", "return_std": _PROBABILITIES,
    "type_predict": "use data.join(fit.predict(data, 'prob')) to add predictions to the data",
    "prevalence": _PREVALENCE,
    "return_X_y": "use data.drop(columns='y') and data['y'], because the data are one frame",
    "ensemble": "leave it out, because calibration does not refit the model", "mode": "leave it out, and use tidy() for all statistics",
    "s": "use fit.update(lambda_=...) to fit with another value, or fit.at(lambda_=...) for fewer prototypes",
    "conf_level": "leave it out, because intervals have level 95 %", "train_size": "use test_size=, the proportion of the test rows",
    "conf_int": _LINEAR, "exponentiate": _LINEAR, "correlation": _LINEAR,
    "labels": "rename them in the data",
    "positive": "order the levels in the data frame, pd.Categorical(data['y'], levels)",
}  # fmt: skip

# argument, or its kind if functions differ: value elsewhere, in lower case: cure
VALUES: Mapping[str, Mapping[str, str]] = {
    "method": {
        **dict.fromkeys(["kknn", "knn3", "knn1", "ibk", "kneighborsclassifier", "1nn"], "use method='knn' for k nearest neighbours"),
        **dict.fromkeys(["svm", "svc", "svmlinear", "svmradial", "ksvm", "linearsvc"], "use method='hyperplane', a support vector machine"),
        **dict.fromkeys(["mda", "gmm", "mclust"], "use method='mixture' for a Gaussian mixture in each class"),
        **dict.fromkeys(["nearestcentroid", "pamr", "nsc"], "use method='centroids' for nearest shrunken centroids"),
        **dict.fromkeys(["pam", "clara", "clarans", "fastpam", "k-medoids"], "use method='kmedoids' for medoids of each class"),
        **dict.fromkeys(["kmeans++", "k-means", "k-means++", "kcca"], "use method='kmeans', which starts from k-means++"),
        **dict.fromkeys(["lvq1", "olvq1", "glvq", "grlvq", "rslvq"], "use method='lvq' for learning vector quantization"),
        **dict.fromkeys(["lvq2", "lvq2.1", "lvq3"], "use method='lvq' with variant='lvq2.1' or 'lvq3'"),
        **dict.fromkeys(["cnn", "hart"], "use method='condensed' for the condensed nearest neighbour rule"),
        **dict.fromkeys(
            ["rf", "ranger", "rpart", "ctree", "c5.0", "gbm", "xgbtree", "glm", "glmnet", "lda", "qda", "nb", "nnet", "multinom"],
            "use a method with prototypes, such as 'knn', which needs the fewest assumptions",
        ),
    },
    "dissimilarity": {
        **dict.fromkeys(["cityblock", "l1", "taxicab", "city block"], "use 'manhattan'"), "l2": "use 'euclidean'",
        **dict.fromkeys(["maximum", "linf", "supremum"], "use 'chebyshev'"), "binary": "use 'jaccard'",
        "daisy": "use 'gower', as daisy does for mixed columns", "precomputed": "use the matrix itself, dissimilarity=D",
        "sqeuclidean": "use 'euclidean', which has the same nearest rows", "matching": "use 'hamming'",
        "dice": "use 'jaccard', which has the same order",
        **dict.fromkeys(["nca", "lmnn", "mlkr"], "use dissimilarity='learned' to learn column weights from the classes"),
    },
    "measure": {
        **dict.fromkeys(["accuracy", "class", "error_rate", "misclassification"], "use measure='error' (1 - accuracy)"),
        "balanced_accuracy": "use measure='balanced' (1 - balanced accuracy)",
        **dict.fromkeys(["youden", "j"], "use measure='balanced', which is lowest if Youden's index is highest"),
        **dict.fromkeys(
            ["roc", "auc", "roc_auc", "kappa", "f1", "f1_macro", "f", "log_loss", "logloss", "neg_log_loss", "brier", "deviance", "mse"],
            "tune by an error or a loss, and use fit.calibrate().test(new).glance() for this measure on new rows",
        ),
    },
    "choose": {
        **dict.fromkeys(["lambda.1se", "onese", "1-se", "one_se"], "use choose='1se'"),
        **dict.fromkeys(["lambda.min", "best", "least", "minimum"], "use choose='min'"),
    },
    "cv": {
        **dict.fromkeys(["loocv", "leaveoneout", "lgocv"], "use cv='loo' to leave one row out at a time"),
        **dict.fromkeys(["repeatedcv", "cv", "boot"], "use cv=10, repeats=5 for ten folds drawn five times"),
        "prefit": "use rows that were not used for fitting, fit.calibrate(more); the fit does not change",
    },
    "na": {
        **dict.fromkeys(["na.omit", "omit", "na.exclude", "exclude", "remove", "complete"], "use na='drop'"),
        **dict.fromkeys(["na.fail", "fail", "error"], "use na='raise'"),
        **dict.fromkeys(["na.pass", "pass", "pairwise", "ignore"], "use na='keep' with Gower"),
        **dict.fromkeys(["impute", "medianimpute", "knnimpute", "mean", "median", "na.roughfix"], "use data.fillna(...) to impute them"),
    },
    "how": dict.fromkeys(["sigmoid", "platt", "logistic", "softmax"], "use how='multinomial'"),
    "weights": {
        "balanced": "use class_weights='balanced' to weight classes equally",
        "uniform": "leave it out, because rows have equal weights by default",
        "distance": "leave it out, because weights are per row of the data and all k neighbours count equally",
    },
    "prediction": {
        "raw": "use kind='class'", "response": "use kind='class', or kind='prob' for probabilities",
        **dict.fromkeys(["probs", "probability", "posterior", "probabilities", "vote"], "use kind='prob'"),
        **dict.fromkeys(["link", "margin", "decision.values"], "use kind='distance' or kind='decision'"),
        "both": "use kind='class' and kind='prob' in two calls", "interval": "use fit.calibrate().predict(new, 'set') for sets of classes",
    },
    "picture": {
        **dict.fromkeys(["roc", "roc_band", "pr", "calibration", "coverage"], "use fit.calibrate().test(new).plot({0!r}) for new rows"),
        **dict.fromkeys(["roc_curve", "auc"], "use fit.calibrate().test(new).plot('roc')"),
        **dict.fromkeys(["cv", "curve", "plotcp", "cp"], "use kind='validation'"),
        **dict.fromkeys(["varimp", "vip", "variable_importance", "permutation_importance"], "use kind='importance'"),
        **dict.fromkeys(["boundary", "regions", "decision"], "use kind='prototypes', which shows the regions of two numeric predictors"),
        "confusion_matrix": "use kind='confusion'", "table": "use kind='confusion'",
    },
}  # fmt: skip

_NO_LIKELIHOOD = "use glance() for the cross-validated error, or fit.test(new) for the error on new rows, because there is no likelihood"
_NO_COEFFICIENTS = "use prototypes and tidy() for the fitted model, and separation() and importance() for the effect of each variable"
_RESIDUALS = "use augment() for the fitted class of each row, whether it is correct, and its margin"
_FITTED = "use fit.predict() for the classes of the training rows, or augment() to add them to the data"
_SURE = "use fit.test(new) for the error with its interval, and fit.stability() for the stability of the prototypes"
_IMPORTANCE = "use fit.importance()"
_CONFUSION = "use fit.test(new).confusion for new rows, or fit.plot('confusion')"
_PARAMETERS, _CURVE, _PROTOTYPES = "use fit.parameters()", "use fit.validation.table", "use fit.prototypes"
_CHOSEN = "use fit.validation.table.loc[fit.point]"
_FILE = "use fit.save('fit.proto') and pc.load(path), or fit.report('fit.html') for a report"
_EXPLAIN = "use fit.why(row) to explain the class of a row, or fit.importance() for the effect of each variable"
_SHORTER = "use fit.at(size=5) for the first prototypes only, or fit.update(lambda_=...) to make prototypes more costly"
_COLUMNS = "use fit.frame.columns for the predictors, or fit.frame.design for the columns of the design matrix"
_ROC = (
    "use fit.calibrate().test(new).plot('roc'), and glance() for the area with its interval; the test also has roc(), pr(), "
    "auc() and roc_band()"
)
_DELONG = "use two tests on the same rows, fit.test(new).roc_test(other.test(new))"
_STEP = "use update(formula) to fit with other predictors, and pc.compare on new rows to compare the fits"

_PAPER = dict.fromkeys(
    ["to_latex", "as_latex", "to_html", "as_html", "as_gt", "gt", "kable", "xtable", "stargazer", "flextable", "tbl_summary"],
    "use as_table() for a table in a paper, with as_latex(caption, label), as_html() and as_gt()",
)
# attribute of a fit elsewhere: cure
VERBS: Mapping[str, str] = {
    **_PAPER,
    "anova": "use pc.compare([fit, other], new=new) to test the difference of two fits on new rows",
    **dict.fromkeys(["coef", "coefficients", "coef_", "params", "intercept_"], _NO_COEFFICIENTS),
    **dict.fromkeys(["residuals", "resid"], _RESIDUALS), **dict.fromkeys(["fitted", "fitted_values", "fittedvalues", "labels_"], _FITTED),
    **dict.fromkeys(["confint", "conf_int", "vcov", "cov_params", "pvalues"], _SURE),
    **dict.fromkeys(["logLik", "AIC", "BIC", "aic", "bic", "llf", "deviance", "rsquared", "df_resid", "sigma"], _NO_LIKELIHOOD),
    **dict.fromkeys(
        ["varImp", "feature_importances_", "variable_importance", "vip", "vi", "importances_", "permutation_importance"], _IMPORTANCE
    ),
    **dict.fromkeys(["confusionMatrix", "confusion_matrix", "confusion"], _CONFUSION),
    **dict.fromkeys(["roc", "auc", "roc_curve", "ggroc", "pr", "roc_band"], _ROC),
    **dict.fromkeys(["roc_test", "delong", "delong_test"], _DELONG), **dict.fromkeys(["explain", "shap", "lime", "breakdown"], _EXPLAIN),
    "weights": "use fit.frame.weights", "y": "use the columns of fit.call.data", "x": "use the columns of fit.call.data",
    "model_matrix": "use fit.frame.design, the design matrix", "model_frame": _COLUMNS, "feature_names_in_": _COLUMNS,
    "n_features_in_": _COLUMNS, "xlevels": _COLUMNS,
    "terms": "use fit.formula for the formula, or fit.frame.design for the columns of its terms",
    **dict.fromkeys(["predict_proba", "predict_log_proba", "probabilities", "prob", "votes"], _PROBABILITIES),
    "decision_function": "use fit.predict(new, 'decision') if the method has decision values, and fit.predict(new, 'distance') otherwise",
    "score": "use fit.test(new)", "error": "use glance() for the errors of the fit, or fit.test(new) for the error on new rows",
    "kneighbors": "use fit.predict(new, 'nearest') for the nearest prototype",
    "transform": "use fit.predict(new, 'distance') for the distances",
    "classes_": "use fit.classes", "levels": "use fit.classes", "data": "use fit.call.data",
    **dict.fromkeys(["best_params_", "get_params", "bestTune"], _PARAMETERS), "best_score_": _CHOSEN,
    "best_estimator_": "use the fit itself",
    "set_params": "use fit.update(...), which fits again",
    **dict.fromkeys(["fit", "fit_predict", "refit"], "use fit.update(data=data)"),
    **dict.fromkeys(["cv_results_", "results", "cptable"], _CURVE),
    **dict.fromkeys(["resample", "resamples"], "use fit.validation.fold_errors for the errors of each fold"),
    **dict.fromkeys(["cluster_centers_", "centers", "medoids", "id_med", "support_vectors_", "SV", "codebook", "codes"], _PROTOTYPES),
    **dict.fromkeys(["proto", "alpha", "indices", "prototype_indices_"], "use fit.prototypes.groupby('class').groups for the row labels"),
    "finalModel": "use the fit itself", **dict.fromkeys(["prune", "printcp", "plotcp"], _SHORTER),
    **dict.fromkeys(["step", "stepAIC", "drop1", "add1"], _STEP), **dict.fromkeys(["dump", "to_pickle", "saveRDS"], _FILE),
    **dict.fromkeys(["print", "head", "describe", "info", "str"], "use its name alone to print it, or fit.summary() for the full report"),
}  # fmt: skip

VERBS_OF_TEST: Mapping[str, str] = {
    **_PAPER, "table": "use the attribute confusion for the counts, or as_table() for a table in a paper",
    **dict.fromkeys(
        ["sensitivity", "specificity", "precision", "recall", "f1", "F1", "byClass", "ppv", "npv", "prevalence"],
        "use tidy(), which has a row for each class, with intervals",
    ),
    **dict.fromkeys(
        ["accuracy", "kappa", "overall", "balanced_accuracy", "brier", "log_loss", "accuracy_score", "ci", "conf_int", "mcc"],
        "use glance() for accuracy, balanced accuracy and kappa and, for probabilities, the area, Brier score and log loss",
    ),
    **dict.fromkeys(["roc_curve", "coords", "ggroc"], "use roc(), or plot('roc')"),
    **dict.fromkeys(["roc_auc", "ci_auc", "partial_auc", "average_precision"], "use auc() for the areas, or parts of them, with intervals"),
    **dict.fromkeys(["pr_curve", "precision_recall_curve"], "use pr(), or plot('pr')"),
    **dict.fromkeys(["ci_se", "ci_sp"], "use roc_band() for the curve with intervals and a band, or plot('roc_band')"),
    **dict.fromkeys(["delong", "delong_test"], "use roc_test(other) with the test of another fit on the same rows"),
    **dict.fromkeys(["confusion_matrix", "confusionMatrix", "cm"], "use the attribute confusion"),
    "augment": "use fit.augment(new)", "predictions": "use fit.predict(new)",
    "statistic": "use test for the name of the test, and p_value for its result", "pvalue": "use p_value",
}  # fmt: skip

_OF_FIT = "use the attribute fit, the fit at the chosen point"
VERBS_OF_VALIDATION: Mapping[str, str] = {
    **dict.fromkeys(["predict", "summary", "augment", "coef", "prototypes", "test", "calibrate", "importance", "best_estimator_"], _OF_FIT),
    **dict.fromkeys(
        ["cvm", "cvsd", "results", "cv_results_", "mean_test_score", "scores", "error", "to_frame", "cptable"],
        "use the attribute table, which has the errors, their standard errors and the sizes",
    ),
    **dict.fromkeys(["lambda_min", "best_params_", "bestTune"], "use table.loc[v.best], the point with the lowest error of the result v"),
    "lambda_1se": "use table.loc[v.one_se], the point of the one-standard-error rule of the result v",
    "resample": "use the attribute fold_errors for the errors of each fold", "roc": _ROC,
}  # fmt: skip

VERBS_OF_COMPARISON: Mapping[str, str] = {
    **_PAPER,
    **dict.fromkeys(["summary", "tidy", "glance", "best", "results"], "use the attribute table, which has a row for each method"),
    **dict.fromkeys(
        ["diff", "differences", "p_values", "pvalues", "anova"],
        "use the attribute tests, which has the differences with intervals and p-values",
    ),
    **dict.fromkeys(["resamples", "values"], "use the attribute predictions, which has the prediction of each method for each row"),
}  # fmt: skip

_OBJECT = (
    "use a model object in fit, fit = pc.fit('y ~ .', data, pc.KNN(k=3)), and then the fit; for X and y use "
    "pc.sklearn.PrototypeClassifier('knn', k=3)"
)
VERBS_OF_MODEL: Mapping[str, str] = {
    **dict.fromkeys(["predict", "fit_predict", "predict_proba", "score", "transform", "fit_transform"], _OBJECT), "fit": _OBJECT,
    "get_params": "use parameters()", "set_params": "use dataclasses.replace(model, ...)",
}  # fmt: skip

_METHOD = "use the name of the method, pc.fit('y ~ .', data, {0!r})"
_LEARN = "use pc.fit('y ~ .', data, 'knn'), which fits, tunes and stores the cross-validation"
_STEP_OF_PIPELINE = f"use pc.sklearn.PrototypeClassifier('knn') as a step of scikit-learn's pipelines, or {_LEARN}"
_MATRIX = "use pc.dissimilarity('~ .', data) with metric= a name, such as 'gower', as daisy does for mixed columns"
_SPLIT = "split the rows by pandas, train = data.sample(frac=0.7, random_state=1), test = data.drop(train.index)"
_OWN_FOLDS = "use cv=10 for stratified folds, or cv= with a fold for each row"
_RESAMPLE = "use class_weights='balanced' to weight classes equally without resampling"
_MAP = "use pc.dissimilarity('~ .', data).map() for the coordinates of a map, or .embed() for an embedding"
_SELECT = "leave predictors out in the formula, 'y ~ . - x', and use fit.importance() for their effect"
_SKLEARN = "scikit-learn's functions accept fit.predict(new) and the data"
_SEED_HERE = "use seed= in each call that draws random numbers, pc.fit('y ~ .', data, seed=1)"
_FIT = "use pc.fit('y ~ .', data, eps=1.0), or 'y ~ 1' with dissimilarity=D for a distance matrix D"
_ESTIMATOR = "use pc.sklearn.PrototypeClassifier('pvm', eps=1.0) for X and y, or pc.fit('y ~ .', data, eps=1.0)"
_FACTOR = "use pd.Categorical(data['y'], levels), because classes are a column of the data frame"
_OPTIONS = "use pc.options(digits=3, progress=False) for options of the session"
_COLOURS = "use pc.options.colours = ['red', 'blue'] for the colours of the classes"
_PANDAS = "use pd.read_csv(path)"

# function of another package: cure
FUNCTIONS_ELSEWHERE: Mapping[str, str] = {
    **dict.fromkeys(["train", "tune", "cv_glmnet", "glmnet", "rpart", "workflow"], _LEARN),
    **dict.fromkeys(["GridSearchCV", "RandomizedSearchCV", "Pipeline", "make_pipeline"], _STEP_OF_PIPELINE),
    **dict.fromkeys(["knn", "knn1", "knn3", "knn_cv", "kknn", "KNeighborsClassifier"], _METHOD.format("knn")),
    **dict.fromkeys(["svm", "SVC", "ksvm"], _METHOD.format("hyperplane")), **dict.fromkeys(["pam", "clara"], _METHOD.format("kmedoids")),
    **dict.fromkeys(["lvq1", "olvq1", "lvq"], _METHOD.format("lvq")), "condense": _METHOD.format("condensed"),
    "multiedit": _METHOD.format("multiedit"), "Mclust": _METHOD.format("mixture"),
    "NearestCentroid": _METHOD.format("centroids"),
    **dict.fromkeys(["trainControl", "expand_grid", "rpart_control", "tune_grid"], _GRID),
    **dict.fromkeys(["daisy", "dist", "pairwise_distances", "vegdist"], _MATRIX),
    **dict.fromkeys(["cmdscale", "sammon", "isoMDS", "MDS"], _MAP),
    **dict.fromkeys(["createDataPartition", "train_test_split", "initial_split"], _SPLIT),
    **dict.fromkeys(["createFolds", "vfold_cv", "StratifiedKFold", "KFold"], _OWN_FOLDS),
    **dict.fromkeys(["upSample", "downSample", "SMOTE", "ROSE"], _RESAMPLE),
    **dict.fromkeys(["preProcess", "StandardScaler", "scale"], _SCALE),
    **dict.fromkeys(["nearZeroVar", "findCorrelation", "rfe", "step"], _SELECT),
    **dict.fromkeys(["resamples", "cross_val_score"], "use pc.compare('y ~ .', data, ['knn', 'pvm'], cv=10) for several methods, or "
                    "pc.cross_validate for one"),
    **dict.fromkeys(["cross_val_predict"], "use pc.cross_validate('y ~ .', data, 'knn', k=3).held_out for the held-out predictions"),
    **dict.fromkeys(["ci_auc", "multiclass_roc"], _ROC), **dict.fromkeys(["roc_test", "delong", "delong_test"], _DELONG),
    **dict.fromkeys(["coords", "thresholder", "cutpointr", "TunedThresholdClassifierCV", "FixedThresholdClassifier"], _CUT),
    **dict.fromkeys(
        ["accuracy_score", "classification_report", "postResample", "roc_auc_score", "brier_score_loss", "sensitivity", "specificity",
         "twoClassSummary"],
        f"use fit.test(new) for all of this with intervals; {_SKLEARN}",
    ),
    **dict.fromkeys(
        ["hclust", "agnes", "diana", "kmeans_cluster"],
        "use scipy.cluster.hierarchy.linkage(pc.dissimilarity('~ .', data).condensed()) for clusters without classes",
    ),
    **dict.fromkeys(
        ["naiveBayes", "randomForest", "lda", "qda", "glm", "nnet"], "use a method with prototypes, pc.fit('y ~ .', data, 'knn')"
    ),
    "calibration": "use fit.calibrate().test(new).calibration()", "featurePlot": "use fit.plot(x='a', y='b') for two predictors",
    "dummyVars": "use a formula, which codes factors as columns", "CalibratedClassifierCV": "use fit.calibrate()",
    "calibration_curve": "use fit.calibrate().test(new).calibration()",
    **dict.fromkeys(["set", "set_seed", "seed", "random_state", "RNGkind"], _SEED_HERE),
    **dict.fromkeys(["protoclass", "predictwithd", "pvm"], _FIT), **dict.fromkeys(["PrototypeClassifier", "PVMClassifier"], _ESTIMATOR),
    **dict.fromkeys(["factor", "as_factor", "relevel", "levels"], _FACTOR),
    **dict.fromkeys(["na_omit", "complete_cases"], "use na='drop' in pc.fit, or data.dropna()"), "table": _CONFUSION,
    **dict.fromkeys(["data_frame", "DataFrame", "as_data_frame", "tibble"], "use pd.DataFrame(values, columns=names)"),
    **dict.fromkeys(["set_option", "get_option", "set_config", "set_options", "getOption"], _OPTIONS),
    **dict.fromkeys(["palette", "set_palette", "scale_colour_manual", "scale_color_manual"], _COLOURS),
    "read_csv": _PANDAS, "read_table": _PANDAS, "load_iris": "use pc.load_data('iris')", "data": "use pc.load_data('iris')",
    "silhouette": "use plot() for the rows around the prototypes, or augment() for the margin of each row",
    **dict.fromkeys(["readRDS", "read_pickle"], "use pc.load(path) with a file from fit.save(path)"),
    "help": "use Python's help(pc.fit)",
    "citation": "use fit.report('fit.html'), which shows how to cite",
}  # fmt: skip

FUNCTIONS = ("predict", "summary", "as_table", "plot", "update", "tidy", "glance", "augment", "test", "importance", "stability",
             "calibrate", "threshold", "alternatives", "criticisms", "swap", "save", "slim")  # fmt: skip
