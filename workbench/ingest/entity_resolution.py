"""Right after learning: entities that are one become one page, and what only may be is named for a person.

Names that mean the same as a task of the worker; see ``workbench.worker``.

The answer is ``{"pairs": [{"keep", "other", "cosine", "names", "automatic", "why"}]}``, the pages by their
paths. ``now`` names the day as of which.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from indexing.embedding.local import local_model, why_no_model
from indexing.embedding.port import Embedder
from workbench.errors import ModelUnavailableError, WorkbenchError
from workbench.frozen import frozen
from workbench.graph.duplicates import Duplicate, duplicates
from workbench.graph.merge import plan_merge_entities
from workbench.graph.read import GraphReader, read_graph
from workbench.workspace.decisions import settled_keys
from workbench.workspace.plan import Operation
from workbench.workspace.task_context import TaskContext, moment
from workbench.workspace.workspace import Workspace

MOST = 20
"""Merges of one run: more at once would be a fault of the model rather than of the memory."""


@frozen
class ResolutionResult:
    """The merges that were made, each an operation; the pairs for a person; and what failed."""

    merged: tuple[Operation, ...] = ()
    flagged: tuple[Duplicate, ...] = ()
    notes: tuple[str, ...] = ()


def resolve(
    workspace: Workspace,
    *,
    now: datetime,
    embedder: Embedder | None = None,
    of: Collection[str] | None = None,
    dry_run: bool = False,
    reader: GraphReader | None = None,
) -> ResolutionResult:
    """Merge the duplicates that pass every bar, each as an operation of `dreaming`; name the others.

    ``of`` are the paths of the pages to look for duplicates of (those that were just written), None for all.
    Without ``embedder`` nothing is merged. With ``dry_run`` nothing is at all, and all pairs are flagged.
    What fails is a note, never a stop. A ``reader`` that is kept parses only the pages that have changed.
    """
    graph = reader.read() if reader else read_graph(workspace)
    notes: list[str] = []
    look = partial(duplicates, graph, today=now.date(), decided=settled_keys(workspace), of=of)
    try:
        found = look(embedder=embedder)
    except ModelUnavailableError as error:
        notes.append(f"names were compared without embeddings: {error.message}")
        found = look()
    merged: list[Operation] = []
    touched: set[str] = set()
    gone: set[str] = set()
    flagged: list[Duplicate] = []
    for duplicate in found:
        paths = {duplicate.keep.path, duplicate.other.path}
        if dry_run or not duplicate.automatic or len(merged) == MOST or paths & touched:
            flagged.append(duplicate)
            continue
        plan = partial(
            plan_merge_entities,
            workspace,
            duplicate.keep.path,
            duplicate.other.path,
            reason=f"cosine {duplicate.cosine or 0:.3f}, names {duplicate.names:.3f}",
            actor="dreaming",
        )
        try:
            merged.append(workspace.operations.carry_out(plan))
        except WorkbenchError as error:
            notes.append(f"{duplicate.keep.name} and {duplicate.other.name} were not merged: {error.message}")
            flagged.append(duplicate)
        else:
            touched |= paths
            gone.add(duplicate.other.path)
    flagged = [one for one in flagged if not {one.keep.path, one.other.path} & gone]
    return ResolutionResult(tuple(merged), tuple(flagged), tuple(notes))


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
    pairs = [
        {
            "keep": one.keep.path,
            "other": one.other.path,
            "cosine": one.cosine,
            "names": one.names,
            "automatic": one.automatic,
            "why": one.why,
        }
        for one in found
    ]
    return {"pairs": pairs}
