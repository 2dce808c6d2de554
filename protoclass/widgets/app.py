"""The explorers as a page of their own, for colleagues without notebooks: voila on this machine, behind a token."""

from __future__ import annotations

import atexit
import html
import http.client
import io
import json
import os
import pickle
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..arguments import one_of, whole_number
from ..errors import OptionError, ProtoclassError
from ..files import make_folder, read_csv, write_file

if TYPE_CHECKING:
    from ipywidgets import VBox

HOST = "127.0.0.1"
STARTING = 120.0  # seconds that voila may take to answer
STOPPING = 15.0  # and to stop its kernels
SERVER = Path(__file__).with_name("server.py")
NOTEBOOK, KERNEL, KEPT, PATHS, DOOR = "protoclass.ipynb", "protoclass", "fit.pkl", "paths.json", "open.html"

# all that the notebook says; what users gave is in the files that it reads
CELL = f"""\
import json, sys
sys.path[:] = json.load(open("{PATHS}", encoding="utf-8"))
from protoclass.widgets.app import page
page()
"""


def app(
    formula: str, data: Any, method: Any = "pvm", *, shape: Any = None, port: int | None = None, open_browser: bool = True,
    **arguments: Any,
) -> App:  # fmt: skip
    """Fit, and open the explorers as a page in the browser, for those who have no notebook.

    The page is voila's, on this machine alone: it listens on 127.0.0.1, and refuses whoever has not the token that its
    address carries. The fit is kept in a folder that only the user can read, and that is removed at the end.

    Parameters
    ----------
    formula, method, **arguments : as for `fit`
        Functions and classes among them must come from a module that can be imported.
    data : DataFrame, or path of a CSV file with a header
    shape : (int, int), optional
        Rows and columns of a picture, for rows that are pictures.
    port : int, optional
        By default one that is free.
    open_browser : bool
        Whether to open the page; its address is printed in any case.

    Returns
    -------
    App
        With `url`, `close()` and `wait()`. The page lasts until `close()`, the end of a `with` block, or the end of Python.

    Raises
    ------
    OptionError
        Where voila is not installed, the port is taken, an address is given for a file, or an argument cannot be handed on.
    FileError
        Where the file cannot be read.
    ProtoclassError
        Where the server does not start; what it wrote is in the message.

    Examples
    --------
    >>> import protoclass as pc
    >>> with pc.app("species ~ .", "data/iris.csv", eps=1.0) as page:  # doctest: +SKIP
    ...     page.wait()
    Explore it at http://127.0.0.1:40413/?token=...
    """
    for name in ("voila", "ipykernel"):
        if find_spec(name) is None:
            raise OptionError(f'app() needs {name}, which is not installed: pip install "protoclass-stats[app]"')
    one_of("open_browser", open_browser, (True, False))
    port = free(port)
    from ..estimation.fitting import fit
    from ..views.pictures import check_shape

    fitted = fit(formula, read(data), method, **arguments)
    if shape is not None:
        check_shape(fitted, shape)  # fails before the page is made
    kept = packed((fitted, shape))
    folder, token = Path(tempfile.mkdtemp(prefix="protoclass-")), secrets.token_urlsafe(32)
    opened = App(folder, port, token)
    try:
        write(folder, port, token, opened.url, kept)
        opened._start()
    except BaseException:
        opened.close()
        raise
    print(f"Explore it at {opened.url}")
    if open_browser and not webbrowser.open((folder / DOOR).as_uri()):
        print("No browser could be opened from here: open this address in yours.")
    return opened


class App:
    """A page that `app` opened.

    Attributes
    ----------
    url : str
        Its address, with the token: whoever has it, on this machine, can see the data.
    """

    def __init__(self, folder: Path, port: int, token: str) -> None:
        self.url = f"http://{HOST}:{port}/?token={token}"
        self._folder, self._port = folder, port
        self._server: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    def __repr__(self) -> str:
        return "App, closed" if self._server is None else f"App at {self.url}"

    def __enter__(self) -> App:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait(self) -> None:
        """Wait for Ctrl-C, or the end of the server; then close."""
        try:
            if self._server is not None:
                self._server.wait()
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Stop the server and remove its folder. A second time it does nothing."""
        atexit.unregister(self.close)
        server, self._server = self._server, None
        if server is not None:
            assert server.stdin is not None
            server.stdin.close()  # which it takes as its end
            try:
                server.wait(STOPPING)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        if self._folder.exists():  # the server could not remove it
            shutil.rmtree(self._folder)

    def _start(self) -> None:
        # -P: else the modules beside the script could be taken for others of their names
        command = [sys.executable, "-P", str(SERVER), NOTEBOOK]
        home = str(self._folder)
        paths = os.pathsep.join(filter(None, [home, os.environ.get("JUPYTER_PATH")]))
        own = {"JUPYTER_CONFIG_DIR": home, "JUPYTER_NO_CONFIG": "1", "JUPYTER_PATH": paths, "IPYTHONDIR": home}
        with tempfile.TemporaryFile() as log:
            self._server = subprocess.Popen(
                command, cwd=home, env=os.environ | own, stdin=subprocess.PIPE, stdout=log, stderr=log,
                start_new_session=True,  # Ctrl-C is for this process, which then closes the page
            )  # fmt: skip
            until = time.monotonic() + STARTING
            while not answers(self._port):
                if self._server.poll() is not None or time.monotonic() > until:
                    self.close()
                    log.seek(0)
                    output = log.read().decode(errors="replace").strip()
                    raise ProtoclassError(f"voila did not start on port {self._port}; it wrote:\n{output[-2000:]}")
                time.sleep(0.05)


def answers(port: int) -> bool:
    """Whether a server asks for the token at a port of this machine."""
    door = http.client.HTTPConnection(HOST, port, timeout=5)  # which takes no proxy
    try:
        door.request("GET", "/login")
        return door.getresponse().status == 200
    except OSError:
        return False
    finally:
        door.close()


def free(port: int | None) -> int:
    """The port, or one that is free; an OptionError where it cannot be had."""
    if port is not None:
        whole_number("port", port, 1)
    with socket.socket() as door:
        if os.name == "posix":
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will
        try:
            door.bind((HOST, port or 0))
        except (OSError, OverflowError) as reason:
            raise OptionError(f"port={port}: {reason}; name another, or leave it out for one that is free") from None
        return int(door.getsockname()[1])


def read(data: Any) -> Any:
    """Data as they are, or from a CSV file where they are its path."""
    if not isinstance(data, (str, Path)):
        return data
    return read_csv(data)


class Packer(pickle.Pickler):
    """Pickles what another process can read: nothing that this process alone knows by its name."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, (type, FunctionType)) and (obj.__module__ == "__main__" or "<" in obj.__qualname__):
            raise OptionError(
                f"app() cannot hand {obj.__qualname__} to the page, which is another process: write it into a module, import "
                "it from there, and give it by its name (no lambda, no function within a function)"
            )
        return NotImplemented


def packed(value: Any) -> bytes:
    """A value as bytes for another process of this user."""
    buffer = io.BytesIO()
    try:
        Packer(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    except (pickle.PicklingError, TypeError, AttributeError) as reason:
        raise OptionError(f"app() cannot hand the fit to the page, which is another process: {reason}") from None
    return buffer.getvalue()


def write(folder: Path, port: int, token: str, url: str, kept: bytes) -> None:
    """The files of a page: notebook, kernel, the server's settings, the fit, and the door by which a browser comes in."""
    cell: dict[str, Any] = {"id": "page", "cell_type": "code", "metadata": {}, "source": CELL, "execution_count": None, "outputs": []}
    kernel = {"display_name": "protoclass", "language": "python"}
    metadata = {"kernelspec": kernel | {"name": KERNEL}}
    notebook = {"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    of_kernel = folder / "kernels" / KERNEL
    make_folder(of_kernel)
    # the address goes by a file: a browser's command line can be read by all users of the machine
    door = f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={html.escape(url)}"><title>protoclass</title>'
    texts = {
        folder / NOTEBOOK: json.dumps(notebook),
        folder / PATHS: json.dumps([os.path.abspath(p) for p in sys.path]),
        folder / DOOR: door,
        folder / "voila.json": json.dumps(settings(folder, port, token)),
        of_kernel / "kernel.json": json.dumps(kernel | {"argv": argv}),
    }
    for path, text in texts.items():
        write_file(path, text)
    write_file(folder / KEPT, kept)


def settings(folder: Path, port: int, token: str) -> dict[str, Any]:
    """The settings of voila: this machine only, the token, no files but its own, and nothing from elsewhere in the page."""
    own = f"'self' ws://{HOST}:{port} 'unsafe-inline' 'unsafe-eval' data: blob:"
    policy = f"default-src {own}; frame-ancestors 'none'; form-action 'self'; base-uri 'self'"
    return {
        "Voila": {
            "ip": HOST, "port": port, "port_retries": 0, "token": token, "open_browser": False, "log_level": "WARN",
            "connection_dir_root": str(folder), "tornado_settings": {"headers": {"Content-Security-Policy": policy}},
        },
        "VoilaConfiguration": {
            "file_allowlist": [], "allow_template_override": "NO", "allow_theme_override": "NO", "show_tracebacks": True,
        },
        # what a page that was left sends to end its kernel is refused, as it carries no XSRF token
        "MappingKernelManager": {"cull_idle_timeout": 60, "cull_interval": 20},
    }  # fmt: skip


def page() -> VBox:
    """The explorers of the fit in the working folder: what the page shows.

    Both have one radius where the method has radii. "Use this" of the error curve shows the fit there among the prototypes.
    """
    from ipywidgets import HTML, VBox

    from .curve import CurveExplorer
    from .link import link
    from .prototypes import PrototypeExplorer

    with open(KEPT, "rb") as file:
        fit, shape = pickle.load(file)
    prototypes = PrototypeExplorer(fit, shape=shape)
    prototypes.add_class("protoclass-prototypes")
    parts = [HTML(f"<h1>{html.escape(repr(fit.call))}</h1>"), prototypes]
    if fit.validation is not None:
        curve = CurveExplorer(fit.validation)
        curve.add_class("protoclass-curve")
        curve.observe(lambda change: setattr(prototypes, "fit", change.new), "fit")
        if prototypes.eps is not None and curve.has_trait("eps"):
            link(prototypes, curve)
        parts += [HTML("<h2>Cross-validated error</h2>"), curve]
    shown = VBox(parts)
    shown.add_class("protoclass-app")  # which is as wide as the window
    return shown
