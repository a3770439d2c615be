"""Moving keeps every word and mark, and what stood around both places stands as it stood."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest

from tests.support.workspaces import EPISODE, LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench.errors import FlaggedError, NotCuratableError, NotMemoryError, UsageError
from workbench.operations.move import plan_move
from workbench.operations.quarantine import plan_quarantine
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

NOTE = "memory/projects.md"
TODAY = date(2026, 3, 20)


def move(sandbox: Sandbox, *addresses: str, to: str | None = None, section: str | None = None) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(
        lambda: plan_move(place, addresses, to=to, section=section, reason="tidy", today=TODAY)
    )


def undo(sandbox: Sandbox, operation: Operation) -> None:
    """Take an operation back in a workspace that was opened anew."""
    place = Workspace.open(sandbox.root)
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    place.close()


def test_an_entry_moves_to_another_section_of_its_file(sandbox: Sandbox) -> None:
    done = move(sandbox, sandbox.address("staging port"), section="15:30 odds and ends")
    line = "- The staging port is 8443\n"
    assert sandbox.read(LOG).decode() == LOG_TEXT.replace(line, "") + line
    assert done.entries == done.became == (sandbox.address("staging port"),)
    undo(sandbox, done)
    assert sandbox.read(LOG).decode() == LOG_TEXT


def test_an_entry_that_comes_into_another_file_says_where_it_stood(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    done = move(sandbox, address, to="MEMORY.md", section="Project Facts")
    entry = sandbox.workspace.find(done.became[0])
    origin = entry.provenance
    assert origin is not None
    assert (entry.text, entry.heading) == ("The staging port is 8443", ("Memory", "Project Facts"))
    assert (origin.source, origin.trust, origin.get("at")) == (f"{LOG}#L6", "agent", "2026-03-20")
    assert b"staging" not in sandbox.read(LOG)


def test_a_move_never_raises_trust(sandbox: Sandbox) -> None:
    done = move(sandbox, sandbox.address("on Friday", EPISODE), to="MEMORY.md")
    origin = sandbox.workspace.find(done.became[0]).provenance
    assert origin is not None
    assert (origin.trust, origin.get("session")) == ("agent", "s91")


@pytest.mark.parametrize(
    ("path", "header", "expected"),
    [
        (LOG, "", "agent"),
        (NOTE, "", "unknown"),
        (NOTE, "---\ntrust: external\n---\n", "external"),
        (EPISODE, "---\nid: e1\ntrust: agent\n---\n", "agent"),
        ("_system/archive/2026-01.md", "", "owner"),  # curated memory came there, line by line
    ],
)
def test_what_a_line_claims_of_itself_gains_it_no_trust_by_a_move(
    sandbox: Sandbox, path: str, header: str, expected: str
) -> None:
    sandbox.write(path, f"{header}- Owns a boat <!-- wb: id=m1 trust=owner custom=x -->\n")
    done = move(sandbox, sandbox.address("boat", path), to="MEMORY.md")
    origin = sandbox.workspace.find(done.became[0]).provenance
    assert origin is not None
    assert (origin.get("id"), origin.trust, origin.get("custom")) == ("m1", expected, "x")


def test_what_cannot_say_its_trust_does_not_move_below_a_header_that_vouches_for_it(sandbox: Sandbox) -> None:
    sandbox.write(EPISODE, "---\nid: e1\ntrust: external\n---\n| a | b |\n| - | - |\n| 1 | 2 |\n")
    sandbox.write(NOTE, "---\ntrust: owner\n---\n- mine\n")
    before = sandbox.snapshot()
    with pytest.raises(NotCuratableError, match="trusted more"):
        move(sandbox, sandbox.address("a", EPISODE), to=NOTE)
    assert sandbox.snapshot() == before


def test_provenance_that_is_there_is_kept_as_it_is(sandbox: Sandbox) -> None:
    line = "- Owns a boat <!-- wb: id=m1  trust=external  custom=x -->\n"
    sandbox.write("MEMORY.md", MEMORY_TEXT + line)
    move(sandbox, sandbox.address("boat", "MEMORY.md"), to=NOTE)
    assert sandbox.read(NOTE).decode() == line


def test_nested_content_moves_with_its_item(sandbox: Sandbox) -> None:
    item = "- Boat\n  - red\n    - and fast\n\n  A paragraph of it.\n\n  ```\n  code\n  ```\n"
    sandbox.write("MEMORY.md", MEMORY_TEXT + item)
    done = move(sandbox, sandbox.address("Boat", "MEMORY.md"), section="User Preferences")
    assert sandbox.read("MEMORY.md").decode() == MEMORY_TEXT.replace("- Likes tea\n", "- Likes tea\n" + item)
    assert len(done.became) == 1


@pytest.mark.parametrize(
    "block",
    [
        "A paragraph\nof two lines.\n",
        "| a | b |\n| - | - |\n| 1 | 2 |\n",
        "```python\nx = 1\n\ny = 2\n```\n",
        "> quoted\n> twice\n",
        "<div>\nhtml\n</div>\n",
        "    indented code\n",
        "7. the seventh\n",
        "   - indented item\n     - nested\n",
    ],
)
def test_every_form_arrives_as_what_it_was(sandbox: Sandbox, block: str) -> None:
    sandbox.write(NOTE, f"# Projects\n\nfirst\n\n{block}\nlast\n")
    before = sandbox.snapshot()
    old = sandbox.workspace.document(NOTE).entries[1]
    done = move(sandbox, old.address, to="MEMORY.md", section="Old")
    new = sandbox.workspace.find(done.became[0])
    assert (new.form, new.hash, new.heading) == (old.form, old.hash, ("Memory", "Old"))
    assert [e.text for e in sandbox.workspace.document(NOTE).entries] == ["first", "last"]
    undo(sandbox, done)
    assert sandbox.snapshot() == before


def test_several_entries_of_several_files_are_one_operation(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    named = (sandbox.address("staging port"), sandbox.address("Likes tea", "MEMORY.md"))
    done = move(sandbox, *named, to=NOTE, section="Mixed")
    assert done.entries == named
    assert [sandbox.workspace.find(address).title for address in done.became] == [
        "The staging port is 8443",
        "Likes tea",
    ]
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "2"
    undo(sandbox, done)
    assert sandbox.snapshot() == before


@pytest.mark.parametrize("first", [0, 1])
def test_two_moves_are_undone_in_either_order(sandbox: Sandbox, first: int) -> None:
    before = sandbox.snapshot()
    done = [
        move(sandbox, sandbox.address("staging port"), to="MEMORY.md", section="Project Facts"),
        move(sandbox, sandbox.address("weather"), to="MEMORY.md", section="Project Facts"),
    ]
    undo(sandbox, done[first])
    undo(sandbox, done[1 - first])
    assert sandbox.snapshot() == before


def test_of_equal_lines_the_named_one_moves_and_its_new_address_fits(sandbox: Sandbox) -> None:
    sandbox.write(NOTE, "# Notes\n\n- same words\n")
    second = sandbox.address("same words") + "~2"
    done = move(sandbox, second, to=NOTE)
    assert done.became == (f"{NOTE}#{second.rpartition('#')[2]}",)
    assert sandbox.workspace.find(done.became[0]).provenance
    assert sandbox.read(LOG).decode() == LOG_TEXT.removesuffix("- same words\n")


def test_a_long_entry_moves_whole_or_not_at_all(sandbox: Sandbox) -> None:
    text = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(100))
    sandbox.write(NOTE, f"- {text}\n- next\n")
    parts = [e for e in sandbox.workspace.document(NOTE).entries if e.parts > 1]
    with pytest.raises(NotCuratableError, match="as a whole") as refused:
        move(sandbox, parts[0].address, to="MEMORY.md")
    assert parts[-1].address in refused.value.hint
    done = move(sandbox, *(part.address for part in parts), to="MEMORY.md", section="Long")
    assert text in sandbox.read("MEMORY.md").decode()
    assert sandbox.read(NOTE) == b"- next\n"
    assert all(sandbox.workspace.find(address).parts > 1 for address in done.became)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf# N\r\n\r\n- one\r\n- two\r\n",
        b"# N\n\n- one\n- two",
        b"# N\n\n- one\r\n- \xff\xfe two\n",
        b"# N\n\n- one\n- \x0c two\rmore\n",
    ],
)
def test_unusual_bytes_around_both_places_stay(sandbox: Sandbox, data: bytes) -> None:
    sandbox.write(NOTE, data)
    sandbox.commit("odd bytes")
    address = sandbox.workspace.document(NOTE).entries[-1].address
    done = move(sandbox, address, section="Second")
    entry = sandbox.workspace.find(done.became[0])
    assert entry.heading[-1] == "Second"
    start = data.index(b"one")
    assert sandbox.read(NOTE).startswith(data[: start + 4])
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    assert sandbox.read(NOTE).endswith(
        b"## Second" + newline * 2 + data[data.rindex(b"- ") :].rstrip() + newline
    )
    undo(sandbox, done)
    assert sandbox.read(NOTE) == data


def test_a_file_that_would_be_memory_is_made_and_no_other(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    for path in ("../outside.md", "notes.txt", ".hidden.md", "_system/ledger/x.md", "memory/../../x.md"):
        with pytest.raises(NotMemoryError):
            move(sandbox, address, to=path)
    move(sandbox, address, to="memory/new/deep.md", section="Ports")
    assert sandbox.read("memory/new/deep.md").startswith(b"## Ports\n\n- The staging port")


@pytest.mark.parametrize("path", ["DREAMS.md", "memory/dreaming/x.md", "_system/quarantine/2026-03.md"])
def test_what_has_an_action_of_its_own_is_no_target(sandbox: Sandbox, path: str) -> None:
    with pytest.raises(NotCuratableError):
        move(sandbox, sandbox.address("staging port"), to=path)


def test_dreams_and_what_is_in_quarantine_do_not_move(sandbox: Sandbox) -> None:
    sandbox.write("DREAMS.md", "# Dreams\n\n- a dream\n")
    with pytest.raises(NotCuratableError, match="dream"):
        move(sandbox, sandbox.address("a dream", "DREAMS.md"), to="MEMORY.md")
    place, address = sandbox.workspace, sandbox.address("staging port")
    done = place.operations.carry_out(lambda: plan_quarantine(place, [address]))
    with pytest.raises(NotCuratableError, match="quarantine"):
        move(sandbox, *done.became, to="MEMORY.md")


def test_a_person_may_move_into_a_bootstrap_file(sandbox: Sandbox) -> None:
    move(sandbox, sandbox.address("Likes tea", "MEMORY.md"), to="USER.md")
    assert sandbox.read("USER.md").startswith(b"- Likes tea <!-- wb: ")


def test_nowhere_and_where_it_stands_already_are_refused(sandbox: Sandbox) -> None:
    address = sandbox.address("Likes tea", "MEMORY.md")
    with pytest.raises(UsageError, match="no destination"):
        move(sandbox, address)
    with pytest.raises(UsageError, match="already"):
        move(sandbox, address, to="MEMORY.md")
    with pytest.raises(NotCuratableError, match="already"):
        move(sandbox, address, section="User Preferences")
    with pytest.raises(UsageError, match="heading"):
        move(sandbox, address, section="two\nlines")
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "1"


def test_a_block_that_is_not_closed_swallows_nothing(sandbox: Sandbox) -> None:
    text = "# N\n\n- a\n\n```\nnever closed\n"
    sandbox.write(NOTE, text)
    with pytest.raises(NotCuratableError, match="unclosed block"):
        move(sandbox, sandbox.address("staging port"), to=NOTE, section="New")
    assert sandbox.read(NOTE).decode() == text
    assert sandbox.read(LOG).decode() == LOG_TEXT


def test_neighbours_that_would_grow_together_are_kept_apart_or_it_is_refused(sandbox: Sandbox) -> None:
    sandbox.write(NOTE, "Some paragraph\n- item\n---\nmore\n")
    sandbox.commit("close together")
    done = move(sandbox, sandbox.address("- item".removeprefix("- "), NOTE), to="MEMORY.md")
    assert Counter(e.text for e in sandbox.workspace.document(NOTE).entries) == {
        "Some paragraph": 1,
        "more": 1,
    }
    undo(sandbox, done)
    assert sandbox.read(NOTE) == b"Some paragraph\n- item\n---\nmore\n"


def test_hidden_text_and_secrets_enter_curated_memory_only_with_a_word(sandbox: Sandbox) -> None:
    sandbox.write(NOTE, "# N\n\n- the plan\u200b is\u202e set\n")
    place, address = sandbox.workspace, sandbox.address("the plan", NOTE)
    with pytest.raises(FlaggedError):
        plan_move(place, [address], to="MEMORY.md")
    assert plan_move(place, [address], to="memory/other.md").edits
    assert plan_move(place, [address], to="MEMORY.md", allow_flagged=True).edits
