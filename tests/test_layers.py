"""The layout: imports run downward, hardly a circle is left, and general code names no method."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "protoclass"
ROWS = {
    "ground": 0, "core": 1, "frames": 2, "values": 2, "cluster": 3, "metrics": 3, "models": 4, "estimation": 5,
    "analysis": 6, "views": 7, "tables": 7, "plots": 8, "widgets": 9, "vignettes": 9, "export": 9,
    "fitting": 10, "testing": 11, "sklearn": 11, "__main__": 12,
}  # fmt: skip
DOOR = "values.py"  # loads floors above by name; nothing else climbs, not even for type checkers
LARGEST_CIRCLE = 3  # files that import one another, imports inside functions counted
ALONE = {"export/verifier.py": 600}  # one file, so that it can be copied and run without the package
# what core must not know
OUTSIDE = {"pandas", "matplotlib", "formulaic", "statsmodels", "tqdm", "narwhals"}
GENERAL = ("estimation", "analysis", "views", "tables", "plots", "widgets", "sklearn")
ABOUT_METHODS = {"base", "capabilities", "registry"}  # modules of models/ that general code may import
FILES = sorted(PACKAGE.rglob("*.py"))


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


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_run_downward(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    if parts[0] == "__init__":
        assert all(inside or typed or not module.startswith("protoclass.") for module, _, inside, typed in imports(path))
        return
    assert parts[0] in ROWS, f"{parts[0]} has no row in the layout"
    for module, _, inside, _ in imports(path):
        top = module.split(".")[0]
        if parts[0] == "core":
            assert top not in OUTSIDE
            assert top != "sklearn" or inside, "scikit-learn is imported inside functions"
        if parts[0] == "views":
            assert top not in ("matplotlib", "ipywidgets", "anywidget"), "views know numbers and words alone"
        if top != "protoclass" or module == "protoclass" or name_of(path) == DOOR:
            continue
        other = module.split(".")[1]
        assert ROWS[other] <= ROWS[parts[0]], f"{name_of(path)} imports {module} from a row above"


def circles():
    """Sets of files that import one another (Tarjan 1972)."""
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
    return found


def test_circles_of_files_are_small():
    largest = max(circles(), key=len)
    assert len(largest) <= LARGEST_CIRCLE, f"a circle of imports: {', '.join(map(name_of, largest))}"


def rules_and_paths():
    """Classes of core that predict."""
    for file in (PACKAGE / "core").rglob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef) and any(
                isinstance(f, ast.FunctionDef) and f.name == "predict" for f in node.body
            ):
                yield node.name


CONCRETE = set(rules_and_paths()) - {"Rule", "Path", "RulePath", "Stepwise"} | {"Greedy"}


@pytest.mark.parametrize("path", [f for f in FILES if f.relative_to(PACKAGE).parts[0] in GENERAL], ids=name_of)
def test_general_code_names_no_method(path):
    for module, names, *_ in imports(path):
        assert not (set(names) & CONCRETE and ".core." in module), f"{name_of(path)} imports the rule {names}"
        if module.startswith("protoclass.models."):
            assert module.split(".")[2] in ABOUT_METHODS, f"{name_of(path)} imports {module}"


def test_the_rules_are_found():
    assert {
        "Nearest",
        "KNN",
        "SCMRule",
        "SCMPath",
        "CoverPath",
        "Planes",
        "Gaussians",
        "ShrunkenRule",
        "DANN",
    } <= CONCRETE


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_of_a_size_to_be_read(path):
    text = path.read_text()
    assert text.count("\n") <= ALONE.get(name_of(path), 700), f"{name_of(path)} is too long: does it treat more than one subject?"
    assert not re.search(r"\breads: ClassVar|def reads\(|\.reads\b", text), (
        f"{name_of(path)} says in a string what is read: pull it from the query"
    )
