"""What was recalled, and what never was."""

from __future__ import annotations

from datetime import UTC, date, datetime

from tests.support.workspaces import Sandbox
from workbench.health.usage import never_recalled, recalled, summed
from workbench.memory.claims import claim_key
from workbench.workspace import ledger

TODAY = date(2026, 4, 10)


def record(entry: str, at: str = "2026-04-08T10:00:00+00:00", **more: object) -> dict[str, object]:
    return {"entry": entry, "at": at, **more}


def test_recalls_are_counted_by_week_and_by_entry() -> None:
    records = [
        record("a#1111"),
        record("a#1111", "2026-03-31T23:30:00-05:00"),
        record("b#2222"),
        record("c#3333", "2001-01-01"),
    ]
    found = summed(records, today=TODAY)
    assert found.this_week == 2
    assert found.total == 4
    assert [(one.address, one.times) for one in found.often] == [("a#1111", 2), ("b#2222", 1), ("c#3333", 1)]
    assert found.often[0].last == date(2026, 4, 8)


def test_records_that_say_nothing_do_not_count() -> None:
    records: list[dict[str, object]] = [
        {},
        record(""),
        record("a#1111", "soon"),
        {"entry": 7, "at": "2026-04-08"},
        {"entry": "a#1", "at": None},
        record("a#1111", "9999-12-31T23:59:59-23:00"),
    ]
    found = summed(records, today=TODAY)
    assert found.total <= 1
    assert found.this_week == 0


def test_an_entry_that_was_recalled_under_another_address_is_not_called_forgotten(sandbox: Sandbox) -> None:
    tea, atlas = sandbox.workspace.memory_document().entries
    when = datetime(2026, 4, 8, tzinfo=UTC)
    records = [{"entry": "memory/x.md#1234", "claim": claim_key(tea.text)}]
    ledger.append(sandbox.workspace, "recalls", records, when)
    found = recalled(sandbox.workspace, today=TODAY)
    assert found.total == 1
    assert never_recalled(found, [tea, atlas]) == [atlas]


def test_without_a_ledger_nothing_was_recalled(sandbox: Sandbox) -> None:
    found = recalled(sandbox.workspace, today=TODAY)
    assert (found.total, found.often, found.this_week) == (0, (), 0)
