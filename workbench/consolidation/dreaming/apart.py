"""Dreaming in a process of its own: ``python -m workbench.consolidation.dreaming.apart WORKSPACE``.

So an interface stays at hand meanwhile, and loads nothing for it. One JSON line on stdin says what is
wanted: ``{"do": "dream"}``, whose proposals then wait as those of `workbench dream` do, or
``{"do": "explain", "what": "KEY or words"}``, which writes nothing. JSON lines on stdout: any number of
``{"event": "progress", "phase", "done", "total"}``, then ``{"event": "done", ...}`` or
``{"event": "error", "code", "message", "hint"}``.

SIGTERM stops it: until its proposals are written down nothing is, and they are in one write.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any

from workbench.consolidation.dreaming.dream import dream
from workbench.consolidation.dreaming.explain import explain
from workbench.consolidation.dreaming.outcome import outcome_of
from workbench.consolidation.dreaming.progress import Progress
from workbench.errors import StoppedError, UsageError, WorkbenchError
from workbench.models.choice import open_language_model
from workbench.proposals.pending import propose
from workbench.workspace.workspace import Workspace

_MODULE_ARGUMENTS = 2
_stop = Event()


def main(arguments: list[str]) -> int:
    """Do what stdin asks for; the exit code is that of the error tree."""
    if len(arguments) != _MODULE_ARGUMENTS:
        sys.stderr.write("usage: python -m workbench.consolidation.dreaming.apart WORKSPACE\n")
        return UsageError.exit_code
    signal.signal(signal.SIGTERM, lambda *_: _stop.set())
    try:
        workspace = Workspace.open(Path(arguments[1]))
        try:
            answer = _done(workspace, json.loads(sys.stdin.readline() or "{}"))
        finally:
            workspace.close()
    except WorkbenchError as error:
        _say({"event": "error", "code": error.code, "message": error.message, "hint": error.hint})
        return error.exit_code
    except BrokenPipeError:
        raise
    except Exception as error:  # the last word on this pipe must say what happened
        _say({"event": "error", "code": "failed", "message": f"{type(error).__name__}: {error}", "hint": ""})
        return 1
    _say({"event": "done", **answer})
    return 0


def _done(workspace: Workspace, wanted: Mapping[str, Any]) -> dict[str, object]:
    """What was asked for, done. Raises what it raises."""
    now = _moment(wanted.get("now"))
    if wanted.get("do") == "explain":
        return {"explanation": explain(workspace, str(wanted.get("what", "")), now, tell=_tell).as_json()}
    if wanted.get("do") != "dream":
        raise UsageError("nothing that can be done was asked for")
    model = open_language_model(workspace.settings)
    dreamt = dream(workspace, now=now, model=model, tell=_tell)
    _heed("dreaming")
    return {"outcome": outcome_of(dreamt, propose(workspace, dreamt.proposals, now, anew=True)).as_json()}


def _moment(said: object) -> datetime:
    """The moment as of which is dreamt: the one that is asked for, or this one."""
    try:
        return datetime.fromisoformat(str(said)).astimezone()
    except (ValueError, OverflowError):
        return datetime.now().astimezone()


def _tell(progress: Progress) -> None:
    _heed("dreaming")
    _say(progress.as_json())


def _heed(what: str) -> None:
    if _stop.is_set():
        raise StoppedError(what)


def _say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv))
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(130)
