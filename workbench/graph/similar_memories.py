"""Memories that say in other words what their page says already: named for a person, never merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.graph.directory import Directory
from workbench.graph.drafts import MemoryDraft
from workbench.graph.page_bytes import document_of
from workbench.memory.claims import claim_key
from workbench.memory.graph_page import read_memories
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder

SAME_MEANING = 0.93
"""Cosine from which two memories of one entity say the same in other words."""


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A draft's ``text`` and the ``other`` memory of the same entity that it resembles; cosine in [-1, 1]."""

    entity: str
    text: str
    other: str
    cosine: float


def lookalikes(
    workspace: Workspace, drafts: Sequence[MemoryDraft], user: str, embedder: Embedder
) -> Iterator[Lookalike]:
    """For each draft the likest memory that its page has, where it is like enough and not the same claim."""
    directory = Directory(workspace)
    by_page: dict[str, list[MemoryDraft]] = defaultdict(list)
    for draft in drafts:
        try:
            page = directory.find(draft.entity or user, draft.entity_type)
        except UsageError:
            continue
        if page is not None:
            by_page[page.path].append(draft)
    for path, some in by_page.items():
        data = workspace.files.read_or_none(directory.at(path).path)
        memories = read_memories(document_of(directory.at(path).path, data)) if data else ()
        if not memories:
            continue
        own = [memory.text for memory in memories]
        keys = set(map(claim_key, own))
        new = [draft.text for draft in some if claim_key(draft.text) not in keys]
        if not new:
            continue
        cosines = embedder.embed(new) @ embedder.embed(own).T
        for text, row in zip(new, cosines, strict=True):
            at = int(row.argmax())
            if row[at] >= SAME_MEANING:
                yield Lookalike(directory.at(path).name, text, own[at], float(row[at]))
