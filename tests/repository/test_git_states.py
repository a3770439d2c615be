"""Repositories as they are found: each odd state has an answer, and none runs or breaks anything."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.workspaces import LOG, MEMORY_TEXT, Sandbox
from workbench.errors import NotMemoryError, RepositoryStateError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace.ledger import family_of
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.transaction import Operations
from workbench.workspace.workspace import Workspace


def promote(sandbox: Sandbox) -> Operation:
    place = sandbox.workspace
    address = sandbox.address("staging port")
    return place.operations.carry_out(lambda: plan_promote(place, [address]))


def clone(sandbox: Sandbox, *options: str) -> Path:
    target = sandbox.root.with_name("clone")
    source = f"file://{sandbox.root}"
    subprocess.run(["git", "clone", "-q", *options, source, str(target)], check=True, capture_output=True)
    return target


@pytest.mark.promise(
    "Git", "shallow clone", "the history that exists is shown; what is cut off cannot be undone"
)
def test_a_shallow_clone_has_a_log_and_refuses_to_undo_what_it_cannot_see(sandbox: Sandbox) -> None:
    promote(sandbox)
    sandbox.write("memory/later.md", "- later\n")
    sandbox.commit("later")
    place = Workspace.open(clone(sandbox, "--depth", "2"))
    log = list(place.operations.walk())
    assert [o.summary.partition(":")[0] for o in log] == ["later", "promote"]
    with pytest.raises(RepositoryStateError, match="shallow"):
        plan_undo(place, log[1].id)
    place.close()


@pytest.mark.promise("Git", "partial clone", "nothing is fetched")
def test_a_partial_clone_never_runs_its_remote(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write("memory/n.md", "- x\n")
    sandbox.commit("more")
    tree = sandbox.git("rev-parse", "HEAD~1^{tree}").strip()
    (sandbox.root / ".git/objects" / tree[:2] / tree[2:]).unlink()
    for key, value in (
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", f"ext::touch {tmp_path / 'canary'}"),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
    ):
        sandbox.git("config", key, value)
    with pytest.raises(RepositoryStateError):
        list(sandbox.workspace.operations.walk())
    assert not (tmp_path / "canary").exists()


def test_files_of_ours_that_a_clone_brought_along_are_not_believed(sandbox: Sandbox) -> None:
    blob = sandbox.git("hash-object", "-w", LOG).strip()
    head = sandbox.git("rev-parse", "HEAD").strip()
    step = {"path": ".git/config", "before": None, "after": blob, "temporary": ".wb-x.tmp"}
    journal = {"operation": "abc", "parent": head, "commit": head, "message": "m", "steps": [step]}
    (sandbox.root / ".workbench").mkdir()
    sandbox.write(".workbench/journal.json", json.dumps(journal))
    sandbox.git("add", "-f", ".workbench/journal.json")
    sandbox.git("commit", "-qm", "hostile")
    target = clone(sandbox)
    config = (target / ".git/config").read_bytes()
    place = Workspace.open(target)
    place.operations.recover()
    with pytest.raises(RepositoryStateError, match="under version control"):
        place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("staging port")]))
    assert (target / ".git/config").read_bytes() == config
    place.close()


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "paths into `.git` or `.workbench`, also in history and backups",
    "refused",
)
@pytest.mark.parametrize(
    "path", [".git/commondir", ".GIT/config", "memory/.git/hooks/x", ".workbench/journal.json"]
)
def test_no_operation_reaches_into_git_or_our_own_folder(sandbox: Sandbox, path: str) -> None:
    edit = FileEdit(RelPath(path), None, b"evil")
    with pytest.raises(NotMemoryError):
        sandbox.workspace.operations.carry_out(lambda: Plan(action="x", summary="y", edits=(edit,)))
    assert not (sandbox.root / path).exists()


def test_a_journal_that_its_commit_does_not_confirm_is_set_aside(sandbox: Sandbox) -> None:
    promote(sandbox)
    head = sandbox.git("rev-parse", "HEAD").strip()
    before = sandbox.snapshot()
    step = {"path": LOG, "before": None, "after": head, "temporary": ".wb-x.tmp"}
    for commit in (head, "zz"):
        journal = {"operation": "abc", "parent": head, "commit": commit, "message": "m", "steps": [step]}
        sandbox.write(".workbench/journal.json", json.dumps(journal))
        sandbox.workspace.operations.recover()
        assert sandbox.snapshot() == before
        assert (sandbox.root / ".workbench/journal.refused").exists()


@pytest.mark.parametrize("attribute", ["filter=crypt", "working-tree-encoding=UTF-16"])
def test_files_that_git_stores_in_another_form_are_refused(sandbox: Sandbox, attribute: str) -> None:
    sandbox.write(".gitattributes", f"MEMORY.md {attribute}\n")
    with pytest.raises(RepositoryStateError, match="stored through git's"):
        promote(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()


@pytest.mark.promise("Git", "an unmerged file", "refused")
def test_a_file_with_an_unfinished_merge_is_refused(sandbox: Sandbox) -> None:
    blob = sandbox.git("hash-object", "-w", "MEMORY.md").strip()
    lines = f"0 {'0' * 40}\tMEMORY.md\n" + "".join(f"100644 {blob} {n}\tMEMORY.md\n" for n in (1, 2, 3))
    subprocess.run(
        ["git", "-C", str(sandbox.root), "update-index", "--index-info"], input=lines.encode(), check=True
    )
    with pytest.raises(RepositoryStateError, match="unfinished merge"):
        promote(sandbox)


@pytest.mark.promise("Git", "sparse checkout", "files that are not checked out are never recorded as deleted")
def test_a_file_outside_a_sparse_checkout_is_not_recorded_as_deleted(sandbox: Sandbox) -> None:
    sandbox.git("sparse-checkout", "set", "--no-cone", "/memory/")
    assert not (sandbox.root / "MEMORY.md").exists()
    with pytest.raises(RepositoryStateError, match="sparse"):
        promote(sandbox)
    assert sandbox.git("rev-list", "--count", "HEAD").strip() == "1"


@pytest.mark.promise(
    "Git",
    "a stale lock of the branch",
    "reported before anything is done, with what to do if nobody holds it",
)
@pytest.mark.parametrize("lock", [".git/refs/heads/main.lock", ".git/HEAD.lock"])
def test_a_stale_branch_lock_is_named_before_anything_is_done(sandbox: Sandbox, lock: str) -> None:
    (sandbox.root / lock).touch()
    with pytest.raises(RepositoryStateError, match=r"\.lock"):
        promote(sandbox)
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()
    (sandbox.root / lock).unlink()
    promote(sandbox)
    assert sandbox.git("status", "--porcelain") == ""


def stands_for_another(sandbox: Sandbox, name: str) -> Path:
    sandbox.git("update-ref", f"{name}-itself", name)
    sandbox.git("symbolic-ref", name, f"{name}-itself")
    return sandbox.root / f".git/{name}-itself.lock"


def came_from_elsewhere(sandbox: Sandbox, name: str) -> Path:
    """A ledger that nobody here wrote, which an action puts aside."""
    other = sandbox.git("commit-tree", "-m", "other", f"{name}^{{tree}}").strip()
    sandbox.git("update-ref", name, other)
    return sandbox.root / f".git/{name.removesuffix('ledger')}fetched/{other}.lock"


@pytest.mark.promise("Git", "a stale lock of the branch")
@pytest.mark.parametrize(
    ("changed", "name"),
    [
        (stands_for_another, "refs/heads/main"),
        (stands_for_another, f"{family_of('')}ledger"),
        (came_from_elsewhere, f"{family_of('')}ledger"),
    ],
)
def test_a_stale_lock_of_what_moves_with_the_branch_is_met_before_a_file_is_written(
    sandbox: Sandbox, changed: Callable[[Sandbox, str], Path], name: str
) -> None:
    promote(sandbox)
    before = sandbox.read("MEMORY.md")
    lock = changed(sandbox, name)
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    more = sandbox.address("tantivy")
    with pytest.raises(RepositoryStateError, match=r"nothing was changed: .*\.lock"):
        sandbox.workspace.operations.carry_out(lambda: plan_promote(sandbox.workspace, [more]))
    assert sandbox.read("MEMORY.md") == before
    lock.unlink()
    sandbox.workspace.operations.carry_out(lambda: plan_promote(sandbox.workspace, [more]))


def test_a_branch_that_is_locked_while_the_files_are_written_is_named_and_nothing_is_lost(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = sandbox.root / ".git/refs/heads/main.lock"
    real = Operations._replace_all

    def lock_late(self: Operations, *arguments: object) -> object:
        lock.touch()
        return real(self, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Operations, "_replace_all", lock_late)
        with pytest.raises(RepositoryStateError, match=r"the files are written, but .*main\.lock") as caught:
            promote(sandbox)
    assert "the next action will record it" in caught.value.hint
    lock.unlink()
    sandbox.workspace.operations.recover()
    assert "promote" in sandbox.git("log", "-1", "--format=%s")
    assert sandbox.git("status", "--porcelain") == ""


def test_a_damaged_index_is_said_and_blocks_nothing_for_ever(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = sandbox.root / ".git/index"
    good = index.read_bytes()
    index.write_bytes(b"garbage")
    with pytest.raises(RepositoryStateError, match="ls-files failed"):
        promote(sandbox)
    index.write_bytes(good)
    real = Operations._replace_all

    def damage_late(self: Operations, *arguments: object) -> object:
        index.write_bytes(b"garbage")
        return real(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Operations, "_replace_all", damage_late)
    operation = promote(sandbox)
    assert any("index was not refreshed" in note for note in operation.notes)


def test_a_commit_from_beyond_the_year_9999_is_listed(sandbox: Sandbox) -> None:
    tree = sandbox.git("rev-parse", "HEAD^{tree}").strip()
    head = sandbox.git("rev-parse", "HEAD").strip()
    who = "a <a@b> 99999999999999 +0000"
    raw = f"tree {tree}\nparent {head}\nauthor {who}\ncommitter {who}\n\nm\n"
    done = subprocess.run(
        ["git", "-C", str(sandbox.root), "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        input=raw.encode(), check=True, capture_output=True,
    )  # fmt: skip
    sandbox.git("update-ref", "HEAD", done.stdout.decode().strip())
    assert next(sandbox.workspace.operations.walk()).when.year == 9999
