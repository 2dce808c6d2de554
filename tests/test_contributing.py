"""The listings of the vignette on custom methods run as they stand; their fits can be saved and cope with a fold that lacks a class."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import protoclass as pc
from protoclass.ground.savable import SAVABLE
from protoclass.metrics.registry import METRICS
from protoclass.models.registry import BUILT_IN, MODELS

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
VIGNETTE = (ROOT / "vignettes" / "a_method_of_your_own.md").read_text()
REGISTRIES = (MODELS, METRICS, SAVABLE)


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """As one module, since rules are pickled by the names of their classes."""
    imports, *cells = re.findall(r"```\{code-cell\}\n(.*?)```", VIGNETTE, re.S)
    code = "\n".join([imports, *(cell for cell in cells if "@dataclass" in cell or "pc.register(" in cell)])
    assert code.count("check_model(") >= 3
    assert code.count("check_metric(") >= 2
    path = tmp_path_factory.mktemp("listings") / "vignette_listings.py"
    path.write_text(code)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)  # the contracts are kept
    yield module
    del sys.modules[path.stem]
    for registry in REGISTRIES:  # not those of modules that were imported meanwhile
        classes = {name: kind if isinstance(kind, type) else getattr(kind, "of", kind) for name, kind in registry.items()}
        for name in [name for name, of in classes.items() if getattr(of, "__module__", "") == path.stem]:
            del registry[name]


ARGUMENTS = [
    {"method": "medoid"},
    {"method": "linear"},
    {"method": "medoid", "dissimilarity": "percentiles"},
    {"method": "medoid", "dissimilarity": "raised"},
]
NAMES = ["medoid", "linear", "percentiles", "raised"]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=NAMES)
def test_fits_of_the_examples_are_saved_and_loaded(examples, iris, tmp_path, arguments):
    fit = pc.fit("species ~ .", iris, **arguments)
    loaded = pc.load(fit.save(tmp_path / "example.proto"))
    assert loaded.model == fit.model
    for kind in fit._kinds:
        assert loaded.predict(iris, kind).equals(fit.predict(iris, kind))


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=NAMES)
def test_the_examples_cope_with_a_fold_that_lacks_a_class(examples, iris, arguments):
    fold = np.where(iris["species"] == "setosa", 0, 1 + np.arange(len(iris)) % 2)
    validation = pc.cross_validate("species ~ .", iris, cv=fold, **arguments)
    others = (iris["species"] != "setosa").to_numpy()
    held_out = validation.held_out[0]
    assert not (held_out[~others] == "setosa").any()
    assert (held_out[others].astype(str) == iris["species"][others].astype(str)).mean() > 0.75


def test_the_scan_of_the_example_finds_the_medoids(examples, iris):
    fit = pc.fit("species ~ .", iris, examples.Medoid(power=2.0))
    D = pc.dissimilarity("species ~ .", iris).frame().to_numpy()
    for c, rows in iris.groupby("species", observed=True).indices.items():
        medoid = rows[(D[np.ix_(rows, rows)] ** 2).sum(axis=0).argmin()]
        assert fit.prototypes.index[fit.prototypes["class"] == c].tolist() == [iris.index[medoid]]


def test_the_files_and_layers_that_contributing_names_exist():
    paths = {path for path in re.findall(r"`([\w/]+/[\w.]*)`", TEXT) if path.endswith((".py", ".pyi", ".md", "/"))}
    assert len(paths) > 8
    assert [path for path in paths if not any((folder / path).exists() for folder in (ROOT, ROOT / "protoclass"))] == []
    layers = set(re.findall(r"(\w+)/(?=[ \n])", TEXT.split("## Where things are")[1].split("```")[1]))
    folders = {path.parent.name for path in (ROOT / "protoclass").glob("*/__init__.py")}
    assert layers == folders


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_a_method_of_the_registry_is_named_wherever_users_look(name):
    kind = BUILT_IN[name]
    line = f"from {kind.__module__.removeprefix('protoclass')} import {kind.__name__} as {kind.__name__}"
    assert name == "dann" or kind.__name__ in pc.__all__, f"add to protoclass/__init__.pyi: {line}"  # "dann" is "knn" with a metric
    assert f'* "{name}"' in pc.fit.__doc__
    missing = set(kind().tuned()) - set(kind.words)
    assert not missing, f"add to {kind.__name__}: words = {dict.fromkeys(missing, 'label of an axis')}"
