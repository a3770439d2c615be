"""`workbench ingest` as a task of the worker: ``{"files": [...]}``; see ``workbench.worker``.

Without files it is what the settings name. It is stopped between two sources: what was taken in stays, each
source as operations of its own, and the next run goes on where this one ended.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from workbench.config.read_only import require_more_than_looking
from workbench.errors import ModelUnavailableError, StoppedError
from workbench.ingest.ingest import Ingest, Taken, sort_of
from workbench.ingest.local_model import local_model
from workbench.ingest.outcomes import unreadable
from workbench.llm.language_model import LanguageModel
from workbench.llm.provider import open_language_model
from workbench.workspace.task_context import TaskContext, moment
from workbench.workspace.workspace import Workspace

_TROUBLES = 20
"""Sources that were not taken in which are named, with why."""


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Ingest what is asked for. Raises ReadOnlyError, and what opening the repository raises."""
    with closing(Workspace.open(root)) as workspace:
        require_more_than_looking()
        _ = workspace.operations  # without a repository nothing can be taken in, so it is said once
        files = [str(name) for name in parameters.get("files") or ()]
        notes: list[str] = []
        ingest = Ingest(
            workspace,
            now=moment(parameters.get("now")),
            model=_model(workspace, notes),
            embedder=local_model(workspace.settings),
            progress=lambda name, done, total: context.progress(sort_of(name), done, total),
        )
        done: list[Taken] = []
        try:
            for taken in ingest.run(files):
                done.append(taken)
            stopped = False
        except StoppedError:
            stopped = True
    notes += [note for taken in done for note in taken.notes]
    bad = [unreadable(os.path.basename(taken.source), taken.bad) for taken in done if taken.bad]
    return {
        "stopped": stopped,
        "counts": Counter(taken.outcome for taken in done),
        "episodes": sum(len(taken.episodes) for taken in done),
        "memories": sum(taken.memories for taken in done),
        "operations": sum(len(taken.operations) for taken in done),
        "troubles": [[one.source, one.why] for one in done if _is_trouble(one, named=bool(files))][
            :_TROUBLES
        ],
        "notes": list(dict.fromkeys(notes))[:_TROUBLES],
        "unreadable": bad[:_TROUBLES],
        "with_unreadable": len(bad),
    }


def _is_trouble(taken: Taken, *, named: bool) -> bool:
    """Whether a person is told why a source was not ingested: it failed, or they named it."""
    return bool(taken.why) and (
        taken.outcome in ("failed", "refused") or (named and taken.outcome != "taken")
    )


def _model(workspace: Workspace, notes: list[str]) -> LanguageModel | None:
    """The language model of the settings; without it the rules do, which is noted."""
    try:
        return open_language_model(workspace.settings)
    except ModelUnavailableError as error:
        notes.append(f"without a language model: {error.message}")
        return None
