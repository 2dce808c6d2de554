"""The pages of the site that are made from tables: vignettes by question, the gallery, the reference."""

from __future__ import annotations

import ast
from pathlib import Path

from gallery import PICTURES, SETUP

import protoclass
from protoclass.vignettes import vignette

# the vignettes under the questions that they answer; one that is in no list stands under the last heading
QUESTIONS: dict[str, dict[str, str]] = {
    "Which data do you have?": {
        "getting_started": "A table of measurements, and a class for each row",
        "a_rare_outcome": "Patients, few of whom have the outcome",
        "dissimilarities": "A mixed table with missing values; columns in different units, or useless ones",
        "strings_pictures_matrices": "Strings, images, a custom dissimilarity, a given matrix",
        "proximity_data": "Only a matrix of distances or similarities",
        "beyond_memory": "More rows than memory takes, or rows on several machines",
    },
    "What do you want to know?": {
        "explorers": "Why is this row misclassified?",
        "choosing_the_radius": "Which radius, and is the answer near the optimum?",
        "prototypes_as_summary": "Which few rows summarise the data?",
        "two_patients": "Are two typical cases enough, and which variables matter?",
        "how_many_prototypes": "How many prototypes, and which method?",
        "other_good_answers": "How stable are the prototypes, and are they unique?",
        "comparing_methods": "Which method, and is the difference more than chance?",
        "set_covering_machine": "Which short rule classifies, and what is the bound on its error?",
    },
    "What do you want to build?": {"a_method_of_your_own": "A method or a metric of your own"},
}
ALONE = ("from_r",)  # in the site's contents by themselves

# a public name stands under the heading that has it, or else its module, or else its folder
GROUPS = {
    "Fitting, validating, comparing": ("fitting", "estimation", "analysis"),
    "Looking": ("fitting.explore", "widgets"),
    "Methods": ("models",),
    "Dissimilarities": ("metrics",),
    "Estimators of scikit-learn": ("sklearn",),
    "Files, cards, proofs": ("export", "ground.savable"),
    "Data and vignettes": ("frames", "vignettes"),
    "Options of the session": ("ground.options",),
    "Errors": ("ground.errors",),
    "A method or metric of your own": (
        "models.base", "models.registry", "metrics.base", "metrics.wrappers.Wrapper", "core.task", "core.query",
        "core.neighbours.nearest", "testing",
    ),
}  # fmt: skip
REST = "Bounds"

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
    table = vignette().table
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
        "Each is a notebook, and its output was made by the code that this page documents. "
        '`protoclass.vignette("getting_started")` writes one into the working folder, to be run and changed. '
        "If you know R or scikit-learn, see the two tables in "
        "[From R and scikit-learn to protoclass](from_r.md); what the package stands on is reproduced in [The papers](../papers.md)."
    )
    return "\n".join(["# Vignettes\n", written, "", *lines, tree, ""])


def gallery() -> str:
    """The notebook of all pictures, each with the code that makes it."""
    cell = "```{{code-cell}}\n{}\n```\n"
    head = "Every kind of picture, with the line that makes it; a click shows it large. They start from these fits:"
    lines = [NOTEBOOK, "# Gallery\n", head, "", cell.format(SETUP)]
    for title, pictures in PICTURES.items():
        lines += [f"## {title}\n"]
        for name, code, says in pictures:
            lines += [f"### {name}\n", f"{says}\n", cell.format(code)]
    return "\n".join(lines)


def reference() -> str:
    """The page that lists all public names; autosummary writes a page for each."""
    heading = {module: title for title, modules in GROUPS.items() for module in modules}
    listed: dict[str, list[str]] = {title: [] for title in [*GROUPS, REST]}
    stub = ast.parse(Path(protoclass.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes = {alias.name: node.module or alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    order = [module for modules in GROUPS.values() for module in modules]
    place = {
        name: next((at for at in (f"{home}.{name}", home) if at in heading), home.split(".")[0]) for name, home in homes.items()
    }
    for name in sorted(homes, key=lambda name: order.index(place[name]) if place[name] in order else len(order)):
        listed[heading.get(place[name], REST)].append(name)
    lines = ["Reference", "=========", "", ".. currentmodule:: protoclass", ""]
    for title, names in listed.items():
        lines += [title, "-" * len(title), "", ".. autosummary::", "   :toctree: .", "   :nosignatures:", ""]
        lines += [f"   {name}" for name in names] + [""]
    return "\n".join(lines)

