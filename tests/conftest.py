"""What tests share."""

import os
import signal

import hypothesis
import pytest

import protoclass as pc

hypothesis.settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)
hypothesis.settings.load_profile("steady")


@pytest.fixture(scope="session")
def iris():
    return pc.load_data("iris")


@pytest.fixture(scope="session")
def papers_data():
    """The folder with the papers' data, which no repository holds."""
    folder = os.environ.get("PROTOCLASS_DATA")
    if not folder:
        pytest.skip("PROTOCLASS_DATA names no folder with the papers' data")
    return folder


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt here and in processes started here: a job in the background inherits it as ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
