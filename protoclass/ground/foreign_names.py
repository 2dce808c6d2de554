"""The names that arguments, their values, verbs and functions have in R and scikit-learn, and what does the same here."""

from __future__ import annotations

from collections.abc import Mapping

_SEED, _MEASURED, _FOLDS = ("seed",), ("dissimilarity", "metric"), ("cv",)
_NEIGHBOURS, _CENTRES, _WEIGHTS = ("k", "K"), ("K", "k"), ("weights",)

# name elsewhere: names here, the first that a function has is meant
SAME_AS: Mapping[str, tuple[str, ...]] = {
    "newdata": ("new", "data"), "new_data": ("new", "data"), "newx": ("new",), "X_test": ("new",), "test_data": ("new",),
    "type": ("kind", "sample"), "which": ("kind",),
    "random_state": _SEED, "rng": _SEED, "set_seed": _SEED, "iseed": _SEED,
    "metric": _MEASURED, "distance": _MEASURED, "dist": _MEASURED, "distance_metric": _MEASURED, "affinity": _MEASURED, "diss": _MEASURED,
    "nfolds": _FOLDS, "n_folds": _FOLDS, "folds": _FOLDS, "foldid": _FOLDS, "n_splits": _FOLDS, "kfold": _FOLDS, "nfold": _FOLDS,
    "n_neighbors": _NEIGHBOURS, "k_neighbors": _NEIGHBOURS, "n_neighbours": _NEIGHBOURS, "kmax": _NEIGHBOURS, "neighbors": _NEIGHBOURS,
    "n_clusters": _CENTRES, "centers": _CENTRES, "n_components": _CENTRES, "n_prototypes": _CENTRES, "subclasses": _CENTRES,
    "sample_weight": _WEIGHTS, "sample_weights": _WEIGHTS, "case_weights": _WEIGHTS, "wts": _WEIGHTS,
    "class_weight": ("class_weights",), "classwt": ("class_weights",),
    "scoring": ("measure",), "cost_matrix": ("loss", "measure"), "costs": ("loss", "measure"), "parms": ("loss", "measure"),
    "verbose": ("progress",), "trace": ("progress",), "quiet": ("progress",), "verboseIter": ("progress",),
    "na_action": ("na",), "na_rm": ("na",), "use": ("na",),
    "epsilon": ("eps",), "radius": ("eps",), "lambda": ("lambda_",), "lam": ("lambda_",), "s": ("lambda_",), "cost": ("C", "lambda_"),
    "n_repeats": ("repeats",), "times": ("repeats",), "nrep": ("repeats",), "nperm": ("repeats",),
    "group": ("groups", "by"), "id": ("groups",), "cluster": ("groups",), "block": ("groups",),
    "conf_level": ("level", "delta"), "confidence": ("level",), "alpha": ("level", "delta"),
    **dict.fromkeys(["nboot", "n_boot", "n_bootstrap", "R", "boot_n"], ("B", "draws")),
    **dict.fromkeys(["partial", "partial_auc", "max_fpr", "specificities"], ("specificity",)), "min_tpr": ("sensitivity",),
    "dataset": ("data",), "df": ("data",), "x": ("data",), "filename": ("path",), "file": ("path",),
    "n_samples": ("n",), "models": ("methods",), "cutoff": ("threshold",), "positive": ("of",), "event_level": ("of",),
    "number": _FOLDS, "K_folds": _FOLDS, "n_permutations": ("B",), "by_group": ("by",), "type_measure": ("measure",),
}  # fmt: skip

_GRID = "a parameter that is a sequence, such as k=[1, 5, 15], is tuned; cv=, repeats= and choose= say how"
_SCALE = "the dissimilarity scales the columns: dissimilarity=pc.Euclidean(scale=False), or scale='fold' for anew in each fold"
_FRAME = "a formula and a data frame take the place of x and y: fit('y ~ .', data); pc.sklearn.PrototypeClassifier takes X and y"
_THREADS = "all processors are used, so that there is nothing to set: leave it out"
_LINEAR = "there are no coefficients, so that they have no interval: leave it out, and ask fit.stability() how sure prototypes are"
_CUT = (
    "fit.calibrate().threshold('a', sensitivity=0.9) chooses a cut on the chance of class 'a', and predict(new, threshold=) decides by it"
)
_WEIGH = "fit takes class_weights='balanced', and so does a method of compare, {'method': 'knn', 'class_weights': 'balanced'}"
_ITERATE = "the method runs until nothing changes, or for as long as its own parameters say: leave it out"
_SEARCH = "all dissimilarities are measured, in tiles where they are many, so that no search tree is chosen: leave it out"
_PREVALENCE = "the prevalence of new rows is given with them, fit.calibrate().predict(new, prior={'a': 0.1, 'b': 0.9})"
_CHANCES_TABLE = "chances are learned by fit.calibrate() and given by predict(new, 'prob')"
_IMPUTE = "missing values are dropped, or with na='keep' skipped pair by pair (Gower); data.fillna(...) fills them"
_TREE = "there are no trees: size is chosen by cross-validation, and lambda_= is what a prototype costs"

# name elsewhere: how the same is done where a function has no such argument
ELSEWHERE: Mapping[str, str] = {
    "subset": "choose the rows in the data frame, data.query('x > 1')",
    "threshold": _CUT, "cutoff": _CUT,
    "sep": "files are read by pandas, pd.read_csv(path, sep=';')", "header": "files are read by pandas, pd.read_csv(path, header=None)",
    "delimiter": "files are read by pandas, pd.read_csv(path, sep=';')",
    "newdata": "new rows are predicted by the fit, fit.predict(new)", "test": "new rows are tested by the fit, fit.test(new)",
    "type": "what is predicted is said when it is, fit.predict(new, kind='distance')",
    "prob": "chances are learned by fit.calibrate() and given by predict(new, 'prob')",
    "probability": "chances are learned by fit.calibrate() and given by predict(new, 'prob')",
    "se_fit": "chances are learned by fit.calibrate() and given by predict(new, 'prob')",
    "interval": "fit.calibrate().predict(new, 'set', level=0.9) gives sets of classes",
    "prior": _PREVALENCE,
    "class_weight": _WEIGH, "classwt": _WEIGH,
    "loss": "fit, cross_validate, and predict, test and threshold of a fit take loss=, a DataFrame with true classes as rows and predicted "
    "ones as columns",
    "scale": _SCALE, "standardize": _SCALE, "center": _SCALE, "preProcess": _SCALE, "preprocess": _SCALE, "scaled": _SCALE, "stand": _SCALE,
    "metric_params": "a metric has its own parameters: dissimilarity=pc.Minkowski(r=3)", "p": "write dissimilarity=pc.Minkowski(r=3)",
    "minkowski_p": "write dissimilarity=pc.Minkowski(r=3)", "kernel": "write dissimilarity=pc.Kernel('rbf'), see help(pc.Kernel)",
    "x": _FRAME, "y": _FRAME, "X": _FRAME, "Y": _FRAME, "train": _FRAME, "cl": _FRAME, "grouping": _FRAME, "target": _FRAME,
    "trControl": _GRID, "tuneGrid": _GRID, "tuneLength": _GRID, "control": _GRID, "param_grid": _GRID, "tune": _GRID, "grid": _GRID,
    "family": "the response is a class, which has no family: leave it out",
    "link": "the response is a class, which has no link: leave it out",
    "contrasts": "every level of a factor has a column, so that no contrasts are chosen: leave it out",
    "intercept": "dissimilarities have no intercept: leave it out",
    "n_jobs": _THREADS, "nthread": _THREADS, "num_threads": _THREADS, "allowParallel": _THREADS, "parallel": _THREADS, "mc_cores": _THREADS,
    "shuffle": "folds are drawn at random, from seed=", "stratify": "folds are always stratified by class: leave it out",
    "strata": "folds are always stratified by class: leave it out",
    "test_size": "draw the training rows in the data frame, train = data.sample(frac=0.7), test = data.drop(train.index), or call "
    "pc.compare(..., test_size=0.3)",
    "preProc": _SCALE, "standardise": _SCALE, "normalize": _SCALE, "range": _SCALE,
    "max_iter": _ITERATE, "maxit": _ITERATE, "tol": _ITERATE, "thresh": _ITERATE,
    "maximize": "errors and losses are made small: leave it out",
    "algorithm": _SEARCH, "leaf_size": _SEARCH, "decision_values": "ask for them by kind, fit.predict(new, 'decision')",
    "impute": _IMPUTE, "na_strings": "files are read by pandas, pd.read_csv(path, na_values=['NA'])",
    "cp": _TREE, "minsplit": _TREE, "maxdepth": _TREE, "max_depth": _TREE, "ntree": _TREE, "n_estimators": _TREE, "mtry": _TREE,
    "return_train_score": "fit.glance() has the training error: leave it out", "return_std": _CHANCES_TABLE,
    "type_predict": "predictions beside the data are joined, data.join(fit.predict(data, 'prob'))",
    "prevalence": _PREVALENCE,
    "return_X_y": "the data are one frame: data.drop(columns='y') and data['y'] are its parts",
    "ensemble": "the rule is kept, and chances are learned beside it: leave it out", "mode": "tidy() has all statistics: leave it out",
    "s": "the fit has the chosen value: fit.update(lambda_=...) fits with another, fit.at(lambda_=...) takes fewer prototypes",
    "conf_level": "intervals are of 95 %: leave it out", "train_size": "give test_size=, the share of the other part",
    "conf_int": _LINEAR, "exponentiate": _LINEAR, "correlation": _LINEAR,
    "labels": "classes have the names that the data give them: rename them there",
    "positive": "the classes stand in the order of their levels: order them in the data frame, pd.Categorical(data['y'], levels)",
}  # fmt: skip

# argument, or what it is where functions differ: value elsewhere, in lower case: what to write
VALUES: Mapping[str, Mapping[str, str]] = {
    "method": {
        **dict.fromkeys(["kknn", "knn3", "knn1", "ibk", "kneighborsclassifier", "1nn"], "method='knn' has k nearest neighbours"),
        **dict.fromkeys(["svm", "svc", "svmlinear", "svmradial", "ksvm", "linearsvc"], "method='hyperplane' is the support vector machine"),
        **dict.fromkeys(["mda", "gmm", "mclust"], "method='mixture' has a Gaussian mixture for each class"),
        **dict.fromkeys(["nearestcentroid", "pamr", "nsc"], "method='centroids' has nearest shrunken centroids"),
        **dict.fromkeys(["clara", "k-medoids"], "method='kmedoids' has medoids of each class"),
        **dict.fromkeys(["lvq1", "olvq1", "glvq"], "method='lvq' is learning vector quantization"),
        **dict.fromkeys(
            ["rf", "ranger", "rpart", "ctree", "c5.0", "gbm", "xgbtree", "glm", "glmnet", "lda", "qda", "nb", "nnet", "multinom"],
            "only methods with prototypes are here, of which 'knn' needs the fewest assumptions",
        ),
    },
    "dissimilarity": {
        **dict.fromkeys(["cityblock", "l1", "taxicab", "city block"], "'manhattan' is it here"), "l2": "'euclidean' is it here",
        **dict.fromkeys(["maximum", "linf", "supremum"], "'chebyshev' is it here"), "binary": "'jaccard' is it here",
        "daisy": "'gower' is what daisy measures", "precomputed": "give the matrix itself, dissimilarity=D",
        "sqeuclidean": "'euclidean' has the same nearest rows", "matching": "'hamming' is it here", "dice": "'jaccard' has the same order",
        **dict.fromkeys(["nca", "lda", "lmnn", "mlkr"], "dissimilarity='learned' learns from the classes which columns count"),
    },
    "measure": {
        **dict.fromkeys(["accuracy", "class", "error_rate", "misclassification"], "measure='error' is 1 less the accuracy"),
        "balanced_accuracy": "measure='balanced' is 1 less the balanced accuracy",
        **dict.fromkeys(["youden", "j"], "measure='balanced' is least where Youden's index is largest"),
        **dict.fromkeys(
            ["roc", "auc", "roc_auc", "kappa", "f1", "f1_macro", "f", "log_loss", "logloss", "neg_log_loss", "brier", "deviance", "mse"],
            "what is tuned is chosen by an error or a loss, and fit.calibrate().test(new).glance() has this of new rows",
        ),
    },
    "choose": {
        **dict.fromkeys(["lambda.1se", "onese", "1-se", "one_se"], "'1se' is it here"),
        **dict.fromkeys(["lambda.min", "best", "least", "minimum"], "'min' is it here"),
    },
    "cv": {
        **dict.fromkeys(["loocv", "leaveoneout", "lgocv"], "'loo' leaves one row out at a time"),
        **dict.fromkeys(["repeatedcv", "cv", "boot"], "cv=10, repeats=5 draws ten folds five times"),
        "prefit": "the fit is kept as it is in any case; give rows that took no part, fit.calibrate(more)",
    },
    "na": {
        **dict.fromkeys(["na.omit", "omit", "na.exclude", "exclude", "remove", "complete"], "'drop' is it here"),
        **dict.fromkeys(["na.fail", "fail", "error"], "'raise' is it here"),
        **dict.fromkeys(["na.pass", "pass", "pairwise", "ignore"], "'keep' is it here, with Gower"),
        **dict.fromkeys(["impute", "medianimpute", "knnimpute", "mean", "median", "na.roughfix"], "data.fillna(...) fills what is missing"),
    },
    "how": dict.fromkeys(["sigmoid", "platt", "logistic", "softmax"], "'multinomial' is it here"),
    "weights": {
        "balanced": "class_weights='balanced' makes classes weigh alike", "uniform": "rows weigh the same without it: leave it out",
        "distance": "weights are of the rows of the data, and all k neighbours count alike: leave it out",
    },
    "prediction": {
        "raw": "'class' is it here", "response": "'class' is it here, and chances are 'prob'",
        **dict.fromkeys(["probs", "probability", "posterior", "probabilities", "vote"], "'prob' is it here"),
        **dict.fromkeys(["link", "margin", "decision.values"], "'distance' and 'decision' are what the class follows from"),
        "both": "ask for each by itself, 'class' and 'prob'", "interval": "fit.calibrate().predict(new, 'set') has sets of classes",
    },
    "picture": {
        **dict.fromkeys(["roc", "roc_band", "pr", "calibration", "coverage"], "fit.calibrate().test(new).plot({0!r}) draws it of new rows"),
        **dict.fromkeys(["roc_curve", "auc"], "'roc' is it, of fit.calibrate().test(new).plot('roc')"),
        **dict.fromkeys(["cv", "curve", "plotcp", "cp"], "'validation' is it here"),
        **dict.fromkeys(["varimp", "vip", "variable_importance", "permutation_importance"], "'importance' is it here"),
        **dict.fromkeys(["boundary", "regions", "decision"], "'prototypes' has the regions where there are two numeric predictors"),
        "confusion_matrix": "'confusion' is it here", "table": "'confusion' is it here",
    },
}  # fmt: skip

_NO_LIKELIHOOD = "there is no likelihood: glance() has the cross-validated error, fit.test(new) the error of new rows"
_NO_COEFFICIENTS = "there are no coefficients: prototypes and tidy() show what was learned, importance() how much each variable counts"
_RESIDUALS = "classes have no residuals: augment() has the fitted class, whether it is correct, and the margin of each row"
_FITTED = "fit.predict() gives the classes of the rows of the fit, and augment() sets them beside the data"
_SURE = "fit.test(new) has the error with its interval, and fit.stability() says how sure prototypes are"
_IMPORTANCE = "it is called fit.importance() here"
_CONFUSION = "fit.test(new).confusion has it for new rows, and fit.plot('confusion') draws it"
_CHANCES = "it is fit.calibrate().predict(new, 'prob') here"
_PARAMETERS, _CURVE, _PROTOTYPES = "it is fit.parameters() here", "it is fit.validation.table here", "it is fit.prototypes here"
_CHOSEN = "it is fit.validation.table.loc[fit.point] here"
_FILE = "it is fit.save('fit.proto') here, and pc.load(path) reads it; fit.report('fit.html') writes a page to read"
_EXPLAIN = "fit.why(row) says why a row has its class, fit.importance() how much each variable counts"
_SHORTER = "fit.at(size=5) keeps the first prototypes, fit.update(lambda_=...) makes each cost more"
_COLUMNS = "fit.frame.columns has the predictors, fit.frame.design the columns that are measured"
_ROC = (
    "chances make one: fit.calibrate().test(new).plot('roc'), and glance() has the area with its interval; of the test, roc(), pr(), "
    "auc() and roc_band() have its numbers"
)
_DELONG = "it is of two tests on the same rows: fit.test(new).roc_test(other.test(new))"
_STEP = "update(formula) fits with other predictors, and pc.compare on new rows says which is better"

_PAPER = dict.fromkeys(
    ["to_latex", "as_latex", "to_html", "as_html", "as_gt", "gt", "kable", "xtable", "stargazer", "flextable", "tbl_summary"],
    "as_table() is a table for a paper, with as_latex(caption, label), as_html() and as_gt()",
)
# attribute of a fit elsewhere: what serves instead
VERBS: Mapping[str, str] = {
    **_PAPER,
    "anova": "pc.compare([fit, other], new=new) tests the difference of two fits on new rows",
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
    "weights": "fit.frame.weights has them", "y": "fit.call.data has the columns", "x": "fit.call.data has the columns",
    "model_matrix": "fit.frame.design is the design matrix", "model_frame": _COLUMNS, "feature_names_in_": _COLUMNS,
    "n_features_in_": _COLUMNS, "xlevels": _COLUMNS,
    "terms": "fit.formula has the formula, fit.frame.design the columns of its terms",
    **dict.fromkeys(["predict_proba", "predict_log_proba", "probabilities", "prob", "votes"], _CHANCES),
    "decision_function": "it is fit.predict(new, 'decision') here, where the method has it; fit.predict(new, 'distance') otherwise",
    "score": "it is fit.test(new) here", "error": "glance() has the errors of the fit, fit.test(new) that of new rows",
    "kneighbors": "fit.predict(new, 'nearest') has the nearest prototype", "transform": "fit.predict(new, 'distance') has the distances",
    "classes_": "it is fit.classes here", "levels": "it is fit.classes here", "data": "it is fit.call.data here",
    **dict.fromkeys(["best_params_", "get_params", "bestTune"], _PARAMETERS), "best_score_": _CHOSEN,
    "best_estimator_": "it is the fit itself",
    "set_params": "it is fit.update(...) here, which fits again",
    **dict.fromkeys(["fit", "fit_predict", "refit"], "it is fit.update(data=data) here"),
    **dict.fromkeys(["cv_results_", "results", "cptable"], _CURVE),
    **dict.fromkeys(["resample", "resamples"], "fit.validation.fold_errors has the errors of each fold"),
    **dict.fromkeys(["cluster_centers_", "centers", "medoids", "id_med", "support_vectors_", "SV", "codebook", "codes"], _PROTOTYPES),
    "finalModel": "it is the fit itself", **dict.fromkeys(["prune", "printcp", "plotcp"], _SHORTER),
    **dict.fromkeys(["step", "stepAIC", "drop1", "add1"], _STEP), **dict.fromkeys(["dump", "to_pickle", "saveRDS"], _FILE),
    **dict.fromkeys(["print", "head", "describe", "info", "str"], "its name alone prints it, and fit.summary() says all there is to say"),
}  # fmt: skip

VERBS_OF_TEST: Mapping[str, str] = {
    **_PAPER, "table": "the attribute confusion has the counts, and as_table() is a table for a paper",
    **dict.fromkeys(
        ["sensitivity", "specificity", "precision", "recall", "f1", "F1", "byClass", "ppv", "npv", "prevalence"],
        "tidy() has it, a row for each class, with its interval",
    ),
    **dict.fromkeys(
        ["accuracy", "kappa", "overall", "balanced_accuracy", "brier", "log_loss", "accuracy_score", "ci", "conf_int", "mcc"],
        "glance() has accuracy, balanced accuracy and kappa and, of chances, area, Brier score and log loss",
    ),
    **dict.fromkeys(["roc_curve", "coords", "ggroc"], "it is roc() here, and plot('roc') draws it"),
    **dict.fromkeys(["roc_auc", "ci_auc", "partial_auc", "average_precision"], "auc() has the areas, or parts of them, with intervals"),
    **dict.fromkeys(["pr_curve", "precision_recall_curve"], "it is pr() here, and plot('pr') draws it"),
    **dict.fromkeys(["ci_se", "ci_sp"], "roc_band() has the curve with intervals and a band, and plot('roc_band') draws them"),
    **dict.fromkeys(["delong", "delong_test"], "it is roc_test(other), other being the test of another fit on the same rows"),
    **dict.fromkeys(["confusion_matrix", "confusionMatrix", "cm"], "it is the attribute confusion"),
    "augment": "it is of the fit, fit.augment(new)", "predictions": "they are of the fit, fit.predict(new)",
    "statistic": "test says which test it is, and p_value has its result", "pvalue": "it is p_value here",
}  # fmt: skip

_OF_FIT = "it is of the fit at the chosen point, the attribute fit"
VERBS_OF_VALIDATION: Mapping[str, str] = {
    **dict.fromkeys(["predict", "summary", "augment", "coef", "prototypes", "test", "calibrate", "importance", "best_estimator_"], _OF_FIT),
    **dict.fromkeys(
        ["cvm", "cvsd", "results", "cv_results_", "mean_test_score", "scores", "error", "to_frame", "cptable"],
        "the attribute table has the errors, their standard errors and the sizes",
    ),
    **dict.fromkeys(["lambda_min", "best_params_", "bestTune"], "table.loc[v.best] is the point of least error, v being the result"),
    "lambda_1se": "table.loc[v.one_se] is the point of the one-standard-error rule, v being the result",
    "resample": "the attribute fold_errors has the errors of each fold", "roc": _ROC,
}  # fmt: skip

VERBS_OF_COMPARISON: Mapping[str, str] = {
    **_PAPER,
    **dict.fromkeys(["summary", "tidy", "glance", "best", "results"], "the attribute table has a row for each method"),
    **dict.fromkeys(
        ["diff", "differences", "p_values", "pvalues", "anova"],
        "the attribute tests has the differences with intervals and p-values",
    ),
    **dict.fromkeys(["resamples", "values"], "the attribute predictions has what each method predicted for each row"),
}  # fmt: skip

_OBJECT = (
    "a model object is given to fit: fit = pc.fit('y ~ .', data, pc.KNN(k=3)), and fit has it; for X and y there is "
    "pc.sklearn.PrototypeClassifier('knn', k=3)"
)
VERBS_OF_MODEL: Mapping[str, str] = {
    **dict.fromkeys(["predict", "fit_predict", "predict_proba", "score", "transform", "fit_transform"], _OBJECT), "fit": _OBJECT,
    "get_params": "it is parameters() here", "set_params": "dataclasses.replace(model, ...) makes another",
}  # fmt: skip

_METHOD = "methods are called by name, as in pc.fit('y ~ .', data, {0!r})"
_LEARN = "pc.fit('y ~ .', data, 'knn') fits, tunes and keeps what was cross-validated"
_STEP_OF_PIPELINE = f"pc.sklearn.PrototypeClassifier('knn') is a step of scikit-learn's own; {_LEARN}"
_MATRIX = "pc.dissimilarity('~ .', data) measures it; give metric= a name, such as 'gower', which is what daisy measures"
_SPLIT = "pandas splits rows: train = data.sample(frac=0.7, random_state=1), test = data.drop(train.index)"
_OWN_FOLDS = "folds are drawn by cv=10, stratified; cv= also takes a fold for each row"
_RESAMPLE = "class_weights='balanced' makes classes weigh alike without drawing rows anew"
_MAP = "pc.dissimilarity('~ .', data).map() has the coordinates of a map, and .embed() those of a space"
_SELECT = "the formula leaves predictors out, 'y ~ . - x', and fit.importance() says which count"
_SKLEARN = "scikit-learn's functions take fit.predict(new) and data as they are"
_SEED_HERE = "chance is set by seed=, in each call that draws"
_OPTIONS = "pc.options(digits=3, progress=False) sets options of the session"
_COLOURS = "pc.options.colours = ['red', 'blue'] are the colours of the classes"
_PANDAS = "pandas reads files, pd.read_csv(path)"

# function of a package elsewhere: what serves here
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
    **dict.fromkeys(["resamples", "cross_val_score"], "pc.compare('y ~ .', data, ['knn', 'pvm'], cv=10) compares methods, and "
                    "pc.cross_validate judges one"),
    **dict.fromkeys(["cross_val_predict"], "pc.cross_validate('y ~ .', data, 'knn', k=3).held_out has the held-out predictions"),
    **dict.fromkeys(["ci_auc", "multiclass_roc"], _ROC), **dict.fromkeys(["roc_test", "delong", "delong_test"], _DELONG),
    **dict.fromkeys(["coords", "thresholder", "cutpointr", "TunedThresholdClassifierCV", "FixedThresholdClassifier"], _CUT),
    **dict.fromkeys(
        ["accuracy_score", "classification_report", "postResample", "roc_auc_score", "brier_score_loss", "sensitivity", "specificity",
         "twoClassSummary"],
        f"fit.test(new) has all of this with intervals; {_SKLEARN}",
    ),
    **dict.fromkeys(
        ["hclust", "agnes", "diana", "kmeans_cluster"],
        "clusters are found without classes, by scipy.cluster.hierarchy.linkage(pc.dissimilarity('~ .', data).condensed())",
    ),
    **dict.fromkeys(
        ["naiveBayes", "randomForest", "lda", "qda", "glm", "nnet"], "only methods with prototypes are here, pc.fit('y ~ .', data, 'knn')"
    ),
    "calibration": "fit.calibrate().test(new).calibration() has it", "featurePlot": "fit.plot(x='a', y='b') draws two predictors",
    "dummyVars": "a formula makes columns of factors by itself", "CalibratedClassifierCV": "fit.calibrate() does it",
    "calibration_curve": "fit.calibrate().test(new).calibration() has it",
    "set_seed": _SEED_HERE, "seed": _SEED_HERE,
    **dict.fromkeys(["set_option", "get_option", "set_config", "set_options", "getOption"], _OPTIONS),
    **dict.fromkeys(["palette", "set_palette", "scale_colour_manual", "scale_color_manual"], _COLOURS),
    "read_csv": _PANDAS, "read_table": _PANDAS, "load_iris": "it is pc.load_data('iris') here", "data": "it is pc.load_data('iris') here",
    "silhouette": "plot() shows the rows around the prototypes, and augment() has the margin of each row",
    **dict.fromkeys(["readRDS", "read_pickle"], "it is pc.load(path) here, of a file that fit.save(path) has written"),
    "help": "it is Python's own, help(pc.fit)",
    "citation": "fit.report('fit.html') says how to cite",
}  # fmt: skip

FUNCTIONS = ("predict", "summary", "as_table", "plot", "update", "tidy", "glance", "augment", "test", "importance", "stability",
             "calibrate", "threshold", "alternatives", "criticisms", "swap", "save", "slim")  # fmt: skip
