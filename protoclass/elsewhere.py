"""The names that arguments and verbs have in R and scikit-learn, and what does the same here."""

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
    "group": ("groups",), "id": ("groups",), "cluster": ("groups",), "block": ("groups",),
    "conf_level": ("level", "delta"), "confidence": ("level",), "alpha": ("level", "delta"),
    "nboot": ("B",), "n_boot": ("B",), "n_bootstrap": ("B",), "R": ("B",),
    "dataset": ("data",), "df": ("data",), "x": ("data",), "filename": ("path",), "file": ("path",),
    "n_samples": ("n",), "models": ("methods",), "cutoff": ("threshold",), "positive": ("of",), "event_level": ("of",),
}  # fmt: skip

_GRID = "a parameter that is a sequence, such as k=[1, 5, 15], is tuned; cv=, repeats= and choose= say how"
_SCALE = "the dissimilarity scales the columns: dissimilarity=pc.Euclidean(scale=False), or scale='fold' for anew in each fold"
_FRAME = "a formula and a data frame take the place of x and y: fit('y ~ .', data)"
_THREADS = "all processors are used, so that there is nothing to set: leave it out"
_LINEAR = "there are no coefficients, so that they have no interval: leave it out, and ask fit.stability() how sure prototypes are"
_CUT = (
    "fit.calibrate().threshold('a', sensitivity=0.9) chooses a cut on the chance of class 'a', and predict(new, threshold=) decides by it"
)
_WEIGH = "fit takes class_weights='balanced', and so does a method of compare, {'method': 'knn', 'class_weights': 'balanced'}"

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
    "prior": "the prevalence of new rows is given with them, fit.calibrate().predict(new, prior={'a': 0.1, 'b': 0.9})",
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
    "conf_int": _LINEAR, "exponentiate": _LINEAR, "correlation": _LINEAR,
    "labels": "classes have the names that the data give them: rename them there",
    "positive": "the classes stand in the order of their levels: order them in the data frame, pd.Categorical(data['y'], levels)",
}  # fmt: skip

_NO_LIKELIHOOD = "there is no likelihood: glance() has the cross-validated error, fit.test(new) the error of new rows"
_NO_COEFFICIENTS = "there are no coefficients: prototypes and tidy() show what was learned, importance() how much each variable counts"
_RESIDUALS = "classes have no residuals: augment() has the fitted class, whether it is correct, and the margin of each row"
_FITTED = "fit.predict() gives the classes of the rows of the fit, and augment() sets them beside the data"
_SURE = "fit.test(new) has the error with its interval, and fit.stability() says how sure prototypes are"

# attribute of a fit elsewhere: what serves instead
VERBS: Mapping[str, str] = {
    "anova": "pc.compare([fit, other], new=new) tests the difference of two fits on new rows",
    "coef": _NO_COEFFICIENTS, "coefficients": _NO_COEFFICIENTS, "coef_": _NO_COEFFICIENTS, "params": _NO_COEFFICIENTS,
    "residuals": _RESIDUALS, "resid": _RESIDUALS, "fitted": _FITTED, "fitted_values": _FITTED, "fittedvalues": _FITTED,
    "confint": _SURE, "conf_int": _SURE, "vcov": _SURE, "cov_params": _SURE, "pvalues": _SURE,
    "logLik": _NO_LIKELIHOOD, "AIC": _NO_LIKELIHOOD, "BIC": _NO_LIKELIHOOD, "aic": _NO_LIKELIHOOD, "bic": _NO_LIKELIHOOD,
    "llf": _NO_LIKELIHOOD,
    "deviance": _NO_LIKELIHOOD,
    "varImp": "it is called fit.importance() here", "feature_importances_": "it is called fit.importance() here",
    "confusionMatrix": "fit.test(new).confusion has it for new rows, and fit.plot('confusion') draws it",
    "model_matrix": "fit.frame.design is the design matrix",
    "terms": "fit.formula has the formula, fit.frame.design the columns of its terms",
    "predict_proba": "it is fit.calibrate().predict(new, 'prob') here",
    "decision_function": "it is fit.predict(new, 'decision') here, where the method has it; fit.predict(new, 'distance') otherwise",
    "score": "it is fit.test(new) here",
    "kneighbors": "fit.predict(new, 'nearest') has the nearest prototype", "transform": "fit.predict(new, 'distance') has the distances",
    "classes_": "it is fit.classes here", "best_params_": "it is fit.parameters() here", "get_params": "it is fit.parameters() here",
    "set_params": "it is fit.update(...) here, which fits again", "fit": "it is fit.update(data=data) here",
    "cv_results_": "it is fit.validation.table here", "cluster_centers_": "it is fit.prototypes here",
    "centers": "it is fit.prototypes here",
    "levels": "it is fit.classes here", "bestTune": "it is fit.parameters() here", "finalModel": "it is the fit itself",
}  # fmt: skip

FUNCTIONS = ("predict", "summary", "plot", "update", "tidy", "glance", "augment", "test", "importance", "stability",
             "calibrate", "threshold")  # fmt: skip
