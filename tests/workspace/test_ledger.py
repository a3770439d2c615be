"""The ledger: nothing that was written to it is lost, whoever writes beside us."""

from __future__ import annotations

import json
import multiprocessing
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.support.workspaces import Sandbox
from workbench.errors import OutsideWorkspaceError, WorkbenchError
from workbench.memory.names import RelPath
from workbench.workspace.external_changes import is_recorded
from workbench.workspace.ledger import append, page_path, pages, parse_page, read, with_records
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

MARCH = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
APRIL = datetime(2026, 4, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    return Workspace.open(tmp_path)


def test_records_come_back_in_order_with_their_time(place: Workspace) -> None:
    append(place, "recalls", [{"entry": "a"}, {"entry": "b"}], MARCH)
    append(place, "recalls", [{"entry": "c", "at": "2026-03-01T00:00:00+00:00"}], APRIL)
    assert [record["entry"] for record in read(place, "recalls")] == ["a", "b", "c"]
    first, *_, last = read(place, "recalls")
    assert first["at"] == "2026-03-14T12:00:00+00:00"
    assert last["at"] == "2026-03-01T00:00:00+00:00"


def test_each_month_and_book_has_its_page(place: Workspace) -> None:
    append(place, "recalls", [{"n": 1}], MARCH)
    append(place, "recalls", [{"n": 2}], APRIL)
    append(place, "skips", [{"n": 3}], APRIL)
    assert [page.path for page in pages(place, "recalls")] == [
        "_system/ledger/recalls-2026-03.jsonl",
        "_system/ledger/recalls-2026-04.jsonl",
    ]
    assert [record["n"] for record in read(place, "recalls", since=date(2026, 4, 1))] == [2]


def test_nothing_to_write_writes_nothing(place: Workspace) -> None:
    append(place, "recalls", [], MARCH)
    assert list(pages(place, "recalls")) == []
    assert not (place.root / "_system").exists()


def test_a_torn_line_costs_itself_and_no_other(place: Workspace) -> None:
    append(place, "recalls", [{"n": 1}], MARCH)
    path = place.root / page_path("recalls", MARCH.date())
    with path.open("ab") as file:
        file.write(b'{"n": 2, "cut')
    append(place, "recalls", [{"n": 3}], MARCH)
    (page,) = pages(place, "recalls")
    assert [record["n"] for record in page.records] == [1, 3]
    assert page.bad == 1


@pytest.mark.parametrize(
    "line",
    [b"\xff\xfe", b"[1, 2]", b"null", b'{"a": NaN', b"[" * 100_000, b'{"a": "' + b"x" * 1_000_001 + b'"}'],
)
def test_a_line_that_is_no_record_is_counted(line: bytes) -> None:
    page = parse_page(RelPath("x"), b'{"n": 1}\n' + line + b'\n{"n": 2}\n')
    assert ([record["n"] for record in page.records], page.bad) == ([1, 2], 1)


def test_text_of_any_kind_stays_one_line(place: Workspace) -> None:
    hostile = 'a\nb\r\u2028"}\x00\x1b[31m\ud800'
    append(place, "skips", [{"why": hostile}], MARCH)
    data = (place.root / page_path("skips", MARCH.date())).read_bytes()
    assert data.count(b"\n") == 1
    assert data.isascii()
    (record,) = read(place, "skips")
    assert record["why"] == hostile


def _write(root: str, name: str) -> None:
    place = Workspace.open(root)
    for number in range(100):
        append(place, "recalls", [{"who": name, "n": number}, {"who": name, "n": number + 1000}], MARCH)


def test_several_programs_write_at_once_and_no_record_is_lost(place: Workspace) -> None:
    append(place, "recalls", [{"who": "first", "n": 0}], MARCH)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(str(place.root), f"w{n}")) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    (page,) = pages(place, "recalls")
    assert page.bad == 0
    assert len({(record["who"], record["n"]) for record in page.records}) == 801


def test_a_decision_is_a_part_of_an_operation_and_goes_with_its_undo(sandbox: Sandbox) -> None:
    from workbench.operations.undo import plan_undo

    place = sandbox.workspace

    def plan() -> Plan:
        edit = with_records(place, "decisions", [{"key": "k1", "decision": "rejected"}], MARCH)
        return Plan(action="reject", summary="one", edits=(edit,))

    operation = place.operations.carry_out(plan)
    assert [record["key"] for record in read(place, "decisions")] == ["k1"]
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    assert list(read(place, "decisions")) == []


def test_the_ledger_is_kept_with_the_memory_and_is_none(place: Workspace) -> None:
    path = page_path("recalls", MARCH.date())
    assert is_recorded(place, path)
    assert not place.layout.holds(path)


def test_a_ledger_that_is_a_link_out_is_neither_read_nor_written(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "recalls-2026-03.jsonl").write_text(json.dumps({"n": 1}) + "\n")
    root = tmp_path / "root"
    (root / "_system").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    (root / "_system" / "ledger").symlink_to(outside)
    place = Workspace.open(root)
    with pytest.raises((OutsideWorkspaceError, WorkbenchError)):
        append(place, "recalls", [{"n": 2}], MARCH)
    with pytest.raises((OutsideWorkspaceError, WorkbenchError)):
        list(read(place, "recalls"))
    assert (outside / "recalls-2026-03.jsonl").read_text() == '{"n": 1}\n'


def test_a_record_stands_in_the_month_of_its_moment_wherever_the_clock_is(place: Workspace) -> None:
    evening = datetime(2026, 3, 31, 20, 0, tzinfo=timezone(timedelta(hours=-8)))
    append(place, "recalls", [{"n": 1}], evening)
    assert [record["at"][:7] for record in read(place, "recalls", since=date(2026, 4, 1))] == ["2026-04"]
    assert with_records(place, "skips", [{"n": 2}], evening).path.endswith("skips-2026-04.jsonl")
