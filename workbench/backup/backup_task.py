"""`workbench backup` as a task of the worker: ``{"target": "DIR"}``; see ``workbench.worker``.

Without a target it is the last one again. A backup counts once it was compared: one that is stopped is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from workbench.backup.create import back_up
from workbench.backup.incremental import remembered
from workbench.backup.targets import find_target
from workbench.config.read_only import require_more_than_looking
from workbench.errors import UsageError
from workbench.workspace.task_context import TaskContext
from workbench.workspace.workspace import Workspace


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Make the backup. Raises what ``back_up`` raises, and UsageError where there is none to repeat."""
    require_more_than_looking()
    with closing(Workspace.open(root)) as workspace:
        return _back_up(workspace, str(parameters.get("target") or ""), context)


def _back_up(workspace: Workspace, said: str, context: TaskContext) -> Mapping[str, object]:
    if said:
        target = find_target(said, workspace.history)
    elif last := remembered(workspace):
        target = find_target(last.target)
    else:
        raise UsageError("there is no backup yet that could be repeated", hint="say where to once")
    context.progress(f"to {target.shown}")
    done = back_up(workspace, target, tell=context.progress)
    return {
        "target": done.target.shown,
        "wrote": done.wrote,
        "commit": done.commit or "",
        "compared": done.compared,
        "recorded": len(done.recorded.paths) if done.recorded else 0,
        "notes": list(done.notes),
    }
