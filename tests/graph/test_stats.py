"""The graph in figures."""

from __future__ import annotations

from datetime import UTC, date, datetime

from tests.support.pages import TEAM
from tests.support.workspaces import Sandbox
from workbench.graph.read import Ingestion, LinkedEntity, Stats, read_graph, stats

TODAY = date(2026, 3, 14)
NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


def figures(sandbox: Sandbox) -> Stats:
    return stats(sandbox.workspace, read_graph(sandbox.workspace), TODAY)


def team(sandbox: Sandbox) -> Sandbox:
    for path, text in TEAM.items():
        sandbox.write(f"graph/{path}.md", text)
    return sandbox


def test_every_kind_of_thing_is_counted(sandbox: Sandbox) -> None:
    found = figures(team(sandbox))
    assert (found.entities, found.memories, found.relations, found.loose) == (8, 11, 12, 0)
    assert found.entity_types == {"person": 2, "project": 3, "organization": 1, "place": 1, "technology": 1}
    assert found.memory_types == {"todo": 6, "fact": 3, "decision": 1, "identity": 1}
    assert found.relation_kinds["works_on"] == 3
    assert found.relation_kinds["mentors"] == 1
    assert sum(found.memory_types.values()) == sum(found.trust.values()) == found.memories
    assert sum(found.relation_kinds.values()) == found.relations


def test_what_is_wrong_or_over_is_counted(sandbox: Sandbox) -> None:
    team(sandbox)
    sandbox.write(
        "graph/person/zed.md",
        "---\nname: [Zed\n---\n"
        "- [fact] x <!-- wb: pinned=1 valid_until=2026-03-14 src=a.md#L1 src=b.md -->\n",
    )
    found = figures(sandbox)
    assert found.expired == 2  # this one, and Alice's relation to Borealis
    assert found.unresolved == 1
    assert found.broken == ("graph/person/zed.md",)
    assert found.pinned == 1
    assert found.unsourced == found.memories - 2
    assert found.sources == 3
    assert found.pending == 5


def test_a_box_is_no_memory_without_a_source(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-05.md", "- [ ] Send a letter\n")
    assert (figures(sandbox).pending, figures(sandbox).unsourced) == (1, 0)


def test_days_and_entities_with_the_most_relations_are_named(sandbox: Sandbox) -> None:
    found = figures(team(sandbox))
    assert (found.oldest, found.newest) == ("2026-01-05", "2026-02-10")
    assert found.top[0] == LinkedEntity("Atlas", 5)
    assert found.confidence is not None
    assert 0.9 < found.confidence < 1


def test_what_was_ingested_is_told_by_kind(sandbox: Sandbox) -> None:
    for kind, source, memories in (
        ("transcript", "s1.jsonl", 3),
        ("transcript", "s1.jsonl", 2),
        ("transcript", "s2.jsonl", 0),
        ("markdown", "memory/a.md", 4),
    ):
        record = {"source": source, "digest": "d", "kind": kind, "memories": memories}
        sandbox.workspace.ledger.append("ingested", [record], NOW)
    at = "2026-03-14T12:00:00+00:00"
    assert figures(sandbox).ingested == (
        Ingestion("markdown", 1, 1, 4, at),
        Ingestion("transcript", 2, 3, 5, at),
    )


def test_records_of_the_ledger_that_make_no_sense_do_no_harm(sandbox: Sandbox) -> None:
    bad = {"source": ["a"], "kind": {"x": 1}, "memories": "many", "at": 7}
    sandbox.workspace.ledger.append("ingested", [bad, {"memories": -5, "kind": None}], NOW)
    assert sum(one.memories for one in figures(sandbox).ingested) == 0
    assert sum(one.runs for one in figures(sandbox).ingested) == 2


def test_an_empty_graph_has_figures(sandbox: Sandbox) -> None:
    found = figures(sandbox)
    assert (found.entities, found.memories, found.oldest, found.top, found.confidence) == (
        0,
        0,
        None,
        (),
        None,
    )
    assert found.ingested == ()
