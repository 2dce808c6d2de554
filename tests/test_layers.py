"""Import only from rows above, as the layout has it."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "protoclass"
ROWS = {
    "errors": 0, "core": 1, "frames": 2, "metrics": 3, "models": 4, "estimation": 5, "analysis": 6, "views": 7, "tables": 8,
    "plots": 8, "widgets": 9, "vignettes": 9, "__main__": 9,
}  # fmt: skip
# methods of values that show themselves: function-local imports from rows below
SHOWING = {("estimation", "tables"), ("estimation", "analysis")}
# what core must not know
OUTSIDE = {"pandas", "matplotlib", "formulaic", "statsmodels", "tqdm", "narwhals"}


def imports(path):
    """Pairs (module imported, whether inside a function); imports for type checkers alone are left out."""
    home = ["protoclass", *path.relative_to(PACKAGE).with_suffix("").parts]
    if home[-1] == "__init__":
        home = [*home[:-1], ""]

    def walk(node, inside):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            if isinstance(child, ast.Import):
                yield from ((name.name, inside) for name in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = home[: -child.level] if child.level else []
                yield ".".join([*base, *([child.module] if child.module else [])]), inside
            yield from walk(child, inside or isinstance(child, (ast.FunctionDef, ast.Lambda)))

    return list(walk(ast.parse(path.read_text()), False))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_run_downward(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    if parts[0] == "__init__":
        assert all(inside or not name.startswith("protoclass.") for name, inside in imports(path))
        return
    assert parts[0] in ROWS, f"{parts[0]} has no row in the layout"
    for name, inside in imports(path):
        top = name.split(".")[0]
        if parts[0] == "core":
            assert top not in OUTSIDE
            assert top != "sklearn" or inside, "scikit-learn is imported inside functions"
        if top != "protoclass" or name == "protoclass":
            continue
        other = name.split(".")[1]
        below = ROWS[other] > ROWS[parts[0]]
        assert not below or (inside and (other in ("plots", "widgets") or (parts[0], other) in SHOWING)), f"{path.name} imports {name} from a row below"
