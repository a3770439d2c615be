"""One task on a workspace in a process of its own, so that the interface answers meanwhile.

``python -m workbench.worker TASK WORKSPACE`` reads one JSON line on stdin, the task's parameters, and writes
JSON lines on stdout: any number of ``{"event": "progress", "phase", "done", "total"}`` and of the task's own
events, then ``{"event": "done", ...}`` or ``{"event": "error", "code", "message", "hint"}``. The task
``search`` goes on reading: see ``workbench.agent.search_task``.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from workbench.errors import UsageError, WorkbenchError
from workbench.frozen import frozen
from workbench.workspace.task_context import TaskContext

Task: TypeAlias = Callable[[Path, Mapping[str, Any], TaskContext], Mapping[str, object]]
"""Does what the parameters say to the workspace at a path, and answers with what comes behind ``done``."""


@frozen
class TaskSpec:
    """A task: ``module`` has it as ``run``, and ``what`` it does in a word."""

    module: str
    what: str
    niceness: int = 0
    ends_at_once: bool = False
    """Whether SIGTERM ends it wherever it is: it only reads, or what it has stored by then stays good."""


TASKS: Mapping[str, TaskSpec] = {
    "backup": TaskSpec("workbench.backup.create", "backing up"),
    "dream": TaskSpec("workbench.dreaming.run", "dreaming"),
    "health": TaskSpec("workbench.health.checks", "the look", niceness=5, ends_at_once=True),
    "ingest": TaskSpec("workbench.ingest.ingest", "ingest", niceness=5),
    "reindex": TaskSpec("indexing.sync.run", "indexing", niceness=10, ends_at_once=True),
    "search": TaskSpec("workbench.agent.search_task", "searching", ends_at_once=True),
    "similar-names": TaskSpec("workbench.graph.merge", "comparing names", niceness=5, ends_at_once=True),
}

_ARGUMENTS = 2


def main(arguments: list[str]) -> int:
    """Do the task that the arguments name; the exit code is that of the error tree.

    SIGTERM stops a task where it next says how far it is, or at once where nothing can be left half done.
    """
    if len(arguments) != _ARGUMENTS or arguments[0] not in TASKS:
        sys.stderr.write(f"usage: python -m workbench.worker {'|'.join(TASKS)} WORKSPACE\n")
        return UsageError.exit_code
    spec = TASKS[arguments[0]]
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with contextlib.suppress(OSError):
        os.nice(spec.niceness)
    context = TaskContext(spec.what, sys.stdout)
    on_stop = signal.SIG_DFL if spec.ends_at_once else lambda *_: context.stop()
    signal.signal(signal.SIGTERM, on_stop)
    with contextlib.redirect_stdout(sys.stderr):  # nothing that a library prints is an answer
        return run(spec, Path(arguments[1]), context)


def run(spec: TaskSpec, root: Path, context: TaskContext) -> int:
    """Do the task with the parameters of stdin's first line."""
    try:
        parameters = _parameters(sys.stdin.buffer.readline())
        task: Task = import_module(spec.module).run
        answer = task(root, parameters, context)
    except WorkbenchError as error:
        context.say("error", code=error.code, message=error.message, hint=error.hint)
        return error.exit_code
    except BrokenPipeError:
        raise
    except Exception as error:  # the last word on this pipe must say what happened
        context.say("error", code="failed", message=f"{type(error).__name__}: {error}", hint="")
        return 1
    context.say("done", **answer)
    return 0


def _parameters(line: bytes) -> Mapping[str, Any]:
    try:
        said = json.loads(line or b"{}")
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise UsageError("the parameters are not a JSON object", hint="write one line, for example {}")
    return said


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(130)


# -- how a process of ours came to its end, in words -------------------------------------------------


def killed_by(status: int) -> str:
    """The signal that ended a process, such as ``SIGKILL``; empty where it ended by itself.

    ``status`` is as Python counts it: the signal's number below zero.
    """
    if status >= 0:
        return ""
    try:
        return signal.Signals(-status).name
    except ValueError:  # real-time signals have numbers, but no names
        return f"signal {-status}"


def ended(status: int) -> str:
    """Its end behind the name of the work: ``was ended by SIGKILL``, ``ended with status 7``."""
    if name := killed_by(status):
        return f"was ended by {name}"
    return f"ended with status {status}"
