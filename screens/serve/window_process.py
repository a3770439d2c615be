"""The process of one browser window: ``python -m screens.serve.window_process WORKSPACE``.

It speaks Textual's web protocol on stdin and stdout, and ends when it is told to or when the server is gone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from screens.start import run
from workbench.workspace.workspace import Workspace

_LOOK_SECONDS = 1.0
_GRACE_SECONDS = 10.0


def main(folder: str) -> int:
    """Show the workspace until the window is closed: the exit code."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    place = Workspace.open(folder, anyhow=True)
    try:
        return run(place)
    finally:
        place.close()


def _end_with(parent: int) -> None:
    """Leave, as if the person had, once the server is gone: nobody would ever see this process again."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
