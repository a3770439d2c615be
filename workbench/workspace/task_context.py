"""What a task that runs in a process of its own is given, to say how far it is and to hear of a stop."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from threading import Event
from typing import TextIO

from workbench.errors import StoppedError


class TaskContext:
    """How a task says how far it is, and hears that it is to stop."""

    def __init__(self, what: str, out: TextIO | None = None) -> None:
        """``what`` is done, in a word; ``out`` takes the lines, standard output where it is None."""
        self._what = what
        self.out = out or sys.stdout
        """Where answers go."""
        self._stop = Event()

    def stop(self) -> None:
        """Have the task end at its next word."""
        self._stop.set()

    def require_not_stopped(self) -> None:
        """Raise StoppedError where somebody wants it to stop."""
        if self._stop.is_set():
            raise StoppedError(self._what)

    def progress(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Say it: ``done`` of ``total`` units, 0 of 0 where none are counted. Raises StoppedError."""
        self.require_not_stopped()
        self.say("progress", phase=phase, done=done, total=total)

    def say(self, event: str, **said: object) -> None:
        """Write one line."""
        self.out.write(json.dumps({"event": event, **said}) + "\n")
        self.out.flush()


def moment(said: object) -> datetime:
    """The moment that a parameter names, or this one."""
    try:
        return datetime.fromisoformat(str(said)).astimezone()
    except (ValueError, OverflowError):
        return datetime.now().astimezone()
