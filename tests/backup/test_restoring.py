"""A backup becomes a folder, wholly or not at all."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.backups import bare, contents, git, save
from tests.support.workspaces import Sandbox
from workbench.backup.restore import restore
from workbench.errors import (
    BackupError,
    UsageError,
)


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


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "paths into `.git` or `.workbench`, also in history and backups",
)
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
