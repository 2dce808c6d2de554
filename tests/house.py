"""The size of the house, in figures that `test_layers.py` holds: `python tests/house.py`."""

import ast
import collections
import io
import tokenize
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "protoclass"
FILES = sorted(PACKAGE.rglob("*.py"))
CODE = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)


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

    return list(walk(ast.parse(path.read_text()), False, False))


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
    """The files that a file imports when it runs, also inside functions."""
    return {
        place(module, name)
        for module, names, _, typed in imports(path)
        for name in names
        if module.startswith("protoclass.") and not typed
    } - {path}


def largest_circle():
    """The largest set of files that import one another (Tarjan 1972)."""
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
    return max(found, key=len)


def tokens(path):
    """Names, operators, numbers and texts of the code; comments and docstrings are not counted."""
    text = path.read_text()
    bodies = (getattr(node, "body", None) for node in ast.walk(ast.parse(text)))
    first = (body[0] for body in bodies if isinstance(body, list) and body and isinstance(body[0], ast.Expr))
    documents = {line.lineno for line in first if isinstance(getattr(line.value, "value", None), str)}
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(t.type in CODE and not (t.type == tokenize.STRING and t.start[0] in documents) for t in found)


def recurring_names():
    """Names of files that stand in more than one folder."""
    count = collections.Counter(file.stem for file in FILES if file.stem != "__init__")
    return sorted(name for name, times in count.items() if times > 1)


if __name__ == "__main__":
    print(
        f"{len(FILES)} files, {sum(map(tokens, FILES))} tokens of code, the largest circle of imports has {len(largest_circle())} files, "
        f"{len(recurring_names())} names of files stand in more than one folder: {', '.join(recurring_names())}"
    )
