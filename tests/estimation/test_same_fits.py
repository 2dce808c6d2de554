"""Fits by products and tiles are those of a matrix of dissimilarities, to the last bit; and their memory stays far below it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from coordinates import coordinates

import protoclass as pc
from protoclass.core import coding, parallel
from protoclass.core.setcover import balls as codes
from protoclass.metrics import dissimilarity

ALWAYS, NEVER = 0, 2**62


@pytest.fixture
def tiled(monkeypatch):
    """A function that turns products and tiles of a few rows on, for problems of any size, or off."""

    def turn(how):
        monkeypatch.setattr(dissimilarity, "SMALL", NEVER if how == "held" else ALWAYS)
        monkeypatch.setattr(parallel, "SMALL", ALWAYS)
        monkeypatch.setattr(coding, "SIDE", 32)
        monkeypatch.setattr(codes, "KEPT", 0 if how == "in tiles" else 2**28)

    return turn


def table(kind, p, dtype=float, scale=1.0, n=90):
    X = coordinates(p, kind, n, p, dtype, scale)
    data = pd.DataFrame(X).add_prefix("x")
    data["class"] = np.random.default_rng(p).choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    return data


def same(one, other):
    pd.testing.assert_frame_equal(one, other, check_exact=True)


FITS = [
    (table("copies", 10, np.float32), {"dissimilarity": pc.Euclidean(scale=False)}),
    (table("copies", 3), {"dissimilarity": "euclidean", "balls": "closed", "weights": np.arange(90) % 3 + 0.5}),
    (table("tenths", 12), {"dissimilarity": "manhattan"}),
    (table("normal", 20), {"dissimilarity": "cosine", "candidates": "same_class"}),
    (table("normal", 8, scale=1e-140), {"dissimilarity": pc.Euclidean(scale=False)}),
    (
        table("normal", 5),
        {"candidates": pc.candidates.unlabelled(table("copies", 5, n=30).drop(columns="class").add_prefix("u", axis=0))},
    ),
]


@pytest.mark.parametrize("case", range(len(FITS)))
@pytest.mark.parametrize("how", ["coded", "in tiles"])
def test_a_fit_is_that_of_the_held_matrix(case, how, tiled):
    data, options = FITS[case]
    fits = []
    for way in ("held", how):
        tiled(way)
        fits.append(pc.fit("class ~ .", data, cv=5, repeats=1, progress=False, **options))
    held, fit = fits
    same(held.prototypes, fit.prototypes)
    same(held.validation.table, fit.validation.table)
    same(held.validation.held_out, fit.validation.held_out)
    same(held.validation.fold_errors, fit.validation.fold_errors)
    same(held.tidy(), fit.tidy())
    same(held.augment(), fit.augment())


LIMITED = """
import resource
import numpy as np
import pandas as pd
import protoclass as pc


def status(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) * 1024


def fit(n, p):
    draw = np.random.default_rng(0)
    y = draw.integers(0, 3, n)
    X = (draw.normal(size=(n, p)) + y[:, None]).astype(np.float32)
    data = pd.DataFrame(X).add_prefix("x").assign(y=y.astype(str))
    held = status("VmRSS")
    open("/proc/self/clear_refs", "w").write("5")  # the peak is counted from here
    pc.fit("y ~ .", data, eps=EPS, cv=None, progress=False, dissimilarity=pc.Euclidean(scale=False))
    return status("VmHWM") - held


fit(800, COLUMNS)  # compiles, and starts what runs on threads
resource.setrlimit(resource.RLIMIT_AS, (status("VmSize") + 2**29, -1))
print(fit(ROWS, COLUMNS))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is read from /proc")
@pytest.mark.long
@pytest.mark.parametrize(("rows", "columns", "eps"), [(17_000, 30, 4.5), (40_000, 2, 0.05)])
def test_memory_stays_far_below_that_of_the_matrix(rows, columns, eps):
    """Beyond the data a fit takes at most 120 MB, where the matrix would take 1.2 and 6.4 GB; the system allows 0.5 GB."""
    code = LIMITED.replace("ROWS", str(rows)).replace("COLUMNS", str(columns)).replace("EPS", str(eps))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 120e6, done.stdout
