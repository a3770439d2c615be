"""One task on a workspace in a process of its own, for an interface that stays at hand meanwhile.

``python -m MODULE WORKSPACE`` reads one JSON line on stdin, which says what is wanted, and writes JSON lines
on stdout: any number of ``{"event": "progress", "phase", "done", "total"}``, then ``{"event": "done", ...}``
or ``{"event": "error", "code", "message", "hint"}``. SIGTERM stops it where the task next says how far it is.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any, TypeAlias

from workbench.errors import StoppedError, UsageError, WorkbenchError
from workbench.workspace.workspace import Workspace

_ARGUMENTS = 2


class Telling:
    """How a task says how far it is, and hears that it is to stop."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._stop = Event()

    def stop(self) -> None:
        """Have the task end at its next word."""
        self._stop.set()

    def heed(self) -> None:
        """Raise StoppedError where somebody wants it to stop."""
        if self._stop.is_set():
            raise StoppedError(self._what)

    def progress(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Say it: ``done`` of ``total`` units, 0 of 0 where none are counted. Raises StoppedError."""
        self.heed()
        say({"event": "progress", "phase": phase, "done": done, "total": total})


Task: TypeAlias = Callable[[Workspace, Mapping[str, Any], Telling], Mapping[str, object]]
"""Does what is wanted, and answers with what comes behind ``done``."""


def serve(arguments: list[str], what: str, task: Task) -> int:
    """Do the task that stdin asks for; the exit code is that of the error tree."""
    if len(arguments) != _ARGUMENTS:
        sys.stderr.write("usage: python -m MODULE WORKSPACE\n")
        return UsageError.exit_code
    telling = Telling(what)
    signal.signal(signal.SIGTERM, lambda *_: telling.stop())
    try:
        with closing(Workspace.open(Path(arguments[1]))) as place:
            wish = json.loads(sys.stdin.readline() or "{}")
            answer = task(place, wish if isinstance(wish, dict) else {}, telling)
    except WorkbenchError as error:
        say({"event": "error", "code": error.code, "message": error.message, "hint": error.hint})
        return error.exit_code
    except BrokenPipeError:
        raise
    except Exception as error:  # the last word on this pipe must say what happened
        say({"event": "error", "code": "failed", "message": f"{type(error).__name__}: {error}", "hint": ""})
        return 1
    say({"event": "done", **answer})
    return 0


def moment(said: object) -> datetime:
    """The moment that a wish names, or this one."""
    try:
        return datetime.fromisoformat(str(said)).astimezone()
    except (ValueError, OverflowError):
        return datetime.now().astimezone()


def say(message: Mapping[str, object]) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def run(what: str, task: Task) -> None:
    """The whole program."""
    try:
        sys.exit(serve(sys.argv, what, task))
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(130)
