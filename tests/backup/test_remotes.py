"""A backup to a remote is never forced, and runs nothing that a workspace names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.backups import bare, contents, git, save
from tests.support.workspaces import Sandbox
from workbench.backup.bundles import remembered
from workbench.backup.restore import restore
from workbench.backup.targets import find_target
from workbench.errors import (
    BackupError,
    ConflictError,
    UsageError,
)


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


def ssh_program(tmp_path: Path, name: str, lines: str) -> Path:
    program = tmp_path / name
    program.write_text(f"#!/bin/sh\n{lines}\n")
    program.chmod(0o755)
    return program


def backup(sandbox: Sandbox, place: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return forked.run_text(
        "-w", sandbox.root, "backup", place, cwd=sandbox.root.parent, env=os.environ | environment
    )


@pytest.mark.parametrize("way", ["GIT_SSH_COMMAND", "GIT_SSH", "core.sshCommand"])
def test_a_backup_over_ssh_starts_the_ssh_of_the_person(sandbox: Sandbox, tmp_path: Path, way: str) -> None:
    remote, calls = bare(tmp_path), tmp_path / "calls"
    # The last argument of ssh is the command to run on the other side.
    ssh = ssh_program(tmp_path, "my-ssh", f'echo "$@" >> {calls}\nfor last; do :; done\nexec sh -c "$last"')
    own = {way: str(ssh)} if way.startswith("GIT") else {}
    if not own:
        configuration = tmp_path / "home" / ".gitconfig"
        configuration.parent.mkdir(exist_ok=True)
        configuration.write_text(f"[user]\n\tname = T\n\temail = t@localhost\n[core]\n\tsshCommand = {ssh}\n")
        own = {"HOME": str(configuration.parent), "XDG_CONFIG_HOME": str(configuration.parent)}
    sandbox.git("config", "core.sshCommand", f"touch {tmp_path / 'canary'}")
    done = backup(sandbox, f"ssh://me@localhost{remote}", **own)
    assert done.returncode == 0, done.stderr
    assert "me@localhost" in calls.read_text()
    assert git(remote, "rev-parse", "main") == sandbox.git("rev-parse", "HEAD").strip()
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("place", ["ssh://me@localhost/memory.git", "me@localhost:memory.git"])
def test_a_backup_that_ssh_refuses_says_what_ssh_said(sandbox: Sandbox, tmp_path: Path, place: str) -> None:
    lines = (
        "printf 'me@localhost: \\033[2JPermission denied (publickey).\\r\\n' >&2\n"
        "echo 'Connection closed by 127.0.0.1 port 22' >&2\nexit 255"
    )
    ssh = ssh_program(tmp_path, "refusing", lines)
    done = backup(sandbox, place, GIT_SSH_COMMAND=str(ssh))
    assert done.returncode == 1
    assert "Permission denied (publickey)." in done.stderr
    assert "Connection closed by 127.0.0.1 port 22" in done.stderr
    assert "`ssh me@localhost` by hand" in done.stderr
    assert "\033" not in done.stderr
    assert "Traceback" not in done.stderr
