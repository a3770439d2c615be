"""Names that mean the same as a task of the worker; see ``workbench.worker``.

The answer is ``{"pairs": [{"keep", "other", "cosine", "names", "automatic", "why"}]}``, the pages by their
paths. ``now`` names the day as of which.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexing.embedding.choice import choices
from indexing.embedding.model_files import locate
from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError
from workbench.graph.duplicates import Duplicate, duplicates
from workbench.graph.read import read_graph
from workbench.workspace.task_context import TaskContext, moment
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder


def why_no_meaning(settings: Settings) -> str:
    """Why names cannot be compared by their meaning here and now; empty where they can."""
    from indexing.embedding.local import prepared_folder  # noqa: PLC0415 - for those who compare alone

    try:
        if choices(settings, threads=2).first().service is not None:
            return "names are not sent to a provider"
        if not prepared_folder(locate(settings.model)).is_dir():
            return "the model is not prepared yet: `workbench reindex` does that"
    except ModelUnavailableError as error:
        return error.message
    return ""


def alike(workspace: Workspace, today: date) -> tuple[Duplicate, ...]:
    """The pairs that ``duplicates`` finds by the meaning of names, also those that a person has answered.

    Raises ModelUnavailableError, OSError.
    """
    if why := why_no_meaning(workspace.settings):
        raise ModelUnavailableError(why)
    embedder: Embedder = choices(workspace.settings, threads=2).first().open_for_questions()
    try:
        return duplicates(read_graph(workspace), today=today, embedder=embedder)
    finally:
        embedder.close()


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
