"""Every kind of plot: the table from which the gallery of the site, and its test, are generated. One entry is one plot."""

from __future__ import annotations

SETUP = """\
import matplotlib.pyplot as plt

import protoclass as pc

pc.options.progress = False
plt.rcParams.update({"font.size": 15, "axes.titlecolor": "none"})  # for small plots, which have a title on the page
iris, cancer = pc.load_data("iris"), pc.load_data("breast_cancer")
digits = pc.load_data("digits").groupby("digit", observed=True).head(60)
train = cancer.sample(frac=2 / 3, random_state=0)
new = cancer.drop(train.index)

euclidean = {"dissimilarity": "euclidean", "repeats": 1}

fit = pc.fit("species ~ .", iris)
exact = pc.fit("species ~ .", iris, eps=1.0, solver="exact")
written = pc.fit("digit ~ .", digits, dissimilarity=pc.Euclidean(scale=False), eps=30.0)
diagnosis = pc.fit("diagnosis ~ .", train, **euclidean).calibrate()
test = diagnosis.test(new)
dissimilarity = pc.dissimilarity("species ~ .", iris, "manhattan")"""

# heading: title of the plot, its code, and the question that it answers; a semicolon suppresses the value of a line
PICTURES: dict[str, list[tuple[str, str, str]]] = {
    "Prototypes": [
        ("Prototypes on a map", "fit.plot();", "Which rows are prototypes, and which rows are in the ball of each?"),
        ("Prototypes in a plane", 'pc.fit("species ~ petal_length + petal_width", iris, dissimilarity="euclidean").plot();',
         "With two predictors: the balls themselves, and the decision regions."),
        ("Features of a rule", 'pc.fit("diagnosis ~ .", train, "scm", features="stumps", penalty=2.0, max_size=3).plot();',
         "For a rule without prototypes: which thresholds, and which rows are beyond them?"),
        ("Conditions of a rule", 'pc.fit("diagnosis ~ .", train, "scm", features="stumps", penalty=2.0, max_size=3).plot("rule");',
         "Which rows does each condition decide, and which are left for the next?"),
        ("Weights of the columns", 'pc.fit("species ~ .", iris, "medianglvq", K=1, matrix="diagonal").plot("weights");',
         "How much does each column separate the prototypes, and in which direction?"),
    ],
    "Rows that are images": [
        ("Images", 'written.plot("images", shape=(8, 8), n=30);', "What do the prototypes look like?"),
        ("A map of images", 'written.plot("map", shape=(8, 8), n=40);', "Which prototypes are similar?"),
        ("Misclassified", 'written.plot("misclassified", shape=(8, 8), n=5, size=20);',
         "Which rows are misclassified, and by which prototypes?"),
    ],
    "Error and optimality": [
        ("Error curve", "fit.validation.plot();", "Which radius is selected, by which rule, and how much does it matter?"),
        ("Error against size", 'fit.plot("validation", x="size");', "How many more prototypes does a lower error need?"),
        ("Frontier", 'fit.validation.plot("frontier");', "How much does the error increase with fewer prototypes?"),
        ("Two parameters", 'pc.cross_validate("species ~ .", iris, **euclidean, lambda_=[0.01, 0.5, 1.5, 3]).plot();',
         "The errors of a grid of two parameters."),
        ("Error of the first prototypes", 'fit.plot("path");', "How many prototypes are enough?"),
        ("Alternatives", "exact.alternatives(within=0.1).plot();", "Which prototypes can be left out or replaced?"),
        ("Criticisms", "exact.criticisms(n=8).plot();", "Which rows do the prototypes explain poorly?"),
    ],
    "Uncertainty and explanations": [
        ("Stability", "exact.stability(resamples=50).plot();", "Would another sample select the same prototypes?"),
        ("Comparison of methods", 'pc.compare("species ~ .", iris, ["pvm", "knn", "centroids"], cv=5, dissimilarity="euclidean").plot();',
         "Which method has the lowest error on the same splits?"),
        ("Permutation test", 'pc.cross_validate("species ~ .", iris, eps=1.0, cv=5).permutation_test(resamples=99).plot();',
         "How low is the error if the classes are permuted?"),
        ("Why", 'exact.plot("why", new=50);', "Which variables support the class of a row, and which another class?"),
        ("Importance", 'fit.plot("importance", resamples=5);', "How much does the error increase if a variable is permuted?"),
    ],
    "New rows": [
        ("Confusion, held out", 'fit.plot("confusion");', "Which classes are misclassified as which, in cross-validation?"),
        ("Confusion, tested", "test.plot();", "The same on independent rows."),
        ("ROC curve", 'test.plot("roc");', "How well does the probability separate one class from the rest?"),
        ("Bands of the ROC curve", 'test.plot("roc_band");', "How uncertain is this curve?"),
        ("Precision and recall", 'test.plot("pr");', "The same for a rare class."),
        ("Calibration", 'test.plot("calibration");', "Do predicted probabilities agree with observed proportions?"),
        ("Decision curve", 'test.plot("decision");', "At which thresholds is the net benefit above that of predicting all rows or none?"),
        ("Threshold", 'diagnosis.threshold("malignant", sensitivity=0.95).plot();', "What does another threshold cost?"),
        ("Coverage of sets", 'test.plot("coverage");', "How often do prediction sets contain the true class?"),
        ("By group", 'diagnosis.test(new, by=(new["mean_texture"] > 19).rename("coarse")).plot();',
         "Is the error the same in every group?"),
    ],
    "Dissimilarities": [
        ("Matrix", 'dissimilarity.plot(by=iris["species"]);', "Are the classes compact groups?"),
        ("Distributions", 'dissimilarity.plot(by=iris["species"], kind="distributions");',
         "How far apart are rows of the same class, and of different classes?"),
        ("Spectrum", "dissimilarity.spectrum().plot();", "Are these distances Euclidean, and in how many dimensions?"),
        ("Embedding", 'dissimilarity.embed(2).plot(by=iris["species"]);', "The rows as points of this space."),
    ],
}  # fmt: skip
