"""What is stored stands on its page as it was meant, and nothing else of the page has moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.workspaces import Sandbox
from workbench.errors import FlaggedError, NotCuratableError, NotMemoryError, UsageError
from workbench.graph import page_edit
from workbench.graph.drafts import Draft, EntityDraft, MemoryDraft, RelationDraft
from workbench.graph.page_edit import page_path
from workbench.graph.read import read_graph
from workbench.graph.write import plan_forget_memory, plan_store, plan_update, write
from workbench.memory.entry import Kind, RelPath
from workbench.memory.graph_page import Entity, read_entity
from workbench.memory.graph_types import ENTITY_TYPES, IMPORTANCE
from workbench.memory.markdown import Document, parse_document
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

NOW = datetime(2026, 3, 20, 9, tzinfo=UTC)
TODAY = NOW.date()
SARAH = "graph/person/sarah-chen.md"
PREFERENCE = MemoryDraft(
    text="Prefers async reviews",
    type="preference",
    entity="Sarah Chen",
    entity_type="person",
    confidence=0.9,
    importance=0.7,
    occurred_at=date(2026, 3, 2),
    sources=("episodes/2026/03/e12.md#L8",),
    trust="owner",
)
PAGE = b"""---
id: ent-4b1c
name: Sarah Chen
type: person
aliases: [Sarah]
valid_from: 2026-03-02
custom: kept  # by hand
---
# Sarah

- [preference] Prefers async reviews <!-- wb: id=m7f3a confidence=0.5 src=memory/2026-03-02.md#L3 -->
- works_on [[Project Atlas]] <!-- wb: id=r91b valid_from=2026-03-02 -->

## Notes

She said *so* herself.
"""


def plan_all(place: Workspace, drafts: Sequence[Draft]) -> Plan:
    """All drafts at once, as ingest and imports write them."""
    written = write(place, drafts, now=NOW, user="User", certain=True, lenient=False)
    return Plan(
        action="store", summary="drafts", edits=written.edits, became=written.became, notes=written.notes
    )


def store(
    sandbox: Sandbox, drafts: MemoryDraft | RelationDraft | Sequence[Draft], actor: str = "human"
) -> Operation:
    place = sandbox.workspace
    if isinstance(drafts, Sequence):
        return place.operations.carry_out(lambda: plan_all(place, drafts))
    return place.operations.carry_out(lambda: plan_store(place, drafts, now=NOW, actor=actor))


def entity(sandbox: Sandbox, name: str) -> Entity:
    found = read_graph(sandbox.workspace).entity(name)
    assert found is not None
    return found


def test_a_page_looks_as_the_paper_shows_it(sandbox: Sandbox) -> None:
    relation = RelationDraft(
        entity="Sarah Chen", kind="works_on", target="Project Atlas", valid_from=date(2026, 3, 2)
    )
    store(sandbox, [PREFERENCE, relation])
    lines = sandbox.read(SARAH).decode().splitlines()
    assert lines[2:6] == ["name: Sarah Chen", "type: person", "valid_from: 2026-03-02", "---"]
    assert lines[6] == "- [preference] Prefers async reviews"
    assert lines[7].startswith("  <!-- wb: id=m")
    assert lines[7].endswith(
        "confidence=0.9 importance=0.7 occurred_at=2026-03-02 valid_from=2026-03-02 "
        "src=episodes/2026/03/e12.md#L8 trust=owner at=2026-03-20 -->"
    )
    assert lines[8] == "- works_on [[Project Atlas]]"
    assert lines[9].startswith("  <!-- wb: id=r")
    assert entity(sandbox, "Project Atlas").type == "concept"


def test_an_existing_page_keeps_every_byte(sandbox: Sandbox) -> None:
    sandbox.write(SARAH, PAGE)
    store(sandbox, MemoryDraft(text="Speaks Dutch", entity="Sarah"))
    after = sandbox.read(SARAH)
    lines = after.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b"Speaks Dutch" in line)
    assert b"".join(lines[:at] + lines[at + 2 :]) == PAGE
    assert lines[at + 1].startswith(b"  <!-- wb: ")
    assert at < lines.index(b"## Notes\n")


def test_a_claim_that_is_made_twice_at_once_stands_in_the_words_of_the_first(sandbox: Sandbox) -> None:
    first = MemoryDraft(text="Speaks Dutch, and German", entity="Sarah", sources=("memory/a.md#L1",))
    again = replace(first, text="Speaks Dutch and German!", sources=("memory/b.md#L2",))
    store(sandbox, [first, again])
    (memory,) = entity(sandbox, "Sarah").memories
    assert memory.text == "Speaks Dutch, and German"
    assert memory.sources == ("memory/a.md#L1", "memory/b.md#L2")


def test_line_ends_follow_the_page(sandbox: Sandbox) -> None:
    sandbox.write(SARAH, PAGE.replace(b"\n", b"\r\n"))
    store(sandbox, MemoryDraft(text="Speaks Dutch", entity="Sarah"))
    assert b"Speaks Dutch" in sandbox.read(SARAH)
    assert sandbox.read(SARAH).count(b"\n") == sandbox.read(SARAH).count(b"\r\n")


@pytest.mark.parametrize(
    "tail",
    [
        b"",
        b"- [fact] no line end",
        b"plain words\ngo on",
        b"```\ncode\n```\n",
        b"## A bare heading\n",
        b"| a |\n|---|\n| b |",
    ],
)
def test_whatever_a_page_ends_with_stays_what_it_is(sandbox: Sandbox, tail: bytes) -> None:
    head = b"---\nname: Sarah Chen\ntype: person\n---\n"
    sandbox.write(SARAH, head + tail)
    before = sandbox.workspace.document(SARAH).entries
    store(sandbox, MemoryDraft(text="Speaks Dutch", entity="Sarah Chen"))
    after = sandbox.workspace.document(SARAH).entries
    stays = [e.text for e in after if "Dutch" not in e.text]
    # a heading without text under it is an entry only as long as nothing is
    assert stays == [e.text for e in before if e.form != "heading" or e.text in stays]
    assert [m.text for m in entity(sandbox, "Sarah Chen").memories][-1] == "Speaks Dutch"


def test_code_that_is_not_closed_swallows_nothing(sandbox: Sandbox) -> None:
    sandbox.write(SARAH, b"---\nname: Sarah Chen\ntype: person\n---\n```\ncode\n")
    store(sandbox, MemoryDraft(text="Speaks Dutch", entity="Sarah Chen"))
    assert [m.text for m in entity(sandbox, "Sarah Chen").memories] == ["Speaks Dutch"]
    assert sandbox.read(SARAH).endswith(b"```\ncode\n")


def test_the_same_claim_twice_is_one_line_with_both_sources(sandbox: Sandbox) -> None:
    sandbox.write(SARAH, PAGE)
    again = replace(PREFERENCE, text="prefers *async* reviews.", confidence=0.5, trust="agent")
    operation = store(sandbox, replace(again, entity="sarah"))
    (memory,) = entity(sandbox, "Sarah Chen").memories
    assert memory.sources == ("memory/2026-03-02.md#L3", "episodes/2026/03/e12.md#L8")
    assert memory.confidence == pytest.approx(0.75)  # 1 - (1-0.5)(1-0.5)
    assert memory.text == "Prefers async reviews"
    assert memory.id == "m7f3a"
    assert operation.became == (memory.entry.address,)


def test_the_same_claim_from_the_same_source_changes_nothing(sandbox: Sandbox) -> None:
    store(sandbox, PREFERENCE)
    with pytest.raises(NotCuratableError, match="already"):
        store(sandbox, replace(PREFERENCE, sources=("episodes/2026/03/e12.md#L99",)))


def test_two_of_the_same_claim_in_one_call_are_one(sandbox: Sandbox) -> None:
    store(sandbox, [PREFERENCE, replace(PREFERENCE, sources=("memory/2026-03-03.md#L1",))])
    (memory,) = entity(sandbox, "Sarah Chen").memories
    assert len(memory.sources) == 2
    assert memory.confidence == pytest.approx(0.99)


def test_what_is_over_is_not_what_is_said_now(sandbox: Sandbox) -> None:
    store(sandbox, replace(PREFERENCE, valid_until=date(2026, 3, 10)))
    store(sandbox, replace(PREFERENCE, occurred_at=date(2026, 3, 19), sources=("memory/2026-03-19.md#L1",)))
    assert len(entity(sandbox, "Sarah Chen").memories) == 2


def test_an_old_log_does_not_revive_what_is_over(sandbox: Sandbox) -> None:
    store(sandbox, replace(PREFERENCE, valid_until=date(2026, 3, 10)))
    store(sandbox, replace(PREFERENCE, occurred_at=date(2026, 3, 5), sources=("memory/2026-03-05.md#L1",)))
    (memory,) = entity(sandbox, "Sarah Chen").memories
    assert memory.valid_until == date(2026, 3, 10)


def test_todos_of_two_days_are_two(sandbox: Sandbox) -> None:
    first = MemoryDraft(text="Send the report", type="todo", happens_at=date(2026, 4, 1))
    store(sandbox, [first, replace(first, happens_at=date(2026, 5, 1))])
    assert len(entity(sandbox, "User").memories) == 2


def test_a_memory_of_nobody_is_the_users(sandbox: Sandbox) -> None:
    store(sandbox, MemoryDraft(text="Likes tea", type="preference"))
    assert entity(sandbox, "User").type == "person"
    assert entity(sandbox, "User").memories[0].valid_from == TODAY


def test_automation_is_never_certain(sandbox: Sandbox) -> None:
    store(sandbox, MemoryDraft(text="Likes tea"), actor="agent")
    store(sandbox, MemoryDraft(text="Likes cake"))
    assert [m.confidence for m in entity(sandbox, "User").memories] == [0.7, 1.0]


def test_a_secret_is_not_stored(sandbox: Sandbox) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with pytest.raises(FlaggedError, match="GitHub"):
        store(sandbox, MemoryDraft(text=f"The token is {secret}"))
    operation = store(sandbox, [MemoryDraft(text=f"The token is {secret}"), MemoryDraft(text="Likes tea")])
    assert any("left out" in note for note in operation.notes)
    assert secret.encode() not in b"".join(sandbox.snapshot().values())


def test_hidden_text_is_not_stored(sandbox: Sandbox) -> None:
    with pytest.raises(FlaggedError):
        store(sandbox, MemoryDraft(text="Likes te\u200ba"))


def test_undo_restores_every_byte(sandbox: Sandbox) -> None:
    sandbox.write(SARAH, PAGE)
    sandbox.commit("page")
    before = sandbox.snapshot()
    operation = store(
        sandbox,
        [PREFERENCE, RelationDraft(entity="Sarah", kind="knows", target="Ben"), EntityDraft(name="Oslo")],
    )
    assert sandbox.snapshot() != before
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    assert sandbox.snapshot() == before


NAMES = [
    "../../etc/passwd", "..", ".git/config", "a/b\\c", "C#", "C++", "C", "AC/DC", "中村 健", "Ελένη", "🦀",
    "🚀 Rocket", "हिन्दी", "Ünïcode", "x" * 200, "字" * 200, "[[Brackets]] inside", "pipe|name", "hash#tag",
    "caret^", "- item", "# heading", "name: yaml", "'quotes\" & \\slashes", "true", "null", "@at", "*star*",
    "`code`", "2026-03-20", "CON", "a" * 100 + "/" + "b" * 90, "---", "{curly}", "%TAG", "key: [a, b]",
    "trailing.md", "node_modules",
]  # fmt: skip


@pytest.mark.promise(
    "The graph",
    "names such as `../`, CJK, emoji, 255 bytes, the same twice",
    "each gets a page of its own below `graph/`",
)
def test_hostile_names_make_pages_of_their_own_within_the_graph(sandbox: Sandbox) -> None:
    drafts = [MemoryDraft(text=f"Fact number {n}", entity=name) for n, name in enumerate(NAMES)]
    relations = [RelationDraft(entity="Hub", kind="knows", target=name) for name in NAMES]
    store(sandbox, [*drafts, *relations])
    graph = read_graph(sandbox.workspace)
    assert graph.unresolved() == ()
    hub = graph.entity("Hub")
    assert hub is not None
    targets = [link.target.name for link in graph.relations_of(hub) if link.target]
    assert targets == [draft.entity for draft in drafts]
    for draft in drafts:
        (owner,) = [e for e in graph.entities if e.name == draft.entity]
        assert [m.text for m in owner.memories] == [draft.text]
        assert owner.path.startswith("graph/concept/")
        assert owner.path.count("/") == 2
        assert len(owner.path.rpartition("/")[2].encode()) <= 255
    assert not (sandbox.root.parent / "etc").exists()


def test_paths_of_names_that_fold_alike_differ() -> None:
    taken: set[str] = set()
    for name in ("C", "c!", "C++", "C#", "c?", "(c)"):
        path = page_path(name, "technology", taken)
        assert path not in taken
        taken.add(path)


TEXTS = [
    "[x] done already", "- nested item", "# heading", "1. numbered", "> quote", "```", "~~~", "| a | b |",
    "---", "===", "[[Sarah]] and [link](http://x.y \"title\")", "[label]: http://x.y", "<div>", "</div>",
    "<!DOCTYPE html>", "<?php", "<![CDATA[", "\\", "ends with \\", "*", "**bold", "`", "&lt;!-- x",
    "[goal] another", "works_on [[Atlas]]", "{{template}}", "日本語の文です。", "emoji 👩‍👩‍👧 family",
    "tab\tinside", "$(rm -rf /)", "% percent %20", "a <b", "wb: id=m1", "x" * 240,
]  # fmt: skip


def test_hostile_texts_stay_within_their_line(sandbox: Sandbox) -> None:
    sandbox.write(SARAH, PAGE)
    store(sandbox, [MemoryDraft(text=text, entity="Sarah Chen") for text in TEXTS])
    sarah = entity(sandbox, "Sarah Chen")
    assert [m.text for m in sarah.memories[1:]] == [" ".join(text.split()) for text in TEXTS]
    assert [m.type for m in sarah.memories[1:]] == ["fact"] * len(TEXTS)
    assert [r.target for r in sarah.relations] == ["Project Atlas"]
    assert len({m.id for m in sarah.memories}) == len(TEXTS) + 1
    assert "She said *so* herself." in [e.text for e in sandbox.workspace.document(SARAH).entries]


words = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Cf", "Co", "Cn", "Zl", "Zp")), min_size=1, max_size=60
).filter(lambda text: bool(text.strip()) and "<!--" not in text and "-->" not in text)
days = st.none() | st.dates(date(2020, 1, 1), date(2030, 1, 1))
shares = st.none() | st.integers(0, 100).map(lambda n: n / 100)
sources = st.lists(st.sampled_from(["a.md#L1", "b c.md#L2", "d\u00e9.md#L3", "e.md#L4-L6"]), unique=True).map(
    tuple
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.builds(
            MemoryDraft,
            text=words,
            type=st.sampled_from([*IMPORTANCE]),
            entity=st.sampled_from(["Sarah Chen", "Atlas", "C#", "中村"]),
            confidence=shares,
            importance=shares,
            happens_at=days,
            occurred_at=days,
            sources=sources,
            session=st.sampled_from(["", "s91", "agent:main 1"]),
            trust=st.sampled_from(["owner", "agent", "external", "unknown"]),
        ),
        min_size=1,
        max_size=6,
        unique_by=lambda draft: "".join(c for c in draft.text.casefold() if c.isalnum()) or draft.text,
    )
)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, drafts: list[MemoryDraft]
) -> None:
    sandbox = Sandbox(tmp_path_factory.mktemp("w") / "w", repository=False)
    plan = plan_all(sandbox.workspace, drafts)
    held = len([note for note in plan.notes if note.startswith("left out")])
    for edit in plan.edits:
        assert edit.after is not None
        sandbox.write(edit.path, edit.after)
    found = {
        (m.type, m.text): (owner, m)
        for owner in read_graph(sandbox.workspace).entities
        for m in owner.memories
    }
    missing = 0
    for draft in drafts:
        if (draft.type, draft.text) not in found:
            missing += 1
            continue
        owner, memory = found[draft.type, draft.text]
        assert owner.name == draft.entity
        assert (memory.happens_at, memory.occurred_at) == (draft.happens_at, draft.occurred_at)
        assert memory.confidence == (1.0 if draft.confidence is None else draft.confidence)
        assert memory.importance == (IMPORTANCE[draft.type] if draft.importance is None else draft.importance)
        assert (memory.sources, memory.session, memory.trust) == (draft.sources, draft.session, draft.trust)
    assert missing <= held


def test_an_update_changes_just_its_line(sandbox: Sandbox) -> None:
    sandbox.write(SARAH, PAGE)
    sandbox.commit("page")
    address = entity(sandbox, "Sarah Chen").memories[0].entry.address
    place = sandbox.workspace
    operation = place.operations.carry_out(
        lambda: plan_update(
            place, address, now=NOW, text="Prefers written reviews", importance=0.8, valid_until="2026-12-31"
        )
    )
    memory = entity(sandbox, "Sarah Chen").memories[0]
    assert (memory.text, memory.importance, memory.valid_until) == (
        "Prefers written reviews",
        0.8,
        date(2026, 12, 31),
    )
    assert memory.id == "m7f3a"
    assert operation.became == (memory.entry.address,)
    old, new = PAGE.splitlines(), sandbox.read(SARAH).splitlines()
    assert [line for line in new if line not in old] == new[10:12]
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    assert sandbox.read(SARAH) == PAGE


def test_a_todo_that_is_done_says_when(sandbox: Sandbox) -> None:
    store(sandbox, MemoryDraft(text="Send the contract", type="todo", happens_at=date(2026, 4, 1)))
    place = sandbox.workspace
    address = entity(sandbox, "User").memories[0].entry.address
    place.operations.carry_out(lambda: plan_update(place, address, now=NOW, done=True))
    memory = entity(sandbox, "User").memories[0]
    assert memory.done
    assert memory.entry.provenance is not None
    assert memory.entry.provenance.get("done") == "2026-03-20"
    place.operations.carry_out(lambda: plan_update(place, address, now=NOW, done=False))
    assert not entity(sandbox, "User").memories[0].done


def test_an_update_that_says_nothing_new_is_refused(sandbox: Sandbox) -> None:
    store(sandbox, PREFERENCE)
    address = entity(sandbox, "Sarah Chen").memories[0].entry.address
    with pytest.raises(NotCuratableError, match="nothing to change"):
        plan_update(sandbox.workspace, address, now=NOW, text=PREFERENCE.text, type="preference")


def test_an_update_is_checked_like_a_new_memory(sandbox: Sandbox) -> None:
    store(sandbox, PREFERENCE)
    address = entity(sandbox, "Sarah Chen").memories[0].entry.address
    for wrong in ({"type": "opinion"}, {"valid_until": "soon"}, {"importance": 2.0}, {"text": " "}):
        with pytest.raises(UsageError):
            plan_update(sandbox.workspace, address, now=NOW, **wrong)
    with pytest.raises(FlaggedError):
        plan_update(sandbox.workspace, address, now=NOW, text="Prefers te\u200ba")


def test_only_lines_of_the_graph_are_updated_or_forgotten(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    with pytest.raises(NotCuratableError, match="not a memory of the graph"):
        plan_update(sandbox.workspace, address, now=NOW, done=True)
    with pytest.raises(NotCuratableError, match="not a memory of the graph"):
        plan_forget_memory(sandbox.workspace, [address], reason="old", now=NOW)


def test_forgetting_says_why_and_is_remembered(sandbox: Sandbox) -> None:
    sandbox.write(SARAH, PAGE)
    sandbox.commit("page")
    place = sandbox.workspace
    sarah = entity(sandbox, "Sarah Chen")
    addresses = [sarah.memories[0].entry.address, sarah.relations[0].entry.address]
    with pytest.raises(UsageError, match="reason"):
        plan_forget_memory(place, addresses, reason=" ", now=NOW)
    operation = place.operations.carry_out(
        lambda: plan_forget_memory(place, addresses, reason="she asked for it", now=NOW)
    )
    sarah = entity(sandbox, "Sarah Chen")
    assert (sarah.memories, sarah.relations) == ((), ())
    assert operation.reason == "she asked for it"
    assert [r["decision"] for r in place.ledger.read("decisions")] == ["rejected", "rejected"]
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    assert sandbox.read(SARAH) == PAGE
    assert list(place.ledger.read("decisions")) == []


def test_a_name_that_several_have_needs_its_type(sandbox: Sandbox) -> None:
    store(sandbox, [EntityDraft(name="Mercury", type="project"), EntityDraft(name="Mercury", type="place")])
    with pytest.raises(UsageError, match="several"):
        store(sandbox, MemoryDraft(text="It is hot", entity="Mercury"))
    store(sandbox, MemoryDraft(text="It is hot", entity="Mercury", entity_type="place"))
    assert len(read_graph(sandbox.workspace).at("graph/place/mercury.md").memories) == 1  # type: ignore[union-attr]


def test_further_names_join_the_header() -> None:
    page = page_edit.document_of(RelPath(SARAH), PAGE)
    after = page_edit.with_aliases(page, ("S. Chen", "sarah", "陳"))
    assert read_entity(after).aliases == ("Sarah", "S. Chen", "陳")
    assert b"custom: kept  # by hand\n" in after.data


def test_every_type_of_entity_has_its_folder(sandbox: Sandbox) -> None:
    store(sandbox, [EntityDraft(name=f"One {kind}", type=kind) for kind in ENTITY_TYPES])
    assert {e.path.split("/")[1] for e in read_graph(sandbox.workspace).entities} == set(ENTITY_TYPES)


def test_storing_parses_only_the_pages_concerned(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(60):
        sandbox.write(f"graph/person/p{n}.md", f"---\nname: Person {n}\ntype: person\n---\n- [fact] One\n")
    parsed: list[str] = []

    def counting(path: RelPath, data: bytes) -> Document:
        parsed.append(path)
        return parse_document(path, data, Kind.ENTITY)

    monkeypatch.setattr(page_edit, "document_of", counting)
    plan_store(sandbox.workspace, MemoryDraft(text="Two", entity="Person 7"), now=NOW)
    assert set(parsed) == {"graph/person/p7.md"}
    assert len(parsed) < 5


def test_an_agent_speaks_for_nobody_but_itself(sandbox: Sandbox) -> None:
    store(sandbox, MemoryDraft(text="Likes tea", trust="owner"), actor="agent")
    assert entity(sandbox, "User").memories[0].trust == "agent"


def test_what_an_agent_rewords_is_not_the_owners_any_more(sandbox: Sandbox) -> None:
    store(sandbox, PREFERENCE)
    place = sandbox.workspace
    address = entity(sandbox, "Sarah Chen").memories[0].entry.address
    place.operations.carry_out(
        lambda: plan_update(place, address, now=NOW, text="Prefers meetings", actor="agent")
    )
    assert entity(sandbox, "Sarah Chen").memories[0].trust == "agent"


def test_a_link_to_one_of_two_with_a_name_leads_to_the_right_one(sandbox: Sandbox) -> None:
    store(sandbox, [EntityDraft(name="Mercury", type="project"), EntityDraft(name="Mercury", type="place")])
    store(
        sandbox, RelationDraft(entity="Sarah Chen", kind="works_on", target="Mercury", target_type="project")
    )
    graph = read_graph(sandbox.workspace)
    (link,) = graph.relations_of(entity(sandbox, "Sarah Chen"))
    assert link.target is not None
    assert link.target.path == "graph/project/mercury.md"


def test_a_page_that_is_no_memory_here_is_not_written(sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", "exclude: [graph/person/**]\n")
    place = Workspace.open(sandbox.root)
    with pytest.raises(NotMemoryError):
        plan_store(place, MemoryDraft(text="Likes tea"), now=NOW)


PIECES = st.sampled_from(
    [
        b"- [fact] one\n", b"- works_on [[A]]\n", b"\n", b"```\n", b"~~~\n", b"<!-- \n", b"<div>\n",
        b"> q\n", b"# h\n", b"para\n", b"  nested\n", b"\t- x\n", b"| a |\n|---|\n", b"\xff\xfe\n",
        b"\r\n", b"* star\n", b"no end", b"===\n",
        b"- [fact] two <!-- wb: id=m1 src=a -->\r\n", b"1. [goal] x\n", b"\xef\xbb\xbf",
        b"<!-- wb: id=m2 -->\n",
        b"- [fact] \n", b"    code\n", b"[fact] para\n", b"- [ ] task\n", b"---\n", b"name: Y\n",
    ]
)  # fmt: skip


@pytest.mark.promise(
    "The graph",
    "a page has unclosed code, comments or HTML",
    "a new line is put elsewhere or refused",
    by="property test",
)
@settings(max_examples=120, deadline=None)
@given(st.lists(PIECES, max_size=12).map(b"".join), st.booleans())
def test_any_page_takes_a_line_or_refuses_it_whole(body: bytes, with_header: bool) -> None:
    data = b"---\nname: X\ntype: person\n---\n" + body if with_header else body
    opened = page_edit.OpenPage(data, page_edit.document_of(RelPath("graph/person/x.md"), data))
    for text in ("one", "two", "three"):
        opened.remember(MemoryDraft(text=text, sources=("s.md#L1",)), TODAY)
    before = [memory.text for memory in opened.entity.memories]
    try:
        after = read_entity(opened.result())
    except NotCuratableError:
        return
    left = iter([memory.text for memory in after.memories])
    assert {"one", "two", "three"} <= {memory.text for memory in after.memories}
    assert all(text in left for text in before)  # each is there, in its order
