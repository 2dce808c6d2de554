"""Pictures of all kinds on many data sets, in two styles and three sizes, and what is wrong with their looks.

`python tests/plots/pictures.py --out build/pictures` writes them and prints their faults; `--only iris`, `--kinds map why`,
`--sizes own` and `--styles dark_background` take a part. Data sets of the papers are there where PROTOCLASS_DATA names their folder.
"""

import argparse
import os
import sys
import warnings
from functools import cache
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from looks import find_faults

import protoclass as pc
from protoclass.pictures import KINDS

STYLES = ("default", "dark_background")
SIZES = {"own": None, "small": (2.4, 1.8), "large": (14.0, 10.0)}
LONG = "a class with a very long name that goes on and on, of the kind"


def long_labels():
    """Twelve classes with long names, and predictors with long names that begin with an underscore or have dollar signs."""
    random = np.random.default_rng(0)
    code = np.repeat(np.arange(12), 12)
    places = np.column_stack([np.cos(code * np.pi / 6), np.sin(code * np.pi / 6)])
    X = np.column_stack([places + 0.18 * random.normal(size=places.shape), random.normal(size=(len(code), 2))])
    names = ["_first axis $a_1$ of the plane, measured in units with a long name", "_second axis $a_2$ of the plane, in the same", "c", "d"]
    return pd.DataFrame(X, columns=names).assign(**{"the class of each row, in words": [f"{LONG} {c}" for c in code]})


def tables():
    """Name of a data set: formula, data, keywords of `fit`."""
    plain = {"cv": 3, "repeats": 1, "progress": False}
    numbers = plain | {"dissimilarity": "euclidean"}
    out = {
        "iris": ("species ~ .", pc.load_data("iris"), numbers),
        "petals": ("species ~ petal_length + petal_width", pc.load_data("iris"), numbers),
        "wine": ("cultivar ~ .", pc.load_data("wine"), numbers),
        "breast_cancer": ("diagnosis ~ .", pc.load_data("breast_cancer"), numbers),
        "digits": ("digit ~ .", pc.load_data("digits").iloc[:600], plain | {"dissimilarity": pc.Euclidean(scale=False)}),
        "clinic": ("outcome ~ .", pc.load_data("clinic").dropna(), plain),
        "long": ("`the class of each row, in words` ~ .", long_labels(), numbers),
    }
    folder = os.environ.get("PROTOCLASS_DATA")
    if folder:
        read = lambda name: pd.read_csv(Path(folder) / f"{name}.csv")  # noqa: E731
        glass, vowel, cat = read("glass"), read("vowel"), read("cat_cortex").set_index("area")
        out["glass"] = ("type ~ .", glass.astype({"type": str}), numbers)
        vowel = vowel[vowel["split"] == "train"].drop(columns="split").astype({"vowel": str}).reset_index(drop=True)
        out["vowel"] = ("vowel ~ .", vowel, numbers)
        D = cat.drop(columns="region").set_axis(cat.index, axis=1)
        out["cat_cortex"] = ("region ~ 1", cat[["region"]], plain | {"dissimilarity": D})
    return out


class Subject:
    """A data set and what is fitted to it, each when it is first drawn."""

    def __init__(self, formula, data, keywords):
        self.formula, self.data, self.keywords = formula, data, keywords
        self.fit = pc.fit(formula, data, **keywords)
        self.square = {"digits": (8, 8)}

    @cache  # noqa: B019
    def other(self, method, **changes):
        return pc.fit(self.formula, self.data, method, **(self.keywords | changes))

    @cache  # noqa: B019
    def two(self):
        return pc.cross_validate(self.formula, self.data, eps=self.radii(6), lambda_=[0.0, 0.5, 1.0, 2.0, 4.0], **self.keywords)

    def radii(self, count):
        grid = self.fit.validation.grid["eps"]
        return grid.iloc[np.linspace(0, len(grid) - 1, count).astype(int)].tolist()

    @cache  # noqa: B019
    def test(self, cut=None, by=False):
        half = self.data.iloc[::2]
        D = self.keywords.get("dissimilarity")
        given = {"dissimilarity": D.loc[half.index, half.index]} if isinstance(D, pd.DataFrame) else {}
        fit = pc.fit(self.formula, half, "knn", **(self.keywords | given | {"k": 5, "cv": None}))
        by = pd.Series(np.arange(len(self.data)) % 3, self.data.index, name="third").iloc[1::2] if by else None
        rest, threshold = self.data.iloc[1::2], None if cut is None else {fit.classes[-1]: cut}
        if given:
            return fit.test(D.loc[rest.index, half.index].assign(region=rest["region"]), threshold=threshold, by=by)
        return fit.test(rest, threshold=threshold, by=by)

    @cache  # noqa: B019
    def learned(self):
        """A fit whose metric has learned what the columns count."""
        return pc.fit(self.formula, self.data, "knn", **(self.keywords | {"k": 5, "cv": None, "dissimilarity": pc.LDA(ridge=0)}))

    @cache  # noqa: B019
    def few(self):
        """The fit at a radius that leaves some prototypes."""
        return self.fit.update(eps=self.radii(8)[5], cv=None)

    @cache  # noqa: B019
    def result(self, name, **options):
        return getattr(self.few(), name)(**options)


def kinds():
    """Name of a picture: a function of a Subject and Axes (None for a figure of its own)."""
    out = {
        "prototypes": lambda s, ax: s.fit.plot(ax=ax),
        "few prototypes": lambda s, ax: s.few().plot(ax=ax),
        "two columns": lambda s, ax: s.few().plot(ax=ax, **dict(zip("xy", list(s.fit.frame.columns)[:2], strict=False))),
        "validation": lambda s, ax: s.fit.plot("validation", ax=ax),
        "validation with band": lambda s, ax: s.fit.plot("validation", ax=ax, band=0.95),
        "validation by size": lambda s, ax: s.fit.plot("validation", ax=ax, x="size"),
        "validation of two": lambda s, ax: s.two().plot(ax=ax),
        "path": lambda s, ax: s.fit.plot("path", ax=ax, cv=3),
        "importance": lambda s, ax: s.few().plot("importance", ax=ax, resamples=2, cv=2),
        "stability": lambda s, ax: s.result("stability", resamples=6).plot(ax=ax),
        "alternatives": lambda s, ax: s.result("alternatives").plot(ax=ax),
        "criticisms": lambda s, ax: s.result("criticisms").plot(ax=ax),
        "why": lambda s, ax: s.few().plot("why", ax=ax, new=s.data.index[-1]),
        "stumps": lambda s, ax: s.other("scm", features="stumps", kind="disjunction", penalty=2.0, max_size=4).plot(ax=ax),
        "machine path": lambda s, ax: s.other("scm", features="stumps", kind="disjunction", penalty=2.0, max_size=4).plot("path", ax=ax),
        "hyperplane": lambda s, ax: s.other("hyperplane", C=1.0).plot(ax=ax),
        "test confusion": lambda s, ax: s.test().plot("confusion", ax=ax),
        "roc": lambda s, ax: s.test().plot("roc", ax=ax),
        "roc band": lambda s, ax: s.test(cut=0.3).plot("roc_band", ax=ax),
        "pr": lambda s, ax: s.test(cut=0.3).plot("pr", ax=ax),
        "groups": lambda s, ax: s.test(by=True).plot(ax=ax),
        "calibration": lambda s, ax: s.test().plot("calibration", ax=ax),
        "matrix": lambda s, ax: s.fit.dissimilarity.plot(by=s.data[s.fit.frame.formula.response], ax=ax),
        "distributions": lambda s, ax: s.fit.dissimilarity.plot(by=s.data[s.fit.frame.formula.response], kind="distributions", ax=ax),
        "spectrum": lambda s, ax: s.fit.dissimilarity.spectrum().plot(ax=ax),
        "embedding": lambda s, ax: s.fit.dissimilarity.embed(2).plot(by=s.data[s.fit.frame.formula.response], ax=ax),
    }
    out["weights"] = lambda s, ax: s.learned().plot("weights", ax=ax)
    out = {kind: lambda s, ax, kind=kind: s.few().plot(kind, ax=ax) for kind in KINDS} | out
    several = {
        "rule": lambda s, ax: s.other("scm", features="balls+stumps", kind="disjunction", penalty=2.0, max_size=4).plot("rule"),
        "images": lambda s, ax: s.fit.plot("images", shape=(8, 8)),
        "misclassified": lambda s, ax: s.few().plot("misclassified", shape=(8, 8)),
    }
    return {kind: draw for kind, draw in out.items() if kind not in several}, several


def draw(subject, kind, style, size):
    """A picture and what is wrong with its looks; None where the data have no such picture."""
    single, several = kinds()
    if kind in several and size != "own":
        return None
    with mpl.style.context(style):
        given = None if SIZES[size] is None else plt.subplots(figsize=SIZES[size])[1]
        try:
            drawn = (single | several)[kind](subject, given)
        except (pc.errors.NotAvailableError, pc.errors.OptionError, pc.errors.DataError) as reason:
            plt.close("all")
            return str(reason)
        figure = drawn if kind in several else drawn.figure
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            faults = find_faults(figure)
        return figure, [*faults, *(f"warning: {w.message}" for w in caught)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="build/pictures")
    parser.add_argument("--only", nargs="*", help="data sets")
    parser.add_argument("--kinds", nargs="*")
    parser.add_argument("--styles", nargs="*", default=STYLES)
    parser.add_argument("--sizes", nargs="*", default=list(SIZES))
    options = parser.parse_args()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    single, several = kinds()
    names = options.kinds or [*single, *several]
    count = wrong = 0
    for data, call in tables().items():
        if options.only and data not in options.only:
            continue
        subject = Subject(*call)
        for kind in names:
            for style in options.styles:
                for size in options.sizes:
                    made = draw(subject, kind, style, size)
                    if made is None:
                        continue
                    if isinstance(made, str):
                        break
                    figure, faults = made
                    path = f"{data}-{kind.replace(' ', '_')}-{style}-{size}.png"
                    figure.savefig(out / path, dpi=200 if size == "small" else 40 if size == "large" else 80)
                    plt.close("all")
                    count, wrong = count + 1, wrong + bool(faults)
                    for fault in faults:
                        print(f"{data}, {kind}, {style}, {size}: {fault}", flush=True)
    print(f"{count} pictures in {out}, {wrong} with faults")
    return wrong > 0


if __name__ == "__main__":
    mpl.use("Agg")
    sys.exit(main())
