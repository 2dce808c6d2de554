"""The server behind a page of `app`: voila, for as long as the process that started it lives.

It runs as a script in the page's own folder. Its standard input is a pipe that nothing is written to: the pipe's end comes
with the end of that process, however it ends.
"""

from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path
from typing import Any

from tornado.httputil import HTTPServerRequest
from tornado.ioloop import IOLoop
from tornado.routing import Matcher, Rule
from tornado.web import ErrorHandler
from voila.app import Voila

NAMES = ("127.0.0.1", "localhost")  # by which a browser on this machine asks for the page


class Foreign(Matcher):
    """Matches requests that are not the page's own, whatever they ask for and whatever token they carry.

    A name of another site that resolves to this machine (DNS rebinding) is in `Host`; the site whose script sends a request, or
    opens a websocket, is in `Origin`. A program that is no browser sends no `Origin`.
    """

    def __init__(self, port: int) -> None:
        self.hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        hosts, origins = (request.headers.get_list(name) for name in ("Host", "Origin"))
        asked = [host.lower() for host in hosts]
        own = len(asked) == 1 and asked[0] in self.hosts
        return None if own and all(origin.lower() == f"http://{asked[0]}" for origin in origins) else {}


class Page(Voila):  # type: ignore[misc]
    """Voila, which answers 403 to foreign requests before any of its handlers sees them."""

    def init_handlers(self) -> list[Any]:
        return [Rule(Foreign(self.port), ErrorHandler, {"status_code": 403}), *super().init_handlers()]


def serve(notebook: str) -> None:
    """Show a notebook of the working folder until the standard input ends; then remove the folder."""
    folder, loop = Path.cwd(), IOLoop.current()

    def follow() -> None:
        sys.stdin.buffer.read()
        loop.add_callback(loop.stop)

    threading.Thread(target=follow, daemon=True).start()
    try:
        Page.launch_instance([notebook])
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    serve(sys.argv[1])
