"""Whatever a commit holds can come back, and what stands there now is stored before it gives way."""

from __future__ import annotations

import pytest

from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench.errors import EntryNotFoundError, NotCuratableError, NotMemoryError, UsageError
from workbench.operations.forget import plan_forget
from workbench.operations.restore import plan_restore
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace


def head(sandbox: Sandbox) -> str:
    return sandbox.git("rev-parse", "HEAD").strip()


def restore(sandbox: Sandbox, target: str, at: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_restore(place, target, at, reason="back"))


def forget(sandbox: Sandbox, *addresses: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_forget(place, addresses))


def undo(sandbox: Sandbox, operation: Operation) -> None:
    place = Workspace.open(sandbox.root)
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    place.close()


def test_a_file_becomes_what_it_was_and_the_newer_text_is_kept_in_history(sandbox: Sandbox) -> None:
    start = head(sandbox)
    sandbox.write(LOG, "rewritten by somebody\n")
    done = restore(sandbox, LOG, start)
    assert sandbox.read(LOG).decode() == LOG_TEXT
    assert sandbox.git("show", f"HEAD~1:{LOG}") == "rewritten by somebody\n"
    assert done.entries == done.became == (LOG,)
    undo(sandbox, done)
    assert sandbox.read(LOG) == b"rewritten by somebody\n"


def test_the_diff_shows_what_would_be_replaced(sandbox: Sandbox) -> None:
    start = head(sandbox)
    sandbox.write(LOG, LOG_TEXT + "- a newer line\n")
    assert "-- a newer line" in plan_restore(sandbox.workspace, LOG, start).diff()


def test_a_deleted_page_comes_back_from_an_operation_or_a_day(sandbox: Sandbox) -> None:
    start = head(sandbox)
    forget(sandbox, EPISODE)
    restore(sandbox, EPISODE, start[:8])
    assert sandbox.read(EPISODE).decode() == EPISODE_TEXT
    with pytest.raises(NotCuratableError, match="is unchanged"):
        restore(sandbox, EPISODE, "9999-12-31")


def test_odd_bytes_come_back_as_they_were(sandbox: Sandbox) -> None:
    data = b"\xef\xbb\xbf# x\r\n\r\n- \xff\xfe\r- lone\n- no end"
    sandbox.write(LOG, data)
    sandbox.commit("odd")
    at = head(sandbox)
    sandbox.write(LOG, "")
    restore(sandbox, LOG, at)
    assert sandbox.read(LOG) == data


def test_an_entry_returns_beside_the_neighbours_it_had(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    start = head(sandbox)
    forget(sandbox, address)
    later = sandbox.read(LOG).decode().replace("- We decided", "- new here\n- We decided") + "- appended\n"
    sandbox.write(LOG, later)
    done = restore(sandbox, address, start)
    line = "- The staging port is 8443\n"
    assert sandbox.read(LOG).decode() == later.replace("over meetings\n", "over meetings\n" + line)
    assert done.became == (address,)
    undo(sandbox, done)
    assert sandbox.read(LOG).decode() == later


def test_a_prefix_of_the_address_is_enough(sandbox: Sandbox) -> None:
    address = sandbox.address("staging port")
    start = head(sandbox)
    forget(sandbox, address)
    restore(sandbox, address[:-6], start)
    assert sandbox.read(LOG).decode() == LOG_TEXT


def test_an_entry_returns_to_its_section_where_no_neighbour_is_left(sandbox: Sandbox) -> None:
    address = sandbox.address("Likes tea", "MEMORY.md")
    start = head(sandbox)
    sandbox.write(
        "MEMORY.md", "# Memory\n\n## Other\n\n- x\n\n## User Preferences\n\n- Likes cake\n\n## Last\n\n- y\n"
    )
    done = restore(sandbox, address, start)
    entry = sandbox.workspace.find(done.became[0])
    assert entry.heading == ("Memory", "User Preferences")
    assert b"- Likes cake\n" in sandbox.read("MEMORY.md")


@pytest.mark.parametrize("text", ["", "# Else\n\n- z\n", None])
def test_section_and_file_are_made_anew_where_they_are_gone(sandbox: Sandbox, text: str | None) -> None:
    address = sandbox.address("Likes tea", "MEMORY.md")
    start = head(sandbox)
    (sandbox.root / "MEMORY.md").unlink()
    if text is not None:
        sandbox.write("MEMORY.md", text)
    done = restore(sandbox, address, start)
    assert sandbox.workspace.find(done.became[0]).heading == ("Memory", "User Preferences")
    assert sandbox.read("MEMORY.md").decode().startswith(text or "# Memory\n")


def test_all_of_a_long_entry_comes_back(sandbox: Sandbox) -> None:
    text = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(100))
    sandbox.write(LOG, f"- first\n- {text}\n- next\n")
    sandbox.commit("long")
    start = head(sandbox)
    parts = [e.address for e in sandbox.workspace.document(LOG).entries if e.parts > 1]
    forget(sandbox, *parts)
    done = restore(sandbox, parts[0], start)
    assert sandbox.read(LOG).decode() == f"- first\n- {text}\n- next\n"
    assert done.entries == done.became == tuple(parts)


def test_what_is_there_already_or_was_not_there_then_is_refused(sandbox: Sandbox) -> None:
    start = head(sandbox)
    with pytest.raises(NotCuratableError, match="already"):
        restore(sandbox, sandbox.address("staging port"), start)
    with pytest.raises(EntryNotFoundError, match="no entry"):
        restore(sandbox, f"{LOG}#0000dead", start)
    with pytest.raises(UsageError, match="was not there"):
        restore(sandbox, "memory/never.md", start)
    assert head(sandbox) == start


@pytest.mark.parametrize(
    "target", ["", "../x.md", "notes.txt", ".git/config", "notes.txt#0000dead", "#0000dead"]
)
def test_only_memory_is_restored(sandbox: Sandbox, target: str) -> None:
    with pytest.raises((NotMemoryError, UsageError)):
        plan_restore(sandbox.workspace, target, head(sandbox))


def test_of_two_equal_lines_the_lost_one_returns_to_its_place(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT.replace("- same words\n- same", "- same words\n- between\n- same"))
    sandbox.commit("between")
    before = sandbox.read(LOG)
    second, start = sandbox.address("same words") + "~2", head(sandbox)
    forget(sandbox, second)
    restore(sandbox, second, start)
    assert sandbox.read(LOG) == before


@pytest.mark.parametrize("first", [0, 1])
def test_two_restores_are_undone_in_either_order(sandbox: Sandbox, first: int) -> None:
    addresses = [sandbox.address("staging port"), sandbox.address("Likes tea", "MEMORY.md")]
    start = head(sandbox)
    forget(sandbox, *addresses)
    before = sandbox.snapshot()
    done = [restore(sandbox, address, start) for address in addresses]
    assert sandbox.read("MEMORY.md").decode() == MEMORY_TEXT
    undo(sandbox, done[first])
    undo(sandbox, done[1 - first])
    assert sandbox.snapshot() == before
