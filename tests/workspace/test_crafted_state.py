"""`.workbench/` as it may come out of an archive: what it says is no reason to touch anything else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.workspaces import MEMORY_TEXT, Sandbox
from workbench.errors import ReadOnlyError
from workbench.operations.promote import plan_promote
from workbench.workspace.plan import Operation

PRIVATE = b"what another program keeps outside\n"


def promote(sandbox: Sandbox) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("staging port")]))


def crafted_journal(sandbox: Sandbox, temporary: str) -> dict[str, object]:
    """A journal whose commit is there and says the same, as somebody could pack both into one archive."""
    old = sandbox.git("rev-parse", "HEAD:MEMORY.md").strip()
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- planted\n")
    message = "promote: planted\n\nOperation: 0123456789ab\nAction: promote\nActor: human\n"
    sandbox.commit(message)
    commit, new = (sandbox.git("rev-parse", name).strip() for name in ("HEAD", "HEAD:MEMORY.md"))
    sandbox.git("reset", "-q", "--hard", "HEAD^")
    sandbox.git("reflog", "expire", "--expire=now", "--all")
    step = {"path": "MEMORY.md", "before": old, "after": new, "temporary": temporary, "mode": None}
    parent = sandbox.git("rev-parse", "HEAD").strip()
    return {
        "operation": "0123456789ab", "parent": parent, "commit": commit, "message": message, "steps": [step]
    }  # fmt: skip


def test_a_crafted_journal_moves_no_file_of_somebody_else(sandbox: Sandbox) -> None:
    outside = sandbox.root.parent / "outside"
    outside.write_bytes(PRIVATE)
    journal = crafted_journal(sandbox, "../outside")
    state = sandbox.workspace.state_dir()
    (state / "journal.json").write_text(json.dumps(journal))
    sandbox.workspace.operations.recover()
    assert outside.read_bytes() == PRIVATE
    assert not (state / "journal.json").exists()
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    promote(sandbox)


@pytest.mark.parametrize("sealed", [{}, {"seal": "0" * 64}, {"seal": None}])
def test_a_journal_that_an_archive_brought_with_its_commit_changes_no_file(
    sandbox: Sandbox, sealed: dict[str, object]
) -> None:
    journal = crafted_journal(sandbox, ".wb-0123456789ab-0.tmp")
    state = sandbox.workspace.state_dir()
    (state / "journal.json").write_text(json.dumps({**journal, **sealed}))
    sandbox.workspace.operations.recover()
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert sandbox.git("log", "--format=%s") == "start\n"
    assert (state / "journal.refused").exists()


@pytest.mark.parametrize("journal", ["[" * 100_000, "[]", '{"steps": [{}]}', '{"steps": 1}', "pipe", "link"])
def test_a_journal_that_is_none_blocks_nothing(sandbox: Sandbox, journal: str) -> None:
    path = sandbox.workspace.state_dir() / "journal.json"
    if journal == "pipe":
        os.mkfifo(path)
    elif journal == "link":
        path.symlink_to("/dev/zero")
    else:
        path.write_text(journal)
    promote(sandbox)
    assert b"staging port" in sandbox.read("MEMORY.md")


def test_a_note_as_deep_as_it_can_just_be_read_blocks_nothing(sandbox: Sandbox) -> None:
    """Somewhere among these depths a note can be read, but not be written again to compare its seal."""
    state = sandbox.workspace.state_dir()
    (state / "displaced").mkdir(exist_ok=True)
    for depth in range(900, 1_000, 2):
        deep = '"seal": "x", "more": ' + "[" * depth + "]" * depth + "}"
        (state / "journal.json").write_text('{"operation": "0123456789ab", "steps": [], ' + deep)
        (state / "displaced/x").write_text("late\n")
        (state / "displaced/x.json").write_text('{"path": "MEMORY.md", "known": 0, "digest": "d", ' + deep)
        sandbox.workspace.operations.recover()
        assert not (state / "journal.json").exists()
    promote(sandbox)


@pytest.mark.parametrize("name", ["displaced", "conflicts"])
def test_what_is_kept_never_leaves_the_workspace_through_a_link(
    sandbox: Sandbox, tmp_path: Path, name: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "private.md").write_bytes(PRIVATE)
    (outside / "x.json").write_text('{"path": "MEMORY.md", "known": 0, "digest": "", "since": 0}')
    (outside / "x").write_bytes(PRIVATE)
    before = sorted(outside.iterdir())
    (sandbox.workspace.state_dir() / name).symlink_to(outside)
    if name == "displaced":
        with pytest.raises(ReadOnlyError):
            promote(sandbox)
        assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    assert sandbox.workspace.operations.conflicts() == ()
    sandbox.workspace.operations.recover()
    assert sorted(outside.iterdir()) == before
    assert sandbox.git("status", "--porcelain") == ""
