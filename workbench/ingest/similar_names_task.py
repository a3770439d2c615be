"""Names that mean the same as a task of the worker; see ``workbench.worker``.

The answer is ``{"pairs": [{"keep", "other", "cosine", "names", "automatic", "why"}]}``, the pages by their
paths. ``now`` names the day as of which.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from workbench.graph.duplicates import Duplicate
from workbench.ingest.similar_names import alike
from workbench.workspace.task_context import TaskContext, moment
from workbench.workspace.workspace import Workspace


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Compare the names of all pages. Raises ModelUnavailableError, OSError."""
    context.progress("comparing")
    with closing(Workspace.open(root)) as workspace:
        found = alike(workspace, moment(parameters.get("now")).date())
    return {"pairs": [_as_json(one) for one in found]}


def _as_json(one: Duplicate) -> dict[str, object]:
    return {
        "keep": one.keep.path,
        "other": one.other.path,
        "cosine": one.cosine,
        "names": one.names,
        "automatic": one.automatic,
        "why": one.why,
    }
