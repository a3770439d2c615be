"""Bundles: proved before they count, continued where they are whole, and never in each other's way."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import pytest

from tests.indexing.test_read_only import mounted_read_only
from tests.support.backups import bare, bundles, contents, git, save
from tests.support.workspaces import LOG, Sandbox
from workbench.backup.bundles import alone_in, operations_since, read_header, remembered, write_bundle
from workbench.backup.create import back_up, plan_backup
from workbench.backup.restore import restore
from workbench.backup.targets import find_target
from workbench.errors import (
    BackupError,
    BusyError,
    StoppedError,
    UsageError,
    WriteFailedError,
)
from workbench.format_version import FORMAT
from workbench.history.origin import blame
from workbench.repository.objects import CommitId
from workbench.workspace.workspace import Workspace


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


@pytest.mark.parametrize("name", [b"caf\xe9", b"line\nend"])
def test_folders_may_have_names_of_any_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: bytes
) -> None:
    temporary = tmp_path / os.fsdecode(name)
    temporary.mkdir()
    made = Sandbox(tmp_path / os.fsdecode(b'a "quoted\\ caf\xe9'))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert save(made, tmp_path / "chain").wrote == "full"
    assert {one.deed.action for one in blame(made.workspace, LOG)} == {"commit"}
    made.close()


def test_nothing_new_writes_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    save(sandbox, tmp_path / "chain")
    before = contents(tmp_path / "chain")
    assert save(sandbox, tmp_path / "chain").wrote == ""
    assert contents(tmp_path / "chain") == before


def stopping(heard: list[tuple[str, int, int]], limit: int, phase: str, done: int, total: int) -> None:
    """Note what is said, and stop behind ``limit`` words."""
    heard.append((phase, done, total))
    if len(heard) > limit:
        raise StoppedError("backing up")


def test_it_says_how_far_it_is_and_stopped_anywhere_it_is_none_and_leaves_nothing(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    save(sandbox, tmp_path / "chain")
    before = contents(tmp_path / "chain")
    sandbox.write("memory/later.md", "- later\n")
    target = find_target(str(tmp_path / "chain"))
    for limit in range(3):
        heard: list[tuple[str, int, int]] = []
        with pytest.raises(StoppedError):
            back_up(sandbox.workspace, target, tell=partial(stopping, heard, limit))
        assert len(heard) == limit + 1
        assert contents(tmp_path / "chain") == before
        assert list(temporary.iterdir()) == []
    heard = []
    back_up(sandbox.workspace, target, tell=partial(stopping, heard, 3))
    assert [phase for phase, _, _ in heard] == [
        f"writing to {tmp_path / 'chain'}", "restoring it as a test", "comparing",
    ]  # fmt: skip
    assert heard[-1][1:] == (0, len(sandbox.snapshot()))
    assert bundles(tmp_path / "chain") == ["memory-0001-full.bundle", "memory-0002.bundle"]


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
    with pytest.raises(BackupError, match="incomplete"):
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


def test_a_branch_of_any_name_comes_back_under_its_name(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.git("checkout", "-q", "-b", "main\u2028x")
    save(sandbox, tmp_path / "chain")
    assert restore(str(tmp_path / "chain"), tmp_path / "out").branch == "main\u2028x"


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


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EBADF, errno.EACCES, errno.EINVAL])
def test_a_folder_that_cannot_be_locked_is_backed_up_to(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    flock, chain = fcntl.flock, tmp_path / "chain"
    chain.mkdir()

    def refused(descriptor: int, how: int) -> None:
        if os.path.samestat(os.fstat(descriptor), chain.stat()):
            raise OSError(code, os.strerror(code))
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", refused)
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
    monkeypatch.setattr("workbench.backup.bundles.BundleChain.enter", fail)
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

    monkeypatch.setattr("workbench.backup.create.write_bundle", and_cut)
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

    monkeypatch.setattr("workbench.backup.create.write_bundle", and_append)
    done = save(sandbox, tmp_path / "chain")
    assert any("changed while" in note for note in done.notes)
    monkeypatch.undo()
    save(sandbox, tmp_path / "chain")
    restore(str(tmp_path / "chain"), tmp_path / "out")
    assert contents(tmp_path / "out") == contents(sandbox.root)


# -- remotes -----------------------------------------------------------------------------------------------


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


@pytest.mark.promise(
    "Formats, and other programs",
    "a backup of memory of a newer format",
    "made from what git has; files that are only on disk are named",
)
def test_memory_of_a_newer_program_is_saved_as_far_as_git_has_it(sandbox: Sandbox, tmp_path: Path) -> None:
    """To copy it, nobody has to understand it; to record it first, one would."""
    chain = tmp_path / "chain"
    sandbox.write("workbench.yaml", f"format: {FORMAT + 1}\n")
    sandbox.commit("a newer program")
    committed = contents(sandbox.root)
    target = find_target(str(chain))
    assert (plan_backup(sandbox.workspace, target).wrote, plan_backup(sandbox.workspace, target).notes) == (
        "full",
        (),
    )
    done = save(sandbox, chain)
    assert (done.wrote, done.recorded, done.notes) == ("full", None, ())
    head = sandbox.git("rev-parse", "HEAD")
    sandbox.write(LOG, sandbox.read(LOG) + b"- appended by an agent\n")
    planned = plan_backup(sandbox.workspace, target)
    again = save(sandbox, chain)
    assert (planned.wrote, planned.pending, again.wrote, again.recorded) == ("", 0, "", None)
    for note in (planned.notes, again.notes):
        assert f"this memory has format {FORMAT + 1}" in note[0]
        assert f"what is not committed yet in 1 file, for example {LOG}, is not in it" in note[0]
    whole = back_up(sandbox.workspace, target, full=True)
    assert (whole.wrote, whole.notes) == ("full", again.notes)
    assert sandbox.git("rev-parse", "HEAD") == head
    restore(str(chain), tmp_path / "out")
    assert contents(tmp_path / "out") == committed


def test_a_folder_that_cannot_be_written_is_saved_as_far_as_git_has_it(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    committed = contents(sandbox.root)
    sandbox.write(LOG, sandbox.read(LOG) + b"- appended by an agent\n")
    with mounted_read_only(sandbox.root):
        done = save(sandbox, tmp_path / "chain")
    assert (done.wrote, done.recorded) == ("full", None)
    assert "cannot be written" in done.notes[0]
    assert f"what is not committed yet in 1 file, for example {LOG}, is not in it" in done.notes[0]
    restore(str(tmp_path / "chain"), tmp_path / "out")
    assert contents(tmp_path / "out") == committed


def test_memory_of_which_nobody_can_tell_the_format_is_saved(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write("workbench.yaml", "format: soon\n")
    sandbox.commit("a slip")
    assert save(sandbox, tmp_path / "one.bundle").wrote == "full"
