"""The layout: imports run downward, in no circle, and general code names no method."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "protoclass"
ROWS = {
    "errors": 0, "elsewhere": 0, "arguments": 0, "progress": 0, "files": 0, "settings": 0, "declared": 0,
    "dialects": 0, "verifier": 0, "former": 0,
    "core": 1, "frames": 2, "cluster": 3, "metrics": 3, "models": 4, "estimation": 5,
    "analysis": 6, "views": 7, "tables": 7, "plots": 8, "widgets": 9, "vignettes": 9, "testing": 9, "report": 9, "sklearn": 9,
    "saving": 9, "card": 9, "terminal": 9, "__main__": 10,
}  # fmt: skip
# values whose methods delegate upward, inside functions: what is said of a fit, and how it is printed
DELEGATES = {("estimation/analysed.py", "analysis"), ("estimation/explained.py", "analysis"),
             ("estimation/fit.py", "analysis"), ("estimation/fit.py", "tables"), ("estimation/published.py", "analysis"),
             ("analysis/evaluation.py", "tables"), ("estimation/validation.py", "analysis"),
             ("estimation/validation.py", "tables")}  # fmt: skip
PICTURES = ("plots", "widgets", "report", "card", "saving")  # `plot`, `explore`, `report`, `card` and `save` of any value
ALONE = {"verifier.py": 1080}  # one file, so that it can be copied and run without the package
# what core must not know
OUTSIDE = {"pandas", "matplotlib", "formulaic", "statsmodels", "tqdm", "narwhals"}
GENERAL = ("estimation", "analysis", "views", "tables", "plots", "widgets", "sklearn")
ABOUT_METHODS = {"base", "capabilities", "registry"}  # modules of models/ that general code may import
FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(path):
    return str(path.relative_to(PACKAGE))


@cache
def imports(path):
    """Triples (module imported, names, whether inside a function); imports for type checkers alone are left out."""
    home = ["protoclass", *path.relative_to(PACKAGE).with_suffix("").parts]
    if home[-1] == "__init__":
        home = [*home[:-1], ""]

    def walk(node, inside):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.Import):
                yield from ((name.name, (), inside) for name in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = home[: -child.level] if child.level else []
                names = tuple(name.name for name in child.names)
                yield ".".join([*base, *([child.module] if child.module else [])]), names, inside
            yield from walk(child, inside or isinstance(child, (ast.FunctionDef, ast.Lambda)))

    return list(walk(ast.parse(path.read_text()), False))


def place(module, name):
    """The file that an import leads to."""
    parts = module.split(".")[1:]
    for candidate in ([*parts, name], parts):
        path = PACKAGE.joinpath(*candidate)
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.exists():
                return file
    raise AssertionError(f"{module} has no file")


def edges(path, pictures):
    for module, names, inside in imports(path):
        if not module.startswith("protoclass.") or (not pictures and inside and module.split(".")[1] in PICTURES):
            continue
        yield from {place(module, name) for name in names}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_run_downward(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    if parts[0] == "__init__":
        assert all(inside or not module.startswith("protoclass.") for module, _, inside in imports(path))
        return
    assert parts[0] in ROWS, f"{parts[0]} has no row in the layout"
    for module, _, inside in imports(path):
        top = module.split(".")[0]
        if parts[0] == "core":
            assert top not in OUTSIDE
            assert top != "sklearn" or inside, "scikit-learn is imported inside functions"
        if parts[0] == "views":
            assert top not in ("matplotlib", "ipywidgets", "anywidget"), "views know numbers and words alone"
        if top != "protoclass" or module == "protoclass":
            continue
        other = module.split(".")[1]
        upward = ROWS[other] > ROWS[parts[0]]
        allowed = inside and (other in PICTURES or (name_of(path), other) in DELEGATES)
        assert not upward or allowed, f"{name_of(path)} imports {module} from a row above"


def test_no_circle_of_files():
    """Also imports inside functions count, but for those of `plot` and `explore`."""
    state, stack = {}, []

    def visit(file):
        state[file] = "open"
        stack.append(file)
        for other in edges(file, pictures=False):
            if other == file or other.name == "__init__.py":
                continue
            if state.get(other) == "open":
                circle = [name_of(f) for f in stack[stack.index(other) :]]
                raise AssertionError(f"a circle of imports: {' -> '.join([*circle, name_of(other)])}")
            if other not in state:
                visit(other)
        stack.pop()
        state[file] = "done"

    for file in FILES:
        if file not in state and file.name != "__init__.py":
            visit(file)


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
    for module, names, _ in imports(path):
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
