"""Editing changes the lines of one entry and nothing beside them."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.errors import ConflictError, EntryNotFoundError, NotCuratableError, UsageError
from workbench.memory.entry import Kind, RelPath
from workbench.memory.markdown import Document, parse_document
from workbench.operations.edit import entry_source, plan_edit, replace_entry, reworded
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

WORDS = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(60))


def edit(sandbox: Sandbox, words: str, source: str, path: str = LOG) -> Operation:
    place = sandbox.workspace
    address = sandbox.address(words, path)
    return place.operations.carry_out(lambda: plan_edit(place, address, source))


def source_of(sandbox: Sandbox, words: str, path: str = LOG) -> str:
    return entry_source(*sandbox.workspace.locate(sandbox.address(words, path)))


def test_only_the_lines_of_the_entry_change(sandbox: Sandbox) -> None:
    before = sandbox.read(LOG)
    done = edit(sandbox, "staging port", "- The staging port is 9000\n")
    assert sandbox.read(LOG) == before.replace(b"8443", b"9000")
    assert (done.action, done.summary) == ("edit", "edit: The staging port is 9000")
    assert done.became == (sandbox.address("9000"),)
    assert sandbox.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("MEMORY.md", "# Memory\n\n- likes tea <!-- wb: id=m1 -->\n", "tea"),
        ("memory/a.md", "text of a note\nin two lines\n", "note"),
        ("memory/a.md", "> a quote\n", "quote"),
        ("memory/a.md", "| a |\n|---|\n| cell |\n", "cell"),
        ("memory/a.md", "```py\ncode\n```\n", "code"),
        ("memory/a.md", "<div>\nmarkup\n</div>\n", "markup"),
        ("memory/a.md", "text\n\n## Bare\n", "Bare"),
        ("graph/person/sarah.md", "---\nid: e\n---\n- [fact] sails\n", "sails"),
        (EPISODE, "---\nid: e1\n---\n- friday\n", "friday"),
        ("_system/quarantine/a.md", "- set aside\n", "aside"),
    ],
)
def test_entries_of_every_kind_and_form_can_be_edited(
    sandbox: Sandbox, path: str, text: str, words: str
) -> None:
    sandbox.write(path, text)
    source = source_of(sandbox, words, path)
    assert source in text
    edit(sandbox, words, source.replace(words, "other"), path)
    assert sandbox.read(path).decode() == text.replace(words, "other")


def test_the_file_keeps_its_line_ends_its_bytes_and_its_missing_last_one(sandbox: Sandbox) -> None:
    sandbox.write(LOG, b"\xef\xbb\xbf- a \xff\r\n- b\r\n  mixed\n- c")
    assert source_of(sandbox, "mixed") == "- b\n  mixed\n"
    edit(sandbox, "mixed", "- b\n  new\n  mixed\n  last")
    assert sandbox.read(LOG) == b"\xef\xbb\xbf- a \xff\r\n- b\r\n  new\r\n  mixed\n  last\r\n- c"
    edit(sandbox, "c", "\n- c \udcfe\n  d\n\n")
    assert sandbox.read(LOG).endswith(b"\r\n- c \xfe\r\n  d")


def test_a_part_of_a_long_block_is_edited_as_the_whole_block(sandbox: Sandbox) -> None:
    sandbox.write(LOG, f"- {WORDS}\n- next\n")
    part = sandbox.workspace.document(LOG).entries[2]
    assert part.part == 3
    source = entry_source(sandbox.workspace.document(LOG), part)
    assert source == f"- {WORDS}\n"
    plan = plan_edit(sandbox.workspace, part.address, source.replace("number 1 ", "number one "))
    assert plan.edits[0].after == sandbox.read(LOG).replace(b"number 1 ", b"number one ")


def test_the_provenance_stays_unless_the_person_edits_it_away(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "- likes tea <!-- wb: id=m1 -->\n- b\n")
    edit(sandbox, "tea", source_of(sandbox, "tea", "MEMORY.md").replace("likes", "loves"), "MEMORY.md")
    assert sandbox.read("MEMORY.md") == b"- loves tea <!-- wb: id=m1 -->\n- b\n"
    edit(sandbox, "tea", "- loves tea", "MEMORY.md")
    assert sandbox.read("MEMORY.md") == b"- loves tea\n- b\n"


@pytest.mark.parametrize(
    ("source", "words", "expected"),
    [
        ("- old\n", "new", "- new\n"),
        ("- old <!-- wb: id=m1   trust=owner -->\n", "new\n", "- new <!-- wb: id=m1   trust=owner -->\n"),
        ("- old\n  - in\n", "new\n- milk\n- eggs", "- new\n  - milk\n  - eggs\n"),
        ("- old <!-- wb: id=m1 -->\n", "a\nb\n\n- c\n", "- a\n  b <!-- wb: id=m1 -->\n\n  - c\n"),
        ("12)  old\n", "new\nlines", "12)  new\n     lines\n"),
        ("  * old\n", "new\nlines", "  * new\n    lines\n"),
        ("- old <!-- wb: id=m1 -->\n", "- new", "- new"),
        ("- old <!-- wb: id=m1 -->\n", "1. new", "1. new"),
        ("- old <!-- wb: id=m1 -->\n", "new <!-- wb: id=m2 -->", "- new <!-- wb: id=m2 -->\n"),
        ("- old <!-- wb: id=m1 -->\n", "```\nx\n```", "- ```\n  x\n  ```\n  <!-- wb: id=m1 -->\n"),
        ("old <!-- wb: id=m1 -->\n", "new\nlines\n", "new\nlines <!-- wb: id=m1 -->\n"),
        ("old <!-- wb: id=m1 -->\n", "- new", "- new"),
        ("> old\n", "new", "new"),
        ("- old\n", "", ""),
    ],
)
def test_plain_words_keep_the_marker_and_where_the_entry_came_from(
    sandbox: Sandbox, source: str, words: str, expected: str
) -> None:
    sandbox.write("memory/a.md", source)
    document = sandbox.workspace.document("memory/a.md")
    assert reworded(document, document.entries[0], words) == expected


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_plain_words_in_a_list_stay_one_entry_with_its_provenance(sandbox: Sandbox, ends: str) -> None:
    text = "- a\n- old <!-- wb: id=m1 -->\n- c\n".replace("\n", ends)
    sandbox.write("memory/a.md", text)
    place = sandbox.workspace
    document, entry = place.locate(sandbox.address("old", "memory/a.md"))
    source = reworded(document, entry, "new\n\nand more\n- nested")
    place.operations.carry_out(lambda: plan_edit(place, entry.address, source))
    entries = place.document("memory/a.md").entries
    assert [e.text for e in entries] == ["a", "new\n\nand more\n- nested", "c"]
    assert entries[1].provenance == entry.provenance


def test_a_text_of_several_entries_is_named_by_its_first(sandbox: Sandbox) -> None:
    done = edit(sandbox, "staging port", "- one\n- two\n")
    assert done.became == (sandbox.address("one"),)
    assert "2 entries" in plan_edit(sandbox.workspace, sandbox.address("one"), "- x\n- y\n").notes[0]


@pytest.mark.parametrize("source", ["- ```\n  code\n", "```\ncode\n", "<!-- open\n", "<pre>\nx\n"])
@pytest.mark.parametrize("words", ["Sarah", "same words"])
def test_what_is_not_closed_never_swallows_what_follows_now_or_later(
    sandbox: Sandbox, source: str, words: str
) -> None:
    sandbox.write(LOG, "# d\n\n- Sarah\n\ntext\n\n- same words\n")
    before = sandbox.snapshot()
    if source.startswith("- "):  # an item ends what is open in it
        edit(sandbox, words, source)
        assert [e.text for e in sandbox.workspace.document(LOG).entries][1] == "text"
        return
    with pytest.raises(NotCuratableError):
        edit(sandbox, words, source)
    assert sandbox.snapshot() == before


@pytest.mark.parametrize(
    ("text", "words", "source", "reason"),
    [
        ("- a\n- b\n- c\n", "b", "b\n", "list marker"),
        ("- a\n\nb\n\n- c\n", "b", "## b\n", "parsed differently"),
        ("one\n\n- b\n---\nmore\n", "b", "two\n", "parsed differently"),
        ("b\n\ntext\n", "b", "---\nid: x\n---\n", "parsed differently"),
        ("- a\n\nb\n", "b", "- b\n    - c\n\n---\n", ""),
        ("b\n\ntext\n", "b", "***\n", "no entry left"),
        ("b\n\ntext\n", "b", "<!-- wb: id=m1 -->\n", "no entry left"),
    ],
)
def test_a_text_that_changes_what_stands_around_it_is_refused(
    sandbox: Sandbox, text: str, words: str, source: str, reason: str
) -> None:
    sandbox.write(LOG, text)
    if not reason:
        edit(sandbox, words, source)
        return
    with pytest.raises(NotCuratableError) as refused:
        edit(sandbox, words, source)
    assert reason in refused.value.message + refused.value.hint
    assert sandbox.read(LOG).decode() == text


def test_no_text_and_the_same_text_change_nothing(sandbox: Sandbox) -> None:
    with pytest.raises(NotCuratableError, match="needs text") as refused:
        edit(sandbox, "staging port", " \n\t\n")
    assert "forget" in refused.value.hint
    with pytest.raises(NotCuratableError, match="nothing to change"):
        edit(sandbox, "staging port", source_of(sandbox, "staging port").replace("\n", "\r\n"))


def test_half_a_character_is_refused_and_a_mark_of_the_encoding_is_no_text(sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match=r"U\+D83D"):
        edit(sandbox, "staging port", "- \ud83d")
    edit(sandbox, "staging port", "\ufeff- port\r\n")
    assert b"\n- port\n" in sandbox.read(LOG)


def test_text_that_was_changed_meanwhile_is_not_overwritten(sandbox: Sandbox) -> None:
    place, address = sandbox.workspace, sandbox.address("staging port")
    source = source_of(sandbox, "staging port")
    sandbox.write(LOG, sandbox.read(LOG).replace(b"- The staging", b"-  The staging"))
    with pytest.raises(ConflictError, match="in the meantime"):
        plan_edit(place, address, "- mine\n", expected=source)
    sandbox.write(LOG, sandbox.read(LOG).replace(b"8443", b"9000"))
    with pytest.raises(EntryNotFoundError):
        plan_edit(place, address, "- mine\n", expected=source)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_edit_is_undone_byte_for_byte_in_any_order_after_a_restart(
    sandbox: Sandbox, order: tuple[int, int]
) -> None:
    sandbox.write(LOG, sandbox.read(LOG).replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    before = sandbox.snapshot()
    done = [edit(sandbox, "staging port", "- a\n- b\n- c"), edit(sandbox, "tantivy", "- We use tantivy")]
    again = Workspace.open(sandbox.root)
    for number in order:
        again.operations.carry_out(lambda id=done[number].id: plan_undo(again, id))  # type: ignore[misc]
    again.close()
    assert sandbox.snapshot() == before


LINES = st.sampled_from(
    [
        *("- item", "- other", "  - nested", "1. one", "# H", "## G", "```", "| a |", "|---|", "> q", "---"),
        *("===", "", "", "text", "bad \udcff", "- it <!-- wb: id=m1 -->", "<!-- open", "-->", "    deep"),
        *("<div>", "id: x"),
    ]
)
TEXTS = st.lists(LINES, min_size=1, max_size=10)


def parse(data: bytes) -> Document:
    return parse_document(RelPath("memory/a.md"), data, Kind.NOTE)


@given(lines=TEXTS, new=TEXTS, ends=st.sampled_from(["\n", "\r\n"]), last=st.booleans(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_is_written_other_bytes_and_entries_stay(
    lines: list[str], new: list[str], ends: str, last: bool, data: st.DataObject
) -> None:
    document = parse((ends.join(lines) + ends * last).encode("utf-8", "surrogateescape"))
    assume(document.entries)
    entry = data.draw(st.sampled_from(document.entries))
    try:
        after, found = replace_entry(document, entry, "\n".join(new))
    except NotCuratableError:
        return
    assert after.startswith(document.data[: entry.span.start])
    assert after.endswith(document.data[entry.span.end :])
    assert found
    texts = [e.text for e in parse(after).entries]
    others = [e.text for e in document.entries if e != entry and e.form != "heading"]
    for text in {*others}:
        assert texts.count(text) >= others.count(text)
