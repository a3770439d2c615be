"""Two pages become one: every memory of both is there, all links to the other lead here, undo is exact."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support.workspaces import Sandbox
from workbench.errors import UsageError
from workbench.graph.merge import plan_merge_entities
from workbench.graph.page_edit import relinked
from workbench.graph.read import read_graph
from workbench.memory.claims import claim_key
from workbench.memory.graph_page import Entity
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation

NOW = datetime(2026, 3, 20, 9, tzinfo=UTC)
KEEP = "graph/person/sarah-chen.md"
OTHER = "graph/person/s-chen.md"
KEEP_PAGE = """---
id: ent-1
name: Sarah Chen
type: person
valid_from: 2026-03-02
---
- [preference] Prefers async reviews <!-- wb: id=m1 confidence=0.6 src=a.md#L1 trust=owner -->
- works_on [[Project Atlas]] <!-- wb: id=r1 -->

## Notes

Mine.
"""
OTHER_PAGE = """---
id: ent-2
name: S. Chen
type: person
aliases: [Sarah, Chen-san]
valid_from: 2026-01-05
trust: agent
---
# S. Chen

- [preference] prefers *async* reviews. <!-- wb: id=m9 confidence=0.8 src=b.md#L2 trust=owner -->
- [fact] Speaks Dutch <!-- wb: id=m1 src=c.md#L3 -->
- [fact] Without a comment
- [fact] Of two lines
  and this one
- works_on [[Project Atlas]] <!-- wb: id=r2 confidence=0.9 src=b.md#L4 -->
- knows [[Sarah Chen]]
- knows [[Ben]] <!-- wb: id=r3 -->

A paragraph of its own, with [[Chen-san]].

```
code [[S. Chen]]
```
"""
BEN = """---
name: Ben
type: person
---
- knows [[S. Chen]] <!-- wb: id=r4 src=d.md#L1 -->
- knows [[Sarah Chen]] <!-- wb: id=r5 src=e.md#L1 confidence=0.4 -->
- [fact] Met [[s-chen|her]] and [[Chen-san]] in `[[S. Chen]]` Oslo
"""
NOTE = "# Note\n\nAsk [[S. Chen]], [[Sarah#Reviews]] or [[Sarah Chen]] about ![[graph/person/s-chen]].\n"


@pytest.fixture
def pages(sandbox: Sandbox) -> Sandbox:
    sandbox.write(KEEP, KEEP_PAGE)
    sandbox.write(OTHER, OTHER_PAGE)
    sandbox.write("graph/person/ben.md", BEN)
    sandbox.write("memory/research/note.md", NOTE)
    sandbox.write("memory/2026-03-15.md", "- [[S. Chen]] called\n")
    sandbox.commit("pages")
    return sandbox


def merge(sandbox: Sandbox, keep: str = "Sarah Chen", other: str = "S. Chen") -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_merge_entities(place, keep, other))


def entity(sandbox: Sandbox, name: str) -> Entity:
    found = read_graph(sandbox.workspace).entity(name)
    assert found is not None
    return found


def test_every_memory_of_both_is_there(pages: Sandbox) -> None:
    merge(pages)
    sarah = entity(pages, "Sarah Chen")
    assert [memory.text for memory in sarah.memories] == [
        "Prefers async reviews",
        "Speaks Dutch",
        "Without a comment",
        "Of two lines and this one",
    ]
    assert [relation.target for relation in sarah.relations] == ["Project Atlas", "Ben"]
    assert not (pages.root / OTHER).exists()


def test_a_claim_of_both_has_all_sources_and_the_higher_confidence(pages: Sandbox) -> None:
    merge(pages)
    sarah = entity(pages, "Sarah Chen")
    assert (sarah.memories[0].confidence, sarah.memories[0].sources) == (0.8, ("a.md#L1", "b.md#L2"))
    assert sarah.relations[0].sources == ("b.md#L4",)


def test_of_three_lines_that_say_the_same_the_highest_confidence_and_the_lowest_trust_stay(
    pages: Sandbox,
) -> None:
    again = (
        "- [preference] Prefers async reviews! <!-- wb: id=m8 confidence=0.5 src=c.md#L9 trust=owner -->\n"
    )
    pages.write(OTHER, OTHER_PAGE.replace("src=b.md#L2 trust=owner", "src=b.md#L2 trust=external") + again)
    pages.commit("said once more")
    merge(pages)
    found = entity(pages, "Sarah Chen").memories[0]
    assert (found.confidence, found.trust) == (0.8, "external")
    assert found.sources == ("a.md#L1", "b.md#L2", "c.md#L9")


def test_a_moved_line_keeps_its_trust_and_gets_an_id_of_its_own(pages: Sandbox) -> None:
    merge(pages)
    sarah = entity(pages, "Sarah Chen")
    assert [memory.trust for memory in sarah.memories] == ["agent", "agent", "agent", "agent"]
    ids = [memory.id for memory in sarah.memories if memory.id]
    assert len(ids) == len(set(ids))


def test_a_moved_line_speaks_no_louder_than_its_page_did(pages: Sandbox) -> None:
    pages.write(OTHER, OTHER_PAGE.replace("src=c.md#L3", "src=c.md#L3 trust=owner"))
    pages.commit("a louder line")
    assert entity(pages, "S. Chen").memories[1].trust == "agent"
    merge(pages)
    assert [(one.text, one.trust) for one in entity(pages, "Sarah Chen").memories][1] == (
        "Speaks Dutch",
        "agent",
    )


def test_its_names_lead_here_from_now_on(pages: Sandbox) -> None:
    merge(pages)
    for name in ("S. Chen", "Sarah", "Chen-san"):
        assert entity(pages, name).path == KEEP
    assert entity(pages, "Sarah Chen").valid_from == date(2026, 1, 5)


def test_relations_and_links_lead_here(pages: Sandbox) -> None:
    merge(pages)
    graph = read_graph(pages.workspace)
    assert [link.name for link in graph.unresolved()] == ["Project Atlas"]
    ben = entity(pages, "Ben")
    assert [(r.kind, r.target, r.sources) for r in ben.relations] == [
        ("knows", "Sarah Chen", ("d.md#L1", "e.md#L1"))
    ]
    assert ben.memories[0].text == "Met [[Sarah Chen|her]] and [[Sarah Chen|Chen-san]] in `[[S. Chen]]` Oslo"
    assert pages.read("memory/research/note.md").decode() == (
        "# Note\n\nAsk [[Sarah Chen|S. Chen]], [[Sarah Chen#Reviews|Sarah]] or [[Sarah Chen]] about "
        "![[Sarah Chen|graph/person/s-chen]].\n"
    )


def test_what_else_stood_on_its_page_follows(pages: Sandbox) -> None:
    merge(pages)
    text = pages.read(KEEP).decode()
    assert "## Notes\n\nMine.\n\n## S. Chen\n\n# S. Chen\n\n" in text
    assert "A paragraph of its own, with [[Sarah Chen|Chen-san]].\n\n```\ncode [[S. Chen]]\n```\n" in text


def test_logs_are_originals_and_stay(pages: Sandbox) -> None:
    merge(pages)
    assert pages.read("memory/2026-03-15.md") == b"- [[S. Chen]] called\n"


def test_what_led_from_one_to_the_other_is_dropped_and_told(pages: Sandbox) -> None:
    operation = merge(pages)
    assert any("dropped" in note and "knows Sarah Chen" in note for note in operation.notes)


def test_the_page_that_stays_leads_to_itself_no_more(pages: Sandbox) -> None:
    pages.write(KEEP, KEEP_PAGE + "\n- knows [[S. Chen]] <!-- wb: id=r8 -->\n")
    operation = merge(pages)
    assert [r.target for r in entity(pages, "Sarah Chen").relations] == ["Project Atlas", "Ben"]
    assert any("knows S. Chen" in note for note in operation.notes)


def test_one_operation_says_what_became_of_each_line(pages: Sandbox) -> None:
    operation = merge(pages)
    assert len(operation.entries) == len(operation.became) == 6
    there = {entry.address for entry in pages.workspace.document(KEEP).entries}
    assert set(operation.became) <= there


@pytest.mark.parametrize(("keep", "other"), [("Sarah Chen", "S. Chen"), (OTHER, KEEP)])
def test_undo_restores_every_byte(pages: Sandbox, keep: str, other: str) -> None:
    before = pages.snapshot()
    operation = merge(pages, keep, other)
    assert pages.snapshot() != before
    place = pages.workspace
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    assert pages.snapshot() == before


def test_nobody_is_merged_with_themselves_or_with_nobody(pages: Sandbox) -> None:
    with pytest.raises(UsageError, match="already one page"):
        merge(pages, "Sarah Chen", "sarah chen")
    with pytest.raises(UsageError, match="nothing in the graph is called"):
        merge(pages, "Sarah Chen", "Nobody")


def test_a_name_of_several_asks_for_the_page(pages: Sandbox) -> None:
    pages.write("graph/place/ben.md", "---\nname: Ben\ntype: place\n---\n")
    with pytest.raises(UsageError, match="several") as caught:
        merge(pages, "Sarah Chen", "Ben")
    assert "graph/place/ben.md" in caught.value.hint


def test_line_ends_follow_the_page_that_stays(pages: Sandbox) -> None:
    pages.write(KEEP, KEEP_PAGE.replace("\n", "\r\n"))
    merge(pages)
    moved = [line for line in pages.read(KEEP).splitlines(keepends=True) if b"Speaks Dutch" in line]
    assert moved[0].endswith(b"\r\n")


def test_a_merge_can_be_seen_before(pages: Sandbox) -> None:
    before = pages.snapshot()
    plan = plan_merge_entities(pages.workspace, "Sarah Chen", "S. Chen")
    assert "+- [fact] Speaks Dutch" in plan.diff()
    assert pages.snapshot() == before


texts = st.sampled_from(
    [
        "Likes tea",
        "likes *tea*.",
        "Speaks Dutch",
        "日本語を話す",
        "Has `code`",
        "[[Ben]] is a friend",
        "| a | b |",
    ]
)
lines = st.one_of(
    st.builds(
        lambda kind, text, mark: f"- [{kind}] {text}{mark}",
        st.sampled_from(["fact", "preference"]),
        texts,
        st.sampled_from(["", " <!-- wb: id=m1 -->", " <!-- wb: id=m2 confidence=0.3 src=x.md#L1 -->"]),
    ),
    st.builds(
        lambda kind, name: f"- {kind} [[{name}]]",
        st.sampled_from(["knows", "uses"]),
        st.sampled_from(["Ben", "Atlas", "One", "Two"]),
    ),
    st.sampled_from(["", "A paragraph", "## Heading", "> a quotation", "1. numbered"]),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(lines, max_size=8), st.lists(lines, max_size=8))
@example([], ["## Heading", "- [fact] Likes tea", "A paragraph"])
def test_no_memory_is_ever_lost(
    tmp_path_factory: pytest.TempPathFactory, one: list[str], other: list[str]
) -> None:
    sandbox = Sandbox(tmp_path_factory.mktemp("w") / "w", repository=False)
    for name, body in (("One", one), ("Two", other)):
        sandbox.write(
            f"graph/person/{name.lower()}.md", f"---\nname: {name}\ntype: person\n---\n" + "\n".join(body)
        )
    graph = read_graph(sandbox.workspace)
    before = {(m.type, claim_key(m.text)) for e in graph.entities for m in e.memories}
    loose = {line for line in (*one, *other) if line.startswith(("A para", "## Head", "> a"))}
    plan = plan_merge_entities(sandbox.workspace, "One", "Two")
    for edit in plan.edits:
        if edit.after is not None:
            sandbox.write(edit.path, edit.after)
    (sandbox.root / "graph/person/two.md").unlink()
    merged = read_graph(sandbox.workspace).entity("Two")
    assert merged is not None
    assert {(m.type, claim_key(m.text)) for m in merged.memories} == before
    assert {r.target for r in merged.relations} & {"One", "Two"} <= {"One"}
    now = sandbox.read("graph/person/one.md").decode().splitlines()
    assert {line for line in now if line.startswith(("A para", "## Head", "> a"))} == loose


@given(st.text(alphabet="a[]|#^`\n\\- !", max_size=60))
def test_links_to_others_are_never_touched(text: str) -> None:
    assert relinked(text, lambda _: False, "New") == text
