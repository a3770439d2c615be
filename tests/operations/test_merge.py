"""Merging keeps every word, every source, and the least trust."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.errors import EntryNotFoundError, FlaggedError, NotCuratableError, UsageError, WorkbenchError
from workbench.memory.entry import Entry, Form, Kind, RelPath
from workbench.memory.markdown import parse_document
from workbench.memory.provenance import Provenance, least_trusted
from workbench.operations.merge import merged, merged_source, plan_merge
from workbench.operations.pin import plan_pin
from workbench.operations.promote import plan_promote
from workbench.operations.sources import PromotionSource
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

TODAY = date(2026, 3, 20)
MEMORY = """# Memory

## User Preferences

- Likes tea <!-- wb: id=m1 src=memory/a.md#L1 entry=aaaa session=s1 trust=owner occurred_at=2026-03-05 x=1 -->
- Likes tea, green <!-- wb: id=m2 src=memory/b.md#L2 trust=agent occurred_at=2026-03-02 pinned=2026-03-06 -->

## Project Facts

- The project is called Atlas
"""
NOTE = "memory/projects/atlas.md"
WORDS = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(60))


@pytest.fixture
def place(sandbox: Sandbox) -> Workspace:
    sandbox.write("MEMORY.md", MEMORY)
    sandbox.write(NOTE, "# Atlas\n\n- Atlas ships on Friday\n- The port is 8443\n")
    sandbox.commit("memory")
    return sandbox.workspace


def merge(sandbox: Sandbox, *addresses: str, text: str | None = None) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_merge(place, addresses, text=text, today=TODAY))


def result(sandbox: Sandbox, done: Operation) -> tuple[Entry, Provenance]:
    entry = sandbox.workspace.find(done.became[0])
    assert entry.provenance is not None
    return entry, entry.provenance


def memory(sandbox: Sandbox, words: str) -> str:
    return sandbox.address(words, "MEMORY.md")


def test_two_memories_become_one_that_knows_all_of_both(sandbox: Sandbox, place: Workspace) -> None:
    named = memory(sandbox, "Likes tea"), memory(sandbox, "green")
    done = merge(sandbox, *named)
    assert sandbox.spelled_out() == MEMORY.replace(
        "".join(MEMORY.splitlines(keepends=True)[4:6]),
        "- Likes tea. Likes tea, green <!-- wb: id=m1 src=memory/a.md#L1 src=memory/b.md#L2 entry=aaaa "
        "session=s1 trust=agent occurred_at=2026-03-02 at=2026-03-20 by=human x=1 pinned=2026-03-06 -->\n",
    )
    entry, origin = result(sandbox, done)
    assert (origin.source, origin.all("src")) == ("memory/a.md#L1", ("memory/a.md#L1", "memory/b.md#L2"))
    assert entry.pinned
    assert (done.action, done.entries, len(done.became)) == ("merge", named, 1)


def test_the_place_is_curated_memory_wherever_it_is_named(sandbox: Sandbox, place: Workspace) -> None:
    note = sandbox.address("Friday", NOTE)
    done = merge(sandbox, note, memory(sandbox, "Atlas"))
    entry, origin = result(sandbox, done)
    assert entry.text == "The project is called Atlas. Atlas ships on Friday"
    assert entry.heading[-1] == "Project Facts"
    assert origin.all("src") == (f"{NOTE}#L3",)
    assert origin.trust == "unknown"
    assert sandbox.read(NOTE) == b"# Atlas\n\n- The port is 8443\n"


def test_without_a_memory_the_first_that_is_no_original_is_the_place(
    sandbox: Sandbox, place: Workspace
) -> None:
    done = merge(sandbox, sandbox.address("staging"), sandbox.address("8443", NOTE))
    assert result(sandbox, done)[0].text == "The port is 8443. The staging port is 8443"
    assert b"- The staging port" in sandbox.read(LOG)


def test_originals_stay_where_they_are_and_an_episode_is_marked(sandbox: Sandbox, place: Workspace) -> None:
    log = sandbox.read(LOG)
    named = memory(sandbox, "Atlas"), sandbox.address("staging"), sandbox.address("Friday", EPISODE)
    entry, origin = result(sandbox, merge(sandbox, *named))
    assert sandbox.read(LOG) == log
    assert b"- The release is on Friday\n" in sandbox.read(EPISODE)
    assert b"promoted_at: 2026-03-20\n---\n" in sandbox.read(EPISODE)
    assert entry.text == "The project is called Atlas. The staging port is 8443. The release is on Friday"
    assert origin.all("src") == (f"{LOG}#L6", f"{EPISODE}#L14")
    assert origin.all("entry") == tuple(address.rpartition("#")[2] for address in named[1:])
    assert origin.all("session") == ("s91",)
    assert (origin.trust, origin.get("occurred_at")) == ("unknown", "2026-03-14")


def test_originals_alone_are_not_merged(sandbox: Sandbox, place: Workspace) -> None:
    with pytest.raises(NotCuratableError, match="original records") as refused:
        merge(sandbox, sandbox.address("staging"), sandbox.address("Friday", EPISODE))
    assert "--into" in refused.value.hint


def test_the_person_says_what_it_reads(sandbox: Sandbox, place: Workspace) -> None:
    named = memory(sandbox, "Likes tea"), memory(sandbox, "green")
    assert merged_source(place, named) == "Likes tea. Likes tea, green"
    done = merge(sandbox, *named, text="Likes green tea\n- above all")
    assert result(sandbox, done)[0].text == "Likes green tea\n- above all"


def test_a_memory_of_the_graph_takes_up_the_words_of_another_without_its_type(sandbox: Sandbox) -> None:
    path = "graph/person/sarah.md"
    sandbox.write(
        path, "---\nid: e\n---\n- [fact] Sails <!-- wb: id=m1 confidence=0.9 -->\n- [event] Won a race\n"
    )
    done = merge(sandbox, sandbox.address("Sails", path), sandbox.address("Won", path))
    entry, origin = result(sandbox, done)
    assert entry.text == "[fact] Sails. Won a race"
    assert (origin.get("id"), origin.get("confidence"), origin.trust) == ("m1", "0.9", "unknown")


def test_the_same_text_twice_becomes_one(sandbox: Sandbox, place: Workspace) -> None:
    sandbox.write("MEMORY.md", "- x\n- same\n- same\n- same\n")
    addresses = [e.address for e in place.memory_document().entries[1:]]
    done = merge(sandbox, *reversed(addresses))
    assert [e.text for e in place.memory_document().entries] == ["x", "same"]
    assert done.became == (addresses[0],)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("text", "words", "after"),
    [
        ("# M\n\n1. one\n2. two\n", ("one", "two"), "# M\n\n1. one. two@\n"),
        ("# M\n\n  * one\n  * two\n    - deep", ("two", "one"), "# M\n\n  * two. one@\n    - deep"),
        ("one\nmore\n\ntwo", ("one", "two"), "one\nmore. two@\n\n"),
        ("- one\n\n  second\n- two\n", ("one", "two"), "- one@\n\n  second\n\n  two\n"),
    ],
)
def test_it_is_written_as_the_first_one_is(
    sandbox: Sandbox, text: str, words: tuple[str, ...], after: str, ends: str
) -> None:
    sandbox.write("MEMORY.md", text.replace("\n", ends))
    done = merge(sandbox, *(memory(sandbox, word) for word in words))
    mark = f" {result(sandbox, done)[1].render()}"
    assert sandbox.spelled_out() == after.replace("@", mark).replace("\n", ends)


def test_a_long_entry_is_merged_whole(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", f"- {WORDS}\n- end\n")
    part = sandbox.workspace.memory_document().entries[1]
    done = merge(sandbox, part.address, memory(sandbox, "end"))
    entries = sandbox.workspace.memory_document().entries
    assert " ".join(e.text for e in entries) == WORDS + " end"
    assert done.became == (entries[0].address,)
    assert {e.provenance for e in entries} == {entries[0].provenance}


@pytest.mark.parametrize("text", ["| a |\n|---|\n| one |\n", "```\none\n```\n", "> one\n", "x\n\n## one\n"])
def test_what_is_no_item_or_paragraph_takes_nothing_up(sandbox: Sandbox, text: str) -> None:
    sandbox.write("MEMORY.md", text + "\n## H\n\n- two\n")
    before = sandbox.read("MEMORY.md")
    with pytest.raises(NotCuratableError, match="cannot include"):
        merge(sandbox, memory(sandbox, "one"), memory(sandbox, "two"))
    assert sandbox.read("MEMORY.md") == before


def test_a_merge_takes_two(sandbox: Sandbox, place: Workspace) -> None:
    one = memory(sandbox, "Atlas")
    for named in ([one], [one, one + "~1"], []):
        with pytest.raises(UsageError, match="two entries"):
            merge(sandbox, *named)
    with pytest.raises(EntryNotFoundError):
        merge(sandbox, one, f"{LOG}#ffffffffffff")
    with pytest.raises(NotCuratableError, match="whole file"):
        merge(sandbox, one, EPISODE)
    with pytest.raises(NotCuratableError, match="needs text"):
        merge(sandbox, one, memory(sandbox, "green"), text=" ")


@pytest.mark.parametrize(
    "path", ["DREAMS.md", "USER.md", "_system/quarantine/a.md", "_system/dreaming/20260320-consolidated.md"]
)
def test_dreams_bootstrap_files_and_quarantine_are_never_a_source(
    sandbox: Sandbox, place: Workspace, path: str
) -> None:
    sandbox.write(path, "# X\n\n- something\n")
    for named in ([memory(sandbox, "Atlas"), sandbox.address("something", path)],):
        with pytest.raises(NotCuratableError):
            merge(sandbox, *named)


def test_hidden_text_enters_memory_only_by_the_person_s_word(sandbox: Sandbox, place: Workspace) -> None:
    sandbox.write(NOTE, "- harmless\u202e\u200b text\n")
    named = memory(sandbox, "Atlas"), sandbox.address("harmless", NOTE)
    with pytest.raises(FlaggedError):
        plan_merge(place, named)
    assert plan_merge(place, named, allow_flagged=True).edits


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_merges_are_undone_byte_for_byte_in_any_order_after_a_restart(
    sandbox: Sandbox, place: Workspace, order: tuple[int, ...]
) -> None:
    before = sandbox.snapshot()
    done = [
        merge(sandbox, memory(sandbox, "Likes tea"), memory(sandbox, "green")),
        merge(sandbox, sandbox.address("Friday", NOTE), sandbox.address("8443", NOTE)),
        place.operations.carry_out(lambda: plan_pin(place, [memory(sandbox, "Atlas")])),
    ]
    again = Workspace.open(sandbox.root)
    for number in order:
        again.operations.carry_out(lambda id=done[number].id: plan_undo(again, id))  # type: ignore[misc]
    again.close()
    assert sandbox.snapshot() == before


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_promotion_into_a_memory_is_undone_in_any_order_after_a_restart(
    sandbox: Sandbox, place: Workspace, order: tuple[int, ...]
) -> None:
    before = sandbox.snapshot()
    target, source = memory(sandbox, "Atlas"), sandbox.address("Friday", EPISODE)
    done = [
        place.operations.carry_out(lambda: plan_promote(place, [source], into=target)),
        merge(sandbox, memory(sandbox, "Likes tea"), memory(sandbox, "green")),
    ]
    again = Workspace.open(sandbox.root)
    for number in order:
        again.operations.carry_out(lambda id=done[number].id: plan_undo(again, id))  # type: ignore[misc]
    again.close()
    assert sandbox.snapshot() == before


def test_what_would_grow_together_is_not_merged(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "- one\n> quote\n  - two\n")
    with pytest.raises(NotCuratableError, match="around it"):
        merge(sandbox, memory(sandbox, "one"), memory(sandbox, "quote"))
    assert sandbox.read("MEMORY.md") == b"- one\n> quote\n  - two\n"


LINES = st.sampled_from(
    [
        *(
            "- alpha one",
            "- beta two.",
            "  - nested gamma",
            "1. delta",
            "# H",
            "## G",
            "```",
            "| a |",
            "|---|",
        ),
        *("> quote", "---", "", "", "plain text", "more. Text", "* star", "- same", "<div>"),
        "- it <!-- wb: id=m1 trust=owner src=a#L1 -->",
    ]
)


@given(lines=st.lists(LINES, min_size=2, max_size=12), ends=st.sampled_from(["\n", "\r\n"]), data=st.data())
@settings(max_examples=120, deadline=None)
def test_whatever_is_merged_holds_the_words_of_all_and_touches_no_byte_beside(
    lines: list[str], ends: str, data: st.DataObject
) -> None:
    document = parse_document(RelPath("MEMORY.md"), ends.join(lines).encode(), Kind.MEMORY)
    assume(document.entries)
    target, *others = data.draw(st.lists(st.sampled_from(document.entries), min_size=1, max_size=4))
    sources = [PromotionSource(document, entry) for entry in others]
    try:
        after, entry = merged(PromotionSource(document, target), sources, today=TODAY, actor="human")
    except NotCuratableError:
        # Between two fences the comment (`wb: `) would make a header of the item.
        assert target.form is not Form.ITEM or others or lines[0] == "---"
        return
    assert after.startswith(document.data[: target.span.start])
    assert after.endswith(document.data[target.span.end :])
    for one in (target, *others):
        assert set(re.findall(r"\w+", one.text)) <= set(re.findall(r"\w+", entry.text))
    assert entry.provenance is not None
    trusts = [e.provenance.trust if e.provenance else "unknown" for e in (target, *others)]
    assert entry.provenance.trust == least_trusted(*trusts)


# -- promoting into an entry ----------------------------------------------------------------------


def test_an_entry_is_promoted_into_a_memory(sandbox: Sandbox, place: Workspace) -> None:
    before = sandbox.snapshot()
    target, source = memory(sandbox, "Atlas"), sandbox.address("Friday", EPISODE)
    note = sandbox.address("8443", NOTE)
    done = place.operations.carry_out(lambda: plan_promote(place, [source, note], into=target, today=TODAY))
    entry, origin = result(sandbox, done)
    assert entry.text == "The project is called Atlas. The release is on Friday. The port is 8443"
    assert (done.action, done.entries) == ("promote", (source, note, target))
    assert dict(done.trailers)["Section"] == "Project Facts"
    assert origin.all("src") == (f"{EPISODE}#L14", f"{NOTE}#L4")
    assert origin.get("by") == "human"
    assert sandbox.read(NOTE) == before[NOTE]
    assert b"promoted_at: 2026-03-20" in sandbox.read(EPISODE)
    place.operations.carry_out(lambda: plan_undo(place, done.id))
    assert sandbox.snapshot() == before


def test_only_an_entry_of_memory_is_promoted_into(sandbox: Sandbox, place: Workspace) -> None:
    source = sandbox.address("staging")
    wrong: list[dict[str, str]] = [
        {"into": sandbox.address("8443", NOTE)},
        {"into": "MEMORY.md#ffffffffffff"},
        {"into": memory(sandbox, "Atlas"), "section": "Ports"},
    ]
    for options in wrong:
        with pytest.raises(WorkbenchError):
            plan_promote(place, [source], **options)  # type: ignore[arg-type]
