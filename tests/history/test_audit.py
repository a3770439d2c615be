"""An audit names exactly what is wrong. Every fault here is really made."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.workspaces import LOG, Sandbox
from workbench.backup.create import back_up
from workbench.backup.targets import find_target
from workbench.errors import BusyError
from workbench.history.verify import IntegrityProblem, audit
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace.locks import hold

LONG_AGO = 1_000_000_000


def found(sandbox: Sandbox) -> list[IntegrityProblem]:
    return [flaw for check in audit(sandbox.workspace) for flaw in check.flaws]


def one(sandbox: Sandbox) -> IntegrityProblem:
    flaws = found(sandbox)
    assert len(flaws) == 1, flaws
    return flaws[0]


def act(sandbox: Sandbox) -> str:
    """A promotion, a removal and an undo; the id of the promotion."""
    place = sandbox.workspace
    address = sandbox.address("staging port")
    done = place.operations.carry_out(lambda: plan_promote(place, [address]))
    gone = place.operations.carry_out(lambda: plan_forget(place, [sandbox.address("tantivy")]))
    place.operations.carry_out(lambda: plan_undo(place, gone.id))
    return done.id


def loose(sandbox: Sandbox, name: str) -> Path:
    blob = sandbox.git("rev-parse", name).strip()
    return sandbox.root / ".git/objects" / blob[:2] / blob[2:]


def test_a_sound_workspace_has_no_findings_and_says_how_much_was_looked_at(sandbox: Sandbox) -> None:
    act(sandbox)
    checks = audit(sandbox.workspace)
    assert [flaw for check in checks for flaw in check.flaws] == []
    said = {check.name: check.looked_at for check in checks}
    assert said["operations"].startswith("4 operations, 5 texts")
    assert said["history"] == "3 operation ids, 1 undo"
    assert said["files"].startswith("3 memory files")


def test_a_before_text_that_is_missing_is_named_with_its_operation(sandbox: Sandbox) -> None:
    operation = act(sandbox)
    loose(sandbox, "HEAD~3:MEMORY.md").unlink()
    flaw = one(sandbox)
    assert flaw.kind == "text"
    assert "MEMORY.md" in flaw.what
    assert f"before {operation}" in flaw.what
    assert "missing" in flaw.what


def test_a_text_that_was_altered_in_the_object_database_is_damage(sandbox: Sandbox) -> None:
    act(sandbox)
    target, other = loose(sandbox, "HEAD~3:MEMORY.md"), loose(sandbox, f"HEAD~3:{LOG}")
    target.chmod(0o644)
    target.write_bytes(other.read_bytes())
    flaw = one(sandbox)
    assert (flaw.kind, "damaged" in flaw.what) == ("text", True)


def test_a_pack_that_was_cut_is_named(sandbox: Sandbox) -> None:
    act(sandbox)
    sandbox.git("gc", "-q")
    (pack,) = (sandbox.root / ".git/objects/pack").glob("*.pack")
    pack.chmod(0o644)
    os.truncate(pack, pack.stat().st_size // 2)
    flaws = found(sandbox)
    assert flaws
    assert {flaw.kind for flaw in flaws} <= {"text", "reference"}


def test_a_tree_that_is_missing_is_named_once(sandbox: Sandbox) -> None:
    act(sandbox)
    loose(sandbox, "HEAD~3:episodes").unlink()
    flaw = one(sandbox)
    assert sandbox.git("rev-parse", "HEAD~3:episodes").strip() in flaw.what


def test_a_branch_that_leads_nowhere_is_named(sandbox: Sandbox) -> None:
    act(sandbox)
    (sandbox.root / ".git/refs/heads/lost").write_text("1" * 40 + "\n")
    flaws = found(sandbox)
    assert {flaw.kind for flaw in flaws} == {"reference"}
    assert any("refs/heads/lost" in flaw.what for flaw in flaws)


def test_a_head_without_its_commit_is_named(sandbox: Sandbox) -> None:
    head = sandbox.git("rev-parse", "HEAD").strip()
    loose(sandbox, "HEAD").unlink()
    flaw = one(sandbox)
    assert flaw.kind == "reference"
    assert head in flaw.what


@pytest.mark.parametrize(
    ("path", "age"),
    [
        ("memory/.wb-0123456789ab-0.tmp", None),
        (".wb-0123456789ab-1-back.tmp", None),
        ("_system/quarantine/.wb-x.tmp", None),
        (".git/index.lock", LONG_AGO),
        (".git/refs/heads/main.lock", LONG_AGO),
        (".git/objects/pack/tmp_pack_abc", LONG_AGO),
        (".workbench/journal.json", None),
        (".workbench/journal.refused", None),
    ],
)
def test_a_file_that_was_left_behind_is_named(sandbox: Sandbox, path: str, age: int | None) -> None:
    act(sandbox)
    left = sandbox.write(path, "{}")
    if age:
        os.utime(left, (age, age))
    flaw = one(sandbox)
    assert flaw.kind == "stray"
    assert path in flaw.what
    assert flaw.path.endswith(path)


def test_a_lock_that_git_holds_now_is_none_of_them(sandbox: Sandbox) -> None:
    sandbox.write(".git/index.lock", "")
    assert found(sandbox) == []


def test_a_running_action_is_waited_for(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.history.verify._WAIT_SECONDS", 0.0)
    with hold(sandbox.workspace.state_dir() / "operations.lock", "an action"), pytest.raises(BusyError):
        audit(sandbox.workspace)


def test_half_a_bundle_beside_the_last_backup_is_named(sandbox: Sandbox, tmp_path: Path) -> None:
    place = sandbox.workspace
    back_up(place, find_target(str(tmp_path / "chain")))
    (tmp_path / "chain/.wb-memory-0002.bundle.tmp").write_bytes(b"# v2")
    flaw = one(sandbox)
    assert (flaw.kind, "memory-0002.bundle.tmp" in flaw.what) == ("stray", True)


def test_a_kept_conflict_is_named(sandbox: Sandbox) -> None:
    sandbox.workspace.state_dir()
    sandbox.write(".workbench/conflicts/abc-MEMORY.md", "- theirs\n")
    flaw = one(sandbox)
    assert flaw.kind == "conflict"
    assert "abc-MEMORY.md" in flaw.what


def commit_with(sandbox: Sandbox, trailers: str) -> None:
    sandbox.write("memory/note.md", f"- {trailers!r}\n")
    sandbox.commit(f"note\n\n{trailers}")


def test_an_operation_that_two_commits_claim_is_named(sandbox: Sandbox) -> None:
    operation = act(sandbox)
    commit_with(sandbox, f"Operation: {operation}\nAction: forget\nActor: human")
    flaw = one(sandbox)
    assert flaw.kind == "claim"
    assert operation in flaw.what


def test_an_undo_of_nothing_is_named(sandbox: Sandbox) -> None:
    act(sandbox)
    commit_with(sandbox, "Operation: aaaaaaaaaaaa\nAction: undo\nActor: human\nUndoes: bbbbbbbbbbbb")
    flaw = one(sandbox)
    assert flaw.kind == "claim"
    assert "bbbbbbbbbbbb" in flaw.what


def test_an_undo_of_a_plain_commit_is_sound(sandbox: Sandbox) -> None:
    sandbox.write("memory/note.md", "- plain\n")
    sandbox.commit("plain")
    place = sandbox.workspace
    name = sandbox.git("rev-parse", "HEAD").strip()[:12]
    place.operations.carry_out(lambda: plan_undo(place, name))
    assert found(sandbox) == []


def test_a_file_that_cannot_be_read_is_named(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    target = sandbox.root / LOG
    target.chmod(0o000)
    if os.access(target, os.R_OK):  # a superuser may read it all the same
        target.chmod(0o644)
        pytest.skip("permissions mean nothing to this user")
    flaw = one(sandbox)
    assert (flaw.kind, LOG in flaw.what) == ("file", True)


def test_an_audit_changes_nothing(sandbox: Sandbox) -> None:
    act(sandbox)

    def everything() -> dict[str, bytes]:
        return {str(p): p.read_bytes() for p in sandbox.root.rglob("*") if p.is_file()}

    before = everything()
    audit(sandbox.workspace)
    assert everything() == before


def test_a_repository_without_commits_is_sound(tmp_path: Path) -> None:
    empty = Sandbox(tmp_path / "empty", repository=False)
    subprocess.run(["git", "init", "-q", "-b", "main", str(empty.root)], check=True)
    assert found(empty) == []
    empty.close()


def test_a_shallow_clone_is_sound_as_far_as_it_goes(sandbox: Sandbox, tmp_path: Path) -> None:
    act(sandbox)
    source = f"file://{sandbox.root}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", source, str(tmp_path / "clone")], check=True)
    from workbench.workspace.workspace import Workspace

    place = Workspace.open(tmp_path / "clone")
    assert [flaw for check in audit(place) for flaw in check.flaws] == []
    place.close()


def test_a_copied_operation_is_no_flaw(sandbox: Sandbox) -> None:
    """A cherry-pick onto another branch, and the merge of both: the same change, told twice."""
    act(sandbox)
    promotion = sandbox.git("rev-list", "-1", "--grep=^Action: promote", "HEAD").strip()
    sandbox.git("checkout", "-q", "-b", "side", f"{promotion}~1")
    sandbox.write("memory/side.md", "- side\n")
    sandbox.commit("side")
    sandbox.git("cherry-pick", promotion)
    sandbox.git("merge", "-q", "-m", "both", "main")
    assert found(sandbox) == []
