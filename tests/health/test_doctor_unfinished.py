"""What was begun and not finished: an action, texts of other writers, leftovers beside memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.health.conftest import Ward
from workbench.health.finding import Finding

Treat = Callable[..., list[Finding]]
PROJECT = Path(__file__).parents[2]
KILLED = """
import os, sys
from workbench.repository.git_repository import History
from workbench.workspace.journaled_swap import Steps
from workbench.workspace.workspace import Workspace
from tests.support.actions import promote
place = Workspace.open(sys.argv[1])
owner, name = (History, "refresh_index") if sys.argv[2] == "after" else (Steps, "do_all")
setattr(owner, name, lambda *_: os._exit(9))
place.operations.carry_out(lambda: promote(place))
"""


def killed(ward: Ward, when: str) -> None:
    """An action whose process dies before its files are written, or after."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(ward.root), when], cwd=PROJECT, capture_output=True, check=False
    )
    assert done.returncode == 9, done.stderr.decode()
    assert (ward.state / "journal.json").exists()


@pytest.mark.promise(
    "Doctor",
    "an action was killed",
    "finished if its files are written, otherwise left to the next action",
)
def test_an_action_whose_files_are_written_is_finished(ward: Ward, treated: Treat) -> None:
    killed(ward, "after")
    (finding,) = ward.findings("interrupted action")
    assert "only the commit is missing" in finding.meaning
    treated("an action was interrupted")
    assert not (ward.state / "journal.json").exists()
    assert ward.sandbox.git("status", "--porcelain") == ""


@pytest.mark.promise("Doctor", "an action was killed")
def test_an_action_whose_files_are_not_written_is_named_and_left_to_the_next_one(ward: Ward) -> None:
    killed(ward, "before")
    before = ward.sandbox.snapshot()
    (finding,) = ward.findings("interrupted action")
    assert "the next action" in finding.do
    assert ward.fix("interrupted action") == []
    ward.fix()
    assert ward.sandbox.snapshot() == before
    ward.sandbox.workspace.operations.recover()
    assert ward.findings() == []


def test_a_journal_that_is_none_is_set_aside(ward: Ward, treated: Treat) -> None:
    (ward.state / "journal.json").write_text("{}")
    (ward.state / "journal.json").chmod(0o600)
    treated("not a journal entry")
    assert not (ward.state / "journal.json").exists()


def test_notes_of_journals_that_nobody_believed_are_set_aside(ward: Ward, treated: Treat) -> None:
    for name in ("journal.refused", "journal.new"):
        (ward.state / name).write_text("{}")
        (ward.state / name).chmod(0o600)
    treated("journal.refused", "journal.new")
    assert len(list((ward.state / "set-aside").iterdir())) == 2


def test_a_kept_conflict_is_for_the_person_to_look_at(ward: Ward) -> None:
    (ward.state / "conflicts").mkdir(mode=0o700)
    (ward.state / "conflicts" / "abc-MEMORY.md").write_text("- what another writer wrote\n")
    (finding,) = ward.findings("conflicts")
    assert "conflicts --show 1" in finding.do
    ward.fix()
    assert (ward.state / "conflicts" / "abc-MEMORY.md").exists()


@pytest.mark.promise(
    "Doctor", "a temporary file beside memory", "moved away if git has its text, otherwise kept"
)
def test_a_leftover_beside_memory_that_git_knows_is_moved_away(ward: Ward, treated: Treat) -> None:
    left = ward.sandbox.write("memory/.wb-0123456789ab-0.tmp", ward.sandbox.read("MEMORY.md"))
    treated(".wb-0123456789ab-0.tmp")
    assert not left.exists()
    (kept,) = (ward.state / "set-aside").iterdir()
    assert kept.read_bytes() == ward.sandbox.read("MEMORY.md")


@pytest.mark.promise("Doctor", "a temporary file beside memory")
def test_a_leftover_whose_text_is_nowhere_else_stays(ward: Ward) -> None:
    left = ward.sandbox.write("memory/.wb-0123456789ab-0.tmp", "- words that only stand here\n")
    (finding,) = ward.findings("leftovers")
    assert "compare" in finding.do
    ward.fix()
    assert left.exists()


def test_an_unfinished_merge_is_named(ward: Ward) -> None:
    (ward.root / ".git" / "MERGE_HEAD").write_text(ward.sandbox.git("rev-parse", "HEAD"))
    (finding,) = ward.findings("repository")
    assert "a merge is in progress" in finding.what
