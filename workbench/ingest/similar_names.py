"""Names that mean the same as a task of the worker; see ``workbench.worker``.

The answer is ``{"pairs": [{"keep", "other", "cosine", "names", "automatic", "why"}]}``, the pages by their
paths. ``now`` names the day as of which.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from workbench.errors import ModelUnavailableError
from workbench.graph.duplicates import Duplicate, duplicates
from workbench.graph.read import read_graph
from workbench.ingest.local_model import local_model, why_no_model
from workbench.workspace.task_context import TaskContext, moment
from workbench.workspace.workspace import Workspace


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Compare the names of all pages, also those pairs that a person has answered.

    Raises ModelUnavailableError, OSError.
    """
    context.progress("comparing")
    with closing(Workspace.open(root)) as workspace:
        embedder = local_model(workspace.settings)
        if embedder is None:
            raise ModelUnavailableError(why_no_model(workspace.settings))
        today = moment(parameters.get("now")).date()
        found = duplicates(read_graph(workspace), today=today, embedder=embedder)
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
