"""What agents and editors wrote is recorded as theirs, and nothing else is."""

from __future__ import annotations

import shutil

import pytest

from tests.support.workspaces import LOG, Sandbox
from workbench.errors import RepositoryStateError
from workbench.workspace.external_changes import record, unrecorded


def test_every_word_on_disk_is_recorded_as_one_operation_of_others(sandbox: Sandbox) -> None:
    sandbox.write("memory/new.md", "- from an agent\r\n")
    sandbox.write("_system/quarantine/x.md", "- suspicious\n")
    sandbox.write("_system/ledger/recalls-2026-03.jsonl", "{}\n")
    sandbox.write("workbench.yaml", "memory_budget: 9000\n")
    sandbox.write(LOG, b"- rewritten \xff\n")
    (sandbox.root / "MEMORY.md").unlink()
    sandbox.write("code/main.py", "print()\n")
    operation = record(sandbox.workspace)
    assert operation is not None
    assert (operation.action, operation.actor) == ("external", "external")
    assert set(operation.paths) == {
        "MEMORY.md",
        LOG,
        "memory/new.md",
        "_system/quarantine/x.md",
        "_system/ledger/recalls-2026-03.jsonl",
        "workbench.yaml",
    }
    assert sandbox.git("show", "HEAD:memory/new.md") == "- from an agent\r\n"
    assert sandbox.git("status", "--porcelain") == "?? code/\n"


def test_nothing_new_is_no_operation(sandbox: Sandbox) -> None:
    before = sandbox.git("rev-parse", "HEAD")
    assert record(sandbox.workspace) is None
    assert sandbox.git("rev-parse", "HEAD") == before


def test_what_git_ignores_is_left_to_its_owner(sandbox: Sandbox) -> None:
    sandbox.write(".gitignore", "memory/private/\n")
    sandbox.commit("ignore")
    sandbox.write("memory/private/diary.md", "- mine\n")
    assert record(sandbox.workspace) is None
    assert unrecorded(sandbox.workspace, sandbox.workspace.history.head()).ignored == (
        "memory/private/diary.md",
    )


def test_files_that_cannot_be_recorded_are_refused_with_the_reason(sandbox: Sandbox) -> None:
    sandbox.write(".gitattributes", "memory/secret.md filter=git-crypt\n")
    sandbox.write("memory/secret.md", "- hidden\n")
    before = sandbox.git("rev-parse", "HEAD")
    with pytest.raises(RepositoryStateError, match="filter"):
        record(sandbox.workspace)
    assert sandbox.git("rev-parse", "HEAD") == before


@pytest.mark.promise("Git", "memory folders vanished", "not recorded as deleted, and kept in the index")
def test_a_folder_that_vanished_is_not_recorded_as_deleted(sandbox: Sandbox) -> None:
    shutil.rmtree(sandbox.root / "memory")
    shutil.rmtree(sandbox.root / "episodes")
    (sandbox.root / "MEMORY.md").unlink()
    with pytest.raises(RepositoryStateError, match="are missing"):
        record(sandbox.workspace)


def test_what_a_sparse_checkout_left_out_is_not_recorded_as_deleted(sandbox: Sandbox) -> None:
    sandbox.git("sparse-checkout", "set", "memory")
    assert not (sandbox.root / "episodes").exists()
    sandbox.write("memory/new.md", "- new\n")
    operation = record(sandbox.workspace)
    assert operation is not None
    assert operation.paths == ("memory/new.md",)


def test_a_subfolder_workspace_records_only_what_is_in_it(sandbox: Sandbox) -> None:
    inner = Sandbox(sandbox.root / "agents" / "a", repository=False)
    sandbox.write("memory/outside.md", "- outside\n")
    operation = record(inner.workspace)
    assert operation is not None
    assert LOG in operation.paths
    assert "memory/outside.md" in sandbox.git("status", "--porcelain", "-uall")
    assert "agents/" not in sandbox.git("status", "--porcelain")
    inner.close()


def test_what_is_staged_stays_staged(sandbox: Sandbox) -> None:
    sandbox.write("code.py", "x = 1\n")
    sandbox.git("add", "code.py")
    sandbox.write("memory/new.md", "- new\n")
    record(sandbox.workspace)
    assert sandbox.git("status", "--porcelain") == "A  code.py\n"
