"""Graphs for tests, written as their pages are."""

from __future__ import annotations

from workbench.graph.model import Graph
from workbench.memory.entry import RelPath
from workbench.memory.graph_page import Entity, read_entity, read_memories
from workbench.memory.markdown import parse_document
from workbench.workspace.layout import USUAL


def page(path: str, text: str) -> Entity:
    """The entity in a page below ``graph/``: ``person/sarah``."""
    name = RelPath(f"graph/{path}.md")
    return read_entity(parse_document(name, text.encode(), USUAL.kind_of(name)))


def graph_of(pages: dict[str, str], notes: dict[str, str] | None = None) -> Graph:
    """A graph of pages by their places below ``graph/``, and of notes by their whole paths."""
    documents = [
        parse_document(RelPath(path), text.encode(), USUAL.kind_of(path))
        for path, text in (notes or {}).items()
    ]
    return Graph(
        tuple(page(path, text) for path, text in sorted(pages.items())),
        tuple(memory for document in documents for memory in read_memories(document)),
    )


TEAM = {
    "person/alice": "---\nid: e-alice\nname: Alice Moss\naliases: [Alice]\nvalid_from: 2026-01-01\n---\n"
    "- [identity] Builds search engines <!-- wb: confidence=0.9 -->\n"
    "- [fact] Lives in Lisbon"
    " <!-- wb: id=m1 confidence=0.8 occurred_at=2026-02-01 src=memory/2026-02-01.md#L3 -->\n"
    "- [todo] Write the release notes <!-- wb: happens_at=2026-03-20 -->\n"
    "- works_on [[Atlas]] <!-- wb: id=r1 valid_from=2026-01-10 src=memory/2026-01-10.md#L4 -->\n"
    "- works_on [[Borealis]] <!-- wb: valid_from=2025-01-10 valid_until=2026-01-10 -->\n"
    "- knows [[Bob]]\n",
    "person/bob": "---\nid: e-bob\nname: Bob Ray\naliases: [Bob]\n---\n"
    "- [fact] Lives in Oslo <!-- wb: occurred_at=2026-01-05 -->\n"
    "- works_on [[Atlas Indexer]]\n- part_of [[Acme]]\n- mentors [[Alice Moss]]\n",
    "project/atlas": "---\nid: e-atlas\nname: Atlas\ntype: project\n---\n"
    "- [decision] Atlas uses tantivy <!-- wb: occurred_at=2026-02-10 -->\n"
    "- [todo] Renew the certificate <!-- wb: happens_at=2026-03-10 -->\n"
    "- [todo] Name the release\n"
    "- [todo] Buy the domain <!-- wb: done=2026-02-20 happens_at=2026-02-15 -->\n"
    "- uses [[NATS]]\n- part_of [[Acme]]\n",
    "project/atlas-indexer": "---\nname: Atlas Indexer\n---\n- [todo] Shard the index\n- part_of [[Atlas]]\n",
    "project/borealis": "---\nname: Borealis\n---\n- depends_on [[Atlas]]\n- [todo] Close the books\n",
    "organization/acme": "---\nname: Acme\n---\n- located_in [[Berlin]]\n",
    "place/berlin": "---\nname: Berlin\n---\n- located_in [[Germany]]\n",
    "technology/nats": "---\nname: NATS JetStream\naliases: [NATS]\n---\n- [fact] Speaks on port 4222\n",
}
"""A small company. On 2026-03-14 Alice works on Atlas, of which the indexer is a part, not on Borealis."""
