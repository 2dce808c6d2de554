"""The size of the house, in figures that `test_layers.py` holds: `python tests/house.py`."""

import ast
import collections
import gc
import io
import tokenize
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "protoclass"
FILES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted(PACKAGE.parent.joinpath("tests").rglob("*.py"))
CODE = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)


def tree_of(path):
    """The syntax of a file. Python 3.11 raises SystemError if the garbage collector runs a destructor meanwhile."""
    gc.disable()
    try:
        return ast.parse(path.read_text())
    finally:
        gc.enable()


def name_of(path):
    return str(path.relative_to(PACKAGE))


@cache
def imports(path):
    """Tuples (module imported, names, whether inside a function, whether for type checkers alone)."""
    home = ["protoclass", *path.relative_to(PACKAGE).with_suffix("").parts]
    if home[-1] == "__init__":
        home = [*home[:-1], ""]

    def walk(node, inside, typed):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from ((name.name, (), inside, typed) for name in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = home[: -child.level] if child.level else []
                names = tuple(name.name for name in child.names)
                yield ".".join([*base, *([child.module] if child.module else [])]), names, inside, typed
            only = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            yield from walk(child, inside or isinstance(child, (ast.FunctionDef, ast.Lambda)), typed or only)

    return list(walk(tree_of(path), False, False))


def place(module, name):
    """The file that an import leads to."""
    parts = module.split(".")[1:]
    for candidate in ([*parts, name], parts):
        path = PACKAGE.joinpath(*candidate)
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.exists():
                return file
    raise AssertionError(f"{module} has no file")


def imported(path):
    """The files that a file imports, also inside functions and for type checkers."""
    return {
        place(module, name) for module, names, *_ in imports(path) for name in names if module.startswith("protoclass.")
    } - {path}


def circles():
    """The sets of two or more files that import one another (Tarjan 1972), the largest first."""
    number, least, stack, found = {}, {}, [], []

    def visit(file):
        number[file] = least[file] = len(number)
        stack.append(file)
        for other in imported(file):
            if other not in number:
                visit(other)
            if other in stack:
                least[file] = min(least[file], least[other])
        if least[file] == number[file]:
            found.append(stack[stack.index(file) :])
            del stack[stack.index(file) :]

    for file in FILES:
        if file != PACKAGE / "__init__.py" and file not in number:
            visit(file)
    return sorted((circle for circle in found if len(circle) > 1), key=len, reverse=True)


def tokens(path):
    """Names, operators, numbers and texts of the code; comments and docstrings are not counted."""
    text = path.read_text()
    bodies = (getattr(node, "body", None) for node in ast.walk(tree_of(path)))
    first = (body[0] for body in bodies if isinstance(body, list) and body and isinstance(body[0], ast.Expr))
    documents = {line.lineno for line in first if isinstance(getattr(line.value, "value", None), str)}
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(t.type in CODE and not (t.type == tokenize.STRING and t.start[0] in documents) for t in found)


def tokens_by_folder():
    """Tokens of code of each folder of the package; files at its top are "root", and tables count as "pictures"."""
    count = collections.Counter()
    for file in FILES:
        folder = file.relative_to(PACKAGE).parts[0]
        folder = "root" if folder.endswith(".py") else "pictures" if folder == "tables" else folder
        count[folder] += tokens(file)
    return count


def long_lines(columns):
    """Number of lines of the package with more columns."""
    return sum(len(line) > columns for file in FILES for line in file.read_text().splitlines())


def recurring_names():
    """Names of files that stand in more than one folder."""
    count = collections.Counter(file.stem for file in FILES if file.stem != "__init__")
    return sorted(name for name, times in count.items() if times > 1)


if __name__ == "__main__":
    folders = tokens_by_folder()
    print(f"{len(FILES)} files, {sum(folders.values())} tokens of code: {', '.join(f'{k} {n}' for k, n in folders.most_common())}")
    print(f"{sum(map(tokens, TESTS))} tokens of tests; {long_lines(100)} lines above 100 columns, {long_lines(120)} above 120")
    print("circles of imports:", *(", ".join(map(name_of, circle)) for circle in circles()), sep="\n  ")
    print(f"{len(recurring_names())} names of files stand in more than one folder: {', '.join(recurring_names())}")
