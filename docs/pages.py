"""The pages of the site that are generated from tables: vignettes by question, the gallery, the reference."""

from __future__ import annotations

import ast
from pathlib import Path

from gallery import PICTURES, SETUP

import protoclass
from protoclass.vignettes import vignette

# the vignettes under the questions that they answer; one that is in no list is listed under the last heading
QUESTIONS: dict[str, dict[str, str]] = {
    "Which data do you have?": {
        "getting_started": "A table of measurements with a class for each row",
        "dissimilarities": "A mixed table with missing values, columns in different units, or time series",
        "a_rare_outcome": "Imbalanced classes: patients, few of whom have the outcome",
        "strings_pictures_matrices": "Strings, images, a custom dissimilarity, a given matrix",
        "proximity_data": "Only a matrix of distances or similarities",
        "beyond_memory": "Files, databases, and more rows than fit in memory",
    },
    "What do you want to know?": {
        "choosing_the_radius": "Which radius, and how far is the solution from the optimum?",
        "how_many_prototypes": "Which method, and how many prototypes?",
        "comparing_methods": "Which method, and is the difference significant?",
        "prediction_sets": "How certain is a prediction, and why this class?",
        "explorers": "Why is this row misclassified?",
        "prototypes_as_summary": "Which few rows summarise the data?",
        "other_good_answers": "How stable are the prototypes, and are they unique?",
        "two_patients": "Are two typical cases enough, and which variables matter?",
        "the_cases_behind_a_forest": "Which cases are behind a random forest?",
        "set_covering_machine": "Which short rule classifies, and what is the bound on its error?",
    },
    "What do you want to build?": {"a_method_of_your_own": "A custom method or metric"},
}
ALONE = ("from_r", "with_scikit_learn")  # have their own entries in the contents of the site

# a public name is listed under the heading of the name, or else of its module, or else of its folder
GROUPS = {
    "Fitting, validating, comparing": ("fitting.fit", "fitting", "estimation", "analysis", "candidates"),
    "Methods": ("models",),
    "Dissimilarities": ("metrics",),
    "Estimators of scikit-learn": ("sklearn",),
    "Saving, explorers, data, options": ("export", "frames", "vignettes", "ground.options", "widgets"),
    "Results and errors": ("results", "errors", "ground.errors"),
    "Custom methods and metrics": (
        "models.base", "models.registry", "metrics.base", "extend", "testing",
    ),
}  # fmt: skip

# the members of a class under headings; those in no list stand under the last one
MEMBERS = {
    "Fit": {
        "Predict and test": "predict predict_to test calibrate threshold",
        "Parts": "prototypes classes formula call params model rule dissimilarity frame nobs dropped",
        "Errors and bounds": "validation objective certificate bound",
        "Explain": "why importance criticisms alternatives stability",
        "Change": "update at path slim",
        "Show": "plot explore summary tidy glance augment",
        "Report and save": "card report save reproduce sql",
    },
    "Validation": {},
    "Dissimilarity": {},
}
REST = "Members"

NOTEBOOK = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""


def contents() -> str:
    """The page that lists the vignettes by question."""
    table = vignette()
    asked = {name for listed in QUESTIONS.values() for name in listed}
    others = {name: table.title[name] for name in table.index if name not in asked and name not in ALONE}
    lines = []
    for question, listed in {**QUESTIONS, "Other": others}.items():
        lines += [f"## {question}\n"] if listed else []
        for name, short in listed.items():
            lines += [f"{short}", f": [{table.title[name]}]({name}.md). {table.description[name]}\n"]
    inside = [name for name in table.index if name not in ALONE]
    tree = "\n".join(["```{toctree}", ":hidden:", *inside, "```"])
    written = (
        "Each vignette is a notebook, run with the version that this site documents. "
        '`protoclass.vignette("getting_started")` writes one into the working folder, so you can run and change it. '
        "If you know R or scikit-learn, see [From R to protoclass](from_r.md) and [With scikit-learn](with_scikit_learn.md). "
        "The tables and figures of the original papers are reproduced in [The papers](../papers.md)."
    )
    return "\n".join(["# Vignettes\n", written, "", *lines, tree, ""])


def gallery() -> str:
    """The notebook of all plots, each with its code folded below it."""
    cell = "```{{code-cell}}\n:tags: [hide-input]\n{}\n```\n"
    lines = [NOTEBOOK.replace("---\n", "---\nhide-toc: true\n", 1), "# Gallery\n"]
    lines += ["Every kind of plot. Click a plot to enlarge it, and the line below it for its code.\n"]
    for title, pictures in PICTURES.items():
        lines += [f"## {title}\n"]
        for name, code, question in pictures:
            lines += [f"### {name}\n", f"{question}\n", cell.format(code)]
    lines.insert(3, cell.format(SETUP).replace("hide-input", "hide-cell"))
    return "\n".join(lines)


def reference() -> str:
    """The page that lists all public names; autosummary writes a page for each."""
    heading = {module: title for title, modules in GROUPS.items() for module in modules}
    order = list(heading)
    stub = ast.parse(Path(protoclass.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: node.module or alias.name for node in imports for alias in node.names}
    place = {
        name: next(at for at in (f"{home}.{name}", home, home.split(".")[0]) if at in heading)
        for name, home in homes.items()
    }
    names = sorted(homes, key=lambda name: (order.index(place[name]), name[0].isupper(), name.lower()))
    lines = ["Reference", "=========", "", ".. currentmodule:: protoclass", ""]
    for title in GROUPS:
        lines += [title, "-" * len(title), "", ".. autosummary::", "   :toctree: .", "   :nosignatures:", ""]
        lines += [f"   {name}" for name in names if heading[place[name]] == title] + [""]
    return "\n".join(lines)


def members() -> dict[str, dict[str, list[str]]]:
    """The public members of the classes with many, by heading."""
    found = {}
    for name, groups in MEMBERS.items():
        made = getattr(protoclass, name)
        public = sorted({*dir(made), *made.__dataclass_fields__})
        found[name] = {title: listed.split() for title, listed in groups.items()}
        grouped = [member for listed in found[name].values() for member in listed]
        found[name][REST] = [
            member for member in public if member[0] != "_" and member not in grouped
        ]
    return found
