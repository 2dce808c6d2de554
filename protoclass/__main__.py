"""The front door for the shell: python -m protoclass "species ~ ." data/iris.csv; the words `explore` and `reproduce` before it."""

from __future__ import annotations

import argparse
import io
import os
import shutil
import sys
import tempfile
import warnings
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import Any

from .ground.errors import NotAvailable, OptionError, ProtoclassError, in_letters_of, visible_lines
from .ground.files import make_folder, read_csv, write_file

NARROW, WIDE = 40, 120  # columns between which notes are wrapped
PARAMETERS = "Further options are parameters of the method, such as --eps 1.0, --eps 0.5,1,2 or --k grid. "


def main(argv: list[str] | None = None) -> int:
    """Fit, print the summary and, with --out, write the figures; after `explore` open a page; after `reproduce` run the
    call of a saved fit again.

    Returns the exit status.
    """
    words = sys.argv[1:] if argv is None else argv
    try:
        with notices():
            if words[:1] == ["explore"]:
                options, rest = exploring().parse_known_args(words[1:])
                explore(options, _parameters(rest))
            elif words[:1] == ["reproduce"]:
                return reproduce(reproducing().parse_args(words[1:]))
            else:
                options, rest = fitting().parse_known_args(words)
                print(in_letters_of(sys.stdout, run(options, _parameters(rest))), flush=True)
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ProtoclassError, OSError) as reason:
        print(f"protoclass: {reason}", file=sys.stderr)
        return 2
    return 0


def fitting() -> argparse.ArgumentParser:
    """The words that fit."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="python -m protoclass",
        usage='python -m protoclass "response ~ predictors" data.csv [options]',
        description="Fit a prototype classifier to a CSV file, print its summary and write its figures. With the word explore "
        "before the formula: look at it in a browser (python -m protoclass explore --help). With the word reproduce: run "
        "the call of a saved fit again on its data (python -m protoclass reproduce --help).",
        epilog=PARAMETERS
        + 'Example: python -m protoclass "species ~ ." data/iris.csv --method pvm --eps 1.0 --cv 10 --out figures',
    )
    _common(parser)
    parser.add_argument("--out", metavar="DIR", help="write the figures into this folder")
    return parser


def exploring() -> argparse.ArgumentParser:
    """The words that open the explorers."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="python -m protoclass explore",
        usage='python -m protoclass explore "response ~ predictors" data.csv [options]',
        description="Fit a prototype classifier to a CSV file and look at its prototypes in a browser: they are written as one page "
        "that needs neither Python nor a network, and the browser opens it. With --save FILE the page is written there, and not opened.",
        epilog=PARAMETERS + 'Example: python -m protoclass explore "species ~ ." data/iris.csv --method pvm --eps grid',
    )
    _common(parser)
    parser.add_argument(
        "--shape", type=_value, metavar="H,W", help="rows and columns, where rows of the data are pictures"
    )
    parser.add_argument("--save", metavar="FILE", help="such as fit.html; by default a temporary file, which the browser opens")
    return parser


def reproducing() -> argparse.ArgumentParser:
    """The words that run the call of a saved fit again."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="python -m protoclass reproduce",
        description="Run the call of a saved fit again on its data, and print for each part of the fit whether it is the same. "
        "The exit status is 0 if everything is the same, 1 if not.",
        epilog="Example: python -m protoclass reproduce iris.proto data/iris.csv",
    )
    parser.add_argument("fit", help="a file that fit.save has written")
    parser.add_argument("data", help="a CSV file with a header: the rows of the fit in their order")
    parser.add_argument("matrix", nargs="?", help="a file for read_dissimilarity: the dissimilarities, if the fit was given a matrix")
    return parser


def reproduce(options: argparse.Namespace) -> int:
    """Print what is the same; the exit status."""
    from .export.saving import load
    from .metrics.stored import read_dissimilarity

    given = {} if options.matrix is None else {"dissimilarity": read_dissimilarity(options.matrix)}
    saved = load(options.fit)
    if not hasattr(saved, "reproduce"):
        raise OptionError(f"{options.fit} contains a {type(saved).__name__}: use the file of a fit")
    result = saved.reproduce(read_csv(options.data), **given)
    print(result)
    return 0 if result else 1


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "formula", help="R's grammar, such as 'species ~ .' or 'species ~ petal_length + log(petal_width)'"
    )
    parser.add_argument("data", help="a CSV file with a header, on this machine")
    parser.add_argument(
        "--method", default="pvm", help="pvm (the default), scm, knn, kmeans ...; a word that is none lists all"
    )
    parser.add_argument(
        "--dissimilarity", default="auto", help="auto, euclidean, manhattan, chebyshev, minkowski, gower or ranks"
    )
    parser.add_argument(
        "--cv", default="auto", help="number of folds, loo, none, or auto: 10 if a parameter is to be tuned"
    )
    parser.add_argument("--choose", default="auto", help="1se (the default; min with --max-prototypes), min or, for scm, bound")
    parser.add_argument("--na", default="drop", help="rows with missing values: drop, raise or keep (Gower)")
    parser.add_argument("--seed", type=int, default=0, help="for the folds")


def run(options: argparse.Namespace, parameters: dict[str, Any]) -> str:
    """Fit; the text to print."""
    from .fitting import fit

    fitted = fit(options.formula, read_csv(options.data), **_arguments(options), **parameters)
    return page(fitted, [figures(fitted, Path(options.out))] if options.out else [])


def explore(options: argparse.Namespace, parameters: dict[str, Any]) -> None:
    """Fit and write the page; without a name for its file open it in the browser."""
    from .fitting import fit

    fitted = fit(options.formula, read_csv(options.data), **_arguments(options), **parameters)
    shape = {"shape": tuple(options.shape)} if options.shape else {}
    # the folder of the temporary file is its user's alone, and stays: the browser may read the file again
    place = Path(options.save or Path(tempfile.mkdtemp(prefix="protoclass-")) / "fit.html").resolve()
    fitted.explore(save=place, **shape)
    opened = not options.save and webbrowser.open(place.as_uri())
    print(f"The page is {place}{'' if opened else ': open it in a browser'}.")


def figures(fitted: Any, folder: Path) -> str:
    """Write every figure that the fit has; the text that names them."""
    from matplotlib.figure import Figure

    make_folder(folder)
    written = []
    for kind in ("prototypes", "confusion", "validation"):
        figure = Figure(figsize=(6.8, 4.6), layout="constrained")
        try:
            fitted.plot(kind, ax=figure.subplots())
        except NotAvailable:
            continue  # a figure that this method does not have
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=120)
        write_file(folder / f"{kind}.png", picture.getvalue())
        written.append(f"{kind}.png")
    return f"Figures in {folder.resolve()}: {', '.join(written)}"


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """Arguments of `fit` that every command has."""
    cv = None if options.cv == "none" else _value(options.cv)
    names = ("method", "dissimilarity", "choose", "na", "seed")
    return {"cv": cv, **{name: getattr(options, name) for name in names}}


def _parameters(rest: list[str]) -> dict[str, Any]:
    """`--eps 1.0 --k=1,3` as parameters."""
    words = [w for token in rest for w in (token.split("=", 1) if token.startswith("--") else [token])]
    parameters: dict[str, Any] = {}
    for name, value in zip(words[::2], [*words[1::2], None], strict=False):
        if not name.startswith("--") or value is None or value.startswith("--"):
            raise OptionError(f"{name!r} is not understood: use --name value for parameters, and see --help")
        parameter = name[2:].replace("-", "_")
        if parameter in ("formula", "data"):
            raise OptionError(f"{name} must be given without a name, as in 'species ~ .' data/iris.csv")
        parameters[parameter] = _value(value)
    return parameters


def _value(text: str) -> Any:
    if "," in text:
        return [_value(part) for part in text.split(",")]
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


@contextmanager
def notices() -> Iterator[None]:
    """Warnings as lines of the shell, each once: there is no line of code that they could point at."""
    said: set[str] = set()

    def say(message: Warning | str, *where: Any, **how: Any) -> None:
        text = visible_lines(str(message))
        if text not in said:
            said.add(text)
            print(f"protoclass: {text}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = say
        yield


def page(fitted: Any, further: Sequence[str] = ()) -> str:
    """The summary of a fit as the shell shows it, with further paragraphs after the notes."""
    summary = fitted.summary()
    width = min(WIDE, max(NARROW, shutil.get_terminal_size((WIDE, 24)).columns))
    tables = [visible_lines(table.as_text()) for table in summary.tables]
    notes = [fill(visible_lines(note), width, subsequent_indent="  ") for note in summary.notes]
    return "\n\n".join([*tables, "\n".join(notes), *further])


if __name__ == "__main__":
    sys.exit(main())
