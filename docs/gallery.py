"""Every kind of picture: the table that the page of the site, and its test, are made of. One entry is one picture."""

from __future__ import annotations

SETUP = """\
import protoclass as pc

pc.options.progress = False
iris, cancer = pc.load_data("iris"), pc.load_data("breast_cancer")
digits = pc.load_data("digits").groupby("digit", observed=True).head(60)
train = cancer.sample(frac=2 / 3, random_state=0)
new = cancer.drop(train.index)

fit = pc.fit("species ~ .", iris)
exact = pc.fit("species ~ .", iris, eps=1.0, solver="exact")
written = pc.fit("digit ~ .", digits, dissimilarity=pc.Euclidean(scale=False), eps=30.0)
test = pc.fit("diagnosis ~ .", train).calibrate().test(new)
dissimilarity = pc.dissimilarity("species ~ .", iris, "manhattan")"""

# heading: title of the picture, the code that makes it, what it answers; a semicolon ends what draws and has a value besides
PICTURES: dict[str, list[tuple[str, str, str]]] = {
    "What was chosen": [
        ("Prototypes on a map", "fit.plot();", "Which rows were chosen, and which rows does each hold?"),
        ("Prototypes in a plane", 'pc.fit("species ~ petal_length + petal_width", iris).plot();',
         "With two predictors: the balls themselves, and the regions of the classes."),
        ("Several radii", 'exact.plot("radii", eps=[0.5, 1.0, 1.5, 2.0]);', "What does a larger radius change?"),
        ("Progress", 'fit.plot("progress");', "What did each prototype add to those before it?"),
        ("Cards", 'exact.plot("profiles");', "How does each prototype differ from the median of its class?"),
        ("Features of a rule", 'pc.fit("diagnosis ~ .", train, "scm", features="stumps", penalty=2.0, stop=3).plot();',
         "Of a rule without prototypes: which thresholds, and what lies beyond them?"),
        ("Conditions of a rule", 'pc.fit("diagnosis ~ .", train, "scm", features="stumps", penalty=2.0, stop=3).plot("rule");',
         "Which rows does each condition settle, and which come to the next?"),
        ("Weights of the columns", 'pc.fit("species ~ .", iris, "knn", k=5, dissimilarity=pc.Learned("lda")).plot("weights");',
         "What does each column count in a metric that was learned?"),
    ],
    "Rows that are pictures": [
        ("Images", 'written.plot("images", shape=(8, 8), count=30);', "The prototypes, as what they are."),
        ("A map of images", 'written.plot("map", shape=(8, 8), count=40);', "Which prototypes are alike?"),
        ("Miscovered", 'written.plot("miscovered", shape=(8, 8), prototype=written.prototypes["miscovered"].idxmax());',
         "Which rows of other classes does a prototype hold?"),
        ("Misclassified", 'written.plot("misclassified", shape=(8, 8), count=5, size=20);',
         "What is predicted wrongly, and which prototypes spoke?"),
    ],
    "How good is the choice": [
        ("Error curve", "fit.validation.plot();", "Which radius, by which rule, and by how much does it matter?"),
        ("Error against size", 'fit.plot("validation", x="size");', "What does an error less cost in prototypes?"),
        ("Frontier", 'fit.plot("frontier");', "What does it cost to have fewer prototypes, and to have the fewest?"),
        ("Two parameters", 'pc.cross_validate("species ~ .", iris, lambda_=[0.01, 0.5, 1.5, 3]).plot();',
         "The errors of a grid of two parameters."),
        ("Error of the first prototypes", 'fit.plot("path");', "How many prototypes would have done?"),
        ("Solvers", 'exact.plot("solvers", eps=[0.5, 1.0, 1.5, 2.0]);', "How far is each answer from the proved bound?"),
        ("Alternatives", 'exact.plot("alternatives", within=0.1);', "Which prototypes could be left out or replaced?"),
        ("Criticisms", 'exact.plot("criticisms", n=8);', "Which rows do the prototypes explain worst?"),
    ],
    "How sure": [
        ("Stability", "exact.stability(B=50).plot();", "Would another sample choose the same prototypes?"),
        ("Methods beside one another", 'pc.compare("species ~ .", iris, ["pvm", "knn", "centroids"], cv=5).plot();',
         "Which method errs least, on the same splits?"),
        ("Prices of prototypes", 'pc.compare("species ~ .", iris, ["pvm", pc.KMedoids(K=[1, 2, 4])], cv=5).plot("frontier");',
         "What do fewer prototypes cost, on rows that had no part in any choice, and with which method?"),
        ("Permuted classes", 'pc.cross_validate("species ~ .", iris, eps=1.0, cv=5).permutation_test(B=99).plot();',
         "Could chance alone reach this error?"),
        ("Why", 'exact.plot("why", row=50);', "Which variables speak for the class of a row, and which against it?"),
        ("Why, several rows", 'exact.plot("why", row=[50, 70, 106]);', "The same for up to six rows, on one scale."),
        ("Importance", 'fit.plot("importance", repeats=5);', "By how much does the error grow when a variable is permuted?"),
    ],
    "New rows": [
        ("Confusion, held out", 'fit.plot("confusion");', "Which classes are taken for one another, in cross-validation?"),
        ("Confusion, tested", "test.plot();", "And on rows that had no part in any choice?"),
        ("ROC curve", 'test.plot("roc");', "How well does the chance tell one class from the rest?"),
        ("Bands of the ROC curve", 'test.plot("roc_band");', "How sure is this curve?"),
        ("Precision and recall", 'test.plot("pr");', "The same where one class is rare."),
        ("Calibration", 'test.plot("calibration");', "Do chances come true?"),
        ("Coverage of sets", 'test.plot("coverage");', "How often do prediction sets hold the true class?"),
        ("Perturbation", 'test.plot("perturbation");', "How many errors, if every row may move by so much?"),
        ("By group", 'fit.test(iris, by=iris["petal_width"].gt(1.3).rename("wide")).plot();',
         "Is the error the same in every group?"),
    ],
    "Dissimilarities": [
        ("Matrix", 'dissimilarity.plot(by=iris["species"]);', "Are the classes tight groups?"),
        ("Distributions", 'dissimilarity.plot(by=iris["species"], kind="distributions");',
         "How far apart are rows of one class, and of two?"),
        ("Spectrum", "dissimilarity.spectrum().plot();", "Are these distances of some space, and of how many axes?"),
        ("Embedding", 'dissimilarity.embed(2).plot(by=iris["species"]);', "The rows as points of that space."),
    ],
}  # fmt: skip
