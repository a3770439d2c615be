"""A backup holds the ledger, and what comes back counts once a person has looked at it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.backups import bare
from tests.support.workspaces import LOG, Sandbox
from workbench.backup.create import back_up, plan_backup
from workbench.backup.restore import restore
from workbench.backup.targets import find_target
from workbench.operations.promote import plan_promote
from workbench.workspace.workspace import Workspace

NOW = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("kind", ["folder", "file", "remote"])
def test_the_ledger_is_in_a_backup_and_comes_back(sandbox: Sandbox, tmp_path: Path, kind: str) -> None:
    place = sandbox.workspace
    target = str(bare(tmp_path) if kind == "remote" else tmp_path / ("b.bundle" if kind == "file" else "b"))
    (tmp_path / "b").mkdir()
    back_up(place, find_target(target))
    address = sandbox.address("staging port")
    place.operations.carry_out(lambda: plan_promote(place, [address], today=NOW.date()))
    place.ledger.append("recalls", [{"entry": address}], NOW)
    back_up(place, find_target(target))  # a further one
    restored = restore(target, tmp_path / "restored")
    assert any("doctor --fix" in note for note in restored.notes)
    again = Workspace.open(tmp_path / "restored")
    assert list(again.ledger.read("recalls")) == []
    again.ledger.confirm(again.ledger.foreign())
    assert [record["entry"] for record in again.ledger.read("recalls")] == [address]
    (port,) = (entry for entry in again.memory_document().entries if "port" in entry.text)
    assert port.field("src") == f"{LOG}#L6"
    again.close()


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_records_without_a_commit_are_saved_too(sandbox: Sandbox, tmp_path: Path, kind: str) -> None:
    place = sandbox.workspace
    target = find_target(str(tmp_path / ("b.bundle" if kind == "file" else "b")))
    for number in range(3):  # the first of them with the first commit alone
        place.ledger.append("proposals", [{"action": "promote", "n": number}], NOW)
        assert plan_backup(place, target).wrote != ""
        assert back_up(place, target).wrote == ("incremental" if number and kind == "folder" else "full")
        assert back_up(place, target).wrote == ""
        assert kind == "file" or plan_backup(place, target).wrote == ""
    restore(target.place, tmp_path / "restored")
    again = Workspace.open(tmp_path / "restored")
    again.ledger.confirm(again.ledger.foreign())
    assert [record["n"] for record in again.ledger.read("proposals")] == [0, 1, 2]
    again.close()
    sandbox.write("memory/new.md", "- new\n")
    assert back_up(place, target).wrote == ("incremental" if kind == "folder" else "full")
    restore(target.place, tmp_path / "later")
    assert (tmp_path / "later/memory/new.md").read_text() == "- new\n"


def test_a_bundle_with_another_ledger_is_kept_aside(sandbox: Sandbox, tmp_path: Path) -> None:
    place, target = sandbox.workspace, find_target(str(tmp_path / "b.bundle"))
    place.ledger.append("proposals", [{"n": 1}], NOW)
    back_up(place, target)
    sandbox.git("update-ref", "-d", place.ledger.reference)
    shutil.rmtree(sandbox.root / ".workbench/ledger")
    place.ledger.append("proposals", [{"n": 2}], NOW)
    back_up(place, target)
    assert sorted(path.name for path in tmp_path.glob("*.bundle")) == ["b-old-1.bundle", "b.bundle"]


def test_a_remote_with_another_ledger_keeps_it_and_what_to_do_is_said(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    place, remote = sandbox.workspace, find_target(str(bare(tmp_path)))
    place.ledger.append("recalls", [{"entry": "a"}], NOW)
    back_up(place, remote)
    sandbox.git("update-ref", "-d", place.ledger.reference)
    shutil.rmtree(sandbox.root / ".workbench/ledger")
    place.ledger.append("recalls", [{"entry": "b"}], NOW)
    (note,) = back_up(place, remote).notes
    assert "the ledger was not sent" in note
    command = shlex.split(note.split("`")[1])
    subprocess.run(command, cwd=sandbox.root, check=True, capture_output=True)
    place.ledger.confirm(place.ledger.foreign())
    assert sorted(record["entry"] for record in place.ledger.read("recalls")) == ["a", "b"]
    assert (back_up(place, remote).wrote, back_up(place, remote).wrote) == ("sent", "")


def test_two_clones_send_their_ledgers_to_one_remote_in_turn(sandbox: Sandbox, tmp_path: Path) -> None:
    first, remote = sandbox.workspace, find_target(str(bare(tmp_path)))
    first.ledger.append("recalls", [{"entry": "a"}], NOW)
    back_up(first, remote)
    restore(remote.place, tmp_path / "second")
    second = Workspace.open(tmp_path / "second")
    second.ledger.confirm(second.ledger.foreign())
    assert not back_up(second, remote).notes
    # The first one knows every record of that already, and yet has to join it.
    first.ledger.append("recalls", [{"entry": "b"}], NOW)
    (note,) = back_up(first, remote).notes
    subprocess.run(shlex.split(note.split("`")[1]), cwd=first.root, check=True, capture_output=True)
    assert [one.records for one in first.ledger.foreign()] == [()]
    first.ledger.confirm(first.ledger.foreign())
    assert not back_up(first, remote).notes
    assert [record["entry"] for record in first.ledger.read("recalls")] == ["a", "b"]
    second.close()
