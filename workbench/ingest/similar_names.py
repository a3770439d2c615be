"""Names of entities that mean the same, in a process of its own.

``python -m workbench.ingest.similar_names DIR [DAY]`` says one JSON line: ``{"pairs": [{"keep", "other",
"cosine", "names", "automatic", "why"}]}``, the pages by their paths, or ``{"problem": "…"}``. Nothing is
merged here, and no name is sent to a provider.
"""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.embedding.choice import choices
from indexing.embedding.locate import locate
from indexing.embedding.port import Closable
from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError, WorkbenchError
from workbench.graph.duplicates import Duplicate, duplicates
from workbench.graph.read import read_graph
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder

_ARGUMENTS = 3


def why_no_meaning(settings: Settings) -> str:
    """Why names cannot be compared by their meaning here and now; empty where they can."""
    from indexing.embedding.select import prepared_folder  # noqa: PLC0415 - for those who compare alone

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
        if isinstance(embedder, Closable):
            embedder.close()


def main(arguments: list[str]) -> int:
    """Say which pages of the workspace at ``arguments[1]`` may be one on the day ``arguments[2]``."""
    today = date.fromisoformat(arguments[2]) if len(arguments) == _ARGUMENTS else date.today()
    said: dict[str, object]
    try:
        workspace = Workspace.open(Path(arguments[1]))
        try:
            said = {"pairs": [_as_json(one) for one in alike(workspace, today)]}
        finally:
            workspace.close()
    except WorkbenchError as error:
        said = {"problem": error.message}
    except Exception as error:  # the only word on this pipe must say what happened
        said = {"problem": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(said) + "\n")
    return 1 if "problem" in said else 0


def _as_json(one: Duplicate) -> dict[str, object]:
    return {
        "keep": one.keep.path,
        "other": one.other.path,
        "cosine": one.cosine,
        "names": one.names,
        "automatic": one.automatic,
        "why": one.why,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv))
