"""Forgetting takes exactly the entry, and one key brings it back."""

from __future__ import annotations

import pytest

from tests.support.workspaces import EPISODE, LOG, LOG_TEXT, Sandbox
from workbench.errors import ConflictError, NotCuratableError
from workbench.operations.forget import plan_forget
from workbench.operations.undo import plan_redo, plan_undo


def forget(sandbox: Sandbox, *addresses: str) -> None:
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_forget(place, addresses, reason="junk"))


def undo(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place))


def test_only_the_lines_of_the_entry_go(sandbox: Sandbox) -> None:
    forget(sandbox, sandbox.address("staging port"))
    assert sandbox.read(LOG).decode() == LOG_TEXT.replace("- The staging port is 8443\n", "")
    assert "Reason: junk" in sandbox.git("log", "-1", "--format=%B")


def test_of_two_equal_lines_the_named_one_goes(sandbox: Sandbox) -> None:
    first, second = (e for e in sandbox.workspace.document(LOG).entries if e.text == "same words")
    sandbox.write(LOG, sandbox.read(LOG).replace(b"- same words\n- same", b"- same words\n- between\n- same"))
    forget(sandbox, second.address)
    assert sandbox.read(LOG).endswith(b"- same words\n- between\n")
    assert first.address in {e.address for e in sandbox.workspace.document(LOG).entries}


def test_entries_of_several_files_are_one_operation_and_one_undo(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    forget(sandbox, sandbox.address("staging port"), sandbox.address("Likes tea", "MEMORY.md"), EPISODE)
    after = sandbox.snapshot()
    assert EPISODE not in after
    assert b"Likes tea" not in after["MEMORY.md"]
    undo(sandbox)
    assert sandbox.snapshot() == before
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_redo(place))
    assert sandbox.snapshot() == after


def test_a_whole_log_is_not_forgotten_at_once(sandbox: Sandbox) -> None:
    with pytest.raises(NotCuratableError, match="whole"):
        forget(sandbox, LOG)


def test_a_part_of_a_long_entry_goes_and_the_rest_stays_an_item(sandbox: Sandbox) -> None:
    text = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(100))
    sandbox.write(LOG, f"- {text}\n- next\n")
    sandbox.commit("long")
    first = sandbox.workspace.document(LOG).entries[0]
    assert first.parts > 1
    forget(sandbox, first.address)
    rest = sandbox.workspace.document(LOG).entries
    assert rest[0].part == 1
    assert first.text not in sandbox.read(LOG).decode()
    assert rest[-1].text == "next"
    undo(sandbox)
    assert sandbox.read(LOG).decode() == f"- {text}\n- next\n"


def test_lines_that_came_later_stay_when_the_entry_returns(sandbox: Sandbox) -> None:
    forget(sandbox, sandbox.address("staging port"))
    with (sandbox.root / LOG).open("a") as log:
        log.write("- appended by the agent\n")
    undo(sandbox)
    assert sandbox.read(LOG).decode() == LOG_TEXT + "- appended by the agent\n"


def test_a_page_that_was_made_anew_is_not_overwritten_by_undo(sandbox: Sandbox) -> None:
    forget(sandbox, EPISODE)
    sandbox.write(EPISODE, "something new\n")
    with pytest.raises(ConflictError, match="exists again"):
        undo(sandbox)
    assert sandbox.read(EPISODE) == b"something new\n"


def test_with_nothing_to_undo_or_redo_it_says_so(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    with pytest.raises(NotCuratableError, match="nothing to undo"):
        undo(sandbox)
    with pytest.raises(NotCuratableError, match="nothing to redo"):
        place.operations.carry_out(lambda: plan_redo(place))


def test_a_new_action_ends_what_could_be_redone(sandbox: Sandbox) -> None:
    forget(sandbox, sandbox.address("staging port"))
    undo(sandbox)
    forget(sandbox, sandbox.address("tantivy"))
    with pytest.raises(NotCuratableError, match="nothing to redo"):
        plan_redo(sandbox.workspace)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf- one\r\n- two\r\n",
        b"- bad \xff byte\n- two\n- nul \x00\n",
        b"- one\n- two",
        b"- one\r- cr\n- two\n",
    ],
)
def test_every_other_byte_stays_whatever_the_encoding(sandbox: Sandbox, data: bytes) -> None:
    sandbox.write(LOG, data)
    sandbox.commit("odd bytes")
    entry = sandbox.workspace.document(LOG).entries[-1]
    forget(sandbox, entry.address)
    assert sandbox.read(LOG) == data[: entry.span.start] + data[entry.span.end :]
    undo(sandbox)
    assert sandbox.read(LOG) == data


@pytest.mark.parametrize(
    "name", ["with space.md", "new\nline.md", "日本語 🎉.md", "-rf.md", "*.md", "a#b.md", "t\tab.md"]
)
def test_unusual_names_are_curated_like_any_other(sandbox: Sandbox, name: str) -> None:
    path = f"memory/{name}"
    sandbox.write(path, "- keep\n- drop this\n")
    sandbox.commit("unusual")
    forget(sandbox, sandbox.address("drop this", path))
    assert sandbox.read(path) == b"- keep\n"
    assert sandbox.git("status", "--porcelain") == ""
    undo(sandbox)
    assert sandbox.read(path) == b"- keep\n- drop this\n"


def test_one_entry_under_several_spellings_is_forgotten_once(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    path, _, digits = address.rpartition("#")
    forget(sandbox, address, f"{path}#{digits[:6]}", f"{address}~1", f"{path}#{digits[:4]}~1")
    assert sandbox.read(LOG).decode() == LOG_TEXT.replace("- The staging port is 8443\n", "")


def test_forgetting_all_parts_of_a_long_entry_is_undone_byte_for_byte(sandbox: Sandbox) -> None:
    text = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(100))
    sandbox.write(LOG, f"- first\n- {text}\n- next\n")
    sandbox.commit("long")
    forget(sandbox, *(e.address for e in sandbox.workspace.document(LOG).entries if e.parts > 1))
    assert sandbox.read(LOG) == b"- first\n- next\n"
    undo(sandbox)
    assert sandbox.read(LOG).decode() == f"- first\n- {text}\n- next\n"


def test_a_blank_line_that_keeps_two_blocks_apart_goes_with_the_undo(sandbox: Sandbox) -> None:
    sandbox.write(LOG, "Some paragraph\n- item\n---\nmore\n")
    sandbox.commit("close together")
    forget(sandbox, sandbox.address("item"))
    assert sandbox.read(LOG) == b"Some paragraph\n\n---\nmore\n"
    assert [e.text for e in sandbox.workspace.document(LOG).entries] == ["Some paragraph", "more"]
    undo(sandbox)
    assert sandbox.read(LOG) == b"Some paragraph\n- item\n---\nmore\n"


def test_what_would_join_the_entry_above_is_kept_from_it(sandbox: Sandbox) -> None:
    text = "- a\n\n```\nword\n```\n\n    indented code\n"
    sandbox.write(LOG, text)
    place, address = sandbox.workspace, sandbox.address("word")
    with pytest.raises(NotCuratableError, match="parsed differently"):
        place.operations.carry_out(lambda: plan_forget(place, [address]))
    assert sandbox.read(LOG).decode() == text
