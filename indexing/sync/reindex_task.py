"""Reindexing as a task of the worker: ``{"full": false, "vectors": true}``; see ``workbench.worker``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from indexing.sync.report import SyncProgress
from indexing.sync.run import reindex
from workbench.workspace.task_context import TaskContext
from workbench.workspace.workspace import Workspace


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Bring the index up to date; what is stored stays when it is ended. Raises what ``reindex`` raises."""

    def tell(progress: SyncProgress) -> None:
        context.progress(progress.phase, progress.done, progress.total)

    full, vectors = parameters.get("full") is True, parameters.get("vectors") is not False
    with closing(Workspace.open(root)) as workspace:
        report = reindex(workspace, full=full, vectors=vectors, progress=tell)
    return {"report": report.as_json()}
