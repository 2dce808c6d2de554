"""The layout: imports run downward, hardly a circle is left, and general code names no method."""

import ast
import re
import subprocess
import sys

import pytest
from house import (
    FILES,
    PACKAGE,
    TESTS,
    circles,
    imports,
    long_lines,
    name_of,
    recurring_names,
    tokens,
    tokens_by_folder,
    tree_of,
)

ROWS = {
    "ground": 0, "core": 1, "frames": 2, "values": 2, "metrics": 3, "models": 4, "estimation": 5,
    "analysis": 6, "tables": 7, "cluster": 7, "pictures": 8, "widgets": 9, "vignettes": 9, "export": 9,
    "fitting": 10, "candidates": 11, "extend": 11, "errors": 11, "results": 11, "testing": 11, "sklearn": 11, "__main__": 12,
}  # fmt: skip
DOOR = "values.py"  # loads floors above by name; nothing else climbs, not even for type checkers
# Limits, which only fall: what is added is paid for by what goes. Behind each: the budget of the layout
MOST_TOKENS = {  # of each folder
    "core": 88_380,  # 90,000
    "pictures": 39_040,  # 40,000: pictures and tables
    "metrics": 38_150,  # 37,000
    "analysis": 28_840,  # 28,000
    "estimation": 27_230,  # 25,000
    "models": 21_580,  # 22,000
    "frames": 20_150,  # 20,000
    "export": 12_980,  # 13,000
    "widgets": 9_690,  # 10,000
    "testing": 7_930,  # 8,000
    "ground": 5_930,  # 6,000
    "root": 5_040,  # 5,000
    "sklearn": 4_000,  # 4,000
    "cluster": 1_840,  # 2,000
}  # 305,000 in all
MOST_TOKENS_OF_TESTS = 329_800  # 330,000
MOST_ABOVE_100, MOST_ABOVE_120 = 560, 0  # 1,500 and 0
MOST_FILES, MOST_RECURRING = 160, 14  # 160
# what core must not know
OUTSIDE = {"pandas", "matplotlib", "formulaic", "statsmodels", "tqdm", "narwhals"}
GENERAL = ("estimation", "analysis", "tables", "pictures", "widgets", "sklearn")
ABOUT_METHODS = {"base", "capabilities", "registry"}  # modules of models/ that general code may import


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
        if top != "protoclass" or module == "protoclass" or name_of(path) == DOOR:
            continue
        other = module.split(".")[1]
        assert ROWS[other] <= ROWS[parts[0]], f"{name_of(path)} imports {module} from a row above"


def test_the_house_does_not_grow():
    """`python tests/house.py` prints the figures."""
    assert not circles(), "files that import one another"
    assert len(FILES) <= MOST_FILES
    assert len(recurring_names()) <= MOST_RECURRING, f"names of files in several folders: {', '.join(recurring_names())}"
    count = tokens_by_folder()
    over = {folder: count[folder] - most for folder, most in MOST_TOKENS.items() if count[folder] > most}
    assert not over, f"what can go from these folders for what was added? {over}"
    assert not count.keys() - MOST_TOKENS.keys(), "a new folder has no limit"
    assert sum(map(tokens, TESTS)) <= MOST_TOKENS_OF_TESTS
    assert long_lines(100) <= MOST_ABOVE_100
    assert long_lines(120) <= MOST_ABOVE_120


def rules_and_paths():
    """Classes of core that predict."""
    for file in (PACKAGE / "core").rglob("*.py"):
        for node in tree_of(file).body:
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
        "KNNRule",
        "SCMRule",
        "SCMPath",
        "CoverPath",
        "Planes",
        "Gaussians",
        "ShrunkenRule",
    } <= CONCRETE


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_of_a_size_to_be_read(path):
    text = path.read_text()
    assert text.count("\n") <= 700, f"{name_of(path)} is too long: does it treat more than one subject?"
    assert not re.search(r"\breads: ClassVar|def reads\(|\.reads\b", text), (
        f"{name_of(path)} says in a string what is read: pull it from the query"
    )


def test_a_small_fit_does_not_wait_for_slow_packages():
    code = (
        "import sys, protoclass as pc\n"
        "print(pc.fit('species ~ .', pc.load_data('iris'), dissimilarity='euclidean', repeats=1))\n"
        "print(*{m.split('.')[0] for m in sys.modules})"
    )
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()[-1].split()
    assert {"numpy", "pandas", "protoclass"} <= set(imported)
    assert {"numba", "statsmodels", "matplotlib", "sklearn", "highspy", "ipywidgets"} & set(imported) == set()
