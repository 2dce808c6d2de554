"""The command line: python -m protoclass "species ~ ." data/iris.csv, also with `explore` or
`reproduce` before the arguments."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import warnings
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .ground.errors import (
    NotAvailableError,
    OptionError,
    ProtoclassError,
    in_letters_of,
    visible_lines,
)


def main(argv: list[str] | None = None) -> int:
    """Fit and print the summary, open the explorer after `explore`, or run a saved call again after
    `reproduce`; the exit status."""
    words = sys.argv[1:] if argv is None else argv
    try:
        with notices():
            if words[:1] == ["reproduce"]:
                return reproduce(reproducing().parse_args(words[1:]))
            explores = words[:1] == ["explore"]
            options = options_of(exploring() if explores else fitting(), words[explores:])
            own = {
                name: options.pop(name) for name in (("shape", "save") if explores else ("out",))
            }
            from .fitting import fit  # not before --help

            fitted = fit(**options)
            text = explore(fitted, **own) if explores else str(fitted.summary())
            if folder := own.get("out"):
                text += f"\n\n{figures(fitted, Path(folder))}"
            print(in_letters_of(sys.stdout, text), flush=True)
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ProtoclassError, OSError) as reason:
        print(f"protoclass: {reason}", file=sys.stderr)
        return 2
    return 0


def fitting() -> argparse.ArgumentParser:
    """Arguments of a fit."""
    parser = _parser(
        "",
        "Fit a prototype classifier to a CSV file and print its summary. 'explore' before the "
        "formula opens the fit in a browser, and "
        "'reproduce' runs the call of a saved fit again; see python -m protoclass explore --help and reproduce --help.",
        '"species ~ ." data/iris.csv --method pvm --eps 1.0 --cv 10 --out figures',
    )
    parser.add_argument("--out", metavar="DIR", help="folder for the figures")
    return parser


def exploring() -> argparse.ArgumentParser:
    """Arguments of `explore`."""
    parser = _parser(
        " explore",
        "Fit a prototype classifier to a CSV file and open the explorer of its prototypes in a "
        "browser. The explorer is one HTML page, "
        "which needs neither Python nor a network.",
        '"species ~ ." data/iris.csv --method pvm --eps grid',
    )
    parser.add_argument(
        "--shape",
        type=_value,
        metavar="H,W",
        help="height and width of the images if each row is an image",
    )
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="file for the page, such as fit.html, which is then not opened",
    )
    return parser


def _parser(word: str, description: str, example: str) -> argparse.ArgumentParser:
    """A command that fits: its arguments are those of `fit`, and parameters of the method."""
    program = f"python -m protoclass{word}"
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog=program,
        usage=f'{program} "response ~ predictors" data.csv [options]',
        description=description,
        epilog="Other options are parameters of the method: --eps 1.0, --eps 0.5,1,2 or --k grid. "
        f"Example: {program} {example}",
    )
    add = parser.add_argument
    add(
        "formula",
        help="formula in R's grammar, such as 'species ~ .' or 'species ~ petal_length + log(petal_width)'",
    )
    add("data", help="CSV file with a line of column names")
    add(
        "--method",
        default="pvm",
        help="name of the method, such as pvm (the default), scm or knn; an unknown name lists all methods",
    )
    add(
        "--dissimilarity",
        default="auto",
        help="auto (the default), or a name such as euclidean or gower; an unknown name lists all",
    )
    add(
        "--cv",
        default="auto",
        type=lambda text: None if text == "none" else _value(text),
        help="number of folds, loo, none, or auto (the default): 10 if a parameter is tuned",
    )
    add(
        "--choose",
        default="auto",
        help="rule that selects parameters: 1se (default; min with --max-prototypes), min or bound",
    )
    add(
        "--na",
        default="drop",
        help="treatment of rows with missing values: drop (the default), raise or keep (Gower)",
    )
    add("--seed", type=int, default=0, help="seed of the folds")
    return parser


def reproducing() -> argparse.ArgumentParser:
    """Arguments of `reproduce`."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="python -m protoclass reproduce",
        description="Run the call of a saved fit again on its data, and print for each part of the "
        "fit whether it is the same. "
        "The exit status is 0 if everything is the same, and 1 otherwise.",
        epilog="Example: python -m protoclass reproduce iris.proto data/iris.csv",
    )
    parser.add_argument("fit", help="file of a fit, written by fit.save")
    parser.add_argument("data", help="CSV file with the rows of the fit in their order")
    parser.add_argument(
        "matrix",
        nargs="?",
        help="file with the dissimilarities, for read_dissimilarity, if the fit has a given matrix",
    )
    return parser


def reproduce(options: argparse.Namespace) -> int:
    """Print what is the same; the exit status."""
    from .export.saving import load
    from .metrics.measuring import read_dissimilarity

    given = {} if options.matrix is None else {"dissimilarity": read_dissimilarity(options.matrix)}
    saved = load(options.fit)
    if not hasattr(saved, "reproduce"):
        raise OptionError(f"{options.fit} contains a {type(saved).__name__}: use the file of a fit")
    result = saved.reproduce(options.data, **given)
    print(result)
    return 0 if result else 1


def options_of(parser: argparse.ArgumentParser, words: list[str]) -> dict[str, Any]:
    """The options of a command; those that the parser does not know are parameters of the method."""
    unknown = parser.parse_known_args(words)[1]
    for name in dict.fromkeys(w.partition("=")[0] for w in unknown if w.startswith("--")):
        if name not in ("--", "--formula", "--data"):  # which are given without a name
            parser.add_argument(name, type=_value)
    return vars(parser.parse_args(words))


def explore(fitted: Any, shape: Any, save: str | None) -> str:
    """Write the page of a fit, and open it in the browser unless its file has a name; the text that
    names it."""
    # the folder of the temporary file is its user's alone, and stays: the browser may read the file
    # again
    place = Path(save or Path(tempfile.mkdtemp(prefix="protoclass-")) / "fit.html").resolve()
    fitted.explore(save=place, shape=tuple(shape) if isinstance(shape, list) else shape)
    opened = not save and webbrowser.open(place.as_uri())
    return f"The page is {place}{'' if opened else ': open it in a browser'}."


def figures(fitted: Any, folder: Path) -> str:
    """Write every figure that the fit has; the text that names them."""
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in ("prototypes", "confusion", "validation"):
        figure = Figure(figsize=(6.8, 4.6), layout="constrained")
        try:
            fitted.plot(kind, ax=figure.subplots())
        except NotAvailableError:
            continue  # a figure that this method does not have
        figure.savefig(folder / f"{kind}.png", dpi=120)
        written.append(f"{kind}.png")
    return f"Figures in {folder.resolve()}: {', '.join(written)}"


def _value(text: str) -> Any:
    """A number, several values separated by commas, or the text itself."""
    if "," in text:
        return [_value(part) for part in text.split(",")]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
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


if __name__ == "__main__":
    sys.exit(main())
