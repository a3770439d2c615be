"""Signals: the terminal is given back whatever ends the program, and painted anew when it goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

_PATIENCE_SECONDS = 10.0
"""What an operation that is being written may take to become whole once the terminal is gone."""
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


def _end(app: App[None], number: int) -> None:
    # A terminal that is gone may never answer, and who reads from it may outlive the event loop.
    last = threading.Timer(_PATIENCE_SECONDS, os._exit, (128 + number,))
    last.daemon = True
    last.start()
    app.exit(return_code=128 + number)


def _repaint(app: App[None]) -> None:
    for screen in app.screen_stack:
        screen.refresh(layout=True)
