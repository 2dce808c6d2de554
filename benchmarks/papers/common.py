"""What the scripts of this folder share: the Report, its pictures, the data, and tables of ours beside the paper's.

A script is a module with a function `report(...) -> Report`, whose parameters all have defaults and become options of the
command. `python benchmarks/papers/NAME.py` prints the report; with --write it goes to NAME.md and its figures to figures/.
"""

from __future__ import annotations

import argparse
import datetime
import inspect
import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import protoclass as pc

HERE = Path(__file__).resolve().parent
LARGEST = 60_000  # bytes of a picture
HEAD = ("of the paper", "how close")  # of the table that run.py reads again

PAPERS = {
    "PVM": "Bien and Tibshirani (2009), Classification by set cover: the prototype vector machine",
    "SCM": "Marchand and Shawe-Taylor (2001), Learning with the set covering machine",
    "GHBO": "Graepel, Herbrich, Bollmann-Sdorra and Obermayer (1998), Classification on pairwise proximity data",
    "V18": "Visagan (2018), Prototype selection for nearest neighbors classification, a course report",
    "ESL13": "notes on chapter 13 of Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning",
}

# what no public archive serves by name: file, what is in it, and where it comes from
SOURCES = {
    "cat_cortex.csv": "65 areas of the cat's cortex, columns area, region, d1 to d65: data/dissimilarities/catcortex.npy and "
    "catcortex-labels.npy of github.com/dalab/matrix-manifolds, labels 1 to 4 named A, V, SS, FL",
    "globin_protein.csv": "213 globins, columns protein, class, d1 to d213: data/protein.RData of github.com/cran/evclust",
    "scop_sequences.csv.gz": "protein domains, columns sequence_id, length, sequence: data/2.8.train.fasta of "
    "github.com/QData/FastSK, sequences numbered in order of first appearance",
    "scop_membership.csv.gz": "columns family, split, sequence_id, positive, from the headers of the same file",
    "vowel.csv": "Deterding's vowels, columns split (train or test), x1 to x10, vowel: vowel.train and vowel.test of "
    "github.com/cran/ElemStatLearn",
}  # fmt: skip


@dataclass(frozen=True)
class Report:
    """What a script found.

    Attributes
    ----------
    title : str
    covers : mapping
        Of items of a paper, such as "PVM figure 3, left", to a sentence that says how close ours is.
    body : str
        Markdown. It shows every figure once, as `![what is seen](figures/NAME.png)`.
    figures : mapping
        Of names NAME.png to figures of matplotlib.
    """

    title: str
    covers: Mapping[str, str]
    body: str
    figures: Mapping[str, Any] = field(default_factory=dict)


def file(name: str) -> Path:
    """A file of the folder that PROTOCLASS_DATA names; leaves with what to download where there is none."""
    folder = os.environ.get("PROTOCLASS_DATA")
    if folder and (Path(folder) / name).exists():
        return Path(folder) / name
    where = f"the folder that PROTOCLASS_DATA names ({folder})" if folder else "a folder that PROTOCLASS_DATA names"
    raise SystemExit(f"{name} is needed in {where}. It holds {SOURCES[name]}.")


def fetched(name: str) -> pd.DataFrame:
    """`pc.fetch_data`; leaves with what it says where the set is neither in PROTOCLASS_DATA nor at OpenML."""
    try:
        return pc.fetch_data(name)
    except pc.errors.DataError as reason:
        raise SystemExit(str(reason)) from None


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def spread(values: Any, digits: int = 1, unit: str = "") -> str:
    """Mean +- standard error."""
    values = np.asarray(values, float)
    return f"{values.mean():.{digits}f} +- {values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}{unit}"


def save(figure: Any, path: Path) -> None:
    """Write a PNG of 128 colours, of as many dots per inch as keep it small."""
    from PIL import Image

    for dots in (110, 95, 80, 65):
        whole = BytesIO()
        figure.savefig(whole, format="png", dpi=dots)
        Image.open(whole).convert("RGB").quantize(128).save(path, optimize=True)
        if path.stat().st_size <= LARGEST:
            return
    raise ValueError(f"{path.name} takes {path.stat().st_size} bytes, above {LARGEST}: draw less")


def text(found: Report, name: str, seconds: float, options: str = "") -> str:
    """The report as markdown, with the command that made it and what it took."""
    shown = re.findall(r"\]\(figures/([^)]+)\)", found.body)
    if sorted(shown) != sorted(found.figures):
        raise ValueError(f"the body shows {sorted(shown)}, and the figures are {sorted(found.figures)}")
    machine = f"{os.cpu_count()} cores, {platform.system()}"
    made = (
        f"`python benchmarks/papers/{name}.py {options}--write`, {datetime.date.today()}, {seconds:.0f} s on {machine}."
    )
    return f"# {found.title}\n\n{made}\n\n{table(HEAD, found.covers.items())}\n\n{found.body.strip()}\n"


def main(report: Callable[..., Report]) -> None:
    """The command of a script: every parameter of `report` is an option."""
    import matplotlib

    matplotlib.use("Agg")
    path = Path(inspect.getfile(report)).resolve()
    parser = argparse.ArgumentParser(description=(inspect.getmodule(report).__doc__ or "").split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write {path.stem}.md and its figures")
    known = inspect.signature(report).parameters.values()
    for one in known:
        parser.add_argument(f"--{one.name}", type=type(one.default), default=one.default, help="default: %(default)s")
    given = vars(parser.parse_args())
    write = given.pop("write")
    start = time.perf_counter()
    found = report(**given)
    told = "".join(f"--{one.name} {given[one.name]} " for one in known if given[one.name] != one.default)
    body = text(found, path.stem, time.perf_counter() - start, told)
    print(body)
    if write:
        path.with_suffix(".md").write_text(body)
        for name, figure in found.figures.items():
            save(figure, HERE / "figures" / name)
