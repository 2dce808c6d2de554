"""Vignettes: notebooks that walk through the package on data, kept as text."""

from __future__ import annotations

import json
import os
import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from .ground.checks import either, one_of
from .ground.errors import DataError, OptionError, brief
from .ground.files import write_file

HERE = files(__package__)  # also in a zip
# in the wheel; in a checkout
FOLDERS = (HERE / "vignettes_text", Path(__file__).resolve().parent.parent / "vignettes")

# all vignettes, in the order of reading
READING = (
    "getting_started", "from_r", "with_scikit_learn", "choosing_the_radius",
    "prototypes_as_summary", "two_patients", "the_cases_behind_a_forest", "how_many_prototypes",
    "explorers", "dissimilarities", "strings_pictures_matrices", "proximity_data",
    "set_covering_machine", "comparing_methods", "other_good_answers", "a_rare_outcome",
    "prediction_sets", "beyond_memory", "a_method_of_your_own",
)  # fmt: skip

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def vignette(
    name: str | None = None, folder: str | Path = ".", overwrite: bool = False
) -> Any:
    """List the vignettes, or write one as a notebook.

    Parameters
    ----------
    name : str, optional
        Name of a vignette, such as "getting_started". Default: list the vignettes.
    folder : str or Path
        Folder for `name`.ipynb. Default: the working folder.
    overwrite : bool
        Whether to replace an existing file.

    Returns
    -------
    DataFrame or Path
        The list, in the recommended order, with `title` and `description` by name; or the path of
        the notebook, after a printed line with instructions to open it.

    Raises
    ------
    OptionError
        If the vignette or folder does not exist, or if the file exists and `overwrite` is False.
    FileError
        If the file cannot be written, for example because the disk is full; no partial file is left
        then.

    Examples
    --------
    >>> vignette().loc["getting_started", "title"]
    'Getting started'
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = vignette("getting_started", folder)  # doctest: +ELLIPSIS
    Wrote ...getting_started.ipynb
    ...
    >>> path.name
    'getting_started.ipynb'
    """
    one_of("overwrite", overwrite, (True, False))
    texts = shipped()
    if name is None:
        return pd.DataFrame([front(text) for text in texts.values()], pd.Index(texts, name="name"))
    if not isinstance(name, str) or name not in texts:
        raise OptionError(f"there is no vignette {brief(name)}: use {either(texts)}")
    if not isinstance(folder, (str, Path)) or not os.path.isdir(folder):
        raise OptionError(f"folder={brief(folder)} does not exist: create it first, or use another")
    path = Path(folder) / f"{name}.ipynb"
    if not overwrite and os.path.lexists(path):
        raise OptionError(
            f"{path} exists and may contain your work: rename it, use another folder=, or replace it by overwrite=True"
        )
    write_file(path, json.dumps(notebook(texts[name]), indent=1, ensure_ascii=False), overwrite)
    print(
        f"Wrote {path}\nOpen it by a double click in JupyterLab, or in the shell: jupyter lab {shlex.quote(str(path))}"
    )
    return path


def shipped() -> dict[str, str]:
    """The texts of the vignettes by name, in the order of reading."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    if folder is None:
        raise DataError(
            "the vignettes are missing from this installation of protoclass: reinstall it"
        )
    return {name: (folder / f"{name}.md").read_text(encoding="utf-8") for name in READING}


def front(text: str) -> dict[str, str]:
    """Title and description of a vignette's text."""
    title, description = (
        re.findall(rf"^{mark} (.+)$", text, re.MULTILINE)[0] for mark in ("#", "description:")
    )
    return {"title": title, "description": description}


def notebook(text: str) -> dict[str, Any]:
    """The notebook of a vignette's text.

    Parameters
    ----------
    text : str
        The part of MyST markdown (https://mystmd.org) that the vignettes keep to: front matter
        between lines of three dashes, markdown, and cells of code fenced by three backticks and
        `{code-cell}`, without options.

    Returns
    -------
    dict
        As JSON it is a file of nbformat 4.5, with no outputs.

    Examples
    --------
    >>> fence = "`" * 3
    >>> text = f"---\\nkernelspec: ...\\n---\\n\\n# Sums\\n\\n{fence}{{code-cell}}\\n1 + 1\\n{fence}\\n"
    >>> [(cell["cell_type"], cell["source"]) for cell in notebook(text)["cells"]]
    [('markdown', ['# Sums']), ('code', ['1 + 1'])]
    """
    body = text.split("---\n", 2)[2]
    cells: list[dict[str, Any]] = []
    for number, part in enumerate(CELL.split(body)):
        source = part.rstrip().lstrip("\n").splitlines(keepends=True)
        if not source:
            continue
        cell: dict[str, Any] = {
            "id": f"cell-{len(cells) + 1}",
            "cell_type": "markdown",
            "metadata": {},
            "source": source,
        }
        if number % 2:
            cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
        cells.append(cell)
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
