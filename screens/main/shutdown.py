"""The end: the terminal is given back whatever ends the program, and nothing that hangs can hold it up.

Signals end it as the key does; when it goes on after one, all is painted anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from typing import TYPE_CHECKING

from workbench.workspace.locks import is_holding

if TYPE_CHECKING:
    from textual.app import App

    from screens.app import WorkbenchApp

_PATIENCE_SECONDS = 10.0
"""What an operation that is being written may take to become whole once the terminal is gone."""
_END_SECONDS = 1.0
"""What children and threads may take to end by themselves after the person left."""
_LOOK_SECONDS = 0.05
_ENDS = ("SIGTERM", "SIGHUP")


def listen(app: App[None]) -> None:
    """End ``app`` as by its own key when the system asks for it; paint all of it when it is resumed."""
    if app.is_headless or app.is_web:
        return
    loop = asyncio.get_running_loop()
    for name in _ENDS:
        if number := getattr(signal, name, None):
            loop.add_signal_handler(number, _end, app, int(number))
    app.app_resume_signal.subscribe(app, lambda _: app.call_later(_repaint, app))


def end_in_time(app: WorkbenchApp, code: int) -> None:
    """End the process soon with this exit code, whatever hangs: what is being written is waited for."""
    if not app.is_headless:
        threading.Thread(target=_end_anyhow, args=(app, code), name="ending", daemon=True).start()


def _end_anyhow(app: WorkbenchApp, code: int) -> None:
    time.sleep(_END_SECONDS)
    last = time.monotonic() + _PATIENCE_SECONDS
    while is_holding() and time.monotonic() < last:
        time.sleep(_LOOK_SECONDS)
    give_back = getattr(app._driver, "give_back", None)
    if give_back is not None:
        give_back()
    _end_children()
    os._exit(code)


def _end_children() -> None:
    """What waits for ever would go on doing so when nobody waits for it any more."""
    import psutil  # noqa: PLC0415 - hardly ever needed

    with contextlib.suppress(psutil.Error):
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.terminate()


def _end(app: App[None], number: int) -> None:
    # A terminal that is gone may never answer, and who reads from it may outlive the event loop.
    last = threading.Timer(_PATIENCE_SECONDS, os._exit, (128 + number,))
    last.daemon = True
    last.start()
    app.exit(return_code=128 + number)


def _repaint(app: App[None]) -> None:
    for screen in app.screen_stack:
        screen.refresh(layout=True)
