"""The server behind a page of `app`: voila, for as long as the process that started it lives.

It runs as a script in the page's own folder. Its standard input is a pipe that nothing is written to: the pipe's end comes
with the end of that process, however it ends.
"""

from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path


def serve(notebook: str) -> None:
    """Show a notebook of the working folder until the standard input ends; then remove the folder."""
    from tornado.ioloop import IOLoop
    from voila.app import Voila

    folder, loop = Path.cwd(), IOLoop.current()

    def follow() -> None:
        sys.stdin.buffer.read()
        loop.add_callback(loop.stop)

    threading.Thread(target=follow, daemon=True).start()
    try:
        Voila.launch_instance([notebook])
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    serve(sys.argv[1])
