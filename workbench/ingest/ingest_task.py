"""`workbench ingest` as a task of the worker: ``{"files": [...]}``; see ``workbench.worker``.

Without files it is what the settings name. It is stopped between two sources: what was taken in stays, each
source as operations of its own, and the next run goes on where this one ended.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class _Sum:
    """What became of all sources so far."""

    counts: Counter[str] = field(default_factory=Counter)
    episodes: int = 0
    memories: int = 0
    operations: int = 0
    troubles: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def add(self, taken: Taken, *, named: bool) -> None:
        """One more."""
        self.counts[taken.outcome] += 1
        self.episodes += len(taken.episodes)
        self.memories += taken.memories
        self.operations += len(taken.operations)
        if taken.why and (taken.outcome in ("failed", "refused") or (named and taken.outcome != "taken")):
            self.troubles.append([taken.source, taken.why])
        self.notes += taken.notes
        if taken.bad:
            self.unreadable.append(unreadable(os.path.basename(taken.source), taken.bad))


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Take in what is asked for. Raises ReadOnlyError, and what opening the repository raises."""
    with closing(Workspace.open(root)) as workspace:
        return _take_in(workspace, parameters, context)


def _take_in(
    workspace: Workspace, parameters: Mapping[str, Any], context: TaskContext
) -> Mapping[str, object]:
    require_more_than_looking()
    _ = workspace.operations  # without a repository nothing can be taken in, so it is said once
    files = [str(name) for name in parameters.get("files") or ()]
    found = _Sum()
    ingest = Ingest(
        workspace,
        now=moment(parameters.get("now")),
        model=_model(workspace, found.notes),
        embedder=local_model(workspace.settings),
        progress=lambda name, done, total: context.progress(sort_of(name), done, total),
    )
    stopped = False
    try:
        for taken in ingest.run(files):
            found.add(taken, named=bool(files))
    except StoppedError:
        stopped = True
    return {
        "stopped": stopped,
        "counts": found.counts,
        "episodes": found.episodes,
        "memories": found.memories,
        "operations": found.operations,
        "troubles": found.troubles[:_TROUBLES],
        "notes": list(dict.fromkeys(found.notes))[:_TROUBLES],
        "unreadable": found.unreadable[:_TROUBLES],
        "with_unreadable": len(found.unreadable),
    }


def _model(workspace: Workspace, notes: list[str]) -> LanguageModel | None:
    """The language model of the settings; without it the rules do, which is noted."""
    try:
        return open_language_model(workspace.settings)
    except ModelUnavailableError as error:
        notes.append(f"without a language model: {error.message}")
        return None
