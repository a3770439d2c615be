"""A workspace that is in dispute with itself is not backed up."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.backups import save
from tests.support.workspaces import LOG, Sandbox
from workbench.errors import (
    RepositoryStateError,
)
from workbench.memory.entry import RelPath
from workbench.workspace.journaled_swap import FileStep, Intent, Journal
from workbench.workspace.plan import OperationId
from workbench.workspace.seal import Seal


def marked(sandbox: Sandbox) -> None:
    sandbox.write(LOG, "- a\n<<<<<<< HEAD\n- b\n=======\n- c\n>>>>>>> other\n")


def unmerged(sandbox: Sandbox) -> None:
    blob = sandbox.git("hash-object", "-w", LOG).strip()
    sandbox.git("update-index", "--force-remove", LOG)
    lines = "".join(f"100644 {blob} {stage}\t{LOG}\n" for stage in (1, 2, 3))
    command = ["git", "-C", str(sandbox.root), "update-index", "--index-info"]
    subprocess.run(command, input=lines.encode(), check=True)


def merging(sandbox: Sandbox) -> None:
    (sandbox.root / ".git/MERGE_HEAD").write_text(sandbox.git("rev-parse", "HEAD"))


def kept(sandbox: Sandbox) -> None:
    sandbox.workspace.state_dir()
    sandbox.write(".workbench/conflicts/abc-MEMORY.md", "- theirs\n")


def interrupted(sandbox: Sandbox) -> None:
    """Killed before the branch moved; git was killed too and its lock is still there."""
    place = sandbox.workspace
    history, name = place.history, OperationId("abcdefabcdef")
    head, path = history.head(), RelPath(LOG)
    before, after = history.store(sandbox.read(LOG)), history.store(b"- after\n")
    message = f"forget: all\n\nOperation: {name}\nAction: forget\nActor: human\n"
    commit = history.build_commit(head, {path: after}, message)
    step = FileStep(path, before, after, f".wb-{name}-0.tmp")
    Journal(place.state_dir(), Seal(place.root)).write(Intent(name, head, commit, message, (step,)))
    sandbox.write(".git/refs/heads/main.lock", "")


def shallow(sandbox: Sandbox) -> None:
    (sandbox.root / ".git/shallow").write_text(sandbox.git("rev-parse", "HEAD"))


@pytest.mark.parametrize(
    ("dispute", "reason"),
    [
        (marked, "merge conflict markers from line 2"),
        (unmerged, "unfinished merge"),
        (merging, "a merge is in progress"),
        (kept, "another writer"),
        (shallow, "shallow"),
        (interrupted, "interrupted and could not be finished"),
    ],
)
def test_a_disputed_workspace_is_refused_with_the_reason(
    sandbox: Sandbox, tmp_path: Path, dispute: object, reason: str
) -> None:
    assert callable(dispute)
    dispute(sandbox)
    before = sandbox.git("rev-parse", "HEAD")
    with pytest.raises(RepositoryStateError, match=reason):
        save(sandbox, tmp_path / "chain")
    assert not (tmp_path / "chain").exists()
    assert sandbox.git("rev-parse", "HEAD") == before


def test_a_log_that_quotes_a_merge_is_no_conflict(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write(LOG, "Saw this:\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n\nTitle\n=======\n")
    assert save(sandbox, tmp_path / "chain").wrote == "full"
