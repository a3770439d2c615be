"""Lines that were appended to the ledger are recorded apart from what an operation adds to the same page."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.workspaces import Sandbox
from workbench.memory.names import RelPath
from workbench.operations.undo import plan_undo
from workbench.workspace import ledger
from workbench.workspace.ledger_changes import is_appended
from workbench.workspace.plan import Operation, Plan

NOW = datetime(2026, 3, 20, 14, 20, tzinfo=UTC)
PAGE = RelPath("_system/ledger/ingested-2026-03.jsonl")
DECISIONS = RelPath("_system/ledger/decisions-2026-03.jsonl")


def ingest(sandbox: Sandbox, source: str) -> Operation:
    """An operation that adds one record to the book of what was ingested."""
    place = sandbox.workspace

    def planned() -> Plan:
        edit = ledger.with_records(place, "ingested", [{"source": source}], NOW)
        return Plan(action="learn", summary=source, edits=(edit,))

    return place.operations.carry_out(planned)


def sources(sandbox: Sandbox) -> list[str]:
    return [record["source"] for record in ledger.read(sandbox.workspace, "ingested")]


def test_records_of_our_own_are_not_taken_for_somebodys_edit(sandbox: Sandbox) -> None:
    ledger.append(sandbox.workspace, "ingested", [{"source": "a checkpoint"}], NOW)
    operation = ingest(sandbox, "an episode")
    ours, found, *_ = sandbox.workspace.operations.walk()
    assert ours.id == operation.id
    assert (found.action, found.actor, found.paths) == ("ledger", "external", (PAGE,))


def test_undo_leaves_what_was_appended_before_and_after(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    ledger.append(place, "ingested", [{"source": "before"}], NOW)
    operation = ingest(sandbox, "the operation's own")
    ledger.append(place, "ingested", [{"source": "after"}], NOW)
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    assert sources(sandbox) == ["before", "after"]


def test_a_record_that_was_changed_or_taken_out_is_an_edit_of_others(sandbox: Sandbox) -> None:
    ingest(sandbox, "one")
    sandbox.write(PAGE, b'{"source": "forged"}\n')
    ingest(sandbox, "two")
    _, found, *_ = sandbox.workspace.operations.walk()
    assert found.action == "external"


@pytest.mark.parametrize(
    ("path", "before", "after", "quiet"),
    [
        (PAGE, None, b'{"a": 1}\n', True),
        (PAGE, b'{"a": 1}\n', b'{"a": 1}\n{"a": 2}\n\n', True),
        (PAGE, b'{"a": 1}\n', b'{"a": 1}\nwords\n', False),
        (PAGE, b'{"a": 1}\n', b'{"a": 1}\n[1]\n', False),
        (PAGE, b'{"a": 1}\n', b'{"a": 2}\n', False),
        (PAGE, b'{"a": 1}\n', None, False),
        (DECISIONS, None, b'{"decision": "accepted"}\n', False),
        (RelPath("memory/recalls-2026-03.md"), None, b"{}\n", False),
    ],
)
def test_only_whole_records_at_the_end_of_a_book_of_events_are_quiet(
    path: RelPath, before: bytes | None, after: bytes | None, quiet: bool
) -> None:
    assert is_appended([(path, before, after)]) is quiet
