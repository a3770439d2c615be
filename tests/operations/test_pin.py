"""A pin is a mark that a person sets and takes off, and nothing else changes."""

from __future__ import annotations

from datetime import date

import pytest

from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench.errors import EntryNotFoundError, NotCuratableError
from workbench.memory.episode import read_episode
from workbench.operations.forget import plan_forget
from workbench.operations.pin import plan_pin
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

TODAY = date(2026, 3, 20)
GRAPH = "graph/person/sarah.md"


def pin(sandbox: Sandbox, *addresses: str, on: bool = True) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_pin(place, addresses, on=on, today=TODAY))


def test_entries_of_several_files_are_pinned_as_one_operation(sandbox: Sandbox) -> None:
    named = sandbox.address("tea", "MEMORY.md"), sandbox.address("same words"), sandbox.address("tantivy")
    done = pin(sandbox, *named)
    mark = " <!-- wb: pinned=2026-03-20 -->"
    assert sandbox.read("MEMORY.md").decode() == MEMORY_TEXT.replace("tea", f"tea{mark}")
    assert sandbox.read(LOG).decode() == LOG_TEXT.replace("search\n", f"search{mark}\n").replace(
        "same words\n", f"same words{mark}\n", 1
    )
    assert (done.action, done.became) == ("pin", done.entries)
    assert set(done.entries) == set(named)
    assert all(sandbox.workspace.find(address).pinned for address in named)


def test_a_pin_is_taken_off_and_leaves_nothing(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    address = sandbox.address("tea", "MEMORY.md")
    pin(sandbox, address)
    done = pin(sandbox, address, on=False)
    assert done.action == "unpin"
    assert sandbox.snapshot() == before


def test_a_whole_episode_says_so_in_its_header(sandbox: Sandbox) -> None:
    done = pin(sandbox, EPISODE)
    assert sandbox.read(EPISODE).decode() == EPISODE_TEXT.replace("agent\n---", "agent\npinned: true\n---")
    assert read_episode(sandbox.workspace.document(EPISODE)).pinned
    assert done.became == (EPISODE,)
    pin(sandbox, EPISODE, on=False)
    assert b"pinned: false\n" in sandbox.read(EPISODE)


def test_what_says_so_already_is_left_alone(sandbox: Sandbox) -> None:
    address = sandbox.address("tea", "MEMORY.md")
    for named in (address, EPISODE):
        with pytest.raises(NotCuratableError, match="not pinned"):
            pin(sandbox, named, on=False)
        pin(sandbox, named)
        with pytest.raises(NotCuratableError, match="already"):
            pin(sandbox, named)


def test_parts_of_one_block_are_pinned_once(sandbox: Sandbox) -> None:
    words = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(60))
    sandbox.write(LOG, f"- {words}\n- next\n")
    parts = [e for e in sandbox.workspace.document(LOG).entries if e.parts > 1]
    pin(sandbox, parts[0].address, parts[1].address)
    after = sandbox.workspace.document(LOG).entries
    assert [e.pinned for e in after] == [True] * len(parts) + [False]
    assert sandbox.read(LOG).count(b"pinned=") == 1


def test_what_cannot_be_pinned_says_why(sandbox: Sandbox) -> None:
    sandbox.write(GRAPH, "---\nid: x\n---\n- [fact] y\n\n```\ncode\n```\n")
    sandbox.write("episodes/2026/03/e2.md", "- no header\n")
    sandbox.write("episodes/2026/03/e3.md", "---\n{id: e3}\n---\n- braces\n")
    wrong = {
        GRAPH: "not an episode",
        sandbox.address("code", GRAPH): "code block",
        "episodes/2026/03/e2.md": "header",
        "episodes/2026/03/e3.md": "header",
        LOG: "whole",
    }
    for named, reason in wrong.items():
        with pytest.raises(NotCuratableError, match=reason):
            pin(sandbox, named)
    with pytest.raises(EntryNotFoundError):
        pin(sandbox, f"{LOG}#ffffffffffff")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_pins_are_undone_byte_for_byte_in_any_order_after_a_restart(
    sandbox: Sandbox, order: tuple[int, ...]
) -> None:
    sandbox.write(LOG, LOG_TEXT.replace("\n", "\r\n").rstrip())
    before = sandbox.snapshot()
    place = sandbox.workspace
    done = [
        pin(sandbox, sandbox.address("staging port"), EPISODE),
        pin(sandbox, sandbox.address("tantivy")),
        place.operations.carry_out(lambda: plan_forget(place, [sandbox.address("same words")])),
    ]
    again = Workspace.open(sandbox.root)
    for number in order:
        again.operations.carry_out(lambda id=done[number].id: plan_undo(again, id))  # type: ignore[misc]
    again.close()
    assert sandbox.snapshot() == before
