"""The same seed gives the same result: on any number of threads, in any process, with other kernels of BLAS, in any order of the rows.

Estimators sort the rows; `tests/estimation/test_order.py` shows that nothing of them depends on their order, for every method.
"""

import json
import os
import pickle
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

import protoclass as pc
from protoclass.core import parallel
from protoclass.models.registry import BUILT_IN

from .outcomes import FITS, LABELS, all_outcomes, method_outcome, small

pytestmark = pytest.mark.usefixtures("threads_of_blas")
HERE = Path(__file__).parent
# products of matrices, eigenvalues or the solver of scikit-learn have a part in these, and round as the build of BLAS does
CLOSE = ("hyperplane", "dann", "mixture", "mahalanobis", "learned", "matrix")


def differing(one, other):
    """Names of the parts that have not the same bits."""
    same_numbers = {k: np.array_equal(v, other[k], equal_nan=v.dtype.kind == "f") for k, v in one.items()}
    return [name for name, same in same_numbers.items() if not same] + sorted(set(one) ^ set(other))


here = cache(all_outcomes)


@pytest.mark.parametrize("name", [*BUILT_IN, "exact", "matrix"])
def test_any_number_of_threads_gives_the_same_bits(name, monkeypatch):
    (method, given), expected = FITS[name], here()[name]
    monkeypatch.setattr(parallel, "SMALL", 1)
    monkeypatch.setattr(parallel, "FEW", 0)
    monkeypatch.setattr(parallel, "cores", lambda: 5)
    assert differing(expected, method_outcome(method, **given)) == []


def elsewhere(path, **environment):
    """What another process finds on one processor, and the kernels of its builds of OpenBLAS."""
    places = os.pathsep.join([str(HERE.parents[1]), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "tests.trust.outcomes", str(path)], cwd=HERE.parents[1], text=True, check=False,
        capture_output=True, env=os.environ | {"PYTHONPATH": places, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return pickle.loads(path.read_bytes()), json.loads(done.stdout.splitlines()[-1])


def check_same(found):
    for name, one in here().items():
        other = found[name]
        if name not in CLOSE:
            assert differing(one, other) == [], name
            continue
        assert [part for part in differing(one, other) if part in LABELS] == [], name
        for part, values in one.items():
            if part not in LABELS:
                np.testing.assert_allclose(values, other[part], rtol=1e-9, atol=1e-11, err_msg=f"{name}: {part}")


def other_kernels():
    """Kernels of OpenBLAS for other processors, which this one has too."""
    return "Nehalem" if platform.machine().lower() in ("x86_64", "amd64") else "ARMV8"


def test_another_process_with_other_kernels_of_blas_on_one_processor_finds_the_same(tmp_path):
    own = {pool["architecture"] for pool in threadpool_info() if pool["internal_api"] == "openblas"}
    found, kernels = elsewhere(tmp_path / "found", PYTHONHASHSEED="7", OPENBLAS_CORETYPE=other_kernels())
    assert not own or (kernels and not own & set(kernels)) or other_kernels().upper() in {one.upper() for one in own}
    check_same(found)


@pytest.mark.long
@pytest.mark.parametrize("kernels", ["Prescott", "Nehalem", "Haswell"])
def test_with_each_kernel_of_blas(kernels, tmp_path):
    check_same(elsewhere(tmp_path / "found", PYTHONHASHSEED="0", OPENBLAS_CORETYPE=kernels)[0])


def test_the_order_of_the_rows_decides_nothing_but_ties():
    """Votes are not tied."""
    data = small().assign(w=1 + np.random.default_rng(1).random(30))
    folds = pd.Series(np.arange(30) % 3, data.index)

    def fitted(rows):
        return pc.fit("species ~ .", rows, "knn", k=[1, 3], weights="w", cv=folds, progress=False)

    one = fitted(data)
    for seed in range(3):
        other = fitted(data.sample(frac=1, random_state=seed))
        assert set(other.prototypes.index) == set(one.prototypes.index)
        assert other.predict(data).equals(one.predict(data))
        assert other.validation.held_out.sort_index().equals(one.validation.held_out.sort_index())
        pd.testing.assert_frame_equal(other.validation.table, one.validation.table, rtol=1e-13)
