"""`workbench backup` in a process of its own: ``python -m workbench.backup.worker WORKSPACE``.

It speaks as ``workbench.workspace.worker`` says. What is wanted is ``{"do": "backup", "target": "DIR"}``;
without a target it is the last one again. A backup counts once it was compared: one that is stopped is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.backup.create import back_up
from workbench.backup.incremental import remembered
from workbench.backup.targets import find_target
from workbench.config.read_only import require_more_than_looking
from workbench.errors import UsageError
from workbench.workspace.worker import Telling, run
from workbench.workspace.workspace import Workspace

_WHAT = "backing up"


def answer(workspace: Workspace, wanted: Mapping[str, Any], telling: Telling) -> Mapping[str, object]:
    """Make the backup. Raises what ``back_up`` raises, and UsageError where there is none to repeat."""
    if wanted.get("do") != "backup":
        raise UsageError("nothing that can be done was asked for")
    require_more_than_looking()
    said = str(wanted.get("target") or "")
    if said:
        target = find_target(said, workspace.history)
    elif last := remembered(workspace):
        target = find_target(last.target)
    else:
        raise UsageError("there is no backup yet that could be repeated", hint="say where to once")
    telling.progress(f"to {target.shown}")
    done = back_up(workspace, target, tell=telling.progress)
    return {
        "target": done.target.shown,
        "wrote": done.wrote,
        "commit": done.commit or "",
        "compared": done.compared,
        "recorded": len(done.recorded.paths) if done.recorded else 0,
        "notes": list(done.notes),
    }


if __name__ == "__main__":
    run(_WHAT, answer)
