"""A backup is proved before it counts, is never forced, runs nothing, and comes back byte for byte."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.workspaces import LOG, Sandbox
from workbench.backup.bundles import alone_in, read_header, write_bundle
from workbench.backup.continuing import operations_since, remembered
from workbench.backup.restoring import restore
from workbench.backup.saving import Backup, back_up, plan_backup
from workbench.backup.targets import find_target
from workbench.errors import (
    BackupError,
    BusyError,
    ConflictError,
    RepositoryStateError,
    UsageError,
    WriteFailedError,
)
from workbench.memory.names import CommitId, OperationId, RelPath
from workbench.workspace.journal import Intent, Journal, Step
from workbench.workspace.workspace import Workspace


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def save(sandbox: Sandbox, target: Path | str, *, full: bool = False, check: bool = False) -> Backup:
    place = sandbox.workspace
    return back_up(place, find_target(str(target), place.history), full=full, check=check)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts and ".workbench" not in path.parts
    }


def bare(tmp_path: Path, name: str = "remote.git") -> Path:
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / name)], check=True)
    return tmp_path / name


def bundles(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.bundle"))


# -- bundles -----------------------------------------------------------------------------------------------


def test_a_chain_of_bundles_comes_back_byte_for_byte(sandbox: Sandbox, tmp_path: Path) -> None:
    chain = tmp_path / "chain"
    sandbox.write("memory/odd.md", b"\xef\xbb\xbf- CR\r\n- \xff\x00 no end")
    first = save(sandbox, chain)
    sandbox.write("memory/later.md", "- later\n")
    sandbox.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    sandbox.commit("later")
    sandbox.write(LOG, sandbox.read(LOG) + b"- appended by an agent\n")
    second = save(sandbox, chain)
    assert (first.wrote, second.wrote) == ("full", "incremental")
    assert second.compared == len(sandbox.snapshot())
    assert bundles(chain) == ["memory-0001-full.bundle", "memory-0002.bundle"]
    done = restore(str(chain), tmp_path / "out")
    assert contents(tmp_path / "out") == contents(sandbox.root)
    assert (done.branch, done.commit) == ("main", sandbox.git("rev-parse", "HEAD").strip())
    assert git(tmp_path / "out", "status", "--porcelain") == ""
    assert git(tmp_path / "out", "symbolic-ref", "HEAD") == "refs/heads/main"
    assert not (tmp_path / "out/.git/hooks").exists()
    assert os.access(tmp_path / "out/run.sh", os.X_OK)
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=chain, check=True)


def test_nothing_new_writes_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    save(sandbox, tmp_path / "chain")
    before = contents(tmp_path / "chain")
    assert save(sandbox, tmp_path / "chain").wrote == ""
    assert contents(tmp_path / "chain") == before


@pytest.mark.parametrize("fault", ["damaged", "missing", "cut"])
def test_a_chain_that_is_not_whole_is_noticed_and_begun_anew(
    sandbox: Sandbox, tmp_path: Path, fault: str
) -> None:
    chain = tmp_path / "chain"
    save(sandbox, chain)
    first = chain / "memory-0001-full.bundle"
    data = first.read_bytes()
    if fault == "missing":
        first.unlink()
    else:
        first.write_bytes(data[:-30] if fault == "cut" else data[:-40] + b"\0" + data[-39:])
    with pytest.raises(BackupError, match="not whole"):
        restore(str(chain), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    sandbox.write("memory/later.md", "- later\n")
    done = save(sandbox, chain)
    assert done.wrote == "full"
    assert any(first.name in note for note in done.notes)
    restore(str(chain), tmp_path / "out")
    assert contents(tmp_path / "out") == contents(sandbox.root)


def test_damage_is_noticed_without_the_books_too(sandbox: Sandbox, tmp_path: Path) -> None:
    chain = tmp_path / "chain"
    save(sandbox, chain)
    (chain / "SHA256SUMS").unlink()
    first = chain / "memory-0001-full.bundle"
    data = first.read_bytes()
    first.write_bytes(data[:-60] + bytes([data[-60] ^ 1]) + data[-59:])
    (tmp_path / "out").mkdir()
    with pytest.raises(BackupError, match="damaged"):
        restore(str(chain), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    sandbox.write("memory/later.md", "- later\n")
    assert save(sandbox, chain).wrote == "full"


def test_a_gap_in_the_chain_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    chain = tmp_path / "chain"
    for number in range(3):
        sandbox.write(f"memory/{number}.md", "- words\n")
        save(sandbox, chain)
    (chain / "memory-0002.bundle").unlink()
    (chain / "SHA256SUMS").unlink()
    with pytest.raises(BackupError, match="between memory-0001-full"):
        restore(str(chain), tmp_path / "out")
    with pytest.raises(BackupError, match="earlier bundle"):
        restore(str(chain / "memory-0003.bundle"), tmp_path / "out")


def test_a_rewritten_history_begins_a_new_chain_and_keeps_the_old(sandbox: Sandbox, tmp_path: Path) -> None:
    chain = tmp_path / "chain"
    save(sandbox, chain)
    sandbox.git("commit", "-q", "--amend", "-m", "rewritten")
    done = save(sandbox, chain)
    assert done.wrote == "full"
    assert any("rewritten" in note for note in done.notes)
    assert bundles(chain) == ["memory-0001-full.bundle", "memory-0002-full.bundle"]


def test_the_backup_of_another_memory_is_not_gone_on_with(sandbox: Sandbox, tmp_path: Path) -> None:
    other = Sandbox(tmp_path / "other")
    other.write("memory/other.md", "- other\n")
    save(other, tmp_path / "chain")
    with pytest.raises(BackupError, match="another memory"):
        save(sandbox, tmp_path / "chain")
    assert save(sandbox, tmp_path / "chain", full=True).wrote == "full"
    other.close()


def test_half_a_bundle_of_a_killed_backup_is_neither_believed_nor_kept(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    chain = tmp_path / "chain"
    save(sandbox, chain)
    (chain / ".wb-memory-0002.bundle.tmp").write_bytes(b"# v2 git bundle\n")
    restore(str(chain), tmp_path / "out")
    sandbox.write("memory/later.md", "- later\n")
    assert save(sandbox, chain).wrote == "incremental"
    assert [path.name for path in chain.glob(".wb-*")] == []


@pytest.mark.parametrize("target", ["chain", "one.bundle"])
def test_the_lock_of_a_git_that_was_killed_while_it_wrote_a_bundle_stops_no_backup(
    sandbox: Sandbox, tmp_path: Path, target: str
) -> None:
    save(sandbox, tmp_path / target)
    left = ".wb-one.bundle.tmp.lock" if target == "one.bundle" else "chain/.wb-memory-0002.bundle.tmp.lock"
    (tmp_path / left).write_bytes(b"")
    sandbox.write("memory/later.md", "- later\n")
    assert save(sandbox, tmp_path / target).wrote in ("incremental", "full")
    assert not (tmp_path / left).exists()


def test_two_workspaces_never_write_to_one_folder_at_once(sandbox: Sandbox, tmp_path: Path) -> None:
    chain = tmp_path / "chain"
    chain.mkdir()
    with alone_in(chain), pytest.raises(BusyError, match="another backup"):
        save(sandbox, chain)
    assert save(sandbox, chain).wrote == "full"


def test_a_chain_goes_on_after_the_highest_number_that_fits_nine_digits(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    chain = tmp_path / "chain"
    save(sandbox, chain)
    (chain / "memory-0001-full.bundle").rename(chain / "memory-999999999-full.bundle")
    (chain / "SHA256SUMS").unlink()
    sandbox.write("memory/later.md", "- later\n")
    assert save(sandbox, chain).wrote == "incremental"
    restore(str(chain), tmp_path / "out")
    assert (tmp_path / "out/memory/later.md").read_bytes() == b"- later\n"


def test_a_bundle_whose_entry_in_the_books_is_missing_is_part_of_the_chain(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last step of a backup failed, as a full disk or a kill makes it fail."""
    chain = tmp_path / "chain"
    save(sandbox, chain)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    sandbox.write("memory/later.md", "- later\n")
    monkeypatch.setattr("workbench.backup.bundles.Chain.enter", fail)
    with pytest.raises(WriteFailedError, match="No space left"):
        save(sandbox, chain)
    monkeypatch.undo()
    assert save(sandbox, chain).wrote == ""
    sandbox.write("memory/last.md", "- last\n")
    assert save(sandbox, chain).wrote == "incremental"
    assert len((chain / "SHA256SUMS").read_text().splitlines()) == 3
    restore(str(chain), tmp_path / "out")
    assert contents(tmp_path / "out") == contents(sandbox.root)


def test_a_bundle_that_does_not_come_back_as_it_should_gets_no_name(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def and_cut(carrier: object, path: Path, branch: str, basis: CommitId | None) -> None:
        write_bundle(carrier, path, branch, basis)
        os.truncate(path, path.stat().st_size - 50)

    monkeypatch.setattr("workbench.backup.saving.write_bundle", and_cut)
    for target in (tmp_path / "chain", tmp_path / "one.bundle"):
        with pytest.raises(BackupError, match="damaged"):
            save(sandbox, target)
    assert list((tmp_path / "chain").iterdir()) == []
    assert not (tmp_path / "one.bundle").exists()
    assert remembered(sandbox.workspace) is None


def test_one_bundle_file_is_always_whole_and_never_loses_another_history(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    target = tmp_path / "one.bundle"
    assert save(sandbox, target).wrote == "full"
    assert save(sandbox, target).wrote == ""
    sandbox.write("memory/later.md", "- later\n")
    assert save(sandbox, target).wrote == "full"
    assert read_header(target).needs == ()
    sandbox.git("commit", "-q", "--amend", "-m", "rewritten")
    done = save(sandbox, target)
    assert any("one-old-1.bundle" in note for note in done.notes)
    assert restore(str(tmp_path / "one-old-1.bundle"), tmp_path / "old").files == done.compared
    restore(str(target), tmp_path / "out")
    assert contents(tmp_path / "out") == contents(sandbox.root)


def test_what_an_agent_writes_meanwhile_is_in_the_next_backup(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def and_append(carrier: object, path: Path, branch: str, basis: CommitId | None) -> None:
        write_bundle(carrier, path, branch, basis)
        sandbox.write(LOG, sandbox.read(LOG) + b"- meanwhile\n")

    monkeypatch.setattr("workbench.backup.saving.write_bundle", and_append)
    done = save(sandbox, tmp_path / "chain")
    assert any("changed while" in note for note in done.notes)
    monkeypatch.undo()
    save(sandbox, tmp_path / "chain")
    restore(str(tmp_path / "chain"), tmp_path / "out")
    assert contents(tmp_path / "out") == contents(sandbox.root)


# -- remotes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_remote_has_what_was_sent_and_a_fresh_clone_equals_it(
    sandbox: Sandbox, tmp_path: Path, form: str
) -> None:
    remote = bare(tmp_path)
    sandbox.write("memory/new.md", "- unrecorded\n")
    done = save(sandbox, form.format(remote), check=True)
    assert (done.wrote, done.compared) == ("sent", len(sandbox.snapshot()))
    assert git(remote, "rev-parse", "main") == done.commit
    assert save(sandbox, form.format(remote)).wrote == ""
    restored = restore(form.format(remote), tmp_path / "out")
    assert contents(tmp_path / "out") == contents(sandbox.root)
    assert (restored.branch, restored.commit) == ("main", done.commit)


def test_a_remote_with_commits_of_its_own_is_never_forced(sandbox: Sandbox, tmp_path: Path) -> None:
    remote = bare(tmp_path)
    save(sandbox, remote)
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", str(remote), str(other)], check=True)
    (other / "theirs.md").write_text("- theirs\n")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "theirs")
    git(other, "push", "-q")
    theirs = git(remote, "rev-parse", "main")
    sandbox.write("memory/ours.md", "- ours\n")
    with pytest.raises(ConflictError, match="commits on main that are not here") as refused:
        save(sandbox, remote)
    assert "never forced" in refused.value.hint
    assert git(remote, "rev-parse", "main") == theirs
    sandbox.git("remote", "add", "origin", str(remote))
    sandbox.git("config", "remote.origin.push", "+refs/heads/*:refs/heads/*")
    sandbox.git("config", "push.default", "matching")
    with pytest.raises(ConflictError):
        save(sandbox, "origin")
    assert git(remote, "rev-parse", "main") == theirs


def test_the_name_of_a_remote_stands_for_its_address(sandbox: Sandbox, tmp_path: Path) -> None:
    remote = bare(tmp_path)
    sandbox.git("remote", "add", "origin", "../remote.git")
    done = save(sandbox, "origin")
    assert done.target.place == str(remote)
    last = remembered(sandbox.workspace)
    assert last is not None
    assert last.target == str(remote)


def test_a_name_that_is_a_remote_and_a_folder_is_asked_about(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.git("remote", "add", "safe", "https://me:s3cret@localhost/x.git")
    (tmp_path / "safe").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="remote of this repository and a") as refused:
        save(sandbox, "safe")
    assert "s3cret" not in refused.value.hint
    assert save(sandbox, "./safe").wrote == "full"


def test_a_hostile_configuration_has_no_part_in_a_backup(sandbox: Sandbox, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    remote, elsewhere = bare(tmp_path), bare(tmp_path, "elsewhere.git")
    touch = f"touch {canary}"
    for key, value in (
        ("remote.origin.url", str(remote)),
        ("remote.origin.pushurl", str(elsewhere)),
        ("remote.origin.receivepack", f"{touch}; git-receive-pack"),
        ("remote.origin.uploadpack", f"{touch}; git-upload-pack"),
        ("remote.origin.vcs", "evil"),
        (f"url.{elsewhere}.insteadOf", str(remote)),
        (f"url.{elsewhere}.pushInsteadOf", str(remote)),
        ("core.sshCommand", touch),
        ("core.fsmonitor", touch),
        ("core.alternateRefsCommand", touch),
        ("core.hooksPath", str(sandbox.root / "hooks")),
        ("credential.helper", f"!{touch}"),
        ("uploadpack.packObjectsHook", touch),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
        ("push.gpgSign", "true"),
        ("gpg.program", touch),
        ("remote.evil.url", f"ext::{touch}"),
    ):
        sandbox.git("config", key, value)
    for hook in ("pre-push", "reference-transaction", "post-checkout", "pre-auto-gc"):
        for folder in (sandbox.root / "hooks", sandbox.root / ".git/hooks"):
            folder.mkdir(exist_ok=True)
            (folder / hook).write_text(f"#!/bin/sh\n{touch}\n")
            (folder / hook).chmod(0o755)
    save(sandbox, "origin", check=True)
    save(sandbox, tmp_path / "chain")
    restore(str(tmp_path / "chain"), tmp_path / "out")
    for text in ("evil", f"ext::{touch}", f"ext::sh -c '{touch}'"):
        with pytest.raises(UsageError, match="may not take"):
            save(sandbox, text)
    with pytest.raises(BackupError):
        save(sandbox, "ssh://localhost:1/nowhere.git")
    assert not canary.exists()
    assert git(remote, "rev-parse", "main") == sandbox.git("rev-parse", "HEAD").strip()
    assert git(elsewhere, "for-each-ref") == ""


def test_nothing_of_a_receiving_repository_on_this_disk_is_run(sandbox: Sandbox, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    remote = bare(tmp_path)
    for hook in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
        (remote / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {canary}\n")
        (remote / "hooks" / hook).chmod(0o755)
    git(remote, "config", "core.alternateRefsCommand", f"touch {canary}")
    git(remote, "config", "core.fsmonitor", f"touch {canary}")
    save(sandbox, remote, check=True)
    restore(str(remote), tmp_path / "out")
    assert not canary.exists()


def test_a_password_in_an_address_is_never_shown(sandbox: Sandbox) -> None:
    shown = find_target("https://me:s3cret@localhost:1/x.git", sandbox.workspace.history).shown
    assert "s3cret" not in shown
    with pytest.raises(BackupError) as refused:
        save(sandbox, "http://me:s3cret@localhost:1/x.git")
    assert "s3cret" not in refused.value.message + refused.value.hint


# -- states ------------------------------------------------------------------------------------------------


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
    step = Step(path, before, after, f".wb-{name}-0.tmp")
    Journal(place.state_dir()).write(Intent(name, head, commit, message, (step,)))
    sandbox.write(".git/refs/heads/main.lock", "")


def shallow(sandbox: Sandbox) -> None:
    (sandbox.root / ".git/shallow").write_text(sandbox.git("rev-parse", "HEAD"))


@pytest.mark.parametrize(
    ("dispute", "reason"),
    [
        (marked, "marks of an unfinished merge from line 2"),
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


def test_a_detached_head_comes_back_on_a_branch_of_its_own(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.git("checkout", "-q", "--detach")
    remote = bare(tmp_path)
    assert save(sandbox, remote).branch == "workbench/backup"
    save(sandbox, tmp_path / "chain")
    assert restore(str(tmp_path / "chain"), tmp_path / "out").branch == "workbench/backup"
    assert restore(str(remote), tmp_path / "out2").branch == "workbench/backup"


def test_a_worktree_a_subfolder_and_sha256_work(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(root)], check=True)
    inner = Sandbox(root / "agents" / "a b", repository=False)
    inner.git("add", "-A")
    inner.git("commit", "-qm", "start")
    (root / "beside.txt").write_text("beside\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "beside")
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    place = Workspace.open(tmp_path / "tree/agents/a b")
    (place.root / "memory/new.md").write_text("- new\n")
    remote = tmp_path / "r.git"
    subprocess.run(["git", "init", "-q", "--bare", "--object-format=sha256", str(remote)], check=True)
    for target in (tmp_path / "chain", remote):
        done = back_up(place, find_target(str(target), place.history), check=True)
        assert done.branch == "side"
        out = tmp_path / f"out-{target.name}"
        assert restore(str(target), out).branch == "side"
        assert contents(out) == contents(tmp_path / "tree")
        assert (out / "beside.txt").exists()
    place.close()
    inner.close()


def test_a_place_inside_the_repository_is_refused(sandbox: Sandbox) -> None:
    for inside in (sandbox.root / "backups", sandbox.root / ".git/x.bundle", sandbox.root):
        with pytest.raises(UsageError, match="inside the repository"):
            save(sandbox, inside)


def test_a_plan_writes_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write("memory/new.md", "- new\n")
    before = sandbox.git("rev-parse", "HEAD")
    planned = plan_backup(sandbox.workspace, find_target(str(tmp_path / "chain")))
    assert (planned.wrote, planned.pending, planned.planned) == ("full", 1, True)
    assert not (tmp_path / "chain").exists()
    assert sandbox.git("rev-parse", "HEAD") == before


def test_operations_since_the_last_backup_are_counted(sandbox: Sandbox, tmp_path: Path) -> None:
    save(sandbox, tmp_path / "chain")
    sandbox.write("memory/later.md", "- later\n")
    sandbox.commit("later")
    last = remembered(sandbox.workspace)
    assert last is not None
    assert operations_since(sandbox.workspace, last) == 1
    sandbox.git("checkout", "-q", "--orphan", "fresh")
    sandbox.git("commit", "-qm", "fresh")
    assert operations_since(sandbox.workspace, last) is None


# -- restoring ---------------------------------------------------------------------------------------------


def test_a_folder_that_is_not_empty_is_never_restored_into(sandbox: Sandbox, tmp_path: Path) -> None:
    save(sandbox, tmp_path / "chain")
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        restore(str(tmp_path / "chain"), out)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError):
        restore(str(tmp_path / "chain"), tmp_path / "link")
    assert contents(out) == {"mine.txt": b"mine"}
    assert not (tmp_path / "elsewhere").exists()


def test_an_empty_folder_is_filled_in_place(sandbox: Sandbox, tmp_path: Path) -> None:
    save(sandbox, tmp_path / "chain")
    out = tmp_path / "out"
    out.mkdir(mode=0o700)
    inode = out.stat().st_ino
    restore(str(tmp_path / "chain"), out)
    assert contents(out) == contents(sandbox.root)
    assert out.stat().st_ino == inode


def test_links_come_back_as_links_and_filters_are_not_run(sandbox: Sandbox, tmp_path: Path) -> None:
    (sandbox.root / "link.md").symlink_to("/etc/passwd")
    sandbox.write(".gitattributes", "code.txt filter=evil text eol=crlf\n")
    sandbox.write("code.txt", "a\nb\n")
    sandbox.commit("link")
    canary = tmp_path / "canary"
    home = Path(os.environ["HOME"]) / ".gitconfig"
    home.write_text(
        home.read_text() + f'[filter "evil"]\n\tsmudge = touch {canary}\n\tclean = touch {canary}\n'
    )
    save(sandbox, tmp_path / "chain")
    restore(str(tmp_path / "chain"), tmp_path / "out")
    assert (tmp_path / "out/link.md").readlink() == Path("/etc/passwd")
    assert (tmp_path / "out/code.txt").read_bytes() == b"a\nb\n"
    assert not canary.exists()


def test_a_backup_with_a_path_into_git_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    evil = tmp_path / "evil"
    subprocess.run(["git", "init", "-q", "-b", "main", str(evil)], check=True)
    command = ["git", "-C", str(evil), "hash-object", "-w", "--stdin"]
    blob = subprocess.run(command, input=b"x", check=True, capture_output=True).stdout.decode().strip()
    raw = b"100644 config\0" + bytes.fromhex(blob)
    write = ["git", "-C", str(evil), "hash-object", "-w", "-t", "tree", "--literally", "--stdin"]
    inner = subprocess.run(write, input=raw, check=True, capture_output=True).stdout.decode().strip()
    outer = b"40000 .git\0" + bytes.fromhex(inner)
    tree = subprocess.run(write, input=outer, check=True, capture_output=True).stdout.decode().strip()
    git(evil, "update-ref", "refs/heads/main", git(evil, "commit-tree", tree, "-m", "evil"))
    git(evil, "bundle", "create", "-q", str(tmp_path / "evil.bundle"), "HEAD", "main")
    with pytest.raises(BackupError):
        restore(str(tmp_path / "evil.bundle"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evil", "evil.bundle"]


def test_a_remote_with_several_branches_asks_which(sandbox: Sandbox, tmp_path: Path) -> None:
    remote = bare(tmp_path)
    git(remote, "symbolic-ref", "HEAD", "refs/heads/none")
    save(sandbox, remote)
    sandbox.git("checkout", "-qb", "work")
    save(sandbox, remote)
    with pytest.raises(BackupError, match="no branch workbench/backup") as refused:
        restore(str(remote), tmp_path / "out")
    assert "main, work" in refused.value.hint
    assert restore(str(remote), tmp_path / "out", branch="work").branch == "work"
